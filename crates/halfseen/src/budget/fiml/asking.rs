//! Asks for reads and keeps what is obtained; fits when asked for a predictor.

use super::Fiml;
use super::design::importance;
use super::estimate::{Estimate, Setting, estimate};
use super::predicting::{conditional, linked, predictor_of};
use super::read_design::{Plan, ReadDesign};
use super::read_summary::ReadSummary;
use super::reads::Reads;
use crate::budget::admission::{admit, check_adoptable, find_whole};
use crate::budget::allowance::{self, affordable};
use crate::budget::ledger::{LARGEST_COUNT, Ledger};
use crate::budget::{AskTell, ColumnTerm, Query, Read, Role, TellOutcome, saved};
use crate::data::Layout;
use crate::error::{ErrorKind, Result};
use crate::model::{Conditional, Fit, Linear, Note, Predictor, Report, Stop};
use crate::params::{Design, Parameters, Passive};
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;

/// Only smaller values are kept: sums of products of two must stay in range.
const LARGEST_VALUE: f64 = 1e50;
/// Reads of each panel, on average, before probabilities are first made from them; and the least
/// number of examples.
const FIRST_READS: usize = 20;
const FIRST_EXAMPLES: u64 = 100;

/// A running learner; see the module's documentation.
#[derive(Debug, Clone)]
pub(super) struct Asker {
    learner: Fiml,
    layout: Arc<Layout>,
    fingerprint: u64,
    params: serde_json::Map<String, serde_json::Value>,
    budget: allowance::Reads,
    drawing: ReadDesign,
    state: State,
    /// What was found at the last look, after so many answers.
    found: RefCell<Option<(u64, Fit)>>,
    /// Panels of the current example.
    panels: Vec<u32>,
}

/// What changes over time, and is saved.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    reads: Reads,
    ledger: Ledger,
    /// Reads that gave no value.
    refused: u64,
    plan: Plan,
}

impl Asker {
    /// Starts a learner.
    ///
    /// # Errors
    /// Parameters out of range, a budget that cannot be kept.
    pub(super) fn new(learner: &Fiml, layout: &Arc<Layout>) -> Result<Asker> {
        let budget = check(learner, layout)?;
        let ledger = Ledger::new(layout.sampled_panels(), learner.total_budget);
        Self::with_state(
            learner,
            layout,
            budget,
            State { reads: Reads::new(), ledger, refused: 0, plan: Plan::default() },
        )
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// If the state is not one of these parameters and this layout.
    pub(super) fn resume(
        learner: &Fiml,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Asker> {
        let budget = check(learner, layout)?;
        let mut state: State =
            serde_json::from_value(state).map_err(|e| saved::bad("state", e.to_string()))?;
        let sound = state.reads.is_sound(layout.slots(), LARGEST_VALUE)
            && state.ledger.restore(layout.sampled_panels(), learner.total_budget)
            && state.ledger.answered == state.reads.len() as u64
            && state.refused <= LARGEST_COUNT
            && state.plan.is_sound(budget, redesigns(learner, budget, state.ledger.answered));
        if !sound {
            return Err(saved::untrue());
        }
        // A state older than the range holds the targets that it follows from.
        let wider = |range: Option<[f64; 2]>, y: &f64| {
            Some(range.map_or([*y; 2], |[low, high]| [low.min(*y), high.max(*y)]))
        };
        state.ledger.range = state.reads.targets().iter().fold(None, wider);
        Self::with_state(learner, layout, budget, state)
    }

    fn with_state(
        learner: &Fiml,
        layout: &Arc<Layout>,
        budget: allowance::Reads,
        state: State,
    ) -> Result<Asker> {
        let params = learner.to_json();
        Ok(Asker {
            learner: learner.clone(),
            layout: Arc::clone(layout),
            fingerprint: saved::fingerprint(Fiml::NAME, &params, layout)?,
            params,
            budget,
            drawing: ReadDesign::new(budget, learner.seed),
            state,
            found: RefCell::new(None),
            panels: Vec::new(),
        })
    }

    fn setting(&self) -> Setting {
        Setting {
            slots: self.layout.slots(),
            folds: self.learner.folds as usize,
            rank: self.learner.rank.map(|r| usize::try_from(r).unwrap_or(usize::MAX)),
            deviations: self.learner.deviations as usize,
            seed: self.learner.seed,
        }
    }

    /// Fits to what was read so far.
    fn conditional(&self, monitor: &dyn Monitor) -> Result<(Conditional, Report)> {
        let (reads, survey) = (&self.state.reads, ReadSummary::of(&self.state.reads, &self.layout));
        let found = if survey.teaches() {
            estimate(reads, &self.setting(), monitor)?
        } else {
            Estimate::nothing(survey.means.clone(), survey.centre, survey.variance, reads.len())
        };
        let mut report = self.state.ledger.report(Fiml::NAME);
        report.stop = if found.remarks.interrupted { Stop::Interrupted } else { Stop::OnePass };
        (report.risk, report.risk_error) = found.risk.unzip();
        report.passes = Some(found.passes);
        report.notes = survey.notes(self.state.refused);
        let tested = found
            .risk
            .and_then(|(risk, error)| Note::beside_constant(risk, Some(error), survey.variance));
        report.notes.extend(tested);
        if found.remarks.guarded > 0 {
            report
                .notes
                .push(Note::GuardedRefinements { refinements: found.remarks.guarded as u64 });
        }
        let mut predictor = predictor_of(&found, &self.layout)?;
        predictor.linear.clip = self.state.ledger.range;
        Ok((linked(predictor, self.learner.link, &found, reads)?, report))
    }

    /// The same with why the pass stopped, where the fit was not interrupted.
    ///
    /// # Errors
    /// Numerical failure.
    pub(super) fn fit(&self, stop: Stop, monitor: &dyn Monitor) -> Result<Fit> {
        let (found, mut report) = self.conditional(monitor)?;
        if report.stop != Stop::Interrupted {
            report.stop = stop;
        }
        report.converged = report.stop.converged();
        Ok(Fit { predictor: Predictor::Conditional(found), report })
    }

    /// The predictor, fitted anew if anything was told since the last time. Should that fail
    /// numerically, which a fit reports, no attribute has a weight.
    fn found(&self) -> Conditional {
        match self.fitted(&Silent) {
            Ok(Fit { predictor: Predictor::Conditional(found), .. }) => found,
            _ => self.nothing(),
        }
    }

    /// The mean of the targets.
    fn nothing(&self) -> Conditional {
        let survey = ReadSummary::of(&self.state.reads, &self.layout);
        let nothing =
            Estimate::nothing(survey.means, survey.centre, survey.variance, self.state.reads.len());
        conditional(&nothing, &self.layout)
    }

    fn passive(&self) -> bool {
        self.learner.passive != Passive::No
    }

    /// Makes the probabilities of the next draws from what was read, after 1, 2, 4, ... times the
    /// first number of answers.
    fn redesign(&mut self) {
        let made = |answered| redesigns(&self.learner, self.budget, answered);
        let answered = self.state.ledger.answered;
        if made(answered) == made(answered.saturating_sub(1)) {
            return;
        }
        let of_slots = importance(&self.state.reads, &self.setting());
        let weight = |panel: usize| self.layout.slots_of(panel).map(|slot| of_slots[slot]).sum();
        let weights: Vec<f64> = (0..self.budget.panels).map(weight).collect();
        self.state.plan.renew(&weights, self.budget.budget);
    }

    /// Begins the next query, with what is known of the example.
    fn head(&mut self, query: &mut Query) {
        query.clear();
        (query.learner, query.phase, query.exact) =
            (self.fingerprint, self.state.plan.version, 0.0);
        query.asked_at = self.state.ledger.closed();
        query.number = self.state.ledger.next();
        for panel in self.layout.sampled_panels()..self.layout.panels() {
            self.push(query, panel, Role::Known);
        }
    }

    #[inline]
    fn push(&self, query: &mut Query, panel: usize, role: Role) {
        query.reads.push(Read { panel: panel as u32, role, coefficient: 1.0 });
        query
            .parts
            .extend(self.layout.slots_of(panel).map(|_| ColumnTerm { weight: 0.0, centre: 0.0 }));
    }

    /// The role of what is not known beforehand.
    fn role(&self) -> Role {
        if self.passive() || self.budget.all() { Role::Full } else { Role::Gradient }
    }

    /// Whether a query has the shape of this learner's. Known panels come first, then those drawn,
    /// or observed, in order. One that was adopted may be of probabilities that are yet to come.
    #[inline]
    fn could_have_asked(&self, query: &Query, adopted: bool) -> bool {
        let (sampled, known) =
            (self.layout.sampled_panels(), self.layout.panels() - self.layout.sampled_panels());
        if query.reads.len() < known
            || (query.phase > self.state.plan.version && !adopted)
            || !query.orders.is_empty()
        {
            return false;
        }
        let (free, drawn) = query.reads.split_at(known);
        let free_fits = |(at, read): (usize, &Read)| {
            read.panel as usize == sampled + at && read.role == Role::Known
        };
        let role = self.role();
        // Rounded probabilities may leave out one.
        let number = self.passive()
            || drawn.len() == self.budget.budget
            || (query.phase > 0 && drawn.len() + 1 == self.budget.budget);
        let fits = number
            && free.iter().enumerate().all(free_fits)
            && drawn.iter().all(|r| r.role == role && (r.panel as usize) < sampled)
            && drawn.windows(2).all(|w| w[0].panel < w[1].panel)
            && query.reads.iter().all(|r| r.coefficient == 1.0);
        fits && query
            .reads
            .iter()
            .map(|r| self.layout.slots_of(r.panel as usize).len())
            .sum::<usize>()
            == query.parts.len()
            && query.parts.iter().all(|p| p.weight == 0.0 && p.centre == 0.0)
            && query.exact == 0.0
    }

    /// Keeps the values that were obtained, in the order of their slots: what is known comes last.
    /// Returns how many reads gave none.
    fn keep(&mut self, query: &Query, values: &[f64], target: f64) -> u64 {
        let slots = || query.reads.iter().flat_map(|r| self.layout.slots_of(r.panel as usize));
        let known = self.layout.slots() - self.layout.sampled_slots();
        let cells = || slots().map(|slot| slot as u32).zip(values.iter().copied());
        let mut at = 0;
        let gave_none = |read: &&Read| {
            let here = at..at + self.layout.slots_of(read.panel as usize).len();
            at = here.end;
            values[here].iter().any(|v| v.is_nan())
        };
        let refused = query.reads.iter().filter(gave_none).count() as u64;
        self.state.reads.push(cells().skip(known).chain(cells().take(known)), target);
        refused
    }
}

/// How often probabilities have been made anew by this number of answers.
fn redesigns(learner: &Fiml, reads: allowance::Reads, answered: u64) -> u32 {
    if learner.design != Design::Adaptive || learner.passive != Passive::No || reads.all() {
        return 0;
    }
    let first = (FIRST_READS * reads.panels).div_ceil(reads.budget.max(1)) as u64;
    (answered / first.max(FIRST_EXAMPLES)).checked_ilog2().map_or(0, |doublings| doublings + 1)
}

/// Checks parameters and budget.
fn check(learner: &Fiml, layout: &Layout) -> Result<allowance::Reads> {
    learner.check()?;
    if learner.passive == Passive::One {
        let allowed = "no or all for fiml, which keeps everything that is observed".to_owned();
        let (name, value) = (crate::params::PASSIVE.name, "one".to_owned());
        return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
    }
    let reads = allowance::Reads::of(learner.budget, layout)?;
    learner.total_budget.map(|total| affordable(total, reads.budget as u64)).transpose()?;
    Ok(reads)
}

impl AskTell for Asker {
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        self.head(query);
        if self.passive() {
            // All of it happens to be observed.
            self.panels.clear();
            self.panels.extend(0..self.layout.sampled_panels() as u32);
        } else {
            self.drawing.draw(&self.state.plan, query.number, &mut self.panels);
        }
        let role = self.role();
        self.panels.iter().for_each(|&panel| self.push(query, panel as usize, role));
        self.state.ledger.open(query)?;
        query.checksum = query.digest();
        Ok(())
    }

    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        if !self.passive() {
            return Err(ErrorKind::Chooses { learner: Fiml::NAME.to_owned() }.into());
        }
        let panels = self.layout.sampled_panels();
        let last = observed.last().is_none_or(|&last| (last as usize) < panels);
        if !last || !observed.windows(2).all(|w| w[0] < w[1]) {
            let value = observed.iter().take(20).map(u32::to_string).collect::<Vec<_>>().join(",");
            let allowed = format!("increasing numbers of panels that can be read, below {panels}");
            return Err(ErrorKind::OutOfRange { name: "observed", value, allowed }.into());
        }
        self.head(query);
        observed.iter().for_each(|&panel| self.push(query, panel as usize, Role::Full));
        self.state.ledger.open(query)?;
        query.checksum = query.digest();
        Ok(())
    }

    fn adopt(&mut self, query: &Query) -> Result<()> {
        check_adoptable(self.fingerprint, |q, adopted| self.could_have_asked(q, adopted), query)?;
        self.state.ledger.adopt(query)
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
        self.passive()
    }

    fn takes_holes(&self) -> bool {
        true
    }

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
        // Of a NaN and a number the larger is the number.
        let largest = values.iter().fold(target.abs(), |a, v| a.max(v.abs()));
        if largest >= LARGEST_VALUE {
            return Err(ErrorKind::Diverged {
                what: "a product of two values",
                value: largest * largest,
            }
            .into());
        }
        self.state.refused += self.keep(query, values, target);
        self.panels.clear();
        self.panels.extend(query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel));
        self.state.ledger.close(place);
        self.state.ledger.bill(&mut self.panels, &self.layout);
        self.state.ledger.learned(query.asked_at, target);
        self.redesign();
        Ok(TellOutcome::Learned)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.state.ledger.find(number)?;
        self.state.ledger.close(place);
        Ok(())
    }

    fn predictor(&self) -> Linear {
        self.found().linear
    }

    fn model(&self) -> Predictor {
        Predictor::Conditional(self.found())
    }

    /// What was found is kept until more is told.
    fn fitted(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let answered = self.state.ledger.answered;
        if let Some((_, fit)) = self.found.borrow().as_ref().filter(|(at, _)| *at == answered) {
            return Ok(fit.clone());
        }
        let fit = self.fit(Stop::OnePass, monitor)?;
        if fit.report.stop != Stop::Interrupted {
            self.found.replace(Some((answered, fit.clone())));
        }
        Ok(fit)
    }

    fn report(&self) -> Report {
        let mut report = self.state.ledger.report(Fiml::NAME);
        if self.state.refused > 0 {
            report.notes.push(Note::RefusedReads { reads: self.state.refused });
        }
        report
    }

    fn save(&self) -> Result<serde_json::Value> {
        let state =
            serde_json::to_value(&self.state).map_err(|e| saved::bad("state", e.to_string()))?;
        saved::wrap(Fiml::NAME, &self.params, &self.layout, state)
    }
}
