//! Formats the parts of messages: names cut short, lists, sizes, suggestions.

use super::{Error, ErrorKind};
use std::fmt;

/// Cuts a name at 64 characters (or 192 bytes) and shows control characters escaped.
pub fn short(name: &str) -> String {
    cut(name, 64, 192)
}

/// Cuts an explanation, which may quote any text, so that its line stays below 1 kB.
pub(super) fn line(problem: &str) -> String {
    cut(problem, 600, 600)
}

/// Returns a general remedy for numbers out of range, if the problem names none.
pub(super) fn remedy(problem: &str) -> &'static str {
    if problem.contains([';', ':']) {
        return "";
    }
    "; give the attributes and the target in units in which they are neither huge nor tiny, and keep parameters such as c or radius near their defaults"
}

fn cut(text: &str, characters: usize, bytes: usize) -> String {
    let mut kept = String::new();
    for (at, c) in text.chars().enumerate() {
        let from = kept.len();
        match c {
            '\'' | '"' => kept.push(c),
            c => kept.extend(c.escape_debug()),
        }
        if at == characters || kept.len() > bytes {
            kept.truncate(from);
            kept.push('…');
            break;
        }
    }
    kept
}

/// Refuses a file of another version than the one that is read.
///
/// # Errors
/// The problem, with its remedy.
pub fn check_version(version: u64, read: u64) -> Result<(), String> {
    if version < read {
        return Err(format!(
            "is {version}: a version of halfseen before 0.3 wrote it; make it anew"
        ));
    }
    if version > read {
        return Err(format!("is {version}; this program reads version {read}"));
    }
    Ok(())
}

/// Lists at most ten names, fewer if they are long, and the number of the others.
pub fn list<S: AsRef<str>>(names: &[S]) -> impl fmt::Display {
    let mut text = String::new();
    for (at, name) in names.iter().enumerate() {
        let name = short(name.as_ref());
        if at == 10 || text.len() + name.len() > 450 {
            text.push_str(&format!(" and {} more", names.len() - at));
            break;
        }
        text.push_str(if at > 0 { ", " } else { "" });
        text.push_str(&name);
    }
    text
}

/// Returns the known name nearest to `name`, if one is close enough.
pub fn nearest<S: AsRef<str>>(name: &str, known: &[S]) -> Option<String> {
    let begin = |name: &str| name.to_lowercase().chars().take(64).collect::<String>();
    let (length, name) = (name.chars().take(64).count(), begin(name));
    let limit = (length / 3).max(2).min(length / 2);
    known
        .iter()
        .map(|k| (strsim::levenshtein(&name, &begin(k.as_ref())), k.as_ref()))
        .filter(|&(distance, _)| distance <= limit)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, k)| k.to_owned())
}

/// Refuses more reads per example than there are attributes to read.
pub fn too_many_reads(budget: u64, panels: u64) -> Error {
    let most = match panels {
        0 => "can be read, because every attribute is known beforehand; choose a learner that needs no reads, such as ridge"
            .to_owned(),
        1 => "the only attribute that can be read; use 1".to_owned(),
        _ => format!("the {panels} attributes that can be read; use at most {panels}"),
    };
    ErrorKind::Request(format!("a budget of {budget} reads per example is more than {most}")).into()
}

/// Refuses fewer reads per example than a learner needs.
pub fn too_few_reads(learner: &str, budget: u64, least: u64) -> Error {
    let problem = format!(
        "{} needs a budget of at least {least} reads per example, got {budget}: a gradient or a second moment needs two values of one example",
        short(learner)
    );
    ErrorKind::Request(problem).into()
}

/// Refuses rows without a single observed attribute.
pub fn nothing_observed(rows: usize) -> Error {
    let problem = format!(
        "none of the {rows} rows has an observed attribute: there is nothing to learn from"
    );
    ErrorKind::Table(problem).into()
}

/// Refuses intervals of a model that has none.
pub(crate) fn no_intervals(reason: &str) -> Error {
    let problem = format!(
        "there are no prediction intervals: {reason}; fiml models of numeric targets have them, and other models of numbers with rows for calibration (in the program --conformal)"
    );
    ErrorKind::Request(problem).into()
}

/// Formats a number in a few characters, whatever its size.
pub fn shown(value: f64) -> String {
    let usual = value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs());
    if usual { value.to_string() } else { format!("{value:e}") }
}

/// Formats a number of bytes in decimal units, as in 2.5 GB.
pub fn size(bytes: f64) -> String {
    let scales = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match scales.into_iter().find(|(scale, _)| bytes >= *scale) {
        Some((scale, unit)) => format!("{:.1} {unit}", bytes / scale),
        None => format!("{bytes:.0} bytes"),
    }
}

/// Names the text column that makes a table wide, with the remedy.
pub(super) fn many(widest: &Option<(String, usize)>) -> String {
    widest.as_ref().map_or(String::new(), |(name, levels)| {
        let (name, levels) = (short(name), grouped(*levels as u64));
        format!(
            "column '{name}' has {levels} levels, which become {levels} columns: leave it out (in the program --ignore {name}), "
        )
    })
}

/// Formats a count with a comma before every three digits: 12,345.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> = groups.filter_map(|g| std::str::from_utf8(g).ok()).collect();
    groups.join(",")
}

/// Formats a number with four significant digits.
pub fn significant(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let places = (3.0 - size.log10().floor()).clamp(0.0, 9.0) as usize;
            let text = format!("{value:.places$}");
            if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else {
                text
            }
        }
        _ => format!("{value:.3e}"),
    }
}

/// Returns the question whether the nearest name was meant, or nothing.
pub fn maybe(nearest: &Option<String>) -> String {
    nearest.as_deref().map_or(String::new(), |n| format!(" (did you mean '{}'?)", short(n)))
}
