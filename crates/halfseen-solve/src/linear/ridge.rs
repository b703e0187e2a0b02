//! Minimises the squared loss over features from second moments, summed in blocks of examples.
//!
//! **Setting**: (1/2) |w|^2 + (C/2) sum_i (<w, f_i> - y_i)^2 for each column of targets. The
//! optimum is (G + I/C) w = h with G = F F', (D, D), and h = F y. After these are summed no
//! examples are needed, and every C costs a factorisation of D^3 / 3 multiplications. An
//! eigendecomposition of G, which costs more, is computed only if one fails.
//!
//! **Guarantee**: the objective is 1-strongly convex, so it exceeds the optimum by at most
//! |gradient|^2 / 2. Gradient and objective come from the moments, which is inaccurate if the
//! losses are tiny relative to y.

use super::outer::add_outer;
use super::{Features, LinearSolved, check_finite, increasing};
use crate::cholesky::CholeskyFactor;
use crate::error::{Error, Result};
use crate::monitor::{Monitor, Silent};
use crate::products::{mirror, multiply, product};
use crate::stop::SolverStop;
use crate::vectors::square;
use crate::{eigen, length, positive};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Relative gap below which refinement stops, and above which a factor is rejected.
const FINE: f64 = 1e-13;
const COARSE: f64 = 1e-8;
const REFINEMENTS: u64 = 3;

/// Second moments of features and targets, updated by blocks of examples.
#[derive(Debug, Clone)]
pub struct RidgeMoments {
    /// G, (D, D); its lower triangle.
    gram: Mat<f64>,
    /// h, (D, outputs).
    cross: Mat<f64>,
    /// |y|^2 of each output.
    squares: Vec<f64>,
    examples: usize,
}

impl RidgeMoments {
    /// Creates empty moments of `features` features and `outputs` targets.
    pub fn new(features: usize, outputs: usize) -> RidgeMoments {
        RidgeMoments {
            gram: Mat::zeros(features, features),
            cross: Mat::zeros(features, outputs),
            squares: vec![0.0; outputs],
            examples: 0,
        }
    }

    /// Adds examples: `features` is (D, b), one example per column; `targets` (b, outputs).
    ///
    /// # Errors
    /// If sizes differ or a number is not finite (rows count from the first example added); nothing
    /// is added then.
    pub fn add(&mut self, features: MatRef<'_, f64>, targets: MatRef<'_, f64>) -> Result<()> {
        self.add_while(features, targets, &Silent)
    }

    /// Does the same. The moments are useless once the monitor has asked to stop.
    fn add_while(
        &mut self,
        features: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        monitor: &dyn Monitor,
    ) -> Result<()> {
        let checked = Features::new(features)?;
        length("features", self.gram.nrows(), checked.width())?;
        length("targets", checked.len(), targets.nrows())?;
        length("outputs", self.squares.len(), targets.ncols())?;
        for column in targets.col_iter() {
            if let Some(i) = column.iter().position(|y| !y.is_finite()) {
                let row = self.examples + i + 1;
                return Err(Error::NotFinite { row, column: "target".into(), value: column[i] });
            }
        }
        add_outer(&mut self.gram, features, monitor);
        product(self.cross.as_mut(), Accum::Add, features, targets, 1.0);
        for (sum, column) in self.squares.iter_mut().zip(targets.col_iter()) {
            *sum += column.iter().map(|y| y * y).sum::<f64>();
        }
        self.examples += checked.len();
        Ok(())
    }

    /// Returns the number of examples added.
    pub fn len(&self) -> usize {
        self.examples
    }

    /// Returns true if no examples have been added.
    pub fn is_empty(&self) -> bool {
        self.examples == 0
    }

    /// Solves for each of `cs`, in their order, all outputs together.
    ///
    /// # Errors
    /// If there are no examples or a C is not positive; [`Error::Numerical`] if numbers are out of
    /// range; [`Error::Interrupted`].
    pub fn path(&self, cs: &[f64], monitor: &dyn Monitor) -> Result<Vec<LinearSolved>> {
        cs.iter().try_for_each(|&c| positive("c", c))?;
        if self.is_empty() {
            return Err(Error::TooFewRows { what: "ridge regression".into(), least: 1, rows: 0 });
        }
        let mut full = self.gram.clone();
        mirror(&mut full, 1.0);
        let by_factor = |&c: &f64| {
            if monitor.should_stop() {
                return Err(Error::Interrupted { during: "factoring second moments" });
            }
            let mut shifted = full.clone();
            (0..shifted.nrows()).for_each(|k| shifted[(k, k)] += 1.0 / c);
            let Ok(factor) = CholeskyFactor::new(shifted, Par::Seq) else { return Ok(None) };
            let refined = self.refined(&full, c, |b| factor.solve(b));
            Ok((refined.gap <= COARSE * refined.objective).then_some(refined))
        };
        let mut solved =
            cs.par_iter().map(by_factor).collect::<Result<Vec<Option<LinearSolved>>>>()?;
        if solved.iter().any(Option::is_none) {
            let (values, vectors) = eigen(full.as_ref())?;
            for (open, &c) in solved.iter_mut().zip(cs).filter(|(open, _)| open.is_none()) {
                *open = Some(self.refined(&full, c, |b| invert(&values, &vectors, c, b)));
            }
        }
        let solved: Vec<LinearSolved> = solved.into_iter().flatten().collect();
        solved
            .iter()
            .try_for_each(|s| check_finite("ridge regression over features", s.objective, s.gap))?;
        Ok(solved)
    }

    /// Solves by `invert`, which replaces b by an approximation of (G + I/C)^-1 b, and refines
    /// while the gap falls.
    fn refined(&self, full: &Mat<f64>, c: f64, invert: impl Fn(&mut Mat<f64>)) -> LinearSolved {
        let mut first = self.cross.clone();
        invert(&mut first);
        let (mut best, mut residual) = self.certified(full, c, first, 1);
        while best.gap > FINE * best.objective && best.passes <= REFINEMENTS {
            let mut next = residual.clone();
            invert(&mut next);
            next += &best.weights;
            let (next, of_next) = self.certified(full, c, next, best.passes + 1);
            if next.gap.is_nan() || next.gap >= best.gap {
                break;
            }
            (best, residual) = (next, of_next);
        }
        best
    }

    /// Returns objective and gap of weights, and the residual of the normal equations: h - (G +
    /// I/C) w.
    fn certified(
        &self,
        full: &Mat<f64>,
        c: f64,
        weights: Mat<f64>,
        passes: u64,
    ) -> (LinearSolved, Mat<f64>) {
        let mut product = Mat::zeros(weights.nrows(), weights.ncols());
        multiply(product.as_mut(), full.as_ref(), weights.as_ref());
        let (mut objective, mut missing) = (0.0, 0.0);
        for (j, y) in self.squares.iter().enumerate() {
            let (w, h) = (weights.col_as_slice(j), self.cross.col_as_slice(j));
            let out = product.col_as_slice_mut(j);
            // sum (z - y)^2 = w'(Gw - h) - w'h + y'y
            let mut loss = *y;
            for k in 0..w.len() {
                loss += w[k] * (out[k] - h[k]) - w[k] * h[k];
                out[k] = h[k] - out[k] - w[k] / c;
            }
            objective += square(w) / 2.0 + c / 2.0 * loss.max(0.0);
            missing += square(out);
        }
        let gap = c * c / 2.0 * missing;
        let support = self.examples;
        (
            LinearSolved { weights, objective, gap, passes, support, stop: SolverStop::ClosedForm },
            product,
        )
    }
}

/// Replaces b by V (l + 1/C)^-1 V'b.
fn invert(values: &[f64], vectors: &Mat<f64>, c: f64, b: &mut Mat<f64>) {
    let mut turned = Mat::zeros(b.nrows(), b.ncols());
    multiply(turned.as_mut(), vectors.transpose(), b.as_ref());
    for j in 0..turned.ncols() {
        turned
            .col_as_slice_mut(j)
            .iter_mut()
            .zip(values)
            .for_each(|(t, l)| *t /= l.max(0.0) + 1.0 / c);
    }
    multiply(b.as_mut(), vectors.as_ref(), turned.as_ref());
}

/// Number of examples added at a time.
const BLOCK: usize = 2048;

/// Solves for each of `cs`, in their order: `features` is (D, n), `targets` (n, outputs).
///
/// # Errors
/// As [`RidgeMoments::add`] and [`RidgeMoments::path`].
pub fn ridge_path(
    features: MatRef<'_, f64>,
    targets: MatRef<'_, f64>,
    cs: &[f64],
    monitor: &dyn Monitor,
) -> Result<Vec<LinearSolved>> {
    increasing(cs)?;
    length("targets", features.ncols(), targets.nrows())?;
    let mut moments = RidgeMoments::new(features.nrows(), targets.ncols());
    for start in (0..features.ncols()).step_by(BLOCK) {
        let many = BLOCK.min(features.ncols() - start);
        let (features, targets) = (features.subcols(start, many), targets.subrows(start, many));
        moments.add_while(features, targets, monitor)?;
        if monitor.should_stop() {
            return Err(Error::Interrupted { during: "summing second moments" });
        }
    }
    moments.path(cs, monitor)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{GRID, farthest, normal};
    use super::*;
    use crate::ridge::Spectrum;

    #[test]
    fn objectives_and_scores_are_those_of_the_gram_form() {
        for (d, n, outputs) in [(5, 60, 2), (40, 12, 1), (1, 1, 1), (7, 1, 3), (30, 30, 1)] {
            let (features, targets) = (normal(d, n, 1), normal(n, outputs, 2));
            let gram = features.transpose() * &features;
            let spectrum = Spectrum::new(gram.as_ref()).unwrap();
            for (ridge, c) in ridge_path(features.as_ref(), targets.as_ref(), &GRID, &Silent)
                .unwrap()
                .iter()
                .zip(GRID)
            {
                assert!(
                    ridge.gap <= 1e-8 * ridge.objective,
                    "{d} x {n}, {c}: {} of {}",
                    ridge.gap,
                    ridge.objective
                );
                let expected = spectrum.solve(targets.as_ref(), c).unwrap();
                let close = 1e-7 * expected.objective + 1e-13 * c * (n * outputs) as f64;
                assert!((ridge.objective - expected.objective).abs() <= close, "{d} x {n}, {c}");
                let scores = features.transpose() * &ridge.weights;
                assert!(
                    farthest(&scores, &(&gram * &expected.coefficients)) < 1e-5,
                    "{d} x {n}, {c}"
                );
            }
        }
    }

    #[test]
    fn the_gradient_is_zero_and_any_other_point_is_worse() {
        let (features, targets) = (normal(6, 40, 3), normal(40, 1, 4));
        let objective = |w: &Mat<f64>, c: f64| {
            let off = features.transpose() * w - &targets;
            square(w.col_as_slice(0)) / 2.0 + c / 2.0 * square(off.col_as_slice(0))
        };
        let ridge =
            ridge_path(features.as_ref(), targets.as_ref(), &[0.3], &Silent).unwrap().remove(0);
        assert!((objective(&ridge.weights, 0.3) - ridge.objective).abs() < 1e-12 * ridge.objective);
        for k in 0..6 {
            for step in [-1e-3, 1e-3] {
                let mut other = ridge.weights.clone();
                other[(k, 0)] += step;
                assert!(objective(&other, 0.3) > ridge.objective);
            }
        }
    }

    #[test]
    fn blocks_sum_to_the_whole() {
        let (features, targets) = (normal(9, 5000, 5), normal(5000, 2, 6));
        let whole =
            ridge_path(features.as_ref(), targets.as_ref(), &[1.0], &Silent).unwrap().remove(0);
        let mut moments = RidgeMoments::new(9, 2);
        for start in [0, 700, 4900] {
            let many = match start {
                0 => 700,
                700 => 4200,
                _ => 100,
            };
            moments
                .add(features.as_ref().subcols(start, many), targets.as_ref().subrows(start, many))
                .unwrap();
        }
        assert_eq!(moments.len(), 5000);
        let parts = moments.path(&[1.0], &Silent).unwrap().remove(0);
        assert!(farthest(&parts.weights, &whole.weights) < 1e-12);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let again = pool.install(|| {
                ridge_path(features.as_ref(), targets.as_ref(), &[1.0], &Silent).unwrap()
            });
            assert_eq!(again[0].weights, whole.weights);
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let (features, targets) = (normal(3, 4, 7), normal(4, 1, 8));
        let path = |f: &Mat<f64>, t: &Mat<f64>, c: f64| {
            ridge_path(f.as_ref(), t.as_ref(), &[c], &Silent).map(|_| ())
        };
        for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(path(&features, &targets, c).unwrap_err(), Error::OutOfRange { .. }));
        }
        assert!(matches!(
            path(&features, &normal(3, 1, 1), 1.0).unwrap_err(),
            Error::WrongLength { .. }
        ));
        assert!(matches!(
            path(&Mat::zeros(3, 0), &Mat::zeros(0, 1), 1.0).unwrap_err(),
            Error::TooFewRows { .. }
        ));
        assert!(matches!(path(&Mat::zeros(0, 4), &targets, 1.0).unwrap_err(), Error::NoColumns));
        for bad in [f64::NAN, f64::INFINITY] {
            let (mut f, mut t) = (features.clone(), targets.clone());
            (f[(2, 1)], t[(3, 0)]) = (bad, bad);
            assert!(matches!(
                path(&f, &targets, 1.0).unwrap_err(),
                Error::NotFinite { row: 2, .. }
            ));
            assert!(matches!(
                path(&features, &t, 1.0).unwrap_err(),
                Error::NotFinite { row: 4, .. }
            ));
        }
        let huge = Mat::from_fn(3, 4, |_, _| 1e200);
        assert!(matches!(path(&huge, &targets, 1.0).unwrap_err(), Error::Numerical { .. }));
    }
}
