//! Lists the experiments: one file per figure or table.

mod a_figure_1;
mod a_figure_2;
mod a_pairs;
mod b_aesvr;
mod b_figure_1;
mod b_figure_2;
mod beside;
mod c_mnist;
mod c_mnist_56;
mod c_synthetic;
mod c_tables;
mod c_weights;
mod d_figure_1;
mod d_figure_2;
mod d_figure_3;
mod d_sets;
mod d_sizes;
mod d_table_1;
mod dependent;
mod e_figure_1;
mod e_figure_2_digits;
mod e_figure_2_spam;
mod e_noise;
mod e_sanity;
mod fiml;
mod fiml_arms;
mod fiml_report;
mod fiml_tables;
mod greedy;
mod holes;
mod regression;
mod robust;
mod tables;

use crate::arm::Arm;
use crate::run::Context;
use anyhow::Result;

/// How an experiment learns: what its section says, and whether the protocols differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Not at all.
    Nothing,
    /// With settings that are given.
    Fixed,
    /// With settings chosen by cross-validation of predictions within the range of the targets.
    Folds,
    /// With settings chosen by cross-validation of predictions as the papers make them.
    Unclipped,
    /// The same on few splits, on which learners are compared pair by pair.
    Paired,
    /// With settings chosen on a holdout.
    Holdout,
    /// With settings chosen on validation rows under attack, as the section says.
    Attack,
}

/// A figure or table that can be made by name.
pub(crate) struct Experiment {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) title: &'static str,
    /// The letters of the papers that it belongs to; empty: none.
    pub(crate) papers: &'static str,
    /// The flags that its command needs.
    pub(crate) needs: &'static str,
    /// How it learns.
    pub(crate) way: Way,
    /// Its arms, with their grids.
    pub(crate) arms: fn() -> Vec<Arm>,
    /// Runs it, writes its files, and returns its section of the page.
    pub(crate) make: fn(&Context<'_>) -> Result<String>,
    /// Its file, whose header states protocol and grids.
    #[cfg(test)]
    source: &'static str,
}

macro_rules! experiments {
    ($($name:literal $papers:literal $module:ident $way:ident $needs:literal $title:literal)*) => {
        /// All of them, in the order of the page.
        pub(crate) const EXPERIMENTS: &[Experiment] = &[$(Experiment {
            name: $name,
            title: $title,
            papers: $papers,
            needs: $needs,
            way: Way::$way,
            arms: $module::arms,
            make: $module::make,
            #[cfg(test)]
            source: include_str!(concat!(stringify!($module), ".rs")),
        }),*];
    };
}

experiments! {
    "a-figure-1" "A" a_figure_1 Nothing "" "six digits, and what four pixels show of them"
    "a-figure-2" "A" a_figure_2 Unclipped "" "3 against 5 from four pixels, against examples and against attributes read"
    "a-pairs" "A" a_pairs Unclipped " --mnist DIR" "all 45 pairs of digits"
    "b-figure-1" "B" b_figure_1 Unclipped "" "lasso on 3 against 5 from four pixels"
    "b-figure-2" "B" b_figure_2 Unclipped "" "ridge on 3 against 5 from 56 pixels"
    "b-aesvr" "B" b_aesvr Folds "" "the absolute loss by AESVR where some targets are wrong"
    "c-synthetic" "C" c_synthetic Folds "" "draws by second moments where these decay"
    "c-weights" "C" c_weights Folds "" "when two phases pay: three kinds of weights under the same second moments"
    "c-mnist" "C" c_mnist Folds "" "draws by second moments on 3 against 5, from 4 pixels"
    "c-mnist-56" "C" c_mnist_56 Folds "" "draws by second moments on 3 against 5, from 56 pixels"
    "c-tables" "C" c_tables Folds " --data DIR" "draws by second moments on tables"
    "d-figure-1" "D" d_figure_1 Fixed "" "data that complete in two ways, and who can tell their labels"
    "d-figure-2" "D" d_figure_2 Holdout "" "cells hidden one by one: error against the share observed"
    "d-figure-3" "D" d_figure_3 Holdout "" "blocks of columns hidden: error against training rows"
    "d-table-1" "D" d_table_1 Holdout " --data DIR --movielens DIR" "paper D's table of real data with holes"
    "d-sizes" "D" d_sizes Nothing " --data DIR --movielens DIR" "sizes of the data of d-table-1, and how much of them is missing"
    "e-sanity" "E" e_sanity Attack "" "paper E's check: two copies of the label vanish"
    "e-figure-1" "E" e_figure_1 Attack " --mnist DIR --data DIR" "attributes deleted at random, 50 rows to learn from"
    "e-figure-2-spam" "E" e_figure_2_spam Attack " --data DIR" "the greedy adversary on mails, and what learning from all rows at once buys"
    "e-figure-2-digits" "E" e_figure_2_digits Attack " --mnist DIR" "the greedy adversary on 4 against 7"
    "e-noise" "E" e_noise Attack " --mnist DIR" "noise instead of deletions, with a margin that grows like sqrt N"
    "fiml" "" fiml Paired " --mnist DIR --data DIR" "reads that are kept against all published learners with budgets"
    "fiml-report" "" fiml_report Paired " --tables DIR" "the same on tables that are taken as they come"
    "tables" "BC" tables Nothing "" "table 1 of papers B and C with numbers"
}

#[cfg(test)]
mod tests;
