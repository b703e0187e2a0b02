//! Turns an estimate into a predictor: weights by columns, the imputation model, and a link for
//! classes.

use super::basis::SlotCurve;
use super::estimate::Estimate;
use super::link::Calibration;
use super::reads::Reads;
use halfseen_core::data::Layout;
use halfseen_core::error::{Error, ErrorKind, Result};
use halfseen_core::model::{AttributeCurve, Conditional, Curve, Curves, Linear, Predictor};
use halfseen_core::params::{Link, ParameterValue};

/// Makes the predictor, of columns and then of the curves of columns.
///
/// # Errors
/// [`ErrorKind::Diverged`].
pub(super) fn predictor_of(found: &Estimate, layout: &Layout) -> Result<Conditional> {
    let conditional = conditional(found, layout);
    let linear = &conditional.linear;
    let numbers = linear.weights.iter().chain(&linear.fill).chain([&linear.intercept]);
    let odd = numbers.copied().find(|v| !v.is_finite());
    match odd {
        Some(value) => Err(ErrorKind::Diverged { what: "a weight", value }.into()),
        None => Ok(conditional),
    }
}

/// Makes the same without checking its numbers.
pub(super) fn conditional(found: &Estimate, layout: &Layout) -> Conditional {
    let rank = found.rank;
    let mut slots: Vec<usize> = (0..layout.slots()).map(|column| layout.slot(column)).collect();
    slots.extend(bent_columns(found, layout).into_iter().map(|(_, at)| layout.slots() + at));
    let of = |numbers: &[f64]| slots.iter().map(|&slot| numbers[slot]).collect::<Vec<f64>>();
    let row = |slot: &usize| &found.loadings[slot * rank..(slot + 1) * rank];
    let heights = |slot: usize| {
        let heights = found.curves[slot - layout.slots()].heights.iter();
        heights.fold([f64::MAX, f64::MIN], |[low, high], h| [low.min(*h), high.max(*h)])
    };
    let bounds = |slot: &usize| found.bounds.get(*slot).copied().unwrap_or_else(|| heights(*slot));
    let product: f64 = found.weights.iter().zip(&found.means).map(|(w, mean)| w * mean).sum();
    let (weights, fill) = (of(&found.weights), of(&found.means));
    let bounded = !found.bounds.is_empty();
    Conditional {
        linear: Linear { weights, intercept: found.centre - product, fill, clip: None },
        rank,
        loadings: slots.iter().flat_map(row).copied().collect(),
        noise: of(&found.noise),
        bounds: if bounded { slots.iter().map(bounds).collect() } else { Vec::new() },
        residual: found.residual,
        degrees: Some(found.degrees).filter(|degrees| degrees.is_finite()),
        deviations: found
            .deviations
            .chunks_exact(found.weights.len().max(1))
            .flat_map(of)
            .collect(),
        link: None,
    }
}

/// Adds the curves, if there are any.
pub(super) fn with_curves(model: Conditional, found: &Estimate, layout: &Layout) -> Predictor {
    let curve = |(column, at): (usize, usize)| AttributeCurve {
        column,
        knots: found.curves[at].knots.clone(),
        heights: found.curves[at].heights.clone(),
    };
    let curves: Vec<AttributeCurve> = bent_columns(found, layout).into_iter().map(curve).collect();
    match curves.is_empty() {
        true => Predictor::Conditional(model),
        false => Predictor::Curves(Curves { curves, conditional: model }),
    }
}

/// Returns the columns with a curve, increasing, and the places of these.
fn bent_columns(found: &Estimate, layout: &Layout) -> Vec<(usize, usize)> {
    let column = |(at, curve): (usize, &SlotCurve)| (layout.column(curve.slot as usize), at);
    let mut columns: Vec<(usize, usize)> = found.curves.iter().enumerate().map(column).collect();
    columns.sort_unstable();
    columns
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
    let (name, value) = (halfseen_core::params::LINK.name, link.to_text());
    let allowed = "identity, where targets are numbers".to_owned();
    ErrorKind::OutOfRange { name, value, allowed }.into()
}
