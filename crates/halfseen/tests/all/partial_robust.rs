//! Holds robust learners in parts to those on all rows: one part is the same fit, and the average of
//! several linear programs has a certified gap that is no less than the true one.

use super::partial_passes::{
    absorb, empty, learner, options, predict_alike, slice, sums, table, timeless, whole,
};
use halfseen::Silent;
use halfseen::data::{Cell, Table, Target};
use halfseen::error::ErrorKind;
use halfseen::learner::Learner;
use halfseen::model::{Model, Note};
use halfseen::partial::{NextPass, Partial};
use halfseen::prepare::Missing;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};

fn reread(partial: &Partial) -> Partial {
    Partial::from_json(&partial.to_json().unwrap()).unwrap()
}

/// Parts of a table that begin at these rows, merged from the last to the first.
fn parts(empty: &Partial, table: &Table, starts: &[usize]) -> Partial {
    let mut all = empty.clone();
    for (at, &start) in starts.iter().enumerate().rev() {
        let end = starts.get(at + 1).copied().unwrap_or(table.rows());
        let mut one = empty.clone();
        absorb(&mut one, &format!("p{at}"), vec![slice(table, start, end)]).unwrap();
        all.merge(reread(&one)).unwrap();
    }
    all
}

/// What the parts learn, and the same after the pass that measures it.
fn learned(
    learner: &dyn Learner,
    table: &Table,
    target: &str,
    starts: &[usize],
) -> (Partial, Model) {
    let units = sums(learner, table, target, starts);
    let start = empty(learner, target, Missing::Mean).in_units(&units).unwrap();
    let learned = parts(&start, table, starts);
    assert_eq!(learned.next_pass(), NextPass::Certifies);
    let start = empty(learner, target, Missing::Mean).in_units(&reread(&learned)).unwrap();
    let measured = parts(&start, table, starts);
    assert_eq!(measured.next_pass(), NextPass::None);
    let model = measured.finish(&Silent).unwrap();
    (learned, model)
}

fn fit(learner: &dyn Learner, table: &Table, target: &str) -> Model {
    whole(learner, table, target, &options(learner, target, Missing::Mean))
}

const SETTINGS: [(&str, &str); 6] = [
    ("robust-lp threat=1 margin=0.05", "good"),
    ("robust-lp threat=2 margin=0.05 box_radius=3 intercept=false", "good"),
    ("robust-lp threat=0 margin=0.05", "good"),
    ("robust-lp threat=1 margin=0.05 deletions=whole costs=1,2,1,1", "good"),
    ("robust-lp threat=1", "y"),
    ("robust-lp threat=1 quantile=0.2 box_radius=0.3", "y"),
];

#[test]
fn one_part_is_the_fit_in_memory() {
    let all = table(200, 21);
    for (settings, target) in SETTINGS {
        let learner = learner(settings);
        let expected = fit(&*learner, &all, target);
        let units = sums(&*learner, &all, target, &[0, 130]);
        let mut one = empty(&*learner, target, Missing::Mean).in_units(&units).unwrap();
        absorb(&mut one, "all", vec![slice(&all, 0, 70), slice(&all, 70, 200)]).unwrap();
        assert_eq!(one.next_pass(), NextPass::None, "{settings}");
        let found = one.finish(&Silent).unwrap();
        let of = |model: &Model| (model.report.objective.unwrap(), model.report.gap.unwrap());
        let ((a, gap), (b, _)) = (of(&found), of(&expected));
        assert!((a - b).abs() <= 2e-6 * b.abs() && gap <= 1e-5, "{settings}: {a} and {b}");
        assert_eq!(found.report.threat, expected.report.threat);
        let [a, b] = [&found, &expected].map(|model| model.predict(&all).unwrap().scores.values);
        let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-3, "{settings}: {off}");
    }
}

#[test]
fn the_gap_of_several_parts_is_no_less_than_the_true_one() {
    let all = table(600, 22);
    let mut averages = 0;
    for (settings, target) in SETTINGS {
        let learner = learner(settings);
        let optimum = fit(&*learner, &all, target).report;
        let (open, model) = learned(&*learner, &all, target, &[0, 100, 350]);
        let average = open.finish(&Silent).unwrap();
        assert_eq!((average.report.objective, average.report.gap), (None, None));
        let is_average = average.predictor == model.predictor;
        averages += usize::from(is_average);
        let said =
            |note: &Note| *note == Note::AveragedParts { parts: 3, error: None, least: None };
        assert_eq!(model.report.notes.iter().any(said), is_average, "{settings}");
        let (objective, gap) = (model.report.objective.unwrap(), model.report.gap.unwrap());
        let best = optimum.objective.unwrap();
        let low = best - optimum.gap.unwrap();
        assert!(objective >= low - 1e-12, "{settings}: {objective} and {low}");
        assert!(gap >= objective - best - 1e-12, "{settings}: {gap} and {}", objective - best);
        assert!(gap < 0.3 * objective, "{settings}: {gap} of {objective} tells nothing");
        assert_eq!((model.report.examples, model.report.passes), (600, average.report.passes));
        // Chunks of a part are as well as parts; how its rows come does not count.
        let chunks = self::learner(&format!("{settings} chunk=90"));
        let units = sums(&*chunks, &all, target, &[0]);
        let start = empty(&*chunks, target, Missing::Mean).in_units(&units).unwrap();
        let in_batches = |ends: &[usize]| {
            let (mut one, mut from) = (start.clone(), 0);
            let batch = |&end: &usize| slice(&all, std::mem::replace(&mut from, end), end);
            let batches: Vec<Table> = ends.iter().map(batch).collect();
            absorb(&mut one, "all", batches).unwrap();
            assert_eq!(one.next_pass(), NextPass::Certifies);
            timeless(one.finish(&Silent).unwrap())
        };
        assert_eq!(in_batches(&[600]), in_batches(&[7, 95, 96, 400, 600]), "{settings}");
    }
    assert!(averages >= 4, "{averages}");
}

#[test]
fn a_constant_is_taken_where_the_average_is_worse() {
    // The first part is all of one class, the second most of the other, and a threat leaves no signal.
    let drawn = table(1000, 23);
    let class = drawn.column("good").unwrap();
    let is_yes = |row: &usize| drawn.cell(*row, class) == Cell::Text("yes");
    let (yes, no): (Vec<usize>, Vec<usize>) = (0..1000).partition(is_yes);
    let all = drawn.select_rows(&[&no[..240], &yes[..60]].concat());
    let learner = learner("robust-lp threat=3");
    let (open, model) = learned(&*learner, &all, "good", &[0, 200]);
    let weights = &model.predictor.linear().unwrap().weights;
    assert!(weights.iter().all(|w| *w == 0.0), "{weights:?}");
    assert_ne!(open.finish(&Silent).unwrap().predictor, model.predictor);
    let said = |note: &Note| matches!(note, Note::ThreatBeatsSignal { from: None, .. });
    assert!(model.report.notes.iter().any(said), "{:?}", model.report.notes);
    let objective = model.report.objective.unwrap();
    assert!(objective >= model.report.gap.unwrap() && objective.is_finite());
}

#[test]
fn losses_are_measured_on_the_rows_that_were_learned_from() {
    let all = table(200, 24);
    let learner = learner("robust-lp threat=1");
    let units = sums(&*learner, &all, "good", &[0, 100]);
    let start = empty(&*learner, "good", Missing::Mean).in_units(&units).unwrap();
    let learned = parts(&start, &all, &[0, 100]);
    let start = empty(&*learner, "good", Missing::Mean).in_units(&learned).unwrap();
    let mut fewer = start.clone();
    let refused = absorb(&mut fewer, "p1", vec![slice(&all, 101, 200)]).unwrap_err();
    let ErrorKind::InPart { part, problem } = refused.kind() else { panic!("{refused}") };
    assert_eq!((&**part, &**problem), ("p1", &ErrorKind::PartChanged { before: 100, now: 99 }));
    absorb(&mut fewer, "others", vec![slice(&all, 0, 150)]).unwrap();
    let refused = fewer.finish(&Silent).unwrap_err();
    assert!(
        matches!(refused.kind(), ErrorKind::OtherPlan { what, own, theirs }
            if what == "number of rows" && own == "150" && theirs == "200"),
        "{refused}"
    );
    // Other parameters, and parts that learned, do not go together with it.
    let other = self::learner("robust-lp threat=2");
    let refused = empty(&*other, "good", Missing::Mean).in_units(&learned).unwrap_err();
    assert!(matches!(refused.kind(), ErrorKind::OtherPlan { .. }), "{refused}");
    let mut mixed = learned.clone();
    assert!(mixed.merge(fewer).is_err());
    // Costs by information need all rows.
    let refused = Partial::new(
        &*self::learner("robust-lp costs=mi"),
        "good",
        None,
        &options(&*learner, "good", Missing::Mean),
    );
    assert!(matches!(refused.unwrap_err().kind(), ErrorKind::NeedsRows { .. }));
}

#[test]
fn a_robust_perceptron_takes_the_steps_of_a_fit_in_memory() {
    let all = table(300, 12);
    let mut stream = Stream::new(3, Purpose::Data, 0);
    let cell = |_| if stream.unit() < 0.2 { f64::NAN } else { stream.normal() };
    let b: Vec<f64> = (0..300).map(cell).collect();
    let holed = all.clone().without_columns(&["b"]).with_column("b", b).unwrap();
    for (settings, target) in [
        ("robust-perceptron threat=2 margin=0.02 step=0.05", "good"),
        ("robust-perceptron threat=1 margin=0.1 step=0.2 intercept=false seed=3", "good"),
        ("robust-perceptron threat=1 margin=0.02 step=0.05", "colour"),
    ] {
        for table in [&all, &holed] {
            let learner = learner(settings);
            // The first pass draws no order of its own.
            let mut order: Vec<u32> = (0..300).collect();
            let seed = learner.get("seed").unwrap().parse().unwrap();
            shuffle(&mut Stream::new(seed, Purpose::Order, 1), &mut order);
            let mut place = vec![0; 300];
            order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at);
            let visited = table.select_rows(&place);
            let options = options(&*learner, target, Missing::Mean);
            let expected = whole(&*learner, &visited, target, &options);
            let units = sums(&*learner, table, target, &[0, 50]);
            let mut one = empty(&*learner, target, Missing::Mean).in_units(&units).unwrap();
            absorb(&mut one, "all", vec![slice(table, 0, 70), slice(table, 70, 300)]).unwrap();
            let found = one.finish(&Silent).unwrap();
            assert_eq!(found.prepare.scaler, expected.prepare.scaler, "{settings}");
            predict_alike(&found, &expected, table, settings);
            assert_eq!(found.report.threat, expected.report.threat);
            // By bounds of the sizes of rows it learns too, and parts are averaged as margins.
            let usual = self::learner("robust-perceptron threat=1");
            let units = sums(&*usual, table, target, &[0, 150]);
            let mut parts = empty(&*usual, target, Missing::Mean).in_units(&units).unwrap();
            absorb(&mut parts, "p0", vec![slice(table, 0, 150)]).unwrap();
            absorb(&mut parts, "p1", vec![slice(table, 150, 300)]).unwrap();
            let model = parts.finish(&Silent).unwrap();
            let read = Target::read(table, target, None).unwrap();
            if let (Target::Classes { codes, classes: labels }, 2) = (&read, read.classes().len()) {
                assert_eq!(labels.len(), 2);
                let scores = model.predict(table).unwrap().scores.values;
                let right =
                    scores.iter().zip(codes).filter(|(s, code)| (**s > 0.0) == (**code == 1));
                assert!(right.count() > 230, "{settings}");
            }
        }
    }
}
