//! Ascends the dual of the multi-class hinge loss by one example's weights at a time.

use super::dual::Dual;
use crate::hinge::Slices;
use crate::monitor::Monitor;
use crate::sampling::{Stream, shuffle};
use crate::vectors::{add_multiple, dot};
use crate::wide::{NullaryFnOnce, wide};
use faer::Mat;

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

/// Source of the levels g_ir = 1(r != y_i) + z_ir of an example.
pub(crate) enum Levels<'s> {
    /// They are kept, (n, classes), and every change of w is added through a column of K.
    Kept(&'s mut Mat<f64>),
    /// They are computed where they are asked for, of v = sum_i b_i x_i, (width, classes), and x_i.
    Computed(&'s mut Mat<f64>),
}

/// Current point.
pub(crate) struct Ascent<'s> {
    /// K; or x_i, (width, n), with K_ij = <x_i, x_j>.
    pub(crate) columns: Slices<'s>,
    /// K_ii.
    pub(crate) diagonal: &'s [f64],
    /// They belong to the weights of the dual.
    pub(crate) levels: Levels<'s>,
    pub(crate) dual: &'s mut Dual,
}

impl Ascent<'_> {
    /// Writes g_i.
    fn levels(&self, i: usize, levels: &mut [f64]) {
        match &self.levels {
            Levels::Kept(g) => (0..levels.len()).for_each(|r| levels[r] = g[(i, r)]),
            Levels::Computed(v) => {
                let column = self.columns.col(i).as_slice();
                raised(self.dual.y[i], levels, |r| dot(v.col_as_slice(r), column));
            }
        }
    }

    /// Makes passes over the unsettled examples until the gap seen on the way is at most `target`;
    /// returns their number.
    pub(crate) fn passes(
        &mut self,
        most: u64,
        target: f64,
        mut stream: Stream,
        monitor: &dyn Monitor,
    ) -> u64 {
        let classes = self.dual.w.nrows();
        let mut active: Vec<usize> = (0..self.dual.w.ncols()).collect();
        let room = || vec![0.0; classes];
        let (mut new, mut sorted, mut level) = (room(), room(), room());
        let mut settled = f64::INFINITY;
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
                let (old, mut positive) = (self.dual.w.col_as_slice(i), 0);
                for (&old, &level) in old.iter().zip(&level) {
                    largest = largest.max(level);
                    if old > 0.0 {
                        positive += 1;
                        lowest = lowest.min(level);
                    } else {
                        second = second.max(level);
                    }
                }
                if positive == 1 && lowest - second > settled {
                    return false;
                }
                worst = worst.max(largest - lowest);
                gap += old.iter().zip(&level).map(|(w, level)| w * (largest - level)).sum::<f64>();
                if largest > lowest {
                    self.step(i, &level, &mut new, &mut sorted);
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
    fn step(&mut self, i: usize, level: &[f64], new: &mut [f64], sorted: &mut [f64]) {
        let (old, curvature, cost) =
            (self.dual.w.col_as_slice_mut(i), self.diagonal[i], self.dual.c[i]);
        if curvature > 0.0 {
            for r in 0..old.len() {
                new[r] = old[r] + level[r] / curvature;
            }
            project(new, cost, sorted);
        } else {
            // The dual is linear in these weights: all go to one best class.
            let best = (0..old.len()).fold(0, |b, r| if level[r] > level[b] { r } else { b });
            new.fill(0.0);
            new[best] = cost;
        }
        for (new, old) in new.iter_mut().zip(old) {
            *new -= std::mem::replace(old, *new);
        }
        if curvature > 0.0 {
            let (Levels::Kept(sums) | Levels::Computed(sums)) = &mut self.levels;
            wide(Subtract { sums, changes: new, column: self.columns.col(i).as_slice() });
        }
    }
}

/// Writes the levels 1(r != y) + score_r of an example of class y.
pub(crate) fn raised(y: usize, levels: &mut [f64], score: impl Fn(usize) -> f64) {
    for (r, level) in levels.iter_mut().enumerate() {
        *level = if r == y { 0.0 } else { 1.0 } + score(r);
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
