//! Draws asks: for a subject one, until it is answered, from the learner's present design.

use crate::asking::design::Design;
use crate::changes::telling::Answers;
use crate::database::sql::{Cell, Row, cells, first, insert};
use crate::error::{Error, Result};
use crate::schema::{check_name, reason_of};
use crate::study::{By, Of, State, Study, TARGET, note};
use halfseen::Monitor;
use halfseen::learner::Query;
use serde::Serialize;

/// The design is renewed when this many times as many asks are complete as when it was made.
const RENEWED: f64 = 1.1;

/// Attributes to read of a subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// Subject.
    pub subject: String,
    /// Number of the ask.
    pub number: u64,
    /// Open, or complete: then nothing is asked.
    pub state: State,
    /// Attributes to read that are not told yet, in the order of the schema.
    pub attributes: Vec<String>,
    /// True if it was drawn by this call.
    pub is_new: bool,
}

/// Subjects that asks are drawn for.
#[derive(Debug, Clone, Copy)]
pub enum Subjects<'a> {
    /// For these subjects; those with an open ask keep it.
    Named(&'a [String]),
    /// For these subjects, with values of attributes that are known of every subject. They are stored
    /// with the asks, as if they were told.
    Known(&'a [Answers]),
    /// For this number of new subjects, which are named by the numbers of their asks: s1, s2, ...
    Count(u64),
}

impl Study {
    /// Returns an ask for each subject: the open one, or one that is drawn now. A subject whose ask
    /// is complete is asked nothing. The first ask of a new wave renews the design from all answers.
    ///
    /// # Errors
    /// [`Error::Spent`] if reads or money do not suffice for all; a withdrawn subject;
    /// [`Error::Refused`] for values of [`Subjects::Known`]. Nothing is asked and stored then.
    pub fn next(
        &mut self,
        subjects: Subjects<'_>,
        wave: Option<&str>,
        by: &By,
        monitor: &dyn Monitor,
    ) -> Result<Vec<Ask>> {
        if let Some(wave) = wave {
            check_name("wave", wave).map_err(Error::setup)?;
        }
        self.write(|study| {
            if let Subjects::Known(rows) = subjects {
                study.enrol(rows, by)?;
            }
            study.renew(wave, monitor)?;
            let (_, reads, money) = study.counts()?;
            let wanted = match subjects {
                Subjects::Named(names) => names.len() as u64,
                Subjects::Known(rows) => rows.len() as u64,
                Subjects::Count(count) => count,
            };
            let mut asks: Vec<Ask> = Vec::new();
            while (asks.len() as u64) < wanted {
                let ask = match subjects {
                    Subjects::Named(names) => study.ask(&names[asks.len()], wave, by),
                    Subjects::Known(rows) => study.ask(&rows[asks.len()].subject, wave, by),
                    Subjects::Count(_) => {
                        let name = study.unused_name()?;
                        study.ask(&name, wave, by)
                    }
                };
                asks.push(ask.map_err(|error| of_call(error, (reads, money), asks.len(), wanted))?);
            }
            Ok(asks)
        })
    }

    /// Returns the number of the next ask, and the reads and the money that are made or asked for.
    fn counts(&mut self) -> Result<(i64, f64, f64)> {
        let counts = "SELECT next_ask, reads, cost FROM study";
        let used = |row: &Row<'_>| (row.int(0), row.int(1) as f64, row.real(2).unwrap_or(0.0));
        Ok(first(&mut *self.sql, counts, &[], used)?.unwrap_or_default())
    }

    /// Returns the name of a new subject.
    fn unused_name(&mut self) -> Result<String> {
        let mut number = self.counts()?.0 + 1;
        while self.subject(&format!("s{number}"))?.is_some() {
            number += 1;
        }
        Ok(format!("s{number}"))
    }

    /// Takes the latest design of the store, and renews it if it is due.
    fn renew(&mut self, wave: Option<&str>, monitor: &dyn Monitor) -> Result<()> {
        let sql = &mut *self.sql;
        let now = "SELECT complete, (SELECT digest FROM cache WHERE kind = 'drawing') FROM study";
        let read = |row: &Row<'_>| (row.int(0), row.text(1).map(str::to_owned));
        let (complete, stored) = first(sql, now, &[], read)?.unwrap_or_default();
        let is_new = match wave {
            Some(wave) => {
                first(sql, "SELECT 1 FROM ask WHERE wave = $1 LIMIT 1", cells![wave], |_| ())?
                    .is_none()
            }
            None => false,
        };
        let made_at = |digest: &str| {
            digest.split(':').next().and_then(|n| n.parse::<i64>().ok()).unwrap_or(0)
        };
        let due = |digest: &str| {
            let made = made_at(digest);
            complete != made
                && (is_new || (complete as f64) >= RENEWED * made as f64 || complete < made)
        };
        if let Some(digest) = stored.filter(|digest| !due(digest)) {
            if self.design.as_ref().is_none_or(|design| design.digest != digest) {
                let text =
                    first(sql, "SELECT content FROM cache WHERE kind = 'drawing'", &[], |row| {
                        row.owned(0)
                    })?;
                let asker = self.setup.asked().asker()?.resumed(&text.unwrap_or_default())?;
                self.design = Some(Design { asker, digest });
            }
            return Ok(());
        }
        let setup = self.setup.asked();
        let (asker, digest) = self.replay(&setup, monitor, |_, _, _| Ok(()))?;
        let digest = format!("{complete}:{digest}");
        let text = asker.drawing()?;
        self.cache("drawing", &digest, &text)?;
        self.design = Some(Design { asker: asker.resumed(&text)?, digest });
        Ok(())
    }

    /// Returns the number of a subject that takes part, from now on if it is new, which is true.
    pub(crate) fn join(&mut self, name: &str) -> Result<(i64, bool)> {
        check_name("subject", name).map_err(|problem| Error::subject(name, problem))?;
        if self.subject(name)?.is_some() {
            return Ok((self.member(name)?.id, false));
        }
        let made = "INSERT INTO subject (name) VALUES ($1) RETURNING id";
        let made = first(&mut *self.sql, made, cells![name], |row| row.int(0))?;
        Ok((made.unwrap_or_default(), true))
    }

    /// Returns the ask of one subject.
    fn ask(&mut self, name: &str, wave: Option<&str>, by: &By) -> Result<Ask> {
        let (subject, is_new) = self.join(name)?;
        let last = if is_new { None } else { self.last_ask(subject)? };
        if let Some(last) = last {
            match last.state {
                State::Released => {
                    self.sql.run("UPDATE ask SET state = 'replaced' WHERE subject = $1 AND state = 'released'", cells![subject])?;
                }
                state => return self.shown(name, subject, last.number, state),
            }
        }
        let (number, reads, money) = self.counts()?;
        let query = self.draw(number)?;
        let names = self.design()?.asker.names_of(&query);
        let mut asked: Vec<i64> =
            names.into_iter().map(|name| self.place(name)).collect::<Result<_>>()?;
        asked.sort_unstable();
        let price = self.price_of(asked.iter().copied());
        self.afford((reads, money), price)?;
        let told = if is_new { Vec::new() } else { self.values_of(subject)? };
        let is_told = |attribute: &i64| told.iter().any(|(known, ..)| known == attribute);
        let missing = asked.iter().chain([&TARGET]).filter(|attribute| !is_told(attribute)).count();
        // An ask of what is known already is complete at once.
        let state = if missing == 0 { "complete" } else { "open" };
        let text = serde_json::to_string(&query).map_err(|e| Error::setup(e.to_string()))?;
        self.sql.run(
            "INSERT INTO ask (number, subject, wave, query, state, missing, at, who) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            cells![number, subject, wave, &*text, state, missing as i64, &*by.at, &*by.who],
        )?;
        let rows: Vec<Cell> =
            asked.iter().flat_map(|at| [Cell::from(number), Cell::from(*at)]).collect();
        insert(&mut *self.sql, "asked", 2, &rows)?;
        self.sql.run(
            "UPDATE study SET next_ask = $1, complete = complete + $2, reads = reads + $3, cost = cost + $4",
            cells![number + 1, i64::from(missing == 0), price.0, price.1],
        )?;
        asked.retain(|attribute| !is_told(attribute));
        Ok(self.as_ask(name, number, State::of(state), &asked, true))
    }

    fn as_ask(&self, name: &str, number: i64, state: State, asked: &[i64], is_new: bool) -> Ask {
        let attributes = asked.iter().map(|&at| self.attribute(at).name.clone()).collect();
        Ask { subject: name.to_owned(), number: number as u64, state, attributes, is_new }
    }

    fn design(&self) -> Result<&Design> {
        self.design.as_ref().ok_or_else(|| Error::setup("no design was made"))
    }

    fn draw(&mut self, number: i64) -> Result<Query> {
        let design = self.design.as_mut().ok_or_else(|| Error::setup("no design was made"))?;
        design.asker.ask(number as u64)
    }

    /// Returns an ask that was made before as a collector sees it.
    fn shown(&mut self, name: &str, subject: i64, number: i64, state: State) -> Result<Ask> {
        let told = self.values_of(subject)?;
        let mut asked = self.asked_by(number)?;
        asked.retain(|attribute| told.iter().all(|(known, ..)| known != attribute));
        Ok(self.as_ask(name, number, state, &asked, false))
    }

    /// Refuses an ask that reads or money do not suffice for.
    fn afford(&self, used: (f64, f64), (reads, cost): (i64, f64)) -> Result<()> {
        let limits = [("total_budget", used.0, reads as f64), ("total_cost", used.1, cost)];
        for (limit, used, next) in limits {
            if let Some(total) = self.setup.limit(limit)
                && used + next > total * (1.0 + 1e-9)
            {
                return Err(Error::Spent { limit, total, used, next, enough: 0, wanted: 1 });
            }
        }
        Ok(())
    }

    /// Gives up the open ask of a subject: what was not read of it may be read elsewhere, late
    /// answers are taken, and the subject may be asked anew.
    ///
    /// # Errors
    /// [`Error::Subject`] without an open ask; an empty reason.
    pub fn release(&mut self, subject: &str, reason: &str, by: &By) -> Result<()> {
        let why = reason_of(reason)?;
        self.write(|study| {
            let id = study.member(subject)?.id;
            match study.last_ask(id)? {
                Some(last) if last.state == State::Open => {
                    study.give_up(id, last.number, by, "release", why)
                }
                _ => Err(Error::subject(subject, "it has no open ask")),
            }
        })
    }

    /// Releases an open ask, with the price of what was not read.
    pub(crate) fn give_up(
        &mut self,
        subject: i64,
        number: i64,
        by: &By,
        verb: &str,
        why: &str,
    ) -> Result<()> {
        let asked = self.asked_by(number)?;
        let (reads, cost) = self.price_of(asked.into_iter());
        let made = self.made(subject, number)?;
        self.charge((made.0 - reads, made.1 - cost))?;
        self.sql.run("UPDATE ask SET state = 'released' WHERE number = $1", cells![number])?;
        note(
            &mut *self.sql,
            by,
            verb,
            Of { subject: Some(subject), ask: Some(number), ..Of::default() },
            Some(why),
        )
    }

    /// Stores what can be computed again.
    pub(crate) fn cache(&mut self, kind: &str, digest: &str, content: &str) -> Result<()> {
        self.sql.run("DELETE FROM cache WHERE kind = $1", cells![kind])?;
        self.sql
            .run("INSERT INTO cache VALUES ($1, $2, $3)", cells![kind, digest, content])
            .map(drop)
    }
}

/// Returns the error of a call for several subjects: nothing of it is stored, so that its own asks
/// are not among those that were made.
fn of_call(error: Error, before: (f64, f64), enough: usize, wanted: u64) -> Error {
    match error {
        Error::Spent { limit, total, next, .. } => {
            let used = if limit == "total_cost" { before.1 } else { before.0 };
            Error::Spent { limit, total, used, next, enough, wanted }
        }
        other => other,
    }
}
