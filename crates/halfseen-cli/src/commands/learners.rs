//! Lists the learners and describes their parameters, from the library's declarations.

use crate::args::LearnersArgs;
use crate::terminal::output::{self, align};
use anyhow::Result;
use halfseen::learner::{Family, Learner};
use halfseen::registry::{self, ALIASES, Alias};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Titles of the papers that the sources cite.
const PAPERS: &str = "
papers:
  Cesa-Bianchi et al. 2010    Efficient Learning with Partially Observed Attributes, ICML 2010
  Chechik et al. 2008         Max-margin Classification of Data with Absent Features, JMLR 9
  Cortes and Vapnik 1995      Support-Vector Networks, Machine Learning 20
  Dekel and Shamir 2008       Learning to Classify with Missing and Corrupted Features, ICML 2008
  Globerson and Roweis 2006   Nightmare at Test Time: Robust Learning by Feature Deletion, ICML 2006
  Goldberg et al. 2010        Transduction with Matrix Completion: Three Birds with One Stone, NIPS 2010
  Hazan and Koren 2012        Linear Regression with Limited Observation, ICML 2012
  Hazan et al. 2015           Classification with Low Rank and Missing Data, ICML 2015
  Kukliansky and Shamir 2015  Attribute Efficient Linear Regression with Distribution-Dependent Sampling, ICML 2015
  Pham and Pagh 2013          Fast and Scalable Polynomial Kernels via Explicit Feature Maps, KDD 2013
  Rubin and Thayer 1982       EM Algorithms for ML Factor Analysis, Psychometrika 47
";

pub(crate) fn run(args: &LearnersArgs) -> Result<ExitCode> {
    let learners = match &args.name {
        Some(name) => vec![registry::find(name)?],
        None => registry::all(),
    };
    let text = match (args.json, &args.name) {
        (true, _) => {
            let all: Vec<Value> = learners.iter().map(|l| as_json(&**l)).collect();
            format!("{}\n", serde_json::to_string_pretty(&all)?)
        }
        (false, Some(_)) => learners.iter().map(|l| describe(&**l)).collect(),
        (false, None) => {
            let mut rows = Vec::new();
            for (family, when) in FAMILIES {
                rows.push(format!("{when}:\n"));
                for learner in learners.iter().filter(|learner| learner.needs().family == family) {
                    rows.push(format!("  {:<17} {}\n", learner.name(), learner.title()));
                    let line = |a: &Alias| {
                        format!("    {:<15} with {}={}\n", a.name, a.parameter, a.value)
                    };
                    rows.extend(aliases(&**learner).map(line));
                }
                rows.push("\n".into());
            }
            rows.push("halfseen learners NAME describes one and its parameters.\n".into());
            rows.concat()
        }
    };
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Families, in words.
const FAMILIES: [(Family, &str); 4] = [
    (Family::Budget, "while examples are collected: few attributes of each are read"),
    (Family::Missing, "in the data: cells are missing"),
    (Family::Robust, "at prediction time: attributes are deleted"),
    (Family::Full, "everything is seen, for comparison"),
];

/// Returns the learner's names for variants, each with one parameter set.
fn aliases(learner: &dyn Learner) -> impl Iterator<Item = &'static Alias> {
    let name = learner.name();
    ALIASES.iter().filter(move |alias| alias.learner == name)
}

fn describe(learner: &dyn Learner) -> String {
    let mut text =
        format!("{}: {}\nsource: {}\n", learner.name(), learner.title(), learner.source());
    for alias in aliases(learner) {
        text.push_str(&format!("{}: with {}={}\n", alias.name, alias.parameter, alias.value));
    }
    text.push('\n');
    for declaration in learner.declarations() {
        let default = learner.get(declaration.name).unwrap_or_default();
        let source = if declaration.source.is_empty() {
            String::new()
        } else {
            format!(" [{}]", declaration.source)
        };
        text.push_str(&format!(
            "  {} = {default}\n      {}{source}\n      {}.\n",
            declaration.name,
            declaration.doc,
            declaration.kind.allowed()
        ));
    }
    let grid = learner
        .grid()
        .0
        .into_iter()
        .map(|(name, values)| vec![format!("  {name}"), values.join(" ")]);
    let grid = align(&grid.collect::<Vec<_>>());
    text.push_str(&match grid.as_str() {
        "" => "\ntuned over: nothing; it tunes itself on its own reads\n".to_owned(),
        grid => format!("\ntuned over:\n{grid}"),
    });
    text.push_str(PAPERS);
    text
}

fn as_json(learner: &dyn Learner) -> Value {
    let defaults = learner.to_json();
    let params = learner.declarations().iter().map(|d| {
        json!({
            "name": d.name, "default": defaults[d.name], "allowed": d.kind.allowed(), "doc": d.doc, "source": d.source,
        })
    });
    let aliases = aliases(learner)
        .map(|a| json!({"name": a.name, "parameter": a.parameter, "value": a.value}));
    let grid: serde_json::Map<String, Value> = learner
        .grid()
        .0
        .into_iter()
        .map(|(name, values)| (name.to_owned(), json!(values)))
        .collect();
    json!({
        "learner": learner.name(), "title": learner.title(), "family": learner.family(), "source": learner.source(),
        "params": params.collect::<Vec<_>>(), "grid": grid, "aliases": aliases.collect::<Vec<_>>(),
    })
}
