//! Factorises small positive definite matrices, those of one example, in given memory.

/// Replaces the lower triangle of a matrix (n, n), row by row, by its Cholesky factor. Returns true
/// if it is positive definite.
#[inline]
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    cholesky_while(a, n, |_| true)
}

/// Does the same, and returns false as soon as `goes_on` does, which is asked before each row.
#[inline]
pub(crate) fn cholesky_while(
    a: &mut [f64],
    n: usize,
    mut goes_on: impl FnMut(usize) -> bool,
) -> bool {
    for i in 0..n {
        if !goes_on(i) {
            return false;
        }
        for j in 0..=i {
            let (head, tail) = a.split_at(i * n);
            let (row_i, row_j) =
                (&tail[..j], if i == j { &tail[..j] } else { &head[j * n..j * n + j] });
            let sum = tail[j] - row_i.iter().zip(row_j).map(|(x, y)| x * y).sum::<f64>();
            if i == j {
                // NaN is not above zero.
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    true
}

/// Solves L x = b in place.
#[inline]
pub(crate) fn forward(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let sum: f64 = l[i * n..i * n + i].iter().zip(&b[..i]).map(|(x, y)| x * y).sum();
        b[i] = (b[i] - sum) / l[i * n + i];
    }
}

/// Solves L' x = b in place.
#[inline]
pub(crate) fn backward(l: &[f64], n: usize, b: &mut [f64]) {
    for i in (0..n).rev() {
        let mut sum = b[i];
        for p in i + 1..n {
            sum -= l[p * n + i] * b[p];
        }
        b[i] = sum / l[i * n + i];
    }
}

/// Returns the inner product.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
