//! Answers which deletions do the most damage to a row: a knapsack, whole or in fractions.
//!
//! The adversary maximises sum_D p_j over sets D with sum_D v_j <= N, where p_j is what the
//! deletion of attribute j gains (paper E, section 2). Its relaxation takes attributes by p_j /
//! v_j, and a part of one. Equal values need no more than the largest gains, found in O(n); general
//! ones a selection about weighted medians, O(n) too. Of equal gains (per value) the first item
//! vanishes.

mod largest;
pub(super) mod search;
pub(super) mod split;
pub(super) mod table;
#[cfg(test)]
mod tests;

use crate::data::{Costs, Threat};
use largest::Largest;
use search::Search;
use split::Split;
use table::Table;

/// Nodes that a search for whole deletions looks at before it gives up.
const NODES: usize = 100_000;

/// Nodes before whole numbers are given to a table.
const FEW_NODES: usize = 5_000;

/// The adversary of one threat, with room to work in.
#[derive(Debug, Clone)]
pub struct Adversary<'t> {
    threat: &'t Threat,
    costs: Costs,
    budget: f64,
    /// Whether every value is the same and none is 0: gains alone decide.
    plain: bool,
    nodes: usize,
    /// What was deleted of each item of the last question.
    shares: Vec<f64>,
    /// The items of which something was deleted, increasing.
    deleted: Vec<u32>,
    largest: Largest,
    split: Split,
    search: Search,
    table: Table,
    order: Vec<u32>,
}

/// Whole deletions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// What they gain.
    pub gain: f64,
    /// Whether no others gain more, but for rounding.
    pub exact: bool,
}

impl<'t> Adversary<'t> {
    /// Makes room.
    pub fn new(threat: &'t Threat) -> Adversary<'t> {
        Adversary {
            threat,
            costs: threat.costs(),
            budget: threat.effective(),
            plain: threat.values().iter().all(|&v| v == threat.values()[0]),
            nodes: NODES,
            shares: Vec::new(),
            deleted: Vec::new(),
            largest: Largest::default(),
            split: Split::default(),
            search: Search::default(),
            table: Table::default(),
            order: Vec::new(),
        }
    }

    /// The threat.
    pub fn threat(&self) -> &'t Threat {
        self.threat
    }

    /// Leaves the next questions what a budget has left after so much was spent, never less than
    /// nothing.
    pub fn spend(&mut self, spent: f64) {
        let left = (self.threat.budget() - spent).max(0.0);
        (self.costs, self.budget) = match self.threat.costs() {
            Costs::Equal { value, .. } => {
                let count = crate::data::count(left, value);
                (Costs::Equal { value, count }, value * count as f64)
            }
            Costs::Whole { .. } => (Costs::Whole { budget: left.floor() as usize }, left),
            Costs::General => (Costs::General, left),
        };
    }

    /// What may be spent.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// The deleted share of each item of the last question to [`Adversary::relaxed`] or
    /// [`Adversary::whole`], in [0, 1].
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The items of the last question of which something was deleted, increasing.
    pub fn deleted(&self) -> &[u32] {
        &self.deleted
    }

    /// The largest gain of fractional deletions from items (attribute, gain of its deletion), at
    /// least 0. Exact for equal values; otherwise an upper bound of the gain of whole deletions.
    /// O(items).
    pub fn relaxed(&mut self, attributes: &[u32], gains: &[f64]) -> f64 {
        self.shares.clear();
        self.shares.resize(gains.len(), 0.0);
        self.deleted.clear();
        match self.costs {
            Costs::Equal { count, .. } if self.plain => {
                let gain = self.largest.of_gains(count, gains);
                self.deleted.extend_from_slice(self.largest.items());
                self.deleted.iter().for_each(|&i| self.shares[i as usize] = 1.0);
                gain
            }
            _ => self.split_off(attributes, gains),
        }
    }

    /// The largest gain of whole deletions found; [`Adversary::shares`] are then 0 or 1. Exact for
    /// equal values; for others by branch and bound, and for whole numbers, where that takes long,
    /// by dynamic programming. Beyond a limit of nodes (and 32 MB of table) the best found, which
    /// is then not marked exact.
    pub fn whole(&mut self, attributes: &[u32], gains: &[f64]) -> Worst {
        if matches!(self.costs, Costs::Equal { .. }) {
            return Worst { gain: self.relaxed(attributes, gains), exact: true };
        }
        let values = self.threat.values();
        let value = |i: usize| values[attributes[i] as usize];
        self.shares.clear();
        self.shares.resize(gains.len(), 0.0);
        self.deleted.clear();
        let items = || (0..gains.len() as u32).filter(|&i| gains[i as usize] > 0.0);
        let priced = || items().filter(|&i| value(i as usize) > 0.0);
        self.deleted.extend(items().filter(|&i| value(i as usize) == 0.0));
        let table = match self.costs {
            Costs::Whole { budget } if Table::fits(priced().count(), budget) => Some(budget),
            _ => None,
        };
        let triples = priced().map(|i| (i, gains[i as usize], value(i as usize)));
        let nodes = if table.is_some() { self.nodes.min(FEW_NODES) } else { self.nodes };
        let mut exact = self.search.run(triples, self.budget, false, nodes).exact;
        match table {
            Some(budget) if !exact => {
                self.table.fill(
                    priced().map(|i| (i, gains[i as usize], value(i as usize) as usize)),
                    budget,
                );
                self.deleted.extend(self.table.items(budget));
                exact = true;
            }
            _ => self.deleted.extend(self.search.items()),
        }
        self.deleted.sort_unstable();
        self.deleted.iter().for_each(|&i| self.shares[i as usize] = 1.0);
        Worst { gain: self.deleted.iter().map(|&i| gains[i as usize]).sum(), exact }
    }

    /// Takes items in an order, free ones first, as long as each fits what is left, and skips those
    /// that do not: gives their gain. `order` compares items that cost something.
    pub(super) fn skipping(
        &mut self,
        attributes: &[u32],
        gains: &[f64],
        mut order: impl FnMut(u32, u32) -> std::cmp::Ordering,
    ) -> f64 {
        let value = |i: u32| self.threat.values()[attributes[i as usize] as usize];
        self.order.clear();
        self.order.extend((0..gains.len() as u32).filter(|&i| gains[i as usize] > 0.0));
        self.order.sort_unstable_by(|&a, &b| {
            (value(a) > 0.0).cmp(&(value(b) > 0.0)).then_with(|| order(a, b)).then(a.cmp(&b))
        });
        self.take_in_order(attributes);
        self.deleted.iter().map(|&i| gains[i as usize]).sum()
    }

    /// Takes these items, in their order, as long as each fits what is left.
    pub(super) fn taking(&mut self, attributes: &[u32], order: &[u32]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.take_in_order(attributes);
    }

    fn take_in_order(&mut self, attributes: &[u32]) {
        let values = self.threat.values();
        let (unit, mut left) = match self.costs {
            // Counted, for sums of values may differ from multiples.
            Costs::Equal { value, count } => (value, count as f64),
            _ => (1.0, self.budget),
        };
        self.deleted.clear();
        for &i in &self.order {
            let cost = values[attributes[i as usize] as usize] / unit;
            if cost <= left {
                left -= cost;
                self.deleted.push(i);
            }
        }
        self.deleted.sort_unstable();
    }

    /// Takes by gain per value what the budget allows, and a share of the last where values differ.
    fn split_off(&mut self, attributes: &[u32], gains: &[f64]) -> f64 {
        let values = self.threat.values();
        let value = |i: u32| values[attributes[i as usize] as usize];
        self.split.clear();
        for (i, &gain) in gains.iter().enumerate().filter(|(_, gain)| **gain > 0.0) {
            let (cost, item) = (value(i as u32), i as u32);
            if cost == 0.0 {
                self.shares[i] = 1.0;
                self.deleted.push(item);
            } else {
                self.split.push(gain / cost, item);
            }
        }
        let spent = match self.costs {
            // Counted, for sums of values may differ from multiples; the next one does not fit.
            Costs::Equal { count, .. } => {
                self.split.reach(count as f64 + 0.5, |_| 1.0).map(|_| self.budget)
            }
            _ => self.split.reach(self.budget, value),
        };
        for item in self.split.before() {
            self.shares[item as usize] = 1.0;
            self.deleted.push(item);
        }
        if let (Some(spent), Some(item)) = (spent, self.split.reaching()) {
            let share = ((self.budget - spent) / value(item)).clamp(0.0, 1.0);
            if share > 0.0 {
                self.shares[item as usize] = share;
                self.deleted.push(item);
            }
        }
        self.deleted.sort_unstable();
        self.deleted.iter().map(|&i| self.shares[i as usize] * gains[i as usize]).sum()
    }

    /// Looks at no more nodes than this.
    #[cfg(test)]
    fn limited(mut self, nodes: usize) -> Adversary<'t> {
        self.nodes = nodes;
        self
    }
}
