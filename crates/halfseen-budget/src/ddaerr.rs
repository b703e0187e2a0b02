//! Learns by Data-Dependent AERR (DDAERR), which reads attributes with probability proportional to
//! the root of their second moment.
//!
//! It is GAERR with the optimal probabilities for the second moments mu_i = E x_i^2 about the
//! centre: q_i = sqrt(mu_i) / sum_j sqrt(mu_j). The moments are declared, measured if the learner
//! may look at the data, or (`moments = online`) estimated from the reads so far, each time the
//! number of answers has doubled, with a share of uniform draws mixed in.
//!
//! Guarantee (Kukliansky and Shamir 2015, section 3.2, from w = 0): if |x|_2 <= R and |y| <= Y for
//! every example, and the moments are those of the distribution, the expected excess is at most B G
//! / sqrt(m), G^2 = (B R + Y)^2 (H/(k - 1) + E |x|^2), H = (sum_i sqrt(mu_i))^2. AERR has d E |x|^2
//! in place of H; H is never larger, and far smaller if few attributes carry most of |x|. The
//! guarantee covers neither `online` moments nor `step = theory`, which replaces R and Y by root
//! mean squares (see AERR). With equal moments it is AERR.
//!
//! It gains if few attributes carry most of |x|, and most if these also carry w*.
//!
//! **In two phases** (`moments = two-phase`): the first m1 examples are read as in AERR and learned
//! from, and the values of the gradient's reads estimate the second moments. Then q_i is
//! proportional to sqrt(A_i + c d log(2d/delta)/n1), learning continues from the current weights,
//! and the step is that for the remaining m - m1 examples. Returns an average of the second phase's
//! iterates.
//!
//! Guarantee of two phases (theorem 3.6 if `moment_norm` is given, else 3.12; c = 4/3): if |x|_2 <=
//! R and |y| <= Y for every example, with probability 1 - delta the second phase's excess is at
//! most a constant times AERR's. It falls below AERR's once m1 (k - 1) >= d H log(2d/delta) (d^2
//! log(2d/delta) if H is not given), and is of the order of the bound above once m1 (k - 1) >= d^3
//! log(2d/delta) / H; see `plan/phases.rs`. `step = theory` is not covered, as in AERR. With
//! `max_cost` the draws are not those of the theorem, and the step uses the moments of the actual
//! draws. A smaller c is often better: 4/3 leaves the probabilities almost equal if n1 is less than
//! d log d times a few hundred.
//!
//! With equal moments the excess is about AERR's. With c = 4/3 a short first phase gains nothing,
//! nor would a second phase that starts from w = 0.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
//! Sampling", ICML 2015.

use super::aerr::{Aerr, THEORY};
use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{DrawMoments, Draws, Proportions, Recipe, TwoPhase, recipe};
use super::descent::step_size::{Schedule, StepSchedule};
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Inner, MomentSource, Rule, Steps};
use halfseen_solve::iterate::L2Ball;

gradient_learner! {
    /// Parameters of DDAERR, and the learner itself.
    pub struct Ddaerr {
        name: "ddaerr",
        title: "Data-Dependent AERR: k reads per example, drawn by second moments, Euclidean ball",
        source: "Kukliansky and Shamir 2015, section 3.2; in two phases algorithm 2, theorems 3.6 and 3.12";
        radius: 2.0, average: Tail;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        moments: MomentSource = MomentSource::Auto, MOMENTS;
        phase1: f64 = crate::plan::SHARE, PHASE1;
        smoothing: f64 = 0.01, SMOOTHING;
        confidence: f64 = crate::plan::CONFIDENCE, CONFIDENCE;
        moment_norm: Option<f64> = None, MOMENT_NORM;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
    }
}

impl Budgeted for Ddaerr {
    type Iterate = L2Ball;

    fn grid() -> Grid {
        Aerr::grid()
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let phases = TwoPhase {
            length: self.phase1,
            smoothing: self.smoothing,
            confidence: self.confidence,
            moment_norm: self.moment_norm,
        };
        let moments = DrawMoments::of(&self.moments, phases);
        let proportions = Proportions::Optimal(moments);
        Ok(recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::weighted(reads, DesignCriterion::TotalVariance, self.replacement, proportions, self.inner),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::projected(self.steps), theory: THEORY },
            average_before_step: true,
        })
    }
}
