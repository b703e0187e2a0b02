//! Refuses model files that are broken or no models, and tables that do not fit a model.

use crate::common::Place;
use serde_json::{Value, json};

/// Name of a damage, its making, and words of the refusal.
type Damage = (&'static str, fn(&mut Value), &'static [&'static str]);

fn fitted() -> Place {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    place
}

#[test]
fn every_damage_is_named() {
    let place = fitted();
    let sound = place.json("m.json");
    let damage: [Damage; 14] = [
        ("another version", |m| m["version"] = json!(4), &["version", "4"]),
        ("another format", |m| m["format"] = json!("else"), &["format", "else"]),
        ("a missing key", |m| drop(m.as_object_mut().unwrap().remove("target")), &["target"]),
        ("an unknown key", |m| m["extra"] = json!(1), &["extra"]),
        ("an unknown kind", |m| m["predictor"]["kind"] = json!("kernel"), &["kernel"]),
        ("an unknown learner", |m| m["learner"] = json!("rigde"), &["rigde", "ridge"]),
        ("an odd parameter", |m| m["params"]["radius"] = json!(-1), &["radius", "-1"]),
        (
            "a weight too few",
            |m| drop(m["predictor"]["weights"].as_array_mut().unwrap().pop()),
            &["weights", "4", "5"],
        ),
        (
            "a fill too many",
            |m| m["predictor"]["fill"].as_array_mut().unwrap().push(json!(1)),
            &["fill", "6", "5"],
        ),
        (
            "no deviation",
            |m| m["prepare"]["target"]["deviation"] = json!(0),
            &["target", "deviation"],
        ),
        (
            "a class too many",
            |m| m["classes"] = json!(["u"]),
            &["classes", "must be empty", "regression"],
        ),
        (
            "categories out of order",
            |m| m["schema"]["columns"][2]["categories"] = json!(["b", "a", "c"]),
            &["kind", "sorted"],
        ),
        (
            "a column twice",
            |m| m["schema"]["columns"][1]["name"] = json!("a"),
            &["'a'", "two columns"],
        ),
        (
            "a short scaler",
            |m| m["prepare"]["scaler"]["offset"] = json!([1.0]),
            &["offset", "per column"],
        ),
    ];
    for (_, change, says) in damage {
        let mut model = sound.clone();
        change(&mut model);
        place.write("bad.json", model.to_string());
        let says: Vec<&str> = says.iter().copied().chain(["bad.json"]).collect();
        place.refused("predict bad.json t.csv", &says);
        place.refused("show bad.json", &says);
    }
}

/// The sentences for these come from the reader of JSON; here only that they are refusals.
#[test]
fn numbers_that_are_none_and_files_that_end_early() {
    let place = fitted();
    let text = place.read("m.json");
    let broken = [
        text.replace("\"intercept\": ", "\"intercept\": null, \"was\": "),
        text.replacen("\"weights\": [", "\"weights\": [null,", 1),
        text.replacen("\"weights\": [", "\"weights\": [1e999,", 1),
        text[..text.len() / 2].to_owned(),
        format!("{text}}}"),
        "{}".to_owned(),
    ];
    for text in broken {
        place.write("bad.json", &text);
        let ran = place.run("predict bad.json t.csv --out p.csv");
        assert_eq!(
            (ran.code, ran.out.as_str(), ran.err.lines().count()),
            (Some(2), "", 1),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("bad.json") && !ran.err.contains("panicked"), "{}", ran.err);
        assert!(!place.path("p.csv").exists());
    }
}

#[test]
fn what_is_no_model() {
    let place = fitted();
    place.refused("show none.json", &["none.json", "path"]);
    place.refused("predict t.csv m.json", &["t.csv", "is not a model", "halfseen fit"]);
    place.write("empty", "");
    place.refused("show empty", &["empty", "is not a model"]);
    place.write("bytes", b"\xff\xfe\x00");
    place.refused("show bytes", &["bytes", "is not a model"]);
    place.refused("predict m.json m.json", &["m.json", "JSON", "before the data"]);
    place.refused(
        "fit m.json --target y --learner ridge --out n.json",
        &["m.json", "JSON", "table"],
    );
}

#[test]
fn tables_that_do_not_fit() {
    let place = fitted();
    place.write("few.csv", "a,z\n1,2\n");
    place.refused("predict m.json few.csv", &["few.csv", "2 of the model's 3 columns", "'b'"]);
    place.write("text.csv", "a,b,kind\n1,2,red\nlow,2,red\n");
    place
        .refused("predict m.json text.csv", &["text.csv", "row 2", "'a'", "'low' is not a number"]);
    place.write("inf.csv", "a,b,kind\n1,2,red\n1,inf,red\n");
    place.refused("predict m.json inf.csv", &["inf.csv", "row 2", "'b'"]);
    place.refused("evaluate m.json t.csv --target nope", &["t.csv", "'nope'"]);
    place.refused("evaluate m.json t.csv --target who", &["'who'", "row 1", "is not a number"]);
    place.write("hole.csv", "a,b,kind,y\n1,2,red,\n1,2,red,\n");
    place.refused("evaluate m.json hole.csv", &["hole.csv", "'y'", "missing in all 2 rows"]);
    place.ok("fit t.csv --target who --ignore y --learner ridge --out c.json");
    place.write("new.csv", "a,b,kind,who\n1,2,red,sick\n1,2,red,dead\n");
    place.refused("evaluate c.json new.csv", &["new.csv", "row 2", "'dead'", "healthy, sick"]);
}
