//! Turns a target column into a task: regression or classification.

use super::{Cell, Table};
use crate::error::{Error, ErrorKind, Result, short};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Larger targets are refused, so that their squares stay finite.
const LARGEST: f64 = 1e100;

/// Kind of prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// The target is a number.
    Regression,
    /// The target is one of several classes.
    Classification,
}

impl Task {
    /// Returns the task of a target column by its distinct values: `task`, or without one
    /// classification of text and of exactly two distinct numbers.
    ///
    /// # Errors
    /// [`ErrorKind::Table`] if it is constant; text where `task` is regression.
    pub fn of(name: &str, labels: &[Label], task: Option<Task>) -> Result<Task> {
        let [first, _, ..] = labels else {
            let value = labels.first().map_or(String::new(), Label::to_string);
            let problem = format!(
                "target column '{}' is constant (every value is {}); there is nothing to learn",
                short(name),
                short(&value)
            );
            return Err(ErrorKind::Table(problem).into());
        };
        let is_text = matches!(first, Label::Text(_));
        match task {
            Some(Task::Regression) if is_text => {
                let problem =
                    "it holds text, so regression is not possible; use --task classification";
                let column = name.to_owned();
                Err(ErrorKind::WrongTarget { column, problem: problem.to_owned() }.into())
            }
            None if is_text || labels.len() == 2 => Ok(Task::Classification),
            task => Ok(task.unwrap_or(Task::Regression)),
        }
    }
}

/// The original label of a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Label {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Label::Number(n) => n.fmt(f),
            Label::Text(t) => f.write_str(t),
        }
    }
}

/// The target of every row of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// Numbers.
    Numbers(Vec<f64>),
    /// The class index of each row; classes are sorted (numbers numerically, texts by bytes).
    Classes {
        /// The labels, sorted.
        classes: Vec<Label>,
        /// For each row an index into `classes`.
        codes: Vec<u32>,
    },
}

impl Target {
    /// Reads the target column of a table.
    ///
    /// With `task` of `None`, text and exactly two distinct numbers are classification.
    ///
    /// # Errors
    /// If the column is unknown, has missing or infinite cells, is constant, or has text where
    /// `task` is regression.
    pub fn read(table: &Table, name: &str, task: Option<Task>) -> Result<Target> {
        let column = table.column(name)?;
        let wrong = |problem: String| ErrorKind::WrongTarget { column: name.to_owned(), problem };
        let cells: Vec<Cell<'_>> = (0..table.rows()).map(|r| table.cell(r, column)).collect();
        let missing = cells.iter().filter(|c| **c == Cell::Missing).count();
        if let Some(first) = cells.iter().position(|c| *c == Cell::Missing) {
            return Err(missing_target(name, first + 1, missing));
        }
        let infinite = |(row, c): (usize, &Cell<'_>)| match c {
            Cell::Number(v) if v.is_infinite() => Some((row, *v)),
            _ => None,
        };
        if let Some((row, value)) = cells.iter().enumerate().find_map(infinite) {
            return Err(
                ErrorKind::NotFinite { row: row + 1, column: name.to_owned(), value }.into()
            );
        }
        let large = |(row, c): (usize, &Cell<'_>)| match c {
            Cell::Number(v) if v.abs() > LARGEST => Some((row, *v)),
            _ => None,
        };
        if let Some((row, value)) = cells.iter().enumerate().find_map(large) {
            return Err(ErrorKind::TooLarge { row: row + 1, column: name.to_owned(), value }.into());
        }
        if cells.len() < 2 {
            return Err(ErrorKind::TooFewRows {
                what: "learning".into(),
                least: 2,
                rows: cells.len(),
            }
            .into());
        }
        let labels = distinct(&cells);
        match Task::of(name, &labels, task)? {
            Task::Regression => {
                let number = |c: &Cell<'_>| if let Cell::Number(v) = c { *v } else { f64::NAN };
                Ok(Target::Numbers(cells.iter().map(number).collect()))
            }
            Task::Classification if labels.len() > 1000.max(cells.len() / 2) => {
                Err(wrong(format!(
                    "it has {} distinct values, too many for classes; use --task regression",
                    labels.len()
                ))
                .into())
            }
            Task::Classification => {
                let codes = cells.iter().map(|c| code(&labels, c)).collect();
                Ok(Target::Classes { classes: labels, codes })
            }
        }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        match self {
            Target::Numbers(values) => values.len(),
            Target::Classes { codes, .. } => codes.len(),
        }
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the task.
    pub fn task(&self) -> Task {
        match self {
            Target::Numbers(_) => Task::Regression,
            Target::Classes { .. } => Task::Classification,
        }
    }

    /// Returns the classes, sorted; none for regression.
    pub fn classes(&self) -> &[Label] {
        match self {
            Target::Numbers(_) => &[],
            Target::Classes { classes, .. } => classes,
        }
    }

    /// Returns one number per row for learners of scores: the values themselves, or -1 for the
    /// first and +1 for the second of two classes.
    ///
    /// # Errors
    /// [`ErrorKind::WrongTarget`] for more than two classes.
    pub fn scores(&self) -> Result<Vec<f64>> {
        match self {
            Target::Numbers(values) => Ok(values.clone()),
            Target::Classes { classes, codes } if classes.len() == 2 => {
                Ok(codes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect())
            }
            Target::Classes { classes, .. } => Err(ErrorKind::WrongTarget {
                column: "target".into(),
                problem: format!(
                    "it has {} classes ({}), but this learner is a binary classifier; choose two of them (in the program --classes A,B)",
                    classes.len(),
                    crate::error::list(&classes.iter().map(Label::to_string).collect::<Vec<_>>())
                ),
            }
            .into()),
        }
    }

    /// Returns the targets of the rows of `keep`, in that order.
    pub fn select_rows(&self, keep: &[usize]) -> Target {
        match self {
            Target::Numbers(values) => Target::Numbers(keep.iter().map(|&r| values[r]).collect()),
            Target::Classes { classes, codes } => Target::Classes {
                classes: classes.clone(),
                codes: keep.iter().map(|&r| codes[r]).collect(),
            },
        }
    }
}

/// Returns the distinct labels, sorted: numbers numerically, texts by their bytes.
fn distinct(cells: &[Cell<'_>]) -> Vec<Label> {
    let mut numbers: Vec<f64> = cells
        .iter()
        .filter_map(|c| if let Cell::Number(v) = c { Some(*v + 0.0) } else { None })
        .collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup();
    let mut texts: Vec<&str> =
        cells.iter().filter_map(|c| if let Cell::Text(t) = c { Some(*t) } else { None }).collect();
    texts.sort_unstable();
    texts.dedup();
    let numbers = numbers.into_iter().map(Label::Number);
    numbers.chain(texts.into_iter().map(|t| Label::Text(t.to_owned()))).collect()
}

fn code(labels: &[Label], cell: &Cell<'_>) -> u32 {
    let code = match cell {
        Cell::Number(v) => labels.binary_search_by(|l| match l {
            Label::Number(n) => n.total_cmp(&(v + 0.0)),
            Label::Text(_) => std::cmp::Ordering::Greater,
        }),
        Cell::Text(t) => labels.binary_search_by(|l| match l {
            Label::Number(_) => std::cmp::Ordering::Less,
            Label::Text(n) => n.as_str().cmp(t),
        }),
        Cell::Missing => Err(0),
    };
    code.unwrap_or(usize::MAX) as u32
}

/// Refuses a target that is missing in `count` rows, of which one is the first.
pub fn missing_target(column: &str, first: usize, count: usize) -> Error {
    let problem = format!(
        "target column '{}' is missing in {count} rows (first: row {first}); remove those rows",
        short(column)
    );
    ErrorKind::Table(problem).into()
}
