//! Fits a learner, and compares it with a constant by cross-fitting unless it has its own test.
//!
//! Budgeted learners test themselves by reads that they pay for anyway. Other learners see whole
//! rows, so rows can be held out. Each of five folds is predicted by a fit to the other four, and
//! by a constant (the mean of their targets, their quantile if the fit predicts one, or the most
//! frequent class if scores are margins). The row-wise differences of the two losses have a mean
//! and a standard error. Held-out fits have fewer examples than the returned fit, so the test errs
//! on the side of a warning. A fit that prepares for a threat is compared under it.

use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::learner::{Family, InParts, Learner};
use crate::model::{Fit, Note, NumberLoss, Scores, Stop};
use crate::robust::{attack_fit, own_attack};
use halfseen_solve::sampling::{Purpose, Stream, folds, shuffle};
use halfseen_solve::{Monitor, Quiet};
use std::sync::atomic::{AtomicU64, Ordering};

const FOLDS: usize = 5;
/// Largest numbers of rows in the test, which bound its cost for large tables; the second applies
/// if the first is inconclusive, and to learners that are fast.
const ROWS: [usize; 2] = [500, 5_000];

/// Least number of times that a held-out fit may poll its monitor.
const LEAST_LOOKS: u64 = 100;

/// Learns from examples as for a user; adds [`Note::NotShownBetter`] if the learner's own test
/// cannot distinguish its predictions from a constant.
///
/// Budgeted learners include such a test. For others at most 500 rows (5,000 if these are
/// inconclusive, or if the learner needs only moments) are cross-fitted, which costs about 4 fits to
/// that number of rows. If scores
/// estimate the target, [`Report::risk`](crate::model::Report::risk) is the resulting error.
///
/// # Errors
/// As for [`Learner::fit`].
pub fn tested(
    learner: &dyn Learner,
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Fit> {
    let whole = Bounded { monitor, shows: true, most: u64::MAX, looks: AtomicU64::new(0) };
    let mut fit = learner.fit(examples, &whole)?;
    if learner.needs().family == Family::Budget || fit.report.stop == Stop::Interrupted {
        return Ok(fit);
    }
    let examples = &*examples.counted()?;
    let mut order = examples.rows.to_vec();
    shuffle(&mut Stream::new(0, Purpose::Fold, u64::MAX), &mut order);
    // A fit to fewer rows may take many more iterations, but the test needs no full precision.
    let looks = 2 * whole.looks.into_inner() + LEAST_LOOKS;
    let mut note = None;
    // With many columns, fits to 400 rows are much worse than the returned fit.
    let is_fast = matches!(learner.in_parts(examples.classes()), Some(InParts::Moments(_)));
    for most in &ROWS[usize::from(is_fast)..] {
        let sample = &order[..(*most).min(order.len())];
        let held_out = match cross_fit(learner, examples, sample, looks, monitor) {
            Ok(Some(held_out)) => held_out,
            Ok(None) => {
                fit.report.notes.push(Note::FewExamples { examples: order.len() as u64 });
                return Ok(fit);
            }
            // The fit is complete but untested.
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted { .. }) => {
                (fit.report.stop, fit.report.converged) = (Stop::Interrupted, false);
                return Ok(fit);
            }
            Err(error) => return Err(error),
        };
        let (constant, _) = held_out.mean(|row| row.constant);
        note = held_out.beside_constant(constant);
        fit.report.constant_risk = held_out.estimates.then_some(constant);
        if held_out.estimates {
            let (risk, risk_error) = held_out.mean(|row| row.loss);
            (fit.report.risk, fit.report.risk_error) = (Some(risk), Some(risk_error));
        }
        if note.is_none() || sample.len() == order.len() {
            break;
        }
    }
    fit.report.notes.extend(note);
    Ok(fit)
}

/// Monitor that counts polls and ends a fit after a number of them, reproducibly unlike seconds.
struct Bounded<'a> {
    monitor: &'a dyn Monitor,
    /// True if progress is shown.
    shows: bool,
    most: u64,
    looks: AtomicU64,
}

impl Monitor for Bounded<'_> {
    fn progress(&self, done: u64, total: u64) {
        if self.shows {
            self.monitor.progress(done, total);
        }
    }

    fn should_stop(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.most || self.monitor.should_stop()
    }
}

struct Row {
    weight: f64,
    /// Loss of the prediction: by the fit's [`NumberLoss`] in scaled units, or 1 if misclassified.
    loss: f64,
    /// Loss under the threat that the fit prepares for; `loss` if for none.
    attacked: f64,
    /// Loss of the constant.
    constant: f64,
}

/// All rows, each held out once.
struct HeldOut {
    rows: Vec<Row>,
    /// True if losses are of numbers.
    estimates: bool,
    /// Budget of the threat that the fits prepare for.
    threat: Option<f64>,
}

impl HeldOut {
    /// Returns a note if losses cannot be distinguished from the constant's.
    fn beside_constant(&self, constant: f64) -> Option<Note> {
        let (better, error) = self.mean(|row| row.attacked - row.constant);
        let mut note = Note::beside_constant(constant + better, Some(error), constant)?;
        if let Note::NotShownBetter { threat, .. } = &mut note {
            *threat = self.threat;
        }
        Some(note)
    }

    /// Returns the weighted mean of a figure of the rows, with its standard error.
    fn mean(&self, figure: impl Fn(&Row) -> f64) -> (f64, f64) {
        let total: f64 = self.rows.iter().map(|row| row.weight).sum();
        let mean = self.rows.iter().map(|row| row.weight * figure(row)).sum::<f64>() / total;
        let square =
            self.rows.iter().map(|row| (row.weight * (figure(row) - mean)).powi(2)).sum::<f64>();
        (mean, square.sqrt() / total)
    }
}

/// Predicts every fold by a fit to the others. `None` if a fit would see a single target value,
/// which carries no information.
fn cross_fit(
    learner: &dyn Learner,
    examples: &Examples<'_>,
    sample: &[u32],
    looks: u64,
    monitor: &dyn Monitor,
) -> Result<Option<HeldOut>> {
    let mut held_out =
        HeldOut { rows: Vec::with_capacity(sample.len()), estimates: true, threat: None };
    if sample.len() < 3 {
        return Ok(None);
    }
    let strata = examples.labels.map(|labels| labels.codes);
    for fold in folds(sample, strata, None, FOLDS.min(sample.len()), 0)? {
        let (train, test) = (examples.with_rows(fold.train), examples.with_rows(fold.test));
        if (1..train.len()).all(|i| same(&train, i)) {
            return Ok(None);
        }
        let bounded = Bounded { monitor, shows: false, most: looks, looks: AtomicU64::new(0) };
        let fitted = match learner.fit(&train, &bounded) {
            // The learner has no best point so far.
            Err(error)
                if matches!(error.kind(), ErrorKind::Interrupted { .. })
                    && !monitor.should_stop() =>
            {
                learner.fit(&train, &Quiet(monitor))
            }
            other => other,
        }?;
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted {
                during: "testing the fit on rows that were held out",
            }
            .into());
        }
        let scores = fitted.predictor.scores(&test)?;
        held_out.estimates = scores.estimates && scores.outputs == 1;
        let loss = fitted.report.number_loss();
        let own = own_attack(learner, &fitted);
        let under = |(threat, kind)| attack_fit(&fitted, &test, threat, kind, 0);
        let attacked = own.map(under).transpose()?.map(|attacked| attacked.scores);
        held_out.rows.extend(losses(loss, &scores, attacked.as_ref(), &train, &test));
        held_out.threat = own.map(|(threat, _)| threat.budget()).filter(|budget| *budget > 0.0);
    }
    Ok(Some(held_out))
}

/// Returns true if the `i`-th example has the target of the first.
fn same(examples: &Examples<'_>, i: usize) -> bool {
    match examples.code(0) {
        Some(code) => examples.code(i) == Some(code),
        None => examples.target(i) == examples.target(0),
    }
}

/// Returns the losses of the test rows, with those of their attacked scores if there are any, and
/// those of the constant of the training rows.
fn losses(
    loss: NumberLoss,
    scores: &Scores,
    attacked: Option<&Scores>,
    train: &Examples<'_>,
    test: &Examples<'_>,
) -> Vec<Row> {
    let attacked = attacked.unwrap_or(scores);
    let weight = |i: usize| train.weight(i);
    if scores.estimates && scores.outputs == 1 {
        let constant = loss.constant((0..train.len()).map(|i| (train.target(i), weight(i))));
        let row = |i: usize| {
            let target = test.target(i);
            Row {
                weight: test.weight(i),
                loss: loss.of(scores.values[i], target),
                attacked: loss.of(attacked.values[i], target),
                constant: loss.of(constant, target),
            }
        };
        return (0..test.len()).map(row).collect();
    }
    let mut counts = vec![0.0_f64; train.classes()];
    (0..train.len()).for_each(|i| {
        train.code(i).into_iter().for_each(|code| counts[code as usize] += weight(i))
    });
    let commonest = (1..counts.len())
        .fold(0, |best, class| if counts[class] > counts[best] { class } else { best });
    let wrong = |class: usize, i: usize| f64::from(u8::from(test.code(i) != Some(class as u32)));
    let row = |i: usize| Row {
        weight: test.weight(i),
        loss: wrong(scores.class(i), i),
        attacked: wrong(attacked.class(i), i),
        constant: wrong(commonest, i),
    };
    (0..test.len()).map(row).collect()
}
