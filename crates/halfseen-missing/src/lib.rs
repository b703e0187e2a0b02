//! Learns from data with missing values: values with a mask, and no value invented for a missing
//! one.
//!
//! | learner | minimises | predicts |
//! |---|---|---|
//! | [`Karma`] | a loss over k_gamma, which compares two rows by the attributes that both show | by comparison, or by random features |
//! | [`Imputation`] | the same with gamma = 1: missing values are 0, or the mean | linearly |
//! | [`MatrixCompletion`] | rank and misfit of attributes and labels as one matrix | by a factor of the matrix |
//!
//! | module | purpose |
//! |---|---|
//! | [`online`] | KARMA as printed, one example at a time; [`IncrementalKarma`] learns from tables that come in parts |
//! | [`completion`] | MC-b and MC-1 |
//!
//! [`kernel`](halfseen_core::kernel) compares rows.

pub mod completion;
mod impute;
mod incremental;
mod karma;
pub mod online;
mod training_objective;

pub use completion::MatrixCompletion;
pub use impute::Imputation;
pub use incremental::IncrementalKarma;
pub use karma::Karma;

use halfseen_core::learner::Learner;

/// Returns the learners of this family.
#[doc(hidden)]
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Karma::default()),
        Box::new(Imputation::default()),
        Box::new(MatrixCompletion::default()),
    ]
}
