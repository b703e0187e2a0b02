//! Maximises a concave quadratic over the simplex, two coordinates at a time.
//!
//! Each step takes the pair of largest gain that contains the steepest coordinate (second-order
//! selection; Fan, Chen and Lin, JMLR 6, 2005).

/// Maximises <linear, a> - (q / 2) a' G a over a >= 0, sum a = 1, from a feasible a. Stops when no
/// coordinate's slope exceeds that of a positive one by more than `tolerance`, which bounds the
/// remaining gain, or after `most` steps.
pub(super) fn maximise(
    gram: &[Vec<f64>],
    q: f64,
    linear: &[f64],
    a: &mut [f64],
    tolerance: f64,
    steps: usize,
) {
    let n = a.len();
    let used: Vec<usize> = (0..n).filter(|&j| a[j] > 0.0).collect();
    let image = |i: usize| used.iter().map(|&j| gram[i][j] * a[j]).sum::<f64>();
    let mut slope: Vec<f64> = (0..n).map(|i| linear[i] - q * image(i)).collect();
    for _ in 0..steps {
        let to = (1..n).fold(0, |best, i| if slope[i] > slope[best] { i } else { best });
        let (mut from, mut length, mut gain, mut worst) = (to, 0.0, 0.0, 0.0_f64);
        for j in (0..n).filter(|&j| a[j] > 0.0) {
            let rise = slope[to] - slope[j];
            if rise > 0.0 {
                worst = worst.max(rise);
                let curvature = q * (gram[to][to] + gram[j][j] - 2.0 * gram[to][j]);
                let step = if curvature > 0.0 { (rise / curvature).min(a[j]) } else { a[j] };
                let gained = step * rise - 0.5 * step * step * curvature.max(0.0);
                if gained > gain {
                    (from, length, gain) = (j, step, gained);
                }
            }
        }
        if from == to || worst <= tolerance {
            return;
        }
        a[to] += length;
        a[from] = if length < a[from] { a[from] - length } else { 0.0 };
        for (i, slope) in slope.iter_mut().enumerate() {
            *slope -= q * length * (gram[i][to] - gram[i][from]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{Purpose, Stream};

    #[test]
    fn the_maximum_has_equal_slopes_where_it_is_used_and_no_larger_ones() {
        let mut stream = Stream::new(2, Purpose::Data, 0);
        for n in [1, 2, 3, 10, 40] {
            let vectors: Vec<Vec<f64>> =
                (0..n).map(|_| (0..5).map(|_| stream.normal()).collect()).collect();
            let dot = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(x, y)| x * y).sum::<f64>();
            let gram: Vec<Vec<f64>> =
                vectors.iter().map(|u| vectors.iter().map(|v| dot(u, v)).collect()).collect();
            let linear: Vec<f64> = (0..n).map(|_| stream.unit()).collect();
            let mut a = vec![0.0; n];
            a[0] = 1.0;
            maximise(&gram, 0.7, &linear, &mut a, 1e-9, 100_000);
            assert!((a.iter().sum::<f64>() - 1.0).abs() < 1e-9 && a.iter().all(|v| *v >= 0.0));
            let slope = |i: usize| linear[i] - 0.7 * (0..n).map(|j| gram[i][j] * a[j]).sum::<f64>();
            let top = (0..n).map(slope).fold(f64::MIN, f64::max);
            for i in (0..n).filter(|&i| a[i] > 0.0) {
                assert!(top - slope(i) < 1e-8, "{n}: {} below {top}", slope(i));
            }
        }
    }
}
