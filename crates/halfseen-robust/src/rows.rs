//! Stores the nonzero values of rows in a layout's order of slots, so that those of an attribute
//! are contiguous.

use halfseen_core::data::{Cells, Examples, Layout, bad_cell, check_shape};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::FitSize;
use halfseen_solve::lp::ConstraintRows;
use std::sync::{Arc, OnceLock};

/// Scaled rows without zeros.
///
/// A row is a list of entries (slot, value), slots increasing. Weights of this family's learners
/// are in the order of slots too; [`Rows::by_column`] reorders them by column.
#[derive(Debug, Clone)]
pub struct Rows {
    starts: Vec<usize>,
    slots: Vec<u32>,
    values: Vec<f64>,
    /// Weight of each row; `None` means 1 for all.
    weights: Option<Vec<f64>>,
    /// Slot -> attribute (sampled panel), or [`KNOWN`].
    attribute: Vec<u32>,
    attributes: usize,
    /// True if slot and attribute have the same number: every attribute is one column and can be
    /// deleted.
    single: bool,
    layout: Arc<Layout>,
    sizes: OnceLock<Sizes>,
}

/// Sizes of rows and of their entries.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizes {
    /// Largest |x| of each slot.
    pub largest: Vec<f64>,
    /// R^2: the largest squared Euclidean norm of a row.
    pub square: f64,
    /// Largest l1 norm of a row.
    pub absolute: f64,
    /// Mean l1 norm of a row; infinite if all rows are 0.
    pub mean: f64,
}

impl Sizes {
    fn of(rows: &Rows) -> Sizes {
        let mut largest = vec![0.0_f64; rows.width()];
        let (mut most_square, mut most_absolute, mut sum) = (0.0_f64, 0.0_f64, 0.0);
        for i in 0..rows.len() {
            let (mut square, mut absolute) = (0.0, 0.0);
            let (slots, values) = rows.row(i);
            if values.len() == largest.len() {
                // No look-ups: several slots at once.
                largest.iter_mut().zip(values).for_each(|(most, x)| *most = most.max(x.abs()));
            } else {
                for (&slot, x) in slots.iter().zip(values) {
                    largest[slot as usize] = largest[slot as usize].max(x.abs());
                }
            }
            for x in values {
                square += x * x;
                absolute += x.abs();
            }
            (most_square, most_absolute) = (most_square.max(square), most_absolute.max(absolute));
            sum += rows.weight(i) * absolute;
        }
        let mean = if sum > 0.0 { sum / rows.total() } else { f64::INFINITY };
        Sizes { largest, square: most_square, absolute: most_absolute, mean }
    }
}

/// Marks an attribute that is never deleted.
pub use halfseen_solve::lp::deletion::KNOWN;

impl Rows {
    /// Returns the numbers of rows while their lists grow, and those of measuring the attributes.
    pub(super) fn numbers(size: &FitSize) -> f64 {
        4.5 * size.entries() + 6.0 * size.n()
    }

    /// Reads all rows.
    ///
    /// # Errors
    /// If there are no rows or columns, a target or cell is missing or infinite, or no attribute
    /// can be deleted.
    pub fn new(examples: &Examples<'_>, learner: &str) -> Result<Rows> {
        check_shape(examples, learner)?;
        let layout = examples.layout;
        let mut rows =
            Rows { weights: examples.weight_list().map(moderate), ..Rows::none(layout, learner)? };
        let (mut cells, mut entries) = (Cells::of(examples), Vec::new());
        for i in 0..examples.len() {
            cells.read(examples, i);
            if let Some((column, value)) = cells.bad() {
                return Err(bad_cell(examples, i, column, value));
            }
            let (columns, values) = cells.lists();
            // A cell may be stored as 0 or become 0 by scaling.
            if layout.is_plain() && values.iter().fold(true, |whole, x| whole & (*x != 0.0)) {
                rows.slots.extend_from_slice(columns);
                rows.values.extend_from_slice(values);
            } else {
                entries.clear();
                let kept = cells.iter().filter(|(_, x)| *x != 0.0);
                entries.extend(kept.map(|(column, x)| (layout.slot(column) as u32, x)));
                entries.sort_unstable_by_key(|entry| entry.0);
                rows.slots.extend(entries.iter().map(|entry| entry.0));
                rows.values.extend(entries.iter().map(|entry| entry.1));
            }
            rows.starts.push(rows.slots.len());
        }
        Ok(rows)
    }

    /// Returns no rows.
    ///
    /// # Errors
    /// If no attribute can be deleted.
    fn none(layout: &Arc<Layout>, learner: &str) -> Result<Rows> {
        if layout.sampled_panels() == 0 {
            let problem =
                "all attributes are known, and known ones are never deleted; declare fewer of them"
                    .to_owned();
            return Err(ErrorKind::WrongDeclaration {
                what: "threat",
                name: learner.to_owned(),
                problem,
            }
            .into());
        }
        let mut rows = Rows {
            starts: vec![0],
            slots: Vec::new(),
            values: Vec::new(),
            weights: None,
            attribute: (0..layout.slots()).map(|slot| attribute_of(layout, slot)).collect(),
            attributes: layout.sampled_panels(),
            single: false,
            layout: Arc::clone(layout),
            sizes: OnceLock::new(),
        };
        rows.single =
            rows.attribute.iter().enumerate().all(|(slot, &attribute)| slot == attribute as usize);
        Ok(rows)
    }

    /// Returns the rows as input of the linear programs.
    pub(super) fn view(&self) -> ConstraintRows<'_> {
        let Rows { starts, slots, values, weights, .. } = self;
        ConstraintRows { starts, slots, values, weights: weights.as_deref(), width: self.width() }
    }

    /// Returns the sizes of the rows, measured once.
    pub fn sizes(&self) -> &Sizes {
        self.sizes.get_or_init(|| Sizes::of(self))
    }

    /// Reads a value of each cache line of a row, so that those that are not in the caches are loaded
    /// together.
    #[inline]
    pub(super) fn touch(&self, row: usize) {
        let values = self.row(row).1;
        std::hint::black_box(values.iter().step_by(8).chain(values.last()).sum::<f64>());
    }

    /// Returns the weight of a row in means; 1 without weights. Weights with a very small or large
    /// mean are divided by it.
    #[inline]
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[row])
    }

    /// Returns the sum of the weights; the number of rows without weights.
    pub fn total(&self) -> f64 {
        self.weights.as_ref().map_or(self.len() as f64, |weights| weights.iter().sum())
    }

    /// Returns true if rows have weights.
    pub fn weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Returns true if there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of slots, that is of weights.
    pub fn width(&self) -> usize {
        self.attribute.len()
    }

    /// Returns the number of attributes that can be deleted.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// Returns true if slot and attribute have the same number.
    pub fn single(&self) -> bool {
        self.single
    }

    /// Returns the attribute of each slot, [`KNOWN`] if never deleted.
    pub fn attribute(&self) -> &[u32] {
        &self.attribute
    }

    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.slots.len()
    }

    /// Returns the range of a row among all entries.
    #[inline]
    pub fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Returns the slots and values of one row.
    #[inline]
    pub fn row(&self, row: usize) -> (&[u32], &[f64]) {
        let range = self.range(row);
        (&self.slots[range.clone()], &self.values[range])
    }

    /// Returns the rows `keep` in that order, with equal weights.
    pub fn select(&self, keep: &[usize]) -> Rows {
        let mut kept =
            Rows { starts: vec![0], slots: Vec::new(), values: Vec::new(), ..self.shell() };
        for &row in keep {
            let (slots, values) = self.row(row);
            kept.slots.extend_from_slice(slots);
            kept.values.extend_from_slice(values);
            kept.starts.push(kept.slots.len());
        }
        kept
    }

    /// Returns the values of a row in which no slot is 0, if each slot is an attribute.
    #[inline]
    pub(super) fn whole(&self, row: usize) -> Option<&[f64]> {
        Some(self.row(row).1).filter(|values| self.single && values.len() == self.width())
    }

    /// Computes each attribute's contribution to the score of a row for these weights (n_slots).
    /// Appends (attribute, sum of w x), attributes increasing, if it is not 0, and returns the
    /// contribution of known attributes.
    pub fn contributions(
        &self,
        row: usize,
        weights: &[f64],
        attributes: &mut Vec<u32>,
        sums: &mut Vec<f64>,
    ) -> f64 {
        attributes.clear();
        sums.clear();
        let (slots, values) = self.row(row);
        if self.single {
            attributes.extend_from_slice(slots);
            if slots.len() == weights.len() {
                // No look-ups: several products at once.
                sums.extend(weights.iter().zip(values).map(|(w, x)| w * x));
            } else {
                sums.extend(slots.iter().zip(values).map(|(&slot, x)| weights[slot as usize] * x));
            }
            return 0.0;
        }
        let mut known = 0.0;
        for (&slot, x) in slots.iter().zip(values) {
            let (attribute, part) = (self.attribute[slot as usize], weights[slot as usize] * x);
            match (attribute, attributes.last(), sums.last_mut()) {
                (KNOWN, ..) => known += part,
                (_, Some(&last), Some(sum)) if last == attribute => *sum += part,
                _ => {
                    attributes.push(attribute);
                    sums.push(part);
                }
            }
        }
        known
    }

    /// Visits the entries of a row after deletions: slot, value, and the remaining share of its
    /// attribute (1 if it is never deleted). `attributes` come from [`Rows::contributions`], and
    /// `deleted` are their deleted shares.
    #[inline]
    pub fn kept(
        &self,
        row: usize,
        attributes: &[u32],
        deleted: &[f64],
        mut visit: impl FnMut(usize, f64, f64),
    ) {
        let (slots, values) = self.row(row);
        if self.single {
            let entries = slots.iter().zip(values).zip(deleted);
            entries.for_each(|((&slot, &x), deleted)| visit(slot as usize, x, 1.0 - deleted));
            return;
        }
        let mut at = 0;
        for (&slot, &x) in slots.iter().zip(values) {
            let attribute = self.attribute[slot as usize];
            if attribute == KNOWN {
                visit(slot as usize, x, 1.0);
                continue;
            }
            while attributes[at] != attribute {
                at += 1;
            }
            visit(slot as usize, x, 1.0 - deleted[at]);
        }
    }

    /// Reorders numbers from slots to columns.
    pub fn by_column(&self, by_slot: &[f64]) -> Vec<f64> {
        (0..by_slot.len()).map(|column| by_slot[self.layout.slot(column)]).collect()
    }

    fn shell(&self) -> Rows {
        Rows {
            starts: vec![0],
            slots: Vec::new(),
            values: Vec::new(),
            weights: None,
            attribute: self.attribute.clone(),
            attributes: self.attributes,
            single: self.single,
            layout: Arc::clone(&self.layout),
            sizes: OnceLock::new(),
        }
    }
}

/// Range of means in which solvers use weights unchanged: a row of weight 2 then acts exactly like
/// two rows.
const MODERATE: std::ops::RangeInclusive<f64> = 0.01..=100.0;

/// Rescales weights to a moderate mean; only their ratios matter to a mean.
fn moderate(mut weights: Vec<f64>) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len() as f64;
    if !MODERATE.contains(&mean) {
        weights.iter_mut().for_each(|weight| *weight /= mean);
    }
    weights
}

pub(super) fn attribute_of(layout: &Layout, slot: usize) -> u32 {
    let panel = layout.panel_of(slot);
    if panel < layout.sampled_panels() { panel as u32 } else { KNOWN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_core::data::{Csr, Matrix, Scaler};
    use ndarray::array;

    #[test]
    fn sparse_and_dense_rows_give_the_same_entries_in_the_order_of_slots() {
        let mut builder = Layout::builder(4);
        builder.known("age", vec![0]);
        builder.sampled("colour", vec![3, 1]);
        builder.sampled("size", vec![2]);
        let layout = Arc::new(builder.finish().unwrap());
        let dense = Matrix::F64(array![[1.0, 2.0, 0.0, 4.0], [0.0; 4], [0.0, 0.0, 8.0, 0.0]]);
        // One cell is stored as 0.
        let (starts, columns) = (vec![0, 4, 4, 5], vec![0, 1, 2, 3, 2]);
        let sparse =
            Matrix::Csr(Csr::new(starts, columns, vec![1.0, 2.0, 0.0, 4.0, 8.0], 4).unwrap());
        let scaler = Scaler::Each { offset: vec![0.0; 4], divisor: vec![1.0, 2.0, 4.0, 8.0] };
        for matrix in [dense, sparse] {
            let rows =
                Rows::new(&Examples::new(&matrix, &scaler, &layout, &[0.0; 3]), "test").unwrap();
            assert_eq!(rows.row(0), (&[0, 1, 3][..], &[0.5, 1.0, 1.0][..]));
            assert_eq!(rows.row(1), (&[][..], &[][..]));
            assert_eq!(rows.row(2), (&[2][..], &[2.0][..]));
            assert_eq!(rows.attribute(), [0, 0, 1, KNOWN]);
        }
    }

    #[test]
    fn sizes_are_of_all_rows() {
        let layout = Arc::new(Layout::singletons(2));
        let of = |cells| {
            let matrix = Matrix::F64(cells);
            let scaler = Scaler::None {};
            Rows::new(&Examples::new(&matrix, &scaler, &layout, &[1.0; 2]), "test").unwrap()
        };
        let rows = of(array![[3.0, -4.0], [0.0, 5.0]]);
        let sizes = |largest: [f64; 2], square, absolute, mean| Sizes {
            largest: largest.to_vec(),
            square,
            absolute,
            mean,
        };
        assert_eq!(*rows.sizes(), sizes([3.0, 5.0], 25.0, 7.0, 6.0));
        assert_eq!(rows.select(&[1]).sizes().mean, 5.0);
        let nothing = of(array![[0.0, 0.0], [0.0, 0.0]]);
        assert_eq!(*nothing.sizes(), sizes([0.0; 2], 0.0, 0.0, f64::INFINITY));
    }
}
