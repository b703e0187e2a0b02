//! Draws from fixed weights in O(1) by Walker's alias method (Vose's construction).

use super::Stream;
use crate::error::{Error, Result};

/// Table of fixed probabilities over 0..n.
#[derive(Debug, Clone, PartialEq)]
pub struct AliasTable {
    /// Probability of a cell's own index; otherwise its alias is drawn.
    keep: Vec<f64>,
    alias: Vec<u32>,
    probability: Vec<f64>,
}

impl AliasTable {
    /// Builds the table in O(n) from weights that need not sum to 1.
    ///
    /// # Errors
    /// If a weight is negative or not finite, or all are zero.
    pub fn new(weights: &[f64]) -> Result<AliasTable> {
        let total: f64 = weights.iter().sum();
        let bad = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0));
        if bad.is_some() || !(total > 0.0 && total.is_finite()) {
            let value = bad.map_or(total, |at| weights[at]).to_string();
            let allowed = "non-negative finite weights with a positive sum".into();
            return Err(Error::OutOfRange { name: "weights", value, allowed });
        }
        let n = weights.len();
        let probability: Vec<f64> = weights.iter().map(|w| w / total).collect();
        let mut keep: Vec<f64> = probability.iter().map(|p| p * n as f64).collect();
        let mut alias: Vec<u32> = (0..n as u32).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..n).partition(|&i| keep[i] < 1.0);
        while let (Some(s), Some(&l)) = (small.pop(), large.last()) {
            alias[s] = l as u32;
            keep[l] -= 1.0 - keep[s];
            if keep[l] < 1.0 {
                large.pop();
                small.push(l);
            }
        }
        // Cells left over by rounding keep their own index, unless their weight is zero.
        let heaviest = (0..n).max_by(|&a, &b| weights[a].total_cmp(&weights[b])).unwrap_or(0);
        for i in small.into_iter().chain(large) {
            keep[i] = 1.0;
            if weights[i] == 0.0 {
                keep[i] = 0.0;
                alias[i] = heaviest as u32;
            }
        }
        Ok(AliasTable { keep, alias, probability })
    }

    /// Draws an index.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> usize {
        let cell = stream.below(self.keep.len());
        if stream.unit() < self.keep[cell] { cell } else { self.alias[cell] as usize }
    }

    /// Returns the probability that `draw` returns an index.
    #[inline]
    pub fn probability(&self, index: usize) -> f64 {
        self.probability[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_carry_exactly_the_declared_probabilities() {
        // Enumerates the cells instead of drawing.
        let weights = [0.5, 0.0, 3.0, 1.25, 0.25, 0.0];
        let table = AliasTable::new(&weights).unwrap();
        let mut mass = [0.0; 6];
        for cell in 0..6 {
            mass[cell] += table.keep[cell] / 6.0;
            mass[table.alias[cell] as usize] += (1.0 - table.keep[cell]) / 6.0;
        }
        for i in 0..6 {
            assert!((mass[i] - weights[i] / 5.0).abs() < 1e-15);
            assert!((table.probability(i) - weights[i] / 5.0).abs() < 1e-15);
        }
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        for weights in [vec![], vec![0.0], vec![1.0, -0.1], vec![f64::NAN], vec![f64::INFINITY]] {
            assert!(AliasTable::new(&weights).is_err());
        }
    }
}
