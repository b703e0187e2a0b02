//! Declares what is not read, bounds and moments, for every learner.

use crate::common::{Data, budgeted, kind, layout, learner, singletons};
use halfseen::data::{Bounds, Declared, Examples, Matrix, Moments, Scale, Table, Target, Task};
use halfseen::learner::Family;
use halfseen::prepare::{Group, Moment, Options, Prepared};
use halfseen::{ErrorKind, Silent};

#[test]
fn reads_outside_declared_bounds_are_counted_and_the_first_is_named() {
    let mut data = Data::random(80, &layout(&[1, 2, 1, 1], &[1]), 12);
    let inside = Bounds { low: vec![-1.0; 6], high: vec![1.0; 6] };
    for (row, column) in [(7, 0), (7, 3), (50, 2), (60, 5)] {
        data.x[[row, column]] = 1.5;
    }
    data.matrix = Matrix::F64(data.x.clone());
    let names: Vec<String> = ["a", "b1", "b2", "c", "d", "age"].map(str::to_owned).into();
    for name in budgeted() {
        let fit = |bounds: &Bounds, budget| {
            let declared = Declared { bounds: Some(bounds), names: &names, ..Declared::default() };
            let examples = Examples { declared, ..data.examples() };
            learner(&name, &[("budget", budget)]).fit(&examples, &Silent).unwrap()
        };
        // Every cell is read once.
        let within = fit(&inside, "4");
        assert_eq!(within.report.outside_bounds, 4, "{name}");
        let first = within.report.first_outside.unwrap();
        assert_eq!((first.value, first.low, first.high), (1.5, -1.0, 1.0), "{name}");
        let place = (first.row, first.column.as_str());
        assert!(
            [(8, "a"), (8, "c"), (51, "b2"), (61, "age")].contains(&place),
            "{name}: {place:?}"
        );
        // Nothing lies inside: every value read is counted, and nothing else changes.
        let nowhere = Bounds { low: vec![5.0; 6], high: vec![6.0; 6] };
        let outside = fit(&nowhere, "2");
        let least = outside.report.reads + 80;
        assert!(outside.report.outside_bounds >= least, "{name}: known cells are read as well");
        assert_eq!(
            outside.predictor,
            learner(&name, &[("budget", "2")]).fit(&data.examples(), &Silent).unwrap().predictor
        );
        let wide = Bounds { low: vec![-2.0; 6], high: vec![2.0; 6] };
        assert_eq!(
            (fit(&wide, "2").report.outside_bounds, fit(&wide, "2").report.first_outside),
            (0, None),
            "{name}"
        );
    }
}

#[test]
fn a_value_where_a_moment_of_zero_was_declared_is_refused_with_its_place() {
    let mut data = Data::random(80, &singletons(4), 13);
    data.x.column_mut(2).fill(0.0);
    data.matrix = Matrix::F64(data.x.clone());
    let zero = Moments { mean: vec![0.0; 4], square: vec![1.0, 1.0, 0.0, 1.0] };
    let (shown, sum) = (data.x.clone(), data.y.clone());
    let mut shown = Data::new(shown, sum, &data.layout);
    shown.x[[33, 2]] = 0.25;
    shown.matrix = Matrix::F64(shown.x.clone());
    for name in budgeted() {
        let fit = |data: &Data, moments| {
            let declared = Declared { moments, ..Declared::default() };
            let examples = Examples { moments: Some(&zero), declared, ..data.examples() };
            learner(&name, &[("budget", "4"), ("centre", "none")]).fit(&examples, &Silent)
        };
        assert_eq!(fit(&data, true).unwrap().report.examples, 80, "{name}");
        assert_eq!(
            fit(&shown, false).unwrap().report.examples,
            80,
            "{name}: measured ones are not doubted"
        );
        let error = fit(&shown, true).unwrap_err();
        let expected = "row 34, column 'x2': the value is 0.25 in scaled units, but its second moment was declared to be 0";
        assert!(error.to_string().starts_with(expected), "{name}: {error}");
    }
}

#[test]
fn moments_that_no_columns_have_are_refused() {
    let data = Data::random(30, &singletons(3), 14);
    let moments =
        |mean: &[f64], square: &[f64]| Moments { mean: mean.to_vec(), square: square.to_vec() };
    let lengths = [moments(&[0.0; 3], &[1.0; 2]), moments(&[0.0; 4], &[1.0; 3]), moments(&[], &[])];
    let odd = [f64::NAN, -1.0, f64::INFINITY].map(|v| moments(&[0.0; 3], &[1.0, v, 1.0]));
    for name in budgeted() {
        let refused = |moments: &Moments, settings: &[(&str, &str)], declared| {
            let declared = Declared { moments: declared, ..Declared::default() };
            let examples = Examples { moments: Some(moments), declared, ..data.examples() };
            learner(&name, settings).fit(&examples, &Silent).unwrap_err()
        };
        for declared in [false, true] {
            lengths.iter().for_each(|m| {
                assert_eq!(kind(&refused(m, &[], declared)), "WrongLength", "{name}")
            });
        }
        odd.iter()
            .for_each(|m| assert_eq!(kind(&refused(m, &[], true)), "WrongDeclaration", "{name}"));
        if crate::common::keeps_reads(&name) {
            // It centres by what it reads.
            continue;
        }
        let error = refused(&moments(&[0.0; 3], &[1.0; 3]), &[("centre", "given")], true);
        assert!(matches!(error.kind(), ErrorKind::Needs { name: "centre", .. }), "{name}: {error}");
    }
}

/// Three attributes and a target.
fn table(rows: usize) -> (Table, Target) {
    let data = Data::random(rows, &singletons(3), 15);
    let cell = |(i, j)| if j < 3 { 4.0 + 3.0 * data.x[[i, j]] } else { data.y[i] };
    let cells = ndarray::Array2::from_shape_fn((rows, 4), cell);
    let table =
        Table::from_matrix(Matrix::F64(cells), ["a", "b", "c", "y"].map(str::to_owned).into())
            .unwrap();
    let target = Target::read(&table, "y", Some(Task::Regression)).unwrap();
    (table, target)
}

/// Who declares what others measure learns what they do.
#[test]
fn declared_moments_do_what_measured_ones_do() {
    let (table, target) = table(120);
    let rows: Vec<u32> = (0..120).collect();
    let moment = |name: &str| {
        let column = table.column(name).unwrap();
        let cells = rows.iter().map(|&r| match table.cell(r as usize, column) {
            halfseen::data::Cell::Number(v) => v,
            _ => unreachable!(),
        });
        let (sum, square) = cells.fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
        (name.to_owned(), Moment { square: square / 120.0, mean: Some(sum / 120.0) })
    };
    let bounds = ["a", "b", "c"].map(|name| (name.to_owned(), (0.0, 8.0))).into();
    let measured =
        Options { scale: Some(Scale::Each), intercept: true, bounds, ..Options::default() };
    let moments = ["a", "b", "c"].map(moment).into();
    let declared = Options { honest: true, moments, ..measured.clone() };
    let honest = Options { honest: true, ..measured.clone() };
    for name in budgeted() {
        for centre in ["running", "given", "none"] {
            let fit = |options: &Options| {
                let prepared = Prepared::new(&table, ("y", &target), &rows, options).unwrap();
                learner(&name, &[("budget", "2"), ("centre", centre)])
                    .fit(&prepared.examples(), &Silent)
            };
            let (one, two) = (fit(&measured).unwrap(), fit(&declared).unwrap());
            let (one, two) = (one.linear().unwrap().clone(), two.linear().unwrap().clone());
            for (w, v) in one.weights.iter().zip(&two.weights) {
                assert!((w - v).abs() < 1e-9, "{name}, {centre}: {w} and {v}");
            }
            match fit(&honest) {
                // Those that estimate all moments, or keep all reads, need no norms for steps.
                Ok(estimated)
                    if crate::common::from_moments(&name) || crate::common::keeps_reads(&name) =>
                {
                    assert_eq!(*estimated.linear().unwrap(), two, "{name}")
                }
                Ok(estimated) => assert_ne!(
                    *estimated.linear().unwrap(),
                    two,
                    "{name}: they do make a difference"
                ),
                Err(error) => {
                    assert_eq!((kind(&error).as_str(), centre), ("Needs", "given"), "{name}")
                }
            }
        }
    }
}

#[test]
fn what_is_declared_of_panels_is_checked() {
    let (table, target) = table(20);
    let rows: Vec<u32> = (0..20).collect();
    let group = |name: &str, columns: &[&str]| Group {
        name: name.to_owned(),
        columns: columns.iter().map(|c| (*c).to_owned()).collect(),
    };
    let price = |name: &str, price| [(name.to_owned(), price)].into();
    let prepared =
        |options: &Options| Prepared::new(&table, ("y", &target), &rows, options).map(|p| p.layout);
    let pair = || vec![group("pair", &["c", "a"])];
    let layout =
        prepared(&Options { groups: pair(), prices: price("pair", 2.5), ..Options::default() })
            .unwrap();
    assert_eq!(
        (layout.sampled_panels(), layout.name(0), layout.price(0), layout.price(1)),
        (2, "pair", 2.5, 1.0)
    );
    let later = Options { groups: vec![group("pair", &["c", "b"])], ..Options::default() };
    let layout = prepared(&later).unwrap();
    assert_eq!(
        (layout.name(0), layout.name(1), layout.column(1)),
        ("a", "pair", 2),
        "panels come in the table's order"
    );
    let known = || vec!["a".to_owned()];
    let wrong = [
        Options { groups: pair(), prices: price("a", 1.0), ..Options::default() },
        Options { known: known(), prices: price("a", 1.0), ..Options::default() },
        Options { known: known(), groups: pair(), ..Options::default() },
        Options {
            groups: vec![group("pair", &["a", "b"]), group("other", &["c", "b"])],
            ..Options::default()
        },
        Options { groups: vec![group("pair", &["a", "a"])], ..Options::default() },
        Options {
            groups: vec![group("pair", &["a"]), group("pair", &["b"])],
            ..Options::default()
        },
        Options { groups: vec![group("b", &["a", "c"])], ..Options::default() },
        Options { groups: vec![group("pair", &[])], ..Options::default() },
        Options { prices: price("a", -1.0), ..Options::default() },
        Options { prices: price("a", f64::NAN), ..Options::default() },
    ];
    for options in wrong {
        let error = prepared(&options).unwrap_err();
        assert_eq!(kind(&error), "WrongDeclaration", "{error}");
    }
    for options in [
        Options { groups: vec![group("pair", &["a", "z"])], ..Options::default() },
        Options { prices: price("z", 1.0), ..Options::default() },
        Options { groups: pair(), prices: price("par", 1.0), ..Options::default() },
        Options { prices: price("y", 1.0), ..Options::default() },
    ] {
        assert_eq!(kind(&prepared(&options).unwrap_err()), "UnknownColumn");
    }
}

/// Learners that see every cell take no declaration for it.
#[test]
fn declared_moments_change_nothing_where_every_cell_is_read() {
    let wrong = Moments { mean: vec![0.0; 3], square: vec![100.0; 3] };
    for full in crate::common::subjects().iter().filter(|l| l.family() == Family::Full) {
        let data = Data::random(60, &singletons(3), 16).for_learner(&**full);
        let declared = Declared { moments: true, ..Declared::default() };
        let examples = Examples { moments: Some(&wrong), declared, ..data.examples() };
        let (plain, told) =
            (full.fit(&data.examples(), &Silent).unwrap(), full.fit(&examples, &Silent).unwrap());
        assert_eq!(plain.predictor, told.predictor, "{}", full.name());
    }
}

#[test]
fn where_nobody_declares_moments_the_reads_tell_them() {
    let (table, target) = table(120);
    let rows: Vec<u32> = (0..120).collect();
    let options = Options { honest: true, intercept: true, ..Options::default() };
    let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
    for name in ["ddaerr", "ddaelr"] {
        let fit = |moments: &str| {
            let mut learner = halfseen::registry::find(name).unwrap();
            learner.set("budget", "2").unwrap();
            learner.set("moments", moments).unwrap();
            let asked = learner.start(&prepared.layout).unwrap().unwrap().ask().unwrap();
            (learner.fit(&prepared.examples(), &Silent).unwrap().predictor, asked.reads)
        };
        assert_eq!(fit("auto"), fit("online"), "{name}");
    }
}
