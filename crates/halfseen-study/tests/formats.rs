//! Opens files of every format that was ever written: nothing of them is lost on the way to the present one.
#![allow(clippy::unwrap_used)] // tests

use halfseen::Silent;
use halfseen_study::{By, Export, Role, Study, Subjects};

fn reads(study: &mut Study) -> String {
    let mut text = Vec::new();
    study.export(Export::Reads, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_file_of_format_1_opens_beside_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.hs");
    let old = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats/1.hs");
    std::fs::copy(old, &path).unwrap();
    // All at once, as collectors do on the morning after an update.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| drop(Study::open(&path).unwrap()));
        }
    });
    let mut study = Study::open(&path).unwrap();
    assert_eq!(reads(&mut study), include_str!("formats/1-reads.csv"));
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    let by = By::now("lab");
    study.admit("anna", Role::Admin, &by).unwrap();
    study.next(Subjects::Named(&["new".to_owned()]), None, &by, &Silent).unwrap();
    assert_eq!(study.model(&Silent).unwrap().report.examples, 32);
    // The copy is the file as it was, and nothing else is left.
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(names, ["old.hs", "old.hs.format1"]);
    let mut copy = Study::open(folder.path().join("old.hs.format1")).unwrap();
    assert_eq!(reads(&mut copy), include_str!("formats/1-reads.csv"));
}
