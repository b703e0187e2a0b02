//! Serves a study over HTTP: pages with forms for collectors, and JSON for programs.
//!
//! The server speaks plain HTTP to one address, that of this machine unless another is asked for;
//! over a network, a proxy in front of it ends TLS. It needs no JavaScript.

mod access;
mod api;
mod body;
mod connection;
mod failure;
mod fields;
mod home;
mod pages;
mod people;
mod sign_in;
mod status;
mod subject;
#[cfg(test)]
#[allow(clippy::unwrap_used)] // tests
mod tests;

use crate::error::{Error, Result};
use crate::study::Study;
use axum::Router;
use axum::routing::MethodRouter;
use failure::Failure;
use halfseen::Monitor;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub use api::openapi;

/// Address and surroundings of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address and port; port 0 is a free one.
    pub listen: SocketAddr,
    /// True if a proxy is in front that ends TLS and names clients in `X-Forwarded-For`.
    pub behind_proxy: bool,
}

/// What all requests share.
struct App {
    /// For calls that are short.
    study: Mutex<Study>,
    /// For fits and exports, so that answers need not wait for them.
    slow: Mutex<Study>,
    attempts: access::Attempts,
    options: Options,
}

type Shared = Arc<App>;

/// A route: path, what a person must be allowed for it, and its handlers.
type Route = (&'static str, crate::people::Right, MethodRouter<Shared>);

impl App {
    fn open(path: &Path, options: &Options) -> Result<App> {
        Ok(App {
            study: Mutex::new(Study::open(path)?),
            slow: Mutex::new(Study::open(path)?),
            attempts: access::Attempts::default(),
            options: options.clone(),
        })
    }
}

/// Does something with the study, on a thread that may wait.
async fn call<T: Send + 'static>(
    app: &Shared,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    on(app, |app| &app.study, act).await
}

/// Does something that takes long.
async fn call_slow<T: Send + 'static>(
    app: &Shared,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    on(app, |app| &app.slow, act).await
}

async fn on<T: Send + 'static>(
    app: &Shared,
    which: fn(&App) -> &Mutex<Study>,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let app = Arc::clone(app);
    let done = tokio::task::spawn_blocking(move || {
        // A call that panicked has rolled its transaction back, or the next one does.
        act(&mut which(&app).lock().unwrap_or_else(PoisonError::into_inner))
    });
    match done.await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Failure::internal("the call failed within the server")),
    }
}

fn router(app: &Shared) -> Router {
    let mut router = Router::new();
    for (path, right, methods) in home::routes()
        .into_iter()
        .chain(subject::routes())
        .chain(status::routes())
        .chain(people::routes())
    {
        router = router.route(path, access::page(app, right, methods));
    }
    for (path, right, methods) in api::routes() {
        router = router.route(path, access::api(app, right, methods));
    }
    access::open(router).with_state(Arc::clone(app))
}

/// Serves a study until the monitor says stop; `ready` learns the address once it is listened to.
///
/// # Errors
/// As [`Study::open`]; an address that cannot be listened to.
pub fn serve(
    path: &Path,
    options: &Options,
    ready: impl FnOnce(SocketAddr),
    stop: &dyn Monitor,
) -> Result<()> {
    let app = Arc::new(App::open(path, options)?);
    let at = options.listen;
    let cannot = |e: std::io::Error| {
        Error::setup(format!("cannot listen on {at}: {e}; give another address by --listen"))
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
