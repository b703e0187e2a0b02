//! Keeps results in a CSV file, to which each finished cell is appended at once, so that a run can
//! go on after a stop.
//!
//! A cell is one problem x arm x split. Its rows (the points of its curve) are written together; a
//! cell that was cut off in the middle counts as not there.

use anyhow::{Context, Result, bail};
use halfseen::select::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const HEADER: &str =
    "key,problem,arm,split,point,points,examples,reads,squared_error,class_error,setting";

/// One point of one learning curve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// Of the protocol, the arm and the data.
    pub(crate) key: String,
    pub(crate) problem: String,
    pub(crate) arm: String,
    pub(crate) split: usize,
    /// From 0.
    pub(crate) point: usize,
    /// Points of this cell.
    pub(crate) points: usize,
    pub(crate) examples: u64,
    /// Reads, with multiplicity.
    pub(crate) reads: u64,
    /// Mean squared error on the test rows, without 1/2; of synthetic data the exact excess.
    pub(crate) squared: f64,
    /// Share of test rows told wrongly.
    pub(crate) wrong: Option<f64>,
    /// What tuning chose.
    pub(crate) setting: String,
}

/// One arm on one split of one problem.
pub(crate) type Cell = (String, usize);

impl Row {
    fn cell(&self) -> Cell {
        (self.key.clone(), self.split)
    }

    fn line(&self) -> String {
        let wrong = self.wrong.map_or(String::new(), |w| w.to_string());
        let Row {
            key, problem, arm, split, point, points, examples, reads, squared, setting, ..
        } = self;
        format!(
            "{key},{problem},{arm},{split},{point},{points},{examples},{reads},{squared},{wrong},{setting}\n"
        )
    }

    fn read(line: &str) -> Option<Row> {
        let fields: Vec<&str> = line.split(',').collect();
        let [key, problem, arm, split, point, points, examples, reads, squared, wrong, setting] =
            fields[..]
        else {
            return None;
        };
        let wrong = if wrong.is_empty() { None } else { Some(wrong.parse().ok()?) };
        Some(Row {
            key: key.into(),
            problem: problem.into(),
            arm: arm.into(),
            split: split.parse().ok()?,
            point: point.parse().ok()?,
            points: points.parse().ok()?,
            examples: examples.parse().ok()?,
            reads: reads.parse().ok()?,
            squared: squared.parse().ok()?,
            wrong,
            setting: setting.into(),
        })
    }
}

/// The file, open for appending.
pub(crate) struct Ledger {
    path: PathBuf,
    done: BTreeMap<Cell, Vec<Row>>,
    file: Mutex<fs::File>,
}

impl Ledger {
    /// Opens or makes the file; what a stop left half written is removed.
    pub(crate) fn open(path: &Path) -> Result<Ledger> {
        let place = || path.display().to_string();
        let old = if path.exists() {
            fs::read_to_string(path).with_context(place)?
        } else {
            String::new()
        };
        if !old.is_empty() && !HEADER.starts_with(old.lines().next().unwrap_or("")) {
            bail!("{}: this is no file of results; name another folder with --out", path.display());
        }
        // A last line without its end may have lost digits.
        let whole = old.rfind('\n').map_or("", |end| &old[..end]);
        let mut cells: BTreeMap<Cell, Vec<Row>> = BTreeMap::new();
        for row in whole.lines().skip(1).filter_map(Row::read) {
            cells.entry(row.cell()).or_default().push(row);
        }
        cells.retain(|_, rows| {
            rows.len() == rows[0].points && rows.iter().enumerate().all(|(i, row)| row.point == i)
        });
        write(path, &content(cells.values().flatten()))?;
        let file = fs::OpenOptions::new().append(true).open(path).with_context(place)?;
        Ok(Ledger { path: path.to_owned(), done: cells, file: Mutex::new(file) })
    }

    /// Whether a cell is there.
    pub(crate) fn has(&self, cell: &Cell) -> bool {
        self.done.contains_key(cell)
    }

    /// Appends the rows of a finished cell.
    pub(crate) fn append(&self, rows: &[Row]) -> Result<()> {
        let text: String = rows.iter().map(Row::line).collect();
        let mut file =
            self.file.lock().map_err(|_| anyhow::anyhow!("another thread failed while writing"))?;
        file.write_all(text.as_bytes()).with_context(|| self.path.display().to_string())
    }

    /// Reads all back, keeps the cells asked for, in that order, and nothing else: the file does
    /// not tell how often the run was stopped.
    pub(crate) fn finish(self, cells: &[Cell]) -> Result<Results> {
        let mut ledger = Ledger::open(&self.path)?;
        let wanted: BTreeSet<&Cell> = cells.iter().collect();
        let missing = wanted.iter().filter(|cell| !ledger.done.contains_key(**cell)).count();
        if missing > 0 {
            bail!(
                "{}: {missing} results are missing; run the same command again",
                self.path.display()
            );
        }
        let rows: Vec<Row> =
            cells.iter().filter_map(|cell| ledger.done.remove(cell)).flatten().collect();
        write(&self.path, &content(rows.iter()))?;
        Ok(Results { rows })
    }
}

fn content<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    format!("{HEADER}\n") + &rows.map(Row::line).collect::<String>()
}

/// Writes a file beside its place and renames it.
pub(crate) fn write(path: &Path, content: &str) -> Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".part");
    let beside = PathBuf::from(beside);
    fs::write(&beside, content)
        .and_then(|()| fs::rename(&beside, path))
        .with_context(|| path.display().to_string())
}

/// Every row of a finished experiment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Results {
    pub(crate) rows: Vec<Row>,
}

impl Results {
    /// What a file of finished results holds; nothing where there is no such file.
    pub(crate) fn read(path: &Path) -> Result<Results> {
        let rows = if path.exists() {
            Ledger::open(path)?.done.into_values().flatten().collect()
        } else {
            Vec::new()
        };
        Ok(Results { rows })
    }

    /// The rows of an arm on a problem.
    pub(crate) fn of<'a>(
        &'a self,
        problem: &'a str,
        arm: &'a str,
    ) -> impl Iterator<Item = &'a Row> {
        self.rows.iter().filter(move |row| row.problem == problem && row.arm == arm)
    }

    /// A figure at the ends of the curves, over the splits.
    pub(crate) fn end(
        &self,
        problem: &str,
        arm: &str,
        figure: impl Fn(&Row) -> Option<f64>,
    ) -> Option<Statistics> {
        let ends = self.of(problem, arm).filter(|row| row.point + 1 == row.points);
        Statistics::of(ends.filter_map(figure).collect())
    }

    /// A figure at the point of the curve whose reads come nearest to `reads` without going above.
    pub(crate) fn at_reads(&self, problem: &str, arm: &str, reads: u64) -> Option<Statistics> {
        let mut best: BTreeMap<usize, &Row> = BTreeMap::new();
        for row in self.of(problem, arm).filter(|row| row.reads <= reads) {
            let kept = best.entry(row.split).or_insert(row);
            if row.reads > kept.reads {
                *kept = row;
            }
        }
        Statistics::of(best.values().map(|row| row.squared).collect())
    }

    /// The settings that tuning chose, the most frequent first, as `2 x radius=4`.
    pub(crate) fn chosen(&self, problem: &str, arm: &str) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.of(problem, arm)
            .filter(|row| row.point == 0)
            .for_each(|row| *counts.entry(&row.setting).or_default() += 1);
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
            .iter()
            .map(|(s, n)| format!("{n} x {}", s.replace(';', " ")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(key: &str, split: usize, point: usize, points: usize, squared: f64) -> Row {
        Row {
            key: key.into(),
            problem: "p".into(),
            arm: "a".into(),
            split,
            point,
            points,
            examples: point as u64 + 1,
            reads: 10 * (point as u64 + 1),
            squared,
            wrong: (point > 0).then_some(0.25),
            setting: "radius=1".into(),
        }
    }

    #[test]
    fn a_cell_cut_off_is_not_there_and_the_file_forgets_how_it_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let cells = [("k".to_owned(), 0), ("k".to_owned(), 1)];
        let whole = |split| [row("k", split, 0, 2, 0.1 + 0.2), row("k", split, 1, 2, 1e-300)];
        let straight = Ledger::open(&path).unwrap();
        straight.append(&whole(0)).unwrap();
        straight.append(&whole(1)).unwrap();
        let expected = straight.finish(&cells).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(expected.rows, [whole(0), whole(1)].concat());

        // Stopped in the middle of a line, gone on in another order, with rows that nobody asks
        // for.
        fs::remove_file(&path).unwrap();
        let first = Ledger::open(&path).unwrap();
        first.append(&whole(1)).unwrap();
        let half: String = whole(0).iter().map(Row::line).collect();
        let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&half.as_bytes()[..half.len() - 3]).unwrap();
        let second = Ledger::open(&path).unwrap();
        assert!(second.has(&cells[1]) && !second.has(&cells[0]));
        second.append(&[row("old", 0, 0, 1, 9.0)]).unwrap();
        second.append(&whole(0)).unwrap();
        assert_eq!(second.finish(&cells).unwrap(), expected);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn missing_cells_and_foreign_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let error = Ledger::open(&path).unwrap().finish(&[("k".into(), 0)]).unwrap_err();
        assert!(error.to_string().contains("1 results are missing"), "{error}");
        fs::write(&path, "name,height\nAda,1.65\n").unwrap();
        assert!(Ledger::open(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "name,height\nAda,1.65\n");
    }

    #[test]
    fn figures_are_taken_at_the_end_and_at_a_number_of_reads() {
        let rows = vec![
            row("k", 0, 0, 2, 4.0),
            row("k", 0, 1, 2, 1.0),
            row("k", 1, 0, 2, 6.0),
            row("k", 1, 1, 2, 3.0),
        ];
        let results = Results { rows };
        assert_eq!(results.end("p", "a", |r| Some(r.squared)).unwrap().mean, 2.0);
        assert_eq!(results.at_reads("p", "a", 19).unwrap().mean, 5.0);
        assert_eq!(results.at_reads("p", "a", 9), None);
        assert_eq!(results.chosen("p", "a"), "2 x radius=1");
    }
}
