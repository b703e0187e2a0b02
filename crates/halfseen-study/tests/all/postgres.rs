//! Holds the promise in a PostgreSQL database, crowded, cut off and killed. Starts a server of its own.

use crate::common::database::{AFTER, BEFORE, FOR_GOOD, NOWHERE, proxy, server};
use crate::common::promise::{self, LEARNERS};
use crate::common::{Place, answers, by, changing, create, draw, model, names, row, setup, tell};
use halfseen::Silent;
use halfseen_study::{Ask, Error, Export, Study, Subjects, Telling};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

/// The quoted schema of a study.
fn schema_of(path: &std::path::Path) -> String {
    format!("\"halfseen_{}\"", path.to_str().unwrap().strip_prefix("postgres:").unwrap())
}

#[test]
fn the_promise_holds_and_the_bits_are_those_of_a_file() {
    let Some(_server) = server() else { return };
    let some = [LEARNERS[1], LEARNERS[2], LEARNERS[5]];
    promise::the_model_is_that_of_the_clean_run_after_any_history(&Place::database(), &some);
    promise::what_was_told_is_stored_once_and_another_value_is_refused(&Place::database());
    promise::an_open_ask_is_given_again_and_a_complete_one_is_not_asked_anew(&Place::database());
    promise::a_file_is_stored_whole_or_not_at_all_unless_told_otherwise(&Place::database());
    promise::reads_and_money_hold_across_open_asks_and_come_back_with_what_was_not_read(
        &Place::database(),
    );
    promise::readers_see_one_moment(&Place::database());
}

#[test]
fn the_schema_changes_as_in_a_file() {
    let Some(_server) = server() else { return };
    changing::attributes_are_added_while_others_have_the_study_open(&Place::database());
    changing::a_retired_attribute_is_asked_no_more_and_its_values_stay(&Place::database());
    changing::what_cannot_be_added_or_retired_is_refused(&Place::database());
}

#[test]
fn both_stores_have_the_same_tables_and_columns() {
    let Some(server) = server() else { return };
    let (folder, place) = (Place::new(), Place::database());
    let path = place.path("t.hs");
    create(&folder.path("t.hs"), "fiml", &[]);
    create(&path, "fiml", &[]);
    let file = rusqlite::Connection::open(folder.path("t.hs")).unwrap();
    let columns = "SELECT m.name, c.name, c.type, c.\"notnull\" OR c.pk FROM sqlite_master m, pragma_table_info(m.name) c
         WHERE m.type = 'table' ORDER BY m.name, c.cid";
    let mut statement = file.prepare(columns).unwrap();
    let of_file: Vec<(String, String, String, bool)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .unwrap()
        .map(|row| {
            let (table, column, kind, needed): (String, String, String, bool) = row.unwrap();
            let kind = match kind.as_str() {
                "INTEGER" => "bigint",
                "REAL" => "double precision",
                "TEXT" => "text",
                other => panic!("{other}"),
            };
            (table, column, kind.to_owned(), needed)
        })
        .collect();
    let columns = "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'NO' FROM information_schema.columns
         WHERE table_schema = $1 AND table_name <> 'format' ORDER BY table_name COLLATE \"C\", ordinal_position";
    let schema = schema_of(&path);
    let rows = server.client().query(columns, &[&schema.trim_matches('"')]).unwrap();
    let of_database: Vec<(String, String, String, bool)> =
        rows.iter().map(|row| (row.get(0), row.get(1), row.get(2), row.get(3))).collect();
    assert_eq!(of_file, of_database);
    assert_eq!(of_file.len(), 54);
}

#[test]
fn thirty_two_clients_ask_each_subject_once_and_store_each_answer_once() {
    let Some(_server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    create(&path, "fiml", &[("budget", "3")]);
    let (subjects, clients) = (names(0..24), 32);
    let work = |client: usize| {
        let mut study = Study::open(&path).unwrap();
        let mut mine = subjects.clone();
        mine.rotate_left(client * 5 % subjects.len());
        let (mut asks, mut stored) = (Vec::new(), 0);
        for name in &mine {
            let ask = draw(&mut study, std::slice::from_ref(name), None).remove(0);
            // Half of them leave the target to the others.
            let mut told = answers(&ask);
            told.cells.retain(|(name, _)| name != "y" || client.is_multiple_of(2));
            stored += study.tell(&[told], &Telling::default(), &by()).unwrap().stored;
            asks.push(ask);
        }
        (asks, stored)
    };
    let work = &work;
    let results: Vec<(Vec<Ask>, u64)> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..clients).map(|client| scope.spawn(move || work(client))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let mut numbers = BTreeMap::<&str, BTreeSet<u64>>::new();
    let (mut new, mut stored) = (0, 0);
    for (asks, told) in &results {
        stored += told;
        for ask in asks {
            numbers.entry(&ask.subject).or_default().insert(ask.number);
            new += u64::from(ask.is_new);
        }
    }
    assert!(numbers.values().all(|numbers| numbers.len() == 1), "{numbers:?}");
    let all: BTreeSet<u64> = numbers.values().flatten().copied().collect();
    assert_eq!((new, all), (24, (0..24).collect()));
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    assert_eq!(study.status(&by()).unwrap().complete, 24);
    assert_eq!(reads(&mut study).len() as u64, stored);
}

/// Subject, attribute, value and revision of all present values.
fn reads(study: &mut Study) -> BTreeMap<(String, String), (String, String)> {
    let mut csv = Vec::new();
    study.export(Export::Reads, &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let mut reads = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let key = (cells[0].to_owned(), cells[2].to_owned());
        let before = reads.insert(key, (cells[3].to_owned(), cells[6].to_owned()));
        assert!(before.is_none(), "twice: {line}");
    }
    reads
}

/// Does something until the server lets it be done, as a client should.
fn insist<T>(mut act: impl FnMut() -> halfseen_study::Result<T>) -> T {
    loop {
        match act() {
            Ok(done) => return done,
            Err(Error::Unavailable { .. } | Error::Uncertain) => {
                std::thread::sleep(Duration::from_millis(30));
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_the_server_is_killed() {
    let Some(mut server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    create(&path, "fiml", &[("budget", "3")]);
    let (next, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let acknowledged: BTreeMap<(String, String), String> = std::thread::scope(|scope| {
        let work = || {
            let mut study = insist(|| Study::open(&path));
            let mut told = BTreeMap::new();
            while !is_over.load(Ordering::Relaxed) {
                // Each subject comes to two clients.
                let name = format!("p{}", next.fetch_add(1, Ordering::Relaxed) / 2);
                let ask = insist(|| {
                    study.next(Subjects::Named(std::slice::from_ref(&name)), None, &by(), &Silent)
                })
                .remove(0);
                for (attribute, value) in answers(&ask).cells {
                    let told_row = row(&name, &[(&attribute, &value)]);
                    insist(|| {
                        study.tell(std::slice::from_ref(&told_row), &Telling::default(), &by())
                    });
                    told.insert((name.clone(), attribute), value);
                }
            }
            told
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        for word in ["kill", "crash"] {
            std::thread::sleep(Duration::from_millis(900));
            server.tell(word);
            server.tell("start");
        }
        std::thread::sleep(Duration::from_millis(500));
        is_over.store(true, Ordering::Relaxed);
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.check().unwrap(), Vec::<String>::new());
    let stored = reads(&mut study);
    assert!(acknowledged.len() > 50, "{}", acknowledged.len());
    for (key, value) in &acknowledged {
        let (known, revision) = stored.get(key).unwrap_or_else(|| panic!("{key:?} was lost"));
        let same = known == value || known.parse::<f64>().ok() == value.parse().ok();
        assert!(same && revision == "0", "{key:?}: {known}, revision {revision}");
    }
    // Every client told all of its asks, so nothing else is there.
    assert_eq!(stored.len(), acknowledged.len());
    let kept = model(&mut study);
    let schema = schema_of(&path);
    server.client().execute(&format!("DELETE FROM {schema}.cache"), &[]).unwrap();
    assert_eq!(model(&mut Study::open(&path).unwrap()), kept);
}

#[test]
fn a_connection_lost_at_commit_changes_nothing_and_the_outcome_is_asked_for() {
    let Some(server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    create(&path, "fiml", &[("budget", "3")]);
    let at = server.url.rsplit_once('@').unwrap();
    let address = at.1.strip_suffix("/postgres").unwrap();
    let cut = Arc::new(AtomicU8::new(NOWHERE));
    server.lead_to(&format!("{}@127.0.0.1:{}/postgres", at.0, proxy(address, &cut)));
    let mut study = Study::open(&path).unwrap();
    // A number of new subjects, which a second call would ask again.
    for (place, count) in [(BEFORE, 3), (AFTER, 4)] {
        cut.store(place, Ordering::SeqCst);
        let asks = study.next(Subjects::Count(count), None, &by(), &Silent).unwrap();
        assert_eq!((asks.len() as u64, cut.load(Ordering::SeqCst)), (count, NOWHERE));
    }
    assert_eq!(study.status(&by()).unwrap().subjects, 7);
    let asks = draw(&mut study, &names(0..2), None);
    for (ask, place) in asks.iter().zip([BEFORE, AFTER]) {
        let told = [answers(ask)];
        let all = told[0].cells.len() as u64;
        for expected in [(all, 0), (0, all)] {
            cut.store(place, Ordering::SeqCst);
            let done = study.tell(&told, &Telling::default(), &by()).unwrap();
            assert_eq!((done.stored, done.repeated), expected);
        }
    }
    // Nobody can be asked.
    cut.store(FOR_GOOD, Ordering::SeqCst);
    let error = study.release("s1", "moved away", &by()).unwrap_err();
    assert!(matches!(error, Error::Uncertain), "{error}");
    cut.store(NOWHERE, Ordering::SeqCst);
    let error = study.release("s1", "moved away", &by()).unwrap_err().to_string();
    assert!(error.contains("it has no open ask"), "{error}");
    // Cut between two calls: nobody notices.
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'halfseen'";
    for _ in 0..2 {
        assert!(server.client().query_one(end, &[]).unwrap().get::<_, i64>(0) > 0);
        assert_eq!(study.erased().unwrap(), []);
        assert!(server.client().query_one(end, &[]).unwrap().get::<_, i64>(0) > 0);
        draw(&mut study, &names(5..6), None);
        assert!(server.client().query_one(end, &[]).unwrap().get::<_, i64>(0) > 0);
        assert_eq!(study.check().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn a_deadlock_with_a_stranger_is_tried_again() {
    let Some(server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let ask = draw(&mut study, &names(0..1), None).remove(0);
    let (schema, mut stranger) = (schema_of(&path), server.client());
    let mut begun = stranger.transaction().unwrap();
    begun.batch_execute(&format!("LOCK TABLE {schema}.value IN ACCESS EXCLUSIVE MODE")).unwrap();
    let telling = std::thread::spawn(move || {
        tell(&mut study, &[answers(&ask)]);
        study
    });
    // The study has the row, and waits for the table; then the stranger waits for the row.
    std::thread::sleep(Duration::from_millis(300));
    begun.query_one(&format!("SELECT id FROM {schema}.study FOR UPDATE"), &[]).unwrap();
    begun.commit().unwrap();
    let mut study = telling.join().unwrap();
    assert_eq!(study.status(&by()).unwrap().complete, 1);
}

#[test]
fn erased_values_are_gone_from_the_tables_and_the_audit_goes_on() {
    let Some(server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..3), None);
    let mark = "reason-that-nobody-else-has-90317";
    let first = asks[1].attributes[0].clone();
    tell(&mut study, &[row("p1", &[(&first, &format!("NA: {mark}"))])]);
    assert!(server.holds(mark));
    study.withdraw("p1", true, "asked to", &by()).unwrap();
    assert!(!server.holds(mark));
    let mut audit = Vec::new();
    study.export(Export::Audit, &mut audit).unwrap();
    let audit = String::from_utf8(audit).unwrap();
    assert!(audit.lines().any(|line| line.contains("erase") && line.contains("p1")), "{audit}");
    assert!(study.tell(&[row("p1", &[(&first, "1")])], &Telling::default(), &by()).is_err());
    assert_eq!(study.erased().unwrap().len(), 1);
    let schema = schema_of(&path);
    for change in ["DELETE FROM", "UPDATE", "TRUNCATE"] {
        let set = if change == "UPDATE" { "SET who = 'nobody'" } else { "" };
        let done = server.client().batch_execute(&format!("{change} {schema}.event {set}"));
        let error = done.unwrap_err();
        assert!(error.as_db_error().unwrap().message().contains("events are kept"), "{error}");
    }
    let backup = study.backup("copy.hs").unwrap_err().to_string();
    assert!(backup.contains("pg_dump --schema='\"halfseen_"), "{backup}");
}

#[test]
fn what_cannot_be_opened_says_why_and_shows_no_password() {
    let Some(server) = server() else { return };
    let place = Place::database();
    let path = place.path("t.hs");
    let open = |path: &str| Study::open(path).unwrap_err();
    for name in ["", "a b", "a-b", "\"; DROP SCHEMA x", "é", &"a".repeat(41), "//u:secret-31@h/d"]
    {
        let error = open(&format!("postgres:{name}")).to_string();
        assert!(error.contains("is called postgres:NAME"), "{error}");
        assert!(!error.contains("secret-31"), "{error}");
    }
    let missing = open(path.to_str().unwrap()).to_string();
    assert!(missing.contains("t.hs") || missing.contains("no such study"), "{missing}");
    create(&path, "fiml", &[("budget", "3")]);
    let exists = Study::create(&path, &setup("fiml", &[]), &by()).unwrap_err().to_string();
    assert!(exists.contains("the study exists"), "{exists}");
    // What fails while it is made leaves nothing.
    let half = place.path("half.hs");
    let who = "a\0b".to_owned();
    let never = halfseen_study::By { who, ..by() };
    assert!(Study::create(&half, &setup("fiml", &[]), &never).is_err());
    assert!(open(half.to_str().unwrap()).to_string().contains("no such study"));
    let mut client = server.client();
    for format in [3, 9] {
        let other = format!("UPDATE {}.format SET version = {format}", schema_of(&path));
        client.batch_execute(&other).unwrap();
        let error = open(path.to_str().unwrap());
        assert!(matches!(error, Error::OtherFormat { found, .. } if found == format), "{error}");
    }
    let address = server.url.rsplit_once('@').unwrap().1;
    for (url, says) in [
        ("", "no such study"),
        ("postgresql://halfseen:secret-31@127.0.0.1:port/d", "cannot be read"),
        ("host=h password=secret-31 unknown=1", "cannot be read"),
        ("postgresql://halfseen:secret-31@127.0.0.1:1/d", "efused"),
        (&format!("postgresql://halfseen:secret-31@{address}"), "password authentication failed"),
        (&format!("postgresql://halfseen:secret-31@{address}?sslmode=require"), "TLS"),
    ] {
        server.lead_to(url);
        let error = open("postgres:other");
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("ret-31"), "{shown}");
        if !url.is_empty() {
            assert!(shown.contains(says), "{url}: {shown}");
        }
    }
}
