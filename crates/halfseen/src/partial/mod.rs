//! Learns from parts of the rows, at any time, in any order and on any machine, without keeping a
//! row: parts are absorbed into sums, sums are merged, and the sums of all parts give the model.
//!
//! [`Learner::in_parts`] says how a learner does this. Some fits depend on the rows only by their
//! number, means and second moments ([`InParts::Moments`]). Their model is that of a fit to all rows at
//! once, up to rounding. Sums of parts are kept apart and are added in the order of the parts' names,
//! so that the model has the same bits whoever absorbed them, and when.
//!
//! Other learners go through the parts twice. The first pass makes the same sums, which say what names,
//! categories, scales and targets the preparation of all rows would have found: the units. The second
//! ([`Partial::in_units`]) learns from each part in these units. It keeps what was read
//! ([`InParts::Reads`]), and the model is that of a fit to all of it. Or it sums over random features
//! ([`InParts::Features`]), exactly as over attributes. Or it keeps the weights
//! ([`InParts::Steps`]): those of one part are the model of one pass over its rows, in their order, and
//! those of several are averaged, which a note of the report names an approximation.
//!
//! [`InParts::Features`]: crate::learner::InParts::Features
//! [`InParts::Moments`]: crate::learner::InParts::Moments
//! [`InParts::Reads`]: crate::learner::InParts::Reads
//! [`InParts::Steps`]: crate::learner::InParts::Steps

mod averaged;
mod equivalent;
mod finish;
mod held;
mod joined;
mod part;
mod refusal;
mod reports;
mod rows;
mod sums;
mod units;

use crate::data::{Basis, Table, Task};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{InParts, Learner};
use crate::prepare::Options;
use crate::registry;
use held::{Held, OfPart};
use part::{Part, Taking};
use refusal::needs_rows;
use rows::{Frame, Learning};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use sums::Sums;
use units::Units;

/// Name of the format in files, and its version.
const FORMAT: &str = "halfseen-partial";
const VERSION: u32 = 2;

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
    /// True if missing cells are imputed by means, or for robust learners count as deleted.
    imputed: bool,
    bounds: BTreeMap<String, (f64, f64)>,
    /// Digest of the units in which parts are learned from; `None` while they are summed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    units: Option<String>,
}

impl Plan {
    fn learner(&self) -> Result<Box<dyn Learner>> {
        registry::with_params(&self.learner, &self.params)
    }
}

/// Sums of parts of a table, from which a learner learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    format: String,
    version: u32,
    plan: Plan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    units: Option<Units>,
    parts: BTreeMap<String, Held>,
}

/// Purpose of one more pass over the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPass {
    /// Nothing.
    None,
    /// To learn: without it there is no model.
    Learns,
    /// To measure how far the model is from the best, and to take a constant where that is better.
    Certifies,
}

/// A part that is being absorbed, table by table: from [`Partial::begin`] to [`Partial::end`].
pub struct Absorbing {
    plan: Plan,
    name: String,
    /// Number of rows of the tables before; `None` before the first.
    before: Option<usize>,
    /// Number of bytes of the parts before.
    held: f64,
    going: Going,
}

enum Going {
    Sums(Option<Box<Part>>),
    Learning(Box<Learning>),
}

impl std::fmt::Debug for Absorbing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Absorbing").field("name", &self.name).finish_non_exhaustive()
    }
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
        if learner.in_parts(classes).is_none() {
            return Err(needs_rows(learner, classes));
        }
        let chooses = learner.needs().chooses();
        let what = match options {
            Options { basis: Basis::Hats, .. } => Some("basis = hats"),
            Options { honest: true, .. } if !chooses => {
                Some("a fit that may not look at the cells")
            }
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
            imputed: options.suited(&learner.needs()).missing != crate::prepare::Missing::Keep,
            bounds: options.bounds.clone(),
            units: None,
        };
        let (format, version) = (FORMAT.to_owned(), VERSION);
        Ok(Partial { format, version, plan, units: None, parts: BTreeMap::new() })
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
    /// [`ErrorKind::InPart`] if it was absorbed before, or its learner cannot start.
    pub fn begin(&self, part: &str) -> Result<Absorbing> {
        self.is_new(part)?;
        let going = match &self.units {
            None => Going::Sums(None),
            Some(units) => {
                let learning = Learning::new(&self.plan, units, part);
                Going::Learning(Box::new(learning.map_err(|error| in_part(part, error))?))
            }
        };
        let (plan, name) = (self.plan.clone(), part.to_owned());
        Ok(Absorbing { plan, name, before: None, held: self.bytes(), going })
    }

    /// Returns the number of bytes of all parts, and of the units.
    fn bytes(&self) -> f64 {
        let of = |part: &Part| Sums::bytes(part.sums.width(), part.sums.has_holes());
        let columns = self.units.as_ref().map_or(0, |units| units.all.sums.width());
        let parts: f64 = self.parts.values().map(|held| held.bytes(columns)).sum();
        parts + self.units.as_ref().map_or(0.0, |units| of(&units.all))
    }

    /// Takes up a part.
    ///
    /// # Errors
    /// [`ErrorKind::InPart`] if it was absorbed before, or has no table.
    pub fn end(&mut self, absorbing: Absorbing) -> Result<()> {
        let Absorbing { plan, name, before, going, .. } = absorbing;
        self.is_new(&name)?;
        self.same(&plan)?;
        let held = match going {
            Going::Sums(part) => {
                let part = part.ok_or_else(|| in_part(&name, ErrorKind::EmptyPart.into()))?;
                self.can_learn(&part).map_err(|error| in_part(&name, error))?;
                Held::Sums(part)
            }
            Going::Learning(learning) => {
                if before.is_none() {
                    return Err(in_part(&name, ErrorKind::EmptyPart.into()));
                }
                let now = learning.rows();
                let before = self.units.as_ref().and_then(|units| units.rows.get(&name));
                if let Some(&before) = before.filter(|before| **before != now) {
                    return Err(in_part(&name, ErrorKind::PartChanged { before, now }.into()));
                }
                learning.end().map_err(|error| in_part(&name, error))?
            }
        };
        self.suits(&name, &held)?;
        self.parts.insert(name, held);
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
        match learner.in_parts(classes.max(2)) {
            Some(_) => Ok(()),
            None => Err(needs_rows(&*learner, classes)),
        }
    }

    /// Refuses a part whose columns are not those of the parts before.
    fn suits(&self, name: &str, held: &Held) -> Result<()> {
        match (held, self.sums().next()) {
            (Held::Sums(part), Some((_, first))) => {
                part.like(first).map_err(|error| in_part(name, error))
            }
            _ => Ok(()),
        }
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
        self.same(&other.plan)?;
        for (name, part) in &other.parts {
            self.is_new(name)?;
            self.suits(name, part)?;
        }
        self.parts.extend(other.parts);
        Ok(())
    }

    /// Refuses another plan than that of these parts.
    fn same(&self, other: &Plan) -> Result<()> {
        let both = [&self.plan, other].map(|plan| serde_json::to_value(plan).unwrap_or_default());
        let [serde_json::Value::Object(own), serde_json::Value::Object(theirs)] = both else {
            return Ok(());
        };
        let none = serde_json::Value::Null;
        for what in own.keys().chain(theirs.keys()) {
            let [own, theirs] = [&own, &theirs].map(|plan| plan.get(what).unwrap_or(&none));
            if own != theirs {
                let (own, theirs) = (own.to_string(), theirs.to_string());
                return Err(ErrorKind::OtherPlan { what: what.clone(), own, theirs }.into());
            }
        }
        Ok(())
    }

    /// Returns the same without a part.
    #[must_use]
    pub fn emptied(&self) -> Partial {
        Partial {
            parts: BTreeMap::new(),
            format: self.format.clone(),
            plan: self.plan.clone(),
            units: self.units.clone(),
            ..*self
        }
    }

    /// Names of the parts so far, in their order.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }

    /// Number of rows so far, without those that have no target.
    pub fn rows(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.rows()))
    }

    /// Number of rows that were left out because they have no target.
    pub fn without_target(&self) -> u64 {
        self.parts.values().fold(0, |sum, part| sum.saturating_add(part.without_target()))
    }

    /// Returns the learner with its parameters.
    ///
    /// # Errors
    /// Parameters of a file that the learner does not have.
    pub fn learner(&self) -> Result<Box<dyn Learner>> {
        self.plan.learner()
    }

    /// Returns what one more pass over the rows is for, in units that these parts give
    /// ([`Partial::in_units`]).
    pub fn next_pass(&self) -> NextPass {
        let by_sums = |learner: Box<dyn Learner>| {
            [0, 2]
                .into_iter()
                .any(|classes| matches!(learner.in_parts(classes), Some(InParts::Moments(_))))
        };
        let learned: Vec<&OfPart> =
            averaged::models(self).map(|(_, of)| of).filter(|of| of.rows > 0).collect();
        let is_known = match &learned[..] {
            [] => true,
            [only] => only.report.objective.is_some(),
            _ => false,
        };
        match &self.units {
            None if !self.learner().is_ok_and(by_sums) => NextPass::Learns,
            Some(Units { model: None, .. })
                if !is_known && learned.iter().all(|of| of.bound.is_some()) =>
            {
                NextPass::Certifies
            }
            _ => NextPass::None,
        }
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
        for (name, held) in &read.parts {
            held.check().map_err(|problem| bad(name, problem.to_owned()))?;
            let certifies = read.units.as_ref().is_some_and(|units| units.model.is_some());
            if read.units.is_none() != matches!(held, Held::Sums(_))
                || certifies != matches!(held, Held::Losses(_))
            {
                return Err(bad(name, "is of another kind than the units allow".to_owned()));
            }
        }
        let learner = read.learner().map_err(|error| bad("params", error.to_string()))?;
        if read.plan.units != read.units.as_ref().and_then(Units::digest) {
            return Err(bad("units", "are not those that the parts were learned in".to_owned()));
        }
        if let Some(units) = &read.units {
            let sound = units.all.check().and(units.model.iter().try_for_each(|of| of.check()));
            sound.map_err(|problem| bad("units", problem.to_owned()))?;
            let models = read.parts.iter().filter_map(|(name, held)| match held {
                Held::Model(of) => Some((name.as_str(), &**of)),
                _ => None,
            });
            let learned = units.model.iter().map(|of| ("units", &**of));
            for (name, of) in models.chain(learned) {
                let frame = Frame::new(&read.plan, &*learner, units)
                    .map_err(|error| bad("units", error.to_string()))?;
                let whole = read.model(frame, of.fit()).validate();
                whole.map_err(|error| bad(name, error.to_string()))?;
            }
        }
        Ok(read)
    }
}

impl Absorbing {
    /// Adds a table, with the columns of those before, in any order.
    ///
    /// # Errors
    /// As [`Partial::absorb`]. The part is useless then.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let Absorbing { plan, name, before, held, going } = self;
        let taking = Taking {
            target: &plan.target,
            except: &plan.ignore,
            classes: plan.task == Some(Task::Classification),
        };
        let mut add = || match going {
            Going::Sums(part) => {
                if part.is_none() {
                    *part = Some(Box::new(Part::new(table, &taking)?));
                }
                let Some(part) = part else { return Ok(()) };
                admit(&plan.learner, part.width_with(table), *held)?;
                part.add(table, &taking)
            }
            Going::Learning(learning) => learning.add(plan, table, *held),
        };
        let rows = before.unwrap_or(0);
        add().map_err(|error: Error| {
            let mut kind = error.kind().clone();
            if let ErrorKind::NotFinite { row, .. }
            | ErrorKind::TooLarge { row, .. }
            | ErrorKind::MissingCell { row, .. } = &mut kind
            {
                *row += rows;
            }
            in_part(name, kind.into())
        })?;
        *before = Some(rows + table.rows());
        Ok(())
    }
}

/// Refuses sums, of which each part has its own, that do not fit into memory beside `held` bytes.
fn admit(learner: &str, width: usize, held: f64) -> Result<()> {
    admit_bytes(learner, width, held + Sums::bytes(width, true) + Sums::adding(width))
}

fn admit_bytes(learner: &str, width: usize, bytes: f64) -> Result<()> {
    crate::memory::admit(
        learner,
        (0, width),
        bytes,
        "fewer columns, or merge fewer parts at a time",
    )
}

fn in_part(part: &str, error: Error) -> Error {
    ErrorKind::InPart { part: part.to_owned(), problem: Box::new(error.kind().clone()) }.into()
}
