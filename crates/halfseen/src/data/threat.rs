//! Says what attributes cost an adversary, and how much of them may vanish.

use crate::error::{ErrorKind, Result};
use serde::{Deserialize, Serialize};

/// An adversary who may take away attributes of total cost N from every row (paper E, section 2).
///
/// Attributes are the panels of a layout that are read, in its order; known panels never vanish.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Threat {
    /// v_j of each attribute, (n_attributes), at least 0.
    values: Vec<f64>,
    /// N, below the sum of the costs.
    budget: f64,
    // What follows from these, for losses are asked for it row by row.
    total: f64,
    costs: Costs,
    effective: f64,
}

/// A threat as files hold it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(alias = "values")]
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

/// What kind of costs an adversary pays: it decides which algorithm is exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Costs {
    /// Each is 0 or this number: the worst deletions are the free ones and the `count` worst
    /// others.
    Equal {
        /// The value of one attribute that is not free.
        value: f64,
        /// How many of them the budget buys.
        count: usize,
    },
    /// All are whole numbers: dynamic programming over the budget is exact.
    Whole {
        /// The budget's whole part.
        budget: usize,
    },
    /// Any other.
    General,
}

/// Rounding in a sum or a quotient of costs.
const ROUNDING: f64 = 1e-9;

/// Budgets beyond this have no table of whole numbers.
const LARGEST_TABLE: f64 = 1e6;

impl Threat {
    /// Values (n_attributes) and a budget.
    ///
    /// # Errors
    /// Values that are negative, not finite or all 0; a budget that is negative, not finite, or as
    /// large as all costs together.
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
            let problem = "all of them are 0, and an adversary who takes everything for nothing leaves nothing to learn; give at least one a cost above 0";
            return Err(wrong("costs", "every attribute".into(), problem.into()));
        }
        if !(budget >= 0.0 && budget < total) {
            let allowed =
                format!("at least 0 and below {total}, the cost of all attributes together");
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

    /// Every attribute is worth 1.
    ///
    /// # Errors
    /// As [`Threat::new`].
    pub fn uniform(attributes: usize, budget: f64) -> Result<Threat> {
        Threat::new(vec![1.0; attributes], budget)
    }

    /// The same costs with another budget.
    ///
    /// # Errors
    /// As [`Threat::new`].
    pub fn with_budget(&self, budget: f64) -> Result<Threat> {
        Threat::new(self.values.clone(), budget)
    }

    /// v_j of each attribute.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// N as it was asked for.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// V: the value of all attributes.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What the costs allow.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// The part of N that can be spent: a multiple of the value where all are equal, for an
    /// attribute vanishes whole or not at all.
    pub fn effective(&self) -> f64 {
        self.effective
    }

    /// P: the value that is left after the budget is spent, V - N.
    pub fn left(&self) -> f64 {
        self.total - self.effective
    }

    /// Refuses what a file holds for another number of attributes.
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

/// How many attributes of one value a budget buys.
pub(crate) fn count(budget: f64, value: f64) -> usize {
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
