//! Enumerates the draws of smooth losses' slopes, order by order.

use super::*;
use crate::Aesvr;
use halfseen_core::loss::Loss;
use halfseen_solve::iterate::{Entropic, L2Ball};

/// Largest number of draws enumerated here; larger orders are left to the series' own tests.
const MOST_DRAWS: usize = 6;

/// Returns every sequence of `draws` draws of slots with its probability.
fn sequences<I: Iterate>(sgd: &Sgd<I>, draws: usize) -> Vec<(Vec<usize>, f64)> {
    let iterate = &sgd.state.iterate;
    let mut all = vec![(vec![], 1.0)];
    for _ in 0..draws {
        let longer = |(drawn, p): &(Vec<usize>, f64)| {
            let (drawn, p): (Vec<usize>, f64) = (drawn.clone(), *p);
            let shares = (0..iterate.len()).map(|s| (s, iterate.mass(s) / iterate.total_mass()));
            let possible: Vec<(usize, f64)> = shares.filter(|(_, share)| *share > 0.0).collect();
            possible
                .into_iter()
                .map(move |(s, share)| ([drawn.clone(), vec![s]].concat(), p * share))
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Checks a learner and returns the number of visited pairs of orders (or of orders, if one call
/// suffices).
fn check<I: Iterate>(learner: &Aesvr, layout: &Arc<Layout>, budget: usize) -> usize {
    let reads = Reads { budget, panels: layout.sampled_panels() };
    let mut recipe = learner.recipe(reads).unwrap();
    recipe.pace.horizon = Some(40);
    let mut sgd = Sgd::<I>::new(recipe, layout, None).unwrap();
    let mut stream = Stream::new(budget as u64, Purpose::Data, layout.slots() as u64);
    let classes = sgd.recipe.loss.needs_classes();
    let mut next = || {
        let (x, y) = example(layout.slots(), &mut stream);
        (
            x.iter().map(|v| 0.3 * v).collect::<Vec<f64>>(),
            if classes { 1_f64.copysign(y) } else { 0.3 * y },
        )
    };
    for _ in 0..12 {
        let (x, y) = next();
        let query = sgd.ask().unwrap();
        sgd.tell(&query, &answer(layout, &query, &x), y).unwrap();
    }
    let (x, y) = next();
    let estimator = sgd.gen_est.unwrap();
    let expansion = sgd.recipe.loss.expansion(y).unwrap();
    let mut query = Query::default();
    sgd.push_known(&mut query);
    let sampled = layout.sampled_slots();
    let known: f64 = query.exact
        + (sampled..layout.slots())
            .map(|s| sgd.state.known.weight(s - sampled) * x[layout.column(s)])
            .sum::<f64>();
    let centred: Vec<f64> = (0..sampled)
        .map(|s| {
            sgd.deviation(
                s,
                crate::ColumnTerm { weight: 0.0, centre: sgd.centre(s) },
                x[layout.column(s)],
            )
        })
        .collect();
    let product =
        known + (0..sampled).map(|s| sgd.state.iterate.weight(s) * centred[s]).sum::<f64>();
    let u = |shift: f64| expansion.gain * product + shift;
    // Orders up to 6, and their pairs.
    let pairs = (0..=6_u32)
        .flat_map(|a| (0..=6_u32).map(move |b| vec![a, b]))
        .filter(|o| expansion.calls == 2 || o[1] == 0);
    let pairs = pairs.map(|o| o[..expansion.calls].to_vec());
    let (mut visited, mut mean, mut covered) = (0, 0.0, 0.0);
    let sampler = sgd.state.drawing.sampler().unwrap().clone();
    for orders in pairs.filter(|o| estimator.reads(o) <= MOST_DRAWS) {
        visited += 1;
        let value =
            |(order, shift): (&u32, &f64)| estimator.value(*order, u(*shift).powi(*order as i32));
        let expected = expansion.constant
            + expansion.factor * orders.iter().zip(&expansion.shifts).map(value).sum::<f64>();
        let (mut slope, mut tested, mut gradient) = (0.0, 0.0, vec![0.0; sampled]);
        let mut scale = 1.0_f64;
        let draws = sequences(&sgd, estimator.reads(&orders));
        // The gradient's draws affect the risk and the step, not the slope: enumerate all of them
        // for low orders only.
        let every = if draws.len() < 100 { usize::MAX } else { 1 };
        let all = gradient_draws(layout.sampled_panels(), &sampler);
        let all: Vec<_> = if every == 1 { vec![(all[0].0.clone(), 1.0)] } else { all };
        for (panels, p) in &all {
            for (drawn, q) in &draws {
                let mut query = Query::default();
                sgd.push_known(&mut query);
                panels.iter().for_each(|&panel| sgd.push_gradient(&mut query, panel));
                query.orders.clone_from(&orders);
                let mut slots = drawn.iter();
                for order in &orders {
                    let (factors, draws) = estimator.shape(*order);
                    for &slot in slots.by_ref().take(factors * draws) {
                        sgd.push_product(&mut query, layout.panel_of(slot), draws);
                    }
                }
                let values = answer(layout, &query, &x);
                let estimate = sgd.estimate(&query, &values);
                let answer = sgd.slope(&query, &values, y, estimate).unwrap();
                let share = p * q;
                slope += share * answer.value;
                scale = scale.max(answer.value.abs());
                assert_eq!(answer.product.is_some(), !drawn.is_empty());
                tested +=
                    share * answer.product.map_or(0.0, |first| (first - y) * (estimate.second - y));
                for &(slot, v) in &sgd.gradient {
                    gradient[slot as usize] += share * answer.value * v;
                    scale = scale.max((answer.value * v).abs());
                }
            }
        }
        let what = format!("{learner:?}, orders {orders:?}");
        assert_close(slope, expected, scale, &what);
        if every > 1 {
            for (slot, g) in gradient.iter().enumerate() {
                assert_close(
                    *g,
                    expected * centred[slot],
                    10.0 * scale,
                    &format!("{what}: gradient {slot}"),
                );
            }
            if !draws[0].0.is_empty() {
                assert_close(
                    tested,
                    (product - y).powi(2),
                    100.0 * scale,
                    &format!("{what}: risk"),
                );
            }
        }
        let probability: f64 = orders.iter().map(|n| 0.5_f64.powi(*n as i32 + 1)).product();
        mean += probability * expected;
        covered += probability;
    }
    // The orders not visited contribute little to the derivative.
    let rest = sgd.recipe.loss.slope(product, y) - mean;
    assert!(covered > 0.8 && rest.abs() < 0.6, "{learner:?}: {rest}, {covered}");
    visited
}

#[test]
fn slopes_are_unbiased_given_their_orders_and_independent_of_the_gradient() {
    use halfseen_core::params::{Ball, SmoothLoss};
    let mut visited = 0;
    for (sampled, known) in [(&[1, 1, 1][..], &[][..]), (&[2, 1, 1], &[1])] {
        let layout = layout(sampled, known);
        for loss in
            [SmoothLoss::Absolute, SmoothLoss::Hinge, SmoothLoss::Exponential, SmoothLoss::Logistic]
        {
            for (replacement, width) in [(false, 4.0), (true, 4.0), (false, 1.5)] {
                let learner = Aesvr {
                    loss,
                    tube: 0.3,
                    smoothing_width: width,
                    norm_bound: Some(1.2),
                    replacement,
                    ..Aesvr::default()
                };
                visited += check::<L2Ball>(&learner, &layout, 2);
                visited += check::<Entropic>(&Aesvr { ball: Ball::L1, ..learner }, &layout, 2);
            }
        }
    }
    assert!(visited > 400, "{visited}");
}

/// Checks that the slope is exact while w = 0, and if the budget allows every panel: then no order
/// is drawn and nothing is read for it.
#[test]
fn slopes_are_exact_where_the_product_is() {
    for budget in [2, 4] {
        let layout = layout(&[1, 1, 1, 1], &[]);
        let learner = Aesvr { smoothing_width: 0.7, tube: 0.2, ..Aesvr::default() };
        let recipe = learner.recipe(Reads { budget, panels: 4 }).unwrap();
        let mut sgd = Sgd::<L2Ball>::new(recipe, &layout, None).unwrap();
        let mut stream = Stream::new(9, Purpose::Data, budget as u64);
        for _ in 0..20 {
            let (x, y) = example(4, &mut stream);
            let query = sgd.ask().unwrap();
            let values = answer(&layout, &query, &x);
            if sgd.state.iterate.total_mass() <= 0.0 || budget == 4 {
                assert!(
                    query.orders.is_empty() && query.reads.len() == if budget == 4 { 4 } else { 1 }
                );
                let centred = |s: usize| x[layout.column(s)] - sgd.centre(s);
                let product = query.exact
                    + (0..4).map(|s| sgd.state.iterate.weight(s) * centred(s)).sum::<f64>();
                let estimate = sgd.estimate(&query, &values);
                let slope = sgd.slope(&query, &values, y, estimate).unwrap().value;
                let expected = Loss::Absolute { tube: 0.2, width: 0.7 }.slope(product, y);
                assert_close(slope, expected, 1.0, "an exact slope");
            } else {
                assert_eq!(query.orders.len(), 2);
            }
            sgd.tell(&query, &values, y).unwrap();
        }
    }
}
