//! Bounds the risk on new rows under the worst deletions (Dekel and Shamir 2008, theorems 2 and 3
//! and corollary 1), for data of any scale.
//!
//! **Setting**: m rows drawn independently; gamma, C, N and the costs fixed before the rows are
//! seen. If the rows choose one of `tried` settings, delta is divided by their number. The risk is
//! the probability that some deletion of value at most N makes the prediction of a new row wrong.
//!
//! **Departures** from the paper, all needed for real data. Theorem 2 is stated for |x_j| <= 1
//! without bias: here the box of a weight is scaled by the largest |x_j|, a bias or a column that
//! cannot be deleted takes a share t of the margin, and a negative logarithm counts as 0. Corollary
//! 1 is stated for |x|_1 <= 1: here rows have any length. Theorem 3 has the constant of Hoeffding's
//! inequality. Columns that are 0 in all rows are left out, as if this had been known beforehand.
//!
//! **Symbols**: beta the complexity; KL(a, b) the relative entropy of two Bernoulli distributions;
//! V the total value; P = V - N; L the largest loss.

use super::margin::columns_bought;
use super::{KNOWN, RobustHinge, Rows};
use halfseen_core::data::Threat;
use halfseen_core::model::Note;
use std::fmt;

/// Risk bound for two classes from which on it is no better than a coin toss.
const VACUOUS: f64 = 0.5;

/// Upper bound on the risk that fails with probability at most delta.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RiskBound(f64);

impl RiskBound {
    /// Returns the bound; at most 1.
    pub fn value(self) -> f64 {
        self.0
    }

    /// Returns true if the bound is no better than a coin toss.
    pub fn is_vacuous(self) -> bool {
        self.0 >= VACUOUS
    }
}

impl fmt::Display for RiskBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vacuous() { f.write_str("vacuous") } else { write!(f, "{:.4}", self.0) }
    }
}

/// One weight in theorem 2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coordinate {
    /// Largest contribution to a score: C times the largest |x_j|, or a bound on |b| fixed
    /// beforehand.
    pub reach: f64,
    /// v_j, shared evenly by the columns of an attribute; `None` if never deleted.
    pub value: Option<f64>,
}

/// Returns the coordinates of rows for weights of at most `box_radius` and a bias of at most
/// `bias`, if any. Columns that are 0 in all rows have none.
pub fn coordinates(
    rows: &Rows,
    threat: &Threat,
    box_radius: f64,
    bias: Option<f64>,
) -> Vec<Coordinate> {
    let largest = &rows.sizes().largest;
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

/// Assumptions of theorem 2.
#[derive(Debug, Clone, Copy)]
pub struct MarginBound<'a> {
    /// Weights and bias.
    pub coordinates: &'a [Coordinate],
    /// P.
    pub left: f64,
    /// gamma.
    pub margin: f64,
    /// m.
    pub examples: usize,
    /// Share of the training rows whose robust hinge loss is above 0: see [`margin_error`].
    pub error: f64,
    /// delta.
    pub confidence: f64,
    /// Number of settings of (gamma, C, N) tried on the rows; at least 1.
    pub tried: usize,
}

impl MarginBound<'_> {
    /// Returns beta = ln(m / delta) + the sum of max(0, ln(4 P reach_j / (s gamma v_j))), in nats.
    /// With u coordinates that are never deleted and n others, s = n / (n + u), and the former
    /// contribute ln(4 reach (n + u) / gamma). `None` if a cost is 0.
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

    /// Returns the largest risk e with KL(error, e) <= beta / (m - 1). It holds with probability at
    /// least 1 - delta for all weights in the box at once.
    pub fn risk(&self) -> RiskBound {
        match self.complexity() {
            Some(beta) if self.examples > 1 => {
                RiskBound(largest_risk(self.error, beta / (self.examples - 1) as f64))
            }
            _ => RiskBound(1.0),
        }
    }

    /// Returns the weaker closed form: error + sqrt(2 error beta / (m-1)) + 2 beta / (m-1).
    pub fn closed_form(&self) -> RiskBound {
        let Some(beta) = self.complexity().filter(|_| self.examples > 1) else {
            return RiskBound(1.0);
        };
        let rate = beta / (self.examples - 1) as f64;
        RiskBound((self.error + (2.0 * self.error * rate).sqrt() + 2.0 * rate).min(1.0))
    }
}

/// Returns the share of rows whose relaxed robust hinge loss is above 0, for weights (n_slots) and
/// bias.
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

/// Returns sup {e in [error, 1]: KL(error, e) <= rate}, from above.
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

/// Returns KL(a, b) in nats, for b in (0, 1).
fn relative_entropy(a: f64, b: f64) -> f64 {
    let term = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    term(a, b) + term(1.0 - a, 1.0 - b)
}

/// Assumptions of corollary 1: one pass of the Perceptron with intercept and the theoretical step.
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
    /// R^2: bound on the squared Euclidean norm of all rows, new ones included.
    pub square: f64,
    /// Bound on the l1 norm of all rows, new ones included.
    pub absolute: f64,
    /// delta.
    pub confidence: f64,
}

impl PassBound {
    /// Returns the bound of theorem 4 on the mean loss of the hypotheses minus that of any fixed
    /// one in the box: C sqrt((n+1)(R^2+1) / m).
    pub fn regret(&self) -> f64 {
        let (n, m) = (self.columns as f64, self.examples as f64);
        self.box_radius * ((n + 1.0) * (self.square + 1.0) / m).sqrt()
    }

    /// Returns the largest possible loss, L = C |x|_1 + C + gamma V / P.
    pub fn largest_loss(&self) -> f64 {
        self.box_radius * (self.absolute + 1.0) + self.margin * self.growth
    }

    /// Returns regret + L sqrt(2 ln(2/delta) / m). With probability at least 1 - delta it bounds
    /// the mean loss of the averaged hypothesis on new rows minus the least of the box. Hoeffding's
    /// inequality is used for the pass and for the best hypothesis, each with delta / 2.
    pub fn excess(&self) -> f64 {
        let tail = 2.0 * (2.0 / self.confidence).ln() / self.examples as f64;
        self.regret() + self.largest_loss() * tail.sqrt()
    }

    /// Returns the risk bound (least + excess) / gamma, where `least` bounds the least mean loss of
    /// the box on new rows.
    pub fn risk(&self, least: f64) -> RiskBound {
        let bound = (least + self.excess()) / self.margin;
        RiskBound(if bound < 1.0 { bound } else { 1.0 })
    }

    /// Returns a risk bound from the progressive loss. With probability at least 1 - delta the mean
    /// loss of the averaged hypothesis on new rows is at most `online`, the mean loss of each
    /// hypothesis on its next row, plus L sqrt(ln(1/delta) / (2m)), for any steps (Cesa-Bianchi,
    /// Conconi and Gentile 2004). The risk is at most this over gamma.
    pub fn risk_after(&self, online: f64) -> RiskBound {
        let tail = ((1.0 / self.confidence).ln() / (2.0 * self.examples as f64)).sqrt();
        let bound = (online + self.largest_loss() * tail) / self.margin;
        RiskBound(if bound < 1.0 { bound } else { 1.0 })
    }
}

/// Probability that a reported bound fails.
const DELTA: f64 = 0.05;

/// Shares of the margin reserved for noise; the rows choose one.
const LEFT_TO_NOISE: [f64; 3] = [0.5, 0.75, 0.9];

/// Fitted classifier, its training rows, and quantities that the theorem assumes fixed beforehand.
pub(super) struct Learned<'a> {
    pub(super) hinge: RobustHinge<'a>,
    pub(super) rows: &'a Rows,
    pub(super) signs: &'a [f64],
    pub(super) weights: &'a [f64],
    pub(super) bias: f64,
    pub(super) box_radius: f64,
    /// Bound on the bias, fixed beforehand; `None` without a bias.
    pub(super) largest_bias: Option<f64>,
    /// Number of settings tried on the rows.
    pub(super) tried: u64,
    /// Quantities nevertheless chosen from the rows.
    pub(super) from_rows: Vec<String>,
}

impl Learned<'_> {
    /// Returns a bound on the bias of the linear program's optimum: C max |x|_1 + gamma V / P.
    pub(super) fn needed_bias(hinge: &RobustHinge<'_>, rows: &Rows, box_radius: f64) -> f64 {
        box_radius * rows.sizes().absolute + hinge.rate() * hinge.threat.total()
    }

    /// Returns the bound of theorem 2 on the share of new rows whose margin is at most `kept` after
    /// some deletion, with `tried` settings tried.
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

    /// Returns the risk bound under deletions.
    pub(super) fn promise(&self) -> Note {
        let risk = self.theorem_2(0.0, self.tried);
        self.note("theorem 2", risk)
    }

    /// Returns the risk bound under noise: theorem 3 for a part of the margin, theorem 2 for the
    /// rest.
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

    /// Returns the risk bound after one pass whose hypotheses had the mean progressive loss
    /// `online`.
    pub(super) fn promise_after(&self, online: f64) -> Note {
        let Learned { hinge, rows, .. } = self;
        let bound = PassBound {
            examples: rows.len(),
            columns: rows.width(),
            box_radius: self.box_radius,
            margin: hinge.margin,
            growth: hinge.threat.total() / hinge.threat.left(),
            square: rows.sizes().square,
            absolute: rows.sizes().absolute,
            confidence: DELTA / self.tried.max(1) as f64,
        };
        self.note("the conversion of section 3.2", bound.risk_after(online).value())
    }

    fn note(&self, theorem: &str, risk: f64) -> Note {
        let (tried, from_rows) = (self.tried, self.from_rows.clone());
        Note::RiskBound { theorem: theorem.into(), risk, confidence: DELTA, tried, from_rows }
    }
}

/// Bounds the probability that noise on N columns exceeds a margin gamma: exp(-gamma^2 / (2 N
/// C^2)), for independent noise of mean 0 in [-1, 1] and weights of at most C. (The margin printed
/// in theorem 3, C sqrt(N ln(1/delta) / 2), is half of that from Hoeffding's inequality.)
pub fn noise_failure(margin: f64, box_radius: f64, columns: f64) -> f64 {
    if columns <= 0.0 { 0.0 } else { (-0.5 * (margin / box_radius).powi(2) / columns).exp() }
}

/// Returns the least margin for which [`noise_failure`] is at most `confidence`: C sqrt(2 N
/// ln(1/delta)).
pub fn noise_margin(box_radius: f64, columns: f64, confidence: f64) -> f64 {
    box_radius * (2.0 * columns * (1.0 / confidence).ln()).sqrt()
}

#[cfg(test)]
mod tests;
