//! Gives a file larger than the memory allowed to commands that go through it batch by batch.

use crate::common::{Place, fields};
use std::fmt::Write;

const ROWS: usize = 400_000;

/// Cells of a row, all of few digits: eight numbers and a target.
fn row(i: usize) -> ([f64; 8], f64) {
    let cell = |j: usize| ((i * (2 * j + 3) + j * j) % 21) as f64 / 10.0 - 1.0;
    let cells = std::array::from_fn(cell);
    let target = 2.0 * cells[0] - cells[3] + if i.is_multiple_of(5) { 0.5 } else { -0.125 };
    (cells, target)
}

fn table(rows: usize, target: impl Fn(usize, f64) -> String) -> String {
    let mut text = String::from("a,b,c,d,e,f,g,h,y\n");
    for i in 0..rows {
        let (cells, y) = row(i);
        cells.iter().for_each(|cell| write!(text, "{cell},").unwrap());
        text += &target(i, y);
        text.push('\n');
    }
    text
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_file_larger_than_memory_is_predicted_evaluated_and_certified() {
    let place = Place::new();
    place.write("small.csv", table(400, |_, y| y.to_string()));
    // Every hundredth row has no target.
    let some = |i: usize, y: f64| if i % 100 == 7 { String::new() } else { y.to_string() };
    place.write("large.csv", table(ROWS, some));
    place.ok("fit small.csv --target y --learner robust-lp --set threat=1 --out m.json");
    // The table takes 28.8 MB.
    let limited = "--memory 20MB";
    let refused = place
        .run(&format!("fit large.csv --target y --learner aerr --budget 2 {limited} --out n.json"));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    assert!(refused.err.contains("memory"), "{}", refused.err);

    place.ok(&format!("predict m.json large.csv --out p.csv {limited} --quiet"));
    let written = place.read("p.csv");
    let predictions: Vec<f64> = written.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert_eq!(predictions.len(), ROWS);
    let told = || (0..ROWS).filter(|i| i % 100 != 7);
    let squares: f64 = told().map(|i| (predictions[i] - row(i).1).powi(2)).sum();
    let mean = told().map(|i| row(i).1).sum::<f64>() / told().count() as f64;
    let spread: f64 = told().map(|i| (row(i).1 - mean).powi(2)).sum();

    let ran = place.run(&format!(
        "evaluate m.json large.csv --threat 1 --attack exact,random --json {limited}"
    ));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("rows without a target ('y') that are left out: 4000 (row 8"),
        "{}",
        ran.err
    );
    let report = json(&ran.out);
    let near = |key: &str, expected: f64| {
        let value = report[key].as_f64().unwrap();
        assert!((value - expected).abs() < 1e-10 * expected.abs(), "{key}: {value} and {expected}");
    };
    let rows = told().count() as f64;
    near("examples", rows);
    near("mse", squares / rows);
    near("constant_mse", spread / rows);
    near("r2", 1.0 - squares / spread);
    let attacked = |at: usize| report["attacks"][at]["mse"].as_f64().unwrap();
    assert!(attacked(0) > attacked(1) && attacked(1) > squares / rows, "{report}");

    place.ok(&format!("certify m.json large.csv --within 0.5 --out c.csv {limited} --quiet"));
    place.ok(&format!(
        "certify m.json large.csv --within 0.5 --json --out c.json {limited} --quiet"
    ));
    let csv = place.read("c.csv");
    let lines = fields(&csv);
    let certificates = place.json("c.json");
    let all = certificates["rows"].as_array().unwrap();
    assert_eq!((lines.len(), all.len()), (ROWS, ROWS));
    for at in [0, 1, 65_535, 65_536, 131_072, 299_999, ROWS - 1] {
        assert_eq!(all[at]["prediction"].as_f64().unwrap(), predictions[at], "{at}");
        let certified = all[at]["certified"].as_f64().map_or(String::new(), |n| n.to_string());
        assert_eq!(lines[at][1], certified, "{at}");
        // Rows of equal cells have equal certificates.
        let like = (0..2_000).find(|&i| row(i).0 == row(at).0).unwrap();
        assert_eq!(all[at], all[like], "{at} and {like}");
    }
    let errors = certificates["certified_error"].as_array().unwrap();
    assert_eq!(errors[0]["error"], 0.0);
    assert!(errors.len() > 1 && errors.last().unwrap()["error"].as_f64() > Some(0.0), "{errors:?}");
}

#[test]
fn classes_of_a_stream_are_kept_counted_and_refused() {
    let place = Place::new();
    let class = |i: usize, y: f64| match (y > 0.3, i) {
        // The third class comes late.
        (_, 150_000..) if y > 2.0 => "top".to_owned(),
        (true, _) => "up".to_owned(),
        (false, _) => "down".to_owned(),
    };
    place.write("large.csv", table(200_000, class));
    let small = table(400, class);
    place.write("small.csv", &small);
    place.ok("fit small.csv --target y --learner zero --out m.json");
    let late = place.run("evaluate m.json large.csv --quiet");
    assert_eq!(late.code, Some(2));
    assert!(late.err.contains("target 'top' is not one of the model's classes"), "{}", late.err);
    let kept = json(&place.ok("evaluate m.json large.csv --classes up,down --json --quiet"));
    let top = (150_000..200_000).filter(|&i| row(i).1 > 2.0).count();
    assert!(top > 0);
    assert_eq!(kept["examples"], 200_000 - top);
    let ups = (0..200_000).filter(|&i| class(i, row(i).1) == "up").count();
    let downs = (0..200_000).filter(|&i| class(i, row(i).1) == "down").count();
    let constant = ups.min(downs) as f64 / (ups + downs) as f64;
    assert!((kept["constant_error"].as_f64().unwrap() - constant).abs() < 1e-12);
    let absent = place.run("evaluate m.json large.csv --classes up,sideways --quiet");
    assert!(absent.err.contains("no row has target 'sideways'"), "{}", absent.err);
    // A certified error is told as long as rows say what is right.
    let ran = place.run("certify m.json large.csv --out c.csv");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(ran.err.matches("no certified error is computed").count(), 1, "{}", ran.err);
}
