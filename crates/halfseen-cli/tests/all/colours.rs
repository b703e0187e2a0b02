//! Colours of what people read, and their absence in data and where nothing is a terminal.

use crate::common::Place;

const BOLD: &str = "\u{1b}[1m";
const FAINT: &str = "\u{1b}[2m";
const RED: &str = "\u{1b}[31m";

/// Returns what the program prints, with variables of the environment: stdout and stderr.
fn printed(place: &Place, line: &str, variables: &[&str]) -> (String, String) {
    let mut command = place.command(line);
    command.envs(variables.iter().map(|name| (name, "1")));
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

/// Returns a text without what switches colours.
fn plain(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').unwrap().1)
}

#[test]
fn texts_are_coloured_where_the_user_wants_it_and_say_the_same() {
    let place = Place::with_table();
    place.ok("fit t.csv --target y --ignore who --learner ridge --out m.json --quiet");
    for line in ["--help", "fit --help", "evaluate m.json t.csv", "fit nowhere.csv --target y"] {
        let piped = printed(&place, line, &[]);
        assert!(!piped.0.contains('\u{1b}') && !piped.1.contains('\u{1b}'), "{line}: {piped:?}");
        let forced = printed(&place, line, &["CLICOLOR_FORCE"]);
        assert!(forced.0.contains('\u{1b}') || forced.1.contains('\u{1b}'), "{line}: {forced:?}");
        assert_eq!((plain(&forced.0), plain(&forced.1)), piped, "{line}");
        assert_eq!(printed(&place, line, &["CLICOLOR_FORCE", "NO_COLOR"]), piped, "{line}");
    }
    let (_, said) = printed(&place, "fit nowhere.csv --target y", &["CLICOLOR_FORCE"]);
    assert!(said.starts_with(&format!("{BOLD}{RED}error:")), "{said:?}");
}

#[test]
fn the_best_learner_stands_out_and_those_worse_than_a_constant_step_back() {
    let place = Place::with_table();
    // What is learned is the opposite of what is tested.
    let rows = |sign: i32| -> String {
        let row = |i: i32| format!("{},{},{}\n", i % 7 - 3, i % 5, sign * (i % 7 - 3));
        (0..60).map(row).collect()
    };
    place.write("one.csv", format!("a,b,y\n{}", rows(1)));
    place.write("other.csv", format!("a,b,y\n{}", rows(-1)));
    let flags = "--learners ridge,aerr --budget 2 --splits 2 --folds 2 --out o";
    let line = format!("compare one.csv --target y --test other.csv {flags}");
    let (text, _) = printed(&place, &line, &["CLICOLOR_FORCE"]);
    let head = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    assert_eq!((head(&format!("{BOLD}ridge ")), head(FAINT)), (0, 2), "{text}");
    assert!(text.contains("\nNo better than constant: ridge, aerr.\n"), "{text}");
    assert!(text.contains("\nNo learner is better than predicting the mean.\n"), "{text}");
    let line = format!("compare t.csv --target y --ignore who {flags}");
    let (text, _) = printed(&place, &line, &["CLICOLOR_FORCE"]);
    assert!(text.contains(&format!("{BOLD}ridge ")), "{text}");
    assert!(text.contains("\nridge explains "), "{text}");
}

#[test]
fn data_are_never_coloured() {
    let place = Place::with_table();
    let force = &["CLICOLOR_FORCE"];
    let (text, _) = printed(&place, "fit t.csv --target y --ignore who --out m.json --json", force);
    assert!(text.starts_with('{') && !text.contains('\u{1b}'), "{text}");
    for line in [
        "evaluate m.json t.csv --json",
        "predict m.json t.csv",
        "show m.json",
        "certify m.json t.csv --within 2",
        "completions bash",
        "man",
    ] {
        let (text, said) = printed(&place, line, force);
        assert!(!text.is_empty() && !text.contains('\u{1b}'), "{line}: {text}{said}");
    }
    // Escapes that are data stay as they are.
    let rows = "\u{1b}[1mred,1\nblue,2\n".repeat(20);
    place.write("odd.csv", format!("a,y\n{rows}"));
    place.ok("fit odd.csv --target y --learner ridge --out odd.json --quiet");
    let shown = place.ok("show odd.json --quiet");
    assert!(shown.contains("\u{1b}[1mred"), "{shown:?}");
}
