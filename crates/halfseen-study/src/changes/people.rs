//! Knows the people who may use the server of a study: their roles, tokens and sign-ins.

use crate::database::sql::{Row, all, cells, first};
use crate::error::{Error, Result};
use crate::schema::check_name;
use crate::study::{By, Of, Study, note, seconds};
use hmac_sha256::Hash;
use serde::{Deserialize, Serialize};

/// Seconds for which a sign-in holds.
pub const SIGNED_IN: i64 = 12 * 3600;

/// Role of a person, which fixes what the person may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Sees the status, and takes models and exports: a statistician.
    Reader,
    /// Sees the status, draws asks, tells answers and gives asks up.
    Collector,
    /// Does all but admit people: a data manager.
    Steward,
    /// Does everything.
    Admin,
}

/// Something that a person may do, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// See counts, spending and the learner's error.
    Look,
    /// Draw asks, tell answers, give asks up.
    Collect,
    /// Take all values, the audit and the model.
    Analyse,
    /// Amend and withdraw.
    Correct,
    /// Admit and dismiss people.
    Manage,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 4] = [Role::Reader, Role::Collector, Role::Steward, Role::Admin];

    /// Returns true if a person of this role may do it.
    pub fn may(self, right: Right) -> bool {
        match right {
            Right::Look => true,
            Right::Collect => self != Role::Reader,
            Right::Analyse => self != Role::Collector,
            Right::Correct => matches!(self, Role::Steward | Role::Admin),
            Right::Manage => self == Role::Admin,
        }
    }

    /// Returns the name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Role::Reader => "reader",
            Role::Collector => "collector",
            Role::Steward => "steward",
            Role::Admin => "admin",
        }
    }
}

impl std::str::FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Role> {
        Role::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| {
            Error::unknown("role", text, &Role::ALL.map(|role| role.name().to_owned()))
        })
    }
}

/// Person who may use the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Person {
    /// Name, as in the audit.
    pub name: String,
    /// Role.
    pub role: Role,
    /// Time at which the token was made, in UTC.
    pub since: String,
}

fn person_of(row: &Row<'_>) -> Person {
    let role = row.text(1).and_then(|role| role.parse().ok()).unwrap_or(Role::Reader);
    Person { name: row.owned(0), role, since: row.owned(2) }
}

impl Study {
    /// Admits a person to the server, or gives one a new role and token; returns the token, which
    /// is nowhere else: of it, only the SHA-256 is stored.
    ///
    /// # Errors
    /// A name that files could not hold; no random numbers from the system; if the store fails.
    pub fn admit(&mut self, name: &str, role: Role, by: &By) -> Result<String> {
        check_name("person", name).map_err(Error::setup)?;
        let token = format!("hs_{}", secret()?);
        self.write(|study| {
            study.sign_out_all(name)?;
            study.sql.run("DELETE FROM person WHERE name = $1", cells![name])?;
            study.sql.run(
                "INSERT INTO person (name, role, token, made) VALUES ($1, $2, $3, $4)",
                cells![name, role.name(), &*sha256(&token), &*by.at],
            )?;
            let what = format!("{name} as {}", role.name());
            note(&mut *study.sql, by, "admit", Of::default(), Some(&what))
        })?;
        Ok(token)
    }

    /// Takes a person's token and sign-ins away; what the person did stays in the audit.
    ///
    /// # Errors
    /// [`Error::Unknown`]; if the store fails.
    pub fn dismiss(&mut self, name: &str, by: &By) -> Result<()> {
        self.write(|study| {
            let gone = study.sql.run(
                "UPDATE person SET gone = $1 WHERE name = $2 AND gone IS NULL",
                cells![&*by.at, name],
            )?;
            if gone == 0 {
                let names: Vec<String> = study.people()?.into_iter().map(|p| p.name).collect();
                return Err(Error::unknown("person", name, &names));
            }
            study.sign_out_all(name)?;
            note(&mut *study.sql, by, "dismiss", Of::default(), Some(name))
        })
    }

    /// Returns the people who may use the server, by name.
    ///
    /// # Errors
    /// If the store fails.
    pub fn people(&mut self) -> Result<Vec<Person>> {
        let people = "SELECT name, role, made FROM person WHERE gone IS NULL ORDER BY name";
        all(&mut *self.sql, people, &[], person_of)
    }

    /// Returns the person of a token.
    ///
    /// # Errors
    /// If the store fails.
    pub fn person(&mut self, token: &str) -> Result<Option<Person>> {
        let person = "SELECT name, role, made FROM person WHERE token = $1 AND gone IS NULL";
        first(&mut *self.sql, person, cells![&*sha256(token)], person_of)
    }

    /// Signs the person of a token in for 12 hours; returns the person and a secret.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sign_in(&mut self, token: &str, now: &By) -> Result<Option<(Person, String)>> {
        let Some(person) = self.person(token)? else { return Ok(None) };
        let (secret, now) = (secret()?, seconds(&now.at).unwrap_or(0));
        self.write(|study| {
            study.sql.run("DELETE FROM sign_in WHERE until < $1", cells![now])?;
            let cells = cells![&*sha256(&secret), &*person.name, now + SIGNED_IN];
            study.sql.run("INSERT INTO sign_in VALUES ($1, $2, $3)", cells).map(drop)
        })?;
        Ok(Some((person, secret)))
    }

    /// Returns the person whom a secret was given to at signing in.
    ///
    /// # Errors
    /// If the store fails.
    pub fn signed_in(&mut self, secret: &str, now: &By) -> Result<Option<Person>> {
        let now = seconds(&now.at).unwrap_or(0);
        let person = "SELECT p.name, p.role, p.made FROM sign_in s JOIN person p ON p.name = s.person WHERE s.secret = $1 AND s.until >= $2 AND p.gone IS NULL";
        first(&mut *self.sql, person, cells![&*sha256(secret), now], person_of)
    }

    /// Ends a sign-in.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sign_out(&mut self, secret: &str) -> Result<()> {
        let gone = "DELETE FROM sign_in WHERE secret = $1";
        self.write(|study| study.sql.run(gone, cells![&*sha256(secret)]).map(drop))
    }

    fn sign_out_all(&mut self, name: &str) -> Result<()> {
        self.sql.run("DELETE FROM sign_in WHERE person = $1", cells![name]).map(drop)
    }
}

/// Draws 256 bits.
fn secret() -> Result<String> {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits)
        .map_err(|e| Error::setup(format!("the system gives no random numbers: {e}")))?;
    Ok(hex(&bits))
}

/// Returns the SHA-256 of a text, as the store keeps it.
fn sha256(text: &str) -> String {
    hex(&Hash::hash(text.as_bytes()))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
