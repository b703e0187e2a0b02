//! Learns from rows of which only some cells happen to be observed, through the public interface.

use crate::common::{Data, assert_near, budgeted, key, kind, layout, learner, singletons, started};
use halfseen::Silent;
use halfseen::budget::{Query, ReadRole, TellOutcome};
use halfseen::data::Layout;
use halfseen::model::Fit;
use halfseen::registry::{find, load};
use halfseen::sampling::{Purpose, Stream};
use std::sync::Arc;

const MODES: [(&str, &str); 4] =
    [("aerr", "one"), ("aerr", "all"), ("aelr", "one"), ("aelr", "all")];

fn fit(data: &Data, name: &str, mode: &str, settings: &[(&str, &str)]) -> Fit {
    let learner = learner(name, &[&[("passive", mode)], settings].concat());
    learner.fit(&data.examples(), &Silent).unwrap()
}

/// Data of which the cells of each panel are missing at random, together, with a rate for each
/// panel.
fn holes(
    rows: usize,
    layout: &Arc<Layout>,
    seed: u64,
    rate: impl Fn(usize) -> f64,
) -> (Data, Data) {
    let whole = Data::random(rows, layout, seed);
    let mut x = whole.x.clone();
    let mut stream = Stream::new(seed, Purpose::Data, 77);
    for i in 0..rows {
        for panel in 0..layout.sampled_panels() {
            if stream.unit() < rate(panel) {
                layout.slots_of(panel).for_each(|slot| x[[i, layout.column(slot)]] = f64::NAN);
            }
        }
    }
    let holed = Data::new(x, whole.y.clone(), layout);
    (whole, holed)
}

/// Share of the targets' squares that a fit leaves, on whole rows.
fn left(fit: &Fit, data: &Data) -> f64 {
    let square = |(i, y): (usize, &f64)| {
        (fit.linear().unwrap().score(data.x.row(i).as_slice().unwrap()) - y).powi(2)
    };
    data.y.iter().enumerate().map(square).sum::<f64>() / data.y.iter().map(|y| y * y).sum::<f64>()
}

#[test]
fn with_nothing_missing_all_is_full_information() {
    let data = Data::random(500, &layout(&[1, 2, 1, 3], &[2]), 71);
    for measured in [false, true] {
        let data = if measured {
            Data::new(data.x.clone(), data.y.clone(), &data.layout).measured()
        } else {
            Data::new(data.x.clone(), data.y.clone(), &data.layout)
        };
        for name in ["aerr", "aelr"] {
            let passive = fit(&data, name, "all", &[]);
            let full = fit(&data, name, "no", &[("budget", "4")]);
            assert_near(
                &passive.linear().unwrap().weights,
                &full.linear().unwrap().weights,
                1e-12,
                name,
            );
            assert_near(
                &[passive.linear().unwrap().intercept],
                &[full.linear().unwrap().intercept],
                1e-12,
                name,
            );
            let (p, f) = (passive.report, full.report);
            assert_eq!(
                (p.examples, p.reads, p.distinct, p.max_reads),
                (f.examples, f.reads, f.distinct, f.max_reads)
            );
            assert!((p.risk.unwrap() - f.risk.unwrap()).abs() < 1e-12, "{:?} {:?}", p.risk, f.risk);
        }
    }
}

#[test]
fn a_rule_is_learned_from_half_of_the_cells_and_from_columns_of_different_rates() {
    let layout = layout(&[1, 2, 1, 1, 1, 1], &[1]);
    for (what, rate) in
        [("half", (|_| 0.5) as fn(usize) -> f64), ("different", |panel| 0.12 * panel as f64 + 0.1)]
    {
        let (whole, holed) = holes(40_000, &layout, 72, rate);
        for (name, mode) in MODES {
            // Measured moments are those of the observed cells.
            let holed = Data::new(holed.x.clone(), holed.y.clone(), &layout).measured();
            let fitted = fit(
                &holed,
                name,
                mode,
                &[("radius", "1.5"), ("step", "theory"), ("average", "tail")],
            );
            let rest = left(&fitted, &whole);
            assert!(rest < 0.4, "{name} {mode}, {what} missing: {rest} is left");
            let seen = holed.x.iter().filter(|v| !v.is_nan()).count();
            assert!(
                fitted.report.reads > 0 && (fitted.report.reads as usize) < seen,
                "known columns are not read"
            );
        }
    }
}

/// What the estimates correct: where zeros stand for what is missing, attributes that share a cause
/// stand in for each other.
#[test]
fn correlated_attributes_are_told_apart() {
    let (rows, layout) = (40_000, singletons(3));
    let mut stream = Stream::new(73, Purpose::Data, 0);
    let mut x = ndarray::Array2::zeros((rows, 3));
    for i in 0..rows {
        let cause = stream.unit() - 0.5;
        (0..3).for_each(|j| x[[i, j]] = cause + 0.8 * (stream.unit() - 0.5));
    }
    let y = x.column(0).to_vec();
    let mut holed = x.clone();
    holed.iter_mut().filter(|_| stream.unit() < 0.6).for_each(|v| *v = f64::NAN);
    let zeros = Data::new(holed.mapv(|v| if v.is_nan() { 0.0 } else { v }), y.clone(), &layout);
    let holed = Data::new(holed, y, &layout);
    let settings =
        [("step", "theory"), ("average", "tail"), ("intercept", "false"), ("centre", "none")];
    for (name, mode) in MODES {
        let settings =
            [&settings[..], &[("radius", if name == "aerr" { "1.5" } else { "2" })]].concat();
        let weights = fit(&holed, name, mode, &settings).linear().unwrap().weights.clone();
        let naive = fit(&zeros, name, "no", &[&settings[..], &[("budget", "3")]].concat())
            .linear()
            .unwrap()
            .weights
            .clone();
        let distance = |w: &[f64]| ((w[0] - 1.0).powi(2) + w[1] * w[1] + w[2] * w[2]).sqrt();
        assert!(distance(&weights) < 0.2, "{name} {mode}: {weights:?}");
        assert!(distance(&naive) > 0.3, "{name} on zeros: {naive:?}");
    }
}

#[test]
fn rows_that_show_nothing_teach_the_intercept_or_are_skipped() {
    let (_, holed) = holes(400, &singletons(2), 74, |_| 0.7);
    let empty = holed.x.rows().into_iter().filter(|r| r.iter().all(|v| v.is_nan())).count() as u64;
    assert!(empty > 100);
    for (name, mode) in MODES {
        let report = fit(&holed, name, mode, &[]).report;
        assert_eq!((report.examples, report.skipped), (400, 0), "{name}");
        let report = fit(&holed, name, mode, &[("intercept", "false")]).report;
        assert_eq!((report.examples, report.skipped), (400 - empty, empty), "{name}");
    }
}

#[test]
fn a_column_that_is_never_observed_keeps_weight_zero() {
    let (_, holed) =
        holes(2_000, &layout(&[1, 2, 1], &[]), 75, |panel| if panel == 1 { 1.0 } else { 0.3 });
    for measured in [false, true] {
        let holed = Data::new(holed.x.clone(), holed.y.clone(), &holed.layout);
        let holed = if measured { holed.measured() } else { holed };
        for (name, mode) in MODES {
            let p = fit(&holed, name, mode, &[]).linear().unwrap().clone();
            assert_eq!((p.weights[1], p.weights[2]), (0.0, 0.0), "{name} {mode}");
            assert!(
                p.weights[0] != 0.0 && p.weights.iter().chain(&p.fill).all(|w| w.is_finite()),
                "{name} {mode}"
            );
        }
    }
}

#[test]
fn a_panel_with_a_hole_counts_as_not_observed() {
    let (_, holed) = holes(300, &layout(&[2, 1], &[]), 76, |_| 0.2);
    let mut x = holed.x.clone();
    x.column_mut(1).fill(f64::NAN);
    let p = fit(&Data::new(x, holed.y.clone(), &holed.layout), "aerr", "all", &[])
        .linear()
        .unwrap()
        .clone();
    assert_eq!((p.weights[0], p.weights[1]), (0.0, 0.0));
}

#[test]
fn bad_rows_are_refused() {
    let empty = Data::random(30, &singletons(3), 77);
    let empty = Data::new(empty.x.mapv(|_| f64::NAN), empty.y.clone(), &empty.layout);
    for (name, mode) in MODES {
        let learner = learner(name, &[("passive", mode)]);
        assert_eq!(kind(&learner.fit(&empty.examples(), &Silent).unwrap_err()), "Table");
        // A known column is known, and infinite cells are no values.
        let mut data = Data::random(30, &layout(&[1, 1], &[1]), 78);
        data.x[[7, 2]] = f64::NAN;
        let data = Data::new(data.x, data.y, &data.layout);
        assert_eq!(kind(&learner.fit(&data.examples(), &Silent).unwrap_err()), "MissingCell");
        let mut data = Data::random(30, &layout(&[1, 1], &[1]), 78);
        data.x[[7, 0]] = f64::INFINITY;
        let data = Data::new(data.x, data.y, &data.layout);
        assert_eq!(kind(&learner.fit(&data.examples(), &Silent).unwrap_err()), "NotFinite");
    }
}

#[test]
fn observed_rows_are_refused_by_learners_that_choose() {
    let data = Data::random(5, &singletons(4), 79);
    for name in budgeted() {
        let mut learner = started(&name, &[], &data.layout);
        let before = learner.save().unwrap();
        let mut query = Query::default();
        let error = learner.ask_observed_into(&[0, 1], &mut query).unwrap_err();
        assert_eq!(kind(&error), "Request");
        let own = find(&name).unwrap().name();
        assert!(error.to_string().contains(own) && !learner.is_passive(), "{error}");
        assert_eq!(learner.save().unwrap(), before);
    }
    let mut passive = started("aerr", &[("passive", "one")], &data.layout);
    let before = passive.save().unwrap();
    for odd in [&[0, 0][..], &[2, 1], &[4], &[0, u32::MAX]] {
        let error = passive.ask_observed_into(odd, &mut Query::default()).unwrap_err();
        assert_eq!(kind(&error), "OutOfRange", "{error}");
    }
    assert_eq!(passive.save().unwrap(), before);
}

#[test]
fn asking_without_saying_what_is_observed_means_everything() {
    let data = Data::random(60, &layout(&[1, 2, 1], &[1]), 80);
    for (name, mode) in MODES {
        let mut asks = started(name, &[("passive", mode), ("horizon", "60")], &data.layout);
        let mut says = started(name, &[("passive", mode), ("horizon", "60")], &data.layout);
        let mut query = Query::default();
        for row in 0..60 {
            let asked = asks.ask().unwrap();
            says.ask_observed_into(&[0, 1, 2], &mut query).unwrap();
            assert_eq!(asked, query);
            for learner in [&mut asks, &mut says] {
                assert_eq!(
                    learner.tell(&query, &data.answer(&query, row), data.y[row]).unwrap(),
                    TellOutcome::Learned
                );
            }
        }
        assert_eq!(asks.predictor(), says.predictor());
    }
}

#[test]
fn a_saved_passive_learner_goes_on_with_the_same_bits_and_refuses_edits() {
    let data = Data::random(200, &layout(&[1, 2, 1, 1], &[1]), 81);
    for (name, mode) in MODES {
        let mut learner = started(name, &[("passive", mode), ("average", "all")], &data.layout);
        let mut mask = Stream::new(82, Purpose::Data, 0);
        let mut observed = || (0..4).filter(|_| mask.unit() < 0.5).collect::<Vec<u32>>();
        let mut query = Query::default();
        for row in 0..90 {
            learner.ask_observed_into(&observed(), &mut query).unwrap();
            learner.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
        }
        let mut open = Query::default();
        learner.ask_observed_into(&[0, 2], &mut open).unwrap();
        let state = learner.save().unwrap();
        let mut twin = load(&state).unwrap();
        for row in 90..200 {
            let shown = observed();
            let mut other = Query::default();
            learner.ask_observed_into(&shown, &mut query).unwrap();
            twin.ask_observed_into(&shown, &mut other).unwrap();
            assert_eq!(query, other);
            for learner in [&mut learner, &mut twin] {
                learner.tell(&query, &data.answer(&query, row), data.y[row]).unwrap();
            }
        }
        for learner in [&mut learner, &mut twin] {
            let mut edited = open.clone();
            edited
                .reads
                .iter_mut()
                .filter(|r| r.role != ReadRole::Known)
                .for_each(|r| r.coefficient = 0.5);
            edited.checksum = edited.digest();
            assert_eq!(
                kind(&learner.tell(&edited, &data.answer(&open, 3), 0.1).unwrap_err()),
                "WrongAnswer"
            );
            learner.tell(&open, &data.answer(&open, 3), data.y[3]).unwrap();
        }
        assert_eq!(learner.predictor(), twin.predictor());
        assert_eq!(learner.save().unwrap(), twin.save().unwrap());
        for (place, value) in [
            ("/state/observed/rows", serde_json::json!(3)),
            ("/state/observed/seen", serde_json::json!([1, 2])),
            ("/state/observed", serde_json::Value::Null),
        ] {
            let mut broken = state.clone();
            *broken.pointer_mut(place).unwrap() = value;
            assert_eq!(key(&load(&broken).err().unwrap()), "state", "{place}");
        }
    }
}
