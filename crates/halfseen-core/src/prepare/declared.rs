//! Turns declarations of attributes, in raw units, into bounds and moments of encoded columns.
//!
//! With scaled = (raw - offset) / divisor, mean m and variance s - m^2, the scaled second moment is
//! (s - m^2 + (m - offset)^2) / divisor^2. The indicators of a text attribute sum to 1, and so do
//! their second moments, which are their means.

use super::{ColumnKind, ColumnSchema, Schema};
use crate::data::{Bounds, Matrix, Moments, Scaler};
use crate::error::{ErrorKind, Result, shown};
use std::collections::BTreeMap;

/// Largest declared number: squares and sums stay finite.
const LARGEST: f64 = 1e100;

/// Declared moments of one attribute, in its own units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// E x^2. For a text attribute: the share of the examples that have a category, 1 if all do.
    pub square: f64,
    /// E x, if known.
    pub mean: Option<f64>,
}

/// Declared moments of all columns, in scaled units.
#[derive(Debug, Clone)]
pub(super) struct DeclaredMoments {
    pub(super) moments: Moments,
    /// True if all means are known; unknown ones are 0.
    pub(super) means: bool,
}

/// Returns the declared bounds per encoded column; hat functions and indicators of categories lie
/// in [0, 1]. `None` if nothing was declared.
pub(crate) fn bounds(
    declared: &BTreeMap<String, (f64, f64)>,
    schema: &Schema,
) -> Result<Option<Bounds>> {
    if declared.is_empty() {
        return Ok(None);
    }
    for (name, &(low, high)) in declared {
        schema.position(name)?;
        if !(low.abs() <= LARGEST && high.abs() <= LARGEST && low <= high) {
            let problem = format!(
                "they are {} and {}; declare numbers of at most 1e100, the lower one first",
                shown(low),
                shown(high)
            );
            return Err(ErrorKind::WrongDeclaration {
                what: "bounds",
                name: name.clone(),
                problem,
            }
            .into());
        }
    }
    let mut bounds = Bounds { low: Vec::new(), high: Vec::new() };
    for column in &schema.columns {
        let range = match (&column.kind, declared.get(&column.name)) {
            (ColumnKind::Text { .. }, _) => (0.0, 1.0),
            (ColumnKind::Number, Some(&range)) => range,
            (ColumnKind::Number, None) => {
                let (name, problem) = (
                    column.name.clone(),
                    "there are none; declare them for every numeric attribute".into(),
                );
                return Err(ErrorKind::WrongDeclaration { what: "bounds", name, problem }.into());
            }
        };
        let plain = column.width() - column.hats();
        bounds.low.extend(std::iter::repeat_n(range.0, plain));
        bounds.high.extend(std::iter::repeat_n(range.1, plain));
        bounds.low.extend(std::iter::repeat_n(0.0, column.hats()));
        bounds.high.extend(std::iter::repeat_n(1.0, column.hats()));
    }
    Ok(Some(bounds))
}

/// Returns the declared moments in scaled units; `None` if nothing was declared. Those of
/// always-known attributes may be omitted: they are measured on the training rows, at no cost.
pub(super) fn moments(
    declared: &BTreeMap<String, Moment>,
    schema: &Schema,
    scaler: &Scaler,
    matrix: &Matrix,
    rows: &[u32],
) -> Result<Option<DeclaredMoments>> {
    if declared.is_empty() {
        return Ok(None);
    }
    declared.keys().try_for_each(|name| schema.position(name).map(|_| ()))?;
    let mut all =
        DeclaredMoments { moments: Moments { mean: Vec::new(), square: Vec::new() }, means: true };
    for column in &schema.columns {
        let start = all.moments.square.len();
        for at in start..start + column.width() {
            let raw = match (declared.get(&column.name), column.known) {
                (None, true) => measured(matrix, rows, at),
                _ if column.hats() > 0 => {
                    let problem = "a basis adds functions of it, whose moments nobody declares; leave out the moments, or the basis";
                    return Err(wrong(column, problem.to_owned()));
                }
                (moment, _) => of_column(column, moment)?,
            };
            let (offset, divisor) = scaler.affine(at);
            let (mean, spread) = match raw.mean {
                Some(mean) => (mean, (raw.square - mean * mean).max(0.0)),
                None if offset == 0.0 => (0.0, raw.square),
                None => {
                    let remedy = "its scale has an offset, so its mean is needed too; add a column mean, or use scale none or common";
                    return Err(wrong(column, remedy.to_owned()));
                }
            };
            all.means &= raw.mean.is_some();
            let mean = (mean - offset) / divisor;
            let square = spread / divisor / divisor + mean * mean;
            if !(mean.abs() <= LARGEST && square <= LARGEST) {
                let problem = format!(
                    "in scaled units it is {square:e}; declare smaller ones, or wider bounds"
                );
                return Err(wrong(column, problem));
            }
            all.moments.mean.push(mean);
            all.moments.square.push(square);
        }
    }
    Ok(Some(all))
}

/// Returns the raw moments of each column of an attribute.
fn of_column(column: &ColumnSchema, declared: Option<&Moment>) -> Result<Moment> {
    let number = column.kind == ColumnKind::Number;
    let Moment { square, mean } = match declared {
        Some(moment) => *moment,
        None if number => {
            return Err(wrong(
                column,
                "there is none; declare one for every attribute that is read".into(),
            ));
        }
        None => Moment { square: 1.0, mean: None },
    };
    let most = if number { LARGEST } else { 1.0 };
    if !(0.0..=most).contains(&square) {
        let range =
            if number { "0 to 1e100" } else { "0 to 1, as the indicators of a text sum to 1" };
        return Err(wrong(
            column,
            format!("it is {}; declare a number from {range}", shown(square)),
        ));
    }
    if !number {
        if mean.is_some() {
            return Err(wrong(
                column,
                "the mean of a text's indicators is their moment; omit the mean".into(),
            ));
        }
        let share = square / column.width() as f64;
        return Ok(Moment { square: share, mean: Some(share) });
    }
    if let Some(mean) = mean {
        // The condition is the accepted case, so that NaN is refused. Declared numbers are rounded.
        if !(mean.abs() <= LARGEST && mean * mean <= square * (1.0 + 1e-9)) {
            let problem = format!(
                "the mean is {mean} and its square is above the second moment {square}; correct one"
            );
            return Err(wrong(column, problem));
        }
    }
    Ok(Moment { square, mean })
}

/// Returns the raw moments of a column over its observed cells in the training rows.
fn measured(matrix: &Matrix, rows: &[u32], column: usize) -> Moment {
    let cells = rows.iter().map(|&row| matrix.get(row as usize, column)).filter(|v| !v.is_nan());
    let (count, sum, squares) =
        cells.fold((0.0_f64, 0.0, 0.0), |(n, s, q), v| (n + 1.0, s + v, q + v * v));
    Moment { square: squares / count.max(1.0), mean: Some(sum / count.max(1.0)) }
}

fn wrong(column: &ColumnSchema, problem: String) -> crate::Error {
    ErrorKind::WrongDeclaration { what: "moment", name: column.name.clone(), problem }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// Returns a schema with a number, a text of two categories, and an always-known number.
    fn schema() -> Schema {
        let number = |name: &str, known| ColumnSchema {
            name: name.into(),
            kind: ColumnKind::Number,
            known,
            date: None,
            knots: Vec::new(),
        };
        let categories = vec!["blue".to_owned(), "red".to_owned()];
        let text = ColumnSchema {
            name: "kind".into(),
            kind: ColumnKind::Text { categories },
            known: false,
            date: None,
            knots: Vec::new(),
        };
        Schema {
            columns: vec![number("a", false), text, number("age", true)],
            groups: vec![],
            prices: BTreeMap::new(),
            by_reads: false,
        }
    }

    fn matrix() -> Matrix {
        Matrix::F64(array![[3.0, 1.0, 0.0, 10.0], [5.0, 0.0, 1.0, 30.0], [99.0, 1.0, 0.0, 99.0]])
    }

    fn scaled(moments: &[(&str, f64, Option<f64>)], scaler: &Scaler) -> Result<DeclaredMoments> {
        let declared = moments
            .iter()
            .map(|&(name, square, mean)| (name.to_owned(), Moment { square, mean }))
            .collect();
        super::moments(&declared, &schema(), scaler, &matrix(), &[0, 1]).map(Option::unwrap)
    }

    /// Declaring the moments of the training rows equals measuring the scaled columns.
    #[test]
    fn declared_moments_are_those_that_the_scaled_columns_have() {
        let each =
            Scaler::Each { offset: vec![7.0, 0.5, 0.5, 20.0], divisor: vec![2.0, 0.5, 0.5, 4.0] };
        for scaler in [Scaler::None {}, Scaler::Common { divisor: 4.0 }, each] {
            let all = scaled(&[("a", 17.0, Some(4.0))], &scaler).unwrap();
            assert!(all.means);
            for column in 0..4 {
                let cells = [0, 1].map(|row| scaler.scale(column, matrix().get(row, column)));
                let (mean, square) =
                    ((cells[0] + cells[1]) / 2.0, (cells[0].powi(2) + cells[1].powi(2)) / 2.0);
                assert!(
                    (all.moments.mean[column] - mean).abs() < 1e-12,
                    "{scaler:?}, column {column}"
                );
                assert!(
                    (all.moments.square[column] - square).abs() < 1e-12,
                    "{scaler:?}, column {column}"
                );
            }
        }
    }

    #[test]
    fn a_moment_of_a_text_is_spread_over_its_categories() {
        let all = scaled(&[("a", 1.0, None), ("kind", 0.5, None)], &Scaler::None {}).unwrap();
        assert_eq!(all.moments.square[1..3], [0.25, 0.25]);
        assert_eq!(all.moments.mean[1..3], [0.25, 0.25]);
        assert!(!all.means, "the mean of a is not known");
        assert_eq!((all.moments.mean[0], all.moments.square[0]), (0.0, 1.0));
        let all = scaled(&[("a", 1.0, None), ("age", 16.0, Some(4.0))], &Scaler::None {}).unwrap();
        assert_eq!(
            (all.moments.mean[3], all.moments.square[3]),
            (4.0, 16.0),
            "declared, not measured"
        );
    }

    #[test]
    fn an_offset_needs_the_mean() {
        let each = Scaler::Each { offset: vec![7.0, 0.5, 0.5, 20.0], divisor: vec![1.0; 4] };
        let error = scaled(&[("a", 17.0, None)], &each).unwrap_err();
        assert!(
            error.to_string().contains("'a'") && error.to_string().contains("column mean"),
            "{error}"
        );
        let each = Scaler::Each { offset: vec![0.0, 0.5, 0.5, 20.0], divisor: vec![1.0; 4] };
        assert_eq!(scaled(&[("a", 17.0, None)], &each).unwrap().moments.square[0], 17.0);
    }

    #[test]
    fn impossible_moments_are_refused_by_name() {
        let refused = |moments: &[(&str, f64, Option<f64>)], name: &str| {
            let error = scaled(moments, &Scaler::None {}).unwrap_err();
            match error.kind() {
                ErrorKind::WrongDeclaration { what: "moment", name: actual, .. } => {
                    assert_eq!(actual, name, "{error}")
                }
                _ => panic!("{error}"),
            }
        };
        for odd in [-1.0, f64::NAN, f64::INFINITY, 1e101] {
            refused(&[("a", odd, None)], "a");
            refused(&[("a", 1.0, None), ("kind", odd, None)], "kind");
            refused(&[("a", 1.0, None), ("age", odd, None)], "age");
        }
        for odd in [1.1, -1.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            refused(&[("a", 1.0, Some(odd))], "a");
        }
        refused(&[("kind", 1.0, None)], "a");
        refused(&[("a", 1.0, None), ("kind", 1.5, None)], "kind");
        refused(&[("a", 1.0, None), ("kind", 1.0, Some(0.5))], "kind");
        let error = scaled(&[("a", 1.0, None), ("kin", 1.0, None)], &Scaler::None {}).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::UnknownColumn { nearest: Some(n), .. } if n == "kind"),
            "{error}"
        );
        let tiny = Scaler::Common { divisor: 1e-200 };
        assert!(scaled(&[("a", 1.0, None)], &tiny).unwrap_err().to_string().contains("scaled"));
    }
}
