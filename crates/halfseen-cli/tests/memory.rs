//! Runs the real program with little memory: it refuses with one line what needs more, and ends in
//! no other way.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod common;
use common::{Place, Ran};
use std::fmt::Write;
use std::process::{Command, Stdio};

impl Place {
    /// Runs the program in an address space of so many megabytes.
    fn within(&self, megabytes: u64, line: &str) -> Ran {
        let script = format!("ulimit -v {}; exec \"$0\" {line}", megabytes * 1000);
        let mut command = Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_halfseen")]);
        let output = command.current_dir(self.path("")).stdin(Stdio::null()).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

/// Rows of two numbers and a customer, whose number of orders is above one, and a target.
fn orders(rows: usize, customers: usize) -> String {
    let mut text = "customer,age,amount,churn\n".to_owned();
    for i in 0..rows {
        let (a, b) = ((i * 7919) % 1009, (i * 104_729) % 997);
        let churn = if a + b > 1000 { "yes" } else { "no" };
        writeln!(text, "C{},{a},{b},{churn}", (i * 31) % customers).unwrap();
    }
    text
}

fn refused(ran: &Ran, parts: &[&str]) {
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    for part in parts {
        assert!(ran.err.contains(part), "no '{part}' in {}", ran.err);
    }
}

#[test]
fn an_identifier_that_comes_back_is_refused_by_its_name() {
    let place = Place::new();
    place.write("ids.csv", orders(60_000, 14_700));
    let column = "column 'customer' has 14,700 levels, which become 14,700 columns: leave it out";
    for (line, learner) in [
        ("fit ids.csv --target churn --learner ridge --out o.json", "ridge"),
        ("fit ids.csv --target churn --learner fiml --budget 2 --out o.json", "fiml"),
        ("fit ids.csv --target churn --learner mcb --out o.json", "completion"),
    ] {
        let ran = place.within(8_000, &format!("{line} --as customer=category"));
        refused(&ran, &[learner, column, "--ignore customer", "60,000 rows", "--memory"]);
        assert_eq!(place.files().len(), 1, "nothing is written");
    }
    // A split has fewer rows, and so fewer customers.
    let compare = "compare ids.csv --target churn --learners ridge --as customer=category";
    let column = "column 'customer' has 14,312 levels, which become 14,312 columns: leave it out";
    refused(&place.within(8_000, compare), &["ridge", column, "--ignore customer", "--memory"]);
    place.write("some.csv", orders(20_000, 4_000));
    let aerr =
        "fit some.csv --target churn --learner aerr --budget 2 --as customer=category --out o.json";
    let ran = place.within(1_000, aerr);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.write("twice.csv", orders(200_000, 100_000));
    let ridge = "fit twice.csv --target churn --learner ridge --as customer=category --out p.json";
    let ran = place.within(8_000, ridge);
    refused(&ran, &["ridge", "column 'customer' has 100,000 levels", "200,000 rows"]);
}

/// Megabytes that products of matrices reserve for two threads beyond the 64 MiB each that most
/// processors make them reserve: twice the last cache (Linux; cpu0's is as large as others').
fn reserved_beyond() -> u64 {
    let said = |name: &str| {
        let read = std::fs::read_to_string(format!("/sys/devices/system/cpu/{name}"));
        read.unwrap_or_default().trim().to_owned()
    };
    let size = said("cpu0/cache/index3/size");
    let kibibytes = size.strip_suffix('K').map_or(0, |text| text.parse::<u64>().unwrap());
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    let sharing = said("cpu0/cache/index3/shared_cpu_list");
    let all = if sharing == said("online") { 1 } else { processors };
    2 * (2 * kibibytes * all * 1024 / 1_000_000).saturating_sub(67)
}

/// Each thread reserves address space of its own, for the allocator and for products of matrices.
#[test]
fn a_fit_of_half_a_gigabyte_has_as_few_threads_as_fit_in_it() {
    let place = Place::new();
    let mut text: String = (0..200).map(|j| format!("x{j},")).collect();
    text += "churn\n";
    for i in 0..19_000_usize {
        for j in 0..200 {
            let cell = (i * (j + 7) * 31 + j * j) % 101;
            if cell < 30 { text += "," } else { write!(text, "{cell},").unwrap() }
        }
        text += if (i * i) % 7 < 3 { "yes\n" } else { "no\n" };
    }
    place.write("holes.csv", text);
    let fit = "fit holes.csv --target churn --learner karma --set features=sketch:256";
    let beyond = reserved_beyond();
    let ran = place.within(524 + beyond, &format!("{fit} --out o.json"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    if beyond > 524 {
        let ran = place.within(524, &format!("{fit} --out o.json"));
        refused(&ran, &["karma", "multiplies matrices", "of address space", "ulimit -v", "aerr"]);
    }
}

#[test]
fn every_learner_ends_with_an_error_or_a_model_in_any_address_space() {
    let place = Place::new();
    let mut wide = String::new();
    for j in 0..1_500 {
        write!(wide, "x{j},").unwrap();
    }
    wide += "churn\n";
    for i in 0..80_usize {
        for j in 0..1_500 {
            write!(wide, "{},", (i * j + i) % 17).unwrap();
        }
        wide += if i % 2 == 0 { "yes\n" } else { "no\n" };
    }
    for (name, text) in
        [("tall.csv", orders(12_000, 3)), ("text.csv", orders(12_000, 2_000)), ("wide.csv", wide)]
    {
        place.write(name, text);
        for megabytes in [500, 1_000] {
            for learner in ["ridge", "lasso", "karma", "mean", "robust-lp"] {
                let limits = "--seed 1 --quiet --out o.json";
                // What is not refused is cut short.
                let few = match learner {
                    "robust-lp" => "--set max_iter=2",
                    _ => "",
                };
                let ran = place.within(
                    megabytes,
                    &format!("fit {name} --target churn --learner {learner} {few} {limits}"),
                );
                let told = format!("{learner}, {name}, {megabytes}: {:?} {}", ran.code, ran.err);
                assert!(matches!(ran.code, Some(0 | 2)), "{told}");
                assert!(ran.code == Some(0) || ran.err.contains("of memory"), "{told}");
            }
        }
    }
}

#[test]
fn the_limit_is_a_flag_of_every_command() {
    let place = Place::with_table();
    let fit = "fit t.csv --target y --ignore who --learner ridge --out o.json";
    for size in ["4GB", "500MB", "2GiB", "2000000000"] {
        place.ok(&format!("--memory {size} {fit}"));
        place.ok(&format!("{fit} --memory {size}"));
    }
    for size in ["0", "-1", "4cows", "", "1e400"] {
        let ran = place.run(&format!("{fit} --memory={size}"));
        refused(&ran, &["--memory", "such as 4GB, 500MB or 2GiB"]);
    }
    let ran = place.run(&format!("{fit} --memory 3kB"));
    refused(&ran, &["ridge needs about", "kB of memory", "--memory"]);
    let ran = place.run("compare t.csv --target y --ignore who --learners ridge --memory 3kB");
    refused(&ran, &["ridge needs about"]);
    assert!(place.ok("fit --help").contains("--memory <SIZE>"));
}
