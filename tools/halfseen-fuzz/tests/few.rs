//! Runs the program itself on a few cases: workers start, and what they find is reported.
#![allow(clippy::unwrap_used)]

use std::process::Command;

#[test]
fn a_few_cases_of_each_kind_find_nothing() {
    let mut fuzz = Command::new(env!("CARGO_BIN_EXE_halfseen-fuzz"));
    let ran = fuzz.args(["--runs", "60", "--subjects", "models,partials,states"]).output().unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{out}");
    for subject in ["models", "partials", "states"] {
        assert!(out.contains(&format!("{subject}: 60 cases")), "{out}");
    }
}

#[test]
fn a_case_is_the_same_when_it_is_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let saved = [0, 1].map(|number| {
        let path = folder.path().join(format!("{number}.csv"));
        let mut fuzz = Command::new(env!("CARGO_BIN_EXE_halfseen-fuzz"));
        let ran = fuzz.args(["--replay", "files:3:17", "--save"]).arg(&path).status().unwrap();
        assert!(ran.success());
        std::fs::read(path).unwrap()
    });
    assert!(!saved[0].is_empty() && saved[0] == saved[1]);
}
