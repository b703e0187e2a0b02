//! Holds the data: matrices with access to single cells, tables with names, and targets.

mod basis;
mod checks;
mod coded;
mod date;
mod drawn;
mod examples;
mod finding;
mod layout;
mod matrix;
#[doc(hidden)]
pub mod memory;
mod nonzero;
mod scaler;
mod shared;
mod signs;
mod table;
mod target;
mod threat;

pub use basis::Basis;
pub use basis::FEWEST_KNOTS;
pub use basis::KNOTS;
pub use basis::knots;
pub(crate) use basis::{hat, hats};
pub use checks::{bad_cell, check_row, check_shape};
pub(crate) use coded::Attribute;
pub use coded::Coded;
pub use date::{DATE_FORMS, date_forms, days_since_1970};
pub use drawn::Drawn;
pub(crate) use examples::check_weights;
pub use examples::{Declared, Examples, Labels, Moments, Row, widened};
pub use finding::{DeclaredKind, Finding, NoDates, ROWS_EACH, date_form, first_text, odd_cell};
pub use layout::{Layout, LayoutBuilder};
pub use matrix::{Csr, Matrix, RowCells};
pub use nonzero::Cells;
pub use scaler::ColumnFacts;
pub(crate) use scaler::TrainingCells;
pub use scaler::{Bounds, Scale, Scaler, TargetScale};
pub use shared::Shared;
pub use signs::Signs;
pub use table::{Cell, Column, Place, Table, TextColumn};
pub use target::{Label, Target, Task, missing_target};
pub use threat::count;
pub use threat::{Costs, Threat};
