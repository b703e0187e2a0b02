//! Promises what learners reach before a value is read: the theorems of papers A, B and C as
//! numbers.
//!
//! A [`Setting`] says what the theorems assume; each learner's file turns it into a [`Guarantee`];
//! [`make`] gives the excess error for so many examples, or the examples for so small an excess;
//! [`best`] finds how many reads to spend on each example where their total is what counts.
//!
//! ```
//! use halfseen::plan::{self, Goal, Setting};
//!
//! let setting = Setting { dims: 100, budget: 4, radius: 1.0, ..Setting::default() };
//! let mut promises = halfseen::registry::guarantees().into_iter().map(|of| of(&setting));
//! let aerr = promises.find(|g| g.learner == "aerr").expect("listed");
//! let plan = plan::make(aerr, Goal::Error(0.5));
//! assert_eq!(plan.examples, Some(2134)); // 4 sqrt(100 / (3 m)) <= 1/2
//! assert_eq!(plan.reads, Some(4 * 2134));
//! ```
//!
//! **One unit**: every excess is of E (<w,x> - y)^2, the mean squared error that tests report.
//! Papers B and C bound half of it; their bounds are doubled, and [`Bound::printed`] keeps what
//! they print.
//!
//! The theorems hold for the learners as the papers run them: `step = theory` for the assumed norms
//! (the value is in [`Bound::tuning`]), `average = all`, `centre = none`, no intercept.

mod assumptions;
mod guarantee;
mod moments;
mod search;
mod setting;
mod steps;
#[cfg(test)]
mod tests;

pub use assumptions::Assumptions;
pub use guarantee::{Bound, Excess, Guarantee, MOST_EXAMPLES, Printed, Tuning};
pub use moments::MomentNorms;
pub use search::{Goal, Plan, best, make};
pub use setting::Setting;
pub(crate) use setting::{CONFIDENCE, SHARE};
pub(crate) use steps::{entropic_eta, euclidean_eta, half_excess, planned_step};

/// What a learner promises in a setting.
pub type Promise = fn(&Setting) -> Guarantee;
