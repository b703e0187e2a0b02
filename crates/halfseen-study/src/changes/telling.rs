//! Takes answers: each value once, whatever the order, the number of files, or the repetitions.

use crate::asking::setup::Unasked;
use crate::database::sql::{Cell, cells, insert};
use crate::error::{Error, RefusedLine, Result};
use crate::schema::{LONGEST_TEXT, Value, check_name, reason_of};
use crate::study::{By, LastAsk, Of, State, Study, Subject, TARGET, again, cells_of, note};
use halfseen::error::short;
use serde::Serialize;

/// Answers about one subject: a row of a file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Answers {
    /// Line of the file, from 1.
    pub line: u64,
    /// Subject.
    pub subject: String,
    /// Number of the ask that is answered; `None`: the subject's last one.
    pub ask: Option<u64>,
    /// Attribute or target, and its value as a person writes it; see
    /// [`Attribute::read`](crate::Attribute::read). An empty text is not told yet.
    pub cells: Vec<(String, String)>,
}

/// Manner in which answers are taken.
#[derive(Debug, Clone, Default)]
pub struct Telling {
    /// Source of the values, such as the name of a file or laboratory.
    pub source: Option<String>,
    /// True if lines that are refused do not keep the others from being stored.
    pub keep_going: bool,
    /// True if nothing is stored, to see what would be.
    pub check_only: bool,
}

/// Outcome of telling answers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Receipt {
    /// Number of lines.
    pub lines: u64,
    /// Number of values that were stored.
    pub stored: u64,
    /// Number of values that were stored before.
    pub repeated: u64,
    /// Number of values stored that nobody asked for.
    pub unasked: u64,
    /// Number of values stored that lie outside of their range.
    pub outside: u64,
    /// Number of asks that are complete now.
    pub completed: u64,
    /// Lines that were refused; nothing of them was stored.
    pub refused: Vec<RefusedLine>,
    /// Values to look at: outside of their range, or not asked for.
    pub flagged: Vec<RefusedLine>,
}

/// A value that passed all checks.
struct Fresh {
    attribute: i64,
    revision: i64,
    value: Value,
    was_asked: bool,
    /// True if its ask waits for it: what is known of every subject may be told without one, and an
    /// attribute that was retired meanwhile is waited for no more.
    is_awaited: bool,
    is_outside: bool,
}

impl Study {
    /// Stores answers in one transaction. A value that is stored already is no change, another value
    /// is refused: [`Study::amend`] corrects it. What could not be had (`NA`) may be told later.
    ///
    /// # Errors
    /// [`Error::Refused`] with every line that was refused, unless they are left out
    /// ([`Telling::keep_going`]) or nothing is stored anyway ([`Telling::check_only`]).
    pub fn tell(&mut self, answers: &[Answers], how: &Telling, by: &By) -> Result<Receipt> {
        if how.source.as_ref().is_some_and(|source| source.len() > LONGEST_TEXT) {
            return Err(Error::setup(format!("a source has at most {LONGEST_TEXT} bytes")));
        }
        again(|| self.tell_once(answers, how, by))
    }

    fn tell_once(&mut self, answers: &[Answers], how: &Telling, by: &By) -> Result<Receipt> {
        let mut receipt = Receipt { lines: answers.len() as u64, ..Receipt::default() };
        self.sql.begin()?;
        let done = self.take_setup().and_then(|()| {
            answers.iter().try_for_each(|row| self.tell_row(row, how, by, &mut receipt))
        });
        let refuses = !receipt.refused.is_empty() && !how.keep_going;
        if done.is_err() || refuses || how.check_only {
            self.sql.roll_back();
            done?;
            if refuses && !how.check_only {
                return Err(Error::Refused { lines: receipt.lines, refused: receipt.refused });
            }
            return Ok(receipt);
        }
        self.sql.commit()?;
        Ok(receipt)
    }

    /// Stores what is known of subjects, who take part from now on: of all, or of none.
    pub(crate) fn enrol(&mut self, rows: &[Answers], by: &By) -> Result<()> {
        if rows.iter().all(|row| row.cells.is_empty()) {
            return Ok(());
        }
        let (mut receipt, how) = (Receipt::default(), Telling::default());
        for row in rows {
            self.join(&row.subject)?;
            let mut is_known = true;
            for (name, _) in &row.cells {
                if !self.attribute(self.place(name)?).known {
                    let (line, subject, problem) = (row.line, row.subject.clone(), not_known(name));
                    receipt.refused.push(RefusedLine { line, subject, problem });
                    is_known = false;
                }
            }
            if is_known && !row.cells.is_empty() {
                self.tell_row(row, &how, by, &mut receipt)?;
            }
        }
        match receipt.refused {
            refused if refused.is_empty() => Ok(()),
            refused => Err(Error::Refused { lines: rows.len() as u64, refused }),
        }
    }

    /// Stores one row, or notes why it is refused; fails only if the store does.
    fn tell_row(
        &mut self,
        row: &Answers,
        how: &Telling,
        by: &By,
        receipt: &mut Receipt,
    ) -> Result<()> {
        let refused =
            |problem: String| RefusedLine { line: row.line, subject: row.subject.clone(), problem };
        let (subject, last, fresh) = match self.checked(row, receipt) {
            Ok(checked) => checked,
            Err(Error::Subject { problem, .. } | Error::Setup { problem }) => {
                receipt.refused.push(refused(problem));
                return Ok(());
            }
            Err(error @ Error::Unknown { .. }) => {
                receipt.refused.push(refused(error.to_string()));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        // Late answers to an ask that was given up are paid now.
        let late = last.as_ref().filter(|last| last.state == State::Released);
        let before = late.map(|last| self.made(subject, last.number)).transpose()?;
        let mut newly = 0;
        for value in &fresh {
            let attribute = self.attribute(value.attribute);
            let shown = format!("{} = {}", short(&attribute.name), attribute.write(&value.value));
            if value.is_outside {
                receipt.outside += 1;
                receipt.flagged.push(refused(format!("{shown} is outside of its range")));
            }
            if !value.was_asked {
                receipt.unasked += 1;
                receipt.flagged.push(refused(format!("{shown} was not asked for")));
            }
            newly += i64::from(value.is_awaited && value.revision == 0);
        }
        receipt.stored += fresh.len() as u64;
        self.insert(subject, &fresh, how.source.as_deref(), by)?;
        if let (Some(last), Some(before)) = (late, before) {
            let after = self.made(subject, last.number)?;
            self.charge((after.0 - before.0, after.1 - before.1))?;
        }
        if newly > 0
            && let Some(last) = last
        {
            receipt.completed += self.count_down(last.number, newly)?;
        }
        Ok(())
    }

    /// Returns the number of reads made for an ask, and their price.
    pub(crate) fn made(&mut self, subject: i64, ask: i64) -> Result<(i64, f64)> {
        let (mut asked, told) = (self.asked_by(ask)?, self.values_of(subject)?);
        asked.retain(|attribute| told.iter().any(|(known, ..)| known == attribute));
        Ok(self.price_of(asked.into_iter()))
    }

    /// Counts what an ask still misses; returns 1 if it is complete now.
    pub(crate) fn count_down(&mut self, ask: i64, newly: i64) -> Result<u64> {
        self.sql
            .run("UPDATE ask SET missing = missing - $1 WHERE number = $2", cells![newly, ask])?;
        let completed = self.sql.run(
            "UPDATE ask SET state = 'complete' WHERE number = $1 AND missing = 0 AND state <> 'complete'",
            cells![ask],
        )?;
        if completed > 0 {
            self.sql.run("UPDATE study SET complete = complete + 1", &[])?;
        }
        Ok(completed as u64)
    }

    fn insert(
        &mut self,
        subject: i64,
        fresh: &[Fresh],
        source: Option<&str>,
        by: &By,
    ) -> Result<()> {
        let cells = |fresh: &Fresh| {
            let [number, category, reason] = cells_of(&fresh.value);
            [
                Cell::Int(subject),
                Cell::Int(fresh.attribute),
                Cell::Int(fresh.revision),
                number,
                category,
                reason,
                Cell::Int(i64::from(fresh.was_asked)),
                Cell::Int(i64::from(fresh.is_outside)),
                Cell::from(&*by.at),
                Cell::from(&*by.who),
                Cell::from(source),
            ]
        };
        let cells: Vec<Cell> = fresh.iter().flat_map(cells).collect();
        insert(&mut *self.sql, "value", 11, &cells)
    }

    /// Returns the subject, its last ask and the new values of a row.
    fn checked(
        &mut self,
        row: &Answers,
        receipt: &mut Receipt,
    ) -> Result<(i64, Option<LastAsk>, Vec<Fresh>)> {
        let wrong = |problem: String| Error::subject(&row.subject, problem);
        check_name("subject", &row.subject).map_err(wrong)?;
        let subject = self.member(&row.subject)?.id;
        let last = self.last_ask(subject)?;
        if let (Some(ask), Some(last)) = (row.ask, &last)
            && ask != last.number as u64
        {
            return Err(wrong(match self.subject_of_ask(ask)? {
                Some(other) if other == row.subject => format!(
                    "ask {ask} was replaced by ask {}; leave the column ask empty, or name the last one",
                    last.number
                ),
                Some(other) => format!(
                    "ask {ask} is of subject '{}'; this subject has ask {}",
                    short(&other),
                    last.number
                ),
                None => format!("there is no ask {ask}; this subject has ask {}", last.number),
            }));
        }
        let asked = match &last {
            Some(last) => self.asked_by(last.number)?,
            None => Vec::new(),
        };
        let before = self.values_of(subject)?;
        let (mut fresh, mut repeated) = (Vec::<Fresh>::new(), 0);
        for (name, text) in row.cells.iter().filter(|(_, text)| !text.trim().is_empty()) {
            let place = self.place(name)?;
            let attribute = self.attribute(place);
            let value = attribute.read(text).map_err(wrong)?;
            if let Some(twice) = fresh.iter().find(|other| other.attribute == place) {
                if twice.value != value {
                    return Err(wrong(format!("'{}' has two values in one line", short(name))));
                }
                continue;
            }
            let known = before.iter().find(|(known, ..)| *known == place);
            let revision = match known {
                Some((_, _, old)) if *old == value => {
                    repeated += 1;
                    continue;
                }
                // What could not be had was had after all.
                Some((_, revision, Value::Missing(_))) => revision + 1,
                Some((_, _, old)) => {
                    let (old, new) = (attribute.write(old), attribute.write(&value));
                    return Err(wrong(format!(
                        "'{}' is {} already, and now {}; `amend` corrects it, with a reason",
                        short(name),
                        short(&old),
                        short(&new)
                    )));
                }
                None => 0,
            };
            let is_awaited = place == TARGET || asked.contains(&place);
            let was_asked = is_awaited || attribute.known;
            if !was_asked && self.setup.unasked == Unasked::Refuse {
                return Err(wrong(format!("'{}' was not asked for", short(name))));
            }
            let is_outside = attribute.is_outside(&value);
            if is_outside && self.setup.strict {
                let (low, high) = (attribute.low, attribute.high);
                let end = |value: Option<f64>| {
                    value.map_or("any".to_owned(), |v| attribute.write(&Value::Number(v)))
                };
                return Err(wrong(format!(
                    "'{}' is {}, outside of its range from {} to {}",
                    short(name),
                    short(text),
                    end(low),
                    end(high)
                )));
            }
            fresh.push(Fresh {
                attribute: place,
                revision,
                value,
                was_asked,
                is_awaited,
                is_outside,
            });
        }
        receipt.repeated += repeated;
        Ok((subject, last, fresh))
    }

    fn subject_of_ask(&mut self, ask: u64) -> Result<Option<String>> {
        crate::database::sql::first(
            &mut *self.sql,
            "SELECT s.name FROM ask a JOIN subject s ON s.id = a.subject WHERE a.number = $1",
            cells![ask as i64],
            |row| row.owned(0),
        )
    }

    /// Corrects a value that is stored, with a reason; the old one stays as an earlier revision.
    ///
    /// # Errors
    /// [`Error::Subject`] if no value is stored, or the value is of another kind; an empty reason.
    pub fn amend(
        &mut self,
        subject: &str,
        attribute: &str,
        text: &str,
        reason: &str,
        by: &By,
    ) -> Result<()> {
        let why = reason_of(reason)?;
        let place = self.place(attribute)?;
        let value =
            self.attribute(place).read(text).map_err(|problem| Error::subject(subject, problem))?;
        let is_outside = self.attribute(place).is_outside(&value);
        self.write(|study| {
            let id = study.member(subject)?.id;
            let before = study.values_of(id)?;
            let Some((_, revision, old)) = before.into_iter().find(|(known, ..)| *known == place)
            else {
                let problem = format!(
                    "no value of '{}' is stored; `tell` stores the first",
                    short(attribute)
                );
                return Err(Error::subject(subject, problem));
            };
            if old == value {
                return Err(Error::subject(
                    subject,
                    format!("'{}' is {} already", short(attribute), short(text)),
                ));
            }
            let was_asked = study.was_asked(id, place, revision)?;
            let (revision, value) = (revision + 1, value.clone());
            let is_awaited = false;
            let fresh =
                Fresh { attribute: place, revision, value, was_asked, is_awaited, is_outside };
            study.insert(id, &[fresh], None, by)?;
            let (attribute, revision) = (Some(place), Some(revision));
            let of = Of { subject: Some(id), attribute, revision, ask: None };
            note(&mut *study.sql, by, "amend", of, Some(why))
        })
    }

    fn was_asked(&mut self, subject: i64, attribute: i64, revision: i64) -> Result<bool> {
        let asked = crate::database::sql::first(
            &mut *self.sql,
            "SELECT was_asked FROM value WHERE subject = $1 AND attribute = $2 AND revision = $3",
            cells![subject, attribute, revision],
            |row| row.int(0) != 0,
        )?;
        Ok(asked.unwrap_or(false))
    }

    /// Takes a subject out of the model, with a reason; `erase` also deletes its values and
    /// overwrites them in the file, or rewrites the database's tables without them. The subject stays in the audit, without values.
    ///
    /// Backups and models that were saved elsewhere are not changed. [`Study::erased`] lists the
    /// subjects to erase again after a backup was restored.
    ///
    /// # Errors
    /// [`Error::Subject`] for one that is unknown or withdrawn already, unless its values are now to
    /// be erased; an empty reason; [`Error::NotOverwritten`].
    pub fn withdraw(&mut self, subject: &str, erase: bool, reason: &str, by: &By) -> Result<()> {
        let why = reason_of(reason)?;
        self.write(|study| {
            let Subject { id, withdrawn } = study
                .subject(subject)?
                .ok_or_else(|| Error::subject(subject, "there is no such subject"))?;
            if withdrawn && !erase {
                return Err(Error::subject(subject, "it was withdrawn already"));
            }
            if !withdrawn {
                if let Some(last) = study.last_ask(id)? {
                    match last.state {
                        State::Open => study.give_up(id, last.number, by, "release", why)?,
                        State::Complete => {
                            study.sql.run("UPDATE study SET complete = complete - 1", &[])?;
                        }
                        State::Released => {}
                    }
                }
                study
                    .sql
                    .run("UPDATE subject SET withdrawn = $1 WHERE id = $2", cells![&*by.at, id])?;
            }
            if erase {
                study.sql.run("DELETE FROM value WHERE subject = $1", cells![id])?;
                // They were made from the values.
                study.sql.run("DELETE FROM cache", &[])?;
                study.design = None;
                study
                    .sql
                    .run("UPDATE subject SET erased = $1 WHERE id = $2", cells![&*by.at, id])?;
            }
            let verb = if erase { "erase" } else { "withdraw" };
            note(&mut *study.sql, by, verb, Of { subject: Some(id), ..Of::default() }, Some(why))
        })?;
        if !erase {
            return Ok(());
        }
        self.sql.vacuum().map_err(|error| Error::NotOverwritten { problem: error.to_string() })
    }

    /// Returns the subjects whose values were erased, with the time.
    ///
    /// # Errors
    /// If the store fails.
    pub fn erased(&mut self) -> Result<Vec<(String, String)>> {
        crate::database::sql::all(
            &mut *self.sql,
            "SELECT name, erased FROM subject WHERE erased IS NOT NULL ORDER BY id",
            &[],
            |row| (row.owned(0), row.owned(1)),
        )
    }
}

/// Refuses a value that is not known of every subject.
pub(crate) fn not_known(name: &str) -> String {
    format!(
        "'{}' is not marked in the schema as known of every subject; leave it out here, `tell` stores answers",
        short(name)
    )
}
