//! Tests the learner as a whole.
