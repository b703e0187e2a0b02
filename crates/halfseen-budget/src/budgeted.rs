//! Implements [`Learner`] for types that provide a [`Recipe`].

use super::classes::uncentred;
use super::recipe::Recipe;
use super::sgd::Sgd;
use halfseen_core::asking::allowance::{Reads, affordable, affordable_cost};
use halfseen_core::asking::check_moments;
use halfseen_core::asking::pass::one_pass;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::model::Fit;
use halfseen_core::params::Described;
use halfseen_solve::Monitor;
use halfseen_solve::iterate::Iterate;

/// Budgeted gradient learner: parameters, and the recipe that they stand for.
///
/// [`learn_from_recipe`] implements [`Learner`] for such a type, with ask and tell, fits, curves and saved
/// states.
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
pub(crate) fn recipe<B: Budgeted>(
    learner: &B,
    layout: &Layout,
    examples: Option<u64>,
) -> Result<Recipe> {
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

/// Implements [`Learner`] for a type that is [`Budgeted`].
macro_rules! learn_from_recipe {
    ($Name:ident) => {
        impl halfseen_core::learner::Learner for $Name {
            fn grid(&self) -> halfseen_core::learner::Grid {
                <Self as $crate::Budgeted>::grid()
            }

            fn needed(
                &self,
                size: &halfseen_core::learner::FitSize,
            ) -> halfseen_core::learner::Needed {
                halfseen_core::learner::Needed::of(size, 0.0)
            }

            fn learn(
                &self,
                examples: &halfseen_core::data::Examples<'_>,
                monitor: &dyn halfseen_solve::Monitor,
            ) -> halfseen_core::error::Result<halfseen_core::model::Fit> {
                let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
                fits.into_iter()
                    .next_back()
                    .ok_or_else(|| halfseen_core::asking::pass::no_examples(Self::NAME))
            }

            fn learn_curve(
                &self,
                counts: &[usize],
                examples: &halfseen_core::data::Examples<'_>,
                monitor: &dyn halfseen_solve::Monitor,
            ) -> halfseen_core::error::Result<Vec<halfseen_core::model::Fit>> {
                if examples.is_empty() {
                    return Err(halfseen_core::asking::pass::no_examples(Self::NAME));
                }
                let recipe =
                    $crate::budgeted::recipe(self, examples.layout, Some(examples.len() as u64))?;
                $crate::budgeted::fit_curve::<<Self as $crate::Budgeted>::Iterate>(
                    recipe, counts, examples, monitor,
                )
            }

            fn in_parts(&self, _: usize) -> Option<halfseen_core::learner::InParts> {
                $crate::told::in_parts(self, &self.needs())
            }

            fn steps(
                &self,
                layout: &std::sync::Arc<halfseen_core::data::Layout>,
                rows: u64,
            ) -> halfseen_core::error::Result<Option<Box<dyn halfseen_core::learner::Steps>>> {
                $crate::told::told::<<Self as $crate::Budgeted>::Iterate>(
                    $crate::budgeted::recipe(self, layout, Some(rows))?,
                    layout,
                    rows,
                )
            }

            fn begin(
                &self,
                layout: &std::sync::Arc<halfseen_core::data::Layout>,
            ) -> halfseen_core::error::Result<Option<Box<dyn halfseen_core::learner::AskTell>>>
            {
                let recipe = $crate::budgeted::recipe(self, layout, None)?;
                Ok(Some(Box::new($crate::Sgd::<<Self as $crate::Budgeted>::Iterate>::new(
                    recipe, layout, None,
                )?)))
            }

            fn proceed(
                &self,
                layout: &std::sync::Arc<halfseen_core::data::Layout>,
                state: serde_json::Value,
            ) -> halfseen_core::error::Result<Option<Box<dyn halfseen_core::learner::AskTell>>>
            {
                let recipe = $crate::budgeted::recipe(self, layout, None)?;
                Ok(Some(Box::new($crate::Sgd::<<Self as $crate::Budgeted>::Iterate>::resume(
                    recipe, layout, state,
                )?)))
            }
        }
    };
}

pub(crate) use learn_from_recipe;
