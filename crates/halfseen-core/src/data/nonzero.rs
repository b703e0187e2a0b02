//! Selects the nonzero cells of a row, without reading the zeros if the storage allows it.

use super::{Examples, Matrix, Scaler};

/// The nonzero scaled cells of one row, by increasing column.
#[derive(Debug, Clone, Default)]
pub struct Cells {
    /// Only the first `len` entries are valid; the others are capacity.
    columns: Vec<u32>,
    values: Vec<f64>,
    len: usize,
    row: Vec<f64>,
    /// True if cells stored as zero stay zero when scaled.
    sparse: bool,
}

impl Cells {
    /// Allocates for rows scaled like these.
    pub fn of(examples: &Examples<'_>) -> Cells {
        Cells { sparse: examples.scaler.keeps_zeros(), ..Cells::default() }
    }

    /// Reads one example.
    pub fn read(&mut self, examples: &Examples<'_>, example: usize) {
        let row = examples.rows[example] as usize;
        match examples.matrix {
            Matrix::U8(bytes) if self.sparse => {
                self.room(examples.columns());
                let bytes = bytes.row(row);
                match bytes.as_slice() {
                    // Eight bytes at a time: most of an image is background.
                    Some(bytes) => {
                        let (words, rest) = bytes.as_chunks::<8>();
                        for (block, word) in words.iter().enumerate() {
                            if u64::from_ne_bytes(*word) != 0 {
                                self.keep(8 * block, word.iter().map(|&b| f64::from(b)));
                            }
                        }
                        self.keep(8 * words.len(), rest.iter().map(|&b| f64::from(b)));
                    }
                    None => self.keep(0, bytes.iter().map(|&b| f64::from(b))),
                }
            }
            Matrix::Csr(sparse) if self.sparse => {
                let (columns, values) = sparse.row(row);
                self.room(columns.len());
                self.columns[..columns.len()].copy_from_slice(columns);
                self.values[..values.len()].copy_from_slice(values);
                self.len = columns.len();
            }
            Matrix::Coded(coded) if self.sparse => {
                self.room(examples.columns());
                coded.each(row, |column, value| self.keep(column, [value].into_iter()));
            }
            _ => {
                let mut scaled = std::mem::take(&mut self.row);
                scaled.resize(examples.columns(), 0.0);
                examples.row_into(example, &mut scaled);
                self.take(&scaled);
                self.row = scaled;
                return;
            }
        }
        let values = &mut self.values[..self.len];
        match examples.scaler {
            Scaler::None {} => {}
            Scaler::Common { divisor } => values.iter_mut().for_each(|v| *v /= divisor),
            Scaler::Each { divisor, .. } => {
                values.iter_mut().zip(&self.columns).for_each(|(v, &j)| *v /= divisor[j as usize]);
            }
        }
    }

    /// Takes the nonzero cells of a dense scaled row.
    pub fn take(&mut self, row: &[f64]) {
        self.room(row.len());
        self.keep(0, row.iter().copied());
    }

    /// Clears the cells and makes room for `columns` of them.
    fn room(&mut self, columns: usize) {
        self.len = 0;
        if self.columns.len() < columns {
            self.columns.resize(columns, 0);
            self.values.resize(columns, 0.0);
        }
    }

    /// Appends the cells from column `first` on that are not zero.
    #[inline]
    fn keep(&mut self, first: usize, cells: impl Iterator<Item = f64>) {
        let mut kept = self.len;
        for (j, v) in cells.enumerate() {
            // Written always, kept if not zero: no branch to mispredict.
            self.columns[kept] = (first + j) as u32;
            self.values[kept] = v;
            kept += usize::from(v != 0.0);
        }
        self.len = kept;
    }

    /// Returns the first missing or infinite cell, with its column.
    pub fn bad(&self) -> Option<(usize, f64)> {
        self.iter().find(|(_, v)| !v.is_finite())
    }

    /// Returns columns and values.
    pub fn lists(&self) -> (&[u32], &[f64]) {
        (&self.columns[..self.len], &self.values[..self.len])
    }

    /// Iterates over columns and values.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.columns[..self.len]
            .iter()
            .map(|&j| j as usize)
            .zip(self.values[..self.len].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use crate::data::*;
    use crate::data::{Attribute, Coded, Csr, Layout};
    use ndarray::Array2;
    use std::sync::Arc;

    #[test]
    fn every_storage_and_scale_gives_the_cells_that_are_not_zero() {
        let bytes =
            Array2::from_shape_fn(
                (4, 21),
                |(i, j)| if (i * j) % 5 == 2 { (i + j) as u8 } else { 0 },
            );
        let sideways = Array2::from_shape_fn((21, 4), |(j, i)| bytes[[i, j]]).reversed_axes();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in bytes.rows() {
            for (j, &b) in row.iter().enumerate().filter(|(_, b)| **b != 0) {
                columns.push(j as u32);
                values.push(f64::from(b));
            }
            starts.push(columns.len());
        }
        let codes = vec![Coded::MISSING, 3, 18, 0];
        let coded = Coded::new(
            4,
            (0..8).map(f64::from).collect(),
            vec![Attribute::Number, Attribute::Text(codes, 19), Attribute::Number],
        );
        let stores = [
            Matrix::Coded(coded).filled(|j| (j % 3) as f64),
            Matrix::Csr(Csr::new(starts, columns, values, 21).unwrap()),
            Matrix::F64(bytes.mapv(f64::from)),
            Matrix::F32(bytes.mapv(f32::from)),
            Matrix::U8(sideways),
            Matrix::U8(bytes),
        ];
        let each =
            Scaler::Each { offset: (0..21).map(f64::from).collect(), divisor: vec![2.0; 21] };
        let (layout, targets) = (Arc::new(Layout::singletons(21)), [0.0; 4]);
        let largest =
            Scaler::Each { offset: vec![0.0; 21], divisor: (1..22).map(f64::from).collect() };
        for scaler in [Scaler::None {}, Scaler::Common { divisor: 255.0 }, each, largest] {
            for matrix in &stores {
                let examples =
                    Examples::new(matrix, &scaler, &layout, &targets).with_rows(vec![2, 0, 3]);
                let mut cells = Cells::of(&examples);
                for i in 0..3 {
                    cells.read(&examples, i);
                    let expected =
                        (0..21).map(|j| (j, examples.value(i, j))).filter(|(_, v)| *v != 0.0);
                    assert!(cells.iter().filter(|(_, v)| *v != 0.0).eq(expected));
                }
            }
        }
    }

    #[test]
    fn a_missing_cell_is_no_zero() {
        let mut cells = Cells::default();
        cells.take(&[0.0, f64::NAN, -0.0]);
        assert_eq!(cells.iter().count(), 1);
        assert!(cells.bad().is_some_and(|(column, value)| column == 1 && value.is_nan()));
    }
}
