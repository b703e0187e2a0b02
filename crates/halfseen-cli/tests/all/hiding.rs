//! Compares learners on tables with holes, and with more cells hidden on purpose.

use crate::common::{Place, keys, table, timeless};
use serde_json::Value;

const FAST: &str = "--splits 2 --folds 2 --out o --test-share 0.2";

fn json(place: &Place, line: &str) -> Value {
    serde_json::from_str(&place.ok(line)).unwrap()
}

fn learners(results: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = results["summary"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["learner"].as_str().unwrap())
        .collect();
    assert_eq!(names.pop(), Some("constant"), "what every learner is compared with");
    names
}

/// The usual table with every fifth `b` and some kinds missing.
fn with_holes() -> Place {
    let place = Place::new();
    let mut rows = table(60).lines().map(str::to_owned).collect::<Vec<String>>();
    for (i, row) in rows.iter_mut().enumerate().skip(1) {
        let mut cells: Vec<&str> = row.split(',').collect();
        if i % 5 == 0 {
            cells[1] = "";
        }
        if i % 7 == 0 {
            cells[2] = "?";
        }
        *row = cells.join(",");
    }
    place.write("t.csv", rows.join("\n"));
    place
}

#[test]
fn the_table_chooses_the_learners_where_none_is_named() {
    let place = with_holes();
    let compare =
        |flags: &str| format!("compare t.csv {flags} --splits 1 --folds 2 --out o --json --quiet");
    let holes = ["karma", "zero", "mean", "mcb", "mc1", "fiml"];
    assert_eq!(learners(&json(&place, &compare("--target who --ignore y"))), holes);
    assert_eq!(learners(&json(&place, &compare("--target y --ignore who"))), holes);
    // A named budget asks for those that read on a budget; they and the references get means.
    let budgeted = json(&place, &compare("--target y --ignore who --budget 2"));
    assert_eq!(learners(&budgeted)[..2], ["ridge", "lasso"]);
    // Complete tables as before, unless cells are to be hidden, or classes are many.
    place.write("t.csv", table(60));
    let complete = json(&place, &compare("--target y --ignore who"));
    assert_eq!((learners(&complete).len(), learners(&complete)[7]), (8, "fiml"));
    assert_eq!(learners(&json(&place, &compare("--target y --ignore who --hide 0.2"))), holes);
    assert_eq!(learners(&json(&place, &compare("--target kind --ignore who"))), holes);
    place.refused(
        "compare t.csv --target kind --learners karma,ridge --out q",
        &["'kind'", "3 classes (blue, green, red)", "ridge"],
    );
    // Of the learners that choose their reads it alone learns more than two classes.
    let budgeted = json(&place, &compare("--target kind --ignore who --budget 2"));
    assert_eq!(learners(&budgeted), ["fiml"]);
    place.refused(
        "compare t.csv --target kind --learners aerr --budget 2 --out q",
        &["'kind'", "3 classes (blue, green, red)", "--classes"],
    );
    place.refused(
        "compare t.csv --target y --learners robust-perceptron --out q",
        &["'y'", "numeric", "robust-perceptron"],
    );
}

#[test]
fn what_each_learner_got_for_holes_is_said() {
    let place = with_holes();
    let compare = format!("compare t.csv --target who --ignore y {FAST}");
    let text = place.ok(&format!("{compare} --learners karma,zero,ridge,lasso --quiet"));
    assert!(
        text.contains("Missing: 11.1 % of the attributes' cells, 20 of 180; 19 rows have some."),
        "{text}"
    );
    assert!(text.contains("For ridge, lasso 20 missing cells were imputed"), "{text}");
    assert!(text.contains("For karma nothing was imputed"), "{text}");
    assert!(text.contains("zero imputed 0"), "{text}");
    // Margins estimate nothing, so the error comes first.
    let head = text.lines().next().unwrap();
    assert!(head.find("test error") < head.find("test squared error"), "{head}");
    let only = place.ok(&format!("{compare} --learners karma,zero --quiet"));
    assert!(!only.contains("squared error") && !only.contains("--honest"), "{only}");
    let observed = place.ok(&format!("{compare} --learners karma,aerr --missing observed --quiet"));
    assert!(
        observed.contains("For aerr nothing was imputed") && !observed.contains("were imputed"),
        "{observed}"
    );
    let dropped = place.ok(&format!("{compare} --learners karma,ridge --missing drop --quiet"));
    assert!(
        dropped.contains("19 rows with missing cells were dropped")
            && !dropped.contains("Missing:"),
        "{dropped}"
    );
    place.refused(
        "compare t.csv --target who --ignore y --learners karma --missing refuse --out q",
        &["row 5", "'b'"],
    );
    let results = json(&place, &format!("{compare} --learners karma,ridge --json --quiet"));
    let data = &results["data"];
    assert_eq!(
        (&data["missing_cells"], &data["rows_with_holes"], &data["empty_rows"]),
        (&20.into(), &19.into(), &0.into())
    );
    for row in results["rows"].as_array().unwrap() {
        assert_eq!(row["imputed"], if row["learner"] == "ridge" { 20 } else { 0 });
    }
}

#[test]
fn curves_of_classes_show_the_test_error() {
    let place = with_holes();
    place.ok(&format!(
        "compare t.csv --target kind --ignore y,who --learners karma,zero {FAST} --classes red,green,blue --quiet"
    ));
    assert!(place.read("o/curve-examples.svg").contains("test error"));
    let results = place.json("o/results.json");
    assert!(results["rows"][0]["test_mse"].is_null() && results["rows"][0]["test_error"].is_f64());
    assert!(results.get("hidden").is_none(), "nothing was hidden");
}

#[test]
fn notes_about_the_data_are_told_once() {
    let place = Place::new();
    // Whether b is there tells the class.
    let row = |i: usize| {
        let sick = (i * 7).is_multiple_of(3);
        let b = if sick != i.is_multiple_of(10) { String::new() } else { (i % 5).to_string() };
        format!("{},{b},{}\n", i % 11, if sick { "sick" } else { "healthy" })
    };
    place.write("t.csv", format!("a,b,who\n,,sick\n{}", (0..120).map(row).collect::<String>()));
    let ran = place.run(&format!("compare t.csv --target who --learners karma,zero,mean {FAST}"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let notes: Vec<&str> = ran
        .err
        .lines()
        .filter(|l| l.contains("missingness of 'b' is correlated with the target"))
        .collect();
    assert_eq!(notes.len(), 1, "{}", ran.err);
    assert!(notes[0].starts_with("note: karma, zero, mean, in 2 of 2 splits: "), "{}", notes[0]);
}

#[test]
fn hidden_shares_are_compared_counted_and_drawn() {
    let place = with_holes();
    let compare =
        format!("compare t.csv --target y --ignore who --learners karma,zero,ridge {FAST} --quiet");
    let results = json(&place, &format!("{compare} --hide 0.5,0.2 --json"));
    assert_eq!(keys(&results), ["curve", "data", "hidden", "rows", "summary"]);
    assert_eq!(results, place.json("o/results.json"));
    let hidden = results["hidden"].as_array().unwrap();
    assert_eq!(
        hidden.iter().map(|h| h["share"].as_f64().unwrap()).collect::<Vec<_>>(),
        [0.0, 0.2, 0.5]
    );
    assert_eq!(keys(&hidden[1]), ["empty_rows", "observed", "rows", "share", "summary"]);
    assert_eq!(
        (&hidden[0]["rows"], &hidden[0]["summary"]),
        (&results["rows"], &results["summary"])
    );
    assert_eq!(hidden[0]["observed"], 160.0 / 180.0);
    for stage in &hidden[1..] {
        let left = stage["observed"].as_f64().unwrap() / hidden[0]["observed"].as_f64().unwrap();
        let share = stage["share"].as_f64().unwrap();
        assert!(
            (left + share - 1.0).abs() < 4.0 * (share * (1.0 - share) / 160.0).sqrt(),
            "{left}"
        );
        assert_eq!(stage["rows"].as_array().unwrap().len(), 8);
        // What is hidden is filled for ridge, and not for karma.
        let imputed = (180.0 * (1.0 - stage["observed"].as_f64().unwrap())).round();
        for row in stage["rows"].as_array().unwrap() {
            assert_eq!(
                row["imputed"].as_f64().unwrap(),
                if row["learner"] == "ridge" { imputed } else { 0.0 }
            );
        }
    }
    assert!(
        hidden[2]["summary"][0]["test_mse_mean"].as_f64()
            > hidden[0]["summary"][0]["test_mse_mean"].as_f64()
    );
    let figure = place.read("o/curve-hidden.svg");
    for word in ["karma", "zero", "ridge", "test squared error", "is observed"] {
        assert!(figure.contains(word), "{word}");
    }
    let text = place.ok(&format!("{compare} --hide 0.5,0.2"));
    let lines: Vec<&str> = text.lines().skip_while(|l| !l.contains("(--hide)")).take(5).collect();
    assert!(lines[1].starts_with("cells observed") && lines[1].contains("88.9 %"), "{text}");
    assert!(lines[2].starts_with("karma") && lines[4].starts_with("ridge"), "{text}");
    assert!(text.contains("curve-hidden.svg"));
    // The same cells, whatever the threads; others with another seed.
    let again =
        |flags: &str| timeless(json(&place, &format!("{compare} --hide 0.5,0.2 --json {flags}")));
    assert_eq!(again("--threads 1"), timeless(results));
    assert_ne!(again("--seed 4")["hidden"][1]["observed"], again("")["hidden"][1]["observed"]);
}

#[test]
fn targets_groups_known_columns_and_ignored_ones_are_not_hidden() {
    let place = Place::with_table();
    let results = json(
        &place,
        "compare t.csv --target y --ignore who --group kind --known a --learners zero --splits 2 --folds 2 --out o --hide 0.99 --json --test-share 0.4 --quiet",
    );
    // Of a and b, b is hidden, and a stays.
    let observed = results["hidden"][1]["observed"].as_f64().unwrap();
    assert!((0.5..0.6).contains(&observed), "{observed}");
    let rows = results["hidden"][1]["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["examples"].as_u64() > Some(20)));
}

#[test]
fn test_rows_of_a_file_of_their_own_are_hidden_too() {
    let place = with_holes();
    place.write("test.csv", table(40));
    let line = "compare t.csv --target y --ignore who --learners zero --splits 1 --folds 2 --test test.csv --out o --quiet --json";
    let error = |flags: &str| {
        let results = json(&place, &format!("{line} {flags}"));
        let last = results["hidden"].as_array().unwrap().last().unwrap().clone();
        (
            results["rows"][0]["test_mse"].as_f64().unwrap(),
            last["rows"][0]["test_mse"].as_f64().unwrap(),
        )
    };
    let (whole, hidden) = error("--hide 0.9");
    assert!(hidden > 2.0 * whole, "{whole} and {hidden}");
    // Test rows that have holes of their own are predicted as they are.
    place.write("test.csv", place.read("t.csv"));
    place.ok(&line.replace("--json", "--missing observed"));
    place.refused(
        &line.replace("--out o --quiet --json", "--missing refuse --out q"),
        &["row 5", "'b'"],
    );
}

#[test]
fn shares_that_cannot_be_are_refused_by_name() {
    let place = with_holes();
    let compare = "compare t.csv --target y --ignore who --learners karma --out q";
    for share in ["0", "1", "-0.1", "NaN", "1.5", "half", "0.1,2"] {
        place.refused(&format!("{compare} --hide {share}"), &["--hide", "above 0 and below 1"]);
    }
    place.refused(&format!("{compare} --hide 0.1,0.3,0.10"), &["--hide", "0.1", "twice"]);
    for missing in ["drop", "refuse"] {
        place.refused(
            &format!("{compare} --hide 0.1 --missing {missing}"),
            &["--hide", "--missing mean"],
        );
    }
    place.refused(&format!("--memory 40kB {compare}"), &["t.csv", "karma", "features=sketch:2048"]);
}

#[test]
fn hidden_cells_of_images_keep_the_range_of_bytes_where_nothing_may_be_looked_at() {
    let place = Place::new();
    let line = "compare --learners aerr --budget 4 --honest --hide 0.5 --splits 1 --test-share 0.9 --out o --json --quiet";
    let results = json(&place, line);
    assert_eq!(results["hidden"].as_array().map(Vec::len), Some(2), "{}", results["hidden"]);
    assert_eq!(results["rows"][0]["outside_bounds"], Value::Null);
}
