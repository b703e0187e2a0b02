//! Builds the model of a fit.

use super::Learner;
use crate::data::Target;
use crate::model::{Fit, Model};
use crate::prepare::Prepared;

impl Model {
    /// Builds the model of a fit to prepared rows with this target, given by name.
    pub fn of(
        learner: &dyn Learner,
        prepared: &Prepared<'_>,
        (name, target): (&str, &Target),
        fit: Fit,
    ) -> Model {
        Model {
            learner: learner.name().to_owned(),
            params: learner.to_json(),
            prepare: prepared.prepare.clone(),
            target: name.to_owned(),
            task: target.task(),
            classes: target.classes().to_vec(),
            predictor: fit.predictor,
            report: fit.report,
        }
    }
}
