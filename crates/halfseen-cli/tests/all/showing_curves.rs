//! Shows the curves of a model: as rows of weights, as CSV and as a picture.

use crate::common::bent::{number, parts_of_a};
use crate::common::{Place, fields};

/// A place with the model `m.json`, in which `y` bends along `a`.
fn place(more: &str) -> Place {
    let place = Place::new();
    place.write("t.csv", crate::common::bent(600));
    let fit = "fit t.csv --target y --learner fiml --set shape=additive --out m.json";
    place.ok(&format!("{fit} {more}"));
    place
}

#[test]
fn a_curve_is_a_row_of_its_own() {
    let ran = place("").run("show m.json");
    assert!(ran.out.starts_with("attribute,weight,standardised\n"), "{}", ran.out);
    let rows = fields(&ran.out);
    let of = |name: &str| rows.iter().position(|row| row[0] == name).unwrap();
    // It matters more than its attribute, whose line is flat, and less than `b`.
    assert!(of("b") < of("curve of a") && of("curve of a") < of("a"), "{}", ran.out);
    assert!(ran.err.contains("--curves prints these sums"), "{}", ran.err);
    // The sd of a curve is about 1, and that of a squared sqrt(4 / 45).
    assert!((number(&rows[of("curve of a")][1]) - 0.298).abs() < 0.05, "{}", ran.out);
}

#[test]
fn curves_are_the_parts_of_predictions() {
    let place = place("");
    let shown = place.ok("show m.json --curves");
    assert!(shown.starts_with("attribute,value,part\n"), "{shown}");
    let (rows, _) = parts_of_a(&place, &shown);
    assert!(rows.len() >= 5 && rows.windows(2).all(|pair| pair[0].0 < pair[1].0), "{shown}");
    assert!(rows[0].0 < -0.95 && rows[rows.len() - 1].0 > 0.95, "{shown}");
}

#[test]
fn standard_errors_give_ranges() {
    let place = place("--set deviations=20");
    let shown = place.ok("show m.json --curves --picture p.svg");
    assert!(shown.starts_with("attribute,value,part,low,high\n"), "{shown}");
    for row in fields(&shown) {
        let [part, low, high] = [2, 3, 4].map(|at| number(&row[at]));
        assert!(low < part && part < high && high - low < 0.5, "{row:?}");
    }
    let picture = place.read("p.svg");
    for text in ["<title>Parts of the prediction of y", "added to the prediction by a", "90 %"] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    assert!(picture.contains("<polygon"), "a band");
    // Without them there is no band; the weights are printed as ever.
    let place = self::place("");
    assert!(place.ok("show m.json --quiet --picture p.svg").contains("(intercept)"));
    assert!(!place.read("p.svg").contains("90 %") && !place.read("p.svg").contains("<polygon"));
}

#[test]
fn models_without_curves_and_places_without_room_are_refused() {
    let place = place("");
    place.ok("fit t.csv --target y --learner ridge --out r.json");
    for flag in ["--curves", "--picture p.svg"] {
        let says = [flag.split(' ').next().unwrap(), "r.json", "--learner fiml, whose default"];
        place.refused(&format!("show r.json {flag}"), &says);
    }
    let rows = fields(&place.read("t.csv"));
    let line = |row: &Vec<String>| {
        format!("{},{},{}\n", row[0], row[2], number(&row[0]) + number(&row[3]))
    };
    place.write("line.csv", format!("a,c,y\n{}", rows.iter().map(line).collect::<String>()));
    place.ok("fit line.csv --target y --learner fiml --set shape=additive --out l.json --quiet");
    place.refused("show l.json --curves", &["--curves", "l.json", "its reads showed none"]);
    place.refused("show m.json --picture -", &["--picture -", "file of its own"]);
    place.refused("show m.json --picture m.json", &["--picture", "would be replaced"]);
    place.refused("show m.json --picture no/p.svg", &["no/p.svg", "choose another place"]);
    place.refused("evaluate m.json t.csv --truncate auto", &["--truncate", "shape=linear"]);
    place.refused("evaluate m.json t.csv --threat 1", &["--threat", "imputes"]);
    place.refused("certify m.json t.csv --within 1", &["m.json", "imputes"]);
}
