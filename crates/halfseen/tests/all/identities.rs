//! Checks what must be equal: a budget of all attributes is full information, no column means no
//! weight.

use crate::common::{Data, assert_near, budgeted, kind, layout, learner, singletons, started};
use halfseen::Silent;
use halfseen::budget::ReadRole;
use halfseen::projection::{onto_l1_ball, onto_l2_ball};

const PLAIN: [(&str, &str); 3] = [("intercept", "false"), ("centre", "none"), ("average", "all")];

/// A run of exact gradients over full rows; `step` moves w by (t, w, gradient of half the square).
fn full_information(
    data: &Data,
    after: bool,
    mut step: impl FnMut(f64, &mut Vec<f64>, &[f64]),
) -> Vec<f64> {
    let d = data.layout.slots();
    let (mut w, mut sum) = (vec![0.0; d], vec![0.0; d]);
    for (i, y) in data.y.iter().enumerate() {
        let row = data.x.row(i);
        if !after {
            sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        }
        let residual = row.iter().zip(&w).map(|(x, w)| x * w).sum::<f64>() - y;
        let gradient: Vec<f64> = row.iter().map(|x| residual * x).collect();
        step((i + 1) as f64, &mut w, &gradient);
        if after {
            sum.iter_mut().zip(&w).for_each(|(s, w)| *s += w);
        }
    }
    sum.iter().map(|s| s / data.y.len() as f64).collect()
}

fn sampled(name: &str, settings: &[(&str, &str)], data: &Data) -> Vec<f64> {
    let budget = data.layout.sampled_panels().to_string();
    let settings = [&PLAIN[..], settings, &[("budget", &budget), ("horizon", "2000")]].concat();
    let mut learner = started(name, &settings, &data.layout);
    let asked = data.teach(&mut *learner, 0..data.y.len());
    assert!(asked.iter().all(|q| q.reads.len() == data.layout.sampled_panels()));
    assert!(
        asked
            .iter()
            .flat_map(|q| &q.reads)
            .all(|r| r.role == ReadRole::Full && r.coefficient == 1.0)
    );
    learner.predictor().weights
}

/// Once with one panel per column, once with panels of two: at k = d panels make no difference.
fn each_data(mut check: impl FnMut(&Data)) {
    check(&Data::random(2_000, &singletons(12), 5));
    check(&Data::random(2_000, &layout(&[2, 1, 2, 1], &[]), 6));
}

#[test]
fn aerr_with_every_attribute_is_projected_gradient_descent() {
    each_data(|data| {
        let expected = full_information(data, false, |_, w, g| {
            w.iter_mut().zip(g).for_each(|(w, g)| *w -= 0.05 * g);
            onto_l2_ball(w, 0.4);
        });
        let weights = sampled("aerr", &[("step", "0.05"), ("radius", "0.4")], data);
        assert_near(&weights, &expected, 1e-12, "aerr");
    });
}

#[test]
fn aelr_with_every_attribute_is_exponentiated_gradient() {
    each_data(|data| {
        let d = data.layout.slots();
        let mut z = (vec![1.0_f64; d], vec![1.0_f64; d]);
        let expected = full_information(data, false, |_, w, g| {
            for (j, g) in g.iter().enumerate() {
                z.0[j] *= (-0.05 * g).exp();
                z.1[j] *= (0.05 * g).exp();
            }
            let total: f64 = z.0.iter().chain(&z.1).sum();
            w.iter_mut().enumerate().for_each(|(j, w)| *w = 1.2 * (z.0[j] - z.1[j]) / total);
        });
        let weights = sampled("aelr", &[("step", "0.05"), ("radius", "1.2")], data);
        assert_near(&weights, &expected, 1e-12, "aelr");
    });
}

#[test]
fn aer_with_every_attribute_is_strongly_convex_gradient_descent() {
    each_data(|data| {
        let expected = full_information(data, true, |t, w, g| {
            w.iter_mut().zip(g).for_each(|(w, g)| *w = (1.0 - 1.0 / t) * *w - 2.0 / (0.5 * t) * g);
            onto_l1_ball(w, 0.6);
        });
        let weights = sampled("aer", &[("penalty", "0.5"), ("radius", "0.6")], data);
        assert_near(&weights, &expected, 1e-12, "aer");
    });
}

/// The mean squared error of a predictor over the data.
fn mean_square(data: &Data, p: &halfseen::model::Linear) -> f64 {
    let square = |(i, y): (usize, &f64)| (p.score(data.x.row(i).as_slice().unwrap()) - y).powi(2);
    data.y.iter().enumerate().map(square).sum::<f64>() / data.y.len() as f64
}

#[test]
fn baseline_with_every_attribute_is_the_lasso() {
    each_data(|data| {
        let budget = data.layout.sampled_panels().to_string();
        for (radius, intercept) in [("0.3", "true"), ("0.8", "false"), ("50", "true")] {
            let shared = [
                ("radius", radius),
                ("intercept", intercept),
                ("tol", "1e-9"),
                ("max_iter", "1000000"),
            ];
            let lasso = learner("lasso", &shared).fit(&data.examples(), &Silent).unwrap();
            for reading in ["psd", "diag-shift", "stationary"] {
                let settings =
                    [&shared[..], &[("moment_repair", reading), ("budget", &budget)]].concat();
                for centre in ["none", "running"] {
                    // Centring is no part of the lasso without intercept.
                    if centre == "running" && intercept == "false" {
                        continue;
                    }
                    let settings = [&settings[..], &[("centre", centre)]].concat();
                    let fit =
                        learner("baseline", &settings).fit(&data.examples(), &Silent).unwrap();
                    let objective = mean_square(data, fit.linear().unwrap());
                    let what = format!("{reading}, {centre}, radius {radius}");
                    assert!(fit.report.converged, "{what}");
                    assert!((fit.report.objective.unwrap() - objective).abs() < 1e-12, "{what}");
                    // Both are within 1e-9 of the target's mean square, at most 1, of the optimum.
                    let difference = objective - lasso.report.objective.unwrap();
                    assert!(difference.abs() <= 2e-9, "{what}: {difference:e}");
                }
            }
        }
    });
}

#[test]
fn baseline_with_every_attribute_centres_about_the_mean() {
    // Without an intercept: the lasso of the targets as they are on attributes less their means.
    let data = Data::random(500, &singletons(6), 11);
    let mean = data.x.mean_axis(ndarray::Axis(0)).unwrap();
    let centred = Data::new(&data.x - &mean, data.y.clone(), &data.layout);
    let shared = [("radius", "0.7"), ("intercept", "false"), ("tol", "1e-12")];
    let lasso = learner("lasso", &shared).fit(&centred.examples(), &Silent).unwrap();
    for centre in ["running", "given"] {
        let settings = [&shared[..], &[("budget", "6"), ("centre", centre)]].concat();
        let data = Data::new(data.x.clone(), data.y.clone(), &data.layout).measured();
        let fit = learner("baseline", &settings).fit(&data.examples(), &Silent).unwrap();
        assert_near(&fit.linear().unwrap().weights, &lasso.linear().unwrap().weights, 1e-5, centre);
        let shift: f64 = fit.linear().unwrap().weights.iter().zip(&mean).map(|(w, m)| w * m).sum();
        assert!((fit.linear().unwrap().intercept + shift).abs() < 1e-12, "{centre}");
    }
}

#[test]
fn one_attribute_is_learned_with_a_budget_of_one() {
    let data = Data::random(3_000, &singletons(1), 7);
    for name in budgeted() {
        for budget in ["1", "auto"] {
            let fit = learner(&name, &[("budget", budget)]).fit(&data.examples(), &Silent).unwrap();
            assert_eq!((fit.report.reads, fit.report.max_reads), (3_000, 1), "{name}");
            let w = fit.linear().unwrap().weights[0];
            assert!((w - 1.0).abs() < 0.2, "{name}: y = x + noise, learned {w}");
        }
    }
}

#[test]
fn budgets_that_cannot_be_kept_are_refused() {
    for name in budgeted() {
        let start = |budget: &str, d| {
            learner(&name, &[("budget", budget), ("average", "all")]).start(&singletons(d))
        };
        let refused = |budget: &str, d| kind(&start(budget, d).err().unwrap());
        assert_eq!(refused("6", 5), "Request", "{name}");
        assert_eq!(refused("2", 1), "Request", "{name}");
        assert_eq!(refused(&u64::MAX.to_string(), 5), "Request", "{name}");
        // Products with the target need one value of an example at a time, everything else two.
        match name.as_str() {
            "identity" | "fiml" => assert!(start("1", 5).unwrap().is_some()),
            _ => assert_eq!(refused("1", 5), "Request", "{name}"),
        }
        assert_eq!(
            kind(&learner(&name, &[]).set("budget", "0").unwrap_err()),
            "OutOfRange",
            "{name}"
        );
        assert!(
            start("2", 5).unwrap().is_some()
                && start("5", 5).unwrap().is_some()
                && start("1", 1).is_ok()
        );
        // A budget counts panels, not columns.
        let two_panels = layout(&[3, 4], &[5]);
        assert_eq!(
            kind(
                &learner(&name, &[("budget", "3"), ("average", "all")])
                    .start(&two_panels)
                    .err()
                    .unwrap()
            ),
            "Request"
        );
    }
}

#[test]
fn a_column_of_zeros_gets_weight_zero() {
    let mut data = Data::random(2_000, &singletons(9), 8);
    data.x.column_mut(4).fill(0.0);
    let data = Data::new(data.x, data.y, &data.layout);
    for name in budgeted() {
        for centre in ["none", "running"] {
            for budget in ["2", "4", "9"] {
                let settings = [("centre", centre), ("budget", budget)];
                let fit = learner(&name, &settings).fit(&data.examples(), &Silent).unwrap();
                let line = crate::common::line(&fit);
                assert!(line.weights[4] == 0.0 && line.weights[0] != 0.0, "{name}: {line:?}");
            }
        }
    }
}

#[test]
fn data_of_zeros_and_targets_of_zeros_give_finite_models() {
    for (x, y) in [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)] {
        let rows = 300;
        let data = Data::new(
            ndarray::Array2::from_elem((rows, 6), x),
            vec![y; rows],
            &layout(&[1, 2, 1, 1], &[1]),
        );
        for measured in [false, true] {
            let data = Data::new(data.x.clone(), data.y.clone(), &data.layout);
            let data = if measured { data.measured() } else { data };
            for name in budgeted() {
                for budget in ["2", "4"] {
                    for centre in ["none", "running"] {
                        let settings = [("budget", budget), ("centre", centre)];
                        let fit = learner(&name, &settings).fit(&data.examples(), &Silent).unwrap();
                        let p = crate::common::line(&fit);
                        assert!(
                            p.weights.iter().chain([&p.intercept]).all(|v| v.is_finite()),
                            "{name}: {p:?}"
                        );
                        if x == 0.0 {
                            assert!(
                                p.weights.iter().all(|w| *w == 0.0),
                                "{name}: nothing but zeros was read"
                            );
                        }
                        let square = (p.score(&[x; 6]) - y).powi(2);
                        assert!(
                            square <= y * y + 1e-12,
                            "{name} {settings:?}, x = {x}, y = {y}: {p:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn where_every_column_is_known_learning_costs_nothing_and_can_be_saved() {
    let data = Data::random(2_000, &layout(&[], &[1, 1, 1, 1]), 9);
    for name in budgeted() {
        let fit = learner(&name, &[]).fit(&data.examples(), &Silent).unwrap();
        assert_eq!(
            (fit.report.reads, fit.report.distinct, fit.report.examples),
            (0, 0, 2_000),
            "{name}"
        );
        let (mut before, mut after) = (0.0, 0.0);
        let scores = fit.predictor.scores(&data.examples()).unwrap().values;
        for (score, y) in scores.iter().zip(&data.y) {
            before += y * y;
            after += (score - y).powi(2);
        }
        assert!(after < 0.4 * before, "{name}: {after} of {before}");
        let mut running = started(&name, &[("average", "all")], &data.layout);
        data.teach(&mut *running, 0..50);
        let saved = running.save().unwrap();
        let mut loaded = halfseen::registry::load(&saved).unwrap();
        data.teach(&mut *running, 50..100);
        data.teach(&mut *loaded, 50..100);
        assert_eq!(running.save().unwrap(), loaded.save().unwrap(), "{name}");
    }
}

#[test]
fn known_columns_are_stepped_as_their_norm_says_without_moments_too() {
    // One known column of large values beside many small sampled ones: the known block's step must
    // go by the known column's own mean square, not by what the sampled columns look like.
    let mut data = Data::random(4_000, &layout(&[1; 300], &[1]), 10);
    data.x.mapv_inplace(|v| 0.01 * v);
    for i in 0..4_000 {
        data.x[[i, 300]] = if i % 2 == 0 { 1.0 } else { -1.0 };
        data.y[i] = 0.5 * data.x[[i, 300]];
    }
    let data = Data::new(data.x, data.y, &data.layout);
    // What keeps its reads makes no steps; a ridge holds its weights back.
    for name in budgeted().into_iter().filter(|name| !crate::common::keeps_reads(name)) {
        let settings = [("intercept", "false"), ("centre", "none")];
        let honest = learner(&name, &settings).fit(&data.examples(), &Silent).unwrap();
        let data = Data::new(data.x.clone(), data.y.clone(), &data.layout).measured();
        let told = learner(&name, &settings).fit(&data.examples(), &Silent).unwrap();
        let (honest, told) =
            (honest.linear().unwrap().weights[300], told.linear().unwrap().weights[300]);
        assert!((told - 0.5).abs() < 0.05, "{name}, norms measured: {told}");
        assert!(
            (honest - told).abs() < 0.01,
            "{name}, norms estimated: {honest} instead of {told}"
        );
    }
}
