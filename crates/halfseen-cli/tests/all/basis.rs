//! Fits hat functions by the program: errors with and without, weights, parts, refusals.

use crate::common::bent::{number, parts_of_a};
use crate::common::{Place, fields};

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", crate::common::bent(600));
    place.write("bounds.csv", "attribute,low,high\na,-1,1\nb,-1,1\nc,-1,1\nd,-1,1\ne,-1,1\n");
    place
}

fn mse(place: &Place, more: &str) -> f64 {
    place.ok(&format!("fit t.csv --target y --out m.json {more}"));
    let report = place.ok("evaluate m.json t.csv --json --quiet");
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    report["mse"].as_f64().unwrap()
}

#[test]
fn what_bends_is_followed_with_hats_and_not_without() {
    let place = place();
    for learner in
        ["ridge --set radius=2", "karma --set gamma=1", "aerr --budget 4 --bounds bounds.csv"]
    {
        let (line, hats) = (
            mse(&place, &format!("--learner {learner}")),
            mse(&place, &format!("--learner {learner} --basis hats")),
        );
        assert!(hats < 0.85 * line, "{learner}: {hats} and {line}");
    }
    // Nothing is the default.
    mse(&place, "--learner ridge");
    let mut plain = place.json("m.json");
    mse(&place, "--learner ridge --basis none");
    let mut none = place.json("m.json");
    plain["report"]["seconds"] = 0.into();
    none["report"]["seconds"] = 0.into();
    assert_eq!(plain, none);
    assert!(plain["schema"]["columns"][0].get("knots").is_none());
}

#[test]
fn weights_are_named_and_parts_are_those_of_predictions() {
    let place = place();
    mse(&place, "--learner ridge --set radius=2 --basis hats");
    let ran = place.run("show m.json");
    let names: Vec<String> = fields(&ran.out).iter().map(|row| row[0].clone()).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("a near ")).count(), 4, "{names:?}");
    assert!(ran.err.contains("--curves prints these sums"), "{}", ran.err);
    let shown = place.ok("show m.json --curves --picture p.svg");
    assert!(shown.starts_with("attribute,value,part\n"), "{shown}");
    assert!(place.read("p.svg").contains("<title>Parts of the prediction of y"));
    let (rows, first) = parts_of_a(&place, &shown);
    assert_eq!(rows.len(), 6, "{shown}");
    // A hole of `a` is one of all its functions: `a` adds nothing.
    place.write("hole.csv", "a,b,c,d,e\n,0.5,0,0,0\n");
    let hole = number(&fields(&place.ok("predict m.json hole.csv --no-clip"))[0][0]);
    assert!((hole - (first - rows[0].1)).abs() < 1e-9);
}

#[test]
fn compare_shows_all_families_with_hats() {
    let place = place();
    let line = "compare t.csv --target y --learners ridge,karma,aerr,baseline --set budget=4 --splits 1 --out r";
    let errors = |more: &str| -> Vec<(String, f64)> {
        place.ok(&format!("{line} {more}"));
        let rows = place.json("r/results.json")["summary"].as_array().unwrap().clone();
        let error = |row: &serde_json::Value| row["test_mse_mean"].as_f64().unwrap();
        rows.iter().map(|row| (row["learner"].as_str().unwrap().to_owned(), error(row))).collect()
    };
    let (without, with) = (errors(""), errors("--basis hats"));
    assert!(without.len() >= 5 && without.len() == with.len(), "{without:?}");
    for ((learner, without), (_, with)) in without.iter().zip(&with) {
        // Of the others only ridge and karma see everything.
        match learner.as_str() {
            "ridge" | "karma" => assert!(*with < 0.5 * without, "{learner}: {without}, {with}"),
            "constant" => assert_eq!(with, without),
            _ => assert_ne!(with, without, "{learner}"),
        }
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let place = place();
    let refused = |line: &str, says: &str| {
        let ran = place.run(line);
        assert!(
            ran.code == Some(2) && ran.err.contains(says),
            "{line}: {:?} {}",
            ran.code,
            ran.err
        );
    };
    let fit = "fit t.csv --target y --out x.json";
    refused(&format!("{fit} --learner aerr --budget 3 --basis hats"), "declare their bounds");
    refused(&format!("{fit} --learner ridge --basis splines"), "hats");
    refused(
        "compare t.csv --target y --learners aerr --set budget=3 --honest --basis hats --out r",
        "declare their bounds",
    );
    place.write("moments.csv", "attribute,moment,mean\na,1,0\nb,1,0\nc,1,0\nd,1,0\ne,1,0\n");
    refused(
        &format!("{fit} --learner ridge --basis hats --moments moments.csv"),
        "leave out the moments, or the basis",
    );
    mse(&place, "--learner ridge --basis hats");
    let text = place.read("m.json");
    let mut model: serde_json::Value = serde_json::from_str(&text).unwrap();
    model["schema"]["columns"][0]["knots"][1] = 9.0.into();
    place.write("bad.json", model.to_string());
    let ran = place.run("predict bad.json t.csv");
    assert!(ran.code == Some(2) && ran.err.contains("knots"), "{:?} {}", ran.code, ran.err);
}
