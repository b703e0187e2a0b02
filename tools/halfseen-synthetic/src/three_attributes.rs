//! Spreads the target over three attributes, so that no two predict it: the instance of theorem 4
//! of Cesa-Bianchi, Shalev-Shwartz and Shamir 2010.

use crate::{Synthetic, fair_signs, sign, sign_scaler, streams};

/// Rows x uniform on {-1, +1}^3 and y = (x_1 + x_2 + x_3) / 3.
///
/// w* = (1, 1, 1) / 3 has no error, but a predictor that reads two attributes has a squared error
/// of at least 1/9, the variance of the third's part (Cesa-Bianchi et al. 2010, theorem 4). Two
/// reads per *training* example suffice to learn it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreeAttributes;

impl ThreeAttributes {
    /// Draws rows.
    pub fn draw(&self, rows: usize, seed: u64) -> Synthetic {
        let (_, mut stream) = streams(seed, 2);
        let (matrix, targets) = fair_signs(&mut stream, rows, 3, |x, _| {
            x.iter().map(|&byte| sign(byte)).sum::<f64>() / 3.0
        });
        Synthetic::new(
            matrix,
            sign_scaler(&[1.0; 3]),
            targets,
            vec![1.0; 3],
            vec![1.0 / 3.0; 3],
            0.0,
        )
    }
}
