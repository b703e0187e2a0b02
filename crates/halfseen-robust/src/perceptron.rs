//! Learns a classifier robust to deleted attributes in one pass: the modified, averaged Perceptron.
//!
//! **Setting** (Dekel and Shamir 2008, section 3): every row is attacked by the deletions that
//! maximise its robust hinge loss l(w, b) = max over J of [gamma V(J) / P - y (b + sum_J w_j
//! x_j)]_+. If the loss is above 0, even if the row is classified correctly, w and b take a
//! gradient step on the remaining attributes and are clipped to [-C, C]. The model is the average
//! of the hypotheses before each row.
//!
//! **Guarantee** (theorem 4, for rows of any length): with the step C sqrt((n+1) / (m (R^2+1))), R
//! the largest |x|_2, the mean loss of the hypotheses exceeds that of any fixed (w, b) in the box
//! by at most C sqrt((n+1)(R^2+1) / m). The squared distance from the start, 0, is at most (n+1)
//! C^2, and this step minimises (n+1) C^2 / (2 tau m) + tau (R^2+1) / 2. R = 1 gives the paper's
//! constants. Corollary 1 extends this to new rows. Without intercept both "+1" are dropped.
//!
//! **Departures**: rows come in random order because tables may be sorted, and the theorem for new
//! rows assumes independent draws. Unequal costs are attacked in fractions, an upper bound on the
//! loss, or exactly if they are whole numbers. Further passes have no theorem: pass p uses 1 /
//! sqrt(p) of the first step and averages its own hypotheses; validation rows choose the pass.
//!
//! **Symbols**: C `box_radius`, gamma `margin`, N `threat`, v `costs`, P = V - N, tau the step, n
//! columns, m rows.

use super::bounds::Learned;
use super::fit_classes::{costs_of_classes, fit_classes};
use super::fit_context::{FitContext, from_rows, unproven_note};
use super::margin::margin_of;
use super::{HingeScratch, RobustHinge, RowLoss, Rows};
use halfseen_core::data::{Costs, Examples, Signs};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::together::{each, only};
use halfseen_core::learner::{Assignments, FitSize, Grid, Learner, Needed, STEPS, refuse_weights};
use halfseen_core::model::{Fit, Stop};
use halfseen_core::params::{
    AttributeCosts, Damage, Deletions, Needs, Parameters, Rule, Targets, parameters,
};
use halfseen_solve::sampling::{Purpose, Stream, shuffle, splits};
use halfseen_solve::{Monitor, Quiet};
use rayon::prelude::*;

parameters! {
    /// Perceptron that prepares for deleted attributes, averaged over one pass.
    pub struct RobustPerceptron {
        name: "robust-perceptron", family: Robust,
        title: "Perceptron under the worst deletions, averaged over one pass",
        source: "Dekel and Shamir 2008, section 3, theorem 4, corollary 1";
        threat: Option<f64> = None, THREAT;
        costs: AttributeCosts = AttributeCosts::Uniform, COSTS;
        margin: Option<f64> = None, MARGIN;
        box_radius: f64 = 1.0, BOX_RADIUS;
        step: Rule = Rule::Theory(1.0), STEP;
        deletions: Deletions = Deletions::Fractional, DELETIONS;
        damage: Damage = Damage::Deletion, DAMAGE;
        confidence: f64 = 0.05, CONFIDENCE;
        tried: u64 = 1, TRIED;
        passes: u64 = 1, PASSES;
        intercept: bool = true, INTERCEPT;
        seed: u64 = 0, SEED;
    }
}

impl Learner for RobustPerceptron {
    /// Varies the box only: its ratio to the margin matters, by default a hundredth of P.
    fn grid(&self) -> Grid {
        Grid::new(&[("box_radius", &["0.1", "0.3", "1", "3", "10", "30"])])
    }

    fn needs(&self) -> Needs {
        Needs { targets: Targets::Classes, ..Needs::of(self) }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        Needed::of(size, Rows::numbers(size) + 4.0 * size.n())
    }

    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        self.check()?;
        let fits = fit_all(std::slice::from_ref(self), examples, |learner, frame, signs| {
            learner.fit_on(frame, signs, monitor)
        })?;
        only(fits)
    }

    /// Fits all settings in parallel; settings with the same threat share rows.
    fn learn_grid(
        &self,
        settings: &[Assignments],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        let quiet = Quiet(monitor);
        fit_all(&each(self, settings)?, examples, |learner, frame, signs| {
            learner.fit_on(frame, signs, &quiet)
        })
    }
}

/// Fits all settings to each class; `fit` fits one of them to signs.
fn fit_all(
    learners: &[RobustPerceptron],
    examples: &Examples<'_>,
    fit: impl Fn(&RobustPerceptron, FitContext, &Signs) -> Result<Fit> + Sync,
) -> Result<Vec<Fit>> {
    let mut learners = learners.to_vec();
    for learner in &mut learners {
        learner.costs = costs_of_classes(&learner.costs, examples)?;
    }
    let damage: Vec<Damage> = learners.iter().map(|learner| learner.damage).collect();
    fit_classes(examples, &damage, |examples| {
        let signs = Signs::of(examples, "robust-perceptron")?;
        let mut frames: Vec<(&RobustPerceptron, FitContext)> = Vec::new();
        let mut of = Vec::with_capacity(learners.len());
        for learner in &learners {
            let same = |other: &RobustPerceptron| {
                other.costs == learner.costs && other.threat == learner.threat
            };
            let at = frames.iter().position(|(other, _)| same(other)).unwrap_or(frames.len());
            if at == frames.len() {
                frames.push((learner, learner.frame(examples)?));
            }
            of.push(at);
        }
        let fit = |(learner, &at): (&RobustPerceptron, &usize)| {
            fit(learner, frames[at].1.clone(), &signs)
        };
        // A single fit stays on this thread.
        match learners.len() {
            1 => learners.iter().zip(&of).map(fit).collect(),
            _ => learners.par_iter().zip(&of).map(fit).collect(),
        }
    })
}

/// Share of the rows that choose the pass, if there are several, and are not learned from.
const VALIDATION: f64 = 0.1;

/// Number of rows between two calls of the monitor.
const BETWEEN_LOOKS: usize = 256;

/// Rows that are read this many before their turn: in random order each is a cache miss.
const AHEAD: usize = 2;

impl RobustPerceptron {
    fn frame(&self, examples: &Examples<'_>) -> Result<FitContext> {
        refuse_weights("robust-perceptron", examples, STEPS)?;
        let frame = FitContext::new(examples, "robust-perceptron", &self.costs, self.threat)?;
        if self.deletions == Deletions::Whole && frame.threat.costs() == Costs::General {
            let what = "costs that are all equal or whole numbers; use fractional";
            return Err(ErrorKind::Needs { name: "deletions", value: "whole", what }.into());
        }
        Ok(frame)
    }

    fn fit_on(&self, mut frame: FitContext, signs: &Signs, monitor: &dyn Monitor) -> Result<Fit> {
        let margin = margin_of(
            self.margin,
            &frame.threat,
            &frame.rows,
            self.box_radius,
            self.damage,
            self.confidence,
        );
        frame.notes.extend(margin.note);
        let (threat, rows) = (frame.threat.clone(), &frame.rows);
        let hinge = RobustHinge { threat: &threat, margin: margin.gamma };
        let attack = Attack { hinge, deletions: self.deletions };
        let pass = self.search(&attack, rows, &signs.signs, monitor)?;
        let everything: Vec<u32> = (0..rows.len() as u32).collect();
        let (objective, unproven) =
            attack.mean(rows, &signs.signs, &everything, &pass.weights, pass.bias);
        let mut learned = Learned {
            hinge,
            rows,
            signs: &signs.signs,
            weights: &pass.weights,
            bias: pass.bias,
            box_radius: self.box_radius,
            largest_bias: self.intercept.then_some(self.box_radius),
            tried: self.tried,
            from_rows: from_rows(&self.costs, margin.from_rows),
        };
        let promised = match self.damage {
            Damage::Noise => Some(learned.promise_of_noise()),
            // The loss of hypotheses on rows that they had not yet seen estimates the loss on new
            // rows. But the theorem's step depends on the longest of all rows.
            Damage::Deletion => pass.online.map(|online| {
                learned
                    .from_rows
                    .extend(matches!(self.step, Rule::Theory(_)).then(|| "step".to_owned()));
                learned.promise_after(online)
            }),
        };
        frame.notes.extend(promised.into_iter().chain(unproven_note(unproven)));
        let mut fit =
            frame.classifier(signs, (&pass.weights, pass.bias), self.damage, pass.stop)?;
        (fit.report.objective, fit.report.passes) = (Some(objective), Some(pass.passes));
        Ok(fit)
    }

    fn search(
        &self,
        attack: &Attack<'_>,
        rows: &Rows,
        signs: &[f64],
        monitor: &dyn Monitor,
    ) -> Result<PassResult> {
        let classes: Vec<u32> = signs.iter().map(|y| u32::from(*y > 0.0)).collect();
        let (mut train, mut held) = ((0..rows.len() as u32).collect::<Vec<u32>>(), Vec::new());
        if self.passes > 1 {
            let split =
                splits(rows.len(), Some(&classes), None, VALIDATION, 1, self.seed)?.remove(0);
            (train, held) = (split.train, split.test);
            train.sort_unstable();
        }
        let step = self.step.resolve(self.theory(rows, &train)?);
        let mut walk = Walk::new(rows.width(), self.box_radius, self.intercept);
        let (mut room, mut best) = (attack.hinge.scratch(), None::<(f64, PassResult)>);
        let total = self.passes * train.len() as u64;
        for pass in 1..=self.passes {
            walk.forget();
            walk.step = step / (pass as f64).sqrt();
            shuffle(&mut Stream::new(self.seed, Purpose::Order, pass), &mut train);
            for (done, &row) in train.iter().enumerate() {
                if done % BETWEEN_LOOKS == 0 {
                    monitor.progress((pass - 1) * train.len() as u64 + done as u64, total);
                    if monitor.should_stop() {
                        let (weights, bias) = walk.average();
                        let partly = PassResult {
                            weights,
                            bias,
                            passes: pass - 1,
                            stop: Stop::Interrupted,
                            online: None,
                        };
                        let finished =
                            best.map(|(_, pass)| PassResult { stop: Stop::Interrupted, ..pass });
                        return Ok(finished.unwrap_or(partly));
                    }
                }
                if let Some(&later) = train.get(done + AHEAD) {
                    rows.touch(later as usize);
                }
                walk.learn(attack, rows, row as usize, signs[row as usize], &mut room);
            }
            let (weights, bias) = walk.average();
            let stop = if self.passes == 1 { Stop::OnePass } else { Stop::Passes };
            let online = (self.passes == 1).then(|| walk.lost / train.len().max(1) as f64);
            let loss = if held.is_empty() {
                0.0
            } else {
                attack.mean(rows, signs, &held, &weights, bias).0
            };
            if best.as_ref().is_none_or(|(least, _)| loss < *least) {
                best = Some((loss, PassResult { weights, bias, passes: pass, stop, online }));
            }
        }
        monitor.progress(total, total);
        let none =
            || ErrorKind::TooFewRows { what: "robust-perceptron".into(), least: 1, rows: 0 }.into();
        best.map(|(_, pass)| PassResult { passes: self.passes, ..pass }).ok_or_else(none)
    }

    /// Returns tau = C sqrt((n+1) / (m (R^2+1))).
    fn theory(&self, rows: &Rows, train: &[u32]) -> Result<f64> {
        let square = |&row: &u32| rows.row(row as usize).1.iter().map(|x| x * x).sum::<f64>();
        let largest = if train.len() == rows.len() {
            rows.sizes().square
        } else {
            train.iter().map(square).fold(0.0, f64::max)
        };
        if !largest.is_finite() {
            return Err(ErrorKind::Diverged {
                what: "the squared length of a row",
                value: largest,
            }
            .into());
        }
        let constant = f64::from(u8::from(self.intercept));
        let (n, m) = (rows.width() as f64, train.len() as f64);
        // Rows of zeros without intercept change no weight with any step.
        let length = if largest + constant > 0.0 { largest + constant } else { 1.0 };
        Ok(self.box_radius * ((n + constant) / (m * length)).sqrt())
    }
}

struct PassResult {
    weights: Vec<f64>,
    bias: f64,
    passes: u64,
    stop: Stop,
    /// Mean progressive loss of the hypotheses, if there was a single complete pass.
    online: Option<f64>,
}

/// Attacked loss, with whole or fractional deletions.
#[derive(Debug, Clone, Copy)]
struct Attack<'t> {
    hinge: RobustHinge<'t>,
    deletions: Deletions,
}

impl<'t> Attack<'t> {
    /// Returns the loss of one row, and true if the deletions are proven to be the worst. The
    /// adversary's shares then hold these deletions.
    fn loss(
        &self,
        rows: &Rows,
        row: usize,
        y: f64,
        at: (&[f64], f64),
        room: &mut HingeScratch<'t>,
    ) -> (RowLoss, bool) {
        let before = self.hinge.before(rows, row, y, at, room);
        let HingeScratch { adversary, attributes, gains } = room;
        let (gain, proven) = match self.deletions {
            Deletions::Fractional => (adversary.relaxed(attributes, gains), true),
            Deletions::Whole => {
                let worst = adversary.whole(attributes, gains);
                (worst.gain, worst.exact)
            }
        };
        (RowLoss::of(before + gain), proven)
    }

    /// Returns the mean loss of some rows and the number of rows with unproven worst deletions.
    fn mean(
        &self,
        rows: &Rows,
        signs: &[f64],
        of: &[u32],
        weights: &[f64],
        bias: f64,
    ) -> (f64, usize) {
        let mut room = self.hinge.scratch();
        let (mut sum, mut unproven) = (0.0, 0);
        for &row in of {
            let (of_row, proven) =
                self.loss(rows, row as usize, signs[row as usize], (weights, bias), &mut room);
            sum += of_row.loss;
            unproven += usize::from(!proven);
        }
        (sum / of.len().max(1) as f64, unproven)
    }
}

/// Current hypothesis and the state of the running average; an update costs one number per changed
/// weight.
struct Walk {
    /// tau.
    step: f64,
    /// C.
    radius: f64,
    intercept: bool,
    weights: Vec<f64>,
    bias: f64,
    /// For each weight the sum of its changes, each times the number of the row that caused it: the
    /// difference between `count` times the present weight and the sum over past hypotheses.
    sums: Vec<f64>,
    bias_sum: f64,
    /// Number of hypotheses averaged, one per row.
    count: u64,
    /// Sum of their losses.
    lost: f64,
}

impl Walk {
    fn new(width: usize, radius: f64, intercept: bool) -> Walk {
        let (weights, sums) = (vec![0.0; width], vec![0.0; width]);
        Walk {
            step: 0.0,
            radius,
            intercept,
            weights,
            bias: 0.0,
            sums,
            bias_sum: 0.0,
            count: 0,
            lost: 0.0,
        }
    }

    /// Restarts the average at the present hypothesis.
    fn forget(&mut self) {
        self.sums.fill(0.0);
        (self.bias_sum, self.count, self.lost) = (0.0, 0, 0.0);
    }

    /// Adds the hypothesis to the average and updates it with one row.
    fn learn<'t>(
        &mut self,
        attack: &Attack<'t>,
        rows: &Rows,
        row: usize,
        y: f64,
        room: &mut HingeScratch<'t>,
    ) {
        self.count += 1;
        self.bias_sum += self.bias;
        let (of_row, _) = attack.loss(rows, row, y, (&self.weights, self.bias), room);
        self.lost += of_row.loss;
        if !of_row.active {
            return;
        }
        let push = self.step * y;
        let shares = room.adversary.shares();
        if let Some(values) = rows.whole(row) {
            // Dense rows need no look-up, and several weights are updated at once.
            let (radius, count) = (self.radius, self.count as f64);
            let moved = self.weights.iter_mut().zip(&mut self.sums).zip(values).zip(shares);
            for (((weight, sum), x), share) in moved {
                let new = (*weight + push * (1.0 - share) * x).clamp(-radius, radius);
                *sum += count * (new - *weight);
                *weight = new;
            }
        } else {
            rows.kept(row, &room.attributes, shares, |slot, x, kept| {
                self.shift(slot, push * kept * x)
            });
        }
        if self.intercept {
            self.bias = (self.bias + push).clamp(-self.radius, self.radius);
        }
    }

    /// Adds to one weight and clips it to the box.
    #[inline]
    fn shift(&mut self, slot: usize, by: f64) {
        let weight = &mut self.weights[slot];
        let new = (*weight + by).clamp(-self.radius, self.radius);
        self.sums[slot] += self.count as f64 * (new - *weight);
        *weight = new;
    }

    /// Returns the mean of the hypotheses; before the first row the hypothesis itself.
    fn average(&self) -> (Vec<f64>, f64) {
        let count = self.count.max(1) as f64;
        let mean = |(weight, sum): (&f64, &f64)| weight - sum / count;
        let weights = self.weights.iter().zip(&self.sums).map(mean).collect();
        (weights, if self.count == 0 { self.bias } else { self.bias_sum / count })
    }
}

#[cfg(test)]
mod tests;
