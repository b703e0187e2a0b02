//! Solves the program for rows that come batch by batch: a chunk at a time, of which only the weights
//! and the bound are kept.
//!
//! All chunks share one margin, by a bound on the sizes of rows. The mean of their optima, each by its
//! rows, is at most the optimum over all rows, and one more pass ([`Losses`]) measures the mean loss of the
//! average of their weights. So the gap of the average is certified. That pass also measures constants,
//! and a constant of less loss is taken.

use super::super::cuts::{self, Loss};
use super::super::fit_context::{floored, unproven_note};
use super::super::margin::{margin_of, size_bound};
use super::super::values::threat_of_given;
use super::super::{RobustHinge, Rows};
use super::{CHUNKS, Classes, Optimum, RobustLp, certified};
use crate::data::{Examples, Layout, Threat};
use crate::error::{ErrorKind, Result};
use crate::learner::{
    ByLosses, FitSize, Learner, PartFacts, Steps, SumOfLosses, refuse_weights, size,
};
use crate::model::{Fit, Linear, Note, Predictor, Report, Stop};
use crate::params::AttributeCosts;
use halfseen_solve::Monitor;
use std::sync::Arc;
use std::time::Instant;

/// Returns true if chunks can share a threat: its costs are not measured on the rows.
pub(super) fn able(learner: &RobustLp, classes: usize) -> bool {
    learner.costs != AttributeCosts::Information && classes <= 2
}

/// Threat, margin and units that all chunks share.
struct Setting {
    learner: RobustLp,
    threat: Threat,
    margin: f64,
    notes: Vec<Note>,
    layout: Arc<Layout>,
    is_class: bool,
}

impl Setting {
    fn new(learner: &RobustLp, facts: &PartFacts<'_>) -> Result<Option<Setting>> {
        let Some(moments) = facts.moments else { return Ok(None) };
        let layout = Arc::clone(facts.layout);
        let threat = threat_of_given(&learner.costs, learner.threat, &layout)?;
        let is_class = facts.classes > 0;
        let mut notes: Vec<Note> = floored(&threat).into_iter().collect();
        let margin = if is_class {
            let rows = Rows::none(&layout, RobustLp::NAME)?;
            let &RobustLp { margin, box_radius, damage, confidence, .. } = learner;
            let size = size_bound(&moments.square);
            let margin = margin_of(margin, &threat, (&rows, size), box_radius, damage, confidence);
            notes.extend(margin.note);
            margin.gamma
        } else {
            learner.refuse_margin_and_noise()?;
            0.0
        };
        Ok(Some(Setting { learner: learner.clone(), threat, margin, notes, layout, is_class }))
    }

    fn hinge(&self) -> RobustHinge<'_> {
        RobustHinge { threat: &self.threat, margin: self.margin }
    }

    /// Returns the rows, and the sign or the scaled target of each.
    fn read(&self, examples: &Examples<'_>) -> Result<(Rows, Vec<f64>)> {
        refuse_weights("robust-lp in parts", examples, CHUNKS)?;
        let rows = Rows::new(examples, RobustLp::NAME)?;
        let sign = |code: Option<u32>| if code == Some(1) { 1.0 } else { -1.0 };
        let output = |i: usize| match self.is_class {
            true => sign(examples.code(i)),
            false => examples.target(i),
        };
        Ok((rows, (0..examples.len()).map(output).collect()))
    }

    fn loss<'a>(&'a self, outputs: &'a [f64]) -> Loss<'a> {
        match self.is_class {
            true => Loss::Hinge { signs: outputs, hinge: self.hinge() },
            false => {
                Loss::Quantile { targets: outputs, q: self.learner.quantile, threat: &self.threat }
            }
        }
    }

    fn solve(&self, rows: &Rows, outputs: &[f64], monitor: &dyn Monitor) -> Result<Optimum> {
        let all: Vec<usize> = (0..rows.len()).collect();
        if self.is_class {
            let classes = Classes { rows, signs: outputs, hinge: self.hinge() };
            return self.learner.optimum(&classes, &all, monitor);
        }
        self.learner.rounds(rows, &all, self.loss(outputs), monitor)
    }

    /// Returns the sum of the losses of weights, in the order of slots, and the number of rows of which
    /// it is not proven.
    fn sum(&self, rows: &Rows, outputs: &[f64], (weights, bias): (&[f64], f64)) -> (f64, usize) {
        let task = self.learner.task(rows, self.loss(outputs));
        let (mean, unproven) = cuts::mean(&task, weights, bias);
        (mean * rows.len() as f64, unproven)
    }

    fn predictor(&self, weights: &[f64], bias: f64) -> Result<Predictor> {
        if let Some(&value) = weights.iter().chain([&bias]).find(|value| !value.is_finite()) {
            return Err(ErrorKind::Diverged { what: "a weight", value }.into());
        }
        let weights: Vec<f64> =
            (0..weights.len()).map(|column| weights[self.layout.slot(column)]).collect();
        let fill = vec![0.0; weights.len()];
        let linear = Linear { weights, intercept: bias, fill, clip: None };
        Ok(Predictor::of_outputs(vec![linear], self.is_class))
    }
}

/// Chunks of a part.
pub(super) struct Chunks {
    setting: Setting,
    /// The rows of the chunk that is not full yet, and their signs or targets.
    rows: Rows,
    outputs: Vec<f64>,
    sum: Sum,
    /// Sum of the losses of the first chunk's optimum on its rows, and number of rows of which it is not
    /// proven: those of the part, if there is no other chunk.
    loss: (f64, usize),
    began: Instant,
}

/// Sums over chunks, of which each row has the weights of its chunk.
#[derive(Debug, Clone, Default)]
struct Sum {
    chunks: usize,
    rows: usize,
    weights: Vec<f64>,
    bias: f64,
    bound: f64,
    passes: u64,
    /// Reason for which a chunk was not solved to the tolerance.
    stop: Option<Stop>,
}

impl Sum {
    /// Returns the number of rows, or 1 without any.
    fn count(&self) -> f64 {
        self.rows.max(1) as f64
    }

    fn add(&mut self, rows: usize, found: &Optimum) {
        let count = rows as f64;
        self.weights.resize(found.weights.len(), 0.0);
        self.weights.iter_mut().zip(&found.weights).for_each(|(sum, w)| *sum += count * w);
        self.bias += count * found.bias;
        self.bound += count * found.bound;
        self.passes += found.passes;
        self.chunks += 1;
        self.rows += rows;
        self.stop = self.stop.or((!found.stop.converged()).then_some(found.stop));
    }
}

impl Chunks {
    pub(super) fn new(learner: &RobustLp, facts: &PartFacts<'_>) -> Result<Option<Chunks>> {
        let Some(setting) = Setting::new(learner, facts)? else { return Ok(None) };
        let rows = Rows::none(&setting.layout, RobustLp::NAME)?;
        let (outputs, sum, began) = (Vec::new(), Sum::default(), Instant::now());
        Ok(Some(Chunks { setting, rows, outputs, sum, loss: (0.0, 0), began }))
    }

    /// Refuses a chunk of so many rows that does not fit into memory.
    fn admit(&self, examples: &Examples<'_>, rows: usize) -> Result<()> {
        let learner = &self.setting.learner;
        let mut size = FitSize { rows, ..FitSize::of(examples) };
        size.stored += self.rows.entries();
        size::admit_need(learner, &size, learner.needed(&size))
    }

    /// Solves the chunk, and forgets its rows.
    fn close(&mut self, monitor: &dyn Monitor) -> Result<()> {
        let found = self.setting.solve(&self.rows, &self.outputs, monitor)?;
        self.sum.add(self.rows.len(), &found);
        if self.sum.chunks == 1 {
            self.loss = self.setting.sum(&self.rows, &self.outputs, (&found.weights, found.bias));
        }
        self.rows = Rows::none(&self.setting.layout, RobustLp::NAME)?;
        self.outputs.clear();
        Ok(())
    }
}

impl Steps for Chunks {
    fn learn(&mut self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<()> {
        let most = self.setting.learner.chunk.map_or(usize::MAX, |chunk| chunk as usize);
        let mut rest = &*examples.rows;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.len().min(most - self.rows.len()));
            let batch = examples.with_rows(now);
            self.admit(&batch, self.rows.len() + now.len())?;
            let (rows, outputs) = self.setting.read(&batch)?;
            self.rows.append(&rows);
            self.outputs.extend(outputs);
            if self.rows.len() == most {
                self.close(monitor)?;
            }
            rest = later;
        }
        Ok(())
    }

    fn fit(&mut self, monitor: &dyn Monitor) -> Result<Fit> {
        if !self.rows.is_empty() {
            self.close(monitor)?;
        }
        let (Setting { layout, threat, .. }, sum) = (&self.setting, &self.sum);
        let mut weights: Vec<f64> = sum.weights.iter().map(|w| w / sum.count()).collect();
        weights.resize(layout.slots(), 0.0);
        let predictor = self.setting.predictor(&weights, sum.bias / sum.count())?;
        let stop = sum.stop.unwrap_or(if sum.chunks > 1 { Stop::Chunks } else { Stop::Tolerance });
        let panels = layout.sampled_panels();
        let mut report = Report::full(RobustLp::NAME, stop, sum.rows, panels).paid(layout);
        report.notes.clone_from(&self.setting.notes);
        if sum.chunks == 1 {
            let (loss, unproven) = (self.loss.0 / sum.count(), self.loss.1);
            report.objective = Some(loss);
            report.gap = certified(loss, sum.bound / sum.count(), unproven);
            report.notes.extend(unproven_note(unproven));
        }
        if !self.setting.is_class {
            report.quantile = self.setting.learner.told_quantile();
        }
        (report.threat, report.passes) = (Some(threat.clone()), Some(sum.passes));
        report.seconds = self.began.elapsed().as_secs_f64();
        Ok(Fit { predictor, report })
    }

    fn bound(&self) -> Option<f64> {
        Some(self.sum.bound / self.sum.count())
    }
}

/// Losses of the average of chunks, and of constants.
pub(super) struct Losses {
    setting: Setting,
    models: Vec<Predictor>,
    /// Weights, in the order of slots, and bias of each.
    by_slot: Vec<(Vec<f64>, f64)>,
}

impl Losses {
    pub(super) fn new(
        learner: &RobustLp,
        facts: &PartFacts<'_>,
        learned: &Predictor,
    ) -> Result<Option<Losses>> {
        let Some(setting) = Setting::new(learner, facts)? else { return Ok(None) };
        let hinge = setting.hinge();
        let constants = match (learner.intercept, setting.is_class) {
            (false, _) => vec![0.0],
            (true, true) => vec![-1.0, 1.0],
            // The mean of the target in scaled units.
            (true, false) => vec![0.0],
        };
        let size = if setting.is_class { hinge.rate() * hinge.threat.total() } else { 1.0 };
        let layout = &setting.layout;
        let linear = learned.linear()?;
        let weights = (0..layout.slots()).map(|slot| linear.weights[layout.column(slot)]).collect();
        let mut by_slot = vec![(weights, linear.intercept)];
        by_slot.extend(constants.iter().map(|bias| (vec![0.0; layout.slots()], size * bias)));
        let models = by_slot.iter().map(|(w, bias)| setting.predictor(w, *bias));
        let models = models.collect::<Result<_>>()?;
        Ok(Some(Losses { setting, models, by_slot }))
    }
}

impl ByLosses for Losses {
    fn models(&self) -> &[Predictor] {
        &self.models
    }

    fn losses(&self, examples: &Examples<'_>) -> Result<Vec<SumOfLosses>> {
        let (rows, outputs) = self.setting.read(examples)?;
        let of = |(weights, bias): &(Vec<f64>, f64)| {
            let (sum, unproven) = self.setting.sum(&rows, &outputs, (weights, *bias));
            SumOfLosses { sum, unproven: unproven as u64 }
        };
        Ok(self.by_slot.iter().map(of).collect())
    }
}
