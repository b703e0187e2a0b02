//! Learns by two-phase DDAELR: the reads of a first phase tell which attributes the second should read.
//!
//! As two-phase DDAERR, with AELR in the first phase and q_i in proportion to A_i + c d log(2d/delta)/n1 (no root).
//!
//! Guarantee (Kukliansky and Shamir 2015, section 4; c = 4/3): with probability 1 - delta max_i mu_i/q_i is at most twice the sum of
//! the smoothed moments, and at most 3d; the second phase's excess is that of DDAELR with this in the place of |mu|_1, once
//! m1 (k - 1) >= d^2 log(2d/delta) / |mu|_1. Knowing |mu|_1 beforehand would not help: it is one average.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent Sampling", ICML 2015.

use super::aelr::THEORY;
use super::budgeted::{Budgeted, Reads};
use super::design::Goal;
use super::pace::{Pace, Schedule};
use super::recipe::{Draws, Proportions, Recipe, Source, TwoPhase, recipe};
use crate::error::Result;
use crate::iterate::Entropic;
use crate::learner::Grid;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, Rule, parameters};

parameters! {
    /// Parameters of two-phase DDAELR, and the learner itself.
    pub struct Ddaelr2p named "ddaelr-2p" {
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        money: Option<f64> = None, MONEY;
        radius: f64 = 8.0, RADIUS;
        step: Rule = Rule::Theory(5.6), STEP;
        phase1: f64 = 0.2, PHASE1;
        smoothing: f64 = 0.01, SMOOTHING;
        confidence: f64 = 0.05, CONFIDENCE;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
        centre: Centre = Centre::Running, CENTRE;
        average: Average = Average::All, AVERAGE;
        intercept: bool = true, INTERCEPT;
        known_radius: f64 = 1.0, KNOWN_RADIUS;
        horizon: Option<u64> = None, HORIZON;
        truncate: Option<u64> = None, TRUNCATE;
        seed: u64 = 0, SEED;
    }
}

impl Budgeted for Ddaelr2p {
    type Iterate = Entropic;
    const NAME: &'static str = "ddaelr-2p";
    const TITLE: &'static str = "DDAELR in two phases: the first learns the second moments from uniform draws";
    const SOURCE: &'static str = "C 4, algorithm 2";

    fn grid() -> Grid {
        Grid::new(&[("radius", &["4", "8", "16", "32"]), ("step", &["1.8x", "3.2x", "5.6x", "10x", "18x"])])
    }

    fn budget(&self) -> Option<u64> {
        self.budget
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let phases =
            TwoPhase { length: self.phase1, smoothing: self.smoothing, confidence: self.confidence, moment_norm: None };
        let proportions = Proportions::Optimal(Source::FirstPhase(phases));
        Ok(recipe! {
            self,
            money: self.money,
            draws: Draws::weighted(reads, Goal::Largest, self.replacement, proportions, self.inner),
            loss: Loss::HalfSquare,
            pace: Pace { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory: THEORY },
            average_before_step: true,
        })
    }
}
