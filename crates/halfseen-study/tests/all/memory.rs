//! Holds a study in memory against one in a file: the same asks and the same model, to the bit.

use crate::common::promise::LEARNERS;
use crate::common::{Place, answers, by, create, draw, model, names, setup, tell};
use halfseen_study::{Export, Study};

fn export(study: &mut Study, what: Export) -> String {
    let mut text = Vec::new();
    study.export(what, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn a_study_in_memory_is_that_of_a_file() {
    for (learner, settings) in LEARNERS {
        let place = Place::new();
        let mut file = create(&place.path("t.hs"), learner, settings);
        let mut memory = Study::in_memory(&setup(learner, settings), &by()).unwrap();
        for study in [&mut file, &mut memory] {
            for wave in 0..2 {
                let who = names(wave * 40..wave * 40 + 40);
                for ask in draw(study, &who, Some(&format!("w{wave}"))) {
                    tell(study, &[answers(&ask)]);
                }
                study.amend(&who[1], "y", "1.5", "misread", &by()).unwrap();
                study.withdraw(&who[2], true, "consent withdrawn", &by()).unwrap();
            }
        }
        let silent = &halfseen::Silent;
        assert_eq!(model(&mut file), model(&mut memory), "{learner}");
        assert_eq!(file.curve(silent).unwrap(), memory.curve(silent).unwrap(), "{learner}");
        for what in [Export::Reads, Export::Wide, Export::Audit, Export::Erased] {
            assert_eq!(export(&mut file, what), export(&mut memory, what), "{learner}");
        }
        assert_eq!(memory.check().unwrap(), Vec::<String>::new());
        // A copy of it is the file of a study.
        let copy = place.path("copy.hs");
        memory.backup(&copy).unwrap();
        assert_eq!(model(&mut memory), model(&mut Study::open(&copy).unwrap()), "{learner}");
    }
}

#[test]
fn studies_in_memory_are_apart_and_have_no_name() {
    let new = || Study::in_memory(&setup("fiml", &[("budget", "2")]), &by()).unwrap();
    let (mut one, mut other) = (new(), new());
    draw(&mut one, &names(0..3), None);
    assert_eq!(one.status(&by()).unwrap().subjects, 3);
    assert_eq!(other.status(&by()).unwrap().subjects, 0);
    let made = Study::create(":memory:", &setup("fiml", &[]), &by());
    for error in [made.unwrap_err(), Study::open(":memory:").unwrap_err()] {
        assert!(error.to_string().contains("a file of this name is ./:memory:"), "{error}");
    }
}
