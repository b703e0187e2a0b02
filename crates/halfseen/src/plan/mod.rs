//! Computes theoretical guarantees of learners before any value is read.
//!
//! Theorems are from Cesa-Bianchi, Shalev-Shwartz and Shamir 2010, Hazan and Koren 2012, and
//! Kukliansky and Shamir 2015.
//!
//! A [`Setting`] states the assumptions of the theorems. Each learner's file turns it into a
//! [`Guarantee`]. [`make`] computes the excess error from the number of examples, or vice versa,
//! and [`best`] the reads per example for a given total; [`all`] does either for several learners.
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
//! **One unit**: every excess is of E (<w,x> - y)^2, the mean squared error that tests report. The
//! papers of 2012 and 2015 bound half of it; these bounds are doubled, and [`Bound::printed`] keeps
//! the published ones.
//!
//! The theorems hold for the learners as published: `step = theory` for the assumed norms (the
//! value is in [`Bound::tuning`]), `average = all`, `centre = none`, no intercept.

mod assumptions;
mod guarantee;
mod json;
mod moments;
mod search;
mod setting;
mod steps;
#[cfg(test)]
mod tests;

pub use assumptions::Assumptions;
pub use guarantee::{Bound, Excess, Guarantee, MOST_EXAMPLES, Printed, Tuning};
pub use moments::MomentNorms;
pub use search::{Goal, Plan, all, best, make};
pub use setting::Setting;
pub(crate) use setting::{CONFIDENCE, SHARE};
pub use steps::{entropic_eta, euclidean_eta, half_excess, planned_step};

/// Function from a setting to the guarantee of a learner.
pub type Promise = fn(&Setting) -> Guarantee;
