//! Learns a score from two questions out of twelve to each person, some of which are refused, and
//! keeps every answer.
//!
//!     cargo run --release -p halfseen --example keep_reads
#![allow(clippy::print_stdout)]

use halfseen::Learner;
use halfseen::budget::Query;
use halfseen::data::Layout;
use halfseen::joint::Fiml;
use halfseen::params::Shape;
use halfseen::registry::load;
use halfseen::sampling::{Purpose, Stream};
use std::sync::Arc;

/// Questions of the survey.
const QUESTIONS: usize = 12;
/// Persons.
const PERSONS: u64 = 3_000;

/// The answers that a person would give, if asked everything, and the score that all of them make.
fn person(number: u64) -> (Vec<f64>, f64) {
    let mut stream = Stream::new(1, Purpose::Data, number);
    // Two traits; every question asks for one of them.
    let traits = [stream.normal(), stream.normal()];
    let answers: Vec<f64> = (0..QUESTIONS).map(|j| traits[j % 2] + stream.normal()).collect();
    let score = answers.iter().step_by(2).sum::<f64>() - answers[1] + 0.3 * stream.normal();
    (answers, score)
}

fn main() -> halfseen::Result<()> {
    let layout = Arc::new(Layout::singletons(QUESTIONS));
    let learner = Fiml { budget: Some(2), shape: Shape::Linear, ..Fiml::default() };
    let Some(mut running) = learner.start(&layout)? else { return Ok(()) };

    let (mut query, mut refusals) = (Query::default(), Stream::new(2, Purpose::Data, 0));
    for number in 0..PERSONS {
        running.ask_into(&mut query)?; // which two questions?
        let (answers, score) = person(number);
        let answer = |question: u32| {
            if refusals.unit() < 0.1 { f64::NAN } else { answers[question as usize] }
        };
        let values: Vec<f64> = query.reads.iter().map(|read| read.panel).map(answer).collect();
        running.tell(&query, &values, score)?; // one answer in ten is refused: NaN
        if number == PERSONS / 2 {
            running = load(&running.save()?)?; // the survey rests; everything that was read is in the file
        }
    }

    let predictor = running.predictor();
    let (weights, report) = (&predictor.weights, running.report());
    println!("answers asked for: {} of {}", report.reads, PERSONS * QUESTIONS as u64);
    report.notes.iter().for_each(|note| println!("note: {note}"));
    for question in [0, 1, 2, 3] {
        let truth = [1.0, -1.0, 1.0, 0.0][question];
        println!("weight of question {question}: {:+.2} (truth {truth:+})", weights[question]);
    }
    let error = (PERSONS..2 * PERSONS)
        .map(person)
        .map(|(answers, score)| (predictor.score(&answers) - score).powi(2));
    let error = error.sum::<f64>() / PERSONS as f64;
    println!("squared error of new persons who answer everything: {error:.2} (at best 0.09)");
    assert!(error < 4.0);
    Ok(())
}
