//! Reads tables of the same columns into sums: numbers as they are, categories as indicators, which
//! are added as they are met.

use super::sums::Sums;
use crate::data::{Cell, Column, Place, Table};
use crate::error::{ErrorKind, Result};
use crate::prepare::in_range;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Number of rows that are added at a time.
const BLOCK: usize = 256;

/// Largest number of categories of a column.
pub(super) const CATEGORIES: usize = 1000;

/// Contents of an attribute, known once a value of it was observed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Holds {
    /// Nothing yet.
    Nothing,
    /// Numbers, in this column of the sums.
    Number(usize),
    /// Categories: the column of the sums of each.
    Categories(BTreeMap<String, usize>),
}

/// Values of the target, each once: all categories, or up to three numbers.
pub(super) enum Shown {
    Numbers(Vec<f64>),
    Texts(Vec<String>),
}

impl Shown {
    pub(super) fn len(&self) -> usize {
        match self {
            Shown::Numbers(numbers) => numbers.len(),
            Shown::Texts(texts) => texts.len(),
        }
    }
}

/// Sums of the rows of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Attributes in the order of the part's table, and the target as the last.
    pub(super) columns: Vec<(String, Holds)>,
    /// Up to three distinct numbers of the target.
    pub(super) distinct: Vec<f64>,
    /// True if all categories of the target were numbers.
    pub(super) numeric_labels: bool,
    /// Number of rows without a target, which are left out.
    pub(super) without_target: u64,
    pub(super) sums: Sums,
}

/// Roles of the columns of tables.
pub(super) struct Taking<'a> {
    pub(super) target: &'a str,
    /// Columns that are not attributes.
    pub(super) except: &'a [String],
    /// True if numbers of the target are class labels.
    pub(super) classes: bool,
}

impl Part {
    /// Starts a part with the columns of its first table.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`] for the target or a column that is left out;
    /// [`ErrorKind::NoAttributes`].
    pub(super) fn new(table: &Table, taking: &Taking<'_>) -> Result<Part> {
        for name in taking.except.iter().map(String::as_str).chain([taking.target]) {
            table.column(name)?;
        }
        let is_attribute = |name: &String| name != taking.target && !taking.except.contains(name);
        let names = table.columns().iter().map(|column| &column.name);
        let mut columns: Vec<(String, Holds)> = names
            .filter(|name| is_attribute(name))
            .map(|name| (name.clone(), Holds::Nothing))
            .collect();
        if columns.is_empty() {
            return Err(ErrorKind::NoAttributes.into());
        }
        columns.push((taking.target.to_owned(), Holds::Nothing));
        let (distinct, sums) = (Vec::new(), Sums::default());
        Ok(Part { columns, distinct, numeric_labels: true, without_target: 0, sums })
    }

    /// Returns the values of the target so far.
    pub(super) fn values_of_target(&self) -> Shown {
        let Holds::Categories(slots) = &self.columns[self.columns.len() - 1].1 else {
            return Shown::Numbers(self.distinct.clone());
        };
        let numbers: Option<Vec<f64>> = slots.keys().map(|text| text.parse().ok()).collect();
        match numbers.filter(|_| self.numeric_labels) {
            Some(numbers) => Shown::Numbers(numbers),
            None => Shown::Texts(slots.keys().cloned().collect()),
        }
    }

    /// Returns the number of classes so far; `None` for numbers.
    pub(super) fn classes(&self) -> Option<usize> {
        match &self.columns[self.columns.len() - 1].1 {
            Holds::Categories(slots) => Some(slots.len()),
            _ => None,
        }
    }

    /// Returns the largest number of columns of the sums after a table is added.
    pub(super) fn width_with(&self, table: &Table) -> usize {
        let held: HashMap<&str, &Holds> =
            self.columns.iter().map(|(name, holds)| (name.as_str(), holds)).collect();
        let new = table.columns().iter().map(|column| {
            let Place::Text(text) = column.place else { return 0 };
            let is_new = |level: &&String| match held.get(column.name.as_str()) {
                Some(Holds::Categories(slots)) => !slots.contains_key(*level),
                Some(_) => true,
                None => false,
            };
            table.text(text).levels.iter().filter(is_new).take(CATEGORIES).count()
        });
        self.sums.width().max(self.columns.len()) + new.sum::<usize>()
    }

    /// Adds the rows of a table with the same columns, in any order. Rows without a target are left
    /// out and counted.
    ///
    /// # Errors
    /// Another set of columns, numbers in a column of categories or the reverse, too many
    /// categories, a cell that is infinite or beyond 1e100. The part is useless then.
    pub(super) fn add(&mut self, table: &Table, taking: &Taking<'_>) -> Result<()> {
        let sources = self.sources(table, taking)?;
        let target = table.column(taking.target)?;
        let rows: Vec<usize> =
            (0..table.rows()).filter(|&row| table.cell(row, target) != Cell::Missing).collect();
        self.without_target += (table.rows() - rows.len()) as u64;
        self.admit(table, &rows, &sources, taking)?;
        let width = self.sums.width();
        let (mut block, mut row_of) =
            (Vec::with_capacity(BLOCK.min(rows.len()) * width), vec![0.0; width]);
        // The column of the sums of each level of a column of text of this table.
        let levels: Vec<Vec<usize>> = self.levels(table, &sources);
        let labels = self.labels();
        for rows in rows.chunks(BLOCK) {
            block.clear();
            for &row in rows {
                row_of.fill(0.0);
                for (((name, holds), source), levels) in
                    self.columns.iter().zip(&sources).zip(&levels)
                {
                    match holds {
                        Holds::Nothing => {}
                        Holds::Number(slot) => {
                            let value = number(table, source, row);
                            in_range(row, name, value)?;
                            row_of[*slot] = value;
                        }
                        Holds::Categories(slots) => {
                            let slot = match source.place {
                                Place::Text(text) => {
                                    levels.get(table.text(text).codes[row] as usize).copied()
                                }
                                _ => labels.get(&bits(number(table, source, row))).copied(),
                            };
                            match slot {
                                Some(slot) => row_of[slot] = 1.0,
                                None => slots.values().for_each(|&slot| row_of[slot] = f64::NAN),
                            }
                        }
                    }
                }
                block.extend_from_slice(&row_of);
            }
            self.sums.add(&mut block);
        }
        Ok(())
    }

    /// Returns the column of the table for each column of the part.
    fn sources<'t>(&self, table: &'t Table, taking: &Taking<'_>) -> Result<Vec<&'t Column>> {
        let found: HashMap<&str, &Column> =
            table.columns().iter().map(|column| (column.name.as_str(), column)).collect();
        let known: HashSet<&str> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let is_new =
            |name: &&str| !known.contains(name) && !taking.except.iter().any(|own| own == name);
        if let Some(name) = table.columns().iter().map(|column| column.name.as_str()).find(is_new) {
            return Err(ErrorKind::OtherColumns { name: name.to_owned(), is_more: true }.into());
        }
        let source = |(name, _): &(String, Holds)| {
            let lost = || ErrorKind::OtherColumns { name: name.clone(), is_more: false }.into();
            found.get(name.as_str()).copied().ok_or_else(lost)
        };
        self.columns.iter().map(source).collect()
    }

    /// Takes up the columns and categories that these rows show first.
    fn admit(
        &mut self,
        table: &Table,
        rows: &[usize],
        sources: &[&Column],
        taking: &Taking<'_>,
    ) -> Result<()> {
        for (at, source) in sources.iter().enumerate() {
            let is_target = at + 1 == self.columns.len();
            let as_classes = is_target && taking.classes;
            let mut numbers =
                rows.iter().map(|&row| number(table, source, row)).filter(|value| !value.is_nan());
            let shown: Vec<String> = match source.place {
                Place::Text(text) => {
                    let text = table.text(text);
                    let mut seen = vec![false; text.levels.len()];
                    rows.iter().for_each(|&row| {
                        seen.get_mut(text.codes[row] as usize)
                            .into_iter()
                            .for_each(|seen| *seen = true);
                    });
                    let levels = text.levels.iter().zip(seen);
                    levels.filter(|(_, seen)| *seen).map(|(level, _)| level.clone()).collect()
                }
                _ if as_classes => {
                    let mut all: Vec<f64> = numbers.map(|number| number + 0.0).collect();
                    all.sort_by(f64::total_cmp);
                    all.dedup();
                    all.iter().map(f64::to_string).collect()
                }
                _ => {
                    if is_target {
                        self.distinguish(numbers.by_ref());
                    }
                    let is_shown = is_target && !rows.is_empty() || numbers.next().is_some();
                    if is_shown {
                        self.hold_number(at)?;
                    }
                    continue;
                }
            };
            if is_target && matches!(source.place, Place::Text(_)) && !shown.is_empty() {
                self.numeric_labels = false;
            }
            self.hold_categories(at, shown)?;
        }
        Ok(())
    }

    /// Keeps up to three distinct numbers of the target.
    fn distinguish(&mut self, numbers: impl Iterator<Item = f64>) {
        for number in numbers {
            if self.distinct.len() < 3 && !self.distinct.contains(&number) {
                self.distinct.push(number);
            }
        }
        self.distinct.sort_by(f64::total_cmp);
    }

    /// Makes an attribute one of numbers.
    fn hold_number(&mut self, at: usize) -> Result<()> {
        match &self.columns[at].1 {
            Holds::Number(_) => Ok(()),
            Holds::Nothing => {
                self.columns[at].1 = Holds::Number(self.sums.width());
                self.sums.grow(None);
                Ok(())
            }
            Holds::Categories(_) => Err(self.kind(at, "categories", "numbers")),
        }
    }

    /// Takes up categories of an attribute.
    fn hold_categories(&mut self, at: usize, shown: Vec<String>) -> Result<()> {
        if shown.is_empty() {
            return Ok(());
        }
        if let Holds::Number(_) = self.columns[at].1 {
            return Err(self.kind(at, "numbers", "text"));
        }
        let mut slots = match std::mem::replace(&mut self.columns[at].1, Holds::Nothing) {
            Holds::Categories(slots) => slots,
            _ => BTreeMap::new(),
        };
        for category in shown {
            if slots.contains_key(&category) {
                continue;
            }
            let like = slots.values().next().copied();
            slots.insert(category, self.sums.width());
            self.sums.grow(like);
        }
        let (name, count) = (self.columns[at].0.clone(), slots.len());
        self.columns[at].1 = Holds::Categories(slots);
        if count > CATEGORIES {
            return Err(ErrorKind::TooManyCategories { column: name, most: CATEGORIES }.into());
        }
        Ok(())
    }

    fn kind(&self, at: usize, expected: &'static str, found: &'static str) -> crate::Error {
        ErrorKind::KindDiffers { column: self.columns[at].0.clone(), expected, found }.into()
    }

    /// Returns the column of the sums of each level of each column of text.
    fn levels(&self, table: &Table, sources: &[&Column]) -> Vec<Vec<usize>> {
        let of = |((_, holds), source): (&(String, Holds), &&Column)| match (holds, source.place) {
            (Holds::Categories(slots), Place::Text(text)) => {
                // Levels that no row of the table shows have no column, and are not looked up.
                let levels = table.text(text).levels.iter();
                levels.map(|level| slots.get(level).copied().unwrap_or(usize::MAX)).collect()
            }
            _ => Vec::new(),
        };
        self.columns.iter().zip(sources).map(of).collect()
    }

    /// Returns the column of the sums of each class, if classes are numbers.
    fn labels(&self) -> HashMap<u64, usize> {
        match &self.columns[self.columns.len() - 1].1 {
            Holds::Categories(slots) => {
                let number = |text: &String| text.parse().ok().map(bits);
                slots.iter().filter_map(|(text, slot)| Some((number(text)?, *slot))).collect()
            }
            _ => HashMap::new(),
        }
    }

    /// Refuses another set of columns, or other kinds of them, than another part has.
    pub(super) fn like(&self, other: &Part) -> Result<()> {
        let has = |part: &Part, name: &String| part.columns.iter().any(|(own, _)| own == name);
        for (part, of, is_more) in [(self, other, true), (other, self, false)] {
            if let Some((name, _)) = part.columns.iter().find(|(name, _)| !has(of, name)) {
                return Err(ErrorKind::OtherColumns { name: name.clone(), is_more }.into());
            }
        }
        for (at, (name, holds)) in self.columns.iter().enumerate() {
            let other = other.columns.iter().find(|(own, _)| own == name).map(|(_, holds)| holds);
            match (other, holds) {
                (Some(Holds::Number(_)), Holds::Categories(_)) => {
                    return Err(self.kind(at, "numbers", "text"));
                }
                (Some(Holds::Categories(_)), Holds::Number(_)) => {
                    return Err(self.kind(at, "categories", "numbers"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Adds the rows of another part.
    ///
    /// # Errors
    /// As [`Part::add`].
    pub(super) fn merge(&mut self, mut other: Part) -> Result<()> {
        self.like(&other)?;
        let mut order = Vec::new();
        for at in 0..self.columns.len() {
            let is_same = |(name, _): &(String, Holds)| *name == self.columns[at].0;
            let Some(from) = other.columns.iter().position(is_same) else { continue };
            match other.columns[from].1.clone() {
                Holds::Nothing => {}
                Holds::Number(_) => self.hold_number(at)?,
                Holds::Categories(slots) => {
                    self.hold_categories(at, slots.into_keys().collect())?;
                }
            }
            match &self.columns[at].1 {
                Holds::Nothing => {}
                Holds::Number(_) => other.hold_number(from)?,
                Holds::Categories(slots) => {
                    other.hold_categories(from, slots.keys().cloned().collect())?;
                }
            }
            order.push((at, from));
        }
        let mut slots = vec![0; self.sums.width()];
        for (at, from) in order {
            match (&self.columns[at].1, &other.columns[from].1) {
                (Holds::Number(slot), Holds::Number(theirs)) => slots[*slot] = *theirs,
                (Holds::Categories(own), Holds::Categories(theirs)) => {
                    own.iter()
                        .zip(theirs)
                        .for_each(|((_, slot), (_, theirs))| slots[*slot] = *theirs);
                }
                _ => {}
            }
        }
        self.sums.merge(other.sums, &slots);
        self.distinguish(other.distinct.into_iter());
        self.numeric_labels &= other.numeric_labels;
        self.without_target = self.without_target.saturating_add(other.without_target);
        Ok(())
    }

    /// Refuses columns of a file that contradict its sums.
    pub(super) fn check(&self) -> std::result::Result<(), &'static str> {
        let mut seen = vec![false; self.sums.width()];
        for (_, holds) in &self.columns {
            let slots: Vec<usize> = match holds {
                Holds::Nothing => Vec::new(),
                Holds::Number(slot) => vec![*slot],
                Holds::Categories(slots) => slots.values().copied().collect(),
            };
            for slot in slots {
                match seen.get_mut(slot) {
                    Some(seen) if !*seen => *seen = true,
                    _ => return Err("its columns and its sums contradict each other"),
                }
            }
        }
        if let (true, Some((_, Holds::Categories(slots)))) =
            (self.numeric_labels, self.columns.last())
        {
            let is_number =
                |text: &String| text.parse().is_ok_and(|number: f64| number.to_string() == *text);
            if !slots.keys().all(is_number) {
                return Err("a class is not a number");
            }
        }
        let few = self.columns.len() < 2 || self.distinct.len() > 3;
        if few || !seen.iter().all(|seen| *seen) {
            return Err("its columns and its sums contradict each other");
        }
        Ok(())
    }
}

/// Returns the bits of a number, those of 0 also for -0.
fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Returns a number of a table, NaN if it is missing or text.
fn number(table: &Table, column: &Column, row: usize) -> f64 {
    match table.cell(row, column) {
        Cell::Number(number) => number,
        _ => f64::NAN,
    }
}
