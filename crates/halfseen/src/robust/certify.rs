//! Certifies single predictions: computes the largest deletion budget that cannot change one.
//!
//! The cheapest set of attributes whose deletion changes a prediction is a knapsack problem with
//! roles exchanged. Equal values need only the largest changes, found in O(n); others use branch
//! and bound or, for whole numbers, dynamic programming. If a search gives up, the relaxation gives
//! a lower bound, and the certificate says so. Comparisons of sums allow for rounding, so a
//! certificate is never wrong: within rounding of a change counts as changed.

mod cheapest;
#[cfg(test)]
mod tests;

use super::effects::Effects;
use crate::data::{Costs, Examples, TargetScale, Threat};
use crate::error::Result;
use crate::model::Linear;
use cheapest::{Cheapest, CheapestChange};
use rayon::prelude::*;

/// Certified property of a prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CertifiedClaim {
    /// The predicted one of two classes: the second if the prediction is above 0.
    Class,
    /// The prediction moves by at most this distance, at least 0 and in the target's units.
    Within(f64),
}

/// Certificate of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// Largest budget N with which no adversary can change the prediction, missing cells counted as
    /// spent. The value of all attributes if nothing changes it; `None` if attributes of cost 0
    /// change it.
    pub certified: Option<f64>,
    /// Least budget known to suffice to change it, missing cells included; `None` if unknown or
    /// impossible.
    pub flips_at: Option<f64>,
    /// Attributes whose deletion changes it at that budget, increasing; empty if none are known.
    pub flips: Vec<u32>,
    /// True if `certified` is the largest such budget (for values neither equal nor whole, up to
    /// one part in a billion); otherwise a lower bound.
    pub exact: bool,
    /// Number of missing attributes.
    pub missing: usize,
}

/// Number of rows that share a workspace.
const CHUNK: usize = 64;

/// Certifies the prediction of each example, a linear score mapped to the target's units by
/// `scale`. Only the values of the threat are used.
///
/// # Errors
/// If there is not one value per attribute and one weight per column.
pub fn certify(
    linear: &Linear,
    scale: TargetScale,
    examples: &Examples<'_>,
    values: &Threat,
    promise: CertifiedClaim,
) -> Result<Vec<Certificate>> {
    let effects = Effects::new(linear, examples, values)?;
    let starts: Vec<usize> = (0..examples.len()).step_by(CHUNK).collect();
    let parts = starts.par_iter().map(|&start| {
        let mut certifier = Certifier {
            effects: effects.clone(),
            promise,
            scale,
            total: values.total(),
            costs: values.costs(),
            cheapest: Cheapest::new(values),
            gains: Vec::new(),
            whole: Vec::new(),
        };
        let rows = start..(start + CHUNK).min(examples.len());
        rows.map(|row| certifier.row(examples, row)).collect::<Vec<_>>()
    });
    Ok(parts.collect::<Vec<_>>().concat())
}

/// Returns the share of rows that are misclassified or may be changed by a threat of this budget. A
/// row is safe at N iff it is predicted correctly and certified at least N.
pub fn certified_error(
    certificates: &[Certificate],
    right: impl Iterator<Item = bool>,
    budget: f64,
) -> f64 {
    // Multiples of a value may differ by rounding.
    let safe = |certificate: &Certificate| {
        certificate.certified.is_some_and(|n| n >= budget * (1.0 - 1e-12))
    };
    let unsafe_rows = certificates
        .iter()
        .zip(right)
        .filter(|(certificate, right)| !(*right && safe(certificate)));
    unsafe_rows.count() as f64 / certificates.len().max(1) as f64
}

/// Certification state of one thread.
struct Certifier<'a> {
    effects: Effects<'a>,
    promise: CertifiedClaim,
    scale: TargetScale,
    total: f64,
    costs: Costs,
    cheapest: Cheapest<'a>,
    gains: Vec<f64>,
    /// Copy of the row before deletions.
    whole: Vec<f64>,
}

impl Certifier<'_> {
    fn row(&mut self, examples: &Examples<'_>, row: usize) -> Certificate {
        self.effects.read(examples, row);
        let (score, spent, missing) =
            (self.effects.score, self.effects.spent, self.effects.missing.len());
        if !score.is_finite() {
            return Certificate {
                certified: None,
                flips_at: None,
                flips: Vec::new(),
                exact: false,
                missing,
            };
        }
        let slack = self.rounding();
        let needed = self.needed();
        let Some((found, away)) = self.least(needed - slack) else {
            let certified = Some(self.total);
            return Certificate {
                certified,
                flips_at: None,
                flips: Vec::new(),
                exact: true,
                missing,
            };
        };
        let certified = self.below(&found).map(|below| (spent + below).min(self.total));
        let (mut exact, mut flips) = (found.exact, self.named(&found));
        if !self.changes(&flips) {
            // Within rounding of a change but none: a certain change may cost more.
            exact = false;
            flips.clear();
            if let Some(sure) = self.surely(needed + slack, away) {
                flips = self.named(&sure);
                exact = sure.exact && sure.cost <= found.cost;
                if !self.changes(&flips) {
                    flips.clear();
                }
            }
        }
        let cost: f64 = flips.iter().map(|&j| self.cheapest.value(j)).sum();
        let flips_at = (!flips.is_empty()).then_some(spent + cost);
        Certificate { certified, flips_at, flips, exact, missing }
    }

    /// Returns a bound on the rounding error of scores and of sums of changes.
    fn rounding(&self) -> f64 {
        let terms = (self.effects.row.len() + 8) as f64;
        8.0 * terms * f64::EPSILON * (self.effects.size() + self.threshold().abs() + self.needed())
    }

    /// Returns the score above which the second class is predicted.
    fn threshold(&self) -> f64 {
        -self.scale.mean / self.scale.deviation
    }

    /// Returns the change of score needed.
    fn needed(&self) -> f64 {
        match self.promise {
            CertifiedClaim::Class => (self.effects.score - self.threshold()).abs(),
            CertifiedClaim::Within(distance) => distance / self.scale.deviation,
        }
    }

    /// Returns the cheapest deletions that move the score by `needed`, and their direction.
    fn least(&mut self, needed: f64) -> Option<(CheapestChange, f64)> {
        match self.promise {
            CertifiedClaim::Class => {
                // Like predictions: on the threshold, rounding decides the class.
                let away = if self.scale.undo(self.effects.score) > 0.0 { -1.0 } else { 1.0 };
                self.surely(needed, away).map(|found| (found, away))
            }
            CertifiedClaim::Within(_) => {
                let (down, up) = (self.surely(needed, -1.0), self.surely(needed, 1.0));
                let both =
                    down.map(|found| (found, -1.0)).into_iter().chain(up.map(|found| (found, 1.0)));
                both.min_by(|a, b| a.0.bound.total_cmp(&b.0.bound))
            }
        }
    }

    fn surely(&mut self, needed: f64, away: f64) -> Option<CheapestChange> {
        self.gains.clear();
        self.gains.extend(self.effects.changes.iter().map(|change| away * change));
        self.cheapest.find(&self.effects.attributes, &self.gains, &self.effects.alters, needed)
    }

    fn named(&self, found: &CheapestChange) -> Vec<u32> {
        let mut named: Vec<u32> =
            found.items.iter().map(|&item| self.effects.attributes[item as usize]).collect();
        named.sort_unstable();
        named
    }

    /// Returns true if deleting these attributes changes the prediction.
    fn changes(&mut self, flips: &[u32]) -> bool {
        self.whole.clear();
        self.whole.extend_from_slice(&self.effects.row);
        flips.iter().for_each(|&attribute| self.effects.vanish(attribute));
        let (before, after) =
            (self.scale.undo(self.effects.score), self.scale.undo(self.effects.score_now()));
        self.effects.row.copy_from_slice(&self.whole);
        match self.promise {
            CertifiedClaim::Class => (before > 0.0) != (after > 0.0),
            CertifiedClaim::Within(distance) => (after - before).abs() > distance,
        }
    }

    /// Returns the largest budget below the cost of the cheapest deletions; `None` if this is 0.
    fn below(&self, found: &CheapestChange) -> Option<f64> {
        if found.bound <= 0.0 {
            return None;
        }
        Some(match self.costs {
            Costs::Equal { value, .. } => value * ((found.bound / value).round() - 1.0),
            // The next whole number below the proven bound.
            Costs::Whole { .. } => (found.bound * (1.0 - 1e-9)).ceil() - 1.0,
            Costs::General => (found.bound * (1.0 - 1e-9) - 1e-12 * self.total).max(0.0),
        })
    }
}
