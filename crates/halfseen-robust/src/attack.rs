//! Attacks rows before prediction: attributes are deleted or replaced by noise within a budget.
//!
//! Every attack targets the evaluated predictor itself. Of more than two classes the score of the
//! row's class minus that of each other one is attacked, and the deletions that leave the least of
//! these differences are taken. A deleted attribute is a missing cell;
//! cells that were missing before count as spent budget. The greedy attack is that of Dekel and
//! Shamir 2008, section 4.

#[cfg(test)]
mod tests;

use super::Adversary;
use super::effects::Effects;
use halfseen_core::data::{Examples, Threat};
use halfseen_core::error::{ErrorKind, Result};
use halfseen_core::learner::Learner;
use halfseen_core::model::{Fit, Linear, NumberLoss, Predictor, Scores};
use halfseen_core::params::DAMAGE;
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use rayon::prelude::*;

/// Method of attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attack {
    /// Deletes observed attributes that differ from the fill in random order, skipping those that
    /// exceed the budget.
    Random,
    /// Deletes attributes whose loss moves the row towards an error, in this order, skipping those
    /// that exceed the budget.
    Greedy(Order),
    /// Deletes the attributes that do the most damage.
    Exact,
    /// Replaces observed attributes by independent noise, uniform on [-1, 1] in scaled units.
    Noise(Choice),
}

/// Order of a greedy attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// By change of the score per value.
    Ratio,
    /// By value, largest first.
    Value,
    /// By absolute weight (the norm for several columns), largest first.
    Weight,
}

/// Attributes replaced by noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Random attributes.
    Random,
    /// Attributes with the largest weights.
    Weight,
}

/// Predictions of attacked rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Attacked {
    /// Scores of the rows.
    pub scores: Scores,
    /// Number of rows whose worst deletions are not proven; 0 except for [`Attack::Exact`].
    pub unproven: usize,
}

impl Attack {
    /// Attacks with their names in the program.
    pub const ALL: [(&'static str, Attack); 7] = [
        ("exact", Attack::Exact),
        ("greedy", Attack::Greedy(Order::Ratio)),
        ("random", Attack::Random),
        ("noise", Attack::Noise(Choice::Random)),
        ("greedy-value", Attack::Greedy(Order::Value)),
        ("greedy-weight", Attack::Greedy(Order::Weight)),
        ("noise-weight", Attack::Noise(Choice::Weight)),
    ];

    /// Returns the name in the program.
    pub fn name(self) -> &'static str {
        Attack::ALL.iter().find(|(_, attack)| *attack == self).map_or("", |(name, _)| name)
    }
}

/// Returns the threat that a learner's fit prepares for, with the attack that it is about: the worst
/// deletions, or noise in the attributes of largest weight. `None` if it prepares for none, or if its
/// predictor is not additive.
pub fn own_attack<'f>(learner: &dyn Learner, fit: &'f Fit) -> Option<(&'f Threat, Attack)> {
    let noise = learner.get(DAMAGE.name).is_some_and(|damage| damage == "noise");
    let attack = if noise { Attack::Noise(Choice::Weight) } else { Attack::Exact };
    let threat = fit.report.threat.as_ref()?;
    fit.predictor.additive().is_ok().then_some((threat, attack))
}

/// Number of rows that share a workspace.
const CHUNK: usize = 64;

/// Computes the scores of attacked examples, in scaled units. `seed` determines the random choices;
/// a row has the same random order under every budget.
///
/// The adversary moves the score of a class away from it, and the score of a number away from the
/// target (the exact attack in the worse direction).
///
/// # Errors
/// See [`Predictor::additive`]; also if there is not one value per attribute, or no class for each
/// row where the predictor has more than two.
pub fn attack(
    predictor: &Predictor,
    examples: &Examples<'_>,
    threat: &Threat,
    attack: Attack,
    seed: u64,
) -> Result<Attacked> {
    attack_from((0, NumberLoss::Squared), predictor, examples, threat, attack, seed)
}

/// Does the same to a fit, by the loss that it is about: the worst deletions for a quantile are those of
/// the largest quantile loss.
///
/// # Errors
/// As for [`attack`].
pub fn attack_fit(
    fit: &Fit,
    examples: &Examples<'_>,
    threat: &Threat,
    attack: Attack,
    seed: u64,
) -> Result<Attacked> {
    attack_from((0, fit.report.number_loss()), &fit.predictor, examples, threat, attack, seed)
}

/// Does the same by another loss, for rows whose numbers go on from `first`: a row's random choices
/// depend on its number.
pub(super) fn attack_from(
    (first, loss): (u64, NumberLoss),
    predictor: &Predictor,
    examples: &Examples<'_>,
    threat: &Threat,
    attack: Attack,
    seed: u64,
) -> Result<Attacked> {
    let linears = predictor.additive()?;
    if linears.len() > 1 && examples.classes() != linears.len() {
        let what = "classes, one for each score".to_owned();
        let (expected, found) = (linears.len(), examples.classes());
        return Err(ErrorKind::WrongLength { what, expected, found }.into());
    }
    let effects = Effects::new(&linears[0], examples, threat)?;
    let weights: Vec<f64> = match attack {
        Attack::Greedy(Order::Weight) | Attack::Noise(Choice::Weight) => {
            (0..threat.values().len()).map(|j| effects.weight(linears, j as u32)).collect()
        }
        _ => Vec::new(),
    };
    let starts: Vec<usize> = (0..examples.len()).step_by(CHUNK).collect();
    let parts = starts.par_iter().map(|&start| {
        let adversary = Adversary::new(threat);
        let (effects, weights) = (effects.clone(), &weights);
        let (gains, order, worst) = (Vec::new(), Vec::new(), Vec::new());
        let mut attacker = Attacker {
            linears,
            effects,
            adversary,
            attack,
            first,
            loss,
            seed,
            weights,
            gains,
            order,
            worst,
        };
        let rows = start..(start + CHUNK).min(examples.len());
        let mut scores = Vec::with_capacity(rows.len() * linears.len());
        let unproven = rows.filter(|&row| !attacker.row(examples, row, &mut scores)).count();
        (scores, unproven)
    });
    let (parts, unproven): (Vec<Vec<f64>>, Vec<usize>) = parts.unzip();
    let estimates = matches!(predictor, Predictor::Linear(_));
    let scores = Scores { values: parts.concat(), outputs: linears.len(), estimates };
    Ok(Attacked { scores, unproven: unproven.iter().sum() })
}

/// Attack state of one thread.
struct Attacker<'a> {
    /// One, or one for each of more than two classes.
    linears: &'a [Linear],
    effects: Effects<'a>,
    adversary: Adversary<'a>,
    attack: Attack,
    /// Number of the first row of the table.
    first: u64,
    /// Loss of numbers.
    loss: NumberLoss,
    seed: u64,
    /// Weight of each attribute, if the attack uses it.
    weights: &'a [f64],
    gains: Vec<f64>,
    /// Items in random order, or those that another attack deletes.
    order: Vec<u32>,
    /// Worst deletions so far.
    worst: Vec<u32>,
}

impl Attacker<'_> {
    /// Adds the scores of a row after the attack, and returns true if the attack is proven optimal.
    fn row(&mut self, examples: &Examples<'_>, row: usize, scores: &mut Vec<f64>) -> bool {
        let proven = self.damage(examples, row);
        let after = |linear: &Linear| linear.clip(linear.score(&self.effects.row));
        scores.extend(self.linears.iter().map(after));
        proven
    }

    /// Damages a row, and returns true if no other damage is proven to be worse.
    fn damage(&mut self, examples: &Examples<'_>, row: usize) -> bool {
        self.effects.read(examples, row);
        self.adversary.spend(self.effects.spent);
        // Direction in which to move the score.
        let away = match examples.code(row) {
            Some(code) => {
                if code == 1 {
                    -1.0
                } else {
                    1.0
                }
            }
            None => {
                if self.effects.score < examples.target(row) {
                    -1.0
                } else {
                    1.0
                }
            }
        };
        let number = self.first + u64::from(examples.rows[row]);
        let mut stream = Stream::new(self.seed, Purpose::Attack, number);
        let (mut proven, mut ordered) = (true, false);
        match self.attack {
            Attack::Random => {
                self.shuffled(&mut stream, self.effects.attributes.len());
                self.adversary.taking(&self.effects.attributes, &self.order);
            }
            Attack::Greedy(_) | Attack::Exact if self.linears.len() > 1 => {
                (proven, ordered) = (self.rivals(examples, row), true);
            }
            Attack::Greedy(order) => self.greedy(order, away),
            Attack::Exact => match examples.code(row) {
                Some(_) => proven = self.exact(away).exact,
                // A larger error may lie on the other side of the target, although it is further
                // away.
                None => {
                    let loss = self.loss;
                    let lost =
                        |score: f64| loss.of(self.linears[0].clip(score), examples.target(row));
                    let other = self.exact(-away);
                    self.order.clear();
                    self.order.extend_from_slice(self.adversary.deleted());
                    let gained = self.exact(away);
                    proven = other.exact && gained.exact;
                    let score = self.effects.score;
                    ordered = lost(score - away * other.gain) > lost(score + away * gained.gain);
                }
            },
            Attack::Noise(choice) => {
                self.noise(choice, &mut stream);
                return true;
            }
        }
        let Attacker { effects, adversary, order, .. } = self;
        for &item in if ordered { order } else { adversary.deleted() } {
            effects.vanish(effects.attributes[item as usize]);
        }
        proven
    }

    /// Finds the deletions that leave the least difference between the score of the row's class and
    /// that of another one, in `order`; returns true if none are proven to leave less.
    fn rivals(&mut self, examples: &Examples<'_>, row: usize) -> bool {
        let (linears, mut least, mut proven) = (self.linears, f64::INFINITY, true);
        let own = examples.code(row).map_or(0, |code| code as usize);
        self.worst.clear();
        for rival in (0..linears.len()).filter(|rival| *rival != own) {
            self.effects.between(&linears[own], &linears[rival]);
            match self.attack {
                Attack::Greedy(order) => self.greedy(order, -1.0),
                _ => proven &= self.exact(-1.0).exact,
            }
            let deleted = self.adversary.deleted();
            let lost = deleted.iter().map(|&item| self.effects.changes[item as usize]);
            let left = self.effects.score + lost.sum::<f64>();
            if left < least {
                least = left;
                self.worst.clear();
                self.worst.extend_from_slice(deleted);
            }
        }
        std::mem::swap(&mut self.order, &mut self.worst);
        proven
    }

    fn exact(&mut self, away: f64) -> super::Worst {
        self.gain(away);
        self.adversary.whole(&self.effects.attributes, &self.gains)
    }

    /// Computes the change towards `away` for each deletion.
    fn gain(&mut self, away: f64) {
        self.gains.clear();
        self.gains.extend(self.effects.changes.iter().map(|change| away * change));
    }

    fn greedy(&mut self, order: Order, away: f64) {
        self.gain(away);
        let (gains, attributes, weights) = (&self.gains, &self.effects.attributes, self.weights);
        let values = self.adversary.threat().values();
        let key = |item: u32| {
            let value = values[attributes[item as usize] as usize];
            match order {
                Order::Ratio if value == 0.0 => f64::INFINITY,
                Order::Ratio => gains[item as usize] / value,
                Order::Value => value,
                Order::Weight => weights[attributes[item as usize] as usize],
            }
        };
        self.adversary.skipping(attributes, gains, |a, b| key(b).total_cmp(&key(a)));
    }

    /// Replaces attributes by noise, zero ones included.
    fn noise(&mut self, choice: Choice, stream: &mut Stream) {
        let missing = &self.effects.missing;
        let all = self.adversary.threat().values().len() as u32;
        let there: Vec<u32> = (0..all).filter(|j| missing.binary_search(j).is_err()).collect();
        self.shuffled(stream, there.len());
        if choice == Choice::Weight {
            let weight = |item: u32| self.weights[there[item as usize] as usize];
            self.order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));
        }
        self.adversary.taking(&there, &self.order);
        for &item in self.adversary.deleted() {
            for column in self.effects.columns(there[item as usize]) {
                self.effects.row[column] = 2.0 * stream.unit() - 1.0;
            }
        }
    }

    fn shuffled(&mut self, stream: &mut Stream, items: usize) {
        self.order.clear();
        self.order.extend(0..items as u32);
        shuffle(stream, &mut self.order);
    }
}
