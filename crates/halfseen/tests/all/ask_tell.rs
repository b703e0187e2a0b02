//! Checks each promise of asking and telling, through the public interface.

use crate::common::{Data, budgeted, keeps_reads, kind, layout, learner, singletons, started};
use halfseen::budget::TellOutcome::{Learned, Skipped};
use halfseen::budget::{AskTell, Query, ReadRole};
use halfseen::{model::Note, registry::load};
use serde_json::Value;

const OPEN: [(&str, &str); 1] = [("average", "all")];

fn data() -> Data {
    Data::random(400, &layout(&[1, 2, 1, 1, 3, 1], &[1, 1]), 21)
}

/// Each budgeted learner, some answers old.
pub(super) fn each_started(mut check: impl FnMut(&str, &Data, Box<dyn AskTell>)) {
    let data = data();
    for name in budgeted() {
        for budget in ["3", "6"] {
            let mut learner =
                started(&name, &[("average", "all"), ("budget", budget)], &data.layout);
            data.teach(&mut *learner, 0..20);
            check(&name, &data, learner);
        }
    }
}

/// What must not change where an answer is refused.
fn unchanged(learner: &mut dyn AskTell, act: impl FnOnce(&mut dyn AskTell)) {
    let before = learner.save().unwrap();
    act(learner);
    assert_eq!(learner.save().unwrap(), before, "a refused answer changed the learner");
}

fn refuse(learner: &mut dyn AskTell, query: &Query, values: &[f64], target: f64, expected: &str) {
    unchanged(learner, |learner| {
        let error = learner.tell(query, values, target).unwrap_err();
        assert_eq!(kind(&error), expected, "{error}");
    });
}

#[test]
fn a_query_goes_through_json_exactly() {
    each_started(|_, data, mut learner| {
        for row in 20..120 {
            let query = learner.ask().unwrap();
            let text = serde_json::to_string(&query).unwrap();
            let back: Query = serde_json::from_str(&text).unwrap();
            assert_eq!(back, query);
            let bits = |q: &Query| {
                q.parts
                    .iter()
                    .flat_map(|p| [p.weight.to_bits(), p.centre.to_bits()])
                    .collect::<Vec<_>>()
            };
            assert_eq!(bits(&back), bits(&query));
            learner.tell(&back, &data.answer(&back, row), data.y[row]).unwrap();
        }
    });
}

#[test]
fn several_queries_may_be_open_and_answered_out_of_order() {
    each_started(|name, data, mut learner| {
        let queries: Vec<Query> = (0..6).map(|_| learner.ask().unwrap()).collect();
        for at in [3, 0, 5, 1, 4, 2] {
            let told =
                learner.tell(&queries[at], &data.answer(&queries[at], 20 + at), data.y[20 + at]);
            assert_eq!(told.unwrap(), Learned);
        }
        let report = learner.report();
        // The fifth answer given (to query 4) waited for four others, the last for five.
        assert_eq!((report.examples, report.largest_delay), (26, 5), "{name}");
    });
}

#[test]
fn the_delay_is_the_number_of_answers_between_a_query_and_its_own() {
    each_started(|_, data, mut learner| {
        assert_eq!(learner.report().largest_delay, 0);
        let waiting = learner.ask().unwrap();
        data.teach(&mut *learner, 20..27);
        assert_eq!(learner.report().largest_delay, 0, "an open query has no delay yet");
        learner.tell(&waiting, &data.answer(&waiting, 50), data.y[50]).unwrap();
        assert_eq!(learner.report().largest_delay, 7);
    });
}

#[test]
fn a_query_is_answered_once() {
    each_started(|_, data, mut learner| {
        let query = learner.ask().unwrap();
        let values = data.answer(&query, 30);
        learner.tell(&query, &values, data.y[30]).unwrap();
        refuse(&mut *learner, &query, &values, data.y[30], "NotOpen");
    });
}

#[test]
fn a_query_that_was_never_asked_is_not_open() {
    each_started(|_, data, mut learner| {
        let mut query = learner.ask().unwrap();
        let values = data.answer(&query, 30);
        for number in [query.number + 1, u64::MAX, 0] {
            query.number = number;
            refuse(&mut *learner, &query, &values, 0.0, "NotOpen");
        }
    });
}

#[test]
fn forgetting_closes_a_query_once() {
    each_started(|_, data, mut learner| {
        let (first, second) = (learner.ask().unwrap(), learner.ask().unwrap());
        let before = learner.report();
        learner.forget(first.number).unwrap();
        assert_eq!(learner.report(), before, "what was not read is not billed");
        refuse(&mut *learner, &first, &data.answer(&first, 30), data.y[30], "NotOpen");
        unchanged(&mut *learner, |l| {
            assert_eq!(kind(&l.forget(first.number).unwrap_err()), "NotOpen")
        });
        unchanged(&mut *learner, |l| assert_eq!(kind(&l.forget(u64::MAX).unwrap_err()), "NotOpen"));
        learner.tell(&second, &data.answer(&second, 30), data.y[30]).unwrap();
    });
}

#[test]
fn queries_of_another_learner_are_refused() {
    let data = data();
    let other_layout = layout(&[2, 1, 1, 1, 3, 1], &[1, 1]);
    for name in budgeted() {
        let ask = |settings: &[(&str, &str)], layout| {
            let mut learner = started(&name, &[&OPEN[..], settings].concat(), layout);
            learner.ask().unwrap()
        };
        let mut learner = started(&name, &OPEN, &data.layout);
        learner.ask().unwrap();
        let settings: &[&[(&str, &str)]] = &[
            &[("seed", "1")],
            &[("radius", "3.25")],
            &[("budget", "3")],
            &[("horizon", "10")],
            &[("intercept", "false")],
        ];
        // A parameter that a learner does not have tells nobody apart.
        let has = |s: &&&[(&str, &str)]| crate::common::learner(&name, &[]).get(s[0].0).is_some();
        for settings in settings.iter().filter(has) {
            let query = ask(settings, &data.layout);
            refuse(&mut *learner, &query, &data.answer(&query, 0), 0.0, "WrongLearner");
        }
        let query = ask(&[], &other_layout);
        let columns = query.parts.len();
        refuse(&mut *learner, &query, &vec![0.0; columns], 0.0, "WrongLearner");
        for other in budgeted().iter().filter(|other| **other != name) {
            let query = started(other, &OPEN, &data.layout).ask().unwrap();
            refuse(&mut *learner, &query, &data.answer(&query, 0), 0.0, "WrongLearner");
        }
        let query = ask(&[], &data.layout); // the same learner started twice is the same learner
        assert_eq!(learner.tell(&query, &data.answer(&query, 0), 0.0).unwrap(), Learned);
    }
}

#[test]
fn answers_that_do_not_fit_are_refused_and_the_query_stays_open() {
    each_started(|name, data, mut learner| {
        let query = learner.ask().unwrap();
        let values = data.answer(&query, 40);
        let short = &values[..values.len() - 1];
        let long = [&values[..], &[0.5]].concat();
        for wrong in [short, &long, &[]] {
            refuse(&mut *learner, &query, wrong, 0.5, "WrongAnswer");
        }
        for at in 0..values.len() {
            for odd in [f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e101] {
                let mut wrong = values.clone();
                wrong[at] = odd;
                refuse(&mut *learner, &query, &wrong, 0.5, "WrongAnswer");
                // An infinite value is wrong even where another was refused.
                wrong[(at + 1) % values.len()] = f64::NAN;
                refuse(&mut *learner, &query, &wrong, 0.5, "WrongAnswer");
            }
        }
        for target in [f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX] {
            refuse(&mut *learner, &query, &values, target, "WrongAnswer");
        }
        assert_eq!(learner.tell(&query, &values, data.y[40]).unwrap(), Learned, "{name}");
    });
}

#[test]
fn numbers_that_would_leave_the_range_are_refused_and_the_query_stays_open() {
    each_started(|name, data, mut learner| {
        let query = learner.ask().unwrap();
        let values: Vec<f64> = data.answer(&query, 40).iter().map(|_| 1e99).collect();
        refuse(&mut *learner, &query, &values, 1e99, "Diverged");
        let values = data.answer(&query, 40);
        assert_eq!(learner.tell(&query, &values, data.y[40]).unwrap(), Learned, "{name}");
    });
}

#[test]
fn large_values_never_panic_and_the_learner_stays_finite() {
    each_started(|name, data, mut learner| {
        for (n, exponent) in (0..400).step_by(4).enumerate() {
            let scale = 10_f64.powi(exponent - 200);
            let query = learner.ask().unwrap();
            let values: Vec<f64> = data.answer(&query, n).iter().map(|v| v * scale).collect();
            for target in [data.y[n], data.y[n] * scale] {
                if learner.tell(&query, &values, target).is_ok() {
                    break;
                }
            }
            let p = learner.predictor();
            let all = p.weights.iter().chain(&p.fill).chain([&p.intercept]);
            assert!(all.clone().all(|v| v.is_finite()), "{name} at 1e{}: {p:?}", exponent - 200);
            load(&learner.save().unwrap()).unwrap();
        }
    });
}

#[test]
fn a_refused_read_skips_the_example_and_is_counted() {
    each_started(|name, data, mut learner| {
        let (before, weights) = (learner.report(), learner.predictor());
        let query = learner.ask().unwrap();
        let mut values = data.answer(&query, 40);
        *values.last_mut().unwrap() = f64::NAN;
        if keeps_reads(name) {
            // The other values are kept, and what gave none is told of.
            assert_eq!(learner.tell(&query, &values, data.y[40]).unwrap(), Learned);
            let after = learner.report();
            assert_eq!((after.skipped, after.examples), (0, before.examples + 1));
            assert_eq!(after.notes, [Note::RefusedReads { reads: 1 }]);
            return;
        }
        assert_eq!(learner.tell(&query, &values, data.y[40]).unwrap(), Skipped);
        let after = learner.report();
        assert_eq!((after.skipped, after.examples), (1, before.examples), "{name}");
        assert!(after.reads > before.reads, "the other reads were made");
        assert_eq!(learner.predictor(), weights);
        assert_eq!(kind(&learner.tell(&query, &values, data.y[40]).unwrap_err()), "NotOpen");
    });
}

/// What happened to a learner.
enum Entry {
    Asked,
    Told(Query, Vec<f64>, f64),
    Forgotten(u64),
}

fn replay(learner: &mut dyn AskTell, log: &[Entry]) {
    for entry in log {
        match entry {
            Entry::Asked => drop(learner.ask().unwrap()),
            Entry::Told(query, values, target) => {
                learner.tell(query, values, *target).unwrap();
            }
            Entry::Forgotten(number) => learner.forget(*number).unwrap(),
        }
    }
}

/// A study with delays, refused reads and forgotten queries.
fn study(data: &Data, learner: &mut dyn AskTell, from: usize, to: usize) -> Vec<Entry> {
    let (mut open, mut log) = (Vec::new(), Vec::new());
    for row in from..to {
        open.push(learner.ask().unwrap());
        log.push(Entry::Asked);
        if row % 3 == 0 {
            continue;
        }
        let query = open.remove((row * 7) % open.len());
        if row % 11 == 0 {
            learner.forget(query.number).unwrap();
            log.push(Entry::Forgotten(query.number));
            continue;
        }
        let mut values = data.answer(&query, row);
        if row % 13 == 0 {
            values[0] = f64::NAN;
        }
        learner.tell(&query, &values, data.y[row]).unwrap();
        log.push(Entry::Told(query, values, data.y[row]));
    }
    log
}

#[test]
fn replaying_the_log_gives_the_same_bits() {
    let data = data();
    for name in budgeted() {
        for centre in ["none", "running"] {
            let settings = [("average", "all"), ("budget", "4"), ("centre", centre)];
            let mut learner = started(&name, &settings, &data.layout);
            let log = study(&data, &mut *learner, 0, 300);
            let mut again = started(&name, &settings, &data.layout);
            replay(&mut *again, &log);
            let saved = learner.save().unwrap();
            assert!(saved["state"]["ledger"]["open"].as_array().unwrap().len() > 50);
            assert_eq!(again.save().unwrap().to_string(), saved.to_string(), "{name}");
        }
    }
}

#[test]
fn a_saved_learner_goes_on_with_the_same_bits() {
    let data = data();
    for name in budgeted() {
        for (budget, horizon, average) in
            [("4", "auto", "all"), ("4", "200", "tail"), ("6", "300", "all")]
        {
            let settings = [("average", average), ("budget", budget), ("horizon", horizon)];
            let mut learner = started(&name, &settings, &data.layout);
            study(&data, &mut *learner, 0, 150);
            let open = learner.ask().unwrap();
            // Through text, as a file would.
            let text = learner.save().unwrap().to_string();
            let mut loaded = load(&serde_json::from_str(&text).unwrap()).unwrap();
            assert_eq!(loaded.save().unwrap().to_string(), text, "{name}");
            for learner in [&mut learner, &mut loaded] {
                learner.tell(&open, &data.answer(&open, 399), data.y[399]).unwrap();
                study(&data, &mut **learner, 150, 390);
            }
            assert_eq!(
                loaded.save().unwrap().to_string(),
                learner.save().unwrap().to_string(),
                "{name}"
            );
            assert_eq!(loaded.predictor(), learner.predictor());
            assert_eq!(loaded.report(), learner.report());
        }
    }
}

#[test]
fn given_means_are_refused_where_nobody_gave_them() {
    let layout = singletons(8);
    // Some centre by what they read, and have no such parameter.
    let centring = |name: &String| learner(name, &[]).get("centre").is_some();
    for name in budgeted().into_iter().filter(centring) {
        let refused = |settings: &[(&str, &str)]| {
            learner(&name, settings).start(&layout).err().map(|e| kind(&e))
        };
        assert_eq!(refused(&[("average", "tail")]), None);
        assert_eq!(refused(&[("average", "tail"), ("horizon", "50")]), None);
        assert_eq!(
            refused(&[("average", "all"), ("centre", "given")]).as_deref(),
            Some("Needs"),
            "{name}"
        );
        let data = Data::random(50, &layout, 1);
        let fit = |data: &Data| {
            learner(&name, &[("centre", "given")]).fit(&data.examples(), &halfseen::Silent)
        };
        assert_eq!(kind(&fit(&data).unwrap_err()), "Needs", "{name}");
        fit(&data.measured()).unwrap();
    }
}

#[test]
fn without_a_horizon_steps_fall_like_one_over_the_root_of_t() {
    // One column that is 1 with the target 1 or -1 in turn: norms are 1, so steps show in the
    // weight.
    let layout = singletons(1);
    for name in ["aerr", "aelr"] {
        let settings = [
            ("average", "all"),
            ("intercept", "false"),
            ("centre", "none"),
            ("radius", "50"),
            ("step", "0.1x"),
        ];
        let mut learner = started(name, &settings, &layout);
        let weight = |learner: &mut dyn AskTell| {
            let query = learner.ask().unwrap();
            learner.forget(query.number).unwrap();
            query.parts[0].weight
        };
        let moved = |learner: &mut dyn AskTell, t: u32| {
            let before = weight(learner);
            let query = learner.ask().unwrap();
            let y = if t.is_multiple_of(2) { 1.0 } else { -1.0 };
            learner.tell(&query, &[1.0], y).unwrap();
            ((weight(learner) - before) / (before - y)).abs()
        };
        let steps: Vec<f64> = (1..=4096).map(|t| moved(&mut *learner, t)).collect();
        for t in [16_u32, 64, 256, 1024] {
            let (early, late) = (steps[t as usize - 1], steps[4 * t as usize - 1]);
            let ratio = early / late;
            assert!(
                (ratio - 2.0).abs() < 0.1,
                "{name}: steps at {t} and {} have the ratio {ratio}",
                4 * t
            );
        }
    }
}

#[test]
fn edited_queries_are_refused_without_a_panic() {
    each_started(|name, data, mut learner| {
        let query = learner.ask().unwrap();
        let values = data.answer(&query, 40);
        let panels = data.layout.panels() as u32;
        let mut edits: Vec<Query> = Vec::new();
        let mut edit = |change: &dyn Fn(&mut Query)| {
            let mut edited = query.clone();
            change(&mut edited);
            edits.push(edited);
        };
        for at in 0..query.reads.len() {
            for panel in [0, panels - 1, panels, panels + 1, u32::MAX] {
                if panel != query.reads[at].panel && query.reads[at].role != ReadRole::Product {
                    edit(&|q| q.reads[at].panel = panel);
                }
            }
            for role in [ReadRole::Gradient, ReadRole::Product, ReadRole::Full, ReadRole::Known] {
                if role != query.reads[at].role {
                    edit(&|q| q.reads[at].role = role);
                }
            }
            if query.reads[at].role == ReadRole::Gradient || query.reads[at].role == ReadRole::Full
            {
                edit(&|q| q.reads[at].coefficient = 1e9);
                edit(&|q| q.reads[at].coefficient = f64::NAN);
            }
            edit(&|q| {
                q.reads.remove(at);
            });
            edit(&|q| q.reads.insert(at, q.reads[at]));
        }
        for at in 0..query.parts.len() {
            edit(&|q| {
                q.parts.remove(at);
            });
            edit(&|q| q.parts.insert(at, q.parts[at]));
            edit(&|q| q.parts[at].weight = f64::NAN);
            edit(&|q| q.parts[at].centre = f64::INFINITY);
        }
        edit(&|q| q.reads.clear());
        edit(&|q| q.parts.clear());
        edit(&|q| q.reads.reverse());
        edit(&|q| q.exact = f64::NAN);
        let everything = vec![0.5; 40];
        let mut accepted = 0;
        for edited in edits {
            // As it came back, and forged: with a checksum that fits.
            let forged = Query { checksum: edited.digest(), ..edited.clone() };
            for (query, is_forged) in [(edited, false), (forged, true)] {
                for columns in 0..=20 {
                    let before = learner.save().unwrap();
                    match learner.tell(&query, &everything[..columns], 0.5) {
                        Err(error) => {
                            assert_eq!(kind(&error), "WrongAnswer", "{error}");
                            assert_eq!(learner.save().unwrap(), before);
                        }
                        Ok(_) => {
                            assert!(is_forged, "{name}: an edit went unnoticed");
                            accepted += 1;
                            learner = load(&before).unwrap();
                        }
                    }
                }
            }
        }
        // A forger can swap panels of equal width among the gradient's; that panics no one.
        assert!(
            accepted <= 2 * query.reads.len(),
            "{name}: {accepted} forged queries were accepted"
        );
        assert_eq!(learner.tell(&query, &values, data.y[40]).unwrap(), Learned, "{name}");
        let query = learner.ask().unwrap();
        let late = Query { asked_at: u64::MAX, ..query.clone() };
        let error = learner.tell(&late, &data.answer(&query, 41), data.y[41]).unwrap_err();
        assert_eq!(kind(&error), "WrongAnswer");
        // A forged wild asked_at only shows in the delay.
        let late = Query { checksum: late.digest(), ..late };
        learner.tell(&late, &data.answer(&query, 41), data.y[41]).unwrap();
    });
}

#[test]
fn a_query_as_json_with_wrong_keys_is_no_query() {
    let mut learner = started("aerr", &OPEN, &singletons(6));
    let json = serde_json::to_value(learner.ask().unwrap()).unwrap();
    for key in json.as_object().unwrap().keys() {
        let mut without = json.clone();
        without.as_object_mut().unwrap().remove(key);
        assert!(serde_json::from_value::<Query>(without).is_err(), "{key} is missing");
    }
    let mut more = json.clone();
    more["colour"] = Value::Null;
    assert!(serde_json::from_value::<Query>(more).is_err());
    let mut no_number = json;
    no_number["learner"] = "not hexadecimal".into();
    assert!(serde_json::from_value::<Query>(no_number).is_err());
}
