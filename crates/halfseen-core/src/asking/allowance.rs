//! Computes the number of reads per example, the affordable number of examples, and the given
//! means.

use crate::data::{Layout, Moments};
use crate::error::{ErrorKind, Result, shown, too_few_reads, too_many_reads};
use crate::params::Centre;

/// Number of reads of one example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// Maximum number of reads of one example.
    pub budget: usize,
    /// Number of panels that can be read.
    pub panels: usize,
}

impl Reads {
    /// Returns the reads that a budget parameter allows; `None` is auto: 4, or all panels if there
    /// are fewer.
    ///
    /// # Errors
    /// [`ErrorKind::Request`].
    pub fn of(budget: Option<u64>, layout: &Layout) -> Result<Reads> {
        let panels = layout.sampled_panels();
        let budget = budget.map_or(panels.min(4), |k| usize::try_from(k).unwrap_or(usize::MAX));
        if budget > panels {
            return Err(too_many_reads(budget as u64, panels as u64));
        }
        Ok(Reads { budget, panels })
    }

    /// Returns true if every panel can be read, so that nothing is sampled.
    pub fn all(self) -> bool {
        self.budget == self.panels
    }

    /// Refuses a budget below `least`, unless every panel can be read.
    ///
    /// # Errors
    /// [`ErrorKind::Request`].
    pub fn at_least(self, least: usize, learner: &str) -> Result<()> {
        if self.all() || self.budget >= least {
            return Ok(());
        }
        Err(too_few_reads(learner, self.budget as u64, least as u64))
    }
}

/// Returns the number of examples that a total budget pays for.
pub fn affordable(total: u64, budget: u64) -> Result<u64> {
    if total < budget {
        let (name, value) = (crate::params::TOTAL_BUDGET.name, total.to_string());
        let allowed = format!("at least the budget of one example, {budget}");
        return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
    }
    Ok(total / budget.max(1))
}

/// Returns the number of examples that a total cost pays for, with reads at the mean price.
pub fn affordable_cost(
    total: f64,
    max_cost: Option<f64>,
    reads: Reads,
    layout: &Layout,
) -> Result<u64> {
    let mut prices: Vec<f64> = (0..reads.panels).map(|panel| layout.price(panel)).collect();
    prices.sort_unstable_by(|a, b| b.total_cmp(a));
    let limit = max_cost.unwrap_or(f64::INFINITY);
    let most_expensive = prices.iter().take(reads.budget).sum::<f64>().min(limit);
    if total < most_expensive * (1.0 - 1e-12) {
        let (name, value) = (crate::params::TOTAL_COST.name, shown(total));
        let allowed =
            format!("at least the largest cost of one example, {}", shown(most_expensive));
        return Err(ErrorKind::OutOfRange { name, value, allowed }.into());
    }
    let mean = prices.iter().sum::<f64>() / prices.len().max(1) as f64 * reads.budget as f64;
    Ok((total / mean.min(limit).max(f64::MIN_POSITIVE)).max(1.0) as u64)
}

/// Returns the given means per sampled slot, if the learner centres by them.
pub fn given_means(centre: Centre, moments: Option<&Moments>, layout: &Layout) -> Result<Vec<f64>> {
    match (centre, moments) {
        (Centre::Given, Some(moments)) => {
            Ok((0..layout.sampled_slots()).map(|slot| moments.mean[layout.column(slot)]).collect())
        }
        (Centre::Given, None) => {
            let what = "the attributes' means, and nobody gave them; use centre = running";
            Err(ErrorKind::Needs { name: "centre", value: "given", what }.into())
        }
        _ => Ok(Vec::new()),
    }
}
