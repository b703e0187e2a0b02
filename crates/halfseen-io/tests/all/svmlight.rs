//! Checks every rule of the SVMlight reader, on chosen rows, generated ones and arbitrary bytes.

use flate2::{Compression, write::GzEncoder};
use halfseen::data::{Cell, Matrix, Table};
use halfseen_io::{ErrorKind, Result, Source, SvmlightOptions, read_data, read_svmlight};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Write;

fn read(text: impl AsRef<[u8]>) -> Result<Table> {
    read_svmlight(Source::bytes("t.svm", text.as_ref()), &SvmlightOptions::default())
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn names(table: &Table) -> Vec<&str> {
    table.columns().iter().map(|c| c.name.as_str()).collect()
}

/// Returns the cells of a column as text; a missing one is `-`.
fn column(table: &Table, name: &str) -> Vec<String> {
    let column = table.column(name).unwrap();
    let cell = |row| match table.cell(row, column) {
        Cell::Number(number) => number.to_string(),
        Cell::Text(text) => format!("'{text}'"),
        Cell::Missing => "-".to_owned(),
    };
    (0..table.rows()).map(cell).collect()
}

#[test]
fn absent_cells_are_zero_and_only_written_ones_missing() {
    let table = read("+1 1:0.5 4:-2e1 # first\n\n# between\n-1\n0 2:nan 3:NA 4:?\n").unwrap();
    assert!(matches!(table.numbers(), Matrix::Csr(_)));
    assert_eq!(names(&table), ["f1", "f2", "f3", "f4", "label"]);
    assert_eq!(column(&table, "f1"), ["0.5", "0", "0"]);
    assert_eq!(column(&table, "f2"), ["0", "0", "-"]);
    assert_eq!(column(&table, "f4"), ["-20", "0", "-"]);
    assert_eq!(column(&table, "label"), ["1", "-1", "0"]);
}

#[test]
fn names_are_the_indices_as_written_from_zero_or_one() {
    assert_eq!(names(&read("1 2:1\n").unwrap()), ["f1", "f2", "label"]);
    let table = read("1 2:7\n0 0:5\n").unwrap();
    assert_eq!(names(&table), ["f0", "f1", "f2", "label"]);
    assert_eq!(
        (column(&table, "f0"), column(&table, "f2")),
        (vec!["0".into(), "5".into()], vec!["7".into(), "0".into()])
    );
    let options = SvmlightOptions { columns: 3, ..SvmlightOptions::default() };
    let table = read_svmlight(Source::bytes("t", b"1 1:1\n2\n"), &options).unwrap();
    assert_eq!(names(&table), ["f1", "f2", "f3", "label"]);
}

#[test]
fn queries_stand_in_a_column_of_their_own() {
    let table = read("1 qid:3 1:2\n2 1:5\n").unwrap();
    assert_eq!(names(&table), ["f1", "label", "qid"]);
    assert_eq!(column(&table, "qid"), ["3", "-"]);
    assert_eq!(column(&table, "f1"), ["2", "5"]);
}

#[test]
fn line_ends_byte_order_mark_tabs_and_gzip_change_nothing() {
    for text in ["1 1:2 2:3\n2 2:4\n", "\u{feff}1\t1:2  2:3 \r\n2 2:4", " 1 1:2 2:3\r\r2 2:4\r"] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let table = read(bytes).unwrap();
            assert_eq!(
                (column(&table, "f2"), column(&table, "label")),
                (vec!["3".into(), "4".into()], vec!["1".into(), "2".into()])
            );
        }
    }
}

#[test]
fn what_is_no_row_is_refused_with_its_line() {
    for (text, part) in [
        ("1 1:2\nx 1:2\n", "line 2 holds 'x', which is not a label"),
        ("1 1:2\n\n1,2 1:2\n", "line 3 holds '1,2', which is several labels"),
        ("inf 1:2\n", "line 1 holds 'inf', which is not a finite label"),
        ("1 1:2 3\n", "line 1 holds '3', which is not a pair"),
        ("1 1:2 a:3\n", "'a:3', which is not a pair"),
        ("1 1:\n", "'1:', which is not a pair"),
        ("1 :1\n", "':1', which is not a pair"),
        ("1 -1:1\n", "'-1:1', which is not a pair"),
        ("1 1:2:3\n", "'1:2:3', which is not a pair"),
        ("1 qid:x 1:2\n", "'x', which is not a query"),
        ("1 1:2 qid:3\n", "'qid:3', which is not a pair"),
        ("1 2:1 2:1\n", "'2', which is not larger than the previous index"),
        ("1 2:1 1:1\n", "'1', which is not larger than the previous index"),
        ("1 1:1\n1 2:0 7:-inf\n", "row 2 (line 2), column 'f7'"),
        ("# only\n\n", "is empty"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
}

#[test]
fn a_hostile_index_is_refused_before_columns_are_made() {
    for index in
        ["4194305", "4000000000", "4294967295", "4294967296", "99999999999999999999999999999999"]
    {
        let error = read(format!("1 1:1\n1 {index}:1\n")).unwrap_err();
        let said = "which is beyond the limit of 4194304 columns";
        assert!(matches!(error.kind(), ErrorKind::BadLine { line: 2, .. }), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    let options = SvmlightOptions { column_limit: 3, ..SvmlightOptions::default() };
    assert!(read_svmlight(Source::bytes("t", b"1 3:1\n"), &options).is_ok());
    assert!(read_svmlight(Source::bytes("t", b"1 4:1\n"), &options).is_err());
}

#[test]
fn a_path_is_recognised_by_content_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    for bytes in [b"1 1:2\n-1 2:1\n".to_vec(), gzip(b"1 1:2\n-1 2:1\n")] {
        std::fs::write(&path, bytes).unwrap();
        let table = read_data(&path).unwrap();
        assert_eq!(names(&table), ["f1", "f2", "label"]);
    }
}

/// An intended row: label, query, entries; NaN is a missing value.
type Meant = (f64, Option<u16>, BTreeMap<u16, f64>);

fn meant() -> impl Strategy<Value = Vec<Meant>> {
    let finite = any::<f64>().prop_filter("finite", |v| v.is_finite());
    let value =
        prop_oneof![6 => finite.boxed(), 2 => (-9_i8..9).prop_map(f64::from), 1 => Just(f64::NAN)];
    let label = prop_oneof![Just(1.0), Just(-1.0), -1e9..1e9];
    let row = (label, prop::option::of(0..9_u16), btree_map(0..40_u16, value, 0..8));
    vec(row, 1..8)
}

fn write(rows: &[Meant]) -> String {
    let line = |(label, query, entries): &Meant| {
        let query = query.map_or(String::new(), |q| format!(" qid:{q}"));
        let entries: String = entries.iter().map(|(i, v)| format!(" {i}:{v}")).collect();
        format!("{label}{query}{entries}\n")
    };
    rows.iter().map(line).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_rows_come_back_exactly(rows in meant(), packed in any::<bool>()) {
        let text = write(&rows).into_bytes();
        let table = read(if packed { gzip(&text) } else { text }).unwrap();
        let largest = rows.iter().filter_map(|r| r.2.keys().last()).max().copied().unwrap_or(0);
        prop_assert_eq!(table.rows(), rows.len());
        for (r, (label, query, entries)) in rows.iter().enumerate() {
            let cell = |name: &str| table.column(name).ok().map(|c| table.cell(r, c));
            prop_assert_eq!(cell("label"), Some(Cell::Number(*label)));
            let query = query.map_or(Cell::Missing, |q| Cell::Number(f64::from(q)));
            prop_assert_eq!(cell("qid").unwrap_or(Cell::Missing), query);
            for i in 1..=largest {
                let value = entries.get(&i).copied().unwrap_or(0.0);
                let expected = if value.is_nan() { Cell::Missing } else { Cell::Number(value) };
                prop_assert_eq!(cell(&format!("f{i}")), Some(expected));
            }
        }
    }

    #[test]
    fn cut_and_arbitrary_bytes_never_panic(rows in meant(), cut in any::<prop::sample::Index>(), noise in vec(any::<u8>(), 0..200)) {
        let text = write(&rows).into_bytes();
        let _ = read(&text[..cut.index(text.len())]);
        let _ = read(&noise);
        let packed = gzip(&text);
        prop_assert!(read(&packed[..cut.index(packed.len())]).is_err());
    }

    #[test]
    fn rows_with_characters_changed_never_panic(rows in meant(), changes in vec((any::<prop::sample::Index>(), prop::sample::select(&b" :#,-+.\n\r\tqidnaef019\xff"[..])), 1..6)) {
        let mut text = write(&rows).into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        if let Ok(table) = read(&text) {
            prop_assert!(table.columns().iter().any(|c| c.name == "label"));
        }
    }
}
