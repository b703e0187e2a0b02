//! Fits any learner by name to a file and prints the model, or predicts with a printed model.
//!
//!     cargo run --release -p halfseen-io --example fit_by_name -- fit houses.csv price aerr budget=4 > model.json
//!     cargo run --release -p halfseen-io --example fit_by_name -- predict model.json houses.csv
//!
//! Without arguments it does both on a small built-in table.

use halfseen::Silent;
use halfseen::data::{Table, Target};
use halfseen::model::{Model, Scores};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::find;
use halfseen::select::tested;
use halfseen_io::{CsvOptions, Source, read_csv, read_data};
use std::io::Write;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut out = std::io::stdout().lock();
    match words[..] {
        [] => demonstrate(&mut out)?,
        ["fit", data, target, learner, ref settings @ ..] => {
            writeln!(out, "{}", fit(&read_data(data)?, target, learner, settings)?.to_json()?)?;
        }
        ["predict", model, data] => {
            let model = halfseen::registry::read_model(&std::fs::read_to_string(model)?)?;
            print(&mut out, &model.predict(&read_data(data)?)?.scores)?;
        }
        _ => {
            return Err(
                "say: fit DATA TARGET LEARNER [NAME=VALUE]..., or: predict MODEL DATA".into()
            );
        }
    }
    Ok(())
}

/// Makes a model from a table: the learner, the preparation of the table for it, the fit, and
/// everything needed for predictions.
fn fit(table: &Table, target_name: &str, learner: &str, settings: &[&str]) -> Outcome<Model> {
    let mut learner = find(learner)?;
    for setting in settings {
        let (name, value) =
            setting.split_once('=').ok_or_else(|| format!("{setting}: write it as NAME=VALUE"))?;
        learner.set(name, value)?;
    }
    learner.check()?;
    let target = Target::read(table, target_name, None)?;
    halfseen::registry::check_classes(&*learner, target.classes().len())?;
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let prepared = Prepared::new(
        table,
        (target_name, &target),
        &rows,
        &Options::default().for_fit(&learner.needs()),
    )?;
    let fit = tested(&*learner, &prepared.examples(), &Silent)?;
    Ok(Model::of(&*learner, &prepared, (target_name, &target), fit))
}

/// Prints one line per row, one score per output.
fn print(out: &mut impl Write, scores: &Scores) -> std::io::Result<()> {
    for row in 0..scores.len() {
        let cells: Vec<String> = scores.row(row).iter().map(f64::to_string).collect();
        writeln!(out, "{}", cells.join(","))?;
    }
    Ok(())
}

/// Learns y = 3 a - 2 b + 1 from four cells of each row; with as many reads as columns, ridge
/// regression and the reader of two attributes agree on new rows.
fn demonstrate(out: &mut impl Write) -> Outcome<()> {
    let mut text = String::from("a,b,y\n");
    for i in 0..400_u32 {
        let (a, b) = (f64::from(i * 7 % 20) / 10.0 - 1.0, f64::from(i * 11 % 23) / 11.0 - 1.0);
        text += &format!("{a},{b},{}\n", 3.0 * a - 2.0 * b + 1.0);
    }
    let table = read_csv(Source::bytes("line.csv", text.as_bytes()), &CsvOptions::default())?;
    let mut errors = Vec::new();
    for (learner, settings) in
        [("ridge", &["penalty=1e-9"][..]), ("aerr", &["budget=2", "radius=8", "seed=1"][..])]
    {
        // The printed text is the content of a file.
        let model =
            halfseen::registry::read_model(&fit(&table, "y", learner, settings)?.to_json()?)?;
        let scores = model.predict(&table)?.scores;
        let column = table.column("y")?;
        let square = |row: usize| match table.cell(row, column) {
            halfseen::data::Cell::Number(y) => (scores.row(row)[0] - y).powi(2),
            _ => f64::NAN,
        };
        let error = (0..scores.len()).map(square).sum::<f64>() / scores.len() as f64;
        writeln!(
            out,
            "{learner}: squared error {error:.2e}, {} cells read",
            model.report.distinct
        )?;
        errors.push(error);
    }
    assert!(errors[0] < 1e-12, "a line is found: {errors:?}");
    assert!(errors[1] < 0.5, "two reads of two attributes see everything: {errors:?}"); // the target's variance is 4.5
    Ok(())
}
