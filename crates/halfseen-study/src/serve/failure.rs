//! Turns errors into answers: JSON for programs, pages for people.

use super::pages;
use crate::error::{Error, RefusedLine};
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// Reason for which a request was not done.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) status: StatusCode,
    pub(super) message: String,
    pub(super) refused: Vec<RefusedLine>,
}

/// Answer of the API to a request that was not done. Nothing of it was stored, unless the message
/// says that it may be.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Problem {
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
