//! Fails the store at each of its calls in turn: a verb is done whole, or has not happened.

use crate::database::sql::{Cell, Row, Sql};
use crate::database::sqlite::Sqlite;
use crate::error::{Error, Result};
use crate::schema::StudySchema;
use crate::{Answers, By, Export, Setup, Study, Subjects, Telling};
use halfseen::Silent;
use std::path::Path;

/// A connection whose calls fail from a certain one on.
struct Failing {
    inner: Sqlite,
    calls_left: usize,
}

impl Failing {
    fn call(&mut self) -> Result<()> {
        match self.calls_left.checked_sub(1) {
            Some(left) => {
                self.calls_left = left;
                Ok(())
            }
            None => Err(Error::Store { problem: "the disk is gone".to_owned() }),
        }
    }
}

impl Sql for Failing {
    fn run(&mut self, sql: &str, cells: &[Cell]) -> Result<usize> {
        self.call()?;
        self.inner.run(sql, cells)
    }

    fn each(
        &mut self,
        sql: &str,
        cells: &[Cell],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        self.call()?;
        self.inner.each(sql, cells, visit)
    }

    fn begin(&mut self) -> Result<()> {
        self.call()?;
        self.inner.begin()
    }

    fn snapshot(&mut self) -> Result<()> {
        self.call()?;
        self.inner.snapshot()
    }

    fn commit(&mut self) -> Result<()> {
        match self.call() {
            Ok(()) => self.inner.commit(),
            Err(error) => {
                self.inner.roll_back();
                Err(error)
            }
        }
    }

    fn roll_back(&mut self) {
        self.inner.roll_back();
    }

    fn backup(&mut self, to: &Path) -> Result<()> {
        self.call()?;
        self.inner.backup(to)
    }

    fn integrity(&mut self) -> Result<Vec<String>> {
        self.call()?;
        self.inner.integrity()
    }

    fn vacuum(&mut self) -> Result<()> {
        self.call()?;
        self.inner.vacuum()
    }
}

fn by() -> By {
    By { who: "nurse".to_owned(), at: "2026-11-23T08:00:00Z".to_owned() }
}

/// All that a study holds, as text.
fn content(study: &mut Study) -> String {
    let mut all = Vec::new();
    for what in [Export::Reads, Export::Wide, Export::Audit] {
        study.export(what, &mut all).unwrap();
    }
    let status = study.status(&by()).unwrap();
    format!("{}{status:?}", String::from_utf8(all).unwrap())
}

#[test]
fn a_store_that_fails_at_any_call_leaves_all_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.hs");
    let schema = StudySchema::from_csv(
        "attribute,choices,known\na,,\nb,,\nc,,\nkind,p|q,\nage,,yes\n".as_bytes(),
        "y",
    );
    let setup = Setup::new(schema.unwrap(), "fiml", &[("budget".into(), "2".into())]).unwrap();
    let mut study = Study::create(&base, &setup, &by()).unwrap();
    let names: Vec<String> = (0..6).map(|i| format!("p{i}")).collect();
    let asks = study.next(Subjects::Named(&names[..4]), None, &by(), &Silent).unwrap();
    let row = |at: usize, whole: bool| {
        let attributes = &asks[at].attributes[..if whole { 3 } else { 1 }];
        let value = |name: &String| if name == "kind" { "p" } else { "1.5" }.to_owned();
        let mut cells: Vec<(String, String)> =
            attributes.iter().map(|name| (name.clone(), value(name))).collect();
        cells.push(("y".to_owned(), if whole { "3" } else { "" }.to_owned()));
        Answers { line: 2, subject: format!("p{at}"), ask: None, cells }
    };
    study.tell(&[row(0, true), row(1, false)], &Telling::default(), &by()).unwrap();
    type Act<'a> = Box<dyn Fn(&mut Study) -> Result<()> + 'a>;
    let acts: Vec<(&str, Act<'_>)> = vec![
        (
            "next",
            Box::new(|study| {
                study.next(Subjects::Named(&names), Some("w"), &by(), &Silent).map(drop)
            }),
        ),
        (
            "next-known",
            Box::new(|study| {
                let cells = vec![("age".to_owned(), "40".to_owned())];
                let known = |name: &String| Answers {
                    line: 2,
                    subject: name.clone(),
                    ask: None,
                    cells: cells.clone(),
                };
                let rows: Vec<Answers> = names[2..].iter().map(known).collect();
                study.next(Subjects::Known(&rows), None, &by(), &Silent).map(drop)
            }),
        ),
        (
            "tell",
            Box::new(|study| {
                study.tell(&[row(1, true), row(2, true)], &Telling::default(), &by()).map(drop)
            }),
        ),
        ("amend", Box::new(|study| study.amend("p0", "y", "4", "misread", &by()))),
        ("release", Box::new(|study| study.release("p1", "moved", &by()))),
        ("withdraw", Box::new(|study| study.withdraw("p1", false, "left", &by()))),
        ("erase", Box::new(|study| study.withdraw("p0", true, "left", &by()))),
        ("model", Box::new(|study| study.model(&Silent).map(drop))),
    ];
    let before = content(&mut study);
    for (name, act) in &acts {
        for calls in 0.. {
            let path = folder.path().join(format!("{name}{calls}.hs"));
            study.backup(&path).unwrap();
            let mut failing = Study::open(&path).unwrap();
            failing.sql =
                Box::new(Failing { inner: Sqlite::open(&path).unwrap(), calls_left: calls });
            let done = act(&mut failing);
            drop(failing);
            let mut again = Study::open(&path).unwrap();
            assert_eq!(again.check().unwrap(), Vec::<String>::new(), "{name} after {calls} calls");
            let now = content(&mut again);
            match done {
                Ok(()) => {
                    assert!(
                        calls > 2 && (*name == "model" || now != before),
                        "{name}: {calls} calls"
                    );
                    break;
                }
                // The values are deleted when only the file is not overwritten yet.
                Err(_) if *name == "erase" && now != before => assert!(now.contains(",erase,p0,")),
                Err(_) => assert_eq!(now, before, "{name} after {calls} calls"),
            }
            // What failed can be done again.
            act(&mut again).unwrap();
        }
    }
}
