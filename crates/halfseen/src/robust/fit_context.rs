//! Begins and ends a fit of two classes: what all learners of the family read before, and return
//! after.

use super::bounds::margin_error;
use super::values::threat_of;
use super::{RobustHinge, Rows, rows::KNOWN};
use crate::data::{Examples, Layout, Signs, Threat};
use crate::error::{ErrorKind, Result};
use crate::model::{Fit, Linear, Note, Predictor, Report, Stop};
use crate::params::{AttributeCosts, Damage};
use std::sync::Arc;
use std::time::Instant;

/// Largest values of two attributes that differ more than this should not share a box.
const UNEVEN: f64 = 1e3;

/// The rows of a fit and the threat they prepare for.
#[derive(Debug, Clone)]
pub(crate) struct FitContext {
    /// The rows, entries in the order of slots.
    pub(crate) rows: Rows,
    /// What may vanish.
    pub(crate) threat: Threat,
    /// What the report must say of the data and the threat.
    pub(crate) notes: Vec<Note>,
    layout: Arc<Layout>,
    learner: &'static str,
    start: Instant,
}

impl FitContext {
    /// Reads the rows and settles the threat.
    ///
    /// # Errors
    /// See [`Rows::new`] and [`Threat::new`].
    pub(crate) fn new(
        examples: &Examples<'_>,
        learner: &'static str,
        values: &AttributeCosts,
        budget: Option<f64>,
    ) -> Result<FitContext> {
        let start = Instant::now();
        let rows = Rows::new(examples, learner)?;
        let threat = threat_of(values, budget, examples)?;
        let notes = floored(&threat).into_iter().chain(uneven(&rows, examples)).collect();
        Ok(FitContext { rows, threat, notes, layout: Arc::clone(examples.layout), learner, start })
    }

    /// The fit whose weights (n_slots) and bias tell -1 from +1, made for this damage.
    pub(crate) fn classifier(
        mut self,
        signs: &Signs,
        (weights, bias): (&[f64], f64),
        damage: Damage,
        stop: Stop,
    ) -> Result<Fit> {
        // What deletions leave says nothing of what noise would.
        if damage == Damage::Deletion {
            let note = self.no_better_than_constant(&signs.signs, weights, bias);
            self.notes.extend(note);
        }
        let weights = self.rows.by_column(weights);
        let fill = vec![0.0; weights.len()];
        let linear = Linear::of_signs(signs, weights, bias, fill);
        self.finish(Predictor::Margin(linear), stop)
    }

    /// The fit whose weights (n_slots) and bias estimate the scaled target.
    pub(crate) fn regressor(self, weights: &[f64], bias: f64, stop: Stop) -> Result<Fit> {
        let weights = self.rows.by_column(weights);
        let linear =
            Linear { fill: vec![0.0; weights.len()], weights, intercept: bias, clip: None };
        self.finish(Predictor::Linear(linear), stop)
    }

    /// Says where a constant would bear the threat as well.
    fn no_better_than_constant(&self, signs: &[f64], weights: &[f64], bias: f64) -> Option<Note> {
        // Weights of 0 are a constant, and said elsewhere; without a threat a loss is no argument.
        if self.threat.effective() == 0.0 || weights.iter().all(|w| *w == 0.0) {
            return None;
        }
        let rows = &self.rows;
        let of = |sign: f64| {
            (0..signs.len()).filter(|&i| signs[i] == sign).map(|i| rows.weight(i)).sum::<f64>()
        };
        let constant = of(1.0).min(of(-1.0)) / rows.total();
        let attacked = margin_error(
            &RobustHinge { threat: &self.threat, margin: 0.0 },
            &self.rows,
            signs,
            weights,
            bias,
        );
        (attacked >= constant && constant > 0.0)
            .then_some(Note::NoBetterThanConstant { attacked, constant })
    }

    fn finish(self, predictor: Predictor, stop: Stop) -> Result<Fit> {
        let linear = predictor.linear()?;
        if let Some(&value) =
            linear.weights.iter().chain([&linear.intercept]).find(|v| !v.is_finite())
        {
            return Err(ErrorKind::Diverged { what: "a weight", value }.into());
        }
        let panels = self.layout.sampled_panels();
        let mut report =
            Report::full(self.learner, stop, self.rows.len(), panels).paid(&self.layout);
        report.notes = self.notes;
        report.threat = Some(self.threat);
        report.seconds = self.start.elapsed().as_secs_f64();
        Ok(Fit { predictor, report })
    }
}

/// Says where not all of a budget can be spent.
fn floored(threat: &Threat) -> Option<Note> {
    let (asked, used) = (threat.budget(), threat.effective());
    (asked != used).then_some(Note::ThreatFloored { asked, used })
}

/// What the program took from the rows, though bounds on new rows want it fixed before they are
/// seen.
pub(crate) fn from_rows(values: &AttributeCosts, margin: bool) -> Vec<String> {
    let values = (*values == AttributeCosts::Information).then_some("costs");
    let margin = margin.then_some("margin");
    values.into_iter().chain(margin).map(str::to_owned).collect()
}

/// Says of how many rows the worst deletions are not known.
pub(crate) fn unproven_note(rows: usize) -> Option<Note> {
    (rows > 0).then_some(Note::UnprovenDeletions { rows: rows as u64 })
}

/// Says where largest values differ so much that one box of weights cannot suit all attributes.
fn uneven(rows: &Rows, examples: &Examples<'_>) -> Option<Note> {
    let mut largest = vec![0.0_f64; rows.attributes()];
    for i in 0..rows.len() {
        let (slots, values) = rows.row(i);
        for (&slot, value) in slots.iter().zip(values) {
            let attribute = rows.attribute()[slot as usize];
            if attribute != KNOWN {
                largest[attribute as usize] = largest[attribute as usize].max(value.abs());
            }
        }
    }
    let seen = || (0..largest.len()).filter(|&j| largest[j] > 0.0);
    let (most, least) = (
        seen().max_by(|&a, &b| largest[a].total_cmp(&largest[b]))?,
        seen().min_by(|&a, &b| largest[a].total_cmp(&largest[b]))?,
    );
    let ratio = largest[most] / largest[least];
    let name = |attribute: usize| examples.layout.name(attribute).to_owned();
    (ratio > UNEVEN).then(|| Note::UnevenScales {
        largest: name(most),
        smallest: name(least),
        ratio,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::full::testing::Data;
    use ndarray::Array2;

    #[test]
    fn a_constant_is_the_measure_under_deletions_alone() {
        let codes: Vec<u32> = (0..20).map(|i| i % 2).collect();
        let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
        // Without the first attribute the second turns every row wrong.
        let cells =
            Array2::from_shape_fn((20, 2), |(i, j)| if j == 0 { sign(i) } else { 0.1 * sign(i) });
        let data = Data::new(cells, (0..20).map(sign).collect());
        let labels = Some(Labels { codes: &codes, classes: 2 });
        let examples = Examples { labels, ..data.examples() };
        let signs = Signs::of(&examples, "test").unwrap();
        let frame =
            FitContext::new(&examples, "test", &AttributeCosts::Uniform, Some(1.0)).unwrap();
        for (damage, expected) in [(Damage::Deletion, 1), (Damage::Noise, 0)] {
            let fit = frame
                .clone()
                .classifier(&signs, (&[1.0, -1.0], 0.0), damage, Stop::Tolerance)
                .unwrap();
            let said = |note: &&Note| {
                **note == Note::NoBetterThanConstant { attacked: 1.0, constant: 0.5 }
            };
            assert_eq!(fit.report.notes.iter().filter(said).count(), expected);
        }
    }

    #[test]
    fn a_budget_that_cannot_all_be_spent_is_said() {
        let threat = Threat::new(vec![0.3, 0.3, 0.0, 0.3, 0.3], 0.9).unwrap();
        assert_eq!(floored(&threat), None);
        let note = floored(&threat.with_budget(1.0).unwrap()).unwrap().to_string();
        assert!(
            note.contains("threat 1 means 0.8999") || note.contains("threat 1 means 0.9"),
            "{note}"
        );
    }
}
