//! Shows a progress bar on a terminal and now and then a line elsewhere, and passes on that the user
//! asked to stop.

use crate::terminal::{colour, interrupt};
use halfseen::Monitor;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Seconds until the first line where there is no terminal; each next one comes after twice the time.
const FIRST_LINE: u64 = 30;

/// Monitor of a command.
pub(crate) struct Progress {
    bar: ProgressBar,
    what: &'static str,
    since: Instant,
    /// Seconds until the next line.
    next: AtomicU64,
}

impl Progress {
    /// Returns a bar on stderr if that is a terminal, lines otherwise, and neither if the caller is
    /// quiet.
    pub(crate) fn new(what: &'static str, quiet: bool) -> Progress {
        let terminal = std::io::stderr().is_terminal();
        let shown = !quiet && terminal;
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(1), target).with_message(what);
        if let Ok(style) =
            ProgressStyle::with_template("{msg} [{bar:40}] {percent}% {elapsed} (left: {eta})")
        {
            bar.set_style(style.progress_chars("=> "));
        }
        let next = AtomicU64::new(if quiet || terminal { u64::MAX } else { FIRST_LINE });
        Progress { bar, what, since: Instant::now(), next }
    }
}

/// Describes progress in a line of a log: `comparing: 20 % done after 30 s, about 2 min left`.
fn line(what: &str, (done, total): (u64, u64), seconds: u64) -> String {
    let share = done as f64 / total.max(1) as f64;
    let time = |seconds: u64| match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", (seconds + 30) / 60),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    };
    let left = match share {
        0.0 => String::new(),
        _ => format!(", about {} left", time((seconds as f64 * (1.0 / share - 1.0)) as u64)),
    };
    format!("{what}: {:.0} % done after {}{left}", 100.0 * share, time(seconds))
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
        let (next, passed) = (self.next.load(Ordering::Relaxed), self.since.elapsed().as_secs());
        let order = Ordering::Relaxed;
        if passed >= next && self.next.compare_exchange(next, 2 * next, order, order).is_ok() {
            colour::tell(&line(self.what, (done, total), passed));
        }
    }

    fn working_on(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    fn should_stop(&self) -> bool {
        interrupt::asked()
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn lines_tell_how_long_it_takes() {
        assert_eq!(line("fitting", (0, 7), 30), "fitting: 0 % done after 30 s");
        let text = "comparing: 20 % done after 30 s, about 2 min left";
        assert_eq!(line("comparing", (1, 5), 30), text);
        let text = "comparing: 50 % done after 2.5 h, about 2.5 h left";
        assert_eq!(line("comparing", (1, 2), 9_000), text);
    }
}
