//! Expands a number into piecewise linear functions of it: the number itself and hats on knots.
//!
//! The hat of an inner knot is 1 there, 0 at both neighbours and beyond, and linear in between.
//! With 1 and the number x, the hats of the inner ones of K knots span the functions that are
//! linear between the knots, K dimensions; beyond the outer knots such a function goes on along the
//! line through its values at these two. If all knots are values of the data, a function that is 0
//! at all values is 0, so that the columns and an intercept are linearly independent.

use crate::error::{ErrorKind, Result};

/// Functions of each number that learners of weighted sums are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The number alone.
    #[default]
    None,
    /// The number and hat functions on up to six knots, all in one panel: at most four columns more.
    Hats,
}

impl std::str::FromStr for Basis {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Basis> {
        Basis::ALL.into_iter().find(|basis| basis.name() == text).ok_or_else(|| {
            let expected = format!("one of {}", Basis::ALL.map(Basis::name).join(", "));
            ErrorKind::NotAValue { name: "basis", text: text.to_owned(), expected }.into()
        })
    }
}

impl Basis {
    /// All sets of functions.
    pub const ALL: [Basis; 2] = [Basis::None, Basis::Hats];

    /// Returns its name, as in the program and in Python.
    pub fn name(self) -> &'static str {
        match self {
            Basis::None => "none",
            Basis::Hats => "hats",
        }
    }
}

/// Most knots of a number.
pub const KNOTS: usize = 6;
/// Fewest knots for a function that is not a line.
pub const FEWEST_KNOTS: usize = 3;
/// Share of the values from which a single one has a knot of its own.
const OFTEN: f64 = 0.2;

/// Returns the knots of values, given as the distinct ones with their weights, increasing: all of
/// them if at most five; if more than a fifth is one value, that value and quantiles of the others;
/// else quantiles. `quantiles` gives those at some shares, without one value if there is one;
/// `shares` are those of all and of the others.
pub fn knots(
    values: &[(f64, f64)],
    [all, others]: [&[f64]; 2],
    quantiles: impl FnOnce(Option<f64>, &[f64]) -> Vec<f64>,
) -> Vec<f64> {
    if values.len() < KNOTS {
        return values.iter().map(|(value, _)| *value).collect();
    }
    // The first of the most frequent values.
    let most = values.iter().fold((f64::NAN, 0.0), |a, &b| if b.1 > a.1 { b } else { a });
    let total: f64 = values.iter().map(|(_, weight)| weight).sum();
    let mut knots = if most.1 > OFTEN * total {
        let mut knots = quantiles(Some(most.0), others);
        knots.push(most.0);
        knots
    } else {
        quantiles(None, all)
    };
    knots.sort_unstable_by(f64::total_cmp);
    knots.dedup();
    knots
}

/// Returns the number of hats on these knots.
#[inline]
pub(crate) fn hats(knots: &[f64]) -> usize {
    knots.len().saturating_sub(2)
}

/// Returns the `at`-th hat, from 0, at a number; NaN for NaN.
#[inline]
pub(crate) fn hat(knots: &[f64], at: usize, x: f64) -> f64 {
    let (left, peak, right) = (knots[at], knots[at + 1], knots[at + 2]);
    match x {
        _ if x.is_nan() => x,
        _ if x <= left || x >= right => 0.0,
        _ if x <= peak => (x - left) / (peak - left),
        _ => (right - x) / (right - peak),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hat_is_one_at_its_knot_and_zero_from_its_neighbours_on() {
        let knots = [-1.0, 0.5, 2.0, 10.0];
        assert_eq!((hats(&knots), hats(&knots[..2]), hats(&[])), (2, 0, 0));
        let of = |at, x| hat(&knots, at, x);
        assert_eq!([-1e100, -1.0, 0.5, 2.0, 1e100].map(|x| of(0, x)), [0.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!([-0.25, 1.25].map(|x| of(0, x)), [0.5, 0.5]);
        assert_eq!([0.5, 1.25, 2.0, 6.0, 10.0].map(|x| of(1, x)), [0.0, 0.5, 1.0, 0.5, 0.0]);
        assert!(of(0, f64::NAN).is_nan());
        let tiny = [0.0, 5e-324, 1e-323];
        assert_eq!(hat(&tiny, 0, 5e-324), 1.0);
    }

    #[test]
    fn a_basis_is_named() {
        assert_eq!("hats".parse::<Basis>().unwrap(), Basis::Hats);
        assert_eq!("none".parse::<Basis>().unwrap(), Basis::None);
        let error = "splines".parse::<Basis>().unwrap_err().to_string();
        assert!(error.contains("none, hats"), "{error}");
    }
}
