//! Asks the adversary what each row loses at a point, and writes the answer as affine pieces.

use super::super::{Adversary, RobustHinge, Rows};
use super::pieces::{List, Pieces};
use crate::data::Threat;
use rayon::prelude::*;

/// Groups of rows that one adversary answers for; fixed, so that no number of threads changes the
/// bits.
const CHUNKS: usize = 16;

/// What is minimised.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Loss<'a> {
    /// The robust hinge.
    Hinge {
        /// -1 or 1 for each row.
        signs: &'a [f64],
        /// The threat and the margin.
        hinge: RobustHinge<'a>,
    },
    /// max(q r, (q - 1) r) of r = target - b - <w, what is left>: half the absolute loss at q =
    /// 0.5.
    Quantile {
        /// One for each row.
        targets: &'a [f64],
        /// In (0, 1).
        q: f64,
        /// What may vanish.
        threat: &'a Threat,
    },
}

impl<'a> Loss<'a> {
    /// What may vanish.
    pub(crate) fn threat(&self) -> &'a Threat {
        match self {
            Loss::Hinge { hinge, .. } => hinge.threat,
            Loss::Quantile { threat, .. } => threat,
        }
    }

    /// The slopes e of a row, and how many there are.
    #[inline]
    fn slopes(&self, row: usize) -> ([f64; 2], usize) {
        match self {
            Loss::Hinge { signs, .. } => ([signs[row], 0.0], 1),
            Loss::Quantile { q, .. } => ([*q, q - 1.0], 2),
        }
    }

    /// How many slopes a row has at most.
    pub(super) fn most_slopes(&self) -> usize {
        match self {
            Loss::Hinge { .. } => 1,
            Loss::Quantile { .. } => 2,
        }
    }

    /// k of a row from which nothing is deleted.
    #[inline]
    fn constant(&self, row: usize, slope: f64) -> f64 {
        match self {
            Loss::Hinge { hinge, .. } => hinge.rate() * hinge.threat.total(),
            Loss::Quantile { targets, .. } => slope * targets[row],
        }
    }

    /// What k falls by for each unit of value that is deleted.
    fn rate(&self) -> f64 {
        match self {
            Loss::Hinge { hinge, .. } => hinge.rate(),
            Loss::Quantile { .. } => 0.0,
        }
    }

    /// Every row's pieces without deletions.
    pub(super) fn intact(&self, rows: usize) -> List {
        let mut list = List::default();
        for i in 0..rows {
            let (slopes, count) = self.slopes(i);
            for (group, &slope) in slopes[..count].iter().enumerate() {
                list.push(i, group as u8, slope, self.constant(i, slope));
            }
        }
        list
    }

    /// The best bias of weights that are all 0, and the mean loss there.
    pub(super) fn alone(&self, rows: &Rows, intercept: bool) -> (f64, f64) {
        let m = rows.len();
        let mean = |bias: f64| {
            let loss = |i: usize| {
                let (slopes, count) = self.slopes(i);
                rows.weight(i)
                    * slopes[..count]
                        .iter()
                        .map(|&e| self.constant(i, e) - e * bias)
                        .fold(0.0, f64::max)
            };
            (0..m).map(loss).sum::<f64>() / rows.total()
        };
        let best = match self {
            _ if !intercept => 0.0,
            Loss::Hinge { signs, .. } => {
                let sum: f64 = signs.iter().enumerate().map(|(i, y)| rows.weight(i) * y).sum();
                if sum == 0.0 { 0.0 } else { self.constant(0, 1.0) * sum.signum() }
            }
            Loss::Quantile { targets, q, .. } => {
                // The first target that more than a share q of the rows do not exceed.
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

    /// The sum of losses after the worst deletions, and the pieces that exceed what `pieces` say of
    /// their row by more than `margin`.
    pub(super) fn ask(
        &self,
        pieces: &Pieces<'_>,
        whole: bool,
        point: &[f64],
        margin: f64,
    ) -> Answer {
        let rows = pieces.rows;
        let (m, n) = (rows.len(), rows.width());
        let mut scores = vec![0.0; pieces.len()];
        pieces.scores(point, &mut scores);
        let bias = if pieces.intercept { point[n] } else { 0.0 };
        let answers: Vec<Asked<'_>> = (0..CHUNKS)
            .into_par_iter()
            .map(|chunk| {
                let mut asked = Asked::new(*self, rows, &point[..n], bias, whole);
                for i in chunk * m / CHUNKS..(chunk + 1) * m / CHUNKS {
                    let known = pieces
                        .of(i)
                        .map(|c| pieces.list.constant[c] - scores[c])
                        .fold(0.0, f64::max);
                    asked.row(i, known + margin);
                }
                asked
            })
            .collect();
        Answer {
            sum: answers.iter().map(|a| a.sum).sum(),
            unproven: answers.iter().map(|a| a.unproven).sum(),
            lists: answers.into_iter().map(|a| a.list).collect(),
        }
    }
}

/// What the adversary answers for all rows.
pub(super) struct Answer {
    /// The sum of losses; too small where some are not proven.
    pub(super) sum: f64,
    /// Rows whose worst deletions were not proven to be the worst.
    pub(super) unproven: usize,
    /// The pieces.
    pub(super) lists: Vec<List>,
}

/// One thread's answers.
struct Asked<'q> {
    loss: Loss<'q>,
    rows: &'q Rows,
    weights: &'q [f64],
    bias: f64,
    whole: bool,
    adversary: Adversary<'q>,
    attributes: Vec<u32>,
    sums: Vec<f64>,
    gains: Vec<f64>,
    sum: f64,
    unproven: usize,
    list: List,
}

impl<'q> Asked<'q> {
    fn new(
        loss: Loss<'q>,
        rows: &'q Rows,
        weights: &'q [f64],
        bias: f64,
        whole: bool,
    ) -> Asked<'q> {
        let adversary = Adversary::new(loss.threat());
        let (attributes, sums, gains) = (Vec::new(), Vec::new(), Vec::new());
        let (sum, unproven, list) = (0.0, 0, List::default());
        Asked {
            loss,
            rows,
            weights,
            bias,
            whole,
            adversary,
            attributes,
            sums,
            gains,
            sum,
            unproven,
            list,
        }
    }

    /// Adds a row's loss, and its pieces above `level`.
    fn row(&mut self, row: usize, level: f64) {
        let known =
            self.rows.contributions(row, self.weights, &mut self.attributes, &mut self.sums);
        let score = self.bias + known + self.sums.iter().sum::<f64>();
        let (rate, values) = (self.loss.rate(), self.loss.threat().values());
        let (slopes, count) = self.loss.slopes(row);
        let (mut worst, mut proven) = (0.0_f64, true);
        for (group, &slope) in slopes[..count].iter().enumerate() {
            self.gains.clear();
            let gain =
                |(&attribute, sum): (&u32, &f64)| slope * sum - rate * values[attribute as usize];
            self.gains.extend(self.attributes.iter().zip(&self.sums).map(gain));
            let damage = match self.whole {
                true => {
                    let found = self.adversary.whole(&self.attributes, &self.gains);
                    proven &= found.exact;
                    found.gain
                }
                false => self.adversary.relaxed(&self.attributes, &self.gains),
            };
            let constant = self.loss.constant(row, slope);
            let value = constant - slope * score + damage;
            worst = worst.max(value);
            if value > level {
                self.write(row, group as u8, slope, constant);
            }
        }
        self.unproven += usize::from(!proven);
        self.sum += self.rows.weight(row) * worst;
    }

    /// The piece of the adversary's last answer.
    fn write(&mut self, row: usize, group: u8, slope: f64, constant: f64) {
        let (rate, values) = (self.loss.rate(), self.loss.threat().values());
        let shares = self.adversary.shares();
        let deleted: f64 =
            self.attributes.iter().zip(shares).map(|(&j, share)| share * values[j as usize]).sum();
        self.list.push(row, group, slope, constant - rate * deleted);
        let (slots, entries) = self.rows.row(row);
        let mut at = 0;
        for (&slot, x) in slots.iter().zip(entries) {
            let attribute = self.rows.attribute()[slot as usize];
            while at < shares.len() && self.attributes[at] < attribute {
                at += 1;
            }
            if at < shares.len() && self.attributes[at] == attribute && shares[at] > 0.0 {
                self.list.remove(slot, shares[at] * x);
            }
        }
    }
}
