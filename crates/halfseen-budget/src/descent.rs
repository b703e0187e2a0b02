//! Takes gradient steps on reads that a learner asks for: which reads, how long a step, and what it knows of the moments.

pub(crate) mod adaptive_sampler;
pub(crate) mod batches;
pub(crate) mod cost_constraint;
pub(crate) mod gen_est;
pub(crate) mod known;
pub(crate) mod packing;
pub(crate) mod recipe;
pub(crate) mod running_moments;
pub(crate) mod sgd;
pub(crate) mod slope_stats;
pub(crate) mod step_size;
pub(crate) mod two_phase;
