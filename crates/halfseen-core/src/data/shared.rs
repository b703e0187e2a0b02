//! Reads cells owned elsewhere, such as a NumPy array, in place and without a copy.

use crate::error::{ErrorKind, Result};
use std::fmt;
use std::sync::Arc;

/// An (n_examples, n_attributes) matrix over a slice owned elsewhere. NaN is a missing cell.
///
/// Cell (i, j) is number `i * row_stride + j * column_stride` of the slice: C order (strides
/// n_attributes and 1), Fortran order (1 and n_examples), or every row or column step of either.
/// Cloning is cheap.
#[derive(Clone)]
pub struct Shared {
    /// Must return the same slice each time.
    cells: Arc<dyn AsRef<[f64]> + Send + Sync>,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl Shared {
    /// Makes a matrix of this shape, (rows, columns), over `cells`; the strides of rows and columns
    /// are in cells. As long as the matrix lives, the owner must return the same slice and must not
    /// change its numbers.
    ///
    /// # Errors
    /// [`ErrorKind::WrongLength`] if a cell would lie outside the slice.
    pub fn new(
        cells: Arc<dyn AsRef<[f64]> + Send + Sync>,
        (rows, columns): (usize, usize),
        (row_stride, column_stride): (usize, usize),
    ) -> Result<Self> {
        let shared = Self { cells, rows, columns, row_stride, column_stride };
        if rows == 0 || columns == 0 {
            return Ok(shared);
        }
        let last = (rows - 1).checked_mul(row_stride).zip((columns - 1).checked_mul(column_stride));
        let needed = last.and_then(|(down, along)| down.checked_add(along)?.checked_add(1));
        let (expected, length) = (needed.unwrap_or(usize::MAX), shared.slice().len());
        if expected > length {
            let what = format!(
                "cells of a shared matrix of {rows} rows and {columns} columns, strides {row_stride} and {column_stride}"
            );
            return Err(ErrorKind::WrongLength { what, expected, found: length }.into());
        }
        Ok(shared)
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns one cell.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        debug_assert!(row < self.rows && column < self.columns);
        self.slice()[row * self.row_stride + column * self.column_stride]
    }

    /// Returns a slice from the first cell of a row on, and the stride of columns in it. Calls the
    /// owner once.
    #[inline]
    pub fn row(&self, row: usize) -> (&[f64], usize) {
        debug_assert!(row < self.rows);
        let first = if self.columns == 0 { 0 } else { row * self.row_stride };
        (&self.slice()[first..], self.column_stride)
    }

    /// Copies one row into `out`, whose length must be the number of columns. Calls the owner once.
    pub fn row_into(&self, row: usize, out: &mut [f64]) {
        debug_assert!(row < self.rows && out.len() == self.columns);
        if self.columns == 0 {
            return;
        }
        let cells = &self.slice()[row * self.row_stride..];
        match self.column_stride {
            1 => out.copy_from_slice(&cells[..self.columns]),
            0 => out.fill(cells[0]),
            stride => out.iter_mut().zip(cells.iter().step_by(stride)).for_each(|(o, v)| *o = *v),
        }
    }

    /// Counts the cells for which `is` holds; runs along the smaller stride.
    pub(super) fn count(&self, is: impl Fn(f64) -> bool) -> usize {
        let cells = self.slice();
        let by_row = self.column_stride <= self.row_stride;
        let (outer, inner) =
            if by_row { (self.rows, self.columns) } else { (self.columns, self.rows) };
        let (far, near) = if by_row {
            (self.row_stride, self.column_stride)
        } else {
            (self.column_stride, self.row_stride)
        };
        let among = |cells: &[f64]| match near {
            // Several cells at a time.
            1 => cells[..inner].iter().filter(|v| is(**v)).count(),
            0 => inner * usize::from(is(cells[0])),
            step => cells.iter().step_by(step).take(inner).filter(|v| is(**v)).count(),
        };
        if inner == 0 { 0 } else { (0..outer).map(|i| among(&cells[i * far..])).sum() }
    }

    fn slice(&self) -> &[f64] {
        (*self.cells).as_ref()
    }
}

/// Shows only the shape: there may be many cells.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.rows, self.columns);
        f.debug_struct("Shared").field("shape", &shape).finish_non_exhaustive()
    }
}

/// Compares shape and cells, wherever they are stored.
impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        let same =
            |row| (0..self.columns).all(|column| self.get(row, column) == other.get(row, column));
        (self.rows, self.columns) == (other.rows, other.columns) && (0..self.rows).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Table, Target};
    use crate::prepare::{Options, Prepared};
    use ndarray::Array2;
    use std::borrow::Cow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn cell(i: usize, j: usize) -> f64 {
        if (i + 2 * j) % 7 == 3 { f64::NAN } else { (10 * i + j) as f64 }
    }

    fn dense(rows: usize, columns: usize) -> Array2<f64> {
        Array2::from_shape_fn((rows, columns), |(i, j)| cell(i, j))
    }

    fn over(cells: Vec<f64>, shape: (usize, usize), strides: (usize, usize)) -> Result<Shared> {
        Shared::new(Arc::new(cells), shape, strides)
    }

    /// Returns the same 6 x 4 cells in C and Fortran order, as every second row and third column.
    fn layouts() -> Vec<Shared> {
        let c = dense(6, 4).into_raw_vec_and_offset().0;
        let fortran = (0..24).map(|at| cell(at % 6, at / 6)).collect();
        let rows = (0..44)
            .map(|at| if (at / 4) % 2 == 0 { cell(at / 8, at % 4) } else { f64::INFINITY })
            .collect();
        let columns = (0..72)
            .map(|at| if at % 3 == 0 { cell(at / 12, at % 12 / 3) } else { f64::INFINITY })
            .collect();
        let all = [(c, (4, 1)), (fortran, (1, 6)), (rows, (8, 1)), (columns, (12, 3))];
        all.into_iter().map(|(cells, strides)| over(cells, (6, 4), strides).unwrap()).collect()
    }

    /// Returns the bits of all cells, so that NaN equals NaN.
    fn bits(matrix: &Matrix) -> Vec<u64> {
        let cells = (0..matrix.rows()).flat_map(|i| (0..matrix.columns()).map(move |j| (i, j)));
        cells.map(|(i, j)| matrix.get(i, j).to_bits()).collect()
    }

    #[test]
    fn every_order_has_the_cells_of_an_own_matrix() {
        let own = Matrix::F64(dense(6, 4));
        let names = || ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let hidden = |row, column| row == 2 && column != 1;
        let holed = Table::from_matrix(own.clone(), names()).unwrap().without(hidden);
        for shared in layouts() {
            let matrix = Matrix::Shared(shared);
            assert_eq!((matrix.rows(), matrix.columns(), matrix.missing()), (6, 4, own.missing()));
            assert_eq!(bits(&matrix), bits(&own));
            let (mut row, mut expected) = ([0.0; 4], [0.0; 4]);
            for i in 0..6 {
                matrix.row_into(i, &mut row);
                own.row_into(i, &mut expected);
                assert_eq!(row.map(f64::to_bits), expected.map(f64::to_bits));
            }
            assert_eq!(matrix.first_infinite(), None);
            assert_eq!(bits(&matrix.select_rows(&[4, 0, 4])), bits(&own.select_rows(&[4, 0, 4])));
            let table = Table::from_matrix(matrix, names()).unwrap();
            assert_eq!(bits(table.without(hidden).numbers()), bits(holed.numbers()));
        }
    }

    #[test]
    fn infinite_cells_are_found_where_they_are_and_equal_cells_are_equal() {
        let shared =
            over(vec![1.0, 2.0, f64::INFINITY, 3.0, 4.0, f64::INFINITY], (3, 2), (1, 3)).unwrap();
        assert_eq!(Matrix::Shared(shared.clone()).first_infinite(), Some((2, 0)));
        let sideways =
            over(vec![1.0, 3.0, 2.0, 4.0, f64::INFINITY, f64::INFINITY], (3, 2), (2, 1)).unwrap();
        assert_eq!(shared, sideways);
        assert_ne!(shared, over(vec![1.0; 6], (3, 2), (2, 1)).unwrap());
        assert_ne!(shared, over(vec![1.0; 6], (2, 3), (3, 1)).unwrap());
        assert_eq!(format!("{shared:?}"), "Shared { shape: (3, 2), .. }");
        let one = over(vec![7.0], (3, 2), (0, 0)).unwrap();
        let mut row = [0.0; 2];
        one.row_into(2, &mut row);
        assert_eq!((row, one.get(1, 1)), ([7.0; 2], 7.0));
    }

    #[test]
    fn strides_that_leave_the_slice_are_refused() {
        let cells = || vec![0.0; 12];
        assert!(over(cells(), (3, 4), (4, 1)).is_ok());
        assert!(over(cells(), (0, 4), (4, 1)).is_ok() && over(Vec::new(), (5, 0), (1, 1)).is_ok());
        for (shape, strides, needed) in [
            ((3, 5), (4, 1), 13),
            ((4, 4), (4, 1), 16),
            ((3, 4), (5, 1), 14),
            ((3, 4), (1, 4), 15),
            ((3, 2), (usize::MAX, 1), usize::MAX),
            ((2, 2), (usize::MAX, usize::MAX), usize::MAX),
            ((2, 1), (usize::MAX, 1), usize::MAX),
            ((usize::MAX, 2), (0, 12), 13),
        ] {
            match over(cells(), shape, strides).unwrap_err().kind() {
                ErrorKind::WrongLength { expected, found: 12, .. } => {
                    assert_eq!(*expected, needed, "{shape:?}")
                }
                other => panic!("{other:?}"),
            }
        }
    }

    /// Counts the calls of the owner.
    struct Counted(Vec<f64>, AtomicUsize);

    impl AsRef<[f64]> for Counted {
        fn as_ref(&self) -> &[f64] {
            self.1.fetch_add(1, Ordering::Relaxed);
            &self.0
        }
    }

    #[test]
    fn tables_of_numbers_are_prepared_in_place_with_a_call_per_row_at_most() {
        let (rows, columns) = (50, 30);
        let cells = (0..rows * columns).map(|at| (at % 13) as f64).collect();
        let owner = Arc::new(Counted(cells, AtomicUsize::new(0)));
        let shared = Shared::new(owner.clone(), (rows, columns), (columns, 1)).unwrap();
        let names = (0..columns).map(|j| format!("x{j}")).collect();
        let table = Table::from_matrix(Matrix::Shared(shared), names).unwrap();
        let table = table.with_column("y", (0..rows).map(|i| i as f64).collect()).unwrap();
        let target = Target::read(&table, "y", None).unwrap();
        let all: Vec<u32> = (0..rows as u32).collect();
        let prepared = Prepared::new(&table, ("y", &target), &all, &Options::default()).unwrap();
        assert!(std::ptr::eq(prepared.examples().matrix, table.numbers()));
        assert!(matches!(
            prepared.prepare.encode(&table).unwrap().matrix,
            Cow::Borrowed(Matrix::Shared(_))
        ));
        let asked = owner.1.load(Ordering::Relaxed);
        assert!(asked < 5 * rows, "{asked} calls");
    }
}
