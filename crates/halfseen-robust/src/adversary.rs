//! Computes the deletions that do the most damage to a row: a knapsack, whole or fractional.
//!
//! The adversary maximises sum_D p_j over sets D with sum_D v_j <= N, where p_j is the gain of
//! deleting attribute j (Dekel and Shamir 2008, section 2). The relaxation takes attributes by
//! falling p_j / v_j, the last one in part. Equal values need only the largest gains, found in
//! O(n); other values a selection by weighted medians, also O(n). Ties (per value) go to the first
//! item.

mod largest;
pub(super) mod search;
pub(super) mod split;
pub(super) mod table;
#[cfg(test)]
mod tests;

use halfseen_core::data::{Costs, Threat};
use largest::Largest;
use search::Search;
use split::Split;
use table::Table;

/// Node limit of a search for whole deletions.
const NODES: usize = 100_000;

/// Node limit before whole numbers are solved by a table.
const FEW_NODES: usize = 5_000;

/// Adversary of one threat, with its workspace.
#[derive(Debug, Clone)]
pub struct Adversary<'t> {
    threat: &'t Threat,
    costs: Costs,
    budget: f64,
    /// True if all values are equal and above 0, so that only gains matter.
    plain: bool,
    nodes: usize,
    /// Deleted share of each item of the last query.
    shares: Vec<f64>,
    /// Items with a share above 0, increasing.
    deleted: Vec<u32>,
    largest: Largest,
    split: Split,
    search: Search,
    table: Table,
    order: Vec<u32>,
}

/// Result of a search for whole deletions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// Gain of the deletions.
    pub gain: f64,
    /// True if no others gain more, up to rounding.
    pub exact: bool,
}

impl<'t> Adversary<'t> {
    /// Creates the adversary and its workspace.
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

    /// Returns the threat.
    pub fn threat(&self) -> &'t Threat {
        self.threat
    }

    /// Sets the budget of the next queries to the threat's budget minus `spent`, at least 0.
    pub fn spend(&mut self, spent: f64) {
        let left = (self.threat.budget() - spent).max(0.0);
        (self.costs, self.budget) = match self.threat.costs() {
            Costs::Equal { value, .. } => {
                let count = halfseen_core::data::count(left, value);
                (Costs::Equal { value, count }, value * count as f64)
            }
            Costs::Whole { .. } => (Costs::Whole { budget: left.floor() as usize }, left),
            Costs::General => (Costs::General, left),
        };
    }

    /// Returns the remaining budget.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// Returns the deleted share in [0, 1] of each item of the last call of [`Adversary::relaxed`]
    /// or [`Adversary::whole`].
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Returns the items of the last query with a share above 0, increasing.
    pub fn deleted(&self) -> &[u32] {
        &self.deleted
    }

    /// Returns the largest gain, at least 0, of fractional deletions, given attributes and the gain
    /// of deleting each. Exact for equal values; otherwise an upper bound on the gain of whole
    /// deletions. O(items).
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

    /// Returns the largest gain of whole deletions found; [`Adversary::shares`] are then 0 or 1.
    /// Equal values are solved exactly; others by branch and bound, and long searches over whole
    /// numbers by dynamic programming. Beyond a limit of nodes (and 32 MB of table) the result is
    /// the best found, not marked exact.
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

    /// Takes items in order, free ones first; skips items that exceed the remaining budget. Returns
    /// the gain. `order` compares items with a cost.
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

    /// Takes these items in order; skips items that exceed the remaining budget.
    pub(super) fn taking(&mut self, attributes: &[u32], order: &[u32]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.take_in_order(attributes);
    }

    fn take_in_order(&mut self, attributes: &[u32]) {
        let values = self.threat.values();
        let (unit, mut left) = match self.costs {
            // Counted, as sums of values may differ from multiples by rounding.
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

    /// Takes items by falling gain per value within the budget, a share of the last if values
    /// differ.
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
            // Counted, as sums of values may differ from multiples; the next item does not fit.
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

    /// Sets the node limit.
    #[cfg(test)]
    fn limited(mut self, nodes: usize) -> Adversary<'t> {
        self.nodes = nodes;
        self
    }
}
