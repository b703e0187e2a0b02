//! Defines the interface of every learner, and the ask-and-tell protocol.

mod in_parts;
pub mod missingness;
mod model;
pub mod one_against_rest;
mod query;
pub mod size;
pub mod together;

pub use in_parts::{ByFeatures, FeatureRows, InParts, Steps};
pub use missingness::MissingnessSummary;
pub use one_against_rest::each_class;
pub use query::{Answer, AskTell, ColumnTerm, Query, Read, ReadRole, ReadRows, TellOutcome};
pub(crate) use query::{ask_then_tell, chooses, takes_only_answers};
pub use size::{FitSize, Needed};

use crate::data::{Examples, Layout};
use crate::error::{ErrorKind, Result};
use crate::model::Fit;
use crate::params::{Described, Needs, PASSIVE, Parameters};

pub use crate::params::Family;
pub use halfseen_solve::Monitor;
use std::sync::Arc;

/// Learner with its parameters, as `registry::find` returns it; every method
/// implements this trait.
pub trait Learner: Named + Parameters + std::fmt::Debug + Send + Sync {
    /// Returns the grid that cross-validation searches.
    fn grid(&self) -> Grid;

    /// Learns from examples.
    ///
    /// # Errors
    /// Parameters out of range, data that this family cannot use, numerical failure;
    /// [`ErrorKind::TooMuchMemory`] before anything is allocated.
    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        size::admit(self, &[], 1, examples)?;
        self.learn(examples, monitor)
    }

    /// Learns with each setting of a grid.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn fit_grid(
        &self,
        settings: &[Assignments],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        size::admit(self, settings, 1, examples)?;
        self.learn_grid(settings, examples, monitor)
    }

    /// Returns the fits after each of the given numbers of examples (increasing).
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn fit_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        size::admit(self, &[], counts.len(), examples)?;
        self.learn_curve(counts, examples, monitor)
    }

    /// Returns the learner as one that asks and is told; `None` outside the budgeted family.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn start(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        size::admit_layout(self, layout)?;
        self.begin(layout)
    }

    /// Continues from the state of a saved learner with these parameters; `None` outside the
    /// budgeted family. See `registry::load`.
    ///
    /// # Errors
    /// A state of other parameters or another layout; as [`Learner::fit`].
    fn resume(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        size::admit_layout(self, layout)?;
        self.proceed(layout, state)
    }

    /// Returns how it learns this many classes (0: numbers) without holding all rows; `None` if it
    /// needs all rows at once. See `partial::Partial`.
    fn in_parts(&self, classes: usize) -> Option<InParts> {
        let _ = classes;
        None
    }

    /// Starts a fit that goes through a number of rows once; `None` unless it learns by
    /// [`InParts::Stream`].
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn steps(&self, layout: &Arc<Layout>, rows: u64) -> Result<Option<Box<dyn Steps>>> {
        let _ = (layout, rows);
        Ok(None)
    }

    /// Returns the features of rows with these panels and classes (0: numbers), over which sums are all
    /// that a fit needs; `None` unless it learns by [`InParts::Features`].
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn by_features(&self, layout: &Layout, classes: usize) -> Result<Option<Box<dyn ByFeatures>>> {
        let _ = (layout, classes);
        Ok(None)
    }

    /// Returns an upper estimate of the memory of a fit to data of this size, beside the table.
    fn needed(&self, size: &FitSize) -> Needed;

    /// Implements [`Learner::fit`], which has checked the memory.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit>;

    /// Implements [`Learner::fit_grid`], which has checked the memory. Learners whose settings
    /// share work override this.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn learn_grid(
        &self,
        settings: &[Assignments],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        settings
            .iter()
            .map(|setting| with(self.clone_box(), setting)?.learn(examples, monitor))
            .collect()
    }

    /// Implements [`Learner::fit_curve`], which has checked the memory. One-pass learners override
    /// this with one run.
    ///
    /// # Errors
    /// As [`Learner::fit`].
    fn learn_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        counts.iter().map(|&count| self.learn(&examples.prefix(count), monitor)).collect()
    }

    /// Implements [`Learner::start`].
    ///
    /// # Errors
    /// As [`Learner::start`].
    fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        let _ = layout;
        Ok(None)
    }

    /// Implements [`Learner::resume`].
    ///
    /// # Errors
    /// As [`Learner::resume`].
    fn proceed(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        let _ = (layout, state);
        Ok(None)
    }

    /// Returns the requirements on the data, and the abilities of the learner.
    ///
    /// Learners that solve a problem over all rows accept row weights. Others do not: for learners
    /// that sample, two reads of a row are not one read twice; for learners with one step per row,
    /// a doubled step is not two steps; for matrix completion, duplicating a row keeps the rank but
    /// changes the nuclear norm.
    fn needs(&self) -> Needs {
        Needs::of_family(self.family(), self)
    }
}

/// Name and source of any learner, as an object; [`Described`] has the same as constants of each
/// type, and implements this trait.
pub trait Named {
    /// Returns the name in the program and in files.
    fn name(&self) -> &'static str;

    /// Returns a description in one line.
    fn title(&self) -> &'static str;

    /// Returns the source: paper, algorithm, theorem.
    fn source(&self) -> &'static str;

    /// Returns the family, which says what the learner may read, and when.
    fn family(&self) -> Family;

    /// Returns a copy.
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

/// Sets a learner that can either choose its reads or take every observed cell to take all of them,
/// unless a budget limits the reads. The program and Python do this without a budget.
///
/// # Errors
/// None, for the existing learners.
pub fn take_all_without_a_budget(learner: &mut dyn Learner) -> Result<()> {
    let needs = learner.needs();
    if needs.holes && needs.either && needs.chooses() && !needs.budgeted {
        learner.set(PASSIVE.name, "all")?;
    }
    Ok(())
}

pub(crate) const SAMPLES: &str = "because it samples each row once, which weight 2 cannot repeat";
/// Reason of learners with one step per row for refusing weights.
pub const STEPS: &str =
    "because it takes one gradient step per row, and a doubled step is not two steps";

/// Rejects row weights.
///
/// # Errors
/// [`ErrorKind::Request`].
pub fn refuse_weights(learner: &str, examples: &Examples<'_>, reason: &'static str) -> Result<()> {
    if examples.weights.is_none() {
        return Ok(());
    }
    let problem = format!(
        "learner {learner} does not accept row weights, {reason}; omit them, or use a learner that accepts them, such as karma, robust-lp or ridge"
    );
    Err(ErrorKind::Request(problem).into())
}

/// Values of some parameters, by name.
pub type Assignments = Vec<(&'static str, String)>;

/// Values to try for each parameter; the grid is their product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid(pub Vec<(&'static str, Vec<String>)>);

impl Grid {
    /// Creates a grid from words.
    pub fn new(axes: &[(&'static str, &[&str])]) -> Grid {
        Grid(
            axes.iter()
                .map(|(name, values)| (*name, values.iter().map(|v| (*v).to_owned()).collect()))
                .collect(),
        )
    }

    /// Returns the grid without the parameters of these names.
    pub fn without(mut self, fixed: &[String]) -> Grid {
        self.0.retain(|(name, _)| !fixed.iter().any(|f| f == name));
        self
    }

    /// Returns every combination, the last parameter varying fastest.
    pub fn settings(&self) -> Vec<Assignments> {
        self.0.iter().fold(vec![Vec::new()], |settings, (name, values)| {
            let extend = |s: &Assignments| {
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

/// Returns a learner with some parameters set.
///
/// # Errors
/// Unknown names and values out of range.
pub fn with(mut learner: Box<dyn Learner>, setting: &Assignments) -> Result<Box<dyn Learner>> {
    for (name, value) in setting {
        learner.set(name, value)?;
    }
    Ok(learner)
}

/// Returns a checked copy of a learner with a setting of its grid.
pub fn configured<L: Parameters + Clone>(learner: &L, setting: &Assignments) -> Result<L> {
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
