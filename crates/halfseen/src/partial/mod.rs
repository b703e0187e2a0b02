//! Learns from parts of the rows, at any time, in any order and on any machine, without keeping a
//! row: parts are absorbed into sums, sums are merged, and the sums of all parts give the model.
//!
//! Learners whose fit depends on the rows only by their number, means and second moments learn so
//! ([`Learner::by_moments`]): `ridge` and `lasso`, and with squared losses `zero` and `mean`. The
//! model is that of a fit to all rows at once, up to rounding. Sums of parts are kept apart and are
//! added in the order of the parts' names, so that the model has the same bits whoever absorbed
//! them, and when.
//!
//! [`Learner::by_moments`]: crate::learner::Learner::by_moments

mod equivalent;
mod finish;
mod part;
mod sums;

use crate::data::{Basis, Table, Task};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::Learner;
use crate::prepare::Options;
use crate::registry;
use part::{Part, Taking};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use sums::Sums;

/// Name of the format in files, and its version.
const FORMAT: &str = "halfseen-partial";
const VERSION: u32 = 1;

/// Fit that parts belong to; those that are merged must agree on it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    learner: String,
    params: serde_json::Map<String, serde_json::Value>,
    target: String,
    task: Option<Task>,
    ignore: Vec<String>,
    scale: Option<crate::data::Scale>,
    /// True if missing cells are imputed by means.
    imputed: bool,
    bounds: BTreeMap<String, (f64, f64)>,
}

/// Sums of parts of a table, from which a learner learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    format: String,
    version: u32,
    plan: Plan,
    parts: BTreeMap<String, Part>,
}

/// A part that is being absorbed, table by table: from [`Partial::begin`] to [`Partial::end`].
#[derive(Debug)]
pub struct Absorbing {
    plan: Plan,
    name: String,
    /// Number of rows of the tables before.
    before: usize,
    /// Number of bytes of the parts before.
    held: f64,
    part: Option<Part>,
}

impl Partial {
    /// Starts without a part.
    ///
    /// `options` are as for a fit in memory; `task` of `None` takes text and exactly two distinct
    /// numbers as classes.
    ///
    /// # Errors
    /// [`ErrorKind::NeedsRows`] for a learner that needs the rows themselves, or an option that does;
    /// a parameter out of range.
    pub fn new(
        learner: &dyn Learner,
        target: &str,
        task: Option<Task>,
        options: &Options,
    ) -> Result<Partial> {
        learner.check()?;
        let classes = if task == Some(Task::Classification) { 2 } else { 0 };
        if learner.by_moments(classes).is_none() {
            return Err(needs_rows(learner, classes));
        }
        let what = match options {
            Options { basis: Basis::Hats, .. } => Some("basis = hats"),
            Options { honest: true, .. } => Some("a fit that may not look at the cells"),
            Options { dates, .. } if !dates.is_empty() => Some("a column of dates"),
            Options { moments, .. } if !moments.is_empty() => Some("a declared moment"),
            _ => None,
        };
        if let Some(what) = what {
            let remedy = "leave it out, or fit to the whole table".to_owned();
            return Err(ErrorKind::NeedsRows { what: what.to_owned(), remedy }.into());
        }
        let plan = Plan {
            learner: learner.name().to_owned(),
            params: learner.to_json(),
            target: target.to_owned(),
            task,
            ignore: options.except.clone(),
            scale: options.scale,
            imputed: options.suited(&learner.needs()).missing == crate::prepare::Missing::Mean,
            bounds: options.bounds.clone(),
        };
        Ok(Partial { format: FORMAT.to_owned(), version: VERSION, plan, parts: BTreeMap::new() })
    }

    /// Absorbs a part of the rows: one table after the other, which have the same columns in any
    /// order. Rows without a target are left out.
    ///
    /// # Errors
    /// [`ErrorKind::InPart`], with the name of the part and the reason: it was absorbed before;
    /// columns that differ from table to table; a kind that changes; more than 1,000 categories; an
    /// infinite cell; an error of `tables`. Nothing of the part is absorbed then.
    pub fn absorb<E: From<Error>>(
        &mut self,
        part: &str,
        tables: impl IntoIterator<Item = std::result::Result<Table, E>>,
    ) -> std::result::Result<(), E> {
        let mut absorbing = self.begin(part)?;
        for table in tables {
            absorbing.add(&table?)?;
        }
        Ok(self.end(absorbing)?)
    }

    /// Begins a part, whose tables [`Absorbing::add`] takes, and which [`Partial::end`] takes up.
    ///
    /// # Errors
    /// [`ErrorKind::InPart`] if it was absorbed before.
    pub fn begin(&self, part: &str) -> Result<Absorbing> {
        self.is_new(part)?;
        let held = self.bytes();
        Ok(Absorbing {
            plan: self.plan.clone(),
            name: part.to_owned(),
            before: 0,
            held,
            part: None,
        })
    }

    /// Returns the number of bytes of all parts.
    fn bytes(&self) -> f64 {
        let of = |part: &Part| Sums::bytes(part.sums.width(), part.sums.has_holes());
        self.parts.values().map(of).sum()
    }

    /// Takes up a part.
    ///
    /// # Errors
    /// [`ErrorKind::InPart`] if it was absorbed before, or has no table.
    pub fn end(&mut self, absorbing: Absorbing) -> Result<()> {
        let Absorbing { name, part, .. } = absorbing;
        self.is_new(&name)?;
        let part = part.ok_or_else(|| in_part(&name, ErrorKind::EmptyPart.into()))?;
        self.suits(&name, &part)?;
        self.can_learn(&part).map_err(|error| in_part(&name, error))?;
        self.parts.insert(name, part);
        Ok(())
    }

    /// Refuses a part that shows what [`Partial::finish`] would refuse: classes of which the learner
    /// needs the rows, or too many for it.
    fn can_learn(&self, part: &Part) -> Result<()> {
        let Some(classes) = part.classes() else { return Ok(()) };
        let learner = self.learner()?;
        if classes > 2 {
            registry::check_classes(&*learner, classes)?;
        }
        match learner.by_moments(classes.max(2)) {
            Some(_) => Ok(()),
            None => Err(needs_rows(&*learner, classes)),
        }
    }

    /// Refuses a part whose columns are not those of the parts before.
    fn suits(&self, name: &str, part: &Part) -> Result<()> {
        let Some(first) = self.parts.values().next() else { return Ok(()) };
        part.like(first).map_err(|error| in_part(name, error))
    }

    fn is_new(&self, part: &str) -> Result<()> {
        match self.parts.contains_key(part) {
            true => Err(in_part(part, ErrorKind::PartTwice.into())),
            false => Ok(()),
        }
    }

    /// Takes up all parts of another.
    ///
    /// # Errors
    /// [`ErrorKind::OtherPlan`] if the other is of another learner, parameter or declaration;
    /// [`ErrorKind::InPart`] if a part is in both. Nothing is taken up then.
    pub fn merge(&mut self, other: Partial) -> Result<()> {
        let both =
            [&self.plan, &other.plan].map(|plan| serde_json::to_value(plan).unwrap_or_default());
        if let [serde_json::Value::Object(own), serde_json::Value::Object(theirs)] = &both
            && let Some((what, own)) =
                own.iter().find(|(key, value)| theirs.get(*key) != Some(value))
        {
            let theirs = theirs.get(what).map(ToString::to_string).unwrap_or_default();
            let (what, own) = (what.clone(), own.to_string());
            return Err(ErrorKind::OtherPlan { what, own, theirs }.into());
        }
        for (name, part) in &other.parts {
            self.is_new(name)?;
            self.suits(name, part)?;
        }
        self.parts.extend(other.parts);
        Ok(())
    }

    /// Returns the same without a part.
    #[must_use]
    pub fn emptied(&self) -> Partial {
        Partial {
            parts: BTreeMap::new(),
            format: self.format.clone(),
            plan: self.plan.clone(),
            ..*self
        }
    }

    /// Names of the parts so far, in their order.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// Number of rows so far, without those that have no target.
    pub fn rows(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.sums.rows()))
    }

    /// Number of rows that were left out because they have no target.
    pub fn without_target(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.without_target))
    }

    /// Returns the learner with its parameters.
    ///
    /// # Errors
    /// Parameters of a file that the learner does not have.
    pub fn learner(&self) -> Result<Box<dyn Learner>> {
        registry::with_params(&self.plan.learner, &self.plan.params)
    }

    /// Writes the sums as JSON text, which [`Partial::from_json`] reads.
    ///
    /// # Errors
    /// [`ErrorKind::Numerical`] for a sum that is not finite.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| {
            ErrorKind::Numerical { what: "the sums of a part", problem: error.to_string() }.into()
        })
    }

    /// Reads sums from JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`] for another format or version, or contents that contradict each other.
    pub fn from_json(text: &str) -> Result<Partial> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let bad = |key: &str, problem: String| -> Error {
            ErrorKind::BadFile { what: "partial", key: key.to_owned(), problem }.into()
        };
        let head: Head = serde_json::from_str(text)
            .map_err(|error| bad("format", format!("this is not a file of sums ({error})")))?;
        if head.format != FORMAT {
            let found = crate::error::short(&head.format);
            return Err(bad("format", format!("is '{found}', not '{FORMAT}'")));
        }
        if head.version != VERSION {
            let problem = format!("is {}; this program reads version {VERSION}", head.version);
            return Err(bad("version", problem));
        }
        let read: Partial =
            serde_json::from_str(text).map_err(|error| bad("parts", error.to_string()))?;
        for (name, part) in &read.parts {
            part.check().map_err(|problem| bad(name, problem.to_owned()))?;
        }
        read.learner().map_err(|error| bad("params", error.to_string()))?;
        Ok(read)
    }
}

impl Absorbing {
    /// Adds a table, with the columns of those before, in any order.
    ///
    /// # Errors
    /// As [`Partial::absorb`]. The part is useless then.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let Absorbing { plan, name, before, held, part } = self;
        let taking = Taking {
            target: &plan.target,
            except: &plan.ignore,
            classes: plan.task == Some(Task::Classification),
        };
        let mut add = || {
            if part.is_none() {
                *part = Some(Part::new(table, &taking)?);
            }
            let Some(part) = part else { return Ok(()) };
            admit(&plan.learner, part.width_with(table), *held)?;
            part.add(table, &taking)
        };
        add().map_err(|error: Error| {
            let mut kind = error.kind().clone();
            if let ErrorKind::NotFinite { row, .. } | ErrorKind::TooLarge { row, .. } = &mut kind {
                *row += *before;
            }
            in_part(name, kind.into())
        })?;
        *before += table.rows();
        Ok(())
    }
}

/// Refuses sums, of which each part has its own, that do not fit into memory beside `held` bytes.
fn admit(learner: &str, width: usize, held: f64) -> Result<()> {
    let added = Sums::bytes(width, true) + Sums::adding(width);
    crate::memory::admit(
        learner,
        (0, width),
        held + added,
        "fewer columns, or merge fewer parts at a time",
    )
}

fn in_part(part: &str, error: Error) -> Error {
    ErrorKind::InPart { part: part.to_owned(), problem: Box::new(error.kind().clone()) }.into()
}

/// Returns the refusal of a learner that needs the rows themselves.
fn needs_rows(learner: &dyn Learner, classes: usize) -> Error {
    let can = |other: &dyn Learner| other.by_moments(classes).is_some();
    let squared = || {
        let mut other = registry::with_params(learner.name(), &learner.to_json()).ok()?;
        other.set("loss", "squared").ok()?;
        can(&*other).then(|| "set loss=squared".to_owned())
    };
    let others = || {
        let all = registry::all();
        let names: Vec<&str> =
            all.iter().filter(|one| can(&***one)).map(|one| one.name()).collect();
        format!("choose one of {}, or fit to the whole table", names.join(", "))
    };
    let remedy = squared().unwrap_or_else(others);
    let what = match classes {
        0 => learner.name().to_owned(),
        _ => format!("{} of classes", learner.name()),
    };
    ErrorKind::NeedsRows { what, remedy }.into()
}
