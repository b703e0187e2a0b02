//! Holds a fitted model for Python: predicts without the interpreter's lock, and is saved as JSON.

use crate::arrays::{Table, list, matrix};
use crate::background::{run_in_kept_pool, run_short};
use crate::errors::raised;
use halfseen::data::{Examples, Label, Layout, Scaler, Target, Task};
use halfseen::model::{self, Conformal, Note};
use halfseen::prepare::{ColumnKind, ColumnSchema, Schema};
use halfseen::registry;
use halfseen::{Monitor, Silent};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// Absent columns, ignored columns, and number of cells with an unknown category.
type Met = (Vec<String>, Vec<String>, usize);

/// Column, knots and heights of a curve.
type Curve<'py> = (usize, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Number of cells below which a weighted sum takes milliseconds.
const FEW_CELLS: usize = 1 << 22;

/// A fitted model of the library.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Model {
    pub(crate) model: Arc<model::Model>,
    /// Layout with one panel per column, as needed for predictions.
    layout: Arc<Layout>,
    numbers_only: bool,
    /// True if numbers have hat functions.
    expanded: bool,
}

impl Model {
    pub(crate) fn new(model: model::Model) -> Model {
        let schema = &model.prepare.schema;
        let numbers_only = schema.columns.iter().all(|c| c.kind == ColumnKind::Number);
        let expanded = schema.columns.iter().any(|c| c.hats() > 0);
        let layout = Arc::new(Layout::singletons(schema.width()));
        Model { model: Arc::new(model), layout, numbers_only, expanded }
    }

    /// Runs a prediction of this number of cells. No thread is started for a sum over so few cells
    /// that nobody would want to interrupt it.
    fn predicting<T: Send + 'static>(
        &self,
        py: Python<'_>,
        cells: usize,
        work: impl FnOnce(&model::Model, &dyn Monitor) -> halfseen::Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let model = Arc::clone(&self.model);
        let sums = matches!(model.predictor, model::Predictor::Curves(_));
        if cells < FEW_CELLS && (sums || model.predictor.linear().is_ok()) {
            return run_short(py, true, || work(&model, &Silent));
        }
        run_in_kept_pool(py, move |monitor| work(&model, monitor))
    }

    /// Returns scores as an array, (n_rows, outputs).
    pub(crate) fn array<'py>(
        py: Python<'py>,
        scores: model::Scores,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let shape = [scores.len(), scores.outputs];
        PyArray1::from_vec(py, scores.values).reshape(shape)
    }
}

#[pymethods]
impl Model {
    /// Reads a model from the text of a model file.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Model> {
        Ok(Model::new(registry::read_model(text).map_err(raised)?))
    }

    fn to_json(&self) -> PyResult<String> {
        self.model.to_json().map_err(raised)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Model>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Returns scores of numbers in the order of the model's columns, (n_rows, outputs).
    fn scores<'py>(
        &self,
        py: Python<'py>,
        cells: &Bound<'py, PyArray2<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let cells = matrix(cells)?;
        let expected = self.model.prepare.schema.columns.len();
        if !self.numbers_only || cells.columns() != expected {
            let text =
                format!("X has {} columns, and the model expects {expected}", cells.columns());
            return Err(PyValueError::new_err(text));
        }
        let layout = Arc::clone(&self.layout);
        let count = cells.rows() * self.model.prepare.schema.width();
        let expanded = self.expanded;
        let scores = self.predicting(py, count, move |model, monitor| {
            if let Some((row, at)) = cells.first_infinite() {
                let (value, column) =
                    (cells.get(row, at), model.prepare.schema.columns[at].name.clone());
                return Err(halfseen::ErrorKind::NotFinite { row: row + 1, column, value }.into());
            }
            if expanded {
                let names = model.prepare.schema.columns.iter().map(|c| c.name.clone());
                let table = halfseen::data::Table::from_matrix(cells, names.collect())?;
                return Ok(model.predict_while(&table, monitor)?.scores);
            }
            let examples = Examples::new(&cells, &model.prepare.scaler, &layout, &[]);
            let scores = model.predictor.scores_while(&examples, monitor)?;
            Ok(scores.map(|score| model.prepare.target.undo(score)))
        })?;
        Model::array(py, scores)
    }

    /// Returns scores of a table whose columns are matched by name, (n_rows, outputs), with the
    /// absent columns, the unused columns and the number of cells with an unknown category.
    fn scores_of_table<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, Met)> {
        let (rows, columns) = (table.0.rows(), self.model.prepare.schema.columns.len());
        let table = Arc::clone(&table.0);
        let prediction = self.predicting(py, rows * columns, move |model, monitor| {
            model.predict_while(&table, monitor)
        })?;
        let applied = prediction.applied;
        Ok((
            Model::array(py, prediction.scores)?,
            (applied.absent, applied.ignored, applied.new_categories),
        ))
    }

    /// Returns prediction intervals for a table whose columns are matched by name, (n_rows, 2), in
    /// units of the target: the model's own, or from calibration rows and their targets.
    #[pyo3(signature = (table, level, calibration=None))]
    fn intervals_of_table<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
        level: f64,
        calibration: Option<(PyRef<'py, Table>, Bound<'py, PyArray1<f64>>)>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, columns) = (table.0.rows(), self.model.prepare.schema.columns.len());
        let table = Arc::clone(&table.0);
        let known = calibration
            .map(|(table, y)| Ok::<_, PyErr>((Arc::clone(&table.0), Target::Numbers(list(&y)?))))
            .transpose()?;
        let cells = if known.is_some() { FEW_CELLS } else { rows * columns };
        let intervals = self.predicting(py, cells, move |model, monitor| match known {
            None => model.intervals_while(&table, level, monitor),
            Some((rows, y)) => {
                let conformal = Conformal::of(model, &rows, &y)?;
                Ok(conformal.intervals_while(&table, level, monitor)?.intervals)
            }
        })?;
        let ends: Vec<f64> =
            intervals.ends.into_iter().flat_map(|(low, high)| [low, high]).collect();
        PyArray1::from_vec(py, ends).reshape([rows, 2])
    }

    /// Smallest and largest possible prediction, in units of the target; `None` without clipping.
    #[getter]
    fn clip(&self) -> Option<(f64, f64)> {
        self.model.clip().map(|[least, largest]| (least, largest))
    }

    /// Returns the same model without clipping.
    fn without_clip(&self) -> Model {
        Model::new(model::Model::clone(&self.model).without_clip())
    }

    /// Returns the same model without bounds of the cells.
    fn without_bounds(&self) -> Model {
        Model::new(model::Model::clone(&self.model).without_bounds())
    }

    /// Returns the standard error of each weight, in raw units; `None` if the fit computed
    /// none.
    fn errors(&self) -> Option<Vec<f64>> {
        self.model.raw_standard_errors()
    }

    /// Returns the name and weight of each column and then of each curve, and the intercept, in raw
    /// units: once, or for each of more than two classes; `None` if the predictor is not linear.
    fn weights(&self) -> Option<Vec<model::RawSum>> {
        self.model.raw_sums().ok()
    }

    /// Returns the standard deviation of each column and curve that has a weight, in raw units; `None`
    /// if the fit does not know them.
    fn deviations(&self) -> Option<Vec<f64>> {
        self.model.raw_deviations()
    }

    /// Returns the column, knots and heights of each curve of a column, in raw units.
    fn curves<'py>(&self, py: Python<'py>) -> Vec<Curve<'py>> {
        let arrays = |curve: model::RawCurve| {
            let (knots, heights) = (curve.knots, curve.heights);
            (curve.column, PyArray1::from_vec(py, knots), PyArray1::from_vec(py, heights))
        };
        self.model.raw_curves().into_iter().map(arrays).collect()
    }

    /// Returns the least and the largest value that counts of each column, in raw units; `None` if
    /// all count.
    fn bounds(&self) -> Option<Vec<[f64; 2]>> {
        self.model.raw_bounds()
    }

    /// Returns the number of reads of each column that is no hat function; `None` if every cell is read, or reads were not
    /// counted.
    fn attributes_read(&self) -> PyResult<Option<Vec<u64>>> {
        let counts = &self.model.report.panel_reads;
        let layout = self.model.prepare.schema.layout().map_err(raised)?;
        let of = |column| counts.get(layout.panel_of(layout.slot(column))).copied().unwrap_or(0);
        let (mut columns, mut first) = (Vec::new(), 0);
        for attribute in &self.model.prepare.schema.columns {
            columns.extend(first..first + attribute.width() - attribute.hats());
            first += attribute.width();
        }
        Ok((!counts.is_empty()).then(|| columns.into_iter().map(of).collect()))
    }

    fn report(&self) -> PyResult<String> {
        serde_json::to_string(&self.model.report).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    /// Returns the factor that brings errors of the report to the target's units; `None` for classes.
    fn error_unit(&self) -> Option<f64> {
        let numbers = self.model.classes.is_empty();
        let deviation = self.model.prepare.target.deviation;
        numbers.then(|| self.model.report.number_loss().in_units(1.0, deviation))
    }

    /// Returns the texts of the report's notes; `None` for those that no reader is told.
    fn notes(&self) -> Vec<Option<String>> {
        let notes = &self.model.report.notes;
        let told: Vec<&Note> = Note::told(notes).collect();
        let text = |note: &Note| told.contains(&note).then(|| note.to_string());
        notes.iter().map(text).collect()
    }

    /// Returns the deletions that the model was prepared for: their budget, and the cost of each
    /// attribute; `None` if for none.
    fn prepared_for(&self) -> Option<(f64, Vec<f64>)> {
        let model = &self.model;
        let noise = model.prepares_for_noise();
        let cut = model.report.notes.iter().any(|note| matches!(note, Note::Truncated { .. }));
        let threat = model.report.threat.as_ref();
        let threat = threat.filter(|threat| !noise && !cut && threat.effective() > 0.0)?;
        Some((threat.effective(), threat.values().to_vec()))
    }

    fn stop(&self) -> String {
        self.model.report.stop.to_string()
    }

    #[getter]
    fn learner(&self) -> &str {
        &self.model.learner
    }

    /// Parameters of the learner, as JSON.
    #[getter]
    fn parameters(&self) -> String {
        serde_json::Value::Object(self.model.params.clone()).to_string()
    }

    /// Name of each attribute, and its categories if it is text.
    #[getter]
    fn columns(&self) -> Vec<(String, Option<Vec<String>>)> {
        described(&self.model.prepare.schema)
    }

    /// Names of the attributes that are dates.
    #[getter]
    fn dates(&self) -> Vec<String> {
        crate::kinds::dates(&self.model.prepare.schema)
    }

    /// Declarations on attributes, as JSON: scale, basis, known, groups and prices.
    #[getter]
    fn declared(&self) -> String {
        let (schema, known) = (&self.model.prepare.schema, |c: &&ColumnSchema| c.known);
        let known: Vec<&String> = schema.columns.iter().filter(known).map(|c| &c.name).collect();
        let groups: Vec<_> =
            schema.groups.iter().map(|group| (&group.name, &group.columns)).collect();
        let scale = match &self.model.prepare.scaler {
            // Not declared: the learner scaled by its reads.
            Scaler::None {} if schema.by_reads => None,
            Scaler::None {} => Some("none"),
            Scaler::Common { .. } => Some("common"),
            Scaler::Each { offset, .. } if offset.iter().all(|v| *v == 0.0) => Some("max"),
            Scaler::Each { .. } => Some("each"),
        };
        let basis = self.expanded.then_some("hats");
        let prices = &schema.prices;
        json!({ "scale": scale, "basis": basis, "known": known, "groups": groups, "prices": prices })
            .to_string()
    }

    #[getter]
    fn target(&self) -> &str {
        &self.model.target
    }

    /// True if the model predicts classes.
    #[getter]
    fn classifies(&self) -> bool {
        self.model.task == Task::Classification
    }

    #[getter]
    fn classes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let label = |label: &Label| match label {
            Label::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
            Label::Text(text) => Ok(text.into_pyobject(py)?.into_any()),
        };
        self.model.classes.iter().map(label).collect()
    }
}

/// Returns the name of each column of a schema, and its categories if it is text.
pub(crate) fn described(schema: &Schema) -> Vec<(String, Option<Vec<String>>)> {
    let categories = |kind: &ColumnKind| match kind {
        ColumnKind::Number => None,
        ColumnKind::Text { categories } => Some(categories.clone()),
    };
    schema.columns.iter().map(|column| (column.name.clone(), categories(&column.kind))).collect()
}
