//! Makes a few weighted rows with the number, the means and the second moments of many rows.
//!
//! A fit that depends on its rows only by these finds in the few what it would find in the many. If
//! C = sum (z - mean)(z - mean)' over n rows is l_1 l_1' + ... + l_r l_r' (Cholesky, with the largest
//! pivot first), the rows mean + s l_k and mean - s l_k, each of weight n / (2 r), with s = sqrt(r /
//! n), have the same sums: weights n, products n / (2 r) x 2 s^2 sum l_k l_k' = C.

use faer::Mat;

/// Rows, one after the other, and the weight of each.
#[derive(Debug)]
pub(super) struct Equivalent {
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) weight: f64,
}

/// Returns rows that are equivalent to `count` rows of these means and products about them.
pub(super) fn equivalent(count: f64, mean: &[f64], products: Mat<f64>) -> Equivalent {
    let factors = factors(products);
    if factors.is_empty() {
        return Equivalent { rows: vec![mean.to_vec()], weight: count };
    }
    let rank = factors.len() as f64;
    let scale = (rank / count).sqrt();
    let row = |side: f64, factor: &[f64]| {
        mean.iter().zip(factor).map(|(mean, l)| mean + side * scale * l).collect()
    };
    let rows = factors.iter().flat_map(|l| [row(1.0, l), row(-1.0, l)]).collect();
    Equivalent { rows, weight: count / (2.0 * rank) }
}

/// Returns vectors whose products with themselves add up to a matrix without negative eigenvalues, up
/// to rounding.
fn factors(mut left: Mat<f64>) -> Vec<Vec<f64>> {
    let d = left.nrows();
    let whole: Vec<f64> = (0..d).map(|j| left[(j, j)]).collect();
    // What is left of a column by rounding.
    let noise = 4.0 * f64::EPSILON * d as f64;
    let mut open: Vec<usize> = (0..d).filter(|&j| whole[j] > 0.0).collect();
    let mut factors = Vec::new();
    while let Some(at) = (0..open.len()).max_by(|&a, &b| {
        let share = |at: usize| left[(open[at], open[at])] / whole[open[at]];
        share(a).total_cmp(&share(b))
    }) {
        let pivot = open.swap_remove(at);
        let root = left[(pivot, pivot)];
        if root <= noise * whole[pivot] {
            break;
        }
        let root = root.sqrt();
        let mut factor = vec![0.0; d];
        factor[pivot] = root;
        open.iter().for_each(|&j| factor[j] = left[(j, pivot)] / root);
        for &k in &open {
            let column = left.col_as_slice_mut(k);
            open.iter().for_each(|&j| column[j] -= factor[j] * factor[k]);
        }
        factors.push(factor);
    }
    factors
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    #[test]
    fn count_means_and_products_are_those_of_the_many() {
        let mut stream = Stream::new(3, Purpose::Data, 0);
        for (n, d, rank) in [(50, 4, 4), (7, 5, 5), (40, 6, 2), (3, 1, 1), (9, 3, 0)] {
            let basis = Mat::from_fn(rank, d, |_, _| stream.normal());
            let rows = Mat::from_fn(n, rank, |_, _| stream.normal()) * basis;
            let mean: Vec<f64> =
                (0..d).map(|j| 7.0 * j as f64 + rows.col(j).sum() / n as f64).collect();
            let centred = Mat::from_fn(n, d, |i, j| rows[(i, j)] + 7.0 * j as f64 - mean[j]);
            let products = centred.transpose() * &centred;
            let few = equivalent(n as f64, &mean, products.clone());
            assert!(few.rows.len() <= 2 * rank.clamp(1, d), "{} rows", few.rows.len());
            let total = few.weight * few.rows.len() as f64;
            assert!((total - n as f64).abs() < 1e-12 * n as f64);
            for j in 0..d {
                let sum: f64 = few.rows.iter().map(|row| few.weight * row[j]).sum();
                assert!((sum / total - mean[j]).abs() < 1e-13 * (1.0 + mean[j].abs()));
                for k in 0..d {
                    let of = |row: &Vec<f64>| few.weight * (row[j] - mean[j]) * (row[k] - mean[k]);
                    let sum: f64 = few.rows.iter().map(of).sum();
                    let size = (products[(j, j)] * products[(k, k)]).sqrt();
                    assert!((sum - products[(j, k)]).abs() <= 1e-12 * size.max(1e-300), "{sum}");
                }
            }
        }
    }
}
