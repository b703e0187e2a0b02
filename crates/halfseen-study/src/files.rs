//! Reads answers and subjects from CSV, and writes asks, reads, tables and the audit as CSV.

use crate::changes::drawing::Ask;
use crate::changes::telling::{Answers, not_known};
use crate::database::sql::Cell;
use crate::error::{Error, Result};
use crate::rows::{Rows, all_of, at, broken, check_length, plain, rows, safe, with_point};
use crate::schema::{Attribute, AttributeKind, StudySchema, Value, check_name};
use crate::study::{State, Study, TARGET, value_of};
use halfseen::error::short;
use std::collections::HashSet;
use std::io::{Read, Write};

/// Form in which a study is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Export {
    /// A row for each present value: subject, ask, attribute, value, flags, time, person, source.
    Reads,
    /// A row for each subject: its values in the columns of the schema.
    Wide,
    /// A row for each subject whose values were erased, and when.
    Erased,
    /// A row for each thing that was done, in the order in which it was done.
    Audit,
}

/// Returns the rows of a file of subjects, and the names of its columns.
fn subject_rows(text: &[u8]) -> Result<(Rows<'_>, Vec<String>)> {
    let (rows, header) = rows(text, "subject")?;
    if !header.iter().any(|name| name == "subject") {
        let near = header.iter().find(|name| name.eq_ignore_ascii_case("subject"));
        let near = near.map_or(String::new(), |near| format!("; '{near}' must be written so"));
        return Err(at(1, format!("the column 'subject' is missing{near}")));
    }
    let mut names = HashSet::new();
    if let Some(twice) = header.iter().find(|name| !names.insert(*name)) {
        return Err(at(1, format!("the column '{}' is there twice", short(twice))));
    }
    Ok((rows, header))
}

/// Returns a cell as an attribute reads it.
fn value_in(cell: &str, attribute: &Attribute, takes_commas: bool) -> String {
    let cell = plain(cell);
    if takes_commas && attribute.kind == AttributeKind::Number {
        with_point(cell).into_owned()
    } else {
        cell.to_owned()
    }
}

/// Reads answers: a row for each subject, the columns `subject`, `ask` (optional), attributes and
/// the target. Columns of asks (`ask_...`) are left out. Cells are separated by commas, or by what
/// separates `subject` from others in the header: semicolons or tabs. Then numbers may have a decimal
/// comma.
///
/// # Errors
/// [`Error::Line`] for what is no CSV, an unknown column, rows of another length, an ask that is no
/// number.
pub fn answers_from_csv(text: impl Read, schema: &StudySchema) -> Result<Vec<Answers>> {
    let text = all_of(text)?;
    let (rows, header) = subject_rows(&text)?;
    let (mut attributes, known) = (Vec::new(), schema.by_name());
    for name in &header {
        let attribute = known.get(name.as_str()).copied();
        let is_own = name == "subject" || name == "ask" || name.starts_with("ask_");
        if attribute.is_none() && !is_own {
            schema.place(name).map_err(|error| at(1, error.to_string()))?;
        }
        attributes.push(attribute);
    }
    let (mut answers, takes_commas) = (Vec::new(), rows.takes_commas);
    for row in rows {
        let (line, record) = row?;
        check_length(line, &record, header.len())?;
        let mut row = Answers { line, ..Answers::default() };
        for ((name, cell), attribute) in header.iter().zip(record.iter()).zip(&attributes) {
            match (attribute, name.as_str()) {
                (Some(_), _) if cell.trim().is_empty() => {}
                (Some(attribute), name) => {
                    row.cells.push((name.to_owned(), value_in(cell, attribute, takes_commas)));
                }
                (None, "subject") => row.subject = plain(cell.trim()).to_owned(),
                (None, "ask") => {
                    let number = cell.trim();
                    let parsed = number.parse();
                    row.ask = match number {
                        "" => None,
                        _ => Some(parsed.map_err(|_| {
                            at(
                                line,
                                format!("the ask '{}' is not the number of an ask", short(number)),
                            )
                        })?),
                    };
                }
                _ => {} // an attribute's column of asks
            }
        }
        answers.push(row);
    }
    Ok(answers)
}

/// Reads subjects: the column `subject`, and those of attributes that are known of every subject.
/// Columns that are no attributes are left out. Cells are separated as in [`answers_from_csv`].
///
/// # Errors
/// [`Error::Line`], also for a column of another attribute or the target.
pub fn subjects_from_csv(text: impl Read, schema: &StudySchema) -> Result<Vec<Answers>> {
    let text = all_of(text)?;
    let (rows, header) = subject_rows(&text)?;
    let place = header.iter().position(|name| name == "subject").unwrap_or(0);
    let by_name = schema.by_name();
    let of = |(at, name): (usize, &String)| Some((at, *by_name.get(name.as_str())?));
    let known: Vec<(usize, &Attribute)> = header.iter().enumerate().filter_map(of).collect();
    if let Some((_, other)) = known.iter().find(|(_, attribute)| !attribute.known) {
        return Err(at(1, not_known(&other.name)));
    }
    let (mut subjects, takes_commas) = (Vec::new(), rows.takes_commas);
    for row in rows {
        let (line, record) = row?;
        if !known.is_empty() {
            check_length(line, &record, header.len())?;
        }
        let subject = plain(record.get(place).unwrap_or_default().trim()).to_owned();
        check_name("subject", &subject).map_err(|problem| at(line, problem))?;
        let mut row = Answers { line, subject, ..Answers::default() };
        for (at, attribute) in &known {
            let cell = record.get(*at).unwrap_or_default();
            if !cell.trim().is_empty() {
                let value = value_in(cell, attribute, takes_commas);
                row.cells.push((attribute.name.clone(), value));
            }
        }
        subjects.push(row);
    }
    Ok(subjects)
}

/// Reads CSV that this crate wrote, the header first, without the quotes that keep spreadsheets from
/// taking texts for formulas.
///
/// # Errors
/// [`Error::Line`].
pub fn rows_of_csv(text: impl Read) -> Result<Vec<Vec<String>>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text);
    let cells = |record: csv::StringRecord| record.iter().map(|c| plain(c).to_owned()).collect();
    reader.records().map(|record| record.map(cells).map_err(|e| broken(&e))).collect()
}

/// Writes asks as CSV, a row for each subject: 1 in the column of each attribute to read, and their
/// names in one column, separated by spaces.
///
/// # Errors
/// [`Error::File`] if it cannot be written.
pub fn asks_to_csv(asks: &[Ask], schema: &StudySchema, out: impl Write) -> Result<()> {
    let mut out = csv::Writer::from_writer(out);
    let names = || schema.attributes.iter().map(|attribute| attribute.name.as_str());
    let header = ["subject".to_owned(), "ask".to_owned()].into_iter();
    let header =
        header.chain(names().map(|name| format!("ask_{name}"))).chain(["ask_list".to_owned()]);
    out.write_record(header).map_err(unwritten)?;
    for ask in asks.iter().filter(|ask| ask.state == State::Open) {
        let flag =
            |name: &str| if ask.attributes.iter().any(|asked| asked == name) { "1" } else { "0" };
        let (subject, number) = (safe(&ask.subject), ask.number.to_string());
        let list = safe(&ask.attributes.join(" "));
        let cells =
            [subject.as_str(), &number].into_iter().chain(names().map(flag)).chain([list.as_str()]);
        out.write_record(cells).map_err(unwritten)?;
    }
    out.flush().map_err(|e| unwritten(e.into()))
}

fn unwritten(error: csv::Error) -> Error {
    Error::File { path: "the output".to_owned(), problem: error.to_string() }
}

impl Study {
    /// Writes reads, a table or the audit as CSV.
    ///
    /// # Errors
    /// If the store fails, or it cannot be written.
    pub fn export(&mut self, what: Export, out: impl Write) -> Result<()> {
        let mut out = csv::Writer::from_writer(out);
        match what {
            Export::Reads => self.export_reads(&mut out)?,
            Export::Wide => self.read(|study| study.export_wide(&mut out))?,
            Export::Erased => self.export_erased(&mut out)?,
            Export::Audit => self.export_audit(&mut out)?,
        }
        out.flush().map_err(|e| unwritten(e.into()))
    }

    fn export_reads<W: Write>(&mut self, out: &mut csv::Writer<W>) -> Result<()> {
        out.write_record([
            "subject",
            "ask",
            "attribute",
            "value",
            "asked",
            "outside",
            "revision",
            "at",
            "who",
            "source",
        ])
        .map_err(unwritten)?;
        let schema = self.setup.schema.clone();
        let mut visit = |row: &crate::database::sql::Row<'_>| {
            let attribute = usize::try_from(row.int(2))
                .ok()
                .and_then(|at| schema.attributes.get(at))
                .unwrap_or(&schema.target);
            let flag = |at: usize| if row.int(at) != 0 { "1" } else { "0" };
            let ask =
                if let Cell::Int(number) = row.0[1] { number.to_string() } else { String::new() };
            let value = attribute.write(&value_of(row, 3));
            let cells = [
                safe(&row.owned(0)),
                ask,
                safe(&attribute.name),
                safe(&value),
                flag(6).to_owned(),
                flag(7).to_owned(),
                row.int(8).to_string(),
                row.owned(9),
                safe(&row.owned(10)),
                safe(&row.owned(11)),
            ];
            out.write_record(cells).map_err(unwritten)
        };
        self.sql.each(
            "SELECT s.name, (SELECT max(a.number) FROM ask a WHERE a.subject = s.id), v.attribute, v.number, v.category, v.reason,
                    v.was_asked, v.is_outside, v.revision, v.at, v.who, v.source
             FROM value v JOIN subject s ON s.id = v.subject
             WHERE s.withdrawn IS NULL AND v.revision =
                 (SELECT max(w.revision) FROM value w WHERE w.subject = v.subject AND w.attribute = v.attribute)
             ORDER BY v.subject, v.attribute",
            &[],
            &mut visit,
        )
    }

    fn export_erased<W: Write>(&mut self, out: &mut csv::Writer<W>) -> Result<()> {
        out.write_record(["subject", "erased"]).map_err(unwritten)?;
        for (subject, at) in self.erased()? {
            out.write_record([safe(&subject), at]).map_err(unwritten)?;
        }
        Ok(())
    }

    fn export_wide<W: Write>(&mut self, out: &mut csv::Writer<W>) -> Result<()> {
        let schema = self.setup.schema.clone();
        let columns = || schema.attributes.iter().chain([&schema.target]);
        let header = ["subject".to_owned()].into_iter().chain(columns().map(|of| safe(&of.name)));
        out.write_record(header).map_err(unwritten)?;
        let subjects = crate::database::sql::all(
            &mut *self.sql,
            "SELECT id, name FROM subject WHERE withdrawn IS NULL ORDER BY id",
            &[],
            |row| (row.int(0), row.owned(1)),
        )?;
        for (id, name) in subjects {
            let told = self.values_of(id)?;
            let cell = |at: i64, attribute: &crate::schema::Attribute| match told
                .iter()
                .find(|(known, ..)| *known == at)
            {
                None => String::new(),
                Some((_, _, Value::Missing(_))) => "NA".to_owned(),
                Some((_, _, value)) => safe(&attribute.write(value)),
            };
            let of = schema
                .attributes
                .iter()
                .enumerate()
                .map(|(at, attribute)| cell(at as i64, attribute));
            let cells = [safe(&name)].into_iter().chain(of).chain([cell(TARGET, &schema.target)]);
            out.write_record(cells).map_err(unwritten)?;
        }
        Ok(())
    }

    fn export_audit<W: Write>(&mut self, out: &mut csv::Writer<W>) -> Result<()> {
        out.write_record([
            "at",
            "who",
            "verb",
            "subject",
            "ask",
            "attribute",
            "old",
            "new",
            "reason",
        ])
        .map_err(unwritten)?;
        let schema = self.setup.schema.clone();
        let mut visit = |row: &crate::database::sql::Row<'_>| {
            let place = if let Cell::Int(at) = row.0[5] { Some(at) } else { None };
            let attribute = place.map(|at| {
                usize::try_from(at)
                    .ok()
                    .and_then(|at| schema.attributes.get(at))
                    .unwrap_or(&schema.target)
            });
            // A value that was erased is there no more.
            let value = |from: usize, is_there: bool| match attribute {
                Some(attribute)
                    if is_there && row.0[from..from + 3].iter().any(|cell| *cell != Cell::Null) =>
                {
                    safe(&attribute.write(&value_of(row, from)))
                }
                Some(_) if is_there => "(erased)".to_owned(),
                _ => String::new(),
            };
            let ask =
                if let Cell::Int(number) = row.0[4] { number.to_string() } else { String::new() };
            let revision = row.int(13);
            let cells = [
                row.owned(0),
                safe(&row.owned(1)),
                row.owned(2),
                safe(&row.owned(3)),
                ask,
                attribute.map_or(String::new(), |attribute| safe(&attribute.name)),
                value(6, revision > 0),
                value(9, row.0[13] != Cell::Null),
                safe(&row.owned(12)),
            ];
            out.write_record(cells).map_err(unwritten)
        };
        // Asks, values and events, by time; the order within one second is that of the store.
        self.sql.each(
            "SELECT at, who, verb, subject, ask, attribute, old_number, old_category, old_reason, number, category, value_reason, reason, revision FROM (
                 SELECT e.at AS at, e.who AS who, e.verb AS verb, s.name AS subject, e.ask AS ask, e.attribute AS attribute,
                        o.number AS old_number, o.category AS old_category, o.reason AS old_reason,
                        v.number AS number, v.category AS category, v.reason AS value_reason, e.reason AS reason,
                        e.revision AS revision, 2 AS kind, e.id AS place
                 FROM event e LEFT JOIN subject s ON s.id = e.subject
                 LEFT JOIN value v ON v.subject = e.subject AND v.attribute = e.attribute AND v.revision = e.revision
                 LEFT JOIN value o ON o.subject = e.subject AND o.attribute = e.attribute AND o.revision = e.revision - 1
                 UNION ALL
                 SELECT a.at, a.who, 'ask', s.name, a.number, NULL, NULL, NULL, NULL, NULL, NULL, NULL, a.wave, NULL, 0, a.number
                 FROM ask a JOIN subject s ON s.id = a.subject
                 UNION ALL
                 SELECT v.at, v.who, 'tell', s.name, NULL, v.attribute, o.number, o.category, o.reason, v.number, v.category, v.reason, v.source, v.revision, 1, v.subject
                 FROM value v JOIN subject s ON s.id = v.subject
                 LEFT JOIN value o ON o.subject = v.subject AND o.attribute = v.attribute AND o.revision = v.revision - 1
                 WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.verb = 'amend' AND e.subject = v.subject AND e.attribute = v.attribute AND e.revision = v.revision)
             ) AS log ORDER BY at, kind, place, attribute",
            &[],
            &mut visit,
        )
    }
}
