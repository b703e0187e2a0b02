//! Draws the panels that estimate second moments, or the example alone.

use crate::Reads;
use halfseen_solve::sampling::{Stream, subset};

/// Design of the draws of one example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Draws {
    reads: Reads,
    /// True if products of two panels are needed.
    pairs: bool,
}

impl Draws {
    pub(super) fn new(reads: Reads, pairs: bool) -> Draws {
        Draws { reads, pairs }
    }

    /// Returns true if every panel is read, so that nothing is drawn.
    pub(crate) fn all(self) -> bool {
        self.reads.all()
    }

    /// Returns s = floor(k/2), the number of pairs drawn; 0 if none are needed or all are free.
    pub(super) fn pairs(self) -> usize {
        if self.pairs && !self.all() { self.reads.budget / 2 } else { 0 }
    }

    /// Replaces `out` by the panels to read.
    ///
    /// The pairs are s distinct ones of the d^2 ordered pairs, uniformly, one after the other:
    /// panels i and j of pair (i, j), which may be the same. An odd budget adds one more panel,
    /// uniformly.
    #[inline]
    pub(super) fn draw(self, stream: &mut Stream, out: &mut Vec<u32>, codes: &mut Vec<u32>) {
        let Reads { budget, panels } = self.reads;
        if self.pairs() == 0 {
            return subset(stream, panels, budget, out);
        }
        subset(stream, panels * panels, self.pairs(), codes);
        out.clear();
        for &code in codes.iter() {
            out.extend([code / panels as u32, code % panels as u32]);
        }
        if !budget.is_multiple_of(2) {
            out.push(stream.below(panels) as u32);
        }
    }

    /// Returns true if `draw` can produce these panels.
    pub(super) fn could_draw(self, drawn: impl ExactSizeIterator<Item = u32> + Clone) -> bool {
        let Reads { budget, panels } = self.reads;
        if drawn.len() != budget || drawn.clone().any(|p| p as usize >= panels) {
            return false;
        }
        let pairs = self.pairs();
        if pairs == 0 {
            return drawn.clone().zip(drawn.skip(1)).all(|(a, b)| a < b);
        }
        let (first, second) = (drawn.clone().step_by(2), drawn.skip(1).step_by(2));
        let codes = first.zip(second).map(|(i, j)| u64::from(i) * panels as u64 + u64::from(j));
        codes.clone().zip(codes.skip(1)).all(|(a, b)| a < b)
    }

    /// Returns d/k: each of the k places holds a panel with probability 1/d, so the sum of its
    /// values times d/k over its reads has the mean x.
    #[inline]
    pub(super) fn coefficient(self) -> f64 {
        let Reads { budget, panels } = self.reads;
        if self.all() { 1.0 } else { panels as f64 / budget as f64 }
    }

    /// Estimates (sum over all panels of a)^2 without bias from the a of the drawn ones; `None` if
    /// only one was drawn.
    #[inline]
    pub(super) fn square_of_sum(self, drawn: &[f64]) -> Option<f64> {
        let (k, d) = (drawn.len() as f64, self.reads.panels as f64);
        let sum: f64 = drawn.iter().sum();
        if self.all() {
            return Some(sum * sum);
        }
        if self.pairs() > 0 {
            let products =
                drawn.chunks_exact(2).take(self.pairs()).map(|pair| pair[0] * pair[1]).sum::<f64>();
            return Some(2.0 * self.pair_coefficient() * products);
        }
        let squares: f64 = drawn.iter().map(|a| a * a).sum();
        let mixed = d * (d - 1.0) / (k * (k - 1.0)) * (sum * sum - squares);
        (drawn.len() > 1).then_some(d / k * squares + mixed)
    }

    /// Returns d^2/(2s), the factor of x_i x_j of a drawn pair: added at (i, j) and at (j, i), the
    /// mean is xx'.
    #[inline]
    pub(super) fn pair_coefficient(self) -> f64 {
        let panels = self.reads.panels as f64;
        if self.pairs() == 0 { 1.0 } else { panels * panels / (2 * self.pairs()) as f64 }
    }
}
