//! Learns linear and kernel predictors from partially observed data.
//!
//! Attributes can be unseen at three moments. Each defines a family of learners, by the cells that
//! a learner may look at and when:
//!
//! | moment | module | a learner gets |
//! |---|---|---|
//! | data collection, at a cost per read | [`budget`] | answers to queries of k attributes |
//! | data with missing values | [`missing`] | values with a mask |
//! | prediction, with deleted attributes | [`robust`] | full rows and a [threat](data::Threat) |
//!
//! [`full`] has reference learners that see everything.
//!
//! # Data collection
//!
//! ```
//! use halfseen::{Learner, budget::Aerr, data::Layout};
//! use std::sync::Arc;
//!
//! let layout = Arc::new(Layout::singletons(100)); // a hundred attributes, each a look of its own
//! let learner = Aerr { budget: Some(4), ..Aerr::default() };
//! let mut running = learner.start(&layout)?.expect("budgeted learners ask and tell");
//! for _ in 0..10 {
//!     let query = running.ask()?; // four attributes of the next example, chosen before it is seen
//!     let values: Vec<f64> = query.reads.iter().map(|read| f64::from(read.panel) / 100.0).collect();
//!     running.tell(&query, &values, 1.0)?; // their values, and the example's target
//! }
//! let predictor = running.predictor(); // at any time
//! assert_eq!(predictor.weights.len(), 100);
//! assert!(running.report().reads <= 40);
//! # Ok::<(), halfseen::Error>(())
//! ```
//!
//! Most of these learners take one step per example and forget it. [`joint::Fiml`] keeps all reads
//! and models attributes and target jointly. It also learns from tables with missing values, and
//! its [`model::Conditional`] predictions impute missing values in new rows.
//!
//! # Data with missing values
//!
//! ```
//! use halfseen::data::{Matrix, Table, Target};
//! use halfseen::prepare::{Options, Prepared};
//! use halfseen::{Learner, Silent, missing::Karma};
//! use ndarray::array;
//!
//! let hole = f64::NAN;
//! let cells = array![[1.0, hole], [0.5, 0.4], [hole, -1.0], [-0.8, hole], [-1.0, -0.9], [0.9, 1.1]];
//! let table = Table::from_matrix(Matrix::F64(cells), vec!["a".into(), "b".into()])?;
//! let table = table.with_column("y", vec![1.1, 0.4, -0.9, -1.0, -1.0, 1.0])?;
//! let target = Target::read(&table, "y", None)?;
//! let learner = Karma { gamma: 2, ..Karma::default() }; // compares rows by what both show
//! let options = Options { intercept: true, ..Options::default() }.suited(&learner.needs());
//! let prepared = Prepared::new(&table, ("y", &target), &[0, 1, 2, 3, 4], &options)?;
//! let fit = learner.fit(&prepared.examples(), &Silent)?;
//! let new = fit.predictor.scores(&prepared.examples_of(&[5]))?; // in scaled units
//! assert!(new.values[0] > 0.0);
//! # Ok::<(), halfseen::Error>(())
//! ```
//!
//! # Overview
//!
//! A table goes through [`prepare`] (fitted once on training rows, stored in the model) to
//! [`data::Examples`]. A [`Learner`] turns them into a [`model::Fit`], and [`model::Model`]
//! combines predictor, preparation and report. [`select`] splits, tunes and compares.
//! [`registry::all`] lists every learner; each declares its parameters once, in [`params`].
//! [`plan`] computes theoretical guarantees before any value is read. [`solve`] has solvers of
//! losses over Gram matrices and features, and [`kernel`] compares rows with missing values.
//!
//! In a loop, a learner that [starts](registry::start) asks and is told ([`learner::AskTell`]).
//!
//! At the lowest level, [`sampling`] draws indices, [`iterate`] moves weight vectors by sparse
//! steps without touching all entries, and [`projection`] is the dense counterpart.
//!
//! Results never depend on the number of threads. The library prints nothing, and does not panic on
//! any input.

mod asking;
pub mod budget;
pub mod data;
pub mod error;
pub mod full;
pub mod joint;
pub mod kernel;
pub mod learner;
mod loss;
pub mod memory;
pub mod missing;
pub mod model;
mod normal;
pub mod params;
pub mod partial;
pub mod plan;
pub mod prepare;
pub mod registry;
pub mod robust;
pub mod select;
mod student;

pub use error::{Error, ErrorClass, ErrorKind, Result};
pub use halfseen_solve as solve;
pub use halfseen_solve::{Monitor, Silent, iterate, projection, sampling};
pub use learner::Learner;
pub use loss::{Expansion, Loss, Series};

/// The example of the crate's page, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// The example in docs/rust.md, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/rust.md")]
pub struct RustPage;

/// The example in docs/own-learner.md, run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/own-learner.md")]
pub struct OwnLearnerPage;
