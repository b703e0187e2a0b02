//! FAMILY 3: learners that prepare for attributes that vanish, or are corrupted, at prediction
//! time.
//!
//! A [`Threat`](crate::data::Threat) says what each attribute is worth and what the adversary may
//! spend; an [`Adversary`] answers what deletions do the most damage to a row. Learners, attacks
//! and certificates all use that one answer.
//!
//! | learner | minimises | over | how |
//! |---|---|---|---|
//! | [`RobustLp`] | the mean robust hinge loss, or that of numbers | the box | a linear program, to a certified gap |
//! | [`RobustPerceptron`] | the mean robust hinge loss | the box | one pass: gradient steps, averaged |
//! | [`Fdrop`] | hinge losses after deletions and a quadratic penalty | everything | cutting planes, to a certified gap |

mod adversarial_eval;
mod adversary;
mod attack;
pub mod bounds;
mod breakdown;
mod certify;
mod cuts;
mod effects;
mod fdrop;
mod fit_context;
mod hinge;
mod margin;
mod perceptron;
#[cfg(test)]
mod reference_lp;
mod robust_lp;
mod rows;
mod values;

pub use adversarial_eval::Trial;
pub use adversary::{Adversary, Worst};
pub use attack::{Attack, Attacked, Choice, Order, attack};
pub use certify::{Certificate, Promise, certified_error, certify};
pub use fdrop::Fdrop;
pub use hinge::{RobustHinge, RowLoss, Scratch};
pub use perceptron::RobustPerceptron;
pub use robust_lp::RobustLp;
pub use rows::{KNOWN, Rows};
pub use values::information;

use crate::learner::Learner;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![
        Box::new(RobustLp::default()),
        Box::new(RobustPerceptron::default()),
        Box::new(Fdrop::default()),
    ]
}
