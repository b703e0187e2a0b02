//! Learns by General AERR (GAERR), AERR with any probabilities of the gradient's reads: Kukliansky
//! and Shamir 2015.
//!
//! Each draw i for the gradient has probability q_i and adds x_i e_i / ((k - 1) q_i); the rest is
//! AERR. q_i = 0 is allowed only if x_i always equals its centre. Without replacement the inclusion
//! probabilities are (k - 1) q_i, if these are below 1.
//!
//! Guarantee (theorem 3.1, from w = 0): if |x|_2 <= R and |y| <= Y for every example, the expected
//! excess is at most B G / sqrt(m), G^2 = (B R + Y)^2 E |x~|^2, with E |x~|^2 = sum_i mu_i /
//! ((k - 1) q_i), plus ((k - 2)/(k - 1)) E |x|^2 with replacement. `step = theory` replaces R^2 by
//! E |x|^2 and Y^2 by E y^2, which no theorem covers (see AERR). With equal probabilities the
//! results are bit for bit those of AERR.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
//! Sampling", ICML 2015.

use super::aerr::{Aerr, THEORY};
use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{Draws, Proportions, Recipe, recipe};
use super::descent::step_size::{Schedule, StepSchedule};
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Inner, Rule, Steps};
use halfseen_solve::iterate::L2Ball;

gradient_learner! {
    /// Parameters of GAERR, and the learner itself.
    pub struct Gaerr {
        name: "gaerr",
        title: "General AERR: k reads per example, drawn by declared probabilities, Euclidean ball",
        source: "Kukliansky and Shamir 2015, section 3.1, theorem 3.1";
        radius: 2.0, average: Tail;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        probabilities: Option<Vec<f64>> = None, PROBABILITIES;
        replacement: bool = false, REPLACEMENT;
    }
}

impl Budgeted for Gaerr {
    type Iterate = L2Ball;

    fn grid() -> Grid {
        Aerr::grid()
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let proportions =
            self.probabilities.clone().map_or(Proportions::Uniform, Proportions::Declared);
        Ok(recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::weighted(reads, DesignCriterion::TotalVariance, self.replacement, proportions, Inner::Weights),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::projected(self.steps), theory: THEORY },
            average_before_step: true,
        })
    }
}
