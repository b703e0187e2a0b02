//! Runs long work off the interpreter's lock, while the calling thread answers Ctrl-C and shows progress.
//!
//! Signals reach Python in its main thread only, so that is the one that waits: the work has a thread of its own, in a pool of
//! its own (a global pool would deadlock a forked interpreter), and never takes the lock.

use crate::errors::{defect, guarded, raised};
use halfseen::Monitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long Ctrl-C may wait for an answer, and progress for the next line.
const LOOK: Duration = Duration::from_millis(50);

/// What work and interpreter tell each other.
#[derive(Default)]
struct Watch {
    done: AtomicU64,
    total: AtomicU64,
    stop: AtomicBool,
}

impl Monitor for Watch {
    fn progress(&self, done: u64, total: u64) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Runs `work` on so many threads (0: one per processor). `progress(done, total)` is called now and then.
///
/// An exception that a signal or `progress` raises ends the work early and is raised.
pub(crate) fn watched<T: Send>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Monitor) -> halfseen::Result<T> + Send,
) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| PyRuntimeError::new_err(format!("no threads could be started: {e}")))?;
    let watch = Watch::default();
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let (receiver, watch, pool) = (Mutex::new(receiver), &watch, &pool);
        scope.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(watch))));
            // Nobody is left to tell only if the caller has panicked.
            let _ = sender.send(result);
        });
        let mut raise = None;
        loop {
            let told = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
            match told {
                Ok(result) => {
                    return match (raise, result) {
                        (Some(exception), _) => Err(exception),
                        (None, Ok(result)) => result.map_err(raised),
                        (None, Err(panic)) => Err(defect(&*panic)),
                    };
                }
                Err(RecvTimeoutError::Timeout) if raise.is_none() => {
                    raise = look(py, watch, progress).err();
                    watch.stop.store(raise.is_some(), Ordering::Relaxed);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(defect(&"the work ended without a word")),
            }
        }
    })
}

/// Runs short work off the lock: `alone` on this thread, which it then must not leave, else in a pool of its own, as a
/// process that is forked later would wait for the threads of a global one forever.
pub(crate) fn apart<T: Send>(
    py: Python<'_>,
    alone: bool,
    work: impl FnOnce() -> halfseen::Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        if alone {
            return guarded(work);
        }
        let pool = rayon::ThreadPoolBuilder::new().build();
        let pool = pool.map_err(|e| PyRuntimeError::new_err(format!("no threads could be started: {e}")))?;
        guarded(|| pool.install(work))
    })
}

/// Lets Python answer its signals, and tells it how far the work is.
fn look(py: Python<'_>, watch: &Watch, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    let (done, total) = (watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed));
    match progress {
        Some(progress) if total > 0 => progress.call1((done.min(total), total)).map(drop),
        _ => Ok(()),
    }
}
