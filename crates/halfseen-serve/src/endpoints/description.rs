//! Describes the interface for programs, as OpenAPI.

use crate::app::Shared;
use axum::Router;
use axum::http::header;
use axum::routing::get;

/// Description of the interface for programs, as JSON (OpenAPI 3.1).
pub const OPENAPI: &str = include_str!("../../openapi.json");

/// Returns what is open to everybody.
pub(crate) fn open() -> Router<Shared> {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    Router::new().route("/api/v1/openapi.json", get(async move || (kind, OPENAPI)))
}
