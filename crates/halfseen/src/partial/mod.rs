//! Learns from parts of the rows, at any time, in any order and on any machine, without keeping a
//! row: parts are absorbed into sums, sums are merged, and the sums of all parts give the model.
//!
//! [`Learner::in_parts`] says how a learner does this. Some fits depend on the rows only by their
//! number, means and second moments ([`InParts::Moments`]). Their model is that of a fit to all rows at
//! once, up to rounding. Sums of parts are kept apart and are added in the order of the parts' names,
//! so that the model has the same bits whoever absorbed them, and when.
//!
//! The same sums say what names, categories, scale and target all rows have: the units. Fits that
//! depend on sums over random features ([`InParts::Features`]) go through the parts a second time in
//! these units ([`Partial::in_units`]), and are exact too. Learners that learn from each row once
//! ([`InParts::Stream`]) go through all rows in one stream ([`Partial::stream`]), which cannot be
//! divided into parts.

mod equivalent;
mod file;
mod finish;
mod part;
mod refusal;
mod rows;
mod sums;
mod units;

use crate::data::{Basis, Table, Task};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{InParts, Learner};
use crate::params::Needs;
use crate::prepare::{Missing, Options};
use crate::registry;
use halfseen_core::asking::digest;
use part::Part;
use refusal::{cannot_be_summed, changed, needs_rows, twice};
use rows::{Featured, PassSetup, Summing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use sums::Sums;
use units::{Summed, Units};

pub use rows::RowStream;

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

impl Plan {
    fn learner(&self) -> Result<Box<dyn Learner>> {
        registry::with_params(&self.learner, &self.params)
    }

    /// Returns the options of the preparation.
    fn options(&self, needs: &Needs) -> Options {
        let options = Options {
            except: self.ignore.clone(),
            scale: self.scale,
            missing: if self.imputed { Missing::Mean } else { Missing::Keep },
            bounds: self.bounds.clone(),
            ..Options::default()
        };
        options.for_fit(needs)
    }
}

/// Sums of parts of a table, from which a learner learns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    format: String,
    version: u32,
    plan: Plan,
    /// Units of a second pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    units: Option<Units>,
    parts: BTreeMap<String, Held>,
}

/// Sums over a part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Held {
    /// Over the rows.
    Sums(Box<Part>),
    /// Over features of the rows.
    Features(Box<Featured>),
}

impl Held {
    fn sums(&self) -> &Sums {
        match self {
            Held::Sums(part) => &part.sums,
            Held::Features(of) => &of.sums,
        }
    }

    /// Returns the number of rows with a target.
    fn rows(&self) -> u64 {
        self.sums().rows()
    }

    fn without_target(&self) -> u64 {
        match self {
            Held::Sums(part) => part.without_target,
            Held::Features(of) => of.without_target,
        }
    }
}

/// Purpose of one more pass over the rows, in the units that sums give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextPass {
    /// Nothing: the sums give the model.
    None,
    /// To sum over features of the rows ([`Partial::in_units`]).
    Features,
    /// To learn from each row ([`Partial::stream`]).
    Stream,
}

/// A part that is being absorbed, table by table: from [`Partial::begin`] to [`Partial::end`].
pub struct Absorbing {
    /// The partial that it belongs to, without its parts.
    of: Partial,
    name: String,
    /// Number of rows of the tables before.
    before: usize,
    /// Number of bytes of the parts before.
    held: f64,
    going: Going,
}

enum Going {
    /// `None` before the first table.
    Sums(Option<Box<Part>>),
    Features(Box<Summing>),
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
    /// [`ErrorKind::Request`] for a learner that needs the rows themselves, or an option that does;
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
            return Err(cannot_be_summed(what, &remedy));
        }
        let plan = Plan {
            learner: learner.name().to_owned(),
            params: learner.to_json(),
            target: target.to_owned(),
            task,
            ignore: options.except.clone(),
            scale: options.scale,
            imputed: options.suited(&learner.needs()).missing != Missing::Keep,
            bounds: options.bounds.clone(),
        };
        let (format, version) = (file::FORMAT.to_owned(), file::VERSION);
        Ok(Partial { format, version, plan, units: None, parts: BTreeMap::new() })
    }

    /// Sums over features of the rows in the units that the sums of all parts give, for a learner
    /// that needs such sums ([`NextPass::Features`]). Nothing of the sums becomes a part. A part
    /// whose name they have must have as many rows.
    ///
    /// # Errors
    /// [`ErrorKind::OtherPlan`] for sums of another fit; [`ErrorKind::BadFile`] for a partial that is in
    /// units itself or has parts, or a learner that learns from the sums alone;
    /// [`ErrorKind::Request`] for a learner that learns in a stream; classes that the learner cannot
    /// learn.
    pub fn in_units(self, sums: &Partial) -> Result<Partial> {
        let PassSetup { units, .. } = self.prepared(sums, InParts::Features)?;
        Ok(Partial { units: Some(units), ..self })
    }

    /// Begins a stream of all rows in the units that the sums of all parts give, for a learner that
    /// learns from each row once ([`NextPass::Stream`]). The model is that of one pass over the rows,
    /// in the order in which they come.
    ///
    /// # Errors
    /// As [`Partial::in_units`], for learners that learn otherwise; as [`Learner::fit`] before the
    /// first row.
    pub fn stream(&self, sums: &Partial) -> Result<RowStream> {
        let prepared = self.prepared(sums, InParts::Stream)?;
        RowStream::new(&self.plan, prepared, sums.rows())
    }

    /// Prepares for a pass in the units of sums over all rows.
    fn prepared(&self, sums: &Partial, way: InParts) -> Result<PassSetup> {
        let not = |problem: String| -> Error {
            ErrorKind::BadFile { what: "partial", key: "units".to_owned(), problem }.into()
        };
        if sums.units.is_some() || !self.parts.is_empty() || self.units.is_some() {
            let problem =
                "units are given by sums that were made without any, and before the first part";
            return Err(not(problem.to_owned()));
        }
        self.same(sums)?;
        let (learner, all) = (self.learner()?, sums.all()?);
        let needs = learner.needs();
        let table = Summed::new(&self.plan, &all, &needs)?;
        let classes = table.outputs.labels.len();
        registry::check_classes(&*learner, classes)?;
        match learner.in_parts(classes) {
            Some(own) if own == way => {}
            Some(InParts::Moments(_)) => {
                let problem = format!("{} learns from the sums alone: merge them", learner.name());
                return Err(not(problem));
            }
            Some(InParts::Features) => {
                let name = learner.name();
                return Err(not(format!(
                    "{name} makes sums once more: name their file by --partial"
                )));
            }
            Some(InParts::Stream) | None => return Err(needs_rows(&*learner, classes)),
        }
        if !needs.chooses() {
            table.check_holes(&needs)?;
        }
        let rows = sums.parts.iter().map(|(name, held)| (name.clone(), held.rows())).collect();
        let filled = table.filled();
        let Summed { prepare, outputs, bounds, .. } = table;
        let units = Units { prepare, task: outputs.task, classes: outputs.labels, rows };
        Ok(PassSetup { units, bounds, filled })
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
        let start = |units| Summing::new(&*self.learner()?, units);
        let going = match &self.units {
            None => Going::Sums(None),
            Some(units) => {
                Going::Features(Box::new(start(units).map_err(|error| in_part(part, error))?))
            }
        };
        let (of, name) = (self.emptied(), part.to_owned());
        Ok(Absorbing { of, name, before: 0, held: self.bytes(), going })
    }

    /// Returns the number of bytes of all parts.
    fn bytes(&self) -> f64 {
        let of = |sums: &Sums| Sums::bytes(sums.width(), sums.has_holes());
        self.parts.values().map(|held| of(held.sums())).sum()
    }

    /// Takes up a part.
    ///
    /// # Errors
    /// [`ErrorKind::InPart`] if it was absorbed before, or has no table.
    pub fn end(&mut self, absorbing: Absorbing) -> Result<()> {
        let Absorbing { of, name, going, .. } = absorbing;
        self.is_new(&name)?;
        self.same(&of)?;
        let held = match going {
            Going::Sums(part) => part.map(Held::Sums),
            Going::Features(sums) => Some(Held::Features(Box::new(sums.end()))),
        };
        let held = held.ok_or_else(|| {
            in_part(
                &name,
                ErrorKind::Table("there is nothing in it; leave it out".to_owned()).into(),
            )
        })?;
        self.check_suits(&name, &held)?;
        self.parts.insert(name, held);
        Ok(())
    }

    /// Takes up all parts of another.
    ///
    /// # Errors
    /// [`ErrorKind::OtherPlan`] if the other is of another learner, parameter or declaration;
    /// [`ErrorKind::InPart`] if a part is in both. Nothing is taken up then.
    pub fn merge(&mut self, other: Partial) -> Result<()> {
        self.same(&other)?;
        for (name, held) in &other.parts {
            self.is_new(name)?;
            self.check_suits(name, held)?;
        }
        self.parts.extend(other.parts);
        Ok(())
    }

    /// Refuses a part whose columns are not those of the parts before, that has another number of
    /// rows than in the pass before, or that shows what [`Partial::finish`] would refuse: classes of
    /// which the learner needs the rows, or too many for it.
    fn check_suits(&self, name: &str, held: &Held) -> Result<()> {
        let check = || match (held, &self.units) {
            (Held::Sums(part), _) => {
                self.check_classes(part)?;
                let first = self.sums().next();
                first.map_or(Ok(()), |(_, first)| first.check_like(part))
            }
            (Held::Features(of), units) => {
                let before = units.as_ref().and_then(|units| units.rows.get(name).copied());
                let (before, now) = (before.unwrap_or(of.sums.rows()), of.sums.rows());
                match before == now {
                    true => Ok(()),
                    false => Err(changed(before, now)),
                }
            }
        };
        check().map_err(|error| in_part(name, error))
    }

    fn check_classes(&self, part: &Part) -> Result<()> {
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

    fn is_new(&self, part: &str) -> Result<()> {
        match self.parts.contains_key(part) {
            true => Err(in_part(part, twice())),
            false => Ok(()),
        }
    }

    /// Refuses parts of another fit than these, or in other units.
    fn same(&self, other: &Partial) -> Result<()> {
        let differ = |what: &str, [own, theirs]: [String; 2]| {
            Err(ErrorKind::OtherPlan { what: what.to_owned(), own, theirs }.into())
        };
        let both = [self, other];
        let plans = both.map(|of| serde_json::to_value(&of.plan).unwrap_or_default());
        let [serde_json::Value::Object(own), serde_json::Value::Object(theirs)] = &plans else {
            return Ok(());
        };
        for ((what, own), theirs) in own.iter().zip(theirs.values()) {
            if own != theirs {
                return differ(what, [own, theirs].map(ToString::to_string));
            }
        }
        if self.units != other.units {
            let named = |of: &Partial| match &of.units {
                None => "none".to_owned(),
                Some(units) => format!("{:016x}", digest(units).unwrap_or_default()),
            };
            return differ("units", both.map(named));
        }
        Ok(())
    }

    /// Returns the same without a part.
    #[must_use]
    pub fn emptied(&self) -> Partial {
        let (format, version) = (self.format.clone(), self.version);
        let (plan, units) = (self.plan.clone(), self.units.clone());
        Partial { format, version, plan, units, parts: BTreeMap::new() }
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

    /// Returns what one more pass over the rows is for.
    pub fn next_pass(&self) -> NextPass {
        let way = |learner: Box<dyn Learner>| [0, 2].into_iter().find_map(|n| learner.in_parts(n));
        match self.learner().ok().and_then(way) {
            Some(InParts::Features) if self.units.is_none() => NextPass::Features,
            Some(InParts::Stream) => NextPass::Stream,
            _ => NextPass::None,
        }
    }
}

impl Absorbing {
    /// Adds a table, with the columns of those before, in any order.
    ///
    /// # Errors
    /// As [`Partial::absorb`]. The part is useless then.
    pub fn add(&mut self, table: &Table) -> Result<()> {
        let Absorbing { of: Partial { plan, .. }, name, before, held, going } = self;
        let mut add = || match going {
            Going::Sums(None) => {
                let mut part = Part::new(table, plan)?;
                part.add(table, plan, *held)?;
                *going = Going::Sums(Some(Box::new(part)));
                Ok(())
            }
            Going::Sums(Some(part)) => part.add(table, plan, *held),
            Going::Features(sums) => sums.add(plan, table, *held),
        };
        add().map_err(|error| in_part(name, further(&error, *before)))?;
        *before += table.rows();
        Ok(())
    }
}

/// Refuses sums, of which each part has its own, that do not fit into memory beside `held` bytes.
fn admit(learner: &str, width: usize, held: f64) -> Result<()> {
    let bytes = held + Sums::bytes(width, true) + Sums::adding(width);
    let remedy = "fewer columns, or merge fewer parts at a time";
    halfseen_core::memory::admit(learner, (0, width), bytes, remedy)
}

fn in_part(part: &str, error: Error) -> Error {
    ErrorKind::InPart { part: part.to_owned(), problem: Box::new(error.kind().clone()) }.into()
}

/// Returns an error about a row of a table with the row's number after those `before`.
fn further(error: &Error, before: usize) -> Error {
    let mut kind = error.kind().clone();
    if let ErrorKind::NotFinite { row, .. }
    | ErrorKind::TooLarge { row, .. }
    | ErrorKind::MissingCell { row, .. } = &mut kind
    {
        *row += before;
    }
    kind.into()
}
