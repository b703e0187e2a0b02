//! Records the attributes of a table: names, kinds, categories, groups read together, what is known.

use super::Layout;
use crate::data::{Cell, Place, Table};
use crate::error::{ErrorKind, Result, nearest};
use serde::{Deserialize, Serialize};

/// The attributes that a model uses, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// One entry per attribute.
    pub columns: Vec<ColumnSchema>,
    /// Attributes that are measured together; one read gives them all.
    #[serde(default)]
    pub groups: Vec<Group>,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSchema {
    /// The name in the header.
    pub name: String,
    /// Number or category.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// Whether its value is known for every example without a read.
    #[serde(default)]
    pub known: bool,
}

/// What an attribute holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ColumnKind {
    /// A number: one encoded column.
    Number,
    /// A text: one indicator column per category, sorted by bytes. One panel.
    Text {
        /// The categories; the table's training rows showed these.
        categories: Vec<String>,
    },
}

/// Attributes measured together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// The panel's name.
    pub name: String,
    /// The attributes' names.
    pub columns: Vec<String>,
}

impl ColumnSchema {
    /// Number of encoded columns.
    pub fn width(&self) -> usize {
        match &self.kind {
            ColumnKind::Number => 1,
            ColumnKind::Text { categories } => categories.len(),
        }
    }

    /// Appends the encoded cell: the number, or the indicators of the category. A category that was
    /// not in training, like a missing cell, is missing: NaN in every column.
    ///
    /// # Errors
    /// [`ErrorKind::WrongKind`] for a number where text is meant, or the other way round.
    pub fn push(&self, cell: Cell<'_>, values: &mut Vec<f64>) -> Result<()> {
        let wrong = |expected, found| Err(ErrorKind::WrongKind { column: self.name.clone(), expected, found }.into());
        match (&self.kind, cell) {
            (_, Cell::Missing) => values.extend(std::iter::repeat_n(f64::NAN, self.width())),
            (ColumnKind::Number, Cell::Number(v)) => values.push(v),
            (ColumnKind::Number, Cell::Text(_)) => return wrong("numbers", "text"),
            (ColumnKind::Text { categories }, cell) => {
                let text = match cell {
                    Cell::Text(t) => t.to_owned(),
                    Cell::Number(v) => v.to_string(),
                    Cell::Missing => String::new(),
                };
                match categories.binary_search(&text) {
                    Ok(at) => values.extend((0..categories.len()).map(|c| f64::from(u8::from(c == at)))),
                    Err(_) => values.extend(std::iter::repeat_n(f64::NAN, categories.len())),
                }
            }
        }
        Ok(())
    }

    /// The names of its encoded columns.
    pub fn encoded_names(&self) -> Vec<String> {
        match &self.kind {
            ColumnKind::Number => vec![self.name.clone()],
            ColumnKind::Text { categories } => categories.iter().map(|c| format!("{}={c}", self.name)).collect(),
        }
    }
}

impl Schema {
    /// Takes the attributes of a table: every column but those in `except`, categories from `rows`.
    ///
    /// # Errors
    /// If nothing is left, or a name in `known` or in a group is no attribute.
    pub fn fit(table: &Table, rows: &[u32], except: &[&str], known: &[String], groups: Vec<Group>) -> Result<Schema> {
        let mut columns = Vec::new();
        for column in table.columns().iter().filter(|c| !except.contains(&c.name.as_str())) {
            let kind = match column.place {
                Place::Number(_) | Place::Apart(_) => ColumnKind::Number,
                Place::Text(at) => {
                    let text = table.text(at);
                    let mut seen = vec![false; text.levels.len()];
                    for &row in rows {
                        if let Some(level) = seen.get_mut(text.codes[row as usize] as usize) {
                            *level = true;
                        }
                    }
                    let used = text.levels.iter().zip(&seen).filter(|(_, seen)| **seen);
                    let mut categories: Vec<String> = used.map(|(level, _)| level.clone()).collect();
                    categories.sort_unstable();
                    ColumnKind::Text { categories }
                }
            };
            columns.push(ColumnSchema { name: column.name.clone(), kind, known: known.contains(&column.name) });
        }
        if columns.is_empty() {
            return Err(ErrorKind::NoAttributes.into());
        }
        let schema = Schema { columns, groups };
        let grouped = schema.groups.iter().flat_map(|g| &g.columns);
        for name in known.iter().chain(grouped) {
            schema.position(name)?;
        }
        Ok(schema)
    }

    /// The position of an attribute.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub fn position(&self, name: &str) -> Result<usize> {
        self.columns.iter().position(|c| c.name == name).ok_or_else(|| {
            let known: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
            let nearest = nearest(name, &known);
            ErrorKind::UnknownColumn { name: name.to_owned(), nearest, known }.into()
        })
    }

    /// Number of encoded columns.
    pub fn width(&self) -> usize {
        self.columns.iter().map(ColumnSchema::width).sum()
    }

    /// The first encoded column of an attribute.
    pub fn first_column(&self, attribute: usize) -> usize {
        self.columns[..attribute].iter().map(ColumnSchema::width).sum()
    }

    /// The names of all encoded columns.
    pub fn encoded_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(ColumnSchema::encoded_names).collect()
    }

    /// Refuses what only a damaged file holds: two columns of one name, categories out of order.
    fn check(&self) -> Result<()> {
        let mut names = std::collections::HashSet::new();
        for column in &self.columns {
            let sorted = match &column.kind {
                ColumnKind::Text { categories } => categories.windows(2).all(|w| w[0] < w[1]),
                ColumnKind::Number => true,
            };
            let problem = match (names.insert(column.name.as_str()), sorted) {
                (true, true) => continue,
                (false, _) => "there are two columns of this name",
                (true, false) => "its categories are not sorted, or one is there twice",
            };
            return Err(ErrorKind::BadFile { what: "schema", key: column.name.clone(), problem: problem.into() }.into());
        }
        Ok(())
    }

    /// Which encoded columns are read together, and which are always known.
    ///
    /// # Errors
    /// If an attribute is in two groups, or in a group and always known.
    pub fn layout(&self) -> Result<Layout> {
        self.check()?;
        let mut starts = Vec::with_capacity(self.columns.len());
        let mut next = 0_u32;
        for column in &self.columns {
            starts.push(next);
            next += column.width() as u32;
        }
        let range = |a: usize| starts[a]..starts[a] + self.columns[a].width() as u32;
        let mut grouped = vec![false; self.columns.len()];
        let mut builder = Layout::builder(next as usize);
        for group in &self.groups {
            let mut columns = Vec::new();
            for name in &group.columns {
                let at = self.position(name)?;
                if grouped[at] || self.columns[at].known {
                    let problem = "it is in two groups, or in a group and always known".to_owned();
                    return Err(ErrorKind::BadFile { what: "schema", key: name.clone(), problem }.into());
                }
                grouped[at] = true;
                columns.extend(range(at));
            }
            builder.sampled(&group.name, columns);
        }
        for (at, column) in self.columns.iter().enumerate().filter(|(at, _)| !grouped[*at]) {
            if column.known {
                builder.known(&column.name, range(at).collect());
            } else {
                builder.sampled(&column.name, range(at).collect());
            }
        }
        builder.finish()
    }
}
