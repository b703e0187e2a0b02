//! Describes the interface for programs, as OpenAPI.

use super::app::Shared;
use super::{api, correcting, schema};
use axum::routing::get;
use axum::{Json, Router};
use utoipa::OpenApi;

/// Returns what is open to everybody.
pub(super) fn open() -> Router<Shared> {
    Router::new().route("/api/v1/openapi.json", get(async || Json(openapi())))
}

/// Returns the description of the interface.
pub fn openapi() -> serde_json::Value {
    serde_json::to_value(Description::openapi()).unwrap_or_default()
}

#[derive(OpenApi)]
#[openapi(
    info(
        title = "halfseen study",
        description = "Collect data with a learner: asks, answers and the model. Every request needs a token of its person in the header Authorization.",
        version = "1",
        license(name = "MIT OR Apache-2.0")
    ),
    paths(api::study, schema::schema, api::status, api::curve, api::next, api::tell, correcting::release, api::pending, correcting::amend, correcting::withdraw, schema::add, schema::retire, api::model, api::export, api::check),
    modifiers(&Bearer),
    security(("token" = []))
)]
struct Description;

struct Bearer;

impl utoipa::Modify for Bearer {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
        let scheme = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        openapi.components.get_or_insert_default().add_security_scheme("token", scheme);
    }
}
