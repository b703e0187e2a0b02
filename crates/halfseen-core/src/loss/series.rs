//! Computes the power series of the functions in the derivatives of losses.

use std::f64::consts::{FRAC_2_PI, FRAC_2_SQRT_PI, PI};

/// Function g(u) = sum_n a_n u^n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerSeries {
    /// The error function: a_(2k+1) = (2/sqrt pi) (-1)^k / (k! (2k+1)). Entire.
    Erf,
    /// The exponential: a_n = 1/n!. Entire.
    Exp,
    /// The hyperbolic tangent; poles at +-i pi/2, so the series converges for |u| < pi/2 only.
    Tanh,
}

/// Order from which the poles nearest to 0 give a coefficient of tanh to the last bit.
const FAR: u32 = 64;

impl PowerSeries {
    /// Returns g(u).
    pub fn value(self, u: f64) -> f64 {
        match self {
            PowerSeries::Erf => erf(u),
            PowerSeries::Exp => u.exp(),
            PowerSeries::Tanh => u.tanh(),
        }
    }

    /// Returns true if a_n = 0.
    #[inline]
    pub fn vanishes(self, order: u32) -> bool {
        self != PowerSeries::Exp && order.is_multiple_of(2)
    }

    /// Returns a_n.
    pub fn coefficient(self, order: u32) -> f64 {
        if self.vanishes(order) {
            return 0.0;
        }
        match self {
            PowerSeries::Erf => {
                let k = order / 2;
                (1..=k).fold(FRAC_2_SQRT_PI, |a, i| -a / f64::from(i)) / f64::from(order)
            }
            PowerSeries::Exp => (1..=order).fold(1.0, |a, i| a / f64::from(i)),
            PowerSeries::Tanh => tanh_coefficient(order),
        }
    }

    /// Returns sum_n 2^(n+1) a_n^2 s^n: the second moment of an estimate whose order n has
    /// probability 2^-(n+1) and whose factors have second moment s >= 0. At most [`f64::MAX`],
    /// which also stands for divergence.
    pub fn second_moment(self, s: f64) -> f64 {
        let first = match self {
            PowerSeries::Exp => 0,
            PowerSeries::Erf | PowerSeries::Tanh => 1,
        };
        let step = if first == 0 { 1 } else { 2 };
        let mut term =
            2_f64.powi(first as i32 + 1) * self.coefficient(first).powi(2) * s.powi(first as i32);
        let (mut sum, mut order) = (0.0, first);
        while term > 1e-17 * sum && sum < f64::MAX {
            sum += term;
            let next = order + step;
            let ratio = match self {
                PowerSeries::Exp => 1.0 / f64::from(next),
                PowerSeries::Erf => f64::from(order) / (f64::from(next) * f64::from(next / 2)),
                PowerSeries::Tanh if order >= FAR => FRAC_2_PI * FRAC_2_PI,
                PowerSeries::Tanh => self.coefficient(next) / self.coefficient(order),
            };
            term *= (2.0 * s).powi(step as i32) * ratio * ratio;
            order = next;
            if order > 100_000 {
                return f64::MAX;
            }
        }
        sum.min(f64::MAX)
    }

    /// Returns the value of sqrt(s) from which [`PowerSeries::second_moment`] diverges: the radius of
    /// convergence over sqrt 2; `None` for entire functions.
    pub fn reach(self) -> Option<f64> {
        (self == PowerSeries::Tanh).then_some(PI / 8_f64.sqrt())
    }
}

/// Computes (2/sqrt pi) e^(-u^2) sum_n 2^n u^(2n+1) / (2n+1)!!, whose terms all have the sign of u.
pub(super) fn erf(u: f64) -> f64 {
    if u.abs() > 6.0 {
        // erfc(6) = 2e-17.
        return u.signum();
    }
    let (mut term, mut sum, mut odd) = (u, u, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= 2.0 * u * u / odd;
        sum += term;
    }
    FRAC_2_SQRT_PI * (-u * u).exp() * sum
}

/// Uses tanh' = 1 - tanh^2 for low orders, and for high ones the poles at +-i pi/2: 2 (-1)^k
/// (2/pi)^(n+1), n = 2k + 1.
fn tanh_coefficient(order: u32) -> f64 {
    let sign = if (order / 2).is_multiple_of(2) { 1.0 } else { -1.0 };
    if order >= FAR {
        return 2.0 * sign * FRAC_2_PI.powi(order as i32 + 1);
    }
    let mut a = [0.0; FAR as usize];
    a[1] = 1.0;
    for n in (3..=order as usize).step_by(2) {
        let square: f64 = (1..n - 1).step_by(2).map(|i| a[i] * a[n - 1 - i]).sum();
        a[n] = -square / n as f64;
    }
    a[order as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial_sum(series: PowerSeries, u: f64, orders: u32) -> f64 {
        (0..orders).map(|n| series.coefficient(n) * u.powi(n as i32)).sum()
    }

    #[test]
    fn coefficients_are_those_of_the_functions() {
        for i in -12..=12 {
            let u = 0.1 * f64::from(i);
            for series in [PowerSeries::Erf, PowerSeries::Exp, PowerSeries::Tanh] {
                let (partial, expected) = (partial_sum(series, u, 200), series.value(u));
                assert!(
                    (partial - expected).abs() < 1e-13,
                    "{series:?} at {u}: {partial} instead of {expected}"
                );
            }
        }
        // Both formulas agree where they meet.
        let (near, far) = (PowerSeries::Tanh.coefficient(63), PowerSeries::Tanh.coefficient(65));
        assert!((far / near + FRAC_2_PI * FRAC_2_PI).abs() < 1e-14);
    }

    /// Compares with Abramowitz and Stegun, table 7.1.
    #[test]
    fn erf_equals_its_table() {
        for (u, expected) in [
            (0.0, 0.0),
            (1e-9, 1.128_379_167_095_512_6e-9),
            (0.5, 0.520_499_877_813_046_5),
            (1.0, 0.842_700_792_949_714_9),
            (2.0, 0.995_322_265_018_952_7),
            (3.5, 0.999_999_256_901_627_7),
            (7.0, 1.0),
            (f64::INFINITY, 1.0),
        ] {
            assert!((erf(u) - expected).abs() <= 2e-15 * expected, "erf({u}) = {}", erf(u));
            assert_eq!(erf(-u), -erf(u));
        }
    }

    /// log(1 + e^-z) has the derivative -(1 + tanh(-z/2))/2, whose series diverges at |z| >= pi.
    #[test]
    fn the_series_of_the_logistic_loss_diverges_outside_its_radius() {
        let slope = |z: f64, orders| -0.5 - 0.5 * partial_sum(PowerSeries::Tanh, -0.5 * z, orders);
        let truth = |z: f64| -1.0 / (1.0 + z.exp());
        assert!((slope(3.0, 600) - truth(3.0)).abs() < 1e-10, "inside it converges");
        for (orders, least) in [(40, 10.0), (80, 1e3), (160, 1e7)] {
            let error = (slope(3.5, orders) - truth(3.5)).abs();
            assert!(error > least, "{orders} terms at 3.5: off by {error}");
        }
        // Second moments diverge from pi / sqrt 2 on, in units of z.
        let reach = PowerSeries::Tanh.reach().unwrap();
        assert!((2.0 * reach - PI / 2_f64.sqrt()).abs() < 1e-15);
        assert!(PowerSeries::Tanh.second_moment((0.99 * reach).powi(2)) < 1e3);
        assert_eq!(PowerSeries::Tanh.second_moment((1.01 * reach).powi(2)), f64::MAX);
        assert_eq!((PowerSeries::Erf.reach(), PowerSeries::Exp.reach()), (None, None));
    }

    #[test]
    fn second_moments_equal_their_sums() {
        for series in [PowerSeries::Erf, PowerSeries::Exp, PowerSeries::Tanh] {
            for s in [0.0_f64, 0.1, 0.5, 1.0] {
                let term = |n: u32| {
                    2_f64.powi(n as i32 + 1) * series.coefficient(n).powi(2) * s.powi(n as i32)
                };
                let expected: f64 = (0..300).map(term).sum();
                let moment = series.second_moment(s);
                assert!(
                    (moment - expected).abs() <= 1e-9 * expected,
                    "{series:?} at {s}: {moment}, {expected}"
                );
            }
        }
        // They grow like e^(4 s), which rules out narrow smoothing.
        for (residual, expected) in [(1.0_f64, 8.4), (2.0, 8e4), (3.0, 1.3e13), (5.0, 1.1e40)] {
            let moment = PowerSeries::Erf.second_moment(residual * residual);
            assert!((moment / expected).ln().abs() < 0.3, "{residual}: {moment:e}");
        }
        assert_eq!(PowerSeries::Erf.second_moment(200.0), f64::MAX);
    }
}
