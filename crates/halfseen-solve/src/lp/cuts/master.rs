//! Follows the central path of the linear program over pieces in a box.
//!
//! **Problem**: minimise sum_i s_i xi_i over |w_j| <= C, b and xi >= 0 with s_c = xi_i + e_c
//! (<x_i - r_c, w> + b) - k_c >= 0 for all pieces c of row i. Its dual has sigma_c >= 0 with
//! zeta_i = s_i - sum_c sigma_c >= 0, and sum_c sigma_c e_c = 0 if b is free.
//!
//! **Steps** are those of [`crate::interior`] for the pairs (s, sigma), (xi, zeta) and (C - w, p),
//! (C + w, q). Eliminating losses and slacks leaves one equation per weight.
//!
//! **Guarantee**: any sigma, made feasible, gives the lower bound sum_c sigma_c k_c - C |sum_c
//! sigma_c a_c|_1.

use super::pieces::Pieces;
use super::system::factored;
use crate::cholesky::{NotPositive, Scaled};
use crate::interior::{CentralPath, Pairs, Progress, Reach, Steps, Target};
use crate::interior::{advance, follow, reach};
use crate::monitor::Monitor;
use crate::vectors::add_multiple;

/// Largest distance by which a start is moved inside the box, as a share of the radius.
const INSIDE: f64 = 0.02;

/// Point with positive slacks and multipliers.
#[derive(Debug)]
pub(super) struct Master<'p, 'a> {
    pieces: &'p Pieces<'a>,
    radius: f64,
    /// w, then b if there is one.
    point: Vec<f64>,
    /// (s, sigma) by piece, (xi, zeta) by row, (C - w, p) and (C + w, q) by weight.
    pairs: [Pairs; 4],
    /// Changes of both.
    change: (Vec<f64>, [Pairs; 4]),
    /// Scores of the present point.
    scores: Vec<f64>,
}

/// Newton equations at a point.
pub(super) struct Equations {
    system: Scaled,
    /// D by piece, Z by row: multiplier over slack.
    ratios: [Vec<f64>; 2],
    /// Residuals of the equations of s, zeta and w.
    slack: Vec<f64>,
    zeta: Vec<f64>,
    point: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Optimum {
    /// Point inside the box.
    pub(super) point: Vec<f64>,
    pub(super) sigma: Vec<f64>,
    /// sum_i s_i xi_i at the point.
    pub(super) value: f64,
    /// Lower bound on the value.
    pub(super) bound: f64,
    pub(super) steps: u64,
}

impl<'p, 'a> Master<'p, 'a> {
    /// Creates a start near a point, centred for mu except for the equations of w: the loss of each
    /// row and its multipliers are on the central path, where all products of pairs are mu. The
    /// previous `slope`, sum_c sigma_c a_c, determines the distance of weights from the box.
    pub(super) fn new(
        pieces: &'p Pieces<'a>,
        radius: f64,
        mut point: Vec<f64>,
        mu: f64,
        slope: &[f64],
    ) -> Master<'p, 'a> {
        let (m, n) = (pieces.rows.len(), pieces.rows.width);
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
        let centred = |slack: Vec<f64>, weight: &dyn Fn(usize) -> f64| {
            let multiplier = slack.iter().enumerate().map(|(k, s)| weight(k) * mu / s).collect();
            Pairs { slack, multiplier }
        };
        let mut pairs = [
            centred(slack, &|c| pieces.weight(c)),
            centred(xi, &|i| pieces.rows.weight(i)),
            centred(point[..n].iter().map(|w| radius - w).collect(), &|_| 1.0),
            centred(point[..n].iter().map(|w| radius + w).collect(), &|_| 1.0),
        ];
        // The multipliers of the box leave the central path, but otherwise the residual from the
        // losses may be a thousand times larger.
        let [of_pieces, _, above, below] = &mut pairs;
        let box_pairs = above.multiplier.iter_mut().zip(&mut below.multiplier);
        for (pull, (p, q)) in pieces.combine(&of_pieces.multiplier).iter().zip(box_pairs) {
            let lack = pull - (*p - *q);
            *p += lack.max(0.0);
            *q += (-lack).max(0.0);
        }
        let change =
            (vec![0.0; point.len()], pairs.each_ref().map(|p| Pairs::zeros(p.slack.len())));
        Master { pieces, radius, point, pairs, change, scores }
    }

    /// Makes steps until value and bound differ by at most `gap`, or no step helps.
    pub(super) fn run(mut self, gap: f64, most: u64, monitor: &dyn Monitor) -> Optimum {
        let (mut best, mut bound) = ((f64::INFINITY, self.point.clone()), 0.0_f64);
        let judge = |master: &mut Self| {
            let value = master.value();
            if value < best.0 {
                best = (value, master.point.clone());
            }
            bound = bound.max(master.pieces.bound(&master.pairs[0].multiplier, master.radius));
            Progress { solved: best.0 - bound <= gap, left: master.products() }
        };
        let (steps, _) = follow(&mut self, judge, most, monitor);
        let ((value, point), [Pairs { multiplier: sigma, .. }, ..]) = (best, self.pairs);
        Optimum { point, sigma, value, bound, steps }
    }

    /// Returns the sum of losses; the scores are then those of the point.
    fn value(&mut self) -> f64 {
        let pieces = self.pieces;
        pieces.scores(&self.point, &mut self.scores);
        let loss = |i: usize| {
            pieces.of(i).map(|c| pieces.list.constant[c] - self.scores[c]).fold(0.0, f64::max)
        };
        (0..pieces.rows.len()).map(|i| pieces.rows.weight(i) * loss(i)).sum()
    }
}

impl CentralPath for Master<'_, '_> {
    type System = Equations;
    const SHARE: f64 = 0.995;

    fn at(&self) -> &[Pairs] {
        &self.pairs
    }

    fn pairs(&self) -> f64 {
        self.pieces.pairs()
    }

    /// Uses the scores of the last [`Master::value`].
    fn factor(&mut self, monitor: &dyn Monitor) -> Result<Equations, NotPositive> {
        let (pieces, [of_pieces, of_rows, above, below]) = (self.pieces, &self.pairs);
        let (mut slack, mut zeta) = (of_pieces.slack.clone(), Vec::new());
        for (i, (xi, own)) in of_rows.slack.iter().zip(&of_rows.multiplier).enumerate() {
            for c in pieces.of(i) {
                slack[c] = slack[c] - xi - self.scores[c] + pieces.list.constant[c];
            }
            let sum: f64 = of_pieces.multiplier[pieces.of(i)].iter().sum();
            zeta.push(pieces.rows.weight(i) - sum - own);
        }
        let mut point = pieces.combine(&of_pieces.multiplier);
        point.iter_mut().for_each(|v| *v = -*v);
        add_multiple(&mut point, 1.0, &above.multiplier);
        add_multiple(&mut point, -1.0, &below.multiplier);
        let ratios = [of_pieces.ratios(), of_rows.ratios()];
        let diagonal: Vec<f64> =
            above.ratios().iter().zip(below.ratios()).map(|(a, b)| a + b).collect();
        let system = factored(pieces, [&ratios[0], &ratios[1]], &diagonal, monitor)?;
        Ok(Equations { system, ratios, slack, zeta, point })
    }

    fn solve(&mut self, equations: &Equations, target: Target) -> Reach {
        let Equations { system, ratios: [d, z], slack, zeta, point } = equations;
        let (pieces, n) = (self.pieces, self.pairs[2].slack.len());
        let held = |kind: usize, weight: &dyn Fn(usize) -> f64| {
            self.pairs[kind].held(target, &self.change.1[kind], weight)
        };
        let of_pieces = held(0, &|c| pieces.weight(c));
        let of_rows = held(1, &|i| pieces.rows.weight(i));
        let (above, below) = (held(2, &|_| 1.0), held(3, &|_| 1.0));
        // Losses are eliminated, row by row.
        let mut forces = vec![0.0; d.len()];
        let mut sums = Vec::with_capacity(z.len());
        for (i, &z) in z.iter().enumerate() {
            let (mut total, mut force) = (z, of_rows[i] - zeta[i]);
            for c in pieces.of(i) {
                forces[c] = of_pieces[c] + d[c] * slack[c];
                force += forces[c];
                total += d[c];
            }
            let each = force / total;
            pieces.of(i).for_each(|c| forces[c] -= d[c] * each);
            sums.push((total, force));
        }
        let mut moved = pieces.combine(&forces);
        add_multiple(&mut moved, -1.0, point);
        add_multiple(&mut moved, -1.0, &above);
        add_multiple(&mut moved, 1.0, &below);
        system.solve(&mut moved);
        // They follow from the weights.
        let mut of_slack = vec![0.0; d.len()];
        pieces.scores(&moved, &mut of_slack);
        let mut of_xi = Vec::with_capacity(z.len());
        for (i, &(total, force)) in sums.iter().enumerate() {
            let pull: f64 = pieces.of(i).map(|c| d[c] * of_slack[c]).sum();
            let xi = (force - pull) / total;
            pieces.of(i).for_each(|c| of_slack[c] += xi - slack[c]);
            of_xi.push(xi);
        }
        let less = moved[..n].iter().map(|w| -w).collect();
        let changes = [
            self.pairs[0].complete(of_slack, of_pieces),
            self.pairs[1].complete(of_xi, of_rows),
            self.pairs[2].complete(less, above),
            self.pairs[3].complete(moved[..n].to_vec(), below),
        ];
        self.change = (moved, changes);
        reach(&self.pairs, &self.change.1)
    }

    fn advance(&mut self, steps: Steps) {
        add_multiple(&mut self.point, steps.primal, &self.change.0);
        advance(&mut self.pairs, &self.change.1, steps);
        let [.., above, below] = &mut self.pairs;
        // The side nearer to the box's boundary determines all three.
        for ((w, a), b) in self.point.iter_mut().zip(&mut above.slack).zip(&mut below.slack) {
            if a < b {
                (*w, *b) = (self.radius - *a, 2.0 * self.radius - *a);
            } else {
                (*w, *a) = (*b - self.radius, 2.0 * self.radius - *b);
            }
        }
    }
}

/// Returns the xi with mu (1 / xi + sum_c 1 / (xi + z_c)) = 1 for which all terms are positive.
fn central(z: &[f64], mu: f64) -> f64 {
    let least = z.iter().fold(0.0_f64, |a, b| a.max(-b));
    // 1 / sum 1 / (t + d) is increasing and concave, so Newton steps from the left never pass the
    // root.
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
