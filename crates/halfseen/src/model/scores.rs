//! Holds the scores of rows, and the classes that they mean.

/// The scores of some rows, (n_rows, outputs).
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Row by row.
    pub values: Vec<f64>,
    /// Scores of one row: 1, or one for each of more than two classes.
    pub outputs: usize,
    /// Whether a score estimates the target (a number, or -1/+1). If not, only its sign or the
    /// largest one means something.
    pub estimates: bool,
}

impl Scores {
    /// One estimate of the target for each row.
    pub fn estimates(values: Vec<f64>) -> Scores {
        Scores { values, outputs: 1, estimates: true }
    }

    /// One margin for each row: its sign tells a class.
    pub fn margins(values: Vec<f64>) -> Scores {
        Scores { values, outputs: 1, estimates: false }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.outputs.max(1)
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The scores of one row, (outputs).
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.outputs..(row + 1) * self.outputs]
    }

    /// The class that a row's scores mean: the second of two where the score is above 0, else the
    /// first with the largest score.
    pub fn class(&self, row: usize) -> usize {
        match self.row(row) {
            [score] => usize::from(*score > 0.0),
            scores => {
                (1..scores.len()).fold(0, |best, r| if scores[r] > scores[best] { r } else { best })
            }
        }
    }

    /// The same with every score changed.
    pub fn map(mut self, change: impl Fn(f64) -> f64) -> Scores {
        self.values.iter_mut().for_each(|v| *v = change(*v));
        self
    }

    /// Columns of scores side by side, (n_rows, columns).
    pub(super) fn beside(columns: Vec<Vec<f64>>) -> Scores {
        let rows = columns.first().map_or(0, Vec::len);
        let values = (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        Scores { values, outputs: columns.len(), estimates: false }
    }
}
