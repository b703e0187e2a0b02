//! Minimises the multi-class hinge loss of Crammer and Singer over a Gram matrix, to a certified duality gap.
//!
//! **Setting**: (1/2) sum_r |v_r|^2 + C sum_i max_r (z_ir + e_ir - z_iy) with z_ir = <v_r, phi_i>, y the class of
//! example i and e_ir = 1 for r other than y, else 0 (Crammer and Singer, JMLR 2001). No bias: an intercept is a constant
//! attribute, part of the kernel.
//!
//! **Guarantee**: v_r = sum_i b_ir phi_i with b_ir = C 1(r = y) - a_ir, where each row of a has numbers of at least 0
//! that sum to C. The dual objective is -(1/2) sum_r b_r'K b_r + sum_ir a_ir e_ir, so that primal minus dual is
//! sum_ir a_ir (m_i - z_ir - e_ir) with m_i = max_r (z_ir + e_ir); z is summed afresh for it. The solver stops
//! when that is at most `tol` times the primal objective.
//!
//! **Method**: ascent over the rows of a, each solved exactly by sorting (a projection onto a simplex), where those
//! that are settled are left out for a while; where that stalls, an interior-point method
//! ([`interior`]), whose solution the ascent then makes sparse.
//!
//! Two classes: v_1 = -v_0, so that the problem is that of the binary hinge for v = v_1 - v_0 with twice C.

mod interior;
mod simplex;

use super::{Options, Solved, check_gram, length, positive};
use crate::error::{ErrorKind, Result};
use crate::model::Stop;
use crate::monitor::Monitor;
use crate::sampling::{Purpose, Stream, shuffle};
use faer::{Mat, MatRef, Par};

/// Passes over the unsettled rows between two certificates.
const PASSES: u64 = 8;
/// The interior-point method takes memory and time for so many rows at most.
const INTERIOR: usize = 3000;
/// Certificates without halving the gap after which ascent is said to stall.
const PATIENCE: u32 = 3;

/// Minimises for one C; `warm` is an (n, classes) matrix of coefficients to start from.
///
/// `codes` holds the class of each row; classes that no row shows get the scores that the loss gives them. One class alone
/// gives coefficients of 0.
///
/// # Errors
/// Numbers that are not finite, lengths that differ, a class out of range, no row, C not above 0.
pub fn solve(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    c: f64,
    warm: Option<MatRef<'_, f64>>,
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Solved> {
    options.check()?;
    check(gram, codes, classes)?;
    positive("c", c)?;
    let mut search = Search::new(gram, codes, classes, c, options);
    if let Some(warm) = warm {
        length("rows to start from", codes.len(), warm.nrows())?;
        length("classes to start from", classes, warm.ncols())?;
        search.start(warm);
    }
    search.run(options, monitor)
}

/// Minimises for each of several C, with warm starts from one to the next larger; in the order of `cs`.
///
/// # Errors
/// As [`solve`].
pub fn path(
    gram: MatRef<'_, f64>,
    codes: &[u32],
    classes: usize,
    cs: &[f64],
    options: &Options,
    monitor: &dyn Monitor,
) -> Result<Vec<Solved>> {
    options.check()?;
    check(gram, codes, classes)?;
    cs.iter().try_for_each(|&c| positive("c", c))?;
    let mut order: Vec<usize> = (0..cs.len()).collect();
    order.sort_by(|&i, &j| cs[i].total_cmp(&cs[j]));
    let mut solved: Vec<Option<Solved>> = vec![None; cs.len()];
    let mut last: Option<usize> = None;
    for at in order {
        let mut search = Search::new(gram, codes, classes, cs[at], options);
        if let Some(warm) = last.and_then(|last| solved[last].as_ref()) {
            search.start(warm.coefficients.as_ref());
        }
        solved[at] = Some(search.run(options, monitor)?);
        last = Some(at);
    }
    Ok(solved.into_iter().flatten().collect())
}

fn check(gram: MatRef<'_, f64>, codes: &[u32], classes: usize) -> Result<()> {
    check_gram(gram)?;
    if codes.is_empty() {
        return Err(ErrorKind::TooFewRows { what: "a Gram matrix".into(), least: 1, rows: 0 }.into());
    }
    length("classes of rows", gram.nrows(), codes.len())?;
    match codes.iter().find(|&&code| code as usize >= classes) {
        Some(code) => {
            let problem = format!("it has class {code} where there are {classes}, counted from 0");
            Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into())
        }
        None => Ok(()),
    }
}

/// The state of a search.
struct Search<'a> {
    gram: MatRef<'a, f64>,
    codes: &'a [u32],
    classes: usize,
    c: f64,
    /// Coefficients b, (classes, n): those of a row are contiguous.
    b: Mat<f64>,
    /// Scores z, (classes, n), kept up to date.
    z: Mat<f64>,
    passes: u64,
    stream: Stream,
    room: simplex::Room,
}

/// What a solution is worth.
#[derive(Debug, Clone, Copy)]
struct Certificate {
    primal: f64,
    gap: f64,
}

impl<'a> Search<'a> {
    fn new(gram: MatRef<'a, f64>, codes: &'a [u32], classes: usize, c: f64, options: &Options) -> Search<'a> {
        let n = codes.len();
        let zeros = || Mat::zeros(classes, n);
        let stream = Stream::new(options.seed, Purpose::Learner, 0);
        let room = simplex::Room::new(classes);
        Search { gram, codes, classes, c, b: zeros(), z: zeros(), passes: 0, stream, room }
    }

    /// Starts from coefficients of a smaller C, which are feasible for a larger one; others are cut to size.
    fn start(&mut self, warm: MatRef<'_, f64>) {
        for i in 0..self.codes.len() {
            let own = self.codes[i] as usize;
            let against = |r: usize| if r == own { 0.0 } else { (-warm[(i, r)]).max(0.0) };
            let sum: f64 = (0..self.classes).map(against).sum();
            let factor = if sum > self.c { self.c / sum } else { 1.0 };
            let mut total = 0.0;
            for r in (0..self.classes).filter(|&r| r != own) {
                self.b[(r, i)] = -factor * against(r);
                total += factor * against(r);
            }
            self.b[(own, i)] = total;
        }
    }

    /// Sums the scores afresh and measures primal objective and gap.
    fn certify(&mut self) -> Certificate {
        faer::linalg::matmul::matmul(self.z.as_mut(), faer::Accum::Replace, &self.b, self.gram, 1.0, Par::Seq);
        let (mut square, mut loss, mut gap) = (0.0, 0.0, 0.0);
        for (i, &code) in self.codes.iter().enumerate() {
            let (b, z, own) = (self.b.col_as_slice(i), self.z.col_as_slice(i), code as usize);
            square += b.iter().zip(z).map(|(b, z)| b * z).sum::<f64>();
            let raised = |r: usize| z[r] + f64::from(u8::from(r != own));
            let most = (0..self.classes).map(raised).fold(f64::NEG_INFINITY, f64::max);
            loss += most - z[own];
            for r in 0..self.classes {
                let a = if r == own { self.c - b[r] } else { -b[r] };
                gap += a.max(0.0) * (most - raised(r));
            }
        }
        Certificate { primal: 0.5 * square.max(0.0) + self.c * loss, gap }
    }

    fn run(&mut self, options: &Options, monitor: &dyn Monitor) -> Result<Solved> {
        let mut now = self.certify();
        let (mut best, mut best_b) = (now, self.b.clone());
        let (mut stalled, mut halved, mut tried) = (0, f64::INFINITY, false);
        let stop = loop {
            if !(now.primal.is_finite() && now.gap.is_finite()) {
                let problem = format!("objective {:e}, gap {:e}", now.primal, now.gap);
                return Err(ErrorKind::Numerical { what: "multi-class hinge loss over a Gram matrix", problem }.into());
            }
            if now.gap <= best.gap {
                best = now;
                best_b.clone_from(&self.b);
            }
            if best.gap <= options.tol * best.primal {
                break Stop::Tolerance;
            }
            if self.passes >= options.max_passes {
                break Stop::IterationLimit;
            }
            if monitor.should_stop() {
                break Stop::Interrupted;
            }
            if best.gap < 0.5 * halved {
                (halved, stalled) = (best.gap, 0);
            } else {
                stalled += 1;
            }
            if stalled >= PATIENCE && !tried && self.codes.len() <= INTERIOR {
                tried = true;
                let problem =
                    interior::Problem { gram: self.gram, codes: self.codes, classes: self.classes, c: self.c };
                let (found, iterations) = problem.solve(0.1 * options.tol, monitor)?;
                self.passes += iterations;
                self.b = found;
                now = self.certify();
                continue;
            }
            self.ascend(options.max_passes, 0.1 * options.tol * now.primal);
            now = self.certify();
        };
        let support = (0..self.codes.len()).filter(|&i| best_b.col_as_slice(i).iter().any(|v| *v != 0.0)).count();
        let coefficients = best_b.transpose().to_owned();
        let Certificate { primal, gap } = best;
        Ok(Solved { coefficients, objective: primal, gap, passes: self.passes, support, stop })
    }

    /// Some passes over the rows in random orders; rows that did not move in a pass rest until the next certificate.
    fn ascend(&mut self, most: u64, enough: f64) {
        let mut active: Vec<u32> = (0..self.codes.len() as u32).collect();
        for _ in 0..PASSES.min(most - self.passes) {
            self.passes += 1;
            shuffle(&mut self.stream, &mut active);
            let mut gained = 0.0;
            active.retain(|&i| {
                let gain = self.step(i as usize);
                gained += gain;
                gain > 0.0
            });
            if active.is_empty() || gained < enough / self.codes.len() as f64 {
                break;
            }
        }
    }

    /// Solves for the coefficients of one row, all others fixed; what the dual objective gains, at least.
    fn step(&mut self, i: usize) -> f64 {
        let own = self.codes[i] as usize;
        let k = self.gram[(i, i)];
        let (b, z) = (self.b.col_as_slice(i), self.z.col_as_slice(i));
        let (change, size) = self.room.solve(k, self.c, own, b, z);
        // Changes that rounding makes are none.
        if size <= 1e-14 * self.c {
            return 0.0;
        }
        for (b, change) in self.b.col_as_slice_mut(i).iter_mut().zip(change) {
            *b += change;
        }
        for (j, &k) in self.gram.col(i).iter().enumerate() {
            self.z.col_as_slice_mut(j).iter_mut().zip(change).for_each(|(z, change)| *z += k * change);
        }
        0.5 * k.max(f64::MIN_POSITIVE) * size * size
    }
}

#[cfg(test)]
mod tests;
