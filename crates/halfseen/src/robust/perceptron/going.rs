//! Takes the perceptron's steps through rows that come batch by batch, and keeps none.
//!
//! The margin and the step of the theorem depend on the mean size and the largest length of a row. They
//! are not among the sums over the rows, but bounds of them are: E |x|_1 is at most the sum of the roots
//! of E x_j^2, and |x|_2^2 at most the sum over attributes of their largest squares. The theorem holds for
//! any bound on the lengths. With `margin` and `step` given nothing differs from a fit in memory.

use super::super::margin::{size_bound, usual_margin};
use super::super::values::threat_of_given;
use super::{Attack, RobustPerceptron, Walk};
use crate::data::{Examples, Layout, Threat};
use crate::error::{ErrorKind, Result};
use crate::learner::{PartFacts, STEPS, Steps, refuse_weights};
use crate::model::{Fit, Linear, Predictor, Report, Stop};
use crate::params::{AttributeCosts, Damage, Deletions};
use crate::robust::{RobustHinge, Rows};
use halfseen_solve::Monitor;
use std::sync::Arc;
use std::time::Instant;

const NAME: &str = "robust-perceptron";

/// Returns true if one pass over the rows is all: nothing is chosen by rows held out, and neither costs
/// nor margins are measured.
pub(super) fn able(learner: &RobustPerceptron) -> bool {
    learner.passes == 1
        && learner.costs != AttributeCosts::Information
        && learner.damage == Damage::Deletion
        && learner.deletions == Deletions::Fractional
}

/// A pass, with the hypotheses of two classes, or of each of several against the rest.
pub(super) struct Going {
    threat: Threat,
    margin: f64,
    walks: Vec<Walk>,
    layout: Arc<Layout>,
    rows: usize,
    began: Instant,
}

impl Going {
    pub(super) fn new(learner: &RobustPerceptron, facts: &PartFacts<'_>) -> Result<Option<Going>> {
        let Some(moments) = facts.moments else { return Ok(None) };
        let (d, layout) = (facts.layout.slots(), Arc::clone(facts.layout));
        let threat = threat_of_given(&learner.costs, learner.threat, &layout)?;
        let size = size_bound(&moments.square);
        let margin = learner.margin.unwrap_or_else(|| usual_margin(&threat, size));
        let step = learner.step.resolve(learner.theory_of(facts.longest_square, d, facts.rows)?);
        let walk = || {
            let walk = Walk::new(d, learner.box_radius, learner.intercept);
            Walk { step, ..walk }
        };
        let walks =
            (0..if facts.classes > 2 { facts.classes } else { 1 }).map(|_| walk()).collect();
        Ok(Some(Going { threat, margin, walks, layout, rows: 0, began: Instant::now() }))
    }
}

impl Steps for Going {
    fn learn(&mut self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<()> {
        refuse_weights(NAME, examples, STEPS)?;
        // More than two classes have no number each; rows are of signs.
        let signs = vec![1.0; examples.targets.len()];
        let targets = if self.walks.len() > 1 { &signs } else { examples.targets };
        let rows = Rows::new(&Examples { targets, ..examples.clone() }, NAME)?;
        let hinge = RobustHinge { threat: &self.threat, margin: self.margin };
        let attack = Attack { hinge, deletions: Deletions::Fractional };
        let mut room = hinge.scratch();
        for row in 0..rows.len() {
            if row % super::BETWEEN_LOOKS == 0 && monitor.should_stop() {
                return Err(ErrorKind::Interrupted { during: "learning" }.into());
            }
            let code = examples.code(row).unwrap_or(0) as usize;
            let several = self.walks.len() > 1;
            for (class, walk) in self.walks.iter_mut().enumerate() {
                let is = if several { code == class } else { code == 1 };
                walk.learn(&attack, &rows, row, if is { 1.0 } else { -1.0 }, &mut room);
            }
        }
        self.rows += rows.len();
        Ok(())
    }

    fn fit(&mut self, _: &dyn Monitor) -> Result<Fit> {
        let layout = &self.layout;
        let linear = |walk: &Walk| {
            let (by_slot, intercept) = walk.average();
            let d = by_slot.len();
            let weights: Vec<f64> = (0..d).map(|column| by_slot[layout.slot(column)]).collect();
            let odd = weights.iter().copied().chain([intercept]).find(|number| !number.is_finite());
            match odd {
                Some(value) => Err(ErrorKind::Diverged { what: "a weight", value }.into()),
                None => Ok(Linear { weights, intercept, fill: vec![0.0; d], clip: None }),
            }
        };
        let outputs = self.walks.iter().map(linear).collect::<Result<_>>()?;
        let predictor = Predictor::of_outputs(outputs, true);
        let mut report =
            Report::full(NAME, Stop::OnePass, self.rows, layout.sampled_panels()).paid(layout);
        (report.threat, report.passes) = (Some(self.threat.clone()), Some(1));
        report.seconds = self.began.elapsed().as_secs_f64();
        Ok(Fit { predictor, report })
    }
}
