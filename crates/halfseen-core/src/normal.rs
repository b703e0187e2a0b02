//! Computes the distribution function of the standard normal, its logarithm and its quantiles.
//!
//! For |x| < 3 by the series x + x^3/3 + x^5/15 + ... (G. Marsaglia, "Evaluating the normal
//! distribution", Journal of Statistical Software 2004), beyond by Laplace's continued fraction of
//! the tail, which keeps its relative precision.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// From here on the tail is computed by a continued fraction.
const FAR: f64 = 3.0;
/// Number of its terms: beyond 3 the truncation error is below rounding.
const TERMS: u32 = 80;

/// Returns the density at x.
pub(crate) fn density(x: f64) -> f64 {
    (-0.5 * x * x).exp() * FRAC_1_SQRT_2 / PI.sqrt()
}

/// Returns P(Z <= x).
pub(crate) fn below(x: f64) -> f64 {
    if x >= FAR {
        1.0 - density(x) * tail_ratio(x)
    } else if x > -FAR {
        0.5 + density(x) * series(x)
    } else {
        density(x) * tail_ratio(-x)
    }
}

/// Returns log P(Z <= x), finite if x^2 is.
pub(crate) fn log_below(x: f64) -> f64 {
    if x > -FAR { below(x).ln() } else { tail_ratio(-x).ln() - 0.5 * x * x - 0.5 * (2.0 * PI).ln() }
}

/// Returns the density over P(Z <= x), the derivative of [`log_below`].
pub(crate) fn slope_of_log_below(x: f64) -> f64 {
    if x > -FAR { density(x) / below(x) } else { 1.0 / tail_ratio(-x) }
}

/// Returns the x with P(Z > x) = `tail`, from above 0 to 1/2, by bisection to the last bit.
pub fn upper_quantile(tail: f64) -> f64 {
    let (mut low, mut high) = (0.0, 40.0);
    loop {
        let middle: f64 = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if below(-middle) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// Returns (P(Z <= x) - 1/2) over the density, for |x| of at most 3.
fn series(x: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    loop {
        odd += 2.0;
        term *= x * x / odd;
        let next = sum + term;
        if next == sum || next.is_nan() {
            return sum;
        }
        sum = next;
    }
}

/// Returns P(Z > x) over the density, for x from 3: 1 / (x + 1 / (x + 2 / (x + ...))).
fn tail_ratio(x: f64) -> f64 {
    1.0 / (1..=TERMS).rev().fold(x, |rest, n| x + f64::from(n) / rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_tables() {
        // Abramowitz and Stegun, table 26.1 and 26.2, and log tails from the asymptotic expansion.
        for (x, p) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (2.0, 0.977_249_868_051_821),
            (-1.0, 0.158_655_253_931_457),
            (-3.0, 1.349_898_031_630_09e-3),
            (-5.0, 2.866_515_718_791_94e-7),
            (-10.0, 7.619_853_024_160_53e-24),
        ] {
            assert!((below(x) / p - 1.0).abs() < 2e-12, "{x}: {} and {p}", below(x));
        }
        for (tail, x) in
            [(0.5, 0.0), (0.025, 1.959_963_984_540_054), (0.005, 2.575_829_303_548_901)]
        {
            assert!((upper_quantile(tail) - x).abs() < 1e-13, "{}", upper_quantile(tail));
        }
        assert!((upper_quantile(1e-15) - 7.941_345_326_170_998).abs() < 1e-9);
    }

    #[test]
    fn the_two_branches_meet_and_the_slope_is_one() {
        for side in [-FAR, FAR] {
            let (a, b) = (below(side * (1.0 - 1e-15)), below(side * (1.0 + 1e-15)));
            assert!((a / b - 1.0).abs() < 1e-12, "{a} and {b}");
        }
        let mut before = f64::NEG_INFINITY;
        for step in -400..=400 {
            let x = f64::from(step) / 10.0;
            let value = log_below(x);
            assert!(value.is_finite() && value >= before, "{x}");
            before = value;
            let slope = (log_below(x + 1e-5) - log_below(x - 1e-5)) / 2e-5;
            let actual = slope_of_log_below(x);
            assert!((actual - slope).abs() < 1e-6 * (1.0 + slope), "{x}: {actual} and {slope}");
            assert!((below(x) + below(-x) - 1.0).abs() < 1e-15);
        }
    }
}
