//! Prepares and completes a fit of this family: reads rows and threat, and builds the model and its
//! notes.

use super::bounds::margin_error;
use super::values::threat_of;
use super::{RobustHinge, Rows, rows::KNOWN};
use halfseen_core::data::{Examples, Layout, Signs, Threat};
use halfseen_core::error::{ErrorKind, Result, short};
use halfseen_core::model::{Fit, Linear, Note, Predictor, Report, Stop};
use halfseen_core::params::{AttributeCosts, Damage};
use std::sync::Arc;
use std::time::Instant;

/// Ratio of two attributes' largest values above which they should not share a box.
const UNEVEN: f64 = 1e3;

/// Rows of a fit and the threat that it prepares for.
#[derive(Debug, Clone)]
pub struct FitContext {
    /// Rows with entries in the order of slots.
    pub rows: Arc<Rows>,
    /// Threat that it prepares for.
    pub threat: Threat,
    /// Notes on the data and the threat for the report.
    pub notes: Vec<Note>,
    layout: Arc<Layout>,
    learner: &'static str,
    start: Instant,
}

impl FitContext {
    /// Reads the rows and determines the threat.
    ///
    /// # Errors
    /// See [`Rows::new`] and [`Threat::new`].
    pub fn new(
        examples: &Examples<'_>,
        learner: &'static str,
        values: &AttributeCosts,
        budget: Option<f64>,
    ) -> Result<FitContext> {
        let start = Instant::now();
        let rows = Rows::new(examples, learner)?;
        let threat = threat_of(values, budget, examples)?;
        let notes = floored(&threat).into_iter().chain(uneven(&rows, examples)).collect();
        let (rows, layout) = (Arc::new(rows), Arc::clone(examples.layout));
        Ok(FitContext { rows, threat, notes, layout, learner, start })
    }

    /// Builds the classifier with these weights (n_slots) and bias, trained for this damage.
    ///
    /// # Errors
    /// [`ErrorKind::Diverged`]: a weight that is not finite.
    pub fn classifier(
        mut self,
        signs: &Signs,
        (weights, bias): (&[f64], f64),
        damage: Damage,
        stop: Stop,
    ) -> Result<Fit> {
        // The error under deletions does not apply to noise.
        if damage == Damage::Deletion {
            let note = self.no_better_than_constant(&signs.signs, weights, bias);
            self.notes.extend(note);
        }
        let weights = self.rows.by_column(weights);
        let fill = vec![0.0; weights.len()];
        let linear = Linear::of_signs(signs, weights, bias, fill);
        self.finish(Predictor::Margin(linear), stop)
    }

    /// Builds the regression model for the scaled target with these weights (n_slots) and bias.
    ///
    /// # Errors
    /// [`ErrorKind::Diverged`]: a weight that is not finite.
    pub fn regressor(self, weights: &[f64], bias: f64, stop: Stop) -> Result<Fit> {
        let weights = self.rows.by_column(weights);
        let linear =
            Linear { fill: vec![0.0; weights.len()], weights, intercept: bias, clip: None };
        self.finish(Predictor::Linear(linear), stop)
    }

    /// Returns a note if a constant is as good under the threat.
    fn no_better_than_constant(&self, signs: &[f64], weights: &[f64], bias: f64) -> Option<Note> {
        // Weights of 0 have their own note; without a threat the training error decides nothing.
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

/// Returns a note if part of the budget cannot be spent.
pub(super) fn floored(threat: &Threat) -> Option<Note> {
    threat.floored().map(|text| Note::on_data("threat-floored", text))
}

/// Returns the parameters taken from the rows, although bounds on new rows assume them fixed
/// beforehand.
pub(crate) fn from_rows(values: &AttributeCosts, margin: bool) -> Vec<String> {
    let values = (*values == AttributeCosts::Information).then_some("costs");
    let margin = margin.then_some("margin");
    values.into_iter().chain(margin).map(str::to_owned).collect()
}

/// Returns a note on the number of rows with unproven worst deletions.
pub(crate) fn unproven_note(rows: usize) -> Option<Note> {
    (rows > 0).then_some(Note::UnprovenDeletions { rows: rows as u64 })
}

/// Returns a note if attributes differ so much in scale that one box cannot suit all.
fn uneven(rows: &Rows, examples: &Examples<'_>) -> Option<Note> {
    let mut largest = vec![0.0_f64; rows.attributes()];
    for (&attribute, &most) in rows.attribute().iter().zip(&rows.sizes().largest) {
        if attribute != KNOWN {
            largest[attribute as usize] = largest[attribute as usize].max(most);
        }
    }
    let seen = || (0..largest.len()).filter(|&j| largest[j] > 0.0);
    let (most, least) = (
        seen().max_by(|&a, &b| largest[a].total_cmp(&largest[b]))?,
        seen().min_by(|&a, &b| largest[a].total_cmp(&largest[b]))?,
    );
    let ratio = largest[most] / largest[least];
    let name = |attribute: usize| short(examples.layout.name(attribute));
    (ratio > UNEVEN).then(|| {
        let text = format!(
            "values of '{}' are up to {ratio:.0e} times those of '{}', but one box bounds the weights of both: scale each by its \
             largest value (scale max)",
            name(most),
            name(least)
        );
        Note::on_data("uneven-scales", text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Data;
    use halfseen_core::data::Labels;
    use ndarray::Array2;

    #[test]
    fn a_constant_is_the_measure_under_deletions_alone() {
        let codes: Vec<u32> = (0..20).map(|i| i % 2).collect();
        let sign = |i: usize| if codes[i] == 1 { 1.0 } else { -1.0 };
        // Without the first attribute the second misclassifies every row.
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
