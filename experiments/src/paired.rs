//! Compares errors pair by pair over the same splits: differences, what they say, and ratios of
//! excesses.

use halfseen::select::Statistics;

/// How many standard errors a difference must exceed to be one.
const CLEAR: f64 = 2.0;
/// How many standard errors an excess must exceed to be divided by.
const SOLID: f64 = 3.0;

/// The mean of differences over splits, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Difference {
    pub(crate) mean: f64,
    /// NaN for one split, which tells nothing of it.
    pub(crate) error: f64,
}

/// What a difference of errors says of the first of two learners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It errs less, by more than two standard errors.
    Better,
    Same,
    /// It errs more, by more than two standard errors.
    Worse,
    /// The standard error is not known.
    Unknown,
}

impl Difference {
    /// Of `a` minus `b`, split by split; `None` where they have no splits, or not the same.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Option<Difference> {
        if a.len() != b.len() {
            return None;
        }
        let Statistics { mean, sd, .. } =
            Statistics::of(a.iter().zip(b).map(|(a, b)| a - b).collect())?;
        let error = if a.len() > 1 { sd / (a.len() as f64).sqrt() } else { f64::NAN };
        Some(Difference { mean, error })
    }

    pub(crate) fn verdict(self) -> Verdict {
        let Difference { mean, error } = self;
        match mean {
            _ if !error.is_finite() || !mean.is_finite() => Verdict::Unknown,
            _ if mean.abs() <= CLEAR * error => Verdict::Same,
            _ if mean < 0.0 => Verdict::Better,
            _ => Verdict::Worse,
        }
    }
}

impl Verdict {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Verdict::Better => "better",
            Verdict::Same => "same",
            Verdict::Worse => "worse",
            Verdict::Unknown => "not known",
        }
    }
}

/// The excess of `ours` over `least` divided by that of `theirs`; `None` where theirs is not above
/// three standard errors.
pub(crate) fn ratio(ours: &[f64], theirs: &[f64], least: &[f64]) -> Option<f64> {
    let (ours, theirs) = (Difference::of(ours, least)?, Difference::of(theirs, least)?);
    (theirs.mean > SOLID * theirs.error).then(|| ours.mean / theirs.mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_that_of_pairs() {
        // Differences -1, -2, -3: deviation 1, standard error 1 / sqrt 3.
        let d = Difference::of(&[9.0, 3.0, 0.0], &[10.0, 5.0, 3.0]).unwrap();
        assert!(
            (d.mean + 2.0).abs() < 1e-15 && (d.error - 1.0 / 3.0_f64.sqrt()).abs() < 1e-15,
            "{d:?}"
        );
        assert_eq!(Difference::of(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(Difference::of(&[], &[]), None);
    }

    #[test]
    fn a_verdict_wants_more_than_two_standard_errors() {
        let verdict = |mean| Difference { mean, error: 0.5 }.verdict();
        let expected =
            [Verdict::Better, Verdict::Same, Verdict::Same, Verdict::Same, Verdict::Worse];
        assert_eq!([-1.01, -1.0, 0.0, 1.0, 1.01].map(verdict), expected);
        // Equal on every split, and always by the same.
        assert_eq!(Difference { mean: 0.0, error: 0.0 }.verdict(), Verdict::Same);
        assert_eq!(Difference { mean: 0.25, error: 0.0 }.verdict(), Verdict::Worse);
        assert_eq!(Difference::of(&[1.0], &[2.0]).unwrap().verdict(), Verdict::Unknown);
        assert_eq!(Difference { mean: f64::NAN, error: 0.1 }.verdict(), Verdict::Unknown);
    }

    #[test]
    fn a_ratio_wants_an_excess_above_three_standard_errors() {
        let ridge = [0.0, 0.0, 0.0];
        // Mean 2, standard error 1 / sqrt 3, of which three are 1.73.
        let ratio_to = |theirs: &[f64]| ratio(&[0.5, 1.0, 1.5], theirs, &ridge);
        assert_eq!(ratio_to(&[1.0, 2.0, 3.0]), Some(0.5));
        assert_eq!(ratio_to(&[0.7, 1.7, 2.7]), None);
        assert_eq!(ratio_to(&[-1.0, -2.0, -3.0]), None);
        assert_eq!(ratio(&[1.0], &[2.0], &[0.0]), None);
    }
}
