//! Takes robust learners, and one that is not, from a table of three classes to certificates by the program.

use crate::common::Place;

const ROWS: usize = 240;

/// Three classes, each with three attributes that say so.
fn three_classes() -> String {
    let mut state = 7_u32;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = "a,b,c,d,e,f,g,h,i,who\n".to_owned();
    for row in 0..ROWS {
        let class = row % 3;
        let cell = |j: usize| if j / 3 == class { 1.5 } else { -0.5 } + 1.2 * (unit() - 0.5);
        let cells: Vec<String> = (0..9).map(cell).map(|x| format!("{x:.4}")).collect();
        text += &format!("{},{}\n", cells.join(","), ["red", "green", "blue"][class]);
    }
    text
}

#[test]
fn three_classes_are_learned_attacked_and_certified() {
    let place = Place::new();
    place.write("t.csv", three_classes());
    for learner in ["robust-lp", "robust-perceptron", "zero"] {
        let threat = if learner == "zero" { "" } else { "--set threat=2" };
        let fit = "fit t.csv --target who --seed 0 --out m.json --quiet --learner";
        place.ok(&format!("{fit} {learner} {threat}"));
        let evaluate = "evaluate m.json t.csv --threat 0,1,2,3 --attack exact --json --quiet";
        let attacked: serde_json::Value = serde_json::from_str(&place.ok(evaluate)).unwrap();
        let errors = attacked["attacks"].as_array().unwrap();
        let errors: Vec<f64> = errors.iter().map(|at| at["error"].as_f64().unwrap()).collect();
        assert!(errors[0] < 0.02 && errors.is_sorted(), "{learner}: {errors:?}");
        let certify = "certify m.json t.csv --costs uniform --json --quiet";
        let certified: serde_json::Value = serde_json::from_str(&place.ok(certify)).unwrap();
        for (threat, error) in errors.iter().enumerate() {
            let bound = certified["certified_error"][threat]["error"].as_f64().unwrap();
            assert!((bound - error).abs() < 1e-12, "{learner}, {threat}: {bound} and {error}");
        }
        let rows = certified["rows"].as_array().unwrap();
        assert!(rows.iter().all(|row| row["exact"] == true), "{learner}");
        let weights = place.ok("show m.json --quiet");
        let header = weights.lines().next().unwrap();
        assert!(["blue", "green", "red"].iter().all(|class| header.contains(class)), "{header}");
    }
    let chosen = place.ok("fit t.csv --target who --threat 2 --out n.json");
    assert!(chosen.contains("robust-lp") && chosen.contains("any 2 of 9"), "{chosen}");
    let page = "report n.json t.csv --out page.html";
    place.ok(page);
    assert!(place.read("page.html").contains("ertif"));
    // Information about the class is the same for every class.
    place.ok(
        "fit t.csv --target who --learner robust-perceptron --costs mi --set threat=1 --out i.json",
    );
    let costs = &place.json("i.json")["report"]["threat"]["costs"];
    let sum: f64 = costs.as_array().unwrap().iter().map(|cost| cost.as_f64().unwrap()).sum();
    assert!((sum - 9.0).abs() < 1e-9, "{costs}");
}
