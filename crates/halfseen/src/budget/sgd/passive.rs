//! Learns from whatever is observed of a row: nothing is chosen, and every observed panel is used.
//!
//! With pi_i the share of rows in which panel i is observed (`observed.rs` states the assumption),
//! x_i/pi_i on the observed i estimates the example. For the product, `passive = one` draws one
//! observed j with probability rho_j in proportion to mass_j/pi_j, the mass being w_j^2 (Euclidean
//! ball) or |w_j| (l1 ball): w_j x_j/(rho_j pi_j). `passive = all` takes the mean over that draw:
//! sum_j w_j x_j/pi_j over all observed j, which has less variance.
//!
//! The same row shows both, so the two estimates are independent for i != j alone. Given that i is
//! observed, its own term has the probability 1 and not pi_i: entry i of the gradient uses the
//! product with its own term times pi_i. Then E phi_i x_i/pi_i = (<w,x> - y) x_i for every i,
//! exactly. A row that shows nothing has the product 0, which the intercept and the known
//! attributes must learn from too if their gradients are to be unbiased.
//!
//! Squared error alone, whose slope is linear in the product. In `all` (S - y)^2 - sum_i (1 - pi_i)
//! (w_i x_i/pi_i)^2 with S = sum_i w_i x_i/pi_i is, by the same argument, an unbiased estimate of
//! the squared error.
//!
//! No theorem is claimed. The steps are those of AERR and AELR for the norms that these estimates
//! have: E |x~|^2 = sum_i mu_i/pi_i, and E product^2 <= |w|^2 (R^2 + max_i mu_i (1/pi_i - 1)); that
//! both come from one row can make G^2 larger by up to 1/min_i pi_i. (Hazan and Koren 2012, section
//! 6, name this setting as open; Rostamizadeh, Agarwal and Bartlett 2011 and Loh and Wainwright
//! 2011 correct second moments in the same way.)

use super::Sgd;
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::learner::{Query, Read, Role};
use crate::params::Passive;
use halfseen_solve::iterate::Iterate;
use halfseen_solve::sampling::{Purpose, Stream};

impl<I: Iterate> Sgd<I> {
    /// Counts the mask of the rows to come, where the learner is passive.
    ///
    /// # Errors
    /// [`ErrorKind::NothingObserved`].
    pub(in crate::budget) fn count_mask(&mut self, examples: &Examples<'_>) -> Result<()> {
        let Some(observed) = &mut self.state.observed else { return Ok(()) };
        if !observed.count_beforehand(examples) {
            return Err(ErrorKind::NothingObserved { rows: examples.len() }.into());
        }
        self.renew_norms();
        Ok(())
    }

    /// Adds what a row shows to its query.
    pub(super) fn write_observed(&self, observed: &[u32], query: &mut Query) {
        let stream = || Stream::new(self.recipe.seed, Purpose::Query, query.number);
        let drawn = match self.recipe.passive {
            Passive::One => self.draw_observed(observed, stream()),
            _ => None,
        };
        self.push_observed(query, observed, drawn);
    }

    /// Mass over share: in proportion to it the observed panel for the product is drawn.
    pub(super) fn chance(&self, panel: usize) -> f64 {
        let mass: f64 = self.layout.slots_of(panel).map(|slot| self.state.iterate.mass(slot)).sum();
        mass / self.observed_share(panel)
    }

    pub(super) fn observed_share(&self, panel: usize) -> f64 {
        self.state.observed.as_ref().map_or(1.0, |o| o.share(panel))
    }

    /// An observed panel with its probability; none while all their weights are zero.
    fn draw_observed(&self, observed: &[u32], mut stream: Stream) -> Option<(u32, f64)> {
        let total: f64 = observed.iter().map(|&panel| self.chance(panel as usize)).sum();
        let mut rest = stream.unit() * total;
        let mut drawn = None;
        for &panel in observed {
            let chance = self.chance(panel as usize);
            if chance > 0.0 {
                // What rounding leaves beyond the last belongs to the last.
                drawn = Some((panel, chance / total));
                rest -= chance;
                if rest < 0.0 {
                    break;
                }
            }
        }
        drawn
    }

    /// Adds the observed panels; `drawn` estimates the product where one alone does.
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
            let (role, scale) = scale.map_or((Role::Gradient, 0.0), |scale| (Role::Full, scale));
            self.push(query, panel as usize, role, coefficient, |slot| {
                scale * self.state.iterate.weight(slot)
            });
        }
    }

    /// Makes the gradient of x~: each entry times the slope, the product's own term times pi.
    /// Returns an unbiased estimate of the squared error, where there is one.
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
            if read.role == Role::Known {
                continue;
            }
            // Parts that do not serve the product have weight 0.
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

    /// Whether a row shows nothing, and there is nothing that learns from its target alone.
    #[inline]
    pub(super) fn teaches_nothing(&self, query: &Query) -> bool {
        self.state.observed.is_some() && query.reads.is_empty() && self.state.known.is_idle()
    }

    /// Whether a query has the shape of one for observed panels.
    pub(super) fn could_have_observed(&self, query: &Query) -> bool {
        let Some(shown) = self.ledger.chosen_in(query) else { return false };
        let fits =
            |r: &Read| r.role != Role::Product && (1.0..f64::INFINITY).contains(&r.coefficient);
        shown.iter().all(fits) && shown.windows(2).all(|w| w[0].panel < w[1].panel)
    }

    /// E |x~|^2 and max_j E x~_j^2, and the largest E x_j^2 (1/pi - 1), over the slots that are
    /// ever observed.
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
