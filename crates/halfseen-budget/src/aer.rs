//! Learns by Attribute Efficient Regression (AER): Cesa-Bianchi, Shalev-Shwartz and Shamir 2010,
//! algorithm 2.
//!
//! Minimises (lambda/2) |w|_2^2 + E (<w,x> - y)^2 over |w|_1 <= B from k reads per example. s1 =
//! floor(k/2) reads, drawn without replacement, estimate the example by x~. The other s2 = k - s1
//! estimate the product: each draws i with probability proportional to |w_i| and gives sgn(w_i)
//! |w|_1 x_i. The step is w <- Proj((1 - 1/t) w - (2/(lambda t))(yhat - y) x~). Returns the average
//! of the iterates after each step.
//!
//! Guarantee (theorem 2; the paper prints lambda |w|^2 but steps for lambda/2): if |x_j| <= X and
//! |y| <= Y for every example, the expected excess is at most 2 G B sqrt((1 + ln m)/m) with G^2 = 4
//! (B X + Y)^2 R^2 d/s1, R^2 = E |x|_2^2, for lambda = 2 G sqrt((1 + ln m)/m) / B. `penalty =
//! theory` replaces X^2 by max_j E x_j^2 and Y^2 by E y^2, which no theorem covers (see AERR). Half
//! of the k reads estimate the product and lower its variance, so for large k AER is ahead of AERR,
//! which spends one read on it. The report's `risk` is that of w_1 to w_m, at which the products
//! were read; the average is that of w_2 to w_(m+1).
//!
//! N. Cesa-Bianchi, S. Shalev-Shwartz and O. Shamir, "Efficient Learning with Partially Observed
//! Attributes", ICML 2010.

use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{Draws, Recipe, recipe};
use super::descent::step_size::{DataNorms, Schedule, StepSchedule, TheoryStep};
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::Rule;
use halfseen_solve::iterate::L1Ball;

gradient_learner! {
    /// Parameters of AER, and the learner itself.
    pub struct Aer {
        name: "aer",
        title: "Attribute Efficient Regression: k reads per example, l1 ball, strongly convex steps",
        source: "Cesa-Bianchi et al. 2010, algorithm 2, theorem 2";
        radius: 8.0, average: Tail;
        penalty: Rule = Rule::Theory(1.0), PENALTY;
    }
}

/// Step of theorem 2 for the norms of the data.
const THEORY: TheoryStep = TheoryStep { reach, value: penalty };

fn reach(facts: &DataNorms) -> f64 {
    facts.radius * facts.norms.largest.sqrt()
}

/// Returns lambda = 2 G sqrt((1 + ln m)/m) / B.
fn penalty(facts: &DataNorms) -> f64 {
    let slope = 2.0 * (reach(facts) + facts.norms.target.sqrt());
    let example = facts.norms.drawn_square.sqrt();
    2.0 * slope * example * ((1.0 + facts.examples.ln()) / facts.examples).sqrt() / facts.radius
}

impl Budgeted for Aer {
    type Iterate = L1Ball;

    fn grid() -> Grid {
        Grid::new(&[
            ("radius", &["2", "4", "8", "16"]),
            ("penalty", &["0.1x", "0.18x", "0.32x", "0.56x", "1x"]),
        ])
    }

    fn recipe(&self, reads: Reads) -> Result<Recipe> {
        reads.at_least(2, Self::NAME)?;
        Ok(recipe! {
            self,
            max_cost: self.max_cost,
            draws: Draws::uniform(reads, DesignCriterion::TotalVariance, reads.budget.div_ceil(2), false),
            loss: Loss::Square,
            pace: StepSchedule {
                rule: self.penalty,
                horizon: self.horizon,
                schedule: Schedule::StronglyConvex,
                theory: THEORY,
            },
            average_before_step: false,
        })
    }
}
