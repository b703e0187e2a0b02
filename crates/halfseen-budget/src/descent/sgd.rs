//! Runs every budgeted gradient learner: draws, asks, estimates, steps and averages.
//!
//! A learner is a configuration, its [`Recipe`]: probabilities of the gradient's panels, number of
//! reads for the product <w,x>, iterate, step sizes, loss. Everything that such learners share is
//! here. Symbols are those of Hazan and Koren 2012:
//!
//! | symbol | meaning | code |
//! |---|---|---|
//! | t, m | number of the answer, from 1; number of examples to come | `StepSchedule::horizon` |
//! | x, y | example and target | `values`, `target` |
//! | x~ | estimate of x by the gradient's reads | `gradient`, before the slope |
//! | <w,x> | product, estimated by reads of its own | `Estimate::product` |
//! | phi | estimate of the loss's slope; <w,x> - y for half the square | `Slope::value` |
//! | g~ | phi x~, the estimate of the gradient | `gradient`, with the slope |
//! | eta | step size | `Step::size` |
//! | w, w- | iterate; average of the iterates | `Iterate` |
//! | u, z | weights and values that need no read, the constant first | `Known` |

mod ahead;
mod answer;
mod ask;
mod direct;
mod norms;
mod passive;
#[cfg(test)]
mod passive_tests;
mod scale;
mod smooth;
mod step;
#[cfg(test)]
mod tests;

use super::adaptive_sampler::AdaptiveSampler;
use super::gen_est::GenEst;
use super::known::{self, Known};
use super::recipe::{DrawMoments, Proportions, Recipe};
use super::running_moments::RunningMoments;
use super::slope_stats::SlopeStats;
use super::step_size::{Norms, Schedule, StepPlan};
use crate::progressive_validation::ProgressiveValidation;
use ahead::Ahead;
use halfseen_core::asking::Wait;
use halfseen_core::asking::allowance::given_means;
use halfseen_core::asking::engine::Engine;
use halfseen_core::asking::ledger::{Ledger, Limits, USUAL_READS};
use halfseen_core::asking::observed::Observed;
use halfseen_core::asking::saved;
use halfseen_core::data::{Layout, Moments};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::{Query, ReadRole, ReadRows, TellOutcome};
use halfseen_core::model::{BudgetKind, Linear, Note, Report, check_truncation};
use halfseen_core::params::{Average, Centre, Passive};
use halfseen_solve::iterate::Iterate;
use norms::{Measured, first_phase, is_milestone};
use scale::by_reads;
use std::sync::Arc;

/// Number of slots whose state stays in the processor's second cache.
const FEW_SLOTS: usize = 4096;
/// Least delay of an answer that is worth a note.
const LEAST_DELAY: u64 = 10;

/// Running learner; see the module's documentation.
#[derive(Debug, Clone)]
pub struct Sgd<I> {
    recipe: Recipe,
    layout: Arc<Layout>,
    /// Estimator of slopes that are not linear in the product.
    gen_est: Option<GenEst>,
    /// The t at which the average restarts; 0 if it never does.
    average_restarts: u64,
    /// Number of examples before the second phase, if there is one.
    first_phase: Option<u64>,
    /// True if attributes are scaled by their reads.
    scaled: bool,
    ledger: Ledger,
    state: State<I>,
    /// Plan for the norms of `state`; `None` before there are norms.
    planned: Option<StepPlan>,
    /// Drawn panels, values and gradient of the current example.
    panels: Vec<u32>,
    ahead: Ahead,
    terms: Vec<Term>,
    values: Vec<f64>,
    gradient: Vec<(u32, f64)>,
    /// Known values of the current example.
    free: Vec<f64>,
}

/// Value of the current example.
#[derive(Debug, Clone, Copy)]
struct Term {
    slot: u32,
    role: ReadRole,
    coefficient: f64,
    value: f64,
    /// Deviation from its centre.
    deviation: f64,
}

/// State that changes over time, saved beside the ledger.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct State<I> {
    iterate: I,
    known: Known,
    running: RunningMoments,
    drawing: AdaptiveSampler,
    risk: ProgressiveValidation,
    /// Shares of observed panels, for passive learners.
    observed: Option<Observed>,
    /// Slopes of smooth losses.
    steepness: SlopeStats,
    /// Means per sampled slot, if the recipe centres by given ones.
    given: Vec<f64>,
    target_squares: f64,
    /// Sum of the targets.
    target_sum: f64,
    /// Sums of squared gradients per sampled slot, if each has its own step.
    slopes: Vec<f64>,
    norms: Option<Norms>,
    /// Measured moments, which are constant. Without them moments are estimated from the reads,
    /// each time the number of answers has become four times as large: O(k) per answer, amortised.
    measured: Option<Measured>,
}

impl<I: Iterate> Sgd<I> {
    /// Starts a learner. `facts` holds the moments (per column) and the targets' mean square, if
    /// the learner may know them.
    ///
    /// # Errors
    /// Missing means for centring or missing moments for the draws; parameters of the wrong length;
    /// a first phase as long as the horizon.
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
            known: Known::new(slots - sampled, recipe.intercept, known::RADIUS),
            running: RunningMoments::new(slots),
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
        let ledger = ledger(&recipe, layout)?;
        let mut sgd = Self::with_state(recipe, layout, (state, ledger))?;
        sgd.renew_norms();
        Ok(sgd)
    }

    /// Resumes from a saved state.
    ///
    /// # Errors
    /// If the state does not fit this recipe and layout.
    pub fn resume(
        recipe: Recipe,
        layout: &Arc<Layout>,
        mut state: serde_json::Value,
    ) -> Result<Self> {
        let ledger = ledger(&recipe, layout)?.resumed(&mut state)?;
        let mut state: State<I> = saved::state(state)?;
        let sampled = layout.sampled_slots();
        state.iterate.shape(recipe.shape);
        state.iterate.restore(sampled, recipe.radius)?;
        let known = Known::new(layout.slots() - sampled, recipe.intercept, known::RADIUS);
        let given = if recipe.centre == Centre::Given { sampled } else { 0 };
        let slopes = if recipe.pace.schedule == Schedule::Adagrad { sampled } else { 0 };
        let sound = state.running.len() == layout.slots()
            && state.running.is_sound()
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
            return Err(saved::untrue());
        }
        let mut sgd = Self::with_state(recipe, layout, (state, ledger))?;
        sgd.replan();
        Ok(sgd)
    }

    fn with_state(
        recipe: Recipe,
        layout: &Arc<Layout>,
        (state, ledger): (State<I>, Ledger),
    ) -> Result<Self> {
        let horizon = recipe.pace.horizon;
        let first_phase = match recipe.draws.as_ref().map(|d| &d.proportions) {
            Some(Proportions::Optimal(DrawMoments::FirstPhase(phases))) => {
                first_phase(phases, horizon)?
            }
            _ => None,
        };
        // With two phases only the second is averaged.
        let second = first_phase.map_or(0, |end| end + 1);
        let average_restarts = match (recipe.average, horizon) {
            (Average::Tail, Some(m)) => second.max(m / 2 + 1),
            _ => second,
        };
        if let Some(count) = recipe.truncate {
            check_truncation(usize::try_from(count).unwrap_or(usize::MAX), layout)?;
        }
        let scaled = state.measured.is_none() && by_reads(&recipe, layout);
        let gen_est = GenEst::of(recipe.loss, recipe.radius);
        let mut sgd = Sgd {
            recipe,
            layout: Arc::clone(layout),
            gen_est,
            average_restarts,
            first_phase,
            scaled,
            ledger,
            state,
            planned: None,
            panels: Vec::new(),
            ahead: Ahead::default(),
            terms: Vec::with_capacity(USUAL_READS),
            values: Vec::new(),
            gradient: Vec::new(),
            free: Vec::new(),
        };
        sgd.weigh_iterate()?;
        Ok(sgd)
    }

    /// Returns true if an answer carries no information: a read was refused, or the row shows
    /// nothing.
    ///
    /// # Errors
    /// [`ErrorKind::WrongAnswer`] for a numeric target if the loss is for classes.
    #[inline]
    fn skips(&self, query: &Query, values: &[f64], target: f64) -> Result<bool> {
        self.check_class(query.number, target)?;
        Ok(values.iter().any(|v| v.is_nan()) || self.teaches_nothing(query))
    }

    /// Refuses a numeric target if the loss is for classes.
    #[inline]
    fn check_class(&self, number: u64, target: f64) -> Result<()> {
        if !self.recipe.loss.needs_classes() || target.abs() == 1.0 {
            return Ok(());
        }
        let problem =
            format!("the target {target} is neither -1 nor +1, and this loss is for two classes");
        Err(ErrorKind::WrongAnswer { number, problem }.into())
    }
}

/// Returns a note on a delay of answers, if large enough.
fn late(delay: u64, examples: u64) -> Option<Note> {
    (delay >= LEAST_DELAY && examples > 0).then(|| {
        let text = format!(
            "answers were delayed by up to {delay} other answers: steps were up to {:.1} times shorter, so less was learned than from \
             immediate answers; its own test evaluates the predictors at the time of the queries; wait for answers before asking more, \
             or use fiml, which delays do not affect",
            (1.0 + 2.0 * delay as f64).sqrt()
        );
        Note::on_data("late-answers", text)
    })
}

fn ledger(recipe: &Recipe, layout: &Arc<Layout>) -> Result<Ledger> {
    let Recipe { name, params, total_budget, total_cost, passive, .. } = recipe;
    let limits = Limits { reads: *total_budget, cost: *total_cost };
    let mut ledger = Ledger::new(name, params.clone(), layout, limits)?;
    ledger.passive = *passive != Passive::No;
    Ok(ledger)
}

impl<I: Iterate> Engine for Sgd<I> {
    #[inline]
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    #[inline]
    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn saved(&self) -> Result<serde_json::Value> {
        self.ledger.save(&self.state)
    }

    fn numbers(&self) -> Result<()> {
        if !self.recipe.loss.needs_classes() {
            return Ok(());
        }
        let what = "two classes as the target, and this one holds numbers; choose loss = absolute, or the classifier";
        Err(ErrorKind::Needs { name: "loss", value: "hinge, exponential or logistic", what }.into())
    }

    fn see(&mut self, observed: &[u32]) {
        self.state.observed.iter_mut().for_each(|shares| shares.see(observed));
    }

    #[inline]
    fn write(&mut self, query: &mut Query, observed: Option<&[u32]>) {
        query.phase = self.state.drawing.version;
        self.push_known(query);
        match observed {
            Some(observed) => self.write_observed(observed, query),
            None => self.draw(query),
        }
    }

    #[inline]
    fn could_have_asked(&self, query: &Query, adopted: bool) -> bool {
        match &self.state.observed {
            Some(_) => self.could_have_observed(query),
            None => self.could_have_drawn(query, adopted),
        }
    }

    /// Takes one step, with the lines of AERR (Hazan and Koren 2012, algorithm 1);
    /// [`Engine::write`] made the draws of its first lines.
    #[inline]
    fn learn(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        if self.skips(query, values, target)? {
            return Ok(TellOutcome::Skipped);
        }
        // x~ = sum over the drawn i of d x_i e_i / (k - 1); |w|^2 x_j / w_j, with mean <w,x>.
        let estimate = self.estimate(query, values);
        // phi = |w|^2 x_j / w_j - y, g~ = phi x~.
        let slope = self.multiply_by_slope(query, values, target, estimate)?;
        // eta of the theorem, for the norms of the data.
        let wait = Wait { delay: query.delay(), open: self.ledger.waiting() - 1 };
        let plan = self.plan(wait.open, query, values, target);
        self.read_known(query, values);
        self.move_by(slope, target, &plan, wait)?;
        self.remember();
        Ok(TellOutcome::Learned)
    }

    #[inline]
    fn learn_directly(&mut self, rows: &mut dyn ReadRows) -> Option<Result<TellOutcome>> {
        self.needs_no_query().then(|| self.learn_drawn(rows))
    }

    #[inline]
    fn renew(&mut self) -> Result<()> {
        let t = self.ledger.answered();
        let estimated = self.state.measured.is_none() || self.gen_est.is_some();
        if self.redraw(t)? || (estimated && (is_milestone(t) || self.state.norms.is_none())) {
            self.renew_norms();
        }
        Ok(())
    }

    fn present(&self) -> Linear {
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
        // A classification score is a margin, not an estimate of the target.
        let clip = self.ledger.range().filter(|_| !self.recipe.loss.needs_classes());
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

    fn noted(&self, report: Report) -> Report {
        let (risk, risk_error) = self.state.risk.report();
        let drawn = self.gen_est.filter(|_| self.state.drawing.sampler().is_some());
        let budget_kind = if drawn.is_some() { BudgetKind::Expected } else { BudgetKind::Each };
        let steep = drawn.and_then(|estimator| self.state.steepness.note(&estimator));
        let late = late(report.largest_delay, report.examples);
        // A classification score does not estimate the target, and its squared error is
        // meaningless.
        let risk_of_target = risk.filter(|_| !self.recipe.loss.needs_classes());
        let constant = self.ledger.variance(self.state.target_sum, self.state.target_squares);
        let worse =
            risk_of_target.and_then(|risk| Note::beside_constant(risk, risk_error, constant));
        let notes = [steep, late, worse].into_iter().flatten().collect();
        let constant_risk = risk_of_target.map(|_| constant);
        Report { risk, risk_error, constant_risk, budget_kind, notes, ..report }
    }
}
