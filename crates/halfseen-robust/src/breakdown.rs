//! Finds the smallest threat under which the remaining attributes carry no signal.

use halfseen_core::data::{Costs, Threat};
use halfseen_core::error::Result;
use halfseen_solve::Monitor;

/// Number of bisections for unequal values: to a hundredth of the budget.
const HALVINGS: u32 = 7;

/// Returns the least budget, up to the threat's own, for which `silent` holds. It must hold for the
/// threat itself and be monotone in the budget. Exact for equal values, otherwise to a hundredth of
/// the budget. `None` if the monitor stops the search, as an interrupted fit proves nothing.
///
/// # Errors
/// Those of `silent`.
pub fn breakdown_threat(
    threat: &Threat,
    monitor: &dyn Monitor,
    mut silent: impl FnMut(&Threat) -> Result<bool>,
) -> Result<Option<f64>> {
    let mut silent_at = |budget: f64| silent(&threat.with_budget(budget)?);
    let nothing_at_all = silent_at(0.0)?;
    if nothing_at_all || monitor.should_stop() {
        return Ok((!monitor.should_stop()).then_some(0.0));
    }
    if let Costs::Equal { value, count } = threat.costs() {
        let (mut told, mut lost) = (0, count);
        while lost - told > 1 {
            let middle = told + (lost - told) / 2;
            if silent_at(value * middle as f64)? {
                lost = middle
            } else {
                told = middle
            }
            if monitor.should_stop() {
                return Ok(None);
            }
        }
        return Ok(Some(value * lost as f64));
    }
    let (mut told, mut lost) = (0.0, threat.effective());
    for _ in 0..HALVINGS {
        let middle = told + 0.5 * (lost - told);
        if silent_at(middle)? {
            lost = middle
        } else {
            told = middle
        }
        if monitor.should_stop() {
            return Ok(None);
        }
    }
    Ok(Some(lost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::Silent;

    /// Monitor that stops at once.
    struct Stopped;

    impl Monitor for Stopped {
        fn should_stop(&self) -> bool {
            true
        }
    }

    #[test]
    fn the_least_silent_budget_is_found() {
        let equal = Threat::uniform(100, 60.0).unwrap();
        for from in [0.0, 1.0, 37.0, 60.0] {
            let least =
                breakdown_threat(&equal, &Silent, |threat| Ok(threat.effective() >= from)).unwrap();
            assert_eq!(least, Some(from));
        }
        let general = Threat::new(vec![1.0, 2.5, 4.0], 6.0).unwrap();
        let least = breakdown_threat(&general, &Silent, |threat| Ok(threat.effective() >= 2.0))
            .unwrap()
            .unwrap();
        assert!((2.0..2.06).contains(&least), "{least}");
        // A stopped search returns nothing, whatever it has seen.
        for silent in [true, false] {
            assert_eq!(breakdown_threat(&equal, &Stopped, |_| Ok(silent)).unwrap(), None);
        }
    }
}
