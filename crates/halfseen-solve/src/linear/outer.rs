//! Sums outer products of examples into D x D matrices.

use crate::monitor::Monitor;
use crate::products::{lower_product, product};
use faer::{Accum, Mat, MatRef};
use rayon::prelude::*;

/// Number of columns per task; fixed, so that results do not depend on the number of threads.
const STRIPE: usize = 128;

/// Adds B B', B (D, b), to the lower triangle of `sum`, (D, D), which is useless once the monitor has
/// asked to stop.
pub(super) fn add_outer(sum: &mut Mat<f64>, block: MatRef<'_, f64>, monitor: &dyn Monitor) {
    let width = sum.nrows();
    sum.as_mut().par_col_chunks_mut(STRIPE).enumerate().for_each(|(number, stripe)| {
        if monitor.should_stop() {
            return;
        }
        let first = number * STRIPE;
        let columns = stripe.ncols();
        let below = stripe.submatrix_mut(first, 0, width - first, columns);
        let (corner, below) = below.split_at_row_mut(columns);
        let (own, rest) = block.subrows(first, width - first).split_at_row(columns);
        lower_product(corner, Accum::Add, own, own.transpose(), 1.0);
        product(below, Accum::Add, rest, own.transpose(), 1.0);
    });
}
