//! Reads the bodies of requests: so many bytes at most, in so much time.

use super::failure::Failure;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// Most bytes of a form.
const FORM: usize = 256 * 1024;
/// Most bytes of answers.
const ANSWERS: usize = 16 * 1024 * 1024;
/// Time for a body to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fields of a form, in its order.
#[derive(Debug, Clone, Default)]
pub(super) struct Form(pub(super) Vec<(String, String)>);

impl Form {
    /// Returns the first field of this name; empty without one.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Returns true if a box of this name is checked.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(known, _)| known == name)
    }
}

async fn bytes(body: Body, most: usize) -> Result<Bytes, Failure> {
    match tokio::time::timeout(PATIENCE, axum::body::to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(Failure::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request was cut off, or is longer than {most} bytes; send it in parts"),
        )),
        Err(_) => Err(Failure::new(
            StatusCode::REQUEST_TIMEOUT,
            format!("the request did not arrive within {} seconds", PATIENCE.as_secs()),
        )),
    }
}

/// Returns the kind of content, without its parameters.
pub(super) fn kind(headers: &HeaderMap) -> String {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.and_then(|kind| kind.split(';').next()).unwrap_or("").trim().to_ascii_lowercase()
}

/// Reads a form.
pub(super) async fn form(headers: &HeaderMap, body: Body) -> Result<Form, Failure> {
    if kind(headers) != "application/x-www-form-urlencoded" {
        return Err(Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "this is not a form"));
    }
    let bytes = bytes(body, FORM).await?;
    Ok(Form(form_urlencoded::parse(&bytes).into_owned().collect()))
}

/// Reads JSON; an empty body is `{}`.
pub(super) async fn json<T: DeserializeOwned>(
    headers: &HeaderMap,
    body: Body,
) -> Result<T, Failure> {
    let bytes = bytes(body, ANSWERS).await?;
    if !bytes.is_empty() && kind(headers) != "application/json" {
        return Err(Failure::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the body must be JSON, with the header `Content-Type: application/json`",
        ));
    }
    let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
    serde_json::from_slice(bytes)
        .map_err(|e| Failure::bad(format!("the body is not valid JSON: {e}")))
}

/// Reads a CSV file.
pub(super) async fn csv(body: Body) -> Result<Bytes, Failure> {
    bytes(body, ANSWERS).await
}
