//! Estimates second moments from the reads of single examples, for learners that solve a problem in
//! them.
//!
//! `Draws` selects the panels to read, `Sums` sums their products, [`Gatherer`] asks and is told,
//! [`Reduced`] is the quadratic with the weights of known columns minimised out, and [`Ball`]
//! minimises it over the l1 ball.

mod ball;
mod draws;
mod fits;
mod gather;
mod own_test;
mod own_units;
mod products;
mod reduced;
mod sums;
#[cfg(test)]
mod tests;

pub(super) use ball::{Ball, Limits};
pub(super) use fits::{fit_all, fit_grid, in_parts, learn_from_moments, needed, told};
pub(super) use gather::{FromMoments, Gatherer, Gathering, Solved};
pub(super) use reduced::Reduced;
