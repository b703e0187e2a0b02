//! Runs the program on the curve of a study's own error, and on simulated studies.

use crate::common::{Place, fields};

const SCHEMA: &str = "attribute,kind,low,high,price
a,number,-5,5,1
b,number,0,6,3
c,number,0,6,2
y,number,-30,30,
";

/// Row `i` of a table without holes: the target follows two of three attributes, with noise.
fn cells(i: usize) -> [f64; 4] {
    let (a, b, c) =
        ((i * 7 % 11) as f64 - 5.0, (i * 5 % 13) as f64 / 2.0, (i * 3 % 12) as f64 / 2.0);
    [a, b, c, 2.0 * a - b + (i * 37 % 17) as f64 / 4.0]
}

fn place() -> Place {
    let place = Place::new();
    place.write("attributes.csv", SCHEMA);
    let mut pilot = "a,b,c,y\n".to_owned();
    for [a, b, c, y] in (0..300).map(cells) {
        pilot.push_str(&format!("{a},{b},{c},{y}\n"));
    }
    place.write("pilot.csv", pilot);
    place
}

/// A study of so many subjects, with all answers.
fn study(subjects: usize) -> Place {
    let place = place();
    place.ok("study new trial.hs --schema attributes.csv --target y --budget 2");
    let asks = place.ok(&format!("study next trial.hs --count {subjects}"));
    let mut answers = "subject,a,b,c,y\n".to_owned();
    for (i, row) in fields(&asks).iter().enumerate() {
        let shown = cells(i);
        let cell = |at: usize| {
            if row[2 + at] == "1" { shown[at].to_string() } else { String::new() }
        };
        let [a, b, c] = [0, 1, 2].map(cell);
        answers.push_str(&format!("{},{a},{b},{c},{}\n", row[0], shown[3]));
    }
    place.write("answers.csv", answers);
    place.ok("study tell trial.hs answers.csv");
    place
}

fn json(text: &str) -> serde_json::Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn status_shows_the_curve() {
    let place = study(160);
    let status = json(&place.ok("study status trial.hs --json"));
    let points = status["curve"]["points"].as_array().unwrap();
    let examples: Vec<u64> = points.iter().map(|p| p["examples"].as_u64().unwrap()).collect();
    assert_eq!(examples, [20, 40, 80, 160]);
    // In the target's units, though the schema gives it a range.
    assert_eq!(points[3]["error"], status["risk"]);
    let (error, variance) =
        (status["risk"].as_f64().unwrap(), status["curve"]["variance"].as_f64().unwrap());
    assert!(variance > 30.0 && error > 0.5 && error < 0.8 * variance, "{status}");
    assert_eq!(status["curve"]["test"], "held_out");
    let text = place.ok("study status trial.hs");
    assert_eq!(text.lines().filter(|line| line.starts_with("160 ")).count(), 1, "{text}");
    let without = json(&place.ok("study status trial.hs --json --no-fit"));
    assert!(without.get("curve").is_none());
}

#[test]
fn status_draws_the_curve_and_says_when_there_is_none() {
    let place = study(80);
    place.ok("study status trial.hs --plot curve.svg --json");
    let svg = place.read("curve.svg");
    assert!(svg.starts_with("<svg") && svg.contains("own test"));
    let few = study(5);
    let text = few.ok("study status trial.hs");
    assert!(text.contains("no own error yet"), "{text}");
    few.ok("study new empty.hs --schema attributes.csv --target y --budget 2");
    let none = few.run("study status empty.hs --plot curve.svg");
    assert!(none.code == Some(2) && none.err.contains("no curve yet"), "{}", none.err);
    assert!(!few.path("curve.svg").exists());
}

#[test]
fn simulations_show_the_error_against_money() {
    let place = place();
    let line = "study simulate attributes.csv --target y --pilot pilot.csv --subjects 120 --wave 30 \
                --budgets 1,3 --seeds 3 --dropout .1 --refusal .05 --delay .2 --amended .1";
    let report = json(&place.ok(&format!("{line} --json --out r.csv --plot p.svg")));
    let designs = report["designs"].as_array().unwrap();
    assert_eq!(designs.len(), 2);
    let end = |design: &serde_json::Value| design["summary"][2].clone();
    let (poor, rich) = (end(&designs[0]), end(&designs[1]));
    assert!(poor["cost"].as_f64().unwrap() < rich["cost"].as_f64().unwrap(), "{report}");
    // Three reads of three show everything.
    assert!(rich["error"].as_f64().unwrap() < poor["error"].as_f64().unwrap(), "{report}");
    assert!(rich["low"].as_f64().unwrap() < rich["error"].as_f64().unwrap());
    assert!(place.read("p.svg").contains("fiml, 3 reads"));
    let rows = fields(&place.read("r.csv"));
    assert_eq!(rows.len(), 2 * 3 * 3);
    let of_rich = rows.iter().filter(|row| row[1] == "3" && row[3] == "120");
    let errors: Vec<f64> = of_rich.map(|row| row[7].parse().unwrap()).collect();
    let mean = errors.iter().sum::<f64>() / 3.0;
    assert!(errors.len() == 3 && (mean - rich["error"].as_f64().unwrap()).abs() < 1e-12);
    let text = place.ok(line);
    assert!(text.starts_with("learner  budget  subjects"), "{text}");
    assert!(text.contains("squared error / variance of y"), "{text}");
    let ran = place.run("study simulate attributes.csv --target y --pilot pilot.csv --subjects 250 --seeds 1 --budgets 2 --quiet");
    assert!(
        ran.code == Some(0) && ran.err.contains("WARNING: the pilot has too few rows: 40 of"),
        "{}",
        ran.err
    );
}

#[test]
fn what_cannot_be_simulated_is_refused_in_a_sentence() {
    let place = place();
    let base = "study simulate attributes.csv --subjects 50";
    let refused = |rest: &str| {
        let ran = place.run(&format!("{base} {rest}"));
        assert!(ran.code == Some(2) && ran.out.is_empty(), "{rest}: {:?} {}", ran.code, ran.err);
        assert_eq!(ran.err.trim_end().lines().count(), 1, "{}", ran.err);
        ran.err
    };
    let error = refused("--target y --pilot pilot.csv --budgets 2,4");
    assert!(error.contains("--budgets 4: the schema has 3 attributes"), "{error}");
    place.write("lacking.csv", "a,c,y\n1,2,3\n2,3,4\n");
    let error = refused("--target y --pilot lacking.csv --budgets 2");
    assert!(error.contains("lacking.csv") && error.contains("'b'"), "{error}");
    place.write("holes.csv", "a,b,c,y\n1,2,2,3\n2,,3,4\n");
    let error = refused("--target y --pilot holes.csv --budgets 2");
    assert!(error.contains("row 2 of the pilot has no 'b'"), "{error}");
    place.write("few.csv", "a,b,c,y\n1,2,2,3\n2,4,3,4\n");
    let error = refused("--target y --pilot few.csv --budgets 2");
    assert!(error.contains("2 rows, of which 1 test"), "{error}");
    let error = refused("--target y --pilot pilot.csv --budgets 2 --learners lasso");
    assert!(error.contains("lasso with budget 2"), "{error}");
    assert!(refused("--target y --pilot pilot.csv --refusal 1.5").contains("probability"));
    assert!(refused("--target y --pilot nowhere.csv --budgets 2").contains("nowhere.csv"));
    let error = refused("--target y --pilot pilot.csv --budgets 2 --out pilot.csv");
    assert!(error.contains("--out"), "{error}");
}
