//! Fits least squares in a Euclidean ball (ridge regression), for all radii from one decomposition.
//!
//! **Setting**: every attribute of every example is read. The fit minimises (1/m) sum_i (<w, x_i> +
//! b - y_i)^2 over |w|_2 <= B and any b, the full-information reference of Cesa-Bianchi et al.
//! 2010, section 2; with `penalty` it minimises the same plus alpha |w|^2 over all w.
//!
//! **Guarantee**: the report's gap bounds objective minus optimum: for any w in the ball by <grad
//! f(w), w> + B |grad f(w)|_2, since f is convex (Frank and Wolfe, 1956); with the penalty by
//! |grad|^2 / (4 alpha), since the objective is 2 alpha-strongly convex.
//!
//! **Symbols**: G = V diag(l) V' the second moments; c the products with the target; q = V'w and t
//! = V'c, so that w(alpha) = V q with q_i = t_i / (l_i + alpha) minimises f + alpha |w|^2. By the
//! Karush-Kuhn-Tucker conditions the solution in the ball is w(alpha) with |w(alpha)| = B, or the
//! shortest least-squares solution w(0) if it is inside.

use super::centred::Centred;
use super::norm;
use super::second_moments::{self, second_moments};
use faer::Mat;
use halfseen_core::data::Examples;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::size::FEWER_COLUMNS;
use halfseen_core::learner::together::{fits_together, grouped};
use halfseen_core::learner::{FitSize, Grid, InParts, Learner, Needed};
use halfseen_core::model::{Fit, Stop};
use halfseen_core::params::{Fill, Needs, parameters};
use halfseen_solve::Monitor;
use halfseen_solve::{Form, Quadratic, eigen, outer_products};
use halfseen_solve::{combine, dot, transposed};
use std::time::Instant;

parameters! {
    /// Least squares in a Euclidean ball, or with a quadratic penalty.
    pub struct Ridge {
        name: "ridge", family: Full,
        title: "Ridge regression on all attributes",
        source: "Cesa-Bianchi et al. 2010, section 2 (full-information reference); Hoerl and Kennard 1970";
        radius: f64 = 1.0, RADIUS;
        penalty: Option<f64> = None, RIDGE_PENALTY;
        intercept: bool = true, INTERCEPT;
    }
}

impl Learner for Ridge {
    fn grid(&self) -> Grid {
        Grid::new(&[("radius", &["0.125", "0.25", "0.5", "0.75", "1", "1.5", "2", "3", "4", "8"])])
    }

    fn needs(&self) -> Needs {
        Needs { weights: true, ..Needs::of(self) }
    }

    fn in_parts(&self, _: usize) -> Option<InParts> {
        Some(InParts::Moments(Fill::Mean))
    }

    fn needed(&self, size: &FitSize) -> Needed {
        // With fewer rows than columns: the rows, their products, the eigenvectors of those, and
        // theirs of the columns, twice. Else the moments, their eigenvectors, and three times as
        // much to find them. A block of rows is read at a time.
        let numbers = match size.rows < size.columns {
            true => 4.0 * size.cells() + 4.0 * size.row_pairs(),
            false => 5.0 * size.column_pairs() + second_moments::BLOCK as f64 * size.d(),
        };
        Needed::of(size, numbers).with(FEWER_COLUMNS)
    }

    // One decomposition for all radii and penalties. Seconds include it.
    fits_together!(fit_all);
}

fn fit_all(learners: &[Ridge], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let examples = &*examples.counted()?;
    let alike = |a: &Ridge, b: &Ridge| a.intercept == b.intercept;
    grouped(
        learners,
        alike,
        |_| 0.0,
        |together| {
            let decomposed = Decomposed::new(examples, together[0].intercept, monitor)?;
            together.iter().map(|learner| decomposed.fit(learner)).collect()
        },
    )
}

struct Decomposed<'a, 'b> {
    data: Centred<'a, 'b>,
    quadratic: Quadratic,
    spectrum: Spectrum,
    seconds: f64,
}

impl<'a, 'b> Decomposed<'a, 'b> {
    fn new(examples: &'a Examples<'b>, intercept: bool, monitor: &dyn Monitor) -> Result<Self> {
        let start = Instant::now();
        let data = Centred::new(examples, "ridge", intercept)?;
        let quadratic = second_moments(&data, monitor)?;
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "summing second moments" }.into());
        }
        let spectrum = Spectrum::new(&quadratic, data.len())?;
        Ok(Decomposed { data, quadratic, spectrum, seconds: start.elapsed().as_secs_f64() })
    }

    fn fit(&self, ridge: &Ridge) -> Result<Fit> {
        let start = Instant::now();
        let alpha = match ridge.penalty {
            Some(alpha) => alpha,
            None => self.spectrum.multiplier(ridge.radius),
        };
        let mut weights = self.spectrum.weights(alpha);
        if ridge.penalty.is_none() {
            let length = norm(&weights);
            if length > ridge.radius {
                weights.iter_mut().for_each(|w| *w *= ridge.radius / length);
            }
        }
        let (objective, gap) = self.certify(ridge, &weights);
        let mut report = self.data.report("ridge", Stop::ClosedForm);
        report.objective = Some(objective);
        report.gap = Some(gap);
        report.seconds = self.seconds + start.elapsed().as_secs_f64();
        Ok(Fit { predictor: self.data.predictor(&weights).into(), report })
    }

    /// Returns the objective, and a bound on its distance from the optimum.
    fn certify(&self, ridge: &Ridge, weights: &[f64]) -> (f64, f64) {
        let mut gradient = self.quadratic.gradient(weights);
        let value = self.quadratic.value(weights, &gradient);
        match ridge.penalty {
            None => (value, (dot(&gradient, weights) + ridge.radius * norm(&gradient)).max(0.0)),
            Some(alpha) => {
                gradient.iter_mut().zip(weights).for_each(|(g, w)| *g += 2.0 * alpha * w);
                (value + alpha * dot(weights, weights), dot(&gradient, &gradient) / (4.0 * alpha))
            }
        }
    }
}

/// Eigenvectors of G with non-zero eigenvalues, (width, rank), and data of w(alpha).
struct Spectrum {
    vectors: Mat<f64>,
    /// l_i, all above zero.
    values: Vec<f64>,
    /// t = V'c.
    targets: Vec<f64>,
}

impl Spectrum {
    /// Decomposes G (width x width), or, with fewer rows than columns, the kernel XX'/m (m x m),
    /// which has the same non-zero eigenvalues; its eigenvectors u give those of G as X'u,
    /// normalised.
    fn new(quadratic: &Quadratic, examples: usize) -> Result<Spectrum> {
        let width = quadratic.cross.len();
        let (values, vectors) = match quadratic.form() {
            Form::Gram(gram) => eigen(gram.as_ref())?,
            Form::Rows(rows) => {
                let (_, kernel) = eigen(outer_products(rows).as_ref())?;
                let mut vectors = Mat::zeros(width, rows.nrows());
                let mut values = vec![0.0; rows.nrows()];
                for (i, value) in values.iter_mut().enumerate() {
                    let image = transposed(rows, kernel.col_as_slice(i));
                    let length = norm(&image);
                    *value = length * length;
                    let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
                    vectors
                        .col_as_slice_mut(i)
                        .iter_mut()
                        .zip(&image)
                        .for_each(|(v, x)| *v = x * scale);
                }
                (values, vectors)
            }
        };
        // Smaller eigenvalues are rounding errors of zero.
        let largest = values.iter().fold(0.0_f64, |a, &b| a.max(b));
        let cutoff = largest * f64::EPSILON * width.max(examples.min(10_000)) as f64;
        let kept: Vec<usize> = (0..values.len()).filter(|&i| values[i] > cutoff).collect();
        let vectors = Mat::from_fn(width, kept.len(), |j, i| vectors[(j, kept[i])]);
        let values = kept.iter().map(|&i| values[i]).collect();
        let targets = transposed(&vectors, &quadratic.cross);
        Ok(Spectrum { vectors, values, targets })
    }

    fn weights(&self, alpha: f64) -> Vec<f64> {
        let q: Vec<f64> =
            self.targets.iter().zip(&self.values).map(|(t, l)| t / (l + alpha)).collect();
        combine(&self.vectors, &q)
    }

    /// Returns the alpha at which |w(alpha)| = B; 0 if w(0) is inside the ball.
    ///
    /// Runs Newton's method on 1/|w(alpha)| - 1/B (More and Sorensen, 1983), which is concave and
    /// nearly linear: from the left, where it is negative, steps never overshoot. A bracket guards
    /// against rounding.
    fn multiplier(&self, radius: f64) -> f64 {
        let (mut low, mut high) = (0.0, norm(&self.targets) / radius);
        let mut alpha = 0.0;
        for _ in 0..200 {
            // Squares of q / B do not overflow unless q does.
            let (mut square, mut slope) = (0.0, 0.0);
            for (t, l) in self.targets.iter().zip(&self.values) {
                let q = t / (l + alpha) / radius;
                square += q * q;
                slope += q * q / (l + alpha);
            }
            let ratio = square.sqrt();
            if ratio <= 1.0 {
                high = alpha;
            } else {
                low = alpha;
            }
            if (ratio - 1.0).abs() <= 4.0 * f64::EPSILON || high <= low {
                break;
            }
            let newton = alpha + (ratio - 1.0) * square / slope;
            let next =
                if newton > low && newton < high { newton } else { low + (high - low) / 2.0 };
            if next == alpha {
                break;
            }
            alpha = next;
        }
        alpha
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Data, mean_square};
    use halfseen_core::learner::configured;
    use halfseen_solve::Silent;
    use halfseen_solve::projection::onto_l2_ball;

    fn fit(ridge: &Ridge, data: &Data) -> Fit {
        ridge.fit(&data.examples(), &Silent).unwrap()
    }

    fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
    }

    const SHAPES: [(usize, usize); 6] = [(300, 4), (40, 40), (7, 20), (1, 3), (5, 1), (1, 1)];

    #[test]
    fn projected_gradient_descent_reaches_the_same_objective() {
        for (m, d) in SHAPES {
            let data = Data::random(m, d, 3);
            for (radius, intercept) in [(0.3, true), (1.0, false), (2.0, true)] {
                let ridge = fit(&Ridge { radius, intercept, penalty: None }, &data);
                let weights = &ridge.linear().unwrap().weights.clone();
                assert!(norm(weights) <= radius * (1.0 + 1e-12));
                let objective = mean_square(&data, weights, ridge.linear().unwrap().intercept);
                let plain = data.minimise(intercept, 20_000, |w| onto_l2_ball(w, radius));
                assert!((objective - plain).abs() < 1e-8, "{m} x {d}: {objective} and {plain}");
                assert!((ridge.report.objective.unwrap() - objective).abs() < 1e-10);
                assert!(ridge.report.gap.unwrap() < 1e-9, "{m} x {d}: gap {:?}", ridge.report.gap);
            }
        }
    }

    #[test]
    fn the_penalty_that_the_radius_found_gives_the_same_weights() {
        for (m, d) in SHAPES {
            let data = Data::random(m, d, 4);
            let examples = data.examples();
            let decomposed = Decomposed::new(&examples, false, &Silent).unwrap();
            let radius = 0.4 * norm(&decomposed.spectrum.weights(0.0));
            let alpha = decomposed.spectrum.multiplier(radius);
            assert!(alpha > 0.0);
            let ball = fit(&Ridge { radius, intercept: false, penalty: None }, &data);
            let penalised =
                fit(&Ridge { radius: 1e-3, intercept: false, penalty: Some(alpha) }, &data);
            assert!(close(
                &ball.linear().unwrap().weights,
                &penalised.linear().unwrap().weights,
                1e-12
            ));
            let expected = ball.report.objective.unwrap() + alpha * radius * radius;
            assert!((penalised.report.objective.unwrap() - expected).abs() < 1e-10);
            assert!(penalised.report.gap.unwrap() < 1e-14);
        }
    }

    #[test]
    fn a_huge_radius_gives_least_squares() {
        let data = Data::random(200, 4, 5);
        let ridge = fit(&Ridge { radius: 1e6, ..Ridge::default() }, &data);
        // Normal equations: residuals are orthogonal to the attributes and to the constant.
        let residual = |i| ridge.linear().unwrap().score(&data.row(i)) - data.targets[i];
        for j in 0..4 {
            let product: f64 = (0..200).map(|i| residual(i) * data.row(i)[j]).sum();
            assert!(product.abs() < 1e-9);
        }
        assert!((0..200).map(residual).sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn with_more_columns_than_rows_the_shortest_solution_interpolates() {
        let data = Data::random(6, 30, 6);
        let ridge = fit(&Ridge { radius: 1e6, ..Ridge::default() }, &data);
        assert!(ridge.report.objective.unwrap() < 1e-13);
        // Shortest: a combination of centred rows, so another row of the null space is harmless.
        let mut longer = data.clone();
        longer.repeat_rows(8);
        let same = fit(&Ridge { radius: 1e6, ..Ridge::default() }, &longer);
        assert!(close(&ridge.linear().unwrap().weights, &same.linear().unwrap().weights, 1e-9));
    }

    #[test]
    fn kernel_form_and_gram_form_agree_on_repeated_rows() {
        // 5 rows of 9 columns, and each row four times: 20 rows of 9 columns.
        let data = Data::random(5, 9, 7);
        let mut repeated = data.clone();
        repeated.repeat_rows(4);
        for radius in [0.2, 1.0] {
            let ridge = Ridge { radius, ..Ridge::default() };
            let (a, b) = (fit(&ridge, &data), fit(&ridge, &repeated));
            assert!(close(&a.linear().unwrap().weights, &b.linear().unwrap().weights, 1e-10));
            assert!((a.linear().unwrap().intercept - b.linear().unwrap().intercept).abs() < 1e-10);
        }
    }

    #[test]
    fn a_grid_gives_what_separate_fits_give() {
        let data = Data::random(50, 5, 8);
        let mut settings = Ridge::default().grid().settings();
        settings.push(vec![("penalty", "0.1".into()), ("intercept", "false".into())]);
        let fits = Ridge::default().fit_grid(&settings, &data.examples(), &Silent).unwrap();
        for (setting, together) in settings.iter().zip(&fits) {
            let alone = fit(&configured(&Ridge::default(), setting).unwrap(), &data);
            assert_eq!(alone.predictor, together.predictor);
        }
    }

    #[test]
    fn constant_columns_get_no_weight_and_only_they() {
        let data =
            Data::new(ndarray::array![[3.0, 1.0], [3.0, 2.0], [3.0, 4.0]], vec![1.0, 2.0, 4.0]);
        let ridge = fit(&Ridge { radius: 5.0, ..Ridge::default() }, &data);
        assert!(close(&ridge.linear().unwrap().weights, &[0.0, 1.0], 1e-12));
        let data = Data::new(ndarray::array![[3.0], [3.0]], vec![1.0, 2.0]);
        let ridge = fit(&Ridge::default(), &data);
        assert_eq!(
            (ridge.linear().unwrap().weights[0], ridge.linear().unwrap().intercept),
            (0.0, 1.5)
        );
        assert_eq!(ridge.report.gap, Some(0.0));
    }

    #[test]
    fn extreme_radii_stay_finite() {
        let data = Data::random(30, 3, 9);
        for radius in [1e-300, 1e-12, 1e12, 1e300] {
            let ridge = fit(&Ridge { radius, ..Ridge::default() }, &data);
            assert!(ridge.linear().unwrap().weights.iter().all(|w| w.is_finite()));
            assert!(norm(&ridge.linear().unwrap().weights) <= radius);
        }
    }
}
