//! Enumerates the draws of learners that do not draw uniformly: by probabilities, prices and
//! moments.

use super::*;
use halfseen_core::params::MomentSource;

#[test]
fn gaerr_is_unbiased_over_all_draws() {
    for (sampled, known) in SHAPES {
        let layout = layout(sampled, known);
        let panels = layout.sampled_panels();
        let total: f64 = (1..=panels).map(|p| p as f64).sum();
        let probabilities = Some((1..=panels).map(|p| p as f64 / total).collect::<Vec<f64>>());
        for replacement in [false, true] {
            for budget in 2..panels {
                check(
                    &Gaerr {
                        probabilities: probabilities.clone(),
                        replacement,
                        ..Gaerr::default()
                    },
                    &layout,
                    budget,
                );
            }
        }
    }
}

#[test]
fn reads_within_a_limit_of_money_are_unbiased_and_never_cost_more() {
    let prices = [3.0, 1.0, 0.5, 2.0, 0.0];
    for (money, budget) in [(6.0, 4), (7.5, 4), (8.0, 3), (60.0, 4)] {
        let layout = Arc::new(Layout::singletons(5).with_prices(prices.to_vec()).unwrap());
        check(&Aerr { max_cost: Some(money), ..Aerr::default() }, &layout, budget);
        check(&Aelr { max_cost: Some(money), ..Aelr::default() }, &layout, budget);
        check(&Ddaerr { max_cost: Some(money), ..Ddaerr::default() }, &layout, budget);
        check(&Ddaelr { max_cost: Some(money), ..Ddaelr::default() }, &layout, budget);
        let learner =
            Aerr { max_cost: Some(money), budget: Some(budget as u64), ..Aerr::default() };
        let mut running = learner.start(&layout).unwrap().unwrap();
        let mut stream = Stream::new(8, Purpose::Data, 0);
        for _ in 0..2_000 {
            let query = running.ask().unwrap();
            let cost: f64 = query.reads.iter().map(|r| layout.price(r.panel as usize)).sum();
            assert!(cost <= money + 1e-9, "{cost} of {money}");
            let (x, y) = example(5, &mut stream);
            running.tell(&query, &answer(&layout, &query, &x), y).unwrap();
        }
    }
    let layout = Arc::new(Layout::singletons(5).with_prices(prices.to_vec()).unwrap());
    let refused = |learner: Aerr| learner.start(&layout).err().unwrap();
    let poor = refused(Aerr { max_cost: Some(5.9), ..Aerr::default() });
    assert!(
        poor.to_string()
            .contains("at least 6, 2 times the price of the most expensive attribute 'x0', 3"),
        "{poor}"
    );
    let all = refused(Aerr { max_cost: Some(6.4), budget: Some(5), ..Aerr::default() });
    assert!(all.to_string().contains("at least 6.5"), "{all}");
    let again = refused(Aerr { max_cost: Some(9.0), replacement: true, ..Aerr::default() });
    assert!(again.to_string().contains("replacement"), "{again}");
}

#[test]
fn learners_that_draw_by_moments_are_unbiased_over_all_draws() {
    for replacement in ["false", "true"] {
        for inner in ["weights", "moments", "mixed"] {
            for moments in ["auto", "online", "two-phase"] {
                let settings =
                    [("replacement", replacement), ("inner", inner), ("moments", moments)];
                check_all::<Ddaerr>(&settings);
                check_all::<Ddaelr>(&settings);
            }
        }
    }
}

/// Known attributes are scaled too.
#[test]
fn attributes_scaled_by_reads_are_estimated_without_bias() {
    for (sampled, known) in SHAPES {
        let layout = Arc::new(Layout::clone(&layout(sampled, known)).by_reads());
        for budget in 2..layout.sampled_panels() {
            for centre in [Centre::Running, Centre::None] {
                check_with(&Aerr { centre, ..Aerr::default() }, &layout, budget, false);
                check_with(&Aer { centre, radius: 2.0, ..Aer::default() }, &layout, budget, false);
                check_with(&Aelr { centre, ..Aelr::default() }, &layout, budget, false);
            }
        }
    }
}

#[test]
fn steps_of_their_own_change_no_estimate() {
    check_all::<Aerr>(&[("step_rule", "adagrad"), ("step", "40x")]);
}

/// Checks that E of the first phase's A over all draws, with the code of ask and tell, is the mean
/// square, and that the second phase's probabilities equal their closed form.
#[test]
fn a_first_phase_estimates_moments_without_bias() {
    for (sampled, known) in SHAPES {
        for replacement in [false, true] {
            let layout = layout(sampled, known);
            let (panels, slots) = (layout.sampled_panels(), layout.sampled_slots());
            for budget in 2..panels {
                let learner = Ddaerr {
                    moments: MomentSource::TwoPhase,
                    phase1: 2.0,
                    centre: Centre::None,
                    replacement,
                    horizon: Some(10),
                    smoothing: 0.3,
                    ..Ddaerr::default()
                };
                let recipe = || learner.recipe(Reads { budget, panels }).unwrap();
                let start =
                    Sgd::<halfseen_solve::iterate::L2Ball>::new(recipe(), &layout, None).unwrap();
                let mut stream = Stream::new(5, Purpose::Data, budget as u64);
                let examples: Vec<(Vec<f64>, f64)> =
                    (0..2).map(|_| example(layout.slots(), &mut stream)).collect();
                let mut means = vec![0.0; slots];
                let sampler = start.state.drawing.sampler().unwrap().clone();
                for (panels, share) in gradient_draws(panels, &sampler) {
                    // The same draws twice: the estimate is linear in the answers.
                    let mut sgd = start.clone();
                    for (x, _) in &examples {
                        for &panel in &panels {
                            for slot in layout.slots_of(panel) {
                                let value = x[layout.column(slot)];
                                sgd.state.drawing.see(slot, sampler.coefficient(panel), value);
                            }
                        }
                    }
                    means
                        .iter_mut()
                        .zip(sgd.state.drawing.estimates(examples.len() as u64))
                        .for_each(|(m, a)| *m += share * a);
                }
                for (slot, mean) in means.iter().enumerate() {
                    let column = layout.column(slot);
                    let truth =
                        0.5 * examples.iter().map(|(x, _)| x[column] * x[column]).sum::<f64>();
                    assert_close(*mean, truth, 1.0 + truth, "E A");
                }
                // Through ask and tell: A by hand from the queries, then q proportional to sqrt(A +
                // c eps L^2).
                let (mut sgd, mut tally, mut largest) = (start.clone(), vec![0.0; slots], 0.0_f64);
                for (x, y) in &examples {
                    let query = sgd.ask().unwrap();
                    for read in query.reads.iter().filter(|r| r.role == ReadRole::Gradient) {
                        for slot in layout.slots_of(read.panel as usize) {
                            let square = x[layout.column(slot)].powi(2);
                            tally[slot] += 0.5 * panels as f64 / (budget - 1) as f64 * square;
                            largest = largest.max(square);
                        }
                    }
                    sgd.tell(&query, &answer(&layout, &query, x), *y).unwrap();
                }
                assert_eq!(sgd.state.drawing.version, 1);
                let draws = 2.0 * (budget - 1) as f64;
                let eps = panels as f64 * (2.0 * slots as f64 / learner.confidence).ln() / draws;
                let root = |p: usize| {
                    layout.slots_of(p).map(|s| tally[s] + 0.3 * eps * largest).sum::<f64>().sqrt()
                };
                let total: f64 = (0..panels).map(root).sum();
                let sampler = sgd.state.drawing.sampler().unwrap();
                for p in 0..panels {
                    let share = ((budget - 1) as f64 * root(p) / total).min(if replacement {
                        f64::MAX
                    } else {
                        1.0
                    });
                    // Below the cap of 1 the inclusion probability is proportional.
                    if (0..panels).all(|p| (budget - 1) as f64 * root(p) / total < 1.0)
                        || replacement
                    {
                        assert_close(
                            1.0 / sampler.coefficient(p),
                            share,
                            1.0,
                            "q of the second phase",
                        );
                    }
                }
            }
        }
    }
}
