//! Holds the robust learner to its promises where it works by row generation: numbers, whole
//! deletions, no threat.

use crate::common::{After, Data, layout};
use halfseen::model::{Fit, Note, Stop};
use halfseen::params::{AttributeCosts, Damage, Deletions};
use halfseen::robust::RobustLp;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{ErrorKind, Learner, Silent};
use ndarray::Array2;

/// Numbers that several attributes tell with noise; a fifth of the cells are 0.
fn numbers(m: usize, widths: &[u32], known: &[u32], seed: u64) -> Data {
    let layout = layout(widths, known);
    let mut stream = Stream::new(seed, Purpose::Data, m as u64);
    let mut x = Array2::zeros((m, layout.slots()));
    let mut y = Vec::with_capacity(m);
    for mut row in x.rows_mut() {
        let common = stream.normal();
        row.iter_mut().for_each(|x| {
            *x = if stream.unit() < 0.2 { 0.0 } else { 0.6 * common + 0.4 * stream.normal() }
        });
        y.push(2.0 * common + 0.3 * stream.normal() + 0.5);
    }
    Data::new(x, y, &layout)
}

/// The same with two classes.
fn classes(m: usize, widths: &[u32], seed: u64) -> Data {
    let mut data = numbers(m, widths, &[], seed);
    data.codes = Some(data.y.iter().map(|y| u32::from(*y > 0.5)).collect());
    data.y = data.y.iter().map(|y| if *y > 0.5 { 1.0 } else { -1.0 }).collect();
    data
}

fn fit(learner: &RobustLp, data: &Data) -> Fit {
    learner.fit(&data.examples(), &Silent).unwrap()
}

fn objective(fit: &Fit) -> f64 {
    fit.report.objective.unwrap()
}

fn bound(fit: &Fit) -> f64 {
    objective(fit) - fit.report.gap.unwrap()
}

/// The mean over rows of what `loss(row, score, value left)` is at most, over all sets of panels
/// worth at most the budget; of weights and a bias.
fn worst(
    data: &Data,
    values: &[f64],
    budget: f64,
    at: (&[f64], f64),
    loss: impl Fn(usize, f64, f64) -> f64,
) -> f64 {
    let panel = |column: usize| {
        (0..values.len())
            .find(|&p| data.layout.slots_of(p).any(|s| data.layout.column(s) == column))
    };
    let panels: Vec<Option<usize>> = (0..data.x.ncols()).map(panel).collect();
    let mut total = 0.0;
    for (i, row) in data.x.rows().into_iter().enumerate() {
        let mut most = f64::NEG_INFINITY;
        for set in 0..1_u32 << values.len() {
            let gone = |p: usize| set >> p & 1 == 1;
            let value: f64 = (0..values.len()).filter(|&p| gone(p)).map(|p| values[p]).sum();
            if value <= budget {
                let kept = (0..row.len()).filter(|&c| !panels[c].is_some_and(gone));
                let score = at.1 + kept.map(|c| row[c] * at.0[c]).sum::<f64>();
                most = most.max(loss(i, score, values.iter().sum::<f64>() - value));
            }
        }
        total += most;
    }
    total / data.x.nrows() as f64
}

fn quantile(data: &Data, q: f64) -> impl Fn(usize, f64, f64) -> f64 + '_ {
    move |i, score, _| (q * (data.y[i] - score)).max((q - 1.0) * (data.y[i] - score))
}

/// No weights beside these in any one direction, near them, or at random, go below the bound.
fn nothing_beats(fit: &Fit, radius: f64, loss: impl Fn((&[f64], f64)) -> f64) {
    let linear = fit.predictor.linear().unwrap();
    let mut stream = Stream::new(5, Purpose::Data, 1);
    // Random moves hardly meet the few directions that lead down where there are many.
    for step in
        [1e-4, 1e-3, 1e-2, 0.1, 0.5].into_iter().flat_map(|step| [step * radius, -step * radius])
    {
        for moved in 0..=linear.weights.len() {
            let (mut weights, mut bias) = (linear.weights.clone(), linear.intercept);
            match weights.get_mut(moved) {
                Some(weight) => *weight = (*weight + step).clamp(-radius, radius),
                None => bias += step,
            }
            assert!(loss((&weights, bias)) >= bound(fit), "{step} along {moved}");
        }
    }
    for size in [1e-4, 1e-2, 0.3, 1.0] {
        for _ in 0..25 {
            let move_to = |w: &f64| (w + size * radius * stream.normal()).clamp(-radius, radius);
            let weights: Vec<f64> = linear.weights.iter().map(move_to).collect();
            let bias = linear.intercept + size * stream.normal();
            assert!(loss((&weights, bias)) >= bound(fit), "moves of {size}");
        }
    }
}

#[test]
fn numbers_are_predicted_by_a_quantile_after_the_worst_deletions() {
    for (case, &q) in [0.5, 0.2, 0.9].iter().enumerate() {
        let data = numbers(60, &[1, 2, 1, 1, 3], &[1], case as u64);
        for deletions in [Deletions::Fractional, Deletions::Whole] {
            let learner = RobustLp {
                threat: Some(2.0),
                quantile: q,
                deletions,
                tol: 1e-8,
                box_radius: 0.8,
                ..RobustLp::default()
            };
            let best = fit(&learner, &data);
            let linear = best.predictor.linear().unwrap();
            let loss = |at: (&[f64], f64)| worst(&data, &[1.0; 5], 2.0, at, quantile(&data, q));
            let by_hand = loss((&linear.weights, linear.intercept));
            assert!((objective(&best) - by_hand).abs() < 1e-10, "{} {by_hand}", objective(&best));
            assert_eq!((best.report.stop, best.report.converged), (Stop::Tolerance, true));
            assert!(best.report.gap.unwrap() <= 1e-8 * objective(&best));
            nothing_beats(&best, 0.8, loss);
        }
    }
}

#[test]
fn without_a_threat_a_share_q_of_the_numbers_lies_below() {
    let data = numbers(1000, &[1; 6], &[], 4);
    for q in [0.1, 0.5, 0.75] {
        let learner = RobustLp {
            threat: Some(0.0),
            quantile: q,
            box_radius: 5.0,
            tol: 1e-8,
            ..RobustLp::default()
        };
        let linear = fit(&learner, &data).predictor.linear().unwrap().clone();
        let score = |row: ndarray::ArrayView1<'_, f64>| {
            row.iter().zip(&linear.weights).map(|(x, w)| x * w).sum::<f64>()
        };
        let below = data
            .x
            .rows()
            .into_iter()
            .zip(&data.y)
            .filter(|(row, y)| **y < score(*row) + linear.intercept);
        let share = below.count() as f64 / 1000.0;
        assert!(
            (share - q).abs() <= 8.0 / 1000.0,
            "{share} for {q}: seven numbers may lie on the plane"
        );
    }
}

#[test]
fn what_prepares_for_a_loss_loses_less_under_it() {
    // One attribute tells the target nearly, seven others with noise: who trusts the first alone
    // loses it.
    let make = |seed| {
        let mut data = numbers(300, &[1; 8], &[], seed);
        let mut stream = Stream::new(seed, Purpose::Data, 3);
        for (i, mut row) in data.x.rows_mut().into_iter().enumerate() {
            let y = data.y[i];
            row.indexed_iter_mut()
                .for_each(|(j, x)| *x = y + if j == 0 { 0.02 } else { 0.6 } * stream.normal());
        }
        Data::new(data.x, data.y, &data.layout)
    };
    let (data, other) = (make(6), make(7));
    let plain = fit(&RobustLp { threat: Some(0.0), box_radius: 3.0, ..RobustLp::default() }, &data);
    let robust =
        fit(&RobustLp { threat: Some(1.0), box_radius: 3.0, ..RobustLp::default() }, &data);
    let attacked = |fit: &Fit| {
        let linear = fit.predictor.linear().unwrap();
        worst(&other, &[1.0; 8], 1.0, (&linear.weights, linear.intercept), quantile(&other, 0.5))
    };
    let (before, after) = (attacked(&plain), attacked(&robust));
    assert!(after < 0.7 * before, "{before} without, {after} with preparation");
}

#[test]
fn whole_deletions_of_whole_values_are_exact() {
    let values = vec![1.0, 3.0, 2.0, 2.0, 1.0, 3.0];
    for case in 0..4 {
        let data = classes(50, &[1, 1, 2, 1, 1, 1], 20 + case);
        let learner = RobustLp {
            threat: Some(4.0),
            costs: AttributeCosts::Numbers(values.clone()),
            margin: Some(1.5),
            deletions: Deletions::Whole,
            tol: 1e-8,
            ..RobustLp::default()
        };
        let loss = |at: (&[f64], f64)| {
            worst(&data, &values, 4.0, at, |i, s, left| (1.5 * left / 8.0 - data.y[i] * s).max(0.0))
        };
        let whole = fit(&learner, &data);
        let linear = whole.predictor.linear().unwrap();
        assert!((loss((&linear.weights, linear.intercept)) - objective(&whole)).abs() < 1e-10);
        nothing_beats(&whole, 1.0, loss);
        let parts = fit(&RobustLp { deletions: Deletions::Fractional, ..learner }, &data);
        let linear = parts.predictor.linear().unwrap();
        assert!(objective(&whole) < objective(&parts) - 1e-6, "parts of attributes do more damage");
        assert!(loss((&linear.weights, linear.intercept)) >= bound(&whole));
    }
}

#[test]
fn without_a_threat_it_is_the_plain_hinge() {
    let data = classes(80, &[1; 6], 30);
    let loss = |at: (&[f64], f64)| {
        worst(&data, &[1.0; 6], 0.0, at, |i, s, _| (0.9 - data.y[i] * s).max(0.0))
    };
    let learner =
        RobustLp { threat: Some(0.0), margin: Some(0.9), tol: 1e-8, ..RobustLp::default() };
    let best = fit(&learner, &data);
    let linear = best.predictor.linear().unwrap();
    assert!((loss((&linear.weights, linear.intercept)) - objective(&best)).abs() < 1e-12);
    nothing_beats(&best, 1.0, loss);
    // Half of an attribute cannot vanish whole.
    let half = fit(&RobustLp { threat: Some(0.5), ..learner }, &data);
    assert_eq!(objective(&half), objective(&best));
    assert!(
        half.report
            .notes
            .iter()
            .any(|n| n.is_about("threat-floored") && n.to_string().ends_with("threat 0.5 means 0"))
    );
}

#[test]
fn equal_numbers_and_hopeless_threats_leave_no_weights() {
    let mut data = numbers(30, &[1; 5], &[], 40);
    let beaten = fit(&RobustLp { threat: Some(4.0), ..RobustLp::default() }, &data);
    assert!(beaten.predictor.linear().unwrap().weights.iter().all(|w| *w == 0.0));
    assert!(
        beaten
            .report
            .notes
            .iter()
            .any(|n| matches!(n, Note::ThreatBeatsSignal { threat: 4.0, .. }))
    );
    data.y.fill(3.5);
    let equal = fit(&RobustLp { threat: Some(1.0), ..RobustLp::default() }, &data);
    let linear = equal.predictor.linear().unwrap();
    assert_eq!((linear.intercept, objective(&equal), equal.report.gap), (3.5, 0.0, Some(0.0)));
    assert!(linear.weights.iter().all(|w| *w == 0.0) && equal.report.notes.is_empty());
}

#[test]
fn bits_do_not_depend_on_threads_and_chunks_are_averaged() {
    let data = numbers(300, &[1; 12], &[], 50);
    let whole = fit(&RobustLp { threat: Some(2.0), ..RobustLp::default() }, &data);
    for chunk in [None, Some(70)] {
        let learner = RobustLp { threat: Some(2.0), chunk, ..RobustLp::default() };
        let with = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&learner, &data))
        };
        let (one, two) = (with(1), with(2));
        assert_eq!(one.predictor, two.predictor);
        assert_eq!(objective(&one).to_bits(), objective(&two).to_bits());
        assert!(bound(&one) <= objective(&whole));
        if chunk.is_some() {
            assert!(objective(&one) > objective(&whole) && one.report.stop == Stop::Chunks);
        }
    }
}

#[test]
fn an_interrupted_fit_returns_its_best_point_and_says_so() {
    let data = numbers(200, &[1; 10], &[], 60);
    let learner = RobustLp { threat: Some(1.0), ..RobustLp::default() };
    let whole = fit(&learner, &data);
    let early = learner.fit(&data.examples(), &After::looks(10)).unwrap();
    assert_eq!((early.report.stop, early.report.converged), (Stop::Interrupted, false));
    assert!(bound(&early) <= objective(&whole) && objective(&early) > objective(&whole));
    let linear = early.predictor.linear().unwrap();
    let by_hand =
        worst(&data, &[1.0; 10], 1.0, (&linear.weights, linear.intercept), quantile(&data, 0.5));
    assert!((by_hand - objective(&early)).abs() < 1e-10);
    let few = fit(&RobustLp { max_iter: 1, ..learner }, &data);
    assert_eq!((few.report.stop, few.report.converged), (Stop::IterationLimit, false));
}

#[test]
fn what_cannot_be_is_refused() {
    let data = numbers(20, &[1; 4], &[], 70);
    let refuse =
        |learner: RobustLp, data: &Data| learner.fit(&data.examples(), &Silent).unwrap_err();
    let learner = || RobustLp { threat: Some(1.0), ..RobustLp::default() };
    let margin = refuse(RobustLp { margin: Some(0.5), ..learner() }, &data);
    assert!(matches!(margin.kind(), ErrorKind::OutOfRange { name: "margin", .. }), "{margin}");
    let noise = refuse(RobustLp { damage: Damage::Noise, ..learner() }, &data);
    assert!(matches!(noise.kind(), ErrorKind::Needs { name: "damage", .. }), "{noise}");
    let values = AttributeCosts::Numbers(vec![0.5, 1.2, 0.7, 1.0]);
    for data in [&data, &classes(20, &[1; 4], 71)] {
        let whole = refuse(
            RobustLp { deletions: Deletions::Whole, costs: values.clone(), ..learner() },
            data,
        );
        assert!(matches!(whole.kind(), ErrorKind::Needs { name: "deletions", .. }), "{whole}");
    }
    let mi = refuse(RobustLp { costs: AttributeCosts::Information, ..learner() }, &data);
    assert!(mi.to_string().contains("numbers"), "{mi}");
    assert!([0, 2, 3].iter().all(|&classes| RobustLp::default().needs().targets.allow(classes)));
}
