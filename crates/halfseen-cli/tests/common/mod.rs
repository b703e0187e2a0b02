//! Runs the real program in a folder of its own and checks what it says and leaves behind.
#![allow(dead_code)] // each test file uses its part

pub(crate) mod bent;
pub(crate) mod caused;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A folder for one test.
pub(crate) struct Place(tempfile::TempDir);

/// Result of a run.
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// The small table of most tests in `t.csv`: `y` follows `a`, `b` and `kind`, `who` follows
    /// `a`.
    pub(crate) fn with_table() -> Place {
        let place = Place::new();
        place.write("t.csv", table(60));
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> serde_json::Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Every file and folder in the place.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let mut files = BTreeSet::new();
        let mut open = vec![self.0.path().to_owned()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().unwrap().map(|e| e.unwrap().path()) {
                files.insert(entry.strip_prefix(self.0.path()).unwrap().display().to_string());
                if entry.is_dir() {
                    open.push(entry);
                }
            }
        }
        files
    }

    /// The program in this place, with arguments separated by blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_halfseen"));
        command.args(line.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        // The environment of the tests decides nothing.
        command.env_remove("CLICOLOR_FORCE").env_remove("NO_COLOR");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Ran {
        let output = self.command(line).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Ran { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Runs and expects success; gives stdout.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> String {
        let ran = self.run(line);
        assert_eq!(ran.code, Some(0), "{line}: {}", ran.err);
        ran.out
    }

    /// Runs and expects a refusal: exit code 2, one sentence with all of `says`, nothing else.
    #[track_caller]
    pub(crate) fn refused(&self, line: &str, says: &[&str]) {
        let before = self.files();
        let Ran { code, out, err } = self.run(line);
        assert_eq!(code, Some(2), "{line}: {err}");
        assert_eq!(out, "", "{line}");
        assert!(
            err.starts_with("error: ") && err.ends_with('\n') && err.lines().count() == 1,
            "{line}: {err}"
        );
        assert!(err.len() <= 1024, "{line}: {} bytes", err.len());
        for word in says {
            assert!(err.contains(word), "{line}: no '{word}' in: {err}");
        }
        for jargon in
            ["panicked", "os error", "ParseInt", "f64", "u64", "invalid digit", "tmp", "=1", "Err("]
        {
            assert!(
                !err.replace(&self.0.path().display().to_string(), "").contains(jargon),
                "{line}: '{jargon}' in: {err}"
            );
        }
        assert_eq!(self.files(), before, "{line}: left something behind");
    }
}

/// A table with two numeric attributes, a text attribute of three categories and two targets.
pub(crate) fn table(rows: usize) -> String {
    let mut text = String::from("a,b,kind,y,who\n");
    for i in 0..rows {
        let (a, b) = ((i * 7 % 11) as f64 - 5.0, (i * 5 % 13) as f64 / 2.0);
        let kind = ["red", "green", "blue"][i % 3];
        let noise = (i * 17 % 7) as f64 / 10.0;
        let y = 2.0 * a - b + 3.0 * f64::from(u8::from(kind == "red")) + noise;
        let who = if a + noise > 0.0 { "sick" } else { "healthy" };
        text.push_str(&format!("{a},{b},{kind},{y},{who}\n"));
    }
    text
}

/// The fields of a CSV text without quotes, header left out.
pub(crate) fn fields(csv: &str) -> Vec<Vec<String>> {
    csv.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The sorted keys of a JSON object.
pub(crate) fn keys(value: &serde_json::Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The same JSON without any `seconds` figure.
pub(crate) fn timeless(mut value: serde_json::Value) -> serde_json::Value {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                map.retain(|key, _| !key.starts_with("seconds"));
                map.values_mut().for_each(strip);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut value);
    value
}

/// A table of five attributes in -1..1 with the target `y` = `a` squared + `b`, nearly.
pub(crate) fn bent(rows: u64) -> String {
    let mut text = String::from("a,b,c,d,e,y\n");
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1 << 23) - 1.0
    };
    for _ in 0..rows {
        let [a, b, c, d, e, noise] = [(); 6].map(|()| next());
        text.push_str(&format!("{a},{b},{c},{d},{e},{}\n", a * a + b + 0.1 * noise));
    }
    text
}
