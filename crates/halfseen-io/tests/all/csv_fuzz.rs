//! Feeds the CSV reader generated tables and arbitrary bytes.

use flate2::{Compression, write::GzEncoder};
use halfseen::data::{Cell, Table};
use halfseen_io::{CsvOptions, Source, read_csv};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;

/// An intended cell, with the ways to write it.
#[derive(Debug, Clone)]
enum Meant {
    Number(f64),
    Text(String),
    Missing(&'static str),
}

#[derive(Debug, Clone)]
struct Style {
    line_end: &'static str,
    last_line_end: bool,
    byte_order_mark: bool,
    blank_lines: bool,
    quote_all: bool,
    gzip: bool,
}

fn style() -> impl Strategy<Value = Style> {
    let ends = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (ends, any::<[bool; 5]>()).prop_map(
        |(line_end, [last_line_end, byte_order_mark, blank_lines, quote_all, gzip])| Style {
            line_end,
            last_line_end,
            byte_order_mark,
            blank_lines,
            quote_all,
            gzip,
        },
    )
}

fn missing() -> impl Strategy<Value = Meant> {
    prop::sample::select(vec!["NA", "NaN", "nan", "?"]).prop_map(Meant::Missing)
}

fn number() -> impl Strategy<Value = f64> {
    let finite = any::<f64>().prop_filter("finite", |v| v.is_finite());
    prop_oneof![Just(0.0), (-1000_i32..1000).prop_map(f64::from), (-1e6..1e6), finite]
}

/// Generates rows of columns that are all numbers or all texts (except missing cells).
fn rows() -> impl Strategy<Value = Vec<Vec<Meant>>> {
    let text = "[ a-c,\"\n\ré]{0,6}z"; // the z keeps it from being empty, a number or a marker
    let cell = move |is_text: bool| match is_text {
        true => prop_oneof![6 => text.prop_map(Meant::Text), 1 => missing()].boxed(),
        false => prop_oneof![6 => number().prop_map(Meant::Number), 1 => missing()].boxed(),
    };
    vec(any::<bool>(), 1..6).prop_flat_map(move |kinds| {
        let row: Vec<_> = kinds.iter().map(|&is_text| cell(is_text)).collect();
        vec(row, 1..8)
    })
}

fn write_cell(cell: &Meant, quote: bool) -> String {
    let text = match cell {
        Meant::Number(number) => number.to_string(),
        Meant::Text(text) => text.clone(),
        Meant::Missing(marker) => (*marker).to_owned(),
    };
    let needed =
        text.contains([',', '"', '\n', '\r']) || text.starts_with(' ') || text.ends_with(' ');
    if needed || quote { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

fn write(rows: &[Vec<Meant>], style: &Style) -> Vec<u8> {
    let mut lines = vec![(0..rows[0].len()).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",")];
    for row in rows {
        lines.push(
            row.iter().map(|cell| write_cell(cell, style.quote_all)).collect::<Vec<_>>().join(","),
        );
        if style.blank_lines {
            lines.push(String::new());
        }
    }
    let mark = if style.byte_order_mark { "\u{feff}" } else { "" };
    let end = if style.last_line_end { style.line_end } else { "" };
    let bytes = format!("{mark}{}{end}", lines.join(style.line_end)).into_bytes();
    if style.gzip { gzip(&bytes) } else { bytes }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn read(bytes: &[u8]) -> halfseen_io::Result<Table> {
    read_csv(
        Source::bytes("t.csv", bytes),
        &CsvOptions { record_limit: 1 << 20, ..CsvOptions::default() },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_tables_come_back_exactly(rows in rows(), style in style()) {
        let table = read(&write(&rows, &style)).unwrap();
        prop_assert_eq!(table.rows(), rows.len());
        for (r, row) in rows.iter().enumerate() {
            for (cell, column) in row.iter().zip(table.columns()) {
                match (cell, table.cell(r, column)) {
                    (Meant::Number(a), Cell::Number(b)) => prop_assert_eq!(a.to_bits(), b.to_bits()),
                    (Meant::Text(a), Cell::Text(b)) => prop_assert_eq!(a, b),
                    (Meant::Missing(_), Cell::Missing) => {}
                    (a, b) => prop_assert!(false, "{a:?} came back as {b:?}"),
                }
            }
        }
    }

    #[test]
    fn a_table_cut_anywhere_never_panics_and_a_cut_gzip_is_an_error(rows in rows(), style in style(), cut in any::<prop::sample::Index>()) {
        let bytes = write(&rows, &style);
        let cut = cut.index(bytes.len());
        let result = read(&bytes[..cut]);
        prop_assert!(result.is_err() || !style.gzip);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes);
        let _ = read(&gzip(&bytes));
    }
}
