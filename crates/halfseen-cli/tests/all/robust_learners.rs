//! Takes every robust learner, and the SVM, from a table to certificates by the program.

use crate::common::{Place, fields};

const ROWS: usize = 240;

/// Six attributes of which four tell the same, each a little, so that any one of them may vanish;
/// the target as classes and as a number. A fixed sequence of numbers instead of a generator.
fn table(target: &str) -> String {
    let mut state = 1_u32;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = format!("a,b,c,d,e,f,{target}\n");
    for row in 0..ROWS {
        let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
        let cells: Vec<f64> =
            (0..6).map(|j| 2.0 * unit() - 1.0 + if j < 4 { 1.5 * sign } else { 0.0 }).collect();
        let cells: Vec<String> = cells.iter().map(|x| format!("{x:.4}")).collect();
        let label = if target == "y" {
            format!("{:.3}", 10.0 * sign + unit())
        } else {
            (if row % 2 == 0 { "up" } else { "down" }).to_owned()
        };
        text += &format!("{},{label}\n", cells.join(","));
    }
    text
}

#[test]
fn what_is_prepared_for_a_threat_bears_it() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    let mut attacked = Vec::new();
    for learner in ["robust-lp", "robust-perceptron", "zero"] {
        let threat = if learner == "zero" { "" } else { "--set threat=2" };
        let fit = place.run(&format!(
            "fit t.csv --target who --learner {learner} {threat} --seed 0 --out m.json"
        ));
        assert_eq!(fit.code, Some(0), "{learner}: {}", fit.err);
        assert_eq!(
            fit.out.contains("prepares for   the deletion of any 2 of 6 attributes"),
            learner != "zero",
            "{}",
            fit.out
        );
        let model = place.json("m.json");
        assert_eq!(model["report"]["threat"].is_null(), learner == "zero");
        let json: serde_json::Value = serde_json::from_str(
            &place.ok("evaluate m.json t.csv --threat 2 --attack exact --json --quiet"),
        )
        .unwrap();
        assert!(json["error"].as_f64().unwrap() < 0.1, "{learner}: {json}");
        attacked.push(json["attacked_error"].as_f64().unwrap());
        // A certificate of at least 2 on a right row means that the attack changes nothing, and the
        // other way round.
        let certified = fields(&place.ok("certify m.json t.csv --quiet"));
        let safe = certified.iter().enumerate().filter(|(row, fields)| {
            let right = (fields[0] == "up") == (row % 2 == 0);
            right && fields[1].parse::<f64>().unwrap() >= 2.0
        });
        let unsafe_share = 1.0 - safe.count() as f64 / ROWS as f64;
        assert!(
            (unsafe_share - attacked.last().unwrap()).abs() < 1e-12,
            "{learner}: {unsafe_share} {attacked:?}"
        );
        // A missing cell at prediction time is a deletion, and accepted.
        place.write("gone.csv", "a,b,c,d,e,f\n1.5,,1.5,1.5,0,0\n-1.5,-1.5,,,0,0\n");
        let predicted = fields(&place.ok("predict m.json gone.csv"));
        assert_eq!([&predicted[0][0], &predicted[1][0]], ["up", "down"], "{learner}");
        place.ok("show m.json");
    }
    // Told by the worst loss of any two attributes: no worse than zero, which prepares for none.
    assert!(attacked[0] <= attacked[2] && attacked[0] < 0.2, "{attacked:?}");
}

#[test]
fn a_robust_quantile_of_a_number_is_certified_within_a_distance() {
    let place = Place::new();
    place.write("t.csv", table("y"));
    let learner = "--learner robust-lp --set threat=1 --set quantile=0.7";
    let fit = place.run(&format!("fit t.csv --target y {learner} --out m.json"));
    assert_eq!(fit.code, Some(0), "{}", fit.err);
    assert!(
        fit.out.contains("(loss of the quantile 0.7 without the threat, of rows"),
        "{}",
        fit.out
    );
    let certified = fields(&place.ok("certify m.json t.csv --within 1000 --quiet"));
    assert!(certified.iter().all(|row| row[1] == "6"), "nothing moves a prediction by 1000");
    let close = fields(&place.ok("certify m.json t.csv --within 0.001 --quiet"));
    assert!(close.iter().any(|row| row[1] == "0"));
    let refused = place.run("certify m.json t.csv");
    assert_eq!(refused.code, Some(2));
    assert!(refused.err.contains("--within"), "{}", refused.err);
}

#[test]
fn robust_learners_are_compared_and_tuned_under_their_threat() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    let list = "robust-lp,robust-perceptron,zero,ridge";
    place.ok(&format!(
        "compare t.csv --target who --learners {list} --set threat=2 --splits 2 --folds 2 --out found --quiet"
    ));
    let json = place.json("found/results.json");
    for summary in json["summary"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|summary| summary["learner"] != "constant")
    {
        assert!(summary["test_error_mean"].as_f64().unwrap() < 0.1, "{summary}");
    }
    let tuned =
        place.ok("fit t.csv --target who --learner robust-lp --set threat=2 --tune 3 --out m.json");
    assert!(tuned.contains("tuned          box_radius = "), "{tuned}");
}

#[test]
fn a_result_never_replaces_what_it_is_made_from() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    place.write("v.csv", "attribute,cost\n");
    place.ok("fit t.csv --target who --learner zero --out m.json");
    let (data, model) = (place.read("t.csv"), place.read("m.json"));
    for command in [
        "fit t.csv --target who --learner zero --out ./t.csv",
        "fit t.csv --target who --learner zero --bounds v.csv --out v.csv",
        "predict m.json t.csv --out t.csv",
        "evaluate m.json t.csv --threat 1,2 --out t.csv",
        "evaluate m.json t.csv --threat 1,2 --costs v.csv --out v.csv",
        "certify m.json t.csv --out m.json",
    ] {
        let ran = place.run(command);
        assert_eq!(ran.code, Some(2), "{command}");
        assert!(ran.err.contains("would be replaced"), "{}", ran.err);
    }
    assert_eq!((place.read("t.csv"), place.read("m.json")), (data, model));
}

#[test]
fn a_robust_model_is_cut_down_with_its_threat() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    let fit = "fit t.csv --target who --learner robust-lp --set threat=2 --set costs=1,2,3,4,5,6";
    place.ok(&format!("{fit} --truncate 4 --out m.json"));
    let model = place.json("m.json");
    let kept = model["schema"]["columns"].as_array().unwrap();
    assert!(kept.len() <= 4 && !kept.is_empty());
    let values: Vec<f64> = kept
        .iter()
        .map(|c| f64::from(c["name"].as_str().unwrap().as_bytes()[0] - b'a' + 1))
        .collect();
    assert_eq!(model["report"]["threat"]["costs"], serde_json::json!(values));
    place.ok("certify m.json t.csv --quiet");
}

/// Two informative attributes of many rows: the whole model bears the loss of either one.
fn wide_table(seed: u32, rows: usize) -> String {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = String::from("a,b,c,d,e,f,g,h,y\n");
    for row in 0..rows {
        let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
        let cells: Vec<String> =
            (0..8).map(|_| format!("{:.4}", sign * 0.4 + 1.2 * (unit() - 0.5))).collect();
        text += &format!("{},{}\n", cells.join(","), if row % 2 == 0 { "up" } else { "down" });
    }
    text
}

/// The bounds on new rows that a model file holds.
fn bounds(model: &serde_json::Value) -> Vec<f64> {
    let notes = model["report"]["notes"].as_array().unwrap().iter();
    notes
        .flat_map(|note| ["risk-bound", "noise-bound"].map(|kind| note[kind]["risk"].as_f64()))
        .flatten()
        .collect()
}

#[test]
fn no_bound_in_a_truncated_model_is_below_what_new_rows_show() {
    let place = Place::new();
    place.write("tr.csv", wide_table(1, 20_000));
    place.write("te.csv", wide_table(77, 4_000));
    let fit = "fit tr.csv --target y --learner robust-lp --set threat=1 --set margin=0.5 --out";
    place.ok(&format!("{fit} whole.json"));
    let attacked = |model: &str| -> f64 {
        let flags = "--threat 1 --attack exact --json --quiet";
        let json: serde_json::Value =
            serde_json::from_str(&place.ok(&format!("evaluate {model} te.csv {flags}"))).unwrap();
        json["attacked_error"].as_f64().unwrap()
    };
    let whole = bounds(&place.json("whole.json"));
    assert!(whole.len() == 1 && attacked("whole.json") <= whole[0] && whole[0] < 0.2, "{whole:?}");
    let cut = place.run(&format!("{fit} cut.json --truncate 2"));
    assert_eq!(cut.code, Some(0), "{}", cut.err);
    assert!(!cut.out.contains("on new rows"), "{}", cut.out);
    let model = place.json("cut.json");
    // What was true of the whole model is false of this one.
    assert!(attacked("cut.json") > whole[0], "{} and {whole:?}", attacked("cut.json"));
    assert!(
        bounds(&model).iter().all(|risk| attacked("cut.json") <= *risk),
        "{}",
        model["report"]["notes"]
    );
    for key in ["objective", "gap"] {
        assert!(model["report"][key].is_null(), "{key}");
    }
    assert_eq!(model["report"]["notes"][0]["truncated"]["attributes"], 2);
    assert!(cut.err.contains("do not hold for the truncated one"), "{}", cut.err);
    // One attribute cannot lose one and keep anything.
    let one = place.run(&format!("{fit} one.json --truncate 1"));
    assert!(one.err.contains("The threat of 1 no longer applies"), "{}", one.err);
    assert!(place.json("one.json")["report"]["threat"].is_null());
    // Where nothing was cut everything still holds.
    place.ok(&format!("{fit} all.json --truncate 8"));
    assert_eq!(bounds(&place.json("all.json")), whole);
}

#[test]
fn a_truncated_evaluation_of_margins_tells_the_error_and_no_squares() {
    let place = Place::new();
    place.write("t.csv", wide_table(9, 400));
    for learner in ["zero", "robust-lp"] {
        place.ok(&format!("fit t.csv --target y --learner {learner} --out m.json"));
        let text = place.ok("evaluate m.json t.csv --truncate 1,8 --out m.svg");
        let lines: Vec<Vec<&str>> = text
            .split("\n\n")
            .nth(2)
            .unwrap()
            .lines()
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines[0], ["attributes", "error"], "{learner}: {text}");
        assert!(place.read("m.svg").contains("error") && !place.read("m.svg").contains("squared"));
        let json: serde_json::Value =
            serde_json::from_str(&place.ok("evaluate m.json t.csv --truncate 1,8 --json --quiet"))
                .unwrap();
        let rows = json["truncated"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["mse"].is_null()), "{learner}: {json}");
        assert_eq!(rows[1]["error"], json["error"], "all attributes are the whole model");
        assert!(rows[0]["error"].as_f64() > rows[1]["error"].as_f64());
    }
}

/// Positive columns with holes: 0 is far from their means.
fn holed_table(seed: u32, rows: usize) -> String {
    let mut state = seed;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = String::from("a,b,c,d,e,f,y\n");
    for _ in 0..rows {
        let up = unit() < 0.5;
        let mut cells = Vec::new();
        for _ in 0..6 {
            let value = 2.0 + unit() + unit() + unit() + if up { 0.8 } else { 0.0 };
            cells.push(if unit() < 0.3 { String::new() } else { format!("{value:.4}") });
        }
        text += &format!("{},{}\n", cells.join(","), if up { "up" } else { "down" });
    }
    text
}

#[test]
fn a_comparison_and_tuning_measure_the_predictor_that_a_fit_saves() {
    let place = Place::new();
    place.write("tr.csv", holed_table(5, 1_500));
    place.write("te.csv", holed_table(91, 1_500));
    let learners = ["robust-lp", "robust-perceptron", "ridge"];
    let list = learners.join(",");
    let ran = place.run(&format!(
        "compare tr.csv --target y --learners {list} --set threat=0 --splits 3 --test-share 0.3 --folds 2 --out found"
    ));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("missing cells count as deleted"), "{}", ran.out);
    let compared = place.json("found/results.json");
    for (at, learner) in learners.iter().enumerate() {
        let set = if *learner == "ridge" { "" } else { "--set threat=0" };
        let fit = place.run(&format!(
            "fit tr.csv --target y --learner {learner} {set} --missing mean --tune 2 --out m.json"
        ));
        assert_eq!(fit.code, Some(0), "{}", fit.err);
        assert_eq!(fit.err.contains("count as deleted"), *learner != "ridge", "{}", fit.err);
        let json: serde_json::Value =
            serde_json::from_str(&place.ok("evaluate m.json te.csv --json --quiet")).unwrap();
        let (deployed, measured) = (
            json["error"].as_f64().unwrap(),
            compared["summary"][at]["test_error_mean"].as_f64().unwrap(),
        );
        // Three standard deviations of a share of 1,350 and of 1,500 rows.
        assert!(
            (deployed - measured).abs() < 0.045,
            "{learner}: measured {measured}, deployed {deployed}"
        );
    }
}

#[test]
fn bounds_say_what_was_tried_and_what_came_from_the_rows() {
    let place = Place::new();
    place.write("t.csv", wide_table(3, 4_000));
    let risk = |flags: &str| -> (f64, u64, serde_json::Value, String) {
        let fit = place.run(&format!(
            "fit t.csv --target y --learner robust-lp --set threat=1 {flags} --out m.json"
        ));
        assert_eq!(fit.code, Some(0), "{}", fit.err);
        let model = place.json("m.json");
        let notes = model["report"]["notes"].as_array().unwrap().clone();
        let bound =
            notes.iter().find(|note| note.get("risk-bound").is_some()).unwrap()["risk-bound"]
                .clone();
        (
            bound["risk"].as_f64().unwrap(),
            bound["tried"].as_u64().unwrap(),
            bound["from_rows"].clone(),
            fit.out,
        )
    };
    let (once, tried, rows, _) = risk("--set margin=0.4 --set box_radius=1");
    assert_eq!((tried, rows), (1, serde_json::Value::Null));
    let (told, tried, ..) = risk("--set margin=0.4 --set box_radius=1 --set tried=5");
    assert!(tried == 5 && told > once, "{told} and {once}");
    // A margin that is small beside the narrowest box: a larger one leaves a bound that says nothing.
    let (_, tried, _, text) = risk("--set margin=0.004 --tune 2");
    assert!(tried == 9 && text.contains("9 settings tried"), "{text}");
    let (_, _, rows, text) = risk("--set margin=0.4 --set costs=mi");
    assert_eq!(rows, serde_json::json!(["costs"]));
    assert!(text.contains("does not hold here for costs"), "{text}");
}

#[test]
fn noise_has_a_promise_of_its_own() {
    let place = Place::new();
    place.write("t.csv", wide_table(3, 20_000));
    for learner in ["robust-lp", "robust-perceptron"] {
        let set = "--set threat=1 --set damage=noise --set box_radius=1 --set margin=2.5";
        let fit = place.ok(&format!("fit t.csv --target y --learner {learner} {set} --out m.json"));
        let model = place.json("m.json");
        let notes = model["report"]["notes"].as_array().unwrap();
        let bound =
            &notes.iter().find(|note| note.get("noise-bound").is_some()).unwrap()["noise-bound"];
        // One column, no larger than 1, weights of at most 1: exp(-gamma^2 / 2).
        assert!(
            (bound["failure"].as_f64().unwrap() - (-2.5_f64.powi(2) / 2.0).exp()).abs() < 1e-12,
            "{bound}"
        );
        let risk = bound["risk"].as_f64().unwrap();
        assert!(risk > bound["failure"].as_f64().unwrap() && risk <= 1.0, "{bound}");
        assert!(fit.contains("noise of mean 0"), "{fit}");
        assert!(fit.contains("prepares for   noise in any 1 of 8 attributes of a row"), "{fit}");
        let json: serde_json::Value = serde_json::from_str(
            &place.ok("evaluate m.json t.csv --threat 1 --attack noise --json --quiet"),
        )
        .unwrap();
        assert!(json["attacked_error"].as_f64().unwrap() <= risk, "{json} {bound}");
    }
}

#[test]
fn all_learners_are_compared_under_one_attack_and_with_a_constant() {
    let place = Place::new();
    place.write("t.csv", wide_table(9, 1_000));
    let command = "compare t.csv --target y --learners robust-lp,zero,karma --splits 2 --folds 2 --test-share 0.3 --out found";
    let text = place.ok(&format!("{command} --threat 2 --attack greedy --quiet"));
    let head: Vec<&str> =
        text.lines().next().unwrap().split("  ").map(str::trim).filter(|h| !h.is_empty()).collect();
    assert!(head.contains(&"test error") && head.contains(&"attacked error"), "{text}");
    assert!(
        text.contains("2 attributes of each test row are deleted, chosen by the greedy adversary"),
        "{text}"
    );
    assert!(text.contains("For karma no attack is computed"), "{text}");
    let json = place.json("found/results.json");
    assert_eq!((&json["data"]["threat"], &json["data"]["attack"]), (&2.0.into(), &"greedy".into()));
    let names: Vec<&str> = json["summary"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["learner"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["robust-lp", "zero", "karma", "constant"]);
    let of = |at: usize, key: &str| json["summary"][at][key].as_f64();
    let clean = [0, 1].map(|at| of(at, "test_error_mean").unwrap());
    let attacked = [0, 1].map(|at| of(at, "attacked_error_mean").unwrap());
    assert!(
        attacked[0] > clean[0] && attacked[1] > clean[1] && attacked[0] < attacked[1] + 0.03,
        "{clean:?} {attacked:?}"
    );
    assert_eq!(of(2, "attacked_error_mean"), None);
    assert_eq!(json["rows"][0]["params"]["threat"], 2.0, "robust learners prepare for this threat");
    // The two classes are of one size.
    assert_eq!((of(3, "test_error_mean"), of(3, "attacked_error_mean")), (Some(0.5), Some(0.5)));
    assert!(of(3, "test_mse_mean").is_none(), "no learner here estimates the target");
    assert!(place.read("found/curve-examples.svg").contains("constant"));
    place.refused(&format!("{command} --threat 8"), &["threat = 8", "below 8"]);
    place.refused(&format!("{command} --attack greedy"), &["--threat"]);
    let without = place.ok(&format!("{command} --json --quiet"));
    let without: serde_json::Value = serde_json::from_str(&without).unwrap();
    assert!(without["rows"][0].get("attacked_error").is_none());
    // The attack of a comparison is the attack of an evaluation.
    place.write("te.csv", wide_table(4, 300));
    place.write("tr.csv", wide_table(5, 300));
    let set = "--set threat=2 --set box_radius=1";
    let text = place.ok(&format!(
        "compare tr.csv --target y --test te.csv --learners robust-lp {set} --splits 1 --threat 2 --json --quiet --out found"
    ));
    let compared: serde_json::Value = serde_json::from_str(&text).unwrap();
    place.ok(&format!("fit tr.csv --target y --learner robust-lp {set} --out m.json --quiet"));
    let text = place.ok("evaluate m.json te.csv --threat 2 --attack exact --json --quiet");
    let evaluated: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(compared["rows"][0]["attacked_error"], evaluated["attacked_error"]);
    assert_eq!(compared["rows"][0]["test_error"], evaluated["error"]);
}

#[test]
fn few_test_rows_are_remarked() {
    let place = Place::new();
    place.write(
        "t.csv",
        table("who").lines().take(13).map(|line| format!("{line}\n")).collect::<String>(),
    );
    let ran =
        place.run("compare t.csv --target who --learners zero --splits 2 --folds 2 --out found");
    assert!(ran.err.contains("only 1 of 12 rows test"), "{}", ran.err);
    place.write("t.csv", table("who"));
    let ran =
        place.run("compare t.csv --target who --learners zero --splits 2 --folds 2 --out found");
    assert!(!ran.err.contains("rows test in each split"), "{}", ran.err);
}

/// Weights of 0 have one reason and one remedy, which do not contradict each other.
#[test]
fn a_model_that_became_a_constant_says_so_once() {
    let place = Place::new();
    // Every row twice, of each class once, or of three classes each.
    let rows = |classes: &[&str]| {
        let row = |i: usize| {
            format!(
                "{},{},{}\n",
                i / classes.len() % 7,
                i / classes.len() % 5,
                classes[i % classes.len()]
            )
        };
        format!("a,b,y\n{}", (0..30 * classes.len()).map(row).collect::<String>())
    };
    for classes in [&["u", "v"][..], &["u", "v", "w"]] {
        place.write("t.csv", rows(classes));
        let fit = place.run("fit t.csv --target y --learner robust-lp --threat 1 --out m.json");
        let said: Vec<&str> = fit.err.lines().collect();
        assert_eq!(said.len(), 1, "{}", fit.err);
        let starts = "warning: all weights are 0, and would be without a threat, so the prediction is a constant";
        assert!(said[0].starts_with(starts), "{}", fit.err);
        for remedy in ["lower threat", "a lower threat", "margin", "more examples", "reads", " c "]
        {
            assert!(!said[0].contains(remedy), "{remedy}: {}", fit.err);
        }
        // The file has all of them.
        let notes = place.json("m.json")["report"]["notes"].to_string();
        assert!(notes.contains("not-shown-better") && notes.contains("threat-beats-signal"));
        let page = place.ok("report m.json t.csv --out r.html --quiet");
        assert!(page.is_empty() && !place.read("r.html").contains("more examples"));
    }
}

#[test]
fn a_threat_that_leaves_too_little_is_said() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    let fit = place.run("fit t.csv --target who --learner robust-lp --set threat=5 --out m.json");
    assert_eq!(fit.code, Some(0), "{}", fit.err);
    assert!(
        fit.err.contains("the threat leaves too little") || fit.err.contains("all weights are 0"),
        "{}",
        fit.err
    );
    // A bound of a half or more says nothing: it is in the file and not in the report.
    assert!(bounds(&place.json("m.json")).iter().all(|risk| *risk >= 0.5));
    assert!(!fit.out.contains("on new rows") && !fit.err.contains("guarantee"), "{}", fit.out);
    let easy = place.run("fit t.csv --target who --learner robust-lp --set threat=1 --out m.json");
    assert!(!easy.err.contains("too little"), "{}", easy.err);
}
