//! Ascends the dual of the multi-class hinge loss by one example's weights at a time.

use super::Search;
use crate::hinge::Slices;
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream, shuffle};
use crate::vectors::{add_multiple, dot};
use crate::wide::{NullaryFnOnce, wide};
use faer::{Mat, MatRef};

/// Projects `point` onto {w >= 0, sum w = `total`}; `sorted` is scratch of the same length.
pub(super) fn project(point: &mut [f64], total: f64, sorted: &mut [f64]) {
    sorted.copy_from_slice(point);
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    // Sums from the largest value, so that a large common offset cancels before it is summed.
    let first = sorted.first().copied().unwrap_or(0.0);
    let (mut sum, mut shift) = (0.0, -total);
    for (count, &value) in (1..).zip(sorted.iter()) {
        sum += value - first;
        let candidate = (sum - total) / f64::from(count);
        if value - first <= candidate {
            break;
        }
        shift = candidate;
    }
    point.iter_mut().for_each(|p| *p = (*p - first - shift).max(0.0));
}

/// Current point.
pub(super) struct Ascent<'s> {
    gram: MatRef<'s, f64>,
    /// K, or L', (rank, n), with K = L L'.
    columns: Slices<'s>,
    /// v = L' b, (rank, classes), if columns are those of L': g is computed where it is asked for,
    /// and not kept. Without, g is updated with every change of w.
    v: Option<Mat<f64>>,
    y: &'s [usize],
    w: &'s mut Mat<f64>,
    g: &'s mut Mat<f64>,
    c: &'s [f64],
}

impl<'s> Ascent<'s> {
    /// Creates an ascent through K; `search.g` must belong to `search.w`.
    pub(super) fn new(search: &'s mut Search<'_>, columns: Slices<'s>) -> Ascent<'s> {
        let Search { gram, y, w, g, c, .. } = search;
        Ascent { gram: *gram, columns, v: None, y, w, g, c }
    }

    /// Creates an ascent through L'.
    pub(super) fn through(search: &'s mut Search<'_>, columns: Slices<'s>) -> Ascent<'s> {
        let v = columns.as_dyn_stride() * search.coefficients();
        Ascent { v: Some(v), ..Ascent::new(search, columns) }
    }

    /// Writes g_i.
    fn levels(&self, i: usize, levels: &mut [f64]) {
        match &self.v {
            None => levels.iter_mut().enumerate().for_each(|(r, level)| *level = self.g[(i, r)]),
            Some(v) => {
                let column = self.columns.col(i).as_slice();
                for (r, level) in levels.iter_mut().enumerate() {
                    let margin = if r == self.y[i] { 0.0 } else { 1.0 };
                    *level = margin + dot(v.col_as_slice(r), column);
                }
            }
        }
    }

    /// Makes passes over the unsettled examples until the gap seen on the way is at most `target`;
    /// returns their number.
    pub(super) fn passes(
        &mut self,
        most: u64,
        target: f64,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> u64 {
        let classes = self.w.ncols();
        let mut active: Vec<usize> = (0..self.w.nrows()).collect();
        let room = || vec![0.0; classes];
        let (mut old, mut new, mut sorted, mut level) = (room(), room(), room(), room());
        let mut settled = f64::INFINITY;
        let mut stream = Stream::new(seed, Purpose::Order, 0);
        for done in 0..most {
            if monitor.should_stop() {
                return done;
            }
            shuffle(&mut stream, &mut active);
            let (mut gap, mut worst) = (0.0, 0.0_f64);
            active.retain(|&i| {
                self.levels(i, &mut level);
                let (mut largest, mut lowest, mut second) =
                    (f64::NEG_INFINITY, f64::INFINITY, f64::NEG_INFINITY);
                for (r, (old, &level)) in old.iter_mut().zip(&level).enumerate() {
                    *old = self.w[(i, r)];
                    largest = largest.max(level);
                    if *old > 0.0 {
                        lowest = lowest.min(level);
                    } else {
                        second = second.max(level);
                    }
                }
                let alone = old.iter().filter(|&&w| w > 0.0).count() == 1;
                if alone && lowest - second > settled {
                    return false;
                }
                worst = worst.max(largest - lowest);
                gap += (0..classes).map(|r| old[r] * (largest - level[r])).sum::<f64>();
                if largest > lowest {
                    self.step(i, &level, &old, &mut new, &mut sorted);
                }
                true
            });
            settled = worst;
            if gap <= target {
                return done + 1;
            }
        }
        most
    }

    /// Maximises the dual over the weights of example i: projects w + g / K_ii onto the simplex.
    fn step(&mut self, i: usize, level: &[f64], old: &[f64], new: &mut [f64], sorted: &mut [f64]) {
        let curvature = self.gram[(i, i)];
        if curvature > 0.0 {
            for r in 0..old.len() {
                new[r] = old[r] + level[r] / curvature;
            }
            project(new, self.c[i], sorted);
        } else {
            // The dual is linear in these weights: all go to one best class.
            let best = (0..old.len()).fold(0, |b, r| if level[r] > level[b] { r } else { b });
            new.fill(0.0);
            new[best] = self.c[i];
        }
        for (r, (new, old)) in new.iter_mut().zip(old).enumerate() {
            self.w[(i, r)] = *new;
            *new -= old;
        }
        if curvature > 0.0 {
            let sums = self.v.as_mut().unwrap_or(&mut *self.g);
            wide(Subtract { sums, changes: new, column: self.columns.col(i).as_slice() });
        }
    }
}

/// Subtracts changes_r times the column from column r of the sums; of the column, one block after
/// another, which stays in the cache.
struct Subtract<'a> {
    sums: &'a mut Mat<f64>,
    changes: &'a [f64],
    column: &'a [f64],
}

const BLOCK: usize = 1024;

impl NullaryFnOnce for Subtract<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (block, column) in self.column.chunks(BLOCK).enumerate() {
            let rows = block * BLOCK..block * BLOCK + column.len();
            for (r, &change) in self.changes.iter().enumerate() {
                if change != 0.0 {
                    let sums = &mut self.sums.col_as_slice_mut(r)[rows.clone()];
                    add_multiple(sums, -change, column);
                }
            }
        }
    }
}
