//! Plans as a user does: numbers against hand values, and refusals of what cannot be planned.

use crate::common::{Place, keys};
use serde_json::Value;

const PLAN: &str = "plan --dims 100 --budget 4 --radius 1";

fn json(place: &Place, line: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("{line} --json"))).unwrap()
}

fn row<'j>(json: &'j Value, learner: &str) -> &'j Value {
    json["rows"].as_array().unwrap().iter().find(|row| row["learner"] == learner).unwrap()
}

#[track_caller]
fn close(actual: &Value, expected: f64) {
    let actual = actual.as_f64().unwrap();
    assert!((actual / expected - 1.0).abs() < 1e-12, "{actual} is not {expected}");
}

fn moments(values: &[&str]) -> String {
    let rows: Vec<String> = values.iter().enumerate().map(|(i, v)| format!("a{i},{v}\n")).collect();
    format!("attribute,moment\n{}", rows.concat())
}

#[test]
fn budget_four_is_three_reads_and_one() {
    let place = Place::new();
    let plan = json(&place, &format!("{PLAN} --examples 10000"));
    close(&row(&plan, "aerr")["excess"], 4.0 * (100.0_f64 / 30_000.0).sqrt());
    let rate = ((1.0 + 10_000.0_f64.ln()) / 10_000.0).sqrt();
    close(&row(&plan, "aer")["excess"], 4.0 * 2.0_f64.sqrt() * 2.0 * 100.0 / 2.0 * rate);
    close(&row(&plan, "aerr")["set"]["step"], 1.0 / (2.0 * (1_000_000.0_f64 / 3.0).sqrt()));
    assert!(row(&plan, "aer")["set"]["penalty"].is_number());
    assert_eq!(row(&plan, "aer")["reads"], 40_000);
}

#[test]
fn examples_for_an_error_are_the_fewest() {
    let place = Place::new();
    let plan = json(&place, &format!("{PLAN} --error 0.1"));
    assert_eq!(row(&plan, "aerr")["examples"], 53_334); // 16 d / (k e^2)
    for wanted in plan["rows"].as_array().unwrap() {
        let (learner, theorem) = (&wanted["learner"], &wanted["theorem"]);
        let at = |m: u64| {
            let plan = json(&place, &format!("{PLAN} --examples {m}"));
            let rows = plan["rows"].as_array().unwrap();
            rows.iter().find(|row| row["theorem"] == *theorem).unwrap()["excess"].as_f64().unwrap()
        };
        let m = wanted["examples"].as_u64().unwrap();
        assert!(at(m) <= 0.1 && at(m - 1) > 0.1, "{learner}");
        assert_eq!(wanted["reads"], m * wanted["budget"].as_u64().unwrap());
    }
}

#[test]
fn text_says_what_it_means() {
    let place = Place::new();
    let text = place.ok(&format!("{PLAN} --examples 300"));
    for part in [
        "after 300 examples with 4 of 100 attributes",
        "(prediction - target)^2",
        "Kukliansky and Shamir 2015 bound half of it",
        "aerr: 4 B^2 sqrt(c / m), c = d/k",
        "Cesa-Bianchi et al. 2010, theorem 2",
        "Hazan and Koren 2012, theorem 3.1",
        "1,200",
        "*  No guarantee",
        "second moments: unknown",
        "with probability 0.95",
    ] {
        assert!(text.contains(part), "no '{part}' in:\n{text}");
    }
    for word in ["inf", "NaN", "None"] {
        assert!(!text.contains(word), "{word} in:\n{text}");
    }
    // The first row is a whole line of the table.
    let aerr = text.lines().find(|line| line.starts_with("aerr ")).unwrap();
    let cells: Vec<&str> = aerr.split_whitespace().collect();
    assert_eq!(cells[..6], ["aerr", "4", "300", "1,200", "1.333", "*"]);
}

#[test]
fn moments_help_the_learners_that_use_them() {
    let place = Place::new();
    place.write("mu.csv", moments(&["0.81", "0.09", "0.01", "0.01"]));
    let line = "plan --dims 4 --budget 2 --radius 1 --examples 400";
    let (without, with) = (json(&place, line), json(&place, &format!("{line} --moments mu.csv")));
    // |mu|_{1/2} = (0.9 + 0.3 + 0.1 + 0.1)^2 = 1.96, |mu|_1 = 0.92.
    close(&row(&with, "ddaerr")["excess"], 4.0 * (2.96_f64 / 400.0).sqrt());
    close(&row(&with, "ddaelr")["excess"], 8.0 * (5.0 * 8.0_f64.ln() * 1.92 / 400.0).sqrt());
    close(&row(&without, "ddaerr")["excess"], 4.0 * (5.0_f64 / 400.0).sqrt());
    assert_eq!(row(&with, "aerr"), row(&without, "aerr"));

    place.write("big.csv", moments(&["0.9", "0.9", "0.01", "0.01"]));
    let big = json(&place, &format!("{line} --moments big.csv"));
    assert!(row(&big, "ddaerr")["contradiction"].is_string());
    assert!(row(&big, "ddaelr")["excess"].is_number());
    let text = place.ok(&format!("{line} --moments big.csv"));
    assert!(text.contains("|x|_2 <= 1 cannot hold; give a norm of at least 1.35"), "{text}");
    let normed = json(&place, &format!("{line} --moments big.csv --norm 2"));
    assert!(row(&normed, "ddaerr")["contradiction"].is_null());
    close(&row(&normed, "aerr")["excess"], 16.0 * (4.0_f64 / 400.0).sqrt());
}

#[test]
fn huge_plans_are_called_huge() {
    let place = Place::new();
    for line in [
        format!("{PLAN} --error 1e-15"),
        "plan --dims 1000000 --budget 2 --radius 1e40 --error 0.1".into(),
    ] {
        let text = place.ok(&line);
        assert!(
            text.contains("more than 10^18") && !text.contains("inf") && !text.contains("NaN"),
            "{text}"
        );
        let json = json(&place, &line);
        let aerr = row(&json, "aerr");
        assert!(aerr["examples"].is_null() && aerr["reads"].is_null() && aerr["excess"].is_null());
    }
    place.ok(
        "plan --dims 1000000000000 --budget 1000 --radius 1e-40 --examples 1000000000000000000",
    );
}

#[test]
fn what_cannot_be_planned_is_refused() {
    let place = Place::new();
    let without = "plan --dims 100 --budget 4";
    for wrong in ["0", "-1", "NaN", "inf", "few"] {
        place.refused(
            &format!("{without} --examples 9 --radius {wrong}"),
            &["--radius", "finite number above 0"],
        );
        place.refused(&format!("{PLAN} --error {wrong}"), &["--error", "finite number above 0"]);
        place.refused(
            &format!("{PLAN} --examples 9 --norm {wrong}"),
            &["--norm", "finite number above 0"],
        );
        place.refused(&format!("{PLAN} --examples {wrong}"), &["--examples", "whole number"]);
        place.refused(
            &format!("plan --dims {wrong} --budget 4 --radius 1 --examples 9"),
            &["--dims", "whole number"],
        );
        place.refused(
            &format!("plan --dims 9 --budget {wrong} --radius 1 --examples 9"),
            &["--budget"],
        );
    }
    place.refused(&format!("{PLAN} --examples 9 --error 0.1"), &["--error", "--examples"]);
    place.refused(PLAN, &["--error"]);
    place.refused("plan --dims 100 --radius 1 --examples 9", &["--budget"]);
    place.refused("plan --dims 100 --budget 1 --radius 1 --examples 9", &["at least 2 reads"]);
    place.refused(
        "plan --dims 100 --budget 101 --radius 1 --examples 9",
        &["101 reads", "at most 100"],
    );
    place.refused(&format!("{without} --radius 1e80 --examples 9"), &["radius", "1e50"]);
}

#[test]
fn moments_that_cannot_be_are_refused() {
    let place = Place::new();
    let line = "plan --dims 3 --budget 2 --radius 1 --examples 9 --moments mu.csv";
    place.refused(line, &["mu.csv"]);
    let try_with = |content: String, says: &[&str]| {
        place.write("mu.csv", content);
        place.refused(line, &[&["mu.csv"], says].concat());
    };
    try_with(moments(&["0.1", "0.2"]), &["2 moments", "--dims 3"]);
    try_with(moments(&["0.1", "0.2", "0.3", "0.4"]), &["4 moments", "--dims 3"]);
    try_with(moments(&["0.1", "-0.2", "0.3"]), &["row 2", "-0.2", "at least 0"]);
    try_with(moments(&["0.1", "NaN", "0.3"]), &["row 2", "missing", "at least 0"]);
    try_with(moments(&["0.1", "", "0.3"]), &["row 2", "missing"]);
    try_with(moments(&["0.1", "inf", "0.3"]), &["row 2"]);
    try_with(moments(&["0.1", "much", "0.3"]), &["row 2", "moment 'much'"]);
    try_with(moments(&["0", "0", "0"]), &["moments", "above 0"]);
    try_with(
        "attribute,moment\na,0.1\na,0.1\nb,0.1\n".into(),
        &["row 2", "'a' is declared a second time"],
    );
    try_with("attribute,moment\na,0.1\n,0.1\nb,0.1\n".into(), &["row 2", "attribute is missing"]);
    try_with("attribute,mean\na,0.1\nb,0.1\nc,0.1\n".into(), &["'moment'", "mean"]);
}

#[test]
fn json_has_the_same_keys_in_every_row() {
    let place = Place::new();
    let plan = json(&place, &format!("{PLAN} --error 0.5"));
    let rows = plan["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        assert_eq!(keys(row), keys(&rows[0]));
    }
}
