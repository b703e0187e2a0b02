//! Measures the hinge loss under the worst deletions, row by row and over a table.

use super::{Adversary, Rows};
use crate::data::Threat;
use halfseen_solve::sum;

/// The robust hinge loss of a threat and a margin (paper E, equation (2)): max over J of [gamma
/// V(J) / P - y (b + sum_J w_j x_j)]_+, J what is left after deletions of value at most N.
#[derive(Debug, Clone, Copy)]
pub struct RobustHinge<'t> {
    /// What may vanish.
    pub threat: &'t Threat,
    /// gamma.
    pub margin: f64,
}

/// The loss of one row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RowLoss {
    /// The loss.
    pub loss: f64,
    /// Whether it is above 0, so that it has a slope.
    pub active: bool,
}

impl RowLoss {
    /// [excess]_+.
    pub(super) fn of(excess: f64) -> RowLoss {
        RowLoss { loss: excess.max(0.0), active: excess > 0.0 }
    }
}

/// Room to work in.
#[derive(Debug, Clone)]
pub struct Scratch<'t> {
    /// The adversary; after a loss its shares are what is deleted of `attributes`.
    pub adversary: Adversary<'t>,
    /// The attributes of the row that are not 0.
    pub attributes: Vec<u32>,
    /// What deleting each of them gains.
    pub gains: Vec<f64>,
}

impl<'t> RobustHinge<'t> {
    /// Room for one thread.
    pub fn scratch(&self) -> Scratch<'t> {
        Scratch {
            adversary: Adversary::new(self.threat),
            attributes: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// gamma / P: the margin that one unit of value asks for.
    pub fn rate(&self) -> f64 {
        self.margin / self.threat.left()
    }

    /// The relaxed loss of one row with sign y, for weights (n_slots) and bias.
    pub fn loss(
        &self,
        rows: &Rows,
        row: usize,
        y: f64,
        weights: &[f64],
        bias: f64,
        room: &mut Scratch<'t>,
    ) -> RowLoss {
        let before = self.before(rows, row, y, (weights, bias), room);
        RowLoss::of(before + room.adversary.relaxed(&room.attributes, &room.gains))
    }

    /// What one row asks for with nothing deleted, below 0 where it has more; `room` then holds
    /// what deletions gain.
    pub(super) fn before(
        &self,
        rows: &Rows,
        row: usize,
        y: f64,
        (weights, bias): (&[f64], f64),
        room: &mut Scratch<'t>,
    ) -> f64 {
        let known = rows.contributions(row, weights, &mut room.attributes, &mut room.gains);
        let score = bias + known + sum(&room.gains);
        self.gains(y, room);
        self.rate() * self.threat.total() - y * score
    }

    /// Turns what attributes add to the score into what their deletion gains.
    fn gains(&self, y: f64, room: &mut Scratch<'t>) {
        let (rate, values) = (self.rate(), self.threat.values());
        let Scratch { gains, attributes, .. } = room;
        if attributes.len() == values.len() {
            gains.iter_mut().zip(values).for_each(|(gain, value)| *gain = y * *gain - rate * value);
            return;
        }
        for (gain, &attribute) in gains.iter_mut().zip(&*attributes) {
            *gain = y * *gain - rate * values[attribute as usize];
        }
    }

    /// The mean relaxed loss over all rows, each counted by its weight.
    pub fn mean(&self, rows: &Rows, signs: &[f64], weights: &[f64], bias: f64) -> f64 {
        let mut room = self.scratch();
        let mut loss =
            |i: usize| rows.weight(i) * self.loss(rows, i, signs[i], weights, bias, &mut room).loss;
        (0..rows.len()).map(&mut loss).sum::<f64>() / rows.total().max(f64::MIN_POSITIVE)
    }
}
