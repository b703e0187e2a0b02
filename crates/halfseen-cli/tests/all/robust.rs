//! Attacks and certifies saved models by the program, against sums and rows made by hand.

use crate::common::{Place, fields, keys};
use serde_json::Value;

/// Six rows of three attributes in scaled units, and a model whose weights are 3, 2 and -1, of two
/// classes or of a number.
///
/// The scores are 3 a + 2 b - c - 1: 4, -4, 2, -1, 1 and 1.
const ROWS: &str = "a,b,c,who\n1,1,0,v\n-1,0,0,u\n1,0,0,v\n0,0,0,u\n1,,1,v\n0,1,0,u\n";

fn place() -> Place {
    let place = Place::new();
    place.write("rows.csv", ROWS);
    place.write("numbers.csv", ROWS.replace("who", "y").replace(",v", ",3").replace(",u", ",-2"));
    place.write("train.csv", "a,b,c,who\n1,2,3,u\n3,1,2,v\n2,3,1,u\n3,2,3,v\n2,2,1,v\n1,3,3,u\n");
    place.write("fit.csv", "a,b,c,y\n1,2,3,1\n3,1,2,4\n2,3,1,2\n3,2,3,7\n2,2,1,3\n1,3,3,0\n");
    for (data, target, model) in [("train.csv", "who", "m.json"), ("fit.csv", "y", "n.json")] {
        place.ok(&format!(
            "fit {data} --target {target} --learner ridge --scale none --set intercept=false --out {model}"
        ));
        let mut json = place.json(model);
        json["predictor"]["weights"] = serde_json::json!([3.0, 2.0, -1.0]);
        json["predictor"]["intercept"] = serde_json::json!(-1.0);
        json["predictor"]["fill"] = serde_json::json!([0.0, 0.0, 0.0]);
        place.write(model, serde_json::to_string(&json).unwrap());
    }
    place
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn certificates_by_hand() {
    let place = place();
    let ran = place.run("certify m.json rows.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.starts_with("prediction,certified,flips\n"));
    // 4 - 3 - 2 < 0; -4 + 3 is no change, and there is nothing else; 2 - 3 < 0; nothing to lose; b
    // is missing, and spent, and 1 - 3 < 0; 1 - 2 < 0.
    let expected = [
        ["v", "1", "a;b"],
        ["u", "3", ""],
        ["v", "0", "a"],
        ["u", "3", ""],
        ["v", "1", "a"],
        ["v", "0", "b"],
    ];
    assert_eq!(fields(&ran.out), expected);
    // Safe at 0: all right rows; the last one is wrong.
    let lines: Vec<Vec<&str>> = ran.err.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(lines[0], ["threat", "certified", "error"]);
    assert_eq!(lines[1], ["0", "16.67", "%"]);
    assert_eq!(lines[2], ["1", "33.33", "%"]);
    assert_eq!(lines[3], ["2", "66.67", "%"]);
    place.ok("certify m.json rows.csv --json --quiet --out c.json");
    let report = place.json("c.json");
    assert_eq!(keys(&report), ["certified_error", "rows"]);
    assert_eq!(
        keys(&report["rows"][0]),
        ["certified", "exact", "flips", "flips_at", "missing", "prediction"]
    );
    assert_eq!(report["rows"][0]["flips"], serde_json::json!(["a", "b"]));
    assert_eq!(
        (&report["rows"][0]["flips_at"], &report["rows"][0]["certified"]),
        (&2.0.into(), &1.0.into())
    );
    assert!(
        report["rows"][1]["flips_at"].is_null()
            && report["rows"].as_array().unwrap().iter().all(|r| r["exact"] == true)
    );
    assert_eq!(report["rows"][4]["missing"], 1);
    let errors: Vec<f64> = report["certified_error"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["error"].as_f64().unwrap())
        .collect();
    assert_eq!(errors, [1.0 / 6.0, 2.0 / 6.0, 4.0 / 6.0]);
    // Without the target there are certificates, and no errors.
    place.write(
        "bare.csv",
        ROWS.lines().map(|l| l.rsplit_once(',').unwrap().0.to_owned() + "\n").collect::<String>(),
    );
    let bare = place.run("certify m.json bare.csv --json");
    assert_eq!((bare.code, bare.err.as_str()), (Some(0), ""));
    assert_eq!(json(&bare.out)["certified_error"], serde_json::json!([]));
    assert_eq!(json(&bare.out)["rows"], report["rows"]);
}

#[test]
fn certificates_tell_of_the_threat_that_the_model_was_prepared_for() {
    let place = place();
    let said =
        |flags: &str| place.run(&format!("certify p.json rows.csv {flags}")).err.replace('\n', " ");
    let fit = "fit rows.csv --target who --learner robust-lp --missing mean --out p.json --quiet";
    place.ok(&format!("{fit} --threat 2"));
    let report = json(&place.ok("certify p.json rows.csv --json --quiet"));
    let rows = report["rows"].as_array().unwrap();
    let survive = rows.iter().filter(|row| row["certified"].as_f64().unwrap() >= 2.0).count();
    let text = format!(
        "The model was prepared for the deletion of any 2 of 3 attributes of a row: {survive} of 6 predictions survive any 2."
    );
    assert!(said("").contains(&text), "{text}: {}", said(""));
    place.write("costs.csv", "attribute,cost\na,2.5\nb,0.5\n");
    let other = said("--costs costs.csv");
    assert!(other.contains("with other costs than these certificates."), "{other}");
    // Prepared at these costs; for noise; for nothing.
    place.ok(&format!("{fit} --threat 1.5 --costs costs.csv"));
    let costly = said("");
    assert!(
        costly.contains("at a cost of 1.5, of 4 in all: ")
            && costly.contains(" survive any at that cost."),
        "{costly}"
    );
    place.ok(&format!("{fit} --threat 1 --set damage=noise"));
    assert!(!said("").contains("prepared for"));
    place.ok(&format!("{fit} --threat 0"));
    assert!(!said("").contains("prepared for"));
    assert!(!place.run("certify m.json rows.csv").err.contains("prepared for"));
}

#[test]
fn costs_change_what_is_cheapest() {
    let place = place();
    place.write("costs.csv", "attribute,cost\na,2.5\nb,0.5\n");
    let report = json(&place.ok("certify m.json rows.csv --costs costs.csv --json --quiet"));
    let row = |i: usize| report["rows"][i].clone();
    let certified = |i: usize| row(i)["certified"].as_f64().unwrap();
    assert_eq!(row(0)["flips"], serde_json::json!(["a", "b"]));
    assert_eq!(row(0)["flips_at"], 3.0);
    assert!(certified(0) < 3.0 && certified(0) > 3.0 - 1e-7);
    assert_eq!((row(5)["flips_at"].clone(), certified(1)), (0.5.into(), 4.0));
    assert_eq!(row(4)["flips_at"], 3.0, "b is missing, and costs 0.5");
    // Free attributes leave nothing to certify.
    place.write("costs.csv", "attribute,cost\na,0\n");
    let report = json(&place.ok("certify m.json rows.csv --costs costs.csv --json --quiet"));
    assert!(report["rows"][2]["certified"].is_null());
    assert_eq!(report["rows"][2]["flips_at"], 0.0);
    let csv = place.ok("certify m.json rows.csv --costs costs.csv --quiet");
    assert_eq!(fields(&csv)[2], ["v", "", "a"]);
    let mi = place.run("certify m.json train.csv --costs mi --json");
    assert!(mi.code == Some(0) && mi.err.contains("computed from these rows"), "{}", mi.err);
}

#[test]
fn certificates_are_told_in_words() {
    let place = place();
    let said = place.run("certify m.json rows.csv").err;
    let errors = json(&place.ok("certify m.json rows.csv --json --quiet"));
    let percent = |at: usize| {
        let share = errors["certified_error"][at]["error"].as_f64().unwrap();
        format!("{:.1} %", 100.0 * share)
    };
    let text = format!("{} of the rows are predicted wrong as they are.", percent(0));
    assert!(said.contains(&text), "{said}");
    let text = format!("the worst 1 attribute of each row, at most {} are.", percent(1));
    assert!(said.contains(&text), "{said}");
    assert!(said.contains("From 2 attributes on it can be more than half."), "{said}");
    let said = place.run("certify n.json numbers.csv --within 2.5").err;
    assert!(said.contains("of the predictions move by more than 2.5."), "{said}");
    let said = place.run("certify n.json numbers.csv --within 250").err;
    assert!(said.contains("No deletion moves a prediction by more than 250."), "{said}");
}

#[test]
fn estimates_are_certified_within_a_distance() {
    let place = place();
    let csv = place.ok("certify n.json numbers.csv --within 2.5 --quiet");
    let rows = fields(&csv);
    let number = |row: usize| rows[row][0].parse::<f64>().unwrap();
    // The sum is -1 in the fourth row, and no target was below 0.
    assert_eq!((number(0), number(3)), (4.0, 0.0));
    assert_eq!(rows[0][1..], ["0", "a"]);
    assert_eq!(rows[3][1..], ["3", ""]);
    assert_eq!(rows[5][1..], ["3", ""], "b moves it by 2");
    let report = json(&place.ok("certify n.json numbers.csv --within 4.5 --json --quiet"));
    assert_eq!(report["rows"][0]["flips"], serde_json::json!(["a", "b"]));
    assert_eq!(report["certified_error"][0], serde_json::json!({ "threat": 0.0, "error": 0.0 }));
    place.refused("certify n.json numbers.csv", &["--within", "estimates a number"]);
    place.refused("certify m.json rows.csv --within 1", &["classes", "leave within out"]);
    for within in ["-1", "0", "NaN", "inf", "far"] {
        place.refused(
            &format!("certify n.json numbers.csv --within {within}"),
            &["finite number above 0"],
        );
    }
}

#[test]
fn an_evaluation_under_attack_by_hand() {
    let place = place();
    let report = json(&place.ok("evaluate m.json rows.csv --threat 1,2 --json --quiet"));
    assert_eq!(report["error"], 1.0 / 6.0);
    let attacks = report["attacks"].as_array().unwrap();
    assert_eq!(attacks.len(), 8);
    assert!(
        attacks
            .iter()
            .all(|a| keys(a) == ["attack", "balanced_error", "error", "mse", "threat", "unproven"])
    );
    let error = |attack: &str, threat: f64| {
        let attacked =
            attacks.iter().find(|a| a["attack"] == attack && a["threat"] == threat).unwrap();
        (attacked["error"].as_f64().unwrap() * 6.0).round() as u32
    };
    // With 1: the third row turns wrong, the fifth has spent it on b, the last (score 1, wrong) has
    // nothing that makes it worse.
    assert_eq!([error("exact", 1.0), error("greedy", 1.0)], [2, 2]);
    assert_eq!([error("exact", 2.0), error("greedy", 2.0)], [4, 4]);
    assert!(error("random", 2.0) <= 4);
    assert_eq!(report["attacked_error"], 4.0 / 6.0);
    // The certified error is that of the exact attack, where the right class is attacked.
    let certified = json(&place.ok("certify m.json rows.csv --json --quiet"));
    assert_eq!(certified["certified_error"][1]["error"], 2.0 / 6.0);
    assert_eq!(certified["certified_error"][2]["error"], 4.0 / 6.0);
    let one = json(
        &place.ok("evaluate m.json rows.csv --threat 1 --attack noise --seed 4 --json --quiet"),
    );
    assert_eq!(one["attacks"].as_array().unwrap().len(), 1);
    assert_eq!(one["attacks"][0]["error"], one["attacked_error"]);
    assert_eq!(
        one,
        json(
            &place.ok("evaluate m.json rows.csv --threat 1 --attack noise --seed 4 --json --quiet")
        )
    );
    let plain = json(&place.ok("evaluate m.json rows.csv --json"));
    assert!(
        plain["attacked_error"].is_null()
            && plain["attacks"].is_null()
            && plain["error"] == report["error"]
    );
    let floored = place.run("evaluate m.json rows.csv --threat 1.5 --attack exact");
    assert!(floored.err.contains("threat 1.5 means 1"), "{}", floored.err);
    let lines: Vec<&str> = floored.out.lines().collect();
    assert!(
        lines[8].starts_with("attack")
            && lines[9].starts_with("exact")
            && lines[9].contains("33.33 %"),
        "{lines:?}"
    );
    let numbers = json(&place.ok("evaluate n.json numbers.csv --threat 1 --json --quiet"));
    assert!(
        numbers["attacked_error"].is_null()
            && numbers["attacked_mse"].as_f64() > numbers["mse"].as_f64()
    );
}

#[test]
fn a_model_that_prepares_for_a_threat_is_evaluated_under_it_and_curves_are_drawn() {
    let place = place();
    let mut model = place.json("m.json");
    model["report"]["threat"] = serde_json::json!({ "costs": [1.0, 1.0, 2.0], "budget": 2.0 });
    place.write("t.json", serde_json::to_string(&model).unwrap());
    let report = json(&place.ok("evaluate t.json rows.csv --json --quiet"));
    assert!(report["attacks"].as_array().unwrap().iter().all(|a| a["threat"] == 2.0));
    assert!(report["attacked_error"].as_f64() > report["error"].as_f64());
    let auto =
        json(&place.ok("evaluate t.json rows.csv --threat auto --json --quiet --out curve.svg"));
    let budgets: Vec<f64> = auto["attacks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|a| a["attack"] == "exact")
        .map(|a| a["threat"].as_f64().unwrap())
        .collect();
    assert_eq!(budgets, [0.0, 1.0, 2.0, 3.0]);
    let svg = place.read("curve.svg");
    assert!(
        svg.starts_with("<svg")
            && ["exact", "greedy", "random", "noise", "threat"].iter().all(|w| svg.contains(w))
    );
    // The model's own costs, 2 for c.
    let own = json(&place.ok("certify t.json rows.csv --json --quiet"));
    assert_eq!(own["rows"][1]["certified"], 4.0);
    assert_eq!(
        json(&place.ok("certify t.json rows.csv --costs uniform --json --quiet"))["rows"][1]["certified"],
        3.0
    );
}

#[test]
fn impossible_threats_are_refused() {
    let place = place();
    place.refused("evaluate m.json rows.csv --threat 3", &["threat = 3", "below 3"]);
    place.refused("evaluate m.json rows.csv --threat -1", &["threat = -1", "at least 0"]);
    for text in ["NaN", "1,,2", "many", "inf"] {
        place.refused(&format!("evaluate m.json rows.csv --threat {text}"), &["auto", "5,10,20"]);
    }
    place.refused(
        "evaluate m.json rows.csv --attack exact",
        &["--threat", "ridge prepares for no threat"],
    );
    place.refused(
        "evaluate m.json rows.csv --threat 1 --attack eaxct",
        &["exact, greedy, random, noise"],
    );
    place.refused("evaluate m.json rows.csv --threat 1 --truncate 1", &["cannot be used with"]);
    place.refused("evaluate m.json rows.csv --out a.svg", &["--threat", "--truncate"]);
    place.refused("evaluate m.json rows.csv --threat 1 --out no/a.svg", &["no/a.svg", "folder"]);
    place.refused("evaluate m.json rows.csv --threat 1 --costs none.csv", &["none.csv"]);
    let costs = |text: &str, says: &[&str]| {
        place.write("v.csv", format!("attribute,cost\n{text}\n"));
        place.refused("certify m.json rows.csv --costs v.csv", says);
        place.refused("evaluate m.json rows.csv --threat 1 --costs v.csv", says);
    };
    costs("bb,1", &["v.csv", "'bb'", "did you mean 'b'"]);
    costs("b,-1", &["'b'", "-1", "from 0 to 1e100"]);
    costs("b,", &["'b'", "number"]);
    costs("b,x", &["'x'", "number"]);
    costs("a,0\nb,0\nc,0", &["all of them are 0"]);
    costs("a,1\na,2", &["second time"]);
    place.refused(
        "fit train.csv --target who --learner ridge --costs mi --out r.json",
        &["--costs", "ridge", "no threat"],
    );
    place.write("bare.csv", "a,b,c\n1,1,1\n");
    place.refused("certify m.json bare.csv --costs mi", &["--target"]);
    place.refused("certify m.json rows.csv --target whom", &["'whom'", "did you mean 'who'"]);
    place.write("t.csv", crate::common::table(40));
    place.ok("fit t.csv --target who --ignore y --learner karma --out k.json");
    place.refused("certify k.json t.csv", &["k.json", "not linear"]);
    place.refused("evaluate k.json t.csv --threat 1", &["k.json", "not linear"]);
}

#[test]
fn a_panel_vanishes_whole_and_known_columns_never() {
    let place = Place::with_table();
    place.ok(
        "fit t.csv --target who --ignore y --known b --learner lasso --set radius=3 --out l.json",
    );
    let report = json(&place.ok("certify l.json t.csv --json --quiet"));
    let rows = report["rows"].as_array().unwrap();
    let named = |row: &Value| {
        row["flips"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| f.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert!(rows.iter().flat_map(named).all(|name| name == "a" || name == "kind"));
    assert!(
        rows.iter().any(|row| !named(row).is_empty())
            && rows.iter().all(|row| row["certified"].as_f64().unwrap() <= 2.0)
    );
    // What a certificate says happens when those cells are empty.
    let lines: Vec<Vec<String>> = fields(&place.read("t.csv"));
    let mut emptied = String::from("a,b,kind,y,who\n");
    for (line, row) in lines.iter().zip(rows) {
        let keep = |name: &str, cell: &String| {
            if named(row).iter().any(|f| f == name) { String::new() } else { cell.clone() }
        };
        let cells = [
            keep("a", &line[0]),
            line[1].clone(),
            keep("kind", &line[2]),
            line[3].clone(),
            line[4].clone(),
        ];
        emptied.push_str(&(cells.join(",") + "\n"));
    }
    place.write("emptied.csv", emptied);
    let after = fields(&place.ok("predict l.json emptied.csv"));
    let mut turned = 0;
    for (row, after) in rows.iter().zip(&after) {
        let flips = !named(row).is_empty();
        assert_eq!(row["prediction"].as_str().unwrap() != after[0], flips);
        turned += usize::from(flips);
    }
    assert!(turned > 5, "{turned}");
    // Emptied cells are spent: a certificate of what is left says at least as much.
    let again = json(&place.ok("certify l.json emptied.csv --json --quiet"));
    for (before, after) in rows.iter().zip(again["rows"].as_array().unwrap()) {
        assert_eq!(after["missing"].as_u64().unwrap() as usize, named(before).len());
    }
}
