//! Computes both objectives at a pair of points, for the certified gap.

use faer::MatRef;

/// Primal and dual point with their objectives.
#[derive(Debug, Clone)]
pub(super) struct Certificate {
    pub(super) weights: Vec<f64>,
    pub(super) bias: f64,
    pub(super) multipliers: Vec<f64>,
    pub(super) objective: f64,
    pub(super) gap: f64,
}

impl Certificate {
    /// Keeps the better of two primal and of two dual points.
    pub(super) fn merge(&mut self, new: Certificate) {
        let duals = [self.objective - self.gap, new.objective - new.gap];
        if duals[1] >= duals[0] {
            self.multipliers = new.multipliers;
        }
        if new.objective <= self.objective {
            (self.weights, self.bias, self.objective) = (new.weights, new.bias, new.objective);
        }
        self.gap = (self.objective - duals[0].max(duals[1])).max(0.0);
    }
}

/// Evaluates P(w, b) with the best b, and D of beta made feasible.
pub(super) fn certify(
    rows: MatRef<'_, f64>,
    signs: &[f64],
    costs: &[f64],
    margins: &[f64],
    weights: Vec<f64>,
    beta: &[f64],
) -> Certificate {
    let mut scores = vec![0.0; signs.len()];
    for (j, w) in weights.iter().enumerate() {
        scores.iter_mut().enumerate().for_each(|(i, z)| *z += w * rows[(j, i)]);
    }
    let bias = best_bias(&scores, signs, costs, margins);
    let loss = |i: usize| costs[i] * (margins[i] - signs[i] * (scores[i] + bias)).max(0.0);
    let objective = 0.5 * square(&weights) + (0..signs.len()).map(loss).sum::<f64>();

    let multipliers = feasible(beta, signs, costs);
    let mut image = vec![0.0; rows.nrows()];
    for (j, v) in image.iter_mut().enumerate() {
        *v = multipliers.iter().enumerate().map(|(i, b)| b * signs[i] * rows[(j, i)]).sum();
    }
    let dual =
        multipliers.iter().zip(margins).map(|(b, s)| b * s).sum::<f64>() - 0.5 * square(&image);
    // beta = 0 is feasible, with objective 0.
    let (dual, multipliers) =
        if dual > 0.0 { (dual, multipliers) } else { (0.0, vec![0.0; beta.len()]) };
    Certificate { weights, bias, multipliers, objective, gap: (objective - dual).max(0.0) }
}

/// Returns the b that minimises the sum of c_i [s_i - y_i (z_i + b)]_+, the middle of an interval.
///
/// The sum is convex and piecewise linear. Its slope starts at minus the costs of the positive
/// examples and grows by c_i at y_i s_i - z_i, where a positive example becomes satisfied or a
/// negative one violated.
pub(crate) fn best_bias(scores: &[f64], signs: &[f64], costs: &[f64], margins: &[f64]) -> f64 {
    let mut kinks: Vec<(f64, f64)> =
        (0..signs.len()).map(|i| (signs[i] * margins[i] - scores[i], costs[i])).collect();
    kinks.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let total: f64 = costs.iter().sum();
    let positive: f64 = costs.iter().zip(signs).filter(|(_, y)| **y > 0.0).map(|(c, _)| c).sum();
    let rounding = 1e-13 * total;
    let mut passed = 0.0;
    for (at, (kink, cost)) in kinks.iter().enumerate() {
        passed += cost;
        if passed >= positive - rounding {
            // Constant until the next kink if the slope is now 0.
            let next = if passed <= positive + rounding { kinks.get(at + 1) } else { None };
            return next.map_or(*kink, |next| kink + 0.5 * (next.0 - kink));
        }
    }
    kinks.last().map_or(0.0, |k| k.0)
}

/// Clips beta to its bounds, and scales the heavier class down until sum_i y_i beta_i = 0.
fn feasible(beta: &[f64], signs: &[f64], costs: &[f64]) -> Vec<f64> {
    let mut beta: Vec<f64> = beta.iter().zip(costs).map(|(b, c)| b.clamp(0.0, *c)).collect();
    let mass = |sign: f64| {
        beta.iter().zip(signs).filter(|(_, y)| **y == sign).map(|(b, _)| b).sum::<f64>()
    };
    let (plus, minus) = (mass(1.0), mass(-1.0));
    let (heavier, ratio) = if plus > minus { (1.0, minus / plus) } else { (-1.0, plus / minus) };
    if plus != minus {
        beta.iter_mut().zip(signs).filter(|(_, y)| **y == heavier).for_each(|(b, _)| *b *= ratio);
    }
    beta
}

fn square(vector: &[f64]) -> f64 {
    vector.iter().map(|v| v * v).sum()
}
