//! Makes every attribute weakly informative, with a hidden sign: the instance of theorem 2.2 of
//! Hazan and Koren 2012.

use crate::{Correlation, Synthetic, out_of_range, sign, sign_rows, sign_scaler, streams};
use halfseen::error::Result;

/// Rows with hidden s in {-1, +1}^d, y = -+1 with equal shares, x_i = y s_i / sqrt(d) in a share
/// 1/2 + `gap` of the rows, else the opposite; attributes are independent given y, and |x|_2 = 1.
///
/// w* = s / sqrt(d) is the best in the unit ball. With r = 2 `gap` and v = <w, w*>, the squared
/// error of w is (1 - r^2) |w|^2 / d + r^2 v^2 - 2 r v + 1. The number of examples for a fixed
/// excess grows like d (Hazan and Koren 2012, theorem 2.2, states the bound d / (k eps^2) for `gap`
/// of the order of eps, and leaves the instance to its proof).
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenSigns {
    /// d, at least 2.
    pub columns: usize,
    /// From 1 / (2 (d - 1)), below which w* would be shorter, to 1/2.
    pub gap: f64,
}

impl HiddenSigns {
    /// Draws rows.
    ///
    /// # Errors
    /// Too few columns, or `gap` out of range.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Synthetic> {
        let (d, r) = (self.columns as f64, 2.0 * self.gap);
        if self.columns < 2 {
            return Err(out_of_range("columns", self.columns, "at least 2".into()));
        }
        if !(r * (d - 1.0) >= 1.0 && r <= 1.0) {
            let allowed = format!("from {} (for {} columns) to 0.5", 0.5 / (d - 1.0), self.columns);
            return Err(out_of_range("gap", self.gap, allowed));
        }
        let (mut secret, mut stream) = streams(seed, 3);
        let hidden: Vec<u8> = (0..self.columns).map(|_| secret.word() as u8 & 1).collect();
        let (matrix, targets) = sign_rows(rows, self.columns, |row| {
            let y = stream.word() as u8 & 1;
            for (cell, s) in row.into_iter().zip(&hidden) {
                // The byte of y s_i, inverted where the attribute errs.
                *cell = 1 ^ y ^ s ^ u8::from(stream.unit() >= 0.5 + self.gap);
            }
            sign(y)
        });
        let size = d.sqrt().recip();
        let truth: Vec<f64> = hidden.iter().map(|&s| sign(s) * size).collect();
        let own = (1.0 - r * r) / d;
        let scaler = sign_scaler(&vec![size; self.columns]);
        let floor = own + (1.0 - r).powi(2);
        let set =
            Synthetic::new(matrix, scaler, targets, vec![1.0 / d; self.columns], truth, floor);
        Ok(Synthetic { correlation: Correlation { shared: r * r, pull: own + r * r - r }, ..set })
    }
}
