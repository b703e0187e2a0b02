//! Tests the adaptive design where attributes have prices and the cost of an example is limited.

use super::{Fiml, load};
use halfseen_core::data::{Examples, Layout, Matrix, Scaler};
use halfseen_core::learner::Learner;
use halfseen_core::learner::{AskTell, Query};
use halfseen_core::model::Fit;
use halfseen_core::params::{Design, Shape};
use halfseen_solve::Silent;
use halfseen_solve::sampling::{Purpose, Stream};
use ndarray::Array2;
use std::sync::Arc;

const D: usize = 12;
/// Attributes 0 and 1 predict, one cheap and one dear; of the others every second is dear.
const PRICES: [f64; D] = [1.0, 6.0, 1.0, 6.0, 1.0, 6.0, 1.0, 6.0, 1.0, 6.0, 1.0, 6.0];
const MONEY: f64 = 8.5;

fn layout() -> Arc<Layout> {
    Arc::new(Layout::singletons(D).with_prices(PRICES.to_vec()).unwrap())
}

fn rows(count: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let x = Array2::from_shape_simple_fn((count, D), || stream.normal());
    let y = x.rows().into_iter().map(|x| 2.0 * x[0] + 2.0 * x[1] + 0.5 * stream.normal());
    let y = y.collect();
    (x, y)
}

fn learner(design: Design) -> Fiml {
    Fiml { budget: Some(6), max_cost: Some(MONEY), design, shape: Shape::Linear, ..Fiml::default() }
}

fn fit(design: Design, (x, y): &(Array2<f64>, Vec<f64>)) -> Fit {
    let (matrix, layout) = (Matrix::F64(x.clone()), layout());
    let examples = Examples::new(&matrix, &Scaler::None {}, &layout, y);
    learner(design).fit(&examples, &Silent).unwrap()
}

/// Answers the next query; returns it.
fn answer(running: &mut dyn AskTell, x: &Array2<f64>, y: &[f64], row: usize) -> Query {
    let query = running.ask().unwrap();
    let values: Vec<f64> = query.reads.iter().map(|read| x[[row, read.panel as usize]]).collect();
    running.tell(&query, &values, y[row]).unwrap();
    query
}

#[test]
fn what_predicts_is_read_more_what_is_dear_less_and_nothing_is_overspent() {
    let data = rows(2_000, 1);
    let [uniform, adaptive] = [Design::Uniform, Design::Adaptive].map(|d| fit(d, &data));
    let (before, after) = (&uniform.report.panel_reads, &adaptive.report.panel_reads);
    // The dear useless one is read less than the cheap useful one, and than the dear useful one.
    assert!(after[3] * 4 < after[0] && after[3] * 2 < after[1], "{after:?}");
    // Useful ones are read more than before, useless dear ones less, but none is starved.
    assert!(after[0] > before[0] && after[1] > before[1] * 5 / 4, "{before:?}, {after:?}");
    assert!((3..D).step_by(2).all(|j| after[j] < before[j] && after[j] > 100), "{after:?}");
    assert!(adaptive.report.spent <= MONEY * 2_000.0);
    // The same data and seed give the same reads.
    assert_eq!(fit(Design::Adaptive, &data).predictor, adaptive.predictor);
}

#[test]
fn no_query_costs_more_than_the_limit_and_a_saved_state_draws_the_same() {
    let (x, y) = rows(900, 2);
    let mut running = learner(Design::Adaptive).start(&layout()).unwrap().unwrap();
    let mut twin = None;
    let mut phases = Vec::new();
    for row in 0..900 {
        let query = answer(&mut *running, &x, &y, row);
        let cost: f64 = query.reads.iter().map(|read| PRICES[read.panel as usize]).sum();
        assert!(cost <= MONEY && !query.reads.is_empty() && query.reads.len() <= 6, "{cost}");
        assert!(query.reads.windows(2).all(|w| w[0].panel < w[1].panel));
        phases.push(query.phase);
        if let Some(twin) = &mut twin {
            let twin: &mut Box<dyn AskTell> = twin;
            assert_eq!(answer(&mut **twin, &x, &y, row), query);
        } else if row == 300 {
            twin = Some(load(&running.save().unwrap()).unwrap());
        }
    }
    // 240 reads at the mean price 3.5, of which 8.5 pays for 2.43: 99 examples, at least 100.
    assert_eq!((phases[99], phases[100], phases[200], phases[899]), (0, 1, 2, 4), "{phases:?}");
    assert_eq!(twin.unwrap().save().unwrap(), running.save().unwrap());
}

/// Before, the design was not used under `max_cost`: states of many answers have no probabilities.
#[test]
fn a_state_from_before_proceeds_and_is_redesigned_later() {
    let (x, y) = rows(500, 3);
    let mut old = learner(Design::Uniform).start(&layout()).unwrap().unwrap();
    (0..350).for_each(|row| drop(answer(&mut *old, &x, &y, row)));
    let open = old.ask().unwrap();
    let state = old.save().unwrap().to_string();
    assert!(state.contains("\"design\":\"uniform\""));
    let state = state.replace("\"design\":\"uniform\"", "\"design\":\"adaptive\"");
    let mut running = load(&serde_json::from_str(&state).unwrap()).unwrap();
    let next = running.ask().unwrap();
    assert_eq!((next.number, next.phase, &next.parts), (open.number + 1, 0, &next.parts));
    (350..450).for_each(|row| drop(answer(&mut *running, &x, &y, row)));
    assert_eq!(running.ask().unwrap().phase, 1);
    let again = load(&running.save().unwrap()).unwrap();
    assert_eq!(again.save().unwrap(), running.save().unwrap());
}

#[test]
fn at_equal_money_errors_are_smaller_than_by_uniform_orders() {
    let mut log_ratio = 0.0;
    for seed in 0..4 {
        let (train, (x, y)) = (rows(400, 10 + seed), rows(2_000, 20 + seed));
        let error = |design| {
            let found = fit(design, &train);
            let linear = found.linear().unwrap();
            let square = |(x, y): (ndarray::ArrayView1<'_, f64>, &f64)| {
                (linear.score(&x.to_vec()) - y).powi(2)
            };
            x.rows().into_iter().zip(&y).map(square).sum::<f64>() / y.len() as f64 - 0.25
        };
        log_ratio += (error(Design::Adaptive) / error(Design::Uniform)).ln() / 4.0;
    }
    assert!(log_ratio < -0.1, "{log_ratio}");
}
