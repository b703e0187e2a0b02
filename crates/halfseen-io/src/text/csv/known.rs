//! Reads all rows once the numeric and the text columns are known.

use super::inspect::Reading;
use super::optimistic::FirstPass;
use super::records::Records;
use super::rows::Rows;
use crate::error::{ErrorKind, Result};
use crate::meter::Meter;
use halfseen::data::Table;

/// Reads the records below the header into a table with text columns.
pub(super) fn read(
    records: &mut Records<'_>,
    names: &[String],
    first: &FirstPass,
    readings: &[Reading],
    meter: &Meter,
) -> Result<Table> {
    let readings: Vec<Option<Reading>> = readings.iter().copied().map(Some).collect();
    let mut rows = Rows::new(names, &readings, first.skipped, meter.clone());
    rows.reserve(first.rows).map_err(|kind| records.fail(kind))?;
    let mut row = 1;
    // The first pass saw as many rows, and no such cells.
    let changed = |row, column: &str| {
        let problem = "the file changed while it was read; read it again when it is complete";
        let (column, problem) = (column.to_owned(), problem.to_owned());
        ErrorKind::BadCell { row, line: None, column, problem }
    };
    loop {
        match rows.read(row, records) {
            Ok(false) => break,
            Ok(true) if row > first.rows => return Err(records.fail(changed(row, &names[0]))),
            Ok(true) => row += 1,
            Err(error) => match error.kind() {
                ErrorKind::BadCell { row, column, .. } => {
                    return Err(records.fail(changed(*row, column)));
                }
                _ => return Err(error),
            },
        }
    }
    rows.take().map_err(|e| records.fail(ErrorKind::Library(e)))
}

#[cfg(test)]
mod tests {
    use super::super::dialect::Dialect;
    use super::super::header::Header;
    use super::super::optimistic;
    use super::*;
    use crate::Source;

    #[test]
    fn a_file_that_changes_between_the_passes_is_refused() {
        let header = Header { names: ["a", "b"].map(String::from).to_vec(), skipped: 0 };
        let meter = Meter::default();
        let before = Source::bytes("t.csv", b"a,b\n1,x\n");
        fn open<'a>(source: &'a Source<'a>) -> Records<'a> {
            let plain = Dialect::separated(b',');
            let mut records = Records::new(source.open().unwrap(), 99, plain).unwrap();
            records.next().unwrap();
            records
        }
        let first = optimistic::read(&mut open(&before), &header, usize::MAX, &meter).unwrap();
        for after in ["a,b\n1,x\ny,x\n", "a,b\ny,x\n"] {
            let after = Source::bytes("t.csv", after.as_bytes());
            let readings = [Reading::Plain, Reading::Text];
            let error =
                read(&mut open(&after), &header.names, &first, &readings, &meter).unwrap_err();
            assert!(error.to_string().contains("column 'a': the file changed"), "{error}");
        }
    }
}
