//! Reads the tables that commands take.

pub(crate) mod declarations;
pub(crate) mod digits;
pub(crate) mod drawn;
pub(crate) mod files;
pub(crate) mod input;
pub(crate) mod kept_rows;
pub(crate) mod labelled;
pub(crate) mod observed;
pub(crate) mod pilot;
pub(crate) mod stream;
pub(crate) mod test_table;
pub(crate) mod text_columns;
pub(crate) mod threats;
