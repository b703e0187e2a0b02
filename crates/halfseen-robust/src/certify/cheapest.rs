//! Finds the cheapest deletions with a given gain, as a knapsack over the kept attributes.

use super::super::adversary::search::Search;
use super::super::adversary::split::Split;
use super::super::adversary::table::Table;
use halfseen_core::data::{Costs, Threat};

/// Node limit of a search.
const NODES: usize = 20_000;

/// Workspace for the values of one threat.
#[derive(Debug, Clone)]
pub(super) struct Cheapest<'t> {
    threat: &'t Threat,
    costs: Costs,
    nodes: usize,
    split: Split,
    search: Search,
    table: Table,
    free: Vec<u32>,
    kept: Vec<bool>,
}

/// Deletions with enough gain.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CheapestChange {
    pub(super) items: Vec<u32>,
    pub(super) cost: f64,
    /// Lower bound on the cost of any such deletions.
    pub(super) bound: f64,
    /// True if no others cost less, up to rounding.
    pub(super) exact: bool,
}

impl<'t> Cheapest<'t> {
    pub(super) fn new(threat: &'t Threat) -> Cheapest<'t> {
        Cheapest {
            threat,
            costs: threat.costs(),
            nodes: NODES,
            split: Split::default(),
            search: Search::default(),
            table: Table::default(),
            free: Vec::new(),
            kept: Vec::new(),
        }
    }

    pub(super) fn value(&self, attribute: u32) -> f64 {
        self.threat.values()[attribute as usize]
    }

    /// Returns the cheapest items, at least one, whose gains sum to `needed` or more. Items that
    /// alter nothing are excluded.
    pub(super) fn find(
        &mut self,
        attributes: &[u32],
        gains: &[f64],
        alters: &[bool],
        needed: f64,
    ) -> Option<CheapestChange> {
        let values = self.threat.values();
        let value = |i: u32| values[attributes[i as usize] as usize];
        let gain = |i: u32| gains[i as usize];
        if needed <= 0.0 {
            // Any item that does not move the score back too far.
            let enough =
                (0..gains.len() as u32).filter(|&i| alters[i as usize] && gain(i) >= needed);
            let least = enough.min_by(|&a, &b| value(a).total_cmp(&value(b)).then(a.cmp(&b)))?;
            return Some(CheapestChange {
                items: vec![least],
                cost: value(least),
                bound: value(least),
                exact: true,
            });
        }
        self.free.clear();
        self.split.clear();
        let equal = matches!(self.costs, Costs::Equal { .. });
        let (mut free, mut paid) = (0.0, 0.0);
        for (i, &gain) in gains.iter().enumerate().filter(|(_, gain)| **gain > 0.0) {
            let (item, cost) = (i as u32, value(i as u32));
            if cost == 0.0 {
                free += gain;
                self.free.push(item);
            } else {
                paid += gain;
                self.split.push(if equal { gain } else { gain / cost }, item);
            }
        }
        if free + paid < needed {
            return None;
        }
        let rest = needed - free;
        if rest <= 0.0 {
            let items = self.with_free(Vec::new(), &gain, needed);
            return Some(CheapestChange { items, cost: 0.0, bound: 0.0, exact: true });
        }
        // The first items by gain per value are the cheapest in fractions.
        let before = self.split.reach(rest, gain)?;
        let last = self.split.reaching()?;
        let first: Vec<u32> = self.split.before().collect();
        if let Costs::Equal { value, .. } = self.costs {
            let cost = value * (first.len() + 1) as f64;
            let items = self.with_free([first, vec![last]].concat(), &gain, needed);
            return Some(CheapestChange { items, cost, bound: cost, exact: true });
        }
        let relaxed = first.iter().map(|&i| value(i)).sum::<f64>()
            + value(last) * (rest - before) / gain(last);
        let (chosen, exact) = self.search(gains, &value, paid - rest, rest);
        let cost: f64 = chosen.iter().map(|&i| value(i)).sum();
        let bound = if exact { cost } else { relaxed.min(cost) };
        let items = self.with_free(chosen, &gain, needed);
        Some(CheapestChange { items, cost, bound, exact })
    }

    /// Returns the cheapest items with a cost above 0 that gain `rest`: those not kept, where kept
    /// items gain at most `spare`.
    fn search(
        &mut self,
        gains: &[f64],
        value: &impl Fn(u32) -> f64,
        spare: f64,
        rest: f64,
    ) -> (Vec<u32>, bool) {
        let items =
            || (0..gains.len() as u32).filter(|&i| gains[i as usize] > 0.0 && value(i) > 0.0);
        let whole = matches!(self.costs, Costs::Whole { .. });
        let triples = items().map(|i| (i, value(i), gains[i as usize]));
        let mut exact = self.search.run(triples, spare, whole, self.nodes).exact;
        self.kept.clear();
        self.kept.resize(gains.len(), false);
        self.search.items().for_each(|i| self.kept[i as usize] = true);
        let mut chosen: Vec<u32> = items().filter(|&i| !self.kept[i as usize]).collect();
        let cost: f64 = chosen.iter().map(|&i| value(i)).sum();
        if !exact && whole && Table::fits(self.split.len(), cost as usize) {
            self.table
                .fill(items().map(|i| (i, gains[i as usize], value(i) as usize)), cost as usize);
            let least = self.table.best().partition_point(|&gain| gain < rest);
            if least <= cost as usize {
                chosen = self.table.items(least).collect();
                exact = true;
            }
        }
        (chosen, exact)
    }

    /// Adds free items, largest gains first, until the gains suffice.
    fn with_free(
        &mut self,
        mut items: Vec<u32>,
        gain: &impl Fn(u32) -> f64,
        needed: f64,
    ) -> Vec<u32> {
        let mut gained: f64 = items.iter().map(|&i| gain(i)).sum();
        if gained < needed {
            self.free.sort_unstable_by(|&a, &b| gain(b).total_cmp(&gain(a)).then(a.cmp(&b)));
            for &i in &self.free {
                if gained >= needed {
                    break;
                }
                gained += gain(i);
                items.push(i);
            }
        }
        items
    }

    /// Sets the node limit.
    #[cfg(test)]
    pub(super) fn limited(mut self, nodes: usize) -> Cheapest<'t> {
        self.nodes = nodes;
        self
    }
}
