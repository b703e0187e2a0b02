//! FAMILY 3: learners that prepare for attributes that are deleted or corrupted at prediction time.
//!
//! A [`Threat`](halfseen_core::data::Threat) holds the cost of each attribute and the adversary's budget.
//! An [`Adversary`] finds the deletions that do the most damage to a row. Learners, attacks and
//! certificates all use it.
//!
//! | learner | objective | feasible set | method |
//! |---|---|---|---|
//! | [`RobustLp`] | mean robust hinge or quantile loss | box | linear program, certified gap |
//! | [`RobustPerceptron`] | mean robust hinge loss | box | one pass of averaged gradient steps |

mod adversarial_eval;
mod adversary;
mod attack;
pub mod bounds;
mod breakdown;
mod certified_error;
mod certify;
mod cuts;
mod effects;
mod fit_classes;
mod fit_context;
mod hinge;
mod margin;
mod perceptron;
#[cfg(test)]
mod reference_lp;
mod robust_lp;
mod rows;
#[cfg(test)]
#[allow(dead_code)] // the tests of another crate use more of it
#[path = "../../halfseen-core/src/testing.rs"]
mod testing;
mod values;

pub use adversarial_eval::Trial;
pub use adversary::{Adversary, Worst};
pub use attack::{Attack, Attacked, Choice, Order, attack, attack_fit, own_attack};
pub use breakdown::breakdown_threat;
pub use certified_error::CertifiedErrors;
pub use certify::{Certificate, CertifiedClaim, certify};
pub use fit_classes::{costs_of_classes, fit_classes};
pub use fit_context::FitContext;
pub use hinge::{HingeScratch, RobustHinge, RowLoss};
pub use perceptron::RobustPerceptron;
pub use robust_lp::RobustLp;
pub use rows::{KNOWN, Rows, Sizes};
pub use values::information;

#[cfg(test)]
use halfseen_core::data; // of the tests' data
use halfseen_core::learner::Learner;

/// Returns the learners of this family.
#[doc(hidden)]
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![Box::new(RobustLp::default()), Box::new(RobustPerceptron::default())]
}
