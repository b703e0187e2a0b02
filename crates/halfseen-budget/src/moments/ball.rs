//! Minimises a quadratic over the l1 ball: convex to a certified gap, indefinite to a stationary
//! point.
//!
//! The estimate G of a second moment is symmetric but need not be positive semidefinite, so w'Gw -
//! 2 c'w + s need not be convex. Three repairs exist: G unchanged; its projection G+ on the
//! positive semidefinite matrices, the nearest in the Frobenius norm; and G + |l| I for the least
//! eigenvalue l < 0.
//!
//! If attribute i was observed in no product, row i of G+ is zero while c_i is not. No distribution
//! has such moments, and the quadratic is unbounded below along i; so G+ is used with c_i = 0,
//! which gives i no weight. Else such attributes take the ball's whole radius.

use super::reduced::Reduced;
use faer::Mat;
use halfseen_core::error::Result;
use halfseen_core::model::Stop;
use halfseen_core::params::MomentRepair;
use halfseen_solve::Monitor;
use halfseen_solve::projection::onto_l1_ball_in;
use halfseen_solve::{BallPoint, Form, Quadratic, eigen, eigenvalues, outer_products};

/// Steps between two checks of the monitor.
const BETWEEN_LOOKS: u64 = 64;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Gap that is small enough.
    pub(crate) gap: f64,
    /// Largest number of steps.
    pub(crate) steps: u64,
}

/// A point of the ball that a solver stopped at.
#[derive(Debug, Clone)]
pub(crate) struct BallMinimum {
    pub(crate) weights: Vec<f64>,
    pub(crate) stop: Stop,
    /// Value of the repaired quadratic there.
    pub(crate) objective: f64,
    /// <g, w> + B |g|_inf for the gradient g: 0 only at stationary points; if the quadratic is
    /// convex, a bound on objective minus optimum.
    pub(crate) gap: f64,
}

#[derive(Debug)]
pub(crate) struct Ball {
    quadratic: Quadratic,
    /// For an indefinite quadratic: the largest absolute eigenvalue of G.
    steepness: Option<f64>,
}

impl Ball {
    /// Repairs the moments, with one eigendecomposition.
    ///
    /// # Errors
    /// If that fails.
    pub(crate) fn new(moments: &Reduced, reading: MomentRepair) -> Result<Ball> {
        let (gram, mut cross) = (&moments.gram, moments.cross.clone());
        let (gram, steepness) = match reading {
            MomentRepair::Stationary => {
                let largest = eigenvalues(gram)?.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
                (gram.clone(), Some(largest))
            }
            MomentRepair::Psd => {
                let mut seen = gram.clone();
                for &i in &moments.unseen {
                    cross[i] = 0.0;
                    seen.col_as_slice_mut(i).fill(0.0);
                    (0..seen.ncols()).for_each(|j| seen[(i, j)] = 0.0);
                }
                (nearest_semidefinite(&seen)?, None)
            }
            MomentRepair::DiagShift => (shifted(gram)?, None),
        };
        let quadratic = Quadratic::new(Form::Gram(gram), cross, moments.constant);
        Ok(Ball { quadratic, steepness })
    }

    #[cfg(test)]
    pub(super) fn quadratic(&self) -> &Quadratic {
        &self.quadratic
    }

    /// Minimises over the balls of these increasing radii: a convex problem starts from the
    /// solution of the one before, an indefinite one from 0.
    pub(crate) fn minimise<'a>(
        &'a self,
        radii: impl Iterator<Item = (f64, Limits)> + 'a,
        monitor: &'a dyn Monitor,
    ) -> impl Iterator<Item = BallMinimum> + 'a {
        let mut point = BallPoint::zero(&self.quadratic);
        radii.map(move |(radius, limits)| match self.steepness {
            Some(steepness) => self.descend(radius, steepness, limits, monitor),
            None => {
                point.radius = radius;
                let stop = point.solve(limits.gap, limits.steps, monitor).into();
                let objective = self.quadratic.level(&point.weights, &point.gradient);
                BallMinimum { weights: point.weights.clone(), stop, objective, gap: point.gap() }
            }
        })
    }

    /// Takes projected gradient steps of size 1/(2 steepness) from 0. That size is the inverse of
    /// the gradient's Lipschitz constant: no step raises the objective, convex or not.
    fn descend(
        &self,
        radius: f64,
        steepness: f64,
        limits: Limits,
        monitor: &dyn Monitor,
    ) -> BallMinimum {
        let mut weights = vec![0.0; self.quadratic.cross.len()];
        let (mut gradient, mut room) = (self.quadratic.gradient(&weights), Vec::new());
        let mut gap = gap(&weights, &gradient, radius);
        let slope = gradient.iter().fold(0.0_f64, |a, g| a.max(g.abs()));
        // Without curvature any step will do.
        let size = if steepness > 0.0 { 0.5 / steepness } else { radius / slope };
        let mut stop = Stop::IterationLimit;
        for step in 0..=limits.steps {
            if gap <= limits.gap {
                stop = Stop::Stationary;
                break;
            }
            if step % BETWEEN_LOOKS == 0 && monitor.should_stop() {
                stop = Stop::Interrupted;
                break;
            }
            if step < limits.steps {
                weights.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= size * g);
                onto_l1_ball_in(&mut weights, radius, &mut room);
                self.quadratic.gradient_in(&weights, &mut gradient);
                gap = self::gap(&weights, &gradient, radius);
            }
        }
        let objective = self.quadratic.level(&weights, &gradient);
        BallMinimum { weights, stop, objective, gap }
    }
}

/// Returns <g, w> + B |g|_inf.
fn gap(weights: &[f64], gradient: &[f64], radius: f64) -> f64 {
    let inner: f64 = weights.iter().zip(gradient).map(|(w, g)| w * g).sum();
    (inner + radius * gradient.iter().fold(0.0_f64, |a, g| a.max(g.abs()))).max(0.0)
}

/// Returns the sum of the eigencomponents with positive eigenvalues.
fn nearest_semidefinite(gram: &Mat<f64>) -> Result<Mat<f64>> {
    let (values, vectors) = eigen(gram.as_ref())?;
    let kept: Vec<usize> = (0..values.len()).filter(|&i| values[i] > 0.0).collect();
    let roots = Mat::from_fn(gram.nrows(), kept.len(), |j, i| {
        vectors[(j, kept[i])] * values[kept[i]].sqrt()
    });
    Ok(outer_products(&roots))
}

/// Adds the absolute least eigenvalue to the diagonal, if it is negative.
fn shifted(gram: &Mat<f64>) -> Result<Mat<f64>> {
    let least = eigenvalues(gram)?.into_iter().fold(0.0_f64, f64::min);
    let mut gram = gram.clone();
    (0..gram.nrows()).for_each(|i| gram[(i, i)] -= least);
    Ok(gram)
}
