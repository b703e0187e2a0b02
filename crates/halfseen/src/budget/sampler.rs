//! Draws the panels from which one example is estimated, and knows the coefficients that make it unbiased.

use crate::sampling::{Stream, subset};
use serde::{Deserialize, Serialize};

/// How the panels of the gradient are drawn: `draws` of `panels`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sampler {
    /// Number of panels to draw from.
    pub panels: usize,
    /// Number of draws.
    pub draws: usize,
    /// Whether a panel can be drawn twice.
    pub replacement: bool,
}

impl Sampler {
    /// Replaces `out` by the drawn panels.
    #[inline]
    pub fn draw(&self, stream: &mut Stream, out: &mut Vec<u32>) {
        if self.replacement {
            out.clear();
            out.extend((0..self.draws).map(|_| stream.below(self.panels) as u32));
        } else {
            subset(stream, self.panels, self.draws, out);
        }
    }

    /// What the values of a drawn panel are multiplied by: d / draws, so that the estimate x~ has
    /// E x~ = x, with and without replacement.
    #[inline]
    pub fn coefficient(&self) -> f64 {
        self.panels as f64 / self.draws as f64
    }

    /// The factor of E |x~|^2 / |x|^2, and of E x~_j^2 / x_j^2: (d + s - 1)/s with replacement,
    /// d/s without.
    pub fn inflation(&self) -> f64 {
        let (d, s) = (self.panels as f64, self.draws as f64);
        if self.replacement { (d + s - 1.0) / s } else { d / s }
    }
}
