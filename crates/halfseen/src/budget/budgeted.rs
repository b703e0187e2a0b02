//! Makes a learner of anything that can write its recipe.

use super::pass::{self, one_pass};
use super::query::AskTell;
use super::recipe::Recipe;
use super::sgd::Sgd;
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::iterate::Iterate;
use crate::learner::{Family, Grid, Learner};
use crate::model::Fit;
use crate::monitor::Monitor;
use crate::params::Parameters;
use crate::prepare::Layout;
use std::sync::Arc;

/// A budgeted gradient learner: parameters, and the row of the table that they stand for.
///
/// Implementing this makes a [`Learner`] of it, with ask and tell, fits, curves and saved states.
pub trait Budgeted: Parameters + Clone + std::fmt::Debug + Send + Sync + 'static {
    /// What is moved.
    type Iterate: Iterate + 'static;
    /// The name in the program and in files.
    const NAME: &'static str;
    /// What it is, in one line.
    const TITLE: &'static str;
    /// Paper, algorithm, theorem.
    const SOURCE: &'static str;

    /// The grid that cross-validation searches.
    fn grid() -> Grid;

    /// The budget parameter; `None` is auto.
    fn budget(&self) -> Option<u64>;

    /// The row of the table, for a budget that is less than the number of panels or equal to it.
    ///
    /// # Errors
    /// If the budget is too small.
    fn recipe(&self, reads: Reads) -> Result<Recipe>;
}

/// How many reads of one example there are to spend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// All reads of one example.
    pub budget: usize,
    /// The panels that can be read.
    pub panels: usize,
}

impl Reads {
    /// What a budget parameter says for a layout; `None` is auto: four, or all panels where there are fewer.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetTooLarge`].
    pub fn of(budget: Option<u64>, layout: &Layout) -> Result<Reads> {
        let panels = layout.sampled_panels();
        let budget = budget.map_or(panels.min(4), |k| usize::try_from(k).unwrap_or(usize::MAX));
        if budget > panels {
            return Err(ErrorKind::BudgetTooLarge { budget, panels }.into());
        }
        Ok(Reads { budget, panels })
    }

    /// Whether every panel can be read, so that nothing is sampled.
    pub fn all(self) -> bool {
        self.budget == self.panels
    }

    /// Refuses a budget below `least`, unless every panel can be read.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetTooSmall`].
    pub fn at_least(self, least: usize, learner: &str) -> Result<()> {
        if self.all() || self.budget >= least {
            return Ok(());
        }
        Err(ErrorKind::BudgetTooSmall { learner: learner.to_owned(), budget: self.budget, least }.into())
    }
}

/// Checks parameters and budget, and writes the recipe.
fn recipe<B: Budgeted>(learner: &B, layout: &Layout) -> Result<Recipe> {
    learner.check()?;
    learner.recipe(Reads::of(learner.budget(), layout)?)
}

/// Teaches one iterate all examples by a recipe; see [`Learner::fit_curve`].
pub(super) fn fit_curve<I: Iterate>(
    mut recipe: Recipe,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    recipe.pace.horizon = recipe.pace.horizon.or(Some(examples.len() as u64));
    let seed = recipe.seed;
    let facts = examples.moments.map(|moments| (moments, examples.target_square()));
    let mut sgd = Sgd::<I>::new(recipe, examples.layout, facts)?;
    one_pass(&mut sgd, seed, counts, examples, monitor)
}

impl<B: Budgeted> Learner for B {
    fn name(&self) -> &'static str {
        B::NAME
    }

    fn title(&self) -> &'static str {
        B::TITLE
    }

    fn source(&self) -> &'static str {
        B::SOURCE
    }

    fn family(&self) -> Family {
        Family::Budget
    }

    fn grid(&self) -> Grid {
        B::grid()
    }

    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let fits = self.fit_curve(&[examples.len()], examples, monitor)?;
        fits.into_iter().next_back().ok_or_else(|| pass::no_examples(B::NAME))
    }

    fn fit_curve(&self, counts: &[usize], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
        if examples.is_empty() {
            return Err(pass::no_examples(B::NAME));
        }
        fit_curve::<B::Iterate>(recipe(self, examples.layout)?, counts, examples, monitor)
    }

    fn start(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = recipe(self, layout)?;
        Ok(Some(Box::new(Sgd::<B::Iterate>::new(recipe, layout, None)?)))
    }

    fn resume(&self, layout: &Arc<Layout>, state: serde_json::Value) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = recipe(self, layout)?;
        Ok(Some(Box::new(Sgd::<B::Iterate>::resume(recipe, layout, state)?)))
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}
