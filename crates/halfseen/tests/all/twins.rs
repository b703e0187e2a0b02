//! Runs plain dense forms of AER, AERR and AELR, straight from the papers, beside the learners.
//!
//! Tolerances are 1e-10 and not 1e-12 because AERR's estimate of the product divides by a weight:
//! an error of w_j comes back |w|^2 x_j / w_j^2 times as large. With steps ten times larger than
//! those below, rounding errors grow exponentially, as any two nearly equal runs part company then;
//! lazy or dense makes no difference to that.

use crate::common::{Data, assert_near, learner, singletons, started};
use halfseen::budget::{Query, ReadRole};
use halfseen::sampling::{Purpose, Stream, shuffle, subset};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Method {
    Aer,
    Aerr,
    Aelr,
}

/// Everything is a vector of length d, and every step touches all of it.
struct Dense {
    method: Method,
    radius: f64,
    /// eta of AERR and AELR, lambda of AER.
    size: f64,
    w: Vec<f64>,
    /// Logarithms of z+ and z- of AELR.
    logs: (Vec<f64>, Vec<f64>),
    sum: Vec<f64>,
    counted: f64,
    t: f64,
}

impl Dense {
    fn new(method: Method, d: usize, radius: f64, size: f64) -> Dense {
        let zeros = vec![0.0; d];
        let logs = (zeros.clone(), zeros.clone());
        Dense { method, radius, size, w: zeros.clone(), logs, sum: zeros, counted: 0.0, t: 0.0 }
    }

    fn count(&mut self) {
        self.sum.iter_mut().zip(&self.w).for_each(|(s, w)| *s += w);
        self.counted += 1.0;
    }

    fn average(&self) -> Vec<f64> {
        self.sum.iter().map(|s| s / self.counted).collect()
    }

    /// One line of the pseudo-code per line: `gradient` are the attributes drawn for x~, `product`
    /// those drawn for the product.
    fn step(&mut self, x: &[f64], y: f64, gradient: &[usize], product: &[usize]) {
        let (d, w) = (x.len(), self.w.clone());
        self.t += 1.0;
        if self.method != Method::Aer {
            self.count();
        }
        let l1: f64 = w.iter().map(|v| v.abs()).sum();
        let l2_square: f64 = w.iter().map(|v| v * v).sum();
        let estimates = product.iter().map(|&j| match self.method {
            Method::Aerr => l2_square * x[j] / w[j],
            Method::Aer | Method::Aelr => l1 * w[j].signum() * x[j],
        });
        let product_estimate =
            if l1 == 0.0 { 0.0 } else { estimates.sum::<f64>() / product.len() as f64 };
        let mut x_tilde = vec![0.0; d];
        gradient.iter().for_each(|&j| x_tilde[j] += d as f64 / gradient.len() as f64 * x[j]);
        let phi = product_estimate - y;
        match self.method {
            Method::Aer => {
                let (shrink, step) = (1.0 - 1.0 / self.t, 2.0 / (self.size * self.t));
                self.w
                    .iter_mut()
                    .zip(&x_tilde)
                    .for_each(|(w, v)| *w = shrink * *w - step * phi * v);
                onto_l1_ball(&mut self.w, self.radius);
            }
            Method::Aerr => {
                self.w.iter_mut().zip(&x_tilde).for_each(|(w, v)| *w -= self.size * phi * v);
                let norm = self.w.iter().map(|v| v * v).sum::<f64>().sqrt();
                self.w.iter_mut().for_each(|w| *w *= self.radius / norm.max(self.radius));
            }
            Method::Aelr => {
                let (plus, minus) = &mut self.logs;
                for (j, v) in x_tilde.iter().enumerate() {
                    let clipped = (phi * v).clamp(-1.0 / self.size, 1.0 / self.size);
                    plus[j] -= self.size * clipped;
                    minus[j] += self.size * clipped;
                }
                let top = plus.iter().chain(minus.iter()).fold(f64::NEG_INFINITY, |a, b| a.max(*b));
                let total: f64 = plus.iter().chain(minus.iter()).map(|z| (z - top).exp()).sum();
                for (j, w) in self.w.iter_mut().enumerate() {
                    *w = self.radius * ((plus[j] - top).exp() - (minus[j] - top).exp()) / total;
                }
            }
        }
        if self.method == Method::Aer {
            self.count();
        }
    }
}

/// Duchi et al. 2008 by bisection of the threshold: slow, and nothing like the code under test.
fn onto_l1_ball(w: &mut [f64], radius: f64) {
    let norm = |theta: f64, w: &[f64]| w.iter().map(|v| (v.abs() - theta).max(0.0)).sum::<f64>();
    if norm(0.0, w) <= radius {
        return;
    }
    let (mut low, mut high) = (0.0, w.iter().fold(0.0_f64, |a, v| a.max(v.abs())));
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if norm(middle, w) > radius { low = middle } else { high = middle }
    }
    // The threshold of the support that the bisection found, without the bisection's error.
    let support: Vec<f64> = w.iter().map(|v| v.abs()).filter(|v| *v > high).collect();
    let theta = (support.iter().sum::<f64>() - radius) / support.len() as f64;
    w.iter_mut().for_each(|v| *v = (v.abs() - theta).max(0.0).copysign(*v));
}

fn panels(query: &Query, role: ReadRole) -> Vec<usize> {
    query.reads.iter().filter(|r| r.role == role).map(|r| r.panel as usize).collect()
}

const D: usize = 30;
const PLAIN: [(&str, &str); 3] = [("intercept", "false"), ("centre", "none"), ("average", "all")];

/// Feeds a dense form with the recorded queries of a learner that asks and tells.
fn replay(name: &str, method: Method, settings: &[(&str, &str)], radius: f64, size: f64) {
    let data = Data::random(10_000, &singletons(D), 11);
    let settings = [&PLAIN[..], settings, &[("horizon", "10000"), ("budget", "5")]].concat();
    let mut lazy = started(name, &settings, &data.layout);
    let mut dense = Dense::new(method, D, radius, size);
    let (mut compared, mut full) = (0, 0);
    for row in 0..10_000 {
        let query = lazy.ask().unwrap();
        lazy.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
        let (gradient, product) =
            (panels(&query, ReadRole::Gradient), panels(&query, ReadRole::Product));
        full += usize::from(gradient.len() + product.len() == 5);
        dense.step(data.x.row(row).as_slice().unwrap(), data.y[row], &gradient, &product);
        if row % 1000 == 999 {
            compared += 1;
            let predictor = lazy.predictor();
            assert_near(
                &predictor.weights,
                &dense.average(),
                1e-10 * radius,
                &format!("{name} after {}", row + 1),
            );
            assert_eq!(predictor.intercept, 0.0);
        }
    }
    assert_eq!(
        (compared, full),
        (10, 9_999),
        "only the first query, at w = 0, has no product reads"
    );
}

#[test]
fn aerr_equals_algorithm_1_of_paper_b() {
    // A radius that binds, and one that does not.
    replay("aerr", Method::Aerr, &[("step", "0.0015"), ("radius", "0.3")], 0.3, 0.0015);
    replay(
        "aerr",
        Method::Aerr,
        &[("step", "0.0015"), ("radius", "2"), ("replacement", "true")],
        2.0,
        0.0015,
    );
}

#[test]
fn aelr_equals_algorithm_2_of_paper_b() {
    replay("aelr", Method::Aelr, &[("step", "0.05"), ("radius", "2")], 2.0, 0.05);
    // Steps that are clipped, and repeated draws that are clipped together.
    replay(
        "aelr",
        Method::Aelr,
        &[("step", "0.5"), ("radius", "1"), ("replacement", "true")],
        1.0,
        0.5,
    );
}

#[test]
fn aer_equals_algorithm_2_of_paper_a_and_averages_after_the_step() {
    replay("aer", Method::Aer, &[("penalty", "0.3"), ("radius", "1")], 1.0, 0.3);
    replay("aer", Method::Aer, &[("penalty", "4"), ("radius", "3")], 3.0, 4.0);
}

/// The whole of a fit, order and draws included, from the seeding rule alone.
fn fit_from_the_seeding_rule(name: &str, method: Method, step: (&str, f64), replacement: bool) {
    let (seed, budget, radius) = (77, 6, 1.5);
    let data = Data::random(3_000, &singletons(D), 12);
    let step_text = step.1.to_string();
    let mut settings = [&PLAIN[..], &[("seed", "77"), ("budget", "6"), ("radius", "1.5")]].concat();
    settings.push((step.0, &step_text));
    if replacement {
        settings.push(("replacement", "true"));
    }
    let fit = learner(name, &settings).fit(&data.examples(), &halfseen::Silent).unwrap();
    let mut order: Vec<u32> = (0..3_000).collect();
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let (draws, products) =
        if method == Method::Aer { (budget / 2, budget - budget / 2) } else { (budget - 1, 1) };
    let mut dense = Dense::new(method, D, radius, step.1);
    for (n, &row) in order.iter().enumerate() {
        let mut stream = Stream::new(seed, Purpose::Query, n as u64);
        let mut drawn = Vec::new();
        if replacement {
            drawn.extend((0..draws).map(|_| stream.below(D) as u32));
        } else {
            subset(&mut stream, D, draws, &mut drawn);
        }
        let gradient: Vec<usize> = drawn.iter().map(|&p| p as usize).collect();
        let mass = |w: &f64| if method == Method::Aerr { w * w } else { w.abs() };
        let total: f64 = dense.w.iter().map(mass).sum();
        let draw = |unit: f64| {
            let mut rest = unit * total;
            let place = dense.w.iter().position(|w| {
                rest -= mass(w);
                rest < 0.0
            });
            place.unwrap_or_else(|| dense.w.iter().rposition(|w| *w != 0.0).unwrap())
        };
        let product: Vec<usize> =
            if total > 0.0 { (0..products).map(|_| draw(stream.unit())).collect() } else { vec![] };
        let row = row as usize;
        dense.step(data.x.row(row).as_slice().unwrap(), data.y[row], &gradient, &product);
    }
    assert_near(&fit.linear().unwrap().weights, &dense.average(), 1e-10 * radius, name);
}

#[test]
fn whole_fits_follow_from_the_seeding_rule() {
    fit_from_the_seeding_rule("aerr", Method::Aerr, ("step", 0.0015), false);
    fit_from_the_seeding_rule("aerr", Method::Aerr, ("step", 0.0015), true);
    fit_from_the_seeding_rule("aelr", Method::Aelr, ("step", 0.05), false);
    fit_from_the_seeding_rule("aelr", Method::Aelr, ("step", 0.05), true);
    fit_from_the_seeding_rule("aer", Method::Aer, ("penalty", 1.0), false);
}
