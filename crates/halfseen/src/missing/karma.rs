//! Fits KARMA (Kernelised Algorithm for Risk-minimisation with Missing Attributes) to rows with holes.
//!
//! **Setting**: of each training row only some attributes are observed, and nothing is filled in. Minimises
//! (1/2) |v|^2 + C sum_i loss(<v, phi(x_i)>, y_i) over v, where phi embeds what a row shows and
//! <phi(x), phi(x')> = k_gamma(x, x') (see [`kernel`](super::kernel)).
//!
//! **Guarantee** (paper D, theorem 1): where the rows lie in a subspace and what is observed of a row
//! determines the rest, a gamma of order log(1/eps)/kappa makes the best v within eps of the best linear
//! predictor that sees every attribute; kappa is the square of the smallest singular value (see
//! [`bounds`](super::bounds)). The report's gap certifies the optimisation: primal minus dual.
//!
//! **Symbols**: K the Gram matrix of the training rows; a the coefficients, v = sum_i a_i phi(x_i);
//! C = 1/(rho m) in the paper's terms.

use super::goal::Goal;
use super::gram::{bytes_needed, gram};
use super::kernel::Kernel;
use super::masked::Masked;
use super::reading::Reading;
use super::sketch::Sketch;
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::full::configured;
use crate::learner::{Family, Grid, Learner, Setting};
use crate::model::{Expansion, Fit, Predictor, Report, Sketched, Stop};
use crate::monitor::Monitor;
use crate::params::{Features, KernelLoss, KernelSolver, Normalization, Parameters, parameters};
use crate::solve::linear::LinearSolved;
use crate::solve::{Options, Solved};
use std::sync::Arc;
use std::time::Instant;

parameters! {
    /// Kernel machines on what two rows both show.
    pub struct Karma named "karma" {
        gamma: u64 = 2, GAMMA;
        c: f64 = 1.0, C;
        loss: KernelLoss = KernelLoss::Auto, KERNEL_LOSS;
        normalization: Normalization = Normalization::Trace, NORMALIZATION;
        length_weights: Option<Vec<f64>> = None, LENGTH_WEIGHTS;
        degree: u64 = 1, DEGREE;
        coef0: f64 = 0.0, COEF0;
        features: Features = Features::Exact, FEATURES;
        solver: KernelSolver = KernelSolver::Exact, SOLVER;
        intercept: bool = true, INTERCEPT;
        memory: f64 = 8.0, MEMORY;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 10_000, MAX_ITER;
        seed: u64 = 0, SEED;
    }
}

/// Square matrices that ridge regression over features holds at a time.
const MOMENTS: usize = 4;

/// Bytes of a GiB.
const GIB: f64 = (1_u64 << 30) as f64;

/// The values of C that tuning tries, as paper D does.
pub(super) const CS: &[&str] = &["1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1", "10", "100", "1e3", "1e4", "1e5"];

impl Learner for Karma {
    fn name(&self) -> &'static str {
        "karma"
    }

    fn title(&self) -> &'static str {
        "KARMA: a kernel machine that compares rows by what both show; fills nothing in"
    }

    fn source(&self) -> &'static str {
        "D 4 and algorithm 1, theorems 1 to 3"
    }

    fn family(&self) -> Family {
        Family::Missing
    }

    fn grid(&self) -> Grid {
        Grid::new(&[("gamma", &["1", "2", "3", "4"]), ("c", CS)])
    }

    fn check_classes(&self, _: usize) -> Result<()> {
        Ok(())
    }

    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        self.check()?;
        let fits = fit_all(std::slice::from_ref(self), examples, monitor)?;
        let fit = fits.into_iter().next().ok_or(ErrorKind::Interrupted { during: "fitting" })?;
        // Rows that do not matter need not be kept.
        let predictor = match fit.predictor {
            Predictor::Kernel(expansion) => Predictor::Kernel(expansion.pruned()),
            other => other,
        };
        Ok(Fit { predictor, ..fit })
    }

    /// One pair of products of matrices for all kernels; one eigendecomposition, or warm starts, for all C.
    fn fit_grid(&self, settings: &[Setting], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
        let learners = settings.iter().map(|s| configured(self, s)).collect::<Result<Vec<Karma>>>()?;
        fit_all(&learners, examples, monitor)
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

impl Karma {
    fn kernel(&self) -> Result<Kernel> {
        Kernel::new(self.gamma, self.length_weights.as_deref(), self.normalization, self.degree, self.coef0)
    }

    fn options(&self) -> Options {
        Options { tol: self.tol, max_passes: self.max_iter, seed: self.seed }
    }

    /// The same but for C: what can share a Gram matrix and warm starts.
    fn shares(&self, other: &Karma) -> bool {
        Karma { c: other.c, ..self.clone() } == *other
    }

    /// Refuses to take more memory than is allowed, before it is taken.
    fn check_memory(&self, rows: usize, bytes: f64) -> Result<()> {
        let (needed, allowed) = (bytes / GIB, self.memory);
        if needed <= allowed {
            return Ok(());
        }
        let remedy = "features=sketch:2048, or fewer, whose memory grows with the rows alone";
        Err(ErrorKind::TooMuchMemory { learner: self.name().to_owned(), rows, needed, allowed, remedy }.into())
    }

    /// How many Gram matrices fit into memory at once, beside what the solver takes.
    fn at_once(&self, rows: usize, squared: bool, alone: bool) -> Result<usize> {
        // The factor of a Cholesky decomposition, or eigenvectors and the routine's own copy.
        let beside = match (squared, alone) {
            (false, _) => 0,
            (true, true) => 1,
            (true, false) => 2,
        };
        let bytes = |kernels: usize| bytes_needed(rows, kernels + beside) as f64;
        self.check_memory(rows, bytes(1))?;
        Ok((1..64).take_while(|&kernels| bytes(kernels) <= self.memory * GIB).last().unwrap_or(1))
    }
}

/// Fits several settings; those that differ in C alone share a solver's path, all share the two products.
fn fit_all(learners: &[Karma], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let mut fits: Vec<Option<Fit>> = vec![None; learners.len()];
    let mut left: Vec<usize> = (0..learners.len()).collect();
    // Groups of one kernel and one way to solve, each with its C increasing.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    while let Some(&first) = left.first() {
        let (mut group, others): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&at| learners[at].shares(&learners[first]));
        group.sort_by(|&a, &b| learners[a].c.total_cmp(&learners[b].c));
        groups.push(group);
        left = others;
    }
    // Masked rows are the same for all that agree on the constant.
    for constant in [true, false] {
        let these: Vec<&Vec<usize>> = groups.iter().filter(|g| learners[g[0]].intercept == constant).collect();
        if these.is_empty() {
            continue;
        }
        let data = Training::new(examples, constant)?;
        let (exact, sketched): (Vec<&Vec<usize>>, Vec<&Vec<usize>>) =
            these.into_iter().partition(|g| learners[g[0]].features == Features::Exact);
        for group in sketched {
            data.sketched(group, learners, monitor, &mut fits)?;
        }
        if let Some(first) = exact.first().map(|g| &learners[g[0]]) {
            let squared = matches!(Goal::new("karma", first.loss, examples)?, Goal::Squares(_));
            let alone = exact.iter().all(|g| g.len() == 1);
            let at_once = first.at_once(examples.len(), squared, alone)?;
            for some in exact.chunks(at_once) {
                data.exact(some, learners, monitor, &mut fits)?;
            }
        }
    }
    let fits: Option<Vec<Fit>> = fits.into_iter().collect();
    fits.ok_or_else(|| ErrorKind::Interrupted { during: "fitting" }.into())
}

/// What a solver tells of a solution.
struct Told {
    objective: f64,
    gap: f64,
    passes: u64,
    support: usize,
    stop: Stop,
    left_out: Option<f64>,
}

/// Training rows and what was read of them.
struct Training<'a, 'b> {
    examples: &'a Examples<'b>,
    rows: Arc<Masked>,
    constant: bool,
    reading: Reading,
    began: Instant,
}

impl<'a, 'b> Training<'a, 'b> {
    fn new(examples: &'a Examples<'b>, constant: bool) -> Result<Self> {
        let began = Instant::now();
        let rows = Arc::new(Masked::new(examples, constant)?);
        let reading = Reading::of(examples);
        Ok(Training { examples, rows, constant, reading, began })
    }

    /// Solves over Gram matrices, which are computed together.
    fn exact(
        &self,
        groups: &[&Vec<usize>],
        learners: &[Karma],
        monitor: &dyn Monitor,
        fits: &mut [Option<Fit>],
    ) -> Result<()> {
        let mut kernels = Vec::with_capacity(groups.len());
        for group in groups {
            let mut kernel = learners[group[0]].kernel()?;
            kernel.fit(&self.rows)?;
            kernels.push(kernel);
        }
        let grams = gram(&kernels, &self.rows, monitor)?;
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "comparing rows" }.into());
        }
        for ((group, kernel), gram) in groups.iter().zip(kernels).zip(grams) {
            let first = &learners[group[0]];
            let goal = Goal::new(first.name(), first.loss, self.examples)?;
            let cs: Vec<f64> = group.iter().map(|&at| learners[at].c).collect();
            let solved = match first.solver {
                KernelSolver::Exact => goal.path(gram.as_ref(), &cs, &first.options(), monitor)?,
                KernelSolver::Online => {
                    let one = |&c: &f64| Ok((goal.online(gram.as_ref(), c, first.seed, monitor)?, None));
                    cs.iter().map(one).collect::<Result<_>>()?
                }
            };
            for (&at, (solved, left_out)) in group.iter().zip(solved) {
                fits[at] = Some(self.fit(&kernel, &goal, solved, left_out));
            }
        }
        Ok(())
    }

    /// Solves over random features.
    fn sketched(
        &self,
        group: &[usize],
        learners: &[Karma],
        monitor: &dyn Monitor,
        fits: &mut [Option<Fit>],
    ) -> Result<()> {
        let first = &learners[group[0]];
        let Features::Sketch(count) = first.features else { return Ok(()) };
        if first.solver == KernelSolver::Online {
            let what = "features = exact: the online algorithm keeps the rows themselves";
            return Err(ErrorKind::Needs { name: "solver", value: "online", what }.into());
        }
        let mut kernel = first.kernel()?;
        kernel.fit(&self.rows)?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let sketch = Sketch::of(&kernel, self.rows.columns(), count, first.seed)?;
        let goal = Goal::new(first.name(), first.loss, self.examples)?;
        // Squares take a few matrices of second moments, or of products of rows, whichever are smaller.
        let side = sketch.width().min(self.rows.len());
        let moments = if matches!(goal, Goal::Squares(_)) { bytes_needed(side, MOMENTS) } else { 0 };
        let bytes = sketch.bytes_needed(self.rows.len()) + moments;
        first.check_memory(self.rows.len(), bytes as f64)?;
        let features = sketch.features(&self.rows)?;
        let cs: Vec<f64> = group.iter().map(|&at| learners[at].c).collect();
        let solved = goal.features_path(features.as_ref(), &cs, &first.options(), monitor)?;
        for (&at, solved) in group.iter().zip(solved) {
            let LinearSolved { weights, objective, gap, passes, support, stop } = solved;
            let report = self.report(&Told { objective, gap, passes, support, stop, left_out: None });
            let (sketch, constant, estimates) = (sketch.clone(), self.constant, goal.estimates());
            let predictor = Predictor::Sketch(Sketched { sketch, constant, weights, estimates });
            fits[at] = Some(Fit { predictor, report });
        }
        Ok(())
    }

    fn report(&self, told: &Told) -> Report {
        let mut report = self.reading.report("karma", told.stop, self.examples);
        report.objective = Some(told.objective);
        // One pass certifies nothing.
        report.gap = told.gap.is_finite().then_some(told.gap);
        report.passes = (told.stop != Stop::ClosedForm).then_some(told.passes);
        report.support = Some(told.support as u64);
        report.leave_one_out = told.left_out;
        report.seconds = self.began.elapsed().as_secs_f64();
        report
    }

    fn fit(&self, kernel: &Kernel, goal: &Goal, solved: Solved, left_out: Option<f64>) -> Fit {
        let Solved { objective, gap, passes, support, stop, .. } = solved;
        let report = self.report(&Told { objective, gap, passes, support, stop, left_out });
        let predictor = Predictor::Kernel(Expansion {
            kernel: kernel.clone(),
            constant: self.constant,
            support: Arc::clone(&self.rows),
            coefficients: solved.coefficients,
            estimates: goal.estimates(),
        });
        Fit { predictor, report }
    }
}
