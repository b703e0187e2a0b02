//! Stores the scores of rows, and determines their classes.

/// Scores of some rows, (n_rows, outputs).
#[derive(Debug, Clone, PartialEq)]
pub struct Scores {
    /// Scores in row-major order.
    pub values: Vec<f64>,
    /// Number of scores of a row: 1, or one for each of more than two classes.
    pub outputs: usize,
    /// True if a score estimates the target (a number, or -1/+1). Otherwise only its sign, or the
    /// largest one, has a meaning.
    pub estimates: bool,
}

impl Scores {
    /// Creates scores of one estimate of the target per row.
    pub fn estimates(values: Vec<f64>) -> Scores {
        Scores { values, outputs: 1, estimates: true }
    }

    /// Creates scores of one margin per row, whose sign is a class.
    pub fn margins(values: Vec<f64>) -> Scores {
        Scores { values, outputs: 1, estimates: false }
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.values.len() / self.outputs.max(1)
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the scores of one row, (outputs).
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.outputs..(row + 1) * self.outputs]
    }

    /// Returns the class of a row: the second of two if the score is above 0, or the first of
    /// largest score.
    pub fn class(&self, row: usize) -> usize {
        match self.row(row) {
            [score] => usize::from(*score > 0.0),
            scores => largest(scores.iter().copied()),
        }
    }

    /// Applies a function to every score.
    pub fn map(mut self, change: impl Fn(f64) -> f64) -> Scores {
        self.values.iter_mut().for_each(|v| *v = change(*v));
        self
    }

    /// Joins columns of scores, (n_rows, columns).
    pub(super) fn beside(columns: Vec<Vec<f64>>) -> Scores {
        let rows = columns.first().map_or(0, Vec::len);
        let values = (0..rows).flat_map(|i| columns.iter().map(move |column| column[i])).collect();
        Scores { values, outputs: columns.len(), estimates: false }
    }
}

/// Returns the place of the largest score, the first of equals.
pub fn largest(scores: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (at, score) in scores.enumerate() {
        if at == 0 || score > best.1 {
            best = (at, score);
        }
    }
    best.0
}
