//! Describes a budgeted gradient learner as a configuration of [`Sgd`](crate::Sgd).

use super::step_size::StepSchedule;
use halfseen_core::asking::allowance::Reads;
use halfseen_core::asking::design::DesignCriterion;
use halfseen_core::loss::Loss;
use halfseen_core::params::{Average, Centre, Inner, MomentSource, Passive};
use halfseen_solve::iterate::Shape;

/// Configuration of a budgeted gradient learner.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// Name of the learner.
    pub name: &'static str,
    /// Its parameters, part of the fingerprint and of the saved state.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Maximum number of reads in total; `None`: no limit.
    pub total_budget: Option<u64>,
    /// Maximum cost of all reads; `None`: no limit.
    pub total_cost: Option<f64>,
    /// Maximum cost of one example's reads at the layout's prices; `None`: no limit.
    pub max_cost: Option<f64>,
    /// Number of attributes, those with the largest weights, that a model keeps; `None`: all.
    pub truncate: Option<u64>,
    /// Radius of the iterate.
    pub radius: f64,
    /// Further parameters of the iterate's geometry.
    pub shape: Shape,
    /// True if the known block has an intercept.
    pub intercept: bool,
    /// Draws of the panels; `None` if the budget allows every panel, or the learner is passive.
    pub draws: Option<Draws>,
    /// Mode of learning from the attributes that happen to be observed, instead of chosen ones.
    pub passive: Passive,
    /// Loss to minimise.
    pub loss: Loss,
    /// Step sizes.
    pub pace: StepSchedule,
    /// Centre subtracted from attributes.
    pub centre: Centre,
    /// Iterates that are averaged.
    pub average: Average,
    /// True if the iterates before each step are averaged (Hazan and Koren 2012, Kukliansky and
    /// Shamir 2015), false for those after it (Cesa-Bianchi et al. 2010).
    pub average_before_step: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// Distribution of the reads of one example.
#[derive(Debug, Clone)]
pub struct Draws {
    /// Number of panels to draw from.
    pub panels: usize,
    /// Number of draws for the gradient.
    pub gradient: usize,
    /// Number of draws for the product.
    pub products: usize,
    /// True if one example's gradient can draw a panel twice.
    pub replacement: bool,
    /// Criterion that the probabilities minimise.
    pub goal: DesignCriterion,
    /// Probabilities of the gradient's panels.
    pub proportions: Proportions,
    /// Probabilities of the product's panels; their second moments come from `proportions`.
    pub inner: Inner,
}

impl Draws {
    /// Returns uniform draws for the gradient, and draws by the weights for the product; `None` if
    /// the budget allows every panel.
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

    /// Returns draws by `proportions` for the gradient, and one draw for the product; `None` if the
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

impl DrawMoments {
    /// Returns the source that the parameter `moments` names, with its own parameters.
    pub fn of(moments: &MomentSource, phases: TwoPhase) -> DrawMoments {
        match moments {
            MomentSource::Auto => DrawMoments::Auto,
            MomentSource::Online => DrawMoments::Online,
            MomentSource::TwoPhase => DrawMoments::FirstPhase(phases),
            MomentSource::Numbers(numbers) => DrawMoments::Given(numbers.clone()),
        }
    }
}

/// Probabilities of the gradient's panels.
#[derive(Debug, Clone)]
pub enum Proportions {
    /// Equal probabilities.
    Uniform,
    /// Given, one per panel.
    Declared(Vec<f64>),
    /// Optimal for second moments from this source.
    Optimal(DrawMoments),
}

/// Source of second moments.
#[derive(Debug, Clone)]
pub enum DrawMoments {
    /// Given, one per column.
    Given(Vec<f64>),
    /// Declared with the data or computed from them; otherwise as [`DrawMoments::Online`].
    Auto,
    /// Estimated from the reads so far, with a share of uniform draws.
    Online,
    /// Estimated from the reads of a first phase with uniform draws.
    FirstPhase(TwoPhase),
}

/// Parameters of two phases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TwoPhase {
    /// Length of the first phase: a share of the horizon below 1, or a number of examples.
    pub length: f64,
    /// Smoothing constant c.
    pub smoothing: f64,
    /// Probability delta of failure.
    pub confidence: f64,
    /// Half-norm H of the moments, if known beforehand.
    pub moment_norm: Option<f64>,
}

/// Builds a recipe from a learner's common parameters and the fields that are specific to it.
macro_rules! recipe {
    ($learner:expr, $($field:ident: $value:expr,)*) => {
        $crate::Recipe {
            name: Self::NAME,
            params: ::halfseen_core::params::Parameters::to_json($learner),
            total_budget: $learner.total_budget,
            total_cost: $learner.total_cost,
            truncate: $learner.truncate,
            radius: $learner.radius,
            shape: ::halfseen_solve::iterate::Shape::default(),
            passive: ::halfseen_core::params::Passive::No,
            intercept: $learner.intercept,
            centre: $learner.centre,
            average: $learner.average,
            seed: $learner.seed,
            $($field: $value,)*
        }
    };
}
pub(crate) use recipe;
