//! Describes a budgeted gradient learner: the row of the table that it is.

use super::pace::{Norms, Pace};
use super::sampler::Sampler;
use crate::data::Moments;
use crate::error::Result;
use crate::loss::Loss;
use crate::params::{Average, Centre};
use crate::prepare::Layout;

/// What tells one budgeted gradient learner from another.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The learner's name.
    pub name: &'static str,
    /// Its parameters: part of the fingerprint, and of the saved state.
    pub params: serde_json::Map<String, serde_json::Value>,
    /// Radius of the iterate.
    pub radius: f64,
    /// Radius of the known block.
    pub known_radius: f64,
    /// Whether the known block has an intercept.
    pub intercept: bool,
    /// How the gradient's panels are drawn; `None` if the budget allows every panel.
    pub sampler: Option<Sampler>,
    /// Reads that estimate the product; unused without a sampler.
    pub products: usize,
    /// The loss.
    pub loss: Loss,
    /// Step sizes.
    pub pace: Pace,
    /// What is subtracted from attributes.
    pub centre: Centre,
    /// Which iterates are averaged.
    pub average: Average,
    /// Whether the iterates before (papers B, C) or after (paper A) each step are averaged.
    pub average_before_step: bool,
    /// Seed of the draws.
    pub seed: u64,
}

/// Writes a recipe: what every learner's parameters say alike, and the fields that tell it from others.
macro_rules! recipe {
    ($learner:expr, $($field:ident: $value:expr,)*) => {
        $crate::budget::Recipe {
            name: Self::NAME,
            params: $crate::params::Parameters::to_json($learner),
            radius: $learner.radius,
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

impl Recipe {
    /// The norms that the measured moments of all columns give, about the recipe's centre.
    pub(super) fn measured_norms(&self, layout: &Layout, moments: &Moments, target: f64) -> Norms {
        let square = |slot: usize| {
            let column = layout.column(slot);
            let (mean, square) = (moments.mean[column], moments.square[column]);
            let centred = self.centre != Centre::None && slot < layout.sampled_slots();
            if centred { (square - mean * mean).max(0.0) } else { square }
        };
        let sampled = (0..layout.sampled_slots()).map(square);
        Norms {
            square: sampled.clone().sum(),
            largest: sampled.fold(0.0, f64::max),
            known: (layout.sampled_slots()..layout.slots()).map(square).sum::<f64>()
                + f64::from(u8::from(self.intercept)),
            target,
        }
    }

    /// Which answers belong to this learner.
    pub(super) fn fingerprint(&self, layout: &Layout) -> Result<u64> {
        super::saved::fingerprint(self.name, &self.params, layout)
    }
}
