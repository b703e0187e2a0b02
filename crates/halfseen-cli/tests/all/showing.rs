//! Shows the weights of models, the most important attributes first.

use crate::common::{Place, fields};

/// A table in which `y = 0.001 far + near + 3 [side = r]`, `far` varying by thousands.
fn place() -> Place {
    let place = Place::new();
    let rows: String = (0..60)
        .map(|i| {
            let (far, near) = (1000 * (i * 7 % 11), i * 5 % 13);
            let side = if i * 3 % 7 < 3 { "r" } else { "l" };
            let y = 0.001 * f64::from(far) + f64::from(near) / 13.0 + f64::from(side == "r") * 3.0;
            format!("{near},{far},{side},{y}\n")
        })
        .collect();
    place.write("t.csv", format!("near,far,side,y\n{rows}"));
    place
}

#[test]
fn attributes_are_in_the_order_of_the_weight_of_one_standard_deviation() {
    let place = place();
    place.ok("fit t.csv --target y --learner ridge --set radius=1e6 --out m.json");
    let shown = place.ok("show m.json");
    assert!(shown.starts_with("attribute,weight,standardised\n"), "{shown}");
    let rows = fields(&shown);
    let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    // The smallest weight in its own units matters most; a text of two categories is one row.
    assert_eq!(
        names,
        ["(intercept of side=l)", "(least)", "(largest)", "far", "side=r against side=l", "near"]
    );
    let number = |row: usize, column: usize| rows[row][column].parse::<f64>().unwrap();
    assert!(number(0, 1).abs() < 1e-6, "{shown}"); // y where all is 0 and side is l
    assert!((number(3, 1) - 0.001).abs() < 1e-9 && (number(4, 1) - 3.0).abs() < 1e-6, "{shown}");
    let values: Vec<f64> = (0..60).map(|i| f64::from(1000 * (i * 7 % 11))).collect();
    let mean = values.iter().sum::<f64>() / 60.0;
    let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
    assert!((number(3, 2) - 0.001 * deviation).abs() < 1e-6, "{shown}");
}

#[test]
fn deviations_that_a_fit_may_not_know_are_left_out_with_a_remark() {
    let place = place();
    let fit = "fit t.csv --target y --learner aerr --budget 2 --out m.json";
    place.ok(fit);
    let shown = place.run("show m.json");
    assert!(shown.out.starts_with("attribute,weight\n(intercept of side=l),"), "{}", shown.out);
    assert!(
        shown.err.starts_with("remark: no column standardised") && shown.err.contains("--moments")
    );
    assert_eq!(place.run("show m.json --quiet").err, "");
    // Declared means and moments say what the table may not.
    place.write("moments.csv", "attribute,moment,mean\nnear,50,6\nfar,35e6,5000\nside,1,\n");
    place.write("bounds.csv", "attribute,low,high\nnear,0,12\nfar,0,10000\n");
    place.ok(&format!("{fit} --moments moments.csv --bounds bounds.csv"));
    let rows = fields(&place.ok("show m.json --quiet"));
    let far = rows.iter().find(|row| row[0] == "far").unwrap();
    let (weight, standardised): (f64, f64) = (far[1].parse().unwrap(), far[2].parse().unwrap());
    assert!((standardised - weight * 1e7_f64.sqrt()).abs() <= 1e-9 * standardised.abs(), "{far:?}");
    // fiml knows the distribution of what it read.
    place.ok("fit t.csv --target y --learner fiml --budget 3 --out m.json");
    let shown = place.ok("show m.json");
    assert!(shown.starts_with("attribute,weight,standardised\n"), "{shown}");
}

#[test]
fn the_standard_error_of_two_categories_is_that_of_their_difference() {
    let place = place();
    place.ok("fit t.csv --target y --learner fiml --set deviations=40 --out m.json");
    let rows = fields(&place.ok("show m.json"));
    let side = rows.iter().find(|row| row[0] == "side=r against side=l").unwrap();
    let (weight, error): (f64, f64) = (side[1].parse().unwrap(), side[3].parse().unwrap());
    assert!((weight - 3.0).abs() < 0.3 && error > 0.0 && error < 0.5, "{side:?}");
}

#[test]
fn classes_have_a_column_of_weights_each() {
    let place = Place::with_table();
    let fit = "fit t.csv --target kind --ignore who --learner fiml --out m.json --quiet";
    place.ok(fit);
    let shown = place.ok("show m.json --quiet");
    assert!(shown.starts_with("attribute,blue,green,red,standardised,of_class\n"), "{shown}");
    let (a, b) = (place.ok("evaluate m.json t.csv --json"), place.ok("predict m.json t.csv"));
    assert!(a.contains("\"error\"") && b.starts_with("prediction,score\n"), "{a}{b}");
    // The weight of a deviation is the largest of the classes, and has the sign of its own.
    for row in fields(&shown).iter().filter(|row| !row[0].starts_with('(')) {
        let weights = [1, 2, 3].map(|at| row[at].parse::<f64>().unwrap());
        let at = ["blue", "green", "red"].iter().position(|class| *class == row[5]).unwrap();
        assert!(weights.iter().all(|weight| weight.abs() <= weights[at].abs()), "{row:?}");
        assert!(row[4].parse::<f64>().unwrap() * weights[at] >= 0.0, "{row:?}");
    }
    for flag in ["--curves", "--picture p.svg"] {
        place.refused(&format!("show m.json {flag}"), &["m.json", "its reads showed none"]);
    }
    let other = fit.replace("fiml", "aerr --budget 2");
    place.refused(&other, &["3 classes (blue, green, red)", "fiml"]);
    let linear = format!("{fit} --set shape=linear --truncate 2");
    place.refused(&linear, &["one weight per attribute and class"]);
    place.refused(&format!("{fit} --truncate 2"), &["no weight, or not only one", "shape=linear"]);
}

/// Each class has curves of its own; a class without one of an attribute has the weight 0.
#[test]
fn classes_have_a_row_for_every_curve_of_any_class() {
    let place = Place::new();
    let row = |i: u32| {
        let [a, b] = [f64::from(i % 41) / 20.0 - 1.0, f64::from(i % 29) / 14.0 - 1.0];
        let class = if a.abs() > 0.6 {
            "far"
        } else if b > 0.0 {
            "up"
        } else {
            "down"
        };
        format!("{a},{b},{class}\n")
    };
    place.write("c.csv", format!("a,b,class\n{}", (0..600).map(row).collect::<String>()));
    place.ok("fit c.csv --target class --learner fiml --out c.json --quiet");
    let model = place.json("c.json");
    let classes = model["predictor"]["classes"].as_array().unwrap();
    let rows = fields(&place.ok("show c.json --quiet"));
    let row = rows.iter().find(|row| row[0] == "curve of a").unwrap();
    assert!(row.len() == 6 && row[1..5].iter().all(|cell| cell.parse::<f64>().is_ok()), "{row:?}");
    for (at, class) in classes.iter().enumerate() {
        let curves = class["curves"].as_array();
        let of_a = curves.and_then(|all| all.iter().position(|curve| curve["column"] == 0));
        let weight: f64 = row[1 + at].parse().unwrap();
        assert_eq!(weight != 0.0, of_a.is_some(), "{row:?}");
        if let Some(place) = of_a {
            let learned = class["conditional"]["linear"]["weights"][2 + place].as_f64().unwrap();
            assert!((learned - weight).abs() < 1e-12 * learned.abs(), "{learned} {row:?}");
        }
    }
    assert!(classes.iter().any(|class| class["curves"].is_array()));
    let said = place.run("show c.json").err;
    assert!(said.contains("its two rows to the score of each class; --curves prints"), "{said}");
}

/// Each class has curves of its own: what one adds to the score is what the predictions show.
#[test]
fn curves_of_every_class_are_printed_and_drawn() {
    let place = Place::new();
    let class = |a: f64, b: f64| match (a.abs() > 0.6, b > 0.0) {
        (true, _) => "far",
        (_, true) => "up",
        _ => "down",
    };
    let row = |i: u32| {
        let [a, b] = [f64::from(i % 41) / 20.0 - 1.0, f64::from(i % 29) / 14.0 - 1.0];
        format!("{a},{b},{}\n", class(a, b))
    };
    place.write("c.csv", format!("a,b,class\n{}", (0..600).map(row).collect::<String>()));
    for learner in ["fiml", "mean --basis hats"] {
        place.ok(&format!("fit c.csv --target class --learner {learner} --out c.json --quiet"));
        let ran = place.run("show c.json --curves --picture p.svg");
        assert!(ran.out.starts_with("class,attribute,value,part\n"), "{}", ran.out);
        let rows = fields(&ran.out);
        let part = |class: &str, near: f64| {
            let of = |row: &&Vec<String>| row[0] == class && row[1] == "a";
            let number = |text: &str| text.parse::<f64>().unwrap();
            let near = |row: &&Vec<String>| (number(&row[2]) - near).abs();
            let nearest = rows.iter().filter(of).min_by(|a, b| near(a).total_cmp(&near(b)));
            number(&nearest.unwrap_or_else(|| panic!("{class}: {}", ran.out))[3])
        };
        // Far from 0 speaks for `far`.
        assert!(part("far", 1.0) > part("far", 0.0) + 0.2, "{}", ran.out);
        assert!(part("far", -1.0) > part("far", 0.0) + 0.2, "{}", ran.out);
        assert!(place.read("p.svg").contains("far: a"), "{}", place.read("p.svg"));
        place.ok("report c.json c.csv --out r.html --quiet");
        assert!(place.read("r.html").contains("<h2>Shapes</h2>"));
    }
    // Without hats or curves both ways to get some are named.
    place.ok("fit c.csv --target class --learner mean --out c.json --quiet");
    place.refused("show c.json --curves", &["c.json has no curves", "fiml", "--basis hats"]);
}

/// The intercept of many texts is no longer than other names.
#[test]
fn the_intercept_of_many_texts_names_the_first() {
    let place = Place::new();
    let bit = |i: usize, step: usize| if i * step % 7 < 3 { "yes" } else { "no" };
    let row = |i: usize| {
        format!("{},{},{},{},{}\n", bit(i, 1), bit(i, 2), bit(i, 3), bit(i, 4), i * 5 % 11)
    };
    let table = (0..70).map(row).collect::<String>();
    place.write(
        "t.csv",
        format!("first_question,second_question,third_question,fourth_question,y\n{table}"),
    );
    place.ok("fit t.csv --target y --learner ridge --out m.json --quiet");
    let rows = fields(&place.ok("show m.json"));
    assert_eq!(rows[0][0], "(intercept of first_question=no and 3 more)");
    let longest = rows.iter().map(|row| row[0].len()).max().unwrap();
    assert!(rows[0][0].len() <= longest);
    place.ok("fit t.csv --target y --ignore third_question,fourth_question --learner ridge --out m.json --quiet");
    let shown = place.ok("show m.json");
    assert!(shown.contains("(intercept of first_question=no and second_question=no)"), "{shown}");
}
