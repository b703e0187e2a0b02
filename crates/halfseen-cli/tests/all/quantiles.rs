//! Predicts a quantile of a number by the program, from a fit to the page of a report.

use crate::common::Place;

/// Rows whose target spreads three times as far as its one attribute of use.
fn table(rows: u32) -> String {
    let mut state = 7_u32;
    let mut unit = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    };
    let mut text = String::from("spread,other,y\n");
    for _ in 0..rows {
        let (spread, other) = (unit(), unit());
        let noise: f64 = (0..12).map(|_| unit() - 0.5).sum();
        text += &format!("{spread:.4},{other:.4},{:.4}\n", spread * (1.0 + 3.0 * noise));
    }
    text
}

#[test]
fn a_quantile_is_tuned_told_and_evaluated_by_its_loss() {
    let place = Place::new();
    place.write("t.csv", table(600));
    let learner = "--learner robust-lp --set threat=0 --set quantile=0.9";
    let fit = place.run(&format!("fit t.csv --target y {learner} --tune 3 --out m.json"));
    assert_eq!(fit.code, Some(0), "{}", fit.err);
    assert!(!fit.err.contains("warning"), "{}", fit.err);
    for said in ["(loss of the quantile 0.9 of rows that were held out", "of the loss of the best"]
    {
        assert!(fit.out.contains(said), "{}", fit.out);
    }
    let evaluated = place.ok("evaluate m.json t.csv --quiet");
    for said in ["quantile loss", "of a constant", "at or below it", "of predicting the quantile"] {
        assert!(evaluated.contains(said), "{evaluated}");
    }
    assert!(!evaluated.contains("R2") && !evaluated.contains("squared"), "{evaluated}");
    let json: serde_json::Value =
        serde_json::from_str(&place.ok("evaluate m.json t.csv --json --quiet")).unwrap();
    let score = |key: &str| json["quantile"][key].as_f64().unwrap();
    assert_eq!(score("quantile"), 0.9);
    assert!(score("loss") < 0.8 * score("constant_loss"), "{json}");
    assert!((0.88..0.92).contains(&score("below")), "{json}");
    assert!(json["r2"].as_f64().unwrap() < 0.0, "the mean would be better: {json}");
    place.ok("report m.json t.csv --out page.html --quiet");
    let page = place.read("page.html");
    assert!(page.contains("targets that are at most the prediction") && !page.contains("squared"));
}
