//! Splits rows at random into training and test parts, stratified by class or by whole groups.

use super::{Purpose, Stream, shuffle};
use crate::error::{Error, Result};
use std::collections::BTreeMap;

/// Training and test rows, both in random order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Training rows.
    pub train: Vec<u32>,
    /// Test rows.
    pub test: Vec<u32>,
}

/// Draws `count` independent random splits of `rows` rows with a test share in (0, 1). With
/// `strata` each class is split in proportion; with `groups` no group is divided.
///
/// # Errors
/// If a part would be empty.
pub fn splits(
    rows: usize,
    strata: Option<&[u32]>,
    groups: Option<&[u32]>,
    test_share: f64,
    count: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    let all: Vec<u32> = (0..rows as u32).collect();
    let split = |number: u64| {
        let mut stream = Stream::new(seed, Purpose::Split, number);
        let units = units(&all, strata, groups, &mut stream);
        // Every stratum gives its share; rounding errors carry over to the next.
        let (mut train, mut test, mut owed) = (Vec::new(), Vec::new(), 0.0);
        for stratum in units {
            owed += test_share * stratum.len() as f64;
            let take = (owed + 0.5).floor().clamp(0.0, stratum.len() as f64);
            owed -= take;
            let (t, rest) = stratum.split_at(take as usize);
            test.extend(t.iter().flatten());
            train.extend(rest.iter().flatten());
        }
        // With fewer rows the smaller part gets less than half a row.
        let least = (0.5 / test_share.min(1.0 - test_share)).ceil() as usize;
        finish(train, test, &mut stream, &format!("a split with test share {test_share}"), least)
    };
    (0..count as u64).map(split).collect()
}

/// Splits `rows` into `count` folds; fold f is the test part of the f-th split.
///
/// # Errors
/// If there are fewer rows (or groups) than folds.
pub fn folds(
    rows: &[u32],
    strata: Option<&[u32]>,
    groups: Option<&[u32]>,
    count: usize,
    seed: u64,
) -> Result<Vec<Split>> {
    let mut stream = Stream::new(seed, Purpose::Fold, 0);
    let units: Vec<Vec<u32>> =
        units(rows, strata, groups, &mut stream).into_iter().flatten().collect();
    let what = format!("cross-validation with {count} folds");
    // Before memory is taken for so many.
    if !(1..=units.len()).contains(&count) {
        let least = count.max(rows.len() + 1);
        return Err(Error::TooFewRows { what, least, rows: rows.len() });
    }
    let mut parts = vec![Vec::new(); count];
    for (i, unit) in units.into_iter().enumerate() {
        parts[i % count].extend(unit);
    }
    let fold = |f: usize| {
        let train = (0..count).filter(|&g| g != f).flat_map(|g| parts[g].clone()).collect();
        finish(
            train,
            parts[f].clone(),
            &mut Stream::new(seed, Purpose::Fold, 1 + f as u64),
            &what,
            count,
        )
    };
    (0..count).map(fold).collect()
}

/// Returns for each stratum its units in random order; a unit is a row or a whole group.
fn units(
    rows: &[u32],
    strata: Option<&[u32]>,
    groups: Option<&[u32]>,
    stream: &mut Stream,
) -> Vec<Vec<Vec<u32>>> {
    let mut strata_units: Vec<Vec<Vec<u32>>> = if let Some(groups) = groups {
        let mut by_group: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        rows.iter().for_each(|&r| by_group.entry(groups[r as usize]).or_default().push(r));
        vec![by_group.into_values().collect()]
    } else {
        let mut by_class: BTreeMap<u32, Vec<Vec<u32>>> = BTreeMap::new();
        rows.iter().for_each(|&r| {
            by_class.entry(strata.map_or(0, |s| s[r as usize])).or_default().push(vec![r])
        });
        by_class.into_values().collect()
    };
    strata_units.iter_mut().for_each(|units| shuffle(stream, units));
    strata_units
}

fn finish(
    mut train: Vec<u32>,
    mut test: Vec<u32>,
    stream: &mut Stream,
    what: &str,
    least: usize,
) -> Result<Split> {
    if train.is_empty() || test.is_empty() {
        let rows = train.len() + test.len();
        // Whole groups may need more rows.
        let least = least.max(rows + 1);
        return Err(Error::TooFewRows { what: what.to_owned(), least, rows });
    }
    shuffle(stream, &mut train);
    shuffle(stream, &mut test);
    Ok(Split { train, test })
}

#[cfg(test)]
mod tests {
    use crate::sampling::split::*;

    fn sorted(split: &Split) -> Vec<u32> {
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        all
    }

    #[test]
    fn classes_are_split_in_proportion_and_every_row_once() {
        let classes: Vec<u32> = (0..200).map(|i| u32::from(i % 4 == 0)).collect();
        for split in splits(200, Some(&classes), None, 0.1, 3, 1).unwrap() {
            assert_eq!(sorted(&split), (0..200).collect::<Vec<_>>());
            assert_eq!(split.test.len(), 20);
            assert_eq!(split.test.iter().filter(|&&r| classes[r as usize] == 1).count(), 5);
        }
        let twice = splits(200, Some(&classes), None, 0.1, 2, 1).unwrap();
        assert_ne!(twice[0], twice[1]);
        assert_eq!(twice, splits(200, Some(&classes), None, 0.1, 2, 1).unwrap());
    }

    #[test]
    fn groups_stay_whole() {
        let groups: Vec<u32> = (0..60).map(|i| i / 3).collect();
        for split in splits(60, None, Some(&groups), 0.25, 4, 2).unwrap() {
            let tested: Vec<u32> = split.test.iter().map(|&r| groups[r as usize]).collect();
            assert!(split.train.iter().all(|&r| !tested.contains(&groups[r as usize])));
        }
    }

    #[test]
    fn folds_test_every_row_once() {
        let rows: Vec<u32> = (10..40).collect();
        let folds = folds(&rows, None, None, 4, 3).unwrap();
        let mut tested: Vec<u32> = folds.iter().flat_map(|f| f.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, rows);
        assert!(folds.iter().all(|f| sorted(f) == rows));
    }

    #[test]
    fn parts_that_would_be_empty_are_refused() {
        assert!(splits(1, None, None, 0.1, 1, 0).is_err());
        for count in [0, 1, 3, usize::MAX] {
            assert!(folds(&[3, 4], None, None, count, 0).is_err(), "{count}");
        }
    }
}
