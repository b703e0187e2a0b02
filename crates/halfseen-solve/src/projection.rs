//! Projects a dense vector onto the Euclidean or l1 ball of a given radius.
//!
//! The projection onto {|w|_1 <= B} shrinks every coordinate by a threshold theta: w_j <- sign(w_j)
//! max(|w_j| - theta, 0) (Duchi, Shalev-Shwartz, Singer and Chandra, ICML 2008).

/// Projects `point` onto the Euclidean ball of this radius.
pub fn onto_l2_ball(point: &mut [f64], radius: f64) {
    let square = sum(point, |v| v * v);
    let length =
        if (1e-200..1e200).contains(&square) { square.sqrt() } else { careful_length(point) };
    if length > radius {
        point.iter_mut().for_each(|v| *v *= radius / length);
    }
}

/// Returns the norm of a vector whose squares overflow or underflow; 0 for a non-finite vector,
/// which has no projection.
fn careful_length(point: &[f64]) -> f64 {
    let largest = point.iter().fold(0.0_f64, |a, v| a.max(v.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return 0.0;
    }
    largest * point.iter().map(|v| (v / largest).powi(2)).sum::<f64>().sqrt()
}

/// Sums a term of each entry in eight partial sums, which fit vector registers.
fn sum(point: &[f64], term: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; 8];
    let chunks = point.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().map(|v| term(*v)).sum();
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(s, v)| *s += term(*v));
    }
    sums.iter().sum::<f64>() + rest
}

/// Projects `point` onto the l1 ball of this radius. O(d).
pub fn onto_l1_ball(point: &mut [f64], radius: f64) {
    onto_l1_ball_in(point, radius, &mut Vec::new());
}

/// Does the same as [`onto_l1_ball`] without allocation once `room` has grown.
pub fn onto_l1_ball_in(point: &mut [f64], radius: f64, room: &mut Vec<f64>) {
    if sum(point, f64::abs) <= radius {
        return;
    }
    room.clear();
    // Zeros are below any threshold.
    room.extend(point.iter().filter(|v| **v != 0.0).map(|v| v.abs()));
    let theta = l1_threshold(room, radius);
    for v in point.iter_mut() {
        *v = (v.abs() - theta).max(0.0).copysign(*v);
    }
}

/// Returns the theta with sum_j max(a_j - theta, 0) = `radius`, for `sizes` a with a larger sum.
///
/// An entry a exceeds theta iff (sum of the entries of at least a) - radius is below a times their
/// number. Bisection by medians finds the last such entry without sorting.
fn l1_threshold(sizes: &mut [f64], radius: f64) -> f64 {
    let (mut above, mut count) = (0.0, 0.0);
    let mut open = sizes;
    while !open.is_empty() {
        let middle = open.len() / 2;
        let (larger, pivot, smaller) = open.select_nth_unstable_by(middle, |a, b| b.total_cmp(a));
        let (sum, number) =
            (above + larger.iter().sum::<f64>() + *pivot, count + middle as f64 + 1.0);
        if sum - radius < *pivot * number {
            (above, count) = (sum, number);
            open = smaller;
        } else {
            open = larger;
        }
    }
    if count == 0.0 { f64::INFINITY } else { (above - radius) / count }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Projection = fn(&mut [f64], f64);
    type Size = fn(&[f64]) -> f64;

    fn l1(v: &[f64]) -> f64 {
        v.iter().map(|x| x.abs()).sum()
    }

    fn l2(v: &[f64]) -> f64 {
        v.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        l2(&a.iter().zip(b).map(|(x, y)| x - y).collect::<Vec<_>>())
    }

    const BALLS: [(Projection, Size); 2] = [(onto_l1_ball, l1), (onto_l2_ball, l2)];

    /// Generates three vectors of one length, with ties and zeros, and a radius.
    fn vectors() -> impl Strategy<Value = (Vec<[f64; 3]>, f64)> {
        let entry = prop_oneof![3 => -5.0..5.0_f64, 1 => Just(1.0), 1 => Just(0.0)];
        let entries = prop::collection::vec([entry.clone(), entry.clone(), entry], 1..40);
        (entries, prop_oneof![Just(1e-6), 0.01..20.0_f64])
    }

    fn project(ball: Projection, v: &[f64], radius: f64) -> Vec<f64> {
        let mut v = v.to_vec();
        ball(&mut v, radius);
        v
    }

    proptest! {
        #[test]
        fn feasible_idempotent_non_expansive_and_optimal((entries, radius) in vectors()) {
            let column = |c: usize| entries.iter().map(|e| e[c]).collect::<Vec<_>>();
            let (u, v, other) = (column(0), column(1), column(2));
            for (ball, size) in BALLS {
                let (p, q) = (project(ball, &u, radius), project(ball, &v, radius));
                prop_assert!(size(&p) <= radius * (1.0 + 1e-9) + 1e-14);
                prop_assert!(distance(&project(ball, &p, radius), &p) <= 1e-9 * radius + 1e-14);
                prop_assert!(distance(&p, &q) <= distance(&u, &v) + 1e-12);
                if size(&u) <= radius {
                    prop_assert_eq!(&p, &u);
                }
                // Variational inequality <u - p, z - p> <= 0 for every z in the ball.
                let shrink = radius / size(&other).max(radius);
                let z: Vec<f64> = other.iter().map(|x| x * shrink).collect();
                let inner: f64 = (0..u.len()).map(|j| (u[j] - p[j]) * (z[j] - p[j])).sum();
                prop_assert!(inner <= 1e-9, "inner {}", inner);
            }
        }

        #[test]
        fn the_threshold_is_that_of_a_sort((entries, radius) in vectors()) {
            let mut sizes: Vec<f64> = entries.iter().map(|e| e[0].abs()).collect();
            prop_assume!(sizes.iter().sum::<f64>() > radius);
            let mut sorted = sizes.clone();
            sorted.sort_unstable_by(|a, b| b.total_cmp(a));
            let (mut sum, mut theta) = (0.0, 0.0);
            for (r, a) in sorted.iter().enumerate() {
                sum += a;
                if (r + 1) as f64 * a > sum - radius {
                    theta = (sum - radius) / (r + 1) as f64;
                }
            }
            prop_assert!((l1_threshold(&mut sizes, radius) - theta).abs() <= 1e-12);
        }
    }

    #[test]
    fn zeros_and_wild_sizes_are_harmless() {
        for (ball, size) in BALLS {
            assert_eq!(project(ball, &[0.0, 0.0], 1.0), [0.0, 0.0]);
            assert_eq!(project(ball, &[], 1.0), Vec::<f64>::new());
            let huge = project(ball, &[1e200, -1e200, 3.0], 2.0);
            assert!(huge.iter().all(|v| v.is_finite()) && size(&huge) <= 2.0 + 1e-9, "{huge:?}");
        }
    }
}
