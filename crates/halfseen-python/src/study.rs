//! Exposes studies to Python: converts arguments, and works without the interpreter's lock while the
//! calling thread answers Ctrl-C.

use crate::arrays::Table;
use crate::background::{lock_here, run_interruptible};
use crate::errors::{raised, raised_by_study};
use crate::model::Model;
use crate::query::text;
use halfseen::Monitor;
use halfseen_study::{
    Answers, AttributeKind, By, Error, Export, Receipt, Setup, StudySchema, Subjects, Telling,
    Unasked, rows_of_csv,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Row of a frame of answers: its position, subject, number of the ask, and cells by column.
type Row = (u64, String, Option<u64>, Vec<(String, String)>);

fn answers_in((line, subject, ask, cells): Row) -> Answers {
    Answers { line, subject, ask, cells }
}

/// Cells of a table, the header first.
type Rows = Vec<Vec<String>>;

/// A study of the library.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Study {
    /// Empty once it is closed; taken out while it works, so that a panic closes it.
    study: Arc<Mutex<Option<halfseen_study::Study>>>,
    /// The process that opened it: a connection does not survive a fork.
    process: u32,
}

impl Study {
    fn new(study: halfseen_study::Study) -> Study {
        Study { study: Arc::new(Mutex::new(Some(study))), process: std::process::id() }
    }

    /// Returns the setup, with the changes of others.
    fn present(&self, py: Python<'_>) -> PyResult<Setup> {
        self.run(py, 1, |study, _| study.refresh().map(|()| study.setup().clone()))
    }

    /// Works on the study, on this number of threads (0: one per processor).
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        threads: usize,
        work: impl FnOnce(&mut halfseen_study::Study, &dyn Monitor) -> halfseen_study::Result<T>
        + Send
        + 'static,
    ) -> PyResult<T> {
        if self.process != std::process::id() {
            return Err(PyValueError::new_err(
                "the study was opened in another process, of which this one is a fork; open it again here",
            ));
        }
        let shared = Arc::clone(&self.study);
        let done = run_interruptible(py, threads, None, move |monitor| {
            let mut place = lock_here(&shared);
            let Some(mut study) = place.take() else { return Ok(None) };
            let done = work(&mut study, monitor);
            *place = Some(study);
            Ok(Some(done))
        })?;
        let closed = || PyValueError::new_err("the study is closed; halfseen.Study(path) opens it");
        done.ok_or_else(closed)?.map_err(raised_by_study)
    }
}

#[pymethods]
impl Study {
    /// Makes a study in a new file, or in memory without a path; the schema is a CSV text.
    #[staticmethod]
    #[pyo3(signature = (path, schema, target, classes, learner, settings, unasked, strict, who))]
    #[allow(clippy::too_many_arguments)]
    fn create(
        py: Python<'_>,
        path: Option<PathBuf>,
        schema: String,
        target: String,
        classes: Option<Vec<String>>,
        learner: String,
        settings: Vec<(String, String)>,
        unasked: &str,
        strict: bool,
        who: String,
    ) -> PyResult<Study> {
        let unasked = match unasked {
            "accept" => Unasked::Accept,
            "refuse" => Unasked::Refuse,
            "learn" => Unasked::Learn,
            other => {
                return Err(PyValueError::new_err(format!(
                    "unasked = '{}' is not allowed: it must be accept, refuse or learn",
                    halfseen::error::short(other)
                )));
            }
        };
        let make = move || {
            let mut schema = StudySchema::from_csv(schema.as_bytes(), &target)?;
            if let Some(classes) = classes {
                schema.target.kind = AttributeKind::Category(classes);
                schema = schema.checked()?;
            }
            let mut setup = Setup::new(schema, &learner, &settings)?;
            (setup.unasked, setup.strict) = (unasked, strict);
            let by = By::now(&who);
            match path {
                Some(path) => halfseen_study::Study::create(path, &setup, &by),
                None => halfseen_study::Study::in_memory(&setup, &by),
            }
        };
        let made = run_interruptible(py, 1, None, move |_| Ok(make()))?;
        Ok(Study::new(made.map_err(raised_by_study)?))
    }

    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Study> {
        let opened =
            run_interruptible(py, 1, None, move |_| Ok(halfseen_study::Study::open(&path)))?;
        Ok(Study::new(opened.map_err(raised_by_study)?))
    }

    /// Closes the file; again is no error.
    fn close(&self, py: Python<'_>) {
        py.detach(|| drop(lock_here(&self.study).take()));
    }

    /// Learner, its parameters, attributes and target, as JSON.
    fn setup(&self, py: Python<'_>) -> PyResult<String> {
        text(&self.present(py)?)
    }

    /// Returns the schema as rows of a table.
    fn schema(&self, py: Python<'_>) -> PyResult<Rows> {
        let text = self.present(py)?.schema.to_csv();
        text.and_then(|text| rows_of_csv(text.as_bytes())).map_err(raised_by_study)
    }

    /// Returns asks of these subjects, with what is known of each, or of this number of new ones, as
    /// JSON; or rows that were refused, as [`Study::tell`] does.
    fn next(
        &self,
        py: Python<'_>,
        subjects: Option<Vec<Row>>,
        count: u64,
        wave: Option<String>,
        who: String,
    ) -> PyResult<String> {
        let asks = self.run(py, 0, move |study, monitor| {
            let rows: Option<Vec<Answers>> =
                subjects.map(|rows| rows.into_iter().map(answers_in).collect());
            let of = rows.as_deref().map_or(Subjects::Count(count), Subjects::Known);
            match study.next(of, wave.as_deref(), &By::now(&who), monitor) {
                Ok(asks) => Ok(Ok(asks)),
                Err(Error::Refused { lines, refused }) => {
                    Ok(Err(Receipt { lines, refused, ..Receipt::default() }))
                }
                Err(error) => Err(error),
            }
        })?;
        asks.map_or_else(|receipt| text(&receipt), |asks| text(&asks))
    }

    /// Stores answers, and returns what became of them, as JSON.
    #[allow(clippy::too_many_arguments)]
    fn tell(
        &self,
        py: Python<'_>,
        columns: Vec<String>,
        rows: Vec<Row>,
        source: Option<String>,
        check: bool,
        keep_going: bool,
        who: String,
    ) -> PyResult<String> {
        let receipt = self.run(py, 1, move |study, _| {
            study.refresh()?;
            for name in &columns {
                study.setup().schema.place(name)?;
            }
            let rows: Vec<Answers> = rows.into_iter().map(answers_in).collect();
            let how = Telling { source, keep_going, check_only: check };
            match study.tell(&rows, &how, &By::now(&who)) {
                Ok(receipt) => Ok(receipt),
                // Python names the rows in the exception.
                Err(Error::Refused { lines, refused }) => {
                    Ok(Receipt { lines, refused, ..Receipt::default() })
                }
                Err(error) => Err(error),
            }
        })?;
        text(&receipt)
    }

    /// Adds the attributes of a schema, a CSV text, and returns their names.
    fn add(
        &self,
        py: Python<'_>,
        schema: String,
        reason: String,
        who: String,
    ) -> PyResult<Vec<String>> {
        self.run(py, 1, move |study, _| study.add(&schema, &reason, &By::now(&who)))
    }

    fn retire(
        &self,
        py: Python<'_>,
        attribute: String,
        reason: String,
        who: String,
    ) -> PyResult<()> {
        self.run(py, 1, move |study, _| study.retire(&attribute, &reason, &By::now(&who)))
    }

    fn amend(
        &self,
        py: Python<'_>,
        subject: String,
        attribute: String,
        value: String,
        reason: String,
        who: String,
    ) -> PyResult<()> {
        self.run(py, 1, move |study, _| {
            study.amend(&subject, &attribute, &value, &reason, &By::now(&who))
        })
    }

    fn release(
        &self,
        py: Python<'_>,
        subject: String,
        reason: String,
        who: String,
    ) -> PyResult<()> {
        self.run(py, 1, move |study, _| study.release(&subject, &reason, &By::now(&who)))
    }

    fn withdraw(
        &self,
        py: Python<'_>,
        subject: String,
        erase: bool,
        reason: String,
        who: String,
    ) -> PyResult<()> {
        self.run(py, 1, move |study, _| study.withdraw(&subject, erase, &reason, &By::now(&who)))
    }

    /// Returns the state, as JSON.
    fn status(&self, py: Python<'_>, who: String) -> PyResult<String> {
        text(&self.run(py, 1, move |study, _| study.status(&By::now(&who)))?)
    }

    /// Returns the open asks, as JSON.
    fn pending(
        &self,
        py: Python<'_>,
        older_than_days: Option<f64>,
        who: String,
    ) -> PyResult<String> {
        text(&self.run(py, 1, move |study, _| study.pending(older_than_days, &By::now(&who)))?)
    }

    /// Returns the curve of the learner's own error, as JSON.
    fn curve(&self, py: Python<'_>) -> PyResult<String> {
        text(&self.run(py, 0, |study, monitor| study.curve(monitor))?)
    }

    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        Ok(Model::new(self.run(py, 0, |study, monitor| study.model(monitor))?))
    }

    /// Returns reads, the wide table, the audit or the erased subjects as rows of a table.
    fn export(&self, py: Python<'_>, what: &str) -> PyResult<Rows> {
        let what = match what {
            "reads" => Export::Reads,
            "wide" => Export::Wide,
            "audit" => Export::Audit,
            "erased" => Export::Erased,
            other => {
                return Err(PyValueError::new_err(format!(
                    "what = '{}' is not allowed: it must be reads, wide, audit or erased",
                    halfseen::error::short(other)
                )));
            }
        };
        self.run(py, 1, move |study, _| {
            let mut csv = Vec::new();
            study.export(what, &mut csv)?;
            rows_of_csv(&*csv)
        })
    }

    fn check(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.run(py, 1, |study, _| study.check())
    }

    fn backup(&self, py: Python<'_>, to: PathBuf) -> PyResult<()> {
        self.run(py, 1, move |study, _| study.backup(&to))
    }
}

/// Returns a draft of a schema as rows of a table, and the columns left out with their number of
/// categories.
#[pyfunction]
pub(crate) fn draft(table: &Table, target: &str) -> PyResult<(Rows, Vec<(String, usize)>)> {
    let (schema, left_out) = StudySchema::draft(&table.0, target).map_err(raised)?;
    let rows = schema.to_csv().and_then(|text| rows_of_csv(text.as_bytes()));
    Ok((rows.map_err(raised_by_study)?, left_out))
}
