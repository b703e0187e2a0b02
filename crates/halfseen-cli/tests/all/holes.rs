//! Learns from small tables that came with holes: every learner of them, every command, and what
//! cannot be.

use crate::common::{Place, fields, keys};
use serde_json::Value;

const LEARNERS: [&str; 5] = ["karma", "zero", "mean", "mcb", "mc1"];

/// Numbers, a text and three targets: a number, two classes, three classes. A third of the cells is
/// empty.
fn holes(rows: usize) -> String {
    let mut text = String::from("a,b,kind,y,who,stage\n");
    for i in 0..rows {
        let (a, b) = ((i * 7 % 11) as f64 - 5.0, (i * 5 % 13) as f64 / 2.0 - 3.0);
        let kind = ["red", "green", "blue"][i % 3];
        let y = 2.0 * a - b + 3.0 * f64::from(u8::from(kind == "red"));
        let who = if a > 0.0 { "sick" } else { "healthy" };
        let stage = if a > 2.0 {
            "late"
        } else if a > -2.0 {
            "early"
        } else {
            "none"
        };
        let hide = |share: usize, cell: String| {
            if (i * 31 + share * 17) % 10 < 3 { String::new() } else { cell }
        };
        let (a, b, kind) =
            (hide(1, a.to_string()), hide(2, b.to_string()), hide(3, kind.to_owned()));
        text.push_str(&format!("{a},{b},{kind},{y},{who},{stage}\n"));
    }
    text
}

fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", holes(80));
    place
}

fn others(target: &str) -> String {
    ["y", "who", "stage"].into_iter().filter(|t| *t != target).collect::<Vec<_>>().join(",")
}

/// The command that fits this learner to this target.
fn fit(learner: &str, target: &str) -> String {
    format!(
        "fit t.csv --target {target} --ignore {} --learner {learner} --out m.json",
        others(target)
    )
}

#[test]
fn every_learner_takes_holes_without_any_flag_and_goes_on_to_evaluation() {
    let place = place();
    for learner in LEARNERS {
        for target in ["y", "who", "stage"] {
            let report: Value =
                serde_json::from_str(&place.ok(&format!("{} --json", fit(learner, target))))
                    .unwrap();
            // 240 cells, less those that are empty.
            let empty = fields(&place.read("t.csv"))
                .iter()
                .flat_map(|r| r[..3].to_vec())
                .filter(|c| c.is_empty())
                .count();
            assert_eq!(report["reads"], 240 - empty as u64, "{learner}");
            assert_eq!(report["converged"], true, "{learner} {target}: {report}");
            let predicted = fields(&place.ok("predict m.json t.csv --quiet"));
            assert_eq!(
                (predicted.len(), predicted[0].len()),
                (80, if target == "y" { 1 } else { 2 })
            );
            let errors: Value =
                serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
            assert_eq!(
                keys(&errors),
                [
                    "attacked_error",
                    "balanced_error",
                    "constant_error",
                    "constant_mse",
                    "error",
                    "examples",
                    "mse",
                    "r2"
                ]
            );
            // The mean has about 45, the most frequent class 0.45 or more.
            let (key, most) = match (target, learner) {
                ("y", "mcb" | "mc1") => ("mse", 22.0),
                ("y", _) => ("mse", 16.0),
                ("who", _) => ("error", 0.2),
                _ => ("error", 0.4),
            };
            assert!(errors[key].as_f64().unwrap() < most, "{learner} {target}: {errors}");
        }
    }
}

#[test]
fn a_fit_says_what_was_there_in_the_persons_terms() {
    let place = place();
    let text = place.ok(&fit("karma", "who"));
    let line = |name: &str| {
        text.lines().find(|l| l.starts_with(name)).unwrap_or_else(|| panic!("no {name} in {text}"))
    };
    for name in [
        "examples",
        "observed cells",
        "empty rows",
        "rows kept",
        "objective",
        "certified gap",
        "passes",
        "stopped",
    ] {
        line(name);
    }
    assert!(line("observed cells").contains("of 240 (") && line("observed cells").ends_with("%)"));
    assert!(!text.contains("per example"), "nothing was chosen");
    let tuned = place.ok(&format!("{} --tune 3", fit("karma", "y")));
    let chosen = tuned.lines().find(|l| l.starts_with("tuned")).unwrap();
    assert!(chosen.contains("gamma = ") && chosen.contains("c = "), "{chosen}");
    place.ok("predict m.json t.csv --quiet");
    // What was set stays as it was set.
    place.ok(&format!("{} --tune 3 --set gamma=3", fit("karma", "y")));
    assert_eq!(place.json("m.json")["params"]["gamma"], 3);
}

#[test]
fn rows_that_show_nothing_are_learned_from_predicted_and_noted() {
    let place = Place::new();
    place.write("t.csv", "a,b,y\n1,2,u\n,,v\n3,,v\n4,1,v\n,,v\n0,5,u\n");
    let ran = place.run("fit t.csv --target y --learner karma --out m.json");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("note: rows without any observed attribute: 2"), "{}", ran.err);
    assert!(
        ran.out.lines().any(|l| l.starts_with("empty rows") && l.contains(" 2 ")),
        "{}",
        ran.out
    );
    let predicted = fields(&place.ok("predict m.json t.csv"));
    assert_eq!(predicted[1], predicted[4]);
    // Nothing at all to learn from: the class of most rows, or a refusal that says why.
    place.write("t.csv", "a,b,y\n,,u\n,,v\n,,v\n");
    for learner in LEARNERS {
        let line = format!("fit t.csv --target y --learner {learner} --out m.json");
        if learner.starts_with("mc") {
            place.refused(
                &format!("{line} --quiet"),
                &["t.csv", "none of the 3 rows has an observed attribute"],
            );
        } else {
            place.ok(&line);
            assert!(
                fields(&place.ok("predict m.json t.csv")).iter().all(|row| row[0] == "v"),
                "{learner}"
            );
        }
    }
}

#[test]
fn new_categories_absent_extra_and_moved_columns_have_defined_answers() {
    let place = place();
    for learner in LEARNERS {
        place.ok(&fit(learner, "who"));
        place.write("full.csv", "a,b,kind\n3,-2,red\n-4,1,\n,0.5,blue\n");
        let full = fields(&place.ok("predict m.json full.csv"));
        place.write("moved.csv", "zip,kind,b,a\n9,red,-2,3\n8,,1,-4\n7,blue,0.5,\n");
        let moved = place.run("predict m.json moved.csv");
        assert!(moved.err.contains("does not use: zip"), "{}", moved.err);
        assert_eq!(fields(&moved.out), full, "{learner}");
        // A category that training did not show tells as much as an empty cell.
        place.write("new.csv", "a,b,kind\n-4,1,violet\n");
        let new = place.run("predict m.json new.csv");
        assert!(new.err.contains("count as missing: 1"), "{}", new.err);
        assert_eq!(fields(&new.out)[0], full[1], "{learner}");
        // So does a column that is there no more.
        place.write("less.csv", "a,b\n-4,1\n");
        let less = place.run("predict m.json less.csv");
        assert!(less.err.contains("absent and count as missing: kind"), "{}", less.err);
        assert_eq!(fields(&less.out)[0], full[1], "{learner}");
        place.write("wrong.csv", "p,q\n1,2\n");
        place.refused(
            "predict m.json wrong.csv",
            &["wrong.csv", "3 of the model's 3 columns", "right file"],
        );
        place.write("text.csv", "a,b,kind\nmany,1,red\n");
        place.refused(
            "predict m.json text.csv",
            &["text.csv", "row 1", "'a'", "'many' is not a number"],
        );
    }
}

#[test]
fn what_has_weights_shows_them_and_what_has_none_says_so() {
    let place = place();
    for learner in ["zero", "mean"] {
        place.ok(&fit(learner, "who"));
        let shown = fields(&place.ok("show m.json"));
        let mut names: Vec<&str> = shown.iter().map(|row| row[0].as_str()).collect();
        names[1..].sort_unstable();
        assert_eq!(names, ["(intercept)", "a", "b", "kind=blue", "kind=green", "kind=red"]);
        place.ok(&format!("{} --truncate 1", fit(learner, "who")));
        place.ok("evaluate m.json t.csv --truncate auto --out o.svg --quiet");
    }
    place.ok(&fit("zero", "stage"));
    let shown = place.ok("show m.json");
    assert!(
        shown.starts_with("attribute,early,late,none,standardised,of_class\n(intercept),"),
        "{shown}"
    );
    let rows = fields(&shown);
    assert!(
        rows.iter().all(|row| row.len() == 6 && row[1..4].iter().all(|w| w.parse::<f64>().is_ok()))
    );
    let sizes: Vec<f64> =
        rows[1..].iter().map(|row| row[4].parse::<f64>().unwrap().abs()).collect();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{shown}");
    place.refused(
        "evaluate m.json t.csv --truncate auto --quiet",
        &["--truncate", "m.json", "no weight"],
    );
    for learner in ["karma", "mcb", "mc1"] {
        place.ok(&fit(learner, "who"));
        place.refused("show m.json", &["m.json", "no weight per attribute", "zero and mean"]);
        place.refused(
            "evaluate m.json t.csv --truncate 1 --quiet",
            &["--truncate", "m.json", "no weight"],
        );
        place.refused(
            &format!("{} --truncate 1", fit(learner, "who")),
            &["--truncate", learner, "leave --truncate out"],
        );
    }
    place.refused(
        &format!("{} --truncate 1", fit("zero", "stage")),
        &["--truncate", "more than two classes"],
    );
}

#[test]
fn raw_weights_of_classes_give_the_scores() {
    let place = Place::new();
    let rows: String = (0..30)
        .map(|i| format!("{},{},{}\n", i % 7, i * 3 % 5, ["p", "q", "r"][i % 7 % 3]))
        .collect();
    place.write("t.csv", format!("a,b,y\n{rows}"));
    place.ok("fit t.csv --target y --learner zero --set loss=squared --out m.json");
    let mut rows = fields(&place.ok("show m.json"));
    rows.sort(); // (intercept), a, b
    let shown: Vec<Vec<f64>> =
        rows.iter().map(|row| row[1..4].iter().map(|w| w.parse().unwrap()).collect()).collect();
    let predicted = fields(&place.ok("predict m.json t.csv"));
    for (i, row) in predicted.iter().enumerate() {
        let scores: Vec<f64> = (0..3)
            .map(|c| shown[0][c] + shown[1][c] * (i % 7) as f64 + shown[2][c] * (i * 3 % 5) as f64)
            .collect();
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        assert!((best - row[1].parse::<f64>().unwrap()).abs() < 1e-9, "{scores:?} and {row:?}");
    }
}

#[test]
fn tables_that_cannot_be_learned_from() {
    let place = Place::new();
    let refused = |content: &str, says: &[&str]| {
        place.write("t.csv", content);
        let says: Vec<&str> = ["t.csv"].iter().chain(says).copied().collect();
        for learner in LEARNERS {
            place.refused(&format!("fit t.csv --target y --learner {learner} --out m.json"), &says);
        }
        place.refused("compare t.csv --target y --out o", &says);
    };
    refused("a,b,y\n1,,u\n2,3,u\n", &["'y' is constant", "u"]);
    refused("a,b,y\n1,,\n2,3,?\n", &["'y'", "missing in all 2 rows"]);
    refused("a,b,y\n1,inf,u\n2,,v\n", &["row 1", "'b'", "inf", "leave the cell empty"]);
    refused("a,b,y\n1,,u\n", &["at least 2 rows", "got 1"]);
    refused("y\nu\nv\n", &["no attribute"]);
}

#[test]
fn tables_with_an_answer_although_little_can_be_learned() {
    let place = Place::new();
    // A column without a value; all values equal; as many classes as rows.
    for (table, remark) in [
        (
            "a,b,y\n1,,u\n2,,v\n3,,v\n",
            Some("attributes missing in every training row: 1 (first: 'b')"),
        ),
        ("a,b,y\n1,1,u\n1,1,v\n1,,v\n", None),
        ("a,b,y\n1,,u\n,2,v\n3,4,w\n", None),
    ] {
        place.write("t.csv", table);
        for learner in LEARNERS {
            let ran = place.run(&format!("fit t.csv --target y --learner {learner} --out m.json"));
            assert_eq!(ran.code, Some(0), "{learner}: {}", ran.err);
            assert!(remark.is_none_or(|remark| ran.err.contains(remark)), "{learner}: {}", ran.err);
            let predicted = fields(&place.ok("predict m.json t.csv"));
            assert!(
                predicted.iter().all(|row| row[1].parse::<f64>().unwrap().is_finite()),
                "{learner}: {predicted:?}"
            );
        }
    }
    // A column that training never showed tells nothing later.
    place.write("t.csv", "a,b,y\n1,,1\n2,,3\n3,,2.5\n");
    place.ok("fit t.csv --target y --learner karma --out m.json --quiet");
    place.write("n.csv", "a,b\n1,50\n1,\n1,-9\n");
    let predicted = fields(&place.ok("predict m.json n.csv"));
    assert!(predicted.iter().all(|row| *row == predicted[1]), "{predicted:?}");
}

#[test]
fn parameters_are_refused_by_name_and_range() {
    let place = place();
    let karma = fit("karma", "who");
    place.refused(&format!("{karma} --set gamma=0"), &["gamma = 0", "from 1 to 64"]);
    place.refused(&format!("{karma} --set gamma=1.5"), &["gamma", "'1.5'"]);
    for c in ["0", "-1", "NaN", "inf"] {
        place.refused(&format!("{karma} --set c={c}"), &["c = ", "finite number above 0"]);
    }
    place.refused(
        &format!("--memory 40kB {karma}"),
        &["t.csv", "karma", "80 rows", "MB of memory", "features=sketch:2048"],
    );
    place.refused(&format!("{karma} --set features=sketch:0"), &["features"]);
    let sketched = place.ok(&format!("{karma} --set features=sketch:256 --set gamma=3"));
    assert!(sketched.contains("observed cells"));
    assert_eq!(place.json("m.json")["params"]["features"], "sketch:256");
    place.ok("predict m.json t.csv --quiet");
    for flag in ["--budget 2", "--total-budget 20"] {
        place.refused(
            &format!("{karma} {flag}"),
            &[flag.split(' ').next().unwrap(), "karma", "all observed cells"],
        );
    }
    place.refused(
        &format!("{karma} --missing mean"),
        &["--missing mean", "karma", "--learner mean"],
    );
    place.refused(&format!("{karma} --missing refuse"), &["t.csv", "row 1", "missing"]);
    let report: Value =
        serde_json::from_str(&place.ok(&format!("{karma} --missing drop --json"))).unwrap();
    let complete = fields(&place.read("t.csv"))
        .iter()
        .filter(|row| row[..3].iter().all(|c| !c.is_empty()))
        .count();
    assert_eq!(report["examples"], complete);
}

#[test]
fn the_lists_name_the_papers_of_these_learners() {
    let place = Place::new();
    for (name, says) in [
        ("karma", &["Hazan et al. 2015", "features = exact", "sketch:D", "gamma = 2"][..]),
        ("mcb", &["Goldberg et al. 2010", "label_weight", "rank_penalty"]),
    ] {
        let text = place.ok(&format!("learners {name}"));
        says.iter().for_each(|word| assert!(text.contains(word), "{word} in {text}"));
    }
}

#[test]
fn a_holdout_chooses_as_the_first_fold_alone_does_and_needs_tuning() {
    let place = place();
    place.refused(&format!("{} --holdout", fit("karma", "y")), &["--tune"]);
    let chosen = |flags: &str| -> Value {
        serde_json::from_str(&place.ok(&format!("{} {flags} --json", fit("karma", "y")))).unwrap()
    };
    let (all, one) = (chosen("--tune 4"), chosen("--tune 4 --holdout"));
    assert_eq!(keys(&all["params"]), keys(&one["params"]));
    assert!(one["leave_one_out"].as_f64().unwrap() > 0.0, "a fit of few rows tells it");
    // The same rows validate whenever the seed is the same.
    assert_eq!(one["params"], chosen("--tune 4 --holdout")["params"]);
}
