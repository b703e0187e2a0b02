//! Fits learners that see every attribute: the references for budgeted learners.
//!
//! | learner | minimises | over | method |
//! |---|---|---|---|
//! | [`Ridge`] | mean squared error | the Euclidean ball, or with a penalty | one eigendecomposition for all radii |
//! | [`Lasso`] | mean squared error | the l1 ball | pairwise steps on the second moments, to a certified gap |
//! | [`OnlineLasso`] | mean squared error | the l1 ball | one pass: exponentiated gradient, gradient steps, or dual averaging |
//! | [`Svm`] | hinge losses and a quadratic penalty | all weights | cutting planes, to a certified gap |
//! | [`Ogd`] | mean squared error | the Euclidean ball | one pass: gradient steps |

mod centred;
mod dual_averaging;
mod exponentiated;
mod gradient;
mod lasso;
mod ogd;
mod one_pass;
mod online_lasso;
mod ridge;
mod second_moments;
mod svm;
#[cfg(test)]
pub(crate) mod testing;

pub use lasso::Lasso;
pub use ogd::Ogd;
pub use online_lasso::OnlineLasso;
pub use ridge::Ridge;
pub use svm::Svm;

use crate::learner::Learner;

/// Returns the learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Ridge::default()),
        Box::new(Lasso::default()),
        Box::new(OnlineLasso::default()),
        Box::new(Ogd::default()),
        Box::new(Svm::default()),
    ]
}

fn norm(vector: &[f64]) -> f64 {
    halfseen_solve::dot(vector, vector).sqrt()
}
