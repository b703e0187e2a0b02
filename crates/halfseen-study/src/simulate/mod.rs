//! Plays a whole study on a pilot whose every cell is known: what data would cost, before they are
//! collected.
//!
//! Each row of the pilot plays a subject. Asks come in waves from a study in a file, which is opened
//! anew for each; subjects are lost after they were asked, refuse to answer, answer a wave late, or
//! give an answer that is corrected a wave later. Some rows take no part, and test the models.

mod interval;
mod pilot;

pub use interval::{Interval, interval};
pub use pilot::Pilot;

use crate::asking::setup::Setup;
use crate::changes::drawing::{Ask, Subjects};
use crate::changes::telling::{Answers, Telling};
use crate::error::{Error, Result};
use crate::study::{By, Study};
use halfseen::Monitor;
use halfseen::sampling::{Purpose, Stream};
use pilot::Parts;
use serde::Serialize;
use std::path::Path;

/// A study to be played.
#[derive(Debug, Clone, Copy)]
pub struct Simulation<'a> {
    /// Rows that play the subjects.
    pub pilot: &'a Pilot,
    /// Learner, budget, prices.
    pub setup: &'a Setup,
    /// Number of subjects that are asked, unless the money is spent before.
    pub subjects: u64,
    /// Number of subjects that are asked at a time.
    pub wave: u64,
    /// Probabilities of what happens to a subject.
    pub events: Events,
    /// Share of the pilot's rows that test the models.
    pub test_share: f64,
    /// Seed of the rows, and of what happens to whom. Simulations of one seed differ in what their
    /// learners ask only.
    pub seed: u64,
}

/// Probabilities of what happens to a subject.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Events {
    /// It is lost after the ask: nothing of it is read, and its ask is released.
    pub dropout: f64,
    /// An attribute that is asked for is refused; it costs as much as if it were read.
    pub refusal: f64,
    /// Its answers come a wave late.
    pub late: f64,
    /// One of its answers is another subject's at first, and is corrected a wave later.
    pub amended: f64,
}

/// Result of a simulation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Played {
    /// Number of waves; the study was opened anew for each.
    pub waves: u64,
    /// Number of subjects that were lost.
    pub lost: u64,
    /// Number of values that were refused.
    pub refused: u64,
    /// Number of subjects whose answers came late.
    pub late: u64,
    /// Number of values that were corrected.
    pub amended: u64,
    /// Number of subjects that are rows of the pilot for the second time or more.
    pub repeated: u64,
    /// True if the money or the reads were spent before all subjects were asked.
    pub is_spent: bool,
    /// The study at a quarter of the subjects, at half of them and at the end.
    pub points: Vec<SimulatedPoint>,
}

/// A simulated study at some moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SimulatedPoint {
    /// Number of subjects asked.
    pub subjects: u64,
    /// Number of subjects whose ask is complete.
    pub complete: u64,
    /// Number of reads made.
    pub reads: f64,
    /// Their price.
    pub cost: f64,
    /// Error of the model on the rows that test it: the squared error as a share of the target's
    /// variance, or with classes the share of wrong ones.
    pub error: f64,
}

/// Person of the audit.
const WHO: &str = "simulation";
/// Shares of the subjects after which the model is tested, beside the end.
const TESTED_AT: [f64; 2] = [0.25, 0.5];

/// Answers that come a wave late, and corrections.
#[derive(Debug, Default)]
struct Waiting {
    answers: Vec<Answers>,
    corrections: Vec<(String, String, String)>,
}

impl Simulation<'_> {
    /// Plays the study in a new file, which is left there.
    ///
    /// # Errors
    /// Probabilities outside of 0 to 1, no subjects, too few rows; as for the calls of a [`Study`].
    pub fn play(&self, file: &Path, monitor: &dyn Monitor) -> Result<Played> {
        self.check()?;
        let parts = self.pilot.parts(self.test_share, self.seed)?;
        let by = By::now(WHO);
        drop(Study::create(file, self.setup, &by)?);
        let mut played = Played {
            waves: 0,
            lost: 0,
            refused: 0,
            late: 0,
            amended: 0,
            repeated: 0,
            is_spent: false,
            points: Vec::new(),
        };
        let (mut asked, mut tested, mut waiting) = (0, 0, Waiting::default());
        loop {
            // Another day, another process.
            let mut study = Study::open(file)?;
            self.settle(&mut study, std::mem::take(&mut waiting), &mut played, &by)?;
            let is_due = |share: &&f64| (**share * self.subjects as f64).round() as u64 <= asked;
            let due = TESTED_AT.iter().filter(is_due).count();
            if due > tested && asked < self.subjects {
                played.points.extend(self.tested(&mut study, asked, &parts, monitor)?);
                tested = due;
            }
            let most = (asked + self.wave).min(self.subjects);
            let name = format!("w{}", played.waves + 1);
            let asks = ask(&mut study, asked..most, &name, &by, monitor)?;
            if asks.is_empty() {
                break;
            }
            played.waves += 1;
            let mut told = Vec::new();
            for ask in &asks {
                let counted = (&mut waiting, &mut played);
                told.extend(self.answer(&mut study, ask, asked, &parts, counted, &by)?);
                asked += 1;
            }
            study.tell(&told, &Telling::default(), &by)?;
        }
        played.repeated = asked.saturating_sub(parts.subjects.len() as u64);
        played.is_spent = asked < self.subjects;
        let end = self.tested(&mut Study::open(file)?, asked, &parts, monitor)?;
        // Where the money ended just after a test, the end takes its place.
        played.points.retain(|point| point.subjects < asked);
        played.points.extend(end);
        Ok(played)
    }

    fn check(&self) -> Result<()> {
        let Events { dropout, refusal, late, amended } = self.events;
        let shares =
            [("dropout", dropout), ("refusal", refusal), ("late", late), ("amended", amended)];
        for (name, share) in shares {
            if !(0.0..1.0).contains(&share) {
                return Err(Error::setup(format!(
                    "{name} is {share}, and must be a probability from 0 to below 1"
                )));
            }
        }
        if !(self.test_share > 0.0 && self.test_share < 1.0) {
            let share = self.test_share;
            return Err(Error::setup(format!(
                "the share of rows that test is {share}, and must be between 0 and 1"
            )));
        }
        if self.subjects == 0 || self.wave == 0 {
            return Err(Error::setup("a simulation needs a subject, and a wave of one or more"));
        }
        Ok(())
    }

    /// Stores what came late, and corrects what was wrong.
    fn settle(&self, study: &mut Study, due: Waiting, played: &mut Played, by: &By) -> Result<()> {
        if !due.answers.is_empty() {
            study.tell(&due.answers, &Telling::default(), by)?;
        }
        for (subject, attribute, value) in &due.corrections {
            study.amend(subject, attribute, value, "it was another subject's", by)?;
            played.amended += 1;
        }
        Ok(())
    }

    /// Plays what one subject does with its ask; returns what it tells today.
    fn answer(
        &self,
        study: &mut Study,
        ask: &Ask,
        number: u64,
        parts: &Parts,
        (waiting, played): (&mut Waiting, &mut Played),
        by: &By,
    ) -> Result<Option<Answers>> {
        let mut stream = Stream::new(self.seed, Purpose::Data, number);
        let row = row_of(&parts.subjects, number, &mut stream);
        let [lost, late, amended] = std::array::from_fn(|_| stream.unit());
        let other = parts.subjects[stream.below(parts.subjects.len())];
        let which = stream.unit();
        if lost < self.events.dropout {
            study.release(&ask.subject, "lost", by)?;
            played.lost += 1;
            return Ok(None);
        }
        let schema = &self.setup.schema;
        let mut cells = Vec::new();
        for (place, attribute) in schema.attributes.iter().enumerate() {
            // Drawn for all, so that what is refused does not depend on what else is asked.
            let refuses = stream.unit() < self.events.refusal && !attribute.known;
            if ask.attributes.contains(&attribute.name) {
                let value = if refuses {
                    played.refused += 1;
                    "NA: refused".to_owned()
                } else {
                    self.pilot.shows(row, Some(place))
                };
                cells.push((attribute.name.clone(), value));
            }
        }
        cells.push((schema.target.name.clone(), self.pilot.shows(row, None)));
        let is_late = late < self.events.late;
        if !is_late && amended < self.events.amended {
            let at = (which * cells.len() as f64) as usize;
            let (name, value) = &mut cells[at];
            let wrong = self.pilot.shows(other, schema.place(name)?);
            // A refusal is no answer, and the same value no error.
            if !value.starts_with("NA") && wrong != *value {
                let right = std::mem::replace(value, wrong);
                waiting.corrections.push((ask.subject.clone(), name.clone(), right));
            }
        }
        let subject = ask.subject.clone();
        let answers = Answers { line: number + 1, subject, ask: Some(ask.number), cells };
        if is_late {
            played.late += 1;
            waiting.answers.push(answers);
            return Ok(None);
        }
        Ok(Some(answers))
    }

    /// Fits and tests; `None` while no subject is complete.
    fn tested(
        &self,
        study: &mut Study,
        subjects: u64,
        parts: &Parts,
        monitor: &dyn Monitor,
    ) -> Result<Option<SimulatedPoint>> {
        let complete = study.digest()?.1;
        if complete == 0 {
            return Ok(None);
        }
        let error = self.pilot.error(&study.model(monitor)?, &parts.tested)?;
        let (reads, cost) = study.spending()?;
        let (reads, cost) = (reads.made, cost.made);
        Ok(Some(SimulatedPoint { subjects, complete, reads, cost, error }))
    }
}

/// Returns the row of a subject: each once, then any of them.
fn row_of(rows: &[usize], number: u64, stream: &mut Stream) -> usize {
    let again = stream.below(rows.len());
    rows.get(number as usize).copied().unwrap_or(rows[again])
}

/// Asks for a wave; if reads or money do not suffice for all of it, for as many as they do.
fn ask(
    study: &mut Study,
    numbers: std::ops::Range<u64>,
    wave: &str,
    by: &By,
    monitor: &dyn Monitor,
) -> Result<Vec<Ask>> {
    let names: Vec<String> = numbers.map(|number| format!("p{number}")).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    match study.next(Subjects::Named(&names), Some(wave), by, monitor) {
        Err(Error::Spent { .. }) => {}
        asks => return asks,
    }
    let mut asks = Vec::new();
    for name in names {
        match study.next(Subjects::Named(&[name]), Some(wave), by, monitor) {
            Err(Error::Spent { .. }) => break,
            one => asks.extend(one?),
        }
    }
    Ok(asks)
}
