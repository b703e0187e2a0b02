//! Stores a study in one SQLite file, or in memory.

use crate::database::sql::{Cell, FORMAT, Row, Sql};
use crate::error::{Error, Result};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Marks a file as one of a study: "hsst".
const APPLICATION: i64 = 0x6873_7374;
const TABLES: &str = include_str!("tables/sqlite.sql");
/// Name by which SQLite knows a store in memory.
pub(crate) const MEMORY: &str = ":memory:";
/// Time for which a call waits for other writers.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Sqlite {
    connection: Connection,
    path: PathBuf,
    cells: Vec<Cell>,
}

impl Sqlite {
    /// Makes a new file, and fills it by `fill` in one transaction.
    pub(crate) fn create(
        path: &Path,
        fill: impl FnOnce(&mut dyn Sql) -> Result<()>,
    ) -> Result<Sqlite> {
        // Exclusively: a file that is there is never touched.
        std::fs::File::create_new(path).map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Error::file(path, "the file exists; a new study needs a new name")
            }
            _ => Error::file(path, e),
        })?;
        let made = Self::connect(path).and_then(|sqlite| sqlite.filled(fill));
        if made.is_err() {
            // Nothing was in it.
            let _ = std::fs::remove_file(path);
            for end in ["-wal", "-shm"] {
                let _ = std::fs::remove_file(beside(path, end));
            }
        }
        made
    }

    /// Makes a store in memory, which is gone with its connection, and fills it by `fill`.
    pub(crate) fn in_memory(fill: impl FnOnce(&mut dyn Sql) -> Result<()>) -> Result<Sqlite> {
        Self::connect(Path::new(MEMORY))?.filled(fill)
    }

    /// Opens the file of a study.
    pub(crate) fn open(path: &Path) -> Result<Sqlite> {
        let other = || {
            Error::file(path, "this is not the file of a study; make one with `halfseen study new`")
        };
        // Only SQLite opens the file: whoever closes it takes away all of this process's locks on it.
        let about = std::fs::metadata(path).map_err(|e| Error::file(path, e))?;
        if !about.is_file() {
            return Err(other());
        }
        let mut sqlite = Self::connect(path)?;
        // Before anything is set that would change a file of others.
        let application = "PRAGMA application_id";
        match sqlite.connection.query_row(application, [], |row| row.get::<_, i64>(0)) {
            Ok(APPLICATION) => {}
            Ok(_) => return Err(other()),
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::NotADatabase) => return Err(other()),
            Err(e) => return Err(at_open(path, &e)),
        }
        let version = sqlite.connection.query_row("PRAGMA user_version", [], |row| row.get(0));
        let version = version.map_err(|e| at_open(path, &e))?;
        if version != FORMAT {
            let path = path.display().to_string();
            return Err(Error::OtherFormat { path, found: version, known: FORMAT });
        }
        sqlite.set_up()?;
        Ok(sqlite)
    }

    /// Makes the tables of an empty store, and fills them by `fill`, in one transaction.
    fn filled(mut self, fill: impl FnOnce(&mut dyn Sql) -> Result<()>) -> Result<Sqlite> {
        self.set_up()?;
        self.begin()?;
        let marked = format!(
            "{TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT};"
        );
        self.connection.execute_batch(&marked).map_err(|e| at_open(&self.path, &e))?;
        fill(&mut self)?;
        self.commit()?;
        Ok(self)
    }

    fn connect(path: &Path) -> Result<Sqlite> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|e| at_open(path, &e))?;
        connection.busy_timeout(PATIENCE).map_err(|e| at_open(path, &e))?;
        connection.set_prepared_statement_cache_capacity(64);
        Ok(Sqlite { connection, path: path.to_owned(), cells: Vec::new() })
    }

    /// Sets what every connection to a study has.
    fn set_up(&mut self) -> Result<()> {
        self.connection
            .execute_batch(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF;",
            )
            .map_err(|e| at_open(&self.path, &e))
    }
}

fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(end);
    path.with_file_name(name)
}

/// Returns the error of a file that cannot be opened.
fn at_open(path: &Path, error: &rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Error::file(
            path,
            format!(
                "the file is damaged ({error}); restore a backup, or `halfseen study check` shows what can be read"
            ),
        ),
        Some(ErrorCode::ReadOnly) => {
            Error::file(path, "the file or its folder is read-only, and a study writes beside it")
        }
        _ => Error::file(path, error),
    }
}

fn failed(error: rusqlite::Error) -> Error {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Error::Busy,
        Some(ErrorCode::DiskFull) => {
            Error::Store { problem: "the disk is full; make room and try again".to_owned() }
        }
        Some(ErrorCode::ReadOnly) => {
            Error::Store { problem: "the file or its folder is read-only".to_owned() }
        }
        _ => Error::Store { problem: error.to_string() },
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Cell::Null => ToSqlOutput::Owned(Value::Null),
            Cell::Int(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Cell::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl Sql for Sqlite {
    fn run(&mut self, sql: &str, cells: &[Cell]) -> Result<usize> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        statement.execute(rusqlite::params_from_iter(cells)).map_err(failed)
    }

    fn each(
        &mut self,
        sql: &str,
        cells: &[Cell],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        let columns = statement.column_count();
        let mut rows = statement.query(rusqlite::params_from_iter(cells)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            self.cells.clear();
            for at in 0..columns {
                self.cells.push(match row.get_ref(at).map_err(failed)? {
                    ValueRef::Null => Cell::Null,
                    ValueRef::Integer(value) => Cell::Int(value),
                    ValueRef::Real(value) => Cell::Real(value),
                    ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                        Cell::Text(String::from_utf8_lossy(bytes).into_owned())
                    }
                });
            }
            visit(&Row(&self.cells))?;
        }
        Ok(())
    }

    fn begin(&mut self) -> Result<()> {
        self.run("BEGIN IMMEDIATE", &[]).map(drop)
    }

    fn snapshot(&mut self) -> Result<()> {
        self.run("BEGIN DEFERRED", &[]).map(drop)
    }

    fn commit(&mut self) -> Result<()> {
        let done = self.run("COMMIT", &[]);
        if done.is_err() {
            self.roll_back();
        }
        done.map(drop)
    }

    fn roll_back(&mut self) {
        if !self.connection.is_autocommit() {
            // The file is unchanged in any case; the next transaction tells what is wrong.
            let _ = self.run("ROLLBACK", &[]);
        }
    }

    fn backup(&mut self, to: &Path) -> Result<()> {
        if to.exists() {
            return Err(Error::file(to, "the file exists; a backup needs a new name"));
        }
        self.connection
            .backup("main", to, None::<fn(rusqlite::backup::Progress)>)
            .map_err(|e| Error::file(to, e))
    }

    fn integrity(&mut self) -> Result<Vec<String>> {
        let mut lines =
            crate::database::sql::all(self, "PRAGMA integrity_check", &[], |row| row.owned(0))?;
        lines.retain(|line| line != "ok");
        Ok(lines)
    }

    fn vacuum(&mut self) -> Result<()> {
        self.run("VACUUM", &[])?;
        self.each("PRAGMA wal_checkpoint(TRUNCATE)", &[], &mut |_| Ok(()))
    }
}
