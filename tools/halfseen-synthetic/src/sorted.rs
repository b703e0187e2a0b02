//! Draws incomplete rows in an order that misleads online learners, for the regret bound of Hazan,
//! Livni and Mansour 2015, theorem 3.

use crate::incomplete::{Incomplete, Subspace};
use crate::regularity::kappa;
use crate::{out_of_range, rank_in_range};
use halfseen::error::{ErrorKind, Result};
use ndarray::Array2;

/// Largest number of patterns tried for each kept one.
const TRIES: usize = 10_000;

/// Regular sequence in an adverse order. Each phase has another pattern of `shown` observed
/// columns, and shows first all rows of one label, then all of the other; the order of the labels
/// alternates between phases.
///
/// x = U z / |P_o x| has length 1 where observed, y = sign <w, x> and |w| = 1. One phase is little
/// informative about the pattern of the next, and half of the time the previously correct label is
/// always wrong. Every pattern has a kappa of at least `least_kappa`, so that theorem 3 holds with
/// it, for this order as for any. A shorter draw is not a prefix of a longer one, because the
/// phases share the requested rows.
#[derive(Debug, Clone, PartialEq)]
pub struct SortedRows {
    /// d.
    pub columns: usize,
    /// r, from 1 to `shown`.
    pub rank: usize,
    /// Number of columns observed in every row, at most d.
    pub shown: usize,
    /// Number of phases, at least 1.
    pub phases: usize,
    /// Above 0 and at most 1; at most the best of 10,000 random patterns.
    pub least_kappa: f64,
}

impl Default for SortedRows {
    /// Returns 8 columns of rank 2, 5 of them shown, in 6 phases, kappa of at least 0.3.
    fn default() -> Self {
        SortedRows { columns: 8, rank: 2, shown: 5, phases: 6, least_kappa: 0.3 }
    }
}

impl SortedRows {
    /// Draws rows in order.
    ///
    /// # Errors
    /// A number out of range, including a `least_kappa` for which no pattern was found.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Incomplete> {
        rank_in_range(self.shown, self.columns).map_err(|_| {
            out_of_range(
                "shown",
                self.shown,
                format!("from 1 to the number of columns, {}", self.columns),
            )
        })?;
        rank_in_range(self.rank, self.shown)?;
        if self.phases == 0 {
            return Err(out_of_range("phases", self.phases, "at least 1".into()));
        }
        if !(self.least_kappa > 0.0 && self.least_kappa <= 1.0) {
            return Err(out_of_range(
                "least_kappa",
                self.least_kappa,
                "above 0 and at most 1".into(),
            ));
        }
        let (space, mut secret, mut stream) = Subspace::draw(self.columns, self.rank, seed, 10);
        let patterns = (0..self.phases)
            .map(|_| self.pattern(&space, &mut secret))
            .collect::<Result<Vec<Vec<bool>>>>()?;
        let mut complete = Array2::zeros((rows, self.columns));
        let (mut targets, mut observed) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        for (t, mut cells) in complete.rows_mut().into_iter().enumerate() {
            // Half-phases, with labels + - - + + - - + ...
            let half = 2 * self.phases * t / rows;
            let label = if half.div_ceil(2).is_multiple_of(2) { 1.0 } else { -1.0 };
            let pattern = &patterns[half / 2];
            let x = space.row(&mut stream);
            let size = x
                .iter()
                .zip(pattern)
                .filter(|(_, seen)| **seen)
                .map(|(x, _)| x * x)
                .sum::<f64>()
                .sqrt();
            // x and -x are equally likely.
            let sign = if space.score(&x) * label >= 0.0 { 1.0 } else { -1.0 };
            cells.iter_mut().zip(x).for_each(|(cell, x)| *cell = sign * x / size);
            targets.push(label);
            observed.push(pattern.clone());
        }
        Ok(Incomplete::new(complete, &observed, targets, space.truth, space.basis))
    }

    /// Draws a random pattern that is sufficiently regular.
    fn pattern(
        &self,
        space: &Subspace,
        secret: &mut halfseen::sampling::Stream,
    ) -> Result<Vec<bool>> {
        let mut order: Vec<usize> = (0..self.columns).collect();
        for _ in 0..TRIES {
            for last in (1..self.columns).rev() {
                order.swap(last, secret.below(last + 1));
            }
            let mut observed = vec![false; self.columns];
            order[..self.shown].iter().for_each(|&j| observed[j] = true);
            let regularity = kappa(space.basis.as_ref(), &observed)?;
            if regularity.regular().is_some_and(|kappa| kappa >= self.least_kappa) {
                return Ok(observed);
            }
        }
        let allowed =
            format!("reached by one of {TRIES} random patterns of {} columns", self.shown);
        let value = self.least_kappa.to_string();
        Err(ErrorKind::OutOfRange { name: "least_kappa", value, allowed }.into())
    }
}
