//! Chooses the separator of a file by its first records.

use super::dialect::Dialect;
use super::records::Records;
use crate::error::Result;
use crate::source::Source;

/// Separators that are recognised, the preferred ones first.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Number of bytes and of records that are inspected.
const HEAD: u64 = 256 << 10;
const RECORDS: usize = 64;

/// Returns the separator that the first records of a file show.
pub(super) fn find(source: &Source<'_>, record_limit: usize) -> Result<u8> {
    let mut head = Vec::new();
    source.open()?.append(HEAD, &mut head)?;
    source.meter().give_back(head.capacity() as u64);
    Ok(separator(&head, record_limit))
}

/// Returns the separator by which all first records have as many fields, two or more, as the
/// header: the one with most fields, the comma before others. Without such a one it is the separator
/// with most fields in the header, so that errors are about the table that was meant.
fn separator(head: &[u8], record_limit: usize) -> u8 {
    let widths = SEPARATORS.map(|by| (by, widths(head, record_limit, by)));
    let even = |widths: &[usize]| {
        widths.first().is_some_and(|&first| first >= 2 && widths.iter().all(|&w| w == first))
    };
    let most = |usable: &dyn Fn(&[usize]) -> bool| {
        let usable = widths.iter().filter(|(_, widths)| usable(widths));
        // The last of equals is the first of the list.
        usable.rev().max_by_key(|(_, widths)| widths.first().copied()).map(|(by, _)| *by)
    };
    let one_by_comma = widths[0].1.first() == Some(&1);
    most(&even)
        .or_else(|| if one_by_comma { most(&|widths| !widths.is_empty()) } else { None })
        .unwrap_or(b',')
}

/// Returns the number of fields of each of the first complete records.
fn widths(head: &[u8], record_limit: usize, by: u8) -> Vec<usize> {
    let source = Source::bytes("", head);
    let mut widths = Vec::new();
    let read = |widths: &mut Vec<usize>| -> Result<bool> {
        let mut records = Records::new(source.open()?, record_limit, Dialect::separated(by))?;
        while widths.len() < RECORDS {
            let Some(record) = records.next()? else { return Ok(true) };
            widths.push(record.split(&mut |_, _: &[u8], _| ()));
        }
        Ok(false)
    };
    // What cannot be read is refused where the table is.
    let ended = read(&mut widths).unwrap_or(false);
    if ended && head.len() as u64 == HEAD {
        widths.pop();
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_those_of_even_records() {
        for (text, by) in [
            ("", b','),
            ("a\n1\n", b','),
            ("a\n1;2\n", b','),
            ("a,b\n1,2;3\n", b','),
            ("a,b\n1,2,3\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("a;b,c;d\n1,5;2;3\n", b';'),
            ("a\tb\n1\t\n", b'\t'),
            ("a|b|c\n1|2|x;y\n", b'|'),
            ("\"a,b\";c\n\"1;1\";2\n", b';'),
            ("a;b\n1;2\n3\n", b';'),
            ("a;b", b';'),
        ] {
            assert_eq!(char::from(separator(text.as_bytes(), 1000)), char::from(by), "{text:?}");
        }
    }
}
