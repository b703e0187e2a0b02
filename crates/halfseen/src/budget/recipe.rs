//! Describes a budgeted gradient learner: the row of the table that it is.

use super::allowance::Reads;
use super::design::DesignCriterion;
use super::step_size::StepSchedule;
use crate::loss::Loss;
use crate::params::{Average, Centre, Inner, MomentSource, Passive};
use halfseen_solve::iterate::Shape;

/// What tells one budgeted gradient learner from another.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The learner's name.
    pub name: &'static str,
    /// Its parameters: part of the fingerprint, and of the saved state.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// The reads in all that a fit may make; `None`: no limit.
    pub total_budget: Option<u64>,
    /// What one example's reads may cost, at the prices that the layout declares; `None`: no limit.
    pub max_cost: Option<f64>,
    /// The attributes with the largest weights that a model keeps; `None`: all.
    pub truncate: Option<u64>,
    /// Radius of the iterate.
    pub radius: f64,
    /// What else its geometry has.
    pub shape: Shape,
    /// Radius of the known block.
    pub known_radius: f64,
    /// Whether the known block has an intercept.
    pub intercept: bool,
    /// How panels are drawn; `None` if the budget allows every panel, or nothing is chosen.
    pub draws: Option<Draws>,
    /// Whether what happens to be observed is learned from, instead.
    pub passive: Passive,
    /// The loss.
    pub loss: Loss,
    /// Step sizes.
    pub pace: StepSchedule,
    /// What is subtracted from attributes.
    pub centre: Centre,
    /// Which iterates are averaged.
    pub average: Average,
    /// Whether the iterates before (papers B, C) or after (paper A) each step are averaged.
    pub average_before_step: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// How the reads of one example are drawn.
#[derive(Debug, Clone)]
pub struct Draws {
    /// Number of panels to draw from.
    pub panels: usize,
    /// Draws for the gradient.
    pub gradient: usize,
    /// Draws for the product.
    pub products: usize,
    /// Whether one example's gradient can draw a panel twice.
    pub replacement: bool,
    /// What the draws are to make small.
    pub goal: DesignCriterion,
    /// In what proportions the gradient's panels are drawn.
    pub proportions: Proportions,
    /// In what proportions the product's are; the second moments come from `proportions`.
    pub inner: Inner,
}

impl Draws {
    /// All panels alike for the gradient, and the product by the weights; `None` if the budget
    /// allows every panel.
    pub fn uniform(
        reads: Reads,
        goal: DesignCriterion,
        products: usize,
        replacement: bool,
    ) -> Option<Draws> {
        let gradient = reads.budget.saturating_sub(products);
        let (proportions, inner) = (Proportions::Uniform, Inner::Weights);
        let draws = Draws {
            panels: reads.panels,
            gradient,
            products,
            replacement,
            goal,
            proportions,
            inner,
        };
        (!reads.all()).then_some(draws)
    }

    /// The gradient's panels in these proportions, and one read for the product; `None` if the
    /// budget allows every panel.
    pub fn weighted(
        reads: Reads,
        goal: DesignCriterion,
        replacement: bool,
        proportions: Proportions,
        inner: Inner,
    ) -> Option<Draws> {
        Draws::uniform(reads, goal, 1, replacement).map(|draws| Draws {
            proportions,
            inner,
            ..draws
        })
    }
}

impl Source {
    /// What the parameter `moments` says, with those that belong to it.
    pub fn of(moments: &MomentSource, exploration: f64, phases: TwoPhase) -> Source {
        match moments {
            MomentSource::Auto => Source::Auto(exploration),
            MomentSource::Online => Source::Online(exploration),
            MomentSource::TwoPhase => Source::FirstPhase(phases),
            MomentSource::Numbers(numbers) => Source::Given(numbers.clone()),
        }
    }
}

/// In what proportions the gradient's panels are drawn.
#[derive(Debug, Clone)]
pub enum Proportions {
    /// All alike.
    Uniform,
    /// These, one per panel.
    Declared(Vec<f64>),
    /// Those that are best for second moments from here.
    Optimal(Source),
}

/// Where second moments come from.
#[derive(Debug, Clone)]
pub enum Source {
    /// One per column.
    Given(Vec<f64>),
    /// Those that the data declare or show; where they do neither, as [`Source::Online`] with this
    /// share.
    Auto(f64),
    /// The reads as they come, with this share of uniform draws.
    Online(f64),
    /// The reads of a first phase with uniform draws.
    FirstPhase(TwoPhase),
}

/// What two phases need to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoPhase {
    /// A share of the horizon below 1, or a number of examples.
    pub length: f64,
    /// c.
    pub smoothing: f64,
    /// delta.
    pub confidence: f64,
    /// H, where it is known beforehand.
    pub moment_norm: Option<f64>,
}

/// Writes a recipe: what every learner's parameters say alike, and the fields that tell it from
/// others.
macro_rules! recipe {
    ($learner:expr, $($field:ident: $value:expr,)*) => {
        $crate::budget::Recipe {
            name: Self::NAME,
            params: $crate::params::Parameters::to_json($learner),
            total_budget: $learner.total_budget,
            truncate: $learner.truncate,
            radius: $learner.radius,
            shape: ::halfseen_solve::iterate::Shape::default(),
            passive: $crate::params::Passive::No,
            known_radius: $learner.known_radius,
            intercept: $learner.intercept,
            centre: $learner.centre,
            average: $learner.average,
            seed: $learner.seed,
            $($field: $value,)*
        }
    };
}
pub(super) use recipe;
