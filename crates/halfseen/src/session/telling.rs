//! Takes complete or partial answers, and tells the learner when they are complete.

use super::{Answer, Kept, Session, Waiting};
use crate::data::{Cell, Label, Matrix, Target};
use crate::error::{Error, ErrorKind, Result};
use crate::learner::{Query, TellOutcome};
use crate::model::Outside;
use crate::prepare::ColumnKind;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reason of a missing cell in a table.
const NO_CELL: &str = "missing in the table";

impl Session {
    /// Answers a query completely: an answer for each of [`Session::attributes_of`], in that order,
    /// and the target, a number or the label of a class. The learner takes one step.
    ///
    /// # Errors
    /// As [`Session::tell_part`]; [`ErrorKind::WrongLength`] for a wrong number of answers.
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
        let answers = asked.into_iter().zip(answers);
        self.take(query, answers, Some(target))?.ok_or_else(|| not_open(query.number))
    }

    /// Takes partial answers to a query: some of its answers by attribute, the target, or both.
    /// They are held until every attribute has a value or a reason and the target is known; then
    /// the learner is told, and the outcome is returned.
    ///
    /// A missing value may be replaced while the query is open; repeated answers have no effect.
    /// Learners with one step per row skip an example with a missing value, `fiml` learns from the
    /// others.
    ///
    /// # Errors
    /// [`ErrorKind::ForeignQuery`] for a query of another copy of the session,
    /// [`ErrorKind::WrongLearner`], [`ErrorKind::NotOpen`]; [`ErrorKind::NotAsked`];
    /// [`ErrorKind::AnswerNotFinite`]; [`ErrorKind::OutOfBounds`] if bounds are strict;
    /// [`ErrorKind::ToldOtherwise`] for a value other than before; [`ErrorKind::WrongAnswer`] for
    /// an unknown category or class, an edited query, or values beyond 1e100. The session is then
    /// unchanged, and the query still open.
    pub fn tell_part(
        &mut self,
        query: &Query,
        answers: &[(&str, Answer)],
        target: Option<&Label>,
    ) -> Result<Option<TellOutcome>> {
        self.check_panels(query)?;
        let mut pairs = Vec::with_capacity(answers.len());
        for (name, answer) in answers {
            let attribute = self.named(query, name).ok_or_else(|| self.not_asked(query, name))?;
            pairs.push((attribute, answer));
        }
        self.take(query, pairs.into_iter(), target)
    }

    fn not_asked(&self, query: &Query, name: &str) -> Error {
        let asked = self.asked_in(query).into_iter().map(|a| self.name_of(a).to_owned()).collect();
        ErrorKind::NotAsked { number: query.number, attribute: name.to_owned(), asked }.into()
    }

    /// Merges answers with earlier ones; tells the learner if they are complete.
    fn take<'a>(
        &mut self,
        query: &Query,
        answers: impl Iterator<Item = (u32, &'a Answer)>,
        target: Option<&Label>,
    ) -> Result<Option<TellOutcome>> {
        let number = query.number;
        let waiting = self.waiting(query)?;
        // New answers, and those of them outside their bounds.
        let (mut fresh, mut outside) = (BTreeMap::new(), Vec::new());
        let mut missing = waiting.asked.len() - waiting.answers.len();
        for (attribute, answer) in answers {
            if waiting.asked.binary_search(&attribute).is_err() {
                return Err(self.not_asked(query, self.name_of(attribute)));
            }
            let flagged = self.check_answer(number, attribute as usize, answer)?;
            let before = fresh.get(&attribute).copied();
            match before.or_else(|| waiting.answers.get(&attribute)) {
                Some(before) if before == answer => continue,
                Some(before @ (Answer::Value(_) | Answer::Category(_))) => {
                    let (before, now) = (before.to_string(), answer.to_string());
                    return Err(told_otherwise(number, self.name_of(attribute), before, now));
                }
                Some(Answer::Missing(_)) => {}
                None => missing -= 1,
            }
            outside.extend(flagged);
            fresh.insert(attribute, answer);
        }
        let code = target.map(|target| self.code_of(number, target)).transpose()?;
        if let (Some(before), Some(code), Some(now)) = (waiting.target, code, target)
            && before != code
        {
            let (before, now) = (self.label_of(before).to_string(), now.to_string());
            return Err(told_otherwise(number, &self.target, before, now));
        }
        let code = waiting.target.or(code);
        let answer = |attribute| {
            fresh.get(&attribute).copied().unwrap_or_else(|| &waiting.answers[&attribute])
        };
        let whole = match code.filter(|_| missing == 0) {
            Some(code) => Some((self.scaled(query, answer)?, self.scaled_target(code))),
            None => None,
        };
        drop(waiting);
        let told = match whole {
            Some((values, target)) => Some(self.learner.tell(query, &values, target)?),
            None => None,
        };
        self.unknown.remove(&number);
        let mut waiting = self.open.remove(&number).unwrap_or_else(|| self.waiting_for(query));
        waiting.answers.extend(fresh.into_iter().map(|(a, answer)| (a, answer.clone())));
        waiting.target = code;
        match told {
            Some(_) => self.book(waiting),
            None => drop(self.open.insert(number, waiting)),
        }
        self.flag(outside);
        Ok(told)
    }

    /// Returns the state of an open query, after checking that `query` is unchanged.
    fn waiting(&self, query: &Query) -> Result<Cow<'_, Waiting>> {
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
            return if *query == waiting.query {
                Ok(Cow::Borrowed(waiting))
            } else {
                Err(changed())
            };
        }
        if !self.unknown.contains(&number) {
            return Err(not_open(number));
        }
        // Asked before tags existed: only its checksum shows that it is unchanged.
        if query.asker != 0 || query.checksum != query.digest() {
            return Err(changed());
        }
        Ok(Cow::Owned(self.waiting_for(query)))
    }

    /// Returns the state of a query without answers.
    pub(super) fn waiting_for(&self, query: &Query) -> Waiting {
        let (asked, (_, closed)) = (self.sorted_in(query), self.learner.asked_and_closed());
        Waiting { query: query.clone(), asked, answers: BTreeMap::new(), target: None, closed }
    }

    /// Returns the attributes of a query, each once, increasing.
    pub(super) fn sorted_in(&self, query: &Query) -> Vec<u32> {
        let mut asked = self.asked_in(query);
        asked.sort_unstable();
        asked
    }

    /// Returns the values of all reads of a query in scaled units, NaN if missing.
    fn scaled<'a>(&self, query: &Query, answer: impl Fn(u32) -> &'a Answer) -> Result<Vec<f64>> {
        let mut values = Vec::with_capacity(query.parts.len());
        let reads = query.reads.iter();
        for &attribute in reads.flat_map(|read| &self.attributes[read.panel as usize]) {
            self.push_scaled(attribute, answer(attribute).cell(), &mut values)?;
        }
        Ok(values)
    }

    /// Adds the columns of an attribute in scaled units, NaN if missing.
    pub(super) fn push_scaled(
        &self,
        attribute: u32,
        cell: Cell<'_>,
        values: &mut Vec<f64>,
    ) -> Result<()> {
        let (from, at) = (values.len(), attribute as usize);
        self.prepare.schema.columns[at].push(cell, values)?;
        for (offset, value) in values[from..].iter_mut().enumerate() {
            *value = self.prepare.scaler.scale(self.first_columns[at] + offset, *value);
        }
        Ok(())
    }

    /// Counts the reasons of a closed query, and keeps its reads if reads are kept.
    pub(super) fn book(&mut self, closed: Waiting) {
        self.book_answers(closed.query.number, closed.answers, closed.target);
    }

    /// Counts the reasons of an example's answers, and keeps these if reads are kept.
    pub(super) fn book_answers(
        &mut self,
        number: u64,
        answers: BTreeMap<u32, Answer>,
        target: Option<f64>,
    ) {
        for answer in answers.values() {
            if let Answer::Missing(reason) = answer {
                *self.reasons.entry(reason.clone()).or_default() += 1;
            }
        }
        if let Some(kept) = self.kept.as_mut().filter(|_| !answers.is_empty()) {
            kept.push(Kept { number, answers: answers.into_iter().collect(), target });
        }
    }

    /// Counts values outside their bounds.
    pub(super) fn flag(&mut self, outside: Vec<Outside>) {
        for found in outside {
            self.passed.outside_bounds += 1;
            self.passed.first_outside.get_or_insert(found);
        }
    }

    /// Keeps the reads of a batch; the first query was about its first row.
    pub(super) fn keep_rows(&mut self, log: Vec<(u64, Vec<u32>)>, rows: &Matrix, target: &Target) {
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
