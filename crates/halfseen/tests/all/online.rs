//! Holds KARMA's pass over tables that come in parts to the pass over one, and to a fit.

use halfseen::data::{Label, Matrix, Scale, Table, Target};
use halfseen::learner::Learner;
use halfseen::missing::{IncrementalKarma, Karma};
use halfseen::model::{KernelExpansion, Predictor};
use halfseen::params::{Features, KernelLoss, KernelSolver, Normalization};
use halfseen::prepare::{Options, Prepared};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen::{ErrorKind, Silent};
use ndarray::{Array2, s};

/// A power of 2, so that C can be so many times as large to the bit.
const ROWS: usize = 512;
/// Five batches; a fit's C counts for four times as many rows as the first has.
const ENDS: [usize; 6] = [0, 128, 129, 200, 390, 512];

/// Rows with holes, and classes: of two, or -1 and +1 as numbers, as many of either in any eight.
fn data(columns: usize, classes: usize) -> (Array2<f64>, Vec<u32>) {
    let mut stream = Stream::new(3, Purpose::Data, columns as u64);
    let codes: Vec<u32> = (0..ROWS).map(|i| (i % classes.max(2)) as u32).collect();
    let cells = Array2::from_shape_fn((ROWS, columns), |(i, j)| {
        let value = stream.normal() + 0.6 * (j % 3) as f64 * f64::from(codes[i]);
        if stream.unit() < 0.3 { f64::NAN } else { value }
    });
    (cells, codes)
}

fn table(cells: &Array2<f64>, rows: std::ops::Range<usize>) -> Table {
    let names = (0..cells.ncols()).map(|j| format!("x{j}")).collect();
    Table::from_matrix(Matrix::F64(cells.slice(s![rows, ..]).to_owned()), names).unwrap()
}

fn target(codes: &[u32], classes: usize) -> Target {
    match classes {
        0 => Target::Numbers(codes.iter().map(|&c| 2.0 * f64::from(c) - 1.0).collect()),
        _ => Target::Classes {
            classes: (0..classes).map(|c| Label::Number(c as f64)).collect(),
            codes: codes.to_vec(),
        },
    }
}

fn assert_near(a: f64, b: f64) {
    assert!((a - b).abs() <= 1e-9 * a.abs().max(1.0), "{a} and {b}");
}

fn expansion(learner: &IncrementalKarma) -> KernelExpansion {
    let Predictor::Kernel(expansion) = learner.model().unwrap().predictor else { panic!() };
    expansion
}

fn taught(
    karma: &Karma,
    cells: &Array2<f64>,
    codes: &[u32],
    classes: usize,
    ends: &[usize],
) -> IncrementalKarma {
    let batch = |ends: &[usize]| {
        (table(cells, ends[0]..ends[1]), target(&codes[ends[0]..ends[1]], classes))
    };
    let (first, targets) = batch(&ends[..2]);
    let options = Options::default();
    let mut learner =
        IncrementalKarma::start(karma, &first, ("y", &targets), &options, &Silent).unwrap();
    for ends in ends[1..].windows(2) {
        let (rows, targets) = batch(ends);
        learner.teach(&rows, &targets, &Silent).unwrap();
        // It goes through a file in between.
        learner = serde_json::from_str(&serde_json::to_string(&learner).unwrap()).unwrap();
    }
    learner
}

#[test]
fn batches_are_one_table_and_one_fit() {
    for (columns, classes) in [(3, 0), (3, 2), (40, 3), (40, 0), (300, 2)] {
        for normalization in [Normalization::None, Normalization::Cosine, Normalization::Uniform] {
            let (cells, codes) = data(columns, classes);
            let karma = Karma {
                c: 0.25,
                normalization,
                seed: 5,
                solver: KernelSolver::Online,
                ..Karma::default()
            };
            // The rows in the order in which the fit draws them, with classes as they were.
            let mut order: Vec<usize> = (0..ROWS).collect();
            shuffle(&mut Stream::new(5, Purpose::Learner, 0), &mut order);
            let mut places = vec![0; ROWS];
            order.iter().enumerate().for_each(|(at, &row)| places[row] = at);
            let original = Array2::from_shape_fn(cells.dim(), |(i, j)| cells[[places[i], j]]);
            let of_original: Vec<u32> = places.iter().map(|&at| codes[at]).collect();

            let whole = taught(&karma, &cells, &codes, classes, &[0, ROWS]);
            let four = Karma { c: 1.0, ..karma.clone() };
            let parts = taught(&four, &cells, &codes, classes, &ENDS);
            let (one, several) = (expansion(&whole), expansion(&parts));
            assert_eq!(one.support, several.support, "{columns} {classes}");
            for j in 0..one.outputs() {
                let (one, several) = (one.coefficients.col(j), several.coefficients.col(j));
                (0..one.nrows()).for_each(|i| assert_near(one[i], several[i]));
            }
            assert_eq!(parts.model().unwrap().report.examples, ROWS as u64);

            let options = Options { scale: Some(Scale::None), ..Options::default() };
            let options = options.for_fit(&karma.needs());
            let (rows, targets) = (table(&original, 0..ROWS), target(&of_original, classes));
            let all: Vec<u32> = (0..ROWS as u32).collect();
            let prepared = Prepared::new(&rows, ("y", &targets), &all, &options).unwrap();
            // A grid keeps all rows.
            let mut fits = karma.fit_grid(&[vec![]], &prepared.examples(), &Silent).unwrap();
            let Predictor::Kernel(fitted) = fits.remove(0).predictor else { panic!() };
            let mut kept = 0;
            for &row in &order {
                let (fitted_rows, kept_rows) = (fitted.support.dense(), several.support.dense());
                let same = |from: usize| fitted_rows.values.col(row) == kept_rows.values.col(from);
                if kept < several.support.len() && same(kept) {
                    for j in 0..several.outputs() {
                        let (a, b) =
                            (fitted.coefficients[(row, j)], several.coefficients[(kept, j)]);
                        assert_near(a, b);
                    }
                    kept += 1;
                } else {
                    assert!((0..several.outputs()).all(|j| fitted.coefficients[(row, j)] == 0.0));
                }
            }
            assert_eq!(kept, several.support.len());
            assert!(classes == 0 || kept < ROWS, "rows that taught nothing are not kept");
        }
    }
}

#[test]
fn it_predicts_what_it_was_taught() {
    let (cells, codes) = data(12, 3);
    let (most, rest) = (table(&cells, 0..400), table(&cells, 400..ROWS));
    let karma = Karma { c: 10.0, ..Karma::default() };
    let learner = taught(&karma, &cells, &codes, 3, &[0, 100, 400]);
    let model = learner.model().unwrap();
    for (rows, codes, least) in [(&most, &codes[..400], 0.6), (&rest, &codes[400..], 0.5)] {
        let scores = model.predict(rows).unwrap().scores;
        let right = (0..codes.len()).filter(|&i| scores.class(i) == codes[i] as usize).count();
        assert!(right as f64 > least * codes.len() as f64, "{right} of {}", codes.len());
    }
}

#[test]
fn what_it_cannot_learn_from_is_refused_and_changes_nothing() {
    let (cells, codes) = data(4, 2);
    let (rows, targets) = (table(&cells, 0..50), target(&codes[..50], 2));
    let start = |karma: &Karma, options: &Options| {
        IncrementalKarma::start(karma, &rows, ("y", &targets), options, &Silent)
    };
    let plain = Options::default();
    let each = Options { scale: Some(Scale::Each), ..Options::default() };
    assert!(start(&Karma::default(), &each).is_err(), "a scale of all rows");
    let sketch = Karma { features: Features::Sketch(64), ..Karma::default() };
    assert!(matches!(start(&sketch, &plain).unwrap_err().kind(), ErrorKind::Needs { .. }));
    assert!(start(&Karma { c: -1.0, ..Karma::default() }, &plain).is_err());
    let hinge = Karma { loss: KernelLoss::Hinge, ..Karma::default() };
    let mut learner = start(&hinge, &plain).unwrap();
    let before = learner.clone();
    let mut infinite = cells.clone();
    infinite[[0, 1]] = f64::INFINITY;
    for (rows, targets) in [
        (table(&infinite, 0..50), target(&codes[..50], 2)),
        (rows.clone(), target(&codes[..49], 2)),
        (rows.clone(), target(&codes[..50], 3)),
        (rows.clone(), target(&codes[..50], 0)),
    ] {
        assert!(learner.teach(&rows, &targets, &Silent).is_err());
        assert_eq!(learner, before);
    }
    let good = serde_json::to_value(&learner).unwrap();
    for (key, value) in [
        ("rows", serde_json::json!({ "rows": [] })),
        ("constant", serde_json::json!(false)),
        ("classes", serde_json::json!([1, 2, 3])),
        ("other", serde_json::json!(1)),
    ] {
        let mut state = good.clone();
        state[key] = value;
        assert!(serde_json::from_value::<IncrementalKarma>(state).is_err(), "{key}");
    }
    let bounds = (0..4).map(|j| (format!("x{j}"), (-8.0, 8.0))).collect();
    let bounded = start(&Karma::default(), &Options { bounds, ..Options::default() }).unwrap();
    assert_eq!(bounded.model().unwrap().prepare.scaler.scale(0, 4.0), 0.5);
}
