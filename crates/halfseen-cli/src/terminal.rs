//! Writes to the terminal: results, progress, errors, colours; and takes interruptions.

pub(crate) mod colour;
pub(crate) mod failure;
pub(crate) mod format;
pub(crate) mod interrupt;
pub(crate) mod measure;
pub(crate) mod output;
pub(crate) mod progress;
