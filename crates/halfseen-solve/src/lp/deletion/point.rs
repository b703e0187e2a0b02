//! Holds a point of the interior point for some rows, or a direction from one: slacks and their
//! multipliers.

use crate::interior::{Pairs, Steps, advance, products};

/// Slacks and multipliers, each pair with a product that falls to 0.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Per item: beta with `del`, and beta - z + v mu with `u`.
    pub(super) items: [Pairs; 2],
    /// Per row, the numbers that go in pairs.
    pub(super) rows: Vec<Row>,
}

/// Slacks and multipliers of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Row {
    /// The loss xi, with `zeta`.
    pub(super) xi: f64,
    /// The multiplier of xi >= 0.
    pub(super) zeta: f64,
    /// xi - gamma + y score - N mu - sum beta, with `sigma`.
    pub(super) slack: f64,
    /// The weight of the row in the dual.
    pub(super) sigma: f64,
    /// mu - gamma / P, with `kappa`.
    pub(super) price: f64,
    /// The multiplier of the price.
    pub(super) kappa: f64,
}

impl Point {
    pub(super) fn zeros(items: usize, rows: usize) -> Point {
        let items = [Pairs::zeros(items), Pairs::zeros(items)];
        Point { items, rows: vec![Row::default(); rows] }
    }

    /// Goes along a direction.
    pub(super) fn advance(&mut self, direction: &Point, steps: Steps) {
        advance(&mut self.items, &direction.items, steps);
        let Steps { primal, dual } = steps;
        for (row, d) in self.rows.iter_mut().zip(&direction.rows) {
            row.xi += primal * d.xi;
            row.slack += primal * d.slack;
            row.price += primal * d.price;
            row.zeta += dual * d.zeta;
            row.sigma += dual * d.sigma;
            row.kappa += dual * d.kappa;
        }
    }

    /// The sum of all products.
    pub(super) fn products(&self) -> f64 {
        let rows: f64 =
            self.rows.iter().map(|r| r.xi * r.zeta + r.slack * r.sigma + r.price * r.kappa).sum();
        products(&self.items) + rows
    }
}

impl Row {
    /// The sum.
    pub(super) fn plus(self, other: &Row) -> Row {
        Row {
            xi: self.xi + other.xi,
            zeta: self.zeta + other.zeta,
            slack: self.slack + other.slack,
            sigma: self.sigma + other.sigma,
            price: self.price + other.price,
            kappa: self.kappa + other.kappa,
        }
    }
}
