//! Finds from which threat on nothing that is left tells the target.

use super::threat::{Costs, Threat};
use crate::error::Result;

/// Halvings of a budget that is no multiple of one value: to a hundredth of it.
const HALVINGS: u32 = 7;

/// The least budget, up to the threat's own, for which `silent` holds. It holds for the threat itself, and for every larger
/// budget once it holds. Exact for equal values, to a hundredth of the budget for others.
///
/// # Errors
/// Those of `silent`.
pub(super) fn least(threat: &Threat, mut silent: impl FnMut(&Threat) -> Result<bool>) -> Result<f64> {
    let mut silent_at = |budget: f64| silent(&threat.with_budget(budget)?);
    if silent_at(0.0)? {
        return Ok(0.0);
    }
    if let Costs::Equal { value, count } = threat.costs() {
        let (mut told, mut lost) = (0, count);
        while lost - told > 1 {
            let middle = told + (lost - told) / 2;
            if silent_at(value * middle as f64)? { lost = middle } else { told = middle }
        }
        return Ok(value * lost as f64);
    }
    let (mut told, mut lost) = (0.0, threat.effective());
    for _ in 0..HALVINGS {
        let middle = told + 0.5 * (lost - told);
        if silent_at(middle)? { lost = middle } else { told = middle }
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_silent_budget_is_found() {
        let equal = Threat::uniform(100, 60.0).unwrap();
        for from in [0.0, 1.0, 37.0, 60.0] {
            let found = least(&equal, |threat| Ok(threat.effective() >= from)).unwrap();
            assert_eq!(found, from);
        }
        let general = Threat::new(vec![1.0, 2.5, 4.0], 6.0).unwrap();
        let found = least(&general, |threat| Ok(threat.effective() >= 2.0)).unwrap();
        assert!((2.0..2.06).contains(&found), "{found}");
    }
}
