//! Holds a second pass over parts to a fit to all rows at once: sums over features in any order, and one
//! stream of rows.

use super::partial::{
    absorb, close, learner, leaves, options, partial, slice, table, timeless, whole,
};
use halfseen::data::Table;
use halfseen::error::ErrorKind;
use halfseen::learner::Learner;
use halfseen::model::Model;
use halfseen::partial::{NextPass, Partial};
use halfseen::prepare::{Missing, Options};
use halfseen::{Silent, registry};
use halfseen_solve::sampling::{Purpose, Stream, shuffle};

fn empty(learner: &dyn Learner, target: &str, missing: Missing) -> Partial {
    partial(learner, target, &options(learner, target, missing, None))
}

/// Sums over a table, in parts that begin at these rows.
fn sums(empty: &Partial, table: &Table, starts: &[usize]) -> Partial {
    let mut sums = empty.clone();
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(table.rows());
        absorb(&mut sums, &format!("p{at}"), vec![slice(table, start, end)]).unwrap();
    }
    sums
}

fn reread(partial: &Partial) -> Partial {
    Partial::from_json(&partial.to_json().unwrap()).unwrap()
}

#[track_caller]
fn predict_alike(a: &Model, b: &Model, table: &Table, what: &str) {
    let [a, b] = [a, b].map(|model| model.predict(table).unwrap().scores);
    a.values.iter().zip(&b.values).for_each(|(a, b)| close(*a, *b, what));
}

/// The rows in such an order that a fit of this seed goes through them as they were.
fn as_visited(table: &Table, seed: u64) -> Table {
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at);
    table.select_rows(&place)
}

/// A table of three numbers of one size, whose products can be inverted without a loss of digits.
fn even(rows: usize, target: &str, holes: f64) -> Table {
    let mut stream = Stream::new(5, Purpose::Data, 1);
    let mut even =
        table(rows, target, holes, 5).without_columns(&["big", "small", "drifts", "constant"]);
    for name in ["a", "b", "c"] {
        let mut cell = || if stream.unit() < holes { f64::NAN } else { stream.normal() };
        even = even.with_column(name, (0..rows).map(|_| cell()).collect()).unwrap();
    }
    even
}

#[test]
fn a_stream_is_the_pass_over_all_rows_in_their_order() {
    let mut tried = 0;
    for (settings, missing) in [
        ("aer budget=4", Missing::Keep),
        ("aerr budget=3", Missing::Keep),
        ("aerr budget=3", Missing::Mean),
        ("aelr budget=4 seed=8", Missing::Keep),
        ("pnorm budget=4", Missing::Keep),
        ("ddaerr budget=4 moments=two-phase phase1=40", Missing::Keep),
        ("ddaelr budget=4 moments=two-phase phase1=40", Missing::Keep),
        ("gaerr budget=3", Missing::Keep),
        ("aesvr budget=3", Missing::Keep),
        ("aesvr budget=3 loss=hinge", Missing::Keep),
        ("baseline budget=4", Missing::Keep),
    ] {
        let learner = learner(settings);
        let seed = learner.get("seed").unwrap().parse().unwrap();
        for target in ["numbers", "two"] {
            if settings.contains("hinge") && target == "numbers" {
                continue;
            }
            let what = format!("{settings}, {target}, {missing:?}");
            let all = even(300, target, if missing == Missing::Mean { 0.1 } else { 0.0 });
            let empty = empty(&*learner, target, missing);
            let sums = reread(&sums(&empty, &all, &[0, 130]));
            assert_eq!(sums.next_pass(), NextPass::Stream);
            let mut stream = empty.stream(&sums).unwrap();
            stream.add(&slice(&all, 0, 70)).unwrap();
            stream.add(&slice(&all, 70, 300)).unwrap();
            let fitted = stream.finish(&Silent).unwrap();
            let options = options(&*learner, target, missing, None);
            let expected = whole(&*learner, &as_visited(&all, seed), target, &options);
            assert_eq!(fitted.prepare.schema, expected.prepare.schema, "{what}");
            predict_alike(&fitted, &expected, &all, &what);
            let counts = |model: &Model| {
                let of = &model.report;
                (of.examples, of.reads, of.distinct, of.panel_reads.clone(), of.stop)
            };
            assert_eq!(counts(&fitted), counts(&expected), "{what}");
            tried += 1;
        }
    }
    assert_eq!(tried, 21);
}

#[test]
fn sums_over_features_give_the_fit_in_memory_in_any_order() {
    for (settings, target) in [
        ("karma features=sketch:64", "numbers"),
        ("karma features=sketch:64 c=30 gamma=3 intercept=false", "numbers"),
        ("karma features=sketch:40 normalization=cosine", "numbers"),
        ("karma features=sketch:40 normalization=uniform seed=5", "numbers"),
        ("karma features=sketch:64 loss=squared c=0.1", "two"),
        ("karma features=sketch:64 loss=squared", "three"),
    ] {
        for holes in [0.0, 0.2] {
            let (learner, table) = (learner(settings), table(300, target, holes, 11));
            let empty = empty(&*learner, target, Missing::Keep);
            let sums = sums(&empty, &table, &[0, 200]);
            assert_eq!(sums.next_pass(), NextPass::Features);
            let start = empty.in_units(&sums).unwrap();
            assert_eq!(start.next_pass(), NextPass::None);
            let part = |name: &str, from, to| {
                let mut part = start.clone();
                absorb(&mut part, name, vec![slice(&table, from, to)]).unwrap();
                reread(&part)
            };
            let options = options(&*learner, target, Missing::Keep, None);
            let expected = whole(&*learner, &table, target, &options);
            let mut merged = part("b", 90, 300);
            merged.merge(part("a", 0, 90)).unwrap();
            let fitted = merged.finish(&Silent).unwrap();
            predict_alike(&fitted, &expected, &table, settings);
            let counts = |model: &Model| {
                let of = &model.report;
                (of.examples, of.reads, of.distinct, of.max_reads, of.spent, of.stop)
            };
            assert_eq!(counts(&fitted), counts(&expected), "{settings}");
            let [a, b] = [&fitted, &expected].map(|model| model.report.objective.unwrap());
            assert!((a - b).abs() < 1e-9 * b, "{settings}: {a} and {b}");
            let mut other = part("a", 0, 90);
            other.merge(part("b", 90, 300)).unwrap();
            assert_eq!(timeless(other.finish(&Silent).unwrap()), timeless(fitted));
        }
    }
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let all = table(80, "numbers", 0.0, 9);
    let plain = |settings: &str| empty(&*learner(settings), "numbers", Missing::Keep);
    let sketched = "karma features=sketch:8";
    let first = sums(&plain(sketched), &all, &[0, 40]);
    let said = |result: halfseen::Result<Partial>| result.unwrap_err().to_string();
    // Sums alone are no model of it.
    let alone = first.finish(&Silent).unwrap_err().to_string();
    assert!(alone.contains("--units"), "{alone}");
    let summed = sums(&plain("ridge"), &all, &[0]);
    assert!(said(plain("ridge").in_units(&summed)).contains("ridge learns from the sums alone"));
    let said_by_stream = plain(sketched).stream(&first).unwrap_err().to_string();
    assert!(said_by_stream.contains("name their file by --partial"), "{said_by_stream}");
    let read = sums(&plain("aerr budget=3"), &all, &[0]);
    let said_of_stream = said(plain("aerr budget=3").in_units(&read));
    assert!(said_of_stream.contains("learn from one stream of the rows"), "{said_of_stream}");
    let start = plain(sketched).in_units(&first).unwrap();
    assert!(said(plain(sketched).in_units(&start)).contains("sums that were made without any"));
    let mut one = start.clone();
    absorb(&mut one, "a", vec![slice(&all, 0, 40)]).unwrap();
    // Twice; other units; other parameters; another kind.
    let twice = absorb(&mut one, "a", vec![slice(&all, 0, 40)]).unwrap_err().to_string();
    assert!(twice.contains("part 'a': it was absorbed before"), "{twice}");
    let others = sums(&plain(sketched), &table(80, "numbers", 0.0, 10), &[0]);
    for (other, what) in [
        (plain(sketched).in_units(&others).unwrap(), "units"),
        (plain("karma features=sketch:8 c=3"), "params"),
        (plain(sketched), "units"),
    ] {
        let refused = one.clone().merge(other).unwrap_err();
        assert!(
            matches!(refused.kind(), ErrorKind::OtherPlan { what: of, .. } if of == what),
            "{refused}"
        );
    }
    let refused = said(plain("karma features=sketch:8 c=3").in_units(&first));
    assert!(refused.contains("params is"), "{refused}");
    // Columns, and rows that are no longer those that were summed.
    let mut with = |name: &str, table: Table| {
        let before = one.clone();
        let refused = absorb(&mut one, name, vec![table]).unwrap_err().to_string();
        assert_eq!(one, before);
        refused
    };
    let few = || slice(&all, 0, 5);
    let lacks = with("b", few().without_columns(&["big"]));
    assert!(lacks.contains("part 'b': it lacks a column 'big'"), "{lacks}");
    let more = with("b", few().with_column("more", vec![0.0; 5]).unwrap());
    assert!(more.contains("'more'"), "{more}");
    let changed = with("p1", slice(&all, 40, 79));
    assert!(changed.contains("part 'p1': there are 39 rows"), "{changed}");
    let mut stream = plain("aerr budget=3").stream(&read).unwrap();
    stream.add(&slice(&all, 0, 40)).unwrap();
    let short = stream.finish(&Silent).unwrap_err();
    assert!(matches!(short.kind(), ErrorKind::Table(_)), "{short}");
    assert!(
        short.to_string().starts_with("there are 40 rows with a target, and were 80"),
        "{short}"
    );
    // Classes.
    let of = learner("karma features=sketch:8 loss=squared");
    let all = table(80, "two numbers", 0.0, 9);
    let empty = empty(&*of, "two numbers", Missing::Keep);
    let mut of_classes = empty.clone().in_units(&sums(&empty, &all, &[0])).unwrap();
    let odd = slice(&all, 0, 5).without_columns(&["y"]).with_column("y", vec![8.5; 5]).unwrap();
    let unknown = absorb(&mut of_classes, "a", vec![odd]).unwrap_err().to_string();
    assert!(unknown.contains("'8.5' is not a class of the units"), "{unknown}");
    let none = plain(sketched).in_units(&first).unwrap().finish(&Silent).unwrap_err();
    assert!(matches!(none.kind(), ErrorKind::TooFewRows { .. }), "{none}");
}

#[test]
fn learners_that_cannot_are_refused_with_a_remedy() {
    for (settings, remedy) in [
        ("karma", "set features=sketch:2048, or choose one of"),
        ("karma loss=hinge", "set features=sketch:2048 and loss=squared, or choose one of"),
        ("robust-lp", "or fit to the whole table"),
        ("robust-perceptron", "or to some of its rows: fit --rows"),
        ("aerr total_budget=400", "set total_budget=auto, or choose one of"),
        ("aelr passive=all", "set passive=no, or choose one of"),
        ("fiml budget=3", "append the files of reads, and fit to them"),
    ] {
        let learner = learner(settings);
        let options = Options::default().for_fit(&learner.needs());
        let said = Partial::new(&*learner, "y", None, &options).unwrap_err().to_string();
        assert!(said.contains("needs the rows themselves") && said.contains(remedy), "{said}");
    }
    let in_parts = |way: fn(&dyn Learner) -> bool| -> Vec<&str> {
        registry::all().iter().filter(|one| way(&***one)).map(|one| one.name()).collect()
    };
    let mut names = in_parts(|learner| {
        let options = Options::default().for_fit(&learner.needs());
        let partial = Partial::new(learner, "y", None, &options);
        partial.is_ok_and(|partial| partial.next_pass() == NextPass::None)
    });
    names.sort_unstable();
    assert_eq!(names, ["imputation", "lasso", "ridge"]);
}

#[test]
fn a_range_whose_least_value_is_above_its_largest_is_refused() {
    let learner = learner("ridge");
    let empty = empty(&*learner, "numbers", Missing::Keep);
    let text = sums(&empty, &table(12, "numbers", 0.0, 2), &[0]).to_json().unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let parts = value["parts"].as_object_mut().unwrap();
    let part = parts.values_mut().next().unwrap();
    part["sums"]["sums"]["range"][0].as_array_mut().unwrap().reverse();
    let refused = Partial::from_json(&value.to_string()).unwrap_err().to_string();
    assert!(refused.contains("least value of a column is above its largest"), "{refused}");
}

#[test]
fn every_leaf_replaced_by_nonsense_gives_an_error_or_a_model() {
    for (settings, target) in [
        ("karma features=sketch:6 gamma=1", "numbers"),
        ("karma features=sketch:6 gamma=1 loss=squared", "three"),
    ] {
        let learner = learner(settings);
        let all = table(12, target, 0.0, 2);
        let empty = empty(&*learner, target, Missing::Keep);
        let mut parts = empty.clone().in_units(&sums(&empty, &all, &[0])).unwrap();
        absorb(&mut parts, "a", vec![slice(&all, 0, 5)]).unwrap();
        absorb(&mut parts, "b", vec![slice(&all, 5, 12)]).unwrap();
        let json: serde_json::Value = serde_json::from_str(&parts.to_json().unwrap()).unwrap();
        let (mut places, mut fitted, mut refused) = (Vec::new(), 0, 0);
        leaves(&json, "", &mut places);
        for place in places {
            for value in ["null", "-1", "0", "1e308", "\"text\"", "[]", "18446744073709551615"] {
                let mut broken = json.clone();
                *broken.pointer_mut(&place).unwrap() = serde_json::from_str(value).unwrap();
                match Partial::from_json(&broken.to_string()) {
                    Err(_) => refused += 1,
                    // A model of nonsense is nonsense, but it is whole.
                    Ok(read) => {
                        if let Ok(model) = read.finish(&Silent) {
                            fitted += usize::from(
                                registry::read_model(&model.to_json().unwrap()).is_ok(),
                            );
                        }
                    }
                }
            }
        }
        assert!(fitted > 50 && refused > 500, "{settings}: {fitted} {refused}");
    }
}
