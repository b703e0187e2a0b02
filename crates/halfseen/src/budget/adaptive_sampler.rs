//! Keeps how the gradient's panels are drawn at present, and what was learned about how to draw
//! them.

use super::admission::LARGEST_STEP;
use super::cost_constraint::CostConstrained;
use super::design::inclusion;
use super::recipe::{Draws, Proportions, Recipe, Source};
use super::sampler::Sampler;
use crate::data::Layout;
use crate::error::{ErrorKind, Result, shown};
use crate::params::{Inner, Passive};
use serde::{Deserialize, Serialize};

/// The present draws; see the module's documentation.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdaptiveSampler {
    /// How often the probabilities have changed: queries say by which they were drawn.
    pub(super) version: u32,
    /// Weight of each panel; empty while all are alike.
    weights: Vec<f64>,
    /// Second moments of the sampled slots, as far as they are known; empty while they are not.
    pub(super) moments: Vec<f64>,
    /// A bound on k times the estimate's second moment that came with the weights; see `two_phase`.
    pub(super) bound: Option<f64>,
    /// Per slot the sum over the answers of a (x - c)^2, a the read's coefficient: over their
    /// number, an unbiased estimate of E (x - c)^2. Empty where nobody asks for it.
    tally: Vec<f64>,
    /// The largest (x - c)^2 among them.
    #[serde(default)]
    pub(super) largest: f64,
    /// None where every panel is read.
    #[serde(skip)]
    sampler: Option<Sampler>,
}

impl AdaptiveSampler {
    /// The draws of a start; `measured` are second moments per sampled slot, where the learner may
    /// know them.
    ///
    /// # Errors
    /// Parameters of the wrong length, moments that nobody gave, a cost limit that cannot pay for the
    /// reads.
    pub(super) fn new(
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
            check_money(recipe, layout)?;
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
            Proportions::Optimal(Source::Given(numbers)) => {
                check_length(
                    "moments, one for each column (of a text attribute, each category)",
                    layout.slots(),
                    numbers.len(),
                )?;
                drawing.moments =
                    (0..layout.sampled_slots()).map(|slot| numbers[layout.column(slot)]).collect();
                drawing.weights = draws.goal.weights(layout, &drawing.moments);
            }
            Proportions::Optimal(Source::Auto(_)) => {
                if let Some(measured) = measured {
                    drawing.moments = measured.to_vec();
                    drawing.weights = draws.goal.weights(layout, &drawing.moments);
                }
            }
            Proportions::Optimal(Source::FirstPhase(_)) => {
                drawing.tally = vec![0.0; layout.sampled_slots()];
            }
            Proportions::Optimal(Source::Online(_)) => {}
        }
        drawing.rebuild(recipe, layout)?;
        Ok(drawing)
    }

    /// Completes a drawing that was read from a file. Whether its numbers can be true.
    pub(super) fn restore(&mut self, recipe: &Recipe, layout: &Layout) -> Result<bool> {
        let Some(draws) = &recipe.draws else {
            return Ok(self.weights.is_empty() && self.version == 0);
        };
        let tallied = matches!(draws.proportions, Proportions::Optimal(Source::FirstPhase(_)));
        let slots = layout.sampled_slots();
        // Draws change at powers of two at most: no count of a true state is larger.
        let sizes = self.version <= u64::BITS
            && (self.weights.is_empty() || self.weights.len() == draws.panels)
            && (self.moments.is_empty() || self.moments.len() == slots)
            && self.tally.len() == if tallied { slots } else { 0 }
            && self.bound.is_some() == (tallied && self.version > 0);
        let numbers = [&self.weights, &self.moments, &self.tally].into_iter().flatten();
        // Without the largest an older state cannot go on to its second phase.
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
        self.sampler = Some(match (check_money(recipe, layout)?, draws.replacement) {
            (Some((prices, money)), _) => {
                let alike = vec![1.0; panels];
                let weights = if nothing { &alike } else { &self.weights };
                CostConstrained { prices: &prices, money }.sampler(draws.goal, weights, k)
            }
            // Nothing but zeros is to be expected: all panels are alike.
            _ if nothing => Sampler::uniform(panels, k, draws.replacement),
            (None, true) => Sampler::with_replacement(&self.weights, k)?,
            (None, false) => Sampler::without_replacement(inclusion(&self.weights, k), k, None),
        });
        Ok(())
    }

    /// Draws by these weights from now on.
    pub(super) fn change(
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

    /// How panels are drawn; `None` where every one is read.
    #[inline]
    pub(super) fn sampler(&self) -> Option<&Sampler> {
        self.sampler.as_ref()
    }

    /// Takes in a read for the gradient.
    #[inline]
    pub(super) fn see(&mut self, slot: usize, coefficient: f64, deviation: f64) {
        if let Some(sum) = self.tally.get_mut(slot) {
            *sum += coefficient * deviation * deviation;
            self.largest = self.largest.max(deviation * deviation);
        }
    }

    /// A_i: the second moments as so many answers estimate them, unbiased where the centre stands
    /// still.
    pub(super) fn estimates(&self, answers: u64) -> Vec<f64> {
        self.tally.iter().map(|sum| sum / answers.max(1) as f64).collect()
    }

    /// The share of the product's draws that go by the moments.
    #[inline]
    pub(super) fn by_moments(&self, draws: &Draws) -> f64 {
        match draws.inner {
            _ if self.moments.is_empty() => 0.0,
            Inner::Weights => 0.0,
            Inner::Moments => 1.0,
            Inner::Mixed => 0.5,
        }
    }
}

/// The prices of the panels, and what is left for the gradient's reads where money is limited: any
/// read of the product may need the dearest panel.
fn check_money(recipe: &Recipe, layout: &Layout) -> Result<Option<(Vec<f64>, f64)>> {
    // What happens to be observed costs nothing.
    let Some(money) = recipe.max_cost.filter(|_| recipe.passive == Passive::No) else {
        return Ok(None);
    };
    let prices: Vec<f64> = (0..layout.sampled_panels()).map(|panel| layout.price(panel)).collect();
    let Some(dearest) = (0..prices.len()).max_by(|&a, &b| prices[a].total_cmp(&prices[b])) else {
        return Ok(None);
    };
    let (name, price) = (crate::error::short(layout.name(dearest)), prices[dearest]);
    let least = match &recipe.draws {
        None => prices.iter().sum(),
        Some(draws) if draws.replacement => {
            let what = "draws without replacement (replacement = false): with it one example may read a dear attribute \
                        again and again";
            return Err(ErrorKind::Needs { name: "max_cost", value: "a limit", what }.into());
        }
        Some(draws) => price * (draws.products + 1) as f64,
    };
    if money < least {
        let why = match &recipe.draws {
            None => "what all attributes cost, which this budget reads".to_owned(),
            Some(draws) => format!(
                "{} times the price of the dearest attribute '{name}', {price}: {} for the product, one for the gradient",
                draws.products + 1,
                draws.products
            ),
        };
        let allowed = format!("at least {}, {why}", shown(least));
        return Err(ErrorKind::OutOfRange { name: "max_cost", value: shown(money), allowed }.into());
    }
    let products = recipe.draws.as_ref().map_or(0, |d| d.products);
    Ok(Some((prices, money - products as f64 * price)))
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    Err(ErrorKind::WrongLength { what: what.into(), expected, found }.into())
}
