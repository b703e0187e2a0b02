//! Enumerates every draw of a query with its probability: estimates must be unbiased, exactly.

use super::*;
use crate::budget::{Aelr, Aer, Aerr, Budgeted, Reads};
use crate::iterate::Iterate;

/// The shapes that an example may have: widths of sampled panels, then of known ones. At most five
/// sampled columns.
const SHAPES: &[(&[u32], &[u32])] =
    &[(&[1, 1, 1], &[]), (&[1, 1, 1, 1, 1], &[]), (&[2, 1, 1, 1], &[]), (&[1, 1, 2], &[1]), (&[1, 1, 1, 1], &[1, 2])];

/// Columns are dealt to panels backwards, so that slots, panels and columns are different numbers.
fn layout(sampled: &[u32], known: &[u32]) -> Arc<Layout> {
    let mut next = sampled.iter().chain(known).sum::<u32>();
    let mut columns = |width: u32| {
        next -= width;
        (next..next + width).rev().collect::<Vec<u32>>()
    };
    let sampled: Vec<Vec<u32>> = sampled.iter().map(|&w| columns(w)).collect();
    let known: Vec<Vec<u32>> = known.iter().map(|&w| columns(w)).collect();
    let width = sampled.iter().chain(&known).map(Vec::len).sum();
    let mut builder = Layout::builder(width);
    known.into_iter().enumerate().for_each(|(i, c)| builder.known(&format!("known {i}"), c));
    sampled.into_iter().enumerate().for_each(|(i, c)| builder.sampled(&format!("panel {i}"), c));
    Arc::new(builder.finish().unwrap())
}

/// A column's values have a mean, a scale and a sign of their own.
fn example(columns: usize, stream: &mut Stream) -> (Vec<f64>, f64) {
    let x: Vec<f64> = (0..columns).map(|j| 0.3 * j as f64 - 0.4 + (0.2 + 0.3 * j as f64) * stream.normal()).collect();
    let y = 1.5 * x[0] - x[columns - 1] + 0.3 * stream.normal();
    (x, y)
}

fn answer(layout: &Layout, query: &Query, x: &[f64]) -> Vec<f64> {
    let slots = query.reads.iter().flat_map(|r| layout.slots_of(r.panel as usize));
    slots.map(|slot| x[layout.column(slot)]).collect()
}

/// Every way to draw `draws` of 0..n, with its probability.
fn gradient_draws(n: usize, draws: usize, replacement: bool) -> Vec<(Vec<usize>, f64)> {
    let mut all = vec![vec![]];
    for _ in 0..draws {
        let longer = |drawn: &Vec<usize>| {
            let least = if replacement { 0 } else { drawn.last().map_or(0, |&last| last + 1) };
            let drawn = drawn.clone();
            (least..n).map(move |p| [drawn.clone(), vec![p]].concat())
        };
        all = all.iter().flat_map(longer).collect();
    }
    let share = 1.0 / all.len() as f64;
    all.into_iter().map(|drawn| (drawn, share)).collect()
}

/// Every sequence of independent draws of slots for the product, with its probability: the very
/// masses that `draw` goes by. None while w = 0.
fn product_draws<I: Iterate>(iterate: &I, draws: usize) -> Vec<(Vec<usize>, f64)> {
    let mut all = vec![(vec![], 1.0)];
    if iterate.total_mass() <= 0.0 {
        return all;
    }
    for _ in 0..draws {
        let longer = |(drawn, p): &(Vec<usize>, f64)| {
            let (drawn, p) = (drawn.clone(), *p);
            let shares = (0..iterate.len()).map(|s| (s, iterate.mass(s) / iterate.total_mass()));
            let drawn_slots: Vec<(usize, f64)> = shares.filter(|(_, share)| *share > 0.0).collect();
            drawn_slots.into_iter().map(move |(s, share)| ([drawn.clone(), vec![s]].concat(), p * share))
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// E p^2 of a product from one draw by the masses: sum_P (sum_c w_c x_c)^2 / share_P.
fn one_draw_square<I: Iterate>(sgd: &Sgd<I>, x: &[f64]) -> f64 {
    let part = |p: usize| -> f64 { sgd.layout.slots_of(p).map(|s| sgd.state.iterate.weight(s) * x[s]).sum() };
    let panels = (0..sgd.layout.sampled_panels()).filter(|&p| part(p) != 0.0);
    panels.map(|p| part(p).powi(2) / sgd.product_share(p)).sum()
}

struct Sums {
    product: f64,
    product_square: f64,
    example: Vec<f64>,
    example_square: Vec<f64>,
    gradient: Vec<f64>,
    largest: f64,
}

/// Sums over all draws what the learner makes of an example, by the code that asks and tells.
fn enumerate<I: Iterate>(sgd: &mut Sgd<I>, x: &[f64], y: f64) -> Sums {
    let sampler = sgd.recipe.sampler.unwrap();
    let slots = sgd.layout.sampled_slots();
    let zeros = vec![0.0; slots];
    let mut sums = Sums {
        product: 0.0,
        product_square: 0.0,
        example: zeros.clone(),
        example_square: zeros.clone(),
        gradient: zeros,
        largest: 1.0,
    };
    let products = product_draws(&sgd.state.iterate, sgd.recipe.products);
    let mut total = 0.0;
    for (panels, p) in gradient_draws(sampler.panels, sampler.draws, sampler.replacement) {
        for (drawn, q) in &products {
            let mut query = Query::default();
            sgd.push_known(&mut query);
            panels.iter().for_each(|&panel| sgd.push_gradient(&mut query, panel, sampler));
            drawn.iter().for_each(|&slot| sgd.push_product(&mut query, sgd.layout.panel_of(slot)));
            let product = sgd.estimate(&query, &answer(&sgd.layout, &query, x));
            let slope = sgd.recipe.loss.slope(product, y);
            let share = p * q;
            total += share;
            sums.product += share * product;
            sums.product_square += share * (product - y).powi(2);
            for &(slot, v) in &sgd.gradient {
                let slot = slot as usize;
                sums.example[slot] += share * v;
                sums.gradient[slot] += share * slope * v;
                sums.largest = sums.largest.max((slope * v).abs());
            }
            let mut seen: Vec<u32> = sgd.gradient.iter().map(|&(slot, _)| slot).collect();
            seen.sort_unstable();
            let all = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), all, "a slot occurs twice in the gradient");
            sgd.gradient.iter().for_each(|&(slot, v)| sums.example_square[slot as usize] += share * v * v);
        }
    }
    assert!((total - 1.0).abs() < 1e-13, "probabilities sum to {total}");
    sums
}

fn assert_close(found: f64, expected: f64, scale: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-12 * scale, "{what}: {found} instead of {expected}");
}

fn check<B: Budgeted>(learner: &B, layout: &Arc<Layout>, budget: usize) {
    let reads = Reads { budget, panels: layout.sampled_panels() };
    let mut recipe = learner.recipe(reads).unwrap();
    recipe.pace.horizon = Some(40);
    let inflation = recipe.sampler.unwrap().inflation();
    let mut stream = Stream::new(budget as u64, Purpose::Data, layout.slots() as u64);
    let columns = layout.slots();
    let mean = (0..columns).map(|j| 0.3 * j as f64 - 0.4).collect();
    let moments = Moments { mean, square: vec![1.0; columns] };
    let mut sgd = Sgd::<B::Iterate>::new(recipe, layout, Some((&moments, 1.0))).unwrap();
    let mut most_nonzero = 0;
    for t in 0..=25 {
        let (x, y) = example(columns, &mut stream);
        if [0, 1, 2, 9, 25].contains(&t) {
            check_moments(&mut sgd, inflation, &x, y, &format!("{learner:?}, budget {budget}, t = {t}"));
            let nonzero = (0..layout.sampled_slots()).filter(|&s| sgd.state.iterate.weight(s) != 0.0).count();
            most_nonzero = most_nonzero.max(nonzero);
        }
        let query = sgd.ask();
        let values = answer(layout, &query, &x);
        assert_eq!(sgd.tell(&query, &values, y).unwrap(), Told::Learned);
    }
    assert!(most_nonzero >= 2, "{learner:?}: the check must have seen a choice between draws");
}

fn check_moments<I: Iterate>(sgd: &mut Sgd<I>, inflation: f64, x: &[f64], y: f64, what: &str) {
    let layout = Arc::clone(&sgd.layout);
    let sampled = layout.sampled_slots();
    // The truth, about the centre of this moment.
    let centred: Vec<f64> = (0..sampled).map(|s| x[layout.column(s)] - sgd.centre(s)).collect();
    let known_part: f64 =
        (sampled..layout.slots()).map(|s| sgd.state.known.weight(s - sampled) * x[layout.column(s)]).sum();
    let exact = sgd.state.known.intercept() + known_part;
    let sampled_part: f64 = (0..sampled).map(|s| sgd.state.iterate.weight(s) * centred[s]).sum();
    let product = exact + sampled_part;
    let found = enumerate(sgd, x, y);
    let scale = found.largest;
    assert_close(found.product, product, scale, &format!("{what}: E product"));
    let slope = sgd.recipe.loss.slope(product, y);
    for (s, &xs) in centred.iter().enumerate() {
        assert_close(found.example[s], xs, scale, &format!("{what}: E x~ of slot {s}"));
        assert_close(found.gradient[s], slope * xs, scale, &format!("{what}: E slope x~ of slot {s}"));
        let square = inflation * xs * xs;
        assert_close(found.example_square[s], square, scale, &format!("{what}: E x~^2 of slot {s}"));
    }
    // E (p - y)^2 of the mean of n independent draws.
    let draws = sgd.recipe.products as f64;
    let one = one_draw_square(sgd, &centred);
    let mean_square = sampled_part.powi(2) + (one - sampled_part.powi(2)) / draws;
    let expected = mean_square + 2.0 * (exact - y) * sampled_part + (exact - y).powi(2);
    assert_close(found.product_square, expected, scale * scale, &format!("{what}: E (product - y)^2"));
    // The closed forms of the papers, where each panel is one column.
    if layout.sampled_panels() == sampled {
        let w: Vec<f64> = (0..sampled).map(|s| sgd.state.iterate.weight(s)).collect();
        let norm = |p: i32| w.iter().map(|v| v.abs().powi(p)).sum::<f64>();
        let closed = match sgd.recipe.name {
            "aerr" => {
                let nonzero = centred.iter().zip(&w).filter(|(_, w)| **w != 0.0);
                norm(2) * nonzero.map(|(x, _)| x * x).sum::<f64>()
            }
            _ => norm(1) * centred.iter().zip(&w).map(|(x, w)| w.abs() * x * x).sum::<f64>(),
        };
        assert_close(one, closed, scale * scale, &format!("{what}: E product^2 of one draw"));
    }
}

fn check_all<B: Budgeted + Default>(settings: &[(&str, &str)]) {
    for (sampled, known) in SHAPES {
        let layout = layout(sampled, known);
        for centre in ["none", "given", "running"] {
            for budget in 2..layout.sampled_panels() {
                for intercept in ["true", "false"] {
                    let mut learner = B::default();
                    for (name, value) in settings {
                        learner.set(name, value).unwrap();
                    }
                    learner.set("centre", centre).unwrap();
                    learner.set("intercept", intercept).unwrap();
                    check(&learner, &layout, budget);
                }
            }
        }
    }
}

#[test]
fn aer_is_unbiased_over_all_draws() {
    check_all::<Aer>(&[("penalty", "2x"), ("radius", "2")]);
}

#[test]
fn aerr_is_unbiased_over_all_draws() {
    check_all::<Aerr>(&[("replacement", "false")]);
    check_all::<Aerr>(&[("replacement", "true")]);
}

#[test]
fn aelr_is_unbiased_over_all_draws() {
    check_all::<Aelr>(&[("replacement", "false")]);
    check_all::<Aelr>(&[("replacement", "true")]);
}
