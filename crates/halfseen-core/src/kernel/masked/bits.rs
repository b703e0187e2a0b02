//! Counts the columns that two rows both show, 64 at a time.

use faer::Mat;

/// Masks of rows, a bit for each column: words `w * n_rows ..` hold 64 columns of each row.
#[derive(Debug, Clone)]
pub(crate) struct Bits {
    rows: usize,
    words: Vec<u64>,
}

impl Bits {
    /// Takes masks that are 0 or 1, (n_columns, n_rows).
    pub(super) fn new(observed: &Mat<f32>) -> Bits {
        let rows = observed.ncols();
        let mut words = vec![0; rows * observed.nrows().div_ceil(64)];
        for i in 0..rows {
            for (w, of) in observed.col_as_slice(i).chunks(64).enumerate() {
                words[w * rows + i] =
                    of.iter().rev().fold(0, |word, &seen| (word << 1) | u64::from(seen != 0.0));
            }
        }
        Bits { rows, words }
    }

    /// Adds the numbers of columns that a row of another table and each of the rows from `first` on
    /// both show.
    pub(crate) fn add_shared(&self, first: usize, other: &Bits, row: usize, counts: &mut [u32]) {
        let words = self.words.chunks(self.rows).zip(other.words.chunks(other.rows));
        for (of, others) in words {
            let word = others[row];
            counts.iter_mut().zip(&of[first..]).for_each(|(c, &w)| *c += (w & word).count_ones());
        }
    }
}
