//! Follows the central path of the linear program over pieces in a box.
//!
//! **Problem**: minimise sum_i s_i xi_i over |w_j| <= C, b and xi >= 0 with s_c = xi_i + e_c
//! (<x_i - r_c, w> + b) - k_c >= 0 for all pieces c of row i. Its dual has sigma_c >= 0 with
//! zeta_i = s_i - sum_c sigma_c >= 0, and sum_c sigma_c e_c = 0 if b is free.
//!
//! **Steps** are Mehrotra's predictor and corrector (SIAM J. Optim. 2, 1992) for the pairs (s,
//! sigma), (xi, zeta) and (C - w, p), (C + w, q). Losses and slacks are eliminated, which leaves
//! one equation for each weight.
//!
//! **Guarantee**: any sigma, made feasible, bounds the optimum from below by sum_c sigma_c k_c -
//! C |sum_c sigma_c a_c|_1.

use super::pieces::Pieces;
use super::system::System;
use halfseen_solve::Monitor;

/// Steps go this share of the way to the nearest bound.
const SHARE: f64 = 0.995;
/// Steps without progress after which the method gives up.
const PATIENCE: u32 = 6;
/// A point to start from is moved inside the box by at most this share of the radius.
const INSIDE: f64 = 0.02;

/// A point with all slacks and multipliers above 0.
#[derive(Debug, Clone)]
pub(super) struct Master<'p, 'a> {
    pieces: &'p Pieces<'a>,
    radius: f64,
    /// w, then b where there is one.
    point: Vec<f64>,
    xi: Vec<f64>,
    zeta: Vec<f64>,
    slack: Vec<f64>,
    sigma: Vec<f64>,
    /// C - w and C + w, kept apart: near a bound the differences have no digits.
    above: Vec<f64>,
    below: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    /// Of the present point: scores, and what the equations lack.
    scores: Vec<f64>,
    lack: Lack,
}

/// Residuals.
#[derive(Debug, Clone, Default)]
struct Lack {
    slack: Vec<f64>,
    zeta: Vec<f64>,
    point: Vec<f64>,
    above: Vec<f64>,
    below: Vec<f64>,
}

/// Changes of a point, or what the products of pairs should become.
#[derive(Debug, Clone, Default)]
struct Change {
    point: Vec<f64>,
    xi: Vec<f64>,
    zeta: Vec<f64>,
    slack: Vec<f64>,
    sigma: Vec<f64>,
    above: Vec<f64>,
    below: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
}

/// What the method found.
#[derive(Debug, Clone)]
pub(super) struct Found {
    /// Inside the box.
    pub(super) point: Vec<f64>,
    pub(super) sigma: Vec<f64>,
    /// sum_i s_i xi_i at the point.
    pub(super) value: f64,
    /// No point has less.
    pub(super) bound: f64,
    pub(super) steps: u64,
}

impl<'p, 'a> Master<'p, 'a> {
    /// Near a point, centred for mu but for the equations of the point itself: the loss of each row
    /// and its multipliers are those of the central path, at which all products of pairs are mu.
    /// `slope`, sum_c sigma_c a_c from before, says how near a bound weights may be.
    pub(super) fn new(
        pieces: &'p Pieces<'a>,
        radius: f64,
        mut point: Vec<f64>,
        mu: f64,
        slope: &[f64],
    ) -> Master<'p, 'a> {
        let (m, n) = (pieces.rows.len(), pieces.rows.width());
        for (w, slope) in point[..n].iter_mut().zip(slope) {
            let most = radius - (INSIDE * radius).min(mu / slope.abs());
            *w = w.clamp(-most, most);
        }
        let mut scores = vec![0.0; pieces.len()];
        pieces.scores(&point, &mut scores);
        let mut slack: Vec<f64> =
            scores.iter().zip(&pieces.list.constant).map(|(z, k)| z - k).collect();
        let mut xi = Vec::with_capacity(m);
        for i in 0..m {
            let slack = &mut slack[pieces.of(i)];
            let loss = central(slack, mu);
            slack.iter_mut().for_each(|s| *s += loss);
            xi.push(loss);
        }
        let (above, below): (Vec<f64>, Vec<f64>) =
            point[..n].iter().map(|w| (radius - w, radius + w)).unzip();
        let partners = |of: &[f64]| of.iter().map(|s| mu / s).collect::<Vec<f64>>();
        let (mut p, mut q) = (partners(&above), partners(&below));
        let sigma: Vec<f64> =
            slack.iter().enumerate().map(|(c, s)| pieces.weight(c) * mu / s).collect();
        let zeta: Vec<f64> =
            xi.iter().enumerate().map(|(i, s)| pieces.rows.weight(i) * mu / s).collect();
        // Far from a bound its multiplier is far from the path's: better that than to lack what the
        // losses pull by, which may be a thousand times more.
        for ((pull, p), q) in pieces.combine(&sigma).iter().zip(&mut p).zip(&mut q) {
            let lack = pull - (*p - *q);
            *p += lack.max(0.0);
            *q += (-lack).max(0.0);
        }
        let lack = Lack::default();
        Master { pieces, radius, point, xi, zeta, slack, sigma, above, below, p, q, scores, lack }
    }

    /// Steps until value and bound differ by at most `gap`, or no step helps.
    pub(super) fn run(mut self, gap: f64, most: u64, monitor: &dyn Monitor) -> Found {
        let (mut steps, mut idle, mut least) = (0, 0, f64::INFINITY);
        let mut best = (f64::INFINITY, self.point.clone());
        let mut bound = 0.0_f64;
        loop {
            self.residuals();
            let value = self.value();
            if value < best.0 {
                best = (value, self.point.clone());
            }
            bound = bound.max(self.pieces.bound(&self.sigma, self.radius));
            let mu = self.complementarity();
            idle = if mu < 0.9 * least { 0 } else { idle + 1 };
            least = least.min(mu);
            let over =
                best.0 - bound <= gap || idle > PATIENCE || steps >= most || monitor.should_stop();
            if over || !self.step() {
                let (value, point) = best;
                return Found { point, sigma: self.sigma, value, bound, steps };
            }
            steps += 1;
        }
    }

    /// The losses' sum.
    fn value(&self) -> f64 {
        let loss = |i: usize| {
            self.pieces
                .of(i)
                .map(|c| self.pieces.list.constant[c] - self.scores[c])
                .fold(0.0, f64::max)
        };
        (0..self.xi.len()).map(|i| self.pieces.rows.weight(i) * loss(i)).sum()
    }

    fn residuals(&mut self) {
        let (pieces, n) = (self.pieces, self.above.len());
        pieces.scores(&self.point, &mut self.scores);
        let lack = &mut self.lack;
        lack.slack.resize(self.slack.len(), 0.0);
        lack.zeta.clear();
        for i in 0..self.xi.len() {
            let mut sum = 0.0;
            for c in pieces.of(i) {
                lack.slack[c] =
                    self.slack[c] - self.xi[i] - self.scores[c] + pieces.list.constant[c];
                sum += self.sigma[c];
            }
            lack.zeta.push(pieces.rows.weight(i) - sum - self.zeta[i]);
        }
        lack.point = pieces.combine(&self.sigma);
        lack.point.iter_mut().for_each(|v| *v = -*v);
        (0..n).for_each(|j| lack.point[j] += self.p[j] - self.q[j]);
        lack.above.clear();
        lack.above.extend((0..n).map(|j| self.above[j] - (self.radius - self.point[j])));
        lack.below.clear();
        lack.below.extend((0..n).map(|j| self.below[j] - (self.radius + self.point[j])));
    }

    /// The pairs, for reading.
    fn pairs(&self) -> [(&[f64], &[f64]); 4] {
        [
            (&self.slack, &self.sigma),
            (&self.xi, &self.zeta),
            (&self.above, &self.p),
            (&self.below, &self.q),
        ]
    }

    /// The mean product of a pair, pairs of rows as often as these count.
    fn complementarity(&self) -> f64 {
        let products = |(a, b): (&[f64], &[f64])| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        self.pairs().into_iter().map(products).sum::<f64>() / self.pieces.pairs()
    }

    /// One predictor and one corrector. `false` where the numbers allow no further step.
    fn step(&mut self) -> bool {
        let weights: Vec<f64> = self.sigma.iter().zip(&self.slack).map(|(s, t)| s / t).collect();
        let z: Vec<f64> = self.zeta.iter().zip(&self.xi).map(|(s, t)| s / t).collect();
        let n = self.above.len();
        let diagonal: Vec<f64> =
            (0..n).map(|j| self.p[j] / self.above[j] + self.q[j] / self.below[j]).collect();
        let Some(system) = System::new(self.pieces, &weights, &z, &diagonal) else { return false };
        let mu = self.complementarity();
        let first = self.solve(&system, &weights, &z, 0.0, None);
        let (primal, dual) = (self.longest(&first, true), self.longest(&first, false));
        let mut affine = 0.0;
        for ((a, b), (da, db)) in self.pairs().into_iter().zip(first.pairs()) {
            affine +=
                (0..a.len()).map(|i| (a[i] + primal * da[i]) * (b[i] + dual * db[i])).sum::<f64>();
        }
        let centre = mu * (affine / self.pieces.pairs() / mu).powi(3).min(1.0);
        let step = self.solve(&system, &weights, &z, centre, Some(&first));
        let (primal, dual) = (self.longest(&step, true), self.longest(&step, false));
        let (primal, dual) = ((SHARE * primal).min(1.0), (SHARE * dual).min(1.0));
        let finite = |v: &Vec<f64>| v.iter().all(|v| v.is_finite());
        let sound = [&step.point, &step.xi, &step.zeta, &step.slack, &step.sigma, &step.p, &step.q]
            .into_iter()
            .all(finite);
        if !sound || !(primal > 1e-10 || dual > 1e-10) {
            return false;
        }
        let add = |to: &mut [f64], length: f64, by: &[f64]| {
            to.iter_mut().zip(by).for_each(|(t, b)| *t = (*t + length * b).max(f64::MIN_POSITIVE));
        };
        self.point.iter_mut().zip(&step.point).for_each(|(t, b)| *t += primal * b);
        add(&mut self.xi, primal, &step.xi);
        add(&mut self.slack, primal, &step.slack);
        add(&mut self.above, primal, &step.above);
        add(&mut self.below, primal, &step.below);
        add(&mut self.zeta, dual, &step.zeta);
        add(&mut self.sigma, dual, &step.sigma);
        add(&mut self.p, dual, &step.p);
        add(&mut self.q, dual, &step.q);
        true
    }

    /// The step towards products of `centre`, less those of an earlier step's changes.
    fn solve(
        &self,
        system: &System,
        weights: &[f64],
        z: &[f64],
        centre: f64,
        earlier: Option<&Change>,
    ) -> Change {
        let (pieces, n, lack) = (self.pieces, self.above.len(), &self.lack);
        let mut change = Change::default();
        // What a multiplier changes by if its slack does not.
        type Pair = fn(&Change) -> (&[f64], &[f64]);
        let alone = |a: &[f64], b: &[f64], of: Pair, weight: &dyn Fn(usize) -> f64| -> Vec<f64> {
            let second = |i: usize| earlier.map_or(0.0, |e| of(e).0[i] * of(e).1[i]);
            (0..a.len()).map(|i| (weight(i) * centre - second(i)) / a[i] - b[i]).collect()
        };
        let (of_piece, of_row, once) =
            (|c: usize| pieces.weight(c), |i: usize| pieces.rows.weight(i), |_: usize| 1.0);
        change.sigma = alone(&self.slack, &self.sigma, |e| (&e.slack, &e.sigma), &of_piece);
        change.zeta = alone(&self.xi, &self.zeta, |e| (&e.xi, &e.zeta), &of_row);
        change.p = alone(&self.above, &self.p, |e| (&e.above, &e.p), &once);
        change.q = alone(&self.below, &self.q, |e| (&e.below, &e.q), &once);
        let mut forces = vec![0.0; self.slack.len()];
        let mut sums = Vec::with_capacity(self.xi.len());
        for (i, &z) in z.iter().enumerate() {
            let (mut total, mut force) = (z, change.zeta[i] - lack.zeta[i]);
            for c in pieces.of(i) {
                forces[c] = change.sigma[c] + weights[c] * lack.slack[c];
                force += forces[c];
                total += weights[c];
            }
            let each = force / total;
            pieces.of(i).for_each(|c| forces[c] -= weights[c] * each);
            sums.push((total, force));
        }
        let mut right = pieces.combine(&forces);
        right.iter_mut().zip(&lack.point).for_each(|(r, l)| *r -= l);
        for (j, right) in right[..n].iter_mut().enumerate() {
            *right -= change.p[j] + self.p[j] / self.above[j] * lack.above[j];
            *right += change.q[j] + self.q[j] / self.below[j] * lack.below[j];
        }
        system.solve(&mut right);
        change.slack = vec![0.0; self.slack.len()];
        pieces.scores(&right, &mut change.slack);
        for (i, &(total, force)) in sums.iter().enumerate() {
            let moved: f64 = pieces.of(i).map(|c| weights[c] * change.slack[c]).sum();
            let xi = (force - moved) / total;
            for c in pieces.of(i) {
                change.slack[c] += xi - lack.slack[c];
                change.sigma[c] -= weights[c] * change.slack[c];
            }
            change.zeta[i] -= z[i] * xi;
            change.xi.push(xi);
        }
        for (j, &moved) in right[..n].iter().enumerate() {
            let (above, below) = (-moved - lack.above[j], moved - lack.below[j]);
            change.p[j] -= self.p[j] / self.above[j] * above;
            change.q[j] -= self.q[j] / self.below[j] * below;
            change.above.push(above);
            change.below.push(below);
        }
        change.point = right;
        change
    }

    /// The longest step, at most 1, that keeps slacks, or multipliers, at least 0.
    fn longest(&self, step: &Change, slacks: bool) -> f64 {
        let mut length = 1.0_f64;
        for ((a, b), (da, db)) in self.pairs().into_iter().zip(step.pairs()) {
            let (at, by) = if slacks { (a, da) } else { (b, db) };
            for (at, by) in at.iter().zip(by) {
                if *by < 0.0 {
                    length = length.min(-at / by);
                }
            }
        }
        length
    }
}

/// The xi with mu (1 / xi + sum_c 1 / (xi + z_c)) = 1 for which all terms are positive.
fn central(z: &[f64], mu: f64) -> f64 {
    let least = z.iter().fold(0.0_f64, |a, b| a.max(-b));
    // 1 / sum 1 / (t + d) increases and is concave, so that Newton's steps from the left never pass
    // the root.
    let mut t = mu;
    for _ in 0..60 {
        let (mut sum, mut squares) = (0.0, 0.0);
        for d in z.iter().map(|z| z + least).chain([least]) {
            let inverse = 1.0 / (t + d);
            sum += inverse;
            squares += inverse * inverse;
        }
        let step = (mu * sum - 1.0) * sum / squares;
        t += step;
        if step.is_nan() || step <= 1e-12 * t {
            break;
        }
    }
    least + t
}

impl Change {
    fn pairs(&self) -> [(&[f64], &[f64]); 4] {
        [
            (&self.slack, &self.sigma),
            (&self.xi, &self.zeta),
            (&self.above, &self.p),
            (&self.below, &self.q),
        ]
    }
}
