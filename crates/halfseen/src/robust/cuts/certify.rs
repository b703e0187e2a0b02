//! Makes multipliers of pieces feasible, and bounds the optimum by them.

use super::pieces::Pieces;

/// Share of multipliers that a start takes from the middle.
const MIDDLE: f64 = 0.1;

impl Pieces<'_> {
    /// sum_c sigma_c k_c - C |sum_c sigma_c a_c|_1 for multipliers near these that are feasible.
    pub(super) fn bound(&self, sigma: &[f64], radius: f64) -> f64 {
        let mut sigma: Vec<f64> = sigma.iter().map(|s| s.max(0.0)).collect();
        for i in 0..self.rows.len() {
            let sum: f64 = sigma[self.of(i)].iter().sum();
            if sum > 1.0 {
                sigma[self.of(i)].iter_mut().for_each(|s| *s /= sum);
            }
        }
        self.balance(&mut sigma);
        let slope = self.combine(&sigma);
        let gain: f64 = sigma.iter().zip(&self.list.constant).map(|(s, k)| s * k).sum();
        // What balancing left on the bias is rounding.
        gain - radius * slope[..self.rows.width()].iter().map(|g| g.abs()).sum::<f64>()
    }

    /// Lowers the multipliers of the slopes of one sign until sum_c sigma_c e_c = 0.
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

    /// Multipliers to start from: in the middle, or near earlier ones, of which those below 0 stand for new pieces.
    pub(super) fn spread(&self, earlier: Option<&[f64]>) -> Vec<f64> {
        let mut middle = vec![0.0; self.len()];
        for i in 0..self.rows.len() {
            let count = self.of(i).len().max(1) as f64;
            middle[self.of(i)].fill(0.5 / count);
        }
        self.balance(&mut middle);
        let Some(earlier) = earlier else { return middle };
        let mut sigma: Vec<f64> = earlier.iter().map(|s| s.max(0.0)).collect();
        for i in 0..self.rows.len() {
            // A new piece takes the place of the heaviest of its slope.
            let sum: f64 = sigma[self.of(i)].iter().sum();
            if sum > 1.0 {
                sigma[self.of(i)].iter_mut().for_each(|s| *s /= sum);
            }
            for c in self.of(i).filter(|&c| earlier[c] < 0.0) {
                let same = |o: &usize| self.list.group[*o] == self.list.group[c];
                let heavy = self.of(i).filter(same).max_by(|&a, &b| sigma[a].total_cmp(&sigma[b])).unwrap_or(c);
                sigma[c] = 0.5 * sigma[heavy];
                sigma[heavy] -= sigma[c];
            }
        }
        self.balance(&mut sigma);
        sigma.iter().zip(&middle).map(|(s, m)| (1.0 - MIDDLE) * s + MIDDLE * m).collect()
    }
}
