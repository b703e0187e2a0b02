//! Evaluates the quadratic of ridge and lasso regression: f(w) = w'Gw - 2 c'w + s.
//!
//! G is the second-moment matrix of attributes, c their moments with the target, s the target's
//! second moment. An evaluation costs O(d^2). With fewer rows than columns the rows are stored
//! instead of G, which takes less memory, and columns of G are computed on demand; some are kept.

use crate::products::{lower_product, mirror};
use crate::vectors::{add_multiple, dot};
use crate::wide::{NullaryFnOnce, wide};
use faer::{Accum, Mat, MatRef};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Deref;
use std::rc::Rc;

/// Quadratic f, with G or the rows that determine it.
#[derive(Debug)]
pub struct Quadratic {
    form: Form,
    /// Columns of G, if rows are stored.
    made: RefCell<Made>,
    /// c, (width).
    pub cross: Vec<f64>,
    /// s: the value at w = 0.
    pub constant: f64,
}

/// Representation of G.
#[derive(Debug)]
pub enum Form {
    /// G itself, (width, width).
    Gram(Mat<f64>),
    /// X / sqrt(m), (m, width), where m < width.
    Rows(Mat<f64>),
}

/// Columns of G that were computed last: at most [`kept_columns`].
#[derive(Debug)]
struct Made {
    columns: Vec<Option<Rc<Vec<f64>>>>,
    /// Those that are there, from the oldest.
    order: VecDeque<usize>,
}

/// A column of G, (width).
#[derive(Debug)]
pub enum MatrixColumn<'a> {
    /// Of the matrix.
    Stored(&'a [f64]),
    /// Computed from the rows.
    Made(Rc<Vec<f64>>),
}

impl Deref for MatrixColumn<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        match self {
            MatrixColumn::Stored(column) => column,
            MatrixColumn::Made(column) => column,
        }
    }
}

/// Returns how many computed columns of G are kept at most beside m rows of this width. A lasso
/// solution needs m of them.
pub fn kept_columns(m: usize, width: usize) -> usize {
    if m < width { width.min(2 * m + 1) } else { 0 }
}

impl Quadratic {
    /// Creates the quadratic of these moments; G may be any symmetric matrix.
    pub fn new(form: Form, cross: Vec<f64>, constant: f64) -> Quadratic {
        let columns = if let Form::Rows(rows) = &form { rows.ncols() } else { 0 };
        let made = RefCell::new(Made { columns: vec![None; columns], order: VecDeque::new() });
        Quadratic { form, made, cross, constant }
    }

    /// Returns G, or the rows that determine it.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// Returns the gradient 2 (Gw - c).
    pub fn gradient(&self, weights: &[f64]) -> Vec<f64> {
        let mut gradient = Vec::new();
        self.gradient_in(weights, &mut gradient);
        gradient
    }

    /// Does the same in the place of another gradient; with all of G it allocates nothing.
    pub fn gradient_in(&self, weights: &[f64], gradient: &mut Vec<f64>) {
        match &self.form {
            Form::Gram(gram) => combine_in(gram, weights, gradient),
            Form::Rows(rows) => *gradient = transposed(rows, &combine(rows, weights)),
        }
        gradient.iter_mut().zip(&self.cross).for_each(|(g, c)| *g = 2.0 * (*g - c));
    }

    /// Returns f(w) for the gradient at w; at least 0 despite rounding.
    pub fn value(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        self.level(weights, gradient).max(0.0)
    }

    /// Returns f(w) for the gradient at w, for moments whose quadratic may be negative.
    pub fn level(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        dot(gradient, weights) / 2.0 - dot(&self.cross, weights) + self.constant
    }

    /// Returns entry (j, j) of G.
    pub fn diagonal(&self, j: usize) -> f64 {
        match &self.form {
            Form::Gram(gram) => gram[(j, j)],
            Form::Rows(rows) => dot(rows.col_as_slice(j), rows.col_as_slice(j)),
        }
    }

    /// Returns column j of G, (width).
    pub fn column(&self, j: usize) -> MatrixColumn<'_> {
        let rows = match &self.form {
            Form::Gram(gram) => return MatrixColumn::Stored(gram.col_as_slice(j)),
            Form::Rows(rows) => rows,
        };
        let Made { columns, order } = &mut *self.made.borrow_mut();
        if let Some(column) = &columns[j] {
            return MatrixColumn::Made(Rc::clone(column));
        }
        if order.len() >= kept_columns(rows.nrows(), rows.ncols())
            && let Some(oldest) = order.pop_front()
        {
            columns[oldest] = None;
        }
        let column = Rc::new(transposed(rows, rows.col_as_slice(j)));
        columns[j] = Some(Rc::clone(&column));
        order.push_back(j);
        MatrixColumn::Made(column)
    }
}

/// Adds B'B to the lower triangle of `gram`.
pub fn add_products(gram: &mut Mat<f64>, block: MatRef<'_, f64>) {
    lower_product(gram.as_mut(), Accum::Add, block.transpose(), block, 1.0);
}

/// Returns B B', (rows, rows).
pub fn outer_products(rows: &Mat<f64>) -> Mat<f64> {
    let mut kernel = Mat::zeros(rows.nrows(), rows.nrows());
    add_products(&mut kernel, rows.transpose());
    mirror(&mut kernel, 1.0);
    kernel
}

/// Returns A w, column by column; zero weights are skipped.
pub fn combine(matrix: &Mat<f64>, weights: &[f64]) -> Vec<f64> {
    let mut sum = Vec::new();
    combine_in(matrix, weights, &mut sum);
    sum
}

/// Does the same in the place of another sum.
fn combine_in(matrix: &Mat<f64>, weights: &[f64], sum: &mut Vec<f64>) {
    sum.clear();
    sum.resize(matrix.nrows(), 0.0);
    wide(Combine { matrix, weights, sum });
}

struct Combine<'a> {
    matrix: &'a Mat<f64>,
    weights: &'a [f64],
    sum: &'a mut [f64],
}

impl NullaryFnOnce for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Combine { matrix, weights, sum } = self;
        for (j, &weight) in weights.iter().enumerate() {
            if weight != 0.0 {
                add_multiple(sum, weight, matrix.col_as_slice(j));
            }
        }
    }
}

/// Returns A' v.
pub fn transposed(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    (0..matrix.ncols()).map(|j| dot(matrix.col_as_slice(j), vector)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_columns_are_kept_and_all_are_right_whenever_they_are_asked_for() {
        let rows = Mat::from_fn(3, 20, |i, j| ((i * 7 + j * 5) % 11) as f64);
        let gram = rows.transpose() * &rows;
        let quadratic = Quadratic::new(Form::Rows(rows), vec![0.0; 20], 0.0);
        // One is held while the others come and go.
        let held = quadratic.column(4);
        for j in (0..20).chain([3, 3, 4, 19, 0]).chain((0..20).rev()) {
            let column = quadratic.column(j);
            assert!((0..20).all(|i| column[i] == gram[(i, j)] && held[i] == gram[(i, 4)]), "{j}");
        }
        let made = quadratic.made.borrow();
        assert_eq!(kept_columns(3, 20), 7);
        assert_eq!((made.order.len(), made.columns.iter().flatten().count()), (7, 7));
        assert_eq!((kept_columns(15, 20), kept_columns(20, 20)), (20, 0));
    }
}
