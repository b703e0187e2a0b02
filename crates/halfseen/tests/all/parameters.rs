//! Checks every declaration: defaults and bounds by behaviour, unique names, exact texts.

use halfseen::params::{ALL, Declaration, Kind, Parameters, Rule, set_from_json};
use halfseen::registry::variants;
use halfseen::{Error, ErrorKind, Learner, budget, registry};

/// Returns texts of a kind: valid ones, ones out of range, and ones that are no value.
fn texts(kind: &Kind) -> (Vec<String>, Vec<String>, Vec<String>) {
    let own = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
    let outside = own(&["NaN", "-NaN", "inf", "-inf", "infinity", "-1", "1e999"]);
    let numbers = own(&["1e-300", "0.1", "1", "1e300", "1.7976931348623157e308", "5e-324", " 2 "]);
    let zero = own(&["0", "-0.0", "1e-400"]);
    let words = own(&["", "x", "1,5", "0x10", "none at all", "1 2"]);
    match *kind {
        Kind::Count { least, most } => {
            let mut outside = Vec::new();
            outside.extend(least.checked_sub(1).map(|n| n.to_string()));
            outside.extend(most.checked_add(1).map(|n| n.to_string()));
            (
                vec![least.to_string(), most.to_string()],
                outside,
                [words, own(&["-1", "1.5", "auto", "1e3"])].concat(),
            )
        }
        Kind::CountOrAuto { least } => {
            let outside = least.checked_sub(1).map(|n| n.to_string());
            let good = vec![least.to_string(), u64::MAX.to_string(), "auto".into()];
            (
                good,
                outside.into_iter().collect(),
                [words, own(&["-1", "1.5", "Auto", "18446744073709551616"])].concat(),
            )
        }
        Kind::Positive => (numbers, [outside, zero].concat(), [words, own(&["auto"])].concat()),
        Kind::PositiveOrAuto => {
            ([numbers, own(&["auto"])].concat(), [outside, zero].concat(), words)
        }
        Kind::NonNegative => ([numbers, own(&["0"])].concat(), outside, words),
        Kind::Flag => {
            (own(&["true", "false"]), vec![], [words, own(&["1", "True", "yes"])].concat())
        }
        Kind::Choice(choice) => {
            (own(choice), vec![], [words, own(&["2", &choice[0].to_uppercase()])].concat())
        }
        Kind::Share => {
            (own(&["0.5", "1e-9", "0.999"]), [outside, zero, own(&["1", "2"])].concat(), words)
        }
        Kind::ShareOrCount => (
            own(&["0.5", "1", "3000"]),
            [outside, zero, own(&["1.5", "1e300"])].concat(),
            [words, own(&["auto"])].concat(),
        ),
        Kind::BetweenOrAuto { least, most } => {
            let good = [least, most, 0.5 * (least + most)].map(|v| v.to_string());
            let outside =
                [outside, zero, vec![(least - 0.5).to_string(), (most * 1.5).to_string()]].concat();
            ([good.to_vec(), own(&["auto"])].concat(), outside, words)
        }
        Kind::SharesOrAuto => {
            let good = own(&["auto", "0.25,0.5,0.25", "[1, 0]", "1"]);
            (
                good,
                own(&["0.5,0.4", "2", "-1,2", "NaN,1", "0", "inf"]),
                own(&["", "x", "1;0", "0.5,,0.5", "online"]),
            )
        }
        Kind::Moments => {
            let good = own(&["auto", "online", "two-phase", "1,0,2.5e-3", "[3, 4]", "0"]);
            (good, own(&["-1", "1,NaN", "inf,1"]), own(&["", "x", "1;0", "1,,2", "Online"]))
        }
        Kind::NonNegativeOrAuto => ([numbers, own(&["0", "auto"])].concat(), outside, words),
        Kind::Costs => {
            let good = own(&["uniform", "mi", "1,0,2.5e-3", "[3, 4]", "0"]);
            (
                good,
                own(&["-1", "1,NaN", "inf,1"]),
                own(&["", "x", "1;0", "1,,2", "auto", "Uniform"]),
            )
        }
        Kind::Features => {
            let good = own(&["exact", "sketch:1", "sketch:2048", "sketch: 64"]);
            (
                good,
                own(&["sketch:0"]),
                own(&["", "Exact", "sketch", "sketch:", "sketch:-1", "sketch:1.5", "2048"]),
            )
        }
        Kind::Rule | Kind::RuleOrAuto => {
            let multiples = |texts: &[String]| {
                texts.iter().map(|t| format!("{}x", t.trim())).collect::<Vec<_>>()
            };
            let good = [multiples(&numbers), own(&["theory"])].concat();
            let bad = [multiples(&outside), multiples(&zero)].concat();
            let (with, without) = if *kind == Kind::Rule {
                (&[][..], &["auto"][..])
            } else {
                (&["auto"][..], &[][..])
            };
            (
                [numbers, good, own(with)].concat(),
                [outside, zero, bad].concat(),
                [words, own(&["xx", "3.2 y", "theoryx"]), own(without)].concat(),
            )
        }
    }
}

fn kind_of(error: &Error) -> &'static str {
    match error.kind() {
        ErrorKind::OutOfRange { .. } => "out of range",
        ErrorKind::NotAValue { .. } => "no value",
        ErrorKind::Request(_) => "unknown",
        other => panic!("{other:?}"),
    }
}

/// Calls `check` with every learner and every one of its declarations.
fn each(mut check: impl FnMut(&mut dyn Learner, &'static Declaration)) {
    for mut learner in variants() {
        for declaration in learner.declarations() {
            check(&mut *learner, declaration);
        }
    }
}

#[test]
fn every_default_is_in_its_range() {
    for learner in variants() {
        learner.check().unwrap();
    }
}

#[test]
fn bounds_hold_as_declared_and_values_come_back_exactly() {
    each(|learner, declaration| {
        let name = declaration.name;
        let (good, outside, none) = texts(&declaration.kind);
        for text in good {
            learner.set(name, &text).unwrap_or_else(|e| panic!("{}: {e}", learner.name()));
            learner.check().unwrap();
            let shown = learner.get(name).unwrap();
            let json = learner.to_json();
            learner.set(name, &shown).unwrap();
            assert_eq!(learner.get(name).unwrap(), shown);
            assert_eq!(learner.to_json(), json, "{name} = {text}");
            // Through JSON text, as in files.
            let read: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(&serde_json::to_string(&json).unwrap()).unwrap();
            let mut copy = registry::find(learner.name()).unwrap();
            set_from_json(&mut *copy, &read).unwrap();
            assert_eq!(copy.to_json(), json, "{name} = {text}");
            if let Ok(number) = text.trim().parse::<f64>() {
                assert_eq!(
                    shown.parse::<f64>().unwrap().to_bits(),
                    number.to_bits(),
                    "{name} = {text}"
                );
            }
        }
        let before = learner.to_json();
        for (texts, expected) in [(outside, "out of range"), (none, "no value")] {
            for text in texts {
                let error = learner
                    .set(name, &text)
                    .expect_err(&format!("{} took {name} = {text}", learner.name()));
                assert_eq!(kind_of(&error), expected, "{error}");
                assert!(error.to_string().contains(&declaration.kind.allowed()), "{error}");
                assert_eq!(learner.to_json(), before, "a refused value changed the learner");
            }
        }
    });
}

#[test]
fn values_set_past_the_door_are_caught_by_check() {
    for radius in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let aerr = budget::Aerr { radius, ..Default::default() };
        assert_eq!(kind_of(&aerr.check().unwrap_err()), "out of range");
    }
    for step in
        [Rule::Theory(f64::NAN), Rule::Theory(0.0), Rule::Fixed(f64::INFINITY), Rule::Fixed(-1.0)]
    {
        let aelr = budget::Aelr { step, ..Default::default() };
        assert_eq!(kind_of(&aelr.check().unwrap_err()), "out of range");
    }
    let aer = budget::Aer { seed: u64::MAX, ..Default::default() };
    assert_eq!(kind_of(&aer.check().unwrap_err()), "out of range");
    let aer = budget::Aer { budget: Some(0), ..Default::default() };
    assert_eq!(kind_of(&aer.check().unwrap_err()), "out of range");
}

#[test]
fn json_of_the_wrong_type_is_refused() {
    for value in [
        serde_json::json!(null),
        serde_json::json!([1]),
        serde_json::json!({}),
        serde_json::json!(true),
    ] {
        let mut learner = registry::find("aerr").unwrap();
        let json = serde_json::json!({ "radius": value }).as_object().unwrap().clone();
        assert_eq!(kind_of(&set_from_json(&mut *learner, &json).unwrap_err()), "no value");
    }
}

#[test]
fn an_unknown_name_is_refused_with_the_nearest_one() {
    each(|learner, declaration| {
        let typed = format!("{}s", declaration.name);
        assert_eq!(learner.get(&typed), None);
        let error = learner.set(&typed, "1").unwrap_err();
        assert_eq!(kind_of(&error), "unknown");
        assert!(
            error.to_string().contains(&format!("did you mean '{}'?", declaration.name)),
            "{error}"
        );
    });
}

#[test]
fn one_name_means_one_thing_and_every_declaration_is_complete() {
    for declaration in ALL {
        assert!(
            declaration.doc.ends_with('.') && declaration.doc.len() > 20,
            "{}",
            declaration.name
        );
        assert!(
            declaration
                .name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        );
    }
    for learner in variants() {
        let names: Vec<&str> = learner.declarations().iter().map(|d| d.name).collect();
        let distinct: std::collections::HashSet<&&str> = names.iter().collect();
        assert_eq!(distinct.len(), names.len(), "{}: {names:?}", learner.name());
        assert_eq!(learner.to_json().len(), names.len());
        assert!(names.contains(&"seed") || learner.family() != halfseen::learner::Family::Budget);
    }
}
