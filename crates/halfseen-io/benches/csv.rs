//! Measures the CSV reader in MB of a second of processor time and compares it with a plain loop over the `csv` crate.
//!
//! `cargo bench -p halfseen-io --bench csv -- FILE.csv` measures a file instead.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen_io::{CsvOptions, Source, read_csv};
use std::fmt::Write;

mod clock;

const ROWS: usize = 13_454;
const COLUMNS: usize = 784;
const RUNS: usize = 7;

fn main() {
    println!("{:<24} {:>8} {:>10} {:>10} {:>8}", "data", "MB", "ours MB/s", "csv MB/s", "ratio");
    if let Some(path) = std::env::args().skip(1).find(|a| !a.starts_with("--")) {
        return report(&path, &std::fs::read_to_string(&path).unwrap(), false);
    }
    report("pixels like MNIST's", &digits(), true);
    report("decimal numbers", &decimals(), true);
    report("numbers, one text", &with_text(), false);
    report("quoted cells", &quoted(), true);
}

fn report(name: &str, text: &str, numeric: bool) {
    let mb = text.len() as f64 / 1e6;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let source = || Source::bytes("bench", text.as_bytes());
        ours.push(clock::seconds(|| read_csv(source(), &CsvOptions::default()).unwrap()));
        theirs.push(clock::seconds(|| plain_loop(text, numeric)));
    }
    let [ours, theirs] = [&mut ours, &mut theirs].map(|seconds| mb / clock::median(seconds));
    println!("{name:<24} {mb:>8.1} {ours:>10.0} {theirs:>10.0} {:>8.1}", ours / theirs);
}

/// Parses each cell of string records, as a first implementation would.
fn plain_loop(text: &str, numeric: bool) -> Vec<f64> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let mut record = csv::StringRecord::new();
    let mut cells = Vec::new();
    while reader.read_record(&mut record).unwrap() {
        for cell in &record {
            match cell.trim().parse() {
                Ok(number) => cells.push(number),
                Err(_) => assert!(!numeric || cell.is_empty()),
            }
        }
    }
    cells
}

/// Returns the next number of a fixed sequence (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

fn header(columns: usize) -> String {
    let mut text = String::from("label");
    (0..columns).for_each(|c| write!(text, ",p{c}").unwrap());
    text + "\n"
}

/// Writes runs of zeros and strokes of 4 to 9 lit pixels; a fifth of pixels is lit, as in MNIST.
fn digits() -> String {
    let (mut text, mut state) = (header(COLUMNS), 1);
    for _ in 0..ROWS {
        text.push_str(if next(&mut state).is_multiple_of(2) { "3" } else { "5" });
        let (mut left, mut lit) = (0, true);
        for _ in 0..COLUMNS {
            if left == 0 {
                lit = !lit;
                left = if lit { 4 + next(&mut state) % 6 } else { 16 + next(&mut state) % 21 };
            }
            left -= 1;
            write!(text, ",{}", if lit { 1 + next(&mut state) % 255 } else { 0 }).unwrap();
        }
        text.push('\n');
    }
    text
}

fn decimals() -> String {
    let (mut text, mut state) = (header(50), 2);
    for _ in 0..20_000 {
        text.push('1');
        (0..50).for_each(|_| {
            write!(text, ",{:.6}", next(&mut state) as f64 / u64::MAX as f64 * 200.0 - 100.0)
                .unwrap()
        });
        text.push('\n');
    }
    text
}

fn with_text() -> String {
    let (mut text, mut state) = (header(50), 3);
    for _ in 0..50_000 {
        write!(text, "class {}", next(&mut state) % 10).unwrap();
        (0..50).for_each(|_| write!(text, ",{}", next(&mut state) % 100_000).unwrap());
        text.push('\n');
    }
    text
}

fn quoted() -> String {
    let (mut text, mut state) = (header(50), 4);
    for _ in 0..50_000 {
        text.push_str("\"1\"");
        (0..50).for_each(|_| write!(text, ",\"{}\"", next(&mut state) % 100_000).unwrap());
        text.push('\n');
    }
    text
}
