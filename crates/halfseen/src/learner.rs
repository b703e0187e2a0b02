//! Defines what every learner offers, and how it asks and is told.

pub(crate) mod missingness;
mod model;
mod query;
pub(crate) mod together;

pub(crate) use query::hex;
pub use query::{AskTell, ColumnTerm, Query, Read, Role, TellOutcome};

use crate::data::{Examples, Layout};
use crate::error::{ErrorKind, Result};
use crate::model::Fit;
use crate::params::{Described, Needs, PASSIVE, Parameters};

pub use crate::params::Family;
use halfseen_solve::Monitor;
use std::sync::Arc;

/// A learner with its parameters: what [`find`](crate::registry::find) returns, and what a new
/// method implements.
pub trait Learner: Named + Parameters + std::fmt::Debug + Send + Sync {
    /// The grid that cross-validation searches.
    fn grid(&self) -> Grid;

    /// Learns from examples.
    ///
    /// # Errors
    /// Parameters out of range, data that this family cannot use, numerical failure.
    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit>;

    /// Learns with each setting of a grid. Learners whose settings share work override this.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn fit_grid(
        &self,
        settings: &[Setting],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        settings
            .iter()
            .map(|setting| with(self.clone_box(), setting)?.fit(examples, monitor))
            .collect()
    }

    /// What has been learned after each of the given numbers of examples (increasing). One-pass
    /// learners override this with one run.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn fit_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        counts.iter().map(|&count| self.fit(&examples.prefix(count), monitor)).collect()
    }

    /// The learner as something that asks and is told; `None` outside the budgeted family.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn start(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        let _ = layout;
        Ok(None)
    }

    /// Goes on from the state of a saved learner with these parameters; `None` outside the budgeted
    /// family. See [`registry::load`](crate::registry::load).
    ///
    /// # Errors
    /// If the state is not one of these parameters and this layout.
    fn resume(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        let _ = (layout, state);
        Ok(None)
    }

    /// What it wants of its data, and what it can do with them.
    ///
    /// Learners that solve a problem over all rows take weights of rows. Those that sample do not,
    /// as two reads of a row are not one read twice; nor do those that step once for each row, as a
    /// doubled step is not two steps; nor matrix completion, as duplicating a row keeps the rank but
    /// changes the nuclear norm.
    fn needs(&self) -> Needs {
        Needs::of_family(self.family(), self)
    }
}

/// What a learner is called and where it comes from, of any learner: [`Described`] has the same of
/// each, and gives it.
pub trait Named {
    /// The name in the program and in files.
    fn name(&self) -> &'static str;

    /// What it is, in one line.
    fn title(&self) -> &'static str;

    /// Where it comes from: paper, algorithm, theorem.
    fn source(&self) -> &'static str;

    /// What it may look at, and when.
    fn family(&self) -> Family;

    /// A copy.
    fn clone_box(&self) -> Box<dyn Learner>;
}

impl<L: Described + Learner> Named for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn title(&self) -> &'static str {
        L::TITLE
    }

    fn source(&self) -> &'static str {
        L::SOURCE
    }

    fn family(&self) -> Family {
        L::FAMILY
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Learner> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}

/// Has a learner that can do both, choose what it reads or take every cell that is there, take
/// everything where no budget says how much to read: what the program and Python make of one
/// without a budget.
///
/// # Errors
/// None, of the learners that there are.
pub fn take_all_without_a_budget(learner: &mut dyn Learner) -> Result<()> {
    let needs = learner.needs();
    if needs.holes && needs.either && needs.chooses() && !needs.budgeted {
        learner.set(PASSIVE.name, "all")?;
    }
    Ok(())
}

/// Why learners that sample take no weights.
pub(crate) const SAMPLES: &str =
    "as it reads a sample of each row once, which weight 2 cannot repeat";
/// Why learners of one pass take no weights.
pub(crate) const STEPS: &str =
    "as it makes one step for each row, and one of twice the length is not two";

/// Refuses weights of rows, whatever they are.
///
/// # Errors
/// [`ErrorKind::TakesNoWeights`].
pub(crate) fn refuse_weights(
    learner: &str,
    examples: &Examples<'_>,
    reason: &'static str,
) -> Result<()> {
    if examples.weights.is_none() {
        return Ok(());
    }
    Err(ErrorKind::TakesNoWeights { learner: learner.to_owned(), reason }.into())
}

/// Values for some parameters, by name.
pub type Setting = Vec<(&'static str, String)>;

/// The values to try for each parameter; the grid is their product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid(pub Vec<(&'static str, Vec<String>)>);

impl Grid {
    /// A grid from words.
    pub fn new(axes: &[(&'static str, &[&str])]) -> Grid {
        Grid(
            axes.iter()
                .map(|(name, values)| (*name, values.iter().map(|v| (*v).to_owned()).collect()))
                .collect(),
        )
    }

    /// The grid without the parameters of these names.
    pub fn without(mut self, fixed: &[String]) -> Grid {
        self.0.retain(|(name, _)| !fixed.iter().any(|f| f == name));
        self
    }

    /// Every combination, the last parameter varying fastest.
    pub fn settings(&self) -> Vec<Setting> {
        self.0.iter().fold(vec![Vec::new()], |settings, (name, values)| {
            let extend = |s: &Setting| {
                let s = s.clone();
                values
                    .iter()
                    .map(move |v| [s.clone(), vec![(*name, v.clone())]].concat())
                    .collect::<Vec<_>>()
            };
            settings.iter().flat_map(extend).collect()
        })
    }
}

/// A learner with some parameters set.
///
/// # Errors
/// Unknown names and values out of range.
pub fn with(mut learner: Box<dyn Learner>, setting: &Setting) -> Result<Box<dyn Learner>> {
    for (name, value) in setting {
        learner.set(name, value)?;
    }
    Ok(learner)
}

/// A copy of a learner with a setting of its grid, checked.
pub(crate) fn configured<L: Parameters + Clone>(learner: &L, setting: &Setting) -> Result<L> {
    let mut copy = learner.clone();
    for (name, value) in setting {
        copy.set(name, value)?;
    }
    copy.check()?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_the_product_of_its_axes() {
        let grid = Grid::new(&[("radius", &["1", "2"]), ("step", &["theory", "3x"])]);
        let settings = grid.settings();
        assert_eq!(settings.len(), 4);
        assert_eq!(settings[1], vec![("radius", "1".to_owned()), ("step", "3x".to_owned())]);
    }
}
