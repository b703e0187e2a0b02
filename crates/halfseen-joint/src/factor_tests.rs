//! Tests the factor model's passes against a dense twin, and weights of examples against
//! repetitions.

use super::super::column::ColumnRefinement;
use super::super::covariance::likelihood;
use super::super::dense::Refinement;
use super::super::folds::{FoldSubset, WeightedSubset};
use super::super::reads::Reads;
use super::*;
use faer::Mat;
use faer::linalg::solvers::DenseSolveCore;
use halfseen_solve::Silent;
use halfseen_solve::sampling::subset;

/// Draws examples that show from 0 to 6 of eight attributes, example i `times(i)` times.
fn reads(m: usize, times: impl Fn(usize) -> usize) -> Reads {
    reads_told(m, times, |_| true)
}

/// Draws the same where some targets are unknown.
fn reads_told(m: usize, times: impl Fn(usize) -> usize, told: impl Fn(usize) -> bool) -> Reads {
    let (d, mut kept, mut drawn) = (8, Reads::new(), Vec::new());
    for i in 0..m {
        let mut stream = Stream::new(11, Purpose::Data, i as u64);
        let z = stream.normal();
        let x: Vec<f64> = (0..d).map(|j| (1.0 + j as f64) * (z + stream.normal())).collect();
        let y = x[0] + 0.5 * x[2] + stream.normal();
        let y = if told(i) { y } else { f64::NAN };
        subset(&mut Stream::new(12, Purpose::Query, i as u64), d, i % 7, &mut drawn);
        (0..times(i)).for_each(|_| kept.push(drawn.iter().map(|&j| (j, x[j as usize])), y));
    }
    kept
}

fn fitted(m: usize, rank: usize) -> (Standard, Rows, Factor) {
    fitted_told(m, rank, |_| true)
}

fn fitted_told(m: usize, rank: usize, told: impl Fn(usize) -> bool) -> (Standard, Rows, Factor) {
    let reads = reads_told(m, |_| 1, told);
    let standard = Standard::of(&reads, 8);
    let rows = standard.rows(&reads);
    let mut factor = Factor::start(&rows, &standard, 0..rows.len(), rank, 1);
    for _ in 0..3 {
        factor.improve(&rows, &standard, 0..rows.len());
    }
    (standard, rows, factor)
}

fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within * (1.0 + a.abs().max(b.abs())), "{a} and {b}");
}

/// Makes one pass by dense inverses: W, psi, g, s^2 and the log-likelihood.
fn naive(factor: &Factor, rows: &Rows, standard: &Standard) -> (Factor, f64) {
    let (d, r) = (standard.len(), factor.rank);
    let mut square = vec![Mat::<f64>::zeros(r, r); d + 1];
    let mut product = vec![Mat::<f64>::zeros(r, 1); d + 1];
    let mut first = vec![Mat::<f64>::zeros(r, 1); d + 1];
    let (mut total, mut sum) = (vec![0.0; d + 1], vec![0.0; d + 1]);
    let (mut count, mut likelihood) = (vec![0.0; d + 1], 0.0);
    for i in 0..rows.len() {
        let (places, values, y) = rows.example(i);
        let shown: Vec<(usize, f64)> = places
            .iter()
            .map(|&j| j as usize)
            .zip(values.iter().copied())
            .chain((!y.is_nan()).then_some((d, y)))
            .collect();
        if shown.is_empty() {
            continue;
        }
        let mean = |j: usize| if j < d { factor.means[j] } else { factor.target_mean };
        let shown: Vec<(usize, f64)> = shown.into_iter().map(|(j, x)| (j, x - mean(j))).collect();
        let of = |j: usize| {
            if j < d {
                (factor.row(j), factor.noise[j])
            } else {
                (&factor.target[..], factor.target_noise)
            }
        };
        let n = shown.len();
        let block = Mat::from_fn(n, n, |a, b| {
            let noise = if a == b { of(shown[a].0).1 } else { 0.0 };
            dot(of(shown[a].0).0, of(shown[b].0).0) + noise
        });
        let x = Mat::from_fn(n, 1, |a, _| shown[a].1);
        let inverse = block.partial_piv_lu().inverse();
        let misfit = (x.transpose() * &inverse * &x)[(0, 0)];
        likelihood -= 0.5 * (n as f64 * LOG_TWO_PI + block.determinant().ln() + misfit);
        let loadings = Mat::from_fn(n, r, |a, p| of(shown[a].0).0[p]);
        let mean = loadings.transpose() * &inverse * &x;
        let second = Mat::<f64>::identity(r, r) - loadings.transpose() * &inverse * &loadings
            + &mean * mean.transpose();
        for &(j, value) in &shown {
            square[j] += &second;
            product[j] += faer::Scale(value) * &mean;
            first[j] += &mean;
            total[j] += value * value;
            sum[j] += value;
            count[j] += 1.0;
        }
    }
    let mut next = factor.clone();
    for j in 0..=d {
        // About the means over the reads.
        square[j] -= faer::Scale(1.0 / count[j]) * (&first[j] * first[j].transpose());
        product[j] -= faer::Scale(sum[j] / count[j]) * &first[j];
        total[j] -= sum[j] * sum[j] / count[j];
        let (psi, prior) = if j < d {
            (factor.noise[j], 1.0 / (LOADING_PRIOR * standard.own[j]))
        } else {
            (1.0, 1e-9 * count[d])
        };
        let whole =
            faer::Scale(1.0 / psi) * &square[j] + faer::Scale(prior) * Mat::<f64>::identity(r, r);
        let inverse = whole.partial_piv_lu().inverse();
        let w = faer::Scale(1.0 / psi) * &inverse * &product[j];
        let misfit = total[j] - 2.0 * (w.transpose() * &product[j])[(0, 0)]
            + (w.transpose() * &square[j] * &w)[(0, 0)];
        let shift = (sum[j] - (w.transpose() * &first[j])[(0, 0)]) / count[j];
        if j < d {
            next.means[j] += shift;
            let spread = (&inverse * &square[j]).diagonal().column_vector().iter().sum::<f64>();
            next.noise[j] =
                ((misfit + spread + standard.own[j]) / (count[j] + 2.0)).max(LEAST_NOISE);
            (0..r).for_each(|p| next.loadings[j * r + p] = w[(p, 0)]);
        } else {
            next.target_mean += shift;
            next.target_noise = (misfit / count[d]).max(LEAST_TARGET_NOISE);
            (0..r).for_each(|p| next.target[p] = w[(p, 0)]);
        }
    }
    (next, likelihood)
}

#[test]
fn a_pass_is_that_by_dense_inverses() {
    // Examples of 1 to 7 numbers: both branches where r is 2 to 6, the one by reads alone at 9.
    // Every target is known, or two of three, or one of eight.
    let known: [fn(usize) -> bool; 3] = [|_| true, |i| i % 3 > 0, |i| i % 8 == 5];
    for (rank, told) in [1, 2, 4, 5, 9].into_iter().flat_map(|rank| known.map(|told| (rank, told)))
    {
        let (standard, rows, mut factor) = fitted_told(120, rank, told);
        let (twin, likelihood) = naive(&factor, &rows, &standard);
        let (found, count) = factor.improve(&rows, &standard, 0..rows.len());
        close(found, likelihood, 1e-11);
        assert_eq!(count, 120.0);
        factor.loadings.iter().zip(&twin.loadings).for_each(|(a, b)| close(*a, *b, 1e-9));
        factor.target.iter().zip(&twin.target).for_each(|(a, b)| close(*a, *b, 1e-9));
        factor.noise.iter().zip(&twin.noise).for_each(|(a, b)| close(*a, *b, 1e-10));
        factor.means.iter().zip(&twin.means).for_each(|(a, b)| close(*a, *b, 1e-10));
        close(factor.target_mean, twin.target_mean, 1e-10);
        close(factor.target_noise, twin.target_noise, 1e-10);
    }
}

#[test]
fn the_likelihood_is_that_of_the_blocks() {
    for told in [|_: usize| true, |i| i % 3 > 0] {
        let (standard, rows, mut factor) = fitted_told(120, 3, told);
        let by_blocks: f64 = (0..rows.len()).map(|i| likelihood(&factor, &rows, i)).sum();
        let (found, _) = factor.improve(&rows, &standard, 0..rows.len());
        close(found, by_blocks, 1e-12);
    }
}

#[test]
fn without_a_target_the_attributes_move_and_the_target_does_not() {
    let (standard, rows, mut factor) = fitted(120, 3);
    let mut untold = fitted_told(120, 3, |_| false).1;
    assert_eq!((untold.known(), rows.known()), (0, 120));
    let before = factor.clone();
    untold.balance(3);
    factor.improve(&untold, &standard, 0..untold.len());
    let of_target =
        |factor: &Factor| (factor.target.clone(), factor.target_noise, factor.target_mean);
    assert_eq!(of_target(&factor), of_target(&before));
    assert!(factor.loadings.iter().zip(&before.loadings).all(|(a, b)| a != b));
    assert!(ColumnRefinement::start(&untold, FoldSubset::All, &factor, &Silent).is_none());
}

#[test]
fn weights_are_repetitions() {
    let m = 90;
    let once = reads(m, |_| 1);
    let weights: Vec<f64> = (0..m).map(|i| (i % 3) as f64).collect();
    let repeated = reads(m, |i| i % 3);
    let standard = Standard::of(&repeated, 8);
    let (rows, twice) = (standard.rows(&once), standard.rows(&repeated));
    let chosen = WeightedSubset { weights: Some(&weights), ..FoldSubset::All.into() };
    for rank in [2, 5] {
        let mut a = Factor::start(&rows, &standard, chosen.of(&rows), rank, 1);
        let mut b = Factor::start(&twice, &standard, 0..twice.len(), rank, 1);
        for _ in 0..3 {
            let (x, y) = (
                a.improve(&rows, &standard, chosen.of(&rows)),
                b.improve(&twice, &standard, 0..twice.len()),
            );
            close(x.0, y.0, 1e-12);
            assert_eq!(x.1, y.1);
        }
        a.loadings.iter().zip(&b.loadings).for_each(|(a, b)| close(*a, *b, 1e-11));
        let mut x = Refinement::start(&rows, chosen, &a, &Silent).expect("a likelihood");
        let mut y = Refinement::start(&twice, FoldSubset::All, &a, &Silent).expect("a likelihood");
        assert!(x.step() && y.step());
        x.now.with_target().iter().zip(y.now.with_target()).for_each(|(a, b)| close(*a, *b, 1e-11));
        let mut x = ColumnRefinement::start(&rows, chosen, &a, &Silent).expect("a likelihood");
        let mut y =
            ColumnRefinement::start(&twice, FoldSubset::All, &a, &Silent).expect("a likelihood");
        assert!(x.step() && y.step());
        x.now.with_target.iter().zip(&y.now.with_target).for_each(|(a, b)| close(*a, *b, 1e-11));
    }
    let ones = vec![1.0; m];
    let chosen = WeightedSubset { weights: Some(&ones), ..FoldSubset::All.into() };
    let mut a = Factor::start(&rows, &standard, chosen.of(&rows), 3, 1);
    let mut b = Factor::start(&rows, &standard, 0..m, 3, 1);
    assert_eq!(a.improve(&rows, &standard, chosen.of(&rows)), b.improve(&rows, &standard, 0..m));
    assert_eq!(a, b);
}
