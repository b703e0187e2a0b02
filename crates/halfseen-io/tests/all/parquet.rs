//! Checks every rule of the Parquet reader, on files written here, damaged ones and arbitrary
//! bytes.

use halfseen::data::{Cell, Matrix, Table};
use halfseen_io::{ErrorKind, ParquetOptions, Result, Source, read_data, read_parquet};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType,
    Int32Type, Int64Type,
};
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;

/// The cells of a column; `None` is null.
#[derive(Debug, Clone)]
enum Cells {
    Bool(Vec<Option<bool>>),
    Int32(Vec<Option<i32>>),
    Int64(Vec<Option<i64>>),
    Float(Vec<Option<f32>>),
    Double(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
    Fixed(Vec<Option<Vec<u8>>>),
}

fn write(schema: &str, groups: &[Vec<Cells>], properties: WriterProperties) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::new(properties)).unwrap();
    for columns in groups {
        let mut group = writer.next_row_group().unwrap();
        for column in columns {
            let mut chunk = group.next_column().unwrap().unwrap();
            macro_rules! put {
                ($kind:ty, $cells:expr, $value:expr) => {{
                    let levels: Vec<i16> = $cells.iter().map(|c| i16::from(c.is_some())).collect();
                    let values: Vec<<$kind as DataType>::T> =
                        $cells.iter().flatten().map($value).collect();
                    let typed = chunk.typed::<$kind>();
                    let nulls = typed.get_descriptor().max_def_level() > 0;
                    typed.write_batch(&values, nulls.then_some(&levels[..]), None).unwrap()
                }};
            }
            match column {
                Cells::Bool(cells) => put!(BoolType, cells, |&v| v),
                Cells::Int32(cells) => put!(Int32Type, cells, |&v| v),
                Cells::Int64(cells) => put!(Int64Type, cells, |&v| v),
                Cells::Float(cells) => put!(FloatType, cells, |&v| v),
                Cells::Double(cells) => put!(DoubleType, cells, |&v| v),
                Cells::Text(cells) => put!(ByteArrayType, cells, |v| ByteArray::from(v.as_str())),
                Cells::Fixed(cells) => {
                    put!(FixedLenByteArrayType, cells, |v| ByteArray::from(v.clone()).into())
                }
            };
            chunk.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
    out
}

fn plain(schema: &str, columns: Vec<Cells>) -> Vec<u8> {
    write(schema, &[columns], WriterProperties::builder().build())
}

fn read(bytes: &[u8]) -> Result<Table> {
    read_parquet(Source::bytes("t.parquet", bytes), &ParquetOptions { cell_limit: Some(1 << 20) })
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

fn texts(cells: &[Option<&str>]) -> Cells {
    Cells::Text(cells.iter().map(|c| c.map(str::to_owned)).collect())
}

#[test]
fn every_type_comes_back_in_the_order_of_the_file() {
    let schema = "required int32 i; optional binary s (UTF8); optional int64 l; optional float f; optional double d;
                  optional boolean b; required int32 u (UINT_32); optional int64 v (UINT_64); optional int32 money (DECIMAL(9,2));
                  required binary e (ENUM);";
    let columns = vec![
        Cells::Int32(vec![Some(1), Some(-2), Some(i32::MAX)]),
        texts(&[Some("x"), None, Some("")]),
        Cells::Int64(vec![Some(1 << 53), None, Some(-(1 << 53))]),
        Cells::Float(vec![Some(0.5), Some(f32::NAN), None]),
        Cells::Double(vec![None, Some(f64::NAN), Some(-1e300)]),
        Cells::Bool(vec![Some(true), None, Some(false)]),
        Cells::Int32(vec![Some(-1), Some(0), Some(7)]),
        Cells::Int64(vec![Some(5), None, Some(1 << 53)]),
        Cells::Int32(vec![Some(110), None, Some(-5)]),
        texts(&[Some("NA"), Some("q"), Some("NA")]),
    ];
    let table = read(&plain(schema, columns)).unwrap();
    assert!(matches!(table.numbers(), Matrix::F64(_)));
    let names: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["i", "s", "l", "f", "d", "b", "u", "v", "money", "e"]);
    let expected = [
        ["1", "-2", "2147483647"],
        ["'x'", "-", "''"],
        ["9007199254740992", "-", "-9007199254740992"],
        ["0.5", "-", "-"],
        ["-", "-", &(-1e300).to_string()],
        ["'true'", "-", "'false'"],
        ["4294967295", "0", "7"],
        ["5", "-", "9007199254740992"],
        ["1.1", "-", "-0.05"],
        ["'NA'", "'q'", "'NA'"],
    ];
    for (name, expected) in names.iter().zip(expected) {
        assert_eq!(column(&table, name), expected, "{name}");
    }
}

#[test]
fn types_that_no_table_holds_are_refused_by_name() {
    let day = || Cells::Int32(vec![Some(1)]);
    let long = || Cells::Int64(vec![Some(1)]);
    for (schema, cells, part) in [
        ("required int32 c (DATE);", day(), "column 'c' is a date; write it as a number"),
        ("required int64 c (TIMESTAMP(MICROS,true));", long(), "is a timestamp"),
        ("required int64 c (TIMESTAMP_MILLIS);", long(), "is a timestamp"),
        ("required int32 c (TIME_MILLIS);", day(), "is a time of day"),
        ("required binary c;", texts(&[Some("x")]), "is raw bytes, not declared as strings"),
        (
            "required fixed_len_byte_array(3) c;",
            Cells::Fixed(vec![Some(b"abc".to_vec())]),
            "is raw bytes",
        ),
        (
            "required fixed_len_byte_array(9) c (DECIMAL(20,2));",
            Cells::Fixed(vec![Some(vec![0; 9])]),
            "is a decimal with too many digits",
        ),
        (
            "required fixed_len_byte_array(2) c (FLOAT16);",
            Cells::Fixed(vec![Some(vec![0; 2])]),
            "is half precision",
        ),
    ] {
        let error = read(&plain(schema, vec![cells])).unwrap_err().to_string();
        assert!(error.contains(part), "{schema}: {error}");
    }
    let nested = write(
        "required group c { required int32 inner; }",
        &[],
        WriterProperties::builder().build(),
    );
    let error = read(&nested).unwrap_err().to_string();
    assert!(error.contains("column 'c' is nested"), "{error}");
    let list = write("repeated int32 c;", &[], WriterProperties::builder().build());
    assert!(read(&list).unwrap_err().to_string().contains("column 'c' is nested"));
}

#[test]
fn cells_that_no_table_holds_are_refused_with_their_place() {
    let big = (1_i64 << 53) + 1;
    let error =
        read(&plain("optional int64 c;", vec![Cells::Int64(vec![None, Some(big)])])).unwrap_err();
    let said = "row 2, column 'c': 9007199254740993 is beyond 2^53";
    assert!(error.to_string().contains(said), "{error}");
    let error = read(&plain("required int64 c (UINT_64);", vec![Cells::Int64(vec![Some(-1)])]))
        .unwrap_err();
    assert!(error.to_string().contains("18446744073709551615"), "{error}");
    for value in [f64::INFINITY, f64::NEG_INFINITY] {
        let error =
            read(&plain("required double c;", vec![Cells::Double(vec![Some(1.0), Some(value)])]))
                .unwrap_err();
        let ErrorKind::Library(inner) = error.kind() else { panic!("{error}") };
        assert!(
            matches!(inner.kind(), halfseen::ErrorKind::NotFinite { row: 2, column, .. } if column == "c"),
            "{error}"
        );
    }
    let bytes = plain("required binary zz (UTF8);", vec![texts(&[Some("marker")])]);
    let at: Vec<usize> = (0..bytes.len() - 6).filter(|&i| &bytes[i..i + 6] == b"marker").collect();
    let mut broken = bytes.clone();
    at.iter().for_each(|&i| broken[i] = 0xff);
    assert!(read(&broken).unwrap_err().to_string().contains("damaged or truncated"));
}

#[test]
fn files_without_rows_or_with_equal_names_are_refused() {
    let none = || WriterProperties::builder().build();
    let error = read(&write("required int32 a; required int32 b;", &[], none())).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoRows { columns: 2 }), "{error}");
    let error = read(&plain("required int32 a;", vec![Cells::Int32(vec![])])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoRows { columns: 1 }), "{error}");
    let one = || Cells::Int32(vec![Some(1)]);
    let error =
        read(&plain("required int32 a; required int32 a;", vec![one(), one()])).unwrap_err();
    assert!(error.to_string().contains("column 2 has the same name as column 1"), "{error}");
}

#[test]
fn a_table_beyond_the_limit_is_refused_before_it_is_read() {
    let bytes = plain(
        "optional int32 a; optional int32 b;",
        vec![Cells::Int32(vec![None; 600]), Cells::Int32(vec![None; 600])],
    );
    let limited = |limit| {
        read_parquet(Source::bytes("t", &bytes), &ParquetOptions { cell_limit: Some(limit) })
    };
    assert_eq!(limited(1200).unwrap().rows(), 600);
    assert!(matches!(limited(1199).unwrap_err().kind(), ErrorKind::TooManyCells { limit: 1199 }));
}

#[test]
fn row_groups_stand_below_each_other_and_places_count_through_them() {
    let schema = "required int64 n; optional binary s (UTF8); required double d;";
    let group = |from: i64, last: f64| {
        vec![
            Cells::Int64((from..from + 5000).map(Some).collect()),
            Cells::Text(
                (from..from + 5000).map(|i| (i % 3 > 0).then(|| format!("t{}", i % 7))).collect(),
            ),
            Cells::Double(
                (0..5000).map(|i| Some(if i == 4999 { last } else { f64::from(i) })).collect(),
            ),
        ]
    };
    let table = read(&write(
        schema,
        &[group(0, 1.0), group(5000, 2.0)],
        WriterProperties::builder().build(),
    ))
    .unwrap();
    assert_eq!(table.rows(), 10_000);
    for row in 0..10_000 {
        assert_eq!(table.numbers().get(row, 0), row as f64);
        assert_eq!(
            table.text(0).get(row),
            (row % 3 > 0).then(|| format!("t{}", row % 7)).as_deref()
        );
    }
    let error = read(&write(
        schema,
        &[group(0, 1.0), group(5000, f64::INFINITY)],
        WriterProperties::builder().build(),
    ));
    assert!(error.unwrap_err().to_string().contains("row 10000"));
}

#[test]
fn every_compression_and_version_of_pages_is_read() {
    let cells = || {
        vec![
            Cells::Double((0..3000).map(|i| Some(f64::from(i % 50))).collect()),
            Cells::Text(vec![Some("é".into()); 3000]),
        ]
    };
    let compressions = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
    ];
    for compression in compressions {
        for version in [WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0] {
            let properties = WriterProperties::builder()
                .set_compression(compression)
                .set_writer_version(version);
            let bytes = write(
                "required double d; optional binary s (UTF8);",
                &[cells()],
                properties.build(),
            );
            let table = read(&bytes).unwrap();
            assert_eq!(
                (table.rows(), table.numbers().get(2999, 0), table.text(0).get(2999)),
                (3000, 49.0, Some("é"))
            );
        }
    }
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::DELTA_BYTE_ARRAY);
    let bytes =
        write("required binary s (UTF8);", &[vec![texts(&[Some("x")])]], properties.build());
    assert!(read(&bytes).unwrap_err().to_string().contains("DELTA_BYTE_ARRAY"));
}

#[test]
fn a_path_is_recognised_by_content_and_a_packed_file_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.csv");
    let bytes = plain("required int32 a;", vec![Cells::Int32(vec![Some(4)])]);
    std::fs::write(&path, &bytes).unwrap();
    let table = read_data(&path).unwrap();
    assert_eq!(column(&table, "a"), ["4"]);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut encoder, &bytes).unwrap();
    std::fs::write(&path, encoder.finish().unwrap()).unwrap();
    assert!(matches!(
        read_data(&path).unwrap_err().kind(),
        ErrorKind::LooksLike { what: "a Parquet file", .. }
    ));
}

/// Generates a column of `rows` rows with its declaration.
fn cells(rows: usize) -> impl Strategy<Value = (&'static str, Cells)> {
    let option = |percent: f64| prop::option::weighted(percent, Just(()));
    let some = move || option(0.8);
    let int32 = vec((some(), any::<i32>()), rows).prop_map(|v| ("int32", Cells::Int32(keep(v))));
    let int64 = vec((some(), -(1_i64 << 53)..(1 << 53)), rows)
        .prop_map(|v| ("int64", Cells::Int64(keep(v))));
    let finite = any::<f64>().prop_filter("finite", |v| v.is_finite());
    let double = vec((some(), prop_oneof![4 => finite, 1 => Just(f64::NAN)]), rows)
        .prop_map(|v| ("double", Cells::Double(keep(v))));
    let boolean =
        vec((some(), any::<bool>()), rows).prop_map(|v| ("boolean", Cells::Bool(keep(v))));
    let text = vec((some(), "[ab,é]{0,4}"), rows).prop_map(|v| ("binary", Cells::Text(keep(v))));
    prop_oneof![int32, int64, double, boolean, text]
}

fn keep<T>(cells: Vec<(Option<()>, T)>) -> Vec<Option<T>> {
    cells.into_iter().map(|(there, value)| there.map(|()| value)).collect()
}

/// Generates columns of equal length.
fn tables() -> impl Strategy<Value = Vec<(&'static str, Cells)>> {
    (1..12_usize).prop_flat_map(|rows| vec(cells(rows), 1..5))
}

fn schema_of(columns: &[(&str, Cells)]) -> String {
    let declare = |(i, (kind, _)): (usize, &(&str, Cells))| match *kind {
        "binary" => format!("optional binary c{i} (UTF8);"),
        kind => format!("optional {kind} c{i};"),
    };
    columns.iter().enumerate().map(declare).collect()
}

fn generated(columns: &[(&'static str, Cells)], zstd: bool, second: bool) -> Vec<u8> {
    let compression =
        if zstd { Compression::ZSTD(ZstdLevel::default()) } else { Compression::SNAPPY };
    let version = if second { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
    let properties =
        WriterProperties::builder().set_compression(compression).set_writer_version(version);
    write(&schema_of(columns), &[columns.iter().map(|c| c.1.clone()).collect()], properties.build())
}

fn number(value: Option<f64>) -> Cell<'static> {
    value.filter(|v| !v.is_nan()).map_or(Cell::Missing, Cell::Number)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn generated_tables_come_back_exactly(columns in tables(), zstd in any::<bool>(), second in any::<bool>()) {
        let table = read(&generated(&columns, zstd, second)).unwrap();
        for (at, (_, cells)) in columns.iter().enumerate() {
            let column = &table.columns()[at];
            for row in 0..table.rows() {
                let expected = match cells {
                    Cells::Int32(v) => number(v[row].map(f64::from)),
                    Cells::Int64(v) => number(v[row].map(|v| v as f64)),
                    Cells::Float(v) => number(v[row].map(f64::from)),
                    Cells::Double(v) => number(v[row]),
                    Cells::Bool(v) => v[row].map_or(Cell::Missing, |v| Cell::Text(if v { "true" } else { "false" })),
                    Cells::Text(v) => v[row].as_deref().map_or(Cell::Missing, Cell::Text),
                    Cells::Fixed(_) => Cell::Missing,
                };
                prop_assert_eq!(table.cell(row, column), expected);
            }
        }
    }

    #[test]
    fn a_file_cut_anywhere_is_an_error(columns in tables(), cut in any::<prop::sample::Index>()) {
        let bytes = generated(&columns, false, false);
        prop_assert!(read(&bytes[..cut.index(bytes.len())]).is_err());
    }

    #[test]
    fn arbitrary_bytes_never_panic(noise in vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&noise).is_err());
        let footer = [b"PAR1", &noise[..], &(noise.len() as u32).to_le_bytes(), b"PAR1"].concat();
        let _ = read(&footer);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn changed_bytes_never_panic(
        columns in tables(),
        zstd in any::<bool>(),
        second in any::<bool>(),
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = generated(&columns, zstd, second);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = read(&bytes);
    }
}
