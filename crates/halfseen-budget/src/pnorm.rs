//! Learns by p-norm updates, between gradient descent (p = 2) and exponentiated gradient (p = 2 ln
//! d).
//!
//! Cesa-Bianchi, Shalev-Shwartz and Shamir 2010, section 5, name additive algorithms as an
//! extension of theirs. The reads are AERR's: k - 1 estimate the example by x~, one estimates the
//! product. The step is theta <- theta - eta phi x~, and w is the gradient of |theta|_p^2 / 2; j is
//! drawn with probability share_j proportional to |theta_j|^p, and phi = w_j x_j / share_j - y.
//! Returns an average of the iterates before each step. p = 2 is AERR before its projection.
//!
//! Guarantee, if w stays in |w|_q <= B, 1/p + 1/q = 1 (`project = true` enforces this): expected
//! excess at most B G sqrt((p - 1)/m) for eta = B / (G sqrt((p - 1) m)) and G^2 >= E |phi x~|_p^2
//! (Gentile 2003, theorem 1; Cesa-Bianchi and Lugosi 2006, theorem 11.2). E phi^2 <= (|w|_q |x|_p +
//! |y|)^2 by Hoelder, see `iterate/p_norm.rs`. With |v|_p <= |v|_2^(2/p) |v|_inf^(1 - 2/p), bounds
//! L on x_j^2, R on |x|_2 and Y on |y| that hold for every example, and the coefficient a of a
//! read, G^2 = (B X + Y)^2 V, X^2 = R^(4/p) L^(1 - 2/p), V = min(D, D^(2/p) (a^2 L)^(1 - 2/p)), D =
//! E |x~|_2^2. `step = theory` replaces L, R^2 and Y^2 by max_j E x_j^2, E |x|_2^2 and E y^2, which
//! no theorem covers (see AERR).
//!
//! A vector with a few large entries, such as x~, has about the same length in every norm, so V
//! hardly decreases with p. But if steps are short relative to |theta|_p, the proof's |g|_p^2
//! bounds sum_j g_j^2 (|theta_j| / |theta|_p)^(p - 2), whose mean is at most (sum_j (E
//! g_j^2)^(p/2))^(2/p). Therefore the theory step uses V = D^(2/p) M^(1 - 2/p), M = max_j E x~_j^2.
//! It is up to a^(1/2 - 1/p) times the proven step, longer for larger p and fewer reads. For p = 2
//! all of this is AERR's theorem 3.1.
//!
//! C. Gentile, "The Robustness of the p-Norm Algorithms", Machine Learning 53, 2003. N.
//! Cesa-Bianchi and G. Lugosi, "Prediction, Learning, and Games", 2006.

use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{Draws, Recipe, recipe};
use super::descent::step_size::{DataNorms, Schedule, StepSchedule, TheoryStep};
use crate::plan::euclidean_eta;
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::Rule;
use halfseen_solve::iterate::{PNormIterate, Shape};

gradient_learner! {
    /// Parameters of the p-norm learner, and the learner itself.
    pub struct PNormRegression {
        name: "pnorm",
        title: "p-norm updates: k reads per example, between AERR and AELR",
        source: "Cesa-Bianchi et al. 2010, section 5; Gentile 2003";
        radius: 4.0, average: Tail;
        step: Rule = Rule::Theory(3.2), STEP;
        power: Option<f64> = Some(4.0), POWER;
        project: bool = false, PROJECT;
        replacement: bool = false, REPLACEMENT;
    }
}

/// Step of the p-norm bound for the norms of the data, with those of x~ entry by entry. For p = 2
/// it is that of Hazan and Koren 2012, theorem 3.1.
const THEORY: TheoryStep = TheoryStep { reach, value: step };

/// Returns an upper bound on |v|_p^2 for |v|_2^2 = `square` and |v|_inf^2 = `largest`.
fn between(power: f64, square: f64, largest: f64) -> f64 {
    square.powf(2.0 / power) * largest.powf(1.0 - 2.0 / power)
}

/// Returns B X.
fn reach(facts: &DataNorms) -> f64 {
    facts.radius * between(facts.power, facts.norms.square, facts.norms.largest).sqrt()
}

/// Returns eta = B / (G sqrt((p - 1) m)).
fn step(facts: &DataNorms) -> f64 {
    let norms = &facts.norms;
    let slope = reach(facts) + norms.target.sqrt();
    let example = between(facts.power, norms.drawn_square, norms.drawn_largest).sqrt();
    euclidean_eta(facts.radius, (facts.power - 1.0) * facts.examples, slope * example)
}

impl Budgeted for PNormRegression {
    type Iterate = PNormIterate;

    fn grid() -> Grid {
        Grid::new(&[
            ("p", &["2", "4", "auto"]),
            ("radius", &["2", "8"]),
            ("step", &["1x", "1.8x", "3.2x", "5.6x"]),
        ])
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        let recipe = recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::uniform(reads, DesignCriterion::TotalVariance, 1, self.replacement),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory: THEORY },
            average_before_step: true,
        };
        Ok(Recipe { shape: Shape { power: self.power, ball: self.project }, ..recipe })
    }
}
