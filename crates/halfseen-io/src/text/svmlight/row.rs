//! Parses one line of SVMlight: a label, an optional query, and pairs of index and value.

use crate::error::ErrorKind;
use crate::text::csv::cell::{self, Value};
use crate::text::csv::short;
use halfseen::error::short;
use std::ops::RangeInclusive;

/// Parsed line, ready to be stored.
pub(super) struct Row<'a> {
    pub label: f64,
    pub query: Option<f64>,
    pub pairs: Pairs<'a>,
}

/// One entry of a row, with its index as written.
pub(super) struct Pair<'a> {
    pub index: &'a [u8],
    pub value: Value,
    pub text: &'a [u8],
}

/// Iterator over the parts between blanks and tabs.
#[derive(Clone)]
struct Tokens<'a>(&'a [u8]);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let blank = |b: &u8| matches!(b, b' ' | b'\t');
        let start = self.0.iter().position(|b| !blank(b))?;
        let rest = &self.0[start..];
        let (token, rest) = rest.split_at(rest.iter().position(blank).unwrap_or(rest.len()));
        self.0 = rest;
        Some(token)
    }
}

/// Returns the line without its comment, which starts at `#`.
fn content(line: &[u8]) -> &[u8] {
    cell::trim(memchr::memchr(b'#', line).map_or(line, |at| &line[..at]))
}

/// Returns the error for a line that holds this text.
pub(super) fn malformed(line: u64, text: &[u8], problem: &str) -> ErrorKind {
    let text = short(&String::from_utf8_lossy(text));
    ErrorKind::BadLine { line, problem: format!("holds '{text}', which {problem}") }
}

/// Reads label and query; `None` if the line is blank or a comment.
pub(super) fn parse<'a>(number: u64, line: &'a [u8]) -> Result<Option<Row<'a>>, ErrorKind> {
    let mut tokens = Tokens(content(line));
    let Some(first) = tokens.next() else { return Ok(None) };
    let label = match cell::value(first) {
        Value::Number(label) => label,
        Value::Missing => f64::NAN,
        Value::Infinite => {
            return Err(malformed(number, first, "is not a finite label; correct it"));
        }
        Value::Text if first.contains(&b',') => {
            return Err(malformed(number, first, "is several labels; keep one per row"));
        }
        Value::Text => {
            return Err(malformed(number, first, "is not a label; a row starts with a number"));
        }
    };
    let mut pairs = tokens.clone();
    let query = match tokens.next().and_then(|t| t.strip_prefix(b"qid:")) {
        None => None,
        Some(text) => {
            pairs = tokens;
            match cell::value(text) {
                Value::Number(query) => Some(query),
                _ => return Err(malformed(number, text, "is not a query; write qid:1")),
            }
        }
    };
    Ok(Some(Row { label, query, pairs: Pairs(pairs) }))
}

/// Entries of a row in order.
pub(super) struct Pairs<'a>(Tokens<'a>);

impl<'a> Pairs<'a> {
    /// Takes the next pair if it is written in the usual way, with an index in this range.
    #[inline]
    pub(super) fn plain(&mut self, range: RangeInclusive<u32>) -> Option<(u32, f64)> {
        let text = self.0.0.strip_prefix(b" ")?;
        let (index, value, end) = short::pair(text)?;
        let index = u32::try_from(index).ok().filter(|index| range.contains(index))?;
        let rest = &text[end..];
        matches!(rest.first(), None | Some(b' ')).then(|| self.0.0 = rest)?;
        Some((index, value))
    }

    /// Takes the next pair; `number` is the line, for errors.
    pub(super) fn next(&mut self, number: u64) -> Result<Option<Pair<'a>>, ErrorKind> {
        let token = self.0.next();
        token.map(|token| pair(token).ok_or_else(|| malformed(number, token, NO_PAIR))).transpose()
    }
}

const NO_PAIR: &str = "is not a pair index:value of two numbers; correct it";

fn pair(token: &[u8]) -> Option<Pair<'_>> {
    let colon = token.iter().position(|&b| b == b':')?;
    let (index, text) = (&token[..colon], &token[colon + 1..]);
    let value = if text.is_empty() { Value::Text } else { cell::value(text) };
    (!index.is_empty() && index.iter().all(u8::is_ascii_digit) && value != Value::Text)
        .then_some(Pair { index, value, text })
}

/// Returns true if a line may be SVMlight; `None` if undecidable (a comment, a single number).
pub(crate) fn resembles(line: &[u8]) -> Option<bool> {
    let mut tokens = Tokens(content(line));
    let first = tokens.next()?;
    let numbers =
        first.split(|&b| b == b',').all(|part| matches!(cell::value(part), Value::Number(_)));
    let nan = first.eq_ignore_ascii_case(b"nan");
    if !numbers && !nan {
        return Some(false);
    }
    let mut pairs = 0;
    for (i, token) in tokens.enumerate() {
        if pair(token).is_some() || (i == 0 && token.starts_with(b"qid:")) {
            pairs += 1;
        } else {
            return Some(false);
        }
    }
    // a single number is a row of zeros or a CSV header; several numbers are a CSV header
    if pairs > 0 {
        Some(true)
    } else if first.contains(&b',') {
        Some(false)
    } else {
        None
    }
}
