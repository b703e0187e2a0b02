//! Gives the arms of paper C: uniform draws, draws by known second moments, and draws by moments learned in a first phase.
//!
//! All draw with replacement and average all iterates (two phases: all of the second), as the papers have it.

use crate::arm::{Arm, Axes};

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

/// AERR, DDAERR with the product's read drawn in three ways, and DDAERR in two phases of four lengths.
pub(super) fn euclidean(budget: usize, grids: Grids) -> Vec<Arm> {
    let known = INNER.map(|inner| {
        let label = format!("DDAERR, product by {inner}");
        base("ddaerr", &label, budget).set("inner", inner).named(&format!("ddaerr-{inner}-{budget}"), &label)
    });
    let uniform = base("aerr", "AERR", budget).named(&format!("aerr-{budget}"), "AERR");
    let one = std::iter::once(uniform).chain(known).map(|arm| arm.grids(grids.one.0, grids.one.1));
    one.chain(phases("ddaerr-2p", "DDAERR", budget, grids)).collect()
}

/// AELR, DDAELR, and DDAELR in two phases of four lengths.
pub(super) fn entropic(budget: usize, grids: Grids) -> Vec<Arm> {
    let one = [("aelr", "AELR"), ("ddaelr", "DDAELR")].map(|(name, label)| {
        base(name, label, budget).named(&format!("{name}-{budget}"), label).grids(grids.one.0, grids.one.1)
    });
    one.into_iter().chain(phases("ddaelr-2p", "DDAELR", budget, grids)).collect()
}

fn phases(name: &'static str, label: &str, budget: usize, grids: Grids) -> impl Iterator<Item = Arm> {
    SHARES.into_iter().map(move |share| {
        let label = format!("{label} after {share} %");
        let arm = base(name, &label, budget).set("phase1", f64::from(share) / 100.0);
        arm.named(&format!("{name}-{share}-{budget}"), &label).grids(grids.two.0, grids.two.1)
    })
}

/// Online gradient descent on all attributes, in the Euclidean ball.
pub(super) fn descent(full: Axes, quick: Axes) -> Arm {
    Arm::new("ogd", "OGD, all attributes").grids(full, quick)
}

fn base(name: &'static str, label: &str, budget: usize) -> Arm {
    Arm::new(name, label).set("budget", budget).set("centre", "none").set("average", "all").set("replacement", true)
}
