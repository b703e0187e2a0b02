//! Asks subjects of whom something is known already: it is stored with the asks, or nothing is.

use crate::common::{Place, by, names, row};
use halfseen::Silent;
use halfseen_study::{
    Answers, Error, Export, Setup, Study, StudySchema, Subjects, Telling, Unasked,
    subjects_from_csv,
};

const SCHEMA: &str = "attribute,low,high,known,choices\na,-5,5,,\nage,18,100,yes,\nsex,,,yes,f|m\nb,-5,5,,\ny,-9,9,,\n";

fn study(place: &Place, name: &str, learner: &str, strict: bool) -> Study {
    let schema = StudySchema::from_csv(SCHEMA.as_bytes(), "y").unwrap();
    let mut setup = Setup::new(schema, learner, &[("budget".into(), "2".into())]).unwrap();
    (setup.strict, setup.unasked) = (strict, Unasked::Refuse);
    Study::create(place.path(name), &setup, &by()).unwrap()
}

fn content(study: &mut Study) -> String {
    let mut all = Vec::new();
    for what in [Export::Reads, Export::Wide, Export::Audit] {
        study.export(what, &mut all).unwrap();
    }
    String::from_utf8(all).unwrap()
}

fn next(study: &mut Study, rows: &[Answers]) -> halfseen_study::Result<Vec<halfseen_study::Ask>> {
    study.next(Subjects::Known(rows), None, &by(), &Silent)
}

#[test]
fn what_is_known_is_stored_as_if_it_were_told() {
    let place = Place::new();
    for learner in ["fiml", "aerr"] {
        let mut with = study(&place, &format!("{learner}.hs"), learner, false);
        let mut apart = study(&place, &format!("{learner}-apart.hs"), learner, false);
        let rows = [
            row("p0", &[("age", "40"), ("sex", "f")]),
            row("p1", &[("age", "NA: refused"), ("sex", " ")]),
            row("p2", &[]),
        ];
        let asks = next(&mut with, &rows).unwrap();
        apart.next(Subjects::Named(&names(0..3)), None, &by(), &Silent).unwrap();
        apart.tell(&rows, &Telling::default(), &by()).unwrap();
        // The same asks and values, but for the order in which they came.
        let again = apart.next(Subjects::Named(&names(0..3)), None, &by(), &Silent).unwrap();
        let shown = |asks: &[halfseen_study::Ask]| -> Vec<(u64, Vec<String>)> {
            asks.iter().map(|ask| (ask.number, ask.attributes.clone())).collect()
        };
        assert_eq!(shown(&asks), shown(&again), "{learner}");
        let is_listed =
            |at: usize, name: &str| asks[at].attributes.iter().any(|known| known == name);
        assert!(!is_listed(0, "age") && !is_listed(0, "sex") && !is_listed(1, "age"), "{asks:?}");
        assert!(is_listed(1, "sex") && is_listed(2, "age"), "{asks:?}");
        // The same file again, and the rest of it.
        assert!(next(&mut with, &rows).unwrap().iter().all(|ask| !ask.is_new));
        next(&mut with, &[row("p2", &[("age", "50"), ("sex", "m")])]).unwrap();
        apart
            .tell(&[row("p2", &[("age", "50"), ("sex", "m")])], &Telling::default(), &by())
            .unwrap();
        for study in [&mut with, &mut apart] {
            let cells = |ask: &halfseen_study::Ask| {
                let asked: Vec<(&str, &str)> = ask
                    .attributes
                    .iter()
                    .filter(|name| !["age", "sex"].contains(&name.as_str()))
                    .map(|name| (name.as_str(), "1.5"))
                    .chain([("y", "2"), ("sex", ["f", "m", "m"][ask.number as usize])])
                    .collect();
                row(&ask.subject, &asked)
            };
            let rows: Vec<Answers> = asks.iter().map(cells).collect();
            let told = study.tell(&rows, &Telling::default(), &by()).unwrap();
            assert_eq!(told.completed, 3, "{learner}: {told:?}");
            assert_eq!(study.check().unwrap(), Vec::<String>::new());
        }
        // One study is the other, with another instance.
        let mut reads = [Vec::new(), Vec::new()];
        with.export(Export::Reads, &mut reads[0]).unwrap();
        apart.export(Export::Reads, &mut reads[1]).unwrap();
        assert_eq!(reads[0], reads[1], "{learner}");
    }
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_asked() {
    let place = Place::new();
    let mut study = study(&place, "t.hs", "fiml", true);
    next(&mut study, &[row("p0", &[("sex", "f")])]).unwrap();
    let before = content(&mut study);
    for (cell, text, says) in [
        ("sex", "m", "'sex' is f already, and now m; `amend` corrects it"),
        ("age", "NaN", "must be a finite number"),
        ("age", "400", "outside of its range from 18 to 100"),
        ("sex", "x", "is not one of the choices"),
        ("a", "1", "'a' is not marked in the schema as known of every subject"),
        ("y", "1", "'y' is not marked in the schema as known of every subject"),
    ] {
        let rows = [row("p9", &[("age", "30")]), row("p0", &[(cell, text)])];
        let Err(Error::Refused { lines, refused }) = next(&mut study, &rows) else {
            panic!("{cell} = {text}")
        };
        assert_eq!((lines, refused.len(), refused[0].subject.as_str()), (2, 1, "p0"));
        assert!(refused[0].problem.contains(says), "{}", refused[0].problem);
        assert_eq!(content(&mut study), before, "{cell} = {text}");
    }
    let unknown = next(&mut study, &[row("p9", &[("aeg", "30")])]).unwrap_err().to_string();
    assert!(unknown.contains("there is no attribute 'aeg'"), "{unknown}");
    study.withdraw("p0", false, "why", &by()).unwrap();
    let rows = [row("p9", &[("age", "30")]), row("p0", &[("age", "40")])];
    assert!(next(&mut study, &rows).unwrap_err().to_string().contains("was withdrawn"));
    assert_eq!(study.status(&by()).unwrap().subjects, 1);
}

#[test]
fn files_of_subjects_have_what_is_known() {
    let schema = StudySchema::from_csv(SCHEMA.as_bytes(), "y").unwrap();
    let read = |text: &str| subjects_from_csv(text.as_bytes(), &schema);
    let rows = read("site;subject;age;sex\r\nx;p0;40,5;f\r\ny;p1;;\r\n;;;\r\n").unwrap();
    let cells = |row: &Answers| -> Vec<(String, String)> { row.cells.clone() };
    let own = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    assert_eq!((rows[0].line, rows[1].line, rows.len()), (2, 3, 2));
    assert_eq!(cells(&rows[0]), [own("age", "40.5"), own("sex", "f")]);
    assert_eq!(cells(&rows[1]), []);
    for (text, says) in [
        ("subject,age,a\np0,40,1", "line 1: 'a' is not marked in the schema as known"),
        ("subject,y\np0,40", "line 1: 'y' is not marked in the schema as known"),
        ("subject,age\np0", "line 2: it has 1 cells, and the header has 2"),
        ("subject,age\n,40", "line 2: the subject '' is empty"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    // Lists often have more columns, and ragged ends.
    assert_eq!(read("subject,site\np0\np1,x,y\n").unwrap().len(), 2);
}

/// A value that is known and not part of the ask: the attribute was retired or added after it was drawn.
#[test]
fn what_an_ask_does_not_have_does_not_complete_it() {
    let place = Place::new();
    let mut study = study(&place, "t.hs", "fiml", false);
    let asks = study.next(Subjects::Named(&names(0..1)), None, &by(), &Silent).unwrap();
    study.retire("age", "not needed", &by()).unwrap();
    study.add("attribute,low,high,known\nheight,50,250,yes\n", "needed", &by()).unwrap();
    let tell = |study: &mut Study, name: &str, value: &str| {
        let told = study.tell(&[row("p0", &[(name, value)])], &Telling::default(), &by()).unwrap();
        assert_eq!(study.check().unwrap(), Vec::<String>::new(), "{name}");
        told.completed
    };
    assert_eq!(tell(&mut study, "height", "180"), 0);
    assert_eq!(tell(&mut study, "age", "40"), 0);
    let rest = asks[0].attributes.iter().filter(|name| !["age", "y"].contains(&name.as_str()));
    for name in rest {
        assert_eq!(tell(&mut study, name, if name == "sex" { "f" } else { "1" }), 0);
    }
    assert_eq!(tell(&mut study, "y", "2"), 1);
}
