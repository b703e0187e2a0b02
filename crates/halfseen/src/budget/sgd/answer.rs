//! Makes of answers the estimates that the step needs, and knows the shape of the queries that they
//! answer.

use super::Sgd;
use crate::learner::{Query, Role};
use halfseen_solve::iterate::Iterate;

/// What an answer gives besides the estimate of the example.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    /// Of <w,x>, for the slope. Of a smooth loss's slope, with the products of all factors one on
    /// the other.
    pub(super) product: f64,
    /// Of <w,x> from the reads for the gradient, independent of the first given the example.
    pub(super) second: f64,
}

impl<I: Iterate> Sgd<I> {
    /// The estimates that an answer gives: the product <w,x>, and x~ as (slot, value) pairs, one
    /// per slot. Unbiased over the draws of the query.
    #[inline]
    pub(super) fn estimate(&mut self, query: &Query, values: &[f64]) -> Estimate {
        self.gradient.clear();
        let mut estimate = Estimate { product: query.exact, second: query.exact };
        let mut at = 0;
        for read in &query.reads {
            for slot in self.layout.slots_of(read.panel as usize) {
                let part = query.parts[at];
                let term = part.weight * (values[at] - part.centre);
                if read.role != Role::Gradient {
                    estimate.product += term;
                }
                if read.role != Role::Product {
                    estimate.second += term;
                }
                if matches!(read.role, Role::Gradient | Role::Full) {
                    self.gradient.push((
                        slot as u32,
                        read.coefficient * self.deviation(slot, part, values[at]),
                    ));
                }
                at += 1;
            }
        }
        if self.state.drawing.sampler().is_some_and(|s| s.replacement()) {
            merge_repeated(&mut self.gradient);
        }
        estimate
    }

    /// Whether a query can have so many reads for the product.
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

    /// Whether a query has the shape of this learner's: one that came back from a file or a network
    /// may have been edited. Known panels come first, then those of the gradient, then the
    /// product's. One that was adopted may have been drawn by other probabilities.
    #[inline]
    pub(super) fn could_have_asked(&self, query: &Query, adopted: bool) -> bool {
        if self.state.observed.is_some() {
            return self.could_have_observed(query);
        }
        let (sampled, known) =
            (self.layout.sampled_panels(), self.layout.panels() - self.layout.sampled_panels());
        let sampler = self.state.drawing.sampler();
        let role = if sampler.is_some() { Role::Gradient } else { Role::Full };
        let most = sampler.map_or(sampled, |s| s.draws());
        let drawn = query.reads.iter().skip(known).take_while(|read| read.role == role).count();
        let enough = match sampler {
            Some(s) => {
                adopted
                    || !s.is_uniform()
                    || query.phase != self.state.drawing.version
                    || drawn == most
            }
            None => drawn == most,
        };
        if !enough || drawn > most || query.reads.len() < known + drawn {
            return false;
        }
        if !self.could_read(query.reads.len() - known - drawn, &query.orders) {
            return false;
        }
        let mut columns = 0;
        for (at, read) in query.reads.iter().enumerate() {
            let panel = read.panel as usize;
            let fits = if at < known {
                panel == sampled + at && read.role == Role::Known
            } else if at < known + drawn {
                let order = match sampler {
                    Some(s) => {
                        s.replacement() || at == known || query.reads[at - 1].panel < read.panel
                    }
                    None => panel == at - known,
                };
                let coefficient = match sampler {
                    // Drawn by probabilities that have changed since.
                    Some(_) if adopted || query.phase < self.state.drawing.version => {
                        read.coefficient.is_finite()
                    }
                    Some(s) => panel < sampled && read.coefficient == s.coefficient(panel),
                    None => read.coefficient == 1.0,
                };
                panel < sampled && coefficient && order
            } else {
                panel < sampled && read.role == Role::Product
            };
            if !fits {
                return false;
            }
            columns += self.layout.slots_of(panel).len();
        }
        query.is_of(columns)
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
