//! Pays for reads and declares what is not read: prices, total budgets, bounds and moments, for
//! every learner.

use crate::common::{Data, budgeted, layout, learner, singletons, started};
use halfseen::budget::{AskTell, Query, ReadRole, next_batch};
use halfseen::learner::Family;
use halfseen::model::{BudgetKind, Fit, Stop};
use halfseen::{ErrorKind, Silent};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Panels of several widths, some known, with prices: one is free.
fn priced() -> Arc<halfseen::data::Layout> {
    let plain = layout(&[1, 3, 1, 2, 1, 1], &[1, 2]);
    Arc::new(
        Arc::unwrap_or_clone(plain).with_prices(vec![0.5, 3.0, 0.0, 10.0, 1.0, 0.125]).unwrap(),
    )
}

#[test]
fn a_budgeted_learner_pays_each_distinct_read_once() {
    let data = Data::random(60, &priced(), 5);
    for name in budgeted() {
        for budget in ["3", "6"] {
            let mut learner =
                started(&name, &[("budget", budget), ("average", "all")], &data.layout);
            let mut spent = 0.0;
            for query in data.teach(&mut *learner, 0..60) {
                let paid: BTreeSet<u32> = query
                    .reads
                    .iter()
                    .filter(|r| r.role != ReadRole::Known)
                    .map(|r| r.panel)
                    .collect();
                spent += paid
                    .iter()
                    .map(|&p| [0.5, 3.0, 0.0, 10.0, 1.0, 0.125][p as usize])
                    .sum::<f64>();
            }
            // All prices are multiples of 1/8: sums are exact in any order.
            assert_eq!(learner.report().spent, spent, "{name}");
        }
    }
}

#[test]
fn a_learner_that_reads_everything_pays_every_price_for_each_example() {
    for full in crate::common::subjects().iter().filter(|l| l.family() == Family::Full) {
        let data = Data::random(60, &priced(), 6).for_learner(&**full);
        for fit in full.fit_curve(&[7, 60], &data.examples(), &Silent).unwrap() {
            assert_eq!(fit.report.spent, fit.report.examples as f64 * 14.625, "{}", full.name());
        }
    }
}

#[test]
fn without_prices_each_distinct_read_costs_one() {
    for any in crate::common::subjects() {
        let data = Data::random(60, &layout(&[1, 3, 1], &[1]), 7).for_learner(&*any);
        let fit =
            learner(halfseen::registry::label(&*any), &[]).fit(&data.examples(), &Silent).unwrap();
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
                    let short =
                        matches!(error.kind(), ErrorKind::OutOfRange { name: "phase1", .. });
                    assert!(
                        short && learner.get("phase1").is_some() && total < 10 * budget,
                        "{name}: {error}"
                    );
                    continue;
                }
            };
            assert_eq!(
                (report.stop, report.converged),
                (Stop::BudgetSpent, true),
                "{name} {budget} {total}"
            );
            assert_eq!(report.reads + report.unused.unwrap(), total, "{name}");
            // Where the reads of one example are a random number, one that asked for many may be
            // the last.
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
        assert!(
            report.converged && report.stop != Stop::BudgetSpent && report.examples == 50,
            "{name}"
        );
        assert_eq!(report.unused, Some(1000 - report.reads), "{name}");
        assert_eq!(fit(&name, &[("budget", "3")], &data).report.unused, None, "{name}");
    }
}

/// A total budget is a shorter pass: the horizon is what it pays for, and the weights are those of
/// that pass.
#[test]
fn a_total_budget_learns_what_a_pass_over_so_many_examples_does() {
    let data = Data::random(200, &singletons(7), 10);
    for name in budgeted() {
        let limited = fit(&name, &[("budget", "3"), ("total_budget", "150")], &data);
        let examples = limited.report.examples as usize;
        // More than 50 where the first examples, at w = 0, need no read for the product.
        let kept = limited.report.budget_kind == BudgetKind::Each;
        assert!(
            if kept { (50..=75).contains(&examples) } else { examples > 25 },
            "{name}: {examples}"
        );
        let of_horizon = |horizon: usize| {
            let plain = learner(&name, &[("budget", "3"), ("horizon", &horizon.to_string())]);
            plain.fit_curve(&[examples], &data.examples(), &Silent).unwrap().remove(0).predictor
        };
        // Where the reads of an example are a random number, of a mean of up to 1.06 more, fewer
        // examples are expected.
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
        let again =
            learner.fit_curve(&[10, examples[2] as usize, 200], &data.examples(), &Silent).unwrap();
        assert_eq!(
            again.iter().map(|f| f.report.examples).collect::<Vec<_>>(),
            [10, examples[2]],
            "{name}"
        );
    }
}

#[test]
fn a_total_budget_below_one_example_is_refused() {
    let data = Data::random(20, &singletons(7), 11);
    for name in budgeted() {
        let learner = learner(&name, &[("budget", "4"), ("total_budget", "3")]);
        let errors =
            [learner.fit(&data.examples(), &Silent).err(), learner.start(&data.layout).err()];
        for error in errors.into_iter().map(Option::unwrap) {
            assert!(
                matches!(error.kind(), ErrorKind::OutOfRange { name: "total_budget", .. }),
                "{name}: {error}"
            );
        }
    }
}

fn paid(query: &Query) -> u64 {
    query.reads.iter().filter(|r| r.role != ReadRole::Known).count() as u64
}

/// The refusal, which changes nothing and hands out nothing.
fn refused(
    learner: &mut dyn AskTell,
    ask: impl FnOnce(&mut dyn AskTell, &mut Query) -> halfseen::Result<()>,
) -> ErrorKind {
    let (before, mut query) = (learner.save().unwrap(), Query::default());
    let error = ask(learner, &mut query).unwrap_err();
    assert_eq!(
        (learner.save().unwrap(), query.reads.len(), query.parts.len()),
        (before, 0, 0),
        "{error}"
    );
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
        assert!(
            counted == promised && promised <= 61 && promised + asked > 61,
            "{name}: {promised} and {asked}"
        );
        assert_eq!(
            (learner.report().reads, learner.report().unused),
            (0, Some(61 - promised)),
            "{name}"
        );
        // What nobody will answer is free again.
        let forgotten = open.remove(3);
        learner.forget(forgotten.number).unwrap();
        assert_eq!(learner.report().unused, Some(61 - promised + paid(&forgotten)), "{name}");
        open.push(learner.ask().unwrap());
        // A saved state goes on counting, and answers to open queries are taken.
        let mut learner = halfseen::registry::load(&learner.save().unwrap()).unwrap();
        assert!(
            matches!(refused(&mut *learner, |l, q| l.ask_into(q)), ErrorKind::BudgetSpent { .. }),
            "{name}"
        );
        for (row, query) in open.iter().enumerate() {
            learner.tell(query, &data.answer(query, row), data.y[row]).unwrap();
        }
        let spent = learner.report();
        assert_eq!(
            (spent.reads, spent.unused),
            (open.iter().map(paid).sum(), Some(61 - spent.reads)),
            "{name}"
        );
        // One by one it ends just so.
        while let Ok(query) = learner.ask() {
            learner.tell(&query, &data.answer(&query, 0), data.y[0]).unwrap();
        }
        let ErrorKind::BudgetSpent { made, open: 0, asked, .. } =
            refused(&mut *learner, |l, q| l.ask_into(q))
        else {
            panic!()
        };
        assert!(made == learner.report().reads && made <= 61 && made + asked > 61, "{name}");
    }
}

#[test]
fn what_happens_to_be_observed_counts_against_the_total_budget_too() {
    let data = Data::random(50, &singletons(6), 9);
    for name in ["aerr", "aelr", "fiml"] {
        let mut learner =
            started(name, &[("passive", "all"), ("total_budget", "10")], &data.layout);
        let mut query = Query::default();
        for _ in 0..2 {
            learner.ask_observed_into(&[0, 1, 3, 5], &mut query).unwrap();
        }
        let refusal = refused(&mut *learner, |l, q| l.ask_observed_into(&[1, 2, 4], q));
        assert_eq!(
            refusal,
            ErrorKind::BudgetSpent { total: 10, made: 0, open: 8, asked: 3 },
            "{name}"
        );
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
        assert_eq!(
            (report.stop, report.unused),
            (Stop::BudgetSpent, Some(60 - promised - report.reads)),
            "{name}"
        );
        for query in &open {
            learner.tell(query, &data.answer(query, 0), data.y[0]).unwrap();
        }
        assert!(learner.report().reads <= 60, "{name}: {}", learner.report().reads);
    }
}
