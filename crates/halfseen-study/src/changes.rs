//! Changes a study: asks, answers, corrections, people.

pub(crate) mod changing;
pub(crate) mod drawing;
pub(crate) mod people;
pub(crate) mod telling;
