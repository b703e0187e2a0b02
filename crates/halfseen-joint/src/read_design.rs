//! Draws the panels of each query: uniformly, or with probabilities from earlier reads.
//!
//! Where the cost of a query is limited, panels are taken in a random order, each if the rest pays
//! for it: every panel, and every pair that can be paid for, is read with positive probability. With
//! probabilities from earlier reads the order is drawn panel by panel, in proportion to these.
//!
//! Probabilities from earlier reads are kept by systematic sampling of panels on a line in a random
//! order, renewed every few queries: with a single order most pairs of panels would never be drawn
//! together, and their covariance never observed.

use super::design::mixed;
use halfseen_core::asking::allowance;
use halfseen_core::asking::sampler::Sampler;
use halfseen_solve::sampling::{Purpose, Stream, SumTree, shuffle};
use serde::{Deserialize, Serialize};

/// Queries that share an order of the panels.
const SHARE_ORDER: u64 = 16;
/// Reads of a panel from which its contribution is known.
const KNOWN: u64 = 20;
/// Share of the maximum cost below which prices do not differ.
const NEARLY_FREE: f64 = 0.01;

/// Saved state that a learner's draws depend on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// Number of redesigns; queries name it as their phase.
    pub(super) version: u32,
    /// Inclusion probability of each sampled panel; where their cost is limited, that of being the
    /// first in the order. Empty while all are alike.
    inclusion: Vec<f64>,
}

impl Plan {
    /// Takes new probabilities: k reads, most of them in proportion to these weights. Useless
    /// weights change only the version.
    pub(super) fn renew(&mut self, weights: &[f64], draws: usize) {
        self.version = self.version.saturating_add(1);
        if let Some(inclusion) = mixed(weights, draws) {
            self.inclusion = inclusion;
        }
    }

    /// Returns true if a saved plan fits draws of so many of these panels and at most this number of
    /// redesigns.
    pub(super) fn is_sound(&self, panels: usize, draws: usize, redesigns: u32) -> bool {
        let sum: f64 = self.inclusion.iter().sum();
        let probabilities = self.inclusion.iter().all(|p| (0.0..=1.0).contains(p));
        let sound =
            probabilities && self.inclusion.len() == panels && (sum - draws as f64).abs() < 1e-6;
        (self.inclusion.is_empty() || (sound && self.version > 0)) && self.version <= redesigns
    }
}

/// Draws of panels whose cost is limited.
#[derive(Debug, Clone)]
pub(super) struct Priced {
    prices: Vec<f64>,
    least_price: f64,
    /// Maximum cost of a query.
    max_cost: f64,
    /// All panels, in increasing order between draws.
    order: Vec<u32>,
    /// Partner of each exchange in the order.
    partners: Vec<usize>,
    /// Shares of the panels not drawn yet, with the version of the plan that they are of.
    shares: Option<(u32, SumTree)>,
    /// Panels drawn from these.
    drawn: Vec<usize>,
}

impl Priced {
    pub(super) fn new(prices: Vec<f64>, max_cost: f64) -> Priced {
        let least_price = prices.iter().copied().fold(f64::INFINITY, f64::min);
        let order = (0..prices.len() as u32).collect();
        let (partners, drawn) = (Vec::new(), Vec::new());
        Priced { prices, least_price, max_cost, order, partners, shares: None, drawn }
    }

    /// Turns contributions of panels into contributions for money: divides them by the square roots
    /// of the prices, which for a fixed sum of prices gives the least sum of variances (Neyman
    /// 1934). Panels of few reads contribute as much as the mean at least, until more is known.
    pub(super) fn weigh(&self, weights: &mut [f64], reads: &[u64]) {
        let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
        let least = NEARLY_FREE * self.max_cost;
        for ((weight, &reads), price) in weights.iter_mut().zip(reads).zip(&self.prices) {
            if reads < KNOWN {
                *weight = weight.max(mean);
            }
            *weight /= price.max(least).sqrt();
        }
    }

    /// Replaces `out` by the panels of a query, in increasing order. They are taken one after
    /// another if the rest pays for them: in an order drawn uniformly, or with each next one drawn
    /// from those left in proportion to its share, in O(log d) for each.
    fn draw(&mut self, plan: &Plan, stream: &mut Stream, budget: usize, out: &mut Vec<u32>) {
        out.clear();
        let mut left = self.max_cost * (1.0 + 1e-12);
        let (prices, least) = (&self.prices, self.least_price);
        // Returns false if no more can be taken.
        let mut take = |panel: u32| {
            let price = prices[panel as usize];
            if price <= left {
                left -= price;
                out.push(panel);
            }
            out.len() < budget && left >= least
        };
        if plan.inclusion.is_empty() {
            self.partners.clear();
            for at in 0..self.order.len() {
                let partner = at + stream.below(self.order.len() - at);
                self.order.swap(at, partner);
                self.partners.push(partner);
                if !take(self.order[at]) {
                    break;
                }
            }
            for (at, &partner) in self.partners.iter().enumerate().rev() {
                self.order.swap(at, partner);
            }
        } else {
            if self.shares.as_ref().is_none_or(|(version, _)| *version != plan.version) {
                let mut tree = SumTree::filled(plan.inclusion.len(), 0.0);
                tree.refill(|panel| plan.inclusion[panel]);
                self.shares = Some((plan.version, tree));
            }
            let Some((_, shares)) = &mut self.shares else { return };
            self.drawn.clear();
            while let Some(panel) = shares.draw(stream.unit()) {
                shares.set(panel, 0.0);
                self.drawn.push(panel);
                if !take(panel as u32) {
                    break;
                }
            }
            self.drawn.iter().for_each(|&panel| shares.write(panel, plan.inclusion[panel]));
            shares.refresh(self.drawn.iter().copied());
        }
        out.sort_unstable();
    }
}

/// Draws, and keeps what draws share.
#[derive(Debug, Clone)]
pub(super) struct ReadDesign {
    reads: allowance::Reads,
    seed: u64,
    priced: Option<Priced>,
    uniform: Sampler,
    /// Panels on a line in an order, for (version, block of queries).
    line: Option<((u32, u64), Sampler)>,
}

impl ReadDesign {
    pub(super) fn new(reads: allowance::Reads, seed: u64, priced: Option<Priced>) -> ReadDesign {
        ReadDesign {
            reads,
            seed,
            priced,
            uniform: Sampler::uniform(reads.panels, reads.budget, false),
            line: None,
        }
    }

    /// Returns the draws under a limit on their cost; `None` without one.
    pub(super) fn priced(&self) -> Option<&Priced> {
        self.priced.as_ref()
    }

    /// Replaces `out` by the panels of a query, in increasing order.
    #[inline]
    pub(super) fn draw(&mut self, plan: &Plan, number: u64, out: &mut Vec<u32>) {
        if let Some(priced) = &mut self.priced {
            let mut stream = Stream::new(self.seed, Purpose::Query, number);
            return priced.draw(plan, &mut stream, self.reads.budget, out);
        }
        if self.reads.all() {
            out.clear();
            out.extend(0..self.reads.panels as u32);
            return;
        }
        let mut stream = Stream::new(self.seed, Purpose::Query, number);
        if plan.inclusion.is_empty() {
            return self.uniform.draw(&mut stream, out);
        }
        let block = (plan.version, number / SHARE_ORDER);
        if self.line.as_ref().is_none_or(|(of, _)| *of != block) {
            let mut order: Vec<u32> = (0..self.reads.panels as u32).collect();
            // Number 0 is the order of a fit's examples.
            shuffle(&mut Stream::new(self.seed, Purpose::Order, 1 + block.1), &mut order);
            let line = Sampler::without_replacement(
                plan.inclusion.clone(),
                self.reads.budget,
                Some(order),
            );
            self.line = Some((block, line));
        }
        if let Some((_, line)) = &self.line {
            line.draw(&mut stream, out);
            // Rounded probabilities may sum to a little more.
            out.truncate(self.reads.budget);
        }
    }
}
