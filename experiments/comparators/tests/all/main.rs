//! Holds the comparators to the tests of the library's learners, and to some of their own, in one
//! program.
#![allow(clippy::unwrap_used)]

#[path = "../../../../crates/halfseen/tests/common/mod.rs"]
mod common;

#[path = "../../../../crates/halfseen/tests/all/ask_tell.rs"]
mod ask_tell;
#[path = "../../../../crates/halfseen/tests/all/at_once.rs"]
mod at_once;
#[path = "../../../../crates/halfseen/tests/all/basis.rs"]
mod basis;
#[path = "../../../../crates/halfseen/tests/all/budget.rs"]
mod budget;
#[path = "../../../../crates/halfseen/tests/all/categories.rs"]
mod categories;
#[path = "../../../../crates/halfseen/tests/all/contract.rs"]
mod contract;
#[path = "../../../../crates/halfseen/tests/all/declared.rs"]
mod declared;
#[path = "../../../../crates/halfseen/tests/all/holes.rs"]
mod holes;
#[path = "../../../../crates/halfseen/tests/all/identities.rs"]
mod identities;
#[path = "../../../../crates/halfseen/tests/all/paying.rs"]
mod paying;
#[path = "../../../../crates/halfseen/tests/all/recorded.rs"]
mod recorded;
#[path = "../../../../crates/halfseen/tests/all/registers.rs"]
mod registers;
#[path = "../../../../crates/halfseen/tests/all/robust_classes.rs"]
mod robust_classes;
#[path = "../../../../crates/halfseen/tests/all/sparse.rs"]
mod sparse;
#[path = "../../../../crates/halfseen/tests/all/total_cost.rs"]
mod total_cost;
#[path = "../../../../crates/halfseen/tests/all/unscaled.rs"]
mod unscaled;

mod claims;
mod hinges;
