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

    /// Returns the ratios of a processor in a file's text. One that has no table has that of its name
    /// alone, the part before the first comma, or else the largest that any has. `None` without the
    /// marks.
    pub fn read(text: &str, processor: &str) -> Option<Vec<Ratio>> {
        let tables = text.split_once(Self::BEGIN)?.1.split_once(Self::END)?.0;
        let row = |line: &str| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (what, beside) = (cells.next()?.to_owned(), cells.next()?.to_owned());
            Some(Ratio { what, beside, ratio: cells.next()?.parse().ok()? })
        };
        let rows = |table: &str| table.lines().filter_map(row).collect::<Vec<Ratio>>();
        let all = Self::by_processor(tables);
        let of = |name: &str| all.iter().find(|(line, _)| line.ends_with(&end(name)));
        let name = processor.split(',').next().unwrap_or_default();
        if let Some((_, table)) = of(processor).or_else(|| of(name)) {
            return Some(rows(table));
        }
        let mut largest: Vec<Ratio> = Vec::new();
        for row in all.iter().flat_map(|(_, table)| rows(table)) {
            match largest.iter_mut().find(|other| other.what == row.what) {
                Some(other) => other.ratio = other.ratio.max(row.ratio),
                None => largest.push(row),
            }
        }
        Some(largest)
    }

    /// Returns the text with the table of a processor replaced, or added after the others; `measured`
    /// says at which commit, when and on how many cores. `None` without the marks.
    pub fn replaced(
        text: &str,
        ratios: &[Ratio],
        measured: &str,
        processor: &str,
    ) -> Option<String> {
        let (before, rest) = text.split_once(Self::BEGIN)?;
        let (tables, after) = rest.split_once(Self::END)?;
        let line = format!("{measured}{}", end(processor));
        let mut table = String::from("| what | beside | ratio of times |\n|---|---|--:|");
        for Ratio { what, beside, ratio } in ratios {
            let _ = write!(table, "\n| {what} | {beside} | {ratio:.3} |");
        }
        let mut all = Self::by_processor(tables);
        match all.iter_mut().find(|(line, _)| line.ends_with(&end(processor))) {
            Some(own) => *own = (&line, &table),
            None => all.push((&line, &table)),
        }
        let tables: String =
            all.iter().map(|(line, table)| format!("\n{line}\n\n{table}\n")).collect();
        Some(format!("{before}{}{tables}\n{}{after}", Self::BEGIN, Self::END))
    }

    /// Returns for each processor the line that ends with its name, and its table.
    fn by_processor(tables: &str) -> Vec<(&str, &str)> {
        let blocks: Vec<&str> = tables.trim().split("\n\n").collect();
        blocks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
    }
}

/// Returns the end of the line above a processor's table.
fn end(processor: &str) -> String {
    format!(", {processor}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_was_written_is_read() {
        let ratio = |what: &str, ratio| Ratio { what: what.into(), beside: "plain".into(), ratio };
        let ratios = [ratio("a step, d = 784", 0.25), ratio("a fit", 12.5)];
        let text = format!("# Top\n{}{}below\n", Table::BEGIN, Table::END);
        let written = Table::replaced(&text, &ratios, "2026-01-01, commit abc", "One").unwrap();
        assert!(written.starts_with("# Top\n") && written.ends_with("below\n"), "{written}");
        assert!(written.contains("commit abc, One."));
        assert_eq!(Table::read(&written, "One").as_deref(), Some(&ratios[..]));
        // Each processor has a table of its own.
        let slower = [ratio("a fit", 20.0)];
        let both = Table::replaced(&written, &slower, "2026-01-02, commit d", "Two").unwrap();
        let again = Table::replaced(&both, &ratios[..1], "2026-01-03, commit e", "One").unwrap();
        assert!(!again.contains("commit abc") && again.contains("commit e, One."), "{again}");
        assert_eq!(Table::read(&both, "One").as_deref(), Some(&ratios[..]));
        assert_eq!(Table::read(&again, "One").as_deref(), Some(&ratios[..1]));
        assert_eq!(Table::read(&again, "Two").as_deref(), Some(&slower[..]));
        // Two of one name.
        let old = Table::replaced(&both, &slower[..], "2026-01-04", "One, model 2").unwrap();
        assert_eq!(Table::read(&old, "One, model 2").as_deref(), Some(&slower[..]));
        assert_eq!(Table::read(&old, "One, model 1").as_deref(), Some(&ratios[..]));
        assert_eq!(Table::read(&old, "One").as_deref(), Some(&ratios[..]));
        let largest = [ratios[0].clone(), slower[0].clone()];
        assert_eq!(Table::read(&both, "Three").as_deref(), Some(&largest[..]));
        assert_eq!(Table::replaced("no marks", &ratios, "", "One"), None);
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
