//! Stores results as compressed CSV, and while a run goes on beside it as plain CSV, to which each
//! finished cell is appended at once: a run that was stopped loses no finished cell.
//!
//! A cell is one problem x arm x split. Its rows (the points of its curve) are written together; a
//! cell that was cut off in the middle counts as not there. When all cells are there, they are
//! compressed into NAME.csv.gz, and NAME.csv is removed. Where both files hold a cell, the plain
//! one counts.

use crate::paired::{Difference, Verdict};
use anyhow::{Context, Result, bail};
use flate2::{Compression, GzBuilder, read::GzDecoder};
use halfseen::select::Statistics;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
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

type Cells = BTreeMap<Cell, Vec<Row>>;

/// The results of an experiment, open for appending.
pub(crate) struct Ledger {
    /// The plain file; the compressed one has the same name with `.gz` added.
    path: PathBuf,
    done: Cells,
    /// The plain file, once something was appended.
    file: Mutex<Option<fs::File>>,
}

impl Ledger {
    /// Reads what is stored; what a stop left half written is removed.
    pub(crate) fn open(path: &Path) -> Result<Ledger> {
        if let Some(plain) = plain(path)? {
            write(path, content(plain.values().flatten()))?;
        }
        Ok(Ledger { path: path.to_owned(), done: stored(path)?, file: Mutex::new(None) })
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
        let place = || self.path.display().to_string();
        if file.is_none() {
            if !self.path.exists() {
                write(&self.path, content([].iter()))?;
            }
            *file = Some(fs::OpenOptions::new().append(true).open(&self.path).with_context(place)?);
        }
        let Some(file) = file.as_mut() else { return Ok(()) };
        file.write_all(text.as_bytes()).with_context(place)
    }

    /// Reads all back and compresses the cells asked for, in that order, and nothing else: the file
    /// does not tell how often the run was stopped. A compressed file that holds them is left.
    pub(crate) fn finish(self, cells: &[Cell]) -> Result<Results> {
        let mut done = Ledger::open(&self.path)?.done;
        let wanted: BTreeSet<&Cell> = cells.iter().collect();
        let missing = wanted.iter().filter(|cell| !done.contains_key(**cell)).count();
        if missing > 0 {
            bail!(
                "{}: {missing} results are missing; run the same command again",
                self.path.display()
            );
        }
        let rows: Vec<Row> = cells.iter().filter_map(|cell| done.remove(cell)).flatten().collect();
        pack(&packed(&self.path), &content(rows.iter()))?;
        if self.path.exists() {
            fs::remove_file(&self.path).with_context(|| self.path.display().to_string())?;
        }
        Ok(Results { rows })
    }
}

/// The compressed file beside a plain one.
pub(crate) fn packed(path: &Path) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".gz");
    beside.into()
}

/// What a compressed file holds; `None` where there is no such file.
pub(crate) fn unpacked(packed: &Path) -> Result<Option<String>> {
    if !packed.exists() {
        return Ok(None);
    }
    let place = || packed.display().to_string();
    let mut text = String::new();
    let file = fs::File::open(packed).with_context(place)?;
    GzDecoder::new(file).read_to_string(&mut text).with_context(place)?;
    Ok(Some(text))
}

/// Writes a compressed file, unless it holds this text already.
pub(crate) fn pack(packed: &Path, text: &str) -> Result<()> {
    if unpacked(packed)?.as_deref() != Some(text) {
        write(packed, compressed(text)?)?;
    }
    Ok(())
}

/// The text without name and time of a file, so that the same text gives the same bytes.
fn compressed(text: &str) -> Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    gzip.write_all(text.as_bytes())?;
    Ok(gzip.finish()?)
}

/// The whole cells of a text.
fn cells(text: &str, path: &Path) -> Result<Cells> {
    if !text.is_empty() && !HEADER.starts_with(text.lines().next().unwrap_or("")) {
        bail!("{}: this is no file of results; name another folder with --out", path.display());
    }
    // A last line without its end may have lost digits.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let mut cells = Cells::new();
    for row in whole.lines().skip(1).filter_map(Row::read) {
        cells.entry(row.cell()).or_default().push(row);
    }
    cells.retain(|_, rows| {
        rows.len() == rows[0].points && rows.iter().enumerate().all(|(i, row)| row.point == i)
    });
    Ok(cells)
}

/// The whole cells of a plain file, if it is there.
fn plain(path: &Path) -> Result<Option<Cells>> {
    if !path.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    cells(&text, path).map(Some)
}

/// All whole cells, of the compressed file and of the plain one.
fn stored(path: &Path) -> Result<Cells> {
    let packed = packed(path);
    let mut all = cells(&unpacked(&packed)?.unwrap_or_default(), &packed)?;
    all.extend(plain(path)?.unwrap_or_default());
    Ok(all)
}

fn content<'a>(rows: impl Iterator<Item = &'a Row>) -> String {
    format!("{HEADER}\n") + &rows.map(Row::line).collect::<String>()
}

/// Writes a file beside its place and renames it.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
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
    /// What is stored under the name of a plain file; nothing where nothing is.
    pub(crate) fn read(path: &Path) -> Result<Results> {
        Ok(Results { rows: stored(path)?.into_values().flatten().collect() })
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

    /// What the errors of two arms say of the first at each point that both have, by number of
    /// examples, paired by splits.
    pub(crate) fn verdicts(&self, problem: &str, arms: [&str; 2]) -> Vec<Verdict> {
        let curves = arms.map(|arm| {
            let mut points: BTreeMap<u64, BTreeMap<usize, f64>> = BTreeMap::new();
            for row in self.of(problem, arm) {
                points.entry(row.examples).or_default().insert(row.split, row.squared);
            }
            points
        });
        let [first, second] = &curves;
        let errors = |of: &BTreeMap<usize, f64>| of.values().copied().collect::<Vec<_>>();
        first
            .iter()
            .filter_map(|(examples, ours)| Some((ours, second.get(examples)?)))
            .filter(|(ours, theirs)| ours.keys().eq(theirs.keys()))
            .filter_map(|(ours, theirs)| Difference::of(&errors(ours), &errors(theirs)))
            .map(Difference::verdict)
            .collect()
    }

    /// The settings that tuning chose, the most frequent first, as `2 x radius=4`.
    pub(crate) fn chosen(&self, problem: &str, arm: &str) -> String {
        self.chosen_at(problem, arm, 0)
    }

    /// The same at one point of the curve.
    pub(crate) fn chosen_at(&self, problem: &str, arm: &str, point: usize) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        self.of(problem, arm)
            .filter(|row| row.point == point)
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
    fn verdicts_pair_the_splits_of_points_that_both_arms_have() {
        // The splits in another order, and one more point.
        let first = [(0, 0, 1.0), (1, 0, 2.0), (0, 1, 5.0), (1, 1, 3.0), (0, 2, 0.0), (1, 2, 0.0)];
        let second = [(1, 0, 3.0), (0, 0, 2.0), (1, 1, 4.0), (0, 1, 4.0)];
        let rows = |arm: &str, all: &[(usize, usize, f64)]| -> Vec<Row> {
            all.iter()
                .map(|&(split, point, y)| Row { arm: arm.into(), ..row("k", split, point, 3, y) })
                .collect()
        };
        let results = Results { rows: [rows("a", &first), rows("b", &second)].concat() };
        assert_eq!(results.verdicts("p", ["a", "b"]), [Verdict::Better, Verdict::Same]);
        assert_eq!(results.verdicts("p", ["b", "a"]), [Verdict::Worse, Verdict::Same]);
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
        assert_eq!(expected.rows, [whole(0), whole(1)].concat());
        let bytes = fs::read(packed(&path)).unwrap();
        assert!(!path.exists());
        // No time of making: the same results are the same bytes.
        assert_eq!(bytes[4..8], [0; 4]);

        // Stopped in the middle of a line, gone on in another order, with rows that nobody asks
        // for.
        fs::remove_file(packed(&path)).unwrap();
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
        assert_eq!(fs::read(packed(&path)).unwrap(), bytes);
    }

    #[test]
    fn a_plain_file_adds_to_the_compressed_one_and_counts_before_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.csv");
        let cells = [("k".to_owned(), 0), ("k".to_owned(), 1)];
        let one = |split, squared| [row("k", split, 0, 1, squared)];
        let first = Ledger::open(&path).unwrap();
        first.append(&one(0, 1.0)).unwrap();
        first.finish(&cells[..1]).unwrap();
        // Stopped after one of two cells: both files are read.
        Ledger::open(&path).unwrap().append(&one(1, 2.0)).unwrap();
        assert!(path.exists());
        let results = Ledger::open(&path).unwrap().finish(&cells).unwrap();
        assert_eq!(results.rows, [one(0, 1.0), one(1, 2.0)].concat());
        assert!(!path.exists());
        // Stopped between compressing and removing, or measured anew.
        write(&path, content(one(0, 3.0).iter())).unwrap();
        let results = Ledger::open(&path).unwrap().finish(&cells).unwrap();
        assert_eq!(results.rows, [one(0, 3.0), one(1, 2.0)].concat());
        assert_eq!(Results::read(&path).unwrap(), results);
        // With nothing to add, nothing is written.
        let made = fs::metadata(packed(&path)).unwrap().modified().unwrap();
        Ledger::open(&path).unwrap().finish(&cells).unwrap();
        assert_eq!(fs::metadata(packed(&path)).unwrap().modified().unwrap(), made);
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
