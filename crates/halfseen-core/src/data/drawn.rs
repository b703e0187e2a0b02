//! Draws rows of a stream of tables at random, while twice as many are in memory.
//!
//! Each row has a random number that depends on the seed and the row's place alone, and the rows of
//! the smallest numbers are drawn. So every set of rows is equally likely, whatever the sizes of the
//! tables, and the same seed draws the same rows.

use super::Table;
use crate::data::memory;
use crate::error::Result;
use halfseen_solve::sampling::{Purpose, Stream};

/// Number of tables that are put together: each has the names of all columns.
const TABLES: usize = 16;

/// Rows drawn so far.
#[derive(Debug)]
pub struct Drawn {
    rows: usize,
    seed: u64,
    seen: usize,
    /// Rows in their order.
    kept: Vec<Table>,
    /// Random number and place of each of them.
    marks: Vec<(u64, usize)>,
    /// Rows of larger marks are not drawn.
    largest: (u64, usize),
}

impl Drawn {
    /// Starts to draw this number of rows, at least 1, without replacement.
    pub fn new(rows: usize, seed: u64) -> Drawn {
        let largest = (u64::MAX, usize::MAX);
        Drawn { rows, seed, seen: 0, kept: Vec::new(), marks: Vec::new(), largest }
    }

    /// Returns the random number of the row at a place: those of the smallest numbers are drawn.
    pub fn mark(seed: u64, place: u64) -> u64 {
        Stream::new(seed, Purpose::Draw, place).word()
    }

    /// Takes up the rows of a table, whose places in the whole are `places`, increasing from table
    /// to table.
    ///
    /// # Errors
    /// As for [`Table::stacked`]; [`ErrorKind::TooMuchMemory`](crate::ErrorKind::TooMuchMemory).
    pub fn add(&mut self, table: &Table, places: &[usize]) -> Result<()> {
        self.seen += places.len();
        let marks = places.iter().map(|&place| (Drawn::mark(self.seed, place as u64), place));
        let (rows, marks): (Vec<usize>, Vec<_>) =
            marks.enumerate().filter(|(_, mark)| *mark <= self.largest).unzip();
        if rows.is_empty() {
            return Ok(());
        }
        let held: f64 = self.kept.iter().map(Table::bytes).sum();
        let share = rows.len() as f64 / table.rows() as f64;
        // They are copied to be put together.
        memory::admit(
            "drawing rows",
            (self.marks.len() + rows.len(), table.columns().len()),
            2.0 * (held + share * table.bytes()),
            "fewer rows or columns",
        )?;
        // Stacked, it has only the categories of these rows.
        self.kept.push(Table::stacked(&[table.select_rows(&rows)])?);
        self.marks.extend(marks);
        let is_full = self.marks.len() > self.rows.saturating_mul(2);
        if is_full || self.kept.len() == TABLES { self.thin_out() } else { Ok(()) }
    }

    /// Drops the rows that are not among those of the smallest marks.
    fn thin_out(&mut self) -> Result<()> {
        if self.marks.len() > self.rows {
            let mut sorted = self.marks.clone();
            self.largest = *sorted.select_nth_unstable(self.rows.saturating_sub(1)).1;
        }
        let mut before = 0;
        for table in &mut self.kept {
            let marks = &self.marks[before..before + table.rows()];
            let keep: Vec<usize> =
                (0..table.rows()).filter(|&row| marks[row] <= self.largest).collect();
            before += table.rows();
            *table = table.select_rows(&keep);
        }
        self.marks.retain(|mark| *mark <= self.largest);
        self.kept = vec![Table::stacked(&self.kept)?];
        Ok(())
    }

    /// Returns the number of rows that were drawn from.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// Returns the drawn rows in their order, with their places; `None` if there was no row. All
    /// rows are drawn if there are no more.
    ///
    /// # Errors
    /// As for [`Table::stacked`].
    pub fn finish(mut self) -> Result<Option<(Table, Vec<usize>)>> {
        if self.marks.is_empty() {
            return Ok(None);
        }
        self.thin_out()?;
        let places = self.marks.into_iter().map(|(_, place)| place).collect();
        Ok(self.kept.pop().map(|table| (table, places)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Cell, Column, Csr, Matrix, Place, TextColumn};
    use ndarray::Array2;

    /// A number and a text of each place.
    fn table(places: std::ops::Range<usize>) -> Table {
        let numbers =
            Array2::from_shape_fn((places.len(), 1), |(row, _)| (places.start + row) as f64);
        let mut text = TextColumn { codes: Vec::new(), levels: Vec::new() };
        for place in places {
            let level = format!("t{}", place % 17);
            let known = text.levels.iter().position(|own| *own == level);
            text.codes.push(known.unwrap_or(text.levels.len()) as u32);
            if known.is_none() {
                text.levels.push(level);
            }
        }
        let column = |name: &str, place| Column { name: name.to_owned(), place };
        let columns = vec![column("t", Place::Text(0)), column("x", Place::Number(0))];
        Table::new(Matrix::F64(numbers), vec![text], columns).unwrap()
    }

    fn drawn(rows: usize, seed: u64, of: usize, batch: usize) -> Vec<usize> {
        let mut drawn = Drawn::new(rows, seed);
        for first in (0..of).step_by(batch) {
            let places: Vec<usize> = (first..of.min(first + batch)).collect();
            drawn.add(&table(first..of.min(first + batch)), &places).unwrap();
            assert!(drawn.marks.len() <= 2 * rows.max(1) + batch);
        }
        assert_eq!(drawn.seen(), of);
        let (table, places) = drawn.finish().unwrap().unwrap();
        for (row, &place) in places.iter().enumerate() {
            let cell = |name| table.cell(row, table.column(name).unwrap());
            assert_eq!(cell("x"), Cell::Number(place as f64));
            assert_eq!(cell("t"), Cell::Text(&format!("t{}", place % 17)));
        }
        places
    }

    #[test]
    fn rows_do_not_depend_on_the_sizes_of_the_tables() {
        let all = drawn(20, 3, 1000, 1000);
        assert_eq!(all.len(), 20);
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
        for batch in [1, 7, 64, 999] {
            assert_eq!(drawn(20, 3, 1000, batch), all);
        }
        assert_ne!(drawn(20, 4, 1000, 64), all);
        assert_eq!(drawn(1000, 0, 50, 7), (0..50).collect::<Vec<_>>());
        assert_eq!(drawn(50, 0, 50, 7), (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn every_row_is_drawn_equally_often() {
        let mut counts = [0.0_f64; 40];
        for seed in 0..4_000 {
            for place in drawn(10, seed, 40, 9) {
                counts[place] += 1.0;
            }
        }
        // Each count is binomial, of 4,000 draws with probability 1/4; five deviations.
        let deviation = (4_000.0 * 0.25 * 0.75_f64).sqrt();
        assert!(counts.iter().all(|count| (count - 1_000.0).abs() < 5.0 * deviation), "{counts:?}");
    }

    #[test]
    fn sparse_tables_of_other_widths_have_the_columns_of_all() {
        let sparse = |first: usize, columns: usize, label: f64| {
            let names = (first..first + columns).map(|index| format!("f{index}")).collect();
            let last = columns as u32 - 1;
            let row = Csr::new(vec![0, 1], vec![last], vec![label], columns).unwrap();
            let table = Table::from_matrix(Matrix::Csr(row), names).unwrap();
            table.with_column("label", vec![label]).unwrap()
        };
        let table =
            Table::stacked(&[sparse(1, 3, 1.0), sparse(0, 2, 2.0), sparse(1, 12, 3.0)]).unwrap();
        let names: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
        assert_eq!((names[0], names[1], names[12], names[13]), ("f0", "f1", "f12", "label"));
        for (row, (column, value)) in [("f3", 1.0), ("f1", 2.0), ("f12", 3.0)].iter().enumerate() {
            let entry = table.cell(row, table.column(column).unwrap());
            assert_eq!(entry, Cell::Number(*value));
            assert_eq!(table.cell(row, table.column("label").unwrap()), Cell::Number(*value));
        }
        let Matrix::Csr(numbers) = table.numbers() else { panic!("it was sparse") };
        assert_eq!(numbers.entries(), 3);
        Table::stacked(&[table.clone(), super::tests::table(0..2)]).unwrap_err();
    }
}
