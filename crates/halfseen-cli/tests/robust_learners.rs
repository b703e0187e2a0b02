//! Takes every robust learner, and the SVM, from a table to certificates by the program.

#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, fields};

const ROWS: usize = 240;

/// Six attributes of which four tell the same, each a little, so that any one of them may vanish; the target as classes and as a
/// number. A fixed sequence of numbers instead of a generator.
fn table(target: &str) -> String {
    let mut state = 1_u32;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = format!("a,b,c,d,e,f,{target}\n");
    for row in 0..ROWS {
        let sign = if row % 2 == 0 { 1.0 } else { -1.0 };
        let cells: Vec<f64> = (0..6).map(|j| 2.0 * unit() - 1.0 + if j < 4 { 1.5 * sign } else { 0.0 }).collect();
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
    for learner in ["robust-lp", "robust-perceptron", "fdrop", "svm"] {
        let threat = if learner == "svm" { "" } else { "--set threat=2" };
        let fit = place.run(&format!("fit t.csv --target who --learner {learner} {threat} --seed 0 --out m.json"));
        assert_eq!(fit.code, Some(0), "{learner}: {}", fit.err);
        assert_eq!(
            fit.out.contains("prepares for   the loss of any 2 of 6 attributes"),
            learner != "svm",
            "{}",
            fit.out
        );
        let model = place.json("m.json");
        assert_eq!(model["report"]["threat"].is_null(), learner == "svm");
        let json: serde_json::Value =
            serde_json::from_str(&place.ok("evaluate m.json t.csv --threat 2 --attack exact --json --quiet")).unwrap();
        assert!(json["error"].as_f64().unwrap() < 0.1, "{learner}: {json}");
        attacked.push(json["attacked_error"].as_f64().unwrap());
        // A certificate of at least 2 on a right row means that the attack changes nothing, and the other way round.
        let certified = fields(&place.ok("certify m.json t.csv --quiet"));
        let safe = certified.iter().enumerate().filter(|(row, fields)| {
            let right = (fields[0] == "up") == (row % 2 == 0);
            right && fields[1].parse::<f64>().unwrap() >= 2.0
        });
        let unsafe_share = 1.0 - safe.count() as f64 / ROWS as f64;
        assert!((unsafe_share - attacked.last().unwrap()).abs() < 1e-12, "{learner}: {unsafe_share} {attacked:?}");
        // A missing cell at prediction time is a deletion, and accepted.
        place.write("gone.csv", "a,b,c,d,e,f\n1.5,,1.5,1.5,0,0\n-1.5,-1.5,,,0,0\n");
        let predicted = fields(&place.ok("predict m.json gone.csv"));
        assert_eq!([&predicted[0][0], &predicted[1][0]], ["up", "down"], "{learner}");
        place.ok("show m.json");
    }
    // Told by the worst loss of any two attributes: no worse than the SVM, which prepares for none.
    assert!(attacked[0] <= attacked[3] && attacked[0] < 0.2, "{attacked:?}");
}

#[test]
fn a_robust_quantile_of_a_number_is_certified_within_a_distance() {
    let place = Place::new();
    place.write("t.csv", table("y"));
    let learner = "--learner robust-lp --set threat=1 --set quantile=0.7";
    let fit = place.run(&format!("fit t.csv --target y {learner} --out m.json"));
    assert_eq!(fit.code, Some(0), "{}", fit.err);
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
    let list = "robust-lp,robust-perceptron,fdrop,svm,ridge";
    place.ok(&format!(
        "compare t.csv --target who --learners {list} --set threat=2 --splits 2 --folds 2 --out found --quiet"
    ));
    let json = place.json("found/results.json");
    for summary in json["summary"].as_array().unwrap() {
        assert!(summary["test_error_mean"].as_f64().unwrap() < 0.1, "{summary}");
    }
    let tuned = place.ok("fit t.csv --target who --learner robust-lp --set threat=2 --tune 3 --out m.json");
    assert!(tuned.contains("tuned          box_radius = "), "{tuned}");
}

#[test]
fn a_result_never_replaces_what_it_is_made_from() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    place.write("v.csv", "attribute,value\n");
    place.ok("fit t.csv --target who --learner svm --out m.json");
    let (data, model) = (place.read("t.csv"), place.read("m.json"));
    for command in [
        "fit t.csv --target who --learner svm --out ./t.csv",
        "fit t.csv --target who --learner svm --bounds v.csv --out v.csv",
        "predict m.json t.csv --out t.csv",
        "evaluate m.json t.csv --threat 1,2 --out t.csv",
        "evaluate m.json t.csv --threat 1,2 --values v.csv --out v.csv",
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
    let fit = "fit t.csv --target who --learner robust-lp --set threat=2 --set values=1,2,3,4,5,6";
    place.ok(&format!("{fit} --truncate 4 --out m.json"));
    let model = place.json("m.json");
    let kept = model["schema"]["columns"].as_array().unwrap();
    assert!(kept.len() <= 4 && !kept.is_empty());
    let values: Vec<f64> =
        kept.iter().map(|c| f64::from(c["name"].as_str().unwrap().as_bytes()[0] - b'a' + 1)).collect();
    assert_eq!(model["report"]["threat"]["values"], serde_json::json!(values));
    place.ok("certify m.json t.csv --quiet");
}

#[test]
fn a_threat_that_leaves_too_little_is_said() {
    let place = Place::new();
    place.write("t.csv", table("who"));
    let fit = place.run("fit t.csv --target who --learner robust-lp --set threat=5 --out m.json");
    assert_eq!(fit.code, Some(0), "{}", fit.err);
    assert!(fit.err.contains("the threat leaves too little") || fit.err.contains("all weights are 0"), "{}", fit.err);
    assert!(fit.out.contains("on new rows"), "{}", fit.out);
    let easy = place.run("fit t.csv --target who --learner robust-lp --set threat=1 --out m.json");
    assert!(!easy.err.contains("too little"), "{}", easy.err);
}
