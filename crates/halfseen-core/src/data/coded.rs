//! Stores numbers and categories, each category as one code instead of indicators, and numbers with
//! hat functions of them as the number alone.

use super::{hat, hats};

/// An (n_examples, n_attributes) matrix of numbers, hat functions of numbers, and indicators of
/// categories, stored as the numbers and one code per row and text, whatever the number of columns.
/// [`Schema::encode`](crate::prepare::Schema::encode) builds it from tables with texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Coded {
    rows: usize,
    /// The numbers, row by row.
    numbers: Vec<f64>,
    /// Count of numbers per row.
    width: usize,
    parts: Vec<Part>,
    /// Column -> part.
    part_of: Vec<u32>,
    /// Value of the columns of texts, and of numbers with hats, where they are missing, (n_attributes).
    holes: Vec<f64>,
}

/// Columns that come from one column of a table.
#[derive(Debug)]
pub(crate) enum Attribute {
    /// The next number.
    Number,
    /// The next number, and the hats on these knots.
    Hats(Vec<f64>),
    /// The codes of the rows of a text, and the number of its categories.
    Text(Vec<u32>, usize),
}

/// Consecutive columns.
#[derive(Debug, Clone, PartialEq)]
struct Part {
    /// The first column.
    first: usize,
    /// Number of columns.
    width: usize,
    cells: Cells,
}

#[derive(Debug, Clone, PartialEq)]
enum Cells {
    /// The numbers of a row from this index on.
    Numbers(usize),
    /// Index of the indicator that is 1 in each row; [`Coded::MISSING`] if unknown.
    Codes(Vec<u32>),
    /// The number of a row at this index, and the hats on these knots.
    Hats(usize, Vec<f64>),
}

impl Coded {
    /// Code of a missing category.
    pub(crate) const MISSING: u32 = u32::MAX;

    /// Takes numbers row by row, and the attributes in their order. Missing categories, and missing
    /// numbers that have hats, are NaN in all their columns.
    pub(crate) fn new(rows: usize, numbers: Vec<f64>, attributes: Vec<Attribute>) -> Coded {
        let mut parts: Vec<Part> = Vec::new();
        let (mut columns, mut at) = (0, 0);
        for attribute in attributes {
            let first = columns;
            let (width, cells) = match (attribute, parts.last_mut()) {
                (Attribute::Text(codes, width), _) => (width, Cells::Codes(codes)),
                (Attribute::Hats(knots), _) => (1 + hats(&knots), Cells::Hats(at, knots)),
                (Attribute::Number, Some(Part { width, cells: Cells::Numbers(_), .. })) => {
                    (*width, columns, at) = (*width + 1, columns + 1, at + 1);
                    continue;
                }
                (Attribute::Number, _) => (1, Cells::Numbers(at)),
            };
            columns += width;
            at += usize::from(!matches!(cells, Cells::Codes(_)));
            parts.push(Part { first, width, cells });
        }
        let part_of = parts.iter().zip(0..).flat_map(|(part, p)| vec![p; part.width]).collect();
        Coded { rows, numbers, width: at, parts, part_of, holes: vec![f64::NAN; columns] }
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.part_of.len()
    }

    /// Returns the bytes of numbers, codes and columns.
    pub(super) fn bytes(&self) -> f64 {
        let texts = self.texts().count() as f64;
        8.0 * self.numbers.len() as f64
            + 4.0 * texts * self.rows as f64
            + 12.0 * self.holes.len() as f64
    }

    /// Returns the number of cells of some rows that are not 0: all those of missing categories.
    pub(super) fn stored(&self, rows: &[u32]) -> usize {
        let of_text = |(part, codes): (&Part, &Vec<u32>)| -> usize {
            let missing = |row: &&u32| codes[**row as usize] == Self::MISSING;
            let missing = rows.iter().filter(missing).count();
            rows.len() - missing + missing.saturating_mul(part.width)
        };
        let hats = |part: &Part| matches!(part.cells, Cells::Hats(..));
        let hats: usize =
            self.parts.iter().filter(|part| hats(part)).map(|part| part.width - 1).sum();
        rows.len() * (self.width + hats) + self.texts().map(of_text).sum::<usize>()
    }

    /// Returns the first column of the text with the largest number of categories, and this number.
    pub(super) fn widest_text(&self) -> Option<(usize, usize)> {
        self.texts().map(|(part, _)| (part.first, part.width)).max_by_key(|&(_, width)| width)
    }

    /// Returns the texts with their codes.
    fn texts(&self) -> impl Iterator<Item = (&Part, &Vec<u32>)> {
        self.parts.iter().filter_map(|part| match &part.cells {
            Cells::Codes(codes) => Some((part, codes)),
            Cells::Numbers(_) | Cells::Hats(..) => None,
        })
    }

    /// Returns one cell.
    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let Part { first, cells, .. } = &self.parts[self.part_of[column] as usize];
        match cells {
            Cells::Numbers(at) => self.numbers[row * self.width + at + column - first],
            Cells::Codes(codes) => match codes[row] {
                Self::MISSING => self.holes[column],
                code => f64::from(u8::from(first + code as usize == column)),
            },
            Cells::Hats(at, knots) => match (self.numbers[row * self.width + at], column - first) {
                (x, _) if x.is_nan() => self.holes[column],
                (x, 0) => x,
                (x, place) => hat(knots, place - 1, x),
            },
        }
    }

    /// Shows all cells of a row except zeros of indicators and hats, by increasing column.
    #[inline]
    pub(super) fn each(&self, row: usize, mut show: impl FnMut(usize, f64)) {
        for Part { first, width, cells } in &self.parts {
            let values = match cells {
                Cells::Numbers(at) => &self.numbers[row * self.width + at..][..*width],
                Cells::Codes(codes) => match codes[row] {
                    Self::MISSING => &self.holes[*first..first + width],
                    code => {
                        show(first + code as usize, 1.0);
                        continue;
                    }
                },
                Cells::Hats(at, knots) => match self.numbers[row * self.width + at] {
                    x if x.is_nan() => &self.holes[*first..first + width],
                    x => {
                        show(*first, x);
                        for at in 0..hats(knots) {
                            let height = hat(knots, at, x);
                            if height != 0.0 {
                                show(first + 1 + at, height);
                            }
                        }
                        continue;
                    }
                },
            };
            values.iter().enumerate().for_each(|(i, v)| show(first + i, *v));
        }
    }

    /// Returns the rows of `keep`, in that order.
    pub(super) fn select_rows(&self, keep: &[usize]) -> Coded {
        let row = |&row: &usize| &self.numbers[row * self.width..][..self.width];
        let numbers = keep.iter().flat_map(row).copied().collect();
        let of_part = |part: &Part| match &part.cells {
            Cells::Numbers(_) | Cells::Hats(..) => part.clone(),
            Cells::Codes(codes) => {
                let codes = keep.iter().map(|&row| codes[row]).collect();
                Part { cells: Cells::Codes(codes), ..*part }
            }
        };
        let (parts, rows) = (self.parts.iter().map(of_part).collect(), keep.len());
        Coded {
            rows,
            numbers,
            parts,
            part_of: self.part_of.clone(),
            holes: self.holes.clone(),
            ..*self
        }
    }

    /// Writes `number(column)` into the missing cells of each column.
    pub(super) fn fill(&mut self, number: impl Fn(usize) -> f64) {
        for Part { first, width, cells } in &self.parts {
            let (values, per_row) = match cells {
                Cells::Numbers(at) => (self.numbers.get_mut(*at..).unwrap_or_default(), self.width),
                Cells::Codes(_) | Cells::Hats(..) => {
                    (&mut self.holes[*first..first + width], *width)
                }
            };
            for values in values.chunks_mut(per_row.max(1)) {
                let cells = values.iter_mut().take(*width).enumerate();
                cells.filter(|(_, v)| v.is_nan()).for_each(|(i, v)| *v = number(first + i));
            }
        }
    }
}
