//! Reads every help text and list as a user does, and runs the examples that they give.

use crate::common::{Place, table};
use serde_json::Value;

#[test]
fn help_starts_with_examples_that_run() {
    let place = Place::new();
    let rows = table(60)
        .replace("a,b,kind,y,who", "a,b,kind,price,record")
        .replace("sick", "u")
        .replace("healthy", "v");
    place.write("table.csv", &rows);
    place.write("new.csv", &rows);
    place.write("held-out.csv", &rows);
    place.write("january.csv", &rows);
    place.write("february.csv", &rows);
    place.write(
        "attributes.csv",
        "attribute,low,high,panel,choices\na,0,1,p,\nb,0,1,p,\nc,,,,x|y\n",
    );
    place.ok("fit table.csv --target price --learner ridge --out price.json");
    place.write("bent.csv", crate::common::bent(400));
    place.ok("fit bent.csv --target y --learner fiml --set shape=additive --out curved.json");
    for command in [
        "",
        "compare",
        "fit",
        "merge",
        "predict",
        "evaluate",
        "certify",
        "plan",
        "show",
        "report",
        "learners",
        "completions",
        "man",
    ] {
        let help = place.ok(&format!("{command} --help"));
        assert!(help.starts_with("Example"), "{command}: {help}");
        let examples = help
            .lines()
            .skip(1)
            .take_while(|l| !l.is_empty())
            .map(|l| l.trim().strip_prefix("halfseen ").unwrap());
        for example in examples {
            let line = example.split("  ").next().unwrap().split(" > ").next().unwrap();
            if line == "compare" || line.contains("--splits 10") {
                continue; // the digits, all of them; tested apart
            }
            // Four attributes are what the table has.
            let line = line.replace("--budget 6", "--budget 4");
            let fast = if line.starts_with("compare") { " --splits 1 --folds 2" } else { "" };
            place.ok(&format!("{line}{fast}"));
        }
    }
    assert!(place.ok("--version").starts_with("halfseen "));
}

#[test]
fn the_program_says_its_exit_codes_completions_and_manual() {
    let place = Place::new();
    let help = place.ok("--help");
    for code in ["Exit codes:", "0 ", "2 ", "3 ", "130 "] {
        assert!(help.contains(code), "{code}: {help}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let text = place.ok(&format!("completions {shell}"));
        assert!(text.contains("total-cost") && text.contains("evaluate"), "{shell}");
    }
    let page = place.ok("man");
    assert!(page.starts_with(".ie") || page.contains(".TH halfseen"), "{page}");
    assert!(page.contains("EXIT") || page.contains("Exit codes"), "{page}");
    for below in ["halfseen-fit ", "halfseen-study-next ", "halfseen-study-schema-add "] {
        assert!(page.contains(&format!(".TH {below}")), "{below}: {page}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_fails_and_says_where() {
    let place = Place::new();
    for line in ["--help", "learners", "fit --help", "--version"] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = place.command(line).stdout(full).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(said.starts_with("error: stdout: No space left on device"), "{line}: {said}");
        assert_eq!(said.lines().count(), 1);
    }
}

#[test]
fn every_learner_tells_its_parameters_ranges_and_defaults() {
    let place = Place::new();
    let list = place.ok("learners");
    let json: Value = serde_json::from_str(&place.ok("learners --json")).unwrap();
    let learners = json.as_array().unwrap();
    assert_eq!(
        learners.len(),
        list.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count()
    );
    for learner in learners {
        let name = learner["learner"].as_str().unwrap();
        assert!(list.lines().any(|line| line.split_whitespace().next() == Some(name)), "{name}");
        let text = place.ok(&format!("learners {name}"));
        let one: Value =
            serde_json::from_str(&place.ok(&format!("learners {name} --json"))).unwrap();
        assert_eq!(&one[0], learner);
        for parameter in learner["params"].as_array().unwrap() {
            let default = match &parameter["default"] {
                Value::String(word) => word.clone(),
                // 1e-6 in JSON is 0.000001 as parameters are written.
                Value::Number(number) => number.as_f64().unwrap().to_string(),
                other => other.to_string(),
            };
            let declared = format!("{} = {default}", parameter["name"].as_str().unwrap());
            assert!(text.contains(&declared), "{name}: {declared}");
            assert!(
                text.contains(parameter["allowed"].as_str().unwrap())
                    && text.contains(parameter["doc"].as_str().unwrap())
            );
        }
    }
}
