//! Tables of which nobody declared anything: attributes are scaled by their own reads as they come.

use crate::common::{STEPPERS, learner, singletons, subjects_of};
use halfseen::budget::AskTell;
use halfseen::data::{Layout, Matrix, Table, Target};
use halfseen::learner::Family;
use halfseen::model::{Fit, Note};
use halfseen::prepare::{Options, Prepared};
use halfseen::registry::load;
use halfseen::sampling::{Purpose, Stream};
use halfseen::{Learner, Silent};
use ndarray::Array2;
use std::sync::Arc;

/// Patients: eight attributes whose sizes differ a thousand times, one of them half zeros and half
/// a long tail, and whether they fell ill, as -1 and +1.
fn patients(rows: usize, seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 77);
    let mut x = Array2::zeros((rows, 8));
    let mut y = Vec::new();
    for i in 0..rows {
        let mut normal = || stream.normal();
        let [a, b, c, d, e, f, g, h] = [0; 8].map(|_| normal());
        let glucose = 120.0 + 30.0 * a;
        let mass = 32.0 + 7.0 * (0.3 * a + 0.95 * b);
        let age = (33.0 + 11.0 * c).max(21.0);
        let pregnancies = (0.5 * c + 0.85 * d + 1.0).max(0.0) * 3.5;
        let insulin = if e < 0.0 { 0.0 } else { 100.0 * (0.6 * a + 0.6 * e).exp() };
        let pedigree = 0.45 * (0.6 * f).exp();
        let pressure = 70.0 + 12.0 * g + 0.3 * (age - 33.0);
        let skin = (20.0 + 10.0 * b + 10.0 * h).max(0.0);
        let risk = 1.0 * a + 0.5 * b + 0.35 * c + 0.3 * d + 0.25 * f - 0.7 + 0.8 * normal();
        x.row_mut(i).assign(&ndarray::arr1(&[
            pregnancies,
            glucose,
            pressure,
            skin,
            insulin,
            mass,
            pedigree,
            age,
        ]));
        y.push(if risk > 0.0 { 1.0 } else { -1.0 });
    }
    (x, y)
}

/// The squared error of an honest fit on other rows, as a share of that of the training mean.
fn fitted(learner: &dyn Learner, x: &Array2<f64>, y: &[f64], train: usize) -> (f64, Fit) {
    let names = (0..x.ncols()).map(|j| format!("x{j}")).collect();
    let table = Table::from_matrix(Matrix::F64(x.clone()), names).unwrap();
    let target = Target::Numbers(y.to_vec());
    let options = Options { intercept: true, ..Options::default() }.for_fit(&learner.needs());
    let rows: Vec<u32> = (0..train as u32).collect();
    let prepared = Prepared::new(&table, ("y", &target), &rows, &options).unwrap();
    let fit = learner.fit(&prepared.examples(), &Silent).unwrap();
    let rest: Vec<u32> = (train as u32..y.len() as u32).collect();
    let others = prepared.examples_of(&rest);
    let (mut squared, mut constant) = (0.0, 0.0);
    let scores = fit.predictor.scores(&others).unwrap();
    for (i, score) in scores.values.iter().enumerate() {
        squared += (score - others.target(i)).powi(2);
        constant += others.target(i).powi(2);
    }
    (squared / constant, fit)
}

fn warns(fit: &Fit) -> bool {
    fit.report.notes.iter().any(|n| matches!(n, Note::NotShownBetter { .. }))
}

#[test]
fn on_a_table_of_very_different_sizes_a_fit_beats_a_constant() {
    for name in subjects_of(STEPPERS.into_iter().chain(["identity"])) {
        let ratios: Vec<(f64, bool)> = (0..10)
            .map(|seed| {
                let (x, y) = patients(2400, seed);
                let learner = learner(
                    name,
                    &[("budget", "3"), ("seed", &seed.to_string()), ("phase1", "0.3")],
                );
                let (ratio, fit) = fitted(&*learner, &x, &y, 400);
                (ratio, warns(&fit))
            })
            .collect();
        let better = ratios.iter().filter(|(r, _)| *r < 1.0).count();
        let shown: Vec<String> =
            ratios.iter().map(|(r, w)| format!("{r:.2}{}", if *w { "!" } else { "" })).collect();
        // The bound that the first phase of ddaelr-2p puts on its draws makes its steps the
        // shortest of all.
        assert!(better >= if name == "ddaelr-2p" { 7 } else { 9 }, "{name}: {shown:?}");
        for (ratio, warned) in &ratios {
            assert!(
                *ratio < 1.0 || *warned,
                "{name} is worse than a constant and does not say so: {shown:?}"
            );
        }
    }
}

/// 20 standard normal attributes about these offsets, five of which tell the target; predicting 0
/// costs 1.8.
fn shifted(offset: impl Fn(usize) -> f64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(5, Purpose::Data, 12);
    let mut x = Array2::zeros((10_000, 20));
    let mut y = Vec::new();
    for i in 0..10_000 {
        let normals: Vec<f64> = (0..20).map(|_| stream.normal()).collect();
        y.push(0.58 * normals[..5].iter().sum::<f64>() + 0.35 * stream.normal());
        normals.iter().enumerate().for_each(|(j, v)| x[[i, j]] = offset(j) + v);
    }
    (x, y)
}

/// Where means are learned by the way, how far they are from 0 makes no difference: neither to
/// their own attributes nor to others.
#[test]
fn a_running_centre_takes_every_offset_away() {
    for name in subjects_of(["identity", "aerr", "aer", "aelr"]) {
        let error = |offset: &dyn Fn(usize) -> f64| {
            let (x, y) = shifted(offset);
            let all = crate::common::Data::new(x, y, &singletons(20));
            let examples = all.examples();
            let learner = learner(
                name,
                &[("budget", "4"), ("radius", if name == "aerr" { "2" } else { "4" })],
            );
            let fit = learner.fit(&examples.prefix(5_000), &Silent).unwrap();
            let linear = fit.linear().unwrap();
            let rest = 5_000..10_000;
            rest.map(|i| (linear.score(all.x.row(i).as_slice().unwrap()) - all.y[i]).powi(2))
                .sum::<f64>()
                / 5_000.0
        };
        let plain = error(&|_| 0.0);
        let all = error(&|_| 300.0);
        let one = error(&|j| if j == 7 { 300.0 } else { 0.0 });
        assert!(plain < 0.9, "{name}: {plain}");
        for far in [all, one] {
            assert!(far < plain + 0.05, "{name}: {far} where {plain} is possible");
        }
    }
}

/// The review's three: columns of very different sizes, two of them nearly the same, as in
/// scikit-learn's diabetes data; the same for both learners; eight standard normal columns. Rows of
/// a mean of 150 and a deviation of 77 are the targets.
fn diabetes(seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 442);
    let rows = 2_442;
    let mut x = Array2::zeros((rows, 10));
    let mut y = Vec::new();
    for i in 0..rows {
        let mut n = || stream.normal();
        let [age, sex, bmi, bp, chol, hdl, ltg, glu, noise, small, other] = [0; 11].map(|_| n());
        let blood = 0.4 * bmi + 0.9 * bp;
        let s1 = 0.3 * age + 0.95 * chol;
        let s2 = 0.9 * s1 + 0.44 * small;
        let s3 = -0.4 * bmi + 0.9 * hdl;
        let s5 = 0.45 * bmi + 0.5 * s1 + 0.75 * ltg;
        let s4 = 0.6 * s2 - 0.7 * s3 + 0.4 * other;
        let row = [
            48.5 + 13.1 * age,
            1.0 + f64::from(u8::from(sex > 0.0)),
            26.4 + 4.4 * bmi,
            94.6 + 13.8 * blood,
            189.1 + 34.6 * s1,
            115.4 + 30.4 * s2,
            49.8 + 12.9 * s3,
            4.1 + 1.3 * s4,
            4.64 + 0.52 * s5,
            91.3 + 11.5 * (0.4 * bmi + 0.9 * glu),
        ];
        x.row_mut(i).assign(&ndarray::arr1(&row));
        y.push(150.0 + 77.0 * (0.35 * bmi + 0.2 * blood + 0.4 * s5 - 0.15 * s3 + 0.65 * noise));
    }
    (x, y)
}

fn normals(seed: u64) -> (Array2<f64>, Vec<f64>) {
    let mut stream = Stream::new(seed, Purpose::Data, 300);
    let x = Array2::from_shape_simple_fn((2_300, 8), || stream.normal());
    let y = x
        .rows()
        .into_iter()
        .map(|x| x[0] - 2.0 * x[1] + 0.5 * x[2] + x[5] + 0.5 * stream.normal())
        .collect();
    (x, y)
}

#[test]
fn learners_of_moments_beat_a_constant_and_test_themselves() {
    for (what, rows) in [("diabetes", 442), ("normals", 300)] {
        for name in subjects_of(["baseline", "identity"]) {
            let mut line = format!("{what}, {name}:");
            let mut better = 0;
            for seed in 0..10 {
                let (x, y) = if rows == 442 { diabetes(seed) } else { normals(seed) };
                let (ratio, fit) =
                    fitted(&*learner(name, &[("seed", &seed.to_string())]), &x, &y, rows);
                let (risk, error) = (fit.report.risk.unwrap(), fit.report.risk_error.unwrap());
                line += &format!(
                    " {ratio:.2} ({risk:.2} +- {error:.2}{})",
                    if warns(&fit) { "!" } else { "" }
                );
                better += usize::from(ratio < 1.0);
            }
            assert!(better >= 9, "{line}");
        }
    }
}

/// Asks and tells the rows of a table, by a learner that scales by its reads.
fn taught(
    x: &Array2<f64>,
    y: &[f64],
    rows: std::ops::Range<usize>,
    mut asked: Box<dyn AskTell>,
) -> Box<dyn AskTell> {
    for i in rows {
        let query = asked.ask().unwrap();
        let values: Vec<f64> = query.reads.iter().map(|r| x[[i, r.panel as usize]]).collect();
        asked.tell(&query, &values, y[i]).unwrap();
    }
    asked
}

fn begun(name: &str) -> Box<dyn AskTell> {
    let settings = [("budget", "4"), ("phase1", "60"), ("horizon", "300")];
    learner(name, &settings).start(&Arc::new(Layout::singletons(8).by_reads())).unwrap().unwrap()
}

/// Kilometres or millimetres, degrees of one kind or another: the same reads, and the same
/// predictions.
#[test]
fn units_make_no_difference() {
    let (x, y) = patients(300, 3);
    let factors = [1e-3, 7.0, 1e4, 0.2, 1.0, 1e6, 1e-6, 33.0];
    let shifts = [5.0, -100.0, 0.0, 3.0, 1e3, 1e7, 1e-6, -4.0];
    let mut other = x.clone();
    other.indexed_iter_mut().for_each(|((_, j), v)| *v = *v * factors[j] + shifts[j]);
    for name in subjects_of(STEPPERS.into_iter().chain(["identity", "baseline"])) {
        let [one, two] = [&x, &other].map(|x| taught(x, &y, 0..300, begun(name)));
        assert_eq!(one.report().panel_reads, two.report().panel_reads, "{name}");
        let (one, two) = (one.predictor(), two.predictor());
        for i in 0..300 {
            let [a, b] =
                [(&one, &x), (&two, &other)].map(|(p, x)| p.score(x.row(i).as_slice().unwrap()));
            // A first phase's smoothing is taken off what it was added to, which costs digits.
            let within = if name == "ddaelr-2p" { 1e-3 } else { 1e-5 };
            assert!((a - b).abs() < within, "{name}, row {i}: {a} and {b}");
        }
    }
}

#[test]
fn learners_that_scale_go_on_from_their_states() {
    let (x, y) = patients(300, 4);
    for name in subjects_of(STEPPERS.into_iter().chain(["identity", "baseline"])) {
        let mut whole = taught(&x, &y, 0..150, begun(name));
        let late = whole.ask().unwrap();
        let saved = whole.save().unwrap();
        let text = serde_json::to_string(&saved).unwrap();
        let resumed = load(&serde_json::from_str(&text).unwrap()).unwrap();
        let ends = [whole, resumed].map(|asked| {
            let mut asked = taught(&x, &y, 151..300, asked);
            let values: Vec<f64> = late.reads.iter().map(|r| x[[150, r.panel as usize]]).collect();
            asked.tell(&late, &values, y[150]).unwrap();
            asked
        });
        assert_eq!(ends[0].predictor(), ends[1].predictor(), "{name}");
        assert_eq!(ends[0].save().unwrap(), ends[1].save().unwrap(), "{name}");
    }
}

/// The attributes that a model keeps are those that matter most, not those in the smallest units.
#[test]
fn truncation_goes_by_what_weights_do() {
    let (mut x, _) = patients(2_000, 5);
    let y: Vec<f64> = x.column(1).iter().map(|glucose| (glucose - 120.0) / 30.0).collect();
    // One that tells nothing, in units a million times larger: its weight is then the largest
    // number.
    x.column_mut(2).mapv_inplace(|v| v * 1e-6);
    let settings = [("truncate", "1"), ("budget", "4"), ("horizon", "2000")];
    let start = learner("aerr", &settings)
        .start(&Arc::new(Layout::singletons(8).by_reads()))
        .unwrap()
        .unwrap();
    let kept = taught(&x, &y, 0..2_000, start).predictor();
    let heavy: Vec<usize> = (0..8).filter(|&j| kept.weights[j] != 0.0).collect();
    assert_eq!(heavy, [1], "glucose tells all");
}

/// A step of each attribute's own is nearly as good by default as the common one, and nowhere near
/// twice as long as it may be.
#[test]
fn own_steps_learn_by_default() {
    let mut stream = Stream::new(11, Purpose::Data, 30);
    let x = Array2::from_shape_simple_fn((10_000, 30), || stream.normal());
    let y =
        x.rows().into_iter().map(|x| 0.2 * (x[0] - x[1] + x[2]) + 0.1 * stream.normal()).collect();
    let data = crate::common::Data::new(x, y, &singletons(30));
    let error = |rule: &str| {
        let fit = learner("aerr", &[("step_rule", rule), ("budget", "4")])
            .fit(&data.examples().prefix(5_000), &Silent)
            .unwrap();
        let linear = fit.linear().unwrap().clone();
        (5_000..10_000)
            .map(|i| (linear.score(data.x.row(i).as_slice().unwrap()) - data.y[i]).powi(2))
            .sum::<f64>()
            / 5_000.0
    };
    let (common, own) = (error("constant"), error("adagrad"));
    assert!(
        own < 1.6 * common && own < 0.085,
        "{own} where one step for all comes to {common}, and no weights to 0.13"
    );
}

/// A row far beyond those learned from is predicted the least or the largest target that there was.
#[test]
fn no_budgeted_learner_predicts_beyond_the_targets_learned_from() {
    let mut stream = Stream::new(12, Purpose::Data, 4);
    let x = Array2::from_shape_simple_fn((4_000, 4), || stream.normal());
    let y: Vec<f64> =
        x.rows().into_iter().map(|x| x[0] + x[1] + x[2] + x[3] + 0.1 * stream.normal()).collect();
    let largest = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let data = crate::common::Data::new(x, y, &singletons(4));
    let far = crate::common::Data::new(Array2::from_elem((1, 4), 1e3), vec![0.0], &singletons(4));
    for learner in crate::common::subjects().into_iter().filter(|l| l.family() == Family::Budget) {
        let fit = learner.fit(&data.examples(), &Silent).unwrap();
        let scores = fit.predictor.scores(&far.examples()).unwrap().values;
        assert_eq!(scores, [largest], "{}", learner.name());
        let sum = crate::common::line(&fit).score(&[1e3; 4]);
        assert!(sum > 10.0 * largest, "{}: {sum}", learner.name());
    }
}
