//! Shows a progress bar on a terminal, and passes on that the user asked to stop.

use crate::interrupt;
use halfseen::Monitor;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// Monitor of a command.
pub(crate) struct Progress(ProgressBar);

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
        Progress(bar)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Monitor for Progress {
    fn progress(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

    fn working_on(&self, what: &str) {
        self.0.set_message(what.to_owned());
    }

    fn should_stop(&self) -> bool {
        interrupt::asked()
    }
}
