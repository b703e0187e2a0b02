//! Sets up what a study asks of whom.

pub(crate) mod asker;
pub(crate) mod design;
pub(crate) mod setup;
