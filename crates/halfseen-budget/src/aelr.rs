//! Learns by Attribute Efficient Lasso Regression (AELR): Hazan and Koren 2012, algorithm 2.
//!
//! Minimises E (<w,x> - y)^2 / 2 over |w|_1 <= B from k reads per example. k - 1 reads estimate the
//! example as in AERR. One read estimates the product: j is drawn with probability proportional to
//! |w_j|, and |w|_1 sgn(w_j) x_j has mean <w,x>. The step is normalised exponentiated gradient,
//! with each entry of the gradient clipped to 1/eta. Returns the average of the iterates before
//! each step.
//!
//! Guarantee (theorem 3.4): if |x_j| <= X and |y| <= Y for every example, the expected excess is at
//! most 2 B G sqrt(5 log(2d) / m) with G^2 = (B X + Y)^2 X^2 c and c as in AERR, for eta =
//! sqrt(log(2d) / 5m) / G and m >= log 2d. (The paper prints an eta that is a factor B smaller than
//! its proof's.) `step = theory` replaces X^2 by max_j E x_j^2 and Y^2 by E y^2, which no theorem
//! covers (see AERR).
//!
//! `passive`: as in AERR.
//!
//! E. Hazan and T. Koren, "Linear Regression with Limited Observation", ICML 2012.

use super::budgeted::{Budgeted, gradient_learner};
use super::descent::recipe::{Draws, Recipe, recipe};
use super::descent::step_size::{DataNorms, Schedule, StepSchedule, TheoryStep};
use crate::plan::entropic_eta;
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Passive, Rule};
use halfseen_solve::iterate::Entropic;

gradient_learner! {
    /// Parameters of AELR, and the learner itself.
    pub struct Aelr {
        name: "aelr",
        title: "Attribute Efficient Lasso Regression: k reads per example, l1 ball",
        source: "Hazan and Koren 2012, algorithm 2, theorem 3.4";
        radius: 8.0, average: All;
        step: Rule = Rule::Theory(5.6), STEP;
        passive: Passive = Passive::No, PASSIVE;
        replacement: bool = false, REPLACEMENT;
    }
}

/// Step of theorem 3.4 for the norms of the data.
pub(super) const THEORY: TheoryStep = TheoryStep { reach, value: step };

fn reach(facts: &DataNorms) -> f64 {
    facts.radius * facts.norms.largest.sqrt()
}

fn step(facts: &DataNorms) -> f64 {
    let slope = reach(facts) + facts.norms.target.sqrt();
    entropic_eta(facts.slots, facts.examples, slope * facts.norms.drawn_largest.sqrt())
}

impl Budgeted for Aelr {
    type Iterate = Entropic;

    fn grid() -> Grid {
        Grid::new(&[
            ("radius", &["4", "8", "16", "32"]),
            ("step", &["1.8x", "3.2x", "5.6x", "10x", "18x"]),
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
            draws: Draws::uniform(reads, DesignCriterion::MaxVariance, 1, self.replacement).filter(|_| !passive),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory: THEORY },
            average_before_step: true,
        };
        Ok(Recipe { passive: self.passive, ..recipe })
    }
}
