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
//! Measured with mu_i ~ i^-2 (500 attributes, 4 reads of each of 20,000 examples, mean of 20 seeds,
//! each at its best step): the excess is 0.20 of AERR's if w*_i ~ sqrt(mu_i) or w* uses the first
//! attribute alone, and 0.38 if w* is spread over all attributes. It gains if few attributes carry
//! most of |x|, and most if these also carry w*.
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
//! log(2d/delta) / H; see `two_phase.rs`. `step = theory` is not covered, as in AERR. With
//! `max_cost` the draws are not those of the theorem, and the step uses the moments of the actual
//! draws. A smaller c is often better: 4/3 leaves the probabilities almost equal if n1 is less than
//! d log d times a few hundred.
//!
//! Measured as above, with `phase1 = 0.2`: the excess is 0.44 (c = 4/3), 0.34 (0.01) or 0.22
//! (0.001) of AERR's if w*_i ~ sqrt(mu_i), and 0.88, 0.66 or 0.57 if w* is spread over all
//! attributes. With equal moments it is 0.86 to 1.07, about AERR's. With c = 4/3 and a first phase
//! as short as 0.1 it is equal or worse, and likewise if the second phase started from w = 0.
//!
//! D. Kukliansky and O. Shamir, "Attribute Efficient Linear Regression with Distribution-Dependent
//! Sampling", ICML 2015.

use super::aerr::{Aerr, THEORY};
use super::allowance::Reads;
use super::budgeted::Budgeted;
use super::design::DesignCriterion;
use super::gaerr::inflation;
use super::recipe::{Draws, Proportions, Recipe, Source, TwoPhase, recipe};
use super::step_size::{Schedule, StepSchedule};
use super::two_phase::{Phases, most_estimated, ridge_given, ridge_safe};
use crate::error::Result;
use crate::learner::Grid;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, MomentSource, Rule, Steps, parameters};
use crate::plan::{Bound, Excess, Guarantee, Printed, Setting, Tuning};
use halfseen_solve::iterate::L2Ball;

parameters! {
    /// Parameters of DDAERR, and the learner itself.
    pub struct Ddaerr {
        name: "ddaerr", family: Budget,
        title: "Data-Dependent AERR: k reads per example, drawn by second moments, Euclidean ball",
        source: "Kukliansky and Shamir 2015, section 3.2; in two phases algorithm 2, theorems 3.6 and 3.12";
        budget: Option<u64> = None, BUDGET;
        total_budget: Option<u64> = None, TOTAL_BUDGET;
        total_cost: Option<f64> = None, TOTAL_COST;
        max_cost: Option<f64> = None, MAX_COST;
        radius: f64 = 2.0, RADIUS;
        step: Rule = Rule::Theory(1.8), STEP;
        steps: Steps = Steps::Constant, STEPS;
        moments: MomentSource = MomentSource::Auto, MOMENTS;
        phase1: f64 = crate::plan::SHARE, PHASE1;
        smoothing: f64 = 0.01, SMOOTHING;
        confidence: f64 = crate::plan::CONFIDENCE, CONFIDENCE;
        moment_norm: Option<f64> = None, MOMENT_NORM;
        inner: Inner = Inner::Weights, INNER;
        replacement: bool = false, REPLACEMENT;
        centre: Centre = Centre::Running, CENTRE;
        average: Average = Average::Tail, AVERAGE;
        truncate: Option<u64> = None, TRUNCATE;
        intercept: bool = true, INTERCEPT;
        horizon: Option<u64> = None, HORIZON;
        seed: u64 = 0, SEED;
    }
}

/// Returns theorem 3.5: GAERR with S = |mu|_{1/2} = H, so the excess of half the squared error is
/// at most 2 B^2 sqrt((H/k + 1) / m) from w = 0.
///
/// H <= d, and H = d only if all moments are equal; without moments H = d is used.
pub(super) fn guarantee(setting: &Setting) -> Guarantee {
    let (b, half_norm) = (setting.ridge_radius(), setting.half_norm());
    let (growth, squared) = (inflation(setting, half_norm), setting.norm * setting.norm);
    let root = move |m: u64| (growth / m as f64).sqrt();
    let draws = setting.draws();
    let mut bound = Bound::new(
        if setting.reads_all() { "4 B^2 / sqrt(m)" } else { "4 B^2 sqrt((H/k + 1) / m)" },
        move |m| 4.0 * b * b * root(m),
        Printed::new("4 B^2 sqrt((H/k + 1) / m)", move |m| 4.0 * b * b * root(m)),
        Tuning::new("step", move |m| 1.0 / (2.0 * squared * (growth * m as f64).sqrt())),
    )
    .with_constants(move |_| vec![("H", half_norm), ("k", draws)]);
    bound.note = "from any w; w = 0 halves it";
    Guarantee::ridge(
        setting,
        Ddaerr::NAME,
        "Kukliansky and Shamir 2015, theorem 3.5",
        Excess::Known(bound),
    )
}

/// Returns theorem 3.6, for a given |mu|_{1/2}.
pub(super) fn given(setting: &Setting) -> Guarantee {
    two_phases(setting, "Kukliansky and Shamir 2015, theorem 3.6 (moment_norm given)", ridge_given)
}

/// Returns theorem 3.12, for an estimated |mu|_{1/2}.
pub(super) fn estimated(setting: &Setting) -> Guarantee {
    two_phases(
        setting,
        "Kukliansky and Shamir 2015, theorem 3.12 (moment_norm estimated)",
        most_estimated,
    )
}

/// Returns the guarantee of two phases, for |x|_2 <= 1 and |y| <= B.
///
/// The smallest bound on S gives G^2 = 4 B^2 (S/k + 1) and the step 2 B / (G sqrt(m2)). The second
/// phase may start anywhere in the ball (it starts from the first phase's w), so the excess of half
/// the squared error is at most 2 B G / sqrt(m2). The constants are derived here because our copy
/// of the paper has lost them.
fn two_phases(
    setting: &Setting,
    theorem: &'static str,
    adaptive: fn(f64, f64, f64) -> f64,
) -> Guarantee {
    let (b, squared) = (setting.ridge_radius(), setting.norm * setting.norm);
    let spread = {
        let (d, half_norm) = (setting.d(), setting.half_norm());
        move |phases: &Phases| {
            ridge_safe(d, phases.ridge_sum(), 1.0).min(adaptive(half_norm, phases.eps(), d))
        }
    };
    let phases = {
        let setting = setting.clone();
        move |examples| Phases::of(&setting, examples)
    };
    // S/k + 1, and m2.
    let growth = {
        let (phases, spread, setting) = (phases.clone(), spread, setting.clone());
        move |examples| phases(examples).map(|p| (inflation(&setting, spread(&p)), p.second))
    };
    let half = {
        let growth = growth.clone();
        move |examples| {
            growth(examples)
                .map_or(f64::INFINITY, |(growth, m2)| 4.0 * b * b * (growth / m2).sqrt())
        }
    };
    let printed = half.clone();
    let mut bound = Bound::new(
        if setting.reads_all() { "8 B^2 / sqrt(m2)" } else { "8 B^2 sqrt((S/k + 1) / m2)" },
        move |m| 2.0 * half(m),
        Printed::new("4 B^2 sqrt((S/k + 1) / m2)", printed),
        Tuning::new("step", move |m| {
            growth(m).map_or(0.0, |(growth, m2)| 1.0 / (squared * (growth * m2).sqrt()))
        }),
    )
    .with_constants({
        let (half_norm, draws) = (setting.half_norm(), setting.draws());
        move |m| {
            let known = [("H", half_norm), ("k", draws)];
            let found = phases(m).map(|p| [("S", spread(&p)), ("m1", p.first), ("m2", p.second)]);
            known.into_iter().chain(found.into_iter().flatten()).collect()
        }
    });
    bound.note = "smoothing 4/3; draws of phase 1 without replacement";
    bound.probability = Some(1.0 - setting.confidence);
    Guarantee::ridge(setting, "ddaerr-2p", theorem, Excess::Known(bound))
}

impl Budgeted for Ddaerr {
    type Iterate = L2Ball;

    fn grid() -> Grid {
        Aerr::grid()
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
        let moments = Source::of(&self.moments, phases);
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
