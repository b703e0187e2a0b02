//! Makes the intervals of predict and evaluate: the model's own, or from rows for calibration.

use crate::args::ReadArgs;
use crate::tables::files::read_table;
use crate::tables::input::renumbered;
use crate::tables::kept_rows::with_targets;
use crate::tables::test_table::target_of;
use crate::terminal::output;
use anyhow::{Context, Result};
use halfseen::data::Table;
use halfseen::model::{CalibrationRows, Conformal, Model};
use std::path::Path;

/// Intervals as flags ask for them.
pub(crate) struct Intervals<'a> {
    level: f64,
    calibration: Option<&'a Path>,
    /// Name of the model.
    model: &'a Path,
}

impl<'a> Intervals<'a> {
    /// Returns what --interval and --conformal ask for.
    pub(crate) fn asked(
        level: Option<f64>,
        calibration: Option<&'a Path>,
        model: &'a Path,
    ) -> Option<Intervals<'a>> {
        level.map(|level| Intervals { level, calibration, model })
    }

    /// Reads the rows for calibration, if there are any.
    pub(crate) fn of(
        self,
        model: &'a Model,
        read: &ReadArgs,
        quiet: bool,
    ) -> Result<ReadyIntervals<'a>> {
        let conformal =
            self.calibration.map(|path| conformal(path, model, read, quiet)).transpose()?;
        Ok(ReadyIntervals { asked: self, conformal, counts: [0; 3], quiet })
    }
}

/// Intervals that can be computed.
pub(crate) struct ReadyIntervals<'a> {
    asked: Intervals<'a>,
    /// Errors on the rows for calibration, and the name of their file.
    conformal: Option<(Conformal<'a>, String)>,
    /// Number of intervals from rows that lack the same cells, that were made to, and others.
    counts: [usize; 3],
    quiet: bool,
}

impl ReadyIntervals<'_> {
    /// Returns the ends of each row's interval.
    pub(crate) fn ends(&mut self, model: &Model, table: &Table) -> Result<Vec<(f64, f64)>> {
        let level = self.asked.level;
        let Some((conformal, name)) = &self.conformal else {
            let place = || format!("--interval: {}", self.asked.model.display());
            return Ok(model.intervals(table, level).with_context(place)?.ends);
        };
        let conformal =
            conformal.intervals(table, level).with_context(|| format!("--conformal: {name}"))?;
        for basis in &conformal.bases {
            self.counts[match basis {
                CalibrationRows::Contained => 1,
                CalibrationRows::Union => 2,
                _ => 0,
            }] += 1;
        }
        Ok(conformal.intervals.ends)
    }

    /// Remarks on what the intervals leave out, or assume.
    pub(crate) fn remark(&self, model: &Model) {
        let [same, contained, union] = self.counts;
        let known = model.predictor.conditional();
        if self.conformal.is_none() && known.is_some_and(|known| known.deviations.is_empty()) {
            output::remark(
                self.quiet,
                "remark: the intervals have the average width found on held-out reads; refit with --set deviations=50, to include each row's \
                 uncertainty of the weights",
            );
        }
        if contained + union > 0 {
            output::remark(
                self.quiet,
                &format!(
                    "remark: intervals by basis: {same} from calibration rows that lack the same cells; {contained} from rows that were made to lack the same; \
                     {union} from rows that lack others, without these cells. The second kind is right if cells are missing by chance; in the third kind at most twice as many targets as wanted are then outside",
                ),
            );
        }
    }
}

/// Reads the rows of a file, and keeps the errors on them.
fn conformal<'m>(
    path: &Path,
    model: &'m Model,
    read: &ReadArgs,
    quiet: bool,
) -> Result<(Conformal<'m>, String)> {
    let place = |name: &str| format!("--conformal: {name}");
    let (name, known) = read_table(Some(path), read, quiet)?;
    let numbers = (0..known.rows()).collect();
    let (known, numbers) =
        with_targets(known, numbers, &model.target, &name, quiet).context("--conformal")?;
    let target = target_of(model.task, &model.classes, &known, &model.target, &numbers)
        .with_context(|| place(&name))?;
    let conformal = Conformal::of(model, &known, &target)
        .map_err(|e| renumbered(e, &numbers))
        .with_context(|| place(&name))?;
    output::remark_on(&conformal.applied, &[Some(&model.target)], quiet);
    Ok((conformal, name))
}
