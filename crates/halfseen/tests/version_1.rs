//! Reads model files, learner states and sessions of version 1: they predict, and go on, with the
//! same bits.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::collecting::{answers, started as session_of, tell};
use common::{Data, layout, started};
use halfseen::Silent;
use halfseen::budget::Query;
use halfseen::data::{Column, Matrix, Place, Table, Target};
use halfseen::learner::Family;
use halfseen::model::Model;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use ndarray::Array2;
use serde_json::{Value, json};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/saved/version_1.json");

/// A table of 24 rows, of which four are predicted only.
fn table() -> Table {
    let mut stream = Stream::new(7, Purpose::Data, 0);
    let cells = Array2::from_shape_simple_fn((28, 4), || 2.0 * stream.unit() - 1.0);
    let target = |row: ndarray::ArrayView1<'_, f64>| f64::from(row[0] - 0.5 * row[2] > 0.1);
    let y = cells.rows().into_iter().map(target).collect();
    let columns = (0..4).map(|j| Column { name: format!("x{j}"), place: Place::Number(j) });
    let table = Table::new(Matrix::F64(cells), vec![], columns.collect()).unwrap();
    table.with_column("y", y).unwrap()
}

fn bits(values: &[f64]) -> Vec<String> {
    values.iter().map(|v| format!("{:x}", v.to_bits())).collect()
}

fn predictions(model: &Model) -> Vec<String> {
    bits(&model.predict(&table().select_rows(&[24, 25, 26, 27])).unwrap().scores.values)
}

const MODELS: &str = "aer: money=5 | aerr: money=4 step_rule=adagrad | aelr: passive=all | pnorm: money=3 | gaerr: \
    | gaerr: money=5 probabilities=0.1,0.2,0.3,0.4 | ddaerr: moments=online money=3 | ddaerr: moments=1,2,0.5,1 inner=moments \
    | ddaelr: moments=online | ddaerr-2p: money=3 phase1=8 | ddaerr-2p: moment_norm=4 smoothing=1.3 | ddaelr-2p: phase1=0.5 \
    | baseline: reading=diag-shift | baseline: reading=stationary | identity: | aesvr: loss=hinge | fiml: | karma: c=10 | \
    karma: features=sketch:8 | zero: | mean: loss=squared | mcb: label_weight=1 | mc1: | mc1: loss=squared rank_penalty=0.1 | \
    geom: | robust-lp: values=mi threat=1 | robust-lp: values=1,2,1,2 threat=2 deletions=whole | robust-perceptron: values=1,0.5,1,2 \
    threat=1 damage=noise | robust-perceptron: | fdrop: values=mi threat=1 | ridge: | lasso: | online-lasso: variant=rda | ogd: | svm:";

const STATES: &str = "aer: money=4 budget=3 | aerr: money=4 budget=3 average=tail | aelr: passive=all | pnorm: money=3 | gaerr: money=3 | \
    ddaerr: moments=online money=3 | ddaerr: moments=1,2,0.5,1,1 | ddaelr: moments=online | ddaerr-2p: phase1=30 | ddaerr-2p: phase1=8 \
    money=3 moment_norm=4 | ddaelr-2p: phase1=25 | baseline: reading=stationary | identity: | aesvr: loss=absolute | fiml:";

fn runs(all: &str) -> Vec<(String, Vec<(String, String)>)> {
    let pair = |s: &str| s.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let run = |some: &str| {
        let (name, settings) = some.trim().split_once(':').unwrap();
        // The first colon only: "sketch:8" is after it.
        (name.to_owned(), settings.split_whitespace().map(pair).collect())
    };
    all.split(" | ").map(run).collect()
}

#[test]
fn write() {
    let table = table();
    let target = Target::read(&table, "y", Some(halfseen::data::Task::Classification)).unwrap();
    let mut models = Vec::new();
    for (name, settings) in runs(MODELS) {
        let mut learner = find(&name).unwrap();
        if learner.family() == Family::Budget {
            learner.set("budget", "2").unwrap();
        }
        for (key, value) in &settings {
            learner.set(key, value).unwrap();
        }
        let rows: Vec<u32> = (0..24).collect();
        let options = Options { missing: Missing::Mean, ..Options::default() };
        let options = options.for_fit(&learner.needs());
        let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
        let mut fit = learner.fit(&prepared.examples(), &Silent).unwrap();
        fit.report.seconds = 0.0;
        let model = Model::of(&*learner, &prepared, ("y", &target), fit);
        let file: Value = serde_json::from_str(&model.to_json().unwrap()).unwrap();
        models.push(json!({"model": file, "predictions": predictions(&model)}));
    }
    let data = Data::random(60, &layout(&[1, 2, 1], &[1]), 31);
    let mut states = Vec::new();
    for (name, settings) in runs(STATES) {
        let mut all = vec![("budget", "2"), ("horizon", "100")];
        all.extend(settings.iter().map(|(k, v)| (k.as_str(), v.as_str())));
        if name == "ddaerr" && settings[0].1 != "online" {
            all.retain(|s| s.0 != "moments");
            all.push(("moments", "1,2,0.5,1,1"));
        }
        let mut learner = started(&name, &all, &data.layout);
        data.teach(&mut *learner, 0..20);
        let open = learner.ask().unwrap();
        let state = learner.save().unwrap();
        let answer = data.answer(&open, 20);
        learner.tell(&open, &answer, data.y[20]).unwrap();
        data.teach(&mut *learner, 21..40);
        let last = learner.predictor();
        let weights = bits(&[&last.weights[..], &[last.intercept]].concat());
        states.push(json!({"state": state, "open": open, "weights": weights}));
    }
    let mut sessions = Vec::new();
    for (name, settings) in [
        ("aerr", vec![("money", "7")]),
        ("ddaerr-2p", vec![("phase1", "12"), ("money", "7")]),
        ("ddaelr-2p", vec![]),
        ("baseline", vec![("reading", "diag-shift")]),
        ("fiml", vec![]),
    ] {
        let mut session = session_of(&*common::collecting::configured(name, &settings));
        for person in 0..20 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
        }
        let open: Query = session.ask().unwrap();
        let asked = session.attributes_of(&open).unwrap().next().unwrap().to_owned();
        let first = answers(&session, &open, 20).into_iter().next().unwrap();
        session.tell_part(&open, &[(&asked, first)], None).unwrap();
        let text: Value = serde_json::from_str(&session.to_json().unwrap()).unwrap();
        tell(&mut session, &open, 20);
        for person in 21..40 {
            let query = session.ask().unwrap();
            tell(&mut session, &query, person);
        }
        let (weights, constant) = session.model(&Silent).unwrap().raw_weights().unwrap();
        let mut weights: Vec<f64> = weights.into_iter().map(|(_, w)| w).collect();
        weights.push(constant);
        sessions.push(json!({"session": text, "open": open, "weights": bits(&weights)}));
    }
    let all = json!({"models": models, "states": states, "sessions": sessions});
    std::fs::write(FILE, all.to_string()).unwrap();
}
