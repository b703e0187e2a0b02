//! Holds learning from an example in one go to asking about it and telling.

use super::ask_tell::each_started;
use super::common::{Data, budgeted, learner, subjects_of};
use halfseen::budget::{AskTell, Query, ReadRows, TellOutcome};
use halfseen::data::Layout;
use halfseen::{ErrorKind, Result, registry::load};
use serde_json::json;
use std::sync::Arc;

#[test]
fn learning_in_one_go_has_the_bits_of_asking_and_telling() {
    each_started(|name, data, mut told| {
        let mut at_once = load(&told.save().unwrap()).unwrap();
        let (mut query, mut values) = (Query::default(), Vec::new());
        for row in 20..200 {
            let asked = told.ask().unwrap();
            let refused = row % 13 == 0;
            let answer = |query: &Query| {
                let mut values = data.answer(query, row);
                values.iter_mut().take(usize::from(refused)).for_each(|v| *v = f64::NAN);
                values
            };
            let expected = told.tell(&asked, &answer(&asked), data.y[row]).unwrap();
            let mut read = |query: &Query, values: &mut Vec<f64>| {
                values.extend(answer(query));
                Ok(data.y[row])
            };
            let learned = at_once.learn_from(&mut query, &mut values, &mut read).unwrap();
            assert_eq!(learned, expected, "{name}");
        }
        assert_eq!(at_once.save().unwrap().to_string(), told.save().unwrap().to_string(), "{name}");
    });
}

#[test]
fn an_error_of_the_reader_teaches_nothing_and_leaves_no_query_open() {
    each_started(|name, data, mut learner| {
        let (mut query, mut values) = (Query::default(), Vec::new());
        let before = learner.report();
        for target in [None, Some(f64::INFINITY), Some(f64::NAN)] {
            let mut read = |query: &Query, values: &mut Vec<f64>| {
                values.extend(data.answer(query, 20));
                target.ok_or_else(|| ErrorKind::NoAttributes.into())
            };
            learner.learn_from(&mut query, &mut values, &mut read).unwrap_err();
        }
        let ledger = &learner.save().unwrap()["state"]["ledger"];
        assert_eq!((&ledger["next"], &ledger["open"]), (&json!(23), &json!([])), "{name}");
        let after = learner.report();
        assert_eq!((after.examples, after.reads), (before.examples, before.reads), "{name}");
    });
}

/// Settings that change what a row of numbers teaches.
const SETTINGS: [&[(&str, &str)]; 9] = [
    &[],
    &[("centre", "none")],
    &[("intercept", "false")],
    &[("step_rule", "adagrad"), ("average", "all")],
    &[("horizon", "auto")],
    &[("inner", "mixed")],
    &[("budget", "15")],
    &[("total_budget", "700")],
    &[("loss", "absolute")],
];

/// Layouts of 20 attributes, one column each: plain, in units of their own, and with prices.
fn layouts() -> [Arc<Layout>; 3] {
    let priced = (1..=20).map(f64::from).collect();
    [
        Arc::new(Layout::singletons(20)),
        Arc::new(Layout::singletons(20).by_reads()),
        Arc::new(Layout::singletons(20).with_prices(priced).unwrap()),
    ]
}

/// One row of a table, whose values may be spoilt.
struct Row<'a> {
    cells: Vec<f64>,
    spoil: &'a dyn Fn(&mut Vec<f64>),
    target: Option<f64>,
}

impl ReadRows for Row<'_> {
    fn read(&mut self, panels: &[u32], values: &mut Vec<f64>) -> Result<f64> {
        values.extend(panels.iter().map(|&panel| self.cells[panel as usize]));
        (self.spoil)(values);
        self.target.ok_or_else(|| ErrorKind::NoAttributes.into())
    }
}

/// Teaches a row without a query, where the learner can, and counts that.
fn directly(
    learner: &mut dyn AskTell,
    data: &Data,
    row: usize,
    direct: &mut usize,
) -> Result<TellOutcome> {
    let (cells, target) = (data.x.row(row).to_vec(), Some(data.y[row]));
    if let Some(told) = learner.learn_directly(&mut Row { cells, spoil: &|_| (), target }) {
        *direct += 1;
        return told;
    }
    let (mut query, mut values) = (Query::default(), Vec::new());
    learner.learn_from(&mut query, &mut values, &mut |query, values| {
        values.extend(data.answer(query, row));
        Ok(data.y[row])
    })
}

/// Asks about a row and tells its answer.
fn asked(learner: &mut dyn AskTell, data: &Data, row: usize) -> Result<TellOutcome> {
    let query = learner.ask()?;
    learner.tell(&query, &data.answer(&query, row), data.y[row])
}

#[test]
fn rows_learned_without_a_query_give_the_bits_of_asking_and_telling() {
    let (names, mut reached) = (budgeted(), Vec::new());
    for layout in layouts() {
        let data = Data::random(150, &layout, 5);
        for (name, changes) in names.iter().flat_map(|n| SETTINGS.iter().map(move |s| (n, s))) {
            let learner =
                learner(name, &[&[("budget", "6"), ("horizon", "150")], *changes].concat());
            let Ok(Some(mut told)) = learner.start(&layout) else { continue };
            let mut taught = load(&told.save().unwrap()).unwrap();
            let (mut direct, mut open) = (0, Vec::new());
            for row in 0..150 {
                // Queries of others are open meanwhile, and answered late.
                if row % 40 == 30 {
                    open.extend([&mut told, &mut taught].map(|learner| learner.ask()));
                }
                let expected = asked(&mut *told, &data, row);
                let actual = directly(&mut *taught, &data, row, &mut direct);
                match (actual, expected) {
                    (Ok(a), Ok(b)) => assert_eq!(a, b, "{name} {changes:?}"),
                    (actual, expected) => assert_eq!(
                        actual.unwrap_err().to_string(),
                        expected.unwrap_err().to_string(),
                        "{name} {changes:?}"
                    ),
                }
                if row % 40 == 35 {
                    let late = open.drain(..).zip([&mut told, &mut taught]);
                    late.filter_map(|(query, learner)| Some((query.ok()?, learner))).for_each(
                        |(query, learner)| {
                            let values = data.answer(&query, row - 1);
                            learner.tell(&query, &values, data.y[row - 1]).unwrap();
                        },
                    );
                }
            }
            let [told, taught] = [told, taught].map(|learner| learner.save().unwrap().to_string());
            assert_eq!(taught, told, "{name} {changes:?}");
            if direct > 0 {
                reached.push(name.as_str());
            }
        }
    }
    reached.sort_unstable();
    reached.dedup();
    for name in subjects_of(["aelr", "aer", "aerr", "ddaelr", "ddaerr", "gaerr", "pnorm"]) {
        assert!(reached.contains(&name), "{name} never learned without a query: {reached:?}");
    }
}

#[test]
fn without_a_query_an_error_uses_the_number_and_teaches_nothing() {
    let layout = Arc::new(Layout::singletons(20));
    let data = Data::random(60, &layout, 5);
    let mut learner = learner("aerr", &[("budget", "6")]).start(&layout).unwrap().unwrap();
    for row in 0..50 {
        directly(&mut *learner, &data, row, &mut 0).unwrap();
    }
    let before = learner.report();
    type Spoil = fn(&mut Vec<f64>);
    let readers: [(Spoil, Option<f64>); 5] = [
        (|_| (), None),
        (|_| (), Some(f64::NAN)),
        (|_| (), Some(f64::INFINITY)),
        (|values| values[2] = 1e300, Some(1.0)),
        (|values| values.truncate(3), Some(1.0)),
    ];
    for (spoil, target) in readers {
        let mut row = Row { cells: vec![0.5; 20], spoil: &spoil, target };
        learner.learn_directly(&mut row).expect("without a query").unwrap_err();
    }
    let ledger = &learner.save().unwrap()["state"]["ledger"];
    assert_eq!((&ledger["next"], &ledger["open"]), (&json!(55), &json!([])));
    let after = learner.report();
    assert_eq!((after.examples, after.reads), (before.examples, before.reads));
    assert_eq!(after.panel_reads, before.panel_reads);
}
