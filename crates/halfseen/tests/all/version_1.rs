//! Reads model files, learner states and sessions that version 1 wrote, with its names of learners
//! and parameters: they predict, and go on, with the same bits, and are written as version 2. (Of
//! `fiml`, whose fit to the reads that it keeps has changed since, the bits are those of today's fit.)

use crate::common::collecting::tell;
use crate::common::{Data, layout};
use halfseen::Silent;
use halfseen::budget::Query;
use halfseen::data::{Column, Matrix, Place, Table};
use halfseen::model::Model;
use halfseen::registry::{ALIASES, find, load, names};
use halfseen::sampling::{Purpose, Stream};
use halfseen::session::Session;
use ndarray::Array2;
use serde_json::Value;
use std::collections::BTreeSet;

/// The names of version 1.
const PARAMETERS: [&str; 3] = ["money", "reading", "values"];

/// What version 1 wrote of one kind, each with what it gave.
fn saved(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("../saved/version_1.json")).unwrap();
    all[kind].as_array().unwrap().clone()
}

/// The rows that were predicted.
fn table() -> Table {
    let mut stream = Stream::new(7, Purpose::Data, 0);
    let cells = Array2::from_shape_simple_fn((28, 4), || 2.0 * stream.unit() - 1.0);
    let columns = (0..4).map(|j| Column { name: format!("x{j}"), place: Place::Number(j) });
    let table = Table::new(Matrix::F64(cells), vec![], columns.collect()).unwrap();
    table.select_rows(&[24, 25, 26, 27])
}

fn bits(values: &[f64]) -> Value {
    values.iter().map(|v| format!("{:x}", v.to_bits())).collect::<Vec<_>>().into()
}

/// Checks a file of today: of version 2, with the own name of a learner and parameters that it has.
fn check_names(file: &Value) {
    assert_eq!(file["version"], 2);
    let learner = find(file["learner"].as_str().unwrap()).unwrap();
    assert_eq!(learner.name(), file["learner"]);
    let params = file["params"].as_object().unwrap();
    let own = learner.to_json();
    assert!(params.keys().all(|name| own.contains_key(name)), "{params:?}");
    assert!(!PARAMETERS.iter().any(|old| params.contains_key(*old)), "{params:?}");
}

#[test]
fn models_predict_the_same_and_are_written_with_the_new_names() {
    let mut learners = BTreeSet::new();
    for saved in saved("models") {
        let old = &saved["model"];
        assert_eq!(old["version"], 1);
        learners.insert(old["learner"].as_str().unwrap().to_owned());
        let mut model = Model::from_json(&old.to_string()).unwrap();
        for _ in 0..2 {
            let scores = model.predict(&table()).unwrap().scores.values;
            assert_eq!(bits(&scores), saved["predictions"], "{}", old["learner"]);
            let written = model.to_json().unwrap();
            let file: Value = serde_json::from_str(&written).unwrap();
            check_names(&file);
            assert_eq!(file["report"]["learner"], file["learner"]);
            assert_eq!(file["predictor"], old["predictor"]);
            let costs = |file: &Value, key: &str| file["report"]["threat"][key].clone();
            assert_eq!(costs(&file, "costs"), costs(old, "values"));
            model = Model::from_json(&written).unwrap();
        }
        let (learner, params) = (find(old["learner"].as_str().unwrap()).unwrap(), &model.params);
        // There were no curves.
        assert!(learner.name() != "fiml" || params["shape"] == "linear", "{params:?}");
        for alias in ALIASES.iter().filter(|alias| old["learner"] == alias.name) {
            assert_eq!(
                (learner.name(), &params[alias.parameter]),
                (alias.learner, &alias.value.into())
            );
        }
        for (name, value) in old["params"].as_object().unwrap() {
            let now = halfseen::registry::with_params(&model.learner, params).unwrap();
            let text = value.as_str().map_or(value.to_string(), str::to_owned);
            let mut same = now.clone();
            same.set(name, &text).unwrap();
            assert_eq!(same.to_json(), now.to_json(), "{name} of {}", old["learner"]);
        }
    }
    let of_then = names().filter(|name| !["imputation", "completion"].contains(name));
    assert_eq!(learners, of_then.map(str::to_owned).collect());
}

#[test]
fn learners_go_on_from_their_states() {
    let data = Data::random(60, &layout(&[1, 2, 1], &[1]), 31);
    for saved in saved("states") {
        let name = saved["state"]["learner"].clone();
        let open: Query = serde_json::from_value(saved["open"].clone()).unwrap();
        let mut learner = load(&saved["state"]).unwrap();
        // The query was asked by version 1, and is answered here.
        learner.tell(&open, &data.answer(&open, 20), data.y[20]).unwrap();
        data.teach(&mut *learner, 21..30);
        let file = learner.save().unwrap();
        check_names(&file);
        let mut learner = load(&file).unwrap();
        assert_eq!(learner.fingerprint(), open.learner, "{name}");
        data.teach(&mut *learner, 30..40);
        let last = learner.predictor();
        let weights = [&last.weights[..], &[last.intercept]].concat();
        assert_eq!(bits(&weights), saved["weights"], "{name}");
    }
}

#[test]
fn sessions_go_on_with_their_open_queries() {
    for saved in saved("sessions") {
        let name = &saved["session"]["learner"]["learner"];
        let mut session = Session::from_json(&saved["session"].to_string()).unwrap();
        let open: Query = serde_json::from_value(saved["open"].clone()).unwrap();
        tell(&mut session, &open, 20);
        for person in 21..40 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
            session = Session::from_json(&session.to_json().unwrap()).unwrap();
        }
        let model = session.model(&Silent).unwrap();
        let (weights, constant) = model.raw_weights().unwrap();
        let weights: Vec<f64> = weights.into_iter().map(|(_, w)| w).chain([constant]).collect();
        assert_eq!(bits(&weights), saved["weights"], "{name}");
        check_names(&serde_json::from_str(&model.to_json().unwrap()).unwrap());
    }
}
