//! Turns errors into answers: JSON for programs, pages for people.

use super::pages;
use axum::Json;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use halfseen_study::{Error, RefusedLine};
use serde::Serialize;

/// Most bytes of an answer that is put in other words.
const LONGEST: usize = 10_000;

/// Reason for which a request was not done.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) refused: Vec<RefusedLine>,
}

/// Answer of the API to a request that was not done. Nothing of it was stored, unless the message
/// says that it may be.
#[derive(Debug, Serialize)]
struct Problem {
    /// Problem, and what helps.
    error: String,
    /// Rows of answers that were refused.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refused: Vec<RefusedLine>,
}

impl Failure {
    pub(super) fn new(status: StatusCode, message: impl Into<String>) -> Failure {
        Failure { status, message: message.into(), refused: Vec::new() }
    }

    pub(super) fn bad(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::BAD_REQUEST, message)
    }

    pub(super) fn internal(message: impl Into<String>) -> Failure {
        Failure::new(StatusCode::INTERNAL_SERVER_ERROR, message)
    }

    pub(super) fn into_json(self) -> Response {
        let problem = Problem { error: self.message, refused: self.refused };
        (self.status, Json(problem)).into_response()
    }

    pub(super) fn as_page(&self) -> Response {
        let title = match self.status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => "Not allowed",
            status if status.is_server_error() => "Something failed",
            _ => "Not done",
        };
        (self.status, pages::message(title, &self.message)).into_response()
    }
}

/// Says in words, to programs as JSON, what is refused before any handler sees it: a wrong method, or
/// an address that cannot be read.
pub(super) async fn in_words(request: Request, next: Next) -> Response {
    let is_program = request.uri().path().starts_with("/api/");
    let method = request.method().clone();
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    let has_words = kind.is_some_and(|kind| !kind.as_bytes().starts_with(b"text/plain"));
    let status = response.status();
    if !status.is_client_error() || has_words {
        return response;
    }
    let message = if status == StatusCode::METHOD_NOT_ALLOWED {
        format!("this address takes no {method} requests")
    } else {
        let text = axum::body::to_bytes(response.into_body(), LONGEST).await.unwrap_or_default();
        format!("the address cannot be read: {}", String::from_utf8_lossy(&text))
    };
    let failure = Failure::new(status, message);
    if is_program { failure.into_json() } else { failure.as_page() }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        self.as_page()
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Unknown { .. } => StatusCode::NOT_FOUND,
            Error::Refused { .. }
            | Error::Line { .. }
            | Error::Setup { .. }
            | Error::Library(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Error::Subject { .. } | Error::Spent { .. } => StatusCode::CONFLICT,
            Error::Busy | Error::Unavailable { .. } | Error::Uncertain => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let message = error.to_string();
        let refused = if let Error::Refused { refused, .. } = error { refused } else { Vec::new() };
        Failure { status, message, refused }
    }
}
