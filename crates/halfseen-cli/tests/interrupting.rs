//! Interrupts the program by Ctrl-C (SIGINT) and SIGTERM: it ends soon with exit code 130, and leaves
//! every file as it was.
#![cfg(unix)]
#![allow(clippy::unwrap_used)] // helpers of tests are tests

mod common;

use common::Place;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time from a signal to the end, on a busy machine.
const LATE: Duration = Duration::from_secs(8);

/// Sends a signal to a process.
fn send(signal: &str, child: &Child) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(status.success(), "it had ended before");
}

/// Waits until the program handles signals.
fn wait_for_handler(child: &Child) {
    let status = format!("/proc/{}/status", child.id());
    let handles = || {
        let text = std::fs::read_to_string(&status).ok()?;
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"))?;
        let caught = u64::from_str_radix(caught.trim(), 16).ok()?;
        // SIGINT is signal 2, SIGTERM 15.
        Some(caught & 1 << 1 != 0 && caught & 1 << 14 != 0)
    };
    for _ in 0..500 {
        std::thread::sleep(Duration::from_millis(20));
        if handles().unwrap_or(true) {
            return;
        }
    }
    panic!("signals are not handled");
}

/// Starts a run, sends signals after these times, and returns exit code, stderr, and the time from
/// the first signal to the end.
fn interrupted(
    place: &Place,
    line: &str,
    signals: &[(u64, &str)],
) -> (Option<i32>, String, Duration) {
    let mut child = place
        .command(line)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Kept open: a command that reads it waits.
    let stdin = child.stdin.take();
    wait_for_handler(&child);
    let mut sent = None;
    for (wait, signal) in signals {
        std::thread::sleep(Duration::from_millis(*wait));
        send(signal, &child);
        sent.get_or_insert_with(Instant::now);
    }
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    let err = String::from_utf8(output.stderr).unwrap();
    (output.status.code(), err, sent.unwrap().elapsed())
}

/// Returns a table of numbers, or of two classes, on which fits take long.
fn numbers(rows: usize, columns: usize, classes: bool) -> String {
    let mut text: String = (0..columns).map(|j| format!("x{j},")).collect();
    text.push_str("y\n");
    for i in 0..rows {
        for j in 0..columns {
            text.push_str(&format!("{},", (i * (j + 3) * 7919 + j * j * i) % 1009));
        }
        let y = (i * 31 + i * i * 7) % 97;
        text.push_str(&if classes {
            format!("{}\n", ["no", "yes"][y % 2])
        } else {
            format!("{y}\n")
        });
    }
    text
}

/// The same numbers with three cells of ten missing, others in each row: slow for `fiml`.
fn holes(rows: usize, columns: usize) -> String {
    let mut cell = 0_u32;
    let mut kept = |value: &str| {
        cell += 1;
        let missing = cell.wrapping_mul(2_654_435_761) >> 16 & 1023 < 307;
        format!("{},", if missing { "" } else { value })
    };
    let mut text = numbers(rows, columns, false);
    let data = text.split_off(text.find('\n').unwrap() + 1);
    for line in data.lines() {
        let (cells, target) = line.rsplit_once(',').unwrap();
        text.extend(cells.split(',').map(&mut kept));
        text.push_str(&format!("{target}\n"));
    }
    text
}

#[test]
fn an_interrupted_fit_ends_soon_and_writes_nothing_whatever_the_learner_and_the_signal() {
    let place = Place::new();
    place.write("numbers.csv", numbers(3_000, 60, false));
    place.write("classes.csv", numbers(3_000, 60, true));
    place.write("holes.csv", holes(12_000, 60));
    place.write("m.json", "an older model");
    let before = place.files();
    let fits = [
        "fit numbers.csv --learner lasso --set radius=1e3 --set tol=1e-300 --set max_iter=1000000000",
        "fit holes.csv --learner fiml",
        "fit holes.csv --learner fiml --set deviations=500",
        "fit numbers.csv --learner lasso --tune 5 --set tol=1e-300 --set max_iter=1000000000",
        "fit classes.csv --learner karma --set c=1e6 --set tol=1e-300",
        "fit classes.csv --learner mcb --set tol=1e-300 --set max_iter=1000000000",
        "fit classes.csv --learner robust-lp --set threat=5 --set tol=1e-300",
    ];
    for (at, fit) in fits.into_iter().enumerate() {
        let signal = ["-INT", "-TERM"][at % 2];
        let line = format!("{fit} --target y --out m.json");
        let (code, err, late) = interrupted(&place, &line, &[(800, signal)]);
        assert_eq!(code, Some(130), "{line}: {err}");
        assert!(err.contains("nothing was written; --keep-partial FILE"), "{line}: {err}");
        assert!(late < LATE, "{line}: {late:?}");
        assert_eq!(place.read("m.json"), "an older model", "{line}");
        assert_eq!(place.files(), before, "{line}");
    }
}

#[test]
fn every_command_can_be_interrupted_while_it_reads() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --learner ridge --out m.json");
    place.write("p.csv", "older results");
    let before = place.files();
    for line in [
        "fit /dev/stdin --target y --learner ridge --out p.csv",
        "predict m.json /dev/stdin --out p.csv",
        "evaluate m.json /dev/stdin --truncate 1 --out p.csv",
        "certify m.json /dev/stdin --within 1 --out p.csv",
        "compare /dev/stdin --target y --out o",
    ] {
        for signal in ["-INT", "-TERM"] {
            let (code, err, late) = interrupted(&place, line, &[(50, signal)]);
            assert_eq!(code, Some(130), "{line}: {err}");
            assert!(err.starts_with("error: interrupted"), "{line}: {err}");
            assert!(late < LATE, "{line}: {late:?}");
            assert_eq!(place.read("p.csv"), "older results", "{line}");
            assert_eq!(place.files(), before, "{line}");
        }
    }
}

#[test]
fn an_interrupted_comparison_keeps_the_splits_that_were_complete() {
    let place = Place::new();
    // A minute of processor time in all, and some milliseconds for each split.
    place.write("t.csv", numbers(3_000, 60, false));
    let line = "compare t.csv --target y --learners ridge --splits 5000 --out o/p";
    for signal in ["-INT", "-TERM"] {
        let (code, err, late) = interrupted(&place, line, &[(2500, signal)]);
        assert_eq!(code, Some(130), "{err}");
        assert!(late < LATE, "{late:?}");
        let results = place.json("o/p/results.json");
        let splits = results["data"]["splits"].as_u64().unwrap();
        assert!((1..5_000).contains(&splits), "{splits}");
        assert_eq!(results["rows"].as_array().unwrap().len() as u64, 2 * splits);
        assert!(
            err.contains(&format!("these are the results of {splits} of 5000 splits")),
            "{err}"
        );
    }
}

#[test]
fn a_comparison_that_is_interrupted_in_its_first_splits_leaves_nothing() {
    let place = Place::new();
    place.write("t.csv", numbers(3_000, 60, false));
    let line = "compare t.csv --target y --learners lasso --set radius=1e3 --set tol=1e-300 --set max_iter=1000000000 --out o/p";
    let before = place.files();
    let (code, err, late) = interrupted(&place, line, &[(1500, "-INT")]);
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("interrupted while comparing, before a split was complete"), "{err}");
    assert!(late < LATE, "{late:?}");
    assert_eq!(place.files(), before);
}

#[test]
fn the_best_point_so_far_is_kept_in_a_file_of_its_own() {
    let place = Place::new();
    place.write("t.csv", numbers(3_000, 60, false));
    place.write("m.json", "an older model");
    let slow = "fit t.csv --target y --learner lasso --set radius=1e3 --set tol=1e-300 --set max_iter=1000000000";
    let line = format!("{slow} --out m.json --keep-partial part.json");
    let (code, err, late) = interrupted(&place, &line, &[(2500, "-TERM")]);
    assert_eq!(code, Some(130), "{err}");
    assert!(
        err.contains("the best point so far is in part.json, and m.json was not written"),
        "{err}"
    );
    assert!(late < LATE, "{late:?}");
    assert_eq!(place.read("m.json"), "an older model");
    let report = &place.json("part.json")["report"];
    assert_eq!((&report["stop"], &report["converged"]), (&"interrupted".into(), &false.into()));
    place.ok("show part.json");
    // A learner that has no point until its own test is done.
    place.write("holes.csv", holes(12_000, 60));
    let line = "fit holes.csv --target y --learner fiml --out m.json --keep-partial none.json";
    let (code, err, late) = interrupted(&place, line, &[(1500, "-INT")]);
    assert_eq!(code, Some(130), "{err}");
    assert!(err.contains("there is no point to keep yet"), "{err}");
    assert!(late < LATE && !place.path("none.json").exists(), "{late:?}");
}

#[test]
fn a_fit_that_does_not_return_its_best_point_ends_after_two_seconds_or_a_second_signal() {
    let place = Place::new();
    // Its one decomposition takes some ten seconds.
    const SIZE: usize = 4_000;
    let rows: String = (0..SIZE)
        .map(|i| {
            let row: String =
                (0..SIZE).map(|j| if (i * j) % 7 < 3 { "1," } else { "0," }).collect();
            format!("{row}{i}\n")
        })
        .collect();
    let header: String = (0..SIZE).map(|j| format!("x{j},")).collect();
    place.write("t.csv", format!("{header}y\n{rows}"));
    let before = place.files();
    let line = "fit t.csv --target y --learner ridge --out m.json --keep-partial part.json";
    let run = |signals: &[(u64, &str)]| {
        let (code, err, late) = interrupted(&place, line, signals);
        assert_eq!(code, Some(130), "{err}");
        assert!(late < LATE, "{late:?}");
        if err.contains("the best point so far is in part.json") {
            std::fs::remove_file(place.path("part.json")).unwrap();
        }
        assert_eq!(place.files(), before, "{err}");
        err.contains("interrupted before the fit could return a point").then_some(late)
    };
    // The signal must come after the decomposition has begun, and more than two seconds before its
    // end: later the fit has a point. Machines differ in speed, and one machine from run to run.
    let two_seconds = Duration::from_millis(1_900);
    let waited = |wait: &u64| run(&[(*wait, "-TERM")]).is_some_and(|late| late > two_seconds);
    let wait = (1_000..20_000).step_by(1_000).find(waited).expect("a fit that takes too long");
    let twice = |wait| run(&[(wait, "-TERM"), (200, "-INT")]);
    let late = (wait..20_000).step_by(1_000).find_map(twice).expect("a fit without a point");
    assert!(late < two_seconds, "{late:?}");
}

#[test]
fn a_partial_model_is_not_kept_in_the_file_of_the_whole_one() {
    let place = Place::with_table();
    std::os::unix::fs::symlink("t.csv", place.path("link.csv")).unwrap();
    let fit = "fit t.csv --target y --learner ridge";
    for partial in ["m.json", "./m.json"] {
        let line = format!("{fit} --out m.json --keep-partial {partial}");
        place.refused(&line, &["--keep-partial", "file of --out", "name another"]);
    }
    let line = format!("{fit} --out m.json --keep-partial link.csv");
    place.refused(&line, &["--keep-partial link.csv", "would be replaced"]);
    // A fit that is not interrupted writes no partial model.
    place.ok(&format!("{fit} --out m.json --keep-partial part.json"));
    assert!(place.path("m.json").exists() && !place.path("part.json").exists());
}
