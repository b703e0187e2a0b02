//! Takes answers whole or in parts, and tells the learner once they are whole.

use super::{Answer, Kept, Session, Waiting};
use crate::data::{Label, Matrix, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{AskTell, Query, TellOutcome};
use crate::model::Outside;
use crate::prepare::ColumnKind;
use std::collections::BTreeMap;

/// The reason of a cell that is missing in a table.
const NO_CELL: &str = "missing in the table";

impl Waiting {
    pub(super) fn new(query: Query, closed: u64) -> Waiting {
        Waiting { query, answers: BTreeMap::new(), target: None, closed }
    }
}

impl Session {
    /// Answers a query whole: an answer for each of [`Session::attributes_of`], in that order, and
    /// the target, a number or the label of a class. The learner takes one step.
    ///
    /// # Errors
    /// As [`Session::tell_part`]; [`ErrorKind::WrongLength`] for too few or too many answers.
    pub fn tell(
        &mut self,
        query: &Query,
        answers: &[Answer],
        target: &Label,
    ) -> Result<TellOutcome> {
        self.check_panels(query)?;
        let asked = self.asked_in(query);
        if asked.len() != answers.len() {
            let what = "values, one for each attribute that the query names".to_owned();
            let (expected, found) = (asked.len(), answers.len());
            return Err(ErrorKind::WrongLength { what, expected, found }.into());
        }
        let pairs: Vec<(u32, &Answer)> = asked.into_iter().zip(answers).collect();
        self.take(query, &pairs, Some(target))?.ok_or_else(|| not_open(query.number))
    }

    /// Takes what is known so far of a query: some of its answers by attribute, the target, or
    /// both. It is held until every attribute has a value or a reason and the target is there; then
    /// the learner is told, and what it did is returned.
    ///
    /// A value that is missing may still be told while the query is open; the same answer twice is
    /// one. Learners that step skip an example with a missing value, `fiml` learns from the others.
    ///
    /// # Errors
    /// [`ErrorKind::ForeignQuery`] for a query that another copy of the session asked,
    /// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`]; [`ErrorKind::NotAsked`];
    /// [`ErrorKind::AnswerNotFinite`]; [`ErrorKind::OutOfBounds`] where bounds are strict;
    /// [`ErrorKind::ToldOtherwise`] for another value than before; [`ErrorKind::WrongAnswer`] for
    /// an unknown category or class, a query that was changed, or values beyond 1e100. Nothing has
    /// changed then, and the query is still open.
    pub fn tell_part(
        &mut self,
        query: &Query,
        answers: &[(&str, Answer)],
        target: Option<&Label>,
    ) -> Result<Option<TellOutcome>> {
        self.check_panels(query)?;
        let asked = self.asked_in(query);
        let mut pairs = Vec::with_capacity(answers.len());
        for (name, answer) in answers {
            let found = asked.iter().find(|attribute| self.name_of(**attribute) == *name);
            let Some(&attribute) = found else {
                let asked = asked.iter().map(|&a| self.name_of(a).to_owned()).collect();
                let (number, attribute) = (query.number, (*name).to_owned());
                return Err(ErrorKind::NotAsked { number, attribute, asked }.into());
            };
            pairs.push((attribute, answer));
        }
        self.take(query, &pairs, target)
    }

    /// Merges answers into what was told before; tells the learner if that is whole.
    fn take(
        &mut self,
        query: &Query,
        answers: &[(u32, &Answer)],
        target: Option<&Label>,
    ) -> Result<Option<TellOutcome>> {
        let number = query.number;
        let mut waiting = self.waiting(query)?;
        let mut outside = Vec::new();
        for &(attribute, answer) in answers {
            let flagged = self.check_answer(number, attribute as usize, answer)?;
            if let Some(before) = waiting.answers.get(&attribute) {
                if before == answer {
                    continue;
                }
                if !before.gives_way_to(answer) {
                    let name = self.name_of(attribute);
                    return Err(told_otherwise(
                        number,
                        name,
                        before.to_string(),
                        answer.to_string(),
                    ));
                }
            }
            outside.extend(flagged);
            waiting.answers.insert(attribute, answer.clone());
        }
        if let Some(target) = target {
            let code = self.code_of(number, target)?;
            if let Some(before) = waiting.target.filter(|before| *before != code) {
                let (before, now) = (self.label_of(before).to_string(), target.to_string());
                return Err(told_otherwise(number, &self.target, before, now));
            }
            waiting.target = Some(code);
        }
        let whole = self.asked_in(query).iter().all(|a| waiting.answers.contains_key(a));
        let told = match waiting.target.filter(|_| whole) {
            Some(code) => {
                let values = self.scaled(&waiting)?;
                let told = self.learner.tell(query, &values, self.scaled_target(code))?;
                self.open.remove(&number);
                self.unknown.remove(&number);
                self.book(waiting);
                Some(told)
            }
            None => {
                self.open.insert(number, waiting);
                self.unknown.remove(&number);
                None
            }
        };
        self.flag(outside);
        Ok(told)
    }

    /// A copy of what is known of an open query, if this is that query.
    fn waiting(&self, query: &Query) -> Result<Waiting> {
        let (number, learner) = (query.number, self.learner.fingerprint());
        if query.learner != learner {
            let (expected, found) = (learner, query.learner);
            return Err(ErrorKind::WrongLearner { number, expected, found }.into());
        }
        let changed = || {
            let problem = "the query was changed after it was asked".into();
            Error::from(ErrorKind::WrongAnswer { number, problem })
        };
        if let Some(waiting) = self.open.get(&number) {
            if query.asker != waiting.query.asker {
                let (expected, found) = (waiting.query.asker, query.asker);
                return Err(ErrorKind::ForeignQuery { number, expected, found }.into());
            }
            return if *query == waiting.query { Ok(waiting.clone()) } else { Err(changed()) };
        }
        if !self.unknown.contains(&number) {
            return Err(not_open(number));
        }
        // Asked before there were tags: its checksum alone says that it is whole.
        if query.asker != 0 || query.checksum != query.digest() {
            return Err(changed());
        }
        Ok(Waiting::new(query.clone(), self.learner.asked_and_closed().1))
    }

    /// The values of all reads of a query in scaled units, NaN where there is none.
    fn scaled(&self, waiting: &Waiting) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(waiting.query.parts.len());
        let reads = waiting.query.reads.iter();
        for attribute in reads.flat_map(|read| &self.attributes[read.panel as usize]) {
            let (from, at) = (values.len(), *attribute as usize);
            let answer = &waiting.answers[attribute];
            self.prepare.schema.columns[at].push(answer.cell(), &mut values)?;
            for (offset, value) in values[from..].iter_mut().enumerate() {
                *value = self.prepare.scaler.scale(self.first_columns[at] + offset, *value);
            }
        }
        Ok(values)
    }

    /// Counts the reasons of a query that was closed, and keeps its reads where reads are kept.
    pub(super) fn book(&mut self, closed: Waiting) {
        for answer in closed.answers.values() {
            if let Answer::Missing(reason) = answer {
                *self.reasons.entry(reason.clone()).or_default() += 1;
            }
        }
        if let Some(kept) = self.kept.as_mut().filter(|_| !closed.answers.is_empty()) {
            let (number, target) = (closed.query.number, closed.target);
            kept.push(Kept { number, answers: closed.answers.into_iter().collect(), target });
        }
    }

    /// Counts values outside their bounds.
    fn flag(&mut self, outside: Vec<Outside>) {
        for found in outside {
            self.passed.outside_bounds += 1;
            self.passed.first_outside.get_or_insert(found);
        }
    }

    /// Keeps what was read of the rows of a batch, the first of which the first query was about.
    pub(super) fn keep_rows(&mut self, rows: &Matrix, target: &Target) {
        let log = self.learner.log.take().unwrap_or_default();
        let Some(mut kept) = self.kept.take() else { return };
        for (row, (number, panels)) in log.into_iter().enumerate() {
            let attributes = panels.iter().flat_map(|&panel| &self.attributes[panel as usize]);
            let answers: BTreeMap<u32, Answer> =
                attributes.map(|&a| (a, self.cell_of(rows, row, a as usize))).collect();
            let target = match target {
                Target::Numbers(numbers) => numbers[row],
                Target::Classes { codes, .. } => f64::from(codes[row]),
            };
            let answers = answers.into_iter().collect();
            kept.push(Kept { number, answers, target: Some(target) });
        }
        self.kept = Some(kept);
    }

    fn cell_of(&self, rows: &Matrix, row: usize, attribute: usize) -> Answer {
        let first = self.first_columns[attribute];
        let missing = || Answer::Missing(NO_CELL.to_owned());
        match &self.prepare.schema.columns[attribute].kind {
            ColumnKind::Number => {
                let value = rows.get(row, first);
                if value.is_nan() { missing() } else { Answer::Value(value) }
            }
            ColumnKind::Text { categories } => {
                let shown =
                    categories.iter().enumerate().find(|(at, _)| rows.get(row, first + at) == 1.0);
                shown.map_or_else(missing, |(_, category)| Answer::Category(category.clone()))
            }
        }
    }
}

fn not_open(number: u64) -> Error {
    ErrorKind::NotOpen { number }.into()
}

fn told_otherwise(number: u64, attribute: &str, before: String, now: String) -> Error {
    ErrorKind::ToldOtherwise { number, attribute: attribute.to_owned(), before, now }.into()
}
