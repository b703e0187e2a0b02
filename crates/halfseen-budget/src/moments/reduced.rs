//! Minimises out the known weights, which leaves a quadratic of the sampled weights alone.
//!
//! With the means K, C, A of zz', ez', ee' and k, v, s of yz, ye, y^2 the estimated mean squared
//! error of <w,e> + <u,z> is w'Aw + 2 w'Cu + u'Ku - 2 w'v - 2 u'k + s. K is exact, so this is
//! convex in u, and for any w the best u is K+ (k - C'w), with K+ a pseudo-inverse: the shortest
//! such u if known columns are linearly dependent. This leaves
//! w'(A - C K+ C')w - 2 w'(v - C K+ k) + (s - k'K+k). With an intercept alone this is centring: A
//! less the product of the means. Without an intercept the constant takes no part.

use super::products::Products;
use super::sums::Sums;
use faer::Mat;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_solve::eigen;

/// Relative size below which eigenvalues of K, scaled to a unit diagonal, count as zero.
const RANK: f64 = 1e-11;

/// The quadratic w'Gw - 2 c'w + s of the sampled weights, on the slots that matter.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The slots with a nonzero entry, increasing; all others have weight 0.
    pub slots: Vec<usize>,
    /// Places among the kept slots of those without a nonzero product, unknown to G.
    pub unseen: Vec<usize>,
    /// G, (kept, kept): any symmetric matrix. Empty if products are not summed.
    pub gram: Mat<f64>,
    /// c, (kept).
    pub cross: Vec<f64>,
    /// s.
    pub constant: f64,
    /// Mean of y^2.
    pub target: f64,
    /// Mean of e^2 over examples and slots.
    pub spread: f64,
    /// K+ k, (q), and C K+, (kept, q): u = K+ k - (C K+)'w.
    offset: Vec<f64>,
    pull: Vec<f64>,
    /// Part of each diagonal entry of G that the known columns remove, (kept).
    pulled: Vec<f64>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct View {
    /// True if the constant has a weight.
    pub(super) intercept: bool,
    /// True if e is to be centred at its mean over these examples: exact if every panel is read.
    pub(super) recentre: bool,
    /// Mean of e^2 over examples and slots.
    pub(super) spread: f64,
}

impl Reduced {
    /// Reduces the sums over this number of examples.
    ///
    /// # Errors
    /// Numbers out of range.
    pub(super) fn new(sums: &Sums, examples: u64, view: View) -> Result<Reduced> {
        let share = 1.0 / (examples.max(1) as f64);
        let q = sums.known_target.len();
        let mut seen = vec![false; sums.slot_target.len()];
        sums.slots.mark(&mut seen);
        let slots = used(sums, &seen);
        let n = slots.len();
        let unseen = (0..n).filter(|&i| !seen[slots[i]]).collect();
        let mean = |v: &[f64]| v.iter().map(|v| v * share).collect::<Vec<f64>>();
        let inverse = pseudo_inverse(&sums.known, q, share, view.intercept)?;
        let times_inverse = |row: &[f64]| -> Vec<f64> {
            (0..q).map(|b| row.iter().enumerate().map(|(a, v)| v * inverse[(a, b)]).sum()).collect()
        };
        let known_target = mean(&sums.known_target);
        let offset = times_inverse(&known_target);
        let mut rows: Vec<Vec<f64>> =
            slots.iter().map(|&s| mean(&sums.slot_known[s * q..(s + 1) * q])).collect();
        // The constant comes first among the known values, so its products are means.
        let centre: Vec<f64> =
            rows.iter().map(|row| if view.recentre { row[0] } else { 0.0 }).collect();
        for (row, centre) in rows.iter_mut().zip(&centre) {
            row.iter_mut()
                .enumerate()
                .for_each(|(b, c)| *c -= centre * sums.known.get(0, b) * share);
        }
        let pull: Vec<f64> = rows.iter().flat_map(|row| times_inverse(row)).collect();
        let order = if sums.slots.is_empty() { 0 } else { n };
        let mut gram = Mat::zeros(order, order);
        for j in 0..order {
            for i in j..order {
                let pulled = inner(&pull[i * q..(i + 1) * q], &rows[j]) + centre[i] * centre[j];
                gram[(i, j)] = sums.slots.get(slots[i], slots[j]) * share - pulled;
                gram[(j, i)] = gram[(i, j)];
            }
        }
        let cross = (0..n).map(|i| {
            let about = sums.slot_target[slots[i]] * share - centre[i] * known_target[0];
            about - inner(&rows[i], &offset)
        });
        let cross = cross.collect();
        let target = sums.target * share;
        let constant = target - inner(&known_target, &offset);
        let spread = view.spread - inner(&centre, &centre) / sums.slot_target.len().max(1) as f64;
        let pulled = (0..n)
            .map(|i| inner(&pull[i * q..(i + 1) * q], &rows[i]) + centre[i] * centre[i])
            .collect();
        let reduced =
            Reduced { slots, unseen, gram, cross, constant, target, spread, offset, pull, pulled };
        reduced.check()?;
        Ok(reduced)
    }

    fn check(&self) -> Result<()> {
        let lists = [&self.cross, &self.offset, &self.pull];
        let odd = |list: &[f64]| list.iter().copied().find(|v| !v.is_finite());
        let odd = (0..self.gram.ncols())
            .find_map(|j| odd(self.gram.col_as_slice(j)))
            .or_else(|| lists.into_iter().find_map(|list| odd(list)))
            .or_else(|| odd(&[self.constant, self.target, self.spread]));
        match odd {
            Some(value) => Err(ErrorKind::Diverged { what: "a second moment", value }.into()),
            None => Ok(()),
        }
    }

    /// Rescales to the attributes' own units, given by `size` for each slot, 0 if unknown.
    /// Variances are then 1, known better than from the products of a panel with itself. If
    /// products come from drawn pairs, `sampled` gives the variance of their noise, and the share
    /// of them to keep after the James-Stein factor has removed the noise from their squares.
    pub(super) fn in_own_units(
        mut self,
        size: impl Fn(usize) -> f64,
        sampled: Option<(f64, f64)>,
    ) -> Reduced {
        let unit = |slot: usize| if size(slot) > 0.0 { 1.0 / size(slot) } else { 0.0 };
        let units: Vec<f64> = self.slots.iter().map(|&slot| unit(slot)).collect();
        let (n, q) = (units.len(), self.offset.len());
        for (i, unit) in units.iter().enumerate() {
            self.cross[i] *= unit;
            self.pulled[i] *= unit * unit;
            self.pull[i * q..(i + 1) * q].iter_mut().for_each(|v| *v *= unit);
        }
        self.spread = 1.0;
        if self.gram.ncols() == 0 {
            return self;
        }
        let (mut squares, mut pairs) = (0.0, 0.0);
        for j in 0..n {
            for i in 0..n {
                self.gram[(i, j)] *= units[i] * units[j];
                if i != j && units[i] * units[j] > 0.0 {
                    squares += self.gram[(i, j)].powi(2);
                    pairs += 1.0;
                }
            }
        }
        let Some((noise, share)) = sampled else { return self };
        let believed =
            if squares > 0.0 { share * (1.0 - pairs * noise / squares).max(0.0) } else { 0.0 };
        for (j, unit) in units.iter().enumerate().take(n) {
            for i in 0..n {
                self.gram[(i, j)] *= if i == j { 0.0 } else { believed };
            }
            self.gram[(j, j)] = if *unit > 0.0 { (1.0 - self.pulled[j]).max(0.0) } else { 0.0 };
        }
        // Their variance is known.
        self.unseen.retain(|&i| units[i] == 0.0);
        self
    }

    /// Returns the best weights of the free values, the constant first, (q), given weights of the
    /// kept slots.
    pub(super) fn known_weights(&self, weights: &[f64]) -> Vec<f64> {
        let mut known = self.offset.clone();
        let q = known.len();
        for (i, w) in weights.iter().enumerate().filter(|(_, w)| **w != 0.0) {
            known.iter_mut().zip(&self.pull[i * q..(i + 1) * q]).for_each(|(u, p)| *u -= w * p);
        }
        known
    }
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the slots with a nonzero sum, given those with a nonzero product.
fn used(sums: &Sums, seen: &[bool]) -> Vec<usize> {
    let q = sums.known_target.len();
    let alone = |slot: usize| {
        let known = &sums.slot_known[slot * q..(slot + 1) * q];
        sums.slot_target[slot] != 0.0 || known.iter().any(|v| *v != 0.0)
    };
    (0..seen.len()).filter(|&slot| seen[slot] || alone(slot)).collect()
}

/// Returns a pseudo-inverse of the means of `known`, (q, q), inverted with a unit diagonal so that
/// units do not matter. Without an intercept the constant's row and column are zeros.
fn pseudo_inverse(known: &Products, q: usize, share: f64, intercept: bool) -> Result<Mat<f64>> {
    let size = |a: usize| if a == 0 && !intercept { 0.0 } else { (known.get(a, a) * share).sqrt() };
    let scale: Vec<f64> = (0..q).map(|a| if size(a) > 0.0 { 1.0 / size(a) } else { 0.0 }).collect();
    let scaled = Mat::from_fn(q, q, |a, b| known.get(a, b) * share * scale[a] * scale[b]);
    if let Some(value) =
        (0..q).find_map(|b| scaled.col_as_slice(b).iter().copied().find(|v| !v.is_finite()))
    {
        return Err(ErrorKind::Diverged { what: "a second moment", value }.into());
    }
    let (values, vectors) = eigen(scaled.as_ref())?;
    let least = RANK * values.iter().fold(0.0_f64, |a, &b| a.max(b));
    let mut inverse = Mat::zeros(q, q);
    for (i, value) in values.iter().enumerate().filter(|(_, v)| **v > least) {
        let vector = vectors.col_as_slice(i);
        for b in 0..q {
            let factor = vector[b] * scale[b] / value;
            inverse
                .col_as_slice_mut(b)
                .iter_mut()
                .zip(vector)
                .zip(&scale)
                .for_each(|((x, v), s)| *x += v * s * factor);
        }
    }
    Ok(inverse)
}
