//! Computes Gram matrices of k_gamma by matrix products, block by block.
//!
//! The kernels need only counts of shared columns C = M'M (masks, as bits) and inner products
//! D = X'X (zero-filled values): K = f(C) D, entry by entry, for any gamma and normalisation. Each
//! block of C and D is computed once, in a thread's own memory that stays in its cache, and serves
//! all kernels. Sparse rows take products of the cells that both have. Of a symmetric matrix only
//! the blocks on and below the diagonal are computed, and written twice. C is kept in single
//! precision: exact, since it counts at most 2^24 columns.
//!
//! Blocks do not depend on the number of threads, and no entry depends on two blocks.

use super::masked::Products;
use super::{DenseRows, Kernel, Masked};
use crate::error::{ErrorKind, Result};
use faer::mat::MatMut;
use faer::prelude::ReborrowMut;
use faer::{ContiguousFwd, Mat};
use halfseen_solve::{Monitor, multiply};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Rows and columns of a block: its C, D, K and K' take 0.44 MiB, which fits second-level caches.
const BLOCK: usize = 128;
/// Side of the squares by which a block is transposed; 2 KiB stay in the first-level cache.
const SQUARE: usize = 16;
/// Largest number of columns whose counts are exact in single precision.
const MOST_COLUMNS: usize = 1 << 24;

/// Block of an output; its columns are contiguous.
type Block<'a> = MatMut<'a, f64, usize, usize, ContiguousFwd>;

/// Returns the matrices of k(x_i, x_j) among rows, one for each kernel, (n_rows, n_rows) and
/// symmetric to the bit.
///
/// # Errors
/// [`ErrorKind::Numerical`] if a kernel may overflow, or there are more than 2^24 columns;
/// [`ErrorKind::Interrupted`].
pub fn gram(kernels: &[Kernel], rows: &Masked, monitor: &dyn Monitor) -> Result<Vec<Mat<f64>>> {
    let mut outputs = zeros(rows.len(), rows.len(), kernels.len());
    fill(kernels, rows, rows, &mut outputs, Half::Lower, monitor)?;
    Ok(outputs)
}

/// Returns the matrices of k(s_i, x_j), one for each kernel, (n_support, n_rows); the scores of the
/// rows are coefficients times columns.
///
/// # Errors
/// As [`gram`], and [`ErrorKind::WrongLength`] if rows and support differ in their number of
/// columns.
pub fn cross(
    kernels: &[Kernel],
    support: &Masked,
    rows: &Masked,
    monitor: &dyn Monitor,
) -> Result<Vec<Mat<f64>>> {
    if support.columns() != rows.columns() {
        let (expected, found) = (support.columns(), rows.columns());
        let what = "columns of the rows to compare with the training rows".to_owned();
        return Err(ErrorKind::WrongLength { what, expected, found }.into());
    }
    let mut outputs = zeros(support.len(), rows.len(), kernels.len());
    fill(kernels, support, rows, &mut outputs, Half::Both, monitor)?;
    Ok(outputs)
}

/// Returns the bytes that [`gram`] takes for `rows` and `kernels`, including the memory of its
/// threads and excluding the rows themselves.
pub fn bytes_needed(rows: usize, kernels: usize) -> u64 {
    let room = (BLOCK * BLOCK * 28 * rayon::current_num_threads()) as u64;
    // Columns are aligned to 64 bytes.
    let matrix = (rows as u64).div_ceil(8).saturating_mul(64).saturating_mul(rows as u64);
    matrix.saturating_mul(kernels as u64).saturating_add(room)
}

/// Returns zeros; the threads share the work of first touching the memory.
fn zeros(rows: usize, columns: usize, count: usize) -> Vec<Mat<f64>> {
    (0..count).into_par_iter().map(|_| Mat::zeros(rows, columns)).collect()
}

/// All blocks, or those on and below the diagonal of a symmetric matrix.
#[derive(Clone, Copy, PartialEq)]
enum Half {
    Both,
    Lower,
}

/// One block of all outputs, with its mirror image.
struct Tile<'a> {
    at: (usize, usize),
    blocks: Vec<Block<'a>>,
    /// Empty on the diagonal and without symmetry.
    mirrored: Vec<Block<'a>>,
}

fn fill(
    kernels: &[Kernel],
    left: &Masked,
    right: &Masked,
    outputs: &mut [Mat<f64>],
    half: Half,
    monitor: &dyn Monitor,
) -> Result<()> {
    if left.columns() > MOST_COLUMNS {
        let problem =
            format!("{} columns exceed the limit of 2^24 for single precision", left.columns());
        return Err(ErrorKind::Numerical { what: "computing kernels", problem }.into());
    }
    let factors = |rows| kernels.iter().map(|k| k.factors(rows)).collect::<Result<Vec<_>>>();
    let of_left = factors(left)?;
    let of_right = if half == Half::Lower { of_left.clone() } else { factors(right)? };
    let counted = !kernels.iter().all(Kernel::ignores_counts);
    let right = &*right.like(left)?;
    let pairs = Pairs::new(left, right)?;
    let tiles = tiles(outputs, half);
    let (done, total, stopped) = (AtomicU64::new(0), tiles.len() as u64, AtomicBool::new(false));
    tiles.into_par_iter().for_each_init(Room::default, |room, mut tile| {
        if stopped.load(Ordering::Relaxed) || monitor.should_stop() {
            stopped.store(true, Ordering::Relaxed);
            return;
        }
        let (rows, columns) = tile.blocks.first().map_or((0, 0), |b| (b.nrows(), b.ncols()));
        let (row, column) = tile.at;
        room.multiply(&pairs, tile.at, (rows, columns), counted);
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
            write(&room.kernels, &mut tile.blocks[k]);
            if let Some(mirrored) = tile.mirrored.get_mut(k) {
                room.turn(rows, columns);
                write(&room.turned, mirrored);
            }
        }
        monitor.progress(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    });
    if stopped.into_inner() {
        return Err(ErrorKind::Interrupted { during: "computing kernels" }.into());
    }
    Ok(())
}

/// Splits the outputs, all of one shape, into tiles.
fn tiles(outputs: &mut [Mat<f64>], half: Half) -> Vec<Tile<'_>> {
    let mut tiles: Vec<Tile<'_>> = Vec::new();
    for output in outputs.iter_mut() {
        let mut grid = grid(output);
        let rows = grid.first().map_or(0, Vec::len);
        let places = (0..grid.len()).flat_map(|column| (0..rows).map(move |row| (column, row)));
        let places = places.filter(|(column, row)| half != Half::Lower || row >= column);
        for (number, (column, row)) in places.enumerate() {
            if number == tiles.len() {
                let at = (row * BLOCK, column * BLOCK);
                tiles.push(Tile { at, blocks: Vec::new(), mirrored: Vec::new() });
            }
            tiles[number].blocks.extend(grid[column][row].take());
            if half == Half::Lower && row > column {
                tiles[number].mirrored.extend(grid[row][column].take());
            }
        }
    }
    tiles
}

/// Returns the blocks of one matrix, `[block column][block row]`.
fn grid(matrix: &mut Mat<f64>) -> Vec<Vec<Option<Block<'_>>>> {
    let mut grid = Vec::new();
    // An owned matrix is always stored by columns.
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

/// Rows to compare, in one form.
enum Pairs<'a> {
    Dense(&'a DenseRows, &'a DenseRows),
    Sparse(Products<'a>),
}

impl<'a> Pairs<'a> {
    fn new(left: &'a Masked, right: &'a Masked) -> Result<Pairs<'a>> {
        match (left, right) {
            (Masked::Dense(left), Masked::Dense(right)) => Ok(Pairs::Dense(left, right)),
            (Masked::Sparse(left), Masked::Sparse(right)) => {
                Ok(Pairs::Sparse(Products::new(left, right, BLOCK)))
            }
            _ => {
                let problem =
                    "dense and sparse rows were mixed; compare rows of one form".to_owned();
                Err(ErrorKind::Numerical { what: "computing kernels", problem }.into())
            }
        }
    }
}

/// Working memory of a thread.
struct Room {
    /// Places of columns, for sparse rows.
    places: Vec<u32>,
    counts: Mat<f32>,
    products: Mat<f64>,
    kernels: Mat<f64>,
    /// The kernels transposed.
    turned: Mat<f64>,
}

impl Default for Room {
    fn default() -> Room {
        let square = || Mat::zeros(BLOCK, BLOCK);
        Room {
            places: Vec::new(),
            counts: Mat::zeros(BLOCK, BLOCK),
            products: square(),
            kernels: square(),
            turned: square(),
        }
    }
}

impl Room {
    /// Computes C (if needed) and D.
    fn multiply(
        &mut self,
        pairs: &Pairs<'_>,
        at: (usize, usize),
        shape: (usize, usize),
        counted: bool,
    ) {
        let Room { places, counts, products, .. } = self;
        let (left, right) = match pairs {
            Pairs::Dense(left, right) => (left, right),
            Pairs::Sparse(pairs) => {
                let counts = counted.then_some(counts);
                return pairs.multiply(at, shape, places, products, counts);
            }
        };
        let ((row, column), (rows, columns)) = (at, shape);
        let (a, b) =
            (left.values.subcols(row, rows).transpose(), right.values.subcols(column, columns));
        let products = products.as_mut().submatrix_mut(0, 0, rows, columns);
        multiply(products, a, b);
        if !counted {
            return;
        }
        let (left, right) = (left.bits(), right.bits());
        for j in 0..columns {
            let mut shared = [0; BLOCK];
            left.add_shared(row, right, column + j, &mut shared[..rows]);
            let counts = &mut counts.col_as_slice_mut(j)[..rows];
            counts.iter_mut().zip(shared).for_each(|(count, shared)| *count = shared as f32);
        }
    }

    /// Computes column j of K from C and D.
    fn evaluate(&mut self, kernel: &Kernel, j: usize, rows: usize, factors: Option<(&[f64], f64)>) {
        let (counts, products) =
            (&self.counts.col_as_slice(j)[..rows], &self.products.col_as_slice(j)[..rows]);
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

    /// Transposes K by squares, so that columns stay in the cache until they are read completely.
    /// It uses the thread's memory, so that outputs are written in whole columns of a block.
    fn turn(&mut self, rows: usize, columns: usize) {
        for first in (0..rows).step_by(SQUARE) {
            let height = SQUARE.min(rows - first);
            for begin in (0..columns).step_by(SQUARE) {
                let width = SQUARE.min(columns - begin);
                let mut square = [[0.0; SQUARE]; SQUARE];
                for (j, line) in square.iter_mut().enumerate().take(width) {
                    let from = &self.kernels.col_as_slice(begin + j)[first..first + height];
                    line[..height].copy_from_slice(from);
                }
                for i in 0..height {
                    let to = &mut self.turned.col_as_slice_mut(first + i)[begin..begin + width];
                    to.iter_mut().zip(&square).for_each(|(out, line)| *out = line[i]);
                }
            }
        }
    }
}

fn write(from: &Mat<f64>, block: &mut Block<'_>) {
    let rows = block.nrows();
    for j in 0..block.ncols() {
        block.rb_mut().col_mut(j).as_slice_mut().copy_from_slice(&from.col_as_slice(j)[..rows]);
    }
}

#[cfg(test)]
mod tests {
    use crate::kernel::gram::*;
    use crate::params::Normalization;
    use faer::Side;
    use halfseen_solve::Silent;
    use halfseen_solve::sampling::{Purpose, Stream};
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Returns normal values; every fifth row shows only the constant.
    fn random(n: usize, d: usize, share: f64, constant: bool) -> Masked {
        let mut stream = Stream::new(5, Purpose::Data, (n * 1000 + d) as u64);
        let cells = Array2::from_shape_fn((n, d), |(i, _)| {
            let value = stream.normal();
            if stream.unit() < share && i % 5 != 3 { value } else { f64::NAN }
        });
        Masked::from_rows(cells.view(), constant).unwrap()
    }

    fn kernels(rows: &Masked) -> Vec<Kernel> {
        use Normalization::{Cosine, None, Trace, Uniform};
        let lengths = [0.5, 0.0, 2.0];
        let all = [
            Kernel::new(1, Option::None, None, 1),
            Kernel::new(2, Option::None, Trace, 1),
            Kernel::new(3, Some(&lengths), Uniform, 1),
            Kernel::new(4, Option::None, Cosine, 1),
            Kernel::new(7, Option::None, Trace, 3),
            Kernel::new(2, Option::None, Cosine, 2),
        ];
        let fitted = |kernel: Result<Kernel>| {
            let mut kernel = kernel.unwrap();
            kernel.fit(rows).unwrap();
            kernel
        };
        all.into_iter().map(fitted).collect()
    }

    /// Compares every entry (some, if large) with the kernel of its pair, relative to the largest.
    fn agrees(kernel: &Kernel, left: &Masked, right: &Masked, values: &Mat<f64>) {
        assert_eq!((values.nrows(), values.ncols()), (left.len(), right.len()));
        let of = |rows: &Masked| kernel.diagonal(rows).unwrap().into_iter().fold(1.0, f64::max);
        let tolerance = 1e-13 * of(left).max(of(right));
        let step = (left.len() / 40).max(1);
        for j in 0..right.len() {
            // Steps vary with the column; borders of blocks.
            let borders =
                [0, BLOCK - 1, BLOCK, left.len() - 1].into_iter().filter(|&i| i < left.len());
            for i in (j % step..left.len()).step_by(step).chain(borders) {
                let expected = kernel.between(left, i, right, j);
                assert!(
                    (values[(i, j)] - expected).abs() <= tolerance,
                    "({i}, {j}): {} not {expected}",
                    values[(i, j)]
                );
            }
        }
    }

    #[test]
    fn every_entry_is_the_kernel_of_its_pair_at_all_borders_of_blocks() {
        for (n, d) in [
            (1, 1),
            (2, 3),
            (BLOCK - 1, 9),
            (BLOCK, 4),
            (BLOCK + 1, 9),
            (2 * BLOCK + 3, 30),
            (3, 64),
            (BLOCK + 1, 130),
        ] {
            for constant in [false, true] {
                let rows = random(n, d, 0.6, constant);
                let kernels = kernels(&rows);
                for (kernel, values) in kernels.iter().zip(gram(&kernels, &rows, &Silent).unwrap())
                {
                    agrees(kernel, &rows, &rows, &values);
                    assert!((0..n).all(|j| (0..j).all(|i| values[(i, j)] == values[(j, i)])));
                    for (i, own) in kernel.diagonal(&rows).unwrap().iter().enumerate() {
                        assert!((values[(i, i)] - own).abs() <= 1e-13 * own.max(1.0));
                    }
                }
            }
        }
    }

    #[test]
    fn rows_against_a_support_are_compared_in_either_shape() {
        let support = random(BLOCK + 2, 12, 0.5, true);
        let kernels = kernels(&support);
        for n in [0, 1, 3, BLOCK, BLOCK + 1] {
            let rows = random(n, 12, 0.7, true);
            for (kernel, values) in
                kernels.iter().zip(cross(&kernels, &support, &rows, &Silent).unwrap())
            {
                agrees(kernel, &support, &rows, &values);
            }
            for (kernel, values) in
                kernels.iter().zip(cross(&kernels, &rows, &support, &Silent).unwrap())
            {
                if n > 0 {
                    agrees(kernel, &rows, &support, &values);
                }
            }
        }
    }

    #[test]
    fn threads_do_not_change_a_bit() {
        let rows = random(2 * BLOCK + 40, 17, 0.6, true);
        let kernels = kernels(&rows);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                (
                    gram(&kernels, &rows, &Silent).unwrap(),
                    cross(&kernels, &rows, &rows, &Silent).unwrap(),
                )
            })
        };
        let (one, three) = (on(1), on(3));
        assert!(one == on(2) && one == three);
    }

    #[test]
    fn one_kernel_alone_gives_what_it_gives_among_others() {
        let rows = random(BLOCK + 9, 5, 0.4, false);
        let kernels = kernels(&rows);
        let together = gram(&kernels, &rows, &Silent).unwrap();
        assert_eq!(gram(&kernels[..2], &rows, &Silent).unwrap(), together[..2]);
        for (kernel, values) in kernels.iter().zip(&together) {
            assert_eq!(&gram(std::slice::from_ref(kernel), &rows, &Silent).unwrap()[0], values);
        }
        assert!(gram(&[], &rows, &Silent).unwrap().is_empty());
    }

    #[test]
    fn rows_that_show_nothing_have_0_or_the_constant() {
        let bare = Masked::from_rows(Array2::from_elem((4, 3), f64::NAN).view(), false).unwrap();
        let constant = Masked::from_rows(Array2::from_elem((4, 3), f64::NAN).view(), true).unwrap();
        for normalization in [Normalization::None, Normalization::Trace, Normalization::Cosine] {
            let mut kernel = Kernel::new(3, None, normalization, 1).unwrap();
            for (rows, expected) in [(&bare, 0.0), (&constant, 1.0)] {
                kernel.fit(rows).unwrap();
                let expected =
                    if normalization == Normalization::None { 3.0 * expected } else { expected };
                let values = gram(std::slice::from_ref(&kernel), rows, &Silent).unwrap();
                assert!((0..4).all(|j| {
                    values[0].col_as_slice(j).iter().all(|k| (k - expected).abs() < 1e-15)
                }));
            }
        }
    }

    #[test]
    fn wrong_widths_numbers_out_of_range_and_monitors_stop_it() {
        struct Stopped;
        impl Monitor for Stopped {
            fn should_stop(&self) -> bool {
                true
            }
        }
        let rows = random(4, 3, 0.5, true);
        let kernels = kernels(&rows);
        let kind = |result: Result<Vec<Mat<f64>>>| result.unwrap_err().kind().clone();
        let narrow = random(4, 2, 0.5, true);
        let wrong = kind(cross(&kernels, &rows, &narrow, &Silent));
        assert!(matches!(wrong, ErrorKind::WrongLength { expected: 4, found: 3, .. }));
        assert!(matches!(kind(gram(&kernels, &rows, &Stopped)), ErrorKind::Interrupted { .. }));
        let large = Masked::from_rows(Array2::from_elem((1, 4), 1e100).view(), false).unwrap();
        let steep = [Kernel::new(64, None, Normalization::None, 8).unwrap()];
        assert!(matches!(kind(gram(&steep, &large, &Silent)), ErrorKind::Numerical { .. }));
        assert!(matches!(kind(cross(&steep, &rows, &large, &Silent)), ErrorKind::Numerical { .. }));
    }

    #[test]
    fn the_room_needed_is_that_of_the_matrices() {
        assert!((bytes_needed(8_000, 4) as f64 / (4.0 * 8.0 * 64e6) - 1.0).abs() < 0.02);
        assert_eq!(bytes_needed(usize::MAX, 4), u64::MAX);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn gram_matrices_are_positive_semidefinite(n in 1..30_usize, d in 1..12_usize, share in 0.0..1.0) {
            let rows = random(n, d, share, false);
            let kernels = kernels(&rows);
            for values in gram(&kernels, &rows, &Silent).unwrap() {
                let eigenvalues = values.self_adjoint_eigenvalues(Side::Lower).unwrap();
                let largest = eigenvalues.iter().fold(1.0_f64, |a, b| a.max(*b));
                prop_assert!(eigenvalues.iter().all(|v| *v >= -1e-12 * largest), "{eigenvalues:?}");
            }
        }
    }
}
