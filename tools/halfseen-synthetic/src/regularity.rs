//! Measures how well the observed values determine a row of a known subspace.

use faer::{Mat, MatRef};
use halfseen::error::{ErrorKind, Result};
use halfseen::solve::{eigenvalues, multiply};

/// Eigenvalues below this are taken for zero.
const ZERO: f64 = 1e-12;
const ORTHONORMAL: f64 = 1e-8;

/// Regularity of a subspace over patterns of observed attributes (Hazan et al. 2015, definition 1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Regularity {
    /// kappa: the smallest non-zero eigenvalue of (P_E)_oo over the patterns o, at most 1. It is
    /// the square of the smallest non-zero singular value of P_o P_E, the paper's lambda. 1 if
    /// nothing is observed.
    pub kappa: f64,
    /// Number of patterns that do not determine the row: ker(P_o P_E) is larger than ker(P_E). With
    /// such patterns the theorems hold for no kappa.
    pub undetermined: usize,
}

impl Regularity {
    /// Returns the kappa for which the theorems hold, if one exists.
    pub fn regular(self) -> Option<f64> {
        (self.undetermined == 0).then_some(self.kappa)
    }
}

/// Returns the regularity of one pattern. `basis` holds orthonormal columns that span E, (d, r);
/// `observed`, (d), marks the observed columns of the row.
///
/// # Errors
/// A basis that is not orthonormal, a pattern of another length; numerical failure.
pub fn kappa(basis: MatRef<'_, f64>, observed: &[bool]) -> Result<Regularity> {
    kappa_over(basis, [observed])
}

/// Returns the regularity over all patterns: the least kappa, and the number of patterns that do
/// not determine the row.
///
/// # Errors
/// As [`kappa`].
pub fn kappa_over<P: AsRef<[bool]>>(
    basis: MatRef<'_, f64>,
    patterns: impl IntoIterator<Item = P>,
) -> Result<Regularity> {
    check_orthonormal(basis)?;
    let mut whole = Regularity { kappa: 1.0, undetermined: 0 };
    for pattern in patterns {
        let one = of_pattern(basis, pattern.as_ref())?;
        whole.kappa = whole.kappa.min(one.kappa);
        whole.undetermined += one.undetermined;
    }
    Ok(whole)
}

/// With U the basis and U_o its observed rows, (P_E)_oo = U_o U_o' has the non-zero eigenvalues of
/// U_o' U_o, (r, r).
fn of_pattern(basis: MatRef<'_, f64>, observed: &[bool]) -> Result<Regularity> {
    let (d, rank) = (basis.nrows(), basis.ncols());
    if observed.len() != d {
        let what = "columns of the pattern".to_owned();
        return Err(ErrorKind::WrongLength { what, expected: d, found: observed.len() }.into());
    }
    let seen: Vec<usize> = (0..d).filter(|&j| observed[j]).collect();
    let rows = Mat::from_fn(seen.len(), rank, |i, k| basis[(seen[i], k)]);
    let values = eigenvalues(&products(rows.as_ref()))?;
    let nonzero = values.iter().copied().filter(|l| *l > ZERO);
    let undetermined = usize::from(nonzero.clone().count() < rank);
    Ok(Regularity { kappa: nonzero.fold(1.0, f64::min), undetermined })
}

/// B'B.
fn products(b: MatRef<'_, f64>) -> Mat<f64> {
    let mut products = Mat::zeros(b.ncols(), b.ncols());
    multiply(products.as_mut(), b.transpose(), b);
    products
}

fn check_orthonormal(basis: MatRef<'_, f64>) -> Result<()> {
    let products = products(basis);
    for k in 0..basis.ncols() {
        for l in 0..basis.ncols() {
            let off = (products[(k, l)] - f64::from(k == l)).abs();
            // Written so that NaN is rejected.
            if off.partial_cmp(&ORTHONORMAL) != Some(std::cmp::Ordering::Less) {
                let value = format!("{} between vectors {} and {}", products[(k, l)], k + 1, l + 1);
                let allowed =
                    "orthonormal: products of 1 with themselves and 0 with each other".to_owned();
                return Err(ErrorKind::OutOfRange { name: "basis", value, allowed }.into());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns (1 - kappa)^gamma / kappa, which bounds the error of a sum truncated after gamma
    /// terms (Hazan et al. 2015, lemma 2).
    fn truncation_error(gamma: i32, kappa: f64) -> f64 {
        (1.0 - kappa).powi(gamma) / kappa
    }

    #[test]
    fn the_printed_bound_with_the_singular_value_is_violated() {
        for angle in [0.3_f64, 0.8, 1.2] {
            let u = Mat::from_fn(2, 1, |j, _| if j == 0 { angle.cos() } else { angle.sin() });
            let Regularity { kappa, undetermined } = kappa(u.as_ref(), &[true, false]).unwrap();
            let singular = angle.cos();
            assert!((kappa - singular * singular).abs() < 1e-12 && undetermined == 0);
            // x = (1, tan), w = (1, 0), Q = I - U U': the sum over j < gamma of Q_11^j.
            let rest = 1.0 - singular * singular;
            for gamma in [1, 3, 8] {
                let sum: f64 = (0..gamma).map(|j| rest.powi(j)).sum();
                let error = (1.0 / (1.0 - rest) - sum).abs();
                let [squared, printed] = [kappa, singular].map(|k| truncation_error(gamma, k));
                assert!((error / squared - 1.0).abs() < 1e-6, "attained: {error} {squared}");
                assert!(error > 1.01 * printed, "{error} is within the printed {printed}");
            }
        }
    }

    #[test]
    fn a_row_that_is_not_determined_is_counted() {
        let half = 0.5_f64.sqrt();
        let pair = |j: usize, k: usize| if j % 2 == k { half } else { 0.0 };
        let u = Mat::from_fn(4, 2, pair);
        let odd = [true, false, true, false];
        let one = kappa(u.as_ref(), &odd).unwrap();
        assert!((one.kappa - 1.0).abs() < 1e-12 && one.undetermined == 1);
        assert!(one.regular().is_none());
        let patterns = [odd, [true, true, false, false], [true; 4], [false; 4]];
        let all = kappa_over(u.as_ref(), patterns).unwrap();
        assert!((all.kappa - 0.5).abs() < 1e-12 && all.undetermined == 2);
        assert!(kappa(u.as_ref(), &[true; 3]).is_err());
        let skew = Mat::from_fn(4, 2, |j, k| pair(j, k) + 0.1);
        assert!(matches!(
            kappa(skew.as_ref(), &odd).unwrap_err().kind(),
            ErrorKind::OutOfRange { name: "basis", .. }
        ));
        let holes = Mat::from_fn(4, 1, |_, _| f64::NAN);
        assert!(kappa(holes.as_ref(), &odd).is_err());
    }
}
