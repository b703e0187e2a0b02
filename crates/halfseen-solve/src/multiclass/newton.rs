//! Solves the linear systems of an interior-point step: by a factor of the Gram matrix if its rank
//! is low, else class by class.
//!
//! **System**: (K + D_r) dw_r + dm = t_r for every class r, and sum_r dw_r = 0, with diagonal D_r =
//! s_r / w_r.
//!
//! **Dense**: dw_r = (K + D_r)^-1 (t_r - dm), and dm solves a system in the sum over classes of
//! these inverses.
//!
//! **Low rank**: with K = L L' and u_r = -L' dw_r (the change of v_r in the factor's coordinates),
//! eliminating dm leaves for every example a weighted Laplacian over its classes, H_i with
//! off-diagonal elements -d_ir d_is / sum_q d_iq, d = w / s. Then dw_i = H_i (t_i + (L u)_i), and u
//! solves (I + N) u = -L' (H t), where block (r, s) of N is L' diag(h_rs) L. Nothing is subtracted
//! from the diagonal, so large and small d mix without loss.

use crate::cholesky::{CholeskyFactor, NotPositive};
use crate::monitor::Monitor;
use crate::products::{lower_product, multiplied, multiply};
use faer::{Accum, Mat, MatRef, Par};
use rayon::prelude::*;

/// Least ridge relative to the mean diagonal, so that singular Gram matrices can be factored.
const FLOOR: f64 = 1e-13;
/// Number of rows weighted at a time.
const ROWS: usize = 512;

/// Representation of the Gram matrix.
#[derive(Clone, Copy)]
pub(super) enum Form<'a> {
    /// K itself.
    Dense(MatRef<'a, f64>),
    /// L with K = L L', (n, rank).
    Low(MatRef<'a, f64>),
}

/// Factored system.
pub(super) enum Newton<'a> {
    /// K, its (K + D_r)^-1, and the Cholesky factor of their sum.
    Dense { gram: MatRef<'a, f64>, inverses: Vec<Mat<f64>>, sum: CholeskyFactor },
    /// L, d (n, classes), and the Cholesky factor of I + N.
    Low { rows: MatRef<'a, f64>, d: Mat<f64>, inner: CholeskyFactor },
}

/// Returns the multiplications of one step with K itself, or with a factor of this rank.
pub(super) fn work(n: usize, classes: usize, rank: Option<usize>) -> f64 {
    let (n, k) = (n as f64, classes as f64);
    match rank.map(|p| p as f64) {
        None => (k + 0.2) * 1.2 * n.powi(3),
        Some(p) => 0.25 * k * (k + 1.0) * n * p * p + (k * p).powi(3) / 6.0,
    }
}

impl<'a> Newton<'a> {
    /// Factors a system; `mean` is that of the Gram matrix's diagonal, `ratios` are s / w, (n,
    /// classes). Ends soon, with an error, once the monitor asks to stop.
    pub(super) fn new(
        form: Form<'a>,
        mean: f64,
        ratios: MatRef<'_, f64>,
        monitor: &dyn Monitor,
    ) -> Result<Newton<'a>, NotPositive> {
        let floor = FLOOR * mean;
        match form {
            Form::Dense(gram) => Newton::dense(gram, floor, ratios),
            Form::Low(rows) => Newton::low(rows, floor, ratios, monitor),
        }
    }

    fn dense(
        gram: MatRef<'a, f64>,
        floor: f64,
        ratios: MatRef<'_, f64>,
    ) -> Result<Newton<'a>, NotPositive> {
        let n = gram.nrows();
        let inverses: Vec<Mat<f64>> = (0..ratios.ncols())
            .into_par_iter()
            .map(|r| {
                let mut matrix = gram.to_owned();
                (0..n).for_each(|i| matrix[(i, i)] += ratios[(i, r)].max(floor));
                let factor = CholeskyFactor::new(matrix, Par::Seq)?;
                let mut inverse = Mat::identity(n, n);
                factor.solve(&mut inverse);
                Ok(inverse)
            })
            .collect::<Result<_, NotPositive>>()?;
        let mut sum = Mat::zeros(n, n);
        inverses.iter().for_each(|inverse| sum += inverse);
        Ok(Newton::Dense { gram, inverses, sum: CholeskyFactor::new(sum, Par::Seq)? })
    }

    fn low(
        rows: MatRef<'a, f64>,
        floor: f64,
        ratios: MatRef<'_, f64>,
        monitor: &dyn Monitor,
    ) -> Result<Newton<'a>, NotPositive> {
        let (n, classes, rank) = (ratios.nrows(), ratios.ncols(), rows.ncols());
        let floor = floor.max(f64::MIN_POSITIVE);
        let d = Mat::from_fn(n, classes, |i, r| 1.0 / ratios[(i, r)].max(floor));
        let totals: Vec<f64> = (0..n).map(|i| d.row(i).iter().sum()).collect();
        let pairs: Vec<(usize, usize)> =
            (0..classes).flat_map(|r| (0..=r).map(move |q| (r, q))).collect();
        let blocks: Vec<Mat<f64>> = pairs
            .par_iter()
            .map(|&(r, q)| {
                let weight = |i: usize| {
                    let others = if r == q {
                        (0..classes).filter(|&o| o != r).map(|o| d[(i, o)]).sum()
                    } else {
                        -d[(i, q)]
                    };
                    others * (d[(i, r)] / totals[i])
                };
                weighted(rows, weight, monitor)
            })
            .collect();
        let mut inner = Mat::identity(classes * rank, classes * rank);
        for (block, &(r, q)) in blocks.iter().zip(&pairs) {
            // Every block is symmetric and holds its lower triangle.
            for j in 0..rank {
                for i in 0..rank {
                    inner[(r * rank + i, q * rank + j)] += block[(i.max(j), i.min(j))];
                }
            }
        }
        drop(blocks);
        if monitor.should_stop() {
            // Of blocks that were left out; nothing is read of it.
            return Err(NotPositive { column: 1 });
        }
        Ok(Newton::Low { rows, d, inner: CholeskyFactor::new(inner, Par::Seq)? })
    }

    /// Returns the changes (dw, ds, dm) for right-hand sides t (n, classes), with ds_r = dm + K
    /// dw_r.
    pub(super) fn direction(&self, t: &Mat<f64>) -> (Mat<f64>, Mat<f64>, Mat<f64>) {
        let (mut dw, dm) = match self {
            Newton::Dense { inverses, sum, .. } => by_inverses(inverses, sum, t),
            Newton::Low { rows, d, inner } => by_factor(*rows, d, inner, t),
        };
        // Rounding must not change row sums: the largest errors come with the largest changes.
        for i in 0..dw.nrows() {
            let (sum, size) = dw.row(i).iter().fold((0.0, 0.0), |(s, a), d| (s + d, a + d.abs()));
            if size > 0.0 {
                dw.row_mut(i).iter_mut().for_each(|d| *d -= sum * d.abs() / size);
            }
        }
        let mut ds = match self {
            Newton::Dense { gram, .. } => multiplied(*gram, dw.as_ref()),
            Newton::Low { rows, .. } => {
                multiplied(*rows, multiplied(rows.transpose(), dw.as_ref()).as_ref())
            }
        };
        for r in 0..ds.ncols() {
            ds.col_mut(r).iter_mut().zip(dm.col(0).iter()).for_each(|(ds, dm)| *ds += dm);
        }
        (dw, ds, dm)
    }
}

fn by_inverses(inverses: &[Mat<f64>], sum: &CholeskyFactor, t: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let (n, classes) = (t.nrows(), t.ncols());
    let mut dw = Mat::zeros(n, classes);
    let mut dm = Mat::zeros(n, 1);
    let times = |r: usize, from: MatRef<'_, f64>, to: faer::MatMut<'_, f64>| {
        multiply(to, inverses[r].as_ref(), from);
    };
    for r in 0..classes {
        times(r, t.as_ref().subcols(r, 1), dw.as_mut().subcols_mut(r, 1));
        dm += dw.as_ref().subcols(r, 1);
    }
    sum.solve(&mut dm);
    for r in 0..classes {
        let right = Mat::from_fn(n, 1, |i, _| t[(i, r)] - dm[(i, 0)]);
        times(r, right.as_ref(), dw.as_mut().subcols_mut(r, 1));
    }
    (dw, dm)
}

fn by_factor(
    rows: MatRef<'_, f64>,
    d: &Mat<f64>,
    inner: &CholeskyFactor,
    t: &Mat<f64>,
) -> (Mat<f64>, Mat<f64>) {
    let (rank, classes) = (rows.ncols(), d.ncols());
    let stacked = |m: &Mat<f64>| Mat::from_fn(rank * classes, 1, |i, _| m[(i % rank, i / rank)]);
    let mut u = Mat::<f64>::zeros(rank, classes);
    let (mut dw, mut dm) = laplacian(d, t);
    // The residual of u = -L' H (t + L u) is first the right-hand side, then the rounding error.
    for _ in 0..2 {
        let mut left = stacked(&multiplied(rows.transpose(), dw.as_ref()));
        left = -(left + stacked(&u));
        inner.solve(&mut left);
        u += Mat::from_fn(rank, classes, |i, r| left[(r * rank + i, 0)]);
        let scores = multiplied(rows, u.as_ref());
        (dw, dm) = laplacian(d, &(t + scores));
    }
    (dw, dm)
}

/// Returns H_i x_i for every example, and the mean of x_i weighted by d_i.
fn laplacian(d: &Mat<f64>, x: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
    let (n, classes) = (d.nrows(), d.ncols());
    let (mut product, mut means) = (Mat::zeros(n, classes), Mat::zeros(n, 1));
    for i in 0..n {
        let total: f64 = d.row(i).iter().sum();
        let mut mean = 0.0;
        for r in 0..classes {
            let share = d[(i, r)] / total;
            mean += share * x[(i, r)];
            let differences: f64 = (0..classes).map(|q| d[(i, q)] * (x[(i, r)] - x[(i, q)])).sum();
            product[(i, r)] = share * differences;
        }
        means[(i, 0)] = mean;
    }
    (product, means)
}

/// Returns the lower triangle of L' diag(weight) L, or of a part of the rows if asked to stop.
fn weighted(
    rows: MatRef<'_, f64>,
    weight: impl Fn(usize) -> f64,
    monitor: &dyn Monitor,
) -> Mat<f64> {
    let (n, rank) = rows.shape();
    let mut product = Mat::zeros(rank, rank);
    let mut scaled = Mat::<f64>::zeros(ROWS.min(n), rank);
    let mut weights = vec![0.0; ROWS.min(n)];
    for from in (0..n).step_by(ROWS) {
        if monitor.should_stop() {
            break;
        }
        let count = ROWS.min(n - from);
        weights[..count].iter_mut().zip(from..).for_each(|(w, i)| *w = weight(i));
        let part = rows.subrows(from, count);
        for k in 0..rank {
            let cells = scaled.col_as_slice_mut(k)[..count]
                .iter_mut()
                .zip(part.col(k).iter())
                .zip(&weights);
            cells.for_each(|((s, x), w)| *s = x * w);
        }
        let scaled = scaled.as_ref().subrows(0, count);
        lower_product(product.as_mut(), Accum::Add, part.transpose(), scaled, 1.0);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::Silent;
    use crate::sampling::{Purpose, Stream};

    #[test]
    fn both_forms_solve_the_system() {
        for (n, rank, classes) in [(40, 5, 3), (12, 12, 4), (600, 7, 2), (9, 1, 5)] {
            let mut stream = Stream::new(7, Purpose::Data, n as u64);
            let rows = Mat::from_fn(n, rank, |_, _| stream.normal());
            let gram = &rows * rows.transpose();
            let mut positive = |n, k| Mat::from_fn(n, k, |_, _| stream.normal().exp());
            let (w, s) = (positive(n, classes), positive(n, classes));
            let t = Mat::from_fn(n, classes, |i, r| ((i * classes + r) as f64).sin());
            for form in [Form::Dense(gram.as_ref()), Form::Low(rows.as_ref())] {
                let ratios = Mat::from_fn(n, classes, |i, r| s[(i, r)] / w[(i, r)]);
                let (dw, ds, dm) =
                    Newton::new(form, 1.0, ratios.as_ref(), &Silent).unwrap().direction(&t);
                let curved = &gram * &dw;
                for i in 0..n {
                    assert!(dw.row(i).iter().sum::<f64>().abs() < 1e-10);
                    for r in 0..classes {
                        let left = curved[(i, r)] + s[(i, r)] / w[(i, r)] * dw[(i, r)] + dm[(i, 0)];
                        assert!((left - t[(i, r)]).abs() < 1e-8, "{n} {rank} {classes}: {left}");
                        assert!((ds[(i, r)] - dm[(i, 0)] - curved[(i, r)]).abs() < 1e-8);
                    }
                }
            }
        }
    }

    #[test]
    fn large_and_small_weights_mix() {
        // Weights and slacks of a late step: each product is about 1e-9, each ratio 1e15, 1e-15 or
        // 1.
        let (n, rank, classes) = (30, 4, 3);
        let mut stream = Stream::new(8, Purpose::Data, 0);
        let rows = Mat::from_fn(n, rank, |_, _| stream.normal());
        let gram = &rows * rows.transpose();
        let w = Mat::from_fn(n, classes, |i, r| [1e3, 1e-12, 3e-5][(i + r) % 3]);
        let s = Mat::from_fn(n, classes, |i, r| 1e-9 / w[(i, r)]);
        let t = Mat::from_fn(n, classes, |i, r| -s[(i, r)]);
        let ratios = Mat::from_fn(n, classes, |i, r| s[(i, r)] / w[(i, r)]);
        let form = Form::Low(rows.as_ref());
        let (dw, _, dm) = Newton::new(form, 1.0, ratios.as_ref(), &Silent).unwrap().direction(&t);
        let curved = &gram * &dw;
        for i in 0..n {
            for r in 0..classes {
                // Relative to the largest term of the row.
                let terms =
                    [curved[(i, r)], s[(i, r)] / w[(i, r)] * dw[(i, r)], dm[(i, 0)], t[(i, r)]];
                let size = terms.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                assert!(
                    (terms[0] + terms[1] + terms[2] - terms[3]).abs() <= 1e-6 * size,
                    "{i} {r} {terms:?}"
                );
            }
        }
    }
}
