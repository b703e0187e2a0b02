//! Lists the real data with holes of paper D's table: where their rows come from, what the paper has
//! for them, and what is run on them.

use super::holes::{four, geom, karma, mc1, mcb, transductive, zero};
use crate::arm::{Arm, Axes};
use crate::holdout::{Data, Trial};
use crate::holed::Asked;
use crate::problem::Problem;
use crate::run::Context;
use anyhow::Result;

const SHORT: Axes = &[("label_weight", &["1"]), ("rank_penalty", &["0.5", "0.2"])];
const SHORTER: Axes = &[("label_weight", &["1"]), ("rank_penalty", &["0.2"])];
const JOKE: &str = "j5";
const JOKES_RATED: usize = 36;
const USERS: usize = 1000;
const SMALL: usize = 1000;

/// Where the rows of a task come from.
pub(super) enum From {
    /// A file of the folder `--data`, and its target.
    File(&'static str, &'static str),
    Jester,
    MovieLens(Asked),
    Nowhere,
}

/// A row of the table.
pub(super) struct Set {
    pub(super) title: &'static str,
    /// The name in result files.
    pub(super) name: &'static str,
    pub(super) from: From,
    /// karma, 0-imputation, MC-b, MC-1, geom; NaN where the paper has none.
    pub(super) paper: [f64; 5],
    /// Rows, columns, classes (0: numbers) and the share of rows with a missing cell in percent, as
    /// said elsewhere.
    pub(super) said: Option<(&'static str, &'static str, usize, &'static str)>,
}

/// The table, in the paper's order.
pub(super) const SETS: &[Set] = &[
    set(
        "Cleveland",
        "cleveland",
        From::File("cleveland", "num"),
        [0.44, 0.42, 0.48, 0.42, f64::NAN],
        Some(("303", "13", 5, "2.0")),
    ),
    set(
        "dermatology",
        "dermatology",
        From::File("dermatology", "class"),
        [0.03, 0.04, 0.04, 0.04, f64::NAN],
        Some(("366", "34", 6, "2.2")),
    ),
    set(
        "marketing",
        "marketing",
        From::File("marketing", "income"),
        [0.70, 0.71, 0.70, 0.70, f64::NAN],
        Some(("8993", "13", 9, "23.5")),
    ),
    set(
        "MovieLens, occupation",
        "movielens-occupation",
        From::MovieLens(Asked::Occupation),
        [0.81, 0.87, 0.86, 0.87, f64::NAN],
        None,
    ),
    set(
        "Jester",
        "jester",
        From::Jester,
        [0.23, 0.24, 0.27, 0.27, f64::NAN],
        Some(("around 1000", "99", 0, "?")),
    ),
    set("books", "books", From::Nowhere, [0.25, 0.25, 0.25, 0.25, f64::NAN], None),
    set(
        "MovieLens, age",
        "movielens-age",
        From::MovieLens(Asked::Age),
        [0.16, 0.22, 0.25, 0.25, f64::NAN],
        None,
    ),
    set(
        "mammographic",
        "mammographic",
        From::File("mammographic", "Severity"),
        [0.17, 0.17, 0.17, 0.18, 0.17],
        Some(("961", "5", 2, "13.6")),
    ),
    set(
        "bands",
        "bands",
        From::File("bands_keel", "band_type"),
        [0.24, 0.34, 0.41, 0.40, 0.35],
        Some(("539", "19", 2, "32.3")),
    ),
    set(
        "hepatitis",
        "hepatitis",
        From::File("hepatitis", "class"),
        [0.23, 0.17, 0.23, 0.21, 0.22],
        Some(("155", "19", 2, "48.4")),
    ),
    set(
        "Wisconsin",
        "wisconsin",
        From::File("wisconsin", "class"),
        [0.03, 0.03, 0.03, 0.04, 0.04],
        Some(("699", "9", 2, "2.3")),
    ),
    set(
        "horses",
        "horses",
        From::File("horse_colic_368", "surgical_lesion"),
        [0.35, 0.36, 0.55, 0.37, 0.36],
        Some(("368", "23", 2, "98.1")),
    ),
    set(
        "MovieLens, gender",
        "movielens-gender",
        From::MovieLens(Asked::Gender),
        [0.22, 0.26, 0.28, 0.28, 0.25],
        None,
    ),
];

const fn set(
    title: &'static str,
    name: &'static str,
    from: From,
    paper: [f64; 5],
    said: Option<(&'static str, &'static str, usize, &'static str)>,
) -> Set {
    Set { title, name, from, paper, said }
}

/// Completions of many columns.
pub(super) fn short() -> [Arm; 2] {
    let short = |arm: Arm, id: &str, label: &str| {
        arm.named(id, label).grids(SHORT, SHORTER).set("max_iter", 100)
    };
    [short(mcb(), "mcb-short", "MC-b"), short(mc1(), "mc1-short", "MC-1")]
}

impl Set {
    /// Whether there are data anywhere.
    pub(super) fn obtainable(&self) -> bool {
        !matches!(self.from, From::Nowhere)
    }

    /// Its rows; `None` where they are not at hand.
    pub(super) fn load(&self, context: &Context<'_>) -> Result<Option<Problem>> {
        let sources = context.sources;
        Ok(match self.from {
            From::File(file, target) => Some(sources.holed(file, target)?),
            From::Jester => {
                Some(sources.jester(JOKE, JOKES_RATED, USERS, context.protocol.seed)?)
            }
            From::MovieLens(asked) => sources.movielens(asked)?,
            From::Nowhere => None,
        })
    }

    /// karma, 0-imputation, MC-b, MC-1, and geom where it is asked.
    pub(super) fn arms(&self) -> Vec<Arm> {
        let mut arms = match self.from {
            From::MovieLens(_) => [vec![karma(), zero()], short().into()].concat(),
            _ => four(),
        };
        if !self.paper[4].is_nan() {
            arms.push(geom());
        }
        if self.is_small() {
            arms.extend(transductive());
        }
        arms
    }

    /// Whether a table of so few cells that it may be completed anew for each setting.
    pub(super) fn is_small(&self) -> bool {
        let rows = self.said.and_then(|(rows, ..)| rows.parse::<usize>().ok());
        matches!(self.from, From::File(..)) && rows.is_some_and(|rows| rows < SMALL)
    }

    /// What is cheaper here than the full protocol says; empty where nothing is.
    pub(super) fn cheaper(&self) -> String {
        match self.from {
            From::MovieLens(_) => format!(
                "- {}: MC-b and MC-1 try the settings {} alone, with 100 passes each, where other tables have 28 settings: what they come to \
                 may be no more than the constant.\n",
                self.title,
                SHORT
                    .iter()
                    .map(|(name, values)| format!("{name} {}", values.join(" ")))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            _ => String::new(),
        }
    }

    pub(super) fn trial(&self, problem: Problem) -> Trial<'static> {
        let data = Data::Same(Box::new(problem));
        let sizes = Vec::new();
        Trial { name: self.name.into(), data, test_share: 0.2, sizes, arms: self.arms() }
    }
}
