//! Checks every rule of the CSV format that the reader documents.

use flate2::{Compression, write::GzEncoder};
use halfseen::data::{Cell, Matrix, Table};
use halfseen_io::{CsvOptions, ErrorKind, Result, Source, read_csv};
use std::io::Write;

fn read(text: impl AsRef<[u8]>) -> Result<Table> {
    read_csv(Source::bytes("t.csv", text.as_ref()), &CsvOptions::default())
}

fn limited(text: &str, record_limit: usize) -> Result<Table> {
    read_csv(
        Source::bytes("t.csv", text.as_bytes()),
        &CsvOptions { record_limit, ..CsvOptions::default() },
    )
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

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn numbers_stand_together_in_one_matrix_and_texts_beside_it() {
    let table = read("a,name,b\n1,x,2.5\n-3,y,1e2\n4,x,.5\n").unwrap();
    let Matrix::F64(numbers) = table.numbers() else { panic!("dense doubles expected") };
    assert_eq!(numbers, ndarray::array![[1.0, 2.5], [-3.0, 100.0], [4.0, 0.5]]);
    let text = table.text(0);
    assert_eq!(
        (&text.codes[..], &text.levels[..]),
        (&[0, 1, 0][..], &["x".to_owned(), "y".to_owned()][..])
    );
    let names: Vec<_> = table.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["a", "name", "b"]);
}

#[test]
fn the_markers_of_missing_cells() {
    let table = read("n,t\n,\nNA,NA\nNaN,NaN\nnan,?\n?,\"NA\"\n\t , ? \n\"\",\"\"\n1,x\n").unwrap();
    assert_eq!(column(&table, "n"), ["-", "-", "-", "-", "-", "-", "-", "1"]);
    assert_eq!(column(&table, "t"), ["-", "-", "-", "-", "-", "-", "-", "'x'"]);
}

#[test]
fn a_column_without_any_value_is_numeric() {
    let table = read("a,b\n,1\nNA,2\n").unwrap();
    assert_eq!((column(&table, "a"), table.numbers().columns()), (vec!["-".to_owned(); 2], 2));
}

#[test]
fn text_columns_keep_their_cells_as_written() {
    let table = read("t\n007\n1\n1.0\nx\n").unwrap();
    assert_eq!(column(&table, "t"), ["'007'", "'1'", "'1.0'", "'x'"]);
}

#[test]
fn blanks_are_removed_around_cells_and_kept_inside_quotes() {
    let table = read("n , t\n 1 ,\ta b \n2,\" c \"\n").unwrap();
    assert_eq!(column(&table, "n"), ["1", "2"]);
    assert_eq!(column(&table, "t"), ["'a b'", "' c '"]);
}

#[test]
fn quoted_numbers_are_numbers() {
    assert_eq!(column(&read("\"n\"\n\"1\"\n\"-2.5\"\n").unwrap(), "n"), ["1", "-2.5"]);
}

#[test]
fn quotes_hold_commas_quotes_and_line_ends() {
    let table = read("t,n\n\"a,\"\"b\"\"\r\nc\",1\nd\"e,2\n").unwrap();
    assert_eq!(column(&table, "t"), ["'a,\"b\"\r\nc'", "'d\"e'"]);
}

#[test]
fn line_ends_byte_order_mark_and_blank_lines_change_nothing() {
    for text in [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4",
        "a,b\r1,2\r3,4\r",
        "\u{feff}a,b\n1,2\n3,4",
        "\n\na,b\n\n1,2\r\n\r\n \t\n3,4\n\n",
        "\u{feff}\"a\",b\n\"1\",2\n3,\"4\"",
    ] {
        for bytes in [text.as_bytes().to_vec(), gzip(text.as_bytes())] {
            let table = read(bytes).unwrap();
            assert_eq!(
                (column(&table, "a"), column(&table, "b")),
                (vec!["1".into(), "3".into()], vec!["2".into(), "4".into()])
            );
        }
    }
}

#[test]
fn gzip_of_several_members_is_read_to_its_end() {
    let bytes = [gzip(b"a\n1\n"), gzip(b"2\n3\n")].concat();
    assert_eq!(column(&read(bytes).unwrap(), "a"), ["1", "2", "3"]);
}

#[test]
fn files_of_text_are_read_twice_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    for bytes in [b"t\nx\ny\n".to_vec(), gzip(b"t\nx\ny\n")] {
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(column(&read_csv(&path, &CsvOptions::default()).unwrap(), "t"), ["'x'", "'y'"]);
    }
}

#[test]
fn infinity_is_refused_among_numbers_and_a_word_among_words() {
    let error = read("a,b\n1,2\n3,1e999\ninf,4\n").unwrap_err();
    let ErrorKind::BadCell { row: 2, line: Some(3), column: name, problem } = error.kind() else {
        panic!("{error}")
    };
    assert!(name == "b" && problem.starts_with("1e999 is not a finite number"), "{error}");
    assert_eq!(column(&read("a\ninf\nfin\n").unwrap(), "a"), ["'inf'", "'fin'"]);
}

#[test]
fn lines_are_counted_through_quotes_and_any_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,b", "", "\"x", "", "y\",1", "2,3", "4"].join(end);
        let error = read(&text).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Ragged { row: 3, line: 7, expected: 2, found: 1 }),
            "{end:?}: {error}"
        );
    }
}

#[test]
fn a_record_of_the_limit_is_read_and_a_longer_one_refused() {
    assert_eq!(column(&limited("a\n1234\n\"34\"\n", 4).unwrap(), "a"), ["1234", "34"]);
    for text in ["a\n12345\n", "a\n12345", "a\n\"345\"\n", "a\n\"345"] {
        let error = limited(text, 4).unwrap_err();
        let said = error.to_string();
        let [unclosed, long] =
            ["line 2 opens a quote", "line 2 starts a record longer than 4 bytes"];
        assert!(said.contains(unclosed) || said.contains(long), "{text:?}: {error}");
    }
}

#[test]
fn records_longer_than_a_chunk_are_read() {
    let long = "x".repeat(700_000);
    for text in [format!("a,b\n{long},1\n{long},2\n"), format!("a,b\n\"{long}\",1\n\"{long}\",2\n")]
    {
        let table = read(text).unwrap();
        assert_eq!((table.rows(), table.text(0).levels[0].len()), (2, 700_000));
    }
}

#[test]
fn a_chunk_may_end_anywhere_in_a_record() {
    for shift in 0..24 {
        let header = format!("{}t,n,p\r\n", "x".repeat(shift));
        let table = read(header + &"\"a,\"\"é\"\"\",12.5,7\r\nb,-3,\r\n".repeat(20_000)).unwrap();
        assert_eq!(
            (table.rows(), &table.text(0).levels[..]),
            (40_000, &["a,\"é\"".to_owned(), "b".to_owned()][..])
        );
        for (row, code) in table.text(0).codes.iter().enumerate() {
            let (n, p) = (table.numbers().get(row, 0), table.numbers().get(row, 1));
            match row % 2 {
                0 => assert!(*code == 0 && n == 12.5 && p == 7.0),
                _ => assert!(*code == 1 && n == -3.0 && p.is_nan()),
            }
        }
    }
}

#[test]
fn a_quote_never_closed_is_refused_within_the_limit() {
    // the source is far longer than the limit, and must not be read to its end
    let text = format!("a,b\n1,\"{}", "2,3\n".repeat(1 << 20));
    let error = limited(&text, 1 << 16).unwrap_err();
    assert!(
        error.to_string().contains("line 2 starts a record longer than 65536 bytes"),
        "{error}"
    );
    let error = read(&text).unwrap_err();
    assert!(error.to_string().contains("line 2 opens a quote"), "{error}");
}

#[test]
fn a_pipe_is_read_although_it_cannot_be_read_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    let Ok(status) = std::process::Command::new("mkfifo").arg(&path).status() else { return };
    assert!(status.success());
    let writer = std::thread::spawn({
        let path = path.clone();
        move || std::fs::write(path, "t,n\nx,1\n").unwrap()
    });
    assert_eq!(column(&read_csv(&path, &CsvOptions::default()).unwrap(), "t"), ["'x'"]);
    writer.join().unwrap();
}
