//! Learns in the Euclidean ball from one pass over complete rows by online gradient descent (OGD).
//!
//! **Setting**: every attribute of every example is read, one example after the other, in a seeded
//! order. The learner minimises E (<w,x> + b - y)^2 / 2 over |w|_2 <= B, as AERR does from few
//! attributes. From w = 0, w <- Proj(w - eta phi x) with phi = <w,x> + b - y; the model is the
//! average of the iterates before each step.
//!
//! **Guarantee** (Zinkevich, ICML 2003; Hazan and Koren 2012, theorem 3.1, with the true example
//! and product): the expected excess of the average is at most B G / sqrt m for eta = B / (G sqrt
//! m), G = (B R + Y) R >= |gradient|_2 if |x|_2 <= R and |y| <= Y for every example. `step =
//! theory` uses R^2 = E |x|_2^2 and Y^2 = E y^2 instead, which no theorem covers. The bound holds
//! for w; the intercept has its own steps, as in [`OnlineLasso`](crate::OnlineLasso), with G_b = B
//! R + Y.
//!
//! The theorem's step is small if the fit is good: on handwritten digits (3 against 5) the best
//! multiple is 56 for 12,109 rows, 32 for 1000 and 10 for 62, where 18 is too large. The default of
//! 5.6 is stable on all of these.

use crate::gradient::{Ball, Gradient, SparseGradient};
use crate::one_pass::{self, Facts, OnePass, Start, Weights};
use halfseen::data::Examples;
use halfseen::learner::together::fits_together;
use halfseen::learner::{FitSize, Grid, Learner, Needed};
use halfseen::model::Fit;
use halfseen::params::{Rule, parameters};
use halfseen::plan::euclidean_eta;
use halfseen::{Monitor, Result};

parameters! {
    /// Online gradient descent over complete rows.
    pub struct Ogd {
        name: "ogd", family: Full,
        title: "Online gradient descent: one pass over all attributes, Euclidean ball",
        source: "Hazan and Koren 2012, algorithm 1 with exact gradients (comparator there and in Kukliansky and Shamir 2015); Zinkevich 2003";
        radius: f64 = 2.0, RADIUS;
        step: Rule = Rule::Theory(5.6), STEP;
        intercept: bool = true, INTERCEPT;
        seed: u64 = 0, SEED;
    }
}

impl OnePass for Ogd {
    fn seed(&self) -> u64 {
        self.seed
    }

    fn start(&self, facts: &Facts) -> Start {
        let slope = self.radius * facts.length + facts.target;
        let theory = euclidean_eta(self.radius, facts.examples, slope * facts.length);
        let weights: Box<dyn Weights> = match facts.sparse {
            true => Box::new(SparseGradient::new(facts.columns, self.radius)),
            false => Box::new(Gradient::new(facts.columns, Ball::Euclidean, self.radius)),
        };
        Start { weights, step: self.step.resolve(theory), slope, intercept: self.intercept }
    }
}

impl Learner for Ogd {
    fn grid(&self) -> Grid {
        Grid::new(&[
            ("radius", &["0.5", "1", "2", "4"]),
            ("step", &["1x", "3.2x", "10x", "32x", "100x"]),
        ])
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
    use halfseen::Silent;
    use halfseen::data::Moments;
    use halfseen::full::Ridge;
    use halfseen::learner::with;
    use halfseen_solve::sampling::{Purpose, Stream, shuffle};

    fn fit(learner: &Ogd, data: &Data) -> Fit {
        learner.fit(&data.examples(), &Silent).unwrap()
    }

    fn length(weights: &[f64]) -> f64 {
        weights.iter().map(|w| w * w).sum::<f64>().sqrt()
    }

    #[test]
    fn the_excess_is_below_the_theorems_bound_and_falls_with_the_examples() {
        let mut before = f64::INFINITY;
        for m in [100, 1000, 10_000] {
            let data = Data::random(m, 6, 2);
            let radius = 1.5;
            let ogd = Ogd { radius, step: Rule::Theory(1.0), intercept: false, ..Ogd::default() };
            let weights = fit(&ogd, &data).linear().unwrap().weights.clone();
            assert!(length(&weights) <= radius * (1.0 + 1e-12));
            let best = Ridge { radius, intercept: false, ..Ridge::default() };
            let best =
                best.fit(&data.examples(), &Silent).unwrap().linear().unwrap().weights.clone();
            // With the factor 1/2, on the examples themselves.
            let excess = (mean_square(&data, &weights, 0.0) - mean_square(&data, &best, 0.0)) / 2.0;
            let square = Moments::measure(&data.examples()).square.iter().sum::<f64>();
            let reach = radius * square.sqrt() + data.examples().target_square().sqrt();
            let bound = radius * reach * (square / m as f64).sqrt();
            assert!(excess < bound, "{m}: {excess} and {bound}");
            assert!(excess < before);
            before = excess;
        }
    }

    #[test]
    fn it_is_the_literal_method() {
        let (m, d, radius, k) = (400, 5, 0.5, one_pass::BOUND);
        let data = Data::random(m, d, 6);
        let square = (0..m).flat_map(|i| data.row(i)).map(|x| x * x).sum::<f64>() / m as f64;
        let slope = radius * square.sqrt()
            + (data.targets.iter().map(|y| y * y).sum::<f64>() / m as f64).sqrt();
        let eta = 2.5 * radius / (slope * (square * m as f64).sqrt());
        let mut order: Vec<u32> = (0..m as u32).collect();
        shuffle(&mut Stream::new(9, Purpose::Order, 0), &mut order);
        let (mut w, mut mean, mut b, mut mean_b, mut felt) =
            (vec![0.0; d], vec![0.0; d], 0.0, 0.0, 0);
        for &i in &order {
            let x = data.row(i as usize);
            let phi =
                x.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() + b - data.targets[i as usize];
            mean.iter_mut().zip(&w).for_each(|(s, w)| *s += w / m as f64);
            w.iter_mut().zip(&x).for_each(|(w, x)| *w -= eta * phi * x);
            if length(&w) > radius {
                let shrink = radius / length(&w);
                w.iter_mut().for_each(|w| *w *= shrink);
                felt += 1;
            }
            mean_b += b / m as f64;
            b = (b - k / (slope * (m as f64).sqrt()) * phi).clamp(-k, k);
        }
        assert!(felt > 10, "the ball was hardly felt");
        let step = Rule::Theory(2.5);
        let linear =
            fit(&Ogd { radius, step, seed: 9, ..Ogd::default() }, &data).linear().unwrap().clone();
        for (a, b) in linear.weights.iter().zip(&mean) {
            assert!((a - b).abs() < 1e-13, "{a} and {b}");
        }
        assert!((linear.intercept - mean_b).abs() < 1e-13);
    }

    #[test]
    fn sparse_rows_give_the_model_of_dense_ones() {
        let mut stream = Stream::new(4, Purpose::Data, 0);
        let (m, d) = (300, 200);
        let mut cells = ndarray::Array2::zeros((m, d));
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for i in 0..m {
            let here: std::collections::BTreeSet<usize> =
                (0..6).map(|_| stream.below(d).min(stream.below(d))).collect();
            for j in here {
                let value = stream.normal();
                cells[[i, j]] = value;
                columns.push(j as u32);
                values.push(value);
            }
            starts.push(columns.len());
        }
        let targets: Vec<f64> =
            (0..m).map(|i| cells[[i, 0]] - 2.0 * cells[[i, 1]] + 0.3 * stream.normal()).collect();
        let dense = Data::new(cells, targets.clone());
        let mut sparse = dense.clone();
        sparse.matrix = halfseen::data::Matrix::Csr(
            halfseen::data::Csr::new(starts, columns, values, d).unwrap(),
        );
        assert!(sparse.examples().is_sparse());
        for radius in [0.3, 2.0, 50.0] {
            let learner = Ogd { radius, step: Rule::Theory(10.0), ..Ogd::default() };
            let counts = [0, 1, 100, 300];
            let of = |data: &Data| learner.fit_curve(&counts, &data.examples(), &Silent).unwrap();
            for (a, b) in of(&sparse).iter().zip(&of(&dense)) {
                let (a, b) = (a.linear().unwrap(), b.linear().unwrap());
                assert!((a.intercept - b.intercept).abs() < 1e-12);
                for (a, b) in a.weights.iter().zip(&b.weights) {
                    assert!((a - b).abs() < 1e-12, "{radius}: {a} and {b}");
                }
            }
        }
    }

    #[test]
    fn a_curve_and_a_grid_are_what_single_runs_give() {
        let data = Data::random(700, 5, 3);
        let (examples, learner) = (data.examples(), Ogd::default());
        let curve = learner.fit_curve(&[0, 1, 300, 700], &examples, &Silent).unwrap();
        assert_eq!(curve.iter().map(|f| f.report.reads).collect::<Vec<_>>(), [0, 5, 1500, 3500]);
        assert_eq!(curve[1].linear().unwrap().weights, [0.0; 5]);
        assert_eq!(curve[3].predictor, fit(&learner, &data).predictor);
        let grid = learner.grid().settings();
        let fits = learner.fit_grid(&grid, &examples, &Silent).unwrap();
        for (setting, together) in grid.iter().zip(&fits) {
            let alone = with(Box::new(learner.clone()), setting).unwrap();
            let alone = alone.fit(&examples, &Silent).unwrap();
            assert_eq!(alone.predictor, together.predictor);
        }
    }
}
