//! Computes each attribute's contribution to the prediction, and from it the probabilities of the
//! reads.

use super::candidates::strides;
use super::estimate::FitSettings;
use super::factor::Factor;
use super::folds::{FoldSubset, WeightedSubset};
use super::reads::Reads;
use super::standard::Standard;
use halfseen_core::asking::design::inclusion;

/// The share of the reads that stays uniform.
const UNIFORM_SHARE: f64 = 0.3;
/// Rank of the model that gives the contributions.
const RANK: usize = 10;
/// Reads of each attribute that it is fitted to: few, because it cannot be interrupted.
const ENOUGH: f64 = 200.0;
/// Its passes.
const PASSES: usize = 30;

/// Returns |w_j| sd_j of each slot by a factor model of all reads so far; zeros if it cannot be
/// fitted.
pub(super) fn importance(reads: &Reads, setting: &FitSettings) -> Vec<f64> {
    let slots = setting.slots;
    let standard = Standard::of(reads, slots);
    let rows = standard.rows(reads);
    let mut found = vec![0.0; slots];
    if standard.len() == 0 {
        return found;
    }
    let strides = strides(&rows, standard.len(), ENOUGH);
    let subset = WeightedSubset::from(FoldSubset::All).every(strides);
    let examples = || subset.of(&rows);
    let rank = RANK.min((standard.len() / 3).max(1));
    let mut model = Factor::start(&rows, &standard, examples(), rank, setting.seed);
    (0..PASSES).for_each(|_| {
        model.improve(&rows, &standard, examples());
    });
    // All attributes may share one standard deviation: in its units each has a variance of its own.
    let weights = model.solve(0.0, &model.with_target()).unwrap_or_default();
    for ((&slot, w), own) in standard.slots.iter().zip(weights).zip(&standard.own) {
        found[slot as usize] = if w.is_finite() { w.abs() * own.sqrt() } else { 0.0 };
    }
    found
}

/// Returns inclusion probabilities of panels of these weights, a share of them uniform, that sum to
/// `draws`; `None` if no panel has a weight.
pub(super) fn mixed(weights: &[f64], draws: usize) -> Option<Vec<f64>> {
    let total: f64 = weights.iter().sum();
    if !(total > 0.0 && total.is_finite()) {
        return None;
    }
    let even = UNIFORM_SHARE / weights.len() as f64;
    let shares: Vec<f64> =
        weights.iter().map(|w| even + (1.0 - UNIFORM_SHARE) * w / total).collect();
    Some(inclusion(&shares, draws))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_core::params::Shape;
    use halfseen_solve::sampling::{Purpose, Stream};

    #[test]
    fn a_share_stays_uniform_and_certain_panels_have_probability_one() {
        let found = mixed(&[8.0, 1.0, 1.0, 0.0], 1).unwrap();
        let expected = [0.075 + 0.56, 0.075 + 0.07, 0.075 + 0.07, 0.075];
        found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-15));
        let found = mixed(&[8.0, 1.0, 1.0, 0.0], 2).unwrap();
        assert_eq!(found[0], 1.0);
        assert!(found[3] > 0.1 && (found.iter().sum::<f64>() - 2.0).abs() < 1e-12);
        for useless in [&[0.0, 0.0][..], &[f64::NAN, 1.0], &[f64::MAX, f64::MAX]] {
            assert_eq!(mixed(useless, 1), None);
        }
    }

    #[test]
    fn what_counts_is_the_weight_times_the_deviation() {
        let mut stream = Stream::new(6, Purpose::Data, 0);
        let mut reads = Reads::new();
        for _ in 0..4_000 {
            let x: Vec<f64> =
                (0..6).map(|j| if j == 1 { 0.5 } else { 1.0 } * stream.normal()).collect();
            let kept = [stream.below(3), 3 + stream.below(3)];
            reads.push(
                kept.into_iter().map(|j| (j as u32, x[j])),
                x[0] + 2.0 * x[1] + 0.1 * stream.normal(),
            );
        }
        let setting = FitSettings {
            slots: 6,
            shape: Shape::Linear,
            folds: 3,
            rank: None,
            deviations: 0,
            seed: 0,
        };
        let found = importance(&reads, &setting);
        // One standard deviation serves all six; |w| sd is 1 for both, |w| alone 1 and 2.
        assert!((0.75..1.33).contains(&(found[0] / found[1])), "{found:?}");
    }

    #[test]
    fn what_predicts_is_important() {
        let mut stream = Stream::new(5, Purpose::Data, 0);
        let mut reads = Reads::new();
        for _ in 0..2_000 {
            let x: Vec<f64> = (0..6).map(|_| stream.normal()).collect();
            let kept = [stream.below(3), 3 + stream.below(3)];
            reads.push(
                kept.into_iter().map(|j| (j as u32, x[j])),
                3.0 * x[1] + x[4] + 0.1 * stream.normal(),
            );
        }
        let setting = FitSettings {
            slots: 6,
            shape: Shape::Linear,
            folds: 3,
            rank: None,
            deviations: 0,
            seed: 0,
        };
        let found = importance(&reads, &setting);
        assert!(found[1] > 2.0 * found[4] && found[4] > 2.0 * found[0].max(found[2]), "{found:?}");
    }
}
