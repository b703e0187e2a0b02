//! Minimises the mean robust hinge or quantile loss over a box of weights by linear programming.
//!
//! **Setting** (Dekel and Shamir 2008, section 2): at prediction time an adversary may delete
//! attributes of total value N from every row. Minimises (1/m) sum_i [max_J gamma V(J)/P - y_i (b +
//! sum_J w_j x_ij)]_+ over |w|_inf <= C and b, J the attributes left by deletions of value at most
//! N. With `deletions = fractional` attributes may also be deleted in part: the linear program (4),
//! equivalent for equal values (theorem 1) and an upper bound otherwise.
//!
//! **Guarantee**: the report's gap bounds objective minus optimum by linear programming duality.
//! Theorem 2 bounds the error under attack on new rows.
//!
//! **Solvers**: an interior-point method that eliminates rows solves the linear program (4). Row
//! generation with the adversary as oracle solves whole deletions of unequal values (LP (3)), a
//! threat of 0, and regression.
//!
//! **Regression** predicts a quantile: the loss of the residual r = y - b - sum_J w_j x_j is max(q
//! r, (q - 1) r) after the worst deletions, in either direction. There is no margin.
//!
//! **Symbols**: N the threat, v the values, V(J) the value of a set, P = V - N the remaining value,
//! gamma the margin, C the box.
//!
//! **Chunks**: the paper solves the program on chunks of the rows and averages the weights; `chunk`
//! does the same. The mean of the chunks' optima is at most the optimum over all rows, so the gap
//! is certified and includes the loss due to chunks.

mod narrower;

use super::bounds::Learned;
use super::breakdown::breakdown_threat;
use super::cuts::{self, Loss, Task};
use super::fit_classes::{costs_of_classes, fit_classes};
use super::fit_context::{FitContext, from_rows, unproven_note};
use super::margin::margin_of;
use super::{RobustHinge, Rows};
use halfseen_core::data::{Costs, Examples, Signs, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::together::{fits_together, grouped};
use halfseen_core::learner::{FitSize, Grid, Learner, Needed, refuse_weights};
use halfseen_core::model::{Fit, Note, Stop};
use halfseen_core::params::{AttributeCosts, Damage, Deletions, Needs, Targets, parameters};
use halfseen_solve::Monitor;
use halfseen_solve::lp::cuts::Oracle;
use halfseen_solve::lp::deletion;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use narrower::Narrower;
use rayon::prelude::*;

parameters! {
    /// Robust linear program.
    pub struct RobustLp {
        name: "robust-lp", family: Robust,
        title: "Robust linear program: the least mean loss under the worst deletions",
        source: "Dekel and Shamir 2008, equations (3) and (4)";
        threat: Option<f64> = None, THREAT;
        costs: AttributeCosts = AttributeCosts::Uniform, COSTS;
        margin: Option<f64> = None, MARGIN;
        box_radius: f64 = 1.0, BOX_RADIUS;
        deletions: Deletions = Deletions::Fractional, DELETIONS;
        damage: Damage = Damage::Deletion, DAMAGE;
        confidence: f64 = 0.05, CONFIDENCE;
        tried: u64 = 1, TRIED;
        chunk: Option<u64> = None, CHUNK;
        quantile: f64 = 0.5, QUANTILE;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-6, TOL;
        max_iter: u64 = 300, MAX_ITER;
        seed: u64 = 0, SEED;
    }
}

impl Learner for RobustLp {
    /// Varies the box only: its ratio to the margin matters, by default a share of P. Attributes that
    /// are scaled by their spread take small boxes, in which wider ones change nothing.
    fn grid(&self) -> Grid {
        let boxes = ["0.003", "0.01", "0.03", "0.1", "0.3", "1", "3", "10", "30"];
        Grid::new(&[("box_radius", &boxes)])
    }

    fn needs(&self) -> Needs {
        Needs { targets: Targets::Any, weights: self.chunk.is_none(), ..Needs::of(self) }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        let chunk = self.chunk.map_or(size.rows, |chunk| size.rows.min(chunk as usize)).max(1);
        let parallel = if chunk < size.rows { rayon::current_num_threads() as f64 } else { 1.0 };
        let (rows, entries) = (chunk as f64, size.entries() * chunk as f64 / size.n().max(1.0));
        let threat = self.threat.unwrap_or_else(|| (0.1 * size.panels as f64).floor());
        let interior = size.classes > 0 && threat > 0.0 && self.deletions == Deletions::Fractional;
        let each = match interior {
            // Four numbers of three points for each cell and six for each row, and what elimination
            // needs; the square, a triangle for each part of the rows.
            true => 18.0 * entries + 27.0 * rows + 6.0 * size.column_pairs(),
            false => cuts::numbers(size, rows, threat, entries, self.deletions == Deletions::Whole),
        };
        let remedy = format!(
            "chunk={}, or another number of rows per chunk that fits",
            (size.rows / 4).clamp(2, 2000)
        );
        Needed::of(size, Rows::numbers(size) + each * parallel).with(remedy)
    }

    // From the narrowest box to the widest: an optimum inside one is that of all wider ones.
    fits_together!(fit_all);
}

const CHUNKS: &str = "because chunks are drawn without regard to weights";

fn fit_all(
    learners: &[RobustLp],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    if learners.iter().any(|learner| learner.chunk.is_some()) {
        refuse_weights("robust-lp with a chunk", examples, CHUNKS)?;
    }
    let examples = &*examples.counted()?;
    let for_classes = examples.labels.is_some();
    let by_box = |learners: &[RobustLp], examples: &Examples<'_>| {
        let fit_boxes = |boxes: &[&RobustLp]| {
            let mut narrower = None;
            let fit = |learner: &&RobustLp| match for_classes {
                true => learner.classify(examples, &mut narrower, monitor),
                false => learner.regress(examples, &mut narrower, monitor),
            };
            boxes.iter().map(fit).collect()
        };
        grouped(learners, RobustLp::differs_in_box_only, |learner| learner.box_radius, fit_boxes)
    };
    if !for_classes {
        return by_box(learners, examples);
    }
    let mut learners = learners.to_vec();
    for learner in &mut learners {
        learner.costs = costs_of_classes(&learner.costs, examples)?;
    }
    let damage: Vec<Damage> = learners.iter().map(|learner| learner.damage).collect();
    fit_classes(examples, &damage, |examples| by_box(&learners, examples))
}

/// Solution of a program, in the order of slots.
#[derive(Clone)]
struct Optimum {
    weights: Vec<f64>,
    bias: f64,
    /// Lower bound on the mean loss.
    bound: f64,
    passes: u64,
    stop: Stop,
}

/// Rows and signs of a binary classification problem.
#[derive(Clone, Copy)]
struct Classes<'a> {
    rows: &'a Rows,
    signs: &'a [f64],
    hinge: RobustHinge<'a>,
}

/// Solver for a subset of rows.
type Solve<'s> = &'s (dyn Fn(&[usize]) -> Result<Optimum> + Sync);

impl RobustLp {
    fn differs_in_box_only(&self, other: &RobustLp) -> bool {
        RobustLp { box_radius: self.box_radius, ..other.clone() } == *self
    }

    fn classify(
        &self,
        examples: &Examples<'_>,
        narrower: &mut Option<Narrower>,
        monitor: &dyn Monitor,
    ) -> Result<Fit> {
        let signs = Signs::of(examples, Self::NAME)?;
        let mut frame = FitContext::new(examples, Self::NAME, &self.costs, self.threat)?;
        let threat = frame.threat.clone();
        let margin = margin_of(
            self.margin,
            &threat,
            &frame.rows,
            self.box_radius,
            self.damage,
            self.confidence,
        );
        frame.notes.extend(margin.note);
        let hinge = RobustHinge { threat: &threat, margin: margin.gamma };
        let classes = Classes { rows: &frame.rows, signs: &signs.signs, hinge };
        let all: Vec<usize> = (0..frame.rows.len()).collect();
        let task = self.task(&frame.rows, Loss::Hinge { signs: &signs.signs, hinge });
        let (mut point, mut objective, unproven) = Narrower::or_solve(
            narrower,
            (self, margin.gamma),
            || self.all_or_chunks(&all, &|keep| self.optimum(&classes, keep, monitor)),
            |point| cuts::mean(&task, &point.weights, point.bias),
        )?;
        let (alone_bias, alone) = task.alone();
        if self.chunk.is_none() && alone - point.bound <= self.tol * alone {
            (point.weights, point.bias, objective) =
                (vec![0.0; frame.rows.width()], alone_bias, alone);
            let threat = threat.effective();
            if !self.one_class(&classes, &all) && threat > 0.0 {
                // With small weights no deletion gains its price, so weights of 0 are as good under
                // any threat as without one.
                let priced = frame.threat.values().iter().all(|v| *v > 0.0);
                frame.notes.push(Note::ThreatBeatsSignal { threat, from: priced.then_some(0.0) });
            }
        }
        // The theorems assume identically distributed rows.
        if !frame.rows.weighted() {
            let largest_bias =
                self.intercept.then(|| Learned::needed_bias(&hinge, &frame.rows, self.box_radius));
            let learned = Learned {
                hinge,
                rows: &frame.rows,
                signs: &signs.signs,
                weights: &point.weights,
                bias: point.bias,
                box_radius: self.box_radius,
                largest_bias,
                tried: self.tried,
                from_rows: from_rows(&self.costs, margin.from_rows),
            };
            let promise = match self.damage {
                Damage::Deletion => learned.promise(),
                Damage::Noise => learned.promise_of_noise(),
            };
            frame.notes.push(promise);
        }
        frame.notes.extend(unproven_note(unproven));
        let mut fit =
            frame.classifier(&signs, (&point.weights, point.bias), self.damage, point.stop)?;
        fit.report.objective = Some(objective);
        fit.report.gap = certified(objective, point.bound, unproven);
        fit.report.passes = Some(point.passes);
        Ok(fit)
    }

    fn regress(
        &self,
        examples: &Examples<'_>,
        narrower: &mut Option<Narrower>,
        monitor: &dyn Monitor,
    ) -> Result<Fit> {
        self.refuse_margin_and_noise()?;
        let mut frame = FitContext::new(examples, Self::NAME, &self.costs, self.threat)?;
        let threat = frame.threat.clone();
        let rows = &frame.rows;
        let targets: Vec<f64> = (0..examples.len()).map(|i| examples.target(i)).collect();
        let all: Vec<usize> = (0..rows.len()).collect();
        let q = self.quantile;
        let solve = |keep: &[usize]| {
            let kept: Vec<f64> = keep.iter().map(|&i| targets[i]).collect();
            self.rounds(rows, keep, Loss::Quantile { targets: &kept, q, threat: &threat }, monitor)
        };
        let loss = Loss::Quantile { targets: &targets, q, threat: &threat };
        let (point, objective, unproven) = Narrower::or_solve(
            narrower,
            (self, 0.0),
            || self.all_or_chunks(&all, &solve),
            |point| cuts::mean(&self.task(rows, loss), &point.weights, point.bias),
        )?;
        let zero = point.weights.iter().all(|w| *w == 0.0);
        if zero && objective > 0.0 && threat.effective() > 0.0 {
            let silent = |threat: &Threat| {
                let loss = Loss::Quantile { targets: &targets, q, threat };
                Ok(self.rounds(rows, &all, loss, monitor)?.weights.iter().all(|w| *w == 0.0))
            };
            let from = match narrower.as_ref().and_then(|narrower| narrower.breakdown) {
                Some(from) => Some(from),
                None => breakdown_threat(&threat, monitor, silent)?,
            };
            if let Some(narrower) = narrower {
                narrower.breakdown = from;
            }
            frame.notes.push(Note::ThreatBeatsSignal { threat: threat.effective(), from });
        }
        frame.notes.extend(unproven_note(unproven));
        let mut fit = frame.regressor(&point.weights, point.bias, point.stop)?;
        fit.report.quantile = self.told_quantile();
        fit.report.objective = Some(objective);
        fit.report.gap = certified(objective, point.bound, unproven);
        fit.report.passes = Some(point.passes);
        Ok(fit)
    }

    /// Returns the quantile for the report. The median counts as a prediction of the number itself, which
    /// is compared with the mean by squared errors.
    fn told_quantile(&self) -> Option<f64> {
        (self.quantile != 0.5).then_some(self.quantile)
    }

    /// Refuses what is for classes only.
    fn refuse_margin_and_noise(&self) -> Result<()> {
        if let Some(margin) = self.margin {
            let allowed = "auto for a numeric target: the quantile loss has no margin".to_owned();
            return Err(ErrorKind::OutOfRange {
                name: "margin",
                value: margin.to_string(),
                allowed,
            }
            .into());
        }
        if self.damage == Damage::Noise {
            let what = "a target of two classes: the noise bound is for signs";
            return Err(ErrorKind::Needs { name: "damage", value: "noise", what }.into());
        }
        Ok(())
    }

    /// Returns true if a bias is allowed and classifies all rows correctly.
    fn one_class(&self, &Classes { signs, .. }: &Classes<'_>, keep: &[usize]) -> bool {
        self.intercept && keep.iter().all(|&i| signs[i] == signs[keep[0]])
    }

    /// Returns true if whole deletions differ from fractional ones.
    fn whole(&self, threat: &Threat) -> bool {
        self.deletions == Deletions::Whole
            && !matches!(threat.costs(), Costs::Equal { .. })
            && threat.effective() > 0.0
    }

    /// Returns the row losses as input of row generation.
    fn task<'a>(&self, rows: &'a Rows, loss: Loss<'a>) -> Task<'a> {
        Task { rows, loss, whole: self.whole(loss.threat()), intercept: self.intercept }
    }

    /// Solves for all rows, or averages the solutions of chunks.
    fn all_or_chunks(&self, all: &[usize], solve: Solve<'_>) -> Result<Optimum> {
        match self.chunk {
            Some(chunk) if (chunk as usize) < all.len() => self.average(all, chunk as usize, solve),
            _ => solve(all),
        }
    }

    /// Solves for some rows; the adversary determines which solver is exact.
    fn optimum(
        &self,
        classes: &Classes<'_>,
        keep: &[usize],
        monitor: &dyn Monitor,
    ) -> Result<Optimum> {
        let Classes { rows, hinge, .. } = *classes;
        if self.one_class(classes, keep) {
            // A bias alone has loss 0.
            let bias = classes.signs[keep[0]] * hinge.rate() * hinge.threat.total();
            let (weights, stop) = (vec![0.0; rows.width()], Stop::Tolerance);
            return Ok(Optimum { weights, bias, bound: 0.0, passes: 0, stop });
        }
        if hinge.threat.effective() > 0.0 && !self.whole(hinge.threat) {
            return self.interior(classes, keep, monitor);
        }
        let signs: Vec<f64> = keep.iter().map(|&i| classes.signs[i]).collect();
        self.rounds(rows, keep, Loss::Hinge { signs: &signs, hinge }, monitor)
    }

    /// Minimises the mean loss by row generation; `loss` holds the rows `keep` in their order.
    /// Weights are 0 unless others are better.
    fn rounds(
        &self,
        rows: &Rows,
        keep: &[usize],
        loss: Loss<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Optimum> {
        let chosen = (keep.len() < rows.len()).then(|| rows.select(keep));
        let rows = chosen.as_ref().unwrap_or(rows);
        let task = self.task(rows, loss);
        let &RobustLp { box_radius, intercept, tol, max_iter, .. } = self;
        let options = cuts::CutOptions { box_radius, intercept, tol, max_iter };
        let point = cuts::solve(&task, &options, monitor)?;
        let bound = point.objective - point.gap;
        let (mut weights, mut bias) = (point.weights, point.bias);
        if point.alone - bound <= self.tol * point.alone {
            weights.fill(0.0);
            bias = point.alone_bias;
        }
        Ok(Optimum { weights, bias, bound, passes: point.passes, stop: point.stop.into() })
    }

    /// Solves the program (4) by the interior-point method.
    fn interior(
        &self,
        &Classes { rows, signs, hinge }: &Classes<'_>,
        keep: &[usize],
        monitor: &dyn Monitor,
    ) -> Result<Optimum> {
        let program = deletion::Program {
            rows: rows.view(),
            signs,
            attribute: rows.attribute(),
            values: hinge.threat.values(),
            budget: hinge.threat.effective(),
            margin: hinge.margin,
            rate: hinge.rate(),
            radius: self.box_radius,
            bias: self.intercept,
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let deletion::DeletionSolution { weights, bias, bound, iterations, stop } =
            deletion::solve(&program, keep, monitor)?;
        Ok(Optimum { weights, bias, bound, passes: iterations, stop: stop.into() })
    }

    /// Returns the mean of the optima over random chunks of at most `chunk` rows each.
    fn average(&self, all: &[usize], chunk: usize, solve: Solve<'_>) -> Result<Optimum> {
        let mut order = all.to_vec();
        shuffle(&mut Stream::new(self.seed, Purpose::Order, 0), &mut order);
        let size = all.len().div_ceil(all.len().div_ceil(chunk));
        let chunks: Vec<&[usize]> = order.chunks(size).collect();
        let points: Vec<Result<Optimum>> = chunks.par_iter().map(|keep| solve(keep)).collect();
        let mut mean =
            Optimum { weights: Vec::new(), bias: 0.0, bound: 0.0, passes: 0, stop: Stop::Chunks };
        let share = 1.0 / chunks.len() as f64;
        for (of_chunk, keep) in points.into_iter().zip(&chunks) {
            let of_chunk = of_chunk?;
            mean.weights.resize(of_chunk.weights.len(), 0.0);
            mean.weights.iter_mut().zip(&of_chunk.weights).for_each(|(sum, w)| *sum += share * w);
            mean.bias += share * of_chunk.bias;
            mean.bound += of_chunk.bound * keep.len() as f64 / all.len() as f64;
            mean.passes += of_chunk.passes;
            if !of_chunk.stop.converged() {
                mean.stop = of_chunk.stop;
            }
        }
        Ok(mean)
    }
}

/// Returns the certified gap; `None` if the worst deletions of a row are unproven, as the true
/// objective may then be larger.
fn certified(objective: f64, bound: f64, unproven: usize) -> Option<f64> {
    (unproven == 0).then_some((objective - bound).max(0.0))
}
