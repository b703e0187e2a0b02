//! Turns attributes into inputs, and what was entered into answers or problems.

use super::body::Form;
use halfseen_study::{Attribute, AttributeKind, Field, Setup, Sheet, StudySchema, Value};
use maud::{Markup, html};

/// Most choices that are shown as buttons; more are a list.
const BUTTONS: usize = 6;

/// A field that is still to be told, with what was entered for it.
pub(super) struct Entry<'a> {
    pub(super) attribute: &'a Attribute,
    pub(super) is_target: bool,
    /// Place, for the names of its inputs.
    place: String,
    text: String,
    is_missing: bool,
    is_sure: bool,
    /// True if a value outside of its range is to be confirmed.
    asks_if_sure: bool,
    pub(super) problem: Option<String>,
}

/// Returns the attribute of a field.
pub(super) fn attribute_of<'a>(schema: &'a StudySchema, field: &Field) -> &'a Attribute {
    field.attribute.and_then(|at| schema.attributes.get(at)).unwrap_or(&schema.target)
}

/// Returns the place of a field, as a part of names.
pub(super) fn place(field: &Field) -> String {
    field.attribute.map_or("target".to_owned(), |at| at.to_string())
}

/// Returns the fields that are still to be told, held against what was entered.
pub(super) fn entries<'a>(sheet: &Sheet, setup: &'a Setup, form: &Form) -> Vec<Entry<'a>> {
    let is_wanted = |field: &&Field| {
        field.is_open() && (field.is_asked || attribute_of(&setup.schema, field).known)
    };
    sheet.fields.iter().filter(is_wanted).map(|field| entry(field, setup, form)).collect()
}

/// Returns what was entered for fields that were told since the form was shown: attribute and text.
pub(super) fn told_meanwhile(
    sheet: &Sheet,
    schema: &StudySchema,
    form: &Form,
) -> Vec<(String, String)> {
    let told = sheet.fields.iter().filter(|field| !field.is_open());
    let entered = told.map(|field| {
        let text = form.get(&format!("v-{}", place(field))).trim().to_owned();
        (attribute_of(schema, field).name.clone(), text)
    });
    entered.filter(|(_, text)| !text.is_empty()).collect()
}

fn entry<'a>(field: &Field, setup: &'a Setup, form: &Form) -> Entry<'a> {
    let (attribute, place) = (attribute_of(&setup.schema, field), place(field));
    let text = form.get(&format!("v-{place}")).trim().to_owned();
    let is_missing = form.has(&format!("na-{place}"));
    let is_sure = form.has(&format!("sure-{place}"));
    let (mut problem, mut asks_if_sure) = (None, false);
    if is_missing && !text.is_empty() {
        problem = Some("It has a value and is marked as not available; keep one of them.".into());
    } else if !text.is_empty() {
        match attribute.read(&text) {
            Err(why) => problem = Some(why),
            Ok(value) if attribute.is_outside(&value) && (setup.strict || !is_sure) => {
                asks_if_sure = !setup.strict;
                problem = Some(format!("{text} is outside of the range {}.", range(attribute)));
            }
            Ok(_) => {}
        }
    }
    let is_target = field.attribute.is_none();
    Entry { attribute, is_target, place, text, is_missing, is_sure, asks_if_sure, problem }
}

impl Entry<'_> {
    /// Returns what is to be stored: attribute and text; `None` if nothing was entered.
    pub(super) fn cell(&self) -> Option<(String, String)> {
        let text = if self.is_missing { "NA" } else { self.text.as_str() };
        (!text.is_empty()).then(|| (self.attribute.name.clone(), text.to_owned()))
    }

    fn id(&self, what: &str) -> String {
        format!("{what}-{}", self.place)
    }
}

fn range(attribute: &Attribute) -> String {
    let end = |value: f64| attribute.write(&Value::Number(value));
    match (attribute.low, attribute.high) {
        (Some(low), Some(high)) => format!("from {} to {}", end(low), end(high)),
        (Some(low), None) => format!("from {}", end(low)),
        (None, Some(high)) => format!("up to {}", end(high)),
        (None, None) => String::new(),
    }
}

fn hint(entry: &Entry<'_>) -> String {
    let attribute = entry.attribute;
    let what = match attribute.kind {
        AttributeKind::Number if attribute.unit.is_empty() => "A number".to_owned(),
        AttributeKind::Number => format!("In {}", attribute.unit),
        AttributeKind::Date => "A day, such as 2024-01-31".to_owned(),
        AttributeKind::Category(_) => "One of the choices".to_owned(),
    };
    let range = range(attribute);
    let target = if entry.is_target { "The study learns to predict this value. " } else { "" };
    if range.is_empty() {
        format!("{target}{what}")
    } else {
        format!("{target}{what}, usually {range}")
    }
}

/// Returns what is wrong with a form, with links to the fields; nothing if nothing is.
pub(super) fn summary(entries: &[Entry<'_>], problem: Option<&str>) -> Markup {
    let wrong: Vec<&Entry<'_>> = entries.iter().filter(|entry| entry.problem.is_some()).collect();
    html! {
        @if !wrong.is_empty() || problem.is_some() {
            div.problem role="alert" {
                p { strong { "Nothing was stored." } }
                ul {
                    @if let Some(problem) = problem { li { (problem) } }
                    @for entry in wrong {
                        li { a href=(format!("#{}", entry.id("v"))) { (entry.attribute.name) } ": " (entry.problem.as_deref().unwrap_or_default()) }
                    }
                }
            }
        }
    }
}

/// Returns the inputs of a field: value, and a box for what could not be had.
pub(super) fn input(entry: &Entry<'_>) -> Markup {
    let (attribute, id) = (entry.attribute, entry.id("v"));
    let described = match entry.problem {
        Some(_) => format!("{} {}", entry.id("hint"), entry.id("problem")),
        None => entry.id("hint"),
    };
    let notes = html! {
        p.hint id=(entry.id("hint")) { (hint(entry)) }
        @if let Some(problem) = &entry.problem { p.problem id=(entry.id("problem")) { (problem) } }
    };
    let invalid = entry.problem.as_ref().map(|_| "true");
    let label = &attribute.name;
    let value = match &attribute.kind {
        AttributeKind::Category(choices) if choices.len() <= BUTTONS => html! {
            fieldset aria-describedby=(described) {
                legend { (label) }
                (notes)
                @for (at, choice) in choices.iter().enumerate() {
                    @let one = if at == 0 { id.clone() } else { format!("{id}-{at}") };
                    div.check {
                        input id=(one) type="radio" name=(id) value=(choice) checked[*choice == entry.text];
                        label for=(one) { (choice) }
                    }
                }
            }
        },
        AttributeKind::Category(choices) => html! {
            label for=(id) { (label) }
            (notes)
            select id=(id) name=(id) aria-describedby=(described) aria-invalid=[invalid] {
                option value="" { "" }
                @for choice in choices { option value=(choice) selected[*choice == entry.text] { (choice) } }
            }
        },
        // Not type=number: browsers drop what they cannot read, and a person would not see why.
        kind => html! {
            label for=(id) { (label) }
            (notes)
            input id=(id) name=(id) value=(entry.text) autocomplete="off"
                type=(if *kind == AttributeKind::Date { "date" } else { "text" })
                inputmode=[(*kind == AttributeKind::Number).then_some("decimal")]
                aria-describedby=(described) aria-invalid=[invalid];
        },
    };
    html! {
        div.field {
            (value)
            @if entry.asks_if_sure || entry.is_sure {
                div.check { input id=(entry.id("sure")) type="checkbox" name=(entry.id("sure")) value="1" checked[entry.is_sure]; label for=(entry.id("sure")) { "The value is right although it is outside of the range" } }
            }
            div.check { input id=(entry.id("na")) type="checkbox" name=(entry.id("na")) value="1" checked[entry.is_missing]; label for=(entry.id("na")) { "Not available" span.hidden { ": " (attribute.name) } } }
        }
    }
}
