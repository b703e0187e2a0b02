//! Sums the second moments of examples into the quadratic that ridge and lasso minimise.
//!
//! f(w) = (1/m) sum_i (<w, x_i> - y_i)^2 = w'Gw - 2 c'w + s with G = X'X/m, c = X'y/m, s = y'y/m,
//! over centred examples. G takes O(m d^2) once, and no row is read again. One thread adds blocks
//! of rows in their order, so that the sums do not depend on the number of threads; learners run in
//! parallel outside.

use super::centred::Centred;
use faer::{Mat, MatRef};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_solve::Monitor;
use halfseen_solve::{Form, Quadratic, add_products, mirror};

/// Number of rows per block: 256 x 784 numbers fit the second-level cache.
pub(super) const BLOCK: usize = 256;

/// Sums the moments in the second pass over the examples.
///
/// # Errors
/// Overflow; [`ErrorKind::Interrupted`].
pub(crate) fn second_moments(data: &Centred<'_, '_>, monitor: &dyn Monitor) -> Result<Quadratic> {
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
        return Err(ErrorKind::Diverged { what: "a second moment", value: f64::INFINITY }.into());
    }
    let form = if keep_rows { Form::Rows(matrix) } else { Form::Gram(matrix) };
    Ok(Quadratic::new(form, cross, constant))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Data;
    use halfseen_solve::Silent;
    use halfseen_solve::dot;

    /// Returns (1/m) sum (<w,x> + b - y)^2, row by row.
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
                let quadratic = second_moments(&centred, &Silent).unwrap();
                let w: Vec<f64> = (0..centred.width()).map(|j| 0.3 - 0.2 * j as f64).collect();
                let gradient = quadratic.gradient(&w);
                let at = |w: &[f64]| {
                    let model = centred.predictor(w);
                    plain(&data, &model.weights, model.intercept)
                };
                assert!((quadratic.value(&w, &gradient) - at(&w)).abs() < 1e-12);
                for j in 0..w.len() {
                    // Central differences of a quadratic are exact except for rounding.
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
        let error = second_moments(&centred, &Silent).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Diverged { .. }));
    }
}
