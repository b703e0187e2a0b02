//! Prepares the rows for the interior-point method: signed cells, in units in which box, values and
//! scores are about 1.

use super::super::ConstraintRows;
use super::{KNOWN, Program};
use std::ops::Range;

/// Least number of rows per part; each further part costs a triangle.
const LEAST_ROWS: usize = 32;

/// Largest number of parallel parts. Their sums are added in order, so that results do not depend
/// on threads.
const MOST_PARTS: usize = 8;

/// Largest total size in bytes of the parts' triangles, unless two parts need more.
const TRIANGLES: f64 = 256.0 * 1024.0 * 1024.0;

/// Linear program in its own units: weights w / C in [-1, 1], scores over C max|x|, values over
/// their mean.
#[derive(Debug)]
pub(super) struct Problem {
    /// Rows, in order.
    pub(super) parts: Vec<Part>,
    pub(super) width: usize,
    /// True with a bias b.
    pub(super) bias: bool,
    /// N.
    pub(super) budget: f64,
    /// gamma.
    pub(super) margin: f64,
    /// gamma / P.
    pub(super) rate: f64,
    /// C.
    pub(super) radius: f64,
    /// Unit of the score.
    pub(super) unit: f64,
}

/// Part of the rows.
#[derive(Debug)]
pub(super) struct Part {
    /// y_i.
    pub(super) signs: Vec<f64>,
    /// s_i: the weight of each row.
    pub(super) weights: Vec<f64>,
    /// Row i has the entries `starts[i]..starts[i + 1]`.
    pub(super) starts: Vec<usize>,
    /// Slot of each entry, increasing in a row.
    pub(super) slots: Vec<u32>,
    /// a = y x of each entry.
    pub(super) cells: Vec<f64>,
    /// Row i has the items `items[i]..items[i + 1]`: its nonzero attributes that can be deleted.
    pub(super) items: Vec<usize>,
    /// v of each item.
    pub(super) values: Vec<f64>,
    /// Index in the row of each entry's item, or [`KNOWN`]; empty if items and entries coincide.
    pub(super) owners: Vec<u32>,
}

impl Problem {
    /// Prepares the rows `keep`, in that order.
    pub(super) fn new(program: &Program<'_>, keep: &[usize]) -> Problem {
        let Program { rows, values, radius, bias, .. } = *program;
        let largest = keep.iter().flat_map(|&i| rows.row(i).1).fold(0.0_f64, |m, x| m.max(x.abs()));
        let (mut count, mut sum) = (0.0, 0.0);
        for value in values.iter().filter(|v| **v > 0.0) {
            count += 1.0;
            sum += value;
        }
        let (worth, unit) = (sum / count, if largest > 0.0 { radius * largest } else { radius });
        let scale = radius / unit;
        let parts = split(&rows, keep)
            .into_iter()
            .map(|range| Part::new(program, &keep[range], scale, 1.0 / worth))
            .collect();
        Problem {
            parts,
            width: rows.width,
            bias,
            budget: program.budget / worth,
            margin: program.margin / unit,
            rate: program.rate * worth / unit,
            radius,
            unit,
        }
    }

    pub(super) fn total(&self) -> f64 {
        self.parts.iter().flat_map(|part| &part.weights).sum()
    }

    /// Returns the number of pairs of slack and multiplier, counted by row weight.
    pub(super) fn pairs(&self) -> f64 {
        let of = |part: &Part| -> f64 {
            (0..part.rows())
                .map(|row| part.weights[row] * (2 * part.items(row).len() + 3) as f64)
                .sum()
        };
        self.parts.iter().map(of).sum::<f64>() + (2 * self.width) as f64
    }
}

/// Splits rows into parts with about equal numbers of entries.
fn split(rows: &ConstraintRows<'_>, keep: &[usize]) -> Vec<Range<usize>> {
    let parts = parts(rows.width, keep.len());
    let total: usize = keep.iter().map(|&i| rows.range(i).len() + 1).sum();
    let (mut ranges, mut first, mut passed) = (Vec::with_capacity(parts), 0, 0);
    for (at, &i) in keep.iter().enumerate() {
        passed += rows.range(i).len() + 1;
        if passed * parts >= total * (ranges.len() + 1) || at + 1 == keep.len() {
            ranges.push(first..at + 1);
            first = at + 1;
        }
    }
    ranges
}

/// Returns the number of parts for `count` rows.
fn parts(width: usize, count: usize) -> usize {
    let triangle = 8.0 * super::triangle::size(width + 1) as f64;
    let affordable = (TRIANGLES / triangle) as usize;
    (count / LEAST_ROWS).min(MOST_PARTS).min(affordable.max(2)).max(1)
}

impl Part {
    fn new(program: &Program<'_>, keep: &[usize], scale: f64, worth: f64) -> Part {
        let Program { rows, signs, attribute, values, .. } = *program;
        let single = program.single();
        let entries: usize = keep.iter().map(|&i| rows.range(i).len()).sum();
        let mut part = Part {
            signs: Vec::with_capacity(keep.len()),
            weights: keep.iter().map(|&i| rows.weight(i)).collect(),
            starts: Vec::with_capacity(keep.len() + 1),
            slots: Vec::with_capacity(entries),
            cells: Vec::with_capacity(entries),
            items: Vec::with_capacity(keep.len() + 1),
            values: Vec::with_capacity(entries),
            owners: Vec::new(),
        };
        part.starts.push(0);
        part.items.push(0);
        for &i in keep {
            let (slots, cells) = rows.row(i);
            let y = signs[i];
            part.signs.push(y);
            part.slots.extend_from_slice(slots);
            part.cells.extend(cells.iter().map(|x| y * x * scale));
            if single {
                part.values.extend(slots.iter().map(|&slot| values[slot as usize] * worth));
            } else {
                let (mut last, first) = (KNOWN, part.values.len());
                for &slot in slots {
                    let attribute = attribute[slot as usize];
                    if attribute != KNOWN && attribute != last {
                        part.values.push(values[attribute as usize] * worth);
                        last = attribute;
                    }
                    let number = (part.values.len() - first).wrapping_sub(1) as u32;
                    part.owners.push(if attribute == KNOWN { KNOWN } else { number });
                }
            }
            part.starts.push(part.slots.len());
            part.items.push(part.values.len());
        }
        part
    }

    pub(super) fn rows(&self) -> usize {
        self.signs.len()
    }

    #[inline(always)]
    pub(super) fn items(&self, row: usize) -> Range<usize> {
        self.items[row]..self.items[row + 1]
    }

    #[inline(always)]
    pub(super) fn entries(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }

    /// Returns the largest number of items or entries of a row, which determines the workspace.
    pub(super) fn longest(&self) -> usize {
        let most =
            |starts: &[usize]| starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        most(&self.starts).max(most(&self.items))
    }

    /// Writes z = sum of a w over the entries of each item into `out` (items of the row); returns
    /// the sum of known entries.
    #[inline(always)]
    pub(super) fn gather(&self, row: usize, weights: &[f64], out: &mut [f64]) -> f64 {
        let entries = self.entries(row);
        let (slots, cells) = (&self.slots[entries.clone()], &self.cells[entries.clone()]);
        if self.owners.is_empty() {
            for ((z, a), &slot) in out.iter_mut().zip(cells).zip(slots) {
                *z = a * weights[slot as usize];
            }
            return 0.0;
        }
        out.fill(0.0);
        let mut known = 0.0;
        for ((a, &slot), &owner) in cells.iter().zip(slots).zip(&self.owners[entries]) {
            let part = a * weights[slot as usize];
            match owner {
                KNOWN => known += part,
                owner => out[owner as usize] += part,
            }
        }
        known
    }

    /// Adds a times its item's number, or times `known`, to the slot of every entry.
    #[inline(always)]
    pub(super) fn spread(&self, row: usize, numbers: &[f64], known: f64, out: &mut [f64]) {
        let entries = self.entries(row);
        let (slots, cells) = (&self.slots[entries.clone()], &self.cells[entries.clone()]);
        if self.owners.is_empty() {
            for ((k, a), &slot) in numbers.iter().zip(cells).zip(slots) {
                out[slot as usize] += a * k;
            }
            return;
        }
        for ((a, &slot), &owner) in cells.iter().zip(slots).zip(&self.owners[entries]) {
            out[slot as usize] += a * if owner == KNOWN { known } else { numbers[owner as usize] };
        }
    }
}
