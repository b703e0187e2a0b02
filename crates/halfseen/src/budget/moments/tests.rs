//! Enumerates.
