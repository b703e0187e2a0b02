//! The page on which an admin admits and dismisses people.

use super::app::{Route, Shared, call};
use super::body::Form;
use super::failure::Failure;
use super::pages::page;
use super::viewer::Viewer;
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use halfseen_study::{By, Right, Role};
use maud::html;

pub(super) fn routes() -> Vec<Route> {
    vec![
        ("/people", Right::Manage, get(people).post(admit)),
        ("/people/dismiss", Right::Manage, post(dismiss)),
    ]
}

/// Returns what a role may do, in words.
fn meaning(role: Role) -> &'static str {
    match role {
        Role::Reader => "sees the status, takes models and exports",
        Role::Collector => "draws asks and tells answers",
        Role::Steward => "also amends, withdraws, takes models and exports",
        Role::Admin => "also admits people",
    }
}

async fn people(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, Failure> {
    let people = call(&app, |study| study.people()).await?;
    let content = html! {
        table {
            caption { "Who may use this server" }
            thead { tr { th scope="col" { "Name" } th scope="col" { "Role" } th scope="col" { "Since" } th scope="col" { span.hidden { "Dismiss" } } } }
            tbody {
                @for person in &people {
                    tr {
                        th scope="row" { (person.name) }
                        td { (person.role.name()) }
                        td { (person.since.get(..10).unwrap_or_default()) }
                        td {
                            form method="post" action="/people/dismiss" {
                                (viewer.token())
                                input type="hidden" name="name" value=(person.name);
                                button.danger type="submit" { "Dismiss" span.hidden { " " (person.name) } }
                            }
                        }
                    }
                }
            }
        }
        h2 { "Admit somebody" }
        form method="post" action="/people" {
            (viewer.token())
            div.field { label for="name" { "Name, as the audit will have it" } input #name name="name" required autocomplete="off"; }
            fieldset {
                legend { "Role" }
                @for role in Role::ALL {
                    div.check {
                        input id=(role.name()) type="radio" name="role" value=(role.name()) checked[role == Role::Collector];
                        label for=(role.name()) { (role.name()) ": " (meaning(role)) }
                    }
                }
            }
            p.hint { "A name that is there already gets a new token and role; the old token ends." }
            button type="submit" { "Admit" }
        }
    };
    Ok(page(&viewer, "People", &content).into_response())
}

async fn admit(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let role: Role = form.get("role").parse().map_err(Failure::from)?;
    let (name, by) = (form.get("name").trim().to_owned(), By::now(&viewer.person.name));
    let whom = name.clone();
    let token = call(&app, move |study| study.admit(&whom, role, &by)).await?;
    let content = html! {
        p { "Give this token to " strong { (name) } " by a safe way. It is shown only now, and stored nowhere." }
        p { code.token { (token) } }
        p { a href="/people" { "Back to the people" } }
    };
    Ok(page(&viewer, &format!("Token of a {}", role.name()), &content).into_response())
}

async fn dismiss(
    State(app): State<Shared>,
    Extension(viewer): Extension<Viewer>,
    Extension(form): Extension<Form>,
) -> Result<Response, Failure> {
    let (name, by) = (form.get("name").to_owned(), By::now(&viewer.person.name));
    if name == viewer.person.name {
        return Err(Failure::bad("you cannot dismiss yourself; another admin can"));
    }
    call(&app, move |study| study.dismiss(&name, &by)).await?;
    Ok(Redirect::to("/people").into_response())
}
