//! Learns by Attribute Efficient Support Vector Regression (AESVR) under smooth losses other than
//! squares: Hazan and Koren 2012.
//!
//! Minimises E f(<w,x> - y), or E f(y <w,x>) for classes, in a ball of radius B, with f one of the
//! losses of `loss.rs`. k - 1 reads estimate the example by x~ as in AERR and AELR. The slope phi
//! is estimated from powers of the product (GenEst, `gen_est.rs`) with a random number of reads,
//! each drawn in proportion to w_j^2 (to |w_j| with `ball = l1`). The step is along -phi x~.
//! Returns an average of the iterates before each step.
//!
//! The budget bounds no single example: x~ takes k - 1 reads, and phi a random number with a mean
//! of at most 2.06 (1.03 for the losses of classes except the exponential, 1.75 for that; the paper
//! allows 6). The mean over examples is at most k + 1.06, but one example may need many more.
//! [`Aesvr::mean_reads`] returns the mean, which converts `total_budget` (never exceeded) to a
//! horizon. Powers with coefficient 0 are not read. phi is exact where the budget allows every
//! panel, and while w = 0.
//!
//! Guarantee (theorem 4.4): expected excess of the smoothed loss at most B G / sqrt(m), G^2 = E
//! phi^2 E |x~|^2 (with `ball = l1` 2 B G sqrt(5 log(2d) / m), G^2 = E phi^2 max_j E x~_j^2), and
//! the smoothed loss exceeds the plain one by at most 0.57 `smoothing_width`. The steps are those
//! that the bound needs, with E phi^2 the mean of the phi^2 seen.
//!
//! Warning: E phi^2 is about e^(4 u^2), u^2 the mean square of one draw's (<w,x> - y)/eps including
//! its variance: 8 at u = 1, 8e4 at 2, 1e13 at 3. (The paper bounds it by exp(O(log^2(B/eps))),
//! which cannot hold where residuals are as large as B.) `smoothing_width` must therefore be at
//! least as large as |w| |x| and the residuals: the absolute loss is then nearly quadratic in the
//! middle and linear beyond. The report has a note where that fails. Slopes are not clipped; the
//! ball bounds the effect of one slope, and with `ball = l1` so does AELR's clipping.
//!
//! The logistic loss has no entire series: it needs `norm_bound`, and radius * norm_bound + 1 <
//! pi / sqrt 2 (without an intercept radius * norm_bound alone). Targets of the losses of
//! classes must be -1 or +1.
//!
//! E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012, section 4.

use super::budgeted::{completed, fit_curve};
use super::descent::batches::{batches, in_parts};
use super::descent::gen_est::{GenEst, check_reach};
use super::descent::known;
use super::descent::recipe::{Draws, Recipe, recipe};
use super::descent::sgd::Sgd;
use super::descent::step_size::{DataNorms, Schedule, StepSchedule, TheoryStep};
use crate::plan::{entropic_eta, euclidean_eta};
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::asking::pass;
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::{AskTell, FitSize, Grid, InParts, Learner, Needed, Steps};
use halfseen_core::loss::Loss;
use halfseen_core::model::Fit;
use halfseen_core::params::{Average, Ball, Centre, Parameters, Rule, SmoothLoss, parameters};
use halfseen_solve::Monitor;
use halfseen_solve::iterate::{Entropic, L2Ball};
use std::sync::Arc;

parameters! {
    /// Parameters of AESVR, and the learner itself.
    pub struct Aesvr {
        name: "aesvr", family: Budget,
        title: "Attribute Efficient Support Vector Regression: smooth losses, k + 1.06 reads on average at most",
        source: "Hazan and Koren 2012, algorithm 4, theorem 4.4";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        total_cost: Option<f64> = None, TOTAL_COST;
        radius: f64 = 1.0, RADIUS;
        step: Rule = Rule::Theory(1.0), STEP;
        ball: Ball = Ball::L2, BALL;
        loss: SmoothLoss = SmoothLoss::Absolute, LOSS;
        tube: f64 = 0.0, TUBE;
        smoothing_width: f64 = 8.0, SMOOTHING_WIDTH;
        norm_bound: Option<f64> = None, NORM_BOUND;
        replacement: bool = false, REPLACEMENT;
        centre: Centre = Centre::Running, CENTRE;
        average: Average = Average::Tail, AVERAGE;
        truncate: Option<u64> = None, TRUNCATE;
        intercept: bool = true, INTERCEPT;
        horizon: Option<u64> = None, HORIZON;
        seed: u64 = 0, SEED;
    }
}

/// Step of theorem 3.1 for the slopes seen.
const EUCLIDEAN: TheoryStep =
    TheoryStep { reach: |f| f.radius * f.norms.square.sqrt(), value: euclidean };
/// Step of theorem 3.4.
const ENTROPIC: TheoryStep =
    TheoryStep { reach: |f| f.radius * f.norms.largest.sqrt(), value: entropic };

fn euclidean(facts: &DataNorms) -> f64 {
    let slope = facts.slope.unwrap_or(1.0).sqrt();
    euclidean_eta(facts.radius, facts.examples, slope * facts.norms.drawn_square.sqrt())
}

fn entropic(facts: &DataNorms) -> f64 {
    let slope = facts.slope.unwrap_or(1.0).sqrt();
    entropic_eta(facts.slots, facts.examples, slope * facts.norms.drawn_largest.sqrt())
}

impl Aesvr {
    /// Returns the configuration, for a budget of at most the number of panels.
    ///
    /// # Errors
    /// If the budget is too small, or products may lie outside the series of the logistic loss.
    pub fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let (theory, goal) = match self.ball {
            Ball::L2 => (EUCLIDEAN, DesignCriterion::TotalVariance),
            Ball::L1 => (ENTROPIC, DesignCriterion::MaxVariance),
        };
        Ok(recipe! {
            self,
            draws: Draws::uniform(reads, goal, 1, self.replacement),
            // The number of reads is random, and so their cost has no limit.
            max_cost: None,
            loss: self.loss(!reads.all())?,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory },
            average_before_step: true,
        })
    }

    /// Returns the mean number of reads per example over the draws, once weights are above zero.
    ///
    /// # Errors
    /// As [`Aesvr::recipe`].
    pub fn mean_reads(&self, reads: Reads) -> Result<f64> {
        let recipe = self.recipe(reads)?;
        let estimated = GenEst::of(recipe.loss, recipe.radius).filter(|_| recipe.draws.is_some());
        Ok(estimated.map_or(reads.budget as f64, |estimator| {
            (reads.budget - 1) as f64 + estimator.mean_reads()
        }))
    }

    /// Returns the loss, its slope estimated by a series or not.
    fn loss(&self, estimated: bool) -> Result<Loss> {
        let width = self.smoothing_width;
        match (self.loss, self.norm_bound) {
            (SmoothLoss::Absolute, _) => Ok(Loss::Absolute { tube: self.tube, width }),
            (SmoothLoss::Hinge, _) => Ok(Loss::Hinge { width }),
            (SmoothLoss::Exponential, _) => Ok(Loss::Exponential),
            (SmoothLoss::Logistic, norm_bound) if !estimated => {
                Ok(Loss::Logistic { norm_bound: norm_bound.unwrap_or(f64::INFINITY) })
            }
            (SmoothLoss::Logistic, Some(norm_bound)) => {
                check_reach(
                    self.radius * norm_bound + if self.intercept { known::RADIUS } else { 0.0 },
                )?;
                Ok(Loss::Logistic { norm_bound })
            }
            (SmoothLoss::Logistic, None) => {
                let what = "norm_bound: where its series converges depends on the norms of examples that are never seen whole; \
                            declare it, or choose loss = hinge";
                Err(ErrorKind::Needs { name: "loss", value: "logistic", what }.into())
            }
        }
    }

    fn checked_recipe(&self, layout: &Layout, examples: Option<u64>) -> Result<Recipe> {
        self.check()?;
        let reads = Reads::of(self.budget, layout)?;
        completed(self.recipe(reads)?, (reads, layout), self.mean_reads(reads)?, examples)
    }
}

impl Learner for Aesvr {
    fn grid(&self) -> Grid {
        Grid::new(&[
            ("radius", &["0.5", "1", "2"]),
            ("smoothing_width", &["2", "8", "32"]),
            ("step", &["0.56x", "1.8x", "5.6x"]),
        ])
    }

    fn needed(&self, size: &FitSize) -> Needed {
        Needed::of(size, 0.0)
    }

    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let fits = self.learn_curve(&[examples.len()], examples, monitor)?;
        fits.into_iter().next_back().ok_or_else(|| pass::no_examples(Self::NAME))
    }

    fn learn_curve(
        &self,
        counts: &[usize],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        if examples.is_empty() {
            return Err(pass::no_examples(Self::NAME));
        }
        let recipe = self.checked_recipe(examples.layout, Some(examples.len() as u64))?;
        match self.ball {
            Ball::L2 => fit_curve::<L2Ball>(recipe, counts, examples, monitor),
            Ball::L1 => fit_curve::<Entropic>(recipe, counts, examples, monitor),
        }
    }

    fn in_parts(&self, _: usize) -> Option<InParts> {
        in_parts(self, &self.needs())
    }

    fn steps(&self, layout: &Arc<Layout>, rows: u64) -> Result<Option<Box<dyn Steps>>> {
        let recipe = self.checked_recipe(layout, Some(rows))?;
        match self.ball {
            Ball::L2 => batches::<L2Ball>(recipe, layout, rows),
            Ball::L1 => batches::<Entropic>(recipe, layout, rows),
        }
    }

    fn begin(&self, layout: &Arc<Layout>) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = self.checked_recipe(layout, None)?;
        Ok(Some(match self.ball {
            Ball::L2 => Box::new(Sgd::<L2Ball>::new(recipe, layout, None)?),
            Ball::L1 => Box::new(Sgd::<Entropic>::new(recipe, layout, None)?),
        }))
    }

    fn proceed(
        &self,
        layout: &Arc<Layout>,
        state: serde_json::Value,
    ) -> Result<Option<Box<dyn AskTell>>> {
        let recipe = self.checked_recipe(layout, None)?;
        Ok(Some(match self.ball {
            Ball::L2 => Box::new(Sgd::<L2Ball>::resume(recipe, layout, state)?),
            Ball::L1 => Box::new(Sgd::<Entropic>::resume(recipe, layout, state)?),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 40,000 reads pay for 10,000 examples of 4 reads, and for fewer that need more on average.
    #[test]
    fn a_total_budget_pays_for_examples_at_their_mean_reads() {
        let learner = Aesvr { budget: Some(4), total_budget: Some(40_000), ..Aesvr::default() };
        let layout = Layout::singletons(12);
        let mean = learner.mean_reads(Reads { budget: 4, panels: 12 }).unwrap();
        assert!(mean > 4.05 && mean < 5.06, "{mean}");
        let horizon = learner.checked_recipe(&layout, None).unwrap().pace.horizon.unwrap();
        assert_eq!(horizon, (40_000.0 / mean) as u64);
        assert!(horizon < 9_900, "{horizon}");
    }
}
