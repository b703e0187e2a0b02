//! Makes conformal intervals by the program, and refuses what cannot be.

use crate::common::caused::{judged, place, table};
use crate::common::{Place, fields};
use serde_json::Value;

#[test]
fn conformal_intervals_are_for_models_of_any_learner() {
    let place = Place::new();
    for (name, rows, empty, seed) in
        [("t", 300, 0.0, 1), ("c", 400, 0.2, 2), ("n", 800, 0.0, 3), ("h", 800, 0.3, 4)]
    {
        place.write(&format!("{name}.csv"), table(rows, empty, seed));
    }
    for learner in ["ridge", "karma", "aerr --budget 3", "fiml"] {
        place.ok(&format!("fit t.csv --target y --learner {learner} --out m.json --quiet"));
        for rows in ["n", "h"] {
            let flags = format!("m.json {rows}.csv --interval 0.9 --conformal c.csv");
            let ran = place.run(&format!("predict {flags}"));
            assert_eq!(ran.code, Some(0), "{}", ran.err);
            assert!(ran.out.starts_with("prediction,low,high\n"));
            // Complete rows need no remark on what made the holes of others.
            assert_eq!(ran.err.contains("made to lack the same"), rows == "h", "{}", ran.err);
            let (_, inside) = judged(&ran.out, &place.read(&format!("{rows}.csv")));
            assert!(inside > 0.84 && inside < 0.97, "{learner}, {rows}: {inside}");
            let plain = place.ok(&format!("predict m.json {rows}.csv --quiet"));
            for (row, alone) in fields(&ran.out).iter().zip(fields(&plain)) {
                assert_eq!(row[0], alone[0]);
            }
            let report = place.ok(&format!("evaluate {flags} --json --quiet"));
            let report: Value = serde_json::from_str(&report).unwrap();
            assert_eq!(report["covered"].as_f64(), Some(inside));
            let width = report["mean_width"].as_f64().unwrap();
            assert!(width > 0.5, "{width}");
            let text = place.ok(&format!("evaluate {flags} --quiet"));
            assert!(text.contains(&format!("mean width      {width:.6}")), "{text}");
        }
    }
    assert!(place.ok("evaluate m.json n.csv --interval 0.9 --quiet").contains("in intervals"));
    let quiet = place.json("m.json")["predictor"]["kind"].clone();
    assert_eq!(quiet, "conditional");
}

#[test]
fn conformal_intervals_are_refused_with_what_is_needed() {
    let place = place(60, 0.0);
    place.ok("fit t.csv --target y --learner ridge --out m.json --quiet");
    let lines = |count: usize| table(count, 0.0, 5);
    let calibrated =
        |level: &str| format!("predict m.json t.csv --interval {level} --conformal c.csv");
    place.write("c.csv", lines(18));
    place.ok(&calibrated("0.9"));
    let few = ["--conformal: c.csv", "of level 0.95 needs at least 19 rows, got 18"];
    place.refused(&calibrated("0.95"), &few);
    place.refused("predict m.json t.csv --conformal c.csv", &["--interval"]);
    place.refused(&calibrated("1"), &["--interval", "above 0 and below 1"]);
    place.refused("predict m.json t.csv --interval 0.5 --conformal no.csv", &["no.csv"]);
    place.refused(&format!("{} --out c.csv", calibrated("0.9")), &["--out", "c.csv"]);
    // Rows without a target are left out, and numbers of rows are those of the file.
    place.write("c.csv", lines(30).replacen("\n", "\n9,9,9,9,9,9,\n", 1));
    let ran = place.run(&calibrated("0.9"));
    assert!(ran.code == Some(0) && ran.err.contains("rows without a target"), "{}", ran.err);
    place.write("c.csv", lines(30).replacen("\n", "\n9,9,9,9,9,9,\n9,9,9,9,9,9,1e200\n", 1));
    place.refused(
        &format!("{} --quiet", calibrated("0.9")),
        &["--conformal: c.csv", "row 2, column 'y'", "too large"],
    );
    place.write("c.csv", "x0,x1,x2,x3,x4,x5\n1,2,3,4,5,6\n");
    place.refused(&calibrated("0.9"), &["--conformal", "there is no column 'y'"]);
    place.write("c.csv", "x0,x1,x2,x3,x4,x5,y\n1,2,3,4,5,6,often\n");
    place.refused(&calibrated("0.9"), &["--conformal: c.csv", "holds text"]);
    place.write("k.csv", table(60, 0.0, 1).replace("y\n", "z\n"));
    place.refused(
        "predict m.json t.csv --interval 0.9 --conformal k.csv",
        &["--conformal", "there is no column 'y'"],
    );
    let classes: String =
        (0..60).map(|i| format!("{i},{}\n", if i > 30 { "a" } else { "b" })).collect();
    place.write("t.csv", format!("x,y\n{classes}"));
    place.ok("fit t.csv --target y --learner ridge --out m.json --quiet");
    place.refused(
        "predict m.json t.csv --interval 0.9 --conformal t.csv",
        &["--conformal: t.csv", "what is predicted is a class"],
    );
}
