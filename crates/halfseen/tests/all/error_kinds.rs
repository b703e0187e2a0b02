//! Provokes every kind of error and checks that each message is one short line.

use halfseen::budget::{AskTell, Query};
use halfseen::data::{
    Column, Examples, Layout, Matrix, Place, Scaler, Table, Target, Task, TextColumn,
};
use halfseen::error::{list, nearest, short};
use halfseen::prepare::{Moment, Options, Prepared, Schema};
use halfseen::{Error, ErrorClass, ErrorKind, Learner, Silent, registry};
use ndarray::{Array2, array};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Returns the name of a kind.
fn name(kind: &ErrorKind) -> String {
    format!("{kind:?}").split(['(', ' ']).next().unwrap().to_owned()
}

/// Returns the names of all kinds, read from the file that declares them.
fn all_names() -> BTreeSet<String> {
    let source = include_str!("../../../halfseen-core/src/error.rs");
    let kinds = source.split("pub enum ErrorKind {").nth(1).unwrap().split("\n}").next().unwrap();
    let start = |line: &str| {
        let rest = line.strip_prefix("    ")?;
        let name: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
        rest.starts_with(char::is_uppercase).then_some(name)
    };
    kinds.lines().filter_map(start).collect()
}

fn table(columns: &[(&str, &[f64])]) -> Table {
    let rows = columns[0].1.len();
    let x = Array2::from_shape_fn((rows, columns.len()), |(i, j)| columns[j].1[i]);
    Table::from_matrix(Matrix::F64(x), columns.iter().map(|c| c.0.to_owned()).collect()).unwrap()
}

fn text_table(name: &str, texts: &[&str]) -> Table {
    let levels: Vec<String> = texts.iter().map(|t| (*t).to_owned()).collect();
    let text = TextColumn { codes: (0..texts.len() as u32).collect(), levels };
    let column = Column { name: name.to_owned(), place: Place::Text(0) };
    Table::new(Matrix::F64(Array2::zeros((texts.len(), 0))), vec![text], vec![column]).unwrap()
}

fn fit_cells(cells: Array2<f64>) -> Error {
    fit_cells_of(&*registry::find("aerr").unwrap(), cells)
}

fn fit_cells_of(learner: &dyn Learner, cells: Array2<f64>) -> Error {
    let (matrix, layout) = (Matrix::F64(cells), Arc::new(Layout::singletons(2)));
    let targets = vec![1.0; matrix.rows()];
    let examples = Examples::new(&matrix, &Scaler::None {}, &layout, &targets);
    learner.fit(&examples, &Silent).unwrap_err()
}

/// Returns the error for a column of ones whose second moment is declared to be 0.
fn contradicted(column: &str) -> Error {
    let table = table(&[(column, &[1.0, 1.0]), ("y", &[0.0, 1.0])]);
    let target = Target::read(&table, "y", Some(Task::Regression)).unwrap();
    let moments = [(column.to_owned(), Moment { square: 0.0, mean: None })].into();
    let options = Options { moments, honest: true, ..Options::default() };
    let prepared = Prepared::new(&table, ("y", &target), &[0, 1], &options).unwrap();
    registry::find("aerr").unwrap().fit(&prepared.examples(), &Silent).unwrap_err()
}

/// Fits two rows, the second with this weight.
fn fit_weights(learner: &dyn Learner, weight: f64) -> Error {
    let (matrix, scaler, layout) =
        (Matrix::F64(Array2::ones((2, 2))), Scaler::None {}, Arc::new(Layout::singletons(2)));
    let weights = [1.0, weight];
    let examples = Examples {
        weights: Some(&weights),
        ..Examples::new(&matrix, &scaler, &layout, &[1.0, 2.0])
    };
    learner.fit(&examples, &Silent).unwrap_err()
}

/// Fits two rows with themselves as a pilot.
fn fit_with_pilot(learner: &dyn Learner) -> Error {
    let (matrix, scaler, layout) =
        (Matrix::F64(Array2::ones((2, 2))), Scaler::None {}, Arc::new(Layout::singletons(2)));
    let pilot = Examples::new(&matrix, &scaler, &layout, &[1.0, 2.0]);
    learner.fit(&Examples { pilot: Some(&pilot), ..pilot.clone() }, &Silent).unwrap_err()
}

fn asking() -> (Box<dyn AskTell>, Query) {
    let mut aerr = registry::find("aerr").unwrap();
    aerr.set("average", "all").unwrap();
    let mut started = aerr.start(&Arc::new(Layout::singletons(3))).unwrap().unwrap();
    let query = started.ask().unwrap();
    (started, query)
}

/// Returns the errors of learners that ask over three attributes.
fn of_askers() -> Vec<Error> {
    let layout = Arc::new(Layout::singletons(3));
    let find = |name| registry::find(name).unwrap();
    let mut fiml = find("fiml");
    fiml.set("total_cost", "4").unwrap(); // one example costs 3
    let mut asker = registry::start(&*fiml, &layout, 0).unwrap();
    asker.ask().unwrap();
    let query = {
        let mut other = find("fiml");
        other.set("total_cost", "9").unwrap();
        registry::start(&*other, &layout, 0).unwrap().ask().unwrap()
    };
    let mut told = registry::start(&*find("fiml"), &layout, 0).unwrap();
    let own = told.ask().unwrap();
    let changed = Query { exact: 1.0, number: 1, ..own.clone() };
    told.observe(7, &[(2, 0.5)], None).unwrap();
    let copy = registry::load(&told.save_to_draw().unwrap()).unwrap();
    vec![
        asker.ask().unwrap_err(),
        asker.adopt(&query).unwrap_err(),
        told.adopt(&own).unwrap_err(),
        registry::start(&*find("fiml"), &layout, 0).unwrap().adopt(&changed).unwrap_err(),
        copy.fitted(&Silent).unwrap_err(),
        registry::start(&*find("ridge"), &layout, 0).err().unwrap(),
    ]
}

/// Returns at least one error of every kind, each from the call that gives it. `Numerical` and
/// `Interrupted` arise in solvers of other modules and are made directly.
fn provoked(long: &str) -> Vec<Error> {
    let mut aerr = registry::find("aerr").unwrap();
    // Long lists whose first names are long.
    let entry = |i: usize| if i < 20 { format!("{long}{i}") } else { format!("c{i}") };
    let many: Vec<String> = (0..10_000).map(entry).collect();
    let wide = Table::from_matrix(Matrix::F64(Array2::zeros((2, 10_000))), many.clone()).unwrap();
    let two = table(&[("a", &[1.0, 2.0]), (long, &[3.0, 4.0])]);
    let schema = Schema::fit(&two, &[0, 1], &[], &[], vec![]).unwrap();
    let texts = text_table(long, &many.iter().map(String::as_str).collect::<Vec<_>>());
    let small = |budget: &str, columns| {
        let mut aerr = registry::find("aerr").unwrap();
        aerr.set("budget", budget).unwrap();
        aerr.start(&Arc::new(Layout::singletons(columns))).err().unwrap()
    };
    let (mut started, query) = asking();
    let mut passive = registry::find("aelr").unwrap();
    passive.set("passive", "all").unwrap();
    let mut foreign = query.clone();
    foreign.learner ^= 1;
    let mut state = started.save().unwrap();
    state[long] = 1.into();
    let mut errors = vec![
        aerr.set("radius", "-1").unwrap_err(),
        aerr.set("radius", long).unwrap_err(),
        aerr.set(long, "1").unwrap_err(),
        registry::find(long).unwrap_err(),
        small("1", 3),
        small("4", 3),
        {
            let mut aerr = registry::find("aerr").unwrap();
            aerr.set("total_budget", "3").unwrap();
            let mut started = aerr.start(&Arc::new(Layout::singletons(3))).unwrap().unwrap();
            started.ask().unwrap();
            started.ask().unwrap_err()
        },
        registry::find("baseline")
            .unwrap()
            .start(&Arc::new(Layout::singletons(30_000)))
            .err()
            .unwrap(),
        {
            aerr.set("centre", "given").unwrap();
            aerr.start(&Arc::new(Layout::singletons(3))).err().unwrap()
        },
        Schema { prices: [(long.to_owned(), -1.0)].into(), ..schema.clone() }.layout().unwrap_err(),
        fit_weights(&*registry::find("aerr").unwrap(), 1.0),
        fit_weights(&*registry::find("ridge").unwrap(), f64::NAN),
        fit_with_pilot(&*registry::find("ridge").unwrap()),
        started.ask_observed_into(&[0], &mut Query::default()).unwrap_err(),
        started.observe(9, &[(0, 1.0)], Some(1.0)).unwrap_err(),
        fit_cells_of(&*passive, Array2::from_elem((1, 2), f64::NAN)),
        {
            let mut aesvr = registry::find("aesvr").unwrap();
            for (name, value) in [("loss", "logistic"), ("norm_bound", "2"), ("budget", "2")] {
                aesvr.set(name, value).unwrap();
            }
            aesvr.start(&Arc::new(Layout::singletons(3))).err().unwrap()
        },
        wide.column(long).unwrap_err(),
        Table::from_matrix(Matrix::F64(array![[1.0, 2.0]]), vec![long.into(), long.into()])
            .unwrap_err(),
        Table::from_matrix(Matrix::F64(array![[1.0, 2.0]]), vec![long.into()]).unwrap_err(),
        fit_cells(Array2::zeros((0, 2))),
        Schema::fit(&two, &[0], &["a", long], &[], vec![]).unwrap_err(),
        fit_cells(Array2::from_elem((1, 2), f64::INFINITY)),
        fit_cells(Array2::from_elem((1, 2), 1e200)),
        fit_cells(Array2::from_elem((1, 2), f64::NAN)),
        Schema::fit(&text_table(long, &[long]), &[0], &[], &[], vec![])
            .and_then(|schema| schema.with_dates(&[(long.into(), "%Y-%m-%d".into())].into()))
            .unwrap()
            .encode(&text_table(long, &[long]))
            .unwrap_err(),
        contradicted(long),
        Target::read(&table(&[(long, &[1.0, f64::NAN])]), long, None).unwrap_err(),
        Target::read(&text_table(long, &[long, long]), long, None).unwrap_err(),
        Target::read(&texts, long, Some(Task::Regression)).unwrap_err(),
        Target::read(&text_table(long, &["a", "b", long]), long, None)
            .unwrap()
            .scores()
            .unwrap_err(),
        schema
            .encode(
                &Table::new(
                    Matrix::F64(array![[1.0], [1.0], [1.0]]),
                    vec![TextColumn { codes: vec![0; 3], levels: vec!["x".into()] }],
                    vec![
                        Column { name: "a".into(), place: Place::Number(0) },
                        Column { name: long.into(), place: Place::Text(0) },
                    ],
                )
                .unwrap(),
            )
            .unwrap_err(),
        Schema::fit(&wide, &[0], &[], &[], vec![]).unwrap().encode(&two).unwrap_err(),
        ErrorKind::InPart {
            part: long.to_owned(),
            problem: Box::new(ErrorKind::OtherColumns { name: long.to_owned(), is_more: true }),
        }
        .into(),
        ErrorKind::OtherColumns { name: long.to_owned(), is_more: false }.into(),
        ErrorKind::KindDiffers { column: long.to_owned(), expected: "numbers", found: "text" }
            .into(),
        ErrorKind::OtherPlan {
            what: "scale".to_owned(),
            own: long.to_owned(),
            theirs: long.to_owned(),
        }
        .into(),
        ErrorKind::NotLinear.into(),
        ErrorKind::TooMuchMemory {
            learner: long.to_owned(),
            rows: 40_000,
            columns: 20_000,
            needed: 35.8e9,
            allowed: 8e9,
            widest: Some((long.to_owned(), 14_700)),
            remedy: "less".into(),
        }
        .into(),
        ErrorKind::LittleAddressSpace {
            what: long.to_owned(),
            needed: 0.2e9,
            reserved: 1.1e9,
            limit: 0.5e9,
        }
        .into(),
        started.tell(&foreign, &[], 0.0).unwrap_err(),
        started.forget(17).unwrap_err(),
        started.tell(&query, &[], 0.0).unwrap_err(),
        started.tell(&query, &vec![1e99; query.parts.len()], 1e99).unwrap_err(),
        registry::load(&state).err().unwrap(),
        registry::load(&serde_json::json!({ "format": long })).err().unwrap(),
        registry::read_model(&serde_json::json!({ "format": long, "version": 1 }).to_string())
            .unwrap_err(),
        registry::read_model(
            &serde_json::json!({ "format": "halfseen-model", "version": 3, long: 1 }).to_string(),
        )
        .unwrap_err(),
        ErrorKind::Numerical { what: "a routine", problem: long.to_owned() }.into(),
        ErrorKind::Interrupted { during: "measuring" }.into(),
    ];
    errors.extend(halfseen::sampling::AliasTable::new(&[f64::NAN]).err().map(Error::from));
    errors.extend(of_askers());
    errors
}

#[test]
fn every_kind_is_provoked() {
    let provoked: BTreeSet<String> = provoked("column").iter().map(|e| name(e.kind())).collect();
    let all = all_names();
    let missing: Vec<&String> = all.difference(&provoked).collect();
    assert!(missing.is_empty(), "no case provokes {missing:?}");
    assert_eq!(all.len(), 34);
}

#[test]
fn every_message_is_one_line_of_at_most_a_kilobyte() {
    let wide = ["x", "é", "漢", "🦀", "\u{1}", "\n", "'", "\\", "\u{202e}", "`"];
    for character in wide {
        let long = character.repeat(10_000);
        for error in provoked(&long) {
            let message = error.to_string();
            assert!(message.len() <= 1024, "{} bytes: {message}", message.len());
            assert!(!message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{message:?}");
            assert!(message.len() > 10, "{message}");
        }
    }
}

#[test]
fn every_kind_belongs_to_somebody() {
    for error in provoked("column") {
        let class = match name(error.kind()).as_str() {
            "Diverged" | "Numerical" => ErrorClass::Numerical,
            "Interrupted" => ErrorClass::Interrupted,
            "Table" | "WrongCell" | "TooFewRows" | "NoAttributes" | "NotFinite" | "TooLarge"
            | "MissingCell" | "WrongTarget" | "InPart" | "OtherColumns" | "KindDiffers"
            | "OtherPlan" | "BadFile" => ErrorClass::Data,
            _ => ErrorClass::Parameter,
        };
        assert_eq!(error.class(), class, "{error}");
    }
}

#[test]
fn names_are_cut_at_64_characters_and_lists_at_ten() {
    assert_eq!(short("it's \"quoted\""), "it's \"quoted\"");
    assert_eq!(short("a\tb\\"), "a\\tb\\\\");
    assert_eq!(short(&"x".repeat(64)), "x".repeat(64));
    assert_eq!(short(&"x".repeat(65)), "x".repeat(64) + "…");
    let names: Vec<String> = (0..12).map(|i| format!("c{i}")).collect();
    assert_eq!(list(&names).to_string(), "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 and 2 more");
    assert_eq!(list(&names[..10]).to_string(), "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9");
    assert_eq!(list::<&str>(&[]).to_string(), "");
}

#[test]
fn suggestions_are_near_and_only_near() {
    let known = ["radius", "penalty", "seed", "step"];
    assert_eq!(nearest("raduis", &known).as_deref(), Some("radius"));
    assert_eq!(nearest("RADIUS", &known).as_deref(), Some("radius"));
    assert_eq!(nearest("stepp", &known).as_deref(), Some("step"));
    assert_eq!(nearest("regularisation", &known), None);
    assert_eq!(nearest(&"z".repeat(10_000), &known), None, "nothing is near to a long name");
    assert_eq!(nearest("seed", &[] as &[&str]), None);
}
