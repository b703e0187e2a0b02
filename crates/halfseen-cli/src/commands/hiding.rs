//! Compares learners again with some observed cells hidden: error against the share observed.

use crate::args::{CompareArgs, MissingArg};
use crate::commands::compared::shown;
use crate::commands::curves::point;
use crate::terminal::failure::usage_error;
use crate::terminal::format;
use crate::terminal::measure::Measure;
use crate::terminal::output::align;
use anyhow::Result;
use halfseen::Monitor;
use halfseen::data::{Matrix, Scale};
use halfseen::learner::Learner;
use halfseen::select::{Comparison, ComparisonPlan, Seen, Task, Test, compare, hide};
use halfseen_io::draw::{Figure, Series};
use serde_json::{Value, json};

/// Seeds that distinguish the rows of a separate test file from the training rows.
const TRAIN: u32 = 0;
const TEST: u32 = 1;

/// A comparison with a share of the observed cells hidden.
struct Stage {
    /// Hidden share, in [0, 1).
    share: f64,
    /// Observed cells that remain.
    seen: Seen,
    comparison: Comparison,
}

/// Comparisons at each share, beginning with the table as it came.
pub(crate) struct Hidden(Vec<Stage>);

/// Returns the shares of --hide, increasing and without 0; refuses invalid ones.
pub(crate) fn shares(args: &CompareArgs) -> Result<Vec<f64>> {
    let mut shares = args.hide.clone();
    shares.sort_by(f64::total_cmp);
    if let Some(twice) = shares.windows(2).find(|pair| pair[0] == pair[1]) {
        return usage_error(format!("--hide names {} twice", twice[0]));
    }
    if !shares.is_empty() && matches!(args.missing, MissingArg::Drop | MissingArg::Refuse) {
        return usage_error(
            "--hide makes cells missing, but --missing drop and refuse exclude them; use --missing mean, or observed",
        );
    }
    Ok(shares)
}

/// Progress of one of several comparisons, as a part of the total.
pub(crate) struct Part<'a> {
    pub(crate) whole: &'a dyn Monitor,
    pub(crate) number: u64,
    pub(crate) of: u64,
}

impl Monitor for Part<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.whole.progress(self.number * total + done, self.of * total);
    }

    fn working_on(&self, what: &str) {
        self.whole.working_on(what);
    }

    fn should_stop(&self) -> bool {
        self.whole.should_stop()
    }
}

impl Hidden {
    /// Compares at each share, until the monitor stops it; `whole` is the comparison of the table as
    /// it came. Ignored and known columns are never hidden.
    pub(crate) fn run(
        shares: &[f64],
        (no_attributes, known): (&[&str], &[&str]),
        learners: &[Box<dyn Learner>],
        task: &Task<'_>,
        plan: &ComparisonPlan,
        whole: &Comparison,
        monitor: &dyn Monitor,
    ) -> halfseen::Result<Hidden> {
        let first = Stage {
            share: 0.0,
            seen: Seen::of(task.table, no_attributes),
            comparison: whole.clone(),
        };
        let kept = [no_attributes, known].concat();
        let mut stages = vec![first];
        // Bytes that may be missing become numbers, and would be scaled differently.
        let mut options = task.options.clone();
        if matches!(task.table.numbers(), Matrix::U8(_)) {
            options.scale = options.scale.or(Some(Scale::Common));
            if options.honest && options.bounds.is_empty() {
                // A byte's range is known without reading.
                let attributes = task.table.columns().iter().map(|c| &c.name);
                let attributes = attributes.filter(|name| !no_attributes.contains(&name.as_str()));
                options.bounds = attributes.map(|name| (name.clone(), (0.0, 255.0))).collect();
            }
        }
        // Only the fits on all training rows are needed.
        let plan = ComparisonPlan { curve_points: 0, ..plan.clone() };
        for (number, &share) in (1..).zip(shares) {
            let table = hide(task.table, &kept, share, plan.seed, TRAIN);
            let test_table = task.test.map(|test| hide(test.table, &kept, share, plan.seed, TEST));
            let test = task
                .test
                .zip(test_table.as_ref())
                .map(|(test, table)| Test { table, target: test.target });
            let task = Task { table: &table, test, options: &options, ..*task };
            let part = Part { whole: monitor, number, of: 1 + shares.len() as u64 };
            let compared = compare(learners, &task, &plan, &part);
            if monitor.should_stop() {
                // Of this share some splits may be missing.
                break;
            }
            let comparison = compared?;
            stages.push(Stage { share, seen: Seen::of(&table, no_attributes), comparison });
        }
        Ok(Hidden(stages))
    }

    /// Returns the measure that fits all stages.
    fn measure(&self) -> Measure {
        let wrong = self.0.iter().any(|stage| Measure::of(&stage.comparison) == Measure::Wrong);
        if wrong { Measure::Wrong } else { Measure::Squared }
    }

    /// Returns the printed table: learners by the share observed.
    pub(crate) fn as_text(&self) -> String {
        let measure = self.measure();
        let mut lines = vec![vec!["cells observed".to_owned()]];
        lines[0].extend(self.0.iter().map(|stage| format!("{:.1} %", 100.0 * stage.seen.share())));
        for (l, summary) in self.0[0].comparison.summary.iter().enumerate() {
            let errors = self.0.iter().map(|stage| measure.over(&stage.comparison.summary[l]));
            let mut line = vec![summary.learner.to_owned()];
            line.extend(errors.map(|error| shown(error, measure)));
            lines.push(line);
        }
        let empty = self.0.iter().filter(|stage| stage.seen.empty_rows > 0).map(|stage| {
            let rows = format::thousands(stage.seen.empty_rows as f64);
            format!("With {:.1} % observed {rows} rows are empty.\n", 100.0 * stage.seen.share())
        });
        format!(
            "{} by the share of cells observed, the others hidden completely at random (--hide):\n{}{}",
            measure.label(),
            align(&lines),
            empty.collect::<String>()
        )
    }

    /// Returns for each share the cells observed, and the results in the form of `results.json`.
    pub(crate) fn as_json(&self) -> Value {
        let stage = |stage: &Stage| {
            json!({
                "share": stage.share, "observed": stage.seen.share(), "empty_rows": stage.seen.empty_rows,
                "rows": stage.comparison.rows, "summary": stage.comparison.summary,
            })
        };
        self.0.iter().map(stage).collect()
    }

    /// Returns a figure of the error against the share of cells observed.
    pub(crate) fn figure(&self, title: &str) -> Figure {
        let measure = self.measure();
        let (label, factor) = measure.axis();
        let series = self.0[0].comparison.summary.iter().enumerate().map(|(l, summary)| {
            let at = |stage: &Stage| {
                Some(point(stage.seen.share(), measure.over(&stage.comparison.summary[l])?, factor))
            };
            Series {
                name: summary.learner.to_owned(),
                points: self.0.iter().filter_map(at).collect(),
            }
        });
        Figure {
            title: title.to_owned(),
            x_label: "share of the attributes' cells that is observed".into(),
            y_label: label.into(),
            log_x: false,
            y_limit: None,
            reference: None,
            series: series.collect(),
        }
    }
}
