//! Turns an estimate into a predictor: weights by columns, the imputation model, and a link for
//! classes.

use super::estimate::Estimate;
use super::link::Calibration;
use super::reads::Reads;
use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::model::{Conditional, Curve, Linear};
use crate::params::{Link, Value};

/// Makes the predictor.
///
/// # Errors
/// [`ErrorKind::Diverged`].
pub(super) fn predictor_of(found: &Estimate, layout: &Layout) -> Result<Conditional> {
    let linear = linear(found, layout);
    let odd = linear
        .weights
        .iter()
        .chain(&linear.fill)
        .chain([&linear.intercept])
        .find(|v| !v.is_finite());
    if let Some(&value) = odd {
        return Err(ErrorKind::Diverged { what: "a weight", value }.into());
    }
    Ok(conditional(found, layout))
}

/// Makes the same without checking its numbers.
pub(super) fn conditional(found: &Estimate, layout: &Layout) -> Conditional {
    let (columns, rank) = (layout.slots(), found.rank);
    let slots = || (0..columns).map(|column| layout.slot(column));
    let row = |slot: usize| &found.loadings[slot * rank..(slot + 1) * rank];
    let deviation = |of: &[f64]| slots().map(|slot| of[slot]).collect::<Vec<f64>>();
    Conditional {
        linear: linear(found, layout),
        rank,
        loadings: slots().flat_map(row).copied().collect(),
        noise: slots().map(|slot| found.noise[slot]).collect(),
        residual: found.residual,
        degrees: Some(found.degrees).filter(|degrees| degrees.is_finite()),
        deviations: found.deviations.chunks_exact(columns.max(1)).flat_map(deviation).collect(),
        link: None,
    }
}

/// Adds the requested link, fitted to the predictions of held-out examples.
///
/// # Errors
/// [`ErrorKind::OutOfRange`] if targets are not the classes -1 and +1.
pub(super) fn linked(
    plain: Conditional,
    link: Link,
    found: &Estimate,
    reads: &Reads,
) -> Result<Conditional> {
    if link == Link::Identity {
        return Ok(plain);
    }
    if !reads.known_targets().all(|y| y.abs() == 1.0) {
        return Err(needs_classes(link));
    }
    let fit = |curve| Calibration::fit(curve, &found.held_out);
    let best = match link {
        Link::Probit => fit(Curve::Probit),
        Link::Logistic => fit(Curve::Logistic),
        _ => {
            let (probit, logistic) = (fit(Curve::Probit), fit(Curve::Logistic));
            if probit.likelihood >= logistic.likelihood { probit } else { logistic }
        }
    };
    Ok(best.link(plain, 0.0))
}

/// Returns the error for a link of classes with numeric targets.
pub(super) fn needs_classes(link: Link) -> Error {
    let (name, value) = (crate::params::LINK.name, link.to_text());
    let allowed = "identity, where targets are numbers".to_owned();
    ErrorKind::OutOfRange { name, value, allowed }.into()
}

/// Makes the linear predictor, by columns.
fn linear(found: &Estimate, layout: &Layout) -> Linear {
    let by_column = |of: &[f64]| {
        (0..layout.slots()).map(|column| of[layout.slot(column)]).collect::<Vec<f64>>()
    };
    let product: f64 = found.weights.iter().zip(&found.means).map(|(w, mean)| w * mean).sum();
    let (weights, fill) = (by_column(&found.weights), by_column(&found.means));
    Linear { weights, intercept: found.centre - product, fill, clip: None }
}
