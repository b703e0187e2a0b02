//! Runs the online algorithm over rows whose Gram matrix is known, in a given order.

use super::{Iterate, OnlineLoss, Outcome, check_rho};
use crate::error::{ErrorKind, Result};
use faer::{Mat, MatRef};
use halfseen_solve::Monitor;
use halfseen_solve::Stop;
use halfseen_solve::dot;

/// The targets of n rows.
#[derive(Debug, Clone, Copy)]
pub enum Targets<'a> {
    /// One number per row and output, (outputs, n): one matrix column per row.
    Numbers(MatRef<'a, f64>),
    /// The class of each row, (n), and how many classes there are.
    Classes(&'a [u32], usize),
}

impl<'a> Targets<'a> {
    fn outputs(&self) -> usize {
        match self {
            Targets::Numbers(numbers) => numbers.nrows(),
            Targets::Classes(_, classes) => *classes,
        }
    }

    fn len(&self) -> usize {
        match self {
            Targets::Numbers(numbers) => numbers.ncols(),
            Targets::Classes(codes, _) => codes.len(),
        }
    }

    /// Copies the numbers of a row to `room`, so that they are a slice whatever the matrix's
    /// strides.
    fn read<'b>(&self, row: usize, room: &'b mut [f64]) -> Outcome<'b> {
        match self {
            Targets::Numbers(numbers) => {
                room.iter_mut().enumerate().for_each(|(j, y)| *y = numbers[(j, row)]);
                Outcome::Numbers(room)
            }
            Targets::Classes(codes, _) => Outcome::Class(codes[row] as usize),
        }
    }
}

/// What a pass has learned.
#[derive(Debug, Clone)]
pub struct Pass {
    /// The coefficients of the last vector, (n, outputs): score_j(x) = sum_i c_ij k(x_i, x).
    pub last: Mat<f64>,
    /// The coefficients of the average of the vectors that scored the steps, (n, outputs).
    pub averaged: Mat<f64>,
    /// Steps taken.
    pub steps: u64,
    /// The sum of the losses suffered.
    pub suffered: f64,
    /// Whether the pass was finished.
    pub stop: Stop,
}

impl Pass {
    /// Either set of coefficients.
    pub fn coefficients(&self, by: Iterate) -> &Mat<f64> {
        match by {
            Iterate::Last => &self.last,
            Iterate::Averaged => &self.averaged,
        }
    }
}

/// Steps between two looks at the monitor.
const LOOK: usize = 256;

/// Takes the rows of a Gram matrix (n, n) in an order of any length; a row may come more than once,
/// and its coefficients are then merged. A step costs one dot product of n numbers per output.
///
/// # Errors
/// A `rho` that is not positive; lengths that do not fit; an order or a class that names what is
/// not there; targets that the loss does not have; [`ErrorKind::Diverged`], see
/// [`OnlineKarma::learn`](super::OnlineKarma::learn).
pub fn run(
    gram: MatRef<'_, f64>,
    order: &[u32],
    targets: Targets<'_>,
    rho: f64,
    loss: OnlineLoss,
    monitor: &dyn Monitor,
) -> Result<Pass> {
    let (n, outputs) = (targets.len(), targets.outputs());
    check_rho(rho)?;
    loss.check_outputs(outputs)?;
    for (what, found) in
        [("the Gram matrix's rows", gram.nrows()), ("the Gram matrix's columns", gram.ncols())]
    {
        if found != n {
            return Err(ErrorKind::WrongLength { what: what.into(), expected: n, found }.into());
        }
    }
    if let Some(&row) = order.iter().find(|&&row| row as usize >= n) {
        let allowed = format!("indices below the number of rows, {n}");
        return Err(ErrorKind::OutOfRange { name: "order", value: row.to_string(), allowed }.into());
    }
    // Sums over the steps of each row: of g, and of g H_(i-1).
    let (mut sums, mut before) = (Mat::<f64>::zeros(n, outputs), Mat::<f64>::zeros(n, outputs));
    let (mut scores, mut slopes, mut room) =
        (vec![0.0; outputs], vec![0.0; outputs], vec![0.0; outputs]);
    let mut column = vec![0.0; n];
    let (mut steps, mut harmonic, mut largest, mut suffered) = (0_u64, 0.0, 0.0_f64, 0.0);
    let mut stop = Stop::OnePass;
    for (step, &row) in order.iter().enumerate() {
        if step % LOOK == LOOK - 1 {
            monitor.progress(step as u64, order.len() as u64);
            if monitor.should_stop() {
                stop = Stop::Interrupted;
                break;
            }
        }
        let row = row as usize;
        column.iter_mut().enumerate().for_each(|(i, k)| *k = gram[(i, row)]);
        let scale = if steps > 0 { -1.0 / (rho * steps as f64) } else { 0.0 };
        for (j, z) in scores.iter_mut().enumerate() {
            *z = scale * dot(&column, sums.col_as_slice(j));
        }
        let target = targets.read(row, &mut room);
        largest = largest.max(loss.check(target, outputs)?);
        loss.check_scores(&scores, largest)?;
        suffered += loss.derive(&scores, target, &mut slopes);
        if steps > 0 {
            harmonic += 1.0 / steps as f64;
        }
        steps += 1;
        for (j, g) in slopes.iter().enumerate() {
            sums[(row, j)] += g;
            before[(row, j)] += g * harmonic;
        }
    }
    let scale = if steps > 0 { -1.0 / (rho * steps as f64) } else { 0.0 };
    let last = Mat::from_fn(n, outputs, |i, j| scale * sums[(i, j)]);
    let averaged =
        Mat::from_fn(n, outputs, |i, j| scale * (harmonic * sums[(i, j)] - before[(i, j)]));
    Ok(Pass { last, averaged, steps, suffered, stop })
}
