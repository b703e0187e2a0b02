//! Computes attribute costs from mutual information with the target (Dekel and Shamir 2008, section
//! 4).

use crate::data::{Examples, Signs, Threat, check_row};
use crate::error::{ErrorKind, Result};
use crate::params::AttributeCosts;

/// Returns the threat that the parameters define for these examples; `budget` auto is a tenth of
/// the total cost.
///
/// # Errors
/// If costs are not one number per attribute; see [`Threat::new`]; for
/// [`AttributeCosts::Information`] if the target does not have two classes.
pub(crate) fn threat_of(
    worth: &AttributeCosts,
    budget: Option<f64>,
    examples: &Examples<'_>,
) -> Result<Threat> {
    let attributes = examples.layout.sampled_panels();
    let values = match worth {
        AttributeCosts::Uniform => vec![1.0; attributes],
        AttributeCosts::Information => {
            information(examples, &Signs::of(examples, "costs = mi")?.signs)?
        }
        AttributeCosts::Numbers(numbers) if numbers.len() != attributes => {
            let what = "costs, one for each attribute that can be deleted".to_owned();
            return Err(ErrorKind::WrongLength {
                what,
                expected: attributes,
                found: numbers.len(),
            }
            .into());
        }
        AttributeCosts::Numbers(numbers) => numbers.clone(),
    };
    let budget = budget.unwrap_or_else(|| {
        let tenth = 0.1 * values.iter().sum::<f64>();
        if *worth == AttributeCosts::Uniform { tenth.floor() } else { tenth }
    });
    Threat::new(values, budget)
}

/// Returns the costs `v_j = (1/Z) max_c I([x_j > c]; y)` (n_attributes) for rows with signs -1 or
/// +1. Z makes them sum to their number; an attribute takes the maximum over its columns.
///
/// # Errors
/// If a cell is missing or infinite, or no attribute is informative about the target.
pub fn information(examples: &Examples<'_>, signs: &[f64]) -> Result<Vec<f64>> {
    let layout = examples.layout;
    let mut columns = vec![0.0; examples.columns()];
    let mut cells: Vec<(f64, bool, f64)> = Vec::with_capacity(examples.len());
    let mut row = vec![0.0; examples.columns()];
    for i in 0..examples.len() {
        examples.row_into(i, &mut row);
        check_row(examples, i, &row)?;
    }
    for (column, best) in columns.iter_mut().enumerate() {
        cells.clear();
        cells.extend(
            (0..examples.len())
                .map(|i| (examples.value(i, column), signs[i] > 0.0, examples.weight(i))),
        );
        cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        *best = best_threshold(&cells);
    }
    let attributes = layout.sampled_panels();
    let best = |panel: usize| {
        layout.slots_of(panel).map(|slot| columns[layout.column(slot)]).fold(0.0, f64::max)
    };
    let found: Vec<f64> = (0..attributes).map(best).collect();
    let total: f64 = found.iter().sum();
    if total <= 0.0 {
        let problem = "no attribute is informative about the target, so all costs would be 0; \
                       use uniform costs";
        let (what, name) = ("mutual information", "every attribute".to_owned());
        return Err(ErrorKind::WrongDeclaration { what, name, problem: problem.into() }.into());
    }
    Ok(found.into_iter().map(|v| v * attributes as f64 / total).collect())
}

/// Returns the largest mutual information of [x > c] with the class over all c, in nats, for sorted
/// (cell, class, weight).
fn best_threshold(cells: &[(f64, bool, f64)]) -> f64 {
    let n: f64 = cells.iter().map(|c| c.2).sum();
    let positive: f64 = cells.iter().filter(|c| c.1).map(|c| c.2).sum();
    let (mut below, mut below_positive, mut best) = (0.0, 0.0, 0.0_f64);
    for (at, cell) in cells.iter().enumerate() {
        below += cell.2;
        below_positive += if cell.1 { cell.2 } else { 0.0 };
        if cells.get(at + 1).is_none_or(|next| next.0 == cell.0) {
            continue;
        }
        let term = |both: f64, side: f64, class: f64| {
            if both > 0.0 && class > 0.0 {
                both / n * (both * n / (side * class)).ln()
            } else {
                0.0
            }
        };
        let (above, negative) = (n - below, n - positive);
        let information = term(below_positive, below, positive)
            + term(below - below_positive, below, negative)
            + term(positive - below_positive, above, positive)
            + term(above - (positive - below_positive), above, negative);
        best = best.max(information);
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_threshold_by_hand() {
        let cells = |values: &[(f64, bool)]| {
            best_threshold(&values.iter().map(|v| (v.0, v.1, 1.0)).collect::<Vec<_>>())
        };
        // A threshold that separates the classes: the entropy of one fair bit.
        let sure = cells(&[(0.0, false), (0.0, false), (1.0, true), (2.0, true)]);
        assert!((sure - 2.0_f64.ln()).abs() < 1e-15);
        assert_eq!(cells(&[(1.0, false), (1.0, true)]), 0.0, "a constant tells nothing");
        assert_eq!(cells(&[(0.0, true), (1.0, true)]), 0.0, "one class has nothing to tell");
        let partly = cells(&[(0.0, false), (1.0, true), (2.0, false), (3.0, true)]);
        // [x > 0] against y: 1 of 4 below, negative; 2 positive and 1 negative above.
        let by_hand = 0.25 * (0.25_f64 / (0.25 * 0.5)).ln()
            + 0.5 * (0.5_f64 / (0.75 * 0.5)).ln()
            + 0.25 * (0.25_f64 / (0.75 * 0.5)).ln();
        assert!((partly - by_hand).abs() < 1e-15);
    }
}
