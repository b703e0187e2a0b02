//! Fits KARMA (Kernelised Algorithm for Risk-minimisation with Missing Attributes) to rows with
//! missing values.
//!
//! **Setting**: each training row shows only some attributes, and nothing is filled in. The fit
//! minimises (1/2) |v|^2 + C sum_i loss(<v, phi(x_i)>, y_i) over v, where phi embeds the observed
//! values of a row and <phi(x), phi(x')> = k_gamma(x, x') (see [`kernel`](super::kernel)).
//!
//! **Guarantee** (Hazan et al. 2015, theorem 1): if the rows lie in a subspace and the observed
//! values of a row determine the rest, a gamma of order log(1/eps)/kappa makes the best v within
//! eps of the best linear predictor that sees every attribute. kappa is the smallest
//! non-zero eigenvalue of (P_E)_oo over all patterns o, P_E the projection onto the subspace: the
//! square of the singular value that the paper's definition has, which its lemma 2 needs. The
//! report's gap, primal minus dual, certifies the optimisation.
//!
//! **Symbols**: K the Gram matrix of the training rows; a the coefficients, v = sum_i a_i phi(x_i);
//! C = 1/(rho m) in the paper's notation.

mod by_sums;

use super::training_objective::{self as objective, TrainingObjective};
use halfseen_core::data::{Examples, Layout};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::kernel::gram::{bytes_needed, gram};
use halfseen_core::kernel::{Kernel, Masked, Sketch};
use halfseen_core::learner::missingness::MissingnessSummary;
use halfseen_core::learner::{
    Assignments, ByFeatures, FitSize, Grid, InParts, Learner, Needed, STEPS, configured,
    refuse_weights, size,
};
use halfseen_core::model::{Fit, KernelExpansion, Predictor, Report, Sketched, Stop};
use halfseen_core::params::{
    Features, KernelLoss, KernelSolver, Needs, Normalization, Parameters, Targets, parameters,
};
use halfseen_solve::linear::LinearSolved;
use halfseen_solve::{Monitor, Solved, SolverOptions, multiplied};
use std::sync::Arc;
use std::time::Instant;

parameters! {
    /// Kernel machine over the attributes that two rows both show.
    pub struct Karma {
        name: "karma", family: Missing,
        title: "KARMA: a kernel machine that compares rows by the attributes both show, without imputation",
        source: "Hazan et al. 2015, section 4, algorithm 1, theorems 1 to 3";
        gamma: u64 = 2, GAMMA;
        c: f64 = 1.0, C;
        loss: KernelLoss = KernelLoss::Auto, KERNEL_LOSS;
        normalization: Normalization = Normalization::Trace, NORMALIZATION;
        degree: u64 = 1, DEGREE;
        features: Features = Features::Exact, FEATURES;
        solver: KernelSolver = KernelSolver::Exact, SOLVER;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 10_000, MAX_ITER;
        seed: u64 = 0, SEED;
    }
}

/// C for tuning, as in Hazan et al. 2015.
pub(super) const CS: &[&str] =
    &["1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "1", "10", "100", "1e3", "1e4", "1e5"];

/// C for tuning the one-pass solver, about 1 / n.
const SMALL_CS: &[&str] = &["1e-6", "3e-6", "1e-5", "3e-5", "1e-4", "3e-4", "1e-3", "3e-3", "1e-2"];

impl Learner for Karma {
    /// Returns far smaller C for one pass, whose steps are c n / t.
    fn grid(&self) -> Grid {
        let cs = if self.solver == KernelSolver::Online { SMALL_CS } else { CS };
        Grid::new(&[("gamma", &["1", "2", "3", "4"]), ("c", cs)])
    }

    fn needs(&self) -> Needs {
        Needs {
            targets: Targets::Any,
            weights: self.solver == KernelSolver::Exact,
            pairs: self.features == Features::Exact,
            weighs: false,
            ..Needs::of(self)
        }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        let rows = size.masked(size.sparse);
        let (numbers, remedy) = match self.features {
            Features::Exact => {
                let beside = match self.solver {
                    KernelSolver::Exact => objective::beside(self.loss, size),
                    KernelSolver::Online => 0.0,
                };
                let compared = bytes_needed(size.rows, 1) as f64 / 8.0 + beside;
                // At the end, rows with a coefficient are copied.
                let remedy = "features=sketch:2048 or fewer, whose memory is linear in the rows";
                (rows + rows.max(compared), remedy)
            }
            Features::Sketch(count) => {
                // The squared loss needs second moments or products of rows, whichever are
                // smaller: the matrix, a copy, and the factors of all threads or, if one fails,
                // an eigendecomposition. The weights enter through a copy of the features.
                let squared = objective::is_squared(self.loss, size.classes);
                let matrices = 2 + rayon::current_num_threads().max(4);
                let matrices = if squared { matrices as f64 } else { 3.0 };
                let copies = if squared && size.weighted { 2.0 } else { 1.0 };
                let width = count as f64 + 8.0;
                let tables = self.gamma as f64 * (self.gamma + 1) as f64 * size.d();
                let pairs = matrices * width.min(size.n()).powi(2);
                (
                    rows + tables + copies * width * size.n() + pairs,
                    "fewer features, rows or columns",
                )
            }
        };
        let vectors = 30.0 * size.n() + 8.0 * size.d() + size.n() * size.models();
        Needed::of(size, numbers + vectors * size.outputs()).with(remedy)
    }

    fn learn(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        self.check()?;
        let fits = fit_all(std::slice::from_ref(self), examples, monitor)?;
        let fit = fits.into_iter().next().ok_or(ErrorKind::Interrupted { during: "fitting" })?;
        // Rows with coefficient 0 need not be kept.
        let predictor = match fit.predictor {
            Predictor::Kernel(expansion) => Predictor::Kernel(expansion.pruned()),
            other => other,
        };
        Ok(Fit { predictor, ..fit })
    }

    /// Needs sums over the features alone, for squared losses.
    fn in_parts(&self, classes: usize) -> Option<InParts> {
        by_sums::able(self, classes).then_some(InParts::Features)
    }

    fn by_features(&self, layout: &Layout, classes: usize) -> Result<Option<Box<dyn ByFeatures>>> {
        Ok(Some(Box::new(by_sums::Features::new(self, layout, classes)?)))
    }

    /// Computes one pair of matrix products for all kernels, and one eigendecomposition, or a path
    /// of warm starts, for all C.
    fn learn_grid(
        &self,
        settings: &[Assignments],
        examples: &Examples<'_>,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Fit>> {
        let learners =
            settings.iter().map(|s| configured(self, s)).collect::<Result<Vec<Karma>>>()?;
        fit_all(&learners, examples, monitor)
    }
}

impl Karma {
    pub(super) fn kernel(&self) -> Result<Kernel> {
        Kernel::new(self.gamma, None, self.normalization, self.degree)
    }

    fn options(&self) -> SolverOptions {
        SolverOptions { tol: self.tol, max_passes: self.max_iter, seed: self.seed }
    }

    /// Returns true if only C differs, so that a Gram matrix and warm starts are shared.
    fn shares(&self, other: &Karma) -> bool {
        Karma { c: other.c, ..self.clone() } == *other
    }
}

/// Fits several settings, as [`fit_within`] the limit of the process, which as many fits share as
/// there are threads.
fn fit_all(learners: &[Karma], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let allowed = size::allowed(&FitSize::of(examples)) / rayon::current_num_threads() as f64;
    fit_within(allowed, learners, examples, monitor)
}

/// Fits several settings in so many bytes, if each fits alone. Those that differ only in C share a
/// path; all share the two products.
fn fit_within(
    allowed: f64,
    learners: &[Karma],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    if !learners.iter().all(|learner| learner.needs().weights) {
        refuse_weights("karma with solver = online", examples, STEPS)?;
    }
    let examples = &*examples.counted()?;
    let mut fits: Vec<Option<Fit>> = vec![None; learners.len()];
    let mut left: Vec<usize> = (0..learners.len()).collect();
    // Groups share a kernel and a solver; C increases within each.
    let mut groups: Vec<Vec<usize>> = Vec::new();
    while let Some(&first) = left.first() {
        let (mut group, others): (Vec<usize>, Vec<usize>) =
            left.into_iter().partition(|&at| learners[at].shares(&learners[first]));
        group.sort_by(|&a, &b| learners[a].c.total_cmp(&learners[b].c));
        groups.push(group);
        left = others;
    }
    // Masked rows depend only on the constant.
    for constant in [true, false] {
        let these: Vec<&Vec<usize>> =
            groups.iter().filter(|g| learners[g[0]].intercept == constant).collect();
        if these.is_empty() {
            continue;
        }
        let data = Training::new(examples, constant)?;
        let mut exact: Vec<&Vec<usize>> = Vec::new();
        for group in these {
            match learners[group[0]].features {
                Features::Exact => exact.push(group),
                Features::Sketch(count) => {
                    data.sketched(count, group, learners, monitor, &mut fits)?
                }
            }
        }
        for some in batches(&exact, learners, examples, allowed) {
            data.exact(some, learners, monitor, &mut fits)?;
        }
    }
    let fits: Option<Vec<Fit>> = fits.into_iter().collect();
    fits.ok_or_else(|| ErrorKind::Interrupted { during: "fitting" }.into())
}

/// Splits groups into batches whose Gram matrices fit into so many bytes, with the largest solver's
/// needs. Loss and solver are constant only within a group.
fn batches<'g, 'l>(
    mut groups: &'g [&'l Vec<usize>],
    learners: &[Karma],
    examples: &Examples<'_>,
    allowed: f64,
) -> Vec<&'g [&'l Vec<usize>]> {
    let rows = examples.len();
    let size = FitSize::of(examples);
    let beside = |group: &&Vec<usize>| {
        let size = FitSize { settings: group.len(), ..size.clone() };
        learners[group[0]].needed(&size).bytes - bytes_needed(rows, 1) as f64
    };
    let needs: Vec<f64> = groups.iter().map(beside).collect();
    let (mut batches, mut needs) = (Vec::new(), &needs[..]);
    while !groups.is_empty() {
        let fits = |&count: &usize| {
            let most = needs[..count].iter().copied().fold(0.0, f64::max);
            bytes_needed(rows, count) as f64 + most <= allowed
        };
        // The needs of a batch grow with every group; a single one fits.
        let count = (2..=groups.len()).take_while(fits).last().unwrap_or(1);
        let (batch, others) = groups.split_at(count);
        batches.push(batch);
        (groups, needs) = (others, &needs[count..]);
    }
    batches
}

struct SolverSummary {
    objective: f64,
    gap: f64,
    passes: u64,
    support: usize,
    stop: Stop,
    left_out: Option<f64>,
}

struct Training<'a, 'b> {
    examples: &'a Examples<'b>,
    rows: Arc<Masked>,
    weights: Option<Vec<f64>>,
    constant: bool,
    reading: MissingnessSummary,
    began: Instant,
}

impl<'a, 'b> Training<'a, 'b> {
    fn new(examples: &'a Examples<'b>, constant: bool) -> Result<Self> {
        let began = Instant::now();
        let rows = Arc::new(Masked::new(examples, constant)?);
        let (weights, reading) = (examples.weight_list(), MissingnessSummary::of(examples));
        Ok(Training { examples, rows, weights, constant, reading, began })
    }

    /// Solves over Gram matrices, computed together.
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
            kernel.fit_weighted(&self.rows, self.weights.as_deref())?;
            kernels.push(kernel);
        }
        let grams = gram(&kernels, &self.rows, monitor)?;
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "comparing rows" }.into());
        }
        for ((group, kernel), gram) in groups.iter().zip(kernels).zip(grams) {
            let first = &learners[group[0]];
            let goal = TrainingObjective::new(Karma::NAME, first.loss, self.examples)?;
            let cs: Vec<f64> = group.iter().map(|&at| learners[at].c).collect();
            let solved = match first.solver {
                KernelSolver::Exact => goal.path(gram.as_ref(), &cs, &first.options(), monitor)?,
                KernelSolver::Online => {
                    let one =
                        |&c: &f64| Ok((goal.online(gram.as_ref(), c, first.seed, monitor)?, None));
                    cs.iter().map(one).collect::<Result<_>>()?
                }
            };
            for (&at, (solved, left_out)) in group.iter().zip(solved) {
                let ties =
                    goal.near_ties(|| multiplied(gram.as_ref(), solved.coefficients.as_ref()));
                let mut fit = self.fit(&kernel, &goal, solved, left_out);
                fit.report.notes.extend(ties);
                fits[at] = Some(fit);
            }
        }
        Ok(())
    }

    fn sketched(
        &self,
        count: u64,
        group: &[usize],
        learners: &[Karma],
        monitor: &dyn Monitor,
        fits: &mut [Option<Fit>],
    ) -> Result<()> {
        let first = &learners[group[0]];
        if first.solver == KernelSolver::Online {
            let what = "features = exact, because the online algorithm stores rows";
            return Err(ErrorKind::Needs { name: "solver", value: "online", what }.into());
        }
        let mut kernel = first.kernel()?;
        kernel.fit_weighted(&self.rows, self.weights.as_deref())?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let sketch = Sketch::of(&kernel, self.rows.columns(), count, first.seed)?;
        let goal = TrainingObjective::new(Karma::NAME, first.loss, self.examples)?;
        let features = sketch.features_while(&self.rows, monitor)?;
        let cs: Vec<f64> = group.iter().map(|&at| learners[at].c).collect();
        let solved = goal.features_path(features.as_ref(), &cs, &first.options(), monitor)?;
        for (&at, solved) in group.iter().zip(solved) {
            let LinearSolved { weights, objective, gap, passes, support, stop } = solved;
            let mut report = self.report(&SolverSummary {
                objective,
                gap,
                passes,
                support,
                stop: stop.into(),
                left_out: None,
            });
            report
                .notes
                .extend(goal.near_ties(|| multiplied(features.transpose(), weights.as_ref())));
            let (sketch, constant, estimates) = (sketch.clone(), self.constant, goal.estimates());
            let predictor = Predictor::Sketch(Sketched { sketch, constant, weights, estimates });
            fits[at] = Some(Fit { predictor, report });
        }
        Ok(())
    }

    fn report(&self, told: &SolverSummary) -> Report {
        let mut report = self.reading.report("karma", told.stop, self.examples);
        report.objective = Some(told.objective);
        // One pass gives no certificate.
        report.gap = told.gap.is_finite().then_some(told.gap);
        report.passes = (told.stop != Stop::ClosedForm).then_some(told.passes);
        report.support = Some(told.support as u64);
        report.leave_one_out = told.left_out;
        report.seconds = self.began.elapsed().as_secs_f64();
        report
    }

    fn fit(
        &self,
        kernel: &Kernel,
        goal: &TrainingObjective,
        solved: Solved,
        left_out: Option<f64>,
    ) -> Fit {
        let Solved { objective, gap, passes, support, stop, .. } = solved;
        let report = self.report(&SolverSummary {
            objective,
            gap,
            passes,
            support,
            stop: stop.into(),
            left_out,
        });
        let predictor = Predictor::Kernel(KernelExpansion {
            kernel: kernel.clone(),
            constant: self.constant,
            support: Arc::clone(&self.rows),
            coefficients: solved.coefficients,
            estimates: goal.estimates(),
        });
        Fit { predictor, report }
    }
}

#[cfg(test)]
mod tests;
