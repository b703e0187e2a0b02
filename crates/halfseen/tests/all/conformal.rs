//! Holds conformal intervals to what is proved of them, and to a twin that works row by row.

use halfseen::data::{Cell, Column, Matrix, Place, Table, Target, Task, TextColumn};
use halfseen::learner::{Assignments, with};
use halfseen::model::{CalibrationRows, Conformal, Model, NEAREST, Predictor, SAME, least_rows};
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::registry::{all, find};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen::{ErrorKind, Learner, Monitor, Silent};
use ndarray::Array2;
use std::collections::BTreeSet;

/// Rows with their targets.
struct Rows {
    table: Table,
    target: Target,
}

impl Rows {
    fn new(cells: Array2<f64>, target: Vec<f64>) -> Rows {
        let names = (0..cells.ncols()).map(|j| format!("x{j}")).collect();
        let table = Table::from_matrix(Matrix::F64(cells), names).unwrap();
        Rows { table, target: Target::Numbers(target) }
    }

    fn y(&self) -> &[f64] {
        let Target::Numbers(y) = &self.target else { panic!("no numbers") };
        y
    }

    fn select(&self, rows: &[usize]) -> Rows {
        let target = Target::Numbers(rows.iter().map(|&row| self.y()[row]).collect());
        Rows { table: self.table.select_rows(rows), target }
    }

    fn fit(&self, learner: &dyn Learner) -> Model {
        let rows: Vec<u32> = (0..self.table.rows() as u32).collect();
        let options = Options { missing: Missing::Mean, ..Options::default() };
        let options = options.for_fit(&learner.needs());
        let prepared = Prepared::new(&self.table, ("y", &self.target), &rows, &options).unwrap();
        let fit = learner.fit(&prepared.examples(), &Silent);
        let fit = fit.unwrap_or_else(|e| panic!("{}: {e}", learner.name()));
        Model {
            learner: learner.name().into(),
            params: serde_json::Map::new(),
            prepare: prepared.prepare,
            target: "y".into(),
            task: Task::Regression,
            classes: vec![],
            predictor: fit.predictor,
            report: fit.report,
        }
    }
}

fn ends(model: &Model, calibration: &Rows, new: &Table, level: f64) -> Vec<(f64, f64)> {
    let conformal = Conformal::of(model, &calibration.table, &calibration.target).unwrap();
    conformal.intervals(new, level).unwrap().intervals.ends
}

/// Numbers with a common cause, whose noise depends on the first: y = x0 - x1 + x2 + noise. A cell
/// other than the first is missing with the probability `hole` of the row's first.
fn numbers(rows: usize, columns: usize, seed: u64, hole: impl Fn(f64) -> f64) -> Rows {
    let mut stream = Stream::new(seed, Purpose::Data, 77);
    let (mut cells, mut y) = (Array2::zeros((rows, columns)), Vec::new());
    for mut row in cells.rows_mut() {
        let cause = stream.normal();
        row.iter_mut().for_each(|cell| *cell = cause + stream.normal());
        let noise = (0.3 + row[0].abs()) * stream.normal();
        y.push(row[0] - row[1] + row[2] + noise);
        let share = hole(row[0]);
        for cell in row.iter_mut().skip(1) {
            if stream.unit() < share {
                *cell = f64::NAN;
            }
        }
    }
    Rows::new(cells, y)
}

/// Three numbers and a text; new rows have one category that training rows have not.
fn mixed(rows: usize, seed: u64, hole: f64, levels: u32) -> Rows {
    let Rows { table, target } = numbers(rows, 3, seed, |_| hole);
    let mut stream = Stream::new(seed, Purpose::Data, 78);
    let level = |stream: &mut Stream| match stream.unit() < hole {
        true => TextColumn::MISSING,
        false => stream.below(levels as usize) as u32,
    };
    let codes = (0..rows).map(|_| level(&mut stream)).collect();
    let text = TextColumn { codes, levels: ["a", "b", "c", "z"].map(String::from).to_vec() };
    let mut columns = vec![Column { name: "kind".into(), place: Place::Text(0) }];
    columns.extend(table.columns().to_vec());
    let table = Table::new(table.numbers().clone(), vec![text], columns).unwrap();
    Rows { table, target }
}

/// The attributes that a row lacks; category z is unknown.
fn lacks(table: &Table, row: usize) -> BTreeSet<usize> {
    let lacks = |column: &Column| match table.cell(row, column) {
        Cell::Missing => true,
        Cell::Text(text) => text == "z",
        Cell::Number(_) => false,
    };
    let columns = table.columns().iter().enumerate();
    columns.filter(|(_, column)| lacks(column)).map(|(at, _)| at).collect()
}

/// Prediction and width of one row without some attributes, by the model's public functions.
fn one(model: &Model, table: &Table, row: usize, without: &BTreeSet<usize>) -> (f64, f64) {
    let alone = table.select_rows(&[row]).without(|_, at| without.contains(&at));
    let by_row = model.predictor.conditional().is_some_and(|c| !c.deviations.is_empty());
    let width = if by_row {
        let (low, high) = model.intervals(&alone, 0.5).unwrap().ends[0];
        high - low
    } else {
        1.0
    };
    (model.predict(&alone).unwrap().scores.values[0], width)
}

/// The intervals of level `tenths` / 10, each row by itself.
fn twin(
    model: &Model,
    known: &Rows,
    new: &Table,
    tenths: usize,
) -> Vec<(CalibrationRows, f64, f64)> {
    let rank = |n: usize| ((n + 1) * tenths).div_ceil(10);
    let sorted = |mut numbers: Vec<f64>| {
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let score = |row: usize, without: &BTreeSet<usize>| {
        let (at, width) = one(model, &known.table, row, without);
        (known.y()[row] - at).abs() / width
    };
    let n = known.y().len();
    let interval = |row: usize| {
        let missing = lacks(new, row);
        let same: Vec<usize> = (0..n).filter(|&i| lacks(&known.table, i) == missing).collect();
        let inside = |&i: &usize| lacks(&known.table, i).is_subset(&missing);
        let contained: Vec<usize> = (0..n).filter(inside).collect();
        let same_at_least = match same.len() == contained.len() {
            true => 0,
            false => SAME * (1..).find(|n| rank(*n) <= *n).unwrap(),
        };
        for (basis, rows, least) in [
            (CalibrationRows::Same, same, same_at_least),
            (CalibrationRows::Contained, contained, 0),
        ] {
            if rank(rows.len()) <= rows.len() && rows.len() >= least {
                let scores = sorted(rows.iter().map(|&i| score(i, &missing)).collect());
                let (at, width) = one(model, new, row, &missing);
                let half = width * scores[rank(rows.len()) - 1];
                return (basis, at - half, at + half);
            }
        }
        let mut rows: Vec<usize> = (0..n).collect();
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut Stream::new(0, Purpose::Order, 0), &mut order);
        let added = |i: usize| lacks(&known.table, i).difference(&missing).count();
        rows.sort_by_key(|&i| (added(i), order[i]));
        rows.truncate(NEAREST * least_rows(tenths as f64 / 10.0));
        let (mut low, mut high) = (vec![], vec![]);
        for &i in &rows {
            let without = &lacks(&known.table, i) | &missing;
            let ((at, width), score) = (one(model, new, row, &without), score(i, &without));
            low.push(at - width * score);
            high.push(at + width * score);
        }
        let k = rank(rows.len());
        let (low, high) = (sorted(low)[rows.len() - k], sorted(high)[k - 1]);
        (CalibrationRows::Union, low.min(high), low.max(high))
    };
    (0..new.rows()).map(interval).collect()
}

/// Every learner of numbers, with all three bases: the same intervals as the twin's, to the bit
/// where both round alike.
#[test]
fn intervals_are_those_of_a_twin() {
    let set = |name: &str, settings: &[(&'static str, &str)]| {
        let settings: Assignments =
            settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        with(find(name).unwrap(), &settings).unwrap()
    };
    let train = mixed(150, 1, 0.0, 3);
    let (known, new) = (mixed(90, 2, 0.3, 4), mixed(40, 3, 0.4, 4));
    let few = known.select(&(0..12).collect::<Vec<_>>());
    // Rows that all lack an attribute are compared at unions, and not all of them.
    let lacking = known.table.without(|_, column| column == 2);
    let lacking = Rows { table: lacking, target: known.target.clone() };
    assert!(NEAREST * least_rows(0.3) < 90);
    let cases = [(&known, 3), (&known, 8), (&known, 9), (&few, 9), (&lacking, 3)];
    let mut learners: Vec<_> = all().into_iter().filter(|l| l.needs().targets.allow(0)).collect();
    learners.push(set("fiml", &[("deviations", "5")]));
    assert!(learners.len() > 10);
    let mut bases = BTreeSet::new();
    for learner in learners {
        let model = train.fit(&*learner);
        // Products of blocks, and widths in other units, are rounded otherwise.
        let exact = match &model.predictor {
            Predictor::Linear(_) => true,
            other => other.conditional().is_some_and(|known| known.deviations.is_empty()),
        };
        for (known, tenths) in cases {
            let conformal = Conformal::of(&model, &known.table, &known.target).unwrap();
            let level = tenths as f64 / 10.0;
            let intervals = conformal.intervals(&new.table, level).unwrap();
            let expected = twin(&model, known, &new.table, tenths);
            for (row, (basis, low, high)) in expected.into_iter().enumerate() {
                let place = || format!("{} at {level}, row {row}: {basis:?}", learner.name());
                assert_eq!(intervals.bases[row], basis, "{}", place());
                bases.insert(format!("{basis:?}"));
                let ends = intervals.intervals.ends[row];
                let far = (ends.0 - low).abs().max((ends.1 - high).abs());
                assert!(far < 1e-9 * (1.0 + low.abs() + high.abs()), "{}: {far}", place());
                assert!(!exact || ends == (low, high), "{}: {far}", place());
            }
        }
    }
    assert_eq!(bases.len(), 3, "{bases:?}");
}

/// Of N rows without equal scores, each with the others for calibration, exactly k are covered,
/// whatever the model: this is the proof, by enumeration.
#[test]
fn each_row_of_some_with_the_others_is_covered_exactly_as_often_as_the_rank_says() {
    let model = numbers(60, 3, 1, |_| 0.0).fit(&*find("ridge").unwrap());
    for (rows, seed) in [(10, 2), (11, 3), (12, 4), (13, 5), (20, 6), (37, 7)] {
        let data = numbers(rows, 3, seed, |_| 0.0);
        for tenths in [1, 5, 8, 9] {
            let covered = |hidden: usize| {
                let inside = |&row: &usize| {
                    let others: Vec<usize> = (0..rows).filter(|&i| i != row).collect();
                    let new = data.table.select_rows(&[row]);
                    let new = new.without(|_, column| column < hidden);
                    let level = tenths as f64 / 10.0;
                    let (low, high) = ends(&model, &data.select(&others), &new, level)[0];
                    (low..=high).contains(&data.y()[row])
                };
                (0..rows).filter(inside).count()
            };
            let rank = (rows * tenths).div_ceil(10);
            // The new row is complete, or lacks attributes that the others are deprived of.
            assert_eq!([covered(0), covered(1), covered(2)], [rank; 3], "{rows}, {tenths}");
        }
    }
}

/// Returns the share of new rows of a basis that are covered, over draws of calibration and new
/// rows, with its standard error over the draws, and the share of this basis.
fn coverage(
    basis: CalibrationRows,
    (rows, columns): (usize, usize),
    level: f64,
    hole: fn(f64) -> f64,
) -> (f64, f64, f64) {
    let model = numbers(300, columns, 1, |_| 0.0).fit(&*find("ridge").unwrap());
    let (draws, size) = (400, 20);
    let (mut shares, mut of_basis) = (Vec::new(), 0);
    for seed in 0..draws {
        let (known, new) = (
            numbers(rows, columns, 2 * seed + 10, hole),
            numbers(size, columns, 2 * seed + 11, hole),
        );
        let conformal = Conformal::of(&model, &known.table, &known.target).unwrap();
        let intervals = conformal.intervals(&new.table, level).unwrap();
        let inside: Vec<bool> = (0..size)
            .filter(|&row| intervals.bases[row] == basis)
            .map(|row| {
                let (low, high) = intervals.intervals.ends[row];
                (low..=high).contains(&new.y()[row])
            })
            .collect();
        of_basis += inside.len();
        // A draw without the basis says nothing; others weigh by their rows.
        shares.push((inside.iter().filter(|i| **i).count() as f64, inside.len() as f64));
    }
    let share = shares.iter().map(|s| s.0).sum::<f64>() / of_basis as f64;
    let squares: f64 = shares.iter().map(|s| (s.0 - share * s.1).powi(2)).sum();
    (share, squares.sqrt() / of_basis as f64, of_basis as f64 / (draws * size as u64) as f64)
}

#[test]
fn rows_with_the_same_holes_are_covered_whatever_makes_the_holes() {
    // Holes go with the attribute that the noise depends on, so that rows with and without them
    // differ in their errors: 200 rows give most patterns a calibration of their own.
    let depends = |x: f64| if x.abs() > 1.0 { 0.9 } else { 0.1 };
    let (share, error, often) = coverage(CalibrationRows::Same, (200, 3), 0.8, depends);
    assert!(
        often > 0.8 && share > 0.8 - 3.0 * error && share < 0.85,
        "{share} +- {error}, {often}"
    );
    // Other rows are another kind: the guarantee is gone, and what is proved needs its condition.
    let (share, error, _) = coverage(CalibrationRows::Contained, (40, 3), 0.8, depends);
    assert!(share < 0.8 - 3.0 * error, "{share} +- {error}");
    // For complete rows the coverage is known: 49 of 61 for 60 rows.
    let (share, error, often) = coverage(CalibrationRows::Same, (60, 3), 0.8, |_| 0.0);
    assert!(often == 1.0 && (share - 49.0 / 61.0).abs() < 3.0 * error, "{share} +- {error}");
}

#[test]
fn rows_with_random_holes_are_covered_on_any_basis() {
    let (share, error, often) = coverage(CalibrationRows::Contained, (60, 4), 0.8, |_| 0.3);
    assert!(often > 0.1 && share > 0.8 - 3.0 * error, "{share} +- {error}, {often}");
    for (columns, level) in [(8, 0.8), (8, 0.6)] {
        let (share, error, often) = coverage(CalibrationRows::Union, (60, columns), level, |_| 0.4);
        assert!(often > 0.04 && share > level - 3.0 * error, "{share} +- {error}, {often}");
    }
}

/// Where all rows add as many missing attributes, which of them are compared does not depend on
/// their order in the table.
#[test]
fn sorted_calibration_rows_are_as_good_as_others() {
    let model = numbers(400, 4, 1, |_| 0.0).fit(&*find("ridge").unwrap());
    let mut known = numbers(2_000, 4, 2, |_| 0.0);
    let mut stream = Stream::new(3, Purpose::Data, 0);
    let holes: Vec<usize> = (0..2_000).map(|_| 1 + stream.below(3)).collect();
    let hole =
        |row: usize, column: usize| match known.table.cell(row, &known.table.columns()[column]) {
            Cell::Number(number) if holes[row] != column => number,
            _ => f64::NAN,
        };
    let cells = Array2::from_shape_fn((2_000, 4), |(row, column)| hole(row, column));
    known = Rows::new(cells, known.y().to_vec());
    let mut order: Vec<usize> = (0..2_000).collect();
    order.sort_by(|a, b| known.y()[*a].abs().total_cmp(&known.y()[*b].abs()));
    let new = numbers(2_000, 4, 4, |_| 0.0);
    let covered = |known: &Rows| {
        let inside = |((low, high), y): (&(f64, f64), &f64)| (low..=high).contains(&y);
        let ends = ends(&model, known, &new.table, 0.9);
        ends.iter().zip(new.y()).filter(|pair| inside(*pair)).count() as f64 / 2_000.0
    };
    let (sorted, drawn) = (covered(&known.select(&order)), covered(&known));
    assert!(sorted > 0.87 && (sorted - drawn).abs() < 0.05, "{sorted} and {drawn}");
}

#[test]
fn equal_scores_and_rows_without_any_cell_have_intervals() {
    let train = numbers(80, 3, 1, |_| 0.0);
    let model = train.fit(&*find("ridge").unwrap());
    // Targets a step away from the predictions: all scores are equal up to rounding.
    let known = numbers(30, 3, 2, |_| 0.0);
    let predicted = model.predict(&known.table).unwrap().scores.values;
    let known =
        Rows { target: Target::Numbers(predicted.iter().map(|y| y + 2.0).collect()), ..known };
    for level in [0.05, 0.5, 0.9] {
        for (at, (low, high)) in ends(&model, &known, &known.table, level).into_iter().enumerate() {
            assert!(
                (low - predicted[at] + 2.0).abs() < 1e-9
                    && (high - predicted[at] - 2.0).abs() < 1e-9
            );
        }
    }
    let nothing = Rows::new(Array2::from_elem((2, 3), f64::NAN), vec![0.0; 2]).table;
    let (low, high) = ends(&model, &train, &nothing, 0.9)[0];
    let inside = train.y().iter().filter(|y| (low..=high).contains(*y)).count();
    // The empty row is compared with rows whose cells are all hidden: it holds their targets.
    assert_eq!(inside, (81 * 9_usize).div_ceil(10));
    // Calibration rows that lack what new rows have.
    let empty = Rows {
        table: train.table.without(|_, _| true),
        ..train.select(&(0..80).collect::<Vec<_>>())
    };
    let none = Conformal::of(&model, &empty.table, &empty.target).unwrap();
    let intervals = none.intervals(&train.table, 0.9).unwrap();
    assert!(intervals.bases.iter().all(|basis| *basis == CalibrationRows::Union));
    assert!(intervals.intervals.ends.iter().all(|ends| ends.0 == low && ends.1 == high));
    assert!(ends(&model, &train, &train.table.select_rows(&[]), 0.9).is_empty());
}

#[test]
fn what_cannot_be_calibrated_is_refused() {
    let train = numbers(80, 3, 1, |_| 0.0);
    let model = train.fit(&*find("ridge").unwrap());
    let of = |rows: usize, level: f64| {
        let known = train.select(&(0..rows).collect::<Vec<_>>());
        let conformal = Conformal::of(&model, &known.table, &known.target).unwrap();
        conformal.intervals(&train.table, level).map(|_| ()).map_err(|e| e.kind().clone())
    };
    assert!(of(9, 0.9).is_ok() && of(19, 0.95).is_ok() && of(1, 0.5).is_ok());
    let error = |least, rows, level: f64| {
        let what = format!("calibration of intervals of level {level}");
        Err(ErrorKind::TooFewRows { what, least, rows })
    };
    assert_eq!(of(8, 0.9), error(9, 8, 0.9));
    assert_eq!(of(18, 0.95), error(19, 18, 0.95));
    assert_eq!(of(0, 0.5), error(1, 0, 0.5));
    for level in [0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
        assert!(matches!(of(80, level), Err(ErrorKind::OutOfRange { name: "level", .. })));
    }
    let refused = |model: &Model, target: Vec<f64>| {
        let target = Target::Numbers(target);
        Conformal::of(model, &train.table, &target).map(|_| ()).unwrap_err().kind().clone()
    };
    let wrong = refused(&model, vec![1.0; 79]);
    assert!(matches!(wrong, ErrorKind::WrongLength { expected: 80, found: 79, .. }));
    let with = |value: f64| (0..80).map(|i| if i == 4 { value } else { 1.0 }).collect::<Vec<_>>();
    for value in [f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(&model, with(value)), ErrorKind::NotFinite { row: 5, .. }));
    }
    assert!(matches!(refused(&model, with(-1e101)), ErrorKind::TooLarge { row: 5, .. }));
    let classes = Model {
        task: Task::Classification,
        classes: [1.0, 2.0].map(halfseen::data::Label::Number).to_vec(),
        ..model.clone()
    };
    assert!(matches!(refused(&classes, vec![1.0; 80]), ErrorKind::Request(_)));
    let classes = halfseen::data::Target::Classes { classes: vec![], codes: vec![0; 80] };
    let error = Conformal::of(&model, &train.table, &classes).map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("--conformal"), "{error}");
    let other = Table::from_matrix(Matrix::F64(Array2::zeros((9, 1))), vec!["z".into()]).unwrap();
    let error = Conformal::of(&model, &other, &Target::Numbers(vec![0.0; 9])).map(|_| ());
    assert!(error.unwrap_err().to_string().starts_with("3 of the model's"));
}

/// Looks at columns by name, and at the monitor.
#[test]
fn columns_are_matched_by_name_and_work_can_be_stopped() {
    let train = numbers(80, 3, 1, |_| 0.0);
    let model = train.fit(&*find("ridge").unwrap());
    let plain = ends(&model, &train, &train.table, 0.9);
    let turned = Array2::from_shape_fn((80, 4), |(i, j)| match j {
        3 => f64::NAN,
        j => train.table.numbers().get(i, 2 - j),
    });
    let names = ["x2", "x1", "x0", "other"].map(String::from).to_vec();
    let table = Table::from_matrix(Matrix::F64(turned), names).unwrap();
    let conformal = Conformal::of(&model, &table, &train.target).unwrap();
    assert_eq!(conformal.applied.ignored, ["other"]);
    let intervals = conformal.intervals(&table, 0.9).unwrap().intervals;
    assert_eq!((intervals.ends, intervals.applied.ignored), (plain, vec!["other".to_owned()]));
    struct Stops;
    impl Monitor for Stops {
        fn should_stop(&self) -> bool {
            true
        }
    }
    let stopped = conformal.intervals_while(&table, 0.9, &Stops).unwrap_err();
    assert!(matches!(stopped.kind(), ErrorKind::Interrupted { .. }));
}
