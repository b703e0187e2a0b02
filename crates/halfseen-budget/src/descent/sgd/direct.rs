//! Learns rows of a table without writing a query for each: the same draws, numbers and accounts as by
//! ask and tell, bit for bit, for three fifths of the instructions.

use super::answer::Estimate;
use super::smooth::Slope;
use super::{FEW_SLOTS, Sgd, State};
use halfseen_core::asking::admission::check_told;
use halfseen_core::asking::engine::Engine;
use halfseen_core::error::Result;
use halfseen_core::learner::{ReadRows, TellOutcome};
use halfseen_core::params::Centre;
use halfseen_solve::iterate::Iterate;

impl<I: Iterate> Sgd<I> {
    /// Returns true if rows can be learned by [`Sgd::learn_drawn`]: panels of one slot each, drawn
    /// without repetition, and a slope that is a function of the product. The first answers, by which
    /// norms are estimated, and first phases, which tally their draws, are asked for.
    #[inline]
    pub(super) fn needs_no_query(&self) -> bool {
        let drawing = &self.state.drawing;
        self.layout.is_plain()
            && self.state.norms.is_some()
            && self.gen_est.is_none()
            && !drawing.tallies()
            && drawing.sampler().is_some_and(|sampler| !sampler.replacement())
            && !self.ledger.limits_cost()
    }

    /// Draws panels, reads them and learns; an error but of the number of reads leaves the example's
    /// number used and nothing else changed.
    #[inline]
    pub(super) fn learn_drawn(&mut self, rows: &mut dyn ReadRows) -> Result<TellOutcome> {
        let mut panels = std::mem::take(&mut self.panels);
        let mut values = std::mem::take(&mut self.values);
        let learned = self.learn_these(&mut panels, &mut values, rows);
        (self.panels, self.values) = (panels, values);
        learned?;
        self.renew()?;
        Ok(TellOutcome::Learned)
    }

    #[inline]
    fn learn_these(
        &mut self,
        panels: &mut Vec<u32>,
        values: &mut Vec<f64>,
        rows: &mut dyn ReadRows,
    ) -> Result<()> {
        let number = self.ledger.asked();
        let drawn = self.draw_all(number, panels, rows);
        let wait = self.ledger.ask_at_once(panels.len() as u64)?;
        values.clear();
        let target = rows.read(panels, values)?;
        check_told(number, panels.len(), values, target)?;
        self.check_class(number, target)?;
        let (Estimate { product, second }, pooled) = self.estimate_drawn(panels, drawn, values);
        let slope = self.recipe.loss.slope(product, target);
        self.gradient.iter_mut().for_each(|(_, g)| *g *= slope);
        let slope = Slope { value: slope, product: Some(product), residuals: (0.0, 0.0) };
        // The two estimates are independent given the example.
        let risk = (product - target) * (second - target);
        let norms = self.state.norms.expect("a learner that needs no query has norms");
        let plan = self.plan_by(norms, wait.open);
        self.free.clear();
        self.move_by((slope, Some(risk)), target, &plan, wait)?;
        self.state.running.pooled = pooled;
        for (&slot, &value) in panels.iter().zip(&*values) {
            self.state.running.see(slot as usize, value);
        }
        self.ledger.book_at_once(panels.split_at(drawn), target);
        Ok(())
    }

    /// Replaces `panels` by those of the gradient, and behind them those of the product; returns the
    /// number of the former.
    #[inline]
    fn draw_all(&mut self, number: u64, panels: &mut Vec<u32>, rows: &dyn ReadRows) -> usize {
        let mut stream = self.draw_ahead(number, panels, rows);
        let drawn = panels.len();
        // While w = 0 the product is 0 and costs no read.
        panels.extend(
            (0..self.products())
                .filter_map(|_| self.draw_product(&mut stream))
                .map(|slot| slot as u32),
        );
        if self.layout.slots() > FEW_SLOTS {
            panels[drawn..].iter().for_each(|&panel| self.touch(panel as usize));
        }
        drawn
    }

    /// Returns the estimates of <w,x> and the pooled deviations with those of these reads, and writes x~ to
    /// `gradient`, as [`Sgd::estimate`] and [`Sgd::remember`] do.
    #[inline]
    fn estimate_drawn(
        &mut self,
        panels: &[u32],
        drawn: usize,
        values: &[f64],
    ) -> (Estimate, (f64, f64)) {
        let mut gradient = std::mem::take(&mut self.gradient);
        gradient.clear();
        let State { iterate, running, known, drawing, .. } = &self.state;
        let centred = self.recipe.centre == Centre::Running;
        let (mut reads, mut squares) = (0_u32, running.pooled.1);
        // Returns the term of a read in the product, and its deviation from the centre.
        let mut term = |slot: usize, value: f64, weight: f64| {
            let so_far = running.of(slot);
            let centre = if centred { so_far.mean } else { self.centre(slot) };
            // The first read of a slot is its centre, not a deviation.
            let first = centred && so_far.reads == 0.0;
            let deviation = if first { 0.0 } else { value - centre };
            reads += u32::from(!first);
            squares += deviation * deviation;
            let weight = if self.scaled { self.raw(slot, weight) } else { weight };
            (weight * (value - centre), deviation)
        };
        let mut estimate = Estimate { product: known.intercept(), second: known.intercept() };
        let sampler = drawing.sampler().expect("one that draws");
        let uniform = sampler.is_uniform().then(|| sampler.coefficient(0));
        gradient.extend(panels[..drawn].iter().zip(values).map(|(&panel, &value)| {
            let slot = panel as usize;
            let coefficient = uniform.unwrap_or_else(|| sampler.coefficient(slot));
            let (part, deviation) = term(slot, value, coefficient * iterate.weight(slot));
            estimate.second += part;
            let moved = if self.scaled { self.in_units(slot, deviation, value) } else { deviation };
            (panel, coefficient * moved)
        }));
        let draws = self.products() as f64;
        for (&panel, &value) in panels[drawn..].iter().zip(&values[drawn..]) {
            let slot = panel as usize;
            let scale = 1.0 / (self.product_share(slot) * draws);
            estimate.product += term(slot, value, iterate.weight(slot) * scale).0;
        }
        let pooled = (running.pooled.0 + f64::from(reads), squares);
        self.gradient = gradient;
        (estimate, pooled)
    }
}
