use super::*;
use crate::testing::Data;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};
use halfseen::Silent;
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;

/// Returns rows (m, n) with a third of the cells 0, and signs of a noisy linear rule.
fn random(m: usize, n: usize, stream: &mut Stream) -> (Array2<f64>, Vec<f64>) {
    let mut cells = Array2::zeros((m, n));
    let mut signs = Vec::new();
    for mut row in cells.rows_mut() {
        let cell = |s: &mut Stream| if s.unit() < 0.33 { 0.0 } else { s.normal() };
        row.iter_mut().for_each(|x| *x = cell(stream));
        let score = row.iter().enumerate().map(|(j, x)| x / (1.0 + j as f64)).sum::<f64>();
        signs.push(if score + 0.3 * stream.normal() + 0.2 > 0.0 { 1.0 } else { -1.0 });
    }
    (cells, signs)
}

/// Solves the quadratic program as printed: weights, bias, then xi, z and u for each row.
fn reference_lp(
    cells: &Array2<f64>,
    signs: &[f64],
    threat: &Threat,
    c: f64,
    intercept: bool,
) -> f64 {
    let (m, n) = cells.dim();
    let (xi, z, u) = (n + 1, n + 1 + m, n + 1 + 2 * m);
    let variables = u + m * n;
    let (mut rows, mut columns, mut entries, mut right) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    // sum of coefficient times variable >= bound.
    let mut at_least = |terms: &[(usize, f64)], bound: f64| {
        for (column, coefficient) in terms.iter().filter(|t| intercept || t.0 != n) {
            rows.push(right.len());
            columns.push(*column);
            entries.push(-coefficient);
        }
        right.push(-bound);
    };
    for (i, y) in signs.iter().enumerate() {
        let mut terms = vec![(xi + i, 1.0), (n, *y), (z + i, -threat.effective())];
        terms.extend((0..n).map(|j| (j, y * cells[[i, j]])));
        terms.extend((0..n).map(|j| (u + i * n + j, -1.0)));
        at_least(&terms, 1.0);
        at_least(&[(xi + i, 1.0)], 0.0);
        at_least(&[(z + i, 1.0)], 0.0);
        for j in 0..n {
            let terms =
                [(z + i, threat.values()[j]), (u + i * n + j, 1.0), (j, -y * cells[[i, j]])];
            at_least(&terms, 0.0);
            at_least(&[(u + i * n + j, 1.0)], 0.0);
        }
    }
    let count = right.len();
    let left = CscMatrix::new_from_triplets(count, variables, rows, columns, entries);
    let square = CscMatrix::new_from_triplets(
        variables,
        variables,
        (0..n).collect(),
        (0..n).collect(),
        vec![1.0; n],
    );
    let costs: Vec<f64> =
        (0..variables).map(|k| if (xi..z).contains(&k) { c } else { 0.0 }).collect();
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_rel(1e-10)
        .tol_gap_abs(1e-10)
        .build()
        .unwrap();
    let mut solver =
        DefaultSolver::new(&square, &costs, &left, &right, &[NonnegativeConeT(count)], settings)
            .unwrap();
    solver.solve();
    assert!(matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved));
    solver.solution.obj_val
}

#[test]
fn the_optimum_is_that_of_the_quadratic_program() {
    let mut stream = Stream::new(5, Purpose::Data, 0);
    for case in 0..20 {
        let (m, n) = (10 + stream.below(40), 2 + stream.below(9));
        let (cells, signs) = random(m, n, &mut stream);
        let values: Vec<f64> = match case % 3 {
            0 => vec![1.0; n],
            1 => (0..n).map(|_| 0.2 + stream.unit()).collect(),
            _ => (0..n)
                .map(|_| stream.below(4) as f64)
                .chain([0.0])
                .take(n)
                .map(|v| v.max(f64::from(case == 2)))
                .collect(),
        };
        let total: f64 = values.iter().sum();
        let Ok(threat) = Threat::new(values, (0.5 * stream.unit() * total).floor()) else {
            continue;
        };
        let data = Data::new(cells.clone(), signs.clone());
        let rows = Rows::new(&data.examples(), "test").unwrap();
        let attacked = Attacked::new(&rows, &signs, None, &threat);
        for (c, intercept) in [(0.05, true), (1.0, case % 2 == 0), (20.0, true)] {
            let until = Until { tol: 1e-8, max_iter: 20_000 };
            let minimum =
                Bundle::new(&attacked, intercept).unwrap().minimise(c, until, &Silent).unwrap();
            let expected = reference_lp(&cells, &signs, &threat, c, intercept);
            let difference = (minimum.objective - expected).abs() / expected.max(1e-9);
            assert!(
                difference < 1e-6,
                "case {case}: {m} x {n}, C = {c}: {} and {expected}",
                minimum.objective
            );
            assert!(
                minimum.gap <= 1e-6 * minimum.objective,
                "case {case}, C = {c}: gap {:e}",
                minimum.gap
            );
            let lower = minimum.objective - minimum.gap;
            assert!(
                lower <= expected * (1.0 + 1e-7),
                "case {case}, C = {c}: bound {lower} above {expected}"
            );
        }
    }
}

#[test]
fn margins_are_those_of_the_worst_subset_and_slopes_are_theirs() {
    let mut stream = Stream::new(6, Purpose::Data, 0);
    for budget in [0, 1, 3, 5] {
        let (cells, signs) = random(30, 7, &mut stream);
        let data = Data::new(cells.clone(), signs.clone());
        let rows = Rows::new(&data.examples(), "test").unwrap();
        let threat = Threat::uniform(7, f64::from(budget)).unwrap();
        let attacked = Attacked::new(&rows, &signs, None, &threat);
        let weights: Vec<f64> = (0..7).map(|_| stream.normal()).collect();
        let mut room = attacked.room();
        for i in 0..30 {
            let margin = attacked.margin(i, &weights, &mut room);
            let part = |j: usize| signs[i] * weights[j] * cells[[i, j]];
            let after = |set: u32| (0..7).filter(|j| set >> j & 1 == 0).map(part).sum::<f64>();
            let sets = (0..1_u32 << 7).filter(|set| set.count_ones() <= budget);
            let expected = sets.map(after).fold(f64::INFINITY, f64::min);
            assert!((margin - expected).abs() < 1e-12, "{margin} and {expected}");
            let mut slope = vec![0.0; 7];
            attacked.add_slope(i, 1.0, &weights, &mut room, &mut slope);
            let through: f64 = slope.iter().zip(&weights).map(|(s, w)| s * w).sum();
            assert!((through - expected).abs() < 1e-12, "g is homogeneous: <s, w> = g");
        }
    }
}

#[test]
fn the_least_threat_that_silences_is_found() {
    let codes: Vec<u32> = (0..32).map(|i| i % 2).collect();
    let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
    // Three attributes determine the target equally well; two are uninformative.
    let cells = Array2::from_shape_fn((32, 5), |(i, j)| {
        if j < 3 { sign(i) } else { f64::from((i + j) as u32 % 4 / 2) }
    });
    let data = Data::new(cells, (0..32).map(sign).collect());
    let labels = Some(halfseen::data::Labels { codes: &codes, classes: 2 });
    let examples = Examples { labels, ..data.examples() };
    let fit = |threat| {
        Fdrop { threat: Some(threat), ..Fdrop::default() }.fit(&examples, &Silent).unwrap()
    };
    let notes = fit(4.0).report.notes;
    assert!(notes.contains(&Note::ThreatBeatsSignal { threat: 4.0, from: Some(3.0) }), "{notes:?}");
    assert!(fit(2.0).linear().unwrap().weights.iter().any(|w| *w != 0.0));
}
