//! Combines all forms of predictors, which map a scaled row to scores.

use super::{Conditional, Curves, Factor, KernelExpansion, Linear, Scores, Sketched};
use crate::data::memory;
use crate::data::{Examples, bad_cell};
use crate::error::{Error, ErrorKind, Result, no_intervals};
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};

/// Rows between two looks at a monitor. Predictors that compare several rows at once take as many,
/// so that looks change no bit.
const BETWEEN_LOOKS: usize = 1024;

/// Predictor of a fit, in scaled units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Predictor {
    /// A linear model.
    Linear(Linear),
    /// A linear model whose sign is a class, and whose size is no estimate.
    Margin(Linear),
    /// A linear model that imputes missing cells from observed ones.
    Conditional(Conditional),
    /// The same for columns and curves of them.
    Curves(Curves),
    /// One linear model for each of more than two classes.
    Linears(Linears),
    /// One model with imputation for each of more than two classes.
    Classes(PerClass),
    /// Comparisons with training rows.
    Kernel(KernelExpansion),
    /// Linear models of random features.
    Sketch(Sketched),
    /// A factor of a completed matrix.
    Factor(Factor),
}

/// One linear model per class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linears {
    /// Models in the order of the classes.
    pub classes: Vec<Linear>,
}

/// One [`Conditional`] or [`Curves`] per class, whose score estimates 1 for the class and -1 for the
/// others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerClass {
    /// Models in the order of the classes.
    pub classes: Vec<Predictor>,
}

impl PerClass {
    fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        let each = Predictor::scores_of(&self.classes.iter().collect::<Vec<_>>(), examples)?;
        Ok(Scores::beside(each.into_iter().map(|scores| scores.values).collect()))
    }

    fn validate(&self, columns: usize) -> Result<()> {
        let bad = |problem: &str| Err(Error::in_model("predictor.classes", problem));
        let known = || self.classes.iter().filter_map(Predictor::conditional);
        if known().count() < self.classes.len() {
            return bad("holds another kind than conditional or curves");
        }
        if self.classes.len() < 3 {
            return bad("holds fewer than three models");
        }
        let links = known().filter(|one| one.link.is_some()).count();
        if ![0, self.classes.len()].contains(&links) || known().any(|one| one.linear.clip.is_some())
        {
            return bad("holds scores that cannot be compared: links of some alone, or a clip");
        }
        self.classes.iter().try_for_each(|one| one.validate(columns))
    }
}

impl Predictor {
    /// Returns the predictor of these outputs: one, whose scores tell a class and estimate nothing if
    /// `is_margin`, or one for each of several classes.
    pub fn of_outputs(mut outputs: Vec<Linear>, is_margin: bool) -> Predictor {
        match (outputs.len(), outputs.pop()) {
            (1, Some(only)) if is_margin => Predictor::Margin(only),
            (1, Some(only)) => Predictor::Linear(only),
            (_, last) => {
                outputs.extend(last);
                Predictor::Linears(Linears { classes: outputs })
            }
        }
    }

    /// Returns the number of scores of a row: 1, or one for each of more than two classes.
    pub fn outputs(&self) -> usize {
        match self {
            Predictor::Linear(_)
            | Predictor::Margin(_)
            | Predictor::Conditional(_)
            | Predictor::Curves(_) => 1,
            Predictor::Linears(linears) => linears.classes.len(),
            Predictor::Classes(each) => each.classes.len(),
            Predictor::Kernel(expansion) => expansion.outputs(),
            Predictor::Sketch(sketched) => sketched.outputs(),
            Predictor::Factor(factor) => factor.outputs(),
        }
    }

    /// Returns the linear model, if the predictor is one. That of a [`Conditional`] gives its
    /// scores for complete rows; with a link its sign is the class, and its size is no estimate.
    ///
    /// # Errors
    /// [`ErrorKind::Request`] for [`Curves`]; [`ErrorKind::NotLinear`].
    pub fn linear(&self) -> Result<&Linear> {
        match self {
            Predictor::Linear(linear) | Predictor::Margin(linear) => Ok(linear),
            Predictor::Conditional(conditional) => Ok(&conditional.linear),
            Predictor::Curves(_) => Err(ErrorKind::Request(
                "this model has curves of attributes beside its weights, so that it is not one linear model; fit again with shape=linear".to_owned(),
            )
            .into()),
            _ => Err(ErrorKind::NotLinear.into()),
        }
    }

    /// Returns the linear model, or that of each of more than two classes, if a missing cell counts
    /// as its fill whatever the other cells, so that effects of deletions on scores, and on their
    /// differences, are additive.
    ///
    /// # Errors
    /// [`ErrorKind::Request`] for a [`Conditional`], for [`Curves`], for [`PerClass`], and for
    /// classes with different fills; [`ErrorKind::NotLinear`].
    pub fn additive(&self) -> Result<&[Linear]> {
        match self {
            Predictor::Conditional(_) | Predictor::Curves(_) | Predictor::Classes(_) => {
                Err(not_additive())
            }
            Predictor::Linears(Linears { classes }) => {
                let alike = classes.windows(2).all(|two| two[0].fill == two[1].fill);
                if alike { Ok(classes) } else { Err(not_additive()) }
            }
            other => Ok(std::slice::from_ref(other.linear()?)),
        }
    }

    /// Returns the distribution of columns, and of curves after them, if the predictor knows one.
    pub fn conditional(&self) -> Option<&Conditional> {
        match self {
            Predictor::Conditional(conditional) => Some(conditional),
            Predictor::Curves(curves) => Some(&curves.conditional),
            _ => None,
        }
    }

    /// Returns the distributions, one of each class where classes have one each.
    fn conditionals_mut(&mut self) -> Vec<&mut Conditional> {
        match self {
            Predictor::Conditional(conditional) => vec![conditional],
            Predictor::Curves(curves) => vec![&mut curves.conditional],
            Predictor::Classes(each) => {
                each.classes.iter_mut().flat_map(Predictor::conditionals_mut).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Removes the restriction of predictions to the range of training targets.
    #[must_use]
    pub fn without_clip(mut self) -> Predictor {
        if let Predictor::Linear(linear) = &mut self {
            linear.clip = None;
        }
        self.conditionals_mut().into_iter().for_each(|one| one.linear.clip = None);
        self
    }

    /// Returns the predictor as published methods predict: a weighted sum is whatever it is, not only
    /// numbers within the range of training targets. Distributions are no such method, and stay.
    #[must_use]
    pub fn as_published(self) -> Predictor {
        match self {
            Predictor::Conditional(_) => self,
            sum => sum.without_clip(),
        }
    }

    /// Removes the restriction of cells to their bounds.
    #[must_use]
    pub fn without_bounds(mut self) -> Predictor {
        self.conditionals_mut().into_iter().for_each(|one| one.bounds.clear());
        self
    }

    /// Returns prediction intervals of this level for all examples, in scaled units; see
    /// [`Conditional::intervals`].
    ///
    /// # Errors
    /// [`ErrorKind::Request`] for other forms of predictors; as for [`Conditional::intervals`].
    pub fn intervals(&self, examples: &Examples<'_>, level: f64) -> Result<Vec<(f64, f64)>> {
        match self {
            Predictor::Conditional(conditional) => conditional.intervals(examples, level),
            Predictor::Curves(curves) => curves.intervals(examples, level),
            _ => Err(no_intervals("this predictor knows no distribution of the target")),
        }
    }

    /// Returns the scores of all examples, in scaled units.
    ///
    /// # Errors
    /// Cells or weights so large that a score is not finite.
    pub fn scores(&self, examples: &Examples<'_>) -> Result<Scores> {
        let mut scores = Self::scores_of(&[self], examples)?;
        let scores = scores.pop().unwrap_or_else(|| Scores::estimates(Vec::new()));
        let lost = scores.values.iter().position(|score| score.is_nan() || score.abs() > LARGEST);
        match lost {
            None => Ok(scores),
            Some(at) => Err(too_large(examples, at / scores.outputs, scores.values[at])),
        }
    }

    /// Does the same, and looks at the monitor in between.
    ///
    /// # Errors
    /// As for [`Predictor::scores`]; [`ErrorKind::Interrupted`].
    pub fn scores_while(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Scores> {
        let mut all: Option<Scores> = None;
        each_batch(examples, monitor, |batch| {
            let scores = self.scores(batch)?;
            match &mut all {
                Some(all) => all.values.extend(scores.values),
                None => all = Some(scores),
            }
            Ok(())
        })?;
        all.map_or_else(|| self.scores(examples), Ok)
    }

    /// Returns the intervals of [`Predictor::intervals`], and looks at the monitor in between.
    ///
    /// # Errors
    /// As for [`Predictor::intervals`]; [`ErrorKind::Interrupted`].
    pub fn intervals_while(
        &self,
        examples: &Examples<'_>,
        level: f64,
        monitor: &dyn Monitor,
    ) -> Result<Vec<(f64, f64)>> {
        // Levels and forms are refused without rows too.
        let mut all = self.intervals(&examples.prefix(0), level)?;
        each_batch(examples, monitor, |batch| {
            all.extend(self.intervals(batch, level)?);
            Ok(())
        })?;
        Ok(all)
    }

    /// Returns the scores of all examples by each of several predictors. Rows are read once, and
    /// compared once with training rows.
    ///
    /// # Errors
    /// As for [`Predictor::scores`].
    pub fn scores_of(predictors: &[&Predictor], examples: &Examples<'_>) -> Result<Vec<Scores>> {
        let (mut linear, mut kernel, mut sketched, mut factors) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for predictor in predictors {
            match predictor {
                Predictor::Linear(one) | Predictor::Margin(one) => linear.push(one),
                Predictor::Linears(many) => linear.extend(&many.classes),
                // Its rows are conditioned one by one: nothing is shared.
                Predictor::Conditional(_) | Predictor::Curves(_) | Predictor::Classes(_) => {}
                Predictor::Kernel(expansion) => kernel.push(expansion),
                Predictor::Sketch(one) => sketched.push(one),
                Predictor::Factor(factor) => factors.push(factor),
            }
        }
        if !kernel.is_empty() || !sketched.is_empty() {
            memory::room_for_products("the model", 0.0)?;
        }
        let mut linear = Linear::scores_of(&linear, examples).into_iter();
        let mut kernel = KernelExpansion::scores_of(&kernel, examples)?.into_iter();
        let mut sketched = Sketched::scores_of(&sketched, examples)?.into_iter();
        let mut factors = Factor::scores_of(&factors, examples)?.into_iter();
        let mut scores = Vec::with_capacity(predictors.len());
        for predictor in predictors {
            scores.extend(match predictor {
                Predictor::Linear(_) => linear.next().map(Scores::estimates),
                Predictor::Margin(_) => linear.next().map(Scores::margins),
                Predictor::Conditional(conditional) => Some(conditional.scores(examples)?),
                Predictor::Curves(curves) => Some(curves.scores(examples)?),
                Predictor::Classes(each) => Some(each.scores(examples)?),
                Predictor::Linears(many) => {
                    Some(Scores::beside(linear.by_ref().take(many.classes.len()).collect()))
                }
                Predictor::Kernel(_) => kernel.next(),
                Predictor::Sketch(_) => sketched.next(),
                Predictor::Factor(_) => factors.next(),
            });
        }
        Ok(scores)
    }

    /// Refuses non-finite numbers and wrong sizes.
    pub(crate) fn validate(&self, columns: usize) -> Result<()> {
        match self {
            Predictor::Linear(linear) | Predictor::Margin(linear) => linear.validate(columns),
            Predictor::Conditional(conditional) => conditional.validate(columns),
            Predictor::Curves(curves) => curves.validate(columns),
            Predictor::Linears(linears) => {
                linears.classes.iter().try_for_each(|linear| linear.validate(columns))
            }
            Predictor::Classes(each) => each.validate(columns),
            Predictor::Kernel(expansion) => expansion.validate(columns),
            Predictor::Sketch(sketched) => sketched.validate(columns),
            Predictor::Factor(factor) => factor.validate(columns, factor.outputs()),
        }
    }
}

/// Largest absolute score in scaled units, so that it stays finite in the target's units.
const LARGEST: f64 = 1e200;

/// Returns the error for a score out of range: the largest cell of its row, or the weights.
fn too_large(examples: &Examples<'_>, example: usize, score: f64) -> Error {
    let row = examples.rows[example] as usize;
    let size = |column: &usize| examples.matrix.get(row, *column).abs();
    let cells = (0..examples.columns()).filter(|column| !size(column).is_nan());
    match cells.max_by(|a, b| size(a).total_cmp(&size(b))) {
        Some(column) if size(&column) > 1e100 => {
            let value = examples.matrix.get(row, column);
            bad_cell(examples, example, column, value)
        }
        _ => {
            let problem = format!("in row {} it is {score:e}; fit the model again", row + 1);
            ErrorKind::Numerical { what: "a prediction", problem }.into()
        }
    }
}

/// Works on batches of the examples until the monitor asks to stop.
fn each_batch(
    examples: &Examples<'_>,
    monitor: &dyn Monitor,
    mut work: impl FnMut(&Examples<'_>) -> Result<()>,
) -> Result<()> {
    let (mut done, total) = (0, examples.len() as u64);
    for rows in examples.rows.chunks(BETWEEN_LOOKS) {
        if monitor.should_stop() {
            return Err(ErrorKind::Interrupted { during: "predicting" }.into());
        }
        work(&examples.with_rows(rows))?;
        done += rows.len() as u64;
        monitor.progress(done, total);
    }
    Ok(())
}

impl From<Linear> for Predictor {
    fn from(linear: Linear) -> Predictor {
        Predictor::Linear(linear)
    }
}

/// Refuses attacks and certificates of a predictor that is not additive.
fn not_additive() -> Error {
    ErrorKind::Request(
        "attacks and certificates need an additive model, but this one imputes a missing cell from the other cells; ridge imputes means, and robust-lp prepares for deletions".to_owned(),
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Layout, Matrix, Scaler};
    use crate::model::conditional::tests::random;
    use ndarray::array;
    use std::sync::Arc;

    #[test]
    fn models_of_each_class_are_three_or_more() {
        let model = |class| Predictor::Conditional(random(4, 1, 0, class));
        let mut of = PerClass { classes: (0..4).map(model).collect() };
        for left in [4, 3] {
            assert_eq!(of.classes.len(), left);
            of.validate(4).unwrap();
            of.classes.pop();
        }
        let error = of.validate(4).unwrap_err().to_string();
        assert!(error.contains("fewer than three models"), "{error}");
    }

    #[test]
    fn a_score_that_is_not_finite_is_refused_with_its_row() {
        let refused = |weight: f64, cell: f64| {
            let (weights, fill) = (vec![1.0, weight], vec![0.0; 2]);
            let predictor = Predictor::from(Linear { weights, intercept: 0.0, fill, clip: None });
            let (matrix, layout) =
                (Matrix::F64(array![[1.0, 2.0], [3.0, cell]]), Arc::new(Layout::singletons(2)));
            let examples = Examples::new(&matrix, &Scaler::None {}, &layout, &[]);
            predictor.scores(&examples).map_err(|error| error.kind().clone())
        };
        assert!(refused(2.0, 5.0).is_ok());
        assert!(matches!(
            refused(2.0, 1e308),
            Err(ErrorKind::TooLarge { row: 2, value: 1e308, .. })
        ));
        let failed = refused(1e308, 5.0).unwrap_err();
        assert!(
            matches!(&failed, ErrorKind::Numerical { problem, .. } if problem.contains("row 1")),
            "{failed}"
        );
    }
}
