//! Learns while each read has a cost: learners ask for reads of an example, and are told the
//! values.
//!
//! A budgeted learner never holds an example. It asks for some panels of the *next* example
//! ([`AskTell::ask_into`]), the caller reads them, and the learner takes one step
//! ([`AskTell::tell`]).
//!
//! | learner | sampler of the gradient | iterate | step |
//! |---|---|---|---|
//! | [`Aer`] | uniform subset | l1 ball | strongly convex |
//! | [`Aerr`] | uniform | Euclidean ball | projected gradient |
//! | [`Aelr`] | uniform | exponentiated | exponentiated gradient |
//! | [`PNormRegression`] | uniform | p-norm link | gradient |
//! | [`Gaerr`] | declared probabilities | Euclidean ball | projected gradient |
//! | [`Ddaerr`] | by the root of the second moments | Euclidean ball | projected gradient |
//! | [`Ddaelr`] | by the second moments | exponentiated | exponentiated gradient |
//! | [`Aesvr`] | uniform; smooth losses | Euclidean ball, or exponentiated | as above |
//!
//! A first phase may estimate the moments of [`Ddaerr`] and [`Ddaelr`]. [`Aerr`] and [`Aelr`]
//! can also learn from the attributes that happen to be observed in each row (`passive`).
//!
//! Each learner of this table writes a [`Recipe`], which [`Sgd`] runs. Others estimate second
//! moments, and solve a problem in them when a predictor is requested. [`MomentLasso`] repairs the
//! moments in one of three ways.
//!
//! | learner | reads | estimates | solves |
//! |---|---|---|---|
//! | [`MomentLasso`] | pairs of panels | all second moments | least squares in the l1 ball |
//!
//! [`one_pass`] teaches a learner the rows of a table, and reads only the cells that its queries
//! name.

pub(crate) mod aelr;
mod aer;
pub(crate) mod aerr;
mod aesvr;
mod budgeted;
mod classes;
mod ddaelr;
mod ddaerr;
mod descent;
mod gaerr;
mod moment_lasso;
pub mod moments;
pub mod plan;
mod pnorm;
mod progressive_validation;

pub use aelr::Aelr;
pub use aer::Aer;
pub use aerr::Aerr;
pub use aesvr::Aesvr;
pub use budgeted::Budgeted;
pub use ddaelr::Ddaelr;
pub use ddaerr::Ddaerr;
pub use descent::recipe::{DrawMoments, Draws, Proportions, Recipe, TwoPhase};
pub use descent::sgd::Sgd;
pub use descent::step_size::{
    DataNorms, Norms, Schedule, Step, StepPlan, StepSchedule, TheoryStep,
};
pub use gaerr::Gaerr;
pub use halfseen_core::asking::{DesignCriterion, Reads, Sampler, Wait, next_batch, one_pass};
pub use halfseen_core::learner::{
    AskTell, ColumnTerm, Query, Read, ReadRole, ReadRows, TellOutcome,
};
pub use moment_lasso::MomentLasso;
pub use pnorm::PNormRegression;

use halfseen_core::learner::Learner;

/// Returns the learners of this family.
#[doc(hidden)]
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(Aer::default()),
        Box::new(Aerr::default()),
        Box::new(Aelr::default()),
        Box::new(PNormRegression::default()),
        Box::new(Gaerr::default()),
        Box::new(Ddaerr::default()),
        Box::new(Ddaelr::default()),
        Box::new(MomentLasso::default()),
        Box::new(Aesvr::default()),
    ]
}
