//! Makes sessions over six attributes of persons, and answers for them.

use super::{budgeted, learner};
use halfseen::Learner;
use halfseen::budget::{Query, Role, TellOutcome};
use halfseen::data::{Label, TargetScale};
use halfseen::prepare::{Group, Options};
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::{Answer, Session, Start};

pub const NAMES: [&str; 6] = ["age", "weight", "pressure", "pulse", "sugar", "sodium"];

/// Value of an attribute of a person, with a mean and a scale of its own.
pub fn cell(person: u64, attribute: usize) -> f64 {
    let mut stream = Stream::new(5, Purpose::Data, person);
    let draws: Vec<f64> = (0..NAMES.len()).map(|_| stream.normal()).collect();
    10.0 + 2.0 * draws[attribute]
}

pub fn outcome(person: u64) -> f64 {
    5.0 + 0.5 * cell(person, 1) - 0.25 * cell(person, 3)
}

/// Known age, a group, prices.
pub fn declared() -> Options {
    let group = Group { name: "cuff".into(), columns: vec!["pressure".into(), "pulse".into()] };
    let prices = [("cuff".to_owned(), 3.0), ("sugar".to_owned(), 0.5)].into();
    Options { known: vec!["age".into()], groups: vec![group], prices, ..Options::default() }
}

pub fn configured(name: &str, settings: &[(&str, &str)]) -> Box<dyn Learner> {
    learner(name, &[&[("average", "all"), ("budget", "2"), ("seed", "3")], settings].concat())
}

pub fn started(learner: &dyn Learner) -> Session {
    let scale = TargetScale { mean: 7.0, deviation: 2.0 };
    Start::new(learner, NAMES).declared(declared()).scale(scale).instance(9).begin().unwrap()
}

pub fn answers(session: &Session, query: &Query, person: u64) -> Vec<Answer> {
    let value =
        |name: &str| Answer::Value(cell(person, NAMES.iter().position(|n| *n == name).unwrap()));
    session.attributes_of(query).unwrap().map(value).collect()
}

pub fn tell(session: &mut Session, query: &Query, person: u64) -> TellOutcome {
    let answers = answers(session, query, person);
    session.tell(query, &answers, &Label::Number(outcome(person))).unwrap()
}

pub fn paid(query: &Query) -> u64 {
    query.reads.iter().filter(|read| read.role != Role::Known).count() as u64
}

pub fn each(check: impl Fn(&str, Box<dyn Learner>, bool)) {
    for name in budgeted() {
        let own = configured(&name, &[]);
        check(&name, own, false);
        if configured(&name, &[]).get("passive").is_some() {
            check(&name, configured(&name, &[("passive", "all")]), true);
        }
    }
}
