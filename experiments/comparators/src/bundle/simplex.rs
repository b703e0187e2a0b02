//! Maximises a concave quadratic over the simplex, exactly on one face after another.
//!
//! The maximum over the affine hull of the corners in use is one solution with their factor. On the
//! way there a corner whose weight falls to 0 leaves; once there, the corner of steepest slope
//! joins (Wolfe, Mathematical Programming 11, 1976). Slopes are computed afresh before each move,
//! so errors of the factor do not add up.

use halfseen_solve::{add_multiple, dot, sum};

/// Share of its diagonal up to which a pivot may be rounding alone, and of its terms a sum.
const PIVOT: f64 = 1e-13;
const ROUNDING: f64 = 1e-15;
/// Least offset, as a share of the largest product.
const OFFSET: f64 = 1e-8;
/// Moves in a row whose gain rounding hides.
const PATIENCE: u32 = 10;

/// Corners of weight above 0, with the Cholesky factor of their products plus `offset`, a constant
/// that keeps affinely independent corners apart and changes nothing where weights sum to 1.
#[derive(Debug, Default)]
pub(super) struct Face {
    corners: Vec<usize>,
    /// L, row by row.
    factor: Vec<Vec<f64>>,
    offset: f64,
    /// Memory for a move, a number for each corner in use.
    direction: Vec<f64>,
    ones: Vec<f64>,
}

impl Face {
    /// Maximises <linear, a> - (q / 2) a' G a over a >= 0, sum a = 1, from a feasible a: the last
    /// call's, unless this face is new. Stops when no slope exceeds that of a corner in use by more
    /// than `tolerance`, which bounds the remaining gain, when rounding hides the gain, or after so
    /// many moves.
    pub(super) fn maximise(
        &mut self,
        gram: &[Vec<f64>],
        q: f64,
        linear: &[f64],
        a: &mut [f64],
        tolerance: f64,
        moves: usize,
    ) {
        if q < f64::MIN_POSITIVE {
            // What is left of the quadratic is 0.
            let best = (1..a.len()).fold(0, |b, i| if linear[i] > linear[b] { i } else { b });
            a.fill(0.0);
            a[best] = 1.0;
            *self = Face::default();
            return;
        }
        let all = sum(a);
        a.iter_mut().for_each(|a| *a /= all);
        self.begin(gram, a);
        let (mut best, mut value) = (a.to_vec(), f64::NEG_INFINITY);
        let mut slope = vec![0.0; a.len()];
        // Whether the last move went to the maximum over the affine hull; moves in a row without
        // a gain that could be seen.
        let (mut arrived, mut idle) = (false, 0);
        for _ in 0..moves {
            slope.copy_from_slice(linear);
            self.corners.iter().for_each(|&j| add_multiple(&mut slope, -q * a[j], &gram[j]));
            let reached = 0.5 * self.sum(|j| (linear[j] + slope[j]) * a[j]);
            let length = self.sum(|j| a[j] * gram[j][j].sqrt());
            let rounding = ROUNDING * (q * length * length + self.sum(|j| a[j] * linear[j].abs()));
            idle = if reached > value + rounding { 0 } else { idle + 1 };
            if reached.is_nan() || reached < value - rounding {
                // The factor misled: the next call has a new one.
                a.copy_from_slice(&best);
                *self = Face::default();
                return;
            }
            if idle == PATIENCE {
                return;
            }
            if reached > value {
                value = reached;
                best.copy_from_slice(a);
            }
            let to = (1..a.len()).fold(0, |top, i| if slope[i] > slope[top] { i } else { top });
            let used = self.corners.iter().map(|&j| slope[j]);
            let least = used.clone().fold(f64::INFINITY, f64::min);
            let most = used.fold(f64::NEG_INFINITY, f64::max);
            if slope[to] - least <= tolerance {
                return;
            }
            let level = arrived || most - least <= tolerance;
            if level && a[to] == 0.0 {
                self.join(to, gram);
            }
            arrived = self.rise(q, &slope, a);
        }
    }

    /// Factors anew where there is no factor yet, or one with an offset far from the middle of the
    /// diagonal: a pivot must stand out from the offset, and the offset from the products.
    fn begin(&mut self, gram: &[Vec<f64>], a: &[f64]) {
        let diagonal =
            gram.iter().enumerate().map(|(j, row)| row[j]).filter(|&square| square > 0.0);
        let (least, most) = diagonal.fold((f64::INFINITY, 0.0_f64), |(least, most), square| {
            (least.min(square), most.max(square))
        });
        let offset = if most > 0.0 { (least.sqrt() * most.sqrt()).max(OFFSET * most) } else { 1.0 };
        if self.corners.is_empty() || !(0.1..10.0).contains(&(offset / self.offset)) {
            *self = Face { offset, ..Face::default() };
            (0..a.len()).filter(|&j| a[j] > 0.0).for_each(|j| self.join(j, gram));
        }
    }

    fn sum(&self, term: impl Fn(usize) -> f64) -> f64 {
        self.corners.iter().map(|&j| term(j)).sum()
    }

    /// Moves to the maximum over the affine hull; `false` if a corner leaves on the way, or if a number
    /// is out of range.
    fn rise(&mut self, q: f64, slope: &[f64], a: &mut [f64]) -> bool {
        let Face { corners, factor, direction, ones, .. } = self;
        let first = slope[corners[0]];
        direction.clear();
        direction.extend(corners.iter().map(|&j| (slope[j] - first) / q));
        ones.clear();
        ones.resize(corners.len(), 1.0);
        for b in [&mut *direction, &mut *ones] {
            forward(factor, b);
            backward(factor, b);
        }
        let kept = -sum(direction) / sum(ones);
        add_multiple(direction, kept, ones);
        // Where the two nearly cancel, their rounding is no small part of what is left.
        let rest = sum(direction) / direction.len() as f64;
        if !rest.is_finite() {
            return false;
        }
        direction.iter_mut().for_each(|by| *by -= rest);
        self.go(a)
    }

    /// Adds a corner. One that the others nearly span gets a larger pivot: where curvature is
    /// overstated, moves are too short, not too long.
    fn join(&mut self, to: usize, gram: &[Vec<f64>]) {
        let mut row = Vec::with_capacity(self.corners.len() + 1);
        row.extend(self.corners.iter().map(|&j| gram[to][j] + self.offset));
        forward(&self.factor, &mut row);
        let diagonal = gram[to][to] + self.offset;
        let pivot = (diagonal - dot(&row, &row)).max(PIVOT * diagonal);
        row.push(pivot.sqrt());
        self.factor.push(row);
        self.corners.push(to);
    }

    /// Moves as far as no weight falls below 0; `false` if that is not all the way, and a corner
    /// leaves.
    fn go(&mut self, a: &mut [f64]) -> bool {
        let (mut length, mut empty) = (1.0, None);
        for (&j, &by) in self.corners.iter().zip(&self.direction) {
            if by < 0.0 && a[j] + length * by <= 0.0 {
                (length, empty) = (-a[j] / by, Some(j));
            }
        }
        for (&j, by) in self.corners.iter().zip(&self.direction) {
            a[j] = if empty == Some(j) { 0.0 } else { (a[j] + length * by).max(0.0) };
        }
        for at in (0..self.corners.len()).rev() {
            if a[self.corners[at]] == 0.0 {
                self.leave(at);
            }
        }
        empty.is_none()
    }

    /// Removes a corner.
    fn leave(&mut self, at: usize) {
        self.corners.remove(at);
        self.factor.remove(at);
        // The later rows have one entry too many: rotations move it out.
        for k in at..self.factor.len() {
            let (left, right) = (self.factor[k][k], self.factor[k][k + 1]);
            let length = left.hypot(right);
            let (cos, sin) = (left / length, right / length);
            for row in &mut self.factor[k..] {
                let (left, right) = (row[k], row[k + 1]);
                (row[k], row[k + 1]) = (cos * left + sin * right, cos * right - sin * left);
            }
            self.factor[k].truncate(k + 1);
        }
    }
}

/// Solves L x = b in place.
fn forward(factor: &[Vec<f64>], b: &mut [f64]) {
    for (i, row) in factor.iter().enumerate() {
        b[i] = (b[i] - dot(&row[..i], &b[..i])) / row[i];
    }
}

/// Solves L' x = b in place.
fn backward(factor: &[Vec<f64>], b: &mut [f64]) {
    for (i, row) in factor.iter().enumerate().rev() {
        b[i] /= row[i];
        let x = b[i];
        add_multiple(&mut b[..i], -x, &row[..i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    /// Products of vectors of five numbers of these sizes.
    fn products(stream: &mut Stream, sizes: &[f64]) -> Vec<Vec<f64>> {
        let vector = |size: &f64| (0..5).map(|_| size * stream.normal()).collect();
        let vectors: Vec<Vec<f64>> = sizes.iter().map(vector).collect();
        vectors.iter().map(|u| vectors.iter().map(|v| dot(u, v)).collect()).collect()
    }

    /// By how much the largest slope exceeds the least in use.
    fn excess(gram: &[Vec<f64>], q: f64, linear: &[f64], a: &[f64]) -> f64 {
        assert!((sum(a) - 1.0).abs() < 1e-9 && a.iter().all(|v| *v >= 0.0));
        let slope: Vec<f64> = gram.iter().zip(linear).map(|(g, l)| l - q * dot(g, a)).collect();
        let used = slope.iter().zip(a).filter(|(_, a)| **a > 0.0).map(|(slope, _)| *slope);
        slope.iter().fold(f64::MIN, |top, s| top.max(*s)) - used.fold(f64::MAX, f64::min)
    }

    #[test]
    fn the_maximum_has_equal_slopes_where_it_is_used_and_no_larger_ones() {
        let mut stream = Stream::new(2, Purpose::Data, 0);
        for n in [1, 2, 3, 10, 40, 200] {
            let gram = products(&mut stream, &vec![1.0; n]);
            let linear: Vec<f64> = (0..n).map(|_| stream.unit()).collect();
            let mut a = vec![0.0; n];
            a[0] = 1.0;
            Face::default().maximise(&gram, 0.7, &linear, &mut a, 1e-9, 1_000);
            let excess = excess(&gram, 0.7, &linear, &a);
            assert!(excess < 1e-8, "{n}: {excess}");
        }
    }

    #[test]
    fn corners_that_come_one_by_one_ever_smaller_and_twice_are_no_obstacle() {
        // As cuts do on the way to a minimum, where q grows with C.
        let (mut stream, n) = (Stream::new(3, Purpose::Data, 0), 120);
        let sizes: Vec<f64> = (0..n).map(|k| 10_f64.powf(-f64::from(k / 2) / 10.0)).collect();
        let mut gram = products(&mut stream, &sizes);
        let mut linear: Vec<f64> = (0..n).map(|_| stream.unit()).collect();
        for k in (1..gram.len()).step_by(2) {
            gram[k] = gram[k - 1].clone();
            gram.iter_mut().for_each(|row| row[k] = row[k - 1]);
            linear[k] = linear[k - 1];
        }
        for power in [0, 6, 12] {
            let (mut face, mut a, q) = (Face::default(), vec![1.0], 10_f64.powi(power));
            for n in 1..=gram.len() {
                let gram: Vec<Vec<f64>> = gram[..n].iter().map(|row| row[..n].to_vec()).collect();
                a.resize(n, 0.0);
                face.maximise(&gram, q, &linear[..n], &mut a, 1e-9, 1_000);
                let excess = excess(&gram, q, &linear[..n], &a);
                let rounding = 1e-13 * q * gram[n - 1][n - 1].max(gram[0][0] * a[0]);
                assert!(excess < 1e-8 + rounding, "q {q}, {n}: {excess}");
            }
        }
    }
}
