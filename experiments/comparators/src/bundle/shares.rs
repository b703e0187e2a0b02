//! Computes the best bias for given margins, and the rows' shares in the subgradient there.

use crate::biased::best_bias;

/// Minimum R(w) = min over b of sum_i t_i [1 - y_i b - g_i]_+, with shares that prove it optimal.
pub(super) struct Shares {
    pub(super) bias: f64,
    pub(super) risk: f64,
    /// p_i in [0, t_i]: t_i for losses above 0, 0 for those below; sum_i y_i p_i = 0 if there is a
    /// bias.
    pub(super) shares: Vec<f64>,
}

/// Relative size of a loss below which it counts as 0, at the kink.
const ROUNDING: f64 = 1e-12;

/// Computes the bias, the sum of losses and the shares for margins g_i and weights t_i.
pub(super) fn share(
    margins: &[f64],
    signs: &[f64],
    weight: impl Fn(usize) -> f64,
    intercept: bool,
) -> Shares {
    let bias = if intercept { bias_of(margins, signs, &weight) } else { 0.0 };
    let (mut risk, mut excess) = (0.0, 0.0);
    let mut shares = vec![0.0; margins.len()];
    let mut kinks = [0.0; 2];
    let near = |i: usize| {
        (1.0 - signs[i] * bias - margins[i]).abs()
            <= ROUNDING * (1.0 + bias.abs() + margins[i].abs())
    };
    for (i, share) in shares.iter_mut().enumerate() {
        let loss = 1.0 - signs[i] * bias - margins[i];
        if near(i) {
            kinks[usize::from(signs[i] > 0.0)] += weight(i);
        } else if loss > 0.0 {
            let weight = weight(i);
            (*share, risk, excess) = (weight, risk + weight * loss, excess + weight * signs[i]);
        }
    }
    if !intercept || excess == 0.0 {
        return Shares { bias, risk, shares };
    }
    // Rows at the kink take the share that their side lacks, in equal proportion.
    let lacking = -f64::signum(excess);
    let there = kinks[usize::from(lacking > 0.0)];
    let part = if there > 0.0 { (excess.abs() / there).min(1.0) } else { 0.0 };
    let mut left = excess.abs();
    for i in (0..shares.len()).filter(|&i| signs[i] == lacking && near(i)) {
        shares[i] = part * weight(i);
        left -= shares[i];
    }
    if left > ROUNDING * excess.abs() {
        // Rounding hid a kink: any balanced shares give a valid cut, though not a tight one.
        let heavier =
            shares.iter().zip(signs).filter(|(_, y)| **y != lacking).map(|(p, _)| p).sum::<f64>();
        let factor = (heavier - left) / heavier;
        shares
            .iter_mut()
            .zip(signs)
            .filter(|(_, y)| **y != lacking)
            .for_each(|(p, _)| *p *= factor);
    }
    Shares { bias, risk, shares }
}

fn bias_of(margins: &[f64], signs: &[f64], weight: impl Fn(usize) -> f64) -> f64 {
    // With scores y_i g_i, the loss is 1 - y_i (score + b).
    let scores: Vec<f64> = margins.iter().zip(signs).map(|(g, y)| g * y).collect();
    let weights: Vec<f64> = (0..margins.len()).map(weight).collect();
    best_bias(&scores, signs, &weights, &vec![1.0; margins.len()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfseen_solve::sampling::{Purpose, Stream};

    fn risk(margins: &[f64], signs: &[f64], weights: &[f64], bias: f64) -> f64 {
        margins
            .iter()
            .zip(signs)
            .zip(weights)
            .map(|((g, y), s)| s * (1.0 - y * bias - g).max(0.0))
            .sum()
    }

    #[test]
    fn shares_balance_and_certify_the_bias() {
        let mut stream = Stream::new(1, Purpose::Data, 0);
        for case in 0..300 {
            let m = 1 + stream.below(20);
            let signs: Vec<f64> =
                (0..m).map(|_| if stream.unit() < 0.3 { -1.0 } else { 1.0 }).collect();
            // A third of the cases have many ties.
            let tied = case % 3 == 0;
            let margin = |s: &mut Stream| {
                if tied { (4.0 * s.unit()).floor() - 2.0 } else { 3.0 * s.normal() }
            };
            let margins: Vec<f64> = (0..m).map(|_| margin(&mut stream)).collect();
            // Half of the cases have row weights, some of which are equal.
            let of =
                |s: &mut Stream| if case % 2 == 0 { 1.0 } else { [0.1, 0.2, 0.3, 2.0][s.below(4)] };
            let weights: Vec<f64> = (0..m).map(|_| of(&mut stream)).collect();
            let best = share(&margins, &signs, |i| weights[i], true);
            let expected = risk(&margins, &signs, &weights, best.bias);
            assert!((best.risk - expected).abs() < 1e-9 * (1.0 + expected));
            assert!(best.shares.iter().zip(&weights).all(|(p, s)| (0.0..=*s).contains(p)));
            let balance: f64 = best.shares.iter().zip(&signs).map(|(p, y)| p * y).sum();
            assert!(balance.abs() < 1e-9, "case {case}: {balance}");
            // Balanced shares bound the risk of every bias from below, tightly at this one.
            let bound: f64 = best.shares.iter().zip(&margins).map(|(p, g)| p * (1.0 - g)).sum();
            assert!(
                (bound - expected).abs() < 1e-9 * (1.0 + expected),
                "case {case}: {bound} and {expected}"
            );
            let plain = share(&margins, &signs, |i| weights[i], false);
            assert!((plain.risk - risk(&margins, &signs, &weights, 0.0)).abs() < 1e-9);
        }
    }
}
