//! Breaks saved learners and models in every way: each is refused by key, or goes on without a
//! panic.

use crate::common::{
    Data, budgeted, from_moments, keeps_reads, key, kind, layout, learner, started,
};
use halfseen::data::{Label, Scaler, TargetScale, Task};
use halfseen::model::Model;
use halfseen::prepare::{ColumnKind, ColumnSchema, Prepare, Schema};
use halfseen::registry::load;
use serde_json::{Value, json};

fn data() -> Data {
    Data::random(60, &layout(&[1, 2, 1], &[1]), 31)
}

/// The budgeted learners, the passive ones among them as such too.
fn names() -> Vec<String> {
    budgeted().into_iter().chain(["aerr passive".to_owned(), "aelr passive".to_owned()]).collect()
}

/// A learner in the middle of things, with open queries.
fn saved(name: &str, budget: &str) -> Value {
    let data = data();
    let mut settings = vec![("average", "all"), ("budget", budget), ("horizon", "100")];
    let name = name
        .strip_suffix(" passive")
        .inspect(|_| settings.push(("passive", "one")))
        .unwrap_or(name);
    let mut learner = started(name, &settings, &data.layout);
    data.teach(&mut *learner, 0..30);
    (0..3).for_each(|_| drop(learner.ask().unwrap()));
    learner.save().unwrap()
}

/// The places of all leaves, or of all containers, as JSON pointers.
fn places(value: &Value, at: &str, containers: bool, pointers: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(k, v)| places(v, &format!("{at}/{k}"), containers, pointers));
            if containers {
                pointers.push(at.to_owned());
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(i, v)| places(v, &format!("{at}/{i}"), containers, pointers));
            if containers {
                pointers.push(at.to_owned());
            }
        }
        _ if !containers => pointers.push(at.to_owned()),
        _ => {}
    }
}

/// Loading fails as a bad file, or gives a learner that can be used; neither panics.
fn survives(state: &Value, what: &str) -> bool {
    let data = data();
    let mut learner = match load(state) {
        Ok(learner) => learner,
        Err(error) => {
            assert_eq!(kind(&error), "BadFile", "{what}: {error}");
            assert!(
                !error.to_string().contains('\n') && error.to_string().len() <= 1024,
                "{what}: {error}"
            );
            return false;
        }
    };
    for row in 0..12 {
        let query = learner.ask().unwrap();
        let slots = query
            .reads
            .iter()
            .flat_map(|r| data.layout.slots_of(r.panel as usize % data.layout.panels()));
        let values: Vec<f64> = slots.map(|s| data.x[[row, s]]).collect();
        // Numbers out of range may be noticed here; that is an error, not a panic.
        if learner.tell(&query, &values, data.y[row]).is_err() {
            learner.forget(query.number).unwrap();
        }
    }
    let _ = (learner.predictor(), learner.report(), learner.save());
    true
}

#[test]
fn every_leaf_of_a_state_replaced_by_nonsense_is_refused_or_survived() {
    for name in names() {
        for budget in ["2", "3"] {
            let state = saved(&name, budget);
            assert!(survives(&state, "untouched"));
            let mut leaves = Vec::new();
            places(&state, "", false, &mut leaves);
            assert!(leaves.len() > 60);
            for place in &leaves {
                let nonsense = [
                    Value::Null,
                    json!(-1),
                    json!(0),
                    json!(0.5),
                    json!(1e308),
                    json!(-1e308),
                    json!(1e-308),
                    json!(u64::MAX),
                    json!(4_294_967_295_u64),
                    json!("text"),
                    json!(true),
                    json!([]),
                    json!({}),
                ];
                for value in nonsense {
                    let mut broken = state.clone();
                    *broken.pointer_mut(place).unwrap() = value.clone();
                    survives(&broken, &format!("{name}: {place} = {value}"));
                }
                // What is null already does not change by null.
                let other = |value: &Value| state.pointer(place) != Some(value);
                for value in [Value::Null, json!("text"), json!([])].into_iter().filter(other) {
                    let mut broken = state.clone();
                    *broken.pointer_mut(place).unwrap() = value;
                    let exempt = place.contains("/params/") || place.contains("/layout/names/");
                    assert!(
                        exempt || load(&broken).is_err(),
                        "{name}: {place} took a value of another type"
                    );
                }
            }
        }
    }
}

#[test]
fn every_array_and_object_of_a_state_cut_or_extended_is_refused_or_survived() {
    for name in names() {
        let state = saved(&name, "2");
        let mut containers = Vec::new();
        places(&state, "", true, &mut containers);
        for place in &containers {
            let mut broken = vec![state.clone(), state.clone()];
            match state.pointer(place).unwrap() {
                Value::Array(items) => {
                    broken[0].pointer_mut(place).unwrap().as_array_mut().unwrap().pop();
                    let first = items.first().cloned().unwrap_or(json!(0));
                    broken[1].pointer_mut(place).unwrap().as_array_mut().unwrap().push(first);
                    let mut reversed = state.clone();
                    reversed.pointer_mut(place).unwrap().as_array_mut().unwrap().reverse();
                    broken.push(reversed);
                }
                Value::Object(map) => {
                    for key in map.keys() {
                        let mut without = state.clone();
                        without.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(key);
                        broken.push(without);
                    }
                    broken[1].pointer_mut(place).unwrap()["an unknown key"] = json!(1);
                }
                _ => unreachable!(),
            }
            for (n, broken) in broken.iter().enumerate() {
                survives(broken, &format!("{name}: {place}, change {n}"));
            }
        }
    }
}

/// One thing broken at a time, and the key that must be named.
#[test]
fn what_is_wrong_with_a_state_is_named() {
    for name in names() {
        let state = saved(&name, "2");
        let named = |place: &str, value: Value| {
            let mut broken = state.clone();
            *broken.pointer_mut(place).unwrap() = value;
            let error =
                load(&broken).err().unwrap_or_else(|| panic!("{name}: {place} was accepted"));
            key(&error).to_owned()
        };
        assert_eq!(named("/format", json!("a recipe for soup")), "format");
        assert_eq!(named("/version", json!(4)), "version");
        assert_eq!(named("/learner", json!("soup")), "learner");
        if !keeps_reads(&name) {
            assert_eq!(named("/params/radius", json!(-1)), "params");
        }
        assert_eq!(named("/params/budget", json!("4000")), "params");
        assert_eq!(named("/layout/names", json!(["a"])), "layout");
        assert_eq!(named("/state/ledger/next", json!(-1)), "state");
        if keeps_reads(&name) {
            assert_eq!(named("/state/reads/values/0", Value::Null), "state");
            assert_eq!(named("/state/refused", json!(-1)), "state");
        } else if from_moments(&name) {
            assert_eq!(named("/state/sums/slot_target/0", Value::Null), "state");
            // Estimated moments do not depend on the radius: another one goes on from them.
            let mut other = state.clone();
            other["params"]["radius"] = json!(77.0);
            assert!(survives(&other, "another radius"));
        } else {
            assert_eq!(
                named("/params/radius", json!(77.0)),
                "iterate",
                "another radius than the iterate's"
            );
            assert_eq!(named("/state/iterate/slots/0/sum", Value::Null), "state");
        }
    }
}

#[test]
fn states_that_contradict_themselves_are_refused() {
    for name in names() {
        let state = saved(&name, "2");
        let refuse = |change: &dyn Fn(&mut Value), what: &str| {
            let mut broken = state.clone();
            change(&mut broken);
            assert!(broken != state, "{what}: nothing was changed");
            let error =
                load(&broken).err().unwrap_or_else(|| panic!("{name}: {what} was accepted"));
            assert_eq!(kind(&error), "BadFile", "{what}");
        };
        refuse(&|s| s["state"]["ledger"]["open"] = json!([31, 30]), "open queries out of order");
        refuse(&|s| s["state"]["ledger"]["open"] = json!([30, 30]), "an open query twice");
        refuse(&|s| s["state"]["ledger"]["open"] = json!([30, 99]), "an open query never asked");
        refuse(
            &|s| s["state"]["ledger"]["answered"] = json!(u64::MAX),
            "a count that would overflow",
        );
        let pop = |place: &'static str| {
            move |s: &mut Value| drop(s.pointer_mut(place).unwrap().as_array_mut().unwrap().pop())
        };
        if keeps_reads(&name) {
            refuse(&pop("/state/reads/values"), "a value too few");
            refuse(&pop("/state/reads/targets"), "a target too few");
            refuse(&pop("/state/reads/starts"), "an example too few");
            refuse(&|s| s["state"]["reads"]["slots"][0] = json!(99), "a slot that is not there");
            refuse(&|s| s["state"]["reads"]["values"][0] = json!(1e60), "a value that is refused");
            refuse(
                &|s| s["state"]["ledger"]["answered"] = json!(29),
                "another number of examples than answers",
            );
            refuse(
                &|s| s["state"]["plan"]["inclusion"] = json!([1.0, 0.5, 0.5]),
                "probabilities that nobody made",
            );
            refuse(
                &|s| s["state"]["plan"]["version"] = json!(1),
                "a design that was not asked for",
            );
        } else {
            refuse(&pop("/state/running/slots"), "a moment too few");
            refuse(&|s| s["state"]["running"]["touched"] = json!([99]), "a slot that is not there");
            refuse(&|s| s["state"]["given"] = json!([1.0]), "means where none are used");
        }
        if from_moments(&name) {
            for list in ["known_target", "slot_target", "slot_known"] {
                let longer = |s: &mut Value| {
                    s["state"]["sums"][list].as_array_mut().unwrap().push(json!(1.0))
                };
                refuse(&longer, "a sum too many");
                refuse(
                    &|s| s["state"]["sums"][list][0] = json!(1e130),
                    "a sum that no products have",
                );
            }
            refuse(&pop("/state/sums/known/values"), "a product without a value");
            refuse(&pop("/state/sums/known/places"), "a product without a place");
            refuse(
                &|s| s["state"]["sums"]["known"]["places"][2] = json!(3),
                "a place outside of the triangle",
            );
            refuse(
                &|s| s["state"]["sums"]["known"]["places"] = json!([1, 0, 2]),
                "places out of order",
            );
            refuse(
                &|s| s["state"]["sums"]["known"]["values"][0] = json!(1e130),
                "a product that no values have",
            );
        } else if !keeps_reads(&name) {
            refuse(&|s| s["state"]["iterate"]["radius"] = json!(9.0), "another radius");
            refuse(&pop("/state/iterate/slots"), "a slot too few");
            refuse(&pop("/state/known/weights"), "a known weight too few");
            refuse(&|s| s["state"]["known"]["radius"] = json!(9.0), "another known radius");
            refuse(&|s| s["state"]["known"]["intercept"] = json!(false), "no intercept");
        }
        refuse(
            &|s| s["layout"]["columns"] = json!([1, 0, 2, 3, 4]),
            "columns that contradict slots",
        );
        refuse(&|s| s["layout"]["starts"] = json!([0, 1, 1, 4, 5]), "a panel without columns");
        refuse(&|s| s["layout"]["sampled"] = json!(9), "more sampled panels than panels");
        refuse(&|s| s["layout"]["sampled"] = json!(4), "a known panel sampled");
        refuse(&|s| drop(s["layout"]["names"].as_array_mut().unwrap().pop()), "a name too few");
    }
}

/// A small model with everything in it.
fn model() -> Model {
    let column = |name: &str, kind| ColumnSchema {
        name: name.into(),
        kind,
        known: false,
        date: None,
        knots: Vec::new(),
    };
    let categories = vec!["blue".to_owned(), "red".to_owned()];
    let columns =
        vec![column("age", ColumnKind::Number), column("colour", ColumnKind::Text { categories })];
    let data = Data::random(50, &layout(&[1, 2], &[]), 32);
    let aerr = learner("aerr", &[("seed", "9"), ("budget", "2")]);
    let fit = aerr.fit(&data.examples(), &halfseen::Silent).unwrap();
    Model {
        learner: "aerr".into(),
        params: aerr.to_json(),
        prepare: Prepare {
            schema: Schema {
                columns,
                groups: vec![],
                prices: [("age".to_owned(), 1.0)].into(),
                by_reads: false,
            },
            scaler: Scaler::Each { offset: vec![0.1, 0.2, 0.3], divisor: vec![1.5, 1.0, 2.0] },
            target: TargetScale { mean: 0.3, deviation: 1.7 },
            deviations: None,
        },
        target: "ill".into(),
        task: Task::Classification,
        classes: vec![Label::Text("no".into()), Label::Text("yes".into())],
        predictor: fit.predictor,
        report: fit.report,
    }
}

#[test]
fn a_model_comes_back_exactly() {
    let model = model();
    let text = model.to_json().unwrap();
    let back = halfseen::registry::read_model(&text).unwrap();
    assert_eq!(back, model);
    assert_eq!(back.to_json().unwrap(), text);
}

#[test]
fn files_of_a_version_before_are_refused_in_one_sentence() {
    let sentence = "is 2: a version of halfseen before 0.3 wrote it; make it anew";
    let (key, message) = model_refused(|model| model["version"] = json!(2));
    assert_eq!((key.as_str(), message), ("version", format!("model, key 'version': {sentence}")));
    let mut state = saved("aerr", "2");
    state["version"] = json!(2);
    let message = load(&state).err().unwrap().to_string();
    assert_eq!(message, format!("learner state, key 'version': {sentence}"));
}

fn model_refused(change: impl FnOnce(&mut Value)) -> (String, String) {
    let mut json: Value = serde_json::from_str(&model().to_json().unwrap()).unwrap();
    change(&mut json);
    let error = halfseen::registry::read_model(&json.to_string())
        .expect_err("the broken model was accepted");
    (key(&error).to_owned(), error.to_string())
}

#[test]
fn what_is_wrong_with_a_model_file_is_named_by_its_key() {
    let named =
        |place: &str, value: Value| model_refused(|m| *m.pointer_mut(place).unwrap() = value).0;
    assert_eq!(named("/format", json!("soup")), "format");
    assert_eq!(named("/version", json!(4)), "version");
    assert_eq!(named("/learner", json!("soup")), "learner");
    assert_eq!(named("/learner", json!(3)), "learner");
    assert_eq!(named("/params/radius", json!("NaN")), "params");
    assert_eq!(named("/params", json!({ "colour": 1 })), "params");
    assert_eq!(named("/task", json!("cooking")), "task");
    assert_eq!(named("/classes", json!(["no"])), "classes");
    assert_eq!(named("/classes", json!(["no", null])), "classes");
    assert_eq!(named("/predictor/kind", json!("soup")), "predictor");
    assert_eq!(named("/predictor/weights", json!([1.0, 2.0])), "predictor.weights");
    assert_eq!(named("/predictor/weights/1", Value::Null), "predictor");
    assert_eq!(named("/predictor/fill", json!([1.0])), "predictor.fill");
    assert_eq!(named("/predictor/intercept", Value::Null), "predictor");
    assert_eq!(named("/prepare/scaler/divisor", json!([1.0, 0.0, 1.0])), "prepare.scaler.divisor");
    assert_eq!(named("/prepare/scaler/divisor", json!([1.0, 1.0])), "prepare.scaler.offset");
    assert_eq!(named("/report/panel_reads", json!([100])), "report.panel_reads");
    assert_eq!(named("/report/panel_reads", json!([50, 51])), "report.panel_reads");
    assert_eq!(named("/prepare/scaler/scale", json!("huge")), "prepare");
    assert_eq!(named("/prepare/target/deviation", json!(0.0)), "prepare.target");
    assert_eq!(named("/prepare/target/deviation", Value::Null), "prepare");
    let empty = json!({ "columns": [], "groups": [] });
    assert_eq!(named("/schema", empty), "prepare.scaler.offset");
    assert_eq!(named("/schema/columns/0/kind", json!("soup")), "schema");
    assert_eq!(named("/schema/prices", json!({ "age": -1.0 })), "schema");
    assert_eq!(named("/schema/prices", json!({ "hue": 1.0 })), "schema");
    assert_eq!(named("/schema/prices", json!({ "age": null })), "schema");
    assert_eq!(
        named("/schema/groups", json!([{ "name": "both", "columns": ["age", "age"] }])),
        "schema"
    );
    assert_eq!(named("/report/spent", Value::Null), "report");
    assert_eq!(named("/report/reads", json!(-1)), "report");
    assert_eq!(named("/report/stop", json!("soup")), "report");
    for wrong in [0.0, 1.0, -0.5, 7.0] {
        let (key, _) = model_refused(|m| m["report"]["quantile"] = json!(wrong));
        assert_eq!(key, "report.quantile");
    }
}

#[test]
fn a_model_file_with_missing_or_unknown_keys_is_refused_by_key() {
    let json: Value = serde_json::from_str(&model().to_json().unwrap()).unwrap();
    let sections = ["", "/schema", "/prepare", "/prepare/target", "/predictor", "/report"];
    for section in sections {
        let keys: Vec<String> =
            json.pointer(section).unwrap().as_object().unwrap().keys().cloned().collect();
        for lost in keys {
            // Absent prices, counts, ranges and errors have a meaning: none.
            let known = "prices panel_reads clip constant_risk";
            if known.split(' ').any(|key| key == lost) {
                continue;
            }
            let (key, message) = model_refused(|m| {
                drop(m.pointer_mut(section).unwrap().as_object_mut().unwrap().remove(&lost))
            });
            let named = key == lost || message.contains(&format!("`{lost}`"));
            assert!(named, "{section}/{lost} is missing: {message}");
        }
        let (key, message) = model_refused(|m| m.pointer_mut(section).unwrap()["zebra"] = json!(1));
        assert_eq!(key, "zebra", "unknown key in {section}: {message}");
    }
}

#[test]
fn every_leaf_of_a_model_replaced_by_nonsense_is_refused_or_harmless() {
    let json: Value = serde_json::from_str(&model().to_json().unwrap()).unwrap();
    let mut leaves = Vec::new();
    places(&json, "", false, &mut leaves);
    for place in leaves {
        for value in
            [Value::Null, json!(-1), json!(1e308), json!("text"), json!([]), json!(u64::MAX)]
        {
            let mut broken = json.clone();
            *broken.pointer_mut(&place).unwrap() = value.clone();
            match halfseen::registry::read_model(&broken.to_string()) {
                Ok(model) => assert!(model.to_json().is_ok(), "{place} = {value}"),
                Err(error) => {
                    assert_eq!(kind(&error), "BadFile", "{place} = {value}: {error}");
                    assert!(!key(&error).is_empty(), "{place} = {value}: {error}");
                }
            }
        }
    }
}

#[test]
fn numbers_that_are_not_finite_are_not_written() {
    for odd in [f64::NAN, f64::INFINITY] {
        let mut broken = model();
        let mut linear = broken.predictor.linear().unwrap().clone();
        linear.weights[1] = odd;
        broken.predictor = linear.into();
        assert_eq!(key(&broken.to_json().unwrap_err()), "predictor.weights");
        let mut broken = model();
        broken.prepare.target.mean = odd;
        assert_eq!(key(&broken.to_json().unwrap_err()), "prepare.target");
    }
}
