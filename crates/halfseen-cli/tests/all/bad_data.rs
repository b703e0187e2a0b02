//! Refuses data that are broken, or that the learner cannot use, with their place and a remedy.

use crate::common::Place;
use std::io::Write;

const FIT: &str = "fit t.csv --target y --learner ridge --out m.json";

/// Refused by fit and by compare alike, and so is the same table compressed.
#[track_caller]
fn refused(content: &str, says: &[&str]) {
    let place = Place::new();
    let says: Vec<&str> = says.iter().copied().chain(["t.csv"]).collect();
    place.write("t.csv", content);
    place.refused(FIT, &says);
    place.refused("compare t.csv --target y --missing refuse --out o/p", &says);
    place.write("t.csv", gzip(content.as_bytes()));
    place.refused(FIT, &says);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn shapes() {
    refused("", &["empty", "header"]);
    refused("\n\n", &["empty"]);
    refused("a,y\n", &["header of 2 columns", "no row"]);
    refused("a,y\n1,2\n", &["at least 2 rows", "got 1"]);
    refused("a,y\n1,2\n3\n", &["row 2", "line 3", "1 fields", "2"]);
    refused("a,y\r\n1,2\r\n\r\n3,4,5\r\n", &["row 2", "line 4", "3 fields", "quotes"]);
    refused("a,y\n1,2\n\"3,4\n", &["line 3", "quote"]);
    refused("a,b,a,y\n1,2,3,4\n", &["column 3", "column 1", "'a'", "rename"]);
    refused("a,,y\n1,2,3\n", &["column 2", "no name"]);
    refused("y\n1\n2\n", &["no attribute"]);
}

#[test]
fn targets() {
    refused("a,y\n1,2\n2,2\n3,2\n", &["'y' is constant", "2"]);
    refused("a,y\n1,\n2,NA\n", &["'y'", "missing in all 2 rows"]);
    let place = Place::new();
    place.write("t.csv", "a,y\n1,u\n2,v\n3,w\n");
    place.refused(FIT, &["t.csv", "'y'", "3 classes (u, v, w)", "--classes", "karma"]);
    place.refused("compare t.csv --target y --out o", &["t.csv", "at least 5 rows", "got 3"]);
    let many: String = (0..40)
        .map(|i| if i == 16 { "1,unknown\n".into() } else { format!("{i},{i}.5\n") })
        .collect();
    refused(&format!("a,y\n{many}"), &["target column 'y'", "row 17", "'unknown'", "empty it"]);
}

#[test]
fn cells() {
    refused("a,y\n1,2\n-inf,3\n", &["row 2", "line 3", "'a'", "-inf", "empty"]);
    refused("a,y\n1,2\n4,1e999\n", &["row 2", "'y'", "1e999"]);
    refused("a,b,y\n1,5,2\n4,?,3\n", &["row 2", "'b'", "missing", "--missing mean"]);
    refused("a,b,y\n1,u,2\n4,,3\n", &["row 2", "'b'", "missing", "--missing mean"]);
    let place = Place::new();
    place.write("t.csv", "a,y\n,1\n,2\n");
    place.refused(&format!("{FIT} --missing drop"), &["t.csv", "every row", "--missing mean"]);
    place.write("t.csv", b"a,y\n\xff,1\n3,2\n");
    place.refused(FIT, &["t.csv", "line 2", "UTF-8"]);
}

#[test]
fn numbers_without_a_square() {
    refused("a,y\n1,2\n3,4e150\n", &["row 2", "'y'", "4e150", "too large", "unit"]);
    let place = Place::new();
    place.write("t.csv", "a,b,y\n1,2,3\n-5e150,3,4\n2,2,5\n");
    for learner in ["aerr", "aelr", "ddaerr-2p", "aesvr", "pnorm", "baseline"] {
        let fit = format!("fit t.csv --target y --learner {learner} --budget 2 --out m.json");
        place.refused(&fit, &["t.csv", "row 2", "'a'", "-5e150", "too large", "unit"]);
    }
    place.write("t.csv", "a,b,y\n1e308,2,3\n-1e308,3,4\n1e308,2,5\n");
    for learner in ["ridge", "lasso"] {
        let fit = format!("fit t.csv --target y --learner {learner} --out m.json");
        place.refused(&fit, &["t.csv", "row ", "'a'", "1e308", "too large"]);
    }
    let compare = "compare t.csv --target y --learners aerr --budget 2 --splits 1 --folds 2 --test t.csv --out o";
    place.refused(compare, &["t.csv", "'a'", "1e308", "too large"]);
}

#[test]
fn rows_keep_the_numbers_of_the_file_when_classes_are_chosen() {
    let place = Place::new();
    place.write("t.csv", "a,y\n1,u\n2,w\n3,w\n,v\n5,u\n");
    place.refused(&format!("{FIT} --classes u,v"), &["row 4", "'a'"]);
    place.write("t.csv", "a,g,y\n1,p,u\n2,p,w\n3,,v\n4,q,u\n");
    place.refused("compare t.csv --target y --classes u,v --group g --out o", &["row 3", "'g'"]);
}

#[test]
fn text_that_differs_in_every_row_is_left_out_unless_nothing_else_is_there() {
    let row = |i: usize| format!("P{i:03},2021-01-{:02},{i},{}\n", i % 28 + 1, i % 5);
    let rows: String = (0..50).map(row).collect();
    let place = Place::new();
    place.write("t.csv", format!("id,day,a,y\n{rows}"));
    for line in [FIT, "compare t.csv --target y --learners ridge --splits 1 --out o"] {
        let ran = place.run(line);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        for part in ["'id' is left out", "--as id=category", "'day' is left out", "--as day=date"] {
            assert!(ran.err.contains(part), "{line}: {part}: {}", ran.err);
        }
    }
    place.refused(
        &format!("{FIT} --ignore a").replace("m.json", "n.json"),
        &["t.csv", "no attribute is left", "'id'", "'day'"],
    );
    let rows: String = (0..50)
        .map(|i| if i == 9 { "n.a.,1\n".into() } else { format!("{i},{}\n", i % 5) })
        .collect();
    place.write("t.csv", format!("a,y\n{rows}"));
    place.refused(&FIT.replace("m.json", "n.json"), &["t.csv", "'a'", "row 10", "'n.a.'"]);
}

#[test]
fn files_of_other_formats() {
    let place = Place::with_table();
    place.refused(
        "fit none.csv --target y --learner ridge --out m.json",
        &["none.csv", "cannot be read", "path"],
    );
    std::fs::create_dir(place.path("empty")).unwrap();
    place.refused(
        "fit empty --target y --learner ridge --out m.json",
        &["empty", "is a folder; give a file"],
    );
    let packed = gzip(crate::common::table(60).as_bytes());
    place.write("t.csv", &packed[..packed.len() / 2]);
    place.refused(FIT, &["t.csv", "gzip", "truncated"]);
    place.write("t.csv", b"\x1f\x8bno gzip at all");
    place.refused(FIT, &["t.csv", "gzip", "damaged"]);
    for (start, named) in [
        (&b"PK\x03\x04sheet"[..], "Excel"),
        (&b"\0\0\x08\x03\0\0"[..], "an IDX file"),
        (&b"% a comment\n@relation r\n@attribute a real\n@data\n1\n"[..], "an ARFF file"),
    ] {
        place.write("t.csv", start);
        place.refused(FIT, &["t.csv", named, "convert it to CSV"]);
    }
}
