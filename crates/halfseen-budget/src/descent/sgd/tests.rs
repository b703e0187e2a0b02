//! Enumerates every draw of a query with its probability, to test that estimates are exactly
//! unbiased.

mod drawn;
mod smooth;

use super::*;
use crate::{Aelr, Aer, Aerr, Budgeted, ColumnTerm, Ddaelr, Ddaerr, Gaerr, PNormRegression, Reads};
use halfseen_core::asking::sampler::Sampler;
use halfseen_core::learner::{AskTell, Learner};
use halfseen_solve::iterate::Iterate;
use halfseen_solve::sampling::{Purpose, Stream};

/// Shapes of an example: widths of sampled panels, then of known ones. At most five sampled
/// columns.
const SHAPES: &[(&[u32], &[u32])] = &[
    (&[1, 1, 1], &[]),
    (&[1, 1, 1, 1, 1], &[]),
    (&[2, 1, 1, 1], &[]),
    (&[1, 1, 2], &[1]),
    (&[1, 1, 1, 1], &[1, 2]),
];

/// Assigns columns to panels backwards, so that numbers of slots, panels and columns differ.
pub(super) fn layout(sampled: &[u32], known: &[u32]) -> Arc<Layout> {
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

/// Draws an example whose columns each have their own mean, scale and sign.
pub(super) fn example(columns: usize, stream: &mut Stream) -> (Vec<f64>, f64) {
    let x: Vec<f64> = (0..columns)
        .map(|j| 0.3 * j as f64 - 0.4 + (0.2 + 0.3 * j as f64) * stream.normal())
        .collect();
    let y = 1.5 * x[0] - x[columns - 1] + 0.3 * stream.normal();
    (x, y)
}

fn answer(layout: &Layout, query: &Query, x: &[f64]) -> Vec<f64> {
    let slots = query.reads.iter().flat_map(|r| layout.slots_of(r.panel as usize));
    slots.map(|slot| x[layout.column(slot)]).collect()
}

/// Returns every draw of the gradient's panels with its probability.
fn gradient_draws(n: usize, sampler: &Sampler) -> Vec<(Vec<usize>, f64)> {
    let coefficient = |p: usize| sampler.coefficient(p);
    if !sampler.replacement() && !sampler.is_uniform() {
        return systematic_draws((0..n).map(|p| 1.0 / coefficient(p)).collect());
    }
    let mut all = vec![(vec![], 1.0)];
    for _ in 0..sampler.draws() {
        let longer = |(drawn, share): &(Vec<usize>, f64)| {
            let least =
                if sampler.replacement() { 0 } else { drawn.last().map_or(0, |&last| last + 1) };
            let (drawn, share) = (drawn.clone(), *share);
            let draws = sampler.draws() as f64;
            let possible = (least..n).filter(|&p| coefficient(p).is_finite());
            possible
                .map(move |p| ([drawn.clone(), vec![p]].concat(), share / (draws * coefficient(p))))
        };
        all = all.iter().flat_map(longer).collect();
    }
    // Subsets are equally likely.
    let count = all.len() as f64;
    if !sampler.replacement() {
        all.iter_mut().for_each(|(_, share)| *share = 1.0 / count);
    }
    all
}

/// Returns the samples u, u + 1, ... on the line of these probabilities, constant between the
/// fractional parts of its marks.
fn systematic_draws(inclusion: Vec<f64>) -> Vec<(Vec<usize>, f64)> {
    let mut marks = vec![0.0];
    inclusion.iter().for_each(|p| marks.push(marks[marks.len() - 1] + p));
    let mut cuts: Vec<f64> = marks.iter().map(|m| m.fract()).chain([0.0, 1.0]).collect();
    cuts.sort_unstable_by(f64::total_cmp);
    let mut all = Vec::new();
    for pair in cuts.windows(2).filter(|pair| pair[1] - pair[0] > 1e-14) {
        let u = 0.5 * (pair[0] + pair[1]);
        // Panels that cover a point u + r.
        let covers = |p: &usize| (marks[*p] - u).ceil() < (marks[*p + 1] - u).ceil();
        all.push(((0..inclusion.len()).filter(covers).collect(), pair[1] - pair[0]));
    }
    all
}

/// Returns every sequence of independent draws of slots for the product with its probability, from
/// the masses that the draws use. Only the empty one while w = 0.
fn product_draws<I: Iterate>(sgd: &Sgd<I>) -> Vec<(Vec<usize>, f64)> {
    let mut all = vec![(vec![], 1.0)];
    let iterate = &sgd.state.iterate;
    if iterate.total_mass() <= 0.0 {
        return all;
    }
    let moments = sgd.recipe.draws.as_ref().map_or(0.0, |d| sgd.state.drawing.by_moments(d));
    let share = |s: usize| {
        let by_weights = iterate.mass(s) / iterate.total_mass();
        let by_moments =
            iterate.weighed().filter(|_| moments > 0.0).map_or(0.0, |w| w.mass(s) / w.total_mass());
        (1.0 - moments) * by_weights + moments * by_moments
    };
    for _ in 0..sgd.products() {
        let longer = |(drawn, p): &(Vec<usize>, f64)| {
            let (drawn, p) = (drawn.clone(), *p);
            let shares = (0..iterate.len()).map(|s| (s, share(s)));
            let drawn_slots: Vec<(usize, f64)> = shares.filter(|(_, share)| *share > 0.0).collect();
            drawn_slots
                .into_iter()
                .map(move |(s, share)| ([drawn.clone(), vec![s]].concat(), p * share))
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Returns E p^2 of a product from one draw by the masses: sum_P (sum_c w_c x_c)^2 / share_P.
fn one_draw_square<I: Iterate>(sgd: &Sgd<I>, x: &[f64]) -> f64 {
    let part = |p: usize| -> f64 {
        sgd.layout.slots_of(p).map(|s| sgd.state.iterate.weight(s) * x[s]).sum()
    };
    let panels = (0..sgd.layout.sampled_panels()).filter(|&p| part(p) != 0.0);
    panels.map(|p| part(p).powi(2) / sgd.product_share(p)).sum()
}

struct Sums {
    product: f64,
    product_square: f64,
    risk: f64,
    example: Vec<f64>,
    example_square: Vec<f64>,
    gradient: Vec<f64>,
    largest: f64,
}

/// Sums the estimates of an example over all draws, with the code of ask and tell.
fn enumerate<I: Iterate>(sgd: &mut Sgd<I>, x: &[f64], y: f64) -> Sums {
    let sampler = sgd.state.drawing.sampler().unwrap().clone();
    let slots = sgd.layout.sampled_slots();
    let zeros = vec![0.0; slots];
    let mut sums = Sums {
        product: 0.0,
        product_square: 0.0,
        risk: 0.0,
        example: zeros.clone(),
        example_square: zeros.clone(),
        gradient: zeros,
        largest: 1.0,
    };
    let products = product_draws(sgd);
    let mut total = 0.0;
    for (panels, p) in gradient_draws(sgd.layout.sampled_panels(), &sampler) {
        for (drawn, q) in &products {
            let mut query = Query::default();
            sgd.push_known(&mut query);
            panels.iter().for_each(|&panel| sgd.push_gradient(&mut query, panel));
            drawn.iter().for_each(|&slot| {
                sgd.push_product(&mut query, sgd.layout.panel_of(slot), sgd.products())
            });
            let estimate = sgd.estimate(&query, &answer(&sgd.layout, &query, x));
            let product = estimate.product;
            let slope = sgd.recipe.loss.slope(product, y);
            let share = p * q;
            total += share;
            sums.product += share * product;
            sums.product_square += share * (product - y).powi(2);
            sums.risk += share * (product - y) * (estimate.second - y);
            sums.largest = sums.largest.max(((product - y) * (estimate.second - y)).abs());
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
            sgd.gradient
                .iter()
                .for_each(|&(slot, v)| sums.example_square[slot as usize] += share * v * v);
        }
    }
    assert!((total - 1.0).abs() < 1e-13, "probabilities sum to {total}");
    sums
}

pub(super) fn assert_close(actual: f64, expected: f64, scale: f64, what: &str) {
    assert!((actual - expected).abs() <= 1e-12 * scale, "{what}: {actual} instead of {expected}");
}

fn check<B: Budgeted>(learner: &B, layout: &Arc<Layout>, budget: usize) {
    check_with(learner, layout, budget, true);
}

/// Runs the check with or without measured moments.
fn check_with<B: Budgeted>(learner: &B, layout: &Arc<Layout>, budget: usize, measured: bool) {
    let reads = Reads { budget, panels: layout.sampled_panels() };
    let mut recipe = learner.recipe(reads).unwrap();
    recipe.pace.horizon = Some(40);
    let mut stream = Stream::new(budget as u64, Purpose::Data, layout.slots() as u64);
    let columns = layout.slots();
    let mean = (0..columns).map(|j| 0.3 * j as f64 - 0.4).collect();
    let square = (0..columns).map(|j| 4.0 + 3.0 * (j % 3) as f64).collect();
    let moments = Moments { mean, square };
    let facts = measured.then_some((&moments, 1.0));
    let mut sgd = Sgd::<B::Iterate>::new(recipe, layout, facts).unwrap();
    let mut most_nonzero = 0;
    for t in 0..=25 {
        let (x, y) = example(columns, &mut stream);
        if [0, 1, 2, 9, 25].contains(&t) {
            check_moments(&mut sgd, &x, y, &format!("{learner:?}, budget {budget}, t = {t}"));
            let nonzero =
                (0..layout.sampled_slots()).filter(|&s| sgd.state.iterate.weight(s) != 0.0).count();
            most_nonzero = most_nonzero.max(nonzero);
        }
        let query = sgd.ask().unwrap();
        let values = answer(layout, &query, &x);
        assert_eq!(sgd.tell(&query, &values, y).unwrap(), TellOutcome::Learned);
    }
    assert!(most_nonzero >= 2, "{learner:?}: the check must have seen a choice between draws");
}

fn check_moments<I: Iterate>(sgd: &mut Sgd<I>, x: &[f64], y: f64, what: &str) {
    let layout = Arc::clone(&sgd.layout);
    let sampler = sgd.state.drawing.sampler().unwrap().clone();
    let sampled = layout.sampled_slots();
    // The true values, about the present centre.
    let part = |s: usize| ColumnTerm {
        weight: 0.0,
        centre: if s < sampled { sgd.centre(s) } else { sgd.known_centre(s) },
    };
    let own: Vec<f64> =
        (0..sampled).map(|s| sgd.deviation(s, part(s), x[layout.column(s)])).collect();
    // In the iterate's units, as when asking.
    let centred: Vec<f64> = (0..layout.slots())
        .map(|s| sgd.raw(s, 1.0) * sgd.unscaled(s, part(s), x[layout.column(s)]))
        .collect();
    let known_part: f64 =
        (sampled..layout.slots()).map(|s| sgd.state.known.weight(s - sampled) * centred[s]).sum();
    let exact = sgd.state.known.intercept() + known_part;
    let sampled_part: f64 = (0..sampled).map(|s| sgd.state.iterate.weight(s) * centred[s]).sum();
    let product = exact + sampled_part;
    let moments = enumerate(sgd, x, y);
    let scale = moments.largest;
    assert_close(moments.product, product, scale, &format!("{what}: E product"));
    assert_close(
        moments.risk,
        (product - y).powi(2),
        scale,
        &format!("{what}: E of the estimated risk"),
    );
    let slope = sgd.recipe.loss.slope(product, y);
    for (s, &xs) in own.iter().enumerate() {
        assert_close(moments.example[s], xs, scale, &format!("{what}: E x~ of slot {s}"));
        assert_close(
            moments.gradient[s],
            slope * xs,
            scale,
            &format!("{what}: E slope x~ of slot {s}"),
        );
        let square = sampler.inflation(layout.panel_of(s)) * xs * xs;
        assert_close(
            moments.example_square[s],
            square,
            scale,
            &format!("{what}: E x~^2 of slot {s}"),
        );
    }
    // E (p - y)^2 of the mean of n independent draws.
    let draws = sgd.products() as f64;
    let centred = &centred[..sampled];
    let one = one_draw_square(sgd, centred);
    let mean_square = sampled_part.powi(2) + (one - sampled_part.powi(2)) / draws;
    let expected = mean_square + 2.0 * (exact - y) * sampled_part + (exact - y).powi(2);
    assert_close(
        moments.product_square,
        expected,
        scale * scale,
        &format!("{what}: E (product - y)^2"),
    );
    // The closed forms of the papers, if each panel is one column.
    let inner = sgd.recipe.draws.as_ref().map_or(0.0, |d| sgd.state.drawing.by_moments(d));
    if layout.sampled_panels() == sampled {
        let w: Vec<f64> = (0..sampled).map(|s| sgd.state.iterate.weight(s)).collect();
        let norm = |p: i32| w.iter().map(|v| v.abs().powi(p)).sum::<f64>();
        let closed = match sgd.recipe.name {
            _ if inner > 0.0 && w.iter().any(|w| *w != 0.0) => by_moments(sgd, &w, centred, inner),
            "aerr" | "gaerr" | "ddaerr" | "ddaerr-2p" => {
                let nonzero = centred.iter().zip(&w).filter(|(_, w)| **w != 0.0);
                norm(2) * nonzero.map(|(x, _)| x * x).sum::<f64>()
            }
            "pnorm" => {
                let p = sgd.recipe.shape.power(sampled);
                let q = p / (p - 1.0);
                let size = w.iter().map(|v| v.abs().powf(q)).sum::<f64>().powf(1.0 / q);
                let nonzero = centred.iter().zip(&w).filter(|(_, w)| **w != 0.0);
                nonzero
                    .map(|(x, w)| (size * x).powi(2) * (w.abs() / size).powf((p - 2.0) / (p - 1.0)))
                    .sum()
            }
            _ => norm(1) * centred.iter().zip(&w).map(|(x, w)| w.abs() * x * x).sum::<f64>(),
        };
        assert_close(one, closed, scale * scale, &format!("{what}: E product^2 of one draw"));
    }
}

/// Returns sum_j w_j^2 x_j^2 / p_j for the heuristic's p, mixed or not.
fn by_moments<I: Iterate>(sgd: &Sgd<I>, w: &[f64], x: &[f64], share: f64) -> f64 {
    let mass =
        |j: usize| if sgd.recipe.name.starts_with("ddaelr") { w[j].abs() } else { w[j] * w[j] };
    let weighed = |j: usize| w[j].abs() * sgd.state.drawing.moments[j].sqrt();
    let total = |of: &dyn Fn(usize) -> f64| (0..w.len()).map(of).sum::<f64>();
    let (by_weights, by_moments) = (total(&mass), total(&weighed));
    let p = |j: usize| (1.0 - share) * mass(j) / by_weights + share * weighed(j) / by_moments;
    (0..w.len()).filter(|&j| w[j] != 0.0).map(|j| (w[j] * x[j]).powi(2) / p(j)).sum()
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

#[test]
fn pnorm_is_unbiased_over_all_draws() {
    for p in ["2", "3.5", "auto"] {
        check_all::<PNormRegression>(&[("p", p), ("replacement", "false")]);
        check_all::<PNormRegression>(&[("p", p), ("replacement", "true"), ("project", "true")]);
    }
}
