//! Computes the excess error that theorems guarantee before any value is read, and the reads that
//! guarantee one.
//!
//! Theorems are from Cesa-Bianchi, Shalev-Shwartz and Shamir 2010, Hazan and Koren 2012, and
//! Kukliansky and Shamir 2015. A [`Setting`] states their assumptions, [`THEOREMS`] lists them, and
//! [`plan`] applies one.
//!
//! ```
//! # use halfseen_budget as halfseen;
//! use halfseen::plan::{Goal, Setting, THEOREMS, plan};
//!
//! let setting = Setting { dims: 100, budget: 4, radius: 1.0, ..Setting::default() };
//! let aerr = THEOREMS.iter().find(|theorem| theorem.learner == "aerr").expect("listed");
//! let plan = plan(aerr, &setting, Goal::Error(0.5));
//! assert_eq!(plan.examples, Some(2134)); // 4 sqrt(100 / (3 m)) <= 1/2
//! assert_eq!(plan.reads, Some(4 * 2134));
//! ```
//!
//! **One unit**: every excess is of E (<w,x> - y)^2, the mean squared error that tests report. The
//! papers of 2012 and 2015 bound half of it; these bounds are doubled.
//!
//! The theorems hold for the learners as published: the step is that of [`Plan::step`], `average =
//! all`, `centre = none`, no intercept.

mod moments;
mod phases;
mod planned;
mod setting;
mod steps;
#[cfg(test)]
mod tests;
mod theorems;

pub use moments::MomentNorms;
pub(crate) use phases::{
    THEOREM, eps, first_examples, largest_ratio, ridge_estimated, ridge_given, ridge_safe,
};
pub use planned::{Goal, MOST_EXAMPLES, Plan, plan};
pub use setting::Setting;
pub(crate) use setting::{CONFIDENCE, SHARE};
pub use steps::{entropic_eta, euclidean_eta};
pub use theorems::{Assumptions, THEOREMS, Theorem};
