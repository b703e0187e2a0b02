//! Estimates the memory of a fit from the size of its data, and refuses a fit that needs more than
//! the process may take.
//!
//! A learner counts the numbers of a fit by five terms: the cells of its rows, those that are stored,
//! pairs of columns, pairs of rows, and reads; each with a small factor. The estimate is never below
//! what the fit takes, and seldom above three times that (`tests/memory.rs`).
//!
//! Every fit passes `admit` or `admit_layout` before anything is allocated: the methods of
//! [`Learner`] that callers use, `fit`, `fit_grid`, `fit_curve`, `start` and
//! `resume`, call them and then the methods that learners implement. A learner that grows while it
//! is told, and fits later, calls [`admit_need`] then.

use super::one_against_rest::BATCH;
use super::{Assignments, Learner, with};
use crate::data::memory;
use crate::data::{Examples, Layout};
use crate::error::{ErrorKind, Result};
use std::borrow::Cow;

/// Size of the data of a fit, from which learners estimate their memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FitSize {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns, indicators of categories included.
    pub columns: usize,
    /// Upper bound on the number of cells that are stored and not 0, those of missing categories
    /// included.
    pub stored: usize,
    /// True if the table stores only these, and they are few.
    pub sparse: bool,
    /// Number of attributes that can be read.
    pub panels: usize,
    /// Number of columns that are always known.
    pub known: usize,
    /// Number of classes; 0 for numbers.
    pub classes: usize,
    /// True if rows have weights.
    pub weighted: bool,
    /// Number of rows of a pilot beside these.
    pub pilot: usize,
    /// Number of settings that are fitted together; at least 1.
    pub settings: usize,
    /// Number of fits that are returned for each setting; at least 1.
    pub points: usize,
    /// Bytes of the table itself, with its encoding.
    pub held: f64,
    /// Text column with the largest number of categories, and this number.
    pub widest: Option<(String, usize)>,
}

impl FitSize {
    /// Returns the size of some examples.
    pub fn of(examples: &Examples<'_>) -> FitSize {
        let matrix = examples.matrix;
        let widest = matrix.widest_text().map(|(column, levels)| {
            let layout = examples.layout;
            (layout.name(layout.panel_of(layout.slot(column))).to_owned(), levels)
        });
        FitSize {
            rows: examples.len(),
            stored: matrix.stored(&examples.rows),
            sparse: matrix.is_sparse(&examples.rows),
            classes: examples.classes(),
            weighted: examples.weights.is_some(),
            pilot: examples.pilot.map_or(0, Examples::len),
            held: matrix.bytes(),
            widest,
            ..FitSize::of_layout(examples.layout)
        }
    }

    /// Returns the size of a learner that has not been told anything.
    pub fn of_layout(layout: &Layout) -> FitSize {
        FitSize {
            columns: layout.slots(),
            panels: layout.sampled_panels(),
            known: layout.slots() - layout.sampled_slots(),
            settings: 1,
            points: 1,
            ..FitSize::default()
        }
    }

    /// Returns n d: the cells of a dense copy of the rows, the constant included.
    pub fn cells(&self) -> f64 {
        self.n() * (self.d() + 1.0)
    }

    /// Returns the number of stored cells.
    pub fn entries(&self) -> f64 {
        self.stored as f64
    }

    /// Returns d^2: the products of all pairs of columns, the constant included.
    pub fn column_pairs(&self) -> f64 {
        (self.d() + 1.0).powi(2)
    }

    /// Returns n^2: the products of all pairs of rows.
    pub fn row_pairs(&self) -> f64 {
        self.n().powi(2)
    }

    /// Returns an upper bound on the number of cells that are read with a budget; `None` is auto.
    /// Panels are of several widths, and not all are drawn alike.
    pub fn reads(&self, budget: Option<u64>) -> f64 {
        let panels = self.panels.max(1) as f64;
        let budget = budget.map_or(4.0, |k| k as f64).min(panels);
        let share = (3.0 * budget / panels).min(1.0);
        self.n() * (share * self.d() + self.known as f64).min(self.d())
    }

    /// Returns the numbers of rows with masks of what is observed, of few stored cells or dense.
    pub fn masked(&self, few: bool) -> f64 {
        match few {
            true => 6.0 * self.entries() + 4.0 * self.n() + 3.0 * self.d(),
            // Each row begins at a multiple of 64 bytes.
            false => 1.5 * self.cells() + 15.0 * self.n(),
        }
    }

    /// Returns the products of all pairs of rows or of columns, whichever are fewer.
    pub fn fewest_pairs(&self) -> f64 {
        self.row_pairs().min(self.column_pairs())
    }

    /// Returns true if few cells are stored, of fewer rows than columns.
    pub fn is_wide(&self) -> bool {
        self.sparse && self.columns > self.rows
    }

    /// Returns the rows, as a number.
    pub fn n(&self) -> f64 {
        self.rows as f64
    }

    /// Returns the columns, as a number.
    pub fn d(&self) -> f64 {
        self.columns as f64
    }

    /// Returns the number of columns of targets or scores: 1, or one for each of several classes.
    pub fn outputs(&self) -> f64 {
        if self.classes > 2 { self.classes as f64 } else { 1.0 }
    }

    /// Returns the number of settings that run at once, if they run in parallel.
    pub fn side_by_side(&self) -> f64 {
        self.settings.min(rayon::current_num_threads()) as f64
    }

    /// Returns the number of fitted models.
    pub fn models(&self) -> f64 {
        (self.settings * self.points) as f64
    }
}

/// Memory that a fit takes beside its table.
#[derive(Debug, Clone, PartialEq)]
pub struct Needed {
    /// Upper estimate of the bytes.
    pub bytes: f64,
    /// Change that makes them fewer.
    pub remedy: Cow<'static, str>,
}

impl Needed {
    /// Returns the need of so many numbers, as a learner counts them by the methods of [`FitSize`],
    /// beside those that every fit has: two for each row, some for each column, the batch of one
    /// class against the rest, and the models.
    pub fn of(size: &FitSize, numbers: f64) -> Needed {
        let columns = size.d() + 1.0;
        let batch = if size.classes > 2 { 3.0 * BATCH as f64 * size.outputs() } else { 0.0 };
        let models = 20.0 * columns * size.outputs() * size.models();
        let numbers = numbers + 2.0 * size.n() + 50.0 * columns + batch + models;
        Needed { bytes: 8.0 * numbers, remedy: "fewer rows or columns".into() }
    }

    /// Returns the need with another remedy.
    pub fn with(self, remedy: impl Into<Cow<'static, str>>) -> Needed {
        Needed { remedy: remedy.into(), ..self }
    }
}

/// Remedy for what grows with the square of the columns.
pub const FEWER_COLUMNS: &str =
    "fewer columns, or a learner that needs a few numbers per column, such as aerr";

/// Refuses a fit of some settings, all those of the learner itself if there are none, that needs
/// more memory than it may take.
///
/// # Errors
/// [`ErrorKind::TooMuchMemory`]; settings out of range; [`ErrorKind::Request`].
pub(super) fn admit<L: Learner + ?Sized>(
    learner: &L,
    settings: &[Assignments],
    points: usize,
    examples: &Examples<'_>,
) -> Result<()> {
    if examples.pilot.is_some() && !learner.needs().pilot {
        let problem = format!(
            "learner {} cannot learn from a pilot; omit it, or use fiml, which counts its rows as far as they agree with the others",
            learner.name()
        );
        return Err(ErrorKind::Request(problem).into());
    }
    let size =
        FitSize { settings: settings.len().max(1), points: points.max(1), ..FitSize::of(examples) };
    if settings.is_empty() {
        return check(learner, &size);
    }
    settings.iter().try_for_each(|setting| check(&*with(learner.clone_box(), setting)?, &size))
}

/// Refuses to start a learner that needs more memory than it may take before it is told anything.
///
/// # Errors
/// [`ErrorKind::TooMuchMemory`].
pub(super) fn admit_layout<L: Learner + ?Sized>(learner: &L, layout: &Layout) -> Result<()> {
    check(learner, &FitSize::of_layout(layout))
}

/// Returns the bytes that a fit may take beside a table.
pub fn allowed(size: &FitSize) -> f64 {
    (memory::limit() as f64 - size.held).max(0.0)
}

fn check<L: Learner + ?Sized>(learner: &L, size: &FitSize) -> Result<()> {
    admit_need(learner, size, learner.needed(size))
}

/// Refuses what needs more memory than a learner may take beside data of this size.
///
/// # Errors
/// [`ErrorKind::TooMuchMemory`], [`ErrorKind::LittleAddressSpace`].
pub fn admit_need<L: Learner + ?Sized>(
    learner: &L,
    size: &FitSize,
    Needed { bytes, remedy }: Needed,
) -> Result<()> {
    let allowed = allowed(size);
    if bytes <= allowed {
        let multiplies = learner.needs().multiplies;
        return if multiplies {
            memory::room_for_products(learner.name(), bytes + size.held)
        } else {
            Ok(())
        };
    }
    // More than half of the columns are of one text.
    let widest = size.widest.clone().filter(|(_, levels)| 2 * levels > size.columns);
    Err(ErrorKind::TooMuchMemory {
        learner: learner.name().to_owned(),
        rows: size.rows,
        columns: size.columns,
        needed: bytes,
        allowed,
        widest,
        remedy: remedy.into_owned(),
    }
    .into())
}
