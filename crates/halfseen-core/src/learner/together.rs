//! Fits settings that share work together: group by group, each in its own order.

use super::{Assignments, configured};
use crate::error::{ErrorKind, Result};
use crate::model::Fit;
use crate::params::Described;

/// Implements `learn` and `learn_grid` of a [`Learner`](super::Learner) whose settings share work, by a
/// function that fits a list of settings: `fit_all(&[Self], &Examples, &dyn Monitor) ->
/// Result<Vec<Fit>>`.
#[macro_export]
#[doc(hidden)]
macro_rules! fits_together {
    ($fit_all:expr) => {
        fn learn(
            &self,
            examples: &$crate::data::Examples<'_>,
            monitor: &dyn $crate::learner::Monitor,
        ) -> $crate::Result<$crate::model::Fit> {
            use $crate::params::Parameters;
            self.check()?;
            $crate::learner::together::only($fit_all(
                std::slice::from_ref(self),
                examples,
                monitor,
            )?)
        }

        fn learn_grid(
            &self,
            settings: &[$crate::learner::Assignments],
            examples: &$crate::data::Examples<'_>,
            monitor: &dyn $crate::learner::Monitor,
        ) -> $crate::Result<Vec<$crate::model::Fit>> {
            match &$crate::learner::together::each(self, settings)?[..] {
                [] => Ok(Vec::new()),
                learners => $fit_all(learners, examples, monitor),
            }
        }
    };
}
#[doc(inline)]
pub use fits_together;

/// Returns a learner with each of several settings, checked.
///
/// # Errors
/// Unknown names and values out of range.
pub fn each<L: Described>(learner: &L, settings: &[Assignments]) -> Result<Vec<L>> {
    settings.iter().map(|setting| configured(learner, setting)).collect()
}

/// Returns the fit of a single setting.
///
/// # Errors
/// [`ErrorKind::Interrupted`] if there is none.
pub fn only(fits: Vec<Fit>) -> Result<Fit> {
    fits.into_iter().next().ok_or_else(|| ErrorKind::Interrupted { during: "fitting" }.into())
}

/// Fits all settings, in their order. Settings that are `alike` form a group, sorted by `key`,
/// which one call of `fit` fits.
///
/// # Errors
/// Those of `fit`.
pub fn grouped<S>(
    settings: &[S],
    alike: impl Fn(&S, &S) -> bool,
    key: impl Fn(&S) -> f64,
    mut fit: impl FnMut(&[&S]) -> Result<Vec<Fit>>,
) -> Result<Vec<Fit>> {
    let mut fits: Vec<Option<Fit>> = vec![None; settings.len()];
    for first in 0..settings.len() {
        if fits[first].is_some() {
            continue;
        }
        let mut group: Vec<usize> =
            (first..settings.len()).filter(|&i| alike(&settings[i], &settings[first])).collect();
        group.sort_by(|&i, &j| key(&settings[i]).total_cmp(&key(&settings[j])));
        let members: Vec<&S> = group.iter().map(|&i| &settings[i]).collect();
        for (i, fit) in group.into_iter().zip(fit(&members)?) {
            fits[i] = Some(fit);
        }
    }
    Ok(fits.into_iter().flatten().collect())
}
