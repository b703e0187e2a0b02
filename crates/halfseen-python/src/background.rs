//! Runs long work without the interpreter's lock, while the calling thread answers Ctrl-C and shows
//! progress.
//!
//! Signals reach Python in its main thread only, so that one waits. The work has its own thread, in
//! its own pool (a global pool would deadlock a forked interpreter), and never takes the lock. Only
//! predictions share one, that a forked process makes anew.

use crate::errors::{defect, guarded, raised};
use halfseen::Monitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest delay of an answer to Ctrl-C, and interval between lines of progress.
const LOOK: Duration = Duration::from_millis(50);

/// Longest time for work to stop after it was asked to.
const PATIENCE: Duration = Duration::from_millis(400);

/// Locks what a thread may be teaching; other threads of Python run while it waits. A panic of that
/// thread was already reported as a defect of the library, so a poisoned lock is accepted.
pub(crate) fn lock<T: Send>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    Python::attach(|py| shared.lock_py_attached(py)).unwrap_or_else(PoisonError::into_inner)
}

/// Locks the same without the interpreter's lock, in a thread that does not hold it.
pub(crate) fn lock_here<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// State shared by the work and the interpreter.
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

/// Runs `work` on this number of threads (0: one per processor), with calls of `progress(done,
/// total)` in between.
///
/// An exception raised by a signal or by `progress` ends the work early and is raised. Work that
/// does not stop soon enough is abandoned: it owns all its data, and ends when it next checks
/// whether to stop.
pub(crate) fn run_interruptible<T: Send + 'static>(
    py: Python<'_>,
    threads: usize,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Monitor) -> halfseen::Result<T> + Send + 'static,
) -> PyResult<T> {
    run_in(py, Arc::new(pool(threads)?), progress, work)
}

/// Pool of a process, and the process.
type Kept = (u32, Arc<rayon::ThreadPool>);

/// Pool that predictions share.
static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// Does the same for work that takes no lock, on one thread per processor of a pool that is kept for
/// the next call: a waiting thread takes up other work, which must not wait for what it holds.
pub(crate) fn run_in_kept_pool<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&dyn Monitor) -> halfseen::Result<T> + Send + 'static,
) -> PyResult<T> {
    let result = run_in(py, kept_pool()?, None, work);
    if let (Err(_), Ok(mut kept)) = (&result, KEPT.try_lock()) {
        // Work that was abandoned may still be in it.
        *kept = None;
    }
    result
}

/// Returns the pool that is kept, or another if a thread that did not survive a fork holds it.
fn kept_pool() -> PyResult<Arc<rayon::ThreadPool>> {
    let Ok(mut kept) = KEPT.try_lock() else { return Ok(Arc::new(pool(0)?)) };
    let process = std::process::id();
    if let Some((of, pool)) = &*kept
        && *of == process
    {
        return Ok(Arc::clone(pool));
    }
    let new = Arc::new(pool(0)?);
    // The threads of a pool of the process before the fork are not in this one to be ended.
    std::mem::forget(kept.replace((process, Arc::clone(&new))));
    Ok(new)
}

fn run_in<T: Send + 'static>(
    py: Python<'_>,
    pool: Arc<rayon::ThreadPool>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Monitor) -> halfseen::Result<T> + Send + 'static,
) -> PyResult<T> {
    let (watch, (sender, receiver)) = (Arc::new(Watch::default()), channel());
    let seen = Arc::clone(&watch);
    let spawned = std::thread::Builder::new().spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(&*seen))));
        // The caller may have given up.
        let _ = sender.send(result);
    });
    spawned.map_err(|e| unstarted(&e))?;
    wait(py, receiver, &watch, progress, Some(PATIENCE))
}

/// Does the same for work on borrowed data, which is always waited for.
pub(crate) fn run_scoped<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&dyn Monitor) -> halfseen::Result<T> + Send,
) -> PyResult<T> {
    let (pool, watch, (sender, receiver)) = (pool(1)?, Watch::default(), channel());
    std::thread::scope(|scope| {
        let (watch, pool) = (&watch, &pool);
        scope.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(|| pool.install(|| work(watch))));
            // Fails only if the caller has panicked.
            let _ = sender.send(result);
        });
        wait(py, receiver, watch, progress, None)
    })
}

/// Waits for a result and serves the interpreter meanwhile. Once an exception is to be raised,
/// waits at most `patience`.
fn wait<T: Send>(
    py: Python<'_>,
    receiver: Receiver<std::thread::Result<halfseen::Result<T>>>,
    watch: &Watch,
    progress: Option<&Bound<'_, PyAny>>,
    patience: Option<Duration>,
) -> PyResult<T> {
    let receiver = Mutex::new(receiver);
    let mut raise: Option<(PyErr, Instant)> = None;
    loop {
        let told = py
            .detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        match (told, raise.take()) {
            (Ok(_), Some((exception, _))) => return Err(exception),
            (Ok(Ok(result)), None) => return result.map_err(raised),
            (Ok(Err(panic)), None) => return Err(defect(&*panic)),
            (Err(RecvTimeoutError::Disconnected), _) => {
                return Err(defect(&"the work ended without a word"));
            }
            (Err(RecvTimeoutError::Timeout), Some((exception, since))) => {
                if patience.is_some_and(|patience| since.elapsed() > patience) {
                    return Err(exception);
                }
                raise = Some((exception, since));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                raise =
                    look(py, watch, progress).err().map(|exception| (exception, Instant::now()));
                watch.stop.store(raise.is_some(), Ordering::Relaxed);
            }
        }
    }
}

/// Starts so many threads, 0 for one per processor, or as many as limited address space allows.
fn pool(threads: usize) -> PyResult<rayon::ThreadPool> {
    let threads = halfseen::memory::threads(threads);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|e| unstarted(&e))
}

fn unstarted(error: &dyn Display) -> PyErr {
    PyRuntimeError::new_err(format!("no threads could be started: {error}"))
}

/// Runs short work without the interpreter's lock: on this thread if `alone` (then it must stay
/// there), else in its own pool, because a process forked later would wait forever for the threads
/// of a global one.
pub(crate) fn run_short<T: Send>(
    py: Python<'_>,
    alone: bool,
    work: impl FnOnce() -> halfseen::Result<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        if alone {
            return guarded(work);
        }
        let pool = pool(0)?;
        guarded(|| pool.install(work))
    })
}

/// Lets Python handle its signals, and reports progress to it.
fn look(py: Python<'_>, watch: &Watch, progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    let (done, total) = (watch.done.load(Ordering::Relaxed), watch.total.load(Ordering::Relaxed));
    match progress {
        Some(progress) if total > 0 => progress.call1((done.min(total), total)).map(drop),
        _ => Ok(()),
    }
}
