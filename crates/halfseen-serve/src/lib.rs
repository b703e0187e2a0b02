//! Serves a study over HTTP: pages with forms for collectors, and JSON for programs.
//!
//! The server speaks plain HTTP to one address, that of this machine unless another is asked for;
//! over a network, a proxy in front of it ends TLS. It needs no JavaScript.

mod account;
mod app;
mod attempts;
mod body;
mod connection;
mod endpoints;
mod failure;
mod fields;
mod pages;
mod people;
mod status;
mod subject;
#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests
mod tests;
mod viewer;

use app::{App, Shared};
use axum::Router;
use axum::extract::Request;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use failure::Failure;
use halfseen::Monitor;
use halfseen_study::{Error, Result};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;

pub use app::ServeOptions;
pub use endpoints::description::OPENAPI;

/// Headers of every answer: nothing is run, framed, loaded from elsewhere or kept.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    // Not `no-referrer`: a form would then name no origin.
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

fn router(app: &Shared) -> Router {
    let mut router = Router::new();
    for (path, right, methods) in account::home::routes()
        .into_iter()
        .chain(subject::routes())
        .chain(status::routes())
        .chain(people::routes())
    {
        router = router.route(path, account::access::page(app, right, methods));
    }
    for (path, right, methods) in api_routes() {
        router = router.route(path, account::access::api(app, right, methods));
    }
    with_open(router).with_state(Arc::clone(app))
}

/// Returns the routes of programs.
fn api_routes() -> Vec<app::Route> {
    endpoints::api::routes()
        .into_iter()
        .chain(endpoints::correcting::routes())
        .chain(endpoints::schema::routes())
        .collect()
}

/// Adds what is open to everybody, and the headers of every answer.
fn with_open(router: Router<Shared>) -> Router<Shared> {
    router
        .merge(account::sign_in::open())
        .merge(endpoints::description::open())
        .fallback(no_such_page)
        .layer(from_fn(failure::in_words))
        .layer(from_fn(with_headers))
}

async fn no_such_page(uri: Uri) -> Response {
    let failure = |text: &str| Failure::new(StatusCode::NOT_FOUND, text);
    match uri.path().starts_with("/api/") {
        true => failure("there is no such call; /api/v1/openapi.json lists them").into_json(),
        false => failure("there is no such page").as_page(),
    }
}

async fn with_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Serves a study until the monitor says stop; `ready` learns the address once it is listened to.
///
/// # Errors
/// As [`Study::open`](halfseen_study::Study::open); an address that cannot be listened to.
pub fn serve(
    path: &Path,
    options: &ServeOptions,
    ready: impl FnOnce(SocketAddr),
    stop: &dyn Monitor,
) -> Result<()> {
    let app = Arc::new(App::open(path, options)?);
    let at = options.listen;
    let cannot = |e: std::io::Error| Error::Setup {
        problem: format!("cannot listen on {at}: {e}; give another address by --listen"),
    };
    let listener = TcpListener::bind(at).map_err(cannot)?;
    listener.set_nonblocking(true).map_err(cannot)?;
    let bound = listener.local_addr().map_err(cannot)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(cannot)?;
    let router = router(&app);
    ready(bound);
    let done = runtime.block_on(connection::run(listener, router, stop));
    // Calls that have begun are finished: what they store is stored whole.
    drop(runtime);
    drop(app);
    done.map_err(cannot)
}
