//! Minimises the hinge loss over a Gram matrix by dual coordinate ascent.
