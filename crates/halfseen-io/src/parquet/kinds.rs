//! Maps each Parquet column to numbers or text, or refuses it with a reason.

use crate::error::ErrorKind;
use parquet::basic::{Compression, ConvertedType, LogicalType, Type};
use parquet::file::metadata::ParquetMetaData;
use parquet::schema::types::ColumnDescriptor;

/// Type of the cells of a column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Bool,
    Int32,
    Int64,
    UInt32,
    UInt64,
    Float,
    Double,
    /// Integers in units of 10^-places.
    Decimal32(u8),
    Decimal64(u8),
    Text,
}

pub(super) struct Column {
    pub name: String,
    pub kind: Kind,
    /// True if cells may be null.
    pub nulls: bool,
}

/// Wanted columns with their place in the file, and the names of the others.
pub(super) type Split = (Vec<(usize, Column)>, Vec<String>);

/// Returns the wanted columns with their place in the file, and the names of the others.
pub(super) fn columns(
    metadata: &ParquetMetaData,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Split, ErrorKind> {
    let (mut columns, mut left_out) = (Vec::new(), Vec::new());
    for (at, column) in metadata.file_metadata().schema_descr().columns().iter().enumerate() {
        match wanted(column.name()) {
            true => columns.push((at, describe(column)?)),
            false => left_out.push(column.name().to_owned()),
        }
    }
    Ok((columns, left_out))
}

fn describe(column: &ColumnDescriptor) -> Result<Column, ErrorKind> {
    let name = column.name().to_owned();
    if column.max_rep_level() > 0 || column.max_def_level() > 1 {
        return Err(nested(name));
    }
    match kind(column) {
        Ok(kind) => Ok(Column { kind, nulls: column.max_def_level() > 0, name }),
        Err((what, remedy)) => Err(ErrorKind::UnsupportedColumn { column: name, what, remedy }),
    }
}

pub(super) fn nested(column: String) -> ErrorKind {
    let (what, remedy) = ("nested (a list, map or struct)", "split it into plain columns");
    ErrorKind::UnsupportedColumn { column, what, remedy }
}

const TIME: &str = "write it as a number, such as days since a date, or as text";
const CAST: &str = "cast it to double";
const STRINGS: &str = "write it as strings, or leave it out";

/// Largest exponent of a power of ten that is an exact double.
const PLACES: i32 = 22;

fn kind(column: &ColumnDescriptor) -> Result<Kind, (&'static str, &'static str)> {
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    match logical {
        Some(LogicalType::Date) => return Err(("a date", TIME)),
        Some(LogicalType::Time { .. }) => return Err(("a time of day", TIME)),
        Some(LogicalType::Timestamp { .. }) => return Err(("a timestamp", TIME)),
        Some(LogicalType::Uuid) => return Err(("a UUID in bytes", STRINGS)),
        Some(LogicalType::Float16) => return Err(("half precision", CAST)),
        _ => {}
    }
    match converted {
        ConvertedType::DATE => return Err(("a date", TIME)),
        ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS => {
            return Err(("a time of day", TIME));
        }
        ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS => {
            return Err(("a timestamp", TIME));
        }
        ConvertedType::INTERVAL => return Err(("an interval of time", TIME)),
        _ => {}
    }
    let decimal =
        matches!(logical, Some(LogicalType::Decimal { .. })) || converted == ConvertedType::DECIMAL;
    let unsigned = matches!(logical, Some(LogicalType::Integer(i)) if !i.is_signed)
        || [
            ConvertedType::UINT_8,
            ConvertedType::UINT_16,
            ConvertedType::UINT_32,
            ConvertedType::UINT_64,
        ]
        .contains(&converted);
    let places = || match column.type_scale() {
        places @ 0..=PLACES => Ok(places as u8),
        _ => Err(("a decimal with too many places for a double", CAST)),
    };
    match column.physical_type() {
        Type::BOOLEAN => Ok(Kind::Bool),
        Type::INT32 if decimal => places().map(Kind::Decimal32),
        Type::INT64 if decimal => places().map(Kind::Decimal64),
        Type::INT32 => Ok(if unsigned { Kind::UInt32 } else { Kind::Int32 }),
        Type::INT64 => Ok(if unsigned { Kind::UInt64 } else { Kind::Int64 }),
        Type::FLOAT => Ok(Kind::Float),
        Type::DOUBLE => Ok(Kind::Double),
        Type::INT96 => Err(("a timestamp of 96 bits", TIME)),
        Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY if decimal => {
            Err(("a decimal with too many digits", CAST))
        }
        Type::FIXED_LEN_BYTE_ARRAY => Err(("raw bytes", STRINGS)),
        Type::BYTE_ARRAY => match (logical, converted) {
            (Some(LogicalType::String | LogicalType::Enum), _) => Ok(Kind::Text),
            (_, ConvertedType::UTF8 | ConvertedType::ENUM) => Ok(Kind::Text),
            _ => Err(("raw bytes, not declared as strings", STRINGS)),
        },
    }
}

pub(super) fn check_compression(name: &str, compression: Compression) -> Result<(), ErrorKind> {
    let what = match compression {
        Compression::BROTLI(_) => "compressed by brotli",
        Compression::LZO => "compressed by LZO",
        _ => return Ok(()),
    };
    let remedy = "compress it by zstd, snappy or gzip";
    Err(ErrorKind::UnsupportedColumn { column: name.to_owned(), what, remedy })
}
