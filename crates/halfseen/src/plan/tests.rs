//! Checks every bound against values computed by hand, and its dependence on m, d and k.

use super::*;
use crate::error::ErrorKind;
use crate::registry::guarantees;

fn setting() -> Setting {
    Setting { dims: 100, budget: 4, ..Setting::default() }
}

fn named(setting: &Setting, name: &str) -> Guarantee {
    let theorem = |g: &Guarantee| format!("{} {}", g.learner, g.theorem);
    guarantees().into_iter().map(|of| of(setting)).find(|g| theorem(g).starts_with(name)).unwrap()
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

/// d = 100, budget 4 (three reads for the example, one for the product), B = 1, m = 10,000.
#[test]
fn hand_values() {
    let (s, m) = (setting(), 10_000);
    let log = 200.0_f64.ln();

    let aerr = bound(&s, "aerr");
    close(aerr.printed.at(m), 4.0 * (200.0_f64 / 30_000.0).sqrt());
    close(aerr.at(m), 0.230_940_107_675_850_3); // 4 sqrt(100/30000) = 0.4/sqrt(3)
    close(aerr.tuning.at(m), 1.0 / (2.0 * (1_000_000.0_f64 / 3.0).sqrt()));

    let aelr = bound(&s, "aelr");
    close(aelr.printed.at(m), 4.0 * (1000.0 * log / 30_000.0).sqrt());
    close(aelr.at(m), 8.0 * (500.0 * log / 30_000.0).sqrt());

    let aer = bound(&s, "aer ");
    let rate = ((1.0 + 10_000.0_f64.ln()) / 10_000.0).sqrt();
    close(aer.at(m), 4.0 * 2.0_f64.sqrt() * 2.0 * 100.0 / 2.0 * rate); // 4 sqrt2 (B+1) d B2 / sqrt k
    assert_eq!(aer.printed.at(m), None);
    let dense = Setting { radius2: Some(0.1), ..s.clone() };
    close(bound(&dense, "aer ").at(m), 0.4 * 2.0_f64.sqrt() * 2.0 * 100.0 / 2.0 * rate);
    // lambda = 2 G sqrt((1 + ln m)/m) / B2, G = 2 (B + 1) d / sqrt(s1).
    close(aer.tuning.at(m), 2.0 * 400.0 / 2.0_f64.sqrt() * rate);
    close(bound(&dense, "aer ").tuning.at(m), 20.0 * 400.0 / 2.0_f64.sqrt() * rate);
    let odd = Setting { budget: 5, ..s.clone() };
    close(bound(&odd, "aer ").at(m), aer.at(m).unwrap()); // s1 = 2 again
    assert!(bound(&odd, "aerr").at(m) < aerr.at(m));

    let moments = MomentNorms { sum: 0.5, half: 9.0, largest: 0.1 };
    let known = Setting { moments: Some(moments), ..s.clone() };
    close(bound(&known, "ddaerr ").at(m), 4.0 * (4.0_f64 / 10_000.0).sqrt());
    close(bound(&known, "ddaerr ").printed.at(m), 0.08);
    close(
        bound(&known, "ddaelr ").printed.at(m),
        4.0 * (5.0 * log * (0.5 / 3.0 + 1.0) / 10_000.0).sqrt(),
    );
    close(bound(&known, "ddaelr ").at(m), 8.0 * (5.0 * log * (0.5 / 3.0 + 1.0) / 10_000.0).sqrt());
}

/// Uses m = 10^9: m1 = 2 10^8, n1 = 6 10^8, m2 = 8 10^8; delta = 0.05.
#[test]
fn hand_values_of_two_phases() {
    let moments = MomentNorms { sum: 0.5, half: 9.0, largest: 0.1 };
    let (s, m) = (Setting { moments: Some(moments), ..setting() }, 1_000_000_000);
    let eps = 100.0 * 4000.0_f64.ln() / 6e8;
    let given = 3.0_f64.sqrt() * 9.0 + 4.0 / 3.0_f64.sqrt() * 100.0 * (9.0 * eps).sqrt();
    let bound_of = |spread: f64| 8.0 * ((spread / 3.0 + 1.0) / 8e8).sqrt();
    let found = bound(&s, "ddaerr-2p Kukliansky and Shamir 2015, theorem 3.6");
    close(found.at(m), bound_of(given));
    assert_eq!(found.probability, Some(0.95));
    assert_eq!(found.constants(m)[3..], [("m1", 2e8), ("m2", 8e8)]);
    close(found.tuning.at(m), 1.0 / ((given / 3.0 + 1.0) * 8e8).sqrt());
    close(
        bound(&s, "ddaerr-2p Kukliansky and Shamir 2015, theorem 3.12").at(m),
        bound_of(54.0 + 32.0 / 3.0 * 1e4 * eps),
    );

    // The first phase is too short: safe branch, S <= d (1 + sqrt(2 sum A)).
    let safe = 100.0 * (1.0 + (2.0_f64 * (1.5 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 600.0)).sqrt());
    for theorem in ["3.6", "3.12"] {
        let found = bound(&s, &format!("ddaerr-2p Kukliansky and Shamir 2015, theorem {theorem}"));
        close(found.at(1000), 8.0 * ((safe / 3.0 + 1.0) / 800.0).sqrt());
        assert_eq!((found.at(2), found.at(3).is_some()), (None, true)); // a fifth of 2 is no example
    }

    let log = 200.0_f64.ln();
    let wide = 2.0 * (0.75 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 2e8 + 4.0 / 3.0 * 100.0 * eps);
    let found = bound(&s, "ddaelr-2p");
    close(found.at(m), 8.0 * (5.0 * log * (wide / 3.0 + 1.0) / 8e8).sqrt());
    let short = 2.0 * (0.75 + 4.0 / 3.0 * 100.0 * 40.0_f64.ln() / 200.0) + 100.0; // M <= 2|A|_1 + d
    close(found.at(1000), 8.0 * (5.0 * log * (short / 3.0 + 1.0) / 800.0).sqrt());
}

/// Compares the step of the theorem at the assumed norms with the formulas of the learners, for
/// |x|_2 = 1, |y| = B and B.
#[test]
fn steps_are_those_of_the_learners_own_theory() {
    use crate::budget::{Budgeted, DataNorms, Norms, Reads};
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
    let theory = |recipe: crate::budget::Recipe| recipe.pace.theory.value;
    let aerr =
        theory(crate::budget::Aerr { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(bound(&s, "aerr").tuning.at(m), aerr(&facts(1.0, 1.0, 4.0, 100.0 / 3.0)));
    let aelr =
        theory(crate::budget::Aelr { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(bound(&s, "aelr").tuning.at(m), aelr(&facts(1.0, 100.0, 4.0, 100.0 / 3.0)));
    let aer =
        theory(crate::budget::Aer { radius: 2.0, ..Default::default() }.recipe(reads).unwrap());
    close(bound(&s, "aer ").tuning.at(m), aer(&facts(1.0, 100.0, 1.0, 50.0)));
}

#[test]
fn equal_moments_make_ddaerr_aerr() {
    // |mu|_{1/2} -> d: 4 B^2 sqrt((d/k + 1)/m), between AERR's published and own bound, with or
    // without moments.
    for dims in [10, 100, 1000] {
        let flat = MomentNorms::of(&vec![1.0 / dims as f64; dims]).unwrap();
        let s = Setting { dims: dims as u64, moments: Some(flat), ..setting() };
        let (aerr, ddaerr) =
            (bound(&s, "aerr").at(500).unwrap(), bound(&s, "ddaerr ").at(500).unwrap());
        close(Some(ddaerr), 4.0 * ((dims as f64 / 3.0 + 1.0) / 500.0).sqrt());
        close(bound(&Setting { moments: None, ..s.clone() }, "ddaerr ").at(500), ddaerr);
        assert!(aerr < ddaerr && ddaerr <= 4.0 * (2.0 * dims as f64 / 1500.0).sqrt());
        close(Some(ddaerr / aerr), (1.0 + 3.0 / dims as f64).sqrt());
    }
}

#[test]
fn reading_everything_is_full_information() {
    let s = Setting { budget: 100, ..setting() };
    // Zinkevich's bound, and that of exponentiated gradient with exact gradients.
    close(bound(&s, "aerr").at(900), 4.0 / 30.0);
    close(bound(&s, "ddaerr ").at(900), 4.0 / 30.0);
    close(bound(&s, "aelr").at(900), 8.0 * (5.0 * 200.0_f64.ln() / 900.0).sqrt());
    assert_eq!(bound(&s, "aerr").formula, "4 B^2 / sqrt(m)");
    assert_eq!(bound(&s, "aelr").formula, "8 B^2 sqrt(5 log(2d) / m)");
    let one = Setting::default(); // d = 1
    assert!(one.check().is_ok());
    close(bound(&one, "aerr").at(4), 2.0);
}

#[test]
fn a_bound_on_x_is_a_matter_of_units() {
    // x / R with B R in place of B, moments / R^2, and steps R^2 larger.
    let moments = MomentNorms { sum: 20.0, half: 400.0, largest: 0.5 };
    let raw = Setting { norm: 5.0, radius: 0.2, moments: Some(moments), ..setting() };
    let unit =
        Setting { norm: 1.0, radius: 1.0, moments: Some(moments.divided_by(5.0)), ..setting() };
    for name in [
        "aerr",
        "ddaerr ",
        "ddaerr-2p Kukliansky and Shamir 2015, theorem 3.6",
        "ddaerr-2p Kukliansky and Shamir 2015, theorem 3.12",
    ] {
        let (a, b) = (bound(&raw, name), bound(&unit, name));
        close(a.at(7000), b.at(7000).unwrap());
        close(a.tuning.at(7000), b.tuning.at(7000).unwrap() / 25.0);
        assert_eq!(named(&raw, name).assumes, named(&unit, name).assumes);
    }
}

#[test]
fn more_examples_fewer_attributes_and_more_reads_help() {
    let decaying = |dims: u64| Some(MomentNorms::decaying(dims, 2.0).divided_by(2.0));
    for of in guarantees() {
        let at = |dims: u64, budget: u64, m: u64| {
            let s = Setting { dims, budget, moments: decaying(dims), ..setting() };
            match of(&s).excess {
                Excess::Known(bound) => bound.at(m).unwrap_or(f64::INFINITY),
                _ => 0.0,
            }
        };
        let name = of(&setting()).theorem;
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
    for of in guarantees() {
        let Excess::Known(bound) = of(&s).excess else { continue };
        for error in [30.0, 1.0, 0.1, 0.003, 1e-5] {
            let m = bound.examples(error).unwrap();
            assert!(bound.at(m).unwrap() <= error);
            assert!(
                m == 1 || bound.at(m - 1).is_none_or(|excess| excess > error),
                "{bound:?}: {error}"
            );
            let plan = make(of(&s), Goal::Error(error));
            assert_eq!((plan.examples, plan.excess), (Some(m), bound.at(m)));
        }
        let never = make(of(&s), Goal::Error(1e-12));
        assert_eq!((never.examples, never.excess, never.reads), (None, None, None));
    }
    // By the closed form: 16 d / (k e^2), and the published 32 d / (k e^2).
    let aerr = bound(&s, "aerr");
    assert_eq!(aerr.examples(0.1), Some(53_334));
    assert_eq!(aerr.printed.examples(0.1), Some(106_667));
}

#[test]
fn the_best_budget_is_the_best_of_all() {
    let moments = Some(MomentNorms::decaying(60, 2.0).divided_by(2.0));
    let s = Setting { dims: 60, moments, ..setting() };
    for of in guarantees() {
        if !matches!(of(&s).excess, Excess::Known(_)) {
            continue;
        }
        for total in [1000, 12_345, 1_000_000] {
            let all: Vec<Plan> = (2..=60)
                .map(|budget| {
                    let guarantee = of(&Setting { budget, ..s.clone() });
                    let m = total / guarantee.budget;
                    make(guarantee, Goal::Examples(m))
                })
                .collect();
            let least = all.iter().filter_map(|p| p.excess).fold(f64::INFINITY, f64::min);
            let found = best(of, &s, total, None);
            assert_eq!(
                found.excess.unwrap_or(f64::INFINITY),
                least,
                "{:?}",
                found.guarantee.theorem
            );
            assert!(found.reads.unwrap() <= total);
            let few = best(of, &s, total, Some(Goal::Examples(20)));
            assert!(few.examples.unwrap() <= 20 && few.reads.unwrap() <= total);

            let found = best(of, &s, total, Some(Goal::Error(0.2)));
            let fewest = (2..=60).filter_map(|budget| {
                make(of(&Setting { budget, ..s.clone() }), Goal::Error(0.2)).reads
            });
            assert_eq!(found.reads, fewest.min());
        }
    }
    // DDAERR: (H/k + 1)(k + 1) is least at k = sqrt(H).
    let s = Setting {
        moments: Some(MomentNorms { sum: 1.0, half: 49.0, largest: 0.1 }),
        dims: 1000,
        ..setting()
    };
    let ddaerr = |s: &Setting| named(s, "ddaerr Kukliansky");
    assert_eq!(best(ddaerr, &s, 8_000_000_000, None).guarantee.budget, 8);
}

#[test]
fn contradicted_assumptions_take_the_promise_back() {
    let s =
        Setting { moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 0.5 }), ..setting() };
    for name in ["aerr", "ddaerr ", "ddaerr-2p", "aesvr"] {
        let Excess::Inapplicable { why } = named(&s, name).excess else { panic!("{name}") };
        assert!(why.contains("1.5") && why.contains("1.225"), "{why}");
    }
    assert!(matches!(
        named(&Setting { norm: 1.225, ..s.clone() }, "aerr").excess,
        Excess::Known(_)
    ));
    let s = Setting {
        moments: Some(MomentNorms { sum: 1.5, half: 20.0, largest: 1.2 }),
        norm: 2.0,
        ..setting()
    };
    for name in ["aer ", "aelr", "ddaelr ", "ddaelr-2p", "baseline"] {
        assert!(matches!(named(&s, name).excess, Excess::Inapplicable { .. }), "{name}");
    }
    assert!(matches!(named(&s, "ddaerr ").excess, Excess::Known(_)));
}

#[test]
fn a_bound_above_what_zero_loses_says_nothing() {
    let plan = |m| make(named(&setting(), "aerr"), Goal::Examples(m));
    // 4 sqrt(100/(3 m)) < 1 from m = 534 on.
    assert!(!plan(533).says_something() && plan(534).says_something());
    assert!(!make(named(&setting(), "baseline"), Goal::Examples(1000)).says_something());
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
        assert!(matches!(
            bad(&|s| s.radius2 = Some(wrong)),
            ErrorKind::OutOfRange { name: "radius2", .. }
        ));
        assert!(matches!(
            bad(&|s| s.confidence = wrong),
            ErrorKind::OutOfRange { name: "confidence", .. }
        ));
        assert!(matches!(bad(&|s| s.phase1 = wrong), ErrorKind::OutOfRange { name: "phase1", .. }));
    }
    assert!(matches!(
        bad(&|s| s.radius2 = Some(1.001)),
        ErrorKind::OutOfRange { name: "radius2", .. }
    ));
    assert!(matches!(bad(&|s| s.dims = 0), ErrorKind::OutOfRange { name: "dims", .. }));
    assert!(matches!(
        bad(&|s| s.budget = 101),
        ErrorKind::BudgetTooLarge { budget: 101, panels: 100 }
    ));
    assert!(matches!(
        bad(&|s| s.budget = 1),
        ErrorKind::BudgetTooSmall { budget: 1, least: 2, .. }
    ));
    assert!(matches!(bad(&|s| s.budget = 0), ErrorKind::BudgetTooSmall { .. }));
}

#[test]
fn the_widest_settings_give_numbers() {
    for (radius, dims) in
        [(1e50, 1_000_000_000_000), (1e-50, 1_000_000_000_000), (1e50, 1), (1e-50, 1)]
    {
        let s = Setting { dims, budget: dims.min(2), radius, ..setting() };
        s.check().unwrap();
        for of in guarantees() {
            for m in [1, 1000, MOST_EXAMPLES] {
                let plan = make(of(&s), Goal::Examples(m));
                assert!(plan.excess.is_none_or(|excess| excess.is_finite() && excess > 0.0));
            }
            let plan = best(of, &s, 1_000_000, None);
            assert!(plan.excess.is_none_or(f64::is_finite));
        }
    }
}
