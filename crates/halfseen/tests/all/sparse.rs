//! Holds learners of rows with missing values to the same fits on sparse and dense storage, and to
//! memory that does not grow with the product of rows and columns.

use crate::common::subjects_of;
use halfseen::data::{Csr, Label, Matrix, Table, Target};
use halfseen::learner::{FitSize, Learner};
use halfseen::model::{Fit, Predictor};
use halfseen::prepare::{Options, Prepared};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Silent, registry};

/// Returns a sparse table and the same one dense; fewer rows than columns, a tenth of the stored
/// cells missing.
fn tables(n: usize, d: usize, each: usize) -> [Table; 2] {
    let mut stream = Stream::new(4, Purpose::Data, (n + d) as u64);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..n {
        let mut of_row: Vec<u32> =
            (0..each).map(|_| (stream.unit() * d as f64) as u32 % d as u32).collect();
        of_row.sort_unstable();
        of_row.dedup();
        for column in of_row {
            columns.push(column);
            values.push(if stream.unit() < 0.1 { f64::NAN } else { 0.5 + stream.unit() });
        }
        starts.push(columns.len());
    }
    let sparse = Matrix::Csr(Csr::new(starts, columns, values, d).unwrap());
    let dense = Matrix::F64(sparse.dense(0..n));
    let names: Vec<String> = (0..d).map(|j| format!("x{j}")).collect();
    [sparse, dense].map(|matrix| Table::from_matrix(matrix, names.clone()).unwrap())
}

fn target(n: usize, classes: usize) -> Target {
    let code = |i: usize| (i * i + i / 3) % 7 % classes.max(2);
    match classes {
        0 => Target::Numbers((0..n).map(|i| code(i) as f64 + (i % 5) as f64).collect()),
        _ => Target::Classes {
            classes: (0..classes).map(|c| Label::Number(c as f64)).collect(),
            codes: (0..n).map(|i| code(i) as u32).collect(),
        },
    }
}

/// Fits to the first rows and returns the fit, and its scores of all.
fn fit(learner: &dyn Learner, table: &Table, classes: usize, weighted: bool) -> (Fit, Vec<f64>) {
    let n = table.rows();
    let target = target(n, classes);
    let rows: Vec<u32> = (0..n as u32 * 2 / 3).collect();
    let weights: Vec<f64> = (0..n).map(|i| (i % 3) as f64).collect();
    let options = Options::default().for_fit(&learner.needs());
    let prepared = match weighted {
        true => Prepared::with_weights(table, ("y", &target), &rows, &weights, &options),
        false => Prepared::new(table, ("y", &target), &rows, &options),
    };
    let prepared = prepared.unwrap();
    let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
    let all: Vec<u32> = (0..n as u32).collect();
    let scores = fit.predictor.scores(&prepared.examples_of(&all)).unwrap().values;
    (fit, scores)
}

fn learner(text: &str) -> Box<dyn Learner> {
    let mut words = text.split(' ');
    let mut learner = registry::find(words.next().unwrap()).unwrap();
    for setting in words {
        let (name, value) = setting.split_once('=').unwrap();
        learner.set(name, value).unwrap();
    }
    learner
}

#[test]
fn fits_do_not_depend_on_the_storage() {
    let [sparse, dense] = tables(150, 900, 12);
    for (text, classes) in [
        ("karma gamma=1 tol=1e-9", 2),
        ("karma gamma=2 tol=1e-9", 2),
        ("karma gamma=3 normalization=cosine", 0),
        ("karma gamma=2 tol=1e-9", 3),
        ("karma solver=online", 2),
        ("karma features=sketch:64 tol=1e-9", 2),
        ("imputation tol=1e-9", 2),
        ("imputation fill=mean tol=1e-9", 2),
        ("imputation fill=mean", 0),
        ("imputation intercept=false tol=1e-9", 3),
        ("geom tol=1e-9", 2),
    ] {
        if subjects_of([text]).is_empty() {
            continue;
        }
        let learner = learner(text);
        for weighted in [false, true] {
            if weighted && !learner.needs().weights {
                continue;
            }
            let (of_sparse, actual) = fit(&*learner, &sparse, classes, weighted);
            let (of_dense, expected) = fit(&*learner, &dense, classes, weighted);
            let largest = expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            for (a, b) in actual.iter().zip(&expected) {
                assert!((a - b).abs() < 1e-3 * largest, "{text} {weighted}: {a} and {b}");
            }
            let (a, b) = (of_sparse.report, of_dense.report);
            assert_eq!((a.reads, a.max_reads, a.stop), (b.reads, b.max_reads, b.stop), "{text}");
            assert_eq!(a.notes, b.notes, "{text}");
            if let (Some(a), Some(b)) = (a.objective, b.objective) {
                assert!((a / b - 1.0).abs() < 1e-6, "{text}: {a} and {b}");
            }
        }
    }
}

#[test]
fn a_kernel_machine_of_sparse_rows_is_saved_and_predicts_the_same_bits() {
    let [sparse, _] = tables(90, 700, 9);
    let (fit, expected) = fit(&*learner("karma"), &sparse, 2, false);
    let text = serde_json::to_string(&fit.predictor).unwrap();
    assert!(text.len() < 60_000, "{}", text.len());
    let saved: Predictor = serde_json::from_str(&text).unwrap();
    let options = Options::default().for_fit(&learner("karma").needs());
    let (all, target): (Vec<u32>, _) = ((0..90).collect(), target(90, 2));
    let prepared = Prepared::new(&sparse, ("y", &target), &all[..60], &options).unwrap();
    assert_eq!(saved.scores(&prepared.examples_of(&all)).unwrap().values, expected);
}

#[test]
fn memory_of_sparse_rows_does_not_grow_with_rows_times_columns() {
    let size = FitSize {
        rows: 20_000,
        columns: 100_000,
        stored: 400_000,
        sparse: true,
        panels: 100_000,
        classes: 2,
        settings: 1,
        points: 1,
        ..FitSize::default()
    };
    // All cells are 16 GB as numbers; products of rows 3.2 GB.
    for (text, gigabytes) in
        [("karma", 17.0), ("karma features=sketch:256", 0.5), ("imputation", 17.0)]
    {
        let needed = learner(text).needed(&size).bytes / 1e9;
        assert!(needed < gigabytes, "{text}: {needed} GB");
    }
    // As many columns as one has whose texts are hashed.
    let rows = one_cell_each(300, 1 << 20);
    for text in subjects_of(["karma", "imputation fill=mean", "geom"]) {
        let (fit, scores) = fit(&*learner(text), &rows, 2, false);
        assert!(scores.iter().all(|score| score.is_finite()), "{text}");
        assert_eq!(fit.report.examples, 200, "{text}");
    }
}

/// Returns rows of one cell each.
fn one_cell_each(n: usize, d: usize) -> Table {
    let columns: Vec<u32> = (0..n).map(|i| ((i * 7919) % d) as u32).collect();
    let csr = Csr::new((0..=n).collect(), columns, vec![1.0; n], d).unwrap();
    Table::from_matrix(Matrix::Csr(csr), (0..d).map(|j| format!("x{j}")).collect()).unwrap()
}
