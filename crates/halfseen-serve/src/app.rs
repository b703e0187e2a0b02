//! Holds what all requests share, and calls the study for them.

use super::attempts::Attempts;
use super::failure::Failure;
use axum::routing::MethodRouter;
use halfseen_study::{Result, Right, Setup, Study};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// Address and surroundings of a server.
#[derive(Debug, Clone)]
pub struct ServeOptions {
    /// Address and port; port 0 is a free one.
    pub listen: SocketAddr,
    /// True if a proxy is in front that ends TLS and names clients in `X-Forwarded-For`.
    pub behind_proxy: bool,
}

/// Study and settings that all requests share.
pub(super) struct App {
    /// For calls that are short.
    study: Mutex<Study>,
    /// For fits and exports, so that answers need not wait for them.
    slow: Mutex<Study>,
    setup: Mutex<(i64, Arc<Setup>)>,
    pub(super) attempts: Attempts,
    pub(super) options: ServeOptions,
}

pub(super) type Shared = Arc<App>;

/// A route: path, what a person must be allowed for it, and its handlers.
pub(super) type Route = (&'static str, Right, MethodRouter<Shared>);

impl App {
    pub(super) fn open(path: &Path, options: &ServeOptions) -> Result<App> {
        let study = Study::open(path)?;
        Ok(App {
            setup: Mutex::new(study.shared_setup()),
            study: Mutex::new(study),
            slow: Mutex::new(Study::open(path)?),
            attempts: Attempts::default(),
            options: options.clone(),
        })
    }

    /// Returns the setup, as the last call found it.
    pub(super) fn setup(&self) -> Arc<Setup> {
        Arc::clone(&self.setup.lock().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// Keeps the setup that a call found, if it is a later one.
    fn keep(&self, setup: (i64, Arc<Setup>)) {
        let mut known = self.setup.lock().unwrap_or_else(PoisonError::into_inner);
        if setup.0 > known.0 {
            *known = setup;
        }
    }
}

/// Does something with the study, on a thread that may wait.
pub(super) async fn call<T: Send + 'static>(
    app: &Shared,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    on(app, |app| &app.study, act).await
}

/// Does something that takes long.
pub(super) async fn call_slow<T: Send + 'static>(
    app: &Shared,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    on(app, |app| &app.slow, act).await
}

/// Does work that needs no study.
pub(super) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    finished(tokio::task::spawn_blocking(work)).await
}

async fn finished<T>(task: JoinHandle<Result<T>>) -> Result<T, Failure> {
    match task.await {
        Ok(done) => Ok(done?),
        Err(_) => Err(Failure::internal("the call failed within the server")),
    }
}

async fn on<T: Send + 'static>(
    app: &Shared,
    which: fn(&App) -> &Mutex<Study>,
    act: impl FnOnce(&mut Study) -> Result<T> + Send + 'static,
) -> Result<T, Failure> {
    let app = Arc::clone(app);
    finished(tokio::task::spawn_blocking(move || {
        // A call that panicked has rolled its transaction back, or the next one does.
        let mut study = which(&app).lock().unwrap_or_else(PoisonError::into_inner);
        let done = act(&mut study);
        app.keep(study.shared_setup());
        done
    }))
    .await
}
