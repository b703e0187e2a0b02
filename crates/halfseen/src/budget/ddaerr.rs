//! Learns by Data-Dependent AERR (DDAERR): reads attributes in proportion to the root of their second moments.
//!
//! GAERR with the probabilities that are best for the second moments mu_i = E x_i^2 about the centre: q_i = sqrt(mu_i) / sum_j sqrt(mu_j).
//! The moments are declared, measured where the learner may look, or (`moments = online`) estimated from the reads
//! as they come, each time the answers have become four times as many, with a share of uniform draws mixed in.
//!
//! Guarantee (Kukliansky and Shamir 2015, section 3.2, from w = 0): expected excess at most B G / sqrt(m),
//! G^2 = (B R + Y)^2 (H/(k - 1) + R^2), H = (sum_i sqrt(mu_i))^2: H is at most d R^2, which AERR has, and far less where few
//! attributes carry most of |x|. None for `online` moments. It gains where the weights that matter sit on attributes
//! with large moments; where they are spread evenly over all attributes AERR is as good or better.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent Sampling", ICML 2015.

use super::aerr::THEORY;
use super::budgeted::{Budgeted, Reads};
use super::design::Goal;
use super::pace::{Pace, Schedule};
use super::recipe::{Draws, Proportions, Recipe, Source, recipe};
use crate::error::Result;
use crate::iterate::L2Ball;
use crate::learner::Grid;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, MomentSource, Rule, Steps, parameters};

parameters! {
    /// Parameters of DDAERR, and the learner itself.
    pub struct Ddaerr named "ddaerr" {
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        money: Option<f64> = None, MONEY;
        radius: f64 = 2.0, RADIUS;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        moments: MomentSource = MomentSource::Auto, MOMENTS;
        exploration: f64 = 0.2, EXPLORATION;
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

impl Budgeted for Ddaerr {
    type Iterate = L2Ball;
    const NAME: &'static str = "ddaerr";
    const TITLE: &'static str = "Data-Dependent AERR: k reads per example, drawn by second moments, Euclidean ball";
    const SOURCE: &'static str = "C 3.2";

    fn grid() -> Grid {
        Grid::new(&[("radius", &["0.5", "1", "2", "4"]), ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"])])
    }

    fn budget(&self) -> Option<u64> {
        self.budget
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let moments = Source::of(&self.moments, self.exploration);
        let proportions = Proportions::Optimal(moments);
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
