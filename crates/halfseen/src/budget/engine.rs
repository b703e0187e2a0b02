//! Asks, adopts, admits answers, bills, closes and saves: once, for every engine that draws queries
//! and learns from answers.

use super::ledger::{Ledger, paid};
use crate::data::Layout;
use crate::error::{ErrorKind, Result};
use crate::learner::{AskTell, ColumnTerm, Query, Read, Role, TellOutcome};
use crate::model::{Fit, Linear, Predictor, Report};
use halfseen_solve::Monitor;

/// What is an engine's own. Whatever has it asks and is told.
pub(super) trait Engine: Send {
    fn ledger(&self) -> &Ledger;
    fn ledger_mut(&mut self) -> &mut Ledger;

    /// The ledger with what else is saved.
    fn saved(&self) -> Result<serde_json::Value>;

    /// As [`AskTell::check_numbers`].
    fn numbers(&self) -> Result<()> {
        Ok(())
    }

    /// Counts what a row happens to show.
    fn see(&mut self, observed: &[u32]) {
        let _ = observed;
    }

    /// Writes the next query, which is begun: what is known, and what is drawn, or `observed`.
    fn write(&mut self, query: &mut Query, observed: Option<&[u32]>);

    /// Whether a query has the shape of this learner's, or of one that was adopted.
    fn could_have_asked(&self, query: &Query, adopted: bool) -> bool;

    /// Learns from an answer that was admitted, unless that teaches nothing; changes nothing where
    /// it fails.
    fn learn(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome>;

    /// Makes anew what is made anew now and then, after an answer that was learned from.
    fn renew(&mut self) -> Result<()>;

    /// The predictor learned so far.
    fn present(&self) -> Linear;

    /// The same with all that it knows.
    fn present_model(&self) -> Predictor {
        self.present().into()
    }

    /// The same, with the report.
    fn present_fit(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let _ = monitor;
        let report = self.noted(self.ledger().report());
        Ok(Fit { predictor: self.present_model(), report })
    }

    /// The ledger's report with what the engine knows.
    fn noted(&self, report: Report) -> Report;
}

impl<E: Engine> AskTell for E {
    #[inline]
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        if self.ledger().passive {
            // All of it happens to be observed.
            let all: Vec<u32> = (0..self.ledger().layout.sampled_panels() as u32).collect();
            return self.ask_observed_into(&all, query);
        }
        self.ledger().begin(query);
        self.write(query, None);
        self.ledger_mut().open(query)
    }

    fn ask_observed_into(&mut self, observed: &[u32], query: &mut Query) -> Result<()> {
        query.clear();
        if !self.ledger().passive {
            return Err(ErrorKind::Chooses { learner: self.ledger().name.to_owned() }.into());
        }
        check_observed(observed, &self.ledger().layout)?;
        self.ledger().afford_panels(observed)?;
        self.see(observed);
        self.ledger().begin(query);
        self.write(query, Some(observed));
        self.ledger_mut().open(query)
    }

    fn adopt(&mut self, query: &Query) -> Result<()> {
        self.ledger().check_adoptable(query, |adopted| self.could_have_asked(query, adopted))?;
        self.ledger_mut().adopt(query)?;
        if self.ledger().passive {
            // What it names is all that was observed.
            self.see(&paid(query).collect::<Vec<u32>>());
        }
        Ok(())
    }

    #[inline]
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        let asked = |adopted| self.could_have_asked(query, adopted);
        let place = self.ledger().admit(query, values, target, asked)?;
        let told = self.learn(query, values, target)?;
        self.ledger_mut().book(place, query, target, told);
        if told == TellOutcome::Learned {
            self.renew()?;
        }
        Ok(told)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.ledger().find(number)?;
        self.ledger_mut().close(place);
        Ok(())
    }

    fn release(&mut self, query: &Query, read: &[u32]) -> Result<()> {
        let place = self.ledger().find_whole(query)?;
        self.ledger_mut().release(place, query, read);
        Ok(())
    }

    fn limit_cost(&mut self, total: Option<f64>, open: &mut dyn Iterator<Item = &Query>) {
        self.ledger_mut().limit_cost(total, open);
    }

    fn fingerprint(&self) -> u64 {
        self.ledger().fingerprint
    }

    fn asked_and_closed(&self) -> (u64, u64) {
        (self.ledger().asked(), self.ledger().closed())
    }

    fn is_passive(&self) -> bool {
        self.ledger().passive
    }

    fn takes_holes(&self) -> bool {
        self.ledger().holes
    }

    fn check_numbers(&self) -> Result<()> {
        self.numbers()
    }

    fn predictor(&self) -> Linear {
        self.present()
    }

    fn model(&self) -> Predictor {
        self.present_model()
    }

    fn fitted(&self, monitor: &dyn Monitor) -> Result<Fit> {
        self.present_fit(monitor)
    }

    fn report(&self) -> Report {
        self.noted(self.ledger().report())
    }

    fn save(&self) -> Result<serde_json::Value> {
        self.saved()
    }
}

/// Adds a read of which no product is estimated.
#[inline]
pub(super) fn push(
    query: &mut Query,
    layout: &Layout,
    (panel, role, coefficient): (u32, Role, f64),
    centre: impl Fn(usize) -> f64,
) {
    query.reads.push(Read { panel, role, coefficient });
    let part = |slot| ColumnTerm { weight: 0.0, centre: centre(slot) };
    query.parts.extend(layout.slots_of(panel as usize).map(part));
}

/// Adds what is known of the example, as values of which no product is estimated.
pub(super) fn push_known(query: &mut Query, layout: &Layout) {
    for panel in layout.sampled_panels()..layout.panels() {
        push(query, layout, (panel as u32, Role::Known, 1.0), |_| 0.0);
    }
}

/// Refuses panels that cannot be what a row shows.
fn check_observed(observed: &[u32], layout: &Layout) -> Result<()> {
    let panels = layout.sampled_panels();
    let sound = observed.windows(2).all(|w| w[0] < w[1])
        && observed.last().is_none_or(|&last| (last as usize) < panels);
    if sound {
        return Ok(());
    }
    let value = observed.iter().take(20).map(u32::to_string).collect::<Vec<_>>().join(",");
    let allowed = format!("increasing numbers of panels that can be read, below {panels}");
    Err(ErrorKind::OutOfRange { name: "observed", value, allowed }.into())
}
