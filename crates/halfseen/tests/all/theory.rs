//! Compares theory's steps with values by hand and with the papers' formulas, and runs with the
//! guarantees.

use crate::common::{Data, learner, singletons};
use halfseen::budget::{
    Aelr, Aer, Aerr, Budgeted, DataNorms, Norms, PNormRegression, Reads, Sampler, TheoryStep,
};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Silent, plan, registry};
use ndarray::Array2;

#[test]
fn the_learners_of_theorems_are_listed() {
    for theorem in plan::THEOREMS {
        registry::find(theorem.learner).unwrap();
    }
}

fn theory<B: Budgeted>(learner: &B) -> TheoryStep {
    learner.recipe(Reads { budget: 4, panels: 20 }).unwrap().pace.theory
}

fn facts(
    radius: f64,
    d: f64,
    inflation: f64,
    m: f64,
    square: f64,
    largest: f64,
    target: f64,
) -> DataNorms {
    let norms = Norms {
        square,
        largest,
        drawn_square: inflation * square,
        drawn_largest: inflation * largest,
        known: 1.0,
        target,
    };
    DataNorms { radius, power: 2.0, slots: d, examples: m, norms, slope: None }
}

fn assert_equal(actual: f64, expected: f64) {
    assert!((actual / expected - 1.0).abs() < 1e-14, "{actual} instead of {expected}");
}

#[test]
fn steps_equal_values_by_hand() {
    // reach = 3 * 2 = 6, slope = 6 + 5 = 11, example = sqrt(4 * 9) = 6: 3 / (11 * 6 * 10).
    let f = facts(3.0, 50.0, 9.0, 100.0, 4.0, 0.25, 25.0);
    assert_equal((theory(&Aerr::default()).value)(&f), 3.0 / 660.0);
    assert_equal((theory(&Aerr::default()).reach)(&f), 6.0);
    // reach = 3 * 0.5 = 1.5, slope = 6.5, example = sqrt(0.25 * 9) = 1.5: sqrt(ln 100 / 500)
    // / 9.75.
    assert_equal((theory(&Aelr::default()).value)(&f), (100.0_f64.ln() / 500.0).sqrt() / 9.75);
    assert_equal((theory(&Aelr::default()).reach)(&f), 1.5);
    // G = 2 * 6.5 * 6 = 78: lambda = 2 * 78 * sqrt((1 + ln 100) / 100) / 3.
    assert_equal(
        (theory(&Aer::default()).value)(&f),
        52.0 * ((1.0 + 100.0_f64.ln()) / 100.0).sqrt(),
    );
}

#[test]
fn pnorm_steps_equal_values_by_hand_and_those_of_aerr_for_p_2() {
    // X^2 = sqrt(16) sqrt(0.25) = 2, V = sqrt(9 * 16) sqrt(9 * 0.25) = 18, B / (G sqrt(3 m)).
    let four = DataNorms { power: 4.0, ..facts(3.0, 50.0, 9.0, 100.0, 16.0, 0.25, 25.0) };
    let theory_of = theory(&PNormRegression::default());
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
        assert_equal(
            (theory(&Aerr::default()).value)(&f),
            printed * 0.5 * (2.0 * d / (k * with)).sqrt(),
        );
        // AELR, |x|_inf <= 1: the proof's eta, with the same c.
        let proof = (2.0 * k * (2.0 * d).ln() / (5.0 * m * d)).sqrt() / (4.0 * b);
        assert_equal((theory(&Aelr::default()).value)(&f), proof * (2.0 * d / (k * with)).sqrt());
        // Without replacement c = d/k exactly.
        let without = Sampler::uniform(100, k as usize, false).inflation(0);
        assert_equal(without, d / k);
        let f = facts(b, d, without, m, 1.0, 1.0, b * b);
        assert_equal((theory(&Aerr::default()).value)(&f), printed / 2.0_f64.sqrt());
        assert_equal((theory(&Aelr::default()).value)(&f), proof * 2.0_f64.sqrt());
        // Paper A: |x|_inf <= 1, |x|_2^2 <= d, |y| <= 1, s1 = k draws of a budget of 2k: lambda =
        // ((B + 1) d / B) sqrt(log m / (m 2k)), up to the constant 4 sqrt(2) and 1 + log m for log
        // m.
        let f = facts(b, d, without, m, d, 1.0, 1.0);
        let paper = (b + 1.0) * d / b * (m.ln() / (m * 2.0 * k)).sqrt();
        let constant = 4.0 * 2.0_f64.sqrt() * ((1.0 + m.ln()) / m.ln()).sqrt();
        assert_equal((theory(&Aer::default()).value)(&f), constant * paper);
    }
}

/// Data of which every number that theorems ask for is known: x_j = +-a s_j with a = 1.5 in one of
/// five examples, else 1, and y = <w*, x> + 0.1 u, u uniform in [-1, 1]. So bounds are not root
/// means: a is at most 1.5, and E a^2 = 1.25.
struct Known {
    scales: Vec<f64>,
    /// w*, of which every learner's ball of radius 1 is the least that holds it.
    w: Vec<f64>,
    examples: usize,
}

const MOST: f64 = 1.5;
const SQUARE: f64 = 1.25;

impl Known {
    fn new(scales: &[f64], w: &[(usize, f64)], examples: usize) -> Known {
        let mut all = vec![0.0; scales.len()];
        w.iter().for_each(|&(j, w)| all[j] = w);
        Known { scales: scales.to_vec(), w: all, examples }
    }

    /// E x_j^2.
    fn moments(&self) -> Vec<f64> {
        self.scales.iter().map(|s| SQUARE * s * s).collect()
    }

    /// Of |x|_2, |x|_inf and |y|.
    fn bounds(&self) -> (f64, f64, f64) {
        let length = self.scales.iter().map(|s| s * s).sum::<f64>().sqrt();
        let largest = self.scales.iter().copied().fold(0.0, f64::max);
        let product: f64 = self.scales.iter().zip(&self.w).map(|(s, w)| s * w.abs()).sum();
        (MOST * length, MOST * largest, MOST * product + 0.1)
    }

    /// E <v, x>^2: what w* - v exceeds w* by.
    fn excess_of(&self, v: &[f64]) -> f64 {
        self.moments().iter().zip(v).map(|(m, v)| m * v * v).sum()
    }

    fn excess(&self, name: &str, seed: u64, settings: &[(&str, String)]) -> f64 {
        let (d, mut stream) = (self.scales.len(), Stream::new(seed, Purpose::Data, 99));
        let mut x = Array2::zeros((self.examples, d));
        for mut row in x.rows_mut() {
            let a = if stream.unit() < 0.2 { MOST } else { 1.0 };
            row.iter_mut()
                .zip(&self.scales)
                .for_each(|(x, s)| *x = if stream.unit() < 0.5 { a * s } else { -a * s });
        }
        let y =
            x.rows().into_iter().map(|r| r.iter().zip(&self.w).map(|(x, w)| x * w).sum::<f64>());
        let y = y.map(|y| y + 0.1 * (2.0 * stream.unit() - 1.0)).collect();
        let data = Data::new(x, y, &singletons(d));
        let fixed = [
            ("intercept", "false"),
            ("centre", "none"),
            ("average", "all"),
            ("radius", "1"),
            ("project", "true"),
        ];
        let settings = settings.iter().map(|(name, value)| (*name, value.as_str()));
        let learner = learner(name, &fixed.into_iter().chain(settings).collect::<Vec<_>>());
        let weights =
            learner.fit(&data.examples(), &Silent).unwrap().linear().unwrap().weights.clone();
        self.excess_of(&weights.iter().zip(&self.w).map(|(f, w)| f - w).collect::<Vec<_>>())
    }

    /// With these settings the excess of `share` of the squared error is within the bound, which
    /// says something: predicting 0 is not.
    fn holds(
        &self,
        name: &str,
        budget: usize,
        share: f64,
        settings: &[(&str, String)],
        bound: f64,
    ) {
        let settings = [settings, &[("budget", budget.to_string())]].concat();
        let excess =
            (0..5).map(|seed| share * self.excess(name, seed, &settings) / 5.0).sum::<f64>();
        assert!(excess <= bound, "{name}: excess {excess}, guaranteed {bound}");
        let nothing = share * self.excess_of(&self.w);
        assert!(bound < nothing, "{name}: guaranteed {bound}, and w = 0 has {nothing}");
    }

    /// Projected gradient steps, for E |x~|^2 = `drawn`: paper B's theorem 3.1 from w = 0.
    fn ridge_holds(&self, name: &str, settings: &[(&str, String)], drawn: f64) {
        let ((length, _, target), m) = (self.bounds(), self.examples as f64);
        let g = (length + target) * drawn.sqrt();
        let step = ("step", (1.0 / (g * m.sqrt())).to_string());
        self.holds(name, 5, 0.5, &[settings, &[step]].concat(), g / m.sqrt());
    }

    /// Exponentiated gradient, for max_j E x~_j^2 = `drawn`: paper B's theorem 3.4.
    fn lasso_holds(&self, name: &str, settings: &[(&str, String)], drawn: f64) {
        let ((_, largest, target), m) = (self.bounds(), self.examples as f64);
        let (g, log) = ((largest + target) * drawn.sqrt(), (2.0 * self.w.len() as f64).ln());
        let step = ("step", ((log / (5.0 * m)).sqrt() / g).to_string());
        self.holds(name, 5, 0.5, &[settings, &[step]].concat(), 2.0 * g * (5.0 * log / m).sqrt());
    }
}

/// Four attributes of this scale, and twelve of half of it.
fn uneven(scale: f64) -> [f64; 16] {
    std::array::from_fn(|j| if j < 4 { scale } else { 0.5 * scale })
}

fn listed(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn the_guarantee_of_theorem_3_1_holds() {
    // c = d/(k - 1) = 4, without replacement.
    let known = Known::new(&[0.25; 16], &[(3, 1.0)], 20_000);
    known.ridge_holds("aerr", &[], 4.0 * SQUARE);
}

#[test]
fn the_guarantee_of_any_probabilities_holds() {
    let known = Known::new(&uneven(0.25), &[(3, 1.0)], 10_000);
    // pi_i = 4 q_i.
    let q: [f64; 16] = std::array::from_fn(|j| if j < 4 { 3.0 / 24.0 } else { 1.0 / 24.0 });
    let drawn = known.moments().iter().zip(q).map(|(m, q)| m / (4.0 * q)).sum();
    known.ridge_holds("gaerr", &[("probabilities", listed(&q))], drawn);
}

#[test]
fn the_guarantee_of_known_moments_holds_in_the_euclidean_ball() {
    let known = Known::new(&uneven(0.25), &[(3, 1.0)], 10_000);
    let half_norm = known.moments().iter().map(|m| m.sqrt()).sum::<f64>().powi(2);
    known.ridge_holds("ddaerr", &[("moments", listed(&known.moments()))], half_norm / 4.0);
}

/// Theorem 3.6: from wherever the first phase ends, so of twice the distance.
#[test]
fn the_guarantee_of_two_phases_holds() {
    let known = Known::new(&uneven(0.25), &[(3, 1.0)], 60_000);
    let (first, d) = (20_000.0, 16.0);
    let half_norm = known.moments().iter().map(|m| m.sqrt()).sum::<f64>().powi(2);
    // delta = 0.05, |x_i| <= 1.5 / 4, and n1 = 4 m1 draws.
    let eps = (0.25 * MOST).powi(2) * d * (2.0 * d / 0.05_f64).ln() / (4.0 * first);
    let spread = 3_f64.sqrt() * half_norm + 4.0 / 3_f64.sqrt() * d * (half_norm * eps).sqrt();
    let (length, _, target) = known.bounds();
    let (g, second) = ((length + target) * (spread / 4.0).sqrt(), 40_000.0_f64);
    let settings = [
        ("phase1", first.to_string()),
        ("moment_norm", half_norm.to_string()),
        ("smoothing", (4.0_f64 / 3.0).to_string()),
        ("confidence", "0.05".to_owned()),
        ("step", (2.0 / (g * second.sqrt())).to_string()),
    ];
    known.holds("ddaerr-2p", 5, 0.5, &settings, 2.0 * g / second.sqrt());
}

#[test]
fn the_guarantee_of_theorem_3_4_holds() {
    let known = Known::new(&[1.0; 16], &[(3, 0.7), (8, -0.3)], 40_000);
    known.lasso_holds("aelr", &[], 4.0 * SQUARE);
}

#[test]
fn the_guarantee_of_known_moments_holds_in_the_l1_ball() {
    let known = Known::new(&uneven(1.0), &[(3, 0.7), (2, -0.3)], 20_000);
    let sum: f64 = known.moments().iter().sum();
    known.lasso_holds("ddaelr", &[("moments", listed(&known.moments()))], sum / 4.0);
}

/// Paper A names p-norm updates; the guarantee is that of Gentile 2003 with the constants of
/// `pnorm.rs`.
#[test]
fn the_guarantee_of_p_norm_updates_holds() {
    let known = Known::new(&[1.0; 16], &[(3, 0.7), (8, -0.3)], 60_000);
    let (p, m, (length, largest, target)) = (2.0 * 16.0_f64.ln(), 60_000.0_f64, known.bounds());
    let reach = (length.powf(4.0 / p) * largest.powi(2).powf(1.0 - 2.0 / p)).sqrt();
    let (a, drawn) = (4.0, 4.0 * 16.0 * SQUARE);
    let v = f64::min(drawn, drawn.powf(2.0 / p) * (a * a * largest * largest).powf(1.0 - 2.0 / p));
    let g = (reach + target) * v.sqrt();
    let step = ("step", (1.0 / (g * ((p - 1.0) * m).sqrt())).to_string());
    known.holds("pnorm", 5, 0.5, &[("p", "auto".to_owned()), step], g * ((p - 1.0) / m).sqrt());
}

#[test]
fn the_guarantee_of_theorem_2_holds() {
    // One draw for the example, two for the product: d/s1 = 4, and |w*|_2 = 1.
    let known = Known::new(&[1.0; 4], &[(1, 1.0)], 60_000);
    let ((_, largest, target), m) = (known.bounds(), 60_000.0_f64);
    let g = 2.0 * (largest + target) * (4.0 * SQUARE * 4.0_f64).sqrt();
    let rate = ((1.0 + m.ln()) / m).sqrt();
    known.holds("aer", 3, 1.0, &[("penalty", (2.0 * g * rate).to_string())], 2.0 * g * rate);
}

/// x = +-M in one of M^2 examples, else 0, y = x/2: E x^2 = 1, and what the formula gives for root
/// means is not kept.
#[test]
fn root_means_in_the_place_of_bounds_are_no_theorem() {
    let (m, rare) = (10_000, 1000.0_f64);
    let formula = (1.0 + 0.5) / f64::from(m).sqrt();
    let excess = (0..20).map(|seed| {
        let mut stream = Stream::new(seed, Purpose::Data, 98);
        let mut value = |_| match stream.unit() * rare {
            u if u < 0.5 => rare.sqrt(),
            u if u < 1.0 => -rare.sqrt(),
            _ => 0.0,
        };
        let x = Array2::from_shape_fn((m as usize, 1), &mut value);
        let data =
            Data::new(x.clone(), x.iter().map(|x| 0.5 * x).collect(), &singletons(1)).measured();
        let settings = [
            ("intercept", "false"),
            ("centre", "none"),
            ("average", "all"),
            ("radius", "1"),
            ("step", "theory"),
        ];
        let fit = learner("aerr", &[&settings[..], &[("budget", "1")]].concat())
            .fit(&data.examples(), &Silent)
            .unwrap();
        0.5 * (fit.linear().unwrap().weights[0] - 0.5).powi(2) / 20.0
    });
    let excess: f64 = excess.sum();
    assert!(
        excess > 5.0 * formula,
        "excess {excess}, and the formula gives {formula}: say so in aerr.rs"
    );
}
