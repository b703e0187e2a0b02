//! Measures the readers of all formats in cells per second, on the same generated tables.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use halfseen::data::Table;
use halfseen_io::{
    CsvOptions, ParquetOptions, Result, Source, SvmlightOptions, read_csv, read_parquet,
    read_svmlight,
};
use parquet::data_type::DoubleType;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use std::sync::Arc;

mod clock;

const ROWS: usize = 10_000;
const COLUMNS: usize = 100;
const RUNS: usize = 7;

type Reader = fn(&[u8]) -> Result<Table>;

fn main() {
    println!("{:<10} {:<10} {:>8} {:>14} {:>8}", "table", "format", "MB", "Mcells/s", "to CSV");
    report("decimals", &table(|random| (random % 200_000_000) as f64 / 1e6 - 100.0));
    report("counts", &table(|random| (random % 20).saturating_sub(12) as f64));
}

fn report(name: &str, rows: &[Vec<f64>]) {
    let formats: [(&str, Vec<u8>, Reader); 3] = [
        ("CSV", csv(rows), |b| read_csv(Source::bytes("t", b), &CsvOptions::default())),
        ("SVMlight", svmlight(rows), |b| {
            read_svmlight(Source::bytes("t", b), &SvmlightOptions::default())
        }),
        ("Parquet", parquet(rows), |b| {
            read_parquet(Source::bytes("t", b), &ParquetOptions::default())
        }),
    ];
    let mut seconds = vec![Vec::new(); formats.len()];
    for _ in 0..RUNS {
        for ((_, bytes, read), seconds) in formats.iter().zip(&mut seconds) {
            seconds.push(clock::seconds(|| assert_eq!(read(bytes).unwrap().rows(), ROWS)));
        }
    }
    let medians: Vec<f64> = seconds.iter_mut().map(|all| clock::median(all)).collect();
    for ((format, bytes, _), median) in formats.iter().zip(&medians) {
        let cells = (ROWS * COLUMNS) as f64 / median / 1e6;
        println!(
            "{name:<10} {format:<10} {:>8.1} {cells:>14.1} {:>8.2}",
            bytes.len() as f64 / 1e6,
            medians[0] / median
        );
    }
}

/// Makes cells from the numbers of a fixed sequence (xorshift).
fn table(cell: impl Fn(u64) -> f64) -> Vec<Vec<f64>> {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        cell(state)
    };
    (0..ROWS).map(|_| (0..COLUMNS).map(|_| next()).collect()).collect()
}

fn csv(rows: &[Vec<f64>]) -> Vec<u8> {
    let header = (0..COLUMNS).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",") + "\n";
    let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    (header + &rows.iter().map(line).collect::<String>()).into_bytes()
}

/// Writes rows without zeros; the first column is the label.
fn svmlight(rows: &[Vec<f64>]) -> Vec<u8> {
    let line = |row: &Vec<f64>| {
        let cells = row.iter().enumerate().skip(1).filter(|(_, v)| **v != 0.0);
        format!("{}{}\n", row[0], cells.map(|(i, v)| format!(" {i}:{v}")).collect::<String>())
    };
    rows.iter().map(line).collect::<String>().into_bytes()
}

fn parquet(rows: &[Vec<f64>]) -> Vec<u8> {
    let columns: String = (0..COLUMNS).map(|c| format!("optional double c{c};")).collect();
    let schema = Arc::new(parse_message_type(&format!("message m {{ {columns} }}")).unwrap());
    let properties =
        WriterProperties::builder().set_compression(parquet::basic::Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for c in 0..COLUMNS {
        let cells: Vec<f64> = rows.iter().map(|row| row[c]).collect();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&cells, Some(&vec![1; ROWS]), None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    out
}
