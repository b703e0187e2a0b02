//! States what the theorems of paper D promise, and the numbers that they need.
//!
//! **Setting** (D, definition 1): rows x lie in a subspace E, o is what is observed of one, |P_o x|
//! <= 1, and what is observed determines x. The learner knows neither E nor x; it competes with the
//! best <w, x>, |w| <= 1.
//!
//! **Regularity**: kappa is the smallest non-zero eigenvalue of (P_E)_oo over all patterns o
//! ([`Regularity`]): the *square* of the smallest singular value of P_o P_E. The paper's definition
//! has the singular value, its lemma 2 needs the eigenvalue: for E spanned by (cos t, sin t) and
//! o = {1} the error below is attained with the square, and exceeds the printed bound. Here kappa
//! stands wherever the paper prints lambda.
//!
//! **Symbols**: d columns, the constant counted where there is one; gamma the length of the
//! sequences; Gamma the number of sequences; L the Lipschitz constant of the loss; X a bound
//! on |P_o x|; delta the probability to fail.
//!
//! Functions take any numbers and return what the formula gives (infinity where it overflows);
//! [`Promise::new`] checks.

mod promise;
mod regularity;

pub use promise::{Assumed, Promise};
pub use regularity::{Regularity, kappa, kappa_over};

/// (1 - kappa)^gamma / kappa: how far a sum cut off after gamma terms can be from <w, x> (D, lemma
/// 2, with the square).
pub fn truncation_error(gamma: u64, kappa: f64) -> f64 {
    (gamma as f64 * (-kappa).ln_1p()).exp() / kappa
}

/// gamma = ceil(log(2 L / (kappa eps)) / kappa), at least 1: what theorem 1 takes for an excess of
/// `error` (eps), of which truncation makes up half at most.
pub fn gamma_for(error: f64, kappa: f64, lipschitz: f64) -> u64 {
    at_least_one((2.0 * lipschitz / (kappa * error)).ln() / kappa)
}

/// The least gamma of at least 1 at which L times [`truncation_error`] is at most `error`: from the
/// error itself and not, as in [`gamma_for`], from e^(-kappa gamma) above it.
pub fn least_gamma(error: f64, kappa: f64, lipschitz: f64) -> u64 {
    let wanted = (lipschitz / (kappa * error)).ln() / -(-kappa).ln_1p();
    let mut gamma = at_least_one(wanted);
    // Rounding may be off by one at whole numbers.
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

/// Gamma = d + d^2 + ... + d^gamma = (d^(gamma + 1) - d) / (d - 1), the number of sequences; gamma
/// where d = 1.
pub fn dimension(d: u64, gamma: u64) -> f64 {
    d as f64 * powers(d, gamma)
}

/// f_gamma(d) = 1 + d + ... + d^(gamma - 1): |phi_gamma(x_o)|^2 is at most this times |x_o|^2.
pub fn powers(d: u64, gamma: u64) -> f64 {
    let (d, gamma) = (d as f64, gamma as f64);
    if d == 1.0 { gamma } else { (d.powf(gamma) - 1.0) / (d - 1.0) }
}

/// gamma, a bound on |v|^2 for the v with <v, phi_gamma(x_o)> = f^gamma_(w, Q)(x_o), |w| <= 1 and Q
/// (or I - Q) an orthogonal projection.
///
/// v_s = w_(s1) Q_(s1 s2) ... Q_(s(l-1) sl), and for each length l the sum of squares over the last
/// index is (Q^2)_ii = Q_ii <= 1, and so on down to |w|^2. The paper takes a ball of radius Gamma
/// (D, corollary 2).
pub fn squared_norm(gamma: u64) -> f64 {
    gamma as f64
}

/// L^2 Gamma^2 log(1/delta) / eps^2: the order of the examples that theorem 1 asks for. Its
/// constant is unknown; here it is 1.
pub fn theorem_1_examples(error: f64, lipschitz: f64, dimension: f64, confidence: f64) -> f64 {
    lipschitz.powi(2) * dimension.powi(2) * -confidence.ln() / error.powi(2)
}

/// L X sqrt(8 gamma f_gamma(d) / m): how far, in expectation over m examples, the exact minimiser
/// of (1/2) |v|^2 + C sum of losses is above the best v of |v|^2 <= gamma, at the C of [`tuned_c`].
///
/// Shalev-Shwartz and Ben-David 2014, corollary 13.9 (a convex L-Lipschitz loss), for |v|^2 <=
/// gamma and
/// |phi|^2 <= f_gamma(d) X^2. Squared, it has gamma Gamma / d where theorem 1 has Gamma^2.
pub fn estimation_error(examples: f64, d: u64, gamma: u64, lipschitz: f64, norm: f64) -> f64 {
    lipschitz * norm * (8.0 * squared_norm(gamma) * powers(d, gamma) / examples).sqrt()
}

/// C = sqrt(gamma) / (L X sqrt(8 f_gamma(d) m)), for which [`estimation_error`] holds; for the
/// kernel as printed, without normalisation.
pub fn tuned_c(examples: f64, d: u64, gamma: u64, lipschitz: f64, norm: f64) -> f64 {
    (squared_norm(gamma) / (8.0 * powers(d, gamma) * examples)).sqrt() / (lipschitz * norm)
}

#[cfg(test)]
mod tests;
