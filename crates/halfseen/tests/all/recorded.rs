//! Holds what every learner computes: fits to small tables of many sorts, compared with those that
//! `recorded.csv` keeps.
//!
//! A line is a learner, a table, settings, and what came of it: the kind of an error, or why the
//! fit stopped, reads, notes, objective, gap, scores of four rows that were not learned from,
//! intercept and three weights in scaled units, and a digest of the model file without its seconds.
//! Numbers are kept as bits. Without a gap they must agree to nine digits; with one objectives may
//! differ by both gaps, scores and weights by 1e-4 of the field's largest. `HALFSEEN_BITS=1`, for
//! one machine, wants the same bits and digests, and `HALFSEEN_RECORD=1` writes the file.

use crate::common::{subjects, subjects_of};
use halfseen::data::{Column, Csr, Matrix, Place, Scale, Table, Target, Task, TextColumn};
use halfseen::learner::{Family, Learner};
use halfseen::model::Model;
use halfseen::prepare::{Group, Missing, Moment, Options, Prepared};
use halfseen::registry::{find, label};
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Error, Silent};
use ndarray::{Array2, s};
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded.csv");
const HEADER: &str =
    "learner,table,settings,outcome,reads,distinct,notes,objective,gap,scores,weights,model";
/// The columns that hold numbers.
const NUMBERS: [&str; 4] = ["objective", "gap", "scores", "weights"];
const TRIED: [&str; 4] = ["declared", "two", "filled", "patchy"];
/// Learners with settings besides the usual ones, for the tables that are tried.
const OTHERS: &str = "\
aerr gaerr ddaerr ddaerr-2p: budget=3 step_rule=adagrad replacement=true / aerr aelr: passive=one
aerr aelr fiml: passive=all / pnorm: budget=3 p=auto project=true step=1x / geom: rounds=2 c=10
aer aerr: budget=3 centre=none average=all intercept=false horizon=500 / ridge: penalty=0.1
aer aelr: budget=4 total_budget=150 max_cost=5 seed=7 / gaerr: probabilities=0.3;0.3;0.1;0.1;0.1;0.1
ddaerr ddaelr: moments=online inner=mixed | budget=2 moments=1;2;0.5;1;1;3 inner=moments
ddaerr-2p ddaelr-2p: phase1=20 smoothing=1.3 inner=moments / ddaerr-2p: moment_norm=4 budget=3
baseline identity: budget=3 radius=1 | budget=4 centre=none intercept=false
baseline: moment_repair=stationary | moment_repair=diag-shift / fiml: total_budget=300 link=auto
aesvr: ball=l1 loss=hinge | budget=3 loss=exponential | loss=logistic norm_bound=2 radius=0.5
fiml: budget=2 design=uniform rank=1 deviations=3 | shape=auto | shape=additive budget=4 / mcb mc1: loss=squared label_weight=1
karma: solver=online | features=sketch:32 | degree=2 normalization=cosine
karma zero mean: loss=hinge normalization=uniform | loss=squared intercept=false
lasso svm mcb robust-lp: max_iter=2
robust-lp: threat=2 deletions=whole box_radius=2 | chunk=30 quantile=0.8
robust-lp robust-perceptron: threat=1 damage=noise margin=0.5 / ridge svm ogd: intercept=false
robust-lp robust-perceptron fdrop: threat=1 | costs=mi threat=2 / online-lasso: variant=ogd
online-lasso: variant=rda penalty=0.05 / robust-perceptron: passes=3 threat=1 deletions=whole";

/// A table with the target y, and how it is prepared.
struct Sample {
    name: &'static str,
    table: Table,
    options: Options,
}

/// Cells that go together, nearly normal, and what they tell: sums, the same on every machine.
fn draw(number: u64, rows: usize, columns: usize) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(2026, Purpose::Data, number);
    let mut normal = || (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
    let mut cells = Array2::from_shape_simple_fn((rows, columns), &mut normal);
    cells.rows_mut().into_iter().for_each(|mut row| row += 0.6 * normal());
    let weighed = |i, j| [0.9, -0.7, 0.0, 0.4][j % 4] * cells[[i, j]];
    let signal = |i| (0..columns).map(|j| weighed(i, j)).sum::<f64>();
    let targets = (0..rows).map(|i| signal(i) + 0.3 * normal()).collect();
    (cells, targets)
}

fn sample(name: &'static str, numbers: Matrix, texts: Vec<TextColumn>, y: Vec<f64>) -> Sample {
    let places = (0..numbers.columns()).map(Place::Number).chain((0..texts.len()).map(Place::Text));
    let named = places.enumerate().map(|(j, place)| Column { name: format!("x{j}"), place });
    let table = Table::new(numbers, texts, named.collect()).unwrap().with_column("y", y).unwrap();
    Sample { name, table, options: Options::default() }
}

fn samples() -> Vec<Sample> {
    let dense = |name, (number, rows, columns), cell: fn(f64, usize, usize) -> f64, target| {
        let (mut cells, y) = draw(number, rows, columns);
        cells.indexed_iter_mut().for_each(|((i, j), v)| *v = cell(*v, i, j));
        let target: fn(f64) -> f64 = target;
        sample(name, Matrix::F64(cells), vec![], y.into_iter().map(target).collect())
    };
    let (plain, two, same) = (|y| y, |y| f64::from(y > 0.3), |v, _, _| v);
    let hole = |v, i, j| if i == 3 || (i + 4 * j + i * j) % 5 == 0 { f64::NAN } else { v + 1.0 };
    let mut declared = dense("declared", (11, 120, 6), |v, _, j| 1.0 + v * (1 + j) as f64, plain);
    for (name, size) in (0..6).map(|j| (format!("x{j}"), f64::from(1 + j))) {
        let moment = Moment { square: 1.0 + 1.4 * size * size, mean: Some(1.0) };
        declared.options.moments.insert(name.clone(), moment);
        declared.options.bounds.insert(name, (-17.0, 19.0));
    }
    let mut grouped = dense("grouped", (12, 130, 9), same, plain);
    let columns = |all: &str| all.split(' ').map(str::to_owned).collect();
    grouped.options.groups = vec![Group { name: "a".to_owned(), columns: columns("x0 x1 x5") }];
    (grouped.options.known, grouped.options.prices) = (columns("x8"), [("a".into(), 2.0)].into());
    let mut filled = dense("filled", (5, 110, 6), hole, plain);
    let mut patchy = dense("patchy", (13, 100, 6), hole, two);
    (filled.options.missing, patchy.options.missing) = (Missing::Mean, Missing::Mean);
    patchy.options.scale = Some(Scale::None);
    let (cells, y) = draw(15, 100, 20);
    let kept: Vec<_> = cells.indexed_iter().filter(|(_, v)| **v > 0.9).collect();
    let starts = (0..=100).map(|i| kept.iter().filter(|((row, _), _)| *row < i).count()).collect();
    let (indices, values) = kept.iter().map(|((_, j), v)| (*j as u32, **v)).unzip();
    let sparse = Matrix::Csr(Csr::new(starts, indices, values, 20).unwrap());
    let sparse = sample("sparse", sparse, vec![], y.into_iter().map(two).collect());
    let (cells, y) = draw(16, 80, 9);
    let (y, bytes) = (y.into_iter().map(two).collect(), cells.mapv(|v| (128.0 + 40.0 * v) as u8));
    let bytes = sample("bytes", Matrix::U8(bytes), vec![], y);
    let (cells, y) = draw(2, 120, 5);
    let texts = [3, 4].map(|j| TextColumn {
        codes: cells.column(j).iter().map(|v| (v + 1.5).clamp(0.0, 2.0) as u32).collect(),
        levels: columns("red green blue"),
    });
    let text = sample("text", Matrix::F64(cells.slice_move(s![.., ..3])), texts.into(), y);
    let mut all = vec![text, filled, patchy, sparse, bytes, declared, grouped];
    all.extend([
        dense("numbers", (1, 160, 6), |v, _, _| 10.0 + 3.0 * v, plain),
        dense("two", (3, 120, 6), same, two),
        dense("three", (4, 90, 5), same, |y| f64::from(y > -0.7) + f64::from(y > 0.7)),
        dense("holes", (5, 110, 6), hole, plain),
        dense("constant", (6, 80, 5), |v, _, j| if j == 1 { 7.0 } else { v }, plain),
        dense("sizes", (7, 100, 6), |v, _, j| v * [1e-4, 1.0, 1e3, 1e6, 0.1, 30.0][j], two),
        dense("weighted", (14, 90, 5), same, two),
        dense("wide", (8, 28, 30), same, two),
        dense("tails", (9, 300, 5), |v, _, _| v.powi(5), |y| y.powi(3)),
    ]);
    all
}

impl Sample {
    /// What comes of a fit: the fields after the key.
    fn outcome(&self, learner: &dyn Learner) -> Result<String, Error> {
        let (test, classes) = (self.table.rows() - 4, self.name == "three");
        let rows: Vec<u32> = (0..test as u32).collect();
        let target = Target::read(&self.table, "y", classes.then_some(Task::Classification))?;
        let (target, options) = (("y", &target), self.options.clone().for_fit(&learner.needs()));
        let weights: Vec<f64> = (0..self.table.rows()).map(|row| (row % 4) as f64).collect();
        let prepared = match self.name {
            "weighted" => Prepared::with_weights(&self.table, target, &rows, &weights, &options)?,
            _ => Prepared::new(&self.table, target, &rows, &options)?,
        };
        let mut fit = learner.fit(&prepared.examples(), &Silent)?;
        fit.report.seconds = 0.0;
        let weights = fit.linear().map(|l| [&[l.intercept], &l.weights[..3]].concat());
        let model = Model::of(learner, &prepared, target, fit);
        let tested = self.table.select_rows(&[test, test + 1, test + 2, test + 3]);
        let (scores, report) = (model.predict(&tested)?.scores.values, &model.report);
        let (objective, gap) = (report.objective.as_slice(), report.gap.as_slice());
        let digests = [objective, gap, &scores, &weights.unwrap_or_default()].map(bits).join(",");
        let notes = report.notes.iter().map(tag).collect::<Vec<_>>().join(" ");
        let (stop, reads, distinct) = (tag(&report.stop), report.reads, report.distinct);
        Ok(format!("{stop},{reads},{distinct},{notes},{digests},{}", digest(&model.to_json()?)))
    }
}

/// The name of a variant.
fn tag(value: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(value).unwrap();
    let words: Vec<&str> = text.split('"').collect();
    // A remark tells what it is about.
    words[if words[1] == "remark" { 5 } else { 1 }].to_owned()
}

fn bits(values: &[f64]) -> String {
    values.iter().map(|v| format!("{:x}", v.to_bits())).collect::<Vec<_>>().join(" ")
}

fn numbers(text: &str) -> Vec<f64> {
    text.split_whitespace().map(|w| f64::from_bits(u64::from_str_radix(w, 16).unwrap())).collect()
}

/// FNV-1a.
fn digest(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// Every line: the usual settings on every table, the others on some.
fn computed() -> String {
    let usual = |l: &dyn Learner| if l.family() == Family::Budget { "budget=3" } else { "" };
    let every = subjects().into_iter().map(|learner| (label(&*learner), usual(&*learner), false));
    let others = OTHERS.split(['\n', '/']).flat_map(|some| {
        let (names, all) = some.trim().split_once(": ").unwrap();
        let names = subjects_of(names.split(' ')).into_iter();
        names.flat_map(|n| all.split(" | ").map(move |settings| (n, settings, true)))
    });
    let runs: Vec<_> = every.chain(others).collect();
    let mut text = format!("{HEADER}\n");
    for sample in samples() {
        for (name, settings, _) in runs.iter().filter(|r| !r.2 || TRIED.contains(&sample.name)) {
            let mut learner = find(name).unwrap();
            for (key, value) in settings.split_whitespace().map(|s| s.split_once('=').unwrap()) {
                learner.set(key, &value.replace(';', ",")).unwrap();
            }
            let outcome = sample.outcome(&*learner);
            let outcome = outcome.unwrap_or_else(|e| crate::common::kind(&e) + &",".repeat(8));
            text += &format!("{name},{},{settings},{outcome}\n", sample.name);
        }
    }
    text
}

/// The fields of each line by their columns, by learner, table and settings.
fn lines(text: &str) -> BTreeMap<Vec<&str>, BTreeMap<&str, &str>> {
    let fields = text.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    fields.map(|f| (f[..3].to_vec(), HEADER.split(',').zip(f).collect())).collect()
}

/// Whether numbers are near what they were.
fn near(what: &str, old: &BTreeMap<&str, &str>, new: &BTreeMap<&str, &str>) -> bool {
    let [a, b, old_gap, new_gap] = [old[what], new[what], old["gap"], new["gap"]].map(numbers);
    let size = |values: &[f64]| values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let most = |v: f64| match (what, &*old_gap, &*new_gap) {
        ("objective", [old], [new]) => old + new + 1e-9 * v.abs(),
        // A gap that grew would let any objective pass.
        ("gap", [gap], _) => 9.0 * gap + 1e-9 * size(&numbers(old["objective"])),
        ("scores" | "weights", [_], [_]) => 1e-4 * size(&a),
        _ => 1e-9 * v.abs(),
    };
    let close = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= most(*a).max(1e-12);
    a.len() == b.len() && a.iter().zip(&b).all(close)
}

#[test]
fn every_learner_computes_what_is_recorded() {
    let (is_set, outputs) = (|name| std::env::var(name).is_ok_and(|v| v == "1"), computed());
    if is_set("HALFSEEN_RECORD") {
        std::fs::write(FILE, &outputs).unwrap();
    }
    let recorded = std::fs::read_to_string(FILE).unwrap();
    assert_eq!(recorded.lines().next(), Some(HEADER));
    let (before, after, exact) = (lines(&recorded), lines(&outputs), is_set("HALFSEEN_BITS"));
    let tables: BTreeSet<&str> = before.keys().map(|key| key[1]).collect();
    assert!(tables.len() >= 12, "only {tables:?}");
    for name in subjects().iter().map(|learner| label(&**learner)) {
        let fits = before.values().filter(|l| l["learner"] == name && !l["model"].is_empty());
        assert!(fits.count() >= 4, "few fits of {name}");
    }
    let none: BTreeMap<&str, &str> = HEADER.split(',').map(|what| (what, "")).collect();
    let mut differing = Vec::new();
    for key in before.keys().chain(after.keys().filter(|key| !before.contains_key(*key))) {
        let (old, new) = (before.get(key).unwrap_or(&none), after.get(key).unwrap_or(&none));
        let numeric = |what: &str| NUMBERS.contains(&what);
        let nearly = |what: &str| what == "model" || numeric(what) && near(what, old, new);
        let differs = |what: &&str| old[what] != new[what] && (exact || !nearly(what));
        // Of another outcome all else is other, too.
        let most = if old["outcome"] == new["outcome"] { 9 } else { 1 };
        for what in HEADER.split(',').skip(3).filter(differs).take(most) {
            let shown = |s| if numeric(what) { format!("{:?}", numbers(s)) } else { s.to_owned() };
            let (old, new) = (shown(old[what]), shown(new[what]));
            differing.push(format!("{}: {what}: '{old}' before, '{new}' after", key.join(", ")));
        }
    }
    let some = differing.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(differing.is_empty(), "{} fields differ:\n{some}", differing.len());
}
