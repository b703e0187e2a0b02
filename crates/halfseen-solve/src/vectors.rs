//! Sums vectors in eight partial sums that the processor computes in parallel.

const LANES: usize = 8;

/// Computes sum += factor * vector.
#[inline(always)]
pub fn add_multiple(sum: &mut [f64], factor: f64, vector: &[f64]) {
    for (sum, x) in sum.iter_mut().zip(vector) {
        *sum += factor * x;
    }
}

/// Returns the sum.
#[inline(always)]
pub fn sum(vector: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let parts = vector.chunks_exact(LANES);
    let rest: f64 = parts.remainder().iter().sum();
    for part in parts {
        for lane in 0..LANES {
            sums[lane] += part[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Returns the sum of the terms from 0 to `count`; slices that the terms read should be as long.
#[inline(always)]
pub fn sum_of(count: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let whole = count - count % LANES;
    for first in (0..whole).step_by(LANES) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum += term(first + lane);
        }
    }
    sums.iter().sum::<f64>() + (whole..count).map(term).sum::<f64>()
}

/// Returns the scalar product.
#[inline(always)]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in left.zip(right) {
        for lane in 0..LANES {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// Returns the sum of the squares.
pub fn square(vector: &[f64]) -> f64 {
    dot(vector, vector)
}
