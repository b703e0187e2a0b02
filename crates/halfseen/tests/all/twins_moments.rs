//! Runs plain dense forms of the learners that draw by moments, straight from paper C, beside the
//! learners.
//!
//! As `twins.rs` does: the recorded queries say which attributes were drawn, and nothing else.
//! Probabilities, coefficients, moments and phases are the dense form's own.

use crate::common::{Data, assert_near, singletons, started};
use halfseen::budget::{Query, ReadRole};

const D: usize = 30;
const K: usize = 4;
const ROWS: usize = 4_000;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Iterate {
    Ball,
    Exponentiated,
}

#[derive(Clone, PartialEq, Debug)]
enum Source {
    Probabilities(Vec<f64>),
    Moments(Vec<f64>),
    /// Share of uniform draws.
    Online(f64),
    /// m1, c, delta.
    FirstPhase(usize, f64, f64),
}

/// Everything is a vector of length D, and every step touches all of it.
struct Dense {
    iterate: Iterate,
    source: Source,
    /// beta: the share of the product's draws that go by |w_j| sqrt(mu_j).
    beta: f64,
    replacement: bool,
    adagrad: bool,
    radius: f64,
    eta: f64,
    w: Vec<f64>,
    /// eta times the sum of the clipped gradients.
    theta: Vec<f64>,
    squared: Vec<f64>,
    /// q, of which draws go by; mu, where it is known.
    q: Vec<f64>,
    mu: Option<Vec<f64>>,
    /// A of the first phase, times its examples.
    tally: Vec<f64>,
    /// The largest x_i^2 among them.
    largest: f64,
    /// Reads of each attribute, and the sums of their squares.
    seen: Vec<(f64, f64)>,
    sum: Vec<f64>,
    counted: f64,
    t: usize,
}

impl Dense {
    fn new(iterate: Iterate, source: Source, radius: f64, eta: f64) -> Dense {
        let zeros = vec![0.0; D];
        let mut dense = Dense {
            iterate,
            source: source.clone(),
            beta: 0.0,
            replacement: false,
            adagrad: false,
            radius,
            eta,
            w: zeros.clone(),
            theta: zeros.clone(),
            squared: zeros.clone(),
            q: vec![1.0 / D as f64; D],
            mu: None,
            tally: zeros.clone(),
            largest: 0.0,
            seen: vec![(0.0, 0.0); D],
            sum: zeros,
            counted: 0.0,
            t: 0,
        };
        match source {
            Source::Probabilities(q) => dense.q = q,
            Source::Moments(mu) => {
                dense.q = dense.best(&mu);
                dense.mu = Some(mu);
            }
            _ => {}
        }
        dense
    }

    /// q in proportion to sqrt(mu) (sections 3.2, 3.3) or mu (section 4).
    fn best(&self, mu: &[f64]) -> Vec<f64> {
        let weight = |mu: &f64| if self.iterate == Iterate::Ball { mu.sqrt() } else { *mu };
        let total: f64 = mu.iter().map(weight).sum();
        mu.iter().map(|mu| weight(mu) / total).collect()
    }

    /// What a draw of each attribute counts: 1/(k q_i); without replacement 1/pi_i, pi_i = k q_i
    /// except where that is above 1: those are always read, and the others share what is left,
    /// again and again.
    fn coefficients(&self) -> Vec<f64> {
        if self.replacement {
            return self.q.iter().map(|q| 1.0 / (K as f64 * q)).collect();
        }
        let mut always = [false; D];
        loop {
            let left = (K - always.iter().filter(|a| **a).count()) as f64;
            let total: f64 = (0..D).filter(|&i| !always[i]).map(|i| self.q[i]).sum();
            let pi: Vec<f64> =
                (0..D).map(|i| if always[i] { 1.0 } else { left * self.q[i] / total }).collect();
            if pi.iter().all(|p| *p <= 1.0 + 1e-14) {
                return pi.iter().map(|p| 1.0 / p).collect();
            }
            (0..D).for_each(|i| always[i] |= pi[i] > 1.0);
        }
    }

    /// The probability of each attribute in the product's draw.
    fn shares(&self) -> Vec<f64> {
        let mass = |w: f64| if self.iterate == Iterate::Ball { w * w } else { w.abs() };
        let by_weights: Vec<f64> = self.w.iter().map(|w| mass(*w)).collect();
        let total: f64 = by_weights.iter().sum();
        let plain = by_weights.iter().map(|m| m / total);
        let Some(mu) = self.mu.as_ref().filter(|_| self.beta > 0.0) else { return plain.collect() };
        let by_moments: Vec<f64> =
            self.w.iter().zip(mu).map(|(w, mu)| w.abs() * mu.sqrt()).collect();
        let all: f64 = by_moments.iter().sum();
        plain.zip(by_moments).map(|(p, m)| (1.0 - self.beta) * p + self.beta * m / all).collect()
    }

    fn step(&mut self, x: &[f64], y: f64, gradient: &[usize], product: Option<usize>) {
        self.t += 1;
        if matches!(self.source, Source::FirstPhase(m1, ..) if self.t == m1 + 1) {
            // The second phase's iterates alone are averaged.
            self.sum.fill(0.0);
            self.counted = 0.0;
        }
        self.sum.iter_mut().zip(&self.w).for_each(|(s, w)| *s += w);
        self.counted += 1.0;
        let phi = product.map_or(0.0, |j| self.w[j] * x[j] / self.shares()[j]) - y;
        let coefficients = self.coefficients();
        let mut g = vec![0.0; D];
        gradient.iter().for_each(|&i| g[i] += phi * coefficients[i] * x[i]);
        if self.adagrad {
            for (g, squared) in g.iter_mut().zip(&mut self.squared) {
                *squared += *g * *g;
                *g = if *squared > 0.0 { *g / squared.sqrt() } else { 0.0 };
            }
        }
        match self.iterate {
            Iterate::Ball => {
                self.w.iter_mut().zip(&g).for_each(|(w, g)| *w -= self.eta * g);
                let norm = self.w.iter().map(|w| w * w).sum::<f64>().sqrt();
                self.w.iter_mut().for_each(|w| *w *= self.radius / norm.max(self.radius));
            }
            Iterate::Exponentiated => {
                self.theta
                    .iter_mut()
                    .zip(&g)
                    .for_each(|(t, g)| *t -= (self.eta * g).clamp(-1.0, 1.0));
                let z: f64 = self.theta.iter().map(|t| t.exp() + (-t).exp()).sum();
                self.w =
                    self.theta.iter().map(|t| self.radius * (t.exp() - (-t).exp()) / z).collect();
            }
        }
        for &i in gradient {
            self.tally[i] += coefficients[i] * x[i] * x[i];
            self.largest = self.largest.max(x[i] * x[i]);
        }
        for &i in gradient.iter().chain(product.as_ref()) {
            self.seen[i] = (self.seen[i].0 + 1.0, self.seen[i].1 + x[i] * x[i]);
        }
        self.change_draws();
    }

    /// At the end of a first phase, and online each time the answers have doubled, once each may
    /// have been read.
    fn change_draws(&mut self) {
        let t = self.t as f64;
        match self.source {
            Source::FirstPhase(m1, c, delta) if self.t == m1 => {
                // The theorem's is for values of at most 1; the largest of the phase stands for
                // their bound.
                let eps = self.largest * D as f64 * (2.0 * D as f64 / delta).ln() / (t * K as f64);
                let mu: Vec<f64> = self.tally.iter().map(|a| a / t + c * eps).collect();
                self.q = self.best(&mu);
                self.mu = Some(mu);
            }
            Source::Online(kappa) if self.t.is_power_of_two() && self.t * K >= D => {
                // Each attribute's mean square, steadied by one read at that of all.
                let (reads, squares) =
                    self.seen.iter().fold((0.0, 0.0), |a, s| (a.0 + s.0, a.1 + s.1));
                let mu: Vec<f64> =
                    self.seen.iter().map(|s| (s.1 + squares / reads) / (s.0 + 1.0)).collect();
                self.q =
                    self.best(&mu).iter().map(|q| (1.0 - kappa) * q + kappa / D as f64).collect();
                self.mu = Some(mu);
            }
            _ => {}
        }
    }
}

fn panels(query: &Query, role: ReadRole) -> Vec<usize> {
    query.reads.iter().filter(|r| r.role == role).map(|r| r.panel as usize).collect()
}

/// Feeds a dense form with the recorded queries of a learner that asks and tells.
fn replay(name: &str, settings: &[(&str, &str)], mut dense: Dense) {
    let data = Data::random(ROWS, &singletons(D), 13);
    let (eta, radius) = (dense.eta.to_string(), dense.radius.to_string());
    let mut all =
        vec![("intercept", "false"), ("centre", "none"), ("average", "all"), ("horizon", "4000")];
    all.extend([("budget", "5"), ("step", &*eta), ("radius", &*radius)]);
    all.extend(settings);
    for (name, value) in settings {
        match (*name, *value) {
            ("replacement", value) => dense.replacement = value == "true",
            ("inner", value) => {
                dense.beta = [("weights", 0.0), ("mixed", 0.5), ("moments", 1.0)]
                    .iter()
                    .find(|b| b.0 == value)
                    .unwrap()
                    .1
            }
            ("step_rule", value) => dense.adagrad = value == "adagrad",
            _ => {}
        }
    }
    let what = format!("{name} {settings:?}");
    let mut lazy = started(name, &all, &data.layout);
    let mut moved = 0;
    for row in 0..ROWS {
        let query = lazy.ask().unwrap();
        lazy.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
        let (gradient, product) =
            (panels(&query, ReadRole::Gradient), panels(&query, ReadRole::Product));
        assert_eq!(
            (gradient.len(), product.len()),
            (K, usize::from(dense.w.iter().any(|w| *w != 0.0))),
            "{what}"
        );
        let before = dense.q.clone();
        dense.step(
            data.x.row(row).as_slice().unwrap(),
            data.y[row],
            &gradient,
            product.first().copied(),
        );
        moved += usize::from(dense.q != before);
        if row % 500 == 499 {
            let average: Vec<f64> = dense.sum.iter().map(|s| s / dense.counted).collect();
            assert_near(
                &lazy.predictor().weights,
                &average,
                1e-12 * dense.radius,
                &format!("{what} after {}", row + 1),
            );
        }
    }
    let size = match dense.iterate {
        Iterate::Ball => dense.w.iter().map(|w| w * w).sum::<f64>().sqrt(),
        Iterate::Exponentiated => dense.w.iter().map(|w| w.abs()).sum(),
    };
    assert!(size > 0.3 * dense.radius, "{what}: the weights have not moved far ({size})");
    let changes = match dense.source {
        // After 8, 16, ... 2048 answers.
        Source::Online(_) => 9,
        Source::FirstPhase(..) => 1,
        _ => 0,
    };
    assert_eq!(moved, changes, "{what}");
    let uneven = dense.q.iter().fold(0.0_f64, |a, q| a.max(*q)) * D as f64;
    assert!(
        uneven > 1.2,
        "{what}: all probabilities are alike, which would show little ({uneven})"
    );
}

const BALL: (f64, f64) = (0.2, 0.001);
const EXPONENTIATED: (f64, f64) = (2.0, 0.03);

fn dense(name: &str, source: Source) -> Dense {
    let entropic = name.starts_with("ddaelr");
    let (radius, eta) = if entropic { EXPONENTIATED } else { BALL };
    Dense::new(if entropic { Iterate::Exponentiated } else { Iterate::Ball }, source, radius, eta)
}

/// Uneven numbers, two of which ask for more than one read of each example.
fn uneven() -> Vec<f64> {
    (0..D).map(|i| if i % 13 == 4 { 9.0 } else { 0.1 + 0.05 * (i % 7) as f64 }).collect()
}

fn text(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(",")
}

const DRAWS: [&str; 2] = ["false", "true"];
const INNER: [&str; 3] = ["weights", "moments", "mixed"];

#[test]
fn gaerr_draws_by_declared_probabilities() {
    let total: f64 = uneven().iter().sum();
    let q: Vec<f64> = uneven().iter().map(|v| v / total).collect();
    for replacement in DRAWS {
        let settings = [("probabilities", &*text(&q)), ("replacement", replacement)];
        replay("gaerr", &settings, dense("gaerr", Source::Probabilities(q.clone())));
    }
}

#[test]
fn ddaerr_and_ddaelr_draw_by_declared_moments() {
    for name in ["ddaerr", "ddaelr"] {
        for (replacement, inner) in DRAWS.iter().flat_map(|r| INNER.map(|i| (*r, i))) {
            let settings =
                [("moments", &*text(&uneven())), ("replacement", replacement), ("inner", inner)];
            replay(name, &settings, dense(name, Source::Moments(uneven())));
        }
    }
}

#[test]
fn moments_are_estimated_online() {
    for name in ["ddaerr", "ddaelr"] {
        for (replacement, inner) in DRAWS.iter().flat_map(|r| INNER.map(|i| (*r, i))) {
            let settings = [("moments", "online"), ("replacement", replacement), ("inner", inner)];
            replay(name, &settings, dense(name, Source::Online(0.3)));
        }
    }
}

#[test]
fn two_phases_follow_algorithm_2() {
    for name in ["ddaerr-2p", "ddaelr-2p"] {
        for (replacement, inner) in DRAWS.iter().flat_map(|r| INNER.map(|i| (*r, i))) {
            for (phase1, m1) in [("700", 700), ("0.05", 200)] {
                let settings = [
                    ("phase1", phase1),
                    ("smoothing", "0.02"),
                    ("confidence", "0.2"),
                    ("replacement", replacement),
                    ("inner", inner),
                ];
                replay(name, &settings, dense(name, Source::FirstPhase(m1, 0.02, 0.2)));
            }
        }
    }
}

#[test]
fn each_attribute_has_a_step_of_its_own() {
    for replacement in DRAWS {
        let adagrad = [("step_rule", "adagrad"), ("replacement", replacement)];
        let of = |name: &str, source| Dense { eta: 0.005, ..dense(name, source) };
        replay(
            "ddaerr",
            &[&adagrad[..], &[("moments", &*text(&uneven()))]].concat(),
            of("ddaerr", Source::Moments(uneven())),
        );
        let phase = [("phase1", "700"), ("smoothing", "0.02"), ("confidence", "0.2")];
        replay(
            "ddaerr-2p",
            &[&adagrad[..], &phase].concat(),
            of("ddaerr-2p", Source::FirstPhase(700, 0.02, 0.2)),
        );
    }
}
