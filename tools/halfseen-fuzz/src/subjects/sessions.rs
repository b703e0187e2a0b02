//! Loads damaged sessions, and goes on collecting with those that load.

use super::{Subject, damaged_json, learners, one_line};
use anyhow::Result;
use fastrand::Rng;
use halfseen::data::{Label, TargetScale};
use halfseen::session::{Answer, Session, Start};
use halfseen::{Learner, Silent};

pub(super) struct Sessions {
    texts: Vec<String>,
}

const NAMES: [&str; 5] = ["age", "weight", "pulse", "sugar", "sodium"];

impl Sessions {
    pub(super) fn new() -> Result<Sessions> {
        let mut texts = Vec::new();
        for learner in learners()? {
            if learner.needs().chooses() {
                texts.extend(begun(&*learner)?);
            }
        }
        Ok(Sessions { texts })
    }
}

/// Returns a session with answers, and an open query that is answered in part.
fn begun(learner: &dyn Learner) -> Result<Option<String>> {
    let scale = TargetScale { mean: 1.0, deviation: 2.0 };
    let numbers = Start::new(learner, NAMES).scale(scale).instance(9).begin();
    let classes = vec![Label::Number(0.0), Label::Number(1.0)];
    let begun =
        numbers.or_else(|_| Start::new(learner, NAMES).classes(classes).instance(9).begin());
    let Ok(mut session) = begun else { return Ok(None) };
    session.set_keep_reads(true);
    let mut random = Rng::with_seed(1);
    for _ in 0..12 {
        let query = session.ask()?;
        let (answers, target) = answers(&session, &query, &mut random)?;
        session.tell(&query, &answers, &target)?;
    }
    let query = session.ask()?;
    session.tell_part(&query, &[], Some(&Label::Number(1.0)))?;
    Ok(Some(session.to_json()?))
}

fn answers(
    session: &Session,
    query: &halfseen::budget::Query,
    random: &mut Rng,
) -> halfseen::Result<(Vec<Answer>, Label)> {
    let names = session.attributes_of(query)?;
    let answers = names.map(|_| Answer::Value(4.0 * random.f64() - 2.0)).collect();
    Ok((answers, session.classes().first().cloned().unwrap_or(Label::Number(random.f64()))))
}

/// Asks, answers and fits.
fn go_on(session: &mut Session, random: &mut Rng) -> halfseen::Result<()> {
    for _ in 0..3 {
        let query = session.ask()?;
        let (answers, target) = answers(session, &query, random)?;
        session.tell(&query, &answers, &target)?;
    }
    session.model(&Silent)?.to_json()?;
    Ok(())
}

impl Subject for Sessions {
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        damaged_json(&self.texts, random)
    }

    fn run(&mut self, input: &[u8], random: &mut Rng) -> Result<bool, String> {
        let Ok(text) = std::str::from_utf8(input) else { return Ok(false) };
        let mut session = match Session::from_json(text) {
            Ok(session) => session,
            Err(error) => return one_line(&error).map(|()| false),
        };
        let open = session.open().count();
        let (_, _) = (session.report(), session.remaining());
        let written = session
            .to_json()
            .map_err(|e| format!("a session that was read is not written: {e}"))?;
        let again = Session::from_json(&written)
            .map_err(|e| format!("a session that was written is not read: {e}"))?;
        if again.open().count() < open {
            return Err("open queries were lost".into());
        }
        // Damaged weights may make sums overflow, which is then said.
        if let Err(error) = go_on(&mut session, random).and_then(|()| session.to_json()) {
            one_line(&error)?;
        }
        Ok(true)
    }
}
