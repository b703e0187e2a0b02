//! Ends the program on Ctrl-C (SIGINT) and SIGTERM, and leaves no unfinished file behind. SIGHUP keeps
//! its meaning, so that `nohup` works.
//!
//! The program ends at once, since it would write nothing more. Only a fit that keeps its best point,
//! and a comparison that keeps its complete splits, are asked to stop first; they end on a second
//! signal, or if they have not stopped in time.

use crate::terminal::failure::{self, INTERRUPTED};
use anyhow::{Context, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest time until a signal is seen.
const LOOK: Duration = Duration::from_millis(20);

/// State that the handler of signals and the command share.
struct State {
    /// Folders and files to remove at an early end, the innermost last.
    unfinished: Vec<PathBuf>,
    /// Time that the command may take to stop, if the first signal only asks it to.
    patience: Option<Duration>,
    /// Sentence that says what an early end leaves behind.
    message: &'static str,
    /// True once a file was written.
    wrote: bool,
}

static STATE: Mutex<State> = Mutex::new(State {
    unfinished: Vec::new(),
    patience: None,
    message: "interrupted; no file was written",
    wrote: false,
});
/// True once a signal has come that only asks to stop.
static ASKED: AtomicBool = AtomicBool::new(false);

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Handles signals from now on.
pub(crate) fn install() -> Result<()> {
    let came = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&came)).context("handling signals")?;
    }
    let watch = std::thread::Builder::new().spawn(move || watch(&came));
    watch.context("handling signals").map(drop)
}

/// Waits for signals.
fn watch(came: &AtomicBool) {
    let mut asked: Option<Instant> = None;
    loop {
        std::thread::sleep(LOOK);
        let patience = state().patience;
        let late = patience.zip(asked).is_some_and(|(most, since)| since.elapsed() > most);
        if came.swap(false, Ordering::Relaxed) {
            if patience.is_none() || asked.is_some() {
                end();
            }
            asked = Some(Instant::now());
            ASKED.store(true, Ordering::Relaxed);
        } else if late {
            // Work that has returned is writing what it found, and may take its time.
            end();
        }
    }
}

/// Removes unfinished files and ends the program. No other thread can finish one meanwhile.
fn end() {
    let state = state();
    for path in state.unfinished.iter().rev() {
        // A folder is removed only if it is empty.
        let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path));
    }
    failure::say(if state.wrote {
        "interrupted; results were written before"
    } else {
        state.message
    });
    std::process::exit(INTERRUPTED.into());
}

/// Says what an early end of this command leaves behind.
pub(crate) fn says(message: &'static str) {
    state().message = message;
}

/// Returns true if a signal has come that only asks to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Runs work that stops when it is asked to, within `patience`.
pub(crate) fn stopping<T>(patience: Duration, work: impl FnOnce() -> T) -> T {
    state().patience = Some(patience);
    let result = work();
    state().patience = None;
    result
}

/// Path that is removed if the program ends early, until this is dropped.
pub(crate) struct Unfinished(PathBuf);

impl Unfinished {
    /// Returns the mark of a path that is made later.
    pub(crate) fn of(path: PathBuf) -> Unfinished {
        state().unfinished.push(path.clone());
        Unfinished(path)
    }

    /// Makes something at a path. No signal ends the program in between.
    pub(crate) fn new<T, E>(
        make: impl FnOnce() -> std::result::Result<T, E>,
        path: impl FnOnce(&T) -> &Path,
    ) -> std::result::Result<(T, Unfinished), E> {
        let mut state = state();
        let made = make()?;
        let path = path(&made).to_owned();
        state.unfinished.push(path.clone());
        Ok((made, Unfinished(path)))
    }

    /// Does the last step, which takes the path away.
    pub(crate) fn finish<T, E>(
        self,
        last: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let mut state = state();
        let done = last();
        state.wrote |= done.is_ok();
        drop(state);
        done
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        state().unfinished.retain(|path| *path != self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_counts_as_unfinished_until_its_last_step() {
        let has = |path: &Path| state().unfinished.iter().any(|other| other == path);
        let path = PathBuf::from("a place that only this test names");
        let make = || Unfinished::new(|| Ok::<_, ()>(path.clone()), |path| path).unwrap();
        let (made, unfinished) = make();
        assert!(has(&made));
        unfinished.finish(|| Ok::<_, ()>(())).unwrap();
        assert!(!has(&path) && state().wrote);
        drop(make());
        assert!(!has(&path));
    }
}
