//! Holds learning in two passes over parts to one pass over all rows: one part gives the model of that
//! pass, several the same bits in any order, and an average that says how far it is from the best.

use super::partial::leaves;
use halfseen::data::{Column, Matrix, Place, Table, Target, TextColumn};
use halfseen::error::ErrorKind;
use halfseen::learner::Learner;
use halfseen::model::{Model, Note};
use halfseen::partial::Partial;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::{Silent, registry};
use halfseen_solve::sampling::{Purpose, Stream, shuffle};
use ndarray::Array2;

pub(crate) fn learner(settings: &str) -> Box<dyn Learner> {
    let mut words = settings.split(' ');
    let mut learner = registry::find(words.next().unwrap()).unwrap();
    for word in words {
        let (name, value) = word.split_once('=').unwrap();
        learner.set(name, value).unwrap();
    }
    learner
}

/// Three numbers, a text of three categories, a number as target and two classes.
pub(crate) fn table(rows: usize, seed: u64) -> Table {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let mut codes = Vec::with_capacity(rows);
    let mut classes = Vec::with_capacity(rows);
    let mut cells = Array2::zeros((rows, 4));
    for i in 0..rows {
        let [a, b, c] = [(); 3].map(|()| stream.normal());
        let code = stream.below(3);
        let y = 2.0 * a - b + [0.0, 1.0, -1.0][code] + 0.3 * stream.normal();
        codes.push(code as u32);
        classes.push(u32::from(y > 0.0));
        for (j, value) in [a, 100.0 + 5.0 * b, 0.1 * c, 10.0 + 3.0 * y].into_iter().enumerate() {
            cells[[i, j]] = value;
        }
    }
    let text = |codes, levels: &[&str]| TextColumn {
        codes,
        levels: levels.iter().map(|&level| level.to_owned()).collect(),
    };
    let texts = vec![text(codes, &["blue", "green", "red"]), text(classes, &["no", "yes"])];
    let places = (0..4).map(Place::Number).chain((0..2).map(Place::Text));
    let names = ["a", "b", "c", "y", "colour", "good"];
    let columns =
        names.iter().zip(places).map(|(name, place)| Column { name: (*name).into(), place });
    Table::new(Matrix::F64(cells), texts, columns.collect()).unwrap()
}

pub(crate) fn options(learner: &dyn Learner, target: &str, missing: Missing) -> Options {
    let other = if target == "y" { "good" } else { "y" };
    let options = Options { except: vec![other.to_owned()], missing, ..Options::default() };
    options.for_fit(&learner.needs())
}

/// The rows in such an order that a fit of this seed goes through them as they were.
fn as_visited(table: &Table, seed: u64) -> Table {
    let mut order: Vec<u32> = (0..table.rows() as u32).collect();
    shuffle(&mut Stream::new(seed, Purpose::Order, 0), &mut order);
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(at, &row)| place[row as usize] = at);
    table.select_rows(&place)
}

/// The fit to all rows at once.
pub(crate) fn whole(
    learner: &dyn Learner,
    table: &Table,
    target: &str,
    options: &Options,
) -> Model {
    let read = Target::read(table, target, None).unwrap();
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let prepared = Prepared::new(table, (target, &read), &rows, options).unwrap();
    let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
    Model::of(learner, &prepared, (target, &read), fit)
}

pub(crate) fn empty(learner: &dyn Learner, target: &str, missing: Missing) -> Partial {
    Partial::new(learner, target, None, &options(learner, target, missing)).unwrap()
}

pub(crate) fn slice(table: &Table, from: usize, to: usize) -> Table {
    table.select_rows(&(from..to).collect::<Vec<_>>())
}

pub(crate) fn absorb(
    partial: &mut Partial,
    part: &str,
    tables: Vec<Table>,
) -> halfseen::Result<()> {
    partial.absorb(part, tables.into_iter().map(Ok::<_, halfseen::Error>))
}

/// Sums over a table, in parts that begin at these rows.
pub(crate) fn sums(
    learner: &dyn Learner,
    table: &Table,
    target: &str,
    starts: &[usize],
) -> Partial {
    let mut sums = empty(learner, target, Missing::Mean);
    for (at, &start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(table.rows());
        absorb(&mut sums, &format!("p{at}"), vec![slice(table, start, end)]).unwrap();
    }
    sums
}

pub(crate) fn timeless(mut model: Model) -> Model {
    model.report.seconds = 0.0;
    model
}

#[track_caller]
pub(crate) fn predict_alike(a: &Model, b: &Model, table: &Table, what: &str) {
    let [a, b] = [a, b].map(|model| model.predict(table).unwrap().scores);
    for (a, b) in a.values.iter().zip(&b.values) {
        assert!((a - b).abs() <= 1e-10 * (1.0 + a.abs()), "{what}: {a} and {b}");
    }
}

const STEPPING: [&str; 9] = [
    "aer budget=4",
    "aerr budget=3",
    "aelr budget=4 seed=8",
    "pnorm budget=4",
    "ddaerr budget=4 moments=two-phase phase1=40",
    "ddaelr budget=4 moments=two-phase phase1=40",
    "aesvr budget=3",
    "baseline budget=4",
    "baseline budget=2",
];

#[test]
fn one_part_is_the_pass_over_its_rows_in_their_order() {
    let all = table(300, 5);
    let mut tried = 0;
    for settings in STEPPING.into_iter().chain(["gaerr budget=3", "aesvr budget=3 loss=hinge"]) {
        let learner = learner(settings);
        let seed = learner.get("seed").unwrap().parse().unwrap();
        for target in ["y", "good"] {
            if settings.contains("hinge") && target == "y" {
                continue;
            }
            let what = format!("{settings}, {target}");
            let units = sums(&*learner, &all, target, &[0, 130]);
            let mut one = empty(&*learner, target, Missing::Keep).in_units(&units).unwrap();
            absorb(&mut one, "all", vec![slice(&all, 0, 70), slice(&all, 70, 300)]).unwrap();
            let found = one.finish(&Silent).unwrap();
            let options = options(&*learner, target, Missing::Keep);
            let expected = whole(&*learner, &as_visited(&all, seed), target, &options);
            assert_eq!(found.prepare.schema, expected.prepare.schema, "{what}");
            predict_alike(&found, &expected, &all, &what);
            let counts = |model: &Model| {
                let of = &model.report;
                (of.examples, of.reads, of.distinct, of.panel_reads.clone(), of.stop)
            };
            assert_eq!(counts(&found), counts(&expected), "{what}");
            tried += 1;
        }
    }
    assert!(tried >= 21, "{tried}");
}

#[test]
fn several_parts_are_the_average_in_any_order_and_say_how_far_it_is() {
    let all = table(900, 6);
    let starts = [0, 100, 500, 900];
    for settings in STEPPING {
        let target = "y";
        let learner = learner(settings);
        let units = sums(&*learner, &all, target, &[0, 100, 500]);
        let start = empty(&*learner, target, Missing::Keep).in_units(&units).unwrap();
        let part = |at: usize| {
            let mut part = start.clone();
            absorb(&mut part, &format!("p{at}"), vec![slice(&all, starts[at], starts[at + 1])])
                .unwrap();
            Partial::from_json(&part.to_json().unwrap()).unwrap()
        };
        let merged = |order: [usize; 3]| {
            let mut merged = part(order[0]);
            merged.merge(part(order[1])).unwrap();
            merged.merge(part(order[2])).unwrap();
            assert_eq!((merged.rows(), merged.parts().count()), (900, 3));
            let mut model = timeless(merged.finish(&Silent).unwrap());
            model.report.seconds = 0.0;
            model
        };
        let model = merged([0, 1, 2]);
        assert_eq!(model, merged([2, 0, 1]), "{settings}");
        assert_eq!(model.report.examples, 900);
        let single: Vec<Model> = (0..3).map(|at| part(at).finish(&Silent).unwrap()).collect();
        let of = |model: &Model| model.predictor.linear().unwrap().weights[0];
        let mean =
            (100.0 * of(&single[0]) + 400.0 * of(&single[1]) + 400.0 * of(&single[2])) / 900.0;
        assert!((of(&model) - mean).abs() < 1e-12, "{settings}");
        let note = model.report.notes.iter().find_map(|note| match note {
            Note::AveragedParts { parts, error, least } => {
                Some((*parts, error.unwrap(), least.unwrap()))
            }
            _ => None,
        });
        let (parts, error, least) = note.unwrap();
        assert_eq!(parts, 3);
        let read = Target::read(&all, target, None).unwrap();
        let targets = read.scores().unwrap();
        // The error as the note names it: without a clip.
        let mut open = model.clone();
        if let halfseen::model::Predictor::Linear(linear) = &mut open.predictor {
            linear.clip = None;
        }
        let scores = open.predict(&all).unwrap().scores;
        let own: f64 = scores.values.iter().zip(&targets).map(|(s, y)| (s - y).powi(2)).sum();
        assert!(
            (own / 900.0 - error).abs() < 1e-9 * error,
            "{settings}: {} and {error}",
            own / 900.0
        );
        let best = self::learner("ridge radius=1000000");
        let best = whole(&*best, &all, target, &self::options(&*best, target, Missing::Keep));
        let unit = best.prepare.target.deviation.powi(2);
        let expected = best.report.objective.unwrap() * unit;
        assert!((least - expected).abs() < 1e-6 * expected, "{settings}: {least} and {expected}");
        assert!(error >= least, "{settings}");
    }
}

#[test]
fn reads_of_all_cells_give_the_fit_in_memory_whatever_the_parts() {
    let all = table(160, 7);
    for (settings, target) in [
        ("fiml budget=4 shape=linear", "y"),
        ("fiml budget=4", "good"),
        ("fiml budget=4 rank=1", "y"),
    ] {
        let learner = learner(settings);
        let units = sums(&*learner, &all, target, &[0]);
        let start = empty(&*learner, target, Missing::Keep).in_units(&units).unwrap();
        let part = |name: &str, from, to| {
            let mut part = start.clone();
            absorb(&mut part, name, vec![slice(&all, from, to)]).unwrap();
            Partial::from_json(&part.to_json().unwrap()).unwrap()
        };
        let options = options(&*learner, target, Missing::Keep);
        let expected = whole(&*learner, &as_visited(&all, 0), target, &options);
        let mut merged = part("b", 90, 160);
        merged.merge(part("a", 0, 90)).unwrap();
        let found = merged.finish(&Silent).unwrap();
        predict_alike(&found, &expected, &all, settings);
        assert_eq!(found.report.distinct, expected.report.distinct);
        let mut other = part("a", 0, 90);
        other.merge(part("b", 90, 160)).unwrap();
        assert_eq!(timeless(other.finish(&Silent).unwrap()), timeless(found));
    }
}

#[test]
fn sums_over_features_give_the_fit_in_memory_in_any_order() {
    let all = table(300, 11);
    let mut holed = all.clone();
    let b: Vec<f64> =
        (0..300).map(|i| if i % 7 == 3 { f64::NAN } else { (i * i % 31) as f64 }).collect();
    holed = holed.without_columns(&["b"]).with_column("b", b).unwrap();
    for (settings, target) in [
        ("karma features=sketch:64", "y"),
        ("karma features=sketch:64 c=30 gamma=3 intercept=false", "y"),
        ("karma features=sketch:40 normalization=cosine", "y"),
        ("karma features=sketch:40 normalization=uniform seed=5", "y"),
        ("karma features=sketch:64 loss=squared c=0.1", "good"),
        ("karma features=sketch:64 loss=squared", "colour"),
    ] {
        for table in [&all, &holed] {
            let learner = learner(settings);
            let units = sums(&*learner, table, target, &[0, 200]);
            let start = empty(&*learner, target, Missing::Keep).in_units(&units).unwrap();
            let part = |name: &str, from, to| {
                let mut part = start.clone();
                absorb(&mut part, name, vec![slice(table, from, to)]).unwrap();
                Partial::from_json(&part.to_json().unwrap()).unwrap()
            };
            let expected =
                whole(&*learner, table, target, &options(&*learner, target, Missing::Keep));
            let mut merged = part("b", 90, 300);
            merged.merge(part("a", 0, 90)).unwrap();
            let found = merged.finish(&Silent).unwrap();
            predict_alike(&found, &expected, table, settings);
            let counts =
                |model: &Model| (model.report.examples, model.report.reads, model.report.stop);
            assert_eq!(counts(&found), counts(&expected), "{settings}");
            let [a, b] = [&found, &expected].map(|model| model.report.objective.unwrap());
            assert!((a - b).abs() < 1e-9 * b, "{settings}: {a} and {b}");
            let mut other = part("a", 0, 90);
            other.merge(part("b", 90, 300)).unwrap();
            assert_eq!(timeless(other.finish(&Silent).unwrap()), timeless(found));
        }
    }
}

#[test]
fn each_part_draws_reads_of_its_own_and_all_count() {
    let all = table(120, 8);
    let learner = learner("fiml budget=2 seed=3");
    let units = sums(&*learner, &all, "y", &[0]);
    let start = empty(&*learner, "y", Missing::Keep).in_units(&units).unwrap();
    let part = |name: &str| {
        let mut part = start.clone();
        absorb(&mut part, name, vec![slice(&all, 0, 60)]).unwrap();
        part
    };
    let slots = |partial: &Partial, name: &str| {
        let json: serde_json::Value = serde_json::from_str(&partial.to_json().unwrap()).unwrap();
        json["parts"][name]["reads"]["slots"].clone()
    };
    let [a, b] = [part("a"), part("b")];
    assert_ne!(slots(&a, "a"), slots(&b, "b"), "the same rows are read elsewhere");
    assert_eq!(slots(&a, "a"), slots(&part("a"), "a"));
    let mut both = a;
    both.merge(b).unwrap();
    let model = both.finish(&Silent).unwrap();
    assert_eq!((model.report.examples, model.report.distinct), (120, 240));
}

#[test]
fn what_does_not_belong_together_is_refused_by_name() {
    let all = table(80, 9);
    let aerr = learner("aerr");
    let first = sums(&*aerr, &all, "y", &[0]);
    let said = |result: halfseen::Result<Partial>| result.unwrap_err().to_string();
    let plain = |settings: &str, target| empty(&*learner(settings), target, Missing::Keep);
    // Sums alone are no model of it.
    let alone = first.finish(&Silent).unwrap_err().to_string();
    assert!(alone.contains("--units"), "{alone}");
    assert!(
        said(plain("ridge", "y").in_units(&first)).contains("ridge learns from the sums alone")
    );
    assert!(said(plain("aerr", "good").in_units(&first)).contains("target"));
    let start = plain("aerr", "y").in_units(&first).unwrap();
    assert!(said(plain("aerr", "y").in_units(&start)).contains("sums that were made without any"));
    let mut one = start.clone();
    absorb(&mut one, "a", vec![slice(&all, 0, 40)]).unwrap();
    // Twice; other units; other parameters; another kind.
    let twice = absorb(&mut one, "a", vec![slice(&all, 0, 40)]).unwrap_err().to_string();
    assert!(twice.contains("part 'a': it was absorbed before"), "{twice}");
    let others = sums(&*aerr, &table(80, 10), "y", &[0]);
    for (other, what) in [
        (plain("aerr", "y").in_units(&others).unwrap(), "units"),
        (plain("aerr radius=3", "y").in_units(&first).unwrap(), "params"),
        (plain("aerr", "y"), "units"),
    ] {
        let refused = one.clone().merge(other).unwrap_err();
        assert!(
            matches!(refused.kind(), ErrorKind::OtherPlan { what: of, .. } if of == what),
            "{refused}"
        );
    }
    let summed = plain("aerr", "y").merge(one.clone()).unwrap_err().to_string();
    assert!(summed.starts_with("units is"), "{summed}");
    // Columns, kinds, classes.
    let mut with = |table: Table| {
        let before = one.clone();
        let refused =
            absorb(&mut one, "b", vec![slice(&all, 0, 3), table]).unwrap_err().to_string();
        assert_eq!(one, before);
        refused
    };
    let few = || slice(&all, 0, 5);
    let lacks = with(few().without_columns(&["b"]));
    assert!(lacks.contains("part 'b': it lacks a column 'b'"), "{lacks}");
    let more = with(few().with_column("more", vec![0.0; 5]).unwrap());
    assert!(more.contains("'more'"), "{more}");
    let classes = sums(&*aerr, &all, "good", &[0]);
    let mut of_classes = plain("aerr", "good").in_units(&classes).unwrap();
    let odd = few().with_column("good", vec![7.0; 5]);
    if let Ok(odd) = odd {
        let unknown = absorb(&mut of_classes, "a", vec![odd]).unwrap_err().to_string();
        assert!(unknown.contains("'7' is not a class of the units"), "{unknown}");
    }
    // A part without a table, and one without a row that has a target.
    assert!(
        absorb(&mut one.clone(), "c", vec![]).unwrap_err().to_string().contains("nothing in it")
    );
    let none = plain("aerr", "y").in_units(&first).unwrap().finish(&Silent).unwrap_err();
    assert!(matches!(none.kind(), ErrorKind::TooFewRows { .. }), "{none}");
}

#[test]
fn learners_that_cannot_are_refused_with_a_remedy() {
    let refused = |settings: &str| {
        let learner = learner(settings);
        let options = Options::default().for_fit(&learner.needs());
        Partial::new(&*learner, "y", None, &options).unwrap_err().to_string()
    };
    for (settings, remedy) in [
        ("robust-perceptron passes=3", "set passes=1, or choose"),
        ("robust-perceptron costs=mi", "set costs=uniform, or choose"),
        ("karma", "set features=sketch:2048, or choose one of"),
        ("karma features=sketch:64 coef0=1", "set coef0=0, or choose one of"),
        ("karma loss=hinge", "set features=sketch:2048 and loss=squared, or choose one of"),
        ("mcb", "in two passes aer, aerr"),
        ("aerr total_budget=400", "set total_budget=auto"),
        ("aelr passive=all", "set passive=no"),
        ("fiml passive=all", "set passive=no"),
    ] {
        let said = refused(settings);
        assert!(said.contains("needs the rows themselves") && said.contains(remedy), "{said}");
    }
}

#[test]
fn a_report_without_its_price_is_refused() {
    let all = table(12, 2);
    for settings in ["aerr", "karma features=sketch:6 gamma=1"] {
        let learner = learner(settings);
        let units = sums(&*learner, &all, "y", &[0]);
        let mut found = empty(&*learner, "y", Missing::Keep).in_units(&units).unwrap();
        absorb(&mut found, "a", vec![all.clone()]).unwrap();
        let text = found.to_json().unwrap();
        assert!(Partial::from_json(&text).is_ok());
        let start = text.find("\"spent\":").unwrap();
        let end = start + text[start..].find(',').unwrap() + 1;
        let cut = format!("{}{}", &text[..start], &text[end..]);
        let refused = Partial::from_json(&cut).unwrap_err().to_string();
        assert!(refused.contains("what was spent"), "{settings}: {refused}");
    }
}

#[test]
fn a_range_whose_least_value_is_above_its_largest_is_refused() {
    let learner = learner("ridge");
    let text = sums(&*learner, &table(12, 2), "y", &[0]).to_json().unwrap();
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
        ("aerr budget=2", "good"),
        ("aerr budget=2", "y"),
        ("fiml budget=2 rank=1 shape=linear", "y"),
        ("karma features=sketch:6 gamma=1", "y"),
    ] {
        let learner = learner(settings);
        let all = table(12, 2);
        let units = sums(&*learner, &all, target, &[0]);
        let mut found = empty(&*learner, target, Missing::Keep).in_units(&units).unwrap();
        absorb(&mut found, "a", vec![slice(&all, 0, 5)]).unwrap();
        absorb(&mut found, "b", vec![slice(&all, 5, 12)]).unwrap();
        let json: serde_json::Value = serde_json::from_str(&found.to_json().unwrap()).unwrap();
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
                            fitted +=
                                usize::from(Model::from_json(&model.to_json().unwrap()).is_ok());
                        }
                    }
                }
            }
        }
        assert!(fitted > 50 && refused > 500, "{settings}: {fitted} {refused}");
    }
}
