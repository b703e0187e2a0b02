//! Tests an average of candidates on the reads of held-out examples, for its later use: with every
//! attribute seen.
//!
//! f = constant + <w, x> is the prediction; only x_o and y of an example are known. Three estimates
//! of E (y - f)^2 exist:
//!
//! - **By a model** (two): the mean of E((y - f)^2 | x_o, y) = (y - E(f | x_o, y))^2 +
//!   Var(f | x_o, y) under a covariance. By the tower rule this is unbiased for any w if the
//!   covariance is right. (Without conditioning on y that holds for the true regression only.)
//!   Under the covariance that gave w it is too small, as w fits the errors of that covariance;
//!   under one fitted to the held-out examples alone it is too large, as that has fewer examples
//!   and is shrunk more. The truth is mostly between them.
//! - **By pairs**: with p_jl the share of the examples that show j and l, the mean of x_j x_l /
//!   p_jl is the second moment under any model; likewise that of x_j y / p_j. The model's moments
//!   are subtracted before and added after, which reduces the variance from the draw of pairs. The
//!   standard deviation is about sqrt(2) d / (k sqrt(m)) times sum w_j^2 var x_j.
//!
//! They are combined by their possible errors: for the mean of the first two, half of their
//! difference and a quarter of the part that rests on the model alone, the variance of f given the
//! reads; for the third, its standard error. If everything was read, all three are the plain
//! held-out error.

use super::alike::{LARGE, List};
use super::covariance::Covariance;
use super::small_cholesky::{cholesky_while, dot, forward};
use super::standard::Rows;
use super::watch::Watched;
use faer::{MatMut, MatRef, Par};
use halfseen_solve::cholesky::{factor_in_place, solve_lower_in_place};
use halfseen_solve::{Monitor, Watch};

/// Facts about f of one held-out example.
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

/// Frequencies at which attributes are shown, alone and together, by examples with a target.
#[derive(Debug, Clone)]
pub(crate) struct Shown {
    /// Share of the examples that show a place.
    alone: Vec<f64>,
    /// Number of examples that show two places, (n_places, n_places); empty for too many places.
    together: Vec<f64>,
    examples: f64,
    /// c in p_jl = c p_j p_l, so that these sum to the number of pairs shown.
    dependence: f64,
}

/// Estimated error if everything is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OwnTest {
    /// E (y - f)^2.
    pub(crate) risk: f64,
    /// Its standard error, possible errors of the models included.
    pub(crate) error: f64,
}

/// Possible relative error of the part that rests on a model alone.
const MODEL_ERROR: f64 = 0.25;
/// Number of standard errors at which pairs contradict a model.
const CONTRADICTS: f64 = 3.0;
/// Largest gain of a fit to all examples, in units of the risk.
const MOST_GAIN: f64 = 0.5;

impl OwnTest {
    /// Combines the estimates; `by_training` and `by_held_out` are of the same examples, under the
    /// covariances fitted to the other and to the held-out examples.
    pub(crate) fn of(by_training: &[Given], by_held_out: &[Given]) -> OwnTest {
        let (first, first_error) = mean_and_error(by_training.iter().map(|g| g.by_model));
        let (second, _) = mean_and_error(by_held_out.iter().map(|g| g.by_model));
        let (unseen, _) = mean_and_error(by_training.iter().map(|g| g.variance));
        let centre = 0.5 * (first + second);
        // The part of the pairs' estimate that the model's does not share.
        let (more, scatter) = mean_and_error(by_training.iter().map(|g| g.by_pairs - g.by_model));
        let surprise = first + more - centre;
        let wrong = 0.5 * (second - first).abs() + MODEL_ERROR * unseen.min(centre);
        // A model that the pairs contradict is trusted less.
        let doubt = (wrong * wrong).max(surprise * surprise - (CONTRADICTS * scatter).powi(2));
        let total = doubt + scatter * scatter;
        let trust = if total > 0.0 { doubt / total } else { 0.0 };
        OwnTest {
            risk: centre + trust * surprise,
            error: (first_error * first_error + trust * scatter * scatter).sqrt(),
        }
    }

    /// Turns the test of predictors that lack a fold of the examples into that of one of all, whose
    /// error is smaller by `gain`.
    pub(crate) fn of_all(self, gain: f64) -> OwnTest {
        let gain = gain.min(MOST_GAIN * self.risk).max(0.0);
        OwnTest { risk: self.risk - gain, error: self.error.hypot(0.5 * gain) }
    }
}

/// Returns how much smaller the squared error of a predictor of all examples is than of those
/// without one of F folds, by how much these differ from each other.
///
/// Two of them share all but 1/(F - 1) of their examples, so that the mean square D of their
/// difference is 2 V / (F - 1), with V the variance of each; that of a fit to all is V (F - 1) / F.
pub(crate) fn gain_of_all(covariance: &impl Covariance, of: &[(Vec<f64>, f64)]) -> f64 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (at, (a, first)) in of.iter().enumerate() {
        for (b, second) in &of[..at] {
            let apart: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
            let shift: f64 = apart.iter().enumerate().map(|(j, w)| w * covariance.mean(j)).sum();
            sum += dot(&apart, &covariance.times(&apart)) + (first - second + shift).powi(2);
            pairs += 1.0;
        }
    }
    let folds = of.len() as f64;
    if pairs > 0.0 { sum / pairs * (folds - 1.0) / (2.0 * folds) } else { 0.0 }
}

/// Returns a mean with its standard error.
pub(crate) fn mean_and_error(of: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = of.clone().count().max(1) as f64;
    let mean = of.clone().sum::<f64>() / count;
    let square = of.map(|e| (e - mean).powi(2)).sum::<f64>() / count;
    (mean, (square / count).sqrt())
}

/// Largest number of places to count by pairs.
const MANY: usize = 1500;
/// Pseudo-examples with pairs at their expected frequency.
const STEADY: f64 = 5.0;

impl Shown {
    /// Counts, unless the monitor asks to stop.
    pub(crate) fn of(rows: &Rows, places: usize, monitor: &dyn Monitor) -> Shown {
        let m = rows.known().max(1) as f64;
        let mut alone = vec![0.0; places];
        let mut together = vec![0.0; if places <= MANY { places * places } else { 0 }];
        let pairs = |i: &usize| rows.example(*i).0.len().pow(2);
        for i in Watched::new(rows.told(), pairs, monitor) {
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

    /// Returns p_jl.
    fn pair(&self, j: usize, l: usize) -> f64 {
        let expected = (self.dependence * self.alone[j] * self.alone[l]).min(1.0);
        match self.together.get(j * self.alone.len() + l) {
            Some(count) => (count + STEADY) / (self.examples + STEADY / expected),
            None => expected,
        }
    }
}

/// Computes the facts about f = constant + <w, x> of examples with a target; `None` if a block is
/// not positive definite, or the monitor asked to stop. O(k^2) per example, and O(k^3) for each set
/// of reads.
pub(crate) fn given(
    covariance: &impl Covariance,
    (weights, constant): (&[f64], f64),
    rows: &Rows,
    shown: &Shown,
    examples: impl Iterator<Item = usize>,
    monitor: &dyn Monitor,
) -> Option<Vec<Given>> {
    let d = weights.len();
    let of_x = covariance.times(weights);
    let with_y: Vec<f64> = (0..d).map(|j| covariance.of_target(j)).collect();
    let target_variance = covariance.target_variance();
    let (variance, cross) = (dot(weights, &of_x), dot(weights, &with_y));
    let centre = constant + (0..d).map(|j| weights[j] * covariance.mean(j)).sum::<f64>();
    let unconditional = target_variance - 2.0 * cross + variance;
    let most = rows.most() + 1;
    let (mut block, mut b, mut c) = (vec![0.0; most * most], vec![0.0; most], vec![0.0; most]);
    let mut factor = block.clone();
    let (list, mut watch) = (List::of(rows, examples), Watch::new(monitor));
    let nothing = Given { mean: 0.0, variance: 0.0, by_model: 0.0, by_pairs: 0.0 };
    let (mut found, mut last) = (vec![nothing; list.iter().len()], None);
    for listed in list.iter() {
        let example = listed.counted.example;
        let (places, values, y) = rows.example(example);
        let (q, n) = (places.len(), places.len() + 1);
        if watch.stops_after(4 * n * n) {
            return None;
        }
        let pattern = rows.pattern(example);
        if pattern.is_none() || pattern != last {
            last = pattern;
            covariance.block(places, &mut block[..n * n]);
            factor[..n * n].copy_from_slice(&block[..n * n]);
            if !factorise(&mut factor[..n * n], n, &mut watch) {
                return None;
            }
            c.iter_mut().zip(places).for_each(|(c, &place)| *c = of_x[place as usize]);
            c[q] = cross;
            solve_lower(&factor[..n * n], n, &mut c[..n]);
        }
        let y = y - covariance.target_mean();
        let mut by_pairs = unconditional + y * y - target_variance;
        for (a, (&place, x)) in places.iter().zip(values).enumerate() {
            let place = place as usize;
            b[a] = x - covariance.mean(place);
            let scaled = weights[place] / shown.alone[place];
            by_pairs += scaled * weights[place] * (b[a] * b[a] - block[a * n + a]);
            by_pairs -= 2.0 * scaled * (b[a] * y - with_y[place]);
            for (e, &other) in places[..a].iter().enumerate() {
                let other = other as usize;
                let both = weights[place] * weights[other] / shown.pair(place, other);
                by_pairs += 2.0 * both * (b[a] * b[e] - block[a * n + e]);
            }
        }
        b[q] = y;
        solve_lower(&factor[..n * n], n, &mut b[..n]);
        let mean = centre + dot(&b[..q], &c[..q]);
        let of_reads = (variance - dot(&c[..q], &c[..q])).max(0.0);
        let error = y + covariance.target_mean() - mean - b[q] * c[q];
        let by_model = error * error + (of_reads - c[q] * c[q]).max(0.0);
        found[listed.at] = Given { mean, variance: of_reads, by_model, by_pairs };
    }
    Some(found)
}

/// Factorises a block (n, n), which is symmetric; returns false if it is not positive definite, or the
/// monitor asked to stop. Of a small block the factor comes row by row, of a large one by columns.
fn factorise(block: &mut [f64], n: usize, watch: &mut Watch<'_>) -> bool {
    if n < LARGE {
        return cholesky_while(block, n, |row| !watch.stops_after(row * row));
    }
    let block = MatMut::from_column_major_slice_mut(block, n, n);
    !watch.stops_after(n * n * n / 3) && factor_in_place(block, Par::Seq).is_ok()
}

/// Solves L x = b in place with such a factor.
fn solve_lower(factor: &[f64], n: usize, b: &mut [f64]) {
    if n < LARGE {
        return forward(factor, n, b);
    }
    let factor = MatRef::from_column_major_slice(factor, n, n);
    solve_lower_in_place(factor, MatMut::from_column_major_slice_mut(b, n, 1));
}

#[cfg(test)]
mod tests {
    use super::super::candidates::{Menu, models};
    use super::super::factor::Factor;
    use super::super::folds::{FoldSubset, Part};
    use super::super::reads::Reads;
    use super::super::standard::Standard;
    use super::*;
    use faer::Mat;
    use faer::linalg::solvers::DenseSolveCore;
    use halfseen_solve::Silent;
    use halfseen_solve::sampling::{Purpose, Stream, subset};

    const D: usize = 5;
    const WEIGHTS: [f64; D] = [0.7, -0.4, 0.0, 1.1, 0.2];

    fn reads(m: usize, k: impl Fn(usize) -> usize) -> Reads {
        let (mut reads, mut drawn) = (Reads::new(), Vec::new());
        for i in 0..m {
            let mut stream = Stream::new(31, Purpose::Data, i as u64);
            let z = stream.normal();
            let x: [f64; D] = std::array::from_fn(|_| z + stream.normal());
            subset(&mut Stream::new(32, Purpose::Query, i as u64), D, k(i), &mut drawn);
            reads.push(drawn.iter().map(|&j| (j, x[j as usize])), x[0] - x[3] + stream.normal());
        }
        reads
    }

    fn fitted(rows: &Rows, standard: &Standard, rank: usize) -> Factor {
        let menu = Menu::of(standard, rows, 3, Some(rank));
        let part = Part { rows, subset: FoldSubset::All.into() };
        models(standard, &menu, menu.ranks(), &[part], 1, &Silent, &|| ())[0][0].clone()
    }

    /// Each by dense inverses, with the joint distribution of y and f given the reads.
    #[test]
    fn what_is_given_is_that_by_dense_inverses() {
        let reads = reads(60, |i| i % (D + 1));
        let standard = Standard::of(&reads, D);
        let rows = standard.rows(&reads);
        let model = fitted(&rows, &standard, 2);
        let shown = Shown::of(&rows, D, &Silent);
        let found = |rows: &Rows| {
            given(&model, (&WEIGHTS, 0.3), rows, &shown, 0..rows.len(), &Silent).unwrap()
        };
        let alike = rows.with_patterns();
        assert!(alike.pattern(0).is_some() && rows.pattern(0).is_none());
        let (found, of_alike) = (found(&rows), found(&alike));
        assert_eq!(found, of_alike);
        let mut whole = vec![0.0; (D + 1) * (D + 1)];
        model.block(&[0, 1, 2, 3, 4], &mut whole);
        let s = Mat::from_fn(D + 1, D + 1, |a, b| whole[a * (D + 1) + b]);
        // f and y - f as sums of (x, y).
        let f = Mat::from_fn(D + 1, 1, |a, _| if a < D { WEIGHTS[a] } else { 0.0 });
        let rest = Mat::from_fn(D + 1, 1, |a, _| if a < D { -WEIGHTS[a] } else { 1.0 });
        let mean = 0.3 + (0..D).map(|j| WEIGHTS[j] * model.means[j]).sum::<f64>();
        for (i, found) in found.iter().enumerate() {
            let (places, values, y) = rows.example(i);
            let moments = |with_y: bool, of: &Mat<f64>| {
                let mut at: Vec<usize> = places.iter().map(|&j| j as usize).collect();
                let mut x: Vec<f64> =
                    values.iter().zip(&at).map(|(x, &j)| x - model.means[j]).collect();
                if with_y {
                    at.push(D);
                    x.push(y - model.target_mean);
                }
                let n = at.len();
                let block = Mat::from_fn(n, n, |a, b| s[(at[a], at[b])]);
                let with = Mat::from_fn(1, n, |_, a| (of.transpose() * s.col(at[a]))[0]);
                let gain =
                    if n > 0 { &with * block.partial_piv_lu().inverse() } else { Mat::zeros(1, 0) };
                let x = Mat::from_fn(n, 1, |a, _| x[a]);
                let lost = if n > 0 { (&gain * with.transpose())[(0, 0)] } else { 0.0 };
                let expected = if n > 0 { (&gain * x)[(0, 0)] } else { 0.0 };
                (expected, (of.transpose() * &s * of)[(0, 0)] - lost)
            };
            let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "example {i}: {a} and {b}");
            let (of_f, variance) = moments(false, &f);
            close(found.mean, mean + of_f);
            close(found.variance, variance);
            let (error, left) = moments(true, &rest);
            close(found.by_model, (error + model.target_mean - mean).powi(2) + left);
        }
    }

    /// If all sets of two of five are shown equally often, the mean by pairs is the plain mean of
    /// the squares under any model.
    #[test]
    fn by_pairs_nothing_rests_on_the_model() {
        let mut reads = Reads::new();
        let (mut wanted, mut count) = (0.0, 0.0);
        let values: Vec<([f64; D], f64)> = (0..40)
            .map(|i| {
                let mut stream = Stream::new(33, Purpose::Data, i);
                (std::array::from_fn(|_| stream.normal()), stream.normal())
            })
            .collect();
        for (x, y) in &values {
            let f: f64 = x.iter().zip(WEIGHTS).map(|(x, w)| x * w).sum();
            (wanted, count) = (wanted + (y - f).powi(2), count + 1.0);
            for j in 0..D {
                (0..j)
                    .for_each(|l| reads.push([(l as u32, x[l]), (j as u32, x[j])].into_iter(), *y));
            }
        }
        // In units of the values, so that the sums are comparable; the model is wrong.
        let mut standard = Standard::of(&reads, D);
        standard.mean.fill(0.0);
        standard.deviation.fill(1.0);
        standard.bounds.fill([f64::MIN, f64::MAX]);
        (standard.centre, standard.spread) = (0.0, 1.0);
        let rows = standard.rows(&reads);
        let mut model = fitted(&rows, &standard, 1);
        model.means.fill(0.0);
        model.target_mean = 0.0;
        model.noise.iter_mut().for_each(|v| *v *= 3.0);
        let found = given(
            &model,
            (&WEIGHTS, 0.0),
            &rows,
            &Shown::of(&rows, D, &Silent),
            0..rows.len(),
            &Silent,
        )
        .unwrap();
        let (mean, _) = mean_and_error(found.iter().map(|g| g.by_pairs));
        assert!((mean - wanted / count).abs() < 1e-9, "{mean} and {}", wanted / count);
    }

    #[test]
    fn where_everything_was_read_the_test_is_the_plain_held_out_error() {
        let reads = reads(200, |_| D);
        let standard = Standard::of(&reads, D);
        let rows = standard.rows(&reads);
        let model = fitted(&rows, &standard, 2);
        let found = given(
            &model,
            (&WEIGHTS, 0.1),
            &rows,
            &Shown::of(&rows, D, &Silent),
            0..rows.len(),
            &Silent,
        )
        .unwrap();
        let squares = (0..rows.len()).map(|i| {
            let (_, x, y) = rows.example(i);
            (y - 0.1 - dot(x, &WEIGHTS)).powi(2)
        });
        let (mean, error) = mean_and_error(squares);
        let test = OwnTest::of(&found, &found);
        assert!(
            (test.risk - mean).abs() < 1e-9 && (test.error - error).abs() < 1e-6,
            "{test:?}: {mean}, {error}"
        );
    }

    /// Of means of targets, each without a fold: their variance less that of the mean of all is
    /// known.
    #[test]
    fn how_far_fits_without_a_fold_are_apart_tells_what_a_fit_to_all_gains() {
        let reads = reads(60, |_| D);
        let standard = Standard::of(&reads, D);
        let rows = standard.rows(&reads);
        let model = fitted(&rows, &standard, 1);
        let (m, draws) = (12, 3_000);
        for folds in [2, 3, 4] {
            let mut sum = 0.0;
            for draw in 0..draws {
                let mut stream = Stream::new(7, Purpose::Data, draw);
                let y: Vec<f64> = (0..m).map(|_| stream.normal()).collect();
                let without = |fold: usize| {
                    let others = y.iter().enumerate().filter(|(i, _)| i % folds != fold);
                    others.map(|(_, y)| y).sum::<f64>() * folds as f64 / (m * (folds - 1)) as f64
                };
                let of: Vec<_> = (0..folds).map(|fold| (vec![0.0; D], without(fold))).collect();
                sum += gain_of_all(&model, &of) / draws as f64;
            }
            let expected = 1.0 / (m * (folds - 1)) as f64;
            assert!((sum / expected - 1.0).abs() < 0.08, "{folds}: {sum} and {expected}");
        }
        let test = OwnTest { risk: 1.0, error: 0.3 };
        assert_eq!(test.of_all(0.8), OwnTest { risk: 0.5, error: 0.3_f64.hypot(0.25) });
        assert_eq!(test.of_all(0.0), test);
    }
}
