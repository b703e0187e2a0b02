//! Implements [`Learner`] for types that provide a [`Recipe`].

use super::classes::uncentred;
use super::descent::recipe::Recipe;
use super::descent::sgd::Sgd;
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
/// `gradient_learner` makes a learner of such a type, with ask and tell, fits, curves and saved states.
pub trait Budgeted: Described {
    /// Iterate that holds the weights.
    type Iterate: Iterate + 'static;
    /// Returns the grid that cross-validation searches.
    fn grid() -> Grid;

    /// Returns the recipe for a budget of at most the number of panels.
    ///
    /// # Errors
    /// If the budget is too small.
    fn recipe(&self, reads: Reads) -> Result<Recipe>;
}

/// Checks parameters and budgets, and returns the recipe. If no horizon is set, it is the number of
/// examples that the total budget allows, and at most `examples`.
pub(crate) fn recipe<B: Budgeted>(
    (learner, budget): (&B, Option<u64>),
    layout: &Layout,
    examples: Option<u64>,
) -> Result<Recipe> {
    learner.check()?;
    let reads = Reads::of(budget, layout)?;
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

/// Declares a gradient learner: its parameters are the radius, its own, and those that all have. Implements
/// `Learner` for it by its [`Budgeted`].
macro_rules! gradient_learner {
    ($(#[$meta:meta])* pub struct $Name:ident {
        name: $label:literal, title: $title:literal, source: $source:literal;
        radius: $radius:literal, average: $average:ident;
        $($field:ident : $Type:ty = $default:expr, $declaration:ident;)*
    }) => {
        halfseen_core::params::parameters! {
            $(#[$meta])*
            pub struct $Name {
                name: $label, family: Budget, title: $title, source: $source;
                budget: Option<u64> = None, BUDGET;
                total_budget: Option<u64> = None, TOTAL_BUDGET;
                total_cost: Option<f64> = None, TOTAL_COST;
                max_cost: Option<f64> = None, MAX_COST;
                radius: f64 = $radius, RADIUS;
                $($field: $Type = $default, $declaration;)*
                centre: halfseen_core::params::Centre = halfseen_core::params::Centre::Running, CENTRE;
                average: halfseen_core::params::Average = halfseen_core::params::Average::$average, AVERAGE;
                truncate: Option<u64> = None, TRUNCATE;
                intercept: bool = true, INTERCEPT;
                horizon: Option<u64> = None, HORIZON;
                seed: u64 = 0, SEED;
            }
        }

        const _: () = {
            use halfseen_core::asking::pass::no_examples;
            use halfseen_core::data::{Examples, Layout};
            use halfseen_core::error::Result;
            use halfseen_core::learner::{AskTell, FitSize, Grid, InParts, Learner, Needed, Steps};
            use halfseen_core::model::Fit;
            use halfseen_solve::Monitor;
            use std::sync::Arc;
            use $crate::budgeted::{fit_curve, recipe};
            use $crate::descent::batches;
            use $crate::{Budgeted, Sgd};

            type Iterate = <$Name as Budgeted>::Iterate;

            impl Learner for $Name {
                fn grid(&self) -> Grid {
                    <Self as Budgeted>::grid()
                }

                fn needed(&self, size: &FitSize) -> Needed {
                    Needed::of(size, 0.0)
                }

                fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
                    let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
                    fits.into_iter().next_back().ok_or_else(|| no_examples(Self::NAME))
                }

                fn learn_curve(
                    &self,
                    counts: &[usize],
                    examples: &Examples<'_>,
                    monitor: &dyn Monitor,
                ) -> Result<Vec<Fit>> {
                    if examples.is_empty() {
                        return Err(no_examples(Self::NAME));
                    }
                    let most = Some(examples.len() as u64);
                    let recipe = recipe((self, self.budget), examples.layout, most)?;
                    fit_curve::<Iterate>(recipe, counts, examples, monitor)
                }

                fn in_parts(&self, _: usize) -> Option<InParts> {
                    batches::in_parts(self, &self.needs())
                }

                fn steps(&self, layout: &Arc<Layout>, rows: u64) -> Result<Option<Box<dyn Steps>>> {
                    let recipe = recipe((self, self.budget), layout, Some(rows))?;
                    batches::batches::<Iterate>(recipe, layout, rows)
                }

                fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
                    let recipe = recipe((self, self.budget), layout, None)?;
                    Ok(Some(Box::new(Sgd::<Iterate>::new(recipe, layout, None)?)))
                }

                fn proceed(
                    &self,
                    layout: &Arc<Layout>,
                    state: serde_json::Value,
                ) -> Result<Option<Box<dyn AskTell>>> {
                    let recipe = recipe((self, self.budget), layout, None)?;
                    Ok(Some(Box::new(Sgd::<Iterate>::resume(recipe, layout, state)?)))
                }
            }
        };
    };
}

pub(crate) use gradient_learner;
