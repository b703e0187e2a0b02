//! Shows a study what it cannot take: every refusal names place and remedy, and changes nothing.

use crate::common::{Place, answers, by, create, draw, names, row, setup};
use halfseen_study::{
    Error, Study, StudySchema, Telling, Unasked, answers_from_csv, subjects_from_csv,
};

fn schema_error(text: &str) -> String {
    StudySchema::from_csv(text.as_bytes(), "y").unwrap_err().to_string()
}

#[test]
fn a_schema_says_its_line_and_what_to_write() {
    let long = "x".repeat(100_000);
    for (text, says) in [
        ("name\na", "'name' is not a column of a schema"),
        ("attribute,attribute\na,b", "is there twice"),
        ("kind\nnumber", "the column 'attribute' is missing"),
        ("attribute\ny", "no attribute beside the target"),
        ("attribute\na\na", "'a' is there twice"),
        (
            "attribute,kind\na,text",
            "line 2: the kind of 'a' is 'text', and must be number, date or category",
        ),
        ("attribute,low,high\na,3,2", "line 2: the range of 'a' is from 3 to 2"),
        ("attribute,price\na,-1", "the price of 'a' is -1"),
        ("attribute,price\na,cheap", "price of 'a' is 'cheap', and must be a number"),
        ("attribute,kind,choices\na,category,", "category without choices"),
        ("attribute,choices\na,p|p", "a choice twice"),
        ("attribute,choices\na,p|NA", "cannot have the choice 'NA'"),
        ("attribute\nsubject", "cannot be called 'subject'"),
        ("attribute\nblood pressure", "call it blood_pressure"),
        ("attribute,panel,price\na,p,1\nb,p,2", "panel 'p' have two prices"),
        ("attribute,choices\na,\ny,p|q|r", "has 3 classes"),
        ("attribute\na,b", "line 2: it has 2 cells, and the header has 1"),
        (&format!("attribute\n{long}"), "at most 200 bytes"),
    ] {
        let error = schema_error(text);
        assert!(error.contains(says), "{text:.40}: {error}");
        assert!(error.len() < 1_000, "{}", error.len());
    }
}

#[test]
fn answers_that_cannot_be_are_refused_by_line_subject_and_remedy() {
    let place = Place::new();
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..2), None);
    let number = asks[0].attributes.iter().find(|name| *name != "kind").unwrap().clone();
    let long = "9".repeat(100_000);
    for (subject, cell, text, says) in [
        ("nobody", &*number, "1", "no ask was made for it"),
        ("p0", "sodum", "1", "there is no attribute 'sodum'"),
        ("p0", &number, "NaN", "must be a finite number"),
        ("p0", &number, "inf", "must be a finite number"),
        ("p0", &number, "1e999", "must be a finite number"),
        ("p0", &number, "many", "is a number, and 'many' is none"),
        ("p0", &number, "3 mg/dl", "takes it"),
        ("p0", &number, "1,5", "write decimals with a point"),
        ("p0", &number, "<5", "write NA: below 5, or the value that you would use"),
        ("p0", &number, "≥ 5 mmol/L", "write NA: above 5 mmol/L"),
        ("p0", &number, "#N/A", "write NA for a value that is not available"),
        ("p0", &number, ".", "write NA for a value that is not available"),
        ("p0", &number, &long, "must be a finite number"),
        ("p0", "kind", "P", "did you mean 'p'?"),
        ("p0", "y", "ill", "is a number"),
    ] {
        let told = study.tell(&[row(subject, &[(cell, text)])], &Telling::default(), &by());
        let Err(Error::Refused { refused, .. }) = told else { panic!("{cell} = {text:.20}") };
        assert!(refused[0].problem.contains(says), "{text:.20}: {}", refused[0].problem);
        assert!(refused[0].problem.len() < 1_000 && refused[0].line == 2);
    }
    let mut twice = row("p0", &[(&number, "1"), (&number, "2")]);
    let told = study.tell(&[twice.clone()], &Telling::default(), &by());
    assert!(told.unwrap_err().to_string().contains("two values in one line"));
    twice.ask = Some(asks[1].number);
    let told = study.tell(&[twice.clone()], &Telling::default(), &by()).unwrap_err().to_string();
    assert!(told.contains("ask 1 is of subject 'p1'; this subject has ask 0"), "{told}");
    twice.ask = Some(99);
    let told = study.tell(&[twice], &Telling::default(), &by()).unwrap_err().to_string();
    assert!(told.contains("there is no ask 99"), "{told}");
    assert_eq!(study.status(&by()).unwrap().partial, 0);
}

#[test]
fn values_out_of_range_or_not_asked_for_are_flagged_or_refused() {
    let place = Place::new();
    for (strict, unasked) in [(false, Unasked::Accept), (true, Unasked::Refuse)] {
        let mut setup = setup("fiml", &[("budget", "1")]);
        (setup.strict, setup.unasked) = (strict, unasked);
        let path = place.path(if strict { "strict.hs" } else { "t.hs" });
        let mut study = Study::create(&path, &setup, &by()).unwrap();
        let ask = draw(&mut study, &names(0..1), None).remove(0);
        let other = ["a0", "a1", "a2"]
            .into_iter()
            .find(|name| !ask.attributes.contains(&(*name).to_owned()))
            .unwrap();
        let mut tell = |cell: &str, text: &str| {
            study.tell(&[row("p0", &[(cell, text)])], &Telling::default(), &by())
        };
        let (outside, unasked) = (tell("y", "99"), tell(other, "1"));
        if strict {
            let outside = outside.unwrap_err().to_string();
            assert!(outside.contains("outside of its range from -20 to 20"), "{outside}");
            assert!(unasked.unwrap_err().to_string().contains("was not asked for"));
        } else {
            let (outside, unasked) = (outside.unwrap(), unasked.unwrap());
            assert_eq!((outside.outside, outside.flagged.len()), (1, 1));
            assert_eq!((unasked.unasked, unasked.stored), (1, 1));
        }
    }
}

#[test]
fn files_that_are_no_answers_say_where() {
    let schema = crate::common::schema();
    for (text, says) in [
        ("", "the column 'subject' is missing"),
        ("patient;a0\np0;1", "the column 'subject' is missing"),
        ("Subject;a0\np0;1", "'Subject' must be written so"),
        ("ask;subject;a0\r\n;p0;1\r\nfirst;p1;1\r\n", "line 3: the ask 'first' is not the number"),
        ("subject\ta0\np0\t1\t2", "line 2: it has 3 cells, and the header has 2"),
        ("a0,\"x;subject\"\n1,2", "the column 'subject' is missing"),
        ("patient,a0\np0,1", "the column 'subject' is missing"),
        ("Subject,a0\np0,1", "'Subject' must be written so"),
        ("subject,a0,a0\np0,1,2", "'a0' is there twice"),
        ("subject,a9\np0,1", "there is no attribute 'a9'"),
        ("subject,a0\np0", "line 2: it has 1 cells, and the header has 2"),
        ("subject,ask,a0\np0,first,1", "line 2: the ask 'first' is not the number"),
        ("subject,ask,a0\r\np0,,1\r\np1,first,1\r\n", "line 3: the ask 'first' is not the number"),
        ("subject,ask,a0\np0,,\"1\n\"\np1,first,1\n", "line 4: the ask 'first' is not the number"),
    ] {
        let error = answers_from_csv(text.as_bytes(), &schema).unwrap_err().to_string();
        assert!(error.contains(says), "{text}: {error}");
    }
    // What a spreadsheet adds: a mark at the beginning, and columns of asks.
    let text = "\u{feff}subject,ask_a0,a0\n'=p0,1, 2.5 \n";
    let rows = answers_from_csv(text.as_bytes(), &schema).unwrap();
    assert_eq!((rows[0].subject.as_str(), rows[0].cells[0].1.trim()), ("=p0", "2.5"));
    // Of a Europe that separates cells by semicolons, decimals by commas.
    for (by, mark) in
        [(";", "1,5"), ("\t", "-0,25"), (";", "-7,428e-05"), (";", " 7 "), (";", "12.5")]
    {
        let text = format!("\u{feff}\"subject\"{by}kind{by}a0\r\np0{by}p,q{by}{mark}\r\n");
        let rows = answers_from_csv(text.as_bytes(), &schema).unwrap();
        let cells: Vec<&str> = rows[0].cells.iter().map(|(_, text)| text.trim()).collect();
        assert_eq!(cells, ["p,q", &mark.trim().replace(',', ".")], "{text}");
    }
    // What is not surely a decimal comma stays as it is, and is refused as before.
    for odd in ["1,5 mmol/L", "1.234,5", "1,2,3", ",5", "1,", "+1,5", "1,5e", "1,5e3,2", "1,x"] {
        let text = format!("subject;a0\np0;{odd}\n");
        let rows = answers_from_csv(text.as_bytes(), &schema).unwrap();
        assert_eq!(rows[0].cells[0].1, odd);
        assert!(schema.attributes[0].read(odd).is_err(), "{odd}");
    }
    let rows = answers_from_csv("subject,a0\np0,\"1,5\"\n".as_bytes(), &schema).unwrap();
    assert_eq!(rows[0].cells[0].1, "1,5");
    // And empty rows at the end.
    let rows = answers_from_csv("subject,a0\np0,1\n,\n , \n".as_bytes(), &schema).unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        subjects_from_csv("subject,site\np0,\n,\n".as_bytes(), &schema).unwrap()[0].subject,
        "p0"
    );
}

#[test]
fn files_that_are_no_study_are_refused_and_left_as_they_are() {
    let place = Place::new();
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..20), None);
    study.tell(&asks.iter().map(answers).collect::<Vec<_>>(), &Telling::default(), &by()).unwrap();
    let copy = place.path("copy.hs");
    study.backup(&copy).unwrap();
    assert!(study.backup(&copy).unwrap_err().to_string().contains("the file exists"));
    drop(study);
    let whole = std::fs::read(&copy).unwrap();
    let refused = |name: &str, content: &[u8]| {
        let path = place.path(name);
        std::fs::write(&path, content).unwrap();
        let error =
            Study::open(&path).and_then(|mut study| study.check()).map(|all| all.join("; "));
        assert_eq!(std::fs::read(&path).unwrap(), content, "{name} was written to");
        match error {
            Ok(problems) => problems,
            Err(error) => error.to_string(),
        }
    };
    assert!(refused("empty.hs", b"").contains("not the file of a study"));
    assert!(refused("text.hs", &b"subject,a0\n".repeat(9)).contains("not the file of a study"));
    let mut foreign = whole.clone();
    foreign[68..72].fill(0);
    // With a rollback journal, as most databases have it; a look does not change that.
    foreign[18..20].fill(1);
    assert!(refused("foreign.hs", &foreign).contains("not the file of a study"));
    for (name, format) in [("earlier.hs", 3_u32), ("later.hs", 9)] {
        let mut other = whole.clone();
        other[60..64].copy_from_slice(&format.to_be_bytes());
        let said = format!("another version of halfseen made this study (format {format}, ");
        let error = refused(name, &other);
        assert!(error.contains(&said) && error.lines().count() == 1, "{error}");
    }
    assert!(!refused("torn.hs", &whole[..whole.len() / 2]).is_empty());
    // Flipped bits: an error, a finding, or nothing that matters; never a panic.
    for at in (100..whole.len()).step_by(whole.len() / 150) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x55;
        let path = place.path("flipped.hs");
        std::fs::write(&path, &flipped).unwrap();
        if let Ok(mut study) = Study::open(&path) {
            let _ = study.check();
            let _ = study.status(&by());
            let _ = study.model(&halfseen::Silent);
        }
        for end in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(place.path(&format!("flipped.hs{end}")));
        }
    }
    let missing = Study::open(place.path("nothing.hs")).unwrap_err().to_string();
    assert!(missing.contains("nothing.hs"), "{missing}");
    let exists = Study::create(&copy, &setup("fiml", &[]), &by()).unwrap_err().to_string();
    assert!(exists.contains("the file exists"), "{exists}");
    assert_eq!(std::fs::read(&copy).unwrap(), whole);
}

/// Whoever closes a file takes away all locks that the process has on it, and another process may then
/// take what was committed for its own to remove.
#[cfg(target_os = "linux")]
#[test]
fn a_study_that_is_open_twice_keeps_its_locks() {
    use std::os::unix::fs::MetadataExt;
    let place = Place::new();
    let path = place.path("t.hs");
    let mut study = create(&path, "fiml", &[("budget", "2")]);
    draw(&mut study, &names(0..2), None);
    let inode = format!(":{} ", std::fs::metadata(&path).unwrap().ino());
    let locks = || {
        let own = format!(" {} ", std::process::id());
        let all = std::fs::read_to_string("/proc/locks").unwrap();
        all.lines().filter(|line| line.contains(&own) && line.contains(&inode)).count()
    };
    let before = locks();
    assert!(before > 0);
    drop(Study::open(&path).unwrap());
    let mut second = Study::open(&path).unwrap();
    second.status(&by()).unwrap();
    assert_eq!(locks(), before);
}

#[test]
fn changes_need_a_reason_and_something_to_change() {
    let place = Place::new();
    let mut study = create(&place.path("t.hs"), "fiml", &[("budget", "3")]);
    let asks = draw(&mut study, &names(0..1), None);
    study.tell(&[answers(&asks[0])], &Telling::default(), &by()).unwrap();
    let says = |done: halfseen_study::Result<()>, text: &str| {
        let error = done.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    let first = asks[0].attributes[0].clone();
    says(study.amend("p0", &first, "NA", " ", &by()), "a reason is needed");
    says(study.amend("p9", &first, "NA", "why", &by()), "subject 'p9': no ask was made");
    says(study.amend("p0", "nothing", "1", "why", &by()), "there is no attribute 'nothing'");
    says(study.release("p0", "why", &by()), "no open ask");
    says(study.withdraw("p9", false, "why", &by()), "no such subject");
    study.withdraw("p0", false, "why", &by()).unwrap();
    says(study.withdraw("p0", false, "why", &by()), "withdrawn already");
    says(study.amend("p0", &first, "NA", "why", &by()), "was withdrawn");
    let learner = halfseen_study::Setup::new(crate::common::schema(), "ridge", &[]);
    assert!(learner.unwrap_err().to_string().contains("ridge"));
    let unknown = halfseen_study::Setup::new(crate::common::schema(), "fimle", &[]);
    assert!(unknown.unwrap_err().to_string().contains("fiml"));
    let schema = StudySchema::from_csv("attribute\na\nb\nc\n".as_bytes(), "y").unwrap();
    let unscaled = halfseen_study::Setup::new(schema, "aerr", &[("budget".into(), "2".into())]);
    let unscaled = unscaled.unwrap_err().to_string();
    assert!(unscaled.contains("give low and high of 'y'"), "{unscaled}");
}

#[test]
fn learners_that_take_steps_learn_from_what_they_asked_for_alone() {
    let place = Place::new();
    let path = place.path("t.hs");
    let mut setup = setup("aerr", &[("budget", "3")]);
    setup.unasked = Unasked::Learn;
    let error = Study::create(&path, &setup, &by()).unwrap_err().to_string();
    assert!(error.contains("aerr learns only from") && error.contains("choose fiml"), "{error}");
    assert!(!path.exists());
    // One that was made before stays open.
    create(&path, "aerr", &[("budget", "3")]);
    let stored = rusqlite::Connection::open(&path).unwrap();
    let changed = stored.execute(
        "UPDATE study SET setup = replace(setup, '\"unasked\":\"accept\"', '\"unasked\":\"learn\"')",
        [],
    );
    assert_eq!(changed.unwrap(), 1);
    drop(stored);
    let mut study = Study::open(&path).unwrap();
    assert_eq!(study.setup().unasked, Unasked::Learn);
    draw(&mut study, &names(0..2), None);
    let of_fiml = crate::common::setup("fiml", &[("budget", "3")]);
    let of_fiml = halfseen_study::Setup { unasked: Unasked::Learn, ..of_fiml };
    Study::create(place.path("f.hs"), &of_fiml, &by()).unwrap();
}
