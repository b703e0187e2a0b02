//! Draws attributes with decaying second moments, for which drawing by moments pays (Kukliansky and
//! Shamir 2015).

use crate::{
    Synthetic, Weights, at_least_one_column, fair_signs, noise_in_range, out_of_range, sign,
    sign_scaler, streams,
};
use halfseen::error::Result;

/// Decay of the second moments mu_i of the attributes i = 1, 2, ..., which are then divided by
/// their sum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decay {
    /// mu_i ~ i^-alpha, alpha >= 0; 0 makes them equal.
    Power(f64),
    /// mu_i ~ exp(-rate i), rate >= 0.
    Exponential(f64),
}

/// Rows x_i = sigma_i sqrt(mu_i) with independent fair signs sigma_i, so that |x|_2 = 1, and y =
/// <w*,x> + noise, normal with mean 0.
///
/// The excess of w is sum_i mu_i (w_i - w*_i)^2. The gain of Kukliansky and Shamir (2015) over
/// uniform draws is that of (sum_i sqrt(mu_i))^2 over d ([`Synthetic::half_norm`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Decaying {
    /// d.
    pub columns: usize,
    /// Second moments.
    pub decay: Decay,
    /// True weights.
    pub weights: Weights,
    /// Standard deviation of the noise.
    pub noise: f64,
}

impl Decaying {
    /// Draws rows.
    ///
    /// # Errors
    /// No column, a number out of range, or moments that fall below 1e-300.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Synthetic> {
        noise_in_range(self.noise)?;
        let mu = self.decay.moments(self.columns)?;
        let (mut secret, mut stream) = streams(seed, 4);
        let truth = self.weights.draw(&mu, &mut secret)?;
        let sizes: Vec<f64> = mu.iter().map(|mu| mu.sqrt()).collect();
        let parts: Vec<f64> = truth.iter().zip(&sizes).map(|(w, size)| w * size).collect();
        let (matrix, targets) = fair_signs(&mut stream, rows, self.columns, |x, stream| {
            let signal: f64 = x.iter().zip(&parts).map(|(&byte, part)| sign(byte) * part).sum();
            signal + self.noise * stream.normal()
        });
        Ok(Synthetic::new(matrix, sign_scaler(&sizes), targets, mu, truth, self.noise.powi(2)))
    }
}

impl Decay {
    /// Returns mu_1, ..., mu_d, with sum 1.
    ///
    /// # Errors
    /// No column, a rate out of range, or moments that fall below 1e-300.
    pub fn moments(self, columns: usize) -> Result<Vec<f64>> {
        at_least_one_column(columns)?;
        let (Decay::Power(rate) | Decay::Exponential(rate)) = self;
        if !(rate.is_finite() && rate >= 0.0) {
            return Err(out_of_range("decay", rate, "a number that is not negative".into()));
        }
        let raw = |i: usize| match self {
            Decay::Power(alpha) => (i as f64).powf(-alpha),
            // i - 1 instead of i cancels in the division, and starts at 1.
            Decay::Exponential(rate) => (-rate * (i - 1) as f64).exp(),
        };
        let total: f64 = (1..=columns).map(raw).sum();
        let mu: Vec<f64> = (1..=columns).map(|i| raw(i) / total).collect();
        if mu[columns - 1] < 1e-300 {
            let allowed =
                format!("so slow that the moments of {columns} attributes stay above 1e-300");
            return Err(out_of_range("decay", rate, allowed));
        }
        Ok(mu)
    }
}
