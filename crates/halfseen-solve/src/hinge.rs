//! Minimises the hinge loss over a Gram matrix, without a bias, to a certified duality gap.
//!
//! **Setting**: (1/2) |v|^2 + sum_i c_i [s_i - y_i z_i]_+ with z_i = <v, phi_i>; usually every cost
//! c_i is C and every margin s_i is 1. An intercept is a constant attribute, part of the kernel
//! (Hazan et al. 2015, section 5). Individual costs and margins serve the geometric margin (Chechik
//! et al. 2008).
//!
//! **Guarantee**: with v = sum_i a_i y_i phi_i, 0 <= a_i <= c_i and g_i = s_i - y_i z_i, primal
//! minus dual objective is `sum_i (c_i - a_i) [g_i]_+ + a_i [-g_i]_+`, evaluated at a recomputed
//! z. The solver stops when this is at most `tol` times the primal objective.
//!
//! **Method**: rounds of dual coordinate ascent (Hsieh et al., ICML 2008) on the examples that are
//! not settled at a bound, each followed by Newton steps on the free ones, whose Gram matrix is
//! factored (similar to the alternation of gradient projection and conjugate gradients in Moré and
//! Toraldo 1991). If the rounds stall or the Gram matrix has low rank, an interior-point method
//! comes first (Fine and Scheinberg, JMLR 2001).
//!
//! **Symbols**: K the Gram matrix; y, c, s labels, costs, margins; a the dual variables; f = y s -
//! K (y a), so that g_i = y_i f_i.

mod ascent;
mod factor;
mod gram;
mod interior;
mod newton;

use super::{Solved, SolverOptions, check_gram, check_weighted, positive};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::stop::{FUTILE_ROUNDS, SolverStop};
use ascent::Block;
use factor::System;
use faer::{ContiguousFwd, Mat, MatRef};
use gram::Columns;
use std::cell::OnceCell;

/// Hinge problem over n examples; see the module.
#[derive(Debug, Clone, Copy)]
pub struct HingeProblem<'a> {
    /// (n, n), symmetric and positive semidefinite.
    pub gram: MatRef<'a, f64>,
    /// n labels, each -1 or +1.
    pub labels: &'a [f64],
    /// n costs c_i, positive.
    pub costs: &'a [f64],
    /// n margins s_i, finite; the loss of example i is [s_i - y_i z_i]_+.
    pub margins: &'a [f64],
}

/// Minimises (1/2) |v|^2 + C sum_i [1 - y_i z_i]_+.
///
/// `warm` holds n initial dual variables, clipped to 0..=C; `Solved::coefficients` times the labels
/// are valid values. `SolverOptions::max_passes` bounds the total of coordinate passes, Newton steps and
/// interior-point steps. [`SolverStop::NoProgress`] means that two dozen consecutive rounds did not lower
/// the gap.
///
/// # Errors
/// [`Error::OutOfRange`] (c, tol), [`Error::WrongLength`], [`Error::WrongTarget`] (a label that is
/// not -1 or +1), [`Error::TooFewRows`], [`Error::Numerical`] (a non-finite number in the Gram
/// matrix, a negative diagonal, or an objective out of the range of numbers).
pub fn solve(
    gram: MatRef<'_, f64>,
    labels: &[f64],
    c: f64,
    warm: Option<&[f64]>,
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Solved> {
    positive("c", c)?;
    let (costs, margins) = (vec![c; labels.len()], vec![1.0; labels.len()]);
    solve_weighted(
        &HingeProblem { gram, labels, costs: &costs, margins: &margins },
        warm,
        options,
        monitor,
    )
}

/// Minimises (1/2) |v|^2 + sum_i c_i [s_i - y_i z_i]_+; `warm` and errors as in [`solve`].
///
/// # Errors
/// Those of [`solve`]; costs and margins are refused like c.
pub fn solve_weighted(
    problem: &HingeProblem<'_>,
    warm: Option<&[f64]>,
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Solved> {
    options.check()?;
    check_gram(problem.gram)?;
    check(problem, warm)?;
    let copy = contiguous(problem.gram);
    let columns = columns(copy.as_ref().map_or(problem.gram, |m| m.as_ref()))?;
    let factor = OnceCell::new();
    let mut search = Search::new(&columns, &factor, problem);
    if let Some(warm) = warm {
        search.start(warm);
    }
    search.run(options, monitor)
}

/// Solves for each of `cs`, in their order, each from the solution of the nearest smaller C.
///
/// # Errors
/// Those of [`solve`].
pub fn path(
    gram: MatRef<'_, f64>,
    labels: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<Solved>> {
    path_weighted(gram, labels, &vec![1.0; labels.len()], cs, options, monitor)
}

/// Does the same with costs c_i = C `weights[i]`; weights are positive.
///
/// # Errors
/// Those of [`solve_weighted`].
pub fn path_weighted(
    gram: MatRef<'_, f64>,
    labels: &[f64],
    weights: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<Solved>> {
    options.check()?;
    check_gram(gram)?;
    cs.iter().try_for_each(|&c| positive("c", c))?;
    let copy = contiguous(gram);
    let columns = columns(copy.as_ref().map_or(gram, |m| m.as_ref()))?;
    let factor = OnceCell::new();
    let margins = vec![1.0; labels.len()];
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
    let mut solved: Vec<Option<Solved>> = vec![None; cs.len()];
    // Costs and dual variables of the smaller C.
    let mut last: Option<[Vec<f64>; 2]> = None;
    let mut rooms = <[Vec<f64>; 2]>::default();
    for i in order {
        let costs: Vec<f64> = weights.iter().map(|weight| cs[i] * weight).collect();
        let problem = HingeProblem { gram, labels, costs: &costs, margins: &margins };
        check(&problem, None)?;
        let mut search = Search::new(&columns, &factor, &problem);
        if let Some([smaller, duals]) = &last {
            search.start_from_smaller(smaller, duals);
        }
        search.rooms = rooms;
        solved[i] = Some(search.run(options, monitor)?);
        rooms = search.rooms;
        let duals = search.a;
        last = Some([costs, duals]);
    }
    Ok(solved.into_iter().flatten().collect())
}

/// Returns a copy with contiguous columns if the matrix has none.
pub(super) fn contiguous(gram: MatRef<'_, f64>) -> Option<Mat<f64>> {
    (gram.row_stride() != 1).then(|| gram.to_owned())
}

/// A matrix whose columns are slices.
pub(super) type Slices<'a> = MatRef<'a, f64, usize, usize, ContiguousFwd>;

/// # Errors
/// [`Error::Numerical`] if columns are not contiguous.
pub(super) fn slices(matrix: MatRef<'_, f64>) -> Result<Slices<'_>> {
    matrix.try_as_col_major().ok_or_else(|| Error::Numerical {
        what: "Gram matrix",
        problem: "its columns are not contiguous".into(),
    })
}

fn columns(gram: MatRef<'_, f64>) -> Result<Columns<'_>> {
    slices(gram).map(Columns::new)
}

/// Returns L with K = L L', (n, rank), for a matrix with contiguous columns; `None` if the rank
/// exceeds `most`.
pub(super) fn low_rank(gram: MatRef<'_, f64>, most: usize) -> Option<Mat<f64>> {
    factor::low_rank(&Columns::new(gram.try_as_col_major()?), most)
}

fn check(problem: &HingeProblem<'_>, warm: Option<&[f64]>) -> Result<()> {
    let n = problem.gram.nrows();
    if n == 0 {
        return Err(Error::TooFewRows { what: "a Gram matrix".into(), least: 1, rows: 0 });
    }
    check_weighted(n, [problem.labels, problem.costs, problem.margins], warm)
}

/// Number of passes of coordinate ascent before Newton steps.
const PASSES_PER_ROUND: u64 = 4;
/// Number of such rounds before the interior-point method, given a low-rank factor or few examples.
const LIGHT_ROUNDS: u64 = 2;
/// The same without a factor and with many examples, when it factors the matrix some thirty times.
const HEAVY_ROUNDS: u64 = 12;
/// Largest low rank: this fraction of n, or this number; a search in vain costs as much.
const LOW_RANK: (usize, usize) = (16, 256);
/// Largest number of examples that counts as few.
const DENSE: usize = 800;

/// Dual point with its state.
struct Search<'a> {
    columns: &'a Columns<'a>,
    y: &'a [f64],
    c: &'a [f64],
    s: &'a [f64],
    a: Vec<f64>,
    /// Recomputed by `certify` only.
    f: Vec<f64>,
    passes: u64,
    /// True if a factorisation of the last round failed.
    failed: bool,
    /// L with K = L L' if the rank of K is low; computed when the first rounds do not suffice.
    factor: &'a OnceCell<Option<Mat<f64>>>,
    /// Reused memory for the Gram matrix of a round's examples and for factors of Newton steps; new
    /// pages cost more than their use.
    rooms: [Vec<f64>; 2],
}

#[derive(Debug, Clone, Copy)]
struct Certificate {
    primal: f64,
    gap: f64,
}

impl<'a> Search<'a> {
    fn new(
        columns: &'a Columns<'a>,
        factor: &'a OnceCell<Option<Mat<f64>>>,
        problem: &HingeProblem<'a>,
    ) -> Search<'a> {
        let (y, c, s) = (problem.labels, problem.costs, problem.margins);
        let f = y.iter().zip(s).map(|(y, s)| y * s).collect();
        Search {
            columns,
            y,
            c,
            s,
            a: vec![0.0; y.len()],
            f,
            passes: 0,
            failed: false,
            factor,
            rooms: Default::default(),
        }
    }

    fn start(&mut self, warm: &[f64]) {
        for ((a, warm), c) in self.a.iter_mut().zip(warm).zip(self.c) {
            *a = warm.clamp(0.0, *c);
        }
    }

    /// Starts from the solution at a smaller C: variables at the bound stay there.
    fn start_from_smaller(&mut self, smaller: &[f64], duals: &[f64]) {
        for (((a, &old), smaller), &c) in self.a.iter_mut().zip(duals).zip(smaller).zip(self.c) {
            *a = if old >= *smaller { c } else { old };
        }
    }

    /// Recomputes f, and objective and gap from it.
    fn certify(&mut self) -> Certificate {
        let signed: Vec<f64> = self.a.iter().zip(self.y).map(|(a, y)| a * y).collect();
        let z = self.columns.times(&signed);
        let (mut square, mut loss, mut gap) = (0.0, 0.0, 0.0);
        for i in 0..z.len() {
            self.f[i] = self.y[i] * self.s[i] - z[i];
            let g = self.y[i] * self.f[i];
            square += signed[i] * z[i];
            loss += self.c[i] * g.max(0.0);
            gap += (self.c[i] - self.a[i]) * g.max(0.0) + self.a[i] * (-g).max(0.0);
        }
        Certificate { primal: 0.5 * square.max(0.0) + loss, gap }
    }

    fn run(&mut self, options: &SolverOptions, monitor: &dyn Monitor) -> Result<Solved> {
        let (mut best, mut best_a) = (self.certify(), self.a.clone());
        let mut now = best;
        let (mut rounds, mut futile) = (0, 0);
        let stop = loop {
            if !(now.primal.is_finite() && now.gap.is_finite()) {
                let problem = format!("objective {:e}, gap {:e}", now.primal, now.gap);
                return Err(Error::Numerical { what: "hinge loss over a Gram matrix", problem });
            }
            futile = if now.gap < best.gap { 0 } else { futile + 1 };
            if now.gap <= best.gap {
                best = now;
                best_a.copy_from_slice(&self.a);
            }
            if best.gap <= options.tol * best.primal {
                break SolverStop::Tolerance;
            }
            let limit = self.passes >= options.max_passes;
            if limit || futile > FUTILE_ROUNDS {
                break SolverStop::short(self.failed, limit);
            }
            if monitor.should_stop() {
                break SolverStop::Interrupted;
            }
            rounds += 1;
            self.round(rounds, options, now, monitor);
            now = self.certify();
        };
        self.a = best_a;
        let coefficients = Mat::from_fn(self.a.len(), 1, |i, _| self.a[i] * self.y[i]);
        let support = self.a.iter().filter(|&&a| a != 0.0).count();
        Ok(Solved {
            coefficients,
            objective: best.primal,
            gap: best.gap,
            passes: self.passes,
            support,
            stop,
        })
    }

    /// Improves the unsettled examples by one round.
    fn round(
        &mut self,
        number: u64,
        options: &SolverOptions,
        now: Certificate,
        monitor: &dyn Monitor,
    ) {
        let target = options.tol * now.primal;
        let active = self.unsettled();
        let [mut compact, room] = std::mem::take(&mut self.rooms);
        let columns = if active.len() * 4 <= self.a.len() * 3 {
            columns(self.columns.select_into(&active, &mut compact)).ok()
        } else {
            None
        };
        let (columns, active) = match &columns {
            Some(columns) => (columns, active),
            None => (self.columns, (0..self.a.len()).collect()),
        };
        let pick = |values: &[f64]| -> Vec<f64> { active.iter().map(|&i| values[i]).collect() };
        let mut block = Block::new(
            columns,
            [pick(self.y), pick(self.c), pick(&self.a), pick(&self.f)],
            options.seed,
            self.passes,
        );
        block.room = room;
        self.passes += self.improve(&mut block, &active, number, (now, target), options, monitor);
        for (&i, &a) in active.iter().zip(&block.a) {
            self.a[i] = a;
        }
        self.failed = block.failed;
        let room = block.room;
        self.rooms = [compact, room];
    }

    /// Makes passes of coordinate ascent and Newton steps or, if these stall, interior-point steps;
    /// returns their number.
    fn improve(
        &self,
        block: &mut Block<'_>,
        active: &[usize],
        number: u64,
        (now, target): (Certificate, f64),
        options: &SolverOptions,
        monitor: &dyn Monitor,
    ) -> u64 {
        let (share, most) = (0.3 * target, options.max_passes - self.passes);
        let stalled = number > LIGHT_ROUNDS && (number - LIGHT_ROUNDS) % 4 == 1;
        let mut done = 0;
        while !stalled && done < PASSES_PER_ROUND.min(most) && !monitor.should_stop() {
            done += 1;
            if block.pass() <= share {
                return done;
            }
        }
        let n = self.a.len();
        let rank = (n / LOW_RANK.0).max(LOW_RANK.1).min(n / 3);
        if stalled || block.free().len() > rank {
            let low = self.factor.get_or_init(|| factor::low_rank(self.columns, rank));
            let system = match low {
                Some(factor) => Some(System::low(factor, active)),
                None if stalled && (active.len() <= DENSE || number > HEAVY_ROUNDS) => {
                    Some(System::dense(block.columns))
                }
                None => None,
            };
            if let Some(mut system) = system {
                let at = (now.primal - now.gap, share);
                return done + block.interior(&mut system, at, most - done, monitor);
            }
        }
        done + block.newton(share, most - done, monitor)
    }

    /// Returns the examples that are free, or not clearly held at a bound.
    fn unsettled(&self) -> Vec<usize> {
        let violation = |i: usize| {
            let g = self.y[i] * self.f[i];
            if self.a[i] <= 0.0 {
                g
            } else if self.a[i] >= self.c[i] {
                -g
            } else {
                g.abs()
            }
        };
        let all: Vec<f64> = (0..self.a.len()).map(violation).collect();
        let largest = all.iter().fold(0.0_f64, |m, &v| m.max(v));
        (0..self.a.len()).filter(|&i| all[i] > -largest).collect()
    }
}

#[cfg(test)]
mod tests;
