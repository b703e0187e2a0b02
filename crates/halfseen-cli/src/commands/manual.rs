//! Prints what shells and manuals know of the program: completions, and the manual page.

#[cfg(test)]
mod pages;

use crate::args::{Arguments, CompletionsArgs};
use crate::terminal::output;
use anyhow::Result;
use clap::{Command, CommandFactory};
use std::process::ExitCode;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "halfseen", &mut text);
    print(&text)
}

/// Prints the page of the program, then those of its commands and of the commands below them.
pub(crate) fn man() -> Result<ExitCode> {
    let mut text = Vec::new();
    let mut program = Arguments::command();
    program.build();
    render(&program, &mut text)?;
    print(&text)
}

fn render(command: &Command, text: &mut Vec<u8>) -> Result<()> {
    clap_mangen::Man::new(command.clone()).render(text)?;
    below(command).try_for_each(|command| render(command, text))
}

/// Returns the commands below one, but `help`, which repeats them.
fn below(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|command| command.get_name() != "help")
}

fn print(text: &[u8]) -> Result<ExitCode> {
    output::print(&String::from_utf8_lossy(text))?;
    Ok(ExitCode::SUCCESS)
}
