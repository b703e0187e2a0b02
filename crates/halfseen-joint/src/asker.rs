//! Asks for reads and keeps their values; fits when asked for a predictor.

use super::Fiml;
use super::fitting::Fitting;
use super::predicting::needs_classes;
use super::read_design::{Plan, Priced, ReadDesign};
use super::reads::Reads;
use halfseen_core::asking::allowance::{self, affordable, affordable_cost};
use halfseen_core::asking::engine::{Engine, push, push_known};
use halfseen_core::asking::ledger::{LARGEST_COUNT, Ledger, Limits};
use halfseen_core::asking::saved;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::{ErrorKind, Result, shown};
use halfseen_core::learner::{AskTell, Query, Read, ReadRole, TellOutcome};
use halfseen_core::model::{Fit, Linear, Note, Predictor, Report, Stop};
use halfseen_core::params::{Design, Link, Parameters, Passive};
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;

/// A file of more is none of this learner.
const MOST_CLASSES: u64 = 1 << 20;
/// Only smaller values are kept: sums of products of two must stay in range.
const LARGEST_VALUE: f64 = 1e50;
/// Mean number of reads per panel before the first redesign, and the least number of examples.
const FIRST_READS: usize = 20;
const FIRST_EXAMPLES: u64 = 100;

#[derive(Debug, Clone)]
pub(super) struct Asker {
    learner: Fiml,
    layout: Arc<Layout>,
    ledger: Ledger,
    budget: allowance::Reads,
    drawing: ReadDesign,
    state: State,
    /// Rows of a pilot, which a pass over a table gives and no file holds.
    pilot: Reads,
    /// The last fit, with the number of answers at that time.
    found: RefCell<Option<(u64, Fit)>>,
    /// Panels of the current example.
    panels: Vec<u32>,
}

/// State that changes over time, saved beside the ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    reads: Reads,
    /// Number of reads without a value.
    refused: u64,
    plan: Plan,
    /// Number of examples with a target of which nothing was read, observed and not asked.
    #[serde(default, skip_serializing_if = "saved::is_zero")]
    unread: u64,
    /// Number of examples whose reads this copy does not hold, because it only draws; 0 if it holds
    /// all.
    #[serde(default, skip_serializing_if = "saved::is_zero")]
    absent: u64,
    /// Number of classes, if more than two; targets are then their numbers, from 0.
    #[serde(default, skip_serializing_if = "saved::is_zero")]
    classes: u64,
}

impl State {
    /// Returns true if counts and plan can be true of a learner that was told of this number of
    /// targets.
    fn is_sound(&self, slots: usize, answered: u64) -> bool {
        let told = self.reads.known_targets().count() as u64;
        let held = match self.absent {
            0 => told == answered,
            absent => self.reads.len() == 0 && (answered..=LARGEST_COUNT).contains(&absent),
        };
        held && self.reads.is_sound(slots, LARGEST_VALUE, LARGEST_COUNT)
            && (self.classes == 0 || (3..=MOST_CLASSES).contains(&self.classes))
            && self.unread <= answered
            && self.refused <= LARGEST_COUNT
            && self.reads.known_targets().all(|target| self.check_class(target).is_ok())
    }

    /// Refuses the target that is none of the classes, if there are more than two.
    fn check_class(&self, target: f64) -> Result<()> {
        let classes = self.classes as f64;
        if self.classes == 0 || (target.fract() == 0.0 && (0.0..classes).contains(&target)) {
            return Ok(());
        }
        let allowed = format!("the number of a class, an integer from 0 to {}", self.classes - 1);
        Err(ErrorKind::OutOfRange { name: "target", value: shown(target), allowed }.into())
    }

    /// Refuses what needs the reads, where this copy only draws.
    fn check_held(&self) -> Result<()> {
        match self.absent {
            0 => Ok(()),
            examples => Err(ErrorKind::Request(format!(
                "this copy only draws queries: it does not hold the reads of {examples} examples; tell answers to the learner that it was copied from, and ask that for a model"
            ))
            .into()),
        }
    }
}

impl Asker {
    /// Starts a learner.
    ///
    /// # Errors
    /// Parameters out of range, a budget that cannot be kept.
    pub(super) fn new(learner: &Fiml, layout: &Arc<Layout>) -> Result<Asker> {
        let budget = check(learner, layout)?;
        let (reads, plan) = (Reads::new(), Plan::default());
        let state = State { reads, refused: 0, plan, unread: 0, absent: 0, classes: 0 };
        Ok(Self::with_state(learner, layout, budget, (state, ledger(learner, layout)?)))
    }

    /// Resumes from a saved state.
    ///
    /// # Errors
    /// If the state does not match these parameters and this layout.
    pub(super) fn resume(
        learner: &Fiml,
        layout: &Arc<Layout>,
        mut state: serde_json::Value,
    ) -> Result<Asker> {
        let budget = check(learner, layout)?;
        let ledger = ledger(learner, layout)?.resumed(&mut state)?;
        let state: State = saved::state(state)?;
        let answered = ledger.answered();
        let sound = state.is_sound(layout.slots(), answered)
            && state.plan.is_sound(
                budget.panels,
                planned(learner, budget),
                redesigns(learner, layout, budget, answered - state.unread),
            );
        if !sound {
            return Err(saved::untrue());
        }
        Ok(Self::with_state(learner, layout, budget, (state, ledger)))
    }

    fn with_state(
        learner: &Fiml,
        layout: &Arc<Layout>,
        budget: allowance::Reads,
        (state, ledger): (State, Ledger),
    ) -> Asker {
        Asker {
            learner: learner.clone(),
            layout: Arc::clone(layout),
            ledger,
            budget,
            drawing: ReadDesign::new(budget, learner.seed, priced(learner, layout)),
            state,
            pilot: Reads::new(),
            found: RefCell::new(None),
            panels: Vec::new(),
        }
    }

    /// Takes the observed cells of a pilot's rows, which cost nothing.
    ///
    /// # Errors
    /// Other columns or classes; cells or targets that are infinite or too large; no cell at all.
    pub(super) fn take_pilot(&mut self, pilot: &Examples<'_>, classes: usize) -> Result<()> {
        let slots = self.layout.slots();
        if pilot.columns() != slots {
            let (what, expected, found) =
                ("columns of the pilot".to_owned(), slots, pilot.columns());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        if pilot.classes() != classes {
            let problem = format!("it has {} classes in the pilot, not {classes}", pilot.classes());
            return Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into());
        }
        for i in 0..pilot.len() {
            let told = pilot.told(i);
            // A code beyond the classes stands for an unknown target.
            let target = if classes > 2 && told >= classes as f64 { f64::NAN } else { told };
            let cells = (0..slots).map(|slot| pilot.value(i, self.layout.column(slot)));
            check_size(cells.clone().chain([target]))?;
            let cells = (0..).zip(cells);
            self.pilot.push_numbered(i as u64, cells, target);
        }
        if self.pilot.cells() == 0 {
            let what = "a pilot, in rows with an observed attribute".to_owned();
            return Err(ErrorKind::TooFewRows { what, least: 1, rows: 0 }.into());
        }
        Ok(())
    }

    /// Returns the reads with all that a fit to them needs.
    fn fitting(&self) -> Fitting<'_> {
        let State { reads, refused, classes, .. } = &self.state;
        let range = self.ledger.range();
        let (learner, layout) = (&self.learner, &*self.layout);
        let (pilot, classes, refused) = (&self.pilot, *classes, *refused);
        Fitting { learner, layout, reads, pilot, classes, refused, range }
    }

    /// Fits, and reports `stop` unless the fit was interrupted.
    ///
    /// # Errors
    /// Numerical failure; [`ErrorKind::Request`].
    pub(super) fn fit(&self, stop: Stop, monitor: &dyn Monitor) -> Result<Fit> {
        self.state.check_held()?;
        let (predictor, mut report) = self.fitting().fit(self.ledger.report(), monitor)?;
        if report.stop != Stop::Interrupted {
            report.stop = stop;
        }
        report.converged = report.stop.converged();
        Ok(Fit { predictor, report })
    }

    /// Returns the predictor, refitted after new answers. If that fails numerically, which a fit
    /// reports, no attribute has a weight.
    fn found(&self) -> Predictor {
        self.fitted(&Silent).map_or_else(|_| self.fitting().nothing(), |fit| fit.predictor)
    }

    /// Returns the role of drawn panels.
    fn role(&self) -> ReadRole {
        let all = self.budget.all() && self.learner.max_cost.is_none();
        if self.ledger.passive || all { ReadRole::Full } else { ReadRole::Gradient }
    }

    /// Keeps the observed values in the order of their slots: known ones come last. Returns the
    /// number of reads without a value.
    fn keep_answer(&mut self, query: &Query, values: &[f64], target: f64) -> u64 {
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
        let cells = cells().skip(known).chain(cells().take(known));
        self.state.reads.push_next(query.number, cells, target);
        refused
    }

    /// Returns the number of panels with a NaN among cells of increasing slots.
    fn refused_among(&self, cells: &[(u32, f64)]) -> u64 {
        let panel = |cell: &(u32, f64)| self.layout.panel_of(cell.0 as usize);
        let by_panel = cells.chunk_by(|a, b| panel(a) == panel(b));
        by_panel.filter(|cells| cells.iter().any(|(_, value)| value.is_nan())).count() as u64
    }

    /// Returns the number of answers that redesigns follow.
    fn counted(&self) -> u64 {
        self.ledger.answered() - self.state.unread
    }
}

/// Refuses numbers whose products would leave the range.
fn check_size(values: impl Iterator<Item = f64>) -> Result<()> {
    // The maximum of NaN and a number is the number.
    let largest = values.fold(0.0_f64, |a, v| a.max(v.abs()));
    if largest >= LARGEST_VALUE {
        let (what, value) = ("a product of two values", largest * largest);
        return Err(ErrorKind::Diverged { what, value }.into());
    }
    Ok(())
}

fn ledger(learner: &Fiml, layout: &Arc<Layout>) -> Result<Ledger> {
    let limits = Limits { reads: learner.total_budget, cost: learner.total_cost };
    let mut ledger = Ledger::new(Fiml::NAME, learner.to_json(), layout, limits)?;
    (ledger.passive, ledger.holes) = (learner.passive != Passive::No, true);
    Ok(ledger)
}

/// Returns the draws under a limit on the cost of one example; `None` without one.
fn priced(learner: &Fiml, layout: &Layout) -> Option<Priced> {
    let most = learner.max_cost.filter(|_| learner.passive == Passive::No)?;
    let prices = (0..layout.sampled_panels()).map(|panel| layout.price(panel));
    Some(Priced::new(prices.collect(), most))
}

/// Returns the number of draws that a plan has probabilities of: where the cost of an example is
/// limited, those of the first panel.
fn planned(learner: &Fiml, reads: allowance::Reads) -> usize {
    if learner.max_cost.is_some() { 1 } else { reads.budget }
}

/// Returns the number of redesigns of the probabilities after this number of answers.
fn redesigns(learner: &Fiml, layout: &Layout, reads: allowance::Reads, answered: u64) -> u32 {
    let all = reads.all() && learner.max_cost.is_none();
    if learner.design != Design::Adaptive || learner.passive != Passive::No || all {
        return 0;
    }
    let first = match learner.max_cost {
        None => (FIRST_READS * reads.panels).div_ceil(reads.budget.max(1)) as u64,
        Some(most) => {
            // At least the number of reads that are paid for at the mean price.
            let cost = (0..reads.panels).map(|panel| layout.price(panel)).sum::<f64>();
            let paid = (most * reads.panels as f64 / cost).clamp(1.0, reads.budget.max(1) as f64);
            ((FIRST_READS * reads.panels) as f64 / paid).ceil() as u64
        }
    };
    (answered / first.max(FIRST_EXAMPLES)).checked_ilog2().map_or(0, |doublings| doublings + 1)
}

fn check(learner: &Fiml, layout: &Layout) -> Result<allowance::Reads> {
    learner.check()?;
    if learner.passive == Passive::One {
        let allowed = "no or all for fiml, which keeps everything that is observed".to_owned();
        let (name, value) = (halfseen_core::params::PASSIVE.name, "one".to_owned());
        return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
    }
    let reads = allowance::Reads::of(learner.budget, layout)?;
    learner.total_budget.map(|total| affordable(total, reads.budget as u64)).transpose()?;
    let (total, most) = (learner.total_cost, learner.max_cost);
    total.map(|total| affordable_cost(total, most, reads, layout)).transpose()?;
    let most_expensive =
        (0..reads.panels).max_by(|&a, &b| layout.price(a).total_cmp(&layout.price(b)));
    if let (Some(most_expensive), Some(most)) = (most_expensive, most)
        && layout.price(most_expensive) > most
    {
        let (name, price) = (
            halfseen_core::error::short(layout.name(most_expensive)),
            layout.price(most_expensive),
        );
        let allowed =
            format!("at least the price of the most expensive attribute '{name}', {price}");
        let (name, value) = (halfseen_core::params::MAX_COST.name, shown(most));
        return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
    }
    Ok(reads)
}

impl Engine for Asker {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn saved(&self) -> Result<serde_json::Value> {
        self.ledger.save(&self.state)
    }

    fn numbers(&self) -> Result<()> {
        match self.learner.link {
            Link::Identity => Ok(()),
            link => Err(needs_classes(link)),
        }
    }

    fn take_classes(&mut self, classes: usize) -> Result<()> {
        let classes = if classes > 2 { classes as u64 } else { 0 };
        let told = self.state.classes;
        if classes != told && self.ledger.answered() > 0 {
            let of =
                |classes: u64| if classes > 0 { classes.to_string() } else { "two".to_owned() };
            let problem = format!(
                "it is of {} classes, and this learner was told of {} or of numbers; start another",
                of(classes),
                of(told)
            );
            return Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into());
        }
        self.found.replace(None);
        self.state.classes = classes;
        Ok(())
    }

    fn write(&mut self, query: &mut Query, observed: Option<&[u32]>) {
        query.phase = self.state.plan.version;
        push_known(query, &self.layout);
        if observed.is_none() {
            self.drawing.draw(&self.state.plan, query.number, &mut self.panels);
        }
        let role = self.role();
        for &panel in observed.unwrap_or(&self.panels) {
            push(query, &self.layout, (panel, role, 1.0), |_| 0.0);
        }
    }

    /// Requires panels in order. An adopted query may come from a later design.
    #[inline]
    fn could_have_asked(&self, query: &Query, adopted: bool) -> bool {
        let Some(drawn) = self.ledger.alike_in(query, self.role(), 1.0) else { return false };
        // Rounded probabilities may leave out one.
        let number = self.ledger.passive
            || drawn.len() == self.budget.budget
            || (self.learner.max_cost.is_some() && drawn.len() < self.budget.budget)
            || (query.phase > 0 && drawn.len() + 1 == self.budget.budget);
        number
            && (query.phase <= self.state.plan.version || adopted)
            && drawn.windows(2).all(|w| w[0].panel < w[1].panel)
            && query.parts.iter().all(|p| p.centre == 0.0)
    }

    fn learn(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        self.state.check_held()?;
        check_size(values.iter().copied().chain([target]))?;
        self.state.check_class(target)?;
        self.state.refused += self.keep_answer(query, values, target);
        Ok(TellOutcome::Learned)
    }

    fn observes(&self) -> bool {
        true
    }

    fn keep(&mut self, number: u64, cells: &[(u32, f64)], target: Option<f64>) -> Result<()> {
        self.state.check_held()?;
        check_size(cells.iter().map(|&(_, value)| value).chain(target))?;
        target.map_or(Ok(()), |target| self.state.check_class(target))?;
        self.found.replace(None);
        self.state.refused += self.refused_among(cells);
        if target.is_some() || cells.iter().any(|(_, value)| !value.is_nan()) {
            let target = target.unwrap_or(f64::NAN);
            self.state.reads.push_numbered(number, cells.iter().copied(), target);
        }
        let sampled = self.layout.sampled_slots() as u32;
        let unread = cells.first().is_none_or(|&(slot, _)| slot >= sampled);
        self.state.unread += u64::from(unread && target.is_some());
        Ok(())
    }

    fn saved_to_draw(&self) -> Result<serde_json::Value> {
        let absent = self.state.absent.max(self.state.reads.len() as u64);
        let plan = self.state.plan.clone();
        self.ledger.save(&State { reads: Reads::new(), plan, absent, ..self.state })
    }

    /// Redesigns the probabilities of the draws from the reads, after 1, 2, 4, ... times the first
    /// number of answers.
    fn renew(&mut self) -> Result<()> {
        let made = |answered| redesigns(&self.learner, &self.layout, self.budget, answered);
        let answered = self.counted();
        if made(answered) != made(answered - 1) {
            let of_slots = self.fitting().importance();
            let of = |panel: usize| self.layout.slots_of(panel).map(|slot| of_slots[slot]).sum();
            let mut weights: Vec<f64> = (0..self.budget.panels).map(of).collect();
            if let Some(priced) = self.drawing.priced() {
                priced.weigh(&mut weights, &self.ledger.report().panel_reads);
            }
            self.state.plan.renew(&weights, planned(&self.learner, self.budget));
        }
        Ok(())
    }

    fn present(&self) -> Linear {
        match self.found() {
            Predictor::Conditional(found) => found.linear,
            Predictor::Curves(found) => found.line(),
            _ => self.fitting().mean(),
        }
    }

    fn present_model(&self) -> Predictor {
        self.found()
    }

    /// Keeps the fit until the next answer.
    fn present_fit(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let answered = self.ledger.answered();
        if let Some((_, fit)) = self.found.borrow().as_ref().filter(|(at, _)| *at == answered) {
            return Ok(fit.clone());
        }
        let fit = self.fit(Stop::OnePass, monitor)?;
        if fit.report.stop != Stop::Interrupted {
            self.found.replace(Some((answered, fit.clone())));
        }
        Ok(fit)
    }

    fn noted(&self, mut report: Report) -> Report {
        let reads = self.state.refused;
        report.notes.extend((reads > 0).then_some(Note::RefusedReads { reads }));
        report
    }
}
