//! Finds columns that are hardly attributes: dates, identifiers, numbers with an odd cell.
//!
//! A text column becomes one indicator per category. A record number or a name has a category for
//! nearly every row: thousands of indicators that fit the training rows and do not generalise. Such
//! columns are left out unless they are declared, and so are dates, which are hardly categories and
//! need not be numbers.
//!
//! **Rule.** A text column is an identifier if it has more than 20 categories, with fewer than 5
//! rows each on average. 300 clinics with tens of rows each are categories.

use super::{Column, Matrix, Place, Table, TextColumn, date_forms, days_since_1970};
use crate::error::{ErrorKind, Result, short};
use std::collections::HashSet;

/// Number of categories that a column may always have, even with few rows.
const FEW: usize = 20;

/// Number of rows that each category of a column with more has on average.
pub const ROWS_EACH: usize = 5;

/// Kind as which a column may be declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclaredKind {
    /// A category per distinct cell.
    Category,
    /// Numbers.
    Number,
    /// Dates: days since 1970-01-01.
    Date,
}

impl std::str::FromStr for DeclaredKind {
    type Err = crate::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "category" => Ok(DeclaredKind::Category),
            "number" => Ok(DeclaredKind::Number),
            "date" => Ok(DeclaredKind::Date),
            _ => {
                let expected = "one of category, number, date".to_owned();
                Err(ErrorKind::NotAValue { name: "kind", text: text.to_owned(), expected }.into())
            }
        }
    }
}

/// Remarkable property of a column that was not declared. Rows count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finding<'t> {
    /// Every text is a date. The column is left out.
    Dates {
        /// Number of different dates.
        distinct: usize,
    },
    /// The texts hardly repeat, as names and record numbers do. The column is left out.
    Identifiers {
        /// Number of categories.
        categories: usize,
    },
    /// Most cells of the text column are numbers, but not this one.
    OddCell {
        /// Row of the cell.
        row: usize,
        /// The cell.
        text: &'t str,
        /// True if the column would be an identifier by its number of categories. It is refused.
        many: bool,
    },
    /// Consecutive whole numbers, each there once: it may be a record number.
    CountsRows,
}

impl<'t> Finding<'t> {
    /// Returns what is remarkable about a column, if anything is.
    pub fn of(table: &'t Table, column: &Column) -> Option<Finding<'t>> {
        let Place::Text(at) = column.place else {
            return counts_rows(table, column).then_some(Finding::CountsRows);
        };
        let text = table.text(at);
        let levels = used_levels(text);
        if !date_forms(levels.iter().copied()).is_empty() {
            return Some(Finding::Dates { distinct: levels.len() });
        }
        let cells = text.codes.iter().filter(|&&code| (code as usize) < text.levels.len()).count();
        let many = levels.len() > FEW && cells < ROWS_EACH * levels.len();
        match odd_cell(table, column) {
            Some((row, text)) => Some(Finding::OddCell { row, text, many }),
            None => many.then_some(Finding::Identifiers { categories: levels.len() }),
        }
    }

    /// Returns true if the column is no attribute.
    pub fn is_left_out(&self) -> bool {
        matches!(self, Finding::Dates { .. } | Finding::Identifiers { .. })
    }
}

/// Reason why a column cannot be read as dates. Rows count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoDates<'t> {
    /// It holds numbers.
    Numbers,
    /// It has no text.
    Empty,
    /// This cell is no date in a form of the cells before it.
    Odd {
        /// Row of the cell.
        row: usize,
        /// The cell.
        text: &'t str,
    },
    /// Its dates can be read in several forms.
    Several(&'static str, &'static str),
}

impl NoDates<'_> {
    /// Describes the problem as the end of a sentence about the column; `number` gives the number
    /// of a row in its file.
    pub fn problem(&self, number: impl Fn(usize) -> usize) -> String {
        match self {
            NoDates::Numbers => "holds numbers, which are learned from as they are".to_owned(),
            NoDates::Empty => "has no value".to_owned(),
            NoDates::Odd { row, text } => format!(
                "holds '{}' in row {}, which is not a date in the form of the earlier ones; write dates as 2024-01-31",
                short(text),
                number(*row)
            ),
            NoDates::Several(first, second) => format!(
                "can be read in more than one way ({first}, {second}); write dates as 2024-01-31"
            ),
        }
    }
}

/// Returns the form of a column's dates.
///
/// # Errors
/// The reason, if there is not exactly one form for all cells.
pub fn date_form<'t>(table: &'t Table, column: &Column) -> Result<&'static str, NoDates<'t>> {
    let Place::Text(at) = column.place else { return Err(NoDates::Numbers) };
    let text = table.text(at);
    match date_forms(used_levels(text))[..] {
        [form] => Ok(form),
        [first, second, ..] => Err(NoDates::Several(first, second)),
        [] => {
            let mut forms: Option<Vec<&str>> = None;
            let cells = (0..table.rows()).filter_map(|row| Some((row, text.get(row)?)));
            let mut odd = cells.skip_while(|(_, text)| {
                let forms = forms.get_or_insert_with(|| date_forms([*text]));
                forms.retain(|form| days_since_1970(text, form).is_some());
                !forms.is_empty()
            });
            Err(odd.next().map_or(NoDates::Empty, |(row, text)| NoDates::Odd { row, text }))
        }
    }
}

/// Returns the first cell of a text column that is no number, with its row from 0.
pub fn first_text<'t>(table: &'t Table, column: &Column) -> Option<(usize, &'t str)> {
    let Place::Text(at) = column.place else { return None };
    let text = table.text(at);
    let cells = (0..table.rows()).filter_map(|row| Some((row, text.get(row)?)));
    cells.into_iter().find(|(_, text)| text.parse::<f64>().is_err())
}

/// Returns the first text in a text column where nine of ten cells are numbers, of many values.
pub fn odd_cell<'t>(table: &'t Table, column: &Column) -> Option<(usize, &'t str)> {
    let Place::Text(at) = column.place else { return None };
    let TextColumn { codes, levels } = table.text(at);
    let is_number: Vec<bool> = levels.iter().map(|text| text.parse::<f64>().is_ok()).collect();
    let (mut numeric, mut odd, mut first) = (0, 0, None);
    let mut values = HashSet::new();
    for (row, &code) in codes.iter().enumerate() {
        match is_number.get(code as usize) {
            Some(true) => {
                numeric += 1;
                values.insert(code);
            }
            Some(false) => {
                odd += 1;
                first = first.or(Some((row, levels[code as usize].as_str())));
            }
            None => {}
        }
    }
    first.filter(|_| numeric >= 9 * odd && values.len() > FEW / 2)
}

/// Returns the distinct texts of the rows.
fn used_levels(text: &TextColumn) -> Vec<&str> {
    let mut used = vec![false; text.levels.len()];
    for &code in &text.codes {
        if let Some(used) = used.get_mut(code as usize) {
            *used = true;
        }
    }
    text.levels.iter().zip(used).filter(|(_, used)| *used).map(|(text, _)| text.as_str()).collect()
}

/// Returns true if the numbers of a column are consecutive whole ones, each there once.
fn counts_rows(table: &Table, column: &Column) -> bool {
    let Place::Number(at) = column.place else { return false };
    match table.numbers() {
        Matrix::F64(numbers) => counts(numbers.column(at).iter().copied(), table.rows()),
        Matrix::Shared(numbers) => {
            counts((0..table.rows()).map(|row| numbers.get(row, at)), table.rows())
        }
        _ => false,
    }
}

fn counts(cells: impl Iterator<Item = f64> + Clone, rows: usize) -> bool {
    // Most columns are no such one by their first cells.
    let first: HashSet<u64> = cells.clone().take(FEW + 1).map(f64::to_bits).collect();
    if first.len() <= FEW || cells.clone().any(|v| v.fract() != 0.0 || v.abs() > 1e15) {
        return false;
    }
    let least = cells.clone().fold(f64::INFINITY, f64::min);
    let mut seen = vec![false; rows];
    cells.into_iter().all(|v| {
        let place = seen.get_mut((v - least) as usize);
        place.is_some_and(|seen| !std::mem::replace(seen, true))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    /// Returns a table with one text column of these cells and one column of numbers.
    fn table(cells: &[String], numbers: &[f64]) -> Table {
        let mut levels: Vec<String> = Vec::new();
        let codes = cells.iter().map(|text| match levels.iter().position(|level| level == text) {
            _ if text.is_empty() => TextColumn::MISSING,
            Some(at) => at as u32,
            None => {
                levels.push(text.clone());
                levels.len() as u32 - 1
            }
        });
        let codes = codes.collect();
        let numbers = Array2::from_shape_fn((cells.len(), 1), |(row, _)| numbers[row]);
        let columns = [("t", Place::Text(0)), ("n", Place::Number(0))]
            .map(|(name, place)| Column { name: name.to_owned(), place });
        let texts = vec![TextColumn { codes, levels }];
        Table::new(Matrix::F64(numbers), texts, columns.into()).unwrap()
    }

    fn kind_of(rows: usize, cell: impl Fn(usize) -> String) -> Option<String> {
        let cells: Vec<String> = (0..rows).map(cell).collect();
        let table = table(&cells, &vec![0.5; rows]);
        Finding::of(&table, &table.columns()[0]).map(|finding| format!("{finding:?}"))
    }

    #[test]
    fn texts_that_hardly_repeat_are_identifiers_and_others_categories() {
        assert_eq!(kind_of(99, |i| format!("p{}", i % 20)), None, "20 categories are few");
        assert_eq!(kind_of(105, |i| format!("p{}", i % 21)), None, "five rows each");
        let identifiers = Some("Identifiers { categories: 21 }".to_owned());
        assert_eq!(kind_of(104, |i| format!("p{}", i % 21)), identifiers, "fewer than five");
    }

    #[test]
    fn dates_are_found_whatever_their_number() {
        let dates = |n: usize| Some(format!("Dates {{ distinct: {n} }}"));
        assert_eq!(kind_of(60, |i| format!("2024-01-{:02}", 1 + i % 28)), dates(28));
        assert_eq!(kind_of(60, |i| format!("2024-01-0{}", 1 + i % 2)), dates(2));
        let missing = |i: usize| if i == 3 { String::new() } else { "31.01.2024".to_owned() };
        assert_eq!(kind_of(60, missing), dates(1));
    }

    #[test]
    fn a_text_among_numbers_is_odd_with_its_row() {
        let cell = |i: usize| if i == 7 { "n.a.".to_owned() } else { format!("{}", i % 11) };
        let odd = |many| Some(format!("OddCell {{ row: 7, text: \"n.a.\", many: {many} }}"));
        assert_eq!(kind_of(90, cell), odd(false));
        assert_eq!(kind_of(60, |i| if i == 7 { "n.a.".into() } else { i.to_string() }), odd(true));
    }

    #[test]
    fn numbers_that_count_the_rows_are_found_in_any_order() {
        let texts = vec!["a".to_owned(); 40];
        let of = |numbers: &[f64]| {
            let table = table(&texts, numbers);
            Finding::of(&table, &table.columns()[1]).is_some()
        };
        let counting: Vec<f64> = (0..40).map(|i| f64::from((i * 7) % 40) + 100.0).collect();
        assert!(of(&counting));
        let mut twice = counting.clone();
        twice[3] = twice[4];
        assert!(!of(&twice));
        assert!(!of(&counting.iter().map(|v| v + 0.5).collect::<Vec<_>>()));
    }

    #[test]
    fn the_form_of_dates_is_one_or_the_reason_is_named() {
        let form = |cells: &[&str]| {
            let cells: Vec<String> = cells.iter().map(|text| (*text).to_owned()).collect();
            let table = table(&cells, &vec![0.5; cells.len()]);
            date_form(&table, &table.columns()[0]).map_err(|no| no.problem(|row| row + 1))
        };
        assert_eq!(form(&["31.01.2024", "", "01.02.2024"]), Ok("%d.%m.%Y"));
        assert!(
            form(&["2024-01-31", "", "soon"]).unwrap_err().starts_with("holds 'soon' in row 3")
        );
        assert!(form(&["01/02/2024"]).unwrap_err().contains("more than one way"));
        assert_eq!(form(&[""]).unwrap_err(), "has no value");
        let table = table(&["a".to_owned()], &[1.0]);
        assert_eq!(date_form(&table, &table.columns()[1]), Err(NoDates::Numbers));
    }
}
