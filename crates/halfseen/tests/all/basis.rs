//! Holds hat functions to what they promise: the functions they span, one panel each, and the same
//! fits as columns that somebody wrote out.

use crate::common::{kind, learner, subjects, subjects_of};
use halfseen::budget::{ReadRole, next_batch};
use halfseen::data::{
    Basis, Cell, Examples, Label, Matrix, Table, Target, TargetScale, Task, Threat,
};
use halfseen::learner::Family;
use halfseen::model::Model;
use halfseen::prepare::{Group, Missing, Moment, Options, Prepared};
use halfseen::registry::{load, start};
use halfseen::robust::{CertifiedClaim, certify};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{ErrorKind, Learner, Silent};
use ndarray::Array2;
use std::collections::BTreeMap;

const NAMES: [&str; 3] = ["a", "b", "c"];

/// Draws rows of two attributes between -2 and 2 and one that is 0 or 1, each cell missing with
/// this probability, and a target that bends along the first.
fn bent(rows: usize, holes: f64, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut x = Array2::from_shape_fn((rows, 3), |(_, j)| match j {
        2 => f64::from(u8::from(stream.unit() < 0.5)),
        _ => 4.0 * stream.unit() - 2.0,
    });
    let noise: Vec<f64> = (0..rows).map(|_| 0.1 * stream.normal()).collect();
    let y = (0..rows).map(|i| x[[i, 0]].powi(2) - 0.5 * x[[i, 1]] + x[[i, 2]] + noise[i]).collect();
    x.iter_mut().for_each(|v| *v = if stream.unit() < holes { f64::NAN } else { *v });
    (x, y)
}

fn table(x: &Array2<f64>, names: &[String]) -> Table {
    Table::from_matrix(Matrix::F64(x.clone()), names.to_vec()).unwrap()
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn hats() -> Options {
    Options { basis: Basis::Hats, intercept: true, ..Options::default() }
}

fn bounds() -> BTreeMap<String, (f64, f64)> {
    [("a", (-2.0, 2.0)), ("b", (-2.0, 2.0)), ("c", (0.0, 1.0))]
        .map(|(n, b)| (n.to_owned(), b))
        .into()
}

fn fitted(learner: &dyn Learner, prepared: &Prepared<'_>, target: &Target) -> Model {
    let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
    Model::of(learner, prepared, ("y", target), fit)
}

#[test]
fn ridge_without_a_penalty_is_any_function_that_is_linear_between_the_knots() {
    let x = Array2::from_shape_fn((120, 1), |(i, _)| (i as f64 / 10.0 - 4.0).powi(3));
    let (cells, rows) = (table(&x, &named(&["a"])), (0..120).collect::<Vec<u32>>());
    let nothing = Target::Numbers(vec![0.0; 120]);
    let prepared = Prepared::new(&cells, ("y", &nothing), &rows, &hats()).unwrap();
    let knots = prepared.prepare.schema.columns[0].knots.clone();
    assert_eq!((knots.len(), knots[0], knots[5]), (6, x[[0, 0]], x[[119, 0]]));
    let heights = [1.0, -2.0, 4.0, 4.5, -7.0, 3.0];
    let wanted = |x: f64| {
        let at = (1..5).filter(|&k| knots[k] <= x).count();
        let share = (x - knots[at]) / (knots[at + 1] - knots[at]);
        heights[at] + share * (heights[at + 1] - heights[at])
    };
    let target = Target::Numbers(x.iter().map(|&x| wanted(x)).collect());
    let prepared = Prepared::new(&cells, ("y", &target), &rows, &hats()).unwrap();
    let ridge = learner("ridge", &[("radius", "1e6")]);
    let model = fitted(&*ridge, &prepared, &target).without_clip();
    for (x, predicted) in x.iter().zip(&model.predict(&cells).unwrap().scores.values) {
        assert!((predicted - wanted(*x)).abs() < 1e-8, "at {x}: {predicted}");
    }
    // Beyond the knots it goes on along the line through its ends.
    let slope = (heights[5] - heights[0]) / (knots[5] - knots[0]);
    let beyond = Array2::from_shape_vec((3, 1), vec![knots[5] + 50.0, knots[0] - 9.0, f64::NAN]);
    let beyond = table(&beyond.unwrap(), &named(&["a"]));
    let scores = model.predict(&beyond).unwrap().scores.values;
    assert!((scores[0] - (heights[5] + 50.0 * slope)).abs() < 1e-6, "{scores:?}");
    assert!((scores[1] - (heights[0] - 9.0 * slope)).abs() < 1e-6, "{scores:?}");
    // A missing cell takes the mean of every column, and so of the parts.
    let Target::Numbers(y) = &target else { panic!("numbers") };
    assert!((scores[2] - y.iter().sum::<f64>() / 120.0).abs() < 1e-6, "{scores:?}");
    // What the attribute adds is the function less its mean.
    let parts = &model.raw_hats()[0];
    for (knot, part) in knots.iter().zip(&parts.heights) {
        assert!((part + scores[2] - wanted(*knot)).abs() < 1e-6);
    }
    let names: Vec<String> = model.raw_weights().unwrap().0.into_iter().map(|w| w.0).collect();
    assert_eq!((names.len(), &*names[0]), (5, "a"));
    assert_eq!(names[1], format!("a near {}", knots[1]));
}

/// Columns written out by hand, and declared as groups, are the same panels.
#[test]
fn every_learner_makes_the_same_of_hats_and_of_columns_written_out() {
    let mut compared = 0;
    for holes in [0.0, 0.15] {
        let (x, y) = bent(150, holes, 3);
        let cells = table(&x, &named(&NAMES));
        let rows: Vec<u32> = (0..130).collect();
        for learner in subjects() {
            let mut learner = learner;
            if learner.family() == Family::Budget {
                learner.set("budget", "2").unwrap();
            }
            if learner.get("moments").as_deref() == Some("auto") {
                learner.set("moments", "online").unwrap();
            }
            let needs = learner.needs();
            if holes > 0.0 && !needs.holes && !needs.uncentred {
                continue;
            }
            let target = if needs.targets.allow(0) {
                Target::Numbers(y.clone())
            } else {
                let classes = [-1.0, 1.0].map(Label::Number).to_vec();
                let codes = y.iter().map(|y| u32::from(*y > 1.3)).collect();
                Target::Classes { classes, codes }
            };
            let missing = if holes > 0.0 { Missing::Mean } else { Missing::Keep };
            let options = Options { missing, ..hats() }.for_fit(&needs);
            let options = match options.honest {
                true => Options { bounds: bounds(), ..options },
                false => options,
            };
            let one = Prepared::new(&cells, ("y", &target), &rows, &options).unwrap();
            assert_eq!((one.layout.panels(), one.layout.slots() > 10), (3, true));
            let (written, ends) = written(&x, &one);
            let names: Vec<String> = ends.iter().map(|(name, _)| name.clone()).collect();
            let group = |name: &str| Group {
                name: name.to_owned(),
                columns: names.iter().filter(|n| n.starts_with(name)).cloned().collect(),
            };
            let by_hand = Options {
                basis: Basis::None,
                groups: NAMES.map(group).to_vec(),
                bounds: if options.honest { ends.into_iter().collect() } else { BTreeMap::new() },
                ..options
            };
            let written = table(&written, &names);
            let two = Prepared::new(&written, ("y", &target), &rows, &by_hand).unwrap();
            assert_eq!(one.layout, two.layout);
            let of = |prepared: &Prepared<'_>| {
                learner.fit(&prepared.examples(), &Silent).map_err(|e| e.to_string()).map(|fit| {
                    let predictor = serde_json::to_string(&fit.predictor).unwrap();
                    (predictor, fit.report.reads, fit.report.panel_reads)
                })
            };
            let (one, two) = (of(&one), of(&two));
            assert_eq!(one, two, "{}, holes {holes}", learner.name());
            compared += usize::from(one.is_ok());
            if let (Family::Budget, Ok((_, reads, panels))) = (learner.family(), one) {
                assert!(reads <= 2 * 130 && panels.len() <= 3, "{}: {reads}", learner.name());
            }
        }
    }
    // Each on complete rows, and 8 of the library's, 2 of the comparators, on rows with holes.
    let all = if env!("CARGO_PKG_NAME") == "halfseen" { 21 + 8 } else { 6 + 2 };
    assert_eq!(compared, all);
}

/// Name of a column with its least and its largest value.
type Range = (String, (f64, f64));

/// Writes each attribute with its hats, by interpolation; with the columns' names and ranges.
fn written(x: &Array2<f64>, prepared: &Prepared<'_>) -> (Array2<f64>, Vec<Range>) {
    let (mut columns, mut ends) = (Vec::new(), Vec::new());
    for (j, attribute) in prepared.prepare.schema.columns.iter().enumerate() {
        columns.extend(x.column(j).to_vec());
        ends.push((attribute.name.clone(), bounds()[&attribute.name]));
        for (at, knots) in attribute.knots.windows(3).enumerate() {
            columns.extend(x.column(j).iter().map(|&x| match x {
                _ if x.is_nan() => x,
                _ if x <= knots[0] || x >= knots[2] => 0.0,
                _ if x <= knots[1] => (x - knots[0]) / (knots[1] - knots[0]),
                _ => (knots[2] - x) / (knots[2] - knots[1]),
            }));
            ends.push((format!("{}{at}", attribute.name), (0.0, 1.0)));
        }
    }
    let turned = Array2::from_shape_vec((ends.len(), x.nrows()), columns).unwrap();
    (turned.t().as_standard_layout().to_owned(), ends)
}

/// The certified number of deletions is that of all sets of attributes, tried one by one.
#[test]
fn certificates_are_those_of_every_set_of_deleted_attributes() {
    let (x, y) = bent(60, 0.0, 8);
    let cells = table(&x, &named(&NAMES));
    let classes = ["down", "up"].map(|text| Label::Text(text.into())).to_vec();
    let codes = y.iter().map(|y| u32::from(*y > 1.3)).collect();
    let target = Target::Classes { classes, codes };
    let rows: Vec<u32> = (0..60).collect();
    // Rows whose class some deletions change, and rows whose class none changes. With a threat of 1
    // fdrop takes all weights off.
    for (name, threat, expected) in
        [("robust-lp", "1", [41, 19]), ("fdrop", "1", [0, 60]), ("fdrop", "0", [34, 26])]
    {
        if subjects_of([name]).is_empty() {
            continue;
        }
        let (mut flips, mut never) = (0, 0);
        let robust = learner(name, &[("threat", threat)]);
        let options = hats().for_fit(&robust.needs());
        let prepared = Prepared::new(&cells, ("y", &target), &rows, &options).unwrap();
        let model = fitted(&*robust, &prepared, &target);
        let score = |gone: usize| {
            let mut x = x.clone();
            for j in (0..3).filter(|j| gone >> j & 1 == 1) {
                x.column_mut(j).fill(f64::NAN);
            }
            model.predict(&table(&x, &named(&NAMES))).unwrap().scores.values
        };
        let scores: Vec<Vec<f64>> = (0..8).map(score).collect();
        let each = Threat::uniform(3, 1.0).unwrap();
        let certificates = certify(
            model.predictor.additive().unwrap(),
            model.prepare.target,
            &prepared.examples_as_found(&rows),
            &each,
            CertifiedClaim::Class,
        )
        .unwrap();
        for (row, certificate) in certificates.iter().enumerate() {
            let changes = |gone: &usize| (scores[*gone][row] > 0.0) != (scores[0][row] > 0.0);
            let least = (1..8).filter(changes).map(usize::count_ones).min();
            assert!(certificate.exact, "{name}, row {row}");
            assert_eq!(certificate.flips_at, least.map(f64::from), "{name}, row {row}");
            let safe = least.map_or(3.0, |least| f64::from(least - 1));
            assert_eq!(certificate.certified, Some(safe), "{name}, row {row}");
            flips += usize::from(least.is_some());
            never += usize::from(least.is_none());
        }
        assert_eq!([flips, never], expected, "{name}, threat {threat}");
    }
}

#[test]
fn a_learner_that_asks_reads_an_attribute_once_for_all_its_functions() {
    let aerr = learner("aerr", &[("budget", "2")]);
    let unseen = table(&Array2::zeros((0, 3)), &named(&NAMES));
    let prepared = |declared: &Options| {
        let honest = declared.clone().for_fit(&aerr.needs());
        let nothing = Target::Numbers(Vec::new());
        Prepared::new(&unseen, ("y", &nothing), &[], &honest)
            .map(|prepared| (prepared.prepare.clone(), prepared.layout.clone()))
    };
    let declared = Options { bounds: bounds(), ..hats() };
    let error = prepared(&hats()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Needs { name: "basis", .. }), "{error}");
    assert!(error.to_string().contains("bounds"), "{error}");
    let moments = NAMES.map(|name| (name.to_owned(), Moment { square: 1.0, mean: Some(0.0) }));
    let error = prepared(&Options { moments: moments.into(), ..declared.clone() }).unwrap_err();
    assert_eq!(kind(&error), "WrongDeclaration");
    let (mut prepare, layout) = prepared(&declared).unwrap();
    prepare.target = TargetScale { mean: 1.0, deviation: 1.5 };
    let attributes = prepare.schema.attributes_of(&layout);
    let mut asker = start(&*aerr, &layout, 0).unwrap();
    let (x, y) = bent(200, 0.0, 5);
    for i in 0..200 {
        let query = asker.ask().unwrap();
        let paid = query.reads.iter().filter(|read| read.role != ReadRole::Known).count();
        assert!(paid <= 2);
        let mut values = Vec::new();
        for panel in query.reads.iter().map(|read| read.panel as usize) {
            let cell = |attribute: usize| Cell::Number(x[[i, attribute]]);
            prepare.push_panel((&layout, panel), &attributes[panel], cell, &mut values).unwrap();
        }
        asker.tell(&query, &values, prepare.target.apply(y[i])).unwrap();
        if i == 100 {
            asker = load(&asker.save().unwrap()).unwrap();
        }
    }
    let fit = asker.fitted(&Silent).unwrap();
    assert_eq!((prepare.schema.width(), fit.report.panel_reads.len()), (15, 3));
    // The same rows as a batch.
    let cells = table(&x, &named(&NAMES));
    let encoded = prepare.encode(&cells).unwrap();
    let targets: Vec<f64> = y.iter().map(|y| prepare.target.apply(*y)).collect();
    let examples = Examples::new(&encoded.matrix, &prepare.scaler, &layout, &targets);
    let mut batch = start(&*aerr, &layout, 0).unwrap();
    next_batch(&mut *batch, &examples, &Silent).unwrap();
    assert_eq!(batch.fitted(&Silent).unwrap().predictor, fit.predictor);
    let model = Model {
        learner: "aerr".to_owned(),
        params: aerr.to_json(),
        prepare: prepare.clone(),
        target: "y".to_owned(),
        task: Task::Regression,
        classes: Vec::new(),
        predictor: fit.predictor,
        report: fit.report,
    };
    let again = halfseen::registry::read_model(&model.to_json().unwrap()).unwrap();
    assert_eq!(again, model);
    assert_eq!(again.predict(&cells).unwrap(), model.predict(&cells).unwrap());
    // A part of the panel stays or goes as a whole.
    let cut = model.truncated(1).unwrap();
    assert_eq!((cut.prepare.schema.columns.len(), cut.prepare.schema.width()), (1, 5));
}
