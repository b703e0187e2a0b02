//! Holds every learner to the same promises: one list of learners, one list of promises.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::{Data, all, kind, singletons};
use halfseen::data::{Matrix, Shared};
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
    let mut fit = learner.fit(&data.examples(), &Silent).unwrap_or_else(|e| panic!("{}: {e}", learner.name()));
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
        let (data, other) = (data_for(&*learner), Data::random(200, &singletons(5), 62).for_learner(&*learner));
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
            let wrong = (0..data.y.len()).filter(|&i| (scores.values[i] > 0.0) != (data.y[i] > 0.0)).count();
            assert!(wrong < 300, "{}: {wrong} wrong", learner.name());
            continue;
        }
        let left: f64 = data.y.iter().zip(&scores.values).map(|(y, s)| (s - y).powi(2)).sum();
        assert!(left < 0.6 * null, "{}: {left} of {null}", learner.name());
    }
}

/// Every cell of a row is odd, so that whatever is read is noticed; the first row that a learner looks at is named.
#[test]
fn cells_that_are_not_finite_are_refused_with_their_place() {
    for odd in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        let mut data = data();
        data.x.row_mut(141).fill(odd);
        for learner in all() {
            let data = Data::new(data.x.clone(), data.y.clone(), &data.layout).for_learner(&*learner);
            if odd.is_nan() && learner.takes_holes() {
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
            let found = fit(&*learner, &data);
            let scores = found.predictor.scores(&data.examples()).unwrap();
            assert_eq!(scores.len(), rows);
            assert!(scores.values.iter().all(|v| v.is_finite()), "{}", learner.name());
            if let Ok(linear) = found.linear() {
                assert_eq!(linear.weights.len(), columns);
            }
            assert_eq!(found.report.examples, rows as u64);
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
            Ok(fit) if fit.report.stop == halfseen::model::Stop::Interrupted => assert!(!fit.report.converged),
            // Closed forms may not look at all.
            Ok(_) => assert_eq!(monitor.0.load(Ordering::Relaxed), 0, "{} looked and went on", learner.name()),
            Err(error) => assert_eq!(kind(&error), "Interrupted", "{}", learner.name()),
        }
    }
}

#[test]
fn the_curve_ends_where_the_fit_does() {
    for learner in all() {
        let data = data_for(&*learner);
        let mut fits = learner.fit_curve(&[10, 100, 300], &data.examples(), &Silent).unwrap();
        assert_eq!(fits.iter().map(|f| f.report.examples).collect::<Vec<_>>(), [10, 100, 300], "{}", learner.name());
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
            let data = Data::new(data.x.clone(), data.y.clone(), &data.layout).for_learner(&*learner);
            fit(&*learner, &data).linear().unwrap().clone()
        };
        let (plain, moved) = (of(&data), of(&permuted));
        for (to, &from) in permutation.iter().enumerate() {
            // As exact as the tolerance of a solver lets it be.
            let (found, expected) = (moved.weights[to], plain.weights[from]);
            assert!((found - expected).abs() < 1e-4, "{}: {found} instead of {expected}", learner.name());
        }
    }
}

#[test]
fn names_are_unique_and_found() {
    let names: Vec<&str> = all().iter().map(|l| l.name()).collect();
    for name in &names {
        assert_eq!(names.iter().filter(|n| *n == name).count(), 1);
        let learner = halfseen::learner::find(name).unwrap();
        assert_eq!(learner.name(), *name);
        assert!(!learner.title().is_empty() && !learner.source().is_empty());
        assert!(!learner.grid().settings().is_empty());
    }
}
