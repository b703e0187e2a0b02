//! Computes gradient and product estimates from an answer, and validates the shape of queries.

use super::{Sgd, Term};
use halfseen_core::asking::sampler::Sampler;
use halfseen_core::learner::{Query, Read, ReadRole};
use halfseen_solve::iterate::Iterate;

/// Two estimates of <w,x> from one answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    /// Estimate for the slope; for smooth losses the sum over all factors.
    pub(super) product: f64,
    /// Estimate from the gradient's reads, independent of the first given the example.
    pub(super) second: f64,
}

impl<I: Iterate> Sgd<I> {
    /// Returns the estimates of <w,x>, and writes the values to `terms` and x~ to `gradient`, as
    /// (slot, value) pairs, one per slot. Unbiased over the draws of the query.
    #[inline]
    pub(super) fn estimate(&mut self, query: &Query, values: &[f64]) -> Estimate {
        let mut terms = std::mem::take(&mut self.terms);
        let mut gradient = std::mem::take(&mut self.gradient);
        terms.clear();
        gradient.clear();
        let mut estimate = Estimate { product: query.exact, second: query.exact };
        for (read, slot, part, value) in query.cells(&self.layout, values) {
            let (role, coefficient) = (read.role, read.coefficient);
            let term = part.weight * (value - part.centre);
            if role != ReadRole::Gradient {
                estimate.product += term;
            }
            if role != ReadRole::Product {
                estimate.second += term;
            }
            let deviation = self.unscaled(slot, part, value);
            terms.push(Term { slot: slot as u32, role, coefficient, value, deviation });
            if matches!(role, ReadRole::Gradient | ReadRole::Full) {
                gradient.push((slot as u32, coefficient * self.in_units(slot, deviation, value)));
            }
        }
        if self.state.drawing.sampler().is_some_and(|s| s.replacement()) {
            merge_repeated(&mut gradient);
        }
        (self.terms, self.gradient) = (terms, gradient);
        estimate
    }

    /// Returns true if a query can have this number of reads for the product.
    #[inline]
    fn could_read(&self, products: usize, orders: &[u32]) -> bool {
        match self.gen_est.filter(|_| self.recipe.draws.is_some()) {
            Some(estimator) if orders.len() == estimator.calls() => {
                products == estimator.reads(orders)
            }
            Some(_) => orders.is_empty() && products == 0,
            None => orders.is_empty() && products <= self.products(),
        }
    }

    /// Returns true if a query has the shape of this learner's: one that came back from a file or a
    /// network may have been edited. Known panels come first, then those of the gradient, then the
    /// product's. An adopted one may have been drawn by other probabilities.
    #[inline]
    pub(super) fn could_have_drawn(&self, query: &Query, adopted: bool) -> bool {
        let Some(chosen) = self.ledger.chosen_in(query) else { return false };
        let (sampler, version) = (self.state.drawing.sampler(), self.state.drawing.version);
        let role = if sampler.is_some() { ReadRole::Gradient } else { ReadRole::Full };
        let most = sampler.map_or(self.layout.sampled_panels(), |s| s.draws());
        let drawn = chosen.iter().take_while(|read| read.role == role).count();
        let (drawn, products) = chosen.split_at(drawn);
        let changeable = |s: &Sampler| adopted || !s.is_uniform() || query.phase != version;
        let number = drawn.len() == most || (drawn.len() < most && sampler.is_some_and(changeable));
        let increasing = || drawn.windows(2).all(|w| w[0].panel < w[1].panel);
        let fits = |r: &Read| match sampler {
            // The probabilities have changed since.
            Some(_) if adopted || query.phase < version => r.coefficient.is_finite(),
            Some(s) => r.coefficient == s.coefficient(r.panel as usize),
            None => r.coefficient == 1.0,
        };
        number
            && (sampler.is_some_and(Sampler::replacement) || increasing())
            && drawn.iter().all(fits)
            && products.iter().all(|read| read.role == ReadRole::Product)
            && self.could_read(products.len(), &query.orders)
    }
}

/// Sums the entries of equal slots, which the entropic iterate must clip together.
#[inline]
fn merge_repeated(gradient: &mut Vec<(u32, f64)>) {
    gradient.sort_unstable_by_key(|&(slot, _)| slot);
    gradient.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
}
