//! Ratios of times that were measured in turns, and their table in BENCHMARKS.md.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

/// Work that is measured, and the plain work beside it.
pub struct Pair {
    /// Name of what is measured, a key of the table.
    pub what: &'static str,
    /// Name of the plain work.
    pub beside: &'static str,
    /// Runs each once and returns a time of its own choice; smaller is better.
    pub ours: Box<dyn FnMut() -> f64>,
    /// As `ours`, in the same units.
    pub theirs: Box<dyn FnMut() -> f64>,
}

/// Result of a [`Pair`].
#[derive(Debug, Clone, PartialEq)]
pub struct Ratio {
    /// As [`Pair::what`].
    pub what: String,
    /// As [`Pair::beside`].
    pub beside: String,
    /// Quickest time of ours over the quickest of the plain work.
    pub ratio: f64,
}

impl Pair {
    /// Makes a pair of two pieces of work, which are timed.
    pub fn of_work<T, U>(
        what: &'static str,
        beside: &'static str,
        mut ours: impl FnMut() -> T + 'static,
        mut theirs: impl FnMut() -> U + 'static,
    ) -> Pair {
        fn seconds<T>(run: &mut impl FnMut() -> T) -> f64 {
            let began = Instant::now();
            black_box(run());
            began.elapsed().as_secs_f64()
        }
        let (ours, theirs) =
            (Box::new(move || seconds(&mut ours)), Box::new(move || seconds(&mut theirs)));
        Pair { what, beside, ours, theirs }
    }

    /// Runs both in turns, so many times. The quickest of each counts, because other load only makes
    /// them slower.
    pub fn measure(&mut self, rounds: usize) -> Ratio {
        let (mut ours, mut theirs) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..rounds {
            ours = ours.min((self.ours)());
            theirs = theirs.min((self.theirs)());
        }
        let ratio = ours / theirs;
        Ratio { what: self.what.to_owned(), beside: self.beside.to_owned(), ratio }
    }
}

/// Table of ratios in a Markdown file, between two marks.
#[derive(Debug)]
pub struct Table;

impl Table {
    const BEGIN: &str = "<!-- ratios -->\n";
    const END: &str = "<!-- end of ratios -->\n";

    /// Returns the ratios in a file's text; `None` without the marks.
    pub fn read(text: &str) -> Option<Vec<Ratio>> {
        let table = text.split_once(Self::BEGIN)?.1.split_once(Self::END)?.0;
        let row = |line: &str| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (what, beside) = (cells.next()?.to_owned(), cells.next()?.to_owned());
            Some(Ratio { what, beside, ratio: cells.next()?.parse().ok()? })
        };
        Some(table.lines().filter_map(row).collect())
    }

    /// Returns the text with the table replaced; `measured` says on what, at which commit and when.
    /// `None` without the marks.
    pub fn replaced(text: &str, ratios: &[Ratio], measured: &str) -> Option<String> {
        let (before, rest) = text.split_once(Self::BEGIN)?;
        let (_, after) = rest.split_once(Self::END)?;
        let mut table =
            format!("{measured}\n\n| what | beside | ratio of times |\n|---|---|--:|\n");
        for Ratio { what, beside, ratio } in ratios {
            let _ = writeln!(table, "| {what} | {beside} | {ratio:.3} |");
        }
        Some(format!("{before}{}\n{table}\n{}{after}", Self::BEGIN, Self::END))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_written_is_read() {
        let ratio = |what: &str, ratio| Ratio { what: what.into(), beside: "plain".into(), ratio };
        let ratios = [ratio("a step, d = 784", 0.25), ratio("a fit", 12.5)];
        let text = format!("# Top\n{}old\n{}below\n", Table::BEGIN, Table::END);
        let written = Table::replaced(&text, &ratios, "Two cores, commit abc, 2026-01-01.");
        let written = written.expect("marks");
        assert!(written.starts_with("# Top\n") && written.ends_with("below\n"), "{written}");
        assert!(!written.contains("old") && written.contains("commit abc"));
        assert_eq!(Table::read(&written).as_deref(), Some(&ratios[..]));
        assert_eq!(Table::replaced("no marks", &ratios, ""), None);
    }

    #[test]
    fn the_quickest_of_each_counts() {
        let mut times = [3.0, 1.0, 2.0].into_iter();
        let (ours, theirs) = (move || times.next().unwrap_or(9.0), || 2.0);
        let mut pair =
            Pair { what: "a", beside: "b", ours: Box::new(ours), theirs: Box::new(theirs) };
        assert_eq!(pair.measure(3).ratio, 0.5);
    }
}
