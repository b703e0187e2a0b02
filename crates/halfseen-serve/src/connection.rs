//! Accepts connections: not too many, none for ever, and no headers without end.

use axum::Router;
use axum::extract::ConnectInfo;
use halfseen::Monitor;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// Most connections at once; more wait.
const CONNECTIONS: usize = 256;
/// Time for the headers of a request, the next one included.
const HEADERS: Duration = Duration::from_secs(10);
/// Most bytes of headers.
const HEADER_BYTES: usize = 32 * 1024;
/// Longest life of a connection, for clients that read slowly.
const LIFE: Duration = Duration::from_secs(600);
/// Time for requests to end when the server does.
const ENDING: Duration = Duration::from_secs(1);
/// Time between two looks at the monitor.
const LOOK: Duration = Duration::from_millis(100);

pub(super) async fn run(
    listener: std::net::TcpListener,
    router: Router,
    stop: &dyn Monitor,
) -> std::io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let (places, graceful) = (Arc::new(Semaphore::new(CONNECTIONS)), GracefulShutdown::new());
    while !stop.should_stop() {
        let Ok(Ok(place)) = timeout(LOOK, Arc::clone(&places).acquire_owned()).await else {
            continue;
        };
        let (stream, peer) = match timeout(LOOK, listener.accept()).await {
            Ok(Ok(accepted)) => accepted,
            // Such as too many open files: it passes.
            Ok(Err(_)) => {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            Err(_) => continue,
        };
        let router = router.clone().layer(axum::Extension(ConnectInfo(peer)));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that is gone or slow is its own matter.
            let _ = timeout(LIFE, connection).await;
            drop(place);
        });
    }
    drop(listener);
    let _ = timeout(ENDING, graceful.shutdown()).await;
    Ok(())
}
