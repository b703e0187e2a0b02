//! Keeps what a part gives: sums over its rows, what was learned from them, or what was read of them.

use super::part::Part;
use super::sums::Sums;
use crate::learner::SumOfLosses;
use crate::model::{Fit, Predictor, Report};
use serde::{Deserialize, Serialize};

/// A part, after its rows are gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Held {
    /// Sums over the rows.
    Sums(Box<Part>),
    /// The model of the part.
    Model(Box<OfPart>),
    /// The cells that were read.
    Reads(Reads),
    /// Sums over features.
    Features(Box<Featured>),
    /// Losses of the models that are compared.
    Losses(Losses),
}

/// Sums of the losses of models on the rows of a part.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Losses {
    pub(super) rows: u64,
    pub(super) without_target: u64,
    pub(super) sums: Vec<SumOfLosses>,
}

/// Sums over features and outputs of the rows of a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Featured {
    pub(super) without_target: u64,
    pub(super) sums: Sums,
    /// Sum over the rows that the learner asks for beside.
    pub(super) size: f64,
    pub(super) report: Report,
}

/// Model of one part, in the units of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OfPart {
    /// Number of rows with a target.
    pub(super) rows: u64,
    pub(super) without_target: u64,
    pub(super) predictor: Predictor,
    pub(super) report: Report,
    /// Lower bound on the mean loss of any model on these rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) bound: Option<f64>,
}

/// Reads of the rows of a part, row after row, in scaled units.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reads {
    pub(super) without_target: u64,
    /// Number of cells of each row.
    pub(super) counts: Vec<u32>,
    /// Their slots, which increase in a row, and values; `None` is a read without a value.
    pub(super) slots: Vec<u32>,
    pub(super) values: Vec<Option<f64>>,
    /// The target of each row: a scaled number, or of more than two classes the number of its class.
    pub(super) targets: Vec<f64>,
}

impl OfPart {
    pub(super) fn fit(&self) -> Fit {
        Fit { predictor: self.predictor.clone(), report: self.report.clone() }
    }

    /// Refuses contents of a file that contradict each other.
    pub(super) fn check(&self) -> std::result::Result<(), &'static str> {
        match self.bound.is_none_or(f64::is_finite) {
            true => is_paid(&self.report),
            false => Err("its bound is not finite"),
        }
    }
}

/// Refuses a report without its price, which only models from before prices have.
fn is_paid(report: &Report) -> std::result::Result<(), &'static str> {
    match report.spent.is_finite() {
        true => Ok(()),
        false => Err("its report does not say what was spent"),
    }
}

impl Reads {
    /// Returns the cells of each row, and its target.
    pub(super) fn rows(&self) -> impl Iterator<Item = (Vec<(u32, f64)>, f64)> {
        let mut first = 0;
        self.counts.iter().zip(&self.targets).map(move |(count, target)| {
            let here = first..first + *count as usize;
            first = here.end;
            let values = self.values[here.clone()].iter().map(|value| value.unwrap_or(f64::NAN));
            (self.slots[here].iter().copied().zip(values).collect(), *target)
        })
    }

    fn bytes(&self) -> f64 {
        12.0 * self.counts.len() as f64 + 20.0 * self.slots.len() as f64
    }
}

impl Held {
    /// Number of rows with a target.
    pub(super) fn rows(&self) -> u64 {
        match self {
            Held::Sums(part) => part.sums.rows(),
            Held::Model(of) => of.rows,
            Held::Reads(reads) => reads.counts.len() as u64,
            Held::Features(of) => of.sums.rows(),
            Held::Losses(of) => of.rows,
        }
    }

    pub(super) fn without_target(&self) -> u64 {
        match self {
            Held::Sums(part) => part.without_target,
            Held::Model(of) => of.without_target,
            Held::Reads(reads) => reads.without_target,
            Held::Features(of) => of.without_target,
            Held::Losses(of) => of.without_target,
        }
    }

    /// Number of bytes, of a model of this many columns.
    pub(super) fn bytes(&self, columns: usize) -> f64 {
        match self {
            Held::Sums(part) => Sums::bytes(part.sums.width(), part.sums.has_holes()),
            Held::Model(of) => 16.0 * (columns * of.predictor.outputs()) as f64,
            Held::Reads(reads) => reads.bytes(),
            Held::Features(of) => Sums::bytes(of.sums.width(), of.sums.has_holes()),
            Held::Losses(of) => 16.0 * of.sums.len() as f64,
        }
    }

    /// Refuses contents of a file that contradict each other.
    pub(super) fn check(&self) -> std::result::Result<(), &'static str> {
        match self {
            Held::Sums(part) => part.check(),
            Held::Model(of) => of.check(),
            Held::Losses(of) => match of.sums.iter().all(|loss| loss.sum.is_finite()) {
                true => Ok(()),
                false => Err("a loss is not finite"),
            },
            Held::Features(of) => match of.size.is_finite() && !of.sums.has_holes() {
                true => is_paid(&of.report),
                false => Err("its features have missing values, or a size that is not finite"),
            },
            Held::Reads(reads) => {
                let cells: u64 = reads.counts.iter().map(|&count| u64::from(count)).sum();
                let lengths = [reads.slots.len(), reads.values.len()].map(|n| n as u64);
                if lengths != [cells; 2] || reads.targets.len() != reads.counts.len() {
                    return Err("its reads and its rows are not of one number");
                }
                Ok(())
            }
        }
    }
}
