//! Defines the interface of joint covariances of attributes and target.

use super::factor::Factor;
use super::precision::Precision;
use super::small_cholesky::dot;
use halfseen_solve::Watch;

/// A joint covariance in standard units, with means.
pub(crate) trait Covariance {
    /// Writes the full block of some places and, last, the target, row by row: (n + 1, n + 1).
    fn block(&self, places: &[u32], out: &mut [f64]);

    /// Returns the mean of a place, as a correction of the mean of its reads.
    fn mean(&self, place: usize) -> f64;

    /// Returns the same for the target.
    fn target_mean(&self) -> f64;

    /// Returns the covariance of a place with the target.
    fn of_target(&self, place: usize) -> f64;

    /// Returns the variance of the target.
    fn target_variance(&self) -> f64;

    /// Returns S_xx v, (n_places).
    fn times(&self, v: &[f64]) -> Vec<f64>;

    /// Returns the model that the covariances of the places are those of, if they are.
    fn factors(&self) -> Option<&Factor> {
        None
    }

    /// Returns the number of places, if blocks may be solved by the inverse of the whole covariance.
    fn invertible(&self) -> Option<usize> {
        None
    }

    /// Returns that inverse, with a ridge on the places. `None` if it is of no use, if the covariance
    /// is not positive definite, or if the monitor asked to stop.
    fn precision(&self, _ridge: f64, _watch: &mut Watch<'_>) -> Option<Precision> {
        None
    }
}

/// Computes the log-likelihood of one example by a dense inverse.
#[cfg(test)]
pub(crate) fn likelihood(
    covariance: &impl Covariance,
    rows: &super::standard::Rows,
    example: usize,
) -> f64 {
    use faer::Mat;
    use faer::linalg::solvers::DenseSolveCore;
    let (places, values, y) = rows.example(example);
    let side = places.len() + 1;
    let mut block = vec![0.0; side * side];
    covariance.block(places, &mut block);
    let n = if y.is_nan() { places.len() } else { side };
    if n == 0 {
        return 0.0;
    }
    let block = Mat::from_fn(n, n, |a, b| block[a * side + b]);
    let mean = |a: usize| {
        if a < places.len() {
            covariance.mean(places[a] as usize)
        } else {
            covariance.target_mean()
        }
    };
    let x = Mat::from_fn(n, 1, |a, _| values.get(a).unwrap_or(&y) - mean(a));
    let misfit = (x.transpose() * block.partial_piv_lu().inverse() * &x)[(0, 0)];
    -0.5 * (block.determinant().ln() + misfit + n as f64 * std::f64::consts::TAU.ln())
}

impl Covariance for Factor {
    #[inline]
    fn block(&self, places: &[u32], out: &mut [f64]) {
        let n = places.len() + 1;
        for (a, &j) in places.iter().enumerate() {
            let row = self.row(j as usize);
            for (c, &l) in places[..a].iter().enumerate() {
                let value = dot(row, self.row(l as usize));
                (out[a * n + c], out[c * n + a]) = (value, value);
            }
            out[a * n + a] = dot(row, row) + self.noise[j as usize];
            let value = dot(row, &self.target);
            (out[a * n + n - 1], out[(n - 1) * n + a]) = (value, value);
        }
        out[n * n - 1] = dot(&self.target, &self.target) + self.target_noise;
    }

    #[inline]
    fn mean(&self, place: usize) -> f64 {
        self.means[place]
    }

    #[inline]
    fn target_mean(&self) -> f64 {
        self.target_mean
    }

    #[inline]
    fn of_target(&self, place: usize) -> f64 {
        dot(self.row(place), &self.target)
    }

    #[inline]
    fn target_variance(&self) -> f64 {
        dot(&self.target, &self.target) + self.target_noise
    }

    fn factors(&self) -> Option<&Factor> {
        Some(self)
    }

    /// Takes O(d r).
    fn times(&self, v: &[f64]) -> Vec<f64> {
        let mut inner = vec![0.0; self.rank];
        for (j, v) in v.iter().enumerate() {
            inner.iter_mut().zip(self.row(j)).for_each(|(s, w)| *s += w * v);
        }
        (0..v.len()).map(|j| dot(self.row(j), &inner) + self.noise[j] * v[j]).collect()
    }
}
