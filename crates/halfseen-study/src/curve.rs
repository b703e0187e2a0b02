//! Follows the learner's own error over the examples: its curve, from the models that the study had
//! when it had fewer of them.

use crate::asking::asker::Asker;
use crate::database::sql::{cells, first};
use crate::error::{Error, Result};
use crate::replay::Example;
use crate::study::{Study, TARGET, price_of};
use halfseen::Monitor;
use halfseen::data::Label;
use halfseen::model::Report;
use serde::{Deserialize, Serialize};

/// Standard errors on either side of an estimate within which a normal truth is nine times of ten.
const NINETY: f64 = 1.6449;
/// Factor of the standard error of an own test in intervals. The test takes its errors for
/// independent and of one size, so that its own interval is too narrow.
const WIDER: f64 = 2.0;
/// Most points of a curve.
const POINTS: u32 = 4;
/// Fewest examples of a point.
const FEWEST: u64 = 20;

/// The learner's own error over the number of examples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyCurve {
    /// Test that the errors come from.
    pub test: OwnTest,
    /// Points by number of examples: n/8, n/4, n/2 and n, as far as each has twenty examples.
    pub points: Vec<StudyCurvePoint>,
    /// Variance of the target over all examples: the error of predicting its mean. Classes count
    /// as -1 and 1.
    pub variance: f64,
}

/// Test by which a learner estimates its own error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnTest {
    /// Each example is predicted by a fit to the others, with all attributes taken as seen.
    HeldOut,
    /// Each example is predicted before its answers are learned from; the mean over all of them,
    /// the first ones included.
    Progressive,
}

/// The study as it was with its first examples.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StudyCurvePoint {
    /// Number of examples: subjects whose target the learner takes.
    pub examples: u64,
    /// Number of reads made up to the last of them, those of subjects without a target included;
    /// those of withdrawn subjects and replaced asks are left out.
    pub reads: u64,
    /// Their price.
    pub cost: f64,
    /// Mean squared error by the learner's own test, in the target's units squared; `None` if the
    /// learner has none, or too few examples for it.
    pub error: Option<f64>,
    /// Its standard error.
    pub standard_error: Option<f64>,
    /// Lower end of the interval for the error, 3.3 standard errors below it; see docs/study.md for
    /// how often it held.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

impl Study {
    /// Returns the curve of the learner's own error; each point is of the model that the study would
    /// have with these examples only. The store keeps it until an answer changes.
    ///
    /// # Errors
    /// Numerical failure; an interruption.
    pub fn curve(&mut self, monitor: &dyn Monitor) -> Result<StudyCurve> {
        let (digest, total) = self.digest()?;
        let kept = first(
            &mut *self.sql,
            "SELECT content FROM cache WHERE kind = 'curve' AND digest = $1",
            cells![&*digest],
            |row| row.owned(0),
        )?;
        if let Some(kept) = kept.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(kept);
        }
        let (curve, digest) = self.computed(&sizes(total), monitor)?;
        let text = serde_json::to_string(&curve)
            .map_err(|e| Error::setup(format!("the curve cannot be kept: {e}")))?;
        // Answers may have come while models were fitted; a curve across them is not kept.
        if self.digest()?.0 == digest {
            self.write(|study| study.cache("curve", &digest, &text))?;
        }
        Ok(curve)
    }

    /// Computes the points at these numbers of examples, the last of which is of all of them.
    fn computed(&mut self, sizes: &[u64], monitor: &dyn Monitor) -> Result<(StudyCurve, String)> {
        let setup = self.setup.clone();
        let classes = setup.classes();
        let (mut spent, mut points, mut targets) = (Spent::default(), Vec::new(), Vec::new());
        let mut after = |asker: &Asker, example: &Example, target: Option<&Label>| {
            let read = example.values.iter().filter(|(at, _, asked)| *at != TARGET && *asked);
            let (reads, cost) = price_of(&setup.schema, read.map(|(at, ..)| *at));
            spent.reads += reads as u64;
            spent.cost += cost;
            let Some(target) = target else { return Ok(()) };
            targets.push(match target {
                Label::Number(number) if classes.is_empty() => *number,
                label => {
                    if Some(label) == classes.first() {
                        -1.0
                    } else {
                        1.0
                    }
                }
            });
            let examples = targets.len() as u64;
            // The last point is of everything, with what was read after its last example.
            if sizes.contains(&examples) && sizes.last() != Some(&examples) {
                points.push(spent.point(examples, &asker.model(monitor)?.report, asker.unit()));
            }
            Ok(())
        };
        let (asker, digest) = self.replay(&setup, monitor, &mut after)?;
        if let Some(&examples) = sizes.last() {
            let report = self.model(monitor)?.report;
            points.push(spent.point(examples, &report, asker.unit()));
        }
        let test = if asker.takes_observed() { OwnTest::HeldOut } else { OwnTest::Progressive };
        Ok((StudyCurve { test, points, variance: variance(&targets) }, digest))
    }
}

/// Reads and money so far.
#[derive(Debug, Clone, Copy, Default)]
struct Spent {
    reads: u64,
    cost: f64,
}

impl Spent {
    /// Returns the point of a report.
    fn point(self, examples: u64, report: &Report, unit: f64) -> StudyCurvePoint {
        let error = report.risk.map(|risk| risk * unit).filter(|risk| risk.is_finite());
        let standard_error =
            report.risk_error.map(|error| error * unit).filter(|error| error.is_finite());
        let Spent { reads, cost } = self;
        let end = |side: f64| Some((error? + side * NINETY * WIDER * standard_error?).max(0.0));
        let (low, high) = (end(-1.0), end(1.0));
        StudyCurvePoint { examples, reads, cost, error, standard_error, low, high }
    }
}

/// Returns the numbers of examples of the points: halves of all, as far as they are worth a test.
fn sizes(total: u64) -> Vec<u64> {
    let halves = (0..POINTS).rev().map(|power| total >> power);
    halves.filter(|n| *n == total || *n >= FEWEST).filter(|n| *n > 0).collect()
}

fn variance(values: &[f64]) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_at_halves_of_twenty_examples_or_more() {
        assert_eq!(sizes(400), [50, 100, 200, 400]);
        assert_eq!(sizes(100), [25, 50, 100]);
        assert_eq!(sizes(39), [39]);
        assert_eq!(sizes(40), [20, 40]);
        assert_eq!(sizes(3), [3]);
        assert!(sizes(0).is_empty());
    }
}
