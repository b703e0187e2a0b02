//! Draws the panels of each query: uniformly, or with probabilities from earlier reads.
//!
//! Where the cost of a query is limited, panels are taken in a random order, each if the rest pays
//! for it: every panel, and every pair that can be paid for, is read with positive probability.
//!
//! Probabilities from earlier reads are kept by systematic sampling of panels on a line in a random
//! order, renewed every few queries: with a single order most pairs of panels would never be drawn
//! together, and their covariance never observed.

use super::design::mixed;
use crate::budget::allowance;
use crate::budget::sampler::Sampler;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use serde::{Deserialize, Serialize};

/// Queries that share an order of the panels.
const SHARE_ORDER: u64 = 16;

/// Saved state that a learner's draws depend on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// Number of redesigns; queries name it as their phase.
    pub(super) version: u32,
    /// Inclusion probability of each sampled panel; empty while all are alike.
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

    /// Returns true if a saved plan fits such draws and at most this number of redesigns.
    pub(super) fn is_sound(&self, reads: allowance::Reads, redesigns: u32) -> bool {
        let sum: f64 = self.inclusion.iter().sum();
        let probabilities = self.inclusion.iter().all(|p| (0.0..=1.0).contains(p));
        let sound = probabilities
            && self.inclusion.len() == reads.panels
            && (sum - reads.budget as f64).abs() < 1e-6;
        (self.inclusion.is_empty() || (sound && self.version > 0)) && self.version <= redesigns
    }
}

/// Draws, and keeps what draws share.
#[derive(Debug, Clone)]
pub(super) struct ReadDesign {
    reads: allowance::Reads,
    seed: u64,
    /// Prices of the panels, and the maximum cost of a query.
    purse: Option<(Vec<f64>, f64)>,
    uniform: Sampler,
    /// Panels on a line in an order, for (version, block of queries).
    line: Option<((u32, u64), Sampler)>,
}

impl ReadDesign {
    pub(super) fn new(
        reads: allowance::Reads,
        seed: u64,
        purse: Option<(Vec<f64>, f64)>,
    ) -> ReadDesign {
        ReadDesign {
            reads,
            seed,
            purse,
            uniform: Sampler::uniform(reads.panels, reads.budget, false),
            line: None,
        }
    }

    /// Replaces `out` by the panels of a query, in increasing order.
    #[inline]
    pub(super) fn draw(&mut self, plan: &Plan, number: u64, out: &mut Vec<u32>) {
        if let Some((prices, most)) = &self.purse {
            let mut order: Vec<u32> = (0..self.reads.panels as u32).collect();
            shuffle(&mut Stream::new(self.seed, Purpose::Query, number), &mut order);
            let mut left = most * (1.0 + 1e-12);
            order.retain(|&panel| {
                let price = prices[panel as usize];
                let taken = price <= left;
                left -= if taken { price } else { 0.0 };
                taken
            });
            order.truncate(self.reads.budget);
            order.sort_unstable();
            *out = order;
            return;
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
