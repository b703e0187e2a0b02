//! Holds the promise on a file: what was told is stored once, and the model depends on nothing else.

use crate::common::promise::{self, LEARNERS};
use crate::common::{Place, answers, by, create, draw, model, names, row, tell};
use halfseen::Silent;
use halfseen_study::{Answers, By, Subjects, Telling};

#[test]
fn the_model_is_that_of_the_clean_run_after_any_history() {
    promise::the_model_is_that_of_the_clean_run_after_any_history(&Place::new(), &LEARNERS);
}

#[test]
fn what_was_told_is_stored_once_and_another_value_is_refused() {
    promise::what_was_told_is_stored_once_and_another_value_is_refused(&Place::new());
}

#[test]
fn an_open_ask_is_given_again_and_a_complete_one_is_not_asked_anew() {
    promise::an_open_ask_is_given_again_and_a_complete_one_is_not_asked_anew(&Place::new());
}

#[test]
fn a_file_is_stored_whole_or_not_at_all_unless_told_otherwise() {
    promise::a_file_is_stored_whole_or_not_at_all_unless_told_otherwise(&Place::new());
}

#[test]
fn reads_and_money_hold_across_open_asks_and_come_back_with_what_was_not_read() {
    promise::reads_and_money_hold_across_open_asks_and_come_back_with_what_was_not_read(
        &Place::new(),
    );
}

#[test]
fn clocks_that_jump_change_nothing() {
    let place = Place::new();
    let models = ["right", "jumping"].map(|clock| {
        let mut study = create(&place.path(clock), "fiml", &[("budget", "3")]);
        for (at, name) in names(0..60).iter().enumerate() {
            // Years forth and back, from call to call.
            let year = if clock == "right" { 2026 } else { 1990 + 37 * at % 61 };
            let by = By { who: "nurse".to_owned(), at: format!("{year}-03-01T08:00:00Z") };
            let asks = study.next(Subjects::Named(std::slice::from_ref(name)), None, &by, &Silent);
            let rows: Vec<Answers> = asks.unwrap().iter().map(answers).collect();
            study.tell(&rows, &Telling::default(), &by).unwrap();
        }
        study.next(Subjects::Count(1), None, &by(), &Silent).unwrap();
        let past = By { at: "1980-01-01T00:00:00Z".to_owned(), ..by() };
        assert_eq!(study.status(&past).unwrap().oldest_days, Some(0.0));
        assert_eq!(study.check().unwrap(), Vec::<String>::new());
        let mut model = model(&mut study);
        model["origin"].take(); // two studies
        model
    });
    assert_eq!(models[0], models[1]);
}

#[test]
fn readers_see_one_moment() {
    promise::readers_see_one_moment(&Place::new());
}

#[test]
fn erased_values_are_gone_from_the_file_and_the_audit_goes_on() {
    let place = Place::new();
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..3), None);
    let mark = "reason-that-nobody-else-has-90317";
    let first = asks[1].attributes[0].clone();
    tell(&mut study, &[row("p1", &[(&first, &format!("NA: {mark}"))])]);
    let holds = || {
        let wal = std::fs::read(place.path("t.hs-wal")).unwrap_or_default();
        [std::fs::read(&path).unwrap(), wal]
            .concat()
            .windows(mark.len())
            .any(|w| w == mark.as_bytes())
    };
    assert!(holds());
    study.withdraw("p1", true, "asked to", &by()).unwrap();
    assert!(!holds());
    let mut audit = Vec::new();
    study.export(halfseen_study::Export::Audit, &mut audit).unwrap();
    let audit = String::from_utf8(audit).unwrap();
    assert!(audit.lines().any(|line| line.contains("erase") && line.contains("p1")), "{audit}");
    assert!(study.tell(&[row("p1", &[(&first, "1")])], &Telling::default(), &by()).is_err());
    assert_eq!(study.erased().unwrap().len(), 1);
}
