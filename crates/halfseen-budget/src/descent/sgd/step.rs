//! Takes the step of an example whose gradient is estimated, and counts what was seen of it.

use super::smooth::Slope;
use super::{Sgd, State};
use crate::descent::step_size::{Step, StepPlan};
use crate::progressive_validation::ProgressiveValidation;
use halfseen_core::asking::Wait;
use halfseen_core::asking::admission::LARGEST_STEP;
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::ReadRole;
use halfseen_core::params::{Average, Centre};
use halfseen_solve::iterate::Iterate;

impl<I: Iterate> Sgd<I> {
    /// Refuses a step that would overflow.
    #[inline]
    fn check_step(&self, slope: f64, step: Step, risk: Option<f64>) -> Result<()> {
        // Unlike `max` this keeps NaN.
        let larger =
            |a: f64, (_, g): &(u32, f64)| if g.abs() > a || g.is_nan() { g.abs() } else { a };
        let largest = self.gradient.iter().fold(slope.abs(), larger);
        let length = largest * step.size.max(1.0);
        if length.is_nan() || length >= LARGEST_STEP {
            let (what, value) = ("a gradient step", largest * step.size);
            return Err(ErrorKind::Diverged { what, value }.into());
        }
        match risk.filter(|risk| risk.is_nan() || risk.abs() >= LARGEST_STEP) {
            Some(value) => Err(ErrorKind::Diverged { what: "a squared error", value }.into()),
            None => Ok(()),
        }
    }

    /// Divides each slot's gradient by the root of the sum of its squares, including this one.
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

    /// Returns the weight of the t-th iterate in the average, which is reset first if t restarts
    /// it.
    #[inline]
    fn weight_in_average(&mut self, t: u64) -> f64 {
        if t == self.average_restarts {
            self.state.iterate.restart_average();
            self.state.known.restart_average();
            self.state.risk = ProgressiveValidation::default();
        }
        // A tail without a horizon weights iterate t by t.
        let endless = self.recipe.average == Average::Tail && self.recipe.pace.is_timeless();
        if endless { t as f64 } else { 1.0 }
    }

    /// Adds the iterates to their averages, before or after the step.
    #[inline]
    fn count(&mut self, weight: f64, before: bool) {
        if self.recipe.average_before_step == before {
            self.state.iterate.count(weight);
            self.state.known.count(weight);
        }
    }

    /// Moves by `gradient`, which holds phi x~, and by the known values in `free`; an error changes
    /// nothing.
    #[inline]
    pub(super) fn move_by(
        &mut self,
        (slope, risk): (Slope, Option<f64>),
        target: f64,
        plan: &StepPlan,
        wait: Wait,
    ) -> Result<()> {
        let t = self.ledger.answered() + 1;
        let step = self.recipe.pace.at(t, plan, wait);
        self.check_step(slope.value, step, risk)?;
        // w- = 1/m sum_t w_t, of the iterates before their steps here.
        let weight = self.weight_in_average(t);
        self.precondition();
        self.count(weight, true);
        // w = v min(1, B / |v|) for v = w - eta g~; and u by phi z.
        self.state.iterate.step(&self.gradient, step.size, step.shrink);
        if !self.state.known.is_idle() {
            let size = plan.known * wait.shortened();
            self.state.known.step(self.free.iter().copied(), slope.value, size);
        }
        self.count(weight, false);
        self.record(slope, risk, weight, target);
        Ok(())
    }

    /// Updates the attributes' statistics with the values told.
    #[inline]
    pub(super) fn remember(&mut self) {
        let centred = self.recipe.centre == Centre::Running;
        let State { running, drawing, .. } = &mut self.state;
        // Before the means change: one example may read an attribute twice.
        for term in &self.terms {
            let slot = term.slot as usize;
            // The first read of a slot is its centre, not a deviation.
            let first = centred && running.is_new(slot);
            if term.role != ReadRole::Known && !first {
                running.pool(term.deviation);
            }
            if term.role == ReadRole::Gradient {
                drawing.see(slot, term.coefficient, if first { 0.0 } else { term.deviation });
            }
        }
        self.terms.iter().for_each(|term| running.see(term.slot as usize, term.value));
    }

    /// Updates the statistics of errors, slopes and targets.
    #[inline]
    fn record(&mut self, slope: Slope, risk: Option<f64>, weight: f64, target: f64) {
        risk.into_iter().for_each(|square| self.state.risk.see(square, weight));
        if self.gen_est.is_some() {
            self.state.steepness.see_slope(slope.value);
            self.state.steepness.see_residuals(slope.residuals);
        }
        self.state.target_squares += target * target;
        self.state.target_sum += target;
    }
}
