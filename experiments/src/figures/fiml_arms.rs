//! Gives the published learners with budgets, and our own, for images, for tables, and for rows
//! with holes.
//!
//! Published learners have the library's defaults (draws without replacement, running centres, an
//! intercept) and the better of its variants where papers leave a choice: they are to be as good as
//! they can be.

use crate::arm::{Arm, Axes};

/// What data an arm is for: the good region of a grid depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Pixels, divided by 255.
    Images,
    /// Columns, centred and divided by their deviation.
    Table,
    /// The same with holes: learners take what is left of the observed cells.
    Holes,
}

/// What a learner reads, and what it is told beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Attributes drawn alike.
    Uniform,
    /// Attributes drawn by their second moments, which it is given.
    Known,
    /// The same with second moments from a first phase of its own.
    Phases,
    /// Ours.
    Ours,
}

/// An arm, and what it reads.
#[derive(Debug, Clone)]
pub(super) struct Contender {
    pub(super) reads: Reads,
    pub(super) arm: Arm,
}

/// Full and quick.
type Grids = (Axes, Axes);

const RIDGE: Grids = (
    &[(
        "penalty",
        &[
            "1e-5", "3.2e-5", "1e-4", "3.2e-4", "1e-3", "3.2e-3", "1e-2", "3.2e-2", "0.1", "0.32",
            "1",
        ],
    )],
    &[("penalty", &["1e-4", "1e-3", "1e-2", "0.1"])],
);

const AER: [Grids; 2] = [
    (
        &[
            ("radius", &["4", "8", "16", "32"]),
            ("penalty", &["0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
        ],
        &[("radius", &["8", "16"]), ("penalty", &["1x", "3.2x"])],
    ),
    (
        &[
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("penalty", &["0.1x", "0.18x", "0.32x", "0.56x", "1x", "1.8x", "3.2x"]),
        ],
        &[("radius", &["2", "4"]), ("penalty", &["0.32x", "1x"])],
    ),
];

const AERR: [Grids; 2] = [
    (
        &[("radius", &["1", "2", "4", "8", "16", "32"]), ("step", &["1x", "1.8x", "3.2x", "5.6x"])],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"])],
    ),
    (
        &[
            ("radius", &["0.25", "0.5", "1", "2", "4", "8", "16", "32"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"])],
    ),
];

const AELR: [Grids; 2] = [
    (
        &[("radius", &["4", "8", "16", "32"]), ("step", &["1.8x", "3.2x", "5.6x", "10x", "18x"])],
        &[("radius", &["4", "8"]), ("step", &["10x", "32x"])],
    ),
    (
        &[
            ("radius", &["0.5", "1", "2", "4", "8", "16"]),
            ("step", &["1x", "1.8x", "3.2x", "5.6x", "10x", "18x", "32x", "56x"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["3.2x", "10x"])],
    ),
];

/// Without projection the radius matters to theory's step alone.
const PNORM: [Grids; 2] = [
    (
        &[("p", &["3", "4", "6", "auto"]), ("step", &["1x", "1.8x", "3.2x", "5.6x", "10x"])],
        &[("p", &["4", "auto"]), ("step", &["1x", "3.2x"])],
    ),
    (
        &[
            ("p", &["2", "3", "4", "auto"]),
            ("step", &["0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"]),
        ],
        &[("p", &["2", "4"]), ("step", &["1x", "3.2x"])],
    ),
];

const BASELINE: Grids = (
    &[(
        "radius",
        &["0.25", "0.5", "0.7", "1", "1.4", "2", "2.8", "4", "5.6", "8", "11", "16", "32"],
    )],
    &[("radius", &["1", "2", "4"])],
);

const DDAERR: [Grids; 2] = [
    (
        &[
            ("radius", &["1", "2", "4", "8", "16"]),
            ("step", &["1x", "1.8x", "3.2x"]),
            ("inner", &["weights", "moments"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["3.2x"]), ("inner", &["moments"])],
    ),
    (
        &[
            ("radius", &["0.25", "0.5", "1", "2", "4", "8", "16", "32"]),
            ("step", &["0.56x", "1x", "1.8x", "3.2x", "5.6x"]),
            ("inner", &["weights", "moments"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"]), ("inner", &["moments"])],
    ),
];

const DDAELR: [Grids; 2] = [
    (
        &[
            ("radius", &["2", "4", "8", "16"]),
            ("step", &["1.8x", "3.2x", "5.6x", "10x"]),
            ("inner", &["weights", "moments"]),
        ],
        &[("radius", &["4", "8"]), ("step", &["10x"]), ("inner", &["moments"])],
    ),
    (
        &[
            ("radius", &["0.5", "1", "2", "4", "8"]),
            ("step", &["1x", "1.8x", "3.2x", "5.6x", "10x", "18x"]),
            ("inner", &["weights", "moments"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["3.2x", "10x"]), ("inner", &["moments"])],
    ),
];

const DDAERR_2P: [Grids; 2] = [
    (
        &[
            ("radius", &["2", "8", "16"]),
            ("step", &["1.8x", "3.2x", "5.6x"]),
            ("phase1", &["0.03", "0.1", "0.2"]),
            ("smoothing", &["0.01", "0.1"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["3.2x"])],
    ),
    (
        &[
            ("radius", &["0.5", "1", "4", "16"]),
            ("step", &["1x", "1.8x", "3.2x"]),
            ("phase1", &["0.1", "0.3"]),
            ("smoothing", &["0.01", "0.1", "1"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1x"])],
    ),
];

const DDAELR_2P: [Grids; 2] = [
    (
        &[
            ("radius", &["4", "8", "16"]),
            ("step", &["3.2x", "5.6x", "10x"]),
            ("phase1", &["0.1", "0.2"]),
            ("smoothing", &["0.0001", "0.001"]),
        ],
        &[("radius", &["4", "8"]), ("step", &["10x"])],
    ),
    (
        &[
            ("radius", &["1", "2", "4", "8"]),
            ("step", &["1.8x", "3.2x", "5.6x", "10x"]),
            ("phase1", &["0.2", "0.4"]),
            ("smoothing", &["0.01", "0.1", "1"]),
        ],
        &[("radius", &["2", "4"]), ("step", &["3.2x"])],
    ),
];

/// Of what is observed, few cells of a row at a time.
const AERR_PASSIVE: Grids = (
    &[
        ("radius", &["0.5", "1", "2", "4", "8", "16", "32"]),
        ("step", &["0.32x", "0.56x", "1x", "1.8x", "3.2x", "5.6x", "10x"]),
    ],
    &[("radius", &["1", "4"]), ("step", &["1x", "3.2x"])],
);
const AELR_PASSIVE: Grids = (
    &[
        ("radius", &["1", "2", "4", "8", "16", "32", "64"]),
        ("step", &["3.2x", "5.6x", "10x", "18x", "32x", "56x", "100x"]),
    ],
    &[("radius", &["4", "16"]), ("step", &["10x", "32x"])],
);

/// Steps of each attribute's own.
const OWN: [Grids; 2] = [
    (
        &[
            ("radius", &["1", "4", "8", "16"]),
            ("step", &["0.128x", "0.224x", "0.4x", "0.72x", "1.28x", "2.24x", "4x", "7.2x"]),
        ],
        &[("radius", &["1", "4"]), ("step", &["1.28x", "4x"])],
    ),
    (
        &[
            ("radius", &["1", "2", "4", "8", "16"]),
            (
                "step",
                &["0.224x", "0.4x", "0.72x", "1.28x", "2.24x", "4x", "7.2x", "12.8x", "22.4x"],
            ),
        ],
        &[("radius", &["1", "4"]), ("step", &["1.28x", "4x"])],
    ),
];

/// Ridge regression on everything that was observed.
pub(super) fn full(kind: Kind) -> Arm {
    Arm::new("ridge", "ridge")
        .named(&id("ridge", kind, None), "ridge")
        .grids(RIDGE.0, RIDGE.1)
        .with_intercept(true)
}

/// The published learners with this budget, or those that take what is observed.
pub(super) fn published(kind: Kind, budget: usize) -> Vec<Contender> {
    let arm = |name: &'static str, id: &str, label: &str, grids: [Grids; 2]| {
        let (full, quick) = grids[usize::from(kind != Kind::Images)];
        base(name, id, label, kind, budget).grids(full, quick)
    };
    if kind == Kind::Holes {
        let all = [("aerr", "AERR", AERR_PASSIVE), ("aelr", "AELR", AELR_PASSIVE)];
        let all = all
            .map(|(name, label, grids)| arm(name, name, label, [grids; 2]).set("passive", "all"));
        return all.map(|arm| Contender { reads: Reads::Uniform, arm }).into();
    }
    // Between two phases the product is read by moments, which are better wherever known ones were
    // compared.
    let phases = |arm: Arm| arm.set("inner", "moments");
    let own = |arm: Arm| arm.set("step_rule", "adagrad");
    let all = [
        (Reads::Uniform, arm("aer", "aer", "AER", AER)),
        (Reads::Uniform, arm("aerr", "aerr", "AERR", AERR)),
        (Reads::Uniform, own(arm("aerr", "aerr-own", "AERR, AdaGrad", OWN))),
        (Reads::Uniform, arm("aelr", "aelr", "AELR", AELR)),
        (Reads::Uniform, arm("pnorm", "pnorm", "p-norm", PNORM)),
        (
            Reads::Uniform,
            arm("baseline", "baseline", "Baseline", [BASELINE; 2]).set("moment_repair", "psd"),
        ),
        (Reads::Uniform, arm("identity", "identity", "identity", [BASELINE; 2])),
        (Reads::Known, arm("ddaerr", "ddaerr", "DDAERR", DDAERR)),
        (
            Reads::Known,
            own(arm("ddaerr", "ddaerr-own", "DDAERR, AdaGrad", OWN)).set("inner", "moments"),
        ),
        (Reads::Known, arm("ddaelr", "ddaelr", "DDAELR", DDAELR)),
        (Reads::Phases, phases(arm("ddaerr-2p", "ddaerr-2p", "DDAERR, two phases", DDAERR_2P))),
        (Reads::Phases, phases(arm("ddaelr-2p", "ddaelr-2p", "DDAELR, two phases", DDAELR_2P))),
    ];
    all.map(|(reads, arm)| Contender { reads, arm }).into()
}

/// Our own, which tune themselves: how they are called, and `design`. The default comes first. They
/// are linear, as the published learners are.
const OURS: &[(&str, &str)] = &[("fiml", "adaptive"), ("fiml-uniform", "uniform")];

/// Our own with this budget.
pub(super) fn ours(kind: Kind, budget: usize) -> Vec<Contender> {
    let contender = |(label, design): &(&str, &str)| {
        let arm = base("fiml", label, label, kind, budget).set("design", design);
        let arm = arm.set("shape", "linear");
        let arm = if kind == Kind::Holes { arm.set("passive", "all") } else { arm };
        Contender { reads: Reads::Ours, arm }
    };
    OURS.iter().map(contender).collect()
}

fn base(name: &'static str, short: &str, label: &str, kind: Kind, budget: usize) -> Arm {
    let arm = Arm::new(name, label).named(&id(short, kind, Some(budget)), label);
    let arm = if arm.has("centre") { arm.set("centre", "running") } else { arm };
    arm.set("budget", budget).with_intercept(true)
}

fn id(name: &str, kind: Kind, budget: Option<usize>) -> String {
    let kind = match kind {
        Kind::Images => "images",
        Kind::Table => "table",
        Kind::Holes => "holes",
    };
    budget.map_or_else(|| format!("{name}-{kind}"), |k| format!("{name}-{kind}-{k}"))
}
