//! Stores a study in a schema of a PostgreSQL database.
//!
//! One writer at a time: a transaction that writes begins by locking the row of `study`. Each of its
//! statements then sees all that writers before it have committed (READ COMMITTED), so numbers are
//! dense and no transaction fails because of another.

use crate::database::sql::{Cell, FORMAT, Row, Sql, first};
use crate::error::{Error, Result};
use ::postgres::error::{DbError, Severity, SqlState};
use ::postgres::fallible_iterator::FallibleIterator;
use ::postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use ::postgres::{Client, Config, NoTls, Statement};
use bytes::BytesMut;
use std::collections::HashMap;
use std::error::Error as Source;
use std::path::Path;
use std::time::{Duration, Instant};

/// Variable that holds the URL of the database.
const URL: &str = "HALFSEEN_POSTGRES";
/// Variable that names a file with the URL.
const FILE: &str = "HALFSEEN_POSTGRES_FILE";
const TABLES: &str = include_str!("tables/postgres.sql");
/// Settings of a connection: what is committed is on the disk; a client whose machine is gone lets
/// go of its lock; others wait for a minute.
const SETTINGS: &str = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
    SET lock_timeout = '60s'; SET tcp_keepalives_idle = 30; SET tcp_keepalives_interval = 10; SET tcp_keepalives_count = 3;";

/// Time for which the outcome of a transaction is asked for when its connection was lost.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) struct Postgresql {
    /// Holds the password, and is never shown.
    config: Config,
    name: String,
    connected: Option<Connected>,
    state: State,
    /// Number of the last transaction that writes.
    transaction: i64,
    cells: Vec<Cell>,
}

struct Connected {
    client: Client,
    prepared: HashMap<String, Statement>,
}

/// State of the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    None,
    Begun,
    /// A statement failed, and COMMIT would roll back without an error.
    Failed,
}

impl Postgresql {
    /// Makes a new study, and fills it by `fill`, in one transaction.
    pub(crate) fn create(
        name: &str,
        fill: impl FnOnce(&mut dyn Sql) -> Result<()>,
    ) -> Result<Postgresql> {
        let mut made = Self::new(name)?;
        made.simple("BEGIN")?;
        made.state = State::Begun;
        made.number("SELECT txid_current()")?;
        let schema = made.schema();
        let done =
            made.try_simple(&format!("CREATE SCHEMA {schema}")).map_err(|e| match e.code() {
                // The second if another process makes it now.
                Some(&SqlState::DUPLICATE_SCHEMA | &SqlState::UNIQUE_VIOLATION) => {
                    made.at_open("the study exists; a new study needs a new name")
                }
                _ => made.failed(&e),
            });
        let tables = format!("{TABLES} INSERT INTO format VALUES ({FORMAT});");
        let done = done
            .and_then(|()| made.simple(&tables))
            .and_then(|()| fill(&mut made))
            .and_then(|()| made.commit());
        made.roll_back();
        done.map(|()| made)
    }

    /// Opens a study.
    pub(crate) fn open(name: &str) -> Result<Postgresql> {
        let mut opened = Self::new(name)?;
        let schema = format!("halfseen_{name}");
        let tables = "SELECT count(*) FROM information_schema.tables WHERE table_schema = $1 AND table_name IN ('format', 'study')";
        let count = first(&mut opened, tables, &[Cell::Text(schema)], |row| row.int(0))?;
        if count != Some(2) {
            return Err(opened.at_open(
                "the database has no such study, or this user may not read it; make one with `halfseen study new`",
            ));
        }
        let version = first(&mut opened, "SELECT version FROM format", &[], |row| row.int(0))?;
        let version = version.unwrap_or(0);
        if version != FORMAT {
            let path = format!("postgres:{name}");
            return Err(Error::OtherFormat { path, found: version, known: FORMAT });
        }
        Ok(opened)
    }

    fn new(name: &str) -> Result<Postgresql> {
        let config = config().map_err(|problem| Error::File {
            path: format!("postgres:{name}"),
            problem: problem.to_owned(),
        })?;
        let (name, connected, state) = (name.to_owned(), None, State::None);
        Ok(Postgresql { config, name, connected, state, transaction: 0, cells: Vec::new() })
    }

    fn at_open(&self, problem: &str) -> Error {
        Error::File { path: format!("postgres:{}", self.name), problem: problem.to_owned() }
    }

    /// Returns the quoted name of the study's schema.
    fn schema(&self) -> String {
        format!("\"halfseen_{}\"", self.name)
    }

    /// Returns the connection; outside of a transaction a lost one is made anew.
    fn connected(&mut self) -> Result<&mut Connected> {
        let is_lost = self.connected.as_ref().is_none_or(|now| now.client.is_closed());
        if is_lost && self.state != State::None {
            return Err(lost());
        }
        if is_lost {
            self.connected = None;
            let connect = |config: &Config, schema: &str| {
                let mut client = config.connect(NoTls)?;
                client.batch_execute(&format!("SET search_path TO {schema}; {SETTINGS}"))?;
                Ok(client)
            };
            let client = connect(&self.config, &self.schema()).map_err(|e| self.failed(&e))?;
            self.connected = Some(Connected { client, prepared: HashMap::new() });
        }
        self.connected.as_mut().ok_or_else(lost)
    }

    /// Notes that a statement failed, and returns the error.
    fn failed(&mut self, error: &::postgres::Error) -> Error {
        if self.state == State::Begun {
            self.state = State::Failed;
        }
        if ends_connection(error) {
            self.connected = None;
        }
        meaning(error)
    }

    /// Keeps the number of the transaction, which the statement returns.
    fn number(&mut self, sql: &str) -> Result<()> {
        let transaction = first(self, sql, &[], |row| row.int(0))?;
        transaction.map(|number| self.transaction = number).ok_or_else(lost)
    }

    /// Asks the database, over a new connection, what became of the transaction whose COMMIT it did
    /// not answer.
    fn outcome(&mut self) -> Result<()> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            let number = [Cell::Int(self.transaction)];
            let status = first(self, "SELECT txid_status($1)", &number, |row| row.owned(0));
            match status.ok().flatten().as_deref() {
                Some("committed") => return Ok(()),
                Some("aborted") => return Err(lost()),
                // It is in progress, or the database does not answer.
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
        Err(Error::Uncertain)
    }

    fn simple(&mut self, sql: &str) -> Result<()> {
        self.connected()?;
        self.try_simple(sql).map_err(|e| self.failed(&e))
    }

    /// Runs statements on the connection that is there.
    fn try_simple(&mut self, sql: &str) -> Result<(), ::postgres::Error> {
        self.connected.as_mut().map_or(Ok(()), |now| now.client.batch_execute(sql))
    }

    /// Visits the rows of a query; says if any row was visited.
    fn visit(
        &mut self,
        sql: &str,
        cells: &[Cell],
        is_visited: &mut bool,
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut read = std::mem::take(&mut self.cells);
        let now = self.connected()?;
        let done = now.prepare(sql).and_then(|statement| {
            let mut rows = now.client.query_raw(&statement, cells)?;
            while let Some(row) = rows.next()? {
                *is_visited = true;
                read.clear();
                for at in 0..row.len() {
                    read.push(row.try_get(at)?);
                }
                if let Err(error) = visit(&Row(&read)) {
                    return Ok(Err(error));
                }
            }
            Ok(Ok(()))
        });
        self.cells = read;
        done.map_err(|e| self.failed(&e))?
    }
}

impl Connected {
    fn prepare(&mut self, sql: &str) -> Result<Statement, ::postgres::Error> {
        if let Some(known) = self.prepared.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Sql for Postgresql {
    fn run(&mut self, sql: &str, cells: &[Cell]) -> Result<usize> {
        let now = self.connected()?;
        let cells: Vec<&(dyn ToSql + Sync)> = cells.iter().map(|cell| cell as _).collect();
        let done = now.prepare(sql).and_then(|statement| now.client.execute(&statement, &cells));
        done.map(|changed| changed as usize).map_err(|e| self.failed(&e))
    }

    fn each(
        &mut self,
        sql: &str,
        cells: &[Cell],
        visit: &mut dyn FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let (alone, mut is_visited) = (self.state == State::None, false);
        match self.visit(sql, cells, &mut is_visited, visit) {
            // The connection was lost since the last call.
            Err(Error::Unavailable { .. }) if alone && !is_visited => {
                self.visit(sql, cells, &mut is_visited, visit)
            }
            done => done,
        }
    }

    fn begin(&mut self) -> Result<()> {
        self.roll_back();
        self.simple("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")?;
        self.state = State::Begun;
        let locked = self.number("SELECT txid_current() FROM study WHERE id = 1 FOR UPDATE");
        if locked.is_err() {
            self.roll_back();
        }
        locked
    }

    fn snapshot(&mut self) -> Result<()> {
        self.roll_back();
        self.simple("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.state = State::Begun;
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        if self.connected.is_none() {
            self.state = State::None;
            return Err(lost());
        }
        if self.state == State::Failed {
            self.roll_back();
            return Err(Error::Store { problem: "a statement failed".to_owned() });
        }
        let done = self.try_simple("COMMIT");
        self.state = State::None;
        let Err(error) = done else { return Ok(()) };
        let known = self.failed(&error);
        let is_refused =
            error.as_db_error().is_some_and(|db| db.parsed_severity() == Some(Severity::Error));
        if is_refused { Err(known) } else { self.outcome() }
    }

    fn roll_back(&mut self) {
        if self.state != State::None {
            self.state = State::None;
            // Without an answer the server does it by itself.
            if self.try_simple("ROLLBACK").is_err() {
                self.connected = None;
            }
        }
    }

    fn backup(&mut self, _: &Path) -> Result<()> {
        let problem = format!(
            "the study is in a database; copy it by pg_dump --schema='{}' --file=FILE",
            self.schema()
        );
        Err(self.at_open(&problem))
    }

    /// The server holds its files against their checksums itself; this says if it may lose some.
    fn integrity(&mut self) -> Result<Vec<String>> {
        let is_off = "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'";
        crate::database::sql::all(self, is_off, &[], |row| {
            format!(
                "the server runs with {} off, and may lose answers in a power failure",
                row.owned(0)
            )
        })
    }

    fn vacuum(&mut self) -> Result<()> {
        self.simple("VACUUM FULL value")?;
        self.simple("VACUUM FULL cache")
    }
}

/// Returns the database that the environment names. No error shows any of the URL.
fn config() -> Result<Config, &'static str> {
    let url = match (std::env::var(URL), std::env::var_os(FILE)) {
        (Ok(url), _) => url,
        (Err(std::env::VarError::NotUnicode(_)), _) => {
            return Err("HALFSEEN_POSTGRES is not UTF-8");
        }
        (_, Some(file)) => std::fs::read_to_string(file)
            .map_err(|_| "the file that HALFSEEN_POSTGRES_FILE names cannot be read")?,
        _ => {
            return Err(
                "set HALFSEEN_POSTGRES to the URL of the database, or HALFSEEN_POSTGRES_FILE to a file that holds it",
            );
        }
    };
    let mut config: Config = url.trim().parse().map_err(|_| {
        "the URL of the database cannot be read; write postgresql://user:password@host:5432/database, with special characters in the password as %40"
    })?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(10));
    }
    config.keepalives_idle(Duration::from_secs(30)).application_name("halfseen");
    Ok(config)
}

fn lost() -> Error {
    Error::Unavailable { problem: "the connection was lost".to_owned() }
}

/// Returns true if the connection is of no use after this error.
fn ends_connection(error: &::postgres::Error) -> bool {
    match error.as_db_error().map(DbError::parsed_severity) {
        Some(severity) => severity != Some(Severity::Error),
        None => {
            error.is_closed() || error.source().is_some_and(|cause| cause.is::<std::io::Error>())
        }
    }
}

/// Returns the error that a caller sees. Details are left out, since they show values.
fn meaning(error: &::postgres::Error) -> Error {
    let cause = || error.source().map_or(String::new(), |cause| format!(": {cause}"));
    let Some(db) = error.as_db_error() else {
        let problem = format!("{error}{}", cause());
        return match ends_connection(error) {
            true => Error::Unavailable { problem },
            false => Error::Store { problem },
        };
    };
    let problem = db.message().to_owned();
    match *db.code() {
        SqlState::LOCK_NOT_AVAILABLE => Error::Busy,
        SqlState::T_R_SERIALIZATION_FAILURE
        | SqlState::T_R_DEADLOCK_DETECTED
        | SqlState::TOO_MANY_CONNECTIONS
        | SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW => Error::Unavailable { problem },
        _ => Error::Store { problem },
    }
}

type Cause = Box<dyn Source + Sync + Send>;

/// Writes a cell as the type that the statement has in its place.
impl ToSql for Cell {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Cause> {
        match (self, ty) {
            (Cell::Null, _) => Ok(IsNull::Yes),
            (Cell::Int(value), &Type::INT2) => i16::try_from(*value)?.to_sql(ty, out),
            (Cell::Int(value), &Type::INT4) => i32::try_from(*value)?.to_sql(ty, out),
            (Cell::Int(value), &Type::INT8) => value.to_sql(ty, out),
            (Cell::Int(value), &Type::FLOAT8) => (*value as f64).to_sql(ty, out),
            (Cell::Real(value), &Type::FLOAT8) => value.to_sql(ty, out),
            (Cell::Text(text), _) if <&str as ToSql>::accepts(ty) => text.to_sql(ty, out),
            _ => Err(format!("a parameter is not of type {ty}").into()),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT2 | Type::INT4 | Type::INT8 | Type::FLOAT8)
            || <&str as ToSql>::accepts(ty)
    }

    to_sql_checked!();
}

impl FromSql<'_> for Cell {
    fn from_sql(ty: &Type, raw: &[u8]) -> Result<Cell, Cause> {
        Ok(match *ty {
            Type::INT2 => Cell::Int(i16::from_sql(ty, raw)?.into()),
            Type::INT4 => Cell::Int(i32::from_sql(ty, raw)?.into()),
            Type::INT8 => Cell::Int(i64::from_sql(ty, raw)?),
            Type::FLOAT8 => Cell::Real(f64::from_sql(ty, raw)?),
            _ => Cell::Text(String::from_sql(ty, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Cell, Cause> {
        Ok(Cell::Null)
    }

    fn accepts(ty: &Type) -> bool {
        <Cell as ToSql>::accepts(ty)
    }
}
