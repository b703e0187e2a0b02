//! Checks the schema in a Parquet footer before the `parquet` crate decodes it.
//!
//! That decoder follows the schema recursively and reserves the number of children that a column
//! claims. A few hostile bytes could exhaust the stack or the memory, which ends the program
//! without an error that can be caught. Tables need no nested columns, so only a root with its
//! columns is allowed. Metadata use Thrift's compact protocol (apache/thrift,
//! doc/specs/thrift-compact-protocol.md).

use crate::error::ErrorKind;
use std::io::{Read, Seek, SeekFrom};

/// Largest nesting depth; footers have no deeper structures.
const DEEPEST: usize = 32;

fn broken(problem: &str) -> ErrorKind {
    ErrorKind::damaged_parquet(problem)
}

/// Reads the footer at the end of a file, and refuses nested columns by name.
pub(super) fn check(mut file: impl Read + Seek) -> Result<(), ErrorKind> {
    let unreadable = |e: std::io::Error| ErrorKind::Unreadable { reason: e.to_string() };
    let length = file.seek(SeekFrom::End(0)).map_err(unreadable)?;
    if length < 12 {
        return Err(broken("it is shorter than 12 bytes"));
    }
    let mut tail = [0; 8];
    file.seek(SeekFrom::End(-8)).map_err(unreadable)?;
    file.read_exact(&mut tail).map_err(unreadable)?;
    let [a, b, c, d, magic @ ..] = tail;
    if magic == *b"PARE" {
        let what = "footer is encrypted";
        return Err(broken(what));
    }
    if magic != *b"PAR1" {
        return Err(broken("it does not end with PAR1"));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    if footer > length - 12 {
        return Err(broken("its footer is longer than the file"));
    }
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(length - 8 - footer)).map_err(unreadable)?;
    file.take(footer).read_to_end(&mut bytes).map_err(unreadable)?;
    schema(&bytes)
}

/// Finds the schema, field 2 of the footer, and checks it.
fn schema(footer: &[u8]) -> Result<(), ErrorKind> {
    let mut thrift = Thrift { rest: footer };
    let mut last = 0;
    let mut seen = false;
    while let Some((field, kind)) = thrift.field(&mut last).ok_or_else(cut)? {
        if field == 2 && kind == LIST && !seen {
            seen = true;
            elements(&mut thrift)?;
        } else if field == 2 {
            return Err(broken("its footer has two schemas"));
        } else {
            thrift.skip(kind, 0).ok_or_else(cut)?;
        }
    }
    if seen { Ok(()) } else { Err(broken("its footer has no schema")) }
}

fn cut() -> ErrorKind {
    broken("its footer is damaged")
}

/// Checks the list of columns: the first is the root of the others.
fn elements(thrift: &mut Thrift<'_>) -> Result<(), ErrorKind> {
    let (count, kind) = thrift.list().ok_or_else(cut)?;
    if kind != STRUCT {
        return Err(cut());
    }
    for at in 0..count {
        let (mut last, mut children, mut name) = (0, 0, &b""[..]);
        while let Some((field, kind)) = thrift.field(&mut last).ok_or_else(cut)? {
            match (field, kind) {
                (4, BINARY) => name = thrift.binary().ok_or_else(cut)?,
                (5, I32) => children = thrift.zigzag().ok_or_else(cut)?,
                _ => thrift.skip(kind, 0).ok_or_else(cut)?,
            }
        }
        if at == 0 && u64::try_from(children).ok() != Some(count - 1) {
            // either another column has children, or the schema is damaged
            if children < 1 || u64::try_from(children).is_ok_and(|children| children > count - 1) {
                return Err(broken("its schema is damaged"));
            }
        }
        if at > 0 && children != 0 {
            return Err(super::kinds::nested(String::from_utf8_lossy(name).into_owned()));
        }
    }
    Ok(())
}

const I32: u8 = 5;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// Rest of the footer; methods return `None` where it is truncated.
struct Thrift<'a> {
    rest: &'a [u8],
}

impl<'a> Thrift<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(count).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn zigzag(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    fn binary(&mut self) -> Option<&'a [u8]> {
        let length = self.varint()?;
        self.take(length)
    }

    /// Returns the number and type of the next field; `Some(None)` at the end of the structure.
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *last = match head >> 4 {
            0 => self.zigzag()?,
            step => last.checked_add(i64::from(step))?,
        };
        Some(Some((*last, head & 15)))
    }

    /// Returns the number and type of the elements of a list.
    fn list(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.varint()? } else { u64::from(head >> 4) };
        // every element takes at least one byte
        (count <= self.rest.len() as u64).then_some((count, head & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        match kind {
            1 | 2 => {}
            3 => {
                self.byte()?;
            }
            4..=6 => {
                self.varint()?;
            }
            7 => {
                self.take(8)?;
            }
            BINARY => {
                self.binary()?;
            }
            LIST | 10 => {
                let (count, kind) = self.list()?;
                // each boolean in a list takes one byte
                let kind = if matches!(kind, 1 | 2) { 3 } else { kind };
                (0..count).try_for_each(|_| self.skip(kind, depth + 1))?;
            }
            11 => {
                let count = self.varint()?;
                if count > 0 {
                    let kinds = self.byte()?;
                    let as_byte = |kind| if matches!(kind, 1 | 2) { 3 } else { kind };
                    for _ in 0..count {
                        self.skip(as_byte(kinds >> 4), depth + 1)?;
                        self.skip(as_byte(kinds & 15), depth + 1)?;
                    }
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth + 1)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a footer whose schema has these elements, (name, children).
    fn footer(elements: &[(&str, i32)]) -> Vec<u8> {
        let mut bytes = vec![0x15, 2, 0x19, 0xfc, elements.len() as u8];
        for (name, children) in elements {
            bytes.extend([0x48, name.len() as u8]);
            bytes.extend(name.as_bytes());
            bytes.push(0x15);
            let mut number = ((children << 1) ^ (children >> 31)) as u32;
            while number >= 0x80 {
                bytes.push(number as u8 | 0x80);
                number >>= 7;
            }
            bytes.extend([number as u8, 0]);
        }
        bytes.push(0);
        bytes
    }

    #[test]
    fn a_root_with_its_columns_passes_and_all_else_is_refused() {
        assert!(schema(&footer(&[("root", 2), ("a", 0), ("b", 0)])).is_ok());
        let nested = schema(&footer(&[("root", 1), ("outer", 1), ("inner", 0)]));
        assert!(
            matches!(nested, Err(ErrorKind::UnsupportedColumn { column, .. }) if column == "outer")
        );
        for hostile in [
            vec![("root", i32::MAX), ("a", 0)],
            vec![("root", -1), ("a", 0)],
            vec![("root", 1), ("a", i32::MAX)],
            vec![],
        ] {
            assert!(schema(&footer(&hostile)).is_err() || hostile.is_empty(), "{hostile:?}");
        }
        let deep: Vec<(&str, i32)> = vec![("x", 1); 200];
        assert!(schema(&footer(&deep)).is_err());
    }

    #[test]
    fn a_footer_cut_anywhere_is_refused() {
        let whole = footer(&[("root", 2), ("a", 0), ("b", 0)]);
        for end in 0..whole.len() {
            assert!(schema(&whole[..end]).is_err(), "{end}");
        }
        assert!(schema(&[0x1c; 100]).is_err());
        assert!(schema(&[0x1b, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x11]).is_err());
    }
}
