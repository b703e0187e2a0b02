//! Shares the cases among processes, and watches them.

use crate::Arguments;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Seek};
use std::ops::Range;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Number of cases that a process takes at once.
const BATCH: u64 = 2_000;

/// Outcome of many cases.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    /// Cases whose input was accepted.
    pub(crate) taken: u64,
    /// Cases refused by an error as it should be.
    pub(crate) refused: u64,
    pub(crate) findings: Vec<String>,
}

/// Runs cases 0 to `runs` of a subject.
pub(crate) fn run(subject: &str, runs: u64, arguments: &Arguments) -> Result<Tally> {
    let workers = arguments
        .workers
        .or_else(|| std::thread::available_parallelism().ok().map(usize::from))
        .unwrap_or(1);
    let tally = Mutex::new(Tally::default());
    let next = Mutex::new(0..runs);
    let batch = runs.div_ceil(workers.max(1) as u64).clamp(1, BATCH);
    let take = || {
        let mut left = next.lock().unwrap_or_else(|e| e.into_inner());
        let from = left.start;
        left.start = (from + batch).min(left.end);
        (from < left.start).then_some(from..left.start)
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.max(1))
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    while let Some(mut cases) = take() {
                        while !cases.is_empty() {
                            cases = watch(subject, cases, arguments, &tally)?;
                        }
                    }
                    Ok(())
                })
            })
            .collect();
        threads.into_iter().try_for_each(|thread| {
            thread
                .join()
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread of the driver panicked")))
        })
    })?;
    Ok(tally.into_inner().unwrap_or_else(|e| e.into_inner()))
}

/// Lines that a worker writes.
enum Line {
    Started(u64),
    Ended { taken: bool },
    Finding(String),
}

/// Runs a process over cases; returns those behind the one that it did not survive.
fn watch(
    subject: &str,
    cases: Range<u64>,
    arguments: &Arguments,
    tally: &Mutex<Tally>,
) -> Result<Range<u64>> {
    let seed = arguments.seed;
    let mut errors = tempfile::tempfile().context("no temporary file for the worker's errors")?;
    let mut child = Command::new(std::env::current_exe()?)
        .args(["--subjects", subject, "--seed", &seed.to_string()])
        .args(["--worker", &cases.start.to_string(), &cases.end.to_string()])
        .stdout(Stdio::piped())
        .stderr(errors.try_clone()?)
        .spawn()?;
    let lines = read(&mut child)?;
    let mut current = None;
    let add = |change: &mut dyn FnMut(&mut Tally)| {
        change(&mut tally.lock().unwrap_or_else(|e| e.into_inner()))
    };
    let hung = loop {
        match lines.recv_timeout(Duration::from_secs_f64(arguments.limit)) {
            Ok(Line::Started(number)) => current = Some(number),
            Ok(Line::Ended { taken }) => {
                current = None;
                add(&mut |tally| if taken { tally.taken += 1 } else { tally.refused += 1 });
            }
            Ok(Line::Finding(problem)) => {
                let finding =
                    format!("{subject}:{seed}:{}: {problem}", current.take().unwrap_or(0));
                add(&mut |tally| tally.findings.push(finding.clone()));
            }
            Err(RecvTimeoutError::Timeout) => break true,
            Err(RecvTimeoutError::Disconnected) => break false,
        }
    };
    if hung {
        child.kill()?;
    }
    let status = child.wait()?;
    let after = |number: u64| number + 1..cases.end;
    match current {
        None if status.success() => Ok(cases.end..cases.end),
        None => {
            anyhow::bail!(
                "a worker of {subject} ended between two cases ({status}): {}",
                last_words(&mut errors)?
            )
        }
        Some(number) => {
            let what = if hung {
                format!("no end within {} s", arguments.limit)
            } else {
                format!("ended by {status}: {}", last_words(&mut errors)?)
            };
            add(&mut |tally| tally.findings.push(format!("{subject}:{seed}:{number}: {what}")));
            Ok(after(number))
        }
    }
}

/// Reads a worker's lines in a thread of their own, so that silence can be timed.
fn read(child: &mut Child) -> Result<Receiver<Line>> {
    let out = child.stdout.take().context("the worker has no output")?;
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(out).lines().map_while(Result::ok) {
            let (kind, rest) = line.split_at(line.len().min(1));
            let line = match kind {
                "s" => Line::Started(rest.parse().unwrap_or(0)),
                "t" => Line::Ended { taken: true },
                "r" => Line::Ended { taken: false },
                _ => Line::Finding(rest.to_owned()),
            };
            if send.send(line).is_err() {
                break;
            }
        }
    });
    Ok(lines)
}

/// Returns the end of what a process wrote to stderr, as one line.
fn last_words(errors: &mut std::fs::File) -> Result<String> {
    let mut bytes = Vec::new();
    errors.rewind()?;
    errors.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).replace(['\n', '\r'], " ");
    let from = text.char_indices().rev().nth(300).map_or(0, |(at, _)| at);
    Ok(text[from..].to_owned())
}
