//! Differentiates the losses of the online algorithm by the scores.

use faer::Mat;
use halfseen_core::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Largest absolute target that the computation supports.
const LARGEST: f64 = 1e100;

/// Loss of one example, as in Hazan, Livni and Mansour 2015.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnlineLoss {
    /// Sum over the outputs of (z - y)^2 / 2. Not Lipschitz: no regret bound, and shorter steps.
    Squared,
    /// Sum over the outputs of [1 - y z]_+ for y = -1 or +1; 1-Lipschitz in each.
    Hinge,
    /// max over r of [r is not y] + z_r - z_y, for a class y (Crammer and Singer 2001).
    CrammerSinger,
}

/// Target of one example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Outcome<'a> {
    /// One number per output; -1 or +1 for the hinge loss.
    Numbers(&'a [f64]),
    /// The index of a class.
    Class(usize),
}

/// Targets of n rows.
#[derive(Debug, Clone)]
pub enum Outcomes {
    /// One number per row and output, (outputs, n): one matrix column per row.
    Numbers(Mat<f64>),
    /// The class of each row, (n).
    Classes(Vec<u32>),
}

impl Outcomes {
    /// Returns the target of one row.
    pub fn of(&self, row: usize) -> Outcome<'_> {
        match self {
            Outcomes::Numbers(numbers) => Outcome::Numbers(numbers.col_as_slice(row)),
            Outcomes::Classes(codes) => Outcome::Class(codes[row] as usize),
        }
    }
}

impl OnlineLoss {
    /// Rejects a number of outputs that the loss does not support.
    pub(super) fn check_outputs(self, outputs: usize) -> Result<()> {
        let least = if self == OnlineLoss::CrammerSinger { 2 } else { 1 };
        if outputs >= least {
            return Ok(());
        }
        let allowed = format!("at least {least} for this loss");
        Err(ErrorKind::OutOfRange { name: "outputs", value: outputs.to_string(), allowed }.into())
    }

    /// Rejects a target that the loss does not support.
    pub(super) fn check(self, target: Outcome<'_>, outputs: usize) -> Result<()> {
        let wrong = |problem: String| {
            Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into())
        };
        match (self, target) {
            (OnlineLoss::CrammerSinger, Outcome::Class(class)) if class < outputs => Ok(()),
            (OnlineLoss::CrammerSinger, Outcome::Class(class)) => {
                wrong(format!("class {class} does not exist: there are {outputs}, from 0"))
            }
            (OnlineLoss::CrammerSinger, Outcome::Numbers(_)) => {
                wrong("this loss needs classes, not numbers".into())
            }
            (_, Outcome::Class(_)) => {
                wrong("this loss needs numbers, one per output, not a class".into())
            }
            (_, Outcome::Numbers(numbers)) if numbers.len() != outputs => {
                let what = "the target's numbers, one per output".to_owned();
                Err(ErrorKind::WrongLength { what, expected: outputs, found: numbers.len() }.into())
            }
            (OnlineLoss::Hinge, Outcome::Numbers(numbers)) => {
                match numbers.iter().find(|y| y.abs() != 1.0) {
                    Some(y) => wrong(format!("the hinge loss needs -1 or +1, got {y}")),
                    None => Ok(()),
                }
            }
            (OnlineLoss::Squared, Outcome::Numbers(numbers)) => {
                match numbers.iter().find(|y| !(0.0..=LARGEST).contains(&y.abs())) {
                    Some(y) => wrong(format!("{y} is not between -1e100 and 1e100")),
                    None => Ok(()),
                }
            }
        }
    }

    /// Writes the derivative by each score to `slopes` and returns the loss. The target must have
    /// been checked.
    pub(super) fn derive(self, scores: &[f64], target: Outcome<'_>, slopes: &mut [f64]) -> f64 {
        slopes.fill(0.0);
        match target {
            Outcome::Numbers(numbers) => {
                let mut loss = 0.0;
                for ((slope, z), y) in slopes.iter_mut().zip(scores).zip(numbers) {
                    let (value, derivative) = match self {
                        OnlineLoss::Squared => (0.5 * (z - y) * (z - y), z - y),
                        _ if y * z < 1.0 => (1.0 - y * z, -y),
                        _ => (0.0, 0.0),
                    };
                    loss += value;
                    *slope = derivative;
                }
                loss
            }
            Outcome::Class(class) => {
                // Ties go to the first; the class itself wins only if no other exceeds it.
                let (mut worst, mut most) = (class, 0.0);
                for (r, z) in scores.iter().enumerate() {
                    let excess = 1.0 + z - scores[class];
                    if r != class && excess > most {
                        (worst, most) = (r, excess);
                    }
                }
                if worst != class {
                    slopes[worst] = 1.0;
                    slopes[class] = -1.0;
                }
                most
            }
        }
    }
}
