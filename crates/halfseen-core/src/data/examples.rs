//! Views prepared rows with their targets, as every learner receives them.

use super::{Matrix, RowCells};
use crate::data::{Bounds, Layout, Scaler};
use crate::error::{ErrorKind, Result};
use std::borrow::Cow;
use std::sync::Arc;

/// Cells of one example; see [`Examples::row`].
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    cells: RowCells<'a>,
    scaler: &'a Scaler,
}

impl Row<'_> {
    /// Returns one cell in raw units.
    #[inline]
    pub fn raw(&self, column: usize) -> f64 {
        self.cells.get(column)
    }

    /// Returns one scaled cell.
    #[inline]
    pub fn scaled(&self, column: usize) -> f64 {
        self.scaler.scale(column, self.raw(column))
    }

    /// Appends the scaled cells of these columns to `out`.
    #[inline]
    pub(crate) fn scaled_into(&self, columns: &[u32], out: &mut Vec<f64>) {
        match &self.cells {
            RowCells::F64(cells) => self.scale_into(columns, |column| cells[column], out),
            RowCells::U8(cells) => self.scale_into(columns, |column| f64::from(cells[column]), out),
            RowCells::Shared(cells, stride) => {
                self.scale_into(columns, |column| cells[column * stride], out);
            }
            other => self.scale_into(columns, |column| other.get(column), out),
        }
    }

    /// Appends scaled cells; `raw` returns one in raw units.
    #[inline]
    fn scale_into(&self, columns: &[u32], raw: impl Fn(usize) -> f64, out: &mut Vec<f64>) {
        let columns = columns.iter().map(|&column| column as usize);
        match self.scaler {
            Scaler::None {} => out.extend(columns.map(raw)),
            Scaler::Common { divisor } => out.extend(columns.map(|column| raw(column) / divisor)),
            Scaler::Each { offset, divisor } => {
                out.extend(columns.map(|j| (raw(j) - offset[j]) / divisor[j]));
            }
        }
    }
}

/// Rows of a prepared matrix in scaled units, with one target each.
///
/// Cloning and restricting to other rows are cheap: the matrix is not copied.
#[derive(Debug, Clone)]
pub struct Examples<'a> {
    /// The encoded cells in raw units, (n, n_columns).
    pub matrix: &'a Matrix,
    /// Map from raw to scaled cells.
    pub scaler: &'a Scaler,
    /// Columns that are read together, and columns that are always known.
    pub layout: &'a Arc<Layout>,
    /// One target per row of `matrix`, in scaled units.
    pub targets: &'a [f64],
    /// The class of every row of `matrix`, if any; with more than two the targets are NaN.
    pub labels: Option<Labels<'a>>,
    /// Rows of `matrix` that are the examples, in their order.
    pub rows: Cow<'a, [u32]>,
    /// One weight per row of `matrix`, from 0 to 1e100: weight 2 counts as the row twice, weight 0
    /// as the row left out. `None` is 1 for all. Weights affect learning, not scores. See
    /// [`Needs::weights`](crate::params::Needs::weights).
    pub weights: Option<&'a [f64]>,
    /// Means and second moments of the scaled columns, if the learner may know them; otherwise a
    /// budgeted learner estimates them from its own reads.
    pub moments: Option<&'a Moments>,
    /// Declarations of the columns, which a read can contradict.
    pub declared: Declared<'a>,
    /// Rows of an earlier table that cost no read, in the same units and columns; cells and targets
    /// may be missing (NaN), and of more than two classes a code beyond the classes. See
    /// [`Needs::pilot`](crate::params::Needs::pilot).
    pub pilot: Option<&'a Examples<'a>>,
}

/// Classes of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Labels<'a> {
    /// Index of the class of each row of the matrix.
    pub codes: &'a [u32],
    /// Number of classes.
    pub classes: usize,
}

/// Declarations that reads are checked against; the default is none.
#[derive(Debug, Clone, Copy, Default)]
pub struct Declared<'a> {
    /// Range of every column, in raw units: reads outside are counted and reported.
    pub bounds: Option<&'a Bounds>,
    /// True if [`Examples::moments`] were declared, not measured: a nonzero read of a column whose
    /// declared second moment is 0 is refused.
    pub moments: bool,
    /// True if means were declared too. Otherwise the means are 0: nothing is then subtracted from
    /// second moments, which are upper bounds on the variances.
    pub means: bool,
    /// Names of the columns for messages; without them messages use the panel's name.
    pub names: &'a [String],
}

impl<'a> Examples<'a> {
    /// Takes all rows of a matrix (n, n_columns) with one target each, (n), in scaled units; for
    /// prediction targets may be empty. Classes, weights and declarations are left empty.
    pub fn new(
        matrix: &'a Matrix,
        scaler: &'a Scaler,
        layout: &'a Arc<Layout>,
        targets: &'a [f64],
    ) -> Examples<'a> {
        let rows = (0..matrix.rows() as u32).collect::<Vec<_>>().into();
        let declared = Declared::default();
        Examples {
            matrix,
            scaler,
            layout,
            targets,
            labels: None,
            rows,
            weights: None,
            moments: None,
            declared,
            pilot: None,
        }
    }

    /// Returns the number of examples.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true if there is no example.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.matrix.columns()
    }

    /// Returns true if few cells are stored, and the others are zeros in scaled units too.
    pub fn is_sparse(&self) -> bool {
        self.scaler.keeps_zeros() && self.matrix.is_sparse(&self.rows)
    }

    /// Returns one scaled cell of the `example`-th row.
    #[inline]
    pub fn value(&self, example: usize, column: usize) -> f64 {
        self.scaler.scale(column, self.matrix.get(self.rows[example] as usize, column))
    }

    /// Returns the cells of the `example`-th row, for several looks at them.
    #[inline]
    pub fn row(&self, example: usize) -> Row<'_> {
        Row { cells: self.matrix.row(self.rows[example] as usize), scaler: self.scaler }
    }

    /// Returns the target of the `example`-th row.
    #[inline]
    pub fn target(&self, example: usize) -> f64 {
        self.targets[self.rows[example] as usize]
    }

    /// Returns the number that stands for the target of the `example`-th row: of more than two
    /// classes the class's own.
    #[inline]
    pub fn told(&self, example: usize) -> f64 {
        match self.labels {
            Some(Labels { codes, classes }) if classes > 2 => {
                f64::from(codes[self.rows[example] as usize])
            }
            _ => self.target(example),
        }
    }

    /// Returns the weight of the `example`-th row.
    #[inline]
    pub fn weight(&self, example: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[self.rows[example] as usize])
    }

    /// Returns the weights of all rows; `None` if they have none.
    pub fn weight_list(&self) -> Option<Vec<f64>> {
        self.weights.map(|weights| self.rows.iter().map(|&row| weights[row as usize]).collect())
    }

    /// Drops rows of weight 0, and the weights if all others are 1; learners that accept weights
    /// start with this.
    ///
    /// # Errors
    /// Weights that are negative or not finite, or not one for each row.
    pub fn counted(&self) -> Result<Cow<'_, Examples<'a>>> {
        let Some(weights) = self.weights else { return Ok(Cow::Borrowed(self)) };
        check_weights(weights, self.matrix.rows())?;
        let counts = |row: &u32| weights[*row as usize] > 0.0;
        let rows: Vec<u32> = self.rows.iter().copied().filter(counts).collect();
        let weights = rows.iter().any(|&row| weights[row as usize] != 1.0).then_some(weights);
        Ok(Cow::Owned(Examples { rows: rows.into(), weights, ..self.clone() }))
    }

    /// Returns the class of the `example`-th row; `None` for numbers.
    #[inline]
    pub fn code(&self, example: usize) -> Option<u32> {
        self.labels.map(|labels| labels.codes[self.rows[example] as usize])
    }

    /// Returns the number of classes; 0 for numbers.
    pub fn classes(&self) -> usize {
        self.labels.map_or(0, |labels| labels.classes)
    }

    /// Copies one scaled row into `out`.
    pub fn row_into(&self, example: usize, out: &mut [f64]) {
        self.matrix.row_into(self.rows[example] as usize, out);
        self.scaler.scale_row(out);
    }

    /// Restricts the data to other rows.
    pub fn with_rows(&self, rows: impl Into<Cow<'a, [u32]>>) -> Examples<'a> {
        Examples { rows: rows.into(), ..self.clone() }
    }

    /// Returns the first `count` examples.
    pub fn prefix(&self, count: usize) -> Examples<'a> {
        self.with_rows(self.rows[..count.min(self.len())].to_vec())
    }

    /// Returns the moments unless they were declared, for learners that may look at every cell.
    pub fn measured(&self) -> Option<&'a Moments> {
        self.moments.filter(|_| !self.declared.moments)
    }

    /// Returns the mean of the squared targets.
    pub fn target_square(&self) -> f64 {
        let sum: f64 = (0..self.len()).map(|i| self.target(i).powi(2)).sum();
        sum / self.len().max(1) as f64
    }

    /// Returns the minimum and the maximum of the targets; `None` without rows.
    pub fn target_range(&self) -> Option<[f64; 2]> {
        (0..self.len()).fold(None, |range, i| Some(widened(range, self.target(i))))
    }
}

/// Extends a range to include another number.
#[inline]
pub fn widened(range: Option<[f64; 2]>, number: f64) -> [f64; 2] {
    range.map_or([number; 2], |[low, high]| [low.min(number), high.max(number)])
}

/// Largest weight: sums of weights stay finite.
const LARGEST_WEIGHT: f64 = 1e100;

/// Refuses invalid weights of `rows` rows.
///
/// # Errors
/// [`ErrorKind::WrongLength`]; [`ErrorKind::WrongWeight`] for a weight that is not from 0 to 1e100.
pub(crate) fn check_weights(weights: &[f64], rows: usize) -> Result<()> {
    if weights.len() != rows {
        let what = "weights, one for each row".to_owned();
        return Err(ErrorKind::WrongLength { what, expected: rows, found: weights.len() }.into());
    }
    // NaN is in no range.
    match weights.iter().position(|weight| !(0.0..=LARGEST_WEIGHT).contains(weight)) {
        Some(at) => Err(ErrorKind::WrongWeight { row: at + 1, value: weights[at] }.into()),
        None => Ok(()),
    }
}

/// First and second moments of scaled columns, each (n_columns).
#[derive(Debug, Clone, PartialEq)]
pub struct Moments {
    /// E x_j.
    pub mean: Vec<f64>,
    /// E x_j^2.
    pub square: Vec<f64>,
}

impl Moments {
    /// Refuses moments that no data can have.
    ///
    /// # Errors
    /// Not one number for each column; one that is not finite; a second moment below 0.
    pub fn check(&self, columns: usize) -> Result<()> {
        for (what, numbers, least) in
            [("mean", &self.mean, f64::MIN), ("second moment", &self.square, 0.0)]
        {
            if numbers.len() != columns {
                let (what, found) = (format!("{what}s, one for each column"), numbers.len());
                return Err(ErrorKind::WrongLength { what, expected: columns, found }.into());
            }
            if let Some(column) = numbers.iter().position(|v| !(least..=f64::MAX).contains(v)) {
                let (name, problem) =
                    (format!("column {}", column + 1), format!("it is {}", numbers[column]));
                return Err(ErrorKind::WrongDeclaration { what, name, problem }.into());
            }
        }
        Ok(())
    }

    /// Measures all observed cells, with the weights; only for learners that may look at all cells.
    pub fn measure(examples: &Examples<'_>) -> Moments {
        let d = examples.columns();
        let (mut mean, mut square, mut row) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
        let mut seen = vec![0.0_f64; d];
        let mut see = |j: usize, v: f64, weight: f64| {
            count(v, weight, (&mut mean[j], &mut square[j], &mut seen[j]));
        };
        if examples.matrix.is_sparse(&examples.rows) {
            let mut held = vec![0.0; d];
            for i in 0..examples.len() {
                examples.matrix.each_stored(examples.rows[i] as usize, |j, v| {
                    held[j] += examples.weight(i);
                    see(j, examples.scaler.scale(j, v), examples.weight(i));
                });
            }
            // The others are scaled zeros.
            let total: f64 = (0..examples.len()).map(|i| examples.weight(i)).sum();
            for (j, held) in held.into_iter().enumerate() {
                see(j, examples.scaler.scale(j, 0.0), (total - held).max(0.0));
            }
        } else {
            for i in 0..examples.len() {
                examples.row_into(i, &mut row);
                let weight = examples.weight(i);
                let sums = mean.iter_mut().zip(&mut square).zip(&mut seen);
                for (((mean, square), seen), &v) in sums.zip(&row) {
                    count(v, weight, (mean, square, seen));
                }
            }
        }
        for ((m, s), seen) in mean.iter_mut().zip(&mut square).zip(seen) {
            let weight = if seen > 0.0 { seen } else { 1.0 };
            *m /= weight;
            *s /= weight;
        }
        Moments { mean, square }
    }
}

/// Adds a cell to the sums of its column, unless it is missing: without a branch, for wide
/// instructions.
#[inline(always)]
fn count(v: f64, weight: f64, (mean, square, seen): (&mut f64, &mut f64, &mut f64)) {
    let (weight, v) = if v.is_nan() { (0.0, 0.0) } else { (weight, v) };
    let weighed = weight * v;
    *mean += weighed;
    *square += weighed * v;
    *seen += weight;
}
