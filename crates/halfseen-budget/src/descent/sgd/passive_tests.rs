//! Enumerates every observed set and every draw for the product with its probability.

use super::tests::{assert_close, example, layout};
use super::*;
use crate::{Aelr, Aerr, AskTell, Budgeted, Reads};
use halfseen_solve::sampling::{Purpose, Stream};

/// Widths of sampled panels, then of known ones; at most four sampled panels.
const SHAPES: &[(&[u32], &[u32])] =
    &[(&[1], &[]), (&[1, 1, 1], &[]), (&[1, 1, 1, 1], &[1]), (&[2, 1, 3], &[2])];

fn slots(layout: &Layout, query: &Query, x: &[f64]) -> Vec<f64> {
    let slots = query.reads.iter().flat_map(|r| layout.slots_of(r.panel as usize));
    slots.map(|slot| x[layout.column(slot)]).collect()
}

/// Sums the estimates of an example over all observed sets and draws: the slope times x~, the
/// product that the known block learns from, and the squared error.
fn check<I: Iterate>(sgd: &mut Sgd<I>, seen: &[u64], x: &[f64], y: f64, what: &str) {
    let layout = Arc::clone(&sgd.layout);
    let (panels, sampled) = (layout.sampled_panels(), layout.sampled_slots());
    sgd.state.observed = Some(Observed::declared(16, seen));
    let pi: Vec<f64> = seen.iter().map(|&n| n as f64 / 16.0).collect();
    let centred: Vec<f64> = (0..sampled)
        .map(|s| {
            sgd.deviation(
                s,
                crate::ColumnTerm { weight: 0.0, centre: sgd.centre(s) },
                x[layout.column(s)],
            )
        })
        .collect();
    let known: f64 = (sampled..layout.slots())
        .map(|s| sgd.state.known.weight(s - sampled) * x[layout.column(s)])
        .sum();
    let exact = sgd.state.known.intercept() + known;
    let product =
        exact + (0..sampled).map(|s| sgd.state.iterate.weight(s) * centred[s]).sum::<f64>();
    let (mut gradient, mut square) = (vec![0.0; sampled], vec![0.0; sampled]);
    let (mut slope, mut risk, mut total, mut largest) = (0.0, 0.0, 0.0, 1.0_f64);
    for set in 0..1_u32 << panels {
        let shown = |p: &usize| set >> p & 1 == 1;
        let chance: f64 =
            (0..panels).map(|p| if shown(&p) { pi[p] } else { 1.0 - pi[p] }).product();
        if chance == 0.0 {
            continue;
        }
        let observed: Vec<u32> = (0..panels).filter(shown).map(|p| p as u32).collect();
        // Every draw of one of them; a single case if all estimate the product.
        let masses: Vec<f64> = observed.iter().map(|&p| sgd.chance(p as usize)).collect();
        let all: f64 = masses.iter().sum();
        let mut draws: Vec<(Option<(u32, f64)>, f64)> = vec![(None, 1.0)];
        if sgd.recipe.passive == Passive::One && all > 0.0 {
            let drawn = observed.iter().zip(&masses).filter(|(_, mass)| **mass > 0.0);
            draws = drawn.map(|(&p, mass)| (Some((p, mass / all)), mass / all)).collect();
        }
        for (drawn, share) in draws {
            let mut query = Query::default();
            sgd.push_known(&mut query);
            sgd.push_observed(&mut query, &observed, drawn);
            let values = slots(&layout, &query, x);
            let estimate = sgd.estimate(&query, &values);
            sgd.gradient.iter().for_each(|&(s, v)| square[s as usize] += chance * share * v * v);
            let squared = sgd.slope_observed(&query, &values, estimate.product, y);
            assert_eq!(squared.is_some(), sgd.recipe.passive == Passive::All);
            let p = chance * share;
            total += p;
            slope += p * (estimate.product - y);
            risk += p * squared.unwrap_or(0.0);
            largest = largest.max(squared.unwrap_or(0.0).abs());
            for &(s, g) in &sgd.gradient {
                gradient[s as usize] += p * g;
                largest = largest.max(g.abs());
            }
        }
    }
    assert_close(total, 1.0, 1.0, what);
    assert_close(slope, product - y, largest, &format!("{what}: E of the known block's slope"));
    for s in 0..sampled {
        let share = pi[layout.panel_of(s)];
        let expected = if share > 0.0 { (product - y) * centred[s] } else { 0.0 };
        assert_close(
            gradient[s],
            expected,
            largest,
            &format!("{what}: E of the gradient of slot {s}"),
        );
        let expected = if share > 0.0 { centred[s].powi(2) / share } else { 0.0 };
        assert_close(square[s], expected, largest, &format!("{what}: E x~^2 of slot {s}"));
    }
    if sgd.recipe.passive == Passive::All {
        assert_close(
            risk,
            (product - y).powi(2),
            largest,
            &format!("{what}: E of the estimated risk"),
        );
    }
}

fn check_all<B: Budgeted + Default>() {
    for (sampled, known) in SHAPES {
        let layout = layout(sampled, known);
        let panels = layout.sampled_panels();
        for (passive, centre, intercept) in [
            ("one", "none", "true"),
            ("one", "running", "false"),
            ("all", "running", "true"),
            ("all", "none", "false"),
        ] {
            let mut learner = B::default();
            for (name, value) in [
                ("passive", passive),
                ("centre", centre),
                ("intercept", intercept),
                ("horizon", "40"),
            ] {
                learner.set(name, value).unwrap();
            }
            let recipe = learner.recipe(Reads { budget: panels.min(4), panels }).unwrap();
            let mut sgd = Sgd::<B::Iterate>::new(recipe, &layout, None).unwrap();
            let mut stream = Stream::new(3, Purpose::Data, panels as u64);
            for t in 0..=25 {
                let (x, y) = example(layout.slots(), &mut stream);
                if [0, 1, 2, 9, 25].contains(&t) {
                    let observed = sgd.state.observed.clone();
                    for seen in [[8; 4], [1, 5, 9, 16], [16; 4]] {
                        let what =
                            format!("{learner:?}, {panels} panels, t = {t}, shares {seen:?}/16");
                        check(&mut sgd, &seen[..panels], &x, y, &what);
                    }
                    sgd.state.observed = observed;
                }
                let shown: Vec<u32> = (0..panels as u32).filter(|_| stream.unit() < 0.6).collect();
                let mut query = Query::default();
                sgd.ask_observed_into(&shown, &mut query).unwrap();
                let values = slots(&layout, &query, &x);
                sgd.tell(&query, &values, y).unwrap();
            }
            assert!(
                (0..layout.sampled_slots()).all(|s| sgd.state.iterate.weight(s) != 0.0),
                "a choice between draws"
            );
        }
    }
}

#[test]
fn passive_learners_are_unbiased_over_all_observed_sets() {
    check_all::<Aerr>();
    check_all::<Aelr>();
}

/// Checks the frequencies with which observed panels are drawn for the product.
#[test]
fn the_draw_of_the_product_goes_by_mass_over_share() {
    let layout = layout(&[1, 1, 1], &[]);
    let learner = Aerr { passive: halfseen_core::params::Passive::One, ..Aerr::default() };
    let recipe = learner.recipe(Reads { budget: 3, panels: 3 }).unwrap();
    let mut sgd = Sgd::<halfseen_solve::iterate::L2Ball>::new(recipe, &layout, None).unwrap();
    sgd.state.observed = Some(Observed::declared(16, &[4, 8, 16]));
    sgd.state.iterate.step(&[(0, -1.0), (1, 2.0), (2, -3.0)], 0.1, 1.0);
    let mut counts = [0.0_f64; 3];
    for _ in 0..20_000 {
        let mut query = Query::default();
        sgd.ask_observed_into(&[0, 1, 2], &mut query).unwrap();
        let read = query.reads.iter().find(|r| r.role == ReadRole::Full).unwrap();
        counts[read.panel as usize] += 1.0 / 20_000.0;
    }
    // 1/(1/4), 4/(1/2), 9/1 of 21.
    for (count, expected) in counts.iter().zip([4.0 / 21.0, 8.0 / 21.0, 9.0 / 21.0]) {
        assert!((count - expected).abs() < 0.015, "{counts:?}");
    }
}
