//! Compares learners on the same random splits, each tuned on the training part only.

use super::beside::{AttackPlan, CONSTANT, constant};
use super::parallel::{at_once, map_at_most};
use super::row::{ComparisonRow, CurvePoint};
use super::score::Score;
use super::statistics::Statistics;
use super::task::{Task, Test, Views};
use super::tune::{Candidate, Tuned, Tuning, reseed, tune_within};
use crate::error::{ErrorKind, Result};
use crate::learner::{Family, Learner};
use crate::memory;
use crate::model::{BudgetKind, Fit};
use crate::prepare::Prepared;
use crate::registry::label;
use halfseen_solve::sampling::{Purpose, Split, Stream, splits};
use halfseen_solve::{Monitor, Quiet};
use serde::Serialize;
use std::sync::atomic::{AtomicU64, Ordering};

/// Design of a comparison.
#[derive(Debug, Clone)]
pub struct ComparisonPlan {
    /// Names of the learners in the result, in their order; a learner without a name here goes by
    /// its [`label`].
    pub names: Vec<&'static str>,
    /// Number of random splits; with given test rows, number of runs that differ in seeds only.
    pub splits: usize,
    /// Number of folds for tuning; without it learners keep their parameters.
    pub folds: Option<usize>,
    /// Parameters excluded from tuning.
    pub fixed: Vec<String>,
    /// Share of the rows for testing, in (0, 1).
    pub test_share: f64,
    /// Seed of the splits, the folds and the learners.
    pub seed: u64,
    /// Number of points of the learning curves.
    pub curve_points: usize,
    /// Number of threads; `None` means all of the machine.
    pub threads: Option<usize>,
    /// Attack on the test rows of all learners.
    pub siege: Option<AttackPlan>,
}

/// Results of one learner over all splits. A figure is `None` if no split has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Name of the learner.
    pub learner: &'static str,
    /// Number of attributes that it may read per example.
    pub budget: u64,
    /// Mean squared error on the test rows.
    pub test_mse: Option<Statistics>,
    /// Share of misclassified test rows.
    pub test_error: Option<Statistics>,
    /// Mean squared error on the test rows under attack.
    pub attacked_mse: Option<Statistics>,
    /// Share of misclassified test rows under attack.
    pub attacked_error: Option<Statistics>,
    /// Number of reads with multiplicity.
    pub reads: Option<Statistics>,
    /// Number of distinct cells read.
    pub distinct: Option<Statistics>,
    /// Sum of their prices, if prices were declared.
    pub spent: Option<Statistics>,
    /// Seconds of the final fit.
    pub seconds: Option<Statistics>,
}

/// Result of [`compare`].
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Rows by learner and split; the best constant is last, see [`CONSTANT`](super::CONSTANT).
    pub rows: Vec<ComparisonRow>,
    /// Summaries by learner; the best constant is last.
    pub summary: Vec<Summary>,
    /// Learning curves.
    pub curve: Vec<CurvePoint>,
}

impl Comparison {
    /// Returns the number of complete splits: fewer than were planned if it was interrupted.
    pub fn splits(&self) -> usize {
        self.rows.iter().filter(|row| row.learner == CONSTANT).count()
    }
}

/// Compares learners, and the best constant, on random splits of a table or on given test rows. If
/// the monitor stops it, the result holds the splits that were complete.
///
/// # Errors
/// As for fits; [`ErrorKind::Interrupted`] if the monitor stops it before one split is complete.
pub fn compare(
    learners: &[Box<dyn Learner>],
    task: &Task<'_>,
    plan: &ComparisonPlan,
    monitor: &dyn Monitor,
) -> Result<Comparison> {
    let rows = task.table.rows();
    let splits = match task.test {
        Some(_) => vec![Split { train: (0..rows as u32).collect(), test: Vec::new() }; plan.splits],
        None => splits(rows, task.strata(), task.groups, plan.test_share, plan.splits, plan.seed)?,
    };
    let tuned = learners.iter().filter(|l| has_grid(&***l));
    let settings: u64 = tuned.map(|l| l.grid().without(&plan.fixed).settings().len() as u64).sum();
    let per_split = plan.folds.map_or(0, |folds| folds as u64 * settings) + learners.len() as u64;
    let (done, total) = (AtomicU64::new(0), per_split * splits.len() as u64);
    let settled =
        |units: u64| monitor.progress(done.fetch_add(units, Ordering::Relaxed) + units, total);
    // A separate pool: the global one must not be started in a process that may fork.
    let threads = memory::threads(plan.threads.unwrap_or(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| ErrorKind::Numerical {
        what: "starting threads",
        problem: format!("{e}; use fewer threads"),
    })?;
    let candidates: Vec<Candidate> = learners
        .iter()
        .map(|l| {
            let grid = || l.grid().without(&plan.fixed).settings();
            (l.clone(), plan.folds.map_or_else(Vec::new, |_| grid()))
        })
        .collect();
    let parts = pool.install(|| {
        let all = at_once(candidates.iter().map(|(l, settings)| (&**l, &settings[..])), task)?;
        let splits_at_once = all.min(splits.len()).max(1);
        let each = (all / splits_at_once).max(1);
        let one = |number, split: &Split| {
            if monitor.should_stop() {
                return Ok(None);
            }
            let part = Part { whole: monitor, number, of: plan.splits };
            match one_split(&candidates, task, plan, (number, each), split, &part, &settled) {
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted { .. }) => Ok(None),
                done => done.map(Some),
            }
        };
        map_at_most(&splits, splits_at_once, one)
    })?;
    let (rows, curves): (Vec<Vec<ComparisonRow>>, Vec<Vec<Vec<CurvePoint>>>) =
        parts.into_iter().flatten().unzip();
    if rows.is_empty() {
        return Err(
            ErrorKind::Interrupted { during: "comparing, before a split was complete" }.into()
        );
    }
    let by_learner = |l: usize| rows.iter().map(move |split| split[l].clone());
    let compared = learners.len() + 1;
    let mut rows: Vec<ComparisonRow> = (0..compared).flat_map(by_learner).collect();
    if rows.iter().all(|row| row.learner == CONSTANT || row.test_mse.is_none()) {
        // If no learner estimates the target, a constant's squared error has no counterpart.
        rows.iter_mut().for_each(|row| (row.test_mse, row.attacked_mse) = (None, None));
    }
    let summary = rows.chunks(rows.len() / compared).map(summarise).collect();
    let curve =
        (0..compared).flat_map(|l| curves.iter().flat_map(move |split| split[l].clone())).collect();
    Ok(Comparison { rows, summary, curve })
}

/// Returns true if parameters can be tuned here: some learners tune themselves.
fn has_grid(learner: &dyn Learner) -> bool {
    !learner.grid().0.is_empty()
}

/// Monitor of one split, which it names beside the learner.
struct Part<'a> {
    whole: &'a dyn Monitor,
    number: usize,
    of: usize,
}

impl Monitor for Part<'_> {
    fn progress(&self, done: u64, total: u64) {
        self.whole.progress(done, total);
    }

    fn working_on(&self, what: &str) {
        self.whole.working_on(&format!("{what}, split {} of {}", self.number + 1, self.of));
    }

    fn should_stop(&self) -> bool {
        self.whole.should_stop()
    }
}

/// Tunes, fits and tests on one split, with at most so many fits at once.
fn one_split(
    learners: &[Candidate],
    task: &Task<'_>,
    plan: &ComparisonPlan,
    (number, at_once): (usize, usize),
    split: &Split,
    monitor: &dyn Monitor,
    settled: &(dyn Fn(u64) + Sync),
) -> Result<(Vec<ComparisonRow>, Vec<Vec<CurvePoint>>)> {
    let seed = Stream::new(plan.seed, Purpose::Learner, number as u64).word();
    let mut tuned: Vec<Option<Tuned>> = vec![None; learners.len()];
    if let Some(folds) = plan.folds {
        let which: Vec<usize> =
            (0..learners.len()).filter(|&l| has_grid(&*learners[l].0)).collect();
        let tuning = Tuning::new(folds, seed);
        let grids: Vec<Candidate> = which.iter().map(|&l| learners[l].clone()).collect();
        let tell = (monitor, settled);
        let outcomes = tune_within(at_once, &grids, task, &split.train, &tuning, tell)?;
        which.into_iter().zip(outcomes).for_each(|(l, outcome)| tuned[l] = Some(outcome));
    }
    let views = Views::new(learners.iter().map(|(l, _)| &**l), task, &split.train)?;
    let apply = |prepared: &Prepared<'_>| {
        task.test.map(|test| prepared.apply(test.table, test.target)).transpose()
    };
    // The encoding does not depend on the treatment of missing values.
    let other = apply(&views.prepared[0])?;
    let target = task.test.map_or(task.target, |test| test.target);
    let counts = curve_counts(split.train.len(), plan.curve_points);
    let final_fit = |l: usize, (learner, _): &Candidate| {
        let chosen = tuned[l].as_ref();
        let seeded = reseed(&**learner, seed)?;
        let learner = match chosen {
            Some(tuned) => tuned.apply(seeded)?,
            None => seeded,
        };
        let name = plan.names.get(l).copied().unwrap_or_else(|| label(&*learner));
        monitor.working_on(name);
        let prepared = views.get(l);
        let examples = prepared.examples();
        let tests = other
            .as_ref()
            .map_or_else(|| prepared.examples_of(&split.test), |other| prepared.examples_in(other));
        let test = |fit: &Fit| -> Result<Score> {
            let scores =
                fit.predictor.scores(&tests)?.map(|score| prepared.prepare.target.undo(score));
            Ok(Score::of(&scores, target, &tests.rows))
        };
        // Robust learners treat missing values of given test rows as deletions and do not impute
        // them.
        let apart = other.as_ref().filter(|_| learner.needs().family != Family::Robust);
        let filled = apart.map_or(0, |other| other.applied.missing + other.applied.new_categories);
        let imputed = if learner.needs().holes { 0 } else { prepared.imputed + filled };
        let fits = learner.fit_curve(&counts, &examples, &Quiet(monitor))?;
        // A learner that refits for each point of its curve is timed on the last fit alone.
        let fit = fits.last().ok_or(ErrorKind::Interrupted { during: "fitting" })?;
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "fitting" }.into());
        }
        let spent = |fit: &Fit| prepared.layout.is_priced().then_some(fit.report.spent);
        let scale = prepared.prepare.target.deviation.powi(2);
        let attacked = |siege: &AttackPlan| {
            let as_is = prepared.examples_as_found(&split.test);
            siege.score(
                fit,
                prepared,
                if other.is_some() { &tests } else { &as_is },
                (target, plan.seed),
            )
        };
        let attacked = plan.siege.as_ref().map(attacked).transpose()?.flatten();
        let point = |fit: &Fit| -> Result<CurvePoint> {
            let score = test(fit)?;
            Ok(CurvePoint {
                learner: name,
                split: number,
                examples: fit.report.examples,
                distinct: fit.report.distinct,
                spent: spent(fit),
                test_mse: score.mse,
                test_error: score.error,
                risk: fit.report.risk.map(|risk| risk * scale),
                risk_error: fit.report.risk_error.map(|error| error * scale),
            })
        };
        let curve = fits.iter().map(point).collect::<Result<Vec<CurvePoint>>>()?;
        let score = test(fit)?;
        let measured = learner.needs().family != Family::Budget || !task.options.honest;
        let row = ComparisonRow {
            learner: name,
            split: number,
            budget: match fit.report.budget_kind {
                BudgetKind::Each => fit.report.max_reads,
                BudgetKind::Expected => fit.report.mean_reads().round() as u64,
            },
            examples: fit.report.examples,
            reads: fit.report.reads,
            distinct: fit.report.distinct,
            spent: spent(fit),
            outside_bounds: (fit.report.outside_bounds > 0).then_some(fit.report.outside_bounds),
            first_outside: fit.report.first_outside.clone(),
            unused: fit.report.unused,
            tuning_reads: chosen.map_or(0, |t| t.reads),
            tuned: chosen.is_some() || measured,
            imputed: imputed as u64,
            vanished: prepared.vanished as u64,
            test_mse: score.mse,
            test_error: score.error,
            attacked_mse: attacked.and_then(|score| score.mse),
            attacked_error: attacked.and_then(|score| score.error),
            seconds: fit.report.seconds,
            converged: fit.report.converged,
            stop: fit.report.stop,
            params: learner.to_json(),
            notes: fit.report.notes.clone(),
        };
        settled(1);
        Ok((row, curve))
    };
    let fits = map_at_most(learners, at_once, final_fit)?;
    let (mut rows, mut curves): (Vec<ComparisonRow>, Vec<Vec<CurvePoint>>) =
        fits.into_iter().unzip();
    let all_of = |test: Test<'_>| (0..test.table.rows() as u32).collect();
    let test = task.test.map_or_else(|| split.test.clone(), all_of);
    let split = Split { test, ..split.clone() };
    let beside = (plan.siege.is_some(), views.prepared[0].layout.is_priced());
    let (row, point) = constant((task.target, target), number, &split, beside);
    rows.push(row);
    curves.push(vec![point]);
    Ok((rows, curves))
}

/// Returns numbers of examples, evenly spaced in their logarithm from about 16 to all.
fn curve_counts(examples: usize, points: usize) -> Vec<usize> {
    let first = examples.min(16) as f64;
    let steps = points.saturating_sub(1).max(1) as f64;
    let count =
        |i: usize| (first * (examples as f64 / first).powf(i as f64 / steps)).round() as usize;
    let mut counts: Vec<usize> = (0..points).map(count).chain([examples]).collect();
    counts.dedup();
    counts
}

fn summarise(rows: &[ComparisonRow]) -> Summary {
    let of = |figure: &dyn Fn(&ComparisonRow) -> Option<f64>| {
        Statistics::of(rows.iter().filter_map(figure).collect())
    };
    Summary {
        learner: rows[0].learner,
        budget: rows.iter().map(|r| r.budget).max().unwrap_or(0),
        test_mse: of(&|r| r.test_mse),
        test_error: of(&|r| r.test_error),
        attacked_mse: of(&|r| r.attacked_mse),
        attacked_error: of(&|r| r.attacked_error),
        reads: of(&|r| Some(r.reads as f64)),
        distinct: of(&|r| Some(r.distinct as f64)),
        spent: of(&|r| r.spent),
        seconds: of(&|r| Some(r.seconds)),
    }
}

impl Serialize for Summary {
    /// Writes flat keys: `test_mse_mean`, `test_mse_sd`, `test_mse_median`, and so for every
    /// figure.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("learner", self.learner)?;
        map.serialize_entry("budget", &self.budget)?;
        let figures = [
            ("test_mse", self.test_mse),
            ("test_error", self.test_error),
            ("attacked_mse", self.attacked_mse),
            ("attacked_error", self.attacked_error),
            ("reads", self.reads),
            ("distinct", self.distinct),
            ("seconds", self.seconds),
            ("spent", self.spent),
        ];
        // These figures need prices or an attack.
        let optional = ["spent", "attacked_mse", "attacked_error"];
        let figures = figures
            .into_iter()
            .filter(|(name, figure)| !optional.contains(name) || figure.is_some());
        for (name, figure) in figures {
            map.serialize_entry(&format!("{name}_mean"), &figure.map(|f| f.mean))?;
            map.serialize_entry(&format!("{name}_sd"), &figure.map(|f| f.sd))?;
            map.serialize_entry(&format!("{name}_median"), &figure.map(|f| f.median))?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_counts_rise_to_all_examples() {
        let counts = curve_counts(12_000, 8);
        assert_eq!((counts[0], counts[counts.len() - 1]), (16, 12_000));
        assert!(counts.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(curve_counts(1, 8), [1]);
    }

    #[test]
    fn statistics_by_hand() {
        let s = Statistics::of(vec![4.0, 1.0, 2.0, 5.0]).unwrap();
        assert_eq!((s.mean, s.median), (3.0, 3.0));
        assert!((s.sd - (10.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(Statistics::of(vec![]), None);
    }
}
