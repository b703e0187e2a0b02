//! Scales attributes and target, and maps results back to the original units.

use super::{Matrix, Target};
use crate::error::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// Scaling of attributes; see [`Scaler::fit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// As given.
    None,
    /// All attributes divided by one number.
    Common,
    /// Each attribute centred and divided by its own number.
    Each,
    /// Each attribute divided by its largest absolute value: zero stays zero.
    Max,
}

impl std::str::FromStr for Scale {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Scale> {
        Scale::ALL.into_iter().find(|scale| scale.name() == text).ok_or_else(|| {
            let expected = format!("one of {}", Scale::ALL.map(Scale::name).join(", "));
            ErrorKind::NotAValue { name: "scale", text: text.to_owned(), expected }.into()
        })
    }
}

impl Scale {
    /// All scalings.
    pub const ALL: [Scale; 4] = [Scale::None, Scale::Common, Scale::Each, Scale::Max];

    /// Returns its name, as in the program and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Scale::None => "none",
            Scale::Common => "common",
            Scale::Each => "each",
            Scale::Max => "max",
        }
    }

    /// Refuses a scale that needs to look at cells, which may be bytes, for a fit that must not.
    ///
    /// # Errors
    /// [`ErrorKind::Needs`].
    pub(crate) fn needs_no_look(self, are_bytes: bool) -> Result<()> {
        // The range of bytes is known.
        if self == Scale::None || (self == Scale::Common && are_bytes) {
            return Ok(());
        }
        let what = "the attributes' ranges, but an honest fit does not look at unread cells: declare their bounds, or use \
                    scale = none";
        Err(ErrorKind::Needs { name: "scale", value: self.name(), what }.into())
    }
}

/// Declared range of every encoded column, in raw units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bounds {
    /// Minimum of each column.
    pub low: Vec<f64>,
    /// Maximum of each column.
    pub high: Vec<f64>,
}

/// A fitted scaling: scaled = (raw - offset) / divisor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "scale", rename_all = "lowercase", deny_unknown_fields)]
pub enum Scaler {
    /// As given.
    None {},
    /// One divisor for all.
    Common {
        /// The divisor.
        divisor: f64,
    },
    /// Offsets and divisors, (n_columns) each.
    Each {
        /// Means, or middles of the declared ranges.
        offset: Vec<f64>,
        /// Standard deviations, or halves of the declared ranges; 1 for constant columns.
        divisor: Vec<f64>,
    },
}

/// Facts of each encoded column over the observed cells of the training rows, in raw units, to which
/// scalings are fitted.
pub trait ColumnFacts {
    /// Returns true if the cells are bytes, whose range is known without a look.
    fn are_bytes(&self) -> bool;

    /// Returns the largest absolute value of each column; 0 without one.
    fn largest(&self) -> Vec<f64>;

    /// Returns the mean and the standard deviation of each column; 0 without a value.
    fn mean_and_deviation(&self) -> (Vec<f64>, Vec<f64>);
}

/// Training rows of an encoded matrix, with weights above 0, one per row of the matrix.
pub(crate) struct TrainingCells<'a> {
    pub(crate) matrix: &'a Matrix,
    pub(crate) rows: &'a [u32],
    pub(crate) weights: Option<&'a [f64]>,
}

impl ColumnFacts for TrainingCells<'_> {
    fn are_bytes(&self) -> bool {
        matches!(self.matrix, Matrix::U8(_))
    }

    fn largest(&self) -> Vec<f64> {
        let mut largest = vec![0.0_f64; self.matrix.columns()];
        // A missing cell is no maximum.
        each_cell(self.matrix, self.rows, |j, v| largest[j] = largest[j].max(v.abs()));
        largest
    }

    fn mean_and_deviation(&self) -> (Vec<f64>, Vec<f64>) {
        mean_and_deviation(self.matrix, self.rows, self.weights)
    }
}

impl Scaler {
    /// Fits a scaling to the training rows of an encoded matrix, from observed cells only.
    ///
    /// `Common` divides by the largest absolute value (255 for bytes, without a look), `Max` by
    /// that of each column, `Each` subtracts the mean and divides by the standard deviation.
    /// Declared `bounds` are used instead, without reading a cell: scaled values are in [-1, 1].
    pub fn fit(scale: Scale, matrix: &Matrix, rows: &[u32], bounds: Option<&Bounds>) -> Scaler {
        Self::fit_weighted(scale, matrix, rows, None, bounds)
    }

    /// As [`Scaler::fit`] with weights above 0, one per row of the matrix; `None` is 1 for all.
    pub fn fit_weighted(
        scale: Scale,
        matrix: &Matrix,
        rows: &[u32],
        weights: Option<&[f64]>,
        bounds: Option<&Bounds>,
    ) -> Scaler {
        Self::fit_to(scale, &TrainingCells { matrix, rows, weights }, bounds)
    }

    /// Fits a scaling to what is known of the columns.
    pub(crate) fn fit_to(scale: Scale, facts: &dyn ColumnFacts, bounds: Option<&Bounds>) -> Scaler {
        let largest = || -> Vec<f64> {
            match bounds {
                Some(Bounds { low, high }) => {
                    low.iter().zip(high).map(|(l, h)| l.abs().max(h.abs())).collect()
                }
                None => facts.largest(),
            }
        };
        match (scale, bounds) {
            (Scale::None, _) => Scaler::None {},
            (Scale::Common, None) if facts.are_bytes() => Scaler::Common { divisor: 255.0 },
            (Scale::Common, _) => {
                let largest = largest().into_iter().fold(0.0_f64, f64::max);
                Scaler::Common { divisor: positive(largest) }
            }
            (Scale::Max, _) => {
                let divisor: Vec<f64> = largest().into_iter().map(positive).collect();
                Scaler::Each { offset: vec![0.0; divisor.len()], divisor }
            }
            (Scale::Each, Some(bounds)) => {
                let pairs = bounds.low.iter().zip(&bounds.high);
                let (offset, divisor) =
                    pairs.map(|(l, h)| ((l + h) / 2.0, positive((h - l) / 2.0))).unzip();
                Scaler::Each { offset, divisor }
            }
            (Scale::Each, None) => {
                let (offset, deviation) = facts.mean_and_deviation();
                // A deviation below the rounding error of the mean is that of a constant column.
                let divisor = |(deviation, mean): (f64, &f64)| {
                    if deviation <= 1e-12 * mean.abs() { 1.0 } else { positive(deviation) }
                };
                let divisor = deviation.into_iter().zip(&offset).map(divisor).collect();
                Scaler::Each { offset, divisor }
            }
        }
    }

    /// Scales one cell.
    #[inline]
    pub fn scale(&self, column: usize, raw: f64) -> f64 {
        match self {
            Scaler::None {} => raw,
            Scaler::Common { divisor } => raw / divisor,
            Scaler::Each { offset, divisor } => (raw - offset[column]) / divisor[column],
        }
    }

    /// Scales a full row in place.
    pub fn scale_row(&self, row: &mut [f64]) {
        match self {
            Scaler::None {} => {}
            Scaler::Common { divisor } => row.iter_mut().for_each(|v| *v /= divisor),
            Scaler::Each { offset, divisor } => {
                for ((v, o), d) in row.iter_mut().zip(offset).zip(divisor) {
                    *v = (*v - o) / d;
                }
            }
        }
    }

    /// Returns true if zero stays zero in every column. O(n_columns) at most.
    pub fn keeps_zeros(&self) -> bool {
        match self {
            Scaler::None {} | Scaler::Common { .. } => true,
            Scaler::Each { offset, .. } => offset.iter().all(|o| *o == 0.0),
        }
    }

    /// Returns the offset and the divisor of a column.
    pub fn affine(&self, column: usize) -> (f64, f64) {
        match self {
            Scaler::None {} => (0.0, 1.0),
            Scaler::Common { divisor } => (0.0, *divisor),
            Scaler::Each { offset, divisor } => (offset[column], divisor[column]),
        }
    }

    /// Refuses a scaling from a file that does not fit `columns` columns.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        let bad = |key: &str, problem: &str| {
            Err(Error::in_model(format!("prepare.scaler.{key}"), problem))
        };
        match self {
            Scaler::None {} => Ok(()),
            Scaler::Common { divisor } if divisor.is_normal() && *divisor > 0.0 => Ok(()),
            Scaler::Common { .. } => bad("divisor", "must be a finite number of at least 1e-307"),
            Scaler::Each { offset, divisor }
                if offset.len() != columns || divisor.len() != columns =>
            {
                bad("offset", "must hold one number per column")
            }
            Scaler::Each { offset, .. } if !offset.iter().all(|v| v.is_finite()) => {
                bad("offset", "holds a number that is not finite")
            }
            Scaler::Each { divisor, .. } if !divisor.iter().all(|v| v.is_normal() && *v > 0.0) => {
                bad("divisor", "must hold finite numbers of at least 1e-307")
            }
            Scaler::Each { .. } => Ok(()),
        }
    }
}

/// Maps targets to the learner's units and scores back: learned = (target - mean) / deviation.
///
/// A regression target is centred and divided by its standard deviation over the training rows,
/// the -1/+1 of two classes only centred. Without an intercept neither is changed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetScale {
    /// Number that is subtracted.
    pub mean: f64,
    /// Divisor.
    pub deviation: f64,
}

impl TargetScale {
    /// Leaves targets as they are.
    pub const IDENTITY: TargetScale = TargetScale { mean: 0.0, deviation: 1.0 };

    /// Fits to the scores of the training rows. Every family may look at targets.
    pub fn fit(target: &Target, scores: &[f64], rows: &[u32], intercept: bool) -> TargetScale {
        Self::fit_weighted(target, scores, rows, None, intercept)
    }

    /// As [`TargetScale::fit`] with weights above 0, one for each score; `None` is 1 for all.
    pub fn fit_weighted(
        target: &Target,
        scores: &[f64],
        rows: &[u32],
        weights: Option<&[f64]>,
        intercept: bool,
    ) -> TargetScale {
        if !intercept || rows.is_empty() {
            return Self::IDENTITY;
        }
        let weight = |r: u32| weights.map_or(1.0, |weights| weights[r as usize]);
        let n: f64 = rows.iter().map(|&r| weight(r)).sum();
        let mean = rows.iter().map(|&r| weight(r) * scores[r as usize]).sum::<f64>() / n;
        let variance =
            rows.iter().map(|&r| weight(r) * (scores[r as usize] - mean).powi(2)).sum::<f64>() / n;
        TargetScale::of(mean, matches!(target, Target::Numbers(_)).then_some(variance))
    }

    /// Returns the scaling by the mean and, for numbers, the variance.
    pub fn of(mean: f64, variance: Option<f64>) -> TargetScale {
        TargetScale { mean, deviation: variance.map_or(1.0, |variance| positive(variance.sqrt())) }
    }

    /// Maps a target to the learner's units.
    pub fn apply(&self, target: f64) -> f64 {
        (target - self.mean) / self.deviation
    }

    /// Maps a score to the target's units.
    pub fn undo(&self, score: f64) -> f64 {
        score * self.deviation + self.mean
    }
}

/// Returns a valid divisor: 1 if the number is zero (a constant column) or below rounding error.
fn positive(number: f64) -> f64 {
    if number.is_finite() && number > f64::MIN_POSITIVE { number } else { 1.0 }
}

/// Visits the cells that matter for an absolute maximum: those of sparse rows that are stored.
fn each_cell(matrix: &Matrix, rows: &[u32], mut visit: impl FnMut(usize, f64)) {
    if matrix.is_sparse(rows) {
        rows.iter().for_each(|&r| matrix.each_stored(r as usize, &mut visit));
    } else {
        each_row(matrix, rows, |_, row| {
            row.iter().enumerate().for_each(|(column, &v)| visit(column, v));
        });
    }
}

fn each_row(matrix: &Matrix, rows: &[u32], mut visit: impl FnMut(u32, &[f64])) {
    let mut row = vec![0.0; matrix.columns()];
    for &r in rows {
        matrix.row_into(r as usize, &mut row);
        visit(r, &row);
    }
}

/// Returns the mean and standard deviation of each column over its observed cells; 0 if there is
/// none.
fn mean_and_deviation(
    matrix: &Matrix,
    rows: &[u32],
    weights: Option<&[f64]>,
) -> (Vec<f64>, Vec<f64>) {
    let d = matrix.columns();
    let (mut count, mut mean, mut spread) = (vec![0.0_f64; d], vec![0.0; d], vec![0.0; d]);
    let weight = |r: u32| weights.map_or(1.0, |weights| weights[r as usize]);
    let mut see = |j: usize, v: f64, weight: f64| {
        count[j] += weight;
        let before = v - mean[j];
        // The mean of equal cells is then exactly that cell.
        mean[j] += before / if weight == 1.0 { count[j] } else { count[j] / weight };
        spread[j] += weight * before * (v - mean[j]);
    };
    if matrix.is_sparse(rows) {
        // Rows, and their weight, in which a column is stored.
        let (mut stored, mut held) = (vec![0_usize; d], vec![0.0; d]);
        for &r in rows {
            matrix.each_stored(r as usize, |j, v| {
                (stored[j], held[j]) = (stored[j] + 1, held[j] + weight(r));
                if !v.is_nan() {
                    see(j, v, weight(r));
                }
            });
        }
        let total: f64 = rows.iter().map(|&r| weight(r)).sum();
        for j in (0..d).filter(|&j| stored[j] < rows.len()) {
            // All zeros at once (Chan, Golub and LeVeque).
            let (zeros, seen) = ((total - held[j]).max(0.0), count[j]);
            count[j] += zeros;
            let share = if count[j] > 0.0 { seen / count[j] } else { 0.0 };
            spread[j] += mean[j].powi(2) * share * zeros;
            mean[j] *= share;
        }
    } else {
        each_row(matrix, rows, |r, row| {
            let cells = row.iter().enumerate().filter(|(_, v)| !v.is_nan());
            cells.for_each(|(j, &v)| see(j, v, weight(r)));
        });
    }
    let deviation =
        (0..d).map(|j| (spread[j] / if count[j] > 0.0 { count[j] } else { 1.0 }).sqrt()).collect();
    (mean, deviation)
}

#[cfg(test)]
mod tests {
    use crate::data::*;
    use ndarray::array;

    #[test]
    fn weights_are_rows_so_often() {
        let matrix = Matrix::F64(array![[1.0, f64::NAN, 0.1], [4.0, 2.0, 0.1], [8.0, -1.0, 0.1]]);
        let rows = [0, 1, 2];
        let fit = |weights: &[f64]| {
            Scaler::fit_weighted(Scale::Each, &matrix, &rows, Some(weights), None)
        };
        let often = Scaler::fit(Scale::Each, &matrix, &[0, 1, 1, 1, 2, 2], None);
        let (Scaler::Each { offset, divisor }, Scaler::Each { offset: often, divisor: broad }) =
            (fit(&[1.0, 3.0, 2.0]), often)
        else {
            panic!("not each");
        };
        let near =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-15 * b.abs());
        assert!(
            near(&offset, &often) && near(&divisor, &broad),
            "{offset:?} {often:?} {divisor:?} {broad:?}"
        );
        // A constant column stays constant, whatever the weights.
        assert_eq!((offset[2], divisor[2]), (0.1, 1.0));
        assert_eq!(fit(&[1.0; 3]), Scaler::fit(Scale::Each, &matrix, &rows, None));
        let target = Target::Numbers(vec![2.0, 4.0, 9.0]);
        let scores = [2.0, 4.0, 9.0];
        let of = |rows: &[u32], weights| {
            TargetScale::fit_weighted(&target, &scores, rows, weights, true)
        };
        let (weighed, often) = (of(&rows, Some(&[1.0, 3.0, 2.0])), of(&[0, 1, 1, 1, 2, 2], None));
        assert!(
            (weighed.mean - often.mean).abs() < 1e-14
                && (weighed.deviation - often.deviation).abs() < 1e-14
        );
    }

    #[test]
    fn each_standardises_observed_cells_and_leaves_constants() {
        let matrix = Matrix::F64(array![[1.0, 7.0, f64::NAN], [3.0, 7.0, 5.0], [99.0, 0.0, 0.0]]);
        let scaler = Scaler::fit(Scale::Each, &matrix, &[0, 1], None);
        assert_eq!(
            scaler,
            Scaler::Each { offset: vec![2.0, 7.0, 5.0], divisor: vec![1.0, 1.0, 1.0] }
        );
        assert_eq!(scaler.scale(0, 3.0), 1.0);
        assert_eq!(scaler.scale(1, 7.0), 0.0);
    }

    #[test]
    fn declared_bounds_touch_no_cell_and_give_the_unit_interval() {
        let matrix = Matrix::F64(array![[f64::NAN, f64::NAN]]);
        let bounds = Bounds { low: vec![0.0, -4.0], high: vec![10.0, 2.0] };
        let each = Scaler::fit(Scale::Each, &matrix, &[], Some(&bounds));
        assert_eq!((each.scale(0, 0.0), each.scale(0, 10.0), each.scale(1, 2.0)), (-1.0, 1.0, 1.0));
        let common = Scaler::fit(Scale::Common, &matrix, &[], Some(&bounds));
        assert_eq!(common.scale(1, -4.0), -0.4);
    }

    #[test]
    fn a_scale_that_looks_is_refused_where_nothing_may_be_looked_at() {
        for scale in [Scale::Common, Scale::Each, Scale::Max] {
            let error = scale.needs_no_look(false).unwrap_err().to_string();
            assert!(error.starts_with("scale = ") && error.contains("bounds"), "{error}");
            assert_eq!(scale.needs_no_look(true).is_ok(), scale == Scale::Common);
        }
        assert!(Scale::None.needs_no_look(false).is_ok());
    }

    #[test]
    fn bytes_are_divided_by_255_and_targets_come_back() {
        let scaler = Scaler::fit(Scale::Common, &Matrix::U8(array![[7, 9]]), &[0], None);
        assert_eq!(scaler.scale(0, 255.0), 1.0);
        let target = Target::Numbers(vec![2.0, 4.0, 9.0]);
        let scale = TargetScale::fit(&target, &[2.0, 4.0, 9.0], &[0, 1], true);
        assert_eq!((scale.mean, scale.deviation), (3.0, 1.0));
        assert_eq!(scale.undo(scale.apply(9.0)), 9.0);
        assert_eq!(
            TargetScale::fit(&target, &[2.0, 4.0, 9.0], &[0, 1], false),
            TargetScale::IDENTITY
        );
    }
}
