//! Defines a threat: the cost of each attribute to an adversary, and the adversary's budget.

use crate::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// An adversary who may delete attributes of total cost N from every row (Dekel and Shamir 2008,
/// section 2).
///
/// Attributes are the sampled panels of a layout, in its order; known panels are never deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Threat {
    /// Cost v_j of each attribute, (n_attributes), at least 0.
    values: Vec<f64>,
    /// N, below the sum of the costs.
    budget: f64,
    // Derived from these once, because losses need it row by row.
    total: f64,
    costs: Costs,
    effective: f64,
}

/// A threat as stored in files.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    costs: Vec<f64>,
    budget: f64,
}

impl TryFrom<Written> for Threat {
    type Error = crate::Error;

    fn try_from(written: Written) -> Result<Threat> {
        Threat::new(written.costs, written.budget)
    }
}

impl From<Threat> for Written {
    fn from(threat: Threat) -> Written {
        Written { costs: threat.values, budget: threat.budget }
    }
}

/// Kind of the costs, which decides the algorithm that is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Costs {
    /// Each cost is 0 or `value`: the worst deletions are the free ones and the `count` worst
    /// others.
    Equal {
        /// Cost of an attribute that is not free.
        value: f64,
        /// Number of such attributes that the budget covers.
        count: usize,
    },
    /// All are integers: dynamic programming over the budget is exact.
    Whole {
        /// Integer part of the budget.
        budget: usize,
    },
    /// Any other.
    General,
}

/// Rounding error of a sum or a quotient of costs.
const ROUNDING: f64 = 1e-9;

/// Largest budget with a table for dynamic programming.
const LARGEST_TABLE: f64 = 1e6;

impl Threat {
    /// Takes costs (n_attributes) and a budget.
    ///
    /// # Errors
    /// Costs that are negative, not finite, above 1e100 or all 0; a budget that is negative, not
    /// finite, or not below the sum of the costs.
    pub fn new(values: Vec<f64>, budget: f64) -> Result<Threat> {
        if let Some(j) = values.iter().position(|v| !(0.0..=1e100).contains(v)) {
            let problem = format!(
                "it is {}; costs are numbers from 0 to 1e100",
                crate::error::shown(values[j])
            );
            return Err(wrong("cost", format!("attribute {}", j + 1), problem));
        }
        let total: f64 = values.iter().sum();
        if total <= 0.0 {
            let problem = "all of them are 0, so the adversary could delete everything; give at least one attribute a cost above 0";
            return Err(wrong("costs", "every attribute".into(), problem.into()));
        }
        if !(budget >= 0.0 && budget < total) {
            let allowed = format!("at least 0 and below {total}, the total cost of the attributes");
            return Err(ErrorKind::OutOfRange {
                name: "threat",
                value: budget.to_string(),
                allowed,
            }
            .into());
        }
        let costs = costs(&values, budget);
        let effective = match costs {
            Costs::Equal { value, count }
                if (budget - value * count as f64).abs() > ROUNDING * budget =>
            {
                value * count as f64
            }
            _ => budget,
        };
        Ok(Threat { values, budget, total, costs, effective })
    }

    /// Gives every attribute cost 1.
    ///
    /// # Errors
    /// As [`Threat::new`].
    pub fn uniform(attributes: usize, budget: f64) -> Result<Threat> {
        Threat::new(vec![1.0; attributes], budget)
    }

    /// Replaces the budget.
    ///
    /// # Errors
    /// As [`Threat::new`].
    pub fn with_budget(&self, budget: f64) -> Result<Threat> {
        Threat::new(self.values.clone(), budget)
    }

    /// Returns the cost v_j of each attribute.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Returns N as given.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// Returns V, the cost of all attributes.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Returns the kind of the costs.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// Returns the part of N that can be spent: with equal costs that of whole attributes.
    pub fn effective(&self) -> f64 {
        self.effective
    }

    /// Returns what to tell of a budget of which a part cannot be spent.
    pub fn floored(&self) -> Option<String> {
        let (asked, used) = (self.budget, self.effective);
        (asked != used).then(|| {
            format!("all values are equal, so only multiples of this value can be spent: threat {asked} means {used}")
        })
    }

    /// Returns P, the remaining cost V - N after the budget is spent.
    pub fn left(&self) -> f64 {
        self.total - self.effective
    }

    /// Refuses a threat from a file for another number of attributes.
    pub(crate) fn validate(&self, attributes: usize) -> Result<()> {
        if self.values.len() == attributes {
            return Ok(());
        }
        let problem = format!("has {} costs for {attributes} attributes", self.values.len());
        Err(ErrorKind::BadFile { what: "model", key: "report.threat".into(), problem }.into())
    }
}

fn costs(values: &[f64], budget: f64) -> Costs {
    let value = values.iter().fold(0.0_f64, |a, &b| a.max(b));
    if values.iter().all(|&v| v == value || v == 0.0) {
        return Costs::Equal { value, count: count(budget, value) };
    }
    if budget <= LARGEST_TABLE && values.iter().all(|v| v.fract() == 0.0) {
        return Costs::Whole { budget: budget.floor() as usize };
    }
    Costs::General
}

/// Returns the number of attributes of one cost that a budget covers.
pub fn count(budget: f64, value: f64) -> usize {
    (budget / value + ROUNDING).floor() as usize
}

fn wrong(what: &'static str, name: String, problem: String) -> crate::Error {
    ErrorKind::WrongDeclaration { what, name, problem }.into()
}

#[cfg(test)]
mod tests {
    use crate::data::threat::*;

    #[test]
    fn impossible_threats_are_refused() {
        let refused = |values: &[f64], budget: f64| {
            Threat::new(values.to_vec(), budget).unwrap_err().to_string()
        };
        assert!(refused(&[1.0, -1.0], 0.0).contains("attribute 2"));
        assert!(refused(&[f64::NAN], 0.0).contains("NaN"));
        assert!(refused(&[0.0, 0.0], 0.0).contains("all of them are 0"));
        assert!(refused(&[], 0.0).contains("all of them are 0"));
        for budget in [-1.0, f64::NAN, 2.0, f64::INFINITY] {
            assert!(refused(&[1.0, 1.0], budget).contains("below 2"), "{budget}");
        }
    }

    #[test]
    fn equal_values_are_spent_whole() {
        let threat = Threat::new(vec![0.3, 0.3, 0.0, 0.3, 0.3], 0.9).unwrap();
        assert_eq!(threat.costs(), Costs::Equal { value: 0.3, count: 3 });
        assert_eq!(threat.effective(), 0.9, "0.3 + 0.3 + 0.3 is 0.9 but for rounding");
        let floored = threat.with_budget(1.0).unwrap();
        assert!((floored.effective() - 0.9).abs() < 1e-12);
        assert_eq!(Threat::new(vec![1.0, 2.0], 1.5).unwrap().costs(), Costs::Whole { budget: 1 });
        assert_eq!(Threat::new(vec![1.0, 2.5], 1.5).unwrap().costs(), Costs::General);
    }
}
