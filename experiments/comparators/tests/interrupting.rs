//! Holds the comparators to looking at their monitor.

#[path = "../../../crates/halfseen/tests/interrupting.rs"]
mod interrupting;
