//! Stores of masked rows only the cells that differ from a scaled zero.
//!
//! Scaling moves the cells that a sparse table does not store, all of one column to the same number
//! z_j. A row is v = z + s - h o z: z for all rows, s the differences of its stored cells from z, h
//! its missing cells. With t = s - h o z, which is as sparse, products of two rows are
//!
//!   <v, v'> = <t, t'> + <t, z'> + <z, t'> + <z, z'>,
//!
//! and the columns that both show are d - |h| - |h'| + <h, h'>: a pair costs the stored cells that
//! both have, whatever d. Rounding errors are relative to |z|^2.

use super::{LARGEST, bad_cell};
use crate::data::{Csr, Examples};
use crate::error::{ErrorKind, Result};
use faer::Mat;

/// Rows with missing values, as differences from rows of zeros.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseRows {
    /// The scaled zero of each column, z, (n_columns).
    pub(super) zeros: Vec<f64>,
    /// t, of the cells where it is not 0.
    pub(super) cells: Csr,
    /// h: 1 where a cell is missing.
    pub(super) holes: Csr,
    /// <z, z>.
    square: f64,
}

/// Collects one row after the other.
pub(super) struct Builder {
    zeros: Vec<f64>,
    cells: (Vec<usize>, Vec<u32>, Vec<f64>),
    holes: (Vec<usize>, Vec<u32>, Vec<f64>),
}

impl Builder {
    pub(super) fn new(zeros: Vec<f64>) -> Builder {
        let empty = || (vec![0], Vec::new(), Vec::new());
        Builder { zeros, cells: empty(), holes: empty() }
    }

    /// Adds a cell to the last row, NaN if missing; columns increase.
    pub(super) fn push(&mut self, column: usize, value: f64) {
        let difference = if value.is_nan() { 0.0 } else { value } - self.zeros[column];
        if value.is_nan() {
            self.holes.1.push(column as u32);
            self.holes.2.push(1.0);
        }
        self.push_difference(column, difference);
    }

    /// Adds the difference of a cell from its zero to the last row.
    pub(super) fn push_difference(&mut self, column: usize, difference: f64) {
        if difference != 0.0 {
            self.cells.1.push(column as u32);
            self.cells.2.push(difference);
        }
    }

    pub(super) fn end_row(&mut self) {
        self.cells.0.push(self.cells.1.len());
        self.holes.0.push(self.holes.1.len());
    }

    pub(super) fn done(self) -> Result<SparseRows> {
        let columns = self.zeros.len();
        let rows = |(starts, indices, values)| Csr::new(starts, indices, values, columns);
        let (cells, holes) = (rows(self.cells)?, rows(self.holes)?);
        let square = self.zeros.iter().map(|z| z * z).sum();
        Ok(SparseRows { zeros: self.zeros, cells, holes, square })
    }
}

impl SparseRows {
    /// Takes the scaled cells of examples; `constant` adds a column that is always observed and
    /// always 1.
    ///
    /// # Errors
    /// An infinite cell, or one too large to be squared, by row and column; no column at all.
    pub fn new(examples: &Examples<'_>, constant: bool) -> Result<SparseRows> {
        let columns = examples.columns();
        if columns == 0 && !constant {
            return Err(ErrorKind::NoAttributes.into());
        }
        let zero = |column: usize| examples.scaler.scale(column, 0.0);
        let ones = constant.then_some(1.0);
        let zeros: Vec<f64> = (0..columns).map(zero).chain(ones).collect();
        if let Some(at) = zeros.iter().position(|z| !(-LARGEST..=LARGEST).contains(z))
            && !examples.is_empty()
        {
            return Err(bad_cell(examples, 0, at, zeros[at]));
        }
        let mut builder = Builder::new(zeros);
        for i in 0..examples.len() {
            let mut bad = None;
            examples.matrix.each_stored(examples.rows[i] as usize, |column, value| {
                let value = examples.scaler.scale(column, value);
                if value.abs() > LARGEST {
                    bad = bad.or(Some((column, value)));
                } else {
                    builder.push(column, value);
                }
            });
            if let Some((column, value)) = bad {
                return Err(bad_cell(examples, i, column, value));
            }
            builder.end_row();
        }
        builder.done()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.cells.rows()
    }

    /// Returns true if there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of columns, including the constant.
    pub fn columns(&self) -> usize {
        self.zeros.len()
    }

    /// Returns the number of columns that one row shows, including the constant.
    pub fn shown(&self, row: usize) -> usize {
        self.columns() - self.holes.row(row).0.len()
    }

    /// Returns the columns that one row does not show.
    pub fn missing(&self, row: usize) -> &[u32] {
        self.holes.row(row).0
    }

    /// Returns true if a row has no value, all of its cells are missing and not filled.
    fn is_nothing(&self, row: usize) -> bool {
        self.shown(row) == 0 && iter(&self.cells, row).all(|(j, t)| t == -self.zeros[j])
    }

    /// Returns <v, v> of one row.
    pub(super) fn square(&self, row: usize) -> f64 {
        if self.is_nothing(row) {
            return 0.0;
        }
        let of = |(column, t): (usize, f64)| t * (t + 2.0 * self.zeros[column]);
        (self.square + iter(&self.cells, row).map(of).sum::<f64>()).max(0.0)
    }

    /// Writes one row, zero-filled, and its mask, (n_columns) each.
    pub(crate) fn row_into(&self, row: usize, values: &mut [f64], observed: &mut [f32]) {
        values.copy_from_slice(&self.zeros);
        observed.fill(1.0);
        iter(&self.cells, row).for_each(|(column, t)| values[column] += t);
        // The value of a missing cell is 0, or what fills it.
        self.missing(row).iter().for_each(|&column| observed[column as usize] = 0.0);
    }

    /// Returns the rows of `keep`, counted from 0, in that order.
    pub fn select(&self, keep: &[usize]) -> SparseRows {
        let (cells, holes) = (self.cells.select_rows(keep), self.holes.select_rows(keep));
        SparseRows { zeros: self.zeros.clone(), cells, holes, square: self.square }
    }

    /// Returns these rows with those of another table of the same zeros below.
    pub(super) fn joined(&self, below: &SparseRows) -> Result<SparseRows> {
        let mut builder = Builder::new(self.zeros.clone());
        for rows in [self, below] {
            for i in 0..rows.len() {
                iter(&rows.cells, i).for_each(|(column, t)| builder.push_difference(column, t));
                builder.holes.1.extend_from_slice(rows.missing(i));
                builder.holes.2.resize(builder.holes.1.len(), 1.0);
                builder.end_row();
            }
        }
        builder.done()
    }

    /// Returns the same rows with the missing cells of column j at `fill[j]`; they stay missing.
    pub(crate) fn filled(&self, fill: &[f64]) -> Result<SparseRows> {
        let mut builder = Builder::new(self.zeros.clone());
        for i in 0..self.len() {
            let mut missing = self.missing(i).iter().map(|&column| column as usize).peekable();
            let mut rest = iter(&self.cells, i).peekable();
            let (mut of_cell, mut of_hole) = (rest.next(), missing.next());
            while of_cell.is_some() || of_hole.is_some() {
                match (of_cell, of_hole) {
                    (Some((column, t)), hole) if hole.is_none_or(|hole| column < hole) => {
                        builder.push_difference(column, t);
                        of_cell = rest.next();
                    }
                    (cell, Some(hole)) => {
                        builder.push_difference(hole, fill[hole] - self.zeros[hole]);
                        of_hole = missing.next();
                        if cell.is_some_and(|(column, _)| column == hole) {
                            of_cell = rest.next();
                        }
                    }
                    (_, None) => {}
                }
            }
            builder.holes.1.extend_from_slice(self.missing(i));
            builder.holes.2.resize(builder.holes.1.len(), 1.0);
            builder.end_row();
        }
        builder.done()
    }

    /// Returns sum_i c_ij v_i for each column j of coefficients, (n_columns, outputs).
    pub fn combined(&self, coefficients: &Mat<f64>) -> Mat<f64> {
        let mut out = Mat::zeros(self.columns(), coefficients.ncols());
        for j in 0..coefficients.ncols() {
            let (out, of) = (out.col_as_slice_mut(j), coefficients.col_as_slice(j));
            let total: f64 = of.iter().sum();
            out.iter_mut().zip(&self.zeros).for_each(|(w, z)| *w = total * z);
            for (i, c) in of.iter().enumerate() {
                iter(&self.cells, i).for_each(|(column, t)| out[column] += c * t);
            }
        }
        out
    }

    /// Returns <w, v> of one row, for <w, z>.
    pub fn score(&self, row: usize, weights: &[f64], of_zeros: f64) -> f64 {
        of_zeros + iter(&self.cells, row).map(|(column, t)| weights[column] * t).sum::<f64>()
    }

    /// Returns <w, z>.
    pub fn of_zeros(&self, weights: &[f64]) -> f64 {
        self.zeros.iter().zip(weights).map(|(z, w)| z * w).sum()
    }
}

/// Iterates over the columns and values of one row.
pub(super) fn iter(rows: &Csr, row: usize) -> impl Iterator<Item = (usize, f64)> {
    let (columns, values) = rows.row(row);
    columns.iter().map(|&column| column as usize).zip(values.iter().copied())
}

/// Products and counts of pairs of rows, block by block.
pub(crate) struct Products<'a> {
    left: &'a SparseRows,
    right: &'a SparseRows,
    /// <t, z'> of the left rows, and <z, t'> + <z, z'> of the right ones.
    beside: (Vec<f64>, Vec<f64>),
    /// Left and right rows without a value.
    nothing: (Vec<bool>, Vec<bool>),
    /// Number of left rows in a block.
    block: usize,
    /// Blocks of left rows, by column.
    cells: Vec<ByColumn>,
    holes: Vec<ByColumn>,
}

/// Cells of some rows, by column.
struct ByColumn {
    /// Columns with a cell, increasing, and the place of each one's first cell.
    columns: Vec<(u32, u32)>,
    /// Rows, counted from the block's first, and values.
    cells: Vec<(u32, f64)>,
}

impl ByColumn {
    fn new(rows: &Csr, block: std::ops::Range<usize>) -> ByColumn {
        let mut all: Vec<(u32, u32, f64)> = Vec::new();
        for (at, row) in block.enumerate() {
            let cells = iter(rows, row);
            all.extend(cells.map(|(column, value)| (column as u32, at as u32, value)));
        }
        all.sort_unstable_by_key(|&(column, row, _)| (column, row));
        let mut columns: Vec<(u32, u32)> = Vec::new();
        for (place, (column, ..)) in all.iter().enumerate() {
            if columns.last().is_none_or(|(last, _)| last != column) {
                columns.push((*column, place as u32));
            }
        }
        ByColumn { columns, cells: all.into_iter().map(|(_, row, value)| (row, value)).collect() }
    }

    /// Adds the products with one row to those of the block. `places` has the index of each column
    /// in `columns`, counted from 1, and 0 for the others.
    fn add(&self, of: &Csr, row: usize, places: &[u32], out: &mut [f64]) {
        for (column, value) in iter(of, row) {
            let Some(place) = (places[column] as usize).checked_sub(1) else { continue };
            let end = self.columns.get(place + 1).map_or(self.cells.len(), |next| next.1 as usize);
            for (at, cell) in &self.cells[self.columns[place].1 as usize..end] {
                out[*at as usize] += value * cell;
            }
        }
    }

    /// Marks the block's columns in `places`, or clears the marks.
    fn mark(&self, places: &mut [u32], marked: bool) {
        for (place, (column, _)) in self.columns.iter().enumerate() {
            places[*column as usize] = if marked { place as u32 + 1 } else { 0 };
        }
    }
}

impl<'a> Products<'a> {
    /// Prepares the products of left rows, in blocks of `block`, with right rows.
    pub(crate) fn new(left: &'a SparseRows, right: &'a SparseRows, block: usize) -> Products<'a> {
        let along = |rows: &SparseRows, zeros: &[f64]| -> Vec<f64> {
            let of = |row| iter(&rows.cells, row).map(|(column, t)| t * zeros[column]).sum();
            (0..rows.len()).map(of).collect()
        };
        let of_left = along(left, &right.zeros);
        let mut of_right = along(right, &left.zeros);
        let square = left.of_zeros(&right.zeros);
        of_right.iter_mut().for_each(|of| *of += square);
        let blocks = |rows: &Csr| {
            let starts = (0..left.len()).step_by(block);
            let of = |first: usize| ByColumn::new(rows, first..left.len().min(first + block));
            starts.map(of).collect()
        };
        let (cells, holes) = (blocks(&left.cells), blocks(&left.holes));
        let nothing = |rows: &SparseRows| (0..rows.len()).map(|i| rows.is_nothing(i)).collect();
        let nothing = (nothing(left), nothing(right));
        Products { left, right, beside: (of_left, of_right), nothing, block, cells, holes }
    }

    /// Writes the products and, if needed, the counts of one block of left rows with some right
    /// rows; `at` are the first of both, `places` zeros, (n_columns), and zeros again afterwards.
    pub(crate) fn multiply(
        &self,
        (row, column): (usize, usize),
        (rows, columns): (usize, usize),
        places: &mut Vec<u32>,
        products: &mut Mat<f64>,
        counts: Option<&mut Mat<f32>>,
    ) {
        places.resize(self.left.columns(), 0);
        let cells = &self.cells[row / self.block];
        cells.mark(places, true);
        for j in 0..columns {
            let out = &mut products.col_as_slice_mut(j)[..rows];
            let beside = self.beside.1[column + j];
            let of_left = &self.beside.0[row..row + rows];
            out.iter_mut().zip(of_left).for_each(|(out, of)| *out = beside + of);
            cells.add(&self.right.cells, column + j, places, out);
            // Exact zeros for rows without a value.
            let nothing = self.nothing.1[column + j];
            for (out, of_left) in out.iter_mut().zip(&self.nothing.0[row..]) {
                if nothing || *of_left {
                    *out = 0.0;
                }
            }
        }
        cells.mark(places, false);
        let Some(counts) = counts else { return };
        let (holes, d) = (&self.holes[row / self.block], self.left.columns());
        holes.mark(places, true);
        let mut both = vec![0.0; rows];
        for j in 0..columns {
            both.fill(0.0);
            holes.add(&self.right.holes, column + j, places, &mut both);
            let of_right = self.right.missing(column + j).len();
            for (i, (count, both)) in
                counts.col_as_slice_mut(j)[..rows].iter_mut().zip(&both).enumerate()
            {
                // Missing in either, of at most 2^24 columns.
                let missing = (self.left.missing(row + i).len() + of_right) as f64 - both;
                *count = (d as f64 - missing) as f32;
            }
        }
        holes.mark(places, false);
    }
}
