//! Tests an average of candidates by the reads of examples that it was not fitted to, as it will be used: with everything seen.
//!
//! f = constant + <w, x> is what will be predicted; of an example only x_o and y are known. Three estimates of E (y - f)^2:
//!
//! - **By a model**: the mean of E((y - f)^2 | x_o, y) = (y - E(f | x_o, y))^2 + Var(f | x_o, y) under a covariance. By the tower rule
//!   this is right for any w if the covariance is. (Without y as a condition it would be right for the true regression only.) Under
//!   the covariance that w was made of it is too small, as w fits what that has wrong; under one that was fitted to the held-out examples
//!   alone it is too large, as that knows less and is shrunk more. The truth lies mostly between them.
//! - **By pairs**: with p_jl the share of the examples that show j and l, the mean of x_j x_l / p_jl is the second moment, whatever the
//!   model; likewise that of x_j y / p_j. The model's moments are taken off before and added after, so that which pairs happened to be
//!   drawn scatters less. It scatters by about sqrt(2) d / (k sqrt(m)) times sum w_j^2 var x_j.
//!
//! They are combined by what each can be wrong by: the mean of the first two by half of their difference and a quarter of what rests
//! on the model alone, the variance of f given what was read; the third by its scatter. Where everything was read all three are the
//! plain held-out error.

use super::covariance::Covariance;
use super::small::{cholesky, dot, forward};
use super::standard::Rows;

/// What is known of f of one held-out example.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Given {
    /// Mean and variance of f given x_o.
    pub(crate) mean: f64,
    pub(crate) variance: f64,
    /// (y - f)^2 by the model given x_o and y.
    pub(crate) by_model: f64,
    /// (y - f)^2 by pairs.
    pub(crate) by_pairs: f64,
}

/// How often attributes are shown, alone and together.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    /// Share of the examples that show a place.
    alone: Vec<f64>,
    /// Number of examples that show two places, (n_places, n_places); empty where there are too many places.
    together: Vec<f64>,
    examples: f64,
    /// c in p_jl = c p_j p_l, so that these sum to the number of pairs shown.
    dependence: f64,
}

/// What the reads say of the error where everything is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnTest {
    /// E (y - f)^2.
    pub(crate) risk: f64,
    /// Its standard error, what the models may have wrong included.
    pub(crate) error: f64,
}

/// The share of what rests on a model alone by which it may be wrong.
const MODEL_ERROR: f64 = 0.25;

impl OwnTest {
    /// Combines the estimates; `by_training` and `by_held_out` are of the same examples, under the covariances fitted to the others and to
    /// the held-out ones.
    pub(crate) fn of(by_training: &[Given], by_held_out: &[Given]) -> OwnTest {
        let (first, first_error) = mean_and_error(by_training.iter().map(|g| g.by_model));
        let (second, _) = mean_and_error(by_held_out.iter().map(|g| g.by_model));
        let (unseen, _) = mean_and_error(by_training.iter().map(|g| g.variance));
        let centre = 0.5 * (first + second);
        // Of the pairs' estimate what the model's does not share.
        let (more, scatter) = mean_and_error(by_training.iter().map(|g| g.by_pairs - g.by_model));
        let surprise = first + more - centre;
        let wrong = 0.5 * (second - first).abs() + MODEL_ERROR * unseen.min(centre);
        // A model that the pairs contradict is trusted less.
        let doubt = (wrong * wrong).max(surprise * surprise - scatter * scatter);
        let total = doubt + scatter * scatter;
        let trust = if total > 0.0 { doubt / total } else { 0.0 };
        OwnTest { risk: centre + trust * surprise, error: (first_error * first_error + trust * scatter * scatter).sqrt() }
    }
}

/// A mean with its standard error.
pub(crate) fn mean_and_error(of: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = of.clone().count().max(1) as f64;
    let mean = of.clone().sum::<f64>() / count;
    let square = of.map(|e| (e - mean).powi(2)).sum::<f64>() / count;
    (mean, (square / count).sqrt())
}

/// More places than this are not counted by pairs.
const MANY: usize = 1500;
/// Pseudo-examples that show a pair as often as its places alone say.
const STEADY: f64 = 5.0;

impl Shown {
    /// Counts.
    pub(crate) fn of(rows: &Rows, places: usize) -> Shown {
        let m = rows.len().max(1) as f64;
        let mut alone = vec![0.0; places];
        let mut together = vec![0.0; if places <= MANY { places * places } else { 0 }];
        for i in 0..rows.len() {
            let shown = rows.example(i).0;
            for &j in shown {
                alone[j as usize] += 1.0 / m;
                if !together.is_empty() {
                    let row = &mut together[j as usize * places..(j as usize + 1) * places];
                    shown.iter().for_each(|&l| row[l as usize] += 1.0);
                }
            }
        }
        let products = alone.iter().sum::<f64>().powi(2) - alone.iter().map(|p| p * p).sum::<f64>();
        let dependence = if products > 0.0 { rows.pairs() / m / products } else { 1.0 };
        Shown { alone, together, examples: m, dependence }
    }

    /// p_jl.
    fn pair(&self, j: usize, l: usize) -> f64 {
        let expected = (self.dependence * self.alone[j] * self.alone[l]).min(1.0);
        match self.together.get(j * self.alone.len() + l) {
            Some(count) => (count + STEADY) / (self.examples + STEADY / expected),
            None => expected,
        }
    }
}

/// What is known of f = constant + <w, x> of some examples; `None` where a block is not positive definite. O(k^3) for each.
pub(crate) fn given(
    covariance: &impl Covariance,
    (weights, constant): (&[f64], f64),
    rows: &Rows,
    shown: &Shown,
    examples: impl Iterator<Item = usize>,
) -> Option<Vec<Given>> {
    let d = weights.len();
    let of_x = covariance.times(weights);
    let mut of_y = [0.0; 4];
    let with_y: Vec<f64> = (0..d)
        .map(|j| {
            covariance.block(&[j as u32], &mut of_y);
            of_y[1]
        })
        .collect();
    let target_variance = {
        covariance.block(&[], &mut of_y[..1]);
        of_y[0]
    };
    let (variance, cross) = (dot(weights, &of_x), dot(weights, &with_y));
    let centre = constant + (0..d).map(|j| weights[j] * covariance.mean(j)).sum::<f64>();
    let unconditional = target_variance - 2.0 * cross + variance;
    let most = rows.most() + 1;
    let (mut block, mut b, mut c) = (vec![0.0; most * most], vec![0.0; most], vec![0.0; most]);
    let mut found = Vec::new();
    for i in examples {
        let (places, values, y) = rows.example(i);
        let (q, n) = (places.len(), places.len() + 1);
        covariance.block(places, &mut block[..n * n]);
        let y = y - covariance.target_mean();
        let mut by_pairs = unconditional + y * y - target_variance;
        for (a, (&place, x)) in places.iter().zip(values).enumerate() {
            let place = place as usize;
            (b[a], c[a]) = (x - covariance.mean(place), of_x[place]);
            let scaled = weights[place] / shown.alone[place];
            by_pairs += scaled * weights[place] * (b[a] * b[a] - block[a * n + a]);
            by_pairs -= 2.0 * scaled * (b[a] * y - with_y[place]);
            for (e, &other) in places[..a].iter().enumerate() {
                let other = other as usize;
                let both = weights[place] * weights[other] / shown.pair(place, other);
                by_pairs += 2.0 * both * (b[a] * b[e] - block[a * n + e]);
            }
        }
        (b[q], c[q]) = (y, cross);
        if !cholesky(&mut block[..n * n], n) {
            return None;
        }
        forward(&block, n, &mut b[..n]);
        forward(&block, n, &mut c[..n]);
        let mean = centre + dot(&b[..q], &c[..q]);
        let of_reads = (variance - dot(&c[..q], &c[..q])).max(0.0);
        let error = y + covariance.target_mean() - mean - b[q] * c[q];
        let by_model = error * error + (of_reads - c[q] * c[q]).max(0.0);
        found.push(Given { mean, variance: of_reads, by_model, by_pairs });
    }
    Some(found)
}
