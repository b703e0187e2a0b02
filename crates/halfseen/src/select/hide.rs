//! Hides observed cells of a table completely at random, to test learners on less data.
//!
//! Each cell has its own uniform number, drawn from the seed and its place, and is hidden if this
//! number is below the share. So hiding depends on no value and no other cell, and a larger share
//! hides a superset of cells: errors at two shares differ only by the cells hidden between them.

use crate::data::{Cell, Table};
use halfseen_solve::sampling::{Purpose, Stream};

/// Counts of observed cells of the attributes of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Number of cells of attributes.
    pub cells: u64,
    /// Number of observed cells.
    pub observed: u64,
    /// Number of rows with a missing value.
    pub rows_with_holes: u64,
    /// Number of rows without an observed attribute.
    pub empty_rows: u64,
}

/// Hides a share in \[0, 1\] of the observed cells of every column not in `except`.
///
/// `part` distinguishes tables that share a seed, such as training and test rows in two files.
pub fn hide(table: &Table, except: &[&str], share: f64, seed: u64, part: u32) -> Table {
    let kept: Vec<bool> =
        table.columns().iter().map(|c| except.contains(&c.name.as_str())).collect();
    let columns = kept.len();
    let numbers = |row: usize| {
        let mut stream = Stream::new(seed, Purpose::Hide, (u64::from(part) << 32) | row as u64);
        (0..columns).map(move |_| stream.unit())
    };
    let below: Vec<bool> =
        (0..table.rows()).flat_map(numbers).map(|number| number < share).collect();
    table.without(|row, column| !kept[column] && below[row * columns + column])
}

impl Seen {
    /// Counts the observed cells of every column not in `except`.
    pub fn of(table: &Table, except: &[&str]) -> Seen {
        let attributes: Vec<_> =
            table.columns().iter().filter(|c| !except.contains(&c.name.as_str())).collect();
        let width = attributes.len() as u64;
        let mut seen = Seen {
            cells: width * table.rows() as u64,
            observed: 0,
            rows_with_holes: 0,
            empty_rows: 0,
        };
        for row in 0..table.rows() {
            let shown =
                attributes.iter().filter(|c| table.cell(row, c) != Cell::Missing).count() as u64;
            seen.observed += shown;
            seen.rows_with_holes += u64::from(shown < width);
            seen.empty_rows += u64::from(shown == 0);
        }
        seen
    }

    /// Returns the observed share of the cells; 1 if there are none.
    pub fn share(&self) -> f64 {
        if self.cells == 0 { 1.0 } else { self.observed as f64 / self.cells as f64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Csr, Matrix, Place, TextColumn};
    use ndarray::Array2;

    /// Returns numbers, a text and a separate column, named x0, x1, kind, y; every seventh number
    /// is missing.
    fn mixed(rows: usize) -> Table {
        let cell = |(i, j): (usize, usize)| {
            if (2 * i + j) % 7 == 0 { f64::NAN } else { (i * 2 + j) as f64 }
        };
        let numbers = Matrix::F64(Array2::from_shape_fn((rows, 2), cell));
        let codes = (0..rows).map(|i| (i % 3) as u32).collect();
        let text = TextColumn { codes, levels: ["a", "b", "c"].map(str::to_owned).to_vec() };
        let column = |name: &str, place| Column { name: name.into(), place };
        let columns = vec![
            column("x0", Place::Number(0)),
            column("kind", Place::Text(0)),
            column("x1", Place::Number(1)),
        ];
        let table = Table::new(numbers, vec![text], columns).unwrap();
        table.with_column("y", (0..rows).map(|i| i as f64).collect()).unwrap()
    }

    fn cells(table: &Table, name: &str) -> Vec<bool> {
        let column = table.column(name).unwrap();
        (0..table.rows()).map(|row| table.cell(row, column) != Cell::Missing).collect()
    }

    #[test]
    fn the_share_is_hidden_in_every_column_but_those_kept() {
        let table = mixed(4000);
        for share in [0.0, 0.3, 0.9, 1.0] {
            let less = hide(&table, &["y"], share, 5, 0);
            for name in ["x0", "x1", "kind"] {
                let (before, after) = (cells(&table, name), cells(&less, name));
                assert!(
                    before.iter().zip(&after).all(|(b, a)| *b || !*a),
                    "{name}: a missing cell came back"
                );
                let count = |cells: &[bool]| cells.iter().filter(|c| **c).count() as f64;
                let left = count(&after) / count(&before);
                assert!(
                    (left - (1.0 - share)).abs()
                        < 4.0 * (share * (1.0 - share) / 3000.0).sqrt() + 1e-12,
                    "{left}"
                );
            }
            assert!(cells(&less, "y").iter().all(|seen| *seen));
            // The remaining cells are unchanged.
            for column in table.columns() {
                for row in 0..50 {
                    let (old, new) = (table.cell(row, column), less.cell(row, column));
                    assert!(new == old || new == Cell::Missing);
                }
            }
        }
    }

    #[test]
    fn a_larger_share_hides_the_same_cells_and_more_and_seeds_differ() {
        let table = mixed(300);
        let seen = |share, seed, part| cells(&hide(&table, &["y"], share, seed, part), "kind");
        let (some, more) = (seen(0.3, 1, 0), seen(0.6, 1, 0));
        assert!(some.iter().zip(&more).all(|(s, m)| *s || !*m) && some != more);
        assert_ne!(some, seen(0.3, 2, 0));
        assert_ne!(some, seen(0.3, 1, 1));
        assert_eq!(some, seen(0.3, 1, 0));
    }

    #[test]
    fn every_storage_hides_the_same_cells() {
        let bytes =
            Array2::from_shape_fn(
                (40, 5),
                |(i, j)| if (i + j) % 3 == 0 { (i + 1) as u8 } else { 0 },
            );
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in bytes.rows() {
            let entries = row.into_iter().enumerate().filter(|(_, v)| **v > 0);
            for (at, value) in entries {
                indices.push(at as u32);
                values.push(f64::from(*value));
            }
            starts.push(indices.len());
        }
        let names = || (0..5).map(|j| format!("x{j}")).collect::<Vec<String>>();
        let storages = [
            Matrix::F64(bytes.mapv(f64::from)),
            Matrix::F32(bytes.mapv(f32::from)),
            Matrix::U8(bytes.clone()),
            Matrix::Csr(Csr::new(starts, indices, values, 5).unwrap()),
        ];
        let tables =
            storages.map(|m| hide(&Table::from_matrix(m, names()).unwrap(), &["x2"], 0.4, 9, 0));
        for row in 0..40 {
            for column in tables[0].columns() {
                let first = tables[0].cell(row, column);
                assert!(
                    tables.iter().all(|t| t.cell(row, column) == first),
                    "row {row}, {}",
                    column.name
                );
            }
        }
        assert!(Seen::of(&tables[0], &[]).observed < 190);
    }

    #[test]
    fn what_is_seen_is_counted_by_hand() {
        let hole = f64::NAN;
        let numbers = ndarray::array![[1.0, hole, 3.0], [hole, hole, 2.0], [1.0, 1.0, 1.0]];
        let names = ["a", "b", "y"].map(str::to_owned).to_vec();
        let seen = Seen::of(&Table::from_matrix(Matrix::F64(numbers), names).unwrap(), &["y"]);
        assert_eq!(seen, Seen { cells: 6, observed: 3, rows_with_holes: 2, empty_rows: 1 });
        assert_eq!(seen.share(), 0.5);
    }
}
