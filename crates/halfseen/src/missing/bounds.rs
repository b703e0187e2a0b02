//! States the bounds of Hazan, Livni and Mansour 2015 and computes their constants.
//!
//! **Setting** (Hazan et al. 2015, definition 1): rows x lie in a subspace E, o is the set of
//! observed attributes of a row, |P_o x| <= 1, and the observed values determine x. The learner
//! knows neither E nor x; it competes with the best <w, x>, |w| <= 1.
//!
//! **Regularity**: kappa is the smallest non-zero eigenvalue of (P_E)_oo over all patterns o
//! ([`Regularity`]), the *square* of the smallest singular value of P_o P_E. The paper's definition
//! uses the singular value, but its lemma 2 needs the eigenvalue: for E spanned by (cos t, sin t)
//! and o = {1} the error below is attained with the square, and exceeds the printed bound. Here
//! kappa replaces the paper's lambda.
//!
//! **Symbols**: d columns, including the constant if there is one; gamma the length of the
//! sequences; Gamma the number of sequences; L the Lipschitz constant of the loss; X a bound on
//! |P_o x|; delta the probability of failure.
//!
//! The functions accept any numbers and return the value of the formula (infinity on overflow);
//! [`Promise::new`] checks its input.

mod promise;
mod regularity;

pub use promise::{Assumed, Promise};
pub use regularity::{Regularity, kappa, kappa_over};

/// Returns (1 - kappa)^gamma / kappa, a bound on the distance of a sum truncated after gamma terms
/// from <w, x> (Hazan et al. 2015, lemma 2, with the square).
pub fn truncation_error(gamma: u64, kappa: f64) -> f64 {
    (gamma as f64 * (-kappa).ln_1p()).exp() / kappa
}

/// Returns gamma = ceil(log(2 L / (kappa eps)) / kappa), at least 1: theorem 1's choice for an
/// excess of `error` (eps), of which truncation takes at most half.
pub fn gamma_for(error: f64, kappa: f64, lipschitz: f64) -> u64 {
    at_least_one((2.0 * lipschitz / (kappa * error)).ln() / kappa)
}

/// Returns the least gamma >= 1 at which L times [`truncation_error`] is at most `error`. It uses
/// the error itself, [`gamma_for`] the upper bound e^(-kappa gamma).
pub fn least_gamma(error: f64, kappa: f64, lipschitz: f64) -> u64 {
    let wanted = (lipschitz / (kappa * error)).ln() / -(-kappa).ln_1p();
    let mut gamma = at_least_one(wanted);
    // Rounding may be off by one at integers.
    while gamma > 1 && lipschitz * truncation_error(gamma - 1, kappa) <= error {
        gamma -= 1;
    }
    while gamma < u64::MAX && lipschitz * truncation_error(gamma, kappa) > error {
        gamma += 1;
    }
    gamma
}

fn at_least_one(gamma: f64) -> u64 {
    // The conversion saturates.
    (gamma.ceil() as u64).max(1)
}

/// Returns the number of sequences, Gamma = d + d^2 + ... + d^gamma = (d^(gamma + 1) - d) / (d -
/// 1); gamma if d = 1.
pub fn dimension(d: u64, gamma: u64) -> f64 {
    d as f64 * powers(d, gamma)
}

/// Returns f_gamma(d) = 1 + d + ... + d^(gamma - 1); |phi_gamma(x_o)|^2 is at most f_gamma(d)
/// |x_o|^2.
pub fn powers(d: u64, gamma: u64) -> f64 {
    let (d, gamma) = (d as f64, gamma as f64);
    if d == 1.0 { gamma } else { (d.powf(gamma) - 1.0) / (d - 1.0) }
}

/// Returns gamma, a bound on |v|^2 for the v with <v, phi_gamma(x_o)> = f^gamma_(w, Q)(x_o), where
/// |w| <= 1 and Q (or I - Q) is an orthogonal projection.
///
/// v_s = w_(s1) Q_(s1 s2) ... Q_(s(l-1) sl). For each length l the sum of squares over the last
/// index is (Q^2)_ii = Q_ii <= 1, and so on down to |w|^2. The paper takes a ball of radius Gamma
/// (Hazan et al. 2015, corollary 2).
pub fn squared_norm(gamma: u64) -> f64 {
    gamma as f64
}

/// Returns L^2 Gamma^2 log(1/delta) / eps^2, the order of the number of examples in theorem 1. The
/// constant is unknown; here it is 1.
pub fn theorem_1_examples(error: f64, lipschitz: f64, dimension: f64, confidence: f64) -> f64 {
    lipschitz.powi(2) * dimension.powi(2) * -confidence.ln() / error.powi(2)
}

/// Returns L X sqrt(8 gamma f_gamma(d) / m), a bound, in expectation over m examples, on the excess
/// of the exact minimiser of (1/2) |v|^2 + C sum of losses over the best v with |v|^2 <= gamma, at
/// the C of [`tuned_c`].
///
/// Source: Shalev-Shwartz and Ben-David 2014, corollary 13.9 (a convex L-Lipschitz loss), for |v|^2
/// <= gamma and |phi|^2 <= f_gamma(d) X^2. Its square contains gamma Gamma / d where theorem 1 has
/// Gamma^2.
pub fn estimation_error(examples: f64, d: u64, gamma: u64, lipschitz: f64, norm: f64) -> f64 {
    lipschitz * norm * (8.0 * squared_norm(gamma) * powers(d, gamma) / examples).sqrt()
}

/// Returns C = sqrt(gamma) / (L X sqrt(8 f_gamma(d) m)), for which [`estimation_error`] holds, for
/// the kernel as printed, without normalisation.
pub fn tuned_c(examples: f64, d: u64, gamma: u64, lipschitz: f64, norm: f64) -> f64 {
    (squared_norm(gamma) / (8.0 * powers(d, gamma) * examples)).sqrt() / (lipschitz * norm)
}

#[cfg(test)]
mod tests;
