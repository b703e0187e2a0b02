//! Starts a session: from a learner, the names of attributes and what is declared of them.

use super::Session;
use crate::data::{Bounds, Label, Layout, Matrix, Table, Target, TargetScale};
use crate::error::{ErrorKind, Result};
use crate::learner::Learner;
use crate::prepare::{Options, Prepare, Prepared, declared_bounds};
use crate::registry;
use ndarray::Array2;
use std::sync::Arc;

/// What a session is started from; [`Start::begin`] starts it.
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

/// Where the attributes come from.
#[derive(Debug, Clone)]
enum Attributes {
    /// Numbers of these names.
    Names(Vec<String>),
    Prepared(Box<Prepare>),
}

impl<'a> Start<'a> {
    /// A session of this learner over attributes of these names, all of them numbers, and a numeric
    /// target called `target` whose units the learner takes as they are.
    pub fn new<S: Into<String>>(
        learner: &'a dyn Learner,
        attributes: impl IntoIterator<Item = S>,
    ) -> Start<'a> {
        let names = attributes.into_iter().map(Into::into).collect();
        Self::over(learner, Attributes::Names(names))
    }

    /// A session over the attributes of a preparation: its schema, with categories where attributes
    /// have them, its scales of attributes and target. Of the declarations only bounds are then
    /// looked at, and only to hold values against them.
    pub fn prepared(learner: &'a dyn Learner, prepare: Prepare) -> Start<'a> {
        Self::over(learner, Attributes::Prepared(Box::new(prepare)))
    }

    fn over(learner: &'a dyn Learner, attributes: Attributes) -> Start<'a> {
        let (first, target) = (Target::Numbers(Vec::new()), "target".to_owned());
        let (options, scale, instance) = (Options::default(), None, None);
        Start { learner, attributes, options, target, first, scale, instance }
    }

    /// What is declared of attributes: which are known, groups, prices, bounds, moments, the scale.
    #[must_use]
    pub fn declared(self, options: Options) -> Self {
        Start { options, ..self }
    }

    /// The name of the target.
    #[must_use]
    pub fn target(self, name: impl Into<String>) -> Self {
        Start { target: name.into(), ..self }
    }

    /// The two classes of the target, sorted: the second is the one that a positive score means.
    #[must_use]
    pub fn classes(self, classes: Vec<Label>) -> Self {
        Start { first: Target::Classes { classes, codes: Vec::new() }, ..self }
    }

    /// A first batch of targets, by whose mean and deviation targets are scaled unless
    /// [`Start::scale`] says how; it also says which classes there are.
    #[must_use]
    pub fn first_targets(self, targets: Target) -> Self {
        Start { first: targets, ..self }
    }

    /// Mean and deviation of the target, as far as they are known beforehand.
    #[must_use]
    pub fn scale(self, scale: TargetScale) -> Self {
        Start { scale: Some(scale), ..self }
    }

    /// The number that tells the session and its queries from others; by default it is drawn. It
    /// has no influence on what is asked and learned.
    #[must_use]
    pub fn instance(self, instance: u64) -> Self {
        Start { instance: Some(instance), ..self }
    }

    /// Starts the session.
    ///
    /// # Errors
    /// [`ErrorKind::SeesWhole`] for a learner that does not ask; parameters out of range; no
    /// attribute, two of one name, or declarations that cannot be; more or fewer than two classes,
    /// or numbers where the learner needs classes; a target scale that is not finite.
    pub fn begin(mut self) -> Result<Session> {
        let learner = self.learner;
        // There is no cell yet to look at.
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
        let Some(started) = learner.start(&layout)? else {
            return Err(ErrorKind::SeesWhole { learner: learner.name().to_owned() }.into());
        };
        let numbers = self.first.classes().is_empty();
        let learned = started.check_numbers();
        let signs = learned.is_err();
        if numbers {
            // What a fit says, before anything is read.
            learned?;
        }
        prepare.target = match self.scale {
            Some(scale) => scale,
            None => {
                // Without an intercept nothing is subtracted of targets, nor of classes that are
                // learned as they are.
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

/// The preparation of attributes that are numbers, of which nothing was seen.
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
