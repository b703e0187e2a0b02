//! Minimises the mean robust hinge loss over a box of weights, exactly: the robust linear program of paper E.
//!
//! **Setting** (paper E, section 2): an adversary may take attributes of total value N from every row at prediction time.
//! Minimises (1/m) sum_i [max_J gamma V(J)/P - y_i (b + sum_J w_j x_ij)]_+ over |w|_inf <= C and b, the maximum over what
//! deletions of value at most N leave; with `deletions = fractional` parts of attributes may be deleted too, the linear
//! program (4), which is the same where all values are equal (theorem 1) and an upper bound otherwise.
//!
//! **Guarantee**: the report's gap bounds objective minus optimum by linear programming duality. Theorem 2 bounds the
//! error under attack on new rows.
//!
//! **Symbols**: N the threat, v the values, V(J) the value of a set, P = V - N what is left, gamma the margin, C the box.
//!
//! **Chunks**: the paper solved the program for chunks of the rows and averaged their weights. With `chunk` that is done
//! here as well; as the mean of the chunks' optima is no more than the optimum over all rows, the gap is certified too, and
//! says what the chunks may have cost.

use super::frame::Frame;
use super::lp::{self, Program};
use super::margin::margin_of;
use super::threat::Costs;
use super::{RobustHinge, Rows};
use crate::data::{Examples, Signs};
use crate::error::{ErrorKind, Result};
use crate::learner::{Family, Grid, Learner, two_classes};
use crate::model::{Fit, Note, Stop};
use crate::monitor::Monitor;
use crate::params::{Damage, Deletions, Parameters, Worth, parameters};
use crate::sampling::{Purpose, Stream, shuffle};
use rayon::prelude::*;

parameters! {
    /// The robust linear program.
    pub struct RobustLp named "robust-lp" {
        threat: Option<f64> = None, THREAT;
        values: Worth = Worth::Uniform, VALUES;
        margin: Option<f64> = None, MARGIN;
        box_radius: f64 = 1.0, BOX_RADIUS;
        deletions: Deletions = Deletions::Fractional, DELETIONS;
        damage: Damage = Damage::Deletion, DAMAGE;
        confidence: f64 = 0.05, NOISE_CONFIDENCE;
        chunk: Option<u64> = None, CHUNK;
        quantile: f64 = 0.5, QUANTILE;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-6, TOL;
        max_iter: u64 = 300, MAX_ITER;
        memory: f64 = 8.0, MEMORY;
        seed: u64 = 0, SEED;
    }
}

impl Learner for RobustLp {
    fn name(&self) -> &'static str {
        "robust-lp"
    }

    fn title(&self) -> &'static str {
        "Robust linear program: the least mean loss under the worst deletions"
    }

    fn source(&self) -> &'static str {
        "E, equations (3) and (4)"
    }

    fn family(&self) -> Family {
        Family::Robust
    }

    /// Only the ratio of margin and box matters: the margin stays, a share of what the threat leaves.
    fn grid(&self) -> Grid {
        Grid::new(&[("box_radius", &["0.3", "1", "3", "10"])])
    }

    fn check_classes(&self, classes: usize) -> Result<()> {
        two_classes(self.name(), classes)
    }

    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        self.check()?;
        self.classify(examples, monitor)
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// What a program gave, in the order of slots.
struct Found {
    weights: Vec<f64>,
    bias: f64,
    /// No weights have a lower mean loss.
    bound: f64,
    passes: u64,
    stop: Stop,
}

impl RobustLp {
    /// Two classes.
    fn classify(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let signs = Signs::of(examples, self.name())?;
        let mut frame = Frame::new(examples, self.name(), &self.values, self.threat)?;
        let threat = frame.threat.clone();
        let (margin, note) =
            margin_of(self.margin, &threat, &frame.rows, self.box_radius, self.damage, self.confidence);
        frame.notes.extend(note);
        let hinge = RobustHinge { threat: &threat, margin };
        let program = Program {
            rows: &frame.rows,
            signs: &signs.signs,
            hinge,
            radius: self.box_radius,
            bias: self.intercept,
            tol: self.tol,
            max_iter: self.max_iter,
        };
        let all: Vec<usize> = (0..frame.rows.len()).collect();
        let mut found = match self.chunk {
            Some(chunk) if (chunk as usize) < all.len() => self.average(&program, &all, chunk as usize, monitor)?,
            _ => self.optimum(&program, &all, monitor)?,
        };
        let mut objective = hinge.mean(&frame.rows, &signs.signs, &found.weights, found.bias);
        let nothing = constant(&program, &all);
        if self.chunk.is_none() && nothing.loss - found.bound <= self.tol * nothing.loss {
            let threat = threat.effective();
            (found.weights, found.bias, objective) = (vec![0.0; frame.rows.width()], nothing.bias, nothing.loss);
            if !nothing.one_class {
                frame.notes.push(Note::ThreatBeatsSignal { threat, from: None });
            }
        }
        let mut fit = frame.classifier(&signs, &found.weights, found.bias, found.stop)?;
        fit.report.objective = Some(objective);
        fit.report.gap = Some((objective - found.bound).max(0.0));
        fit.report.passes = Some(found.passes);
        Ok(fit)
    }

    /// The optimum over some rows: which solver is exact depends on what the adversary may do.
    fn optimum(&self, program: &Program<'_>, keep: &[usize], monitor: &dyn Monitor) -> Result<Found> {
        let threat = program.hinge.threat;
        let equal = matches!(threat.costs(), Costs::Equal { .. });
        let nothing = constant(program, keep);
        if nothing.one_class {
            let weights = vec![0.0; program.rows.width()];
            return Ok(Found { weights, bias: nothing.bias, bound: nothing.loss, passes: 0, stop: Stop::Tolerance });
        }
        match self.deletions {
            _ if threat.effective() == 0.0 => {
                Err(ErrorKind::Needs { name: "threat", value: "0", what: "a threat above 0" }.into())
            }
            Deletions::Whole if !equal => {
                Err(ErrorKind::Needs { name: "deletions", value: "whole", what: "equal values" }.into())
            }
            _ => self.interior(program, keep, monitor),
        }
    }

    /// The program (4) by the interior point.
    fn interior(&self, program: &Program<'_>, keep: &[usize], monitor: &dyn Monitor) -> Result<Found> {
        self.check_memory(program.rows, keep)?;
        let lp::Solved { weights, bias, bound, iterations, stop } = lp::solve(program, keep, monitor);
        Ok(Found { weights, bias, bound, passes: iterations, stop })
    }

    /// The mean of the optima over random chunks of at most `chunk` rows each.
    fn average(&self, program: &Program<'_>, all: &[usize], chunk: usize, monitor: &dyn Monitor) -> Result<Found> {
        let mut order = all.to_vec();
        shuffle(&mut Stream::new(self.seed, Purpose::Order, 0), &mut order);
        let size = all.len().div_ceil(all.len().div_ceil(chunk));
        let chunks: Vec<&[usize]> = order.chunks(size).collect();
        let found: Vec<Result<Found>> = chunks.par_iter().map(|keep| self.optimum(program, keep, monitor)).collect();
        let mut mean =
            Found { weights: vec![0.0; program.rows.width()], bias: 0.0, bound: 0.0, passes: 0, stop: Stop::OnePass };
        let share = 1.0 / chunks.len() as f64;
        for (found, keep) in found.into_iter().zip(&chunks) {
            let found = found?;
            mean.weights.iter_mut().zip(&found.weights).for_each(|(sum, w)| *sum += share * w);
            mean.bias += share * found.bias;
            mean.bound += found.bound * keep.len() as f64 / all.len() as f64;
            mean.passes += found.passes;
            if !found.stop.converged() {
                mean.stop = found.stop;
            }
        }
        Ok(mean)
    }

    /// Refuses to take more memory than is allowed, before it is taken.
    fn check_memory(&self, rows: &Rows, keep: &[usize]) -> Result<()> {
        let entries: usize = keep.iter().map(|&i| rows.range(i).len()).sum();
        let needed = lp::bytes(rows, keep.len(), entries) / f64::from(1_u32 << 30);
        if needed <= self.memory {
            return Ok(());
        }
        let remedy = "chunk=2000, or another number of rows of which each chunk fits";
        let (learner, rows, allowed) = (self.name().to_owned(), keep.len(), self.memory);
        Err(ErrorKind::TooMuchMemory { learner, rows, needed, allowed, remedy }.into())
    }
}

/// The best that weights of 0 can do.
struct Constant {
    bias: f64,
    loss: f64,
    /// Whether a bias alone is right everywhere.
    one_class: bool,
}

/// Without weights the loss of a row is [G - y b]_+, G = gamma V / P.
fn constant(program: &Program<'_>, keep: &[usize]) -> Constant {
    let asked = program.hinge.rate() * program.hinge.threat.total();
    if !program.bias {
        return Constant { bias: 0.0, loss: asked, one_class: false };
    }
    let positive = keep.iter().filter(|&&i| program.signs[i] > 0.0).count();
    let rarer = positive.min(keep.len() - positive);
    let bias = match (2 * positive).cmp(&keep.len()) {
        std::cmp::Ordering::Greater => asked,
        std::cmp::Ordering::Equal => 0.0,
        std::cmp::Ordering::Less => -asked,
    };
    Constant { bias, loss: 2.0 * asked * rarer as f64 / keep.len() as f64, one_class: rarer == 0 }
}
