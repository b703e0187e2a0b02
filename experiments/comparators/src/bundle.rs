//! Minimises a quadratic plus hinge losses of concave margins by cutting planes, to a certified
//! gap.
//!
//! **Problem**: minimise F(w) = (1/2) |w|^2 + C R(w), R(w) = min over b of sum_i t_i [1 - y_i b -
//! g_i(w)]_+, where each g_i is concave with g_i(a w) = a g_i(w) for a >= 0: the margin of a row,
//! or its least margin under attack. Without a bias, b = 0. The row weights t_i are 1 by default.
//!
//! **Cuts**: shares p_i in [0, t_i] of the rows with sum_i y_i p_i = 0 and slopes s_i of g_i give
//! the lower bound sum_i p_i (1 - <s_i, w>) on R(w) for all w. It is tight at w if p_i = t_i for
//! losses above 0 and p_i = 0 for those below. The bias is eliminated: the best one for each w is
//! computed exactly.
//!
//! **Guarantee**: the gap is the best objective minus the largest dual objective of cuts, C sum_k
//! a_k c_k - (1/2) |C sum_k a_k s_k|^2 over weights a_k of the cuts that sum to 1 (Teo et al., JMLR
//! 11, 2010: O(1 / (lambda epsilon)) cuts).
//!
//! **Method**: with few cuts, the minimiser of (1/2) |w|^2 + C max over cuts lies too far out. The
//! next cut is therefore made between it and the best point so far (Franc and Sonnenburg, JMLR 10,
//! 2009), at a fraction of the way that grows when the objective falls and shrinks otherwise. Cuts
//! are valid for every C, so a path over C keeps them.

mod shares;
mod simplex;

use crate::biased::Until;
use halfseen_solve::{Error, Monitor, Result, SolverStop, add_multiple, dot, square};
use rayon::prelude::*;
use shares::{Shares, share};
use simplex::Face;

/// Rows of a problem.
pub trait Margins: Sync {
    /// Workspace for evaluating rows.
    type Room;

    /// Returns the length of w.
    fn width(&self) -> usize;

    /// Returns y_i, -1 or +1 each, (m).
    fn signs(&self) -> &[f64];

    /// Returns t_i, above 0.
    fn weight(&self, row: usize) -> f64;

    /// Returns a workspace for one thread.
    fn room(&self) -> Self::Room;

    /// Returns g_i(w) of row i.
    fn margin(&self, row: usize, weights: &[f64], room: &mut Self::Room) -> f64;

    /// Adds share times the slope of g_i at w to `slope`.
    fn add_slope(
        &self,
        row: usize,
        share: f64,
        weights: &[f64],
        room: &mut Self::Room,
        slope: &mut [f64],
    );
}

/// Number of rows per task, and of sums; fixed, so that results do not depend on the number of
/// threads.
const ROWS: usize = 256;
const SUMS: usize = 16;

/// Minimiser with its certified gap.
#[derive(Debug, Clone)]
pub struct Minimum {
    /// The weights.
    pub weights: Vec<f64>,
    /// The bias.
    pub bias: f64,
    /// F(w).
    pub objective: f64,
    /// F(w) minus the best dual objective.
    pub gap: f64,
    /// Cuts made for this C.
    pub cuts: u64,
    /// [`SolverStop::Tolerance`], [`SolverStop::IterationLimit`] or [`SolverStop::Interrupted`].
    pub stop: SolverStop,
}

/// Lower bound R(w) >= constant - <slope, w>.
#[derive(Debug)]
struct Cut {
    slope: Vec<f64>,
    constant: f64,
    /// Number of consecutive masters that did not use it.
    idle: u32,
}

/// Number of cuts above which those unused for `IDLE` masters are dropped.
const MANY: usize = 400;
const IDLE: u32 = 60;
/// Numbers for which a list that is full takes memory.
const FEW: usize = 32;

/// Least fraction of the way at which the next cut is made, and the factors that change it.
const SHORTEST: f64 = 0.02;
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.8;

/// Precision of the master relative to the gap, and its largest number of moves.
const PART: f64 = 0.01;
const MOVES: usize = 2_000;

/// Returns the bytes of so many cuts of this width: slopes, their products, and the factor of those
/// in use, which are affinely independent, and seldom more than `MANY`.
#[must_use]
pub fn bytes(cuts: f64, width: f64) -> f64 {
    let used = (width + 2.0).min(MANY as f64);
    8.0 * (cuts * (width + cuts) + 0.5 * used * used)
}

/// Cuts of a problem, with the best point for the last C.
pub struct Bundle<'a, M> {
    rows: &'a M,
    intercept: bool,
    /// The first cut is R >= 0: slope 0, constant 0.
    cuts: Vec<Cut>,
    /// Products of slopes.
    gram: Vec<Vec<f64>>,
    /// a_k.
    mixture: Vec<f64>,
    /// Face of the simplex that the mixture is in.
    face: Face,
    best: Point,
    /// Fraction of the way.
    way: f64,
}

/// Point with its R.
#[derive(Debug, Clone)]
struct Point {
    weights: Vec<f64>,
    bias: f64,
    risk: f64,
}

impl Point {
    fn objective(&self, c: f64) -> f64 {
        0.5 * square(&self.weights) + c * self.risk
    }
}

impl<'a, M: Margins> Bundle<'a, M> {
    /// Creates a bundle with the cut at w = 0.
    ///
    /// # Errors
    /// [`Error::Numerical`] if sums of rows are out of the range of numbers.
    pub fn new(rows: &'a M, intercept: bool) -> Result<Bundle<'a, M>> {
        let origin = vec![0.0; rows.width()];
        let nothing = Cut { slope: origin.clone(), constant: 0.0, idle: 0 };
        let best = Point { weights: origin.clone(), bias: 0.0, risk: f64::INFINITY };
        let (gram, mixture) = (vec![vec![0.0]], vec![1.0]);
        let (cuts, face) = (vec![nothing], Face::default());
        let mut bundle = Bundle { rows, intercept, cuts, gram, mixture, face, best, way: 1.0 };
        bundle.best = bundle.cut(origin)?;
        Ok(bundle)
    }

    /// Minimises F for this C, reusing the cuts of others.
    ///
    /// # Errors
    /// As [`Bundle::new`].
    pub fn minimise(&mut self, c: f64, until: Until, monitor: &dyn Monitor) -> Result<Minimum> {
        let (mut least, mut bound, mut made) = (self.best.objective(c), 0.0_f64, 0);
        self.way = 1.0;
        let mut stop = SolverStop::IterationLimit;
        loop {
            if monitor.should_stop() {
                stop = SolverStop::Interrupted;
                break;
            }
            let (towards, dual) = self.master(c, PART * (least - bound).max(1e-15 * least));
            bound = bound.max(dual);
            if !(least.is_finite() && bound.is_finite()) {
                return Err(out_of_range());
            }
            if least - bound <= until.tol * least {
                stop = SolverStop::Tolerance;
                break;
            }
            if made == until.max_iter {
                break;
            }
            monitor.progress(made, until.max_iter);
            let from = &self.best.weights;
            let next = from.iter().zip(&towards).map(|(w, v)| w + self.way * (v - w)).collect();
            let point = self.cut(next)?;
            made += 1;
            let objective = point.objective(c);
            if objective < least {
                (self.best, least) = (point, objective);
                self.way = (self.way * LONGER).min(1.0);
            } else {
                self.way = (self.way * SHORTER).max(SHORTEST);
            }
            self.thin();
        }
        let Point { weights, bias, .. } = self.best.clone();
        Ok(Minimum {
            weights,
            bias,
            objective: least,
            gap: (least - bound).max(0.0),
            cuts: made,
            stop,
        })
    }

    /// Adds the cut that is tight at these weights.
    fn cut(&mut self, weights: Vec<f64>) -> Result<Point> {
        let signs = self.rows.signs();
        let margins = self.margins(&weights);
        let Shares { bias, risk, shares } =
            share(&margins, signs, |row| self.rows.weight(row), self.intercept);
        let slope = self.slope(&weights, &shares);
        let products: Vec<f64> = self.cuts.iter().map(|cut| dot(&cut.slope, &slope)).collect();
        let own = square(&slope);
        if !(risk.is_finite() && own.is_finite() && products.iter().all(|p| p.is_finite())) {
            return Err(out_of_range());
        }
        self.gram.iter_mut().zip(&products).for_each(|(row, product)| push(row, *product));
        self.gram.push([products, vec![own]].concat());
        self.cuts.push(Cut { slope, constant: shares.iter().sum(), idle: 0 });
        self.mixture.push(0.0);
        Ok(Point { weights, bias, risk })
    }

    /// Returns g_i(w), (m).
    fn margins(&self, weights: &[f64]) -> Vec<f64> {
        let mut margins = vec![0.0; self.rows.signs().len()];
        margins.par_chunks_mut(ROWS).enumerate().for_each(|(chunk, margins)| {
            let mut room = self.rows.room();
            for (at, margin) in margins.iter_mut().enumerate() {
                *margin = self.rows.margin(chunk * ROWS + at, weights, &mut room);
            }
        });
        margins
    }

    /// Returns sum_i p_i times the slope of g_i at w.
    fn slope(&self, weights: &[f64], shares: &[f64]) -> Vec<f64> {
        let rows = shares.len().div_ceil(SUMS).max(1);
        let sum = |(part, shares): (usize, &[f64])| {
            let (mut sum, mut room) = (vec![0.0; weights.len()], self.rows.room());
            for (at, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                self.rows.add_slope(part * rows + at, share, weights, &mut room, &mut sum);
            }
            sum
        };
        let sums: Vec<Vec<f64>> = shares.par_chunks(rows).enumerate().map(sum).collect();
        let mut slope = vec![0.0; weights.len()];
        sums.iter().for_each(|sum| add_multiple(&mut slope, 1.0, sum));
        slope
    }

    /// Returns the approximate minimiser of (1/2) |w|^2 + C max over cuts, and its dual objective.
    fn master(&mut self, c: f64, tolerance: f64) -> (Vec<f64>, f64) {
        let linear: Vec<f64> = self.cuts.iter().map(|cut| c * cut.constant).collect();
        self.face.maximise(&self.gram, c * c, &linear, &mut self.mixture, tolerance, MOVES);
        let mut weights = vec![0.0; self.best.weights.len()];
        let mut dual = 0.0;
        for ((cut, &part), linear) in self.cuts.iter_mut().zip(&self.mixture).zip(&linear) {
            cut.idle = if part > 0.0 { 0 } else { cut.idle + 1 };
            if part > 0.0 {
                add_multiple(&mut weights, c * part, &cut.slope);
                dual += part * linear;
            }
        }
        dual -= 0.5 * square(&weights);
        (weights, dual)
    }

    /// Drops cuts that have long been unused, if there are many cuts.
    fn thin(&mut self) {
        if self.cuts.len() <= MANY {
            return;
        }
        let keep: Vec<bool> =
            self.cuts.iter().enumerate().map(|(k, cut)| k == 0 || cut.idle < IDLE).collect();
        // Not worthwhile for a few.
        if keep.iter().filter(|kept| !**kept).count() < MANY / 10 {
            return;
        }
        self.face = Face::default();
        retain(&mut self.cuts, &keep);
        retain(&mut self.mixture, &keep);
        retain(&mut self.gram, &keep);
        self.gram.iter_mut().for_each(|row| retain(row, &keep));
    }
}

/// Adds a number, with memory for few more: lists that double would take half as much again.
fn push(row: &mut Vec<f64>, product: f64) {
    if row.len() == row.capacity() {
        row.reserve_exact(FEW);
    }
    row.push(product);
}

fn retain<T>(items: &mut Vec<T>, keep: &[bool]) {
    let mut kept = keep.iter();
    items.retain(|_| kept.next().copied().unwrap_or(true));
}

fn out_of_range() -> Error {
    let problem = "sums of rows are out of range; scale the attributes, or lower c".to_owned();
    Error::Numerical { what: "cutting planes", problem }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::Silent;

    /// Two rows of one attribute, which tells them apart.
    struct Two(f64);

    impl Margins for Two {
        type Room = ();

        fn width(&self) -> usize {
            1
        }

        fn signs(&self) -> &[f64] {
            &[-1.0, 1.0]
        }

        fn weight(&self, _: usize) -> f64 {
            1.0
        }

        fn room(&self) {}

        fn margin(&self, _: usize, weights: &[f64], (): &mut ()) -> f64 {
            self.0 * weights[0]
        }

        fn add_slope(&self, _: usize, share: f64, _: &[f64], (): &mut (), slope: &mut [f64]) {
            slope[0] += share * self.0;
        }
    }

    #[test]
    fn what_cannot_be_squared_is_refused_and_two_rows_are_told_apart() {
        let until = Until { tol: 1e-9, max_iter: 100 };
        let minimum = Bundle::new(&Two(1.0), true).unwrap().minimise(1.0, until, &Silent).unwrap();
        assert!((minimum.weights[0] - 1.0).abs() < 1e-4 && (minimum.objective - 0.5).abs() < 1e-8);
        let refused = Bundle::new(&Two(1e200), true).err().unwrap().to_string();
        assert!(refused.contains("out of range"), "{refused}");
    }
}
