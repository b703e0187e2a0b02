//! Lists the experiments: one file per figure or table.

mod a_figure_1;
mod a_figure_2;
mod a_pairs;
mod b_figure_1;
mod b_figure_2;
mod beside;
mod c_mnist;
mod c_mnist_56;
mod c_synthetic;
mod c_tables;
mod c_weights;
mod dependent;
mod regression;
mod tables;

use crate::arm::Arm;
use crate::run::Context;
use anyhow::Result;

/// A figure or table that can be made by name.
pub(crate) struct Experiment {
    /// The name on the command line.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) title: &'static str,
    /// The flags that its command needs.
    pub(crate) needs: &'static str,
    /// Its arms, with their grids.
    pub(crate) arms: fn() -> Vec<Arm>,
    /// Runs it, writes its files, and returns its section of the page.
    pub(crate) make: fn(&Context<'_>) -> Result<String>,
    /// Its file, whose header states protocol and grids.
    #[cfg(test)]
    source: &'static str,
}

macro_rules! experiments {
    ($($name:literal $module:ident $needs:literal $title:literal)*) => {
        /// All of them, in the order of the page.
        pub(crate) const EXPERIMENTS: &[Experiment] = &[$(Experiment {
            name: $name,
            title: $title,
            needs: $needs,
            arms: $module::arms,
            make: $module::make,
            #[cfg(test)]
            source: include_str!(concat!(stringify!($module), ".rs")),
        }),*];
    };
}

experiments! {
    "a-figure-1" a_figure_1 "" "six digits, and what four pixels show of them"
    "a-figure-2" a_figure_2 "" "3 against 5 from four pixels, against examples and against attributes read"
    "a-pairs" a_pairs " --mnist DIR" "all 45 pairs of digits"
    "b-figure-1" b_figure_1 "" "lasso on 3 against 5 from four pixels"
    "b-figure-2" b_figure_2 "" "ridge on 3 against 5 from 56 pixels"
    "c-synthetic" c_synthetic "" "draws by second moments where these decay"
    "c-weights" c_weights "" "when two phases pay: three kinds of weights under the same second moments"
    "c-mnist" c_mnist "" "draws by second moments on 3 against 5, from 4 pixels"
    "c-mnist-56" c_mnist_56 "" "draws by second moments on 3 against 5, from 56 pixels"
    "c-tables" c_tables " --data DIR" "draws by second moments on tables"
    "tables" tables "" "table 1 of papers B and C with numbers"
}

#[cfg(test)]
mod tests;
