//! Describes the attributes of a study: kinds, units, ranges, panels, prices, choices.

use crate::error::{Error, Result};
use halfseen::data::days_since_1970;
use halfseen::error::{list, short};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The form in which dates are written.
pub const DATE: &str = "%Y-%m-%d";
/// Longest name of an attribute or subject, in bytes.
pub(crate) const LONGEST_NAME: usize = 200;
/// Longest reason or source, in bytes.
pub(crate) const LONGEST_TEXT: usize = 2_000;
/// Names that the columns of files have.
const RESERVED: [&str; 3] = ["subject", "ask", "list"];
/// One attribute, or the target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attribute {
    /// Name: the column in files of asks and answers.
    pub name: String,
    /// Number, date or category.
    pub kind: AttributeKind,
    /// Unit in which numbers are told; may be empty.
    #[serde(default)]
    pub unit: String,
    /// Smallest usual value.
    #[serde(default)]
    pub low: Option<f64>,
    /// Largest usual value.
    #[serde(default)]
    pub high: Option<f64>,
    /// Attributes of one panel are read together, for one price.
    #[serde(default)]
    pub panel: Option<String>,
    /// Price of a read, of the whole panel if it is in one.
    pub price: f64,
    /// True if it is known of every subject and needs no read.
    #[serde(default)]
    pub known: bool,
    /// True if it is asked no more.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retired: bool,
}

/// Kind of the values of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttributeKind {
    /// A number.
    Number,
    /// A day, written as 2024-01-31.
    Date,
    /// One of these choices.
    Category(Vec<String>),
}

/// Value of one attribute of one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// Number, or the days since 1970-01-01 of a date.
    Number(f64),
    /// One of the choices.
    Category(String),
    /// It could not be had, with the reason.
    Missing(String),
}

impl Attribute {
    /// Creates an attribute that is a number, at a price of 1.
    pub fn number(name: &str) -> Attribute {
        let (name, kind, unit, panel) =
            (name.to_owned(), AttributeKind::Number, String::new(), None);
        let (low, high, known, retired) = (None, None, false, false);
        Attribute { name, kind, unit, low, high, panel, price: 1.0, known, retired }
    }

    /// Returns the names of the columns that a learner sees: one for a number or a date, one for each
    /// choice of a category, which one read gives.
    pub fn columns(&self) -> Vec<String> {
        match &self.kind {
            AttributeKind::Category(choices) => {
                choices.iter().map(|choice| format!("{}={choice}", self.name)).collect()
            }
            _ => vec![self.name.clone()],
        }
    }

    /// Reads a value as a person writes it: a number in the attribute's unit, which may be written
    /// behind it, a date, a choice, or `NA` with or without a reason (`NA: refused`).
    ///
    /// # Errors
    /// The problem with its remedy, for another kind, another unit, no choice, NaN, infinities.
    pub fn read(&self, text: &str) -> std::result::Result<Value, String> {
        let text = text.trim();
        if let Some(reason) = missing(text) {
            return Ok(Value::Missing(reason));
        }
        let name = short(&self.name);
        match &self.kind {
            AttributeKind::Number => self.number_of(text).map(Value::Number),
            AttributeKind::Date => {
                days_since_1970(text, DATE).map(Value::Number).ok_or_else(|| {
                    format!(
                        "'{name}' is a date, and '{}' is not written as 2024-01-31",
                        short(text)
                    )
                })
            }
            AttributeKind::Category(choices) => match choices.iter().find(|choice| *choice == text)
            {
                Some(choice) => Ok(Value::Category(choice.clone())),
                None => {
                    let same = |choice: &&String| choice.eq_ignore_ascii_case(text);
                    let near = choices.iter().find(same);
                    let near = near.map_or(String::new(), |c| format!(" (did you mean '{c}'?)"));
                    let choices = list(choices);
                    Err(format!(
                        "'{}' is not one of the choices of '{name}'{near}: {choices}",
                        short(text)
                    ))
                }
            },
        }
    }

    fn number_of(&self, text: &str) -> std::result::Result<f64, String> {
        let name = short(&self.name);
        let own = Some(self.unit.as_str()).filter(|unit| !unit.is_empty());
        let plain = own.and_then(|unit| text.strip_suffix(unit)).unwrap_or(text).trim_end();
        match plain.parse::<f64>() {
            Ok(value) if value.is_finite() && value.abs() <= 1e100 => Ok(value),
            Ok(_) => Err(format!(
                "'{name}' is {}, and must be a finite number up to 1e100; write NA for a value that is not available",
                short(text)
            )),
            Err(_) => {
                let digits = text.find(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E'));
                let before = digits.map(|at| text[..at].trim());
                let unit = match (before.map(str::parse::<f64>), own) {
                    _ if text.starts_with(['<', '>', '≤', '≥']) => format!(
                        "; a value beyond a limit of detection cannot be told as such: write NA: {}, or the value that you would use",
                        beyond(text)
                    ),
                    (Some(Ok(_)), Some(unit)) => format!("; this study takes it in {unit}"),
                    (Some(Ok(_)), None) => "; this study takes it without a unit".to_owned(),
                    _ if text.contains(',') => "; write decimals with a point".to_owned(),
                    _ => "; write NA for a value that is not available".to_owned(),
                };
                Err(format!("'{name}' is a number, and '{}' is none{unit}", short(text)))
            }
        }
    }

    /// Returns true if a number lies outside of its usual range.
    pub fn is_outside(&self, value: &Value) -> bool {
        let Value::Number(value) = value else { return false };
        self.low.is_some_and(|low| *value < low) || self.high.is_some_and(|high| *value > high)
    }

    /// Returns a value as a person reads it.
    pub fn write(&self, value: &Value) -> String {
        match (value, &self.kind) {
            (Value::Number(days), AttributeKind::Date) => {
                chrono::DateTime::from_timestamp(*days as i64 * 86_400, 0)
                    .map_or_else(|| days.to_string(), |day| day.format(DATE).to_string())
            }
            (Value::Number(value), _) => value.to_string(),
            (Value::Category(text), _) => text.clone(),
            (Value::Missing(reason), _) if reason.is_empty() => "NA".to_owned(),
            (Value::Missing(reason), _) => format!("NA: {reason}"),
        }
    }

    pub(crate) fn check(&self) -> std::result::Result<(), String> {
        check_name("attribute", &self.name)?;
        let name = short(&self.name);
        if RESERVED.iter().any(|reserved| self.name.eq_ignore_ascii_case(reserved)) {
            return Err(format!(
                "an attribute cannot be called '{name}', which is a column of asks and answers; rename it"
            ));
        }
        if self.name.contains(char::is_whitespace) {
            let better = self.name.split_whitespace().collect::<Vec<_>>().join("_");
            return Err(format!(
                "'{name}' has spaces, which separate names in asks; call it {better}"
            ));
        }
        if !(0.0..=1e100).contains(&self.price) {
            return Err(format!(
                "the price of '{name}' is {}, and must be a number from 0",
                self.price
            ));
        }
        if let (Some(low), Some(high)) = (self.low, self.high)
            && low >= high
        {
            return Err(format!(
                "the range of '{name}' is from {low} to {high}; low must be below high"
            ));
        }
        match &self.kind {
            AttributeKind::Category(choices) => {
                if choices.len() < 2 {
                    return Err(format!(
                        "'{name}' is a category of fewer than two choices; write them as a|b|c"
                    ));
                }
                if choices.iter().collect::<BTreeSet<_>>().len() < choices.len() {
                    return Err(format!("'{name}' has a choice twice"));
                }
                if let Some(odd) = choices.iter().find(|c| c.trim() != *c || missing(c).is_some()) {
                    return Err(format!(
                        "'{name}' cannot have the choice '{}', which is read as another or as missing",
                        short(odd)
                    ));
                }
                if self.low.or(self.high).is_some() {
                    return Err(format!(
                        "'{name}' is a category and has a range; leave low and high empty"
                    ));
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Refuses a name that files could not hold.
pub(crate) fn check_name(what: &str, name: &str) -> std::result::Result<(), String> {
    if name.is_empty() || name.trim() != name {
        return Err(format!(
            "the {what} '{}' is empty, or begins or ends with a space",
            short(name)
        ));
    }
    if name.len() > LONGEST_NAME || name.contains(char::is_control) {
        return Err(format!(
            "the {what} '{}' must have at most {LONGEST_NAME} bytes on one line",
            short(name)
        ));
    }
    Ok(())
}

/// Refuses an empty reason.
pub(crate) fn reason_of(reason: &str) -> Result<&str> {
    match reason.trim() {
        "" => Err(Error::setup("a reason is needed, for the audit; give --reason")),
        long if long.len() > LONGEST_TEXT => {
            Err(Error::setup(format!("a reason has at most {LONGEST_TEXT} bytes")))
        }
        reason => Ok(reason),
    }
}

/// Returns a text such as <5 in words.
fn beyond(text: &str) -> String {
    let way = if text.starts_with(['<', '≤']) { "below" } else { "above" };
    let limit = text.trim_start_matches(['<', '>', '≤', '≥', '=']).trim();
    format!("{way} {}", short(limit)).trim_end().to_owned()
}

/// Returns the reason of a missing value, which may be empty; `None` for other texts.
fn missing(text: &str) -> Option<String> {
    let rest = text.strip_prefix("NA")?;
    match rest.strip_prefix(':') {
        Some(reason) => Some(reason.trim().to_owned()),
        None => rest.is_empty().then(String::new),
    }
}

/// The attributes and the target of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StudySchema {
    /// Attributes, in the order of the file.
    pub attributes: Vec<Attribute>,
    /// Target.
    pub target: Attribute,
}

impl StudySchema {
    /// Returns the schema if it is consistent, with the prices of panels on all of their members.
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub fn checked(mut self) -> Result<StudySchema> {
        for attribute in self.attributes.iter().chain([&self.target]) {
            attribute.check().map_err(Error::setup)?;
        }
        if self.attributes.is_empty() {
            return Err(Error::setup(
                "the schema has no attribute beside the target; give it a row for each",
            ));
        }
        let mut names = BTreeSet::new();
        if let Some(twice) =
            self.attributes.iter().chain([&self.target]).find(|a| !names.insert(&a.name))
        {
            return Err(Error::setup(format!(
                "the attribute '{}' is there twice",
                short(&twice.name)
            )));
        }
        if self.target.known || self.target.panel.is_some() {
            return Err(Error::setup(format!(
                "the target '{}' can be neither known nor in a panel",
                short(&self.target.name)
            )));
        }
        let mut panels: BTreeMap<&str, (f64, bool)> = BTreeMap::new();
        for attribute in &self.attributes {
            let Some(panel) = &attribute.panel else { continue };
            if names.contains(panel) {
                return Err(Error::setup(format!(
                    "'{}' is a panel and an attribute; rename one",
                    short(panel)
                )));
            }
            let (price, known) = panels.entry(panel).or_insert((attribute.price, attribute.known));
            if *price != attribute.price || *known != attribute.known {
                return Err(Error::setup(format!(
                    "the attributes of panel '{}' have two prices or are known only in part; write the same price, of the whole panel, for all",
                    short(panel)
                )));
            }
        }
        if let AttributeKind::Category(choices) = &mut self.target.kind {
            choices.sort();
            if choices.len() != 2 {
                return Err(Error::setup(format!(
                    "the target '{}' has {} classes; a study learns a number or two classes",
                    short(&self.target.name),
                    choices.len()
                )));
            }
        }
        Ok(self)
    }

    /// Returns the price of each panel or single attribute by its name.
    pub fn prices(&self) -> BTreeMap<String, f64> {
        let paid = self.attributes.iter().filter(|attribute| !attribute.known);
        paid.map(|a| (a.panel.clone().unwrap_or_else(|| a.name.clone()), a.price)).collect()
    }

    /// Returns all attributes and the target by their names.
    pub(crate) fn by_name(&self) -> HashMap<&str, &Attribute> {
        self.attributes.iter().chain([&self.target]).map(|of| (of.name.as_str(), of)).collect()
    }

    /// Returns the place of an attribute, `None` for the target.
    ///
    /// # Errors
    /// [`Error::Unknown`].
    pub fn place(&self, name: &str) -> Result<Option<usize>> {
        if name == self.target.name {
            return Ok(None);
        }
        let place = self.attributes.iter().position(|attribute| attribute.name == name);
        place.map(Some).ok_or_else(|| {
            let all = self.attributes.iter().chain([&self.target]);
            Error::unknown("attribute", name, &all.map(|a| a.name.clone()).collect::<Vec<_>>())
        })
    }
}
