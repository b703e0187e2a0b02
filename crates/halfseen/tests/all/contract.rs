//! Holds every learner to the same promises: one list of learners, one list of promises.

use crate::common::{Data, all, kind, learner, singletons, subjects_of};
use halfseen::data::{Examples, Matrix, Shared};
use halfseen::learner::{Family, with};
use halfseen::model::Fit;
use halfseen::{ErrorKind, Learner, Monitor, Silent};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn data() -> Data {
    Data::random(300, &singletons(8), 61)
}

fn data_for(learner: &dyn Learner) -> Data {
    data().for_learner(learner)
}

fn fit(learner: &dyn Learner, data: &Data) -> Fit {
    let mut fit = learner
        .fit(&data.examples(), &Silent)
        .unwrap_or_else(|e| panic!("{}: {e}", learner.name()));
    // Time is no promise.
    fit.report.seconds = 0.0;
    fit
}

/// What a predictor holds, to the last digit.
fn bits(fit: &Fit) -> String {
    serde_json::to_string(&fit.predictor).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    for learner in all() {
        let data = data_for(&*learner);
        let (first, second) = (fit(&*learner, &data), fit(&*learner.clone_box(), &data));
        assert_eq!(bits(&first), bits(&second), "{}", learner.name());
        assert_eq!(first.report, second.report);
    }
}

/// In C order and in Fortran order.
#[test]
fn cells_that_somebody_else_owns_give_the_bits_of_own_cells() {
    let (rows, columns) = (300, 8);
    for learner in all() {
        let data = data_for(&*learner);
        let own = bits(&fit(&*learner, &data));
        let cells: Vec<f64> = data.x.iter().copied().collect();
        let turned: Vec<f64> = data.x.t().iter().copied().collect();
        for (cells, strides) in [(cells, (columns, 1)), (turned, (1, rows))] {
            let shared = Shared::new(Arc::new(cells), (rows, columns), strides).unwrap();
            let data = Data { matrix: Matrix::Shared(shared), ..data_for(&*learner) };
            assert_eq!(bits(&fit(&*learner, &data)), own, "{}", learner.name());
        }
    }
}

#[test]
fn another_seed_gives_another_result_where_there_is_a_seed() {
    let data = data();
    for learner in all().into_iter().filter(|l| l.family() == Family::Budget) {
        let other = with(learner.clone_box(), &vec![("seed", "1".to_owned())]).unwrap();
        assert_ne!(bits(&fit(&*learner, &data)), bits(&fit(&*other, &data)), "{}", learner.name());
    }
}

#[test]
fn refitting_forgets() {
    for learner in all() {
        let (data, other) =
            (data_for(&*learner), Data::random(200, &singletons(5), 62).for_learner(&*learner));
        let first = fit(&*learner, &data);
        fit(&*learner, &other);
        assert_eq!(bits(&fit(&*learner, &data)), bits(&first), "{}", learner.name());
    }
}

#[test]
fn something_is_learned() {
    for learner in all() {
        let data = Data::random(1_500, &singletons(8), 63).for_learner(&*learner);
        let null: f64 = data.y.iter().map(|y| y * y).sum();
        let scores = fit(&*learner, &data).predictor.scores(&data.examples()).unwrap();
        if !scores.estimates {
            let wrong = (0..data.y.len())
                .filter(|&i| (scores.values[i] > 0.0) != (data.y[i] > 0.0))
                .count();
            assert!(wrong < 300, "{}: {wrong} wrong", learner.name());
            continue;
        }
        let left: f64 = data.y.iter().zip(&scores.values).map(|(y, s)| (s - y).powi(2)).sum();
        assert!(left < 0.6 * null, "{}: {left} of {null}", learner.name());
    }
}

/// Every cell of a row is odd, so that whatever is read is noticed; the first row that a learner
/// looks at is named.
#[test]
fn cells_that_are_not_finite_are_refused_with_their_place() {
    for odd in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let mut data = data();
        data.x.row_mut(141).fill(odd);
        for learner in all() {
            let data =
                Data::new(data.x.clone(), data.y.clone(), &data.layout).for_learner(&*learner);
            if odd.is_nan() && learner.needs().holes {
                // A row that shows nothing is told of.
                assert!(!fit(&*learner, &data).report.notes.is_empty(), "{}", learner.name());
                continue;
            }
            let error = learner.fit(&data.examples(), &Silent).unwrap_err();
            match error.kind() {
                ErrorKind::NotFinite { row, column, value } if odd.is_infinite() => {
                    assert_eq!((*row, *value), (142, odd), "{}", learner.name());
                    assert!(column.starts_with('x'), "{error}");
                }
                ErrorKind::MissingCell { row, column } if odd.is_nan() => {
                    assert_eq!(*row, 142, "{}", learner.name());
                    assert!(column.starts_with('x'), "{error}");
                }
                _ => panic!("{}: {error}", learner.name()),
            }
        }
    }
}

#[test]
fn no_rows_are_refused() {
    for learner in all() {
        let data = data_for(&*learner);
        let error = learner.fit(&data.examples().prefix(0), &Silent).unwrap_err();
        assert_eq!(kind(&error), "TooFewRows", "{}", learner.name());
    }
}

#[test]
fn few_rows_and_few_columns_are_learned_from() {
    for (rows, columns) in [(1, 1), (1, 8), (2, 1), (3, 30)] {
        for learner in all() {
            let data = Data::random(rows, &singletons(columns), 64).for_learner(&*learner);
            let fitted = fit(&*learner, &data);
            let scores = fitted.predictor.scores(&data.examples()).unwrap();
            assert_eq!(scores.len(), rows);
            assert!(scores.values.iter().all(|v| v.is_finite()), "{}", learner.name());
            if let Ok(linear) = fitted.linear() {
                assert_eq!(linear.weights.len(), columns);
            }
            assert_eq!(fitted.report.examples, rows as u64);
        }
    }
}

/// Says stop at the first look.
struct Impatient(AtomicU64);

impl Monitor for Impatient {
    fn should_stop(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed);
        true
    }
}

#[test]
fn a_fit_that_is_stopped_never_looks_like_success() {
    for learner in all() {
        let data = Data::random(1_000, &singletons(8), 65).for_learner(&*learner);
        let monitor = Impatient(AtomicU64::new(0));
        match learner.fit(&data.examples(), &monitor) {
            Ok(fit) if fit.report.stop == halfseen::model::Stop::Interrupted => {
                assert!(!fit.report.converged)
            }
            // Closed forms may not look at all.
            Ok(_) => assert_eq!(
                monitor.0.load(Ordering::Relaxed),
                0,
                "{} looked and went on",
                learner.name()
            ),
            Err(error) => assert_eq!(kind(&error), "Interrupted", "{}", learner.name()),
        }
    }
}

#[test]
fn the_curve_ends_where_the_fit_does() {
    for learner in all() {
        let data = data_for(&*learner);
        let mut fits = learner.fit_curve(&[10, 100, 300], &data.examples(), &Silent).unwrap();
        assert_eq!(
            fits.iter().map(|f| f.report.examples).collect::<Vec<_>>(),
            [10, 100, 300],
            "{}",
            learner.name()
        );
        let last = fits.last_mut().unwrap();
        assert_eq!(bits(last), bits(&fit(&*learner, &data)), "{}", learner.name());
    }
}

/// Learners that sample need their queries permuted too: see `budget.rs` for k = d, and `twins.rs`,
/// whose dense forms know no order of columns, for k < d.
#[test]
fn permuting_columns_permutes_weights_of_learners_that_see_everything() {
    let data = data();
    let permutation = [3, 0, 6, 1, 5, 2, 4, 7];
    let mut x = data.x.clone();
    for (to, &from) in permutation.iter().enumerate() {
        x.column_mut(to).assign(&data.x.column(from));
    }
    let permuted = Data::new(x, data.y.clone(), &data.layout);
    for mut learner in all().into_iter().filter(|l| l.family() == Family::Full) {
        if learner.get("tol").is_some() {
            learner.set("tol", "1e-10").unwrap();
        }
        let of = |data: &Data| {
            let data =
                Data::new(data.x.clone(), data.y.clone(), &data.layout).for_learner(&*learner);
            fit(&*learner, &data).linear().unwrap().clone()
        };
        let (plain, moved) = (of(&data), of(&permuted));
        for (to, &from) in permutation.iter().enumerate() {
            // As exact as the tolerance of a solver lets it be.
            let (weight, expected) = (moved.weights[to], plain.weights[from]);
            assert!(
                (weight - expected).abs() < 1e-4,
                "{}: {weight} instead of {expected}",
                learner.name()
            );
        }
    }
}

/// Learners that take weights with the data to learn: by default, and what other solvers there are.
fn weighted() -> Vec<(Box<dyn Learner>, Data)> {
    let small = || Data::random(90, &singletons(6), 66);
    let mut cases: Vec<(Box<dyn Learner>, Data)> = Vec::new();
    for learner in all().into_iter().filter(|l| l.needs().weights) {
        if learner.needs().holes && learner.needs().targets.allow(3) {
            cases.push((learner.clone(), small().holed().told()));
            cases.push((learner.clone(), small().holed().thirds()));
        }
        let data = small().for_learner(&*learner);
        let data = if learner.needs().holes { data.holed() } else { data };
        cases.push((learner, data));
    }
    for settings in [
        &[("loss", "squared"), ("gamma", "3")][..],
        &[("features", "sketch:200")],
        &[("features", "sketch:20")],
    ] {
        cases.push((learner("karma", settings), small().holed().told()));
    }
    cases.push((learner("karma", &[("features", "sketch:200")]), small().holed()));
    cases.push((learner("karma", &[("features", "sketch:200")]), small().holed().thirds()));
    cases.push((learner("karma", &[("features", "sketch:20")]), small().holed().thirds()));
    cases.push((learner("ridge", &[("penalty", "0.1")]), small()));
    cases
        .push((learner("ridge", &[("intercept", "false")]), Data::random(20, &singletons(30), 67)));
    for name in subjects_of(["robust-lp", "fdrop"]) {
        for threat in ["0", "0.5", "1"] {
            for values in ["uniform", "mi"] {
                let settings =
                    [("threat", threat), ("costs", values), ("margin", "0.3"), ("box_radius", "3")];
                cases.push((learner(name, &settings), small().told()));
            }
        }
    }
    // More columns than rows: weights without any loss are many, and both must lead to the same.
    for threat in ["0", "1", "3"] {
        let wide = || Data::random(16, &singletons(30), 68);
        cases.push((learner("robust-lp", &[("threat", threat)]), wide().told()));
        cases.push((learner("robust-lp", &[("threat", threat)]), wide()));
    }
    let whole =
        [("threat", "2"), ("costs", "1,1,2,2,1,1"), ("deletions", "whole"), ("margin", "0.3")];
    cases.push((learner("robust-lp", &whole), small().told()));
    cases.push((learner("robust-lp", &[("threat", "1"), ("quantile", "0.3")]), small()));
    cases.retain(|(learner, _)| !subjects_of([learner.name()]).is_empty());
    for (learner, _) in cases.iter_mut().filter(|(l, _)| l.get("tol").is_some()) {
        learner.set("tol", "1e-9").unwrap();
        learner.set("max_iter", "100000").unwrap();
    }
    cases
}

fn scores(fit: &Fit, data: &Data) -> Vec<f64> {
    fit.predictor.scores(&data.examples()).unwrap().values
}

#[test]
fn a_row_of_weight_two_is_the_row_twice() {
    for (learner, data) in weighted() {
        let times: Vec<usize> = (0..data.y.len()).map(|i| [1, 2, 0, 3][i % 4]).collect();
        let often = data.repeated(&times);
        let weighed = fit(
            &*learner,
            &Data { weights: Some(times.iter().map(|&t| t as f64).collect()), ..data },
        );
        let repeated = fit(&*learner, &often);
        let shown = format!("{learner:?}");
        let (actual, expected) = (scores(&weighed, &often), scores(&repeated, &often));
        let size = expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        let far =
            actual.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size;
        // Solvers stop within their tolerance: scores are as near as the root of the gap.
        assert!(far < 1e-5, "{far:e}: {shown}");
        let (weighed, repeated) = (&weighed.report, &repeated.report);
        if let (Some(one), Some(two)) = (weighed.objective, repeated.objective) {
            assert!(
                (one - two).abs() <= 1e-7 * two.abs() + 1e-12,
                "objective {one} and {two}: {shown}"
            );
        }
        for report in [weighed, repeated] {
            let small = report
                .gap
                .zip(report.objective)
                .is_none_or(|(gap, value)| gap <= 1e-6 * value + 1e-12);
            assert!(
                report.converged && small,
                "{:?} of {:?}: {shown}",
                report.gap,
                report.objective
            );
        }
        if let (Some(one), Some(two)) = (weighed.leave_one_out, repeated.leave_one_out) {
            assert!((one - two).abs() <= 1e-9 * two, "leaving one out {one} and {two}: {shown}");
        }
    }
}

/// Each fit of a path starts from the one before.
#[test]
fn paths_of_weighted_rows_lead_where_those_of_repeated_rows_do() {
    for (learner, data) in weighted().into_iter().filter(|(l, _)| l.get("c").is_some()) {
        let times: Vec<usize> = (0..data.y.len()).map(|i| [3, 1, 2][i % 3]).collect();
        let often = data.repeated(&times);
        let weighed = Data { weights: Some(times.iter().map(|&t| t as f64).collect()), ..data };
        let settings: Vec<_> = ["0.01", "0.3", "10"].map(|c| vec![("c", c.to_owned())]).into();
        let fits = learner.fit_grid(&settings, &weighed.examples(), &Silent).unwrap();
        let expected = learner.fit_grid(&settings, &often.examples(), &Silent).unwrap();
        for (fit, expected) in fits.iter().zip(&expected) {
            let (one, two) = (fit.report.objective.unwrap(), expected.report.objective.unwrap());
            assert!((one - two).abs() <= 1e-7 * two, "objective {one} and {two}: {learner:?}");
            assert!(fit.report.converged, "{learner:?}");
        }
    }
}

#[test]
fn a_row_of_weight_zero_is_not_there() {
    for (learner, data) in weighted() {
        let some: Vec<u32> = (0..data.y.len() as u32).filter(|i| i % 3 != 1).collect();
        let weights = (0..data.y.len()).map(|i| if i % 3 == 1 { 0.0 } else { 1.0 }).collect();
        let without = learner.fit(&data.examples().with_rows(some), &Silent).unwrap();
        let zero = fit(&*learner, &Data { weights: Some(weights), ..data });
        assert_eq!(bits(&zero), bits(&without), "{learner:?}");
        assert_eq!(zero.report.examples, without.report.examples);
    }
}

#[test]
fn weights_of_one_give_the_bits_of_none() {
    for (learner, data) in weighted() {
        let plain = fit(&*learner, &data);
        let ones = Some(vec![1.0; data.y.len()]);
        let ones = fit(&*learner, &Data { weights: ones, ..data });
        assert_eq!((bits(&ones), ones.report), (bits(&plain), plain.report), "{learner:?}");
    }
}

#[test]
fn weights_that_are_none_are_refused_by_row_and_all_zero_is_no_row() {
    for (learner, data) in weighted() {
        let mut weights = vec![1.0; data.y.len()];
        let of = |weights: &[f64]| {
            let examples = data.examples();
            let weights = Some(weights);
            learner.fit(&halfseen::data::Examples { weights, ..examples }, &Silent).unwrap_err()
        };
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            weights[7] = wrong;
            let error = of(&weights);
            assert!(
                matches!(error.kind(), ErrorKind::WrongWeight { row: 8, .. }),
                "{error}: {learner:?}"
            );
        }
        assert_eq!(kind(&of(&weights[1..])), "WrongLength", "{learner:?}");
        weights.fill(0.0);
        assert_eq!(kind(&of(&weights)), "TooFewRows", "{learner:?}");
    }
}

#[test]
fn learners_that_take_no_weights_refuse_them() {
    let mut refusing: Vec<Box<dyn Learner>> =
        all().into_iter().filter(|l| !l.needs().weights).collect();
    // More where learners were added, and none fewer.
    let least = if env!("CARGO_PKG_NAME") == "halfseen" { [15, 6] } else { [3, 3] };
    let counts = [refusing.len(), all().len() - refusing.len()];
    assert!(counts[0] >= least[0] && counts[1] >= least[1], "{counts:?}");
    refusing.push(learner("karma", &[("solver", "online")]));
    refusing.push(learner("robust-lp", &[("chunk", "50")]));
    for learner in refusing {
        assert!(!learner.needs().weights);
        let data = data_for(&*learner);
        // Also where they are all 1.
        let data = Data { weights: Some(vec![1.0; data.y.len()]), ..data };
        let examples = data.examples();
        let own: Vec<_> = ["solver", "chunk"]
            .iter()
            .filter_map(|name| Some((*name, learner.get(name)?)))
            .collect();
        let errors = [
            learner.fit(&examples, &Silent).unwrap_err(),
            learner.fit_grid(&[own], &examples, &Silent).unwrap_err(),
            learner.fit_curve(&[10, 20], &examples, &Silent).unwrap_err(),
        ];
        for error in errors {
            assert_eq!(kind(&error), "Request", "{error}: {}", learner.name());
            assert!(error.to_string().contains("karma"), "{error}");
        }
    }
}

#[test]
fn learners_that_take_no_pilot_refuse_it() {
    for learner in all() {
        let (data, pilot) = (data_for(&*learner), data_for(&*learner));
        let pilot = pilot.examples();
        let examples = Examples { pilot: Some(&pilot), ..data.examples() };
        let fits = [
            learner.fit(&examples, &Silent).map(drop),
            learner.fit_grid(&[vec![]], &examples, &Silent).map(drop),
            learner.fit_curve(&[10, 20], &examples, &Silent).map(drop),
        ];
        for fit in fits {
            match fit {
                Ok(()) => assert!(learner.needs().pilot, "{}", learner.name()),
                Err(error) => assert_eq!(kind(&error), "Request", "{}", learner.name()),
            }
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    crate::common::subjects();
    let names: Vec<&str> = halfseen::registry::names().collect();
    for name in &names {
        assert_eq!(names.iter().filter(|n| *n == name).count(), 1);
        let learner = halfseen::registry::find(name).unwrap();
        let alias = halfseen::registry::alias(name);
        assert_eq!(learner.name(), alias.map_or(*name, |alias| alias.learner));
        assert!(alias.is_none() || halfseen::registry::label(&*learner) == *name);
        assert!(!learner.title().is_empty() && !learner.source().is_empty());
        assert!(!learner.grid().settings().is_empty());
    }
}
