//! Says which arms chose an end of their grid: there a wider grid might have done better.

use crate::arm::Arm;
use crate::results::Results;
use std::collections::BTreeMap;

/// A line for each arm and end of an axis that most splits of some problem chose, with these
/// problems; nothing where there is none.
pub(crate) fn edges(results: &Results, arms: &[Arm], quick: bool) -> String {
    let mut problems: Vec<&str> = results.rows.iter().map(|row| row.problem.as_str()).collect();
    problems.sort_unstable();
    problems.dedup();
    let mut lines = String::new();
    for arm in arms {
        for (axis, values) in arm.axes(quick).iter().filter(|(_, values)| values.len() > 1) {
            // The end -> where it was chosen.
            let mut chosen: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for problem in &problems {
                let settings: Vec<&str> = results
                    .of(problem, &arm.id)
                    .filter(|row| row.point == 0)
                    .map(|row| row.setting.as_str())
                    .collect();
                for end in [values[0], values[values.len() - 1]] {
                    let here = format!("{axis}={end}");
                    let times = settings
                        .iter()
                        .filter(|text| text.split(';').any(|one| one == here))
                        .count();
                    if 2 * times > settings.len() {
                        chosen
                            .entry(end)
                            .or_default()
                            .push(format!("{problem} ({times} of {})", settings.len()));
                    }
                }
            }
            for (end, places) in chosen {
                let which = if end == values[0] { "first" } else { "last" };
                lines += &format!(
                    "- {} (`{}`): {axis} {end}, the {which} of {}: {}\n",
                    arm.label,
                    arm.id,
                    values.join(" "),
                    places.join(", ")
                );
            }
        }
    }
    if lines.is_empty() {
        return lines;
    }
    format!(
        "\nMost splits chose an end of the grid here, so these errors are upper bounds wherever the parameter could go on:\n\n{lines}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Row;

    fn results(settings: &[&str]) -> Results {
        let row = |(split, setting): (usize, &&str)| Row {
            key: String::new(),
            problem: "p".into(),
            arm: "identity".into(),
            split,
            point: 0,
            points: 1,
            examples: 1,
            reads: 1,
            squared: 1.0,
            wrong: None,
            setting: (*setting).into(),
        };
        Results { rows: settings.iter().enumerate().map(row).collect() }
    }

    #[test]
    fn an_end_that_most_splits_chose_is_told() {
        let arm = Arm::new("identity", "identity")
            .grids(&[("radius", &["0.5", "1", "2"]), ("step", &["1x"])], &[]);
        let told = |settings: &[&str]| edges(&results(settings), std::slice::from_ref(&arm), false);
        let text = told(&["radius=0.5;step=1x", "radius=0.5;step=1x", "radius=2;step=1x"]);
        assert!(
            text.ends_with(
                "- identity (`identity`): radius 0.5, the first of 0.5 1 2: p (2 of 3)\n"
            ),
            "{text}"
        );
        assert!(told(&["radius=2;step=1x"]).contains("the last of"));
        assert_eq!(told(&["radius=1;step=1x", "radius=0.5;step=1x"]), "");
    }
}
