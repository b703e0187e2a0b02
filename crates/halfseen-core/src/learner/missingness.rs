//! Counts the observed values of rows, and measures the correlation of missingness with the target.

use crate::data::Examples;
use crate::error::short;
use crate::model::{Note, Report, Stop};

/// Observed values of rows, and what their missingness tells.
#[derive(Debug, Clone, PartialEq)]
pub struct MissingnessSummary {
    /// Number of observed cells, by panel, without those always known, which cost nothing.
    observed: u64,
    /// Their total price.
    spent: f64,
    /// Largest number of observed cells in a row.
    most: u64,
    /// Number of rows without observed values.
    empty: u64,
    /// Panels without observed values: the first, and their number.
    never: Option<(String, u64)>,
    /// Panel whose missingness is most correlated with the target, if beyond chance.
    informative: Option<(String, f64)>,
}

/// Correlations below this number of standard errors count as chance, for any usual number of
/// panels.
const STANDARD_ERRORS: f64 = 4.0;
/// Correlations below this are too small to matter.
const LEAST: f64 = 0.1;

impl MissingnessSummary {
    /// Reads every row once.
    pub fn of(examples: &Examples<'_>) -> MissingnessSummary {
        let layout = examples.layout;
        let panels = layout.panels();
        let first: Vec<usize> = (0..panels).map(|p| layout.slots_of(p).start).collect();
        let empty: Vec<bool> = (0..panels).map(|p| layout.slots_of(p).is_empty()).collect();
        let outputs = outputs(examples);
        let mut target = vec![0.0; outputs];
        let n = examples.len() as f64;
        let sampled = layout.sampled_panels();
        // What a row without a missing value shows, and its price.
        let whole = (0..sampled).filter(|&p| !empty[p]).count() as u64;
        let price: f64 = (0..sampled).filter(|&p| !empty[p]).map(|p| layout.price(p)).sum();
        let some = (0..panels).filter(|&p| !empty[p]).count();
        let sparse = examples.matrix.is_sparse(&examples.rows);
        let (mut holes, mut row) = (Vec::new(), vec![0.0; examples.columns()]);
        let (mut observed, mut spent, mut most, mut rows_empty) = (0_u64, 0.0, 0_u64, 0_u64);
        // By panel: the number of missing values, and the sums of the targets there.
        let (mut missing, mut sums) = (vec![0.0_f64; panels], vec![0.0; panels * outputs]);
        let (mut total, mut squares) = (vec![0.0; outputs], vec![0.0; outputs]);
        for i in 0..examples.len() {
            holes.clear();
            if sparse {
                examples.matrix.each_stored(examples.rows[i] as usize, |column, value| {
                    let slot = layout.slot(column);
                    let hole = value.is_nan().then(|| layout.panel_of(slot));
                    holes.extend(hole.filter(|&p| first[p] == slot));
                });
            } else {
                examples.row_into(i, &mut row);
                let hole = |&p: &usize| !empty[p] && row[layout.column(first[p])].is_nan();
                holes.extend((0..panels).filter(hole));
            }
            target_into(examples, i, &mut target);
            for &p in &holes {
                missing[p] += 1.0;
                sums[p * outputs..(p + 1) * outputs]
                    .iter_mut()
                    .zip(&target)
                    .for_each(|(s, y)| *s += y);
            }
            let hidden = || holes.iter().filter(|&&p| p < sampled);
            let shown = whole - hidden().count() as u64;
            spent += price - hidden().map(|&p| layout.price(p)).sum::<f64>();
            (observed, most) = (observed + shown, most.max(shown));
            rows_empty += u64::from(holes.len() == some);
            for ((t, s), y) in total.iter_mut().zip(&mut squares).zip(&target) {
                *t += y;
                *s += y * y;
            }
        }
        // Correlation of a panel's missingness with the target; the largest over several classes.
        let correlation = |p: usize, j: usize| {
            let share = missing[p] / n;
            let covariance = sums[p * outputs + j] / n - share * total[j] / n;
            let variance = share * (1.0 - share) * (squares[j] / n - (total[j] / n).powi(2));
            if variance > 1e-12 { covariance / variance.sqrt() } else { 0.0 }
        };
        let strongest = (0..panels).flat_map(|p| (0..outputs).map(move |j| (p, j)));
        let strongest = strongest
            .map(|(p, j)| (p, correlation(p, j)))
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
        let informative = strongest
            .filter(|(_, r)| r.abs() > LEAST && r.abs() * n.sqrt() > STANDARD_ERRORS)
            .map(|(p, r)| (layout.name(p).to_owned(), r));
        let mut unseen = (0..panels)
            .filter(|&p| !empty[p] && missing[p] == n)
            .map(|p| layout.name(p).to_owned());
        let never = unseen.next().map(|first| (first, 1 + unseen.count() as u64));
        MissingnessSummary { never, observed, spent, most, empty: rows_empty, informative }
    }

    /// Returns a report of a learner that read every observed value.
    pub fn report(&self, learner: &str, stop: Stop, examples: &Examples<'_>) -> Report {
        let mut report =
            Report::full(learner, stop, examples.len(), examples.layout.sampled_panels());
        (report.reads, report.distinct, report.spent) = (self.observed, self.observed, self.spent);
        report.max_reads = self.most;
        if self.empty > 0 {
            report.notes.push(Note::EmptyRows { rows: self.empty });
        }
        report.notes.extend(self.never.as_ref().map(never_observed));
        report.notes.extend(self.informative_holes());
        report
    }

    /// Returns a note if missingness is associated with the target.
    pub fn informative_holes(&self) -> Option<Note> {
        let (column, correlation) = self.informative.as_ref()?;
        let text = format!(
            "missingness of '{}' is correlated with the target (correlation {correlation:.2}): its values are probably not missing \
             at random, and the model is valid only for rows with the same missingness",
            short(column)
        );
        Some(Note::on_data("informative-holes", text))
    }
}

/// Returns a note on attributes without any value: the first of them, and their number.
pub fn never_observed((column, columns): &(String, u64)) -> Note {
    let text = format!(
        "attributes missing in every training row: {columns} (first: '{}'); they are not learned, and their values are ignored",
        short(column)
    );
    Note::on_data("never-observed", text)
}

/// Returns the number of values of a target: one, or one indicator for each of more than two
/// classes.
fn outputs(examples: &Examples<'_>) -> usize {
    if examples.classes() > 2 { examples.classes() } else { 1 }
}

/// Writes the target of one example, (outputs).
fn target_into(examples: &Examples<'_>, example: usize, out: &mut [f64]) {
    match (out, examples.code(example)) {
        ([one], _) => *one = examples.target(example),
        (out, code) => {
            out.fill(0.0);
            code.into_iter().for_each(|code| out[code as usize] = 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Layout, Matrix, Scaler};
    use crate::learner::missingness::*;
    use halfseen_solve::sampling::{Purpose, Stream};
    use ndarray::Array2;
    use std::sync::Arc;

    fn reading(cells: &Array2<f64>, targets: &[f64]) -> MissingnessSummary {
        let (matrix, layout) =
            (Matrix::F64(cells.clone()), Arc::new(Layout::singletons(cells.ncols())));
        let examples = Examples::new(&matrix, &Scaler::None {}, &layout, targets);
        MissingnessSummary::of(&examples)
    }

    #[test]
    fn cells_are_counted_by_hand() {
        let hole = f64::NAN;
        let summary =
            reading(&ndarray::array![[1.0, hole], [hole, hole], [2.0, 3.0]], &[1.0, 2.0, 3.0]);
        assert_eq!((summary.observed, summary.most, summary.empty), (3, 2, 1));
        assert_eq!(summary.never, None);
        let summary = reading(&ndarray::array![[hole, 1.0, hole], [hole, hole, hole]], &[1.0, 2.0]);
        assert_eq!(summary.never, Some(("x0".to_owned(), 2)));
    }

    #[test]
    fn holes_that_go_with_the_target_are_named_and_chance_is_not() {
        let mut stream = Stream::new(3, Purpose::Data, 0);
        let targets: Vec<f64> = (0..400).map(|_| stream.normal()).collect();
        let mut cells = Array2::from_shape_fn((400, 5), |_| stream.normal());
        for ((i, j), cell) in cells.indexed_iter_mut() {
            let hidden = if j == 3 { targets[i] > 0.5 } else { stream.unit() < 0.4 };
            if hidden {
                *cell = f64::NAN;
            }
        }
        let (column, correlation) = reading(&cells, &targets).informative.unwrap();
        assert_eq!(column, "x3");
        assert!(correlation > 0.6, "{correlation}");
        // Rotated targets are independent of the missing values.
        let mut rotated = targets.clone();
        rotated.rotate_left(7);
        assert_eq!(reading(&cells, &rotated).informative, None);
    }
}
