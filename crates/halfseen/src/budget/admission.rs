//! Admits an answer, or refuses one that is not to an open query of this learner or does not fit
//! it.

use super::ledger::Ledger;
use crate::error::{ErrorKind, Result, shown};
use crate::learner::Query;

/// Numbers are refused beyond this: squares must stay in range.
pub(super) const LARGEST_STEP: f64 = 1e100;

/// The place of the query in the books, if the answer can be learned from. `learner` is the
/// fingerprint of the learner, `could_have_asked` says whether a query has the shape of its
/// queries: one that came back from a file or a network may have been edited.
///
/// # Errors
/// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`], [`ErrorKind::WrongAnswer`].
#[inline]
pub(super) fn admit(
    learner: u64,
    ledger: &Ledger,
    could_have_asked: impl FnOnce(&Query) -> bool,
    query: &Query,
    values: &[f64],
    target: f64,
) -> Result<usize> {
    let number = query.number;
    if query.learner != learner {
        let (expected, found) = (learner, query.learner);
        return Err(ErrorKind::WrongLearner { number, expected, found }.into());
    }
    let place = ledger.find(number)?;
    if query.checksum != query.digest() || !could_have_asked(query) {
        let problem = "the query was changed after it was asked".into();
        return Err(ErrorKind::WrongAnswer { number, problem }.into());
    }
    if values.len() != query.parts.len() {
        let problem = format!("{} values for {} columns", values.len(), query.parts.len());
        return Err(ErrorKind::WrongAnswer { number, problem }.into());
    }
    if let Some(value) = values.iter().chain([&target]).find(|v| v.abs() > LARGEST_STEP) {
        let problem =
            format!("{} is not a finite number of at most {LARGEST_STEP:e}", shown(*value));
        return Err(ErrorKind::WrongAnswer { number, problem }.into());
    }
    if target.is_nan() {
        return Err(
            ErrorKind::WrongAnswer { number, problem: "the target is missing".into() }.into()
        );
    }
    Ok(place)
}
