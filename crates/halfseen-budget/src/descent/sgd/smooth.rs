//! Computes slopes from answers: from the product itself for the squared loss, from its powers for
//! smooth losses.

use super::Sgd;
use super::answer::Estimate;
use crate::descent::gen_est::{GenEst, check_reach};
use halfseen_core::error::Result;
use halfseen_core::learner::Query;
use halfseen_core::loss::Loss;
use halfseen_solve::iterate::Iterate;

/// Slope estimated from an answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slope {
    /// Unbiased estimate phi.
    pub(super) value: f64,
    /// Estimate of <w,x> from the same reads, if there were any.
    pub(super) product: Option<f64>,
    /// Number of estimates of a smooth loss's argument, and the sum of their squares.
    pub(super) residuals: (f64, f64),
}

impl<I: Iterate> Sgd<I> {
    /// Multiplies `gradient`, which holds x~, by phi. Returns phi, and an unbiased estimate of the
    /// squared error if there is one.
    ///
    /// # Errors
    /// As [`Sgd::slope`].
    #[inline]
    pub(super) fn multiply_by_slope(
        &mut self,
        query: &Query,
        values: &[f64],
        target: f64,
        estimate: Estimate,
    ) -> Result<(Slope, Option<f64>)> {
        if self.state.observed.is_some() {
            let value = self.recipe.loss.slope(estimate.product, target);
            let risk = self.slope_observed(query, values, estimate.product, target);
            return Ok((Slope { value, product: None, residuals: (0.0, 0.0) }, risk));
        }
        let slope = self.slope(query, values, target, estimate)?;
        self.gradient.iter_mut().for_each(|(_, g)| *g *= slope.value);
        // The two estimates are independent given the example.
        let risk = slope.product.map(|product| (product - target) * (estimate.second - target));
        Ok((slope, risk))
    }

    /// Returns the slope for an answer.
    ///
    /// # Errors
    /// [`ErrorKind::Request`](crate::ErrorKind::Request), if the values read show that
    /// the loss's series does not apply.
    #[inline]
    pub(super) fn slope(
        &self,
        query: &Query,
        values: &[f64],
        target: f64,
        estimate: Estimate,
    ) -> Result<Slope> {
        match self.gen_est {
            None => {
                let value = self.recipe.loss.slope(estimate.product, target);
                Ok(Slope { value, product: Some(estimate.product), residuals: (0.0, 0.0) })
            }
            Some(estimator) => self.smooth_slope(estimator, query, values, target, estimate),
        }
    }

    /// Returns the slope of a smooth loss: exact if the product is, otherwise by GenEst.
    fn smooth_slope(
        &self,
        estimator: GenEst,
        query: &Query,
        values: &[f64],
        target: f64,
        estimate: Estimate,
    ) -> Result<Slope> {
        let (mut residuals, mut squares) = (0.0, 0.0);
        let mut see = |residual: f64| {
            residuals += 1.0;
            squares += residual * residual;
        };
        let Some(expansion) = self.recipe.loss.expansion(target) else {
            return Ok(Slope { value: 0.0, product: None, residuals: (0.0, 0.0) });
        };
        let shifts = &expansion.shifts[..expansion.calls];
        if query.orders.is_empty() {
            let product = estimate.product;
            shifts.iter().for_each(|shift| see(expansion.gain * product + shift));
            return Ok(Slope {
                value: expansion.value(product),
                product: Some(product),
                residuals: (residuals, squares),
            });
        }
        // Known reads come first in a query, those of the factors last.
        let columns = |read: &crate::Read| self.layout.slots_of(read.panel as usize).len();
        let (before, reads) =
            query.reads.split_at(query.reads.len() - estimator.reads(&query.orders));
        let (mut reads, mut at) = (reads.iter(), before.iter().map(columns).sum::<usize>());
        let weighed = |at: usize| query.parts[at].weight * (values[at] - query.parts[at].centre);
        let known = query.exact + (0..self.state.known.len()).map(weighed).sum::<f64>();
        self.check_answer(query, values, known)?;
        let (mut sum, mut factors) = (0.0, 0.0);
        for (&order, shift) in query.orders.iter().zip(shifts) {
            let (thetas, draws) = estimator.shape(order);
            let mut power = 1.0;
            for _ in 0..thetas {
                let mut product = known;
                for read in reads.by_ref().take(draws) {
                    let next = at + columns(read);
                    product += (at..next).map(weighed).sum::<f64>();
                    at = next;
                }
                let theta = expansion.gain * product + shift;
                power *= theta;
                see(theta);
            }
            factors += thetas as f64;
            sum += estimator.value(order, power);
        }
        let product = (factors > 0.0).then(|| known + (estimate.product - known) / factors);
        Ok(Slope {
            value: expansion.constant + expansion.factor * sum,
            product,
            residuals: (residuals, squares),
        })
    }

    /// Refuses an answer whose reads show that it lies outside the loss's series.
    fn check_answer(&self, query: &Query, values: &[f64], known: f64) -> Result<()> {
        let Loss::Logistic { norm_bound } = self.recipe.loss else { return Ok(()) };
        let read = query.parts.iter().zip(values).skip(self.state.known.len());
        let largest =
            read.map(|(part, value)| (value - part.centre).abs()).fold(norm_bound, f64::max);
        check_reach(known.abs() + self.recipe.radius * largest)
    }
}
