//! Shows a progress bar on a terminal, and stops in order after Ctrl-C.

use halfseen::Monitor;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Monitor of a command.
pub(crate) struct Progress {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Returns a bar on stderr if that is a terminal and the caller is not quiet.
    pub(crate) fn new(what: &'static str, quiet: bool) -> Progress {
        let shown = !quiet && std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target).with_message(what);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {elapsed} (left: {eta})")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        // Without a handler Ctrl-C still ends the program, but less orderly.
        let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
        Progress { bar, stop }
    }

    /// Returns true if Ctrl-C was pressed.
    pub(crate) fn interrupted(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

impl Monitor for Progress {
    fn progress(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn working_on(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    fn should_stop(&self) -> bool {
        self.interrupted()
    }
}
