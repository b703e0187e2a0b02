//! Compares the formulas with random subspaces, explicit embeddings and hand-computed values.

use super::*;
use crate::error::ErrorKind;
use faer::Mat;
use halfseen_solve::sampling::{Purpose, Stream};

/// Returns orthonormal columns that span a random subspace, (d, r).
fn subspace(d: usize, r: usize, stream: &mut Stream) -> Mat<f64> {
    Mat::from_fn(d, r, |_, _| stream.normal()).qr().compute_thin_Q()
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Returns f^gamma_(w, Q)(x_o) = sum over j < gamma of (P_o w)' (Q_oo)^j (P_o x).
fn truncated(w: &[f64], q: &Mat<f64>, x: &[f64], observed: &[bool], gamma: u64) -> f64 {
    let seen: Vec<usize> = (0..x.len()).filter(|&j| observed[j]).collect();
    let mut power: Vec<f64> = seen.iter().map(|&j| x[j]).collect();
    let mut sum = 0.0;
    for _ in 0..gamma {
        sum += seen.iter().zip(&power).map(|(&j, p)| w[j] * p).sum::<f64>();
        power = seen
            .iter()
            .map(|&i| seen.iter().zip(&power).map(|(&j, p)| q[(i, j)] * p).sum())
            .collect();
    }
    sum
}

#[test]
fn truncation_stays_within_its_bound_with_the_square() {
    let mut stream = Stream::new(3, Purpose::Data, 1);
    let (mut cases, mut nearest) = (0, 0.0_f64);
    for case in 0..300 {
        let (d, r) = (4 + case % 5, 1 + case % 3);
        let u = subspace(d, r, &mut stream);
        let observed: Vec<bool> = (0..d).map(|_| stream.unit() < 0.7).collect();
        let Some(kappa) = kappa(u.as_ref(), &observed).unwrap().regular() else { continue };
        let z: Vec<f64> = (0..r).map(|_| stream.normal()).collect();
        let mut x: Vec<f64> = (0..d).map(|j| (0..r).map(|k| u[(j, k)] * z[k]).sum()).collect();
        let shown: Vec<f64> = (0..d).filter(|&j| observed[j]).map(|j| x[j]).collect();
        x.iter_mut().for_each(|v| *v /= norm(&shown));
        // In E, of length 1, so that <w, x> = f_(w, P_E)(x_o).
        let mut w: Vec<f64> = (0..d).map(|j| u[(j, case % r)]).collect();
        let size = norm(&w);
        w.iter_mut().for_each(|v| *v /= size);
        let exact: f64 = w.iter().zip(&x).map(|(w, x)| w * x).sum();
        let rest = Mat::<f64>::identity(d, d) - &u * u.transpose();
        for gamma in [1, 2, 3, 7, 20] {
            let error = (exact - truncated(&w, &rest, &x, &observed, gamma)).abs();
            let bound = truncation_error(gamma, kappa);
            assert!(
                error <= bound * (1.0 + 1e-9) + 1e-12,
                "case {case}, gamma {gamma}: {error} above {bound}"
            );
            nearest = nearest.max(error / bound.max(1e-9));
            cases += 1;
        }
    }
    // Tested, and not loose.
    assert!(cases > 1000 && nearest > 0.3, "{cases} cases, {nearest}");
}

#[test]
fn the_printed_bound_with_the_singular_value_is_violated() {
    for angle in [0.3_f64, 0.8, 1.2] {
        let u = Mat::from_fn(2, 1, |j, _| if j == 0 { angle.cos() } else { angle.sin() });
        let rest = Mat::<f64>::identity(2, 2) - &u * u.transpose();
        let (w, x, observed) = ([1.0, 0.0], [1.0, angle.tan()], [true, false]);
        let found = kappa(u.as_ref(), &observed).unwrap();
        let singular = angle.cos();
        assert!((found.kappa - singular * singular).abs() < 1e-12 && found.undetermined == 0);
        // f_(w, Q)(x_o) = w_1 x_1 / Q_11.
        let exact = 1.0 / u[(0, 0)].powi(2);
        for gamma in [1, 3, 8] {
            let error = (exact - truncated(&w, &rest, &x, &observed, gamma)).abs();
            let (squared, printed) =
                (truncation_error(gamma, found.kappa), truncation_error(gamma, singular));
            assert!(
                (error / squared - 1.0).abs() < 1e-6,
                "the bound is attained: {error} {squared}"
            );
            assert!(error > 1.01 * printed, "{error} is within the printed {printed}");
        }
    }
}

#[test]
fn a_row_that_is_not_determined_is_counted() {
    let half = 0.5_f64.sqrt();
    let pair = |j: usize, k: usize| if j % 2 == k { half } else { 0.0 };
    let u = Mat::from_fn(4, 2, pair);
    let odd = [true, false, true, false];
    let one = kappa(u.as_ref(), &odd).unwrap();
    assert!((one.kappa - 1.0).abs() < 1e-12 && one.undetermined == 1 && one.regular().is_none());
    let all =
        kappa_over(u.as_ref(), [odd, [true, true, false, false], [true; 4], [false; 4]]).unwrap();
    assert!((all.kappa - 0.5).abs() < 1e-12 && all.undetermined == 2);
    assert!(kappa(u.as_ref(), &[true; 3]).is_err());
    let skew = Mat::from_fn(4, 2, |j, k| pair(j, k) + 0.1);
    assert!(matches!(
        kappa(skew.as_ref(), &odd).unwrap_err().kind(),
        ErrorKind::OutOfRange { name: "basis", .. }
    ));
    let holes = Mat::from_fn(4, 1, |_, _| f64::NAN);
    assert!(kappa(holes.as_ref(), &odd).is_err());
}

/// Returns all sequences over 0..d of lengths 1 to gamma.
fn sequences(d: usize, gamma: u64) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = Vec::new();
    let mut longest: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..gamma {
        longest =
            longest.iter().flat_map(|s| (0..d).map(move |j| [&s[..], &[j]].concat())).collect();
        all.extend(longest.iter().cloned());
    }
    all
}

#[test]
fn the_truncated_sum_is_a_product_in_gamma_dimensions_of_norm_below_gamma() {
    let mut stream = Stream::new(4, Purpose::Data, 2);
    for gamma in 1..=4 {
        let d = 4;
        let all = sequences(d, gamma);
        assert_eq!(all.len() as f64, dimension(d as u64, gamma));
        let u = subspace(d, 2, &mut stream);
        let projection = &u * u.transpose();
        for q in [&Mat::<f64>::identity(d, d) - &projection, projection] {
            let mut w: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let size = norm(&w);
            w.iter_mut().for_each(|w| *w /= size);
            let x: Vec<f64> = (0..d).map(|_| stream.normal()).collect();
            let observed = [true, stream.unit() < 0.5, true, stream.unit() < 0.5];
            let v: Vec<f64> = all
                .iter()
                .map(|s| w[s[0]] * s.windows(2).map(|p| q[(p[0], p[1])]).product::<f64>())
                .collect();
            let phi: Vec<f64> = all
                .iter()
                .map(|s| if s.iter().all(|&j| observed[j]) { x[s[s.len() - 1]] } else { 0.0 })
                .collect();
            let product: f64 = v.iter().zip(&phi).map(|(v, p)| v * p).sum();
            let expected = truncated(&w, &q, &x, &observed, gamma);
            assert!(
                (product - expected).abs() < 1e-12 * (1.0 + expected.abs()),
                "{product} {expected}"
            );
            assert!(norm(&v).powi(2) <= squared_norm(gamma) * (1.0 + 1e-12));
            let count = observed.iter().filter(|o| **o).count() as u64;
            let shown: f64 = (0..d).filter(|&j| observed[j]).map(|j| x[j] * x[j]).sum();
            assert!((norm(&phi).powi(2) - powers(count, gamma) * shown).abs() < 1e-10);
        }
    }
}

#[test]
fn formulas_have_their_values_by_hand() {
    assert_eq!(
        (dimension(3, 2), dimension(1, 5), dimension(10, 3), powers(3, 2)),
        (12.0, 5.0, 1110.0, 4.0)
    );
    assert_eq!(truncation_error(1, 1.0), 0.0);
    assert!((truncation_error(3, 0.5) - 0.25).abs() < 1e-15);
    // log(2 / (0.5 0.1)) / 0.5 = 7.38
    assert_eq!(gamma_for(0.1, 0.5, 1.0), 8);
    // 2^-g / 0.5 <= 0.05: g = 6 gives 0.03125
    assert_eq!(
        (least_gamma(0.05, 0.5, 1.0), least_gamma(0.5, 1.0, 1.0), least_gamma(4.0, 0.5, 1.0)),
        (6, 1, 1)
    );
    assert_eq!((gamma_for(0.1, 0.0, 1.0), gamma_for(1e9, 0.5, 1.0)), (u64::MAX, 1));
    assert!(
        (theorem_1_examples(0.1, 2.0, 12.0, (-1.0_f64).exp()) - 4.0 * 144.0 * 100.0).abs() < 1e-6
    );
    assert!((estimation_error(800.0, 3, 2, 1.0, 1.0) - 0.08_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn the_least_gamma_is_the_least() {
    for kappa in [0.03, 0.1, 0.25, 0.5, 0.9, 1.0] {
        for error in [1e-3, 0.1, 1.0, 30.0] {
            let gamma = least_gamma(error, kappa, 1.0);
            assert!(truncation_error(gamma, kappa) <= error);
            assert!(
                gamma == 1 || truncation_error(gamma - 1, kappa) > error,
                "{kappa} {error}: {gamma}"
            );
            assert!(least_gamma(error / 2.0, kappa, 1.0) <= gamma_for(error, kappa, 1.0));
        }
    }
}

#[test]
fn a_promise_is_kept_by_its_own_bound_and_takes_the_best_gamma() {
    for (dims, kappa, error) in [(5, 0.5, 0.1), (20, 0.9, 0.5), (1, 0.2, 0.3), (100, 1.0, 0.05)] {
        let assumed = Assumed { dims, error, ..Assumed::default() };
        let promise = Promise::new(&assumed, kappa, None, Some(1000)).unwrap();
        let excess =
            |m: f64, g| truncation_error(g, kappa) + estimation_error(m, dims, g, 1.0, 1.0);
        let m = promise.examples.unwrap();
        assert!(
            excess(m, promise.gamma) <= error * (1.0 + 1e-12)
                && excess(m - 2.0, promise.gamma) > error
        );
        for other in 1..40 {
            let fixed = Promise::new(&assumed, kappa, Some(other), None).unwrap();
            assert!(fixed.examples.is_none_or(|other| other >= m), "gamma {other} needs fewer");
            assert_eq!(fixed.examples.is_none(), truncation_error(other, kappa) >= error);
        }
        let after = promise.after.unwrap();
        assert!((after.excess - excess(1000.0, after.gamma)).abs() < 1e-12);
        assert!((1..20).all(|g| excess(1000.0, g) >= after.excess));
        assert_eq!(after.vacuous, after.excess >= 1.0);
        assert!(dims == 1 || m <= promise.printed_examples, "sharper than theorem 1's order");
        assert!((promise.c.unwrap() - tuned_c(m, dims, promise.gamma, 1.0, 1.0)).abs() < 1e-15);
    }
    let nothing = Assumed { dims: 5, error: 1.0, ..Assumed::default() };
    assert!(Promise::new(&nothing, 0.5, None, None).unwrap().vacuous);
    // An infinite number is returned, not an error.
    let far = Promise::new(
        &Assumed { dims: 1000, error: 0.01, ..Assumed::default() },
        1e-6,
        None,
        Some(10),
    )
    .unwrap();
    assert_eq!((far.examples, far.c), (Some(f64::INFINITY), None));
    Promise::new(&assumed_far(), 1e-300, None, Some(1)).unwrap();
    assert!(far.after.unwrap().vacuous);
}

fn assumed_far() -> Assumed {
    Assumed { dims: u64::MAX, error: 1e-300, ..Assumed::default() }
}

#[test]
fn what_cannot_be_is_refused() {
    let assumed = Assumed::default();
    let refused = |assumed: Assumed, kappa: f64, gamma: Option<u64>, examples: Option<u64>| {
        let error = Promise::new(&assumed, kappa, gamma, examples).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OutOfRange { .. }), "{error}");
    };
    for kappa in [0.0, -1.0, 1.5, f64::NAN] {
        refused(assumed, kappa, None, None);
    }
    refused(assumed, 0.5, Some(0), None);
    refused(assumed, 0.5, None, Some(0));
    refused(Assumed { dims: 0, ..assumed }, 0.5, None, None);
    refused(Assumed { error: f64::NAN, ..assumed }, 0.5, None, None);
    refused(Assumed { lipschitz: 0.0, ..assumed }, 0.5, None, None);
    refused(Assumed { norm: f64::INFINITY, ..assumed }, 0.5, None, None);
    refused(Assumed { confidence: 1.0, ..assumed }, 0.5, None, None);
    refused(Assumed { nothing: 0.0, ..assumed }, 0.5, None, None);
}
