//! Prints what shells and manuals know of the program: completions, and the manual page.

use crate::args::{Arguments, CompletionsArgs};
use crate::output;
use anyhow::Result;
use clap::CommandFactory;
use std::process::ExitCode;

pub(crate) fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "halfseen", &mut text);
    print(&text)
}

/// Prints the page of the program, then those of its commands.
pub(crate) fn man() -> Result<ExitCode> {
    let mut text = Vec::new();
    let mut program = Arguments::command();
    program.build();
    clap_mangen::Man::new(program.clone()).render(&mut text)?;
    for command in program.get_subcommands() {
        clap_mangen::Man::new(command.clone()).render(&mut text)?;
    }
    print(&text)
}

fn print(text: &[u8]) -> Result<ExitCode> {
    output::print(&String::from_utf8_lossy(text))?;
    Ok(ExitCode::SUCCESS)
}
