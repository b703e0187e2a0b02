//! Reads files in batches, which hold the cells of the whole table.

use flate2::{Compression, write::GzEncoder};
use halfseen::data::{Cell, Table};
use halfseen_io::{Batches, CsvOptions, Decimal, ErrorKind, Remark, Source, Wanted};
use halfseen_io::{read_data, read_data_with};
use std::io::Write;

fn wanted(numbers: &[&str], texts: &[&str]) -> Wanted {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    Wanted { numbers: names(numbers), texts: names(texts), ..Wanted::default() }
}

/// Reads bytes in batches of so many rows.
fn batches(
    bytes: &[u8],
    options: &CsvOptions,
    wanted: &Wanted,
    rows: usize,
) -> halfseen_io::Result<Vec<(usize, Table)>> {
    let source = Source::bytes("t", bytes);
    let (batches, _) = Batches::open(&source, options, wanted)?;
    let mut batches = batches.of_rows(rows);
    let mut parts = Vec::new();
    while let Some(batch) = batches.next_batch()? {
        parts.push((batch.before, batch.rows));
    }
    if let Some((done, total)) = batches.progress() {
        assert_eq!(done, total);
    }
    Ok(parts)
}

/// Returns the cells of these columns, row by row, as text.
fn cells(table: &Table, names: &[&str]) -> Vec<Vec<String>> {
    let cell = |row: usize, name: &&str| match table.cell(row, table.column(name).unwrap()) {
        Cell::Number(number) => format!("{number:?}"),
        Cell::Text(text) => text.to_owned(),
        Cell::Missing => "missing".to_owned(),
    };
    (0..table.rows()).map(|row| names.iter().map(|name| cell(row, name)).collect()).collect()
}

/// Compares batches of one, two, three and all rows with the whole table.
#[track_caller]
fn equal_the_table(bytes: &[u8], options: &CsvOptions, wanted: &Wanted) {
    let (table, _) = read_data_with(Source::bytes("t", bytes), options).unwrap();
    let names: Vec<&str> = wanted.numbers.iter().chain(&wanted.texts).map(String::as_str).collect();
    for rows in [1, 2, 3, 1000] {
        let parts = batches(bytes, options, wanted, rows).unwrap();
        let mut all = Vec::new();
        for (before, table) in &parts {
            assert_eq!(*before, all.len());
            assert!(table.rows() <= rows);
            all.extend(cells(table, &names));
        }
        assert_eq!(all, cells(&table, &names), "batches of {rows}");
    }
}

const CSV: &[u8] = b"a,t,b,left,c\n1,x,2.5,q,\n-3,,NA,q,4\n0,\"y,\nz\",1e3,7,5\n9,x,.,q,6\n";

#[test]
fn csv_in_batches_holds_the_cells_of_the_table() {
    let plain = CsvOptions::default();
    equal_the_table(CSV, &plain, &wanted(&["a", "b", "c"], &["t"]));
    let mut zipped = GzEncoder::new(Vec::new(), Compression::fast());
    zipped.write_all(CSV).unwrap();
    equal_the_table(&zipped.finish().unwrap(), &plain, &wanted(&["c", "a"], &[]));
    let commas = b"i;n;t\n1;1.234,5;a\n2;,5;b\n3;7;a\n";
    equal_the_table(commas, &plain, &wanted(&["i", "n"], &["t"]));
    let declared = CsvOptions { decimal: Some(Decimal::Comma), ..plain.clone() };
    equal_the_table(commas, &declared, &wanted(&["n"], &["t"]));
    let own = CsvOptions { missing: vec!["-99".into()], ..plain.clone() };
    equal_the_table(b"a,b\n-99,1\n2,-99\n", &own, &wanted(&["a", "b"], &[]));
    // A first column that counts the rows.
    equal_the_table(b",a,b\n0,1,x\n1,2,y\n", &plain, &wanted(&["a"], &["b"]));
}

#[test]
fn svmlight_in_batches_holds_the_cells_of_the_table() {
    let plain = CsvOptions::default();
    let svmlight = b"1 1:2 3:4\n-1 qid:2 2:1\n1\n1 3:nan\n";
    equal_the_table(svmlight, &plain, &wanted(&["f1", "f2", "f3", "label"], &[]));
}

#[test]
fn all_columns_are_of_the_kind_that_the_first_rows_show() {
    let all = Wanted { others: true, ..Wanted::default() };
    let equal = |bytes: &[u8]| {
        let table = read_data_with(Source::bytes("t", bytes), &CsvOptions::default()).unwrap().0;
        let names: Vec<&str> = table.columns().iter().map(|column| &*column.name).collect();
        for rows in [1, 2, 1000] {
            let parts = batches(bytes, &CsvOptions::default(), &all, rows).unwrap();
            let actual: Vec<_> = parts.iter().flat_map(|(_, part)| cells(part, &names)).collect();
            assert_eq!(actual, cells(&table, &names), "{rows}");
        }
    };
    equal(CSV);
    equal(b"i;n;t\n1;1.234,5;a\n2;,5;b\n3;7;a\n");
    #[cfg(feature = "parquet")]
    equal(&parquet(7));
    let but = Wanted { except: ["t".to_owned()].into(), ..all.clone() };
    let source = Source::bytes("t", CSV);
    let (mut some, _) = Batches::open(&source, &CsvOptions::default(), &but).unwrap();
    let table = some.next_batch().unwrap().unwrap().rows;
    assert_eq!((some.left_out(), table.columns().len()), (&["t".to_owned()][..], 4));
    let late = [&b"a,b\n"[..], &b"1,2\n".repeat(10_000), b"x,3\n"].concat();
    let error = batches(&late, &CsvOptions::default(), &all, 1000).unwrap_err();
    assert!(
        error.to_string().contains("row 10001 (line 10002), column 'a': 'x' is not a number"),
        "{error}"
    );
}

#[test]
fn texts_are_kept_as_written_and_unwanted_columns_are_left_out() {
    let bytes = b"id,n,x\n007,1,junk\n1.0,2,1\n,3,2\n";
    let source = Source::bytes("t", bytes);
    let options = CsvOptions::default();
    let (mut batches, remarks) =
        Batches::open(&source, &options, &wanted(&["n"], &["id"])).unwrap();
    assert_eq!((batches.left_out(), remarks), (&["x".to_owned()][..], Vec::new()));
    let table = batches.next_batch().unwrap().unwrap().rows;
    assert_eq!(
        cells(&table, &["id", "n"]),
        [["007", "1.0"], ["1.0", "2.0"], ["missing", "3.0"]].map(|r| r.map(String::from).to_vec())
    );
    assert!(batches.next_batch().unwrap().is_none());
}

#[test]
fn a_cell_that_is_no_number_is_refused_at_its_place() {
    let rows: String = (0..20_000).map(|i| format!("{i},x\n")).collect();
    let refused = |last: &str| {
        let text = format!("a,t\n{rows}{last},x\n");
        let plain = CsvOptions::default();
        let error = batches(text.as_bytes(), &plain, &wanted(&["a"], &["t"]), 7000).unwrap_err();
        match error.kind() {
            ErrorKind::BadCell { row, line, column, problem } => {
                let text = problem.split(" is not a ").next().unwrap();
                (*row, *line, column.clone(), text.trim_matches('\'').to_owned())
            }
            _ => panic!("{error}"),
        }
    };
    for last in ["abc", "inf", "\"1,5\""] {
        let text = last.trim_matches('"').to_owned();
        assert_eq!(refused(last), (20_001, Some(20_002), "a".to_owned(), text));
    }
    let error = batches(b"a\n1\nx\n", &CsvOptions::default(), &wanted(&["a"], &[]), 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BadCell { row: 2, .. }), "{error}");
}

#[test]
fn odd_numbers_are_read_by_what_the_first_rows_show() {
    let bytes = b"a;b\n1,5;2\n2,5;n/a\n";
    let source = Source::bytes("t", bytes);
    let (_, remarks) =
        Batches::open(&source, &CsvOptions::default(), &wanted(&["a", "b"], &[])).unwrap();
    let numbers =
        |remark: &Remark| matches!(remark, Remark::Numbers { columns, .. } if columns[..] == ["a"]);
    assert!(remarks.iter().any(numbers), "{remarks:?}");
    let ambiguous = b"a;b\n1,500;2\n2,500;x\n";
    let open = |wanted: &Wanted| {
        let source = Source::bytes("t", ambiguous);
        Batches::open(&source, &CsvOptions::default(), wanted).map(drop)
    };
    let error = open(&wanted(&["a"], &["b"])).unwrap_err();
    assert!(error.to_string().contains("may have a decimal comma"), "{error}");
    // What is not needed may be anything.
    open(&wanted(&[], &["b"])).unwrap();
}

#[test]
fn files_without_rows_are_refused_as_the_table_is() {
    for bytes in [&b""[..], b"a,b\n"] {
        let path = Source::bytes("t", bytes);
        let whole = read_data_with(path, &CsvOptions::default()).unwrap_err();
        let error = batches(bytes, &CsvOptions::default(), &wanted(&["a"], &[]), 9).unwrap_err();
        assert_eq!(error.to_string(), whole.to_string());
    }
    assert!(read_data("nowhere.csv").is_err());
    let nowhere = Source::path(std::path::Path::new("nowhere.csv"));
    assert!(Batches::open(&nowhere, &CsvOptions::default(), &wanted(&["a"], &[])).is_err());
}

/// Returns a Parquet file of groups of three rows, of numbers `a` to `d` and a text `t`.
#[cfg(feature = "parquet")]
fn parquet(rows: usize) -> Vec<u8> {
    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType};
    use parquet::file::writer::SerializedFileWriter;
    let text = "message m { required double a; optional double b; required double c; required double d; optional binary t (STRING); }";
    let schema = parquet::schema::parser::parse_message_type(text).unwrap().into();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    for start in (0..rows).step_by(3) {
        let numbers: Vec<f64> = (start..rows.min(start + 3)).map(|i| i as f64).collect();
        let levels: Vec<i16> = numbers.iter().map(|v| i16::from(v % 2.0 == 0.0)).collect();
        let there: Vec<f64> = numbers.iter().copied().filter(|v| v % 2.0 == 0.0).collect();
        let texts: Vec<ByteArray> = there.iter().map(|v| format!("t{v}").as_str().into()).collect();
        let mut group = writer.next_row_group().unwrap();
        let mut at = 0;
        while let Some(mut column) = group.next_column().unwrap() {
            match at {
                1 => column.typed::<DoubleType>().write_batch(&there, Some(&levels), None),
                4 => column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None),
                _ => column.typed::<DoubleType>().write_batch(&numbers, None, None),
            }
            .unwrap();
            column.close().unwrap();
            at += 1;
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    out
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_in_batches_crosses_row_groups_and_decodes_only_wanted_columns() {
    let file = parquet(8);
    let plain = CsvOptions::default();
    equal_the_table(&file, &plain, &wanted(&["a", "b", "d"], &["t"]));
    let source = Source::bytes("t", &file);
    let (batches, _) = Batches::open(&source, &plain, &wanted(&["b"], &[])).unwrap();
    assert_eq!(batches.left_out(), ["a", "c", "d", "t"]);
    let mut batches = batches.of_rows(5);
    let first = batches.next_batch().unwrap().unwrap();
    assert_eq!(batches.progress(), Some((5, 8)));
    assert_eq!((first.rows.rows(), first.rows.columns().len()), (5, 1));
}
