use crate::data::{Csr, Layout, Matrix, Scaler};
use crate::kernel::masked::*;
use crate::kernel::{
    Kernel,
    gram::{cross, gram},
};
use crate::params::Normalization;
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::{Array2, array};
use std::sync::Arc;

const HOLE: f64 = f64::NAN;

fn with<T>(
    matrix: Matrix,
    rows: &[u32],
    names: &[String],
    scaler: &Scaler,
    run: impl Fn(&Examples<'_>) -> T,
) -> T {
    let layout = Arc::new(Layout::singletons(matrix.columns()));
    let targets = vec![0.0; matrix.rows()];
    let mut examples = Examples::new(&matrix, scaler, &layout, &targets).with_rows(rows);
    examples.declared.names = names;
    run(&examples)
}

fn cells() -> Array2<f64> {
    array![[1.0, HOLE, -2.0], [HOLE, HOLE, HOLE], [0.0, 4.0, HOLE]]
}

#[test]
fn holes_are_zeros_that_the_mask_does_not_show() {
    for constant in [false, true] {
        let masked = DenseRows::from_rows(cells().view(), constant).unwrap();
        assert_eq!((masked.len(), masked.columns()), (3, 3 + usize::from(constant)));
        for ((i, j), &cell) in cells().indexed_iter() {
            assert_eq!(masked.values[(j, i)], if cell.is_nan() { 0.0 } else { cell });
            assert_eq!(masked.observed[(j, i)], if cell.is_nan() { 0.0 } else { 1.0 });
        }
        if constant {
            assert!((0..3).all(|i| masked.values[(3, i)] == 1.0 && masked.observed[(3, i)] == 1.0));
        }
        let shown: Vec<usize> = (0..3).map(|i| masked.shown(i) - usize::from(constant)).collect();
        assert_eq!(shown, [2, 0, 2]);
    }
}

#[test]
fn every_storage_gives_the_same_rows() {
    let csr = Csr::new(vec![0, 2, 3, 4], vec![0, 2, 1, 1], vec![1.0, 3.0, HOLE, 2.0], 3).unwrap();
    let dense = array![[1.0, 0.0, 3.0], [0.0, HOLE, 0.0], [0.0, 2.0, 0.0]];
    let expected =
        DenseRows::from_rows(dense.select(ndarray::Axis(0), &[2, 0, 1]).view(), true).unwrap();
    let narrow = dense.mapv(|v| v as f32);
    for matrix in [Matrix::Csr(csr), Matrix::F64(dense), Matrix::F32(narrow)] {
        let rows =
            with(matrix, &[2, 0, 1], &[], &Scaler::None {}, |e| DenseRows::new(e, true).unwrap());
        assert_eq!(rows, expected);
    }
}

#[test]
fn cells_are_scaled() {
    let matrix = Matrix::F64(array![[4.0, HOLE]]);
    let rows = with(matrix, &[0], &[], &Scaler::Common { divisor: 8.0 }, |e| {
        DenseRows::new(e, false).unwrap()
    });
    assert_eq!((rows.values[(0, 0)], rows.values[(1, 0)], rows.shown(0)), (0.5, 0.0, 1));
}

#[test]
fn bad_cells_are_named() {
    let names = ["age".to_owned(), "dose".to_owned()];
    let kind = |value: f64, names: &[String]| {
        let matrix = Matrix::F64(array![[1.0, 2.0], [1.0, value], [1.0, 2.0]]);
        let bad =
            with(matrix, &[2, 1], names, &Scaler::None {}, |e| Masked::new(e, true).unwrap_err());
        bad.kind().clone()
    };
    let infinite = f64::INFINITY;
    assert_eq!(
        kind(infinite, &names),
        ErrorKind::NotFinite { row: 2, column: "dose".into(), value: infinite }
    );
    assert_eq!(
        kind(-2e100, &names),
        ErrorKind::TooLarge { row: 2, column: "dose".into(), value: -2e100 }
    );
    assert_eq!(
        kind(-infinite, &[]),
        ErrorKind::NotFinite { row: 2, column: "x1".into(), value: -infinite }
    );
    // The error names the cell that spoils the scaling of its column.
    let scaler = Scaler::Each { offset: vec![0.0, 1e200], divisor: vec![1.0, 1.0] };
    let matrix = Matrix::F64(array![[1.0, 2.0], [1.0, 3e200], [1.0, 2.0]]);
    let bad = with(matrix, &[0, 1, 2], &names, &scaler, |e| Masked::new(e, true).unwrap_err());
    assert_eq!(*bad.kind(), ErrorKind::TooLarge { row: 2, column: "dose".into(), value: 3e200 });
    let error = Masked::from_rows(array![[1.0, infinite]].view(), true).unwrap_err();
    assert_eq!(
        *error.kind(),
        ErrorKind::NotFinite { row: 1, column: "column 2".into(), value: infinite }
    );
    let error = Masked::from_rows(Array2::zeros((2, 0)).view(), false).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::NoAttributes);
}

#[test]
fn no_rows_and_no_columns_are_defined() {
    let none = Masked::from_rows(Array2::zeros((0, 3)).view(), true).unwrap();
    assert!(none.is_empty() && none.columns() == 4);
    let bare = Masked::from_rows(Array2::zeros((2, 0)).view(), true).unwrap();
    assert_eq!((bare.len(), bare.columns(), bare.shown(0), bare.shown(1)), (2, 1, 1, 1));
}

#[test]
fn selected_rows_come_in_their_order() {
    let masked = Masked::from_rows(cells().view(), true).unwrap();
    let expected =
        Masked::from_rows(cells().select(ndarray::Axis(0), &[2, 2, 0]).view(), true).unwrap();
    assert_eq!(masked.select(&[2, 2, 0]), expected);
    assert!(masked.select(&[]).is_empty());
}

#[test]
fn files_give_the_same_rows_back_or_an_error() {
    let mut rows = cells();
    rows[(0, 0)] = 0.1 + 0.2;
    let masked = Masked::from_rows(rows.view(), true).unwrap();
    let text = serde_json::to_string(&masked).unwrap();
    assert!(text.starts_with("{\"rows\":[[0.30000000000000004,null,-2.0,1.0],["), "{text}");
    assert_eq!(serde_json::from_str::<Masked>(&text).unwrap(), masked);
    for broken in [
        "{\"rows\":[[1.0],[1.0,2.0]]}",
        "{\"rows\":[[1e101]]}",
        "{\"rows\":[[1e999]]}",
        "{\"rows\":[[]]}",
        "{\"rows\":[[\"a\"]]}",
        "{\"rows\":[[1]],\"more\":1}",
        "{}",
    ] {
        assert!(serde_json::from_str::<Masked>(broken).is_err(), "{broken}");
    }
}

/// Returns a sparse table and its cells: rows of few numbers, some of them missing.
fn table(n: usize, d: usize, missing: f64) -> Matrix {
    let mut stream = Stream::new(8, Purpose::Data, (n * 1000 + d) as u64);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for _ in 0..n {
        for j in 0..d {
            if stream.unit() < 0.04 {
                columns.push(j as u32);
                values.push(if stream.unit() < missing { HOLE } else { stream.normal() });
            }
        }
        starts.push(columns.len());
    }
    Matrix::Csr(Csr::new(starts, columns, values, d).unwrap())
}

fn scalers(d: usize) -> [Scaler; 3] {
    let offset = (0..d).map(|j| (j % 5) as f64 * 0.1).collect();
    let divisor = (0..d).map(|j| 0.5 + (j % 3) as f64).collect();
    [Scaler::None {}, Scaler::Common { divisor: 4.0 }, Scaler::Each { offset, divisor }]
}

/// Calls with the same examples sparse and dense.
fn in_both_forms(matrix: &Matrix, scaler: &Scaler, constant: bool, check: impl Fn(Masked, Masked)) {
    let rows: Vec<u32> = (0..matrix.rows() as u32).rev().collect();
    with(matrix.clone(), &rows, &[], scaler, |examples| {
        let sparse = SparseRows::new(examples, constant).unwrap();
        let dense = DenseRows::new(examples, constant).unwrap();
        check(Masked::Sparse(sparse), Masked::Dense(dense));
    });
}

fn close(actual: &Masked, expected: &Masked) {
    let (actual, expected) = (actual.like(expected).unwrap(), expected);
    let (Masked::Dense(actual), Masked::Dense(expected)) = (&*actual, expected) else {
        panic!("not dense");
    };
    assert_eq!(actual.observed, expected.observed);
    let tolerance = 1e-14 * (1.0 + expected.values.norm_max());
    assert!((&actual.values - &expected.values).norm_max() < tolerance);
}

#[test]
fn sparse_rows_are_the_dense_ones() {
    let matrix = table(40, 90, 0.3);
    for scaler in scalers(90) {
        for constant in [true, false] {
            in_both_forms(&matrix, &scaler, constant, |sparse, dense| {
                assert_eq!((sparse.len(), sparse.columns()), (dense.len(), dense.columns()));
                close(&sparse, &dense);
                for i in 0..dense.len() {
                    assert_eq!(sparse.shown(i), dense.shown(i));
                    assert!((sparse.square(i) - dense.square(i)).abs() < 1e-12);
                }
                let keep = [3, 0, 39, 3];
                close(&sparse.select(&keep), &dense.select(&keep));
                let below = sparse.select(&keep);
                close(&sparse.joined(&below).unwrap(), &dense.joined(&below).unwrap());
                close(&sparse.joined(&dense).unwrap(), &dense.joined(&dense).unwrap());
                let fill: Vec<f64> = (0..90).map(|j| j as f64 - 40.0).collect();
                close(
                    &sparse.clone().filled(&fill).unwrap(),
                    &dense.clone().filled(&fill).unwrap(),
                );
                assert_eq!(
                    *dense.like(&sparse).unwrap(),
                    dense.like(&sparse).unwrap().like(&sparse).unwrap().into_owned()
                );
            });
        }
    }
}

#[test]
fn sparse_rows_have_the_kernels_of_the_dense_ones() {
    // More rows than a block; some show nothing but the constant.
    let mut matrix = table(300, 70, 0.4);
    if let Matrix::Csr(cells) = &mut matrix {
        let all: Vec<(usize, u32)> =
            (0..70).map(|j| (7, j)).chain((0..70).map(|j| (200, j))).collect();
        *cells = cells.missing_at(&all);
    }
    use Normalization::{Cosine, None, Trace, Uniform};
    for scaler in scalers(70) {
        for constant in [true, false] {
            in_both_forms(&matrix, &scaler, constant, |sparse, dense| {
                for (gamma, normalization) in [(1, Trace), (2, None), (3, Cosine), (7, Uniform)] {
                    let mut kernel = Kernel::new(gamma, Option::None, normalization, 1).unwrap();
                    kernel.fit(&dense).unwrap();
                    let mut same = kernel.clone();
                    same.fit(&sparse).unwrap();
                    assert!((kernel.scale() / same.scale() - 1.0).abs() < 1e-12);
                    let kernels = std::slice::from_ref(&kernel);
                    let expected = gram(kernels, &dense, &Silent).unwrap().remove(0);
                    let values = gram(kernels, &sparse, &Silent).unwrap().remove(0);
                    let tolerance = 1e-12 * expected.norm_max();
                    assert!((&values - &expected).norm_max() <= tolerance, "{gamma}");
                    assert_eq!(values, values.transpose().to_owned());
                    let few = dense.select(&[7, 3, 250, 99]);
                    for (support, rows) in [(&sparse, &few), (&few, &sparse)] {
                        let values = cross(kernels, support, rows, &Silent).unwrap().remove(0);
                        let of = |masked: &Masked| masked.like(&dense).unwrap().into_owned();
                        let expected =
                            cross(kernels, &of(support), &of(rows), &Silent).unwrap().remove(0);
                        assert!((&values - &expected).norm_max() <= tolerance, "{gamma}");
                    }
                }
            });
        }
    }
}

#[test]
fn combinations_and_scores_of_sparse_rows_are_those_of_the_dense_ones() {
    let matrix = table(30, 50, 0.2);
    let [.., scaler] = scalers(50);
    in_both_forms(&matrix, &scaler, true, |sparse, dense| {
        let (Masked::Sparse(sparse), Masked::Dense(dense)) = (sparse, dense) else {
            panic!("not of their forms");
        };
        let coefficients = faer::Mat::from_fn(30, 2, |i, j| (i as f64 - 7.0) * (j + 1) as f64);
        let expected = &dense.values * &coefficients;
        assert!((&sparse.combined(&coefficients) - &expected).norm_max() < 1e-10);
        let weights: Vec<f64> = (0..51).map(|j| (j as f64).sin()).collect();
        let of_zeros = sparse.of_zeros(&weights);
        for i in 0..30 {
            let expected: f64 =
                dense.values.col_as_slice(i).iter().zip(&weights).map(|(x, w)| x * w).sum();
            assert!((sparse.score(i, &weights, of_zeros) - expected).abs() < 1e-12);
        }
    });
}

#[test]
fn files_give_sparse_rows_back_to_the_bit_or_an_error() {
    let matrix = table(20, 60, 0.3);
    for scaler in scalers(60) {
        in_both_forms(&matrix, &scaler, true, |sparse, _| {
            let text = serde_json::to_string(&sparse).unwrap();
            assert!(text.starts_with("{\"sparse\":{\"zeros\":["), "{text}");
            assert_eq!(serde_json::from_str::<Masked>(&text).unwrap(), sparse);
        });
    }
    let row = |row: &str| format!("{{\"sparse\":{{\"zeros\":[0,-0.5],\"rows\":[{row}]}}}}");
    assert!(serde_json::from_str::<Masked>(&row("{\"columns\":[1],\"differences\":[2]}")).is_ok());
    for broken in [
        row("{\"columns\":[2],\"differences\":[2]}"),
        row("{\"columns\":[1,1],\"differences\":[2,2]}"),
        row("{\"columns\":[1,0],\"differences\":[2,2]}"),
        row("{\"columns\":[1],\"differences\":[]}"),
        row("{\"columns\":[1],\"differences\":[1e150]}"),
        row("{\"columns\":[1],\"differences\":[1],\"missing\":[1]}"),
        row("{\"columns\":[],\"differences\":[],\"missing\":[7]}"),
        "{\"sparse\":{\"zeros\":[1e101],\"rows\":[]}}".into(),
        "{\"sparse\":{\"zeros\":[],\"rows\":[]},\"rows\":[]}".into(),
    ] {
        assert!(serde_json::from_str::<Masked>(&broken).is_err(), "{broken}");
    }
}

#[test]
fn bad_cells_of_sparse_tables_are_named() {
    for (value, offset) in [(f64::INFINITY, 0.0), (3e100, 0.0), (1.0, 1e200)] {
        let csr = Csr::new(vec![0, 1, 2], vec![0, 1], vec![1.0, value], 2).unwrap();
        let scaler = Scaler::Each { offset: vec![0.0, offset], divisor: vec![1.0, 1.0] };
        let names = ["age".to_owned(), "dose".to_owned()];
        let error = with(Matrix::Csr(csr), &[0, 1], &names, &scaler, |examples| {
            SparseRows::new(examples, true).unwrap_err()
        });
        assert!(error.to_string().contains("'dose'"), "{error}");
    }
}
