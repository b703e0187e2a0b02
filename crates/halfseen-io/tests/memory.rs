//! Reads tables that take more memory than is allowed. The limit is one for the whole process, so
//! that this file has a single test.
#![allow(clippy::unwrap_used)]

use flate2::{Compression, write::GzEncoder};
use halfseen::memory::set_limit;
use halfseen_io::{CsvOptions, ErrorKind, Source, SvmlightOptions, read_csv, read_svmlight};
use std::io::Write;

const LIMIT: u64 = 4 << 20;

/// Returns a Parquet file of one column of zeros, a few kB whatever the number of rows.
#[cfg(feature = "parquet")]
fn parquet(rows: usize) -> Vec<u8> {
    use parquet::data_type::Int32Type;
    use parquet::file::writer::SerializedFileWriter;
    let schema = parquet::schema::parser::parse_message_type("message m { required int32 a; }");
    let (schema, mut out) = (schema.unwrap().into(), Vec::new());
    let mut writer = SerializedFileWriter::new(&mut out, schema, Default::default()).unwrap();
    for _ in 0..rows / 100_000 {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[0; 100_000], None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
    out
}

#[test]
fn a_table_beyond_the_limit_is_refused_with_its_rows_and_bytes() {
    let lines = |header: &str, row: &str, rows: usize| format!("{header}{}", row.repeat(rows));
    let bomb = {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(lines("a\n", "1\n", 2_000_000).as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    assert!(bomb.len() < 20_000, "{}", bomb.len());
    let csv = |bytes: &[u8]| read_csv(Source::bytes("t", bytes), &CsvOptions::default());
    let distinct: String =
        (0..60_000).map(|i| format!("{i} {}\n", "long text ".repeat(5))).collect();
    set_limit(LIMIT);
    let refused = [
        csv(&bomb).map(drop),
        csv(lines("a,b\n", "1,x\n", 900_000).as_bytes()).map(drop),
        csv(format!("t\n{distinct}").as_bytes()).map(drop),
        read_svmlight(
            Source::bytes("t", lines("", "1 1:2 3:4\n", 400_000).as_bytes()),
            &SvmlightOptions::default(),
        )
        .map(drop),
    ];
    for (at, result) in refused.into_iter().enumerate() {
        let error = result.unwrap_err();
        let ErrorKind::TooMuchMemory { needed, limit, rows } = error.kind() else {
            panic!("{at}: {error}")
        };
        assert!(*limit == LIMIT && *needed > LIMIT && *needed < 4 * LIMIT, "{at}: {error}");
        assert!(*rows > 10_000, "{at}: {error}");
        assert!(error.to_string().contains("--memory"), "{error}");
    }
    #[cfg(feature = "parquet")]
    {
        let read = |rows| {
            halfseen_io::read_parquet(Source::bytes("t", &parquet(rows)), &Default::default())
        };
        // Refused by what the file claims, before the first row.
        let error = read(600_000).unwrap_err();
        let claimed = matches!(error.kind(), ErrorKind::TooMuchMemory { rows: 600_000, .. });
        assert!(claimed, "{error}");
        assert_eq!(read(200_000).unwrap().rows(), 200_000);
    }
    // What fits is read.
    assert_eq!(csv(lines("a\n", "1\n", 100_000).as_bytes()).unwrap().rows(), 100_000);
}
