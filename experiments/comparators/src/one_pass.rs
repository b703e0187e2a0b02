//! Trains learners on every example once, with all attributes, in a seeded order; several side by
//! side.

use halfseen::data::{Cells, Examples, Moments, bad_cell, check_row, check_shape, widened};
use halfseen::learner::together::grouped;
use halfseen::learner::{STEPS, refuse_weights};
use halfseen::model::{Fit, Linear, Report, Stop};
use halfseen::params::Described;
use halfseen::{ErrorKind, Monitor, Result};
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use std::borrow::Cow;
use std::time::Instant;

pub(crate) trait Weights: Send {
    /// Returns <w, x>.
    fn product(&self, cells: &Cells) -> f64;

    /// Adds the current weights to their sum, then moves them against the gradient `slope` x by a
    /// step of size `eta`.
    fn step(&mut self, eta: f64, slope: f64, cells: &Cells);

    /// Returns the mean of the weights before each step so far.
    fn average(&self) -> Vec<f64>;
}

/// Statistics for the theorems, in scaled units.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// d.
    pub(crate) columns: usize,
    /// True if few cells of a row are not zero, and only these are stored.
    pub(crate) sparse: bool,
    /// m.
    pub(crate) examples: f64,
    /// X: square root of max_j E x_j^2.
    pub(crate) largest: f64,
    /// R: square root of E |x|_2^2.
    pub(crate) length: f64,
    /// Y: square root of E y^2.
    pub(crate) target: f64,
}

impl Facts {
    fn new(examples: &Examples<'_>, moments: &Moments) -> Facts {
        Facts {
            columns: examples.columns(),
            sparse: examples.is_sparse(),
            examples: examples.len() as f64,
            largest: moments.square.iter().fold(0.0_f64, |a, &b| a.max(b)).sqrt(),
            length: moments.square.iter().sum::<f64>().sqrt(),
            target: examples.target_square().sqrt(),
        }
    }
}

pub(crate) struct Start {
    pub(crate) weights: Box<dyn Weights>,
    /// eta.
    pub(crate) step: f64,
    /// G_b: bound on the error of an example, which is the gradient of the intercept.
    pub(crate) slope: f64,
    /// True if there is an intercept.
    pub(crate) intercept: bool,
}

pub(crate) trait OnePass: Described {
    /// Returns the seed of the order.
    fn seed(&self) -> u64;

    fn start(&self, facts: &Facts) -> Start;
}

/// Returns fits after each of the numbers of examples: one pass, with the steps for all examples.
pub(crate) fn fit_curve<L: OnePass>(
    learner: &L,
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    Ok(pass(&[learner], counts, examples, monitor)?.remove(0))
}

/// Fits all settings of one seed in one pass, so each row is read and scaled once. The seconds of a
/// report are those of the whole pass.
pub(crate) fn fit_all<L: OnePass>(
    learners: &[L],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let alike = |a: &L, b: &L| a.seed() == b.seed();
    grouped(
        learners,
        alike,
        |_| 0.0,
        |together| {
            let fits = pass(together, &[examples.len()], examples, monitor)?;
            Ok(fits.into_iter().flatten().collect())
        },
    )
}

/// K, the bound of the intercept.
pub(crate) const BOUND: f64 = 1.0;

/// Examples between two calls of the monitor.
const BETWEEN_LOOKS: usize = 256;

/// Trains learners of one seed on every example once, and returns their fits after the given
/// numbers of examples (increasing), of which the last ends the pass. If interrupted, the fits so
/// far.
fn pass<L: OnePass>(
    learners: &[&L],
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Vec<Fit>>> {
    let began = Instant::now();
    learners.iter().try_for_each(|l| l.check())?;
    refuse_weights(L::NAME, examples, STEPS)?;
    check_shape(examples, L::NAME)?;
    let moments = moments(examples)?;
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    let seed = learners.first().map_or(0, |l| l.seed());
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let facts = Facts::new(examples, &moments);
    let mut runs: Vec<Run> =
        learners.iter().map(|l| Run::new(l.start(&facts), facts.examples)).collect();
    let mut fits = vec![Vec::with_capacity(counts.len()); runs.len()];
    let mut snapshot = |runs: &[Run], stop: Stop, done: usize| {
        for (fits, run) in fits.iter_mut().zip(runs) {
            let mut report = Report::full(L::NAME, stop, done, examples.layout.sampled_panels())
                .paid(examples.layout);
            report.seconds = began.elapsed().as_secs_f64();
            fits.push(Fit { predictor: run.predictor(&moments).into(), report });
        }
    };
    let mut cells = Cells::of(examples);
    let mut counts = counts.iter().map(|&c| c.min(examples.len())).peekable();
    let last = counts.clone().max().unwrap_or(0);
    while counts.next_if_eq(&0).is_some() {
        snapshot(&runs, Stop::OnePass, 0);
    }
    for (done, &example) in order[..last].iter().enumerate() {
        if done % BETWEEN_LOOKS == 0 {
            monitor.progress(done as u64, last as u64);
            if monitor.should_stop() {
                snapshot(&runs, Stop::Interrupted, done);
                return Ok(fits);
            }
        }
        cells.read(examples, example as usize);
        if let Some((column, value)) = cells.bad() {
            return Err(bad_cell(examples, example as usize, column, value));
        }
        let target = examples.target(example as usize);
        runs.iter_mut().try_for_each(|run| run.learn(&cells, target))?;
        while counts.next_if(|&count| count <= done + 1).is_some() {
            snapshot(&runs, Stop::OnePass, done + 1);
        }
    }
    monitor.progress(last as u64, last as u64);
    Ok(fits)
}

/// Returns the given moments, or measures them.
fn moments<'a>(examples: &Examples<'a>) -> Result<Cow<'a, Moments>> {
    if let Some(given) = examples.measured() {
        return Ok(Cow::Borrowed(given));
    }
    let measured = Moments::measure(examples);
    if !measured.square.iter().all(|s| s.is_finite()) {
        (0..examples.len()).try_for_each(|i| check_example(examples, i))?;
        return Err(ErrorKind::Diverged {
            what: "the second moment of a column",
            value: f64::INFINITY,
        }
        .into());
    }
    Ok(Cow::Owned(measured))
}

fn check_example(examples: &Examples<'_>, example: usize) -> Result<()> {
    let mut row = vec![0.0; examples.columns()];
    examples.row_into(example, &mut row);
    check_row(examples, example, &row)
}

struct Run {
    weights: Box<dyn Weights>,
    /// eta.
    step: f64,
    intercept: f64,
    /// Sum of the intercepts before each step.
    intercepts: f64,
    intercept_step: f64,
    /// K.
    bound: f64,
    /// Least and largest target so far.
    range: Option<[f64; 2]>,
    count: u64,
}

impl Run {
    /// The intercept takes projected gradient steps of size K / (G_b sqrt m) in [-K, K].
    fn new(start: Start, examples: f64) -> Run {
        let bound = if start.intercept { BOUND } else { 0.0 };
        // Norms of zero give no scale: no step.
        let finite = |size: f64| if size.is_finite() { size } else { 0.0 };
        Run {
            weights: start.weights,
            step: finite(start.step),
            intercept: 0.0,
            intercepts: 0.0,
            intercept_step: finite(bound / (start.slope * examples.sqrt())),
            bound,
            range: None,
            count: 0,
        }
    }

    fn learn(&mut self, cells: &Cells, target: f64) -> Result<()> {
        let phi = self.weights.product(cells) + self.intercept - target;
        if !phi.is_finite() {
            return Err(ErrorKind::Diverged { what: "the error of an example", value: phi }.into());
        }
        self.weights.step(self.step, phi, cells);
        self.intercepts += self.intercept;
        self.range = Some(widened(self.range, target));
        self.count += 1;
        self.intercept =
            (self.intercept - self.intercept_step * phi).clamp(-self.bound, self.bound);
        Ok(())
    }

    fn predictor(&self, moments: &Moments) -> Linear {
        let intercept = self.intercepts / self.count.max(1) as f64;
        Linear {
            weights: self.weights.average(),
            intercept,
            fill: moments.mean.clone(),
            clip: self.range,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Data;
    use crate::{Ogd, OnlineLasso};
    use halfseen::{Learner, Silent};
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn learners() -> [Box<dyn Learner>; 2] {
        [Box::new(OnlineLasso::default()), Box::new(Ogd::default())]
    }

    #[test]
    fn bad_cells_are_refused_with_given_moments_too() {
        let mut cells = ndarray::Array2::ones((20, 2));
        cells[[7, 1]] = f64::NAN;
        let data = Data::new(cells, vec![1.0; 20]);
        let given = Moments { mean: vec![1.0; 2], square: vec![1.0; 2] };
        for moments in [None, Some(&given)] {
            let examples = Examples { moments, ..data.examples() };
            for learner in learners() {
                let error = learner.fit(&examples, &Silent).unwrap_err();
                assert_eq!(error.kind(), &ErrorKind::MissingCell { row: 8, column: "x1".into() });
            }
        }
    }

    #[test]
    fn an_interrupted_pass_returns_what_it_learned() {
        struct After(AtomicUsize);
        impl Monitor for After {
            fn should_stop(&self) -> bool {
                self.0.fetch_add(1, Ordering::Relaxed) >= 2
            }
        }
        let data = Data::random(2000, 3, 5);
        for learner in learners() {
            let fit = learner.fit(&data.examples(), &After(AtomicUsize::new(0))).unwrap();
            assert_eq!((fit.report.stop, fit.report.examples), (Stop::Interrupted, 512));
            assert!(
                !fit.report.converged && fit.linear().unwrap().weights.iter().any(|w| *w != 0.0)
            );
        }
    }
}
