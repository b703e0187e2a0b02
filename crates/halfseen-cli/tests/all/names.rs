//! Uses learners by their aliases: they do what their learners do with a parameter set.

use crate::common::Place;
use serde_json::Value;

const COMPARE: &str =
    "compare t.csv --target y --ignore who --splits 1 --folds 2 --budget 2 --out o --json --quiet";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns the name and parameters of each learner of a comparison.
fn compared(place: &Place, flags: &str) -> Vec<(String, Value)> {
    let results = json(&place.ok(&format!("{COMPARE} {flags}")));
    let rows = results["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["learner"] != "constant");
    rows.map(|row| (row["learner"].as_str().unwrap().to_owned(), row["params"].clone())).collect()
}

#[test]
fn variants_are_told_apart_in_a_comparison() {
    let place = Place::with_table();
    let names = ["ddaerr", "ddaerr-2p", "mcb", "mc1", "zero", "mean"];
    // What makes a variant is not what --set sets.
    let set = "--set moments=online --set max_iter=5";
    let rows = compared(&place, &format!("--learners {} {set}", names.join(",")));
    assert_eq!(rows.iter().map(|row| &*row.0).collect::<Vec<_>>(), names);
    let of = |at: usize, name: &str| rows[at].1[name].as_str().unwrap().to_owned();
    assert_eq!([of(0, "moments"), of(1, "moments")], ["online", "two-phase"]);
    assert_eq!([of(2, "variant"), of(3, "variant")], ["b", "1"]);
    assert_eq!([of(4, "fill"), of(5, "fill")], ["zero", "mean"]);
    // Rows have the name that was asked for.
    let rows = compared(&place, "--learners completion,mcb,mc1 --set max_iter=5");
    assert_eq!(rows.iter().map(|row| &*row.0).collect::<Vec<_>>(), ["completion", "mcb", "mc1"]);
    assert_eq!(rows[0].1, rows[1].1);
    place.refused(&format!("{COMPARE} --learners mcb,mcb"), &["names mcb twice"]);
}

#[test]
fn an_alias_is_its_learner_with_a_parameter_set() {
    let place = Place::with_table();
    let report = |learner: &str| {
        let fit = "fit t.csv --target y --ignore who --out m.json --json --budget 2 --quiet";
        let mut report = json(&place.ok(&format!("{fit} --learner {learner}")));
        report["seconds"].take();
        report
    };
    assert_eq!(report("ddaerr-2p"), report("ddaerr --set moments=two-phase"));
    assert_ne!(report("ddaelr-2p"), report("ddaelr"));
    assert_eq!(report("ddaelr-2p")["learner"], "ddaelr");
    let list = place.ok("learners");
    assert!(list.contains("\n    mc1             with variant=1\n"), "{list}");
    for (alias, says) in [("mean", "mean: with fill=mean"), ("ddaerr-2p", "moments = two-phase")] {
        let text = place.ok(&format!("learners {alias}"));
        assert!(text.contains(says), "{text}");
    }
    place.refused("learners ddaerr-3p", &["did you mean 'ddaerr-2p'"]);
}
