//! Drafts a schema from a table such as the study will have.

use crate::schema::{Attribute, AttributeKind, StudySchema};
use halfseen::data::{Cell, Column, Finding, Place, Table};

impl StudySchema {
    /// Returns a draft from the columns of a table, to be corrected by hand; and the text columns
    /// that are left out, with their number of categories, since they look like names or record
    /// numbers.
    ///
    /// # Errors
    /// If the target is none of the columns.
    pub fn draft(
        table: &Table,
        target: &str,
    ) -> halfseen::Result<(StudySchema, Vec<(String, usize)>)> {
        table.column(target)?;
        let (mut attributes, mut left_out) = (Vec::new(), Vec::new());
        for column in table.columns() {
            match Finding::of(table, column) {
                Some(Finding::Identifiers { categories }) if column.name != target => {
                    left_out.push((column.name.clone(), categories));
                }
                finding => {
                    let is_date = matches!(finding, Some(Finding::Dates { .. }));
                    attributes.push(described(table, column, is_date));
                }
            }
        }
        let place = attributes.iter().position(|attribute| attribute.name == target);
        let target = place.map_or_else(|| Attribute::number(target), |at| attributes.remove(at));
        Ok((StudySchema { attributes, target }, left_out))
    }
}

fn described(table: &Table, column: &Column, is_date: bool) -> Attribute {
    let mut attribute = Attribute::number(&column.name);
    match column.place {
        Place::Text(_) if is_date => attribute.kind = AttributeKind::Date,
        Place::Text(at) => {
            let mut levels = table.text(at).levels.clone();
            levels.sort();
            attribute.kind = AttributeKind::Category(levels);
        }
        _ => {
            let cells = (0..table.rows()).filter_map(|row| match table.cell(row, column) {
                Cell::Number(value) => Some(value),
                _ => None,
            });
            let (low, high) = cells.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| {
                (low.min(v), high.max(v))
            });
            if low < high {
                (attribute.low, attribute.high) = (Some(low), Some(high));
            }
        }
    }
    attribute
}
