//! Queries the adversary for each row's loss at a point, and returns affine pieces of the loss.

use super::super::{Adversary, RobustHinge, Rows};
use halfseen_core::data::Threat;
use halfseen_solve::lp::cuts::{List, Oracle, OracleAnswer};
use rayon::prelude::*;

/// Number of row groups with one adversary each; fixed, so that results do not depend on the number
/// of threads.
const CHUNKS: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss<'a> {
    Hinge {
        /// -1 or 1 for each row.
        signs: &'a [f64],
        hinge: RobustHinge<'a>,
    },
    /// max(q r, (q - 1) r) of r = target - b - <w, remaining x>: half the absolute loss at q = 0.5.
    Quantile {
        /// One target per row.
        targets: &'a [f64],
        /// In (0, 1).
        q: f64,
        threat: &'a Threat,
    },
}

impl<'a> Loss<'a> {
    pub(crate) fn threat(&self) -> &'a Threat {
        match self {
            Loss::Hinge { hinge, .. } => hinge.threat,
            Loss::Quantile { threat, .. } => threat,
        }
    }

    /// Returns the slopes e of a row and their number.
    #[inline]
    fn slopes(&self, row: usize) -> ([f64; 2], usize) {
        match self {
            Loss::Hinge { signs, .. } => ([signs[row], 0.0], 1),
            Loss::Quantile { q, .. } => ([*q, q - 1.0], 2),
        }
    }

    /// Returns k of a row without deletions.
    #[inline]
    fn constant(&self, row: usize, slope: f64) -> f64 {
        match self {
            Loss::Hinge { hinge, .. } => hinge.rate() * hinge.threat.total(),
            Loss::Quantile { targets, .. } => slope * targets[row],
        }
    }

    /// Returns the decrease of k per unit of deleted value.
    fn rate(&self) -> f64 {
        match self {
            Loss::Hinge { hinge, .. } => hinge.rate(),
            Loss::Quantile { .. } => 0.0,
        }
    }
}

/// Losses of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Task<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) loss: Loss<'a>,
    /// True if attributes are deleted whole, not in fractions.
    pub(crate) whole: bool,
    /// True with a bias.
    pub(crate) intercept: bool,
}

impl Oracle for Task<'_> {
    /// Returns every row's pieces without deletions.
    fn first(&self) -> List {
        let mut list = List::default();
        for i in 0..self.rows.len() {
            let (slopes, count) = self.loss.slopes(i);
            for (group, &slope) in slopes[..count].iter().enumerate() {
                list.push(i, group as u8, slope, self.loss.constant(i, slope));
            }
        }
        list
    }

    fn alone(&self) -> (f64, f64) {
        let Task { rows, loss, .. } = self;
        let m = rows.len();
        let mean = |bias: f64| {
            let row = |i: usize| {
                let (slopes, count) = loss.slopes(i);
                let pieces = slopes[..count].iter().map(|&e| loss.constant(i, e) - e * bias);
                rows.weight(i) * pieces.fold(0.0, f64::max)
            };
            (0..m).map(row).sum::<f64>() / rows.total()
        };
        let best = match loss {
            _ if !self.intercept => 0.0,
            Loss::Hinge { signs, .. } => {
                let sum: f64 = signs.iter().enumerate().map(|(i, y)| rows.weight(i) * y).sum();
                if sum == 0.0 { 0.0 } else { loss.constant(0, 1.0) * sum.signum() }
            }
            Loss::Quantile { targets, q, .. } => {
                // First target with more than a share q of the total weight up to it.
                let mut sorted: Vec<(f64, f64)> =
                    targets.iter().enumerate().map(|(i, y)| (*y, rows.weight(i))).collect();
                sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
                let (mut passed, wanted) = (0.0, q * rows.total());
                let first = sorted.iter().position(|(_, weight)| {
                    passed += weight;
                    passed > wanted
                });
                sorted[first.unwrap_or(m - 1)].0
            }
        };
        (best, mean(best))
    }

    fn ask(&self, weights: &[f64], bias: f64, levels: &[f64]) -> OracleAnswer {
        self.answer(weights, bias, levels).0
    }
}

impl Task<'_> {
    /// Computes the answer of [`Oracle::ask`] and the number of unproven rows; with these the sum
    /// is too small.
    pub(super) fn answer(
        &self,
        weights: &[f64],
        bias: f64,
        levels: &[f64],
    ) -> (OracleAnswer, usize) {
        let m = self.rows.len();
        let answers: Vec<Asked<'_>> = (0..CHUNKS)
            .into_par_iter()
            .map(|chunk| {
                let mut asked = Asked::new(self, weights, bias);
                let range = chunk * m / CHUNKS..(chunk + 1) * m / CHUNKS;
                range.for_each(|i| asked.row(i, levels[i]));
                asked
            })
            .collect();
        let sum = answers.iter().map(|a| a.sum).sum();
        let unproven = answers.iter().map(|a| a.unproven).sum();
        (OracleAnswer { sum, lists: answers.into_iter().map(|a| a.list).collect() }, unproven)
    }
}

/// Answers of one thread.
struct Asked<'q> {
    task: &'q Task<'q>,
    weights: &'q [f64],
    bias: f64,
    adversary: Adversary<'q>,
    attributes: Vec<u32>,
    sums: Vec<f64>,
    gains: Vec<f64>,
    sum: f64,
    unproven: usize,
    list: List,
}

impl<'q> Asked<'q> {
    fn new(task: &'q Task<'q>, weights: &'q [f64], bias: f64) -> Asked<'q> {
        let adversary = Adversary::new(task.loss.threat());
        let (attributes, sums, gains) = (Vec::new(), Vec::new(), Vec::new());
        let (sum, unproven, list) = (0.0, 0, List::default());
        Asked { task, weights, bias, adversary, attributes, sums, gains, sum, unproven, list }
    }

    /// Adds a row's loss and its pieces above `level`.
    fn row(&mut self, row: usize, level: f64) {
        let known =
            self.task.rows.contributions(row, self.weights, &mut self.attributes, &mut self.sums);
        let score = self.bias + known + self.sums.iter().sum::<f64>();
        let (rate, values) = (self.task.loss.rate(), self.task.loss.threat().values());
        let (slopes, count) = self.task.loss.slopes(row);
        let (mut worst, mut proven) = (0.0_f64, true);
        for (group, &slope) in slopes[..count].iter().enumerate() {
            self.gains.clear();
            let gain =
                |(&attribute, sum): (&u32, &f64)| slope * sum - rate * values[attribute as usize];
            self.gains.extend(self.attributes.iter().zip(&self.sums).map(gain));
            let damage = match self.task.whole {
                true => {
                    let worst = self.adversary.whole(&self.attributes, &self.gains);
                    proven &= worst.exact;
                    worst.gain
                }
                false => self.adversary.relaxed(&self.attributes, &self.gains),
            };
            let constant = self.task.loss.constant(row, slope);
            let value = constant - slope * score + damage;
            worst = worst.max(value);
            if value > level {
                self.write(row, group as u8, slope, constant);
            }
        }
        self.unproven += usize::from(!proven);
        self.sum += self.task.rows.weight(row) * worst;
    }

    /// Appends the piece of the adversary's last answer.
    fn write(&mut self, row: usize, group: u8, slope: f64, constant: f64) {
        let (rate, values) = (self.task.loss.rate(), self.task.loss.threat().values());
        let shares = self.adversary.shares();
        let deleted: f64 =
            self.attributes.iter().zip(shares).map(|(&j, share)| share * values[j as usize]).sum();
        self.list.push(row, group, slope, constant - rate * deleted);
        let (slots, entries) = self.task.rows.row(row);
        let mut at = 0;
        for (&slot, x) in slots.iter().zip(entries) {
            let attribute = self.task.rows.attribute()[slot as usize];
            while at < shares.len() && self.attributes[at] < attribute {
                at += 1;
            }
            if at < shares.len() && self.attributes[at] == attribute && shares[at] > 0.0 {
                self.list.remove(slot, shares[at] * x);
            }
        }
    }
}
