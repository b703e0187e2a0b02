//! Estimates second moments from the reads of single examples, for learners that solve a problem in
//! them.
//!
//! `Draws` selects the panels to read, `Sums` sums their products, `Gatherer` asks and is told,
//! [`Reduced`] is the quadratic with the weights of known columns minimised out, and `Ball`
//! minimises it over the l1 ball. [`learn_from_moments`] makes a learner of a type that is
//! [`FromMoments`].

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
#[doc(inline)]
pub use fits::learn_from_moments;
pub use fits::{begin, fit_curve, fit_grid, fit_rows, in_parts, needed, proceed, steps};
pub use gather::{FromMoments, Gathering, MomentSolution};
pub use reduced::Reduced;
