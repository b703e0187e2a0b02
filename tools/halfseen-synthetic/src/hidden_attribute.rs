//! Hides the only informative attribute: the instance of theorem 3 of Cesa-Bianchi, Shalev-Shwartz
//! and Shamir 2010.

use crate::{Synthetic, at_least_one_column, fair_signs, out_of_range, sign, sign_scaler, streams};
use halfseen::error::Result;

/// Rows x uniform on {-1, +1}^d, with a hidden j such that y = x_j in a share 1/2 + sqrt(eps) of
/// the rows, else y = -x_j.
///
/// w* = 2 sqrt(eps) e_j, and the excess of w is |w - w*|_2^2. A learner that reads k attributes per
/// example needs of the order of d / (k eps) examples for an excess of eps, although only one
/// attribute is relevant (Cesa-Bianchi et al. 2010, theorem 3, for d >= 4k; it states the bound and
/// leaves the instance to its proof).
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenAttribute {
    /// d.
    pub columns: usize,
    /// eps, above 0 and below 1/16.
    pub epsilon: f64,
}

impl HiddenAttribute {
    /// Draws rows.
    ///
    /// # Errors
    /// No column, or `epsilon` out of range.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Synthetic> {
        at_least_one_column(self.columns)?;
        if !(self.epsilon > 0.0 && self.epsilon < 1.0 / 16.0) {
            return Err(out_of_range("epsilon", self.epsilon, "above 0 and below 1/16".into()));
        }
        let (mut secret, mut stream) = streams(seed, 1);
        let hidden = secret.below(self.columns);
        let gap = self.epsilon.sqrt();
        let (matrix, targets) = fair_signs(&mut stream, rows, self.columns, |x, stream| {
            let told = sign(x[hidden]);
            if stream.unit() < 0.5 + gap { told } else { -told }
        });
        let mut truth = vec![0.0; self.columns];
        truth[hidden] = 2.0 * gap;
        let sizes = vec![1.0; self.columns];
        Ok(Synthetic::new(
            matrix,
            sign_scaler(&sizes),
            targets,
            sizes,
            truth,
            1.0 - 4.0 * self.epsilon,
        ))
    }
}
