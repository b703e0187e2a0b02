//! Turns the library's errors and defects into Python's exceptions.

use halfseen::error::short;
use halfseen::{ErrorClass, ErrorKind};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTimeoutError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

import_exception!(halfseen._refused, OutOfRange);
import_exception!(halfseen.errors, BudgetSpent);
import_exception!(halfseen.errors, StudyFileError);
import_exception!(halfseen.errors, TooMuchMemory);

/// Returns the exception for an error: [`BudgetSpent`] and [`TooMuchMemory`] for those, [`OutOfRange`]
/// for a value outside its range, else a `ValueError` with the library's message, for parameters,
/// data and numbers alike.
pub(crate) fn raised(error: halfseen::Error) -> PyErr {
    let mut text = error.to_string();
    if let ErrorKind::OutOfRange { name, allowed: most, value } = error.kind() {
        text = format!("{name} = {} is not allowed: it must be {}", short(value), in_python(most));
    }
    if let ErrorKind::NotAValue { name, expected, text: given } = error.kind() {
        let (given, expected) = (short(given), in_python(expected));
        text = format!("{name} = '{given}' cannot be read: it must be {expected}");
    }
    if let ErrorKind::OutOfRange { name, allowed: most, .. }
    | ErrorKind::NotAValue { name, expected: most, .. } = error.kind()
    {
        return OutOfRange::new_err((text, *name, in_python(most)));
    }
    if let ErrorKind::BudgetSpent { .. } | ErrorKind::CostSpent { .. } = error.kind() {
        return BudgetSpent::new_err(text);
    }
    if let ErrorKind::TooMuchMemory { .. } | ErrorKind::LittleAddressSpace { .. } = error.kind() {
        return TooMuchMemory::new_err(text);
    }
    match error.class() {
        ErrorClass::Interrupted => PyKeyboardInterrupt::new_err(text),
        ErrorClass::Parameter | ErrorClass::Data | ErrorClass::Numerical => {
            PyValueError::new_err(text)
        }
    }
}

/// Returns the exception for an error of a study; those of the library inside as [`raised`].
pub(crate) fn raised_by_study(error: halfseen_study::Error) -> PyErr {
    use halfseen_study::Error;
    let text = error.to_string();
    match error {
        Error::Library(error) => raised(error),
        Error::File { .. } | Error::OtherFormat { .. } | Error::Store { .. } => {
            StudyFileError::new_err(text)
        }
        Error::Busy => PyTimeoutError::new_err(text),
        Error::Spent { .. } => BudgetSpent::new_err(text),
        _ => PyValueError::new_err(text),
    }
}

/// Returns a parameter's allowed values in Python's words: the library's `auto` is None, except
/// among the words of a choice.
pub(crate) fn in_python(allowed: &str) -> String {
    if allowed == "true or false" {
        return "True or False".to_owned();
    }
    let allowed = allowed.replace(", or auto", ", or None").replace(", separated by commas", "");
    match allowed.strip_prefix("auto, ") {
        Some(rest) => format!("None, {rest}"),
        None => allowed,
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
