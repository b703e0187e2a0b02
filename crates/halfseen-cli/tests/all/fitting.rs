//! Fits, shows, predicts and evaluates on small tables, against values found another way.

use crate::common::{Place, fields, keys, table};

const LEARNERS: [&str; 6] =
    ["ridge", "lasso", "aer --budget 3", "aerr --budget 3", "aelr --budget 3", "aesvr --budget 3"];

fn predictions(csv: &str) -> Vec<f64> {
    fields(csv).iter().map(|row| row[0].parse().unwrap()).collect()
}

#[test]
fn every_learner_goes_from_fit_to_evaluation() {
    let place = Place::with_table();
    for learner in LEARNERS {
        for (target, other) in [("y", "who"), ("who", "y")] {
            place.ok(&format!(
                "fit t.csv --target {target} --ignore {other} --learner {learner} --out m.json"
            ));
            let shown = fields(&place.ok("show m.json"));
            let mut names: Vec<&str> = shown.iter().map(|row| row[0].as_str()).collect();
            // Numbers are predicted within the range of the targets.
            let range: &[&str] = if target == "y" { &["(least)", "(largest)"] } else { &[] };
            let attributes = &["a", "b", "kind=blue", "kind=green", "kind=red"][..];
            // Attributes are in the order of their importance.
            names[1 + range.len()..].sort_unstable();
            assert_eq!(names, [&["(intercept)"], range, attributes].concat(), "{learner}");
            assert!(shown.iter().all(|row| row[1].parse::<f64>().unwrap().is_finite()));
            assert_eq!(fields(&place.ok("predict m.json t.csv --quiet")).len(), 60);
            let report: serde_json::Value =
                serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
            assert_eq!(
                keys(&report),
                [
                    "attacked_error",
                    "balanced_error",
                    "constant_error",
                    "constant_mse",
                    "error",
                    "examples",
                    "mse",
                    "r2"
                ],
                "{learner}"
            );
            assert_eq!(report["error"].is_null(), target == "y");
            assert!(report["mse"].as_f64().unwrap().is_finite());
        }
    }
}

#[test]
fn ridge_without_a_bound_is_least_squares_in_raw_units() {
    let place = Place::new();
    place.write("t.csv", "a,b,y\n1,20,43.5\n2,10,26.5\n3,50,109.5\n4,0,10.5\n5,30,73.5\n");
    let json =
        place.ok("fit t.csv --target y --learner ridge --set radius=1e6 --out m.json --json");
    let report: serde_json::Value = serde_json::from_str(&json).unwrap();
    for key in [
        "learner",
        "params",
        "stop",
        "converged",
        "objective",
        "gap",
        "reads",
        "distinct",
        "seconds",
    ] {
        assert!(report.get(key).is_some(), "{key}");
    }
    assert_eq!((report["reads"].as_u64(), report["learner"].as_str()), (Some(10), Some("ridge")));
    let mut shown = fields(&place.ok("show m.json"));
    shown[3..].sort();
    // The constant, both ends of the range of the targets, and the weights.
    let mut weights: Vec<f64> = shown.iter().map(|row| row[1].parse().unwrap()).collect();
    let range: Vec<f64> = weights.drain(1..3).collect();
    assert!((range[0] - 10.5).abs() < 1e-9 && (range[1] - 109.5).abs() < 1e-9, "{range:?}");
    // Normal equations: residuals are orthogonal to 1, a and b.
    let rows = [
        (1.0, 20.0, 43.5),
        (2.0, 10.0, 26.5),
        (3.0, 50.0, 109.5),
        (4.0, 0.0, 10.5),
        (5.0, 30.0, 73.5),
    ];
    let mut moments = [0.0; 3];
    for (a, b, y) in rows {
        let residual = y - weights[0] - weights[1] * a - weights[2] * b;
        moments = [moments[0] + residual, moments[1] + residual * a, moments[2] + residual * b];
    }
    assert!(moments.iter().all(|m| m.abs() < 1e-6), "{moments:?}");
    let free = predictions(&place.ok("predict m.json t.csv --no-clip --quiet"));
    let kept = predictions(&place.ok("predict m.json t.csv --quiet"));
    for (((a, b, _), p), kept) in rows.into_iter().zip(free).zip(kept) {
        assert!((p - weights[0] - weights[1] * a - weights[2] * b).abs() < 1e-9);
        assert!((kept - p.clamp(10.5, 109.5)).abs() < 1e-9);
    }
}

#[test]
fn evaluate_scores_what_predict_prints() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    let truth: Vec<f64> = fields(&table(60)).iter().map(|row| row[3].parse().unwrap()).collect();
    let predicted = predictions(&place.ok("predict m.json t.csv --quiet"));
    let mse = truth.iter().zip(predicted).map(|(y, p)| (y - p).powi(2)).sum::<f64>() / 60.0;
    let report: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
    assert!((report["mse"].as_f64().unwrap() - mse).abs() < 1e-9);
    place.ok("fit t.csv --target who --ignore y --learner ridge --out c.json");
    let told = fields(&place.ok("predict c.json t.csv --quiet"));
    let wrong =
        fields(&table(60)).iter().zip(&told).filter(|(row, told)| row[4] != told[0]).count();
    assert!(told.iter().all(|row| (row[1].parse::<f64>().unwrap() > 0.0) == (row[0] == "sick")));
    let report: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate c.json t.csv --json --quiet")).unwrap();
    assert!((report["error"].as_f64().unwrap() - wrong as f64 / 60.0).abs() < 1e-12);
}

#[test]
fn columns_are_matched_by_name() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    place.write("one.csv", "a,b,kind\n1,2,red\n");
    place.write("turned.csv", "id,kind,b,a\nx,red,2,1\n");
    let plain = place.run("predict m.json one.csv");
    assert_eq!((plain.code, plain.err.as_str()), (Some(0), ""));
    let turned = place.run("predict m.json turned.csv --id id");
    assert_eq!(turned.out.replace("id,", "").replace("x,", ""), plain.out);
    let turned = place.run("predict m.json turned.csv");
    assert_eq!(
        (turned.err.lines().count(), turned.err.contains("id")),
        (1, true),
        "{}",
        turned.err
    );
    assert_eq!(place.run("predict m.json turned.csv --quiet").err, "");
    // An absent column, an empty cell and a new category all count as missing.
    place.write("absent.csv", "a,b\n1,2\n");
    place.write("hole.csv", "a,b,kind\n1,2,\n");
    place.write("new.csv", "a,b,kind\n1,2,violet\n");
    let absent = place.run("predict m.json absent.csv");
    assert!(absent.err.contains("kind"), "{}", absent.err);
    assert!(place.run("predict m.json new.csv").err.contains("category"));
    assert_eq!(place.ok("predict m.json hole.csv"), absent.out);
    assert_eq!(place.ok("predict m.json new.csv"), absent.out);
    // A text column that holds only digits in this table is no number.
    place.write("digits.csv", "a,b,kind\n1,2,7\n");
    assert_eq!(place.ok("predict m.json digits.csv"), absent.out);
}

#[test]
fn labels_are_those_of_the_data() {
    let place = Place::new();
    let digits: String =
        (0..30).map(|i| format!("{},{}\r\n", i % 7, if i % 7 > 3 { 5 } else { 3 })).collect();
    place.write("t.csv", format!("a,digit\r\n{digits}"));
    place.ok("fit t.csv --target digit --learner ridge --out m.json");
    let labels: Vec<String> = fields(&place.ok("predict m.json t.csv --quiet"))
        .into_iter()
        .map(|mut r| r.remove(0))
        .collect();
    assert!(
        labels.iter().all(|l| l == "3" || l == "5")
            && labels.contains(&"3".into())
            && labels.contains(&"5".into())
    );
    assert_eq!(place.json("m.json")["task"], "classification");
    place.ok("fit t.csv --target digit --learner ridge --task regression --out m.json");
    assert_eq!(place.json("m.json")["task"], "regression");
    place.ok("fit t.csv --target a --learner ridge --classes 0,6.0 --out m.json");
    assert_eq!(place.json("m.json")["classes"], serde_json::json!([0.0, 6.0]));
}

#[test]
fn options_reach_the_model() {
    let place = Place::with_table();
    let aerr = "fit t.csv --target y --ignore who --learner aerr --budget 2 --out m.json";
    place.ok(&format!("{aerr} --set radius=0.5 --set step=1x --seed 7"));
    let model = place.json("m.json");
    assert_eq!((&model["params"]["radius"], &model["params"]["seed"]), (&0.5.into(), &7.into()));
    assert_eq!(model["prepare"]["scaler"]["scale"], "none", "nothing unread is touched");
    place.ok(&format!("{aerr} --known kind"));
    assert_eq!(place.json("m.json")["schema"]["columns"][2]["known"], true);
    place.write("bounds.csv", "attribute,low,high\na,-5,5\nb,0,8\n");
    place.ok(&format!("{aerr} --bounds bounds.csv"));
    assert_eq!(place.json("m.json")["prepare"]["scaler"]["divisor"][1], 4.0);
    let ridge = "fit t.csv --target y --ignore who --learner ridge --out m.json";
    place.ok(&format!("{ridge} --scale common"));
    assert_eq!(place.json("m.json")["prepare"]["scaler"]["divisor"], 6.0);
    place.ok(&format!("{ridge} --tune 3"));
    place.write("hole.csv", table(60).replacen("-5,0,", "-5,,", 1));
    place.ok(&ridge.replace("t.csv", "hole.csv --missing mean"));
    assert_eq!(place.json("m.json")["report"]["examples"], 60);
    place.ok(&ridge.replace("t.csv", "hole.csv --missing drop"));
    assert_eq!(place.json("m.json")["report"]["examples"], 59);
}

/// Nothing is filled in and no budget is named: what is observed costs nothing.
#[test]
fn observed_cells_are_learned_from_as_they_are() {
    let place = Place::new();
    let mut rows = table(60).replacen("-5,0,", "-5,,", 1).replacen(",red,", ",,", 1);
    place.write("t.csv", &rows);
    let fit = "fit t.csv --target y --ignore who --missing observed --out m.json";
    for name in ["aerr", "aelr"] {
        place.ok(&format!("{fit} --learner {name}"));
        let model = place.json("m.json");
        assert_eq!(model["params"]["passive"], "all");
        let report = &model["report"];
        assert_eq!(
            (&report["examples"], &report["reads"]),
            (&60.into(), &178.into()),
            "180 cells, two of them missing"
        );
        assert_eq!(
            model["prepare"]["scaler"]["scale"], "each",
            "what is observed may be looked at"
        );
        place.ok("predict m.json t.csv");
    }
    place.ok(&format!("{fit} --learner aerr --set passive=one --tune 2"));
    assert_eq!(place.json("m.json")["params"]["passive"], "one");
    place
        .refused(&format!("{fit} --learner ridge"), &["--missing observed", "ridge", "aerr, aelr"]);
    place.refused(&format!("{fit} --learner aer --budget 2"), &["--missing observed", "aer "]);
    place.ok(
        "compare t.csv --target y --ignore who --missing observed --learners aerr,aelr --splits 1 --folds 2 --out o",
    );
    let refused =
        "compare t.csv --target y --ignore who --missing observed --learners ridge,aerr --out q";
    place.refused(refused, &["--missing observed", "ridge"]);
    rows = "a,b,y\n,,1\n,,2\n,,4\n".into();
    place.write("t.csv", &rows);
    place.refused(
        "fit t.csv --target y --learner aerr --missing observed --out m.json",
        &["t.csv", "none of the 3 rows"],
    );
}

#[test]
fn the_same_seed_writes_the_same_model() {
    let place = Place::with_table();
    let without_time = |text: String| {
        text.lines().filter(|l| !l.contains("\"seconds\"")).collect::<Vec<_>>().join("\n")
    };
    for learner in LEARNERS {
        let fit = |name: &str| {
            place.ok(&format!(
                "fit t.csv --target y --ignore who --learner {learner} --seed 3 --out {name}"
            ))
        };
        fit("one.json");
        fit("two.json");
        assert_eq!(
            without_time(place.read("one.json")),
            without_time(place.read("two.json")),
            "{learner}"
        );
    }
}
#[cfg(unix)]
#[test]
fn links_and_pipes_are_written_to_and_not_replaced() {
    let place = Place::with_table();
    let fit = "fit t.csv --target y --ignore who --learner ridge --out";
    place.write("real.json", "");
    std::os::unix::fs::symlink("real.json", place.path("link.json")).unwrap();
    place.ok(&format!("{fit} link.json"));
    assert!(
        place.path("link.json").is_symlink() && place.read("real.json").contains("halfseen-model")
    );
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut reader = std::process::Command::new("cat")
        .arg(&pipe)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    place.ok(&format!("{fit} pipe"));
    let mut text = String::new();
    std::io::Read::read_to_string(&mut reader.stdout.take().unwrap(), &mut text).unwrap();
    reader.wait().unwrap();
    assert!(text.contains("halfseen-model"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_success() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    place.write("long.csv", table(30_000));
    let mut child = place
        .command("predict m.json long.csv --quiet")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut byte = [0];
    let mut stdout = child.stdout.take().unwrap();
    std::io::Read::read_exact(&mut stdout, &mut byte).unwrap();
    drop(stdout);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn slopes_too_noisy_to_learn_from_are_noted_on_stderr_with_the_number() {
    let place = Place::with_table();
    let fit = "fit t.csv --target y --ignore who --learner aesvr --budget 2 --out m.json";
    let ran = place.run(&format!("{fit} --set smoothing_width=0.05"));
    let note = ran.err.lines().find(|l| l.starts_with("note: ")).unwrap();
    let report = &place.json("m.json")["report"];
    let remark = &report["notes"][0]["remark"];
    assert_eq!(remark["about"], "slope-variance");
    assert_eq!(note, format!("note: {}", remark["text"].as_str().unwrap()));
    assert!(note.contains("a root mean square of ") && note.contains("smoothing_width"), "{note}");
    assert_eq!((ran.code, report["budget_kind"].as_str()), (Some(0), Some("expected")));
    assert!(ran.out.contains("on average"), "{}", ran.out);
    // What is known of a model is known of its file, and quiet is quiet.
    assert_eq!(place.run(&format!("{fit} --set smoothing_width=0.05 --quiet")).err, "");
    assert!(!place.run(fit).err.contains("note: "));
    let compare = "compare t.csv --target y --ignore who --budget 2 --splits 2 --honest --learners aerr,aesvr";
    assert!(!place.run(compare).err.contains("note: "));
    // In units far larger than the ball of the weights allows for.
    let row =
        |i: usize| format!("{},{},{},{}\n", i % 7 * 100, i % 5 * 100, i % 3 * 100, i % 7 * 100);
    place.write("large.csv", format!("a,b,c,y\n{}", (0..60).map(row).collect::<String>()));
    let compare = "compare large.csv --target y --task regression --scale none --splits 2 --honest --learners aesvr";
    let err = place.run(&format!("{compare} --budget 2")).err;
    assert!(
        err.contains("note: aesvr, in 2 of 2 splits: ") && err.contains("smoothing_width"),
        "{err}"
    );
    let err = place.run(&format!("{compare} --budget 3")).err;
    assert!(!err.contains("note: "), "three reads are all there are, and slopes exact: {err}");
    place.refused(
        "fit t.csv --target y --learner aesvr --budget 2 --set loss=logistic --set norm_bound=4 --out n.json",
        &["5.0000", "2.2214", "norm_bound"],
    );
    place.refused(
        "fit t.csv --target y --learner aesvr --budget 2 --set loss=hinge --out n.json",
        &["t.csv", "two classes", "loss = absolute"],
    );
}

#[test]
fn losses_of_classes_learn_beside_others_though_the_target_is_centred() {
    let place = Place::with_table();
    place.write("bounds.csv", "attribute,low,high\na,-5,5\nb,0,6\n");
    let table = "t.csv --target who --ignore y,kind";
    for loss in ["hinge", "exponential", "logistic --set norm_bound=0.5"] {
        for budget in [1, 2] {
            let panel = if budget == 1 { "--panel both=a,b" } else { "" };
            let learner = format!("--learner aesvr --budget {budget} --set loss={loss} {panel}");
            place.ok(&format!(
                "fit {table} --bounds bounds.csv {learner} --set radius=2 --out m.json"
            ));
            let tested: serde_json::Value =
                serde_json::from_str(&place.ok("evaluate m.json t.csv --quiet --json")).unwrap();
            assert!(tested["error"].as_f64().unwrap() < 0.25, "{loss}: {tested}");
        }
    }
    let compare = format!(
        "compare {table} --learners aesvr,aerr --budget 2 --splits 2 --folds 2 --out o --json"
    );
    let compared: serde_json::Value =
        serde_json::from_str(&place.ok(&format!("{compare} --set loss=hinge --quiet"))).unwrap();
    assert!(
        compared["summary"][0]["test_error_mean"].as_f64().unwrap() < 0.4,
        "{}",
        compared["summary"]
    );
    let numbers = "compare t.csv --target y --learners aesvr --budget 2 --set loss=hinge --out p";
    place.refused(numbers, &["t.csv", "two classes", "loss = absolute"]);
}

#[test]
fn a_first_phase_beyond_the_rows_is_refused_whatever_the_horizon() {
    let place = Place::with_table();
    for learner in ["ddaerr-2p", "ddaelr-2p"] {
        let fit = format!(
            "fit t.csv --target y --ignore who --learner {learner} --budget 2 --out m.json"
        );
        place.refused(&format!("{fit} --set phase1=1000"), &["t.csv", "phase1 = 1000", "60"]);
        place.refused(
            &format!("{fit} --set horizon=1000"),
            &["t.csv", "phase1 = 200 examples", "60", "horizon"],
        );
        let limited = format!("{fit} --set horizon=60 --set phase1=0.5");
        place.refused(
            &format!("{limited} --total-budget 50"),
            &["phase1 = 30 examples", "25 that there are"],
        );
        place.ok(&format!("{fit} --set phase1=0.2 --set horizon=200"));
        place.ok(&format!("{limited} --total-budget 80"));
    }
}

#[test]
fn hopeless_slopes_leave_a_model_that_can_be_read() {
    let place = Place::with_table();
    let aesvr = "fit t.csv --target y --ignore who --learner aesvr --budget 2 --out m.json --set smoothing_width";
    for worst in ["1e-160 --set step=1e-300", "8 --set tube=1e300"] {
        let err = place.run(&format!("{aesvr}={worst}")).err;
        assert!(err.contains("note: ") && !err.contains("inf") && err.len() < 500, "{err}");
        place.ok("predict m.json t.csv --quiet");
    }
}

/// Held out, the targets of 40 rows are predicted no better by attributes that have nothing to do
/// with them.
#[test]
fn a_model_that_is_not_shown_better_than_a_constant_warns() {
    let place = Place::with_table();
    // Products modulo a prime look like noise to a weighted sum.
    let row =
        |i: u64| format!("{},{},{}\n", i * i % 41, i * i * i % 37, (i * i * 11 + i * 29) % 43);
    place.write("noise.csv", format!("a,b,y\n{}", (1..41).map(row).collect::<String>()));
    for learner in ["ridge", "karma", "robust-lp"] {
        let fit = format!("fit noise.csv --target y --learner {learner} --out m.json");
        let ran = place.run(&fit);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(
            ran.err.contains("warning: its own test cannot distinguish it from a constant"),
            "{learner}: {}",
            ran.err
        );
        assert!(ran.out.contains("rows that were held out"), "{learner}: {}", ran.out);
        let notes = place.json("m.json")["report"]["notes"].to_string();
        assert!(notes.contains("not-shown-better"), "{learner}: {notes}");
        assert_eq!(place.run(&format!("{fit} --quiet")).err, "");
        let ran = place
            .run(&format!("fit t.csv --target y --ignore who --learner {learner} --out m.json"));
        assert!(!ran.err.contains("warning"), "{learner}: {}", ran.err);
    }
}

#[test]
fn an_end_of_the_grid_is_told_with_the_remedy() {
    let place = Place::new();
    // Without noise the loosest fit is the best.
    let row =
        |i: usize| format!("{},{},{}\n", i * 7 % 11, i * 5 % 13, 100 * (i * 7 % 11) + i * 5 % 13);
    place.write("line.csv", format!("a,b,y\n{}", (0..90).map(row).collect::<String>()));
    let fit = "fit line.csv --target y --learner karma --set gamma=1 --tune 3 --out m.json";
    let said = place.run(fit).err;
    assert!(
        said.contains("note: the best c, ") && said.contains(" is the largest of the "),
        "{said}"
    );
    let (value, beyond) = (
        said.split("the best c, ").nth(1).unwrap().split(',').next().unwrap(),
        said.split("--set c=").nth(1).unwrap().split(',').next().unwrap(),
    );
    assert!(beyond.parse::<f64>().unwrap() > value.parse::<f64>().unwrap(), "{said}");
    assert_eq!(place.json("m.json")["params"]["c"].as_f64(), value.parse().ok());
    // The remedy works, and says no more of c.
    let said = place.run(&format!("{fit} --set c={beyond}")).err;
    assert!(!said.contains("the best c"), "{said}");
}
