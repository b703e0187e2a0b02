//! Stores cells as f64, f32, u8, sparse rows or codes, and reads single cells without copying.

use super::{Coded, Shared};
use crate::error::{ErrorKind, Result};
use ndarray::{Array2, ArrayView1, Axis};

/// Number of dense cells that cost as much as a sparse one.
const DENSE_CELLS: f64 = 16.0;

/// An (n_examples, n_attributes) matrix in the storage of its source. NaN is a missing cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Matrix {
    /// Dense double precision.
    F64(Array2<f64>),
    /// Dense single precision.
    F32(Array2<f32>),
    /// Dense bytes, such as pixels.
    U8(Array2<u8>),
    /// Compressed sparse rows; absent cells are zero.
    Csr(Csr),
    /// Numbers, and codes of categories for their indicators.
    Coded(Coded),
    /// Dense double precision in memory owned elsewhere.
    Shared(Shared),
}

/// Cells of one row; see [`Matrix::row`].
#[derive(Debug, Clone, Copy)]
pub enum RowCells<'a> {
    /// Double precision.
    F64(ArrayView1<'a, f64>),
    /// Single precision.
    F32(ArrayView1<'a, f32>),
    /// Bytes.
    U8(ArrayView1<'a, u8>),
    /// Double precision from the first cell on, and the stride of columns.
    Shared(&'a [f64], usize),
    /// A row of any other matrix.
    Other(&'a Matrix, usize),
}

impl RowCells<'_> {
    /// Returns one cell.
    #[inline]
    pub fn get(&self, column: usize) -> f64 {
        match self {
            RowCells::F64(cells) => cells[column],
            RowCells::F32(cells) => f64::from(cells[column]),
            RowCells::U8(cells) => f64::from(cells[column]),
            RowCells::Shared(cells, stride) => cells[column * stride],
            RowCells::Other(matrix, row) => matrix.get(*row, column),
        }
    }
}

impl Matrix {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Matrix::F64(a) => a.nrows(),
            Matrix::F32(a) => a.nrows(),
            Matrix::U8(a) => a.nrows(),
            Matrix::Csr(a) => a.rows(),
            Matrix::Coded(a) => a.rows(),
            Matrix::Shared(a) => a.rows(),
        }
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        match self {
            Matrix::F64(a) => a.ncols(),
            Matrix::F32(a) => a.ncols(),
            Matrix::U8(a) => a.ncols(),
            Matrix::Csr(a) => a.columns,
            Matrix::Coded(a) => a.columns(),
            Matrix::Shared(a) => a.columns(),
        }
    }

    /// Returns one cell. O(1) if dense, O(log of the row's entries) if sparse.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        match self {
            Matrix::F64(a) => a[[row, column]],
            Matrix::F32(a) => f64::from(a[[row, column]]),
            Matrix::U8(a) => f64::from(a[[row, column]]),
            Matrix::Csr(a) => a.get(row, column),
            Matrix::Coded(a) => a.get(row, column),
            Matrix::Shared(a) => a.get(row, column),
        }
    }

    /// Returns the cells of one row, for several looks at them.
    #[inline]
    pub fn row(&self, row: usize) -> RowCells<'_> {
        match self {
            Matrix::F64(a) => RowCells::F64(a.row(row)),
            Matrix::F32(a) => RowCells::F32(a.row(row)),
            Matrix::U8(a) => RowCells::U8(a.row(row)),
            Matrix::Shared(a) => {
                let (cells, stride) = a.row(row);
                RowCells::Shared(cells, stride)
            }
            Matrix::Csr(_) | Matrix::Coded(_) => RowCells::Other(self, row),
        }
    }

    /// Copies one row into `out`, whose length must be the number of columns.
    pub fn row_into(&self, row: usize, out: &mut [f64]) {
        match self {
            Matrix::F64(a) => copy_row(a, row, out),
            Matrix::F32(a) => copy_row(a, row, out),
            Matrix::U8(a) => copy_row(a, row, out),
            Matrix::Csr(a) => {
                out.fill(0.0);
                let (columns, values) = a.row(row);
                for (&c, &v) in columns.iter().zip(values) {
                    out[c as usize] = v;
                }
            }
            Matrix::Coded(a) => {
                out.fill(0.0);
                a.each(row, |column, v| out[column] = v);
            }
            Matrix::Shared(a) => a.row_into(row, out),
        }
    }

    /// Returns the rows of `keep`, in that order, in the same storage ([`Matrix::Shared`] copied).
    pub fn select_rows(&self, keep: &[usize]) -> Matrix {
        match self {
            Matrix::F64(a) => Matrix::F64(a.select(Axis(0), keep)),
            Matrix::F32(a) => Matrix::F32(a.select(Axis(0), keep)),
            Matrix::U8(a) => Matrix::U8(a.select(Axis(0), keep)),
            Matrix::Csr(a) => Matrix::Csr(a.select_rows(keep)),
            Matrix::Coded(a) => Matrix::Coded(a.select_rows(keep)),
            Matrix::Shared(_) => Matrix::F64(self.dense(keep.iter().copied())),
        }
    }

    /// Returns the rows of all matrices of one width, one below the other: in their storage if that
    /// is the same and holds numbers, else as doubles.
    pub(crate) fn stacked<'m>(matrices: impl Iterator<Item = &'m Matrix> + Clone) -> Matrix {
        macro_rules! same {
            ($kind:ident) => {
                matrices
                    .clone()
                    .map(|m| match m {
                        Matrix::$kind(a) => Some(a),
                        _ => None,
                    })
                    .collect::<Option<Vec<_>>>()
            };
        }
        macro_rules! dense {
            ($kind:ident) => {
                if let Some(all) = same!($kind) {
                    let views: Vec<_> = all.iter().map(|a| a.view()).collect();
                    if let Ok(stacked) = ndarray::concatenate(Axis(0), &views) {
                        return Matrix::$kind(stacked);
                    }
                }
            };
        }
        dense!(F64);
        dense!(F32);
        dense!(U8);
        if let Some(all) = same!(Csr) {
            let columns = all.first().map_or(0, |a| a.columns);
            let mut stacked = Csr::empty(columns);
            all.into_iter().for_each(|a| stacked.append(a, |column| column));
            return Matrix::Csr(stacked);
        }
        let rows = matrices.clone().map(Matrix::rows).sum();
        let mut stacked =
            Array2::zeros((rows, matrices.clone().map(Matrix::columns).max().unwrap_or(0)));
        let each = matrices.flat_map(|m| (0..m.rows()).map(move |row| (m, row)));
        for ((m, row), mut out) in each.zip(stacked.rows_mut()) {
            if let Some(out) = out.as_slice_mut() {
                m.row_into(row, out);
            }
        }
        Matrix::F64(stacked)
    }

    /// Returns the number of missing cells; 0 for bytes.
    pub fn missing(&self) -> usize {
        self.count(f64::is_nan)
    }

    /// Returns true if no cell is missing or infinite.
    pub fn is_finite(&self) -> bool {
        self.count(|v| !v.is_finite()) == 0
    }

    /// Counts the cells for which `is` holds; bytes and zeros are assumed not to.
    fn count(&self, is: impl Fn(f64) -> bool) -> usize {
        match self {
            Matrix::F64(a) => a.iter().filter(|v| is(**v)).count(),
            Matrix::F32(a) => a.iter().filter(|v| is(f64::from(**v))).count(),
            Matrix::U8(_) => 0,
            Matrix::Csr(a) => a.values.iter().filter(|v| is(**v)).count(),
            Matrix::Coded(a) => {
                let mut count = 0;
                (0..a.rows()).for_each(|row| a.each(row, |_, v| count += usize::from(is(v))));
                count
            }
            Matrix::Shared(a) => a.count(is),
        }
    }

    /// Returns the bytes of the cells; what is encoded from a table counts twice, for that table.
    pub fn bytes(&self) -> f64 {
        let dense = |size: usize| (self.rows() * size) as f64 * self.columns() as f64;
        match self {
            Matrix::Shared(_) => dense(8),
            Matrix::F64(_) => 2.0 * dense(8),
            Matrix::F32(_) => 2.0 * dense(4),
            Matrix::U8(_) => dense(1),
            Matrix::Csr(a) => 12.0 * a.values.len() as f64 + 8.0 * a.starts.len() as f64,
            Matrix::Coded(a) => 2.0 * a.bytes(),
        }
    }

    /// Returns an upper bound on the number of cells of some rows that are stored and not 0.
    pub fn stored(&self, rows: &[u32]) -> usize {
        match self {
            Matrix::Csr(a) => rows.iter().map(|&row| a.row(row as usize).0.len()).sum(),
            Matrix::Coded(a) => a.stored(rows),
            _ => rows.len().saturating_mul(self.columns()),
        }
    }

    /// Returns true if work on the stored cells of some rows is less than on all cells.
    pub(crate) fn is_sparse(&self, rows: &[u32]) -> bool {
        let cells = rows.len() as f64 * self.columns() as f64;
        matches!(self, Matrix::Csr(_) | Matrix::Coded(_))
            && self.stored(rows) as f64 * DENSE_CELLS <= cells
    }

    /// Shows the stored cells of a row, by increasing column; the others are 0.
    pub(crate) fn each_stored(&self, row: usize, mut show: impl FnMut(usize, f64)) {
        match self {
            Matrix::Csr(a) => {
                let (columns, values) = a.row(row);
                columns.iter().zip(values).for_each(|(&column, &v)| show(column as usize, v));
            }
            Matrix::Coded(a) => a.each(row, show),
            _ => (0..self.columns()).for_each(|column| show(column, self.get(row, column))),
        }
    }

    /// Returns the first column of the text with the largest number of categories, and this number.
    pub(crate) fn widest_text(&self) -> Option<(usize, usize)> {
        if let Matrix::Coded(a) = self { a.widest_text() } else { None }
    }

    /// Returns the first infinite cell, row by row, as (row, column), both from 0; none for bytes.
    pub fn first_infinite(&self) -> Option<(usize, usize)> {
        self.first(f64::is_infinite)
    }

    /// Returns the first cell for which `is` holds, row by row, as (row, column), both from 0; bytes
    /// and zeros are assumed not to.
    pub(crate) fn first(&self, is: impl Fn(f64) -> bool + Copy) -> Option<(usize, usize)> {
        if self.count(is) == 0 {
            return None;
        }
        let mut cells = vec![0.0; self.columns()];
        (0..self.rows()).find_map(|row| {
            self.row_into(row, &mut cells);
            cells.iter().position(|v| is(*v)).map(|column| (row, column))
        })
    }

    /// Copies the rows of `keep`, in that order, into a dense array.
    pub fn dense(&self, keep: impl ExactSizeIterator<Item = usize>) -> Array2<f64> {
        let mut copy = Array2::zeros((keep.len(), self.columns()));
        for (mut to, from) in copy.rows_mut().into_iter().zip(keep) {
            // Rows of a new matrix are slices.
            to.as_slice_mut().into_iter().for_each(|to| self.row_into(from, to));
        }
        copy
    }

    /// Fills missing cells with `number(column)`.
    pub fn filled(&self, number: impl Fn(usize) -> f64) -> Matrix {
        let fill = |(column, v): (usize, &mut f64)| {
            if v.is_nan() {
                *v = number(column);
            }
        };
        match self {
            Matrix::Coded(a) => {
                let mut a = a.clone();
                a.fill(number);
                Matrix::Coded(a)
            }
            Matrix::Csr(a) => {
                let mut a = a.clone();
                let columns = a.indices.iter().map(|&column| column as usize);
                columns.zip(&mut a.values).for_each(fill);
                Matrix::Csr(a)
            }
            _ => {
                let mut cells = self.dense(0..self.rows());
                cells.indexed_iter_mut().for_each(|((_, column), v)| fill((column, v)));
                Matrix::F64(cells)
            }
        }
    }
}

/// Copies a row; a contiguous one as a slice, which the compiler converts several cells at a time.
fn copy_row<T: Copy + Into<f64>>(matrix: &Array2<T>, row: usize, out: &mut [f64]) {
    let row = matrix.row(row);
    match row.to_slice() {
        Some(cells) => out.iter_mut().zip(cells).for_each(|(o, v)| *o = (*v).into()),
        None => out.iter_mut().zip(row).for_each(|(o, v)| *o = (*v).into()),
    }
}

/// Compressed sparse rows with strictly increasing column indices in each row.
#[derive(Debug, Clone, PartialEq)]
pub struct Csr {
    starts: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    columns: usize,
}

impl Csr {
    /// Row r holds the entries `starts[r]..starts[r + 1]` of `indices` and `values`.
    ///
    /// # Errors
    /// If the lengths disagree, `starts` decreases, or a row's indices do not increase below
    /// `columns`.
    pub fn new(
        starts: Vec<usize>,
        indices: Vec<u32>,
        values: Vec<f64>,
        columns: usize,
    ) -> Result<Self> {
        let bad = |what: &str, expected, found| {
            Err(ErrorKind::WrongLength { what: format!("sparse rows, {what}"), expected, found }
                .into())
        };
        if indices.len() != values.len() {
            return bad("values", indices.len(), values.len());
        }
        if starts.first() != Some(&0) || starts.last() != Some(&indices.len()) {
            return bad("starts, last entry", indices.len(), starts.last().copied().unwrap_or(0));
        }
        for (row, pair) in starts.windows(2).enumerate() {
            let entries = indices.get(pair[0]..pair[1]);
            let sorted = entries.is_some_and(|e| {
                e.windows(2).all(|w| w[0] < w[1])
                    && e.last().is_none_or(|&last| (last as usize) < columns)
            });
            if !sorted {
                return bad(
                    &format!("row {}: increasing column indices below", row + 1),
                    columns,
                    columns,
                );
            }
        }
        Ok(Self { starts, indices, values, columns })
    }

    /// Returns the number of entries.
    pub(crate) fn entries(&self) -> usize {
        self.indices.len()
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns the column indices and values of one row.
    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.starts[row]..self.starts[row + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// Returns no row.
    fn empty(columns: usize) -> Csr {
        Csr { starts: vec![0], indices: Vec::new(), values: Vec::new(), columns }
    }

    /// Appends rows whose columns have other places, in the same order.
    fn append(&mut self, rows: &Csr, place: impl Fn(u32) -> u32) {
        let before = self.indices.len();
        self.indices.extend(rows.indices.iter().map(|&column| place(column)));
        self.values.extend_from_slice(&rows.values);
        self.starts.extend(rows.starts[1..].iter().map(|start| before + start));
    }

    /// Returns the rows of all matrices, one below the other, given the place of each column among
    /// all, which increase.
    pub(crate) fn placed<'m>(
        matrices: impl Iterator<Item = (&'m Csr, Vec<u32>)>,
        columns: usize,
    ) -> Result<Csr> {
        let mut all = Csr::empty(columns);
        for (rows, places) in matrices {
            all.append(rows, |column| places[column as usize]);
        }
        // Names in another order give columns that do not increase.
        Csr::new(all.starts, all.indices, all.values, columns)
    }

    /// Returns the rows of `keep`, in that order.
    pub fn select_rows(&self, keep: &[usize]) -> Csr {
        let mut picked = Csr::empty(self.columns);
        for &row in keep {
            let (columns, values) = self.row(row);
            picked.indices.extend_from_slice(columns);
            picked.values.extend_from_slice(values);
            picked.starts.push(picked.indices.len());
        }
        picked
    }

    /// Makes these cells missing, given as sorted (row, column).
    pub(crate) fn missing_at(&self, cells: &[(usize, u32)]) -> Csr {
        let mut changed = Csr::empty(self.columns);
        for row in 0..self.rows() {
            let first = cells.partition_point(|cell| cell.0 < row);
            let mut missing = cells[first..]
                .iter()
                .take_while(|cell| cell.0 == row)
                .map(|cell| cell.1)
                .peekable();
            let (columns, values) = self.row(row);
            for (&column, &value) in columns.iter().zip(values) {
                while let Some(before) = missing.next_if(|&m| m < column) {
                    changed.push(before, f64::NAN);
                }
                let hidden = missing.next_if_eq(&column).is_some();
                changed.push(column, if hidden { f64::NAN } else { value });
            }
            missing.for_each(|column| changed.push(column, f64::NAN));
            changed.starts.push(changed.indices.len());
        }
        changed
    }

    fn push(&mut self, column: u32, value: f64) {
        self.indices.push(column);
        self.values.push(value);
    }

    /// Returns one cell, by binary search in its row.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let (columns, values) = self.row(row);
        columns.binary_search(&(column as u32)).map_or(0.0, |i| values[i])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn every_storage_answers_the_same_cells() {
        let dense = Matrix::U8(array![[0, 2, 0], [1, 0, 3]]);
        let csr = Csr::new(vec![0, 1, 3], vec![1, 0, 2], vec![2.0, 1.0, 3.0], 3).unwrap();
        let all = [
            dense.clone(),
            Matrix::F64(array![[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]),
            Matrix::F32(array![[0.0, 2.0, 0.0], [1.0, 0.0, 3.0]]),
            Matrix::Csr(csr),
        ];
        let mut row = [0.0; 3];
        for matrix in &all {
            assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
            for r in 0..2 {
                matrix.row_into(r, &mut row);
                for (c, &cell) in row.iter().enumerate() {
                    assert_eq!(matrix.get(r, c), dense.get(r, c));
                    assert_eq!(cell, dense.get(r, c));
                }
            }
        }
    }

    #[test]
    fn sparse_rows_that_do_not_increase_are_refused() {
        assert!(Csr::new(vec![0, 2], vec![1, 1], vec![1.0, 2.0], 3).is_err());
        assert!(Csr::new(vec![0, 1], vec![3], vec![1.0], 3).is_err());
        assert!(Csr::new(vec![0, 2, 1], vec![0, 1], vec![1.0, 2.0], 3).is_err());
    }

    #[test]
    fn infinite_cells_are_found_where_they_are() {
        let csr = Csr::new(vec![0, 0, 1], vec![2], vec![f64::INFINITY], 3).unwrap();
        assert_eq!(Matrix::Csr(csr).first_infinite(), Some((1, 2)));
        assert_eq!(Matrix::F64(array![[f64::NAN, 1.0]]).first_infinite(), None);
    }
}
