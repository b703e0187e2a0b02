//! Tests a model truncated to fewer and fewer attributes: error against attributes needed.

use crate::parse::Counts;
use crate::terminal::measure::Measure;
use crate::terminal::output::{self, align};
use anyhow::Result;
use halfseen::data::{Table, Target};
use halfseen::model::Model;
use halfseen::select::{Score, Tally};
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use serde_json::{Value, json};
use std::path::Path;

impl Counts {
    /// Returns the model truncated to each count, increasing.
    ///
    /// Unlike a saved truncated model, each still knows the attributes without weight: columns that
    /// are absent from a table then count as they do for the whole model.
    pub(crate) fn cut(&self, model: &Model) -> Result<Vec<(u64, Model)>> {
        let layout = model.prepare.schema.layout()?;
        let linear = model.predictor.linear()?;
        let all = linear.attributes(&layout).max(1) as u64;
        let mut counts = match self {
            Counts::These(counts) => counts.clone(),
            Counts::Auto => {
                let decades = (0..u64::MAX.ilog10()).map(|power| 10_u64.pow(power));
                let steps = decades.flat_map(|decade| [1, 2, 5].map(|step| step * decade));
                steps.take_while(|&count| count < all).chain([all]).collect()
            }
        };
        counts.sort_unstable();
        counts.dedup();
        let cut = |count: u64| {
            let attributes = usize::try_from(count).unwrap_or(usize::MAX);
            let predictor = model.predictor.truncated(attributes, &layout)?;
            Ok((count, Model { predictor, ..model.clone() }))
        };
        counts.into_iter().map(cut).collect()
    }
}

/// Test errors of one model at each count, on rows that come in parts.
pub(crate) struct Truncated(Vec<(u64, Model, Tally)>);

impl Truncated {
    /// Returns the truncated models, which have not been tested.
    pub(crate) fn of(models: Vec<(u64, Model)>) -> Truncated {
        Truncated(
            models.into_iter().map(|(count, model)| (count, model, Tally::default())).collect(),
        )
    }

    /// Tests each of them on some rows.
    pub(crate) fn add(&mut self, table: &Table, target: &Target) -> Result<()> {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        for (_, model, errors) in &mut self.0 {
            errors.add(&model.predict(table)?.scores, target, &rows);
        }
        Ok(())
    }

    fn scores(&self) -> impl Iterator<Item = (u64, Score)> + '_ {
        self.0.iter().map(|(count, _, errors)| (*count, errors.score()))
    }

    pub(crate) fn as_json(&self) -> Value {
        let row = |(count, score): (u64, Score)| json!({ "attributes": count, "mse": score.mse, "error": score.error });
        self.scores().map(row).collect()
    }

    pub(crate) fn as_text(&self) -> String {
        let classes = self.scores().any(|(_, score)| score.error.is_some());
        // Margins do not estimate the target.
        let squares = self.scores().any(|(_, score)| score.mse.is_some());
        let show = |mse: Option<f64>| mse.map_or("-".to_owned(), |mse| format!("{mse:.6}"));
        let line = |cells: [String; 3]| {
            let shown = cells.into_iter().zip([true, squares, classes]);
            shown.filter(|(_, shown)| *shown).map(|(cell, _)| cell).collect::<Vec<String>>()
        };
        let mut lines = vec![line(["attributes".into(), "squared error".into(), "error".into()])];
        lines.extend(self.scores().map(|(count, score)| {
            let error =
                score.error.map_or(String::new(), |error| format!("{:.2} %", 100.0 * error));
            line([count.to_string(), show(score.mse), error])
        }));
        align(&lines)
    }

    /// Plots the errors against the number of attributes.
    pub(crate) fn draw(&self, title: &str, learner: &str, path: &Path) -> Result<()> {
        let measure =
            self.scores().next().map_or(Measure::Squared, |(_, score)| Measure::of_score(&score));
        let error = |score: &Score| match measure {
            Measure::Wrong => score.error.map(|error| 100.0 * error),
            Measure::Squared => score.mse,
        };
        let point = |(count, score): (u64, Score)| {
            Some(Point { x: count as f64, y: error(&score)?, low: f64::NAN, high: f64::NAN })
        };
        let svg = learning_curve(&Figure {
            title: title.to_owned(),
            x_label: "attributes needed to predict".into(),
            y_label: measure.axis().0.into(),
            log_x: true,
            y_limit: None,
            reference: None,
            series: vec![Series {
                name: learner.to_owned(),
                points: self.scores().filter_map(point).collect(),
            }],
        })?;
        output::write_file(path, &svg)
    }
}
