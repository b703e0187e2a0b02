//! FAMILY 1: learns while each look costs something, by asking for reads and being told values.
//!
//! A budgeted learner never holds an example. It says which panels of the *next* example it wants
//! ([`AskTell::ask_into`]), somebody reads them, and it takes one step ([`AskTell::tell`]).
//!
//! | learner | sampler of the gradient | iterate | step |
//! |---|---|---|---|
//! | [`Aer`] | uniform subset | l1 ball | strongly convex |
//! | [`Aerr`] | uniform | Euclidean ball | projected gradient |
//! | [`Aelr`] | uniform | exponentiated | exponentiated gradient |

mod query;

pub use query::{AskTell, Part, Query, Read, Role, Told};

use crate::learner::Learner;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![]
}
