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

pub mod partial;
pub mod registry;
pub mod select;

/// Holds tables, their columns, targets and layouts, and what learners read of them.
pub mod data {
    #[doc(inline)]
    pub use halfseen_core::data::{
        Basis, Bounds, Cell, Cells, Coded, Column, Costs, Csr, DATE_FORMS, Declared, DeclaredKind,
        Drawn, Examples, Finding, Label, Labels, Layout, LayoutBuilder, Matrix, Moments, NoDates,
        Place, ROWS_EACH, Row, RowCells, Scale, Scaler, Shared, Signs, Table, Target, TargetScale,
        Task, TextColumn, Threat, bad_cell, check_row, check_shape, date_form, date_forms,
        days_since_1970, first_text, missing_target, odd_cell, widened,
    };
}

/// Names what went wrong, where, and what to do.
pub mod error {
    #[doc(inline)]
    pub use halfseen_core::error::{
        Error, ErrorClass, ErrorKind, Result, grouped, list, nearest, short, significant, size,
    };
}

/// Compares rows with missing values.
pub mod kernel {
    #[doc(inline)]
    pub use halfseen_core::kernel::{DenseRows, Kernel, Masked, Scratch, Sketch, SparseRows};
    /// Computes Gram matrices of several kernels in one pass.
    pub mod gram {
        #[doc(inline)]
        pub use halfseen_core::kernel::gram::{bytes_needed, cross, gram};
    }
}

/// Defines the interface of every learner, and the ask-and-tell protocol.
pub mod learner {
    #[doc(inline)]
    pub use halfseen_core::learner::{
        Answer, AskTell, Assignments, ByFeatures, ColumnTerm, Family, FeatureRows, FitSize, Grid,
        InParts, Learner, MissingnessSummary, Monitor, Named, Needed, Query, Read, ReadRole,
        ReadRows, STEPS, Steps, TellOutcome, each_class, refuse_weights, take_all_without_a_budget,
        with,
    };
    /// Fits the settings of a grid that share work together.
    pub mod together {
        #[doc(inline)]
        pub use halfseen_core::learner::together::{each, fits_together, grouped, only};
    }
}

/// Limits memory and threads.
pub mod memory {
    #[doc(inline)]
    pub use halfseen_core::memory::{
        available, limit, reserved, set_limit, start_threads, threads,
    };
}

/// Holds fitted predictors, their reports, and the files of models.
pub mod model {
    #[doc(inline)]
    pub use halfseen_core::model::{
        AttributeCurve, BudgetKind, CalibrationRows, Conditional, Conformal, ConformalIntervals,
        Curve, Curves, Factor, Fit, Intervals, KernelExpansion, Linear, Linears, Link, Model,
        NEAREST, Note, NumberLoss, One, Outside, PerClass, Prediction, Predictor, RawCurve, RawSum,
        Report, Room, SAME, Scores, Sketched, Stop, check_truncation, least_rows,
    };
}

/// Prepares a table: fitted on training rows, stored in the model.
pub mod prepare {
    #[doc(inline)]
    pub use halfseen_core::prepare::{
        Applied, ColumnKind, ColumnSchema, Encoded, Group, Missing, Moment, Options, Other,
        Prepare, Prepared, Schema,
    };
}

pub use error::{Error, ErrorClass, ErrorKind, Result};
pub use halfseen_solve::{self as solve, Monitor, Silent, iterate, projection, sampling};
pub use learner::Learner;
#[doc(inline)]
pub use {
    halfseen_budget::{self as budget, plan},
    halfseen_core::{
        loss::{Expansion, Loss, PowerSeries},
        params,
    },
    halfseen_full as full, halfseen_joint as joint, halfseen_missing as missing,
    halfseen_robust as robust,
};

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
