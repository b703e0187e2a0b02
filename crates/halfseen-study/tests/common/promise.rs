//! Holds the promise on any store: what was told is stored once, and the model depends on nothing else.

use super::{Place, answers, by, create, draw, model, names, row, schema, tell, truth};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen_study::{Answers, Ask, Error, State, Study, Telling};

/// Learners that ask, each with what it needs to start.
pub(crate) const LEARNERS: [Learner; 6] = [
    ("fiml", &[("budget", "3")]),
    ("fiml", &[("budget", "3"), ("design", "adaptive")]),
    ("aerr", &[("budget", "3")]),
    ("aelr", &[("budget", "3")]),
    ("ddaerr", &[("budget", "3"), ("horizon", "200")]),
    ("baseline", &[("budget", "3")]),
];

type Learner = (&'static str, &'static [(&'static str, &'static str)]);

/// Tells answers cell by cell in any order, from files that overlap, with mistakes that are
/// amended, and closes the study in between.
fn tell_wildly(study: Study, path: &std::path::Path, asks: &[Ask], seed: u64) -> Study {
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let mut cells: Vec<(String, String, String)> = Vec::new();
    for ask in asks {
        for (name, value) in answers(ask).cells {
            cells.push((ask.subject.clone(), name, value));
        }
    }
    shuffle(&mut stream, &mut cells);
    let mut study = study;
    let mut at = 0;
    while at < cells.len() {
        let end = (at + 1 + stream.below(40)).min(cells.len());
        // Some of what was told before once more.
        let from = at.saturating_sub(stream.below(10));
        let mut rows: Vec<Answers> = Vec::new();
        for (subject, name, value) in &cells[from..end] {
            let wrong = from >= at && stream.below(10) == 0 && name != "kind";
            let told = if wrong { "1.5" } else { value };
            let mut told_row = row(subject, &[(name, told)]);
            if wrong {
                tell(&mut study, &[told_row]);
                if value != told {
                    study.amend(subject, name, value, "misread", &by()).unwrap();
                }
                continue;
            }
            told_row.line = rows.len() as u64 + 2;
            rows.push(told_row);
        }
        tell(&mut study, &rows);
        if stream.below(5) == 0 {
            drop(study);
            study = Study::open(path).unwrap();
        }
        at = end;
    }
    study
}

pub(crate) fn the_model_is_that_of_the_clean_run_after_any_history(
    place: &Place,
    learners: &[Learner],
) {
    for (learner, settings) in learners {
        let (calm, place) = (Place::new(), place.another());
        let (clean_path, wild_path) = (calm.path("clean.hs"), place.path("wild.hs"));
        let mut clean = create(&clean_path, learner, settings);
        let mut wild = create(&wild_path, learner, settings);
        for wave in 0..3_u64 {
            let (name, who) = (format!("w{wave}"), names(wave * 40..wave * 40 + 40));
            let asks = draw(&mut clean, &who, Some(&name));
            let same = draw(&mut wild, &who, Some(&name));
            assert_eq!(asks, same, "{learner}: asks of {name}");
            for ask in &asks {
                tell(&mut clean, &[answers(ask)]);
            }
            wild = tell_wildly(wild, &wild_path, &same, wave);
            // Two subjects leave, in another order.
            for (study, left) in [(&mut clean, [0, 1]), (&mut wild, [1, 0])] {
                for at in left {
                    study.withdraw(&who[at * 7], at == 1, "consent withdrawn", &by()).unwrap();
                }
            }
            assert_eq!(model(&mut clean), model(&mut wild), "{learner} after {name}");
        }
        assert_eq!(wild.check().unwrap(), Vec::<String>::new());
        let examples = wild.model(&halfseen::Silent).unwrap().report.examples;
        assert_eq!(examples, 120 - 6, "{learner}");
    }
}

pub(crate) fn what_was_told_is_stored_once_and_another_value_is_refused(place: &Place) {
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let ask = draw(&mut study, &names(0..1), None).remove(0);
    let first = ask.attributes[0].as_str();
    let value = truth("p0", first);
    let told = |study: &mut Study, text: &str| {
        study.tell(&[row("p0", &[(first, text)])], &Telling::default(), &by())
    };
    assert_eq!(told(&mut study, "NA: machine broken").unwrap().stored, 1);
    // It was had after all.
    assert_eq!(told(&mut study, &value).unwrap().stored, 1);
    let again = told(&mut study, &value).unwrap();
    assert_eq!((again.stored, again.repeated), (0, 1));
    let Error::Refused { refused, .. } = told(&mut study, "q").unwrap_err() else { panic!() };
    let problem = &refused[0].problem;
    assert!(problem.contains(first), "{problem}");
}

pub(crate) fn an_open_ask_is_given_again_and_a_complete_one_is_not_asked_anew(place: &Place) {
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let ask = draw(&mut study, &names(0..1), None).remove(0);
    assert!(ask.is_new);
    let again = draw(&mut study, &names(0..1), Some("later")).remove(0);
    assert_eq!(
        (again.number, &again.attributes, again.is_new),
        (ask.number, &ask.attributes, false)
    );
    let first = ask.attributes[0].clone();
    tell(&mut study, &[row("p0", &[(&first, &truth("p0", &first))])]);
    let rest = draw(&mut study, &names(0..1), None).remove(0);
    assert_eq!(rest.attributes, ask.attributes[1..]);
    tell(&mut study, &[answers(&ask)]);
    let done = draw(&mut study, &names(0..1), None).remove(0);
    assert_eq!((done.state, done.attributes.len()), (State::Complete, 0));
}

pub(crate) fn a_file_is_stored_whole_or_not_at_all_unless_told_otherwise(place: &Place) {
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..3), None);
    let mut rows: Vec<Answers> = asks.iter().map(answers).collect();
    rows[1].cells[0].1 = "many".to_owned();
    rows[1].line = 3;
    let refused = study.tell(&rows, &Telling::default(), &by()).unwrap_err();
    let Error::Refused { lines: 3, refused } = refused else { panic!("{refused}") };
    assert_eq!((refused.len(), refused[0].line, refused[0].subject.as_str()), (1, 3, "p1"));
    assert_eq!(study.status(&by()).unwrap().complete, 0);
    let keep = Telling { keep_going: true, ..Telling::default() };
    let dry = Telling { check_only: true, ..keep.clone() };
    let would = study.tell(&rows, &dry, &by()).unwrap();
    assert_eq!(study.status(&by()).unwrap().complete, 0);
    let told = study.tell(&rows, &keep, &by()).unwrap();
    assert_eq!(told, would);
    assert_eq!((told.completed, told.refused.len()), (2, 1));
    assert_eq!(study.status(&by()).unwrap().complete, 2);
}

pub(crate) fn reads_and_money_hold_across_open_asks_and_come_back_with_what_was_not_read(
    place: &Place,
) {
    let settings = [("budget", "2"), ("total_budget", "7")];
    let mut study = create(&place.path("t.hs"), "fiml", &settings);
    draw(&mut study, &names(0..3), None);
    let next =
        study.next(halfseen_study::Subjects::Named(&names(3..4)), None, &by(), &halfseen::Silent);
    let Err(Error::Spent { limit: "total_budget", total, used, next, .. }) = next else {
        panic!("{next:?}")
    };
    assert_eq!((total, used, next), (7.0, 6.0, 2.0));
    // One of two is read; the other comes back.
    let ask = draw(&mut study, &names(0..1), None).remove(0);
    let first = ask.attributes[0].clone();
    let panel = schema_panel(&first);
    let mut cells = vec![(first.clone(), truth("p0", &first))];
    if let Some(panel) = panel {
        cells.extend(panel.iter().map(|name| (name.clone(), truth("p0", name))));
    }
    tell(&mut study, &[Answers { line: 2, subject: "p0".into(), ask: None, cells }]);
    study.release("p0", "moved away", &by()).unwrap();
    let status = study.status(&by()).unwrap();
    assert_eq!(
        (status.reads.made, status.reads.promised, status.reads.left),
        (1.0, 4.0, Some(2.0))
    );
    draw(&mut study, &names(3..4), None);
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
}

/// The members of an attribute's panel.
fn schema_panel(name: &str) -> Option<Vec<String>> {
    let schema = schema();
    let panel = schema.attributes.iter().find(|a| a.name == name)?.panel.clone()?;
    let members = schema.attributes.iter().filter(|a| a.panel.as_ref() == Some(&panel));
    Some(members.map(|a| a.name.clone()).collect())
}

/// Everything a reader is shown belongs together, while another writes.
pub(crate) fn readers_see_one_moment(place: &Place) {
    let path = place.path("t.hs");
    let mut study = create(&path, "baseline", &[("budget", "3")]);
    let writer = std::thread::spawn(move || {
        for name in names(0..40) {
            let ask = draw(&mut study, &[name], None).remove(0);
            tell(&mut study, &[answers(&ask)]);
        }
    });
    let mut study = Study::open(&path).unwrap();
    let mut times = 0;
    while !writer.is_finished() {
        assert_eq!(study.check().unwrap(), Vec::<String>::new());
        times += 1;
    }
    writer.join().unwrap();
    assert!(times > 2, "{times}");
}
