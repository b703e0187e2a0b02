//! Gathers what one page says of a model: the error on a table beside a constant's, what was read,
//! weights, shapes, certificates, notes.

use crate::args::ReportArgs;
use crate::commands::certify::{certified_errors, right};
use crate::commands::fitted::is_promise;
use crate::commands::parts;
use crate::commands::predict::read_model;
use crate::commands::report_page::{Certified, Page, page};
use crate::commands::weights::Weights;
use crate::tables::input::renumbered;
use crate::tables::labelled::{self, Labelled};
use crate::tables::threats::priced;
use crate::terminal::failure::usage_error;
use crate::terminal::output;
use anyhow::Result;
use halfseen::data::{Costs, Target};
use halfseen::model::{Model, Note, Scores};
use halfseen::robust::{CertifiedErrors, Trial};
use halfseen::select::{QuantileTally, Score};
use halfseen::{ErrorKind, registry};
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use std::process::ExitCode;

/// Number of groups of rows by their prediction.
const GROUPS: usize = 10;

/// Least number of rows of which groups are made.
const FEW: usize = 2 * GROUPS;

pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode> {
    let model = read_model(&args.on.model)?;
    if output::is_standard(&args.out) {
        return usage_error("--out -: the page needs a file of its own; name one");
    }
    output::check_writable("--out", &args.out, &args.on.inputs())?;
    let target_name = args.on.target.as_deref().unwrap_or(&model.target);
    let mut rows = None;
    let mut read = labelled::read(&args.on, target_name, &model, true, |_, all| {
        rows = Some(all);
        Ok(())
    })?;
    let Some(Labelled { table, numbers, target }) = rows else {
        return usage_error(format!("{}: there are no rows", read.name));
    };
    let prediction = model.predict(&table).map_err(|e| renumbered(e, &numbers))?;
    read.add(prediction.applied);
    read.remark(&[Some(target_name)], args.on.quiet);
    let all: Vec<u32> = (0..table.rows() as u32).collect();
    let score = Score::of(&prediction.scores, &target, &all);
    let layout = model.prepare.schema.layout()?;
    let counted = |panel: usize| match model.report.panel_reads.get(panel) {
        Some(&reads) => reads,
        None => model.report.examples,
    };
    let reads = (0..layout.sampled_panels())
        .map(|panel| (layout.name(panel).to_owned(), counted(panel), layout.price(panel)))
        .collect();
    let certified = match model.predictor.additive() {
        Err(_) => None,
        Ok(_) => {
            let trial = Trial::new(&model, &table, Some(&target))?;
            let costs = priced(args.on.costs.as_ref(), &model, &trial, true, args.on.quiet)?;
            // A change by more than the model's typical error counts.
            let within = match target {
                Target::Numbers(_) => score.mse.map(f64::sqrt).filter(|within| *within > 0.0),
                Target::Classes { .. } => None,
            };
            let able = matches!(target, Target::Classes { .. }) || within.is_some();
            let certified = able.then(|| {
                let certificates = trial.certify(&costs, within)?;
                let mut errors = CertifiedErrors::default();
                errors.add(&certificates, right(&model, &prediction.scores, Some(&target)));
                let errors = certified_errors(&errors, &costs);
                let counted = matches!(costs.costs(), Costs::Equal { value, .. } if value == 1.0);
                let svg = (errors.len() > 2)
                    .then(|| of_deletions(&errors, within.is_some(), counted))
                    .transpose()?;
                Ok::<_, anyhow::Error>(Certified { errors, svg, counted, within })
            });
            certified.transpose()?
        }
    };
    let quantile = model.report.quantile.and_then(|quantile| {
        let Target::Numbers(targets) = &target else { return None };
        let mut tally = QuantileTally::new(quantile);
        tally.add(&prediction.scores, &target);
        tally.score(targets)
    });
    let same = |row: usize| prediction.scores.row(row) == prediction.scores.row(0);
    let weights = match Weights::of(&model, &args.on.model) {
        // A kernel has none.
        Err(error) if has_no_weights(&error) => None,
        weights => Some(weights?),
    };
    let notes = Note::told(&model.report.notes).map(|note| (note.to_string(), is_promise(note)));
    let content = Page {
        title: registry::find(&model.learner).map_or("", |learner| learner.title()),
        data: &read.name,
        rows: table.rows(),
        constant: Score::of_constant(&target),
        confusion: confusion(&model, &prediction.scores, &target),
        // Groups have means, of which a quantile is no prediction.
        calibration: match quantile {
            Some(_) => None,
            None => calibration(&prediction.scores, &target)?,
        },
        quantile,
        reads,
        priced: layout.is_priced(),
        same: (1..table.rows()).all(same),
        weights,
        shapes: parts::are_in(&model).then(|| parts::picture(&model)).transpose()?,
        certified,
        notes: notes.collect(),
        score,
        model: &model,
    };
    output::write_file(&args.out, &page(&content).into_string())?;
    output::remark(args.on.quiet, &format!("written: {}", args.out.display()));
    Ok(ExitCode::SUCCESS)
}

/// Returns true if the error says that a model is no weighted sum.
fn has_no_weights(error: &anyhow::Error) -> bool {
    let own = error.downcast_ref::<halfseen::Error>();
    own.is_some_and(|error| matches!(error.kind(), ErrorKind::NotLinear))
}

/// Counts the rows of each class by their prediction.
fn confusion(model: &Model, scores: &Scores, target: &Target) -> Option<Vec<Vec<usize>>> {
    let Target::Classes { codes, .. } = target else { return None };
    let mut counts = vec![vec![0; model.classes.len()]; model.classes.len()];
    for (row, &code) in codes.iter().enumerate() {
        counts[code as usize][scores.class(row)] += 1;
    }
    Some(counts)
}

/// Draws the observed numbers of groups of rows of similar prediction against the predicted ones.
fn calibration(scores: &Scores, target: &Target) -> Result<Option<String>> {
    let Target::Numbers(values) = target else { return Ok(None) };
    if values.len() < FEW {
        return Ok(None);
    }
    let mut pairs: Vec<(f64, f64)> =
        scores.values.iter().copied().zip(values.iter().copied()).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let group = |at: usize| {
        let part = &pairs[at * pairs.len() / GROUPS..(at + 1) * pairs.len() / GROUPS];
        let n = part.len() as f64;
        let (x, y) = part.iter().fold((0.0, 0.0), |(x, y), pair| (x + pair.0 / n, y + pair.1 / n));
        let deviation = (part.iter().map(|pair| (pair.1 - y).powi(2)).sum::<f64>() / n).sqrt();
        Point { x, y, low: y - deviation, high: y + deviation }
    };
    let points: Vec<Point> = (0..GROUPS).map(group).collect();
    let same = |x: f64| Point { x, y: x, low: f64::NAN, high: f64::NAN };
    let ends = [points[0].x, points[GROUPS - 1].x];
    Ok(Some(learning_curve(&Figure {
        title: "Observed against predicted, tenths of the rows".into(),
        x_label: "mean prediction of a tenth of the rows".into(),
        y_label: "mean observed, ± one standard deviation".into(),
        log_x: false,
        y_limit: None,
        reference: None,
        series: vec![
            Series { name: "observed".into(), points },
            Series { name: "if predictions were right".into(), points: ends.map(same).to_vec() },
        ],
    })?))
}

/// Draws the certified error against the number of deletions.
fn of_deletions(errors: &[(f64, f64)], numbers: bool, counted: bool) -> Result<String> {
    let point =
        |&(x, share): &(f64, f64)| Point { x, y: 100.0 * share, low: f64::NAN, high: f64::NAN };
    let name = if numbers { "may move further" } else { "wrong or can be changed" };
    Ok(learning_curve(&Figure {
        title: "What deletions can do at most".into(),
        x_label: match counted {
            true => "number of attributes that are deleted from a row".into(),
            false => "cost of the attributes that are deleted from a row".into(),
        },
        y_label: "share of the rows (%)".into(),
        log_x: false,
        y_limit: None,
        reference: None,
        series: vec![Series { name: name.into(), points: errors.iter().map(point).collect() }],
    })?)
}
