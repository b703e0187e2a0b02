//! A trial whose truth is known: what each subject would show, whoever reads it.
#![allow(dead_code)] // each test file uses its part

pub(crate) mod changing;
#[cfg(all(unix, feature = "postgres"))]
pub(crate) mod database;
pub(crate) mod promise;

use halfseen::Silent;
use halfseen::sampling::{Purpose, Stream};
use halfseen_study::{Answers, Ask, By, Setup, Study, StudySchema, Subjects, Telling};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) const NUMBERS: usize = 8;

/// A place for the studies of one test.
pub(crate) enum Place {
    /// A folder.
    Folder(tempfile::TempDir),
    /// The database of the environment; studies there begin with this.
    Database(String),
}

impl Place {
    pub(crate) fn new() -> Place {
        Place::Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn database() -> Place {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Place::Database(format!("t{}", NEXT.fetch_add(1, Ordering::Relaxed)))
    }

    /// A new place in the same store.
    pub(crate) fn another(&self) -> Place {
        match self {
            Place::Folder(_) => Place::new(),
            Place::Database(_) => Place::database(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        match self {
            Place::Folder(folder) => folder.path().join(name),
            Place::Database(prefix) => {
                format!("postgres:{prefix}_{}", name.trim_end_matches(".hs")).into()
            }
        }
    }
}

pub(crate) fn by() -> By {
    By { who: "nurse".to_owned(), at: "2026-11-23T08:00:00Z".to_owned() }
}

/// Eight numbers, of which `b1` and `b2` are a panel, a category, and a target of known range.
pub(crate) fn schema() -> StudySchema {
    let mut csv = "attribute,kind,unit,low,high,panel,price,known,choices\n".to_owned();
    for j in 0..NUMBERS - 2 {
        csv.push_str(&format!("a{j},number,mmol/L,-10,10,,{},,\n", 1 + j % 3));
    }
    csv.push_str("b1,number,,-10,10,blood,2.5,,\nb2,number,,-10,10,blood,2.5,,\n");
    csv.push_str("kind,category,,,,,1,,p|q|r\ny,number,,-20,20,,,,\n");
    StudySchema::from_csv(csv.as_bytes(), "y").unwrap()
}

pub(crate) fn setup(learner: &str, settings: &[(&str, &str)]) -> Setup {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Setup::new(schema(), learner, &settings.iter().map(own).collect::<Vec<_>>()).unwrap()
}

/// What a subject would show for an attribute or the target.
pub(crate) fn truth(subject: &str, attribute: &str) -> String {
    let number: u64 = subject[1..].parse().unwrap();
    let mut stream = Stream::new(7, Purpose::Data, number);
    let common = stream.normal();
    let x: Vec<f64> = (0..NUMBERS).map(|_| common + stream.normal()).collect();
    let names = schema();
    match attribute {
        "y" => format!("{:.3}", x[0] + 0.5 * x[3] - x[6] + 0.1 * stream.normal()),
        "kind" => ["p", "q", "r"][number as usize % 3].to_owned(),
        name => {
            let at = names.attributes.iter().position(|attribute| attribute.name == name).unwrap();
            format!("{:.3}", x[at])
        }
    }
}

pub(crate) fn names(range: std::ops::Range<u64>) -> Vec<String> {
    range.map(|number| format!("p{number}")).collect()
}

pub(crate) fn draw(study: &mut Study, names: &[String], wave: Option<&str>) -> Vec<Ask> {
    study.next(Subjects::Named(names), wave, &by(), &Silent).unwrap()
}

/// A row of answers.
pub(crate) fn row(subject: &str, cells: &[(&str, &str)]) -> Answers {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let cells = cells.iter().map(own).collect();
    Answers { line: 2, subject: subject.to_owned(), ask: None, cells }
}

/// All answers to an ask, and the target.
pub(crate) fn answers(ask: &Ask) -> Answers {
    let asked = ask.attributes.iter().map(String::as_str).chain(["y"]);
    let cells = asked.map(|name| (name.to_owned(), truth(&ask.subject, name))).collect();
    Answers { line: 2, subject: ask.subject.clone(), ask: Some(ask.number), cells }
}

pub(crate) fn tell(study: &mut Study, rows: &[Answers]) {
    study.tell(rows, &Telling::default(), &by()).unwrap();
}

/// The model but for the time that the fit took and the date of its file.
pub(crate) fn model(study: &mut Study) -> serde_json::Value {
    let model = study.model(&Silent).unwrap();
    let mut json: serde_json::Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
    json["report"].as_object_mut().unwrap().remove("seconds");
    json
}

pub(crate) fn create(path: &Path, learner: &str, settings: &[(&str, &str)]) -> Study {
    Study::create(path, &setup(learner, settings), &by()).unwrap()
}
