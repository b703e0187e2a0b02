//! Runs plain dense forms of the passive learners and of the p-norm updates beside the learners.

use crate::common::{Data, assert_near, singletons, started};
use halfseen::budget::{Query, ReadRole};
use halfseen::sampling::{Purpose, Stream};

const D: usize = 12;
const ROWS: usize = 3_000;
const PLAIN: [(&str, &str); 3] = [("centre", "none"), ("average", "all"), ("horizon", "3000")];

/// One passive learner, the formulas as they are written, shares counted as rows come.
fn passive(name: &str, mode: &str, radius: f64, eta: f64) {
    let data = Data::random(ROWS, &singletons(D), 51);
    let (step, ball) = (eta.to_string(), radius.to_string());
    let settings = [&PLAIN[..], &[("passive", mode), ("step", &step), ("radius", &ball)]].concat();
    let mut lazy = started(name, &settings, &data.layout);
    let mut mask = Stream::new(52, Purpose::Data, 0);
    let (mut w, mut theta, mut sum, mut seen) =
        (vec![0.0_f64; D], vec![0.0; D], vec![0.0; D], vec![0.0; D]);
    let (mut risk, mut drawn, mut empty) = (0.0, 0, 0);
    let mut query = Query::default();
    for row in 0..ROWS {
        let x = data.x.row(row).to_vec();
        let y = data.y[row];
        let o: Vec<usize> = (0..D).filter(|j| mask.unit() < 0.03 + 0.045 * *j as f64).collect();
        empty += usize::from(o.is_empty());
        o.iter().for_each(|&j| seen[j] += 1.0);
        let pi = |j: usize| seen[j] / (row + 1) as f64;
        let observed: Vec<u32> = o.iter().map(|&j| j as u32).collect();
        lazy.ask_observed_into(&observed, &mut query).unwrap();
        // The intercept at ask time, which is not what is tested here.
        let intercept = query.exact;
        lazy.tell(&query, &data.answer(&query, row), y).unwrap();
        let chosen =
            query.reads.iter().find(|r| r.role == ReadRole::Full).map(|r| r.panel as usize);
        drawn += usize::from(chosen.is_some());
        sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        let mass = |j: usize| (if name == "aerr" { w[j] * w[j] } else { w[j].abs() }) / pi(j);
        let total: f64 = o.iter().map(|&j| mass(j)).sum();
        // Of each observed i the product, by the papers' case distinction.
        let product = |i: usize| -> f64 {
            match (mode, chosen) {
                ("one", None) => 0.0,
                ("one", Some(j)) if i == j => w[j] * x[j] / (mass(j) / total),
                ("one", Some(j)) => w[j] * x[j] / (mass(j) / total * pi(j)),
                _ => {
                    o.iter().map(|&j| if i == j { w[j] * x[j] } else { w[j] * x[j] / pi(j) }).sum()
                }
            }
        };
        if mode == "all" {
            let terms: Vec<f64> = o.iter().map(|&j| w[j] * x[j] / pi(j)).collect();
            let pairs: f64 = (0..o.len())
                .flat_map(|a| (0..a).map(move |b| (a, b)))
                .map(|(a, b)| terms[a] * terms[b])
                .sum();
            let own: f64 = o.iter().map(|&j| (w[j] * x[j]).powi(2) / pi(j)).sum();
            let rest = intercept - y;
            risk += 2.0 * pairs + own + 2.0 * rest * terms.iter().sum::<f64>() + rest * rest;
        }
        let g: Vec<f64> = o.iter().map(|&i| (product(i) + intercept - y) * x[i] / pi(i)).collect();
        if name == "aerr" {
            o.iter().zip(&g).for_each(|(&i, g)| w[i] -= eta * g);
            let norm = w.iter().map(|v| v * v).sum::<f64>().sqrt();
            w.iter_mut().for_each(|v| *v *= radius / norm.max(radius));
        } else {
            o.iter().zip(&g).for_each(|(&i, g)| theta[i] -= (eta * g).clamp(-1.0, 1.0));
            let z: f64 = theta.iter().map(|t: &f64| t.exp() + (-t).exp()).sum();
            w = theta.iter().map(|t| radius * (t.exp() - (-t).exp()) / z).collect();
        }
        if row % 500 == 499 {
            let average: Vec<f64> = sum.iter().map(|s| s / (row + 1) as f64).collect();
            assert_near(
                &lazy.predictor().weights,
                &average,
                1e-12 * radius,
                &format!("{name} {mode} after {}", row + 1),
            );
        }
    }
    assert!(empty > 5 && drawn > ROWS / 2, "{empty} empty rows, {drawn} with a product");
    let actual = lazy.report().risk;
    let expected = (mode == "all").then_some(risk / ROWS as f64);
    assert_eq!(actual.is_some(), expected.is_some());
    assert!(
        actual.iter().zip(&expected).all(|(f, e)| (f - e).abs() < 1e-12 * e.abs().max(1.0)),
        "{actual:?}, {expected:?}"
    );
}

#[test]
fn passive_learners_follow_their_formulas() {
    for mode in ["one", "all"] {
        passive("aerr", mode, 0.3, 0.002);
        passive("aelr", mode, 2.0, 0.03);
    }
}

/// w is the gradient of |theta|_p^2 / 2, by the definition.
fn link(theta: &[f64], p: f64) -> Vec<f64> {
    let norm = theta.iter().map(|t| t.abs().powf(p)).sum::<f64>().powf(1.0 / p);
    let of = |t: &f64| {
        if norm == 0.0 { 0.0 } else { t.signum() * t.abs().powf(p - 1.0) / norm.powf(p - 2.0) }
    };
    theta.iter().map(of).collect()
}

fn pnorm(power: Option<f64>, ball: Option<f64>, eta: f64) {
    let data = Data::random(ROWS, &singletons(D), 53);
    let (step, radius) = (eta.to_string(), ball.unwrap_or(1.0).to_string());
    let text = power.map_or("auto".to_owned(), |p| p.to_string());
    let keeps = ball.is_some().to_string();
    let settings = [
        ("p", &*text),
        ("project", &*keeps),
        ("radius", &*radius),
        ("step", &*step),
        ("budget", "5"),
    ];
    let settings = [&PLAIN[..], &settings, &[("intercept", "false")]].concat();
    let p = power.unwrap_or(2.0 * (D as f64).ln());
    let mut lazy = started("pnorm", &settings, &data.layout);
    let (mut theta, mut sum, mut bound) = (vec![0.0; D], vec![0.0; D], 0);
    for row in 0..ROWS {
        let query = lazy.ask().unwrap();
        lazy.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
        let panels =
            |role| query.reads.iter().filter(move |r| r.role == role).map(|r| r.panel as usize);
        let w = link(&theta, p);
        sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        let total: f64 = theta.iter().map(|t| t.abs().powf(p)).sum();
        let x = data.x.row(row);
        let product = panels(ReadRole::Product)
            .next()
            .map_or(0.0, |j| w[j] * x[j] / (theta[j].abs().powf(p) / total));
        let phi = product - data.y[row];
        panels(ReadRole::Gradient).for_each(|i| theta[i] -= eta * phi * (D as f64 / 4.0) * x[i]);
        let norm = theta.iter().map(|t| t.abs().powf(p)).sum::<f64>().powf(1.0 / p);
        if let Some(radius) = ball.filter(|radius| norm > *radius) {
            theta.iter_mut().for_each(|t| *t *= radius / norm);
            bound += 1;
        }
        if row % 500 == 499 {
            let average: Vec<f64> = sum.iter().map(|s| s / (row + 1) as f64).collect();
            assert_near(
                &lazy.predictor().weights,
                &average,
                1e-12,
                &format!("p = {p}, {ball:?}, after {}", row + 1),
            );
        }
    }
    assert!(ball.is_none() || bound > 100, "the ball must bind: {bound}");
}

#[test]
fn pnorm_follows_its_link() {
    for power in [Some(2.0), Some(3.0), None, Some(8.0)] {
        pnorm(power, None, 0.001);
        pnorm(power, Some(0.1), 0.003);
    }
}

/// p = 2 is AERR while AERR does not project; the same seed draws the same attributes.
#[test]
fn p_2_is_aerr_before_its_projection() {
    let data = Data::random(ROWS, &singletons(D), 54);
    let settings = [("radius", "1000"), ("step", "0.001"), ("budget", "5"), ("seed", "7")];
    let settings = [&PLAIN[..], &settings].concat();
    let fit = |name: &str, more: &[(&str, &str)]| {
        let learner = crate::common::learner(name, &[&settings[..], more].concat());
        learner.fit(&data.examples(), &halfseen::Silent).unwrap().linear().unwrap().clone()
    };
    let (plain, aerr) = (fit("pnorm", &[("p", "2")]), fit("aerr", &[]));
    assert_near(&plain.weights, &aerr.weights, 1e-12, "weights");
    assert_near(&[plain.intercept], &[aerr.intercept], 1e-12, "intercept");
    // And with the ball it is AERR altogether, theory's step included.
    let ball = [("radius", "0.1"), ("step", "theory"), ("average", "tail"), ("centre", "running")];
    let plain = fit("pnorm", &[&ball[..], &[("p", "2"), ("project", "true")]].concat());
    assert_near(&plain.weights, &fit("aerr", &ball).weights, 1e-12, "in the ball");
}
