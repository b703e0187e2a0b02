//! Compares theory's steps with values by hand and with the papers' formulas, and runs with the guarantees.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::{Data, learner, singletons};
use halfseen::Silent;
use halfseen::budget::{Aelr, Aer, Aerr, Budgeted, Facts, Norms, Pnorm, Reads, Sampler, Theory};
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;

fn theory<B: Budgeted>(learner: &B) -> Theory {
    learner.recipe(Reads { budget: 4, panels: 20 }).unwrap().pace.theory
}

fn facts(radius: f64, d: f64, inflation: f64, m: f64, square: f64, largest: f64, target: f64) -> Facts {
    let norms = Norms {
        square,
        largest,
        drawn_square: inflation * square,
        drawn_largest: inflation * largest,
        known: 1.0,
        target,
    };
    Facts { radius, power: 2.0, slots: d, examples: m, norms, slope: None }
}

fn assert_equal(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-14, "{found} instead of {expected}");
}

#[test]
fn steps_equal_values_by_hand() {
    // reach = 3 * 2 = 6, slope = 6 + 5 = 11, example = sqrt(4 * 9) = 6: 3 / (11 * 6 * 10).
    let f = facts(3.0, 50.0, 9.0, 100.0, 4.0, 0.25, 25.0);
    assert_equal((theory(&Aerr::default()).value)(&f), 3.0 / 660.0);
    assert_equal((theory(&Aerr::default()).reach)(&f), 6.0);
    // reach = 3 * 0.5 = 1.5, slope = 6.5, example = sqrt(0.25 * 9) = 1.5: sqrt(ln 100 / 500) / 9.75.
    assert_equal((theory(&Aelr::default()).value)(&f), (100.0_f64.ln() / 500.0).sqrt() / 9.75);
    assert_equal((theory(&Aelr::default()).reach)(&f), 1.5);
    // G = 2 * 6.5 * 6 = 78: lambda = 2 * 78 * sqrt((1 + ln 100) / 100) / 3.
    assert_equal((theory(&Aer::default()).value)(&f), 52.0 * ((1.0 + 100.0_f64.ln()) / 100.0).sqrt());
}

#[test]
fn pnorm_steps_equal_values_by_hand_and_those_of_aerr_for_p_2() {
    // X^2 = sqrt(16) sqrt(0.25) = 2, V = sqrt(9 * 16) sqrt(9 * 0.25) = 18, B / (G sqrt(3 m)).
    let four = Facts { power: 4.0, ..facts(3.0, 50.0, 9.0, 100.0, 16.0, 0.25, 25.0) };
    let theory_of = theory(&Pnorm::default());
    assert_equal((theory_of.reach)(&four), 3.0 * 2.0_f64.sqrt());
    let slope = 3.0 * 2.0_f64.sqrt() + 5.0;
    assert_equal((theory_of.value)(&four), 3.0 / (slope * 18.0_f64.sqrt() * 300.0_f64.sqrt()));
    let two = facts(3.0, 50.0, 9.0, 100.0, 4.0, 0.25, 25.0);
    assert_equal((theory_of.value)(&two), (theory(&Aerr::default()).value)(&two));
    assert_equal((theory_of.reach)(&two), (theory(&Aerr::default()).reach)(&two));
}

#[test]
fn steps_reduce_to_those_of_the_papers() {
    let (b, d, m) = (2.5_f64, 100.0_f64, 10_000.0_f64);
    for k in [1.0_f64, 3.0, 10.0] {
        // Paper B: |x|_2 <= 1, |y| <= B. Ours starts at 0, at most B and not 2B from w*; and knows
        // G^2 = 4 B^2 c where the paper bounds c = (d + k - 1)/k by 2d/k. Half the distance and a
        // G smaller by sqrt(2 d / (k c)).
        let with = Sampler::uniform(100, k as usize, true).inflation(0);
        let printed = (k / (2.0 * d * m)).sqrt();
        let f = facts(b, d, with, m, 1.0, 1.0, b * b);
        assert_equal((theory(&Aerr::default()).value)(&f), printed * 0.5 * (2.0 * d / (k * with)).sqrt());
        // AELR, |x|_inf <= 1: the proof's eta, with the same c.
        let proof = (2.0 * k * (2.0 * d).ln() / (5.0 * m * d)).sqrt() / (4.0 * b);
        assert_equal((theory(&Aelr::default()).value)(&f), proof * (2.0 * d / (k * with)).sqrt());
        // Without replacement c = d/k exactly.
        let without = Sampler::uniform(100, k as usize, false).inflation(0);
        assert_equal(without, d / k);
        let f = facts(b, d, without, m, 1.0, 1.0, b * b);
        assert_equal((theory(&Aerr::default()).value)(&f), printed / 2.0_f64.sqrt());
        assert_equal((theory(&Aelr::default()).value)(&f), proof * 2.0_f64.sqrt());
        // Paper A: |x|_inf <= 1, |x|_2^2 <= d, |y| <= 1, s1 = k draws of a budget of 2k:
        // lambda = ((B + 1) d / B) sqrt(log m / (m 2k)), up to the constant 4 sqrt(2) and 1 + log m for log m.
        let f = facts(b, d, without, m, d, 1.0, 1.0);
        let paper = (b + 1.0) * d / b * (m.ln() / (m * 2.0 * k)).sqrt();
        let constant = 4.0 * 2.0_f64.sqrt() * ((1.0 + m.ln()) / m.ln()).sqrt();
        assert_equal((theory(&Aer::default()).value)(&f), constant * paper);
    }
}

/// x_j = +-s, y = <w*, x> + noise: the excess of w is s^2 |w - w*|^2 (half of it for the half square).
fn excess(
    name: &str,
    seed: u64,
    (budget, radius): (&str, &str),
    scale: f64,
    w: &[f64],
    m: usize,
    more: &[(&str, &str)],
) -> f64 {
    let d = w.len();
    let mut stream = Stream::new(seed, Purpose::Data, 99);
    let x = Array2::from_shape_fn((m, d), |_| if stream.unit() < 0.5 { scale } else { -scale });
    let y = x
        .rows()
        .into_iter()
        .map(|r| r.iter().zip(w).map(|(x, w)| x * w).sum::<f64>() + 0.1 * (2.0 * stream.unit() - 1.0));
    let data = Data::new(x.clone(), y.collect(), &singletons(d)).measured();
    let settings =
        [("intercept", "false"), ("centre", "none"), ("average", "all"), ("budget", budget), ("radius", radius)];
    let mut learner = learner(name, &[&settings[..], more].concat());
    learner.set(if name == "aer" { "penalty" } else { "step" }, "theory").unwrap();
    let found = learner.fit(&data.examples(), &Silent).unwrap().linear().unwrap().weights.clone();
    scale * scale * found.iter().zip(w).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
}

fn mean_excess(name: &str, budget: &str, radius: f64, scale: f64, w: &[f64], m: usize) -> f64 {
    mean_excess_with(name, budget, radius, scale, w, m, &[])
}

fn mean_excess_with(
    name: &str,
    budget: &str,
    radius: f64,
    scale: f64,
    w: &[f64],
    m: usize,
    more: &[(&str, &str)],
) -> f64 {
    let radius = radius.to_string();
    (0..5).map(|seed| excess(name, seed, (budget, &radius), scale, w, m, more)).sum::<f64>() / 5.0
}

#[test]
fn the_guarantee_of_theorem_3_1_holds() {
    // |x|_2 = 1, |w*| = B = 1, |y| <= 1.1.
    let (d, m, scale) = (16, 20_000, 0.25);
    let w = [0.25; 16];
    let found = 0.5 * mean_excess("aerr", "5", 1.0, scale, &w, m);
    let (slope, c) = (1.0 + 0.25 + 0.1, f64::from(d) / 4.0);
    let bound = slope * c.sqrt() / (m as f64).sqrt();
    assert!(found <= bound, "excess {found}, guaranteed {bound}");
    // The bound says something: predicting 0 is worse.
    assert!(bound < 0.5 * scale * scale, "{bound}");
}

#[test]
fn the_guarantee_of_theorem_3_4_holds() {
    // |x|_inf = 1, |w*|_1 = B = 1, one attribute matters.
    let (d, m) = (16, 20_000);
    let mut w = [0.0; 16];
    w[3] = 0.7;
    w[8] = -0.3;
    let found = 0.5 * mean_excess("aelr", "5", 1.0, 1.0, &w, m);
    let g = (1.0 + 1.0) * (f64::from(d) / 4.0).sqrt();
    let bound = 2.0 * g * (5.0 * f64::from(2 * d).ln() / m as f64).sqrt();
    assert!(found <= bound, "excess {found}, guaranteed {bound}");
    assert!(bound < 0.5 * 0.58, "{bound}");
}

/// Paper A names p-norm updates; the guarantee is that of Gentile 2003 with the constants of `budget/pnorm.rs`.
#[test]
fn the_guarantee_of_p_norm_updates_holds() {
    let (d, m, p) = (16, 60_000, 2.0 * 16.0_f64.ln());
    let mut w = [0.0; 16];
    (w[3], w[8]) = (0.7, -0.3);
    // |x|_inf = 1: X = d^(1/p), V = min(D, D^(2/p) a^(2 - 4/p)), D = a d, a = d/4.
    let (d, a) = (f64::from(d), f64::from(d) / 4.0);
    let v = (a * d).min((a * d).powf(2.0 / p) * a.powf(2.0 - 4.0 / p));
    let g = (d.powf(1.0 / p) + 1.0) * v.sqrt();
    let bound = g * ((p - 1.0) / m as f64).sqrt();
    let found = 0.5 * mean_excess_with("pnorm", "5", 1.0, 1.0, &w, m, &[("p", "auto"), ("project", "true")]);
    assert!(found <= bound, "excess {found}, guaranteed {bound}");
    assert!(bound < 0.5 * 0.58, "{bound}");
}

#[test]
fn the_guarantee_of_theorem_2_holds() {
    let (d, m) = (16, 60_000);
    let w = [1.0 / 16.0; 16];
    let found = mean_excess("aer", "8", 1.0, 1.0, &w, m);
    let (d, m) = (f64::from(d), m as f64);
    let g = 2.0 * 2.0 * (d * d / 4.0).sqrt();
    let bound = 2.0 * g * ((1.0 + m.ln()) / m).sqrt();
    assert!(found <= bound, "excess {found}, guaranteed {bound}");
}
