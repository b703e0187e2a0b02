//! Separates incomplete rows by the margin in the space of what each row shows (geom).
//!
//! **Setting**: rows with missing values, two classes, the geometric margin of Chechik, Heitz,
//! Elidan, Abbeel and Koller ("Max-margin classification of data with absent features", JMLR 9,
//! 2008; a competitor in Hazan et al. 2015, section 5). The distance of a row to the plane is
//! measured along its observed attributes only, y_i (<w, x_i> + b) / |w o b_i|. To maximise the
//! least distance, with slack, the method minimises
//!
//!   J(w, b) = (1/2) |w|^2 + C sum_i [1 - y_i (<w, x_i> + b) / s_i]_+,   s_i = |w o b_i| / |w|,
//!
//! which is not convex because of s. The norm does not contain the bias b.
//!
//! **Method**: s = 1 at first. A round minimises J for the s of the round before to a certified
//! gap, then updates s. The plane with the least J at its own s is kept. With s fixed, J is the
//! hinge loss with margins s_i and costs C / s_i, because [1 - z / s]_+ = [s - z]_+ / s.
//!
//! **Guarantee**: the problem of each round is solved to the tolerance. Of J itself it is only
//! known that no round had a lower one. Without missing values s stays 1 and the first round is the
//! optimal support vector machine.
//!
//! **Symbols**: x_i the zero-filled row, b_i its mask (o the product by coordinates), y_i = -1 or
//! +1. s_i is at least 1e-3, since rows that show hardly any of w would outweigh all others. Rows
//! without observed values have no margin and are left out (unless all are such); their score is b.

mod learner;
mod space;

pub use learner::GeometricMargin;

use crate::biased::{Examples, Until};
use halfseen::kernel::Masked;
use halfseen::model::Stop;
use halfseen::{ErrorKind, Monitor, Result};
use rayon::prelude::*;
use space::Space;
use std::time::Instant;

/// Rounds that move no share by more than this end the iteration.
const SETTLED: f64 = 1e-9;

/// Weight of the losses and stopping rules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setup {
    /// Weight C of the losses.
    pub c: f64,
    /// Maximal number of rounds.
    pub rounds: u64,
    /// Stopping rule of a round's problem.
    pub until: Until,
}

/// Results of one round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Round {
    /// Objective of the weighted problem, with the shares at the start of the round.
    pub objective: f64,
    /// Certified bound on the distance of the objective from its optimum.
    pub gap: f64,
    /// J at the round's plane with its own shares.
    pub geometric: f64,
    /// Largest change of a share.
    pub moved: f64,
    /// Number of Newton steps.
    pub steps: u64,
}

/// Plane that was kept: score = <w, x> + b on zero-filled rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Plane {
    /// w, (n_columns).
    pub weights: Vec<f64>,
    /// b.
    pub bias: f64,
    /// All rounds.
    pub rounds: Vec<Round>,
    /// Index of the kept round, from 0.
    pub kept: usize,
    /// Number of rows without observed values, which were left out.
    pub empty: usize,
    /// [`Stop::Stationary`] if the shares no longer changed, [`Stop::Tolerance`] if all rounds were
    /// done, each to the tolerance; otherwise the reason why not.
    pub stop: Stop,
    /// Seconds, without the work that all setups share.
    pub seconds: f64,
}

/// Computes the planes of several setups over the same rows (without a constant) with signs -1 or
/// +1, (n).
///
/// # Errors
/// No row; a number of signs other than the number of rows, or a sign other than -1 and +1; a `c`
/// or tolerance that is not positive and finite; [`ErrorKind::Numerical`] on overflow.
pub fn separate(
    rows: &Masked,
    signs: &[f64],
    setups: &[Setup],
    monitor: &dyn Monitor,
) -> Result<Vec<Plane>> {
    separate_weighted(rows, signs, &vec![1.0; signs.len()], setups, monitor)
}

/// Computes the same, with the loss of row i weighted by C `weights[i]`; weights are above 0.
///
/// # Errors
/// As [`separate`]; a number of weights other than the number of rows; a cost that is not positive
/// and finite.
pub fn separate_weighted(
    rows: &Masked,
    signs: &[f64],
    weights: &[f64],
    setups: &[Setup],
    monitor: &dyn Monitor,
) -> Result<Vec<Plane>> {
    if weights.len() != rows.len() {
        let what = "the weights, one for each row".to_owned();
        return Err(
            ErrorKind::WrongLength { what, expected: rows.len(), found: weights.len() }.into()
        );
    }
    if signs.len() != rows.len() {
        let what = "the signs, one for each row".to_owned();
        return Err(
            ErrorKind::WrongLength { what, expected: rows.len(), found: signs.len() }.into()
        );
    }
    let full: Vec<usize> = (0..rows.len()).filter(|&i| rows.shown(i) > 0).collect();
    let empty = rows.len() - full.len();
    let some = empty > 0 && !full.is_empty();
    let (chosen, chosen_signs, chosen_weights);
    let (rows, signs, weights) = if some {
        chosen = rows.select(&full);
        chosen_signs = full.iter().map(|&i| signs[i]).collect::<Vec<f64>>();
        chosen_weights = full.iter().map(|&i| weights[i]).collect::<Vec<f64>>();
        (&chosen, chosen_signs.as_slice(), chosen_weights.as_slice())
    } else {
        (rows, signs, weights)
    };
    let space = Space::new(rows, monitor)?;
    let examples = Examples::new(space.features(), signs)?;
    setups
        .par_iter()
        .map(|setup| iterate(&space, (signs, weights), &examples, setup, monitor))
        .collect::<Result<Vec<_>>>()
        .map(|mut planes| {
            planes.iter_mut().for_each(|plane| plane.empty = empty);
            planes
        })
}

fn iterate(
    space: &Space<'_>,
    (signs, each): (&[f64], &[f64]),
    examples: &Examples<'_>,
    setup: &Setup,
    monitor: &dyn Monitor,
) -> Result<Plane> {
    let start = Instant::now();
    if !(setup.c.is_finite() && setup.c > 0.0) {
        let (value, allowed) = (setup.c.to_string(), "a finite number above 0".to_owned());
        return Err(ErrorKind::OutOfRange { name: "c", value, allowed }.into());
    }
    let n = signs.len();
    let costs: Vec<f64> = each.iter().map(|weight| setup.c * weight).collect();
    let (mut shares, mut scaled) = (vec![1.0; n], costs.clone());
    let (weights, rounds) = (vec![0.0; space.columns()], Vec::new());
    let (bias, kept, empty, seconds) = (0.0, 0, 0, 0.0);
    let mut plane = Plane { weights, bias, rounds, kept, empty, stop: Stop::Tolerance, seconds };
    let mut least = f64::INFINITY;
    for round in 0..setup.rounds.max(1) {
        let separator = examples.separate(&scaled, &shares, setup.until, monitor)?;
        let weights = space.weights(&separator.weights);
        let new = space.shown_shares(&weights);
        let (geometric, moved) = match &new {
            Some(new) => {
                let moved = new.iter().zip(&shares).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                let losses = space.losses(signs, &costs, (&weights, separator.bias), new);
                (0.5 * weights.iter().map(|w| w * w).sum::<f64>() + losses, moved)
            }
            None => (separator.objective, 0.0),
        };
        plane.rounds.push(Round {
            objective: separator.objective,
            gap: separator.gap,
            geometric,
            moved,
            steps: separator.steps,
        });
        if geometric < least {
            least = geometric;
            (plane.weights, plane.bias, plane.kept) = (weights, separator.bias, round as usize);
        }
        let stop = Stop::from(separator.stop);
        if stop == Stop::Interrupted {
            plane.stop = stop;
            break;
        }
        if stop != Stop::Tolerance {
            plane.stop = stop;
        }
        match new {
            Some(new) if moved > SETTLED => shares = new,
            // Another round would change nothing.
            _ => {
                if plane.stop == Stop::Tolerance && round > 0 {
                    plane.stop = Stop::Stationary;
                }
                break;
            }
        }
        scaled.iter_mut().zip(&costs).zip(&shares).for_each(|((c, cost), s)| *c = cost / s);
    }
    plane.seconds = start.elapsed().as_secs_f64();
    Ok(plane)
}

#[cfg(test)]
mod tests;
