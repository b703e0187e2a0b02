//! Holds a point of the interior point for some rows, or a direction from one: slacks and their
//! multipliers.

/// Slacks and multipliers, each pair with a product that falls to 0.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// Per item: beta with `del`.
    pub(super) beta: Vec<f64>,
    /// Per item: the multiplier of beta >= 0.
    pub(super) del: Vec<f64>,
    /// Per item: beta - z + v mu with `u`.
    pub(super) slack: Vec<f64>,
    /// Per item: what is deleted, as a part of sigma.
    pub(super) u: Vec<f64>,
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
        let zeros = || vec![0.0; items];
        Point {
            beta: zeros(),
            del: zeros(),
            slack: zeros(),
            u: zeros(),
            rows: vec![Row::default(); rows],
        }
    }

    /// Goes along a direction, slacks and multipliers each by their own step.
    pub(super) fn advance(&mut self, direction: &Point, primal: f64, dual: f64) {
        let go = |x: &mut [f64], dx: &[f64], step: f64| {
            x.iter_mut().zip(dx).for_each(|(x, d)| *x += step * d)
        };
        go(&mut self.beta, &direction.beta, primal);
        go(&mut self.slack, &direction.slack, primal);
        go(&mut self.u, &direction.u, dual);
        go(&mut self.del, &direction.del, dual);
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
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let rows: f64 =
            self.rows.iter().map(|r| r.xi * r.zeta + r.slack * r.sigma + r.price * r.kappa).sum();
        dot(&self.beta, &self.del) + dot(&self.slack, &self.u) + rows
    }
}

/// How far a direction goes before a slack or a multiplier is 0, and what products it makes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reach {
    /// The largest -ds / s of slacks: 1 over the longest step.
    pub(super) primal: f64,
    /// The same of multipliers.
    pub(super) dual: f64,
    /// Sum of ds z.
    pub(super) slack: f64,
    /// Sum of s dz.
    pub(super) multiplier: f64,
    /// Sum of ds dz.
    pub(super) both: f64,
}

impl Reach {
    /// A slack s and multiplier z with their directions.
    #[inline(always)]
    pub(super) fn pair(&mut self, s: f64, z: f64, ds: f64, dz: f64) {
        // Not max, which is slower for its care of NaN; that shows in the sums.
        let (primal, dual) = (-ds / s, -dz / z);
        self.primal = if primal > self.primal { primal } else { self.primal };
        self.dual = if dual > self.dual { dual } else { self.dual };
        self.slack += ds * z;
        self.multiplier += s * dz;
        self.both += ds * dz;
    }

    /// Of two parts.
    pub(super) fn and(self, other: Reach) -> Reach {
        Reach {
            primal: self.primal.max(other.primal),
            dual: self.dual.max(other.dual),
            slack: self.slack + other.slack,
            multiplier: self.multiplier + other.multiplier,
            both: self.both + other.both,
        }
    }

    /// The longest steps, a little less than to the boundary, at most 1.
    pub(super) fn steps(&self, share: f64) -> Steps {
        let step = |ratio: f64| if ratio > share { share / ratio } else { 1.0 };
        Steps { primal: step(self.primal), dual: step(self.dual) }
    }
}

/// Step lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub(super) primal: f64,
    pub(super) dual: f64,
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
