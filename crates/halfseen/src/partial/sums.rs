//! Sums first and second moments of rows with holes about a centre, so that no row is kept.
//!
//! **Symbols**: o_j is 1 where column j is observed, else 0; c is the centre, a value of each column
//! among the first rows, so that large means cost no precision. Kept are sum o_j o_k (x_j - c_j)
//! (x_k - c_k) and, once a cell is missing, sum o_j o_k and sum o_j o_k (x_j - c_j) of all pairs;
//! before, these are the number of rows and the sums of the columns.

use crate::data::widened;
use faer::{Accum, Mat, MatRef};
use halfseen_solve::{add_products, product};
use serde::{Deserialize, Serialize};

/// Largest number of rows of a part: numbers up to it are exact.
const MOST_ROWS: u64 = 1 << 53;

/// Moments of the rows so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(super) struct Sums {
    /// Number of rows.
    rows: u64,
    /// c; `None` while no value of the column was observed.
    centre: Vec<Option<f64>>,
    /// Least and largest observed value.
    range: Vec<Option<[f64; 2]>>,
    /// Sums of x_j - c_j over the rows that show column j.
    sums: Vec<f64>,
    /// Sums of (x_j - c_j)(x_k - c_k) over the rows that show both; the lower triangle.
    products: Mat<f64>,
    pairs: Option<Pairs>,
}

/// Sums over pairs of columns, which columns with holes need besides.
#[derive(Debug, Clone, PartialEq)]
struct Pairs {
    /// Number of rows that show both; the lower triangle.
    counts: Mat<f64>,
    /// Sums of x_j - c_j over the rows that show j and k, at (j, k).
    sums: Mat<f64>,
}

/// Source of a column of [spread](Sums::spread) sums.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source {
    /// This column.
    Column(usize),
    /// 0 in the rows that show this column, missing in the others.
    Zero(usize),
    /// Missing in all rows.
    Missing,
}

impl Sums {
    /// Starts without a row.
    pub(super) fn new(columns: usize) -> Sums {
        Sums {
            rows: 0,
            centre: vec![None; columns],
            range: vec![None; columns],
            sums: vec![0.0; columns],
            products: Mat::zeros(columns, columns),
            pairs: None,
        }
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of columns.
    pub(super) fn width(&self) -> usize {
        self.centre.len()
    }

    /// Returns true if a cell is missing.
    pub(super) fn has_holes(&self) -> bool {
        self.pairs.is_some()
    }

    /// Returns the least and the largest observed value of a column.
    pub(super) fn range(&self, column: usize) -> Option<[f64; 2]> {
        self.range[column]
    }

    /// Returns the number of rows that show a column.
    pub(super) fn shown(&self, column: usize) -> f64 {
        self.pairs.as_ref().map_or(self.rows as f64, |pairs| pairs.counts[(column, column)])
    }

    /// Returns the mean of the observed values of a column: exactly the value of a constant one, 0
    /// of one that was never observed.
    pub(super) fn mean(&self, column: usize) -> f64 {
        let centre = self.centre[column].unwrap_or(0.0);
        match self.range[column] {
            Some([low, high]) if low == high => low,
            Some(_) => centre + self.sums[column] / self.shown(column),
            None => 0.0,
        }
    }

    /// Returns the number of bytes of sums of so many columns.
    pub(super) fn bytes(columns: usize, has_holes: bool) -> f64 {
        8.0 * (columns as f64).powi(2) * if has_holes { 3.0 } else { 1.0 }
    }

    /// Returns the number of bytes beside them while rows are added or columns are.
    pub(super) fn adding(columns: usize) -> f64 {
        Sums::bytes(columns, true)
    }

    /// Returns the same rows with other columns.
    pub(super) fn spread(&self, sources: &[Source]) -> Sums {
        let d = sources.len();
        let own = |j: usize| match sources[j] {
            Source::Column(from) => Some(from),
            Source::Zero(_) | Source::Missing => None,
        };
        // The column whose rows show the new one.
        let shown = |j: usize| match sources[j] {
            Source::Column(from) | Source::Zero(from) => Some(from),
            Source::Missing => None,
        };
        let count = |j, k| shown(j).zip(shown(k)).map_or(0.0, |(j, k)| self.count(j, k));
        let sum = |j, k| own(j).zip(shown(k)).map_or(0.0, |(j, k)| self.sum(j, k));
        let product =
            |j, k| own(j).zip(own(k)).map_or(0.0, |(j, k)| symmetric(&self.products, j, k));
        let lower = |of: &dyn Fn(usize, usize) -> f64| {
            Mat::from_fn(d, d, |j, k| if k <= j { of(j, k) } else { 0.0 })
        };
        let is_hidden = self.rows > 0 && (0..d).any(|j| shown(j).is_none());
        let pairs = (self.has_holes() || is_hidden)
            .then(|| Pairs { counts: lower(&count), sums: Mat::from_fn(d, d, sum) });
        let is_zero = |j: usize| own(j).is_none() && shown(j).is_some_and(|k| self.shown(k) > 0.0);
        let at = |j: usize| own(j).map(|from| (self.centre[from], self.range[from]));
        let none = |j: usize| if is_zero(j) { (Some(0.0), Some([0.0; 2])) } else { (None, None) };
        let (centre, range) = (0..d).map(|j| at(j).unwrap_or_else(|| none(j))).unzip();
        Sums {
            rows: self.rows,
            centre,
            range,
            sums: (0..d).map(|j| own(j).map_or(0.0, |from| self.sums[from])).collect(),
            products: lower(&product),
            pairs,
        }
    }

    /// Adds rows, one after the other in `block`, whose missing cells are NaN.
    pub(super) fn add(&mut self, block: &mut [f64]) {
        let d = self.width();
        let rows = block.len() / d.max(1);
        let missing = block.iter().any(|value| value.is_nan());
        for row in block.chunks_exact(d.max(1)) {
            for (j, value) in row.iter().enumerate().filter(|(_, value)| !value.is_nan()) {
                self.range[j] = Some(widened(self.range[j], *value));
                self.centre[j].get_or_insert(*value);
            }
        }
        if missing {
            self.see_holes();
        }
        let centre: Vec<f64> = self.centre.iter().map(|centre| centre.unwrap_or(0.0)).collect();
        let mut seen = if self.pairs.is_some() { vec![1.0; block.len()] } else { Vec::new() };
        for (at, value) in block.iter_mut().enumerate() {
            let j = at % d;
            if value.is_nan() {
                (*value, seen[at]) = (0.0, 0.0);
            } else {
                *value -= centre[j];
                self.sums[j] += *value;
            }
        }
        let values = MatRef::from_row_major_slice(block, rows, d);
        add_products(&mut self.products, values);
        if let Some(pairs) = &mut self.pairs {
            let seen = MatRef::from_row_major_slice(&seen, rows, d);
            add_products(&mut pairs.counts, seen);
            product(&mut pairs.sums, Accum::Add, values.transpose(), seen, 1.0);
        }
        self.rows += rows as u64;
    }

    /// Keeps counts of pairs from now on.
    fn see_holes(&mut self) {
        let (d, rows) = (self.width(), self.rows as f64);
        let sums = &self.sums;
        self.pairs.get_or_insert_with(|| Pairs {
            counts: Mat::from_fn(d, d, |j, k| if k <= j { rows } else { 0.0 }),
            sums: Mat::from_fn(d, d, |j, _| sums[j]),
        });
    }

    /// Adds the rows of other sums of the same columns.
    pub(super) fn merge(&mut self, other: &Sums) {
        let d = self.width();
        if self.has_holes() || other.has_holes() {
            self.see_holes();
        }
        // Of the other to these: x - c = (x - c') + shift.
        let mut shift = vec![0.0; d];
        for (j, shift) in shift.iter_mut().enumerate() {
            if let Some(theirs) = other.centre[j] {
                *shift = theirs - *self.centre[j].get_or_insert(theirs);
            }
            for value in other.range[j].into_iter().flatten() {
                self.range[j] = Some(widened(self.range[j], value));
            }
        }
        for (j, of_j) in shift.iter().enumerate() {
            for (k, of_k) in shift[..=j].iter().enumerate() {
                self.products[(j, k)] += symmetric(&other.products, j, k)
                    + of_k * other.sum(j, k)
                    + of_j * other.sum(k, j)
                    + of_j * of_k * other.count(j, k);
            }
        }
        if let Some(pairs) = &mut self.pairs {
            for (j, shift) in shift.iter().enumerate() {
                for k in 0..d {
                    pairs.sums[(j, k)] += other.sum(j, k) + shift * other.count(j, k);
                    if k <= j {
                        pairs.counts[(j, k)] += other.count(j, k);
                    }
                }
            }
        }
        for (j, shift) in shift.iter().enumerate() {
            self.sums[j] += other.sums[j] + shift * other.shown(j);
        }
        self.rows = self.rows.saturating_add(other.rows);
    }

    /// Returns sum o_j o_k.
    fn count(&self, j: usize, k: usize) -> f64 {
        self.pairs.as_ref().map_or(self.rows as f64, |pairs| symmetric(&pairs.counts, j, k))
    }

    /// Returns sum o_j o_k (x_j - c_j).
    fn sum(&self, j: usize, k: usize) -> f64 {
        self.pairs.as_ref().map_or(self.sums[j], |pairs| pairs.sums[(j, k)])
    }

    /// Returns the sum of x_j - point over the rows that show column j.
    pub(super) fn sum_about(&self, column: usize, point: f64) -> f64 {
        let shift = self.centre[column].unwrap_or(0.0) - point;
        self.sums[column] + shift * self.shown(column)
    }

    /// Returns the sum of (x_j - mean)^2 over the rows that show column j.
    pub(super) fn squares(&self, column: usize) -> f64 {
        let shift = self.centre[column].unwrap_or(0.0) - self.mean(column);
        let sum = self.products[(column, column)]
            + 2.0 * shift * self.sums[column]
            + shift * shift * self.shown(column);
        sum.max(0.0)
    }

    /// Returns the sums of (x_j - p_j)(x_k - p_k) over the rows that show both, for all j and k.
    pub(super) fn products_about(&self, point: &[f64]) -> Mat<f64> {
        let shift = |j: usize| self.centre[j].unwrap_or(0.0) - point[j];
        Mat::from_fn(self.width(), self.width(), |j, k| {
            symmetric(&self.products, j, k)
                + shift(k) * self.sum(j, k)
                + shift(j) * self.sum(k, j)
                + shift(j) * shift(k) * self.count(j, k)
        })
    }
}

/// Returns an entry of a symmetric matrix whose lower triangle is kept.
fn symmetric(matrix: &Mat<f64>, j: usize, k: usize) -> f64 {
    matrix[(j.max(k), j.min(k))]
}

/// Sums as they are written: lower triangles and squares by rows.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    rows: u64,
    centre: Vec<Option<f64>>,
    range: Vec<Option<[f64; 2]>>,
    sums: Vec<f64>,
    products: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pair_counts: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pair_sums: Option<Vec<f64>>,
}

impl From<Sums> for Stored {
    fn from(of: Sums) -> Stored {
        let d = of.width();
        let lower = |m: &Mat<f64>| (0..d).flat_map(|j| (0..=j).map(move |k| m[(j, k)])).collect();
        let square = |m: &Mat<f64>| (0..d).flat_map(|j| (0..d).map(move |k| m[(j, k)])).collect();
        Stored {
            rows: of.rows,
            products: lower(&of.products),
            pair_counts: of.pairs.as_ref().map(|pairs| lower(&pairs.counts)),
            pair_sums: of.pairs.as_ref().map(|pairs| square(&pairs.sums)),
            centre: of.centre,
            range: of.range,
            sums: of.sums,
        }
    }
}

impl TryFrom<Stored> for Sums {
    type Error = &'static str;

    fn try_from(of: Stored) -> Result<Sums, &'static str> {
        if of.rows > MOST_ROWS {
            return Err("it has more rows than can be counted");
        }
        let d = of.centre.len();
        let triangle = d * (d + 1) / 2;
        let numbers =
            [Some(&of.sums), Some(&of.products), of.pair_counts.as_ref(), of.pair_sums.as_ref()];
        let finite = numbers.into_iter().flatten().flatten().all(|number| number.is_finite());
        if !finite || of.centre.iter().flatten().any(|number| !number.is_finite()) {
            return Err("it holds a number that is not finite");
        }
        // NaN is in no order.
        if !of.range.iter().flatten().all(|[least, largest]| least <= largest) {
            return Err("the least value of a column is above its largest");
        }
        let pairs = match (of.pair_counts, of.pair_sums) {
            (None, None) => None,
            (Some(counts), Some(sums)) if counts.len() == triangle && sums.len() == d * d => {
                Some(Pairs {
                    counts: triangular(d, &counts),
                    sums: Mat::from_fn(d, d, |j, k| sums[j * d + k]),
                })
            }
            _ => return Err("its sums of pairs are of another size than its columns"),
        };
        if of.range.len() != d || of.sums.len() != d || of.products.len() != triangle {
            return Err("its sums are of another size than its columns");
        }
        let products = triangular(d, &of.products);
        Ok(Sums {
            rows: of.rows,
            centre: of.centre,
            range: of.range,
            sums: of.sums,
            products,
            pairs,
        })
    }
}

fn triangular(d: usize, lower: &[f64]) -> Mat<f64> {
    Mat::from_fn(d, d, |j, k| if k <= j { lower[j * (j + 1) / 2 + k] } else { 0.0 })
}
