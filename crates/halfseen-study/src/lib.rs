//! Collects data for a learner over weeks: whom to ask what, and what became of it, in one file, in
//! memory or, with the feature `postgres`, in a database. The crate `halfseen-serve` gives people forms
//! for the answers, and programs an address.
//!
//! Many people share a [`Study`], and it survives restarts. Its learner draws for each subject a few
//! attributes to read ([`Study::next`]); answers come late, in part, twice, or never
//! ([`Study::tell`]); values are corrected ([`Study::amend`]) and subjects leave
//! ([`Study::withdraw`]).
//!
//! **Promise.** When `tell` has returned, that answer is in the store, once. The model
//! ([`Study::model`]) is a function of the asks and of their present answers in the order of the
//! asks, to the bit on one build: not of the order in which answers came, of the files they came in,
//! of repetitions and restarts.
//!
//! ```
//! use halfseen::Silent;
//! use halfseen_study::{Answers, By, Setup, Study, StudySchema, Subjects, Telling};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("trial.hs");
//! let schema = StudySchema::from_csv("attribute,unit\nage,years\nsodium,mmol/L\npotassium,mmol/L".as_bytes(), "outcome")?;
//! let setup = Setup::new(schema, "fiml", &[("budget".into(), "2".into())])?;
//! let by = By::now("lab");
//! let mut study = Study::create(&path, &setup, &by)?;
//!
//! // Two attributes of each patient.
//! let asks = study.next(Subjects::Named(&["p1".into(), "p2".into()]), None, &by, &Silent)?;
//! assert_eq!(asks[0].attributes.len(), 2);
//!
//! // The first comes today, the rest and the outcome whenever.
//! let cell = (asks[0].attributes[0].clone(), "140".to_owned());
//! let answers = Answers { line: 2, subject: "p1".into(), ask: None, cells: vec![cell] };
//! let told = study.tell(&[answers], &Telling::default(), &by)?;
//! assert_eq!(told.stored, 1);
//! # Ok::<(), halfseen_study::Error>(())
//! ```

mod asking;
mod changes;
mod curve;
mod database;
mod draft;
mod error;
#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests
mod faults;
mod files;
mod replay;
mod rows;
mod schema;
mod schema_csv;
mod sheet;
mod simulate;
mod status;
mod study;

pub use asking::setup::{Setup, Unasked};
pub use changes::drawing::{Ask, Subjects};
pub use changes::people::{Person, Right, Role, SIGNED_IN};
pub use changes::telling::{Answers, Receipt, Telling};
pub use curve::{OwnTest, StudyCurve, StudyCurvePoint};
pub use error::{Error, RefusedLine, Result};
pub use files::{Export, answers_from_csv, asks_to_csv, rows_of_csv, subjects_from_csv};
pub use schema::{Attribute, AttributeKind, DATE, StudySchema, Value};
pub use sheet::{Field, OpenAsk, Sheet};
pub use simulate::{Events, Interval, Pilot, Played, SimulatedPoint, Simulation, interval};
pub use status::{Pending, Spending, Status};
pub use study::{By, State, Study};
