//! Makes multipliers of pieces feasible, and computes the lower bound that they give.

use super::pieces::Pieces;

impl Pieces<'_> {
    /// Returns sum_c sigma_c k_c - C |sum_c sigma_c a_c|_1 for feasible multipliers near these.
    pub(super) fn bound(&self, sigma: &[f64], radius: f64) -> f64 {
        let mut sigma: Vec<f64> = sigma.iter().map(|s| s.max(0.0)).collect();
        for i in 0..self.rows.len() {
            let sum: f64 = sigma[self.of(i)].iter().sum();
            let most = self.rows.weight(i);
            if sum > most {
                let factor = sum / most;
                sigma[self.of(i)].iter_mut().for_each(|s| *s /= factor);
            }
        }
        self.balance(&mut sigma);
        let slope = self.combine(&sigma);
        let gain: f64 = sigma.iter().zip(&self.list.constant).map(|(s, k)| s * k).sum();
        // The remaining slope of the bias is rounding.
        gain - radius * slope[..self.rows.width].iter().map(|g| g.abs()).sum::<f64>()
    }

    /// Lowers the multipliers of slopes of one sign until sum_c sigma_c e_c = 0.
    fn balance(&self, sigma: &mut [f64]) {
        if !self.intercept {
            return;
        }
        let side = |up: bool| -> f64 {
            let of = sigma.iter().zip(&self.list.slope).filter(|(_, e)| (**e > 0.0) == up);
            of.map(|(s, e)| s * e.abs()).sum()
        };
        let (up, down) = (side(true), side(false));
        let (most, least) = (up.max(down), up.min(down));
        if most > least {
            let factor = least / most;
            let heavy = up > down;
            let of = sigma.iter_mut().zip(&self.list.slope).filter(|(_, e)| (**e > 0.0) == heavy);
            of.for_each(|(s, _)| *s *= factor);
        }
    }
}
