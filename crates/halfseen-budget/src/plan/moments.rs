//! Reduces second moments to the norms in the bounds of Kukliansky and Shamir 2015.

use halfseen_core::error::{ErrorKind, Result};

/// Norms of mu_i = E x_i^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentNorms {
    /// |mu|_1 = E |x|_2^2.
    pub sum: f64,
    /// |mu|_{1/2} = (sum_i sqrt(mu_i))^2: between |mu|_1 and d |mu|_1.
    pub half: f64,
    /// max_i mu_i.
    pub largest: f64,
}

impl MomentNorms {
    /// Returns the norms of these moments.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`] if a moment is negative, NaN or above 1e100, or all are 0.
    pub fn of(moments: &[f64]) -> Result<MomentNorms> {
        let refuse = |value: String, allowed: &str| ErrorKind::OutOfRange {
            name: "moments",
            value,
            allowed: allowed.to_owned(),
        };
        if let Some(wrong) = moments.iter().find(|mu| !(0.0..=1e100).contains(*mu)) {
            return Err(
                refuse(wrong.to_string(), "means of squares, so numbers from 0 to 1e100").into()
            );
        }
        let sum: f64 = moments.iter().sum();
        if sum <= 0.0 {
            return Err(refuse(
                "0 for every attribute".into(),
                "above 0 for one attribute at least",
            )
            .into());
        }
        let root: f64 = moments.iter().map(|mu| mu.sqrt()).sum();
        Ok(MomentNorms {
            sum,
            half: root * root,
            largest: moments.iter().fold(0.0, |a, b| a.max(*b)),
        })
    }

    /// Returns the norms of mu_i = i^-power for i from 1 to `dims`, power >= 0.
    pub fn decaying(dims: u64, power: f64) -> MomentNorms {
        // In increasing order, so that small terms are not absorbed.
        let total = |power: f64| (1..=dims).rev().map(|i| (i as f64).powf(-power)).sum::<f64>();
        MomentNorms { sum: total(power), half: total(power / 2.0).powi(2), largest: 1.0 }
    }

    /// Returns the norms after x is divided by `norm`.
    pub fn divided_by(self, norm: f64) -> MomentNorms {
        let square = norm * norm;
        MomentNorms {
            sum: self.sum / square,
            half: self.half / square,
            largest: self.largest / square,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn norms_by_hand() {
        let norms = MomentNorms::of(&[0.25, 0.0, 0.04]).unwrap();
        assert!((norms.sum - 0.29).abs() < 1e-15 && (norms.half - 0.49).abs() < 1e-15);
        assert_eq!(norms.largest, 0.25);
        let flat = MomentNorms::of(&[0.125; 8]).unwrap();
        assert!((flat.half - 8.0 * flat.sum).abs() < 1e-12);
    }

    #[test]
    fn decaying_is_the_norms_of_the_powers() {
        for power in [0.0, 1.0, 2.0] {
            let moments: Vec<f64> = (1..=300).map(|i| f64::from(i).powf(-power)).collect();
            let (a, b) = (MomentNorms::of(&moments).unwrap(), MomentNorms::decaying(300, power));
            assert!(
                (a.sum / b.sum - 1.0).abs() < 1e-13 && (a.half / b.half - 1.0).abs() < 1e-13,
                "{power}"
            );
            assert_eq!(a.largest, b.largest);
        }
    }

    #[test]
    fn impossible_moments_are_refused() {
        for wrong in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                MomentNorms::of(&[0.5, wrong]).unwrap_err().kind(),
                ErrorKind::OutOfRange { .. }
            ));
        }
        assert!(MomentNorms::of(&[0.0, 0.0]).is_err());
        assert!(MomentNorms::of(&[]).is_err());
    }
}
