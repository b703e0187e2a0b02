//! Encodes tables for Python as the program does: texts as indicators, numbers unchanged.

use crate::arrays::Table;
use crate::errors::{guarded, raised};
use crate::kinds::{as_number, dates, form};
use crate::model::described;
use halfseen::data::{Column, DeclaredKind, Finding, Matrix};
use halfseen::error::short;
use halfseen::prepare::Schema;
use ndarray::Array2;
use numpy::PyArray2;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Columns of a table, the categories of text columns, and the forms of dates.
#[pyclass(frozen, module = "halfseen._core")]
pub(crate) struct Encoder(Schema);

/// Remarkable column: its name, the kind of finding, a number (of dates, of categories, or the row
/// of an odd cell, from 0), and the odd cell.
type Remark = (String, &'static str, usize, String);

#[pymethods]
impl Encoder {
    /// Takes the columns of a table, and its categories. `declared` names columns with their kind.
    /// Returns what is remarkable about the others; dates and identifiers are left out.
    #[staticmethod]
    fn fit(
        table: &Table,
        declared: Vec<(String, String)>,
    ) -> PyResult<(Option<Encoder>, Vec<Remark>)> {
        let rows: Vec<u32> = (0..table.0.rows() as u32).collect();
        guarded(|| {
            table.0.refuse_infinite()?;
            let (mut table, mut dates) = (Cow::Borrowed(&*table.0), BTreeMap::new());
            for (name, kind) in &declared {
                match kind.parse()? {
                    DeclaredKind::Category => {
                        table = Cow::Owned(table.into_owned().with_categories(name)?);
                    }
                    DeclaredKind::Number => {
                        table = Cow::Owned(as_number(table.into_owned(), name)?);
                    }
                    DeclaredKind::Date => drop(dates.insert(name.clone(), form(&table, name)?)),
                }
            }
            let undeclared =
                |column: &&Column| declared.iter().all(|(name, _)| *name != column.name);
            let findings: Vec<(&Column, Finding<'_>)> = table
                .columns()
                .iter()
                .filter(undeclared)
                .filter_map(|column| Some((column, Finding::of(&table, column)?)))
                .collect();
            let except: Vec<&str> = findings
                .iter()
                .filter(|(_, finding)| finding.is_left_out())
                .map(|(column, _)| column.name.as_str())
                .collect();
            let remarks = findings.iter().map(|(c, finding)| remark(c, finding)).collect();
            if !except.is_empty() && except.len() == table.columns().len() {
                return Ok((None, remarks));
            }
            let schema = Schema::fit(&table, &rows, &except, &[], Vec::new())?;
            let schema = schema.with_dates(&dates)?;
            schema.layout()?;
            Ok((Some(Encoder(schema)), remarks))
        })
    }

    /// Reads an encoder from the text that `to_json` wrote.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Encoder> {
        let wrong = |e| PyValueError::new_err(format!("this is not a saved encoder: {e}"));
        let schema: Schema = serde_json::from_str(text).map_err(wrong)?;
        schema.layout().map_err(raised)?;
        Ok(Encoder(schema))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Encoder>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// Returns the encoded table, (n_rows, n_encoded_columns), and the number of cells with an
    /// unknown category.
    fn encode<'py>(
        &self,
        py: Python<'py>,
        table: &Table,
    ) -> PyResult<(Bound<'py, PyArray2<f64>>, usize)> {
        let (cells, unknown) = py.detach(|| {
            guarded(|| {
                let encoded = self.0.encode(&table.0)?;
                Ok((own(encoded.matrix.into_owned()), encoded.applied.new_categories))
            })
        })?;
        Ok((PyArray2::from_owned_array(py, cells), unknown))
    }

    /// Name of each column, and its categories if it is text.
    #[getter]
    fn columns(&self) -> Vec<(String, Option<Vec<String>>)> {
        described(&self.0)
    }

    /// Names of the columns that are dates.
    #[getter]
    fn dates(&self) -> Vec<String> {
        dates(&self.0)
    }
}

fn remark(column: &Column, finding: &Finding<'_>) -> Remark {
    let (kind, number, text) = match finding {
        Finding::Dates { distinct } => ("dates", *distinct, ""),
        Finding::Identifiers { categories } => ("identifiers", *categories, ""),
        Finding::OddCell { row, text, many: true } => ("odd-among-many", *row, *text),
        Finding::OddCell { row, text, many: false } => ("odd", *row, *text),
        Finding::CountsRows => ("counts-rows", 0, ""),
    };
    (column.name.clone(), kind, number, short(text).to_string())
}

/// Copies the cells into memory that this module owns.
fn own(matrix: Matrix) -> Array2<f64> {
    if let Matrix::F64(cells) = matrix {
        return cells;
    }
    matrix.dense(0..matrix.rows())
}
