//! Runs `halfseen study`: a verb each, over the crate halfseen-study.

mod curve;
mod draft;
mod people;
mod schema;
#[cfg(feature = "serve")]
mod serving;
mod shown;
mod simulate;

use crate::args::on_study::OnStudy;
use crate::args::study::{
    AmendArgs, BackupArgs, CheckArgs, ExportArgs, ModelArgs, NewArgs, NextArgs, PendingArgs,
    ReleaseArgs, StatusArgs, StudyArgs, TellArgs, UnaskedArg, Verb, WithdrawArgs,
};
use crate::terminal::failure::{CALLER, say, usage_error};
use crate::terminal::format::{counted, grouped};
use crate::terminal::output::{check_writable, is_standard, print, remark, write_file};
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use halfseen::model::Note;
use halfseen_study::{
    AttributeKind, By, Error, Export, Receipt, Setup, Study, StudySchema, Subjects, Telling,
    Unasked, answers_from_csv, asks_to_csv, subjects_from_csv,
};
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(args: &StudyArgs) -> Result<ExitCode> {
    match &args.verb {
        Verb::New(args) => new(args),
        Verb::Next(args) => next(args),
        Verb::Tell(args) => tell(args),
        Verb::Amend(args) => amend(args),
        Verb::Release(args) => release(args),
        Verb::Withdraw(args) => withdraw(args),
        Verb::Status(args) => status(args),
        Verb::Pending(args) => pending(args),
        Verb::Model(args) => model(args),
        Verb::Export(args) => export(args),
        Verb::Check(args) => check(args),
        Verb::Backup(args) => backup(args),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => serving::serve(args),
        #[cfg(not(feature = "serve"))]
        Verb::Serve(_) => usage_error(
            "this program was built without the server of studies: cargo install --path crates/halfseen-cli --features serve",
        ),
        Verb::People(args) => people::run(args),
        Verb::Schema(args) => schema::run(args),
        Verb::Simulate(args) => simulate::run(args),
    }
}

fn by(on: &OnStudy) -> By {
    By::now(&on.who)
}

fn read_text(path: &Path) -> Result<String> {
    let shown = || path.display().to_string();
    if is_standard(path) {
        let mut text = String::new();
        std::io::stdin().lock().read_to_string(&mut text).context("standard input")?;
        return Ok(text);
    }
    let bytes = std::fs::read(path).with_context(shown)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(_) => {
            usage_error(format!("{}: it is not UTF-8 text; save it as CSV UTF-8", path.display()))
        }
    }
}

/// Writes to a file or to stdout.
fn put(out: Option<&Path>, text: &str) -> Result<()> {
    out.map_or_else(|| print(text), |path| write_file(path, text))
}

/// Prints JSON, or a sentence on stderr.
fn done(on: &OnStudy, json: &serde_json::Value, sentence: &str) -> Result<ExitCode> {
    if on.json {
        print(&format!("{json:#}\n"))?;
    } else {
        remark(on.quiet, sentence);
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads a schema, with the classes of the target if they are not among its choices.
pub(crate) fn schema_of(path: &Path, target: &str, classes: &[String]) -> Result<StudySchema> {
    let text = read_text(path)?;
    let name = || path.display().to_string();
    let mut schema = StudySchema::from_csv(text.as_bytes(), target).with_context(name)?;
    if !classes.is_empty() {
        schema.target.kind = AttributeKind::Category(classes.to_vec());
        schema = schema.checked().with_context(name)?;
    }
    Ok(schema)
}

fn new(args: &NewArgs) -> Result<ExitCode> {
    if let Some(table) = &args.from {
        return draft::write(table, args);
    }
    let schema = schema_of(&args.schema, &args.target, &args.classes)?;
    let mut settings = Vec::new();
    let mut set = |name: &str, value: Option<String>| {
        settings.extend(value.map(|value| (name.to_owned(), value)));
    };
    set("budget", args.budget.map(|k| k.to_string()));
    set("total_budget", args.total_budget.map(|n| n.to_string()));
    set("max_cost", args.max_cost.map(|m| m.to_string()));
    set("total_cost", args.total_cost.map(|m| m.to_string()));
    for assignment in &args.set {
        match assignment.split_once('=') {
            Some((name, value)) => set(name.trim(), Some(value.trim().to_owned())),
            None => return usage_error(format!("--set {assignment}: write name=value")),
        }
    }
    let mut setup = Setup::new(schema, &args.learner, &settings)?;
    setup.strict = args.strict;
    setup.unasked = match args.unasked {
        UnaskedArg::Accept => Unasked::Accept,
        UnaskedArg::Refuse => Unasked::Refuse,
        UnaskedArg::Learn => Unasked::Learn,
    };
    Study::create(&args.on.study, &setup, &by(&args.on))?;
    let (study, attributes) = (args.on.study.display().to_string(), setup.schema.attributes.len());
    let json = serde_json::json!({ "study": study, "attributes": attributes, "learner": setup.learner, "params": setup.params });
    let asks = setup.limit("budget").map_or("its own number".to_owned(), |k| k.to_string());
    let sentence = format!(
        "{study}: a study of {attributes} attributes and the target {}; {} asks for {asks} of each subject\nnext: halfseen study next {study} --subjects ids.csv --out asks.csv",
        setup.schema.target.name, setup.learner
    );
    done(&args.on, &json, &sentence)
}

fn next(args: &NextArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    if let Some(out) = &args.to.out {
        let inputs: Vec<&Path> =
            [Some(&*args.on.study), args.subjects.as_deref()].into_iter().flatten().collect();
        check_writable("--out", out, &inputs)?;
    }
    let file = || args.subjects.as_ref().map_or(String::new(), |path| path.display().to_string());
    let rows = match &args.subjects {
        Some(path) => {
            let text = read_text(path)?;
            let rows = subjects_from_csv(text.as_bytes(), &study.setup().schema);
            Some(rows.with_context(file)?)
        }
        None => None,
    };
    let subjects = match (&rows, args.count) {
        (Some(rows), _) => Subjects::Known(rows),
        (None, count) => Subjects::Count(count.unwrap_or(1)),
    };
    let progress = Progress::new("drawing", args.on.quiet);
    let asks = study.next(subjects, args.wave.as_deref(), &by(&args.on), &progress);
    drop(progress);
    let asks = match asks {
        Err(error @ Error::Refused { .. }) => return Err(error).with_context(file),
        asks => asks?,
    };
    let mut csv = Vec::new();
    asks_to_csv(&asks, &study.setup().schema, &mut csv)?;
    let (new, open) = (
        asks.iter().filter(|ask| ask.is_new).count(),
        asks.iter().filter(|ask| !ask.attributes.is_empty()).count(),
    );
    if args.on.json {
        let text = format!("{:#}\n", serde_json::to_value(&asks)?);
        put(args.to.out.as_deref(), &text)?;
    } else {
        put(args.to.out.as_deref(), &String::from_utf8_lossy(&csv))?;
    }
    let told = asks.len() - open;
    let told = if told > 0 { format!("; {told} have nothing left to read") } else { String::new() };
    remark(
        args.on.quiet,
        &format!(
            "{}: {}, {} asked before{told}",
            counted(asks.len() as u64, "subject", "subjects"),
            counted(new as u64, "new ask", "new asks"),
            asks.len() - new
        ),
    );
    Ok(ExitCode::SUCCESS)
}

fn tell(args: &TellArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    let (mut all, mut code) = (Vec::new(), ExitCode::SUCCESS);
    for path in &args.answers {
        let name = path.display().to_string();
        let text = read_text(path)?;
        let answers = answers_from_csv(text.as_bytes(), &study.setup().schema)
            .with_context(|| name.clone())?;
        let source = args
            .source
            .clone()
            .or_else(|| path.file_name().map(|name| name.to_string_lossy().into_owned()));
        let how = Telling { source, keep_going: args.keep_going, check_only: args.check };
        let receipt = match study.tell(&answers, &how, &by(&args.on)) {
            Ok(receipt) => receipt,
            Err(Error::Refused { lines, refused }) => {
                code = ExitCode::from(CALLER);
                Receipt { lines, refused, ..Receipt::default() }
            }
            Err(error) => return Err(error).context(name),
        };
        let none = code == ExitCode::from(CALLER) && receipt.stored == 0;
        if !args.on.json {
            report(&name, &receipt, args, none);
        }
        all.push(
            serde_json::json!({ "file": name, "is_stored": !args.check && !none, "told": receipt }),
        );
        if none {
            break;
        }
        if !receipt.refused.is_empty() {
            code = ExitCode::from(CALLER);
        }
    }
    if args.on.json {
        print(&format!("{:#}\n", serde_json::Value::Array(all)))?;
    }
    Ok(code)
}

/// Says what became of a file.
fn report(name: &str, receipt: &Receipt, args: &TellArgs, none: bool) {
    for line in &receipt.refused {
        say(&format!("{name}: {line}"));
    }
    if none {
        let count = receipt.refused.len();
        say(&format!(
            "{name}: {count} of {} lines were refused, and nothing of this file was stored; mend them, or store the others by --keep-going",
            receipt.lines
        ));
        return;
    }
    for line in &receipt.flagged {
        remark(args.on.quiet, &format!("remark: {name}: {line}"));
    }
    let stored = if args.check { "would be stored" } else { "stored" };
    remark(
        args.on.quiet,
        &format!(
            "{name}: {} lines: {} values {stored}, {} known before, {} lines refused; {} asks are now complete",
            grouped(receipt.lines),
            grouped(receipt.stored),
            grouped(receipt.repeated),
            receipt.refused.len(),
            receipt.completed
        ),
    );
}

fn amend(args: &AmendArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    study.amend(
        &args.of.subject,
        &args.attribute,
        &args.value,
        &args.of.why.reason,
        &by(&args.on),
    )?;
    let json = serde_json::json!({ "subject": args.of.subject, "attribute": args.attribute, "value": args.value });
    done(
        &args.on,
        &json,
        &format!("{} of {} is now {}", args.attribute, args.of.subject, args.value),
    )
}

fn release(args: &ReleaseArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    study.release(&args.of.subject, &args.of.why.reason, &by(&args.on))?;
    let json = serde_json::json!({ "subject": args.of.subject, "state": "released" });
    done(
        &args.on,
        &json,
        &format!("the ask of {} is given up; `next` may ask it anew", args.of.subject),
    )
}

fn withdraw(args: &WithdrawArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    study.withdraw(&args.of.subject, args.erase, &args.of.why.reason, &by(&args.on))?;
    let json = serde_json::json!({ "subject": args.of.subject, "erased": args.erase });
    let erased = if args.erase {
        ", and its values are erased from this store; not from backups, exports and models made before"
    } else {
        "; its values stay in the store"
    };
    done(&args.on, &json, &format!("{} is out of the model{erased}", args.of.subject))
}

fn status(args: &StatusArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    let now = by(&args.on);
    if let Some(plot) = &args.plot {
        check_writable("--plot", plot, &[&args.on.study])?;
    }
    let status = study.status(&now)?;
    let fitted = if args.no_fit || status.complete == 0 {
        None
    } else {
        let progress = Progress::new("fitting", args.on.quiet);
        Some((study.model(&progress)?, study.curve(&progress)?))
    };
    let (model, curve) = fitted.as_ref().map(|(model, curve)| (model, curve)).unzip();
    let mut json = shown::json(&status, model)?;
    if let Some(curve) = curve {
        json["curve"] = serde_json::to_value(curve)?;
    }
    let mut text = shown::text(&status, model);
    if let Some(curve) = curve {
        text.push_str(&curve::text(curve, &status.target));
    }
    print(&if args.on.json { format!("{json:#}\n") } else { text })?;
    match (&args.plot, curve) {
        (Some(plot), Some(curve)) => {
            curve::draw(plot, curve, &args.on.study.display().to_string())?;
        }
        (Some(_), None) => {
            return usage_error("--plot: no subject is complete, so there is no curve yet");
        }
        (None, _) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn pending(args: &PendingArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    let pending = study.pending(args.older_than, &by(&args.on))?;
    let text = if args.on.json {
        format!("{:#}\n", serde_json::to_value(&pending)?)
    } else {
        shown::pending(&pending)
    };
    put(args.to.out.as_deref(), &text)?;
    remark(args.on.quiet, &counted(pending.len() as u64, "open ask", "open asks"));
    Ok(ExitCode::SUCCESS)
}

fn model(args: &ModelArgs) -> Result<ExitCode> {
    check_writable("--out", &args.out, &[&args.on.study])?;
    let mut study = Study::open(&args.on.study)?;
    let progress = Progress::new("fitting", args.on.quiet);
    let model = study.model(&progress)?;
    drop(progress);
    write_file(&args.out, &format!("{}\n", model.to_json()?))?;
    let examples = model.report.examples;
    let json = serde_json::json!({ "model": args.out.display().to_string(), "examples": examples, "risk": model.report.risk });
    for note in Note::told(&model.report.notes) {
        remark(args.on.quiet, &format!("remark: {note}"));
    }
    if examples == 0 {
        let problem = "remark: no subject has its target yet: the model predicts a constant that no data support";
        remark(args.on.quiet, problem);
    }
    done(
        &args.on,
        &json,
        &format!("{}: {} after {} examples", args.out.display(), model.learner, grouped(examples)),
    )
}

fn export(args: &ExportArgs) -> Result<ExitCode> {
    if let Some(out) = &args.to.out {
        check_writable("--out", out, &[&args.on.study])?;
    }
    let mut study = Study::open(&args.on.study)?;
    let mut csv = Vec::new();
    if args.schema {
        csv = study.setup().schema.to_csv()?.into_bytes();
    } else {
        let what = match (args.reads, args.wide, args.erased) {
            (true, ..) => Export::Reads,
            (_, true, _) => Export::Wide,
            (.., true) => Export::Erased,
            _ => Export::Audit,
        };
        study.export(what, &mut csv)?;
    }
    put(args.to.out.as_deref(), &String::from_utf8_lossy(&csv))?;
    Ok(ExitCode::SUCCESS)
}

fn check(args: &CheckArgs) -> Result<ExitCode> {
    let problems = Study::open(&args.on.study)?.check()?;
    let name = args.on.study.display();
    if args.on.json {
        print(&format!(
            "{:#}\n",
            serde_json::json!({ "study": name.to_string(), "problems": problems })
        ))?;
    }
    if problems.is_empty() {
        remark(args.on.quiet || args.on.json, &format!("{name}: sound"));
        return Ok(ExitCode::SUCCESS);
    }
    problems.iter().for_each(|problem| say(&format!("{name}: {problem}")));
    Ok(ExitCode::from(CALLER))
}

fn backup(args: &BackupArgs) -> Result<ExitCode> {
    Study::open(&args.on.study)?.backup(&args.out)?;
    let out = args.out.display().to_string();
    done(&args.on, &serde_json::json!({ "backup": out }), &format!("{out}: written"))
}
