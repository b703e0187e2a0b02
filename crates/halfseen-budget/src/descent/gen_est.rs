//! Estimates a smooth slope from estimates of the product <w,x>, without bias: GenEst.
//!
//! For g(u) = sum_n a_n u^n, an order n >= 0 is drawn with probability 2^-(n+1), then n independent
//! estimates theta_r of u; 2^(n+1) a_n theta_1 ... theta_n has mean g(u). Each theta_r is one draw,
//! or, for orders above 2 log2 N, the mean of N draws: N = ceil(4 b^2), with b the bound that the
//! parameters imply for attributes and targets in the paper's range. All of this is decided before
//! the example is seen, so that a query can name every read.
//!
//! One estimate takes at most 1.75 draws on average for any N (the maximum is at N = 5; the paper
//! says 3). Orders with coefficient 0, the even ones of erf and tanh, draw nothing: then at most
//! 37/36.
//!
//! The second moment is sum_n 2^(n+1) a_n^2 (E theta^2)^n, E theta^2 >= u^2, as long as each theta
//! is one draw: for erf about e^(4 u^2). Averaging more draws does not help, because u itself
//! causes the growth.
//!
//! E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012, procedure 3,
//! lemma 4.1.

use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::loss::{Loss, PowerSeries};
use halfseen_solve::sampling::Stream;

/// Estimator of slopes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct GenEst {
    series: PowerSeries,
    /// Number of values of the series per slope.
    calls: usize,
    /// N.
    copies: u64,
}

impl GenEst {
    /// Returns the estimator for a loss and a radius; `None` if slopes are linear in the product.
    pub(crate) fn of(loss: Loss, radius: f64) -> Option<GenEst> {
        // b, for attributes and targets in the paper's range: |x| <= 1, |y| <= B.
        let bound = match loss {
            Loss::HalfSquare | Loss::Square => return None,
            Loss::Absolute { width, .. } => 2.0 * radius / width,
            Loss::Hinge { width } => radius.max(1.0) / width,
            Loss::Exponential => radius,
            Loss::Logistic { .. } => 0.5 * radius,
        };
        let expansion = loss.expansion(1.0)?;
        Some(GenEst { series: expansion.series, calls: expansion.calls, copies: copies(bound) })
    }

    /// Returns the number of series values, and so of orders, per slope.
    #[inline]
    pub(crate) fn calls(&self) -> usize {
        self.calls
    }

    /// Draws an order: n with probability 2^-(n+1).
    #[inline]
    pub(crate) fn order(stream: &mut Stream) -> u32 {
        let mut order = 0;
        loop {
            let word = stream.word();
            if word != 0 {
                return order + word.trailing_zeros();
            }
            order += u64::BITS;
        }
    }

    /// Returns the number of factors theta of an order, and of draws per factor.
    #[inline]
    pub(crate) fn shape(&self, order: u32) -> (usize, usize) {
        if self.series.vanishes(order) {
            return (0, 0);
        }
        (order as usize, draws(order, self.copies) as usize)
    }

    /// Returns the number of draws for several orders.
    #[inline]
    pub(crate) fn reads(&self, orders: &[u32]) -> usize {
        let reads = |&order: &u32| {
            let (factors, draws) = self.shape(order);
            factors.saturating_mul(draws)
        };
        orders.iter().map(reads).fold(0, usize::saturating_add)
    }

    /// Returns the estimate of an order, given the product of its thetas.
    #[inline]
    pub(crate) fn value(&self, order: u32, product: f64) -> f64 {
        if self.series.vanishes(order) {
            return 0.0;
        }
        2_f64.powi(order as i32 + 1) * self.series.coefficient(order) * product
    }

    /// Returns the mean number of draws for one slope.
    pub(crate) fn mean_reads(&self) -> f64 {
        let mean = |order: u32| 0.5_f64.powi(order as i32 + 1) * self.reads(&[order]) as f64;
        // Orders above 2 log2 N add at most n N 2^-(n+1) draws each: nothing 60 orders later.
        let last = (2.0 * (self.copies as f64).log2()) as u32 + 80;
        self.calls as f64 * (0..=last).map(mean).sum::<f64>()
    }

    /// Returns the second moment of the series, given that of its factors.
    pub(crate) fn second_moment(&self, factor: f64) -> f64 {
        self.series.second_moment(factor)
    }
}

/// Refuses products that may reach pi / sqrt 2. The series of the logistic loss converges for
/// |<w,x>| < pi, but its estimate has a finite second moment only below pi / sqrt 2.
///
/// # Errors
/// [`ErrorKind::Request`].
pub(crate) fn check_reach(reach: f64) -> Result<()> {
    // The series' argument is half the product.
    let limit = PowerSeries::Tanh.reach().map_or(f64::INFINITY, |argument| 2.0 * argument);
    if reach < limit {
        return Ok(());
    }
    let problem = format!(
        "the logistic loss needs a bound on |<w,x>| below {limit:.4} (pi / sqrt 2), where the estimates by its series have finite variance; radius times norm_bound and the known attributes give {reach:.4}: lower radius, or choose loss = hinge"
    );
    Err(ErrorKind::Request(problem).into())
}

/// Returns N. Its cap of 2^32 has no effect: orders that use more have a probability below 2^-64.
fn copies(bound: f64) -> u64 {
    (4.0 * bound * bound).ceil().clamp(1.0, 2_f64.powi(32)) as u64
}

/// Returns the number of draws of each factor of an order.
#[inline]
fn draws(order: u32, copies: u64) -> u64 {
    if f64::from(order) <= 2.0 * (copies as f64).log2() { 1 } else { copies }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::Purpose;

    fn gen_est(series: PowerSeries, copies: u64) -> GenEst {
        GenEst { series, calls: 1, copies }
    }

    #[test]
    fn orders_are_drawn_with_their_probabilities() {
        let mut counts = [0.0; 8];
        let rounds = 100_000;
        let mut stream = Stream::new(3, Purpose::Query, 0);
        for _ in 0..rounds {
            counts[(GenEst::order(&mut stream) as usize).min(7)] += 1.0 / f64::from(rounds);
        }
        for (n, share) in counts.iter().enumerate() {
            let p = if n < 7 { 0.5_f64.powi(n as i32 + 1) } else { 0.5_f64.powi(7) };
            assert!((share - p).abs() < 4.0 * (p / f64::from(rounds)).sqrt(), "order {n}: {share}");
        }
    }

    /// Lemma 4.1 says 3.
    #[test]
    fn no_estimate_takes_more_than_7_quarters_of_a_read_on_average() {
        let powers: Vec<f64> = (0..160).map(|n| 0.5_f64.powi(n + 1)).collect();
        let (mut most, mut at) = (0.0, 0);
        for copies in 1..=1_000_000 {
            let last = 2.0 * (copies as f64).log2();
            let mean: f64 = (0..last as u32 + 80)
                .map(|n| {
                    powers[n as usize]
                        * f64::from(n)
                        * if f64::from(n) <= last { 1.0 } else { copies as f64 }
                })
                .sum();
            if mean > most {
                (most, at) = (mean, copies);
            }
        }
        assert_eq!(at, 5);
        assert!((most - 1.75).abs() < 1e-14, "{most}");
        // If even orders are read too, the code's own rule has the same maximum.
        assert!((gen_est(PowerSeries::Exp, 5).mean_reads() - 1.75).abs() < 1e-14);
        let odd = (1..=4_000).map(|n| (gen_est(PowerSeries::Erf, n).mean_reads(), n));
        let (most, at) = odd.fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a });
        assert!(at == 5 && (most - 37.0 / 36.0).abs() < 1e-14, "{most} at {at}");
    }

    fn choose(n: usize, k: usize) -> f64 {
        (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product()
    }

    /// The n factors are independent: the mean of a product of means of draws is u^n, that of its
    /// square the closed form. Visits every tuple of draws with its probability, for the orders
    /// that matter.
    #[test]
    fn the_mean_is_the_function_and_the_second_moment_its_closed_form() {
        // Two attributes: a draw is t_1 with probability p, else t_2.
        for (t, p) in
            [([0.9, -1.4], 0.7), ([1.5, 0.3], 0.4), ([-0.9, -0.9], 0.5), ([1.3, -0.2], 0.25)]
        {
            let (mean, square) =
                (p * t[0] + (1.0 - p) * t[1], p * t[0] * t[0] + (1.0 - p) * t[1] * t[1]);
            for series in [PowerSeries::Erf, PowerSeries::Exp, PowerSeries::Tanh] {
                for copies in [1_u64, 2, 3, 400] {
                    let estimator = gen_est(series, copies);
                    let (mut first, mut second, mut closed) = (0.0, 0.0, 0.0);
                    let mut rest = 0.0;
                    for order in 0..60_u32 {
                        let probability = 0.5_f64.powi(order as i32 + 1);
                        let (factors, draws) = estimator.shape(order);
                        let spread = square - mean * mean;
                        let factor_square =
                            if draws > 0 { mean * mean + spread / draws as f64 } else { 0.0 };
                        // Number of a factor's draws that fell on t_1, with its probability.
                        let outcomes = draws + 1;
                        if (outcomes as f64).powi(factors as i32) <= 1e5 {
                            for tuple in 0..outcomes.pow(factors as u32) {
                                let (mut product, mut share, mut rest) = (1.0, probability, tuple);
                                for _ in 0..factors {
                                    let (hits, misses) = (rest % outcomes, draws - rest % outcomes);
                                    rest /= outcomes;
                                    product *=
                                        (hits as f64 * t[0] + misses as f64 * t[1]) / draws as f64;
                                    share *= choose(draws, hits)
                                        * p.powi(hits as i32)
                                        * (1.0 - p).powi(misses as i32);
                                }
                                let value = estimator.value(order, product);
                                first += share * value;
                                second += share * value * value;
                            }
                            closed += probability
                                * estimator.value(order, 1.0).powi(2)
                                * factor_square.powi(order as i32);
                        } else {
                            rest += series.coefficient(order).abs() * mean.abs().powi(order as i32);
                        }
                    }
                    let truth = series.value(mean);
                    assert!(
                        (first - truth).abs() <= rest + 1e-11,
                        "{series:?}, N = {copies}: {first}, {truth}"
                    );
                    // The omitted part is small: its bound does not hide an error.
                    assert!(rest < 0.03, "{rest}");
                    assert!(
                        (second - closed).abs() <= 1e-11 * closed,
                        "{second} instead of {closed}"
                    );
                }
            }
        }
    }

    #[test]
    fn copies_are_those_of_the_scaled_problem() {
        let of = |loss, radius| GenEst::of(loss, radius).map(|g| (g.copies, g.calls));
        assert_eq!(of(Loss::Absolute { tube: 0.1, width: 0.5 }, 1.0), Some((64, 2)));
        assert_eq!(of(Loss::Hinge { width: 0.5 }, 0.2), Some((16, 1)));
        assert_eq!(of(Loss::Exponential, 3.0), Some((36, 1)));
        assert_eq!(of(Loss::Logistic { norm_bound: 1.0 }, 1.5), Some((3, 1)));
        assert_eq!(of(Loss::HalfSquare, 1.0), None);
        let wide = GenEst::of(Loss::Absolute { tube: 0.0, width: 1e-300 }, 1e300).unwrap();
        assert_eq!(wide.copies, 1 << 32);
        assert_eq!(wide.reads(&[u32::MAX, u32::MAX]), usize::MAX);
        // Orders up to 2 log2 64 = 12 draw once per factor, later ones 64 times; even ones never.
        let g = GenEst::of(Loss::Absolute { tube: 0.1, width: 0.5 }, 1.0).unwrap();
        assert_eq!(
            [0, 1, 2, 11, 12, 13].map(|n| g.shape(n)),
            [(0, 0), (1, 1), (0, 0), (11, 1), (0, 0), (13, 64)]
        );
        assert_eq!(g.reads(&[11, 13]), 11 + 13 * 64);
    }
}
