//! Exposes the library to Python: the private module `halfseen._core`.
//!
//! It holds only what Python cannot do: conversion of arrays, and long work without the
//! interpreter's lock. The user interface is written in Python, in `python/halfseen`; every rule
//! and every default is the library's.

mod arrays;
mod ask_tell;
mod background;
mod comparing;
mod completion;
mod encoder;
mod errors;
mod fitting;
mod kinds;
mod learners;
mod model;
mod online;
mod partial;
mod planning;
mod query;
mod robustness;
mod study;
mod suggest;

use pyo3::prelude::*;

/// Limits the memory that the process may take, in bytes; `None` restores the default.
#[pyfunction]
fn set_memory_limit(bytes: Option<std::num::NonZeroU64>) {
    halfseen::memory::set_limit(bytes.map_or(0, std::num::NonZeroU64::get));
}

/// Returns the bytes that the process may take.
#[pyfunction]
fn get_memory_limit() -> u64 {
    halfseen::memory::limit()
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_function(wrap_pyfunction!(learners::learners, module)?)?;
    module.add_function(wrap_pyfunction!(learners::refused, module)?)?;
    module.add_function(wrap_pyfunction!(suggest::suggest, module)?)?;
    module.add_function(wrap_pyfunction!(planning::plan, module)?)?;
    module.add_function(wrap_pyfunction!(comparing::compare, module)?)?;
    module.add_function(wrap_pyfunction!(kinds::days, module)?)?;
    module.add_function(wrap_pyfunction!(fitting::fit, module)?)?;
    module.add_function(wrap_pyfunction!(completion::complete, module)?)?;
    module.add_function(wrap_pyfunction!(robustness::attributes, module)?)?;
    module.add_function(wrap_pyfunction!(robustness::certify, module)?)?;
    module.add_function(wrap_pyfunction!(robustness::certified_error, module)?)?;
    module.add_function(wrap_pyfunction!(robustness::attack, module)?)?;
    module.add_function(wrap_pyfunction!(robustness::information, module)?)?;
    module.add_function(wrap_pyfunction!(study::draft, module)?)?;
    module.add_function(wrap_pyfunction!(set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(get_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(partial::marks, module)?)?;
    module.add_class::<arrays::Table>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<encoder::Encoder>()?;
    module.add_class::<ask_tell::Learner>()?;
    module.add_class::<query::Query>()?;
    module.add_class::<online::OnlineKarma>()?;
    module.add_class::<partial::Partial>()?;
    module.add_class::<study::Study>()?;
    Ok(())
}
