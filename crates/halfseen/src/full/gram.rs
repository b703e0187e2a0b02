//! Sums the second moments of examples into the quadratic that ridge and lasso minimise.
//!
//! f(w) = (1/m) sum_i (<w, x_i> - y_i)^2 = w'Gw - 2 c'w + s with G = X'X/m, c = X'y/m, s = y'y/m,
//! over centred examples. G takes O(m d^2) once; every w after that costs O(d^2) and no row is read
//! again. With fewer rows than columns the rows themselves are kept instead, in less room, and
//! columns of G are made when they are asked for.
//!
//! Blocks of rows are added in their order by one thread, so the sums do not depend on threads;
//! learners run in parallel outside.

use super::centred::Centred;
use crate::error::{ErrorKind, Result};
use crate::monitor::Monitor;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef, Par};
use std::cell::OnceCell;

/// Rows per block: 256 x 784 numbers fit the second-level cache.
const BLOCK: usize = 256;

/// The quadratic f, with G or the rows that make it.
#[derive(Debug)]
pub(crate) struct Quadratic {
    form: Form,
    /// With the rows kept: the columns of G asked for so far.
    made: Vec<OnceCell<Vec<f64>>>,
    /// c, (width).
    pub(crate) cross: Vec<f64>,
    /// s: the objective at w = 0.
    pub(crate) constant: f64,
}

/// What stands for G.
#[derive(Debug)]
pub(crate) enum Form {
    /// G itself, (width, width).
    Gram(Mat<f64>),
    /// X / sqrt(m), (m, width), where m < width.
    Rows(Mat<f64>),
}

impl Quadratic {
    /// The second pass over the examples.
    ///
    /// # Errors
    /// Numbers out of range; [`ErrorKind::Interrupted`].
    pub(crate) fn new(data: &Centred<'_, '_>, monitor: &dyn Monitor) -> Result<Quadratic> {
        let (m, width) = (data.len(), data.width());
        let root = data.total().sqrt();
        let keep_rows = m < width;
        let mut matrix = if keep_rows { Mat::zeros(m, width) } else { Mat::zeros(width, width) };
        let mut cross = vec![0.0; width];
        let (mut constant, mut block) = (0.0, Vec::with_capacity(BLOCK.min(m) * width));
        for start in (0..m).step_by(BLOCK) {
            if monitor.should_stop() {
                return Err(ErrorKind::Interrupted { during: "summing second moments" }.into());
            }
            let end = m.min(start + BLOCK);
            data.block_into(start..end, &mut block);
            for (i, row) in (start..end).zip(block.chunks_exact_mut(width.max(1))) {
                // s (<w, x> - y)^2 is (<w, sqrt(s) x> - sqrt(s) y)^2.
                let weight = data.weight(i).sqrt();
                if weight != 1.0 {
                    row.iter_mut().for_each(|x| *x *= weight);
                }
                let y = weight * data.target(i);
                cross.iter_mut().zip(&*row).for_each(|(c, x)| *c += x * y);
                if keep_rows {
                    row.iter().enumerate().for_each(|(j, x)| matrix[(i, j)] = x / root);
                }
            }
            constant += (start..end).map(|i| data.weight(i) * data.target(i).powi(2)).sum::<f64>();
            if !keep_rows {
                add_products(&mut matrix, MatRef::from_row_major_slice(&block, end - start, width));
            }
            monitor.progress(end as u64, m as u64);
        }
        let scale = 1.0 / data.total();
        cross.iter_mut().for_each(|c| *c *= scale);
        constant *= scale;
        if !keep_rows {
            mirror(&mut matrix, scale);
        }
        let finite = (0..width).all(|j| matrix.col_as_slice(j).iter().all(|v| v.is_finite()));
        if !(finite && constant.is_finite() && cross.iter().all(|c| c.is_finite())) {
            return Err(
                ErrorKind::Diverged { what: "a second moment", value: f64::INFINITY }.into()
            );
        }
        let form = if keep_rows { Form::Rows(matrix) } else { Form::Gram(matrix) };
        let made = vec![OnceCell::new(); if keep_rows { width } else { 0 }];
        Ok(Quadratic { form, made, cross, constant })
    }

    /// The quadratic of moments that were not summed here; G may be any symmetric matrix.
    pub(crate) fn of_moments(gram: Mat<f64>, cross: Vec<f64>, constant: f64) -> Quadratic {
        Quadratic { form: Form::Gram(gram), made: Vec::new(), cross, constant }
    }

    /// G, or the rows that make it.
    pub(crate) fn form(&self) -> &Form {
        &self.form
    }

    /// The gradient 2 (Gw - c).
    pub(crate) fn gradient(&self, weights: &[f64]) -> Vec<f64> {
        let mut product = match &self.form {
            Form::Gram(gram) => combine(gram, weights),
            Form::Rows(rows) => transposed(rows, &combine(rows, weights)),
        };
        product.iter_mut().zip(&self.cross).for_each(|(p, c)| *p = 2.0 * (*p - c));
        product
    }

    /// f(w), given the gradient there; rounding never makes it negative.
    pub(crate) fn value(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        self.level(weights, gradient).max(0.0)
    }

    /// f(w), given the gradient there, for moments whose quadratic may be negative.
    pub(crate) fn level(&self, weights: &[f64], gradient: &[f64]) -> f64 {
        dot(gradient, weights) / 2.0 - dot(&self.cross, weights) + self.constant
    }

    /// Entry (j, j) of G.
    pub(crate) fn diagonal(&self, j: usize) -> f64 {
        match &self.form {
            Form::Gram(gram) => gram[(j, j)],
            Form::Rows(rows) => dot(rows.col_as_slice(j), rows.col_as_slice(j)),
        }
    }

    /// Column j of G, (width).
    pub(crate) fn column(&self, j: usize) -> &[f64] {
        match &self.form {
            Form::Gram(gram) => gram.col_as_slice(j),
            Form::Rows(rows) => self.made[j].get_or_init(|| transposed(rows, rows.col_as_slice(j))),
        }
    }
}

/// Adds B'B to the lower triangle of `gram`.
fn add_products(gram: &mut Mat<f64>, block: MatRef<'_, f64>) {
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
pub(crate) fn outer_products(rows: &Mat<f64>) -> Mat<f64> {
    let mut kernel = Mat::zeros(rows.nrows(), rows.nrows());
    add_products(&mut kernel, rows.transpose());
    mirror(&mut kernel, 1.0);
    kernel
}

/// Scales the lower triangle and copies it to the upper one.
fn mirror(gram: &mut Mat<f64>, scale: f64) {
    for j in 0..gram.ncols() {
        for i in j..gram.nrows() {
            let value = gram[(i, j)] * scale;
            gram[(i, j)] = value;
            gram[(j, i)] = value;
        }
    }
}

/// A w, column by column; zero weights cost nothing.
pub(crate) fn combine(matrix: &Mat<f64>, weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; matrix.nrows()];
    for (j, &w) in weights.iter().enumerate() {
        if w != 0.0 {
            sum.iter_mut().zip(matrix.col_as_slice(j)).for_each(|(s, v)| *s += w * v);
        }
    }
    sum
}

/// A' v.
pub(crate) fn transposed(matrix: &Mat<f64>, vector: &[f64]) -> Vec<f64> {
    (0..matrix.ncols()).map(|j| dot(matrix.col_as_slice(j), vector)).collect()
}

/// The inner product, in four partial sums that the processor can form side by side.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (left, right) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::full::testing::Data;
    use crate::monitor::Silent;

    /// (1/m) sum (<w,x> + b - y)^2, row by row.
    fn plain(data: &Data, weights: &[f64], intercept: f64) -> f64 {
        let residual = |i| dot(&data.row(i), weights) + intercept - data.targets[i];
        (0..data.targets.len()).map(|i| residual(i).powi(2)).sum::<f64>()
            / data.targets.len() as f64
    }

    #[test]
    fn value_and_gradient_are_those_of_the_rows_in_both_forms() {
        for (m, d) in [(700, 5), (3, 6), (1, 1), (6, 6)] {
            let data = Data::random(m, d, 11);
            let examples = data.examples();
            for intercept in [false, true] {
                let centred = Centred::new(&examples, "ridge", intercept).unwrap();
                let quadratic = Quadratic::new(&centred, &Silent).unwrap();
                let w: Vec<f64> = (0..centred.width()).map(|j| 0.3 - 0.2 * j as f64).collect();
                let gradient = quadratic.gradient(&w);
                let at = |w: &[f64]| {
                    let model = centred.predictor(w);
                    plain(&data, &model.weights, model.intercept)
                };
                assert!((quadratic.value(&w, &gradient) - at(&w)).abs() < 1e-12);
                for j in 0..w.len() {
                    // Central differences of a quadratic are exact but for rounding.
                    let (mut up, mut down) = (w.clone(), w.clone());
                    up[j] += 0.5;
                    down[j] -= 0.5;
                    assert!((gradient[j] - (at(&up) - at(&down))).abs() < 1e-11);
                    let mut unit = vec![0.0; w.len()];
                    unit[j] = 1.0;
                    let gradient = quadratic.gradient(&unit);
                    let product = gradient.iter().zip(&quadratic.cross).map(|(g, c)| g / 2.0 + c);
                    assert!(
                        quadratic.column(j).iter().zip(product).all(|(a, b)| (a - b).abs() < 1e-12)
                    );
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_an_error() {
        let data = Data::new(ndarray::array![[1e200], [-1e200]], vec![1.0, 2.0]);
        let examples = data.examples();
        let centred = Centred::new(&examples, "ridge", true).unwrap();
        let error = Quadratic::new(&centred, &Silent).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Diverged { .. }));
    }
}
