//! Holds the learners of data with holes to identities, and their models to the file.

use crate::common::subjects_of;
use halfseen::data::{Matrix, Scale, Table, Target, Task};
use halfseen::learner::{Assignments, Family, with};
use halfseen::model::{Fit, Model, Note, Predictor};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::find;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{ErrorKind, Learner, Silent};
use ndarray::Array2;

/// A table of a low rank with holes, and a target: of numbers, or of so many classes.
struct Holed {
    table: Table,
    target: Target,
}

impl Holed {
    fn new(rows: usize, columns: usize, classes: usize, hidden: f64) -> Holed {
        let mut stream = Stream::new(17, Purpose::Data, rows as u64);
        let loadings = Array2::from_shape_fn((3, columns), |_| stream.normal());
        let mut cells = Array2::zeros((rows, columns));
        let mut goals = Vec::with_capacity(rows);
        for mut row in cells.rows_mut() {
            let factors = [stream.normal(), stream.normal(), stream.normal()];
            for (j, cell) in row.iter_mut().enumerate() {
                let value: f64 =
                    factors.iter().enumerate().map(|(k, f)| f * loadings[[k, j]]).sum();
                let value = 3.0 + value + 0.2 * stream.normal();
                *cell = if stream.unit() < hidden { f64::NAN } else { value };
            }
            let score = factors[0] - 0.5 * factors[1] + 0.2 * stream.normal();
            goals.push(match classes {
                0 => score,
                2 => f64::from(u8::from(score > 0.3)),
                _ => f64::from(u8::from(score > -0.5)) + f64::from(u8::from(score > 0.5)),
            });
        }
        let names = (0..columns).map(|j| format!("x{j}")).collect();
        let table =
            Table::from_matrix(Matrix::F64(cells), names).unwrap().with_column("y", goals).unwrap();
        let task = if classes == 0 { Task::Regression } else { Task::Classification };
        let target = Target::read(&table, "y", Some(task)).unwrap();
        Holed { table, target }
    }

    fn prepared(&self, learner: &dyn Learner, rows: &[u32], scale: Scale) -> Prepared<'_> {
        let options = Options { scale: Some(scale), intercept: true, ..Options::default() }
            .suited(&learner.needs());
        Prepared::new(&self.table, ("y", &self.target), rows, &options).unwrap()
    }

    fn fit(&self, learner: &dyn Learner, rows: &[u32]) -> (Fit, Prepared<'_>) {
        let prepared = self.prepared(learner, rows, Scale::Each);
        (learner.fit(&prepared.examples(), &Silent).unwrap(), prepared)
    }
}

fn set(name: &str, settings: &[(&'static str, &str)]) -> Box<dyn Learner> {
    let settings: Assignments =
        settings.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    with(find(name).unwrap(), &settings).unwrap()
}

/// Every learner of the family that can learn so many classes.
fn family(classes: usize) -> Vec<Box<dyn Learner>> {
    crate::common::subjects()
        .into_iter()
        .filter(|l| l.family() == Family::Missing && l.needs().targets.allow(classes))
        .collect()
}

fn rows(n: u32) -> Vec<u32> {
    (0..n).collect()
}

fn near(a: &[f64], b: &[f64], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= tolerance, "{what}: {a} and {b}");
    }
}

#[test]
fn gamma_1_is_imputation_by_zero_and_by_the_mean() {
    let data = Holed::new(150, 7, 0, 0.4);
    let scores = |learner: &dyn Learner| {
        let (fit, prepared) = data.fit(learner, &rows(100));
        fit.predictor.scores(&prepared.examples_of(&rows(150))).unwrap().values
    };
    for c in ["0.01", "1", "100"] {
        let karma = scores(&*set("karma", &[("gamma", "1"), ("c", c)]));
        near(&karma, &scores(&*set("zero", &[("c", c)])), 1e-10, "zero");
        near(&karma, &scores(&*set("mean", &[("c", c)])), 1e-10, "mean");
    }
}

#[test]
fn gamma_1_with_the_hinge_is_imputation_by_zero_too() {
    for classes in [2, 3] {
        let data = Holed::new(120, 7, classes, 0.4);
        let exact = [("tol", "1e-8"), ("c", "1")];
        let objective =
            |learner: &dyn Learner| data.fit(learner, &rows(120)).0.report.objective.unwrap();
        let karma = objective(&*set("karma", &[&exact[..], &[("gamma", "1")]].concat()));
        let zero = objective(&*set("zero", &exact));
        assert!((karma - zero).abs() <= 1e-7 * karma, "{classes}: {karma} and {zero}");
    }
}

#[test]
fn zero_and_mean_differ_where_attributes_are_not_centred() {
    let data = Holed::new(150, 7, 0, 0.4);
    let scores = |name: &str| {
        let learner = set(name, &[]);
        let prepared = data.prepared(&*learner, &rows(150), Scale::None);
        let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
        fit.predictor.scores(&prepared.examples()).unwrap().values
    };
    let difference =
        scores("zero").iter().zip(scores("mean")).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference > 0.1, "{difference}");
}

#[test]
fn where_nothing_is_missing_every_gamma_is_the_same() {
    let data = Holed::new(120, 6, 0, 0.0);
    let scores = |gamma: &str| {
        let (fit, prepared) = data.fit(&*set("karma", &[("gamma", gamma), ("c", "3")]), &rows(90));
        fit.predictor.scores(&prepared.examples_of(&rows(120))).unwrap().values
    };
    for gamma in ["2", "3", "5"] {
        near(&scores(gamma), &scores("1"), 1e-8, gamma);
    }
}

#[test]
fn holes_are_looked_through_better_with_gamma_2() {
    let data = Holed::new(500, 12, 0, 0.5);
    let error = |name: &str, settings: &[(&'static str, &str)]| {
        let (fit, prepared) = data.fit(&*set(name, settings), &rows(350));
        let tests: Vec<u32> = (350..500).collect();
        let tests = prepared.examples_of(&tests);
        let scores = fit.predictor.scores(&tests).unwrap();
        (0..150).map(|i| (scores.values[i] - tests.target(i)).powi(2)).sum::<f64>() / 150.0
    };
    let (one, two) = (error("zero", &[("c", "1")]), error("karma", &[("gamma", "2"), ("c", "1")]));
    assert!(two < 0.85 * one, "{two} and {one}");
}

#[test]
fn models_go_through_files_with_the_same_predictions() {
    for classes in [0, 2, 3] {
        let data = Holed::new(80, 5, classes, 0.3);
        let mut learners = family(classes);
        learners.push(set("karma", &[("features", "sketch:64")]));
        learners
            .push(set("karma", &[("solver", "online"), ("c", "0.1"), ("normalization", "cosine")]));
        for learner in learners {
            let (fit, prepared) = data.fit(&*learner, &rows(80));
            let model = Model {
                learner: learner.name().to_owned(),
                params: learner.to_json(),
                prepare: prepared.prepare.clone(),
                target: "y".into(),
                task: data.target.task(),
                classes: data.target.classes().to_vec(),
                predictor: fit.predictor,
                report: fit.report,
            };
            let text = model.to_json().unwrap();
            let read = halfseen::registry::read_model(&text)
                .unwrap_or_else(|e| panic!("{}: {e}", learner.name()));
            assert_eq!(read.to_json().unwrap(), text, "{}", learner.name());
            let (before, after) =
                (model.predict(&data.table).unwrap(), read.predict(&data.table).unwrap());
            assert_eq!(before.scores, after.scores, "{}", learner.name());
            assert_eq!(before.scores.outputs, if classes == 3 { 3 } else { 1 });
            // A row that shows nothing has an answer too.
            let empty = Table::from_matrix(
                Matrix::F64(Array2::from_elem((1, 3), f64::NAN)),
                ["x0", "x1", "x2"].map(str::to_owned).to_vec(),
            );
            let answer = read.predict(&empty.unwrap()).unwrap();
            assert!(answer.scores.values.iter().all(|v| v.is_finite()), "{}", learner.name());
            assert_eq!(answer.applied.absent, ["x3", "x4"]);
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    for classes in [0, 2, 3] {
        let data = Holed::new(300, 9, classes, 0.4);
        for learner in family(classes) {
            let run = |threads| {
                let pool = rayon_pool(threads);
                let fit = pool.install(|| data.fit(&*learner, &rows(300)).0);
                serde_json::to_string(&fit.predictor).unwrap()
            };
            assert_eq!(run(1), run(2), "{}", learner.name());
        }
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn the_order_of_rows_does_not_matter_to_exact_solvers() {
    for classes in [0, 2] {
        let data = Holed::new(100, 6, classes, 0.3);
        for learner in family(classes) {
            let mut learner = learner;
            if learner.get("tol").is_some() {
                learner.set("tol", "1e-9").unwrap();
            }
            let scores = |rows: &[u32]| {
                let (fit, prepared) = data.fit(&*learner, rows);
                fit.predictor.scores(&prepared.examples_of(&rows_of(100))).unwrap().values
            };
            let turned: Vec<u32> = (0..100).rev().collect();
            // The least-squares optimum is one point, in closed form; that of other losses is as
            // flat as the tolerance lets it be.
            let closed = classes == 0 && matches!(learner.name(), "karma" | "imputation");
            near(
                &scores(&rows_of(100)),
                &scores(&turned),
                if closed { 1e-9 } else { 2e-2 },
                learner.name(),
            );
        }
    }
}

#[test]
fn a_setting_that_diverges_ends_no_tuning() {
    use halfseen::select::{Task as Given, Tuning, tune, tune_over};
    let tuning = Tuning::new(3, 0);
    let options = Options { intercept: true, ..Options::default() };
    fn task<'a>(data: &'a Holed, options: &'a Options) -> Given<'a> {
        let Holed { table, target } = data;
        Given { table, target_name: "y", target, groups: None, options, test: None }
    }
    let data = Holed::new(400, 12, 0, 0.0);
    let learner = set("aerr", &[("budget", "3")]);
    let settings: Vec<Assignments> =
        ["1e-3", "1e-2", "1e200"].map(|step| vec![("step", step.to_owned())]).to_vec();
    let diverged = |error: &halfseen::Error| matches!(error.kind(), ErrorKind::Diverged { .. });
    let over = |settings: &[Assignments]| {
        let candidates = [(learner.clone_box(), settings.to_vec())];
        tune_over(&candidates, &task(&data, &options), &rows(400), &tuning, &Silent, &|_| ())
    };
    let tuned = over(&settings).unwrap().remove(0);
    assert_eq!(tuned.errors[2].1, f64::INFINITY);
    // The others are judged as they are without it.
    let without = over(&settings[..2]).unwrap().remove(0);
    assert_eq!((&tuned.setting, &tuned.errors[..2]), (&without.setting, &without.errors[..]));
    assert!(diverged(&over(&settings[2..]).unwrap_err()), "nothing is left to choose");
    // The grid of one pass is where steps are right: better than the mean, whose error is 1.
    let data = Holed::new(400, 12, 0, 0.3);
    let learner = set("karma", &[("solver", "online")]);
    let tuned = tune(
        &[learner.clone_box()],
        &[],
        &task(&data, &options),
        &rows(400),
        &tuning,
        &Silent,
        &|_| (),
    );
    let tuned = tuned.unwrap().remove(0);
    let least = tuned.errors.iter().map(|(_, error)| *error).fold(f64::INFINITY, f64::min);
    assert!(least < 0.6, "{least}");
    let prepared = data.prepared(&*learner, &rows(400), Scale::Each);
    tuned.apply(learner).unwrap().fit(&prepared.examples(), &Silent).unwrap();
}

/// Steps of 1/(rho t) alone would be a thousand times too long for squares at the default C.
#[test]
fn one_pass_learns_numbers_whatever_c_is() {
    let data = Holed::new(500, 12, 0, 0.3);
    for (c, most) in [("1e-3", 0.9), ("1", 0.5), ("1e6", 0.5)] {
        let (fit, prepared) =
            data.fit(&*set("karma", &[("solver", "online"), ("c", c)]), &rows(350));
        let tests: Vec<u32> = (350..500).collect();
        let tests = prepared.examples_of(&tests);
        let scores = fit.predictor.scores(&tests).unwrap();
        let error = (0..150).map(|i| (scores.values[i] - tests.target(i)).powi(2)).sum::<f64>();
        assert!(error / 150.0 < most, "{c}: {}", error / 150.0);
    }
}

fn rows_of(n: u32) -> Vec<u32> {
    rows(n)
}

#[test]
fn grids_share_work_and_find_what_single_fits_find() {
    for classes in [0, 2, 3] {
        let data = Holed::new(90, 6, classes, 0.3);
        for learner in family(classes) {
            let settings: Vec<Assignments> =
                learner.grid().settings().into_iter().step_by(5).collect();
            let prepared = data.prepared(&*learner, &rows(90), Scale::Each);
            let examples = prepared.examples();
            let together = learner.fit_grid(&settings, &examples, &Silent).unwrap();
            let predictors: Vec<&Predictor> = together.iter().map(|fit| &fit.predictor).collect();
            let scores = Predictor::scores_of(&predictors, &examples).unwrap();
            for ((setting, grid), scores) in settings.iter().zip(&together).zip(scores) {
                let alone =
                    with(learner.clone_box(), setting).unwrap().fit(&examples, &Silent).unwrap();
                let (a, b) = (alone.report.objective, grid.report.objective);
                // Only closed forms without a tolerance have none.
                let near = match (a, b) {
                    (Some(a), Some(b)) => (a - b).abs() <= 2e-3 * a.abs().max(1e-9),
                    (a, b) => a == b && learner.get("tol").is_none(),
                };
                assert!(near, "{} {setting:?}: {a:?} {b:?}", learner.name());
                assert_eq!(scores, grid.predictor.scores(&examples).unwrap());
            }
        }
    }
}

#[test]
fn leaving_one_out_is_told_and_is_right() {
    let data = Holed::new(40, 5, 0, 0.3);
    let learner = set("karma", &[]);
    let prepared = data.prepared(&*learner, &rows(40), Scale::Each);
    let settings: Vec<Assignments> = ["0.1", "10"].map(|c| vec![("c", c.to_owned())]).to_vec();
    let fits = learner.fit_grid(&settings, &prepared.examples(), &Silent).unwrap();
    for (setting, fit) in settings.iter().zip(fits) {
        let mut sum = 0.0;
        for left in 0..40 {
            let others: Vec<u32> = rows(40).into_iter().filter(|&i| i != left).collect();
            // The kernel's scale is a mean over the rows: with one row less it is another C.
            let mut alone = with(learner.clone_box(), setting).unwrap();
            alone.set("normalization", "none").unwrap();
            let Predictor::Kernel(whole) = &fit.predictor else { panic!() };
            let c: f64 = alone.get("c").unwrap().parse().unwrap();
            alone.set("c", &(c / whole.kernel.scale()).to_string()).unwrap();
            let examples = prepared.examples_of(&others);
            let fitted = alone.fit(&examples, &Silent).unwrap();
            let one = [left];
            let test = prepared.examples_of(&one);
            sum += (fitted.predictor.scores(&test).unwrap().values[0] - test.target(0)).powi(2);
        }
        let told = fit.report.leave_one_out.unwrap();
        assert!((told - sum / 40.0).abs() < 1e-8 * told, "{told} and {}", sum / 40.0);
    }
}

#[test]
fn numbers_have_no_hinge() {
    let data = Holed::new(60, 5, 0, 0.3);
    let learner = set("karma", &[("loss", "hinge")]);
    let prepared = data.prepared(&*learner, &rows(60), Scale::Each);
    let error = learner.fit(&prepared.examples(), &Silent).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Needs { name: "loss", .. }), "{error}");
}

#[test]
fn holes_that_go_with_the_target_are_told_of() {
    let mut stream = Stream::new(5, Purpose::Data, 1);
    let y: Vec<f64> = (0..200).map(|_| stream.normal()).collect();
    let cells = Array2::from_shape_fn((200, 3), |(i, j)| {
        if j == 1 && y[i] > 0.4 || i == 9 { f64::NAN } else { stream.normal() + 0.3 * y[i] }
    });
    let table = Table::from_matrix(Matrix::F64(cells), ["a", "b", "c"].map(str::to_owned).to_vec())
        .unwrap();
    let table = table.with_column("y", y).unwrap();
    let target = Target::read(&table, "y", None).unwrap();
    let data = Holed { table, target };
    for learner in family(0) {
        let notes = data.fit(&*learner, &rows(200)).0.report.notes;
        assert!(notes.contains(&Note::EmptyRows { rows: 1 }), "{}: {notes:?}", learner.name());
        let told = |note: &Note| {
            note.is_about("informative-holes")
                && note.to_string().starts_with("missingness of 'b' is")
        };
        assert!(notes.iter().any(told), "{}: {notes:?}", learner.name());
    }
}

#[test]
fn a_column_that_was_never_seen_plays_no_part() {
    for classes in [0, 2, 3] {
        let data = Holed::new(70, 4, classes, 0.3);
        let unseen = data.table.clone().with_column("never", vec![f64::NAN; 70]).unwrap();
        let holed = Holed { table: unseen, target: data.target.clone() };
        for learner in family(classes) {
            let (fit, prepared) = holed.fit(&*learner, &rows(70));
            let never = "attributes missing in every training row: 1 (first: 'never')";
            let told = |note: &Note| note.to_string().starts_with(never);
            assert!(fit.report.notes.iter().any(told), "{}", learner.name());
            let before = fit.predictor.scores(&prepared.examples()).unwrap();
            let seen = data.table.clone().with_column("never", vec![12.5; 70]).unwrap();
            let other = prepared.apply(&seen, &data.target).unwrap();
            let after = fit.predictor.scores(&prepared.examples_in(&other)).unwrap();
            // Matrix completion counts the cells it misses; what it says of the label stays as it
            // was.
            near(&before.values, &after.values, 1e-9, learner.name());
        }
    }
}

#[test]
fn every_gap_is_certified_over_the_whole_grid() {
    for classes in [2, 3] {
        let data = Holed::new(120, 6, classes, 0.3);
        for name in subjects_of(["karma", "zero", "mean", "geom"]) {
            for tol in ["1e-4", "1e-8"] {
                let learner = set(name, &[("tol", tol)]);
                if !learner.needs().targets.allow(classes) {
                    continue;
                }
                let prepared = data.prepared(&*learner, &rows(120), Scale::Each);
                let settings = learner.grid().settings();
                for (setting, fit) in settings
                    .iter()
                    .zip(learner.fit_grid(&settings, &prepared.examples(), &Silent).unwrap())
                {
                    let (objective, gap) = (fit.report.objective.unwrap(), fit.report.gap.unwrap());
                    let tol: f64 = tol.parse().unwrap();
                    assert!(gap <= tol * objective, "{name} {setting:?}: {gap:e} of {objective:e}");
                    assert!(fit.report.converged, "{name} {setting:?}");
                }
            }
        }
    }
}

#[test]
fn the_online_pass_comes_near_the_optimum() {
    for classes in [0, 2, 3] {
        let data = Holed::new(400, 6, classes, 0.3);
        let fit = |solver: &str| {
            data.fit(&*set("karma", &[("solver", solver), ("c", "0.02")]), &rows(400)).0.report
        };
        let (online, exact) = (fit("online"), fit("exact"));
        assert_eq!((online.gap, online.passes), (None, Some(1)));
        let (reached, best) = (online.objective.unwrap(), exact.objective.unwrap());
        // The start, v = 0, suffers C (1/2 on average, or 1) for each row.
        assert!(
            reached >= best * (1.0 - 1e-9) && reached < 1.2 * best,
            "{classes}: {reached} and {best}"
        );
    }
}

#[test]
fn sketches_come_near_the_kernel_and_small_ones_are_it() {
    for classes in [0, 2, 3] {
        let data = Holed::new(200, 6, classes, 0.3);
        let fit = |features: &str| {
            let (fit, prepared) =
                data.fit(&*set("karma", &[("features", features), ("tol", "1e-8")]), &rows(200));
            (
                fit.report.objective.unwrap(),
                fit.predictor.scores(&prepared.examples()).unwrap().values,
            )
        };
        let (exact, small) = (fit("exact"), fit("sketch:4096"));
        // gamma = 2 and 7 columns: 49 features hold all of the kernel.
        assert!((exact.0 - small.0).abs() <= 1e-6 * exact.0, "{classes}: {} {}", exact.0, small.0);
        near(&exact.1, &small.1, 1e-2, "scores");
        let rough = fit("sketch:32");
        assert!(rough.0 < 2.0 * exact.0 && rough.0 > 0.5 * exact.0, "{} {}", rough.0, exact.0);
    }
}
