//! Words why a rule applies to a situation, with its numbers: one function for each rule.

use super::{ROWS_PER_CURVE, Situation, WIDE};
use crate::error::grouped;

pub(super) fn curves_under_threat(of: &Situation) -> String {
    let per = per_attribute(of);
    format!(
        "{DELETED}, and {per}, enough for a curve of each and few enough to tune robust programs over curves"
    )
}

pub(super) fn threat(of: &Situation) -> String {
    if of.rows < ROWS_PER_CURVE.saturating_mul(of.attributes) {
        return format!("{DELETED}, and {}, too few for curves", per_attribute(of));
    }
    let (size, classes) = (size(of), several(of));
    format!("{DELETED}, and {size}{classes} are too many to tune robust programs over curves")
}

pub(super) fn limited(_: &Situation) -> String {
    "the reads of each row are limited".to_owned()
}

pub(super) fn many_rows_of_classes_with_holes(of: &Situation) -> String {
    format!("{} and {} classes: too many for their joint distribution", holed(of), of.classes)
}

pub(super) fn many_rows_with_holes(of: &Situation) -> String {
    format!("{}: too many for their joint distribution", holed(of))
}

pub(super) fn wide_with_holes(of: &Situation) -> String {
    format!(
        "{}{}: too wide for their joint distribution, and few enough rows to compare all pairs",
        holed(of),
        several(of)
    )
}

pub(super) fn holes(of: &Situation) -> String {
    holed(of)
}

pub(super) fn imputed_classes(of: &Situation) -> String {
    format!("{}, will be imputed by means, and there are {} classes", missing(of), of.classes)
}

pub(super) fn classes(of: &Situation) -> String {
    let classes = of.classes;
    format!(
        "no cell is missing, and there are {classes} classes in {}, few enough to compare all pairs of rows",
        size(of)
    )
}

pub(super) fn many_rows_of_classes(of: &Situation) -> String {
    let classes = of.classes;
    format!(
        "no cell is missing, and there are {classes} classes in {}, too many to compare all pairs of rows",
        size(of)
    )
}

pub(super) fn curves(of: &Situation) -> String {
    format!("no cell is missing, and {}, enough for a curve of each", per_attribute(of))
}

pub(super) fn many_attributes(of: &Situation) -> String {
    let per = per_attribute(of);
    format!(
        "no cell is missing, and {per}: more than the {WIDE} attributes of which curves are learned in time"
    )
}

pub(super) fn few_rows(of: &Situation) -> String {
    format!("no cell is missing, and {}, too few to weigh them all", per_attribute(of))
}

const DELETED: &str = "attributes may be deleted at prediction time";

/// Returns rows and attributes, and how many there are of the former for each of the latter.
fn per_attribute(of: &Situation) -> String {
    let share = of.rows as f64 / of.attributes.max(1) as f64;
    let share = if share < 10.0 { one_decimal(share) } else { grouped(share as u64) };
    let attributes = grouped(of.attributes as u64);
    format!(
        "there are {} rows for {attributes} attributes ({share} per attribute)",
        grouped(of.rows as u64)
    )
}

/// Returns rows, attributes and, if there are more, columns.
fn size(of: &Situation) -> String {
    let columns = match of.columns > of.attributes {
        true => format!(" ({} columns, with one for each category)", grouped(of.columns as u64)),
        false => String::new(),
    };
    format!(
        "{} rows of {} attributes{columns}",
        grouped(of.rows as u64),
        grouped(of.attributes as u64)
    )
}

/// Returns how many classes there are, if more than two.
fn several(of: &Situation) -> String {
    if of.classes > 2 { format!(" and {} classes", of.classes) } else { String::new() }
}

/// Returns the share of missing cells, and the size of the table.
fn holed(of: &Situation) -> String {
    format!("{}, in {}", missing(of), size(of))
}

/// Returns the share of missing cells, if it is known.
fn missing(of: &Situation) -> String {
    let cells = (of.rows as u64).saturating_mul(of.attributes as u64).max(1);
    match of.missing {
        None => "cells are missing".to_owned(),
        Some(1) => "1 cell is missing".to_owned(),
        Some(missing) => match 100.0 * missing as f64 / cells as f64 {
            share if share < 0.1 => format!("{} cells are missing", grouped(missing)),
            share => format!("{} % of the cells are missing", one_decimal(share)),
        },
    }
}

/// Rounds down to a decimal, if that is not 0: 4.95 per attribute are fewer than 5.
fn one_decimal(value: f64) -> String {
    ((value * 10.0).floor() / 10.0).to_string()
}
