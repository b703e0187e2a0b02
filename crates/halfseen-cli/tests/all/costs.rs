//! Limits the cost of one example and of all reads, in fits, comparisons and plans.

use crate::common::{Place, timeless};
use serde_json::Value;

fn place() -> Place {
    let place = Place::with_table();
    place.write("prices.csv", "attribute,price\na,5\nb,2\nkind,1\n");
    place
}

const FIT: &str = "fit t.csv --target y --ignore who --prices prices.csv --out m.json --json";

fn fit(place: &Place, flags: &str) -> Value {
    serde_json::from_str(&place.ok(&format!("{FIT} {flags}"))).unwrap()
}

#[test]
fn a_fit_keeps_the_total_cost_and_the_cost_of_each_example() {
    let place = place();
    for learner in ["aerr", "aelr", "ddaerr", "fiml"] {
        let report = fit(&place, &format!("--learner {learner} --budget 2 --total-cost 100"));
        let spent = report["spent"].as_f64().unwrap();
        assert!(spent <= 100.0 && spent > 85.0, "{learner}: {spent}");
        assert_eq!(report["stop"], "budget-spent", "{learner}");
    }
    for learner in ["baseline", "aesvr"] {
        let report = fit(&place, &format!("--learner {learner} --budget 2 --total-cost 100"));
        assert!(report["spent"].as_f64().unwrap() <= 100.0, "{learner}");
    }
    // Reads of 6 money units each at most: never both a and b.
    let report = fit(&place, "--learner fiml --budget 2 --max-cost 6");
    let (spent, examples) =
        (report["spent"].as_f64().unwrap(), report["examples"].as_f64().unwrap());
    assert!(spent <= 6.0 * examples && examples == 60.0, "{report}");
    let shown = place
        .ok(&format!("{} --learner fiml --budget 2 --total-cost 50", FIT.replace(" --json", "")));
    assert!(shown.contains("cost left"), "{shown}");
}

#[test]
fn flags_mean_what_the_parameters_mean() {
    let place = place();
    for learner in ["aerr --budget 2", "fiml --budget 2"] {
        let flags = fit(&place, &format!("--learner {learner} --max-cost 12 --total-cost 200"));
        let set =
            fit(&place, &format!("--learner {learner} --set max_cost=12 --set total_cost=200"));
        assert_eq!(timeless(flags), timeless(set));
    }
    place.refused(
        &format!("{FIT} --learner ridge --total-cost 100"),
        &["--total-cost", "ridge", "budgeted"],
    );
    place.refused(
        &format!("{FIT} --learner fiml --budget 2 --max-cost 4"),
        &["max_cost = 4", "'a'", "5"],
    );
    place.refused(
        &format!("{FIT} --learner fiml --budget 2 --total-cost 6"),
        &["total_cost = 6", "at least", "7"],
    );
    place.refused(&format!("{FIT} --learner fiml --budget 2 --total-cost -1"), &["--total-cost"]);
}

#[test]
fn a_comparison_keeps_the_total_cost() {
    let place = place();
    let line = "compare t.csv --target y --ignore who --prices prices.csv --learners aerr,fiml --splits 1 --folds 2 --budget 2 --total-cost 90 --json --out o";
    let results: Value = serde_json::from_str(&place.ok(line)).unwrap();
    for row in results["rows"].as_array().unwrap().iter().filter(|row| row["learner"] != "constant")
    {
        assert!(row["spent"].as_f64().unwrap() <= 90.0, "{row}");
    }
}
