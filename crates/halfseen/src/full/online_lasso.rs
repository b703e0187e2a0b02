//! Learns in an l1 ball from one pass over full rows by exponentiated gradient (the online lasso).
//!
//! **Setting**: every attribute of every example is read, one example after the other, in a seeded
//! order. Minimises E (<w,x> + b - y)^2 / 2 over |w|_1 <= B: the comparator of paper B's experiments,
//! which leave its solver open. Taken here: algorithm 2 of paper B (AELR) with the example and the
//! product themselves in place of their estimates (Kivinen and Warmuth, Information and Computation 132,
//! 1997: EG+-). The model is the average of the iterates before each step.
//!
//! **Guarantee** (theorem 3.4 with exact gradients): the expected excess of the average is at most
//! 2 B G sqrt(5 log(2d) / m) for eta = sqrt(log(2d) / 5m) / G, for m >= log 2d. This holds for w; the
//! intercept moves beside it.
//!
//! **Symbols**: X^2 = max_j E x_j^2, Y^2 = E y^2; G^2 = (B X + Y)^2 X^2 bounds E |gradient|_inf^2 for the
//! norms that the data have; phi = <w,x> + b - y. The intercept b makes projected gradient steps of
//! size K / (G_b sqrt m), G_b = B X + Y, in [-K, K] with K = `known_radius`.

use super::centred::{check_row, check_shape};
use super::configured;
use super::exponentiated::{Cells, Exponentiated};
use crate::data::{Examples, Moments};
use crate::error::{ErrorKind, Result};
use crate::learner::{Family, Grid, Learner, Setting};
use crate::model::{Fit, Linear, Report, Stop};
use crate::monitor::Monitor;
use crate::params::{Parameters, Rule, parameters};
use crate::sampling::{Purpose, Stream, shuffle};
use std::borrow::Cow;
use std::time::Instant;

parameters! {
    /// Exponentiated gradient over full rows.
    pub struct OnlineLasso named "online-lasso" {
        radius: f64 = 16.0, RADIUS;
        step: Rule = Rule::Theory(100.0), STEP;
        intercept: bool = true, INTERCEPT;
        known_radius: f64 = 1.0, KNOWN_RADIUS;
        seed: u64 = 0, SEED;
    }
}

impl Learner for OnlineLasso {
    fn name(&self) -> &'static str {
        "online-lasso"
    }

    fn title(&self) -> &'static str {
        "Online lasso: one pass of exponentiated gradient on all attributes"
    }

    fn source(&self) -> &'static str {
        "B 5 (comparator), B algorithm 2 with exact gradients; Kivinen and Warmuth 1997"
    }

    fn family(&self) -> Family {
        Family::Full
    }

    fn grid(&self) -> Grid {
        Grid::new(&[("radius", &["8", "16", "32", "64"]), ("step", &["32x", "100x", "316x", "1000x"])])
    }

    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let mut fits = pass(&[self], &[examples.len()], examples, monitor)?;
        Ok(fits.remove(0).remove(0))
    }

    /// All settings learn side by side in one pass, so each row is read and scaled once. Each
    /// report's seconds are those of the whole pass.
    fn fit_grid(&self, settings: &[Setting], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
        let learners = settings.iter().map(|s| configured(self, s)).collect::<Result<Vec<OnlineLasso>>>()?;
        let mut fits: Vec<Option<Fit>> = vec![None; learners.len()];
        let mut seeds: Vec<u64> = learners.iter().map(|l| l.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        for seed in seeds {
            let places: Vec<usize> = (0..learners.len()).filter(|&i| learners[i].seed == seed).collect();
            let together: Vec<&OnlineLasso> = places.iter().map(|&i| &learners[i]).collect();
            for (i, mut fit) in places.into_iter().zip(pass(&together, &[examples.len()], examples, monitor)?) {
                fits[i] = fit.pop();
            }
        }
        Ok(fits.into_iter().flatten().collect())
    }

    /// One pass; steps are those for all the examples.
    fn fit_curve(&self, counts: &[usize], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
        Ok(pass(&[self], counts, examples, monitor)?.remove(0))
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// Examples between two looks at the monitor.
const BETWEEN_LOOKS: usize = 256;

/// Teaches learners of one seed every example once, and returns what each had learned after each of the
/// given numbers of examples (increasing), the last of which ends the pass. A pass that is asked to
/// stop ends with what was learned until then.
fn pass(
    learners: &[&OnlineLasso],
    counts: &[usize],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Vec<Fit>>> {
    let began = Instant::now();
    learners.iter().try_for_each(|l| l.check())?;
    check_shape(examples, "online-lasso")?;
    let moments = moments(examples)?;
    let mut order: Vec<u32> = (0..examples.len() as u32).collect();
    let seed = learners.first().map_or(0, |l| l.seed);
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let mut runs: Vec<Run> = learners.iter().map(|l| Run::new(l, examples, &moments)).collect();
    let mut fits = vec![Vec::with_capacity(counts.len()); runs.len()];
    let mut snapshot = |runs: &[Run], stop: Stop, done: usize| {
        for (fits, run) in fits.iter_mut().zip(runs) {
            let mut report = Report::full("online-lasso", stop, done, examples.layout.sampled_panels());
            report.seconds = began.elapsed().as_secs_f64();
            fits.push(Fit { predictor: run.predictor(&moments), report });
        }
    };
    let (mut row, mut cells) = (vec![0.0; examples.columns()], Cells::default());
    let mut counts = counts.iter().map(|&c| c.min(examples.len())).peekable();
    let last = counts.clone().max().unwrap_or(0);
    for done in 0..=last {
        while counts.next_if(|&c| c <= done).is_some() {
            snapshot(&runs, Stop::OnePass, done);
        }
        if done == last {
            break;
        }
        if done % BETWEEN_LOOKS == 0 {
            monitor.progress(done as u64, last as u64);
            if monitor.should_stop() {
                snapshot(&runs, Stop::Interrupted, done);
                break;
            }
        }
        let example = order[done] as usize;
        examples.row_into(example, &mut row);
        cells.take(&row);
        if !cells.finite() {
            check_row(examples, example, &row)?;
        }
        let target = examples.target(example);
        runs.iter_mut().try_for_each(|run| run.learn(&cells, target))?;
    }
    monitor.progress(last as u64, last as u64);
    Ok(fits)
}

/// Those given, or measured.
fn moments<'a>(examples: &Examples<'a>) -> Result<Cow<'a, Moments>> {
    if let Some(given) = examples.moments {
        return Ok(Cow::Borrowed(given));
    }
    let measured = Moments::measure(examples);
    if !measured.square.iter().all(|s| s.is_finite()) {
        let mut row = vec![0.0; examples.columns()];
        for i in 0..examples.len() {
            examples.row_into(i, &mut row);
            check_row(examples, i, &row)?;
        }
        return Err(ErrorKind::Diverged { what: "the second moment of a column", value: f64::INFINITY }.into());
    }
    Ok(Cow::Owned(measured))
}

/// One learner's weights and intercept.
struct Run {
    weights: Exponentiated,
    /// eta.
    step: f64,
    intercept: f64,
    /// Sum of the intercepts before each step.
    intercepts: f64,
    intercept_step: f64,
    /// K.
    bound: f64,
    count: u64,
}

impl Run {
    fn new(learner: &OnlineLasso, examples: &Examples<'_>, moments: &Moments) -> Run {
        let (m, d) = (examples.len() as f64, examples.columns() as f64);
        let largest = moments.square.iter().fold(0.0_f64, |a, &b| a.max(b)).sqrt();
        let slope = learner.radius * largest + examples.target_square().sqrt();
        let theory = ((2.0 * d).ln() / (5.0 * m)).sqrt() / (slope * largest);
        let intercept_step = if learner.intercept { learner.known_radius / (slope * m.sqrt()) } else { 0.0 };
        // Norms of zero give no scale: stand still.
        let finite = |size: f64| if size.is_finite() { size } else { 0.0 };
        Run {
            weights: Exponentiated::new(examples.columns(), learner.radius),
            step: finite(learner.step.resolve(theory)),
            intercept: 0.0,
            intercepts: 0.0,
            intercept_step: finite(intercept_step),
            bound: learner.known_radius,
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
        self.count += 1;
        self.intercept = (self.intercept - self.intercept_step * phi).clamp(-self.bound, self.bound);
        Ok(())
    }

    fn predictor(&self, moments: &Moments) -> Linear {
        let intercept = self.intercepts / self.count.max(1) as f64;
        Linear { weights: self.weights.average(), intercept, fill: moments.mean.clone() }
    }
}
