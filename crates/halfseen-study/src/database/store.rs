//! Finds the store that a path names: a file, or with `postgres:` before it a study in a database; or
//! makes one in memory.

use crate::database::sql::Sql;
use crate::database::sqlite::{MEMORY, Sqlite};
use crate::error::{Error, Result};
use std::path::Path;

/// Makes a new store, in memory if it has no path, and fills it by `fill` in one transaction.
pub(crate) fn create(
    path: Option<&Path>,
    fill: impl FnOnce(&mut dyn Sql) -> Result<()>,
) -> Result<Box<dyn Sql>> {
    let Some(path) = path else { return Ok(Box::new(Sqlite::in_memory(fill)?)) };
    match in_database(path) {
        Some(name) => database::create(path, name, fill),
        None => Ok(Box::new(Sqlite::create(of_file(path)?, fill)?)),
    }
}

/// Opens a store.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Sql>> {
    match in_database(path) {
        Some(name) => database::open(path, name),
        None => Ok(Box::new(Sqlite::open(of_file(path)?)?)),
    }
}

/// Refuses the name that SQLite takes for a store in memory.
fn of_file(path: &Path) -> Result<&Path> {
    if path != Path::new(MEMORY) {
        return Ok(path);
    }
    let problem = "a study in memory ends with the program that makes it, and cannot be opened by this name; a file of this name is ./:memory:";
    Err(Error::file(path, problem))
}

/// Returns the name of a study in a database.
fn in_database(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix("postgres:")
}

#[cfg(feature = "postgres")]
mod database {
    use super::{Error, Path, Result, Sql};
    use crate::database::postgresql::Postgresql;

    pub(crate) fn create(
        path: &Path,
        name: &str,
        fill: impl FnOnce(&mut dyn Sql) -> Result<()>,
    ) -> Result<Box<dyn Sql>> {
        Ok(Box::new(Postgresql::create(checked(path, name)?, fill)?))
    }

    pub(crate) fn open(path: &Path, name: &str) -> Result<Box<dyn Sql>> {
        Ok(Box::new(Postgresql::open(checked(path, name)?)?))
    }

    /// Returns a name that the database takes as it is.
    fn checked<'a>(path: &Path, name: &'a str) -> Result<&'a str> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if (1..=40).contains(&name.len()) && name.bytes().all(is_plain) {
            return Ok(name);
        }
        let problem = "a study in a database is called postgres:NAME, with 1 to 40 letters, digits and underscores; the database itself is named by HALFSEEN_POSTGRES";
        // It may be a URL with a password.
        let path =
            if name.contains([':', '/', '@', '=']) { Path::new("postgres:...") } else { path };
        Err(Error::file(path, problem))
    }
}

#[cfg(not(feature = "postgres"))]
mod database {
    use super::{Error, Path, Result, Sql};

    pub(crate) fn create(
        path: &Path,
        _: &str,
        _: impl FnOnce(&mut dyn Sql) -> Result<()>,
    ) -> Result<Box<dyn Sql>> {
        open(path, "")
    }

    pub(crate) fn open(_: &Path, _: &str) -> Result<Box<dyn Sql>> {
        let problem = "this program was built without PostgreSQL: cargo install --path crates/halfseen-cli --features postgres; a file of this name is ./postgres:...";
        Err(Error::file(Path::new("postgres:..."), problem))
    }
}
