//! Enumerates all draws, compares with dense sums, and tests each repair's properties.

mod readings;

use super::gather::{FromMoments, Gatherer, Gathering, MomentSolution};
use super::{Ball, Limits, Reduced};
use crate::{AskTell, MomentLasso, Query, Read, ReadRole, TellOutcome};
use faer::Mat;
use halfseen_core::data::Layout;
use halfseen_core::error::Result;
use halfseen_core::learner::Grid;
use halfseen_core::model::Stop;
use halfseen_core::params::{Centre, MomentRepair};
use halfseen_solve::eigenvalues;
use halfseen_solve::projection::onto_l1_ball;
use halfseen_solve::sampling::{Purpose, Stream};
use halfseen_solve::{Monitor, Silent};
use std::sync::Arc;

/// Widths of sampled panels, then of known ones: at most five sampled columns.
const SHAPES: &[(&[u32], &[u32])] = &[
    (&[1, 1], &[]),
    (&[1, 1, 1], &[]),
    (&[1, 1, 1, 1], &[1]),
    (&[1, 1, 1, 1, 1], &[]),
    (&[2, 1, 1], &[]),
    (&[1, 2, 1, 1], &[2]),
];

/// Assigns columns to panels backwards, so that slots, panels and columns have different numbers.
fn layout(sampled: &[u32], known: &[u32]) -> Arc<Layout> {
    let width = sampled.iter().chain(known).sum::<u32>();
    let mut builder = Layout::builder(width as usize);
    let mut next = width;
    let mut columns = |w: u32| {
        next -= w;
        (next..next + w).rev().collect::<Vec<u32>>()
    };
    sampled
        .iter()
        .enumerate()
        .for_each(|(i, &w)| builder.sampled(&format!("panel {i}"), columns(w)));
    known.iter().enumerate().for_each(|(i, &w)| builder.known(&format!("known {i}"), columns(w)));
    Arc::new(builder.finish().unwrap())
}

fn example(layout: &Layout, stream: &mut Stream) -> (Vec<f64>, f64) {
    let x: Vec<f64> = (0..layout.slots()).map(|j| 0.5 - 0.2 * j as f64 + stream.normal()).collect();
    let y = x[0] - 0.5 * x[x.len() - 1] + 0.3 * stream.normal();
    (x, y)
}

fn answer(layout: &Layout, query: &Query, x: &[f64]) -> Vec<f64> {
    let slots = query.reads.iter().flat_map(|r| layout.slots_of(r.panel as usize));
    slots.map(|slot| x[layout.column(slot)]).collect()
}

fn baseline(budget: usize) -> MomentLasso {
    MomentLasso { budget: Some(budget as u64), ..MomentLasso::default() }
}

/// Returns all subsets of `size` of 0..n, increasing.
fn subsets(n: usize, size: usize) -> Vec<Vec<usize>> {
    let longer = |all: Vec<Vec<usize>>| -> Vec<Vec<usize>> {
        let more = |s: &Vec<usize>| {
            (s.last().map_or(0, |l| l + 1)..n).map(|i| [&s[..], &[i]].concat()).collect()
        };
        all.iter().flat_map(|s| -> Vec<Vec<usize>> { more(s) }).collect()
    };
    (0..size).fold(vec![vec![]], |all, _| longer(all))
}

/// Returns all equally likely panels of one query for pairs: s of the d^2 ordered pairs, and for an
/// odd budget one more panel.
fn pair_draws(panels: usize, budget: usize) -> Vec<Vec<u32>> {
    let codes = subsets(panels * panels, budget / 2);
    let pairs = codes
        .iter()
        .map(|c| c.iter().flat_map(|c| [c / panels, c % panels]).map(|p| p as u32).collect());
    let last: Vec<Vec<u32>> =
        if budget % 2 == 1 { (0..panels as u32).map(|p| vec![p]).collect() } else { vec![vec![]] };
    pairs
        .flat_map(|p: Vec<u32>| last.iter().map(move |l| [&p[..], l].concat()).collect::<Vec<_>>())
        .collect()
}

/// Tells copies of a learner one example through each of the draws; returns the copies.
fn tell_all<L: FromMoments>(
    start: &Gatherer<L>,
    draws: &[Vec<u32>],
    x: &[f64],
    y: f64,
) -> Vec<Gatherer<L>> {
    let layout = start.layout();
    let tell = |panels: &Vec<u32>| {
        let mut learner = start.clone();
        let mut query = learner.ask().unwrap();
        let known = layout.panels() - layout.sampled_panels();
        let centre: Vec<f64> = (0..layout.sampled_slots()).map(|s| learner.centre(s)).collect();
        let coefficient = query.reads[known].coefficient;
        query.reads.truncate(known);
        query.parts.truncate(layout.slots() - layout.sampled_slots());
        for &panel in panels {
            query.reads.push(Read { panel, role: ReadRole::Gradient, coefficient });
            let part = |slot: usize| crate::ColumnTerm { weight: 0.0, centre: centre[slot] };
            query.parts.extend(layout.slots_of(panel as usize).map(part));
        }
        query.checksum = query.digest();
        // Admission implies that the query could have been drawn.
        assert_eq!(
            learner.tell(&query, &answer(layout, &query, x), y).unwrap(),
            TellOutcome::Learned
        );
        learner
    };
    draws.iter().map(tell).collect()
}

fn assert_close(actual: f64, expected: f64, scale: f64, what: &str) {
    assert!(
        (actual - expected).abs() <= 1e-12 * scale.max(1.0),
        "{what}: {actual} instead of {expected}"
    );
}

impl<L: FromMoments> Gatherer<L> {
    /// Returns a centred value; a first read sets the centre.
    fn expected(&self, slot: usize, value: f64) -> f64 {
        let first = self.gathering.centre == Centre::Running && self.state.running.is_new(slot);
        if first { 0.0 } else { value - self.centre(slot) }
    }
}

/// Returns a learner that was told a few examples, so that its centre is no longer 0.
fn taught<L: FromMoments>(learner: &L, layout: &Arc<Layout>, stream: &mut Stream) -> Gatherer<L> {
    let mut gatherer = Gatherer::new(learner, layout, None).unwrap();
    for _ in 0..5 {
        let (x, y) = example(layout, stream);
        let query = gatherer.ask().unwrap();
        gatherer.tell(&query, &answer(layout, &query, &x), y).unwrap();
    }
    gatherer
}

#[test]
fn baseline_estimates_all_second_moments_without_bias() {
    for (sampled, known) in SHAPES {
        let layout = layout(sampled, known);
        let panels = layout.sampled_panels();
        for budget in 2..panels {
            let mut stream = Stream::new(budget as u64, Purpose::Data, layout.slots() as u64);
            for centre in [Centre::None, Centre::Running] {
                let start =
                    taught(&MomentLasso { centre, ..baseline(budget) }, &layout, &mut stream);
                let (x, y) = example(&layout, &mut stream);
                let draws = pair_draws(panels, budget);
                let told = tell_all(&start, &draws, &x, y);
                let (before, share) = (start.sums(), 1.0 / draws.len() as f64);
                let n = layout.sampled_slots();
                let e: Vec<f64> = (0..n).map(|s| start.expected(s, x[layout.column(s)])).collect();
                let z: Vec<f64> = [1.0]
                    .into_iter()
                    .chain((n..layout.slots()).map(|s| x[layout.column(s)]))
                    .collect();
                let what = format!("{sampled:?}, budget {budget}, {centre:?}");
                let mean = |sum: &dyn Fn(&super::sums::Sums) -> f64| {
                    told.iter().map(|g| sum(g.sums()) - sum(before)).sum::<f64>() * share
                };
                for i in 0..n {
                    for j in 0..n {
                        assert_close(
                            mean(&|s| s.slots.get(i, j)),
                            e[i] * e[j],
                            30.0,
                            &format!("{what}: A_{i}{j}"),
                        );
                    }
                    assert_close(
                        mean(&|s| s.slot_target[i]),
                        y * e[i],
                        30.0,
                        &format!("{what}: v_{i}"),
                    );
                    for (b, z) in z.iter().enumerate() {
                        let estimate = mean(&|s| s.slot_known[i * before.known_target.len() + b]);
                        assert_close(estimate, e[i] * z, 30.0, &format!("{what}: C_{i}{b}"));
                    }
                }
                for (a, z) in z.iter().enumerate() {
                    assert_close(mean(&|s| s.known_target[a]), y * z, 1.0, &what);
                    assert_close(mean(&|s| s.known.get(a, 0)), *z, 1.0, &what);
                }
                assert_close(mean(&|s| s.target), y * y, 1.0, &what);
            }
        }
    }
}

/// n = d^2 pairs, s of them drawn; c_p counts the places of a panel in pair p.
#[test]
fn baseline_has_the_second_moments_of_the_closed_forms() {
    for (d, budget) in [(3, 2), (4, 2), (4, 3), (5, 3), (5, 4)] {
        let layout = layout(&vec![1; d], &[]);
        let mut stream = Stream::new(d as u64, Purpose::Data, budget as u64);
        let start =
            Gatherer::new(&MomentLasso { centre: Centre::None, ..baseline(budget) }, &layout, None)
                .unwrap();
        let (x, y) = example(&layout, &mut stream);
        let e: Vec<f64> = (0..d).map(|s| x[layout.column(s)]).collect();
        let draws = pair_draws(d, budget);
        let told = tell_all(&start, &draws, &x, y);
        let square = |sum: &dyn Fn(&super::sums::Sums) -> f64| {
            told.iter().map(|g| sum(g.sums()).powi(2)).sum::<f64>() / draws.len() as f64
        };
        let (n, s, k) = ((d * d) as f64, (budget / 2) as f64, budget as f64);
        let d = d as f64;
        // E (sum of c_p)^2 = s E c^2 + s (s - 1) E c_p c_p', with sum of c = 2d and of c^2 = 2d + 2
        // over all pairs.
        let places = s * (2.0 * d + 2.0) / n
            + s * (s - 1.0) * (4.0 * d * d - 2.0 * d - 2.0) / (n * (n - 1.0));
        let odd = if budget % 2 == 1 { (4.0 * s / d + 1.0) / d } else { 0.0 };
        let what = format!("d = {d}, budget {budget}");
        for i in 0..e.len() {
            let expected = (d / k * e[i] * y).powi(2) * (places + odd);
            assert_close(
                square(&|m| m.slot_target[i]),
                expected,
                expected,
                &format!("{what}: E v_{i}^2"),
            );
            for j in 0..e.len() {
                let factor =
                    if i == j { n / s } else { n / (2.0 * s) * (1.0 + (s - 1.0) / (n - 1.0)) };
                let expected = factor * (e[i] * e[j]).powi(2);
                assert_close(
                    square(&|m| m.slots.get(i, j)),
                    expected,
                    expected,
                    &format!("{what}: E A_{i}{j}^2"),
                );
            }
        }
    }
}

mod alone {
    #![allow(dead_code, unreachable_pub)] // of a learner that is no more than a test

    use halfseen_core::params::parameters;

    parameters! {
        /// A learner that sums no products of pairs.
        pub struct Alone {
            name: "alone", family: Budget,
            title: "Sums the products with the target alone",
            source: "";
            budget: Option<u64> = None, BUDGET;
        }
    }
}
use alone::Alone;

impl FromMoments for Alone {
    const PAIRS: bool = false;

    fn grid() -> Grid {
        Grid::new(&[])
    }

    fn gathering(&self) -> Gathering {
        let (budget, centre) = (self.budget, Centre::Running);
        let (total_budget, total_cost, intercept, seed) = (None, None, true, 0);
        Gathering { budget, total_budget, total_cost, centre, intercept, seed }
    }

    fn solve(_: &[&Self], _: &Reduced, _: &dyn Monitor) -> Result<Vec<MomentSolution>> {
        Ok(Vec::new())
    }
}

#[test]
fn reads_without_pairs_estimate_the_example_without_bias() {
    for (sampled, known) in SHAPES {
        let layout = layout(sampled, known);
        let (panels, n) = (layout.sampled_panels(), layout.sampled_slots());
        for budget in 1..panels {
            let mut stream = Stream::new(budget as u64, Purpose::Data, 7);
            let learner = Alone { budget: Some(budget as u64) };
            let start = taught(&learner, &layout, &mut stream);
            let (x, y) = example(&layout, &mut stream);
            let draws: Vec<Vec<u32>> = subsets(panels, budget)
                .iter()
                .map(|s| s.iter().map(|&p| p as u32).collect())
                .collect();
            let told = tell_all(&start, &draws, &x, y);
            for s in 0..n {
                let e = start.expected(s, x[layout.column(s)]);
                let moves =
                    told.iter().map(|g| g.sums().slot_target[s] - start.sums().slot_target[s]);
                let (sum, squares) = moves.fold((0.0, 0.0), |(a, b), v| (a + v, b + v * v));
                let (share, inflation) = (1.0 / draws.len() as f64, panels as f64 / budget as f64);
                assert_close(sum * share, y * e, 30.0, "E v");
                assert_close(squares * share, inflation * (y * e).powi(2), 30.0, "E v^2");
            }
        }
    }
}

#[test]
fn every_draw_is_equally_likely() {
    let layout = layout(&[1, 1, 1, 1], &[]);
    for budget in [2, 3] {
        let mut gatherer = Gatherer::new(&baseline(budget), &layout, None).unwrap();
        let all = pair_draws(4, budget);
        let (mut counts, runs) = (vec![0.0_f64; all.len()], 500.0_f64);
        for _ in 0..all.len() * 500 {
            let panels: Vec<u32> = gatherer.ask().unwrap().reads.iter().map(|r| r.panel).collect();
            counts[all.iter().position(|p| *p == panels).unwrap()] += 1.0;
        }
        // Four standard deviations above the mean of a chi-square; the seed is fixed.
        let chi: f64 = counts.iter().map(|c| (c - runs).powi(2) / runs).sum();
        let freedom = all.len() as f64 - 1.0;
        assert!(chi < freedom + 4.0 * (2.0 * freedom).sqrt(), "chi-square {chi}");
    }
}

/// Dense matrices over all columns and a constant, filled line by line as the paper writes it.
struct Dense {
    a: Mat<f64>,
    v: Vec<f64>,
}

#[test]
fn sums_equal_those_of_dense_matrices_and_their_elimination() {
    let layout = layout(&[1, 2, 1, 1, 1], &[1, 2]);
    let (n, all) = (layout.sampled_slots(), layout.slots());
    for budget in [2, 3, 4, 5] {
        let mut stream = Stream::new(budget as u64, Purpose::Data, 3);
        let mut gatherer =
            Gatherer::new(&MomentLasso { seed: 5, ..baseline(budget) }, &layout, None).unwrap();
        let mut dense = Dense { a: Mat::zeros(all + 1, all + 1), v: vec![0.0; all + 1] };
        let examples = 400;
        for _ in 0..examples {
            let (x, y) = example(&layout, &mut stream);
            let query = gatherer.ask().unwrap();
            // Centred values by slot; the constant and the known ones are free and stand last.
            let value = |slot: usize| x[layout.column(slot)];
            let mut e: Vec<f64> = (0..all).map(value).chain([1.0]).collect();
            let mut at = 0;
            for read in &query.reads {
                for slot in layout.slots_of(read.panel as usize) {
                    // A first read sets the centre of an unknown slot.
                    let first = slot < n && budget < 5 && gatherer.state.running.is_new(slot);
                    e[slot] = if first { 0.0 } else { value(slot) - query.parts[at].centre };
                    at += 1;
                }
            }
            let drawn: Vec<usize> = query
                .reads
                .iter()
                .filter(|r| r.role != ReadRole::Known)
                .map(|r| r.panel as usize)
                .collect();
            let (d, k, s) = (5.0, budget as f64, (budget / 2) as f64);
            let (factor, once) = if budget == 5 { (0.5, 1.0) } else { (d * d / (2.0 * s), d / k) };
            let pairs: Vec<(usize, usize)> = match budget {
                5 => (0..5).flat_map(|i| (0..5).map(move |j| (i, j))).collect(),
                _ => drawn.chunks_exact(2).map(|p| (p[0], p[1])).collect(),
            };
            for (first, second) in pairs {
                for i in layout.slots_of(first) {
                    for j in layout.slots_of(second) {
                        dense.a[(i, j)] += factor * e[i] * e[j];
                        dense.a[(j, i)] += factor * e[i] * e[j];
                    }
                }
            }
            for i in drawn.iter().flat_map(|&p| layout.slots_of(p)) {
                dense.v[i] += once * e[i] * y;
                for b in n..=all {
                    dense.a[(i, b)] += once * e[i] * e[b];
                    dense.a[(b, i)] += once * e[i] * e[b];
                }
            }
            for a in n..=all {
                dense.v[a] += e[a] * y;
                (n..=all).for_each(|b| dense.a[(a, b)] += e[a] * e[b]);
            }
            gatherer.tell(&query, &answer(&layout, &query, &x), y).unwrap();
        }
        let sums = gatherer.sums();
        for i in 0..n {
            (0..n).for_each(|j| assert_close(sums.slots.get(i, j), dense.a[(i, j)], 1e4, "A"));
            assert_close(sums.slot_target[i], dense.v[i], 1e4, "v");
        }
        // Gauss: the known rows are eliminated one by one.
        for a in (n..=all).rev() {
            for i in 0..=all {
                if i == a || dense.a[(a, a)] == 0.0 {
                    continue;
                }
                let factor = dense.a[(i, a)] / dense.a[(a, a)];
                (0..=all).for_each(|j| dense.a[(i, j)] -= factor * dense.a[(a, j)]);
                dense.v[i] -= factor * dense.v[a];
            }
        }
        let reduced = gatherer.reduced().unwrap();
        assert_eq!(reduced.slots, (0..n).collect::<Vec<_>>());
        for i in 0..n {
            let m = f64::from(examples);
            (0..n).for_each(|j| {
                assert_close(reduced.gram[(i, j)], dense.a[(i, j)] / m, 30.0, "A - C K+ C'")
            });
            assert_close(reduced.cross[i], dense.v[i] / m, 30.0, "v - C K+ k");
        }
    }
}

/// Over all draws the square of a sum is estimated without bias, by pairs and by subsets; one read
/// gives no estimate.
#[test]
fn own_tests_estimate_squared_predictions_without_bias() {
    use super::draws::Draws;
    let mut stream = Stream::new(12, Purpose::Data, 3);
    for panels in 2..=5 {
        let a: Vec<f64> = (0..panels).map(|_| stream.normal()).collect();
        let truth = a.iter().sum::<f64>().powi(2);
        for budget in 1..=panels {
            let subsets: Vec<Vec<u32>> = subsets(panels, budget)
                .iter()
                .map(|s| s.iter().map(|&p| p as u32).collect())
                .collect();
            let pairs = if budget > 1 && budget < panels {
                pair_draws(panels, budget)
            } else {
                subsets.clone()
            };
            for (by_pairs, all) in [(false, subsets), (true, pairs)] {
                let draws = Draws::new(crate::Reads { budget, panels }, by_pairs);
                let of = |drawn: &Vec<u32>| {
                    draws.square_of_sum(&drawn.iter().map(|&p| a[p as usize]).collect::<Vec<f64>>())
                };
                if budget == 1 {
                    assert!(of(&all[0]).is_none());
                    continue;
                }
                let mean = all.iter().map(|d| of(d).unwrap()).sum::<f64>() / all.len() as f64;
                assert!(
                    (mean - truth).abs() < 1e-11 * (1.0 + truth),
                    "{panels} {budget} {by_pairs}: {mean} for {truth}"
                );
            }
        }
    }
}
