//! Cuts models down to few attributes, at the end of a fit and in an evaluation, against models cut
//! by hand.

use crate::common::{Place, fields, keys, table};

/// A saved ridge for the target, and what `evaluate --json` says with these flags.
fn evaluated(place: &Place, target: &str, flags: &str) -> serde_json::Value {
    let other = if target == "y" { "who" } else { "y" };
    place.ok(&format!("fit t.csv --target {target} --ignore {other} --learner ridge --out m.json"));
    serde_json::from_str(&place.ok(&format!("evaluate m.json t.csv --json --quiet {flags}")))
        .unwrap()
}

#[test]
fn an_evaluation_tests_the_attributes_of_largest_weight() {
    let place = Place::with_table();
    for target in ["y", "who"] {
        let report = evaluated(&place, target, "--truncate 3,1,1");
        let rows = report["truncated"].as_array().unwrap();
        assert_eq!(
            rows.iter().map(|r| r["attributes"].as_u64().unwrap()).collect::<Vec<_>>(),
            [1, 3]
        );
        assert!(rows.iter().all(|row| keys(row) == ["attributes", "error", "mse"]));
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        assert!((number(&rows[1]["mse"]) - number(&report["mse"])).abs() < 1e-12);
        assert_eq!(rows[1]["error"], report["error"]);
        // `a` weighs most. Standardised columns have mean 0, and so has the target: nothing else is
        // left.
        let model = place.json("m.json");
        let weight = number(&model["predictor"]["weights"][0]);
        let (scaler, scale) = (&model["prepare"]["scaler"], &model["prepare"]["target"]);
        let truth = |row: &[String]| match target {
            "y" => row[3].parse::<f64>().unwrap(),
            _ => f64::from(u8::from(row[4] == "sick")) * 2.0 - 1.0,
        };
        let (mut square, mut wrong) = (0.0, 0.0);
        let targets: Vec<f64> = fields(&table(60)).iter().map(|row| truth(row)).collect();
        let least = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = targets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for row in fields(&table(60)) {
            let a = (row[0].parse::<f64>().unwrap() - number(&scaler["offset"][0]))
                / number(&scaler["divisor"][0]);
            let score = weight * a * number(&scale["deviation"]) + number(&scale["mean"]);
            let score = score.clamp(least, largest);
            square += (score - truth(&row)).powi(2) / 60.0;
            wrong += f64::from(u8::from((score > 0.0) != (truth(&row) > 0.0))) / 60.0;
        }
        assert!(
            (number(&rows[0]["mse"]) - square).abs() < 1e-9,
            "{target}: {} and {square}",
            rows[0]["mse"]
        );
        assert!(number(&rows[0]["mse"]) > number(&report["mse"]));
        match target {
            "y" => assert!(rows[0]["error"].is_null()),
            _ => assert!((number(&rows[0]["error"]) - wrong).abs() < 1e-12),
        }
    }
}

#[test]
fn auto_goes_up_to_all_and_the_table_and_the_picture_show_it() {
    let place = Place::with_table();
    let report = evaluated(&place, "who", "--truncate auto --out m.svg");
    let counts: Vec<u64> = report["truncated"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["attributes"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [1, 2, 3]);
    let svg = place.read("m.svg");
    assert!(
        svg.starts_with("<svg")
            && svg.contains("attributes needed to predict")
            && svg.contains("ridge")
    );
    let text = place.ok("evaluate m.json t.csv --truncate auto");
    let lines: Vec<&str> = text.split("\n\n").nth(2).unwrap().lines().collect();
    assert!(
        lines[0].starts_with("attributes") && lines[0].ends_with("error") && lines.len() == 4,
        "{text}"
    );
    for (line, row) in lines[1..].iter().zip(report["truncated"].as_array().unwrap()) {
        let shown: Vec<&str> = line.split_whitespace().collect();
        assert_eq!((shown[0], shown[3]), (row["attributes"].to_string().as_str(), "%"));
        assert!((shown[1].parse::<f64>().unwrap() - row["mse"].as_f64().unwrap()).abs() < 1e-6);
        assert!(
            (shown[2].parse::<f64>().unwrap() / 100.0 - row["error"].as_f64().unwrap()).abs()
                < 1e-4
        );
    }
    let wide: String = (0..12).map(|j| format!("x{j},")).collect();
    let rows: String = (0..40)
        .map(|i| {
            (0..13)
                .map(|j| format!("{}", (i * (j + 3) + i * i * j) % 17))
                .collect::<Vec<_>>()
                .join(",")
                + "\n"
        })
        .collect();
    place.write("t.csv", format!("{wide}y\n{rows}"));
    place.ok("fit t.csv --target y --learner ridge --out m.json");
    let report: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --truncate auto")).unwrap();
    let counts: Vec<u64> = report["truncated"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["attributes"].as_u64().unwrap())
        .collect();
    assert_eq!(counts, [1, 2, 5, 10, 12]);
}

#[test]
fn a_truncated_fit_needs_no_more_than_its_attributes() {
    let place = Place::with_table();
    let fit = "fit t.csv --target y --ignore who --out m.json";
    for (learner, left) in
        [("ridge", vec!["a"]), ("aerr --budget 2 --known kind", vec!["a", "kind"])]
    {
        place.ok(&format!("{fit} --learner {learner} --truncate 1"));
        let model = place.json("m.json");
        let names: Vec<&str> = model["schema"]["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, left, "{learner}");
        // The constant and both ends of the range, a weight of `a`, three of the kinds.
        assert_eq!(fields(&place.ok("show m.json")).len(), if left.len() == 1 { 4 } else { 7 });
    }
    // The others may be absent, which the whole model minds when they are most of its attributes.
    place.write("few.csv", "a\n-5\n4\n");
    place.ok(&format!("{fit} --learner ridge"));
    place.refused("predict m.json few.csv", &["absent"]);
    place.ok(&format!("{fit} --learner ridge --truncate 1"));
    let ran = place.run("predict m.json few.csv");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let report: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet --truncate auto"))
            .unwrap();
    assert_eq!(report["truncated"].as_array().unwrap().len(), 1);
    // A column that is absent from the table is missing to every cut of the whole model.
    place.write(
        "no-a.csv",
        table(9)
            .lines()
            .map(|l| l.split_once(',').unwrap().1.to_owned() + "\n")
            .collect::<String>(),
    );
    place.ok(&format!("{fit} --learner ridge"));
    place.ok("evaluate m.json no-a.csv --quiet --truncate auto");
    let whole = evaluated(&place, "y", "--truncate 1");
    let mse = |report: &serde_json::Value| report["truncated"][0]["mse"].as_f64().unwrap();
    assert!((mse(&report) - mse(&whole)).abs() < 1e-12);
}

#[test]
fn impossible_truncations_are_refused() {
    let place = Place::with_table();
    let fit = "fit t.csv --target y --ignore who --learner ridge --out m.json";
    place.refused(&format!("{fit} --truncate 0"), &["truncate = 0", "from 1 to 3"]);
    place.refused(&format!("{fit} --truncate 4"), &["truncate = 4", "from 1 to 3"]);
    place.refused(&format!("{fit} --truncate 18446744073709551615"), &["from 1 to 3"]);
    for text in ["-1", "1.5", "few", "1,2"] {
        place.refused(&format!("{fit} --truncate {text}"), &["whole number"]);
    }
    place.refused(&format!("{fit} --truncate 1 --known a,b,kind"), &["left out", "known"]);
    place.ok(fit);
    place.refused("evaluate m.json t.csv --truncate 0", &["truncate = 0", "from 1 to 3"]);
    place.refused(
        "evaluate m.json t.csv --truncate 1,4 --out m.svg",
        &["truncate = 4", "from 1 to 3"],
    );
    for text in ["1,,2", "-1", "most", "1.5"] {
        place.refused(&format!("evaluate m.json t.csv --truncate {text}"), &["auto", "1,2,5"]);
    }
    place.refused("evaluate m.json t.csv --out m.svg", &["--truncate", "--threat"]);
    place.refused("evaluate m.json t.csv --truncate auto --out no/m.svg", &["no/m.svg", "folder"]);
}
