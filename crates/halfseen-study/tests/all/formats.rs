//! Opens files of every format that was ever written: nothing of them is lost on the way to the present one.

use halfseen::Silent;
use halfseen_study::{By, Export, Role, Study, Subjects};

fn reads(study: &mut Study) -> String {
    let mut text = Vec::new();
    study.export(Export::Reads, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_file_of_format_1_opens_beside_a_copy() {
    opens_beside_a_copy(1, include_str!("../formats/1-reads.csv"), 32);
}

#[test]
fn a_file_of_format_2_opens_beside_a_copy() {
    opens_beside_a_copy(2, include_str!("../formats/2-reads.csv"), 31);
}

fn opens_beside_a_copy(format: u32, values: &str, examples: u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.hs");
    let formats = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats");
    std::fs::copy(format!("{formats}/{format}.hs"), &path).unwrap();
    // All at once, as collectors do on the morning after an update.
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| drop(Study::open(&path).unwrap()));
        }
    });
    let mut study = Study::open(&path).unwrap();
    assert_eq!(reads(&mut study), values);
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    let by = By::now("lab");
    study.admit("berta", Role::Admin, &by).unwrap();
    study.next(Subjects::Named(&["new".to_owned()]), None, &by, &Silent).unwrap();
    assert_eq!(study.model(&Silent).unwrap().report.examples, examples);
    // The copy is the file as it was, and nothing else is left.
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names.retain(|name| !name.ends_with("-wal") && !name.ends_with("-shm"));
    assert_eq!(names, ["old.hs".to_owned(), format!("old.hs.format{format}")]);
    let mut copy = Study::open(folder.path().join(&names[1])).unwrap();
    assert_eq!(reads(&mut copy), values);
}
