//! Computes the theorems' step sizes for the norms of the data and the number of examples, and
//! shortens delayed steps.
//!
//! A gradient g_t is estimated at the weights w_s of ask time, when tau earlier queries are open.
//! The regret is <g_t, w_s - u> = <g_t, w_t - u> + <g_t, w_s - w_t>. The first term is that of
//! gradient descent. In the second, w_s and w_t are tau steps of length eta G apart, and so are
//! later queries from this one: it adds at most tau eta G^2. Over m examples the bound is B^2/(2
//! eta) + (eta/2) G^2 m (1 + 2 tau). It is minimal for eta = B / (G sqrt(m (1 + 2 tau))), the
//! theorem's step divided by sqrt(1 + 2 tau), and the excess is then sqrt(1 + 2 tau) times that
//! without delay. The same holds in other norms (mirror descent), and for penalised steps, where
//! lambda is multiplied by that root. tau is a query's number minus the number of queries closed
//! when it was asked. Both are in the query, so the order of the answers does not matter. Steps
//! given as a number are shortened too.
//!
//! M. Zinkevich, J. Langford and A. Smola, "Slow Learners are Fast", NIPS 2009; K. Quanrud and D.
//! Khashabi, "Online Learning with Adversarial Delays", NIPS 2015.

use super::known;
use halfseen_core::asking::Wait;
use halfseen_core::params::{Rule, Steps};
use serde::{Deserialize, Serialize};

/// Inputs of a theorem, in scaled units, with attributes about their centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DataNorms {
    /// Radius B.
    pub radius: f64,
    /// Exponent p, for iterates with a choice of norm.
    pub power: f64,
    /// Number of sampled slots.
    pub slots: f64,
    /// Number m of examples to come, or of those seen so far if that is unknown.
    pub examples: f64,
    /// Norms of the data.
    pub norms: Norms,
    /// E phi^2 of the slope's estimate, if estimated from observed slopes; otherwise norms bound
    /// it.
    pub slope: Option<f64>,
}

/// Second moments, measured, declared, or estimated from the reads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Norms {
    /// E |x|_2^2 over the sampled slots.
    pub square: f64,
    /// max_j E x_j^2 over the sampled slots.
    pub largest: f64,
    /// E |x~|_2^2 of the estimate for the present draws; `square` if every panel is read.
    pub drawn_square: f64,
    /// max_j E x~_j^2.
    pub drawn_largest: f64,
    /// E |z|_2^2 over the known slots, the constant of the intercept included.
    pub known: f64,
    /// E y^2.
    pub target: f64,
}

/// Theorem: its bound on |<w,x>|, and its step (or penalty) for a number of examples.
#[derive(Debug, Clone, Copy)]
pub struct TheoryStep {
    /// Bound on |<w,x>|.
    pub reach: fn(&DataNorms) -> f64,
    /// eta of a projected step, or lambda of a strongly convex one.
    pub value: fn(&DataNorms) -> f64,
}

/// Rule that turns the value of a [`TheoryStep`] into steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    /// w <- Proj(w - eta g), eta constant over the horizon.
    Projected,
    /// w <- Proj((1 - 1/t) w - g/(lambda t)).
    StronglyConvex,
    /// w_j <- w_j - eta g_j / sqrt(sum of the squared g_j so far), then Proj. No theorem covers it:
    /// theorem 5 of Duchi, Hazan and Singer (JMLR 2011) has eta = sqrt(2) B (the ball's l_infinity
    /// diameter is 2B) for projections in the norm of the roots, and this one is radial. That eta
    /// moves a weight by the whole radius at its first read; 1x is a four-hundredth of it.
    Adagrad,
}

impl Schedule {
    /// Returns the schedule of projected steps, with one step for all slots or one for each.
    pub fn projected(steps: Steps) -> Schedule {
        match steps {
            Steps::Constant => Schedule::Projected,
            Steps::Adagrad => Schedule::Adagrad,
        }
    }
}

/// Value of the theory for the present norms, and the step of the known block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepPlan {
    /// Step eta, or penalty lambda.
    pub value: f64,
    /// Step of the intercept and of the known attributes.
    pub known: f64,
}

/// Size of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Factor of the gradient.
    pub size: f64,
    /// Factor of the weights before the step.
    pub shrink: f64,
}

/// Share of theorem 5's AdaGrad step; see [`Schedule::Adagrad`].
const ADAGRAD: f64 = 0.0025;

/// Step sizes over time.
#[derive(Debug, Clone, Copy)]
pub struct StepSchedule {
    /// Theory, a multiple of it, or a number.
    pub rule: Rule,
    /// Number of examples to come, if known. If not, each step uses theory's value for the number
    /// of examples seen or asked for: steps fall as 1/sqrt(t), without shrinking.
    pub horizon: Option<u64>,
    /// Rule that turns the value into steps.
    pub schedule: Schedule,
    /// Theorem that gives the value.
    pub theory: TheoryStep,
}

impl StepSchedule {
    /// Returns the plan, which is constant while the norms are, for `examples` seen or asked for,
    /// `began` of them before this phase.
    pub fn plan(&self, examples: u64, began: u64, facts: &DataNorms) -> StepPlan {
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
        let known = known::RADIUS / (slope * (facts.norms.known * facts.examples).sqrt());
        StepPlan { value, known: if known.is_finite() { known } else { 0.0 } }
    }

    /// Returns true if the plan must be renewed for each step.
    pub fn is_timeless(&self) -> bool {
        self.horizon.is_none()
    }

    /// Returns the t-th step, t from 1.
    #[inline]
    pub fn at(&self, t: u64, plan: &StepPlan, wait: Wait) -> Step {
        let (seen, t, value) = ((t + wait.open) as f64, t as f64, plan.value);
        let falls = self.is_timeless() && matches!(self.rule, Rule::Theory(_));
        let (size, shrink) = match self.schedule {
            Schedule::Projected | Schedule::Adagrad => (value, 1.0),
            Schedule::StronglyConvex if falls => (1.0 / (value * seen), 1.0),
            Schedule::StronglyConvex => (1.0 / (value * t), 1.0 - 1.0 / t),
        };
        // Norms of zero (only zeros were read) give no scale: make no step.
        Step { size: if size.is_finite() { size * wait.shortened() } else { 0.0 }, shrink }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(schedule: Schedule, horizon: Option<u64>) -> StepSchedule {
        // lambda or eta: a constant over the root of the number of examples.
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
                let plan = pace.plan(9, 0, &facts());
                let now = pace.at(9, &plan, Wait::default());
                let late = pace.at(9, &plan, Wait { delay: 12, open: 0 });
                assert_eq!(late.size, now.size * 0.2, "{schedule:?}");
                assert_eq!(late.shrink, now.shrink, "the penalty is stronger by that root");
            }
        }
    }

    /// Without a horizon, 9 answers and 91 open queries give the steps of a horizon of 100
    /// examples.
    #[test]
    fn what_is_open_counts_as_what_is_to_come() {
        let (unknown, known) =
            (pace(Schedule::Projected, None), pace(Schedule::Projected, Some(100)));
        let wait = Wait { delay: 91, open: 91 };
        let plan = |pace: &StepSchedule| pace.plan(9 + 91, 0, &facts());
        assert_eq!(unknown.at(9, &plan(&unknown), wait), known.at(9, &plan(&known), wait));
    }
}
