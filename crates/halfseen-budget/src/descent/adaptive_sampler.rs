//! Keeps the present distribution of the gradient's panels, and the estimates that change it.

use super::cost_constraint::CostConstrained;
use super::recipe::{DrawMoments, Draws, Proportions, Recipe};
use halfseen_core::asking::admission::LARGEST_STEP;
use halfseen_core::asking::design::inclusion;
use halfseen_core::asking::sampler::Sampler;
use halfseen_core::data::Layout;
use halfseen_core::error::{ErrorKind, Result, shown};
use halfseen_core::params::{Inner, Passive};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdaptiveSampler {
    /// Number of changes of the probabilities; queries carry the version that drew them.
    pub(crate) version: u32,
    /// Weight of each panel; empty while all are equal.
    weights: Vec<f64>,
    /// Second moments of the sampled slots, known or estimated; empty if neither.
    pub(crate) moments: Vec<f64>,
    /// Bound on k times the second moment of x~, computed with the weights; see `two_phase`.
    pub(crate) bound: Option<f64>,
    /// Per slot, sum over the answers of a (x - c)^2 with a the read's coefficient. Divided by the
    /// number of answers it is an unbiased estimate of E (x - c)^2. Empty if unused.
    tally: Vec<f64>,
    /// Largest (x - c)^2 among them.
    pub(crate) largest: f64,
    /// `None` if every panel is read.
    #[serde(skip)]
    sampler: Option<Sampler>,
}

impl AdaptiveSampler {
    /// Returns the initial draws. `measured` holds second moments per sampled slot, if the learner
    /// may know them.
    ///
    /// # Errors
    /// Parameters of the wrong length, missing moments, a cost limit below the price of the reads.
    pub(crate) fn new(
        recipe: &Recipe,
        layout: &Layout,
        measured: Option<&[f64]>,
    ) -> Result<AdaptiveSampler> {
        let mut drawing = AdaptiveSampler {
            version: 0,
            weights: Vec::new(),
            moments: Vec::new(),
            bound: None,
            tally: Vec::new(),
            largest: 0.0,
            sampler: None,
        };
        let Some(draws) = &recipe.draws else {
            check_max_cost(recipe, layout)?;
            return Ok(drawing);
        };
        match &draws.proportions {
            Proportions::Uniform => {}
            Proportions::Declared(shares) => {
                check_length(
                    "probabilities, one for each attribute that can be read",
                    draws.panels,
                    shares.len(),
                )?;
                drawing.weights = shares.clone();
            }
            Proportions::Optimal(DrawMoments::Given(numbers)) => {
                check_length(
                    "moments, one for each column (of a text attribute, each category)",
                    layout.slots(),
                    numbers.len(),
                )?;
                drawing.moments =
                    (0..layout.sampled_slots()).map(|slot| numbers[layout.column(slot)]).collect();
                drawing.weights = draws.goal.weights(layout, &drawing.moments);
            }
            Proportions::Optimal(DrawMoments::Auto) => {
                if let Some(measured) = measured {
                    drawing.moments = measured.to_vec();
                    drawing.weights = draws.goal.weights(layout, &drawing.moments);
                }
            }
            Proportions::Optimal(DrawMoments::FirstPhase(_)) => {
                drawing.tally = vec![0.0; layout.sampled_slots()];
            }
            Proportions::Optimal(DrawMoments::Online) => {}
        }
        drawing.rebuild(recipe, layout)?;
        Ok(drawing)
    }

    /// Completes a sampler that was read from a file. Returns true if its numbers are consistent.
    pub(crate) fn restore(&mut self, recipe: &Recipe, layout: &Layout) -> Result<bool> {
        let Some(draws) = &recipe.draws else {
            return Ok(self.weights.is_empty() && self.version == 0);
        };
        let tallied = matches!(draws.proportions, Proportions::Optimal(DrawMoments::FirstPhase(_)));
        let slots = layout.sampled_slots();
        // Draws change at powers of two at most, which bounds the version.
        let sizes = self.version <= u64::BITS
            && (self.weights.is_empty() || self.weights.len() == draws.panels)
            && (self.moments.is_empty() || self.moments.len() == slots)
            && self.tally.len() == if tallied { slots } else { 0 }
            && self.bound.is_some() == (tallied && self.version > 0);
        let numbers = [&self.weights, &self.moments, &self.tally].into_iter().flatten();
        // Without the largest value the second phase cannot start.
        let told =
            self.version > 0 || self.largest > 0.0 || self.tally.iter().all(|sum| *sum == 0.0);
        let finite =
            numbers.chain(&self.bound).chain([&self.largest]).all(|v| v.is_finite() && *v >= 0.0);
        let sound = told && finite && self.largest <= LARGEST_STEP * LARGEST_STEP;
        if sizes && sound {
            self.rebuild(recipe, layout)?;
        }
        Ok(sizes && sound)
    }

    fn rebuild(&mut self, recipe: &Recipe, layout: &Layout) -> Result<()> {
        let Some(draws) = &recipe.draws else { return Ok(()) };
        let (panels, k) = (draws.panels, draws.gradient);
        let nothing = !self.weights.iter().any(|w| *w > 0.0);
        self.sampler = Some(match (check_max_cost(recipe, layout)?, draws.replacement) {
            (Some((prices, max_cost)), _) => {
                let alike = vec![1.0; panels];
                let weights = if nothing { &alike } else { &self.weights };
                CostConstrained { prices: &prices, max_cost }.sampler(draws.goal, weights, k)
            }
            // All weights are zero: draw uniformly.
            _ if nothing => Sampler::uniform(panels, k, draws.replacement),
            (None, true) => Sampler::with_replacement(&self.weights, k)?,
            (None, false) => Sampler::without_replacement(inclusion(&self.weights, k), k, None),
        });
        Ok(())
    }

    pub(crate) fn change(
        &mut self,
        recipe: &Recipe,
        layout: &Layout,
        weights: Vec<f64>,
        moments: Vec<f64>,
    ) -> Result<()> {
        self.weights = weights;
        self.moments = moments;
        self.version += 1;
        self.rebuild(recipe, layout)
    }

    #[inline]
    pub(crate) fn sampler(&self) -> Option<&Sampler> {
        self.sampler.as_ref()
    }

    /// Adds a read for the gradient.
    #[inline]
    pub(crate) fn see(&mut self, slot: usize, coefficient: f64, deviation: f64) {
        if let Some(sum) = self.tally.get_mut(slot) {
            *sum += coefficient * deviation * deviation;
            self.largest = self.largest.max(deviation * deviation);
        }
    }

    /// Returns true if answers are summed for a second phase.
    #[inline]
    pub(crate) fn tallies(&self) -> bool {
        !self.tally.is_empty()
    }

    /// Returns A_i, the estimates of the second moments from this number of answers; unbiased if
    /// the centre is constant.
    pub(crate) fn estimates(&self, answers: u64) -> Vec<f64> {
        self.tally.iter().map(|sum| sum / answers.max(1) as f64).collect()
    }

    /// Returns the share of the product's draws that use the moments.
    #[inline]
    pub(crate) fn by_moments(&self, draws: &Draws) -> f64 {
        match draws.inner {
            _ if self.moments.is_empty() => 0.0,
            Inner::Weights => 0.0,
            Inner::Moments => 1.0,
            Inner::Mixed => 0.5,
        }
    }
}

/// Returns the prices of the panels and, if the cost is limited, the amount left for the gradient's
/// reads. Any read for the product may need the most expensive panel.
fn check_max_cost(recipe: &Recipe, layout: &Layout) -> Result<Option<(Vec<f64>, f64)>> {
    // Values that happen to be observed cost nothing.
    let Some(max_cost) = recipe.max_cost.filter(|_| recipe.passive == Passive::No) else {
        return Ok(None);
    };
    let prices: Vec<f64> = (0..layout.sampled_panels()).map(|panel| layout.price(panel)).collect();
    let Some(most_expensive) = (0..prices.len()).max_by(|&a, &b| prices[a].total_cmp(&prices[b]))
    else {
        return Ok(None);
    };
    let (name, price) =
        (halfseen_core::error::short(layout.name(most_expensive)), prices[most_expensive]);
    let least = match &recipe.draws {
        None => prices.iter().sum(),
        Some(draws) if draws.replacement => {
            let what = "draws without replacement (replacement = false): with it one example may read an expensive attribute \
                        again and again";
            return Err(ErrorKind::Needs { name: "max_cost", value: "a limit", what }.into());
        }
        Some(draws) => price * (draws.products + 1) as f64,
    };
    if max_cost < least {
        let why = match &recipe.draws {
            None => "what all attributes cost, which this budget reads".to_owned(),
            Some(draws) => format!(
                "{} times the price of the most expensive attribute '{name}', {price}: {} for the product, one for the gradient",
                draws.products + 1,
                draws.products
            ),
        };
        let allowed = format!("at least {}, {why}", shown(least));
        return Err(
            ErrorKind::OutOfRange { name: "max_cost", value: shown(max_cost), allowed }.into()
        );
    }
    let products = recipe.draws.as_ref().map_or(0, |d| d.products);
    Ok(Some((prices, max_cost - products as f64 * price)))
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(ErrorKind::WrongLength { what: what.into(), expected, found }.into())
}
