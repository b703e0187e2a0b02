//! Checks `fiml` with more than two classes: one model each, from the same reads.

use crate::common::{Data, key, kind, learner, singletons};
use halfseen::Silent;
use halfseen::budget::Query;
use halfseen::data::{Examples, Label, Labels, Matrix, Target, TargetScale};
use halfseen::model::{Fit, Predictor};
use halfseen::session::{Answer, Session, Start};

const ROWS: usize = 900;
const COLUMNS: usize = 7;

/// The class is which of three attributes is largest, in units of its own.
fn data() -> Data {
    let mut data = Data::random(ROWS, &singletons(COLUMNS), 4);
    let unit = |j: usize| 0.2 + 0.6 * (j as f64 / 6.0);
    let largest = |i: usize| {
        let of = |class: usize| data.x[[i, 2 * class + 1]] / unit(2 * class + 1);
        (0..3).max_by(|a, b| of(*a).total_cmp(&of(*b))).unwrap() as u32
    };
    data.codes = Some((0..ROWS).map(largest).collect());
    data.y.fill(f64::NAN);
    data
}

fn codes(data: &Data) -> &[u32] {
    data.codes.as_ref().unwrap()
}

fn fitted(settings: &[(&str, &str)], examples: &Examples<'_>) -> Fit {
    let settings = [&[("budget", "3"), ("seed", "5")], settings].concat();
    learner("fiml", &settings).fit(examples, &Silent).unwrap()
}

fn each(fit: &Fit) -> &[Predictor] {
    let Predictor::Classes(each) = &fit.predictor else { panic!("{:?}", fit.predictor) };
    &each.classes
}

/// Share of the rows whose class is predicted.
fn right(fit: &Fit, data: &Data) -> f64 {
    let scores = fit.predictor.scores(&data.examples()).unwrap();
    assert_eq!((scores.outputs, scores.len()), (3, ROWS));
    let hits = codes(data).iter().enumerate().filter(|(row, c)| scores.class(*row) == **c as usize);
    hits.count() as f64 / ROWS as f64
}

fn signs_of(class: u32, data: &Data) -> (Vec<f64>, Vec<u32>) {
    let member: Vec<u32> = codes(data).iter().map(|&code| u32::from(code == class)).collect();
    (member.iter().map(|&m| 2.0 * f64::from(m) - 1.0).collect(), member)
}

/// Uniform reads do not depend on targets, so that a fit to the signs of one class reads the same.
#[test]
fn the_model_of_a_class_is_the_fit_to_its_signs_from_the_same_reads() {
    let data = data();
    for settings in [
        &[("design", "uniform")][..],
        &[("design", "uniform"), ("link", "probit"), ("deviations", "3")],
        &[("passive", "all"), ("budget", "auto"), ("shape", "additive")],
    ] {
        let all = fitted(settings, &data.examples());
        let mut risk = 0.0;
        for (class, found) in (0..).zip(each(&all)) {
            let (signs, codes) = signs_of(class, &data);
            let labels = Some(Labels { codes: &codes, classes: 2 });
            let one = fitted(settings, &Examples { targets: &signs, labels, ..data.examples() });
            let alone = one.predictor.clone().without_clip();
            assert_eq!(found, &alone, "class {class} with {settings:?}");
            assert_eq!(all.report.reads, one.report.reads);
            risk += one.report.risk.unwrap() / 3.0;
        }
        assert!((all.report.risk.unwrap() - risk).abs() < 1e-12);
    }
}

#[test]
fn no_read_is_made_for_one_class_alone() {
    let data = data();
    let most = (0..3).map(|c| codes(&data).iter().filter(|&&code| code == c).count()).max();
    for design in ["uniform", "adaptive"] {
        let fit = fitted(&[("design", design)], &data.examples());
        assert_eq!((fit.report.reads, fit.report.examples), (3 * ROWS as u64, ROWS as u64));
        let (right, guess) = (right(&fit, &data), most.unwrap() as f64 / ROWS as f64);
        assert!(right > guess + 0.3, "{design}: {right}, and {guess} by the most frequent class");
    }
}

#[test]
fn a_class_of_few_rows_and_noise_are_no_error() {
    let mut data = data();
    let rare = data.codes.as_mut().unwrap();
    rare.iter_mut().enumerate().for_each(|(i, code)| {
        *code = if i == 17 { 2 } else { (i % 2) as u32 };
    });
    let fit = fitted(&[], &data.examples());
    let linear = |one: &Predictor| one.linear().unwrap().clone();
    // One row says nothing of the attributes, but of how rare its class is.
    let last = linear(&each(&fit)[2]);
    assert!(last.weights.iter().all(|w| *w == 0.0));
    assert!((last.intercept - (2.0 / ROWS as f64 - 1.0)).abs() < 1e-9, "{}", last.intercept);
}

fn label(code: u32) -> Label {
    Label::Text(["high", "low", "middle"][code as usize].into())
}

fn session(settings: &[(&str, &str)]) -> Session {
    let settings = [&[("budget", "3"), ("seed", "5")], settings].concat();
    let names: Vec<String> = (0..COLUMNS).map(|j| format!("a{j}")).collect();
    let classes = (0..3).map(label).collect();
    let learner = learner("fiml", &settings);
    let start = Start::new(&*learner, names).classes(classes).instance(1);
    start.scale(TargetScale { mean: 3.0, deviation: 2.0 }).begin().unwrap()
}

fn answers(session: &Session, query: &Query, data: &Data) -> Vec<Answer> {
    let value = |name: &str| {
        let column: usize = name[1..].parse().unwrap();
        Answer::Value(data.x[[query.number as usize, column]])
    };
    session.attributes_of(query).unwrap().map(value).collect()
}

fn model(session: &Session) -> String {
    session.model(&Silent).unwrap().to_json().unwrap()
}

#[test]
fn sessions_are_told_any_of_the_classes_and_resume() {
    let data = data();
    let (mut told, mut seen) = (session(&[]), session(&[]));
    assert!(session(&[]).ask().is_ok());
    for row in 0..300 {
        let query = told.ask().unwrap();
        let given = answers(&told, &query, &data);
        let names: Vec<String> = told.attributes_of(&query).unwrap().map(str::to_owned).collect();
        let named: Vec<(&str, Answer)> =
            names.iter().map(String::as_str).zip(given.clone()).collect();
        let target = label(codes(&data)[row]);
        let wrong = told.tell(&query, &given, &Label::Text("none".into())).unwrap_err();
        assert!(wrong.to_string().contains("not one of the classes, high, low, middle"), "{wrong}");
        told.tell(&query, &given, &target).unwrap();
        seen.observe(row as u64, &named, Some(&target)).unwrap();
        if row == 130 {
            told = Session::from_json(&told.to_json().unwrap()).unwrap();
        }
    }
    assert_eq!(model(&told), model(&seen));
    let found = told.model(&Silent).unwrap();
    assert_eq!(found.classes.len(), 3);
    let again = halfseen::model::Model::from_json(&found.to_json().unwrap()).unwrap();
    assert_eq!(again.predictor, found.predictor);
    let rows = Matrix::F64(data.x.clone());
    let target =
        Target::Classes { classes: (0..3).map(label).collect(), codes: codes(&data).to_vec() };
    let mut taught = session(&[]);
    taught.teach(&rows, &target, &Silent).unwrap();
    assert_eq!(taught.report().examples, ROWS as u64);
    let predictor = taught.model(&Silent).unwrap().predictor;
    let scores = predictor.scores(&data.examples()).unwrap();
    let hits = (0..ROWS).filter(|&row| scores.class(row) == codes(&data)[row] as usize).count();
    assert!(hits as f64 > 0.6 * ROWS as f64, "{hits}");
}

#[test]
fn states_that_contradict_their_classes_are_refused() {
    let data = data();
    let mut told = session(&[]);
    for row in 0..20 {
        let query = told.ask().unwrap();
        told.tell(&query, &answers(&told, &query, &data), &label(codes(&data)[row])).unwrap();
    }
    let json: serde_json::Value = serde_json::from_str(&told.to_json().unwrap()).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut json = json.clone();
        change(&mut json);
        Session::from_json(&json.to_string()).map(|_| ()).unwrap_err()
    };
    let fewer = refused(&|json| _ = json["classes"].as_array_mut().unwrap().pop());
    assert_eq!((kind(&fewer).as_str(), key(&fewer)), ("BadFile", "classes"));
    let scaled = refused(&|json| json["prepare"]["target"]["mean"] = 1.0.into());
    assert_eq!((kind(&scaled).as_str(), key(&scaled)), ("BadFile", "prepare"));
    for classes in [2_u64, 1 << 40] {
        let odd = refused(&|json| json["learner"]["state"]["classes"] = classes.into());
        assert_eq!((kind(&odd).as_str(), key(&odd)), ("BadFile", "state"));
    }
    let one = refused(&|json| json["classes"].as_array_mut().unwrap().truncate(1));
    assert!(one.to_string().contains("1 class"), "{one}");
    let code = refused(&|json| json["learner"]["state"]["reads"]["targets"][3] = 7.0.into());
    assert_eq!((kind(&code).as_str(), key(&code)), ("BadFile", "state"));
    assert!(Session::from_json(&json.to_string()).is_ok());
}

/// Learners that take steps on one score stay with two classes.
#[test]
fn other_learners_that_ask_name_those_that_can() {
    let classes = (0..3).map(label).collect();
    let refused = Start::new(&*learner("aerr", &[]), ["a", "b"]).classes(classes).begin();
    let error = refused.map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("3 classes") && error.contains("fiml"), "{error}");
    let mut asker = learner("aerr", &[]).start(&singletons(2)).unwrap().unwrap();
    assert_eq!(kind(&asker.classify(3).unwrap_err()), "WrongTarget");
    assert!(asker.classify(2).is_ok());
}
