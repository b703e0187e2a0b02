//! Parses the values of the command line, and describes the valid ones.

use bytesize::ByteSize;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use halfseen::data::DeclaredKind;
use halfseen::robust::Attack;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Parses a whole number in a range. A budget's range is checked by the learner.
pub(crate) fn whole(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    let range = if most == u64::MAX {
        "a whole number, 1 or more".to_owned()
    } else {
        format!("a whole number from {least} to {most}")
    };
    move |text| {
        let number = text.trim().parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("it must be {range}"))
    }
}

/// Parses one of some names, which help and completions list.
pub(crate) fn one_of<T: FromStr<Err: Error + Send + Sync> + Clone + Send + Sync + 'static>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

/// Parses a share strictly between 0 and 1.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "it must be a number above 0 and below 1, such as 0.1".to_owned())
}

/// Parses a probability from 0 to below 1.
pub(crate) fn chance(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "it must be a probability from 0 to below 1, such as 0.1".to_owned())
}

/// Parses a number of bytes above 0, with a unit or without.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let bytes = text.trim().parse().ok().map(|ByteSize(bytes)| bytes).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "it must be a size above 0, such as 4GB, 500MB or 2GiB".to_owned())
}

/// Parses a finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number =
        text.trim().parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "it must be a finite number above 0".to_owned())
}

/// Parses an age, as days: 30d, 2w, 12h.
pub(crate) fn days(text: &str) -> Result<f64, String> {
    let wrong = || "it must be an age such as 30d, 2w or 12h".to_owned();
    let (number, unit) = text.trim().split_at(text.trim().len().saturating_sub(1));
    let days = match unit {
        "h" => 1.0 / 24.0,
        "d" => 1.0,
        "w" => 7.0,
        _ => return Err(wrong()),
    };
    let number: Option<f64> = number.parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.map(|number| number * days).ok_or_else(wrong)
}

/// Parses the separator of columns: its name, or the character.
pub(crate) fn separator(text: &str) -> Result<u8, String> {
    Ok(match text {
        "comma" => b',',
        "semicolon" => b';',
        "tab" | "\\t" | "\t" => b'\t',
        "bar" => b'|',
        _ => match text.as_bytes() {
            [by] if by.is_ascii_punctuation() && !b"\".-+_".contains(by) => *by,
            _ => {
                return Err(
                    "it must be comma, semicolon, tab, bar, or another mark that is part of no number"
                        .into(),
                );
            }
        },
    })
}

/// Parses the kind of a column, as in `day=date`.
pub(crate) fn kind(text: &str) -> Result<(String, DeclaredKind), String> {
    let kind = text.rsplit_once('=').and_then(|(name, kind)| Some((name, kind.parse().ok()?)));
    let (name, kind) = kind.ok_or("it must be COL=category, COL=number or COL=date")?;
    Ok((name.trim().to_owned(), kind))
}

/// Costs of deletion to the adversary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CostsArg {
    /// 1 for each attribute.
    Uniform,
    /// Mutual information with the target.
    Information,
    /// Costs read from a file.
    File(PathBuf),
}

impl CostsArg {
    /// Returns the path of the file, if there is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            CostsArg::File(path) => Some(path),
            CostsArg::Uniform | CostsArg::Information => None,
        }
    }
}

/// Parses a word, or the path of a file.
pub(crate) fn costs(text: &str) -> Result<CostsArg, String> {
    Ok(match text.trim() {
        "" => {
            return Err(
                "it must be uniform, mi, or a file with the columns attribute,cost".to_owned()
            );
        }
        "uniform" => CostsArg::Uniform,
        "mi" => CostsArg::Information,
        path => CostsArg::File(path.into()),
    })
}

/// Budgets of the attacks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Budgets {
    /// From 0 to twice the model's own, or if it has none in steps of 1, 2, 5, 10, ... attributes.
    Auto,
    These(Vec<f64>),
}

/// Parses `auto` or comma-separated numbers. Their range depends on the costs.
pub(crate) fn budgets(text: &str) -> Result<Budgets, String> {
    if text.trim() == "auto" {
        return Ok(Budgets::Auto);
    }
    let number = |part: &str| part.trim().parse().ok().filter(|n: &f64| n.is_finite());
    let numbers: Option<Vec<f64>> = text.split(',').map(number).collect();
    numbers
        .map(Budgets::These)
        .ok_or_else(|| "it must be auto, or numbers such as 10 or 5,10,20".to_owned())
}

pub(crate) fn budget(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| "it must be a number of at least 0, such as 10".to_owned())
}

pub(crate) fn named(text: &str) -> Result<Attack, String> {
    let names: Vec<&str> = Attack::ALL.iter().map(|(name, _)| *name).collect();
    let attack =
        Attack::ALL.iter().find(|(name, _)| *name == text.trim()).map(|(_, attack)| *attack);
    attack.ok_or_else(|| format!("it must be one of {}", names.join(", ")))
}

/// Numbers of attributes that are kept, each giving one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Counts {
    /// 1, 2, 5, 10, 20, 50, ... up to all that the model needs.
    Auto,
    These(Vec<u64>),
}

/// Parses `auto` or comma-separated whole numbers. Their range depends on the model.
pub(crate) fn counts(text: &str) -> Result<Counts, String> {
    if text.trim() == "auto" {
        return Ok(Counts::Auto);
    }
    let numbers: Option<Vec<u64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    numbers
        .map(Counts::These)
        .ok_or_else(|| "it must be auto, or whole numbers such as 1,2,5".to_owned())
}
