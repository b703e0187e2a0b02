//! Chooses the kernels (r, j) with explicit features; the others are sketched.
//!
//! **Rule**: tensors sketched together into B buckets have a variance proportional to M^2 / B,
//! where M is the sum of their k(x, x). This equals the best split of the buckets among them, for
//! any row. An explicit kernel removes its mass from M and its features from B. Greedily, the
//! kernel that lowers M^2 / B most is made explicit, while one lowers it. Masses are those of a row
//! that shows half of its columns, where t^2 = |e|^2 = d / 4.

use super::Written;

/// Sketched kernel (r, j) of weight a_r binom(r, j).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Term {
    /// r - j, the exponent of t.
    pub(super) power: i32,
    pub(super) root: f64,
    /// j, the number of factors e.
    pub(super) order: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    pub(super) explicit: Vec<Written>,
    pub(super) sketched: Vec<Term>,
    pub(super) buckets: usize,
}

pub(super) fn plan(columns: usize, weights: &[f64], features: usize) -> Plan {
    let terms = terms(weights);
    // In logarithms, since (d / 4)^r may overflow; only shares matter.
    let level = (columns as f64 / 4.0).ln();
    let logs: Vec<f64> = terms
        .iter()
        .map(|t| 2.0 * t.root.ln() + level * (t.power as f64 + t.order as f64))
        .collect();
    let largest = logs.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
    let masses: Vec<f64> = logs.iter().map(|l| (l - largest).exp()).collect();
    let cost = |term: &Term| match term.order {
        0 => columns,
        1 => columns.saturating_mul(columns),
        _ => usize::MAX,
    };
    let mut written = vec![false; terms.len()];
    let mut free = features;
    // Summed anew, since a difference of sums would leave rounding errors.
    let mass = |written: &[bool]| {
        masses.iter().zip(written).filter(|(_, w)| !**w).map(|(m, _)| m).sum::<f64>()
    };
    loop {
        let now = mass(&written).powi(2) / free as f64;
        let mut best: Option<(f64, usize)> = None;
        for at in 0..terms.len() {
            if written[at] || cost(&terms[at]) >= free {
                continue;
            }
            written[at] = true;
            let then = mass(&written).powi(2) / (free - cost(&terms[at])) as f64;
            written[at] = false;
            if then < best.map_or(now, |b| b.0) {
                best = Some((then, at));
            }
        }
        let Some((_, at)) = best else { break };
        written[at] = true;
        free -= cost(&terms[at]);
    }
    let of = |wanted: bool| {
        terms.iter().zip(&written).filter(move |(_, w)| **w == wanted).map(|(t, _)| *t)
    };
    let explicit =
        of(true).map(|t| Written { power: t.power, root: t.root, across: t.order == 1 }).collect();
    Plan { explicit, sketched: of(false).collect(), buckets: friendly(free) }
}

fn terms(weights: &[f64]) -> Vec<Term> {
    let mut terms = Vec::new();
    for (r, &a) in weights.iter().enumerate() {
        let mut binomial = 1.0;
        for j in 0..=r {
            let root = a.sqrt() * f64::sqrt(binomial);
            if root > 0.0 {
                terms.push(Term { power: (r - j) as i32, root, order: j });
            }
            binomial *= (r - j) as f64 / (j + 1) as f64;
        }
    }
    terms
}

/// Returns the largest number up to `most` without prime factors above 5, for fast transforms.
fn friendly(most: usize) -> usize {
    let smooth = |mut n: usize| {
        for prime in [2, 3, 5] {
            while n.is_multiple_of(prime) {
                n /= prime;
            }
        }
        n == 1
    };
    // Even lengths are twice as fast, and close by.
    (1..=most).rev().find(|&n| smooth(n) && (n.is_multiple_of(2) || most < 4)).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_the_terms_sum_to_the_kernel() {
        let (weights, t, e) = ([0.5, 2.0, 0.0, 1.5], 1.3_f64, 0.7_f64);
        let sum: f64 = terms(&weights)
            .iter()
            .map(|k| k.root * k.root * t.powi(k.power) * e.powi(k.order as i32))
            .sum();
        let f: f64 = weights.iter().enumerate().map(|(r, a)| a * (t + e).powi(r as i32)).sum();
        assert!((sum - f).abs() < 1e-12 * f);
    }

    #[test]
    fn what_is_written_out_fits_and_pays() {
        for (columns, gamma, features) in
            [(20, 3, 2048), (50, 2, 2048), (50, 4, 256), (1000, 2, 2048), (9, 64, 4096)]
        {
            let weights = vec![1.0; gamma];
            let plan = plan(columns, &weights, features);
            assert_eq!(plan.explicit.len() + plan.sketched.len(), gamma * (gamma + 1) / 2);
            let written: usize = plan
                .explicit
                .iter()
                .map(|w| if w.across { columns * columns } else { columns })
                .sum();
            assert!(written + plan.buckets <= features && plan.buckets > 0);
            assert!(
                10 * plan.buckets > 9 * (features - written),
                "{} of {}",
                plan.buckets,
                features - written
            );
            assert!(plan.sketched.iter().any(|t| t.order > 0));
        }
        // t^r x of the highest r, the largest mass, is among them if features are many.
        let plan = plan(20, &[1.0; 3], 1024);
        assert!(plan.explicit.contains(&Written { power: 2, root: 1.0, across: false }));
        assert!(plan.explicit.iter().any(|w| w.across), "{plan:?}");
    }

    #[test]
    fn lengths_of_transforms_are_smooth() {
        let expected = [(1, 1), (2, 2), (3, 3), (7, 6), (2048, 2048), (2047, 2000), (1998, 1944)];
        expected.iter().for_each(|&(most, length)| assert_eq!(friendly(most), length));
    }
}
