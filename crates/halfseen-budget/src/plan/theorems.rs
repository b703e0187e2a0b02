//! Lists the theorems: one line for each, with the bound and the step that it prescribes.
//!
//! A bound is on the excess mean squared error, in expectation over examples and draws. In the
//! formulas m is the number of examples, k the reads for one example's gradient (the budget less
//! one), c the growth of the gradient's square by reading k of d attributes; c = 1 where every
//! attribute is read. The growth of draws with replacement is used where the paper is not sharper.

use super::phases::{Phases, THEOREM, largest_ratio, most_estimated, ridge_given, ridge_safe};
use super::setting::Setting;
use super::steps::entropic_eta;

/// Tolerance for rounding in measured moments, which are means.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Bound of a theorem for one learner.
#[derive(Debug)]
pub struct Theorem {
    /// Name of the learner.
    pub learner: &'static str,
    /// Paper and theorem.
    pub source: &'static str,
    /// Assumptions of the theorem.
    pub assumes: Assumptions,
    /// Formula of the bound.
    pub formula: &'static str,
    /// Name of the parameter that the theorem sets.
    pub parameter: &'static str,
    /// Excess and step after m examples; `None` if the theorem does not hold yet.
    at: fn(&Setting, u64) -> Option<(f64, f64)>,
}

/// Assumptions of a theorem about examples and predictors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Assumptions {
    /// |x|_2 <= R, |w|_2 <= B, |y| <= B R.
    Ridge,
    /// |x_i| <= 1, |w|_1 <= B, |y| <= B.
    Lasso,
    /// |x_i| <= 1, |w|_1 <= B, |y| <= 1: Cesa-Bianchi, Shalev-Shwartz and Shamir 2010.
    Bounded,
}

/// Every theorem with constants.
pub const THEOREMS: &[Theorem] = &[
    Theorem {
        learner: "aer",
        source: "Cesa-Bianchi et al. 2010, theorem 2",
        assumes: Assumptions::Bounded,
        formula: "4 (B + 1) B d sqrt((1 + ln m) / (s m)), s = half of the reads",
        parameter: "penalty",
        at: strongly_convex,
    },
    Theorem {
        learner: "aerr",
        source: "Hazan and Koren 2012, theorem 3.1",
        assumes: Assumptions::Ridge,
        formula: "4 B^2 sqrt(c / m), c = d/k",
        parameter: "step",
        at: |of, m| euclidean(of, uniform(of), m),
    },
    Theorem {
        learner: "aelr",
        source: "Hazan and Koren 2012, theorem 3.4",
        assumes: Assumptions::Lasso,
        formula: "8 B^2 sqrt(5 c log(2d) / m), c = d/k",
        parameter: "step",
        at: |of, m| entropic(of, uniform(of), m as f64),
    },
    Theorem {
        learner: "ddaerr",
        source: "Kukliansky and Shamir 2015, theorem 3.5",
        assumes: Assumptions::Ridge,
        formula: "4 B^2 sqrt(c / m), c = |mu|_1/2 / k + 1",
        parameter: "step",
        at: |of, m| euclidean(of, inflation(of, of.half_norm()), m),
    },
    Theorem {
        learner: "ddaerr-2p",
        source: "Kukliansky and Shamir 2015, theorem 3.6 (moment_norm given)",
        assumes: Assumptions::Ridge,
        formula: "8 B^2 sqrt(c / m2), c = S/k + 1, with probability 0.95 over the first phase",
        parameter: "step",
        at: |of, m| euclidean_phases(of, ridge_given, m),
    },
    Theorem {
        learner: "ddaerr-2p",
        source: "Kukliansky and Shamir 2015, theorem 3.12 (moment_norm estimated)",
        assumes: Assumptions::Ridge,
        formula: "8 B^2 sqrt(c / m2), c = S/k + 1, with probability 0.95 over the first phase",
        parameter: "step",
        at: |of, m| euclidean_phases(of, most_estimated, m),
    },
    Theorem {
        learner: "ddaelr",
        source: "Kukliansky and Shamir 2015, section 4, known moments",
        assumes: Assumptions::Lasso,
        formula: "8 B^2 sqrt(5 c log(2d) / m), c = |mu|_1 / k + 1",
        parameter: "step",
        at: |of, m| entropic(of, inflation(of, of.moment_sum()), m as f64),
    },
    Theorem {
        learner: "ddaelr-2p",
        source: "Kukliansky and Shamir 2015, section 4, unknown moments",
        assumes: Assumptions::Lasso,
        formula: "8 B^2 sqrt(5 c log(2d) / m2), c = M/k + 1, with probability 0.95 over the first \
                  phase, for a second phase from w = 0 (the learner's goes on)",
        parameter: "step",
        at: entropic_phases,
    },
];

impl Theorem {
    /// Returns the excess after m examples; `None` if the theorem does not hold yet.
    pub fn excess(&self, setting: &Setting, examples: u64) -> Option<f64> {
        self.finite(setting, examples).map(|(excess, _)| excess)
    }

    /// Returns the value of the parameter that the theorem sets, for m examples.
    pub(super) fn step(&self, setting: &Setting, examples: u64) -> Option<f64> {
        self.finite(setting, examples).map(|(_, step)| step)
    }

    fn finite(&self, setting: &Setting, examples: u64) -> Option<(f64, f64)> {
        let bound = (examples > 0).then(|| (self.at)(setting, examples)).flatten();
        bound.filter(|(excess, _)| excess.is_finite())
    }
}

impl Assumptions {
    /// Returns the assumptions as formulas.
    pub fn text(&self) -> &'static str {
        match self {
            Assumptions::Ridge => "|x|_2 <= R, |w|_2 <= B, |y| <= B R",
            Assumptions::Lasso => "|x_i| <= 1, |w|_1 <= B, |y| <= B",
            Assumptions::Bounded => "|x_i| <= 1, |w|_1 <= B, |y| <= 1",
        }
    }

    /// Returns the largest excess of predicting 0 over the best predictor; a bound that is not
    /// smaller is vacuous.
    pub(super) fn excess_of_zero(&self, setting: &Setting) -> f64 {
        match self {
            Assumptions::Ridge => setting.ridge_radius() * setting.ridge_radius(),
            Assumptions::Lasso => setting.radius * setting.radius,
            Assumptions::Bounded => 1.0,
        }
    }

    /// Returns the reason why the moments contradict the assumptions, if they do, and the remedy.
    pub(super) fn contradiction(&self, setting: &Setting) -> Option<String> {
        let moments = setting.moments?;
        if *self == Assumptions::Ridge {
            // Rounded up, so that the named norm suffices.
            let least = (moments.sum.sqrt() * 1000.0).ceil() / 1000.0;
            return (moments.sum > setting.norm * setting.norm * ROUNDING).then(|| {
                format!(
                    "the moments sum to {:.4}, so |x|_2 <= {} cannot hold; give a norm of at least {least}",
                    moments.sum, setting.norm
                )
            });
        }
        (moments.largest > ROUNDING).then(|| {
            format!(
                "a moment is {:.4}, so |x_i| <= 1 cannot hold; divide the attributes by their largest value",
                moments.largest
            )
        })
    }
}

/// Returns c of uniform draws.
fn uniform(setting: &Setting) -> f64 {
    if setting.reads_all() { 1.0 } else { setting.d() / setting.draws() }
}

/// Returns c = S/k + 1, the bound on E |x~|_2^2 for |x|_2 <= 1, S = sum_i mu_i / q_i and k draws
/// with replacement. With M = max_i mu_i / q_i in place of S it bounds max_i E x~_i^2 for |x_i| <=
/// 1.
fn inflation(setting: &Setting, spread: f64) -> f64 {
    if setting.reads_all() { 1.0 } else { spread / setting.draws() + 1.0 }
}

/// Returns 2 G B for the squared error itself, G = 2 B sqrt(c), for |x|_2 <= R and |y| <= B R.
fn euclidean(setting: &Setting, c: f64, m: u64) -> Option<(f64, f64)> {
    let (b, m) = (setting.ridge_radius(), m as f64);
    let squared = setting.norm * setting.norm;
    Some((4.0 * b * b * (c / m).sqrt(), 1.0 / (2.0 * squared * (c * m).sqrt())))
}

/// Returns 4 G B sqrt(5 log(2d) / m) for the squared error itself, G = 2 B sqrt(c), for |x_i| <= 1,
/// |y| <= B and E x~_i^2 <= c; it holds from m >= log(2d) on.
fn entropic(setting: &Setting, c: f64, m: f64) -> Option<(f64, f64)> {
    let (b, log) = (setting.radius, (2.0 * setting.d()).ln());
    let excess = 2.0 * (4.0 * b * b * (5.0 * log * c / m).sqrt());
    (m >= log).then(|| (excess, entropic_eta(setting.d(), m, 2.0 * b * c.sqrt())))
}

/// Returns theorem 2 of Cesa-Bianchi et al. for |x_i| <= 1, |y| <= 1: R^2 <= d. (Averaging after
/// the steps costs no more than the first step, where w = 0, leaves over.)
fn strongly_convex(setting: &Setting, m: u64) -> Option<(f64, f64)> {
    let (b, d, m) = (setting.radius, setting.d(), m as f64);
    let s = if setting.reads_all() { d } else { (setting.budget / 2) as f64 };
    // G, and the rate.
    let slope = 2.0 * (b + 1.0) * d / s.sqrt();
    let rate = ((1.0 + m.ln()) / m).sqrt();
    Some((2.0 * slope * b * rate, 2.0 * slope * rate / b))
}

/// Returns the bound of two phases, for |x|_2 <= 1 and |y| <= B.
///
/// The smallest bound on S gives G^2 = 4 B^2 (S/k + 1) and the step 2 B / (G sqrt(m2)). The second
/// phase may start anywhere in the ball (it starts from the first phase's w), so the excess of half
/// the squared error is at most 2 B G / sqrt(m2). The constants are derived here because our copy
/// of the paper has lost them.
fn euclidean_phases(
    setting: &Setting,
    adaptive: fn(f64, f64, f64) -> f64,
    m: u64,
) -> Option<(f64, f64)> {
    let phases = Phases::of(setting, m)?;
    let (b, d) = (setting.ridge_radius(), setting.d());
    let most = adaptive(setting.half_norm(), phases.eps(), d);
    let c = inflation(setting, ridge_safe(d, phases.ridge_sum(), 1.0).min(most));
    let squared = setting.norm * setting.norm;
    let excess = 2.0 * (4.0 * b * b * (c / phases.second).sqrt());
    Some((excess, 1.0 / (squared * (c * phases.second).sqrt())))
}

/// Returns the bound of two phases, for |x_i| <= 1 and |y| <= B.
///
/// The theorem's second phase restarts from w = 0, with G^2 = 4 B^2 (M/k + 1) for the largest
/// possible M = max_i mu_i / q_i. Estimating the sum of the moments is as good as knowing it, so
/// there is one theorem. The learner's second phase continues from the first phase's weights; this
/// has no bound because exponentiated gradient may need long to leave a corner of the ball. The
/// constants are derived here because our copy of the paper has lost them.
fn entropic_phases(setting: &Setting, m: u64) -> Option<(f64, f64)> {
    let phases = Phases::of(setting, m)?;
    let sum = phases.lasso_sum(setting.moment_sum());
    let spread = largest_ratio(sum, THEOREM * phases.eps(), setting.d(), 1.0);
    entropic(setting, inflation(setting, spread), phases.second)
}
