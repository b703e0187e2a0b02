//! Defines the queries of a budgeted learner, and the trait by which it asks and is told.

use crate::data::Layout;
use crate::error::{Error, ErrorKind, Result, short};
use crate::model::{Fit, Linear, Predictor, Report};
use crate::params::Targets;
use halfseen_solve::Monitor;
use serde::{Deserialize, Serialize};

/// Query of a learner about its next example, decided before any value of it is seen.
///
/// It is self-contained and serialisable: it may wait for days, and several may be open at once.
/// The answer is a slice of scaled values, one per column of each read, in the order of `reads`;
/// see [`Prepare::push_panel`](crate::prepare::Prepare::push_panel).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Fingerprint of the learner that asks: of its parameters, layout and seed.
    #[serde(with = "hex")]
    pub learner: u64,
    /// Number of the query, from 0.
    pub number: u64,
    /// Phase of learners that have several; 0 otherwise.
    pub phase: u32,
    /// Number of queries answered or forgotten when this one was asked; `number` minus this were
    /// open.
    pub asked_at: u64,
    /// Orders of the powers that estimate the slope of a smooth loss, one per term of its series;
    /// empty if the slope needs none.
    pub orders: Vec<u32>,
    /// Panels to read.
    pub reads: Vec<Read>,
    /// One entry per column of each read, in order.
    pub parts: Vec<ColumnTerm>,
    /// Part of <w,x> that needs no read: the intercept when the query was asked.
    pub exact: f64,
    /// [`Query::digest`] when the query was asked; an edited query is rejected.
    #[serde(with = "hex")]
    pub checksum: u64,
}

impl Query {
    /// Returns the delay with which the query is learned: the number of other queries open when it
    /// was asked.
    #[inline]
    pub fn delay(&self) -> u64 {
        self.number.saturating_sub(self.asked_at)
    }

    /// Clears everything that was asked.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.reads.clear();
        self.parts.clear();
        self.orders.clear();
    }

    /// Returns the read and the slot of each column, in the order of the answer.
    #[inline]
    pub(crate) fn slots<'q>(
        &'q self,
        layout: &'q Layout,
    ) -> impl Iterator<Item = (&'q Read, usize)> + 'q {
        // Quicker than flattened ranges, which look at both of their ends.
        let (mut reads, mut slots) = (self.reads.iter(), 0..0);
        let mut read = None;
        std::iter::from_fn(move || {
            loop {
                if let (Some(read), Some(slot)) = (read, slots.next()) {
                    return Some((read, slot));
                }
                let next = reads.next()?;
                (read, slots) = (Some(next), layout.slots_of(next.panel as usize));
            }
        })
    }

    /// Returns the read, the slot, the part and the value of each column of an answer.
    #[inline]
    pub fn cells<'q>(
        &'q self,
        layout: &'q Layout,
        values: &'q [f64],
    ) -> impl Iterator<Item = (&'q Read, usize, ColumnTerm, f64)> + 'q {
        let cells = self.slots(layout).zip(&self.parts).zip(values);
        cells.map(|(((read, slot), part), value)| (read, slot, *part, *value))
    }

    /// Returns true if the numbers are finite and belong to `columns` columns; a returned query may
    /// have been edited.
    pub(crate) fn is_of(&self, columns: usize) -> bool {
        let finite = |p: &ColumnTerm| p.weight.is_finite() && p.centre.is_finite();
        columns == self.parts.len() && self.exact.is_finite() && self.parts.iter().all(finite)
    }

    /// Returns a checksum of everything except the learner and the checksum. It detects every single
    /// change, but does not protect against forgery.
    #[inline]
    pub fn digest(&self) -> u64 {
        // Odd multipliers are one-to-one, and the terms of the sum are independent of each other.
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
    /// Panel; its name is [`Layout::name`](crate::data::Layout::name).
    pub panel: u32,
    /// Purpose of the values.
    pub role: ReadRole,
    /// Factor of the values in the estimate of the example.
    pub coefficient: f64,
}

/// One column of a read.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnTerm {
    /// Factor of the centred value in the estimate of the product <w,x>.
    pub weight: f64,
    /// Centre subtracted from the value.
    pub centre: f64,
}

/// Purpose of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadRole {
    /// Estimate of the example, hence of the gradient.
    Gradient,
    /// Estimate of the product <w,x>.
    Product,
    /// Both: the budget allows every panel, or the learner takes whatever is observed.
    Full,
    /// Always known; costs nothing.
    Known,
}

/// Outcome of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TellOutcome {
    /// One step was taken.
    Learned,
    /// A value was missing (NaN), or nothing useful was observed; the example was skipped and
    /// counted. Estimates stay unbiased only if missingness does not depend on the value.
    Skipped,
}

/// Reader of the values of a query: writes them and returns the target.
pub type Answer<'a> = dyn FnMut(&Query, &mut Vec<f64>) -> Result<f64> + 'a;

/// Rows of a table whose panels have one column each, read in order.
pub trait ReadRows {
    /// Appends the scaled values of these panels of the present row, and returns its target.
    ///
    /// # Errors
    /// A cell or a target that cannot be learned from.
    fn read(&mut self, panels: &[u32], values: &mut Vec<f64>) -> Result<f64>;

    /// Returns true if the cells are so many that reads of them wait for memory.
    fn are_many(&self) -> bool {
        false
    }

    /// Loads cells of the row that comes so many rows later, if there is one: they will be read.
    fn touch(&self, later: usize, panels: &[u32]) {
        let _ = (later, panels);
    }
}

/// Implements [`AskTell::learn_from`] by asking and telling.
pub(crate) fn ask_then_tell<L: AskTell + ?Sized>(
    learner: &mut L,
    query: &mut Query,
    values: &mut Vec<f64>,
    answer: &mut Answer<'_>,
) -> Result<TellOutcome> {
    learner.ask_into(query)?;
    values.clear();
    let told = answer(query, values).and_then(|target| learner.tell(query, values, target));
    if told.is_err() {
        learner.forget(query.number)?;
    }
    told
}

/// Learner that asks before it sees.
pub trait AskTell: Send {
    /// Replaces `query` by the next query. Allocates nothing once `query` has grown.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`](crate::ErrorKind::BudgetSpent) if `total_budget`, minus the reads
    /// of open queries, does not suffice. Then `query` asks for nothing, the learner is unchanged,
    /// and open queries can be answered.
    fn ask_into(&mut self, query: &mut Query) -> Result<()>;

    /// Returns the next query.
    ///
    /// # Errors
    /// As [`ask_into`](Self::ask_into).
    fn ask(&mut self) -> Result<Query> {
        let mut query = Query::default();
        self.ask_into(&mut query)?;
        Ok(query)
    }

    /// Replaces `query` by one about an example whose observed sampled panels are `observed`, in
    /// increasing order. An example without observed panels is asked too, since its target is
    /// learned from.
    ///
    /// # Errors
    /// [`ErrorKind::Request`](crate::ErrorKind::Request) if the learner chooses its reads; panels
    /// that do not exist; a spent `total_budget`, as in [`ask_into`](Self::ask_into).
    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        let _ = (observed, query);
        Err(chooses(&self.report().learner))
    }

    /// Asks about an example, reads it and learns from it in one go: as
    /// [`ask_into`](Self::ask_into) and [`tell`](Self::tell) with nothing in between, and faster,
    /// since nobody else sees the query.
    ///
    /// `answer` gets the query, writes the scaled values of its reads, and returns the target.
    /// `query` and `values` are buffers; afterwards they hold what was asked and read.
    ///
    /// # Errors
    /// As those two, and an error of `answer`. Then nothing is learned and no query stays open.
    fn learn_from(
        &mut self,
        query: &mut Query,
        values: &mut Vec<f64>,
        answer: &mut Answer<'_>,
    ) -> Result<TellOutcome> {
        ask_then_tell(self, query, values, answer)
    }

    /// Does the same as [`learn_from`](Self::learn_from), bit for bit, without writing a query. `None`
    /// if the learner cannot, now or ever; then nothing happened.
    ///
    /// # Errors
    /// As [`learn_from`](Self::learn_from).
    fn learn_directly(&mut self, rows: &mut dyn ReadRows) -> Option<Result<TellOutcome>> {
        let _ = rows;
        None
    }

    /// Opens a query that was asked before, without drawing; this replays a log of queries and
    /// answers. With the same answers in the same order, the learner has the same bits as the one
    /// that asked. The probabilities of the query may differ from the present ones, since it
    /// carries all that its answer needs.
    ///
    /// Numbers increase: a number that is passed over counts as forgotten.
    ///
    /// # Errors
    /// [`WrongLearner`](crate::ErrorKind::WrongLearner) for a query of other parameters, attributes
    /// or seed; [`WrongQuery`](crate::ErrorKind::WrongQuery) for an edited one;
    /// [`NumberUsed`](crate::ErrorKind::NumberUsed) for one that was asked or adopted here before;
    /// a spent `total_budget`, as in [`ask_into`](Self::ask_into). The learner is then unchanged.
    fn adopt(&mut self, query: &Query) -> Result<()>;

    /// Gives the next query this number. Numbers that are passed over count as open: others ask
    /// them, from the same state of the learner.
    ///
    /// # Errors
    /// [`NumberUsed`](crate::ErrorKind::NumberUsed) for a number below the present next one;
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for one of 2^53 or more.
    fn skip_to(&mut self, number: u64) -> Result<()>;

    /// Returns true if [`observe`](Self::observe) works: the learner learns from whatever was read
    /// of an example, whether or not a query asked for it.
    fn takes_observed(&self) -> bool {
        false
    }

    /// Learns from what was read of one example, without a query: `cells` are (slot, scaled value),
    /// slots increasing, where NaN is a read without a value; `target` is scaled, and `None` if it
    /// is not known, so that only the attributes are learned from. The columns of known panels
    /// may be among the cells.
    ///
    /// A panel with a slot among the cells counts as read and is paid for, known ones excepted.
    /// Limits on reads and costs are not held against reads that were made. The next query gets
    /// the number after this one; numbers that are passed over count as forgotten. An example
    /// without cells and without a target counts nothing.
    ///
    /// If the choice of what was read depended on values that were not read, the learner is
    /// biased, and nothing in the reads shows it.
    ///
    /// # Errors
    /// [`ErrorKind::Request`](crate::ErrorKind::Request) unless
    /// [`takes_observed`](Self::takes_observed);
    /// [`NumberUsed`](crate::ErrorKind::NumberUsed) for a number below the present next one;
    /// [`OutOfRange`](crate::ErrorKind::OutOfRange) for slots that do not exist or do not increase;
    /// [`WrongAnswer`](crate::ErrorKind::WrongAnswer) or [`Diverged`](crate::ErrorKind::Diverged)
    /// for a number that is infinite or too large, or a NaN as target;
    /// [`ErrorKind::Request`](crate::ErrorKind::Request) for a copy that only draws. The learner is
    /// then unchanged.
    fn observe(&mut self, number: u64, cells: &[(u32, f64)], target: Option<f64>) -> Result<()> {
        let _ = (number, cells, target);
        Err(takes_only_answers(&self.report().learner))
    }

    /// Returns true if the learner takes the observed panels as they come.
    fn is_passive(&self) -> bool {
        false
    }

    /// Returns true if a NaN among the values is a read without a value, and the other reads are
    /// learned from. Otherwise a missing cell of a table is an error, and an answer with a NaN is
    /// skipped.
    fn takes_holes(&self) -> bool {
        false
    }

    /// Rejects numeric targets if only classes, coded as -1 and +1, can be learned.
    ///
    /// # Errors
    /// As [`Learner::fit`](crate::learner::Learner::fit), naming the parameter that requires
    /// classes.
    fn check_numbers(&self) -> Result<()> {
        Ok(())
    }

    /// Says, before the first answer, that targets are the numbers 0, 1, ... of this many classes, if
    /// there are more than two; two classes are -1 and +1.
    ///
    /// # Errors
    /// [`WrongTarget`](crate::ErrorKind::WrongTarget) if it cannot learn so many classes, or was
    /// told of another number.
    fn classify(&mut self, classes: usize) -> Result<()> {
        Targets::NumbersOrTwo.check(&self.report().learner, classes)
    }

    /// Takes one step from the scaled values of a query's reads and the scaled target. A NaN among
    /// the values is a refused read.
    ///
    /// # Errors
    /// A query of another learner or one that is not open; a wrong number of values, or an infinite
    /// one; a target that is not finite; overflow. The learner is then unchanged and the query
    /// still open.
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome>;

    /// Closes a query of which nothing was or will be read; its reads may be spent elsewhere.
    ///
    /// # Errors
    /// A query that is not open.
    fn forget(&mut self, number: u64) -> Result<()>;

    /// Returns the linear predictor learned so far, in scaled units: of a model with curves its line
    /// alone. [`model`](Self::model) has the curves, and is the only one of more than two classes.
    fn predictor(&self) -> Linear;

    /// Returns the predictor with all that the learner knows about missing attributes.
    fn model(&self) -> Predictor {
        self.predictor().into()
    }

    /// Returns the predictor and the report. A learner that fits only now asks the monitor whether
    /// to stop.
    ///
    /// # Errors
    /// Numerical failure.
    fn fitted(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let _ = monitor;
        Ok(Fit { predictor: self.model(), report: self.report() })
    }

    /// Returns the report of the reads so far.
    fn report(&self) -> Report;

    /// Returns the whole learner as JSON; `registry::load` restores one that
    /// continues with the same bits.
    ///
    /// # Errors
    /// A number that is not finite.
    fn save(&self) -> Result<serde_json::Value>;

    /// Returns a state as of [`save`](Self::save) of a copy that draws the same next queries, and
    /// that need not hold what a model is made of: a copy without reads neither learns nor fits.
    ///
    /// # Errors
    /// As [`save`](Self::save).
    fn save_to_draw(&self) -> Result<serde_json::Value> {
        self.save()
    }
}

/// Writes a fingerprint as 16 hexadecimal digits, since JSON numbers have only 53 bits in many
/// languages.
pub(crate) mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(word: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{word:016x}"))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map_err(|e| D::Error::custom(format!("not a fingerprint: {e}")))
    }
}

/// Refuses passively observed attributes, for a learner that chooses its reads.
pub(crate) fn chooses(learner: &str) -> Error {
    let problem = format!(
        "learner {} chooses its reads and cannot learn from the attributes that happen to be observed; use aerr, aelr or fiml with passive = all",
        short(learner)
    );
    ErrorKind::Request(problem).into()
}

/// Refuses reads that answer no query.
pub(crate) fn takes_only_answers(learner: &str) -> Error {
    let problem = format!(
        "learner {} learns only from answers to its queries; ask or adopt a query and tell its answers, or use fiml, which learns from any reads",
        short(learner)
    );
    ErrorKind::Request(problem).into()
}
