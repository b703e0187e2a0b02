//! Certifies single predictions: the largest budget up to which no deletion whatever can change
//! one.
//!
//! The cheapest set of attributes whose loss changes a prediction is a knapsack the other way
//! round. Equal values need no more than the largest changes, found in O(n); other values branch
//! and bound, or for whole numbers dynamic programming. Where a search gives up, the relaxation is
//! a lower bound, and the certificate says so. Sums are compared with allowance for rounding, so
//! that a certificate is never wrong: what lies within rounding of a change counts as changed.

mod cheapest;
#[cfg(test)]
mod tests;

use super::effects::Effects;
use crate::data::{Costs, Examples, TargetScale, Threat};
use crate::error::Result;
use crate::model::Linear;
use cheapest::{Cheapest, Found};
use rayon::prelude::*;

/// What a certificate is about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Promise {
    /// Which of two classes a prediction tells: the second where it is above 0.
    Class,
    /// That a prediction moves by no more than this, up or down, at least 0 and in the target's
    /// units.
    Within(f64),
}

/// What no deletion can do to one row.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The largest budget N with which no adversary can change the prediction, cells that are
    /// missing already counted as spent: the value of all attributes where nothing changes it;
    /// `None` where attributes that cost nothing change it.
    pub certified: Option<f64>,
    /// The least budget that is known to be enough to change it, missing cells included; `None` if
    /// none is.
    pub flips_at: Option<f64>,
    /// The attributes whose loss changes it at that budget, increasing; none where nothing does.
    pub flips: Vec<u32>,
    /// Whether `certified` is the largest such budget (for values that are neither equal nor whole,
    /// up to one part in a billion); if not it is a lower bound.
    pub exact: bool,
    /// How many attributes are missing.
    pub missing: usize,
}

/// Rows that share room to work in.
const CHUNK: usize = 64;

/// One certificate for each example, whose prediction is the weighted sum taken back to the
/// target's units by `scale`; of the threat only the values count.
///
/// # Errors
/// Values that are not one for each attribute; weights that are not one for each column.
pub fn certify(
    linear: &Linear,
    scale: TargetScale,
    examples: &Examples<'_>,
    values: &Threat,
    promise: Promise,
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

/// The share of rows that are wrong, or that a threat of this budget may turn: a row is safe at N
/// iff it is predicted right and certified at least N.
pub fn certified_error(
    certificates: &[Certificate],
    right: impl Iterator<Item = bool>,
    budget: f64,
) -> f64 {
    // A multiple of a value may be off by rounding.
    let safe = |certificate: &Certificate| {
        certificate.certified.is_some_and(|n| n >= budget * (1.0 - 1e-12))
    };
    let unsafe_rows = certificates
        .iter()
        .zip(right)
        .filter(|(certificate, right)| !(*right && safe(certificate)));
    unsafe_rows.count() as f64 / certificates.len().max(1) as f64
}

/// One thread's certificates.
struct Certifier<'a> {
    effects: Effects<'a>,
    promise: Promise,
    scale: TargetScale,
    total: f64,
    costs: Costs,
    cheapest: Cheapest<'a>,
    gains: Vec<f64>,
    /// The row as it is, while attributes vanish from it.
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
            // Within rounding of a change, and yet none: what is sure to change it may cost more.
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

    /// How much a score may be off, and sums of changes with it.
    fn rounding(&self) -> f64 {
        let terms = (self.effects.row.len() + 8) as f64;
        8.0 * terms * f64::EPSILON * (self.effects.size() + self.threshold().abs() + self.needed())
    }

    /// The score above which the second class begins.
    fn threshold(&self) -> f64 {
        -self.scale.mean / self.scale.deviation
    }

    /// By how much the score must move.
    fn needed(&self) -> f64 {
        match self.promise {
            Promise::Class => (self.effects.score - self.threshold()).abs(),
            Promise::Within(distance) => distance / self.scale.deviation,
        }
    }

    /// The cheapest deletions that move the score by so much, and whither.
    fn least(&mut self, needed: f64) -> Option<(Found, f64)> {
        match self.promise {
            Promise::Class => {
                // As predictions are: on the threshold, rounding decides which class it is.
                let away = if self.scale.undo(self.effects.score) > 0.0 { -1.0 } else { 1.0 };
                self.surely(needed, away).map(|found| (found, away))
            }
            Promise::Within(_) => {
                let (down, up) = (self.surely(needed, -1.0), self.surely(needed, 1.0));
                let both =
                    down.map(|found| (found, -1.0)).into_iter().chain(up.map(|found| (found, 1.0)));
                both.min_by(|a, b| a.0.bound.total_cmp(&b.0.bound))
            }
        }
    }

    fn surely(&mut self, needed: f64, away: f64) -> Option<Found> {
        self.gains.clear();
        self.gains.extend(self.effects.changes.iter().map(|change| away * change));
        self.cheapest.find(&self.effects.attributes, &self.gains, &self.effects.alters, needed)
    }

    fn named(&self, found: &Found) -> Vec<u32> {
        let mut named: Vec<u32> =
            found.items.iter().map(|&item| self.effects.attributes[item as usize]).collect();
        named.sort_unstable();
        named
    }

    /// Whether a prediction without these attributes is another one.
    fn changes(&mut self, flips: &[u32]) -> bool {
        self.whole.clear();
        self.whole.extend_from_slice(&self.effects.row);
        flips.iter().for_each(|&attribute| self.effects.vanish(attribute));
        let (before, after) =
            (self.scale.undo(self.effects.score), self.scale.undo(self.effects.score_now()));
        self.effects.row.copy_from_slice(&self.whole);
        match self.promise {
            Promise::Class => (before > 0.0) != (after > 0.0),
            Promise::Within(distance) => (after - before).abs() > distance,
        }
    }

    /// The largest budget below what the cheapest deletions cost; `None` if they cost nothing.
    fn below(&self, found: &Found) -> Option<f64> {
        if found.bound <= 0.0 {
            return None;
        }
        Some(match self.costs {
            Costs::Equal { value, .. } => value * ((found.bound / value).round() - 1.0),
            // Of a bound that was proven the next whole number.
            Costs::Whole { .. } => (found.bound * (1.0 - 1e-9)).ceil() - 1.0,
            Costs::General => (found.bound * (1.0 - 1e-9) - 1e-12 * self.total).max(0.0),
        })
    }
}
