//! FAMILY 3: learners that prepare for attributes that vanish, or are corrupted, at prediction time.
//!
//! A [`Threat`] says what each attribute is worth and what the adversary may spend; an [`Adversary`] answers what deletions do
//! the most damage to a row. Learners, attacks and certificates all use that one answer.

mod adversary;
mod cuts;
mod frame;
mod hinge;
mod lp;
mod margin;
mod robust_lp;
mod rows;
#[cfg(test)]
mod textbook;
mod threat;
mod values;

pub use adversary::{Adversary, Worst};
pub use hinge::{RobustHinge, RowLoss, Scratch};
pub use robust_lp::RobustLp;
pub use rows::{KNOWN, Rows};
pub use threat::{Costs, Threat};
pub use values::information;

use crate::learner::Learner;

/// The learners of this family.
pub(crate) fn learners() -> Vec<Box<dyn Learner>> {
    vec![Box::new(RobustLp::default())]
}
