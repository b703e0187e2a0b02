//! Says which arms chose an end of their grid: there a wider grid might have done better.

use crate::arm::Arm;
use crate::beyond::{MOST, goes_on};
use crate::results::Results;
use std::collections::BTreeMap;

/// How many problems are named; more are counted.
const NAMED: usize = 6;

/// A line for each arm with the ends of its axes that most splits of some problem chose, over all
/// points, each of which may have a setting of its own; nothing where there is none.
pub(crate) fn edges(results: &Results, arms: &[Arm], quick: bool) -> String {
    let mut problems: Vec<&str> = results.rows.iter().map(|row| row.problem.as_str()).collect();
    problems.sort_unstable();
    problems.dedup();
    let line = |arm: &Arm| {
        let settings: Vec<(&str, Vec<&str>)> = problems
            .iter()
            .map(|problem| {
                let rows = results.of(problem, &arm.id);
                (*problem, rows.map(|row| row.setting.as_str()).collect())
            })
            .collect();
        let mut ends = Vec::new();
        // Beyond the ends of an axis that goes on, others were tried.
        let went_on = |axis: &str| arm.open && !quick && goes_on(axis);
        let axes = arm.axes(quick);
        for (axis, values) in axes.iter().filter(|(axis, v)| v.len() > 1 && !went_on(axis)) {
            for (end, which) in [(values[0], "first"), (values[values.len() - 1], "last")] {
                let here = format!("{axis}={end}");
                let chosen = |settings: &[&str]| {
                    let times = settings.iter().filter(|text| text.split(';').any(|s| s == here));
                    2 * times.count() > settings.len()
                };
                let places: Vec<&str> =
                    settings.iter().filter(|(_, all)| chosen(all)).map(|(p, _)| *p).collect();
                match places.len() {
                    0 => (),
                    n if n <= NAMED => {
                        ends.push(format!("{axis} {end} ({which}): {}", places.join(", ")));
                    }
                    n => ends.push(format!(
                        "{axis} {end} ({which}): {n} of {} problems",
                        settings.len()
                    )),
                }
            }
        }
        (!ends.is_empty()).then(|| format!("- {} (`{}`): {}\n", arm.label, arm.id, ends.join("; ")))
    };
    let lines: String = arms.iter().filter_map(line).collect();
    let beyond = if quick { String::new() } else { beyond(results, arms) };
    if lines.is_empty() {
        return beyond;
    }
    format!(
        "\n## Ends of grids\n\nMost splits of these problems chose the first or the last value of a grid, so that the error there is an upper bound if the parameter \
         could go on:\n\n{lines}{beyond}"
    )
}

/// Says how often grids went on beyond an end, and what was chosen there; nothing where none may.
fn beyond(results: &Results, arms: &[Arm]) -> String {
    if !arms.iter().any(|arm| arm.open) {
        return String::new();
    }
    let line = |arm: &Arm| {
        let mut counts = BTreeMap::new();
        for row in results.rows.iter().filter(|row| row.arm == arm.id && row.point == 0) {
            for (axis, values) in arm.axes(false) {
                let set = row.setting.split(';').filter_map(|text| text.split_once('='));
                let chosen = set.filter(|(name, _)| *name == axis).map(|(_, value)| value);
                for value in chosen.filter(|value| !values.contains(value)) {
                    *counts.entry((axis, value.to_owned())).or_insert(0) += 1;
                }
            }
        }
        let all: Vec<String> = counts
            .iter()
            .map(|((axis, value), times)| format!("{axis} {value}, {times} x"))
            .collect();
        (!all.is_empty()).then(|| format!("- {} (`{}`): {}\n", arm.label, arm.id, all.join("; ")))
    };
    let lines: String = arms.iter().filter(|arm| arm.open).filter_map(line).collect();
    format!(
        "\n## Beyond the grids\n\nWhere the best setting of a split had the first or last value of an axis, the axis went on by the factor of its last two values, at most {MOST} \
         times. Values chosen beyond the grid:\n\n{}",
        if lines.is_empty() { "None.\n".to_owned() } else { lines }
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
        assert!(text.ends_with("\n- identity (`identity`): radius 0.5 (first): p\n"), "{text}");
        assert!(told(&["radius=2;step=1x"]).contains("radius 2 (last): p"));
        assert_eq!(told(&["radius=1;step=1x", "radius=0.5;step=1x"]), "");
    }

    #[test]
    fn what_was_chosen_beyond_a_grid_is_told() {
        let arm =
            Arm::new("identity", "identity").grids(&[("radius", &["1", "2"])], &[]).going_on();
        let text = edges(
            &results(&["radius=4", "radius=4", "radius=1"]),
            std::slice::from_ref(&arm),
            false,
        );
        assert!(
            text.ends_with("beyond the grid:\n\n- identity (`identity`): radius 4, 2 x\n"),
            "{text}"
        );
        let inside = results(&["radius=2", "radius=2", "radius=1"]);
        let text = edges(&inside, std::slice::from_ref(&arm), false);
        assert!(text.ends_with("None.\n") && !text.contains("Ends of grids"), "{text}");
        assert!(edges(&results(&[""]), &[arm], true).is_empty());
    }

    #[test]
    fn many_problems_are_counted() {
        let arm = Arm::new("identity", "identity").grids(&[("radius", &["1", "2"])], &[]);
        let one = results(&["radius=2"]).rows.remove(0);
        let row = |n: usize| Row { problem: format!("p{n}"), ..one.clone() };
        let all = Results { rows: (0..9).map(row).collect() };
        let text = edges(&all, &[arm], false);
        assert!(text.ends_with("(`identity`): radius 2 (last): 9 of 9 problems\n"), "{text}");
    }
}
