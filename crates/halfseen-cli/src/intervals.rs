//! Makes the intervals of predict and evaluate: the model's own, or from rows for calibration.

use crate::args::ReadArgs;
use crate::input::{read_table, renumbered, with_targets};
use crate::output;
use crate::test_table::target_of;
use anyhow::{Context, Result};
use halfseen::data::Table;
use halfseen::model::{Conformal, Model, Peers};
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

    /// Returns the ends of each row's interval.
    pub(crate) fn of(
        &self,
        model: &Model,
        table: &Table,
        read: &ReadArgs,
        quiet: bool,
    ) -> Result<Vec<(f64, f64)>> {
        if let Some(path) = self.calibration {
            return self.conformal(path, model, table, read, quiet);
        }
        let found = model
            .intervals(table, self.level)
            .with_context(|| format!("--interval: {}", self.model.display()))?;
        if model.predictor.conditional().is_some_and(|known| known.deviations.is_empty()) {
            output::remark(
                quiet,
                "remark: the intervals have the average width found on held-out reads; refit with --set deviations=50, to include each row's \
                 uncertainty of the weights",
            );
        }
        Ok(found.ends)
    }

    /// Returns the ends of intervals from the errors on the rows of a file.
    fn conformal(
        &self,
        path: &Path,
        model: &Model,
        table: &Table,
        read: &ReadArgs,
        quiet: bool,
    ) -> Result<Vec<(f64, f64)>> {
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
        let found = conformal.intervals(table, self.level).with_context(|| place(&name))?;
        remark_on(&found.bases, quiet);
        Ok(found.intervals.ends)
    }
}

/// Remarks on rows whose intervals are right only if the holes are independent of the values.
fn remark_on(bases: &[Peers], quiet: bool) {
    let count = |basis| bases.iter().filter(|found| **found == basis).count();
    let (contained, union) = (count(Peers::Contained), count(Peers::Union));
    if contained + union == 0 {
        return;
    }
    output::remark(
        quiet,
        &format!(
            "remark: intervals by basis: {} from calibration rows that lack the same cells; {contained} from rows that were made to lack the same; \
             {union} from rows that lack others, without these cells. The second kind is right if cells are missing by chance; in the third kind at most twice as many targets as wanted are then outside",
            bases.len() - contained - union
        ),
    );
}
