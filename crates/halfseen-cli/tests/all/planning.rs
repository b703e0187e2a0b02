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
fn close(found: &Value, expected: f64) {
    let found = found.as_f64().unwrap();
    assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
}

fn moments(values: &[&str]) -> String {
    let rows: Vec<String> = values.iter().enumerate().map(|(i, v)| format!("a{i},{v}\n")).collect();
    format!("attribute,moment\n{}", rows.concat())
}

#[test]
fn budget_four_is_three_reads_and_one() {
    let place = Place::new();
    let plan = json(&place, &format!("{PLAN} --examples 10000"));
    close(&row(&plan, "aerr")["printed"]["excess"], 4.0 * (200.0_f64 / 30_000.0).sqrt());
    close(&row(&plan, "aerr")["excess"], 4.0 * (100.0_f64 / 30_000.0).sqrt());
    close(&row(&plan, "aerr")["constants"]["k"], 3.0);
    let log = 200.0_f64.ln();
    close(&row(&plan, "aelr")["printed"]["excess"], 4.0 * (1000.0 * log / 30_000.0).sqrt());
    let rate = ((1.0 + 10_000.0_f64.ln()) / 10_000.0).sqrt();
    close(&row(&plan, "aer")["excess"], 4.0 * 2.0_f64.sqrt() * 2.0 * 100.0 / 2.0 * rate);
    assert_eq!(row(&plan, "aer")["reads"], 40_000);
    let dense = json(&place, &format!("{PLAN} --examples 10000 --radius2 0.1"));
    close(&row(&dense, "aer")["excess"], 0.1 * row(&plan, "aer")["excess"].as_f64().unwrap());
    assert_eq!(row(&dense, "aelr"), row(&plan, "aelr"));
}

#[test]
fn examples_for_an_error_are_the_fewest() {
    let place = Place::new();
    let plan = json(&place, &format!("{PLAN} --error 0.1"));
    assert_eq!(row(&plan, "aerr")["examples"], 53_334); // 16 d / (k e^2)
    assert_eq!(row(&plan, "aerr")["printed"]["examples"], 106_667);
    for wanted in plan["rows"].as_array().unwrap().iter().filter(|row| row["status"] == "known") {
        let (learner, theorem) = (&wanted["learner"], &wanted["theorem"]);
        let at = |m: u64| {
            let plan = json(&place, &format!("{PLAN} --examples {m}"));
            let rows = plan["rows"].as_array().unwrap();
            rows.iter().find(|row| row["theorem"] == *theorem).unwrap()["excess"].as_f64().unwrap()
        };
        let m = wanted["examples"].as_u64().unwrap();
        assert!(at(m) <= 0.1 && at(m - 1) > 0.1, "{learner}");
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
        "baseline: rate only, O((d B)^2 / k sqrt(ln(d/delta) / m))",
        "aesvr: rate only",
        "Cesa-Bianchi et al. 2010, theorem 2",
        "Hazan and Koren 2012, theorem 3.1",
        "1,200",
        "*  No guarantee",
        "second moments: unknown",
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
    assert_eq!(row(&big, "ddaerr")["status"], "inapplicable");
    assert_eq!(row(&big, "ddaelr")["status"], "known");
    let text = place.ok(&format!("{line} --moments big.csv"));
    assert!(text.contains("|x|_2 <= 1 cannot hold; give a norm of at least 1.35"), "{text}");
    let normed = json(&place, &format!("{line} --moments big.csv --norm 2"));
    assert_eq!(row(&normed, "ddaerr")["status"], "known");
    close(&row(&normed, "aerr")["excess"], 16.0 * (4.0_f64 / 400.0).sqrt());
}

#[test]
fn total_budgets_choose_the_reads_of_each_example() {
    let place = Place::new();
    let plan = json(&place, "plan --dims 100 --total-budget 100000 --radius 1");
    for row in plan["rows"].as_array().unwrap().iter().filter(|row| row["status"] == "known") {
        assert!(row["reads"].as_u64().unwrap() <= 100_000);
        assert_eq!(
            row["reads"].as_u64().unwrap(),
            row["budget"].as_u64().unwrap() * row["examples"].as_u64().unwrap()
        );
        for budget in [2, 3, 5, 20, 100] {
            let fixed = json(
                &place,
                &format!(
                    "plan --dims 100 --budget {budget} --radius 1 --examples {}",
                    100_000 / budget
                ),
            );
            let other = fixed["rows"]
                .as_array()
                .unwrap()
                .iter()
                .find(|other| other["theorem"] == row["theorem"])
                .unwrap();
            let reads = other["reads"].as_u64().unwrap();
            assert!(
                reads > 100_000 || row["excess"].as_f64() <= other["excess"].as_f64(),
                "{row} {other}"
            );
        }
    }
    let few = json(&place, "plan --dims 100 --total-budget 100000 --radius 1 --examples 50");
    assert!(
        few["rows"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["examples"].as_u64().is_none_or(|m| m <= 50))
    );
    let text = place.ok("plan --dims 100 --total-budget 1000 --radius 1 --error 0.1");
    assert!(text.contains("+  More than the total budget of 1,000 reads."), "{text}");
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
        assert_eq!(aerr["more_than"], 1_000_000_000_000_000_000_u64);
    }
    place.ok(
        "plan --dims 1000000000000 --budget 1000 --radius 1e-40 --examples 1000000000000000000",
    );
    place.ok("plan --dims 1000000000000 --total-budget 1000000000000000000 --radius 1");
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
            &format!("{PLAN} --examples 9 --radius2 {wrong}"),
            &["--radius2", "finite number above 0"],
        );
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
        place.refused(
            &format!("plan --dims 9 --total-budget {wrong} --radius 1"),
            &["--total-budget", "whole number"],
        );
        place.refused(
            &format!("{PLAN} --examples 9 --phase1 {wrong}"),
            &["--phase1", "above 0 and below 1"],
        );
        place.refused(
            &format!("{PLAN} --examples 9 --confidence {wrong}"),
            &["--confidence", "above 0 and below 1"],
        );
    }
    place.refused(&format!("{PLAN} --examples 9 --phase1 1"), &["--phase1", "above 0 and below 1"]);
    place.refused(
        &format!("{PLAN} --examples 9 --radius2 2"),
        &["radius2 = 2", "at most the radius"],
    );
    place.refused(&format!("{PLAN} --examples 9 --error 0.1"), &["--error", "--examples"]);
    place.refused(PLAN, &["--error"]);
    place.refused("plan --dims 100 --radius 1 --examples 9", &["--budget"]);
    place.refused(
        "plan --dims 100 --radius 1 --budget 4 --total-budget 9 --examples 9",
        &["--budget", "--total-budget"],
    );
    place.refused("plan --dims 100 --budget 1 --radius 1 --examples 9", &["at least 2 reads"]);
    place.refused(
        "plan --dims 100 --budget 101 --radius 1 --examples 9",
        &["101 reads", "at most 100"],
    );
    place.refused(
        "plan --dims 100 --total-budget 1 --radius 1",
        &["--total-budget 1", "at least 2 reads"],
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
    assert!(rows.len() >= 12);
    for row in rows {
        assert_eq!(keys(row), keys(&rows[0]));
    }
    assert_eq!(row(&plan, "baseline")["status"], "rate only");
    assert!(row(&plan, "baseline")["rate"].as_str().unwrap().starts_with("O((d B)^2"));
    assert_eq!(row(&plan, "ddaerr-2p")["probability"], 0.95);
}

const KARMA: &str = "plan --karma --dims 20";

#[test]
fn plans_for_holes_have_their_values_by_hand() {
    let place = Place::new();
    // kappa = 1: nothing is cut off, gamma = 1, sqrt(8 / m) <= 0.2.
    let plan = json(&place, &format!("{KARMA} --kappa 1 --error 0.2 --examples 800"));
    let rows = plan["rows"].as_array().unwrap();
    let row = &rows[0];
    assert_eq!(
        (rows.len(), &row["gamma"], &row["truncation"]),
        (1, &Value::from(1), &Value::from(0.0))
    );
    assert!((200..=201).contains(&row["examples"].as_u64().unwrap()), "{row}");
    close(&row["after"]["excess"], 0.1);
    close(&row["after"]["c"], (1.0_f64 / 6400.0).sqrt());
    assert_eq!(
        (&row["vacuous"], &row["after"]["vacuous"]),
        (&Value::from(false), &Value::from(false))
    );
    // ceil(log 10) = 3: 20 + 400 + 8000 sequences.
    assert_eq!(row["printed"]["gamma"], 3);
    close(&row["printed"]["dimension"], 8420.0);
    close(&row["printed"]["examples_order"], 8420.0_f64.powi(2) * 20.0_f64.ln() / 0.04);

    let fixed = json(&place, &format!("{KARMA} --kappa 0.5 --error 0.5 --gamma 4"));
    let row = &fixed["rows"][0];
    close(&row["truncation"], 0.125);
    let (needed, m) = (8.0 * 4.0 * 8421.0 / 0.375_f64.powi(2), row["examples"].as_f64().unwrap());
    assert!(m >= needed && m <= needed + 1.0, "{m} {needed}");
    assert!(row["after"].is_null());
}

#[test]
fn plans_for_holes_say_where_they_promise_nothing() {
    let place = Place::new();
    let text = place.ok(&format!("{KARMA} --error 0.1 --examples 100"));
    for kappa in ["0.1", "0.25", "0.5", "0.75", "1"] {
        assert!(
            text.lines().any(|line| line.split_whitespace().next() == Some(kappa)),
            "no {kappa} in:\n{text}"
        );
    }
    for part in [
        "of 20 columns",
        "*  Vacuous",
        "more than 10^18",
        "excess after 100",
        "give --kappa",
        "lemma 2",
    ] {
        assert!(text.contains(part), "no '{part}' in:\n{text}");
    }
    let short = place.ok(&format!("{KARMA} --error 0.1 --kappa 0.5 --gamma 2"));
    assert!(
        short.contains("-  No number of rows is enough") && !short.contains("give --kappa"),
        "{short}"
    );
    let easy = place.ok(&format!("{KARMA} --error 1.5 --kappa 0.5"));
    assert!(easy.contains("Vacuous: always predicting 0 has a hinge loss of 1"), "{easy}");
    let far = place.ok("plan --karma --dims 1000000 --kappa 1e-12 --error 1e-9 --examples 5");
    for word in ["inf", "NaN", "None"] {
        assert!(![&text, &short, &easy, &far].iter().any(|text| text.contains(word)), "{word}");
    }
    let plan = json(&place, "plan --karma --dims 1000000 --error 1e-9 --examples 5");
    let rows = plan["rows"].as_array().unwrap();
    assert!(rows.len() == 5 && rows.iter().all(|row| keys(row) == keys(&rows[0])));
    assert_eq!(rows[0]["more_than"], 1_000_000_000_000_000_000_u64);
}

#[test]
fn plans_for_holes_refuse_what_they_cannot_use() {
    let place = Place::new();
    place.refused(&format!("{KARMA} --kappa 0.5 --examples 9"), &["--error"]);
    place.refused(&format!("{KARMA} --kappa 1.5 --error 0.1"), &["kappa", "at most 1"]);
    for wrong in ["0", "-1", "NaN", "few"] {
        place.refused(
            &format!("{KARMA} --error 0.1 --kappa {wrong}"),
            &["--kappa", "finite number above 0"],
        );
        place.refused(&format!("{KARMA} --error {wrong}"), &["--error", "finite number above 0"]);
        place
            .refused(&format!("{KARMA} --error 0.1 --gamma {wrong}"), &["--gamma", "whole number"]);
    }
    place.refused(&format!("{KARMA} --error 0.1 --budget 4"), &["--karma", "--budget"]);
    place.refused(&format!("{KARMA} --error 0.1 --radius 1"), &["--karma", "--radius"]);
    place.refused(&format!("{PLAN} --error 0.1 --kappa 0.5"), &["--karma"]);
    place.refused("plan --dims 100 --budget 4 --examples 9", &["--radius"]);
}
