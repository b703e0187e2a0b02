//! Averages candidates by their held-out errors, on a scale that hardly counts chance differences.
//!
//! A candidate with mean held-out error e gets the weight exp(- m (e - least) / (2 least) / T),
//! with m the total number of held-out examples that judge: the Gaussian likelihood to the power 1/T.
//! T = 32 was chosen on data other than those reported; T = 1 would select by chance.
//!
//! Candidates with curves count as worse than they are by a standard error of the difference between
//! the best with and without.
//!
//! Errors are those of predictions times the slope of the targets on them, between 0 and 1: where
//! reads are few, predictions from an example's reads are too far from the mean, yet weights that are
//! right up to a factor are worth having. Weights are multiplied by twice that slope if it is below a
//! half. (Times the slope itself, predictions from all attributes were worse on 18 of 33 cells:
//! chance errors of many weights cancel, those of few do not.)
//!
//! Where the likelihood ratio of the best to zero weights is below exp(1), nothing is learned; up
//! to exp(5) the average has a share of zero weights.

use super::candidates::{Candidate, Fitted, Origin};
use super::judge::{Errors, slope};

/// T.
const TEMPERATURE: f64 = 32.0;
/// Log likelihood ratios to zero weights from which something is learned, and from which zero
/// weights have no share.
const EVIDENCE: [f64; 2] = [1.0, 5.0];
/// Factor of slopes before they multiply weights.
const GENTLE: f64 = 2.0;
/// Standard errors by which candidates with curves count as worse than they are: with few reads at
/// once a comparison does not show that curves of related attributes count several times.
const HANDICAP: f64 = 1.0;
/// Shares below this are left out.
const LEAST_SHARE: f64 = 1e-3;

/// Fits of a form.
pub(crate) struct FormFit {
    /// Fits without each fold.
    pub(crate) folds: Vec<Fitted>,
    pub(crate) all: Fitted,
    /// Place among the ranks of the model for imputation.
    pub(crate) filling: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Share {
    /// Place among the forms.
    pub(crate) form: usize,
    pub(crate) origin: Origin,
    pub(crate) ridge: f64,
    /// Factor of its weights.
    pub(crate) scale: f64,
    /// Its share; shares sum to 1.
    pub(crate) share: f64,
}

/// Returns the candidate of this origin and ridge.
pub(crate) fn find(fitted: &Fitted, origin: Origin, ridge: f64) -> Option<&Candidate> {
    fitted.candidates.iter().find(|c| c.origin == origin && c.ridge == ridge)
}

/// Returns the average of zero weights.
pub(crate) fn none() -> Vec<Share> {
    vec![Share { form: 0, origin: Origin::Null, ridge: 0.0, scale: 1.0, share: 1.0 }]
}

/// Returns the errors of the candidate in a fold that corresponds to one.
fn errors_in(fold: &Fitted, candidate: &Candidate) -> Option<Errors> {
    find(fold, candidate.origin, candidate.ridge).map(|found| found.errors)
}

/// A candidate present in every fold and in the fit to all examples.
#[derive(Clone, Copy)]
struct Compared<'a> {
    candidate: &'a Candidate,
    /// Slope of the targets on its predictions, between 0 and 1.
    slope: f64,
    /// Its squared errors if predictions are multiplied by that.
    errors: f64,
}

fn compared(fit: &FormFit) -> impl Iterator<Item = Compared<'_>> {
    fit.all.candidates.iter().filter_map(|candidate| {
        let of = |fold| errors_in(fold, candidate);
        let found = fit.folds.iter().map(of).collect::<Option<Vec<Errors>>>()?;
        let slope = slope(found.iter().copied());
        let errors = found.iter().flat_map(|errors| errors.parts(slope)).sum::<f64>();
        errors.is_finite().then_some(Compared { candidate, slope, errors })
    })
}

/// Returns how much the errors of each form count more than they are: with curves, a standard error
/// of the difference between the best candidates.
fn handicaps(forms: &[FormFit]) -> Vec<f64> {
    let best = |fit: &FormFit| {
        let parts = |best: Compared<'_>| {
            let of_fold = |fold| errors_in(fold, best.candidate);
            fit.folds.iter().filter_map(of_fold).flat_map(|e| e.parts(best.slope)).collect()
        };
        let least = compared(fit).min_by(|a, b| a.errors.total_cmp(&b.errors));
        least.map_or_else(Vec::new, parts)
    };
    let best: Vec<Vec<f64>> = forms.iter().map(best).collect();
    best.iter().map(|sums| HANDICAP * error_of_difference(sums, &best[0])).collect()
}

/// Returns the shares of the candidates of all forms.
pub(crate) fn shares(forms: &[FormFit]) -> Vec<Share> {
    let more = handicaps(forms);
    let of_form = |(form, fit)| compared(fit).map(move |found| (form, found));
    let found: Vec<(usize, Compared<'_>)> = forms.iter().enumerate().flat_map(of_form).collect();
    let best = found.iter().map(|(form, c)| (c.errors + more[*form], c.errors, more[*form]));
    let (least, own, handicap) =
        best.fold((f64::INFINITY, f64::INFINITY, 0.0), |a, b| if b.0 < a.0 { b } else { a });
    let null = |c: &Compared<'_>| c.candidate.origin == Origin::Null;
    let nothing = found.iter().find(|(_, c)| null(c)).map_or(f64::INFINITY, |(_, c)| c.errors);
    let judges = |fold: &Fitted| fold.candidates.first().map_or(0, |null| null.errors.count);
    let count = forms[0].folds.iter().map(judges).sum::<usize>() as f64;
    // m log(nothing / least) / 2 is the log likelihood ratio, each with its own residual variance.
    let ratio = if own > 0.0 { 0.5 * count * (nothing / least).ln() } else { f64::NAN };
    let [some, enough] = EVIDENCE;
    let learned = ((ratio - some) / (enough - some)).min(1.0);
    if learned.is_nan() || learned <= 0.0 {
        return none();
    }
    let excess = |form: usize, errors: f64| (errors + (more[form] - handicap)) / own - 1.0;
    let weight = |form, errors| (-count * excess(form, errors) / (2.0 * TEMPERATURE)).exp();
    let mut shares: Vec<Share> = found
        .iter()
        .map(|(form, Compared { candidate, slope, errors })| Share {
            form: *form,
            origin: candidate.origin,
            ridge: candidate.ridge,
            scale: (GENTLE * slope).min(1.0),
            share: weight(*form, *errors),
        })
        .collect();
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.retain(|s| s.share >= LEAST_SHARE * total);
    let total: f64 = shares.iter().map(|s| s.share).sum();
    shares.iter_mut().for_each(|s| s.share *= learned / total);
    if learned < 1.0 {
        shares.push(Share { share: 1.0 - learned, ..none()[0] });
    }
    shares
}

/// Returns the standard error of the difference of two totals of sums over examples.
pub(crate) fn error_of_difference(sums: &[f64], others: &[f64]) -> f64 {
    let count = sums.len().min(others.len()) as f64;
    let differences = || sums.iter().zip(others).map(|(a, b)| a - b);
    let mean = differences().sum::<f64>() / count.max(1.0);
    let square: f64 = differences().map(|d| (d - mean).powi(2)).sum();
    if count > 1.0 { (square * count / (count - 1.0)).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fits on three folds of 40 examples with targets +1 and -1, and a model whose predictions are
    /// the targets, with the opposite sign in every `wrong`-th example, times a factor.
    fn fits(factor: f64, wrong: usize) -> [FormFit; 1] {
        let mut errors = [Errors::default(); 2];
        for i in 0..40 {
            let y = if i % 2 == 0 { 1.0 } else { -1.0 };
            let guess = if (i / 2) % wrong == 0 { -factor * y } else { factor * y };
            errors[0].add(i, y, y);
            errors[1].add(i, y - guess, y);
        }
        let candidate = |(origin, errors)| Candidate {
            origin,
            ridge: 0.0,
            weights: vec![1.0],
            constant: 0.0,
            errors,
        };
        let candidates = [Origin::Null, Origin::Factor(1)].into_iter().zip(errors).map(candidate);
        let fitted = Fitted {
            candidates: candidates.collect(),
            models: Vec::new(),
            refined: None,
            guarded: 0,
        };
        [FormFit { folds: vec![fitted.clone(); 3], all: fitted, filling: 0 }]
    }

    #[test]
    fn predictions_too_far_from_the_mean_are_evidence_by_their_slope() {
        // Nine of ten signs are right: the slope is .8 over the factor.
        for (factor, scale) in [(0.5, 1.0), (1.0, 1.0), (4.0, 0.4), (8.0, 0.2)] {
            let shares = shares(&fits(factor, 10));
            let found = shares.iter().find(|share| share.origin == Origin::Factor(1)).unwrap();
            assert!((found.scale - scale).abs() < 1e-12, "{factor}: {found:?}");
            let null = shares.iter().find(|share| share.origin == Origin::Null);
            assert!(null.is_none_or(|null| null.share < found.share), "{shares:?}");
        }
    }

    #[test]
    fn what_chance_explains_is_nothing() {
        // Half of the signs are right.
        assert_eq!(shares(&fits(1.0, 2)), none());
        assert_eq!(shares(&fits(4.0, 2)), none());
    }
}
