//! Defines what the study asks of a database: statements, rows, transactions.

use crate::error::Result;

/// Number of the format: that of the tables and of the JSON in them. A store of another number is
/// refused; those of versions before 0.3 have 1 to 3.
pub(crate) const FORMAT: i64 = 4;

/// Most rows of one statement.
const TOGETHER: usize = 32;

/// One cell of a row, or a parameter of a statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    Int(i64),
    Real(f64),
    Text(String),
}

/// A connection. Parameters are written `$1`, `$2`, ... in the order in which they appear.
pub(crate) trait Sql: Send {
    /// Runs a statement; returns the number of rows that it changed.
    fn run(&mut self, sql: &str, cells: &[Cell]) -> Result<usize>;

    /// Visits the rows of a query.
    fn each(
        &mut self,
        sql: &str,
        cells: &[Cell],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()>;

    /// Begins a transaction that no other writer can enter.
    fn begin(&mut self) -> Result<()>;

    /// Begins a transaction that only reads, and sees the store as it is at one moment; ends by
    /// `roll_back`.
    fn snapshot(&mut self) -> Result<()>;

    /// Ends it: when this has returned, everything in it is on the disk.
    fn commit(&mut self) -> Result<()>;

    /// Ends it without a change.
    fn roll_back(&mut self);

    /// Copies the whole store to a new file.
    fn backup(&mut self, to: &std::path::Path) -> Result<()>;

    /// Returns what is wrong with the file itself, if anything is.
    fn integrity(&mut self) -> Result<Vec<String>>;

    /// Overwrites what was deleted.
    fn vacuum(&mut self) -> Result<()>;
}

/// One row of a query.
pub(crate) struct Row<'a>(pub(crate) &'a [Cell]);

impl Row<'_> {
    pub(crate) fn int(&self, at: usize) -> i64 {
        match self.0[at] {
            Cell::Int(value) => value,
            _ => 0,
        }
    }

    pub(crate) fn real(&self, at: usize) -> Option<f64> {
        match self.0[at] {
            Cell::Real(value) => Some(value),
            Cell::Int(value) => Some(value as f64),
            _ => None,
        }
    }

    pub(crate) fn text(&self, at: usize) -> Option<&str> {
        match &self.0[at] {
            Cell::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn owned(&self, at: usize) -> String {
        self.text(at).unwrap_or_default().to_owned()
    }
}

/// Returns what a function makes of the first row; `None` without one.
pub(crate) fn first<T>(
    sql: &mut dyn Sql,
    statement: &str,
    cells: &[Cell],
    take: impl Fn(&Row<'_>) -> T,
) -> Result<Option<T>> {
    let mut value = None;
    sql.each(statement, cells, &mut |row| {
        value.get_or_insert_with(|| take(row));
        Ok(())
    })?;
    Ok(value)
}

/// Returns what a function makes of all rows.
pub(crate) fn all<T>(
    sql: &mut dyn Sql,
    statement: &str,
    cells: &[Cell],
    take: impl Fn(&Row<'_>) -> T,
) -> Result<Vec<T>> {
    let mut values = Vec::new();
    sql.each(statement, cells, &mut |row| {
        values.push(take(row));
        Ok(())
    })?;
    Ok(values)
}

/// Inserts rows of this many cells into a table, many by one statement.
pub(crate) fn insert(sql: &mut dyn Sql, table: &str, width: usize, cells: &[Cell]) -> Result<()> {
    for part in cells.chunks(TOGETHER * width) {
        let row = |first: usize| {
            let marks: Vec<String> = (first..first + width).map(|at| format!("${at}")).collect();
            format!("({})", marks.join(", "))
        };
        let rows: Vec<String> = (1..=part.len()).step_by(width).map(row).collect();
        sql.run(&format!("INSERT INTO {table} VALUES {}", rows.join(", ")), part)?;
    }
    Ok(())
}

impl From<i64> for Cell {
    fn from(value: i64) -> Cell {
        Cell::Int(value)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Cell {
        Cell::Real(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Cell {
        Cell::Text(value.to_owned())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Cell {
        value.map_or(Cell::Null, Into::into)
    }
}

/// Writes the cells of a statement.
macro_rules! cells {
    ($($value:expr),* $(,)?) => { &[$($crate::database::sql::Cell::from($value)),*] };
}
pub(crate) use cells;
