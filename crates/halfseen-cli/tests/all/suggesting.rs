//! Lets the program choose the learner: by flags, by the table; what it says, and what it refuses.

use crate::common::{Place, bent};
use halfseen::select::suggestions;

const FIT: &str = "fit t.csv --target y --out m.json";

/// Returns the report of a fit as JSON.
#[track_caller]
fn report(place: &Place, flags: &str) -> serde_json::Value {
    serde_json::from_str(&place.ok(&format!("{FIT} --json --quiet {flags}"))).unwrap()
}

/// Returns a place with a table of 200 rows, and in `holes.csv` the same without a cell.
fn place() -> Place {
    let (place, table) = (Place::new(), bent(200));
    let mut lines: Vec<String> = table.lines().map(str::to_owned).collect();
    lines[3] = format!(",{}", lines[3].split_once(',').unwrap().1);
    place.write("t.csv", &table);
    place.write("holes.csv", lines.join("\n") + "\n");
    place
}

#[test]
fn a_complete_table_gets_what_a_named_learner_with_its_flags_would() {
    let place = place();
    let said = place.ok(&format!("{FIT} --quiet --json"));
    let chosen = place.json("m.json");
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["suggestion"]["learner"], "ridge");
    assert_eq!(said["suggestion"]["basis"], "hats");
    place.ok(&format!("{FIT} --quiet --learner ridge --basis hats --tune 5"));
    let (mut chosen, mut named) = (chosen, place.json("m.json"));
    chosen["report"]["seconds"] = 0.into();
    named["report"]["seconds"] = 0.into();
    assert_eq!(chosen, named);
    let lines = place.ok(FIT);
    for says in [
        "ridge with basis=hats, chosen: no cell is missing, and there are 200 rows for 5 attributes (40 per attribute)",
        "\nwhy ",
        "\ninstead ",
        "% of the variance",
    ] {
        assert!(lines.contains(says), "{says} is not in\n{lines}");
    }
    assert!(report(&place, "--learner ridge").get("suggestion").is_none());
}

#[test]
fn a_budget_a_threat_and_holes_decide_in_this_order() {
    let place = place();
    place.ok("fit holes.csv --target y --out h.json --quiet");
    assert_eq!(place.json("h.json")["learner"], "fiml");
    assert_eq!(place.json("h.json")["params"]["passive"], "all");
    place.ok("fit holes.csv --target y --out h.json --quiet --missing mean");
    assert_eq!(place.json("h.json")["learner"], "ridge");
    place.ok("fit holes.csv --target y --out h.json --quiet --missing drop");
    assert_eq!(place.json("h.json")["learner"], "ridge");
    let refused = place.run("fit holes.csv --target y --out n.json --missing refuse");
    assert_eq!(refused.code, Some(2));
    for flags in
        ["--budget 2", "--budget 2 --max-cost 2", "--budget 2 --missing observed --threat 1"]
    {
        let wanted = if flags.contains("threat") { "robust-lp" } else { "fiml" };
        let ran = place.run(&format!("{FIT} --quiet --json {flags}"));
        if wanted == "robust-lp" {
            assert!(ran.err.contains("--budget: robust-lp reads every attribute"), "{}", ran.err);
            continue;
        }
        let report: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!((&report["learner"], &report["reads"]), (&wanted.into(), &400.into()));
    }
    // Missing cells count as deleted.
    let ran = place.run("fit holes.csv --target y --out h.json --threat 1");
    assert!(ran.err.contains("missing cells that count as deleted: 1"), "{}", ran.err);
    assert_eq!(place.json("h.json")["learner"], "robust-lp");
    assert_eq!(place.json("h.json")["params"]["threat"], 1.0);
}

#[test]
fn reasons_are_those_of_the_table() {
    let place = place();
    let line = |said: &str| said.lines().next().unwrap().to_owned();
    let said = line(&place.ok("fit holes.csv --target y --out h.json"));
    assert_eq!(said, "learner        fiml, chosen: 1 cell is missing, in 200 rows of 5 attributes");
    let said = line(&place.ok(&format!("{FIT} --threat 1")));
    assert!(said.contains("200 rows for 5 attributes") && !said.contains(" or "), "{said}");
    // In JSON it stays the rule.
    let rule = report(&place, "--threat 1")["suggestion"]["when"].to_string();
    assert!(rule.contains("at least 5 rows per attribute"), "{rule}");
}

#[test]
fn a_threat_is_a_flag_of_learners_that_prepare_for_one() {
    let place = place();
    let (mut flag, mut set) = (
        report(&place, "--learner robust-lp --threat 2"),
        report(&place, "--learner robust-lp --set threat=2"),
    );
    (flag["seconds"], set["seconds"]) = (0.into(), 0.into());
    assert_eq!(flag, set);
    place.refused(&format!("{FIT} --learner ridge --threat 2"), &["--threat", "ridge", "robust"]);
    place.refused(&format!("{FIT} --threat -1"), &["threat", "-1"]);
    place.refused(&format!("{FIT} --set depth=3"), &["ridge", "'depth'"]);
}

#[test]
fn a_threat_takes_curves_where_there_are_rows_enough_unless_flags_say_otherwise() {
    let place = place();
    let said = report(&place, "--threat 1");
    assert_eq!(
        (&said["suggestion"]["scale"], &said["suggestion"]["basis"]),
        (&"each".into(), &"hats".into())
    );
    let (chosen, named) = (place.json("m.json")["predictor"].clone(), |place: &Place| {
        place.json("m.json")["predictor"].clone()
    });
    place.ok(&format!("{FIT} --learner robust-lp --threat 1 --scale each --basis hats --tune 5"));
    assert_eq!(chosen, named(&place));
    report(&place, "--threat 1 --scale max");
    assert_eq!(place.json("m.json")["prepare"]["scaler"]["offset"][0], 0.0);
}

#[test]
fn a_price_of_each_row_is_limit_enough() {
    let place = place();
    place.write("prices.csv", "attribute,price\na,3\n");
    let said = report(&place, "--prices prices.csv --max-cost 3");
    assert_eq!((&said["learner"], &said["stop"]), (&"fiml".into(), &"one-pass".into()));
    assert!(said["spent"].as_f64().unwrap() <= 600.0, "{said}");
    let compared = place.run(
        "compare t.csv --target y --splits 1 --folds 2 --out o --prices prices.csv --max-cost 3 --seed 1",
    );
    assert!(compared.err.contains("--max-cost leaves out baseline"), "{}", compared.err);
    place.refused(
        "compare t.csv --target y --out o --learners fiml,baseline --prices prices.csv --max-cost 3",
        &["--max-cost", "baseline", "max_cost"],
    );
}

#[test]
fn a_comparison_says_what_a_fit_would_take() {
    let place = place();
    let compare = "compare t.csv --target y --splits 1 --folds 2 --out o";
    let said = place.ok(&format!("{compare} --budget 2"));
    assert!(said.contains("Without --learner, halfseen fit takes fiml here"), "{said}");
    let said = place.ok(compare);
    assert!(said.contains("halfseen fit takes ridge with basis=hats here"), "{said}");
    let named = place.ok(&format!("{compare} --learners ridge"));
    assert!(!named.contains("Without --learner"), "{named}");
}

#[test]
fn the_documented_table_is_that_of_the_rules() {
    let said = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/choose.md");
    let said = std::fs::read_to_string(said).unwrap();
    let rows = suggestions().map(|of| {
        let instead = format!("`{}`, if {}", of.instead, of.instead_if);
        format!("| {} | `{}` | {} | {instead} |\n", of.when, of.called(), of.why)
    });
    let table: String = rows.collect();
    assert!(said.contains(&table), "docs/choose.md lacks the table\n{table}");
}

#[test]
fn means_for_more_than_two_classes_are_filled_in_by_a_learner_that_does_so() {
    let place = Place::new();
    let cell = |i: usize| if i == 3 { String::new() } else { (i % 7).to_string() };
    let row = |i: usize| format!("{},{},{}\n", cell(i), i % 5, ["p", "q", "r"][i % 3]);
    place.write("t.csv", format!("a,b,y\n{}", (0..90).map(row).collect::<String>()));
    let suggestion = report(&place, "--missing mean")["suggestion"].clone();
    assert_eq!(suggestion["learner"], "mean");
    assert!(suggestion["when"].as_str().unwrap().contains("imputed by means"));
    assert_eq!(place.json("m.json")["params"]["fill"], "mean");
    assert_eq!(report(&place, "")["suggestion"]["learner"], "fiml");
}

#[test]
fn categories_count_as_columns() {
    let place = Place::new();
    // 97 categories in each of 4 attributes, and one missing cell.
    let text = |i: usize, step: usize| format!("c{}", i * step % 97);
    let row = |i: usize| {
        let x = if i == 0 { String::new() } else { i.to_string() };
        format!("{},{},{},{},{x},{}\n", text(i, 1), text(i, 3), text(i, 7), text(i, 9), i % 11)
    };
    place.write("t.csv", format!("a,b,c,d,x,y\n{}", (0..800).map(row).collect::<String>()));
    let suggestion = report(&place, "")["suggestion"].clone();
    assert_eq!(suggestion["learner"], "karma", "{suggestion}");
    assert_eq!(report(&place, "--ignore a,b,c")["suggestion"]["learner"], "fiml");
}
