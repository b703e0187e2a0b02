//! Keeps a study in SQLite or PostgreSQL.

#[cfg(feature = "postgres")]
pub(crate) mod postgresql;
pub(crate) mod sql;
pub(crate) mod sqlite;
pub(crate) mod store;
