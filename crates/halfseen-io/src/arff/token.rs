//! Splits a line of ARFF into words, quoted texts, commas and braces.

use std::borrow::Cow;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token<'a> {
    /// A word up to the next blank, comma or brace.
    Plain(&'a [u8]),
    /// Unescaped text between quotes.
    Quoted(Cow<'a, [u8]>),
    Comma,
    Open,
    Close,
}

impl Token<'_> {
    /// Returns the text of a word or quoted text, or the sign of a comma or brace.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Token::Plain(word) => word,
            Token::Quoted(text) => text,
            Token::Comma => b",",
            Token::Open => b"{",
            Token::Close => b"}",
        }
    }
}

/// Tokens of a line before its comment; `%` starts a comment only at the start of a token.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

/// Error of a line that ends inside quotes.
#[derive(Debug, PartialEq)]
pub(super) struct Unclosed;

impl<'a> Tokens<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, Unclosed> {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let sign = match self.rest.first() {
            None | Some(b'%') => return Ok(None),
            Some(b',') => Token::Comma,
            Some(b'{') => Token::Open,
            Some(b'}') => Token::Close,
            Some(&quote @ (b'\'' | b'"')) => {
                return self.quoted(quote).map(|text| Some(Token::Quoted(text)));
            }
            Some(_) => {
                let ends = |b: &u8| matches!(b, b' ' | b'\t' | b',' | b'{' | b'}');
                let end = self.rest.iter().position(ends).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(end);
                self.rest = rest;
                return Ok(Some(Token::Plain(word)));
            }
        };
        self.rest = &self.rest[1..];
        Ok(Some(sign))
    }

    /// Reads the text up to the closing quote; a backslash escapes the next character.
    fn quoted(&mut self, quote: u8) -> Result<Cow<'a, [u8]>, Unclosed> {
        let text = &self.rest[1..];
        let end = text.iter().position(|&b| b == quote || b == b'\\').ok_or(Unclosed)?;
        if text[end] == quote {
            self.rest = &text[end + 1..];
            return Ok(Cow::Borrowed(&text[..end]));
        }
        let (mut out, mut at) = (text[..end].to_vec(), end);
        loop {
            match text.get(at).ok_or(Unclosed)? {
                &b if b == quote => break,
                b'\\' => at = unescape(text, at + 1, &mut out)?,
                &b => {
                    out.push(b);
                    at += 1;
                }
            }
        }
        self.rest = &text[at + 1..];
        Ok(Cow::Owned(out))
    }
}

/// Appends the character of a backslash escape; returns the position after it.
fn unescape(text: &[u8], at: usize, out: &mut Vec<u8>) -> Result<usize, Unclosed> {
    let plain = match text.get(at).ok_or(Unclosed)? {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'u' => {
            let digits = text.get(at + 1..at + 5).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
            let code = digits
                .and_then(|d| std::str::from_utf8(d).ok())
                .and_then(|d| u32::from_str_radix(d, 16).ok());
            if let Some(character) = code.and_then(char::from_u32) {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(at + 5);
            }
            b'u'
        }
        &other => other,
    };
    out.push(plain);
    Ok(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(line: &str) -> Result<Vec<String>, Unclosed> {
        let mut tokens = Tokens::new(line.as_bytes());
        let mut all = Vec::new();
        while let Some(token) = tokens.next()? {
            let text = String::from_utf8(token.bytes().to_vec()).unwrap();
            all.push(if matches!(token, Token::Quoted(_)) { format!("<{text}>") } else { text });
        }
        Ok(all)
    }

    #[test]
    fn a_line_is_split_at_blanks_commas_and_braces() {
        assert_eq!(
            all(" a ,\t'b c',{d}\"e\" % f").unwrap(),
            ["a", ",", "<b c>", ",", "{", "d", "}", "<e>"]
        );
        assert_eq!(all("50% it's").unwrap(), ["50%", "it's"]);
        assert_eq!(all("% 'open").unwrap(), [""; 0]);
    }

    #[test]
    fn backslashes_escape_inside_quotes_only() {
        assert_eq!(
            all(r#"'a\'b' "c\"d" 'e\\' '\n\t\r\%' a\b"#).unwrap(),
            ["<a'b>", "<c\"d>", "<e\\>", "<\n\t\r%>", "a\\b"]
        );
        assert_eq!(all(r"'\u00e9\u20ac\ud800\uzz'").unwrap(), ["<é€ud800uzz>"]);
        for open in ["'", "'a", "\"a'", r"'a\'", r"'a\", r"'\u"] {
            assert_eq!(all(open), Err(Unclosed), "{open}");
        }
    }
}
