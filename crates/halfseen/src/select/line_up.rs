//! Sets up the learners of a comparison alike: the same reads, the same threat.

use crate::error::Result;
use crate::learner::{Family, Learner};
use crate::params::{PASSIVE, THREAT};
use crate::registry;

/// Limits under which learners are compared.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineUp {
    /// Number of attributes that budgeted learners may read of each example.
    pub budget: Option<u64>,
    /// True if a budget or a price limits the reads.
    pub limited: bool,
    /// Total cost of the attributes that robust learners prepare to lose.
    pub threat: Option<f64>,
    /// True if learners will meet missing cells.
    pub holes: bool,
}

impl LineUp {
    /// Returns the names of the learners that are compared if none is named, for targets of this
    /// number of classes (0: numbers).
    pub fn names(&self, classes: usize) -> Vec<&'static str> {
        let threat = self.threat.is_some() && !self.limited;
        let several = classes > 2 && !threat;
        registry::compared((self.holes || several) && !self.limited, threat, classes)
    }

    /// Gives a learner the budget and the threat if it has them. Without a limit on the reads, a
    /// learner that can use all observed cells does.
    ///
    /// # Errors
    /// As for [`Parameters::set`](crate::params::Parameters::set).
    pub fn arrange(&self, learner: &mut dyn Learner) -> Result<()> {
        let needs = learner.needs();
        if let (Some(budget), Family::Budget) = (self.budget, needs.family) {
            learner.set("budget", &budget.to_string())?;
        }
        if self.holes && !self.limited && needs.holes && needs.either {
            learner.set(PASSIVE.name, "all")?;
        }
        if let Some(threat) = self.threat.filter(|_| needs.threat) {
            learner.set(THREAT.name, &threat.to_string())?;
        }
        Ok(())
    }
}

/// Sets those of these values whose parameter a learner of this name has. The parameter that defines
/// a variant stays, to distinguish it from the others.
///
/// # Errors
/// As for [`Parameters::set`](crate::params::Parameters::set).
pub fn assign(learner: &mut dyn Learner, name: &str, set: &[(&str, &str)]) -> Result<()> {
    let variant = registry::alias(name).map(|alias| alias.parameter);
    let has = |of: &str| variant != Some(of) && learner.get(of).is_some();
    let own: Vec<_> = set.iter().filter(|(of, _)| has(of)).collect();
    own.into_iter().try_for_each(|(of, value)| learner.set(of, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(name: &str, line_up: LineUp) -> Box<dyn Learner> {
        let mut learner = registry::find(name).unwrap();
        line_up.arrange(&mut *learner).unwrap();
        learner
    }

    #[test]
    fn learners_get_the_limits_that_they_have() {
        let limits = LineUp { budget: Some(3), limited: true, threat: Some(2.0), holes: true };
        assert_eq!(arranged("aerr", limits).get("budget").unwrap(), "3");
        assert_eq!(arranged("fiml", limits).get("passive").unwrap(), "no");
        assert_eq!(arranged("robust-lp", limits).get("threat").unwrap(), "2");
        assert!(arranged("ridge", limits).get("budget").is_none());
        let holes = LineUp { holes: true, ..LineUp::default() };
        assert_eq!(arranged("fiml", holes).get("passive").unwrap(), "all");
        assert_eq!(arranged("aerr", holes).get("passive").unwrap(), "no");
        assert!(holes.names(0).contains(&"karma") && !limits.names(0).contains(&"karma"));
    }

    #[test]
    fn a_variant_keeps_what_defines_it() {
        let mut mean = registry::find("mean").unwrap();
        assign(&mut *mean, "mean", &[("fill", "zero"), ("c", "0.5"), ("budget", "2")]).unwrap();
        assert_eq!(mean.get("fill").unwrap(), "mean");
        assert_eq!(mean.get("c").unwrap(), "0.5");
        assert!(assign(&mut *mean, "mean", &[("c", "-1")]).is_err());
    }
}
