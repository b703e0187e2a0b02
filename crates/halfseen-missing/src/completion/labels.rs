//! Scores labels by a convex loss, and computes the constant b of each label that minimises it.

use halfseen_core::error::{ErrorKind, Result};

/// Loss of one entry of the label matrix, a function of the score u = z + b and the label y.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelLoss {
    /// log(1 + e^(-uy)), for labels -1 and +1.
    Logistic,
    /// (u - y)^2 / 2, for numbers and for rows of 0 and 1.
    Squared,
}

/// Bound on the constants of logistic losses, at which the loss is below 2.1e-9. It is reached only
/// if all labels of a row are equal, so that no finite constant is best.
const LIMIT: f64 = 20.0;

impl LabelLoss {
    /// Returns the largest second derivative by the score.
    pub(super) fn curvature(self) -> f64 {
        match self {
            LabelLoss::Logistic => 0.25,
            LabelLoss::Squared => 1.0,
        }
    }

    pub(super) fn value(self, score: f64, label: f64) -> f64 {
        match self {
            LabelLoss::Logistic => {
                let margin = score * label;
                (-margin).max(0.0) + (-margin.abs()).exp().ln_1p()
            }
            LabelLoss::Squared => 0.5 * (score - label).powi(2),
        }
    }

    /// Returns the derivative of the loss by the score.
    pub(super) fn slope(self, score: f64, label: f64) -> f64 {
        match self {
            LabelLoss::Logistic => -label * against(score * label),
            LabelLoss::Squared => score - label,
        }
    }

    /// Returns the convex conjugate sup_u (v u - loss(u)) at v between 0 and a slope of the loss.
    pub(super) fn conjugate(self, slope: f64, label: f64) -> f64 {
        match self {
            LabelLoss::Logistic => {
                let q = (-slope * label).clamp(0.0, 1.0);
                let entropy = |p: f64| if p > 0.0 { p * p.ln() } else { 0.0 };
                entropy(q) + entropy(1.0 - q)
            }
            LabelLoss::Squared => slope * (0.5 * slope + label),
        }
    }

    pub(super) fn limit(self) -> f64 {
        match self {
            LabelLoss::Logistic => LIMIT,
            LabelLoss::Squared => f64::INFINITY,
        }
    }

    /// Returns the b that minimises sum_j loss(z_j + b, y_j), from a guess; 0 without entries.
    pub(super) fn constant(self, scores: &[f64], labels: &[f64], guess: f64) -> f64 {
        if scores.is_empty() {
            return 0.0;
        }
        match self {
            LabelLoss::Squared => {
                scores.iter().zip(labels).map(|(z, y)| y - z).sum::<f64>() / scores.len() as f64
            }
            LabelLoss::Logistic => newton(scores, labels, guess),
        }
    }

    /// Rejects a label that the loss does not support, by row of the label matrix and item, from 1.
    pub(super) fn check(self, label: f64, row: usize, item: usize) -> Result<()> {
        let column = || format!("label {}", row + 1);
        if !label.is_finite() {
            return Err(
                ErrorKind::NotFinite { row: item + 1, column: column(), value: label }.into()
            );
        }
        if self == LabelLoss::Logistic && label.abs() != 1.0 {
            let problem = format!("row {} is {label}; the logistic loss needs -1 or +1", item + 1);
            return Err(ErrorKind::WrongTarget { column: column(), problem }.into());
        }
        Ok(())
    }
}

/// Returns 1 / (1 + e^margin), the probability of the other class.
fn against(margin: f64) -> f64 {
    let e = (-margin.abs()).exp();
    if margin >= 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// Runs Newton's method in a bracket that each derivative narrows; a step out of it is a bisection.
fn newton(scores: &[f64], labels: &[f64], guess: f64) -> f64 {
    let (mut low, mut high) = (-LIMIT, LIMIT);
    let mut b = guess.clamp(low, high);
    let enough = 1e-15 * scores.len() as f64;
    for _ in 0..200 {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (z, y) in scores.iter().zip(labels) {
            let q = against((z + b) * y);
            slope -= y * q;
            curvature += q * (1.0 - q);
        }
        if slope.abs() <= enough {
            break;
        }
        if slope > 0.0 {
            high = b;
        } else {
            low = b;
        }
        let next = b - slope / curvature;
        // A step to the end of the bracket is a bisection too, which converges to it if needed.
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - b).abs() <= f64::EPSILON * (1.0 + b.abs()) {
            break;
        }
        b = next;
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BOTH: [LabelLoss; 2] = [LabelLoss::Logistic, LabelLoss::Squared];

    #[test]
    fn slopes_are_derivatives_within_the_curvature() {
        for loss in BOTH {
            for y in [-1.0, 1.0] {
                for i in -80..=80 {
                    let (u, h) = (0.1 * f64::from(i), 1e-5);
                    let quotient = (loss.value(u + h, y) - loss.value(u - h, y)) / (2.0 * h);
                    assert!((loss.slope(u, y) - quotient).abs() < 1e-8);
                    let second = (loss.slope(u + h, y) - loss.slope(u - h, y)) / (2.0 * h);
                    assert!(second <= loss.curvature() + 1e-8);
                }
            }
        }
        assert_eq!(LabelLoss::Logistic.value(-800.0, 1.0), 800.0);
        assert_eq!(LabelLoss::Logistic.slope(-1e308, 1.0), -1.0);
    }

    #[test]
    fn the_conjugate_meets_the_loss_where_the_slope_is_its_own() {
        for loss in BOTH {
            for (u, y) in [(0.3, 1.0), (-4.0, 1.0), (2.0, -1.0), (0.0, -1.0)] {
                let v = loss.slope(u, y);
                assert!((loss.value(u, y) + loss.conjugate(v, y) - u * v).abs() < 1e-13);
                // Elsewhere there is a gap (Fenchel and Young).
                for other in [-3.0, 0.1, 5.0] {
                    assert!(loss.value(other, y) + loss.conjugate(v, y) - other * v > -1e-13);
                }
            }
        }
    }

    #[test]
    fn one_class_stops_at_the_limit() {
        for y in [-1.0, 1.0] {
            let b = LabelLoss::Logistic.constant(&[0.1, -0.3], &[y, y], 0.0);
            assert!((b - y * LIMIT).abs() < 1e-9, "{b}");
        }
        assert_eq!(LabelLoss::Squared.constant(&[0.0, 1.0], &[2.0, 2.0], 0.0), 1.5);
        assert_eq!(LabelLoss::Logistic.constant(&[], &[], 3.0), 0.0);
    }

    proptest! {
        #[test]
        fn the_constant_has_slope_zero(
            cells in proptest::collection::vec((-30.0..30.0_f64, any::<bool>()), 1..30), guess in -20.0..20.0_f64
        ) {
            let scores: Vec<f64> = cells.iter().map(|c| c.0).collect();
            let labels: Vec<f64> = cells.iter().map(|c| if c.1 { 1.0 } else { -1.0 }).collect();
            for loss in BOTH {
                let b = loss.constant(&scores, &labels, guess);
                let slope: f64 = scores.iter().zip(&labels).map(|(z, y)| loss.slope(z + b, *y)).sum();
                let at_end = b.abs() > LIMIT - 1e-6 && slope * b < 0.0;
                prop_assert!(slope.abs() < 1e-9 || at_end, "{} at {}", slope, b);
            }
        }
    }
}
