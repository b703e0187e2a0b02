//! Starts a session from a learner, the names of attributes and their declarations.

use super::Session;
use crate::data::{Bounds, Label, Layout, Matrix, Table, Target, TargetScale};
use crate::error::{ErrorKind, Result};
use crate::learner::Learner;
use crate::prepare::{Options, Prepare, Prepared, declared_bounds};
use crate::registry;
use ndarray::Array2;
use std::sync::Arc;

/// Settings of a new session; [`Start::begin`] starts it.
#[derive(Debug, Clone)]
pub struct Start<'a> {
    learner: &'a dyn Learner,
    attributes: Attributes,
    options: Options,
    target: String,
    first: Target,
    scale: Option<TargetScale>,
    instance: Option<u64>,
}

/// Source of the attributes.
#[derive(Debug, Clone)]
enum Attributes {
    /// Numeric attributes of these names.
    Names(Vec<String>),
    Prepared(Box<Prepare>),
}

impl<'a> Start<'a> {
    /// Describes a session of this learner over numeric attributes of these names, with a numeric
    /// target called `target` in raw units.
    pub fn new<S: Into<String>>(
        learner: &'a dyn Learner,
        attributes: impl IntoIterator<Item = S>,
    ) -> Start<'a> {
        let names = attributes.into_iter().map(Into::into).collect();
        Self::over(learner, Attributes::Names(names))
    }

    /// Describes a session over the attributes of a preparation: its schema, including categories,
    /// and its scales of attributes and target. Of the declarations only bounds are then used, to
    /// check values.
    pub fn prepared(learner: &'a dyn Learner, prepare: Prepare) -> Start<'a> {
        Self::over(learner, Attributes::Prepared(Box::new(prepare)))
    }

    fn over(learner: &'a dyn Learner, attributes: Attributes) -> Start<'a> {
        let (first, target) = (Target::Numbers(Vec::new()), "target".to_owned());
        let (options, scale, instance) = (Options::default(), None, None);
        Start { learner, attributes, options, target, first, scale, instance }
    }

    /// Sets the declarations: known attributes, groups, prices, bounds, moments, scale.
    #[must_use]
    pub fn declared(self, options: Options) -> Self {
        Start { options, ..self }
    }

    /// Sets the name of the target.
    #[must_use]
    pub fn target(self, name: impl Into<String>) -> Self {
        Start { target: name.into(), ..self }
    }

    /// Sets the classes of the target, sorted; of two a positive score means the second.
    #[must_use]
    pub fn classes(self, classes: Vec<Label>) -> Self {
        Start { first: Target::Classes { classes, codes: Vec::new() }, ..self }
    }

    /// Sets a first batch of targets, which defines the classes and, unless [`Start::scale`] is
    /// called, the mean and standard deviation that scale the target.
    #[must_use]
    pub fn first_targets(self, targets: Target) -> Self {
        Start { first: targets, ..self }
    }

    /// Sets mean and standard deviation of the target, if known beforehand; more than two classes
    /// have none.
    #[must_use]
    pub fn scale(self, scale: TargetScale) -> Self {
        Start { scale: Some(scale), ..self }
    }

    /// Sets the identifier of the session and its queries, by default drawn. It does not influence
    /// queries and learning.
    #[must_use]
    pub fn instance(self, instance: u64) -> Self {
        Start { instance: Some(instance), ..self }
    }

    /// Starts the session.
    ///
    /// # Errors
    /// [`ErrorKind::Request`] for a learner that does not ask; parameters out of range; no
    /// attribute, two of one name, or contradictory declarations; a number of classes that the
    /// learner cannot learn, or a numeric target if it needs classes; a target scale that is not finite.
    pub fn begin(mut self) -> Result<Session> {
        let learner = self.learner;
        // There are no cells yet.
        let options = Options { honest: true, ..self.options.clone().for_fit(&learner.needs()) };
        let (mut prepare, layout, bounds) = match &self.attributes {
            Attributes::Names(names) => from_names(names.clone(), &self.target, &options)?,
            Attributes::Prepared(prepare) => {
                prepare.validate()?;
                let bounds = declared_bounds(&options.bounds, &prepare.schema)?;
                self.scale = self.scale.or(Some(prepare.target));
                (Prepare::clone(prepare), Arc::new(prepare.schema.layout()?), bounds)
            }
        };
        registry::check_classes(learner, self.first.classes().len())?;
        let Some(mut started) = learner.start(&layout)? else {
            let problem = format!(
                "{} cannot ask and tell, because it needs whole examples; choose a learner that asks, such as fiml or aerr",
                learner.name()
            );
            return Err(ErrorKind::Request(problem).into());
        };
        let numbers = self.first.classes().is_empty();
        started.classify(self.first.classes().len())?;
        if self.first.classes().len() > 2 {
            self.scale = Some(TargetScale::IDENTITY);
        }
        let learned = started.check_numbers();
        let signs = learned.is_err();
        if numbers {
            // The same error as in a fit, before anything is read.
            learned?;
        }
        prepare.target = match self.scale {
            Some(scale) => scale,
            None => {
                // Without an intercept targets are not centred, nor are classes that are learned as
                // -1 and +1.
                let as_they_are = signs || (options.plain_classes && !numbers);
                let centred = options.intercept && !as_they_are;
                let scores = self.first.scores()?;
                let rows: Vec<u32> = (0..scores.len() as u32).collect();
                TargetScale::fit(&self.first, &scores, &rows, centred)
            }
        };
        prepare.validate()?;
        let mut session = Session::over(learner, started, layout, prepare, self.target);
        session.classes = self.first.classes().to_vec();
        session.bounds = bounds;
        session.instance = self.instance.unwrap_or_else(super::file::draw_tag);
        session.tag = session.instance;
        Ok(session)
    }
}

/// Returns the preparation of numeric attributes without data.
fn from_names(
    names: Vec<String>,
    target: &str,
    options: &Options,
) -> Result<(Prepare, Arc<Layout>, Option<Bounds>)> {
    let nothing = Matrix::F64(Array2::zeros((0, names.len())));
    let table = Table::from_matrix(nothing, names)?;
    let unknown = Target::Numbers(Vec::new());
    let prepared = Prepared::new(&table, (target, &unknown), &[], options)?;
    let bounds = prepared.examples().declared.bounds.cloned();
    Ok((prepared.prepare.clone(), Arc::clone(&prepared.layout), bounds))
}
