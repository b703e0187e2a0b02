//! Pictures of comparisons and tests: what is written, what an earlier run left, several attacks.

use crate::common::Place;

#[test]
fn a_comparison_replaces_the_pictures_of_an_earlier_one() {
    let place = Place::with_table();
    let compare = "compare t.csv --target y --ignore who --splits 1 --folds 2 --out o --learners";
    place.ok(&format!("{compare} ridge,aerr --budget 2"));
    place.write("o/mine.svg", "kept");
    assert!(place.files().contains("o/curve-own-test.svg"));
    // Ridge does not estimate its own error, so that no such picture is written.
    place.ok(&format!("{compare} ridge"));
    let files = place.files();
    assert!(!files.contains("o/curve-own-test.svg") && files.contains("o/mine.svg"), "{files:?}");
    assert!(files.contains("o/curve-examples.svg") && files.contains("o/results.json"));
}

#[test]
fn a_picture_that_cannot_be_written_leaves_all_as_they_were() {
    let place = Place::with_table();
    let compare = "compare t.csv --target y --ignore who --splits 1 --folds 2 --out o --learners";
    place.ok(&format!("{compare} ridge"));
    let before = place.read("o/curve-examples.svg");
    // The second file's place is taken.
    std::fs::remove_file(place.path("o/curve-attributes.svg")).unwrap();
    std::fs::create_dir(place.path("o/curve-attributes.svg")).unwrap();
    let ran = place.run(&format!("{compare} lasso"));
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(place.read("o/curve-examples.svg"), before);
}

#[test]
fn several_attacks_are_named_with_commas() {
    let place = Place::with_table();
    place.ok("fit t.csv --target who --ignore y --learner zero --out m.json");
    let test = "evaluate m.json t.csv --quiet --threat 0,1 --out a.svg --attack";
    let text = place.ok(&format!("{test} exact,random"));
    assert!(text.contains("exact") && text.contains("random") && !text.contains("noise"), "{text}");
    let picture = place.read("a.svg");
    for part in
        ["<title>", "<desc>test error (%) by threat", "role=\"img\"", "prefers-color-scheme: dark"]
    {
        assert!(picture.contains(part), "{part}: {picture}");
    }
    place.refused(&format!("{test} exact,other"), &["--attack", "'other'", "exact, greedy"]);
}

#[test]
fn figures_that_do_not_apply_are_left_out() {
    let place = Place::with_table();
    let fitted =
        place.ok("fit t.csv --target y --ignore who --learner fiml --budget 2 --out m.json");
    assert!(fitted.contains("iterations") && !fitted.contains("passes"), "{fitted}");
    assert!(!fitted.lines().any(|line| line.trim_end().ends_with(" -")), "{fitted}");
    let quiet = "fit t.csv --target y --ignore who --learner fiml --budget 2 --out m.json --quiet";
    assert_eq!(place.ok(quiet), "");
    assert!(place.ok(&format!("{quiet} --json")).starts_with('{'));
    let tested = place.ok("evaluate m.json t.csv --quiet");
    assert!(tested.contains("squared error") && !tested.contains("balanced"), "{tested}");
}

#[test]
fn errors_stand_beside_those_of_a_constant() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json");
    let errors: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
    let of = |key: &str| errors[key].as_f64().unwrap();
    assert!((of("r2") - (1.0 - of("mse") / of("constant_mse"))).abs() < 1e-12);
    assert!(errors["constant_error"].is_null());
    let text = place.ok("evaluate m.json t.csv --quiet");
    let words = format!("explains {:.0} % of the variance", 100.0 * of("r2"));
    assert!(text.contains(&words) && text.contains("of the mean") && text.contains("R2"), "{text}");
    place.ok("fit t.csv --target who --ignore y --learner zero --out m.json");
    let errors: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
    assert!(errors["r2"].is_null());
    let error = errors["constant_error"].as_f64().unwrap();
    let text = place.ok("evaluate m.json t.csv --quiet");
    assert!(text.contains(&format!("would be wrong for {:.1} %.", 100.0 * error)), "{text}");
}

#[test]
fn many_learners_get_a_panel_each() {
    let place = Place::with_table();
    let learners = "ridge,lasso,karma,zero,mean,aerr,aelr,pnorm,aer";
    let compare = "compare t.csv --target y --ignore who --splits 1 --folds 2 --out o";
    place.ok(&format!("{compare} --learners {learners}"));
    let picture = place.read("o/curve-examples.svg");
    assert!(picture.contains("the others in grey; dashed: constant."), "{picture}");
    for learner in learners.split(',') {
        assert!(picture.contains(&format!(">{learner}</text>")), "{learner}");
    }
}
