//! Refuses parameters, names and places that cannot be meant, each in one sentence with a remedy.

use crate::common::Place;

const RIDGE: &str = "fit t.csv --target y --ignore who --learner ridge --out m.json";
const AERR: &str = "fit t.csv --target y --ignore who --learner aerr --out m.json";

#[test]
fn budgets() {
    let place = Place::with_table();
    place.refused(&format!("{AERR} --budget 0"), &["budget = 0", "at least 1"]);
    place.refused(&format!("{AERR} --budget 1"), &["t.csv", "aerr", "at least 2 reads", "got 1"]);
    place
        .refused(&format!("{AERR} --budget 4"), &["t.csv", "4 reads", "3 attributes", "at most 3"]);
    place.refused(&format!("{AERR} --budget -1"), &["-1", "--budget", "whole number"]);
    place.refused(&format!("{AERR} --budget few"), &["'few'", "--budget", "whole number"]);
    place.refused(AERR, &["aerr", "--budget"]);
    place.refused(&format!("{RIDGE} --budget 2"), &["--budget", "ridge", "leave"]);
    let compare = "compare t.csv --target y --ignore who --learners ridge,aer --out o";
    place.refused(&format!("{compare} --budget 1"), &["t.csv", "aer", "at least 2"]);
    place.refused(&format!("{compare} --budget 9"), &["t.csv", "9 reads", "at most 3"]);
}

#[test]
fn parameters() {
    let place = Place::with_table();
    for value in ["0", "-1", "NaN", "inf", "-inf", "1e999"] {
        place.refused(
            &format!("{RIDGE} --set radius={value}"),
            &["radius = ", "finite number above 0"],
        );
    }
    place.refused(
        &format!("{RIDGE} --set radius=wide"),
        &["radius", "'wide'", "finite number above 0"],
    );
    place.refused(
        &format!("{RIDGE} --set raduis=1"),
        &["ridge", "'raduis'", "did you mean 'radius'", "penalty"],
    );
    place.refused(&format!("{RIDGE} --set radius"), &["--set radius", "NAME=VALUE"]);
    place.refused(&format!("{RIDGE} --set radius={}", "x".repeat(3000)), &["radius"]);
    place.refused(&format!("{RIDGE} --tune 1"), &["--tune", "from 2 to 1000"]);
    place.refused(&format!("{RIDGE} --tune 999"), &["t.csv", "999", "got 60"]);
    place.refused(&format!("{RIDGE} --seed -3"), &["--seed", "-3", "whole number"]);
    place.refused(&format!("{RIDGE} --scale log"), &["--scale", "log", "none, common, each"]);
    for scale in ["each", "max", "common"] {
        let says = format!("scale = {scale} needs");
        place.refused(
            &format!("{AERR} --budget 2 --scale {scale}"),
            &["t.csv", &says, "declare their bounds"],
        );
    }
    place.refused(
        "fit t.csv --target y --learner rigde --out m.json",
        &["'rigde'", "did you mean 'ridge'", "aerr"],
    );
    for files in ["mc1 t.csv", "t.csv mc1", "mc1"] {
        place.refused(
            &format!("fit {files} --target y --out m.json"),
            &["mc1 is not a file", "--learner mc1"],
        );
    }
    place.refused("learners aerrr", &["'aerrr'", "did you mean 'aerr'"]);
    place.refused("fit t.csv --target y", &["required", "--out"]);
    place.refused(&format!("{RIDGE} --oot x"), &["--oot", "'--out'", "--help"]);
    place.refused("fti t.csv", &["fti", "--help"]);
    place.refused(&format!("{RIDGE} --{}", "x".repeat(3000)), &["unexpected"]);
}

#[test]
fn columns() {
    let place = Place::with_table();
    let fit = "fit t.csv --learner ridge --out m.json";
    place.refused(fit, &["t.csv", "--target", "a, b, kind, y, who"]);
    place.refused(&format!("{fit} --target z"), &["t.csv", "'z'", "a, b, kind, y, who"]);
    place.refused(&format!("{fit} --target whoo"), &["did you mean 'who'"]);
    for flag in ["--ignore", "--known"] {
        place.refused(
            &format!("{fit} --target y {flag} kid"),
            &["t.csv", flag, "'kid'", "did you mean 'kind'"],
        );
        place.refused(&format!("{fit} --target y {flag} y"), &["t.csv", flag, "'y' is the target"]);
    }
    place.refused(
        &format!("{fit} --target y --known a --ignore a"),
        &["'a'", "--known", "--ignore"],
    );
    place.refused(&format!("{fit} --target y --ignore a,b,kind,who"), &["t.csv", "no attribute"]);
    // A column that is left out unless --as says how to take it.
    let rows: String = (0..60).map(|i| format!("K{i},{},{},{}\n", i % 7, i % 5, i % 11)).collect();
    place.write("ids.csv", format!("id,a,b,y\n{rows}"));
    place.write("prices.csv", "attribute,price\nid,2\na,1\nb,1\n");
    let fit = "fit ids.csv --target y --learner aerr --budget 2 --out m.json";
    for flag in ["--known id", "--panel both=a,id", "--prices prices.csv"] {
        let place_of = flag.split(' ').find(|word| !word.contains("--pri")).unwrap();
        place.refused(
            &format!("{fit} {flag} --quiet"),
            &[place_of, "column 'id'", "identifiers", "--as id=category"],
        );
        place.ok(&format!("{fit} {flag} --as id=category"));
    }
    place.refused("compare t.csv --target y --group nope --out o", &["t.csv", "--group", "'nope'"]);
    place.refused("compare t.csv --target y --group y --out o", &["t.csv", "--group", "target"]);
}

#[test]
fn classes() {
    let place = Place::with_table();
    let fit = "fit t.csv --target kind --ignore who --learner ridge --out m.json";
    place.refused(fit, &["t.csv", "'kind'", "3 classes (blue, green, red)", "--classes"]);
    place.refused(
        &format!("{fit} --classes red,white"),
        &["t.csv", "--classes", "'white'", "blue, green, red"],
    );
    place.refused(&format!("{fit} --classes red"), &["t.csv", "'kind' is constant", "red"]);
    place.refused(
        &format!("{fit} --task regression"),
        &["t.csv", "'kind'", "text", "--task classification"],
    );
}

#[test]
fn splits() {
    let place = Place::with_table();
    let compare = "compare t.csv --target y --ignore who --learners ridge --out o/p/q";
    for share in ["0", "1", "NaN", "-0.5", "some"] {
        place.refused(
            &format!("{compare} --test-share {share}"),
            &["--test-share", share, "above 0 and below 1"],
        );
    }
    place.refused(
        &format!("{compare} --test-share 0.001"),
        &["t.csv", "0.001", "at least 500 rows", "got 60"],
    );
    place.refused(&format!("{compare} --test-share 0.999"), &["t.csv", "0.999", "got 60"]);
    place.refused(&format!("{compare} --splits 0"), &["--splits", "from 1 to"]);
    place.refused(&format!("{compare} --folds 1"), &["--folds", "from 2 to"]);
    place.refused(
        &format!("{compare} --folds 100"),
        &["t.csv", "100 folds", "at least 100 rows", "got 54"],
    );
    place.refused(&format!("{compare} --threads 0"), &["--threads", "from 1 to"]);
    place.refused("compare t.csv --target y --learners ridge,lasso,ridge", &["ridge twice"]);
    place.refused("compare t.csv --target y --learners ridge,", &["no learner ''"]);
}

#[test]
fn places_that_cannot_be_written() {
    let place = Place::with_table();
    place.write("file", "");
    std::fs::create_dir(place.path("folder")).unwrap();
    let fit = "fit t.csv --target y --ignore who --learner ridge --out";
    place.refused(&format!("{fit} folder"), &["folder", "it is a folder"]);
    place.refused(&format!("{fit} file/m.json"), &["file/m.json", "--out"]);
    place.refused(&format!("{fit} nowhere/m.json"), &["nowhere/m.json", "does not exist", "--out"]);
    let compare = "compare t.csv --target y --ignore who --out";
    place.refused(&format!("{compare} file"), &["file", "--out"]);
    place.refused(&format!("{compare} file/o"), &["file/o", "--out"]);
    place.ok(&format!("{fit} m.json"));
    place.refused("predict m.json t.csv --out folder", &["folder"]);
    place.refused("predict m.json t.csv --out file/p.csv", &["file/p.csv", "--out"]);
    place.refused("predict m.json t.csv --id nope", &["t.csv", "'nope'"]);
}

#[test]
fn bounds() {
    let place = Place::with_table();
    let fit = format!("{AERR} --budget 2 --bounds bounds.csv");
    for (rows, says) in [
        ("a,0,1\n", &["'b'", "b"][1..]),
        ("a,5,1\nb,0,1\n", &["5 and 1", "a"]),
        ("a,0,1\nb,0,1\nc,0,1\n", &["'c'"]),
        ("a,0,1\nb,0,\n", &["bounds.csv", "row 2", "numbers"]),
        (",0,1\n", &["bounds.csv", "row 1", "attribute"]),
        ("a,0,x\n", &["bounds.csv", "row 1"]),
    ] {
        place.write("bounds.csv", format!("attribute,low,high\n{rows}"));
        place.refused(&fit, says);
    }
    place.write("bounds.csv", "attribute,lo,high\na,0,1\n");
    place.refused(&fit, &["bounds.csv", "'low'", "did you mean 'lo'"]);
}
