//! Checks every bound against values computed by hand, and its dependence on m, d and units.

use super::*;
use halfseen::plan::{Bound, Excess, Goal, Guarantee, MomentNorms, Setting, make};

fn setting() -> Setting {
    Setting { dims: 100, budget: 4, ..Setting::default() }
}

fn named(setting: &Setting, name: &str) -> Guarantee {
    let all = guarantees().into_iter().chain(halfseen::registry::guarantees());
    all.map(|of| of(setting)).find(|g| g.learner == name).unwrap()
}

fn bound(setting: &Setting, name: &str) -> Bound {
    match named(setting, name).excess {
        Excess::Known(bound) => bound,
        other => panic!("{name}: {other:?}"),
    }
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    let found = found.unwrap();
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn hand_values() {
    let (s, m) = (setting(), 10_000);
    close(bound(&s, "ogd").at(m), 0.04);
    close(bound(&s, "online-lasso").at(m), 8.0 * (5.0 * 200.0_f64.ln() / 10_000.0).sqrt());
}

#[test]
fn reading_everything_is_full_information() {
    let s = Setting { budget: 100, ..setting() };
    for name in ["aerr", "ddaerr"] {
        close(bound(&s, name).at(900), bound(&s, "ogd").at(900).unwrap());
    }
    close(bound(&s, "aelr").at(900), bound(&s, "online-lasso").at(900).unwrap());
    assert_eq!(bound(&s, "aerr").formula, bound(&s, "ogd").formula);
    assert_eq!(bound(&s, "aelr").formula, bound(&s, "online-lasso").formula);
}

#[test]
fn a_bound_on_x_is_a_matter_of_units() {
    let moments = MomentNorms { sum: 20.0, half: 400.0, largest: 0.5 };
    let raw = Setting { norm: 5.0, radius: 0.2, moments: Some(moments), ..setting() };
    let unit =
        Setting { norm: 1.0, radius: 1.0, moments: Some(moments.divided_by(5.0)), ..setting() };
    let (a, b) = (bound(&raw, "ogd"), bound(&unit, "ogd"));
    close(a.at(7000), b.at(7000).unwrap());
    close(a.tuning.at(7000), b.tuning.at(7000).unwrap() / 25.0);
    assert_eq!(named(&raw, "ogd").assumes, named(&unit, "ogd").assumes);
}

#[test]
fn more_examples_and_fewer_attributes_help_and_examples_for_an_error_are_exact() {
    let decaying = |dims: u64| Some(MomentNorms::decaying(dims, 2.0).divided_by(2.0));
    let of = |name: &str, dims: u64| {
        bound(&Setting { dims, moments: decaying(dims), ..setting() }, name)
    };
    for name in ["ogd", "online-lasso"] {
        let at = |dims: u64, m: u64| of(name, dims).at(m).unwrap_or(f64::INFINITY);
        for m in (1..200).chain([1000, 1001, 123_456, 10_000_000]) {
            assert!(at(50, m + 1) <= at(50, m), "{name}: m = {m}");
        }
        for dims in [10, 49, 50, 400] {
            assert!(at(dims, 100_000) <= at(dims + 1, 100_000), "{name}: d = {dims}");
        }
        let s = Setting { moments: decaying(100), ..setting() };
        for error in [30.0, 1.0, 0.1, 0.003, 1e-5] {
            let bound = bound(&s, name);
            let m = bound.examples(error).unwrap();
            assert!(bound.at(m).unwrap() <= error);
            assert!(m == 1 || bound.at(m - 1).is_none_or(|excess| excess > error));
            let plan = make(named(&s, name), Goal::Error(error));
            assert_eq!((plan.examples, plan.excess), (Some(m), bound.at(m)));
        }
        let never = make(named(&s, name), Goal::Error(1e-12));
        assert_eq!((never.examples, never.excess, never.reads), (None, None, None));
    }
}

#[test]
fn contradicted_assumptions_take_the_promise_back() {
    let s =
        Setting { moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 0.5 }), ..setting() };
    let Excess::Inapplicable { why } = named(&s, "ogd").excess else { panic!("ogd") };
    assert!(why.contains("1.5") && why.contains("1.225"), "{why}");
    let s = Setting {
        moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 1.2 }),
        norm: 2.0,
        ..setting()
    };
    assert!(matches!(named(&s, "online-lasso").excess, Excess::Inapplicable { .. }));
}
