//! Validates answers and adopted queries.

use super::ledger::{LARGEST_COUNT, Ledger};
use crate::error::{ErrorKind, Result, shown};
use crate::learner::{Query, Read, ReadRole};

/// Largest absolute value of an accepted number: squares must stay finite.
pub const LARGEST_STEP: f64 = 1e100;

impl Ledger {
    /// Returns the position of the answered query, if the answer can be learned from.
    /// `could_have_asked` tells if a query (adopted, if its argument is true) has the shape of this
    /// learner's: one that came back from a file or a network may have been edited.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`], [`ErrorKind::WrongAnswer`].
    #[inline]
    pub(crate) fn admit(
        &self,
        query: &Query,
        values: &[f64],
        target: f64,
        could_have_asked: impl FnOnce(bool) -> bool,
    ) -> Result<usize> {
        let number = query.number;
        self.check_learner(query)?;
        let place = self.find(number)?;
        let adopted = self.adopted(place);
        if query.checksum != query.digest()
            || adopted.is_some_and(|checksum| checksum != query.checksum)
            || !could_have_asked(adopted.is_some())
        {
            let problem = "the query was changed after it was asked".into();
            return Err(ErrorKind::WrongAnswer { number, problem }.into());
        }
        check_numbers(query, values, target)?;
        Ok(place)
    }

    /// Refuses a number of a query or an example that is below the next.
    ///
    /// # Errors
    /// [`ErrorKind::NumberUsed`]; [`ErrorKind::OutOfRange`] for one that leaves no room for others.
    pub(crate) fn check_number(&self, number: u64) -> Result<()> {
        let next = self.asked();
        if number < next {
            return Err(ErrorKind::NumberUsed { number, next }.into());
        }
        if number < LARGEST_COUNT {
            return Ok(());
        }
        let (value, allowed) = (number.to_string(), format!("below {LARGEST_COUNT}"));
        Err(ErrorKind::OutOfRange { name: "number", value, allowed }.into())
    }

    /// Refuses reads of an example, (slot, value), and a target that nothing can be learned from.
    ///
    /// # Errors
    /// As [`Ledger::check_number`]; [`ErrorKind::OutOfRange`] for slots that do not exist or do not
    /// increase; [`ErrorKind::WrongAnswer`] for an infinite or huge value or target, or a NaN as
    /// target.
    pub(crate) fn admit_observed(
        &self,
        number: u64,
        cells: &[(u32, f64)],
        target: Option<f64>,
    ) -> Result<()> {
        self.check_number(number)?;
        let slots = self.layout.slots();
        let sound = cells.windows(2).all(|w| w[0].0 < w[1].0)
            && cells.last().is_none_or(|&(last, _)| (last as usize) < slots);
        if !sound {
            let shown = cells.iter().take(20).map(|(slot, _)| slot.to_string());
            let value = shown.collect::<Vec<_>>().join(",");
            let allowed = format!("increasing numbers of slots, below {slots}");
            return Err(ErrorKind::OutOfRange { name: "cells", value, allowed }.into());
        }
        let mut values = cells.iter().map(|&(_, value)| value).chain(target);
        let problem = match values.find(|value| value.abs() > LARGEST_STEP) {
            Some(value) => {
                format!("{} is not a finite number of at most {LARGEST_STEP:e}", shown(value))
            }
            None if target.is_some_and(f64::is_nan) => "the target is missing".to_owned(),
            None => return Ok(()),
        };
        Err(ErrorKind::WrongAnswer { number, problem }.into())
    }

    /// Refuses to adopt a query of another learner, an edited one, or one of the wrong shape.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLearner`], [`ErrorKind::WrongQuery`].
    pub(crate) fn check_adoptable(
        &self,
        query: &Query,
        could_have_asked: impl FnOnce(bool) -> bool,
    ) -> Result<()> {
        self.check_learner(query)?;
        check_whole(query)?;
        let number = query.number;
        if number >= LARGEST_COUNT || query.asked_at > number || !could_have_asked(true) {
            let problem = "this learner does not ask such queries".into();
            return Err(ErrorKind::WrongQuery { number, problem }.into());
        }
        Ok(())
    }

    #[inline]
    fn check_learner(&self, query: &Query) -> Result<()> {
        if query.learner == self.fingerprint {
            return Ok(());
        }
        let (number, expected, found) = (query.number, self.fingerprint, query.learner);
        Err(ErrorKind::WrongLearner { number, expected, found }.into())
    }

    /// Returns the reads of a query except the known panels, if those come first, the others can be
    /// read, and each column has a finite part.
    #[inline]
    pub fn chosen_in<'q>(&self, query: &'q Query) -> Option<&'q [Read]> {
        let (layout, sampled) = (&self.layout, self.layout.sampled_panels());
        let (free, chosen) = query.reads.split_at_checked(layout.panels() - sampled)?;
        let is_known =
            |(r, panel): (&Read, usize)| r.panel as usize == panel && r.role == ReadRole::Known;
        let can_be_read = |r: &Read| (r.panel as usize) < sampled && r.role != ReadRole::Known;
        if !(free.iter().zip(sampled..).all(is_known) && chosen.iter().all(can_be_read)) {
            return None;
        }
        let columns = |r: &Read| layout.slots_of(r.panel as usize).len();
        query.is_of(query.reads.iter().map(columns).sum()).then_some(chosen)
    }

    /// Returns the same for a learner that estimates no product, if all these reads have this role
    /// and coefficient.
    #[inline]
    pub fn alike_in<'q>(
        &self,
        query: &'q Query,
        role: ReadRole,
        coefficient: f64,
    ) -> Option<&'q [Read]> {
        self.chosen_in(query).filter(|chosen| {
            chosen.iter().all(|r| r.role == role && r.coefficient == coefficient)
                && query.parts.iter().all(|p| p.weight == 0.0)
                && (query.exact == 0.0 && query.orders.is_empty())
        })
    }
}

/// Refuses an answer of another length than the query's, or with a number from which nothing can be
/// learned.
///
/// # Errors
/// [`ErrorKind::WrongAnswer`].
#[inline]
pub(crate) fn check_numbers(query: &Query, values: &[f64], target: f64) -> Result<()> {
    check_told(query.number, query.parts.len(), values, target)
}

/// Does the same for a query of this number, about so many columns.
///
/// # Errors
/// As `check_numbers`.
#[inline]
pub fn check_told(number: u64, columns: usize, values: &[f64], target: f64) -> Result<()> {
    let outsized = |v: &f64| v.abs() > LARGEST_STEP;
    // All of them at once, in vector registers.
    let odd = values.iter().fold(target.is_nan() || outsized(&target), |odd, v| odd | outsized(v));
    if values.len() == columns && !odd {
        return Ok(());
    }
    let problem = match values.iter().chain([&target]).find(|v| outsized(v)) {
        _ if values.len() != columns => format!("{} values for {columns} columns", values.len()),
        Some(value) => {
            format!("{} is not a finite number of at most {LARGEST_STEP:e}", shown(*value))
        }
        None => "the target is missing".to_owned(),
    };
    Err(ErrorKind::WrongAnswer { number, problem }.into())
}

fn check_whole(query: &Query) -> Result<()> {
    if query.checksum == query.digest() {
        return Ok(());
    }
    let problem = "it was changed after it was asked".into();
    Err(ErrorKind::WrongQuery { number: query.number, problem }.into())
}
