//! Signs people in, and shows what they may do.

pub(crate) mod access;
pub(crate) mod home;
pub(crate) mod sign_in;
