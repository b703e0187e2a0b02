//! Encodes the cells of a text column in order of first appearance.

use crate::error::ErrorKind;
use crate::meter::Meter;
use halfseen::data::TextColumn;
use std::collections::HashMap;

/// Bytes of a level that its strings do not count: code, slot of the map, and room to grow.
const ENTRY: usize = 64;

/// Text column that grows by one cell per row.
#[derive(Default)]
pub(crate) struct TextBuilder {
    codes: Vec<u32>,
    levels: Vec<String>,
    known: HashMap<String, u32>,
}

impl TextBuilder {
    pub(crate) fn push(&mut self, text: &str, meter: &Meter) -> Result<(), ErrorKind> {
        let code = match self.known.get(text) {
            Some(&code) => code,
            None => {
                // The level, its copy in the map, and the entries of both.
                let bytes = 2 * text.len() + 2 * size_of::<String>() + ENTRY;
                meter.take(bytes as u64, self.codes.len())?;
                let code = self.levels.len() as u32; // 2^32 distinct levels would need over 100 GB
                self.levels.push(text.to_owned());
                self.known.insert(text.to_owned(), code);
                code
            }
        };
        self.push_code(code, meter)
    }

    pub(crate) fn push_missing(&mut self, meter: &Meter) -> Result<(), ErrorKind> {
        self.push_code(TextColumn::MISSING, meter)
    }

    fn push_code(&mut self, code: u32, meter: &Meter) -> Result<(), ErrorKind> {
        let rows = self.codes.len();
        meter.push(&mut self.codes, code, rows)
    }

    pub(crate) fn finish(self) -> TextColumn {
        TextColumn { codes: self.codes, levels: self.levels }
    }
}
