//! Averages candidates by their held-out errors, on a scale at which differences that are chance
//! hardly count.
//!
//! A candidate whose held-out errors have the mean e gets the weight exp(- m (e - least) / (2
//! least) / T), m held-out examples in all: the Gaussian likelihood to the power 1/T. T = 32 was
//! found on data apart from those that are reported; T = 1 would choose, and chance would decide.
//! Where the best is not better than no weights at all by more than a likelihood ratio of exp(5),
//! nothing is learned.

use super::candidates::{Candidate, Fitted, Origin};

/// T.
const TEMPERATURE: f64 = 32.0;
/// Log of the likelihood ratio to no weights at all.
const EVIDENCE: f64 = 5.0;
/// Shares below this are left out.
const LEAST_SHARE: f64 = 1e-3;

/// A candidate and its share in the average.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// Its ridge.
    pub(crate) ridge: f64,
    /// Its share; shares sum to 1.
    pub(crate) share: f64,
}

/// The candidate of this origin and ridge.
pub(crate) fn find(fitted: &Fitted, origin: Origin, ridge: f64) -> Option<&Candidate> {
    fitted.candidates.iter().find(|c| c.origin == origin && c.ridge == ridge)
}

/// No weights at all.
pub(crate) fn none() -> Vec<Share> {
    vec![Share { origin: Origin::Null, ridge: 0.0, share: 1.0 }]
}

/// The shares of the candidates that were found in each of the folds and in the fit to all
/// examples; `examples` were held out in all.
pub(crate) fn shares(folds: &[Fitted], all: &Fitted, examples: usize) -> Vec<Share> {
    let mut found: Vec<(&Candidate, f64)> = Vec::new();
    for candidate in &all.candidates {
        let of = |fold: &Fitted| find(fold, candidate.origin, candidate.ridge).map(|c| c.errors);
        let errors = folds.iter().map(of).sum::<Option<f64>>();
        found.extend(errors.filter(|errors| errors.is_finite()).map(|errors| (candidate, errors)));
    }
    let least = found.iter().map(|(_, errors)| *errors).fold(f64::INFINITY, f64::min);
    let null = |c: &Candidate| c.origin == Origin::Null;
    let nothing = found.iter().find(|(c, _)| null(c)).map_or(f64::INFINITY, |(_, errors)| *errors);
    let count = examples as f64;
    // m log(nothing / least) / 2 is the log of the likelihood ratio, each with the variance that it
    // leaves.
    let learned = least > 0.0 && 0.5 * count * (nothing / least).ln() >= EVIDENCE;
    if !learned {
        return none();
    }
    let weight = |errors: f64| (-count * (errors / least - 1.0) / (2.0 * TEMPERATURE)).exp();
    let mut shares: Vec<Share> = found
        .iter()
        .map(|(c, errors)| Share { origin: c.origin, ridge: c.ridge, share: weight(*errors) })
        .collect();
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.retain(|s| s.share >= LEAST_SHARE * total);
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.iter_mut().for_each(|s| s.share /= total);
    shares
}
