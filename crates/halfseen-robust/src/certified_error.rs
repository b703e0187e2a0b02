//! Bounds the error of certified predictions under every attack, for rows that come in parts.

use super::certify::Certificate;
use halfseen_core::data::{Costs, Threat};
use std::collections::{BTreeMap, BTreeSet};

/// Certified rows, counted by their certificates: memory grows with the number of different ones.
#[derive(Debug, Clone, Default)]
pub struct CertifiedErrors {
    rows: u64,
    /// Rows that are predicted correctly, by the bits of the largest budget that changes none;
    /// bits of numbers of at least 0 are ordered as they are.
    safe: BTreeMap<u64, u64>,
    /// The same of all rows.
    unchanged: BTreeMap<u64, u64>,
    /// Bits of those budgets beyond which deletions change a row, or may.
    limits: BTreeSet<u64>,
    inexact: u64,
}

impl CertifiedErrors {
    /// Adds rows; `right` says whether each is predicted correctly.
    pub fn add(&mut self, certificates: &[Certificate], right: impl Iterator<Item = bool>) {
        for (certificate, right) in certificates.iter().zip(right) {
            self.rows += 1;
            self.inexact += u64::from(!certificate.exact);
            let Some(budget) = certificate.certified else { continue };
            // No -0, whose bits are those of a large number.
            let bits = (budget + 0.0).to_bits();
            *self.unchanged.entry(bits).or_default() += 1;
            if right {
                *self.safe.entry(bits).or_default() += 1;
            }
            if certificate.flips_at.is_some() || !certificate.exact {
                self.limits.insert(bits);
            }
        }
    }

    /// Returns the number of rows whose certificate is a lower bound.
    pub fn inexact(&self) -> u64 {
        self.inexact
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Returns the number of rows whose prediction, right or wrong, no threat of this budget
    /// changes.
    pub fn unchanged(&self, budget: f64) -> u64 {
        self.unchanged.range(least(budget)..).map(|(_, rows)| rows).sum()
    }

    /// Returns the share of rows that are misclassified or may be changed by a threat of this
    /// budget. A row is safe at N iff it is predicted correctly and certified at least N.
    pub fn at(&self, budget: f64) -> f64 {
        self.over(&[budget])[0]
    }

    /// Does the same for each of these budgets, which increase, in one pass.
    pub fn over(&self, budgets: &[f64]) -> Vec<f64> {
        let (mut rows, mut safe) = (self.safe.iter().rev().peekable(), 0);
        let mut error = |budget: &f64| {
            let least = least(*budget);
            while let Some((_, more)) = rows.next_if(|(budget, _)| **budget >= least) {
                safe += more;
            }
            (self.rows - safe) as f64 / self.rows.max(1) as f64
        };
        let mut errors: Vec<f64> = budgets.iter().rev().map(&mut error).collect();
        errors.reverse();
        errors
    }

    /// Returns the budgets at which the error of a threat with these costs changes, increasing from
    /// 0. For general costs they are those of single rows.
    pub fn budgets(&self, costs: &Threat) -> Vec<f64> {
        let mut budgets: Vec<f64> = self.limits.iter().copied().map(f64::from_bits).collect();
        let largest = budgets.last().copied().unwrap_or(0.0);
        match costs.costs() {
            // Every number of attributes, up to the first from which nothing changes.
            Costs::Equal { value, .. } => {
                let count = (largest / value).round() as usize + 1;
                budgets = (0..=count).map(|k| k as f64 * value).collect();
            }
            Costs::Whole { .. } => budgets.extend(budgets.clone().iter().map(|n| n + 1.0)),
            Costs::General => {}
        }
        budgets.push(0.0);
        budgets.retain(|n| *n < costs.total());
        budgets.sort_unstable_by(f64::total_cmp);
        budgets.dedup();
        budgets
    }
}

/// Returns the bits of the least certificate that a budget does not exceed: multiples of a value
/// may differ by rounding.
fn least(budget: f64) -> u64 {
    (budget * (1.0 - 1e-12)).max(0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(certified: Option<f64>) -> Certificate {
        Certificate { certified, flips_at: None, flips: vec![], exact: true, missing: 0 }
    }

    #[test]
    fn certified_errors_count_what_is_wrong_or_may_turn() {
        let rows = [row(Some(3.0)), row(Some(-0.0)), row(None), row(Some(5.0))];
        let mut errors = CertifiedErrors::default();
        // In parts, as rows of a stream come.
        errors.add(&rows[..1], [true].into_iter());
        errors.add(&rows[1..], [true, true, false].into_iter());
        assert_eq!(errors.over(&[0.0, 1.0, 3.0, 3.5]), [0.5, 0.75, 0.75, 1.0]);
        assert_eq!([0.0, 1.0, 3.0, 3.5].map(|n| errors.at(n)), [0.5, 0.75, 0.75, 1.0]);
        assert_eq!(errors.inexact(), 0);
        // Those that are wrong and stay as they are count, too.
        assert_eq!([0.0, 1.0, 3.0, 3.5, 6.0].map(|n| errors.unchanged(n)), [3, 2, 2, 1, 0]);
        assert_eq!(errors.rows(), 4);
    }

    #[test]
    fn budgets_are_those_at_which_the_error_changes() {
        let limited = |n: f64| Certificate { flips_at: Some(n + 1.0), ..row(Some(n)) };
        let budgets = |costs: Vec<f64>| {
            let mut errors = CertifiedErrors::default();
            errors.add(&[limited(2.0), limited(0.0), row(Some(4.0))], std::iter::repeat(true));
            errors.budgets(&Threat::new(costs, 0.0).unwrap())
        };
        assert_eq!(budgets(vec![1.0; 9]), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(budgets(vec![2.0, 3.0, 4.0]), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(budgets(vec![0.5, 1.7, 2.9]), [0.0, 2.0]);
    }
}
