//! Fits one linear model for each of more than two classes: its members against the rest.

use crate::data::{Examples, Labels};
use crate::error::Result;
use crate::model::{Fit, Linear, Linears, Note, Predictor, Report};

/// Rows whose classes are predicted at once.
pub(crate) const BATCH: usize = 256;

/// Fits by a function for two classes, which returns a fit for each of some settings. With more
/// classes it is called once for each, with the signs of its members, and the class of largest
/// score is predicted. Fits of a setting with more errors on these rows than the most frequent
/// class, or as many, give way to that class, with a note.
///
/// # Errors
/// Those of the function; scores that are not finite.
pub fn each_class(
    examples: &Examples<'_>,
    mut fit: impl FnMut(&Examples<'_>) -> Result<Vec<Fit>>,
) -> Result<Vec<Fit>> {
    let Some(Labels { codes, classes }) = examples.labels.filter(|labels| labels.classes > 2)
    else {
        return fit(examples);
    };
    let mut settings: Vec<Vec<Fit>> = Vec::new();
    for class in 0..classes {
        let members: Vec<u32> =
            codes.iter().map(|code| u32::from(*code as usize == class)).collect();
        let signs: Vec<f64> = members.iter().map(|&is| 2.0 * f64::from(is) - 1.0).collect();
        let labels = Some(Labels { codes: &members, classes: 2 });
        let fits = fit(&Examples { labels, targets: &signs, ..examples.clone() })?;
        settings.resize_with(fits.len(), Vec::new);
        settings.iter_mut().zip(fits).for_each(|(setting, fit)| setting.push(fit));
    }
    let counts = counts(examples, classes);
    settings.into_iter().map(|fits| together(fits, examples, &counts)).collect()
}

/// Returns the share of rows, by weight, for which this holds; `wrong` gets examples and a row.
pub fn share(
    examples: &Examples<'_>,
    mut wrong: impl FnMut(&Examples<'_>) -> Result<Vec<bool>>,
) -> Result<f64> {
    let (mut sum, mut total) = (0.0, 0.0);
    for rows in examples.rows.chunks(BATCH) {
        let part = examples.with_rows(rows);
        for (row, wrong) in wrong(&part)?.into_iter().enumerate() {
            total += part.weight(row);
            sum += if wrong { part.weight(row) } else { 0.0 };
        }
    }
    Ok(if total > 0.0 { sum / total } else { 0.0 })
}

/// Returns the share of rows that are not of the most frequent class.
pub fn constant_error(examples: &Examples<'_>) -> f64 {
    besides_largest(&counts(examples, examples.classes()))
}

fn besides_largest(counts: &[f64]) -> f64 {
    1.0 - counts.iter().copied().fold(0.0, f64::max) / counts.iter().sum::<f64>()
}

/// Returns the weight of the rows of each class.
fn counts(examples: &Examples<'_>, classes: usize) -> Vec<f64> {
    let mut counts = vec![0.0; classes];
    for row in 0..examples.len() {
        if let Some(code) = examples.code(row) {
            counts[code as usize] += examples.weight(row);
        }
    }
    counts
}

/// Joins the fits of all classes.
fn together(fits: Vec<Fit>, examples: &Examples<'_>, counts: &[f64]) -> Result<Fit> {
    let mut report = joined(&fits);
    let linear = |fit: Fit| fit.predictor.linear().cloned();
    let classes = fits.into_iter().map(linear).collect::<Result<Vec<Linear>>>()?;
    let mut predictor = Predictor::Linears(Linears { classes });
    let wrong = share(examples, |part| {
        let scores = predictor.scores(part)?;
        let missed = |row| part.code(row) != Some(scores.class(row) as u32);
        Ok((0..part.len()).map(missed).collect())
    })?;
    let constant = besides_largest(counts);
    if wrong > 0.0 && wrong >= constant {
        if let Predictor::Linears(linears) = &mut predictor {
            let total = counts.iter().sum::<f64>();
            for (linear, count) in linears.classes.iter_mut().zip(counts) {
                linear.weights.fill(0.0);
                linear.intercept = 2.0 * count / total - 1.0;
            }
        }
        (report.objective, report.gap) = (None, None);
        report.notes.push(Note::MostFrequentClass { wrong, constant });
    }
    Ok(Fit { predictor, report })
}

/// Joins reports: means of objectives and gaps, the first reason not to have converged, and the
/// notes that hold for every class.
fn joined(fits: &[Fit]) -> Report {
    let reports = || fits.iter().map(|fit| &fit.report);
    let mean = |part: fn(&Report) -> Option<f64>| {
        reports().map(part).sum::<Option<f64>>().map(|sum| sum / fits.len() as f64)
    };
    let first = &fits[0].report;
    let stop = reports().find(|report| !report.converged).map_or(first.stop, |report| report.stop);
    // Bounds of theorems, and what is better than a constant, are about two classes.
    let ours = |note: &&Note| {
        !matches!(
            note,
            Note::RiskBound { .. }
                | Note::NoiseBound { .. }
                | Note::NoBetterThanConstant { .. }
                | Note::UnprovenDeletions { .. }
        )
    };
    let shared = |note: &&Note| reports().all(|report| report.notes.contains(note));
    let mut notes: Vec<Note> = first.notes.iter().filter(ours).filter(shared).cloned().collect();
    let unproven = |note: &Note| match note {
        Note::UnprovenDeletions { rows } => Some(*rows),
        _ => None,
    };
    let most = reports().flat_map(|report| &report.notes).filter_map(unproven).max();
    notes.extend(most.map(|rows| Note::UnprovenDeletions { rows }));
    Report {
        objective: mean(|report| report.objective),
        gap: mean(|report| report.gap),
        passes: reports().map(|report| report.passes).max().flatten(),
        seconds: reports().map(|report| report.seconds).sum(),
        converged: stop.converged(),
        stop,
        notes,
        ..first.clone()
    }
}
