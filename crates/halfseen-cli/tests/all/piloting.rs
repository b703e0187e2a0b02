//! Fits with a pilot: rows of an earlier table that cost no read.

use crate::common::{Place, timeless};
use serde_json::Value;

const FIT: &str = "fit t.csv --target y --learner fiml --budget 2 --set design=uniform --json";

/// Numbers that look random: sums of twelve of a sequence, less 6.
fn normal(state: &mut u64) -> f64 {
    let unit = |state: &mut u64| {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..12).map(|_| unit(state)).sum::<f64>() - 6.0
}

/// Twelve attributes of one cause and a text; y is the difference of two of them.
fn table(rows: usize, seed: u64, sign: f64) -> String {
    let (mut state, mut text) = (seed, String::from("place"));
    (0..12).for_each(|j| text.push_str(&format!(",x{j}")));
    text.push_str(",y\n");
    for row in 0..rows {
        let cause = normal(&mut state);
        let x: Vec<f64> = (0..12).map(|_| 2.0 * cause + normal(&mut state)).collect();
        text.push_str(["north", "south"][row % 2]);
        x.iter().for_each(|v| text.push_str(&format!(",{v}")));
        let y = sign * (2.0 * x[0] - 2.0 * x[1] + x[5]) + 0.3 * normal(&mut state);
        text.push_str(&format!(",{y}\n"));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", table(300, 1, 1.0));
    place.write("new.csv", table(1_000, 2, 1.0));
    place.write("old.csv", table(100, 3, 1.0));
    place
}

fn error(place: &Place, model: &str) -> f64 {
    let line = format!("evaluate {model} new.csv --json");
    serde_json::from_str::<Value>(&place.ok(&line)).unwrap()["mse"].as_f64().unwrap()
}

#[test]
fn a_pilot_improves_predictions_and_costs_no_read() {
    let place = place();
    place.ok(&format!("{FIT} --out without.json"));
    let ran = place.run(&format!("{FIT} --pilot old.csv --out with.json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("note: pilot: 100 rows count as"), "{}", ran.err);
    assert!(error(&place, "with.json") < 0.7 * error(&place, "without.json"));
    let report = &place.json("with.json")["report"];
    assert_eq!((report["reads"].as_u64(), report["examples"].as_u64()), (Some(600), Some(300)));
    // Other places, holes, unknown targets, and a column more and one less.
    let old = place.read("old.csv").replace("north", "elsewhere").replacen("x11", "x12", 1);
    let mut rows: Vec<String> = old.lines().map(str::to_owned).collect();
    for row in rows.iter_mut().skip(1).step_by(3) {
        let target = row.rfind(',').unwrap();
        row.truncate(target + 1);
    }
    place.write("old.csv", rows.join("\n") + "\n");
    let ran = place.run(&format!("{FIT} --pilot old.csv --out odd.json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("x11") && ran.err.contains("note: pilot: 100 rows"), "{}", ran.err);
}

#[test]
fn a_pilot_that_contradicts_leaves_the_fit_as_it_is() {
    let place = place();
    let without: Value =
        serde_json::from_str(&place.ok(&format!("{FIT} --out without.json"))).unwrap();
    place.write("old.csv", table(100, 3, -1.0));
    let ran = place.run(&format!("{FIT} --pilot old.csv --out with.json"));
    assert!(ran.code == Some(0) && ran.err.contains("its 100 rows do not count"), "{}", ran.err);
    assert_eq!(place.json("with.json")["predictor"], place.json("without.json")["predictor"]);
    assert!(timeless(without)["reads"] == 600);
}

#[test]
fn pilots_that_cannot_be_used_are_refused() {
    let place = place();
    let fit = format!("{FIT} --out m.json --pilot p.csv");
    let refused = |content: &str, says: &[&str]| {
        place.write("p.csv", content);
        place.refused(&fit, &[&["--pilot"], says].concat());
    };
    let old = place.read("old.csv");
    refused("", &["p.csv"]);
    refused(old.lines().next().unwrap(), &["p.csv"]);
    refused("a,b,y\n1,2,3\n4,5,6\n", &["p.csv", "columns"]);
    refused(&old.replacen(",y\n", ",z\n", 1), &["p.csv", "'y'"]);
    refused(&old.replacen("\nnorth,", "\nnorth,inf", 1), &["p.csv"]);
    let header = old.lines().next().unwrap();
    refused(&format!("{header}\n{}\n", ",".repeat(13)), &["pilot", "observed"]);
    place.refused(&fit.replace("p.csv", "absent.csv"), &["absent.csv"]);
    let other = fit.replace("fiml", "aerr").replace(" --set design=uniform", "");
    place.refused(&other, &["--pilot", "aerr", "fiml"]);
    place.refused(&fit.replace("m.json", "p.csv"), &["--out", "p.csv"]);
    // A class that the table does not have.
    let classes = |name: &str, content: &str| {
        let mut lines = content.lines();
        let mut text = format!("{}\n", lines.next().unwrap());
        for line in lines {
            let (cells, y) = line.rsplit_once(',').unwrap();
            let class = if y.starts_with('-') { "low" } else { "high" };
            text.push_str(&format!("{cells},{class}\n"));
        }
        place.write(name, text);
    };
    classes("t.csv", &place.read("t.csv"));
    classes("p.csv", &old);
    assert!(place.run(&fit).err.contains("note: pilot"));
    place.write("p.csv", place.read("p.csv").replacen("low", "middle", 1));
    place.refused(&fit, &["--pilot", "middle", "high, low"]);
}
