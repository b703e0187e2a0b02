//! Splits a text file into numbered lines, holding one chunk or the longest line at a time.

use crate::error::{ErrorKind, Result};
use crate::source::Content;
use memchr::memchr2;

/// Fits into the second-level cache, and makes the cost of system calls negligible (as for CSV).
const CHUNK: usize = 256 << 10;

/// The lines of a file, in order; they end with LF, CR LF or CR.
pub(crate) struct Lines<'a> {
    content: Content<'a>,
    limit: usize,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at_end: bool,
    line: u64,
    after_cr: bool,
}

impl<'a> Lines<'a> {
    /// Starts after a byte order mark; no line may have more than `limit` bytes.
    pub(crate) fn new(content: Content<'a>, limit: usize) -> Result<Self> {
        let buffer = vec![0; CHUNK];
        let mut lines = Self {
            content,
            limit,
            buffer,
            start: 0,
            end: 0,
            at_end: false,
            line: 0,
            after_cr: false,
        };
        lines.fill()?;
        if lines.buffer[..lines.end].starts_with(b"\xef\xbb\xbf") {
            lines.start = 3;
        }
        Ok(lines)
    }

    /// Returns the next line and its number, from 1.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        loop {
            let pending = &self.buffer[self.start..self.end];
            // the LF of CR LF may be in the next chunk
            if self.after_cr && !pending.is_empty() {
                self.after_cr = false;
                self.start += usize::from(pending[0] == b'\n');
                continue;
            }
            let length = match memchr2(b'\n', b'\r', pending) {
                Some(length) => length,
                None if !self.at_end => {
                    self.fill()?;
                    continue;
                }
                None if pending.is_empty() => return Ok(None),
                None => pending.len(),
            };
            self.line += 1;
            self.check(length)?;
            let start = self.start;
            self.after_cr = pending.get(length) == Some(&b'\r');
            self.start = (start + length + 1).min(self.end);
            return Ok(Some((self.line, &self.buffer[start..start + length])));
        }
    }

    /// Reads more of the line that starts in the buffer.
    fn fill(&mut self) -> Result<()> {
        let pending = self.end - self.start;
        if pending > self.limit {
            self.line += 1;
            self.check(pending)?;
        }
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, pending);
        if pending == self.buffer.len() {
            self.buffer.resize(pending.saturating_mul(2).min(self.limit.saturating_add(2)), 0);
        }
        self.end += self.content.fill(&mut self.buffer[pending..])?;
        self.at_end = self.end < self.buffer.len();
        Ok(())
    }

    fn check(&self, length: usize) -> Result<()> {
        let (line, limit) = (self.line, self.limit);
        if length <= limit {
            return Ok(());
        }
        let remedy =
            "does the file have line ends? Otherwise raise the limit on the length of a line";
        let problem = format!("is longer than {limit} bytes; {remedy}");
        Err(self.fail(ErrorKind::BadLine { line, problem }))
    }

    pub(crate) fn fail(&self, kind: ErrorKind) -> crate::Error {
        self.content.fail(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;
    use proptest::prelude::*;

    fn lines(text: &[u8], limit: usize) -> Result<Vec<(u64, Vec<u8>)>> {
        let source = Source::bytes("t", text);
        let mut lines = Lines::new(source.open()?, limit)?;
        let mut all = Vec::new();
        while let Some((number, line)) = lines.next()? {
            all.push((number, line.to_vec()));
        }
        Ok(all)
    }

    proptest! {
        #[test]
        fn every_line_end_ends_a_line(text in "[ab\n\r]{0,20}") {
            let plain = text.replace("\r\n", "\n").replace('\r', "\n");
            let plain: Vec<_> = plain.lines().zip(1..).map(|(l, i)| (i, l.as_bytes().to_vec())).collect();
            prop_assert_eq!(lines(text.as_bytes(), 99).unwrap(), plain);
        }
    }

    #[test]
    fn a_line_end_may_be_cut_by_a_chunk() {
        for shift in 0..4 {
            let first = "x".repeat(CHUNK - shift);
            let all = lines(format!("\u{feff}{first}\r\nb\r\n\r\nc").as_bytes(), 1 << 20).unwrap();
            let expected = [first.as_str(), "b", "", "c"].map(|l| l.as_bytes().to_vec());
            assert_eq!(all, expected.into_iter().zip(1..).map(|(l, i)| (i, l)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_line_beyond_the_limit_is_refused_by_its_number() {
        assert_eq!(lines(b"a\n1234", 4).unwrap().len(), 2);
        for text in ["a\n12345", "a\n12345\n", &format!("a\n{}", "x".repeat(3 * CHUNK))] {
            let error = lines(text.as_bytes(), 4).unwrap_err();
            assert!(error.to_string().contains("line 2 is longer than 4 bytes"), "{error}");
        }
    }
}
