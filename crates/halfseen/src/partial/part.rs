//! Reads tables of the same columns into sums: numbers as they are, categories as indicators, which
//! are added as they are met.

use super::sums::{Source, Sums};
use super::{Plan, admit};
use crate::data::{Cell, Column, Label, Table, Task};
use crate::error::{Error, ErrorKind, Result, short};
use crate::prepare::{ColumnKind, ColumnSchema, Schema};
use halfseen_core::prepare::in_range;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// Number of rows that are added at a time.
const BLOCK: usize = 256;

/// Largest number of categories of a column.
const CATEGORIES: usize = 1000;

/// Sums over the encoded rows of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// Attributes in the order of the part's first table, and the target as the last. One without a
    /// value so far is a number.
    columns: Vec<ColumnSchema>,
    /// Up to three distinct numbers of the target.
    distinct: Vec<f64>,
    /// True if all categories of the target were numbers.
    numeric_labels: bool,
    /// Number of rows without a target, which are left out.
    pub(super) without_target: u64,
    pub(super) sums: Sums,
}

impl Part {
    /// Starts a part with the columns of its first table.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`] for the target or a column that is left out;
    /// [`ErrorKind::NoAttributes`].
    pub(super) fn new(table: &Table, plan: &Plan) -> Result<Part> {
        plan.ignore.iter().try_for_each(|name| table.column(name).map(drop))?;
        let columns = shown(table, &[], plan)?;
        let (distinct, sums) = (Vec::new(), Sums::new(width(&columns)));
        Ok(Part { columns, distinct, numeric_labels: true, without_target: 0, sums })
    }

    /// Returns the schema of the attributes.
    pub(super) fn schema(&self) -> Schema {
        Schema::of(self.columns[..self.columns.len() - 1].to_vec())
    }

    /// Returns the target's column.
    pub(super) fn target(&self) -> &ColumnSchema {
        &self.columns[self.columns.len() - 1]
    }

    /// Returns the distinct values of the target so far, sorted: all categories, or up to three
    /// numbers.
    pub(super) fn labels(&self) -> Vec<Label> {
        let ColumnKind::Text { categories } = &self.target().kind else {
            return self.distinct.iter().map(|&number| Label::Number(number)).collect();
        };
        let numbers: Option<Vec<f64>> = categories.iter().map(|text| text.parse().ok()).collect();
        let Some(mut numbers) = numbers.filter(|_| self.numeric_labels) else {
            return categories.iter().map(|text| Label::Text(text.clone())).collect();
        };
        numbers.sort_by(f64::total_cmp);
        numbers.into_iter().map(Label::Number).collect()
    }

    /// Returns the number of classes so far; `None` for numbers.
    pub(super) fn classes(&self) -> Option<usize> {
        match &self.target().kind {
            ColumnKind::Text { categories } => Some(categories.len()),
            ColumnKind::Number => None,
        }
    }

    /// Adds the rows of a table with the same columns, in any order, beside `held` bytes. Rows
    /// without a target are left out and counted.
    ///
    /// # Errors
    /// Another set of columns, numbers in a column of categories or the reverse, too many
    /// categories, a cell that is infinite or beyond 1e100. The part is useless then.
    pub(super) fn add(&mut self, table: &Table, plan: &Plan, held: f64) -> Result<()> {
        let target = table.column(&plan.target)?;
        let rows = with_target(table, target);
        self.without_target += (table.rows() - rows.len()) as u64;
        let more = shown(table, &rows, plan)?;
        let is_empty = |column: &Column| rows.iter().all(|&row| is_missing(table, row, column));
        let has_value = |name: &str| table.column(name).is_ok_and(|column| !is_empty(column));
        let columns = self.united(&more, has_value)?;
        let most = columns.iter().map(|column| column.width().min(CATEGORIES)).sum();
        admit(&plan.learner, most, held)?;
        check_categories(&columns)?;
        self.look_at_target(table, target, &rows);
        if columns != self.columns {
            (self.sums, self.columns) = (self.spread(&columns), columns);
        }
        let sources = self.columns.iter().map(|column| table.column(&column.name));
        let sources: Vec<&Column> = sources.collect::<Result<_>>()?;
        let mut block = Vec::with_capacity(BLOCK.min(rows.len()) * self.sums.width());
        for rows in rows.chunks(BLOCK) {
            block.clear();
            for &row in rows {
                for (column, source) in self.columns.iter().zip(&sources) {
                    let cell = table.cell(row as usize, source);
                    if let (ColumnKind::Number, Cell::Number(number)) = (&column.kind, cell) {
                        in_range(row as usize, &column.name, number)?;
                    }
                    column.push(cell, &mut block)?;
                }
            }
            self.sums.add(&mut block);
        }
        Ok(())
    }

    /// Keeps up to three distinct numbers of the target, and notes if it is text.
    fn look_at_target(&mut self, table: &Table, target: &Column, rows: &[u32]) {
        for &row in rows {
            match table.cell(row as usize, target) {
                Cell::Number(number) => self.distinguish(number),
                Cell::Text(_) => self.numeric_labels = false,
                Cell::Missing => {}
            }
        }
    }

    fn distinguish(&mut self, number: f64) {
        if self.distinct.len() < 3 && !self.distinct.contains(&number) {
            self.distinct.push(number);
            self.distinct.sort_by(f64::total_cmp);
        }
    }

    /// Returns true if the column of this name has a value.
    fn has_value(&self, name: &str) -> bool {
        let place = places(&self.columns).remove(name);
        place.is_some_and(|(_, first)| self.sums.range(first).is_some())
    }

    /// Returns these columns with the categories of others. Columns without a value take the
    /// other's kind; `has_value` says of the others which have one.
    ///
    /// # Errors
    /// Another set of columns, another kind.
    fn united(
        &self,
        others: &[ColumnSchema],
        has_value: impl Fn(&str) -> bool,
    ) -> Result<Vec<ColumnSchema>> {
        let places = places(others);
        check_names(
            self.columns.iter().map(|column| column.name.as_str()),
            others.iter().map(|column| column.name.as_str()),
        )?;
        let unite = |own: &ColumnSchema| {
            let (name, other) = (own.name.as_str(), places.get(own.name.as_str()));
            let kind = match (&own.kind, other.map_or(&own.kind, |(other, _)| &other.kind)) {
                (ColumnKind::Number, ColumnKind::Number) => ColumnKind::Number,
                (ColumnKind::Text { categories: own }, ColumnKind::Text { categories: more }) => {
                    let mut categories = [&own[..], &more[..]].concat();
                    categories.sort_unstable();
                    categories.dedup();
                    ColumnKind::Text { categories }
                }
                (ColumnKind::Number, text) if !self.has_value(name) => text.clone(),
                (text, ColumnKind::Number) if !has_value(name) => text.clone(),
                (ColumnKind::Number, _) => return Err(kind_differs(name, "numbers", "text")),
                (_, ColumnKind::Number) => return Err(kind_differs(name, "categories", "numbers")),
            };
            Ok(ColumnSchema { kind, ..own.clone() })
        };
        self.columns.iter().map(unite).collect()
    }

    /// Refuses another part whose columns are not these.
    pub(super) fn check_like(&self, other: &Part) -> Result<()> {
        check_categories(&self.united(&other.columns, |name| other.has_value(name))?)
    }

    /// Returns the sums over columns of the same names that have these categories and more.
    fn spread(&self, columns: &[ColumnSchema]) -> Sums {
        let places = places(&self.columns);
        let mut sources = Vec::with_capacity(width(columns));
        for column in columns {
            let Some(&(own, first)) = places.get(column.name.as_str()) else {
                sources.extend((0..column.width()).map(|_| Source::Missing));
                continue;
            };
            match (&own.kind, &column.kind) {
                (ColumnKind::Text { categories: own }, ColumnKind::Text { categories })
                    if !own.is_empty() =>
                {
                    sources.extend(categories.iter().map(|category| {
                        let at = own.binary_search(category);
                        at.map_or(Source::Zero(first), |at| Source::Column(first + at))
                    }));
                }
                (ColumnKind::Number, ColumnKind::Number) => {
                    sources.extend((first..first + own.width()).map(Source::Column));
                }
                _ => sources.extend((0..column.width()).map(|_| Source::Missing)),
            }
        }
        self.sums.spread(&sources)
    }

    /// Adds the rows of another part.
    ///
    /// # Errors
    /// As [`Part::add`].
    pub(super) fn merge(&mut self, other: &Part) -> Result<()> {
        let columns = self.united(&other.columns, |name| other.has_value(name))?;
        check_categories(&columns)?;
        self.sums = self.spread(&columns);
        self.sums.merge(&other.spread(&columns));
        self.columns = columns;
        other.distinct.iter().for_each(|&number| self.distinguish(number));
        self.numeric_labels &= other.numeric_labels;
        self.without_target = self.without_target.saturating_add(other.without_target);
        Ok(())
    }

    /// Refuses columns of a file that contradict its sums.
    pub(super) fn check(&self) -> std::result::Result<(), String> {
        let contradict = || "its columns and its sums contradict each other".to_owned();
        Schema::of(self.columns.clone()).layout().map_err(|error| error.to_string())?;
        let is_sound = self.columns.len() > 1
            && self.distinct.len() <= 3
            && self.distinct.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_sound || width(&self.columns) != self.sums.width() {
            return Err(contradict());
        }
        let is_plain = |column: &ColumnSchema| {
            column.knots.is_empty() && column.date.is_none() && column.width() > 0
        };
        if !self.columns.iter().all(is_plain) {
            return Err("a column has knots, dates, or no category".to_owned());
        }
        if let (true, ColumnKind::Text { categories }) = (self.numeric_labels, &self.target().kind)
        {
            let is_number = |text: &String| {
                let number: Option<f64> = text.parse().ok();
                number.is_some_and(|number| number.is_finite() && number.to_string() == *text)
            };
            if !categories.iter().all(is_number) {
                return Err("a class is not a number".to_owned());
            }
        }
        Ok(())
    }
}

/// Returns the rows that have a target.
pub(super) fn with_target(table: &Table, target: &Column) -> Vec<u32> {
    (0..table.rows() as u32).filter(|&row| !is_missing(table, row, target)).collect()
}

fn is_missing(table: &Table, row: u32, column: &Column) -> bool {
    table.cell(row as usize, column) == Cell::Missing
}

/// Refuses other names than those before.
pub(super) fn check_names<'n>(
    before: impl Iterator<Item = &'n str> + Clone,
    now: impl Iterator<Item = &'n str> + Clone,
) -> Result<()> {
    let refusal = |name: &str, is_more| {
        Err(ErrorKind::OtherColumns { name: name.to_owned(), is_more }.into())
    };
    let known: HashSet<&str> = before.clone().collect();
    if let Some(name) = now.clone().find(|name| !known.contains(name)) {
        return refusal(name, true);
    }
    let names: HashSet<&str> = now.collect();
    before.clone().find(|name| !names.contains(name)).map_or(Ok(()), |name| refusal(name, false))
}

fn check_categories(columns: &[ColumnSchema]) -> Result<()> {
    match columns.iter().find(|column| column.width() > CATEGORIES) {
        Some(column) => {
            let column = column.name.clone();
            let problem = format!(
                "column '{}' has more than {CATEGORIES} categories, and each is a column of the sums; leave it out by --ignore, or put \
                 categories together",
                short(&column)
            );
            Err(ErrorKind::Table(problem).into())
        }
        None => Ok(()),
    }
}

/// Returns what some rows of a table show of its attributes and, as the last, of its target.
fn shown(table: &Table, rows: &[u32], plan: &Plan) -> Result<Vec<ColumnSchema>> {
    let place = table.column(&plan.target)?;
    let except: Vec<&str> = plan.ignore.iter().map(String::as_str).collect();
    let schema = Schema::fit(table, rows, &except, &[], Vec::new())?;
    let at = schema.position(&plan.target)?;
    let mut columns = schema.columns;
    if columns.len() == 1 {
        return Err(ErrorKind::NoAttributes.into());
    }
    // The target becomes the last.
    columns[at..].rotate_left(1);
    let target = columns.len() - 1;
    if plan.task == Some(Task::Classification) && columns[target].kind == ColumnKind::Number {
        // Numbers that are labels.
        let text = |&row: &u32| match table.cell(row as usize, place) {
            Cell::Number(number) => Some((number + 0.0).to_string()),
            _ => None,
        };
        let mut categories: Vec<String> = rows.iter().filter_map(text).collect();
        categories.sort_unstable();
        categories.dedup();
        columns[target].kind = ColumnKind::Text { categories };
    }
    for column in &mut columns {
        if column.width() == 0 {
            column.kind = ColumnKind::Number;
        }
    }
    Ok(columns)
}

fn width(columns: &[ColumnSchema]) -> usize {
    columns.iter().map(ColumnSchema::width).sum()
}

/// Returns each column by its name, with its first encoded column.
fn places(columns: &[ColumnSchema]) -> HashMap<&str, (&ColumnSchema, usize)> {
    let mut first = 0;
    let place = |column| {
        let here = first;
        first += ColumnSchema::width(column);
        (column.name.as_str(), (column, here))
    };
    columns.iter().map(place).collect()
}

fn kind_differs(column: &str, expected: &'static str, found: &'static str) -> Error {
    ErrorKind::KindDiffers { column: column.to_owned(), expected, found }.into()
}
