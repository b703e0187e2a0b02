//! Places the knots of the hat functions of each number: by its values, or by its declared bounds.
//!
//! The outer knots are the least and the largest value, the others quantiles, all of them values of
//! the training rows and never chosen by the target.

use super::{ColumnKind, Schema};
use crate::data::memory;
use crate::data::{FEWEST_KNOTS, KNOTS, Matrix, knots};
use crate::error::{ErrorKind, Result};
use std::collections::BTreeMap;

/// Shares at the knots: of all values, and of those that are not the most frequent one.
const SHARES: [&[f64]; 2] = [&[0.0, 0.2, 0.4, 0.6, 0.8, 1.0], &[0.0, 0.35, 0.65, 1.0]];

impl Schema {
    /// Sets the knots of every number by its observed cells in the training rows, with the rows'
    /// weights; `matrix` is encoded by this schema without knots. Numbers of fewer than three
    /// distinct values have none.
    pub(super) fn place_knots(&mut self, matrix: &Matrix, rows: &[u32], weights: Option<&[f64]>) {
        let mut cells = Vec::with_capacity(rows.len());
        let mut first = 0;
        for column in &mut self.columns {
            if column.kind == ColumnKind::Number {
                cells.clear();
                let cell = |&row: &u32| {
                    (matrix.get(row as usize, first), weights.map_or(1.0, |w| w[row as usize]))
                };
                cells.extend(rows.iter().map(cell).filter(|(x, _)| !x.is_nan()));
                column.knots = by_values(&mut cells);
            }
            first += column.width() - column.hats();
        }
    }

    /// Refuses numbers that are stored one by one, as sparse ones with a basis are, if they need more
    /// memory than there is; `matrix` is encoded by this schema.
    ///
    /// # Errors
    /// [`ErrorKind::TooMuchMemory`].
    pub(super) fn admit_knots(&self, matrix: &Matrix) -> Result<()> {
        let columns = self.columns.iter().filter(|c| c.kind == ColumnKind::Number).count();
        let needed = 8.0 * matrix.rows() as f64 * columns as f64;
        let allowed = (memory::limit() as f64 - matrix.bytes()).max(0.0);
        if needed <= allowed {
            return Ok(());
        }
        Err(ErrorKind::TooMuchMemory {
            learner: "a basis".to_owned(),
            rows: matrix.rows(),
            columns,
            needed,
            allowed,
            widest: None,
            remedy: "none".to_owned(),
        }
        .into())
    }

    /// Sets the knots of every number equally spaced in its declared bounds, without a look at any
    /// cell.
    ///
    /// # Errors
    /// [`ErrorKind::Needs`] if a number has no bounds.
    pub(super) fn space_knots(&mut self, bounds: &BTreeMap<String, (f64, f64)>) -> Result<()> {
        for column in self.columns.iter_mut().filter(|c| c.kind == ColumnKind::Number) {
            let Some(&(low, high)) = bounds.get(&column.name) else {
                let what = "the attributes' ranges, but an honest fit does not look at unread cells: declare their bounds, or \
                            use basis = none";
                return Err(ErrorKind::Needs { name: "basis", value: "hats", what }.into());
            };
            let last = (KNOTS - 1) as f64;
            let at = |k: usize| low * (1.0 - k as f64 / last) + high * (k as f64 / last);
            let mut knots: Vec<f64> = (0..KNOTS).map(at).collect();
            knots.dedup();
            column.knots = enough(knots);
        }
        Ok(())
    }
}

/// Returns the knots of values with their weights, which are sorted on the way.
fn by_values(cells: &mut [(f64, f64)]) -> Vec<f64> {
    cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    // The sum makes a zero positive.
    let run = |run: &[(f64, f64)]| (run[0].0 + 0.0, run.iter().map(|(_, weight)| weight).sum());
    let values: Vec<(f64, f64)> = cells.chunk_by(|a, b| a.0 == b.0).map(run).collect();
    enough(knots(&values, SHARES, |without, shares| {
        let others = values.iter().filter(|(value, _)| Some(*value) != without);
        let others: Vec<(f64, f64)> = others.copied().collect();
        shares.iter().map(|&share| quantile(&others, share)).collect()
    }))
}

/// Returns the first of increasing values with more than this share of the weight up to it.
fn quantile(values: &[(f64, f64)], share: f64) -> f64 {
    let (total, mut sum) = (values.iter().map(|(_, weight)| weight).sum::<f64>(), 0.0);
    let more = |&&(_, weight): &&(f64, f64)| {
        sum += weight;
        sum > share * total
    };
    values.iter().find(more).or(values.last()).map_or(f64::NAN, |(value, _)| *value)
}

/// Returns the knots if there are enough for a function that is not a line.
fn enough(knots: Vec<f64>) -> Vec<f64> {
    if knots.len() < FEWEST_KNOTS { Vec::new() } else { knots }
}

#[cfg(test)]
#[path = "knots_tests.rs"]
mod tests;
