//! Turns errors into one sentence on stderr and an exit code.

use crate::terminal::colour;
use halfseen::ErrorClass;
use std::process::ExitCode;

/// Exit code for wrong parameters, data or files.
pub(crate) const CALLER: u8 = 2;
/// Exit code for numerical failure, or with `--strict` for a fit that stopped early.
pub(crate) const NUMERICAL: u8 = 3;
/// Maximum length of an error's text, in bytes.
const LONGEST: usize = 980;
/// Exit code after Ctrl-C or SIGTERM.
pub(crate) const INTERRUPTED: u8 = 130;

/// Wrong use of the program that no library error describes.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Returns a [`Usage`] error.
pub(crate) fn usage_error<T>(message: impl Into<String>) -> anyhow::Result<T> {
    Err(Usage(message.into()).into())
}

/// Prints help and version to stdout with success, and mistakes to stderr.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let shows_help =
        error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || shows_help {
        return match error.print() {
            Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
                report(&anyhow::Error::from(failed).context("stdout"))
            }
            _ if shows_help => ExitCode::from(CALLER),
            _ => ExitCode::SUCCESS,
        };
    }
    say(&one_line(&error.render().to_string()));
    ExitCode::from(CALLER)
}

/// Joins the parser's paragraphs (mistake, tip, usage, reference to help) into one sentence.
fn one_line(paragraphs: &str) -> String {
    let lines = paragraphs.lines().map(str::trim).filter(|l| !l.is_empty());
    let told =
        lines.take_while(|l| !l.starts_with("Usage:") && !l.starts_with("For more information"));
    let line = told.fold(String::new(), |line, next| {
        let tip = next.strip_prefix("tip: ");
        let between = match line.as_bytes().last() {
            None => "",
            Some(b':') => " ",
            Some(_) if tip.is_some() => "; ",
            Some(_) if next.starts_with('[') => " ",
            Some(_) => ", ",
        };
        line + between + tip.unwrap_or(next)
    });
    format!("{}; --help shows examples", line.trim_start_matches("error: "))
}

/// Prints one line to stderr, at most 1 kB of it.
pub(crate) fn say(message: &str) {
    let mut line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| line.is_char_boundary(at)).unwrap_or(0);
        line.truncate(end);
        line.push('…');
    }
    colour::tell(&format!("error: {line}"));
}

/// Prints an error as one line and chooses the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    // Contexts name the file; causes say what is wrong with it.
    let line = error.chain().map(ToString::to_string).fold(String::new(), |line, cause| match line
        .as_str()
    {
        "" => cause,
        before if before.contains(&cause) => line,
        _ => format!("{line}: {cause}"),
    });
    say(&without_numbers(&line));
    ExitCode::from(code(error))
}

/// Removes error numbers such as `(os error 2)`.
fn without_numbers(line: &str) -> String {
    let Some((before, after)) = line.split_once(" (os error ") else { return line.to_owned() };
    let after = after.split_once(')').map_or("", |(_, after)| after);
    format!("{before}{}", without_numbers(after))
}

fn code(error: &anyhow::Error) -> u8 {
    let library = |cause: &(dyn std::error::Error + 'static)| -> Option<u8> {
        let study = cause.downcast_ref::<halfseen_study::Error>();
        let of_study = study.and_then(|error| match error {
            halfseen_study::Error::Library(error) => Some(error),
            _ => None,
        });
        if let Some(error) = cause.downcast_ref::<halfseen::Error>().or(of_study) {
            return Some(match error.class() {
                ErrorClass::Parameter | ErrorClass::Data => CALLER,
                ErrorClass::Numerical => NUMERICAL,
                ErrorClass::Interrupted => INTERRUPTED,
            });
        }
        let file = study.is_some()
            || cause.is::<halfseen_io::Error>()
            || cause.is::<Usage>()
            || cause.is::<std::io::Error>();
        file.then_some(CALLER)
    };
    error.chain().find_map(library).unwrap_or(1)
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(broken))
}
