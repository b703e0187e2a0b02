//! Tests reads that were not asked for: examples without a target, with numbers of their own, and
//! copies that only draw.
#![allow(clippy::print_stdout)] // figures are to be read

use super::folds::FoldSubset;
use super::reads::Reads;
use super::standard::{Rows, Standard};
use super::{Fiml, load};
use halfseen_core::data::Layout;
use halfseen_core::error::ErrorKind;
use halfseen_core::learner::{AskTell, Learner};
use halfseen_core::model::{Conditional, Fit, Note, Predictor};
use halfseen_core::params::{Design, Link, Shape};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream, subset};
use std::sync::Arc;

type Row = (Vec<f64>, f64);

/// Draws attributes of two common causes, and a target of these and of one attribute.
fn draw(d: usize, rows: usize, seed: u64) -> Vec<Row> {
    let mut truth = Stream::new(seed, Purpose::Factor, 1);
    let loadings: Vec<[f64; 2]> = (0..d).map(|_| [truth.normal(), truth.normal()]).collect();
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let row = |_| {
        let z = [stream.normal(), stream.normal()];
        let x: Vec<f64> = loadings
            .iter()
            .map(|l| 2.0 + l[0] * z[0] + l[1] * z[1] + 0.7 * stream.normal())
            .collect();
        let y = z[0] - 0.5 * z[1] + 0.4 * x[0] + 0.5 * stream.normal();
        (x, y)
    };
    (0..rows).map(row).collect()
}

fn start(learner: &Fiml, d: usize) -> Box<dyn AskTell> {
    learner.start(&Arc::new(Layout::singletons(d))).unwrap().unwrap()
}

fn reading(budget: u64) -> Fiml {
    Fiml { budget: Some(budget), shape: Shape::Linear, ..Fiml::default() }
}

/// The cells of k attributes of a row, drawn by its number.
fn some(x: &[f64], k: usize, number: u64) -> Vec<(u32, f64)> {
    let mut drawn = Vec::new();
    subset(&mut Stream::new(77, Purpose::Query, number), x.len(), k, &mut drawn);
    drawn.into_iter().map(|j| (j, x[j as usize])).collect()
}

fn fit(learner: &dyn AskTell) -> Fit {
    learner.fitted(&Silent).unwrap()
}

fn conditional(fit: &Fit) -> &Conditional {
    match &fit.predictor {
        Predictor::Conditional(found) => found,
        other => panic!("{other:?}"),
    }
}

/// Returns the mean squared error over the targets' variance, on complete rows.
fn error(fit: &Fit, rows: &[Row]) -> f64 {
    let mean = rows.iter().map(|(_, y)| y).sum::<f64>() / rows.len() as f64;
    let linear = fit.linear().unwrap();
    let square = |(x, y): &Row| (linear.score(x) - y).powi(2);
    rows.iter().map(square).sum::<f64>() / rows.iter().map(|(_, y)| (y - mean).powi(2)).sum::<f64>()
}

/// Answers in the order of the queries are observations, through redesigns and a saved state.
#[test]
fn what_is_observed_is_what_is_told_to_the_bit() {
    let rows = draw(9, 700, 3);
    for learner in [reading(3), Fiml { design: Design::Uniform, deviations: 3, ..reading(3) }] {
        let (mut told, mut seen) = (start(&learner, 9), start(&learner, 9));
        for (number, (x, y)) in rows.iter().enumerate() {
            let query = told.ask().unwrap();
            let mut values: Vec<f64> =
                query.reads.iter().map(|read| x[read.panel as usize]).collect();
            if number % 11 == 0 {
                values[1] = f64::NAN;
            }
            let cells: Vec<(u32, f64)> =
                query.reads.iter().map(|read| read.panel).zip(values.iter().copied()).collect();
            told.tell(&query, &values, *y).unwrap();
            seen.observe(number as u64, &cells, Some(*y)).unwrap();
            if number == 400 {
                seen = load(&seen.save().unwrap()).unwrap();
            }
        }
        assert_eq!(seen.save().unwrap(), told.save().unwrap());
        assert_eq!(fit(&*seen), fit(&*told));
        assert_eq!(seen.ask().unwrap(), told.ask().unwrap());
        assert!(told.takes_observed());
    }
}

#[test]
fn redesigns_count_examples_with_a_read_and_a_target() {
    let learner = reading(3);
    let rows = draw(20, 700, 4);
    let mut seen = start(&learner, 20);
    let mut phases = Vec::new();
    // Two of three count; an example that only knows its target does not.
    for (number, (x, y)) in rows.iter().enumerate() {
        let number = number as u64;
        match number % 3 {
            0 => seen.observe(number, &some(x, 3, number), Some(*y)).unwrap(),
            1 => seen.observe(number, &some(x, 3, number), None).unwrap(),
            _ => seen.observe(number, &[], Some(*y)).unwrap(),
        }
        let mut copy = load(&seen.save().unwrap()).unwrap();
        if number == 396 || number == 399 {
            phases.push(copy.ask().unwrap().phase);
        }
    }
    // 20 reads of each of 20 panels at 3 per example: 134 answers.
    assert_eq!(phases, [0, 1]);
}

#[test]
fn examples_without_a_target_teach_the_attributes() {
    let (mut gains, mut worst) = (Vec::new(), f64::NEG_INFINITY);
    for (d, k) in [(12, 2), (8, 3), (12, 4)] {
        let mut means = [0.0; 2];
        for seed in 0..6 {
            let (few, test) = (150, draw(d, 4_000, seed));
            // The truth is the seed's: further rows follow the same stream.
            let rows = draw(d, 4_000 + 11 * few, seed).split_off(4_000);
            let mut errors = [0.0; 2];
            for (error_of, more) in errors.iter_mut().zip([0, 10 * few]) {
                let mut learner = start(&reading(k), d);
                for (number, (x, y)) in rows[..few + more].iter().enumerate() {
                    let cells = some(x, k as usize, number as u64);
                    learner.observe(number as u64, &cells, (number < few).then_some(*y)).unwrap();
                }
                let found = fit(&*learner);
                *error_of = error(&found, &test);
                assert_eq!(found.report.examples, few as u64);
                let untold = format!("examples without a target: {more};");
                let told = |note: &Note| note.to_string().starts_with(&untold);
                assert_eq!(found.report.notes.iter().any(told), more > 0);
            }
            worst = worst.max(errors[1] - errors[0]);
            means.iter_mut().zip(errors).for_each(|(mean, error)| *mean += error / 6.0);
        }
        gains.push(means);
    }
    let gained: Vec<f64> = gains.iter().map(|[without, with]| without - with).collect();
    // Two reads tell least of the covariances: .45 and .40 of the variance. Three of eight tell
    // enough of them, and targets are what is short.
    assert!(gained[0] > 0.02 && gained[2] > 0.0 && gained[1] > -0.01, "{gains:?}");
    assert!(gained.iter().sum::<f64>() > 0.03, "{gains:?}");
    assert!(worst < 0.02, "{worst}");
}

/// The target is known where the first attribute is low: means are those of all examples, and the
/// target's mean follows.
#[test]
fn means_are_those_of_all_examples() {
    let mut stream = Stream::new(8, Purpose::Data, 0);
    let mut learner = start(&reading(2), 3);
    let (mut sums, mut all) = ([0.0; 3], 0.0);
    for number in 0..9_000 {
        let z = stream.normal();
        let x: [f64; 3] = [z, 1.0 + z + 0.5 * stream.normal(), 0.5 * z + stream.normal()];
        let y = x[0] + x[1] + 0.2 * stream.normal();
        x.iter().zip(&mut sums).for_each(|(x, sum)| *sum += x / 9_000.0);
        all += y / 9_000.0;
        let known = (x[0] < 0.0).then_some(y);
        let cells = [(0, x[0]), (1 + (number % 2) as u32, x[1 + number as usize % 2])];
        learner.observe(number, &cells, known).unwrap();
    }
    let found = fit(&*learner);
    let conditional = conditional(&found);
    let means = &conditional.linear.fill;
    means.iter().zip(sums).for_each(|(a, b)| assert!((a - b).abs() < 0.05, "{means:?}, {sums:?}"));
    // Predictions are clipped to the range of the known targets.
    let mut linear = conditional.linear.clone();
    linear.clip = None;
    // The mean of the known targets is lower by 1.6.
    assert!((linear.score(&sums) - all).abs() < 0.2, "{} and {all}", linear.score(&sums));
}

#[test]
fn without_any_target_the_prediction_is_that_of_no_example() {
    let (mut learner, none) = (start(&reading(2), 4), start(&reading(2), 4));
    for (number, (x, _)) in draw(4, 300, 5).iter().enumerate() {
        learner.observe(number as u64, &some(x, 2, number as u64), None).unwrap();
    }
    let (found, nothing) = (fit(&*learner), fit(&*none));
    let (linear, of_none) = (found.linear().unwrap(), nothing.linear().unwrap());
    assert_eq!(linear.weights, of_none.weights);
    for x in [[0.0; 4], [1.0, -5.0, 2.0, 0.5]] {
        assert_eq!(linear.score(&x), of_none.score(&x));
    }
    assert_eq!((found.report.examples, found.report.reads), (0, 600));
    assert!(found.report.risk.is_none());
    // The cached fit is not that of fewer examples.
    learner.observe(300, &[], Some(2.0)).unwrap();
    assert_eq!(fit(&*learner).linear().unwrap().score(&[0.0; 4]), 2.0);
}

#[test]
fn a_withdrawn_example_leaves_the_folds_of_the_others() {
    let rows = draw(5, 90, 6);
    let kept = |withdrawn: &[u64]| {
        let mut reads = Reads::new();
        for (number, (x, y)) in rows.iter().enumerate() {
            let number = number as u64;
            if !withdrawn.contains(&number) {
                let target = if number % 4 == 1 { f64::NAN } else { *y };
                reads.push_numbered(number, some(x, 3, number).into_iter(), target);
            }
        }
        reads
    };
    let fold_of_each = |reads: &Reads| -> Vec<(u64, usize)> {
        let mut rows: Rows = Standard::of(reads, 5).rows(reads);
        let numbers: Vec<u64> = (0..rows.len()).map(|i| rows.number(i)).collect();
        rows.balance(3);
        let of = |i: usize| {
            let held = |&fold: &usize| FoldSubset::Only { fold, of: 3 }.of(&rows).any(|j| j == i);
            let fold = (0..3).find(held).unwrap();
            assert!(FoldSubset::Without { fold, of: 3 }.of(&rows).all(|j| j != i));
            fold
        };
        numbers.into_iter().enumerate().map(|(i, number)| (number, of(i))).collect()
    };
    let (all, fewer) = (fold_of_each(&kept(&[])), fold_of_each(&kept(&[0, 17, 18, 40])));
    assert_eq!((all.len(), fewer.len()), (90, 86));
    assert!(fewer.iter().all(|pair| all.contains(pair)));
    // Where all targets would be in one fold, folds go by order.
    let mut reads = Reads::new();
    for (number, (x, y)) in (0_u64..).zip(&rows) {
        let target = if number % 3 == 0 { *y } else { f64::NAN };
        reads.push_numbered(number, some(x, 3, number).into_iter(), target);
    }
    let mut rows: Rows = Standard::of(&reads, 5).rows(&reads);
    rows.balance(3);
    for fold in 0..3 {
        let part = FoldSubset::Only { fold, of: 3 };
        assert_eq!((part.with_target(&rows).count(), part.of(&rows).count()), (10, 30));
    }
}

/// A learner over classes with gaps in its numbers, unknown targets and refused reads goes on from
/// a saved state with the same bits.
#[test]
fn a_state_with_unknown_targets_goes_on_with_the_same_bits() {
    let learner = Fiml { link: Link::Auto, deviations: 2, ..reading(3) };
    let rows = draw(6, 500, 7);
    let mut running = start(&learner, 6);
    let mut twin = None;
    for (number, (x, y)) in rows.iter().enumerate() {
        let class = if *y > 1.0 { 1.0 } else { -1.0 };
        let number = 2 * number as u64 + u64::from(number > 100);
        let mut cells = some(x, 3, number);
        if number.is_multiple_of(5) {
            cells[2].1 = f64::NAN;
        }
        let target = (number % 3 != 1).then_some(class);
        running.observe(number, &cells, target).unwrap();
        if number == 401 {
            twin = Some(load(&running.save().unwrap()).unwrap());
        } else if let Some(twin) = &mut twin {
            twin.observe(number, &cells, target).unwrap();
        }
    }
    let mut twin = twin.unwrap();
    let saved = running.save().unwrap();
    assert_eq!(twin.save().unwrap(), saved);
    assert_eq!(fit(&*twin), fit(&*running));
    assert!(conditional(&fit(&*twin)).link.is_some());
    let targets = saved["state"]["reads"]["targets"].as_array().unwrap();
    assert_eq!(targets.iter().filter(|y| y.is_null()).count() as u64, 500 - twin.report().examples);
    assert_eq!(twin.report().reads, 1_500);
    assert!(twin.report().notes.contains(&Note::RefusedReads { reads: 101 }));
    assert_eq!(twin.ask().unwrap().number, 1_000);
    // A count of answers that the targets contradict.
    let mut wrong = saved;
    wrong["state"]["reads"]["targets"][0] = serde_json::Value::Null;
    assert!(matches!(load(&wrong).err().unwrap().kind(), ErrorKind::BadFile { .. }));
}

#[test]
fn impossible_observations_are_refused_and_change_nothing() {
    let mut builder = Layout::builder(5);
    builder.sampled("pair", vec![4, 0]);
    builder.sampled("a", vec![2]);
    builder.sampled("b", vec![3]);
    builder.known("known", vec![1]);
    let layout = Arc::new(builder.finish().unwrap());
    let mut learner = reading(2).start(&layout).unwrap().unwrap();
    learner.observe(4, &[(1, 2.0), (2, f64::NAN), (4, 1.0)], None).unwrap();
    learner.observe(6, &[(4, 1.0)], Some(1.0)).unwrap();
    learner.observe(7, &[], None).unwrap();
    let report = learner.report();
    assert_eq!((report.reads, report.distinct, report.spent), (2, 2, 2.0));
    assert_eq!((report.examples, report.max_reads, report.panel_reads), (1, 2, vec![1, 1, 0]));
    assert!(report.notes.contains(&Note::RefusedReads { reads: 1 }));
    let before = learner.save().unwrap();
    type Case<'a> = (u64, &'a [(u32, f64)], Option<f64>, &'a str);
    let cases: [Case<'_>; 9] = [
        (7, &[], None, "NumberUsed"),
        (1 << 53, &[], None, "OutOfRange"),
        (8, &[(5, 1.0)], None, "OutOfRange"),
        (8, &[(2, 1.0), (1, 1.0)], None, "OutOfRange"),
        (8, &[(2, 1.0), (2, 1.0)], None, "OutOfRange"),
        (8, &[(2, f64::INFINITY)], None, "WrongAnswer"),
        (8, &[(2, 1.0)], Some(f64::NAN), "WrongAnswer"),
        (8, &[(2, 1.0)], Some(f64::NEG_INFINITY), "WrongAnswer"),
        (8, &[(2, 1e60)], None, "Diverged"),
    ];
    for (number, cells, target, expected) in cases {
        let error = learner.observe(number, cells, target).unwrap_err();
        assert!(format!("{:?}", error.kind()).starts_with(expected), "{error}");
    }
    assert!(matches!(
        learner.skip_to(7).unwrap_err().kind(),
        ErrorKind::NumberUsed { number: 7, next: 8 }
    ));
    assert_eq!(learner.save().unwrap(), before);
    learner.skip_to(8).unwrap();
    learner.skip_to(30).unwrap();
    assert_eq!(learner.ask().unwrap().number, 30);
}

#[test]
fn a_copy_that_draws_is_small_and_refuses_to_learn() {
    let rows = draw(30, 1_200, 9);
    for design in [Design::Adaptive, Design::Uniform] {
        let learner = Fiml { design, ..reading(4) };
        let mut whole = start(&learner, 30);
        let open = whole.ask().unwrap();
        for (number, (x, y)) in rows.iter().enumerate() {
            let number = 1 + number as u64;
            let target = (!number.is_multiple_of(3)).then_some(*y);
            whole.observe(number, &some(x, 4, number), target).unwrap();
        }
        let state = whole.save_to_draw().unwrap();
        let (small, large) = (state.to_string().len(), whole.save().unwrap().to_string().len());
        assert!(small < 4_000 && large > 20 * small, "{small} of {large} bytes");
        let mut copy = load(&state).unwrap();
        assert_eq!(copy.save().unwrap(), state);
        assert_eq!(copy.save_to_draw().unwrap(), state);
        for number in [1_201, 1_202, 1_500, 9_000] {
            whole.skip_to(number).unwrap();
            copy.skip_to(number).unwrap();
            assert_eq!(copy.ask().unwrap(), whole.ask().unwrap());
        }
        let missing = |error: halfseen_core::error::Error| {
            assert!(error.to_string().contains("the reads of 1200 examples"), "{error}");
        };
        missing(copy.fitted(&Silent).unwrap_err());
        missing(copy.tell(&open, &[0.0; 4], 1.0).unwrap_err());
        missing(copy.observe(10_000, &[(0, 1.0)], None).unwrap_err());
        assert_eq!(copy.report().reads, whole.report().reads);
        let mut wrong = state;
        wrong["state"]["absent"] = 7.into();
        assert!(load(&wrong).is_err());
    }
}
