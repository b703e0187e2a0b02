//! Learns by two-phase DDAERR: the reads of a first phase tell which attributes the second should read.
//!
//! The first m1 examples are read as AERR reads them, and learned from; the values that the draws hit estimate the second
//! moments. Then DDAERR with q_i in proportion to sqrt(A_i + c d log(2d/delta)/n1), from the weights learned so far, with a step
//! for the m - m1 examples to come. Returns an average of the second phase's iterates.
//!
//! Guarantee (Kukliansky and Shamir 2015, theorem 3.6 where `moment_norm` is given, else 3.12; c = 4/3): with
//! probability 1 - delta the second phase's excess is of the order of DDAERR's once m1 (k - 1) >= d H log(2d/delta), and never
//! worse than AERR's by more than a constant; see `two_phase.rs`. Smaller c often do better: 4/3 leaves the probabilities almost
//! equal where n1 is less than d log d times a few hundred. Where every attribute matters alike, AERR itself is better: half of a
//! budget spent to find that out is lost.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent Sampling", ICML 2015.

use super::aerr::THEORY;
use super::budgeted::{Budgeted, Reads};
use super::design::Goal;
use super::pace::{Pace, Schedule};
use super::recipe::{Draws, Proportions, Recipe, Source, TwoPhase, recipe};
use crate::error::Result;
use crate::iterate::L2Ball;
use crate::learner::Grid;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, Rule, Steps, parameters};

parameters! {
    /// Parameters of two-phase DDAERR, and the learner itself.
    pub struct Ddaerr2p named "ddaerr-2p" {
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        money: Option<f64> = None, MONEY;
        radius: f64 = 2.0, RADIUS;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        phase1: f64 = 0.2, PHASE1;
        smoothing: f64 = 0.01, SMOOTHING;
        confidence: f64 = 0.05, CONFIDENCE;
        moment_norm: Option<f64> = None, MOMENT_NORM;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
        centre: Centre = Centre::Running, CENTRE;
        average: Average = Average::Tail, AVERAGE;
        intercept: bool = true, INTERCEPT;
        known_radius: f64 = 1.0, KNOWN_RADIUS;
        horizon: Option<u64> = None, HORIZON;
        truncate: Option<u64> = None, TRUNCATE;
        seed: u64 = 0, SEED;
    }
}

impl Budgeted for Ddaerr2p {
    type Iterate = L2Ball;
    const NAME: &'static str = "ddaerr-2p";
    const TITLE: &'static str = "DDAERR in two phases: the first learns the second moments from uniform draws";
    const SOURCE: &'static str = "C, algorithm 2, theorems 3.6 and 3.12";

    fn grid() -> Grid {
        Grid::new(&[("radius", &["0.5", "1", "2", "4"]), ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"])])
    }

    fn budget(&self) -> Option<u64> {
        self.budget
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let phases = TwoPhase {
            length: self.phase1,
            smoothing: self.smoothing,
            confidence: self.confidence,
            moment_norm: self.moment_norm,
        };
        let proportions = Proportions::Optimal(Source::FirstPhase(phases));
        Ok(recipe! {
            self,
            money: self.money,
            draws: Draws::weighted(reads, Goal::Sum, self.replacement, proportions, self.inner),
            loss: Loss::HalfSquare,
            pace: Pace { rule: self.step, horizon: self.horizon, schedule: Schedule::projected(self.steps), theory: THEORY },
            average_before_step: true,
        })
    }
}
