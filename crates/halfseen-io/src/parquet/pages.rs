//! Refuses pages whose headers would make the `parquet` crate reserve unbounded memory.

use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// Page reader that checks the pages of another reader.
pub(super) struct Checked(pub Box<dyn PageReader>);

fn check(page: Page) -> Result<Page> {
    // The decoder reserves the number of dictionary values that the header claims. Every supported
    // value takes at least 4 bytes: strings begin with their length.
    if let Page::DictionaryPage { buf, num_values, .. } = &page
        && (*num_values as usize) > buf.len() / 4
    {
        return Err(ParquetError::General(
            "a dictionary claims more values than its bytes can hold".into(),
        ));
    }
    // These encodings reserve the size that a header inside the page claims.
    match page.encoding() {
        Encoding::DELTA_LENGTH_BYTE_ARRAY | Encoding::DELTA_BYTE_ARRAY => {
            Err(ParquetError::NYI(format!("pages encoded as {}", page.encoding())))
        }
        _ => Ok(page),
    }
}

impl PageReader for Checked {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        self.0.get_next_page()?.map(check).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

impl Iterator for Checked {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}
