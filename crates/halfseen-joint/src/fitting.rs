//! Fits to the reads that were kept: to the targets, or to the signs of each of more than two
//! classes; and completes the report.

use super::Fiml;
use super::alike::LARGE;
use super::candidates::MANY;
use super::design::importance;
use super::estimate::{Estimate, FitSettings, Remarks};
use super::pilot::estimate_with;
use super::predicting::{conditional, linked, predictor_of, with_curves};
use super::read_summary::ReadSummary;
use super::reads::Reads;
use halfseen_core::data::Layout;
use halfseen_core::error::Result;
use halfseen_core::learner::size::admit_need;
use halfseen_core::learner::{FitSize, Needed};
use halfseen_core::model::{Conditional, Linear, Note, PerClass, Predictor, Report, Stop};
use halfseen_core::params::{Passive, Shape};
use halfseen_solve::Monitor;
use std::convert::Infallible;

/// Returns the memory of the reads, and of the fits to them.
pub(super) fn needed(learner: &Fiml, size: &FitSize) -> Needed {
    let all = learner.passive == Passive::All;
    needed_for(learner, size, if all { size.cells() } else { size.reads(learner.budget) })
}

/// Returns the memory of this number of reads, and of the fits to them.
fn needed_for(learner: &Fiml, size: &FitSize, reads: f64) -> Needed {
    let (pilot, d, outputs) = (size.pilot as f64, size.d(), size.outputs());
    // All cells of a pilot may be there.
    let (n, reads) = (size.n() + pilot, reads + pilot * d);
    let whole = pilot > 0.0 || learner.passive == Passive::All;
    // An attribute takes part from its second read on.
    let (often, of_row) = (d.min(0.5 * reads), if whole { d } else { d.min(reads / n.max(1.0)) });
    let (parts, threads) = (learner.folds as f64 + 1.0, rayon::current_num_threads() as f64);
    let fit = |form: f64| {
        let (d, side) = (form * often, form * of_row + 1.0);
        // Covariances refined in parallel with their inverses, those kept, and how often pairs were
        // read, of few columns; loadings of all parts, and the sums of those that are improved.
        let (pairs, rank) = match d <= MANY as f64 {
            true => (15.0 * threads.min(parts) + 2.0 * parts + 2.0, 40.0),
            false => (0.0, 10.0),
        };
        let rank = learner.rank.map_or((d / 3.0).clamp(1.0, rank), |rank| d.min(rank as f64));
        let columns = parts * (100.0 + 4.0 * rank) + threads * (rank * rank + 60.0);
        // Blocks of covariances: small ones of four examples at a time, a large one with its factor
        // and inverse.
        let blocks = 13.0 * side.min(LARGE as f64).powi(2) + 3.0 * side * side;
        pairs * d * d + columns * d + threads * blocks
    };
    // A curve of each attribute, and rows for each fold; auto keeps candidates of both forms.
    let bent = || fit(2.0) + 6.0 * parts * reads;
    let fits = match learner.shape {
        Shape::Linear => fit(1.0),
        Shape::Additive => bent(),
        Shape::Auto => fit(1.0) + bent(),
    };
    // A read in lists that grow, in order, and in standard units; of a pilot for each weight; with
    // the signs of a class beside the classes.
    let copies = if pilot > 0.0 { 32.0 } else { 8.0 } + if size.classes > 2 { 8.0 } else { 0.0 };
    let deviations = d * learner.deviations as f64 * outputs;
    Needed::of(size, copies * reads + 10.0 * n + deviations + fits)
        .with("fewer rows or columns, a smaller budget, or aerr, which keeps no reads")
}

/// Reads, and all that a fit to them needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fitting<'a> {
    pub(super) learner: &'a Fiml,
    pub(super) layout: &'a Layout,
    pub(super) reads: &'a Reads,
    /// Rows of a pilot; none without one.
    pub(super) pilot: &'a Reads,
    /// Number of classes, if more than two; targets are then their numbers, from 0.
    pub(super) classes: u64,
    /// Number of reads without a value.
    pub(super) refused: u64,
    /// Least and largest target.
    pub(super) range: Option<[f64; 2]>,
}

impl Fitting<'_> {
    fn setting(&self) -> FitSettings {
        FitSettings {
            slots: self.layout.slots(),
            shape: self.learner.shape,
            folds: self.learner.folds as usize,
            rank: self.learner.rank.map(|r| usize::try_from(r).unwrap_or(usize::MAX)),
            deviations: self.learner.deviations as usize,
            seed: self.learner.seed,
        }
    }

    /// Fits to the reads so far: to the targets, or to the signs of each of more than two classes.
    /// Completes the report of the reads.
    ///
    /// # Errors
    /// Too little memory; numerical failure; as [`estimate`].
    pub(super) fn fit(
        &self,
        mut report: Report,
        monitor: &dyn Monitor,
    ) -> Result<(Predictor, Report)> {
        let Fitting { learner, layout, reads, pilot, .. } = *self;
        let (rows, classes) = (reads.len(), self.classes as usize);
        let size = FitSize { rows, classes, pilot: pilot.len(), ..FitSize::of_layout(layout) };
        admit_need(learner, &size, needed_for(learner, &size, reads.cells() as f64))?;
        let (mut predictors, mut outcomes) = (Vec::new(), Vec::new());
        each_target([reads, pilot], self.classes, |[reads, pilot]| -> Result<()> {
            let (predictor, outcome) = self.fit_to(reads, pilot, monitor)?;
            predictors.push(predictor);
            outcomes.push(outcome);
            Ok(())
        })?;
        let all = Outcome::mean(&outcomes);
        let mut survey = ReadSummary::of(reads, layout);
        if all.pilot > 0.0 {
            let more = ReadSummary::of(&reads.with_pilot(pilot, all.pilot), layout);
            survey = survey.with_attributes_of(more);
        }
        report.notes = survey.notes(self.refused);
        report.stop = if all.remarks.interrupted { Stop::Interrupted } else { Stop::OnePass };
        (report.risk, report.risk_error) = all.risk.unzip();
        report.constant_risk = all.risk.map(|_| all.variance);
        report.passes = Some(all.passes);
        let tested = all
            .risk
            .and_then(|(risk, error)| Note::beside_constant(risk, Some(error), all.variance));
        report.notes.extend(tested);
        let (rows, weight) = (pilot.len() as u64, all.pilot);
        report.notes.extend((rows > 0).then_some(Note::Pilot { rows, weight }));
        if all.remarks.guarded > 0 {
            let text = format!(
                "model refinements that ended early, because the likelihood would have decreased or a covariance was not positive \
                 definite: {}; the last valid result was used",
                all.remarks.guarded
            );
            report.notes.push(Note::on_data("guarded-refinements", text));
        }
        Ok((self.together(predictors), report))
    }

    /// Fits to reads and a pilot with these targets.
    fn fit_to(
        &self,
        reads: &Reads,
        pilot: &Reads,
        monitor: &dyn Monitor,
    ) -> Result<(Predictor, Outcome)> {
        let survey = ReadSummary::of(reads, self.layout);
        let (centre, variance) = (survey.centre, survey.variance);
        let found = if survey.teaches() {
            estimate_with(reads, pilot, &self.setting(), monitor)?
        } else {
            Estimate::nothing(survey.means, centre, variance, survey.examples)
        };
        let Estimate { mut risk, passes, pilot: weight, remarks, .. } = found;
        if self.classes > 0 && variance == 0.0 {
            // Of a class without members, or with all, there is nothing to get wrong.
            risk = Some((0.0, 0.0));
        }
        let mut predictor = predictor_of(&found, self.layout)?;
        // Of more than two classes the largest score counts, which no range may hide.
        predictor.linear.clip = self.range.filter(|_| self.classes == 0);
        let predictor = linked(predictor, self.learner.link, &found, reads)?;
        let outcome = Outcome { risk, variance, passes, pilot: weight, remarks };
        Ok((with_curves(predictor, &found, self.layout), outcome))
    }

    /// Returns the contribution of each slot to the prediction, of all classes together.
    pub(super) fn importance(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.layout.slots()];
        let Ok(()) = each_target([self.reads], self.classes, |[reads]| {
            let found = importance(reads, &self.setting());
            sums.iter_mut().zip(found).for_each(|(sum, of)| *sum += of);
            Ok::<(), Infallible>(())
        });
        sums
    }

    /// Returns the mean of the targets, or the share of each class, as a predictor.
    pub(super) fn nothing(&self) -> Predictor {
        let mut predictors = Vec::new();
        let Ok(()) = each_target([self.reads], self.classes, |[reads]| {
            predictors.push(Predictor::Conditional(self.mean_of(reads)));
            Ok::<(), Infallible>(())
        });
        self.together(predictors)
    }

    /// Returns the mean of the targets as a linear model.
    pub(super) fn mean(&self) -> Linear {
        self.mean_of(self.reads).linear
    }

    fn mean_of(&self, reads: &Reads) -> Conditional {
        let survey = ReadSummary::of(reads, self.layout);
        let nothing =
            Estimate::nothing(survey.means, survey.centre, survey.variance, survey.examples);
        conditional(&nothing, self.layout)
    }

    /// Returns the only predictor, or that of one for each class.
    fn together(&self, mut predictors: Vec<Predictor>) -> Predictor {
        let only = predictors.pop_if(|_| self.classes == 0);
        only.unwrap_or(Predictor::Classes(PerClass { classes: predictors }))
    }
}

/// Facts of a fit for its report.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    /// Own test, with its standard error.
    risk: Option<(f64, f64)>,
    /// Mean squared deviation of the targets.
    variance: f64,
    passes: u64,
    /// Weight of each row of the pilot.
    pilot: f64,
    remarks: Remarks,
}

impl Outcome {
    /// Returns the means over classes. The error is at most the mean of the errors, however the
    /// classes' tests depend on each other.
    fn mean(of: &[Outcome]) -> Outcome {
        let count = of.len().max(1) as f64;
        let mean = |part: &dyn Fn(&Outcome) -> Option<f64>| {
            of.iter().map(part).sum::<Option<f64>>().map(|sum| sum / count)
        };
        let risk = mean(&|one| Some(one.risk?.0)).zip(mean(&|one| Some(one.risk?.1)));
        Outcome {
            risk,
            variance: mean(&|one| Some(one.variance)).unwrap_or(0.0),
            passes: of.iter().map(|one| one.passes).max().unwrap_or(0),
            pilot: mean(&|one| Some(one.pilot)).unwrap_or(0.0),
            remarks: Remarks {
                guarded: of.iter().map(|one| one.remarks.guarded).sum(),
                interrupted: of.iter().any(|one| one.remarks.interrupted),
            },
        }
    }
}

/// Visits reads; if there are more than two classes, once for each class, with targets 1 for
/// this class and -1 for the others.
fn each_target<const N: usize, E>(
    reads: [&Reads; N],
    classes: u64,
    mut visit: impl FnMut([&Reads; N]) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    if classes == 0 {
        return visit(reads);
    }
    let mut signs = reads.map(Reads::clone);
    (0..classes).try_for_each(|class| {
        for (signs, reads) in signs.iter_mut().zip(reads) {
            signs.set_targets(|i| if reads.target(i) == class as f64 { 1.0 } else { -1.0 });
        }
        visit(signs.each_ref())
    })
}
