//! Computes the hinge loss under the worst deletions for a row and for a table.

use super::{Adversary, Rows};
use halfseen_core::data::Threat;
use halfseen_solve::sum;
use std::array::from_fn;

/// Robust hinge loss of a threat and a margin (Dekel and Shamir 2008, equation (2)): max over J of
/// [gamma V(J) / P - y (b + sum_J w_j x_j)]_+, J the attributes left by deletions of value at most
/// N.
#[derive(Debug, Clone, Copy)]
pub struct RobustHinge<'t> {
    /// Costs and budget of the adversary.
    pub threat: &'t Threat,
    /// gamma.
    pub margin: f64,
}

/// Loss of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowLoss {
    /// The loss.
    pub loss: f64,
    /// True if the loss is above 0, so that its gradient is not 0.
    pub active: bool,
}

impl RowLoss {
    /// Returns the loss [excess]_+.
    pub(super) fn of(excess: f64) -> RowLoss {
        RowLoss { loss: excess.max(0.0), active: excess > 0.0 }
    }
}

/// Workspace of one thread.
#[derive(Debug, Clone)]
pub struct HingeScratch<'t> {
    /// Adversary; after a loss its shares are the deletions among `attributes`.
    pub adversary: Adversary<'t>,
    /// Attributes of the row that are not 0.
    pub attributes: Vec<u32>,
    /// Gain of deleting each of them.
    pub gains: Vec<f64>,
}

impl<'t> RobustHinge<'t> {
    /// Returns a workspace for one thread.
    pub fn scratch(&self) -> HingeScratch<'t> {
        HingeScratch {
            adversary: Adversary::new(self.threat),
            attributes: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// Returns gamma / P, the margin per unit of value.
    pub fn rate(&self) -> f64 {
        self.margin / self.threat.left()
    }

    /// Returns the relaxed loss of one row with sign y, for weights (n_slots) and bias.
    pub fn loss(
        &self,
        rows: &Rows,
        row: usize,
        y: f64,
        weights: &[f64],
        bias: f64,
        room: &mut HingeScratch<'t>,
    ) -> RowLoss {
        let before = self.before(rows, row, y, (weights, bias), room);
        RowLoss::of(before + room.adversary.relaxed(&room.attributes, &room.gains))
    }

    /// Returns the hinge excess of one row before deletions, negative if the margin is exceeded;
    /// `room` then holds the gains of deletions.
    pub fn before(
        &self,
        rows: &Rows,
        row: usize,
        y: f64,
        (weights, bias): (&[f64], f64),
        room: &mut HingeScratch<'t>,
    ) -> f64 {
        if let Some(values) = rows.whole(row) {
            let score = bias + self.whole(values, y, weights, room);
            return self.rate() * self.threat.total() - y * score;
        }
        let known = rows.contributions(row, weights, &mut room.attributes, &mut room.gains);
        let score = bias + known + sum(&room.gains);
        self.gains(y, room);
        self.rate() * self.threat.total() - y * score
    }

    /// Computes the gains of a row without zeros in one pass; returns its score, added up as by
    /// [`sum`].
    fn whole(&self, row: &[f64], y: f64, weights: &[f64], room: &mut HingeScratch<'t>) -> f64 {
        let (rate, values) = (self.rate(), self.threat.values());
        let HingeScratch { gains, attributes, .. } = room;
        if attributes.len() != row.len() {
            attributes.clear();
            attributes.extend(0..row.len() as u32);
        }
        gains.resize(row.len(), 0.0);
        let [row, weights, values] = [row, weights, values].map(|list| list.as_chunks::<8>());
        let gains = gains.as_chunks_mut::<8>();
        let mut sums = [0.0; 8];
        for (((x, w), v), gain) in row.0.iter().zip(weights.0).zip(values.0).zip(gains.0) {
            // Through arrays of its own, since only then are lanes computed at once.
            let parts: [f64; 8] = from_fn(|lane| w[lane] * x[lane]);
            sums = from_fn(|lane| sums[lane] + parts[lane]);
            *gain = from_fn(|lane| y * parts[lane] - rate * v[lane]);
        }
        let mut rest = 0.0;
        for (((x, w), v), gain) in row.1.iter().zip(weights.1).zip(values.1).zip(gains.1) {
            rest += w * x;
            *gain = y * (w * x) - rate * v;
        }
        sums.iter().sum::<f64>() + rest
    }

    /// Turns contributions to the score into gains of deletion.
    fn gains(&self, y: f64, room: &mut HingeScratch<'t>) {
        let (rate, values) = (self.rate(), self.threat.values());
        let HingeScratch { gains, attributes, .. } = room;
        for (gain, &attribute) in gains.iter_mut().zip(&*attributes) {
            *gain = y * *gain - rate * values[attribute as usize];
        }
    }

    /// Returns the weighted mean of the relaxed loss over all rows.
    pub fn mean(&self, rows: &Rows, signs: &[f64], weights: &[f64], bias: f64) -> f64 {
        let mut room = self.scratch();
        let mut loss =
            |i: usize| rows.weight(i) * self.loss(rows, i, signs[i], weights, bias, &mut room).loss;
        (0..rows.len()).map(&mut loss).sum::<f64>() / rows.total().max(f64::MIN_POSITIVE)
    }
}
