//! Answers which deletions do the most damage to a row: a knapsack, whole or in fractions.
//!
//! The adversary maximises sum_D p_j over sets D with sum_D v_j <= N, where p_j is what the deletion of attribute j gains
//! (paper E, section 3.1). Its relaxation takes attributes by p_j / v_j, and a part of one.

use super::threat::{Costs, Threat};

/// The adversary of one threat, with room to work in.
#[derive(Debug, Clone)]
pub struct Adversary<'t> {
    threat: &'t Threat,
    costs: Costs,
    budget: f64,
    /// What was deleted of each item of the last question.
    shares: Vec<f64>,
    order: Vec<u32>,
    /// Best gains for each budget, and what was taken for them.
    table: Vec<f64>,
    taken: Vec<bool>,
}

impl<'t> Adversary<'t> {
    /// Makes room.
    pub fn new(threat: &'t Threat) -> Adversary<'t> {
        Adversary {
            threat,
            costs: threat.costs(),
            budget: threat.effective(),
            shares: Vec::new(),
            order: Vec::new(),
            table: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// The threat.
    pub fn threat(&self) -> &'t Threat {
        self.threat
    }

    /// The deleted share of each item of the last question, in [0, 1].
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// The largest gain of fractional deletions from items (attribute, gain of its deletion), at least 0. Exact for equal
    /// values; otherwise an upper bound of the gain of whole deletions.
    pub fn relaxed(&mut self, attributes: &[u32], gains: &[f64]) -> f64 {
        let values = self.threat.values();
        let value = |i: &u32| values[attributes[*i as usize] as usize];
        self.shares.clear();
        self.shares.resize(gains.len(), 0.0);
        self.order.clear();
        self.order.extend((0..gains.len() as u32).filter(|&i| gains[i as usize] > 0.0));
        // Multiplied out: a free item comes first.
        self.order.sort_unstable_by(|a, b| {
            (gains[*b as usize] * value(a)).total_cmp(&(gains[*a as usize] * value(b))).then(a.cmp(b))
        });
        let (mut left, mut gain) = (self.budget, 0.0);
        for i in &self.order {
            let cost = value(i);
            let share = if cost <= left { 1.0 } else { left / cost };
            self.shares[*i as usize] = share;
            gain += share * gains[*i as usize];
            left -= share * cost;
            if left <= 0.0 && share < 1.0 {
                break;
            }
        }
        gain
    }

    /// The largest gain of whole deletions found; [`Adversary::shares`] are then 0 or 1. Exact for equal values, and for
    /// whole numbers by dynamic programming in O(items times budget).
    pub fn whole(&mut self, attributes: &[u32], gains: &[f64]) -> Worst {
        match self.costs {
            Costs::Equal { .. } => Worst { gain: self.relaxed(attributes, gains), exact: true },
            Costs::Whole { budget } => Worst { gain: self.tabulated(attributes, gains, budget), exact: true },
            Costs::General => Worst { gain: self.skipping(attributes, gains), exact: false },
        }
    }

    /// Best gains for each budget, item by item, and back.
    fn tabulated(&mut self, attributes: &[u32], gains: &[f64], budget: usize) -> f64 {
        let values = self.threat.values();
        let cost = |i: usize| values[attributes[i] as usize] as usize;
        let width = budget + 1;
        self.shares.clear();
        self.shares.resize(gains.len(), 0.0);
        self.order.clear();
        self.order.extend((0..gains.len() as u32).filter(|&i| gains[i as usize] > 0.0 && cost(i as usize) <= budget));
        self.table.clear();
        self.table.resize(width, 0.0);
        self.taken.clear();
        self.taken.resize(width * self.order.len(), false);
        for (&i, taken) in self.order.iter().zip(self.taken.chunks_exact_mut(width)) {
            let (gain, cost) = (gains[i as usize], cost(i as usize));
            for left in (cost..width).rev() {
                let with = self.table[left - cost] + gain;
                if with > self.table[left] {
                    self.table[left] = with;
                    taken[left] = true;
                }
            }
        }
        let mut left = budget;
        for (&i, taken) in self.order.iter().zip(self.taken.chunks_exact(width)).rev() {
            if taken[left] {
                self.shares[i as usize] = 1.0;
                left -= cost(i as usize);
            }
        }
        self.table[budget]
    }

    /// Takes by gain per value what still fits: feasible, and no more than the best.
    fn skipping(&mut self, attributes: &[u32], gains: &[f64]) -> f64 {
        self.relaxed(attributes, gains);
        let values = self.threat.values();
        let (mut left, mut gain) = (self.budget, 0.0);
        self.shares.fill(0.0);
        for &i in &self.order {
            let cost = values[attributes[i as usize] as usize];
            if cost <= left {
                left -= cost;
                gain += gains[i as usize];
                self.shares[i as usize] = 1.0;
            }
        }
        gain
    }
}

/// Whole deletions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worst {
    /// What they gain.
    pub gain: f64,
    /// Whether no others gain more.
    pub exact: bool,
}
