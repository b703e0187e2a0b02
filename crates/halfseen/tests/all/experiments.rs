//! Runs two of the papers' experiments as a user would, and holds the papers' claims against what
//! comes out. The others are in `experiments/`, a workspace of its own.

use halfseen::data::{Matrix, Scale, Table, Target, Task};
use halfseen::learner::{Assignments, Learner, with};
use halfseen::model::{Fit, Scores};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::select::{Score, Tuned, Tuning, tune_over};
use halfseen::{Silent, select};
use halfseen_synthetic::{TwoCompletions, TwoLines};
use ndarray::Array2;

/// Rows with a class, as they are.
struct Rows {
    table: Table,
    target: Target,
}

impl Rows {
    fn new(cells: Matrix, classes: &[f64]) -> Rows {
        let names = (0..cells.columns()).map(|j| format!("x{j}")).collect();
        let table = Table::from_matrix(cells, names).unwrap();
        let table = table.with_column("y", classes.to_vec()).unwrap();
        let target = Target::read(&table, "y", Some(Task::Classification)).unwrap();
        Rows { table, target }
    }

    fn options(learner: &dyn Learner) -> Options {
        Options { scale: Some(Scale::None), intercept: true, ..Options::default() }
            .suited(&learner.needs())
    }

    fn prepared(&self, learner: &dyn Learner, train: &[u32]) -> Prepared<'_> {
        Prepared::new(&self.table, ("y", &self.target), train, &Rows::options(learner)).unwrap()
    }

    fn tuned(
        &self,
        learner: &dyn Learner,
        settings: &[Assignments],
        train: &[u32],
        tuning: &Tuning,
    ) -> Tuned {
        let options = Rows::options(learner);
        let task = select::Task {
            table: &self.table,
            target_name: "y",
            target: &self.target,
            groups: None,
            options: &options,
            test: None,
        };
        let candidates = [(learner.clone_box(), settings.to_vec())];
        tune_over(&candidates, &task, train, tuning, &Silent, &|_| ()).unwrap().remove(0)
    }

    /// The share of the rows from `train` on told wrongly by what is learned from those before.
    fn wrong(&self, name: &str, settings: &[(&'static str, &str)], train: usize) -> f64 {
        let setting: Assignments =
            settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let learner = with(find(name).unwrap(), &setting).unwrap();
        let rows: Vec<u32> = (0..self.table.rows() as u32).collect();
        let (train, test) = rows.split_at(train);
        let prepared = self.prepared(&*learner, train);
        let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
        let scores = fit.predictor.scores(&prepared.examples_of(test)).unwrap();
        self.scored(&prepared, scores, test)
    }

    fn scored(&self, prepared: &Prepared<'_>, scores: Scores, test: &[u32]) -> f64 {
        let scores = scores.map(|score| prepared.prepare.target.undo(score));
        Score::of(&scores, &self.target, test).error.unwrap()
    }
}

/// Hazan, Livni and Mansour 2015, figure 1 and equation 1: rows that complete in two ways of equal
/// rank. Who completes first may get the wrong one; the kernel on rows with holes tells all classes.
#[test]
fn a_kernel_on_rows_with_holes_tells_what_completions_cannot() {
    for seed in 0..5 {
        let lines = TwoLines.draw(1200, seed);
        let completed = TwoLines.completions(&lines).map(|cells| {
            Rows::new(Matrix::F64(cells), &lines.targets).wrong("zero", &[("c", "10")], 200)
        });
        assert_eq!(completed[0], 0.0, "seed {seed}: the true line");
        assert!(completed[1] > 0.2, "seed {seed}: {} by the other line", completed[1]);
        let rows = Rows::new(lines.matrix.clone(), &lines.targets);
        assert_eq!(rows.wrong("karma", &[("gamma", "1"), ("c", "10")], 200), 0.0, "seed {seed}");

        // Two completions of rows and classes together, of rank 2, that contradict each other on
        // every row without a class.
        let kinds = TwoCompletions.draw(260, seed);
        let asked: Vec<usize> = (60..260).collect();
        let [one, other] = TwoCompletions.completions(&kinds, &asked).unwrap();
        assert!(asked.iter().all(|&row| one[[row, 4]] == -other[[row, 4]]));
        let rows = Rows::new(kinds.matrix.clone(), &kinds.targets);
        for gamma in ["1", "2"] {
            let wrong = rows.wrong("karma", &[("gamma", gamma), ("c", "10")], 60);
            assert_eq!(wrong, 0.0, "seed {seed}, gamma {gamma}");
        }
    }
}

/// Attributes without the copies, and rows that learn and that test.
const COLUMNS: usize = 20;
const HALF: usize = 500;

/// Rows uniform in the cube, classes by a random hyperplane of which a fifth is flipped, and two
/// copies of the class as further attributes.
fn with_copies(seed: u64) -> Rows {
    let mut stream = Stream::new(seed, Purpose::Data, 0);
    let weights: Vec<f64> = (0..COLUMNS).map(|_| stream.normal()).collect();
    let mut cells = Array2::zeros((2 * HALF, COLUMNS + 2));
    let mut classes = Vec::with_capacity(2 * HALF);
    for mut row in cells.rows_mut() {
        let mut score = 0.0;
        for (cell, weight) in row.iter_mut().zip(&weights) {
            *cell = 2.0 * stream.unit() - 1.0;
            score += weight * *cell;
        }
        let class = if (score > 0.0) == (stream.unit() < 0.2) { -1.0 } else { 1.0 };
        row[COLUMNS] = class;
        row[COLUMNS + 1] = class;
        classes.push(class);
    }
    Rows::new(Matrix::F64(cells), &classes)
}

impl Rows {
    /// The share of the second half told wrongly where these columns are deleted.
    fn deleted(&self, prepared: &Prepared<'_>, fit: &Fit, columns: &[usize]) -> f64 {
        let test: Vec<u32> = (HALF as u32..2 * HALF as u32).collect();
        let mut predictor = fit.linear().unwrap().clone();
        columns.iter().for_each(|&column| predictor.weights[column] = 0.0);
        let scores = Scores::margins(predictor.scores(&prepared.examples_of(&test)));
        self.scored(prepared, scores, &test)
    }
}

/// Dekel and Shamir 2008, section 4: a support vector machine trusts the copies of the class alone,
/// and guesses when both are deleted; the linear program, told that they may be, still classifies.
#[test]
fn a_robust_program_survives_the_deletion_of_what_tells_most() {
    let train: Vec<u32> = (0..HALF as u32).collect();
    let values = [["1"; COLUMNS].as_slice(), &["10"; 2]].concat().join(",");
    let (mut plain, mut robust) = (Vec::new(), Vec::new());
    for seed in 0..5 {
        let rows = with_copies(seed);
        let svm = with(find("svm").unwrap(), &vec![("c", "1".to_owned())]).unwrap();
        let threat = vec![("costs", values.clone()), ("threat", "20".to_owned())];
        let program = with(find("robust-lp").unwrap(), &threat).unwrap();
        // The margin is chosen on a quarter of the rows, under the same threat.
        let margins = ["0.03", "0.1", "0.3", "1"].map(|margin| vec![("margin", margin.to_owned())]);
        let tuning = Tuning { holdout: true, ..Tuning::new(4, seed) };
        let tuned = rows.tuned(&*program, &margins, &train, &tuning);
        let program = tuned.apply(program).unwrap();
        for (learner, errors) in [(svm, &mut plain), (program, &mut robust)] {
            let prepared = rows.prepared(&*learner, &train);
            let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
            for copy in [COLUMNS, COLUMNS + 1] {
                let wrong = rows.deleted(&prepared, &fit, &[copy]);
                assert_eq!(wrong, 0.0, "seed {seed}: {} without one copy", learner.name());
            }
            errors.push(rows.deleted(&prepared, &fit, &[COLUMNS, COLUMNS + 1]));
        }
    }
    let mean = |errors: &[f64]| errors.iter().sum::<f64>() / errors.len() as f64;
    // The paper has 0.477 and 0.22; 0.20 is the least where a fifth of the classes is flipped.
    assert!(mean(&plain) > 0.4, "{plain:?}");
    assert!(mean(&robust) < 0.3, "{robust:?}");
    assert!(plain.iter().zip(&robust).all(|(plain, robust)| robust + 0.1 < *plain));
}

/// Two copies of the class, which `identity` takes to be uncorrelated: it weighs each as if it were
/// alone, and its sum is twice the class. A clip hides that, and then the largest radius is as good.
#[test]
fn settings_are_compared_as_predictions_are_made() {
    let classes: Vec<f64> = (0..400).map(|row| if row % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let cells = Array2::from_shape_fn((400, 2), |(row, _)| classes[row]);
    let rows = Rows::new(Matrix::F64(cells), &classes);
    let learner = with(find("identity").unwrap(), &vec![("budget", "1".to_owned())]).unwrap();
    let train: Vec<u32> = (0..400).collect();
    let radii = ["0.7", "8"].map(|radius| vec![("radius", radius.to_owned())]);
    let errors = |clip: bool| {
        let tuning = Tuning { clip, ..Tuning::new(4, 0) };
        let tuned = rows.tuned(&*learner, &radii, &train, &tuning);
        tuned.errors.iter().map(|(_, error)| *error).collect::<Vec<f64>>()
    };
    let (clipped, published) = (errors(true), errors(false));
    assert!(clipped[1] < 0.01 && clipped[1] < clipped[0], "{clipped:?}");
    assert!(published[1] > 0.5 && published[0] < 0.1, "{published:?}");
}
