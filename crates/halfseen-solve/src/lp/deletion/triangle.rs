//! Sums the rank-one terms of sparse rows in packed lower triangles, and these in a matrix.

use super::KNOWN;
use faer::Mat;
use std::ops::Range;

/// Returns the number of entries of a lower triangle with n rows.
pub(super) const fn size(n: usize) -> usize {
    n * (n + 1) / 2
}

/// Number of rows whose terms are added at once.
pub(super) const BATCH: usize = 64;

/// Size of the lines that are added to at once, in bytes: a share of a first-level cache.
const LINES: usize = 24 * 1024;

/// Terms of one row: r r' - q q' off the diagonal blocks of its items, r r' + D a a' on them.
#[derive(Clone, Copy, Default)]
pub(super) struct Terms<'a> {
    /// Slots of the entries, increasing.
    pub(super) slots: &'a [u32],
    /// r of each entry.
    pub(super) plus: &'a [f64],
    /// q of each entry.
    pub(super) minus: &'a [f64],
    /// a of each entry.
    pub(super) cells: &'a [f64],
    /// Item of each entry; empty if each entry is an item.
    pub(super) owners: &'a [u32],
    /// D of each item.
    pub(super) blocks: &'a [f64],
    /// r of the bias, the last row of the triangle.
    pub(super) bias: f64,
}

/// Adds the terms of at most [`BATCH`] rows to a triangle of n rows: to a few of its lines at a
/// time, which stay in the cache. Each entry sums over the rows in their order.
#[inline(always)]
pub(super) fn add(triangle: &mut [f64], n: usize, rows: &[Terms<'_>]) {
    let mut passed = [0; BATCH];
    // A row should have an entry in most tiles, or looking for it costs more than the cache saves.
    let entries: usize = rows.iter().map(|terms| terms.slots.len()).sum();
    let lines = (LINES / (8 * n)).max(n * rows.len() / entries.max(1)).max(2);
    for first in (0..n - 1).step_by(lines) {
        let end = (first + lines).min(n - 1);
        let tile = &mut triangle[size(first)..size(end)];
        for (terms, at) in rows.iter().zip(&mut passed) {
            let from = *at;
            while terms.slots.get(*at).is_some_and(|&slot| (slot as usize) < end) {
                *at += 1;
            }
            if from == *at {
                continue;
            }
            if terms.owners.is_empty() {
                terms.add_single(tile, size(first), from..*at);
            } else {
                terms.add_grouped(tile, size(first), from..*at);
            }
        }
    }
    let last = &mut triangle[size(n - 1)..size(n)];
    for terms in rows.iter().filter(|terms| terms.bias != 0.0) {
        for (&slot, r) in terms.slots.iter().zip(terms.plus) {
            last[slot as usize] += terms.bias * r;
        }
        last[n - 1] += terms.bias * terms.bias;
    }
}

impl Terms<'_> {
    /// Adds to the lines of some entries, each of which is an item; `tile` starts at `start` in the
    /// triangle.
    #[inline(always)]
    fn add_single(&self, tile: &mut [f64], start: usize, entries: Range<usize>) {
        let Terms { slots, plus, minus, cells, blocks, .. } = *self;
        let diagonal = |at: usize| plus[at] * plus[at] + cells[at] * cells[at] * blocks[at];
        let mut at = entries.start;
        while at < entries.end {
            let row = slots[at] as usize;
            let (upper, lower) = tile.split_at_mut(size(row + 1) - start);
            let upper = &mut upper[size(row) - start..];
            if at + 1 < entries.end {
                // Two lines for one look at the entries.
                let next = slots[at + 1] as usize;
                let lower = &mut lower[size(next) - size(row + 1)..][..=next];
                self.add_two([upper, lower], at);
                lower[row] += plus[at + 1] * plus[at] - minus[at + 1] * minus[at];
                lower[next] += diagonal(at + 1);
            } else {
                self.add_to(upper, at, at);
            }
            upper[row] += diagonal(at);
            at += 2;
        }
    }

    /// Adds to the lines of some entries, several of which may belong to one item.
    #[inline(always)]
    fn add_grouped(&self, tile: &mut [f64], start: usize, entries: Range<usize>) {
        let Terms { slots, plus, cells, owners, blocks, .. } = *self;
        for at in entries {
            let row = slots[at] as usize;
            let line = &mut tile[size(row) - start..size(row + 1) - start];
            let owner = owners[at];
            let own = owners[..at].iter().rev().take_while(|&&o| o == owner && o != KNOWN).count();
            self.add_to(line, at, at - own);
            let block = if owner == KNOWN { 0.0 } else { cells[at] * blocks[owner as usize] };
            for other in at - own..=at {
                line[slots[other] as usize] += plus[at] * plus[other] + block * cells[other];
            }
        }
    }

    /// Returns the slots of the first entries if they are neighbours: these need no look-up, and
    /// several are added at once.
    #[inline(always)]
    fn neighbours(&self, count: usize) -> Option<Range<usize>> {
        let (first, last) = (*self.slots[..count].first()?, *self.slots[..count].last()?);
        let range = first as usize..last as usize + 1;
        (range.len() == count).then_some(range)
    }

    /// Adds the products of entry `at` with the first entries to its line.
    #[inline(always)]
    fn add_to(&self, line: &mut [f64], at: usize, count: usize) {
        let (r, q) = (self.plus[at], self.minus[at]);
        let terms = self.plus[..count].iter().zip(&self.minus[..count]);
        let terms = terms.map(|(r2, q2)| r * r2 - q * q2);
        if let Some(range) = self.neighbours(count) {
            line[range].iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        } else {
            self.slots.iter().zip(terms).for_each(|(&slot, term)| line[slot as usize] += term);
        }
    }

    /// Adds the products of entries `at` and `at + 1` with those before both to their lines.
    #[inline(always)]
    fn add_two(&self, [upper, lower]: [&mut [f64]; 2], at: usize) {
        let [r, s] = [self.plus[at], self.plus[at + 1]];
        let [q, p] = [self.minus[at], self.minus[at + 1]];
        let terms = self.plus[..at].iter().zip(&self.minus[..at]);
        let terms = terms.map(|(r2, q2)| (r * r2 - q * q2, s * r2 - p * q2));
        if let Some(range) = self.neighbours(at) {
            let sums = upper[range.clone()].iter_mut().zip(&mut lower[range]);
            for ((first, second), (of_first, of_second)) in sums.zip(terms) {
                *first += of_first;
                *second += of_second;
            }
            return;
        }
        for (&slot, (of_first, of_second)) in self.slots.iter().zip(terms) {
            upper[slot as usize] += of_first;
            lower[slot as usize] += of_second;
        }
    }
}

/// Returns the lower triangle of the sum of triangles, in order, plus a diagonal.
pub(super) fn sum<'t>(
    triangles: impl Iterator<Item = &'t [f64]> + Clone,
    diagonal: &[f64],
) -> Mat<f64> {
    let n = diagonal.len();
    let mut sum = Mat::zeros(n, n);
    for row in 0..n {
        for column in 0..=row {
            let at = size(row) + column;
            sum[(row, column)] = triangles.clone().map(|triangle| triangle[at]).sum();
        }
        sum[(row, row)] += diagonal[row];
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cholesky::Scaled;
    use crate::sampling::{Purpose, Stream};

    /// Expands the terms of [`Terms`]: r r' - q q' + sum of items' (q q' + D a a').
    fn dense(n: usize, terms: &Terms<'_>) -> Vec<f64> {
        let mut matrix = vec![0.0; n * n];
        let mut r = vec![0.0; n];
        for (e, &slot) in terms.slots.iter().enumerate() {
            r[slot as usize] = terms.plus[e];
            for (f, &other) in terms.slots.iter().enumerate() {
                let (own, its) = match terms.owners.is_empty() {
                    true => (e as u32, f as u32),
                    false => (terms.owners[e], terms.owners[f]),
                };
                let at = slot as usize * n + other as usize;
                if own != its {
                    matrix[at] -= terms.minus[e] * terms.minus[f];
                } else if own != KNOWN {
                    matrix[at] += terms.blocks[own as usize] * terms.cells[e] * terms.cells[f];
                }
            }
        }
        r[n - 1] = terms.bias;
        for i in 0..n {
            for j in 0..n {
                matrix[i * n + j] += r[i] * r[j];
            }
        }
        matrix
    }

    #[test]
    fn sparse_sums_and_solutions_are_those_of_dense_ones() {
        let mut stream = Stream::new(5, Purpose::Data, 0);
        let mut numbers = |n: usize| -> Vec<f64> { (0..n).map(|_| stream.normal()).collect() };
        let n = 9;
        let (plus, mut minus, cells, blocks) = (numbers(6), numbers(6), numbers(6), numbers(6));
        let (apart, neighbours) = ([0, 2, 3, 4, 6, 7], [1, 2, 3, 4, 5, 6]);
        let owners = [&[][..], &[0, 0, 1, 2, 2, 2], &[0, 1, 1, 2, KNOWN, KNOWN]];
        for (owners, slots) in owners.into_iter().flat_map(|of| [(of, &apart), (of, &neighbours)]) {
            if owners.contains(&KNOWN) {
                minus[4..].fill(0.0);
            }
            for bias in [0.0, -0.7] {
                let terms = Terms {
                    slots,
                    plus: &plus,
                    minus: &minus,
                    cells: &cells,
                    owners,
                    blocks: &blocks,
                    bias,
                };
                let mut triangle = vec![0.0; size(n)];
                add(&mut triangle, n, &[terms]);
                let whole = dense(n, &terms);
                for i in 0..n {
                    for j in 0..=i {
                        assert!(
                            (triangle[size(i) + j] - whole[i * n + j]).abs() < 1e-14,
                            "{owners:?} {i} {j}"
                        );
                    }
                }
                let twice = [triangle.as_slice(), triangle.as_slice()].into_iter();
                let system = Scaled::new(sum(twice, &vec![50.0; n])).unwrap();
                let right = numbers(n);
                let mut solution = right.clone();
                system.solve(&mut solution);
                for i in 0..n {
                    let line: f64 = (0..n).map(|j| 2.0 * whole[i * n + j] * solution[j]).sum();
                    assert!((line + 50.0 * solution[i] - right[i]).abs() < 1e-12);
                }
            }
        }
    }

    struct Entries {
        /// r, q, a and D.
        lists: [Vec<f64>; 4],
        slots: Vec<u32>,
        owners: Vec<u32>,
    }

    /// More lines than are added to at a time, and rows of every kind in one batch.
    #[test]
    fn rows_of_a_batch_are_summed_as_if_each_came_alone() {
        let mut stream = Stream::new(6, Purpose::Data, 0);
        let n = 90;
        let rows: Vec<Entries> = (0..BATCH as u32)
            .map(|row| {
                let full = row % 5 == 0;
                let slots: Vec<u32> =
                    (0..n as u32 - 1).filter(|_| full || stream.unit() < 0.3).collect();
                let lists = [(); 4].map(|()| (0..n).map(|_| stream.normal()).collect());
                let owners = slots.iter().map(|slot| slot / 3).filter(|_| row % 2 == 1).collect();
                Entries { lists, slots, owners }
            })
            .collect();
        let terms: Vec<Terms<'_>> = rows
            .iter()
            .map(|Entries { lists: [plus, minus, cells, blocks], slots, owners }| {
                let [plus, minus, cells] = [plus, minus, cells].map(|list| &list[..slots.len()]);
                let bias = if slots.len() % 2 == 0 { 0.0 } else { 0.7 };
                Terms { slots, plus, minus, cells, owners, blocks, bias }
            })
            .collect();
        let mut triangle = vec![0.0; size(n)];
        add(&mut triangle, n, &terms);
        let mut whole = vec![0.0; n * n];
        for terms in &terms {
            whole.iter_mut().zip(dense(n, terms)).for_each(|(sum, term)| *sum += term);
        }
        for i in 0..n {
            for j in 0..=i {
                let packed = triangle[size(i) + j];
                assert!((packed - whole[i * n + j]).abs() < 1e-12, "{i} {j}: {packed}");
            }
        }
    }
}
