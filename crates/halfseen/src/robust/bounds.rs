//! Bounds the risk on new rows under the worst deletions: theorems 2 and 3 and corollary 1 of paper
//! E, for data as they are.
//!
//! **Setting**: m rows drawn independently; gamma, C, N and the values fixed before they were seen,
//! or one of `tried` settings chosen by them, for which delta is divided by their number. The risk
//! is the probability that some deletion of value at most N makes a mistake on a new row.
//!
//! **Departures** from the paper, all towards what real data need. Theorem 2 is printed for |x_j|
//! <= 1 without bias: an attribute of another size has its weight's box stretched by that, a bias
//! or a column that never vanishes takes a share t of the margin, and a logarithm below 0 counts
//! as 0. Corollary 1 is printed for |x|_1 <= 1: here it has the lengths that rows have. Theorem 3
//! has the constant that Hoeffding's inequality gives. Columns that are 0 in all rows are left out,
//! as if that had been known before.
//!
//! **Symbols**: beta the complexity; KL(a, b) the relative entropy of two coins; V, P = V - N; L
//! the largest loss.

use super::margin::columns_bought;
use super::{KNOWN, RobustHinge, Rows};
use crate::data::Threat;
use crate::model::Note;
use std::fmt;

/// From here on a bound on the risk of two classes says no more than tossing a coin.
const VACUOUS: f64 = 0.5;

/// A number that the risk exceeds with probability at most delta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskBound(f64);

impl RiskBound {
    /// The bound; at most 1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Whether it says no more than tossing a coin.
    pub fn is_vacuous(self) -> bool {
        self.0 >= VACUOUS
    }
}

impl fmt::Display for RiskBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vacuous() { f.write_str("vacuous") } else { write!(f, "{:.4}", self.0) }
    }
}

/// One weight, as theorem 2 sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    /// The largest part that it can have in a score: C times the largest |x_j|, or a bound on |b|
    /// fixed beforehand.
    pub reach: f64,
    /// v_j, shared evenly by the columns of an attribute; `None` for what never vanishes.
    pub value: Option<f64>,
}

/// The coordinates of rows for weights of at most `box_radius`, and a bias of at most `bias` where
/// there is one. Columns that are 0 in all rows have none.
pub fn coordinates(
    rows: &Rows,
    threat: &Threat,
    box_radius: f64,
    bias: Option<f64>,
) -> Vec<Coordinate> {
    let mut largest = vec![0.0_f64; rows.width()];
    for i in 0..rows.len() {
        let (slots, values) = rows.row(i);
        slots
            .iter()
            .zip(values)
            .for_each(|(&slot, x)| largest[slot as usize] = largest[slot as usize].max(x.abs()));
    }
    let mut columns = vec![0.0; rows.attributes()];
    let filled = || (0..rows.width()).filter(|&slot| largest[slot] > 0.0);
    for slot in filled() {
        if rows.attribute()[slot] != KNOWN {
            columns[rows.attribute()[slot] as usize] += 1.0;
        }
    }
    let coordinate = |slot: usize| {
        let attribute = rows.attribute()[slot];
        let value = (attribute != KNOWN)
            .then(|| threat.values()[attribute as usize] / columns[attribute as usize]);
        Coordinate { reach: box_radius * largest[slot], value }
    };
    filled().map(coordinate).chain(bias.map(|reach| Coordinate { reach, value: None })).collect()
}

/// What theorem 2 asks for.
#[derive(Debug, Clone, Copy)]
pub struct MarginBound<'a> {
    /// The weights, and the bias.
    pub coordinates: &'a [Coordinate],
    /// P.
    pub left: f64,
    /// gamma.
    pub margin: f64,
    /// m.
    pub examples: usize,
    /// The share of the training rows whose robust hinge loss is above 0: see [`margin_error`].
    pub error: f64,
    /// delta.
    pub confidence: f64,
    /// How many settings of (gamma, C, N) were tried on the rows; at least 1.
    pub tried: usize,
}

impl MarginBound<'_> {
    /// beta = ln(m / delta) + the sum of max(0, ln(4 P reach_j / (s gamma v_j))), in nats; where u
    /// coordinates never vanish and n can, these have s = n / (n + u) and those ln(4 reach (n + u)
    /// / gamma). `None` where one can vanish for nothing.
    pub fn complexity(&self) -> Option<f64> {
        let all = self.coordinates.len() as f64;
        let vanishing = self.coordinates.iter().filter(|c| c.value.is_some()).count() as f64;
        let mut beta = (self.examples as f64 * self.tried.max(1) as f64 / self.confidence).ln();
        for coordinate in self.coordinates.iter().filter(|c| c.reach > 0.0) {
            let allowed = match coordinate.value {
                Some(value) if value > 0.0 => self.margin * value / self.left * vanishing / all,
                Some(_) => return None,
                None => self.margin / all,
            };
            beta += (4.0 * coordinate.reach / allowed).ln().max(0.0);
        }
        Some(beta)
    }

    /// With probability at least 1 - delta, for all weights in the box at once: the largest risk e
    /// with KL(error, e) <= beta / (m - 1).
    pub fn risk(&self) -> RiskBound {
        match self.complexity() {
            Some(beta) if self.examples > 1 => {
                RiskBound(largest_risk(self.error, beta / (self.examples - 1) as f64))
            }
            _ => RiskBound(1.0),
        }
    }

    /// The weaker closed form: error + sqrt(2 error beta / (m-1)) + 2 beta / (m-1).
    pub fn closed_form(&self) -> RiskBound {
        let Some(beta) = self.complexity().filter(|_| self.examples > 1) else {
            return RiskBound(1.0);
        };
        let rate = beta / (self.examples - 1) as f64;
        RiskBound((self.error + (2.0 * self.error * rate).sqrt() + 2.0 * rate).min(1.0))
    }
}

/// The share of rows whose relaxed robust hinge loss is above 0, for weights (n_slots) and bias.
pub fn margin_error(
    hinge: &RobustHinge<'_>,
    rows: &Rows,
    signs: &[f64],
    weights: &[f64],
    bias: f64,
) -> f64 {
    let mut room = hinge.scratch();
    let active = |i: &usize| hinge.loss(rows, *i, signs[*i], weights, bias, &mut room).active;
    (0..rows.len()).filter(active).map(|i| rows.weight(i)).sum::<f64>()
        / rows.total().max(f64::MIN_POSITIVE)
}

/// sup {e in [error, 1]: KL(error, e) <= rate}, from above.
fn largest_risk(error: f64, rate: f64) -> f64 {
    let (mut low, mut high) = (error, 1.0);
    for _ in 0..200 {
        let middle = low + 0.5 * (high - low);
        if middle <= low || middle >= high {
            break;
        }
        if relative_entropy(error, middle) <= rate { low = middle } else { high = middle }
    }
    high
}

/// KL(a, b) in nats, for b in (0, 1).
fn relative_entropy(a: f64, b: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    term(a, b) + term(1.0 - a, 1.0 - b)
}

/// The largest lengths of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lengths {
    /// R^2: the largest squared Euclidean length.
    pub square: f64,
    /// The largest l1 length.
    pub absolute: f64,
}

impl Lengths {
    /// Those of these rows.
    pub fn of(rows: &Rows) -> Lengths {
        let mut lengths = Lengths { square: 0.0, absolute: 0.0 };
        for i in 0..rows.len() {
            let values = rows.row(i).1;
            lengths.square = lengths.square.max(values.iter().map(|x| x * x).sum());
            lengths.absolute = lengths.absolute.max(values.iter().map(|x| x.abs()).sum());
        }
        lengths
    }
}

/// What corollary 1 asks for: one pass of the Perceptron with the step of theory, intercept
/// included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PassBound {
    /// m.
    pub examples: usize,
    /// n.
    pub columns: usize,
    /// C.
    pub box_radius: f64,
    /// gamma.
    pub margin: f64,
    /// V / P.
    pub growth: f64,
    /// Bounds on the lengths of rows, also of new ones.
    pub lengths: Lengths,
    /// delta.
    pub confidence: f64,
}

impl PassBound {
    /// Theorem 4: what the mean loss of the hypotheses exceeds that of any fixed one in the box by,
    /// at most: C sqrt((n+1)(R^2+1) / m).
    pub fn regret(&self) -> f64 {
        let (n, m) = (self.columns as f64, self.examples as f64);
        self.box_radius * ((n + 1.0) * (self.lengths.square + 1.0) / m).sqrt()
    }

    /// L = C |x|_1 + C + gamma V / P: no loss is larger.
    pub fn largest_loss(&self) -> f64 {
        self.box_radius * (self.lengths.absolute + 1.0) + self.margin * self.growth
    }

    /// With probability at least 1 - delta the mean loss of the averaged hypothesis on new rows
    /// exceeds the least of the box by at most regret + L sqrt(2 ln(2/delta) / m): the regret, and
    /// Hoeffding's inequality for the pass and for the best, each with delta / 2.
    pub fn excess(&self) -> f64 {
        let tail = 2.0 * (2.0 / self.confidence).ln() / self.examples as f64;
        self.regret() + self.largest_loss() * tail.sqrt()
    }

    /// A bound on the risk, where the least mean loss of the box on new rows is known to be at most
    /// `least`: (least + excess) / gamma.
    pub fn risk(&self, least: f64) -> RiskBound {
        let bound = (least + self.excess()) / self.margin;
        RiskBound(if bound < 1.0 { bound } else { 1.0 })
    }

    /// The same from what was seen: with probability at least 1 - delta the mean loss of the
    /// averaged hypothesis on new rows is at most the mean loss `online` of the hypotheses on the
    /// rows that they met, plus L sqrt(ln(1/delta) / (2m)) (Cesa-Bianchi, Conconi and Gentile 2004,
    /// whatever the steps), and the risk at most that over gamma.
    pub fn risk_after(&self, online: f64) -> RiskBound {
        let tail = ((1.0 / self.confidence).ln() / (2.0 * self.examples as f64)).sqrt();
        let bound = (online + self.largest_loss() * tail) / self.margin;
        RiskBound(if bound < 1.0 { bound } else { 1.0 })
    }
}

/// What reports promise, but for this probability.
const DELTA: f64 = 0.05;

/// The shares of the margin that may be left to noise; one of them is chosen by the rows.
const LEFT_TO_NOISE: [f64; 3] = [0.5, 0.75, 0.9];

/// A classifier, the rows that it was learned from, and what a theorem wants fixed before they are
/// seen.
pub(super) struct Learned<'a> {
    pub(super) hinge: RobustHinge<'a>,
    pub(super) rows: &'a Rows,
    pub(super) signs: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) bias: f64,
    pub(super) box_radius: f64,
    /// A bound on the bias, fixed beforehand; `None` where there is no bias.
    pub(super) largest_bias: Option<f64>,
    /// Settings tried on the rows.
    pub(super) tried: u64,
    /// What was taken from the rows all the same.
    pub(super) from_rows: Vec<String>,
}

impl Learned<'_> {
    /// The bias that the optimum of the linear program needs, at most: C max |x|_1 + gamma V / P.
    pub(super) fn needed_bias(hinge: &RobustHinge<'_>, rows: &Rows, box_radius: f64) -> f64 {
        box_radius * Lengths::of(rows).absolute + hinge.rate() * hinge.threat.total()
    }

    /// Theorem 2, for the share of new rows whose margin is at most `kept` after some deletion,
    /// where `tried` settings were tried.
    fn theorem_2(&self, kept: f64, tried: u64) -> f64 {
        let Learned { hinge, rows, .. } = self;
        let coordinates = coordinates(rows, hinge.threat, self.box_radius, self.largest_bias);
        let bound = MarginBound {
            coordinates: &coordinates,
            left: hinge.threat.left(),
            margin: hinge.margin - kept,
            examples: rows.len(),
            error: margin_error(hinge, rows, self.signs, self.weights, self.bias),
            confidence: DELTA,
            tried: usize::try_from(tried).unwrap_or(usize::MAX),
        };
        bound.risk().value()
    }

    /// What is promised of deletions.
    pub(super) fn promise(&self) -> Note {
        let risk = self.theorem_2(0.0, self.tried);
        self.note("theorem 2", risk)
    }

    /// What is promised of noise: theorem 3 for a part of the margin, theorem 2 for what it leaves.
    pub(super) fn promise_of_noise(&self) -> Note {
        let columns = columns_bought(self.hinge.threat, self.rows);
        let margin = self.hinge.margin;
        let failure = |margin: f64| noise_failure(margin, self.box_radius, columns);
        let tried = self.tried.saturating_mul(LEFT_TO_NOISE.len() as u64);
        let risk = LEFT_TO_NOISE
            .map(|share| self.theorem_2(share * margin, tried) + failure(share * margin));
        Note::NoiseBound {
            failure: failure(margin),
            within: margin_error(&self.hinge, self.rows, self.signs, self.weights, self.bias),
            risk: risk.into_iter().fold(1.0, f64::min),
            confidence: DELTA,
            tried: self.tried,
            from_rows: self.from_rows.clone(),
        }
    }

    /// What is promised after one pass whose hypotheses had the mean loss `online` on the rows that
    /// they met.
    pub(super) fn promise_after(&self, online: f64) -> Note {
        let Learned { hinge, rows, .. } = self;
        let bound = PassBound {
            examples: rows.len(),
            columns: rows.width(),
            box_radius: self.box_radius,
            margin: hinge.margin,
            growth: hinge.threat.total() / hinge.threat.left(),
            lengths: Lengths::of(rows),
            confidence: DELTA / self.tried.max(1) as f64,
        };
        self.note("the conversion of section 3.2", bound.risk_after(online).value())
    }

    fn note(&self, theorem: &str, risk: f64) -> Note {
        let (tried, from_rows) = (self.tried, self.from_rows.clone());
        Note::RiskBound { theorem: theorem.into(), risk, confidence: DELTA, tried, from_rows }
    }
}

/// The probability, at most, that noise on N columns does more than a margin gamma covers:
/// exp(-gamma^2 / (2 N C^2)), for independent noise of mean 0 in [-1, 1] and weights of at most C.
/// (Theorem 3 as printed asks for the margin C sqrt(N ln(1/delta) / 2), half of what Hoeffding's
/// inequality gives.)
pub fn noise_failure(margin: f64, box_radius: f64, columns: f64) -> f64 {
    if columns <= 0.0 { 0.0 } else { (-0.5 * (margin / box_radius).powi(2) / columns).exp() }
}

/// The least margin for which [`noise_failure`] is at most `confidence`: C sqrt(2 N ln(1/delta)).
pub fn noise_margin(box_radius: f64, columns: f64, confidence: f64) -> f64 {
    box_radius * (2.0 * columns * (1.0 / confidence).ln()).sqrt()
}

#[cfg(test)]
mod tests;
