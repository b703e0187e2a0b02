//! Minimises the squared loss over a Gram matrix: one eigendecomposition for all C.
