//! Averages candidates by their held-out errors, on a scale that hardly counts chance differences.
//!
//! A candidate with mean held-out error e gets the weight exp(- m (e - least) / (2 least) / T),
//! with m the total number of held-out examples: the Gaussian likelihood to the power 1/T. T = 32
//! was chosen on data other than those reported; T = 1 would select by chance. Unless the
//! likelihood ratio of the best to zero weights exceeds exp(5), nothing is learned.

use super::candidates::{Candidate, Fitted, Origin};
use super::forms::FormFit;

/// T.
const TEMPERATURE: f64 = 32.0;
/// Required log likelihood ratio to zero weights.
const EVIDENCE: f64 = 5.0;
/// Standard errors by which a form with curves must be better than the plain one: with few reads
/// at once a comparison does not show that curves of related attributes count several times.
const HANDICAP: f64 = 1.0;
/// Shares below this are left out.
const LEAST_SHARE: f64 = 1e-3;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Place of its form.
    pub(crate) form: usize,
    pub(crate) origin: Origin,
    pub(crate) ridge: f64,
    /// Its share; shares sum to 1.
    pub(crate) share: f64,
}

/// Returns the candidate of this origin and ridge.
pub(crate) fn find(fitted: &Fitted, origin: Origin, ridge: f64) -> Option<&Candidate> {
    fitted.candidates.iter().find(|c| c.origin == origin && c.ridge == ridge)
}

/// Returns the average of zero weights.
pub(crate) fn none() -> Vec<Share> {
    vec![Share { form: 0, origin: Origin::Null, ridge: 0.0, share: 1.0 }]
}

/// Returns the shares of the candidates present in every fold and in the fit to all examples;
/// `examples` is the total number held out. Errors of a later form than the first count with the
/// standard error of their difference to the least of the first.
pub(crate) fn shares(forms: &[FormFit], examples: usize) -> Vec<Share> {
    let mut found: Vec<(usize, &Candidate, f64)> = Vec::new();
    let mut first: Vec<f64> = Vec::new();
    for (form, FormFit { folds, all, .. }) in forms.iter().enumerate() {
        for candidate in &all.candidates {
            let of = |fold: &Fitted| {
                find(fold, candidate.origin, candidate.ridge).map(|c| c.errors.to_vec())
            };
            let Some(sums) = folds.iter().map(of).collect::<Option<Vec<_>>>() else { continue };
            let sums = sums.concat();
            let errors: f64 = sums.iter().sum();
            if !errors.is_finite() {
                continue;
            }
            if form == 0 && (first.is_empty() || errors < first.iter().sum()) {
                first.clone_from(&sums);
            }
            let handicap = if form == 0 { 0.0 } else { HANDICAP * error_of_difference(&sums, &first) };
            found.push((form, candidate, errors + handicap));
        }
    }
    let least = found.iter().map(|(_, _, errors)| *errors).fold(f64::INFINITY, f64::min);
    let null = |c: &Candidate| c.origin == Origin::Null;
    let nothing =
        found.iter().find(|(_, c, _)| null(c)).map_or(f64::INFINITY, |(_, _, errors)| *errors);
    let count = examples as f64;
    // m log(nothing / least) / 2 is the log likelihood ratio, each with its own residual variance.
    let learned = least > 0.0 && 0.5 * count * (nothing / least).ln() >= EVIDENCE;
    if !learned {
        return none();
    }
    let weight = |errors: f64| (-count * (errors / least - 1.0) / (2.0 * TEMPERATURE)).exp();
    let mut shares: Vec<Share> = found
        .iter()
        .map(|(form, c, errors)| Share {
            form: *form,
            origin: c.origin,
            ridge: c.ridge,
            share: weight(*errors),
        })
        .collect();
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.retain(|s| s.share >= LEAST_SHARE * total);
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.iter_mut().for_each(|s| s.share /= total);
    shares
}

/// Returns the standard error of the difference of two totals of sums over examples.
fn error_of_difference(sums: &[f64], others: &[f64]) -> f64 {
    let count = sums.len().min(others.len()) as f64;
    let differences = || sums.iter().zip(others).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / count.max(1.0);
    let square: f64 = differences().map(|d| (d - mean).powi(2)).sum();
    if count > 1.0 { (square * count / (count - 1.0)).sqrt() } else { 0.0 }
}
