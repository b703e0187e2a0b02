//! Saves accounts and restores them.

use super::{Entries, LARGEST_COUNT, Ledger, Open};
use crate::asking::saved;
use crate::error::Result;
use serde::Serialize;
use serde_json::Value;

impl Ledger {
    /// Restores the entries from a saved state, from which they are taken, and checks that they are
    /// consistent.
    ///
    /// # Errors
    /// `ErrorKind::BadFile`.
    pub fn resumed(mut self, state: &mut Value) -> Result<Ledger> {
        let entries = state.as_object_mut().and_then(|state| state.remove("ledger"));
        self.entries = saved::state(entries.unwrap_or_default())?;
        let Entries { open, asked, prices, adopted, .. } = &mut self.entries;
        if self.money.is_none() && prices.is_empty() {
            prices.resize(open.len(), 0.0);
        }
        self.promised = asked.iter().fold(0, |sum, &asked| sum.saturating_add(asked));
        let (open, asked, prices, adopted) = (
            std::mem::take(open),
            std::mem::take(asked),
            std::mem::take(prices),
            std::mem::take(adopted),
        );
        let checksum = |number: &u64| {
            let place = adopted.binary_search_by_key(number, |(number, _)| *number);
            place.ok().map(|place| adopted[place].1)
        };
        let query = |((number, reads), price): ((&u64, &u64), &f64)| {
            let adopted = checksum(number);
            Open { number: *number, reads: *reads, price: *price, adopted, shut: false }
        };
        let sound = self.is_sound()
            && asked.len() == open.len()
            && prices.len() == open.len()
            && prices.iter().all(|price| (0.0..f64::INFINITY).contains(price))
            && open.windows(2).all(|w| w[0] < w[1])
            && adopted.windows(2).all(|w| w[0].0 < w[1].0)
            && adopted.iter().all(|(number, _)| open.binary_search(number).is_ok())
            && open.last().is_none_or(|&last| last < self.entries.next)
            && open.len() as u64 + self.entries.elsewhere <= self.entries.next;
        if !sound {
            return Err(saved::untrue());
        }
        self.queries = open.iter().zip(&asked).zip(&prices).map(query).collect();
        if let Some(money) = &mut self.money {
            money.promised = prices.iter().map(|&price| money.units(price)).sum();
        }
        Ok(self)
    }

    /// Returns true if counts and sums are consistent.
    fn is_sound(&self) -> bool {
        let e = &self.entries;
        let of_panels: u128 = e.of_panels.iter().map(|&n| u128::from(n)).sum();
        [e.next, e.answered, e.skipped, e.reads, e.distinct, e.max_reads, e.largest_delay]
            .iter()
            .chain([&self.promised, &e.elsewhere])
            .all(|&n| n <= LARGEST_COUNT)
            && e.of_panels.len() == self.layout.sampled_panels()
            && of_panels == u128::from(e.distinct)
            && e.range.is_some() == (e.answered > 0)
            && (0.0..f64::INFINITY).contains(&e.spent)
            && e.range.is_none_or(|[low, high]| low.is_finite() && high.is_finite() && low <= high)
    }

    /// Returns the whole learner as JSON; `state` is the part outside the ledger.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn save(&self, state: &impl Serialize) -> Result<Value> {
        let open = || self.queries.iter().filter(|query| !query.shut);
        let entries = Entries {
            open: open().map(|query| query.number).collect(),
            asked: open().map(|query| query.reads).collect(),
            prices: open().filter(|_| self.money.is_some()).map(|query| query.price).collect(),
            adopted: open().filter_map(|query| Some((query.number, query.adopted?))).collect(),
            ..self.entries.clone()
        };
        let json = |e: serde_json::Error| saved::bad("state", e.to_string());
        let mut state = serde_json::to_value(state).map_err(json)?;
        state["ledger"] = serde_json::to_value(entries).map_err(json)?;
        saved::wrap(self.name, &self.params, &self.layout, state)
    }
}
