//! Asks for the reads of an example, takes the answers and counts them: what learners share that
//! pay for reads.

pub mod admission;
pub mod allowance;
mod check_moments;
pub mod design;
pub mod engine;
pub mod ledger;
pub(crate) mod money;
pub mod observed;
pub mod pass;
pub mod sampler;
pub mod saved;
mod wait;

pub use allowance::Reads;
pub use check_moments::check_moments;
pub use design::DesignCriterion;
pub use pass::{next_batch, one_pass};
pub use sampler::Sampler;
pub use saved::Saved;
pub use saved::digest;
pub use wait::Wait;
