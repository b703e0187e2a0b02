//! Minimises the multi-class hinge loss of Crammer and Singer over a Gram matrix.
