//! Runs gatherers over the rows of a table, several parameters at once, and makes learners of them.

use super::gather::{FromMoments, Gatherer, Gathering};
use crate::descent::batches::{self, Batches};
use halfseen_core::asking::check_moments;
use halfseen_core::asking::pass;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::Result;
use halfseen_core::learner::size::FEWER_COLUMNS;
use halfseen_core::learner::together::{each, grouped};
use halfseen_core::learner::{AskTell, Assignments, FitSize, InParts, Learner, Needed, Steps};
use halfseen_core::model::{Fit, Report};
use halfseen_solve::Monitor;
use std::sync::Arc;
use std::time::Instant;

/// Fits several parameters that gather alike, after each of the given numbers of examples: a list
/// of fits for each number.
fn fit_all<L: FromMoments>(
    learners: &[&L],
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Vec<Fit>>> {
    if examples.is_empty() {
        return Err(pass::no_examples(L::NAME));
    }
    let Some(first) = learners.first() else { return Ok(Vec::new()) };
    let began = Instant::now();
    let Gathering { centre, seed, .. } = first.gathering();
    check_moments(examples, centre)?;
    let mut gatherer = Gatherer::new(*first, examples.layout, examples.moments)?;
    pass::one_pass_with(&mut gatherer, seed, counts, examples, monitor, |pass, stop| {
        let gathered = began.elapsed().as_secs_f64();
        let mut fits = pass.learner().fits(learners, stop, monitor)?;
        for Fit { report, .. } in &mut fits {
            // The pass knows its notes; the solver why and when it stopped.
            let (solver, seconds) = (report.stop, report.seconds);
            *report = Report { seconds: seconds + gathered, ..pass.noted(report.clone(), solver) };
        }
        Ok(fits)
    })
}

/// Returns the memory of gathering and solving.
pub fn needed<L: FromMoments>(learner: &L, size: &FitSize) -> Needed {
    // The triangle of the products; the quadratic, with its solution, on the columns that were read
    // only; the known columns beside all.
    let seen = size.reads(learner.gathering().budget).min(size.entries()).min(size.d());
    let pairs = if L::PAIRS { 0.5 * size.column_pairs() + 8.5 * seen * seen } else { 0.0 };
    let known = 4.0 * (size.known + 1) as f64 * (size.d() + 1.0);
    Needed::of(size, pairs + known).with(FEWER_COLUMNS)
}

/// Fits a grid: parameters that gather alike share one pass.
///
/// # Errors
/// As [`Learner::fit`].
pub fn fit_grid<L: FromMoments>(
    learner: &L,
    settings: &[Assignments],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let alike = |a: &L, b: &L| a.gathering() == b.gathering();
    grouped(
        &each(learner, settings)?,
        alike,
        |_| 0.0,
        |members| {
            Ok(fit_all(members, &[examples.len()], examples, monitor)?.pop().unwrap_or_default())
        },
    )
}

/// Fits all rows.
///
/// # Errors
/// As [`Learner::fit`].
pub fn fit_rows<L: FromMoments>(
    learner: &L,
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Fit> {
    let fits = fit_curve(learner, &[examples.len()], examples, monitor)?;
    fits.into_iter().next_back().ok_or_else(|| pass::no_examples(L::NAME))
}

/// Fits after each of the given numbers of examples.
///
/// # Errors
/// As [`Learner::fit`].
pub fn fit_curve<L: FromMoments>(
    learner: &L,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    Ok(fit_all(&[learner], counts, examples, monitor)?.into_iter().flatten().collect())
}

/// Returns how moments of reads are gathered in a stream.
pub fn in_parts<L: FromMoments + Learner>(learner: &L) -> Option<InParts> {
    batches::in_parts(learner, &learner.needs())
}

/// Starts a gatherer of a stream of rows.
///
/// # Errors
/// As [`Learner::fit`].
pub fn steps<L: FromMoments>(learner: &L, layout: &Arc<Layout>) -> Result<Box<dyn Steps>> {
    Ok(Box::new(Batches::new(Gatherer::new(learner, layout, None)?, Gatherer::fit_now)))
}

/// Starts a gatherer that asks and is told.
///
/// # Errors
/// As [`Learner::start`].
pub fn begin<L: FromMoments>(learner: &L, layout: &Arc<Layout>) -> Result<Box<dyn AskTell>> {
    Ok(Box::new(Gatherer::new(learner, layout, None)?))
}

/// Continues a saved gatherer.
///
/// # Errors
/// As [`Learner::resume`].
pub fn proceed<L: FromMoments>(
    learner: &L,
    layout: &Arc<Layout>,
    state: serde_json::Value,
) -> Result<Box<dyn AskTell>> {
    Ok(Box::new(Gatherer::resume(learner, layout, state)?))
}

/// Implements [`Learner`] for a type that is [`FromMoments`].
#[macro_export]
macro_rules! learn_from_moments {
    ($Name:ident) => {
        impl ::halfseen_core::learner::Learner for $Name {
            fn grid(&self) -> ::halfseen_core::learner::Grid {
                <Self as $crate::moments::FromMoments>::grid()
            }

            fn needs(&self) -> ::halfseen_core::params::Needs {
                ::halfseen_core::params::Needs {
                    multiplies: true,
                    ..::halfseen_core::params::Needs::of(self)
                }
            }

            fn needed(
                &self,
                size: &::halfseen_core::learner::FitSize,
            ) -> ::halfseen_core::learner::Needed {
                $crate::moments::needed(self, size)
            }

            fn learn(
                &self,
                examples: &::halfseen_core::data::Examples<'_>,
                monitor: &dyn ::halfseen_core::learner::Monitor,
            ) -> ::halfseen_core::error::Result<::halfseen_core::model::Fit> {
                $crate::moments::fit_rows(self, examples, monitor)
            }

            /// Makes one pass for all settings that read alike.
            fn learn_grid(
                &self,
                settings: &[::halfseen_core::learner::Assignments],
                examples: &::halfseen_core::data::Examples<'_>,
                monitor: &dyn ::halfseen_core::learner::Monitor,
            ) -> ::halfseen_core::error::Result<Vec<::halfseen_core::model::Fit>> {
                $crate::moments::fit_grid(self, settings, examples, monitor)
            }

            fn learn_curve(
                &self,
                counts: &[usize],
                examples: &::halfseen_core::data::Examples<'_>,
                monitor: &dyn ::halfseen_core::learner::Monitor,
            ) -> ::halfseen_core::error::Result<Vec<::halfseen_core::model::Fit>> {
                $crate::moments::fit_curve(self, counts, examples, monitor)
            }

            fn in_parts(&self, _: usize) -> Option<::halfseen_core::learner::InParts> {
                $crate::moments::in_parts(self)
            }

            fn steps(
                &self,
                layout: &std::sync::Arc<::halfseen_core::data::Layout>,
                _: u64,
            ) -> ::halfseen_core::error::Result<Option<Box<dyn ::halfseen_core::learner::Steps>>>
            {
                Ok(Some($crate::moments::steps(self, layout)?))
            }

            fn begin(
                &self,
                layout: &std::sync::Arc<::halfseen_core::data::Layout>,
            ) -> ::halfseen_core::error::Result<Option<Box<dyn ::halfseen_core::learner::AskTell>>>
            {
                Ok(Some($crate::moments::begin(self, layout)?))
            }

            fn proceed(
                &self,
                layout: &std::sync::Arc<::halfseen_core::data::Layout>,
                state: serde_json::Value,
            ) -> ::halfseen_core::error::Result<Option<Box<dyn ::halfseen_core::learner::AskTell>>>
            {
                Ok(Some($crate::moments::proceed(self, layout, state)?))
            }
        }
    };
}
#[doc(inline)]
pub use learn_from_moments;
