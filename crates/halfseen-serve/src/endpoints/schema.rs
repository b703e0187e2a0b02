//! Answers programs about the schema: what it is, attributes that come later, and those that are
//! asked no more.

use super::api::{Done, Refusal, as_csv, change, present};
use crate::app::{Route, Shared};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Json};
use halfseen_study::{Person, Right};
use serde::{Deserialize, Serialize};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        ("/api/v1/schema", Right::Look, get(schema)),
        ("/api/v1/schema/add", Right::Correct, post(add)),
        ("/api/v1/schema/retire", Right::Correct, post(retire)),
    ]
}

/// The schema as a CSV file.
async fn schema(State(app): State<Shared>) -> Result<Response, Refusal> {
    Ok(as_csv(present(&app).await?.schema.to_csv()?.into_bytes()))
}

/// Attributes to add.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AddBody {
    /// A schema as CSV; rows as the study has them already change nothing.
    schema: String,
    /// Reason, for the audit.
    reason: String,
}

/// Attributes that were added.
#[derive(Debug, Serialize)]
struct Added {
    added: Vec<String>,
}

/// Add attributes, which later asks may name.
async fn add(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Result<Json<Added>, Refusal> {
    change(&app, &person, request, |study, body: AddBody, by| {
        study.add(&body.schema, &body.reason, by)
    })
    .await
    .map(|added| Json(Added { added }))
}

/// An attribute to retire.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RetireBody {
    attribute: String,
    /// Reason, for the audit.
    reason: String,
}

/// Ask an attribute no more; its values stay.
async fn retire(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Result<Json<Done>, Refusal> {
    change(&app, &person, request, |study, body: RetireBody, by| {
        study.retire(&body.attribute, &body.reason, by)
    })
    .await
    .map(Done::from)
}
