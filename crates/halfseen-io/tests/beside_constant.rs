//! Compares every learner with a constant on real tables: no learner is worse than always
//! predicting the mean without a warning.
//!
//! Fits are those of the program's `fit`: default parameters and scale, honest for learners that
//! choose their reads. A *cell* is a learner (with its budget), a table and a number of training
//! rows; its three seeds draw training rows, test rows and the learner's own draws. The *excess* of
//! a fit is its mean loss on the test rows less that of the training rows' mean, as a share of
//! var(y). The loss is the squared error; for a learner whose score is a margin it is that of the
//! predicted class, -1 or +1, and the constant is the most frequent class.
//!
//! 1. The mean excess over all fits of all learners is below 0, whether they warn or not. So is the
//!    mean of each learner; for a published learner a fit that warns counts as 0, because a user
//!    who heeds the warning predicts the mean.
//! 2. No cell's mean excess is above 0.05 at a family-wise level of 5 %. Three seeds do not suffice
//!    to estimate a cell's variance, so the larger of two others is used: that of a sound cell of
//!    the same size, and that of the test rows. (Variances with two degrees of freedom are
//!    exponential: their lower quartile is 0.288 of their mean and, unlike the mean, is that of
//!    sound cells even if only a quarter of the cells are.) The quantile is the bound P(Z > z) <=
//!    exp(-z^2/2) / 2 at 5 % divided by the number of cells (Bonferroni). A published learner,
//!    whose theory gives no guarantee there, may be above if its fits above warn: all but 5 % of
//!    them, because a learner's own test has its own level (two standard errors) and at 10 rows
//!    uses ten numbers.
//! 3. A warning that always comes is useless: of fits to at least 100 rows that are better than the
//!    constant by 0.3 var(y), few may be doubted by their own test. Published budgeted learners are
//!    exempt, and their share is only printed: they test the iterate of the time of each query,
//!    early and late in the pass, on the few reads of one example, and so doubt many sound fits.
//!
//! `HALFSEEN_TABLES` names the folder of the tables; without it nothing is tested, and a line says
//! so. With `HALFSEEN_CELLS` every fit is written to the file of that name: learner, table, rows,
//! seed, excess, its standard error from the test rows, whether it warned, seconds of the fit alone
//! and with its own test.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a program that tests

use halfseen::Silent;
use halfseen::data::{Table, Target};
use halfseen::learner::{Family, Learner};
use halfseen::model::{Model, Note, Scores};
use halfseen::prepare::{Missing, Options, Prepared};
use halfseen::registry::{label, variants};
use halfseen::sampling::{Purpose, Stream, shuffle};
use halfseen::select::tested;
use halfseen_io::read_data;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

/// Files and targets.
const TABLES: [(&str, &str); 12] = [
    ("dev/elevators.csv.gz", "target"),
    ("dev/puma32h.csv.gz", "target"),
    ("dev/cpu_act.csv.gz", "target"),
    ("dev/bike.csv.gz", "target"),
    ("dev/meats.csv.gz", "target"),
    ("boston.csv", "medv"),
    ("communities.csv", "ViolentCrimesPerPop"),
    ("dev/sonar.csv.gz", "target"),
    ("dev/credit_a.csv.gz", "target"),
    ("spambase.csv", "spam"),
    ("hepatitis.csv", "class"),
    ("mammographic.csv", "Severity"),
];
/// Numbers of training rows; the last is limited to four fifths of the table.
const ROWS: [usize; 3] = [10, 100, 1_000];
/// Reads per example, or all its attributes.
const BUDGETS: [usize; 2] = [2, 8];
const SEEDS: u64 = 3;
/// Largest share of the fits in cells above the constant that may not warn.
const SILENT: f64 = 0.05;
/// A learner that takes minutes with more columns than this.
const SLOW: (&str, usize) = ("robust-lp", 60);
/// Largest number of test rows of one seed.
const TESTED: usize = 500;
/// Excess over the constant that a cell may have, as a share of var(y).
const ALLOWED: f64 = 0.05;
/// The family-wise level.
const LEVEL: f64 = 0.05;
/// Largest number of cells or fits that a failure lists.
const SHOWN: usize = 20;
/// A fit whose excess is below this share of var(y) is clearly better, ...
const CLEARLY: f64 = -0.3;
/// ... and at most this share of such fits may doubt it.
const NEEDLESS: f64 = 0.25;

/// One table with its target.
struct Case {
    name: &'static str,
    table: Table,
    target_name: &'static str,
    target: Target,
    /// One number per row: the target, or -1 and +1.
    scores: Vec<f64>,
    /// var(y).
    variance: f64,
}

/// One fit compared with the constant.
struct Outcome {
    learner: String,
    published: bool,
    /// True if it reads some attributes of an example, not all.
    budgeted: bool,
    table: &'static str,
    rows: usize,
    seed: u64,
    /// As a share of var(y).
    excess: f64,
    /// Variance of `excess` due to the test rows.
    of_tests: f64,
    /// True if a note warns that predictions may be no better than a constant, ...
    warned: bool,
    /// ... and if it comes from the learner's own test.
    doubted: bool,
    /// Seconds of the fit, and with its own test.
    alone: f64,
    seconds: f64,
}

/// The three seeds of a learner, a table and a number of rows.
struct Cell<'o> {
    fits: Vec<&'o Outcome>,
    mean: f64,
    /// Between seeds.
    variance: f64,
    /// Due to the test rows, of the mean.
    of_tests: f64,
}

fn main() {
    let filters = std::env::args().skip(1).filter(|a| !a.starts_with('-'));
    if std::env::args().any(|a| a == "--list")
        || filters.into_iter().any(|f| !"beside_constant".contains(&*f))
    {
        return;
    }
    let Some(folder) = std::env::var_os("HALFSEEN_TABLES") else {
        println!(
            "SKIPPED beside_constant: HALFSEEN_TABLES names no folder of tables (see its first lines)"
        );
        return;
    };
    let cases: Vec<Case> =
        TABLES.iter().map(|(file, target)| Case::read(Path::new(&folder), file, target)).collect();
    let mut tasks: Vec<(&Case, usize, u64)> = cases
        .iter()
        .flat_map(|case| {
            case.sizes()
                .into_iter()
                .flat_map(move |rows| (0..SEEDS).map(move |seed| (case, rows, seed)))
        })
        .collect();
    tasks.sort_by_key(|(_, rows, _)| *rows);
    let listed = std::env::var_os("HALFSEEN_CELLS")
        .map(|path| Mutex::new(std::fs::File::create(path).unwrap()));
    let outcomes: Vec<Outcome> = tasks
        .into_par_iter()
        .flat_map_iter(|(case, rows, seed)| {
            let fits = case.fits(rows, seed);
            listed.iter().for_each(|file| {
                fits.iter()
                    .for_each(|fit| writeln!(file.lock().unwrap(), "{}", fit.line()).unwrap())
            });
            fits
        })
        .collect();
    let cells = cells(&outcomes);
    println!("{}", summary(&cells));
    let (few, rest): (Vec<&Outcome>, Vec<&Outcome>) =
        outcomes.iter().partition(|fit| fit.published && fit.budgeted);
    let (doubted, clearly) = doubts(&few);
    println!("{doubted} of {clearly} clearly better fits of published budgeted learners doubt it");
    let failures = [whole_list(&cells), each_cell(&cells), needless(&rest)].concat();
    failures.iter().for_each(|failure| println!("FAILED {failure}"));
    assert!(failures.is_empty(), "{} of the promises do not hold", failures.len());
}

impl Case {
    fn read(folder: &Path, file: &'static str, target_name: &'static str) -> Case {
        let table = read_data(folder.join(file)).unwrap();
        let target = Target::read(&table, target_name, None).unwrap();
        let scores = target.scores().unwrap();
        let n = scores.len() as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let variance = scores.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n;
        let name = file.rsplit('/').next().unwrap().split('.').next().unwrap();
        Case { name, table, target_name, target, scores, variance }
    }

    fn sizes(&self) -> Vec<usize> {
        let mut sizes: Vec<usize> =
            ROWS.iter().map(|&rows| rows.min(self.scores.len() * 4 / 5)).collect();
        sizes.dedup();
        sizes
    }

    /// Draws training and test rows; both classes are in the training rows.
    fn split(&self, rows: usize, seed: u64) -> (Vec<u32>, Vec<usize>) {
        let mut order: Vec<u32> = (0..self.scores.len() as u32).collect();
        shuffle(&mut Stream::new(seed, Purpose::Split, rows as u64), &mut order);
        let value = |row: u32| self.scores[row as usize];
        if order[..rows].iter().all(|&row| value(row) == value(order[0])) {
            let other =
                (rows..order.len()).find(|&at| value(order[at]) != value(order[0])).unwrap();
            order.swap(rows - 1, other);
        }
        let test = order[rows..].iter().take(TESTED).map(|&row| row as usize).collect();
        (order[..rows].to_vec(), test)
    }

    /// Fits every learner that can learn this target.
    fn fits(&self, rows: usize, seed: u64) -> Vec<Outcome> {
        let (train, test) = self.split(rows, seed);
        let classes = self.target.classes().len();
        let able = variants().into_iter().filter(|learner| learner.needs().targets.allow(classes));
        let able = able.filter(|learner| {
            !(label(&**learner) == SLOW.0 && self.table.columns().len() > SLOW.1)
        });
        let budgeted = able.flat_map(|learner| {
            let attributes = self.table.columns().len() - 1;
            let budgets: &[usize] =
                if learner.family() == Family::Budget { &BUDGETS } else { &[0] };
            budgets.iter().map(move |&k| (learner.clone(), k, attributes)).collect::<Vec<_>>()
        });
        budgeted
            .map(|(learner, k, most)| self.fit(learner, (k, most), &train, &test, seed))
            .collect()
    }

    fn fit(
        &self,
        mut learner: Box<dyn Learner>,
        (budget, most): (usize, usize),
        train: &[u32],
        test: &[usize],
        seed: u64,
    ) -> Outcome {
        let mut name = label(&*learner).to_owned();
        let published = name != "fiml";
        if budget > 0 {
            learner.set("budget", &budget.min(most).to_string()).unwrap();
            write!(name, " k={budget}").unwrap();
        }
        if learner.get("seed").is_some() {
            learner.set("seed", &seed.to_string()).unwrap();
        }
        let missing = if learner.needs().holes { Missing::Keep } else { Missing::Mean };
        let options = Options { missing, ..Options::default() }.for_fit(&learner.needs());
        let named = (self.target_name, &self.target);
        let place = |e: halfseen::Error| -> halfseen::Error {
            panic!("{name} on {} rows of {}: {e}", train.len(), self.name)
        };
        let prepared = Prepared::new(&self.table, named, train, &options).map_err(place).unwrap();
        let began = std::time::Instant::now();
        let fit = tested(&*learner, &prepared.examples(), &Silent).map_err(place).unwrap();
        let (alone, seconds) = (fit.report.seconds, began.elapsed().as_secs_f64());
        let model = Model::of(&*learner, &prepared, named, fit);
        let scores = model.predict(&self.table.select_rows(test)).map_err(place).unwrap().scores;
        let excesses = self.excesses(train, test, &scores);
        let n = excesses.len() as f64;
        let excess = excesses.iter().sum::<f64>() / n;
        let of_tests = excesses.iter().map(|e| (e - excess).powi(2)).sum::<f64>() / (n * (n - 1.0));
        let warned = model.report.notes.iter().any(warns);
        let doubted =
            model.report.notes.iter().any(|note| matches!(note, Note::NotShownBetter { .. }));
        Outcome {
            learner: name,
            published,
            budgeted: budget > 0,
            table: self.name,
            rows: train.len(),
            seed,
            excess,
            of_tests,
            warned,
            doubted,
            alone,
            seconds,
        }
    }

    /// Returns the loss less the constant's for each test row.
    fn excesses(&self, train: &[u32], test: &[usize], scores: &Scores) -> Vec<f64> {
        let mean =
            train.iter().map(|&row| self.scores[row as usize]).sum::<f64>() / train.len() as f64;
        let told = |score: f64| {
            if scores.estimates {
                score
            } else if score > 0.0 {
                1.0
            } else {
                -1.0
            }
        };
        let loss =
            |score: f64, row: usize| (told(score) - self.scores[row]).powi(2) / self.variance;
        test.iter()
            .zip(&scores.values)
            .map(|(&row, &score)| loss(score, row) - loss(mean, row))
            .collect()
    }
}

/// Returns true if a note warns that predictions may be no better than a constant.
fn warns(note: &Note) -> bool {
    matches!(
        note,
        Note::NotShownBetter { .. } | Note::NoBetterThanConstant { .. } | Note::FewExamples { .. }
    )
}

fn cells(outcomes: &[Outcome]) -> Vec<Cell<'_>> {
    let mut grouped: BTreeMap<_, Vec<&Outcome>> = BTreeMap::new();
    for fit in outcomes {
        grouped.entry((&fit.learner, fit.table, fit.rows)).or_default().push(fit);
    }
    grouped.into_values().map(Cell::of).collect()
}

impl<'o> Cell<'o> {
    fn of(fits: Vec<&'o Outcome>) -> Cell<'o> {
        let n = fits.len() as f64;
        let mean = fits.iter().map(|fit| fit.excess).sum::<f64>() / n;
        let variance = fits.iter().map(|fit| (fit.excess - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let of_tests = fits.iter().map(|fit| fit.of_tests).sum::<f64>() / (n * n);
        Cell { fits, mean, variance, of_tests }
    }

    fn learner(&self) -> &str {
        &self.fits[0].learner
    }

    fn place(&self) -> String {
        format!("{} on {} rows of {}", self.learner(), self.fits[0].rows, self.fits[0].table)
    }

    /// Returns the group of cells with a common variance: 10 rows, about 100, more.
    fn size(&self) -> usize {
        ROWS.iter().filter(|&&rows| self.fits[0].rows >= rows).count()
    }
}

/// Returns the variance between seeds of a sound cell of each size.
fn sound(cells: &[Cell<'_>]) -> BTreeMap<usize, f64> {
    let mut grouped: BTreeMap<usize, Vec<f64>> = BTreeMap::new();
    cells.iter().for_each(|cell| grouped.entry(cell.size()).or_default().push(cell.variance));
    let quartile = |mut variances: Vec<f64>| {
        variances.sort_unstable_by(f64::total_cmp);
        // The quartile of an exponential with mean 1 is -ln 0.75.
        variances[variances.len() / 4] / -(0.75_f64.ln())
    };
    grouped.into_iter().map(|(size, variances)| (size, quartile(variances))).collect()
}

/// Checks the first claim.
fn whole_list(cells: &[Cell<'_>]) -> Vec<String> {
    let below = |(whose, mean): (&str, f64)| {
        let text = format!("{whose}: the mean excess over the constant is {mean:.3} var(y)");
        // Unlike its negation this catches NaN.
        let holds = mean < 0.0;
        (!holds).then_some(text)
    };
    let all = ("all learners", plain_mean(cells));
    means(cells).into_iter().chain([all]).filter_map(below).collect()
}

/// Returns the mean excess of all fits, whether they warn or not.
fn plain_mean(cells: &[Cell<'_>]) -> f64 {
    let fits: Vec<f64> = cells.iter().flat_map(|c| c.fits.iter().map(|fit| fit.excess)).collect();
    fits.iter().sum::<f64>() / fits.len() as f64
}

/// Returns the mean over all cells of each learner, by the rule of the first claim.
fn means<'c>(cells: &'c [Cell<'_>]) -> BTreeMap<&'c str, f64> {
    let mut grouped: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let fits = cells.iter().flat_map(|cell| cell.fits.iter().map(move |fit| (cell, fit)));
    for (cell, fit) in fits {
        let heeded = if fit.published && fit.warned { 0.0 } else { fit.excess };
        grouped.entry(cell.learner()).or_default().push(heeded);
    }
    grouped
        .into_iter()
        .map(|(learner, all)| (learner, all.iter().sum::<f64>() / all.len() as f64))
        .collect()
}

/// Returns the cells above the allowed excess plus chance.
fn above<'c, 'o>(cells: &'c [Cell<'o>]) -> Vec<&'c Cell<'o>> {
    let sound = sound(cells);
    let quantile = (2.0 * (cells.len() as f64 / (2.0 * LEVEL)).ln()).sqrt();
    let is = |cell: &&Cell<'_>| {
        let variance = (sound[&cell.size()] / cell.fits.len() as f64).max(cell.of_tests);
        let within = cell.mean - ALLOWED <= quantile * variance.sqrt();
        !within
    };
    cells.iter().filter(is).collect()
}

/// Checks the second claim.
fn each_cell(cells: &[Cell<'_>]) -> Vec<String> {
    let above = above(cells);
    let fits = above.iter().flat_map(|cell| cell.fits.iter().map(move |fit| (cell, fit)));
    let within = |fit: &Outcome| fit.excess <= ALLOWED;
    // Unlike its negation this catches NaN.
    let fits: Vec<_> = fits.filter(|(_, fit)| !within(fit)).collect();
    let text = |cell: &Cell<'_>, fit: &Outcome| {
        format!("{}, seed {}: {:.3}", cell.place(), fit.seed, fit.excess)
    };
    let (published, ours): (Vec<_>, Vec<_>) = fits.into_iter().partition(|(_, fit)| fit.published);
    let silent: Vec<String> = published
        .iter()
        .filter(|(_, fit)| !fit.warned)
        .map(|(cell, fit)| text(cell, fit))
        .collect();
    let mut failures: Vec<String> =
        ours.iter().map(|(cell, fit)| format!("above the constant: {}", text(cell, fit))).collect();
    if silent.len() as f64 > SILENT * published.len() as f64 {
        let count = format!(
            "{} of {} fits above the constant do not say so",
            silent.len(),
            published.len()
        );
        failures.push(format!(
            "{count}: {}",
            silent.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("; ")
        ));
    }
    failures
}

/// Checks the third claim.
fn needless(outcomes: &[&Outcome]) -> Vec<String> {
    let (doubted, clearly) = doubts(outcomes);
    let text =
        format!("{doubted} of {clearly} fits that are clearly better than the constant doubt it");
    (doubted as f64 > NEEDLESS * clearly as f64).then_some(text).into_iter().collect()
}

/// Counts the fits that are clearly better than the constant but doubt it, and all that are better.
fn doubts(outcomes: &[&Outcome]) -> (usize, usize) {
    let clearly = || outcomes.iter().filter(|fit| fit.excess < CLEARLY && fit.rows >= ROWS[1]);
    (clearly().filter(|fit| fit.doubted).count(), clearly().count())
}

fn summary(cells: &[Cell<'_>]) -> String {
    let mut text =
        String::from("learner                 mean excess  above  warned   worst cell\n");
    let above: Vec<*const Cell<'_>> =
        above(cells).into_iter().map(|cell| cell as *const _).collect();
    for (learner, mean) in means(cells) {
        let own: Vec<&Cell<'_>> = cells.iter().filter(|cell| cell.learner() == learner).collect();
        let bad = own.iter().filter(|cell| above.contains(&(**cell as *const _))).count();
        let fits: Vec<&&Outcome> = own.iter().flat_map(|cell| &cell.fits).collect();
        let warned = fits.iter().filter(|fit| fit.warned).count();
        let worst = own.iter().max_by(|a, b| a.mean.total_cmp(&b.mean)).unwrap();
        let at =
            format!("{:.3}, {} rows of {}", worst.mean, worst.fits[0].rows, worst.fits[0].table);
        let (n, of) = (own.len(), fits.len());
        writeln!(text, "{learner:<21} {mean:>13.4} {bad:>3}/{n:<3} {warned:>3}/{of:<3}  {at}")
            .unwrap();
    }
    writeln!(text, "all fits, heeded or not {:>11.4}", plain_mean(cells)).unwrap();
    text
}

impl Outcome {
    /// Returns its figures, separated by tabs.
    fn line(&self) -> String {
        let Outcome {
            learner, table, rows, seed, excess, of_tests, warned, alone, seconds, ..
        } = self;
        let error = of_tests.sqrt();
        format!(
            "{learner}\t{table}\t{rows}\t{seed}\t{excess:.4}\t{error:.4}\t{warned}\t{alone:.3}\t{seconds:.3}"
        )
    }
}
