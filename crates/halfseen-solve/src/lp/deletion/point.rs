//! Stores a point of the interior-point method for some rows, or a direction: slacks and
//! multipliers.

use crate::interior::Pairs;

/// Items: beta with `del`, and beta - z + v mu with `u`; rows: the three pairs of a [`Row`].
pub(super) type Point = [Pairs; 5];

/// Slacks and multipliers of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row {
    /// Loss xi, with `zeta`.
    pub(super) xi: f64,
    /// Multiplier of xi >= 0.
    pub(super) zeta: f64,
    /// xi - gamma + y score - N mu - sum beta, with `sigma`.
    pub(super) slack: f64,
    /// Weight of the row in the dual.
    pub(super) sigma: f64,
    /// mu - gamma / P, with `kappa`.
    pub(super) price: f64,
    /// Multiplier of the price.
    pub(super) kappa: f64,
}

pub(super) fn zeros(items: usize, rows: usize) -> Point {
    [items, items, rows, rows, rows].map(Pairs::zeros)
}

impl Row {
    #[inline(always)]
    pub(super) fn of([.., loss, side, price]: &Point, row: usize) -> Row {
        let [(xi, zeta), (slack, sigma), (price, kappa)] =
            [loss, side, price].map(|pairs| (pairs.slack[row], pairs.multiplier[row]));
        Row { xi, zeta, slack, sigma, price, kappa }
    }

    /// Returns its slacks with their multipliers.
    #[inline(always)]
    pub(super) fn pairs(&self) -> [[f64; 2]; 3] {
        [[self.xi, self.zeta], [self.slack, self.sigma], [self.price, self.kappa]]
    }

    #[inline(always)]
    pub(super) fn write(&self, point: &mut Point, row: usize) {
        for (to, [slack, multiplier]) in point[2..].iter_mut().zip(self.pairs()) {
            (to.slack[row], to.multiplier[row]) = (slack, multiplier);
        }
    }
}
