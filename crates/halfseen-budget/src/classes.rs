//! Undoes target centring for classification losses.

use halfseen_core::data::Examples;
use halfseen_core::error::{ErrorKind, Result};

/// Tolerance for rounding in the distance 2 between the two targets.
const ROUNDING: f64 = 1e-9;

/// Returns the targets as -1 or +1, and the centre that had been subtracted from them, by which a
/// score learned from these targets exceeds one for the targets as given.
///
/// # Errors
/// [`ErrorKind::Needs`] if the targets are not two classes.
pub(super) fn uncentred(examples: &Examples<'_>) -> Result<(Vec<f64>, f64)> {
    let sign = |target: f64| if target > 0.0 { 1.0 } else { -1.0 };
    let first =
        examples.rows.first().map_or(0.0, |_| sign(examples.target(0)) - examples.target(0));
    let centred = |target: f64| (sign(target) - target - first).abs() <= ROUNDING;
    if !(first.abs() < 1.0 && (0..examples.len()).all(|example| centred(examples.target(example))))
    {
        let what = "two classes as the target, and this one holds numbers; choose loss = absolute, or declare the task \
                    to be classification";
        return Err(ErrorKind::Needs {
            name: "loss",
            value: "hinge, exponential or logistic",
            what,
        }
        .into());
    }
    Ok((examples.targets.iter().map(|&target| sign(target)).collect(), first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_core::data::{Layout, Matrix, Scaler};
    use std::sync::Arc;

    fn of(targets: &[f64]) -> Result<(Vec<f64>, f64)> {
        let matrix = Matrix::F64(ndarray::Array2::zeros((targets.len(), 1)));
        let layout = Arc::new(Layout::singletons(1));
        uncentred(&Examples::new(&matrix, &Scaler::None {}, &layout, targets).with_rows(vec![1, 2]))
    }

    #[test]
    fn classes_come_back_and_numbers_are_refused() {
        assert_eq!(of(&[-1.0, 1.0, -1.0]).unwrap(), (vec![-1.0, 1.0, -1.0], 0.0));
        let (targets, centre) = of(&[-1.2, 0.8, -1.2]).unwrap();
        assert_eq!(targets, [-1.0, 1.0, -1.0]);
        assert!((centre - 0.2).abs() < 1e-15);
        for numbers in [[0.0, 0.5, -0.5], [0.0, 3.0, 1.0], [0.0, f64::NAN, 1.0], [0.0, 0.8, -1.0]] {
            let error = of(&numbers).unwrap_err().to_string();
            assert!(error.contains("logistic needs two classes"), "{error}");
        }
    }
}
