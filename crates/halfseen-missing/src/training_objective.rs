//! Selects the loss and the targets that a learner of kernels or features minimises.

use crate::online::{KernelIterate, OnlineKarma, OnlineLoss, Outcomes};
use faer::{Mat, MatRef};
use halfseen_core::data::{Examples, check_shape};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::FitSize;
use halfseen_core::model::Note;
use halfseen_core::params::KernelLoss;
use halfseen_solve::linear::{self, LinearSolved};
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use halfseen_solve::{
    Monitor, Solved, SolverOptions, hinge, multiclass, multiplied, multiply, ridge,
};
use std::borrow::Cow;

/// Share of the loss of equal scores that a machine of several classes should remove.
const LITTLE: f64 = 0.1;
/// Multiples of its scores at which its loss is looked at: a small C leaves them small.
const MULTIPLES: [f64; 8] = [1.0, 3.0, 10.0, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Rows up to which a decomposition for one C takes a few seconds at most.
const QUICK: usize = 1500;

#[derive(Debug, Clone)]
pub(crate) struct TrainingObjective {
    losses: Losses,
    /// Weights above 0, one for each row; `None` means 1 for all.
    weights: Option<Vec<f64>>,
}

#[derive(Debug, Clone)]
enum Losses {
    /// (z - y)^2 / 2, for each column of targets, (n, outputs).
    Squares(Mat<f64>),
    /// [1 - y z]_+ of -1 and +1.
    Signs(Vec<f64>),
    /// Crammer and Singer's hinge loss; second, the number of classes.
    Classes(Vec<u32>, usize),
}

impl TrainingObjective {
    /// Selects the loss of a learner.
    ///
    /// # Errors
    /// No rows or columns; targets that are not finite; the hinge loss for a numeric target.
    pub(crate) fn new(
        learner: &str,
        loss: KernelLoss,
        examples: &Examples<'_>,
    ) -> Result<TrainingObjective> {
        Ok(TrainingObjective {
            losses: Losses::new(learner, loss, examples)?,
            weights: examples.weight_list(),
        })
    }

    /// Returns true if a score estimates the target.
    pub(crate) fn estimates(&self) -> bool {
        matches!(&self.losses, Losses::Squares(targets) if targets.ncols() == 1)
    }

    /// Returns the targets of squared losses, (n, outputs); no column for hinge losses.
    pub(crate) fn targets(&self) -> Mat<f64> {
        match &self.losses {
            Losses::Squares(targets) => targets.clone(),
            Losses::Signs(_) | Losses::Classes(..) => Mat::new(),
        }
    }

    /// Returns a note if scores of the training rows, (n, classes), hardly lower the hinge loss of
    /// more than two classes.
    pub(crate) fn near_ties(&self, scores: impl FnOnce() -> Mat<f64>) -> Option<Note> {
        let Losses::Classes(codes, _) = &self.losses else { return None };
        let (scores, weights) = (scores(), self.counts(codes.len()));
        let loss = |times: f64| -> f64 {
            let of_row = |(i, &code): (usize, &u32)| {
                weights[i]
                    * crammer_singer(code as usize, |r| times * scores[(i, r)], scores.ncols())
            };
            codes.iter().enumerate().map(of_row).sum()
        };
        let least = MULTIPLES.map(loss).into_iter().fold(f64::INFINITY, f64::min);
        let lower = 1.0 - least / weights.iter().sum::<f64>();
        (lower < LITTLE).then(|| {
            let text = format!(
                "the hinge loss is only {:.1} % below that of equal scores for all classes, so small differences decide; equal scores \
                 are its best where no class has half of the probability; try loss = squared, or a larger c with a smaller tol",
                100.0 * lower.max(0.0)
            );
            Note::on_predictor("near-ties", text)
        })
    }

    /// Row weights; `None` means 1 for all.
    pub(crate) fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    fn counts(&self, n: usize) -> Cow<'_, [f64]> {
        self.weights().map_or_else(|| vec![1.0; n].into(), Cow::Borrowed)
    }

    /// Minimises over a Gram matrix for several C, increasing; adds the mean squared leave-one-out
    /// error of a solution if it is free.
    pub(crate) fn path(
        &self,
        gram: MatRef<'_, f64>,
        cs: &[f64],
        options: &SolverOptions,
        monitor: &dyn Monitor,
    ) -> Result<Vec<(Solved, Option<f64>)>> {
        let without = |solved: Vec<Solved>| solved.into_iter().map(|one| (one, None)).collect();
        let counts = self.counts(gram.ncols());
        Ok(match &self.losses {
            Losses::Squares(targets) => match &self.weights {
                Some(weights) => weighted_squares(gram, targets, weights, cs)?,
                None => squares(gram, targets, cs)?,
            },
            Losses::Signs(signs) => {
                without(hinge::path_weighted(gram, signs, &counts, cs, options, monitor)?)
            }
            Losses::Classes(codes, classes) => without(multiclass::path_weighted(
                gram, codes, *classes, &counts, cs, options, monitor,
            )?),
        })
    }

    /// Minimises over features, (D, n), for several C, increasing.
    pub(crate) fn features_path(
        &self,
        features: MatRef<'_, f64>,
        cs: &[f64],
        options: &SolverOptions,
        monitor: &dyn Monitor,
    ) -> Result<Vec<LinearSolved>> {
        Ok(match (&self.losses, &self.weights) {
            // Products of rows are fewer than products of features.
            (Losses::Squares(_), _) if features.nrows() > features.ncols() => {
                let mut gram = Mat::zeros(features.ncols(), features.ncols());
                let across = features.transpose();
                multiply(gram.as_mut(), across, features);
                let solved = self.path(gram.as_ref(), cs, options, monitor)?;
                let weights = |a: &Mat<f64>| multiplied(features, a.as_ref());
                solved.into_iter().map(|(solved, _)| solved.over_features(weights)).collect()
            }
            (Losses::Squares(targets), None) => {
                linear::ridge_path(features, targets.as_ref(), cs, monitor)?
            }
            (Losses::Squares(targets), Some(weights)) => {
                // s (<w, f> - y)^2 is (<w, sqrt(s) f> - sqrt(s) y)^2.
                let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
                let features =
                    Mat::from_fn(features.nrows(), roots.len(), |k, i| roots[i] * features[(k, i)]);
                let targets =
                    Mat::from_fn(roots.len(), targets.ncols(), |i, j| roots[i] * targets[(i, j)]);
                linear::ridge_path(features.as_ref(), targets.as_ref(), cs, monitor)?
            }
            (Losses::Signs(signs), _) => {
                let counts = self.counts(signs.len());
                linear::hinge_path_weighted(features, signs, &counts, cs, options, monitor)?
            }
            (Losses::Classes(codes, classes), _) => {
                let codes: Vec<usize> = codes.iter().map(|&code| code as usize).collect();
                let counts = self.counts(codes.len());
                linear::multiclass_path_weighted(
                    features, &codes, *classes, &counts, cs, options, monitor,
                )?
            }
        })
    }

    /// Runs one averaged pass of algorithm 1 of Hazan et al. 2015 in a random order, without
    /// weights.
    pub(crate) fn online(
        &self,
        gram: MatRef<'_, f64>,
        c: f64,
        seed: u64,
        monitor: &dyn Monitor,
    ) -> Result<Solved> {
        let n = gram.ncols();
        let mut order: Vec<usize> = (0..n).collect();
        shuffle(&mut Stream::new(seed, Purpose::Learner, 0), &mut order);
        let (mut learner, targets) = self.online_start(1.0 / (c * n as f64))?;
        let mut kept = Vec::with_capacity(n);
        let rows = order.into_iter().map(|row| (row, row));
        let stop = learner.pass(gram, rows, &targets, &mut kept, monitor)?;
        let of_kept = learner.coefficients(KernelIterate::Averaged);
        let mut coefficients = Mat::zeros(n, of_kept.ncols());
        for (i, &row) in kept.iter().enumerate() {
            coefficients.row_mut(row).copy_from(of_kept.row(i));
        }
        let support = (0..n).filter(|&i| coefficients.row(i).iter().any(|v| *v != 0.0)).count();
        let objective = self.objective(gram, &coefficients, c);
        Ok(Solved { coefficients, objective, gap: f64::INFINITY, passes: 1, support, stop })
    }

    /// Returns the online learner before its first step, and its targets.
    pub(crate) fn online_start(&self, rho: f64) -> Result<(OnlineKarma, Outcomes)> {
        let (loss, outputs, targets) = match &self.losses {
            Losses::Squares(targets) => {
                let targets = targets.transpose().to_owned();
                (OnlineLoss::Squared, targets.nrows(), Outcomes::Numbers(targets))
            }
            Losses::Signs(signs) => {
                let signs = Mat::from_fn(1, signs.len(), |_, i| signs[i]);
                (OnlineLoss::Hinge, 1, Outcomes::Numbers(signs))
            }
            Losses::Classes(codes, classes) => {
                (OnlineLoss::CrammerSinger, *classes, Outcomes::Classes(codes.clone()))
            }
        };
        Ok((OnlineKarma::new(loss, outputs, rho)?, targets))
    }

    /// Returns (1/2) |v|^2 + C sum of losses, v = sum_i coefficients_i phi_i.
    fn objective(&self, gram: MatRef<'_, f64>, coefficients: &Mat<f64>, c: f64) -> f64 {
        let mut scores = Mat::zeros(coefficients.nrows(), coefficients.ncols());
        multiply(scores.as_mut(), gram, coefficients);
        let square: f64 =
            (0..scores.ncols()).map(|j| coefficients.col(j).transpose() * scores.col(j)).sum();
        let loss = |i: usize| match &self.losses {
            Losses::Squares(targets) => (0..targets.ncols())
                .map(|j| 0.5 * (scores[(i, j)] - targets[(i, j)]).powi(2))
                .sum::<f64>(),
            Losses::Signs(signs) => (1.0 - signs[i] * scores[(i, 0)]).max(0.0),
            Losses::Classes(codes, classes) => {
                crammer_singer(codes[i] as usize, |r| scores[(i, r)], *classes)
            }
        };
        0.5 * square + c * (0..scores.nrows()).map(loss).sum::<f64>()
    }
}

/// Returns the hinge loss of several classes, of an example of class `own`.
fn crammer_singer(own: usize, score: impl Fn(usize) -> f64, classes: usize) -> f64 {
    let raised = (0..classes).map(|r| score(r) + f64::from(u8::from(r != own)));
    raised.fold(f64::NEG_INFINITY, f64::max) - score(own)
}

/// Returns true if a learner minimises the squared loss.
pub(crate) fn is_squared(loss: KernelLoss, classes: usize) -> bool {
    match loss {
        KernelLoss::Auto => classes == 0,
        KernelLoss::Hinge => false,
        KernelLoss::Squared => true,
    }
}

/// Returns the numbers that [`TrainingObjective::path`] takes beside a Gram matrix.
pub(crate) fn beside(loss: KernelLoss, size: &FitSize) -> f64 {
    // The weights enter through a copy of the matrix.
    let copy = if size.weighted { 1.0 } else { 0.0 };
    let matrices = match (is_squared(loss, size.classes), size.classes) {
        // The factor; eigenvectors, a copy, and two matrices in which halves are merged.
        (true, _) => copy + if factored(size.rows, size.settings) { 1.0 } else { 4.0 },
        // The examples of a round, the factors of Newton steps, and that of an interior point.
        (false, 0..=2) => 3.0,
        // The factor of a low rank, and a system of the interior-point method, which is used where
        // it is small.
        (false, classes) => {
            let (k, pairs) = (classes as f64, size.row_pairs());
            return pairs + (k * (2.0 + 0.25 * k) * pairs).min(2e7 * (2.2 + k.cbrt()));
        }
    };
    matrices * size.row_pairs()
}

impl Losses {
    fn new(learner: &str, loss: KernelLoss, examples: &Examples<'_>) -> Result<Losses> {
        let (n, classes) = (examples.len(), examples.classes());
        let hinge = !is_squared(loss, classes);
        let codes = || (0..n).filter_map(|i| examples.code(i)).collect::<Vec<u32>>();
        if classes > 2 {
            let codes = codes();
            if codes.is_empty() {
                return Err(
                    ErrorKind::TooFewRows { what: learner.to_owned(), least: 1, rows: 0 }.into()
                );
            }
            let is = |i: usize, class: usize| if codes[i] as usize == class { 1.0 } else { 0.0 };
            return Ok(if hinge {
                Losses::Classes(codes, classes)
            } else {
                Losses::Squares(Mat::from_fn(n, classes, is))
            });
        }
        check_shape(examples, learner)?;
        if !hinge {
            return Ok(Losses::Squares(Mat::from_fn(n, 1, |i, _| examples.target(i))));
        }
        let signs: Vec<f64> =
            codes().into_iter().map(|code| if code == 1 { 1.0 } else { -1.0 }).collect();
        let plain = (0..n).all(|i| signs.get(i) == Some(&examples.target(i)));
        if !plain {
            let what = "a target of two classes, coded as -1 and +1 (in Rust with plain_classes); use loss=squared for numbers";
            return Err(ErrorKind::Needs { name: "loss", value: "hinge", what }.into());
        }
        Ok(Losses::Signs(signs))
    }
}

/// Returns true if the squared loss is minimised by a factorisation. It is cheaper than a spectrum,
/// but without leave-one-out errors, which are preferred if both are quick.
fn factored(rows: usize, cs: usize) -> bool {
    cs == 1 && rows > QUICK
}

fn squares(
    gram: MatRef<'_, f64>,
    targets: &Mat<f64>,
    cs: &[f64],
) -> Result<Vec<(Solved, Option<f64>)>> {
    if let ([c], true) = (cs, factored(gram.ncols(), cs.len())) {
        return Ok(vec![(ridge::solve(gram, targets.as_ref(), *c)?, None)]);
    }
    let spectrum = ridge::Spectrum::new(gram)?;
    let one = |&c: &f64| {
        let solved = spectrum.solve(targets.as_ref(), c)?;
        let left_out = spectrum.leave_one_out(targets.as_ref(), c)?;
        Ok((solved, Some(mean_square(&left_out, targets))))
    };
    cs.iter().map(one).collect()
}

/// Minimises the squared loss of rows with weights s. With S = diag(s) and R its root, (K + (C
/// S)^-1) a = y is (R K R + I/C) a' = R y for a = R a', with the same objective and gap.
///
/// Leave-one-out removes one unit of a row's weight, or all of it if less: of a row of weight 2,
/// one of two equal rows. With t that share of the weight and d the diagonal of (R K R + I/C)^-1,
/// the error is r / (1 - t + t d / C), where r is the row's error in the fit to all.
fn weighted_squares(
    gram: MatRef<'_, f64>,
    targets: &Mat<f64>,
    weights: &[f64],
    cs: &[f64],
) -> Result<Vec<(Solved, Option<f64>)>> {
    let (n, outputs) = (weights.len(), targets.ncols());
    let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
    let gram = Mat::from_fn(n, n, |i, j| roots[i] * roots[j] * gram[(i, j)]);
    let targets = Mat::from_fn(n, outputs, |i, j| roots[i] * targets[(i, j)]);
    let back = |mut solved: Solved| {
        for j in 0..outputs {
            solved
                .coefficients
                .col_as_slice_mut(j)
                .iter_mut()
                .zip(&roots)
                .for_each(|(a, root)| *a *= root);
        }
        solved
    };
    if let ([c], true) = (cs, factored(n, cs.len())) {
        return Ok(vec![(back(ridge::solve(gram.as_ref(), targets.as_ref(), *c)?), None)]);
    }
    let spectrum = ridge::Spectrum::new(gram.as_ref())?;
    let total: f64 = weights.iter().sum();
    let one = |&c: &f64| {
        let solved = spectrum.solve(targets.as_ref(), c)?;
        let diagonal = spectrum.diagonal(c);
        let mut sum = 0.0;
        for i in 0..n {
            let share = f64::min(1.0, 1.0 / weights[i]);
            let left = 1.0 - share + share * diagonal[i] / c;
            // a' = C R r.
            let error = |j: usize| solved.coefficients[(i, j)] / (c * roots[i]) / left;
            sum += weights[i] * (0..outputs).map(|j| error(j).powi(2)).sum::<f64>();
        }
        Ok((back(solved), Some(sum / total)))
    };
    cs.iter().map(one).collect()
}

fn mean_square(scores: &Mat<f64>, targets: &Mat<f64>) -> f64 {
    let difference = scores - targets;
    difference.squared_norm_l2() / scores.nrows().max(1) as f64
}
