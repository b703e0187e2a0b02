//! Minimises (1/2) |v|^2 + C sum of losses, over a Gram matrix or over features, to a certified duality gap.

pub mod biased;
pub mod hinge;
pub mod linear;
pub mod multiclass;
pub mod ridge;
