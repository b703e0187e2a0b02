//! Computes Gram matrices of k_gamma by products of matrices, block by block.
//!
//! Counts of shared columns C = M'M (masks) and inner products D = X'X (zero-filled values) are all
//! that kernels need: K = f(C) D, entry by entry, whatever gamma and the normalisation are. Each
//! block of C and D is made once, in a thread's own room that stays in its cache, and serves all
//! kernels; of a symmetric matrix only the blocks on and below the diagonal are made, and written
//! twice. C is exact in single precision: it counts at most 2^24 columns.
//!
//! Blocks do not depend on the number of threads, and no number is made from two blocks.

use super::kernel::Kernel;
use super::masked::Masked;
use crate::error::{ErrorKind, Result};
use crate::monitor::Monitor;
use faer::linalg::matmul::matmul;
use faer::mat::MatMut;
use faer::prelude::ReborrowMut;
use faer::{Accum, ContiguousFwd, Mat, Par};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rows and columns of a block: C, D and K of one block take 1.25 MiB, which second-level caches hold.
const BLOCK: usize = 256;
/// Rows and columns of the squares by which a block is transposed: 2 x 2 KiB stay in the first-level cache.
const SQUARE: usize = 16;
/// The largest number of columns whose counts single precision holds exactly.
const MOST_COLUMNS: usize = 1 << 24;

/// A block of an output; its columns are contiguous.
type Block<'a> = MatMut<'a, f64, usize, usize, ContiguousFwd>;

/// The matrices of k(x_i, x_j) among rows, one for each kernel, (n_rows, n_rows) and symmetric to the bit.
///
/// # Errors
/// [`ErrorKind::Numerical`] if a kernel may leave the range of numbers, or there are more than 2^24 columns;
/// [`ErrorKind::Interrupted`].
pub fn gram(kernels: &[Kernel], rows: &Masked, monitor: &dyn Monitor) -> Result<Vec<Mat<f64>>> {
    let mut outputs = zeros(rows.len(), rows.len(), kernels.len());
    fill(kernels, rows, rows, &mut outputs, Half::Lower, monitor)?;
    Ok(outputs)
}

/// As [`gram`] for one kernel, into a matrix that is there already: fresh memory costs about as much time as
/// the products. A matrix of another shape is replaced.
///
/// # Errors
/// As [`gram`]; the matrix then holds nothing of use.
pub fn gram_into(kernel: &Kernel, rows: &Masked, out: &mut Mat<f64>, monitor: &dyn Monitor) -> Result<()> {
    if (out.nrows(), out.ncols()) != (rows.len(), rows.len()) {
        // The old room is given back before the new one is taken.
        *out = Mat::new();
        *out = Mat::zeros(rows.len(), rows.len());
    }
    let (kernel, out) = (std::slice::from_ref(kernel), std::slice::from_mut(out));
    fill(kernel, rows, rows, out, Half::Lower, monitor)
}

/// The matrices of k(s_i, x_j), one for each kernel, (n_support, n_rows): scores of the rows are coefficients
/// times columns.
///
/// # Errors
/// As [`gram`], and [`ErrorKind::WrongLength`] if the rows have not as many columns as the support.
pub fn cross(kernels: &[Kernel], support: &Masked, rows: &Masked, monitor: &dyn Monitor) -> Result<Vec<Mat<f64>>> {
    if support.columns() != rows.columns() {
        let (expected, found) = (support.columns(), rows.columns());
        let what = "columns of the rows to compare with those learned from".to_owned();
        return Err(ErrorKind::WrongLength { what, expected, found }.into());
    }
    let mut outputs = zeros(support.len(), rows.len(), kernels.len());
    fill(kernels, support, rows, &mut outputs, Half::Both, monitor)?;
    Ok(outputs)
}

/// k(x, x) of every row.
///
/// # Errors
/// [`ErrorKind::Numerical`] if one leaves the range of numbers.
pub fn diagonal(kernel: &Kernel, rows: &Masked) -> Result<Vec<f64>> {
    kernel.diagonal(rows)
}

/// Bytes that [`gram`] takes for so many rows and kernels, with the room of its threads; the rows themselves
/// not counted.
pub fn bytes_needed(rows: usize, kernels: usize) -> u64 {
    // Columns begin at multiples of 64 bytes.
    let column = (rows as u64).div_ceil(8).saturating_mul(64);
    let matrix = column.saturating_mul(rows as u64);
    let room = (BLOCK * BLOCK * 20 * rayon::current_num_threads()) as u64;
    matrix.saturating_mul(kernels as u64).saturating_add(room)
}

/// Matrices of zeros: the threads share the work of taking fresh memory.
fn zeros(rows: usize, columns: usize, count: usize) -> Vec<Mat<f64>> {
    (0..count).into_par_iter().map(|_| Mat::zeros(rows, columns)).collect()
}

/// Which blocks are made: all, or those on and below the diagonal of a symmetric matrix.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Both,
    Lower,
}

/// One block of all outputs, and where a symmetric matrix has it again.
struct Tile<'a> {
    /// First row and first column.
    at: (usize, usize),
    blocks: Vec<Block<'a>>,
    /// Empty on the diagonal and where there is no symmetry.
    mirrored: Vec<Block<'a>>,
}

/// Makes all blocks of all outputs in parallel.
fn fill(
    kernels: &[Kernel],
    left: &Masked,
    right: &Masked,
    outputs: &mut [Mat<f64>],
    half: Half,
    monitor: &dyn Monitor,
) -> Result<()> {
    if left.columns() > MOST_COLUMNS {
        let problem = format!("{} columns cannot be counted in single precision (2^24 can)", left.columns());
        return Err(ErrorKind::Numerical { what: "computing kernels", problem }.into());
    }
    let factors = |rows| kernels.iter().map(|k| k.factors(rows)).collect::<Result<Vec<_>>>();
    let of_left = factors(left)?;
    let of_right = if half == Half::Lower { of_left.clone() } else { factors(right)? };
    let counted = !kernels.iter().all(Kernel::ignores_counts);
    let tiles = tiles(outputs, half);
    let (done, total, stopped) = (AtomicU64::new(0), tiles.len() as u64, AtomicBool::new(false));
    tiles.into_par_iter().for_each_init(Room::default, |room, mut tile| {
        if stopped.load(Ordering::Relaxed) || monitor.should_stop() {
            stopped.store(true, Ordering::Relaxed);
            return;
        }
        let (rows, columns) = tile.blocks.first().map_or((0, 0), |b| (b.nrows(), b.ncols()));
        let (row, column) = tile.at;
        room.multiply(left, right, tile.at, (rows, columns), counted);
        for (k, kernel) in kernels.iter().enumerate() {
            let of_left = of_left[k].as_ref().map(|f| &f[row..row + rows]);
            let of_right = of_right[k].as_ref().map(|f| &f[column..column + columns]);
            for j in 0..columns {
                let factors = of_left.zip(of_right).map(|(left, right)| (left, right[j]));
                room.evaluate(kernel, j, rows, factors);
            }
            if half == Half::Lower && row == column {
                room.symmetrize(rows);
            }
            room.write(&mut tile.blocks[k]);
            if let Some(mirrored) = tile.mirrored.get_mut(k) {
                room.write_transposed(mirrored);
            }
        }
        monitor.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    });
    if stopped.into_inner() {
        return Err(ErrorKind::Interrupted { during: "computing kernels" }.into());
    }
    Ok(())
}

/// Cuts the outputs, all of one shape, into tiles.
fn tiles(outputs: &mut [Mat<f64>], half: Half) -> Vec<Tile<'_>> {
    let mut tiles: Vec<Tile<'_>> = Vec::new();
    for output in outputs.iter_mut() {
        let mut grid = grid(output);
        let mut number = 0;
        for column in 0..grid.len() {
            let first = if half == Half::Lower { column } else { 0 };
            for row in first..grid[column].len() {
                if number == tiles.len() {
                    let at = (row * BLOCK, column * BLOCK);
                    tiles.push(Tile { at, blocks: Vec::new(), mirrored: Vec::new() });
                }
                tiles[number].blocks.extend(grid[column][row].take());
                if half == Half::Lower && row > column {
                    tiles[number].mirrored.extend(grid[row][column].take());
                }
                number += 1;
            }
        }
    }
    tiles
}

/// The blocks of one matrix, `[block column][block row]`.
fn grid(matrix: &mut Mat<f64>) -> Vec<Vec<Option<Block<'_>>>> {
    let mut grid = Vec::new();
    // A matrix of its own is always stored by columns.
    let mut columns = matrix.as_mut().try_as_col_major_mut();
    while let Some(all) = columns.take().filter(|all| all.ncols() > 0) {
        let width = all.ncols().min(BLOCK);
        let (panel, others) = all.split_at_col_mut(width);
        let (mut blocks, mut rows) = (Vec::new(), Some(panel));
        while let Some(panel) = rows.take().filter(|panel| panel.nrows() > 0) {
            let height = panel.nrows().min(BLOCK);
            let (block, below) = panel.split_at_row_mut(height);
            blocks.push(Some(block));
            rows = Some(below);
        }
        grid.push(blocks);
        columns = Some(others);
    }
    grid
}

/// What a thread works in.
struct Room {
    counts: Mat<f32>,
    products: Mat<f64>,
    kernels: Mat<f64>,
}

impl Default for Room {
    fn default() -> Room {
        Room { counts: Mat::zeros(BLOCK, BLOCK), products: Mat::zeros(BLOCK, BLOCK), kernels: Mat::zeros(BLOCK, BLOCK) }
    }
}

impl Room {
    /// C (where it is needed) and D of one block.
    fn multiply(&mut self, left: &Masked, right: &Masked, at: (usize, usize), shape: (usize, usize), counted: bool) {
        let ((row, column), (rows, columns)) = (at, shape);
        let (a, b) = (left.values.subcols(row, rows).transpose(), right.values.subcols(column, columns));
        let products = self.products.as_mut().submatrix_mut(0, 0, rows, columns);
        matmul(products, Accum::Replace, a, b, 1.0, Par::Seq);
        if counted {
            let (a, b) = (left.observed.subcols(row, rows).transpose(), right.observed.subcols(column, columns));
            let counts = self.counts.as_mut().submatrix_mut(0, 0, rows, columns);
            matmul(counts, Accum::Replace, a, b, 1.0, Par::Seq);
        }
    }

    /// Column j of K from C and D.
    fn evaluate(&mut self, kernel: &Kernel, j: usize, rows: usize, factors: Option<(&[f64], f64)>) {
        let (counts, products) = (&self.counts.col_as_slice(j)[..rows], &self.products.col_as_slice(j)[..rows]);
        kernel.evaluate(counts, products, factors, &mut self.kernels.col_as_slice_mut(j)[..rows]);
    }

    /// Makes a block on the diagonal symmetric to the bit.
    fn symmetrize(&mut self, rows: usize) {
        for j in 1..rows {
            for i in 0..j {
                self.kernels[(i, j)] = self.kernels[(j, i)];
            }
        }
    }

    fn write(&self, block: &mut Block<'_>) {
        let rows = block.nrows();
        for j in 0..block.ncols() {
            block.rb_mut().col_mut(j).as_slice_mut().copy_from_slice(&self.kernels.col_as_slice(j)[..rows]);
        }
    }

    /// Square by square, so that what is read of the columns stays in the cache until it is used up.
    fn write_transposed(&self, block: &mut Block<'_>) {
        let (rows, columns) = (block.nrows(), block.ncols());
        for first in (0..rows).step_by(SQUARE) {
            let height = SQUARE.min(rows - first);
            for begin in (0..columns).step_by(SQUARE) {
                let width = SQUARE.min(columns - begin);
                let mut square = [[0.0; SQUARE]; SQUARE];
                for (i, line) in square.iter_mut().enumerate().take(height) {
                    let from = &self.kernels.col_as_slice(first + i)[begin..begin + width];
                    line[..width].copy_from_slice(from);
                }
                for j in 0..width {
                    let to = block.rb_mut().col_mut(begin + j).as_slice_mut();
                    for (out, line) in to[first..first + height].iter_mut().zip(&square) {
                        *out = line[j];
                    }
                }
            }
        }
    }
}
