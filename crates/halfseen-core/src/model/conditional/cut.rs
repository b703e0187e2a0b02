//! Truncates a factor model's linear predictor; the kept attributes then stand in for dropped ones.
//!
//! A dropped attribute is missing from every row. Its expectation is linear in the kept attributes,
//! so it moves to their weights, and its conditional variance joins the residual. With a link the
//! linear predictor is divided by the flattening of this variance.

use super::{Conditional, Room};
use crate::data::Layout;
use crate::error::Result;

impl Conditional {
    /// Returns the predictor of the `attributes` sampled panels of largest weight, and of every
    /// known one. It scores as this one does if the other panels are missing. Dropped columns have
    /// weight and loadings 0.
    ///
    /// # Errors
    /// See [`check_truncation`](crate::model::check_truncation).
    pub fn truncated(&self, attributes: usize, layout: &Layout) -> Result<Conditional> {
        let shown = self.linear.truncated(attributes, layout)?;
        let mut stays = vec![false; shown.weights.len()];
        for panel in 0..layout.panels() {
            let columns = || layout.slots_of(panel).map(|slot| layout.column(slot));
            // A panel without weight is unnecessary if all relevant ones are observed.
            let needed =
                panel >= layout.sampled_panels() || columns().any(|j| shown.weights[j] != 0.0);
            columns().for_each(|j| stays[j] = needed);
        }
        let mut posterior = Room::new(self.rank);
        posterior.start(1.0);
        for j in (0..stays.len()).filter(|&j| stays[j]) {
            posterior.add(self.row(j), 1.0 / self.noise[j], 0.0);
        }
        posterior.solve();
        let mut cut = self.clone();
        let mut unseen = self.take_up(&mut cut.linear.weights, &stays, &posterior);
        cut.linear.intercept =
            self.linear.score(&self.linear.fill) - dot(&cut.linear.weights, &self.linear.fill);
        for row in cut.deviations.chunks_exact_mut(stays.len().max(1)) {
            self.take_up(row, &stays, &posterior);
        }
        if let Some(link) = self.link {
            let by = link.curve.flattening(unseen);
            cut.linear.weights.iter_mut().chain(&mut cut.deviations).for_each(|w| *w /= by);
            cut.linear.intercept = (cut.linear.intercept + link.centre) / by - link.centre;
            unseen = 0.0;
        }
        cut.residual += unseen;
        for (row, _) in cut
            .loadings
            .chunks_exact_mut(self.rank.max(1))
            .zip(&stays)
            .filter(|(_, stays)| !**stays)
        {
            row.fill(0.0);
        }
        Ok(cut)
    }

    /// Moves the weights of dropped columns to kept ones. Returns the lost variance of the linear
    /// predictor.
    fn take_up(&self, weights: &mut [f64], stays: &[bool], posterior: &Room) -> f64 {
        let mut lost = 0.0;
        let mut u = vec![0.0; self.rank];
        for j in (0..weights.len()).filter(|&j| !stays[j]) {
            let weight = std::mem::replace(&mut weights[j], 0.0);
            u.iter_mut().zip(self.row(j)).for_each(|(u, w)| *u += weight * w);
            lost += weight * weight * self.noise[j];
        }
        let mut solved = u.clone();
        posterior.apply(&mut solved);
        for j in (0..weights.len()).filter(|&j| stays[j]) {
            weights[j] += dot(self.row(j), &solved) / self.noise[j];
        }
        lost + dot(&u, &solved)
    }

    pub(in crate::model) fn keep(&mut self, needed: &[bool]) {
        let kept = |numbers: &mut Vec<f64>, width: usize| {
            let mut at = 0;
            numbers.retain(|_| {
                at += 1;
                needed[(at - 1) / width % needed.len()]
            });
        };
        let mut flags = needed.iter();
        self.bounds.retain(|_| flags.next() == Some(&true));
        for (numbers, width) in [
            (&mut self.linear.weights, 1),
            (&mut self.linear.fill, 1),
            (&mut self.noise, 1),
            (&mut self.deviations, 1),
            (&mut self.loadings, self.rank),
        ] {
            kept(numbers, width);
        }
        self.narrow();
    }

    /// Rotates the factors, if more than columns, to equal the number of columns.
    fn narrow(&mut self) {
        let (rank, columns) = (self.rank, self.noise.len());
        if rank <= columns {
            return;
        }
        // Reflections from the right make W lower triangular, and keep W W'.
        for i in 0..columns {
            let length = self.row(i)[i..].iter().map(|w| w * w).sum::<f64>().sqrt();
            if length == 0.0 {
                continue;
            }
            let mut axis = self.row(i)[i..].to_vec();
            axis[0] += if axis[0] < 0.0 { -length } else { length };
            let square = dot(&axis, &axis);
            for row in self.loadings.chunks_exact_mut(rank) {
                let along = 2.0 * dot(&row[i..], &axis) / square;
                row[i..].iter_mut().zip(&axis).for_each(|(w, a)| *w -= along * a);
            }
        }
        let cut = self.loadings.chunks_exact(rank).flat_map(|row| row[..columns].iter().copied());
        self.loadings = cut.collect();
        self.rank = columns;
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
