//! Fits least squares in an l1 ball (the lasso, constraint form) to a certified gap.
//!
//! **Setting**: every attribute of every example is read. The fit minimises f(w) = (1/m) sum_i (<w,
//! x_i> + b - y_i)^2 over |w|_1 <= B and any b, the full-information reference of Cesa-Bianchi et
//! al. 2010, section 2.
//!
//! **Guarantee**: the report's gap, <grad f(w), w> + B |grad f(w)|_inf, bounds f(w) minus the
//! optimum (Frank and Wolfe, 1956; Jaggi, ICML 2013). The solver stops when it is at most `tol`
//! times f(0), the mean square of the (centred) targets. Iterates stay in the ball.
//!
//! **Method**: the ball is the convex hull of 2d + 1 atoms: the corners B e_j and -B e_j, and 0.
//! Each step moves mass to the corner of steepest descent (pairwise Frank-Wolfe: Lacoste-Julien and
//! Jaggi, NIPS 2015), from the active atom that then decreases f most (the second-order choice of
//! Fan, Chen and Lin, JMLR 2005, for support vector machines), with exact line search. A step costs
//! O(d): two columns of G.
//!
//! **Symbols**: G, c the second moments; g = grad f(w).

use super::centred::Centred;
use super::second_moments::{self, second_moments};
use halfseen_core::data::Examples;
use halfseen_core::error::Result;
use halfseen_core::learner::size::FEWER_COLUMNS;
use halfseen_core::learner::together::{fits_together, grouped};
use halfseen_core::learner::{FitSize, Grid, InParts, Learner, Needed};
use halfseen_core::model::Fit;
use halfseen_core::params::{Fill, Needs, parameters};
use halfseen_solve::{BallPoint, Monitor};
use std::time::Instant;

parameters! {
    /// Least squares in an l1 ball.
    pub struct Lasso {
        name: "lasso", family: Full,
        title: "Lasso on all attributes",
        source: "Cesa-Bianchi et al. 2010, section 2 (full-information reference); Tibshirani 1996";
        radius: f64 = 8.0, RADIUS;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 1_000_000, MAX_ITER;
        intercept: bool = true, INTERCEPT;
    }
}

impl Learner for Lasso {
    fn grid(&self) -> Grid {
        Grid::new(&[("radius", &["0.25", "0.5", "1", "2", "4", "8", "12", "16", "24", "32", "64"])])
    }

    fn needs(&self) -> Needs {
        Needs { weights: true, ..Needs::of(self) }
    }

    fn in_parts(&self, _: usize) -> Option<InParts> {
        Some(InParts::Moments(Fill::Mean))
    }

    fn needed(&self, size: &FitSize) -> Needed {
        // The rows and the products of some columns, or the moments; a block of rows is read at a
        // time.
        let numbers = match size.rows < size.columns {
            true => 4.0 * size.cells(),
            false => size.column_pairs() + second_moments::BLOCK as f64 * size.d(),
        };
        Needed::of(size, numbers).with(FEWER_COLUMNS)
    }

    // Second moments are summed once for each kind of intercept; each radius starts from the
    // solution of the next smaller one. Seconds include the summing.
    fits_together!(fit_all);
}

fn fit_all(learners: &[Lasso], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let examples = &*examples.counted()?;
    let alike = |a: &Lasso, b: &Lasso| a.intercept == b.intercept;
    grouped(
        learners,
        alike,
        |learner| learner.radius,
        |path| {
            let start = Instant::now();
            let data = Centred::new(examples, Lasso::NAME, path[0].intercept)?;
            let quadratic = second_moments(&data, monitor)?;
            let shared = start.elapsed().as_secs_f64();
            let mut point = BallPoint::zero(&quadratic);
            let fit = |learner: &&Lasso| {
                let start = Instant::now();
                point.radius = learner.radius;
                let stop = point.solve(learner.tol * quadratic.constant, learner.max_iter, monitor);
                let mut report = data.report(Lasso::NAME, stop.into());
                report.objective = Some(quadratic.value(&point.weights, &point.gradient));
                report.gap = Some(point.gap());
                report.seconds = shared + start.elapsed().as_secs_f64();
                Ok(Fit { predictor: data.predictor(&point.weights).into(), report })
            };
            path.iter().map(fit).collect()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Ridge;
    use crate::testing::{Data, mean_square};
    use halfseen_core::learner::configured;
    use halfseen_core::model::Stop;
    use halfseen_solve::Silent;
    use halfseen_solve::projection::onto_l1_ball;
    use halfseen_solve::sampling::{Purpose, Stream};
    use proptest::prelude::*;

    fn fit(lasso: &Lasso, data: &Data) -> Fit {
        lasso.fit(&data.examples(), &Silent).unwrap()
    }

    fn exact(radius: f64) -> Lasso {
        Lasso { radius, tol: 1e-11, ..Lasso::default() }
    }

    fn length(fit: &Fit) -> f64 {
        fit.linear().unwrap().weights.iter().map(|w| w.abs()).sum()
    }

    fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| (x - y).abs() <= tolerance)
    }

    #[test]
    fn projected_gradient_descent_reaches_the_same_objective() {
        for (m, d) in [(300, 4), (60, 30), (7, 20), (1, 3), (5, 1), (1, 1)] {
            let data = Data::random(m, d, 3);
            for (radius, intercept) in [(0.3, true), (1.0, false), (2.0, true)] {
                let lasso = fit(&Lasso { intercept, ..exact(radius) }, &data);
                assert!(length(&lasso) <= radius * (1.0 + 1e-14));
                assert_eq!(lasso.report.stop, Stop::Tolerance);
                let objective = mean_square(
                    &data,
                    &lasso.linear().unwrap().weights,
                    lasso.linear().unwrap().intercept,
                );
                let plain = data.minimise(intercept, 20_000, |w| onto_l1_ball(w, radius));
                assert!((objective - plain).abs() < 1e-8, "{m} x {d}: {objective} and {plain}");
                assert!((lasso.report.objective.unwrap() - objective).abs() < 1e-10);
            }
        }
    }

    #[test]
    fn a_huge_radius_gives_least_squares_as_ridge_does() {
        let data = Data::random(200, 5, 4);
        for intercept in [false, true] {
            let lasso = fit(&Lasso { intercept, ..exact(100.0) }, &data);
            let ridge = Ridge { radius: 100.0, intercept, penalty: None }
                .fit(&data.examples(), &Silent)
                .unwrap();
            assert!(close(
                &lasso.linear().unwrap().weights,
                &ridge.linear().unwrap().weights,
                1e-6
            ));
            assert!(
                (lasso.report.objective.unwrap() - ridge.report.objective.unwrap()).abs() < 1e-10
            );
        }
    }

    #[test]
    fn one_column_has_the_closed_form() {
        // w = clip(<x, y> / <x, x>, B) on centred data.
        let data = Data::new(ndarray::array![[1.0], [2.0], [3.0]], vec![2.0, 4.0, 9.0]);
        assert!(close(&fit(&exact(10.0), &data).linear().unwrap().weights, &[3.5], 1e-12));
        let short = fit(&exact(2.0), &data);
        assert!(close(&short.linear().unwrap().weights, &[2.0], 1e-15));
        assert!((short.linear().unwrap().intercept - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_gap_bounds_what_any_point_of_the_ball_gains() {
        let data = Data::random(80, 12, 5);
        let mut stream = Stream::new(1, Purpose::Data, 0);
        for max_iter in [1, 2, 5, 20, 100] {
            let lasso = fit(&Lasso { radius: 1.5, max_iter, tol: 1e-12, intercept: false }, &data);
            let (objective, gap) = (lasso.report.objective.unwrap(), lasso.report.gap.unwrap());
            assert_eq!(lasso.report.stop == Stop::Tolerance, lasso.report.converged);
            let best = data.minimise(false, 20_000, |w| onto_l1_ball(w, 1.5));
            assert!(objective - best <= gap + 1e-12, "{objective} - {best} > {gap}");
            for _ in 0..200 {
                let mut point: Vec<f64> = (0..12).map(|_| stream.normal()).collect();
                onto_l1_ball(&mut point, 1.5);
                assert!(objective - mean_square(&data, &point, 0.0) <= gap + 1e-12);
            }
        }
    }

    #[test]
    fn stopping_early_is_said() {
        let data = Data::random(80, 12, 6);
        let lasso = fit(&Lasso { radius: 1.5, max_iter: 2, tol: 1e-9, intercept: true }, &data);
        assert_eq!((lasso.report.stop, lasso.report.converged), (Stop::IterationLimit, false));
        assert!(lasso.report.gap.unwrap() > 1e-9);
        // A tolerance below rounding error does not use all iterations.
        let lasso = fit(&Lasso { tol: 1e-300, max_iter: u64::MAX, ..exact(1.5) }, &data);
        assert!(lasso.report.gap.unwrap() < 1e-12);
    }

    #[test]
    fn a_grid_gives_what_separate_fits_give() {
        let data = Data::random(50, 8, 8);
        let lasso = Lasso { tol: 1e-12, ..Lasso::default() };
        let mut settings = lasso.grid().settings();
        settings.reverse();
        settings.push(vec![("intercept", "false".into()), ("radius", "1".into())]);
        let fits = lasso.fit_grid(&settings, &data.examples(), &Silent).unwrap();
        for (setting, together) in settings.iter().zip(&fits) {
            let alone = fit(&configured(&lasso, setting).unwrap(), &data);
            assert!(close(
                &alone.linear().unwrap().weights,
                &together.linear().unwrap().weights,
                1e-5
            ));
            assert!(
                (alone.report.objective.unwrap() - together.report.objective.unwrap()).abs()
                    < 1e-10
            );
        }
        assert!(lasso.fit_grid(&[], &data.examples(), &Silent).unwrap().is_empty());
    }

    #[test]
    fn equal_and_constant_columns_are_harmless() {
        let data = Data::new(
            ndarray::array![[1.0, 1.0, 7.0, -1.0], [2.0, 2.0, 7.0, -2.0], [4.0, 4.0, 7.0, -4.0]],
            vec![1.0, 2.0, 4.0],
        );
        let lasso = fit(&exact(3.0), &data);
        let w = &lasso.linear().unwrap().weights.clone();
        assert!((w[0] + w[1] - w[3] - 1.0).abs() < 1e-9 && w[2] == 0.0);
        assert_eq!(lasso.report.stop, Stop::Tolerance);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn any_data_give_a_certified_point_of_the_ball(
            m in 1_usize..12, d in 1_usize..12, seed in 0_u64..1000, radius in 0.01..30.0_f64, copies in 1_usize..4
        ) {
            let mut data = Data::random(m, d, seed);
            data.repeat_rows(copies);
            let lasso = fit(&Lasso { radius, ..Lasso::default() }, &data);
            prop_assert!(length(&lasso) <= radius * (1.0 + 1e-14));
            prop_assert_eq!(lasso.report.stop, Stop::Tolerance);
            let best = data.minimise(true, 3000, |w| onto_l1_ball(w, radius));
            prop_assert!(lasso.report.objective.unwrap() - best <= lasso.report.gap.unwrap() + 1e-10);
        }
    }
}
