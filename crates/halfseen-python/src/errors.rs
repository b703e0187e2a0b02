//! Turns the library's errors and defects into Python's exceptions.

use halfseen::{ErrorClass, ErrorKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

import_exception!(halfseen.errors, BudgetSpent);
import_exception!(halfseen.errors, TooMuchMemory);

/// Returns the exception for an error: [`BudgetSpent`] and [`TooMuchMemory`] for those, else a `ValueError` with the
/// library's message, for parameters, data and numbers out of range alike.
pub(crate) fn raised(error: halfseen::Error) -> PyErr {
    let mut text = error.to_string();
    if let ErrorKind::OutOfRange { .. } | ErrorKind::NotAValue { .. } = error.kind() {
        // The library's `auto` is None in Python, except among the words of a choice.
        text = text.replace(", or auto", ", or None").replace("must be auto,", "must be None,");
    }
    if let ErrorKind::BudgetSpent { .. } | ErrorKind::CostSpent { .. } = error.kind() {
        return BudgetSpent::new_err(text);
    }
    if let ErrorKind::TooMuchMemory { .. } = error.kind() {
        return TooMuchMemory::new_err(text);
    }
    match error.class() {
        ErrorClass::Interrupted => PyKeyboardInterrupt::new_err(text),
        ErrorClass::Parameter | ErrorClass::Data | ErrorClass::Numerical => {
            PyValueError::new_err(text)
        }
    }
}

/// Runs `work`; a panic, which is a defect of the library, becomes a `RuntimeError` that says so.
pub(crate) fn guarded<T>(work: impl FnOnce() -> halfseen::Result<T>) -> PyResult<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(raised),
        Err(panic) => Err(defect(&*panic)),
    }
}

/// Returns the exception for a panic.
pub(crate) fn defect(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("unknown");
    PyRuntimeError::new_err(format!(
        "this is a defect of halfseen, not of your data ({text}); please report it with the call that led here"
    ))
}
