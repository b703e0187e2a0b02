//! Checks every rule of the ARFF reader, on chosen files, generated ones and arbitrary bytes.

use flate2::{Compression, write::GzEncoder};
use halfseen::data::{Cell, Matrix, Table};
use halfseen_io::{ArffOptions, Data, ErrorKind, Result, Source, read_arff, read_data};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::Write;

fn read(text: impl AsRef<[u8]>) -> Result<Table> {
    read_arff(
        Source::bytes("t.arff", text.as_ref()),
        &ArffOptions { line_limit: 1 << 20, cell_limit: 1 << 20 },
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
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

const HEADER: &str =
    "@relation r\n@attribute n numeric\n@attribute c {a,b}\n@attribute s string\n@data\n";

fn rows(text: &str) -> Result<Table> {
    read(format!("{HEADER}{text}"))
}

#[test]
fn types_names_and_cells_of_a_dense_file() {
    let text = "% about\n\n@RELATION 'a b'\n@Attribute 'sepal length' REAL % cm\n@ATTRIBUTE\tclass { setosa , 'virginica b',\"x\" }\r\n\
                @attribute \"it's\" String\n@attribute n Integer\n  @DATA  \n\
                5.1, setosa ,'one, two', 1\n% between\n?,'virginica b',?,2 % after\r\n\n-.5e1\tx\t\"a\\\"b\" '3'\n";
    for bytes in
        [text.as_bytes().to_vec(), gzip(text.as_bytes()), format!("\u{feff}{text}").into_bytes()]
    {
        let table = read(bytes).unwrap();
        assert_eq!(column(&table, "sepal length"), ["5.1", "-", "-5"]);
        assert_eq!(column(&table, "class"), ["'setosa'", "'virginica b'", "'x'"]);
        assert_eq!(column(&table, "it's"), ["'one, two'", "-", "'a\"b'"]);
        assert_eq!(column(&table, "n"), ["1", "2", "3"]);
        assert!(matches!(table.numbers(), Matrix::F64(_)));
    }
}

#[test]
fn levels_of_categories_are_the_declared_ones() {
    let table = rows("1,b,x\n2,?,'?'\n3,b,NA\n").unwrap();
    assert_eq!(
        (&table.text(0).levels[..], column(&table, "c")),
        (&["a".to_owned(), "b".to_owned()][..], vec!["'b'".into(), "-".into(), "'b'".into()])
    );
    assert_eq!(column(&table, "s"), ["'x'", "'?'", "'NA'"]);
}

#[test]
fn the_markers_of_missing_numbers() {
    assert_eq!(
        column(&rows("?,a,x\nNaN,a,x\nNA,a,x\n 7 ,a,x\n").unwrap(), "n"),
        ["-", "-", "-", "7"]
    );
}

#[test]
fn sparse_rows_leave_out_zeros_and_first_categories() {
    let table = read("@relation r\n@attribute a real\n@attribute c {no,yes}\n@attribute b real\n@data\n{0 1.5, 1 yes}\n{}\n{ 2 ? }\n{1 ?,2 -3}\n").unwrap();
    assert!(matches!(table.numbers(), Matrix::Csr(_)));
    assert_eq!(column(&table, "a"), ["1.5", "0", "0", "0"]);
    assert_eq!(column(&table, "c"), ["'yes'", "'no'", "'no'", "-"]);
    assert_eq!(column(&table, "b"), ["0", "0", "-", "-3"]);
    assert_eq!(column(&rows("{2 x}\n{0 4, 2 ?}\n").unwrap(), "s"), ["'x'", "-"]);
}

#[test]
fn what_is_no_arff_is_refused_with_its_place() {
    let header = |line: &str| format!("@relation r\n{line}\n@data\n1\n");
    for (text, part) in [
        ("".to_owned(), "is empty"),
        ("% only\n".to_owned(), "is empty"),
        ("@relation r\n@attribute a real\n".to_owned(), "header of 1 columns but no rows"),
        (HEADER.to_owned(), "header of 3 columns but no rows"),
        ("@relation r\n@data\n1\n".to_owned(), "line 2: '@data' comes before any attribute"),
        (header("@attribute d date 'yyyy'"), "column 'd' is a date; write it as a number"),
        (header("@attribute d relational"), "column 'd' is a nested relation"),
        (header("@attribute d"), "line 2: '@attribute d' has no type"),
        (header("@attribute d double"), "has no type"),
        (header("@attribute"), "names no attribute"),
        (header("@attribute '' real"), "names no attribute"),
        (header("@attribute d real [0,1]"), "continues after its type"),
        (header("@attribute sepal length real"), "has no type"),
        (header("@attribute d {a,b"), "is not a list of distinct categories"),
        (header("@attribute d {a,a}"), "is not a list of distinct categories"),
        (header("@attribute d {a,,b}"), "is not a list of distinct categories"),
        (header("@attribute 'd real"), "opens a quote"),
        (header("a,b"), "line 2: 'a,b' is not a declaration"),
        (header("@attribute a real\n@attribute a real"), "column 2 has the same name as column 1"),
        (format!("{HEADER}1,a,x\n\n1,a\n"), "row 2 (line 8) has 2 fields, but the header has 3"),
        (format!("{HEADER}1,a,x,y\n"), "has 4 fields"),
        (format!("{HEADER}1,a,New York\n"), "has 4 fields"),
        (format!("{HEADER}1,,x\n"), "line 6: '1,,x' has an empty cell"),
        (format!("{HEADER},a,x\n"), "has an empty cell"),
        (format!("{HEADER}1,a,\n"), "has an empty cell"),
        (format!("{HEADER}1,a,x,{{5}}\n"), "has a misplaced brace"),
        (format!("{HEADER}1,a,'x\n"), "opens a quote that its line never closes"),
        (format!("{HEADER}one,a,x\n"), "row 1 (line 6), column 'n': 'one' is not a number"),
        (format!("{HEADER}'',a,x\n"), "column 'n': '' is not a number"),
        (
            format!("{HEADER}1e999,a,x\n"),
            "row 1 (line 6), column 'n': 1e999 is not a finite number",
        ),
        (format!("{HEADER}1,c,x\n"), "column 'c': 'c' is not a declared category"),
        (format!("{HEADER}1,a,x\n{{2 x}}\n"), "is sparse but the first row is dense"),
        (
            format!("{HEADER}{{2 x}}\n1,a,x\n"),
            "is sparse but the first row is dense, or vice versa",
        ),
        (
            format!("{HEADER}{{0 1}}\n"),
            "line 6: 's' is a string attribute that this sparse row omits",
        ),
        (format!("{HEADER}{{0 1, 0 2, 2 x}}\n"), "'0' is not a valid attribute index"),
        (format!("{HEADER}{{3 1}}\n"), "'3' is not a valid attribute index"),
        (format!("{HEADER}{{99999999999999999999 1}}\n"), "is not a valid attribute index"),
        (format!("{HEADER}{{0 1, 2 x\n"), "is not a sparse row"),
        (format!("{HEADER}{{0}}\n"), "is not a sparse row"),
        (format!("{HEADER}{{0 1,}}\n"), "is not a sparse row"),
        (format!("{HEADER}{{2 x}} {{5}}\n"), "has a misplaced brace"),
    ] {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    let error = read([HEADER.as_bytes(), b"1,a,\xe9t\xe9\n"].concat()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotUtf8 { line: 6 }), "{error}");
    let error = rows(&format!("1,a,{}\n", "x".repeat(2 << 20))).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LineTooLong { line: 6, .. }), "{error}");
}

#[test]
fn comments_may_be_of_any_encoding() {
    assert_eq!(
        read([b"% caf\xe9\n", HEADER.as_bytes(), b"1,a,x % \xe9\n"].concat()).unwrap().rows(),
        1
    );
}

#[test]
fn a_few_bytes_of_sparse_rows_do_not_make_gigabytes() {
    let attributes: String = (0..2000).map(|i| format!("@attribute a{i} {{0,1}}\n")).collect();
    let error =
        read(format!("@relation r\n{attributes}@data\n{}", "{}\n".repeat(2000))).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooManyCells { .. }), "{error}");
}

#[test]
fn a_path_is_recognised_by_content_packed_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    for bytes in
        [format!("{HEADER}1,a,x\n").into_bytes(), gzip(format!("% z\n{HEADER}1,a,x\n").as_bytes())]
    {
        std::fs::write(&path, bytes).unwrap();
        let Data::Table(table) = read_data(&path).unwrap() else { panic!("a table expected") };
        assert_eq!(column(&table, "s"), ["'x'"]);
    }
}

/// An intended cell.
#[derive(Debug, Clone)]
enum Meant {
    Number(f64),
    Text(String),
    Missing,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Number,
    Category,
    Text,
}

const CATEGORIES: [&str; 4] = ["plain", "it's", "a, b {c} % \\", "é\n\"?\""];

fn quoted(text: &str, quote: char) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace(quote, &format!("\\{quote}"));
    format!("{quote}{escaped}{quote}")
}

fn meant() -> impl Strategy<Value = (Vec<Kind>, Vec<Vec<Meant>>)> {
    let kind = prop::sample::select(vec![Kind::Number, Kind::Category, Kind::Text]);
    vec(kind, 1..6).prop_flat_map(|kinds| {
        let finite = any::<f64>().prop_filter("finite", |v| v.is_finite());
        let number = prop_oneof![finite, (-9_i8..9).prop_map(f64::from)].prop_map(Meant::Number);
        let category = prop::sample::select(&CATEGORIES[..]).prop_map(|c| Meant::Text(c.into()));
        let text = "[ a-c,'\"\\\\{}%?\n\r\té]{0,6}".prop_map(Meant::Text).boxed();
        let cell = |kind: &Kind| match kind {
            Kind::Number => prop_oneof![5 => number.clone(), 1 => Just(Meant::Missing)].boxed(),
            Kind::Category => prop_oneof![5 => category.clone(), 1 => Just(Meant::Missing)].boxed(),
            Kind::Text => prop_oneof![5 => text.clone(), 1 => Just(Meant::Missing)].boxed(),
        };
        let row: Vec<_> = kinds.iter().map(cell).collect();
        (Just(kinds), vec(row, 1..8))
    })
}

/// Writes a file; sparse rows omit about half of the cells that are zero or the first category.
fn write(kinds: &[Kind], rows: &[Vec<Meant>], sparse: bool, quote: char) -> String {
    let mut text = "@relation r\n".to_owned();
    for (i, kind) in kinds.iter().enumerate() {
        let categories = CATEGORIES.map(|c| quoted(c, quote)).join(",");
        let kind = match kind {
            Kind::Number => "numeric".to_owned(),
            Kind::Category => format!("{{{categories}}}"),
            Kind::Text => "string".to_owned(),
        };
        text.push_str(&format!("@attribute {} {kind}\n", quoted(&format!("c {i}"), quote)));
    }
    text.push_str("@data\n");
    for (r, row) in rows.iter().enumerate() {
        let cell = |meant: &Meant| match meant {
            Meant::Number(number) => number.to_string(),
            Meant::Text(text) => quoted(text, quote),
            Meant::Missing => "?".into(),
        };
        let absent = |meant: &Meant, kind: Kind| match (meant, kind) {
            (Meant::Number(n), _) => n.to_bits() == 0,
            (Meant::Text(text), Kind::Category) => text == CATEGORIES[0],
            _ => false,
        };
        if sparse {
            let named = row
                .iter()
                .enumerate()
                .filter(|&(i, meant)| !absent(meant, kinds[i]) || (i + r) % 2 == 0);
            let named: Vec<String> =
                named.map(|(i, meant)| format!("{i} {}", cell(meant))).collect();
            text.push_str(&format!("{{{}}}\n", named.join(", ")));
        } else {
            text.push_str(&format!("{}\n", row.iter().map(cell).collect::<Vec<_>>().join(",")));
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn generated_tables_come_back_exactly((kinds, rows) in meant(), sparse in any::<bool>(), double in any::<bool>()) {
        let text = write(&kinds, &rows, sparse, if double { '"' } else { '\'' });
        let table = read(&text).unwrap();
        prop_assert_eq!(table.rows(), rows.len());
        for (r, row) in rows.iter().enumerate() {
            for (meant, column) in row.iter().zip(table.columns()) {
                match (meant, table.cell(r, column)) {
                    (Meant::Number(a), Cell::Number(b)) => prop_assert_eq!(a.to_bits(), b.to_bits()),
                    (Meant::Text(a), Cell::Text(b)) => prop_assert_eq!(a, b),
                    (Meant::Missing, Cell::Missing) => {}
                    (a, b) => prop_assert!(false, "{a:?} came back as {b:?} from {text}"),
                }
            }
        }
    }

    #[test]
    fn files_with_characters_changed_never_panic((kinds, rows) in meant(), sparse in any::<bool>(), changes in vec((any::<prop::sample::Index>(), prop::sample::select(&b" ,{}'\"%\\?\n\r\t@d019\xff"[..])), 1..6)) {
        let mut text = write(&kinds, &rows, sparse, '\'').into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let _ = read(&text);
    }

    #[test]
    fn cut_and_arbitrary_bytes_never_panic((kinds, rows) in meant(), cut in any::<prop::sample::Index>(), noise in vec(any::<u8>(), 0..200)) {
        let text = write(&kinds, &rows, false, '"').into_bytes();
        let _ = read(&text[..cut.index(text.len())]);
        let _ = read(&noise);
        let _ = read([HEADER.as_bytes(), &noise].concat());
        let packed = gzip(&text);
        prop_assert!(read(&packed[..cut.index(packed.len())]).is_err());
    }
}
