//! Tests a model under attack: errors for each attack and budget, as a table, JSON and a curve.

use crate::terminal::format;
use crate::terminal::measure::Measure;
use crate::terminal::output::{self, align};
use anyhow::Result;
use halfseen::data::{Target, Threat};
use halfseen::robust::{Attack, Trial};
use halfseen::select::{QuantileTally, Score, Tally};
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use serde_json::{Value, json};
use std::path::Path;

/// Number of attacks made by default.
const USUAL: usize = 4;

/// Errors under one attack with one budget.
struct Row {
    attack: Attack,
    threat: Threat,
    errors: Tally,
    /// If the model predicts a quantile.
    quantile: Option<QuantileTally>,
    unproven: usize,
}

impl Row {
    fn score(&self) -> Score {
        self.errors.score()
    }

    /// Returns the mean loss of numbers: the quantile loss of a model of one, else the squared error.
    fn loss(&self) -> Option<f64> {
        self.quantile.as_ref().map_or_else(|| self.score().mse, QuantileTally::loss)
    }
}

/// Errors under each attack and budget, on rows that come in parts.
pub(crate) struct Attacks {
    rows: Vec<Row>,
    seed: u64,
}

impl Attacks {
    /// Returns the named attacks, or the usual ones, under each threat; `quantile` is what the model
    /// predicts, if it does.
    pub(crate) fn of(
        threats: &[Threat],
        named: &[Attack],
        quantile: Option<f64>,
        seed: u64,
    ) -> Attacks {
        let mut kinds = named.to_vec();
        if named.is_empty() {
            kinds.extend(Attack::ALL[..USUAL].iter().map(|(_, attack)| *attack));
        }
        let row = |attack| {
            let of = move |threat: &Threat| {
                let (threat, errors) = (threat.clone(), Tally::default());
                let quantile = quantile.map(QuantileTally::new);
                Row { attack, threat, errors, quantile, unproven: 0 }
            };
            threats.iter().map(of)
        };
        Attacks { rows: kinds.into_iter().flat_map(row).collect(), seed }
    }

    /// Attacks some rows.
    pub(crate) fn add(&mut self, trial: &Trial<'_>, target: &Target) -> Result<()> {
        let rows: Vec<u32> = (0..target.len() as u32).collect();
        for row in &mut self.rows {
            let attacked = trial.attack(&row.threat, row.attack, self.seed)?;
            row.errors.add(&attacked.scores, target, &rows);
            row.quantile.iter_mut().for_each(|tally| tally.add(&attacked.scores, target));
            row.unproven += attacked.unproven;
        }
        Ok(())
    }

    /// Returns the errors under the first attack with the largest budget.
    pub(crate) fn first(&self) -> Option<Score> {
        let first = self.rows.first()?.attack;
        self.rows.iter().rev().find(|row| row.attack == first).map(Row::score)
    }

    /// Returns a remark if a search for the worst deletions was given up.
    pub(crate) fn doubt(&self) -> Option<String> {
        let most = self.rows.iter().map(|row| row.unproven).max().filter(|most| *most > 0)?;
        Some(format!(
            "remark: for up to {most} rows the exact attack could not prove its deletions to be the worst; its error is a lower bound"
        ))
    }

    pub(crate) fn as_json(&self) -> Value {
        let row = |row: &Row| {
            let score = row.score();
            let mut json = json!({
                "attack": row.attack.name(), "threat": row.threat.budget(), "error": score.error,
                "balanced_error": score.balanced_error, "mse": score.mse, "unproven": row.unproven,
            });
            if let Some(tally) = &row.quantile {
                json["quantile_loss"] = json!(tally.loss());
            }
            json
        };
        self.rows.iter().map(row).collect()
    }

    fn is_of_quantile(&self) -> bool {
        self.rows.iter().any(|row| row.quantile.is_some())
    }

    pub(crate) fn as_text(&self) -> String {
        let classes = self.rows.iter().any(|row| row.score().error.is_some());
        let numbers = self.rows.iter().any(|row| row.loss().is_some());
        let loss = if self.is_of_quantile() { "quantile loss" } else { "squared error" };
        let percent = |e: Option<f64>| e.map_or("-".into(), |e| format!("{:.2} %", 100.0 * e));
        let line = |cells: [String; 5]| {
            let shown = [true, true, numbers, classes, classes];
            cells
                .into_iter()
                .zip(shown)
                .filter(|(_, shown)| *shown)
                .map(|(cell, _)| cell)
                .collect::<Vec<String>>()
        };
        let mut lines =
            vec![line(["attack", "threat", loss, "error", "balanced error"].map(str::to_owned))];
        lines.extend(self.rows.iter().map(|row| {
            let score = row.score();
            line([
                row.attack.name().to_owned(),
                format::rounded(row.threat.budget()),
                row.loss().map_or("-".to_owned(), |loss| format!("{loss:.6}")),
                percent(score.error),
                percent(score.balanced_error),
            ])
        }));
        align(&lines)
    }

    /// Plots the error against the budget, with one line per attack.
    pub(crate) fn draw(&self, title: &str, path: &Path) -> Result<()> {
        // Classes are judged by the share of misclassified rows.
        let told = self.rows.iter().all(|row| row.score().error.is_some());
        let measure = if told { Measure::Wrong } else { Measure::Squared };
        let error = |row: &Row| match measure {
            Measure::Wrong => row.score().error.map(|error| 100.0 * error),
            Measure::Squared => row.loss(),
        };
        let axis = if self.is_of_quantile() { "test quantile loss" } else { measure.axis().0 };
        let mut series: Vec<Series> = Vec::new();
        for rows in self.rows.chunk_by(|a, b| a.attack == b.attack) {
            let point = |row: &Row| {
                let (x, y) = (row.threat.budget(), error(row)?);
                Some(Point { x, y, low: f64::NAN, high: f64::NAN })
            };
            let (name, points) =
                (rows[0].attack.name(), rows.iter().filter_map(point).collect::<Vec<Point>>());
            // With equal costs the greedy attack is exact: one line under both names.
            let same = |one: &&mut Series| one.points.iter().zip(&points).all(|(a, b)| a.y == b.y);
            match series.iter_mut().find(same) {
                Some(one) => one.name.push_str(&format!(", {name}")),
                None => series.push(Series { name: name.to_owned(), points }),
            }
        }
        let svg = learning_curve(&Figure {
            title: title.to_owned(),
            x_label: "threat (total cost of the deleted attributes)".into(),
            y_label: axis.into(),
            log_x: false,
            y_limit: None,
            reference: None,
            series,
        })?;
        output::write_file(path, &svg)
    }
}
