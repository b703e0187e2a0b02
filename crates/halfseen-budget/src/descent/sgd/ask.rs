//! Writes the next query: draws the panels and computes their coefficients and weights.

use super::{FEW_SLOTS, Sgd, State};
use crate::descent::gen_est::GenEst;
use halfseen_core::asking::sampler::Sampler;
use halfseen_core::learner::{ColumnTerm, Query, Read, ReadRole};
use halfseen_core::params::Centre;
use halfseen_solve::iterate::Iterate;
use halfseen_solve::sampling::{Purpose, Stream};

impl<I: Iterate> Sgd<I> {
    #[inline]
    pub(super) fn draw(&mut self, query: &mut Query) {
        let Some(sampler) = self.state.drawing.sampler() else {
            for panel in 0..self.layout.sampled_panels() {
                self.push(query, panel, ReadRole::Full, 1.0, |slot| {
                    self.state.iterate.weight(slot)
                });
            }
            return;
        };
        let mut stream = Stream::new(self.recipe.seed, Purpose::Query, query.number);
        sampler.draw(&mut stream, &mut self.panels);
        if self.layout.slots() > FEW_SLOTS {
            self.panels.iter().for_each(|&panel| self.touch(panel as usize));
        }
        if self.layout.is_plain() && !self.scaled {
            self.push_plain_gradient(query, sampler);
        } else {
            for &panel in &self.panels {
                self.push_gradient(query, panel as usize);
            }
        }
        match self.gen_est {
            None => self.push_products(query, self.products(), &mut stream),
            Some(estimator) => self.push_powers(query, estimator, &mut stream),
        }
    }

    /// Loads what the answer will change. With many slots each of it is a cache miss, and here these
    /// overlap.
    #[inline]
    pub(super) fn touch(&self, panel: usize) {
        let slot = self.layout.slots_of(panel).start;
        let State { iterate, running, .. } = &self.state;
        std::hint::black_box((
            iterate.weight(slot),
            iterate.mass(slot),
            running.mean(slot),
            self.ledger.reads_of(panel),
        ));
    }

    /// Draws the reads whose mean estimates the product.
    #[inline]
    fn push_products(&self, query: &mut Query, draws: usize, stream: &mut Stream) {
        for _ in 0..draws {
            // While w = 0 the product is 0 and costs no read.
            if let Some(slot) = self.draw_product(stream) {
                let panel = self.layout.panel_of(slot);
                if self.layout.slots() > FEW_SLOTS {
                    self.touch(panel);
                }
                self.push_product(query, panel, draws);
            }
        }
    }

    /// Draws the orders that estimate a smooth loss's slope, and each factor's reads for the
    /// product. While w = 0 the slope is exact.
    fn push_powers(&self, query: &mut Query, estimator: GenEst, stream: &mut Stream) {
        if self.state.iterate.total_mass() <= 0.0 {
            return;
        }
        for _ in 0..estimator.calls() {
            let order = GenEst::order(stream);
            query.orders.push(order);
            let (factors, draws) = estimator.shape(order);
            for _ in 0..factors {
                self.push_products(query, draws, stream);
            }
        }
    }

    /// Returns the present centre of a sampled slot.
    #[inline]
    pub(super) fn centre(&self, slot: usize) -> f64 {
        match self.recipe.centre {
            Centre::None => 0.0,
            Centre::Given => self.state.given[slot],
            Centre::Running => self.state.running.mean(slot),
        }
    }

    /// Returns the present centre of a known slot; 0 unless it is scaled.
    #[inline]
    pub(super) fn known_centre(&self, slot: usize) -> f64 {
        let centred = self.scaled && self.recipe.centre == Centre::Running;
        if centred { self.state.running.mean(slot) } else { 0.0 }
    }

    /// Adds a read of a sampled panel; `weight` gives each slot's weight in the product.
    #[inline]
    pub(super) fn push(
        &self,
        query: &mut Query,
        panel: usize,
        role: ReadRole,
        coefficient: f64,
        weight: impl Fn(usize) -> f64,
    ) {
        query.reads.push(Read { panel: panel as u32, role, coefficient });
        for slot in self.layout.slots_of(panel) {
            query.parts.push(ColumnTerm {
                weight: self.raw(slot, weight(slot)),
                centre: self.centre(slot),
            });
        }
    }

    /// Adds the known panels and the intercept.
    #[inline]
    pub(super) fn push_known(&self, query: &mut Query) {
        query.exact = self.state.known.intercept();
        for panel in self.layout.sampled_panels()..self.layout.panels() {
            query.reads.push(Read { panel: panel as u32, role: ReadRole::Known, coefficient: 1.0 });
            for slot in self.layout.slots_of(panel) {
                let weight = self.state.known.weight(slot - self.layout.sampled_slots());
                query.parts.push(ColumnTerm {
                    weight: self.raw(slot, weight),
                    centre: self.known_centre(slot),
                });
            }
        }
    }

    /// Adds a read for the estimate of the example. Its weight gives a second estimate of the
    /// product.
    #[inline]
    pub(super) fn push_gradient(&self, query: &mut Query, panel: usize) {
        let coefficient = self.state.drawing.sampler().map_or(1.0, |s| s.coefficient(panel));
        self.push(query, panel, ReadRole::Gradient, coefficient, |slot| {
            coefficient * self.state.iterate.weight(slot)
        });
    }

    /// Adds the drawn panels as [`Sgd::push_gradient`] does, where each has one slot, whose weights
    /// need no unit.
    #[inline]
    fn push_plain_gradient(&self, query: &mut Query, sampler: &Sampler) {
        let uniform = sampler.is_uniform().then(|| sampler.coefficient(0));
        let coefficient =
            |panel: u32| uniform.unwrap_or_else(|| sampler.coefficient(panel as usize));
        let (role, drawn) = (ReadRole::Gradient, self.panels.iter());
        query.reads.extend(drawn.clone().map(|&panel| Read {
            panel,
            role,
            coefficient: coefficient(panel),
        }));
        query.parts.extend(drawn.map(|&panel| ColumnTerm {
            weight: coefficient(panel) * self.state.iterate.weight(panel as usize),
            centre: self.centre(panel as usize),
        }));
    }

    /// Returns the number of draws per example for the product.
    #[inline]
    pub(super) fn products(&self) -> usize {
        self.recipe.draws.as_ref().map_or(0, |d| d.products)
    }

    /// Returns the share of the product's draws that use the iterate's second weighting.
    #[inline]
    fn by_moments(&self) -> f64 {
        let share = self.recipe.draws.as_ref().map_or(0.0, |d| self.state.drawing.by_moments(d));
        if share > 0.0 && self.state.iterate.weighed().is_some_and(|w| w.total_mass() > 0.0) {
            share
        } else {
            0.0
        }
    }

    /// Draws a slot whose panel is read for the product; `None` while w = 0.
    #[inline]
    pub(super) fn draw_product(&self, stream: &mut Stream) -> Option<usize> {
        let share = self.by_moments();
        match self.state.iterate.weighed() {
            Some(weighing) if share == 1.0 || (share > 0.0 && stream.unit() < share) => {
                weighing.draw(stream.unit())
            }
            _ => self.state.iterate.draw(stream.unit()),
        }
    }

    /// Returns the probability that one draw for the product reads this panel.
    #[inline]
    pub(super) fn product_share(&self, panel: usize) -> f64 {
        let iterate = &self.state.iterate;
        let mass: f64 = self.layout.slots_of(panel).map(|s| iterate.mass(s)).sum();
        let by_weights = mass / iterate.total_mass();
        match (iterate.weighed(), self.by_moments()) {
            (Some(weighing), share) if share > 0.0 => {
                let mass: f64 = self.layout.slots_of(panel).map(|s| weighing.mass(s)).sum();
                (1.0 - share) * by_weights + share * mass / weighing.total_mass()
            }
            _ => by_weights,
        }
    }

    /// Adds a read for the product, the mean over `draws` draws of sum_c w_c x_c / share.
    #[inline]
    pub(super) fn push_product(&self, query: &mut Query, panel: usize, draws: usize) {
        let scale = 1.0 / (self.product_share(panel) * draws as f64);
        let weight = |slot| self.state.iterate.weight(slot) * scale;
        self.push(query, panel, ReadRole::Product, 0.0, weight);
    }
}
