//! States how an experiment is run: splits, folds, runs, seed; and names everything that decides a
//! result.

use crate::arm::Arm;
use crate::hash::versioned_key;
use crate::problem::Problem;
use halfseen::select::FoldSummary;

/// How often data are split and folded, and how often a sampled learner runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Protocol {
    /// Coarse grids, few splits and folds.
    pub(crate) quick: bool,
    /// Random splits into training and test rows.
    pub(crate) splits: usize,
    /// Folds of the cross-validation inside the training rows.
    pub(crate) folds: usize,
    /// Runs of a sampled learner per setting and fold.
    pub(crate) runs: u64,
    /// What of the errors over folds and runs is compared between settings.
    pub(crate) by: FoldSummary,
    /// Whether settings are compared by predictions within the range of the targets; tests are
    /// without such a clip.
    pub(crate) clip: bool,
    /// The splits and folds where the caller names none.
    pub(crate) usual: (usize, usize),
    /// Of the 45 pairs of digits every so many-th is taken.
    pub(crate) every: usize,
    /// Seed of every random choice.
    pub(crate) seed: u64,
}

/// Share of the rows that test.
pub(crate) const TEST_SHARE: f64 = 0.1;

impl Protocol {
    /// That of the papers: ten splits, ten folds.
    pub(crate) fn full(seed: u64) -> Protocol {
        Protocol {
            quick: false,
            splits: 10,
            folds: 10,
            runs: 2,
            by: FoldSummary::Median,
            clip: true,
            usual: (10, 10),
            every: 1,
            seed,
        }
    }

    /// Three and three, one run, coarse grids.
    pub(crate) fn quick(seed: u64) -> Protocol {
        Protocol {
            quick: true,
            splits: 3,
            folds: 3,
            runs: 1,
            by: FoldSummary::Median,
            clip: true,
            usual: (3, 3),
            every: 5,
            seed,
        }
    }

    /// One of the two.
    pub(crate) fn named(quick: bool, seed: u64) -> Protocol {
        if quick { Protocol::quick(seed) } else { Protocol::full(seed) }
    }

    /// The same, unclipped, with five splits and three folds, whose settings are compared by their
    /// mean error: what learners are compared by that are no part of a paper.
    pub(crate) fn paired(self) -> Protocol {
        Protocol { splits: 5, folds: 3, by: FoldSummary::Mean, clip: false, usual: (5, 3), ..self }
    }

    /// The same with settings compared by what is tested: predictions as the papers make them, which
    /// may leave the range of the targets.
    pub(crate) fn unclipped(self) -> Protocol {
        Protocol { clip: false, ..self }
    }

    /// The flags that ask for this protocol, each with a space before it.
    pub(crate) fn flags(&self) -> String {
        let mut text = String::from(if self.quick { " --quick" } else { "" });
        let numbers = [
            ("splits", self.splits as u64, self.usual.0 as u64),
            ("folds", self.folds as u64, self.usual.1 as u64),
            ("seed", self.seed, 0),
        ];
        for (name, number, _) in numbers.into_iter().filter(|(_, number, usual)| number != usual) {
            text += &format!(" --{name} {number}");
        }
        if self.every != Protocol::named(self.quick, 0).every {
            text += " --every-pair";
        }
        text
    }

    /// `full` or `quick`.
    pub(crate) fn name(&self) -> &'static str {
        if self.quick { "quick" } else { "full" }
    }

    /// One sentence for a page.
    pub(crate) fn sentence(&self) -> String {
        let runs = match self.runs {
            1 => "one run".to_owned(),
            n => format!("{n} runs"),
        };
        let (splits, folds) = self.usual;
        let other = if (self.splits, self.folds) == self.usual {
            String::new()
        } else {
            format!(" (whose {splits} splits and {folds} folds are changed)")
        };
        let by = match self.by {
            FoldSummary::Mean => "mean",
            FoldSummary::Median => "median",
        };
        let clip =
            if self.clip { " of predictions clipped to the range of the targets" } else { "" };
        format!(
            "Made by the {} protocol{other}: {} random splits (10 % test), {}-fold cross-validation on the training part, {runs} of a \
             sampled learner per fold and setting, settings compared by their {by} error{clip}, seed {}.",
            self.name(),
            self.splits,
            self.folds,
            self.seed,
        )
    }

    /// Names what decides the results of an arm on a problem: a cell is computed again where any of
    /// it changed.
    pub(crate) fn key(&self, problem: &Problem, arm: &Arm, counts: &[usize]) -> String {
        let Protocol { splits: _, every: _, usual: _, quick, folds, runs, by, clip, seed } = self;
        // The median goes without saying.
        let by = if *by == FoldSummary::Mean { " by mean" } else { "" };
        // So does the clip, and nothing is compared where there is one setting.
        let clip = if *clip || arm.search(*quick).1.len() <= 1 { "" } else { " unclipped" };
        let arm = arm.describe(*quick);
        let (name, data) = (&problem.name, problem.fingerprint());
        versioned_key(&format!(
            "{name} {data:x}|{folds} {runs}{by}{clip} {seed} {TEST_SHARE}|{arm}|{counts:?}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_sentence_tell_a_changed_protocol() {
        assert_eq!(Protocol::full(0).flags(), "");
        assert!(!Protocol::quick(7).sentence().contains("changed"));
        let changed = Protocol { folds: 3, seed: 2, ..Protocol::full(0) };
        assert_eq!(changed.flags(), " --folds 3 --seed 2");
        let text = changed.sentence();
        assert!(
            text.contains("10 splits and 10 folds are changed") && text.contains("3-fold"),
            "{text}"
        );
        assert_eq!(Protocol { splits: 10, ..Protocol::quick(0) }.flags(), " --quick --splits 10");
        let paired = Protocol::full(0).paired();
        assert!(
            paired.flags().is_empty() && paired.sentence().contains("compared by their mean error")
        );
        assert_eq!(Protocol { splits: 10, ..paired }.flags(), " --splits 10");
        let unclipped = Protocol::full(0).unclipped();
        assert!(unclipped.flags().is_empty());
        assert!(unclipped.sentence().contains("by their median error, seed"));
        let clipped = Protocol::full(0).sentence();
        assert!(clipped.contains("by their median error of predictions clipped"));
        let every = Protocol { every: 1, ..Protocol::quick(0) };
        assert_eq!(every.flags(), " --quick --every-pair");
        assert!(!every.sentence().contains("changed"));
    }
}
