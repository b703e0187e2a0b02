//! Computes a part's right sides of the Newton system, and its part of the solutions.

use super::point::Row;
use super::problem::Problem;
use super::worker::{Item, Worker};
use crate::interior::{Reach, Target, WideReach, hold, reach};
use crate::vectors::{add_multiple, dot, sum};
use crate::wide::{NullaryFnOnce, wide};

impl Worker<'_> {
    /// Sums this part of the right side towards the centre; `affine` are the affine direction's
    /// changes of the weights (the bias last).
    pub(super) fn centre(&mut self, problem: &Problem, mu: f64, affine: &[f64]) {
        let target = Target::Centre { mu };
        wide(RightSide { worker: self, problem, target, affine: Some(affine) });
    }

    /// Sums this part of the right side; corrections leave out the residuals.
    pub(super) fn right_side(&mut self, problem: &Problem, target: Target) {
        wide(RightSide { worker: self, problem, target, affine: None });
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
}

/// Writes the rows' own right sides in `trial` too. The second-order terms are those of
/// `direction`, or of the affine direction: it is computed row by row, and written nowhere.
struct RightSide<'w, 'p> {
    worker: &'w mut Worker<'p>,
    problem: &'w Problem,
    target: Target,
    affine: Option<&'w [f64]>,
}

impl NullaryFnOnce for RightSide<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let RightSide { worker, problem, target, affine } = self;
        let Worker { part, now, direction, trial, vector, pivots, room, .. } = worker;
        vector.fill(0.0);
        let mut bias = 0.0;
        let residual = if target.corrects() { 0.0 } else { 1.0 };
        for (row, pivot) in pivots.iter().enumerate() {
            let items = part.items(row);
            let count = items.len();
            let values = &part.values[items.clone()];
            let [(beta, del), (slack, u)] = [0, 1].map(|kind| now[kind].at(items.clone()));
            let (at, weight) = (Row::of(now, row), part.weights[row]);
            let [ds, cs, gs, kept, taken, costs, numbers, pulls, d_beta, d_del, d_slack, d_u] =
                room.each_mut().map(|room| &mut room[..count]);
            for k in 0..count {
                let item = Item::new(beta[k], del[k], slack[k], u[k]);
                (ds[k], cs[k], gs[k]) = (item.d, item.c, item.g);
                (kept[k], taken[k], costs[k]) =
                    (item.kept(), item.d * item.g, values[k] * item.h());
            }
            let mut changes = Row::of(direction, row);
            let mut by = [0, 1].map(|kind| direction[kind].at(items.clone()));
            if let Some(weights) = affine {
                let zs = &mut *numbers;
                let known = part.gather(row, weights, zs);
                let score = known + part.signs[row] * weights[weights.len() - 1];
                let (p, q) = (score + dot(kept, zs), dot(costs, zs));
                let (rs, rm) = pivot.affine(at, weight, sum(gs));
                let (d_sigma, d_mu) = pivot.solve(rs - p, rm + q);
                let d_xi = (d_sigma + at.sigma - weight) * at.xi / at.zeta;
                changes = Row {
                    xi: d_xi,
                    zeta: -at.zeta * (1.0 + d_xi / at.xi),
                    slack: -at.slack * (1.0 + d_sigma / at.sigma),
                    sigma: d_sigma,
                    price: d_mu,
                    kappa: -at.kappa * (1.0 + d_mu / at.price),
                };
                for k in 0..count {
                    let d_z = zs[k] - values[k] * d_mu;
                    let both = -gs[k] * (at.sigma + d_sigma);
                    (d_beta[k], d_slack[k]) = (both + taken[k] * d_z, both - kept[k] * d_z);
                    (d_del[k], d_u[k]) = (-del[k] - cs[k] * d_beta[k], -u[k] - ds[k] * d_slack[k]);
                }
                by = [(&*d_beta, &*d_del), (&*d_slack, &*d_u)];
            }
            let [of_beta, of_slack, ..] = &mut *trial;
            let (right_del, right_u) =
                (&mut of_beta.multiplier[items.clone()], &mut of_slack.multiplier[items]);
            hold(target, weight, (slack, u), by[1], right_u);
            hold(target, weight, (beta, del), by[0], right_del);
            for k in 0..count {
                let rest = right_del[k] - residual * (at.sigma - u[k] - del[k]);
                numbers[k] = kept[k] * right_u[k] - taken[k] * rest;
                pulls[k] = gs[k] * (right_u[k] + rest);
            }
            let (pull, weighed, spent) = (sum(pulls), dot(values, numbers), dot(values, u));
            let (pairs, changes) = (at.pairs(), changes.pairs());
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
            part,
            now,
            direction,
            trial,
            pivots,
            room: [ds, cs, gs, zs, kept, costs, ..],
            ..
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
