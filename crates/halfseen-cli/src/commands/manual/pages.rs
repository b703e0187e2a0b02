//! Writes the pages of the commands, the reference of the program, from what clap knows of its flags.

use super::below;
use crate::args::Arguments;
use clap::{Arg, Command, CommandFactory};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

const HEAD: &str = "# Commands of the program

These pages are made from the program's own help, which `halfseen COMMAND --help` prints.
[Use the program](../program.md) explains it by examples.
";

/// Returns the text of each page by its name: one of the program, and one for each command.
fn pages() -> BTreeMap<String, String> {
    let mut program = Arguments::command();
    program.build();
    let mut pages = BTreeMap::from([("README.md".to_owned(), front(&program))]);
    for command in below(&program) {
        let mut page = format!("# `{}`\n", called(command));
        write_command(&mut page, command);
        pages.insert(format!("{}.md", command.get_name()), page);
    }
    pages
}

fn front(program: &Command) -> String {
    let mut page = HEAD.to_owned();
    let before = program.get_before_help().map(ToString::to_string);
    page += &blocks(&before.unwrap_or_default());
    page += "\n## Commands\n\n";
    for command in below(program) {
        let name = called(command);
        let _ = writeln!(page, "- [`{name}`]({}.md): {}", command.get_name(), about(command));
    }
    page += "\n## Flags of every command\n\n";
    for flag in program.get_arguments() {
        let _ = writeln!(page, "- `{flag}`: {}", meaning(flag));
    }
    let after = program.get_after_help().map(ToString::to_string);
    page + &blocks(&after.unwrap_or_default())
}

/// Writes what a command does, its examples and flags, and then the commands below it.
fn write_command(page: &mut String, command: &Command) {
    let _ = writeln!(page, "\n{}.", about(command));
    let before = command.get_before_help().map(ToString::to_string);
    *page += &blocks(&before.unwrap_or_default());
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(page, "\nUsage:\n\n```text\n{}\n```", usage.trim_start_matches("Usage: "));
    let own = |flag: &&Arg| !flag.is_global_set() && !flag.is_hide_set() && flag.get_id() != "help";
    let (values, flags): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(own).partition(|flag| flag.is_positional());
    for (title, list) in [("Arguments", values), ("Flags", flags)] {
        if list.is_empty() {
            continue;
        }
        let _ = writeln!(page, "\n{title}:\n");
        for flag in list {
            let _ = writeln!(page, "- `{flag}`: {}", meaning(flag));
        }
    }
    for command in below(command) {
        let _ = writeln!(page, "\n## `{}`", called(command).trim_start_matches("halfseen "));
        write_command(page, command);
    }
}

fn called(command: &Command) -> &str {
    command.get_bin_name().unwrap_or(command.get_name())
}

fn about(command: &Command) -> String {
    marked(&command.get_about().map(ToString::to_string).unwrap_or_default())
}

/// Returns what a flag does, with its default and the values that it takes.
fn meaning(flag: &Arg) -> String {
    let mut text = marked(&flag.get_help().map(ToString::to_string).unwrap_or_default());
    if !text.ends_with(['.', ']']) {
        text += ".";
    }
    if flag.get_action().takes_values() {
        let names = |values: Vec<&str>| format!("`{}`", values.join("`, `"));
        let values = flag.get_possible_values();
        if !values.is_empty() {
            let _ =
                write!(text, " One of {}.", names(values.iter().map(|v| v.get_name()).collect()));
        }
        let defaults = flag.get_default_values();
        if !defaults.is_empty() && !flag.is_hide_default_value_set() {
            let words = defaults.iter().filter_map(|value| value.to_str()).collect();
            let _ = write!(text, " Default: {}.", names(words));
        }
        if let Some(variable) = flag.get_env().and_then(|name| name.to_str()) {
            let _ = write!(text, " The variable `{variable}` of the environment sets it too.");
        }
    }
    text
}

/// Returns a text of the help in Markdown: what is indented there is code.
fn blocks(text: &str) -> String {
    let mut page = String::new();
    let mut in_code = false;
    for line in text.lines() {
        let code = line.starts_with("  ");
        if code != in_code {
            page += if code { "\n```text\n" } else { "```\n\n" };
        } else if page.is_empty() {
            page += "\n";
        }
        page += &if code { line[2..].to_owned() } else { marked(line) };
        page += "\n";
        in_code = code;
    }
    if in_code {
        page += "```\n";
    }
    page.replace("\n\n\n", "\n\n")
}

/// Returns a sentence in Markdown: flags are code, and nothing is taken for emphasis.
fn marked(text: &str) -> String {
    let mut marked = String::new();
    for (at, piece) in text.split('`').enumerate() {
        if at % 2 == 1 {
            let _ = write!(marked, "`{piece}`");
            continue;
        }
        let mut rest = piece;
        while let Some(from) = rest.find("--") {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let length = rest[from..].find(|c| !word(c)).unwrap_or(rest.len() - from);
            let _ = write!(marked, "{}`{}`", escaped(&rest[..from]), &rest[from..from + length]);
            rest = &rest[from + length..];
        }
        marked += &escaped(rest);
    }
    marked
}

fn escaped(text: &str) -> String {
    text.replace('*', "\\*").replace('_', "\\_")
}

/// Tests that each flag of each command is on its page; the site's build takes the pages from here.
#[test]
fn the_pages_have_every_command_and_flag() {
    let pages = pages();
    if let Some(folder) = std::env::var_os("HALFSEEN_PAGES").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).expect("the folder of the pages can be made");
        for (name, text) in &pages {
            std::fs::write(folder.join(name), text).expect("pages can be written");
        }
    }
    let mut program = Arguments::command();
    program.build();
    for command in below(&program) {
        let name = command.get_name();
        assert!(pages["README.md"].contains(&format!("- [`halfseen {name}`]({name}.md): ")));
        let page = &pages[&format!("{name}.md")];
        assert!(page.starts_with(&format!("# `halfseen {name}`\n")), "{page}");
        for one in [vec![command], below(command).collect()].concat() {
            let own = |flag: &&Arg| !flag.is_global_set() && !flag.is_hide_set();
            for flag in one.get_arguments().filter(own).filter(|flag| flag.get_id() != "help") {
                let entry = format!("\n- `{flag}`: ");
                assert!(page.contains(&entry), "{name}: {flag}");
            }
        }
    }
    assert!(pages["study.md"].contains("\n## `study new`\n"));
    assert!(pages["study.md"].contains("\nUsage:\n\n```text\nhalfseen study new "));
}

#[test]
fn marks_flags_as_code_and_nothing_as_emphasis() {
    let text = "With --tune: |w|_1 of `--set a=b`, 5 * 3 (--no-clip)";
    assert_eq!(marked(text), "With `--tune`: |w|\\_1 of `--set a=b`, 5 \\* 3 (`--no-clip`)");
}

#[test]
fn indented_lines_are_code() {
    let text = "Examples:\n  halfseen show\n    of\n\nThe rest, --all:\n  a,b\nof it";
    let page = "\nExamples:\n\n```text\nhalfseen show\n  of\n```\n\nThe rest, `--all`:\n\n```text\na,b\n```\n\nof it\n";
    assert_eq!(blocks(text), page);
}
