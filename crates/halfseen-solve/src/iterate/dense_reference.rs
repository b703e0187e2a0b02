//! Compares every lazy iterate with a plain dense one on the same steps (tests only).

use super::Iterate;
use crate::sampling::{Purpose, Stream};

/// Plain iterate whose every operation touches every slot.
pub(super) struct Dense {
    pub(super) weights: Vec<f64>,
    pub(super) sum: Vec<f64>,
    pub(super) counted: f64,
}

impl Dense {
    pub(super) fn gradient_step(&mut self, gradient: &[(u32, f64)], size: f64, shrink: f64) {
        self.weights.iter_mut().for_each(|w| *w *= shrink);
        for &(j, g) in gradient {
            self.weights[j as usize] -= size * g;
        }
    }
}

/// Takes 10,000 random sparse steps. Weights, draw probabilities and averages must agree to 1e-12
/// of the radius, before and after a save in the middle.
pub(super) fn check_twin<I: Iterate>(
    len: usize,
    radius: f64,
    size: f64,
    shrink: f64,
    step: impl Fn(&mut Dense, &[(u32, f64)], f64, f64),
    mass: impl Fn(f64) -> f64,
) {
    check_twin_of(|| I::new(len, radius), |_| {}, radius, size, shrink, step, mass);
}

/// Does the same for an iterate that `make` creates; `complete` restores unsaved settings after
/// loading.
pub(super) fn check_twin_of<I: Iterate>(
    make: impl Fn() -> I,
    complete: impl Fn(&mut I),
    radius: f64,
    size: f64,
    shrink: f64,
    step: impl Fn(&mut Dense, &[(u32, f64)], f64, f64),
    mass: impl Fn(f64) -> f64,
) {
    let mut lazy = make();
    let len = lazy.len();
    let factors: Vec<f64> = (0..len).map(|j| (j % 5) as f64 * 0.7).collect();
    lazy.weigh(factors.clone());
    let mut dense = Dense { weights: vec![0.0; len], sum: vec![0.0; len], counted: 0.0 };
    let mut stream = Stream::new(9, Purpose::Data, len as u64);
    assert_eq!(lazy.draw(0.5), None, "w = 0 at the start");
    for t in 0..10_000 {
        let mut gradient: Vec<(u32, f64)> = Vec::new();
        for _ in 0..3 {
            let j = stream.below(len) as u32;
            // A drift towards a fixed vector keeps some weights large and many at zero.
            let g = stream.normal() - 0.5 * f64::from(j % 3) + lazy.weight(j as usize);
            if gradient.iter().all(|&(i, _)| i != j) {
                gradient.push((j, g));
            }
        }
        gradient.sort_unstable_by_key(|&(j, _)| j);
        let size = size * if t % 7 == 0 { 3.0 } else { 1.0 };
        lazy.step(&gradient, size, shrink);
        step(&mut dense, &gradient, size, shrink);
        if t == 3_000 {
            lazy.restart_average();
            dense.counted = 0.0;
            dense.sum.fill(0.0);
        }
        if t % 5 != 0 {
            let weight = 1.0 + (t % 3) as f64;
            lazy.count(weight);
            dense.counted += weight;
            dense.sum.iter_mut().zip(&dense.weights).for_each(|(s, w)| *s += weight * w);
        }
        if t == 5_000 {
            let text = serde_json::to_string(&lazy).unwrap();
            lazy = serde_json::from_str(&text).unwrap();
            complete(&mut lazy);
            lazy.restore(len, radius).unwrap();
            lazy.weigh(factors.clone());
        }
        if t % 97 == 0 || t == 9_999 {
            compare(&lazy, &dense, radius, &mass, t);
            compare_weighing(&lazy, &dense, &factors, t);
        }
    }
}

fn compare<I: Iterate>(lazy: &I, dense: &Dense, radius: f64, mass: &impl Fn(f64) -> f64, t: usize) {
    let total: f64 = dense.weights.iter().map(|&w| mass(w)).sum();
    let average = lazy.average();
    for (j, &average) in average.iter().enumerate() {
        let (w, expected) = (lazy.weight(j), dense.weights[j]);
        assert!(
            (w - expected).abs() < 1e-12 * radius,
            "step {t}, slot {j}: {w} against {expected}"
        );
        let mean = dense.sum[j] / dense.counted.max(1.0);
        let close = dense.counted == 0.0 || (average - mean).abs() < 1e-12 * radius;
        assert!(close, "step {t}, slot {j}: average {average} against {mean}");
        let share = lazy.mass(j) / lazy.total_mass();
        assert!(
            (share - mass(expected) / total).abs() < 1e-11,
            "step {t}, slot {j}: share {share}"
        );
        // The middle of the interval of slot j must draw j.
        let before: f64 = (0..j).map(|i| lazy.mass(i)).sum();
        if share > 1e-9 {
            let unit = (before + 0.5 * lazy.mass(j)) / lazy.total_mass();
            assert_eq!(lazy.draw(unit), Some(j));
        }
    }
}

/// Checks the probabilities and draws of the second weighting, if there is one.
fn compare_weighing<I: Iterate>(lazy: &I, dense: &Dense, factors: &[f64], t: usize) {
    let Some(weighing) = lazy.weighed() else { return };
    let total: f64 = dense.weights.iter().zip(factors).map(|(w, f)| w.abs() * f).sum();
    if total == 0.0 {
        return assert_eq!(weighing.draw(0.5), None);
    }
    let mut before = 0.0;
    for (j, (w, f)) in dense.weights.iter().zip(factors).enumerate() {
        let share = weighing.mass(j) / weighing.total_mass();
        assert!(
            (share - w.abs() * f / total).abs() < 1e-11,
            "step {t}, slot {j}: weighed share {share}"
        );
        if share > 1e-9 {
            let unit = (before + 0.5 * weighing.mass(j)) / weighing.total_mass();
            assert_eq!(weighing.draw(unit), Some(j));
        }
        before += weighing.mass(j);
    }
}
