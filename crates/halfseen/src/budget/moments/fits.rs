//! Runs gatherers over the rows of a table, several parameters at once, and makes learners of them.

use super::gather::{FromMoments, Gatherer, Gathering};
use crate::budget::budgeted::check_moments;
use crate::budget::pass;
use crate::budget::told::{self, Told};
use crate::data::{Examples, Layout};
use crate::error::Result;
use crate::learner::size::FEWER_COLUMNS;
use crate::learner::together::{each, grouped};
use crate::learner::{Assignments, FitSize, InParts, Learner, Needed};
use crate::model::{Fit, Report};
use halfseen_solve::Monitor;
use std::sync::Arc;
use std::time::Instant;

/// Fits several parameters that gather alike, after each of the given numbers of examples: a list
/// of fits for each number.
pub(crate) fn fit_all<L: FromMoments>(
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
pub(crate) fn needed<L: FromMoments>(learner: &L, size: &FitSize) -> Needed {
    // The triangle of the products; the quadratic, with its solution, on the columns that were read
    // only; the known columns beside all.
    let seen = size.reads(learner.gathering().budget).min(size.entries()).min(size.d());
    let pairs = if L::PAIRS { 0.5 * size.column_pairs() + 8.5 * seen * seen } else { 0.0 };
    let known = 4.0 * (size.known + 1) as f64 * (size.d() + 1.0);
    Needed::of(size, pairs + known).with(FEWER_COLUMNS)
}

/// Fits a grid: parameters that gather alike share one pass.
pub(crate) fn fit_grid<L: FromMoments>(
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

/// Returns how moments of reads are gathered in a stream.
pub(crate) fn in_parts<L: FromMoments + Learner>(learner: &L) -> Option<InParts> {
    told::in_parts(learner, &learner.needs())
}

/// Starts a gatherer of a stream of rows.
pub(crate) fn told<L: FromMoments>(learner: &L, layout: &Arc<Layout>) -> Result<Told<Gatherer<L>>> {
    Ok(Told::new(Gatherer::new(learner, layout, None)?, Gatherer::fit_now))
}

/// Implements [`Learner`](crate::learner::Learner) for a type that is [`FromMoments`].
macro_rules! learn_from_moments {
    ($Name:ident) => {
        impl $crate::learner::Learner for $Name {
            fn grid(&self) -> $crate::learner::Grid {
                <Self as FromMoments>::grid()
            }

            fn needs(&self) -> $crate::params::Needs {
                $crate::params::Needs { multiplies: true, ..$crate::params::Needs::of(self) }
            }

            fn needed(&self, size: &FitSize) -> Needed {
                moments::needed(self, size)
            }

            fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
                let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
                fits.into_iter().next_back().ok_or_else(|| pass::no_examples(Self::NAME))
            }

            /// Makes one pass for all settings that read alike.
            fn learn_grid(
                &self,
                settings: &[Assignments],
                examples: &Examples<'_>,
                monitor: &dyn Monitor,
            ) -> Result<Vec<Fit>> {
                moments::fit_grid(self, settings, examples, monitor)
            }

            fn learn_curve(
                &self,
                counts: &[usize],
                examples: &Examples<'_>,
                monitor: &dyn Monitor,
            ) -> Result<Vec<Fit>> {
                Ok(moments::fit_all(&[self], counts, examples, monitor)?
                    .into_iter()
                    .flatten()
                    .collect())
            }

            fn in_parts(&self, _: usize) -> Option<$crate::learner::InParts> {
                moments::in_parts(self)
            }

            fn steps(
                &self,
                layout: &Arc<Layout>,
                _: u64,
            ) -> Result<Option<Box<dyn $crate::learner::Steps>>> {
                Ok(Some(Box::new(moments::told(self, layout)?)))
            }

            fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
                Ok(Some(Box::new(Gatherer::new(self, layout, None)?)))
            }

            fn proceed(
                &self,
                layout: &Arc<Layout>,
                state: serde_json::Value,
            ) -> Result<Option<Box<dyn AskTell>>> {
                Ok(Some(Box::new(Gatherer::resume(self, layout, state)?)))
            }
        }
    };
}
pub(crate) use learn_from_moments;
