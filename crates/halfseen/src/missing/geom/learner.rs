//! Offers the geometric margin as a learner.

use super::{Plane, Setup, separate};
use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::full::configured;
use crate::learner::{Family, Grid, Learner, Setting};
use crate::missing::masked::Masked;
use crate::missing::reading::Reading;
use crate::model::{Fit, Linear, Predictor};
use crate::monitor::Monitor;
use crate::params::{Parameters, parameters};
use crate::solve::biased::Until;
use std::time::Instant;

parameters! {
    /// The geometric margin of incomplete rows, for two classes.
    pub struct GeometricMargin named "geom" {
        c: f64 = 1.0, C;
        rounds: u64 = 5, ROUNDS;
        tol: f64 = 1e-4, TOL;
        max_iter: u64 = 200, MAX_ITER;
    }
}

impl Learner for GeometricMargin {
    fn name(&self) -> &'static str {
        "geom"
    }

    fn title(&self) -> &'static str {
        "Largest margin within what each row shows"
    }

    fn source(&self) -> &'static str {
        "Chechik et al. 2008; D 5"
    }

    fn family(&self) -> Family {
        Family::Missing
    }

    fn grid(&self) -> Grid {
        let decades = ["0.00001", "0.0001", "0.001", "0.01", "0.1", "1", "10", "100", "1000", "10000", "100000"];
        Grid::new(&[("c", &decades)])
    }

    fn check_classes(&self, classes: usize) -> Result<()> {
        if classes == 2 {
            return Ok(());
        }
        let found = if classes == 0 { "numbers".to_owned() } else { format!("{classes} classes") };
        let problem = format!("it holds {found}, and geom tells two classes apart; choose two with --classes A,B, or another learner");
        Err(ErrorKind::WrongTarget { column: "target".into(), problem }.into())
    }

    fn fit(&self, examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Fit> {
        let mut fits = fit_all(std::slice::from_ref(self), examples, monitor)?;
        Ok(fits.remove(0))
    }

    /// All settings at once, in parallel, over the same rows.
    fn fit_grid(&self, settings: &[Setting], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
        let learners = settings.iter().map(|s| configured(self, s)).collect::<Result<Vec<GeometricMargin>>>()?;
        if learners.is_empty() {
            return Ok(Vec::new());
        }
        fit_all(&learners, examples, monitor)
    }

    fn clone_box(&self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// The reports' objectives and gaps are those of the kept round's weighted problem; seconds include reading the rows.
fn fit_all(learners: &[GeometricMargin], examples: &Examples<'_>, monitor: &dyn Monitor) -> Result<Vec<Fit>> {
    let start = Instant::now();
    learners.iter().try_for_each(Parameters::check)?;
    let classes = Classes::of(examples)?;
    let rows = Masked::new(examples, false)?;
    let setups: Vec<Setup> = learners.iter().map(GeometricMargin::setup).collect();
    let shared = start.elapsed().as_secs_f64();
    let planes = separate(&rows, &classes.signs, &setups, monitor)?;
    Ok(planes.into_iter().map(|plane| fit_of(plane, &classes, &rows, examples, shared)).collect())
}

impl GeometricMargin {
    fn setup(&self) -> Setup {
        let until = Until { tol: self.tol, max_iter: self.max_iter };
        Setup { c: self.c, rounds: self.rounds, until }
    }
}

/// The classes as -1 and +1, and the scaled targets that stand for 0 and, beyond it, +1: a score of the scaled target is
/// `centre + half * score`.
struct Classes {
    signs: Vec<f64>,
    centre: f64,
    half: f64,
}

impl Classes {
    fn of(examples: &Examples<'_>) -> Result<Classes> {
        let wrong = |problem: String| ErrorKind::WrongTarget { column: "target".into(), problem };
        let Some(labels) = examples.labels.filter(|labels| labels.classes <= 2) else {
            let classes = examples.labels.map_or("numbers".to_owned(), |labels| format!("{} classes", labels.classes));
            return Err(wrong(format!("it holds {classes}, and geom tells two classes apart")).into());
        };
        let sign = |code: u32| if code == 0 { -1.0 } else { 1.0 };
        let signs: Vec<f64> = examples.rows.iter().map(|&row| sign(labels.codes[row as usize])).collect();
        let of = |y: f64| signs.iter().position(|s| *s == y).map(|at| examples.target(at));
        let (centre, half) = match (of(-1.0), of(1.0)) {
            (Some(low), Some(high)) => (0.5 * (low + high), 0.5 * (high - low)),
            (Some(low), None) => (low + 1.0, 1.0),
            (None, Some(high)) => (high - 1.0, 1.0),
            (None, None) => (0.0, 1.0),
        };
        if !(half > 0.0 && half.is_finite() && centre.is_finite()) {
            return Err(wrong("its scaled values do not tell its two classes apart".to_owned()).into());
        }
        Ok(Classes { signs, centre, half })
    }
}

fn fit_of(plane: Plane, classes: &Classes, rows: &Masked, examples: &Examples<'_>, shared: f64) -> Fit {
    let weights = plane.weights.iter().map(|w| classes.half * w).collect();
    let intercept = classes.centre + classes.half * plane.bias;
    let linear = Linear { weights, intercept, fill: vec![0.0; rows.columns()] };
    let mut report = Reading::of(examples).report("geom", plane.stop, examples);
    let kept = plane.rounds.get(plane.kept);
    (report.objective, report.gap) = (kept.map(|r| r.objective), kept.map(|r| r.gap));
    if plane.empty < examples.len() {
        report.skipped = plane.empty as u64;
        report.examples -= report.skipped;
    }
    report.seconds = shared + plane.seconds;
    Fit { predictor: Predictor::Margin(linear), report }
}
