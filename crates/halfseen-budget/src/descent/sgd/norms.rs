//! Computes the norms that step sizes need, measured or from the reads, and updates the draws that
//! depend on moments.

use super::Sgd;
use super::scale::UNIT_SQUARE;
use crate::descent::recipe::{DrawMoments, Proportions, TwoPhase};
use crate::descent::step_size::{DataNorms, Norms, StepPlan};
use crate::descent::two_phase::FirstPhase;
use crate::plan::first_examples;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::data::{Layout, Moments};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::{Query, ReadRole};
use halfseen_core::params::{Centre, Inner, Rule};
use halfseen_solve::iterate::Iterate;

/// Minimum number of reads about a running centre before their mean square is used as a norm.
const LEAST_POOLED: f64 = 4.0;

/// Share of uniform draws mixed into those by moments that are estimated from the reads as they come,
/// so that every attribute is read.
const UNIFORM: f64 = 0.3;

/// Second moments that the learner may know.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Measured {
    /// Moments about the recipe's centre, per sampled slot.
    pub(super) squares: Vec<f64>,
    /// Sum over the known slots, including the constant of the intercept.
    known: f64,
    /// Second moment E y^2 of the target.
    target: f64,
}

impl Measured {
    /// Computes the moments from those per column and the targets' mean square.
    pub(super) fn new(
        centre: Centre,
        intercept: bool,
        layout: &Layout,
        moments: &Moments,
        target: f64,
    ) -> Measured {
        let square = |slot: usize| {
            let column = layout.column(slot);
            let (mean, square) = (moments.mean[column], moments.square[column]);
            let centred = centre != Centre::None && slot < layout.sampled_slots();
            if centred { (square - mean * mean).max(0.0) } else { square }
        };
        let known = (layout.sampled_slots()..layout.slots()).map(square).sum::<f64>();
        let squares = (0..layout.sampled_slots()).map(square).collect();
        Measured { squares, known: known + f64::from(u8::from(intercept)), target }
    }

    pub(super) fn is_sound(&self, slots: usize) -> bool {
        let numbers = self.squares.iter().chain([&self.known, &self.target]);
        self.squares.len() == slots && numbers.into_iter().all(|v| v.is_finite() && *v >= 0.0)
    }
}

impl<I: Iterate> Sgd<I> {
    /// Returns the plan for the next step while `open` other queries are open: for the present
    /// norms, or at the very first for those of the answer itself.
    #[inline]
    pub(super) fn plan(&self, open: u64, query: &Query, values: &[f64], target: f64) -> StepPlan {
        let t = self.ledger.answered() + 1;
        match self.state.norms {
            Some(norms) => self.plan_by(norms, open),
            None if self.scaled => self.plan_for(t, open, self.unit_norms(target * target)),
            // No deviation from the centres is known yet: only the known block moves.
            None if self.recipe.centre == Centre::Running
                && matches!(self.recipe.pace.rule, Rule::Theory(_)) =>
            {
                StepPlan {
                    value: f64::INFINITY,
                    ..self.plan_for(t, open, self.norms_of(query, values, target))
                }
            }
            None => self.plan_for(t, open, self.norms_of(query, values, target)),
        }
    }

    /// Returns the plan for the next step by these norms, the present ones.
    #[inline]
    pub(super) fn plan_by(&self, norms: Norms, open: u64) -> StepPlan {
        match self.planned {
            Some(plan) if !self.recipe.pace.is_timeless() => plan,
            _ => self.plan_for(self.ledger.answered() + 1, open, norms),
        }
    }

    fn plan_for(&self, t: u64, open: u64, norms: Norms) -> StepPlan {
        let slots = self.layout.sampled_slots();
        let power = self.recipe.shape.power(slots);
        let slope = self.gen_est.map(|_| self.state.steepness.settled);
        let facts = DataNorms {
            radius: self.recipe.radius,
            power,
            slots: slots as f64,
            examples: 1.0,
            norms,
            slope,
        };
        self.recipe.pace.plan(t + open, self.phase_began(t), &facts)
    }

    /// Returns the number of examples before the phase of the t-th.
    fn phase_began(&self, t: u64) -> u64 {
        self.first_phase.filter(|&end| t > end).unwrap_or(0)
    }

    fn norms_of(&self, query: &Query, values: &[f64], target: f64) -> Norms {
        let (mut sum, mut count, mut known) =
            (0.0, 0.0_f64, f64::from(u8::from(self.recipe.intercept)));
        let mut drawn = 0.0;
        for (read, slot, part, value) in query.cells(&self.layout, values) {
            let square = self.unscaled(slot, part, value).powi(2);
            if read.role == ReadRole::Known {
                known += square;
            } else {
                sum += square;
                count += 1.0;
                drawn += read.coefficient * read.coefficient * square;
            }
        }
        let largest = sum / count.max(1.0);
        let square = largest * self.layout.sampled_slots() as f64;
        let sampler = self.state.drawing.sampler();
        let unlike = self.state.observed.is_some() || sampler.is_some_and(|s| !s.is_uniform());
        let (drawn_square, drawn_largest) = match sampler {
            _ if unlike => (drawn, drawn / self.layout.sampled_slots() as f64),
            Some(s) => (square * s.inflation(0), largest * s.inflation(0)),
            None => (square, largest),
        };
        Norms { square, largest, drawn_square, drawn_largest, known, target: target * target }
    }

    /// Updates the norms, from measured moments or else from all reads so far, and the plan.
    pub(super) fn renew_norms(&mut self) {
        self.state.steepness.settle();
        let slots = self.layout.sampled_slots();
        let (square, largest, known, target) = match &self.state.measured {
            Some(Measured { squares, known, target }) => {
                (squares.iter().sum(), squares.iter().copied().fold(0.0, f64::max), *known, *target)
            }
            None if self.ledger.answered() == 0 => return,
            None if self.scaled => {
                let target = self.state.target_squares / self.ledger.answered() as f64;
                self.state.norms = Some(self.unit_norms(target));
                return self.replan();
            }
            // First reads set the centre and carry no information on deviations from it.
            None if self.knows_no_spread() => return,
            None => {
                let (square, largest) = self.state.running.squares(slots, |slot| self.centre(slot));
                let known = self.state.running.known_squares(slots)
                    + f64::from(u8::from(self.recipe.intercept));
                (square, largest, known, self.state.target_squares / self.ledger.answered() as f64)
            }
        };
        self.state.norms = Some(self.norms(square, largest, known, target));
        self.replan();
    }

    /// Returns true if the reads so far give too few deviations from a running centre.
    fn knows_no_spread(&self) -> bool {
        let running =
            self.recipe.centre == Centre::Running && self.state.measured.is_none() && !self.scaled;
        running
            && self.layout.sampled_slots() > 0
            && self.state.running.pooled_reads() < LEAST_POOLED
    }

    /// Returns the norms for the present draws.
    pub(super) fn norms(&self, square: f64, largest: f64, known: f64, target: f64) -> Norms {
        let (drawn_square, drawn_largest) = self.drawn_norms(square, largest);
        // Random observation increases the second moment of the product's estimate too.
        let longer = if self.state.observed.is_some() { self.observed_norms().2 } else { 0.0 };
        let (square, largest) = (square + longer, largest + longer);
        Norms { square, largest, drawn_square, drawn_largest, known, target }
    }

    pub(super) fn replan(&mut self) {
        self.planned =
            self.state.norms.map(|norms| self.plan_for(self.ledger.answered() + 1, 0, norms));
    }

    /// Returns E |x~|^2 and max_j E x~_j^2 for the present draws.
    fn drawn_norms(&self, square: f64, largest: f64) -> (f64, f64) {
        if self.state.observed.is_some() {
            let (sum, most, _) = self.observed_norms();
            return (sum, most);
        }
        let Some(sampler) = self.state.drawing.sampler() else { return (square, largest) };
        // Under prices the draws are not those of the theorem.
        let bound =
            self.state.drawing.bound.filter(|bound| *bound > 0.0 && self.recipe.max_cost.is_none());
        if let Some(bound) = bound {
            let k = sampler.draws() as f64;
            let repeats = if sampler.replacement() { (k - 1.0) / k } else { 0.0 };
            return (bound / k + repeats * square, bound / k + repeats * largest);
        }
        if sampler.is_uniform() {
            return (square * sampler.inflation(0), largest * sampler.inflation(0));
        }
        let (mut sum, mut most) = (0.0, 0.0_f64);
        for panel in 0..self.layout.sampled_panels() {
            let inflation = sampler.inflation(panel);
            for slot in self.layout.slots_of(panel) {
                let drawn = inflation * self.square_of(slot);
                sum += drawn;
                most = most.max(drawn);
            }
        }
        (sum, most)
    }

    /// Returns the second moment of a slot about its centre, measured or estimated from its reads.
    pub(super) fn square_of(&self, slot: usize) -> f64 {
        match &self.state.measured {
            Some(measured) => measured.squares[slot],
            None if self.scaled => UNIT_SQUARE,
            None => self.state.running.square(slot, self.centre(slot)),
        }
    }

    /// Changes the probabilities of the panels if a change is due after the t-th answer. Returns
    /// true if they changed.
    pub(super) fn redraw(&mut self, t: u64) -> Result<bool> {
        let Some(draws) = self.recipe.draws.as_ref() else { return Ok(false) };
        let Proportions::Optimal(source) = &draws.proportions else { return Ok(false) };
        // Attributes scaled by their reads all have the same second moment.
        let nothing_known = self.state.measured.is_none() && !self.scaled;
        let often_enough = t.is_power_of_two() && t * draws.gradient as u64 >= draws.panels as u64;
        let (weights, moments) = match source {
            DrawMoments::FirstPhase(phases) if self.first_phase == Some(t) => {
                let (weights, moments, bound) = self.after_first_phase(phases, draws.goal, t);
                self.state.drawing.bound = Some(bound);
                (weights, moments)
            }
            // Once each panel may have been read, each time the number of answers has doubled: O(d)
            // each time.
            DrawMoments::Online | DrawMoments::Auto
                if often_enough
                    && (nothing_known
                        || (matches!(source, DrawMoments::Online) && !self.scaled)) =>
            {
                // One pseudo-read suffices, because the uniform share keeps every panel in use.
                let squares = |slot| self.state.running.steadied(slot, self.centre(slot), 1.0);
                let moments: Vec<f64> = (0..self.layout.sampled_slots()).map(squares).collect();
                let mut weights = draws.goal.weights(&self.layout, &moments);
                let total: f64 = weights.iter().sum();
                let panels = draws.panels as f64;
                if total > 0.0 {
                    weights
                        .iter_mut()
                        .for_each(|w| *w = (1.0 - UNIFORM) * *w / total + UNIFORM / panels);
                }
                (weights, moments)
            }
            _ => return Ok(false),
        };
        self.state.drawing.change(&self.recipe, &self.layout, weights, moments)?;
        self.weigh_iterate()?;
        Ok(true)
    }

    /// Returns the panels' weights, the slots' smoothed moments, and the bound for theory steps.
    fn after_first_phase(
        &self,
        phases: &TwoPhase,
        goal: DesignCriterion,
        t: u64,
    ) -> (Vec<f64>, Vec<f64>, f64) {
        let (panels, slots) = (self.layout.sampled_panels(), self.layout.sampled_slots());
        let draws = t as f64 * self.recipe.draws.as_ref().map_or(0, |d| d.gradient) as f64;
        let phase = FirstPhase { panels, slots, draws, largest: self.state.drawing.largest };
        let estimates: Vec<f64> = match self.recipe.centre {
            _ if self.scaled => vec![UNIT_SQUARE; slots],
            // A running centre is far off at first; sums over counts about the current means are
            // better.
            Centre::Running => (0..slots).map(|slot| self.state.running.variance(slot)).collect(),
            Centre::None | Centre::Given => self.state.drawing.estimates(t),
        };
        let smoothing = phase.smoothing(phases);
        let moments: Vec<f64> = estimates.iter().map(|a| a + smoothing).collect();
        let weights = goal.weights(&self.layout, &moments);
        let (square, largest) = match &self.state.measured {
            Some(m) => (m.squares.iter().sum(), m.squares.iter().copied().fold(0.0, f64::max)),
            None if self.scaled => (slots as f64 * UNIT_SQUARE, UNIT_SQUARE),
            None => self.state.running.squares(slots, |slot| self.centre(slot)),
        };
        let bound = match goal {
            // No bound yet: steps use the norms of later reads.
            _ if self.knows_no_spread() => 0.0,
            DesignCriterion::TotalVariance => phase.sum_bound(phases, &estimates, &weights, square),
            DesignCriterion::MaxVariance => phase.largest_bound(phases, &weights, largest),
        };
        (weights, moments, bound)
    }

    /// Gives the iterate the moments by which the product's reads are drawn.
    pub(super) fn weigh_iterate(&mut self) -> Result<()> {
        let inner = self.recipe.draws.as_ref().map_or(Inner::Weights, |d| d.inner);
        if inner == Inner::Weights || self.state.drawing.moments.is_empty() {
            return Ok(());
        }
        let factors = self.state.drawing.moments.iter().map(|m| m.sqrt()).collect();
        if self.state.iterate.weigh(factors) {
            return Ok(());
        }
        let what = "an iterate that scales all weights alike; this learner's does not";
        Err(ErrorKind::Needs { name: "inner", value: "moments", what }.into())
    }
}

/// Returns true when norms are re-estimated: at powers of four.
pub(super) fn is_milestone(t: u64) -> bool {
    t.is_power_of_two() && t.trailing_zeros().is_multiple_of(2)
}

impl<I: Iterate> Sgd<I> {
    /// Refuses a first phase that takes all available examples, which a longer horizon allows.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfRange`].
    pub(crate) fn check_first_phase(&self, rows: u64) -> Result<()> {
        let reads = self.recipe.draws.as_ref().map_or(1, |d| (d.gradient + d.products) as u64);
        let at_hand = self.recipe.total_budget.map_or(rows, |total| rows.min(total / reads.max(1)));
        let at_hand = self
            .recipe
            .total_cost
            .and(self.recipe.pace.horizon)
            .map_or(at_hand, |most| at_hand.min(most));
        let Some(length) = self.first_phase.filter(|&length| length >= at_hand) else {
            return Ok(());
        };
        let (name, value) = ("phase1", format!("{length} examples"));
        let allowed = format!(
            "less than the {at_hand} that there are, because the second phase needs some; mind the horizon"
        );
        Err(ErrorKind::OutOfRange { name, value, allowed }.into())
    }
}

/// Returns the number of examples in the first phase; `None` if a share leaves one of the phases
/// empty.
///
/// # Errors
/// A share of an unknown number of examples, and a phase that leaves none for the second.
pub(super) fn first_phase(phases: &TwoPhase, horizon: Option<u64>) -> Result<Option<u64>> {
    let TwoPhase { length, .. } = *phases;
    match horizon {
        None if length < 1.0 => {
            let what = "the number of examples to come: set horizon, or give phase1 as a number of examples";
            Err(ErrorKind::Needs { name: "phase1", value: "a share", what }.into())
        }
        Some(m) if length < 1.0 => Ok(first_examples(length, m)),
        Some(m) if length >= m as f64 => {
            let allowed =
                format!("less than the {m} examples to come, of which the second phase needs some");
            Err(ErrorKind::OutOfRange { name: "phase1", value: length.to_string(), allowed }.into())
        }
        _ => Ok(Some(length as u64)),
    }
}
