//! Approximates k_gamma by random features, so that training time is linear in the rows.
