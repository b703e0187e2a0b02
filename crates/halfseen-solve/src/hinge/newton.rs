//! Ascends the dual of a hinge problem by Newton steps on the variables between their bounds.

use super::ascent::Block;
use crate::cholesky::{factor_in_place, solve_in_place};
use crate::monitor::Monitor;
use crate::vectors::dot;
use faer::{Mat, MatRef, Par};

/// Step limit of one round; each shortened step brings at least one variable to a bound.
const STEPS: u64 = 6;
/// Ridge relative to the mean diagonal, so that singular matrices can be factored.
const RIDGE: f64 = 1e-11;

impl Block<'_> {
    /// Makes Newton steps until the free variables are optimal, the gap is at most `target`, the
    /// limit is reached, or the monitor asks to stop; returns their number.
    pub(super) fn newton(&mut self, target: f64, most: u64, monitor: &dyn Monitor) -> u64 {
        for done in 0..most.min(STEPS) {
            if self.gap() <= target || monitor.should_stop() {
                return done;
            }
            let free = self.free();
            if free.is_empty() {
                return done;
            }
            let mut room = std::mem::take(&mut self.room);
            let step = self.step(&free, &mut room);
            self.room = room;
            match step {
                Some(false) => {}
                Some(true) => return done + 1,
                None => {
                    self.failed = true;
                    return done;
                }
            }
        }
        most.min(STEPS)
    }

    /// Returns the variables strictly between their bounds.
    pub(super) fn free(&self) -> Vec<usize> {
        let free =
            |&i: &usize| self.a[i] > 0.0 && self.a[i] < self.c[i] && self.columns.diagonal[i] > 0.0;
        (0..self.a.len()).filter(free).collect()
    }

    /// Makes one step; returns true for a full one, and `None` if K_FF cannot be factored.
    fn step(&mut self, free: &[usize], room: &mut Vec<f64>) -> Option<bool> {
        let n = free.len();
        let mean = free.iter().map(|&i| self.columns.diagonal[i]).sum::<f64>() / n as f64;
        let mut ridge = RIDGE * mean;
        for _ in 0..3 {
            let mut factor = self.columns.triangle_into(free, room);
            (0..n).for_each(|i| factor[(i, i)] += ridge);
            if factor_in_place(factor.as_mut(), Par::Seq).is_ok() {
                let mut direction = Mat::from_fn(n, 1, |i, _| self.f[free[i]]);
                solve_in_place(factor.as_ref(), direction.as_mut());
                return Some(self.search(free, factor.as_ref(), ridge, &direction));
            }
            ridge *= 100.0;
        }
        None
    }

    /// Moves along the direction (K_FF + ridge)^-1 f_F in y a, whose full step makes the free
    /// variables optimal, clipped to the bounds, by the best of several lengths. Returns true for a
    /// full step.
    fn search(
        &mut self,
        free: &[usize],
        factor: MatRef<'_, f64>,
        ridge: f64,
        direction: &Mat<f64>,
    ) -> bool {
        let n = free.len();
        // Longest step that keeps all variables between their bounds.
        let mut longest = f64::INFINITY;
        for (at, &i) in free.iter().enumerate() {
            let d = self.y[i] * direction[(at, 0)];
            let room = if d > 0.0 { (self.c[i] - self.a[i]) / d } else { self.a[i] / -d };
            if d != 0.0 {
                longest = longest.min(room);
            }
        }
        let whole = longest >= 1.0;
        let mut best: (f64, Vec<f64>, Vec<f64>) = (0.0, Vec::new(), Vec::new());
        let mut length = 1.0;
        let mut last = false;
        loop {
            let to: Vec<f64> = free
                .iter()
                .enumerate()
                .map(|(at, &i)| {
                    (self.a[i] + length * self.y[i] * direction[(at, 0)]).clamp(0.0, self.c[i])
                })
                .collect();
            let moved: Vec<f64> =
                free.iter().zip(&to).map(|(&i, to)| (to - self.a[i]) * self.y[i]).collect();
            // <m, K m> = |L'm|^2 - ridge |m|^2, from the factor instead of K.
            let mut gain = 0.0;
            for at in 0..n {
                let column = factor.col(at).subrows(at, n - at).try_as_col_major();
                let rotated = column.map_or(0.0, |column| dot(column.as_slice(), &moved[at..]));
                gain += moved[at] * (self.f[free[at]] + 0.5 * ridge * moved[at])
                    - 0.5 * rotated * rotated;
            }
            if gain > best.0 {
                best = (gain, to, moved);
            } else if best.0 > 0.0 {
                break;
            }
            if whole || last {
                break;
            }
            length *= 0.4;
            if length <= longest {
                length = longest;
                last = true;
            }
        }
        let (_, to, moved) = best;
        if to.is_empty() {
            return true;
        }
        let mut signed = vec![0.0; self.a.len()];
        for (at, &i) in free.iter().enumerate() {
            self.a[i] = to[at];
            signed[i] = moved[at];
        }
        for (f, z) in self.f.iter_mut().zip(self.columns.times(&signed)) {
            *f -= z;
        }
        whole
    }
}
