//! Holds a table: named columns of numbers and of text, in their order.

use super::{Csr, Matrix};
use crate::error::{Error, ErrorKind, Result, nearest, short};
use ndarray::Array2;
use std::collections::{BTreeSet, HashMap};

/// A table: numeric columns in one matrix, text columns coded, both with names.
#[derive(Debug, Clone)]
pub struct Table {
    numbers: Matrix,
    texts: Vec<TextColumn>,
    /// Numeric columns that are not in the matrix, such as the labels of images.
    apart: Vec<Vec<f64>>,
    columns: Vec<Column>,
}

/// Name and location of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name in the header.
    pub name: String,
    /// Location of its cells.
    pub place: Place,
}

/// Location of a column's cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// This column of the numeric matrix.
    Number(usize),
    /// This text column.
    Text(usize),
    /// This numeric column beside the matrix.
    Apart(usize),
}

/// A column of categories: the index of each row's level, [`TextColumn::MISSING`] if empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextColumn {
    /// One code per row.
    pub codes: Vec<u32>,
    /// The distinct texts, in order of first appearance.
    pub levels: Vec<String>,
}

impl TextColumn {
    /// Code of an empty cell.
    pub const MISSING: u32 = u32::MAX;

    /// Returns the text of a row; `None` if it is missing.
    pub fn get(&self, row: usize) -> Option<&str> {
        self.levels.get(self.codes[row] as usize).map(String::as_str)
    }

    /// Returns the rows of all columns, one below the other, with the levels that occur.
    fn stacked<'c>(columns: impl Iterator<Item = &'c TextColumn> + Clone) -> TextColumn {
        let mut levels: Vec<String> = Vec::new();
        let mut known: HashMap<&str, u32> = HashMap::new();
        let mut codes = Vec::with_capacity(columns.clone().map(|column| column.codes.len()).sum());
        for column in columns {
            // Code of each level of this column.
            let mut own = vec![TextColumn::MISSING; column.levels.len()];
            codes.extend(column.codes.iter().map(|&code| {
                let Some(level) = column.levels.get(code as usize) else {
                    return TextColumn::MISSING;
                };
                let code = &mut own[code as usize];
                if *code == TextColumn::MISSING {
                    *code = *known.entry(level).or_insert_with(|| {
                        levels.push(level.clone());
                        levels.len() as u32 - 1
                    });
                }
                *code
            }));
        }
        TextColumn { codes, levels }
    }
}

/// One cell of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A number, never NaN; see [`Cell::Missing`].
    Number(f64),
    /// A category.
    Text(&'a str),
    /// An empty cell.
    Missing,
}

impl Table {
    /// Builds a table from a numeric matrix, text columns, and the columns in their order.
    ///
    /// # Errors
    /// If two columns share a name, or the cells of a column are absent or of another number.
    pub fn new(numbers: Matrix, texts: Vec<TextColumn>, columns: Vec<Column>) -> Result<Self> {
        let mut seen = HashMap::with_capacity(columns.len());
        for (i, column) in columns.iter().enumerate() {
            if let Some(first) = seen.insert(column.name.as_str(), i + 1) {
                return Err(duplicate(&column.name, first, i + 1));
            }
            let there = match column.place {
                Place::Number(c) => c < numbers.columns(),
                Place::Text(c) => c < texts.len(),
                Place::Apart(_) => false,
            };
            if !there {
                let what = format!("cells of column '{}'", crate::error::short(&column.name));
                return Err(ErrorKind::WrongLength { what, expected: 1, found: 0 }.into());
            }
        }
        if let Some(text) = texts.iter().find(|t| t.codes.len() != numbers.rows()) {
            let (expected, found) = (numbers.rows(), text.codes.len());
            return Err(ErrorKind::WrongLength {
                what: "rows of a text column".into(),
                expected,
                found,
            }
            .into());
        }
        Ok(Self { numbers, texts, apart: Vec::new(), columns })
    }

    /// Builds a table of numbers only, one name per column of the matrix.
    ///
    /// # Errors
    /// As [`Table::new`], or if there are more or fewer names than columns.
    pub fn from_matrix(numbers: Matrix, names: Vec<String>) -> Result<Self> {
        if names.len() != numbers.columns() {
            let (expected, found) = (numbers.columns(), names.len());
            return Err(
                ErrorKind::WrongLength { what: "column names".into(), expected, found }.into()
            );
        }
        let place = |(i, name)| Column { name, place: Place::Number(i) };
        Self::new(numbers, Vec::new(), names.into_iter().enumerate().map(place).collect())
    }

    /// Adds a numeric column beside the matrix.
    ///
    /// # Errors
    /// If a column of this name exists, or the lengths differ.
    pub fn with_column(mut self, name: &str, values: Vec<f64>) -> Result<Self> {
        if let Some(first) = self.columns.iter().position(|c| c.name == name) {
            return Err(duplicate(name, first + 1, self.columns.len() + 1));
        }
        if values.len() != self.rows() {
            let (what, expected, found) =
                (format!("rows of column '{name}'"), self.rows(), values.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        self.columns.push(Column { name: name.to_owned(), place: Place::Apart(self.apart.len()) });
        self.apart.push(values);
        Ok(self)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.numbers.rows()
    }

    /// Returns the columns in their order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Returns the matrix of the numeric columns.
    pub fn numbers(&self) -> &Matrix {
        &self.numbers
    }

    /// Returns the text column with this index.
    pub fn text(&self, index: usize) -> &TextColumn {
        &self.texts[index]
    }

    /// Returns the column of this name.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`], with the nearest name and a list.
    pub fn column(&self, name: &str) -> Result<&Column> {
        self.columns.iter().find(|c| c.name == name).ok_or_else(|| {
            let known: Vec<String> = self.columns.iter().map(|c| c.name.clone()).collect();
            let nearest = nearest(name, &known);
            ErrorKind::UnknownColumn { name: name.to_owned(), nearest, known }.into()
        })
    }

    /// Returns one cell.
    pub fn cell(&self, row: usize, column: &Column) -> Cell<'_> {
        let number = match column.place {
            Place::Number(c) => self.numbers.get(row, c),
            Place::Apart(c) => self.apart[c][row],
            Place::Text(c) => return self.texts[c].get(row).map_or(Cell::Missing, Cell::Text),
        };
        if number.is_nan() { Cell::Missing } else { Cell::Number(number) }
    }

    /// Removes the columns of these names; their cells stay in memory.
    #[must_use]
    pub fn without_columns(mut self, names: &[&str]) -> Table {
        self.columns.retain(|column| !names.contains(&column.name.as_str()));
        self
    }

    /// Makes a column of numbers a column of categories, one for each distinct number; others stay
    /// as they are.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub fn with_categories(mut self, name: &str) -> Result<Table> {
        let column = self.column(name)?.clone();
        if matches!(column.place, Place::Text(_)) {
            return Ok(self);
        }
        let (mut codes, mut levels, mut known) = (Vec::new(), Vec::new(), HashMap::new());
        for row in 0..self.rows() {
            codes.push(match self.cell(row, &column) {
                Cell::Number(number) => {
                    *known.entry(number.to_string()).or_insert_with_key(|text| {
                        levels.push(text.clone());
                        levels.len() as u32 - 1
                    })
                }
                Cell::Text(_) | Cell::Missing => TextColumn::MISSING,
            });
        }
        let place = Place::Text(self.texts.len());
        self.texts.push(TextColumn { codes, levels });
        self.columns.iter_mut().filter(|c| c.name == name).for_each(|c| c.place = place);
        Ok(self)
    }

    /// Makes a text column a column of numbers; others stay as they are. A text that is no number
    /// becomes NaN; see [`first_text`](super::first_text).
    ///
    /// # Errors
    /// [`ErrorKind::UnknownColumn`].
    pub fn with_numbers(mut self, name: &str) -> Result<Table> {
        let Place::Text(at) = self.column(name)?.place else { return Ok(self) };
        let text = &self.texts[at];
        let levels: Vec<f64> =
            text.levels.iter().map(|text| text.parse().unwrap_or(f64::NAN)).collect();
        let number = |code: &u32| levels.get(*code as usize).copied().unwrap_or(f64::NAN);
        let place = Place::Apart(self.apart.len());
        self.apart.push(text.codes.iter().map(number).collect());
        self.columns.iter_mut().filter(|c| c.name == name).for_each(|c| c.place = place);
        Ok(self)
    }

    /// Refuses infinite cells, which no family of learners can use.
    ///
    /// # Errors
    /// [`ErrorKind::NotFinite`] with row and column.
    pub fn refuse_infinite(&self) -> Result<()> {
        let Some((row, at)) = self.numbers.first_infinite() else { return Ok(()) };
        let column = self.columns.iter().find(|c| c.place == Place::Number(at));
        let column = column.map_or(String::new(), |c| c.name.clone());
        Err(ErrorKind::NotFinite { row: row + 1, column, value: self.numbers.get(row, at) }.into())
    }

    /// Makes the cells missing for which `hidden(row, column)` is true; both count from 0, columns
    /// as in [`Table::columns`]. Bytes become single precision, which has NaN; [`Matrix::Shared`]
    /// and [`Matrix::Coded`] become a copy.
    pub fn without(&self, hidden: impl Fn(usize, usize) -> bool) -> Table {
        let mut numbers = match &self.numbers {
            Matrix::U8(a) => Matrix::F32(a.mapv(f32::from)),
            Matrix::F64(_) | Matrix::F32(_) | Matrix::Csr(_) => self.numbers.clone(),
            other => Matrix::F64(other.dense(0..self.rows())),
        };
        let (mut texts, mut apart) = (self.texts.clone(), self.apart.clone());
        let rows = self.rows();
        // Sparse rows get all new entries at once.
        let mut sparse: Vec<(usize, u32)> = Vec::new();
        for (at, column) in self.columns.iter().enumerate() {
            for row in (0..rows).filter(|&row| hidden(row, at)) {
                match (column.place, &mut numbers) {
                    (Place::Text(c), _) => texts[c].codes[row] = TextColumn::MISSING,
                    (Place::Apart(c), _) => apart[c][row] = f64::NAN,
                    (Place::Number(c), Matrix::F64(a)) => a[[row, c]] = f64::NAN,
                    (Place::Number(c), Matrix::F32(a)) => a[[row, c]] = f32::NAN,
                    (Place::Number(c), _) => sparse.push((row, c as u32)),
                }
            }
        }
        if let Matrix::Csr(a) = &numbers {
            sparse.sort_unstable();
            numbers = Matrix::Csr(a.missing_at(&sparse));
        }
        Table { numbers, texts, apart, columns: self.columns.clone() }
    }

    /// Returns the rows of `keep`, in that order.
    pub fn select_rows(&self, keep: &[usize]) -> Table {
        let numbers = self.numbers.select_rows(keep);
        let texts = self.texts.iter().map(|t| TextColumn {
            codes: keep.iter().map(|&r| t.codes[r]).collect(),
            levels: t.levels.clone(),
        });
        let apart = self.apart.iter().map(|c| keep.iter().map(|&r| c[r]).collect()).collect();
        Table { numbers, texts: texts.collect(), apart, columns: self.columns.clone() }
    }

    /// Returns the bytes of the cells.
    pub(crate) fn bytes(&self) -> f64 {
        let beside = (4 * self.texts.len() + 8 * self.apart.len()) as f64 * self.rows() as f64;
        self.numbers.bytes() + beside
    }

    /// Returns the rows of all tables, one below the other. Text columns keep the categories that
    /// occur. Sparse tables may have other columns, whose names then count by length and text, so
    /// that `f2` comes before `f10`; what a table does not have is zero.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`] if the columns differ.
    pub fn stacked(tables: &[Table]) -> Result<Table> {
        let Some(first) = tables.first() else {
            return Table::from_matrix(Matrix::F64(Array2::zeros((0, 0))), Vec::new());
        };
        let (numbers, columns) = match tables.iter().all(|table| table.columns == first.columns) {
            true => (Matrix::stacked(tables.iter().map(|t| &t.numbers)), first.columns.clone()),
            false => sparse_union(tables)?,
        };
        let apart = |c: usize| tables.iter().flat_map(|t| t.apart[c].iter().copied()).collect();
        let texts = |c: usize| TextColumn::stacked(tables.iter().map(|t| &t.texts[c]));
        Ok(Table {
            numbers,
            texts: (0..first.texts.len()).map(texts).collect(),
            apart: (0..first.apart.len()).map(apart).collect(),
            columns,
        })
    }
}

/// Returns the cells of sparse tables whose columns differ, and the columns of all.
fn sparse_union(tables: &[Table]) -> Result<(Matrix, Vec<Column>)> {
    let others = |table: &Table| {
        let is_other = |column: &&Column| !matches!(column.place, Place::Number(_));
        table.columns.iter().filter(is_other).cloned().collect::<Vec<Column>>()
    };
    let same = tables.iter().all(|table| others(table) == others(&tables[0]));
    let sparse: Vec<(&Csr, Vec<&str>)> = tables
        .iter()
        .filter_map(|table| match &table.numbers {
            Matrix::Csr(cells) => {
                let mut names = vec![""; table.numbers.columns()];
                for column in &table.columns {
                    if let Place::Number(at) = column.place {
                        names[at] = &column.name;
                    }
                }
                Some((cells, names))
            }
            _ => None,
        })
        .collect();
    if !same || sparse.len() < tables.len() {
        let (what, most) = ("columns of tables that are put together".to_owned(), tables.len());
        let found = tables.iter().map(|table| table.columns.len()).min().unwrap_or(0);
        let expected = tables.iter().map(|table| table.columns.len()).max().unwrap_or(most);
        return Err(ErrorKind::WrongLength { what, expected, found }.into());
    }
    let names: BTreeSet<(usize, &str)> =
        sparse.iter().flat_map(|(_, names)| names.iter().map(|name| (name.len(), *name))).collect();
    let place: HashMap<&str, u32> =
        names.iter().enumerate().map(|(at, (_, name))| (*name, at as u32)).collect();
    let cells = sparse.iter().map(|(cells, own)| {
        let places: Vec<u32> = own.iter().map(|name| place[name]).collect();
        (*cells, places)
    });
    let column = |(at, (_, name)): (usize, &(usize, &str))| Column {
        name: (*name).to_owned(),
        place: Place::Number(at),
    };
    let columns = names.iter().enumerate().map(column).chain(others(&tables[0]));
    Ok((Matrix::Csr(Csr::placed(cells, names.len())?), columns.collect()))
}

/// Refuses a name that two columns share.
fn duplicate(name: &str, first: usize, second: usize) -> Error {
    let problem = format!(
        "column {second} has the same name as column {first}, '{}'; rename one of them",
        short(name)
    );
    ErrorKind::Table(problem).into()
}
