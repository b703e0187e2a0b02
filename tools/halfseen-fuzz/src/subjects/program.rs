//! Runs the program on damaged files of every kind, one process per case.

use super::{Subject, corpus, fit, learners, table};
use crate::mutate::{damage, damage_json};
use anyhow::{Context, Result};
use fastrand::Rng;
use std::collections::BTreeSet;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use wait_timeout::ChildExt;

/// Longest run of the program.
const LIMIT: Duration = Duration::from_secs(15);

/// Command lines; `FILE` is the damaged one, other words with a dot are files of the folder.
const COMMANDS: [&str; 16] = [
    "predict model.json FILE",
    "predict model.json FILE --out out.csv",
    "fit FILE --target price --learner ridge --out out.json",
    "fit FILE --target price --learner aerr --budget 2 --out out.json",
    "fit FILE --target kind --learner karma --missing observed --out out.json",
    "fit FILE --target price --learner fiml --out out.json --json",
    "compare FILE --target price --splits 1 --learners ridge,mean --out out",
    "evaluate model.json FILE --json",
    "certify model.json FILE --within 1 --json",
    "predict MODEL table.csv --out out.csv",
    "evaluate MODEL table.csv --threat 1 --out out.svg",
    "show MODEL",
    "certify MODEL table.csv --out out.csv",
    "fit table.csv --target price --learner aerr --budget 2 --prices DECLARED --out out.json",
    "fit table.csv --target price --learner aerr --budget 2 --moments DECLARED --out out.json",
    "fit table.csv --target price --learner ridge --bounds DECLARED --out out.json",
];

pub(super) struct Program {
    binary: PathBuf,
    files: Vec<(String, Vec<u8>)>,
    models: Vec<String>,
    folder: TempDir,
}

impl Program {
    pub(super) fn new() -> Result<Program> {
        let here = std::env::current_exe()?;
        let binary = here.with_file_name(format!("halfseen{}", std::env::consts::EXE_SUFFIX));
        binary.metadata().with_context(|| {
            format!("{}: build the program in the same profile", binary.display())
        })?;
        let (table, mut models) = (table()?, Vec::new());
        for learner in learners()? {
            if let Ok(model) = fit(&*learner, &table, "price") {
                models.push(model.to_json()?);
            }
        }
        Ok(Program { binary, files: corpus()?, models, folder: tempfile::tempdir()? })
    }

    fn damaged(&self, kind: &str, random: &mut Rng) -> Vec<u8> {
        let others: Vec<&[u8]> = self.files.iter().map(|(_, bytes)| &bytes[..]).collect();
        if kind == "MODEL" {
            let text = &self.models[random.usize(..self.models.len())];
            return if random.bool() {
                damage_json(text, random).into_bytes()
            } else {
                damage(text.as_bytes(), &others, random)
            };
        }
        let fits = |name: &str| name.starts_with("declared") == (kind == "DECLARED");
        let files: Vec<_> = self.files.iter().filter(|(name, _)| fits(name)).collect();
        damage(&files[random.usize(..files.len())].1, &others, random)
    }
}

/// Returns the names in a folder.
fn names(folder: &Path) -> std::io::Result<BTreeSet<String>> {
    std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect()
}

impl Subject for Program {
    /// The first byte says which command line it is for.
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        let number = random.usize(..COMMANDS.len());
        let kind =
            ["FILE", "MODEL", "DECLARED"].into_iter().find(|kind| COMMANDS[number].contains(kind));
        [vec![number as u8], self.damaged(kind.unwrap_or("FILE"), random)].concat()
    }

    fn run(&mut self, input: &[u8], _: &mut Rng) -> Result<bool, String> {
        self.check(input).map_err(|error| format!("{error:#}"))?
    }
}

impl Program {
    /// Runs the program; the inner error is what it did wrong.
    fn check(&self, input: &[u8]) -> Result<Result<bool, String>> {
        let folder = self.folder.path();
        let (number, bytes) = input.split_first().context("no input")?;
        let line = COMMANDS[usize::from(*number)];
        for name in names(folder)? {
            let path = folder.join(name);
            if path.is_dir() { std::fs::remove_dir_all(path)? } else { std::fs::remove_file(path)? }
        }
        std::fs::write(folder.join("damaged"), bytes)?;
        std::fs::write(folder.join("model.json"), &self.models[0])?;
        std::fs::copy(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/table.csv"),
            folder.join("table.csv"),
        )?;
        let before = names(folder)?;
        let words = line.split(' ').map(|word| match word {
            "FILE" | "MODEL" | "DECLARED" => "damaged",
            other => other,
        });
        let (mut out, mut errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut child = Command::new(&self.binary)
            .args(words)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(out.try_clone()?)
            .stderr(errors.try_clone()?)
            .spawn()?;
        let Some(status) = child.wait_timeout(LIMIT)? else {
            child.kill()?;
            child.wait()?;
            return Ok(Err(format!("{line}: no end within {} s", LIMIT.as_secs())));
        };
        let (out, said) = (text(&mut out)?, text(&mut errors)?);
        let left: Vec<String> = names(folder)?.difference(&before).cloned().collect();
        let problem = match status.code() {
            Some(0)
                if line.contains("--json")
                    && serde_json::from_str::<serde_json::Value>(&out).is_err() =>
            {
                Some("its output is no JSON".to_owned())
            }
            Some(0) if line.contains("--out") && left.is_empty() => {
                Some("it wrote nothing".to_owned())
            }
            Some(0) => None,
            Some(2 | 3) if !left.is_empty() => {
                Some(format!("it failed and left {} behind", left.join(", ")))
            }
            Some(2 | 3)
                if !said
                    .lines()
                    .last()
                    .is_some_and(|line| line.starts_with("error: ") && line.len() <= 1024) =>
            {
                Some("its last line is no error".to_owned())
            }
            Some(2 | 3) => None,
            _ => Some(format!("it ended with {status}")),
        };
        let problem = problem
            .or_else(|| said.contains("panicked").then(|| "it says that it panicked".to_owned()));
        Ok(match problem {
            Some(problem) => {
                Err(format!("{line}: {problem}: {}", said.chars().take(300).collect::<String>()))
            }
            None => Ok(status.success()),
        })
    }
}

fn text(file: &mut std::fs::File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
