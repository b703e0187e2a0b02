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
//! | [`PNormRegression`] | uniform | p-norm link | gradient |
//! | [`Gaerr`] | declared probabilities | Euclidean ball | projected gradient |
//! | [`Ddaerr`] | by the root of the moments, which a first phase may estimate | Euclidean ball | projected gradient |
//! | [`Ddaelr`] | by the moments, as above | exponentiated | exponentiated gradient |
//! | [`Aesvr`] | uniform; smooth losses | Euclidean ball, or exponentiated | as above |
//!
//! [`Aerr`], [`Aelr`] and [`Fiml`] also learn from whatever happens to be observed of each row,
//! choosing nothing (`passive`).
//!
//! A learner of this kind writes a [`Recipe`]; [`Sgd`] runs it. Others estimate second moments
//! first, and solve a problem in them when they are asked for a predictor:
//!
//! | learner | reads | estimates | solves |
//! |---|---|---|---|
//! | [`MomentLasso`] | pairs of panels | all second moments | least squares in the l1 ball, the moments read in one of three ways |
//! | [`Identity`] | uniform subset | products with the target | the same as if attributes were uncorrelated |
//!
//! One keeps what it was told, and fits a model of attributes and target when it is asked for a
//! predictor:
//!
//! | learner | reads | keeps | fits |
//! |---|---|---|---|
//! | [`Fiml`] | uniform subset, or by what attributes add | every read | their joint distribution, by maximum likelihood |
//!
//! [`one_pass`] teaches a learner the rows of a table, reading only the cells that its queries
//! name.

mod adaptive_sampler;
mod admission;
pub(crate) mod aelr;
mod aer;
pub(crate) mod aerr;
mod aesvr;
mod allowance;
mod budgeted;
mod classes;
mod cost_constraint;
mod ddaelr;
mod ddaerr;
mod design;
mod engine;
mod fiml;
mod gaerr;
mod gen_est;
mod identity;
mod known;
mod ledger;
mod moment_lasso;
mod moments;
mod observed;
mod packing;
mod pass;
mod pnorm;
mod progressive_validation;
mod recipe;
mod running_moments;
mod sampler;
mod saved;
mod sgd;
mod slope_stats;
mod step_size;
pub(crate) mod two_phase;

pub use crate::learner::{AskTell, ColumnTerm, Query, Read, Role, TellOutcome};
pub use aelr::Aelr;
pub use aer::Aer;
pub use aerr::Aerr;
pub use aesvr::Aesvr;
pub use allowance::Reads;
pub use budgeted::Budgeted;
pub use ddaelr::Ddaelr;
pub use ddaerr::Ddaerr;
pub use design::DesignCriterion;
pub use fiml::Fiml;
pub use gaerr::Gaerr;
pub use identity::Identity;
pub use moment_lasso::MomentLasso;
pub(crate) use pass::next_batch_with;
pub use pass::{next_batch, one_pass};
pub use pnorm::PNormRegression;
pub use recipe::{Draws, Proportions, Recipe, Source, TwoPhase};
pub use sampler::Sampler;
pub(crate) use saved::Saved;
pub use sgd::Sgd;
pub use step_size::{DataNorms, Norms, Schedule, Step, StepPlan, StepSchedule, TheoryStep, Wait};

use crate::learner::Learner;
use crate::plan::Promise;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Aer::default()),
        Box::new(Aerr::default()),
        Box::new(Aelr::default()),
        Box::new(PNormRegression::default()),
        Box::new(Gaerr::default()),
        Box::new(Ddaerr::default()),
        Box::new(Ddaelr::default()),
        Box::new(MomentLasso::default()),
        Box::new(Identity::default()),
        Box::new(Aesvr::default()),
        Box::new(Fiml::default()),
    ]
}

/// What they promise, in the order of the papers; see [`plan`](crate::plan).
pub(crate) fn guarantees() -> Vec<Promise> {
    vec![
        aer::guarantee,
        aerr::guarantee,
        aelr::guarantee,
        moment_lasso::guarantee,
        aesvr::guarantee,
        ddaerr::guarantee,
        ddaerr::given,
        ddaerr::estimated,
        ddaelr::guarantee,
        ddaelr::two_phases,
    ]
}
