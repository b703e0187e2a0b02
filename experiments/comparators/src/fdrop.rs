//! Fits the support vector machine for deleted attributes (FDROP), with a Euclidean norm penalty.
//!
//! **Setting**: minimises (1/2) |w|^2 + C sum_i [1 - y_i (<w, x_i> + b) + max over D of sum_D y_i
//! w_j x_ij]_+ over w and any b, D the deleted attributes, of value at most N (Globerson and Roweis
//! 2006, there with unit values). The intercept is never deleted. Unequal values are deleted in
//! fractions, an upper bound on the loss.
//!
//! **Guarantee**: the report's gap bounds objective minus optimum by a dual point; the fit stops
//! when it is at most `tol` times the objective. N = 0 is the support vector machine.
//!
//! **Method**: cutting planes ([`bundle`]), as the margin of a row under its worst deletions
//! is a minimum of linear functions of w. A cut takes one pass over the nonzero values, and a grid
//! of C shares all cuts.
//!
//! **Symbols**: C `c`, N `threat`, v `costs`.

use crate::biased::Until;
use crate::bundle::{self, Bundle, Margins};
use halfseen::data::{Examples, Signs, Threat};
use halfseen::learner::together::{fits_together, grouped};
use halfseen::learner::{FitSize, Grid, Learner, Needed};
use halfseen::model::{Fit, Note};
use halfseen::params::{AttributeCosts, Damage, Needs, Targets, parameters};
use halfseen::robust::{
    FitContext, HingeScratch, RobustHinge, Rows, breakdown_threat, costs_of_classes, fit_classes,
};
use halfseen::{Monitor, Result};
use halfseen_solve::SolverStop;
use std::time::Instant;

parameters! {
    /// Support vector machine that prepares for deleted attributes.
    pub struct Fdrop {
        name: "fdrop", family: Robust,
        title: "Support vector machine under the worst deletions",
        source: "Dekel and Shamir 2008, section 4 (comparator); Globerson and Roweis 2006; \
                 Teo et al. 2010";
        c: f64 = 1.0, C;
        threat: Option<f64> = None, THREAT;
        costs: AttributeCosts = AttributeCosts::Uniform, COSTS;
        intercept: bool = true, INTERCEPT;
        tol: f64 = 1e-3, TOL;
        max_iter: u64 = 5_000, MAX_ITER;
    }
}

impl Learner for Fdrop {
    fn grid(&self) -> Grid {
        Grid::new(&[("c", &["0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10"])])
    }

    fn needs(&self) -> Needs {
        Needs { targets: Targets::Classes, weights: true, ..Needs::of(self) }
    }

    fn needed(&self, size: &FitSize) -> Needed {
        let cuts = bundle::bytes(CUTS, size.d()) / 8.0;
        Needed::of(size, 6.0 * size.entries() + 16.0 * size.n() + cuts)
    }

    // One path over C for each threat and intercept setting. Each report's seconds include reading
    // the rows.
    fits_together!(fit_all);
}

impl Fdrop {
    /// Returns true if both have the same losses.
    fn shares_cuts(&self, other: &Fdrop) -> bool {
        self.intercept == other.intercept
            && self.threat == other.threat
            && self.costs == other.costs
    }

    /// Returns true if no weights are better than 0. Stops at the first better weights, usually
    /// after few cuts.
    fn is_silent(&self, attacked: &Attacked<'_>, monitor: &dyn Monitor) -> Result<bool> {
        let mut bundle = Bundle::new(attacked, self.intercept)?;
        let (mut left, mut cuts) = (self.max_iter, FEW_CUTS);
        loop {
            let until = Until { tol: self.tol, max_iter: cuts.min(left) };
            let minimum = bundle.minimise(self.c, until, monitor)?;
            left -= minimum.cuts;
            if !minimum.weights.iter().all(|w| *w == 0.0) {
                return Ok(false);
            }
            if minimum.stop != SolverStop::IterationLimit || left == 0 {
                return Ok(true);
            }
            cuts *= MORE_CUTS;
        }
    }
}

/// Number of cuts that are seldom exceeded.
const CUTS: f64 = 700.0;
/// Number of cuts before the first check for weights other than 0, and the factor for later checks.
const FEW_CUTS: u64 = 8;
const MORE_CUTS: u64 = 8;

fn fit_all(learners: &[Fdrop], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let examples = &*examples.counted()?;
    let mut learners = learners.to_vec();
    for learner in &mut learners {
        learner.costs = costs_of_classes(&learner.costs, examples)?;
    }
    let damage = vec![Damage::Deletion; learners.len()];
    fit_classes(examples, &damage, |examples| fit_signs(&learners, examples, monitor))
}

fn fit_signs(
    learners: &[Fdrop],
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
) -> Result<Vec<Fit>> {
    let weights = examples.weight_list();
    grouped(
        learners,
        Fdrop::shares_cuts,
        |learner| learner.c,
        |path| {
            let (start, of) = (Instant::now(), path[0]);
            let signs = Signs::of(examples, Fdrop::NAME)?;
            let frame = FitContext::new(examples, Fdrop::NAME, &of.costs, of.threat)?;
            let attacked =
                Attacked::new(&frame.rows, &signs.signs, weights.as_deref(), &frame.threat);
            let mut bundle = Bundle::new(&attacked, of.intercept)?;
            let shared = start.elapsed().as_secs_f64();
            let fit = |learner: &&Fdrop| {
                let start = Instant::now();
                let until = Until { tol: learner.tol, max_iter: learner.max_iter };
                let minimum = bundle.minimise(learner.c, until, monitor)?;
                let mut fit = frame.clone().classifier(
                    &signs,
                    (&minimum.weights, minimum.bias),
                    Damage::Deletion,
                    minimum.stop.into(),
                )?;
                let report = &mut fit.report;
                (report.objective, report.gap, report.passes) =
                    (Some(minimum.objective), Some(minimum.gap), Some(minimum.cuts));
                if report.converged && minimum.weights.iter().all(|w| *w == 0.0) {
                    let silent = |threat: &Threat| {
                        let attacked =
                            Attacked::new(&frame.rows, &signs.signs, weights.as_deref(), threat);
                        learner.is_silent(&attacked, monitor)
                    };
                    let threat = frame.threat.effective();
                    let from = breakdown_threat(&frame.threat, monitor, silent)?;
                    report.notes.push(Note::ThreatBeatsSignal { threat, from });
                }
                report.seconds = shared + start.elapsed().as_secs_f64();
                Ok(fit)
            };
            path.iter().map(fit).collect()
        },
    )
}

/// Rows under their worst deletions.
struct Attacked<'a> {
    rows: &'a Rows,
    signs: &'a [f64],
    /// `None` means 1 for all.
    weights: Option<&'a [f64]>,
    /// Hinge with margin 0: its loss is [-margin after deletions]_+.
    hinge: RobustHinge<'a>,
}

impl<'a> Attacked<'a> {
    fn new(
        rows: &'a Rows,
        signs: &'a [f64],
        weights: Option<&'a [f64]>,
        threat: &'a Threat,
    ) -> Attacked<'a> {
        Attacked { rows, signs, weights, hinge: RobustHinge { threat, margin: 0.0 } }
    }
}

impl<'a> Margins for Attacked<'a> {
    type Room = HingeScratch<'a>;

    fn width(&self) -> usize {
        self.rows.width()
    }

    fn signs(&self) -> &[f64] {
        self.signs
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row])
    }

    fn room(&self) -> HingeScratch<'a> {
        self.hinge.scratch()
    }

    /// Leaves the deletions in the adversary's shares.
    fn margin(&self, row: usize, weights: &[f64], room: &mut HingeScratch<'a>) -> f64 {
        let before = self.hinge.before(self.rows, row, self.signs[row], (weights, 0.0), room);
        -(before + room.adversary.relaxed(&room.attributes, &room.gains))
    }

    fn add_slope(
        &self,
        row: usize,
        share: f64,
        weights: &[f64],
        room: &mut HingeScratch<'a>,
        slope: &mut [f64],
    ) {
        self.margin(row, weights, room);
        let push = share * self.signs[row];
        self.rows.kept(row, &room.attributes, room.adversary.shares(), |slot, x, kept| {
            slope[slot] += push * kept * x
        });
    }
}

#[cfg(test)]
mod tests;
