//! Compares learners on a small table: keys, files, threads, honesty, missing cells, groups.

use crate::common::{Place, keys, table, timeless};
use serde_json::Value;

const COMPARE: &str =
    "compare t.csv --target y --ignore who --learners ridge,aerr --budget 2 --splits 2 --folds 2";

fn results(place: &Place, flags: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("{COMPARE} --json {flags}"))).unwrap()
}

#[test]
fn keys_and_files_are_those_of_the_contract() {
    let place = Place::with_table();
    let json = results(&place, "--out o/p");
    assert_eq!(keys(&json), ["curve", "data", "rows", "summary"]);
    let row = "budget distinct examples imputed learner params reads seconds split test_error test_mse tuned tuning_reads";
    assert_eq!(keys(&json["rows"][0]).join(" "), row);
    assert_eq!(
        keys(&json["curve"][0]).join(" "),
        "distinct examples learner split test_error test_mse"
    );
    let mut expected = vec!["learner".to_owned(), "budget".to_owned()];
    for q in ["test_mse", "test_error", "reads", "distinct", "seconds"] {
        expected.extend(["mean", "sd", "median"].map(|s| format!("{q}_{s}")));
    }
    expected.sort();
    assert_eq!(keys(&json["summary"][0]), expected);
    assert_eq!(
        (json["rows"].as_array().unwrap().len(), json["summary"].as_array().unwrap().len()),
        (6, 3)
    );
    assert_eq!(json["summary"][2]["learner"], "constant");
    assert!(json["rows"][0]["test_error"].is_null());
    let mean = (json["rows"][0]["test_mse"].as_f64().unwrap()
        + json["rows"][1]["test_mse"].as_f64().unwrap())
        / 2.0;
    assert!((json["summary"][0]["test_mse_mean"].as_f64().unwrap() - mean).abs() < 1e-12);
    assert_eq!(place.json("o/p/results.json"), json);
    assert_eq!(json["data"]["attributes"], 3);
    let files: Vec<String> = place.files().into_iter().filter(|f| f.starts_with("o/p/")).collect();
    assert_eq!(
        files,
        [
            "o/p/curve-attributes.svg",
            "o/p/curve-examples.svg",
            "o/p/curve-own-test.svg",
            "o/p/results.json"
        ]
    );
    for row in json["rows"].as_array().unwrap().iter().filter(|r| r["learner"] == "aerr") {
        assert_eq!((&row["examples"], &row["tuned"]), (&54.into(), &true.into()));
        // While all weights are 0 the product is known without a read.
        assert!((100..=108).contains(&row["reads"].as_u64().unwrap()), "{row}");
        assert!(row["tuning_reads"].as_u64() > Some(0));
    }
}

#[test]
fn threads_change_nothing() {
    let place = Place::with_table();
    let one = timeless(results(&place, "--threads 1 --out o"));
    assert_eq!(one, timeless(results(&place, "--threads 2 --out o")));
    assert_ne!(one, timeless(results(&place, "--seed 1 --out o")));
}

#[test]
fn honest_runs_tune_nothing() {
    let place = Place::with_table();
    let json = results(&place, "--honest --out o");
    for row in json["rows"].as_array().unwrap() {
        assert_eq!(row["tuning_reads"], 0);
        assert_eq!(row["tuned"], row["learner"] == "ridge", "{row}");
    }
}

#[test]
fn missing_cells_are_filled_dropped_or_refused_and_counted() {
    let place = Place::new();
    place.write("t.csv", table(60).replacen("-5,0,", "-5,,", 1).replacen(",red,", ",,", 1));
    let json = results(&place, "--out o");
    let learners = |r: &&Value| r["learner"] != "constant";
    assert!(
        json["rows"].as_array().unwrap().iter().filter(learners).all(|r| r["imputed"] == 2),
        "a category counts once"
    );
    let json = results(&place, "--missing drop --out o");
    assert_eq!(json["rows"][0]["imputed"], 0);
    assert_eq!(
        json["data"]["rows"].as_u64().unwrap() + json["data"]["dropped"].as_u64().unwrap(),
        60
    );
    place.refused(&format!("{COMPARE} --missing refuse --out q"), &["t.csv", "row 1"]);
}

#[test]
fn groups_are_no_attributes() {
    let place = Place::with_table();
    assert_eq!(results(&place, "--group kind --test-share 0.3 --out o")["data"]["attributes"], 2);
}

#[test]
fn the_table_is_plain_text_without_a_terminal() {
    let place = Place::with_table();
    let ran = place.run(&format!("{COMPARE} --out o"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    assert!(!ran.out.contains('\u{1b}') && ran.out.contains("--honest"));
    for name in ["ridge", "aerr", "test squared error", "o/results.json"] {
        assert!(ran.out.contains(name), "{name}");
    }
}

#[test]
fn the_digits_that_ship() {
    let place = Place::new();
    let json = place
        .ok("compare --splits 1 --folds 2 --learners aerr --honest --threads 2 --json --out o");
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["data"]["rows"], &json["rows"][0]["budget"]), (&13454.into(), &4.into()));
    assert!(json["rows"][0]["test_mse"].as_f64().unwrap() < 1.0);
}
