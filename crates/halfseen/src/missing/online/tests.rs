//! Holds the online algorithm to its printed recursion, its theorem, and its file.

mod regret;

use super::*;
use faer::{Mat, MatRef};
use halfseen_solve::Stop;
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent};
use proptest::prelude::*;

/// k_gamma as paper D defines it, with a_r = 1, by the plain sum.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Plain {
    gamma: i32,
}

impl Comparison for Plain {
    fn compare(&self, a: Row<'_>, b: Row<'_>) -> f64 {
        let shared: f64 = a.observed.iter().zip(b.observed).map(|(x, y)| f64::from(x * y)).sum();
        let product: f64 = a.values.iter().zip(b.values).map(|(x, y)| x * y).sum();
        (0..self.gamma).map(|r| shared.powi(r)).sum::<f64>() * product
    }
}

fn setup(columns: usize, outputs: usize, rho: f64, loss: OnlineLoss) -> Setup {
    Setup { columns, constant: false, outputs, rho, loss }
}

/// Rows with holes, and a class for each.
fn rows(n: usize, d: usize, classes: usize, seed: u64) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut cell = || if stream.unit() < 0.4 { f64::NAN } else { stream.normal() };
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..d).map(|_| cell()).collect()).collect();
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    (rows, (0..n).map(|_| stream.below(classes)).collect())
}

fn split(row: &[f64]) -> (Vec<f64>, Vec<f32>) {
    let values = row.iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
    (values, row.iter().map(|v| if v.is_nan() { 0.0 } else { 1.0 }).collect())
}

fn gram(rows: &[Vec<f64>], kernel: &Plain) -> Mat<f64> {
    let split: Vec<_> = rows.iter().map(|r| split(r)).collect();
    let row = |i: usize| Row { values: &split[i].0, observed: &split[i].1 };
    Mat::from_fn(rows.len(), rows.len(), |i, j| kernel.compare(row(i), row(j)))
}

/// Algorithm 1 as printed: alpha shrinks at each step. Returns alpha after T steps and the average
/// of the alphas that scored steps 1 to T, per step and output.
type PerStep = Vec<Vec<f64>>;
fn literal(
    gram: &Mat<f64>,
    order: &[usize],
    slope: impl Fn(&[f64], usize) -> Vec<f64>,
    outputs: usize,
    rho: f64,
) -> (PerStep, PerStep) {
    let mut alpha = vec![vec![0.0; outputs]; order.len()];
    let mut sum = alpha.clone();
    for (t, &row) in order.iter().enumerate() {
        for (s, a) in sum.iter_mut().zip(&alpha) {
            s.iter_mut().zip(a).for_each(|(s, a)| *s += a / order.len() as f64);
        }
        let score = |j: usize| (0..t).map(|i| alpha[i][j] * gram[(order[i], row)]).sum::<f64>();
        let scores: Vec<f64> = (0..outputs).map(score).collect();
        let step = 1.0 / (rho * (t + 1) as f64);
        alpha[..t].iter_mut().flatten().for_each(|a| *a *= 1.0 - step * rho);
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
        (OnlineLoss::Squared, 3, 20.0),
        (OnlineLoss::Hinge, 1, 0.1),
        (OnlineLoss::Hinge, 3, 2.0),
        (OnlineLoss::CrammerSinger, 4, 0.3),
    ] {
        let (rows, classes) = rows(30, 5, outputs.max(2), 3);
        let kernel = Plain { gamma: 2 };
        let gram = gram(&rows, &kernel);
        // Some rows come twice or more.
        let mut stream = Stream::new(1, Purpose::Data, 7);
        let order: Vec<usize> = (0..90).map(|_| stream.below(30)).collect();
        let signs =
            |c: usize| (0..outputs).map(|r| if r == c { 1.0 } else { -1.0 }).collect::<Vec<f64>>();
        let by_hand = |z: &[f64], row: usize| slope_by_hand(loss, z, classes[row]);
        let (last, averaged) = literal(&gram, &order, by_hand, outputs, rho);

        let mut online = OnlineKarma::new(kernel, setup(5, outputs, rho, loss)).unwrap();
        let mut steps = Vec::new();
        for &row in &order {
            let kept = online.kept();
            let numbers = signs(classes[row]);
            let target = match loss {
                OnlineLoss::CrammerSinger => Outcome::Class(classes[row]),
                _ => Outcome::Numbers(&numbers),
            };
            online.learn(&rows[row], target).unwrap();
            steps.push((online.kept() > kept).then_some(kept));
        }
        for (found, expected) in [(online.last(), &last), (online.averaged(), &averaged)] {
            for (step, expected) in expected.iter().enumerate() {
                for (j, &expected) in expected.iter().enumerate() {
                    let found = steps[step].map_or(0.0, |at| found[at * outputs + j]);
                    assert!(
                        close(found, expected),
                        "{loss:?}, step {step}: {found} and {expected}"
                    );
                }
            }
        }

        let numbers = Mat::from_fn(outputs, 30, |j, i| signs(classes[i])[j]);
        let codes: Vec<u32> = classes.iter().map(|&c| c as u32).collect();
        let targets = match loss {
            OnlineLoss::CrammerSinger => Targets::Classes(&codes, outputs),
            _ => Targets::Numbers(numbers.as_ref()),
        };
        let order32: Vec<u32> = order.iter().map(|&i| i as u32).collect();
        let pass = run(gram.as_ref(), &order32, targets, rho, loss, &Silent).unwrap();
        assert_eq!((pass.steps, pass.stop), (90, Stop::OnePass));
        assert!(close(pass.suffered, online.suffered()) && pass.suffered > 0.0);
        for (by, expected) in [(Iterate::Last, &last), (Iterate::Averaged, &averaged)] {
            for i in 0..30 {
                for (j, found) in pass.coefficients(by).row(i).iter().enumerate() {
                    let merged: f64 = order
                        .iter()
                        .zip(expected)
                        .filter(|(k, _)| **k == i)
                        .map(|(_, e)| e[j])
                        .sum();
                    assert!(close(*found, merged));
                }
                let scores = online.scores(&rows[i], by).unwrap();
                for (j, score) in scores.iter().enumerate() {
                    let expected: f64 =
                        (0..30).map(|k| pass.coefficients(by)[(k, j)] * gram[(k, i)]).sum();
                    assert!((score - expected).abs() < 1e-10 * (1.0 + expected.abs()));
                }
            }
        }
    }
}

/// With the identity as Gram matrix and targets 1, a row learned once at step i has alpha = -g /
/// (rho T) whatever i is: no place in the order is favoured.
#[test]
fn every_place_in_the_order_weighs_the_same() {
    let n = 20;
    let gram = Mat::<f64>::identity(n, n);
    let targets = Mat::from_fn(1, n, |_, _| 1.0);
    let mut order: Vec<u32> = (0..n as u32).collect();
    let fit = |order: &[u32]| {
        run(
            gram.as_ref(),
            order,
            Targets::Numbers(targets.as_ref()),
            0.5,
            OnlineLoss::Squared,
            &Silent,
        )
        .unwrap()
    };
    let forwards = fit(&order);
    order.reverse();
    let backwards = fit(&order);
    for i in 0..n {
        assert_eq!(forwards.last[(i, 0)], backwards.last[(i, 0)]);
        assert_eq!(forwards.last[(i, 0)], 1.0 / (0.5 * n as f64));
    }
}

/// Over all orders of four rows the mean first step is the gradient at 0, and one pass over many
/// draws comes near to the optimum of (rho/2)|v|^2 + mean loss, which a uniformly drawn order
/// descends without bias.
#[test]
fn uniformly_drawn_orders_find_the_regularised_optimum() {
    let (rows, classes) = rows(12, 3, 2, 9);
    let gram = gram(&rows, &Plain { gamma: 1 });
    let y: Vec<f64> = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
    let targets = Mat::from_fn(1, 12, |_, i| y[i]);
    let rho = 0.5;
    let mut stream = Stream::new(4, Purpose::Data, 0);
    let order: Vec<u32> = (0..400_000).map(|_| stream.below(12) as u32).collect();
    let numbers = Targets::Numbers(targets.as_ref());
    let pass = run(gram.as_ref(), &order, numbers, rho, OnlineLoss::Squared, &Silent).unwrap();
    let objective = |a: &dyn Fn(usize) -> f64| -> f64 {
        let score = |i: usize| (0..12).map(|k| a(k) * gram[(k, i)]).sum::<f64>();
        let square: f64 = (0..12).map(|i| a(i) * score(i)).sum();
        0.5 * rho * square + (0..12).map(|i| 0.5 * (score(i) - y[i]).powi(2)).sum::<f64>() / 12.0
    };
    // (K + rho m I) a = y, by Gauss-Seidel.
    let mut exact = [0.0; 12];
    for _ in 0..2000 {
        for i in 0..12 {
            let others: f64 = (0..12).filter(|&k| k != i).map(|k| gram[(i, k)] * exact[k]).sum();
            exact[i] = (y[i] - others) / (gram[(i, i)] + rho * 12.0);
        }
    }
    let best = objective(&|i| exact[i]);
    for by in [Iterate::Last, Iterate::Averaged] {
        let found = objective(&|i| pass.coefficients(by)[(i, 0)]);
        assert!(found >= best - 1e-12 && found - best < 1e-3, "{by:?}: {found} and {best}");
    }
}

#[test]
fn divergence_is_an_error_and_leaves_the_state_as_it_was() {
    // k(x, x) = 100 and rho = 0.1: errors grow by 1000 / t - 1 at step t.
    let mut online =
        OnlineKarma::new(Plain { gamma: 1 }, setup(1, 1, 0.1, OnlineLoss::Squared)).unwrap();
    let mut before = online.clone();
    let error = loop {
        match online.learn(&[10.0], Outcome::Numbers(&[1.0])) {
            Ok(_) => before = online.clone(),
            Err(error) => break error,
        }
    };
    assert!(matches!(error.kind(), ErrorKind::Diverged { .. }) && online.steps() < 20);
    assert!(error.to_string().contains("larger rho"), "{error}");
    assert_eq!(online, before);
    let gram = Mat::from_fn(1, 1, |_, _| 100.0);
    let one = Mat::from_fn(1, 1, |_, _| 1.0);
    let pass = |rho: f64, loss| {
        run(gram.as_ref(), &[0; 50], Targets::Numbers(one.as_ref()), rho, loss, &Silent)
    };
    assert!(matches!(
        pass(0.1, OnlineLoss::Squared).unwrap_err().kind(),
        ErrorKind::Diverged { .. }
    ));
    // The hinge loss has bounded derivatives and never diverges; a larger rho does not either.
    assert!(pass(0.1, OnlineLoss::Hinge).is_ok() && pass(100.0, OnlineLoss::Squared).is_ok());
}

#[test]
fn a_saved_learner_goes_on_with_the_same_bits() {
    let (rows, classes) = rows(40, 4, 3, 2);
    let setup = Setup { constant: true, ..setup(4, 3, 0.7, OnlineLoss::CrammerSinger) };
    let mut whole = OnlineKarma::new(Plain { gamma: 3 }, setup).unwrap();
    let mut parts = whole.clone();
    for (i, (row, &class)) in rows.iter().zip(&classes).enumerate() {
        whole.learn(row, Outcome::Class(class)).unwrap();
        parts.learn(row, Outcome::Class(class)).unwrap();
        if i % 7 == 3 {
            let text = serde_json::to_string(&parts).unwrap();
            parts = serde_json::from_str(&text).unwrap();
        }
    }
    assert_eq!(whole, parts);
    assert_eq!(whole.averaged(), parts.averaged());
    let row = whole.row(0).unwrap();
    assert_eq!((row.values.len(), row.values[4], row.observed[4]), (5, 1.0, 1.0));
    assert!(whole.row(whole.kept()).is_none() && whole.row(usize::MAX).is_none());
    // A row that shows nothing has still the constant.
    assert!(whole.predict(&[f64::NAN; 4]).unwrap().iter().any(|z| *z != 0.0));
}

#[test]
fn broken_states_are_refused() {
    let mut online =
        OnlineKarma::new(Plain { gamma: 2 }, setup(2, 1, 100.0, OnlineLoss::Hinge)).unwrap();
    for y in [1.0, -1.0, 1.0] {
        online.learn(&[y, f64::NAN], Outcome::Numbers(&[-y])).unwrap();
    }
    assert_eq!(online.kept(), 3);
    let good = serde_json::to_value(&online).unwrap();
    let load = |state: serde_json::Value| serde_json::from_value::<OnlineKarma<Plain>>(state);
    assert_eq!(load(good.clone()).unwrap(), online);
    for (key, value) in [
        ("steps", serde_json::json!(2)),
        ("harmonic", serde_json::json!(0.5)),
        ("before", serde_json::json!([0.0, 1.5, 1.0])),
        ("values", serde_json::json!([1.0])),
        ("observed", serde_json::json!([1.0, 0.5, 1.0, 0.0, 1.0, 0.0])),
        ("slopes", serde_json::json!([1.0, 1.0])),
        ("largest", serde_json::json!(-1.0)),
        ("suffered", serde_json::json!(-1.0)),
        (
            "setup",
            serde_json::json!({"columns":2,"constant":false,"outputs":1,"rho":0.0,"loss":"hinge"}),
        ),
        ("other", serde_json::json!(1)),
    ] {
        let mut state = good.clone();
        state[key] = value;
        assert!(load(state).is_err(), "{key}");
    }
}

#[test]
fn bad_input_is_refused_by_name() {
    let new = |setup| OnlineKarma::new(Plain { gamma: 2 }, setup);
    for rho in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            new(setup(1, 1, rho, OnlineLoss::Hinge)).unwrap_err().kind(),
            ErrorKind::OutOfRange { name: "rho", .. }
        ));
    }
    assert!(matches!(
        new(setup(0, 1, 1.0, OnlineLoss::Hinge)).unwrap_err().kind(),
        ErrorKind::NoAttributes
    ));
    assert!(new(setup(1, 0, 1.0, OnlineLoss::Squared)).is_err());
    assert!(new(setup(1, 1, 1.0, OnlineLoss::CrammerSinger)).is_err());
    let mut hinge = new(setup(2, 1, 1.0, OnlineLoss::Hinge)).unwrap();
    let start = hinge.clone();
    for target in [
        Outcome::Numbers(&[0.5]),
        Outcome::Numbers(&[f64::NAN]),
        Outcome::Numbers(&[1.0, 1.0]),
        Outcome::Numbers(&[]),
        Outcome::Class(0),
    ] {
        assert!(hinge.learn(&[1.0, 2.0], target).is_err(), "{target:?}");
    }
    let error = hinge.learn(&[1.0, f64::INFINITY], Outcome::Numbers(&[1.0])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotFinite { row: 1, .. }), "{error}");
    assert!(
        hinge.learn(&[1.0], Outcome::Numbers(&[1.0])).is_err() && hinge.predict(&[1.0; 3]).is_err()
    );
    assert_eq!(hinge, start);
    assert_eq!(hinge.predict(&[1.0, f64::NAN]).unwrap(), [0.0]);
    let mut squared = new(setup(1, 1, 1.0, OnlineLoss::Squared)).unwrap();
    assert!(squared.learn(&[1.0], Outcome::Numbers(&[f64::INFINITY])).is_err());
    assert!(squared.learn(&[1.0], Outcome::Numbers(&[1e101])).is_err());
    let mut classes = new(setup(1, 3, 1.0, OnlineLoss::CrammerSinger)).unwrap();
    assert!(classes.learn(&[1.0], Outcome::Class(3)).is_err());
    assert!(classes.learn(&[1.0], Outcome::Numbers(&[1.0; 3])).is_err());

    let gram = Mat::<f64>::identity(2, 2);
    let pass = |gram: MatRef<'_, f64>, order: &[u32], codes: &[u32], rho: f64| {
        run(gram, order, Targets::Classes(codes, 2), rho, OnlineLoss::CrammerSinger, &Silent)
            .map(|p| p.steps)
    };
    assert_eq!(pass(gram.as_ref(), &[0, 1], &[0, 1], 1.0).unwrap(), 2);
    assert_eq!(pass(gram.as_ref(), &[], &[0, 1], 1.0).unwrap(), 0);
    assert!(pass(gram.as_ref(), &[2], &[0, 1], 1.0).is_err());
    assert!(pass(gram.as_ref(), &[0, 1], &[0, 2], 1.0).is_err());
    assert!(pass(gram.as_ref(), &[0], &[0, 1, 1], 1.0).is_err());
    assert!(pass(gram.as_ref().subcols(0, 1), &[0], &[0, 1], 1.0).is_err());
    assert!(pass(gram.as_ref(), &[0], &[0, 1], f64::NAN).is_err());
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
    let order: Vec<u32> = (0..5000).map(|t| t % 2).collect();
    let fit = |order: &[u32], monitor: &dyn Monitor| {
        run(
            gram.as_ref(),
            order,
            Targets::Classes(&[0, 1], 2),
            0.1,
            OnlineLoss::CrammerSinger,
            monitor,
        )
        .unwrap()
    };
    let stopped = fit(&order, &Impatient);
    let short = fit(&order[..stopped.steps as usize], &Silent);
    assert_eq!((stopped.stop, stopped.steps < 5000), (Stop::Interrupted, true));
    assert!(stopped.last == short.last && stopped.averaged == short.averaged);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// The general form of the theorem, for any v in the span: the suffered hinge losses exceed
    /// those of v by at most (2 R^2 / rho)(1 + log T) + (rho / 2) T |v|^2.
    #[test]
    fn no_vector_does_better_than_the_theorem_allows(
        n in 1_usize..15, seed in 0_u64..1000, rho in 0.01..5.0_f64, gamma in 1_i32..4, repeat in 1_usize..5
    ) {
        let (rows, classes) = rows(n, 3, 2, seed);
        let gram = gram(&rows, &Plain { gamma });
        let y: Vec<f64> = classes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
        let mut stream = Stream::new(seed, Purpose::Data, 3);
        let order: Vec<u32> = (0..n * repeat).map(|_| stream.below(n) as u32).collect();
        let targets = Mat::from_fn(1, n, |_, i| y[i]);
        let numbers = Targets::Numbers(targets.as_ref());
        let pass = run(gram.as_ref(), &order, numbers, rho, OnlineLoss::Hinge, &Silent).unwrap();
        let (t, largest) = (order.len() as f64, (0..n).map(|i| gram[(i, i)]).fold(0.0, f64::max));
        for scale in [0.0, 0.1, 1.0, 10.0] {
            let v: Vec<f64> = (0..n).map(|_| scale * stream.normal()).collect();
            let score = |i: usize| (0..n).map(|k| v[k] * gram[(k, i)]).sum::<f64>();
            let square: f64 = (0..n).map(|i| v[i] * score(i)).sum();
            let losses: f64 = order.iter().map(|&i| (1.0 - y[i as usize] * score(i as usize)).max(0.0)).sum();
            let bound = 2.0 * largest / rho * (1.0 + t.ln()) + 0.5 * rho * t * square;
            prop_assert!(pass.suffered - losses <= bound * (1.0 + 1e-12) + 1e-12);
        }
    }
}

/// The library's kernel, fed row by row, gives what the Gram matrix gives.
#[test]
fn the_fitted_kernel_learns_online_what_its_gram_matrix_learns() {
    use crate::kernel::gram::gram;
    use crate::kernel::{Kernel, Masked};
    use crate::params::Normalization;
    let (cells, classes) = rows(25, 4, 3, 11);
    let masked = Masked::from_rows(
        ndarray::Array2::from_shape_fn((25, 4), |(i, j)| cells[i][j]).view(),
        true,
    )
    .unwrap();
    for (normalization, degree) in [(Normalization::Trace, 1), (Normalization::Cosine, 2)] {
        let mut kernel = Kernel::new(3, None, normalization, degree, 0.5).unwrap();
        kernel.fit(&masked).unwrap();
        let matrix = gram(std::slice::from_ref(&kernel), &masked, &Silent).unwrap().remove(0);
        let order: Vec<u32> = (0..25).collect();
        let codes: Vec<u32> = classes.iter().map(|&c| c as u32).collect();
        let loss = OnlineLoss::CrammerSinger;
        let pass =
            run(matrix.as_ref(), &order, Targets::Classes(&codes, 3), 0.2, loss, &Silent).unwrap();
        let mut online =
            OnlineKarma::new(kernel, Setup { constant: true, ..setup(4, 3, 0.2, loss) }).unwrap();
        for (row, &class) in cells.iter().zip(&classes) {
            online.learn(row, Outcome::Class(class)).unwrap();
        }
        for (i, row) in cells.iter().enumerate() {
            for (j, score) in online.scores(row, Iterate::Averaged).unwrap().iter().enumerate() {
                let expected: f64 = (0..25).map(|k| pass.averaged[(k, j)] * matrix[(k, i)]).sum();
                assert!((score - expected).abs() < 1e-10 * (1.0 + expected.abs()));
            }
        }
    }
}
