//! Runs one budgeted gradient learner: draws, asks, estimates, steps, averages.
//!
//! A learner is a row of a table, its [`Recipe`]: how the gradient's panels are drawn, how many
//! reads estimate the product <w,x>, which iterate is moved, by which steps, for which loss. All
//! that such learners share is here.

mod answer;
mod ask;
mod norms;
mod passive;
#[cfg(test)]
mod passive_tests;
mod scale;
mod smooth;
#[cfg(test)]
mod tests;

use super::adaptive_sampler::AdaptiveSampler;
use super::admission::{LARGEST_STEP, admit, check_adoptable, find_whole};
use super::allowance::given_means;
use super::gen_est::GenEst;
use super::known::Known;
use super::ledger::Ledger;
use super::observed::Observed;
use super::progressive_validation::ProgressiveValidation;
use super::recipe::{Proportions, Recipe, Source};
use super::running_moments::RunningMoments;
use super::slope_stats::SlopeStats;
use super::step_size::{Norms, Schedule, Step, StepPlan, Wait};
use crate::data::{Layout, Moments};
use crate::error::{ErrorKind, Result};
use crate::learner::{AskTell, Query, Role, TellOutcome};
use crate::model::{BudgetKind, Linear, Note, Report, check_truncation};
use crate::params::{Average, Centre, Passive};
use halfseen_solve::iterate::Iterate;
use norms::{Measured, first_phase, is_milestone};
use scale::by_reads;
use smooth::Slope;
use std::sync::Arc;

/// Reads for which there is room from the start, where their number is random.
const USUAL_READS: usize = 256;

/// A running learner; see the module's documentation.
#[derive(Debug, Clone)]
pub struct Sgd<I> {
    recipe: Recipe,
    layout: Arc<Layout>,
    /// How slopes are estimated that are not linear in the product.
    gen_est: Option<GenEst>,
    fingerprint: u64,
    /// The t at which the average starts anew; 0 if it never does.
    average_restarts: u64,
    /// Examples before the second phase, where there is one.
    first_phase: Option<u64>,
    /// Whether attributes are scaled by their reads.
    scaled: bool,
    state: State<I>,
    /// The plan for the norms of `state`; none before there are norms.
    planned: Option<StepPlan>,
    /// Drawn panels, and the gradient, of the current example.
    panels: Vec<u32>,
    gradient: Vec<(u32, f64)>,
    /// What is known of the current example without a read.
    free: Vec<f64>,
}

/// What changes over time, and is saved.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct State<I> {
    iterate: I,
    known: Known,
    running: RunningMoments,
    ledger: Ledger,
    drawing: AdaptiveSampler,
    risk: ProgressiveValidation,
    /// Where nothing is chosen.
    observed: Option<Observed>,
    /// Of smooth losses.
    steepness: SlopeStats,
    /// Means, where the recipe centres by given ones, per sampled slot.
    given: Vec<f64>,
    /// Sum of the squared targets told.
    target_squares: f64,
    /// Sum of the targets told; 0 in a state older than it.
    #[serde(default)]
    target_sum: f64,
    /// Sums of squared gradients per sampled slot, where each has a step of its own.
    slopes: Vec<f64>,
    norms: Option<Norms>,
    /// Measured moments stay; others are estimated from the reads, anew each time the answers have
    /// become four times as many: O(k) for each answer, amortised.
    measured: Option<Measured>,
}

impl<I: Iterate> Sgd<I> {
    /// Starts a learner. `moments` (per column) and the targets' mean square are given where the
    /// learner may know them.
    ///
    /// # Errors
    /// If centring needs means, or the draws moments, that are not given; parameters of the wrong
    /// length; a first phase as long as the horizon.
    pub fn new(
        recipe: Recipe,
        layout: &Arc<Layout>,
        facts: Option<(&Moments, f64)>,
    ) -> Result<Self> {
        let (slots, sampled) = (layout.slots(), layout.sampled_slots());
        let given = given_means(recipe.centre, facts.map(|(moments, _)| moments), layout)?;
        let measured = facts.map(|(moments, target)| {
            Measured::new(recipe.centre, recipe.intercept, layout, moments, target)
        });
        let squares = measured.as_ref().map(|m| &*m.squares);
        let mut iterate = I::new(sampled, recipe.radius);
        iterate.shape(recipe.shape);
        let state = State {
            iterate,
            known: Known::new(slots - sampled, recipe.intercept, recipe.known_radius),
            running: RunningMoments::new(slots),
            ledger: Ledger::new(layout.sampled_panels(), recipe.total_budget),
            drawing: AdaptiveSampler::new(&recipe, layout, squares)?,
            risk: ProgressiveValidation::default(),
            observed: (recipe.passive != Passive::No)
                .then(|| Observed::new(layout.sampled_panels())),
            steepness: SlopeStats::new(),
            given,
            target_squares: 0.0,
            target_sum: 0.0,
            slopes: vec![0.0; if recipe.pace.schedule == Schedule::Adagrad { sampled } else { 0 }],
            norms: None,
            measured,
        };
        let mut sgd = Self::with_state(recipe, layout, state)?;
        sgd.renew_norms();
        Ok(sgd)
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// If the state is not one of this recipe and layout.
    pub fn resume(recipe: Recipe, layout: &Arc<Layout>, state: serde_json::Value) -> Result<Self> {
        let mut state: State<I> =
            serde_json::from_value(state).map_err(|e| bad_state(e.to_string()))?;
        let sampled = layout.sampled_slots();
        state.iterate.shape(recipe.shape);
        state.iterate.restore(sampled, recipe.radius)?;
        let known = Known::new(layout.slots() - sampled, recipe.intercept, recipe.known_radius);
        let given = if recipe.centre == Centre::Given { sampled } else { 0 };
        let slopes = if recipe.pace.schedule == Schedule::Adagrad { sampled } else { 0 };
        let sound = state.running.len() == layout.slots()
            && state.running.is_sound()
            && state.ledger.restore(layout.sampled_panels(), recipe.total_budget)
            && state.known.is_sound(&known)
            && state.risk.is_sound()
            && state.observed.is_some() == (recipe.passive != Passive::No)
            && state.observed.as_ref().is_none_or(|o| o.is_sound(layout.sampled_panels()))
            && state.steepness.is_sound()
            && state.measured.as_ref().is_none_or(|m| m.is_sound(sampled))
            && state.drawing.restore(&recipe, layout)?
            && (state.given.len(), state.slopes.len()) == (given, slopes)
            && state.slopes.iter().all(|s| s.is_finite() && *s >= 0.0)
            && state
                .given
                .iter()
                .chain([&state.target_squares, &state.target_sum])
                .all(|v| v.is_finite());
        if !sound {
            return Err(super::saved::untrue());
        }
        let mut sgd = Self::with_state(recipe, layout, state)?;
        sgd.replan();
        Ok(sgd)
    }

    fn with_state(recipe: Recipe, layout: &Arc<Layout>, state: State<I>) -> Result<Self> {
        let horizon = recipe.pace.horizon;
        let first_phase = match recipe.draws.as_ref().map(|d| &d.proportions) {
            Some(Proportions::Optimal(Source::FirstPhase(phases))) => first_phase(phases, horizon)?,
            _ => None,
        };
        // The averages of two phases are those of the second.
        let second = first_phase.map_or(0, |end| end + 1);
        let average_restarts = match (recipe.average, horizon) {
            (Average::Tail, Some(m)) => second.max(m / 2 + 1),
            _ => second,
        };
        if let Some(count) = recipe.truncate {
            check_truncation(usize::try_from(count).unwrap_or(usize::MAX), layout)?;
        }
        let fingerprint = recipe.fingerprint(layout)?;
        let scaled = state.measured.is_none() && by_reads(&recipe, layout);
        let (layout, gradient, free) = (Arc::clone(layout), Vec::new(), Vec::new());
        let gen_est = GenEst::of(recipe.loss, recipe.radius);
        let panels = Vec::with_capacity(if gen_est.is_some() { USUAL_READS } else { 0 });
        let planned = None;
        let mut sgd = Sgd {
            recipe,
            layout,
            gen_est,
            fingerprint,
            average_restarts,
            first_phase,
            scaled,
            state,
            planned,
            panels,
            gradient,
            free,
        };
        sgd.weigh_iterate()?;
        Ok(sgd)
    }

    /// Divides each slot's gradient by the root of the sum of its squares, this one included.
    #[inline]
    fn precondition(&mut self) {
        if self.state.slopes.is_empty() {
            return;
        }
        for (slot, g) in &mut self.gradient {
            let sum = &mut self.state.slopes[*slot as usize];
            *sum += *g * *g;
            if *sum > 0.0 {
                *g /= sum.sqrt();
            }
        }
    }

    /// Everything that an admitted answer changes. Returns the weight with which the iterate was
    /// counted.
    #[inline]
    fn apply(
        &mut self,
        query: &Query,
        values: &[f64],
        slope: f64,
        step: Step,
        known_size: f64,
        t: u64,
    ) -> f64 {
        if t == self.average_restarts {
            self.state.iterate.restart_average();
            self.state.known.restart_average();
            self.state.risk = ProgressiveValidation::default();
        }
        self.precondition();
        // A tail without an end in sight: later iterates weigh more, in proportion to t.
        let endless = self.recipe.average == Average::Tail && self.recipe.pace.is_timeless();
        let weight = if endless { t as f64 } else { 1.0 };
        if self.recipe.average_before_step {
            self.state.iterate.count(weight);
            self.state.known.count(weight);
        }
        self.state.iterate.step(&self.gradient, step.size, step.shrink);
        if !self.state.known.is_idle() {
            let mut free = std::mem::take(&mut self.free);
            self.read_known(query, values, &mut free);
            self.state.known.step(free.iter().copied(), slope, known_size);
            self.free = free;
        }
        if !self.recipe.average_before_step {
            self.state.iterate.count(weight);
            self.state.known.count(weight);
        }
        self.remember(query, values);
        weight
    }

    /// Takes in what the values of an answer tell of attributes.
    #[inline]
    fn remember(&mut self, query: &Query, values: &[f64]) {
        let centred = self.recipe.centre == Centre::Running;
        let mut at = 0;
        // Before any of them moves a mean: one example may read an attribute twice.
        for read in &query.reads {
            for slot in self.layout.slots_of(read.panel as usize) {
                let deviation = self.unscaled(slot, query.parts[at], values[at]);
                // The first read of a slot is its centre, not a deviation.
                let first = centred && self.state.running.is_new(slot);
                if read.role != Role::Known && !first {
                    self.state.running.pool(deviation);
                }
                if read.role == Role::Gradient {
                    self.state.drawing.see(
                        slot,
                        read.coefficient,
                        if first { 0.0 } else { deviation },
                    );
                }
                at += 1;
            }
        }
        let slots = query.reads.iter().flat_map(|read| self.layout.slots_of(read.panel as usize));
        slots.zip(values).for_each(|(slot, value)| self.state.running.see(slot, *value));
    }

    /// Books the reads of a query.
    #[inline]
    fn bill(&mut self, query: &Query) {
        self.panels.clear();
        self.panels.extend(query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel));
        self.state.ledger.bill(&mut self.panels, &self.layout);
    }
}

impl<I: Iterate> AskTell for Sgd<I> {
    #[inline]
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        self.write(query)?;
        self.state.ledger.open(query)?;
        query.checksum = query.digest();
        Ok(())
    }

    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        self.check_observed(observed)?;
        self.write_observed(observed, query)?;
        self.state.ledger.open(query)?;
        query.checksum = query.digest();
        Ok(())
    }

    fn adopt(&mut self, query: &Query) -> Result<()> {
        check_adoptable(self.fingerprint, |q, adopted| self.could_have_asked(q, adopted), query)?;
        self.state.ledger.adopt(query)?;
        // What it names is all that was observed.
        if let Some(observed) = &mut self.state.observed {
            self.panels.clear();
            let sampled = query.reads.iter().filter(|r| r.role != Role::Known);
            self.panels.extend(sampled.map(|r| r.panel));
            observed.see(&self.panels);
        }
        Ok(())
    }

    fn unask(&mut self, number: u64) -> Result<()> {
        self.state.ledger.unask(number)
    }

    fn release(&mut self, query: &Query, read: &[u32]) -> Result<()> {
        let place = find_whole(self.fingerprint, &self.state.ledger, query)?;
        self.state.ledger.release(place, query, read, &mut self.panels, &self.layout);
        Ok(())
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    fn asked_and_closed(&self) -> (u64, u64) {
        (self.state.ledger.next(), self.state.ledger.closed())
    }

    fn is_passive(&self) -> bool {
        self.state.observed.is_some()
    }

    fn needs_classes(&self) -> bool {
        self.recipe.loss.needs_classes()
    }

    #[inline]
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        let (learner, ledger) = (self.fingerprint, &self.state.ledger);
        let place = admit(
            learner,
            ledger,
            |q, adopted| self.could_have_asked(q, adopted),
            query,
            values,
            target,
        )?;
        if self.recipe.loss.needs_classes() && target.abs() != 1.0 {
            let problem = format!(
                "the target {target} is no class, -1 or +1, and this loss is one of classes"
            );
            return Err(ErrorKind::WrongAnswer { number: query.number, problem }.into());
        }
        if values.iter().any(|v| v.is_nan()) || self.teaches_nothing(query) {
            self.state.ledger.close(place);
            self.bill(query);
            self.state.ledger.skipped();
            return Ok(TellOutcome::Skipped);
        }
        let estimate = self.estimate(query, values);
        let (slope, risk) = if self.state.observed.is_some() {
            let slope = self.recipe.loss.slope(estimate.product, target);
            let risk = self.slope_observed(query, values, estimate.product, target);
            (Slope { value: slope, product: None, residuals: (0.0, 0.0) }, risk)
        } else {
            let slope = self.slope(query, values, target, estimate)?;
            self.gradient.iter_mut().for_each(|(_, g)| *g *= slope.value);
            (slope, slope.product.map(|product| (product - target) * (estimate.second - target)))
        };
        let t = self.state.ledger.answered + 1;
        let wait = Wait { delay: query.delay(), open: self.state.ledger.waiting() - 1 };
        let plan = self.plan(t, wait.open, query, values, target);
        let step = self.recipe.pace.at(t, &plan, wait);
        // Unlike `max` this keeps a NaN.
        let larger =
            |a: f64, (_, g): &(u32, f64)| if g.abs() > a || g.is_nan() { g.abs() } else { a };
        let largest = self.gradient.iter().fold(slope.value.abs(), larger);
        let length = largest * step.size.max(1.0);
        if length.is_nan() || length >= LARGEST_STEP {
            return Err(ErrorKind::Diverged {
                what: "a gradient step",
                value: largest * step.size,
            }
            .into());
        }
        if let Some(value) = risk.filter(|risk| risk.is_nan() || risk.abs() >= LARGEST_STEP) {
            return Err(ErrorKind::Diverged { what: "a squared error", value }.into());
        }
        let weight = self.apply(query, values, slope.value, step, plan.known * wait.shortened(), t);
        risk.into_iter().for_each(|square| self.state.risk.see(square, weight));
        if self.gen_est.is_some() {
            self.state.steepness.see_slope(slope.value);
            self.state.steepness.see_residuals(slope.residuals);
        }
        self.state.ledger.close(place);
        self.bill(query);
        self.state.ledger.learned(query.asked_at, target);
        self.state.target_squares += target * target;
        self.state.target_sum += target;
        let estimated = self.state.measured.is_none() || self.gen_est.is_some();
        if self.redraw(t)? || (estimated && (is_milestone(t) || self.state.norms.is_none())) {
            self.renew_norms();
        }
        Ok(TellOutcome::Learned)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.state.ledger.find(number)?;
        self.state.ledger.close(place);
        Ok(())
    }

    fn predictor(&self) -> Linear {
        let columns = self.layout.slots();
        let (mut weights, mut fill) = (vec![0.0; columns], vec![0.0; columns]);
        let (mut intercept, known) = self.state.known.average();
        let sampled = self.state.iterate.average();
        for (slot, w) in sampled.iter().chain(&known).enumerate() {
            let column = self.layout.column(slot);
            weights[column] = self.raw(slot, *w);
            fill[column] = self.state.running.mean(slot);
            let centre =
                if slot < sampled.len() { self.centre(slot) } else { self.known_centre(slot) };
            if slot < sampled.len() || self.scaled {
                intercept -= weights[column] * centre;
            }
        }
        // A score of classes is a margin, not an estimate of the target.
        let clip = self.state.ledger.range.filter(|_| !self.recipe.loss.needs_classes());
        let all = Linear { weights, intercept, fill, clip };
        let size = |column| match self.scaled {
            true => self.size(self.layout.slot(column), None),
            false => 1.0,
        };
        // Checked at the start.
        let some = self
            .recipe
            .truncate
            .and_then(|count| all.truncated_by(count as usize, &self.layout, size).ok());
        some.unwrap_or(all)
    }

    fn report(&self) -> Report {
        let (risk, risk_error) = self.state.risk.report();
        let drawn = self.gen_est.filter(|_| self.state.drawing.sampler().is_some());
        let budget_kind = if drawn.is_some() { BudgetKind::Expected } else { BudgetKind::Each };
        let report = self.state.ledger.report(self.recipe.name);
        let steep = drawn.and_then(|estimator| self.state.steepness.note(&estimator));
        let late = Note::of_delay(report.largest_delay, report.examples);
        // A score that tells classes apart by its sign estimates no target, and its squared error
        // says nothing.
        let risk_of_target = risk.filter(|_| !self.recipe.loss.needs_classes());
        let constant = self.state.ledger.variance(self.state.target_sum, self.state.target_squares);
        let worse =
            risk_of_target.and_then(|risk| Note::beside_constant(risk, risk_error, constant));
        let notes = [steep, late, worse].into_iter().flatten().collect();
        Report { risk, risk_error, budget_kind, notes, ..report }
    }

    fn save(&self) -> Result<serde_json::Value> {
        let state = serde_json::to_value(&self.state).map_err(|e| bad_state(e.to_string()))?;
        super::saved::wrap(self.recipe.name, &self.recipe.params, &self.layout, state)
    }
}

fn bad_state(problem: String) -> crate::Error {
    super::saved::bad("state", problem)
}
