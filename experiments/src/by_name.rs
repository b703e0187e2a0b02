//! Compares, fits and predicts by name on a user's table, with the papers' comparators besides the
//! library's learners.

use crate::arm::find;
use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, Subcommand};
use halfseen::data::{Table, Target};
use halfseen::model::Model;
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::registry::check_classes;
use halfseen::robust::Attack;
use halfseen::select::{
    AttackPlan, ComparisonPlan, LineUp, Score, Statistics, Summary, Task, Tuning, assign, compare,
    tested, tune,
};
use halfseen::{Learner, Silent};
use halfseen_io::{CsvOptions, read_csv};
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) const COMMANDS: [&str; 3] = ["compare", "fit", "predict"];

/// The commands that take a user's table.
#[derive(Debug, Parser)]
#[command(name = "halfseen-papers", about = "Compare, fit and predict by name on a table")]
pub(crate) struct ByName {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compare learners on random splits of a table, each tuned on the training rows
    Compare(CompareArgs),
    /// Fit a learner to all rows of a table, and save the model
    Fit(FitArgs),
    /// Predict the rows of a table by a model that `fit` saved
    Predict(PredictArgs),
}

#[derive(Debug, Args)]
struct TableArgs {
    /// CSV file with a header
    table: PathBuf,
    /// Column to predict
    #[arg(long, value_name = "COLUMN")]
    target: String,
    /// Columns to leave out
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Total cost of the attributes that robust learners prepare to lose; the test rows of a
    /// comparison lose as much
    #[arg(long, value_name = "COST")]
    threat: Option<f64>,
    /// A parameter, for the learners that have it; it is not tuned
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Seed of every random choice
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

#[derive(Debug, Args)]
struct CompareArgs {
    #[command(flatten)]
    of: TableArgs,
    /// Learners to compare, such as geom,svm,fdrop,ogd,online-lasso,identity and those of `halfseen
    /// learners`
    #[arg(long, value_name = "NAME", value_delimiter = ',', required = true)]
    learners: Vec<String>,
    /// Random splits
    #[arg(long, value_name = "N", default_value_t = 10)]
    splits: usize,
    /// Folds of the cross-validation
    #[arg(long, value_name = "N", default_value_t = 5)]
    folds: usize,
    /// Share of the rows that test
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    test_share: f64,
}

#[derive(Debug, Args)]
struct FitArgs {
    #[command(flatten)]
    of: TableArgs,
    /// Learner to fit
    #[arg(long, value_name = "NAME")]
    learner: String,
    /// Tune by a cross-validation with this number of folds
    #[arg(long, value_name = "FOLDS")]
    tune: Option<usize>,
    /// File of the model
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

#[derive(Debug, Args)]
struct PredictArgs {
    /// File of the model
    model: PathBuf,
    /// CSV file with the attributes; with the target too, the error is printed to stderr
    table: PathBuf,
}

/// Runs a command.
pub(crate) fn run(arguments: &ByName) -> Result<()> {
    halfseen_comparators::register();
    let text = match &arguments.command {
        Command::Compare(args) => comparison(args)?,
        Command::Fit(args) => fitted(args)?,
        Command::Predict(args) => predicted(args)?,
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

impl TableArgs {
    /// Reads the table and its target.
    fn read(&self) -> Result<(Table, Target)> {
        let table = read(&self.table)?;
        let target = Target::read(&table, &self.target, None)
            .with_context(|| self.table.display().to_string())?;
        Ok((table, target))
    }

    fn settings(&self) -> Result<Vec<(&str, &str)>> {
        let parts = self.set.iter().map(|text| text.split_once('='));
        parts.collect::<Option<_>>().context("--set: write NAME=VALUE")
    }

    /// Returns the named learner with the threat and the parameters.
    fn learner(&self, name: &str, target: &Target) -> Result<Box<dyn Learner>> {
        let mut learner = find(name)?;
        LineUp { threat: self.threat, ..LineUp::default() }.arrange(&mut *learner)?;
        assign(&mut *learner, name, &self.settings()?)?;
        check_classes(&*learner, target.classes().len())?;
        Ok(learner)
    }

    /// Returns the names of the parameters that are set, each of which some learner has.
    fn fixed(&self, learners: &[Box<dyn Learner>]) -> Result<Vec<String>> {
        let names: Vec<&str> = self.settings()?.into_iter().map(|(name, _)| name).collect();
        let lacks = |name: &&&str| learners.iter().all(|l| l.get(name).is_none());
        if let Some(name) = names.iter().find(lacks) {
            bail!("--set {name}: no named learner has this parameter");
        }
        Ok(names.into_iter().map(str::to_owned).collect())
    }

    fn task<'a>(&'a self, table: &'a Table, target: &'a Target, options: &'a Options) -> Task<'a> {
        Task { table, target_name: &self.target, target, groups: None, options, test: None }
    }

    fn options(&self) -> Options {
        let except = self.ignore.clone();
        Options { except, intercept: true, missing: Missing::Mean, ..Options::default() }
    }
}

fn read(path: &Path) -> Result<Table> {
    read_csv(path, &CsvOptions::default()).map_err(Into::into)
}

fn comparison(args: &CompareArgs) -> Result<String> {
    let (table, target) = args.of.read()?;
    let learners: Vec<Box<dyn Learner>> =
        args.learners.iter().map(|name| args.of.learner(name, &target)).collect::<Result<_>>()?;
    let options = args.of.options();
    let plan = ComparisonPlan {
        names: Vec::new(),
        splits: args.splits,
        folds: Some(args.folds),
        fixed: args.of.fixed(&learners)?,
        test_share: args.test_share,
        seed: args.of.seed,
        curve_points: 1,
        threads: None,
        siege: args.of.threat.map(|threat| AttackPlan { threat, attack: Attack::Exact }),
    };
    let comparison = compare(&learners, &args.of.task(&table, &target, &options), &plan, &Silent)
        .with_context(|| args.of.table.display().to_string())?;
    Ok(table_of(&comparison.summary))
}

/// A figure of a comparison.
type Figure = fn(&Summary) -> Option<Statistics>;

/// Lists the figures that some learner has, as mean and standard deviation of a split.
fn table_of(summary: &[Summary]) -> String {
    let all: [(&str, Figure); 4] = [
        ("squared error", |of| of.test_mse),
        ("error", |of| of.test_error),
        ("attacked squared error", |of| of.attacked_mse),
        ("attacked error", |of| of.attacked_error),
    ];
    let is_known = |figure: Figure| summary.iter().any(|of| figure(of).is_some());
    let shown: Vec<_> = all.into_iter().filter(|(_, figure)| is_known(*figure)).collect();
    let mut text = format!("{:18}", "learner");
    shown.iter().for_each(|(name, _)| text += &format!("{name:>24}"));
    for of in summary {
        text += &format!("\n{:18}", of.learner);
        for (_, figure) in &shown {
            let cell = figure(of).map(|s| format!("{:.4} ± {:.4}", s.mean, s.sd));
            text += &format!("{:>24}", cell.as_deref().unwrap_or("-"));
        }
    }
    text + "\n"
}

fn fitted(args: &FitArgs) -> Result<String> {
    let (table, target) = args.of.read()?;
    let mut learners = vec![args.of.learner(&args.learner, &target)?];
    let (options, fixed, name) = (args.of.options(), args.of.fixed(&learners)?, &*args.of.target);
    let rows: Vec<u32> = (0..table.rows() as u32).collect();
    let place = || args.of.table.display().to_string();
    if let Some(folds) = args.tune {
        let task = args.of.task(&table, &target, &options);
        let tuning = Tuning::new(folds, args.of.seed);
        let tuned = tune(&learners, &fixed, &task, &rows, &tuning, &Silent, &|_| ());
        for (learner, tuned) in learners.iter_mut().zip(tuned.with_context(place)?) {
            *learner = tuned.apply(learner.clone())?;
        }
    }
    let learner = &*learners[0];
    let options = options.for_fit(&learner.needs());
    let prepared = Prepared::new(&table, (name, &target), &rows, &options).with_context(place)?;
    let fit = tested(learner, &prepared.examples(), &Silent).with_context(place)?;
    let model = Model::of(learner, &prepared, (name, &target), fit);
    std::fs::write(&args.out, model.to_json()?).with_context(|| args.out.display().to_string())?;
    let mut text = format!("{} of {} rows: {}\n", learner.name(), rows.len(), args.out.display());
    model.params.iter().for_each(|(name, value)| text += &format!("  {name} = {value}\n"));
    model.report.notes.iter().for_each(|note| text += &format!("note: {note}\n"));
    Ok(text)
}

fn predicted(args: &PredictArgs) -> Result<String> {
    let place = || args.model.display().to_string();
    let model = std::fs::read_to_string(&args.model).with_context(place)?;
    let model = halfseen::registry::read_model(&model).with_context(place)?;
    let table = read(&args.table)?;
    let scores = model.predict(&table).with_context(|| args.table.display().to_string())?.scores;
    let shown = |row| match model.class(&scores, row) {
        Some(class) => format!("{class}\n"),
        None => format!("{}\n", scores.row(row)[0]),
    };
    let text = (0..scores.len()).map(shown).collect::<String>();
    if let Ok(target) = Target::read(&table, &model.target, Some(model.task)) {
        let rows: Vec<u32> = (0..table.rows() as u32).collect();
        let Score { mse, error, .. } = Score::of(&scores, &target, &rows);
        let figure =
            |name, value: Option<f64>| value.map_or(String::new(), |v| format!("{name}: {v:.4}\n"));
        let told = figure("squared error", mse) + &figure("error", error);
        std::io::stderr().write_all(told.as_bytes())?;
    }
    Ok(format!("prediction\n{text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(words: &str) -> Result<String> {
        halfseen_comparators::register();
        let words = format!("halfseen-papers {words}");
        match ByName::try_parse_from(words.split(' '))?.command {
            Command::Compare(args) => comparison(&args),
            Command::Fit(args) => fitted(&args),
            Command::Predict(args) => predicted(&args),
        }
    }

    #[test]
    fn comparators_are_compared_fitted_and_predict_from_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let (table, model) = (folder.path().join("t.csv"), folder.path().join("m.json"));
        let mut text = "a,b,c,y\n".to_owned();
        for i in 0..90 {
            let (a, b, c) = (i * 7 % 11, i * 5 % 13, i * 3 % 7);
            let hole = if i % 9 == 0 { String::new() } else { b.to_string() };
            text += &format!("{a},{hole},{c},{}\n", if a + b > 11 { "up" } else { "down" });
        }
        std::fs::write(&table, text).unwrap();
        let (table, model) = (table.display().to_string(), model.display().to_string());
        let all = "geom,svm,fdrop,ogd,online-lasso,identity,robust-lp";
        let few = "--splits 2 --folds 2";
        let shown = output(&format!(
            "compare {table} --target y --learners {all} --threat 1 --set budget=2 {few}"
        ))
        .unwrap();
        let named = |name: &&str| shown.lines().any(|line| line.split(' ').next() == Some(name));
        assert!(
            all.split(',').chain(["constant"]).collect::<Vec<_>>().iter().all(named),
            "{shown}"
        );
        assert!(shown.contains("attacked error"), "{shown}");
        for learner in ["geom --tune 2", "svm --set c=2", "online-lasso", "identity --set budget=2"]
        {
            let said = output(&format!("fit {table} --target y --learner {learner} --out {model}"));
            assert!(said.unwrap().starts_with(learner.split(' ').next().unwrap()));
            let predicted = output(&format!("predict {model} {table}")).unwrap();
            let up = predicted.lines().filter(|line| *line == "up").count();
            assert!((20..70).contains(&up), "{learner}: {up} of 90");
        }
        let fit = format!("fit {table} --target y --out {model} --learner");
        assert!(output(&format!("{fit} svm --set rounds=2")).is_err(), "svm has no rounds");
        assert!(output(&format!("{fit} gemo")).unwrap_err().to_string().contains("'geom'"));
    }
}
