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
//! | [`Gaerr`] | declared probabilities | Euclidean ball | projected gradient |
//! | [`Ddaerr`] | by the root of the moments | Euclidean ball | projected gradient |
//! | [`Ddaelr`] | by the moments | exponentiated | exponentiated gradient |
//! | [`Ddaerr2p`], [`Ddaelr2p`] | uniform, then by estimated moments | as above | as above |
//! | [`Aesvr`] | uniform; smooth losses | Euclidean ball, or exponentiated | as above |
//!
//! A learner of this kind writes a [`Recipe`]; [`Sgd`] runs it. [`one_pass`] teaches a learner the rows
//! of a table, reading only the cells that its queries name.

mod aelr;
mod aer;
mod aerr;
mod aesvr;
mod budgeted;
mod ddaelr;
mod ddaelr_2p;
mod ddaerr;
mod ddaerr_2p;
mod design;
mod drawing;
mod gaerr;
mod gen_est;
mod known;
mod ledger;
mod pace;
mod pass;
mod query;
mod recipe;
mod risk;
mod running;
mod sampler;
mod saved;
mod sgd;
mod steepness;
mod two_phase;

pub use aelr::Aelr;
pub use aer::Aer;
pub use aerr::Aerr;
pub use aesvr::Aesvr;
pub use budgeted::{Budgeted, Reads};
pub use ddaelr::Ddaelr;
pub use ddaelr_2p::Ddaelr2p;
pub use ddaerr::Ddaerr;
pub use ddaerr_2p::Ddaerr2p;
pub use design::Goal;
pub use gaerr::Gaerr;
pub use pace::{Facts, Move, Norms, Pace, Planned, Schedule, Theory};
pub use pass::one_pass;
pub use query::{AskTell, Part, Query, Read, Role, Told};
pub use recipe::{Draws, Proportions, Recipe, Source, TwoPhase};
pub use sampler::Sampler;
pub use saved::load;
pub use sgd::Sgd;

use crate::learner::Learner;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Aer::default()),
        Box::new(Aerr::default()),
        Box::new(Aelr::default()),
        Box::new(Gaerr::default()),
        Box::new(Ddaerr::default()),
        Box::new(Ddaelr::default()),
        Box::new(Ddaerr2p::default()),
        Box::new(Ddaelr2p::default()),
        Box::new(Aesvr::default()),
    ]
}
