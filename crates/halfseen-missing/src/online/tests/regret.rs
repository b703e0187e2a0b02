//! Measures the average regret against the best f_{w,Q} on an adversarial order (Hazan, Livni and
//! Mansour 2015, theorem 3).

use super::*;

/// Returns a symmetric matrix's pseudo-inverse by Jacobi rotations.
fn pseudo_inverse(matrix: &Mat<f64>) -> (Mat<f64>, Vec<f64>) {
    let (values, vectors) = halfseen_solve::eigen(matrix.as_ref()).unwrap();
    let n = matrix.nrows();
    let inverse = |v: f64| if v > 1e-9 { 1.0 / v } else { 0.0 };
    let entry = |i, j| (0..n).map(|k| vectors[(i, k)] * inverse(values[k]) * vectors[(j, k)]).sum();
    (Mat::from_fn(n, n, entry), values)
}

/// Rows in a subspace of rank 2 of R^4 with at most one coordinate missing, and noisy classes of
/// the sign of <w, x>.
struct Low {
    rows: Vec<Vec<f64>>,
    full: Vec<[f64; 4]>,
    classes: Vec<f64>,
    /// Smallest non-zero eigenvalue of any (P_E)_oo.
    kappa: f64,
}

fn low_rank(n: usize, truth: [f64; 4]) -> Low {
    // Orthonormal columns of a Hadamard matrix: leverage 1/2 everywhere, so no coordinate is
    // indispensable.
    let basis = [[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]];
    let projection = Mat::from_fn(4, 4, |i, j| basis.iter().map(|b| b[i] * b[j]).sum::<f64>());
    let mut stream = Stream::new(5, Purpose::Data, 0);
    let mut low = Low { rows: Vec::new(), full: Vec::new(), classes: Vec::new(), kappa: f64::MAX };
    for _ in 0..n {
        let angle = std::f64::consts::TAU * stream.unit();
        let x: [f64; 4] =
            std::array::from_fn(|i| angle.cos() * basis[0][i] + angle.sin() * basis[1][i]);
        let hidden = stream.below(5);
        let row: Vec<f64> = (0..4).map(|i| if i == hidden { f64::NAN } else { x[i] }).collect();
        let seen: Vec<usize> = (0..4).filter(|&i| i != hidden).collect();
        let part = Mat::from_fn(seen.len(), seen.len(), |i, j| projection[(seen[i], seen[j])]);
        let (inverse, values) = pseudo_inverse(&part);
        low.kappa = values.iter().filter(|v| **v > 1e-9).fold(low.kappa, |a, v| a.min(*v));
        // f_{w,Q} = (P_o w)' (Q_oo)^+ (P_o x) equals the product with the complete row.
        let f: f64 = (0..seen.len())
            .flat_map(|i| (0..seen.len()).map(move |j| (i, j)))
            .map(|(i, j)| truth[seen[i]] * inverse[(i, j)] * x[seen[j]])
            .sum();
        let product: f64 = truth.iter().zip(&x).map(|(w, x)| w * x).sum();
        assert!((f - product).abs() < 1e-12, "{f} and {product}");
        let noise = if stream.unit() < 0.1 { -1.0 } else { 1.0 };
        low.classes.push(noise * if f < 0.0 { -1.0 } else { 1.0 });
        low.rows.push(row);
        low.full.push(x);
    }
    low
}

/// Returns the least hinge loss over the sequence of any <w, x> with w in E and |w| <= radius, on a
/// refined grid of the disc.
fn best_loss(low: &Low, counts: &[f64], radius: f64) -> f64 {
    let basis = [[0.5, 0.5, 0.5, 0.5], [0.5, -0.5, 0.5, -0.5]];
    let loss = |a: f64, b: f64| -> f64 {
        let score =
            |x: &[f64; 4]| (0..4).map(|i| (a * basis[0][i] + b * basis[1][i]) * x[i]).sum::<f64>();
        let losses = low.full.iter().zip(&low.classes).zip(counts);
        losses.map(|((x, y), c)| c * (1.0 - y * score(x)).max(0.0)).sum()
    };
    let (mut centre, mut width, mut best) = ((0.0, 0.0), radius, loss(0.0, 0.0));
    for _ in 0..30 {
        let from = centre;
        for i in -10..=10 {
            for j in -10..=10 {
                let (a, b) =
                    (from.0 + width * f64::from(i) / 10.0, from.1 + width * f64::from(j) / 10.0);
                if a.hypot(b) <= radius && loss(a, b) < best {
                    (best, centre) = (loss(a, b), (a, b));
                }
            }
        }
        width *= 0.6;
    }
    best
}

/// Tests theorem 3 on an adversarial order: blocks of one class, each twice as long as the one
/// before, so that the latest lesson is wrong next. The comparator sees every attribute.
#[test]
fn average_regret_falls_below_the_bound_on_an_adversarial_order() {
    let truth = [2.0, 1.0, 2.0, 1.0]; // in E, since x_1 = x_3 and x_2 = x_4 there
    let radius = 10.0_f64.sqrt();
    let low = low_rank(200, truth);
    assert!((low.kappa - 0.5).abs() < 1e-12, "{}", low.kappa);
    let gamma = 4;
    let gram = gram(&low.rows, gamma);
    let largest = (0..200).map(|i| gram[(i, i)]).fold(0.0, f64::max);
    // Section 5.4: Gamma = d + ... + d^gamma, |v|^2 <= gamma |w|^2 for a projection.
    let embedding: f64 = (1..=gamma).map(|k| 4.0_f64.powi(k as i32)).sum();
    let length = gamma as f64 * radius * radius;
    let truncation = radius * (1.0 - low.kappa).powi(gamma as i32) / low.kappa;
    let by_class = |sign: f64| (0..200).filter(|&i| low.classes[i] == sign).collect::<Vec<usize>>();
    let classes = [by_class(1.0), by_class(-1.0)];
    let targets = Outcomes::Numbers(Mat::from_fn(1, 200, |_, i| low.classes[i]));
    let mut points = Vec::new();
    for power in 8..=17 {
        let steps = 1_usize << power;
        let mut order = Vec::with_capacity(steps);
        for block in 0.. {
            let class = &classes[block % 2];
            order.extend((0..1_usize << block).map(|i| class[i % class.len()]));
            if order.len() >= steps {
                break;
            }
        }
        order.truncate(steps);
        let t = steps as f64;
        let rho = (4.0 * largest * (1.0 + t.ln()) / (t * length)).sqrt();
        let hinge = (rho, OnlineLoss::Hinge);
        let pass = Pass::run(&gram, &order, &targets, hinge, &Silent).unwrap();
        let mut counts = vec![0.0; 200];
        order.iter().for_each(|&i| counts[i] += 1.0);
        let regret = (pass.learner.suffered() - best_loss(&low, &counts, radius)) / t;
        let rest = 0.5 * rho * length + truncation;
        let sharp = 2.0 * largest / rho * (1.0 + t.ln()) / t + rest;
        let printed = 2.0 * embedding / rho * (1.0 + t.ln()) / t + rest;
        assert!(regret < sharp && sharp < printed, "T = {t}: {regret}, {sharp}, {printed}");
        points.push((t.ln(), regret));
    }
    // While positive (in the end k_gamma, with more freedom, beats every linear predictor).
    let positive = &points[..6];
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| positive.iter().map(f).sum::<f64>() / 6.0;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1.ln()));
    let slope = mean(&|p| (p.0 - mx) * (p.1.ln() - my)) / mean(&|p| (p.0 - mx).powi(2));
    assert!(
        positive.iter().all(|p| p.1 > 0.0) && slope < -0.35,
        "log-log slope {slope}: {points:?}"
    );
    assert!(points.windows(2).all(|p| p[1].1 < p[0].1), "{points:?}");
}
