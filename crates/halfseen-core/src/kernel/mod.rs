//! Compares rows with missing values: kernels, their Gram matrices, and random features.
//!
//! | item | meaning |
//! |---|---|
//! | [`Masked`] | rows, zero-filled, with their masks: [`DenseRows`] or [`SparseRows`] |
//! | [`Kernel`] | k_gamma of Hazan, Livni and Mansour 2015 |
//! | [`gram`] | Gram matrices of several kernels at once |
//! | [`Sketch`] | random features of k_gamma, for many rows |

pub mod gram;
mod masked;
mod masked_kernel;
mod sketch;

pub use masked::{DenseRows, Masked, SparseRows};
pub use masked_kernel::Kernel;
pub use sketch::{Scratch, Sketch};
