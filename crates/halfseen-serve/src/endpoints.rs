//! Answers programs in JSON, as described in OpenAPI.

pub(crate) mod api;
pub(crate) mod correcting;
pub(crate) mod description;
pub(crate) mod schema;
