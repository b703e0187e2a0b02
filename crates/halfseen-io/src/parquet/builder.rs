//! Collects decoded columns into tables.

use super::kinds::{self, Kind};
use super::values::Out;
use crate::error::ErrorKind;
use crate::meter::Meter;
use crate::text::csv::text::TextBuilder;
use halfseen::data::{Column, Matrix, Place, Table};

pub(super) struct Builder {
    columns: Vec<Column>,
    /// Row-major cells of complete rows.
    numbers: Vec<f64>,
    width: usize,
    texts: Vec<TextBuilder>,
    rows: usize,
    /// One column of the current rows.
    column: Vec<f64>,
    meter: Meter,
}

impl Builder {
    pub(super) fn new<'a>(
        kinds: impl Iterator<Item = &'a kinds::Column>,
        meter: Meter,
    ) -> Result<Self, ErrorKind> {
        let (mut width, mut texts, mut columns) = (0, 0, Vec::new());
        for kinds::Column { name, kind, .. } in kinds {
            let (count, place): (_, fn(usize) -> Place) = match kind {
                Kind::Bool | Kind::Text => (&mut texts, Place::Text),
                _ => (&mut width, Place::Number),
            };
            columns.push(Column { name: name.clone(), place: place(*count) });
            *count += 1;
        }
        if let Some(unnamed) = columns.iter().position(|column| column.name.is_empty()) {
            return Err(ErrorKind::UnnamedColumn { column: unnamed + 1 });
        }
        // the library's own check of the names, before rows are read
        let names = columns.iter().map(|c| c.name.clone()).collect();
        let none = Matrix::F64(ndarray::Array2::zeros((0, columns.len())));
        Table::from_matrix(none, names).map_err(ErrorKind::Library)?;
        let texts = std::iter::repeat_with(TextBuilder::default).take(texts).collect();
        let (numbers, column) = (Vec::new(), Vec::new());
        Ok(Builder { columns, numbers, width, texts, rows: 0, column, meter })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Refuses claimed rows if they are more cells than `limit`, or take more memory than is
    /// allowed; `largest` is the number of rows of the largest group. Claims may be false: room is
    /// made as rows are decoded.
    pub(super) fn check_room(
        &self,
        rows: usize,
        largest: usize,
        limit: usize,
    ) -> Result<(), ErrorKind> {
        if rows.checked_mul(self.columns.len()).is_none_or(|cells| cells > limit) {
            return Err(ErrorKind::TooManyCells { limit });
        }
        let numbers = rows.saturating_mul(self.width).saturating_add(largest);
        let codes = rows.saturating_mul(self.texts.len());
        let bytes = (numbers as u64).saturating_mul(8).saturating_add(4 * codes as u64);
        self.meter.take(bytes, rows)?;
        self.meter.give_back(bytes);
        Ok(())
    }

    /// Appends the cells of one column of the next rows, which `read` decodes.
    pub(super) fn add(
        &mut self,
        at: usize,
        read: impl FnOnce(Out<'_>, &Meter) -> Result<(), ErrorKind>,
    ) -> Result<(), ErrorKind> {
        match self.columns[at].place {
            Place::Text(at) => read(Out::Text(&mut self.texts[at]), &self.meter),
            Place::Number(at) => {
                self.column.clear();
                read(Out::Numbers(&mut self.column), &self.meter)?;
                // reading the first column has shown that the rows exist
                let cells = (self.rows + self.column.len()) * self.width;
                let more = cells - self.numbers.len();
                self.meter.reserve(&mut self.numbers, more, self.rows)?;
                self.numbers.resize(cells, f64::NAN);
                let cells =
                    self.numbers[self.rows * self.width + at..].iter_mut().step_by(self.width);
                cells.zip(&self.column).for_each(|(cell, value)| *cell = *value);
                Ok(())
            }
            Place::Apart(_) => Ok(()),
        }
    }

    /// Counts rows whose columns were all added.
    pub(super) fn count(&mut self, rows: usize) {
        self.rows += rows;
    }

    /// Returns the rows collected so far, and begins a new table.
    pub(super) fn take(&mut self) -> halfseen::Result<Table> {
        let rows = std::mem::take(&mut self.rows);
        let numbers = std::mem::take(&mut self.numbers);
        let texts = self.texts.iter_mut().map(std::mem::take).map(TextBuilder::finish).collect();
        // What is handed out is not this reader's any more.
        self.meter = Meter::default();
        let numbers = crate::text::csv::matrix(rows, self.width, numbers)?;
        Table::new(Matrix::F64(numbers), texts, self.columns.clone())
    }
}
