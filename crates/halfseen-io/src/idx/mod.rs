//! Reads IDX, the format of MNIST: type, number of dimensions, dimensions, elements.

mod folder;
mod pairs;

pub use folder::read_idx_folder;
pub use pairs::IdxData;

use crate::error::{ErrorKind, Result};
use crate::source::Source;

/// An array of unsigned bytes, row-major.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdxArray {
    /// Length of each dimension.
    pub shape: Vec<usize>,
    /// Elements; their number is the product of `shape`.
    pub data: Vec<u8>,
}

/// The only element type of published images and labels.
const UNSIGNED_BYTE: u8 = 0x08;

/// Reads an IDX file, gzipped or not.
///
/// Memory grows with the bytes present, not with the dimensions that the header claims.
///
/// # Errors
/// If the file cannot be read or decompressed, does not start as an IDX file, holds elements other
/// than unsigned bytes, or is shorter or longer than its header says.
pub fn read_idx<'a>(source: impl Into<Source<'a>>) -> Result<IdxArray> {
    let source = source.into();
    let mut content = source.open()?;
    let mut magic = [0; 4];
    let found = content.fill(&mut magic)?;
    let [0, 0, code, dimensions] = magic else {
        return Err(source.fail(ErrorKind::WrongMagic { found: magic[..found].to_vec() }));
    };
    if found < 4 {
        return Err(source.fail(ErrorKind::WrongMagic { found: magic[..found].to_vec() }));
    }
    if code != UNSIGNED_BYTE {
        return Err(source.fail(ErrorKind::ElementType { code, name: type_name(code) }));
    }
    let mut lengths = vec![0; 4 * usize::from(dimensions)];
    let header = 4 + lengths.len() as u64;
    let found = content.fill(&mut lengths)?;
    if found < lengths.len() {
        return Err(source.fail(ErrorKind::Truncated { expected: header, found: 4 + found as u64 }));
    }
    let (lengths, _) = lengths.as_chunks::<4>();
    let lengths = lengths.iter().map(|&bytes| u32::from_be_bytes(bytes));
    // 255 dimensions of 2^32 - 1 saturate; any real file is shorter and is reported as truncated
    let elements =
        lengths.clone().fold(1, |product: u64, length| product.saturating_mul(u64::from(length)));
    let expected = header.saturating_add(elements);
    let mut data = Vec::new();
    content.append(elements.saturating_add(1), &mut data)?;
    let found = data.len() as u64;
    if found < elements {
        return Err(source.fail(ErrorKind::Truncated { expected, found: header + found }));
    }
    if found > elements {
        return Err(source.fail(ErrorKind::TrailingBytes { expected }));
    }
    Ok(IdxArray { shape: lengths.map(|length| length as usize).collect(), data })
}

fn type_name(code: u8) -> &'static str {
    match code {
        0x09 => "signed byte",
        0x0b => "16-bit integer",
        0x0c => "32-bit integer",
        0x0d => "single precision",
        0x0e => "double precision",
        _ => "unknown",
    }
}
