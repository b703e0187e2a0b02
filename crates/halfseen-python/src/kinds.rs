//! Reads columns as numbers and dates, as they were declared.

use halfseen::ErrorKind;
use halfseen::data::{self, date_form, days_since_1970, first_text};
use halfseen::error::short;
use halfseen::prepare::Schema;
use numpy::PyArray1;
use pyo3::prelude::*;

/// Returns the names of the columns that are dates.
pub(crate) fn dates(schema: &Schema) -> Vec<String> {
    schema.columns.iter().filter(|c| c.date.is_some()).map(|c| c.name.clone()).collect()
}

/// Returns the days from 1970-01-01 to dates such as `2024-01-31T12:30`, with their fraction; NaN
/// for other texts.
#[pyfunction]
pub(crate) fn days<'py>(py: Python<'py>, texts: Vec<String>) -> Bound<'py, PyArray1<f64>> {
    let day = |text: String| days_since_1970(&text, "%Y-%m-%d").unwrap_or(f64::NAN);
    PyArray1::from_vec(py, texts.into_iter().map(day).collect())
}

/// Makes a column of numerals one of numbers.
pub(crate) fn as_number(table: data::Table, name: &str) -> halfseen::Result<data::Table> {
    let column = table.column(name)?;
    if let Some((row, odd)) = first_text(&table, column) {
        let problem = format!("row {row} holds '{}', which is not a number", short(odd));
        return Err(declared_wrongly(name, problem));
    }
    table.with_numbers(name)
}

/// Returns the form of the dates of a column that was declared one.
pub(crate) fn form(table: &data::Table, name: &str) -> halfseen::Result<String> {
    let column = table.column(name)?;
    let form = date_form(table, column);
    form.map(str::to_owned)
        .map_err(|no| declared_wrongly(name, format!("it {}", no.problem(|row| row))))
}

fn declared_wrongly(name: &str, problem: String) -> halfseen::Error {
    ErrorKind::WrongDeclaration { what: "kind", name: name.to_owned(), problem }.into()
}
