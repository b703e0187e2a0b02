//! Records the attributes of a table: names, kinds, categories, groups, and which are known.

use crate::data::{
    Cell, DATE_FORMS, FEWEST_KNOTS, KNOTS, Layout, Place, Table, days_since_1970, hat, hats,
};
use crate::error::{Error, ErrorKind, Result, nearest, short, shown};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};

/// Largest absolute value of a cell; squares of larger ones leave the range of doubles.
pub(super) const LARGEST: f64 = 1e100;

/// The attributes that a model uses, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schema {
    /// One entry per attribute.
    pub columns: Vec<ColumnSchema>,
    /// Attributes that are measured together; one read gives all of a group.
    pub groups: Vec<Group>,
    /// Price of a read of an attribute, or of a group by its name; default 1.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, f64>,
    /// True if nobody declared the range of the values: learners that choose their reads then scale
    /// by them; see [`Layout::by_reads`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_reads: bool,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnSchema {
    /// Name in the header.
    pub name: String,
    /// Number or category.
    #[serde(flatten)]
    pub kind: ColumnKind,
    /// True if its value is known for every example without a read.
    pub known: bool,
    /// For a number that tables write as a date: the date's form, one of
    /// [`DATE_FORMS`](crate::data::DATE_FORMS). The number is the days since 1970-01-01.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// For a number with a [`Basis`](crate::data::Basis): 3 to 6 increasing knots. The column of the
    /// number is followed by a hat function of it for each inner knot, all in one panel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub knots: Vec<f64>,
}

/// Kind of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum ColumnKind {
    /// A number: one encoded column, and one for each hat function.
    Number,
    /// A text: one indicator column per category, sorted by bytes; one panel.
    Text {
        /// The categories in the training rows.
        categories: Vec<String>,
    },
}

/// Attributes measured together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Group {
    /// Name of the panel.
    pub name: String,
    /// Names of the attributes.
    pub columns: Vec<String>,
}

impl Group {
    fn wrong(&self, problem: String) -> crate::Error {
        ErrorKind::WrongDeclaration { what: "columns", name: self.name.clone(), problem }.into()
    }
}

impl ColumnSchema {
    /// Returns a column that is read, without dates or knots.
    pub(crate) fn new(name: &str, kind: ColumnKind) -> ColumnSchema {
        let (name, known, date, knots) = (name.to_owned(), false, None, Vec::new());
        ColumnSchema { name, kind, known, date, knots }
    }

    /// Returns the number of encoded columns.
    pub fn width(&self) -> usize {
        match &self.kind {
            ColumnKind::Number => 1 + self.hats(),
            ColumnKind::Text { categories } => categories.len(),
        }
    }

    /// Returns true if there are no knots, or as many as there may be, of a number and increasing.
    fn has_knots(&self) -> bool {
        let sound = (FEWEST_KNOTS..=KNOTS).contains(&self.knots.len())
            && self.knots.iter().all(|knot| knot.abs() <= LARGEST)
            && self.knots.windows(2).all(|pair| pair[0] < pair[1]);
        self.knots.is_empty() || (sound && self.kind == ColumnKind::Number)
    }

    /// Returns the number of hat functions, which follow the number itself.
    pub fn hats(&self) -> usize {
        hats(&self.knots)
    }

    /// Appends the encoded cell: the number and its hat functions, or the indicators of the
    /// category. A missing cell, or a category that was not in training, is NaN in every column.
    ///
    /// # Errors
    /// [`ErrorKind::Table`] for a number instead of text, or the reverse.
    pub fn push(&self, cell: Cell<'_>, values: &mut Vec<f64>) -> Result<()> {
        let wrong = |expected, actual| Err(wrong_kind(&self.name, expected, actual));
        match (&self.kind, cell) {
            (_, Cell::Missing) => values.extend(std::iter::repeat_n(f64::NAN, self.width())),
            (ColumnKind::Number, Cell::Number(v)) => self.push_number(v, values),
            (ColumnKind::Number, Cell::Text(text)) => match &self.date {
                None => return wrong("numbers", "text"),
                Some(form) => {
                    self.push_number(days_since_1970(text, form).unwrap_or(f64::NAN), values);
                }
            },
            (ColumnKind::Text { categories }, cell) => {
                let at = category(categories, cell);
                let indicator = |c| at.map_or(f64::NAN, |at| f64::from(u8::from(c == at)));
                values.extend((0..categories.len()).map(indicator));
            }
        }
        Ok(())
    }

    /// Appends a number and its hat functions, all NaN for NaN.
    fn push_number(&self, number: f64, values: &mut Vec<f64>) {
        values.push(number);
        values.extend((0..self.hats()).map(|at| hat(&self.knots, at, number)));
    }

    /// Returns the names of its encoded columns.
    pub fn encoded_names(&self) -> Vec<String> {
        match &self.kind {
            ColumnKind::Number => {
                let inner = self.knots.iter().skip(1).take(self.hats());
                let hats = inner.map(|&knot| format!("{} near {}", self.name, shown(knot)));
                [self.name.clone()].into_iter().chain(hats).collect()
            }
            ColumnKind::Text { categories } => {
                categories.iter().map(|c| format!("{}={c}", self.name)).collect()
            }
        }
    }
}

/// Returns the index of a cell in the sorted categories; `None` if it is missing or not there.
pub(super) fn category(categories: &[String], cell: Cell<'_>) -> Option<usize> {
    let find = |text: &str| categories.binary_search_by(|c| c.as_str().cmp(text)).ok();
    match cell {
        Cell::Text(text) => find(text),
        // Zero has two signs, and one name.
        Cell::Number(number) => find(&(number + 0.0).to_string()),
        Cell::Missing => None,
    }
}

impl Schema {
    /// Returns the schema of these attributes, without groups or prices.
    pub fn of(columns: Vec<ColumnSchema>) -> Schema {
        let (groups, prices) = (Vec::new(), BTreeMap::new());
        Schema { columns, groups, prices, by_reads: false }
    }

    /// Takes the attributes of a table: every column but those in `except`, categories from `rows`.
    ///
    /// # Errors
    /// If no attribute is left, or a name in `known` or in a group is not an attribute.
    pub fn fit(
        table: &Table,
        rows: &[u32],
        except: &[&str],
        known: &[String],
        groups: Vec<Group>,
    ) -> Result<Schema> {
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
                    let mut categories: Vec<String> =
                        used.map(|(level, _)| level.clone()).collect();
                    categories.sort_unstable();
                    ColumnKind::Text { categories }
                }
            };
            let known = known.contains(&column.name);
            columns.push(ColumnSchema { known, ..ColumnSchema::new(&column.name, kind) });
        }
        if columns.is_empty() {
            return Err(ErrorKind::NoAttributes.into());
        }
        let schema = Schema { groups, ..Schema::of(columns) };
        let grouped = schema.groups.iter().flat_map(|g| &g.columns);
        for name in known.iter().chain(grouped) {
            schema.position(name)?;
        }
        Ok(schema)
    }

    /// Makes text attributes numbers that are written as dates, given as name and form.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub fn with_dates(mut self, dates: &BTreeMap<String, String>) -> Result<Schema> {
        for (name, form) in dates {
            let at = self.position(name)?;
            let column = &mut self.columns[at];
            (column.kind, column.date) = (ColumnKind::Number, Some(form.clone()));
        }
        Ok(self)
    }

    /// Returns the position of an attribute.
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

    /// Returns the number of encoded columns.
    pub fn width(&self) -> usize {
        self.columns.iter().map(ColumnSchema::width).sum()
    }

    /// Returns the attributes of each panel of this layout, in the order of its columns.
    pub fn attributes_of(&self, layout: &Layout) -> Vec<Vec<usize>> {
        let widths = self.columns.iter().map(ColumnSchema::width).enumerate();
        let of_column: Vec<usize> =
            widths.flat_map(|(attribute, width)| std::iter::repeat_n(attribute, width)).collect();
        let attributes = |panel| {
            let columns = layout.slots_of(panel).map(|slot| layout.column(slot));
            let mut attributes: Vec<usize> = columns.map(|column| of_column[column]).collect();
            attributes.dedup();
            attributes
        };
        (0..layout.panels()).map(attributes).collect()
    }

    /// Returns the names of all encoded columns.
    pub fn encoded_names(&self) -> Vec<String> {
        self.columns.iter().flat_map(ColumnSchema::encoded_names).collect()
    }

    /// Refuses damaged files: two columns of one name, categories out of order, unknown dates, knots
    /// that are no knots.
    fn check(&self) -> Result<()> {
        let mut names = HashSet::new();
        for column in &self.columns {
            let sorted = match &column.kind {
                ColumnKind::Text { categories } => categories.windows(2).all(|w| w[0] < w[1]),
                ColumnKind::Number => true,
            };
            let dated = column.date.as_ref().is_none_or(|form| {
                column.kind == ColumnKind::Number && DATE_FORMS.contains(&form.as_str())
            });
            let problem = match (names.insert(column.name.as_str()), sorted) {
                (true, true) if dated && column.has_knots() => continue,
                (false, _) => "there are two columns of this name",
                (true, false) => "its categories are not sorted, or one is repeated",
                (true, true) if dated => {
                    "its knots must be 3 to 6 increasing numbers of at most 1e100, and only a number has any"
                }
                (true, true) => "the form of its dates is unknown",
            };
            return Err(Error::in_file("schema", &column.name, problem));
        }
        Ok(())
    }

    /// Builds the layout: encoded columns that are read together, and always-known ones.
    ///
    /// # Errors
    /// If an attribute is in two groups, or in a group and always known; if two panels share a
    /// name; if a price is out of range, or declared for something that is not a sampled panel.
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
        let mut panels = HashSet::new();
        let (mut sampled, mut known) =
            (Vec::<(&str, Vec<u32>)>::new(), Vec::<(&str, Vec<u32>)>::new());
        for group in &self.groups {
            let mut columns = Vec::new();
            for name in &group.columns {
                let at = self.position(name)?;
                let problem = match (grouped[at], self.columns[at].known) {
                    (true, _) => format!(
                        "column '{}' is in two panels, or in one twice; keep it in one",
                        short(name)
                    ),
                    (_, true) => format!(
                        "column '{}' is always known, so it is never read; omit it",
                        short(name)
                    ),
                    _ => {
                        grouped[at] = true;
                        columns.extend(range(at));
                        continue;
                    }
                };
                return Err(group.wrong(problem));
            }
            if !panels.insert(&group.name) {
                return Err(group.wrong("two panels have this name; rename one".to_owned()));
            }
            if group.columns.is_empty() {
                return Err(group.wrong("there is none; name at least one".to_owned()));
            }
            sampled.push((&group.name, columns));
        }
        for (at, column) in self.columns.iter().enumerate().filter(|(at, _)| !grouped[*at]) {
            if let Some(group) = self.groups.iter().find(|group| group.name == column.name) {
                return Err(group.wrong(
                    "a column outside the panel has this name; rename the panel".to_owned(),
                ));
            }
            if column.known { &mut known } else { &mut sampled }
                .push((&column.name, range(at).collect()));
        }
        // Panels are in the order of the table: a group of the indicators of a text is the same
        // panel as that text.
        sampled.sort_by_key(|(_, columns)| columns.iter().min().copied());
        let mut builder = Layout::builder(next as usize);
        sampled.into_iter().for_each(|(name, columns)| builder.sampled(name, columns));
        known.into_iter().for_each(|(name, columns)| builder.known(name, columns));
        let layout = builder.finish()?;
        self.priced(if self.by_reads { layout.by_reads() } else { layout })
    }

    /// Adds the declared prices to the layout.
    fn priced(&self, layout: Layout) -> Result<Layout> {
        if self.prices.is_empty() {
            return Ok(layout);
        }
        let panels: Vec<&str> = (0..layout.sampled_panels()).map(|p| layout.name(p)).collect();
        let names: HashSet<&str> = panels.iter().copied().collect();
        for name in self.prices.keys().filter(|name| !names.contains(name.as_str())) {
            let problem = match self.columns.iter().find(|c| c.name == *name) {
                Some(column) if column.known => {
                    "it is always known and costs nothing; omit its price"
                }
                // A text without categories, or a group of such texts, has no panel.
                Some(column) if column.width() == 0 => continue,
                None if self.groups.iter().any(|group| group.name == *name) => continue,
                Some(_) => "it is read with a panel; declare the price of that panel",
                None => {
                    let known: Vec<String> = panels.iter().map(|p| (*p).to_owned()).collect();
                    let nearest = nearest(name, &known);
                    return Err(
                        ErrorKind::UnknownColumn { name: name.clone(), nearest, known }.into()
                    );
                }
            };
            let (name, problem) = (name.clone(), problem.to_owned());
            return Err(ErrorKind::WrongDeclaration { what: "price", name, problem }.into());
        }
        let prices =
            panels.iter().map(|name| self.prices.get(*name).copied().unwrap_or(1.0)).collect();
        layout.with_prices(prices)
    }
}

/// Refuses a column of another kind than that of the fitted rows.
pub(super) fn wrong_kind(column: &str, expected: &str, actual: &str) -> Error {
    let problem = format!(
        "column '{}' had {expected} when the model was fitted, but has {actual} now",
        short(column)
    );
    ErrorKind::Table(problem).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_damage_of_a_column_has_its_own_reason() {
        let number = |name: &str| ColumnSchema {
            name: name.to_owned(),
            kind: ColumnKind::Number,
            known: false,
            date: None,
            knots: Vec::new(),
        };
        let text = |categories: [&str; 2]| ColumnSchema {
            kind: ColumnKind::Text { categories: categories.map(str::to_owned).to_vec() },
            ..number("b")
        };
        let reason = |columns: Vec<ColumnSchema>| {
            let schema =
                Schema { columns, groups: Vec::new(), prices: BTreeMap::new(), by_reads: false };
            schema.check().err().map(|error| error.to_string())
        };
        let dated = |form: &str| ColumnSchema { date: Some(form.to_owned()), ..number("b") };
        let sound = [
            number("b"),
            text(["no", "yes"]),
            dated(DATE_FORMS[0]),
            ColumnSchema { knots: vec![0.0, 1.0, 2.0], ..number("b") },
        ];
        for column in sound {
            assert_eq!(reason(vec![number("a"), column]), None);
        }
        for (column, problem) in [
            (number("a"), "two columns"),
            (text(["yes", "no"]), "not sorted"),
            (dated("the day after"), "dates is unknown"),
            (
                ColumnSchema { date: Some(DATE_FORMS[0].to_owned()), ..text(["no", "yes"]) },
                "dates is unknown",
            ),
            (ColumnSchema { knots: vec![0.0, 1.0], ..number("b") }, "knots must be"),
        ] {
            let refusal = reason(vec![number("a"), column]).unwrap();
            assert!(refusal.contains(problem), "{refusal}");
        }
    }
}
