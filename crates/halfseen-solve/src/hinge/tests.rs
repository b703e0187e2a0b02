//! Compares the solver with all active sets of small problems, a projected-gradient method,
//! identities, and hard cases.

mod edges;

use super::factor::low_rank;
use super::*;
use crate::monitor::Silent;
use crate::sampling::{Purpose, Stream};
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Gram matrix with its labels.
#[derive(Debug, Clone)]
struct Data {
    gram: Mat<f64>,
    labels: Vec<f64>,
}

impl Data {
    /// Returns products of n rows of d normal cells and a constant; labels by a noisy linear rule.
    fn linear(n: usize, d: usize, noise: f64, seed: u64) -> Data {
        let mut stream = Stream::new(seed, Purpose::Data, (n * 1000 + d) as u64);
        let rows = Mat::from_fn(d + 1, n, |j, _| if j == d { 1.0 } else { stream.normal() });
        let labels = (0..n).map(|i| {
            let score: f64 = (0..d).map(|j| rows[(j, i)]).sum::<f64>() / (d.max(1) as f64).sqrt();
            if score + noise * stream.normal() > 0.0 { 1.0 } else { -1.0 }
        });
        Data { labels: labels.collect(), gram: symmetric(&(rows.transpose() * &rows)) }
    }

    /// Returns the same with a kernel of full rank: (1 + <x, x'> / (d + 1))^4, mean diagonal 1.
    fn polynomial(n: usize, d: usize, noise: f64, seed: u64) -> Data {
        let Data { gram, labels } = Data::linear(n, d, noise, seed);
        let power = Mat::from_fn(n, n, |i, j| (1.0 + gram[(i, j)] / (d + 1) as f64).powi(4));
        let mean = (0..n).map(|i| power[(i, i)]).sum::<f64>() / n as f64;
        Data { gram: Mat::from_fn(n, n, |i, j| power[(i, j)] / mean), labels }
    }

    fn len(&self) -> usize {
        self.labels.len()
    }

    fn solve(&self, c: f64, tol: f64) -> Solved {
        solve(self.gram.as_ref(), &self.labels, c, None, &to(tol), &Silent).unwrap()
    }

    fn weighted(&self, costs: &[f64], margins: &[f64], tol: f64) -> Solved {
        let problem =
            HingeProblem { gram: self.gram.as_ref(), labels: &self.labels, costs, margins };
        solve_weighted(&problem, None, &to(tol), &Silent).unwrap()
    }

    /// Returns the primal objective of coefficients and the norm |v|^2, by plain sums.
    fn primal(&self, coefficients: &Mat<f64>, costs: &[f64], margins: &[f64]) -> (f64, f64) {
        let z = &self.gram * coefficients;
        let square: f64 = (0..self.len()).map(|i| coefficients[(i, 0)] * z[(i, 0)]).sum();
        let loss: f64 = (0..self.len())
            .map(|i| costs[i] * (margins[i] - self.labels[i] * z[(i, 0)]).max(0.0))
            .sum();
        (0.5 * square + loss, square)
    }

    /// Returns the optimum over all 3^n choices of variables at 0, at c and free; singular free
    /// sets can be skipped.
    fn brute_force(&self, costs: &[f64], margins: &[f64]) -> f64 {
        let n = self.len();
        let q = |i: usize, j: usize| self.labels[i] * self.labels[j] * self.gram[(i, j)];
        let mut best = f64::NEG_INFINITY;
        for choice in 0..3_usize.pow(n as u32) {
            let state: Vec<usize> = (0..n).map(|i| choice / 3_usize.pow(i as u32) % 3).collect();
            let mut a: Vec<f64> =
                (0..n).map(|i| if state[i] == 1 { costs[i] } else { 0.0 }).collect();
            let free: Vec<usize> = (0..n).filter(|&i| state[i] == 2).collect();
            let right = |&i: &usize| margins[i] - (0..n).map(|j| q(i, j) * a[j]).sum::<f64>();
            let system: Vec<Vec<f64>> = free
                .iter()
                .map(|&i| free.iter().map(|&j| q(i, j)).chain([right(&i)]).collect())
                .collect();
            let Some(solution) = eliminate(system) else { continue };
            free.iter().zip(&solution).for_each(|(&i, &x)| a[i] = x);
            if (0..n).all(|i| (-1e-12..=costs[i] * (1.0 + 1e-12)).contains(&a[i])) {
                let linear: f64 = (0..n).map(|i| margins[i] * a[i]).sum();
                let curved: f64 = (0..n)
                    .flat_map(|i| (0..n).map(move |j| (i, j)))
                    .map(|(i, j)| a[i] * a[j] * q(i, j))
                    .sum();
                best = best.max(linear - 0.5 * curved);
            }
        }
        best
    }

    /// Returns the dual objective after many projected gradient steps with Nesterov's momentum,
    /// restarted on a decrease.
    fn twin(&self, c: f64, steps: usize) -> f64 {
        let n = self.len();
        let q = Mat::from_fn(n, n, |i, j| self.labels[i] * self.labels[j] * self.gram[(i, j)]);
        let rate = 1.0
            / (0..n).map(|j| q.col(j).iter().map(|x| x.abs()).sum::<f64>()).fold(1e-300, f64::max);
        let value = |a: &Mat<f64>| a.col(0).sum() - 0.5 * (a.transpose() * &q * a)[(0, 0)];
        let (mut a, mut ahead, mut momentum) =
            (Mat::<f64>::zeros(n, 1), Mat::<f64>::zeros(n, 1), 1.0_f64);
        let mut before = 0.0;
        for _ in 0..steps {
            let curved = &q * &ahead;
            let next = Mat::from_fn(n, 1, |i, _| {
                (ahead[(i, 0)] + rate * (1.0 - curved[(i, 0)])).clamp(0.0, c)
            });
            let after = value(&next);
            if after < before {
                ahead = a.clone();
                momentum = 1.0;
                before = value(&a);
                continue;
            }
            let grown = 0.5 * (1.0 + (1.0 + 4.0 * momentum * momentum).sqrt());
            let share = (momentum - 1.0) / grown;
            ahead = Mat::from_fn(n, 1, |i, _| next[(i, 0)] + share * (next[(i, 0)] - a[(i, 0)]));
            (a, momentum, before) = (next, grown, after);
        }
        value(&a)
    }
}

/// Solves a system with its right-hand side as last column; `None` if it is singular.
fn eliminate(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&a, &b| rows[a][k].abs().total_cmp(&rows[b][k].abs())).unwrap();
        rows.swap(k, pivot);
        if rows[k][k].abs() < 1e-9 {
            return None;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = rows[i][k] / rows[k][k];
            (k..=n).for_each(|j| {
                let x = factor * rows[k][j];
                rows[i][j] -= x;
            });
        }
    }
    Some((0..n).map(|k| rows[k][n] / rows[k][k]).collect())
}

fn symmetric(matrix: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[(i.max(j), i.min(j))])
}

fn to(tol: f64) -> SolverOptions {
    SolverOptions { tol, ..SolverOptions::default() }
}

fn grid() -> impl Iterator<Item = f64> {
    (-5..=5).map(|e| 10_f64.powi(e))
}

/// Returns hard data sets of several kinds.
fn hard() -> Vec<(&'static str, Data)> {
    let mut twice = Data::linear(60, 4, 0.1, 3);
    let half = twice.clone();
    twice.gram = Mat::from_fn(120, 120, |i, j| half.gram[(i % 60, j % 60)]);
    twice.labels = half.labels.iter().copied().chain(half.labels.iter().map(|y| -y)).collect();
    let mut zeros = Data::linear(50, 3, 0.3, 4);
    for i in [0, 7, 49] {
        (0..50).for_each(|j| (zeros.gram[(i, j)], zeros.gram[(j, i)]) = (0.0, 0.0));
    }
    let mut one = Data::linear(30, 3, 0.0, 5);
    one.labels.fill(1.0);
    let few = Data::linear(40, 2, 0.5, 6);
    let constant = Data { gram: Mat::full(40, 40, 2.0), labels: few.labels.clone() };
    let nothing = Data { gram: Mat::zeros(5, 5), labels: vec![1.0, -1.0, 1.0, 1.0, -1.0] };
    vec![
        ("separable", Data::linear(150, 5, 0.0, 1)),
        ("noisy", Data::linear(150, 5, 1.0, 2)),
        ("opposite labels", twice),
        ("zero rows", zeros),
        ("one class", one),
        ("constant", constant),
        ("nothing", nothing),
        ("full rank", Data::polynomial(200, 8, 0.5, 7)),
        ("noise alone", Data::polynomial(100, 2, 1e6, 8)),
        ("one", Data { gram: Mat::full(1, 1, 0.5), labels: vec![-1.0] }),
    ]
}

/// Asserts that the reported values of a solution are correct and sufficient.
fn sound(data: &Data, costs: &[f64], margins: &[f64], solved: &Solved, tol: f64, what: &str) {
    assert_eq!(
        solved.stop,
        SolverStop::Tolerance,
        "{what}: gap {:e} of {:e}",
        solved.gap,
        solved.objective
    );
    assert!(solved.gap >= 0.0 && solved.gap <= tol * solved.objective, "{what}");
    let (primal, _) = data.primal(&solved.coefficients, costs, margins);
    assert!(
        (primal - solved.objective).abs() <= 1e-9 * primal.abs() + 1e-300,
        "{what}: {primal} {}",
        solved.objective
    );
    let mut support = 0;
    for (i, cost) in costs.iter().enumerate() {
        let a = solved.coefficients[(i, 0)] * data.labels[i];
        assert!((0.0..=*cost).contains(&a), "{what}: {a}");
        support += usize::from(a != 0.0);
    }
    assert_eq!(support, solved.support, "{what}");
}

#[test]
fn hard_sets_are_solved_for_every_c() {
    for (name, data) in hard() {
        for c in grid() {
            for tol in [1e-4, 1e-8] {
                let solved = data.solve(c, tol);
                sound(
                    &data,
                    &vec![c; data.len()],
                    &vec![1.0; data.len()],
                    &solved,
                    tol,
                    &format!("{name}, {c:e}, {tol:e}"),
                );
                assert!(solved.passes <= 300, "{name}, {c:e}, {tol:e}: {} passes", solved.passes);
            }
        }
    }
}

#[test]
fn a_large_matrix_of_low_rank_is_solved_for_every_c() {
    for noise in [0.0, 0.5] {
        let data = Data::linear(2000, 20, noise, 9);
        for c in [1e-5, 1e-1, 1e1, 1e5] {
            let solved = data.solve(c, 1e-8);
            sound(&data, &[c; 2000], &[1.0; 2000], &solved, 1e-8, &format!("{noise}, {c:e}"));
        }
    }
}

#[test]
fn the_optimum_is_that_of_the_best_active_set() {
    for seed in 0..12 {
        for (n, d) in [(1, 1), (3, 1), (6, 2), (6, 6)] {
            let data = Data::linear(n, d, 1.0, seed);
            let mut stream = Stream::new(seed, Purpose::Data, 1 << 40);
            for scale in [0.01, 1.0, 100.0] {
                let costs: Vec<f64> = (0..n).map(|_| scale * (0.1 + stream.unit())).collect();
                let margins: Vec<f64> = (0..n).map(|_| 1.5 * stream.unit() - 0.2).collect();
                let solved = data.weighted(&costs, &margins, 1e-10);
                sound(&data, &costs, &margins, &solved, 1e-10, "all active sets");
                let best = data.brute_force(&costs, &margins);
                assert!(
                    (solved.objective - best).abs() <= 1e-8 * best.abs() + 1e-14,
                    "{n} {d} {scale}: {} {best}",
                    solved.objective
                );
            }
        }
    }
}

#[test]
fn projected_gradient_steps_reach_the_same_objective() {
    for (data, c) in [
        (Data::linear(30, 3, 0.5, 1), 0.1),
        (Data::polynomial(30, 3, 0.5, 2), 1.0),
        (Data::linear(20, 25, 0.5, 3), 0.5),
    ] {
        let solved = data.solve(c, 1e-12);
        let twin = data.twin(c, 30_000);
        assert!((solved.objective - twin).abs() <= 1e-11 * twin, "{} {twin}", solved.objective);
    }
}

#[test]
fn the_conditions_of_karush_kuhn_and_tucker_hold() {
    for data in [Data::linear(200, 6, 0.7, 1), Data::polynomial(150, 5, 0.7, 2)] {
        for c in [0.01, 1.0, 100.0] {
            let solved = data.solve(c, 1e-11);
            let z = &data.gram * &solved.coefficients;
            for i in 0..data.len() {
                let (a, margin) =
                    (solved.coefficients[(i, 0)] * data.labels[i], data.labels[i] * z[(i, 0)]);
                // The gap sums c [1 - m]_+ - a (1 - m), none of them negative.
                let slack = solved.gap + 1e-11 * solved.objective;
                assert!(
                    (c - a) * (1.0 - margin).max(0.0) <= slack
                        && a * (margin - 1.0).max(0.0) <= slack
                );
            }
        }
    }
}

#[test]
fn warm_starts_end_where_cold_ones_do() {
    for data in [Data::linear(150, 5, 0.5, 1), Data::polynomial(150, 5, 0.5, 2)] {
        let cold = data.solve(10.0, 1e-9);
        let mut stream = Stream::new(0, Purpose::Data, 0);
        let exact: Vec<f64> =
            (0..150).map(|i| cold.coefficients[(i, 0)] * data.labels[i]).collect();
        let wild: Vec<f64> = (0..150).map(|_| 30.0 * stream.normal()).collect();
        for warm in [&exact, &wild] {
            let solved =
                solve(data.gram.as_ref(), &data.labels, 10.0, Some(warm), &to(1e-9), &Silent)
                    .unwrap();
            assert!((solved.objective - cold.objective).abs() <= cold.gap + solved.gap);
            assert_eq!(solved.stop, SolverStop::Tolerance);
        }
        let again = solve(data.gram.as_ref(), &data.labels, 10.0, Some(&exact), &to(1e-9), &Silent)
            .unwrap();
        assert_eq!(again.passes, 0);
    }
}

#[test]
fn a_path_solves_each_c_and_is_monotone() {
    for (name, data) in hard() {
        // In any order, and with duplicates.
        let cs: Vec<f64> = grid().chain([3.0, 0.5, 1.0]).collect();
        let path = path(data.gram.as_ref(), &data.labels, &cs, &to(1e-6), &Silent).unwrap();
        let ones = vec![1.0; data.len()];
        let mut last = (0.0, 0.0, f64::INFINITY);
        let mut order: Vec<usize> = (0..cs.len()).collect();
        order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
        for i in order {
            let (c, solved) = (cs[i], &path[i]);
            sound(&data, &vec![c; data.len()], &ones, solved, 1e-6, &format!("{name} {c:e}"));
            let (objective, square) =
                data.primal(&solved.coefficients, &vec![c; data.len()], &ones);
            // The objective grows and the mean loss falls; by strong convexity |v - v*| <= (2
            // gap)^(1/2).
            let loss = (objective - 0.5 * square) / c;
            assert!(objective - last.0 >= -solved.gap - 1e-12, "{name} {c:e}");
            let slack = 10.0 * (2.0 * solved.gap).sqrt() * (1.0 + square.max(0.0).sqrt())
                + solved.gap
                + 1e-12;
            assert!(square >= last.1 - slack, "{name} {c:e}: {square} after {}", last.1);
            assert!(loss <= last.2 + slack / c + 1e-9, "{name} {c:e}: {loss} after {}", last.2);
            last = (objective - solved.gap, square, loss);
        }
    }
}

#[test]
fn costs_and_margins_of_examples_scale_as_they_should() {
    let data = Data::polynomial(80, 4, 0.6, 1);
    let plain = data.solve(2.0, 1e-10);
    let same = data.weighted(&[2.0; 80], &[1.0; 80], 1e-10);
    assert_eq!(plain.coefficients, same.coefficients);
    // Margins t and cost C: t^2 times the objective at cost C / t.
    let scaled = data.weighted(&[6.0; 80], &[3.0; 80], 1e-10);
    assert!((scaled.objective - 9.0 * plain.objective).abs() <= 1e-8 * scaled.objective);
    // An example twice at half the cost.
    let doubled = Data {
        gram: Mat::from_fn(160, 160, |i, j| data.gram[(i / 2, j / 2)]),
        labels: (0..160).map(|i| data.labels[i / 2]).collect(),
    };
    let halves = doubled.weighted(&[1.0; 160], &[1.0; 160], 1e-10);
    assert!((halves.objective - plain.objective).abs() <= 1e-8 * plain.objective);
    // Margins that nothing violates.
    let none = data.weighted(&[2.0; 80], &[-1.0; 80], 1e-10);
    assert_eq!((none.objective, none.gap, none.support, none.passes), (0.0, 0.0, 0, 0));
}

#[test]
fn the_order_of_the_examples_and_the_names_of_the_classes_do_not_matter() {
    let data = Data::polynomial(90, 4, 0.6, 1);
    let order: Vec<usize> = (0..90).map(|i| (i * 37 + 11) % 90).collect();
    let mixed = Data {
        gram: Mat::from_fn(90, 90, |i, j| data.gram[(order[i], order[j])]),
        labels: order.iter().map(|&i| -data.labels[i]).collect(),
    };
    for c in [0.1, 10.0, 1e4] {
        let (a, b) = (data.solve(c, 1e-10), mixed.solve(c, 1e-10));
        assert!((a.objective - b.objective).abs() <= a.gap + b.gap + 1e-12 * a.objective);
        let (z, mixed) = (&data.gram * &a.coefficients, &mixed.gram * &b.coefficients);
        for (i, &from) in order.iter().enumerate() {
            assert!((z[(from, 0)] + mixed[(i, 0)]).abs() < 1e-3);
        }
    }
}

#[test]
fn one_example_and_one_class_have_closed_forms() {
    // (k / 2) b^2 + c [1 - k b]_+ is least at b = min(c, 1 / k).
    for (c, k) in [(0.5, 1.0), (3.0, 2.0), (1e5, 1e-3), (1.0, 0.0)] {
        let data = Data { gram: Mat::full(1, 1, k), labels: vec![1.0] };
        let solved = data.solve(c, 1e-12);
        let best = if k > 0.0 { c.min(1.0 / k) } else { c };
        assert!((solved.coefficients[(0, 0)] - best).abs() <= 1e-12 * best);
    }
    // n equal examples of one class: v = min(n c, 1).
    let data = Data { gram: Mat::full(7, 7, 1.0), labels: vec![1.0; 7] };
    assert!((data.solve(0.1, 1e-10).objective - (0.5 * 0.49 + 0.7 * 0.3)).abs() < 1e-9);
    assert!((data.solve(10.0, 1e-10).objective - 0.5).abs() < 1e-9);
}

#[test]
fn too_few_passes_are_said_and_their_gap_is_true() {
    let data = Data::polynomial(150, 5, 0.5, 2);
    let best = data.solve(1e3, 1e-10).objective;
    for max_passes in [0, 1, 2, 5, 11, 14] {
        let options = SolverOptions { max_passes, tol: 1e-14, seed: 3 };
        let solved = solve(data.gram.as_ref(), &data.labels, 1e3, None, &options, &Silent).unwrap();
        assert_eq!(solved.stop, SolverStop::IterationLimit);
        assert!(solved.passes <= max_passes);
        assert!(
            solved.gap > 0.0
                && solved.objective - solved.gap <= best
                && best <= solved.objective * (1.0 + 1e-12)
        );
        let (primal, _) = data.primal(&solved.coefficients, &[1e3; 150], &[1.0; 150]);
        assert!((primal - solved.objective).abs() <= 1e-9 * primal);
    }
}

#[test]
fn a_gap_below_rounding_is_not_sought_for_ever() {
    let data = Data::linear(200, 5, 0.5, 2);
    let options = SolverOptions { max_passes: u64::MAX, tol: 1e-30, seed: 0 };
    let solved = solve(data.gram.as_ref(), &data.labels, 1e3, None, &options, &Silent).unwrap();
    assert_eq!(solved.stop, SolverStop::NoProgress);
    assert!(solved.gap <= 1e-9 * solved.objective);
}

#[test]
fn a_monitor_stops_at_the_best_point_so_far() {
    struct After(AtomicU64);
    impl Monitor for After {
        fn should_stop(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) >= 10
        }
    }
    let data = Data::polynomial(150, 5, 0.5, 2);
    let solved =
        solve(data.gram.as_ref(), &data.labels, 1e4, None, &to(1e-12), &After(AtomicU64::new(0)))
            .unwrap();
    assert_eq!(solved.stop, SolverStop::Interrupted);
    assert!(solved.gap > 0.0 && solved.support > 0);
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let data = Data::linear(1500, 12, 0.5, 1);
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            path(data.gram.as_ref(), &data.labels, &[0.1, 100.0], &to(1e-6), &Silent).unwrap()
        })
    };
    for (one, three) in fit(1).iter().zip(&fit(3)) {
        assert_eq!(one.coefficients, three.coefficients);
        assert_eq!(
            (one.objective, one.gap, one.passes),
            (three.objective, three.gap, three.passes)
        );
    }
}
