//! Sums the rank-one terms of sparse rows in packed lower triangles, and these in a matrix.

use super::KNOWN;
use faer::Mat;

/// Returns the number of entries of a lower triangle with n rows.
pub(super) const fn size(n: usize) -> usize {
    n * (n + 1) / 2
}

/// Terms of one row: r r' - q q' off the diagonal blocks of its items, r r' + D a a' on them.
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

/// Adds the terms of one row to a triangle of n rows.
#[inline(always)]
pub(super) fn add(triangle: &mut [f64], n: usize, terms: &Terms<'_>) {
    let last = &mut triangle[size(n - 1)..size(n)];
    if terms.bias != 0.0 {
        for (&slot, r) in terms.slots.iter().zip(terms.plus) {
            last[slot as usize] += terms.bias * r;
        }
        last[n - 1] += terms.bias * terms.bias;
    }
    if terms.owners.is_empty() {
        add_single(triangle, terms);
    } else {
        add_grouped(triangle, terms);
    }
}

/// Adds r plus - q minus to the entries `slots` of a line.
#[inline(always)]
fn add_to(line: &mut [f64], slots: &[u32], (r, plus): (f64, &[f64]), (q, minus): (f64, &[f64])) {
    let terms = plus.iter().zip(minus).map(|(r2, q2)| r * r2 - q * q2);
    let (Some(&first), Some(&last)) = (slots.first(), slots.last()) else { return };
    if (last - first) as usize + 1 == slots.len() {
        // Neighbours need no look-up, and several are added at once.
        line[first as usize..=last as usize]
            .iter_mut()
            .zip(terms)
            .for_each(|(sum, term)| *sum += term);
    } else {
        slots.iter().zip(terms).for_each(|(&slot, term)| line[slot as usize] += term);
    }
}

/// Handles rows in which every entry is an item.
#[inline(always)]
fn add_single(triangle: &mut [f64], terms: &Terms<'_>) {
    let Terms { slots, plus, minus, cells, blocks, .. } = *terms;
    for at in 0..slots.len() {
        let row = slots[at] as usize;
        let line = &mut triangle[size(row)..size(row + 1)];
        let (r, q) = (plus[at], minus[at]);
        add_to(line, &slots[..at], (r, &plus[..at]), (q, &minus[..at]));
        line[row] += r * r + cells[at] * cells[at] * blocks[at];
    }
}

/// Handles rows in which several entries may belong to one item.
#[inline(always)]
fn add_grouped(triangle: &mut [f64], terms: &Terms<'_>) {
    let Terms { slots, plus, minus, cells, owners, blocks, .. } = *terms;
    let mut first = 0;
    for at in 0..slots.len() {
        let row = slots[at] as usize;
        let line = &mut triangle[size(row)..size(row + 1)];
        let (r, q, owner) = (plus[at], minus[at], owners[at]);
        if owner == KNOWN || owners[first] != owner {
            first = at;
        }
        add_to(line, &slots[..first], (r, &plus[..first]), (q, &minus[..first]));
        let block = if owner == KNOWN { 0.0 } else { cells[at] * blocks[owner as usize] };
        for other in first..=at {
            line[slots[other] as usize] += r * plus[other] + block * cells[other];
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
                add(&mut triangle, n, &terms);
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
}
