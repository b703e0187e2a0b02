//! Learns from the panels that happen to be observed in each row, all of which are used.
//!
//! Let pi_i be the share of rows in which panel i is observed (`observed.rs` states the
//! assumption). x_i/pi_i on the observed i estimates the example. For the product, `passive = one`
//! draws one observed j with probability rho_j proportional to mass_j/pi_j, where mass_j is w_j^2
//! (Euclidean ball) or |w_j| (l1 ball), and uses w_j x_j/(rho_j pi_j). `passive = all` uses the
//! mean over that draw, sum_j w_j x_j/pi_j over all observed j, which has less variance.
//!
//! Both come from the same row, so the two estimates are independent only for i != j. Given that i
//! is observed, its own term has probability 1 and not pi_i, so entry i of the gradient uses the
//! product with its own term times pi_i. Then E phi_i x_i/pi_i = (<w,x> - y) x_i for every i,
//! exactly. A row without observed panels has the product 0. The intercept and the known attributes
//! must learn from it too, for their gradients to be unbiased.
//!
//! Only the squared error is supported, because its slope is linear in the product. With `all`,
//! (S - y)^2 - sum_i (1 - pi_i) (w_i x_i/pi_i)^2 with S = sum_i w_i x_i/pi_i is, by the same
//! argument, an unbiased estimate of the squared error.
//!
//! No theorem is claimed. The steps are those of AERR and AELR for the norms of these estimates: E
//! |x~|^2 = sum_i mu_i/pi_i, and E product^2 <= |w|^2 (R^2 + max_i mu_i (1/pi_i - 1)). Because both
//! come from one row, G^2 can be larger by up to 1/min_i pi_i. (Hazan and Koren 2012, section 6,
//! name this setting as open; Rostamizadeh, Agarwal and Bartlett 2011 and Loh and Wainwright 2011
//! correct second moments in the same way.)

use super::Sgd;
use halfseen_core::data::Examples;
use halfseen_core::error::{Result, nothing_observed};
use halfseen_core::learner::{Query, Read, ReadRole};
use halfseen_core::params::Passive;
use halfseen_solve::iterate::Iterate;
use halfseen_solve::sampling::{Purpose, Stream};

impl<I: Iterate> Sgd<I> {
    /// Counts the mask of the rows to come, if the learner is passive.
    ///
    /// # Errors
    /// [`ErrorKind::Table`](crate::ErrorKind::Table).
    pub(crate) fn count_mask(&mut self, examples: &Examples<'_>) -> Result<()> {
        let Some(observed) = &mut self.state.observed else { return Ok(()) };
        if !observed.count_beforehand(examples) {
            return Err(nothing_observed(examples.len()));
        }
        self.renew_norms();
        Ok(())
    }

    /// Adds the observed panels of a row to its query.
    pub(super) fn write_observed(&self, observed: &[u32], query: &mut Query) {
        let stream = || Stream::new(self.recipe.seed, Purpose::Query, query.number);
        let drawn = match self.recipe.passive {
            Passive::One => self.draw_observed(observed, stream()),
            _ => None,
        };
        self.push_observed(query, observed, drawn);
    }

    /// Returns mass over share, to which the probability of an observed panel for the product is
    /// proportional.
    pub(super) fn chance(&self, panel: usize) -> f64 {
        let mass: f64 = self.layout.slots_of(panel).map(|slot| self.state.iterate.mass(slot)).sum();
        mass / self.observed_share(panel)
    }

    pub(super) fn observed_share(&self, panel: usize) -> f64 {
        self.state.observed.as_ref().map_or(1.0, |o| o.share(panel))
    }

    /// Draws an observed panel and returns its probability; `None` while all their weights are
    /// zero.
    fn draw_observed(&self, observed: &[u32], mut stream: Stream) -> Option<(u32, f64)> {
        let total: f64 = observed.iter().map(|&panel| self.chance(panel as usize)).sum();
        let mut rest = stream.unit() * total;
        let mut drawn = None;
        for &panel in observed {
            let chance = self.chance(panel as usize);
            if chance > 0.0 {
                // The last panel takes the remainder left by rounding.
                drawn = Some((panel, chance / total));
                rest -= chance;
                if rest < 0.0 {
                    break;
                }
            }
        }
        drawn
    }

    /// Adds the observed panels; `drawn` estimates the product if `passive = one`.
    pub(super) fn push_observed(
        &self,
        query: &mut Query,
        observed: &[u32],
        drawn: Option<(u32, f64)>,
    ) {
        for &panel in observed {
            let coefficient = 1.0 / self.observed_share(panel as usize);
            let scale = match (self.recipe.passive, drawn) {
                (Passive::All, _) => Some(coefficient),
                (_, Some((chosen, probability))) if chosen == panel => {
                    Some(coefficient / probability)
                }
                _ => None,
            };
            let (role, scale) =
                scale.map_or((ReadRole::Gradient, 0.0), |scale| (ReadRole::Full, scale));
            self.push(query, panel as usize, role, coefficient, |slot| {
                scale * self.state.iterate.weight(slot)
            });
        }
    }

    /// Turns x~ into the gradient: each entry times the slope, in which the product's own term is
    /// multiplied by pi. Returns an unbiased estimate of the squared error, if there is one.
    pub(super) fn slope_observed(
        &mut self,
        query: &Query,
        values: &[f64],
        product: f64,
        target: f64,
    ) -> Option<f64> {
        let mut squared = (product - target).powi(2);
        let (mut at, mut entry) = (0, 0);
        for read in &query.reads {
            let here = at..at + self.layout.slots_of(read.panel as usize).len();
            at = here.end;
            if read.role == ReadRole::Known {
                continue;
            }
            // Parts without a role in the product have weight 0.
            let term = |i: usize| query.parts[i].weight * (values[i] - query.parts[i].centre);
            let own: f64 = here.clone().map(term).sum();
            let rest = 1.0 - 1.0 / read.coefficient;
            squared -= rest * own * own;
            let slope = self.recipe.loss.slope(product - rest * own, target);
            for (_, g) in &mut self.gradient[entry..entry + here.len()] {
                *g *= slope;
            }
            entry += here.len();
        }
        (self.recipe.passive == Passive::All).then_some(squared)
    }

    /// Returns true if a row shows nothing and no weight can learn from its target alone.
    #[inline]
    pub(super) fn teaches_nothing(&self, query: &Query) -> bool {
        self.state.observed.is_some() && query.reads.is_empty() && self.state.known.is_idle()
    }

    /// Returns true if a query has the shape of one for observed panels.
    pub(super) fn could_have_observed(&self, query: &Query) -> bool {
        let Some(shown) = self.ledger.chosen_in(query) else { return false };
        let fits =
            |r: &Read| r.role != ReadRole::Product && (1.0..f64::INFINITY).contains(&r.coefficient);
        shown.iter().all(fits) && shown.windows(2).all(|w| w[0].panel < w[1].panel)
    }

    /// Returns E |x~|^2, max_j E x~_j^2 and the largest E x_j^2 (1/pi - 1), over the slots that
    /// were ever observed.
    pub(super) fn observed_norms(&self) -> (f64, f64, f64) {
        let (mut sum, mut most, mut excess) = (0.0, 0.0_f64, 0.0_f64);
        for panel in 0..self.layout.sampled_panels() {
            let share = self.observed_share(panel);
            if share > 0.0 {
                for slot in self.layout.slots_of(panel) {
                    let square = self.square_of(slot);
                    sum += square / share;
                    most = most.max(square / share);
                    excess = excess.max(square * (1.0 / share - 1.0));
                }
            }
        }
        (sum, most, excess)
    }
}
