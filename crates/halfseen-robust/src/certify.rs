//! Certifies single predictions: computes the largest deletion budget that cannot change one.
//!
//! The cheapest set of attributes whose deletion changes a prediction is a knapsack problem with
//! roles exchanged. Equal values need only the largest changes, found in O(n); others use branch
//! and bound or, for whole numbers, dynamic programming. If a search gives up, the relaxation gives
//! a lower bound, and the certificate says so. Comparisons of sums allow for rounding, so a
//! certificate is never wrong: within rounding of a change counts as changed.
//!
//! More than two classes have one score each, and the largest decides. The prediction can change if
//! for any other class deletions make the difference of the two scores change its sign. Each
//! difference is a score like that of two classes, so the certificate is the least of theirs.

mod cheapest;
#[cfg(test)]
mod tests;

use super::effects::Effects;
use cheapest::{Cheapest, CheapestChange};
use halfseen_core::data::{Costs, Examples, TargetScale, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::model::{Linear, largest};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Certified property of a prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CertifiedClaim {
    /// The predicted class: the second of two if the prediction is above 0, or that of the largest
    /// score.
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

/// Certifies the prediction of each example by the linear models of
/// [`Predictor::additive`](halfseen_core::model::Predictor::additive): one, whose score `scale` maps to the
/// target's units, or one of each class. Only the values of the threat are used.
///
/// # Errors
/// If there is not one value per attribute and one weight per column; without a model;
/// [`ErrorKind::NotLinear`] for a number from models of several classes.
pub fn certify(
    linears: &[Linear],
    scale: TargetScale,
    examples: &Examples<'_>,
    values: &Threat,
    promise: CertifiedClaim,
) -> Result<Vec<Certificate>> {
    let first = linears.first().ok_or(ErrorKind::NotLinear)?;
    if linears.len() > 1 && promise != CertifiedClaim::Class {
        return Err(ErrorKind::NotLinear.into());
    }
    let effects = Effects::new(first, examples, values)?;
    let starts: Vec<usize> = (0..examples.len()).step_by(CHUNK).collect();
    let parts = starts.par_iter().map(|&start| {
        let mut certifier = Certifier {
            linears,
            rivals: None,
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

/// Returns the certificate against both of two ways in which a prediction can change.
fn weaker(one: Certificate, other: Certificate) -> Certificate {
    // The least budget that suffices for either, and the attributes to it.
    let cost = |certificate: &Certificate| certificate.flips_at.unwrap_or(f64::INFINITY);
    let (flips_at, flips) = match cost(&other) < cost(&one) {
        true => (other.flips_at, other.flips),
        false => (one.flips_at, one.flips),
    };
    // None, where attributes of cost 0 suffice, is less than any budget.
    let bound = |certified: Option<f64>| certified.unwrap_or(-1.0);
    let exact = match bound(one.certified).total_cmp(&bound(other.certified)) {
        Ordering::Less => one.exact,
        Ordering::Equal => one.exact || other.exact,
        Ordering::Greater => other.exact,
    };
    let certified =
        if bound(other.certified) < bound(one.certified) { other.certified } else { one.certified };
    Certificate { certified, flips_at, flips, exact, missing: one.missing }
}

/// Certification state of one thread.
struct Certifier<'a> {
    /// One, or one for each of more than two classes.
    linears: &'a [Linear],
    /// Predicted class and another one, whose difference is the score.
    rivals: Option<(usize, usize)>,
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
        if self.linears.len() == 1 {
            return self.certificate();
        }
        let predicted = self.predicted();
        let (linears, mut least) = (self.linears, None);
        for other in (0..linears.len()).filter(|other| *other != predicted) {
            self.rivals = Some((predicted, other));
            self.effects.between(&linears[predicted], &linears[other]);
            let next = self.certificate();
            least = Some(match least {
                None => next,
                Some(before) => weaker(before, next),
            });
        }
        least.unwrap_or_else(|| self.certificate())
    }

    /// Returns the class of largest score in the present state of the row, the first of equals.
    fn predicted(&self) -> usize {
        let score = |linear: &Linear| self.scale.undo(linear.score(&self.effects.row));
        largest(self.linears.iter().map(score))
    }

    /// Certifies the row that was read, with the score that was set.
    fn certificate(&mut self) -> Certificate {
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
        let Some((change, away)) = self.least(needed - slack) else {
            let certified = Some(self.total);
            return Certificate {
                certified,
                flips_at: None,
                flips: Vec::new(),
                exact: true,
                missing,
            };
        };
        let certified = self.below(&change).map(|below| (spent + below).min(self.total));
        let (mut exact, mut flips) = (change.exact, self.named(&change));
        if !self.changes(&flips) {
            // Within rounding of a change but none: a certain change may cost more.
            exact = false;
            flips.clear();
            if let Some(sure) = self.surely(needed + slack, away) {
                flips = self.named(&sure);
                exact = sure.exact && sure.cost <= change.cost;
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
        // The difference of two scores is rounded like each of them.
        let sizes: f64 = match self.rivals {
            None => self.effects.size(&self.linears[0]),
            Some((one, other)) => {
                [one, other].iter().map(|&class| self.effects.size(&self.linears[class])).sum()
            }
        };
        8.0 * terms * f64::EPSILON * (sizes + self.threshold().abs() + self.needed())
    }

    /// Returns the score above which the second class is predicted, or the first of two rivals.
    fn threshold(&self) -> f64 {
        if self.rivals.is_some() {
            return 0.0;
        }
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
                let above = self.rivals.is_some() || self.scale.undo(self.effects.score) > 0.0;
                let away = if above { -1.0 } else { 1.0 };
                self.surely(needed, away).map(|change| (change, away))
            }
            CertifiedClaim::Within(_) => {
                let (down, up) = (self.surely(needed, -1.0), self.surely(needed, 1.0));
                let both = down.map(|c| (c, -1.0)).into_iter().chain(up.map(|c| (c, 1.0)));
                both.min_by(|a, b| a.0.bound.total_cmp(&b.0.bound))
            }
        }
    }

    fn surely(&mut self, needed: f64, away: f64) -> Option<CheapestChange> {
        self.gains.clear();
        self.gains.extend(self.effects.changes.iter().map(|change| away * change));
        self.cheapest.find(&self.effects.attributes, &self.gains, &self.effects.alters, needed)
    }

    fn named(&self, change: &CheapestChange) -> Vec<u32> {
        let mut named: Vec<u32> =
            change.items.iter().map(|&item| self.effects.attributes[item as usize]).collect();
        named.sort_unstable();
        named
    }

    /// Returns true if deleting these attributes changes the prediction.
    fn changes(&mut self, flips: &[u32]) -> bool {
        self.whole.clear();
        self.whole.extend_from_slice(&self.effects.row);
        flips.iter().for_each(|&attribute| self.effects.vanish(attribute));
        let changed = match self.rivals {
            Some((predicted, _)) => self.predicted() != predicted,
            None => {
                let scores = [self.effects.score, self.effects.score_now()];
                let [before, after] = scores.map(|score| self.scale.undo(score));
                match self.promise {
                    CertifiedClaim::Class => (before > 0.0) != (after > 0.0),
                    CertifiedClaim::Within(distance) => (after - before).abs() > distance,
                }
            }
        };
        self.effects.row.copy_from_slice(&self.whole);
        changed
    }

    /// Returns the largest budget below the cost of the cheapest deletions; `None` if this is 0.
    fn below(&self, change: &CheapestChange) -> Option<f64> {
        if change.bound <= 0.0 {
            return None;
        }
        Some(match self.costs {
            Costs::Equal { value, .. } => value * ((change.bound / value).round() - 1.0),
            // The next whole number below the proven bound.
            Costs::Whole { .. } => (change.bound * (1.0 - 1e-9)).ceil() - 1.0,
            Costs::General => (change.bound * (1.0 - 1e-9) - 1e-12 * self.total).max(0.0),
        })
    }
}
