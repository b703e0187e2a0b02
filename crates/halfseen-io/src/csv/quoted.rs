//! Splits records with quotes, by the state machine of the `csv` crate.

use super::cell::{self, Value};
use csv_core::{ReadFieldResult, Reader};

/// The fields of one record, unescaped, and the room to find them in.
pub(super) struct Quoted {
    reader: Reader,
    bytes: Vec<u8>,
    fields: Vec<Field>,
}

struct Field {
    end: usize,
    quoted: bool,
}

/// What [`Quoted::parse`] found.
#[derive(Debug, PartialEq)]
pub(super) enum Parsed {
    /// A record; it and its line end take so many bytes.
    Record(usize),
    /// The record goes on beyond the bytes given.
    More,
    /// The content ends inside quotes.
    Unclosed,
}

impl Quoted {
    pub(super) fn new() -> Self {
        Self { reader: Reader::new(), bytes: Vec::new(), fields: Vec::new() }
    }

    /// Parses the record at the start of `input`, which is not empty; `last` if nothing follows it.
    pub(super) fn parse(&mut self, input: &[u8], last: bool) -> Parsed {
        self.fields.clear();
        self.bytes.resize(self.bytes.len().max(input.len() + 1), 0);
        self.reader.reset();
        // A reader that has read something takes no byte order mark away in mid-file.
        self.reader.read_field(b"\n", &mut []);
        let (mut at, mut end) = (0, 0);
        loop {
            let quoted = input.get(at) == Some(&b'"');
            loop {
                // The end of the content ends a record as a line end does, unless quotes are open.
                let rest = if at < input.len() { &input[at..] } else { b"\n" };
                if at >= input.len() && !last {
                    return Parsed::More;
                }
                let (result, read, written) = self.reader.read_field(rest, &mut self.bytes[end..]);
                (at, end) = (at + read, end + written);
                match result {
                    ReadFieldResult::Field { record_end } => {
                        self.fields.push(Field { end, quoted });
                        if record_end {
                            return Parsed::Record(at.min(input.len()));
                        }
                        break;
                    }
                    _ if at > input.len() => return Parsed::Unclosed,
                    _ => {}
                }
            }
        }
    }

    /// As [`cell::split`], for the record parsed last. Blanks inside quotes stay.
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
        let mut quoted = Quoted::new();
        let parsed = quoted.parse(input.as_bytes(), last);
        let mut cells = Vec::new();
        quoted.split(|_, cell, _| cells.push(String::from_utf8_lossy(cell).into_owned()));
        (parsed, cells)
    }

    #[test]
    fn quotes_commas_and_line_ends_are_unescaped() {
        let (parsed, cells) = fields("\"a,\"\"b\"\"\n\", c ,\" d \"\r\nnext", false);
        assert_eq!(parsed, Parsed::Record(20));
        assert_eq!(cells, ["a,\"b\"\n", "c", " d "]);
    }

    #[test]
    fn an_open_quote_asks_for_more_and_is_refused_at_the_end() {
        assert_eq!(fields("1,\"a\nb", false).0, Parsed::More);
        assert_eq!(fields("1,\"a\nb", true).0, Parsed::Unclosed);
        assert_eq!(fields("1,\"a\"", false).0, Parsed::More);
        assert_eq!(fields("1,\"a\"", true), (Parsed::Record(5), vec!["1".to_owned(), "a".to_owned()]));
    }
}
