//! Admits an answer, or refuses one that is not to an open query of this learner or does not fit
//! it.

use super::ledger::{LARGEST_COUNT, Ledger};
use crate::error::{ErrorKind, Result, shown};
use crate::learner::Query;

/// Numbers are refused beyond this: squares must stay in range.
pub(super) const LARGEST_STEP: f64 = 1e100;

/// The place of the query in the books, if the answer can be learned from. `learner` is the
/// fingerprint of the learner, `could_have_asked` says whether a query has the shape of its
/// queries, or of one that was adopted: one that came back from a file or a network may have been
/// edited.
///
/// # Errors
/// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`], [`ErrorKind::WrongAnswer`].
#[inline]
pub(super) fn admit(
    learner: u64,
    ledger: &Ledger,
    could_have_asked: impl FnOnce(&Query, bool) -> bool,
    query: &Query,
    values: &[f64],
    target: f64,
) -> Result<usize> {
    let number = query.number;
    check_learner(learner, query)?;
    let place = ledger.find(number)?;
    let adopted = ledger.adopted(number);
    if query.checksum != query.digest()
        || adopted.is_some_and(|checksum| checksum != query.checksum)
        || !could_have_asked(query, adopted.is_some())
    {
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

/// Refuses a query that cannot be adopted: of another learner, changed, or of another shape than
/// this learner's.
///
/// # Errors
/// [`ErrorKind::WrongLearner`], [`ErrorKind::WrongQuery`].
pub(super) fn check_adoptable(
    learner: u64,
    could_have_asked: impl FnOnce(&Query, bool) -> bool,
    query: &Query,
) -> Result<()> {
    check_learner(learner, query)?;
    let number = query.number;
    check_whole(query)?;
    if number >= LARGEST_COUNT || query.asked_at > number || !could_have_asked(query, true) {
        let problem = "this learner does not ask such queries".into();
        return Err(ErrorKind::WrongQuery { number, problem }.into());
    }
    Ok(())
}

/// The place of a query of this learner in the books.
///
/// # Errors
/// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`], [`ErrorKind::WrongQuery`].
pub(super) fn find_whole(learner: u64, ledger: &Ledger, query: &Query) -> Result<usize> {
    check_learner(learner, query)?;
    let place = ledger.find(query.number)?;
    check_whole(query)?;
    Ok(place)
}

#[inline]
fn check_learner(learner: u64, query: &Query) -> Result<()> {
    if query.learner == learner {
        return Ok(());
    }
    let (number, expected, found) = (query.number, learner, query.learner);
    Err(ErrorKind::WrongLearner { number, expected, found }.into())
}

fn check_whole(query: &Query) -> Result<()> {
    if query.checksum == query.digest() {
        return Ok(());
    }
    let problem = "it was changed after it was asked".into();
    Err(ErrorKind::WrongQuery { number: query.number, problem }.into())
}
