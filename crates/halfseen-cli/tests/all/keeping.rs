//! Learns by keeping reads: with a budget and without, holes, intervals, standard errors, what is
//! refused.

use crate::common::caused::{COLUMNS, Random, judged, place, table, table_of};
use crate::common::{Place, fields};
use serde_json::{Value, json};

const FIT: &str = "fit t.csv --target y --learner fiml --out m.json";

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

#[test]
fn a_fit_says_whether_it_chose_what_it_read() {
    let place = place(300, 0.2);
    let line = |text: &str, name: &str| -> String {
        text.lines()
            .find(|l| l.starts_with(name))
            .unwrap_or_else(|| panic!("no {name} in {text}"))
            .to_owned()
    };
    let empty = fields(&place.read("t.csv")).concat().iter().filter(|cell| cell.is_empty()).count();
    // Without a budget: all that is there.
    let taken = place.run(FIT);
    assert!(taken.code == Some(0) && !taken.err.contains("returned no value"), "{}", taken.err);
    assert!(
        line(&taken.out, "reading").contains("used all observed cells; with --budget"),
        "{}",
        taken.out
    );
    assert!(
        line(&taken.out, "observed cells").contains(&format!(" {} of 1800 ", 1800 - empty)),
        "{}",
        taken.out
    );
    assert!(line(&taken.out, "its own test").contains("held out"), "{}", taken.out);
    assert!(!taken.out.contains("refused"), "{}", taken.out);
    assert_eq!(place.json("m.json")["params"]["passive"], "all");
    // With one: a missing cell is a read that is refused, and is counted and told.
    let chosen = place.run(&format!("{FIT} --budget 3"));
    assert_eq!(chosen.code, Some(0), "{}", chosen.err);
    assert!(
        line(&chosen.out, "reading").contains("chose its reads in each row; without --budget"),
        "{}",
        chosen.out
    );
    assert!(line(&chosen.out, "read in all").contains(" 900 (900 distinct)"), "{}", chosen.out);
    assert!(line(&chosen.out, "per example").ends_with("at most 3"), "{}", chosen.out);
    let refused: u64 =
        line(&chosen.out, "refused reads").split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((100..270).contains(&refused), "a fifth of 900: {refused}");
    assert!(
        chosen.err.contains(&format!("note: reads that returned no value: {refused};")),
        "{}",
        chosen.err
    );
    let report: Value =
        serde_json::from_str(&place.ok(&format!("{FIT} --budget 3 --json --quiet"))).unwrap();
    assert_eq!(
        (
            &report["learner"],
            &report["params"]["passive"],
            &report["params"]["budget"],
            &report["reads"]
        ),
        (&json!("fiml"), &json!("no"), &json!(3), &json!(900))
    );
    assert!(report["risk"].is_f64() && report["risk_error"].is_f64(), "{report}");
    // Rows with holes left out: every cell of the others.
    let dropped: Value =
        serde_json::from_str(&place.ok(&format!("{FIT} --missing drop --json --quiet"))).unwrap();
    assert_eq!(dropped["reads"], json!(6 * dropped["examples"].as_u64().unwrap()));
}

#[test]
fn budgets_parameters_and_flags_that_cannot_be() {
    let place = place(60, 0.0);
    let one = place.run(&format!("{FIT} --budget 1"));
    assert_eq!(one.code, Some(0), "{}", one.err);
    assert!(one.err.contains("note: no example had two attributes read"), "{}", one.err);
    assert!(!place.run(&format!("{FIT} --budget 2")).err.contains("had two attributes read"));
    place.refused(&format!("{FIT} --budget 7"), &["t.csv", "7", "6"]);
    place.refused(&format!("{FIT} --budget 0"), &["budget = 0"]);
    place.refused(&format!("{FIT} --total-budget 60"), &["fiml", "--budget 4"]);
    place.refused(&format!("{FIT} --set passive=no"), &["fiml", "--budget 4"]);
    place.refused(&format!("{FIT} --set passive=one"), &["passive = one", "no or all"]);
    place.refused(
        &format!("{FIT} --budget 2 --missing observed"),
        &["--missing observed", "leave one of the two out"],
    );
    place.refused(&format!("{FIT} --budget 2 --tune 3"), &["--tune", "fiml", "tunes itself"]);
    place.refused(&format!("{FIT} --missing mean"), &["--missing mean", "fiml", "--learner mean"]);
    place.refused(&format!("{FIT} --set folds=1"), &["folds = 1", "from 2 to 10"]);
    place.refused(&format!("{FIT} --set link=logistic"), &["t.csv", "link = logistic", "identity"]);
    let few = Place::new();
    few.write("t.csv", table(5, 0.0, 3));
    let ran = few.run(&format!("{FIT} --budget 2"));
    assert!(
        ran.code == Some(0) && ran.err.contains("note: there are only 5 examples"),
        "{}",
        ran.err
    );
    let stopped = place.ok(&format!("{FIT} --budget 2 --total-budget 60 --json --quiet"));
    let stopped: Value = serde_json::from_str(&stopped).unwrap();
    assert_eq!((&stopped["examples"], &stopped["reads"]), (&json!(30), &json!(60)));
}

#[test]
fn what_a_row_does_not_show_is_expected_from_what_it_shows() {
    let place = Place::new();
    let (mut random, mut text) = (Random(9), String::from("a,b,y\n"));
    for _ in 0..2000 {
        let a = 50.0 + 4.0 * random.normal();
        let b = 3.0 * a + 6.0 * random.normal();
        text.push_str(&format!("{a},{b},{}\n", a + b));
    }
    place.write("t.csv", text);
    place.ok(FIT);
    place.write("n.csv", "a,b\n60,\n,200\n,\n48,150\n");
    let ran = place.run("predict m.json n.csv --no-clip");
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
    let predicted: Vec<f64> = fields(&ran.out).iter().map(|row| row[0].parse().unwrap()).collect();
    // By hand, from the numbers of the model: two attributes that are jointly normal.
    let model = place.json("m.json");
    let (sum, scaler) = (&model["predictor"]["linear"], &model["prepare"]["scaler"]);
    let (w, fill) = (numbers(&sum["weights"]), numbers(&sum["fill"]));
    let (loading, noise) =
        (numbers(&model["predictor"]["loadings"]), numbers(&model["predictor"]["noise"]));
    let rank = model["predictor"]["rank"].as_u64().unwrap() as usize;
    let (offset, divisor) = (numbers(&scaler["offset"]), numbers(&scaler["divisor"]));
    let target = |key: &str| model["prepare"]["target"][key].as_f64().unwrap();
    let covariance: f64 = (0..rank).map(|r| loading[r] * loading[rank + r]).sum();
    let variance =
        |j: usize| noise[j] + (0..rank).map(|r| loading[j * rank + r].powi(2)).sum::<f64>();
    let by_hand = |shown: [Option<f64>; 2]| {
        let scaled = |j: usize| shown[j].map(|x| (x - offset[j]) / divisor[j]);
        let expected = |j: usize| {
            let other = 1 - j;
            scaled(other)
                .map_or(fill[j], |x| fill[j] + covariance / variance(other) * (x - fill[other]))
        };
        let score: f64 = (0..2).map(|j| w[j] * scaled(j).unwrap_or_else(|| expected(j))).sum();
        target("mean") + target("deviation") * (sum["intercept"].as_f64().unwrap() + score)
    };
    let rows = [[Some(60.0), None], [None, Some(200.0)], [None, None], [Some(48.0), Some(150.0)]];
    for (row, y) in rows.into_iter().zip(&predicted) {
        assert!((by_hand(row) - y).abs() < 1e-8, "{row:?}: {y}, by hand {}", by_hand(row));
    }
    // And as the data have it: E(y | a) = 4 a; with the mean of b in its place it would be 210.
    assert!((predicted[0] - 240.0).abs() < 2.0, "{predicted:?}");
    assert!((predicted[2] - 200.0).abs() < 2.0, "{predicted:?}");
}

#[test]
fn intervals_hold_the_target_as_often_as_they_say_and_widen_with_holes() {
    let place = Place::new();
    // What the attributes have in common is all that tells of the target.
    let caused = |rows: usize, empty: f64, seed: u64| {
        table_of(rows, empty, seed, |cause, _| 2.0 * cause + 5.0)
    };
    place.write("t.csv", caused(600, 0.2, 1));
    for flags in ["", "--budget 3", "--set deviations=20"] {
        place.ok(&format!("{FIT} --quiet {flags}"));
        for empty in [0.0, 0.4] {
            place.write("n.csv", caused(800, empty, 77));
            let ran = place.run("predict m.json n.csv --interval 0.9");
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert_eq!(
                ran.err.contains("--set deviations=50"),
                !flags.contains("deviations"),
                "{}",
                ran.err
            );
            assert!(ran.out.starts_with("prediction,low,high\n"));
            let (_, inside) = judged(&ran.out, &place.read("n.csv"));
            // Three binomial errors are 0.03; attributes that few rows showed add their part.
            assert!((inside - 0.9).abs() < 0.06, "'{flags}', {empty}: {inside}");
        }
    }
    place.write("n.csv", "who,x0,x1,x2,x3,x4,x5\np,9,9,9,9,9,9\nq,9,,9,,9,9\nr,,,,,,\n");
    let rows = fields(&place.ok("predict m.json n.csv --interval 0.9 --id who --quiet"));
    let width = |row: &Vec<String>| row[3].parse::<f64>().unwrap() - row[2].parse::<f64>().unwrap();
    assert_eq!((rows[0][0].as_str(), rows[0].len()), ("p", 4));
    assert!(
        1.02 * width(&rows[0]) < width(&rows[1]) && 2.0 * width(&rows[1]) < width(&rows[2]),
        "{rows:?}"
    );
    for level in ["0", "1", "-0.5", "NaN", "often"] {
        place.refused(
            &format!("predict m.json n.csv --interval {level}"),
            &["--interval", "above 0 and below 1"],
        );
    }
    place.ok("fit t.csv --target y --learner ridge --missing mean --out r.json --quiet");
    place.refused(
        "predict r.json t.csv --interval 0.9 --quiet",
        &["--interval: r.json", "fiml models of numeric targets", "--conformal"],
    );
}

#[test]
fn standard_errors_stand_beside_the_weights() {
    let place = place(800, 0.1);
    place.ok(FIT);
    assert!(place.ok("show m.json").starts_with("attribute,weight,standardised\n(intercept),"));
    place.ok(&format!("{FIT} --set deviations=50"));
    let shown = place.ok("show m.json");
    assert!(shown.starts_with("attribute,weight,standardised,standard_error\n"), "{shown}");
    let mut rows = fields(&shown);
    assert_eq!((rows.len(), rows[0].len(), rows[0][3].as_str()), (9, 4, ""), "{shown}");
    assert!(rows[1][0] == "(least)" && rows[2][0] == "(largest)", "{shown}");
    let truth = [2.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    rows[3..].sort();
    for (row, truth) in rows[3..].iter().zip(truth) {
        let (weight, error): (f64, f64) = (row[1].parse().unwrap(), row[3].parse().unwrap());
        // Noise of deviation 0.5 over 800 rows whose attributes vary by 1 beside the others: least
        // squares have 0.5 / sqrt(800 * 0.9).
        assert!(error > 0.01 && error < 0.04, "{shown}");
        // Averaged over ridges weights are shrunk by some 5 %, which standard errors do not know
        // of.
        assert!((weight - truth).abs() < 3.0 * error + 0.06 * f64::abs(truth), "{shown}");
    }
}

#[test]
fn predictions_stay_within_the_targets_learned_from_unless_that_is_not_wanted() {
    let place = place(400, 0.0);
    place.ok(&format!("{FIT} --quiet"));
    let targets: Vec<f64> =
        fields(&place.read("t.csv")).iter().map(|row| row[COLUMNS].parse().unwrap()).collect();
    let largest = targets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = targets.iter().copied().fold(f64::INFINITY, f64::min);
    place.write(
        "n.csv",
        "x0,x1,x2,x3,x4,x5,y\n1000,10,10,10,10,10,2000\n-1000,10,10,10,10,10,-2000\n",
    );
    let predicted = |flags: &str| -> Vec<f64> {
        let out = place.ok(&format!("predict m.json n.csv --quiet {flags}"));
        fields(&out).iter().map(|row| row[0].parse().unwrap()).collect()
    };
    for (actual, wanted) in predicted("").into_iter().zip([largest, least]) {
        assert!((actual - wanted).abs() < 1e-9, "{actual} and {wanted}");
    }
    let free = predicted("--no-clip");
    assert!(free[0] > 1_500.0 && free[1] < -1_500.0, "{free:?}");
    let shown = fields(&place.ok("show m.json"));
    let ends: Vec<f64> = shown[1..3].iter().map(|row| row[1].parse().unwrap()).collect();
    assert!((ends[0] - least).abs() < 1e-9 && (ends[1] - largest).abs() < 1e-9, "{shown:?}");
    let error = |flags: &str| -> f64 {
        let json = place.ok(&format!("evaluate m.json n.csv --target y --json --quiet {flags}"));
        serde_json::from_str::<Value>(&json).unwrap()["mse"].as_f64().unwrap()
    };
    assert!(error("--no-clip") < 0.1 * error(""), "{} and {}", error("--no-clip"), error(""));
    place.ok("fit t.csv --target y --learner karma --out r.json --quiet");
    let ran = place.run("predict r.json n.csv --no-clip");
    assert!(ran.code == Some(0) && ran.err.contains("--no-clip changes nothing"), "{}", ran.err);
}

#[test]
fn classes_have_scores_and_no_intervals() {
    let place = Place::new();
    let rows = |text: String| {
        let class = |row: &str| {
            let (cells, y) = row.rsplit_once(',').unwrap();
            let high = y.parse::<f64>().map(|y| if y > 15.0 { "high" } else { "low" });
            format!("{cells},{}\n", high.unwrap_or("y"))
        };
        text.lines().map(class).collect::<String>()
    };
    place.write("t.csv", rows(table(500, 0.2, 4)));
    for flags in
        ["--budget 3", "", "--set link=logistic", "--set link=probit", "--set link=auto --budget 2"]
    {
        place.ok(&format!("{FIT} --quiet {flags}"));
        let predicted = fields(&place.ok("predict m.json t.csv --quiet"));
        let scores = predicted.iter().map(|row| row[1].parse::<f64>().unwrap());
        assert!(!flags.contains("link") || scores.clone().all(|s| s.abs() <= 1.0), "{flags}");
        assert!(
            predicted.iter().zip(scores).all(|(row, score)| (row[0] == "low") == (score > 0.0)),
            "{flags}"
        );
        let errors: Value =
            serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
        assert!(errors["error"].as_f64().unwrap() < 0.3, "'{flags}': {errors}");
        place.refused(
            "predict m.json t.csv --interval 0.9 --quiet",
            &["--interval: m.json", "is a class"],
        );
        place.ok("show m.json");
    }
}

#[test]
fn attributes_that_are_dropped_are_taken_up_and_deletions_are_not_certified() {
    let place = place(500, 0.0);
    let fit = format!("{FIT} --set shape=linear");
    place.ok(&fit);
    let cut: Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --truncate auto --json --out o.svg"))
            .unwrap();
    let errors: Vec<f64> = cut["truncated"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["mse"].as_f64().unwrap())
        .collect();
    assert!((errors[errors.len() - 1] - cut["mse"].as_f64().unwrap()).abs() < 1e-9, "{cut}");
    assert!(errors[0] > errors[errors.len() - 1], "{cut}");
    // The saved one needs two attributes and predicts as the whole model does without the others.
    place.ok(&format!("{} --truncate 2", fit.replace("m.json", "two.json")));
    let two: Value =
        serde_json::from_str(&place.ok("evaluate two.json t.csv --json --quiet")).unwrap();
    assert!((two["mse"].as_f64().unwrap() - errors[1]).abs() < 1e-9, "{two} and {cut}");
    let names: Vec<String> =
        fields(&place.ok("show two.json")).into_iter().map(|mut row| row.remove(0)).collect();
    assert_eq!(names, ["(intercept)", "(least)", "(largest)", "x0", "x3"]);
    place.write("n.csv", "x0,x1,x2,x3,x4,x5\n12,,,9,,\n7,,,,,\n");
    let predictions = |model: &str| -> Vec<f64> {
        fields(&place.ok(&format!("predict {model} n.csv --quiet")))
            .iter()
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    let (whole, two) = (predictions("m.json"), predictions("two.json"));
    assert!(whole.iter().zip(&two).all(|(a, b)| (a - b).abs() < 1e-6), "{whole:?} {two:?}");
    for line in ["evaluate m.json t.csv --threat 1", "certify m.json t.csv --within 1"] {
        place.refused(line, &["m.json", "additive model", "robust-lp"]);
    }
}

#[test]
fn comparisons_have_it_by_default_and_say_what_it_read() {
    let place = place(120, 0.2);
    let compare = "compare t.csv --target y --splits 1 --folds 2 --out o --quiet";
    let named = |flags: &str| place.ok(&format!("{compare} --learners mean,fiml,aerr {flags}"));
    let row = |flags: &str| -> Value {
        let all: Value = serde_json::from_str(&named(&format!("{flags} --json"))).unwrap();
        let rows = all["rows"].as_array().unwrap();
        rows.iter().find(|row| row["learner"] == "fiml").unwrap().clone()
    };
    let text = named("");
    assert!(
        text.contains("For fiml nothing was imputed: they use the observed cells of each row"),
        "{text}"
    );
    assert!(text.contains("Except fiml, tuned on its own reads only."), "{text}");
    assert!(text.contains("  fiml: tunes itself\n") && text.contains("For aerr "), "{text}");
    let all = row("");
    assert_eq!(
        (&all["params"]["passive"], &all["imputed"], &all["tuning_reads"]),
        (&json!("all"), &json!(0), &json!(0))
    );
    let text = named("--budget 2");
    assert!(text.contains("For fiml a read of a missing cell returned nothing"), "{text}");
    assert!(!text.contains("For fiml nothing"), "{text}");
    let line = text.lines().find(|line| line.starts_with("fiml")).unwrap();
    assert_eq!(line.split_whitespace().nth(1), Some("2"), "{line}");
    let few = row("--budget 2");
    assert_eq!((&few["params"]["passive"], &few["reads"]), (&json!("no"), &json!(216)));
    // What was set stays.
    assert_eq!(row("--set passive=no --set rank=1")["params"]["passive"], "no");
    assert!(named("--hide 0.2").contains("fiml"));
    place.ok("learners fiml");
    assert!(place.ok("learners fiml").contains("tuned over: nothing; it tunes itself"));
}

#[test]
fn the_file_holds_the_whole_model_and_damage_is_named() {
    let place = place(100, 0.2);
    place.ok(&format!("{FIT} --set deviations=3 --set rank=2"));
    let (sound, before) = (place.json("m.json"), place.ok("predict m.json t.csv --interval 0.5"));
    assert_eq!(sound["predictor"]["kind"], "conditional");
    place.write("again.json", sound.to_string());
    assert_eq!(place.ok("predict again.json t.csv --interval 0.5"), before);
    type Damage = (fn(&mut Value), &'static [&'static str]);
    let damage: [Damage; 14] = [
        (|p| p["rank"] = json!(3), &["loadings", "12 numbers"]),
        (|p| p["rank"] = json!(18_446_744_073_709_551_615_u64), &["loadings"]),
        (|p| p["rank"] = json!(-1), &["predictor"]),
        (|p| p["rank"] = json!(0), &["loadings"]),
        (|p| p["noise"][0] = json!(0.0), &["predictor.noise", "above 0"]),
        (|p| p["noise"][5] = json!(-2.0), &["predictor.noise", "above 0"]),
        (|p| drop(p["noise"].as_array_mut().unwrap().pop()), &["predictor.noise", "5 numbers"]),
        (|p| p["residual"] = json!(-1e-300), &["predictor.residual"]),
        (|p| drop(p["deviations"].as_array_mut().unwrap().pop()), &["predictor.deviations", "17"]),
        (
            |p| drop(p["linear"]["weights"].as_array_mut().unwrap().pop()),
            &["predictor.linear.weights", "5"],
        ),
        (|p| p["linear"] = json!([]), &["predictor"]),
        (|p| drop(p.as_object_mut().unwrap().remove("link")), &["link"]),
        (|p| p["link"] = json!({ "curve": "straight", "centre": 0.0 }), &["predictor"]),
        (|p| p["more"] = json!(1), &["more"]),
    ];
    for (change, says) in damage {
        let mut model = sound.clone();
        change(&mut model["predictor"]);
        place.write("bad.json", model.to_string());
        let says: Vec<&str> = says.iter().copied().chain(["bad.json"]).collect();
        place.refused("predict bad.json t.csv", &says);
        place.refused("show bad.json", &says);
    }
    // A class where the model estimates a number, or two where it has a score for one.
    let mut model = sound.clone();
    model["predictor"]["kind"] = json!("linear");
    place.write("bad.json", model.to_string());
    place.refused("predict bad.json t.csv", &["bad.json"]);
}
