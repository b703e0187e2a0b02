//! Inverts whole covariances, and sums what examples that lack little say of them (`lacking.rs`).

use super::workspace::fit;
use faer::{Accum, Mat, MatRef, Par};
use halfseen_solve::cholesky::{factor_in_place, invert, log_determinant};
use halfseen_solve::{Monitor, Watch, lower_product, mirror, multiply, product};

/// Columns of a product between two looks at the monitor.
const PANEL: usize = 256;

/// Inverse of the covariance of all places and, last, the target.
#[derive(Debug)]
pub(crate) struct Precision {
    pub(crate) matrix: Mat<f64>,
    /// Logarithm of the covariance's determinant.
    pub(crate) log: f64,
}

impl Precision {
    /// Inverts a covariance, of which the lower triangle is read, and which is overwritten. `None`
    /// if it is not positive definite, or the monitor asked to stop.
    pub(crate) fn of(mut covariance: Mat<f64>, watch: &mut Watch<'_>) -> Option<Precision> {
        let size = covariance.nrows();
        if watch.stops_after(size * size * size) {
            return None;
        }
        factor_in_place(covariance.as_mut(), Par::Seq).ok()?;
        let log = log_determinant(covariance.as_ref());
        let mut matrix = Mat::zeros(size, size);
        invert(covariance.as_ref(), matrix.as_mut());
        mirror(&mut matrix, 1.0);
        Some(Precision { matrix, log })
    }

    pub(crate) fn size(&self) -> usize {
        self.matrix.nrows()
    }
}

/// Sum of what examples say of a covariance, not yet in full.
#[derive(Debug)]
pub(crate) struct Pending {
    /// Sum of K_mm^-1, at m, its lower triangle.
    sum: Mat<f64>,
    /// Of the weights.
    weight: f64,
}

impl Pending {
    pub(crate) fn new() -> Pending {
        Pending { sum: Mat::new(), weight: 0.0 }
    }

    /// Begins a sum.
    pub(crate) fn clear(&mut self) {
        self.sum.fill(0.0);
        self.weight = 0.0;
    }

    /// Adds K_mm^-1, given by its lower triangle, of examples of this weight together. The places m
    /// increase.
    pub(crate) fn add(
        &mut self,
        precision: &Precision,
        weight: f64,
        places: &[usize],
        inverse: MatRef<'_, f64>,
    ) {
        fit(&mut self.sum, precision.size(), precision.size());
        for (c, &place) in places.iter().enumerate() {
            let to = self.sum.col_as_slice_mut(place);
            let others = places.iter().enumerate().skip(c);
            others.for_each(|(a, &other)| to[other] += weight * inverse[(a, c)]);
        }
        self.weight += weight;
    }

    /// Subtracts the sum of T^-1 from a score's lower triangle; returns false if the monitor asked to
    /// stop. Overwrites `room` and the sum.
    pub(crate) fn settle(
        &mut self,
        precision: &Precision,
        score: &mut Mat<f64>,
        room: &mut Mat<f64>,
        monitor: &dyn Monitor,
    ) -> bool {
        if self.weight == 0.0 {
            return true;
        }
        let of = &precision.matrix;
        for j in 0..of.ncols() {
            let to = score.col_as_slice_mut(j)[j..].iter_mut();
            to.zip(&of.col_as_slice(j)[j..]).for_each(|(to, k)| *to -= self.weight * k);
        }
        mirror(&mut self.sum, 1.0);
        sandwich((of, &self.sum), room, score, Accum::Add, 1.0, monitor)
    }
}

/// Writes (or adds) times S A S, its lower triangle, panel by panel; returns false if the monitor
/// asked to stop. Overwrites `half`.
pub(crate) fn sandwich(
    (outer, inner): (&Mat<f64>, &Mat<f64>),
    half: &mut Mat<f64>,
    out: &mut Mat<f64>,
    accum: Accum,
    times: f64,
    monitor: &dyn Monitor,
) -> bool {
    let (outer, inner, size) = (outer.as_ref(), inner.as_ref(), outer.nrows());
    for at in (0..size).step_by(PANEL) {
        let width = PANEL.min(size - at);
        let to = half.subcols_mut(at, width);
        multiply(to, outer, inner.subcols(at, width));
        if monitor.should_stop() {
            return false;
        }
    }
    for at in (0..size).step_by(PANEL) {
        let width = PANEL.min(size - at);
        let below = at + width;
        let (half, right) = (half.as_ref(), outer.subcols(at, width));
        let to = out.submatrix_mut(at, at, width, width);
        lower_product(to, accum, half.subrows(at, width), right, times);
        let rest = size - below;
        let to = out.submatrix_mut(below, at, rest, width);
        let left = half.subrows(below, rest);
        product(to, accum, left, right, times);
        if monitor.should_stop() {
            return false;
        }
    }
    true
}
