//! Tests the predictions of the moments so far on every next example before learning from it, and
//! selects the trust in them.
//!
//! A product of two attributes is observed once in d^2/(2s) examples, so weights solved from few of
//! them are mostly noise; without declared scales of attributes no radius guards against it. Here
//! several trusts compete: products of different attributes are multiplied by a share, weights by a
//! length. At t = 4, 6, 9, ... each is solved anew; in between every answer gives an unbiased
//! estimate of each one's squared error, from the reads that it has anyway. With a the terms w_j
//! e_j of the panels read, and r the residual of the target after the constant and the known
//! columns, it is r^2 - 2 r (d/k) sum a + q. q estimates (sum of all a)^2: d^2/s sum a_i a_j over s
//! drawn pairs, or d/k sum a_i^2 + d(d-1)/(k(k-1)) sum_{i != j} a_i a_j over a subset of k. The
//! t-th answer has weight t, because late answers test weights from more examples. The learner uses
//! the trust of least error, and the report gives this error.

use super::draws::Draws;
use super::sums::Seen;
use crate::progressive_validation::ProgressiveValidation;
use halfseen_core::data::Layout;
use serde::{Deserialize, Serialize};

/// Factors of products of different attributes, besides their shrinkage for noise.
const SHARES: [f64; 3] = [1.0, 0.5, 0.0];
/// Factors of the weights.
const LENGTHS: [f64; 3] = [1.0, 0.5, 0.25];
/// Answers before the first test.
const FIRST: u64 = 4;

/// Degree of trust in the moments.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trust {
    /// Factor of products of different attributes.
    pub(super) share: f64,
    /// Factor of the weights.
    pub(super) length: f64,
}

impl Trust {
    /// Moments unchanged.
    pub(super) const FULL: Trust = Trust { share: 1.0, length: 1.0 };
}

/// The trusts under test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OwnTest {
    /// Answers before the next solution.
    due: u64,
    readings: Vec<Tested>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tested {
    /// Per sampled slot; empty before the first test.
    weights: Vec<f64>,
    /// Weights of the free values, the constant first.
    known: Vec<f64>,
    risk: ProgressiveValidation,
}

/// Returns the trusts in the order of their tests.
fn all() -> impl Iterator<Item = Trust> {
    SHARES.into_iter().flat_map(|share| LENGTHS.map(|length| Trust { share, length }))
}

impl OwnTest {
    pub(super) fn new() -> OwnTest {
        OwnTest { due: FIRST, readings: vec![Tested::default(); SHARES.len() * LENGTHS.len()] }
    }

    /// Returns true if weights are due to be solved anew after this number of answers.
    #[inline]
    pub(super) fn is_due(&self, answers: u64) -> bool {
        answers >= self.due
    }

    /// Takes the weights that `solve` returns for each trust, and waits for half as many more
    /// answers.
    pub(super) fn renew(
        &mut self,
        answers: u64,
        mut solve: impl FnMut(Trust) -> (Vec<f64>, Vec<f64>),
    ) {
        self.due = answers + answers / 2;
        for (tested, trust) in self.readings.iter_mut().zip(all()) {
            (tested.weights, tested.known) = solve(trust);
        }
    }

    /// Tests every trust on the t-th answer.
    #[inline]
    pub(super) fn see(
        &mut self,
        draws: Draws,
        layout: &Layout,
        answer: Seen<'_>,
        terms: &mut Vec<f64>,
        t: u64,
    ) {
        for tested in self.readings.iter_mut().filter(|tested| !tested.weights.is_empty()) {
            let left =
                answer.y - tested.known.iter().zip(answer.z).map(|(u, z)| u * z).sum::<f64>();
            terms.clear();
            let mut rest = answer.e;
            for slots in answer.panels.iter().map(|&panel| layout.slots_of(panel as usize)) {
                let (own, later) = rest.split_at(slots.len());
                terms.push(slots.zip(own).map(|(slot, e)| tested.weights[slot] * e).sum());
                rest = later;
            }
            let sum = draws.coefficient() * terms.iter().sum::<f64>();
            if let Some(square) = draws.square_of_sum(terms) {
                tested.risk.see(left * left - 2.0 * left * sum + square, t as f64);
            }
        }
    }

    /// Returns the trust of least estimated error, with that error and its standard error; before
    /// any test the first, and no error.
    pub(super) fn best(&self) -> (Trust, Option<f64>, Option<f64>) {
        let mut best = (Trust::FULL, None, None);
        for (tested, trust) in self.readings.iter().zip(all()) {
            if let (Some(risk), Some(error)) = tested.risk.report()
                && best.1.is_none_or(|least| risk < least)
            {
                best = (trust, Some(risk), Some(error));
            }
        }
        best
    }

    /// Returns true if a saved state fits these numbers of sampled slots and known values.
    pub(super) fn is_sound(&self, slots: usize, known: usize) -> bool {
        let sizes =
            |t: &Tested| [(0, 0), (slots, known)].contains(&(t.weights.len(), t.known.len()));
        let finite = |t: &Tested| {
            t.weights.iter().chain(&t.known).all(|v| v.is_finite()) && t.risk.is_sound()
        };
        self.readings.len() == SHARES.len() * LENGTHS.len()
            && self.readings.iter().all(|t| sizes(t) && finite(t))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_damage_of_a_saved_test_is_seen() {
        let sound = OwnTest::new();
        assert!(sound.is_sound(3, 1));
        let with = |change: &dyn Fn(&mut Vec<Tested>)| {
            let mut damaged = sound.clone();
            change(&mut damaged.readings);
            damaged.is_sound(3, 1)
        };
        let solved = |weights: [f64; 3], known: Vec<f64>| {
            move |readings: &mut Vec<Tested>| {
                (readings[2].weights, readings[2].known) = (weights.to_vec(), known.clone());
            }
        };
        assert!(with(&solved([1.0, 0.0, -2.0], vec![0.5])));
        assert!(!with(&solved([1.0, 0.0, -2.0], vec![0.5, 1.0])));
        assert!(!with(&solved([1.0, f64::NAN, -2.0], vec![0.5])));
        assert!(!with(&|readings| drop(readings.pop())));
        assert!(!with(&|readings| readings.push(Tested::default())));
    }
}
