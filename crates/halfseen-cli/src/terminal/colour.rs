//! Colours what people read on a terminal; data, JSON and what is piped stay plain.
//!
//! `NO_COLOR` and `CLICOLOR=0` switch colours off, `CLICOLOR_FORCE=1` on where nothing is a
//! terminal.

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::builder::Styles;
use std::io::Write;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const REMARK: Style = AnsiColor::Cyan.on_default();

/// Styles of the help texts.
pub(crate) const HELP: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(ERROR)
    .valid(AnsiColor::Green.on_default())
    .invalid(AnsiColor::Yellow.on_default());

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// Marks text that stands out.
pub(crate) fn bold(text: &str) -> String {
    styled(BOLD, text)
}

/// Marks text that steps back.
pub(crate) fn faint(text: &str) -> String {
    styled(FAINT, text)
}

/// Prints text with colours to stdout if it is a terminal that takes them.
pub(crate) fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = AutoStream::auto(std::io::stdout().lock());
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
}

/// Prints a line to stderr; the word before its first colon is coloured if it says what the line
/// is: an error, a warning, a note or a remark.
pub(crate) fn tell(line: &str) {
    let style = line.split_once(':').and_then(|(word, rest)| {
        let style = match word {
            "error" => ERROR,
            "warning" => WARNING,
            "note" | "remark" => REMARK,
            _ => return None,
        };
        Some(format!("{}{rest}", styled(style, &format!("{word}:"))))
    });
    let mut stderr = std::io::stderr().lock();
    let _ = match style {
        Some(line) => writeln!(AutoStream::auto(stderr), "{line}"),
        None => writeln!(stderr, "{line}"),
    };
}
