//! Learns by keeping the reads: fits the joint distribution of attributes and target, and is tuned
//! on the reads alone.
//!
//! k attributes of every example are read and kept with the target. At first every set of k is
//! equally likely; later attributes that add more to the prediction are read more often (`design =
//! uniform` keeps the first rule). When a predictor is asked for, the likelihood of all reads is
//! increased over a family of joint distributions: a factor model x_j = mu_j + W_j z + e_j, y = c +
//! g z + e with z ~ N(0, I_r), and refinements of it. The predictor is the regression of y on all x
//! under the fitted distribution. The candidates are compared by held-out reads on folds of the
//! examples, so tuning needs no examples beyond the budget.
//!
//! The choice of reads depends on earlier reads alone, so the likelihood can ignore it (Rubin
//! 1976), for uniform sets and for `design = adaptive`. The same holds for refused reads, and for
//! missing values of a table (`passive = all`), if missingness does not depend on the value.
//!
//! Guarantee: none is claimed. Under the factor model the estimate is consistent for k >= 2. With
//! k = 1 no two attributes are observed together, and only the covariance of each attribute with
//! the target can be learned.
//!
//! Sources: D. Rubin, "Inference and missing data", Biometrika 1976; D. Rubin and D. Thayer, "EM
//! algorithms for ML factor analysis", Psychometrika 1982; A. Dempster, N. Laird and D. Rubin,
//! "Maximum likelihood from incomplete data via the EM algorithm", JRSS B 1977.

mod alike;
mod asker;
mod average;
mod basis;
mod batched_cholesky;
mod candidates;
mod column;
mod covariance;
#[cfg(test)]
mod curve_trials;
mod dense;
mod design;
mod deviations;
mod estimate;
mod factor;
mod fitting;
mod folds;
mod forms;
mod judge;
mod lacking;
mod link;
mod low_rank;
#[cfg(test)]
mod observing_tests;
mod own_test;
mod pilot;
#[cfg(test)]
mod pilot_tests;
mod posterior;
mod precision;
mod predicting;
#[cfg(test)]
mod priced_tests;
mod read_design;
mod read_summary;
mod reads;
mod score;
mod simd4;
mod small_cholesky;
mod standard;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod trials;
mod watch;
mod workspace;

use asker::Asker;
use halfseen_core::asking::{check_moments, pass};
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::Result;
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::{AskTell, FitSize, Grid, Learner, Needed};
use halfseen_core::model::{Fit, Note};
use halfseen_core::params::{Centre, Design, Link, Needs, Passive, Shape, Targets, parameters};
use halfseen_solve::Monitor;
use std::sync::Arc;

parameters! {
    /// Parameters of the learner that keeps its reads, and the learner itself.
    pub struct Fiml {
        name: "fiml", family: Budget,
        title: "FIML: keeps the reads, fits the joint distribution of attributes and target, tunes itself on the reads alone",
        source: "ours";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        max_cost: Option<f64> = None, MAX_COST;
        total_cost: Option<f64> = None, TOTAL_COST;
        design: Design = Design::Adaptive, DESIGN;
        shape: Shape = Shape::Auto, SHAPE;
        passive: Passive = Passive::No, PASSIVE;
        rank: Option<u64> = None, RANK;
        folds: u64 = 3, FOLDS;
        deviations: u64 = 0, DEVIATIONS;
        link: Link = Link::Identity, LINK;
        seed: u64 = 0, SEED;
    }
}

impl Learner for Fiml {
    /// Returns nothing: it tunes itself.
    fn grid(&self) -> Grid {
        Grid::new(&[])
    }

    fn needed(&self, size: &FitSize) -> Needed {
        fitting::needed(self, size)
    }

    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
        fits.into_iter().next_back().ok_or_else(|| pass::no_examples(Self::NAME))
    }

    /// Makes one pass, with a fit at each of the numbers of examples.
    fn learn_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        if examples.is_empty() {
            return Err(pass::no_examples(Self::NAME));
        }
        check_moments(examples, Centre::None)?;
        let mut asker = Asker::new(self, examples.layout)?;
        let classes = examples.classes();
        examples.pilot.map_or(Ok(()), |pilot| asker.take_pilot(pilot, classes))?;
        let informative = informative_holes(self, examples);
        pass::one_pass_with(&mut asker, self.seed, counts, examples, monitor, |pass, stop| {
            let mut fit = pass.learner().fit(stop, monitor)?;
            let stop = fit.report.stop;
            fit.report.notes.extend(informative.iter().cloned());
            fit.report = pass.noted(fit.report, stop);
            Ok(fit)
        })
    }

    fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        Ok(Some(Box::new(Asker::new(self, layout)?)))
    }

    fn proceed(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        Ok(Some(Box::new(Asker::resume(self, layout, state)?)))
    }

    /// Accepts missing cells: they are refused reads, or simply not observed.
    fn needs(&self) -> Needs {
        let fits_to_answers = self.design == Design::Adaptive;
        let weighs = self.shape == Shape::Linear;
        let targets = Targets::Any;
        Needs {
            holes: true,
            plain_classes: true,
            targets,
            multiplies: true,
            fits_to_answers,
            weighs,
            pilot: true,
            ..Needs::of(self)
        }
    }
}

/// Returns a note if missingness in passively observed rows is associated with the target.
fn informative_holes(learner: &Fiml, examples: &Examples<'_>) -> Option<Note> {
    if learner.passive == Passive::No {
        return None;
    }
    MissingnessSummary::of(examples).informative_holes()
}

/// Returns the learners of this family.
#[doc(hidden)]
pub fn learners() -> Vec<Box<dyn Learner>> {
    vec![Box::new(Fiml::default())]
}

/// Loads a learner saved by [`AskTell::save`], as the registry does.
#[cfg(test)]
fn load(state: &serde_json::Value) -> Result<Box<dyn AskTell>> {
    let saved = halfseen_core::asking::Saved::read(state)?;
    assert_eq!(saved.learner, "fiml");
    let mut learner = Fiml::default();
    halfseen_core::params::set_from_json(&mut learner, &saved.params)?;
    saved.resumed(&learner)
}
