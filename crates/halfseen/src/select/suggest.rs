//! Suggests a learner for a task, by rules made from measurements (docs/choose.md).
//!
//! The first rule that applies decides. Rules look at the sizes of the table, its classes and what
//! the user limits. Only if reads are unlimited do they look at missing cells: a limited learner may
//! read nothing for free.

mod reasons;

use super::{Seen, Task};
use crate::data::{Basis, Column, Place, Scale};

/// Facts about a task by which a learner is suggested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Number of rows.
    pub rows: usize,
    /// Number of attributes.
    pub attributes: usize,
    /// Number of columns that learners see: an attribute of text has one for each category.
    pub columns: usize,
    /// Number of classes; 0 for numbers.
    pub classes: usize,
    /// True if cells are missing and will not be imputed.
    pub holes: bool,
    /// True if cells are missing and will be imputed by means.
    pub imputed: bool,
    /// Number of missing cells, if they were counted.
    pub missing: Option<u64>,
    /// True if reads are limited while the examples are collected.
    pub limited: bool,
    /// True if attributes may be deleted at prediction time.
    pub threat: bool,
}

impl Situation {
    /// Describes a task; looks at its cells only if reads are unlimited.
    pub fn of(task: &Task<'_>, limited: bool, threat: bool) -> Situation {
        let except = task.options.except.iter().map(String::as_str).chain([task.target_name]);
        let except: Vec<&str> = except.collect();
        let is_attribute = |column: &&Column| !except.contains(&&*column.name);
        let attributes = || task.table.columns().iter().filter(is_attribute);
        let seen = (!limited).then(|| Seen::of(task.table, &except));
        let width = |column: &Column| match column.place {
            Place::Text(index) if !limited => task.table.text(index).levels.len(),
            _ => 1,
        };
        Situation {
            rows: task.table.rows(),
            attributes: attributes().count(),
            columns: attributes().map(width).sum(),
            classes: task.target.classes().len(),
            holes: seen.as_ref().is_some_and(|seen| seen.rows_with_holes > 0),
            imputed: false,
            missing: seen.map(|seen| seen.cells - seen.observed),
            limited,
            threat,
        }
    }

    /// Returns the situation where missing cells are imputed by means.
    pub fn with_means(self) -> Situation {
        Situation { holes: false, imputed: self.holes, ..self }
    }

    /// Returns true if there are rows enough for a curve of each attribute, and time enough.
    fn has_curves(&self) -> bool {
        self.rows >= ROWS_PER_CURVE.saturating_mul(self.attributes) && self.attributes <= WIDE
    }

    /// Returns true if robust linear programs over curves are tuned in about two minutes or less.
    fn programs_over_curves(&self) -> bool {
        let cells = self.rows.saturating_mul(self.attributes);
        if self.classes == 0 {
            return cells <= CELLS_OF_PROGRAMS;
        }
        let programs = if self.classes > 2 { self.classes } else { 1 };
        cells.saturating_mul(self.attributes).saturating_mul(programs) <= PROGRAMS
    }

    /// Returns true if the joint distribution of all columns is learned within two minutes or so, and
    /// tells more than two classes as well as a linear model.
    fn joint(&self) -> bool {
        let work = self.rows.saturating_mul(self.columns.saturating_mul(self.columns));
        if self.classes <= 2 {
            return work <= JOINT;
        }
        // Each class has a model of its own.
        self.columns <= JOINT_COLUMNS && work.saturating_mul(self.classes) <= JOINT_CLASSES
    }
}

/// Learner for a situation, with the reason and an alternative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Suggestion {
    /// Learner.
    pub learner: &'static str,
    /// Values of parameters that differ from their defaults.
    pub set: &'static [(&'static str, &'static str)],
    /// Scaling of attributes, if not that of the learner.
    pub scale: Option<Scale>,
    /// Functions of each attribute.
    pub basis: Basis,
    /// True if its parameters are best chosen by cross-validation, which reads the whole table, and
    /// there are rows enough for it.
    pub tune: bool,
    /// Situation, in words.
    pub when: &'static str,
    /// Reason, in words.
    pub why: &'static str,
    /// Alternative learner.
    pub instead: &'static str,
    /// Reason to prefer the alternative.
    pub instead_if: &'static str,
}

/// Number of folds by which suggested learners are tuned.
pub const SUGGESTED_FOLDS: usize = 5;

/// Product of the rows and the square of the columns above which the joint distribution of the
/// columns, with holes, takes minutes.
const JOINT: usize = 60_000_000;

/// The same with more than two classes, times the classes, above which a linear model of them is
/// sooner there, and better.
const JOINT_CLASSES: usize = 20_000_000;

/// Number of columns above which a linear model tells more than two classes better from few rows.
const JOINT_COLUMNS: usize = 100;

/// Number of rows with holes above which random features compare them sooner than all pairs.
const SKETCHED: usize = 2_000;

/// Number of attributes above which the Gram matrix of hat functions takes long.
const WIDE: usize = 300;

/// Number of rows per attribute from which curves of every attribute can be learned.
const ROWS_PER_CURVE: usize = 5;

/// Product of the rows, the square of the attributes and the number of programs above which robust
/// linear programs over curves take minutes to tune for classes. More than two have a program each.
const PROGRAMS: usize = 15_000_000;

/// Product of rows and attributes above which they take minutes for numbers.
const CELLS_OF_PROGRAMS: usize = 30_000;

/// Product of rows, columns and classes above which hinge losses of several classes take minutes.
const HINGES: usize = 4_000_000;

/// Rule: a test of situations, what it suggests, and the reason in the numbers of a situation.
type Rule = (fn(&Situation) -> bool, Suggestion, fn(&Situation) -> String);

/// Suggestion without parameters, functions or tuning, to be changed.
const PLAIN: Suggestion = Suggestion {
    learner: "",
    set: &[],
    scale: None,
    basis: Basis::None,
    tune: false,
    when: "",
    why: "",
    instead: "",
    instead_if: "",
};

/// All rules; the first that applies decides, and the last always applies.
const RULES: [Rule; 13] = [
    (
        |s| s.threat && s.has_curves() && s.programs_over_curves(),
        Suggestion {
            learner: "robust-lp",
            scale: Some(Scale::Each),
            basis: Basis::Hats,
            tune: true,
            when: "attributes may be deleted at prediction time, and there are at least 5 rows per attribute; for classes rows x attributes x attributes (x classes, if more than two) are at most 1.5 x 10^7; for numbers rows x attributes at most 30,000",
            why: "it has the least loss under the worst deletions, with a certificate, and curves need fewer attributes",
            instead: "robust-perceptron",
            instead_if: "there are classes, and too many rows for it: one quick pass",
            ..PLAIN
        },
        reasons::curves_under_threat,
    ),
    (
        |s| s.threat,
        Suggestion {
            learner: "robust-lp",
            tune: true,
            when: "attributes may be deleted at prediction time, and there are fewer than 5 rows for each, or the products of the rule above are larger",
            why: "it has the least loss under the worst deletions, with a certificate",
            instead: "robust-perceptron",
            instead_if: "there are classes, and too many rows for it: one quick pass",
            ..PLAIN
        },
        reasons::threat,
    ),
    (
        |s| s.limited,
        Suggestion {
            learner: "fiml",
            when: "the reads of each row are limited",
            why: "it keeps every read, learns how attributes are correlated, and tunes itself on its own reads",
            instead: "ddaelr-2p",
            instead_if: "you want a theorem's guarantee: it had two to four times the error in tests",
            ..PLAIN
        },
        reasons::limited,
    ),
    (
        |s| s.holes && !s.joint() && s.rows > SKETCHED && s.classes > 2,
        Suggestion {
            learner: "mean",
            tune: true,
            when: "cells are missing, in more than 2,000 rows of more than two classes, with over 100 columns or rows x columns x columns x classes above 2 x 10^7",
            why: "it imputes the means itself, and is a linear model of any number of classes, and fast",
            instead: "karma",
            instead_if: "similar rows have similar targets: --set features=sketch:2048 --set loss=squared makes it fast enough",
            ..PLAIN
        },
        reasons::many_rows_of_classes_with_holes,
    ),
    (
        |s| s.holes && !s.joint() && s.rows > SKETCHED,
        Suggestion {
            learner: "karma",
            set: &[("features", "sketch:2048")],
            tune: true,
            when: "cells are missing, in more than 2,000 rows, and rows x columns x columns are more than 6 x 10^7",
            why: "it compares rows by the cells that both show, here by random features, in time linear in the rows",
            instead: "mean",
            instead_if: "you want one weight per attribute: cells are imputed by means",
            ..PLAIN
        },
        reasons::many_rows_with_holes,
    ),
    (
        |s| s.holes && !s.joint(),
        Suggestion {
            learner: "karma",
            tune: true,
            when: "cells are missing, in at most 2,000 rows, and rows x columns x columns are more than 6 x 10^7; or, with more than two classes, columns are more than 100, or the same product times the classes more than 2 x 10^7",
            why: "it compares rows by the cells that both show, whose cost grows slowly with the columns",
            instead: "fiml",
            instead_if: "attributes are correlated, columns are fewer than rows, and minutes do not matter",
            ..PLAIN
        },
        reasons::wide_with_holes,
    ),
    (
        |s| s.holes,
        Suggestion {
            learner: "fiml",
            when: "cells are missing",
            why: "it learns from the observed cells how attributes are correlated, and curves of each",
            instead: "karma",
            instead_if: "cells are missing because of their values, or similar rows have similar targets",
            ..PLAIN
        },
        reasons::holes,
    ),
    (
        |s| s.imputed && s.classes > 2,
        Suggestion {
            learner: "mean",
            tune: true,
            when: "missing cells are imputed by means, and there are more than two classes",
            why: "it imputes the means itself, and is a linear model of any number of classes",
            instead: "karma",
            instead_if: "cells need not be imputed: leave --missing out",
            ..PLAIN
        },
        reasons::imputed_classes,
    ),
    (
        |s| s.classes > 2 && s.rows <= SKETCHED,
        Suggestion {
            learner: "karma",
            tune: true,
            when: "no cell is missing, and there are more than two classes",
            why: "it compares rows, and learns any number of classes",
            instead: "fiml",
            instead_if: "cells will be missing at prediction time",
            ..PLAIN
        },
        reasons::classes,
    ),
    (
        |s| s.classes > 2,
        Suggestion {
            learner: "mean",
            tune: true,
            when: "no cell is missing, and there are more than two classes and 2,000 rows",
            why: "it is a linear model of any number of classes, and fast",
            instead: "karma",
            instead_if: "similar rows have similar targets: --set features=sketch:2048 makes it fast enough",
            ..PLAIN
        },
        reasons::many_rows_of_classes,
    ),
    (
        |s| s.has_curves(),
        Suggestion {
            learner: "ridge",
            basis: Basis::Hats,
            tune: true,
            when: "no cell is missing, and there are at least 5 rows per attribute",
            why: "with everything seen, ridge regression on a curve of each attribute is as good as anything here, and fast",
            instead: "fiml",
            instead_if: "cells will be missing at prediction time",
            ..PLAIN
        },
        reasons::curves,
    ),
    (
        |s| s.rows >= ROWS_PER_CURVE * s.attributes,
        Suggestion {
            learner: "ridge",
            tune: true,
            when: "no cell is missing, and there are more than 300 attributes, with at least 5 rows for each",
            why: "with everything seen, ridge regression is hard to beat, and fast",
            instead: "lasso",
            instead_if: "few attributes matter",
            ..PLAIN
        },
        reasons::many_attributes,
    ),
    (
        |_| true,
        Suggestion {
            learner: "lasso",
            tune: true,
            when: "no cell is missing, and there are fewer than 5 rows per attribute",
            why: "with so few rows few attributes can be weighed: the lasso chooses them",
            instead: "ridge",
            instead_if: "most attributes matter a little",
            ..PLAIN
        },
        reasons::few_rows,
    ),
];

/// Suggests a learner for a situation.
pub fn suggest(situation: &Situation) -> Suggestion {
    let advice = rule(situation).1;
    let cells = situation.rows.saturating_mul(situation.columns);
    let squared = situation.classes > 2 && cells.saturating_mul(situation.classes) > HINGES;
    let set = if advice.learner == "mean" && squared { SQUARED } else { advice.set };
    Suggestion { set, tune: advice.tune && situation.rows >= 10 * SUGGESTED_FOLDS, ..advice }
}

/// Returns the first rule that applies.
fn rule(situation: &Situation) -> &'static Rule {
    let applies = |(applies, ..): &&Rule| applies(situation);
    RULES.iter().find(applies).unwrap_or(&RULES[RULES.len() - 1])
}

impl Situation {
    /// Returns why [`suggest`] suggests its learner, in the numbers of this situation.
    pub fn reason(&self) -> String {
        rule(self).2(self)
    }
}

const SQUARED: &[(&str, &str)] = &[("loss", "squared")];

/// Returns all suggestions, in the order in which they are considered.
pub fn suggestions() -> impl Iterator<Item = &'static Suggestion> {
    RULES.iter().map(|(_, suggestion, _)| suggestion)
}

impl std::fmt::Display for Suggestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}; {}", self.called(), self.when, self.why)?;
        write!(f, "; instead {}, if {}", self.instead, self.instead_if)
    }
}

impl Suggestion {
    /// Returns the learner with what is set besides, in words.
    pub fn called(&self) -> String {
        let mut with: Vec<String> =
            self.set.iter().map(|(n, value)| format!("{n}={value}")).collect();
        with.extend(self.scale.map(|scale| format!("scale={}", scale.name())));
        if self.basis == Basis::Hats {
            with.push("basis=hats".to_owned());
        }
        if with.is_empty() {
            self.learner.to_owned()
        } else {
            format!("{} with {}", self.learner, with.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Matrix, Table, Target};
    use crate::prepare::Options;
    use crate::registry;

    const COMPLETE: Situation = Situation {
        rows: 1_000,
        attributes: 20,
        columns: 20,
        classes: 0,
        holes: false,
        imputed: false,
        missing: Some(0),
        limited: false,
        threat: false,
    };

    #[test]
    fn the_first_rule_that_applies_decides() {
        let cases = [
            (
                Situation { threat: true, limited: true, ..COMPLETE },
                "robust-lp with scale=each, basis=hats",
            ),
            (Situation { threat: true, rows: 99, ..COMPLETE }, "robust-lp"),
            (Situation { threat: true, rows: 1_501, ..COMPLETE }, "robust-lp"),
            (
                Situation { threat: true, rows: 37_500, classes: 2, ..COMPLETE },
                "robust-lp with scale=each, basis=hats",
            ),
            (Situation { threat: true, rows: 37_501, classes: 2, ..COMPLETE }, "robust-lp"),
            (Situation { threat: true, rows: 12_501, classes: 3, ..COMPLETE }, "robust-lp"),
            (Situation { limited: true, ..COMPLETE }, "fiml"),
            (Situation { holes: true, columns: 244, ..COMPLETE }, "fiml"),
            (
                Situation { holes: true, columns: 78, rows: 10_000, ..COMPLETE },
                "karma with features=sketch:2048",
            ),
            (Situation { holes: true, columns: 245, ..COMPLETE }, "karma"),
            (Situation { holes: true, classes: 3, rows: 100, columns: 101, ..COMPLETE }, "karma"),
            (Situation { classes: 3, holes: true, ..COMPLETE }.with_means(), "mean"),
            (Situation { classes: 3, ..COMPLETE }, "karma"),
            (Situation { classes: 4, holes: true, columns: 41, rows: 3_000, ..COMPLETE }, "mean"),
            (Situation { classes: 3, rows: 2_001, ..COMPLETE }, "mean"),
            (COMPLETE, "ridge with basis=hats"),
            (Situation { rows: 10_000, attributes: 301, ..COMPLETE }, "ridge"),
            (Situation { rows: 99, ..COMPLETE }, "lasso"),
        ];
        assert_eq!(cases.len(), RULES.len() + 5, "every rule has a case, and its limits have more");
        for (situation, called) in cases {
            assert_eq!(suggest(&situation).called(), called, "{situation:?}");
        }
    }

    #[test]
    fn reasons_are_of_the_situation_and_name_no_alternatives() {
        let cases = [
            (
                Situation { threat: true, classes: 2, rows: 155, attributes: 19, ..COMPLETE },
                "attributes may be deleted at prediction time, and there are 155 rows for 19 attributes (8.1 per attribute), enough for a curve of each and few enough to tune robust programs over curves",
            ),
            (
                Situation { threat: true, rows: 99, ..COMPLETE },
                "attributes may be deleted at prediction time, and there are 99 rows for 20 attributes (4.9 per attribute), too few for curves",
            ),
            (
                Situation { threat: true, rows: 1_501, ..COMPLETE },
                "attributes may be deleted at prediction time, and 1,501 rows of 20 attributes are too many to tune robust programs over curves",
            ),
            (
                Situation { threat: true, rows: 12_501, classes: 3, ..COMPLETE },
                "attributes may be deleted at prediction time, and 12,501 rows of 20 attributes and 3 classes are too many to tune robust programs over curves",
            ),
            (
                Situation { limited: true, missing: None, ..COMPLETE },
                "the reads of each row are limited",
            ),
            (
                Situation { holes: true, missing: Some(1_000), ..COMPLETE },
                "5 % of the cells are missing, in 1,000 rows of 20 attributes",
            ),
            (
                Situation { holes: true, missing: None, columns: 245, ..COMPLETE },
                "cells are missing, in 1,000 rows of 20 attributes (245 columns, with one for each category): too wide for their joint distribution, and few enough rows to compare all pairs",
            ),
            (
                COMPLETE,
                "no cell is missing, and there are 1,000 rows for 20 attributes (50 per attribute), enough for a curve of each",
            ),
        ];
        for (situation, reason) in cases {
            assert_eq!(situation.reason(), reason, "{situation:?}");
        }
    }

    #[test]
    fn several_classes_of_many_rows_take_squared_losses() {
        let several = Situation { classes: 4, rows: 50_001, ..COMPLETE };
        assert_eq!(suggest(&several).called(), "mean with loss=squared");
        let holed = Situation { holes: true, columns: 41, ..several };
        assert_eq!(suggest(&holed).called(), "mean with loss=squared");
        let fewer = Situation { rows: 3_000, ..holed };
        assert_eq!(suggest(&fewer).called(), "mean");
        assert_eq!(suggest(&Situation { classes: 2, ..fewer }).called(), "fiml");
    }

    #[test]
    fn every_suggestion_is_a_learner_that_can_be_made() {
        let several = Situation { classes: 4, rows: 3_000, ..COMPLETE };
        let more =
            [several, Situation { holes: true, columns: 41, ..several }].map(|s| suggest(&s));
        for suggestion in suggestions().copied().chain(more) {
            let mut learner = registry::find(suggestion.learner).unwrap();
            for (name, value) in suggestion.set {
                learner.set(name, value).unwrap();
            }
            assert!(!suggestion.tune || !learner.grid().0.is_empty(), "{}", suggestion.learner);
            registry::find(suggestion.instead).unwrap();
        }
    }

    /// Returns a table of numbers with one missing cell and an ignored column.
    fn holed() -> Table {
        let cells = ndarray::Array2::from_shape_fn((40, 3), |(i, j)| {
            if (i, j) == (7, 1) { f64::NAN } else { (i * (j + 1)) as f64 }
        });
        let names = ["id", "a", "b"].map(str::to_owned).to_vec();
        Table::from_matrix(Matrix::F64(cells), names).unwrap()
    }

    #[test]
    fn cells_are_looked_at_only_if_reads_are_unlimited() {
        let (table, target) = (holed(), Target::Numbers(vec![1.0; 40]));
        let options = Options { except: vec!["id".into()], ..Options::default() };
        let task = Task {
            table: &table,
            target_name: "y",
            target: &target,
            groups: None,
            options: &options,
            test: None,
        };
        let situation = Situation::of(&task, false, false);
        assert_eq!(
            situation,
            Situation {
                rows: 40,
                attributes: 2,
                columns: 2,
                holes: true,
                missing: Some(1),
                ..COMPLETE
            }
        );
        assert!(!Situation::of(&task, true, false).holes);
        let ignored = Options { except: vec!["id".into(), "a".into()], ..Options::default() };
        assert!(!Situation::of(&Task { options: &ignored, ..task }, false, false).holes);
    }
}
