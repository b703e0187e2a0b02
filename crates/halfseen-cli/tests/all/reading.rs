//! Checks that models meet new tables as they met the one that they were fitted to, and that data
//! and results may come and go through pipes.

use crate::common::{Place, Ran};
use serde_json::json;
use std::io::Write;
use std::process::Stdio;

/// A table whose target is the day, with an identifier and a date.
fn dated(rows: usize) -> String {
    let row = |i: usize| format!("C{i:03},2024-01-{:02},{},{}\n", i % 28 + 1, i % 5, i % 28 + 1);
    format!("id,day,b,y\n{}", (0..rows).map(row).collect::<String>())
}

/// Runs with this standard input.
fn piped(place: &Place, line: &str, input: &[u8]) -> Ran {
    let mut command = place.command(line);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may refuse before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn a_date_is_the_same_number_in_every_command() {
    let place = Place::new();
    place.write("t.csv", dated(60));
    place.ok("fit t.csv --target y --as day=date --learner ridge --set radius=1000 --out m.json");
    let model = place.json("m.json");
    let columns = model["schema"]["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["day", "b"], "the identifier is left out");
    assert_eq!(columns[0]["date"], "%Y-%m-%d");
    place.write("new.csv", "day,b\n2024-01-05,1\n2024-01-05T12:00,1\n,1\n");
    let rows = crate::common::fields(&place.ok("predict m.json new.csv"));
    let predicted: Vec<f64> = rows.iter().map(|row| row[0].parse().unwrap()).collect();
    assert!(
        (predicted[0] - 5.0).abs() < 0.01 && (predicted[1] - 5.5).abs() < 0.01,
        "{predicted:?}"
    );
    let evaluated = place.run("evaluate m.json t.csv --json");
    assert_eq!(evaluated.code, Some(0), "{}", evaluated.err);
    place.ok("certify m.json t.csv --within 1");
    place.ok(
        "compare t.csv --target y --as day=date --learners ridge --splits 1 --test t.csv --out o",
    );
    place.write("new.csv", "day,b\n2024-01-05,1\n05.01.2024,1\n");
    place.refused("predict m.json new.csv", &["new.csv", "row 2", "'day'", "'05.01.2024'", "date"]);
}

#[test]
fn what_fit_left_out_is_not_asked_for() {
    let place = Place::new();
    place.write("t.csv", dated(60));
    let ran = place.run("fit t.csv --target y --learner ridge --out m.json");
    assert!(
        ran.err.contains("'id' is left out") && ran.err.contains("'day' is left out"),
        "{}",
        ran.err
    );
    place.write("new.csv", "b\n1\n2\n");
    let ran = place.run("predict m.json new.csv");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn evaluate_leaves_rows_without_a_target_out() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    place.write("new.csv", "a,b,kind,y\n1,2,red,3\n1,2,red,\n2,1,blue,1\n");
    let ran = place.run("evaluate m.json new.csv --json");
    assert!(ran.err.contains("left out: 1 (row 2)"), "{}", ran.err);
    let result: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(result["examples"], 2);
    place.write("new.csv", "a,b,kind,y\n1,2,red,\n1e200,2,red,3\n");
    let ran = place.run("evaluate m.json new.csv --quiet");
    assert!(ran.err.contains("row 2, column 'a'") && ran.code == Some(2), "{}", ran.err);
    place.write("new.csv", "a,b,kind,y\n1,2,red,\n");
    place.refused("evaluate m.json new.csv", &["new.csv", "'y' is missing in all 1 rows"]);
}

#[test]
fn a_dash_is_stdin_and_stdout() {
    let place = Place::new();
    let table = crate::common::table(60);
    let fit = "fit - --target y --ignore who --learner ridge --out -";
    let ran = piped(&place, fit, table.as_bytes());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let model: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(model["learner"], "ridge");
    assert!(ran.err.contains("certified gap"), "the report goes to stderr: {}", ran.err);
    place.write("m.json", &ran.out);
    place.write("t.csv", &table);
    let predicted = place.ok("predict m.json t.csv");
    let ran = piped(&place, "predict m.json - --out -", table.as_bytes());
    assert_eq!((ran.code, ran.out), (Some(0), predicted));
    let certified = place.ok("certify m.json t.csv --within 1 --out -");
    assert!(certified.starts_with("prediction,certified"), "{certified}");
    place.refused("evaluate m.json t.csv --truncate 1 --out -", &["--out -", "picture"]);
    assert!(!place.files().contains("-"));
    let ran = piped(&place, "predict m.json -", b"a;b;kind\n1,5;2;red\n");
    assert!(
        ran.err.contains("standard input: the columns are separated by semicolons"),
        "{}",
        ran.err
    );
}

#[test]
fn a_line_from_a_pipe_is_refused_before_it_ends() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    let line = vec![b'x'; 40 << 20];
    let ran = piped(&place, "predict m.json -", &line);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("longer than 16777216 bytes"), "{}", ran.err);
}

#[test]
fn huge_values_and_weights_are_refused() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    place.write("new.csv", "a,b,kind,y\n1,2,red,1\n1e308,2,red,1\n");
    for command in
        ["predict m.json new.csv", "evaluate m.json new.csv", "certify m.json new.csv --within 1"]
    {
        place.refused(command, &["new.csv", "row 2", "'a'", "1e308", "too large"]);
    }
    let sound = place.json("m.json");
    let damage: [(&str, serde_json::Value, &str); 3] = [
        ("/predictor/weights/0", json!(1e308), "predictor.weights"),
        ("/predictor/intercept", json!(-1e308), "predictor.intercept"),
        ("/prepare/scaler/divisor/0", json!(1e-320), "prepare.scaler.divisor"),
    ];
    for (at, value, key) in damage {
        let mut model = sound.clone();
        *model.pointer_mut(at).unwrap() = value;
        place.write("bad.json", model.to_string());
        place.refused("predict bad.json t.csv", &["bad.json", key]);
        place.refused("show bad.json", &["bad.json", key]);
    }
}

#[test]
fn a_number_that_is_a_category_may_be_huge() {
    let place = Place::new();
    let rows: String = (0..40).map(|i| format!("{},{}\n", ["1", "1e308"][i % 2], i % 5)).collect();
    place.write("t.csv", format!("a,y\n{rows}"));
    place.ok("fit t.csv --target y --as a=category --learner ridge --out m.json");
    place.ok("predict m.json t.csv");
}

#[test]
fn columns_declared_wrongly_are_refused() {
    let place = Place::new();
    place.write("t.csv", dated(60));
    let fit = "fit t.csv --target y --learner ridge --out m.json";
    place.refused(&format!("{fit} --as id=date"), &["--as id=date", "'C000'", "row 1"]);
    place.refused(&format!("{fit} --as id=number"), &["--as id=number", "'C000'", "row 1"]);
    place.refused(&format!("{fit} --as b=date"), &["'b' holds numbers"]);
    place.refused(&format!("{fit} --as y=category"), &["--as", "'y' is not an attribute"]);
    place.refused(&format!("{fit} --as none=date"), &["--as", "'none'"]);
    place.refused(&format!("{fit} --as id=text"), &["COL=category"]);
    place.refused(&format!("{fit} --delimiter 5"), &["semicolon, tab, bar"]);
    place.refused(&format!("{fit} --decimal dot"), &["point", "comma"]);
}
