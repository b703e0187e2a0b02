//! Stores the dense or sparse rows after `@data` in the columns of a table.

use super::header::{Attribute, Kind, UNCLOSED, malformed, utf8};
use super::token::{Token, Tokens};
use crate::csv::cell::{self, Value};
use crate::csv::text::TextBuilder;
use crate::error::ErrorKind;
use crate::meter::Meter;
use halfseen::data::{Column, Csr, Matrix, Place, Table, TextColumn};
use ndarray::Array2;
use std::collections::HashMap;

pub(super) struct Rows {
    columns: Vec<Column>,
    numbers: Numbers,
    width: usize,
    texts: Vec<Texts>,
    /// Text columns that the current sparse row has named.
    named: Vec<bool>,
    /// Number of rows before those that are collected.
    before: usize,
    rows: usize,
    cell_limit: usize,
    meter: Meter,
}

/// Numeric cells; the first row determines their storage.
enum Numbers {
    Undecided,
    Dense(Vec<f64>),
    Sparse { starts: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
}

/// Cells of a column of strings or categories.
enum Texts {
    Free(TextBuilder),
    Nominal { codes: Vec<u32>, levels: Vec<String>, known: HashMap<Vec<u8>, u32> },
}

impl Rows {
    pub(super) fn new(attributes: Vec<Attribute>, cell_limit: usize, meter: Meter) -> Self {
        let (mut columns, mut texts, mut width) = (Vec::new(), Vec::new(), 0);
        for Attribute { name, kind } in attributes {
            let place = match kind {
                Kind::Number => {
                    width += 1;
                    Place::Number(width - 1)
                }
                Kind::Text => {
                    texts.push(Texts::Free(TextBuilder::default()));
                    Place::Text(texts.len() - 1)
                }
                Kind::Nominal { levels, codes: known } => {
                    texts.push(Texts::Nominal { codes: Vec::new(), levels, known });
                    Place::Text(texts.len() - 1)
                }
            };
            columns.push(Column { name, place });
        }
        let named = vec![false; texts.len()];
        let numbers = Numbers::Undecided;
        Rows { columns, numbers, width, texts, named, before: 0, rows: 0, cell_limit, meter }
    }

    /// Returns the number of rows collected so far.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Adds the row of a line, unless the line is blank or a comment.
    pub(super) fn push(&mut self, line: u64, text: &[u8]) -> Result<(), ErrorKind> {
        let mut tokens = Tokens::new(text);
        let first = tokens.next().map_err(|_| malformed(line, text, UNCLOSED))?;
        let Some(first) = first else { return Ok(()) };
        let sparse = first == Token::Open;
        if let Numbers::Undecided = self.numbers {
            self.numbers = match sparse {
                true => {
                    Numbers::Sparse { starts: vec![0], indices: Vec::new(), values: Vec::new() }
                }
                false => Numbers::Dense(Vec::new()),
            };
        }
        if sparse != matches!(self.numbers, Numbers::Sparse { .. }) {
            return Err(malformed(
                line,
                text,
                "is sparse but the first row is dense, or vice versa; write all rows in one form",
            ));
        }
        self.rows += 1;
        if sparse {
            self.sparse(line, text, &mut tokens)
        } else {
            self.dense(line, text, first, &mut tokens)
        }
    }

    fn dense<'a>(
        &mut self,
        line: u64,
        text: &'a [u8],
        first: Token<'a>,
        tokens: &mut Tokens<'a>,
    ) -> Result<(), ErrorKind> {
        let (mut found, mut comma) = (0, true);
        let mut token = Some(first);
        while let Some(current) = token {
            match current {
                Token::Comma if comma => return Err(malformed(line, text, EMPTY)),
                Token::Comma => comma = true,
                Token::Open | Token::Close => return Err(malformed(line, text, BRACE)),
                Token::Plain(_) | Token::Quoted(_) => {
                    comma = false;
                    if found < self.columns.len() {
                        self.cell(line, found, &current)?;
                    }
                    found += 1;
                }
            }
            token = tokens.next().map_err(|_| malformed(line, text, UNCLOSED))?;
        }
        if comma {
            return Err(malformed(line, text, EMPTY));
        }
        let (row, expected) = (self.before + self.rows, self.columns.len());
        if found == expected {
            Ok(())
        } else {
            Err(ErrorKind::Ragged { row, line, expected, found })
        }
    }

    fn sparse<'a>(
        &mut self,
        line: u64,
        text: &'a [u8],
        tokens: &mut Tokens<'a>,
    ) -> Result<(), ErrorKind> {
        if self.rows.saturating_mul(self.texts.len()) > self.cell_limit {
            return Err(ErrorKind::TooManyCells { limit: self.cell_limit });
        }
        self.named.fill(false);
        let mut next = || tokens.next().map_err(|_| malformed(line, text, UNCLOSED));
        let mut least = 0;
        let mut token = next()?;
        while token != Some(Token::Close) {
            let (Some(Token::Plain(index)), Some(value @ (Token::Plain(_) | Token::Quoted(_)))) =
                (token, next()?)
            else {
                return Err(malformed(line, text, NO_PAIRS));
            };
            let column = std::str::from_utf8(index).ok().and_then(|i| i.parse::<usize>().ok());
            let Some(column) = column.filter(|&c| c >= least && c < self.columns.len()) else {
                return Err(malformed(line, index, NO_INDEX));
            };
            least = column + 1;
            self.cell(line, column, &value)?;
            token = match next()? {
                Some(Token::Comma) => next()?.filter(|t| *t != Token::Close),
                end @ Some(Token::Close) => end,
                _ => None,
            };
        }
        if next()?.is_some() {
            return Err(malformed(line, text, BRACE));
        }
        if let Numbers::Sparse { starts, indices, .. } = &mut self.numbers {
            self.meter.push(starts, indices.len(), self.rows)?;
        }
        self.fill_texts(line)
    }

    /// Gives text columns omitted by a sparse row their first category.
    fn fill_texts(&mut self, line: u64) -> Result<(), ErrorKind> {
        for (at, _) in self.named.iter().enumerate().filter(|(_, named)| !**named) {
            match &mut self.texts[at] {
                Texts::Nominal { codes, levels, .. } => {
                    let code = if levels.is_empty() { TextColumn::MISSING } else { 0 };
                    self.meter.push(codes, code, self.rows)?;
                }
                Texts::Free(_) => {
                    let column = self.columns.iter().find(|c| c.place == Place::Text(at));
                    let name = column.map_or(String::new(), |c| c.name.clone());
                    return Err(malformed(line, name.as_bytes(), LEFT_OUT));
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, line: u64, column: usize, token: &Token<'_>) -> Result<(), ErrorKind> {
        let text = token.bytes();
        let missing = *token == Token::Plain(b"?");
        let wrong = || {
            (
                self.before + self.rows,
                self.columns[column].name.clone(),
                String::from_utf8_lossy(text).into_owned(),
            )
        };
        match self.columns[column].place {
            Place::Number(at) => {
                let value = match cell::value(cell::trim(text)) {
                    Value::Number(value) => value,
                    Value::Missing if !text.is_empty() => f64::NAN,
                    Value::Infinite => {
                        let (row, column, text) = wrong();
                        return Err(ErrorKind::NotFinite { row, line, column, text });
                    }
                    Value::Missing | Value::Text => {
                        let (row, column, text) = wrong();
                        return Err(ErrorKind::NotNumber { row, line, column, text });
                    }
                };
                match &mut self.numbers {
                    Numbers::Dense(cells) => self.meter.push(cells, value, self.rows)?,
                    Numbers::Sparse { indices, values, .. } => {
                        self.meter.push(indices, at as u32, self.rows)?;
                        self.meter.push(values, value, self.rows)?;
                    }
                    Numbers::Undecided => {}
                }
            }
            Place::Text(at) => {
                self.named[at] = true;
                let (meter, rows) = (&self.meter, self.rows);
                match &mut self.texts[at] {
                    Texts::Free(texts) if missing => texts.push_missing(meter)?,
                    Texts::Free(texts) => texts.push(&utf8(line, text)?, meter)?,
                    Texts::Nominal { codes, .. } if missing => {
                        meter.push(codes, TextColumn::MISSING, rows)?;
                    }
                    Texts::Nominal { codes, known, .. } => match known.get(text) {
                        Some(&code) => meter.push(codes, code, rows)?,
                        None => {
                            let (row, column, text) = wrong();
                            return Err(ErrorKind::UndeclaredCategory { row, line, column, text });
                        }
                    },
                }
            }
            Place::Apart(_) => {}
        }
        Ok(())
    }

    /// Returns the rows collected so far, and begins a new table.
    pub(super) fn take(&mut self) -> halfseen::Result<Table> {
        let rows = std::mem::take(&mut self.rows);
        self.before += rows;
        // What is handed out is not this reader's any more.
        self.meter = Meter::default();
        let numbers = match &mut self.numbers {
            Numbers::Sparse { starts, indices, values } => {
                let (starts, indices) =
                    (std::mem::replace(starts, vec![0]), std::mem::take(indices));
                Matrix::Csr(Csr::new(starts, indices, std::mem::take(values), self.width)?)
            }
            Numbers::Dense(cells) => {
                Matrix::F64(crate::csv::matrix(rows, self.width, std::mem::take(cells))?)
            }
            Numbers::Undecided => Matrix::F64(Array2::zeros((0, self.width))),
        };
        let texts = self.texts.iter_mut().map(|texts| match texts {
            Texts::Free(texts) => std::mem::take(texts).finish(),
            Texts::Nominal { codes, levels, .. } => {
                TextColumn { codes: std::mem::take(codes), levels: levels.clone() }
            }
        });
        Table::new(numbers, texts.collect(), self.columns.clone())
    }
}

const EMPTY: &str = "has an empty cell; write ? where a value is missing";
const BRACE: &str =
    "has a misplaced brace; remove instance weights, and put quotes around text with braces";
const NO_PAIRS: &str = "is not a sparse row; write {index value, index value}";
const NO_INDEX: &str =
    "is not a valid attribute index; indices count from 0 and increase within a row";
const LEFT_OUT: &str =
    "is a string attribute that this sparse row omits; write it, or ? if it is missing";
