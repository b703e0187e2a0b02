//! The page of one subject: what to read, what is told, and for stewards corrections.

use super::app::{Route, Shared, call};
use super::body::Form;
use super::failure::Failure;
use super::fields::{self, Entry};
use super::pages::{count, page};
use super::viewer::Viewer;
use axum::Extension;
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use halfseen_study::{
    Answers, By, Error, Field, Right, Sheet, State as AskState, StudySchema, Telling, Value,
};
use maud::{Markup, html};
use serde::Deserialize;

/// Source of values in the audit.
const SOURCE: &str = "form";

pub(super) fn routes() -> Vec<Route> {
    vec![
        ("/ask/{number}", Right::Collect, get(show).post(tell)),
        ("/ask/{number}/release", Right::Collect, post(release)),
        ("/ask/{number}/amend", Right::Correct, post(amend)),
        ("/ask/{number}/withdraw", Right::Correct, post(withdraw)),
    ]
}

/// Change that was just made, for a line on the page.
#[derive(Debug, Deserialize)]
struct Done {
    #[serde(default)]
    stored: Option<u64>,
    #[serde(default)]
    amended: Option<String>,
}

/// Returns an ask.
async fn sheet(app: &Shared, number: u64) -> Result<Sheet, Failure> {
    let sheet = call(app, move |study| study.sheet(number));
    sheet.await?.ok_or_else(|| {
        Failure::new(
            StatusCode::NOT_FOUND,
            "there is no such ask, or a later one replaced it; find the subject by its name",
        )
    })
}

async fn show(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Path(number): Path<u64>,
    Query(done): Query<Done>,
) -> Result<Response, Failure> {
    let (sheet, setup) = (sheet(&app, number).await?, app.setup());
    let said = match (done.stored, done.amended) {
        (Some(stored), _) => Some(format!("{} stored.", count(stored, "value", "values"))),
        (_, Some(_)) => Some("The value was corrected.".to_owned()),
        _ => None,
    };
    let entries = fields::entries(&sheet, &setup, &Form::default());
    Ok(shown(&viewer, &setup.schema, &sheet, &entries, said.as_deref(), None).into_response())
}

/// Returns the page. `problem` is what kept the form from being stored, beside those of fields.
fn shown(
    viewer: &Viewer,
    schema: &StudySchema,
    sheet: &Sheet,
    entries: &[Entry<'_>],
    said: Option<&str>,
    problem: Option<&str>,
) -> axum::response::Html<String> {
    let number = sheet.number;
    let told: Vec<&Field> = sheet.fields.iter().filter(|field| field.value.is_some()).collect();
    let state = match sheet.state {
        _ if sheet.is_withdrawn => "was withdrawn: nothing of it is asked or told any more",
        AskState::Open => "open",
        AskState::Complete => "complete",
        AskState::Released => "given up; late answers are taken",
    };
    let content = html! {
        p { "Ask " (number) " is " (state) ". Drawn by " (sheet.who) " on " time datetime=(sheet.at) { (sheet.at.get(..10).unwrap_or_default()) } "." }
        @if let Some(said) = said { p.done role="status" { (said) } }
        (fields::summary(entries, problem))
        @if !entries.is_empty() && !sheet.is_withdrawn {
            form method="post" action=(format!("/ask/{number}")) novalidate {
                (viewer.token())
                p { "Leave empty what you do not know yet; come back for it." }
                @for entry in entries { (fields::input(entry)) }
                button type="submit" { "Store" }
            }
        }
        @if !told.is_empty() {
            h2 { "Told" }
            @for field in told { (told_value(viewer, schema, number, field)) }
        }
        @if sheet.state == AskState::Open && !sheet.is_withdrawn { (release_form(viewer, number)) }
        @if viewer.may(Right::Correct) { (withdraw_form(viewer, number)) }
    };
    page(viewer, &format!("Subject {}", sheet.subject), &content)
}

fn told_value(viewer: &Viewer, schema: &StudySchema, number: u64, field: &Field) -> Markup {
    let attribute = fields::attribute_of(schema, field);
    let place = fields::place(field);
    let (value, unit) = match &field.value {
        Some(Value::Missing(reason)) if reason.is_empty() => ("not available".to_owned(), ""),
        Some(Value::Missing(reason)) => (format!("not available: {reason}"), ""),
        Some(value) => (attribute.write(value), attribute.unit.as_str()),
        None => (String::new(), ""),
    };
    html! {
        div.told {
            p { span.name { (attribute.name) } " " (value) " " (unit) @if !field.is_asked && !attribute.known { " (not asked for)" } }
            @if viewer.may(Right::Correct) {
                details {
                    summary { "Correct " (attribute.name) }
                    form method="post" action=(format!("/ask/{number}/amend")) {
                        (viewer.token())
                        input type="hidden" name="attribute" value=(attribute.name);
                        div.field { label for=(format!("new-{place}")) { "The right value, or NA" } input id=(format!("new-{place}")) name="value" required autocomplete="off"; }
                        (reason(&format!("why-{place}")))
                        button type="submit" { "Correct" }
                    }
                }
            }
        }
    }
}

fn reason(id: &str) -> Markup {
    html! { div.field { label for=(id) { "Reason, for the audit" } input id=(id) name="reason" required autocomplete="off"; } }
}

fn release_form(viewer: &Viewer, number: u64) -> Markup {
    html! {
        details {
            summary { "Give this ask up" }
            form method="post" action=(format!("/ask/{number}/release")) {
                (viewer.token())
                p { "The reads that were not made are free for others. Late answers are still taken." }
                (reason("why-release"))
                button type="submit" { "Give up" }
            }
        }
    }
}

fn withdraw_form(viewer: &Viewer, number: u64) -> Markup {
    html! {
        details {
            summary { "Withdraw the subject" }
            form method="post" action=(format!("/ask/{number}/withdraw")) {
                (viewer.token())
                p { "The subject leaves the model. This cannot be undone." }
                div.check { input #erase type="checkbox" name="erase" value="1"; label for="erase" { "Also erase its values; backups, exports and models made before keep them" } }
                (reason("why-withdraw"))
                button.danger type="submit" { "Withdraw" }
            }
        }
    }
}

async fn tell(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Path(number): Path<u64>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let (sheet, setup) = (sheet(&app, number).await?, app.setup());
    let entries = fields::entries(&sheet, &setup, &form);
    let again = |problem: Option<&str>| {
        let page = shown(&viewer, &setup.schema, &sheet, &entries, None, problem);
        Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
    };
    if entries.iter().any(|entry| entry.problem.is_some()) {
        return again(None);
    }
    let mut cells: Vec<(String, String)> = entries.iter().filter_map(Entry::cell).collect();
    // A value that somebody told since then is the same, which changes nothing, or is refused.
    cells.extend(fields::told_meanwhile(&sheet, &setup.schema, &form));
    if cells.is_empty() {
        return again(Some("Nothing was entered."));
    }
    let row = Answers { line: 1, subject: sheet.subject.clone(), ask: Some(number), cells };
    let by = By::now(&viewer.person.name);
    let how = Telling { source: Some(SOURCE.to_owned()), ..Telling::default() };
    let told = call(&app, move |study| match study.tell(&[row], &how, &by) {
        // Somebody else told another value meanwhile.
        Err(Error::Refused { refused, .. }) => Ok(Err(refused)),
        done => done.map(Ok),
    });
    match told.await? {
        Ok(told) => {
            Ok(Redirect::to(&format!("/ask/{number}?stored={}", told.stored)).into_response())
        }
        Err(refused) => {
            let problem: Vec<String> = refused.into_iter().map(|line| line.problem).collect();
            again(Some(&problem.join("; ")))
        }
    }
}

async fn release(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Path(number): Path<u64>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let sheet = sheet(&app, number).await?;
    let (by, reason) = (By::now(&viewer.person.name), form.get("reason").to_owned());
    call(&app, move |study| study.release(&sheet.subject, &reason, &by)).await?;
    Ok(Redirect::to(&format!("/ask/{number}")).into_response())
}

async fn amend(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Path(number): Path<u64>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let sheet = sheet(&app, number).await?;
    let by = By::now(&viewer.person.name);
    call(&app, move |study| {
        let (attribute, value) = (form.get("attribute"), form.get("value"));
        study.amend(&sheet.subject, attribute, value, form.get("reason"), &by)
    })
    .await?;
    Ok(Redirect::to(&format!("/ask/{number}?amended=1")).into_response())
}

async fn withdraw(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Path(number): Path<u64>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let sheet = sheet(&app, number).await?;
    let by = By::now(&viewer.person.name);
    call(&app, move |study| {
        study.withdraw(&sheet.subject, form.has("erase"), form.get("reason"), &by)
    })
    .await?;
    Ok(Redirect::to(&format!("/ask/{number}")).into_response())
}
