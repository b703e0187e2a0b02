//! Runs the learners on the instances of the papers' lower bounds: what no method can do, and what
//! these do.

use crate::common::learner;
use halfseen::Silent;
use halfseen_synthetic::{HiddenAttribute, HiddenSigns, Synthetic, ThreeAttributes};

/// As the papers have them: nothing is centred, no intercept.
const PLAIN: [(&str, &str); 2] = [("centre", "none"), ("intercept", "false")];

fn excesses(name: &str, settings: &[(&str, &str)], counts: &[usize], set: &Synthetic) -> Vec<f64> {
    let fits = learner(name, &[&PLAIN[..], settings].concat())
        .fit_curve(counts, &set.examples(), &Silent)
        .unwrap();
    fits.iter()
        .map(|fit| set.excess(&fit.linear().unwrap().weights, fit.linear().unwrap().intercept))
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The eight equally likely rows of A, theorem 4.
fn cube() -> Vec<([f64; 3], f64)> {
    let sign = |bits: u32, i: u32| if bits >> i & 1 == 1 { 1.0 } else { -1.0 };
    (0..8)
        .map(|bits| [sign(bits, 0), sign(bits, 1), sign(bits, 2)])
        .map(|x| (x, x.iter().sum::<f64>() / 3.0))
        .collect()
}

#[test]
fn two_of_three_attributes_leave_a_ninth_of_error_whatever_is_done_with_them() {
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        // No function of (x_a, x_b) has less squared error than the conditional mean of y.
        let mut least = 0.0;
        for pair in [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]] {
            let told: Vec<f64> =
                cube().iter().filter(|(x, _)| [x[a], x[b]] == pair).map(|(_, y)| *y).collect();
            let mean = told.iter().sum::<f64>() / told.len() as f64;
            least += told.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 8.0;
        }
        assert!((least - 1.0 / 9.0).abs() < 1e-15, "attributes {a} and {b}: {least}");
        // The linear one that reaches it: attributes are uncorrelated with variance 1, so its
        // weights are E x y.
        let along = |i: usize| cube().iter().map(|(x, y)| x[i] * y / 8.0).sum::<f64>();
        let error =
            |(x, y): &([f64; 3], f64)| (along(a) * x[a] + along(b) * x[b] - y).powi(2) / 8.0;
        let linear = cube().iter().map(error).sum::<f64>();
        assert!((linear - 1.0 / 9.0).abs() < 1e-15, "attributes {a} and {b}: {linear}");
    }
}

#[test]
fn aer_learns_the_same_rule_from_two_reads_per_example() {
    // The ball of w* itself, |w*|_1 = 1.
    let settings = [&PLAIN[..], &[("budget", "2"), ("radius", "1"), ("penalty", "0.32x")]].concat();
    for seed in 0..5 {
        let set = ThreeAttributes.draw(20_000, seed);
        let fit = learner("aer", &settings).fit(&set.examples(), &Silent).unwrap();
        assert_eq!(fit.report.max_reads, 2);
        let weights = fit.linear().unwrap().weights.clone();
        let error = set.floor + set.excess(&weights, 0.0);
        assert!(error < 0.01, "seed {seed}: {error}");
        for hidden in 0..3 {
            let mut cut = weights.clone();
            cut[hidden] = 0.0;
            let error = set.floor + set.excess(&cut, 0.0);
            assert!(error >= 1.0 / 9.0 - 1e-15, "seed {seed}, without attribute {hidden}: {error}");
        }
    }
}

#[test]
fn the_hidden_attribute_is_found() {
    let settings = [&PLAIN[..], &[("budget", "4"), ("radius", "1")]].concat();
    for seed in 0..8 {
        let set = HiddenAttribute { columns: 32, epsilon: 0.05 }.draw(40_000, seed).unwrap();
        let hidden = set.truth.iter().position(|w| *w != 0.0).unwrap();
        for name in ["aer", "aerr", "aelr"] {
            let weights = learner(name, &settings)
                .fit(&set.examples(), &Silent)
                .unwrap()
                .linear()
                .unwrap()
                .weights
                .clone();
            let others = weights.iter().enumerate().filter(|(i, _)| *i != hidden);
            let largest = others.map(|(_, w)| w.abs()).fold(0.0, f64::max);
            assert!(
                weights[hidden] > 1.5 * largest,
                "{name}, seed {seed}: {} against {largest}",
                weights[hidden]
            );
            // Predicting 0 has an excess of 4 epsilon.
            let excess = set.excess(&weights, 0.0);
            assert!(excess < 0.5 * 0.2, "{name}, seed {seed}: {excess}");
        }
    }
}

#[test]
fn examples_to_a_fixed_excess_grow_like_d() {
    // Predicting 0 has an excess of about 0.75. Steps a/d: theory's is radius / (G sqrt(m)), and
    // G^2 and m both grow like d.
    let (gap, goal, steps, seeds) = (0.25, 0.2, [0.1, 0.18, 0.32, 0.56], 7);
    let mut needed = Vec::new();
    for d in [64_usize, 128, 256, 512] {
        let counts: Vec<usize> =
            (0..=48).map(|i| (d as f64 * 10.0_f64.powf(i as f64 / 24.0)) as usize).collect();
        let mut needs = vec![Vec::new(); steps.len()];
        for seed in 0..seeds {
            let set = HiddenSigns { columns: d, gap }.draw(counts[48], seed).unwrap();
            for (step, needs) in steps.iter().zip(&mut needs) {
                let step = (step / d as f64).to_string();
                let settings =
                    [("budget", "2"), ("radius", "1"), ("step", &step), ("average", "all")];
                needs.push(first_below(goal, &counts, &excesses("aerr", &settings, &counts, &set)));
            }
        }
        let best = needs.into_iter().map(median).fold(f64::INFINITY, f64::min);
        needed.push((d as f64, best));
    }
    let slope = log_slope(&needed);
    assert!((slope - 1.0).abs() < 0.3, "slope {slope}, (d, examples): {needed:?}");
}

/// The number of examples at which the excess falls below a goal, interpolated in the logarithms;
/// infinite if it does not.
fn first_below(goal: f64, counts: &[usize], excesses: &[f64]) -> f64 {
    let Some(at) = excesses.iter().position(|e| *e < goal) else { return f64::INFINITY };
    if at == 0 {
        return counts[0] as f64;
    }
    let (before, after) = ((counts[at - 1] as f64).ln(), (counts[at] as f64).ln());
    let share = (excesses[at - 1] / goal).ln() / (excesses[at - 1] / excesses[at]).ln();
    (before + share * (after - before)).exp()
}

/// Least squares through (ln x, ln y).
fn log_slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs = points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let (x, y) = logs.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / n, b + y / n));
    logs.clone().map(|(a, b)| (a - x) * (b - y)).sum::<f64>()
        / logs.map(|(a, _)| (a - x).powi(2)).sum::<f64>()
}
