//! Eliminates the rows of one part: their terms of the matrix, and of the right side of the affine
//! direction, for which the items' sums are at hand.

use super::KNOWN;
use super::point::Row;
use super::problem::Problem;
use super::triangle::{self, BATCH};
use super::worker::{Item, Pivot, Worker};
use crate::monitor::{Monitor, Watch};
use crate::vectors::{dot, sum};
use crate::wide::{NullaryFnOnce, wide};

impl Worker<'_> {
    /// Sums this part of the matrix, and of the right side of the affine direction, until the
    /// monitor asks to stop.
    pub(super) fn eliminate(&mut self, problem: &Problem, monitor: &dyn Monitor) {
        wide(Eliminate { worker: self, problem, monitor });
    }
}

struct Eliminate<'w, 'p> {
    worker: &'w mut Worker<'p>,
    problem: &'w Problem,
    monitor: &'w dyn Monitor,
}

impl NullaryFnOnce for Eliminate<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Eliminate { worker, problem, monitor } = self;
        let Worker {
            part,
            now,
            triangle,
            vector,
            pivots,
            batch,
            room: [kept, costs, gs, taken, numbers, ..],
            ..
        } = worker;
        triangle.fill(0.0);
        vector.fill(0.0);
        let mut bias = 0.0;
        let mut watch = Watch::new(monitor);
        for first in (0..part.rows()).step_by(BATCH) {
            let rows = first..(first + BATCH).min(part.rows());
            let (at, of) = (part.starts[first], part.items[first]);
            for row in rows.clone() {
                let items = part.items(row);
                let count = items.len();
                if watch.stops_after(4 * count * count) {
                    return;
                }
                let values = &part.values[items.clone()];
                let blocks = &mut batch.blocks[items.start - of..][..count];
                let ((beta, del), (slack, u)) = (now[0].at(items.clone()), now[1].at(items));
                let point = Row::of(now, row);
                let [kept, costs, gs, taken, numbers] =
                    [&mut *kept, costs, gs, taken, numbers].map(|room| &mut room[..count]);
                for k in 0..count {
                    let item = Item::new(beta[k], del[k], slack[k], u[k]);
                    kept[k] = item.kept();
                    costs[k] = values[k] * item.h();
                    blocks[k] = item.h();
                    (gs[k], taken[k]) = (item.g, item.d * item.g);
                }
                let (free, all) = (point.kappa / point.price, sum(gs));
                let s = point.slack / point.sigma + point.xi / point.zeta + all;
                let rho = problem.budget - dot(values, taken);
                let m = free + dot(values, costs);
                let squares = values.iter().zip(&*costs).map(|(v, cost)| v * cost);
                let largest =
                    squares.fold(0.0, |most, square| if square > most { square } else { most });
                // M - v^2 h cancels for a term that is nearly all of M: the others are then summed
                // without it.
                let mut rest = Some(largest).filter(|&largest| largest > 0.5 * m);
                for k in 0..count {
                    let square = values[k] * costs[k];
                    let others = if rest == Some(square) {
                        rest = None;
                        let others = (0..count).filter(|&o| o != k);
                        free + others.map(|o| values[o] * costs[o]).sum::<f64>()
                    } else {
                        m - square
                    };
                    blocks[k] *= others / m;
                }
                let (lean, root) = (rho / m, 1.0 / m.sqrt());
                let scale = 1.0 / (s + rho * lean).sqrt();
                let pivot = Pivot { s, m, rho, determinant: s * m + rho * rho };
                let (rs, rm) = pivot.affine(point, part.weights[row], all);
                let (along, across) = pivot.solve(rs, rm);
                pivots[row] = pivot;
                let known = along + point.sigma;
                for k in 0..count {
                    numbers[k] = kept[k] * known + costs[k] * across;
                }
                part.spread(row, numbers, known, vector);
                bias += part.signs[row] * known;
                batch.bias[row - first] = if problem.bias { part.signs[row] * scale } else { 0.0 };
                let entries = part.entries(row);
                let cells = &part.cells[entries.clone()];
                let [plus, minus] = [&mut batch.plus, &mut batch.minus]
                    .map(|list| &mut list[entries.start - at..][..cells.len()]);
                if part.owners.is_empty() {
                    for (k, a) in cells.iter().enumerate() {
                        plus[k] = a * (kept[k] - lean * costs[k]) * scale;
                        minus[k] = a * costs[k] * root;
                    }
                } else {
                    let owners = &part.owners[entries];
                    for (e, (a, &owner)) in cells.iter().zip(owners).enumerate() {
                        let k = owner as usize;
                        let known = owner == KNOWN;
                        plus[e] = a * scale * if known { 1.0 } else { kept[k] - lean * costs[k] };
                        minus[e] = if known { 0.0 } else { a * costs[k] * root };
                    }
                }
            }
            let terms = batch.terms(part, rows.clone());
            triangle::add(triangle, problem.width + 1, &terms[..rows.len()]);
        }
        if problem.bias {
            vector[problem.width] = bias;
        }
    }
}
