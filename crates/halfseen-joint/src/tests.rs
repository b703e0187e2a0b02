//! Tests the learner as a whole: missing values, few examples, and data that teach nothing.

use super::read_summary::constant_attributes;
use super::{Fiml, load};
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::error::ErrorKind;
use halfseen_core::learner::Learner;
use halfseen_core::learner::missingness::never_observed;
use halfseen_core::learner::{Query, ReadRole, TellOutcome};
use halfseen_core::model::{Fit, Note, Stop};
use halfseen_core::params::{Design, Passive, Shape};
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent};
use ndarray::Array2;
use std::sync::Arc;

/// Draws six attributes with a common cause; the target is 2 x0 - x3 and a little noise.
fn data(rows: usize) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(4, Purpose::Data, 0);
    let mut x = Array2::zeros((rows, 6));
    let mut y = Vec::new();
    for mut row in x.rows_mut() {
        let cause = stream.normal();
        row.iter_mut().for_each(|v| *v = 1.0 + 0.5 * cause + stream.normal());
        y.push(2.0 * row[0] - row[3] + 0.1 * stream.normal());
    }
    (x, y)
}

fn fit(learner: &Fiml, x: &Array2<f64>, y: &[f64]) -> Fit {
    let (matrix, layout) = (Matrix::F64(x.clone()), Arc::new(Layout::singletons(x.ncols())));
    learner.fit(&Examples::new(&matrix, &Scaler::None {}, &layout, y), &Silent).unwrap()
}

fn with_budget(budget: u64) -> Fiml {
    Fiml { budget: Some(budget), shape: Shape::Linear, ..Fiml::default() }
}

/// Returns the unexplained share of the targets' variance.
fn left(fit: &Fit, x: &Array2<f64>, y: &[f64]) -> f64 {
    let mean = y.iter().sum::<f64>() / y.len() as f64;
    let linear = fit.linear().unwrap();
    let square =
        |(row, y): (ndarray::ArrayView1<'_, f64>, &f64)| (linear.score(&row.to_vec()) - y).powi(2);
    x.rows().into_iter().zip(y).map(square).sum::<f64>()
        / y.iter().map(|y| (y - mean).powi(2)).sum::<f64>()
}

#[test]
fn it_learns_from_every_budget_and_says_what_one_read_cannot_tell() {
    let (x, y) = data(3_000);
    for (budget, most) in [(1, 0.7), (2, 0.3), (4, 0.1), (6, 0.1)] {
        let fit = fit(&with_budget(budget), &x, &y);
        let rest = left(&fit, &x, &y);
        assert!(rest < most, "budget {budget}: {rest} is left");
        assert_eq!(
            (fit.report.max_reads, fit.report.reads, fit.report.stop),
            (budget, 3_000 * budget, Stop::OnePass)
        );
        assert_eq!(fit.report.notes.iter().any(|note| note.is_about("no-pairs")), budget == 1);
    }
    let layout = Arc::new(Layout::singletons(6));
    let error = with_budget(7).start(&layout).err().unwrap();
    assert!(error.to_string().contains("7 reads") && error.to_string().contains("at most 6"));
}

#[test]
fn reads_that_hit_a_hole_are_counted_and_the_others_are_kept() {
    let (mut x, y) = data(2_000);
    let whole = x.clone();
    x.indexed_iter_mut()
        .filter(|((i, j), _)| (3 * i + j) % 4 == 0)
        .for_each(|(_, v)| *v = f64::NAN);
    let fit = fit(&with_budget(4), &x, &y);
    let refused = fit.report.notes.iter().find_map(|note| match note {
        Note::RefusedReads { reads } => Some(*reads),
        _ => None,
    });
    assert!(
        (1_500..2_500).contains(&refused.unwrap()),
        "{refused:?} of 8000, a quarter of the cells is missing"
    );
    assert_eq!((fit.report.examples, fit.report.skipped, fit.report.reads), (2_000, 0, 8_000));
    assert!(left(&fit, &whole, &y) < 0.15);
}

#[test]
fn passive_takes_what_is_observed_and_one_is_refused() {
    let (mut x, y) = data(2_000);
    let whole = x.clone();
    let mut stream = Stream::new(5, Purpose::Data, 0);
    x.iter_mut().filter(|_| stream.unit() < 0.5).for_each(|v| *v = f64::NAN);
    let passive = Fiml { passive: Passive::All, shape: Shape::Linear, ..Fiml::default() };
    let found = fit(&passive, &x, &y);
    let shown = x.iter().filter(|v| !v.is_nan()).count() as u64;
    assert_eq!(found.report.reads, shown);
    assert!(left(&found, &whole, &y) < 0.15);
    // Missingness associated with the target is reported.
    let informative = |note: &Note| {
        note.is_about("informative-holes") && note.to_string().starts_with("missingness of 'x5' is")
    };
    assert!(!found.report.notes.iter().any(informative));
    y.iter().enumerate().filter(|(_, y)| **y > 2.0).for_each(|(i, _)| x[[i, 5]] = f64::NAN);
    assert!(fit(&passive, &x, &y).report.notes.iter().any(informative));
    let one = Fiml { passive: Passive::One, ..Fiml::default() };
    let error = one.start(&Arc::new(Layout::singletons(6))).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::OutOfRange { name: "passive", .. }), "{error}");
    assert!(error.to_string().contains("all"), "{error}");
}

/// Asks to stop at once.
struct Hurried;

impl Monitor for Hurried {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn a_running_learner_says_what_a_fit_says_and_forgets_one_that_was_interrupted() {
    let (x, y) = data(200);
    let layout = Arc::new(Layout::singletons(6));
    let mut learner = with_budget(1).start(&layout).unwrap().unwrap();
    for (row, y) in x.rows().into_iter().zip(&y) {
        let query = learner.ask().unwrap();
        let values: Vec<f64> = query.reads.iter().map(|read| row[read.panel as usize]).collect();
        learner.tell(&query, &values, *y).unwrap();
    }
    let error = learner.fitted(&Hurried).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted { .. }), "{error}");
    let fit = learner.fitted(&Silent).unwrap();
    assert_eq!((fit.report.stop, fit.report.examples), (Stop::OnePass, 200));
    assert!(
        fit.report.notes.iter().any(|note| note.is_about("no-pairs"))
            && fit.report.passes.is_some()
    );
    assert_eq!(fit.predictor, learner.model());
    assert_eq!(learner.fitted(&Hurried).unwrap(), fit, "nothing is fitted twice");
}

#[test]
fn observed_rows_are_told_as_they_come() {
    let layout = Arc::new(Layout::singletons(3));
    let passive = Fiml { passive: Passive::All, shape: Shape::Linear, ..Fiml::default() };
    let mut learner = passive.start(&layout).unwrap().unwrap();
    assert!(learner.is_passive());
    let mut query = Query::default();
    for odd in [&[0, 0][..], &[2, 1], &[3]] {
        assert!(matches!(
            learner.ask_observed_into(odd, &mut query).unwrap_err().kind(),
            ErrorKind::OutOfRange { name: "observed", .. }
        ));
    }
    learner.ask_observed_into(&[0, 2], &mut query).unwrap();
    assert!(query.reads.iter().all(|r| r.role == ReadRole::Full) && query.reads.len() == 2);
    assert_eq!(learner.tell(&query, &[0.5, 1.5], 1.0).unwrap(), TellOutcome::Learned);
    learner.ask_observed_into(&[], &mut query).unwrap();
    assert_eq!(learner.tell(&query, &[], 1.0).unwrap(), TellOutcome::Learned);
    assert_eq!(learner.report().examples, 2);
    let p = learner.predictor();
    assert_eq!((p.weights, p.intercept, p.fill), (vec![0.0; 3], 1.0, vec![0.5, 0.0, 1.5]));
}

/// If nothing can be learned, the mean of the targets is predicted, and the report gives the
/// reason.
#[test]
fn data_that_teach_nothing_give_the_mean() {
    let (x, y) = data(50);
    let nothing = |found: &Fit, mean: f64, note: &Note| {
        let p = found.linear().unwrap();
        assert!(p.weights.iter().all(|w| *w == 0.0), "{p:?}");
        assert!((p.intercept - mean).abs() < 1e-12, "{p:?}");
        assert!(found.report.notes.contains(note), "{note:?}: {:?}", found.report.notes);
        assert_eq!(found.report.stop, Stop::OnePass);
    };
    nothing(&fit(&with_budget(3), &x, &[7.5; 50]), 7.5, &Note::ConstantTarget);
    let mean = y.iter().sum::<f64>() / 50.0;
    let holes = Array2::from_elem((50, 6), f64::NAN);
    nothing(&fit(&with_budget(3), &holes, &y), mean, &Note::EmptyRows { rows: 50 });
    let passive = Fiml { passive: Passive::All, shape: Shape::Linear, ..Fiml::default() };
    nothing(&fit(&passive, &holes, &y), mean, &Note::EmptyRows { rows: 50 });
    let flat = Array2::from_elem((50, 6), 3.0);
    nothing(&fit(&with_budget(3), &flat, &y), mean, &constant_attributes("x0", 6));
    let one = x.select(ndarray::Axis(0), &[0]);
    nothing(&fit(&with_budget(3), &one, &y[..1]), y[0], &Note::FewExamples { examples: 1 });
}

#[test]
fn few_examples_duplicates_and_dead_columns_have_defined_answers() {
    let (x, y) = data(60);
    for rows in [2, 3, 5, 9] {
        let some: Vec<usize> = (0..rows).collect();
        let found = fit(&with_budget(3), &x.select(ndarray::Axis(0), &some), &y[..rows]);
        assert!(found.report.notes.contains(&Note::FewExamples { examples: rows as u64 }));
        let p = found.linear().unwrap();
        assert!(p.weights.iter().chain([&p.intercept]).all(|v| v.is_finite()), "{rows}: {p:?}");
    }
    let ten =
        fit(&with_budget(3), &x.select(ndarray::Axis(0), &(0..10).collect::<Vec<_>>()), &y[..10]);
    let few = |note: &Note| matches!(note, Note::FewExamples { .. });
    assert!(!ten.report.notes.iter().any(few), "ten are enough to hold some out");
    let same: Vec<usize> = (0..60).map(|i| i % 2).collect();
    let targets: Vec<f64> = same.iter().map(|&i| y[i]).collect();
    let twice = x.select(ndarray::Axis(0), &same);
    let found = fit(&with_budget(3), &twice, &targets);
    assert!(left(&found, &twice, &targets) < 1.0);
    let mut dead = x.clone();
    dead.column_mut(2).fill(f64::NAN);
    dead.column_mut(4).fill(-2.0);
    let found = fit(&with_budget(5), &dead, &y);
    let p = found.linear().unwrap();
    assert_eq!((p.weights[2], p.weights[4]), (0.0, 0.0));
    assert!(found.report.notes.contains(&never_observed(&("x2".into(), 1))));
    assert!(found.report.notes.contains(&constant_attributes("x4", 1)));
}

#[test]
fn an_adaptive_design_reads_more_of_what_predicts_and_goes_on_from_a_saved_state() {
    let mut stream = Stream::new(6, Purpose::Data, 0);
    let (rows, d) = (2_500, 20);
    let x = Array2::from_shape_fn((rows, d), |_| stream.normal());
    let y: Vec<f64> =
        x.rows().into_iter().map(|r| 3.0 * r[0] + r[1] + 0.1 * stream.normal()).collect();
    let learner = Fiml { design: Design::Adaptive, ..with_budget(3) };
    let found = fit(&learner, &x, &y);
    let reads = &found.report.panel_reads;
    let others = reads[2..].iter().sum::<u64>() as f64 / (d - 2) as f64;
    assert!(reads[0] as f64 > 2.5 * others && reads[1] as f64 > 1.5 * others, "{reads:?}");
    assert_eq!((found.report.max_reads, found.report.distinct), (3, 3 * rows as u64));
    // Nearly every pair of panels is read together sometimes; in one order most never would be.
    let layout = Arc::new(Layout::singletons(d));
    let mut running = learner.start(&layout).unwrap().unwrap();
    let early = running.ask().unwrap();
    let mut together = vec![0; d * d];
    for i in 0..rows {
        let query = running.ask().unwrap();
        let at: Vec<usize> = query.reads.iter().map(|r| r.panel as usize).collect();
        assert!(at.len() == 3 && at.windows(2).all(|w| w[0] < w[1]));
        at.iter().for_each(|&a| at.iter().for_each(|&b| together[a * d + b] += 1));
        let values: Vec<f64> = at.iter().map(|&j| x[[i, j]]).collect();
        running.tell(&query, &values, y[i]).unwrap();
    }
    let never = together.iter().filter(|&&n| n == 0).count();
    assert!(never < d * d / 10, "{never} of {} pairs", d * d);
    let late = running.ask().unwrap();
    assert!(
        early.phase == 0 && late.phase == 5,
        "after 134, 268, 536, 1072 and 2144 answers: {}",
        late.phase
    );
    let mut twin = load(&running.save().unwrap()).unwrap();
    for learner in [&mut running, &mut twin] {
        for query in [&early, &late] {
            let values: Vec<f64> = query.reads.iter().map(|r| x[[7, r.panel as usize]]).collect();
            assert_eq!(learner.tell(query, &values, y[7]).unwrap(), TellOutcome::Learned);
        }
    }
    assert_eq!(running.ask().unwrap(), twin.ask().unwrap());
    assert_eq!(running.predictor(), twin.predictor());
    // A query of a later design was edited.
    let mut edited = running.ask().unwrap();
    edited.phase += 1;
    edited.checksum = edited.digest();
    assert!(matches!(
        running.tell(&edited, &[0.0; 3], 0.0).unwrap_err().kind(),
        ErrorKind::WrongAnswer { .. }
    ));
}

#[test]
fn panels_of_several_columns_and_known_ones_are_kept_together() {
    let (x, y) = data(1_500);
    let mut builder = Layout::builder(6);
    builder.sampled("pair", vec![4, 0]);
    builder.sampled("a", vec![2]);
    builder.sampled("b", vec![5]);
    builder.known("known", vec![3, 1]);
    let layout = Arc::new(builder.finish().unwrap());
    let matrix = Matrix::F64(x.clone());
    let found = with_budget(2)
        .fit(&Examples::new(&matrix, &Scaler::None {}, &layout, &y), &Silent)
        .unwrap();
    assert_eq!((found.report.reads, found.report.max_reads), (3_000, 2));
    assert!(left(&found, &x, &y) < 0.1);
    let p = found.linear().unwrap();
    assert!((p.weights[0] - 2.0).abs() < 0.3 && (p.weights[3] + 1.0).abs() < 0.3, "{p:?}");
    // The saved state of such a layout is sound, also with missing known values.
    let mut running = with_budget(2).start(&layout).unwrap().unwrap();
    let query = running.ask().unwrap();
    let mut values: Vec<f64> = (0..query.parts.len()).map(|v| v as f64).collect();
    values[0] = f64::NAN;
    running.tell(&query, &values, 1.0).unwrap();
    assert!(running.report().notes.contains(&Note::RefusedReads { reads: 1 }));
    let twin = load(&running.save().unwrap()).unwrap();
    assert_eq!(twin.save().unwrap(), running.save().unwrap());
}
