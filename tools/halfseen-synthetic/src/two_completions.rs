//! Draws data with several best completions, not all of which determine the labels: the examples of
//! Hazan, Livni and Mansour 2015, section 1.

use crate::{Incomplete, out_of_range, streams};
use faer::Mat;
use halfseen::error::Result;
use ndarray::Array2;

/// Rows (1, *, 1, *), (*, -1, *, -1) or (1, -1, 1, -1), with labels 1, -1 and 1 (Hazan et al. 2015,
/// section 1, equation 1).
///
/// No matrix of rank 1 agrees with all observed cells and labels. Many of rank 2 do, and joint
/// completion of rows and labels to the least rank leaves unknown labels undetermined:
/// [`TwoCompletions::completions`] gives two that contradict each other. More rows do not help. A
/// linear rule on observed cells, 0 elsewhere, makes no error.
///
/// The truth is one of them: rows (a, b, a, b), w = (1, 0, 1, 0) / 2 and y = <w, x>. The second
/// pattern does not determine its row: the data are not regular and still easily classified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TwoCompletions;

/// Masks of observed cells, complete rows, and labels.
const KINDS: [([bool; 4], [f64; 4], f64); 3] = [
    ([true, false, true, false], [1.0, 1.0, 1.0, 1.0], 1.0),
    ([false, true, false, true], [-1.0, -1.0, -1.0, -1.0], -1.0),
    ([true, true, true, true], [1.0, -1.0, 1.0, -1.0], 1.0),
];

impl TwoCompletions {
    /// Draws rows: one of each kind, then random kinds.
    pub fn draw(&self, rows: usize, seed: u64) -> Incomplete {
        let (_, mut stream) = streams(seed, 8);
        let kinds: Vec<usize> = (0..rows)
            .map(|row| if row < KINDS.len() { row } else { stream.below(KINDS.len()) })
            .collect();
        let complete = Array2::from_shape_fn((rows, 4), |(row, j)| KINDS[kinds[row]].1[j]);
        let observed: Vec<Vec<bool>> = kinds.iter().map(|&kind| KINDS[kind].0.to_vec()).collect();
        let targets = kinds.iter().map(|&kind| KINDS[kind].2).collect();
        let half = 0.5_f64.sqrt();
        let basis = Mat::from_fn(4, 2, |j, k| if j % 2 == k { half } else { 0.0 });
        Incomplete::new(complete, &observed, targets, vec![0.5, 0.0, 0.5, 0.0], basis)
    }

    /// Returns two completions of rows and labels, (rows, 5), the label last. Both have rank 2 and
    /// agree with all observed cells and with all labels except those of `unlabelled`, which are 1
    /// in one and -1 in the other.
    ///
    /// # Errors
    /// A row does not exist.
    pub fn completions(&self, set: &Incomplete, unlabelled: &[usize]) -> Result<[Array2<f64>; 2]> {
        let rows = set.targets.len();
        if let Some(&row) = unlabelled.iter().find(|row| **row >= rows) {
            return Err(out_of_range("unlabelled", row, format!("a row below {rows}")));
        }
        Ok([1.0, -1.0].map(|label| {
            let mut whole = Array2::from_shape_fn((rows, 5), |(row, j)| match j {
                4 => set.targets[row],
                // All rows equal, so that the labels may be arbitrary.
                _ => KINDS[2].1[j],
            });
            unlabelled.iter().for_each(|&row| whole[[row, 4]] = label);
            whole
        }))
    }
}

/// Rows t (1, -1), of which one coordinate is observed, with the sign of t as label, 1/2 <= |t| <=
/// 1 (Hazan et al. 2015, section 1, figure 1).
///
/// Rank 1 has two completions: to the true line, on which the labels are separated, and to the line
/// (1, 1), on which rows of both labels coincide. Completion without the labels cannot distinguish
/// them. w = (1, -1) / sqrt(2) on observed cells makes no error, and kappa = 1/2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TwoLines;

impl TwoLines {
    /// Draws rows; y = sign <w, x>.
    pub fn draw(&self, rows: usize, seed: u64) -> Incomplete {
        let (_, mut stream) = streams(seed, 9);
        let mut complete = Array2::zeros((rows, 2));
        let (mut targets, mut observed) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for mut row in complete.rows_mut() {
            let label = if stream.word() & 1 == 1 { 1.0 } else { -1.0 };
            let size = 0.5 + stream.unit() / 2.0;
            (row[0], row[1]) = (label * size, -label * size);
            let first = stream.word() & 1 == 1;
            observed.push(vec![first, !first]);
            targets.push(label);
        }
        let half = 0.5_f64.sqrt();
        let basis = Mat::from_fn(2, 1, |j, _| if j == 0 { half } else { -half });
        Incomplete::new(complete, &observed, targets, vec![half, -half], basis)
    }

    /// Returns the completions to the true and to the other line, (rows, 2) each, both of rank 1.
    pub fn completions(&self, set: &Incomplete) -> [Array2<f64>; 2] {
        let other = Array2::from_shape_fn(set.complete.dim(), |(row, _)| {
            let seen = usize::from(!set.observed(row)[0]);
            set.complete[[row, seen]]
        });
        [set.complete.clone(), other]
    }
}
