//! Takes from programs what changes an ask or a subject: releases, corrections, withdrawals.

use super::api::{Done, Refusal, change};
use crate::app::{Route, Shared};
use axum::extract::{Request, State};
use axum::routing::post;
use axum::{Extension, Json};
use halfseen_study::{Person, Right};
use serde::Deserialize;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        ("/api/v1/release", Right::Collect, post(release)),
        ("/api/v1/amend", Right::Correct, post(amend)),
        ("/api/v1/withdraw", Right::Correct, post(withdraw)),
    ]
}

/// A subject, and why.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseBody {
    subject: String,
    /// Reason, for the audit.
    reason: String,
}

/// Give up the open ask of a subject.
async fn release(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Result<Json<Done>, Refusal> {
    change(&app, &person, request, |study, body: ReleaseBody, by| {
        study.release(&body.subject, &body.reason, by)
    })
    .await
    .map(Done::from)
}

/// A value to correct.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AmendBody {
    subject: String,
    /// Attribute, or the target.
    attribute: String,
    /// The right value, as a text.
    value: String,
    /// Reason, for the audit.
    reason: String,
}

/// Correct a value that is stored.
async fn amend(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Result<Json<Done>, Refusal> {
    change(&app, &person, request, |study, body: AmendBody, by| {
        study.amend(&body.subject, &body.attribute, &body.value, &body.reason, by)
    })
    .await
    .map(Done::from)
}

/// A subject to withdraw.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WithdrawBody {
    subject: String,
    /// Reason, for the audit.
    reason: String,
    /// Also erase its values.
    #[serde(default)]
    erase: bool,
}

/// Take a subject out of the model.
async fn withdraw(
    State(app): State<Shared>,
    Extension(person): Extension<Person>,
    request: Request,
) -> Result<Json<Done>, Refusal> {
    change(&app, &person, request, |study, body: WithdrawBody, by| {
        study.withdraw(&body.subject, body.erase, &body.reason, by)
    })
    .await
    .map(Done::from)
}
