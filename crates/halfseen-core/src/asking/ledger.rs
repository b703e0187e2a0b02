//! Keeps a learner's accounts: its identity, open queries, reads made and allowed, and delays.

mod kept;

use super::money::Money;
use super::saved;
use super::wait::Wait;
use crate::data::{Layout, widened};
use crate::error::{ErrorKind, Result};
use crate::learner::{Query, ReadRole, TellOutcome};
use crate::model::{Report, Stop};
use halfseen_solve::sampling::keep_distinct;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Largest accepted count of a saved state, so that counters cannot overflow.
pub const LARGEST_COUNT: u64 = 1 << 53;
/// Initial capacity for the reads of a query, whose number may be random.
pub const USUAL_READS: usize = 256;

/// Counts queries, answers, reads and their costs, and knows the open queries.
#[derive(Debug, Clone)]
pub struct Ledger {
    pub(crate) name: &'static str,
    params: Map<String, Value>,
    pub(crate) layout: Arc<Layout>,
    pub(crate) fingerprint: u64,
    /// True if the learner chooses no reads: rows come with the panels observed in them.
    pub passive: bool,
    /// As [`AskTell::takes_holes`](crate::learner::AskTell::takes_holes).
    pub holes: bool,
    /// Maximum number of reads in total, a parameter of the learner; `None`: no limit.
    limit: Option<u64>,
    /// Limit on the total cost of reads, if one is set.
    money: Option<Money>,
    /// Queries by number, increasing. Closed ones stay until they are half of all, so that closing
    /// one takes constant time, amortised.
    queries: Vec<Open>,
    /// Number of closed `queries`.
    shut: usize,
    /// Number of reads that open queries asked for.
    promised: u64,
    entries: Entries,
    /// Buffer for the panels of the current query.
    panels: Vec<u32>,
}

/// Limits on all reads of a learner, from its parameters; `None`: no limit.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Number of reads.
    pub reads: Option<u64>,
    /// Cost of the distinct reads of each example, at the layout's prices.
    pub cost: Option<f64>,
}

/// Query that is or was open.
#[derive(Debug, Clone, Copy)]
struct Open {
    number: u64,
    /// Number of reads it asked for.
    reads: u64,
    /// Cost of these reads, if the cost is limited.
    price: f64,
    /// Checksum, if it was adopted.
    adopted: Option<u64>,
    shut: bool,
}

/// Accounts as saved in a file; the lists are of the open queries.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    next: u64,
    /// Numbers of the open queries, increasing.
    open: Vec<u64>,
    /// Number of reads each of them asked for.
    asked: Vec<u64>,
    /// Cost of these reads; empty if the cost is not limited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    prices: Vec<f64>,
    /// Numbers and checksums of the adopted ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    adopted: Vec<(u64, u64)>,
    answered: u64,
    /// Smallest and largest target learned from; `None` at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<[f64; 2]>,
    skipped: u64,
    reads: u64,
    distinct: u64,
    /// Number of reads of each sampled panel.
    of_panels: Vec<u64>,
    spent: f64,
    max_reads: u64,
    largest_delay: u64,
    /// Number of queries that others ask, see [`Ledger::skip_to`].
    #[serde(default, skip_serializing_if = "saved::is_zero")]
    elsewhere: u64,
}

/// Returns the panels of a query that cost a read, with repetitions.
#[inline]
pub fn paid(query: &Query) -> impl Iterator<Item = u32> {
    query.reads.iter().filter(|r| r.role != ReadRole::Known).map(|r| r.panel)
}

/// Returns the total price of the distinct panels.
fn price(layout: &Layout, panels: &mut Vec<u32>) -> f64 {
    panels.sort_unstable();
    panels.dedup();
    panels.iter().map(|&panel| layout.price(panel as usize)).sum()
}

impl Ledger {
    /// Creates the accounts of a new learner with limits on its reads.
    pub fn new(
        name: &'static str,
        params: Map<String, Value>,
        layout: &Arc<Layout>,
        limits: Limits,
    ) -> Result<Ledger> {
        Ok(Ledger {
            name,
            fingerprint: saved::fingerprint(name, &params, layout)?,
            params,
            layout: Arc::clone(layout),
            passive: false,
            holes: false,
            limit: limits.reads,
            money: limits.cost.map(Money::new),
            queries: Vec::new(),
            shut: 0,
            promised: 0,
            entries: Entries { of_panels: vec![0; layout.sampled_panels()], ..Entries::default() },
            panels: Vec::with_capacity(USUAL_READS),
        })
    }

    /// Returns the number of answers learned from: t of the algorithms.
    #[inline]
    pub fn answered(&self) -> u64 {
        self.entries.answered
    }

    /// Returns the number of reads of a panel that were paid for.
    #[inline]
    pub fn reads_of(&self, panel: usize) -> u64 {
        self.entries.of_panels.get(panel).copied().unwrap_or(0)
    }

    /// Returns the smallest and the largest target learned from.
    pub fn range(&self) -> Option<[f64; 2]> {
        self.entries.range
    }

    /// Begins the next query, without reads.
    #[inline]
    pub(crate) fn begin(&self, query: &mut Query) {
        query.clear();
        (query.learner, query.phase, query.exact) = (self.fingerprint, 0, 0.0);
        (query.asked_at, query.number) = (self.closed(), self.entries.next);
    }

    /// Returns the number of queries until now.
    pub fn asked(&self) -> u64 {
        self.entries.next
    }

    /// Returns the number of open queries.
    #[inline]
    pub fn waiting(&self) -> u64 {
        (self.queries.len() - self.shut) as u64
    }

    /// Returns the number of queries answered or forgotten. A query's number minus this count at
    /// ask time is the number of queries open then.
    #[inline]
    pub(crate) fn closed(&self) -> u64 {
        self.entries.next - self.waiting() - self.entries.elsewhere
    }

    /// Returns the cost of the distinct reads of a query; 0 if the cost is not limited.
    #[inline]
    fn price(&mut self, query: &Query) -> f64 {
        if self.money.is_none() {
            return 0.0;
        }
        self.panels.clear();
        self.panels.extend(paid(query));
        price(&self.layout, &mut self.panels)
    }

    /// Refuses this number of reads at this price if they exceed the rest after all open queries.
    #[inline]
    fn afford(&self, asked: u64, price: f64) -> Result<()> {
        let (made, open) = (self.entries.reads, self.promised);
        if let Some(total) = self.limit.filter(|total| asked > total.saturating_sub(made + open)) {
            return Err(ErrorKind::BudgetSpent { total, made, open, asked }.into());
        }
        self.money.map_or(Ok(()), |money| money.afford(self.entries.spent, price))
    }

    /// Refuses to read these panels if they exceed the rest.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`], [`ErrorKind::CostSpent`].
    pub(crate) fn afford_panels(&self, panels: &[u32]) -> Result<()> {
        let limited = panels.iter().filter(|_| self.money.is_some());
        let price = limited.map(|&panel| self.layout.price(panel as usize)).sum();
        self.afford(panels.len() as u64, price)
    }

    /// Opens a written query under the next number and signs it. One that exceeds a limit is
    /// cleared, and nothing else changes.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`], [`ErrorKind::CostSpent`].
    #[inline]
    pub(crate) fn open(&mut self, query: &mut Query) -> Result<()> {
        self.enter(query)?;
        query.checksum = query.digest();
        Ok(())
    }

    /// Opens a written query as [`Ledger::open`] does, without signing it, and returns its position.
    ///
    /// # Errors
    /// As [`Ledger::open`].
    #[inline]
    pub(crate) fn enter(&mut self, query: &mut Query) -> Result<usize> {
        self.list(query, None).inspect_err(|_| query.clear())
    }

    /// Opens a query that was asked elsewhere, under its own number.
    ///
    /// # Errors
    /// [`ErrorKind::NumberUsed`]; as [`Ledger::open`]. Nothing changes then.
    pub(crate) fn adopt(&mut self, query: &Query) -> Result<()> {
        let (number, next) = (query.number, self.asked());
        if number < next {
            return Err(ErrorKind::NumberUsed { number, next }.into());
        }
        self.list(query, Some(query.checksum))?;
        Ok(())
    }

    /// Gives the next query this number; those that are passed over count as open, since
    /// others ask them.
    ///
    /// # Errors
    /// As [`Ledger::check_number`].
    pub(crate) fn skip_to(&mut self, number: u64) -> Result<()> {
        self.check_number(number)?;
        self.entries.elsewhere += number - self.entries.next;
        self.entries.next = number;
        Ok(())
    }

    #[inline]
    fn list(&mut self, query: &Query, adopted: Option<u64>) -> Result<usize> {
        let (number, reads, price) = (query.number, paid(query).count() as u64, self.price(query));
        self.afford(reads, price)?;
        self.queries.push(Open { number, reads, price, adopted, shut: false });
        self.promised += reads;
        if let Some(money) = &mut self.money {
            money.promised += money.units(price);
        }
        self.entries.next = number + 1;
        Ok(self.queries.len() - 1)
    }

    /// Returns the position of an open query.
    ///
    /// # Errors
    /// [`ErrorKind::NotOpen`].
    #[inline]
    pub(crate) fn find(&self, number: u64) -> Result<usize> {
        let place = self.queries.binary_search_by_key(&number, |query| query.number).ok();
        let open = place.filter(|&place| !self.queries[place].shut);
        open.ok_or_else(|| ErrorKind::NotOpen { number }.into())
    }

    /// Returns the checksum of the query at this position, if it was adopted.
    #[inline]
    pub(crate) fn adopted(&self, place: usize) -> Option<u64> {
        self.queries[place].adopted
    }

    /// Closes the query at this position and releases the reads reserved for it; reads that were
    /// made are billed separately.
    #[inline]
    pub(crate) fn close(&mut self, place: usize) {
        let Open { reads, price, .. } = self.queries[place];
        if place + 1 == self.queries.len() {
            self.queries.pop();
        } else {
            self.queries[place].shut = true;
            self.shut += 1;
        }
        if 2 * self.shut > self.queries.len() {
            self.queries.retain(|query| !query.shut);
            self.shut = 0;
        }
        self.promised -= reads;
        if let Some(money) = &mut self.money {
            money.promised -= money.units(price);
        }
    }

    /// Closes the query at this position and records the outcome of its answer.
    #[inline]
    pub(crate) fn book(&mut self, place: usize, query: &Query, target: f64, told: TellOutcome) {
        self.close(place);
        self.bill(paid(query));
        match told {
            TellOutcome::Learned => self.learned(query.asked_at, target),
            TellOutcome::Skipped => self.entries.skipped += 1,
        }
    }

    /// Asks for this many reads under the next number, to be answered before anything else is asked,
    /// and returns the other open queries, for which that answer waited.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`]; then nothing changes.
    #[inline]
    pub fn ask_at_once(&mut self, reads: u64) -> Result<Wait> {
        self.afford(reads, 0.0)?;
        let wait = Wait { delay: self.asked() - self.closed(), open: self.waiting() };
        self.entries.next += 1;
        Ok(wait)
    }

    /// Records the answer to such reads, of increasing panels and some more.
    #[inline]
    pub fn book_at_once(&mut self, (increasing, more): (&[u32], &[u32]), target: f64) {
        let of_panels = &mut self.entries.of_panels;
        increasing.iter().for_each(|&panel| of_panels[panel as usize] += 1);
        self.panels.clear();
        for panel in more {
            if increasing.binary_search(panel).is_err() && !self.panels.contains(panel) {
                self.panels.push(*panel);
                of_panels[*panel as usize] += 1;
            }
        }
        let distinct = increasing.len() + self.panels.len();
        let cost = if self.layout.is_priced() {
            self.panels.extend_from_slice(increasing);
            price(&self.layout, &mut self.panels)
        } else {
            distinct as f64
        };
        self.charge((increasing.len() + more.len()) as u64, distinct as u64, cost);
        self.count(target);
    }

    /// Returns true if the cost of reads is limited.
    #[inline]
    pub fn limits_cost(&self) -> bool {
        self.money.is_some()
    }

    /// Records an example that was not asked: the panels of these slots, increasing, and a target,
    /// if it is known.
    pub(crate) fn observe(&mut self, number: u64, cells: &[(u32, f64)], target: Option<f64>) {
        let layout = Arc::clone(&self.layout);
        let mut last = None;
        let panels = cells.iter().map(|(slot, _)| layout.panel_of(*slot as usize) as u32);
        let sampled = layout.sampled_panels() as u32;
        self.bill(panels.filter(|&panel| panel < sampled && last.replace(panel) != Some(panel)));
        self.entries.next = number + 1;
        if let Some(target) = target {
            self.count(target);
        }
    }

    /// Records the panels read of one example, with repetitions; distinct ones are paid for.
    #[inline]
    fn bill(&mut self, read: impl Iterator<Item = u32>) {
        let (entries, panels) = (&mut self.entries, &mut self.panels);
        panels.clear();
        panels.extend(read);
        let reads = panels.len() as u64;
        keep_distinct(panels);
        let distinct = panels.len() as u64;
        for &panel in &*panels {
            if let Some(count) = entries.of_panels.get_mut(panel as usize) {
                *count += 1;
            }
        }
        let cost = match self.layout.is_priced() {
            true => price(&self.layout, panels),
            false => distinct as f64,
        };
        self.charge(reads, distinct, cost);
    }

    /// Adds the reads of one example to the sums.
    #[inline]
    fn charge(&mut self, reads: u64, distinct: u64, cost: f64) {
        let entries = &mut self.entries;
        entries.reads += reads;
        entries.distinct += distinct;
        entries.max_reads = entries.max_reads.max(reads);
        entries.spent += cost;
    }

    /// Records an answer that was learned from, to a query just closed; `asked_at` is the number of
    /// queries closed when it was asked.
    #[inline]
    fn learned(&mut self, asked_at: u64, target: f64) {
        let delay = (self.closed() - 1).saturating_sub(asked_at);
        self.entries.largest_delay = self.entries.largest_delay.max(delay);
        self.count(target);
    }

    /// Counts an example with its target.
    #[inline]
    fn count(&mut self, target: f64) {
        let entries = &mut self.entries;
        entries.range = Some(widened(entries.range, target));
        entries.answered += 1;
    }

    /// Returns the variance of the targets learned from, given their sum and sum of squares: the
    /// squared error of always predicting their mean.
    pub fn variance(&self, sum: f64, squares: f64) -> f64 {
        let examples = self.answered().max(1) as f64;
        (squares / examples - (sum / examples).powi(2)).max(0.0)
    }

    /// Returns the accounts as a report.
    pub fn report(&self) -> Report {
        let e = &self.entries;
        Report {
            examples: e.answered,
            skipped: e.skipped,
            reads: e.reads,
            distinct: e.distinct,
            panel_reads: e.of_panels.clone(),
            spent: e.spent,
            max_reads: e.max_reads,
            largest_delay: e.largest_delay,
            unused: self.limit.map(|total| total.saturating_sub(e.reads + self.promised)),
            ..Report::full(self.name, Stop::Open, 0, 0)
        }
    }
}
