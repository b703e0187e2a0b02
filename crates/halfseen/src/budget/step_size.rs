//! Turns theorems into step sizes, for the norms that the data have and the examples to come, and
//! shortens those that come late.
//!
//! A gradient g_t was estimated at the weights w_s that were there when its query was asked, while
//! tau queries asked before it were open. Its regret is <g_t, w_s - u> = <g_t, w_t - u> + <g_t,
//! w_s - w_t>. The first term is that of gradient descent; in the second w_s and w_t are tau steps
//! of length eta G apart, and so are, the other way round, later queries from this one: it adds at
//! most tau eta G^2. Over m examples the bound is B^2/(2 eta) + (eta/2) G^2 m (1 + 2 tau), least
//! for eta = B / (G sqrt(m (1 + 2 tau))): the theorem's step divided by sqrt(1 + 2 tau), at which
//! the excess is sqrt(1 + 2 tau) times that without delay. The same holds in other norms (mirror
//! descent), and for penalised steps, where lambda is multiplied by that root. tau is a query's
//! number less the answers that it was drawn after, both of which are in the query: in which order
//! answers come does not matter. Steps that are given as a number are shortened too.
//!
//! M. Zinkevich, J. Langford and A. Smola, "Slow Learners are Fast", NIPS 2009; K. Quanrud and D.
//! Khashabi, "Online Learning with Adversarial Delays", NIPS 2015.

use crate::params::{Rule, Steps};
use serde::{Deserialize, Serialize};

/// What a theorem needs to know; everything in scaled units, attributes about their centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataNorms {
    /// B.
    pub radius: f64,
    /// p, where the iterate has a choice of norm.
    pub power: f64,
    /// Number of sampled slots.
    pub slots: f64,
    /// m: the examples to come, or those seen so far where that is unknown.
    pub examples: f64,
    /// The norms.
    pub norms: Norms,
    /// E phi^2 of the slope's estimate, where it is estimated from the slopes seen; else norms
    /// bound it.
    pub slope: Option<f64>,
}

/// Second moments, measured, declared, or estimated from the reads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// E |x|_2^2 over the sampled slots.
    pub square: f64,
    /// max_j E x_j^2 over the sampled slots.
    pub largest: f64,
    /// E |x~|_2^2 of the estimate that the draws give; `square` where every panel is read.
    pub drawn_square: f64,
    /// max_j E x~_j^2.
    pub drawn_largest: f64,
    /// E |z|_2^2 over the known slots, the constant of the intercept included.
    pub known: f64,
    /// E y^2.
    pub target: f64,
}

/// A theorem: the bound on |<w,x>| that it uses, and its step (or penalty) for so many examples.
#[derive(Debug, Clone, Copy)]
pub struct TheoryStep {
    /// Bound on |<w,x>|.
    pub reach: fn(&DataNorms) -> f64,
    /// eta of a projected step, or lambda of a strongly convex one.
    pub value: fn(&DataNorms) -> f64,
}

/// How step sizes follow from a [`TheoryStep`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// w <- Proj(w - eta g), eta constant over the horizon.
    Projected,
    /// w <- Proj((1 - 1/t) w - g/(lambda t)).
    StronglyConvex,
    /// w_j <- w_j - eta g_j / sqrt(sum of the squared g_j so far), then Proj. No theorem covers it:
    /// theorem 5 of Duchi, Hazan and Singer (JMLR 2011) has eta = sqrt(2) B, the ball's l_infinity
    /// diameter being 2B, for projections in the norm of the roots, and this one is radial. That
    /// eta moves a weight by the whole radius at its first read; a four-hundredth of it, called 1x,
    /// is in the middle of what measured well (d from 30 to 784).
    Adagrad,
}

impl Schedule {
    /// Of projected steps: one for all slots, or one for each.
    pub fn projected(steps: Steps) -> Schedule {
        match steps {
            Steps::Constant => Schedule::Projected,
            Steps::Adagrad => Schedule::Adagrad,
        }
    }
}

/// Theory's value resolved for the norms at hand, and the step of the known block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepPlan {
    /// eta, or lambda.
    pub value: f64,
    /// Step of the intercept and of the known attributes.
    pub known: f64,
}

/// The size of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// What the gradient is multiplied by.
    pub size: f64,
    /// What the weights are multiplied by before.
    pub shrink: f64,
}

/// What is left of theorem 5's step of AdaGrad; see [`Schedule::Adagrad`].
const ADAGRAD: f64 = 0.0025;

/// How queries wait for their answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wait {
    /// Queries that were open when the one now answered was asked.
    pub delay: u64,
    /// Queries that are open now, besides: examples that are sure to come, where nobody knows how
    /// many will.
    pub open: u64,
}

impl Wait {
    /// What a step is multiplied by: 1 / sqrt(1 + 2 delay).
    #[inline]
    pub fn shortened(self) -> f64 {
        if self.delay == 0 { 1.0 } else { 1.0 / (1.0 + 2.0 * self.delay as f64).sqrt() }
    }
}

/// Step sizes over time.
#[derive(Debug, Clone, Copy)]
pub struct StepSchedule {
    /// Theory, a multiple of it, or a number.
    pub rule: Rule,
    /// The examples to come, if known. If not, theory's value for as many examples as have been
    /// seen or asked for is taken each time: steps fall as 1/sqrt(t), without shrinking.
    pub horizon: Option<u64>,
    /// How steps follow from the value.
    pub schedule: Schedule,
    /// Theory's value.
    pub theory: TheoryStep,
}

impl StepSchedule {
    /// What stays the same from step to step while the norms do, where so many examples have been
    /// seen or asked for, `began` of them before this phase.
    pub fn plan(
        &self,
        examples: u64,
        began: u64,
        facts: &DataNorms,
        known_radius: f64,
    ) -> StepPlan {
        let examples = self.horizon.unwrap_or(examples).saturating_sub(began).max(1) as f64;
        let facts = DataNorms { examples, ..*facts };
        let value = self.rule.resolve(match self.schedule {
            Schedule::Adagrad => ADAGRAD * std::f64::consts::SQRT_2 * facts.radius,
            _ => (self.theory.value)(&facts),
        });
        // The known block: radius / (G sqrt m) with G^2 = E phi^2 E|z|^2, phi at most reach + |y|
        // for the squares.
        let slope =
            facts.slope.map_or((self.theory.reach)(&facts) + facts.norms.target.sqrt(), f64::sqrt);
        let known = known_radius / (slope * (facts.norms.known * facts.examples).sqrt());
        StepPlan { value, known: if known.is_finite() { known } else { 0.0 } }
    }

    /// Whether the plan must be made anew for each step.
    pub fn is_timeless(&self) -> bool {
        self.horizon.is_none()
    }

    /// The t-th step, t from 1.
    #[inline]
    pub fn at(&self, t: u64, plan: &StepPlan, wait: Wait) -> Step {
        let (seen, t, value) = ((t + wait.open) as f64, t as f64, plan.value);
        let falls = self.is_timeless() && matches!(self.rule, Rule::Theory(_));
        let (size, shrink) = match self.schedule {
            Schedule::Projected | Schedule::Adagrad => (value, 1.0),
            Schedule::StronglyConvex if falls => (1.0 / (value * seen), 1.0),
            Schedule::StronglyConvex => (1.0 / (value * t), 1.0 - 1.0 / t),
        };
        // Norms of zero (nothing but zeros was read) give no scale: stand still.
        Step { size: if size.is_finite() { size * wait.shortened() } else { 0.0 }, shrink }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(schedule: Schedule, horizon: Option<u64>) -> StepSchedule {
        // lambda or eta: a constant over the root of the examples.
        let theory = TheoryStep { reach: |_| 1.0, value: |f| 3.0 / f.examples.sqrt() };
        StepSchedule { rule: Rule::Theory(1.0), horizon, schedule, theory }
    }

    fn facts() -> DataNorms {
        let norms = Norms {
            square: 1.0,
            largest: 1.0,
            drawn_square: 1.0,
            drawn_largest: 1.0,
            known: 1.0,
            target: 1.0,
        };
        DataNorms { radius: 1.0, power: 2.0, slots: 4.0, examples: 1.0, norms, slope: None }
    }

    #[test]
    fn a_late_step_is_divided_by_the_root_of_one_and_twice_the_delay() {
        for schedule in [Schedule::Projected, Schedule::StronglyConvex, Schedule::Adagrad] {
            for horizon in [None, Some(100)] {
                let pace = pace(schedule, horizon);
                let plan = pace.plan(9, 0, &facts(), 1.0);
                let now = pace.at(9, &plan, Wait::default());
                let late = pace.at(9, &plan, Wait { delay: 12, open: 0 });
                assert_eq!(late.size, now.size * 0.2, "{schedule:?}");
                assert_eq!(late.shrink, now.shrink, "the penalty is stronger by that root");
            }
        }
    }

    /// Without a horizon 9 answers and 91 open queries are 100 examples, those that a horizon would
    /// have announced.
    #[test]
    fn what_is_open_counts_as_what_is_to_come() {
        let (unknown, known) =
            (pace(Schedule::Projected, None), pace(Schedule::Projected, Some(100)));
        let wait = Wait { delay: 91, open: 91 };
        let plan = |pace: &StepSchedule| pace.plan(9 + 91, 0, &facts(), 1.0);
        assert_eq!(unknown.at(9, &plan(&unknown), wait), known.at(9, &plan(&known), wait));
    }
}
