//! Keeps the limit on the total cost of reads, and what open queries cost, without rounding.

use crate::error::{ErrorKind, Result};

/// Limit on the total cost, and the cost of open queries.
///
/// Prices are added as integer multiples of a power of two, at most 2^-80 of the total. Such sums
/// are exact in any order and do not drift.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Money {
    total: f64,
    unit: f64,
    /// Cost of open queries, in units.
    pub(crate) promised: u128,
}

impl Money {
    /// Relative tolerance for the rounding of sums of prices.
    const ROUNDING: f64 = 1e-12;

    pub(crate) fn new(total: f64) -> Money {
        let exponent = total.max(1e-200).log2().floor() as i32;
        Money { total, unit: 2_f64.powi(exponent - 80), promised: 0 }
    }

    /// Returns a price in units, capped at 2^20 totals so that sums stay in range.
    pub(crate) fn units(&self, price: f64) -> u128 {
        (price / self.unit).min(2_f64.powi(100)) as u128
    }

    /// Refuses a query whose reads cost this much if the rest does not pay for it.
    ///
    /// # Errors
    /// [`ErrorKind::CostSpent`].
    pub(crate) fn afford(&self, made: f64, asked: f64) -> Result<()> {
        let (total, open) = (self.total, self.promised as f64 * self.unit);
        if made + open + asked > total * (1.0 + Self::ROUNDING) {
            return Err(ErrorKind::CostSpent { total, made, open, asked }.into());
        }
        Ok(())
    }
}
