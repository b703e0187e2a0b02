//! Describes the arms of an experiment as data: a learner, what is fixed, and the grids that are
//! searched.

use crate::beyond::Search;
use anyhow::{Context, Result};
use halfseen::Learner;
use halfseen::learner::{Assignments, Family, Grid, with};

/// Returns the learner of this name, the library's or a comparator.
///
/// # Errors
/// As [`halfseen::registry::find`].
pub(crate) fn find(name: &str) -> halfseen::Result<Box<dyn Learner>> {
    halfseen_comparators::register();
    halfseen::registry::find(name)
}

/// Parameters, each with the values to try for it.
pub(crate) type Axes = &'static [(&'static str, &'static [&'static str])];

/// Parameters, and the names by which the keys of stored results know them.
const STORED: [(&str, &str); 2] = [("costs", "values"), ("moment_repair", "reading")];

/// One curve or one row of a table.
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    /// The name in result files; unique in its experiment.
    pub(crate) id: String,
    /// The name in figures and tables.
    pub(crate) label: String,
    learner: &'static str,
    fixed: Assignments,
    full: Axes,
    quick: Axes,
    /// Whether of the full grid a coarse part is searched.
    coarse: bool,
    /// Whether the full grid goes on beyond an end that is chosen.
    pub(crate) open: bool,
    /// Whether the arm has an intercept (an attribute that is always known); the target is then
    /// centred.
    pub(crate) intercept: bool,
    /// Whether the setting is chosen on validation rows as they are, even where test rows are
    /// attacked.
    pub(crate) chosen_clean: bool,
    /// Whether the attributes of the rows that test are seen while learning, their targets hidden.
    pub(crate) transductive: bool,
}

impl Arm {
    /// A learner of this name, called so in figures, without intercept where it can have one.
    pub(crate) fn new(learner: &'static str, label: &str) -> Arm {
        let arm = Arm {
            id: learner.to_owned(),
            label: label.to_owned(),
            learner,
            fixed: Vec::new(),
            full: &[],
            quick: &[],
            coarse: false,
            open: false,
            intercept: false,
            chosen_clean: false,
            transductive: false,
        };
        arm.with_intercept(false)
    }

    /// The grids of the full and of the quick protocol.
    pub(crate) fn grids(self, full: Axes, quick: Axes) -> Arm {
        Arm { full, quick, ..self }
    }

    /// Searches a part of the full grid: of its first two axes one value of each third, of the others
    /// the middle one. A grid of one axis is kept whole.
    pub(crate) fn coarse(self) -> Arm {
        Arm { coarse: true, ..self }
    }

    /// Lets the full grid go on beyond an end that is chosen.
    pub(crate) fn going_on(self) -> Arm {
        Arm { open: true, ..self }
    }

    /// Fixes a parameter.
    pub(crate) fn set(mut self, name: &'static str, value: impl ToString) -> Arm {
        self.fixed.retain(|(fixed, _)| *fixed != name);
        self.fixed.push((name, value.to_string()));
        self
    }

    /// Whether the learner has this parameter.
    pub(crate) fn has(&self, name: &str) -> bool {
        find(self.learner).is_ok_and(|l| l.get(name).is_some())
    }

    /// Says whether there is an intercept.
    pub(crate) fn with_intercept(mut self, intercept: bool) -> Arm {
        self.intercept = intercept;
        if self.has("intercept") { self.set("intercept", intercept) } else { self }
    }

    /// Lets it be chosen by rows that nobody attacks.
    pub(crate) fn chosen_on_clean_rows(self) -> Arm {
        Arm { chosen_clean: true, ..self }
    }

    /// Lets it see the attributes of the rows that test: for matrix completion.
    pub(crate) fn seeing_test_rows(self) -> Arm {
        Arm { transductive: true, ..self }
    }

    /// Names the arm apart from others of the same learner.
    pub(crate) fn named(self, id: &str, label: &str) -> Arm {
        Arm { id: id.to_owned(), label: label.to_owned(), ..self }
    }

    /// The learner with what is fixed, for data of `columns` attributes: no more can be read of an
    /// example.
    pub(crate) fn learner(&self, columns: usize) -> Result<Box<dyn Learner>> {
        let place = || format!("arm {}", self.id);
        let mut learner =
            with(find(self.learner).with_context(place)?, &self.fixed).with_context(place)?;
        let budget = learner.get("budget").and_then(|text| text.parse::<usize>().ok());
        if budget.is_some_and(|budget| budget > columns) {
            learner.set("budget", &columns.to_string()).with_context(place)?;
        }
        Ok(learner)
    }

    /// Whether every attribute of every example is read.
    pub(crate) fn sees_all(&self) -> bool {
        find(self.learner).is_ok_and(|l| l.family() == Family::Full)
    }

    /// The settings that tuning searches.
    pub(crate) fn settings(&self, quick: bool) -> Vec<Assignments> {
        self.grid(quick).settings()
    }

    /// A search of the settings, which goes on beyond an end if it may, and the first of them.
    pub(crate) fn search(&self, quick: bool) -> (Search, Vec<Assignments>) {
        Search::new(self.grid(quick), self.open && !quick)
    }

    fn grid(&self, quick: bool) -> Grid {
        let words = |(name, values): (&'static str, Vec<&str>)| {
            (name, values.into_iter().map(str::to_owned).collect())
        };
        Grid(self.axes(quick).into_iter().map(words).collect())
    }

    /// The grid that tuning searches.
    pub(crate) fn axes(&self, quick: bool) -> Vec<(&'static str, Vec<&'static str>)> {
        let axes = if quick { self.quick } else { self.full };
        let part = |(at, (name, values)): (usize, &(&'static str, &'static [&'static str]))| {
            let all = values.len();
            let count = match at {
                _ if quick || !self.coarse || axes.len() == 1 => all,
                0 | 1 => all.min(3),
                _ => 1,
            };
            // The middles of `count` equal parts.
            (*name, (0..count).map(|i| values[(2 * i + 1) * all / (2 * count)]).collect())
        };
        axes.iter().enumerate().map(part).collect()
    }

    /// Everything that decides this arm's results, in one line.
    pub(crate) fn describe(&self, quick: bool) -> String {
        let axes = self.axes(quick);
        let stored = |name| STORED.iter().find(|(own, _)| *own == name).map_or(name, |of| of.1);
        let fixed = self.fixed.iter().map(|(name, value)| format!("{}={value}", stored(*name)));
        let grid = axes.iter().map(|(name, values)| format!("{name} {}", values.join(" ")));
        let chosen = self.chosen_clean.then(|| "chosen on clean rows".to_owned());
        let open = (self.open && !quick).then(|| "goes on".to_owned());
        let sees = self.transductive.then(|| "transductive".to_owned());
        let all: Vec<String> = fixed.chain(grid).chain(chosen).chain(open).chain(sees).collect();
        format!("{}: {}", self.learner, all.join("; "))
    }

    /// The lines of the full grid as a header comment states them.
    #[cfg(test)]
    pub(crate) fn grid_line(&self) -> String {
        let axes = self.axes(false);
        let axes = axes.iter().map(|(name, values)| format!("{name} {}", values.join(" ")));
        format!("{}: {}", self.learner, axes.collect::<Vec<_>>().join("; "))
    }
}

/// `radius=4;step=1x`, as result files and pages show a setting.
pub(crate) fn text(setting: &Assignments) -> String {
    setting.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(";")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coarse_grid_has_one_value_of_each_third_and_the_middle_of_later_axes() {
        let arm = Arm::new("aerr", "AERR").grids(
            &[
                ("radius", &["1", "2", "3", "4", "5", "6", "7", "8"]),
                ("step", &["1x", "2x"]),
                ("smoothing", &["0.1", "0.2", "0.3"]),
            ],
            &[("radius", &["1", "2", "3", "4"])],
        );
        let grid = arm.clone().coarse().grid_line();
        assert_eq!(grid, "aerr: radius 2 5 7; step 1x 2x; smoothing 0.2");
        // What is quick, or has one axis, is as it was; a coarse grid is another result.
        assert_eq!(arm.clone().coarse().settings(true), arm.settings(true));
        assert_ne!(arm.clone().coarse().describe(false), arm.describe(false));
        let single =
            Arm::new("identity", "identity").grids(&[("radius", &["1", "2", "3", "4"])], &[]);
        assert_eq!(single.clone().coarse().settings(false), single.settings(false));
    }
}
