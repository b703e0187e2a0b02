//! Asks for the reads of an example, takes the answers and counts them: what learners share that
//! pay for reads.

pub(crate) mod admission;
pub(crate) mod allowance;
pub(crate) mod check_moments;
pub(crate) mod design;
pub(crate) mod engine;
pub(crate) mod ledger;
pub(crate) mod money;
pub(crate) mod observed;
pub(crate) mod pass;
pub(crate) mod sampler;
pub(crate) mod saved;
mod wait;

pub use allowance::Reads;
pub(crate) use check_moments::check_moments;
pub use design::DesignCriterion;
pub use pass::{next_batch, one_pass};
pub use sampler::Sampler;
pub(crate) use saved::{Saved, digest};
pub use wait::Wait;
