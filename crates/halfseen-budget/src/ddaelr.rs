//! Learns by Data-Dependent AELR (DDAELR), which reads attributes with probability proportional to
//! their second moment.
//!
//! It is AELR with the optimal probabilities for the second moments mu_i = E x_i^2 about the
//! centre: q_i = mu_i / sum_j mu_j. The moments come from the same sources as in DDAERR; in two
//! phases (`moments = two-phase`) q_i is proportional to A_i + c d log(2d/delta)/n1 (no root).
//!
//! Guarantee (Kukliansky and Shamir 2015, section 4): if |x_j| <= X and |y| <= Y for every example,
//! and the moments are those of the distribution, the expected excess is at most 2 B G sqrt(5
//! log(2d) / m), G^2 = (B X + Y)^2 (|mu|_1/(k - 1) + max_j mu_j), for m >= log 2d. |mu|_1 = E
//! |x|_2^2 replaces AELR's d X^2. The guarantee covers neither `online` moments nor `step =
//! theory`, which replaces X and Y by root mean squares (see AERR).
//!
//! Guarantee of two phases (section 4; c = 4/3): if |x_j| <= 1 and |y| <= Y for every example, with
//! probability 1 - delta max_i mu_i/q_i is at most twice the sum of the smoothed moments, and at
//! most 3d. The excess of a second phase from w = 0 is bounded as above with this in place of
//! |mu|_1, and is of the same order once m1 (k - 1) >= d^2 log(2d/delta) / |mu|_1. Knowing |mu|_1
//! beforehand would not help, because it is a single average.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
//! Sampling", ICML 2015.

use super::aelr::{Aelr, THEORY};
use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{DrawMoments, Draws, Proportions, Recipe, TwoPhase, recipe};
use super::descent::step_size::{Schedule, StepSchedule};
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Inner, MomentSource, Rule};
use halfseen_solve::iterate::Entropic;

gradient_learner! {
    /// Parameters of DDAELR, and the learner itself.
    pub struct Ddaelr {
        name: "ddaelr",
        title: "Data-Dependent AELR: k reads per example, drawn by second moments, l1 ball",
        source: "Kukliansky and Shamir 2015, section 4; in two phases algorithm 2";
        radius: 8.0, average: All;
        step: Rule = Rule::Theory(5.6), STEP;
        moments: MomentSource = MomentSource::Auto, MOMENTS;
        phase1: f64 = crate::plan::SHARE, PHASE1;
        smoothing: f64 = 0.01, SMOOTHING;
        confidence: f64 = crate::plan::CONFIDENCE, CONFIDENCE;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
    }
}

impl Budgeted for Ddaelr {
    type Iterate = Entropic;

    fn grid() -> Grid {
        Aelr::grid()
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let phases = TwoPhase {
            length: self.phase1,
            smoothing: self.smoothing,
            confidence: self.confidence,
            moment_norm: None,
        };
        let moments = DrawMoments::of(&self.moments, phases);
        let proportions = Proportions::Optimal(moments);
        Ok(recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::weighted(reads, DesignCriterion::MaxVariance, self.replacement, proportions, self.inner),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory: THEORY },
            average_before_step: true,
        })
    }
}
