//! Runs cases one after another, and writes a line before and after each.

use crate::subjects::make;
use anyhow::{Context, Result, bail};
use halfseen::memory;
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;

/// Most memory of a worker in bytes, beside what a thread reserves and hardly uses; damaged input of
/// some kB must never explain more.
const MEMORY: u64 = 3 << 30;

/// Returns the random numbers of a case.
fn random(seed: u64, number: u64) -> fastrand::Rng {
    let mut of_seed = fastrand::Rng::with_seed(seed);
    fastrand::Rng::with_seed(of_seed.u64(..) ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Runs the cases of a subject; a panic is a finding.
pub(crate) fn run(name: &str, seed: u64, cases: Range<u64>) -> Result<ExitCode> {
    // Before anything asks what it may take.
    limit_memory()?;
    memory::start_threads()?;
    let mut subject = make(name)?;
    // Panics are told by their message alone; the first is the cause of any other.
    static MESSAGE: Mutex<Option<String>> = Mutex::new(None);
    std::panic::set_hook(Box::new(|info| {
        let mut message = MESSAGE.lock().unwrap_or_else(|e| e.into_inner());
        message.get_or_insert_with(|| info.to_string().replace('\n', " "));
    }));
    let mut out = std::io::stdout();
    for number in cases {
        writeln!(out, "s{number}")?;
        let mut random = random(seed, number);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            let input = subject.input(&mut random);
            subject.run(&input, &mut random)
        }));
        let panicked = MESSAGE.lock().unwrap_or_else(|e| e.into_inner()).take();
        match (ran, panicked) {
            (Ok(Ok(taken)), None) => writeln!(out, "{}", if taken { "t" } else { "r" })?,
            (Ok(Err(problem)), None) => writeln!(out, "f{}", problem.replace(['\n', '\r'], " "))?,
            (Ok(_), Some(message)) => writeln!(out, "fa panic was caught: {message}")?,
            (Err(_), message) => writeln!(out, "fpanic: {}", message.unwrap_or_default())?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs a case again, or saves its input.
pub(crate) fn replay(case: &str, save: Option<&Path>) -> Result<ExitCode> {
    let parts: Vec<&str> = case.split(':').collect();
    let [name, seed, number] = parts[..] else { bail!("--replay takes SUBJECT:SEED:NUMBER") };
    let (seed, number) = (seed.parse().context("seed")?, number.parse().context("number")?);
    let mut subject = make(name)?;
    let mut random = random(seed, number);
    let input = subject.input(&mut random);
    if let Some(path) = save {
        std::fs::write(path, &input)?;
        return Ok(ExitCode::SUCCESS);
    }
    match subject.run(&input, &mut random) {
        Ok(taken) => {
            writeln!(std::io::stdout(), "{}", if taken { "taken" } else { "refused" })?;
            Ok(ExitCode::SUCCESS)
        }
        Err(problem) => {
            writeln!(std::io::stdout(), "{problem}")?;
            Ok(ExitCode::FAILURE)
        }
    }
}

#[cfg(unix)]
fn limit_memory() -> Result<()> {
    let resource = rlimit::Resource::AS;
    let (_, hard) = resource.get()?;
    Ok(resource.set((MEMORY + memory::reserved(1)).min(hard), hard)?)
}

#[cfg(not(unix))]
fn limit_memory() -> Result<()> {
    Ok(())
}
