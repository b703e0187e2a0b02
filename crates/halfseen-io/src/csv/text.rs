//! Encodes the cells of a text column in order of first appearance.

use halfseen::data::TextColumn;
use std::collections::HashMap;

/// Text column that grows by one cell per row.
#[derive(Default)]
pub(crate) struct TextBuilder {
    codes: Vec<u32>,
    levels: Vec<String>,
    known: HashMap<String, u32>,
}

impl TextBuilder {
    pub(crate) fn push(&mut self, text: &str) {
        let code = self.known.get(text).copied().unwrap_or_else(|| {
            let code = self.levels.len() as u32; // 2^32 distinct levels would need over 100 GB
            self.levels.push(text.to_owned());
            self.known.insert(text.to_owned(), code);
            code
        });
        self.codes.push(code);
    }

    pub(crate) fn push_missing(&mut self) {
        self.codes.push(TextColumn::MISSING);
    }

    pub(crate) fn finish(self) -> TextColumn {
        TextColumn { codes: self.codes, levels: self.levels }
    }
}
