//! Reads the values of the command line, and says what they must be.

use halfseen::robust::Attack;
use std::path::{Path, PathBuf};

/// A whole number in a range. A budget's range is the learner's to say.
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

/// A share: neither nothing nor everything.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0.0 && *number < 1.0);
    number.ok_or_else(|| "it must be a number above 0 and below 1, such as 0.1".to_owned())
}

/// A finite number above 0.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let number =
        text.trim().parse().ok().filter(|number: &f64| *number > 0.0 && number.is_finite());
    number.ok_or_else(|| "it must be a finite number above 0".to_owned())
}

/// What it costs to take attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CostsArg {
    /// 1 each.
    Uniform,
    /// By their mutual information with the target.
    Information,
    /// As a file says.
    File(PathBuf),
}

impl CostsArg {
    /// The file that says them, if one does.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            CostsArg::File(path) => Some(path),
            CostsArg::Uniform | CostsArg::Information => None,
        }
    }
}

/// Reads a word, or the path of a file.
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

/// Budgets to attack with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Budgets {
    /// From nothing to twice the model's own, or where it has none by steps of 1, 2, 5, 10, ...
    /// attributes.
    Auto,
    /// These.
    These(Vec<f64>),
}

/// Reads `auto` or numbers with commas between them. Their range is the costs' to say.
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

/// Reads one budget.
pub(crate) fn budget(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|n: &f64| n.is_finite() && *n >= 0.0);
    number.ok_or_else(|| "it must be a number of at least 0, such as 10".to_owned())
}

/// Reads the name of an attack.
pub(crate) fn named(text: &str) -> Result<Attack, String> {
    let names: Vec<&str> = Attack::ALL.iter().map(|(name, _)| *name).collect();
    let found =
        Attack::ALL.iter().find(|(name, _)| *name == text.trim()).map(|(_, attack)| *attack);
    found.ok_or_else(|| format!("it must be one of {}", names.join(", ")))
}

/// How many attributes are kept: several answers, one after the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Counts {
    /// 1, 2, 5, 10, 20, 50, ... up to all that the model needs.
    Auto,
    /// These.
    These(Vec<u64>),
}

/// Reads `auto` or whole numbers with commas between them. Their range is the model's to say.
pub(crate) fn counts(text: &str) -> Result<Counts, String> {
    if text.trim() == "auto" {
        return Ok(Counts::Auto);
    }
    let numbers: Option<Vec<u64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    numbers
        .map(Counts::These)
        .ok_or_else(|| "it must be auto, or whole numbers such as 1,2,5".to_owned())
}
