//! Compares drawing by moments with drawing evenly where second moments decay (paper C), each at
//! its best step.

use crate::common::learner;
use halfseen::Silent;
use halfseen_synthetic::{Decay, Decaying, Synthetic, Weights};

/// Multiples of each learner's own theorem, quarter decades.
const STEPS: [&str; 7] = ["0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"];
/// The papers' protocol: nothing centred, no intercept, theorems' averages (two phases: of the
/// second), radius |w*|.
const PAPERS: [(&str, &str); 5] = [
    ("budget", "4"),
    ("radius", "1"),
    ("centre", "none"),
    ("intercept", "false"),
    ("average", "all"),
];

/// The least mean excess over the steps. Learners are told the moments only if they are named so.
fn best(name: &str, settings: &[(&str, &str)], told: bool, sets: &[Synthetic]) -> f64 {
    let excess = |step: &str, seed: usize| {
        let seed_text = seed.to_string();
        let own = [("step", step), ("seed", &seed_text)];
        let learner = learner(name, &[&PAPERS[..], settings, &own].concat());
        let set = &sets[seed];
        let fit =
            learner.fit(&if told { set.informed() } else { set.examples() }, &Silent).unwrap();
        assert_eq!((fit.report.max_reads, fit.report.examples), (4, 20_000));
        set.excess(&fit.linear().unwrap().weights, fit.linear().unwrap().intercept)
    };
    let mean =
        |step| (0..sets.len()).map(|seed| excess(step, seed)).sum::<f64>() / sets.len() as f64;
    STEPS.into_iter().map(mean).fold(f64::INFINITY, f64::min)
}

#[test]
fn moments_known_or_learned_pay_where_they_decay_and_weights_follow_them() {
    // x_i = sigma_i sqrt(mu_i), mu_i ~ i^-2, w*_i ~ +-sqrt(mu_i), |w*| = 1.
    let setting =
        Decaying { columns: 500, decay: Decay::Power(2.0), weights: Weights::Aligned, noise: 0.1 };
    let sets: Vec<Synthetic> = (0..20).map(|seed| setting.draw(20_000, seed).unwrap()).collect();
    let aerr = best("aerr", &[], false, &sets);
    // The grid's best must be below the excess of w = 0, else ratios say nothing.
    assert!(aerr < 0.1 * sets[0].excess(&[0.0; 500], 0.0), "aerr: {aerr}");
    let known = best("ddaerr", &[("moments", "auto")], true, &sets) / aerr;
    assert!(known <= 0.35, "ddaerr: {known} of aerr's excess");
    let two_phases = |smoothing| {
        best("ddaerr-2p", &[("phase1", "0.2"), ("smoothing", smoothing)], false, &sets) / aerr
    };
    let theory = two_phases("1.3333333333333333");
    assert!(theory <= 0.75, "ddaerr-2p with the theory's smoothing: {theory} of aerr's excess");
    let tuned = ["0.001", "0.01", "0.1"].map(two_phases).into_iter().fold(f64::INFINITY, f64::min);
    assert!(tuned <= 0.6, "ddaerr-2p with tuned smoothing: {tuned} of aerr's excess");
}
