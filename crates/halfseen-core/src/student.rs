//! Computes quantiles of Student's t.
//!
//! Source: G. Hill, "Algorithm 396: Student's t-quantiles", Communications of the ACM 1970; correct
//! to six digits or more.

use crate::normal;
use std::f64::consts::{FRAC_PI_2, PI};

/// Returns the t with P(T > t) = `tail`, from above 0 to 1/2, for at least 1 degree of freedom.
pub(crate) fn upper_quantile(tail: f64, degrees: f64) -> f64 {
    let (n, both) = (degrees, 2.0 * tail);
    if (n - 1.0).abs() < 1e-9 {
        return 1.0 / (both * FRAC_PI_2).tan();
    }
    if (n - 2.0).abs() < 1e-9 {
        return (2.0 / (both * (2.0 - both)) - 2.0).max(0.0).sqrt();
    }
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20_700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * PI / 2.0).sqrt() * n;
    let mut y = (d * both).powf(2.0 / n);
    if y > 0.05 + a {
        let x = -normal::upper_quantile(tail);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        let first = 1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0);
        y = ((first + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0) / (n + 2.0) + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [
            (1.0, 0.05, 6.313_751_5),
            (2.0, 0.05, 2.919_985_6),
            (3.0, 0.05, 2.353_363_4),
            (5.0, 0.05, 2.015_048_4),
            (8.0, 0.005, 3.355_387_3),
            (30.0, 0.05, 1.697_260_9),
            (200.0, 0.025, 1.971_896_2),
            (4.0, 0.25, 0.740_697_1),
        ];
        for (n, tail, expected) in table {
            let quantile = upper_quantile(tail, n);
            assert!(
                (quantile - expected).abs() < 2e-3 * expected / n + 1e-5,
                "{n} {tail}: {quantile}, {expected}"
            );
        }
        let (far, normal) = (upper_quantile(0.05, 1e7), crate::normal::upper_quantile(0.05));
        assert!((far - normal).abs() < 1e-6, "{far} and {normal}");
    }
}
