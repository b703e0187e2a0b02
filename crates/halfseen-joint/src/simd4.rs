//! Adds and eliminates in lanes of four numbers, so that the loops over factors run four at a time.
//!
//! The order of a sum does not depend on the machine: lanes are added element by element, so wider
//! instructions give the same bits.

pub(crate) use halfseen_solve::{NullaryFnOnce, wide};

pub(crate) type Lane = [f64; 4];

pub(crate) const WIDE: usize = 4;

pub(crate) const ZERO: Lane = [0.0; WIDE];

/// Returns the number of lanes in a row of `len` numbers.
pub(crate) const fn lanes(len: usize) -> usize {
    len.div_ceil(WIDE)
}

/// Computes a += times b.
#[inline(always)]
pub(crate) fn add(a: &mut [Lane], b: &[Lane], times: f64) {
    for (x, y) in a.iter_mut().zip(b) {
        for e in 0..WIDE {
            x[e] += times * y[e];
        }
    }
}

#[inline(always)]
pub(crate) fn product(a: &[Lane], b: &[Lane]) -> f64 {
    let mut sum = ZERO;
    for (x, y) in a.iter().zip(b) {
        for e in 0..WIDE {
            sum[e] += x[e] * y[e];
        }
    }
    (sum[0] + sum[2]) + (sum[1] + sum[3])
}

/// Returns the number of lanes before row p of a packed symmetric matrix. Row p has the lanes 0..=p
/// / 4, so numbers above the diagonal in its last lane are kept twice.
pub(crate) const fn packed_before(p: usize) -> usize {
    let whole = p / WIDE;
    2 * whole * (whole + 1) + (p % WIDE) * (whole + 1)
}

/// Returns the number of lanes of a packed symmetric matrix (r, r).
pub(crate) const fn packed(r: usize) -> usize {
    packed_before(r)
}

/// Returns the tile (rows 4 b.., lane g) of the sum of u'u over rows u, (n, width), from `first`
/// on.
#[inline(always)]
pub(crate) fn tile(rows: &[Lane], width: usize, first: usize, b: usize, g: usize) -> [Lane; WIDE] {
    let mut sum = [ZERO; WIDE];
    for row in rows.chunks_exact(width).skip(first) {
        let (left, right) = (row[b], row[g]);
        for p in 0..WIDE {
            for e in 0..WIDE {
                sum[p][e] += left[p] * right[e];
            }
        }
    }
    sum
}

/// Eliminates a positive definite M = LL', (n, n) with rows of whole lanes; reads and overwrites
/// its upper triangle. Replaces rows U, (n, width), by L^-1 U, and b by L^-1 b. `triangle` halves
/// the work if U is the identity. Returns log det M; `None` if M is not positive definite.
#[inline(always)]
pub(crate) fn eliminate(
    matrix: &mut [Lane],
    n: usize,
    rows: &mut [Lane],
    width: usize,
    triangle: bool,
    b: &mut [f64],
) -> Option<f64> {
    let side = lanes(n);
    let (mut log, mut pivots) = (0.0, 1.0_f64);
    for a in 0..n {
        let (done, rest) = matrix[a * side..].split_at_mut(side);
        let pivot = done[a / WIDE][a % WIDE];
        // NaN is not above zero.
        if pivot.is_nan() || pivot <= 0.0 || pivot.is_infinite() {
            return None;
        }
        // One logarithm for many pivots.
        if !(1e-100..1e100).contains(&pivot) {
            log += pivot.ln();
        } else {
            pivots *= pivot;
            if !(1e-100..1e100).contains(&pivots) {
                log += pivots.ln();
                pivots = 1.0;
            }
        }
        let scale = 1.0 / pivot.sqrt();
        for lane in &mut done[a / WIDE..] {
            lane.iter_mut().for_each(|x| *x *= scale);
        }
        let reach = if triangle { a / WIDE + 1 } else { width };
        let (row, others) = rows[a * width..].split_at_mut(width);
        let row = &mut row[..reach];
        for lane in row.iter_mut() {
            lane.iter_mut().for_each(|x| *x *= scale);
        }
        b[a] *= scale;
        let solved = b[a];
        let later =
            rest.chunks_exact_mut(side).zip(others.chunks_exact_mut(width)).zip(&mut b[a + 1..n]);
        for (c, ((of, other), value)) in (a + 1..n).zip(later) {
            let times = -done[c / WIDE][c % WIDE];
            add(&mut of[c / WIDE..], &done[c / WIDE..], times);
            add(&mut other[..reach], row, times);
            *value += times * solved;
        }
    }
    Some(log + pivots.ln())
}

/// Writes the identity, (r, r), by rows of whole lanes.
#[inline(always)]
pub(crate) fn identity(rows: &mut [Lane], r: usize) {
    let width = lanes(r);
    rows[..r * width].fill(ZERO);
    (0..r).for_each(|p| rows[p * width + p / WIDE][p % WIDE] = 1.0);
}
