//! Gives the arms of paper C: uniform draws, draws by known second moments, and draws by moments
//! learned in a first phase.
//!
//! All draw with replacement and average all iterates (two phases: all of the second), as the
//! papers have it.

use crate::arm::{Arm, Axes};
use crate::results::Results;
use crate::synthetic::decaying;
use anyhow::Result;
use halfseen_synthetic::{Decay, Weights};

/// Phase 1 in per cent of the examples.
pub(super) const SHARES: [u32; 4] = [5, 10, 20, 50];

/// How the read for the product is drawn.
pub(super) const INNER: [&str; 3] = ["weights", "moments", "mixed"];

/// The grids that the arms of one experiment search: those of one phase, and those of two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grids {
    /// Full and quick.
    pub(super) one: (Axes, Axes),
    /// Full and quick, with `smoothing`.
    pub(super) two: (Axes, Axes),
}

/// AERR, DDAERR with the product's read drawn in three ways, and DDAERR in two phases of four
/// lengths.
pub(super) fn euclidean(budget: usize, grids: Grids) -> Vec<Arm> {
    let known = INNER.map(|inner| {
        let label = format!("DDAERR, product by {inner}");
        base("ddaerr", &label, budget)
            .set("inner", inner)
            .named(&format!("ddaerr-{inner}-{budget}"), &label)
    });
    let uniform = base("aerr", "AERR", budget).named(&format!("aerr-{budget}"), "AERR");
    let one = std::iter::once(uniform).chain(known).map(|arm| arm.grids(grids.one.0, grids.one.1));
    one.chain(phases("ddaerr-2p", "DDAERR", budget, grids)).collect()
}

/// AELR, DDAELR, and DDAELR in two phases of four lengths.
pub(super) fn entropic(budget: usize, grids: Grids) -> Vec<Arm> {
    let one = [("aelr", "AELR"), ("ddaelr", "DDAELR")].map(|(name, label)| {
        base(name, label, budget)
            .named(&format!("{name}-{budget}"), label)
            .grids(grids.one.0, grids.one.1)
    });
    one.into_iter().chain(phases("ddaelr-2p", "DDAELR", budget, grids)).collect()
}

fn phases(
    name: &'static str,
    label: &str,
    budget: usize,
    grids: Grids,
) -> impl Iterator<Item = Arm> {
    SHARES.into_iter().map(move |share| {
        let label = format!("{label} after {share} %");
        let arm = base(name, &label, budget).set("phase1", f64::from(share) / 100.0);
        arm.named(&format!("{name}-{share}-{budget}"), &label).grids(grids.two.0, grids.two.1)
    })
}

/// DDAERR with moments estimated from the reads as they come, AERR and DDAERR with a step of each
/// attribute's own (`own`: their grids), and two phases with the theorem's smoothing.
pub(super) fn adaptive(budget: usize, grids: Grids, own: (Axes, Axes)) -> Vec<Arm> {
    let adagrad = [("aerr", "AERR"), ("ddaerr", "DDAERR")].map(|(name, label)| {
        let label = format!("{label}, AdaGrad");
        let arm = base(name, &label, budget).set("step_rule", "adagrad");
        arm.named(&format!("{name}-adagrad-{budget}"), &label).grids(own.0, own.1)
    });
    let [online, theorem] = unmeasured("ddaerr", "ddaerr-2p", "DDAERR", budget, grids);
    [online].into_iter().chain(adagrad).chain([theorem]).collect()
}

/// The same of the l1 ball, whose steps are of one size.
pub(super) fn adaptive_entropic(budget: usize, grids: Grids) -> [Arm; 2] {
    unmeasured("ddaelr", "ddaelr-2p", "DDAELR", budget, grids)
}

/// Moments estimated as the reads come, and in a first phase as the theorem smooths them.
fn unmeasured(
    online: &'static str,
    two: &'static str,
    label: &str,
    budget: usize,
    grids: Grids,
) -> [Arm; 2] {
    let labels = [format!("{label}, moments online"), format!("{label} after 20 %, c = 4/3")];
    let online = base(online, &labels[0], budget)
        .set("moments", "online")
        .named(&format!("{online}-online-{budget}"), &labels[0]);
    let theorem = base(two, &labels[1], budget).set("phase1", 0.2).set("smoothing", 4.0 / 3.0);
    let theorem = theorem.named(&format!("{two}-theorem-{budget}"), &labels[1]);
    [online, theorem].map(|arm| arm.grids(grids.one.0, grids.one.1))
}

/// What a figure shows of them: uniform draws, known moments, two phases of 20 %, moments online,
/// own steps.
pub(super) fn shown(arms: &[Arm]) -> Vec<&Arm> {
    let hidden = ["-moments-", "-mixed-", "2p-5-", "2p-10-", "2p-50-", "2p-theorem-"];
    arms.iter().filter(|arm| !hidden.iter().any(|part| arm.id.contains(part))).collect()
}

/// What is to be known of own steps.
pub(super) const NO_THEOREM: &str =
    "AdaGrad is projected in the Euclidean norm here, for which its theorem is not stated.";

/// Says where two phases come to clearly less than AERR, to about as much, and to clearly more; of
/// pairs of a place and the part of AERR's excess.
pub(super) fn verdict(parts: &[(String, f64)]) -> String {
    let list = |least: f64, most: f64| {
        let all = parts.iter().filter(|(_, part)| (least..most).contains(part));
        let all: Vec<String> = all.map(|(place, part)| format!("{place} ({part:.2})")).collect();
        if all.is_empty() { "nowhere here".to_owned() } else { all.join(", ") }
    };
    format!(
        "They gain more than 5 %: {}. No matter: {}. They lose more than 5 %: {}.",
        list(0.0, 0.95),
        list(0.95, 1.05),
        list(1.05, f64::INFINITY)
    )
}

/// The median excess of the halved squared error after all examples.
pub(super) fn excess(results: &Results, problem: &str, arm: &str) -> f64 {
    results.end(problem, arm, |row| Some(0.5 * row.squared)).map_or(f64::NAN, |s| s.median)
}

/// That of no weights at all.
pub(super) fn excess_of_nothing(
    decay: Decay,
    weights: Weights,
    columns: usize,
    seed: u64,
) -> Result<f64> {
    let truth = decaying(decay, weights, columns, 8, seed)?.truth;
    Ok(truth.map_or(f64::NAN, |truth| 0.5 * truth.excess(&vec![0.0; columns], 0.0)))
}

/// Online gradient descent on all attributes, in the Euclidean ball.
pub(super) fn descent(full: Axes, quick: Axes) -> Arm {
    Arm::new("ogd", "OGD, all attributes").grids(full, quick)
}

/// An arm as papers B and C define theirs.
pub(super) fn base(name: &'static str, label: &str, budget: usize) -> Arm {
    Arm::new(name, label)
        .set("budget", budget)
        .set("centre", "none")
        .set("average", "all")
        .set("replacement", true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_has_three_sides() {
        let parts = [("a", 0.5), ("b", 1.0), ("c", 2.0), ("d", 0.94)]
            .map(|(place, part)| (place.to_owned(), part));
        let text = verdict(&parts);
        let sides = [
            "more than 5 %: a (0.50), d (0.94).",
            "No matter: b (1.00).",
            "lose more than 5 %: c (2.00).",
        ];
        assert!(sides.iter().all(|side| text.contains(side)), "{text}");
        assert!(verdict(&parts[..1]).contains("No matter: nowhere here."));
    }
}
