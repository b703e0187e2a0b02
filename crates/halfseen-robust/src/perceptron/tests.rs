use super::*;
use crate::testing::Data;
use halfseen_core::data::Threat;
use ndarray::Array2;

/// Returns rows (m, n) in the unit ball or the cube, labelled by a hidden plane of weights -1 or
/// +1.
fn separable(m: usize, n: usize, ball: bool, seed: u64) -> (Data, Vec<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, (m * n) as u64);
    let plane: Vec<f64> = (0..n).map(|_| if stream.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
    let mut cells = Array2::zeros((m, n));
    let mut signs = Vec::new();
    for mut row in cells.rows_mut() {
        row.iter_mut().for_each(|x| *x = 2.0 * stream.unit() - 1.0);
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        if ball {
            row.iter_mut().for_each(|x| *x /= length);
        }
        let score: f64 = row.iter().zip(&plane).map(|(x, w)| x * w).sum();
        signs.push(if score > 0.0 { 1.0 } else { -1.0 });
    }
    (Data::new(cells, signs.clone()), signs, plane)
}

#[test]
fn the_regret_is_within_theorem_4_for_both_lengths() {
    for (seed, ball) in [(1, true), (2, true), (3, false), (4, false)] {
        for (m, n, budget) in [(400, 10, 2.0), (1_000, 30, 5.0), (60, 5, 0.0)] {
            let (data, signs, plane) = separable(m, n, ball, seed);
            let rows = Rows::new(&data.examples(), "test").unwrap();
            let threat = Threat::uniform(n, budget).unwrap();
            let radius = 0.7;
            let attack = Attack {
                hinge: RobustHinge { threat: &threat, margin: 0.2 },
                deletions: Deletions::Fractional,
            };
            let learner = RobustPerceptron { box_radius: radius, ..Default::default() };
            let everything: Vec<u32> = (0..m as u32).collect();
            let mut walk = Walk::new(n, radius, true);
            walk.step = learner.theory(&rows, &everything).unwrap();
            let (bound, paper) = if ball {
                (
                    radius * (2.0 * (n + 1) as f64 / m as f64).sqrt(),
                    radius * ((n + 1) as f64 / (2 * m) as f64).sqrt(),
                )
            } else {
                (radius * (n + 1) as f64 / (m as f64).sqrt(), radius / (m as f64).sqrt())
            };
            if ball {
                assert!((walk.step - paper).abs() < 1e-12 * paper, "the paper's step");
            } else {
                assert!(walk.step >= paper, "rows of the cube are shorter than the paper fears");
            }
            let mut room = attack.hinge.scratch();
            (0..m).for_each(|i| walk.learn(&attack, &rows, i, signs[i], &mut room));
            let regret = |weights: &[f64], bias: f64| {
                walk.lost / m as f64 - attack.mean(&rows, &signs, &everything, weights, bias).0
            };
            let scaled: Vec<f64> = plane.iter().map(|w| radius * w).collect();
            for (weights, bias) in
                [(scaled.clone(), 0.0), (vec![0.0; n], 0.3), (walk.average().0, walk.average().1)]
            {
                let regret = regret(&weights, bias);
                assert!(regret <= bound, "{m} x {n}, N = {budget}: {regret} above {bound}");
            }
            let (weights, bias) = walk.average();
            assert!(weights.iter().chain([&bias]).all(|w| w.abs() <= radius));
        }
    }
}

/// Runs the pass as in the paper: dense, with a sum over all hypotheses.
fn plainly(
    rows: &[Vec<f64>],
    signs: &[f64],
    budget: usize,
    margin: f64,
    radius: f64,
    step: f64,
) -> (Vec<f64>, f64) {
    let n = rows[0].len();
    let left = (n - budget) as f64;
    let (mut w, mut b, mut mean_w, mut mean_b) = (vec![0.0; n], 0.0, vec![0.0; n], 0.0);
    for (x, y) in rows.iter().zip(signs) {
        mean_w.iter_mut().zip(&w).for_each(|(sum, w)| *sum += w / rows.len() as f64);
        mean_b += b / rows.len() as f64;
        let mut order: Vec<usize> = (0..n).filter(|&j| x[j] != 0.0).collect();
        order.sort_by(|&i, &j| (y * w[j] * x[j]).total_cmp(&(y * w[i] * x[i])).then(i.cmp(&j)));
        let gone: Vec<usize> = order
            .into_iter()
            .take(budget)
            .filter(|&j| y * w[j] * x[j] - margin / left > 0.0)
            .collect();
        let kept = |j: usize| !gone.contains(&j);
        let score: f64 = b + (0..n).filter(|&j| kept(j)).map(|j| w[j] * x[j]).sum::<f64>();
        if margin * (n - gone.len()) as f64 / left - y * score > 0.0 {
            for j in (0..n).filter(|&j| kept(j)) {
                w[j] = f64::clamp(w[j] + step * y * x[j], -radius, radius);
            }
            b = f64::clamp(b + step * y, -radius, radius);
        }
    }
    (mean_w, mean_b)
}

#[test]
fn the_lazy_average_is_the_plain_one() {
    for (budget, margin, step, seed) in
        [(0, 0.5, 0.3, 1), (3, 0.2, 0.05, 2), (5, 2.0, 0.5, 3), (1, 1e-3, 1.0, 4)]
    {
        let (mut data, signs, _) = separable(300, 12, false, seed);
        if let halfseen_core::data::Matrix::F64(cells) = &mut data.matrix {
            let mut stream = Stream::new(seed, Purpose::Data, 9);
            cells.iter_mut().for_each(|x| *x *= f64::from(u8::from(stream.unit() < 0.6)));
        }
        let rows = Rows::new(&data.examples(), "test").unwrap();
        let threat = Threat::uniform(12, budget as f64).unwrap();
        let expected = plainly(
            &(0..300).map(|i| data.row(i)).collect::<Vec<_>>(),
            &signs,
            budget,
            margin,
            0.8,
            step,
        );
        for deletions in [Deletions::Fractional, Deletions::Whole] {
            let attack = Attack { hinge: RobustHinge { threat: &threat, margin }, deletions };
            let mut walk = Walk::new(12, 0.8, true);
            walk.step = step;
            let mut room = attack.hinge.scratch();
            (0..300).for_each(|i| walk.learn(&attack, &rows, i, signs[i], &mut room));
            let (weights, bias) = walk.average();
            for (actual, expected) in
                weights.iter().chain([&bias]).zip(expected.0.iter().chain([&expected.1]))
            {
                assert!((actual - expected).abs() < 1e-12, "{actual} instead of {expected}");
            }
        }
    }
}
