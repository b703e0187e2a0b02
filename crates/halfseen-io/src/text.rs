//! Reads rows of text: CSV and SVMlight, told apart by their first lines.

pub(crate) mod csv;
pub(crate) mod lines;
pub(crate) mod remark;
pub(crate) mod sniff;
pub(crate) mod svmlight;
