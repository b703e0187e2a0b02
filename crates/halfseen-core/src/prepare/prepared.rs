//! Fits all steps between a table and a learner on training rows, and provides the examples.

use super::declared::{self, DeclaredMoments, Moment};
use super::encoder::in_range;
use super::{Applied, Encoded, Group, Prepare, Schema};
use crate::data::{
    Basis, Bounds, ColumnFacts, Declared, Examples, Labels, Layout, Matrix, Moments, Scale, Scaler,
    Table, Target, TargetScale, Task, TrainingCells, check_weights,
};
use crate::error::{ErrorKind, Result};
use crate::params::Needs;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Options of the preparation of a table.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Scaling of attributes. `None` chooses: `common` for bytes, `each` otherwise; if honest,
    /// `each` by the declared bounds or, without them, each attribute by its own reads as they
    /// come ([`Layout::by_reads`]).
    pub scale: Option<Scale>,
    /// Functions of each numeric attribute that are added to its panel. Their knots are values of
    /// the training rows; if honest, equally spaced in the declared bounds.
    pub basis: Basis,
    /// True if an intercept is learned, so that the target may be centred.
    pub intercept: bool,
    /// Columns besides the target that are not attributes.
    pub except: Vec<String>,
    /// Attributes that are known without a read.
    pub known: Vec<String>,
    /// Attributes that are read together.
    pub groups: Vec<Group>,
    /// Price of a read of an attribute, or of a group by its name; default 1.
    pub prices: BTreeMap<String, f64>,
    /// Text attributes that are dates, by name, with the date's form; see
    /// [`ColumnSchema::date`](super::ColumnSchema::date).
    pub dates: BTreeMap<String, String>,
    /// Declared ranges of attributes, by name.
    pub bounds: BTreeMap<String, (f64, f64)>,
    /// Declared moments of attributes, by name; learners then know them, even if honest.
    pub moments: BTreeMap<String, Moment>,
    /// Treatment of missing cells.
    pub missing: Missing,
    /// True if classes stay -1 and +1 even with an intercept, for classification losses.
    pub plain_classes: bool,
    /// True if zero stays zero when no scale is named, for learners that treat zero as deleted.
    pub uncentred: bool,
    /// True if no cell is read: means, deviations and norms are only those declared.
    pub honest: bool,
}

/// Treatment of missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// They stay missing; learners that need the cell refuse it.
    #[default]
    Keep,
    /// They are imputed by the mean of the observed training cells of their column.
    Mean,
    /// They count as deleted: 0 in scaled units in training, missing in evaluation.
    Vanish,
}

/// A table prepared for learning.
#[derive(Debug)]
pub struct Prepared<'a> {
    /// The fitted preparation.
    pub prepare: Prepare,
    /// Panels.
    pub layout: Arc<Layout>,
    /// Number of cells of the table imputed by means, over all rows: missing ones, and categories
    /// that occur only outside the training rows.
    pub imputed: usize,
    /// Number of cells of the table that count as deleted, over all rows.
    pub vanished: usize,
    /// The cells with missing values.
    matrix: Cow<'a, Matrix>,
    /// The cells with missing values filled, if learners do not accept missing values.
    whole: Option<Matrix>,
    /// True if rows outside the training part keep their missing values.
    keeps_holes: bool,
    targets: Vec<f64>,
    codes: Option<(Vec<u32>, usize)>,
    moments: Option<Moments>,
    declared: Option<DeclaredMoments>,
    bounds: Option<Bounds>,
    names: Vec<String>,
    rows: Vec<u32>,
    weights: Option<Vec<f64>>,
}

/// Another table, encoded like the training rows.
#[derive(Debug)]
pub struct Other<'a> {
    /// Differences between the table and the schema.
    pub applied: Applied,
    pub(super) matrix: Cow<'a, Matrix>,
    pub(super) targets: Vec<f64>,
    pub(super) codes: Option<(Vec<u32>, usize)>,
    pub(super) rows: Vec<u32>,
}

impl<'a> Prepared<'a> {
    /// Prepares all rows of a table; fits on the training rows `rows` only.
    ///
    /// # Errors
    /// Unknown columns, cells or targets that are infinite or beyond 1e100, invalid declarations; if
    /// honest, a scale that needs to look at cells.
    pub fn new(
        table: &'a Table,
        target: (&str, &Target),
        rows: &[u32],
        options: &Options,
    ) -> Result<Prepared<'a>> {
        Self::fit(table, target, rows, None, options)
    }

    /// As [`Prepared::new`] with weights, one for each row of the table: means, deviations and the
    /// target's scale are weighted, and the examples have the weights. Training rows of weight 0
    /// are left out, but a class of the target that only they have remains a class.
    ///
    /// # Errors
    /// As [`Prepared::new`]; weights that are not one number from 0 to 1e100 per row; no training
    /// row with a weight above 0.
    pub fn with_weights(
        table: &'a Table,
        target: (&str, &Target),
        rows: &[u32],
        weights: &[f64],
        options: &Options,
    ) -> Result<Prepared<'a>> {
        check_weights(weights, table.rows())?;
        let rows: Vec<u32> =
            rows.iter().copied().filter(|&row| weights[row as usize] > 0.0).collect();
        if rows.is_empty() {
            let what = "learning from rows of weights above 0".to_owned();
            return Err(ErrorKind::TooFewRows { what, least: 1, rows: 0 }.into());
        }
        Self::fit(table, target, &rows, Some(weights), options)
    }

    fn fit(
        table: &'a Table,
        (name, target): (&str, &Target),
        rows: &[u32],
        weights: Option<&[f64]>,
        options: &Options,
    ) -> Result<Prepared<'a>> {
        if target.len() != table.rows() {
            let (what, expected, found) =
                ("targets, one for each row".to_owned(), table.rows(), target.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        if let Target::Numbers(values) = target {
            for &row in rows {
                in_range(row as usize, name, values[row as usize])?;
            }
        }
        let except: Vec<&str> =
            [name].into_iter().chain(options.except.iter().map(String::as_str)).collect();
        let schema = Schema::fit(table, rows, &except, &options.known, options.groups.clone())?;
        let mut schema = schema.with_dates(&options.dates)?;
        schema.prices = options.prices.clone();
        let mut encoded = schema.encode(table)?;
        if options.basis == Basis::Hats {
            schema.admit_knots(&encoded.matrix)?;
            match options.honest {
                true => schema.space_knots(&options.bounds)?,
                false => schema.place_knots(&encoded.matrix, rows, weights),
            }
            encoded = schema.encode(table)?;
        }
        let (matrix, applied) = (encoded.matrix, encoded.applied);
        let holes = applied.missing + applied.new_categories;
        let (imputed, vanished) = match options.missing {
            Missing::Keep => (0, 0),
            Missing::Mean => (holes, 0),
            Missing::Vanish => (0, holes),
        };
        let mut whole = (imputed > 0).then(|| with_means(&matrix, rows, weights));
        // The cells that scales and declarations are fitted to.
        let shown = whole.as_ref().unwrap_or(&matrix);
        let facts = TrainingCells { matrix: shown, rows, weights };
        let (scaler, bounds) = options.scaler(&mut schema, &facts)?;
        let declared = declared::moments(&options.moments, &schema, &scaler, shown, rows)?;
        if vanished > 0 {
            whole = Some(matrix.filled(|j| scaler.affine(j).0));
        }
        let layout = Arc::new(schema.layout()?);
        let scores = scores_or_nan(target);
        let centred = options.centres(target.task(), target.classes().len());
        let target_scale = TargetScale::fit_weighted(target, &scores, rows, weights, centred);
        let targets = scores.into_iter().map(|y| target_scale.apply(y)).collect();
        let prepare = Prepare { schema, scaler, target: target_scale, deviations: None };
        let (rows, names, codes) = (rows.to_vec(), prepare.schema.encoded_names(), codes(target));
        let (moments, weights) = (None, weights.map(<[f64]>::to_vec));
        let mut prepared = Prepared {
            prepare,
            layout,
            imputed,
            vanished,
            matrix,
            whole,
            keeps_holes: options.missing != Missing::Mean,
            targets,
            codes,
            moments,
            declared,
            bounds,
            names,
            rows,
            weights,
        };
        if !options.honest && prepared.declared.is_none() {
            prepared.moments = Some(Moments::measure(&prepared.examples()));
        }
        prepared.prepare.deviations = prepared.deviations();
        Ok(prepared)
    }

    /// Returns the standard deviation of each column in raw units, from moments that are known.
    fn deviations(&self) -> Option<Vec<f64>> {
        let declared = self.declared.as_ref().filter(|declared| declared.means);
        let moments = declared.map(|declared| &declared.moments).or(self.moments.as_ref())?;
        let pairs = moments.mean.iter().zip(&moments.square).enumerate();
        let deviation = |(j, (mean, square)): (usize, (&f64, &f64))| {
            // A smaller difference is the rounding error of a constant column.
            let variance = Some(square - mean * mean).filter(|v| *v > 1e-14 * square);
            variance.map_or(0.0, f64::sqrt) * self.prepare.scaler.affine(j).1
        };
        Some(pairs.map(deviation).collect())
    }

    /// Returns the training examples.
    pub fn examples(&self) -> Examples<'_> {
        Examples {
            matrix: self.whole.as_ref().unwrap_or(&self.matrix),
            ..self.examples_as_found(&self.rows)
        }
    }

    /// Encodes the rows of another table: columns are matched by name, and missing cells stay
    /// missing; the predictor imputes the mean that its learner knows.
    ///
    /// # Errors
    /// See [`Schema::encode`].
    pub fn apply<'t>(&self, table: &'t Table, target: &Target) -> Result<Other<'t>> {
        self.prepare.apply(table, Some(target))
    }

    /// Returns the examples of another table, in the units fitted on the training rows.
    pub fn examples_in<'b>(&'b self, other: &'b Other<'_>) -> Examples<'b> {
        let Examples { moments, declared, .. } = self.examples();
        Examples { moments, declared, ..other.examples(&self.prepare, &self.layout) }
    }

    /// Returns the examples of any rows, in the units fitted on the training rows. With
    /// [`Missing::Vanish`] missing cells stay, and predictors impute them as in other tables.
    pub fn examples_of<'b>(&'b self, rows: &'b [u32]) -> Examples<'b> {
        let filled = self.whole.as_ref().filter(|_| !self.keeps_holes);
        Examples { matrix: filled.unwrap_or(&self.matrix), ..self.examples_as_found(rows) }
    }

    /// Returns the examples with all missing cells, which adversaries count as deleted.
    pub fn examples_as_found<'b>(&'b self, rows: &'b [u32]) -> Examples<'b> {
        Examples {
            matrix: &self.matrix,
            scaler: &self.prepare.scaler,
            layout: &self.layout,
            targets: &self.targets,
            labels: labels(&self.codes),
            rows: Cow::Borrowed(rows),
            weights: self.weights.as_deref(),
            moments: self.declared.as_ref().map(|d| &d.moments).or(self.moments.as_ref()),
            declared: Declared {
                bounds: self.bounds.as_ref(),
                moments: self.declared.is_some(),
                names: &self.names,
                means: self.declared.as_ref().is_some_and(|d| d.means),
            },
            pilot: None,
        }
    }
}

impl Prepare {
    /// Encodes the rows of a table like [`Prepared::apply`]; without a target they have none.
    pub fn apply<'t>(&self, table: &'t Table, target: Option<&Target>) -> Result<Other<'t>> {
        let Encoded { matrix, applied } = self.encode(table)?;
        let scores = target.map(scores_or_nan).unwrap_or_default();
        let targets = scores.into_iter().map(|y| self.target.apply(y)).collect();
        let rows = (0..table.rows() as u32).collect();
        Ok(Other { applied, matrix, targets, codes: target.and_then(codes), rows })
    }
}

impl Other<'_> {
    /// Returns the cells in raw units.
    pub fn matrix(&self) -> &Matrix {
        &self.matrix
    }

    /// Restricts the table to these rows.
    pub fn only(&mut self, rows: Range<u32>) {
        self.rows = rows.collect();
    }

    /// Returns the rows in the units of the given encoding, without moments and declarations.
    pub fn examples<'b>(&'b self, prepare: &'b Prepare, layout: &'b Arc<Layout>) -> Examples<'b> {
        Examples {
            matrix: &self.matrix,
            scaler: &prepare.scaler,
            layout,
            targets: &self.targets,
            labels: labels(&self.codes),
            rows: Cow::Borrowed(&self.rows),
            weights: None,
            moments: None,
            declared: Declared::default(),
            pilot: None,
        }
    }
}

impl Options {
    /// Adapts the options to a fit: the learner's intercept, and honest if it chooses its reads.
    pub fn for_fit(self, needs: &Needs) -> Options {
        let honest = needs.chooses();
        Options { intercept: needs.intercept, honest, ..self }.suited(needs)
    }

    /// Adapts the options to a learner. One that accepts missing values gets them; one that chooses
    /// its reads has no cell looked at beforehand; a robust one keeps zeros, and its missing cells
    /// count as deleted instead of being imputed.
    pub fn suited(&self, needs: &Needs) -> Options {
        let missing = match self.missing {
            _ if needs.holes => Missing::Keep,
            Missing::Keep => Missing::Keep,
            _ if needs.uncentred => Missing::Vanish,
            other => other,
        };
        Options {
            missing,
            plain_classes: self.plain_classes || needs.plain_classes,
            uncentred: self.uncentred || needs.uncentred,
            // Learners that do not choose their reads may look at every cell.
            honest: self.honest && (needs.chooses() || !(needs.holes || needs.uncentred)),
            ..self.clone()
        }
    }

    /// Returns true if neither scale, bounds nor moments were declared.
    fn is_undeclared(&self) -> bool {
        self.scale.is_none() && self.bounds.is_empty() && self.moments.is_empty()
    }

    /// Fits the scaling of a schema's columns to what is known of them, and notes in the schema if
    /// learners scale by their reads; returns the declared bounds beside.
    ///
    /// # Errors
    /// Invalid bounds; if honest, a scale that needs to look at cells.
    pub fn scaler(
        &self,
        schema: &mut Schema,
        facts: &dyn ColumnFacts,
    ) -> Result<(Scaler, Option<Bounds>)> {
        let bounds = declared::bounds(&self.bounds, schema)?;
        let scale = self.scale.unwrap_or(match facts.are_bytes() {
            true => Scale::Common,
            false if self.uncentred => Scale::Max,
            false if self.honest && bounds.is_none() => Scale::None,
            false => Scale::Each,
        });
        if self.honest && bounds.is_none() {
            scale.needs_no_look(facts.are_bytes())?;
        }
        schema.by_reads = self.honest && scale == Scale::None && self.is_undeclared();
        Ok((Scaler::fit_to(scale, facts, bounds.as_ref()), bounds))
    }

    /// Returns true if the target is centred: numbers, or -1 and +1 for at most two classes.
    pub fn centres(&self, task: Task, classes: usize) -> bool {
        let are_plain = self.plain_classes && task == Task::Classification;
        self.intercept && !are_plain && classes <= 2
    }
}

/// Returns one number per row; NaN for more than two classes, for which no score is valid.
fn scores_or_nan(target: &Target) -> Vec<f64> {
    target.scores().unwrap_or_else(|_| vec![f64::NAN; target.len()])
}

/// Returns the classes of the rows with the number of classes; `None` for numbers.
fn codes(target: &Target) -> Option<(Vec<u32>, usize)> {
    match target {
        Target::Numbers(_) => None,
        Target::Classes { classes, codes } => Some((codes.clone(), classes.len())),
    }
}

fn labels(codes: &Option<(Vec<u32>, usize)>) -> Option<Labels<'_>> {
    codes.as_ref().map(|(codes, classes)| Labels { codes, classes: *classes })
}

/// Imputes the means of the training rows' observed cells; 0 if a column has none.
fn with_means(matrix: &Matrix, rows: &[u32], weights: Option<&[f64]>) -> Matrix {
    let weight = |r: u32| weights.map_or(1.0, |weights| weights[r as usize]);
    let mut means = vec![(0.0_f64, 0.0_f64); matrix.columns()];
    let mut row = vec![0.0; matrix.columns()];
    for &r in rows {
        matrix.row_into(r as usize, &mut row);
        let seen = means.iter_mut().zip(&row).filter(|(_, v)| !v.is_nan());
        seen.for_each(|((count, sum), v)| {
            (*count, *sum) = (*count + weight(r), *sum + weight(r) * v)
        });
    }
    matrix.filled(|j| means[j].1 / if means[j].0 > 0.0 { means[j].0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Column, Place, TextColumn};
    use crate::prepare::ColumnKind;
    use ndarray::Array2;

    /// Returns two numbers, one with a missing cell, and a text; only the third row has "rare".
    fn table(rows: &[usize]) -> (Table, Target) {
        let cells = [[1.0, 2.0], [4.0, f64::NAN], [100.0, 7.0], [2.5, -3.0]];
        let levels = ["often", "rare"].map(str::to_owned).to_vec();
        let text = TextColumn { codes: vec![0, 0, 1, 0], levels };
        let numbers = Array2::from_shape_fn((4, 2), |(i, j)| cells[i][j]);
        let column = |name: &str, place| Column { name: name.into(), place };
        let columns = vec![
            column("a", Place::Number(0)),
            column("t", Place::Text(0)),
            column("b", Place::Number(1)),
        ];
        let whole = Table::new(Matrix::F64(numbers), vec![text], columns).unwrap();
        let target = Target::Numbers(vec![1.0, 3.0, 50.0, -2.0]);
        (whole.select_rows(rows), target.select_rows(rows))
    }

    #[test]
    fn weights_prepare_as_repeated_rows_do() {
        let (whole, target) = table(&[0, 1, 2, 3]);
        let (often, of_often) = table(&[0, 0, 0, 1, 3, 3]);
        let weights = [3.0, 1.0, 0.0, 2.0];
        for missing in [Missing::Keep, Missing::Mean] {
            for scale in [Scale::Each, Scale::Max, Scale::Common] {
                let options =
                    Options { scale: Some(scale), intercept: true, missing, ..Options::default() };
                let of = ("y", &target);
                let weighed =
                    Prepared::with_weights(&whole, of, &[0, 1, 2, 3], &weights, &options).unwrap();
                let rows = [0, 1, 2, 3, 4, 5];
                let repeated = Prepared::new(&often, ("y", &of_often), &rows, &options).unwrap();
                let ColumnKind::Text { categories } = &weighed.prepare.schema.columns[1].kind
                else {
                    panic!("no text")
                };
                assert_eq!(*categories, ["often"], "a row of weight 0 shows no category");
                let (weighed, repeated) = (weighed.examples(), repeated.examples());
                assert_eq!((weighed.len(), weighed.weight(0), weighed.weight(2)), (3, 3.0, 2.0));
                // Each weighted row equals one of the repeated ones.
                for (i, at) in [0, 3, 4].into_iter().enumerate() {
                    let same = |a: f64, b: f64| (a - b).abs() < 1e-14 || (a.is_nan() && b.is_nan());
                    assert!(
                        (0..3).all(|j| same(weighed.value(i, j), repeated.value(at, j))),
                        "{scale:?} row {i}"
                    );
                    assert!(same(weighed.target(i), repeated.target(at)));
                }
                let (one, two) = (weighed.moments.unwrap(), repeated.moments.unwrap());
                let pairs =
                    one.mean.iter().chain(&one.square).zip(two.mean.iter().chain(&two.square));
                pairs.for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
            }
        }
    }

    #[test]
    fn wrong_weights_are_refused() {
        let (whole, target) = table(&[0, 1, 2, 3]);
        let of = |weights: &[f64], rows: &[u32]| {
            let refused =
                Prepared::with_weights(&whole, ("y", &target), rows, weights, &Options::default());
            refused.unwrap_err().kind().clone()
        };
        assert_eq!(
            of(&[1.0, 1.0, -0.5, 1.0], &[0]),
            ErrorKind::WrongWeight { row: 3, value: -0.5 }
        );
        assert!(matches!(
            of(&[1.0; 3], &[0]),
            ErrorKind::WrongLength { expected: 4, found: 3, .. }
        ));
        assert!(matches!(
            of(&[0.0, 0.0, 1.0, 1.0], &[0, 1]),
            ErrorKind::TooFewRows { least: 1, rows: 0, .. }
        ));
    }
}
