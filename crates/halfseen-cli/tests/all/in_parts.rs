//! Learns from files part by part, and holds the model to that of all rows at once.

use crate::common::{Place, fields};

/// Rows of a table with a text, a hole here and there if `holes`, and a target.
fn rows(range: std::ops::Range<usize>, holes: bool) -> String {
    let mut text = "a,b,colour,y\n".to_owned();
    for i in range {
        let (a, b) = (1000.0 + (i * 7 % 23) as f64, (i * 5 % 13) as f64 / 4.0);
        let colour = ["red", "blue", "green"][i * 11 % 17 % 3];
        let shown = if holes && i % 9 == 4 { String::new() } else { b.to_string() };
        let y = a - 2.0 * b + f64::from(u8::from(colour == "red")) + (i * 3 % 7) as f64 / 10.0;
        text.push_str(&format!("{a},{shown},{colour},{y}\n"));
    }
    text
}

fn place(holes: bool) -> Place {
    let place = Place::new();
    place.write("all.csv", rows(0..300, holes));
    place.write("one.csv", rows(0..120, holes));
    place.write("two.csv", rows(120..121, holes));
    place.write("three.csv", rows(121..300, holes));
    place
}

/// Predictions of a model for all rows.
fn predicted(place: &Place, model: &str) -> Vec<f64> {
    let said = place.ok(&format!("predict {model} all.csv --quiet"));
    fields(&said).iter().map(|row| row.last().unwrap().parse().unwrap()).collect()
}

#[test]
fn merged_parts_predict_what_a_fit_to_all_rows_does() {
    for (flags, holes) in [
        ("--learner ridge", false),
        ("--learner ridge --missing mean --scale max", true),
        ("--learner lasso --set tol=1e-12", false),
        ("--learner mean --set loss=squared", true),
        ("--learner zero --set loss=squared --as a=category", true),
    ] {
        let place = place(holes);
        place.ok(&format!("fit all.csv --target y {flags} --out whole.json --quiet"));
        place.ok(&format!("fit one.csv two.csv --target y {flags} --partial first.hsp --quiet"));
        place.ok(&format!("fit three.csv --target y {flags} --partial second.hsp --quiet"));
        place.ok("merge second.hsp first.hsp --out merged.json --quiet");
        let (whole, merged) = (predicted(&place, "whole.json"), predicted(&place, "merged.json"));
        assert_eq!(whole.len(), 300);
        for (a, b) in whole.iter().zip(&merged) {
            assert!((a - b).abs() < 1e-8 * a.abs(), "{flags}: {a} and {b}");
        }
        // In whatever order, and by way of other sums, the bits are the same.
        place.ok("merge first.hsp second.hsp --partial both.hsp --quiet");
        place.ok("merge both.hsp --out again.json --quiet");
        let timeless = |name: &str| {
            let mut model = place.json(name);
            model["report"]["seconds"] = 0.into();
            model
        };
        assert_eq!(timeless("merged.json"), timeless("again.json"), "{flags}");
    }
}

#[test]
fn what_was_read_and_what_comes_next_are_said() {
    let place = place(false);
    let said = place.ok("fit one.csv two.csv --target y --learner ridge --partial sums.hsp");
    for line in [
        "learner        ridge",
        "parts          2 parts",
        "rows           121",
        "halfseen merge sums.hsp --out model.json",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let said = place.ok("merge sums.hsp --out model.json");
    assert!(said.contains("learner        ridge") && said.contains("examples       121"), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&place.ok("merge sums.hsp --out model.json --json --quiet")).unwrap();
    assert_eq!((&json["examples"], &json["learner"]), (&121.into(), &"ridge".into()));
    place.write("holed.csv", "a,y\n1,2\n2,\n3,4\n");
    let ran = place.run("fit holed.csv --target y --learner ridge --partial h.hsp");
    assert!(ran.err.contains("rows without a target ('y') that are left out: 1"), "{}", ran.err);
}

#[test]
fn sums_go_on_where_an_earlier_run_ended() {
    let place = place(false);
    let line = "fit one.csv two.csv three.csv --target y --learner ridge --partial";
    place.ok(&format!("{line} all.hsp --quiet"));
    // A run that ends in its third part.
    place.write("three.csv", "a,b,colour,y\n1,2,red\n");
    let ran = place.run(&format!("{line} some.hsp --resume"));
    assert!(ran.code != Some(0) && ran.err.contains("three.csv"), "{}", ran.err);
    assert_eq!(place.json("some.hsp")["parts"].as_object().unwrap().len(), 2);
    place.write("three.csv", rows(121..300, false));
    // What was read is not read again.
    place.write("one.csv", "broken");
    let ran = place.run(&format!("{line} some.hsp --resume"));
    assert!(ran.err.contains("one.csv: not read again; its sums are in some.hsp"), "{}", ran.err);
    assert_eq!(place.read("some.hsp"), place.read("all.hsp"));
    place.ok(&format!("{line} some.hsp --resume --quiet"));
    assert_eq!(place.read("some.hsp"), place.read("all.hsp"));
    let ran = place.run(&format!("{} --resume", line.replace("ridge", "lasso") + " some.hsp"));
    assert!(ran.code != Some(0) && ran.err.contains("--resume some.hsp"), "{}", ran.err);
    let ran = place.run(&format!("{line} - --resume"));
    assert!(ran.code == Some(2) && ran.err.contains("stdout holds no sums"), "{}", ran.err);
}

#[test]
fn odd_parts_are_refused_by_name_with_a_remedy() {
    let place = place(true);
    let fit = "fit one.csv --target y --partial out.hsp";
    place.refused(fit, &["--partial", "--learner ridge"]);
    place.refused(&format!("{fit} --learner karma"), &["karma needs the rows themselves", "ridge"]);
    place.refused(&format!("{fit} --learner ridge --tune 5"), &["--tune"]);
    place.refused(&format!("{fit} --learner ridge --basis hats"), &["basis = hats"]);
    place.refused("fit one.csv --target z --learner ridge --partial o.hsp", &["one.csv", "'z'"]);
    place.refused("fit one.csv two.csv --target y --out m.json", &["--partial"]);
    place.refused("fit one.csv --target y --learner ridge", &["--out"]);
    place.refused(&format!("{fit} --learner ridge --ignore zzz"), &["--ignore", "'zzz'"]);
    place.ok("fit one.csv --target y --learner ridge --ignore b,colour --partial few.hsp --quiet");
    place.ok("merge few.hsp --out few.json --quiet");
    assert_eq!(place.json("few.json")["schema"]["columns"].as_array().unwrap().len(), 1);
    place.ok("fit one.csv --target y --learner ridge --partial holed.hsp --quiet");
    place.refused("merge holed.hsp --out m.json", &["'b'", "--missing mean"]);
    place.write("other.csv", "a,b,y\n1,2,3\n2,3,5\n");
    place.refused(
        "fit one.csv other.csv --target y --learner mean --partial o.hsp --set loss=squared",
        &["part 'other.csv'", "lacks a column 'colour'", "--ignore"],
    );
    place.write("text.csv", "a,b,colour,y\nmuch,2,red,3\n2,3,red,5\n");
    place.refused(
        "fit one.csv text.csv --target y --learner mean --partial o.hsp --set loss=squared",
        &["part 'text.csv'", "column 'a' had numbers", "--as a=category"],
    );
    place.write("days.csv", "day,y\n2020-01-01,1\n2020-01-02,3\n2020-02-01,4\n2020-03-02,5\n");
    place.refused(
        "fit days.csv --target y --learner ridge --partial o.hsp",
        &["'day' holds dates", "--ignore day"],
    );
    place.write("classes.csv", "a,y\n1,u\n2,v\n3,w\n4,u\n");
    let classes = "fit classes.csv --target y --partial o.hsp --learner";
    place.refused(&format!("{classes} mean"), &["part 'classes.csv'", "set loss=squared"]);
    place.refused(&format!("{classes} ridge"), &["part 'classes.csv'", "3 classes"]);
    let mean = "--target y --learner mean --set loss=squared";
    place.ok(&format!("fit one.csv {mean} --partial one.hsp --quiet"));
    place.refused("merge one.hsp one.hsp --out m.json", &["part 'one.csv'", "absorbed before"]);
    place.ok(&format!("fit three.csv {mean} --set c=2 --partial three.hsp --quiet"));
    place.refused("merge one.hsp three.hsp --out m.json", &["three.hsp", "params"]);
    place.refused("merge all.csv --out m.json", &["all.csv", "not a file of sums"]);
    place.ok(&format!("fit one.csv {mean} --part again --partial again.hsp --quiet"));
    place.ok("merge one.hsp again.hsp --out m.json --quiet");
}

#[test]
fn memory_does_not_grow_with_the_file() {
    let place = Place::new();
    let mut text = "a,b,c,y\n".to_owned();
    for i in 0..400_000_usize {
        text.push_str(&format!("{},{},{},{}\n", i % 97, i % 31, i * 7 % 1009, i % 13));
    }
    place.write("long.csv", &text);
    // 12.8 MB of numbers alone, and more while they are read.
    place.refused("--memory 8MB fit long.csv --target y --learner ridge --out m.json", &["memory"]);
    place.ok("--memory 8MB fit long.csv --target y --learner ridge --partial long.hsp --quiet");
    place.ok("--memory 8MB merge long.hsp --out m.json --quiet");
    assert_eq!(place.json("m.json")["report"]["examples"], 400_000);
    // Nor in two passes.
    let line = "--memory 8MB fit long.csv --target y --learner aerr --budget 2 --quiet";
    place.ok(&format!("{line} --partial units.hsp"));
    place.ok(&format!("{line} --units units.hsp --out m.json"));
    assert_eq!(place.json("m.json")["report"]["examples"], 400_000);
}

#[test]
fn a_second_pass_sums_features_in_the_units_of_the_first() {
    let place = place(true);
    let line = "--target y --learner karma --set features=sketch:32 --quiet --partial";
    place.ok(
        "fit all.csv --target y --learner karma --set features=sketch:32 --out whole.json --quiet",
    );
    place.ok(&format!("fit one.csv two.csv {line} a.hsp"));
    place.ok(&format!("fit three.csv {line} b.hsp"));
    place.ok("merge b.hsp a.hsp --partial units.hsp --quiet");
    place.refused("merge units.hsp --out m.json", &["once more", "--units"]);
    place.ok(&format!("fit one.csv {line} 1.hsp --units units.hsp"));
    place.ok(&format!("fit three.csv two.csv {line} 2.hsp --units units.hsp"));
    place.refused("merge units.hsp 2.hsp --out m.json", &["2.hsp", "units is"]);
    place.refused("merge 2.hsp 2.hsp --out m.json", &["part 'three.csv'", "absorbed before"]);
    place.ok("merge 2.hsp 1.hsp --out m.json --quiet");
    place.ok("merge 1.hsp 2.hsp --out n.json --quiet");
    let timeless = |name: &str| {
        let mut model = place.json(name);
        model["report"]["seconds"] = 0.into();
        model
    };
    assert_eq!(timeless("m.json"), timeless("n.json"));
    assert_eq!(timeless("m.json")["report"]["examples"], 300);
    for (a, b) in predicted(&place, "m.json").iter().zip(predicted(&place, "whole.json")) {
        assert!((a - b).abs() < 1e-8 * a.abs(), "{a} and {b}");
    }
    // In other units, and of another fit.
    place.ok(&format!("fit one.csv {line} 3.hsp --units a.hsp"));
    place.refused("merge 2.hsp 3.hsp --out m.json", &["3.hsp", "units is"]);
    place.refused(
        "fit one.csv --target y --learner ridge --partial 2.hsp --units units.hsp",
        &["--units units.hsp", "learner is"],
    );
    let said =
        place.ok(&format!("fit one.csv {}", line.replace("--quiet --partial", "--partial 4.hsp")));
    assert!(
        said.contains("the same once more, with --units 4.hsp and another --partial"),
        "{said}"
    );
}

#[test]
fn a_stream_learns_from_each_row_in_the_units_of_the_first_pass() {
    let place = place(false);
    let line = "fit all.csv --target y --learner aerr --budget 3";
    let said = place.ok(&format!("{line} --partial units.hsp"));
    assert!(said.contains("--units units.hsp and --out model.json"), "{said}");
    let said = place.ok(&format!("{line} --units units.hsp --out m.json"));
    assert!(said.contains("learner        aerr") && said.contains("examples       300"), "{said}");
    assert_eq!(predicted(&place, "m.json").len(), 300);
    place.refused("merge units.hsp --out n.json", &["once more", "--units"]);
    place.refused(
        &format!("{line} --units units.hsp --partial n.hsp"),
        &["--units units.hsp", "learn from one stream of the rows"],
    );
    // Rows that are not those of the sums; another fit; several files.
    let of_one = line.replace("all.csv", "one.csv");
    place.refused(&format!("{of_one} --units units.hsp --out n.json"), &["120 rows", "300"]);
    place.refused(
        &format!("{line} --set radius=3 --units units.hsp --out n.json"),
        &["--units units.hsp", "params is"],
    );
    let of_two = line.replace("all.csv", "one.csv two.csv");
    place.refused(&format!("{of_two} --units units.hsp --out n.json"), &["more than one file"]);
    place.refused("fit all.csv --target y --units units.hsp --out n.json", &["--learner"]);
}

/// The parts of two passes may be of other formats; a name of a part is what counts.
#[cfg(feature = "parquet")]
#[test]
fn two_passes_over_parquet_are_those_over_csv() {
    let place = Place::new();
    let corpus =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/halfseen-fuzz/corpus");
    for name in ["table.csv", "table.parquet"] {
        place.write(name, std::fs::read(corpus.join(name)).unwrap());
    }
    for (flags, second) in [
        ("--learner karma --set features=sketch:32", "--partial out.hsp --part all"),
        ("--learner aerr --budget 2 --missing mean", "--out m.json"),
    ] {
        let line = format!("--target price --ignore kind {flags} --quiet");
        let mut predictions = Vec::new();
        for file in ["table.csv", "table.parquet"] {
            place.ok(&format!("fit {file} {line} --part all --partial units.hsp"));
            place.ok(&format!("fit {file} {line} --units units.hsp {second}"));
            if second.contains("--partial") {
                place.ok("merge out.hsp --out m.json --quiet");
            }
            predictions.push(place.ok("predict m.json table.csv --quiet"));
        }
        assert_eq!(predictions[0], predictions[1], "{flags}");
        assert!(predictions[0].lines().count() > 40, "{}", predictions[0]);
    }
}
