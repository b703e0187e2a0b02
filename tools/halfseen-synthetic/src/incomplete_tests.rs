//! Compares the generators of incomplete rows with their documented properties.

use crate::*;
use faer::Mat;
use halfseen::data::Matrix;
use halfseen::solve::ridge;

fn sets(rows: usize, seed: u64) -> Vec<(&'static str, Incomplete)> {
    vec![
        ("low rank", LowRank::default().draw(rows, seed).unwrap()),
        ("blocks", Blocks { columns: 31, rank: 4 }.draw(rows, seed).unwrap()),
        ("two completions", TwoCompletions.draw(rows, seed)),
        ("two lines", TwoLines.draw(rows, seed)),
        ("sorted", SortedRows::default().draw(rows, seed).unwrap()),
    ]
}

fn bits(matrix: &Matrix) -> Vec<u64> {
    (0..matrix.rows())
        .flat_map(|i| (0..matrix.columns()).map(move |j| matrix.get(i, j).to_bits()))
        .collect()
}

/// Returns the largest distance of a row from the span of the basis.
fn outside(set: &Incomplete) -> f64 {
    let (u, mut worst) = (&set.basis, 0.0_f64);
    for row in set.complete.rows() {
        let z: Vec<f64> = (0..u.ncols())
            .map(|k| row.iter().enumerate().map(|(j, x)| u[(j, k)] * x).sum())
            .collect();
        for (j, x) in row.iter().enumerate() {
            let inside: f64 = z.iter().enumerate().map(|(k, z)| u[(j, k)] * z).sum();
            worst = worst.max((x - inside).abs());
        }
    }
    worst
}

fn score(set: &Incomplete, row: usize) -> f64 {
    set.complete.row(row).iter().zip(&set.truth).map(|(x, w)| x * w).sum()
}

#[test]
fn rows_lie_in_the_subspace_and_only_hidden_cells_differ() {
    for (name, set) in sets(200, 3) {
        assert!(outside(&set) < 1e-12, "{name}");
        let (mut hidden, mut shown) = (0, 0);
        for i in 0..200 {
            for (j, seen) in set.observed(i).into_iter().enumerate() {
                if seen {
                    assert_eq!(set.matrix.get(i, j), set.complete[[i, j]], "{name}");
                    shown += 1;
                } else {
                    hidden += 1;
                }
            }
        }
        assert!(hidden > 0 && shown > 0, "{name}");
        assert_eq!(set.examples().len(), 200);
    }
}

#[test]
fn a_seed_gives_the_same_rows() {
    for ((name, few), (_, more)) in sets(30, 4).into_iter().zip(sets(50, 4)) {
        assert_eq!((&few.truth, &few.blocks), (&more.truth, &more.blocks), "{name}");
        if name != "sorted" {
            let cells = few.truth.len() * 30;
            assert_eq!(bits(&few.matrix), bits(&more.matrix)[..cells], "{name}");
            assert_eq!(few.targets[..], more.targets[..30], "{name}");
        }
    }
    for ((name, one), (_, same)) in sets(30, 4).into_iter().zip(sets(30, 4)) {
        assert_eq!(bits(&one.matrix), bits(&same.matrix), "{name}");
    }
    for ((name, one), (_, other)) in sets(30, 4).into_iter().zip(sets(30, 5)) {
        assert_ne!(bits(&one.matrix), bits(&other.matrix), "{name}: another seed");
    }
}

#[test]
fn targets_are_standard_and_cells_are_observed_as_often_as_stated() {
    let rows = 20_000;
    let blocks = Blocks { columns: 12, rank: 3 }.draw(rows, 5).unwrap();
    let low = LowRank { observed: 0.3, ..LowRank::default() }.draw(rows, 5).unwrap();
    for (set, share) in [(&low, 0.3), (&blocks, (1.0 / 3.0) / (1.0 - 8.0 / 27.0))] {
        let n = rows as f64;
        let mean = set.targets.iter().sum::<f64>() / n;
        let square = set.targets.iter().map(|y| y * y).sum::<f64>() / n;
        // Five standard errors: variances 1 and 2.
        assert!(
            mean.abs() < 5.0 / n.sqrt() && (square - 1.0).abs() < 5.0 * (2.0 / n).sqrt(),
            "{mean} {square}"
        );
        assert!((0..rows).all(|i| (score(set, i) - set.targets[i]).abs() < 1e-12));
        for j in 0..set.truth.len() {
            let seen = (0..rows).filter(|&i| set.observed(i)[j]).count() as f64 / n;
            assert!(
                (seen - share).abs() < 5.0 * (share / n).sqrt(),
                "column {j}: {seen}, stated {share}"
            );
        }
    }
    let all = LowRank { observed: 1.0, ..LowRank::default() }.draw(50, 5).unwrap();
    assert!((0..50).all(|i| all.observed(i).into_iter().all(|seen| seen)));
    assert!((all.kappa().unwrap().regular().unwrap() - 1.0).abs() < 1e-12);
    // A smaller share shows fewer cells, never others.
    assert_eq!(low.complete.row(49), all.complete.row(49));
}

#[test]
fn blocks_are_seen_whole_and_each_is_sufficient() {
    let set = Blocks { columns: 31, rank: 4 }.draw(400, 6).unwrap();
    let mut patterns = std::collections::BTreeSet::new();
    for i in 0..400 {
        let observed = set.observed(i);
        let seen: Vec<bool> =
            (0..3).map(|b| (0..31).any(|j| set.blocks[j] == b && observed[j])).collect();
        assert!((0..31).all(|j| observed[j] == seen[set.blocks[j]]) && seen.contains(&true));
        patterns.insert(seen);
    }
    assert_eq!(patterns.len(), 7);
    assert_eq!(
        (0..3).map(|b| set.blocks.iter().filter(|x| **x == b).count()).collect::<Vec<_>>(),
        [11, 10, 10]
    );
    let regularity = set.kappa().unwrap();
    assert!(regularity.undetermined == 0 && regularity.kappa > 1e-3 && regularity.kappa < 1.0);
}

fn rank(matrix: &Array2<f64>) -> usize {
    let whole = Mat::from_fn(matrix.nrows(), matrix.ncols(), |i, j| matrix[[i, j]]);
    let values = whole.singular_values().unwrap();
    values.iter().filter(|s| **s > 1e-9 * values[0]).count()
}

#[test]
fn two_completions_of_least_rank_contradict_each_other_in_the_labels() {
    let set = TwoCompletions.draw(40, 7);
    let unlabelled: Vec<usize> = (20..40).collect();
    let [one, other] = TwoCompletions.completions(&set, &unlabelled).unwrap();
    for completion in [&one, &other] {
        assert_eq!(rank(completion), 2);
        for i in 0..40 {
            let seen = set.observed(i);
            assert!((0..4).all(|j| !seen[j] || completion[[i, j]] == set.matrix.get(i, j)));
            assert!(i >= 20 || completion[[i, 4]] == set.targets[i]);
        }
    }
    assert!((20..40).all(|i| one[[i, 4]] == -other[[i, 4]]));
    // The truth is a third completion. Rank 1 is impossible by rows 1 (or 2) and 3; otherwise it
    // would determine the label.
    let truth =
        Array2::from_shape_fn(
            (40, 5),
            |(i, j)| if j < 4 { set.complete[[i, j]] } else { set.targets[i] },
        );
    assert_eq!(rank(&truth), 2);
    assert!((0..40).all(|i| score(&set, i) == set.targets[i]));
    // Rank 1 makes row 2 a multiple of row 3: by column 2 with factor 1, by the labels with factor
    // -1.
    let (second, third) =
        (set.matrix.get(1, 1) / set.matrix.get(2, 1), set.targets[1] / set.targets[2]);
    assert_eq!((second, third), (1.0, -1.0));
    let regularity = set.kappa().unwrap();
    assert!((regularity.kappa - 1.0).abs() < 1e-12 && regularity.undetermined == 2);
    assert!(TwoCompletions.completions(&set, &[40]).is_err());
}

/// Counts errors on the second half of the rows after a fit to the first, by the kernel (1 + c) D
/// of gamma = 2 or by D alone.
fn mistakes(set: &Incomplete, gamma: u32) -> usize {
    let (n, d) = (set.targets.len(), set.truth.len());
    let kernel = |a: usize, b: usize| {
        let shared = (0..d).filter(|&j| set.observed(a)[j] && set.observed(b)[j]);
        let (mut count, mut product) = (0.0, 0.0);
        for j in shared {
            count += 1.0;
            product += set.complete[[a, j]] * set.complete[[b, j]];
        }
        (0..gamma).map(|power| f64::powi(count, power as i32)).sum::<f64>() * product
    };
    let half = n / 2;
    let gram = Mat::from_fn(half, half, kernel);
    let targets = Mat::from_fn(half, 1, |i, _| set.targets[i]);
    let fit = ridge::solve(gram.as_ref(), targets.as_ref(), 100.0).unwrap();
    let score = |i: usize| (0..half).map(|k| fit.coefficients[(k, 0)] * kernel(k, i)).sum::<f64>();
    (half..n).filter(|&i| score(i) * set.targets[i] <= 0.0).count()
}

#[test]
fn the_kernel_classifies_what_completions_cannot() {
    for gamma in [1, 2, 3] {
        assert_eq!(mistakes(&TwoCompletions.draw(60, 8), gamma), 0);
        assert_eq!(mistakes(&TwoLines.draw(60, 8), gamma), 0);
    }
    let set = TwoLines.draw(200, 9);
    assert!((set.kappa().unwrap().regular().unwrap() - 0.5).abs() < 1e-12);
    let [truth, other] = TwoLines.completions(&set);
    assert_eq!((rank(&truth), rank(&other)), (1, 1));
    for completion in [&truth, &other] {
        assert!((0..200).all(|i| {
            (0..2).all(|j| !set.observed(i)[j] || completion[[i, j]] == set.complete[[i, j]])
        }));
    }
    // Both labels occur on both sides of the other line.
    for label in [-1.0, 1.0] {
        let signs = (0..200).filter(|&i| set.targets[i] == label).map(|i| other[[i, 0]] > 0.0);
        let positive = signs.clone().filter(|s| *s).count();
        assert!(positive > 20 && signs.count() - positive > 20);
    }
}

#[test]
fn sorted_rows_are_regular_and_come_in_phases() {
    let sorted = SortedRows::default();
    let set = sorted.draw(240, 10).unwrap();
    assert!(set.kappa().unwrap().regular().unwrap() >= sorted.least_kappa);
    for i in 0..240 {
        let observed = set.observed(i);
        assert_eq!(observed.iter().filter(|seen| **seen).count(), 5);
        assert_eq!(observed, set.observed(i / 40 * 40), "one pattern per phase");
        let size: f64 = (0..8).filter(|&j| observed[j]).map(|j| set.complete[[i, j]].powi(2)).sum();
        assert!((size - 1.0).abs() < 1e-12 && score(&set, i) * set.targets[i] > 0.0);
        let expected = if [0, 3].contains(&(i / 20 % 4)) { 1.0 } else { -1.0 };
        assert_eq!(set.targets[i], expected, "row {i}");
    }
    let truth: f64 = set.truth.iter().map(|w| w * w).sum();
    assert!((truth - 1.0).abs() < 1e-12);
    assert_eq!(sorted.draw(0, 1).unwrap().targets.len(), 0);
}

#[test]
fn settings_out_of_range_are_refused() {
    let low = |columns, rank, observed| {
        LowRank { columns, rank, observed, ..LowRank::default() }.draw(3, 0)
    };
    let sorted = SortedRows::default();
    let refused = [
        low(0, 1, 0.5),
        low(5, 0, 0.5),
        low(5, 6, 0.5),
        low(5, 2, 0.0),
        low(5, 2, 1.5),
        low(5, 2, f64::NAN),
        Blocks { columns: 2, rank: 1 }.draw(3, 0),
        Blocks { columns: 8, rank: 3 }.draw(3, 0),
        SortedRows { shown: 9, ..sorted.clone() }.draw(3, 0),
        SortedRows { rank: 6, ..sorted.clone() }.draw(3, 0),
        SortedRows { phases: 0, ..sorted.clone() }.draw(3, 0),
        SortedRows { least_kappa: f64::NAN, ..sorted.clone() }.draw(3, 0),
        SortedRows { least_kappa: 0.999, ..sorted }.draw(3, 0),
    ];
    for (i, result) in refused.into_iter().enumerate() {
        let error = result.err().unwrap_or_else(|| panic!("case {i} was accepted"));
        assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }), "{error}");
    }
}
