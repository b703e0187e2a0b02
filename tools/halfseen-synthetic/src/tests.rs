//! Compares the documented properties of the generators with enumeration of all rows, and with
//! drawn rows.

use crate::*;

/// Returns every x in {-1, +1}^d.
fn patterns(d: usize) -> impl Iterator<Item = Vec<f64>> {
    (0..1_u32 << d)
        .map(move |bits| (0..d).map(|i| if bits >> i & 1 == 1 { 1.0 } else { -1.0 }).collect())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns some predictors, including zero and the truth.
fn predictors(truth: &[f64]) -> Vec<(Vec<f64>, f64)> {
    let mut stream = Stream::new(5, Purpose::Data, 77);
    let mut some: Vec<(Vec<f64>, f64)> = (0..5)
        .map(|_| (truth.iter().map(|_| stream.normal()).collect(), stream.normal()))
        .collect();
    some.push((vec![0.0; truth.len()], 0.0));
    some.push((truth.to_vec(), 0.0));
    some
}

/// Compares the excess with E (<w,x> + b - y)^2 over all weighted (x, y, chance).
fn assert_exact(set: &Synthetic, all: &[(Vec<f64>, f64, f64)], what: &str) {
    let total: f64 = all.iter().map(|(_, _, chance)| chance).sum();
    assert!((total - 1.0).abs() < 1e-12, "{what}");
    for (w, b) in predictors(&set.truth) {
        let error: f64 =
            all.iter().map(|(x, y, chance)| chance * (dot(&w, x) + b - y).powi(2)).sum();
        let stated = set.floor + set.excess(&w, b);
        assert!((error - stated).abs() < 1e-12 * (1.0 + error), "{what}: {error}, stated {stated}");
    }
    for (j, mu) in set.moments.square.iter().enumerate() {
        let square: f64 = all.iter().map(|(x, _, chance)| chance * x[j] * x[j]).sum();
        assert!((square - mu).abs() < 1e-14, "{what}, moment {j}: {square}, stated {mu}");
    }
}

#[test]
fn excess_floor_and_moments_equal_enumeration() {
    let set = HiddenAttribute { columns: 4, epsilon: 0.05 }.draw(1, 3).unwrap();
    let hidden = set.truth.iter().position(|w| *w != 0.0).unwrap();
    let mut all = Vec::new();
    for x in patterns(4) {
        for (sign, chance) in [(1.0, 0.5 + 0.05_f64.sqrt()), (-1.0, 0.5 - 0.05_f64.sqrt())] {
            all.push((x.clone(), sign * x[hidden], chance / 16.0));
        }
    }
    assert_exact(&set, &all, "A, theorem 3");

    let all: Vec<_> = patterns(3).map(|x| (x.clone(), (x[0] + x[1] + x[2]) / 3.0, 0.125)).collect();
    assert_exact(&ThreeAttributes.draw(1, 3), &all, "A, theorem 4");

    for gap in [0.125, 0.2, 0.5] {
        let set = HiddenSigns { columns: 5, gap }.draw(1, 3).unwrap();
        let mut all = Vec::new();
        for right in patterns(5) {
            let chance: f64 = right.iter().map(|r| 0.5 + r * gap).product();
            for y in [-1.0, 1.0] {
                // truth = s / sqrt(d) equals x if y = 1 and every attribute is right.
                all.push((
                    right.iter().zip(&set.truth).map(|(r, s)| y * r * s).collect(),
                    y,
                    chance / 2.0,
                ));
            }
        }
        assert_exact(&set, &all, "B, theorem 2.2");
    }

    for decay in [Decay::Power(0.0), Decay::Power(2.0), Decay::Exponential(0.7)] {
        for weights in [Weights::Aligned, Weights::Isotropic, Weights::Equal, Weights::Single(2)] {
            let set = Decaying { columns: 4, decay, weights, noise: 0.1 }.draw(1, 3).unwrap();
            let mu = decay.moments(4).unwrap();
            let mut all = Vec::new();
            for signs in patterns(4) {
                let x: Vec<f64> = signs.iter().zip(&mu).map(|(s, mu)| s * mu.sqrt()).collect();
                let y = dot(&x, &set.truth);
                // Two points have the variance of the noise.
                all.push((x.clone(), y + 0.1, 1.0 / 32.0));
                all.push((x, y - 0.1, 1.0 / 32.0));
            }
            assert_exact(&set, &all, "C");
        }
    }

    // Three draws of two attributes, with weights 1 and 1/2.
    let sparse =
        Sparse { columns: 2, entries: 3, exponent: 1.0, weights: Weights::Isotropic, noise: 0.0 };
    let set = sparse.draw(1, 3).unwrap();
    let mut all = Vec::new();
    for signs in patterns(2) {
        for (seen, chance) in [([1.0, 0.0], 8.0), ([0.0, 1.0], 1.0), ([1.0, 1.0], 18.0)] {
            let x: Vec<f64> = (0..2).map(|j| signs[j] * seen[j] / 3.0_f64.sqrt()).collect();
            all.push((x.clone(), dot(&x, &set.truth), chance / 27.0 / 4.0));
        }
    }
    assert_exact(&set, &all, "sparse");
}

fn sets(rows: usize, seed: u64) -> Vec<(&'static str, Synthetic)> {
    let decaying = |decay, weights| {
        Decaying { columns: 70, decay, weights, noise: 0.1 }.draw(rows, seed).unwrap()
    };
    vec![
        ("theorem 3", HiddenAttribute { columns: 70, epsilon: 0.05 }.draw(rows, seed).unwrap()),
        ("theorem 4", ThreeAttributes.draw(rows, seed)),
        ("theorem 2.2", HiddenSigns { columns: 70, gap: 0.2 }.draw(rows, seed).unwrap()),
        ("power", decaying(Decay::Power(2.0), Weights::Aligned)),
        ("exponential", decaying(Decay::Exponential(0.1), Weights::Isotropic)),
        (
            "sparse",
            Sparse { columns: 300, noise: 0.1, ..Sparse::default() }.draw(rows, seed).unwrap(),
        ),
    ]
}

#[test]
fn drawn_rows_have_the_stated_moments_and_errors() {
    let rows = 20_000;
    for (name, set) in sets(rows, 11) {
        let examples = set.examples();
        let measured = Moments::measure(&examples);
        for (j, mu) in set.moments.square.iter().enumerate() {
            // Six standard errors of a mean: a wrong probability or size is far outside.
            let error = 6.0 * (mu / rows as f64).sqrt();
            assert!(measured.mean[j].abs() < error, "{name}, mean of {j}: {}", measured.mean[j]);
            let error = 1e-12 + if name == "sparse" { error / 50.0_f64.sqrt() } else { 0.0 };
            assert!(
                (measured.square[j] - mu).abs() < error,
                "{name}, moment of {j}: {} {mu}",
                measured.square[j]
            );
        }
        let mut x = vec![0.0; examples.columns()];
        for (w, b) in predictors(&set.truth) {
            let mut errors = Vec::with_capacity(rows);
            for i in 0..rows {
                examples.row_into(i, &mut x);
                errors.push((dot(&w, &x) + b - examples.target(i)).powi(2));
            }
            let mean = errors.iter().sum::<f64>() / rows as f64;
            let variance = errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / rows as f64;
            let (stated, error) =
                (set.floor + set.excess(&w, b), 5.0 * (variance / rows as f64).sqrt() + 1e-12);
            assert!((mean - stated).abs() <= error, "{name}: {mean} +- {error}, stated {stated}");
        }
    }
}

#[test]
fn a_seed_gives_the_same_rows_and_fewer_rows_are_the_first_of_more() {
    for ((name, few), (_, more)) in sets(30, 4).into_iter().zip(sets(50, 4)) {
        assert_eq!((&few.truth, &few.targets[..]), (&more.truth, &more.targets[..30]), "{name}");
        let (mut a, mut b) = (vec![0.0; few.truth.len()], vec![0.0; few.truth.len()]);
        for row in 0..30 {
            few.examples().row_into(row, &mut a);
            more.examples().row_into(row, &mut b);
            assert_eq!(a, b, "{name}");
        }
    }
    for ((name, one), (_, other)) in sets(30, 4).into_iter().zip(sets(30, 5)) {
        assert_ne!(one.matrix, other.matrix, "{name}: another seed");
    }
}

#[test]
fn nothing_in_the_unit_ball_beats_the_truth_of_the_hidden_signs() {
    for (columns, gap) in [(3, 0.25), (8, 0.1), (20, 0.4)] {
        let set = HiddenSigns { columns, gap }.draw(1, 9).unwrap();
        assert_eq!(set.excess(&set.truth, 0.0), 0.0);
        let mut stream = Stream::new(2, Purpose::Data, 78);
        for _ in 0..2_000 {
            let near = 10.0_f64.powi(-(stream.below(4) as i32));
            let mut w: Vec<f64> = set.truth.iter().map(|t| t + near * stream.normal()).collect();
            let norm = dot(&w, &w).sqrt().max(1.0);
            w.iter_mut().for_each(|w| *w /= norm);
            assert!(set.excess(&w, 0.0) > 0.0, "{columns} columns, gap {gap}: {w:?}");
        }
    }
}

#[test]
fn decaying_rows_and_weights_have_norm_one() {
    for alpha in [0.0, 1.0, 2.0] {
        let draw = |weights| {
            Decaying { columns: 500, decay: Decay::Power(alpha), weights, noise: 0.1 }.draw(3, 1)
        };
        for weights in [Weights::Aligned, Weights::Isotropic, Weights::Equal, Weights::Single(499)]
        {
            let set = draw(weights).unwrap();
            let mut x = vec![0.0; 500];
            set.examples().row_into(2, &mut x);
            assert!(
                (dot(&x, &x) - 1.0).abs() < 1e-12
                    && (dot(&set.truth, &set.truth) - 1.0).abs() < 1e-12
            );
        }
        assert!(draw(Weights::Single(500)).is_err());
    }
    // (sum 1/i)^2 / sum 1/i^2 over 500 terms.
    let decay = Decay::Power(2.0);
    let set =
        Decaying { columns: 500, decay, weights: Weights::Equal, noise: 0.0 }.draw(1, 1).unwrap();
    let (harmonic, squares) =
        (1..=500).map(|i| f64::from(i).recip()).fold((0.0, 0.0), |(h, s), r| (h + r, s + r * r));
    assert!((set.half_norm() - harmonic * harmonic / squares).abs() < 1e-9);
}

#[test]
fn settings_out_of_range_are_refused() {
    let decaying = |columns, decay, noise| {
        Decaying { columns, decay, weights: Weights::Aligned, noise }.draw(2, 0)
    };
    let sparse = |columns, entries, exponent| {
        Sparse { columns, entries, exponent, ..Sparse::default() }.draw(2, 0)
    };
    let refused = [
        HiddenAttribute { columns: 0, epsilon: 0.01 }.draw(2, 0),
        HiddenAttribute { columns: 5, epsilon: 0.0625 }.draw(2, 0),
        HiddenAttribute { columns: 5, epsilon: f64::NAN }.draw(2, 0),
        HiddenSigns { columns: 1, gap: 0.5 }.draw(2, 0),
        HiddenSigns { columns: 11, gap: 0.04 }.draw(2, 0),
        HiddenSigns { columns: 11, gap: 0.51 }.draw(2, 0),
        HiddenSigns { columns: 11, gap: f64::NAN }.draw(2, 0),
        decaying(0, Decay::Power(1.0), 0.1),
        decaying(5, Decay::Power(-1.0), 0.1),
        decaying(5, Decay::Exponential(f64::INFINITY), 0.1),
        decaying(500, Decay::Exponential(2.0), 0.1),
        decaying(5, Decay::Power(1.0), f64::NAN),
        sparse(0, 5, 1.0),
        sparse(5, 0, 1.0),
        sparse(5, 5, f64::NAN),
    ];
    for (i, result) in refused.into_iter().enumerate() {
        let error = result.err().unwrap_or_else(|| panic!("case {i} was accepted"));
        assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }), "{error}");
    }
}
