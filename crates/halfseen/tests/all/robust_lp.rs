//! Holds the robust linear program against the textbook's, solved by a general solver.

use crate::common::{After, Data, layout, singletons};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
};
use halfseen::data::Threat;
use halfseen::model::{Fit, Note, Stop};
use halfseen::params::{AttributeCosts, Damage};
use halfseen::robust::RobustLp;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{ErrorKind, Learner, Silent};
use ndarray::Array2;

/// The optimum of the linear program (4) as the paper has it: one alpha for every row and
/// attribute. `attributes` names the attribute of each column, or none where it never vanishes.
fn reference_lp(
    data: &Data,
    attributes: &[Option<usize>],
    learner: &RobustLp,
    threat: &Threat,
    margin: f64,
) -> f64 {
    let (m, d, n) = (data.x.nrows(), data.x.ncols(), threat.values().len());
    let (v, left) = (threat.values(), threat.left());
    let (b, xi, lambda, alpha) = (d, d + 1, d + 1 + m, d + 1 + 2 * m);
    let variables = alpha + m * n;
    // Rows of "sum of coefficients times variables is at most right".
    let mut right = Vec::new();
    let (mut rows, mut columns, mut cells) = (Vec::new(), Vec::new(), Vec::new());
    let mut at_most = |terms: &[(usize, f64)], bound: f64| {
        for &(column, cell) in terms {
            rows.push(right.len());
            columns.push(column);
            cells.push(cell);
        }
        right.push(bound);
    };
    for i in 0..m {
        let y = data.y[i];
        let mut sum = vec![(lambda + i, -left), (xi + i, -1.0)];
        if learner.intercept {
            sum.push((b, -y));
        }
        for (j, &value) in v.iter().enumerate() {
            sum.push((alpha + i * n + j, 1.0));
            let mut gain = vec![(lambda + i, value), (alpha + i * n + j, -1.0)];
            for c in (0..d).filter(|&c| attributes[c] == Some(j)) {
                gain.push((c, -y * data.x[[i, c]]));
            }
            at_most(&gain, -margin * value / left);
            at_most(&[(alpha + i * n + j, -1.0)], 0.0);
        }
        for c in (0..d).filter(|&c| attributes[c].is_none()) {
            sum.push((c, -y * data.x[[i, c]]));
        }
        at_most(&sum, 0.0);
        at_most(&[(xi + i, -1.0)], 0.0);
        at_most(&[(lambda + i, -1.0)], 0.0);
    }
    for j in 0..d {
        at_most(&[(j, 1.0)], learner.box_radius);
        at_most(&[(j, -1.0)], learner.box_radius);
    }
    if !learner.intercept {
        at_most(&[(b, 1.0)], 0.0);
        at_most(&[(b, -1.0)], 0.0);
    }
    let a = CscMatrix::new_from_triplets(right.len(), variables, rows, columns, cells);
    let mut costs = vec![0.0; variables];
    costs[xi..lambda].fill(1.0 / m as f64);
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .max_iter(200)
        .tol_gap_abs(1e-11)
        .tol_gap_rel(1e-10)
        .tol_feas(1e-10)
        .build()
        .unwrap();
    let cones = [NonnegativeConeT(right.len())];
    let quadratic = CscMatrix::zeros((variables, variables));
    let mut solver = DefaultSolver::new(&quadratic, &costs, &a, &right, &cones, settings).unwrap();
    solver.solve();
    assert!(
        matches!(solver.solution.status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{:?}",
        solver.solution.status
    );
    solver.solution.obj_val
}

/// Two classes, told by some of the columns with noise, a share of the cells 0, and one column
/// all 0.
fn random(m: usize, widths: &[u32], known: &[u32], seed: u64) -> Data {
    let layout = layout(widths, known);
    let d = layout.slots();
    let mut stream = Stream::new(seed, Purpose::Data, (m * 100 + d) as u64);
    let empty = stream.below(d);
    let truth: Vec<f64> = (0..d).map(|j| if j % 2 == 0 { stream.normal() } else { 0.0 }).collect();
    let mut x = Array2::zeros((m, d));
    let mut codes = Vec::with_capacity(m);
    for mut row in x.rows_mut() {
        for (j, cell) in row.iter_mut().enumerate() {
            let value = stream.normal();
            *cell = if j == empty || stream.unit() < 0.4 { 0.0 } else { value };
        }
        let signal: f64 = row.iter().zip(&truth).map(|(x, w)| x * w).sum();
        codes.push(u32::from(signal + stream.normal() + 0.3 > 0.0));
    }
    classes(x, codes, &layout)
}

fn classes(
    x: Array2<f64>,
    codes: Vec<u32>,
    layout: &std::sync::Arc<halfseen::data::Layout>,
) -> Data {
    let y = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
    let mut data = Data::new(x, y, layout);
    data.codes = Some(codes);
    data
}

fn fit(learner: &RobustLp, data: &Data) -> Fit {
    learner.fit(&data.examples(), &Silent).unwrap()
}

fn objective(fit: &Fit) -> f64 {
    fit.report.objective.unwrap()
}

fn gap(fit: &Fit) -> f64 {
    fit.report.gap.unwrap()
}

#[track_caller]
fn same(fit: &Fit, optimum: f64, what: &str) {
    let scale = optimum.abs().max(1e-3);
    assert!(
        (objective(fit) - optimum).abs() <= 1e-7 * scale,
        "{what}: {} for {optimum}",
        objective(fit)
    );
    assert!(objective(fit) - gap(fit) <= optimum + 1e-8 * scale, "{what}: the bound is wrong");
    assert_eq!(fit.report.stop, Stop::Tolerance, "{what}");
}

#[test]
fn the_optimum_is_the_textbooks() {
    let mut stream = Stream::new(1, Purpose::Data, 99);
    for case in 0..50_u64 {
        let (m, n) = (60 + stream.below(241), 10 + stream.below(51));
        let values: Vec<f64> = match case % 5 {
            0 => vec![1.0; n],
            1 => (0..n).map(|_| stream.below(2) as f64).collect(),
            2 => vec![0.7; n],
            _ => (0..n).map(|_| 2.0 * stream.unit()).collect(),
        };
        let total: f64 = values.iter().sum();
        let budget = total * (0.02 + 0.3 * stream.unit());
        let least = values.iter().copied().filter(|v| *v > 0.0).fold(f64::INFINITY, f64::min);
        let budget = if case % 5 < 3 { budget.max(least) } else { budget };
        let data = random(m, &vec![1; n], &[], case);
        let learner = RobustLp {
            threat: Some(budget),
            costs: AttributeCosts::Numbers(values.clone()),
            margin: Some(0.3 + stream.unit()),
            box_radius: [0.2, 1.0, 5.0][case as usize % 3],
            intercept: case % 7 != 3,
            tol: 1e-9,
            ..RobustLp::default()
        };
        let threat = Threat::new(values, budget).unwrap();
        let threat = threat.with_budget(threat.effective()).unwrap();
        let attributes: Vec<Option<usize>> = (0..n).map(Some).collect();
        let optimum = reference_lp(&data, &attributes, &learner, &threat, learner.margin.unwrap());
        same(&fit(&learner, &data), optimum, &format!("case {case}, {m} x {n}"));
    }
}

#[test]
fn attributes_of_several_columns_vanish_together_and_known_ones_never() {
    for case in 0..10 {
        let widths: Vec<u32> = (0..8).map(|j| 1 + (j + case) % 4).collect();
        let known = if case % 2 == 0 { vec![2, 1] } else { vec![] };
        let data = random(80, &widths, &known, u64::from(case) + 500);
        let learner =
            RobustLp { threat: Some(2.0), margin: Some(0.5), tol: 1e-9, ..RobustLp::default() };
        let threat = Threat::uniform(8, 2.0).unwrap();
        let columns = |(j, w): (usize, &u32)| vec![Some(j); *w as usize];
        let mut attributes: Vec<Option<usize>> =
            widths.iter().enumerate().flat_map(columns).collect();
        attributes.resize(data.x.ncols(), None);
        let optimum = reference_lp(&data, &attributes, &learner, &threat, 0.5);
        same(&fit(&learner, &data), optimum, &format!("case {case}"));
    }
}

#[test]
fn the_bound_holds_wherever_the_iteration_stops() {
    let data = random(120, &[1; 20], &[], 7);
    let learner = |max_iter| RobustLp {
        threat: Some(3.0),
        margin: Some(1.0),
        tol: 1e-9,
        max_iter,
        ..RobustLp::default()
    };
    let optimum = objective(&fit(&learner(300), &data));
    for max_iter in 1..8 {
        let early = fit(&learner(max_iter), &data);
        assert!(objective(&early) >= optimum * (1.0 - 1e-9), "{max_iter} iterations");
        assert!(objective(&early) - gap(&early) <= optimum * (1.0 + 1e-9), "{max_iter} iterations");
        assert_eq!(early.report.stop, Stop::IterationLimit);
        assert!(!early.report.converged && early.report.passes == Some(max_iter));
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let data = random(400, &[1; 25], &[], 8);
    for chunk in [None, Some(90)] {
        let learner = RobustLp { threat: Some(2.0), chunk, ..RobustLp::default() };
        let fits: Vec<Fit> = [1, 2]
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| fit(&learner, &data))
            })
            .into();
        assert_eq!(fits[0].predictor, fits[1].predictor);
        assert_eq!(objective(&fits[0]).to_bits(), objective(&fits[1]).to_bits());
    }
}

#[test]
fn an_interrupted_solve_returns_its_best_point_and_says_so() {
    let data = random(120, &[1; 20], &[], 9);
    let learner = RobustLp { threat: Some(3.0), margin: Some(1.0), ..RobustLp::default() };
    let whole = fit(&learner, &data);
    let early = learner.fit(&data.examples(), &After::looks(7)).unwrap();
    assert_eq!(early.report.stop, Stop::Interrupted);
    assert!(!early.report.converged);
    assert!(objective(&early) > objective(&whole) && gap(&early) > gap(&whole));
    assert!(objective(&early) - gap(&early) <= objective(&whole));
    assert!(
        objective(&early) < 1.0 * 20.0 / 17.0,
        "better than no weights, whose loss is gamma V / P"
    );
}

#[test]
fn where_nothing_tells_the_classes_weights_are_0_and_the_report_says_so() {
    // Every row with both labels.
    let data = random(40, &[1; 12], &[], 10);
    let twice = ndarray::concatenate![ndarray::Axis(0), data.x, data.x];
    let codes = [vec![0; 40], vec![1; 40]].concat();
    let data = classes(twice, codes, &data.layout);
    for intercept in [true, false] {
        let learner =
            RobustLp { threat: Some(3.0), margin: Some(0.5), intercept, ..RobustLp::default() };
        let beaten = fit(&learner, &data);
        let linear = beaten.predictor.linear().unwrap();
        assert!(linear.weights.iter().all(|w| *w == 0.0));
        let said = |n: &Note| matches!(n, Note::ThreatBeatsSignal { threat, .. } if *threat == 3.0);
        assert!(beaten.report.notes.iter().any(said));
        let loss = 0.5 * 12.0 / 9.0;
        assert!((objective(&beaten) - loss).abs() < 1e-12 && gap(&beaten) <= 1e-6 * loss);
    }
}

#[test]
fn one_class_needs_a_bias_only() {
    let mut data = random(30, &[1; 12], &[], 11);
    data.y.fill(1.0);
    data.codes = Some(vec![1; 30]);
    let one = fit(&RobustLp { threat: Some(2.0), ..RobustLp::default() }, &data);
    assert_eq!((objective(&one), gap(&one)), (0.0, 0.0));
    assert!(!one.report.notes.iter().any(|note| matches!(note, Note::ThreatBeatsSignal { .. })));
    assert!(one.predictor.linear().unwrap().weights.iter().all(|w| *w == 0.0));
    // Without one it is a program like any other.
    let learner = RobustLp {
        threat: Some(2.0),
        margin: Some(0.2),
        intercept: false,
        tol: 1e-9,
        ..RobustLp::default()
    };
    let attributes: Vec<Option<usize>> = (0..12).map(Some).collect();
    let threat = Threat::uniform(12, 2.0).unwrap();
    same(
        &fit(&learner, &data),
        reference_lp(&data, &attributes, &learner, &threat, 0.2),
        "one class, no bias",
    );
}

#[test]
fn odd_rows_are_no_trouble() {
    let attributes: Vec<Option<usize>> = (0..10).map(Some).collect();
    let values = [vec![0.0; 3], vec![1.0; 7]].concat();
    let threat = Threat::new(values.clone(), 1.0).unwrap();
    let learner = RobustLp {
        threat: Some(1.0),
        costs: AttributeCosts::Numbers(values),
        margin: Some(0.4),
        tol: 1e-9,
        ..RobustLp::default()
    };
    let check = |data: &Data, what: &str| {
        same(&fit(&learner, data), reference_lp(data, &attributes, &learner, &threat, 0.4), what);
    };
    let mut data = random(40, &[1; 10], &[], 12);
    data.x.column_mut(5).fill(2.0);
    data = classes(data.x, data.codes.unwrap(), &data.layout);
    check(&data, "a constant column");
    data.x.row_mut(0).fill(0.0);
    data.x.row_mut(1).fill(0.0);
    data = classes(data.x, data.codes.unwrap(), &data.layout);
    check(&data, "rows of zeros");
    let doubled = ndarray::concatenate![ndarray::Axis(0), data.x, data.x];
    let codes = [data.codes.clone().unwrap(), data.codes.clone().unwrap()].concat();
    check(&classes(doubled, codes, &data.layout), "every row twice");
    check(
        &classes(data.x.slice(ndarray::s![..2, ..]).to_owned(), vec![0, 1], &data.layout),
        "two rows of zeros",
    );
    check(
        &classes(data.x.slice(ndarray::s![3..5, ..]).to_owned(), vec![0, 1], &data.layout),
        "two rows",
    );
    // A column that tells the classes apart, many times over.
    let codes: Vec<u32> = (0..50).map(|i| i % 2).collect();
    let apart = classes(
        Array2::from_shape_fn((50, 10), |(i, _)| 2.0 * (i % 2) as f64 - 1.0),
        codes,
        &data.layout,
    );
    let easy = fit(&learner, &apart);
    assert!(objective(&easy) < 1e-9 && gap(&easy) < 1e-9 && easy.report.stop == Stop::Tolerance);
    let one = classes(data.x.slice(ndarray::s![3..4, ..]).to_owned(), vec![0], &data.layout);
    assert_eq!(objective(&fit(&learner, &one)), 0.0);
}

#[test]
fn chunks_are_averaged_and_the_gap_says_what_they_may_have_cost() {
    let data = random(300, &[1; 15], &[], 13);
    let learner =
        RobustLp { threat: Some(2.0), margin: Some(1.0), tol: 1e-8, ..RobustLp::default() };
    let whole = fit(&learner, &data);
    let chunked = fit(&RobustLp { chunk: Some(60), ..learner.clone() }, &data);
    assert!(objective(&chunked) > objective(&whole) * (1.0 + 1e-4));
    assert!(
        objective(&chunked) - gap(&chunked) <= objective(&whole),
        "the mean of the optima is a bound"
    );
    assert_eq!(chunked.report.stop, Stop::Chunks);
    let other = fit(&RobustLp { chunk: Some(60), seed: 1, ..learner.clone() }, &data);
    assert_ne!(other.predictor, chunked.predictor);
    let all = fit(&RobustLp { chunk: Some(300), ..learner }, &data);
    assert_eq!(all.predictor, whole.predictor, "one chunk is the whole");
}

#[test]
fn noise_needs_a_margin() {
    let data = random(60, &[1; 15], &[], 14);
    let learner = RobustLp {
        threat: Some(2.0),
        margin: Some(0.1),
        damage: Damage::Noise,
        ..RobustLp::default()
    };
    let needed = (4.0 * 20.0_f64.ln()).sqrt();
    let small = fit(&learner, &data);
    let told = |note: &Note| {
        note.is_about("margin-too-small")
            && note.to_string().contains(&format!("which needs {needed:.4}:"))
    };
    assert!(small.report.notes.iter().any(told), "{:?}", small.report.notes);
    let auto = fit(&RobustLp { margin: None, ..learner.clone() }, &data);
    let given = fit(&RobustLp { margin: Some(needed), ..learner }, &data);
    assert_eq!(auto.predictor, given.predictor);
}

#[test]
fn numbers_and_impossible_threats_are_refused() {
    let mut data = Data::random(30, &singletons(12), 3);
    data = data.told();
    for threat in [12.0, 13.0] {
        let learner = RobustLp { threat: Some(threat), ..RobustLp::default() };
        assert!(matches!(
            learner.fit(&data.examples(), &Silent).unwrap_err().kind(),
            ErrorKind::OutOfRange { name: "threat", .. }
        ));
    }
    let learner = RobustLp { margin: Some(-1.0), ..RobustLp::default() };
    assert!(learner.fit(&data.examples(), &Silent).is_err());
}

#[test]
fn attributes_of_very_different_sizes_are_solved_to_the_tolerance() {
    let mut stream = Stream::new(12, Purpose::Data, 0);
    let signs: Vec<f64> = (0..500).map(|i| if i % 5 < 2 { -1.0 } else { 1.0 }).collect();
    // Positive attributes, as measured, of sizes .01 to 2,000, all correlated with the class.
    let x = Array2::from_shape_fn((500, 24), |(i, j)| {
        let size = 10.0_f64.powf(-2.0 + 5.3 * j as f64 / 23.0);
        size * (3.0 + 0.8 * signs[i] + stream.normal()).max(0.1)
    });
    let data = Data::new(x, signs, &singletons(24)).told();
    for threat in [1.0, 3.0, 6.0] {
        let learner = RobustLp { threat: Some(threat), ..RobustLp::default() };
        let fit = learner.fit(&data.examples(), &Silent).unwrap();
        assert_eq!(fit.report.stop, Stop::Tolerance, "{threat}: {:?}", fit.report);
    }
}

/// Sixty attributes that all tell the classes, and a small margin. Mehrotra's rule takes 58 to 74
/// iterations.
#[test]
fn a_small_margin_of_redundant_attributes_takes_few_iterations() {
    let mut stream = Stream::new(13, Purpose::Data, 0);
    let means: [Vec<f64>; 2] = [(); 2].map(|()| (0..60).map(|_| stream.unit()).collect());
    let signs: Vec<f64> = (0..300).map(|i| [-1.0, 1.0][i % 2]).collect();
    let x = Array2::from_shape_fn((300, 60), |(i, j)| {
        (means[i % 2][j] + 0.5 * stream.normal() - 0.3).max(0.0)
    });
    let data = Data::new(x, signs, &singletons(60)).told();
    let costs: Vec<f64> = (0..60).map(|j| 10.0_f64.powf(f64::from(j % 7) / 3.0 - 1.0)).collect();
    for (margin, threat) in [(0.05, 5.0), (0.01, 5.0), (0.1, 10.0)] {
        let costs = AttributeCosts::Numbers(costs.clone());
        let learner =
            RobustLp { threat: Some(threat), margin: Some(margin), costs, ..RobustLp::default() };
        let report = learner.fit(&data.examples(), &Silent).unwrap().report;
        assert_eq!(report.stop, Stop::Tolerance, "{margin} {threat}: {report:?}");
        assert!(report.passes.unwrap() <= 50, "{margin} {threat}: {:?}", report.passes);
    }
}

/// Attributes that say nothing: the constant is the best under a threat, and without one.
#[test]
fn a_threat_that_beats_the_signal_is_said_and_no_threat_beats_none() {
    let mut data = random(40, &[1; 6], &[], 3);
    data.x.fill(0.0);
    data.matrix = halfseen::data::Matrix::F64(data.x.clone());
    let notes = |threat: f64| {
        let learner = RobustLp { threat: Some(threat), margin: Some(0.5), ..RobustLp::default() };
        fit(&learner, &data).report.notes
    };
    let said = |note: &Note| *note == Note::ThreatBeatsSignal { threat: 2.0, from: Some(0.0) };
    assert!(notes(2.0).iter().any(said), "{:?}", notes(2.0));
    let any = |note: &Note| matches!(note, Note::ThreatBeatsSignal { .. });
    assert!(!notes(0.0).iter().any(any), "{:?}", notes(0.0));
}
