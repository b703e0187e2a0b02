//! Pays for reads and declares what is not read: prices, total budgets, bounds and moments, for every learner.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Data, budgeted, kind, layout, learner, singletons, started};
use halfseen::budget::{AskTell, Query, Role, next_batch};
use halfseen::data::{Declared, Examples, Matrix, Moments, Table, Target, Task};
use halfseen::learner::Family;
use halfseen::model::{BudgetKind, Fit, Stop};
use halfseen::prepare::{Bounds, Group, Moment, Options, Prepared, Scale};
use halfseen::{ErrorKind, Silent};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Panels of several widths, some known, with prices: one is free.
fn priced() -> Arc<halfseen::prepare::Layout> {
    let plain = layout(&[1, 3, 1, 2, 1, 1], &[1, 2]);
    Arc::new(Arc::unwrap_or_clone(plain).with_prices(vec![0.5, 3.0, 0.0, 10.0, 1.0, 0.125]).unwrap())
}

#[test]
fn a_budgeted_learner_pays_each_distinct_read_once() {
    let data = Data::random(60, &priced(), 5);
    for name in budgeted() {
        for budget in ["3", "6"] {
            let mut learner = started(&name, &[("budget", budget), ("average", "all")], &data.layout);
            let mut spent = 0.0;
            for query in data.teach(&mut *learner, 0..60) {
                let paid: BTreeSet<u32> =
                    query.reads.iter().filter(|r| r.role != Role::Known).map(|r| r.panel).collect();
                spent += paid.iter().map(|&p| [0.5, 3.0, 0.0, 10.0, 1.0, 0.125][p as usize]).sum::<f64>();
            }
            // All prices are multiples of 1/8: sums are exact in any order.
            assert_eq!(learner.report().spent, spent, "{name}");
        }
    }
}

#[test]
fn a_learner_that_reads_everything_pays_every_price_for_each_example() {
    for full in halfseen::learner::all().iter().filter(|l| l.family() == Family::Full) {
        let data = Data::random(60, &priced(), 6).for_learner(&**full);
        for fit in full.fit_curve(&[7, 60], &data.examples(), &Silent).unwrap() {
            assert_eq!(fit.report.spent, fit.report.examples as f64 * 14.625, "{}", full.name());
        }
    }
}

#[test]
fn without_prices_each_distinct_read_costs_one() {
    for any in halfseen::learner::all() {
        let data = Data::random(60, &layout(&[1, 3, 1], &[1]), 7).for_learner(&*any);
        let fit = learner(any.name(), &[]).fit(&data.examples(), &Silent).unwrap();
        assert_eq!(fit.report.spent, fit.report.distinct as f64, "{}", any.name());
    }
}

fn fit(name: &str, settings: &[(&str, &str)], data: &Data) -> Fit {
    learner(name, settings).fit(&data.examples(), &Silent).unwrap()
}

#[test]
fn a_total_budget_is_never_exceeded_and_used_up_to_less_than_one_example() {
    let data = Data::random(200, &layout(&[1, 3, 1, 2, 1, 1], &[1, 2]), 8);
    for name in budgeted() {
        for (budget, total) in [(2_u64, 2_u64), (3, 100), (3, 101), (4, 407), (6, 61), (6, 1_199)] {
            let (k, b) = (budget.to_string(), total.to_string());
            let learner = learner(&name, &[("budget", &k), ("total_budget", &b)]);
            let report = match learner.fit(&data.examples(), &Silent) {
                Ok(fit) => fit.report,
                Err(error) => {
                    // Too few examples for two phases.
                    let short = matches!(error.kind(), ErrorKind::OutOfRange { name: "phase1", .. });
                    assert!(short && learner.get("phase1").is_some() && total < 10 * budget, "{name}: {error}");
                    continue;
                }
            };
            assert_eq!((report.stop, report.converged), (Stop::BudgetSpent, true), "{name} {budget} {total}");
            assert_eq!(report.reads + report.unused.unwrap(), total, "{name}");
            // Where the reads of one example are a random number, one that asked for many may be the last.
            let most = if report.budget_kind == BudgetKind::Each { budget } else { 64 };
            assert!(report.unused.unwrap() < most, "{name}: {report:?}");
        }
    }
}

#[test]
fn more_than_enough_is_one_pass() {
    let data = Data::random(50, &singletons(5), 9);
    for name in budgeted() {
        let report = fit(&name, &[("budget", "3"), ("total_budget", "1000")], &data).report;
        // A solver says why it stopped; what matters is that it was not the budget.
        assert!(report.converged && report.stop != Stop::BudgetSpent && report.examples == 50, "{name}");
        assert_eq!(report.unused, Some(1000 - report.reads), "{name}");
        assert_eq!(fit(&name, &[("budget", "3")], &data).report.unused, None, "{name}");
    }
}

/// A total budget is a shorter pass: the horizon is what it pays for, and the weights are those of that pass.
#[test]
fn a_total_budget_learns_what_a_pass_over_so_many_examples_does() {
    let data = Data::random(200, &singletons(7), 10);
    for name in budgeted() {
        let limited = fit(&name, &[("budget", "3"), ("total_budget", "150")], &data);
        let examples = limited.report.examples as usize;
        // More than 50 where the first examples, at w = 0, need no read for the product.
        let kept = limited.report.budget_kind == BudgetKind::Each;
        assert!(if kept { (50..=75).contains(&examples) } else { examples > 25 }, "{name}: {examples}");
        let of_horizon = |horizon: usize| {
            let plain = learner(&name, &[("budget", "3"), ("horizon", &horizon.to_string())]);
            plain.fit_curve(&[examples], &data.examples(), &Silent).unwrap().remove(0).predictor
        };
        // Where the reads of an example are a random number, of a mean of up to 1.06 more, fewer examples are expected.
        let mut horizons = if kept { 50..=50 } else { 150 * 100 / 406..=50 };
        assert!(horizons.any(|horizon| of_horizon(horizon) == limited.predictor), "{name}");
    }
}

#[test]
fn a_curve_ends_where_the_total_budget_does() {
    let data = Data::random(200, &singletons(7), 10);
    for name in budgeted() {
        let learner = learner(&name, &[("budget", "3"), ("total_budget", "150")]);
        let fits = learner.fit_curve(&[10, 40, 120, 200], &data.examples(), &Silent).unwrap();
        let examples: Vec<u64> = fits.iter().map(|f| f.report.examples).collect();
        assert_eq!((&examples[..2], examples.len()), (&[10, 40][..], 3), "{name}");
        assert_eq!(fits[2].report.stop, Stop::BudgetSpent, "{name}");
        // A point that is reached with the last read is there once.
        let again = learner.fit_curve(&[10, examples[2] as usize, 200], &data.examples(), &Silent).unwrap();
        assert_eq!(again.iter().map(|f| f.report.examples).collect::<Vec<_>>(), [10, examples[2]], "{name}");
    }
}

#[test]
fn a_total_budget_below_one_example_is_refused() {
    let data = Data::random(20, &singletons(7), 11);
    for name in budgeted() {
        let learner = learner(&name, &[("budget", "4"), ("total_budget", "3")]);
        let errors = [learner.fit(&data.examples(), &Silent).err(), learner.start(&data.layout).err()];
        for error in errors.into_iter().map(Option::unwrap) {
            assert!(matches!(error.kind(), ErrorKind::OutOfRange { name: "total_budget", .. }), "{name}: {error}");
        }
    }
}

fn paid(query: &Query) -> u64 {
    query.reads.iter().filter(|r| r.role != Role::Known).count() as u64
}

/// The refusal, which changes nothing and hands out nothing.
fn refused(
    learner: &mut dyn AskTell,
    ask: impl FnOnce(&mut dyn AskTell, &mut Query) -> halfseen::Result<()>,
) -> ErrorKind {
    let (before, mut query) = (learner.save().unwrap(), Query::default());
    let error = ask(learner, &mut query).unwrap_err();
    assert_eq!((learner.save().unwrap(), query.reads.len(), query.parts.len()), (before, 0, 0), "{error}");
    error.kind().clone()
}

#[test]
fn asking_is_refused_where_open_queries_have_asked_for_the_total_budget() {
    let data = Data::random(200, &layout(&[1, 3, 1, 2, 1, 1], &[1, 2]), 8);
    for name in budgeted() {
        let mut learner = started(&name, &[("budget", "3"), ("total_budget", "61")], &data.layout);
        let mut open: Vec<Query> = std::iter::from_fn(|| learner.ask().ok()).collect();
        let promised: u64 = open.iter().map(paid).sum();
        let refusal = refused(&mut *learner, |l, q| l.ask_into(q));
        let ErrorKind::BudgetSpent { total: 61, made: 0, open: counted, asked } = refusal else {
            panic!("{name}: {refusal}")
        };
        assert!(counted == promised && promised <= 61 && promised + asked > 61, "{name}: {promised} and {asked}");
        assert_eq!((learner.report().reads, learner.report().unused), (0, Some(61 - promised)), "{name}");
        // What nobody will answer is free again.
        let forgotten = open.remove(3);
        learner.forget(forgotten.number).unwrap();
        assert_eq!(learner.report().unused, Some(61 - promised + paid(&forgotten)), "{name}");
        open.push(learner.ask().unwrap());
        // A saved state goes on counting, and answers to open queries are taken.
        let mut learner = halfseen::budget::load(&learner.save().unwrap()).unwrap();
        assert!(matches!(refused(&mut *learner, |l, q| l.ask_into(q)), ErrorKind::BudgetSpent { .. }), "{name}");
        for (row, query) in open.iter().enumerate() {
            learner.tell(query, &data.answer(query, row), data.y[row]).unwrap();
        }
        let spent = learner.report();
        assert_eq!((spent.reads, spent.unused), (open.iter().map(paid).sum(), Some(61 - spent.reads)), "{name}");
        // One by one it ends just so.
        while let Ok(query) = learner.ask() {
            learner.tell(&query, &data.answer(&query, 0), data.y[0]).unwrap();
        }
        let ErrorKind::BudgetSpent { made, open: 0, asked, .. } = refused(&mut *learner, |l, q| l.ask_into(q)) else {
            panic!()
        };
        assert!(made == learner.report().reads && made <= 61 && made + asked > 61, "{name}");
    }
}

#[test]
fn what_happens_to_be_observed_counts_against_the_total_budget_too() {
    let data = Data::random(50, &singletons(6), 9);
    for name in ["aerr", "aelr", "fiml"] {
        let mut learner = started(name, &[("passive", "all"), ("total_budget", "10")], &data.layout);
        let mut query = Query::default();
        for _ in 0..2 {
            learner.ask_observed_into(&[0, 1, 3, 5], &mut query).unwrap();
        }
        let refusal = refused(&mut *learner, |l, q| l.ask_observed_into(&[1, 2, 4], q));
        assert_eq!(refusal, ErrorKind::BudgetSpent { total: 10, made: 0, open: 8, asked: 3 }, "{name}");
        learner.ask_observed_into(&[2, 4], &mut query).unwrap();
        assert_eq!(learner.report().unused, Some(0), "{name}");
        learner.tell(&query, &[0.5, 0.5], 1.0).unwrap();
        assert_eq!((learner.report().reads, learner.report().unused), (2, Some(0)), "{name}");
    }
}

/// A batch spends what open queries leave.
#[test]
fn batches_and_open_queries_share_one_total_budget() {
    let data = Data::random(50, &singletons(6), 9);
    for name in budgeted() {
        let mut learner = started(&name, &[("budget", "3"), ("total_budget", "60")], &data.layout);
        let open: Vec<Query> = (0..10).map(|_| learner.ask().unwrap()).collect();
        let promised: u64 = open.iter().map(paid).sum();
        let report = next_batch(&mut *learner, &data.examples(), &Silent).unwrap();
        assert_eq!((report.stop, report.unused), (Stop::BudgetSpent, Some(60 - promised - report.reads)), "{name}");
        for query in &open {
            learner.tell(query, &data.answer(query, 0), data.y[0]).unwrap();
        }
        assert!(learner.report().reads <= 60, "{name}: {}", learner.report().reads);
    }
}

/// States of before open queries were counted can be gone on from where nothing limits them.
#[test]
fn an_older_state_without_counts_is_taken_only_where_there_is_no_total_budget() {
    let data = Data::random(50, &singletons(6), 9);
    for (total, taken) in [("auto", true), ("60", false)] {
        let mut learner = started("aerr", &[("budget", "3"), ("total_budget", total)], &data.layout);
        let query = learner.ask().unwrap();
        let mut state = learner.save().unwrap();
        state["state"]["ledger"].as_object_mut().unwrap().remove("asked").unwrap();
        let Ok(mut older) = halfseen::budget::load(&state) else {
            assert!(!taken);
            continue;
        };
        assert!(taken);
        older.tell(&query, &data.answer(&query, 0), data.y[0]).unwrap();
        assert_eq!(older.report().reads, paid(&query));
    }
}

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
        let found = fit(&inside, "4");
        assert_eq!(found.report.outside_bounds, 4, "{name}");
        let first = found.report.first_outside.unwrap();
        assert_eq!((first.value, first.low, first.high), (1.5, -1.0, 1.0), "{name}");
        let place = (first.row, first.column.as_str());
        assert!([(8, "a"), (8, "c"), (51, "b2"), (61, "age")].contains(&place), "{name}: {place:?}");
        // Nothing lies inside: every value read is counted, and nothing else changes.
        let nowhere = Bounds { low: vec![5.0; 6], high: vec![6.0; 6] };
        let found = fit(&nowhere, "2");
        let least = found.report.reads + 80;
        assert!(found.report.outside_bounds >= least, "{name}: known cells are read as well");
        assert_eq!(
            found.predictor,
            learner(&name, &[("budget", "2")]).fit(&data.examples(), &Silent).unwrap().predictor
        );
        let wide = Bounds { low: vec![-2.0; 6], high: vec![2.0; 6] };
        assert_eq!((fit(&wide, "2").report.outside_bounds, fit(&wide, "2").report.first_outside), (0, None), "{name}");
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
        assert_eq!(fit(&shown, false).unwrap().report.examples, 80, "{name}: measured ones are not doubted");
        let error = fit(&shown, true).unwrap_err();
        let expected = ErrorKind::MomentContradicted { row: 34, column: "x2".into(), value: 0.25 };
        assert_eq!(error.kind(), &expected, "{name}");
    }
}

#[test]
fn moments_that_no_columns_have_are_refused() {
    let data = Data::random(30, &singletons(3), 14);
    let moments = |mean: &[f64], square: &[f64]| Moments { mean: mean.to_vec(), square: square.to_vec() };
    let lengths = [moments(&[0.0; 3], &[1.0; 2]), moments(&[0.0; 4], &[1.0; 3]), moments(&[], &[])];
    let odd = [f64::NAN, -1.0, f64::INFINITY].map(|v| moments(&[0.0; 3], &[1.0, v, 1.0]));
    for name in budgeted() {
        let refused = |moments: &Moments, settings: &[(&str, &str)], declared| {
            let declared = Declared { moments: declared, ..Declared::default() };
            let examples = Examples { moments: Some(moments), declared, ..data.examples() };
            learner(&name, settings).fit(&examples, &Silent).unwrap_err()
        };
        for declared in [false, true] {
            lengths.iter().for_each(|m| assert_eq!(kind(&refused(m, &[], declared)), "WrongLength", "{name}"));
        }
        odd.iter().for_each(|m| assert_eq!(kind(&refused(m, &[], true)), "WrongDeclaration", "{name}"));
        if common::keeps_reads(&name) {
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
    let table = Table::from_matrix(Matrix::F64(cells), ["a", "b", "c", "y"].map(str::to_owned).into()).unwrap();
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
    let measured = Options { scale: Some(Scale::Each), intercept: true, bounds, ..Options::default() };
    let moments = ["a", "b", "c"].map(moment).into();
    let declared = Options { honest: true, moments, ..measured.clone() };
    let honest = Options { honest: true, ..measured.clone() };
    for name in budgeted() {
        for centre in ["running", "given", "none"] {
            let fit = |options: &Options| {
                let prepared = Prepared::new(&table, ("y", &target), &rows, options).unwrap();
                learner(&name, &[("budget", "2"), ("centre", centre)]).fit(&prepared.examples(), &Silent)
            };
            let (one, two) = (fit(&measured).unwrap(), fit(&declared).unwrap());
            let (one, two) = (one.linear().unwrap().clone(), two.linear().unwrap().clone());
            for (w, v) in one.weights.iter().zip(&two.weights) {
                assert!((w - v).abs() < 1e-9, "{name}, {centre}: {w} and {v}");
            }
            match fit(&honest) {
                // Those that estimate all moments, or keep all reads, need no norms for steps.
                Ok(estimated) if common::from_moments(&name) || common::keeps_reads(&name) => {
                    assert_eq!(*estimated.linear().unwrap(), two, "{name}")
                }
                Ok(estimated) => assert_ne!(*estimated.linear().unwrap(), two, "{name}: they do make a difference"),
                Err(error) => assert_eq!((kind(&error).as_str(), centre), ("Needs", "given"), "{name}"),
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
    let prepared = |options: &Options| Prepared::new(&table, ("y", &target), &rows, options).map(|p| p.layout);
    let pair = || vec![group("pair", &["c", "a"])];
    let layout = prepared(&Options { groups: pair(), prices: price("pair", 2.5), ..Options::default() }).unwrap();
    assert_eq!((layout.sampled_panels(), layout.name(0), layout.price(0), layout.price(1)), (2, "pair", 2.5, 1.0));
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
        Options { groups: vec![group("pair", &["a", "b"]), group("other", &["c", "b"])], ..Options::default() },
        Options { groups: vec![group("pair", &["a", "a"])], ..Options::default() },
        Options { groups: vec![group("pair", &["a"]), group("pair", &["b"])], ..Options::default() },
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
    for full in halfseen::learner::all().iter().filter(|l| l.family() == Family::Full) {
        let data = Data::random(60, &singletons(3), 16).for_learner(&**full);
        let declared = Declared { moments: true, ..Declared::default() };
        let examples = Examples { moments: Some(&wrong), declared, ..data.examples() };
        let (plain, told) = (full.fit(&data.examples(), &Silent).unwrap(), full.fit(&examples, &Silent).unwrap());
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
            let mut learner = halfseen::learner::find(name).unwrap();
            learner.set("budget", "2").unwrap();
            learner.set("moments", moments).unwrap();
            let asked = learner.start(&prepared.layout).unwrap().unwrap().ask().unwrap();
            (learner.fit(&prepared.examples(), &Silent).unwrap().predictor, asked.reads)
        };
        assert_eq!(fit("auto"), fit("online"), "{name}");
    }
}
