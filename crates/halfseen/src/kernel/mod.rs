//! Compares rows with missing cells: kernels, their Gram matrices, and random features in their place.

pub mod gram;
mod masked;
mod masked_kernel;
mod sketch;

pub use masked::Masked;
pub use masked_kernel::Kernel;
pub use sketch::{Scratch, Sketch};
