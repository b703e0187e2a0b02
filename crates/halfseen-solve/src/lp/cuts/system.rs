//! Assembles the Newton equations of the linear program over pieces after eliminating all losses.
//!
//! With D_c = dual / slack of piece c and Z = dual / slack of its row's loss, a row adds sum_c D_c
//! a_c a_c' - v v' / S, where v = sum_c D_c a_c and S = Z + sum_c D_c. One D often exceeds all
//! others by many orders of magnitude, and the difference then has no correct digits. It is the
//! scatter of the points a_c and 0 about their mean. It therefore splits without cancellation into
//! the scatter within the pieces of one slope, relative to the piece of the largest D, and the
//! scatter of their means and 0: one or two outer products. Pieces of one slope differ only in the
//! deletions, so only the second part involves all entries of a row.

use super::pieces::Pieces;
use crate::cholesky::{NotPositive, Scaled};
use crate::monitor::{Monitor, Watch};
use crate::products::lower_product;
use faer::{Accum, Mat};
use rayon::prelude::*;

/// Largest total size in bytes of private matrices; there are at least two.
const PRIVATE: usize = 1 << 27;
const MOST_PARTS: usize = 16;
/// Share of entries from which on rows are multiplied as a dense block.
const DENSE: f64 = 0.25;
/// Number of rows of one dense block.
const BLOCK: usize = 128;

/// Returns the number of private matrices.
fn parts(width: usize) -> usize {
    (PRIVATE / (8 * width * width).max(1)).clamp(2, MOST_PARTS)
}

/// Sum of outer products in a lower triangle.
struct Sum<'p, 'a> {
    pieces: &'p Pieces<'a>,
    matrix: Mat<f64>,
    /// Rows waiting for a dense product, one per column.
    block: Option<Mat<f64>>,
    waiting: usize,
    /// By slot; all 0 between uses.
    dense: Vec<f64>,
    union: Vec<u32>,
    mean: Vec<f64>,
    slots: Vec<u32>,
    values: Vec<f64>,
}

impl<'p, 'a> Sum<'p, 'a> {
    fn new(pieces: &'p Pieces<'a>) -> Sum<'p, 'a> {
        let width = pieces.width();
        let cells = (pieces.rows.len() * pieces.rows.width) as f64;
        let block =
            (pieces.rows.entries() as f64 >= DENSE * cells).then(|| Mat::zeros(width, BLOCK));
        let (dense, matrix) = (vec![0.0; width], Mat::zeros(width, width));
        let (union, mean, slots, values) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Sum { pieces, matrix, block, waiting: 0, dense, union, mean, slots, values }
    }

    /// Adds one row, for D of its pieces and Z.
    fn row(&mut self, row: usize, weights: &[f64], z: f64) {
        let range = self.pieces.of(row);
        let (first, list) = (range.start, &self.pieces.list);
        let middle =
            range.clone().find(|&c| list.group[c] != list.group[first]).unwrap_or(range.end);
        // Never 0, as it is a divisor.
        let total = |range: std::ops::Range<usize>| {
            weights[range].iter().sum::<f64>().max(f64::MIN_POSITIVE)
        };
        let (one, two) = (total(first..middle), total(middle..range.end));
        let sum = one + two + z;
        if range.is_empty() {
            return;
        }
        self.within(first..middle, weights, one);
        if middle == range.end {
            let root = (one * (z / sum)).sqrt() * list.slope[first];
            return self.between(row, root, weights, &[(first..middle, root / one)]);
        }
        self.within(middle..range.end, weights, two);
        // Factor of [[T1 (T2 + Z), -T1 T2], [., T2 (T1 + Z)]] / S.
        let (e1, e2) = (list.slope[first], list.slope[middle]);
        let upper = (one * ((two + z) / sum)).sqrt().max(f64::MIN_POSITIVE);
        let (corner, lower) = (-one * (two / sum) / upper, (one * two * (z / sum)).sqrt() / upper);
        let whole = range.clone().all(|c| list.removed(c).0.is_empty());
        if whole {
            let root = (upper * e1 + corner * e2).hypot(lower * e2);
            return self.between(row, root, weights, &[]);
        }
        let parts = [(first..middle, upper * e1 / one), (middle..range.end, corner * e2 / two)];
        self.between(row, upper * e1 + corner * e2, weights, &parts);
        self.between(row, lower * e2, weights, &[(middle..range.end, lower * e2 / two)]);
    }

    /// Adds u u' for u = root (x, 1) - sum over parts of factor sum_c D_c r_c.
    fn between(
        &mut self,
        row: usize,
        root: f64,
        weights: &[f64],
        parts: &[(std::ops::Range<usize>, f64)],
    ) {
        for (range, factor) in parts {
            for c in range.clone() {
                let (slots, removed) = self.pieces.list.removed(c);
                for (&slot, r) in slots.iter().zip(removed) {
                    self.dense[slot as usize] += factor * weights[c] * r;
                }
            }
        }
        let (slots, entries) = self.pieces.rows.row(row);
        let bias = self.pieces.intercept.then_some(self.pieces.rows.width);
        if let Some(block) = &mut self.block {
            let column = block.col_as_slice_mut(self.waiting);
            column.fill(0.0);
            for (&slot, x) in slots.iter().zip(entries) {
                column[slot as usize] = root * x - self.dense[slot as usize];
                self.dense[slot as usize] = 0.0;
            }
            bias.into_iter().for_each(|b| column[b] = root);
            self.waiting += 1;
            if self.waiting == BLOCK {
                self.flush();
            }
            return;
        }
        self.slots.clear();
        self.values.clear();
        for (&slot, x) in slots.iter().zip(entries) {
            self.slots.push(slot);
            self.values.push(root * x - self.dense[slot as usize]);
            self.dense[slot as usize] = 0.0;
        }
        if let Some(b) = bias {
            self.slots.push(b as u32);
            self.values.push(root);
        }
        scatter(&mut self.matrix, &self.slots, &self.values, 1.0);
    }

    /// Adds e^2 (sum_c D_c d_c d_c' - s s' / T), where d_c are the deletions of c minus those of
    /// the piece of the largest D, and s = sum_c D_c d_c.
    fn within(&mut self, range: std::ops::Range<usize>, weights: &[f64], total: f64) {
        let pieces = self.pieces;
        let list = &pieces.list;
        let Some(most) = range.clone().reduce(|a, b| if weights[b] > weights[a] { b } else { a })
        else {
            return;
        };
        if range.len() == 1 || weights[most] <= 0.0 {
            return;
        }
        self.union.clear();
        range.clone().for_each(|c| self.union.extend_from_slice(list.removed(c).0));
        self.union.sort_unstable();
        self.union.dedup();
        let square = list.slope[most] * list.slope[most];
        self.mean.clear();
        self.mean.resize(self.union.len(), 0.0);
        for c in range.filter(|&c| c != most) {
            for (piece, sign) in [(c, 1.0), (most, -1.0)] {
                let (slots, removed) = list.removed(piece);
                slots
                    .iter()
                    .zip(removed)
                    .for_each(|(&slot, r)| self.dense[slot as usize] += sign * r);
            }
            self.slots.clear();
            self.values.clear();
            for (&slot, mean) in self.union.iter().zip(&mut self.mean) {
                let d = std::mem::take(&mut self.dense[slot as usize]);
                if d != 0.0 {
                    self.slots.push(slot);
                    self.values.push(d);
                    *mean += weights[c] * d;
                }
            }
            scatter(&mut self.matrix, &self.slots, &self.values, square * weights[c]);
        }
        scatter(&mut self.matrix, &self.union, &self.mean, -square / total);
    }

    /// Multiplies the waiting rows.
    fn flush(&mut self) {
        if let Some(block) = self.block.as_ref().filter(|_| self.waiting > 0) {
            let rows = block.as_ref().subcols(0, self.waiting);
            lower_product(self.matrix.as_mut(), Accum::Add, rows, rows.transpose(), 1.0);
        }
        self.waiting = 0;
    }
}

/// Adds factor v v' to the lower triangle, slots increasing.
fn scatter(matrix: &mut Mat<f64>, slots: &[u32], values: &[f64], factor: f64) {
    for (at, (&slot, value)) in slots.iter().zip(values).enumerate() {
        let (column, scaled) = (matrix.col_as_slice_mut(slot as usize), factor * value);
        for (&below, v) in slots[at..].iter().zip(&values[at..]) {
            column[below as usize] += scaled * v;
        }
    }
}

/// Assembles and factors the matrix of D for each piece, Z for each row, and the box's diagonal. It
/// is useless once the monitor has asked to stop.
///
/// # Errors
/// If the largest ridge does not help.
pub(super) fn factored(
    pieces: &Pieces<'_>,
    [weights, z]: [&[f64]; 2],
    diagonal: &[f64],
    monitor: &dyn Monitor,
) -> Result<Scaled, NotPositive> {
    let (width, m) = (pieces.width(), pieces.rows.len());
    let parts = parts(width).min(m);
    let sums: Vec<Mat<f64>> = (0..parts)
        .into_par_iter()
        .map(|part| {
            let mut sum = Sum::new(pieces);
            let mut watch = Watch::new(monitor);
            let rows = part * m / parts..(part + 1) * m / parts;
            for (i, z) in rows.clone().zip(&z[rows]) {
                if watch.stops_after(width * width) {
                    break;
                }
                sum.row(i, weights, *z);
            }
            sum.flush();
            sum.matrix
        })
        .collect();
    let mut matrix = Mat::<f64>::zeros(width, width);
    for sum in sums {
        for j in 0..width {
            let (to, from) = (matrix.col_as_slice_mut(j), sum.col_as_slice(j));
            to[j..].iter_mut().zip(&from[j..]).for_each(|(t, f)| *t += f);
        }
    }
    diagonal.iter().enumerate().for_each(|(j, d)| matrix[(j, j)] += d);
    Scaled::new(matrix)
}
