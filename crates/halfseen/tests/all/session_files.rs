//! Checks what sessions promise of copies and files: nobody answers for another, nothing is lost.

use crate::common::collecting::{NAMES, answers, configured, declared, started, tell};
use crate::common::{budgeted, key, kind};
use halfseen::budget::Query;
use halfseen::data::Label;
use halfseen::session::{Answer, Session, Start};
use serde_json::Value;

/// Python review S2-4: two collectors load one file, ask the same, and answer for one another.
#[test]
fn an_answer_to_a_query_of_another_copy_is_refused() {
    let mut session = started(&*configured("aerr", &[]));
    let early = session.ask().unwrap();
    let text = session.to_json().unwrap();
    let [mut a, mut b] = [0, 1].map(|_| Session::from_json(&text).unwrap());
    let (of_a, of_b) = (a.ask().unwrap(), b.ask().unwrap());
    assert_eq!((of_a.number, &of_a.reads), (of_b.number, &of_b.reads), "the same draw");
    let values = answers(&b, &of_a, 3);
    let error = b.tell(&of_a, &values, &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "ForeignQuery", "{error}");
    // Its own it takes, and those that were open when the file was written.
    tell(&mut b, &of_b, 3);
    tell(&mut b, &early, 4);
    // So does a copy that lost its query in a crash and adopts it from a log.
    let mut after = Session::from_json(&text).unwrap();
    after.adopt(&of_a).unwrap();
    tell(&mut after, &of_a, 3);
    // A bare learner's query has no tag.
    let learner = configured("aerr", &[]);
    let mut bare = learner.start(&std::sync::Arc::new(session.panels().clone())).unwrap().unwrap();
    let untagged = bare.ask().unwrap();
    let written = serde_json::to_string(&untagged).unwrap();
    assert!(!written.contains("asker"), "{written}");
    let error = a.tell(&untagged, &[], &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "WrongLength");
    let values = answers(&a, &untagged, 3);
    let error = a.tell(&untagged, &values, &Label::Number(1.0)).unwrap_err();
    assert_eq!(kind(&error), "ForeignQuery");
}

#[test]
fn a_file_of_another_session_or_a_newer_generation_is_not_overwritten() {
    let folder = std::env::temp_dir().join(format!("halfseen-session-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (path, other) = (folder.join("trial.json"), folder.join("elsewhere.json"));
    let learner = configured("aerr", &[]);
    let mut session = started(&*learner);
    for generation in 1..4 {
        session.save_to(&path).unwrap();
        assert_eq!(session.generation(), generation);
    }
    let [mut a, mut b] = [0, 1].map(|_| Session::load_from(&path).unwrap());
    assert_eq!((a.generation(), a.instance()), (3, 9));
    for copy in [&mut a, &mut b] {
        let query = copy.ask().unwrap();
        tell(copy, &query, 0);
    }
    a.save_to(&path).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    let error = b.save_to(&path).unwrap_err();
    assert_eq!(kind(&error), "OlderGeneration");
    assert!(error.to_string().contains("generation 4"), "{error}");
    // Nor after it was saved elsewhere as often.
    b.save_to(&other).unwrap();
    b.save_to(&other).unwrap();
    assert_eq!(kind(&b.save_to(&path).unwrap_err()), "OlderGeneration");
    // The one that was there first is older now.
    assert_eq!(kind(&session.save_to(&path).unwrap_err()), "OlderGeneration");
    let mut stranger = Start::new(&*learner, NAMES).declared(declared()).begin().unwrap();
    let error = stranger.save_to(&path).unwrap_err();
    assert_eq!(kind(&error), "OtherInstance");
    assert!(error.to_string().contains("0000000000000009"), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), whole, "it is as it was");
    // A backup that was put back is older, and no session is nobody's.
    std::fs::write(&path, std::fs::read_to_string(&other).unwrap()).unwrap();
    std::fs::write(&other, "a,b\n1,2\n").unwrap();
    stranger.save_to(&other).unwrap();
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 2, "nothing half written stays");
    let error = Session::load_from(folder.join("nowhere.json")).unwrap_err();
    assert_eq!(kind(&error), "FileAccess");
    assert_eq!(kind(&a.save_to(folder.join("no/folder.json")).unwrap_err()), "FileAccess");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A learner that Python saved before there were sessions.
fn older(session: &Session) -> String {
    let mut file: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
    let keys = ["learner", "prepare", "target", "classes", "bounds", "passed"];
    file.as_object_mut().unwrap().retain(|key, _| keys.contains(&key.as_str()));
    file.to_string()
}

#[test]
fn a_file_older_than_sessions_goes_on_with_its_open_queries() {
    for name in budgeted() {
        let learner = configured(&name, &[]);
        let mut session = started(&*learner);
        for person in 0..20 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
        }
        let mut queries = [session.ask().unwrap(), session.ask().unwrap(), session.ask().unwrap()];
        let mut old = Session::from_json(&older(&session)).unwrap();
        assert_ne!(old.instance(), 0);
        assert_eq!((old.generation(), old.open().count()), (0, 0));
        // Those queries had no tags.
        queries.iter_mut().for_each(|query| query.asker = 0);
        let values = answers(&old, &queries[0], 50);
        let edited = Query { exact: 9.0, ..queries[0].clone() };
        let error = old.tell(&edited, &values, &Label::Number(1.0)).unwrap_err();
        assert_eq!(kind(&error), "WrongAnswer", "{name}");
        tell(&mut old, &queries[0], 50);
        let asked: Vec<String> =
            old.attributes_of(&queries[1]).unwrap().map(str::to_owned).collect();
        old.tell_part(&queries[1], &[(&asked[0], Answer::Value(1.0))], None).unwrap();
        assert_eq!(old.open().count(), 1, "{name}");
        let mut old = Session::from_json(&old.to_json().unwrap()).unwrap();
        old.forget(queries[2].number).unwrap();
        old.forget(queries[1].number).unwrap();
        let error = old.tell(&queries[0], &values, &Label::Number(1.0)).unwrap_err();
        assert_eq!(kind(&error), "NotOpen", "{name}");
        let query = old.ask().unwrap();
        tell(&mut old, &query, 51);
    }
}

#[test]
fn a_damaged_file_is_refused_with_its_key() {
    let mut session = started(&*configured("aerr", &[]));
    session.set_keep_reads(true);
    session.set_total_cost(Some(50.0)).unwrap();
    for person in 0..4 {
        let query = session.ask().unwrap();
        tell(&mut session, &query, person);
    }
    let query = session.ask().unwrap();
    let name = session.attributes_of(&query).unwrap().next().unwrap().to_owned();
    session.tell_part(&query, &[(&name, Answer::Value(1.0))], None).unwrap();
    let whole: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
    Session::from_json(&whole.to_string()).unwrap();
    let refused = |change: &dyn Fn(&mut Value), expected: &str| {
        let mut damaged = whole.clone();
        change(&mut damaged);
        assert_ne!(damaged, whole);
        let error = Session::from_json(&damaged.to_string()).unwrap_err();
        assert_eq!((kind(&error).as_str(), key(&error)), ("BadFile", expected), "{error}");
    };
    refused(&|f| f["version"] = 2.into(), "version");
    refused(&|f| f["format"] = "halfseen-model".into(), "version");
    refused(&|f| f["colour"] = 2.into(), "");
    refused(&|f| f["classes"] = serde_json::json!(["a", "b", "c"]), "classes");
    refused(&|f| f["bounds"] = serde_json::json!({"low": [0.0], "high": [1.0]}), "bounds");
    refused(&|f| f["open"][0]["query"]["exact"] = 3.5.into(), "open");
    refused(&|f| f["open"][0]["query"]["reads"][0]["panel"] = 77.into(), "open");
    refused(&|f| f["open"][0]["query"]["learner"] = "00".into(), "open");
    refused(&|f| f["open"][0]["answers"] = serde_json::json!({"77": {"value": 1.0}}), "open");
    refused(&|f| f["open"] = serde_json::json!([]), "open");
    refused(&|f| f["unknown"] = serde_json::json!([4]), "open");
    refused(&|f| f["kept"][0]["answers"][0][0] = 77.into(), "kept");
    refused(&|f| f["kept"][0]["answers"][0][1] = serde_json::json!({"category": "a"}), "kept");
    refused(&|f| drop(f["prepare"]["schema"]["columns"].as_array_mut().unwrap().pop()), "prepare");
    refused(&|f| f["learner"]["state"]["ledger"]["open"] = serde_json::json!([]), "state");
}

/// Found by damaged sessions: a sum of 1e308 was loaded, overflowed, and could not be saved.
#[test]
fn a_state_of_numbers_that_would_overflow_is_refused() {
    fn first_float(value: &mut Value) -> Option<&mut Value> {
        match value {
            Value::Number(number) if number.is_f64() => Some(value),
            Value::Array(items) => items.iter_mut().find_map(first_float),
            Value::Object(entries) => entries.values_mut().find_map(first_float),
            _ => None,
        }
    }
    for name in ["aerr", "fiml"] {
        let mut session = started(&*configured(name, &[]));
        for person in 0..5 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
        }
        let mut file: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
        *first_float(&mut file["learner"]["state"]).unwrap() = Value::from(1e308);
        let error = Session::from_json(&file.to_string()).unwrap_err();
        assert_eq!((kind(&error).as_str(), key(&error)), ("BadFile", "state"), "{error}");
    }
}
