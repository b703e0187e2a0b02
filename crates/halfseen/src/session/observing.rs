//! Takes what was read of an example, whether or not it was asked for; copies a session for its
//! draws.

use super::file::{draw_tag, open_in};
use super::{Answer, Session};
use crate::data::{Cell, Label};
use crate::error::{Error, ErrorKind, Result, nearest};
use crate::learner::takes_only_answers;
use crate::registry;
use std::collections::{BTreeMap, BTreeSet};

impl Session {
    /// Returns true if [`Session::observe`] works: the learner learns from whatever was read of an
    /// example, whether or not a query asked for it.
    pub fn takes_observed(&self) -> bool {
        self.learner.takes_observed()
    }

    /// Gives the next query this number. Numbers that are passed over count as open: others ask
    /// them, from the same state of the learner.
    ///
    /// # Errors
    /// [`ErrorKind::NumberUsed`] for a number below the present next one;
    /// [`ErrorKind::OutOfRange`] for one of 2^53 or more.
    pub fn skip_to(&mut self, number: u64) -> Result<()> {
        self.learner.skip_to(number)
    }

    /// Learns from what was read of the example of this number, without a query: values in raw
    /// units by attribute, in any order, and the target, or `None` if that is not known, so that
    /// only the attributes are learned from. Known attributes may be among them.
    ///
    /// A panel with an answer counts as read and is paid for; attributes of it without an answer
    /// are missing. Limits on reads and costs are not held against reads that were made. Numbers
    /// increase from call to call: the next query gets the number after this one, and numbers that
    /// are passed over count as forgotten. An example without an answer and without a target
    /// counts nothing.
    ///
    /// What was read may depend on values that were read, and not on others; else the learner is
    /// biased, and nothing in the reads shows it.
    ///
    /// # Errors
    /// [`ErrorKind::Request`] unless [`Session::takes_observed`];
    /// [`ErrorKind::UnknownColumn`]; [`ErrorKind::NumberUsed`]; [`ErrorKind::AnswerNotFinite`];
    /// [`ErrorKind::OutOfBounds`] if bounds are strict; [`ErrorKind::ToldOtherwise`] for two values
    /// of one attribute; [`ErrorKind::WrongAnswer`] for an unknown category or class, or values
    /// beyond 1e100; [`ErrorKind::Request`] for a copy of [`Session::drawing`]. The session is
    /// then unchanged.
    pub fn observe(
        &mut self,
        number: u64,
        answers: &[(&str, Answer)],
        target: Option<&Label>,
    ) -> Result<()> {
        if !self.takes_observed() {
            return Err(takes_only_answers(self.name));
        }
        let (mut given, mut outside) = (BTreeMap::<u32, &Answer>::new(), Vec::new());
        for (name, answer) in answers {
            let attribute = self.find_attribute(name)?;
            match given.get(&attribute).copied() {
                Some(before) if before == answer => continue,
                Some(before @ (Answer::Value(_) | Answer::Category(_))) => {
                    let (before, now) = (before.to_string(), answer.to_string());
                    let attribute = (*name).to_owned();
                    return Err(ErrorKind::ToldOtherwise { number, attribute, before, now }.into());
                }
                Some(Answer::Missing(_)) | None => {}
            }
            outside.extend(self.check_answer(number, attribute as usize, answer)?);
            given.insert(attribute, answer);
        }
        let code = target.map(|target| self.code_of(number, target)).transpose()?;
        let cells = self.cells_of(&given)?;
        self.learner.observe(number, &cells, code.map(|code| self.scaled_target(code)))?;
        let given = given.into_iter().map(|(attribute, answer)| (attribute, answer.clone()));
        self.book_answers(number, given.collect(), code);
        self.flag(outside);
        Ok(())
    }

    fn find_attribute(&self, name: &str) -> Result<u32> {
        let found = self.by_name.binary_search_by(|&attribute| self.name_of(attribute).cmp(name));
        found.map(|place| self.by_name[place]).map_err(|_| self.unknown_attribute(name))
    }

    fn unknown_attribute(&self, name: &str) -> Error {
        let columns = self.prepare.schema.columns.iter();
        let known: Vec<String> = columns.map(|column| column.name.clone()).collect();
        let nearest = nearest(name, &known);
        ErrorKind::UnknownColumn { name: name.to_owned(), nearest, known }.into()
    }

    /// Returns the slots of all panels with one of these attributes and their scaled values, NaN if
    /// missing, by increasing slots.
    fn cells_of(&self, given: &BTreeMap<u32, &Answer>) -> Result<Vec<(u32, f64)>> {
        let first_slot = |&a: &u32| self.layout.slot(self.first_columns[a as usize]);
        let panels: BTreeSet<usize> =
            given.keys().map(|a| self.layout.panel_of(first_slot(a))).collect();
        let (mut cells, mut values) = (Vec::new(), Vec::new());
        for panel in panels {
            values.clear();
            for attribute in &self.attributes[panel] {
                let cell = given.get(attribute).map_or(Cell::Missing, |answer| answer.cell());
                self.push_scaled(*attribute, cell, &mut values)?;
            }
            let slots = self.layout.slots_of(panel).map(|slot| slot as u32);
            cells.extend(slots.zip(values.iter().copied()));
        }
        Ok(cells)
    }

    /// Returns a copy that draws the same next queries, in a file of a few numbers for each
    /// attribute if the learner keeps its reads. It is a session of its own, with a tag and an
    /// identifier that differ: it holds neither the answers of open queries nor kept reads, knows
    /// of open queries only what they promise to read, and takes no answers to them.
    ///
    /// A copy of a learner that keeps its reads holds none: it neither learns nor gives a model.
    ///
    /// # Errors
    /// A number that is not finite.
    pub fn drawing(&self) -> Result<Session> {
        let state = self.learner.save_to_draw()?;
        let learner = registry::with_params(self.name, &self.params)?;
        let (layout, prepare) = (self.layout.clone(), self.prepare.clone());
        let running = registry::load(&state)?;
        let mut copy = Session::over(&*learner, running, layout, prepare, self.target.clone());
        (copy.classes, copy.bounds, copy.strict) =
            (self.classes.clone(), self.bounds.clone(), self.strict);
        (copy.passed, copy.reasons) = (self.passed.clone(), self.reasons.clone());
        copy.unknown = open_in(&state);
        copy.tag = draw_tag();
        // The same for all copies of one session, and none of its own.
        copy.instance = self.instance.rotate_left(32) ^ 0x9E37_79B9_7F4A_7C15;
        copy.total_cost = self.total_cost;
        copy.learner.limit_cost(self.total_cost, &mut std::iter::empty());
        Ok(copy)
    }
}
