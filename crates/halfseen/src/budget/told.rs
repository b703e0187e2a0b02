//! Teaches a learner rows that come batch by batch, reading only the cells that it asks for.

use super::classes::uncentred;
use super::pass::next_batch;
use super::recipe::Recipe;
use super::sgd::Sgd;
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::learner::{AskTell, PartFacts, Steps};
use crate::model::{Fit, Outside, Stop};
use crate::params::{Needs, Parameters, TOTAL_BUDGET, TOTAL_COST};
use halfseen_solve::Monitor;
use halfseen_solve::iterate::Iterate;
use std::time::Instant;

/// Returns true if a learner can be told the rows of a part: it chooses its reads, so that it needs
/// to know nothing about the other rows, and no limit is shared with other parts.
pub(super) fn can_be_told<L: Parameters + ?Sized>(learner: &L, needs: &Needs) -> bool {
    let is_free = |name: &str| learner.get(name).is_none_or(|value| value == "auto");
    needs.chooses() && is_free(TOTAL_BUDGET.name) && is_free(TOTAL_COST.name)
}

/// A learner, and what its rows so far have shown beside its own report.
pub(super) struct Told<L> {
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

impl<L: AskTell> Told<L> {
    pub(super) fn new(learner: L, fit: fn(&L, &dyn Monitor) -> Result<Fit>) -> Told<L> {
        Told {
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

/// Starts a recipe for the rows of a part.
pub(super) fn told<I: Iterate + 'static>(
    recipe: Recipe,
    facts: &PartFacts<'_>,
) -> Result<Option<Box<dyn Steps>>> {
    let signs = recipe.loss.needs_classes();
    let known = facts.moments.map(|moments| (moments, facts.target_square));
    let sgd = Sgd::<I>::new(recipe, facts.layout, known)?;
    sgd.check_first_phase(facts.rows)?;
    let fit = |learner: &Sgd<I>, monitor: &dyn Monitor| {
        let mut fit = learner.fitted(monitor)?;
        fit.report.stop = Stop::OnePass;
        Ok(fit)
    };
    Ok(Some(Box::new(Told { signs, ..Told::new(sgd, fit) })))
}

impl<L: AskTell> Steps for Told<L> {
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
