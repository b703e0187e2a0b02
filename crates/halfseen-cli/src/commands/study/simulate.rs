//! Runs `halfseen study simulate`: plays studies of several learners and budgets on a pilot, and
//! reports the error that their money buys.

use super::schema_of;
use crate::args::study_simulate::SimulateArgs;
use crate::commands::predict::quoted;
use crate::terminal::failure::usage_error;
use crate::terminal::format::{counted, grouped, number, rounded, thousands};
use crate::terminal::output::{align, check_writable, print, remark, write_file};
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use halfseen::solve::Quiet;
use halfseen_io::draw::{Figure, Point, Series, learning_curve};
use halfseen_io::{CsvOptions, read_csv};
use halfseen_study::{
    AttributeKind, Events, Interval, Pilot, Played, Setup, Simulation, StudySchema, interval,
};
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

/// Studies of one learner and budget, one for each seed.
struct Design {
    learner: String,
    budget: u64,
    setup: Setup,
    played: Vec<Played>,
}

/// Mean over the seeds, at one moment of the study.
struct Row {
    subjects: f64,
    complete: f64,
    reads: f64,
    cost: f64,
    error: Interval,
}

pub(super) fn run(args: &SimulateArgs) -> Result<ExitCode> {
    let inputs: [&Path; 2] = [&args.schema, &args.pilot];
    for (flag, path) in [("--out", &args.out), ("--plot", &args.plot)] {
        path.as_deref().map_or(Ok(()), |path| check_writable(flag, path, &inputs))?;
    }
    let schema = schema_of(&args.schema, &args.target, &args.classes)?;
    let name = || args.pilot.display().to_string();
    let table = read_csv(&*args.pilot, &CsvOptions::default())?;
    let pilot = Pilot::new(table, &schema).with_context(name)?;
    let mut designs = designs(args, &schema)?;
    let events = Events {
        dropout: args.dropout,
        refusal: args.refusal,
        late: args.delay,
        amended: args.amended,
    };
    let total = designs.len() as u64 * args.seeds;
    let progress = Progress::new("simulating", args.quiet);
    for (at, design) in designs.iter_mut().enumerate() {
        for seed in 0..args.seeds {
            halfseen::Monitor::progress(&progress, at as u64 * args.seeds + seed, total);
            let folder = tempfile::tempdir().context("a folder for the simulated studies")?;
            let simulation = Simulation {
                pilot: &pilot,
                setup: &design.setup,
                subjects: args.subjects,
                wave: args.wave,
                events,
                test_share: args.test_share,
                seed: args.seed + seed,
            };
            let what = || format!("{} with budget {}", design.learner, design.budget);
            let file = folder.path().join("study.hs");
            let played = simulation.play(&file, &Quiet(&progress)).with_context(what)?;
            design.played.push(played);
        }
    }
    drop(progress);
    warn(args, &designs);
    if let Some(out) = &args.out {
        write_file(out, &csv(&designs, args.seed))?;
    }
    if let Some(plot) = &args.plot {
        draw(plot, &designs, &schema, &args.pilot.display().to_string())?;
    }
    let text = if args.json {
        format!("{:#}\n", as_json(args, &designs, events))
    } else {
        text(&designs, &schema, args.seeds)
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns a setup for each learner and budget; all are checked before any is played.
fn designs(args: &SimulateArgs, schema: &StudySchema) -> Result<Vec<Design>> {
    let readable = schema.attributes.iter().filter(|attribute| !attribute.known).count() as u64;
    let mut designs = Vec::new();
    for learner in &args.learners {
        for &budget in &args.budgets {
            if budget > readable {
                return usage_error(format!(
                    "--budgets {budget}: the schema has {readable} attributes that can be read"
                ));
            }
            let mut settings = vec![("budget".to_owned(), budget.to_string())];
            settings.extend(args.total_cost.map(|m| ("total_cost".to_owned(), m.to_string())));
            let what = || format!("{learner} with budget {budget}");
            let setup = Setup::new(schema.clone(), learner, &settings).with_context(what)?;
            designs.push(Design { learner: learner.clone(), budget, setup, played: Vec::new() });
        }
    }
    Ok(designs)
}

/// Says what makes the figures less than they seem.
fn warn(args: &SimulateArgs, designs: &[Design]) {
    let repeated = designs.iter().flat_map(|d| &d.played).map(|p| p.repeated).max().unwrap_or(0);
    if repeated > 0 {
        remark(
            false,
            &format!(
                "WARNING: the pilot has too few rows: {} of the {} subjects of a study are rows that it had before. Errors after that are wrong: repeated rows teach less than new subjects. Ask for fewer --subjects, or collect a larger pilot",
                grouped(repeated),
                grouped(args.subjects)
            ),
        );
    }
    if designs.iter().flat_map(|design| &design.played).any(|played| played.is_spent) {
        remark(
            args.quiet,
            "remark: in some studies the money was spent before all subjects were asked; see the column subjects",
        );
    }
}

impl Design {
    /// Returns the means over the seeds at each moment.
    fn rows(&self) -> Vec<Row> {
        let moments = self.played.iter().map(|played| played.points.len()).min().unwrap_or(0);
        // The last moment is the end, in all studies.
        let row = |before: usize| {
            let at = |played: &Played| played.points[played.points.len() - 1 - before];
            let of = |value: fn(&halfseen_study::SimulatedPoint) -> f64| {
                interval(&self.played.iter().map(|played| value(&at(played))).collect::<Vec<_>>())
            };
            Row {
                subjects: of(|p| p.subjects as f64).mean,
                complete: of(|p| p.complete as f64).mean,
                reads: of(|p| p.reads).mean,
                cost: of(|p| p.cost).mean,
                error: of(|p| p.error),
            }
        };
        (0..moments).rev().map(row).collect()
    }
}

/// Names the error, with its unit.
fn measure(schema: &StudySchema) -> String {
    match schema.target.kind {
        AttributeKind::Category(_) => "share of wrong classes".to_owned(),
        _ => format!("squared error / variance of {}", schema.target.name),
    }
}

fn text(designs: &[Design], schema: &StudySchema, seeds: u64) -> String {
    let header =
        ["learner", "budget", "subjects", "complete", "reads", "money", "error", "90 % interval"];
    let mut rows = vec![Vec::from(header.map(str::to_owned))];
    for design in designs {
        for row in design.rows() {
            let ends = row.error.ends;
            rows.push(vec![
                design.learner.clone(),
                design.budget.to_string(),
                thousands(row.subjects),
                thousands(row.complete),
                thousands(row.reads),
                rounded((row.cost * 10.0).round() / 10.0),
                number(row.error.mean),
                ends.map_or("-".to_owned(), |(low, high)| {
                    format!("{} to {}", number(low), number(high))
                }),
            ]);
        }
    }
    let of: Vec<&Played> = designs.iter().flat_map(|design| &design.played).collect();
    let mean = |count: fn(&Played) -> u64, one: &str, many: &str| {
        let sum: u64 = of.iter().map(|played| count(played)).sum();
        counted((sum as f64 / of.len().max(1) as f64).round_ties_even() as u64, one, many)
    };
    let most = of.iter().map(|played| played.repeated).max().unwrap_or(0);
    format!(
        "{}error: {} on rows of the pilot that took no part; mean over {}, interval by Student's t\na study had {}, {} lost, {} refused, {} late, {} amended (means); most rows repeated: {}\n",
        align(&rows),
        measure(schema),
        counted(seeds, "seed", "seeds"),
        mean(|p| p.waves, "wave", "waves"),
        mean(|p| p.lost, "subject", "subjects"),
        mean(|p| p.refused, "value", "values"),
        mean(|p| p.late, "subject", "subjects"),
        mean(|p| p.amended, "value", "values"),
        grouped(most)
    )
}

fn csv(designs: &[Design], first: u64) -> String {
    let mut text = "learner,budget,seed,subjects,complete,reads,money,error,repeated\n".to_owned();
    for design in designs {
        for (seed, played) in (first..).zip(&design.played) {
            for p in &played.points {
                text.push_str(&format!(
                    "{},{},{seed},{},{},{},{},{},{}\n",
                    quoted(&design.learner),
                    design.budget,
                    p.subjects,
                    p.complete,
                    p.reads,
                    p.cost,
                    p.error,
                    played.repeated
                ));
            }
        }
    }
    text
}

fn as_json(args: &SimulateArgs, designs: &[Design], events: Events) -> serde_json::Value {
    let shown = designs.iter().map(|design| {
        let rows = design.rows().into_iter().map(|row| {
            json!({
                "subjects": row.subjects, "complete": row.complete, "reads": row.reads,
                "cost": row.cost, "error": row.error.mean,
                "low": row.error.ends.map(|ends| ends.0), "high": row.error.ends.map(|ends| ends.1),
            })
        });
        json!({
            "learner": design.learner, "budget": design.budget,
            "summary": rows.collect::<Vec<_>>(), "studies": design.played,
        })
    });
    json!({
        "target": args.target, "subjects": args.subjects, "wave": args.wave, "events": events,
        "seeds": args.seeds, "seed": args.seed, "designs": shown.collect::<Vec<_>>(),
    })
}

/// Writes a picture of the error against the money, a line for each learner and budget.
fn draw(path: &Path, designs: &[Design], schema: &StudySchema, title: &str) -> Result<()> {
    let series = designs.iter().map(|design| {
        let points = design.rows().into_iter().map(|row| {
            let (low, high) = row.error.ends.unwrap_or((f64::NAN, f64::NAN));
            Point { x: row.cost, y: row.error.mean, low: low.max(0.0), high }
        });
        let name = format!("{}, {} reads", design.learner, design.budget);
        Series { name, points: points.collect() }
    });
    let figure = Figure {
        title: title.to_owned(),
        x_label: "money".to_owned(),
        y_label: format!("{} (90 %)", measure(schema)),
        log_x: true,
        y_limit: None,
        reference: None,
        series: series.collect(),
    };
    write_file(path, &learning_curve(&figure)?)
}
