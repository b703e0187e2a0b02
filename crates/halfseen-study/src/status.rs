//! Reports the state of a study: subjects, asks, reads and money, what was never read together.

use crate::changes::drawing::Ask;
use crate::database::sql::{all, cells, first};
use crate::error::Result;
use crate::replay::Queries;
use crate::schema::Value;
use crate::study::{By, State, Study, TARGET, seconds};
use serde::Serialize;
use std::collections::HashSet;

/// Number of pairs that are listed.
const LISTED: usize = 20;
/// Most attributes for which pairs are counted.
const MOST: usize = 2_000;

/// State of a study.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Status {
    /// Name of the learner.
    pub learner: String,
    /// Name of the target.
    pub target: String,
    /// Number of subjects, those withdrawn included.
    pub subjects: u64,
    /// Number of subjects withdrawn.
    pub withdrawn: u64,
    /// Number of asks that are open.
    pub open: u64,
    /// Number of open asks of which something is told.
    pub partial: u64,
    /// Number of asks that are complete.
    pub complete: u64,
    /// Number of asks that were given up.
    pub released: u64,
    /// Age of the oldest open ask, and the median, in days.
    pub oldest_days: Option<f64>,
    /// Median age of the open asks, in days.
    pub median_days: Option<f64>,
    /// Number of values that could not be had.
    pub missing: u64,
    /// Number of present values outside of their range.
    pub outside: u64,
    /// Number of present values that nobody asked for.
    pub unasked: u64,
    /// Number of values that were amended.
    pub amended: u64,
    /// Reads that are made or asked for, their limit and what is left.
    pub reads: Spending,
    /// The same in money.
    pub cost: Spending,
    /// Attributes that were never read.
    pub never_read: Vec<String>,
    /// Number of pairs of attributes that no subject shows together, `None` for very many attributes.
    pub pairs_apart: Option<u64>,
    /// The first of them.
    pub apart: Vec<(String, String)>,
}

/// Use of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spending {
    /// Made.
    pub made: f64,
    /// Asked for and not told yet.
    pub promised: f64,
    /// Limit, `None` without one.
    pub limit: Option<f64>,
    /// Remainder of it.
    pub left: Option<f64>,
}

/// An open ask, with its age.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Pending {
    /// The ask, with what is still to be read.
    #[serde(flatten)]
    pub ask: Ask,
    /// True if the target is still to be told.
    pub wants_target: bool,
    /// Wave of the ask.
    pub wave: Option<String>,
    /// Time of the ask.
    pub asked: String,
    /// Age in days.
    pub days: f64,
}

impl Study {
    /// Returns the open asks, oldest first; with a limit only those that are as many days old.
    ///
    /// # Errors
    /// If the store fails.
    pub fn pending(&mut self, older_than_days: Option<f64>, now: &By) -> Result<Vec<Pending>> {
        self.read(|study| study.pending_now(older_than_days, now))
    }

    fn pending_now(&mut self, older_than_days: Option<f64>, now: &By) -> Result<Vec<Pending>> {
        let rows = all(
            &mut *self.sql,
            "SELECT s.name, s.id, a.number, a.wave, a.at FROM ask a JOIN subject s ON s.id = a.subject WHERE a.state = 'open' ORDER BY a.number",
            &[],
            |row| {
                (row.owned(0), row.int(1), row.int(2), row.text(3).map(str::to_owned), row.owned(4))
            },
        )?;
        let mut pending = Vec::new();
        for (subject, id, number, wave, asked) in rows {
            let days = age(&asked, now);
            if older_than_days.is_some_and(|limit| days < limit) {
                continue;
            }
            let told = self.values_of(id)?;
            let is_told = |at: i64| told.iter().any(|(known, ..)| *known == at);
            let missing: Vec<i64> =
                self.asked_by(number)?.into_iter().filter(|at| !is_told(*at)).collect();
            let attributes = missing.iter().map(|&at| self.attribute(at).name.clone()).collect();
            let ask = Ask {
                subject,
                number: number as u64,
                state: State::Open,
                attributes,
                is_new: false,
            };
            pending.push(Pending { ask, wants_target: !is_told(TARGET), wave, asked, days });
        }
        Ok(pending)
    }

    /// Returns the state of the study.
    ///
    /// # Errors
    /// If the store fails.
    pub fn status(&mut self, now: &By) -> Result<Status> {
        self.read(|study| study.status_now(now))
    }

    fn status_now(&mut self, now: &By) -> Result<Status> {
        let sql = &mut *self.sql;
        let mut count = |statement: &str| {
            first(sql, statement, &[], |row| row.int(0) as u64).map(Option::unwrap_or_default)
        };
        let (subjects, withdrawn) = (
            count("SELECT count(*) FROM subject")?,
            count("SELECT count(*) FROM subject WHERE withdrawn IS NOT NULL")?,
        );
        let open = count("SELECT count(*) FROM ask WHERE state = 'open'")?;
        let complete = count("SELECT complete FROM study")?;
        let released = count("SELECT count(*) FROM ask WHERE state = 'released'")?;
        let amended = count("SELECT count(*) FROM event WHERE verb = 'amend'")?;
        let partial = count(
            "SELECT count(*) FROM ask a WHERE a.state = 'open' AND EXISTS (SELECT 1 FROM value v WHERE v.subject = a.subject)",
        )?;
        let mut ages: Vec<f64> = all(sql, "SELECT at FROM ask WHERE state = 'open'", &[], |row| {
            age(row.text(0).unwrap_or_default(), now)
        })?;
        ages.sort_unstable_by(f64::total_cmp);
        let (reads, cost) = self.spending()?;
        let coverage = self.coverage()?;
        Ok(Status {
            learner: self.setup.learner.clone(),
            target: self.setup.schema.target.name.clone(),
            subjects,
            withdrawn,
            open,
            partial,
            complete,
            released,
            oldest_days: ages.last().copied(),
            median_days: ages.get(ages.len() / 2).copied(),
            amended,
            reads,
            cost,
            ..coverage
        })
    }

    /// Returns what was made, promised and left of reads and money.
    pub(crate) fn spending(&mut self) -> Result<(Spending, Spending)> {
        let used = first(&mut *self.sql, "SELECT reads, cost FROM study", &[], |row| {
            (row.int(0) as f64, row.real(1).unwrap_or(0.0))
        })?;
        let (reads, cost) = used.unwrap_or_default();
        let mut promised = (0.0, 0.0);
        let open = all(
            &mut *self.sql,
            "SELECT number, subject FROM ask WHERE state = 'open'",
            &[],
            |row| (row.int(0), row.int(1)),
        )?;
        for (number, subject) in open {
            let asked = self.asked_by(number)?;
            let asked = self.price_of(asked.into_iter());
            let made = self.made(subject, number)?;
            promised.0 += (asked.0 - made.0) as f64;
            promised.1 += asked.1 - made.1;
        }
        let spending = |used: f64, promised: f64, limit: &str| {
            let limit = self.setup.limit(limit);
            let left = limit.map(|limit| (limit - used).max(0.0));
            Spending { made: used - promised, promised, limit, left }
        };
        Ok((spending(reads, promised.0, "total_budget"), spending(cost, promised.1, "total_cost")))
    }

    /// Counts values by kind, and pairs of attributes that no subject shows together.
    fn coverage(&mut self) -> Result<Status> {
        let attributes = self.setup.schema.attributes.len();
        let is_asked = |at: &usize| !self.setup.schema.attributes[*at].retired;
        let asked: Vec<usize> = (0..attributes).filter(is_asked).collect();
        let mut read = vec![false; attributes];
        let mut together = (attributes <= MOST).then(HashSet::new);
        let (mut missing, mut outside, mut unasked) = (0, 0, 0);
        let setup = self.setup.clone();
        let mut shown = Vec::new();
        self.each_example(Queries::Left, |example| {
            shown.clear();
            for (at, value, asked) in &example.values {
                unasked += u64::from(!asked);
                if matches!(value, Value::Missing(_)) {
                    missing += 1;
                    continue;
                }
                let place = usize::try_from(*at).ok();
                let attribute =
                    place.map_or(&setup.schema.target, |place| &setup.schema.attributes[place]);
                outside += u64::from(attribute.is_outside(value));
                if let Some(place) = place {
                    read[place] = true;
                    if !attribute.retired {
                        shown.push(place as u32);
                    }
                }
            }
            if let Some(together) = &mut together {
                for (i, first) in shown.iter().enumerate() {
                    together.extend(shown[i + 1..].iter().map(|second| (*first, *second)));
                }
            }
            Ok(())
        })?;
        let name = |at: usize| setup.schema.attributes[at].name.clone();
        let mut apart = Vec::new();
        if let Some(together) = &together {
            let pairs = asked
                .iter()
                .enumerate()
                .flat_map(|(at, i)| asked[at + 1..].iter().map(move |j| (*i, *j)));
            let unseen = pairs.filter(|(i, j)| !together.contains(&(*i as u32, *j as u32)));
            apart = unseen.take(LISTED).map(|(i, j)| (name(i), name(j))).collect();
        }
        let all = (asked.len() * asked.len().saturating_sub(1) / 2) as u64;
        let spending = Spending { made: 0.0, promised: 0.0, limit: None, left: None };
        Ok(Status {
            learner: String::new(),
            target: String::new(),
            subjects: 0,
            withdrawn: 0,
            open: 0,
            partial: 0,
            complete: 0,
            released: 0,
            oldest_days: None,
            median_days: None,
            missing,
            outside,
            unasked,
            amended: 0,
            reads: spending,
            cost: spending,
            never_read: asked.iter().filter(|at| !read[**at]).map(|at| name(*at)).collect(),
            pairs_apart: together.map(|together| all - together.len() as u64),
            apart,
        })
    }

    /// Returns what is wrong with the store, a line each; none if it is sound: the file itself,
    /// counts against what they count, queries against their checksums.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn check(&mut self) -> Result<Vec<String>> {
        self.read(Study::problems)
    }

    fn problems(&mut self) -> Result<Vec<String>> {
        let mut problems = self.sql.integrity()?;
        let asks = all(
            &mut *self.sql,
            "SELECT number, subject, state, missing, query FROM ask ORDER BY number",
            &[],
            |row| (row.int(0), row.int(1), row.owned(2), row.int(3), row.owned(4)),
        )?;
        let (mut reads, mut cost, mut complete) = (0, 0.0, 0);
        for (place, (number, subject, state, missing, query)) in asks.iter().enumerate() {
            if *number != place as i64 {
                problems.push(format!(
                    "ask {number} follows ask {}: numbers have a gap",
                    place as i64 - 1
                ));
                break;
            }
            match serde_json::from_str::<halfseen::learner::Query>(query) {
                Ok(query) if query.checksum == query.digest() && query.number == *number as u64 => {
                }
                _ => problems.push(format!("the query of ask {number} was changed")),
            }
            let asked = self.asked_by(*number)?;
            let gone = first(
                &mut *self.sql,
                "SELECT withdrawn, erased FROM subject WHERE id = $1",
                cells![*subject],
                |row| (row.text(0).is_some(), row.text(1).is_some()),
            )?;
            let (withdrawn, erased) = gone.unwrap_or_default();
            let told = self.values_of(*subject)?;
            let misses = asked
                .iter()
                .chain([&TARGET])
                .filter(|at| told.iter().all(|(known, ..)| known != *at))
                .count() as i64;
            if misses != *missing && !erased && state != "replaced" {
                problems.push(format!(
                    "ask {number} says that {missing} values are missing, and {misses} are"
                ));
            }
            complete += i64::from(state == "complete" && !withdrawn);
            let price = match state.as_str() {
                "open" | "complete" => self.price_of(asked.into_iter()),
                _ => self.made(*subject, *number)?,
            };
            // What was read of an erased subject is not known any more.
            if !(erased && state == "released") {
                reads += price.0;
                cost += price.1;
            }
        }
        let stored = first(
            &mut *self.sql,
            "SELECT complete, next_ask, reads, cost FROM study",
            &[],
            |row| (row.int(0), row.int(1), row.int(2), row.real(3).unwrap_or(0.0)),
        )?;
        let (counted, next, charged, paid) = stored.unwrap_or_default();
        if counted != complete {
            problems.push(format!(
                "the study counts {counted} complete asks, and there are {complete}"
            ));
        }
        if next != asks.len() as i64 {
            problems
                .push(format!("the next ask is number {next}, and there are {} asks", asks.len()));
        }
        // A subject's replaced and erased asks keep what was charged.
        let exact =
            asks.iter().all(|(_, _, state, ..)| state != "replaced") && self.erased()?.is_empty();
        if exact && (charged != reads || (paid - cost).abs() > 1e-6 * cost.abs().max(1.0)) {
            problems.push(format!(
                "the study counts {charged} reads for {paid}, and there are {reads} for {cost}"
            ));
        }
        Ok(problems)
    }
}

/// Returns the days from a time to now, 0 if a clock went back.
fn age(at: &str, now: &By) -> f64 {
    let between = seconds(&now.at).zip(seconds(at)).map_or(0, |(now, at)| now - at);
    between.max(0) as f64 / 86_400.0
}
