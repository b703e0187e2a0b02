//! Keeps the books of a learner: which queries are open, what was read, how late answers came.

use crate::data::{Layout, widened};
use crate::error::{ErrorKind, Result};
use crate::learner::{Query, Read, Role};
use crate::model::{Report, Stop};
use halfseen_solve::sampling::keep_distinct;
use serde::{Deserialize, Serialize};

/// No count of a saved state is larger: counting on must not overflow.
pub(super) const LARGEST_COUNT: u64 = 1 << 53;

/// The books; see the module's documentation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ledger {
    /// The number of the next query.
    next: u64,
    /// Numbers of the open queries, increasing.
    open: Vec<u64>,
    /// How many reads each of them asked for; empty in a state older than these counts.
    #[serde(default)]
    asked: Vec<u64>,
    /// Numbers and checksums of the open queries that were adopted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    adopted: Vec<(u64, u64)>,
    /// The sum of `asked`.
    #[serde(skip)]
    promised: u64,
    /// The reads in all that may be made, which is a parameter of the learner; `None`: no limit.
    #[serde(skip)]
    limit: Option<u64>,
    /// Answers learned from: t of the algorithms.
    pub(super) answered: u64,
    /// The least and the largest target learned from; `None` at the start and in a state older than
    /// these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) range: Option<[f64; 2]>,
    skipped: u64,
    reads: u64,
    distinct: u64,
    /// How often each sampled panel was read; empty in a state older than these counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    of_panels: Vec<u64>,
    spent: f64,
    max_reads: u64,
    largest_delay: u64,
}

/// What a query asks for that costs a read.
#[inline]
fn reads_of(query: &Query) -> u64 {
    query.reads.iter().filter(|r| r.role != Role::Known).count() as u64
}

impl Ledger {
    /// The books of a start, over so many panels that can be read and with so many reads to spend.
    pub(super) fn new(panels: usize, limit: Option<u64>) -> Ledger {
        Ledger { of_panels: vec![0; panels], limit, ..Ledger::default() }
    }

    /// The number of the next query.
    #[inline]
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Refuses a query of so many reads if they are more than the total budget leaves, were all
    /// open queries answered.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`].
    #[inline]
    pub(super) fn afford(&self, asked: u64) -> Result<()> {
        let (made, open) = (self.reads, self.promised);
        match self.limit.filter(|total| asked > total.saturating_sub(made + open)) {
            Some(total) => Err(ErrorKind::BudgetSpent { total, made, open, asked }.into()),
            None => Ok(()),
        }
    }

    /// Opens the query that was written under the next number. One that cannot be paid for is
    /// emptied, and nothing changes.
    ///
    /// # Errors
    /// [`ErrorKind::BudgetSpent`].
    #[inline]
    pub(super) fn open(&mut self, query: &mut Query) -> Result<()> {
        let asked = reads_of(query);
        self.afford(asked).inspect_err(|_| query.clear())?;
        self.enter(self.next, asked);
        Ok(())
    }

    /// Opens a query that was asked elsewhere, under its own number.
    ///
    /// # Errors
    /// [`ErrorKind::NumberUsed`], [`ErrorKind::BudgetSpent`]; nothing changes then.
    pub(super) fn adopt(&mut self, query: &Query) -> Result<()> {
        let (number, next) = (query.number, self.next);
        if number < next {
            return Err(ErrorKind::NumberUsed { number, next }.into());
        }
        let asked = reads_of(query);
        self.afford(asked)?;
        self.adopted.push((number, query.checksum));
        self.enter(number, asked);
        Ok(())
    }

    #[inline]
    fn enter(&mut self, number: u64, asked: u64) {
        self.open.push(number);
        self.asked.push(asked);
        self.promised += asked;
        self.next = number + 1;
    }

    /// The checksum of an open query that was adopted.
    #[inline]
    pub(super) fn adopted(&self, number: u64) -> Option<u64> {
        if self.adopted.is_empty() {
            return None;
        }
        let place = self.adopted.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        Some(self.adopted[place].1)
    }

    /// Gives the number of the last query back.
    ///
    /// # Errors
    /// [`ErrorKind::NotOpen`].
    pub(super) fn unask(&mut self, number: u64) -> Result<()> {
        let place = self.find(number)?;
        if number + 1 != self.next {
            return Err(ErrorKind::NotOpen { number }.into());
        }
        self.close(place);
        self.next = number;
        Ok(())
    }

    /// Closes the query at this place, of which these panels were read. `panels` is room to work
    /// in.
    pub(super) fn release(
        &mut self,
        place: usize,
        query: &Query,
        read: &[u32],
        panels: &mut Vec<u32>,
        layout: &Layout,
    ) {
        panels.clear();
        let was_read = |r: &&Read| r.role != Role::Known && read.contains(&r.panel);
        panels.extend(query.reads.iter().filter(was_read).map(|r| r.panel));
        self.close(place);
        self.bill(panels, layout);
        self.skipped();
    }

    /// The place of an open query in the books.
    ///
    /// # Errors
    /// [`ErrorKind::NotOpen`].
    #[inline]
    pub(super) fn find(&self, number: u64) -> Result<usize> {
        self.open.binary_search(&number).map_err(|_| ErrorKind::NotOpen { number }.into())
    }

    /// Closes the query at this place: what it asked for is free again, and its reads, if they were
    /// made, are on the bill.
    #[inline]
    pub(super) fn close(&mut self, place: usize) {
        let number = self.open.remove(place);
        if !self.adopted.is_empty() {
            self.adopted.retain(|(adopted, _)| *adopted != number);
        }
        self.promised -= self.asked.remove(place);
    }

    /// The queries that are open.
    #[inline]
    pub(super) fn waiting(&self) -> u64 {
        self.open.len() as u64
    }

    /// The queries that were answered or forgotten: a query's number less those before it is how
    /// many were open when it was asked.
    #[inline]
    pub(super) fn closed(&self) -> u64 {
        self.next - self.open.len() as u64
    }

    /// Books the panels read of one example, each as often as it was read; distinct ones are paid
    /// for, and left in some order.
    #[inline]
    pub(super) fn bill(&mut self, panels: &mut Vec<u32>, layout: &Layout) {
        let reads = panels.len() as u64;
        keep_distinct(panels);
        let distinct = panels.len() as u64;
        for &panel in &*panels {
            if let Some(count) = self.of_panels.get_mut(panel as usize) {
                *count += 1;
            }
        }
        self.reads += reads;
        self.distinct += distinct;
        self.max_reads = self.max_reads.max(reads);
        self.spent += if layout.is_priced() {
            panels.sort_unstable();
            panels.iter().map(|&panel| layout.price(panel as usize)).sum()
        } else {
            distinct as f64
        };
    }

    /// Books an answer with this target that was learned from, to a query just closed that was
    /// asked when `asked_at` had been.
    #[inline]
    pub(super) fn learned(&mut self, asked_at: u64, target: f64) {
        self.largest_delay = self.largest_delay.max((self.closed() - 1).saturating_sub(asked_at));
        // Answers of a state older than ranges are unknown: no range then.
        if self.range.is_some() || self.answered == 0 {
            self.range = Some(widened(self.range, target));
        }
        self.answered += 1;
    }

    /// Books an answer with holes.
    pub(super) fn skipped(&mut self) {
        self.skipped += 1;
    }

    /// The variance of the targets learned from, given their sum and that of their squares: what
    /// always predicting their mean costs.
    pub(super) fn variance(&self, sum: f64, squares: f64) -> f64 {
        let examples = self.answered.max(1) as f64;
        (squares / examples - (sum / examples).powi(2)).max(0.0)
    }

    /// The books as a report.
    pub(super) fn report(&self, learner: &str) -> Report {
        Report {
            examples: self.answered,
            skipped: self.skipped,
            reads: self.reads,
            distinct: self.distinct,
            panel_reads: self.of_panels.clone(),
            spent: self.spent,
            max_reads: self.max_reads,
            largest_delay: self.largest_delay,
            unused: self.limit.map(|total| total.saturating_sub(self.reads + self.promised)),
            ..Report::full(learner, Stop::Open, 0, 0)
        }
    }

    /// Completes a saved ledger with what is not saved. Whether its numbers can be true, over so
    /// many panels that can be read and with so many reads to spend.
    pub(super) fn restore(&mut self, panels: usize, limit: Option<u64>) -> bool {
        if self.asked.is_empty() && limit.is_none() {
            // Of an older state, in which nothing depends on them.
            self.asked.resize(self.open.len(), 0);
        }
        self.limit = limit;
        self.promised = self.asked.iter().fold(0, |sum, &asked| sum.saturating_add(asked));
        let Ledger { next, answered, skipped, reads, distinct, max_reads, largest_delay, .. } =
            *self;
        let counts =
            [next, answered, skipped, reads, distinct, max_reads, largest_delay, self.promised];
        let of_panels: u128 = self.of_panels.iter().map(|&n| u128::from(n)).sum();
        counts.iter().all(|&n| n <= LARGEST_COUNT)
            && (self.of_panels.is_empty()
                || (self.of_panels.len() == panels && of_panels == u128::from(distinct)))
            && (0.0..f64::INFINITY).contains(&self.spent)
            && self
                .range
                .is_none_or(|[low, high]| low.is_finite() && high.is_finite() && low <= high)
            && self.asked.len() == self.open.len()
            && self.open.windows(2).all(|w| w[0] < w[1])
            && self.adopted.windows(2).all(|w| w[0].0 < w[1].0)
            && self.adopted.iter().all(|(number, _)| self.open.binary_search(number).is_ok())
            && self.open.last().is_none_or(|&last| last < self.next)
    }
}
