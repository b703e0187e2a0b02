//! Tests matrix completion against naive twins, identities and bad input.

use super::*;
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};

/// Matrix of low rank with noise and missing values, and its labels, each third item unlabelled.
pub(super) struct Data {
    values: Mat<f64>,
    observed: Mat<f32>,
    labels: Mat<f64>,
    labelled: Vec<bool>,
}

impl Data {
    pub(super) fn random(
        d: usize,
        n: usize,
        t: usize,
        share: f64,
        loss: LabelLoss,
        seed: u64,
    ) -> Data {
        let mut stream = Stream::new(seed, Purpose::Data, (d * 10_000 + n) as u64);
        let rank = 3.min(d);
        let left = Mat::from_fn(d + t, rank, |_, _| stream.normal());
        let right = Mat::from_fn(rank, n, |_, _| stream.normal());
        let product = &left * &right;
        let observed = Mat::from_fn(d, n, |_, _| if stream.unit() < share { 1.0_f32 } else { 0.0 });
        let noise = Mat::from_fn(d + t, n, |_, _| 0.3 * stream.normal());
        let cell = |i: usize, j: usize| product[(i, j)] + noise[(i, j)];
        let values =
            Mat::from_fn(d, n, |i, j| if observed[(i, j)] == 1.0 { cell(i, j) } else { 0.0 });
        let label = |v: f64| match loss {
            LabelLoss::Logistic => (v + 0.5).signum(),
            LabelLoss::Squared => v + 0.5,
        };
        let mut labels = Mat::from_fn(t, n, |i, j| label(cell(d + i, j)));
        if n > 1 {
            (0..t).for_each(|i| (labels[(i, 0)], labels[(i, 1)]) = (1.0, -1.0));
        }
        Data { values, observed, labels, labelled: (0..n).map(|j| n < 3 || j % 3 != 2).collect() }
    }

    pub(super) fn problem(&self) -> Problem<'_> {
        Problem {
            values: &self.values,
            observed: &self.observed,
            labels: self.labels.clone(),
            labelled: self.labelled.clone(),
        }
    }
}

pub(super) fn settings(variant: CompletionVariant, loss: LabelLoss, label_weight: f64) -> Settings {
    Settings { variant, loss, label_weight, tol: 1e-4, max_iter: 3000 }
}

const FORMS: [CompletionVariant; 2] = [CompletionVariant::Bias, CompletionVariant::Ones];
const LOSSES: [LabelLoss; 2] = [LabelLoss::Logistic, LabelLoss::Squared];

/// Returns 0.95 over the largest curvature of a loss.
fn times(loss: LabelLoss) -> f64 {
    if loss == LabelLoss::Logistic { 3.8 } else { 0.95 }
}

/// Returns (tau, weight of a label's entry, weight of an attribute's entry) by definition.
fn constants(problem: &Problem<'_>, s: &Settings) -> (f64, f64, f64) {
    let cells: f64 = (0..problem.items())
        .map(|j| problem.observed.col_as_slice(j).iter().sum::<f32>())
        .sum::<f32>()
        .into();
    let labelled = problem.labelled.iter().filter(|l| **l).count() * problem.outputs();
    let tau = (times(s.loss) * labelled as f64 / s.label_weight).min(cells);
    (tau, s.label_weight / labelled as f64, 1.0 / cells)
}

/// Runs the iteration as printed, with a full decomposition each time, steps for b, and a row set
/// to 1. Returns Z and b.
fn naive(problem: &Problem<'_>, s: &Settings, mu: f64, passes: usize) -> (Mat<f64>, Vec<f64>) {
    let (t, d, n) = (problem.outputs(), problem.columns(), problem.items());
    let (tau, label, attribute) = constants(problem, s);
    let last = usize::from(s.variant == CompletionVariant::Ones);
    let tau_b = times(s.loss) / label / n as f64;
    let mut z = Mat::<f64>::zeros(t + d + last, n);
    let mut b = vec![0.0; t];
    for _ in 0..passes {
        let mut a = z.clone();
        let mut moved = b.clone();
        for j in 0..n {
            for i in 0..t {
                if problem.labelled[j] {
                    let (u, y) = (z[(i, j)] + b[i], problem.labels[(i, j)]);
                    let slope = match s.loss {
                        LabelLoss::Logistic => -y / (1.0 + (y * u).exp()),
                        LabelLoss::Squared => u - y,
                    };
                    a[(i, j)] -= tau * label * slope;
                    if last == 0 {
                        moved[i] -= tau_b * label * slope;
                    }
                }
            }
            for i in 0..d {
                if problem.observed[(i, j)] == 1.0 {
                    a[(t + i, j)] -= tau * attribute * (z[(t + i, j)] - problem.values[(i, j)]);
                }
            }
        }
        b = moved;
        let svd = a.thin_svd().unwrap();
        let u = Mat::from_fn(t + d + last, svd.U().ncols(), |i, k| {
            svd.U()[(i, k)] * (svd.S()[k] - tau * mu).max(0.0)
        });
        z = &u * svd.V().transpose();
        if last == 1 {
            (0..n).for_each(|j| z[(t + d, j)] = 1.0);
        }
    }
    (z, b)
}

/// Returns the objective of MC-b by its definition.
fn plain_objective(problem: &Problem<'_>, s: &Settings, mu: f64, z: &Mat<f64>, b: &[f64]) -> f64 {
    let (_, label, attribute) = constants(problem, s);
    let (t, svd) = (problem.outputs(), z.thin_svd().unwrap());
    let mut sum = mu * (0..z.nrows().min(z.ncols())).map(|k| svd.S()[k]).sum::<f64>();
    for j in 0..problem.items() {
        for i in 0..t {
            let (u, y) = (z[(i, j)] + b[i], problem.labels[(i, j)]);
            let loss = match s.loss {
                LabelLoss::Logistic => (1.0 + (-u * y).exp()).ln(),
                LabelLoss::Squared => (u - y).powi(2) / 2.0,
            };
            sum += if problem.labelled[j] { label * loss } else { 0.0 };
        }
        for i in 0..problem.columns() {
            let residual = z[(t + i, j)] - problem.values[(i, j)];
            sum += attribute * f64::from(problem.observed[(i, j)]) * residual * residual / 2.0;
        }
    }
    sum
}

fn precise(variant: CompletionVariant, loss: LabelLoss, label_weight: f64) -> Settings {
    Settings { tol: 1e-9, max_iter: 100_000, ..settings(variant, loss, label_weight) }
}

#[test]
fn the_objective_never_rises_within_a_stage() {
    for (variant, loss) in FORMS.into_iter().flat_map(|f| LOSSES.map(|l| (f, l))) {
        for (weight, d, n) in [(1e-3, 8, 40), (0.3, 8, 40), (30.0, 30, 12)] {
            let data = Data::random(d, n, 2, 0.5, loss, 1);
            let problem = data.problem();
            for momentum in [true, false] {
                let mut path =
                    Path::new(Objective::new(&problem, variant, loss, weight).unwrap()).unwrap();
                let most = path.most().unwrap();
                for share in [0.3, 0.03, 0.003] {
                    let start = path.value(most * share);
                    let mut value = start;
                    for _ in 0..150 {
                        if !momentum {
                            path.rest();
                        }
                        let after = path.pass(most * share).unwrap();
                        assert!(
                            after <= value * (1.0 + 1e-14),
                            "{variant:?} {loss:?} {weight}: {after} after {value}"
                        );
                        value = after;
                    }
                    assert!(value < start);
                    // The updated values equal the definition.
                    if variant == CompletionVariant::Bias {
                        let s = settings(variant, loss, weight);
                        let plain =
                            plain_objective(&problem, &s, most * share, &path.z, &path.labels.bias);
                        assert!((plain - value).abs() < 1e-11 * plain, "{plain} and {value}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_printed_iterations_reach_the_same_matrix() {
    for (variant, loss) in FORMS.into_iter().flat_map(|f| LOSSES.map(|l| (f, l))) {
        // Labels or attributes limit the step.
        for (weight, d, n) in [(0.05, 6, 25), (5.0, 6, 25), (0.5, 20, 9)] {
            let data = Data::random(d, n, 2, 0.6, loss, 2);
            let problem = data.problem();
            let s = precise(variant, loss, weight);
            let full = complete(&problem, &s, 0.15, &Silent).unwrap();
            assert_eq!(full.solution.stop, Stop::Tolerance);
            let (z, b) = naive(&problem, &s, full.solution.mu, 6000);
            if variant == CompletionVariant::Bias {
                let plain = plain_objective(&problem, &s, full.solution.mu, &z, &b);
                let objective = full.solution.objective;
                assert!(
                    (plain - objective).abs() < 1e-8 * plain,
                    "{loss:?} {weight}: {plain} and {objective}"
                );
            }
            let scores = Mat::from_fn(2, n, |i, j| z[(i, j)] + b[i]);
            let error = (&scores - &full.scores)
                .norm_max()
                .max((z.subrows(2, d) - &full.attributes).norm_max());
            assert!(error < 1e-4, "{variant:?} {loss:?} {weight}: {error}");
        }
    }
}

#[test]
fn the_gap_is_no_smaller_than_what_is_left_to_gain() {
    for (variant, loss) in FORMS.into_iter().flat_map(|f| LOSSES.map(|l| (f, l))) {
        let data = Data::random(7, 30, 1, 0.5, loss, 3);
        let problem = data.problem();
        let best =
            complete(&problem, &precise(variant, loss, 0.5), 0.05, &Silent).unwrap().solution;
        assert!(best.gap <= 1e-9 * best.objective);
        for max_iter in [1, 3, 10, 30] {
            let s = Settings { max_iter, tol: 1e-12, ..settings(variant, loss, 0.5) };
            let solution = complete(&problem, &s, 0.05, &Silent).unwrap().solution;
            assert_eq!((solution.stop, solution.passes), (Stop::IterationLimit, max_iter));
            assert!(solution.objective - best.objective <= solution.gap + 1e-9 * best.objective);
        }
    }
}

#[test]
fn unlabelled_items_get_their_own_scores_back_from_the_factor() {
    for (variant, loss) in FORMS.into_iter().flat_map(|f| LOSSES.map(|l| (f, l))) {
        for (d, n, weight) in [(6, 40, 0.1), (25, 10, 3.0)] {
            let mut data = Data::random(d, n, 2, 0.5, loss, 4);
            data.observed.col_as_slice_mut(5).fill(0.0);
            data.values.col_as_slice_mut(5).fill(0.0);
            data.labelled[5] = false;
            let problem = data.problem();
            let full = complete(&problem, &precise(variant, loss, weight), 0.1, &Silent).unwrap();
            let scores = full.solution.factor.scores(&data.values, &data.observed);
            let mut moved = 0.0_f64;
            for i in 0..2 {
                for j in 0..n {
                    let error = (scores[(i, j)] - full.scores[(i, j)]).abs();
                    if problem.labelled[j] {
                        moved = moved.max(error);
                    } else {
                        assert!(error < 1e-4, "{variant:?} {loss:?}, item {j}: {error}");
                    }
                }
                if variant == CompletionVariant::Bias {
                    assert_eq!(scores[(i, 5)], full.solution.factor.bias[i]);
                }
            }
            // A labelled item's own labels move its scores, so the test can fail.
            assert!(moved > 1e-2, "{moved}");
        }
    }
}

#[test]
fn one_continuation_solves_for_every_penalty() {
    let data = Data::random(6, 30, 1, 0.6, LabelLoss::Logistic, 5);
    let problem = data.problem();
    let s = precise(CompletionVariant::Bias, LabelLoss::Logistic, 0.1);
    let shares = [0.02, 0.5, 1.5, 0.1];
    let together = solve(&problem, &s, &shares, &Silent).unwrap();
    for (share, joint) in shares.into_iter().zip(&together) {
        let alone = complete(&problem, &s, share, &Silent).unwrap().solution;
        assert_eq!(alone.mu, joint.mu);
        assert!((alone.objective - joint.objective).abs() <= 2e-9 * joint.objective);
    }
    // At and above the least mu of Z = 0 only the base rate is learned; below it more is.
    assert_eq!((together[2].rank(), together[2].passes), (0, 0));
    let rate = together[2].factor.bias[0];
    let positive =
        (0..30).filter(|&j| problem.labelled[j] && problem.labels[(0, j)] > 0.0).count() as f64;
    let labelled = problem.labelled.iter().filter(|l| **l).count() as f64;
    assert!((rate - (positive / (labelled - positive)).ln()).abs() < 1e-9);
    assert!(solve(&problem, &s, &[0.98], &Silent).unwrap()[0].rank() == 1);
    assert!(solve(&problem, &s, &[], &Silent).unwrap().is_empty());
}

#[test]
fn a_complete_square_problem_has_the_closed_form() {
    // Without labels and missing values the solution is the shrunk matrix itself.
    let mut data = Data::random(5, 12, 1, 1.1, LabelLoss::Squared, 6);
    data.labelled = vec![false; 12];
    let problem = data.problem();
    let full = complete(
        &problem,
        &precise(CompletionVariant::Bias, LabelLoss::Squared, 1.0),
        0.2,
        &Silent,
    )
    .unwrap();
    let mut expected = Mat::zeros(5, 12);
    shrink::shrink(data.values.as_ref(), full.solution.mu * 60.0, &mut expected).unwrap();
    assert!((&expected - &full.attributes).norm_max() < 1e-9);
    assert_eq!(full.scores.norm_max(), 0.0);
}

#[test]
fn odd_data_have_defined_answers() {
    for (variant, loss) in FORMS.into_iter().flat_map(|f| LOSSES.map(|l| (f, l))) {
        let s = settings(variant, loss, 0.1);
        let mut data = Data::random(4, 20, 1, 0.7, loss, 7);
        (0..20).for_each(|j| (data.observed[(2, j)], data.values[(2, j)]) = (0.0, 0.0));
        let full = complete(&data.problem(), &s, 0.1, &Silent).unwrap();
        assert!((0..20).all(|j| full.attributes[(2, j)].abs() < 1e-12));
        // One item; one attribute; only zeros.
        for (d, n) in [(4, 1), (1, 5), (1, 1)] {
            let data = Data::random(d, n, 1, 1.1, loss, 8);
            let full = complete(&data.problem(), &s, 0.05, &Silent).unwrap();
            assert!(full.scores.norm_max().is_finite() && full.solution.gap.is_finite());
        }
        let mut data = Data::random(3, 6, 1, 1.1, loss, 9);
        data.values = Mat::zeros(3, 6);
        let full = complete(&data.problem(), &s, 0.01, &Silent).unwrap();
        assert!(full.attributes.norm_max() < 0.2 && full.solution.stop == Stop::Tolerance);
        data.labels = Mat::from_fn(1, 6, |_, _| 1.0);
        let full = complete(&data.problem(), &s, 0.01, &Silent).unwrap();
        assert!((0..6).all(|j| full.scores[(0, j)] > 0.0 && full.scores[(0, j)] < 30.0));
        // No labels: b = 0, and attributes are still completed.
        data.labelled = vec![false; 6];
        assert_eq!(
            complete(&data.problem(), &s, 0.01, &Silent).unwrap().solution.factor.bias,
            [0.0]
        );
        data = Data::random(3, 8, 1, 0.8, loss, 10);
        data.values *= faer::Scale(1e98);
        assert!(
            complete(&data.problem(), &s, 0.1, &Silent).unwrap().solution.objective.is_finite()
        );
    }
}

#[test]
fn bad_input_is_named() {
    let good = Data::random(3, 8, 1, 1.1, LabelLoss::Logistic, 11);
    let s = settings(CompletionVariant::Bias, LabelLoss::Logistic, 0.1);
    let error = |data: &Problem<'_>, s: &Settings, share: f64| {
        let error = complete(data, s, share, &Silent).unwrap_err();
        error.kind().clone()
    };
    for share in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            error(&good.problem(), &s, share),
            ErrorKind::OutOfRange { name: "rank_penalty", .. }
        ));
        let tol = Settings { tol: share, ..s };
        assert!(matches!(
            error(&good.problem(), &tol, 0.1),
            ErrorKind::OutOfRange { name: "tol", .. }
        ));
        let weight = Settings { label_weight: share, ..s };
        assert!(matches!(
            error(&good.problem(), &weight, 0.1),
            ErrorKind::OutOfRange { name: "label_weight", .. }
        ));
    }
    let (mut nan, mut large, mut labels) =
        (good.values.clone(), good.values.clone(), good.labels.clone());
    (nan[(1, 4)], large[(0, 2)], labels[(0, 3)]) = (f64::NAN, 1e101, 0.5);
    let kind = error(&Problem { values: &nan, ..good.problem() }, &s, 0.1);
    assert!(matches!(kind, ErrorKind::NotFinite { row: 5, column, .. } if column == "attribute 2"));
    let kind = error(&Problem { values: &large, ..good.problem() }, &s, 0.1);
    assert!(matches!(kind, ErrorKind::TooLarge { row: 3, column, .. } if column == "attribute 1"));
    let kind = error(&Problem { labels: labels.clone(), ..good.problem() }, &s, 0.1);
    assert!(matches!(kind, ErrorKind::WrongTarget { column, .. } if column == "label 1"));
    labels[(0, 3)] = f64::INFINITY;
    let squared = Settings { loss: LabelLoss::Squared, ..s };
    let kind = error(&Problem { labels: labels.clone(), ..good.problem() }, &squared, 0.1);
    assert!(matches!(kind, ErrorKind::NotFinite { row: 4, .. }));
    // Labels of unlabelled items are ignored.
    let mut unlabelled = Problem { labels, ..good.problem() };
    unlabelled.labelled[3] = false;
    complete(&unlabelled, &s, 0.1, &Silent).unwrap();
    let nothing = Mat::zeros(3, 8);
    let kind = error(&Problem { observed: &nothing, ..good.problem() }, &s, 0.1);
    assert!(kind.to_string().starts_with("none of the 8 rows"));
    let (empty, mask) = (Mat::zeros(3, 0), Mat::zeros(3, 0));
    let none =
        Problem { values: &empty, observed: &mask, labels: Mat::zeros(1, 0), labelled: vec![] };
    assert!(error(&none, &s, 0.1).to_string().starts_with("none of the 0 rows"));
    let short = Problem { labelled: vec![true; 7], ..good.problem() };
    assert!(matches!(error(&short, &s, 0.1), ErrorKind::WrongLength { expected: 8, found: 7, .. }));
    let mask = Mat::zeros(2, 8);
    let kind = error(&Problem { observed: &mask, ..good.problem() }, &s, 0.1);
    assert!(matches!(kind, ErrorKind::WrongLength { expected: 3, found: 2, .. }));
}

#[test]
fn a_monitor_that_stops_gets_the_point_so_far() {
    struct Stops;
    impl Monitor for Stops {
        fn should_stop(&self) -> bool {
            true
        }
    }
    let data = Data::random(6, 30, 1, 0.6, LabelLoss::Logistic, 12);
    let s = precise(CompletionVariant::Bias, LabelLoss::Logistic, 0.1);
    let solutions = solve(&data.problem(), &s, &[0.1, 0.01], &Stops).unwrap();
    assert!(solutions.iter().all(|f| f.stop == Stop::Interrupted && f.gap > 0.0 && f.passes == 0));
}

#[test]
fn a_tolerance_below_rounding_ends() {
    let data = Data::random(6, 30, 1, 0.6, LabelLoss::Logistic, 13);
    let s = Settings {
        tol: 1e-300,
        max_iter: u64::MAX,
        ..settings(CompletionVariant::Bias, LabelLoss::Logistic, 0.1)
    };
    let solution = complete(&data.problem(), &s, 0.1, &Silent).unwrap().solution;
    assert!(solution.gap <= 1e-9 * solution.objective && solution.passes < 100_000);
}

#[test]
fn progress_counts_penalties_to_their_end() {
    #[derive(Default)]
    struct Told(std::sync::Mutex<Vec<(u64, u64)>>);
    impl Monitor for Told {
        fn progress(&self, done: u64, total: u64) {
            self.0.lock().unwrap().push((done, total));
        }
    }
    let data = Data::random(6, 30, 1, 0.6, LabelLoss::Squared, 14);
    let told = Told::default();
    let s = settings(CompletionVariant::Bias, LabelLoss::Squared, 0.1);
    solve(&data.problem(), &s, &[0.3, 0.1, 0.03], &told).unwrap();
    assert_eq!(told.0.into_inner().unwrap(), [(1, 3), (2, 3), (3, 3)]);
}
