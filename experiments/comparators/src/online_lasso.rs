//! Learns in an l1 ball from one pass over complete rows (the online lasso), in three variants.
//!
//! **Setting**: every attribute of every example is read, one example after the other, in a seeded
//! order. The learner minimises E (<w,x> + b - y)^2 / 2 over |w|_1 <= B. It is the comparator in
//! the experiments of Hazan and Koren 2012, which do not name its solver. The model is the average
//! of the iterates before each step.
//!
//! **Symbols**: phi = <w,x> + b - y; X, R and Y with |x_j| <= X, |x|_2 <= R and |y| <= Y for every
//! example, which the guarantees below require. As in the budgeted learners, `step = theory` uses
//! X^2 = max_j E x_j^2, R^2 = E |x|_2^2 and Y^2 = E y^2 instead, which no theorem covers.
//!
//! | variant | moves by | step eta | expected excess of the average |
//! |---|---|---|---|
//! | `eg` | normalised exponentiated gradient | sqrt(log(2d) / 5m) / G | 2 B G sqrt(5 log(2d) / m), m >= log 2d |
//! | `ogd` | gradient steps, projected | B / (G_2 sqrt m) | B G_2 / sqrt m |
//! | `rda` | dual averaging with a penalty | B / (G_2 sqrt m) | B G_2 / sqrt m, penalty included |
//!
//! - `eg` (Kivinen and Warmuth, Information and Computation 132, 1997: EG+-) is algorithm 2 (AELR)
//!   of Hazan and Koren 2012 with the true example and product instead of estimates; theorem 3.4
//!   with G = (B X + Y) X >= |gradient|_inf.
//! - `ogd` (Zinkevich, ICML 2003) from w = 0: for any w in the ball the regret is at most |w|_2^2 /
//!   (2 eta) + eta G_2^2 m / 2, with |w|_2 <= |w|_1 <= B and G_2 = (B X + Y) R >= |gradient|_2.
//! - `rda` (Xiao, JMLR 11, 2010) has the same regret for the loss plus lambda |w|_1, lambda =
//!   `penalty`, which defines its excess. Without penalty it is `ogd` with steps summed before
//!   projection.
//!
//! The bounds hold for w. The intercept b takes its own projected gradient steps of size K / (G_b
//! sqrt m), G_b = B X + Y, in [-K, K] with K = 1.
//!
//! Handwritten digits (3 against 5; 12,109, 1000 and 62 rows): the best multiples of the theorem's
//! step are 178, 100 and 32 for `eg`, and 5.6, 3.2 and 1 for `ogd` and `rda`. All reach the same
//! squared error, to within 0.01. With much larger steps `ogd` and `rda` oscillate across the ball.
//! The default steps are stable on all three sizes.

use crate::dual_averaging::DualAveraging;
use crate::exponentiated::Exponentiated;
use crate::gradient::{Ball, Gradient};
use crate::one_pass::{self, Facts, OnePass, Start, Weights};
use crate::params::{L1_PENALTY, VARIANT, VARIANT_STEP, Variant};
use halfseen::data::Examples;
use halfseen::learner::together::fits_together;
use halfseen::learner::{FitSize, Grid, Learner, Needed};
use halfseen::model::Fit;
use halfseen::params::{Rule, parameters};
use halfseen::plan::{entropic_eta, euclidean_eta};
use halfseen::{Monitor, Result};

parameters! {
    /// One pass over complete rows in the l1 ball.
    pub struct OnlineLasso {
        name: "online-lasso", family: Full,
        title: "Online lasso: one pass over all attributes, l1 ball, three kinds of steps",
        source: "Hazan and Koren 2012, section 5 (comparator), algorithm 2 with exact gradients; Kivinen and Warmuth 1997; Zinkevich 2003; Xiao 2010";
        radius: f64 = 16.0, RADIUS;
        step: Option<Rule> = None, VARIANT_STEP;
        variant: Variant = Variant::Eg, VARIANT;
        penalty: f64 = 0.001, L1_PENALTY;
        intercept: bool = true, INTERCEPT;
        seed: u64 = 0, SEED;
    }
}

impl OnePass for OnlineLasso {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn start(&self, facts: &Facts) -> Start {
        let slope = self.radius * facts.largest + facts.target;
        let (d, m) = (facts.columns, facts.examples);
        let exponentiated = entropic_eta(d as f64, m, slope * facts.largest);
        let euclidean = euclidean_eta(self.radius, m, slope * facts.length);
        let (weights, theory, multiple): (Box<dyn Weights>, f64, f64) = match self.variant {
            Variant::Eg => (Box::new(Exponentiated::new(d, self.radius)), exponentiated, 32.0),
            Variant::Ogd => (Box::new(Gradient::new(d, Ball::L1, self.radius)), euclidean, 1.0),
            Variant::Rda => {
                (Box::new(DualAveraging::new(d, self.radius, self.penalty)), euclidean, 1.0)
            }
        };
        let step = self.step.unwrap_or(Rule::Theory(multiple)).resolve(theory);
        Start { weights, step, slope, intercept: self.intercept }
    }
}

impl Learner for OnlineLasso {
    fn grid(&self) -> Grid {
        let radius = ("radius", &["4", "8", "16", "32", "64"][..]);
        let step = ("step", &["0.32x", "1x", "3.2x", "5.6x", "10x"][..]);
        match self.variant {
            Variant::Eg => Grid::new(&[radius, ("step", &["10x", "32x", "100x", "178x", "316x"])]),
            Variant::Ogd => Grid::new(&[radius, step]),
            Variant::Rda => Grid::new(&[radius, step, ("penalty", &["0", "0.001", "0.01"])]),
        }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        Needed::of(size, 0.0)
    }

    fits_together!(one_pass::fit_all);

    fn learn_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        one_pass::fit_curve(self, counts, examples, monitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Data, mean_square};
    use halfseen::data::Moments;
    use halfseen::full::Lasso;
    use halfseen::learner::{Assignments, with};
    use halfseen::model::Stop;
    use halfseen::{ErrorKind, Silent};
    use halfseen_solve::projection::onto_l1_ball;
    use halfseen_solve::sampling::{Purpose, Stream, shuffle};

    const VARIANTS: [Variant; 3] = [Variant::Eg, Variant::Ogd, Variant::Rda];

    fn fit(learner: &OnlineLasso, data: &Data) -> Fit {
        learner.fit(&data.examples(), &Silent).unwrap()
    }

    fn of(variant: Variant) -> OnlineLasso {
        OnlineLasso { variant, ..OnlineLasso::default() }
    }

    fn l1(weights: &[f64]) -> f64 {
        weights.iter().map(|w| w.abs()).sum()
    }

    #[test]
    fn the_excess_is_below_the_theorems_bound_and_falls_with_the_examples() {
        for variant in VARIANTS {
            let mut before = f64::INFINITY;
            for m in [100, 1000, 10_000] {
                let data = Data::random(m, 6, 2);
                let (radius, step) = (2.0, Some(Rule::Theory(1.0)));
                let penalty = if variant == Variant::Rda { 0.05 } else { 0.0 };
                let online = OnlineLasso { radius, step, penalty, intercept: false, ..of(variant) };
                let weights = fit(&online, &data).linear().unwrap().weights.clone();
                assert!(l1(&weights) <= radius * (1.0 + 1e-12));
                let best = Lasso { radius, intercept: false, ..Lasso::default() };
                let best =
                    best.fit(&data.examples(), &Silent).unwrap().linear().unwrap().weights.clone();
                // With the factor 1/2, on the examples themselves; the bounds hold against any w of
                // the ball.
                let loss = |w: &[f64]| mean_square(&data, w, 0.0) / 2.0 + penalty * l1(w);
                let excess = loss(&weights) - loss(&best);
                let moments = Moments::measure(&data.examples());
                let x = moments.square.iter().fold(0.0_f64, |a, &b| a.max(b)).sqrt();
                let reach = radius * x + data.examples().target_square().sqrt();
                let bound = match variant {
                    Variant::Eg => {
                        2.0 * radius * reach * x * (5.0 * 12.0_f64.ln() / m as f64).sqrt()
                    }
                    _ => {
                        radius * reach * moments.square.iter().sum::<f64>().sqrt()
                            / (m as f64).sqrt()
                    }
                };
                assert!(excess < bound, "{variant:?}, {m}: {excess} and {bound}");
                assert!(excess < before);
                before = excess;
            }
        }
    }

    /// Compares with the printed variants: dense rows, plain vectors, theory's step.
    #[test]
    fn gradient_steps_and_dual_averaging_are_the_literal_ones() {
        let (m, d, radius, penalty, k) = (400, 5, 0.3, 0.03, one_pass::BOUND);
        let data = Data::random(m, d, 6);
        let squares: Vec<f64> = (0..d)
            .map(|j| (0..m).map(|i| data.row(i)[j].powi(2)).sum::<f64>() / m as f64)
            .collect();
        let largest = squares.iter().fold(0.0_f64, |a, &b| a.max(b)).sqrt();
        let y = (data.targets.iter().map(|y| y * y).sum::<f64>() / m as f64).sqrt();
        let slope = radius * largest + y;
        let eta = 2.5 * radius / (slope * squares.iter().sum::<f64>().sqrt() * (m as f64).sqrt());
        let mut order: Vec<u32> = (0..m as u32).collect();
        shuffle(&mut Stream::new(9, Purpose::Order, 0), &mut order);
        for variant in [Variant::Ogd, Variant::Rda] {
            let (mut w, mut z, mut mean, mut felt) = (vec![0.0; d], vec![0.0; d], vec![0.0; d], 0);
            let (mut b, mut mean_b) = (0.0, 0.0);
            for (t, &i) in order.iter().enumerate() {
                let x = data.row(i as usize);
                let phi = x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + b
                    - data.targets[i as usize];
                for j in 0..d {
                    mean[j] += w[j] / m as f64;
                    z[j] += phi * x[j];
                    w[j] -= eta * phi * x[j];
                }
                if variant == Variant::Rda {
                    let t = t as f64 + 1.0;
                    let shrunk = |z: f64| {
                        if (z / t).abs() <= penalty { 0.0 } else { z / t - penalty * z.signum() }
                    };
                    w = z.iter().map(|z| -eta * t * shrunk(*z)).collect();
                }
                felt += usize::from(l1(&w) > radius);
                onto_l1_ball(&mut w, radius);
                mean_b += b / m as f64;
                b = (b - k / (slope * (m as f64).sqrt()) * phi).clamp(-k, k);
            }
            let step = Some(Rule::Theory(2.5));
            let learner = OnlineLasso { radius, step, penalty, seed: 9, ..of(variant) };
            let linear = fit(&learner, &data).linear().unwrap().clone();
            assert!(felt > 10, "{variant:?}: the ball was hardly felt");
            for (a, b) in linear.weights.iter().zip(&mean) {
                assert!((a - b).abs() < 1e-13, "{variant:?}: {a} and {b}");
            }
            assert!((linear.intercept - mean_b).abs() < 1e-13);
        }
    }

    #[test]
    fn a_curve_and_a_grid_are_what_single_runs_give() {
        let data = Data::random(700, 5, 3);
        let examples = data.examples();
        for variant in VARIANTS {
            let learner = OnlineLasso { step: Some(Rule::Fixed(0.02)), ..of(variant) };
            let counts = [0, 1, 300, 700];
            let curve = learner.fit_curve(&counts, &examples, &Silent).unwrap();
            for (fit, count) in curve.iter().zip(counts) {
                assert_eq!(
                    (fit.report.examples, fit.report.reads),
                    (count as u64, 5 * count as u64)
                );
                assert_eq!(fit.report.stop, Stop::OnePass);
            }
            // After the first example the average is still the start.
            assert_eq!(curve[1].linear().unwrap().weights, [0.0; 5]);
            assert_eq!(curve[3].predictor, fit(&learner, &data).predictor);

            let settings: Vec<Assignments> = vec![
                vec![("radius", "2".into())],
                vec![("seed", "5".into()), ("penalty", "0.1".into())],
                vec![("radius", "4".into()), ("intercept", "false".into())],
                vec![("variant", "rda".into()), ("step", "auto".into())],
            ];
            let fits = learner.fit_grid(&settings, &examples, &Silent).unwrap();
            for (setting, together) in settings.iter().zip(&fits) {
                let alone = with(Box::new(learner.clone()), setting).unwrap();
                let alone = alone.fit(&data.examples(), &Silent).unwrap();
                assert_eq!(alone.predictor, together.predictor);
            }
        }
    }

    #[test]
    fn the_intercept_is_learned_within_its_radius() {
        let data = Data::new(ndarray::Array2::zeros((4000, 2)), vec![0.5; 4000]);
        for variant in VARIANTS {
            let linear = fit(&of(variant), &data).linear().unwrap().clone();
            assert!((linear.intercept - 0.5).abs() < 0.05, "{}", linear.intercept);
            assert_eq!(linear.weights, [0.0; 2]);
            let far = Data::new(ndarray::Array2::zeros((4000, 2)), vec![3.0; 4000]);
            let bounded = fit(&of(variant), &far).linear().unwrap().intercept;
            assert!((bounded - one_pass::BOUND).abs() < 0.05, "{bounded}");
            let none = fit(&OnlineLasso { intercept: false, ..of(variant) }, &data);
            assert_eq!(none.linear().unwrap().intercept, 0.0);
        }
    }

    #[test]
    fn permuting_columns_permutes_weights() {
        let data = Data::random(300, 4, 4);
        let order = [2, 0, 3, 1];
        let cells = ndarray::Array2::from_shape_fn((300, 4), |(i, j)| data.matrix.get(i, order[j]));
        let permuted = Data::new(cells, data.targets.clone());
        for variant in VARIANTS {
            let (a, b) = (fit(&of(variant), &data), fit(&of(variant), &permuted));
            for (j, &from) in order.iter().enumerate() {
                assert!(
                    (b.linear().unwrap().weights[j] - a.linear().unwrap().weights[from]).abs()
                        < 1e-12
                );
            }
        }
    }

    #[test]
    fn a_wild_step_ends_in_the_ball_or_in_an_error() {
        let data = Data::random(300, 4, 8);
        for variant in VARIANTS {
            for step in [1e3, 1e150, 1e308] {
                let learner = OnlineLasso { step: Some(Rule::Fixed(step)), ..of(variant) };
                match learner.fit(&data.examples(), &Silent) {
                    Ok(fit) => {
                        assert!(
                            l1(&fit.linear().unwrap().weights) <= 16.0 * (1.0 + 1e-9),
                            "{variant:?}, {step}"
                        )
                    }
                    Err(error) => {
                        assert!(matches!(error.kind(), ErrorKind::Diverged { .. }), "{error}")
                    }
                }
            }
        }
    }
}
