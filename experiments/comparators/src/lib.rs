//! Learners that the papers compare theirs with, under the library's trait: they are part of the
//! experiments, and of programs that add them to the [registry](halfseen::registry::extend).
//!
//! | learner | minimises | compared with |
//! |---|---|---|
//! | [`Identity`] | squared error if attributes were uncorrelated, from few reads of each example | the Baseline |
//! | [`OnlineLasso`] | squared error over the l1 ball, in one pass over whole rows | AELR, AER |
//! | [`Ogd`] | squared error over the Euclidean ball, in one pass over whole rows | AERR, DDAERR |
//! | [`GeometricMargin`] | a hinge loss of the margin within the observed attributes of each row | KARMA |
//! | [`Svm`] | hinge losses and a quadratic penalty | the robust linear program |
//! | [`Fdrop`] | the same under the worst deletions | the robust linear program |
//!
//! Two solvers of their own: [`biased`], a hinge loss with a free bias, and [`bundle`], cutting
//! planes.
#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod biased;
pub mod bundle;
mod dual_averaging;
mod exponentiated;
mod fdrop;
pub mod geom;
mod gradient;
mod identity;
mod ogd;
mod one_pass;
mod online_lasso;
pub mod params;
mod svm;
#[cfg(test)]
#[allow(dead_code)] // the tests of another crate use more of it
#[path = "../../../crates/halfseen-core/src/testing.rs"]
mod testing;

pub use fdrop::Fdrop;
pub use geom::GeometricMargin;
pub use identity::Identity;
pub use ogd::Ogd;
pub use online_lasso::OnlineLasso;
pub use svm::Svm;

use halfseen::Learner;
#[cfg(test)]
use halfseen::data; // of the tests' data

/// Returns the learners with their default parameters.
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Identity::default()),
        Box::new(GeometricMargin::default()),
        Box::new(Fdrop::default()),
        Box::new(OnlineLasso::default()),
        Box::new(Ogd::default()),
        Box::new(Svm::default()),
    ]
}

/// Adds the learners to the registry; a program does this at its start.
pub fn register() {
    halfseen::registry::extend(learners);
}
