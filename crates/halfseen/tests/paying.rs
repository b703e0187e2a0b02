//! Pays for reads: prices on the bill of every learner.

#![allow(clippy::unwrap_used)]

mod common;

use common::{Data, budgeted, layout, learner, started};
use halfseen::Silent;
use halfseen::budget::Role;
use halfseen::learner::Family;
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
    let data = Data::random(60, &priced(), 6);
    for full in halfseen::learner::all().iter().filter(|l| l.family() == Family::Full) {
        for fit in full.fit_curve(&[7, 60], &data.examples(), &Silent).unwrap() {
            assert_eq!(fit.report.spent, fit.report.examples as f64 * 14.625, "{}", full.name());
        }
    }
}

#[test]
fn without_prices_each_distinct_read_costs_one() {
    let data = Data::random(60, &layout(&[1, 3, 1], &[1]), 7);
    for any in halfseen::learner::all() {
        let fit = learner(any.name(), &[]).fit(&data.examples(), &Silent).unwrap();
        assert_eq!(fit.report.spent, fit.report.distinct as f64, "{}", any.name());
    }
}
