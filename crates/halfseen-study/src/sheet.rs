//! Shows asks as the people see them who answer them: lists of open ones, and all values of one.

use crate::database::sql::{all, cells, first};
use crate::error::Result;
use crate::schema::Value;
use crate::study::{State, Study, TARGET};

/// An open ask in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenAsk {
    /// Number of the ask.
    pub number: u64,
    /// Subject.
    pub subject: String,
    /// Time of the ask, in UTC.
    pub at: String,
    /// Person who drew it.
    pub who: String,
    /// Number of values that are not told yet, the target's included.
    pub missing: u64,
}

/// The last ask of a subject, with the subject's values.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// Number of the ask.
    pub number: u64,
    /// Subject.
    pub subject: String,
    /// State of the ask.
    pub state: State,
    /// True if the subject was withdrawn: it has no fields then.
    pub is_withdrawn: bool,
    /// Person who drew the ask.
    pub who: String,
    /// Time of the ask, in UTC.
    pub at: String,
    /// Attributes that were asked, what is known of every subject, what was told unasked, and the target last.
    pub fields: Vec<Field>,
}

/// Attribute of a subject, or the target.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Place among the attributes of the schema; `None`: the target.
    pub attribute: Option<usize>,
    /// True if the ask names it; also for the target.
    pub is_asked: bool,
    /// Present value.
    pub value: Option<Value>,
}

impl Field {
    /// Returns true if a value may be told: there is none, or it could not be had.
    pub fn is_open(&self) -> bool {
        matches!(self.value, None | Some(Value::Missing(_)))
    }
}

impl Study {
    /// Returns the oldest open asks, of all or of one person, at most so many; and their number.
    ///
    /// # Errors
    /// If the store fails.
    pub fn open_asks(&mut self, who: Option<&str>, most: usize) -> Result<(Vec<OpenAsk>, u64)> {
        self.read(|study| {
            let sql = &mut *study.sql;
            let count = "SELECT count(*) FROM ask WHERE state = 'open' AND (who = $1 OR $2 = 1)";
            let list = "SELECT a.number, s.name, a.at, a.who, a.missing FROM ask a JOIN subject s ON s.id = a.subject WHERE a.state = 'open' AND (a.who = $1 OR $2 = 1) ORDER BY a.number LIMIT $3";
            let (name, everyone) = (who.unwrap_or_default(), i64::from(who.is_none()));
            let count = first(sql, count, cells![name, everyone], |row| row.int(0) as u64)?;
            let asks = all(sql, list, cells![name, everyone, most as i64], |row| OpenAsk {
                number: row.int(0) as u64,
                subject: row.owned(1),
                at: row.owned(2),
                who: row.owned(3),
                missing: row.int(4) as u64,
            })?;
            Ok((asks, count.unwrap_or(0)))
        })
    }

    /// Returns the number of the last ask of a subject; `None` for one that was never asked.
    ///
    /// # Errors
    /// If the store fails.
    pub fn ask_of(&mut self, subject: &str) -> Result<Option<u64>> {
        let Some(subject) = self.subject(subject)? else { return Ok(None) };
        Ok(self.last_ask(subject.id)?.map(|last| last.number as u64))
    }

    /// Returns an ask with the values of its subject; `None` if there is none of this number, or it
    /// was replaced by a later one.
    ///
    /// # Errors
    /// If the store fails.
    pub fn sheet(&mut self, number: u64) -> Result<Option<Sheet>> {
        self.read(|study| study.sheet_now(number as i64))
    }

    fn sheet_now(&mut self, number: i64) -> Result<Option<Sheet>> {
        let ask = "SELECT a.subject, s.name, a.state, a.who, a.at, s.withdrawn FROM ask a JOIN subject s ON s.id = a.subject WHERE a.number = $1 AND a.state <> 'replaced'";
        let stored = first(&mut *self.sql, ask, cells![number], |row| {
            let sheet = Sheet {
                number: number as u64,
                subject: row.owned(1),
                state: State::of(row.text(2).unwrap_or_default()),
                is_withdrawn: row.text(5).is_some(),
                who: row.owned(3),
                at: row.owned(4),
                fields: Vec::new(),
            };
            (row.int(0), sheet)
        })?;
        let Some((subject, mut sheet)) = stored else { return Ok(None) };
        if sheet.is_withdrawn {
            return Ok(Some(sheet));
        }
        let (asked, mut told) = (self.asked_by(number)?, self.values_of(subject)?);
        let places = (0..self.setup.schema.attributes.len() as i64).chain([TARGET]);
        for place in places {
            let is_asked = place == TARGET || asked.contains(&place);
            let value = told
                .iter()
                .position(|(at, ..)| *at == place)
                .map(|index| told.swap_remove(index).2);
            let attribute = self.attribute(place);
            if is_asked || value.is_some() || (attribute.known && !attribute.retired) {
                let attribute = usize::try_from(place).ok();
                sheet.fields.push(Field { attribute, is_asked, value });
            }
        }
        Ok(Some(sheet))
    }
}
