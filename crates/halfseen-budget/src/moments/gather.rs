//! Asks for the reads that estimate second moments and keeps their sums; solves when asked for a
//! predictor.

use super::draws::Draws;
use super::own_test::{OwnTest, Trust};
use super::products::LARGEST_SUM;
use super::reduced::{Reduced, View};
use super::sums::{Seen, Shape, Sums};
use crate::descent::running_moments::RunningMoments;
use halfseen_core::asking::admission::LARGEST_STEP;
use halfseen_core::asking::allowance::{affordable, affordable_cost, given_means};
use halfseen_core::asking::engine::{Engine, push, push_known};
use halfseen_core::asking::ledger::{Ledger, Limits, paid};
use halfseen_core::asking::{Reads, saved};
use halfseen_core::data::{Layout, Moments};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::{AskTell, ColumnTerm, Grid, Query, ReadRole, TellOutcome};
use halfseen_core::model::{Fit, Linear, Note, Report, Stop};
use halfseen_core::params::{Centre, Described};
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Largest number of sums of a learner: 1.6 GB, the second moments of 20,000 attributes.
const MOST_NUMBERS: u64 = 201_000_000;

/// A learner that solves a problem in estimated moments.
pub trait FromMoments: Described {
    /// True if products of pairs are estimated.
    const PAIRS: bool;

    /// Returns the grid that cross-validation searches.
    fn grid() -> Grid;

    /// Returns the parameters that the moments depend on.
    fn gathering(&self) -> Gathering;

    /// Solves with each of several parameters that gather alike; shared work is done once.
    ///
    /// # Errors
    /// Numerical failure.
    fn solve(
        learners: &[&Self],
        moments: &Reduced,
        monitor: &dyn Monitor,
    ) -> Result<Vec<MomentSolution>>;
}

/// Parameters that the moments depend on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gathering {
    /// Budget; `None`: auto.
    pub budget: Option<u64>,
    /// Limit on the reads of a fit; `None`: none.
    pub total_budget: Option<u64>,
    /// Limit on the cost of all reads; `None`: none.
    pub total_cost: Option<f64>,
    /// Centre subtracted from each attribute.
    pub centre: Centre,
    /// True if a constant joins the known columns.
    pub intercept: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// Solution of the problem in the moments.
#[derive(Debug, Clone)]
pub struct MomentSolution {
    /// Weights of the slots of [`Reduced::slots`].
    pub weights: Vec<f64>,
    /// Reason for stopping.
    pub stop: Stop,
    /// The estimated mean squared error, under the learner's repair of the moments.
    pub objective: Option<f64>,
    /// A certified bound on objective minus optimum.
    pub gap: Option<f64>,
    /// Seconds, shared work included.
    pub seconds: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Gatherer<L> {
    pub(super) learner: L,
    pub(super) gathering: Gathering,
    pub(super) layout: Arc<Layout>,
    pub(super) draws: Draws,
    pub(super) ledger: Ledger,
    pub(super) state: State,
    /// Of the current example: codes of the drawn pairs, drawn panels, their centred values, and 1
    /// followed by the known values.
    codes: Vec<u32>,
    panels: Vec<u32>,
    pub(super) deviations: Vec<f64>,
    pub(super) known: Vec<f64>,
    /// Workspace of its test.
    terms: Vec<f64>,
}

/// State that changes over time, saved beside the ledger.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) sums: Sums,
    pub(super) running: RunningMoments,
    /// Means per sampled slot, if they are given.
    given: Vec<f64>,
    /// Present if attributes are scaled by their reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own: Option<OwnTest>,
}

impl<L: FromMoments> Gatherer<L> {
    /// Starts a learner. `moments` (per column) are given if the learner may know them.
    ///
    /// # Errors
    /// Parameters out of range, a budget that cannot be kept, too many columns, or a lack of means
    /// that are needed.
    pub(crate) fn new(
        learner: &L,
        layout: &Arc<Layout>,
        moments: Option<&Moments>,
    ) -> Result<Self> {
        let (shape, draws) = plan(learner, layout)?;
        let given = given_means(learner.gathering().centre, moments, layout)?;
        let (sums, running) = (Sums::new(shape), RunningMoments::new(layout.slots()));
        let own = scales(learner, layout, moments.is_some()).then(OwnTest::new);
        let state = State { sums, running, given, own };
        Ok(Self::with_state(learner, layout, draws, (state, ledger(learner, layout)?)))
    }

    /// Resumes from a saved state.
    ///
    /// # Errors
    /// If the state does not match these parameters and this layout.
    pub(crate) fn resume(
        learner: &L,
        layout: &Arc<Layout>,
        mut state: serde_json::Value,
    ) -> Result<Self> {
        let (shape, draws) = plan(learner, layout)?;
        let ledger = ledger(learner, layout)?.resumed(&mut state)?;
        let mut state: State = saved::state(state)?;
        let given = if learner.gathering().centre == Centre::Given { shape.slots } else { 0 };
        let sound = state.running.len() == layout.slots()
            && state.running.is_sound()
            && state.given.len() == given
            && state.given.iter().all(|v| v.abs() <= LARGEST_SUM)
            && state.own.is_none() != scales(learner, layout, false)
            && state.own.as_ref().is_none_or(|own| own.is_sound(shape.slots, shape.known))
            && state.sums.restore(shape);
        if !sound {
            return Err(saved::untrue());
        }
        Ok(Self::with_state(learner, layout, draws, (state, ledger)))
    }

    fn with_state(
        learner: &L,
        layout: &Arc<Layout>,
        draws: Draws,
        (state, ledger): (State, Ledger),
    ) -> Self {
        Gatherer {
            learner: learner.clone(),
            gathering: learner.gathering(),
            layout: Arc::clone(layout),
            draws,
            ledger,
            state,
            codes: Vec::new(),
            panels: Vec::new(),
            deviations: Vec::new(),
            known: Vec::new(),
            terms: Vec::new(),
        }
    }

    /// Returns the value now subtracted from a sampled slot.
    #[inline]
    pub(super) fn centre(&self, slot: usize) -> f64 {
        match self.gathering.centre {
            Centre::Given => self.state.given[slot],
            Centre::Running if !self.draws.all() => self.state.running.mean(slot),
            _ => 0.0,
        }
    }

    /// Returns true if values are centred at the means of the reads so far.
    fn is_running(&self) -> bool {
        self.gathering.centre == Centre::Running && !self.draws.all()
    }

    /// Returns true if sums are centred only at the end, exactly, because every panel is read: no
    /// mean of a part of the examples is needed.
    pub(super) fn recentre(&self) -> bool {
        self.gathering.centre == Centre::Running && self.draws.all()
    }

    pub(super) fn reduced(&self) -> Result<Reduced> {
        let (intercept, recentre, spread) =
            (self.gathering.intercept, self.recentre(), self.state.running.pooled());
        Reduced::new(&self.state.sums, self.ledger.answered(), View { intercept, recentre, spread })
    }

    #[cfg(test)]
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    #[cfg(test)]
    pub(super) fn sums(&self) -> &Sums {
        &self.state.sums
    }

    /// Makes the predictor with these weights of the kept slots, and those of the constant and the
    /// known columns.
    fn linear(&self, slots: &[usize], weights: &[f64], known: &[f64]) -> Linear {
        let columns = self.layout.slots();
        let fill =
            (0..columns).map(|column| self.state.running.mean(self.layout.slot(column))).collect();
        let mut all = vec![0.0; columns];
        let mut intercept = known.first().copied().unwrap_or(0.0);
        for (&slot, w) in slots.iter().zip(weights) {
            let w = if *w == 0.0 { 0.0 } else { w / self.size(slot) };
            all[self.layout.column(slot)] = w;
            intercept -=
                w * if self.recentre() { self.state.running.mean(slot) } else { self.centre(slot) };
        }
        for (slot, w) in (self.layout.sampled_slots()..).zip(known.iter().skip(1)) {
            all[self.layout.column(slot)] = *w;
        }
        Linear { weights: all, intercept, fill, clip: self.ledger.range() }
    }

    /// Solves with several parameters in the moments so far. A `stop` other than `OnePass`
    /// overrides the solvers' own.
    pub(super) fn fits(
        &self,
        learners: &[&L],
        stop: Stop,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        let trust = self.state.own.as_ref().map_or(Trust::FULL, |own| own.best().0);
        let moments = self.trusted(self.reduced()?, trust);
        let fit = |mut solved: MomentSolution| {
            if trust.length != 1.0 {
                // Certificates hold for the unscaled weights only.
                (solved.objective, solved.gap) = (None, None);
                solved.weights.iter_mut().for_each(|w| *w *= trust.length);
            }
            let known = moments.known_weights(&solved.weights);
            let mut report = self.report();
            report.stop = if stop == Stop::OnePass { solved.stop } else { stop };
            report.converged = report.stop.converged();
            (report.objective, report.gap, report.seconds) =
                (solved.objective, solved.gap, solved.seconds);
            Fit { predictor: self.linear(&moments.slots, &solved.weights, &known).into(), report }
        };
        Ok(L::solve(learners, &moments, monitor)?.into_iter().map(fit).collect())
    }

    /// Solves in the moments so far.
    pub(super) fn fit_now(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let mut fits = self.fits(&[&self.learner], Stop::OnePass, monitor)?;
        Ok(fits.swap_remove(0))
    }

    fn role(&self) -> ReadRole {
        if self.draws.all() { ReadRole::Full } else { ReadRole::Gradient }
    }

    /// Splits an answer into free values and the centred values of drawn panels.
    #[inline]
    fn take_apart(&mut self, query: &Query, values: &[f64]) {
        self.panels.clear();
        self.panels.extend(paid(query));
        let columns = self.layout.slots() - self.layout.sampled_slots();
        let (free, drawn) = values.split_at(columns);
        self.known.clear();
        self.known.push(1.0);
        self.known.extend(free);
        self.deviations.clear();
        let slots = self.panels.iter().flat_map(|&panel| self.layout.slots_of(panel as usize));
        let (running, state) = (self.is_running(), &self.state.running);
        let deviation = |((slot, part), value): ((usize, &ColumnTerm), &f64)| match running {
            true => state.deviation(slot, part.centre, *value),
            false => value - part.centre,
        };
        self.deviations.extend(slots.zip(&query.parts[columns..]).zip(drawn).map(deviation));
    }

    /// Tests the weights so far on the answer taken apart, then adds it.
    #[inline]
    fn add(&mut self, query: &Query, values: &[f64], target: f64) {
        let seen = Seen { panels: &self.panels, e: &self.deviations, z: &self.known, y: target };
        if let Some(own) = &mut self.state.own {
            let t = self.ledger.answered() + 1;
            own.see(self.draws, &self.layout, seen, &mut self.terms, t);
        }
        self.state.sums.add(self.draws, &self.layout, seen);
        let running = self.is_running();
        let slots = || query.reads.iter().flat_map(|r| self.layout.slots_of(r.panel as usize));
        let columns = self.layout.slots() - self.layout.sampled_slots();
        for (slot, e) in slots().skip(columns).zip(&self.deviations) {
            // The first read of a slot is its centre, not a deviation.
            if !(running && self.state.running.is_new(slot)) {
                self.state.running.pool(*e);
            }
        }
        slots().zip(values).for_each(|(slot, v)| self.state.running.see(slot, *v));
    }
}

/// Returns true if the scale of attributes, and the best trust, must be learned from the reads.
fn scales<L: FromMoments>(learner: &L, layout: &Layout, known: bool) -> bool {
    layout.scaled_by_reads() && !known && learner.gathering().centre != Centre::Given
}

fn ledger<L: FromMoments>(learner: &L, layout: &Arc<Layout>) -> Result<Ledger> {
    let Gathering { total_budget, total_cost, .. } = learner.gathering();
    let limits = Limits { reads: total_budget, cost: total_cost };
    Ledger::new(L::NAME, learner.to_json(), layout, limits)
}

/// Checks parameters and budget; returns the sizes of the sums and the draws.
fn plan<L: FromMoments>(learner: &L, layout: &Layout) -> Result<(Shape, Draws)> {
    learner.check()?;
    let gathering = learner.gathering();
    let reads = Reads::of(gathering.budget, layout)?;
    reads.at_least(if L::PAIRS { 2 } else { 1 }, L::NAME)?;
    gathering.total_budget.map(|total| affordable(total, reads.budget as u64)).transpose()?;
    gathering.total_cost.map(|total| affordable_cost(total, None, reads, layout)).transpose()?;
    let slots = layout.sampled_slots();
    let known = layout.slots() - slots + 1;
    let shape = Shape { slots, known, pairs: L::PAIRS };
    let (needed, most) = (shape.numbers(), MOST_NUMBERS);
    if needed > most {
        let problem = format!(
            "{} would store {needed} second moments for {} columns, but at most {most} are allowed; a learner such as aerr stores a few numbers per column",
            L::NAME,
            layout.slots()
        );
        return Err(ErrorKind::Table(problem).into());
    }
    Ok((shape, Draws::new(reads, L::PAIRS)))
}

impl<L: FromMoments> Engine for Gatherer<L> {
    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn ledger_mut(&mut self) -> &mut Ledger {
        &mut self.ledger
    }

    fn saved(&self) -> Result<serde_json::Value> {
        self.ledger.save(&self.state)
    }

    fn write(&mut self, query: &mut Query, _: Option<&[u32]>) {
        push_known(query, &self.layout);
        let mut stream = Stream::new(self.gathering.seed, Purpose::Query, query.number);
        self.draws.draw(&mut stream, &mut self.panels, &mut self.codes);
        let (role, coefficient) = (self.role(), self.draws.coefficient());
        for &panel in &self.panels {
            push(query, &self.layout, (panel, role, coefficient), |slot| self.centre(slot));
        }
    }

    /// Makes no exception for adopted queries, as panels are always drawn alike.
    #[inline]
    fn could_have_asked(&self, query: &Query, _: bool) -> bool {
        let drawn = self.ledger.alike_in(query, self.role(), self.draws.coefficient());
        drawn.is_some_and(|drawn| self.draws.could_draw(drawn.iter().map(|r| r.panel)))
    }

    fn learn(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        if values.iter().any(|v| v.is_nan()) {
            return Ok(TellOutcome::Skipped);
        }
        self.take_apart(query, values);
        let largest =
            self.deviations.iter().chain(&self.known).fold(target.abs(), |a, v| a.max(v.abs()));
        let value = largest * largest * self.draws.pair_coefficient().max(self.draws.coefficient());
        if value.is_nan() || value >= LARGEST_STEP {
            return Err(ErrorKind::Diverged { what: "a product of two values", value }.into());
        }
        self.add(query, values, target);
        Ok(TellOutcome::Learned)
    }

    fn renew(&mut self) -> Result<()> {
        self.renew_test();
        Ok(())
    }

    /// Solves anew each time. If that fails numerically, which a fit reports, no attribute has a
    /// weight.
    fn present(&self) -> Linear {
        let fits = self.fits(&[&self.learner], Stop::OnePass, &Silent);
        let fit = fits
            .ok()
            .and_then(|fits| fits.into_iter().next())
            .and_then(|fit| fit.linear().ok().cloned());
        fit.unwrap_or_else(|| self.linear(&[], &[], &[]))
    }

    fn noted(&self, report: Report) -> Report {
        let (_, risk, risk_error) =
            self.state.own.as_ref().map_or((Trust::FULL, None, None), OwnTest::best);
        let sums = &self.state.sums;
        let constant = self.ledger.variance(sums.known_target[0], sums.target);
        let worse = risk.and_then(|risk| Note::beside_constant(risk, risk_error, constant));
        let constant_risk = risk.map(|_| constant);
        Report { risk, risk_error, constant_risk, notes: worse.into_iter().collect(), ..report }
    }
}
