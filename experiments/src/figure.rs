//! Draws the learning curves of an experiment: mean over the splits, with a band of one deviation.

use crate::arm::Arm;
use crate::results::{Results, Row};
use anyhow::Result;
use halfseen::select::Statistics;
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use std::collections::BTreeMap;

/// What lies along the x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Along {
    /// Training examples.
    Examples,
    /// Attribute values read; ends where the budgeted arms end.
    Reads,
}

/// What lies along the y axis: its label, what multiplies the squared error, and where it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Height {
    pub(crate) label: &'static str,
    pub(crate) times: f64,
    pub(crate) limit: Option<f64>,
}

/// The curves of some arms on one problem, as SVG.
pub(crate) fn curves(
    results: &Results,
    problem: &str,
    arms: &[&Arm],
    title: &str,
    along: Along,
    height: Height,
) -> Result<String> {
    let place = |row: &Row| if along == Along::Examples { row.examples } else { row.reads };
    let ends = arms
        .iter()
        .filter(|arm| !arm.sees_all())
        .flat_map(|arm| results.of(problem, &arm.id))
        .map(|r| r.reads);
    let last = match along {
        Along::Examples => u64::MAX,
        Along::Reads => ends.max().map_or(u64::MAX, |reads| reads + reads / 50),
    };
    let series = |arm: &&Arm| {
        let mut at: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
        results.of(problem, &arm.id).for_each(|row| at.entry(row.point).or_default().push(row));
        let point = |rows: Vec<&Row>| {
            let statistics =
                Statistics::of(rows.iter().map(|row| height.times * row.squared).collect())?;
            let x = rows.iter().map(|row| place(row) as f64).sum::<f64>() / rows.len() as f64;
            let Statistics { mean, sd, .. } = statistics;
            // No error is below 0, whatever its deviation.
            Some(Point { x, y: mean, low: (mean - sd).max(0.0), high: mean + sd })
        };
        let points = at.into_values().filter_map(point).filter(|p| p.x <= last as f64).collect();
        Series { name: arm.label.clone(), points }
    };
    let series: Vec<Series> = arms.iter().map(series).collect();
    let cut = height
        .limit
        .filter(|&limit| series.iter().flat_map(|s| &s.points).any(|point| point.high > limit));
    let figure = Figure {
        title: title.to_owned(),
        x_label: match along {
            Along::Examples => "training examples".into(),
            Along::Reads => "attribute values read".into(),
        },
        y_label: match cut {
            Some(limit) => format!("{} (to {limit})", height.label),
            None => height.label.into(),
        },
        log_x: true,
        y_limit: height.limit,
        reference: None,
        series,
    };
    Ok(learning_curve(&figure)?)
}
