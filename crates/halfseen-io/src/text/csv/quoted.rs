//! Splits records with quotes exactly as the `csv` crate does.

use super::cell::{self, Value};
use memchr::{memchr, memchr3};

/// Unescaped fields of one record, concatenated.
#[derive(Default)]
pub(super) struct Quoted {
    bytes: Vec<u8>,
    fields: Vec<Field>,
}

struct Field {
    end: usize,
    quoted: bool,
}

/// Result of [`Quoted::parse`].
#[derive(Debug, PartialEq)]
pub(super) enum Parsed {
    /// A record; its length in bytes, with its line end.
    Record(usize),
    /// The record continues beyond the given bytes.
    More,
    /// The content ends inside a quoted field.
    Unclosed,
}

impl Quoted {
    /// Parses the record at the start of `input`; `last` if the content ends there.
    pub(super) fn parse(&mut self, input: &[u8], by: u8, last: bool) -> Parsed {
        self.bytes.clear();
        self.fields.clear();
        let mut at = 0;
        loop {
            // A quote matters only at the start of a field.
            let quoted = input.get(at) == Some(&b'"');
            if quoted {
                match self.unquote(input, at + 1) {
                    Some(after) => at = after,
                    None if last => return Parsed::Unclosed,
                    None => return Parsed::More,
                }
            }
            // Text after a closing quote belongs to the field unchanged.
            let rest = &input[at..];
            let Some(length) = memchr3(by, b'\n', b'\r', rest).or(last.then_some(rest.len()))
            else {
                return Parsed::More;
            };
            self.bytes.extend_from_slice(&rest[..length]);
            self.fields.push(Field { end: self.bytes.len(), quoted });
            at += length + 1;
            if rest.get(length) != Some(&by) {
                return Parsed::Record(at.min(input.len()));
            }
        }
    }

    /// Appends the text between quotes, with doubled quotes made single; returns the position after
    /// the closing quote.
    ///
    /// A quote at the very end of the input counts as closing: if more input follows, the record is
    /// incomplete and is parsed again.
    fn unquote(&mut self, input: &[u8], mut at: usize) -> Option<usize> {
        loop {
            let quote = at + memchr(b'"', &input[at..])?;
            self.bytes.extend_from_slice(&input[at..quote]);
            if input.get(quote + 1) != Some(&b'"') {
                return Some(quote + 1);
            }
            self.bytes.push(b'"');
            at = quote + 2;
        }
    }

    /// Splits the last parsed record as [`cell::split`] does; blanks inside quotes stay.
    pub(super) fn split<'a>(&'a self, mut each: impl FnMut(usize, &'a [u8], Value)) -> usize {
        let mut start = 0;
        for (column, field) in self.fields.iter().enumerate() {
            let raw = &self.bytes[start..field.end];
            let cell = if field.quoted { raw } else { cell::trim(raw) };
            each(column, cell, cell::value(cell));
            start = field.end;
        }
        self.fields.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(input: &str, last: bool) -> (Parsed, Vec<String>) {
        let mut quoted = Quoted::default();
        let parsed = quoted.parse(input.as_bytes(), b',', last);
        let mut cells = Vec::new();
        quoted.split(|_, cell, _| cells.push(String::from_utf8_lossy(cell).into_owned()));
        (parsed, cells)
    }

    #[test]
    fn quotes_commas_and_line_ends_are_unescaped() {
        let (parsed, cells) = fields("\"a,\"\"b\"\"\n\", c ,\" d \"\r\nnext", false);
        assert_eq!(parsed, Parsed::Record(21));
        assert_eq!(cells, ["a,\"b\"\n", "c", " d "]);
    }

    #[test]
    fn an_open_quote_asks_for_more_and_is_refused_at_the_end() {
        assert_eq!(fields("1,\"a\nb", false).0, Parsed::More);
        assert_eq!(fields("1,\"a\nb", true).0, Parsed::Unclosed);
        assert_eq!(fields("1,\"a\"", false).0, Parsed::More);
        assert_eq!(
            fields("1,\"a\"", true),
            (Parsed::Record(5), vec!["1".to_owned(), "a".to_owned()])
        );
    }
}
