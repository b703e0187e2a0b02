//! Draws rows with holes in an order that misleads who learns online: for the regret bound of D,
//! theorem 3.

use crate::incomplete::{Incomplete, Subspace};
use crate::{out_of_range, rank_in_range};
use halfseen::error::{ErrorKind, Result};
use halfseen::missing::bounds::kappa;
use ndarray::Array2;

/// Patterns that are tried for each that is kept.
const TRIES: usize = 10_000;

/// A regular sequence in an adverse order: phase by phase another pattern of `shown` observed
/// columns, and in each phase first all rows of one label, then all of the other, the labels the
/// other way round in every second phase.
///
/// x = U z / |P_o x| has length 1 where it is observed, y = sign <w, x> and |w| = 1. What was
/// learned in one phase says little about the next pattern, and half of the time the label that was
/// always right is always wrong. Every pattern has a kappa of at least `least_kappa`, so that
/// theorem 3 holds with it, for this order as for any. Unlike elsewhere fewer rows are not the
/// first of more: the phases share the rows that are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct SortedRows {
    /// d.
    pub columns: usize,
    /// r, from 1 to `shown`.
    pub rank: usize,
    /// Columns observed in every row, at most d.
    pub shown: usize,
    /// Phases, at least 1.
    pub phases: usize,
    /// Above 0 and at most 1; less than what the best of 10,000 random patterns has.
    pub least_kappa: f64,
}

impl Default for SortedRows {
    /// 8 columns of rank 2, 5 of them shown, in 6 phases, kappa of at least 0.3.
    fn default() -> Self {
        SortedRows { columns: 8, rank: 2, shown: 5, phases: 6, least_kappa: 0.3 }
    }
}

impl SortedRows {
    /// Draws rows in their order.
    ///
    /// # Errors
    /// A number out of range, among them a `least_kappa` that no pattern was found for.
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
            // As likely one as its negative.
            let sign = if space.score(&x) * label >= 0.0 { 1.0 } else { -1.0 };
            cells.iter_mut().zip(x).for_each(|(cell, x)| *cell = sign * x / size);
            targets.push(label);
            observed.push(pattern.clone());
        }
        Ok(Incomplete::new(complete, &observed, targets, space.truth, space.basis))
    }

    /// A random pattern that is regular enough.
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
            let found = kappa(space.basis.as_ref(), &observed)?;
            if found.regular().is_some_and(|kappa| kappa >= self.least_kappa) {
                return Ok(observed);
            }
        }
        let allowed =
            format!("reached by one of {TRIES} random patterns of {} columns", self.shown);
        let value = self.least_kappa.to_string();
        Err(ErrorKind::OutOfRange { name: "least_kappa", value, allowed }.into())
    }
}
