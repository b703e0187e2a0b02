//! Checks every bound against values computed by hand, and its dependence on m, d and k.

use super::*;
use halfseen_core::error::ErrorKind;

fn setting() -> Setting {
    Setting { dims: 100, budget: 4, ..Setting::default() }
}

fn named(name: &str) -> &'static Theorem {
    let title = |t: &Theorem| format!("{} {}", t.learner, t.source);
    THEOREMS.iter().find(|t| title(t).starts_with(name)).unwrap()
}

fn at(setting: &Setting, name: &str, m: u64) -> Option<f64> {
    plan(named(name), setting, Goal::Examples(m)).excess
}

fn step(setting: &Setting, name: &str, m: u64) -> Option<f64> {
    plan(named(name), setting, Goal::Examples(m)).step
}

#[track_caller]
fn close(actual: Option<f64>, expected: f64) {
    let actual = actual.unwrap();
    assert!((actual / expected - 1.0).abs() < 1e-12, "{actual} is not {expected}");
}

/// d = 100, budget 4 (three reads for the example, one for the product), B = 1, m = 10,000.
#[test]
fn hand_values() {
    let (s, m) = (setting(), 10_000);
    let log = 200.0_f64.ln();

    close(at(&s, "aerr", m), 0.230_940_107_675_850_3); // 4 sqrt(100/30000) = 0.4/sqrt(3)
    close(step(&s, "aerr", m), 1.0 / (2.0 * (1_000_000.0_f64 / 3.0).sqrt()));
    close(at(&s, "aelr", m), 8.0 * (500.0 * log / 30_000.0).sqrt());

    let rate = ((1.0 + 10_000.0_f64.ln()) / 10_000.0).sqrt();
    close(at(&s, "aer ", m), 4.0 * 2.0_f64.sqrt() * 2.0 * 100.0 / 2.0 * rate); // 4 sqrt2 (B+1) d B / sqrt k
    // lambda = 2 G sqrt((1 + ln m)/m) / B, G = 2 (B + 1) d / sqrt(s).
    close(step(&s, "aer ", m), 2.0 * 400.0 / 2.0_f64.sqrt() * rate);
    let odd = Setting { budget: 5, ..s.clone() };
    close(at(&odd, "aer ", m), at(&s, "aer ", m).unwrap()); // s = 2 again
    assert!(at(&odd, "aerr", m) < at(&s, "aerr", m));

    let moments = MomentNorms { sum: 0.5, half: 9.0, largest: 0.1 };
    let known = Setting { moments: Some(moments), ..s.clone() };
    close(at(&known, "ddaerr ", m), 4.0 * (4.0_f64 / 10_000.0).sqrt());
    close(at(&known, "ddaelr ", m), 8.0 * (5.0 * log * (0.5 / 3.0 + 1.0) / 10_000.0).sqrt());
}

/// Uses m = 10^9: m1 = 2 10^8, n1 = 6 10^8, m2 = 8 10^8; delta = 0.05.
#[test]
fn hand_values_of_two_phases() {
    let moments = MomentNorms { sum: 0.5, half: 9.0, largest: 0.1 };
    let (s, m) = (Setting { moments: Some(moments), ..setting() }, 1_000_000_000);
    let eps = 100.0 * 4000.0_f64.ln() / 6e8;
    let given = 3.0_f64.sqrt() * 9.0 + 4.0 / 3.0_f64.sqrt() * 100.0 * (9.0 * eps).sqrt();
    let bound_of = |spread: f64| 8.0 * ((spread / 3.0 + 1.0) / 8e8).sqrt();
    let [known, estimated] =
        ["3.6", "3.12"].map(|t| format!("ddaerr-2p Kukliansky and Shamir 2015, theorem {t}"));
    close(at(&s, &known, m), bound_of(given));
    close(step(&s, &known, m), 1.0 / ((given / 3.0 + 1.0) * 8e8).sqrt());
    close(at(&s, &estimated, m), bound_of(54.0 + 32.0 / 3.0 * 1e4 * eps));

    // The first phase is too short: safe branch, S <= d (1 + sqrt(2 sum A)).
    let safe = 100.0 * (1.0 + (2.0_f64 * (1.5 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 600.0)).sqrt());
    for theorem in [&known, &estimated] {
        close(at(&s, theorem, 1000), 8.0 * ((safe / 3.0 + 1.0) / 800.0).sqrt());
        // A fifth of 2 is no example.
        assert_eq!((at(&s, theorem, 2), at(&s, theorem, 3).is_some()), (None, true));
    }

    let log = 200.0_f64.ln();
    let wide = 2.0 * (0.75 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 2e8 + 4.0 / 3.0 * 100.0 * eps);
    close(at(&s, "ddaelr-2p", m), 8.0 * (5.0 * log * (wide / 3.0 + 1.0) / 8e8).sqrt());
    let short = 2.0 * (0.75 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 200.0) + 100.0; // M <= 2|A|_1 + d
    close(at(&s, "ddaelr-2p", 1000), 8.0 * (5.0 * log * (short / 3.0 + 1.0) / 800.0).sqrt());
}

/// Compares the step of the theorem at the assumed norms with the formulas of the learners, for
/// |x|_2 = 1, |y| = B and B.
#[test]
fn steps_are_those_of_the_learners_own_theory() {
    use crate::{Budgeted, DataNorms, Norms, Reads};
    let (s, m) = (Setting { radius: 2.0, ..setting() }, 5000);
    let facts = |largest: f64, square: f64, target: f64, inflation: f64| DataNorms {
        radius: 2.0,
        slots: 100.0,
        examples: 5000.0,
        power: 2.0,
        slope: None,
        norms: Norms {
            square,
            largest,
            drawn_square: inflation * square,
            drawn_largest: inflation * largest,
            known: 0.0,
            target,
        },
    };
    let reads = Reads { budget: 4, panels: 100 };
    let theory = |recipe: crate::Recipe| recipe.pace.theory.value;
    let aerr = theory(crate::Aerr { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(step(&s, "aerr", m), aerr(&facts(1.0, 1.0, 4.0, 100.0 / 3.0)));
    let aelr = theory(crate::Aelr { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(step(&s, "aelr", m), aelr(&facts(1.0, 100.0, 4.0, 100.0 / 3.0)));
    let aer = theory(crate::Aer { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(step(&s, "aer ", m), aer(&facts(1.0, 100.0, 1.0, 50.0)));
}

#[test]
fn equal_moments_make_ddaerr_aerr() {
    // |mu|_{1/2} -> d: 4 B^2 sqrt((d/k + 1)/m), between AERR's published and own bound, with or
    // without moments.
    for dims in [10, 100, 1000] {
        let flat = MomentNorms::of(&vec![1.0 / dims as f64; dims]).unwrap();
        let s = Setting { dims: dims as u64, moments: Some(flat), ..setting() };
        let (aerr, ddaerr) = (at(&s, "aerr", 500).unwrap(), at(&s, "ddaerr ", 500).unwrap());
        close(Some(ddaerr), 4.0 * ((dims as f64 / 3.0 + 1.0) / 500.0).sqrt());
        close(at(&Setting { moments: None, ..s.clone() }, "ddaerr ", 500), ddaerr);
        assert!(aerr < ddaerr && ddaerr <= 4.0 * (2.0 * dims as f64 / 1500.0).sqrt());
        close(Some(ddaerr / aerr), (1.0 + 3.0 / dims as f64).sqrt());
    }
}

#[test]
fn reading_everything_is_full_information() {
    let s = Setting { budget: 100, ..setting() };
    // Zinkevich's bound, and that of exponentiated gradient with exact gradients.
    close(at(&s, "aerr", 900), 4.0 / 30.0);
    close(at(&s, "ddaerr ", 900), 4.0 / 30.0);
    close(at(&s, "aelr", 900), 8.0 * (5.0 * 200.0_f64.ln() / 900.0).sqrt());
    let one = Setting::default(); // d = 1
    assert!(one.check().is_ok());
    close(at(&one, "aerr", 4), 2.0);
}

#[test]
fn a_bound_on_x_is_a_matter_of_units() {
    // x / R with B R in place of B, moments / R^2, and steps R^2 larger.
    let moments = MomentNorms { sum: 20.0, half: 400.0, largest: 0.5 };
    let raw = Setting { norm: 5.0, radius: 0.2, moments: Some(moments), ..setting() };
    let unit =
        Setting { norm: 1.0, radius: 1.0, moments: Some(moments.divided_by(5.0)), ..setting() };
    for theorem in THEOREMS.iter().filter(|t| t.assumes == Assumptions::Ridge) {
        let [a, b] = [&raw, &unit].map(|of| plan(theorem, of, Goal::Examples(7000)));
        close(a.excess, b.excess.unwrap());
        close(a.step, b.step.unwrap() / 25.0);
        assert_eq!(a.says_something, b.says_something);
    }
}

#[test]
fn more_examples_fewer_attributes_and_more_reads_help() {
    let decaying = |dims: u64| Some(MomentNorms::decaying(dims, 2.0).divided_by(2.0));
    for theorem in THEOREMS {
        let at = |dims: u64, budget: u64, m: u64| {
            let s = Setting { dims, budget, moments: decaying(dims), ..setting() };
            theorem.excess(&s, m).unwrap_or(f64::INFINITY)
        };
        let name = theorem.source;
        for m in (1..200).chain([1000, 1001, 123_456, 10_000_000]) {
            assert!(at(50, 4, m + 1) <= at(50, 4, m), "{name}: m = {m}");
        }
        for dims in [10, 49, 50, 400] {
            assert!(at(dims, 4, 100_000) <= at(dims + 1, 4, 100_000), "{name}: d = {dims}");
        }
        for budget in 2..50 {
            assert!(
                at(50, budget + 1, 100_000) <= at(50, budget, 100_000),
                "{name}: budget {budget}"
            );
        }
    }
}

#[test]
fn examples_for_an_error_are_exact_for_every_learner() {
    let s = Setting { moments: Some(MomentNorms::decaying(100, 2.0).divided_by(2.0)), ..setting() };
    for theorem in THEOREMS {
        for error in [30.0, 1.0, 0.1, 0.003, 1e-5] {
            let plan = plan(theorem, &s, Goal::Error(error));
            let m = plan.examples.unwrap();
            assert!(plan.excess.unwrap() <= error && plan.excess == theorem.excess(&s, m));
            assert!(
                m == 1 || theorem.excess(&s, m - 1).is_none_or(|excess| excess > error),
                "{theorem:?}: {error}"
            );
        }
        let never = plan(theorem, &s, Goal::Error(1e-12));
        assert_eq!((never.examples, never.excess, never.reads), (None, None, None));
    }
    // By the closed form: 16 d / (k e^2).
    assert_eq!(plan(named("aerr"), &s, Goal::Error(0.1)).examples, Some(53_334));
}

#[test]
fn contradicted_assumptions_take_the_promise_back() {
    let s =
        Setting { moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 0.5 }), ..setting() };
    let tried = |s: &Setting, name| plan(named(name), s, Goal::Examples(1000));
    for name in ["aerr", "ddaerr ", "ddaerr-2p"] {
        let planned = tried(&s, name);
        let why = planned.contradiction.unwrap();
        assert!(why.contains("1.5") && why.contains("1.225"), "{why}");
        assert_eq!((planned.excess, planned.step, planned.says_something), (None, None, false));
        assert_eq!(plan(named(name), &s, Goal::Error(0.5)).examples, None);
    }
    assert!(tried(&Setting { norm: 1.225, ..s.clone() }, "aerr").excess.is_some());
    let s = Setting {
        moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 1.2 }),
        norm: 2.0,
        ..setting()
    };
    for name in ["aer ", "aelr", "ddaelr ", "ddaelr-2p"] {
        assert!(tried(&s, name).contradiction.is_some(), "{name}");
    }
    assert!(tried(&s, "ddaerr ").contradiction.is_none());
}

#[test]
fn a_bound_above_what_zero_loses_says_nothing() {
    let plan = |m| plan(named("aerr"), &setting(), Goal::Examples(m));
    // 4 sqrt(100/(3 m)) < 1 from m = 534 on.
    assert!(!plan(533).says_something && plan(534).says_something);
}

#[test]
fn settings_out_of_range_are_refused() {
    let good = setting();
    assert!(good.check().is_ok());
    let bad = |change: &dyn Fn(&mut Setting)| {
        let mut s = good.clone();
        change(&mut s);
        s.check().unwrap_err().kind().clone()
    };
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e60] {
        assert!(matches!(bad(&|s| s.radius = wrong), ErrorKind::OutOfRange { name: "radius", .. }));
        assert!(matches!(bad(&|s| s.norm = wrong), ErrorKind::OutOfRange { name: "norm", .. }));
    }
    assert!(matches!(bad(&|s| s.dims = 0), ErrorKind::OutOfRange { name: "dims", .. }));
    for (budget, says) in [(101, "101 reads"), (1, "at least 2 reads"), (0, "at least 2 reads")] {
        assert!(bad(&|s| s.budget = budget).to_string().contains(says));
    }
}

#[test]
fn the_widest_settings_give_numbers() {
    for (radius, dims) in
        [(1e50, 1_000_000_000_000), (1e-50, 1_000_000_000_000), (1e50, 1), (1e-50, 1)]
    {
        let s = Setting { dims, budget: dims.min(2), radius, ..setting() };
        s.check().unwrap();
        for (theorem, m) in THEOREMS.iter().flat_map(|t| [1, 1000, MOST_EXAMPLES].map(|m| (t, m))) {
            let plan = plan(theorem, &s, Goal::Examples(m));
            assert!(plan.excess.is_none_or(|excess| excess.is_finite() && excess > 0.0));
        }
    }
}
