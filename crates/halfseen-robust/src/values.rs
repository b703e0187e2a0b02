//! Computes attribute costs from mutual information with the target (Dekel and Shamir 2008, section
//! 4).

use halfseen_core::data::{Examples, Labels, Threat, check_row};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::params::AttributeCosts;

/// Returns the threat that the parameters define for these examples; `budget` auto is a tenth of
/// the total cost.
///
/// # Errors
/// If costs are not one number per attribute; see [`Threat::new`]; for
/// [`AttributeCosts::Information`] if the target is numbers.
pub(crate) fn threat_of(
    worth: &AttributeCosts,
    budget: Option<f64>,
    examples: &Examples<'_>,
) -> Result<Threat> {
    let attributes = examples.layout.sampled_panels();
    let values = match worth {
        AttributeCosts::Numbers(numbers) if numbers.len() == attributes => numbers.clone(),
        AttributeCosts::Numbers(numbers) => {
            let what = "costs, one for each attribute that can be deleted".to_owned();
            return Err(ErrorKind::WrongLength {
                what,
                expected: attributes,
                found: numbers.len(),
            }
            .into());
        }
        AttributeCosts::Uniform => vec![1.0; attributes],
        AttributeCosts::Information => information(examples)?,
    };
    let budget = budget.unwrap_or_else(|| {
        let tenth = 0.1 * values.iter().sum::<f64>();
        if *worth == AttributeCosts::Uniform { tenth.floor() } else { tenth }
    });
    Threat::new(values, budget)
}

/// Returns the costs `v_j = (1/Z) max_c I([x_j > c]; y)` (n_attributes), y the class. Z makes them
/// sum to their number; an attribute takes the maximum over its columns.
///
/// # Errors
/// [`ErrorKind::WrongTarget`] for numbers; if a cell is missing or infinite, or no attribute is
/// informative about the target.
pub fn information(examples: &Examples<'_>) -> Result<Vec<f64>> {
    let Some(Labels { codes, classes }) = examples.labels else {
        let problem = "it holds numbers, but costs = mi needs classes".to_owned();
        return Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into());
    };
    let layout = examples.layout;
    let mut columns = vec![0.0; examples.columns()];
    let mut cells: Vec<(f64, u32, f64)> = Vec::with_capacity(examples.len());
    let mut row = vec![0.0; examples.columns()];
    for i in 0..examples.len() {
        examples.row_into(i, &mut row);
        check_row(examples, i, &row)?;
    }
    for (column, best) in columns.iter_mut().enumerate() {
        cells.clear();
        cells.extend((0..examples.len()).map(|i| {
            (examples.value(i, column), codes[examples.rows[i] as usize], examples.weight(i))
        }));
        cells.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        *best = best_threshold(&cells, classes);
    }
    let attributes = layout.sampled_panels();
    let best = |panel: usize| {
        layout.slots_of(panel).map(|slot| columns[layout.column(slot)]).fold(0.0, f64::max)
    };
    let values: Vec<f64> = (0..attributes).map(best).collect();
    let total: f64 = values.iter().sum();
    if total <= 0.0 {
        let problem = "no attribute is informative about the target, so all costs would be 0; \
                       use uniform costs";
        let (what, name) = ("mutual information", "every attribute".to_owned());
        return Err(ErrorKind::WrongDeclaration { what, name, problem: problem.into() }.into());
    }
    Ok(values.into_iter().map(|v| v * attributes as f64 / total).collect())
}

/// Returns the largest mutual information of [x > c] with the class over all c, in nats, for sorted
/// (cell, class, weight).
fn best_threshold(cells: &[(f64, u32, f64)], classes: usize) -> f64 {
    let mut all = vec![0.0; classes];
    cells.iter().for_each(|cell| all[cell.1 as usize] += cell.2);
    let n: f64 = cells.iter().map(|cell| cell.2).sum();
    let (mut below, mut each_below, mut best) = (0.0, vec![0.0; classes], 0.0_f64);
    for (at, cell) in cells.iter().enumerate() {
        below += cell.2;
        each_below[cell.1 as usize] += cell.2;
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
        let each = || each_below.iter().zip(&all).rev();
        let under: f64 = each().map(|(under, class)| term(*under, below, *class)).sum();
        let over = each().map(|(under, class)| term(class - under, n - below, *class));
        best = best.max(over.fold(under, |sum, term| sum + term));
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_threshold_by_hand() {
        let cells = |values: &[(f64, bool)]| {
            let cells = values.iter().map(|v| (v.0, u32::from(v.1), 1.0));
            best_threshold(&cells.collect::<Vec<_>>(), 2)
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
        // The best threshold tells one of three equally frequent classes from the others.
        let three = best_threshold(&[(0.0, 2, 1.0), (1.0, 0, 1.0), (2.0, 1, 1.0)], 3);
        assert!((three - (3.0_f64.ln() - 2.0 / 3.0 * 2.0_f64.ln())).abs() < 1e-15, "{three}");
    }
}
