//! Fits sparse rows of a million columns, with memory for the cells that are not 0 and some numbers of
//! each column.

use crate::common::Place;

/// SVMlight rows of 10 cells; the first columns tell the target.
fn rows(count: usize) -> String {
    let mut text = String::new();
    for i in 0..count {
        let (first, second) = (i % 5, i % 3);
        text.push_str(&format!(
            "{} 1:{} 2:{}",
            first as i64 - second as i64,
            first + 1,
            second + 1
        ));
        let far = (0..8).map(|j| 3 + (i * 7919 + j * 121_001) % 999_997);
        let far: std::collections::BTreeSet<usize> = far.chain([1_000_000]).collect();
        far.iter().for_each(|column| text.push_str(&format!(" {column}:1")));
        text.push('\n');
    }
    text
}

#[test]
fn a_million_columns_are_learned_from_or_refused_with_the_memory_they_need() {
    let place = Place::new();
    place.write("t.svm", rows(60));
    for learner in ["aerr --budget 4", "aelr --budget 4"] {
        let line = format!("--memory 1200MB fit t.svm --learner {learner} --out m.json --quiet");
        place.ok(&line);
        assert_eq!(place.json("m.json")["report"]["examples"], 60, "{learner}");
    }
    let ran = place.run("--memory 1200MB fit t.svm --learner baseline --budget 4 --out r.json");
    let error = "baseline needs about 4000.6 GB of memory for 60 rows and 1,000,000 columns";
    assert!(ran.err.contains(error), "{}", ran.err);
    assert!(!place.path("r.json").exists());
    // Those that are centred are said to be slow.
    let few: String = (0..20).map(|i| format!("{} {}:1 20000:1\n", i % 3, i + 1)).collect();
    place.write("few.svm", few);
    let ran = place.run("fit few.svm --learner ridge --out m.json");
    assert!(ran.err.contains("--scale max keeps zeros"), "{}", ran.err);
    let ran = place.run("fit few.svm --learner ridge --scale max --out m.json");
    assert!(!ran.err.contains("--scale max"), "{}", ran.err);
    // Rows that are drawn stay sparse.
    place.ok("--memory 1200MB fit t.svm --learner aerr --budget 4 --rows 20 --out m.json --quiet");
    assert_eq!(place.json("m.json")["report"]["examples"], 20);
}
