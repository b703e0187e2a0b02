//! Evaluates the quadratic that ridge and lasso minimise: f(w) = w'Gw - 2 c'w + s.
//!
//! G is the second moments of attributes, c those with the target, s the target's. Every w costs
//! O(d^2). With fewer rows than columns the rows themselves stand for G, in less room, and columns
//! of G are made when they are asked for.

use crate::vectors::dot;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};
use std::cell::OnceCell;

/// The quadratic f, with G or the rows that make it.
#[derive(Debug)]
pub struct Quadratic {
    form: Form,
    /// With the rows kept: the columns of G asked for so far.
    made: Vec<OnceCell<Vec<f64>>>,
    /// c, (width).
    pub cross: Vec<f64>,
    /// s: the objective at w = 0.
    pub constant: f64,
}

/// What stands for G.
#[derive(Debug)]
pub enum Form {
    /// G itself, (width, width).
    Gram(Mat<f64>),
    /// X / sqrt(m), (m, width), where m < width.
    Rows(Mat<f64>),
}

impl Quadratic {
    /// The quadratic of these moments; G may be any symmetric matrix.
    pub fn new(form: Form, cross: Vec<f64>, constant: f64) -> Quadratic {
        let columns = if let Form::Rows(rows) = &form { rows.ncols() } else { 0 };
        Quadratic { form, made: vec![OnceCell::new(); columns], cross, constant }
    }

    /// G, or the rows that make it.
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The gradient 2 (Gw - c).
    pub fn gradient(&self, weights: &[f64]) -> Vec<f64> {
        let mut product = match &self.form {
            Form::Gram(gram) => combine(gram, weights),
            Form::Rows(rows) => transposed(rows, &combine(rows, weights)),
        };
        product.iter_mut().zip(&self.cross).for_each(|(p, c)| *p = 2.0 * (*p - c));
        product
    }

    /// f(w), given the gradient there; rounding never makes it negative.
    pub fn value(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        self.level(weights, gradient).max(0.0)
    }

    /// f(w), given the gradient there, for moments whose quadratic may be negative.
    pub fn level(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        dot(gradient, weights) / 2.0 - dot(&self.cross, weights) + self.constant
    }

    /// Entry (j, j) of G.
    pub fn diagonal(&self, j: usize) -> f64 {
        match &self.form {
            Form::Gram(gram) => gram[(j, j)],
            Form::Rows(rows) => dot(rows.col_as_slice(j), rows.col_as_slice(j)),
        }
    }

    /// Column j of G, (width).
    pub fn column(&self, j: usize) -> &[f64] {
        match &self.form {
            Form::Gram(gram) => gram.col_as_slice(j),
            Form::Rows(rows) => self.made[j].get_or_init(|| transposed(rows, rows.col_as_slice(j))),
        }
    }
}

/// Adds B'B to the lower triangle of `gram`.
pub fn add_products(gram: &mut Mat<f64>, block: MatRef<'_, f64>) {
    let (triangle, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(
        gram.as_mut(),
        triangle,
        Accum::Add,
        block.transpose(),
        full,
        block,
        full,
        1.0,
        Par::Seq,
    );
}

/// B B', (rows, rows).
pub fn outer_products(rows: &Mat<f64>) -> Mat<f64> {
    let mut kernel = Mat::zeros(rows.nrows(), rows.nrows());
    add_products(&mut kernel, rows.transpose());
    mirror(&mut kernel, 1.0);
    kernel
}

/// Scales the lower triangle and copies it to the upper one.
pub fn mirror(gram: &mut Mat<f64>, scale: f64) {
    for j in 0..gram.ncols() {
        for i in j..gram.nrows() {
            let value = gram[(i, j)] * scale;
            gram[(i, j)] = value;
            gram[(j, i)] = value;
        }
    }
}

/// A w, column by column; zero weights cost nothing.
pub fn combine(matrix: &Mat<f64>, weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; matrix.nrows()];
    for (j, &w) in weights.iter().enumerate() {
        if w != 0.0 {
            sum.iter_mut().zip(matrix.col_as_slice(j)).for_each(|(s, v)| *s += w * v);
        }
    }
    sum
}

/// A' v.
pub fn transposed(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    (0..matrix.ncols()).map(|j| dot(matrix.col_as_slice(j), vector)).collect()
}
