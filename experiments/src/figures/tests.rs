//! Checks the arms of every experiment, and runs small experiments from end to end.

use super::*;
use crate::problem::{Problem, Sources};
use crate::protocol::Protocol;
use crate::results::{packed, unpacked};
use crate::synthetic::{decaying, sparse};
use crate::tuned::{Load, Points};
use halfseen::learner::with;
use halfseen::select::FoldSummary;
use halfseen_synthetic::{Decay, Weights};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[test]
fn every_arm_is_in_range_and_has_a_name_of_its_own() {
    for experiment in EXPERIMENTS {
        let mut ids = BTreeSet::new();
        for arm in (experiment.arms)() {
            assert!(
                ids.insert(arm.id.clone()),
                "{}: two arms are called {}",
                experiment.name,
                arm.id
            );
            let learner = arm.learner(784).unwrap();
            for setting in [arm.settings(false), arm.settings(true)].concat() {
                with(learner.clone(), &setting).unwrap().check().unwrap();
            }
        }
    }
}

#[test]
fn headers_state_the_full_grids() {
    for experiment in EXPERIMENTS {
        let stated: BTreeSet<&str> =
            experiment.source.lines().filter_map(|line| line.strip_prefix("//! - ")).collect();
        let grids = (experiment.arms)().iter().map(Arm::grid_line).collect::<BTreeSet<_>>();
        let searched: BTreeSet<&str> =
            grids.iter().map(String::as_str).filter(|line| !line.ends_with(": ")).collect();
        assert_eq!(stated, searched, "{}", experiment.name);
    }
}

const SMALL: Protocol = Protocol {
    quick: true,
    splits: 2,
    folds: 2,
    runs: 2,
    by: FoldSummary::Median,
    clip: true,
    usual: (3, 3),
    every: 5,
    seed: 3,
};

fn small_arms() -> Vec<Arm> {
    let aerr = Arm::new("aerr", "AERR").set("budget", 3);
    let aerr =
        aerr.grids(&[("radius", &["1"])], &[("radius", &["0.5", "1"]), ("step", &["1x", "3.2x"])]);
    vec![aerr, Arm::new("ridge", "ridge").grids(&[], &[("radius", &["0.5", "1"])])]
}

fn context<'a>(sources: &'a Sources, out: &Path) -> Context<'a> {
    Context {
        name: "small",
        protocol: SMALL,
        sources,
        out: out.to_owned(),
        told: false,
        stored: false,
    }
}

fn load() -> Load<'static> {
    Box::new(|| decaying(Decay::Power(1.0), Weights::Aligned, 12, 300, 1))
}

fn run(out: &Path, arms: &[Arm], threads: usize) -> crate::results::Results {
    let sources = Sources::default();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let points = Points::Curve { points: 4, budget: 3 };
    pool.install(|| context(&sources, out).run(&[load()], arms, &|_| points)).unwrap()
}

#[test]
fn a_run_that_goes_on_gives_the_same_file_on_any_number_of_threads() {
    let [straight, stopped] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    let arms = small_arms();
    let expected = run(straight.path(), &arms, 1);
    let file = |folder: &Path| folder.join("small.quick.csv");
    let text = |folder: &Path| unpacked(&packed(&file(folder))).unwrap().unwrap();
    let whole = text(straight.path());
    // Two arms x two splits; the arm that sees all is tested at equal reads too.
    assert_eq!(expected.rows.iter().filter(|r| r.point == 0).count(), 4);
    assert!(
        expected.of("power-1-d12", "ridge").count() > expected.of("power-1-d12", "aerr").count()
    );

    run(stopped.path(), &arms[1..], 2);
    assert_eq!(run(stopped.path(), &arms, 2), expected);
    assert_eq!(text(stopped.path()), whole);
    // What is there is not computed again: a changed figure stays.
    let reads = format!(",{},", expected.rows[0].reads);
    fs::write(file(stopped.path()), whole.replacen(&reads, ",7777777,", 1)).unwrap();
    assert!(run(stopped.path(), &arms, 2).rows.iter().any(|row| row.reads == 7_777_777));
    // Nor where only what is stored is asked for; what is not stored is named.
    let sources = Sources::default();
    let stored = |folder: &Path| {
        let context = Context { stored: true, ..context(&sources, folder) };
        context.run(&[load()], &arms, &|_| Points::Curve { points: 4, budget: 3 })
    };
    assert_eq!(stored(straight.path()).unwrap(), expected);
    let empty = tempfile::tempdir().unwrap();
    let error = stored(empty.path()).unwrap_err().to_string();
    assert!(error.contains("4 results are not stored") && error.contains("arm aerr"), "{error}");
    // Other data of the same name and size, or another seed, is another key.
    let arm = &arms[0];
    let keys = [1, 2].map(|seed| {
        SMALL.key(
            &decaying(Decay::Power(1.0), Weights::Aligned, 12, 300, seed).unwrap(),
            arm,
            &[300],
        )
    });
    assert_ne!(keys[0], keys[1]);
    let other =
        Context { protocol: Protocol { seed: 4, ..SMALL }, ..context(&sources, stopped.path()) };
    let other = other.run(&[load()], &arms, &|_| Points::End).unwrap();
    assert!(
        other
            .rows
            .iter()
            .all(|row| row.reads != 7_777_777 && expected.rows.iter().all(|e| e.key != row.key))
    );
}

#[test]
fn learning_lowers_the_excess_and_full_information_lowers_it_most() {
    let out = tempfile::tempdir().unwrap();
    let results = run(out.path(), &small_arms(), 2);
    let end = |arm| results.end("power-1-d12", arm, |row| Some(row.squared)).unwrap().mean;
    // At the start the excess is the sum of mu_i^2, above 1/12.
    assert!(
        end("ridge") < 0.01 && end("ridge") < end("aerr") && end("aerr") < 0.15,
        "{} {}",
        end("ridge"),
        end("aerr")
    );
}

#[test]
fn a_class_target_on_sparse_rows_is_scored_both_ways() {
    let out = tempfile::tempdir().unwrap();
    let sources = Sources::default();
    let load: Load<'_> = Box::new(|| -> Result<Problem> { sparse(60, 400, 2) });
    let results =
        context(&sources, out.path()).run(&[load], &small_arms(), &|_| Points::End).unwrap();
    let wrong = results.end("sparse", "ridge", |row| row.wrong).unwrap().mean;
    let squared = results.end("sparse", "ridge", |row| Some(row.squared)).unwrap().mean;
    assert!(wrong < 0.4 && squared < 1.0, "{wrong} {squared}");
}

#[test]
fn the_first_figure_shows_four_pixels_of_each_digit() {
    let out = tempfile::tempdir().unwrap();
    let sources = Sources::default();
    let body = (EXPERIMENTS[0].make)(&Context {
        name: EXPERIMENTS[0].name,
        ..context(&sources, out.path())
    })
    .unwrap();
    let svg = fs::read_to_string(out.path().join("a-figure-1.quick.svg")).unwrap();
    assert!(body.contains("a-figure-1.quick.svg"));
    assert_eq!(
        svg.matches(r##"height="4" fill="rgb("##).count() - svg.matches(r##")"/>"##).count(),
        24
    );
}
