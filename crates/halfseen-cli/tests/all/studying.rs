//! Runs a study as a team does: from a draft of the schema to a model, killed and crowded.

use crate::common::{Place, Ran, fields, table};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: &str = "attribute,kind,unit,low,high,panel,price,known,choices
a,number,mmol/L,-5,5,,1,,
b,number,,0,6,blood,3,,
c,number,,0,6,blood,3,,
kind,category,,,,,2,,red|green|blue
y,number,,-30,30,,,,
";

/// A study of four attributes, two of each subject.
fn place() -> Place {
    let place = Place::new();
    place.write("attributes.csv", SCHEMA);
    place.ok("study new trial.hs --schema attributes.csv --target y --budget 2");
    place
}

fn ids(range: std::ops::Range<u32>) -> String {
    range.fold("subject\n".to_owned(), |text, number| format!("{text}p{number}\n"))
}

/// What subject `p7` shows for an attribute.
fn truth(subject: &str, attribute: &str) -> String {
    let i: usize = subject[1..].parse().unwrap();
    let (a, b, c) =
        ((i * 7 % 11) as f64 - 5.0, (i * 5 % 13) as f64 / 2.0, (i * 3 % 12) as f64 / 2.0);
    match attribute {
        "a" => a.to_string(),
        "b" => b.to_string(),
        "c" => c.to_string(),
        "kind" => ["red", "green", "blue"][i % 3].to_owned(),
        _ => (2.0 * a - b + (i * 17 % 7) as f64 / 10.0).to_string(),
    }
}

/// The answers to a CSV of asks, and the target.
fn answers(asks: &str) -> String {
    let names = ["a", "b", "c", "kind"];
    let mut text = "subject,ask,a,b,c,kind,y\n".to_owned();
    for row in fields(asks) {
        let cell = |(name, flag): (&&str, &String)| {
            if flag == "1" { truth(&row[0], name) } else { String::new() }
        };
        let cells: Vec<String> = names.iter().zip(&row[2..6]).map(cell).collect();
        text.push_str(&format!(
            "{},{},{},{}\n",
            row[0],
            row[1],
            cells.join(","),
            truth(&row[0], "y")
        ));
    }
    text
}

#[test]
fn from_an_empty_folder_to_a_model() {
    let place = Place::new();
    place.write("table.csv", table(60));
    place.ok("study new trial.hs --from table.csv --schema draft.csv --target y");
    let draft = place.read("draft.csv");
    assert!(
        draft.contains("a,number,,-5,5,,1,,")
            && draft.contains("kind,category,,,,,1,,blue|green|red"),
        "{draft}"
    );
    assert!(!place.path("trial.hs").exists());
    place.ok("study new trial.hs --schema draft.csv --target y --budget 2");
    place.write("ids.csv", ids(0..80));
    place.ok("study next trial.hs --subjects ids.csv --out asks.csv");
    let asks = place.read("asks.csv");
    assert!(asks.starts_with("subject,ask,ask_a,ask_b,ask_kind,ask_who,ask_list\np0,0,"), "{asks}");
    for row in fields(&asks) {
        let asked = row[2..6].iter().filter(|flag| *flag == "1").count();
        assert_eq!((asked, row[6].split(' ').count()), (2, 2));
    }
}

#[test]
fn answers_come_in_parts_and_twice_and_make_a_model() {
    let place = place();
    place.write("ids.csv", ids(0..120));
    let asks = place.ok("study next trial.hs --subjects ids.csv");
    assert_eq!(place.ok("study next trial.hs --subjects ids.csv"), asks, "the same asks again");
    let all = answers(&asks);
    // The targets come six weeks later.
    let early: String = all.lines().enumerate().fold(String::new(), |text, (i, line)| {
        let cells = line.rsplit_once(',').unwrap().0;
        format!("{text}{cells},{}\n", if i == 0 { "y" } else { "" })
    });
    place.write("early.csv", early);
    place.write("all.csv", &all);
    place.ok("study tell trial.hs early.csv");
    let status: serde_json::Value =
        serde_json::from_str(&place.ok("study status trial.hs --json")).unwrap();
    assert_eq!(
        (&status["open"], &status["partial"], &status["complete"]),
        (&120.into(), &120.into(), &0.into())
    );
    let pending = place.ok("study pending trial.hs --older-than 0d");
    assert!(pending.lines().nth(1).unwrap().ends_with(",missing"), "{pending}");
    assert_eq!(place.ok("study pending trial.hs --older-than 30d").lines().count(), 1);
    place.ok("study tell trial.hs all.csv");
    let again: serde_json::Value =
        serde_json::from_str(&place.ok("study tell trial.hs all.csv --json")).unwrap();
    assert_eq!(again[0]["told"]["stored"], 0);
    assert!(again[0]["told"]["repeated"].as_u64().unwrap() > 300);
    let status: serde_json::Value =
        serde_json::from_str(&place.ok("study status trial.hs --json")).unwrap();
    assert_eq!((&status["complete"], &status["open"]), (&120.into(), &0.into()));
    assert!(status["risk"].as_f64().unwrap() < 0.6 * 40.0, "{status}");
    assert!(place.ok("study status trial.hs").contains("complete"));
    place.ok("study model trial.hs --out model.json");
    place.write("new.csv", "a,b,c,kind\n5,0,1,red\n-5,6,1,red\n");
    let predicted = fields(&place.ok("predict model.json new.csv"));
    let number = |row: usize| predicted[row].last().unwrap().parse::<f64>().unwrap();
    assert!(number(0) > number(1) + 5.0, "{predicted:?}");
    place.ok("study check trial.hs");
    place.ok("study backup trial.hs --out copy.hs");
    place.ok("study model copy.hs --out copied.json");
    let timeless = |name: &str| crate::common::timeless(place.json(name));
    assert_eq!(timeless("model.json"), timeless("copied.json"));
    assert_eq!(place.ok("study export trial.hs --wide").lines().count(), 121);
    assert_eq!(place.ok("study export trial.hs --schema"), SCHEMA);
}

#[test]
fn mistakes_are_named_and_change_nothing() {
    let place = place();
    place.write("ids.csv", ids(0..3));
    let asks = place.ok("study next trial.hs --subjects ids.csv");
    let all = answers(&asks);
    let mut lines: Vec<&str> = all.lines().collect();
    let wrong = lines[2].replacen(",1,", ",2,", 1);
    lines[2] = &wrong;
    place.write("wrong.csv", lines.join("\n"));
    let Ran { code, err, .. } = place.run("study tell trial.hs wrong.csv");
    assert_eq!(code, Some(2));
    assert!(err.contains("wrong.csv: line 3, subject 'p1': ask 2 is of subject 'p2'"), "{err}");
    assert!(err.contains("nothing of this file was stored"), "{err}");
    let kept = place.run("study tell trial.hs wrong.csv --keep-going");
    assert_eq!(kept.code, Some(2));
    assert!(kept.err.contains("1 lines refused; 2 asks are now complete"), "{}", kept.err);
    place.refused("study tell nothing.hs wrong.csv", &["nothing.hs"]);
    place.refused("study tell attributes.csv wrong.csv", &["not the file of a study"]);
    place.refused("study new trial.hs --schema attributes.csv --target y", &["the file exists"]);
    place.refused("study new t.hs --schema attributes.csv --target y --budget 9", &["budget"]);
    place.refused("study new t.hs --schema attributes.csv --target y --learner ridge", &["ridge"]);
    place.refused("study pending trial.hs --older-than soon", &["30d"]);
    place.refused(
        "study amend trial.hs --subject p0 --attribute z --value 1 --reason x",
        &["no attribute 'z'"],
    );
    place.ok("study amend trial.hs --subject p0 --attribute y --value 3 --reason misread");
    let audit = place.ok("study export trial.hs --audit");
    let amended = audit.lines().find(|line| line.contains(",amend,")).unwrap();
    assert!(amended.contains(&format!(",y,{},3,misread", truth("p0", "y"))), "{amended}");
    place.ok("study withdraw trial.hs --subject p0 --erase --reason asked");
    let audit = place.ok("study export trial.hs --audit");
    assert!(audit.contains("(erased)") && audit.contains(",erase,p0,"), "{audit}");
    assert!(place.ok("study export trial.hs --erased").contains("p0,"));
}

#[test]
fn files_of_a_european_spreadsheet_are_taken() {
    let place = Place::new();
    place.write("attributes.csv", SCHEMA.replace(',', ";"));
    place.ok("study new trial.hs --schema attributes.csv --target y --budget 2");
    place.write("ids.csv", "subject;site\r\np0;north\r\np1;south\r\n");
    let asks = place.ok("study next trial.hs --subjects ids.csv");
    let all = answers(&asks).replace(',', ";").replace('.', ",");
    place.write("all.csv", &all);
    place.ok("study tell trial.hs all.csv");
    let wide = fields(&place.ok("study export trial.hs --wide"));
    assert_eq!(wide[1].last().unwrap(), &truth("p1", "y"));
    place.write("wrong.csv", "subject;a\r\np0;\r\np1;1,5,2\r\n");
    let Ran { code, err, .. } = place.run("study tell trial.hs wrong.csv");
    let says = "wrong.csv: line 3, subject 'p1': 'a' is a number, and '1,5,2' is none; write decimals with a point";
    assert!(code == Some(2) && err.contains(says), "{err}");
}

#[test]
fn what_is_known_comes_with_the_subjects() {
    let place = Place::new();
    place.write(
        "attributes.csv",
        SCHEMA.replace("a,number,mmol/L,-5,5,,1,,", "a,number,mmol/L,-5,5,,0,yes,"),
    );
    place.ok("study new trial.hs --schema attributes.csv --target y --budget 2");
    place.write("ids.csv", "subject,site,a\np0,x,1.5\np1,x,\n");
    let asks = fields(&place.ok("study next trial.hs --subjects ids.csv"));
    assert_eq!((asks[0][2].as_str(), asks[1][2].as_str()), ("0", "1"));
    place.write("ids.csv", "subject,site,a\np2,x,2\np0,x,2\n");
    place.refused("study next trial.hs --subjects ids.csv", &[
        "ids.csv: 1 of 2 lines were refused and nothing was stored: line 3, subject 'p0': 'a' is 1.5 already, and now 2",
    ]);
    place.write("ids.csv", "subject,b\np2,2\n");
    place.refused(
        "study next trial.hs --subjects ids.csv",
        &["ids.csv: line 1: 'b' is not marked", "`tell`"],
    );
    assert_eq!(place.ok("study export trial.hs --wide").lines().count(), 3);
}

#[test]
fn verbs_say_what_they_need_and_count_right() {
    let place = place();
    place.write("ids.csv", ids(0..1));
    place.refused("study next trial.hs", &["--subjects", "--count"]);
    place.refused("study next trial.hs --subjects ids.csv --count 3", &["--subjects", "--count"]);
    let one = place.run("study next trial.hs --count 1");
    assert!(one.err.contains("1 subject: 1 new ask, 0 asked before"), "{}", one.err);
    let missing = place.run("study new new.hs --from nothing.csv --schema new.csv --target y");
    assert_eq!(missing.err.matches("nothing.csv").count(), 1, "{}", missing.err);
    let people = place.run("study people trial.hs --admit anna --role admin");
    assert!(people.code == Some(0), "{}", people.err);
    let people = place.run("study people trial.hs");
    assert!(people.err.contains("1 person may use the server"), "{}", people.err);
    let line =
        "study new t.hs --schema attributes.csv --target y --budget 2 --unasked learn --learner";
    place.refused(&format!("{line} aerr"), &["aerr learns only from", "fiml", "--unasked accept"]);
    place.ok(&format!("{line} fiml"));
}

#[test]
fn what_is_left_out_of_a_build_says_how_to_install_it() {
    let place = place();
    assert!(place.ok("study --help").contains("serve"));
    assert!(place.ok("study serve --help").contains("--features serve"));
    let said = |line: &str| {
        let ran = place.run(line);
        assert!(ran.code == Some(2) && ran.err.lines().count() == 1, "{line}: {}", ran.err);
        ran.err
    };
    if cfg!(feature = "serve") {
        assert!(place.ok("study serve trial.hs --openapi").contains("\"/api/v1/tell\""));
    } else {
        let install = "cargo install --path crates/halfseen-cli --features serve";
        assert!(said("study serve trial.hs").contains(install));
        assert!(said("study serve trial.hs --openapi").contains(install));
    }
    if cfg!(not(feature = "postgres")) {
        let install = "cargo install --path crates/halfseen-cli --features postgres";
        assert!(said("study status postgres:trial").contains(install));
    }
}

#[test]
fn many_processes_ask_each_subject_once() {
    let place = place();
    place.write("ids.csv", ids(0..60));
    let children: Vec<_> = (0..16)
        .map(|worker| {
            let line = format!(
                "study next trial.hs --subjects ids.csv --who c{worker} --out asks{worker}.csv"
            );
            place.command(&line).stderr(std::process::Stdio::piped()).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let first = place.read("asks0.csv");
    assert_eq!(fields(&first).len(), 60);
    for worker in 1..16 {
        assert_eq!(place.read(&format!("asks{worker}.csv")), first);
    }
    let numbers: BTreeSet<u32> = fields(&first).iter().map(|row| row[1].parse().unwrap()).collect();
    assert_eq!(numbers, (0..60).collect());
    place.ok("study check trial.hs");
}

/// Answers are told line by line by a program that is killed at any moment: what it said it stored
/// is there, nothing twice, and the model is that of a study that was never disturbed.
#[test]
fn kills_lose_nothing_that_was_acknowledged() {
    let kills: u32 = std::env::var("HALFSEEN_KILLS").map_or(25, |text| text.parse().unwrap());
    let place = place();
    place.write("ids.csv", ids(0..60));
    let asks = place.ok("study next trial.hs --subjects ids.csv");
    let all = answers(&asks);
    let (header, lines) = all.split_once('\n').unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    let mut acknowledged = BTreeMap::new();
    let (mut at, mut done) = (0, 0);
    // The time of a whole run, so that kills come at all its moments.
    let began = std::time::Instant::now();
    place.ok("study check trial.hs");
    let whole = began.elapsed().as_micros() as u64;
    while done < kills {
        let line = lines[at % lines.len()];
        place.write("line.csv", format!("{header}\n{line}\n"));
        let mut child = place.command("study tell trial.hs line.csv --quiet").spawn().unwrap();
        let wait = (at as u64 * 7919 % 101) * whole * 3 / 200;
        std::thread::sleep(std::time::Duration::from_micros(wait));
        let _ = child.kill();
        if child.wait().unwrap().success() {
            acknowledged.insert(line.split(',').next().unwrap().to_owned(), line.to_owned());
        } else {
            done += 1;
        }
        at += 1;
    }
    place.ok("study check trial.hs");
    let wide = place.ok("study export trial.hs --wide");
    let targets: BTreeMap<String, String> = fields(&wide)
        .into_iter()
        .map(|row| (row[0].clone(), row.last().unwrap().clone()))
        .collect();
    for (subject, line) in &acknowledged {
        assert_eq!(&targets[subject], line.rsplit(',').next().unwrap(), "{subject} was lost");
    }
    place.write("all.csv", &all);
    place.ok("study tell trial.hs all.csv");
    place.ok("study model trial.hs --out killed.json");
    place.ok("study new calm.hs --schema attributes.csv --target y --budget 2");
    assert_eq!(place.ok("study next calm.hs --subjects ids.csv"), asks);
    place.ok("study tell calm.hs all.csv");
    place.ok("study model calm.hs --out calm.json");
    let model = |name: &str| crate::common::timeless(place.json(name));
    assert_eq!(model("killed.json"), model("calm.json"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_study_that_cannot_be_written_says_so_and_opens_again() {
    let place = place();
    place.write("ids.csv", ids(0..3));
    let asks = place.ok("study next trial.hs --subjects ids.csv");
    place.write("all.csv", answers(&asks));
    // A limit on the size of files: writes beyond it fail as on a full disk.
    let full = "ulimit -f 8; trap '' XFSZ; exec \"$0\" study tell trial.hs all.csv";
    let output = std::process::Command::new("bash")
        .args(["-c", full, env!("CARGO_BIN_EXE_halfseen")])
        .current_dir(place.path("."))
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{err}");
    place.ok("study check trial.hs");
    assert_eq!(
        place.ok("study status trial.hs --json --no-fit").matches("\"complete\": 0").count(),
        1
    );
    place.ok("study tell trial.hs all.csv");
}
