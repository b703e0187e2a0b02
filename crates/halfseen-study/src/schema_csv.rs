//! Reads schemas from CSV, and writes them.

use crate::error::{Error, Result};
use crate::rows::{all_of, at, check_length, plain, rows, safe, with_point};
use crate::schema::{Attribute, AttributeKind, DATE, StudySchema, Value};
use halfseen::data::days_since_1970;
use halfseen::error::short;
use std::io::Read;

/// Columns of a schema file, all but the first optional.
const COLUMNS: [&str; 10] =
    ["attribute", "kind", "unit", "low", "high", "panel", "price", "known", "choices", "retired"];

impl StudySchema {
    /// Reads a schema from CSV: a row for each attribute, columns in any order, `attribute`
    /// required. The target is the row of this name, or a number that has only the name. Where cells
    /// are separated by semicolons or tabs, numbers may have a decimal comma.
    ///
    /// # Errors
    /// [`Error::Line`] with the line and the remedy; [`Error::Setup`] for a whole that is wrong.
    pub fn from_csv(text: impl Read, target: &str) -> Result<StudySchema> {
        let text = all_of(text)?;
        let (rows, header) = rows(&text, "attribute")?;
        for (place, name) in header.iter().enumerate() {
            if !COLUMNS.contains(&name.as_str()) || header[..place].contains(name) {
                return Err(at(
                    1,
                    format!(
                        "'{}' is not a column of a schema, or is there twice; they are {}",
                        short(name),
                        COLUMNS.join(", ")
                    ),
                ));
            }
        }
        if !header.iter().any(|name| name == "attribute") {
            return Err(at(
                1,
                "the column 'attribute' is missing, with the name of each attribute",
            ));
        }
        let (mut attributes, takes_commas) = (Vec::new(), rows.takes_commas);
        for row in rows {
            let (line, record) = row?;
            if record.len() > header.len() {
                check_length(line, &record, header.len())?;
            }
            let cell = |name: &str| {
                let place = header.iter().position(|column| column == name);
                place.and_then(|place| record.get(place)).map_or("", |cell| plain(cell.trim()))
            };
            let attribute = attribute_of(cell, takes_commas);
            attributes.push(attribute.map_err(|problem| at(line, problem))?);
        }
        let place = attributes.iter().position(|attribute| attribute.name == target);
        let target = place.map_or_else(|| Attribute::number(target), |at| attributes.remove(at));
        StudySchema { attributes, target }.checked()
    }

    /// Writes the schema as CSV, as [`StudySchema::from_csv`] reads it. Texts that a spreadsheet would take
    /// for a formula get a quote before them, which is not read.
    ///
    /// # Errors
    /// None, in memory.
    pub fn to_csv(&self) -> Result<String> {
        let mut out = csv::Writer::from_writer(Vec::new());
        let failed = |e: csv::Error| Error::setup(e.to_string());
        let any_retired = self.attributes.iter().any(|attribute| attribute.retired);
        // The last column is there where it says something.
        let columns = &COLUMNS[..COLUMNS.len() - usize::from(!any_retired)];
        out.write_record(columns).map_err(failed)?;
        for a in self.attributes.iter().chain([&self.target]) {
            // Those of dates as dates.
            let number = |value: Option<f64>| {
                value.map_or(String::new(), |value| a.write(&Value::Number(value)))
            };
            let (kind, choices) = match &a.kind {
                AttributeKind::Number => ("number", String::new()),
                AttributeKind::Date => ("date", String::new()),
                AttributeKind::Category(choices) => ("category", choices.join("|")),
            };
            let panel = a.panel.clone().unwrap_or_default();
            let is_target = a.name == self.target.name;
            let price = if is_target { String::new() } else { a.price.to_string() };
            let mark = |is_so: bool| if is_so { "yes" } else { "" };
            let (low, high) = (number(a.low), number(a.high));
            let (known, retired) = (mark(a.known), mark(a.retired));
            let cells =
                [&a.name, kind, &a.unit, &low, &high, &panel, &price, known, &choices, retired];
            out.write_record(&cells.map(safe)[..columns.len()]).map_err(failed)?;
        }
        let bytes = out.into_inner().map_err(|e| Error::setup(e.to_string()))?;
        String::from_utf8(bytes).map_err(|e| Error::setup(e.to_string()))
    }
}

/// Reads one row of a schema, whose numbers may have a decimal comma.
fn attribute_of<'a>(
    cell: impl Fn(&str) -> &'a str,
    takes_commas: bool,
) -> std::result::Result<Attribute, String> {
    let name = cell("attribute").to_owned();
    let number = |column: &str| match cell(column) {
        "" => Ok(None),
        text => match (if takes_commas { with_point(text) } else { text.into() }).parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Some(value)),
            _ => Err(format!(
                "{column} of '{}' is '{}', and must be a number",
                short(&name),
                short(text)
            )),
        },
    };
    let choices: Vec<String> = match cell("choices") {
        "" => Vec::new(),
        text => text.split('|').map(|choice| choice.trim().to_owned()).collect(),
    };
    let kind = match (cell("kind"), choices.is_empty()) {
        ("" | "number", true) => AttributeKind::Number,
        ("date", true) => AttributeKind::Date,
        ("" | "category", false) => AttributeKind::Category(choices),
        ("category", true) => {
            return Err(format!(
                "'{}' is a category without choices; write them as a|b|c",
                short(&name)
            ));
        }
        ("number" | "date", false) => {
            return Err(format!("'{}' has choices; its kind is category", short(&name)));
        }
        (other, _) => {
            return Err(format!(
                "the kind of '{}' is '{}', and must be number, date or category",
                short(&name),
                short(other)
            ));
        }
    };
    let mark = |column: &str| match cell(column).to_ascii_lowercase().as_str() {
        "" | "no" | "0" | "false" => Ok(false),
        "yes" | "1" | "true" => Ok(true),
        other => Err(format!(
            "{column} of '{}' is '{}', and must be yes or empty",
            short(&name),
            short(other)
        )),
    };
    let range_of = |column: &str| match (&kind, cell(column)) {
        (AttributeKind::Date, text) if !text.is_empty() => {
            days_since_1970(text, DATE).map(Some).ok_or_else(|| {
                format!(
                    "{column} of '{}' is '{}', and must be a date such as 2024-01-31",
                    short(&name),
                    short(text)
                )
            })
        }
        _ => number(column),
    };
    let (low, high) = (range_of("low")?, range_of("high")?);
    let price = number("price")?.unwrap_or(1.0);
    let panel = Some(cell("panel").to_owned()).filter(|panel| !panel.is_empty());
    let unit = cell("unit").to_owned();
    let (known, retired) = (mark("known")?, mark("retired")?);
    let attribute = Attribute { name, kind, unit, low, high, panel, price, known, retired };
    attribute.check()?;
    Ok(attribute)
}
