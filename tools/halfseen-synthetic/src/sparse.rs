//! Draws wide rows with few entries; the frequencies of attributes decay by a power law.

use crate::{Synthetic, Weights, at_least_one_column, noise_in_range, out_of_range, streams};
use halfseen::data::{Csr, Matrix, Scaler};
use halfseen::error::Result;
use halfseen::sampling::AliasTable;

/// Rows of `entries` draws of attributes, with probabilities proportional to i^-`exponent`; each
/// drawn attribute is a fair sign over sqrt(`entries`). Repeated draws, as of words in a text, give
/// fewer entries, and |x|_2 <= 1. y = <w*,x> + noise, normal with mean 0.
///
/// With p_i the probability of one draw, mu_i = (1 - (1 - p_i)^entries) / entries. Signs leave
/// attributes uncorrelated, so the excess of w is sum_i mu_i (w_i - w*_i)^2.
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    /// d.
    pub columns: usize,
    /// Number of draws per row.
    pub entries: usize,
    /// Exponent of the frequencies; 1 is Zipf's law.
    pub exponent: f64,
    /// True weights.
    pub weights: Weights,
    /// Standard deviation of the noise.
    pub noise: f64,
}

impl Default for Sparse {
    /// Returns 10^4 attributes by Zipf's law, 50 draws, aligned weights, little noise.
    fn default() -> Self {
        Self { columns: 10_000, entries: 50, exponent: 1.0, weights: Weights::Aligned, noise: 0.01 }
    }
}

impl Sparse {
    /// Draws rows.
    ///
    /// # Errors
    /// No column, no entry, or a number out of range.
    pub fn draw(&self, rows: usize, seed: u64) -> Result<Synthetic> {
        at_least_one_column(self.columns)?;
        noise_in_range(self.noise)?;
        if self.entries == 0 {
            return Err(out_of_range("entries", self.entries, "at least 1".into()));
        }
        if !(self.exponent.is_finite() && self.exponent >= 0.0) {
            return Err(out_of_range(
                "exponent",
                self.exponent,
                "a number that is not negative".into(),
            ));
        }
        let frequencies: Vec<f64> =
            (1..=self.columns).map(|i| (i as f64).powf(-self.exponent)).collect();
        let total: f64 = frequencies.iter().sum();
        let n = self.entries as f64;
        // 1 - (1 - p)^n, without loss of precision for small p.
        let mu: Vec<f64> =
            frequencies.iter().map(|f| -(n * (-f / total).ln_1p()).exp_m1() / n).collect();
        let (mut secret, mut stream) = streams(seed, 5);
        let truth = self.weights.draw(&mu, &mut secret)?;
        let table = AliasTable::new(&frequencies)?;
        let size = n.sqrt().recip();
        let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let (mut drawn, mut targets) = (Vec::with_capacity(self.entries), Vec::with_capacity(rows));
        for _ in 0..rows {
            drawn.clear();
            drawn.extend((0..self.entries).map(|_| table.draw(&mut stream) as u32));
            drawn.sort_unstable();
            drawn.dedup();
            let mut signal = 0.0;
            for &i in &drawn {
                let x = if stream.word() & 1 == 1 { size } else { -size };
                signal += truth[i as usize] * x;
                indices.push(i);
                values.push(x);
            }
            starts.push(indices.len());
            targets.push(signal + self.noise * stream.normal());
        }
        let matrix = Matrix::Csr(Csr::new(starts, indices, values, self.columns)?);
        Ok(Synthetic::new(matrix, Scaler::None {}, targets, mu, truth, self.noise.powi(2)))
    }
}
