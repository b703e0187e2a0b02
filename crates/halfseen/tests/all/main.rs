//! Tests of the library, in one program, which is built and linked once: a file for each subject.
//! Beside it are those that need a process of their own.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod ask_tell;
mod at_once;
mod basis;
mod budget;
mod categories;
mod classes;
mod conformal;
mod contract;
mod data_dependent;
mod declared;
mod error_kinds;
mod experiments;
mod holes;
mod holes_toys;
mod identities;
mod late;
mod lower_bounds;
mod near_ties;
mod online;
mod parameters;
mod partial;
mod partial_passes;
mod passive;
mod paying;
mod phases;
mod recorded;
mod registers;
mod replay;
mod robust_boxes;
mod robust_classes;
mod robust_learners;
mod robust_lp;
mod robust_regression;
mod smooth;
mod sparse;
mod states;
mod tested;
mod theory;
mod total_cost;
mod twins;
mod twins_moments;
mod twins_passive;
mod unscaled;
