//! States what the theorems of paper D promise, and the numbers that they need.
