//! Makes short keys of long texts.

/// FNV-1a (Fowler, Noll and Vo): the same everywhere, and nobody attacks these keys.
pub(crate) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The key of a result, from a text that names everything that decides it.
pub(crate) fn key(text: &str) -> String {
    format!("{:016x}", hash(text.bytes()))
}

/// The same, of the version of this program too.
pub(crate) fn versioned_key(text: &str) -> String {
    key(&format!("{}|{text}", env!("CARGO_PKG_VERSION")))
}
