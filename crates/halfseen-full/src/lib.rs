//! Fits learners that see every attribute: the references for budgeted learners.
//!
//! | learner | minimises | over | method |
//! |---|---|---|---|
//! | [`Ridge`] | mean squared error | the Euclidean ball, or with a penalty | one eigendecomposition for all radii |
//! | [`Lasso`] | mean squared error | the l1 ball | pairwise steps on the second moments, to a certified gap |

mod centred;
mod lasso;
mod ridge;
mod second_moments;
#[cfg(test)]
#[allow(dead_code)] // the tests of another crate use more of it
#[path = "../../halfseen-core/src/testing.rs"]
mod testing;

pub use centred::Centred;
pub use lasso::Lasso;
pub use ridge::Ridge;

#[cfg(test)]
use halfseen_core::data; // of the tests' data
use halfseen_core::learner::Learner;

/// Returns the learners of this family.
#[doc(hidden)]
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![Box::new(Ridge::default()), Box::new(Lasso::default())]
}

fn norm(vector: &[f64]) -> f64 {
    halfseen_solve::dot(vector, vector).sqrt()
}
