//! Limits the cost of all reads and of one example's, for every budgeted learner.

use crate::common::{Data, budgeted, layout, learner, singletons, started};
use halfseen::budget::{Query, ReadRole};
use halfseen::data::Layout;
use halfseen::model::Stop;
use halfseen::{ErrorKind, Silent};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

const PRICES: [f64; 6] = [0.5, 3.0, 0.25, 10.0, 1.0, 0.125];

fn priced() -> Arc<Layout> {
    let plain = layout(&[1, 3, 1, 2, 1, 1], &[1, 2]);
    Arc::new(Arc::unwrap_or_clone(plain).with_prices(PRICES.to_vec()).unwrap())
}

fn panels(query: &Query) -> BTreeSet<u32> {
    query.reads.iter().filter(|r| r.role != ReadRole::Known).map(|r| r.panel).collect()
}

fn cost(query: &Query) -> f64 {
    panels(query).iter().map(|&p| PRICES[p as usize]).sum()
}

#[test]
fn a_fit_ends_before_the_first_example_beyond_the_total_cost() {
    let data = Data::random(200, &priced(), 8);
    for name in budgeted() {
        let learner = learner(&name, &[("budget", "3"), ("total_cost", "200")]);
        let report = match learner.fit(&data.examples(), &Silent) {
            Ok(fit) => fit.report,
            Err(error) => {
                // Too few examples for two phases.
                assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }), "{name}: {error}");
                continue;
            }
        };
        assert_eq!((report.stop, report.converged), (Stop::BudgetSpent, true), "{name}");
        // The dearest three cost 14; aesvr may read more in one example.
        let most = if name == "aesvr" { 14.875 } else { 14.0 };
        assert!(report.spent <= 200.0 && report.spent > 200.0 - most, "{name}: {}", report.spent);
    }
}

#[test]
fn open_queries_count_and_a_saved_state_goes_on_counting() {
    let data = Data::random(200, &priced(), 8);
    for name in budgeted() {
        let mut learner = started(&name, &[("budget", "3"), ("total_cost", "100")], &data.layout);
        let open: Vec<Query> = std::iter::from_fn(|| learner.ask().ok()).collect();
        let promised: f64 = open.iter().map(cost).sum();
        assert!(promised <= 100.0 && promised > 80.0, "{name}: {promised}");
        let mut learner = halfseen::registry::load(&learner.save().unwrap()).unwrap();
        let refused = learner.ask().unwrap_err();
        let ErrorKind::CostSpent { total, made, open: counted, .. } = refused.kind() else {
            panic!("{name}: {refused}")
        };
        assert_eq!((*total, *made, *counted), (100.0, 0.0, promised), "{name}");
        for (row, query) in open.iter().enumerate() {
            learner.tell(query, &data.answer(query, row), data.y[row]).unwrap();
        }
        assert_eq!(learner.report().spent, promised, "{name}");
    }
}

#[test]
fn a_total_cost_below_the_dearest_example_is_refused() {
    let data = Data::random(20, &priced(), 11);
    for name in budgeted() {
        let learner = learner(&name, &[("budget", "3"), ("total_cost", "13.9")]);
        for error in
            [learner.fit(&data.examples(), &Silent).err(), learner.start(&data.layout).err()]
        {
            let error = error.unwrap();
            let ErrorKind::OutOfRange { name: "total_cost", allowed, .. } = error.kind() else {
                panic!("{name}: {error}")
            };
            assert!(allowed.contains("14"), "{name}: {error}");
        }
    }
}

/// Queries of FIML cost at most `max_cost`, and any two panels that it pays for are read together.
#[test]
fn fiml_keeps_the_cost_of_each_example_and_sees_every_pair_that_it_pays_for() {
    let settings = [("budget", "3"), ("max_cost", "10.5"), ("seed", "4")];
    let data = Data::random(600, &priced(), 3);
    let mut learner = started("fiml", &settings, &data.layout);
    let mut pairs: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    for query in data.teach(&mut *learner, 0..600) {
        assert!(cost(&query) <= 10.5 && panels(&query).len() <= 3);
        for &a in &panels(&query) {
            for &b in panels(&query).range(a..) {
                *pairs.entry((a, b)).or_default() += 1;
            }
        }
    }
    for a in 0..6 {
        for b in a..6 {
            let price = PRICES[a as usize] + if a == b { 0.0 } else { PRICES[b as usize] };
            let seen = pairs.get(&(a, b)).copied().unwrap_or(0);
            assert_eq!(seen > 0, price <= 10.5, "{a} and {b}: {seen}");
        }
    }
    // A saved state draws the same queries.
    let mut again = halfseen::registry::load(&learner.save().unwrap()).unwrap();
    assert_eq!(learner.ask().unwrap(), again.ask().unwrap());
    let report =
        crate::common::learner("fiml", &settings).fit(&data.examples(), &Silent).unwrap().report;
    assert!(report.spent <= 10.5 * 600.0);
}

#[test]
fn reads_cost_1_without_prices() {
    let data = Data::random(30, &singletons(4), 1);
    let learner = learner("aerr", &[("budget", "2"), ("total_cost", "7")]);
    let mut running = learner.start(&data.layout).unwrap().unwrap();
    let asked = std::iter::from_fn(|| running.ask().ok()).map(|query| panels(&query).len() as f64);
    let asked: f64 = asked.sum();
    assert!(asked <= 7.0 && asked > 5.0, "{asked}");
}
