//! Passes a learner's queries on, and holds their price against a total cost.

use crate::data::Layout;
use crate::error::{ErrorKind, Result};
use crate::learner::{AskTell, Query, Role, TellOutcome};
use crate::model::{Fit, Linear, Predictor, Report};
use halfseen_solve::Monitor;
use std::sync::Arc;

/// Sums of prices are rounded: a share of the total cost that is no reason to refuse.
const ROUNDING: f64 = 1e-12;

/// A learner whose queries may cost so much in all.
pub(super) struct Metered {
    pub(super) learner: Box<dyn AskTell>,
    layout: Arc<Layout>,
    /// The limit, where there is one; nothing else is kept without it.
    limit: Option<f64>,
    /// What the reads that were made cost, added up as the learner's own books do.
    spent: f64,
    /// Numbers of the open queries, increasing, and what each costs.
    owed: Vec<(u64, f64)>,
    /// Number and panels of each query told, while somebody wants them.
    pub(super) log: Option<Vec<(u64, Vec<u32>)>>,
}

/// What the distinct reads of a query cost together.
pub(super) fn price(query: &Query, layout: &Layout) -> f64 {
    panels_of(query).into_iter().map(|panel| layout.price(panel as usize)).sum()
}

/// The panels of a query that cost a read, each once, in increasing order.
fn panels_of(query: &Query) -> Vec<u32> {
    let paid = query.reads.iter().filter(|r| r.role != Role::Known);
    let mut panels: Vec<u32> = paid.map(|r| r.panel).collect();
    panels.sort_unstable();
    panels.dedup();
    panels
}

impl Metered {
    pub(super) fn new(learner: Box<dyn AskTell>, layout: &Arc<Layout>) -> Metered {
        let layout = Arc::clone(layout);
        Metered { learner, layout, limit: None, spent: 0.0, owed: Vec::new(), log: None }
    }

    pub(super) fn limit(&self) -> Option<f64> {
        self.limit
    }

    /// Takes a limit from now on, given the queries that are open, in the order of their numbers.
    pub(super) fn set_limit<'a>(
        &mut self,
        limit: Option<f64>,
        open: impl Iterator<Item = &'a Query>,
    ) {
        self.limit = limit;
        self.spent = self.learner.report().spent;
        self.owed.clear();
        if limit.is_some() {
            self.owed.extend(open.map(|query| (query.number, price(query, &self.layout))));
        }
    }

    /// Refuses a price that the limit does not pay for, were all open queries answered.
    pub(super) fn afford(&self, asked: f64) -> Result<()> {
        let (made, open) = (self.spent, self.owed.iter().map(|(_, price)| price).sum::<f64>());
        match self.limit.filter(|total| made + open + asked > total * (1.0 + ROUNDING)) {
            Some(total) => Err(ErrorKind::CostSpent { total, made, open, asked }.into()),
            None => Ok(()),
        }
    }

    /// What panels cost that happen to be observed, or all of them.
    fn price_of(&self, panels: impl Iterator<Item = usize>) -> f64 {
        panels.map(|panel| self.layout.price(panel)).sum()
    }

    fn owe(&mut self, query: &Query) {
        if self.limit.is_some() {
            self.owed.push((query.number, price(query, &self.layout)));
        }
    }

    /// Takes a query off the list; what it costs, where somebody counts.
    fn close(&mut self, number: u64) -> f64 {
        match self.owed.binary_search_by_key(&number, |(number, _)| *number) {
            Ok(place) => self.owed.remove(place).1,
            Err(_) => 0.0,
        }
    }
}

impl AskTell for Metered {
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        if self.limit.is_none() {
            return self.learner.ask_into(query);
        }
        if self.learner.is_passive() {
            // Nothing is drawn, and what a row shows is counted when it is asked about.
            self.afford(self.price_of(0..self.layout.sampled_panels()))?;
        }
        self.learner.ask_into(query)?;
        if let Err(error) = self.afford(price(query, &self.layout)) {
            self.learner.unask(query.number)?;
            query.clear();
            return Err(error);
        }
        self.owe(query);
        Ok(())
    }

    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        self.afford(self.price_of(observed.iter().map(|&panel| panel as usize)))?;
        self.learner.ask_observed_into(observed, query)?;
        self.owe(query);
        Ok(())
    }

    fn adopt(&mut self, query: &Query) -> Result<()> {
        self.afford(price(query, &self.layout))?;
        self.learner.adopt(query)?;
        self.owe(query);
        Ok(())
    }

    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        let told = self.learner.tell(query, values, target)?;
        self.spent += self.close(query.number);
        if let Some(log) = &mut self.log {
            log.push((query.number, query.reads.iter().map(|read| read.panel).collect()));
        }
        Ok(told)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        self.learner.forget(number)?;
        self.close(number);
        Ok(())
    }

    fn unask(&mut self, number: u64) -> Result<()> {
        self.learner.unask(number)?;
        self.close(number);
        Ok(())
    }

    fn release(&mut self, query: &Query, read: &[u32]) -> Result<()> {
        self.learner.release(query, read)?;
        self.close(query.number);
        let made = panels_of(query).into_iter().filter(|panel| read.contains(panel));
        self.spent += self.price_of(made.map(|panel| panel as usize));
        Ok(())
    }

    fn fingerprint(&self) -> u64 {
        self.learner.fingerprint()
    }

    fn asked_and_closed(&self) -> (u64, u64) {
        self.learner.asked_and_closed()
    }

    fn is_passive(&self) -> bool {
        self.learner.is_passive()
    }

    fn takes_holes(&self) -> bool {
        self.learner.takes_holes()
    }

    fn needs_classes(&self) -> bool {
        self.learner.needs_classes()
    }

    fn predictor(&self) -> Linear {
        self.learner.predictor()
    }

    fn model(&self) -> Predictor {
        self.learner.model()
    }

    fn fitted(&self, monitor: &dyn Monitor) -> Result<Fit> {
        self.learner.fitted(monitor)
    }

    fn report(&self) -> Report {
        self.learner.report()
    }

    fn save(&self) -> Result<serde_json::Value> {
        self.learner.save()
    }
}
