//! Eliminates the rows of one part from the Newton system, and finds their share of its solution.
//!
//! Each item (an attribute of a row that is not 0) has slacks beta and s = beta - z + v mu, z = sum
//! a w, with multipliers del and u. Eliminating them leaves, with d = u / s and c = del / beta, g =
//! 1 / (d + c), f = d g, 1 - f = c g, h = d c g, a row with the unknowns sigma and mu:
//!
//!   S dsigma - rho dmu = R_s - p'dW,   rho dsigma + M dmu = R_m + q'dW,   p = sum (1 - f) a,  q = sum v h a
//!
//! and eliminating those adds sum h a a' - q q'/M + r r' to the matrix of the weights, r = (p -
//! (rho/M) q) / sqrt(S + rho^2/M).

use super::point::{Point, Reach, Row};
use super::problem::{Part, Problem};
use super::triangle::{self, Terms};

/// One part of the rows with its points and room to work in.
#[derive(Debug)]
pub(super) struct Worker<'p> {
    pub(super) part: &'p Part,
    /// Where the iteration is.
    pub(super) now: Point,
    /// Where it may go.
    pub(super) direction: Point,
    /// Right sides, then the direction made of them.
    pub(super) trial: Point,
    /// This part of the matrix.
    pub(super) triangle: Vec<f64>,
    /// This part of the right side, the bias last.
    pub(super) vector: Vec<f64>,
    pivots: Vec<Pivot>,
    pub(super) room: [Vec<f64>; 5],
}

/// The 2 x 2 system of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Pivot {
    s: f64,
    m: f64,
    rho: f64,
    determinant: f64,
}

/// What the elimination of an item leaves.
#[derive(Clone, Copy)]
struct Item {
    /// u / s.
    d: f64,
    /// del / beta.
    c: f64,
    g: f64,
}

impl Item {
    #[inline(always)]
    fn new(beta: f64, del: f64, slack: f64, u: f64) -> Item {
        let (d, c) = (u / slack, del / beta);
        Item { d, c, g: 1.0 / (d + c) }
    }

    /// 1 - f, without the cancellation.
    #[inline(always)]
    fn kept(self) -> f64 {
        self.c * self.g
    }

    #[inline(always)]
    fn h(self) -> f64 {
        self.d * (self.c * self.g)
    }
}

impl<'p> Worker<'p> {
    pub(super) fn new(part: &'p Part, width: usize) -> Worker<'p> {
        let (items, rows) = (part.values.len(), part.rows());
        let room = || vec![0.0; part.longest()];
        Worker {
            part,
            now: Point::zeros(items, rows),
            direction: Point::zeros(items, rows),
            trial: Point::zeros(items, rows),
            triangle: vec![0.0; triangle::size(width + 1)],
            vector: vec![0.0; width + 1],
            pivots: vec![Pivot::default(); rows],
            room: [room(), room(), room(), room(), room()],
        }
    }

    /// Sums this part of the matrix.
    pub(super) fn eliminate(&mut self, problem: &Problem) {
        let Worker {
            part, now, triangle, pivots, room: [kept, costs, blocks, plus, minus], ..
        } = self;
        triangle.fill(0.0);
        for (row, pivot) in pivots.iter_mut().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let values = &part.values[items.clone()];
            let (beta, del) = (&now.beta[items.clone()], &now.del[items.clone()]);
            let (slack, u) = (&now.slack[items.clone()], &now.u[items]);
            let at = &now.rows[row];
            let (mut s, mut rho) = (at.slack / at.sigma + at.xi / at.zeta, problem.budget);
            let free = at.kappa / at.price;
            let (mut m, mut largest) = (free, 0.0);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                let (v, h) = (values[k], item.h());
                kept[k] = item.kept();
                costs[k] = v * h;
                blocks[k] = h;
                s += item.g;
                rho -= v * (item.d * item.g);
                let square = v * costs[k];
                m += square;
                largest = if square > largest { square } else { largest };
            }
            // M - v^2 h of the largest term cancels where that is nearly all of M: it is summed
            // without it.
            let mut rest = Some(largest).filter(|&largest| largest > 0.5 * m);
            for k in 0..count {
                let square = values[k] * costs[k];
                let others = if rest == Some(square) {
                    rest = None;
                    free + (0..count).filter(|&o| o != k).map(|o| values[o] * costs[o]).sum::<f64>()
                } else {
                    m - square
                };
                blocks[k] *= others / m;
            }
            let (lean, up) = (rho / m, 1.0 / m.sqrt());
            let out = 1.0 / (s + rho * lean).sqrt();
            *pivot = Pivot { s, m, rho, determinant: s * m + rho * rho };
            let entries = part.entries(row);
            let cells = &part.cells[entries.clone()];
            let owners =
                if part.owners.is_empty() { &[][..] } else { &part.owners[entries.clone()] };
            if owners.is_empty() {
                for (k, a) in cells.iter().enumerate() {
                    plus[k] = a * (kept[k] - lean * costs[k]) * out;
                    minus[k] = a * costs[k] * up;
                }
            } else {
                for (e, (a, &owner)) in cells.iter().zip(owners).enumerate() {
                    let k = owner as usize;
                    let known = owner == crate::robust::KNOWN;
                    plus[e] = a * out * if known { 1.0 } else { kept[k] - lean * costs[k] };
                    minus[e] = if known { 0.0 } else { a * costs[k] * up };
                }
            }
            let terms = Terms {
                slots: &part.slots[entries],
                plus: &plus[..cells.len()],
                minus: &minus[..cells.len()],
                cells,
                owners,
                blocks: &blocks[..count],
                bias: if problem.bias { part.signs[row] * out } else { 0.0 },
            };
            triangle::add(triangle, problem.width + 1, &terms);
        }
    }

    /// Sums this part of the right side, for products that are to change by `target`(weight, s, z,
    /// ds, dz), the weight that of the row; with `residuals` the equations of the dual are to be
    /// met as well.
    pub(super) fn right_side(
        &mut self,
        problem: &Problem,
        residuals: bool,
        target: &impl Fn(f64, f64, f64, f64, f64) -> f64,
    ) {
        let Worker {
            part,
            now,
            direction,
            trial,
            vector,
            pivots,
            room: [numbers, kept, costs, ..],
            ..
        } = self;
        vector.fill(0.0);
        let mut bias = 0.0;
        let on = if residuals { 1.0 } else { 0.0 };
        for (row, pivot) in pivots.iter().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let values = &part.values[items.clone()];
            let (beta, del) = (&now.beta[items.clone()], &now.del[items.clone()]);
            let (slack, u) = (&now.slack[items.clone()], &now.u[items.clone()]);
            let (dbeta, ddel) = (&direction.beta[items.clone()], &direction.del[items.clone()]);
            let (dslack, du) = (&direction.slack[items.clone()], &direction.u[items.clone()]);
            let (e_out, r_out) = (&mut trial.u[items.clone()], &mut trial.del[items]);
            let (at, step, weight) = (&now.rows[row], &direction.rows[row], part.weights[row]);
            let (mut pull, mut weighed, mut spent) = (0.0, 0.0, 0.0);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                let e = target(weight, slack[k], u[k], dslack[k], du[k]) / slack[k];
                let out = target(weight, beta[k], del[k], dbeta[k], ddel[k]) / beta[k];
                let r = out - on * (at.sigma - u[k] - del[k]);
                (e_out[k], r_out[k]) = (e, out);
                let number = item.kept() * e - item.d * item.g * r;
                pull += item.g * (e + r);
                weighed += values[k] * number;
                spent += values[k] * u[k];
                numbers[k] = number + on * (u[k] - at.sigma);
                kept[k] = item.kept();
                costs[k] = values[k] * item.h();
            }
            let xi = target(weight, at.xi, at.zeta, step.xi, step.zeta);
            let loss = xi / at.xi - on * (weight - at.sigma - at.zeta);
            let side = target(weight, at.slack, at.sigma, step.slack, step.sigma);
            let price = target(weight, at.price, at.kappa, step.price, step.kappa);
            let rs = side / at.sigma + pull - loss * at.xi / at.zeta;
            let rm =
                price / at.price + weighed - on * (problem.budget * at.sigma - spent - at.kappa);
            let along = (pivot.m * rs + pivot.rho * rm) / pivot.determinant;
            let across = (pivot.s * rm - pivot.rho * rs) / pivot.determinant;
            trial.rows[row] = Row { xi: loss, zeta: xi, slack: side, sigma: rs, price, kappa: rm };
            for k in 0..count {
                numbers[k] = kept[k] * along + costs[k] * across - numbers[k];
            }
            let known = along + on * at.sigma;
            part.spread(row, &numbers[..count], known, vector);
            bias += part.signs[row] * known;
        }
        if problem.bias {
            vector[problem.width] = bias;
        }
    }

    /// Makes the direction of the right side and a step of the weights (the bias last), into
    /// `trial`. With `ADD` the step is a correction without residuals, and the direction is added
    /// to it.
    pub(super) fn substitute<const ADD: bool>(
        &mut self,
        problem: &Problem,
        weights: &[f64],
    ) -> Reach {
        let Worker { part, now, direction, trial, pivots, room: [ds, cs, gs, zs, _], .. } = self;
        let mut reach = Reach::default();
        for (row, pivot) in pivots.iter().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let known = part.gather(row, weights, &mut zs[..count]);
            let values = &part.values[items.clone()];
            let (beta, del) = (&now.beta[items.clone()], &now.del[items.clone()]);
            let (slack, u) = (&now.slack[items.clone()], &now.u[items.clone()]);
            let (mut p, mut q) = (known + part.signs[row] * weights[problem.width], 0.0);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                p += item.kept() * zs[k];
                q += values[k] * item.h() * zs[k];
                (ds[k], cs[k], gs[k]) = (item.d, item.c, item.g);
            }
            let (at, right) = (&now.rows[row], trial.rows[row]);
            let (a, b) = (right.sigma - p, right.kappa + q);
            let dsigma = (pivot.m * a + pivot.rho * b) / pivot.determinant;
            let dmu = (pivot.s * b - pivot.rho * a) / pivot.determinant;
            let dxi = (dsigma + right.xi) * at.xi / at.zeta;
            let mut step = Row {
                xi: dxi,
                zeta: (right.zeta - at.zeta * dxi) / at.xi,
                slack: (right.slack - at.slack * dsigma) / at.sigma,
                sigma: dsigma,
                price: dmu,
                kappa: (right.price - at.kappa * dmu) / at.price,
            };
            let old = &direction.rows[row];
            if ADD {
                step = step.plus(old);
            }
            reach.pair(at.xi, at.zeta, step.xi, step.zeta);
            reach.pair(at.slack, at.sigma, step.slack, step.sigma);
            reach.pair(at.price, at.kappa, step.price, step.kappa);
            trial.rows[row] = step;
            let (dbeta, ddel) = (&mut trial.beta[items.clone()], &mut trial.del[items.clone()]);
            let (dslack, du) = (&mut trial.slack[items.clone()], &mut trial.u[items.clone()]);
            let (old_beta, old_del) =
                (&direction.beta[items.clone()], &direction.del[items.clone()]);
            let (old_slack, old_u) = (&direction.slack[items.clone()], &direction.u[items]);
            let on = if ADD { 0.0 } else { 1.0 };
            for k in 0..count {
                let (d, c, g) = (ds[k], cs[k], gs[k]);
                let z = zs[k] - values[k] * dmu;
                let (e, out) = (du[k], ddel[k]);
                let r = out - on * (at.sigma - u[k] - del[k]);
                let t = g * (e + r - dsigma);
                let mut up = t + d * g * z;
                let mut left = t - c * g * z;
                let mut more = e - d * left;
                let mut less = out - c * up;
                if ADD {
                    up += old_beta[k];
                    left += old_slack[k];
                    more += old_u[k];
                    less += old_del[k];
                }
                reach.pair(beta[k], del[k], up, less);
                reach.pair(slack[k], u[k], left, more);
                (dbeta[k], ddel[k], dslack[k], du[k]) = (up, less, left, more);
            }
        }
        reach
    }

    /// Takes the trial for the direction.
    pub(super) fn accept(&mut self) {
        std::mem::swap(&mut self.direction, &mut self.trial);
    }
}
