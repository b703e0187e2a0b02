//! Tests the promised properties of the matrices of the three repairs.

use super::*;

/// Makes moments of few examples, with eigenvalues of both signs.
fn indefinite(seed: u64) -> Reduced {
    let layout = Arc::new(Layout::singletons(20));
    let mut stream = Stream::new(seed, Purpose::Data, 1);
    let mut gatherer = Gatherer::new(&MomentLasso { seed, ..baseline(4) }, &layout, None).unwrap();
    for _ in 0..300 {
        let (x, y) = example(&layout, &mut stream);
        let query = gatherer.ask().unwrap();
        gatherer.tell(&query, &answer(&layout, &query, &x), y).unwrap();
    }
    gatherer.reduced().unwrap()
}

fn objective(moments: &Reduced, gram: &Mat<f64>, w: &[f64]) -> f64 {
    let n = w.len();
    let square: f64 = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| w[i] * gram[(i, j)] * w[j])
        .sum();
    square - 2.0 * w.iter().zip(&moments.cross).map(|(w, c)| w * c).sum::<f64>() + moments.constant
}

fn matrix_of(ball: &Ball, n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| ball.quadratic().column(j)[i])
}

#[test]
fn convex_readings_are_convex_nearest_and_certified() {
    for seed in 0..5 {
        let moments = indefinite(seed);
        let n = moments.slots.len();
        let before = eigenvalues(&moments.gram).unwrap();
        let (least, largest) =
            before.iter().fold((0.0_f64, 0.0_f64), |(a, b), &v| (a.min(v), b.max(v)));
        assert!(least < -0.1 * largest, "the check must have seen an indefinite matrix");
        for reading in [MomentRepair::Psd, MomentRepair::DiagShift] {
            let ball = Ball::new(&moments, reading).unwrap();
            let gram = matrix_of(&ball, n);
            let after = eigenvalues(&gram).unwrap();
            assert!(after.iter().all(|v| *v > -1e-12 * largest), "{reading:?}");
            match reading {
                // A projection on a cone: the added part is in the cone, and orthogonal to the
                // result.
                MomentRepair::Psd => {
                    let added = &gram - &moments.gram;
                    assert!(eigenvalues(&added).unwrap().iter().all(|v| *v > -1e-12 * largest));
                    let inner: f64 = (0..n)
                        .map(|j| (0..n).map(|i| added[(i, j)] * gram[(i, j)]).sum::<f64>())
                        .sum();
                    assert!(inner.abs() < 1e-10 * largest * largest);
                }
                _ => {
                    let lowest = after.iter().fold(f64::INFINITY, |a, &v| a.min(v));
                    assert!(lowest.abs() < 1e-12 * largest, "no more is added than is needed");
                }
            }
            let limits = Limits { gap: 1e-7, steps: 1_000_000 };
            let mut stream = Stream::new(seed, Purpose::Data, 2);
            let radii = [0.3, 1.0, 4.0];
            for (radius, end) in
                radii.iter().zip(ball.minimise(radii.iter().map(|r| (*r, limits)), &Silent))
            {
                assert_eq!(end.stop, Stop::Tolerance);
                assert!(
                    end.gap <= limits.gap
                        && end.weights.iter().map(|w| w.abs()).sum::<f64>() <= radius * 1.000001
                );
                assert!((end.objective - objective(&moments, &gram, &end.weights)).abs() < 1e-10);
                for _ in 0..300 {
                    let mut point: Vec<f64> =
                        end.weights.iter().map(|w| w + 0.3 * stream.normal()).collect();
                    onto_l1_ball(&mut point, *radius);
                    assert!(objective(&moments, &gram, &point) >= end.objective - end.gap - 1e-10);
                }
                // A plain solver gets as low, and no lower.
                let (mut w, size) =
                    (vec![0.0; n], 0.5 / after.iter().fold(0.0_f64, |a, &v| a.max(v)));
                for _ in 0..20_000 {
                    let product = |i: usize| (0..n).map(|j| gram[(i, j)] * w[j]).sum::<f64>();
                    let gradient: Vec<f64> =
                        (0..n).map(|i| 2.0 * (product(i) - moments.cross[i])).collect();
                    w.iter_mut().zip(&gradient).for_each(|(w, g)| *w -= size * g);
                    onto_l1_ball(&mut w, *radius);
                }
                let plain = objective(&moments, &gram, &w);
                assert!(
                    end.objective <= plain + limits.gap + 1e-10
                        && plain >= end.objective - end.gap - 1e-10
                );
            }
        }
    }
}

#[test]
fn the_stationary_reading_descends_to_a_stationary_point() {
    for seed in 0..5 {
        let moments = indefinite(seed);
        let largest =
            eigenvalues(&moments.gram).unwrap().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let ball = Ball::new(&moments, MomentRepair::Stationary).unwrap();
        let at = |radius: f64, steps: u64| {
            ball.minimise([(radius, Limits { gap: 1e-9, steps })].into_iter(), &Silent)
                .next()
                .unwrap()
        };
        for radius in [0.3, 2.0] {
            let mut before = moments.constant;
            for steps in 1..60 {
                let end = at(radius, steps);
                assert!(
                    end.objective <= before + 1e-12,
                    "step {steps}: {} after {before}",
                    end.objective
                );
                before = end.objective;
            }
            assert_eq!(at(radius, 1).stop, Stop::IterationLimit);
            let end = at(radius, 200_000);
            assert_eq!(end.stop, Stop::Stationary);
            assert!(
                (end.objective - objective(&moments, &moments.gram, &end.weights)).abs() < 1e-10
            );
            // A further step changes nothing.
            let n = end.weights.len();
            let product =
                |i: usize| (0..n).map(|j| moments.gram[(i, j)] * end.weights[j]).sum::<f64>();
            let mut next: Vec<f64> = (0..n)
                .map(|i| end.weights[i] - (product(i) - moments.cross[i]) / largest)
                .collect();
            onto_l1_ball(&mut next, radius);
            let moved: f64 = next.iter().zip(&end.weights).map(|(a, b)| (a - b).powi(2)).sum();
            assert!(moved.sqrt() < 1e-4, "the residual is {}", moved.sqrt());
        }
    }
}

#[test]
fn what_was_seen_in_no_product_has_no_weight_in_the_nearest_matrix() {
    // Slot 0 is never zero, and its partner always is: v_0 grows, row 0 of A stays zero.
    let layout = Arc::new(Layout::singletons(4));
    let learner = MomentLasso { centre: Centre::None, intercept: false, ..baseline(2) };
    let mut gatherer = Gatherer::new(&learner, &layout, None).unwrap();
    for (panels, x, y) in [([0, 3], [2.0, 1.0, 1.0, 0.0], 3.0), ([1, 2], [2.0, 1.0, 1.0, 0.0], 1.0)]
    {
        gatherer = tell_all(&gatherer, &[panels.to_vec()], &x, y).pop().unwrap();
    }
    let moments = gatherer.reduced().unwrap();
    assert_eq!((&moments.slots[..], &moments.unseen[..]), (&[0, 1, 2][..], &[0][..]));
    assert!(moments.cross[0] > moments.cross[1]);
    let limits = Limits { gap: 1e-9, steps: 1000 };
    let weights = |reading| {
        let ball = Ball::new(&moments, reading).unwrap();
        ball.minimise([(1.0, limits)].into_iter(), &Silent).next().unwrap().weights
    };
    let (nearest, literal) = (weights(MomentRepair::Psd), weights(MomentRepair::Stationary));
    assert!(nearest[0] == 0.0 && nearest[1] > 0.0, "{nearest:?}");
    assert!(literal[0] > 0.0, "as it is, the problem falls furthest there: {literal:?}");
}

#[test]
fn moments_of_nothing_have_every_reading() {
    let layout = Arc::new(Layout::singletons(3));
    let moments = Gatherer::new(&baseline(2), &layout, None).unwrap().reduced().unwrap();
    assert!(moments.slots.is_empty());
    for reading in [MomentRepair::Stationary, MomentRepair::Psd, MomentRepair::DiagShift] {
        let ball = Ball::new(&moments, reading).unwrap();
        let end = ball
            .minimise([(1.0, Limits { gap: 0.0, steps: 10 })].into_iter(), &Silent)
            .next()
            .unwrap();
        assert!(end.stop.converged() && end.weights.is_empty() && end.gap == 0.0, "{reading:?}");
    }
}

/// Products of two slots were never read; of one the size is known, and so its variance.
#[test]
fn a_slot_of_known_size_is_not_unseen() {
    let mut moments = indefinite(0);
    moments.unseen = vec![1, 2];
    let nameless = moments.slots[2];
    let own =
        moments.in_own_units(|slot| if slot == nameless { 0.0 } else { 2.0 }, Some((0.1, 1.0)));
    assert_eq!(own.unseen, [2]);
    let gram = matrix_of(&Ball::new(&own, MomentRepair::Psd).unwrap(), own.slots.len());
    assert!(gram[(1, 1)] > 0.1 && gram[(2, 2)].abs() < 1e-9, "{} {}", gram[(1, 1)], gram[(2, 2)]);
}
