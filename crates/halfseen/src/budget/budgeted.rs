//! Implements [`Learner`] for every type that provides a [`Recipe`].

use super::classes::uncentred;
use super::recipe::Recipe;
use super::sgd::Sgd;
use super::told::{in_parts, told};
use crate::asking::allowance::{Reads, affordable, affordable_cost};
use crate::asking::check_moments;
use crate::asking::pass::{self, one_pass};
use crate::data::{Examples, Layout};
use crate::error::Result;
use crate::learner::{AskTell, FitSize, Grid, InParts, Learner, Needed, Steps};
use crate::model::Fit;
use crate::params::Described;
use halfseen_solve::Monitor;
use halfseen_solve::iterate::Iterate;
use std::sync::Arc;

/// Budgeted gradient learner: parameters, and the recipe that they stand for.
///
/// Implementing this trait provides [`Learner`], with ask and tell, fits, curves and saved states.
pub trait Budgeted: Described {
    /// Iterate that holds the weights.
    type Iterate: Iterate + 'static;
    /// Returns the grid that cross-validation searches.
    fn grid() -> Grid;

    /// Returns the budget parameter; `None` is auto.
    fn budget(&self) -> Option<u64>;

    /// Returns the recipe for a budget of at most the number of panels.
    ///
    /// # Errors
    /// If the budget is too small.
    fn recipe(&self, reads: Reads) -> Result<Recipe>;
}

/// Checks parameters and budgets, and returns the recipe. If no horizon is set, it is the number of
/// examples that the total budget allows, and at most `examples`.
fn recipe<B: Budgeted>(learner: &B, layout: &Layout, examples: Option<u64>) -> Result<Recipe> {
    learner.check()?;
    let reads = Reads::of(learner.budget(), layout)?;
    completed(learner.recipe(reads)?, (reads, layout), reads.budget as f64, examples)
}

/// Returns a recipe with its horizon, if that follows from a total budget or cost, at `mean` reads
/// per example on average, or from the number of examples.
pub(super) fn completed(
    mut recipe: Recipe,
    (reads, layout): (Reads, &Layout),
    mean: f64,
    examples: Option<u64>,
) -> Result<Recipe> {
    let afford = |total| {
        affordable(total, reads.budget as u64)
            .map(|most| most.min((total as f64 / mean) as u64).max(1))
    };
    let affordable = recipe.total_budget.map(afford).transpose()?;
    let paid = |total| affordable_cost(total, recipe.max_cost, reads, layout);
    let paid = recipe.total_cost.map(paid).transpose()?;
    let examples = affordable.into_iter().chain(paid).chain(examples).min();
    recipe.pace.horizon = recipe.pace.horizon.or(examples);
    Ok(recipe)
}

/// Fits one recipe to all examples; see [`Learner::fit_curve`].
pub(super) fn fit_curve<I: Iterate>(
    recipe: Recipe,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    check_moments(examples, recipe.centre)?;
    let classes = recipe.loss.needs_classes().then(|| uncentred(examples)).transpose()?;
    let (targets, centre) =
        classes.as_ref().map_or((examples.targets, 0.0), |(targets, centre)| (targets, *centre));
    let examples = &Examples { targets, ..examples.clone() };
    let seed = recipe.seed;
    let facts = examples.moments.map(|moments| (moments, examples.target_square()));
    let mut sgd = Sgd::<I>::new(recipe, examples.layout, facts)?;
    sgd.check_first_phase(examples.len() as u64)?;
    sgd.count_mask(examples)?;
    let mut fits = one_pass(&mut sgd, seed, counts, examples, monitor)?;
    for fit in &mut fits {
        let mut linear = fit.linear()?.clone();
        linear.intercept -= centre;
        fit.predictor = linear.into();
    }
    Ok(fits)
}

impl<B: Budgeted> Learner for B {
    fn grid(&self) -> Grid {
        B::grid()
    }

    fn needed(&self, size: &FitSize) -> Needed {
        Needed::of(size, 0.0)
    }

    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
        fits.into_iter().next_back().ok_or_else(|| pass::no_examples(B::NAME))
    }

    fn learn_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        if examples.is_empty() {
            return Err(pass::no_examples(B::NAME));
        }
        let recipe = recipe(self, examples.layout, Some(examples.len() as u64))?;
        fit_curve::<B::Iterate>(recipe, counts, examples, monitor)
    }

    fn in_parts(&self, _: usize) -> Option<InParts> {
        in_parts(self, &self.needs())
    }

    fn steps(&self, layout: &Arc<Layout>, rows: u64) -> Result<Option<Box<dyn Steps>>> {
        told::<B::Iterate>(recipe(self, layout, Some(rows))?, layout, rows)
    }

    fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = recipe(self, layout, None)?;
        Ok(Some(Box::new(Sgd::<B::Iterate>::new(recipe, layout, None)?)))
    }

    fn proceed(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = recipe(self, layout, None)?;
        Ok(Some(Box::new(Sgd::<B::Iterate>::resume(recipe, layout, state)?)))
    }
}
