//! Learns from some rows of a file: drawn at random, or the first ones.

use crate::common::Place;
use serde_json::Value;

/// Rows whose number is an attribute, with a text and two classes.
fn rows(count: usize) -> String {
    let mut text = "row,a,colour,y,kind\n".to_owned();
    for i in 0..count {
        let (a, colour) = (i * 7 % 23, ["red", "blue", "green"][i * 11 % 17 % 3]);
        let kind = ["no", "yes"][i * 3 % 7 % 2];
        text.push_str(&format!("{i},{a},{colour},{},{kind}\n", a * 2 + i % 5));
    }
    text
}

fn model(place: &Place, flags: &str) -> Value {
    place.ok(&format!("fit t.csv --quiet --out m.json {flags}"));
    let mut model = place.json("m.json");
    model["report"]["seconds"] = 0.into();
    model
}

#[test]
fn rows_are_drawn_by_the_seed_and_all_of_them_give_the_fit_to_all() {
    let place = Place::new();
    place.write("t.csv", rows(400));
    let flags = "--target y --ignore kind --learner ridge";
    let some = model(&place, &format!("{flags} --rows 50"));
    assert_eq!(some["report"]["examples"], 50);
    assert_eq!(some, model(&place, &format!("{flags} --rows 50")));
    assert_ne!(some, model(&place, &format!("{flags} --rows 50 --seed 1")));
    assert_ne!(some, model(&place, &format!("{flags} --rows first:50")));
    let all = model(&place, flags);
    for rows in ["400", "1000", "first:400", "first:1000"] {
        assert_eq!(all, model(&place, &format!("{flags} --rows {rows}")), "{rows}");
    }
    let head: String = rows(400).lines().take(51).map(|line| format!("{line}\n")).collect();
    let first = model(&place, &format!("{flags} --rows first:50"));
    place.write("t.csv", head);
    assert_eq!(first, model(&place, flags));
}

#[test]
fn what_was_drawn_is_said() {
    let place = Place::new();
    place.write("t.csv", format!("{}1,2,red,,yes\n", rows(400)));
    let said =
        |flags: &str| place.run(&format!("fit t.csv --learner ridge --out m.json {flags}")).err;
    let of = said("--target y --ignore kind --rows 50");
    assert!(of.contains("t.csv: 50 rows drawn at random from 400 rows"), "{of}");
    assert!(of.contains("rows without a target ('y') that are left out: 1"), "{of}");
    let of = said("--target y --ignore kind --rows 500");
    assert!(of.contains("t.csv: there are only 400 rows, and all are used"), "{of}");
    let of = said("--target colour --classes red,blue --ignore kind,y --rows first:90");
    assert!(of.contains("rows of the first 90 are used"), "{of}");
    // Of the classes alone.
    place.ok("fit t.csv --target colour --classes red,blue --ignore kind,y --learner ridge --rows 60 --out m.json");
    assert_eq!(place.json("m.json")["report"]["examples"], 60);
    place.ok("compare t.csv --target y --ignore kind --learners ridge --rows 100 --out o");
    assert_eq!(place.json("o/results.json")["data"]["rows"], 100);
}

#[test]
fn rows_after_the_first_are_not_read_and_errors_name_rows_of_the_file() {
    let place = Place::new();
    let good = rows(80_000);
    place.write("t.csv", format!("{good}1,2,red,3,yes,too,many\n"));
    place.ok("fit t.csv --target y --ignore kind --learner ridge --rows first:1000 --out m.json");
    let ran =
        place.run("fit t.csv --target y --ignore kind --learner ridge --rows 1000 --out m.json");
    assert!(ran.code != Some(0) && ran.err.contains("row 80001"), "{}", ran.err);
    place.write("t.csv", format!("{good}inf,2,red,3,yes\n"));
    let ran =
        place.run("fit t.csv --target y --ignore kind --learner ridge --rows 80001 --out m.json");
    assert!(ran.code != Some(0) && ran.err.contains("row 80001"), "{}", ran.err);
}

#[test]
fn little_memory_suffices_and_the_error_without_it_names_the_flag() {
    let place = Place::new();
    place.write("t.csv", rows(400_000));
    let line =
        "--memory 10MB fit t.csv --target y --ignore kind --learner aerr --budget 2 --out m.json";
    let ran = place.run(line);
    assert!(
        ran.code != Some(0) && ran.err.contains("in the program --rows draws some"),
        "{}",
        ran.err
    );
    let ran = place.run(&format!("{} --total-budget 4000", line.replace("10MB", "100MB")));
    let examples = place.json("m.json")["report"]["examples"].as_u64().unwrap();
    // The first ones need no read of their product with weights of 0.
    assert!((2000..2010).contains(&examples), "{examples}");
    let remark = format!("400,000 rows that were read; --rows {examples} draws as many");
    assert!(ran.err.contains(&remark), "{}", ran.err);
    place.ok(&format!("{line} --rows 2000"));
    assert_eq!(place.json("m.json")["report"]["examples"], 2000);
    // The rows themselves may be too many.
    let ran = place.run(&format!("{line} --rows 390000"));
    assert!(ran.code != Some(0) && ran.err.contains("drawing rows needs about"), "{}", ran.err);
}

#[test]
fn odd_numbers_of_rows_are_refused() {
    let place = Place::new();
    place.write("t.csv", rows(40));
    for odd in ["1", "0", "-5", "1e3", "first:", "first:1", "last:9"] {
        let line = format!("fit t.csv --target y --learner ridge --out m.json --rows {odd}");
        let ran = place.run(&line);
        assert!(ran.code == Some(2) && !place.path("m.json").exists(), "{odd}: {}", ran.err);
    }
    let ran = place.run("compare --learners ridge --rows 9 --out o");
    assert!(ran.code == Some(2) && ran.err.contains("the included digits are few"), "{}", ran.err);
    let ran = place.run("fit t.csv --target y --learner ridge --rows 9 --partial m.hsp");
    assert!(ran.err.contains("--rows needs the whole table"), "{}", ran.err);
}
