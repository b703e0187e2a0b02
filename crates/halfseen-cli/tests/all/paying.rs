//! Pays, declares and tests on a table of numbers and categories: prices, panels, moments, bounds,
//! total budgets.

use crate::common::{Place, table};
use serde_json::Value;

const AERR: &str = "fit t.csv --target y --ignore who --learner aerr --out m.json";
const COMPARE: &str = "compare t.csv --target y --ignore who --learners ridge,aerr --budget 2 --splits 2 --folds 2 --out o";

/// The small table, and declarations that are true of it.
fn place() -> Place {
    let place = Place::with_table();
    place.write("bounds.csv", "attribute,low,high\na,-5,5\nb,0,6\n");
    place.write("moments.csv", "attribute,moment,mean\na,10,0\nb,12.5,3\n");
    place.write("prices.csv", "attribute,price\na,0.5\nkind,4\n");
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn prices_are_on_the_bill_and_in_the_model() {
    let place = place();
    // Budget 3 reads every panel: 0.5 + 1 + 4 for each of 60 rows.
    let report = json(&place.ok(&format!("{AERR} --budget 3 --prices prices.csv --json")));
    assert_eq!((&report["spent"], &report["distinct"]), (&330.0.into(), &180.into()));
    assert_eq!(place.json("m.json")["schema"]["prices"]["kind"], 4.0);
    let summary = place.ok(&format!("{AERR} --budget 3 --prices prices.csv"));
    assert!(summary.lines().any(|l| l.split_whitespace().eq(["spent", "330"])), "{summary}");
    place.ok("predict m.json t.csv --quiet");
    let report = json(&place.ok(&format!("{AERR} --budget 3 --json")));
    assert_eq!(report["spent"], 180.0, "1 each without prices");
    assert!(!place.ok(&format!("{AERR} --budget 3")).contains("spent"));
    let compared = json(&place.ok(&format!("{COMPARE} --prices prices.csv --json")));
    for row in compared["rows"].as_array().unwrap() {
        let spent = row["spent"].as_f64().unwrap();
        match row["learner"].as_str().unwrap() {
            "ridge" => assert_eq!(spent, 54.0 * 5.5),
            "constant" => assert_eq!(spent, 0.0),
            _ => assert!(spent > 50.0 && spent < 54.0 * 5.0, "{row}"),
        }
    }
    assert!(
        compared["summary"][0]["spent_mean"].is_number()
            && compared["curve"][0]["spent"].is_number()
    );
    assert!(place.ok(&format!("{COMPARE} --prices prices.csv")).contains("spent"));
}

#[test]
fn a_panel_is_one_read() {
    let place = place();
    let report = json(&place.ok(&format!("{AERR} --panel both=a,kind --budget 2 --json")));
    assert_eq!((&report["reads"], &report["distinct"]), (&120.into(), &120.into()));
    place.refused(&format!("{AERR} --panel both=a,kind --budget 3"), &["3 reads", "2 attributes"]);
    place.write("p.csv", "attribute,price\nboth,7\n");
    let report =
        json(&place.ok(&format!("{AERR} --panel both=a,kind --budget 2 --prices p.csv --json")));
    assert_eq!(report["spent"], 480.0);
    let counts = place.json("m.json")["report"]["panel_reads"].clone();
    let counts: Vec<u64> = counts.as_array().unwrap().iter().filter_map(Value::as_u64).collect();
    assert_eq!((counts.len() as u64, Some(counts.iter().sum())), (2, report["distinct"].as_u64()));
    assert_eq!(report["panel_reads"], Value::Null, "a list as long as the table is wide");
    let shown = place.ok("show m.json");
    assert!(shown.contains("kind=red") && shown.contains("\na,"), "{shown}");
    let compared = json(&place.ok(&format!("{COMPARE} --panel both=a,kind --prices p.csv --json")));
    assert_eq!(compared["rows"][0]["spent"], 54.0 * 8.0);
    place.ok(&format!("{AERR} --panel x=a --panel z=b --budget 2"));
}

#[test]
fn declared_moments_reach_the_learner() {
    let place = place();
    let weights = |flags: &str| {
        place.ok(&format!("{AERR} --budget 2 {flags}"));
        place.json("m.json")["predictor"]["weights"].clone()
    };
    let plain = weights("--scale none");
    assert_ne!(plain, weights("--scale none --moments moments.csv"), "the step is another");
    assert_ne!(
        weights("--bounds bounds.csv"),
        weights("--bounds bounds.csv --moments moments.csv")
    );
    place.ok(&format!("{AERR} --budget 2 --moments moments.csv --set centre=given"));
    place.refused(&format!("{AERR} --budget 2 --set centre=given"), &["centre", "means"]);
    place.write("raw.csv", "attribute,moment\na,10\nb,12.5\nkind,1\n");
    place.ok(&format!("{AERR} --budget 2 --moments raw.csv"));
    place.refused(
        &format!("{AERR} --budget 2 --moments raw.csv --set centre=given"),
        &["centre", "means"],
    );
    place.write("fair.csv", "attribute,low,high\na,-5,5\nb,-6,6\n");
    place.ok(&format!("{AERR} --budget 2 --moments raw.csv --bounds fair.csv"));
    place.refused(
        &format!("{AERR} --budget 2 --moments raw.csv --bounds bounds.csv"),
        &["'b'", "column mean"],
    );
    // A known attribute is free to look at, and needs no declaration.
    place.write("one.csv", "attribute,moment\na,10\n");
    place.ok(&format!("{AERR} --budget 2 --moments one.csv --known b"));
}

#[test]
fn an_honest_comparison_takes_declared_bounds_and_moments() {
    let place = place();
    let flags = "--honest --bounds bounds.csv --moments moments.csv --known b --json";
    let compared = json(&place.ok(&format!("{COMPARE} {flags}")));
    for row in compared["rows"].as_array().unwrap().iter().filter(|r| r["learner"] == "aerr") {
        assert_eq!(
            (&row["tuned"], &row["tuning_reads"], &row["budget"]),
            (&false.into(), &0.into(), &2.into())
        );
        assert!(row["test_mse"].as_f64().unwrap().is_finite() && row["outside_bounds"].is_null());
    }
    let without =
        json(&place.ok(&format!("{COMPARE} --honest --bounds bounds.csv --known b --json")));
    assert_ne!(
        compared["rows"][2]["test_mse"], without["rows"][2]["test_mse"],
        "moments make a difference"
    );
    let classes = "compare t.csv --target kind --classes red,blue --ignore who --learners aerr --budget 2 --splits 2 --out o";
    place.write("by.csv", "attribute,low,high\na,-5,5\nb,0,6\ny,-20,20\n");
    place.write("my.csv", "attribute,moment,mean\na,10,0\nb,12.5,3\ny,60,-2\n");
    let told =
        json(&place.ok(&format!("{classes} --honest --bounds by.csv --moments my.csv --json")));
    assert!(told["rows"][0]["test_error"].as_f64().unwrap() <= 1.0);
    place.ok(&format!(
        "{COMPARE} --honest --group kind --test-share 0.3 --bounds bounds.csv --moments moments.csv"
    ));
}

#[test]
fn values_outside_their_bounds_are_counted_and_the_first_is_named() {
    let place = place();
    place.write("tight.csv", "attribute,low,high\na,-5,4.5\nb,0,6\n");
    let ran = place.run(&format!("{AERR} --budget 3 --bounds tight.csv --json"));
    // a = 5 where 7 i is 10 modulo 11.
    let count = (0..60).filter(|i| i * 7 % 11 == 10).count();
    assert_eq!((ran.code, ran.err.lines().count()), (Some(0), 1), "{}", ran.err);
    for says in [&format!("bounds: {count} "), "'a': 5", "-5 to 4.5", "guaranteed", "row "] {
        assert!(ran.err.contains(says), "{says}: {}", ran.err);
    }
    let report = json(&ran.out);
    assert_eq!(report["outside_bounds"], count);
    let row = report["first_outside"]["row"].as_u64().unwrap() - 1;
    assert_eq!(row * 7 % 11, 10);
    assert_eq!(place.run(&format!("{AERR} --budget 3 --bounds tight.csv --quiet")).err, "");
    assert_eq!(place.run(&format!("{AERR} --budget 3 --bounds bounds.csv")).err, "");
    // Rows are those of the file, also where only some of them are kept.
    let some = "fit t.csv --target kind --classes red,blue --ignore who,y --learner aerr --budget 2 --bounds tight.csv --json --out m.json";
    let ran = place.run(some);
    let named =
        ran.err.split("row ").nth(1).unwrap().split(',').next().unwrap().parse::<usize>().unwrap()
            - 1;
    assert!(named * 7 % 11 == 10 && named % 3 != 1, "{}", ran.err);
    let shown = place.ok(&format!("{COMPARE} --honest --bounds tight.csv"));
    assert!(shown.contains("outside their declared bounds") && shown.contains("'a'"), "{shown}");
    let rows =
        json(&place.ok(&format!("{COMPARE} --honest --bounds tight.csv --json")))["rows"].clone();
    assert!(
        rows[2]["outside_bounds"].as_u64() > Some(0) && rows[2]["first_outside"]["column"] == "a"
    );
}

#[test]
fn a_total_budget_ends_a_fit_that_is_no_failure() {
    let place = place();
    let ran = place.run(&format!("{AERR} --budget 2 --total-budget 51 --strict --json"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let report = json(&ran.out);
    assert_eq!((&report["stop"], &report["converged"]), (&"budget-spent".into(), &true.into()));
    let (reads, unused) = (report["reads"].as_u64().unwrap(), report["unused"].as_u64().unwrap());
    assert!(reads + unused == 51 && unused < 2, "{report}");
    assert_eq!(place.json("m.json")["params"]["total_budget"], 51);
    assert!(place.ok(&format!("{AERR} --budget 2 --total-budget 51")).contains("reads left"));
    let compared = json(&place.ok(&format!("{COMPARE} --total-budget 51 --json")));
    for row in compared["rows"].as_array().unwrap() {
        match row["learner"].as_str().unwrap() {
            "ridge" => assert_eq!((&row["reads"], &row["unused"]), (&162.into(), &Value::Null)),
            "constant" => assert_eq!(row["reads"], 0),
            _ => assert_eq!(row["reads"].as_u64().unwrap() + row["unused"].as_u64().unwrap(), 51),
        }
    }
    place.refused(
        &format!("{AERR} --budget 3 --total-budget 2"),
        &["total_budget", "2", "at least", "3"],
    );
    place.refused(&format!("{COMPARE} --total-budget 1"), &["total_budget"]);
    place.refused(
        &format!("{AERR} --budget 2 --total-budget 0"),
        &["--total-budget", "whole number"],
    );
    place.refused(
        &format!("{AERR} --budget 2 --total-budget -4"),
        &["--total-budget", "whole number"],
    );
    let ridge = "fit t.csv --target y --ignore who --learner ridge --out m.json --total-budget 9";
    place.refused(ridge, &["--total-budget", "ridge", "leave"]);
}

/// The error on a test table is that which `fit` and `evaluate` find.
#[test]
fn a_test_table_tests_what_all_rows_taught() {
    let place = place();
    let rows = table(90);
    let tests: Vec<&str> = rows.lines().skip(61).collect();
    place.write("new.csv", format!("a,b,kind,y,who\n{}\n", tests.join("\n")));
    let test = |flags: &str| json(&place.ok(&format!("{COMPARE} --test new.csv --json {flags}")));
    let json = test("");
    assert_eq!(
        (&json["data"]["test"], &json["data"]["test_rows"]),
        (&"new.csv".into(), &30.into())
    );
    assert!(json["data"]["test_share"].is_null());
    let (one, two) = (&json["rows"][0], &json["rows"][1]);
    assert_eq!(
        (&one["examples"], &one["split"], &two["split"]),
        (&60.into(), &0.into(), &1.into())
    );
    let radius = &one["params"]["radius"];
    place.ok(&format!(
        "fit t.csv --target y --ignore who --learner ridge --set radius={radius} --out m.json"
    ));
    let report: Value =
        serde_json::from_str(&place.ok("evaluate m.json new.csv --json --quiet")).unwrap();
    let (actual, expected) = (one["test_mse"].as_f64().unwrap(), report["mse"].as_f64().unwrap());
    assert!((actual - expected).abs() < 1e-9 * expected, "{actual} and {expected}");
    assert_ne!(json["rows"][2]["test_mse"], json["rows"][3]["test_mse"], "seeds differ");
    assert!(place.ok(&format!("{COMPARE} --test new.csv")).contains("30 rows of new.csv"));
    // Columns are matched by name, and absent ones count as missing.
    let turned: String = tests
        .iter()
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},{},x,{},{}\n", cells[3], cells[2], cells[1], cells[0])
        })
        .collect();
    place.write("turned.csv", format!("y,kind,extra,b,a\n{turned}"));
    let ran = place.run(&format!("{COMPARE} --test turned.csv --json"));
    assert!(ran.err.contains("extra") && ran.err.lines().count() == 1, "{}", ran.err);
    let again: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(again["rows"][0]["test_mse"], one["test_mse"]);
    let short: String = tests
        .iter()
        .map(|l| l.split(',').skip(1).take(3).collect::<Vec<_>>().join(",") + "\n")
        .collect();
    place.write("short.csv", format!("b,kind,y\n{short}"));
    let ran = place.run(&format!("{COMPARE} --test short.csv --json"));
    assert!(ran.err.contains("absent") && ran.err.contains('a'), "{}", ran.err);
    let worse: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(worse["rows"][0]["imputed"], 30);
    assert!(worse["rows"][0]["test_mse"].as_f64() > one["test_mse"].as_f64());
    // Classes are those of the training table, though the test rows show one of them only.
    let classes = "compare t.csv --target kind --classes red,blue --ignore who --learners ridge --splits 1 --folds 2 --out o";
    let red: String =
        rows.lines().filter(|l| l.contains("red")).map(|l| format!("{l}\n")).collect();
    place.write("red.csv", format!("a,b,kind,y,who\n{red}"));
    let json: Value =
        serde_json::from_str(&place.ok(&format!("{classes} --test red.csv --json"))).unwrap();
    assert!(json["rows"][0]["test_error"].as_f64().unwrap() <= 1.0);
    let json: Value =
        serde_json::from_str(&place.ok(&format!("{classes} --test new.csv --json"))).unwrap();
    assert_eq!(json["data"]["test_rows"], 20, "green rows are left out");
}

#[test]
fn test_tables_that_cannot_test_are_refused() {
    let place = place();
    let test = |content: &str, flags: &str, says: &[&str]| {
        place.write("new.csv", content);
        place.refused(&format!("{COMPARE} --test new.csv {flags}"), says);
    };
    test("a,b,kind\n1,2,red\n", "", &["new.csv", "'y'"]);
    test("a,b,kind,y\n1,2,red,\n", "", &["new.csv", "'y'", "missing in all 1 rows"]);
    test("a,b,kind,y\n1,2,red,inf\n", "", &["new.csv", "row 1", "'y'"]);
    test("a,b,kind,y\n1,2,red,high\n", "", &["new.csv", "'y'", "text"]);
    test("a,b,kind,y\nx,2,red,1\n", "", &["new.csv", "'a'", "text"]);
    test("y\n1\n", "", &["new.csv", "absent", "3"]);
    test("a,b,kind,y\n1,,red,1\n", "--missing refuse", &["new.csv", "row 1", "'b'"]);
    test("a,b,kind,y\n1,,red,1\n", "--missing drop", &["new.csv", "no row"]);
    test("b,kind,y\n1,red,1\n", "--missing refuse", &["new.csv", "row 1", "'a'"]);
    test("a,b,kind,y\n1,2,red,1\n", "--test-share 0.3", &["--test", "--test-share"]);
    test("a,b,kind,y\n1,2,red,1\n", "--group kind", &["--test", "--group"]);
    place.refused(&format!("{COMPARE} --test none.csv"), &["none.csv", "cannot be read"]);
    let classes = "compare t.csv --target who --ignore y --learners ridge --splits 1 --folds 2 --out o --test new.csv";
    place.write("new.csv", "a,b,kind,who\n1,2,red,sick\n1,2,red,dead\n");
    place.refused(classes, &["new.csv", "row 2", "'dead'", "healthy, sick"]);
}

#[test]
fn wrong_moments() {
    let place = place();
    let wrong = |rows: &str, says: &[&str]| {
        place.write("w.csv", format!("attribute,moment,mean\n{rows}"));
        place.refused(&format!("{AERR} --budget 2 --moments w.csv"), says);
        place.refused(&format!("{COMPARE} --honest --moments w.csv"), says);
    };
    wrong("a,10,0\n", &["moment", "'b'", "every attribute"]);
    wrong("a,10,0\nb,-1,\n", &["moment", "'b'", "-1"]);
    wrong("a,10,0\nb,NaN,\n", &["w.csv", "row 2", "moment must be a number"]);
    wrong("a,10,0\nb,inf,\n", &["w.csv", "row 2", "inf"]);
    wrong("a,10,0\nb,big,\n", &["w.csv", "row 2", "'big'"]);
    wrong("a,10,0\nb,4,3\n", &["'b'", "mean is 3", "second moment 4"]);
    wrong("a,10,0\nb,12,\nc,1,\n", &["w.csv", "'c'", "a, b, kind"]);
    wrong("a,10,0\nb,12,\ny,1,\n", &["w.csv", "'y'", "not an attribute"]);
    wrong("a,10,0\nb,12,\nkind,2,\n", &["'kind'", "from 0 to 1"]);
    wrong("a,10,0\nb,12,\nkind,1,0.5\n", &["'kind'", "omit the mean"]);
    wrong("a,10,0\na,10,0\n", &["w.csv", "row 2", "'a'", "second time"]);
    wrong(",10,0\n", &["w.csv", "row 1", "attribute"]);
    place.write("w.csv", "attribute,momnt\na,1\n");
    place.refused(
        &format!("{AERR} --budget 2 --moments w.csv"),
        &["w.csv", "'moment'", "did you mean 'momnt'"],
    );
    place
        .refused(&format!("{AERR} --budget 2 --moments none.csv"), &["none.csv", "cannot be read"]);
}

#[test]
fn a_moment_of_zero_is_held_against_the_reads() {
    let place = place();
    place.write("zero.csv", "attribute,moment,mean\na,0,\nb,12.5,3\n");
    place.refused(
        &format!("{AERR} --budget 3 --moments zero.csv"),
        &["t.csv", "row ", "'a'", "declared to be 0"],
    );
    place.refused(&format!("{COMPARE} --honest --moments zero.csv"), &["'a'", "declared to be 0"]);
    // The row is that of the file, though only some of its rows are kept.
    let rows = "a,b,kind,y\n1,1,green,1\n0,1,green,2\n0,1,blue,1\n0,2,red,3\n5,0,blue,2\n";
    place.write("t.csv", rows);
    let fit = "fit t.csv --target kind --classes red,blue --ignore y --learner aerr --budget 2 --moments zero.csv --out m.json";
    place.refused(fit, &["row 5,", "'a'"]);
    place.write("t.csv", rows.replace("5,0,blue", "0,0,blue"));
    place.ok(fit);
}

#[test]
fn wrong_prices() {
    let place = place();
    let wrong = |rows: &str, flags: &str, says: &[&str]| {
        place.write("w.csv", format!("attribute,price\n{rows}"));
        place.refused(&format!("{AERR} --budget 2 --prices w.csv {flags}"), says);
        place.refused(&format!("{COMPARE} --prices w.csv {flags}"), says);
    };
    wrong("a,-1\n", "", &["price", "'a'", "-1"]);
    wrong("a,NaN\n", "", &["w.csv", "row 1", "price must be a number"]);
    wrong("a,1e999\n", "", &["w.csv", "row 1"]);
    wrong("a,1e200\n", "", &["price", "'a'", "1e100"]);
    wrong("a,cheap\n", "", &["w.csv", "row 1", "'cheap'"]);
    wrong("a,1\nz,1\n", "", &["w.csv", "'z'", "a, b, kind"]);
    wrong("y,1\n", "", &["w.csv", "'y'", "not an attribute"]);
    wrong("who,1\n", "", &["w.csv", "'who'", "not an attribute"]);
    wrong("a,1\na,2\n", "", &["w.csv", "row 2", "second time"]);
    wrong("a,1\n", "--known a", &["price", "'a'", "known"]);
    wrong("a,1\n", "--panel both=a,b", &["price", "'a'", "panel"]);
    wrong("bath,1\n", "--panel both=a,b", &["w.csv", "'bath'"]);
}

#[test]
fn wrong_bounds() {
    let place = place();
    let wrong = |rows: &str, says: &[&str]| {
        place.write("w.csv", format!("attribute,low,high\n{rows}"));
        place.refused(&format!("{AERR} --budget 2 --bounds w.csv"), says);
        place.refused(&format!("{COMPARE} --honest --bounds w.csv"), says);
    };
    wrong("a,-5,5\nb,6,0\n", &["bounds of 'b'", "6 and 0", "lower one first"]);
    wrong("a,-5,5\nb,0,1e300\n", &["bounds of 'b'", "0 and 1e300", "1e100"]);
    wrong("a,-5,5\n", &["bounds of 'b'", "none"]);
    wrong("a,-5,5\nb,0,6\nc,0,1\n", &["w.csv", "'c'", "a, b, kind"]);
    wrong("a,-5,5\nb,0,6\ny,0,1\n", &["w.csv", "'y'", "not an attribute"]);
    wrong("a,-5,5\nb,0,1e-150\n", &["row ", "'b'", "too large", "widen the bounds"]);
}

#[test]
fn numbers_of_any_size_are_said_shortly() {
    let place = place();
    place.refused(
        &format!("{AERR} --budget 2 --set max_cost=1e-300"),
        &["max_cost = 1e-300 is not allowed"],
    );
    place.write("w.csv", "attribute,price\na,1e200\n");
    place.refused(&format!("{AERR} --budget 2 --prices w.csv"), &["price of 'a': it is 1e200;"]);
    place.write("w.csv", "attribute,moment\na,1e200\nb,1\nkind,1\n");
    place.refused(&format!("{AERR} --budget 2 --moments w.csv"), &["moment of 'a': it is 1e200;"]);
    place.refused(
        "plan --dims 9 --budget 2 --radius 1e200 --error 0.1",
        &["radius = 1e200 is not allowed"],
    );
}

#[test]
fn nothing_to_read_is_said() {
    let place = place();
    place.refused(
        &format!("{AERR} --budget 2 --known a,b,kind"),
        &["every attribute is known", "ridge"],
    );
    place.refused(
        &format!("{AERR} --budget 2 --known a,b"),
        &["the only attribute that can be read", "use 1"],
    );
    place.ok(&format!("{AERR} --budget 1 --known a,b"));
}

#[test]
fn wrong_panels() {
    let place = place();
    let wrong = |flags: &str, says: &[&str]| {
        place.refused(&format!("{AERR} --budget 2 {flags}"), says);
        place.refused(&format!("{COMPARE} {flags}"), says);
    };
    wrong("--panel ab", &["--panel ab", "NAME=COLUMN,COLUMN"]);
    wrong("--panel p=", &["--panel p=", "NAME=COLUMN,COLUMN"]);
    wrong("--panel =a", &["--panel =a", "NAME=COLUMN,COLUMN"]);
    wrong("--panel p=a,,b", &["--panel p=a,,b", "NAME=COLUMN,COLUMN"]);
    wrong("--panel p=a,kid", &["t.csv", "--panel", "'kid'", "did you mean 'kind'"]);
    wrong("--panel p=a,y", &["t.csv", "--panel", "'y'", "not an attribute"]);
    wrong("--panel p=a,who", &["t.csv", "--panel", "'who'", "not an attribute"]);
    wrong("--panel p=a,b --known b", &["t.csv", "'p'", "'b'", "known"]);
    wrong("--panel p=a,b --panel q=kind,a", &["t.csv", "'q'", "'a'", "two panels"]);
    wrong("--panel p=a,a", &["t.csv", "'p'", "'a'", "twice"]);
    wrong("--panel p=a --panel p=b", &["t.csv", "'p'", "name"]);
    wrong("--panel b=a,kind", &["t.csv", "'b'", "name"]);
}
