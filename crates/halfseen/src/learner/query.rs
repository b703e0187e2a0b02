//! Defines the questions a budgeted learner asks, and the trait by which it asks and is told.

use crate::error::Result;
use crate::model::{Fit, Linear, Predictor, Report};
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};

/// What a learner wants to know of its next example, decided before anything of it is seen.
///
/// Self-contained and serialisable: it may wait for days, and several may be open at once. The
/// answer is a slice of scaled values, one per column of each read, in the order of `reads`; see
/// [`Prepare::push_cell`](crate::prepare::Prepare::push_cell).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Fingerprint of the learner that asks: parameters, layout and seed.
    #[serde(with = "hex")]
    pub learner: u64,
    /// Tag of the [session](crate::session::Session) that asks; 0 of a learner without one.
    #[serde(with = "hex", default, skip_serializing_if = "untagged")]
    pub asker: u64,
    /// Its number, from 0.
    pub number: u64,
    /// The phase of learners that have several; 0 otherwise.
    pub phase: u32,
    /// Queries that had been answered or forgotten when it was asked; its number less these were
    /// open.
    pub asked_at: u64,
    /// Orders of the powers by which a smooth loss's slope is estimated, one per value of its
    /// series; empty where the slope needs none.
    pub orders: Vec<u32>,
    /// The panels to read.
    pub reads: Vec<Read>,
    /// One entry per column of each read, in order.
    pub parts: Vec<ColumnTerm>,
    /// The part of <w,x> that needs no read: the intercept at ask time.
    pub exact: f64,
    /// [`Query::digest`] when it was asked: an edited query is refused.
    #[serde(with = "hex")]
    pub checksum: u64,
}

impl Query {
    /// The delay with which it will be learned from: how many other queries were open when it was
    /// asked.
    #[inline]
    pub fn delay(&self) -> u64 {
        self.number.saturating_sub(self.asked_at)
    }

    /// Takes everything that was asked out of it, and who asked.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.asker = 0;
        self.reads.clear();
        self.parts.clear();
        self.orders.clear();
    }

    /// Whether its numbers are finite, and those of so many columns: one that came back may have
    /// been edited.
    pub(crate) fn is_of(&self, columns: usize) -> bool {
        let finite = |p: &ColumnTerm| p.weight.is_finite() && p.centre.is_finite();
        columns == self.parts.len() && self.exact.is_finite() && self.parts.iter().all(finite)
    }

    /// A checksum of everything but the learner, the asker and the checksum. It finds every single change; it
    /// is no protection against a forger.
    #[inline]
    pub fn digest(&self) -> u64 {
        // Odd multipliers are one-to-one, and the terms of the sum do not wait for each other.
        let odd = |i: usize, salt: u64| salt.wrapping_mul(2 * i as u64 + 1);
        let read = |(i, r): (usize, &Read)| {
            let word = u64::from(r.panel) | (r.role as u64) << 32;
            (word ^ r.coefficient.to_bits().rotate_left(7))
                .wrapping_mul(odd(i, 0x9E37_79B9_7F4A_7C15))
        };
        let part = |(i, p): (usize, &ColumnTerm)| {
            (p.weight.to_bits() ^ p.centre.to_bits().rotate_left(17))
                .wrapping_mul(odd(i, 0xC2B2_AE3D_27D4_EB4F))
        };
        let head = self.number.wrapping_mul(0x1656_67B1_9E37_79F9)
            ^ self.asked_at.wrapping_mul(0x27D4_EB2F_1656_67C5).rotate_left(23)
            ^ self.exact.to_bits().wrapping_mul(0x85EB_CA77_C2B2_AE63)
            ^ u64::from(self.phase);
        let order =
            |(i, n): (usize, &u32)| (u64::from(*n) + 1).wrapping_mul(odd(i, 0xD6E8_FEB8_6659_FD93));
        let head = self.orders.iter().enumerate().map(order).fold(head, u64::wrapping_add);
        let reads = self.reads.iter().enumerate().map(read).fold(head, u64::wrapping_add);
        self.parts.iter().enumerate().map(part).fold(reads, u64::wrapping_add)
    }
}

/// One panel to read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// The panel; its name is [`Layout::name`](crate::data::Layout::name).
    pub panel: u32,
    /// What the value is for.
    pub role: Role,
    /// What its values are multiplied by in the estimate of the example.
    pub coefficient: f64,
}

/// One column of a read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnTerm {
    /// What the centred value is multiplied by in the estimate of the product <w,x>.
    pub weight: f64,
    /// What is subtracted from the value.
    pub centre: f64,
}

/// What a value is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// For the estimate of the example, hence of the gradient.
    Gradient,
    /// For the estimate of the product <w,x>.
    Product,
    /// For both: the budget allows every panel, or it is what happens to be observed.
    Full,
    /// Always known; costs nothing.
    Known,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellOutcome {
    /// One step was taken.
    Learned,
    /// A value was missing (NaN), or nothing was observed that teaches anything: the example was
    /// skipped and counted. Estimates stay unbiased only if being missing does not depend on the
    /// value.
    Skipped,
}

/// A learner that asks before it sees.
pub trait AskTell: Send {
    /// Replaces `query` by the next question. Allocates nothing once `query` has grown.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`](crate::ErrorKind::BudgetSpent) if `total_budget` does not pay for
    /// it, the reads that open queries asked for included. Then `query` asks for nothing, the
    /// learner is unchanged, and open queries can be answered.
    fn ask_into(&mut self, query: &mut Query) -> Result<()>;

    /// The next question.
    ///
    /// # Errors
    /// As [`ask_into`](Self::ask_into).
    fn ask(&mut self) -> Result<Query> {
        let mut query = Query::default();
        self.ask_into(&mut query)?;
        Ok(query)
    }

    /// Replaces `query` by what is to be told of an example of which these sampled panels, in
    /// increasing order, happen to be observed. An example of which nothing is observed is asked
    /// too: its target is learned from.
    ///
    /// # Errors
    /// [`ErrorKind::Chooses`](crate::ErrorKind::Chooses) if the learner chooses what it reads;
    /// panels that are not there; what `total_budget` does not pay for, as in
    /// [`ask_into`](Self::ask_into).
    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        let _ = (observed, query);
        Err(crate::ErrorKind::Chooses { learner: self.report().learner }.into())
    }

    /// Opens a query that was asked before, without drawing: so a log of queries and answers is
    /// replayed. Told the same answers in the same order, the learner has the same bits as the one
    /// that asked. The query may have been drawn by other probabilities than the present ones: it
    /// carries all that its answer needs.
    ///
    /// Numbers increase: one that is passed over counts as forgotten.
    ///
    /// # Errors
    /// [`WrongLearner`](crate::ErrorKind::WrongLearner) for a query of other parameters, attributes
    /// or seed; [`WrongQuery`](crate::ErrorKind::WrongQuery) for one that was changed;
    /// [`NumberUsed`](crate::ErrorKind::NumberUsed) for one that was asked or adopted here before;
    /// what `total_budget` does not pay for, as in [`ask_into`](Self::ask_into). The learner is
    /// then unchanged.
    fn adopt(&mut self, query: &Query) -> Result<()>;

    /// Closes a query of which only some panels were read and no more will be: those reads are on
    /// the bill, the others may be spent elsewhere, and the example counts as skipped.
    ///
    /// # Errors
    /// If it is of another learner, was changed, or is not open.
    fn release(&mut self, query: &Query, read: &[u32]) -> Result<()>;

    /// Limits what all reads may cost together from now on, at the prices that the layout declares
    /// (1 each without any), given the queries that are open; `None`: no limit. A query that is not
    /// paid for, were all open ones answered, is refused by
    /// [`ErrorKind::CostSpent`](crate::ErrorKind::CostSpent) before it is open, so that the next
    /// one asks the same. The limit is no part of a saved state.
    fn limit_cost(&mut self, total: Option<f64>, open: &mut dyn Iterator<Item = &Query>);

    /// The fingerprint of its parameters, layout and seed, which its queries carry.
    fn fingerprint(&self) -> u64;

    /// How many queries were asked or adopted, numbers that were passed over included, and how many
    /// of those are no longer open.
    fn asked_and_closed(&self) -> (u64, u64);

    /// Whether rows come with what happens to be observed of them.
    fn is_passive(&self) -> bool {
        false
    }

    /// Whether a NaN among the values is a read without a value, and the other reads are learned
    /// from; else a table's missing cell is an error, and an answer with a NaN is skipped.
    fn takes_holes(&self) -> bool {
        false
    }

    /// Refuses targets that are numbers, where only classes are learned: -1 and +1, as they are.
    ///
    /// # Errors
    /// As [`Learner::fit`](crate::learner::Learner::fit), naming the parameter that wants classes.
    fn check_numbers(&self) -> Result<()> {
        Ok(())
    }

    /// Takes one step from the scaled values of a query's reads and the scaled target. A NaN among
    /// the values is a refused read.
    ///
    /// # Errors
    /// A query of another learner, one that is not open, too few or too many or infinite values, a
    /// target that is not finite, or numbers that grow out of range. The learner is then unchanged
    /// and the query still open.
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome>;

    /// Closes a query of which nothing was read and nothing will be: the reads that it asked for
    /// may be spent on others.
    ///
    /// # Errors
    /// If it is not open.
    fn forget(&mut self, number: u64) -> Result<()>;

    /// The predictor learned so far, in scaled units.
    fn predictor(&self) -> Linear;

    /// The same with all that it knows of attributes that a row does not show.
    fn model(&self) -> Predictor {
        self.predictor().into()
    }

    /// The same with its report. A learner that fits only now asks the monitor whether to stop.
    ///
    /// # Errors
    /// Numerical failure.
    fn fitted(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let _ = monitor;
        Ok(Fit { predictor: self.model(), report: self.report() })
    }

    /// What was read so far.
    fn report(&self) -> Report;

    /// The whole learner as JSON; [`load`](crate::registry::load) gives one that goes on with the
    /// same bits.
    ///
    /// # Errors
    /// If a number is not finite.
    fn save(&self) -> Result<serde_json::Value>;
}

/// Whether nobody tagged a query.
fn untagged(asker: &u64) -> bool {
    *asker == 0
}

/// Writes a fingerprint as 16 hexadecimal digits: JSON's numbers end at 53 bits in many languages.
pub(crate) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(word: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{word:016x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(|e| D::Error::custom(format!("no fingerprint: {e}")))
    }
}
