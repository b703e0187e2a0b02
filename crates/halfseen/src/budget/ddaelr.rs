//! Learns by Data-Dependent AELR (DDAELR): reads attributes in proportion to their second moments.
//!
//! AELR with the probabilities that are best for the second moments mu_i = E x_i^2 about the
//! centre: q_i = mu_i / sum_j mu_j. Where the moments come from: as in DDAERR.
//!
//! Guarantee (Kukliansky and Shamir 2015, section 4): where |x_j| <= X and |y| <= Y for every
//! example, and the moments are those of the distribution, expected excess at most 2 B G sqrt(5
//! log(2d) / m), G^2 = (B X + Y)^2 (|mu|_1/(k - 1) + max_j mu_j), for m >= log 2d: |mu|_1 =
//! E |x|_2^2 stands where AELR has d X^2. None for `online` moments, nor for `step = theory`, which
//! puts root mean squares in the place of X and Y, see AERR.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
//! Sampling", ICML 2015.

use super::aelr::{Aelr, THEORY};
use super::allowance::Reads;
use super::budgeted::Budgeted;
use super::design::DesignCriterion;
use super::gaerr::inflation;
use super::recipe::{Draws, Proportions, Recipe, Source, recipe};
use super::step_size::{Schedule, StepSchedule};
use crate::error::Result;
use crate::learner::Grid;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, MomentSource, Rule, parameters};
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning, half_excess, planned_step};
use halfseen_solve::iterate::Entropic;

parameters! {
    /// Parameters of DDAELR, and the learner itself.
    pub struct Ddaelr {
        name: "ddaelr", family: Budget,
        title: "Data-Dependent AELR: k reads per example, drawn by second moments, l1 ball",
        source: "C 4";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        money: Option<f64> = None, MONEY;
        radius: f64 = 8.0, RADIUS;
        step: Rule = Rule::Theory(5.6), STEP;
        moments: MomentSource = MomentSource::Auto, MOMENTS;
        exploration: f64 = 0.3, EXPLORATION;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
        centre: Centre = Centre::Running, CENTRE;
        average: Average = Average::All, AVERAGE;
        truncate: Option<u64> = None, TRUNCATE;
        intercept: bool = true, INTERCEPT;
        known_radius: f64 = 1.0, KNOWN_RADIUS;
        horizon: Option<u64> = None, HORIZON;
        seed: u64 = 0, SEED;
    }
}

/// The theorem for known moments: M = |mu|_1 = N, so half the squared error exceeds by at most 4
/// B^2 sqrt(5 log(2d) (N/k + 1) / m) for m >= log 2d. N <= d; without moments N = d is taken.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let sum = setting.moment_sum();
    let growth = inflation(setting, sum);
    let [for_excess, for_print, for_step] = [0; 3].map(|_| setting.clone());
    let draws = setting.draws();
    let bound = Bound::new(
        if setting.reads_all() {
            "8 B^2 sqrt(5 log(2d) / m)"
        } else {
            "8 B^2 sqrt(5 log(2d) (N/k + 1) / m)"
        },
        move |m| 2.0 * half_excess(&for_excess, growth, m as f64),
        Printed::new("4 B^2 sqrt(5 log(2d) (N/k + 1) / m)", move |m| {
            half_excess(&for_print, growth, m as f64)
        }),
        Tuning::new("step", move |m| planned_step(&for_step, growth, m as f64)),
    )
    .with_constants(move |_| vec![("N", sum), ("k", draws)]);
    Guarantee::lasso(setting, Ddaelr::NAME, "C, section 4, known moments", Excess::Known(bound))
}

impl Budgeted for Ddaelr {
    type Iterate = Entropic;

    fn grid() -> Grid {
        Aelr::grid()
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
            draws: Draws::weighted(reads, DesignCriterion::MaxVariance, self.replacement, proportions, self.inner),
            loss: Loss::HalfSquare,
            pace: StepSchedule { rule: self.step, horizon: self.horizon, schedule: Schedule::Projected, theory: THEORY },
            average_before_step: true,
        })
    }
}
