use super::*;
use crate::data::{Basis, Target};
use crate::prepare::{Options, Prepare, Prepared};
use faer::Mat;
use ndarray::Array2;
use proptest::prelude::*;

fn of(values: &[f64]) -> Vec<f64> {
    by_values(&mut values.iter().map(|&x| (x, 1.0)).collect::<Vec<_>>())
}

/// Returns the columns that these values of one attribute become, and 1.
fn columns(values: &[f64]) -> Mat<f64> {
    let cells = Array2::from_shape_fn((values.len(), 1), |(i, _)| values[i]);
    let table = crate::data::Table::from_matrix(Matrix::F64(cells), vec!["a".into()]).unwrap();
    let target = Target::Numbers(vec![0.0; values.len()]);
    let rows: Vec<u32> = (0..values.len() as u32).collect();
    let options = Options { basis: Basis::Hats, ..Options::default() };
    let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
    let examples = prepared.examples();
    Mat::from_fn(values.len(), examples.columns() + 1, |i, j| match j {
        0 => 1.0,
        _ => examples.matrix.get(i, j - 1),
    })
}

#[test]
fn knots_are_quantiles_of_the_values_with_the_least_and_the_largest() {
    let values: Vec<f64> = (0..101).rev().map(f64::from).collect();
    assert_eq!(of(&values), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
    assert_eq!(of(&[3.0, 1.0, 2.0, 1.0]), [1.0, 2.0, 3.0], "few values are all knots");
    assert!(of(&[3.0, 1.0, 1.0]).is_empty() && of(&[]).is_empty(), "two values make a line");
}

#[test]
fn a_value_of_more_than_a_fifth_has_a_knot_of_its_own() {
    let often = |count: usize| {
        let others = (0..100).map(|i| f64::from(i) + 0.5);
        of(&others.chain(vec![50.0; count]).collect::<Vec<_>>())
    };
    assert_eq!(often(20).len(), 6);
    assert_eq!(often(40), [0.5, 35.5, 50.0, 65.5, 99.5]);
    // Zeros of both signs are one value, at an end.
    let zeros = [0.0, -0.0].repeat(50);
    let knots = of(&zeros.into_iter().chain((1..=20).map(f64::from)).collect::<Vec<_>>());
    assert_eq!(knots, [0.0, 1.0, 8.0, 14.0, 20.0]);
    assert!(knots[0].is_sign_positive());
}

#[test]
fn weights_count_as_repeated_values() {
    let values = [4.0, 1.0, 9.0, 2.0, 7.0, 3.0, 8.0];
    let weights = [1.0, 3.0, 2.0, 1.0, 2.0, 1.0, 4.0];
    for factor in [1.0, 1e-3] {
        let mut weighed: Vec<(f64, f64)> =
            values.into_iter().zip(weights.map(|w| factor * w)).collect();
        let pairs = values.iter().zip(weights);
        let repeated: Vec<f64> = pairs.flat_map(|(x, w)| vec![*x; w as usize]).collect();
        assert_eq!(by_values(&mut weighed), of(&repeated));
    }
}

#[test]
fn bounds_are_divided_equally_and_a_point_is_not() {
    let column = |name: &str| super::super::ColumnSchema {
        name: name.into(),
        kind: ColumnKind::Number,
        known: false,
        date: None,
        knots: Vec::new(),
    };
    let mut schema = Schema {
        columns: vec![column("a"), column("b")],
        groups: vec![],
        prices: BTreeMap::new(),
        by_reads: false,
    };
    let bounds = BTreeMap::from([("a".to_owned(), (-1e100, 1e100)), ("b".to_owned(), (2.0, 2.0))]);
    schema.space_knots(&bounds).unwrap();
    assert_eq!((schema.columns[0].knots[0], schema.columns[0].knots[5]), (-1e100, 1e100));
    assert_eq!((schema.columns[0].width(), schema.columns[1].width()), (5, 1));
    schema.layout().unwrap();
    let error = schema.space_knots(&BTreeMap::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Needs { name: "basis", .. }), "{error}");
}

proptest! {
    /// Whatever the values, the columns of an attribute and an intercept are independent.
    #[test]
    fn columns_have_full_rank(
        values in prop::collection::vec(prop_oneof![
            3 => -2.0..2.0, 2 => (-3_i32..4).prop_map(f64::from), 1 => Just(0.0), 1 => 50.0..60.0,
        ], 3..60)
    ) {
        let columns = columns(&values);
        let distinct = {
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            sorted.dedup();
            sorted.len()
        };
        // A column of zeros stays one.
        let norm = |j| match columns.col(j).norm_l2() { 0.0 => 1.0, norm => norm };
        let norms: Vec<f64> = (0..columns.ncols()).map(norm).collect();
        let unit = Mat::from_fn(columns.nrows(), columns.ncols(), |i, j| columns[(i, j)] / norms[j]);
        let singular = unit.singular_values().unwrap();
        let rank = singular.iter().filter(|v| **v > 1e-9 * singular[0]).count();
        // A constant attribute is its intercept, as without a basis.
        prop_assert_eq!(rank, if distinct == 1 { 1 } else { columns.ncols() });
    }
}

#[test]
fn a_file_with_knots_that_are_none_is_refused() {
    let values: Vec<f64> = (0..30).map(f64::from).collect();
    let cells = Array2::from_shape_fn((30, 1), |(i, _)| values[i]);
    let table = crate::data::Table::from_matrix(Matrix::F64(cells), vec!["a".into()]).unwrap();
    let target = Target::Numbers(values);
    let rows: Vec<u32> = (0..30).collect();
    let options = Options { basis: Basis::Hats, ..Options::default() };
    let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
    let text = serde_json::to_value(&prepared.prepare).unwrap();
    let read =
        |value: &serde_json::Value| -> Prepare { serde_json::from_value(value.clone()).unwrap() };
    assert_eq!(read(&text), prepared.prepare);
    let damaged = [
        vec![0.0, 6.0],
        vec![0.0, 6.0, 6.0, 12.0, 18.0, 29.0],
        vec![0.0, 12.0, 6.0, 17.0, 23.0, 29.0],
        vec![0.0, 6.0, 12.0, 17.0, 23.0, 1e101],
        vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        vec![0.0, 6.0, 12.0],
        vec![],
    ];
    for knots in damaged {
        let mut other = text.clone();
        other["schema"]["columns"][0]["knots"] = serde_json::json!(knots);
        let error = read(&other).validate().unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::BadFile { .. }), "{knots:?}: {error}");
    }
    let mut other = text;
    other["schema"]["columns"][0]["kind"] = "text".into();
    other["schema"]["columns"][0]["categories"] = serde_json::json!(["x"]);
    assert!(read(&other).validate().unwrap_err().to_string().contains("knots"));
}

#[test]
fn hats_of_many_rows_of_sparse_numbers_are_refused_before_they_are_stored() {
    let (rows, columns) = (1_usize << 22, 1_usize << 14);
    let csr = crate::data::Csr::new(vec![0; rows + 1], vec![], vec![], columns).unwrap();
    let column = super::super::ColumnSchema {
        name: "a".into(),
        kind: ColumnKind::Number,
        known: false,
        date: None,
        knots: Vec::new(),
    };
    let columns = vec![column; columns];
    let schema = Schema { columns, groups: vec![], prices: BTreeMap::new(), by_reads: false };
    let error = schema.admit_knots(&Matrix::Csr(csr)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooMuchMemory { .. }), "{error}");
}
