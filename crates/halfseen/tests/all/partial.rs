//! Holds fits to parts of the rows to fits to all rows at once, whoever absorbed the parts and when.

use halfseen::data::{Column, Matrix, Place, Scale, Table, Target, Task, TextColumn};
use halfseen::model::Model;
use halfseen::partial::Partial;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{ErrorKind, Learner, Silent, registry};
use ndarray::Array2;

/// A table of three numbers of very different size, a constant, a text of up to four levels, and a
/// target: numbers, two texts, three texts, or two numbers. `holes` is the share of missing cells.
pub(super) fn table(rows: usize, target: &str, holes: f64, seed: u64) -> Table {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let (mut numbers, mut text, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    let levels = ["red", "blue", "green", "a rare one"].map(str::to_owned).to_vec();
    for row in 0..rows {
        let x: Vec<f64> = (0..3).map(|_| stream.normal()).collect();
        // The last level is met late.
        let level = stream.below(if 2 * row > rows { 4 } else { 3 });
        let y = x[0] - 0.5 * x[1] * f64::from(level == 1) + level as f64 + 0.3 * stream.normal();
        let mut cells = vec![1e4 + x[0], 1e-4 * x[1], x[2] + row as f64, 7.25];
        cells.iter_mut().for_each(|cell| {
            if stream.unit() < holes {
                *cell = f64::NAN
            }
        });
        let class = if y < 0.5 { 0 } else { 1 + u32::from(y > 2.0) };
        cells.push(if target == "two numbers" { f64::from(3 + 4 * class.min(1)) } else { y });
        numbers.extend(cells);
        text.push(if stream.unit() < holes { TextColumn::MISSING } else { level as u32 });
        classes.push(if target == "two" { class.min(1) } else { class });
    }
    let names = ["big", "small", "drifts", "constant", "y", "colour", "class"];
    let places = (0..5).map(Place::Number).chain((0..2).map(Place::Text));
    let columns = names.iter().zip(places);
    let columns: Vec<Column> =
        columns.map(|(name, place)| Column { name: (*name).to_owned(), place }).collect();
    let texts = vec![
        TextColumn { codes: text, levels },
        TextColumn { codes: classes, levels: ["none", "some", "much"].map(str::to_owned).to_vec() },
    ];
    let numbers = Matrix::F64(Array2::from_shape_vec((rows, 5), numbers).unwrap());
    Table::new(numbers, texts, columns).unwrap()
}

/// Name of the target, and the column that is none.
fn named(target: &str) -> (&'static str, &'static str) {
    if target.contains("number") { ("y", "class") } else { ("class", "y") }
}

pub(super) fn options(
    learner: &dyn Learner,
    target: &str,
    missing: Missing,
    scale: Option<Scale>,
) -> Options {
    let except = vec![named(target).1.to_owned()];
    Options { except, missing, scale, ..Options::default() }.for_fit(&learner.needs())
}

pub(super) fn learner(settings: &str) -> Box<dyn Learner> {
    let mut words = settings.split(' ');
    let mut learner = registry::find(words.next().unwrap()).unwrap();
    for (name, value) in words.map(|word| word.split_once('=').unwrap()) {
        learner.set(name, value).unwrap();
    }
    learner
}

pub(super) fn whole(
    learner: &dyn Learner,
    table: &Table,
    target: &str,
    options: &Options,
) -> Model {
    let name = named(target).0;
    let read = Target::read(table, name, None).unwrap();
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let prepared = Prepared::new(table, (name, &read), &rows, options).unwrap();
    let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
    Model::of(learner, &prepared, (name, &read), fit)
}

/// Consecutive rows, as a table.
pub(super) fn slice(table: &Table, from: usize, to: usize) -> Table {
    table.select_rows(&(from..to).collect::<Vec<_>>())
}

pub(super) fn partial(learner: &dyn Learner, target: &str, options: &Options) -> Partial {
    Partial::new(learner, named(target).0, None, options).unwrap()
}

pub(super) fn absorb(
    partial: &mut Partial,
    part: &str,
    tables: Vec<Table>,
) -> halfseen::Result<()> {
    partial.absorb(part, tables.into_iter().map(Ok::<_, halfseen::Error>))
}

/// The model without the time that its fit took.
pub(super) fn timeless(mut model: Model) -> Model {
    model.report.seconds = 0.0;
    model
}

#[track_caller]
pub(super) fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs())), "{what}: {a} and {b}");
}

#[test]
fn parts_give_the_model_of_all_rows() {
    let mut tried = 0;
    for settings in [
        "ridge",
        "ridge penalty=0.1 intercept=false",
        "lasso radius=0.5 tol=1e-13",
        "zero loss=squared",
        "mean loss=squared c=3",
        "mean loss=squared normalization=none intercept=false",
    ] {
        let learner = learner(settings);
        for target in ["numbers", "two", "two numbers", "three"] {
            for (holes, missing) in
                [(0.0, Missing::Keep), (0.3, Missing::Keep), (0.3, Missing::Mean)]
            {
                let able = if target == "three" { learner.needs().holes } else { true };
                if !able || (holes > 0.0 && missing == Missing::Keep && !learner.needs().holes) {
                    continue;
                }
                for scale in [None, Some(Scale::Max), Some(Scale::None)] {
                    let what = format!("{settings}, {target}, {holes} {missing:?}, {scale:?}");
                    // Squares of 10^8 beside those of 10^-8 leave nothing to compare.
                    if scale == Some(Scale::None) && !settings.starts_with("zero") {
                        continue;
                    }
                    let options = options(&*learner, target, missing, scale);
                    let all = table(90, target, holes, 5);
                    let expected = whole(&*learner, &all, target, &options);
                    let mut parts = partial(&*learner, target, &options);
                    absorb(&mut parts, "a", vec![slice(&all, 0, 31), slice(&all, 31, 40)]).unwrap();
                    absorb(&mut parts, "b", vec![slice(&all, 40, 90)]).unwrap();
                    let fitted = parts.finish(&Silent).unwrap();
                    assert_eq!(fitted.prepare.schema, expected.prepare.schema, "{what}");
                    assert_eq!((&fitted.classes, fitted.task), (&expected.classes, expected.task));
                    let [a, b] =
                        [&fitted, &expected].map(|model| model.predict(&all).unwrap().scores);
                    a.values.iter().zip(&b.values).for_each(|(a, b)| close(*a, *b, &what));
                    close(
                        fitted.report.objective.unwrap(),
                        expected.report.objective.unwrap(),
                        &what,
                    );
                    let counts = |model: &Model| {
                        let of = &model.report;
                        (of.examples, of.reads, of.distinct, of.spent, of.stop)
                    };
                    assert_eq!(counts(&fitted), counts(&expected), "{what}");
                    if scale.is_none() {
                        // In other units those of a fit in memory lose digits to large means.
                        let deviations = |model: &Model| model.prepare.deviations.clone().unwrap();
                        let pairs = deviations(&fitted).into_iter().zip(deviations(&expected));
                        pairs.for_each(|(a, b)| close(a, b, &format!("{what}: deviation")));
                    }
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn the_bits_do_not_depend_on_who_absorbed_a_part_and_when() {
    let learner = learner("mean loss=squared");
    let options = options(&*learner, "numbers", Missing::Keep, None);
    let all = table(120, "numbers", 0.2, 9);
    let part = |at: usize| (["p0", "p1", "p2", "p3"][at], vec![slice(&all, 30 * at, 30 * at + 30)]);
    let mut one = partial(&*learner, "numbers", &options);
    (0..4).map(part).for_each(|(name, tables)| absorb(&mut one, name, tables).unwrap());
    let expected = timeless(one.finish(&Silent).unwrap());
    for order in [[3, 1, 0, 2], [2, 3, 1, 0]] {
        let [mut first, mut second] = [(); 2].map(|()| partial(&*learner, "numbers", &options));
        for (at, part) in order.into_iter().map(part).enumerate() {
            let of = if at < 2 { &mut first } else { &mut second };
            absorb(of, part.0, part.1).unwrap();
        }
        // Through a file.
        let text = second.to_json().unwrap();
        let mut merged = Partial::from_json(&text).unwrap();
        assert_eq!(merged, second);
        merged.merge(first).unwrap();
        assert_eq!(timeless(merged.finish(&Silent).unwrap()), expected, "{order:?}");
        assert_eq!((merged.rows(), merged.without_target()), (120, 0));
    }
}

#[test]
fn odd_parts_are_the_same_or_refused_by_name() {
    let learner = learner("zero loss=squared");
    let options = options(&*learner, "numbers", Missing::Keep, None);
    let all = table(60, "numbers", 0.1, 3);
    let expected = whole(&*learner, &all, "numbers", &options);
    let mut parts = partial(&*learner, "numbers", &options);
    // One row; no row; columns in another order.
    absorb(&mut parts, "a", vec![slice(&all, 0, 1)]).unwrap();
    absorb(&mut parts, "b", vec![slice(&all, 1, 1)]).unwrap();
    let rest = slice(&all, 1, 60);
    let mut columns = rest.columns().to_vec();
    columns.reverse();
    let texts = (0..2).map(|at| rest.text(at).clone()).collect();
    absorb(&mut parts, "c", vec![Table::new(rest.numbers().clone(), texts, columns).unwrap()])
        .unwrap();
    let model = parts.finish(&Silent).unwrap();
    let [a, b] = [&model, &expected].map(|model| model.predict(&all).unwrap().scores);
    a.values.iter().zip(&b.values).for_each(|(a, b)| close(*a, *b, "odd parts"));

    let refused = |part: Table, kind: fn(&ErrorKind) -> bool| {
        let before = parts.clone();
        let mut with = parts.clone();
        let said = absorb(&mut with, "d", vec![slice(&all, 0, 5), part.clone()]).unwrap_err();
        let ErrorKind::InPart { part: name, problem } = said.kind() else { panic!("{said}") };
        assert!(name == "d" && kind(problem), "{said}");
        assert_eq!(with, before, "nothing is absorbed");
        // Or when the parts are put together.
        let mut with = before.clone();
        if absorb(&mut with, "d", vec![part]).is_ok() {
            let said = with.finish(&Silent).unwrap_err();
            assert!(matches!(said.kind(), ErrorKind::InPart { part, .. } if part == "d"), "{said}");
        }
    };
    refused(
        slice(&all, 0, 5).without_columns(&["big"]),
        |kind| matches!(kind, ErrorKind::OtherColumns { name, is_more: false } if name == "big"),
    );
    refused(
        slice(&all, 0, 5).with_column("more", vec![0.0; 5]).unwrap(),
        |kind| matches!(kind, ErrorKind::OtherColumns { name, is_more: true } if name == "more"),
    );
    let text = TextColumn { codes: vec![0; 5], levels: vec!["much".to_owned()] };
    let five = slice(&all, 0, 5);
    let mut columns = five.columns().to_vec();
    columns.iter_mut().find(|column| column.name == "big").unwrap().place = Place::Text(2);
    let texts = vec![five.text(0).clone(), five.text(1).clone(), text];
    refused(
        Table::new(five.numbers().clone(), texts, columns).unwrap(),
        |kind| matches!(kind, ErrorKind::KindDiffers { column, .. } if column == "big"),
    );
    let infinite =
        Array2::from_shape_fn((5, 5), |(i, j)| if (i, j) == (2, 1) { f64::INFINITY } else { 1.0 });
    let texts = vec![five.text(0).clone(), five.text(1).clone()];
    refused(
        Table::new(Matrix::F64(infinite), texts, five.columns().to_vec()).unwrap(),
        |kind| matches!(kind, ErrorKind::NotFinite { row: 3 | 8, column, .. } if column == "small"),
    );
    let said = absorb(&mut parts.clone(), "a", vec![slice(&all, 0, 2)]).unwrap_err();
    assert!(said.to_string().starts_with("part 'a': it was absorbed before"), "{said}");
    assert!(
        absorb(&mut parts.clone(), "e", vec![]).unwrap_err().to_string().contains("nothing in it")
    );
}

#[test]
fn only_parts_of_one_fit_are_merged() {
    let squared = learner("zero loss=squared");
    let of = |learner: &dyn Learner, scale| {
        partial(learner, "numbers", &options(learner, "numbers", Missing::Keep, scale))
    };
    let all = table(20, "numbers", 0.0, 3);
    let mut first = of(&*squared, None);
    absorb(&mut first, "a", vec![all.clone()]).unwrap();
    for (other, what) in [
        (of(&*learner("zero loss=squared c=2"), None), "params"),
        (of(&*learner("ridge"), None), "learner"),
        (of(&*squared, Some(Scale::Max)), "scale"),
    ] {
        let said = first.clone().merge(other).unwrap_err();
        assert!(matches!(said.kind(), ErrorKind::OtherPlan { .. }), "{said}");
        assert!(said.to_string().contains(what) || what == "learner", "{said}");
    }
    let said = first.clone().merge(first.clone()).unwrap_err().to_string();
    assert!(said.starts_with("part 'a': it was absorbed before"), "{said}");
    let none = of(&*squared, None).finish(&Silent).unwrap_err();
    assert!(matches!(none.kind(), ErrorKind::TooFewRows { .. }), "{none}");
}

#[test]
fn what_needs_the_rows_is_refused_with_a_remedy() {
    let refused = |settings: &str, task, options: Options| {
        let learner = learner(settings);
        Partial::new(&*learner, "y", task, &options).unwrap_err().to_string()
    };
    let plain = Options::default;
    assert!(
        refused("karma", None, plain()).contains("ridge, lasso"),
        "{}",
        refused("karma", None, plain())
    );
    let hinge = refused("zero", Some(Task::Classification), plain());
    assert!(hinge.contains("set loss=squared"), "{hinge}");
    let hats = Options { basis: halfseen::data::Basis::Hats, ..plain() };
    assert!(refused("ridge", None, hats).contains("basis = hats"));
    // Only the rows show that there are classes.
    let zero = learner("zero");
    let mut parts = partial(&*zero, "two", &options(&*zero, "two", Missing::Keep, None));
    let said = absorb(&mut parts, "a", vec![table(40, "two", 0.0, 1)]).unwrap_err().to_string();
    assert!(said.contains("part 'a'") && said.contains("set loss=squared"), "{said}");
    // Only all parts show that two numbers are all there are.
    let mut parts =
        partial(&*zero, "two numbers", &options(&*zero, "two numbers", Missing::Keep, None));
    absorb(&mut parts, "a", vec![table(40, "two numbers", 0.0, 1)]).unwrap();
    let said = parts.finish(&Silent).unwrap_err().to_string();
    assert!(said.contains("set loss=squared"), "{said}");
    // Holes, for a learner that takes none.
    let ridge = learner("ridge");
    let mut parts = partial(&*ridge, "numbers", &options(&*ridge, "numbers", Missing::Keep, None));
    absorb(&mut parts, "a", vec![table(40, "numbers", 0.3, 1)]).unwrap();
    let said = parts.finish(&Silent).unwrap_err().to_string();
    assert!(said.contains("--missing mean"), "{said}");
}

#[test]
fn damaged_files_are_refused_or_harmless() {
    let learner = learner("mean loss=squared");
    let options = options(&*learner, "numbers", Missing::Keep, None);
    let mut parts = partial(&*learner, "numbers", &options);
    absorb(&mut parts, "a", vec![table(20, "numbers", 0.2, 1)]).unwrap();
    let text = parts.to_json().unwrap();
    for cut in (0..text.len()).step_by(97) {
        assert!(Partial::from_json(&text[..cut]).is_err());
    }
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let sums = "/parts/a/sums/sums";
    for (place, value) in [
        ("/format", serde_json::json!("soup")),
        ("/version", serde_json::json!(9)),
        ("/plan/learner", serde_json::json!("soup")),
        (&format!("{sums}/products/0"), serde_json::json!(null)),
        (&format!("{sums}/sums"), serde_json::json!([1.0])),
        (&format!("{sums}/pair_sums"), serde_json::json!([])),
        ("/parts/a/sums/columns/0/kind", serde_json::json!("soup")),
        ("/parts/a/sums/columns/0/knots", serde_json::json!([0.0, 1.0, 2.0])),
        ("/parts/a/sums/columns/4/categories/0", serde_json::json!("zebra")),
        ("/parts/a/sums/columns/4/categories", serde_json::json!([])),
        ("/parts/a/sums/columns/1/name", serde_json::json!("big")),
        ("/parts/a/sums/columns", serde_json::json!([])),
    ] {
        let mut broken = json.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        match broken.pointer_mut(parent).unwrap() {
            serde_json::Value::Object(map) => drop(map.insert(key.to_owned(), value.clone())),
            list => list[key.parse::<usize>().unwrap()] = value.clone(),
        }
        let said = Partial::from_json(&broken.to_string());
        assert!(matches!(said.unwrap_err().kind(), ErrorKind::BadFile { .. }), "{place} = {value}");
    }
}

/// Adds the places of all leaves of a JSON value.
pub(super) fn leaves(value: &serde_json::Value, place: &str, places: &mut Vec<String>) {
    match value {
        serde_json::Value::Object(map) => {
            map.iter().for_each(|(key, value)| leaves(value, &format!("{place}/{key}"), places));
        }
        serde_json::Value::Array(list) => {
            let each = list.iter().enumerate();
            each.for_each(|(at, value)| leaves(value, &format!("{place}/{at}"), places));
        }
        _ => places.push(place.to_owned()),
    }
}

#[test]
fn every_leaf_replaced_by_nonsense_gives_an_error_or_a_model() {
    for (settings, target) in [("mean loss=squared", "three"), ("ridge", "numbers")] {
        let learner = learner(settings);
        let options = options(&*learner, target, Missing::Mean, None);
        let mut parts = partial(&*learner, target, &options);
        absorb(&mut parts, "a", vec![table(20, target, 0.2, 1)]).unwrap();
        absorb(&mut parts, "b", vec![table(10, target, 0.2, 2)]).unwrap();
        let json: serde_json::Value = serde_json::from_str(&parts.to_json().unwrap()).unwrap();
        let (mut places, mut fitted) = (Vec::new(), 0);
        leaves(&json, "", &mut places);
        for place in places {
            for value in
                ["null", "-1", "0", "1e308", "1e-308", "\"text\"", "[]", "18446744073709551615"]
            {
                let mut broken = json.clone();
                *broken.pointer_mut(&place).unwrap() = serde_json::from_str(value).unwrap();
                let Ok(read) = Partial::from_json(&broken.to_string()) else { continue };
                // A model of nonsense is nonsense, but it is whole.
                if let Ok(model) = read.finish(&Silent) {
                    fitted += usize::from(model.to_json().is_ok());
                }
            }
        }
        assert!(fitted > 100, "{fitted}");
    }
}
