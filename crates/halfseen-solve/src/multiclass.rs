//! Minimises the multi-class hinge loss of Crammer and Singer over a Gram matrix, to a certified
//! duality gap.
//!
//! **Setting**: (1/2) sum_r |v_r|^2 + C sum_i max_r (1(r != y_i) + z_ir - z_iy_i) with z_ir = <v_r,
//! phi_i>, without a bias (Crammer and Singer, JMLR 2001). A class may have no examples.
//!
//! **Guarantee**: the maximum is one over weights w_ir >= 0 with sum_r w_ir = C, so v_r = sum_i
//! b_ir phi_i with b_ir = C 1(r = y_i) - w_ir, and the dual objective is -(1/2) sum_r b_r' K b_r -
//! sum_ir b_ir 1(r != y_i). With g_ir = 1(r != y_i) + z_ir, primal minus dual objective is sum_ir
//! w_ir (max_s g_is - g_ir), evaluated at a recomputed z. The solver stops when this is at most
//! `tol` times the primal objective, which is taken at v or, if all losses can be removed so, at a
//! multiple of v.
//!
//! **Method**: block ascent, one example at a time, by projection onto a simplex (Keerthi et al.,
//! KDD 2008), through a factor of the matrix if its rank is far below n. When it has taken as long
//! as a primal-dual interior-point method would (Mehrotra 1992), that method, using a factor if the
//! rank is low, unless both matrix and rank are too large.
//!
//! **Two classes**: v_1 - v_0 is the v of the binary hinge at cost 2 C, and the objective is half
//! of its objective.

pub(super) mod ascent;
pub(super) mod dual;
mod interior;
mod newton;
#[cfg(test)]
mod properties;
pub(super) mod schedule;
#[cfg(test)]
mod tests;

use super::hinge::{contiguous, low_rank, slices};
use super::{Solved, SolverOptions, check_gram, length, positive};
use crate::error::{Error, Result};
use crate::monitor::Monitor;
use crate::products::multiply;
use crate::sampling::{Purpose, Stream};
use crate::stop::{FUTILE_ROUNDS, SolverStop};
use ascent::{Ascent, Levels, raised};
use dual::Dual;
use faer::{Mat, MatRef};
use newton::{Form, work};
use schedule::{INTERIOR_SIZE, PASSES_BEFORE_INTERIOR, passes_as_long};
use std::cell::OnceCell;

/// Number of passes of ascent between two certificates.
const PASSES_PER_ROUND: u64 = 10;
/// Largest number of multiplications of one interior-point step over the matrix itself. Over a
/// factor its size is the limit: ascent alone may not end, however many passes it makes.
const INTERIOR_WORK: f64 = 3e10;

/// Part of n up to which ascent goes through a factor of that rank. A search in vain takes n^3 / 512
/// multiplications; a pass over K in which every class changes, n^2 times classes.
const NARROW: usize = 16;

/// Factors L, (n, rank), with K = L L', shared by the problems of one Gram matrix; each is computed
/// once if it exists.
#[derive(Default)]
struct Factors {
    /// Of rank up to n / `NARROW`.
    narrow: OnceCell<Option<Mat<f64>>>,
    /// Of any rank that an interior-point method can use.
    wide: OnceCell<Option<Mat<f64>>>,
}

impl Factors {
    fn narrow(&self, gram: MatRef<'_, f64>) -> Option<&Mat<f64>> {
        self.narrow.get_or_init(|| low_rank(gram, gram.nrows() / NARROW)).as_ref()
    }

    fn for_interior(&self, gram: MatRef<'_, f64>, classes: usize) -> Option<&Mat<f64>> {
        let most = widest(gram.nrows(), classes);
        let wide = || self.wide.get_or_init(|| low_rank(gram, most)).as_ref();
        self.narrow(gram).or_else(|| if most > gram.nrows() / NARROW { wide() } else { None })
    }
}

/// Returns the largest rank of a factor for the interior-point method.
fn widest(n: usize, classes: usize) -> usize {
    (n / 3).min(INTERIOR_SIZE / classes)
}

/// Minimises (1/2) sum_r |v_r|^2 + C sum_i max_r (1(r != y_i) + z_ir - z_iy_i).
///
/// `gram` is (n, n), symmetric and positive semidefinite; `codes` are n classes below `classes`;
/// `warm` is (n, classes) like `Solved::coefficients`, and is projected onto the feasible values. A
/// single class has loss 0 and coefficients 0. `SolverOptions::max_passes` bounds the total of passes of
/// ascent and interior-point steps.
///
/// # Errors
/// [`Error::OutOfRange`] (c, tol, classes, a non-finite start), [`Error::WrongLength`],
/// [`Error::WrongTarget`] (an invalid code), [`Error::TooFewRows`], [`Error::Numerical`] (a
/// non-finite number in the Gram matrix, a negative diagonal, or an objective out of the range of
/// numbers).
pub fn solve(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    c: f64,
    warm: Option<MatRef<'_, f64>>,
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Solved> {
    let weights = vec![1.0; codes.len()];
    solve_with(gram, codes, classes, (c, &weights), warm, &Factors::default(), options, monitor)
}

#[expect(clippy::too_many_arguments, reason = "those of `solve`, and the factors")]
fn solve_with(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    (c, weights): (f64, &[f64]),
    warm: Option<MatRef<'_, f64>>,
    factors: &Factors,
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Solved> {
    check(gram, codes, classes, c, warm, options)?;
    length("weights", codes.len(), weights.len())?;
    let costs: Vec<f64> = weights.iter().map(|weight| c * weight).collect();
    costs.iter().try_for_each(|&cost| positive("cost", cost))?;
    let copy = contiguous(gram);
    let mut search = Search::new(copy.as_ref().map_or(gram, |m| m.as_ref()), codes, classes, costs);
    if let Some(warm) = warm {
        search.start(warm);
    }
    search.run(factors, options, monitor)
}

/// Solves for each of `cs`, in their order, each from the solution of the nearest smaller C.
///
/// # Errors
/// Those of [`solve`].
pub fn path(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<Solved>> {
    path_weighted(gram, codes, classes, &vec![1.0; codes.len()], cs, options, monitor)
}

/// Does the same with the loss of example i weighted by C `weights[i]`; weights are positive.
///
/// # Errors
/// Those of [`solve`]; weights are refused like c.
pub fn path_weighted(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    weights: &[f64],
    cs: &[f64],
    options: &SolverOptions,
    monitor: &dyn Monitor,
) -> Result<Vec<Solved>> {
    cs.iter().try_for_each(|&c| positive("c", c))?;
    let factors = Factors::default();
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
    let mut solved: Vec<Option<Solved>> = vec![None; cs.len()];
    let mut last: Option<(f64, Mat<f64>)> = None;
    for i in order {
        // Examples at the bound stay there: their whole block grows with C.
        let warm = last.as_ref().map(|(smaller, old): &(f64, Mat<f64>)| {
            Mat::from_fn(old.nrows(), classes, |row, r| {
                let at_bound = codes
                    .get(row)
                    .zip(weights.get(row))
                    .is_some_and(|(&y, w)| old[(row, y as usize)] >= smaller * w);
                old[(row, r)] * if at_bound { cs[i] / smaller } else { 1.0 }
            })
        });
        let warm = warm.as_ref().map(|w| w.as_ref());
        let solution =
            solve_with(gram, codes, classes, (cs[i], weights), warm, &factors, options, monitor)?;
        last = Some((cs[i], solution.coefficients.clone()));
        solved[i] = Some(solution);
    }
    Ok(solved.into_iter().flatten().collect())
}

fn check(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    c: f64,
    warm: Option<MatRef<'_, f64>>,
    options: &SolverOptions,
) -> Result<()> {
    options.check()?;
    positive("c", c)?;
    check_gram(gram)?;
    let n = gram.nrows();
    if n == 0 {
        return Err(Error::TooFewRows { what: "a Gram matrix".into(), least: 1, rows: 0 });
    }
    if classes == 0 {
        return Err(Error::OutOfRange {
            name: "classes",
            value: "0".into(),
            allowed: "at least 1".into(),
        });
    }
    length("class codes", n, codes.len())?;
    if let Some(i) = codes.iter().position(|&y| y as usize >= classes) {
        let problem = format!("code {} is {}: it must be below {classes}", i + 1, codes[i]);
        return Err(Error::WrongTarget { what: "codes", problem });
    }
    if let Some(warm) = warm {
        length("rows of initial coefficients", n, warm.nrows())?;
        length("columns of initial coefficients", classes, warm.ncols())?;
        for j in 0..classes {
            if let Some(b) = warm.col(j).iter().find(|b| !b.is_finite()) {
                let value = b.to_string();
                return Err(Error::OutOfRange {
                    name: "coefficient",
                    value,
                    allowed: "finite".into(),
                });
            }
        }
    }
    Ok(())
}

/// Returns the cheaper form of the interior-point systems; `None` if both are too large.
fn form<'a>(gram: MatRef<'a, f64>, classes: usize, factors: &'a Factors) -> Option<Form<'a>> {
    let n = gram.nrows();
    let dense = work(n, classes, None);
    let low = factors.for_interior(gram, classes).map(|l| (l, work(n, classes, Some(l.ncols()))));
    match low {
        // The factor of a zero matrix has no columns.
        Some((l, work)) if l.ncols() > 0 && work < dense => Some(Form::Low(l.as_ref())),
        _ => (dense <= INTERIOR_WORK).then_some(Form::Dense(gram)),
    }
}

/// Dual point with its state.
struct Search<'a> {
    gram: MatRef<'a, f64>,
    /// K_ii.
    diagonal: Vec<f64>,
    dual: Dual,
    /// (n, classes): 1(r != y_i) + z_ir, recomputed by `certify`.
    g: Mat<f64>,
    passes: u64,
    /// True if the interior-point method ended with a system that could not be solved.
    failed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Certificate {
    primal: f64,
    gap: f64,
    /// Factor of the coefficients at which the primal objective is taken.
    factor: f64,
}

impl<'a> Search<'a> {
    fn new(gram: MatRef<'a, f64>, codes: &[u32], classes: usize, c: Vec<f64>) -> Search<'a> {
        let n = codes.len();
        let dual = Dual::new(codes.iter().map(|&y| y as usize).collect(), c, classes);
        let diagonal = (0..n).map(|i| gram[(i, i)]).collect();
        Search { gram, diagonal, dual, g: Mat::zeros(n, classes), passes: 0, failed: false }
    }

    fn start(&mut self, warm: MatRef<'_, f64>) {
        let Dual { c, w, .. } = &mut self.dual;
        *w = Mat::from_fn(w.nrows(), w.ncols(), |r, i| (-warm[(i, r)]).clamp(0.0, c[i]));
        self.dual.settle();
    }

    /// Recomputes the scores, objective and gap.
    fn certify(&mut self) -> Certificate {
        let b = self.dual.coefficients();
        multiply(self.g.as_mut(), self.gram, b.as_ref());
        let (mut square, mut loss, mut gap) = (0.0, 0.0, 0.0);
        let (mut violation, mut room) = (0.0_f64, f64::INFINITY);
        let mut levels = vec![0.0; b.ncols()];
        for (i, (&y, &cost)) in self.dual.y.iter().zip(&self.dual.c).enumerate() {
            raised(y, &mut levels, |r| self.g[(i, r)]);
            for (r, &level) in levels.iter().enumerate() {
                square += b[(i, r)] * self.g[(i, r)];
                self.g[(i, r)] = level;
            }
            let (of_loss, of_gap) = self.dual.loss_and_gap(i, &levels);
            loss += cost * of_loss;
            gap += of_gap;
            violation = violation.max(of_loss);
            room = room.min(cost / b[(i, y)]);
        }
        let primal = 0.5 * square.max(0.0) + loss;
        // Without loss, at a slightly larger v: from some C on all solutions are one, and C times
        // a tiny loss would hide that.
        let factor = 1.0 / (1.0 - violation);
        let (half, dual) = (0.5 * square.max(0.0), primal - gap);
        let scaled = half * factor * factor;
        let scaled_gap = (2.0 * scaled - factor * (dual + half)).max(0.0);
        if violation < 0.5 && factor <= room && scaled_gap < gap {
            return Certificate { primal: scaled, gap: scaled_gap, factor };
        }
        Certificate { primal, gap, factor: 1.0 }
    }

    fn run(
        &mut self,
        factors: &Factors,
        options: &SolverOptions,
        monitor: &dyn Monitor,
    ) -> Result<Solved> {
        let mut may_interior = true;
        let mut v = Mat::new();
        // L', whose columns are read one by one, and whether it is known to mislead.
        let (mut across, mut misled): (Option<Mat<f64>>, bool) = (None, false);
        let mut now = self.certify();
        let (mut best, mut best_w) = (now, self.dual.w.clone());
        let (mut futile, mut dual) = (0, f64::NEG_INFINITY);
        let stop = loop {
            if !(now.primal.is_finite() && now.gap.is_finite()) {
                let problem = format!("objective {:e}, gap {:e}", now.primal, now.gap);
                return Err(Error::Numerical { what: "multi-class hinge loss", problem });
            }
            // The dual objective rises with every round of ascent; the gap may not fall.
            futile = if now.gap < best.gap || now.primal - now.gap > dual { 0 } else { futile + 1 };
            dual = dual.max(now.primal - now.gap);
            if now.gap <= best.gap {
                best = now;
                best_w.copy_from(&self.dual.w);
            }
            if best.gap <= options.tol * best.primal {
                break SolverStop::Tolerance;
            }
            let limit = self.passes >= options.max_passes;
            if limit {
                break SolverStop::short(self.failed, limit);
            }
            if monitor.should_stop() {
                break SolverStop::Interrupted;
            }
            let target = options.tol * best.primal;
            let stuck = futile > FUTILE_ROUNDS;
            if may_interior && (stuck || self.passes >= PASSES_BEFORE_INTERIOR) {
                match form(self.gram, self.g.ncols(), factors) {
                    Some(form)
                        if stuck || self.passes >= self.affordable(&form, across.as_ref()) =>
                    {
                        (may_interior, futile) = (false, 0);
                        self.interior(form, options.tol, options.max_passes, monitor);
                        now = self.trimmed(options.tol);
                        continue;
                    }
                    Some(_) => {}
                    None => may_interior = false,
                }
            }
            if stuck && across.is_none() {
                break SolverStop::short(self.failed, limit);
            }
            if stuck {
                (across, misled, futile) = (None, true, 0);
            }
            let most = PASSES_PER_ROUND.min(options.max_passes - self.passes);
            // The first passes may be enough; the next problem of a path begins where this ended.
            let worthwhile = self.passes > 0 || factors.narrow.get().is_some();
            if across.is_none() && !misled && worthwhile {
                across = factors.narrow(self.gram).map(|l| l.transpose().to_owned());
            }
            let stream = Stream::new(options.seed, Purpose::Order, 0);
            let mut ascent = self.ascent(across.as_ref(), &mut v)?;
            let done = ascent.passes(most, 0.3 * target, stream, monitor);
            self.passes += done;
            self.dual.settle();
            now = self.certify();
        };
        self.dual.w = best_w;
        let mut coefficients = self.dual.coefficients();
        if best.factor > 1.0 {
            let columns = 0..coefficients.ncols();
            columns.for_each(|r| {
                coefficients.col_as_slice_mut(r).iter_mut().for_each(|b| *b *= best.factor)
            });
        }
        let support = self.dual.support();
        Ok(Solved {
            coefficients,
            objective: best.primal,
            gap: best.gap,
            passes: self.passes,
            support,
            stop,
        })
    }

    /// Returns an ascent through K, or through `across`, L', with v in a place that is given; g must
    /// belong to w.
    fn ascent<'s>(
        &'s mut self,
        across: Option<&'s Mat<f64>>,
        v: &'s mut Mat<f64>,
    ) -> Result<Ascent<'s>> {
        let (columns, levels) = match across {
            None => (self.gram, Levels::Kept(&mut self.g)),
            Some(across) => {
                *v = across * self.dual.coefficients();
                (across.as_ref(), Levels::Computed(v))
            }
        };
        let columns = slices(columns)?;
        Ok(Ascent { columns, diagonal: &self.diagonal, levels, dual: &mut self.dual })
    }

    /// Returns the number of passes of ascent that take as long as the interior-point method.
    fn affordable(&self, form: &Form<'_>, across: Option<&Mat<f64>>) -> u64 {
        let (n, classes) = self.g.shape();
        let rank = if let Form::Low(rows) = form { Some(rows.ncols()) } else { None };
        // Through a factor scores cost as much as a step.
        let width = across.map_or(n, |across| 2 * across.nrows().max(1));
        passes_as_long(work(n, classes, rank), (n * width * classes) as f64)
    }

    /// Drops weights that an interior point leaves on classes without maximal score, if the gap
    /// remains small.
    fn trimmed(&mut self, tol: f64) -> Certificate {
        self.dual.settle();
        let whole = self.certify();
        let kept = self.dual.w.clone();
        let Dual { y, c, w } = &mut self.dual;
        for (i, &y) in y.iter().enumerate() {
            let w = w.col_as_slice_mut(i);
            let largest = self.g.row(i).iter().fold(f64::NEG_INFINITY, |m, &g| m.max(g));
            let below = |r: usize, w: f64| w * self.diagonal[i] < largest - self.g[(i, r)];
            for r in (0..w.len()).filter(|&r| r != y) {
                if below(r, w[r]) {
                    w[r] = 0.0;
                }
            }
            // If this includes the own class, its weight goes to the other classes.
            if below(y, w[y]) {
                let others: f64 = (0..w.len()).filter(|&r| r != y).map(|r| w[r]).sum();
                if others > 0.0 {
                    w.iter_mut().for_each(|w| *w *= c[i] / others);
                }
            }
        }
        self.dual.settle();
        let trimmed = self.certify();
        if trimmed.gap <= whole.gap.max(tol * trimmed.primal) {
            return trimmed;
        }
        self.dual.w = kept;
        self.certify()
    }
}
