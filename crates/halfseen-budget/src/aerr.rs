//! Learns by Attribute Efficient Ridge Regression (AERR): Hazan and Koren 2012, algorithm 1.
//!
//! Minimises E (<w,x> - y)^2 / 2 over |w|_2 <= B from k reads per example. k - 1 reads estimate the
//! example by x~: each drawn i adds d x_i e_i / (k - 1). One read estimates the product: j is drawn
//! with probability proportional to w_j^2, and |w|^2 x_j / w_j has mean <w,x>. The step is w <-
//! Proj(w - eta phi x~) with phi = |w|^2 x_j / w_j - y. Returns the average of the iterates before
//! each step. While w = 0 the product is 0: no read is made for it, and x~ still uses k - 1 reads.
//!
//! Guarantee (theorem 3.1, from w = 0): if |x|_2 <= R and |y| <= Y for every example, the expected
//! excess is at most B G / sqrt(m) with G^2 = (B R + Y)^2 R^2 c for eta = B / (G sqrt(m)) (the
//! paper assumes R <= 1 and Y <= B). c = d/(k - 1) for draws without replacement, (d + k -
//! 2)/(k - 1) with. The bounds are necessary. `step = theory` replaces them by R^2 = E |x|_2^2 and
//! Y^2 = E y^2, measured or estimated, which no theorem covers: with heavy tails such steps are too
//! long. The paper draws with replacement and averages all iterates; the defaults here do better:
//! draws without replacement (no attribute is read twice), and the average of the second half.
//!
//! `passive` instead takes rows with the attributes that happen to be observed; see
//! `sgd/passive.rs`.
//!
//! E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.

use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{Draws, Recipe, recipe};
use super::descent::step_size::{DataNorms, Schedule, StepSchedule, TheoryStep};
use crate::plan::euclidean_eta;
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Passive, Rule, Steps};
use halfseen_solve::iterate::L2Ball;

gradient_learner! {
    /// Parameters of AERR, and the learner itself.
    pub struct Aerr {
        name: "aerr",
        title: "Attribute Efficient Ridge Regression: k reads per example, Euclidean ball",
        source: "Hazan and Koren 2012, algorithm 1, theorem 3.1";
        radius: 2.0, average: Tail;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        passive: Passive = Passive::No, PASSIVE;
        replacement: bool = false, REPLACEMENT;
    }
}

/// Step of theorem 3.1 for the norms of the data.
pub(super) const THEORY: TheoryStep = TheoryStep { reach, value: step };

fn reach(facts: &DataNorms) -> f64 {
    facts.radius * facts.norms.square.sqrt()
}

fn step(facts: &DataNorms) -> f64 {
    let slope = reach(facts) + facts.norms.target.sqrt();
    euclidean_eta(facts.radius, facts.examples, slope * facts.norms.drawn_square.sqrt())
}

impl Budgeted for Aerr {
    type Iterate = L2Ball;

    fn grid() -> Grid {
        Grid::new(&[
            ("radius", &["0.5", "1", "2", "4"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
        ])
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        let passive = self.passive != Passive::No;
        if !passive {
            reads.at_least(2, Self::NAME)?;
        }
        let recipe = recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::uniform(reads, DesignCriterion::TotalVariance, 1, self.replacement).filter(|_| !passive),
            loss: Loss::HalfSquare,
            pace: StepSchedule {
                rule: self.step,
                horizon: self.horizon,
                schedule: Schedule::projected(self.steps),
                theory: THEORY,
            },
            average_before_step: true,
        };
        Ok(Recipe { passive: self.passive, ..recipe })
    }
}
