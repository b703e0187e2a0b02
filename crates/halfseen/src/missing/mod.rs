//! Learners of data that came with holes: values with a mask, and nothing filled in that was not
//! seen.
//!
//! | learner | what it minimises | how it predicts |
//! |---|---|---|
//! | [`Karma`] | a loss of k_gamma, which compares two rows by what both show | by comparison, or by random features |
//! | [`Imputation`] | the same with gamma = 1: holes are 0, or the mean | by a weighted sum |
//! | [`MatrixCompletion`] | rank and misfit of attributes and labels as one matrix | by a factor of it |
//! | [`GeometricMargin`] | the margin within what each row shows | by a weighted sum |
//!
//! | module | what it does |
//! |---|---|
//! | [`online`] | KARMA as printed, one example at a time; [`IncrementalKarma`] feeds it tables that come in parts |
//! | [`geom`] | the geometric margin of incomplete rows |
//! | [`completion`] | MC-b and MC-1 |
//! | [`bounds`] | what paper D's theorems promise |
//!
//! [`kernel`](crate::kernel) compares rows.

pub mod bounds;
pub mod completion;
pub mod geom;
mod impute;
mod incremental;
mod karma;
pub mod online;
mod training_objective;

pub use completion::MatrixCompletion;
pub use geom::GeometricMargin;
pub use impute::Imputation;
pub use incremental::IncrementalKarma;
pub use karma::Karma;

use crate::learner::Learner;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Karma::default()),
        Box::new(Imputation::default()),
        Box::new(MatrixCompletion::default()),
        Box::new(GeometricMargin::default()),
    ]
}
