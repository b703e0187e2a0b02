//! Makes layouts, data and answers for the integration tests.
#![allow(dead_code, unreachable_pub)] // each test program uses its own part

use halfseen::budget::{AskTell, Query, TellOutcome};
use halfseen::data::{
    Examples, Labels, Layout, Matrix, Moments, Scale, Scaler, Table, Target, Task,
};
use halfseen::model::{Fit, Linear, Predictor, Scores};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::{find, label};
use halfseen::sampling::{Purpose, Stream};
use halfseen::select::Score;
use halfseen::{Error, ErrorKind, Learner, Monitor};
use ndarray::Array2;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Who takes a gradient step for each answer.
pub const STEPPERS: [&str; 10] = [
    "aer",
    "aerr",
    "aelr",
    "pnorm",
    "gaerr",
    "ddaerr",
    "ddaelr",
    "ddaerr-2p",
    "ddaelr-2p",
    "aesvr",
];

// `subjects`: the learners that the crate under test holds to these tests.
include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/common/subjects.rs"));

/// Every learner and variant that is tested, those that draw by moments estimating them: most tests
/// declare none.
pub fn all() -> Vec<Box<dyn Learner>> {
    subjects().into_iter().map(estimating).collect()
}

fn estimating(mut learner: Box<dyn Learner>) -> Box<dyn Learner> {
    if learner.get("moments").is_some_and(|m| m == "auto") {
        learner.set("moments", "online").unwrap();
    }
    learner
}

/// Those of these names, which settings may follow, whose learners are tested.
pub fn subjects_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let all = subjects();
    let is = |name: &&str| {
        let learner = name.split(' ').next().and_then(|name| find(name).ok());
        learner.is_some_and(|learner| all.iter().any(|l| l.name() == learner.name()))
    };
    names.into_iter().filter(is).collect()
}

/// A learner by name with some parameters set: those that it has, such as a step size, which not
/// every learner takes. A first phase takes seven examples, for want of a horizon.
pub fn learner(name: &str, settings: &[(&str, &str)]) -> Box<dyn Learner> {
    subjects(); // which the registry then knows
    let mut learner = estimating(find(name).unwrap());
    if learner.get("phase1").is_some() {
        learner.set("phase1", "7").unwrap();
    }
    for (name, value) in settings {
        let known = halfseen::params::ALL.iter().any(|d| d.name == *name);
        if learner.get(name).is_some() {
            learner.set(name, value).unwrap();
        } else {
            assert!(known, "no learner has a parameter {name}");
        }
    }
    learner
}

/// The linear model of a fit; of one with curves, that of the columns alone.
pub fn line(fit: &Fit) -> Linear {
    match &fit.predictor {
        Predictor::Curves(curves) => curves.line(),
        other => other.linear().unwrap().clone(),
    }
}

/// The same, started on a layout.
pub fn started(name: &str, settings: &[(&str, &str)], layout: &Arc<Layout>) -> Box<dyn AskTell> {
    learner(name, settings).start(layout).unwrap().expect("a budgeted learner asks and tells")
}

/// The budgeted learners.
pub fn budgeted() -> Vec<String> {
    all()
        .iter()
        .filter(|l| l.family() == halfseen::learner::Family::Budget)
        .map(|l| label(&**l).to_owned())
        .collect()
}

/// Those of them that estimate second moments instead of stepping an iterate.
pub fn from_moments(name: &str) -> bool {
    ["baseline", "identity"].contains(&name)
}

/// Those of them that keep every read.
pub fn keeps_reads(name: &str) -> bool {
    name == "fiml"
}

/// Panels of these widths, known ones after, over consecutive columns.
pub fn layout(sampled: &[u32], known: &[u32]) -> Arc<Layout> {
    let width = sampled.iter().chain(known).sum::<u32>();
    let mut builder = Layout::builder(width as usize);
    let mut next = 0;
    for (i, &w) in sampled.iter().enumerate() {
        builder.sampled(&format!("panel {i}"), (next..next + w).collect());
        next += w;
    }
    for (i, &w) in known.iter().enumerate() {
        builder.known(&format!("known {i}"), (next..next + w).collect());
        next += w;
    }
    Arc::new(builder.finish().unwrap())
}

pub fn singletons(columns: usize) -> Arc<Layout> {
    Arc::new(Layout::singletons(columns))
}

/// Rows with targets: x_j in [-1, 1] with means and scales of their own, y linear in a few of them
/// plus noise.
pub struct Data {
    pub x: Array2<f64>,
    pub y: Vec<f64>,
    /// The class of each row, where there are two.
    pub codes: Option<Vec<u32>>,
    pub weights: Option<Vec<f64>>,
    pub rows: Vec<u32>,
    pub matrix: Matrix,
    pub scaler: Scaler,
    pub layout: Arc<Layout>,
    pub moments: Option<Moments>,
}

impl Data {
    pub fn random(rows: usize, layout: &Arc<Layout>, seed: u64) -> Data {
        let columns = layout.slots();
        let mut stream = Stream::new(seed, Purpose::Data, columns as u64);
        let mut x = Array2::zeros((rows, columns));
        let mut y = Vec::new();
        for i in 0..rows {
            for j in 0..columns {
                let (centre, scale) =
                    (0.3 * ((j % 5) as f64 / 4.0 - 0.5), 0.2 + 0.6 * ((j % 7) as f64 / 6.0));
                x[[i, j]] = centre + scale * (2.0 * stream.unit() - 1.0);
            }
            let signal: f64 =
                (0..columns).step_by(3).map(|j| x[[i, j]] / f64::from(1 + j as u32)).sum();
            y.push(signal + 0.1 * stream.normal());
        }
        Data::new(x, y, layout)
    }

    pub fn new(x: Array2<f64>, y: Vec<f64>, layout: &Arc<Layout>) -> Data {
        let rows = (0..x.nrows() as u32).collect();
        let matrix = Matrix::F64(x.clone());
        let (scaler, layout) = (Scaler::None {}, Arc::clone(layout));
        Data { x, y, codes: None, weights: None, rows, matrix, scaler, layout, moments: None }
    }

    /// The same with classes for numbers: whether each is above the mean.
    pub fn told(mut self) -> Data {
        let mean = self.y.iter().sum::<f64>() / self.y.len() as f64;
        let codes: Vec<u32> = self.y.iter().map(|y| u32::from(*y >= mean)).collect();
        self.y = codes.iter().map(|&code| 2.0 * f64::from(code) - 1.0).collect();
        self.codes = Some(codes);
        self
    }

    /// The same with three classes: y in thirds of its range. Of more than two the targets are no
    /// numbers.
    pub fn thirds(mut self) -> Data {
        let (low, high) =
            self.y.iter().fold((f64::MAX, f64::MIN), |(l, h), y| (l.min(*y), h.max(*y)));
        self.codes =
            Some(self.y.iter().map(|y| ((3.0 * (y - low) / (high - low)) as u32).min(2)).collect());
        self.y.fill(f64::NAN);
        self
    }

    /// The same rows, each so many times.
    pub fn repeated(&self, times: &[usize]) -> Data {
        let rows: Vec<usize> =
            (0..times.len()).flat_map(|i| std::iter::repeat_n(i, times[i])).collect();
        let y = rows.iter().map(|&i| self.y[i]).collect();
        let codes = self.codes.as_ref().map(|codes| rows.iter().map(|&i| codes[i]).collect());
        Data { codes, ..Data::new(self.x.select(ndarray::Axis(0), &rows), y, &self.layout) }
    }

    /// The same where every fifth cell or so is missing.
    pub fn holed(self) -> Data {
        let mut x = self.x;
        x.indexed_iter_mut()
            .filter(|((i, j), _)| (7 * i + 3 * j) % 5 == 0)
            .for_each(|(_, cell)| *cell = f64::NAN);
        Data { codes: self.codes, ..Data::new(x, self.y, &self.layout) }
    }

    /// The same as a learner can learn it: with classes where it needs them.
    pub fn for_learner(self, learner: &dyn Learner) -> Data {
        if learner.needs().targets.allow(0) { self } else { self.told() }
    }

    /// Lets learners know the moments of every cell.
    pub fn measured(mut self) -> Data {
        self.moments = Some(Moments::measure(&self.examples()));
        self
    }

    pub fn examples(&self) -> Examples<'_> {
        let classes =
            |codes: &[u32]| 1 + codes.iter().fold(1, |most, &code| most.max(code as usize));
        let labels = self.codes.as_ref().map(|codes| Labels { codes, classes: classes(codes) });
        let (moments, weights) = (self.moments.as_ref(), self.weights.as_deref());
        let all = Examples::new(&self.matrix, &self.scaler, &self.layout, &self.y);
        Examples { moments, labels, weights, ..all.with_rows(&self.rows) }
    }

    /// The values that a query asks of a row.
    pub fn answer(&self, query: &Query, row: usize) -> Vec<f64> {
        let slots = query.reads.iter().flat_map(|r| self.layout.slots_of(r.panel as usize));
        slots.map(|slot| self.x[[row, self.layout.column(slot)]]).collect()
    }

    /// Asks and tells the rows in order; the queries asked.
    pub fn teach(&self, learner: &mut dyn AskTell, rows: std::ops::Range<usize>) -> Vec<Query> {
        let mut asked = Vec::new();
        for row in rows {
            let query = learner.ask().unwrap();
            let told = learner.tell(&query, &self.answer(&query, row), self.y[row]).unwrap();
            assert_eq!(told, TellOutcome::Learned);
            asked.push(query);
        }
        asked
    }
}

/// The name of an error's kind.
pub fn kind(error: &Error) -> String {
    let shown = format!("{:?}", error.kind());
    shown.split([' ', '{', '(']).next().unwrap_or_default().to_owned()
}

/// The key of a bad file.
pub fn key(error: &Error) -> &str {
    match error.kind() {
        ErrorKind::BadFile { key, .. } => key,
        other => panic!("not a bad file: {other:?}"),
    }
}

pub fn assert_near(actual: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(actual.len(), expected.len(), "{what}");
    for (j, (f, e)) in actual.iter().zip(expected).enumerate() {
        assert!(
            (f - e).abs() <= tolerance,
            "{what}, entry {j}: {f} instead of {e} (difference {:e})",
            f - e
        );
    }
}

/// Rows with a class, as they are.
pub struct Classified {
    pub table: Table,
    pub target: Target,
}

impl Classified {
    pub fn new(cells: Matrix, classes: &[f64]) -> Classified {
        let names = (0..cells.columns()).map(|j| format!("x{j}")).collect();
        let table = Table::from_matrix(cells, names).unwrap();
        let table = table.with_column("y", classes.to_vec()).unwrap();
        let target = Target::read(&table, "y", Some(Task::Classification)).unwrap();
        Classified { table, target }
    }

    pub fn options(learner: &dyn Learner) -> Options {
        Options { scale: Some(Scale::None), intercept: true, ..Options::default() }
            .suited(&learner.needs())
    }

    pub fn prepared(&self, learner: &dyn Learner, train: &[u32]) -> Prepared<'_> {
        Prepared::new(&self.table, ("y", &self.target), train, &Classified::options(learner))
            .unwrap()
    }

    /// The share of these rows that scores tell wrongly.
    pub fn scored(&self, prepared: &Prepared<'_>, scores: Scores, test: &[u32]) -> f64 {
        let scores = scores.map(|score| prepared.prepare.target.undo(score));
        Score::of(&scores, &self.target, test).error.unwrap()
    }
}

/// Says stop after a number of looks.
pub struct After(AtomicU64);

impl After {
    pub fn looks(looks: u64) -> After {
        After(looks.into())
    }
}

impl Monitor for After {
    fn should_stop(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}
