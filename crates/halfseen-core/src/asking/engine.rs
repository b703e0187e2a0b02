//! Implements ask and tell, with the ledger's bookkeeping, once for all engines that draw queries.

use super::admission::check_numbers;
use super::ledger::{Ledger, paid};
use crate::data::Layout;
use crate::error::{ErrorKind, Result};
use crate::learner::{
    Answer, AskTell, ColumnTerm, Query, Read, ReadRole, ReadRows, TellOutcome, ask_then_tell,
    chooses, takes_only_answers,
};
use crate::model::{Fit, Linear, Predictor, Report};
use crate::params::Targets;
use halfseen_solve::Monitor;

/// Part of a learner that is specific to its engine; every implementor is an [`AskTell`].
pub trait Engine: Send {
    /// Returns the accounts of queries and reads.
    fn ledger(&self) -> &Ledger;
    /// Returns the accounts, to be changed.
    fn ledger_mut(&mut self) -> &mut Ledger;

    /// Returns the saved state, ledger included.
    fn saved(&self) -> Result<serde_json::Value>;

    /// Implements [`AskTell::check_numbers`].
    fn numbers(&self) -> Result<()> {
        Ok(())
    }

    /// Implements [`AskTell::classify`].
    fn take_classes(&mut self, classes: usize) -> Result<()> {
        Targets::NumbersOrTwo.check(self.ledger().name, classes)
    }

    /// Counts the panels observed in a row.
    fn see(&mut self, observed: &[u32]) {
        let _ = observed;
    }

    /// Writes the known panels, and the drawn or `observed` ones, to a query just begun.
    fn write(&mut self, query: &mut Query, observed: Option<&[u32]>);

    /// Returns true if a query has the shape of this learner's, or of an adopted one.
    fn could_have_asked(&self, query: &Query, adopted: bool) -> bool;

    /// Learns from an admitted answer unless it carries no information; an error changes nothing.
    fn learn(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome>;

    /// Implements [`AskTell::learn_directly`].
    fn learn_directly(&mut self, rows: &mut dyn ReadRows) -> Option<Result<TellOutcome>> {
        let _ = rows;
        None
    }

    /// Implements [`AskTell::takes_observed`].
    fn observes(&self) -> bool {
        false
    }

    /// Learns from admitted reads of an example, whether asked or not; an error changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Request`].
    fn keep(&mut self, number: u64, cells: &[(u32, f64)], target: Option<f64>) -> Result<()> {
        let _ = (number, cells, target);
        Err(takes_only_answers(self.ledger().name))
    }

    /// Returns the state of a learner that draws the same queries, and need not learn.
    fn saved_to_draw(&self) -> Result<serde_json::Value> {
        self.saved()
    }

    /// Books an answer to the query at this position of the ledger, and renews what is due.
    #[inline]
    fn told(
        &mut self,
        place: usize,
        query: &Query,
        target: f64,
        told: TellOutcome,
    ) -> Result<TellOutcome> {
        self.ledger_mut().book(place, query, target, told);
        if told == TellOutcome::Learned {
            self.renew()?;
        }
        Ok(told)
    }

    /// Renews the norms and draws that are due after an answer was learned from.
    fn renew(&mut self) -> Result<()>;

    /// Returns the current predictor.
    fn present(&self) -> Linear;

    /// Returns the predictor of all answers until now.
    fn present_model(&self) -> Predictor {
        self.present().into()
    }

    /// Returns the current model and the report.
    fn present_fit(&self, monitor: &dyn Monitor) -> Result<Fit> {
        let _ = monitor;
        let report = self.noted(self.ledger().report());
        Ok(Fit { predictor: self.present_model(), report })
    }

    /// Completes the ledger's report.
    fn noted(&self, report: Report) -> Report;
}

impl<E: Engine> AskTell for E {
    #[inline]
    fn ask_into(&mut self, query: &mut Query) -> Result<()> {
        if self.ledger().passive {
            // Every panel counts as observed.
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
            return Err(chooses(self.ledger().name));
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
            // Its panels are all that was observed.
            self.see(&paid(query).collect::<Vec<u32>>());
        }
        Ok(())
    }

    #[inline]
    fn tell(&mut self, query: &Query, values: &[f64], target: f64) -> Result<TellOutcome> {
        let asked = |adopted| self.could_have_asked(query, adopted);
        let place = self.ledger().admit(query, values, target, asked)?;
        let told = self.learn(query, values, target)?;
        self.told(place, query, target, told)
    }

    /// Draws, reads and learns without signing the query, and without looking for changes to it.
    fn learn_from(
        &mut self,
        query: &mut Query,
        values: &mut Vec<f64>,
        answer: &mut Answer<'_>,
    ) -> Result<TellOutcome> {
        if self.ledger().passive {
            return ask_then_tell(self, query, values, answer);
        }
        self.ledger().begin(query);
        self.write(query, None);
        let place = self.ledger_mut().enter(query)?;
        values.clear();
        let told = answer(query, values).and_then(|target| {
            check_numbers(query, values, target)?;
            self.learn(query, values, target).map(|told| (told, target))
        });
        match told {
            Ok((told, target)) => self.told(place, query, target, told),
            Err(error) => {
                self.ledger_mut().close(place);
                Err(error)
            }
        }
    }

    #[inline]
    fn learn_directly(&mut self, rows: &mut dyn ReadRows) -> Option<Result<TellOutcome>> {
        Engine::learn_directly(self, rows)
    }

    fn takes_observed(&self) -> bool {
        self.observes()
    }

    fn observe(&mut self, number: u64, cells: &[(u32, f64)], target: Option<f64>) -> Result<()> {
        if self.observes() {
            self.ledger().admit_observed(number, cells, target)?;
        }
        self.keep(number, cells, target)?;
        self.ledger_mut().observe(number, cells, target);
        let sampled = self.ledger().layout.sampled_slots() as u32;
        // Without a read or a target an example is no answer.
        if target.is_some() && cells.first().is_some_and(|&(slot, _)| slot < sampled) {
            self.renew()?;
        }
        Ok(())
    }

    fn skip_to(&mut self, number: u64) -> Result<()> {
        self.ledger_mut().skip_to(number)
    }

    fn forget(&mut self, number: u64) -> Result<()> {
        let place = self.ledger().find(number)?;
        self.ledger_mut().close(place);
        Ok(())
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

    fn classify(&mut self, classes: usize) -> Result<()> {
        self.take_classes(classes)
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

    fn save_to_draw(&self) -> Result<serde_json::Value> {
        self.saved_to_draw()
    }
}

/// Adds a read without a weight in the product.
#[inline]
pub fn push(
    query: &mut Query,
    layout: &Layout,
    (panel, role, coefficient): (u32, ReadRole, f64),
    centre: impl Fn(usize) -> f64,
) {
    query.reads.push(Read { panel, role, coefficient });
    let part = |slot| ColumnTerm { weight: 0.0, centre: centre(slot) };
    query.parts.extend(layout.slots_of(panel as usize).map(part));
}

/// Adds the known panels, without weights in the product.
pub fn push_known(query: &mut Query, layout: &Layout) {
    for panel in layout.sampled_panels()..layout.panels() {
        push(query, layout, (panel as u32, ReadRole::Known, 1.0), |_| 0.0);
    }
}

/// Refuses panel numbers that are out of range or not increasing.
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
