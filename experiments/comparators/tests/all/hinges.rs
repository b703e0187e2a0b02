//! Holds FDROP and the support vector machine to what they promise of whole fits.

use crate::common::{After, Data, assert_near, layout, learner, singletons};
use halfseen::model::{Fit, Stop};
use halfseen::{Learner, Silent};
use ndarray::Array2;

fn told(rows: usize, columns: usize, seed: u64) -> Data {
    Data::random(rows, &singletons(columns), seed).told()
}

fn fit(learner: &dyn Learner, data: &Data) -> Fit {
    learner.fit(&data.examples(), &Silent).unwrap()
}

#[test]
fn fdrop_without_a_threat_is_the_support_vector_machine() {
    let data = told(200, 8, 1);
    for (c, intercept) in [("0.01", "true"), ("1", "true"), ("1", "false"), ("30", "true")] {
        let settings = [("c", c), ("intercept", intercept), ("tol", "1e-9"), ("threat", "0")];
        let (svm, fdrop) =
            (fit(&*learner("svm", &settings), &data), fit(&*learner("fdrop", &settings), &data));
        let (expected, actual) = (svm.report.objective.unwrap(), fdrop.report.objective.unwrap());
        assert!((actual - expected).abs() < 1e-7 * expected, "C = {c}: {actual} and {expected}");
        let (svm, fdrop) = (svm.linear().unwrap(), fdrop.linear().unwrap());
        assert_near(&fdrop.weights, &svm.weights, 1e-3, "weights");
    }
}

#[test]
fn the_gap_holds_and_shrinks_with_the_tolerance() {
    let data = told(300, 12, 2);
    for name in ["svm", "fdrop"] {
        let best = fit(&*learner(name, &[("tol", "1e-9"), ("threat", "3")]), &data).report;
        assert_eq!(best.stop, Stop::Tolerance);
        for tol in ["0.1", "0.001", "0.00001"] {
            let report = fit(&*learner(name, &[("tol", tol), ("threat", "3")]), &data).report;
            let (objective, gap) = (report.objective.unwrap(), report.gap.unwrap());
            assert!(gap <= tol.parse::<f64>().unwrap() * objective);
            assert!(
                objective - best.objective.unwrap() <= gap + 1e-9 * objective,
                "{name}, tol {tol}"
            );
        }
        let few = fit(&*learner(name, &[("tol", "1e-9"), ("max_iter", "3")]), &data).report;
        assert!(few.stop == Stop::IterationLimit && !few.converged && few.passes == Some(3));
    }
}

#[test]
fn interrupted_fits_return_what_they_have() {
    let data = told(2_000, 10, 3);
    for looks in [0, 1, 4] {
        for name in ["svm", "fdrop"] {
            let settings = [("tol", "1e-9"), ("threat", "2")];
            let part = learner(name, &settings)
                .fit(&data.examples(), &After::looks(looks))
                .unwrap()
                .report;
            let (objective, gap) = (part.objective.unwrap(), part.gap.unwrap());
            let whole = fit(&*learner(name, &settings), &data).report.objective.unwrap();
            assert!(part.stop == Stop::Interrupted && !part.converged, "{name}");
            assert!(
                objective - gap <= whole && whole <= objective * (1.0 + 1e-9),
                "{name}: {whole} in {gap} of {objective}"
            );
        }
    }
}

#[test]
fn a_grid_gives_what_separate_fits_give() {
    let data = told(150, 9, 4);
    for name in ["svm", "fdrop"] {
        let learner = learner(name, &[("tol", "1e-8"), ("threat", "2")]);
        let settings = ["1", "0.01", "5"].map(|c| vec![("c", c.to_owned())]);
        let together = learner.fit_grid(&settings, &data.examples(), &Silent).unwrap();
        for (joint, setting) in together.iter().zip(&settings) {
            let alone =
                fit(&*halfseen::learner::with(learner.clone_box(), setting).unwrap(), &data);
            let (joint, alone) = (joint.report.objective.unwrap(), alone.report.objective.unwrap());
            assert!((joint - alone).abs() <= 2e-8 * alone, "{name}: {joint} and {alone}");
        }
        assert!(learner.fit_grid(&[], &data.examples(), &Silent).unwrap().is_empty());
    }
}

#[test]
fn more_classes_have_no_geometric_margin() {
    let geom = learner("geom", &[]);
    for classes in [0, 1, 3] {
        assert!(!geom.needs().targets.allow(classes));
    }
}

/// Panels of several columns vanish whole, and what is known never does.
#[test]
fn what_is_known_carries_the_weight_where_all_else_may_vanish() {
    let layout = layout(&[2, 1, 2], &[1]);
    let mut x = Array2::zeros((200, 6));
    let mut y = Vec::new();
    for i in 0..200 {
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        x.row_mut(i).fill(sign);
        y.push(sign);
    }
    let data = Data::new(x, y, &layout).told();
    let free = fit(&*learner("fdrop", &[("threat", "0")]), &data);
    let attacked = fit(&*learner("fdrop", &[("threat", "2.9")]), &data);
    let share = |fit: &Fit| {
        let weights = &fit.linear().unwrap().weights;
        weights[5].abs() / weights.iter().map(|w| w.abs()).sum::<f64>()
    };
    assert!(share(&attacked) > share(&free) + 0.05, "{} and {}", share(&attacked), share(&free));
    assert_eq!(attacked.report.threat.as_ref().unwrap().values().len(), 3);
}
