//! Stores affine pieces of losses: the loss of a row for one slope and one set of deletions.
//!
//! A piece c of row i is k_c - e_c (<x_i - r_c, w> + b): `constant` k, `slope` e, and r_c the
//! deleted entries, of which there are few. Pieces are never expanded: scores and sums use the row
//! once and then corrections.

use crate::lp::ConstraintRows;
use rayon::prelude::*;
use std::ops::Range;

/// Number of row groups with separate sums, added in order, so that results do not depend on the
/// number of threads.
const CHUNKS: usize = 16;

/// Pieces in any order.
#[derive(Debug, Clone, Default)]
pub struct List {
    pub(super) example: Vec<u32>,
    /// Index of the loss's slope.
    pub(super) group: Vec<u8>,
    pub(super) slope: Vec<f64>,
    pub(super) constant: Vec<f64>,
    /// End of each piece's entries.
    ends: Vec<usize>,
    slots: Vec<u32>,
    removed: Vec<f64>,
}

impl List {
    pub(super) fn len(&self) -> usize {
        self.slope.len()
    }

    /// Adds the piece `constant` - `slope` (score + b) of a row, `group` the index of its slope;
    /// calls of [`List::remove`] add the deletions.
    pub fn push(&mut self, example: usize, group: u8, slope: f64, constant: f64) {
        self.example.push(example as u32);
        self.group.push(group);
        self.slope.push(slope);
        self.constant.push(constant);
        self.ends.push(self.slots.len());
    }

    /// Deletes `value` at a slot from the last piece; slots increase.
    pub fn remove(&mut self, slot: u32, value: f64) {
        self.slots.push(slot);
        self.removed.push(value);
        if let Some(end) = self.ends.last_mut() {
            *end = self.slots.len();
        }
    }

    /// Returns the deleted entries of a piece.
    #[inline]
    pub(super) fn removed(&self, piece: usize) -> (&[u32], &[f64]) {
        let start = if piece == 0 { 0 } else { self.ends[piece - 1] };
        let range = start..self.ends[piece];
        (&self.slots[range.clone()], &self.removed[range])
    }

    fn copy(&mut self, from: &List, piece: usize) {
        let (slots, removed) = from.removed(piece);
        self.slots.extend_from_slice(slots);
        self.removed.extend_from_slice(removed);
        self.example.push(from.example[piece]);
        self.group.push(from.group[piece]);
        self.slope.push(from.slope[piece]);
        self.constant.push(from.constant[piece]);
        self.ends.push(self.slots.len());
    }
}

/// Pieces by row, and within a row by slope.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'a> {
    pub(super) rows: ConstraintRows<'a>,
    pub(super) intercept: bool,
    pub(super) list: List,
    /// Row i has the pieces `of[i]..of[i + 1]`.
    of: Vec<usize>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(rows: ConstraintRows<'a>, intercept: bool) -> Pieces<'a> {
        Pieces { rows, intercept, list: List::default(), of: vec![0; rows.len() + 1] }
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    #[inline]
    pub(super) fn weight(&self, piece: usize) -> f64 {
        self.rows.weight(self.list.example[piece] as usize)
    }

    /// Returns the number of pairs of slack and multiplier: pieces and losses counted by row
    /// weight, and two per weight.
    pub(super) fn pairs(&self) -> f64 {
        let rows: f64 =
            (0..self.rows.len()).map(|i| self.rows.weight(i) * (self.of(i).len() + 1) as f64).sum();
        rows + 2.0 * self.rows.width as f64
    }

    /// Returns the number of unknowns: weights, and the bias last if there is one.
    pub(super) fn width(&self) -> usize {
        self.rows.width + usize::from(self.intercept)
    }

    #[inline]
    pub(super) fn of(&self, row: usize) -> Range<usize> {
        self.of[row]..self.of[row + 1]
    }

    /// Keeps some pieces and adds others; returns the previous index of each piece.
    pub(super) fn change(
        &mut self,
        keep: impl Fn(usize) -> bool,
        more: &[List],
    ) -> Vec<Option<usize>> {
        let m = self.rows.len();
        let mut fresh: Vec<(u32, u8, usize, usize)> = Vec::new();
        for (number, list) in more.iter().enumerate() {
            fresh.extend((0..list.len()).map(|c| (list.example[c], list.group[c], number, c)));
        }
        fresh.sort_by_key(|&(example, group, ..)| (example, group));
        let (mut list, mut of, mut before, mut next) = (List::default(), vec![0], Vec::new(), 0);
        for i in 0..m {
            let (mut old, end) = (self.of[i], self.of[i + 1]);
            loop {
                let waiting = fresh.get(next).filter(|f| f.0 == i as u32);
                if old < end && waiting.is_none_or(|f| self.list.group[old] <= f.1) {
                    if keep(old) {
                        list.copy(&self.list, old);
                        before.push(Some(old));
                    }
                    old += 1;
                } else if let Some(&(_, _, number, c)) = waiting {
                    list.copy(&more[number], c);
                    before.push(None);
                    next += 1;
                } else {
                    break;
                }
            }
            of.push(list.len());
        }
        (self.list, self.of) = (list, of);
        before
    }

    fn chunks(&self) -> impl IndexedParallelIterator<Item = Range<usize>> + use<> {
        let m = self.rows.len();
        (0..CHUNKS).into_par_iter().map(move |chunk| chunk * m / CHUNKS..(chunk + 1) * m / CHUNKS)
    }

    /// Computes e_c (<x - r_c, w> + b) of every piece, for w and b in one vector.
    pub(super) fn scores(&self, point: &[f64], out: &mut [f64]) {
        let m = self.rows.len();
        let (mut rest, mut parts) = (out, Vec::with_capacity(CHUNKS));
        for chunk in 0..CHUNKS {
            let size = self.of[(chunk + 1) * m / CHUNKS] - self.of[chunk * m / CHUNKS];
            let (part, after) = rest.split_at_mut(size);
            parts.push(part);
            rest = after;
        }
        self.chunks().zip(parts).for_each(|(range, out)| {
            let first = self.of[range.start];
            for i in range {
                let whole = self.score(i, point);
                for c in self.of(i) {
                    let (slots, removed) = self.list.removed(c);
                    let less: f64 =
                        slots.iter().zip(removed).map(|(&j, r)| r * point[j as usize]).sum();
                    out[c - first] = self.list.slope[c] * (whole - less);
                }
            }
        });
    }

    /// Returns <x_i, w> + b.
    fn score(&self, row: usize, point: &[f64]) -> f64 {
        let (slots, values) = self.rows.row(row);
        let bias = if self.intercept { point[self.rows.width] } else { 0.0 };
        slots.iter().zip(values).map(|(&j, x)| x * point[j as usize]).sum::<f64>() + bias
    }

    /// Returns sum_c factor_c e_c (x - r_c, 1).
    pub(super) fn combine(&self, factors: &[f64]) -> Vec<f64> {
        let (n, width) = (self.rows.width, self.width());
        let sums: Vec<Vec<f64>> = self
            .chunks()
            .map(|range| {
                let mut sum = vec![0.0; width];
                for i in range {
                    let mut whole = 0.0;
                    for c in self.of(i) {
                        let factor = factors[c] * self.list.slope[c];
                        whole += factor;
                        let (slots, removed) = self.list.removed(c);
                        slots.iter().zip(removed).for_each(|(&j, r)| sum[j as usize] -= factor * r);
                    }
                    if whole != 0.0 {
                        let (slots, values) = self.rows.row(i);
                        slots.iter().zip(values).for_each(|(&j, x)| sum[j as usize] += whole * x);
                        if self.intercept {
                            sum[n] += whole;
                        }
                    }
                }
                sum
            })
            .collect();
        let mut total = vec![0.0; width];
        for sum in sums {
            total.iter_mut().zip(sum).for_each(|(t, s)| *t += s);
        }
        total
    }
}
