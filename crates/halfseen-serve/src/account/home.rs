//! Lists open asks, finds subjects, and draws new asks.

use super::sign_in;
use crate::app::{Route, Shared, call};
use crate::body::Form;
use crate::failure::Failure;
use crate::pages::{count, page};
use crate::viewer::Viewer;
use axum::Extension;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use halfseen::Silent;
use halfseen_study::{By, Right, Subjects};
use maud::html;
use serde::Deserialize;

/// Most asks on a page.
const LISTED: usize = 100;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        ("/asks", Right::Collect, get(asks)),
        ("/find", Right::Collect, post(find)),
        ("/draw", Right::Collect, post(draw)),
        ("/sign-out", Right::Look, post(sign_in::sign_out)),
    ]
}

/// Choice of the asks to list.
#[derive(Debug, Deserialize)]
struct Which {
    #[serde(default)]
    all: Option<String>,
}

async fn asks(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Query(which): Query<Which>,
) -> Result<Response, Failure> {
    let all = which.all.is_some();
    let who = (!all).then(|| viewer.person.name.clone());
    let (asks, number) = call(&app, move |study| study.open_asks(who.as_deref(), LISTED)).await?;
    let title = if all { "All open asks" } else { "My open asks" };
    let content = html! {
        form.row method="post" action="/find" {
            (viewer.token())
            div.field {
                label for="subject" { "Find a subject" }
                p.hint #subject-hint { "A subject that is new to the study is asked for the first time." }
                input #subject name="subject" autocomplete="off" required aria-describedby="subject-hint";
            }
            button type="submit" { "Open" }
        }
        @if asks.is_empty() {
            p { @if all { "No ask is open." } @else { "You drew no ask that is open." } }
        } @else {
            table {
                caption { (count(number, "open ask", "open asks")) @if number > asks.len() as u64 { ", the oldest " (asks.len()) " here" } }
                thead { tr { th scope="col" { "Subject" } th scope="col" { "To tell" } th scope="col" { "Since" } @if all { th scope="col" { "By" } } } }
                tbody {
                    @for ask in &asks {
                        tr {
                            th scope="row" { a href=(format!("/ask/{}", ask.number)) { (ask.subject) } }
                            td { (count(ask.missing, "value", "values")) }
                            td { time datetime=(ask.at) { (ask.at.get(..10).unwrap_or_default()) } }
                            @if all { td.who { (ask.who) } }
                        }
                    }
                }
            }
        }
        p { @if all { a href="/asks" { "Only mine" } } @else { a href="/asks?all=1" { "All open asks, also those that others drew" } } }
    };
    Ok(page(&viewer, title, &content).into_response())
}

async fn find(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let subject = form.get("subject").trim().to_owned();
    let name = subject.clone();
    if let Some(number) = call(&app, move |study| study.ask_of(&name)).await? {
        return Ok(Redirect::to(&format!("/ask/{number}")).into_response());
    }
    let content = html! {
        p { "The study has no subject " strong { (subject) } ". Check the spelling. If it is new, an ask is drawn for it: the study says what to read." }
        form method="post" action="/draw" {
            (viewer.token())
            input type="hidden" name="subject" value=(subject);
            button type="submit" { "It is new: draw an ask" }
        }
        p { a href="/asks" { "Back to the asks" } }
    };
    Ok(page(&viewer, "A new subject?", &content).into_response())
}

async fn draw(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let (subject, by) = (form.get("subject").trim().to_owned(), By::now(&viewer.person.name));
    let drawn = move |study: &mut halfseen_study::Study| {
        study.next(Subjects::Named(std::slice::from_ref(&subject)), None, &by, &Silent)
    };
    let asks = call(&app, drawn).await?;
    let number = asks.first().map_or(0, |ask| ask.number);
    Ok(Redirect::to(&format!("/ask/{number}")).into_response())
}
