//! Holds the comparators to the memory that they say they need.

#[path = "../../../crates/halfseen/tests/memory.rs"]
mod memory;
