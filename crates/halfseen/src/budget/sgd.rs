//! Runs one budgeted gradient learner: draws, asks, estimates, steps, averages.
//!
//! A learner is a row of a table, its [`Recipe`]: how the gradient's panels are drawn, how many
//! reads estimate the product <w,x>, which iterate is moved, by which steps, for which loss. All that
//! such learners share is here.

use super::admission::{LARGEST_STEP, admit};
use super::known::Known;
use super::ledger::Ledger;
use super::pace::{Facts, Move, Norms, Planned};
use super::query::{AskTell, Part, Query, Read, Role, Told};
use super::recipe::Recipe;
use super::running::Running;
use super::sampler::Sampler;
use crate::data::Moments;
use crate::error::{ErrorKind, Result};
use crate::iterate::Iterate;
use crate::model::{Linear, Report};
use crate::params::{Average, Centre};
use crate::prepare::Layout;
use crate::sampling::{Purpose, Stream, count_distinct};
use std::sync::Arc;

/// A running learner; see the module's documentation.
#[derive(Debug, Clone)]
pub struct Sgd<I> {
    recipe: Recipe,
    layout: Arc<Layout>,
    fingerprint: u64,
    /// The t at which the average starts anew; 0 if it never does.
    average_restarts: u64,
    state: State<I>,
    /// The plan for the norms of `state`; none before there are norms.
    planned: Option<Planned>,
    /// Drawn panels, and the gradient, of the current example.
    panels: Vec<u32>,
    gradient: Vec<(u32, f64)>,
}

/// What changes over time, and is saved.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct State<I> {
    iterate: I,
    known: Known,
    running: Running,
    ledger: Ledger,
    /// Means, where the recipe centres by given ones, per sampled slot.
    given: Vec<f64>,
    /// Sum of the squared targets told.
    target_squares: f64,
    norms: Option<Norms>,
    /// Measured norms stay; others are estimated from the reads, anew each time the answers have become four times as
    /// many: O(k) for each answer, amortised.
    measured: bool,
}

impl<I: Iterate> Sgd<I> {
    /// Starts a learner. `moments` (per column) and the targets' mean square are given where the
    /// learner may know them.
    ///
    /// # Errors
    /// If centring needs means that are not given.
    pub fn new(recipe: Recipe, layout: &Arc<Layout>, facts: Option<(&Moments, f64)>) -> Result<Self> {
        let (slots, sampled) = (layout.slots(), layout.sampled_slots());
        let given = match (recipe.centre, facts) {
            (Centre::Given, Some((moments, _))) => (0..sampled).map(|s| moments.mean[layout.column(s)]).collect(),
            (Centre::Given, None) => {
                let what = "the attributes' means, and nobody gave them; use centre = running";
                return Err(ErrorKind::Needs { name: "centre", value: "given", what }.into());
            }
            _ => Vec::new(),
        };
        let norms = facts.map(|(moments, target)| recipe.measured_norms(layout, moments, target));
        let state = State {
            iterate: I::new(sampled, recipe.radius),
            known: Known::new(slots - sampled, recipe.intercept, recipe.known_radius),
            running: Running::new(slots),
            ledger: Ledger::default(),
            given,
            target_squares: 0.0,
            norms,
            measured: norms.is_some(),
        };
        Self::with_state(recipe, layout, state)
    }

    /// Goes on from a saved state.
    ///
    /// # Errors
    /// If the state is not one of this recipe and layout.
    pub fn resume(recipe: Recipe, layout: &Arc<Layout>, state: serde_json::Value) -> Result<Self> {
        let mut state: State<I> = serde_json::from_value(state).map_err(|e| bad_state(e.to_string()))?;
        let sampled = layout.sampled_slots();
        state.iterate.restore(sampled, recipe.radius)?;
        let known = Known::new(layout.slots() - sampled, recipe.intercept, recipe.known_radius);
        let given = if recipe.centre == Centre::Given { sampled } else { 0 };
        let sound = state.running.len() == layout.slots()
            && state.running.is_sound()
            && state.ledger.is_sound()
            && state.known.is_sound(&known)
            && state.given.len() == given
            && state.given.iter().chain([&state.target_squares]).all(|v| v.is_finite());
        if !sound {
            return Err(bad_state("holds numbers that cannot be true of these parameters and this layout".into()));
        }
        Self::with_state(recipe, layout, state)
    }

    fn with_state(recipe: Recipe, layout: &Arc<Layout>, state: State<I>) -> Result<Self> {
        let average_restarts = match (recipe.average, recipe.pace.horizon) {
            (Average::Tail, Some(m)) => m / 2 + 1,
            _ => 0,
        };
        let fingerprint = recipe.fingerprint(layout)?;
        let (layout, panels, gradient) = (Arc::clone(layout), Vec::new(), Vec::new());
        let mut sgd = Sgd { recipe, layout, fingerprint, average_restarts, state, planned: None, panels, gradient };
        sgd.replan();
        Ok(sgd)
    }

    /// What is subtracted from a sampled slot now.
    #[inline]
    fn centre(&self, slot: usize) -> f64 {
        match self.recipe.centre {
            Centre::None => 0.0,
            Centre::Given => self.state.given[slot],
            Centre::Running => self.state.running.mean(slot),
        }
    }

    /// Adds a read of a sampled panel to a query; `weight` of a slot is its part in the product.
    #[inline]
    fn push(&self, query: &mut Query, panel: usize, role: Role, coefficient: f64, weight: impl Fn(usize) -> f64) {
        query.reads.push(Read { panel: panel as u32, role, coefficient });
        for slot in self.layout.slots_of(panel) {
            query.parts.push(Part { weight: weight(slot), centre: self.centre(slot) });
        }
    }

    /// Adds what is known of the example without a read.
    #[inline]
    fn push_known(&self, query: &mut Query) {
        query.exact = self.state.known.intercept();
        for panel in self.layout.sampled_panels()..self.layout.panels() {
            query.reads.push(Read { panel: panel as u32, role: Role::Known, coefficient: 1.0 });
            for slot in self.layout.slots_of(panel) {
                let weight = self.state.known.weight(slot - self.layout.sampled_slots());
                query.parts.push(Part { weight, centre: 0.0 });
            }
        }
    }

    /// Adds a read for the estimate of the example.
    #[inline]
    fn push_gradient(&self, query: &mut Query, panel: usize, sampler: Sampler) {
        self.push(query, panel, Role::Gradient, sampler.coefficient(), |_| 0.0);
    }

    /// The probability that one draw for the product reads this panel.
    #[inline]
    fn product_share(&self, panel: usize) -> f64 {
        let iterate = &self.state.iterate;
        let mass: f64 = self.layout.slots_of(panel).map(|s| iterate.mass(s)).sum();
        mass / iterate.total_mass()
    }

    /// Adds a read for the product: of all draws' estimates sum_c w_c x_c / share, the mean.
    #[inline]
    fn push_product(&self, query: &mut Query, panel: usize) {
        let scale = 1.0 / (self.product_share(panel) * self.recipe.products as f64);
        let weight = |slot| self.state.iterate.weight(slot) * scale;
        self.push(query, panel, Role::Product, 0.0, weight);
    }

    /// The estimates that an answer gives: the product <w,x>, and x~ as (slot, value) pairs, one per
    /// slot. Unbiased over the draws of the query.
    #[inline]
    fn estimate(&mut self, query: &Query, values: &[f64]) -> f64 {
        self.gradient.clear();
        let mut product = query.exact;
        let mut at = 0;
        for read in &query.reads {
            for slot in self.layout.slots_of(read.panel as usize) {
                let Part { weight, centre } = query.parts[at];
                let value = values[at] - centre;
                product += weight * value;
                if matches!(read.role, Role::Gradient | Role::Full) {
                    self.gradient.push((slot as u32, read.coefficient * value));
                }
                at += 1;
            }
        }
        if self.recipe.sampler.is_some_and(|s| s.replacement) {
            merge_repeated(&mut self.gradient);
        }
        product
    }

    /// Whether a query has the shape of this learner's: one that came back from a file or a network may
    /// have been edited. Known panels come first, then those of the gradient, then the product's.
    #[inline]
    fn could_have_asked(&self, query: &Query) -> bool {
        let (sampled, known) = (self.layout.sampled_panels(), self.layout.panels() - self.layout.sampled_panels());
        let (role, draws, coefficient, products) = match &self.recipe.sampler {
            Some(s) => (Role::Gradient, s.draws, s.coefficient(), self.recipe.products),
            None => (Role::Full, sampled, 1.0, 0),
        };
        if query.reads.len() < known + draws || query.reads.len() > known + draws + products {
            return false;
        }
        let mut columns = 0;
        for (at, read) in query.reads.iter().enumerate() {
            let panel = read.panel as usize;
            let fits = if at < known {
                panel == sampled + at && read.role == Role::Known
            } else if at < known + draws {
                let order = match &self.recipe.sampler {
                    Some(s) => s.replacement || at == known || query.reads[at - 1].panel < read.panel,
                    None => panel == at - known,
                };
                panel < sampled && read.role == role && read.coefficient == coefficient && order
            } else {
                panel < sampled && read.role == Role::Product
            };
            if !fits {
                return false;
            }
            columns += self.layout.slots_of(panel).len();
        }
        let finite = query.parts.iter().all(|p| p.weight.is_finite() && p.centre.is_finite());
        columns == query.parts.len() && finite && query.exact.is_finite()
    }

    /// The plan for the t-th step: made for the norms at hand, or, at the very first, for those of
    /// the answer itself.
    #[inline]
    fn plan(&self, t: u64, query: &Query, values: &[f64], target: f64) -> Planned {
        match (self.planned, self.state.norms) {
            (Some(plan), _) if !self.recipe.pace.is_timeless() => plan,
            (_, Some(norms)) => self.plan_for(t, norms),
            (_, None) => self.plan_for(t, self.norms_of(query, values, target)),
        }
    }

    fn plan_for(&self, t: u64, norms: Norms) -> Planned {
        let facts = Facts {
            radius: self.recipe.radius,
            slots: self.layout.sampled_slots() as f64,
            inflation: self.recipe.sampler.map_or(1.0, |s| s.inflation()),
            examples: 1.0,
            norms,
        };
        self.recipe.pace.plan(t, &facts, self.recipe.known_radius)
    }

    fn replan(&mut self) {
        self.planned = self.state.norms.map(|norms| self.plan_for(1, norms));
    }

    fn norms_of(&self, query: &Query, values: &[f64], target: f64) -> Norms {
        let (mut sum, mut count, mut known) = (0.0, 0.0_f64, f64::from(u8::from(self.recipe.intercept)));
        let mut at = 0;
        for read in &query.reads {
            for _ in self.layout.slots_of(read.panel as usize) {
                let square = (values[at] - query.parts[at].centre).powi(2);
                if read.role == Role::Known {
                    known += square;
                } else {
                    sum += square;
                    count += 1.0;
                }
                at += 1;
            }
        }
        let mean = sum / count.max(1.0);
        Norms { square: mean * self.layout.sampled_slots() as f64, largest: mean, known, target: target * target }
    }

    /// Estimates the norms from all reads so far.
    fn reestimate_norms(&mut self) {
        let sampled = self.layout.sampled_slots();
        let (square, largest) = self.state.running.squares(sampled, |slot| self.centre(slot));
        let known = self.state.running.known_squares(sampled) + f64::from(u8::from(self.recipe.intercept));
        let target = self.state.target_squares / self.state.ledger.answered as f64;
        self.state.norms = Some(Norms { square, largest, known, target });
        self.replan();
    }

    /// Everything that an admitted answer changes.
    #[inline]
    fn apply(&mut self, query: &Query, values: &[f64], slope: f64, step: Move, known_size: f64, t: u64) {
        if t == self.average_restarts {
            self.state.iterate.restart_average();
            self.state.known.restart_average();
        }
        // A tail without an end in sight: later iterates weigh more, in proportion to t.
        let endless = self.recipe.average == Average::Tail && self.average_restarts == 0;
        let weight = if endless { t as f64 } else { 1.0 };
        if self.recipe.average_before_step {
            self.state.iterate.count(weight);
            self.state.known.count(weight);
        }
        self.state.iterate.step(&self.gradient, step.size, step.shrink);
        if !self.state.known.is_idle() {
            // Known reads come first in a query.
            let known = values[..self.state.known.len()].iter().copied();
            self.state.known.step(known, slope, known_size);
        }
        if !self.recipe.average_before_step {
            self.state.iterate.count(weight);
            self.state.known.count(weight);
        }
        let mut at = 0;
        for read in &query.reads {
            for slot in self.layout.slots_of(read.panel as usize) {
                if read.role != Role::Known {
                    self.state.running.pool(values[at] - query.parts[at].centre);
                }
                self.state.running.see(slot, values[at]);
                at += 1;
            }
        }
    }

    /// Writes the next query.
    #[inline]
    fn write(&mut self, query: &mut Query) {
        query.reads.clear();
        query.parts.clear();
        query.learner = self.fingerprint;
        query.phase = 0;
        query.asked_at = self.state.ledger.answered;
        query.number = self.state.ledger.open();
        self.push_known(query);
        let Some(sampler) = self.recipe.sampler else {
            for panel in 0..self.layout.sampled_panels() {
                self.push(query, panel, Role::Full, 1.0, |slot| self.state.iterate.weight(slot));
            }
            return;
        };
        let mut stream = Stream::new(self.recipe.seed, Purpose::Query, query.number);
        sampler.draw(&mut stream, &mut self.panels);
        for &panel in &self.panels {
            // Starts to load what the answer will change: at many slots each is a cache miss, and
            // they pass side by side here.
            let slot = self.layout.slots_of(panel as usize).start;
            std::hint::black_box((self.state.iterate.weight(slot), self.state.iterate.mass(slot)));
        }
        for i in 0..self.panels.len() {
            self.push_gradient(query, self.panels[i] as usize, sampler);
        }
        for _ in 0..self.recipe.products {
            // While w = 0 the product is 0 and costs no read.
            if let Some(slot) = self.state.iterate.draw(stream.unit()) {
                self.push_product(query, self.layout.panel_of(slot));
            }
        }
    }

    /// Books the reads of a query.
    #[inline]
    fn bill(&mut self, query: &Query) {
        self.panels.clear();
        self.panels.extend(query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel));
        let reads = self.panels.len() as u64;
        let distinct = count_distinct(&mut self.panels) as u64;
        self.state.ledger.bill(reads, distinct);
    }
}

impl<I: Iterate> AskTell for Sgd<I> {
    #[inline]
    fn ask_into(&mut self, query: &mut Query) {
        self.write(query);
        query.checksum = query.digest();
    }

    #[inline]
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<Told> {
        let (learner, ledger) = (self.fingerprint, &self.state.ledger);
        let place = admit(learner, ledger, |q| self.could_have_asked(q), query, values, target)?;
        if values.iter().any(|v| v.is_nan()) {
            self.state.ledger.close(place);
            self.bill(query);
            self.state.ledger.skipped();
            return Ok(Told::Skipped);
        }
        let product = self.estimate(query, values);
        let slope = self.recipe.loss.slope(product, target);
        self.gradient.iter_mut().for_each(|(_, g)| *g *= slope);
        let t = self.state.ledger.answered + 1;
        let plan = self.plan(t, query, values, target);
        let step = self.recipe.pace.at(t, &plan);
        let largest = self.gradient.iter().fold(slope.abs(), |a, (_, g)| a.max(g.abs()));
        let length = largest * step.size.max(1.0);
        if length.is_nan() || length >= LARGEST_STEP {
            return Err(ErrorKind::Diverged { what: "a gradient step", value: largest * step.size }.into());
        }
        self.apply(query, values, slope, step, plan.known, t);
        self.state.ledger.close(place);
        self.bill(query);
        self.state.ledger.learned(query.asked_at);
        self.state.target_squares += target * target;
        if !self.state.measured && t.is_power_of_two() && t.trailing_zeros().is_multiple_of(2) {
            self.reestimate_norms();
        }
        Ok(Told::Learned)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.state.ledger.find(number)?;
        self.state.ledger.close(place);
        Ok(())
    }

    fn predictor(&self) -> Linear {
        let columns = self.layout.slots();
        let (mut weights, mut fill) = (vec![0.0; columns], vec![0.0; columns]);
        let (mut intercept, known) = self.state.known.average();
        let sampled = self.state.iterate.average();
        for (slot, w) in sampled.iter().chain(&known).enumerate() {
            let column = self.layout.column(slot);
            weights[column] = *w;
            fill[column] = self.state.running.mean(slot);
            if slot < sampled.len() {
                intercept -= w * self.centre(slot);
            }
        }
        Linear { weights, intercept, fill }
    }

    fn report(&self) -> Report {
        self.state.ledger.report(self.recipe.name)
    }

    fn save(&self) -> Result<serde_json::Value> {
        let state = serde_json::to_value(&self.state).map_err(|e| bad_state(e.to_string()))?;
        super::saved::wrap(self.recipe.name, &self.recipe.params, &self.layout, state)
    }
}

fn bad_state(problem: String) -> crate::Error {
    super::saved::bad("state", problem)
}

/// Sums the entries of equal slots, which the entropic iterate must clip together.
#[inline]
fn merge_repeated(gradient: &mut Vec<(u32, f64)>) {
    gradient.sort_unstable_by_key(|&(slot, _)| slot);
    gradient.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        if same {
            kept.1 += later.1;
        }
        same
    });
}

#[cfg(test)]
mod tests;
