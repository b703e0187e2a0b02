//! Tests what is solved by what an example lacks, or by factors, against blocks of what it shows.

use super::super::alike::{Block, Listed, Run};
use super::super::column::Column;
use super::super::covariance::likelihood;
use super::super::folds::FoldSubset;
use super::super::judge::{Errors, squared_errors};
use super::super::own_test::{Shown, given};
use super::super::reads::Reads;
use super::super::standard::Standard;
use super::tests::{close, seen};
use super::*;
use faer::linalg::solvers::Solve;
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream, subset};

const D: usize = 90;
const RIDGES: [f64; 3] = [0.0, 0.1, 3.0];

/// Draws examples that lack up to a tenth, of which some are alike; some that show less than half,
/// or nothing; and a third without a target.
fn wide() -> (Rows, Factor) {
    let (mut reads, mut drawn) = (Reads::new(), Vec::new());
    for i in 0..240 {
        let mut stream = Stream::new(41, Purpose::Data, i as u64);
        let z = [stream.normal(), stream.normal()];
        let x: Vec<f64> = (0..D).map(|j| z[j % 2] + stream.normal()).collect();
        let y = if i % 3 == 0 { f64::NAN } else { x[0] + 0.5 * x[2] + stream.normal() };
        let shown = match i % 8 {
            0 => D,
            1 => 40,
            2 => i % 16 / 10 * 20,
            sort => D - sort,
        };
        let set = if i % 8 > 5 { i % 40 } else { i };
        subset(&mut Stream::new(42, Purpose::Query, set as u64), D, shown, &mut drawn);
        reads.push(drawn.iter().map(|&j| (j, x[j as usize])), y);
    }
    let standard = Standard::of(&reads, D);
    let rows = standard.rows(&reads).with_patterns();
    let mut factor = Factor::start(&rows, &standard, 0..rows.len(), 3, 1);
    (0..4).for_each(|_| {
        factor.improve(&rows, &standard, 0..rows.len());
    });
    (rows, factor)
}

fn all() -> FoldSubset {
    FoldSubset::All
}

#[test]
fn what_an_example_lacks_says_what_its_block_says() {
    let (rows, factor) = wide();
    let start = || Refinement::start(&rows, all(), &factor, &Silent).unwrap();
    let (mut lacking, mut blocks) = (start(), start());
    blocks.list = List::of(&rows, all().of(&rows));
    let examples = |list: &List<'_>| -> Vec<usize> {
        let of = |run: Run<'_>| if let Run::Lacking(run) = run { run.len() } else { 0 };
        list.runs().map(of).filter(|len| *len > 0).collect()
    };
    let found = examples(&lacking.list);
    assert!(found.iter().any(|len| *len > 3) && found.iter().sum::<usize>() > 120, "{found:?}");
    assert!(lacking.list.lacks_little() && examples(&blocks.list).is_empty());
    for step in 0..3 {
        blocks.next.clone_from(&lacking.now);
        blocks.likelihood = blocks.evaluate_next(true).unwrap();
        blocks.keep_score();
        close(lacking.likelihood, blocks.likelihood, 1e-11);
        let by_inverses: f64 = (0..rows.len()).map(|i| likelihood(&lacking.now, &rows, i)).sum();
        close(lacking.likelihood, by_inverses, 1e-10);
        let of_all = |of: &Partly| of.score.clone();
        let [mine, theirs] = [&lacking, &blocks].map(|of| of_all(of.partly.as_ref().unwrap()));
        for (a, b) in [(&lacking.score, &blocks.score), (&mine, &theirs)] {
            let most = (0..=D).map(|j| b[(j, j)].abs()).fold(0.0, f64::max);
            for i in 0..=D {
                (0..=D).for_each(|j| {
                    assert!((a[(i, j)] - b[(i, j)]).abs() < 1e-9 * most, "{step} {i} {j}");
                });
            }
        }
        let both = lacking.of_means.iter().zip(&blocks.of_means);
        both.for_each(|(a, b)| assert!((a - b).abs() < 1e-8, "{a} and {b}"));
        assert!(lacking.step(), "{step}");
    }
}

/// Sums (y - E(y | x_o))^2 by dense inverses.
fn squares(of: &impl Covariance, ridge: f64, rows: &Rows, examples: &[usize]) -> f64 {
    let one = |&i: &usize| {
        let (places, values, y) = rows.example(i);
        let q = places.len();
        let mut block = vec![0.0; (q + 1) * (q + 1)];
        of.block(places, &mut block);
        let at = |a: usize, b: usize| block[a * (q + 1) + b] + if a == b { ridge } else { 0.0 };
        let with = Mat::from_fn(q, 1, |a, _| block[a * (q + 1) + q]);
        let weights = Mat::from_fn(q, q, at).partial_piv_lu().solve(&with);
        let told: f64 =
            (0..q).map(|a| weights[(a, 0)] * (values[a] - of.mean(places[a] as usize))).sum();
        (y - of.target_mean() - told).powi(2)
    };
    examples.iter().map(one).sum()
}

#[test]
fn judges_come_to_the_same_errors() {
    let (rows, factor) = wide();
    let held: Vec<usize> = all().with_target(&rows).collect();
    let mut refinement = Refinement::start(&rows, all(), &factor, &Silent).unwrap();
    assert!(refinement.step());
    let column = Column::of(&factor);
    let judged = |of: &dyn Fn() -> Vec<Errors>, twin: &dyn Fn(f64) -> f64| {
        for (found, ridge) in of().iter().zip(RIDGES) {
            assert_eq!(found.count, held.len());
            close(found.total(), twin(ridge), 1e-9);
        }
    };
    let now = &refinement.now;
    let of = || held.iter().copied();
    assert!(List::of(&rows, of()).completed(now.invertible()).lacks_little());
    judged(&|| squared_errors(now, &RIDGES, &rows, of(), &Silent), &|r| {
        squares(now, r, &rows, &held)
    });
    judged(&|| squared_errors(&factor, &RIDGES, &rows, of(), &Silent), &|r| {
        squares(&factor, r, &rows, &held)
    });
    judged(&|| squared_errors(&column, &RIDGES, &rows, of(), &Silent), &|r| {
        squares(&column, r, &rows, &held)
    });
    // What is not definite is infinite, and so is what the monitor stopped.
    refinement.now.matrix[(3, 3)] = -1.0;
    let found = squared_errors(&refinement.now, &RIDGES, &rows, of(), &Silent);
    let finite: Vec<bool> = found.iter().map(|errors| errors.total().is_finite()).collect();
    assert_eq!(finite, [false, false, true]);
}

#[test]
fn blocks_are_solved_by_factors_as_by_themselves() {
    let (rows, factor) = wide();
    let column = Column { target_variance: 9.0, ..Column::of(&factor) };
    let (mut block, mut watch, mut wide) = (Block::new(), Watch::new(&Silent), 0);
    for i in 0..rows.len() {
        let run = [Listed { counted: i.into(), at: 0 }];
        block.load(&column, &rows, i);
        let log = block.determinant(&column, &mut watch).unwrap();
        let likely = block.solve(&column, &rows, &run, log, &mut watch, |_, weighted, solved| {
            assert_eq!(weighted, solved);
            let (at, x) = seen(&rows, i, &column, D);
            let side = rows.example(i).0.len() + 1;
            let mut whole = vec![0.0; side * side];
            column.block(rows.example(i).0, &mut whole);
            let own = Mat::from_fn(at.len(), at.len(), |a, b| whole[a * side + b]);
            let expected = own.partial_piv_lu().solve(&x);
            (0..at.len()).for_each(|a| close(solved[(a, 0)], expected[(a, 0)], 1e-10));
        });
        close(likely.unwrap(), likelihood(&column, &rows, i), 1e-10);
        wide += usize::from(rows.example(i).0.len() > 64);
    }
    assert!(wide > 100);
    // A target that has less variance than its regression is not definite.
    let column = Column { target_variance: 0.01, ..column };
    block.load(&column, &rows, 0);
    assert!(block.determinant(&column, &mut watch).is_none());
}

#[test]
fn what_is_given_of_large_blocks_is_that_by_dense_inverses() {
    let (rows, factor) = wide();
    let held: Vec<usize> = all().with_target(&rows).collect();
    let weights: Vec<f64> = (0..D).map(|j| 0.1 * (j as f64).cos()).collect();
    let shown = Shown::of(&rows, D, &Silent);
    let of = (&*weights, 0.3);
    let found = given(&factor, of, &rows, &shown, held.iter().copied(), &Silent).unwrap();
    let of_x = factor.times(&weights);
    let centre = 0.3 + dot(&weights, &factor.means);
    let cross: f64 = (0..D).map(|j| weights[j] * factor.of_target(j)).sum();
    for (i, found) in held.iter().zip(found) {
        let (at, x) = seen(&rows, *i, &factor, D);
        let places = rows.example(*i).0;
        let (q, side) = (places.len(), places.len() + 1);
        let mut whole = vec![0.0; side * side];
        factor.block(places, &mut whole);
        let with = Mat::from_fn(side, 1, |a, _| if a < q { of_x[at[a]] } else { cross });
        let moments = |n: usize| {
            let block = Mat::from_fn(n, n, |a, b| whole[a * side + b]);
            let (with, x) = (with.submatrix(0, 0, n, 1), x.submatrix(0, 0, n, 1));
            let gain = block.partial_piv_lu().solve(with);
            let lost = (gain.transpose() * with)[(0, 0)];
            (centre + (gain.transpose() * x)[(0, 0)], dot(&weights, &of_x) - lost)
        };
        let ((mean, variance), (knowing, left)) = (moments(q), moments(side));
        close(found.mean, mean, 1e-10);
        close(found.variance, variance, 1e-9);
        let y = x[(q, 0)] + factor.target_mean;
        close(found.by_model, (y - knowing).powi(2) + left, 1e-9);
    }
}
