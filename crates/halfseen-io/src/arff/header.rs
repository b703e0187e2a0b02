//! Reads the declarations of an ARFF file: attributes with names and types.

use super::token::{Token, Tokens};
use crate::error::{ErrorKind, Result};
use crate::lines::Lines;
use halfseen::data::{Matrix, Table};
use ndarray::Array2;
use std::collections::HashMap;

pub(super) struct Attribute {
    pub name: String,
    pub kind: Kind,
}

/// Type of the cells of an attribute.
pub(super) enum Kind {
    Number,
    Text,
    /// Declared categories in order, and the code of each.
    Nominal {
        levels: Vec<String>,
        codes: HashMap<Vec<u8>, u32>,
    },
}

/// Returns true if the non-blank, non-comment lines start with `@relation` and then `@attribute`,
/// each followed by a blank.
pub(crate) fn resembles<'a>(lines: impl Iterator<Item = &'a [u8]>) -> bool {
    let mut words = lines.filter_map(|line| match Tokens::new(line).next() {
        Ok(None) => None,
        Ok(Some(Token::Plain(word))) => Some(word),
        _ => Some(&b""[..]),
    });
    let mut is =
        |keyword: &[u8]| words.next().is_some_and(|word| word.eq_ignore_ascii_case(keyword));
    is(b"@relation") && is(b"@attribute")
}

/// Reads the header through `@data`.
pub(super) fn read(lines: &mut Lines<'_>) -> Result<Vec<Attribute>> {
    let mut attributes = Vec::new();
    let mut empty = true;
    loop {
        let Some((number, line)) = lines.next()? else {
            let kind = if empty {
                ErrorKind::Empty
            } else {
                ErrorKind::NoRows { columns: attributes.len() }
            };
            return Err(lines.fail(kind));
        };
        match declaration(number, line) {
            Ok(None) => continue,
            Ok(Some(Declaration::Relation)) => {}
            Ok(Some(Declaration::Attribute(attribute))) => attributes.push(attribute),
            Ok(Some(Declaration::Data)) if attributes.is_empty() => {
                let problem =
                    "comes before any attribute; declare attributes with @attribute first";
                return Err(lines.fail(ErrorKind::Malformed {
                    line: number,
                    text: "@data".into(),
                    problem,
                }));
            }
            Ok(Some(Declaration::Data)) => break,
            Err(kind) => return Err(lines.fail(kind)),
        }
        empty = false;
    }
    // the library's own check of the names, before rows are read
    let names: Vec<String> = attributes.iter().map(|a| a.name.clone()).collect();
    let none = Matrix::F64(Array2::zeros((0, names.len())));
    Table::from_matrix(none, names).map_err(|e| lines.fail(ErrorKind::Library(e)))?;
    Ok(attributes)
}

enum Declaration {
    Relation,
    Attribute(Attribute),
    Data,
}

/// Parses the declaration of a line; `None` if the line is blank or a comment.
fn declaration(line: u64, text: &[u8]) -> Result<Option<Declaration>, ErrorKind> {
    let malformed = |problem| malformed(line, text, problem);
    let mut tokens = Tokens::new(text);
    let mut next = || tokens.next().map_err(|_| malformed(UNCLOSED));
    let Some(keyword) = next()? else { return Ok(None) };
    let is = |name: &str| matches!(keyword, Token::Plain(word) if word.eq_ignore_ascii_case(name.as_bytes()));
    if is("@relation") {
        return Ok(Some(Declaration::Relation));
    }
    if is("@data") {
        return Ok(Some(Declaration::Data));
    }
    if !is("@attribute") {
        return Err(malformed(
            "is not a declaration; only @relation and @attribute may come before @data",
        ));
    }
    let name = match next()? {
        Some(Token::Plain(name)) => utf8(line, name)?,
        Some(Token::Quoted(name)) => utf8(line, &name)?,
        _ => String::new(),
    };
    if name.is_empty() {
        return Err(malformed("names no attribute; write @attribute name type"));
    }
    let unsupported = |name: &str, what: &str, remedy| ErrorKind::UnsupportedColumn {
        column: name.to_owned(),
        what: what.to_owned(),
        remedy,
    };
    let kind = match next()? {
        Some(Token::Plain(word)) => match &*word.to_ascii_lowercase() {
            b"numeric" | b"real" | b"integer" => Kind::Number,
            b"string" => Kind::Text,
            b"date" => {
                return Err(unsupported(
                    &name,
                    "a date",
                    "write it as a number, such as days, or declare it a string",
                ));
            }
            b"relational" => {
                return Err(unsupported(&name, "a nested relation", "write one row per bag"));
            }
            _ => return Err(malformed(NO_TYPE)),
        },
        Some(Token::Open) => nominal(line, &mut next)?.ok_or_else(|| malformed(NO_LIST))?,
        _ => return Err(malformed(NO_TYPE)),
    };
    if next()?.is_some() {
        return Err(malformed("continues after its type; put quotes around a name with blanks"));
    }
    Ok(Some(Declaration::Attribute(Attribute { name, kind })))
}

const NO_TYPE: &str = "has no type; write numeric, string, or the categories as {a,b}";
const NO_LIST: &str = "is not a list of distinct categories; write {a,b}";
pub(super) const UNCLOSED: &str =
    "opens a quote that its line never closes; close it, or write \\' if it is part of the text";

/// Parses categories up to the closing brace; `None` if it is missing or a category is repeated.
fn nominal<'a>(
    line: u64,
    mut next: impl FnMut() -> Result<Option<Token<'a>>, ErrorKind>,
) -> Result<Option<Kind>, ErrorKind> {
    let (mut levels, mut codes) = (Vec::new(), HashMap::new());
    let mut after_category = false;
    loop {
        match next()? {
            Some(token @ (Token::Plain(_) | Token::Quoted(_))) => {
                levels.push(utf8(line, token.bytes())?);
                if codes.insert(token.bytes().to_vec(), levels.len() as u32 - 1).is_some() {
                    return Ok(None);
                }
                after_category = true;
            }
            Some(Token::Comma) if after_category => after_category = false,
            Some(Token::Close) if after_category || levels.is_empty() => {
                return Ok(Some(Kind::Nominal { levels, codes }));
            }
            _ => return Ok(None),
        }
    }
}

pub(super) fn malformed(line: u64, text: &[u8], problem: &'static str) -> ErrorKind {
    ErrorKind::Malformed { line, text: String::from_utf8_lossy(text).into_owned(), problem }
}

pub(super) fn utf8(line: u64, text: &[u8]) -> Result<String, ErrorKind> {
    std::str::from_utf8(text).map(str::to_owned).map_err(|_| ErrorKind::NotUtf8 { line })
}
