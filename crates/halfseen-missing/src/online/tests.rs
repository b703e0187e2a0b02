//! Compares the online algorithm with its recursion and its theorem, and tests its file.

mod regret;

use super::*;
use faer::Mat;
use halfseen_core::kernel::gram::gram as of_kernels;
use halfseen_core::kernel::{Kernel, Masked};
use halfseen_core::params::Normalization;
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent, SolverStop};
use ndarray::Array2;
use proptest::prelude::*;

fn rows(n: usize, d: usize, classes: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut cell = || if stream.unit() < 0.4 { f64::NAN } else { stream.normal() };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| cell()).collect()).collect();
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    (rows, (0..n).map(|_| stream.below(classes)).collect())
}

/// k_gamma by its definition, with a_r = 1.
fn gram(rows: &[Vec<f64>], gamma: u64) -> Mat<f64> {
    let cells = Array2::from_shape_fn((rows.len(), rows[0].len()), |(i, j)| rows[i][j]);
    let kernel = Kernel::new(gamma, None, Normalization::None, 1).unwrap();
    let rows = Masked::from_rows(cells.view(), false).unwrap();
    of_kernels(&[kernel], &rows, &Silent).unwrap().remove(0)
}

fn signs(classes: &[usize]) -> Outcomes {
    Outcomes::Numbers(Mat::from_fn(1, classes.len(), |_, i| 2.0 * classes[i] as f64 - 1.0))
}

/// Pass over rows of a Gram matrix in an order that may repeat rows.
struct Pass {
    learner: OnlineKarma,
    kept: Vec<usize>,
    stop: SolverStop,
}

impl Pass {
    fn run(
        gram: &Mat<f64>,
        order: &[usize],
        targets: &Outcomes,
        (rho, loss): (f64, OnlineLoss),
        monitor: &dyn Monitor,
    ) -> Result<Pass> {
        let outputs = match targets {
            Outcomes::Numbers(numbers) => numbers.nrows(),
            Outcomes::Classes(codes) => 1 + *codes.iter().max().unwrap() as usize,
        };
        let (mut learner, mut kept) = (OnlineKarma::new(loss, outputs, rho)?, Vec::new());
        let rows = order.iter().map(|&row| (row, row));
        let stop = learner.pass(gram.as_ref(), rows, targets, &mut kept, monitor)?;
        Ok(Pass { learner, kept, stop })
    }

    fn coefficients(&self, by: KernelIterate, n: usize) -> Mat<f64> {
        let coefficients = self.learner.coefficients(by);
        let mut merged = Mat::zeros(n, coefficients.ncols());
        for (i, &row) in self.kept.iter().enumerate() {
            (0..coefficients.ncols()).for_each(|j| merged[(row, j)] += coefficients[(i, j)]);
        }
        merged
    }
}

/// Runs algorithm 1 as printed, where `size(t)` is t: alpha shrinks at each step. Returns alpha
/// after T steps and the average of the alphas that scored steps 1 to T, per step and output.
type PerStep = Vec<Vec<f64>>;
fn literal(
    gram: &Mat<f64>,
    order: &[usize],
    slope: impl Fn(&[f64], usize) -> Vec<f64>,
    outputs: usize,
    (rho, size): (f64, impl Fn(usize) -> f64),
) -> (PerStep, PerStep) {
    let mut alpha = vec![vec![0.0; outputs]; order.len()];
    let mut sum = alpha.clone();
    for (t, &row) in order.iter().enumerate() {
        for (s, a) in sum.iter_mut().zip(&alpha) {
            s.iter_mut().zip(a).for_each(|(s, a)| *s += a / order.len() as f64);
        }
        let score = |j: usize| (0..t).map(|i| alpha[i][j] * gram[(order[i], row)]).sum::<f64>();
        let scores: Vec<f64> = (0..outputs).map(score).collect();
        let step = 1.0 / (rho * size(t + 1));
        let shrunk = if t == 0 { 0.0 } else { size(t) / size(t + 1) };
        alpha[..t].iter_mut().flatten().for_each(|a| *a *= shrunk);
        alpha[t] = slope(&scores, row).iter().map(|g| -step * g).collect();
    }
    (alpha, sum)
}

fn slope_by_hand(loss: OnlineLoss, z: &[f64], class: usize) -> Vec<f64> {
    let y = |r: usize| if r == class { 1.0 } else { -1.0 };
    match loss {
        OnlineLoss::Squared => (0..z.len()).map(|r| z[r] - y(r)).collect(),
        OnlineLoss::Hinge => {
            (0..z.len()).map(|r| if y(r) * z[r] < 1.0 { -y(r) } else { 0.0 }).collect()
        }
        OnlineLoss::CrammerSinger => {
            let value = |r: usize| if r == class { 0.0 } else { 1.0 + z[r] - z[class] };
            let best = (0..z.len()).fold(class, |b, r| if value(r) > value(b) { r } else { b });
            let mut g = vec![0.0; z.len()];
            g[best] += 1.0;
            g[class] -= 1.0;
            g
        }
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * (1.0 + a.abs().max(b.abs()))
}

#[test]
fn closed_forms_are_the_printed_recursion() {
    for (loss, outputs, rho) in [
        (OnlineLoss::Squared, 1, 40.0),
        (OnlineLoss::Squared, 3, 0.02),
        (OnlineLoss::Hinge, 1, 0.1),
        (OnlineLoss::Hinge, 3, 2.0),
        (OnlineLoss::CrammerSinger, 4, 0.3),
    ] {
        let (rows, classes) = rows(30, 5, outputs.max(2), 3);
        let gram = gram(&rows, 2);
        let mut stream = Stream::new(1, Purpose::Data, 7);
        let order: Vec<usize> = (0..90).map(|_| stream.below(30)).collect();
        let by_hand = |z: &[f64], row: usize| slope_by_hand(loss, z, classes[row]);
        // As printed; the squared loss adds the largest k(x, x) so far to rho t.
        let size = |t: usize| match loss {
            OnlineLoss::Squared => {
                t as f64 + order[..t].iter().fold(0.0, |r, &i| gram[(i, i)].max(r)) / rho
            }
            _ => t as f64,
        };
        let (last, averaged) = literal(&gram, &order, by_hand, outputs, (rho, size));
        let sign = |c: usize, r: usize| if c == r { 1.0 } else { -1.0 };
        let targets = match loss {
            OnlineLoss::CrammerSinger => {
                Outcomes::Classes(classes.iter().map(|&c| c as u32).collect())
            }
            _ => Outcomes::Numbers(Mat::from_fn(outputs, 30, |j, i| sign(classes[i], j))),
        };
        let pass = Pass::run(&gram, &order, &targets, (rho, loss), &Silent).unwrap();
        assert_eq!((pass.learner.steps(), pass.stop), (90, SolverStop::OnePass));
        assert!(pass.learner.suffered() > 0.0);
        for (by, expected) in [(KernelIterate::Last, &last), (KernelIterate::Averaged, &averaged)] {
            let actual = pass.coefficients(by, 30);
            for i in 0..30 {
                for j in 0..outputs {
                    let steps = order.iter().zip(expected).filter(|(k, _)| **k == i);
                    let merged: f64 = steps.map(|(_, e)| e[j]).sum();
                    assert!(close(actual[(i, j)], merged), "{loss:?} {by:?}, row {i}: {merged}");
                }
            }
        }
        // Single examples and a pass agree.
        let mut alone = OnlineKarma::new(loss, outputs, rho).unwrap();
        let mut kept: Vec<usize> = Vec::new();
        for &row in &order {
            let kernels: Vec<f64> = kept.iter().map(|&i| gram[(i, row)]).collect();
            if alone.learn(&kernels, gram[(row, row)], targets.of(row)).unwrap() {
                kept.push(row);
            }
        }
        assert!(alone == pass.learner && kept == pass.kept && alone.kept() == kept.len());
    }
}

/// With the identity as Gram matrix and targets 1, a row learned once at step i has alpha = -g /
/// (rho T) for any i: no position is favoured.
#[test]
fn every_place_in_the_order_weighs_the_same() {
    let n = 20;
    let gram = Mat::<f64>::identity(n, n);
    let mut order: Vec<usize> = (0..n).collect();
    for (loss, size) in [(OnlineLoss::Hinge, 20.0), (OnlineLoss::Squared, 22.0)] {
        let fit = |order: &[usize]| {
            Pass::run(&gram, order, &signs(&[1; 20]), (0.5, loss), &Silent)
                .unwrap()
                .coefficients(KernelIterate::Last, n)
        };
        let forwards = fit(&order);
        order.reverse();
        assert_eq!(forwards, fit(&order));
        assert!((0..n).all(|i| forwards[(i, 0)] == 1.0 / (0.5 * size)));
    }
}

/// One pass over many draws approaches the optimum of (rho/2)|v|^2 + mean loss, since steps in a
/// uniformly drawn order are unbiased.
#[test]
fn uniformly_drawn_orders_find_the_regularised_optimum() {
    let (rows, classes) = rows(12, 3, 2, 9);
    let gram = gram(&rows, 1);
    let y: Vec<f64> = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
    let rho = 0.5;
    let mut stream = Stream::new(4, Purpose::Data, 0);
    let order: Vec<usize> = (0..60_000).map(|_| stream.below(12)).collect();
    let squares = (rho, OnlineLoss::Squared);
    let pass = Pass::run(&gram, &order, &signs(&classes), squares, &Silent).unwrap();
    let objective = |a: &dyn Fn(usize) -> f64| -> f64 {
        let score = |i: usize| (0..12).map(|k| a(k) * gram[(k, i)]).sum::<f64>();
        let square: f64 = (0..12).map(|i| a(i) * score(i)).sum();
        0.5 * rho * square + (0..12).map(|i| 0.5 * (score(i) - y[i]).powi(2)).sum::<f64>() / 12.0
    };
    // Solves (K + rho m I) a = y by Gauss-Seidel.
    let mut exact = [0.0; 12];
    for _ in 0..2000 {
        for i in 0..12 {
            let others: f64 = (0..12).filter(|&k| k != i).map(|k| gram[(i, k)] * exact[k]).sum();
            exact[i] = (y[i] - others) / (gram[(i, i)] + rho * 12.0);
        }
    }
    let best = objective(&|i| exact[i]);
    for by in [KernelIterate::Last, KernelIterate::Averaged] {
        let coefficients = pass.coefficients(by, 12);
        let value = objective(&|i| coefficients[(i, 0)]);
        assert!(value >= best - 1e-12 && value - best < 1e-3, "{by:?}: {value} and {best}");
    }
}

#[test]
fn squares_never_grow_and_a_score_out_of_range_leaves_the_state_as_it_was() {
    // Steps of 1/(rho t) multiply errors by k(x, x) / (rho t) - 1 = 1000 / t - 1 at step t.
    for (k, rho) in [(100.0, 0.1), (1.0, 1e-9), (1e12, 1.0), (1e-3, 50.0)] {
        let mut squares = OnlineKarma::new(OnlineLoss::Squared, 1, rho).unwrap();
        for step in 0..60 {
            let kernels = vec![k; squares.kept()];
            let score = squares.scores(&kernels)[0];
            assert!((-1e-9..=1.0 + 1e-9).contains(&score), "{k} {rho}: {score} at {step}");
            squares.learn(&kernels, k, Outcome::Numbers(&[1.0])).unwrap();
        }
    }
    let mut online = OnlineKarma::new(OnlineLoss::Hinge, 1, 1e-5).unwrap();
    online.learn(&[], 1.0, Outcome::Numbers(&[1.0])).unwrap();
    let before = online.clone();
    let error = online.learn(&[1e305], 1e305, Outcome::Numbers(&[-1.0])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Numerical { .. }), "{error}");
    assert!(error.to_string().contains("lower c") && !error.to_string().contains("step"));
    assert_eq!(online, before);
}

#[test]
fn a_saved_learner_goes_on_with_the_same_bits() {
    let (rows, classes) = rows(40, 4, 3, 2);
    let gram = gram(&rows, 3);
    let mut whole = OnlineKarma::new(OnlineLoss::CrammerSinger, 3, 0.7).unwrap();
    let (mut parts, mut kept) = (whole.clone(), Vec::new());
    for (row, &class) in classes.iter().enumerate() {
        let kernels: Vec<f64> = kept.iter().map(|&i: &usize| gram[(i, row)]).collect();
        let learn = |of: &mut OnlineKarma| {
            of.learn(&kernels, gram[(row, row)], Outcome::Class(class)).unwrap()
        };
        let keeps = learn(&mut whole);
        assert_eq!(learn(&mut parts), keeps);
        if keeps {
            kept.push(row);
        }
        if row % 7 == 3 {
            parts = serde_json::from_str(&serde_json::to_string(&parts).unwrap()).unwrap();
        }
    }
    assert_eq!(whole, parts);
}

#[test]
fn broken_states_are_refused() {
    let mut online = OnlineKarma::new(OnlineLoss::Hinge, 1, 100.0).unwrap();
    for (row, y) in [1.0, -1.0, 1.0].into_iter().enumerate() {
        online.learn(&vec![1.0; row], 1.0, Outcome::Numbers(&[y])).unwrap();
    }
    assert_eq!(online.kept(), 3);
    let good = serde_json::to_value(&online).unwrap();
    let load = |state: serde_json::Value| serde_json::from_value::<OnlineKarma>(state);
    assert_eq!(load(good.clone()).unwrap(), online);
    for (key, value) in [
        ("steps", serde_json::json!(2)),
        ("harmonic", serde_json::json!(0.5)),
        ("before", serde_json::json!([0.0, 1.5, 1.0])),
        ("slopes", serde_json::json!([[1.0, 1.0]])),
        ("slopes", serde_json::json!([])),
        ("largest", serde_json::json!(-1.0)),
        ("largest", serde_json::json!(1.0)),
        ("suffered", serde_json::json!(-1.0)),
        ("rho", serde_json::json!(0.0)),
        ("loss", serde_json::json!("absolute")),
        ("other", serde_json::json!(1)),
    ] {
        let mut state = good.clone();
        state[key] = value;
        assert!(load(state).is_err(), "{key}");
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    for rho in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            OnlineKarma::new(OnlineLoss::Hinge, 1, rho).unwrap_err().kind(),
            ErrorKind::OutOfRange { name: "rho", .. }
        ));
    }
    assert!(OnlineKarma::new(OnlineLoss::Squared, 0, 1.0).is_err());
    assert!(OnlineKarma::new(OnlineLoss::CrammerSinger, 1, 1.0).is_err());
    let refuses = |loss, outputs, targets: &[Outcome<'_>]| {
        let start = OnlineKarma::new(loss, outputs, 1.0).unwrap();
        for &target in targets {
            let mut learner = start.clone();
            assert!(learner.learn(&[], 1.0, target).is_err(), "{target:?}");
            assert_eq!(learner, start);
        }
    };
    use Outcome::{Class, Numbers};
    let halves = [Numbers(&[0.5]), Numbers(&[f64::NAN])];
    refuses(OnlineLoss::Hinge, 1, &[&halves[..], &[Numbers(&[1.0; 2]), Numbers(&[])]].concat());
    refuses(OnlineLoss::Hinge, 1, &[Class(0)]);
    refuses(OnlineLoss::Squared, 1, &[Numbers(&[f64::INFINITY]), Numbers(&[1e101])]);
    refuses(OnlineLoss::CrammerSinger, 3, &[Class(3), Numbers(&[1.0; 3])]);
}

struct Impatient;
impl Monitor for Impatient {
    fn should_stop(&self) -> bool {
        true
    }
}

#[test]
fn an_interrupted_pass_is_marked_and_usable() {
    let gram = Mat::<f64>::identity(2, 2);
    let order: Vec<usize> = (0..5000).map(|t| t % 2).collect();
    let targets = Outcomes::Classes(vec![0, 1]);
    let fit = |order: &[usize], monitor: &dyn Monitor| {
        Pass::run(&gram, order, &targets, (0.1, OnlineLoss::CrammerSinger), monitor).unwrap()
    };
    let stopped = fit(&order, &Impatient);
    let steps = stopped.learner.steps() as usize;
    assert_eq!((stopped.stop, steps < 5000), (SolverStop::Interrupted, true));
    assert_eq!(stopped.learner, fit(&order[..steps], &Silent).learner);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Tests the theorem for any v in the span: the suffered hinge losses exceed those of v by at
    /// most (2 R^2 / rho)(1 + log T) + (rho / 2) T |v|^2.
    #[test]
    fn no_vector_does_better_than_the_theorem_allows(
        n in 1_usize..15, seed in 0_u64..1000, rho in 0.01..5.0_f64, gamma in 1_u64..4, repeat in 1_usize..5
    ) {
        let (rows, classes) = rows(n, 3, 2, seed);
        let gram = gram(&rows, gamma);
        let y: Vec<f64> = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
        let mut stream = Stream::new(seed, Purpose::Data, 3);
        let order: Vec<usize> = (0..n * repeat).map(|_| stream.below(n)).collect();
        let hinge = (rho, OnlineLoss::Hinge);
        let pass = Pass::run(&gram, &order, &signs(&classes), hinge, &Silent).unwrap();
        let (t, largest) = (order.len() as f64, (0..n).map(|i| gram[(i, i)]).fold(0.0, f64::max));
        for scale in [0.0, 0.1, 1.0, 10.0] {
            let v: Vec<f64> = (0..n).map(|_| scale * stream.normal()).collect();
            let score = |i: usize| (0..n).map(|k| v[k] * gram[(k, i)]).sum::<f64>();
            let square: f64 = (0..n).map(|i| v[i] * score(i)).sum();
            let losses: f64 = order.iter().map(|&i| (1.0 - y[i] * score(i)).max(0.0)).sum();
            let bound = 2.0 * largest / rho * (1.0 + t.ln()) + 0.5 * rho * t * square;
            prop_assert!(pass.learner.suffered() - losses <= bound * (1.0 + 1e-12) + 1e-12);
        }
    }
}
