//! Teaches a learner rows that come batch by batch, reading only the cells that it asks for.

use super::recipe::Recipe;
use super::sgd::Sgd;
use crate::classes::uncentred;
use halfseen_core::asking::pass::next_batch;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::{AskTell, InParts, Steps};
use halfseen_core::model::{Fit, Outside, Stop};
use halfseen_core::params::{Needs, Parameters, TOTAL_BUDGET, TOTAL_COST};
use halfseen_solve::Monitor;
use halfseen_solve::iterate::Iterate;
use std::sync::Arc;
use std::time::Instant;

/// Returns that a learner takes rows as a stream if it chooses its reads, so that it needs to know
/// nothing about later rows, and no limit ends its pass before the last of them.
pub(crate) fn in_parts<L: Parameters + ?Sized>(learner: &L, needs: &Needs) -> Option<InParts> {
    let is_free = |name: &str| learner.get(name).is_none_or(|value| value == "auto");
    let can = needs.chooses() && is_free(TOTAL_BUDGET.name) && is_free(TOTAL_COST.name);
    can.then_some(InParts::Stream)
}

/// A learner, and what its rows so far have shown beside its own report.
pub(crate) struct Batches<L> {
    learner: L,
    fit: fn(&L, &dyn Monitor) -> Result<Fit>,
    /// True if targets must be -1 or +1.
    signs: bool,
    /// Centre that was subtracted from the targets of two classes.
    centre: f64,
    rows: u64,
    outside: u64,
    first_outside: Option<Outside>,
    began: Instant,
}

impl<L: AskTell> Batches<L> {
    pub(crate) fn new(learner: L, fit: fn(&L, &dyn Monitor) -> Result<Fit>) -> Batches<L> {
        Batches {
            learner,
            fit,
            signs: false,
            centre: 0.0,
            rows: 0,
            outside: 0,
            first_outside: None,
            began: Instant::now(),
        }
    }
}

/// Starts a recipe for a number of rows.
pub(crate) fn batches<I: Iterate + 'static>(
    recipe: Recipe,
    layout: &Arc<Layout>,
    rows: u64,
) -> Result<Option<Box<dyn Steps>>> {
    let signs = recipe.loss.needs_classes();
    let sgd = Sgd::<I>::new(recipe, layout, None)?;
    sgd.check_first_phase(rows)?;
    let fit = |learner: &Sgd<I>, monitor: &dyn Monitor| {
        let mut fit = learner.fitted(monitor)?;
        fit.report.stop = Stop::OnePass;
        Ok(fit)
    };
    Ok(Some(Box::new(Batches { signs, ..Batches::new(sgd, fit) })))
}

impl<L: AskTell> Steps for Batches<L> {
    fn learn(&mut self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<()> {
        let signs = if self.signs { Some(uncentred(examples)?) } else { None };
        let targets = match &signs {
            Some((targets, centre)) => {
                self.centre = *centre;
                targets
            }
            None => examples.targets,
        };
        let examples = Examples { targets, ..examples.clone() };
        let report = next_batch(&mut self.learner, &examples, monitor)?;
        if report.stop == Stop::Interrupted {
            return Err(ErrorKind::Interrupted { during: "learning" }.into());
        }
        self.outside += report.outside_bounds;
        let first =
            report.first_outside.map(|first| Outside { row: self.rows + first.row, ..first });
        self.first_outside = self.first_outside.take().or(first);
        self.rows += examples.len() as u64;
        Ok(())
    }

    fn fit(&mut self, monitor: &dyn Monitor) -> Result<Fit> {
        let Fit { predictor, mut report } = (self.fit)(&self.learner, monitor)?;
        let mut linear = predictor.linear()?.clone();
        linear.intercept -= self.centre;
        report.converged = report.stop.converged();
        (report.outside_bounds, report.first_outside) = (self.outside, self.first_outside.clone());
        report.seconds = self.began.elapsed().as_secs_f64();
        Ok(Fit { predictor: linear.into(), report })
    }
}
