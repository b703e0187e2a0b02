//! Writes the page of a report for every kind of model, and reads it.

use crate::common::{Place, bent};

/// Returns the page that a command writes.
fn page(place: &Place, model: &str, data: &str) -> String {
    place.ok(&format!("report {model} {data} --out report.html --quiet"));
    place.read("report.html")
}

#[track_caller]
fn holds(html: &str, parts: &[&str]) {
    for part in parts {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn numbers_with_curves_have_shapes_and_a_calibration() {
    let place = Place::new();
    place.write("bent.csv", bent(400));
    place.ok("fit bent.csv --target y --learner fiml --set shape=additive --out m.json");
    let html = page(&place, "m.json", "bent.csv");
    holds(
        &html,
        &[
            "explains",
            "of the variance",
            "<h2>Shapes</h2>",
            "Observed against predicted",
            "<h2>Weights</h2>",
        ],
    );
    // Two pictures, of the calibration and of the shapes, and nothing from elsewhere.
    assert_eq!(html.matches("<svg").count(), 2);
    assert!(!html.contains("<script") && !html.contains("src="), "{html}");
    assert!(!html.replace("http://www.w3.org/2000/svg", "").contains("http"), "{html}");
}

#[test]
fn classes_have_a_table_of_errors_and_certificates() {
    let place = Place::with_table();
    place.ok("fit t.csv --target who --ignore y --learner robust-lp --set threat=1 --out m.json");
    let html = page(&place, "m.json", "t.csv");
    holds(
        &html,
        &[
            "of the rows are predicted wrong",
            "Rows by their class",
            "If attributes are missing later",
            "sick",
            "healthy",
        ],
    );
    let evaluated = place.ok("certify m.json t.csv --json --quiet");
    let certificates: serde_json::Value = serde_json::from_str(&evaluated).unwrap();
    for of in certificates["certified_error"].as_array().unwrap() {
        let share = format!("{:.1} %", 100.0 * of["error"].as_f64().unwrap());
        assert!(html.contains(&share), "{share}: {html}");
    }
}

#[test]
fn reads_are_counted_by_attribute_and_names_are_escaped() {
    let place = Place::new();
    let rows: String =
        (0..60).map(|i| format!("{},{},{}\n", i % 7, i % 5, i % 7 + 2 * (i % 5))).collect();
    place.write("t.csv", format!("a<b>,c&d,y\n{rows}"));
    place.ok("fit t.csv --target y --budget 1 --out m.json");
    let html = page(&place, "m.json", "t.csv");
    assert!(html.contains("rows read") && html.contains("at most 1 of 2 attributes"), "{html}");
    assert!(
        html.contains("a&lt;b&gt;") && html.contains("c&amp;d") && !html.contains("<b>,"),
        "{html}"
    );
}

#[test]
fn a_model_that_tells_nothing_apart_says_so() {
    let place = Place::new();
    // Two of three classes can be told apart by a; the third has one row in 30, of all values.
    let class = |i: usize| if i % 30 == 7 { "rare" } else { ["low", "high"][i % 2] };
    let row = |i: usize| format!("{},{},{}\n", i % 2, i % 5, class(i));
    place.write("t.csv", format!("a,b,y\n{}", (0..300).map(row).collect::<String>()));
    place.ok("fit t.csv --target y --learner mean --out m.json");
    let html = page(&place, "m.json", "t.csv");
    assert!(html.contains("It never predicts rare, though there are such rows."), "{html}");
    place.write("two.csv", format!("a,y\n{}", "1,u\n1,u\n1,v\n".repeat(20)));
    place.ok("fit two.csv --target y --learner robust-lp --out m.json");
    let html = page(&place, "m.json", "two.csv");
    assert!(html.contains("It predicts the same for every row"), "{html}");
}

#[test]
fn tables_scroll_in_a_box_and_the_largest_weight_names_its_class() {
    let place = Place::new();
    let name = |i: usize| format!("a_class_with_a_long_name_{}", i % 4);
    let row = |i: usize| format!("{},{},{}\n", i % 4, i * 3 % 5, name(i));
    place.write("t.csv", format!("a,b,y\n{}", (0..120).map(row).collect::<String>()));
    for learner in ["mean", "robust-lp --threat 1", "fiml --budget 2"] {
        place.ok(&format!("fit t.csv --target y --learner {learner} --out m.json --quiet"));
        let html = page(&place, "m.json", "t.csv");
        let boxed = html.matches("<div class=\"scroll\" tabindex=\"0\"><table").count();
        assert_eq!(html.matches("<table").count(), boxed, "{html}");
        assert!(boxed >= 3 && html.contains(".scroll { overflow-x: auto"), "{html}");
        if html.contains("per deviation") {
            holds(&html, &["<th>of class</th>", "<td class=\"word\">a_<wbr>class_<wbr>with"]);
        }
    }
}

#[test]
fn kernels_have_neither_weights_nor_certificates() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --learner karma --set gamma=2 --out m.json");
    let html = page(&place, "m.json", "t.csv");
    assert!(!html.contains("<h2>Weights</h2>") && !html.contains("missing later"), "{html}");
    assert!(html.contains("<h2>How it was made</h2>"));
}

#[test]
fn a_page_needs_a_file_of_its_own_and_rows_with_a_target() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --learner ridge --out m.json");
    place.refused("report m.json t.csv --out -", &["--out -", "file of its own"]);
    place.refused("report m.json t.csv --out t.csv", &["--out"]);
    place.refused("report m.json t.csv", &["--out"]);
    place.write("none.csv", "a,b,kind\n1,2,u\n");
    place.refused("report m.json none.csv --out r.html", &["'y'"]);
    assert!(!place.files().contains("r.html"));
}
