//! Minimises a convex quadratic over the l1 ball by pairwise steps, to a certified gap.

use crate::monitor::{Monitor, Watch};
use crate::quadratic::Quadratic;
use crate::stop::SolverStop;

/// Number of steps between two recomputed gradients.
const REFRESH: u64 = 256;

/// Atom: coordinate j and sign s of the corner s B e_j; `None` is the centre.
type Atom = Option<(usize, f64)>;

/// Point of the ball for a convex quadratic.
pub struct BallPoint<'a> {
    quadratic: &'a Quadratic,
    /// B; may grow between two solutions.
    pub radius: f64,
    /// Coordinates of the point.
    pub weights: Vec<f64>,
    /// Gradient of f at `weights`; updated by columns of G and recomputed before it is trusted.
    pub gradient: Vec<f64>,
    /// Active coordinates, each once; all others have weight 0.
    support: Vec<usize>,
    /// Diagonal of G.
    diagonal: Vec<f64>,
}

impl<'a> BallPoint<'a> {
    /// Returns the centre.
    pub fn zero(quadratic: &'a Quadratic) -> BallPoint<'a> {
        let width = quadratic.cross.len();
        let diagonal = (0..width).map(|j| quadratic.diagonal(j)).collect();
        let weights = vec![0.0; width];
        let gradient = quadratic.gradient(&weights);
        BallPoint { quadratic, radius: 0.0, weights, gradient, support: Vec::new(), diagonal }
    }

    /// Takes steps until the certified gap is at most `enough`.
    pub fn solve(&mut self, enough: f64, max_iter: u64, monitor: &dyn Monitor) -> SolverStop {
        self.refresh();
        // A column of G may have to be computed.
        let (mut watch, width) = (Watch::new(monitor), self.weights.len());
        for step in 1..=max_iter {
            if watch.stops_after(width * width) {
                return SolverStop::Interrupted;
            }
            if step % REFRESH == 0 {
                self.refresh();
                if monitor.should_stop() {
                    return SolverStop::Interrupted;
                }
            }
            let (to, slope) = self.steepest();
            let done = self.gap_at(slope) <= enough;
            if done || !self.step(to, slope) {
                // No decision relies on a gradient with accumulated rounding errors.
                self.refresh();
                if self.gap() <= enough {
                    return SolverStop::Tolerance;
                }
                let (to, slope) = self.steepest();
                if !self.step(to, slope) {
                    return SolverStop::NoProgress;
                }
            }
        }
        self.refresh();
        if self.gap() <= enough { SolverStop::Tolerance } else { SolverStop::IterationLimit }
    }

    /// Removes rounding errors from the gradient and from the norm of the weights.
    fn refresh(&mut self) {
        let length: f64 = self.weights.iter().map(|w| w.abs()).sum();
        if length > self.radius {
            self.weights.iter_mut().for_each(|w| *w *= self.radius / length);
        }
        self.gradient = self.quadratic.gradient(&self.weights);
    }

    /// Returns the corner of steepest descent, and |g|_inf.
    fn steepest(&self) -> (Atom, f64) {
        let mut best = (None, 0.0);
        for (j, g) in self.gradient.iter().enumerate() {
            if g.abs() > best.1 {
                best = (Some((j, -g.signum())), g.abs());
            }
        }
        best
    }

    /// Returns <g, w> + B |g|_inf, a bound on f(w) - min f.
    pub fn gap(&self) -> f64 {
        self.gap_at(self.steepest().1)
    }

    fn gap_at(&self, largest: f64) -> f64 {
        let inner: f64 = self.support.iter().map(|&j| self.gradient[j] * self.weights[j]).sum();
        (inner + self.radius * largest).max(0.0)
    }

    /// Moves mass to the steepest corner from the active atom with the largest decrease of f.
    /// Returns `false` if there is none.
    ///
    /// Along s_j e_j - s_i e_i the slope is -(|g_j| + s_i g_i) and the curvature 2 (G_jj + G_ii - 2
    /// s_i s_j G_ij). At most |w_i| can be moved, or B - |w|_1 from the centre.
    fn step(&mut self, to: Atom, steepest: f64) -> bool {
        let Some((j, t)) = to else { return false };
        let column = self.quadratic.column(j);
        let used: f64 = self.support.iter().map(|&i| self.weights[i].abs()).sum();
        let (mut gain, mut chosen): (f64, Option<(Atom, f64, bool)>) = (0.0, None);
        let mut offer = |from: Atom, mass: f64, slope: f64, curvature: f64| {
            let whole = slope >= mass * curvature;
            let length = if whole { mass } else { slope / curvature };
            let fall = length * (slope - length * curvature / 2.0);
            if fall > gain {
                (gain, chosen) = (fall, Some((from, length, whole)));
            }
        };
        offer(None, (self.radius - used).max(0.0), steepest, 2.0 * self.diagonal[j]);
        for &i in &self.support {
            let (mass, s) = (self.weights[i].abs(), self.weights[i].signum());
            let curvature = 2.0 * (self.diagonal[j] + self.diagonal[i] - 2.0 * s * t * column[i]);
            offer(Some((i, s)), mass, steepest + s * self.gradient[i], curvature.max(0.0));
        }
        let Some((from, length, whole)) = chosen else { return false };
        if let Some((i, s)) = from {
            self.weights[i] = if whole { 0.0 } else { self.weights[i] - s * length };
            add(&mut self.gradient, -2.0 * s * length, &self.quadratic.column(i));
        }
        if self.weights[j] == 0.0 && !self.support.contains(&j) {
            self.support.push(j);
        }
        self.weights[j] += t * length;
        add(&mut self.gradient, 2.0 * t * length, &column);
        if whole {
            let weights = &self.weights;
            self.support.retain(|&i| weights[i] != 0.0);
        }
        true
    }
}

fn add(sum: &mut [f64], times: f64, column: &[f64]) {
    sum.iter_mut().zip(column).for_each(|(s, v)| *s += times * v);
}
