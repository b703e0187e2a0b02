//! Asks for the reads from which second moments are estimated, and keeps their sums; solves when
//! asked for a predictor.

use super::draws::Draws;
use super::own_test::{OwnTest, Trust};
use super::products::LARGEST_SUM;
use super::reduced::{Reduced, View};
use super::sums::{Seen, Shape, Sums};
use crate::budget::admission::{LARGEST_STEP, admit, check_adoptable, find_whole};
use crate::budget::allowance::{affordable, given_means};
use crate::budget::ledger::Ledger;
use crate::budget::running_moments::RunningMoments;
use crate::budget::{AskTell, ColumnTerm, Query, Read, Reads, Role, TellOutcome, saved};
use crate::data::{Layout, Moments};
use crate::error::{ErrorKind, Result};
use crate::learner::Grid;
use crate::model::{Fit, Linear, Note, Report, Stop};
use crate::params::{Centre, Described};
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// No learner keeps more numbers: 1.6 GB, the second moments of 20,000 attributes.
const MOST_NUMBERS: u64 = 201_000_000;

/// A learner that solves a problem in estimated moments: parameters, and what they make of the
/// moments.
pub(crate) trait FromMoments: Described {
    /// Whether products of pairs are estimated.
    const PAIRS: bool;

    /// The grid that cross-validation searches.
    fn grid() -> Grid;

    /// What the moments depend on.
    fn gathering(&self) -> Gathering;

    /// Solves with each of several parameters, which were all gathered for alike; what they share
    /// is done once.
    ///
    /// # Errors
    /// Numerical failure.
    fn solve(learners: &[&Self], moments: &Reduced, monitor: &dyn Monitor) -> Result<Vec<Solved>>;
}

/// What the moments depend on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gathering {
    /// The budget parameter; `None` is auto.
    pub(crate) budget: Option<u64>,
    /// The reads in all that a fit may make; `None`: no limit.
    pub(crate) total_budget: Option<u64>,
    /// What is subtracted from attributes.
    pub(crate) centre: Centre,
    /// Whether a constant is among what is known.
    pub(crate) intercept: bool,
    /// Seed of the draws.
    pub(crate) seed: u64,
}

/// What a solver found.
#[derive(Debug, Clone)]
pub(crate) struct Solved {
    /// Weights of the slots of [`Reduced::slots`].
    pub(crate) weights: Vec<f64>,
    /// Why it stopped.
    pub(crate) stop: Stop,
    /// The estimated mean squared error, as the learner reads it.
    pub(crate) objective: Option<f64>,
    /// A certified bound on objective minus optimum.
    pub(crate) gap: Option<f64>,
    /// Seconds, those for what is shared included.
    pub(crate) seconds: f64,
}

/// A running learner; see the module's documentation.
#[derive(Debug, Clone)]
pub(crate) struct Gatherer<L> {
    pub(super) learner: L,
    pub(super) gathering: Gathering,
    pub(super) layout: Arc<Layout>,
    fingerprint: u64,
    params: serde_json::Map<String, serde_json::Value>,
    pub(super) draws: Draws,
    pub(super) state: State,
    /// Of the current example: codes of the drawn pairs, panels drawn, their values about the
    /// centre, and 1 with the known.
    codes: Vec<u32>,
    panels: Vec<u32>,
    pub(super) deviations: Vec<f64>,
    pub(super) known: Vec<f64>,
    /// The same by slot and panel, where it is tested.
    pub(super) drawn: (Vec<(usize, f64)>, Vec<usize>, Vec<f64>),
}

/// What changes over time, and is saved.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    pub(super) sums: Sums,
    pub(super) running: RunningMoments,
    pub(super) ledger: Ledger,
    /// Means, where they are given, per sampled slot.
    given: Vec<f64>,
    /// Where attributes are scaled by their reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own: Option<OwnTest>,
}

impl<L: FromMoments> Gatherer<L> {
    /// Starts a learner. `moments` (per column) are given where the learner may know them.
    ///
    /// # Errors
    /// Parameters out of range, a budget that cannot be kept, more columns than there is room for,
    /// or means that are needed and not given.
    pub(crate) fn new(
        learner: &L,
        layout: &Arc<Layout>,
        moments: Option<&Moments>,
    ) -> Result<Self> {
        let (shape, draws) = plan(learner, layout)?;
        let given = given_means(learner.gathering().centre, moments, layout)?;
        let (sums, running) = (Sums::new(shape), RunningMoments::new(layout.slots()));
        let ledger = Ledger::new(layout.sampled_panels(), learner.gathering().total_budget);
        let own = scales(learner, layout, moments.is_some()).then(OwnTest::new);
        Self::with_state(learner, layout, draws, State { sums, running, ledger, given, own })
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// If the state is not one of these parameters and this layout.
    pub(crate) fn resume(
        learner: &L,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Self> {
        let (shape, draws) = plan(learner, layout)?;
        let mut state: State =
            serde_json::from_value(state).map_err(|e| saved::bad("state", e.to_string()))?;
        let given = if learner.gathering().centre == Centre::Given { shape.slots } else { 0 };
        let sound = state.running.len() == layout.slots()
            && state.running.is_sound()
            && state.ledger.restore(layout.sampled_panels(), learner.gathering().total_budget)
            && state.given.len() == given
            && state.given.iter().all(|v| v.abs() <= LARGEST_SUM)
            && state.own.is_none() != scales(learner, layout, false)
            && state.own.as_ref().is_none_or(|own| own.is_sound(shape.slots, shape.known))
            && state.sums.restore(shape);
        if !sound {
            return Err(saved::untrue());
        }
        Self::with_state(learner, layout, draws, state)
    }

    fn with_state(learner: &L, layout: &Arc<Layout>, draws: Draws, state: State) -> Result<Self> {
        let params = learner.to_json();
        Ok(Gatherer {
            learner: learner.clone(),
            gathering: learner.gathering(),
            layout: Arc::clone(layout),
            fingerprint: saved::fingerprint(L::NAME, &params, layout)?,
            params,
            draws,
            state,
            codes: Vec::new(),
            panels: Vec::new(),
            deviations: Vec::new(),
            known: Vec::new(),
            drawn: Default::default(),
        })
    }

    /// What is subtracted from a sampled slot now.
    #[inline]
    pub(super) fn centre(&self, slot: usize) -> f64 {
        match self.gathering.centre {
            Centre::Given => self.state.given[slot],
            Centre::Running if !self.draws.all() => self.state.running.mean(slot),
            _ => 0.0,
        }
    }

    /// Whether values are about the means of the reads so far.
    fn is_running(&self) -> bool {
        self.gathering.centre == Centre::Running && !self.draws.all()
    }

    /// Whether sums are about 0 and are to be about the mean: exact where every panel is read, so
    /// that no mean of a part of the examples need be used meanwhile.
    pub(super) fn recentre(&self) -> bool {
        self.gathering.centre == Centre::Running && self.draws.all()
    }

    /// The moments so far.
    pub(super) fn reduced(&self) -> Result<Reduced> {
        let (intercept, recentre, spread) =
            (self.gathering.intercept, self.recentre(), self.state.running.pooled());
        Reduced::new(
            &self.state.sums,
            self.state.ledger.answered,
            View { intercept, recentre, spread },
        )
    }

    #[cfg(test)]
    pub(super) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    #[cfg(test)]
    pub(super) fn sums(&self) -> &Sums {
        &self.state.sums
    }

    /// The predictor whose kept slots have these weights, and whose constant and known columns have
    /// those.
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
        Linear { weights: all, intercept, fill, clip: self.state.ledger.range }
    }

    /// What several parameters make of the moments so far. A stop that is not `OnePass` goes before
    /// the solvers' own.
    pub(super) fn fits(
        &self,
        learners: &[&L],
        stop: Stop,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        let trust = self.state.own.as_ref().map_or(Trust::FULL, |own| own.best().0);
        let moments = self.trusted(self.reduced()?, trust);
        let fit = |mut solved: Solved| {
            if trust.length != 1.0 {
                // What is certified is certified of the whole weights.
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

    /// Whether a query has the shape of this learner's. Known panels come first, then those drawn,
    /// always alike, so that one that was adopted is no exception.
    #[inline]
    fn could_have_asked(&self, query: &Query, _adopted: bool) -> bool {
        let (sampled, known) =
            (self.layout.sampled_panels(), self.layout.panels() - self.layout.sampled_panels());
        if query.reads.len() < known {
            return false;
        }
        let (free, drawn) = query.reads.split_at(known);
        let free_fits = |(at, read): (usize, &Read)| {
            read.panel as usize == sampled + at && read.role == Role::Known
        };
        let (role, coefficient) = (self.role(), self.draws.coefficient());
        let fits = free.iter().enumerate().all(free_fits)
            && drawn.iter().all(|r| r.role == role && r.coefficient == coefficient)
            && self.draws.could_draw(drawn.iter().map(|r| r.panel));
        fits && query
            .reads
            .iter()
            .map(|r| self.layout.slots_of(r.panel as usize).len())
            .sum::<usize>()
            == query.parts.len()
            && query.parts.iter().all(|p| p.weight == 0.0 && p.centre.is_finite())
            && query.exact == 0.0
    }

    fn role(&self) -> Role {
        if self.draws.all() { Role::Full } else { Role::Gradient }
    }

    /// Takes an answer apart: what costs nothing, and the deviations of what was drawn.
    #[inline]
    fn take_apart(&mut self, query: &Query, values: &[f64]) {
        self.panels.clear();
        self.panels.extend(query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel));
        let columns = self.layout.slots() - self.layout.sampled_slots();
        let (free, drawn) = values.split_at(columns);
        self.known.clear();
        self.known.push(1.0);
        self.known.extend(free);
        self.deviations.clear();
        let slots = query.reads.iter().filter(|r| r.role != Role::Known);
        let slots = slots.flat_map(|r| self.layout.slots_of(r.panel as usize));
        let (running, state) = (self.is_running(), &self.state.running);
        let deviation = |((slot, part), value): ((usize, &ColumnTerm), &f64)| match running {
            true => state.deviation(slot, part.centre, *value),
            false => value - part.centre,
        };
        self.deviations.extend(slots.zip(&query.parts[columns..]).zip(drawn).map(deviation));
    }

    /// Adds the answer taken apart.
    #[inline]
    fn learn(&mut self, query: &Query, values: &[f64], target: f64) {
        let seen = Seen { panels: &self.panels, e: &self.deviations, z: &self.known, y: target };
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

/// Whether a learner is to find out by its reads how large attributes are, and whom to trust.
fn scales<L: FromMoments>(learner: &L, layout: &Layout, known: bool) -> bool {
    layout.scaled_by_reads() && !known && learner.gathering().centre != Centre::Given
}

/// Checks parameters and budget: the sizes of a learner's sums, and how it draws.
fn plan<L: FromMoments>(learner: &L, layout: &Layout) -> Result<(Shape, Draws)> {
    learner.check()?;
    let gathering = learner.gathering();
    let reads = Reads::of(gathering.budget, layout)?;
    reads.at_least(if L::PAIRS { 2 } else { 1 }, L::NAME)?;
    gathering.total_budget.map(|total| affordable(total, reads.budget as u64)).transpose()?;
    let slots = layout.sampled_slots();
    let known = layout.slots() - slots + 1;
    let shape = Shape { slots, known, pairs: L::PAIRS };
    let (needed, most) = (shape.numbers(), MOST_NUMBERS);
    if needed > most {
        let (learner, columns) = (L::NAME.to_owned(), layout.slots());
        return Err(ErrorKind::TooManyMoments { learner, columns, needed, most }.into());
    }
    Ok((shape, Draws::new(reads, L::PAIRS)))
}

impl<L: FromMoments> AskTell for Gatherer<L> {
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        query.clear();
        (query.learner, query.phase, query.exact) = (self.fingerprint, 0, 0.0);
        query.asked_at = self.state.ledger.closed();
        query.number = self.state.ledger.next();
        for panel in self.layout.sampled_panels()..self.layout.panels() {
            query.reads.push(Read { panel: panel as u32, role: Role::Known, coefficient: 1.0 });
            query.parts.extend(
                self.layout.slots_of(panel).map(|_| ColumnTerm { weight: 0.0, centre: 0.0 }),
            );
        }
        let mut stream = Stream::new(self.gathering.seed, Purpose::Query, query.number);
        self.draws.draw(&mut stream, &mut self.panels, &mut self.codes);
        let (role, coefficient) = (self.role(), self.draws.coefficient());
        for &panel in &self.panels {
            query.reads.push(Read { panel, role, coefficient });
            let part = |slot| ColumnTerm { weight: 0.0, centre: self.centre(slot) };
            query.parts.extend(self.layout.slots_of(panel as usize).map(part));
        }
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
        self.take_apart(query, values);
        if values.iter().any(|v| v.is_nan()) {
            self.state.ledger.close(place);
            self.state.ledger.bill(&mut self.panels, &self.layout);
            self.state.ledger.skipped();
            return Ok(TellOutcome::Skipped);
        }
        let largest =
            self.deviations.iter().chain(&self.known).fold(target.abs(), |a, v| a.max(v.abs()));
        let product =
            largest * largest * self.draws.pair_coefficient().max(self.draws.coefficient());
        if product.is_nan() || product >= LARGEST_STEP {
            return Err(
                ErrorKind::Diverged { what: "a product of two values", value: product }.into()
            );
        }
        self.test(query, target);
        self.learn(query, values, target);
        self.state.ledger.close(place);
        self.state.ledger.bill(&mut self.panels, &self.layout);
        self.state.ledger.learned(query.asked_at, target);
        self.renew_test();
        Ok(TellOutcome::Learned)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.state.ledger.find(number)?;
        self.state.ledger.close(place);
        Ok(())
    }

    /// Solves anew each time. Should that fail numerically, which a fit reports, no attribute has a
    /// weight.
    fn predictor(&self) -> Linear {
        let fits = self.fits(&[&self.learner], Stop::OnePass, &Silent);
        let found = fits
            .ok()
            .and_then(|fits| fits.into_iter().next())
            .and_then(|fit| fit.linear().ok().cloned());
        found.unwrap_or_else(|| self.linear(&[], &[], &[]))
    }

    fn report(&self) -> Report {
        let report = self.state.ledger.report(L::NAME);
        let (_, risk, risk_error) =
            self.state.own.as_ref().map_or((Trust::FULL, None, None), OwnTest::best);
        let sums = &self.state.sums;
        let constant = self.state.ledger.variance(sums.known_target[0], sums.target);
        let notes = risk
            .and_then(|risk| Note::beside_constant(risk, risk_error, constant))
            .into_iter()
            .collect();
        Report { risk, risk_error, notes, ..report }
    }

    fn save(&self) -> Result<serde_json::Value> {
        let state =
            serde_json::to_value(&self.state).map_err(|e| saved::bad("state", e.to_string()))?;
        saved::wrap(L::NAME, &self.params, &self.layout, state)
    }
}
