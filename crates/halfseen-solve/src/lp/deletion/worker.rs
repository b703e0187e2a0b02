//! Eliminates the rows of one part from the Newton system, and computes their part of its solution.
//!
//! Each item (a nonzero attribute of a row) has slacks beta and s = beta - z + v mu, z = sum a w,
//! with multipliers del and u. With d = u / s, c = del / beta, g = 1 / (d + c), f = d g, 1 - f = c
//! g and h = d c g, eliminating them leaves a row with the unknowns sigma and mu:
//!
//!   S dsigma - rho dmu = R_s - p'dW,   p = sum (1 - f) a,
//!   rho dsigma + M dmu = R_m + q'dW,   q = sum v h a.
//!
//! Eliminating these adds sum h a a' - q q'/M + r r' to the matrix of the weights, r = (p - (rho/M)
//! q) / sqrt(S + rho^2/M).

use super::KNOWN;
use super::batch::Batch;
use super::point::{Point, Row, zeros};
use super::problem::{Part, Problem};
use super::triangle::{self, BATCH};
use crate::interior::{Reach, Target, WideReach, hold, reach};
use crate::monitor::{Monitor, Watch};
use crate::vectors::{add_multiple, dot, sum};
use crate::wide::{NullaryFnOnce, wide};

/// One part of the rows with its points and workspace.
#[derive(Debug)]
pub(super) struct Worker<'p> {
    pub(super) part: &'p Part,
    /// Present point.
    pub(super) now: Point,
    /// Direction of the next step.
    pub(super) direction: Point,
    /// Right sides, then the tentative direction.
    pub(super) trial: Point,
    /// This part's contribution to the matrix.
    pub(super) triangle: Vec<f64>,
    /// This part's contribution to the right side, the bias last.
    pub(super) vector: Vec<f64>,
    pivots: Vec<Pivot>,
    batch: Batch,
    pub(super) room: [Vec<f64>; 6],
}

/// 2 x 2 system of a row.
#[derive(Debug, Clone, Copy, Default)]
struct Pivot {
    s: f64,
    m: f64,
    rho: f64,
    determinant: f64,
}

impl Pivot {
    /// Returns sigma and mu for right sides R_s and R_m.
    #[inline(always)]
    fn solve(&self, rs: f64, rm: f64) -> (f64, f64) {
        let sigma = (self.m * rs + self.rho * rm) / self.determinant;
        (sigma, (self.s * rm - self.rho * rs) / self.determinant)
    }
}

/// Result of eliminating an item.
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

    /// Returns 1 - f, without cancellation.
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
            now: zeros(items, rows),
            direction: zeros(items, rows),
            trial: zeros(items, rows),
            triangle: vec![0.0; triangle::size(width + 1)],
            vector: vec![0.0; width + 1],
            pivots: vec![Pivot::default(); rows],
            batch: Batch::new(part),
            room: [room(), room(), room(), room(), room(), room()],
        }
    }

    /// Sums this part of the matrix, until the monitor asks to stop.
    pub(super) fn eliminate(&mut self, problem: &Problem, monitor: &dyn Monitor) {
        wide(Eliminate { worker: self, problem, monitor });
    }

    /// Sums this part of the right side; corrections leave out the dual residuals.
    pub(super) fn right_side(&mut self, problem: &Problem, target: Target) {
        wide(RightSide { worker: self, problem, target });
    }

    /// Computes the direction of the right side and a change of the weights (the bias last), into
    /// `trial`. A correction is added to the previous direction.
    pub(super) fn substitute(&mut self, target: Target, weights: &[f64]) -> Reach {
        let items = wide(Substitute { worker: self, target, weights });
        let rows = 2..;
        if target.corrects() {
            let directions = self.trial[rows.clone()].iter_mut().zip(&self.direction[rows.clone()]);
            directions.for_each(|(trial, last)| trial.add(last));
        }
        items.and(reach(&self.now[rows.clone()], &self.trial[rows]))
    }

    pub(super) fn accept(&mut self) {
        std::mem::swap(&mut self.direction, &mut self.trial);
    }
}

struct Eliminate<'w, 'p> {
    worker: &'w mut Worker<'p>,
    problem: &'w Problem,
    monitor: &'w dyn Monitor,
}

impl NullaryFnOnce for Eliminate<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Eliminate { worker, problem, monitor } = self;
        let Worker {
            part, now, triangle, pivots, batch, room: [kept, costs, gs, taken, ..], ..
        } = worker;
        triangle.fill(0.0);
        let mut watch = Watch::new(monitor);
        for first in (0..part.rows()).step_by(BATCH) {
            let rows = first..(first + BATCH).min(part.rows());
            let (at, of) = (part.starts[first], part.items[first]);
            for row in rows.clone() {
                let items = part.items(row);
                let count = items.len();
                if watch.stops_after(4 * count * count) {
                    return;
                }
                let values = &part.values[items.clone()];
                let blocks = &mut batch.blocks[items.start - of..][..count];
                let ((beta, del), (slack, u)) = (now[0].at(items.clone()), now[1].at(items));
                let point = Row::of(now, row);
                let [kept, costs, gs, taken] =
                    [&mut *kept, costs, gs, taken].map(|room| &mut room[..count]);
                for k in 0..count {
                    let item = Item::new(beta[k], del[k], slack[k], u[k]);
                    kept[k] = item.kept();
                    costs[k] = values[k] * item.h();
                    blocks[k] = item.h();
                    (gs[k], taken[k]) = (item.g, item.d * item.g);
                }
                let free = point.kappa / point.price;
                let s = point.slack / point.sigma + point.xi / point.zeta + sum(gs);
                let rho = problem.budget - dot(values, taken);
                let m = free + dot(values, costs);
                let squares = values.iter().zip(&*costs).map(|(v, cost)| v * cost);
                let largest =
                    squares.fold(0.0, |most, square| if square > most { square } else { most });
                // M - v^2 h cancels for a term that is nearly all of M: the others are then summed
                // without it.
                let mut rest = Some(largest).filter(|&largest| largest > 0.5 * m);
                for k in 0..count {
                    let square = values[k] * costs[k];
                    let others = if rest == Some(square) {
                        rest = None;
                        let others = (0..count).filter(|&o| o != k);
                        free + others.map(|o| values[o] * costs[o]).sum::<f64>()
                    } else {
                        m - square
                    };
                    blocks[k] *= others / m;
                }
                let (lean, root) = (rho / m, 1.0 / m.sqrt());
                let scale = 1.0 / (s + rho * lean).sqrt();
                pivots[row] = Pivot { s, m, rho, determinant: s * m + rho * rho };
                batch.bias[row - first] = if problem.bias { part.signs[row] * scale } else { 0.0 };
                let entries = part.entries(row);
                let cells = &part.cells[entries.clone()];
                let [plus, minus] = [&mut batch.plus, &mut batch.minus]
                    .map(|list| &mut list[entries.start - at..][..cells.len()]);
                if part.owners.is_empty() {
                    for (k, a) in cells.iter().enumerate() {
                        plus[k] = a * (kept[k] - lean * costs[k]) * scale;
                        minus[k] = a * costs[k] * root;
                    }
                } else {
                    let owners = &part.owners[entries];
                    for (e, (a, &owner)) in cells.iter().zip(owners).enumerate() {
                        let k = owner as usize;
                        let known = owner == KNOWN;
                        plus[e] = a * scale * if known { 1.0 } else { kept[k] - lean * costs[k] };
                        minus[e] = if known { 0.0 } else { a * costs[k] * root };
                    }
                }
            }
            let terms = batch.terms(part, rows.clone());
            triangle::add(triangle, problem.width + 1, &terms[..rows.len()]);
        }
    }
}

struct RightSide<'w, 'p> {
    worker: &'w mut Worker<'p>,
    problem: &'w Problem,
    target: Target,
}

impl NullaryFnOnce for RightSide<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let RightSide { worker, problem, target } = self;
        let Worker {
            part,
            now,
            direction,
            trial,
            vector,
            pivots,
            room: [numbers, kept, costs, pulls, ..],
            ..
        } = worker;
        vector.fill(0.0);
        let mut bias = 0.0;
        let residual = if target.corrects() { 0.0 } else { 1.0 };
        for (row, pivot) in pivots.iter().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let values = &part.values[items.clone()];
            let [(beta, del), (slack, u)] = [0, 1].map(|kind| now[kind].at(items.clone()));
            let [(d_beta, d_del), (d_slack, d_u)] =
                [0, 1].map(|kind| direction[kind].at(items.clone()));
            let [of_beta, of_slack, ..] = &mut *trial;
            let (right_del, right_u) =
                (&mut of_beta.multiplier[items.clone()], &mut of_slack.multiplier[items]);
            let (at, weight) = (Row::of(now, row), part.weights[row]);
            hold(target, weight, (slack, u), (d_slack, d_u), right_u);
            hold(target, weight, (beta, del), (d_beta, d_del), right_del);
            let [numbers, kept, costs, pulls] =
                [&mut *numbers, kept, costs, pulls].map(|room| &mut room[..count]);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                let rest = right_del[k] - residual * (at.sigma - u[k] - del[k]);
                numbers[k] = item.kept() * right_u[k] - item.d * item.g * rest;
                pulls[k] = item.g * (right_u[k] + rest);
                kept[k] = item.kept();
                costs[k] = values[k] * item.h();
            }
            let (pull, weighed, spent) = (sum(pulls), dot(values, numbers), dot(values, u));
            let (pairs, changes) = (at.pairs(), Row::of(direction, row).pairs());
            let [xi, side, price] =
                [0, 1, 2].map(|kind| target.change(weight, pairs[kind], changes[kind]));
            let loss = xi / at.xi - residual * (weight - at.sigma - at.zeta);
            let unspent = problem.budget * at.sigma - spent - at.kappa;
            let rs = side / at.sigma + pull - loss * at.xi / at.zeta;
            let rm = price / at.price + weighed - residual * unspent;
            let (along, across) = pivot.solve(rs, rm);
            let right = Row { xi: loss, zeta: xi, slack: side, sigma: rs, price, kappa: rm };
            right.write(trial, row);
            for k in 0..count {
                let number = numbers[k] + residual * (u[k] - at.sigma);
                numbers[k] = kept[k] * along + costs[k] * across - number;
            }
            let known = along + residual * at.sigma;
            part.spread(row, numbers, known, vector);
            bias += part.signs[row] * known;
        }
        if problem.bias {
            vector[problem.width] = bias;
        }
    }
}

struct Substitute<'w, 'p> {
    worker: &'w mut Worker<'p>,
    target: Target,
    weights: &'w [f64],
}

impl NullaryFnOnce for Substitute<'_, '_> {
    type Output = Reach;

    #[inline(always)]
    fn call(self) -> Reach {
        let Substitute { worker, target, weights } = self;
        let Worker {
            part, now, direction, trial, pivots, room: [ds, cs, gs, zs, kept, costs], ..
        } = worker;
        let residual = if target.corrects() { 0.0 } else { 1.0 };
        let mut reach = WideReach::default();
        for (row, pivot) in pivots.iter().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let zs = &mut zs[..count];
            let known = part.gather(row, weights, zs);
            let values = &part.values[items.clone()];
            let [(beta, del), (slack, u)] = [0, 1].map(|kind| now[kind].at(items.clone()));
            let bias = part.signs[row] * weights[weights.len() - 1];
            let [ds, cs, gs, kept, costs] =
                [&mut *ds, cs, gs, kept, costs].map(|room| &mut room[..count]);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                (kept[k], costs[k]) = (item.kept(), values[k] * item.h());
                (ds[k], cs[k], gs[k]) = (item.d, item.c, item.g);
            }
            let (p, q) = (known + bias + dot(kept, zs), dot(costs, zs));
            let (at, right) = (Row::of(now, row), Row::of(trial, row));
            let (d_sigma, d_mu) = pivot.solve(right.sigma - p, right.kappa + q);
            let d_xi = (d_sigma + right.xi) * at.xi / at.zeta;
            let step = Row {
                xi: d_xi,
                zeta: (right.zeta - at.zeta * d_xi) / at.xi,
                slack: (right.slack - at.slack * d_sigma) / at.sigma,
                sigma: d_sigma,
                price: d_mu,
                kappa: (right.price - at.kappa * d_mu) / at.price,
            };
            step.write(trial, row);
            let [of_beta, of_slack, ..] = &mut *trial;
            let (to_beta, to_del) = of_beta.at_mut(items.clone());
            let (to_slack, to_u) = of_slack.at_mut(items.clone());
            for k in 0..count {
                let (d, c, g) = (ds[k], cs[k], gs[k]);
                let d_z = zs[k] - values[k] * d_mu;
                let (for_u, for_del) = (to_u[k], to_del[k]);
                let rest = for_del - residual * (at.sigma - u[k] - del[k]);
                let both = g * (for_u + rest - d_sigma);
                let (d_beta, d_slack) = (both + d * g * d_z, both - c * g * d_z);
                (to_beta[k], to_del[k]) = (d_beta, for_del - c * d_beta);
                (to_slack[k], to_u[k]) = (d_slack, for_u - d * d_slack);
            }
            // While the row is in the cache.
            let [of_beta, of_slack] = [0, 1].map(|kind| direction[kind].at(items.clone()));
            if target.corrects() {
                let lists = [of_beta.0, of_beta.1, of_slack.0, of_slack.1];
                for (to, last) in [&mut *to_beta, to_del, to_slack, to_u].into_iter().zip(lists) {
                    add_multiple(to, 1.0, last);
                }
            }
            reach.pairs((beta, del), (to_beta, to_del));
            reach.pairs((slack, u), (to_slack, to_u));
        }
        reach.total()
    }
}
