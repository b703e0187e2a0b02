//! Sets 3 against 5 beside what an independent prototype of the same learners came to.

use super::regression::end;
use crate::arm::Arm;
use crate::markdown::{table, word};
use crate::results::Results;

/// How much more than the prototype's error counts as no worse.
const SLACK: f64 = 0.05;

/// A table of arms by their names, with the prototype's squared error (median over five splits, or
/// the mean where it gave no median).
pub(super) fn beside(results: &Results, arms: &[Arm], prototype: &[(&str, f64)]) -> String {
    let row = |&(id, theirs): &(&str, f64)| {
        let ours = end(results, "3v5", id);
        let splits = results.of("3v5", id).filter(|row| row.point == 0).count();
        let label = arms.iter().find(|arm| arm.id == id).map_or(id, |arm| &arm.label);
        let met = word(ours <= theirs + SLACK);
        vec![
            label.to_owned(),
            splits.to_string(),
            format!("{ours:.3}"),
            format!("{theirs:.3}"),
            format!("{:+.3}", ours - theirs),
            met.to_owned(),
        ]
    };
    let head =
        ["squared error", "our splits", "ours, median", "prototype", "difference", "no worse"];
    format!(
        "\n## 3 against 5 beside an independent run\n\nAn independent prototype of the same learners: 5 splits, 3 folds. No worse: at most {SLACK} \
         above it.\n\n{}",
        table(&head, prototype.iter().map(row))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Row;

    #[test]
    fn a_median_above_the_slack_is_worse() {
        let row = |split, squared| Row {
            key: "k".into(),
            problem: "3v5".into(),
            arm: "a".into(),
            split,
            point: 0,
            points: 1,
            examples: 1,
            reads: 1,
            squared,
            wrong: None,
            setting: String::new(),
        };
        let results = Results { rows: vec![row(0, 0.1), row(1, 0.3), row(2, 0.9)] };
        assert!(
            beside(&results, &[], &[("a", 0.26)])
                .contains("| a | 3 | 0.300 | 0.260 | +0.040 | yes |")
        );
        assert!(beside(&results, &[], &[("a", 0.24)]).contains("| +0.060 | no |"));
        // What was not run is not met.
        assert!(beside(&results, &[], &[("b", 0.24)]).contains("| no |"));
    }
}
