//! Tests the refinements against textbook steps by conditional moments, their guards, and few or
//! degenerate examples.

use super::super::alike::Run;
use super::super::column::ColumnRefinement;
use super::super::covariance::likelihood;
use super::super::folds::FoldSubset;
use super::super::judge::squared_errors;
use super::super::reads::Reads;
use super::super::standard::Standard;
use super::*;
use faer::linalg::solvers::{DenseSolveCore, Solve};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream, subset};

const D: usize = 8;

/// Draws examples that show `shown(i)` of eight attributes, in these units.
fn reads(m: usize, shown: impl Fn(usize) -> usize, units: impl Fn(usize) -> f64) -> Reads {
    reads_told(m, shown, units, |_| true)
}

/// Draws the same where some targets are unknown.
fn reads_told(
    m: usize,
    shown: impl Fn(usize) -> usize,
    units: impl Fn(usize) -> f64,
    told: impl Fn(usize) -> bool,
) -> Reads {
    let (mut kept, mut drawn) = (Reads::new(), Vec::new());
    for i in 0..m {
        let mut stream = Stream::new(21, Purpose::Data, i as u64);
        let z = stream.normal();
        let x: Vec<f64> = (0..D).map(|j| (1.0 + 0.2 * j as f64) * (z + stream.normal())).collect();
        let y = x[0] + 0.5 * x[2] + stream.normal();
        let y = if told(i) { y } else { f64::NAN };
        subset(&mut Stream::new(22, Purpose::Query, i as u64), D, shown(i), &mut drawn);
        kept.push(drawn.iter().map(|&j| (j, x[j as usize] * units(j as usize))), y * units(D));
    }
    kept
}

fn fitted(reads: &Reads) -> (Rows, Factor) {
    let standard = Standard::of(reads, D);
    let rows = standard.rows(reads);
    let mut factor = Factor::start(&rows, &standard, 0..rows.len(), 2, 1);
    (0..3).for_each(|_| {
        factor.improve(&rows, &standard, 0..rows.len());
    });
    (rows, factor)
}

pub(super) fn close(a: f64, b: f64, within: f64) {
    assert!((a - b).abs() <= within * (1.0 + a.abs().max(b.abs())), "{a} and {b}");
}

/// Returns one example's observed part: P, as indices, and x - mean.
pub(super) fn seen(
    rows: &Rows,
    i: usize,
    of: &impl Covariance,
    d: usize,
) -> (Vec<usize>, Mat<f64>) {
    let (places, values, y) = rows.example(i);
    let known = (!y.is_nan()).then_some(d);
    let at: Vec<usize> = places.iter().map(|&j| j as usize).chain(known).collect();
    let centred = |a: usize| {
        if a < places.len() { values[a] - of.mean(at[a]) } else { y - of.target_mean() }
    };
    let x = Mat::from_fn(at.len(), 1, |a, _| centred(a));
    (at, x)
}

/// Takes a step of expectation maximisation by the moments of (s, y) given x_o = s_o + e and y, if
/// that is known, var e = `floor`.
fn textbook(
    s: &Mat<f64>,
    floor: f64,
    rows: &Rows,
    examples: &[usize],
    of: &impl Covariance,
) -> (Mat<f64>, Mat<f64>) {
    let d = s.nrows() - 1;
    let (mut second, mut first) = (Mat::<f64>::zeros(d + 1, d + 1), Mat::<f64>::zeros(d + 1, 1));
    for &i in examples {
        let (at, x) = seen(rows, i, of, d);
        if at.is_empty() {
            second += s;
            continue;
        }
        let noise = |a: usize, b: usize| if a == b && at[a] < d { floor } else { 0.0 };
        let block = Mat::from_fn(at.len(), at.len(), |a, b| s[(at[a], at[b])] + noise(a, b));
        let with = Mat::from_fn(d + 1, at.len(), |p, a| s[(p, at[a])]);
        let gain = &with * block.partial_piv_lu().inverse();
        let mean = &gain * &x;
        second += &mean * mean.transpose() + s - &gain * with.transpose();
        first += &mean;
    }
    let scale = faer::Scale(1.0 / examples.len() as f64);
    (scale * second, scale * first)
}

#[test]
fn a_step_is_that_by_conditional_moments() {
    // All targets are known, or lanes of four examples have some with and some without.
    for told in [|_: usize| true, |i| i % 3 > 0, |i| i % 16 < 3] {
        let (rows, factor) = fitted(&reads_told(61, |i| i % 7, |_| 1.0, told));
        let mut refinement = Refinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
        let before = refinement.now.clone();
        let all: Vec<usize> = (0..rows.len()).collect();
        let (mut second, first) = textbook(&before.matrix, FLOOR, &rows, &all, &before);
        let known: Vec<usize> = FoldSubset::All.with_target(&rows).collect();
        if known.len() < all.len() {
            // The attributes of all, and the regression on them where the target is known.
            let (told, _) = textbook(&before.matrix, FLOOR, &rows, &known, &before);
            let steady = Mat::from_fn(D, D, |i, j| if i == j { STEADY } else { 0.0 });
            let (xx, xy) = (told.submatrix(0, 0, D, D), told.submatrix(0, D, D, 1));
            let b = (xx + steady).partial_piv_lu().solve(xy);
            let residual = told[(D, D)] - 2.0 * (b.transpose() * xy)[(0, 0)]
                + (b.transpose() * xx * &b)[(0, 0)];
            let xy = second.submatrix(0, 0, D, D) * &b;
            for j in 0..D {
                (second[(j, D)], second[(D, j)]) = (xy[(j, 0)], xy[(j, 0)]);
            }
            second[(D, D)] = residual + (b.transpose() * &xy)[(0, 0)];
        }
        let by_inverses: f64 = (0..rows.len()).map(|i| likelihood(&before, &rows, i)).sum();
        close(refinement.likelihood, by_inverses, 1e-12);
        assert!(refinement.step());
        for i in 0..=D {
            (0..=D).for_each(|j| close(refinement.now.matrix[(i, j)], second[(i, j)], 1e-10));
            close(refinement.now.means[i] - before.means[i], first[(i, 0)], 1e-10);
        }
    }
}

#[test]
fn a_step_of_the_column_is_that_column() {
    // With the rest fixed this column alone need not raise the likelihood; far from the maximum it
    // does.
    for told in [|_: usize| true, |i| i % 3 > 0] {
        let reads = reads_told(61, |i| i % 7, |_| 1.0, told);
        let standard = Standard::of(&reads, D);
        let rows = standard.rows(&reads);
        let factor = Factor::start(&rows, &standard, 0..rows.len(), 2, 1);
        let mut whole = Dense::of(&factor).matrix;
        (0..D).for_each(|j| whole[(j, j)] += FLOOR);
        let mut refinement =
            ColumnRefinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
        // With the covariances of the attributes fixed, the others say nothing.
        let known: Vec<usize> = FoldSubset::All.with_target(&rows).collect();
        let (second, _) = textbook(&whole, 0.0, &rows, &known, &factor);
        assert!(refinement.step());
        (0..D).for_each(|j| close(refinement.now.with_target[j], second[(j, D)], 1e-10));
        close(refinement.now.target_variance, second[(D, D)], 1e-10);
    }
}

/// Draws examples of few patterns: complete ones, two with holes, one that shows nothing, and some
/// of their own; and with `told`, some without a target.
fn patterned(told: impl Fn(usize) -> bool) -> Reads {
    let whole = reads_told(6_000, |_| D, |_| 1.0, told);
    let mut kept = Reads::new();
    for i in 0..whole.len() {
        let (slots, values) = whole.example(i);
        let cell = |j: u32| slots.iter().position(|slot| *slot == j).map(|at| (j, values[at]));
        let shows = |j: usize| match i % 5 {
            0 | 1 => true,
            2 => j > 2,
            3 => i % 10 == 8 && j.is_multiple_of(2),
            _ => (i / 5) >> j & 1 == 0,
        };
        let cells = (0..D).filter(|j| shows(*j)).filter_map(|j| cell(j as u32));
        kept.push(cells, whole.targets()[i]);
    }
    kept
}

#[test]
fn examples_that_are_alike_say_together_what_they_say_one_by_one() {
    for told in [|_: usize| true, |i| i % 3 > 0] {
        let (one_by_one, factor) = fitted(&patterned(told));
        let rows = one_by_one.with_patterns();
        let alike = |rows: &Rows| {
            let list = List::of(rows, FoldSubset::All.of(rows));
            list.runs().filter(|run| matches!(run, Run::Alike(_))).count()
        };
        assert!(alike(&rows) >= 2 && alike(&one_by_one) == 0, "{}", alike(&rows));
        let start = |rows| Refinement::start(rows, FoldSubset::All, &factor, &Silent).unwrap();
        let (mut together, mut single) = (start(&rows), start(&one_by_one));
        for step in 0..4 {
            close(together.likelihood, single.likelihood, 1e-12);
            for j in 0..=D {
                close(together.now.means[j], single.now.means[j], 1e-10);
                for i in 0..=D {
                    let (a, b) = (together.now.matrix[(i, j)], single.now.matrix[(i, j)]);
                    close(a, b, 1e-10);
                    close(together.score[(i, j)], single.score[(i, j)], 1e-9);
                }
            }
            assert!(together.step() && single.step(), "step {step}");
        }
        let start =
            |rows| ColumnRefinement::start(rows, FoldSubset::All, &factor, &Silent).unwrap();
        let (mut column, mut column_single) = (start(&rows), start(&one_by_one));
        assert!(column.step() && column_single.step());
        let both = column.now.with_target.iter().zip(&column_single.now.with_target);
        both.for_each(|(a, b)| close(*a, *b, 1e-10));
        // Each error has its part, whatever the order; and what is not definite is infinite.
        let ridges = [0.0, 0.1, 3.0];
        let judged = |rows: &Rows, of: &Dense| {
            let held = FoldSubset::All.with_target(rows).step_by(2);
            squared_errors(of, &ridges, rows, held, &Silent)
        };
        let now = &mut together.now;
        for (a, b) in judged(&rows, now).iter().zip(judged(&one_by_one, now)) {
            assert_eq!(a.count, b.count);
            a.parts(0.7).iter().zip(b.parts(0.7)).for_each(|(a, b)| close(*a, b, 1e-10));
        }
        now.matrix[(3, 3)] = -1.0;
        for (a, b) in judged(&rows, now).iter().zip(judged(&one_by_one, now)) {
            assert_eq!(a.total().is_finite(), b.total().is_finite());
        }
    }
}

#[test]
fn patterns_that_seldom_come_again_are_not_kept() {
    let often = fitted(&patterned(|_| true)).0.with_patterns();
    assert_eq!(often.pattern(0), often.pattern(1));
    assert!(often.pattern(0) != often.pattern(2) && often.pattern(0).is_some());
    // 256 sets of up to eight attributes.
    let seldom = fitted(&reads(300, |i| 3 + i % 3, |_| 1.0)).0.with_patterns();
    assert!((0..300).all(|i| seldom.pattern(i).is_none()));
}

#[test]
fn the_likelihood_never_falls_and_steps_too_long_are_cut() {
    let (rows, factor) = fitted(&reads_told(200, |i| i % 5, |_| 1.0, |i| i % 4 > 0));
    let mut refinement = Refinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
    let mut room = Mat::zeros(D + 1, D + 1);
    for step in 0..12 {
        let before = refinement.likelihood;
        if step == 3 {
            refinement.omega = 1e6;
        }
        if !refinement.step() {
            break;
        }
        assert!(refinement.likelihood >= before && refinement.now.is_definite(&mut room));
        // The kept likelihood is the kept covariance's.
        let again: f64 = (0..rows.len()).map(|i| likelihood(&refinement.now, &rows, i)).sum();
        close(refinement.likelihood, again, 1e-12);
    }
    // If no likelihood is enough, nothing changes.
    refinement.likelihood = f64::INFINITY;
    let before = refinement.now.clone();
    assert!(!refinement.step() && !refinement.step());
    assert_eq!((before.matrix, before.means), (refinement.now.matrix, refinement.now.means));
}

#[test]
fn what_has_converged_would_hardly_change() {
    let (rows, factor) = fitted(&reads(3_000, |i| 3 + i % 4, |_| 1.0));
    let start = Refinement::start(&rows, FoldSubset::All, &factor, &Silent);
    let mut refinement = start.unwrap();
    assert_eq!(refinement.idle, 0);
    let steps = (0..200).take_while(|_| refinement.idle < 2 && refinement.step()).count();
    assert!((5..100).contains(&steps) && refinement.idle == 2, "{steps} steps");
    let (weights, fit) = (weights(&refinement.now), refinement.likelihood);
    (0..50).for_each(|_| _ = refinement.step());
    assert!(refinement.likelihood - fit < 0.1, "{}", refinement.likelihood - fit);
    for (now, then) in self::weights(&refinement.now).iter().zip(&weights) {
        close(*now, *then, 0.01);
    }
}

fn weights(dense: &Dense) -> Vec<f64> {
    dense.solve(0.0, dense.with_target()).unwrap()
}

#[test]
fn complete_examples_lead_to_least_squares() {
    let (rows, factor) = fitted(&reads(300, |_| D, |_| 1.0));
    let mut refinement = Refinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
    for _ in 0..100 {
        if !refinement.step() {
            break;
        }
    }
    let m = rows.len() as f64;
    let cells = Mat::from_fn(rows.len(), D + 1, |i, j| {
        let (places, values, y) = rows.example(i);
        places.iter().position(|&p| p as usize == j).map_or(y, |a| values[a])
    });
    let mean = Mat::from_fn(1, D + 1, |_, j| cells.col(j).iter().sum::<f64>() / m);
    let centred = Mat::from_fn(rows.len(), D + 1, |i, j| cells[(i, j)] - mean[(0, j)]);
    let sample = faer::Scale(1.0 / m) * centred.transpose() * &centred;
    for i in 0..=D {
        let floor = |j: usize| if i == j && i < D { FLOOR } else { 0.0 };
        (0..=D).for_each(|j| close(refinement.now.matrix[(i, j)] + floor(j), sample[(i, j)], 1e-4));
    }
    let least = sample
        .submatrix(0, 0, D, D)
        .to_owned()
        .partial_piv_lu()
        .solve(sample.submatrix(0, D, D, 1));
    let found = refinement.now.solve(FLOOR, refinement.now.with_target()).unwrap();
    (0..D).for_each(|j| close(found[j], least[(j, 0)], 1e-3));
}

#[test]
fn judges_condition_on_what_was_read() {
    let (rows, factor) = fitted(&reads_told(61, |i| i % 7, |_| 1.0, |i| i % 2 == 0));
    let mut refinement = Refinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
    assert!(refinement.step());
    let now = &mut refinement.now;
    let ridges = [0.0, 0.1, 3.0];
    let found = squared_errors(now, &ridges, &rows, (0..rows.len()).step_by(2), &Silent);
    for (ridge, found) in ridges.iter().zip(found) {
        let mut errors = 0.0;
        for i in (0..rows.len()).step_by(2) {
            let (at, x) = seen(&rows, i, now, D);
            let q = at.len() - 1;
            let extra = |a: usize, b: usize| if a == b { FLOOR + ridge } else { 0.0 };
            let block = Mat::from_fn(q, q, |a, b| now.matrix[(at[a], at[b])] + extra(a, b));
            let with = Mat::from_fn(1, q, |_, a| now.matrix[(D, at[a])]);
            let guess = if q == 0 {
                0.0
            } else {
                (with * block.partial_piv_lu().inverse() * x.submatrix(0, 0, q, 1))[(0, 0)]
            };
            errors += (x[(q, 0)] - guess).powi(2);
        }
        close(found.total(), errors, 1e-11);
        close(found.parts(1.0).iter().sum(), errors, 1e-11);
    }
    now.matrix[(3, 3)] = -1.0;
    let found = squared_errors(now, &ridges, &rows, 0..rows.len(), &Silent);
    let finite: Vec<bool> = found.iter().map(|errors| errors.total().is_finite()).collect();
    assert_eq!(finite, [false, false, true], "{found:?}");
    assert!(now.solve(0.0, &[1.0; D]).is_none());
}

/// Runs all steps on some reads; returns the weights of each refinement, in standard units.
fn run(reads: &Reads) -> Vec<Vec<f64>> {
    let (rows, factor) = fitted(reads);
    let standard = Standard::of(reads, D);
    assert!(
        standard.deviation.iter().chain(&standard.mean).all(|v| v.is_finite())
            && standard.spread > 0.0
    );
    assert!(standard.deviation.iter().all(|v| *v > 0.0));
    assert!(
        factor.loadings.iter().chain(&factor.noise).chain(&factor.target).all(|v| v.is_finite())
    );
    let mut found = vec![factor.solve(0.0, &factor.with_target()).unwrap()];
    let mut column = ColumnRefinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
    (0..3).for_each(|_| {
        column.step();
    });
    found.extend(factor.solve(0.0, &column.now.with_target));
    let mut dense = Refinement::start(&rows, FoldSubset::All, &factor, &Silent).unwrap();
    (0..3).for_each(|_| {
        dense.step();
    });
    found.extend(dense.now.solve(0.1, dense.now.with_target()));
    assert!(
        squared_errors(&dense.now, &[0.0, 1.0], &rows, 0..rows.len(), &Silent)
            .iter()
            .all(|e| !e.total().is_nan())
    );
    assert!(found.iter().flatten().all(|w| w.is_finite()), "{found:?}");
    found
}

#[test]
fn odd_examples_give_numbers() {
    let unit = |_: usize| 1.0;
    let all = [
        ("none that shows anything", reads(5, |_| 0, unit)),
        ("one", reads(1, |_| 4, unit)),
        ("two", reads(2, |_| 4, unit)),
        ("nine", reads(9, |i| i % 4, unit)),
        ("one read each", reads(40, |_| 1, unit)),
        ("constant attributes", reads(40, |_| 4, |j| f64::from(u8::from(j % 2 == 0)))),
        ("a constant target", reads(40, |_| 4, |j| f64::from(u8::from(j < D)))),
        ("hardly a target", reads_told(40, |i| i % 4, unit, |i| i == 7)),
        ("nothing that varies", reads(40, |_| 4, |_| 0.0)),
    ];
    for (what, reads) in all {
        assert_eq!(run(&reads).len(), 3, "{what}");
    }
    let mut same = Reads::new();
    (0..30).for_each(|_| same.push([(0, 1.5), (3, -2.0)].into_iter(), 0.1));
    assert_eq!((Standard::of(&same, D).len(), Standard::of(&same, D).spread), (0, 1.0));
    run(&same);
    let mut twins = Reads::new();
    (0..30).for_each(|i| twins.push((0..4).map(|j| (j, f64::from(i % 2))), f64::from(i % 2)));
    run(&twins);
}

#[test]
fn units_change_nothing() {
    let plain = run(&reads(200, |i| i % 5, |_| 1.0));
    // The pooled variance is in the units of all: only a common unit leaves it unchanged.
    for unit in [1e-160, 1e-150, 1e-3, 1e150, 1e155] {
        let found = run(&reads(200, |i| i % 5, |_| unit));
        plain.iter().flatten().zip(found.iter().flatten()).for_each(|(a, b)| close(*a, *b, 1e-9));
    }
    for (small, large) in [(1e-6, 1e6), (1e-150, 1e150)] {
        let found = run(&reads(200, |i| i % 5, |j| if j % 2 == 0 { small } else { large }));
        // A quarter of a read at up to 100 times the variance, of some 50: standard deviations are
        // 1.2 times larger or 0.95 times as large.
        for (a, b) in plain[2].iter().zip(&found[2]) {
            assert!((a - b).abs() < 0.3, "{a} and {b}");
        }
    }
}
