//! Lets a grid go on beyond an end that was chosen.

use halfseen::learner::{Assignments, Grid};

/// How often a grid goes on.
pub(crate) const MOST: usize = 6;
/// Axes without a natural end, whose values grow by factors.
const OPEN: [&str; 6] = ["radius", "step", "penalty", "smoothing", "c", "margin"];

/// Whether an axis of this name goes on.
pub(crate) fn goes_on(axis: &str) -> bool {
    OPEN.contains(&axis)
}

/// A search of a grid that goes on.
pub(crate) struct Search {
    grid: Grid,
    left: usize,
}

impl Search {
    /// Starts with a grid, which goes on if it is open. Returns its settings too.
    pub(crate) fn new(grid: Grid, open: bool) -> (Search, Vec<Assignments>) {
        let settings = grid.settings();
        (Search { grid, left: if open { MOST } else { 0 } }, settings)
    }

    /// Returns the settings that are next after the best so far; none where that is no end.
    pub(crate) fn beyond(&mut self, best: &Assignments) -> Vec<Assignments> {
        if self.left == 0 {
            return Vec::new();
        }
        self.left -= 1;
        go_on(&mut self.grid, best)
    }
}

/// Adds a value beyond each end that a setting has, by the factor of the last two, and returns the
/// settings that are new.
fn go_on(Grid(axes): &mut Grid, chosen: &Assignments) -> Vec<Assignments> {
    let mut new = Vec::new();
    for at in 0..axes.len() {
        let (name, values) = &axes[at];
        let Some((_, value)) = chosen.iter().find(|(axis, _)| axis == name) else { continue };
        if !goes_on(name) || values.len() < 2 {
            continue;
        }
        let last = values.len() - 1;
        let (place, next) = match values.iter().position(|other| other == value) {
            Some(0) => (0, further(&values[1], &values[0])),
            Some(end) if end == last => (last + 1, further(&values[last - 1], &values[last])),
            _ => continue,
        };
        let Some(next) = next else { continue };
        let mut slab = axes.clone();
        slab[at].1 = vec![next.clone()];
        new.extend(Grid(slab).settings());
        axes[at].1.insert(place, next);
    }
    new
}

/// The next value after two, in three digits; multiples have an x at their end.
fn further(before: &str, last: &str) -> Option<String> {
    let number = |text: &str| text.trim_end_matches('x').parse::<f64>().ok();
    let next = number(last)?.powi(2) / number(before)?;
    let rounded: f64 = format!("{next:.2e}").parse().ok()?;
    Some(format!("{rounded}{}", if last.ends_with('x') { "x" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn a_search_goes_on_so_often_and_a_closed_one_not_at_all() {
        let grid = || Grid(vec![("radius", words(&["1", "2"]))]);
        let (mut search, mut settings) = Search::new(grid(), true);
        let mut tried = 0;
        while let Some(last) = settings.pop() {
            tried += 1;
            settings = search.beyond(&last);
        }
        assert_eq!((tried, search.grid.0[0].1.last().unwrap().as_str()), (1 + MOST, "128"));
        let (mut closed, settings) = Search::new(grid(), false);
        assert!(closed.beyond(&settings[1]).is_empty());
    }

    #[test]
    fn a_grid_goes_on_where_an_end_was_chosen() {
        let axes = vec![("radius", words(&["1", "2"])), ("step", words(&["1x", "1.8x", "3.2x"]))];
        let mut grid = Grid(axes);
        let inside = vec![("step", "1.8x".to_owned())];
        assert!(go_on(&mut grid, &inside).is_empty());
        let corner = vec![("radius", "2".to_owned()), ("step", "1x".to_owned())];
        let new = go_on(&mut grid, &corner);
        assert_eq!(grid.0[0].1, words(&["1", "2", "4"]));
        assert_eq!(grid.0[1].1, words(&["0.556x", "1x", "1.8x", "3.2x"]));
        // Every setting that was not there before, and no other.
        assert_eq!((grid.settings().len(), new.len()), (12, 6));
        assert!(new.iter().all(|setting| {
            setting.contains(&("radius", "4".into()))
                || setting.contains(&("step", "0.556x".into()))
        }));
        // The middle of the new grid is no end, and axes with natural ends do not go on.
        assert!(go_on(&mut grid, &vec![("radius", "2".to_owned())]).is_empty());
        let mut gamma = Grid(vec![("gamma", words(&["1", "2"]))]);
        assert!(go_on(&mut gamma, &vec![("gamma", "1".to_owned())]).is_empty());
    }
}
