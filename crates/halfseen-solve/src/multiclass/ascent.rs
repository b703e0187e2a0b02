//! Ascends the dual of the multi-class hinge loss by one example's weights at a time.

use super::Search;
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream, shuffle};
use crate::vectors::{add_multiple, dot};
use faer::{ContiguousFwd, Mat, MatRef};

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

/// L', (rank, n), with K = L L'.
pub(super) type Low<'s> = MatRef<'s, f64, usize, usize, ContiguousFwd>;

/// Current point.
pub(super) struct Ascent<'s> {
    gram: MatRef<'s, f64>,
    /// L' and v = L' b, (rank, classes): g is computed where it is asked for, and not kept.
    /// Without, g is updated with every change of w.
    low: Option<(Low<'s>, Mat<f64>)>,
    y: &'s [usize],
    w: &'s mut Mat<f64>,
    g: &'s mut Mat<f64>,
    c: &'s [f64],
}

impl<'s> Ascent<'s> {
    /// Creates an ascent; `search.g` must belong to `search.w`.
    pub(super) fn new(search: &'s mut Search<'_>, low: Option<Low<'s>>) -> Ascent<'s> {
        let low = low.map(|low| (low, low.as_dyn_stride() * search.coefficients()));
        let Search { gram, y, w, g, c, .. } = search;
        Ascent { gram: *gram, low, y, w, g, c }
    }

    /// Writes g_i.
    fn levels(&self, i: usize, levels: &mut [f64]) {
        match &self.low {
            None => levels.iter_mut().enumerate().for_each(|(r, level)| *level = self.g[(i, r)]),
            Some((low, v)) => {
                for (r, level) in levels.iter_mut().enumerate() {
                    let margin = if r == self.y[i] { 0.0 } else { 1.0 };
                    *level = margin + dot(v.col_as_slice(r), low.col(i).as_slice());
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
        for r in 0..old.len() {
            self.w[(i, r)] = new[r];
            let change = new[r] - old[r];
            if change != 0.0 && curvature > 0.0 {
                match &mut self.low {
                    Some((low, v)) => {
                        add_multiple(v.col_as_slice_mut(r), -change, low.col(i).as_slice());
                    }
                    None => {
                        let column = self.gram.col(i);
                        for (g, k) in self.g.col_as_slice_mut(r).iter_mut().zip(column.iter()) {
                            *g -= change * k;
                        }
                    }
                }
            }
        }
    }
}
