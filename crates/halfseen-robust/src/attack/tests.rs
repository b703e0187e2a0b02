//! Compares attacks with all deletions that a budget allows.

use super::*;
use halfseen_core::data::{Declared, Labels, Layout, Matrix, Scaler};
use halfseen_core::model::{Conditional, Curve, Linear, Link, Report, Stop};
use ndarray::Array2;
use std::sync::Arc;

const N: usize = 6;

struct Case {
    linear: Linear,
    matrix: Matrix,
    layout: Arc<Layout>,
    targets: Vec<f64>,
    codes: Vec<u32>,
}

impl Case {
    fn new() -> Case {
        let mut stream = Stream::new(17, Purpose::Data, 0);
        let rows = 60;
        let cells = Array2::from_shape_fn((rows, N), |_| match stream.below(6) {
            0 => f64::NAN,
            1 => 0.25,
            _ => stream.normal(),
        });
        let mut normal = || stream.normal();
        let weights = (0..N).map(|_| normal()).collect();
        let targets = (0..rows).map(|_| normal()).collect();
        // Two attributes of two columns, two of one.
        let mut builder = Layout::builder(N);
        [vec![0], vec![1, 4], vec![2, 3], vec![5]]
            .into_iter()
            .for_each(|columns| builder.sampled("a", columns));
        Case {
            linear: Linear { weights, intercept: 0.1, fill: vec![0.25; N], clip: None },
            matrix: Matrix::F64(cells),
            layout: Arc::new(builder.finish().unwrap()),
            targets,
            codes: (0..rows as u32).map(|i| i % 2).collect(),
        }
    }

    fn examples(&self, classes: bool) -> Examples<'_> {
        Examples {
            matrix: &self.matrix,
            scaler: &Scaler::None {},
            layout: &self.layout,
            targets: &self.targets,
            labels: classes.then_some(Labels { codes: &self.codes, classes: 2 }),
            rows: (0..self.targets.len() as u32).collect::<Vec<_>>().into(),
            weights: None,
            moments: None,
            declared: Declared::default(),
            pilot: None,
        }
    }

    fn attacked(&self, classes: bool, threat: &Threat, kind: Attack) -> Attacked {
        attack(&self.linear.clone().into(), &self.examples(classes), threat, kind, 3).unwrap()
    }

    fn missing(&self, row: usize, panel: usize) -> bool {
        self.layout
            .slots_of(panel)
            .all(|slot| self.matrix.get(row, self.layout.column(slot)).is_nan())
    }

    /// Returns the score of a row without these attributes.
    fn without(&self, row: usize, set: u32) -> f64 {
        let mut cells: Vec<f64> = (0..N).map(|c| self.matrix.get(row, c)).collect();
        for panel in (0..4).filter(|p| set >> p & 1 == 1) {
            self.layout.slots_of(panel).for_each(|slot| cells[self.layout.column(slot)] = f64::NAN);
        }
        let matrix = Matrix::F64(Array2::from_shape_vec((1, N), cells).unwrap());
        self.linear.scores(&Examples {
            matrix: &matrix,
            rows: vec![0].into(),
            ..self.examples(false)
        })[0]
    }

    /// Returns the scores of a row after every deletion within its budget.
    fn allowed(&self, row: usize, threat: &Threat) -> Vec<f64> {
        let values = threat.values();
        let of = |keep: &dyn Fn(usize) -> bool| {
            (0..4).filter(|p| keep(*p)).map(|p| values[p]).sum::<f64>()
        };
        let left = (threat.budget() - of(&|p| self.missing(row, p))).max(0.0);
        let sets = (0..16_u32)
            .filter(|set| of(&|p| set >> p & 1 == 1 && !self.missing(row, p)) <= left + 1e-9);
        sets.map(|set| self.without(row, set)).collect()
    }
}

fn threats() -> Vec<Threat> {
    let of = |values: &[f64], budget| Threat::new(values.to_vec(), budget).unwrap();
    vec![
        of(&[1.0; 4], 2.5),
        of(&[1.0, 0.0, 1.0, 1.0], 1.0),
        of(&[2.0, 1.0, 3.0, 1.0], 4.0),
        of(&[0.7, 1.3, 0.4, 1.1], 1.9),
        of(&[0.7, 1.3, 0.4, 1.1], 0.0),
    ]
}

#[test]
fn the_exact_attack_is_the_worst_that_the_budget_allows() {
    let case = Case::new();
    for threat in threats() {
        for classes in [true, false] {
            let attacked = case.attacked(classes, &threat, Attack::Exact);
            assert_eq!(attacked.unproven, 0);
            for (row, score) in attacked.scores.values.iter().enumerate() {
                let loss = |score: f64| match classes {
                    true => {
                        if case.codes[row] == 1 {
                            -score
                        } else {
                            score
                        }
                    }
                    false => (score - case.targets[row]).abs(),
                };
                let worst = case
                    .allowed(row, &threat)
                    .into_iter()
                    .map(loss)
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!((loss(*score) - worst).abs() < 1e-9, "{row}: {} and {worst}", loss(*score));
            }
        }
    }
}

#[test]
fn the_exact_attack_on_a_quantile_is_the_worst_by_its_loss() {
    let case = Case::new();
    let examples = case.examples(false);
    let mut report = Report::full("any", Stop::ClosedForm, 60, 4);
    report.quantile = Some(0.95);
    let fit = Fit { predictor: case.linear.clone().into(), report };
    let mut otherwise = 0;
    for threat in threats() {
        let attacked = attack_fit(&fit, &examples, &threat, Attack::Exact, 3).unwrap();
        let squared = case.attacked(false, &threat, Attack::Exact).scores.values;
        for (row, score) in attacked.scores.values.iter().enumerate() {
            let loss = |score: f64| {
                let residual = case.targets[row] - score;
                if residual > 0.0 { 0.95 * residual } else { -0.05 * residual }
            };
            let worst = case.allowed(row, &threat).into_iter().map(loss).fold(0.0, f64::max);
            assert!((loss(*score) - worst).abs() < 1e-9, "{row}: {} and {worst}", loss(*score));
            otherwise += usize::from(*score != squared[row]);
        }
    }
    assert!(otherwise > 20, "{otherwise} rows lose more on the other side of the target");
}

#[test]
fn every_attack_keeps_to_its_budget_and_repeats() {
    let case = Case::new();
    let clean = case.linear.scores(&case.examples(true));
    for threat in threats() {
        let exact = case.attacked(true, &threat, Attack::Exact).scores.values;
        for (name, kind) in Attack::ALL {
            let attacked = case.attacked(true, &threat, kind);
            assert_eq!(attacked, case.attacked(true, &threat, kind), "{name}");
            if matches!(kind, Attack::Noise(_)) {
                continue;
            }
            for (row, score) in attacked.scores.values.iter().enumerate() {
                assert!(
                    case.allowed(row, &threat).iter().any(|s| (s - score).abs() < 1e-12),
                    "{name}, row {row}"
                );
                let y = if case.codes[row] == 1 { 1.0 } else { -1.0 };
                assert!(y * score >= y * exact[row] - 1e-9, "{name} is no worse than exact");
                assert!(
                    matches!(kind, Attack::Random) || y * score <= y * clean[row] + 1e-12,
                    "{name} helps nobody"
                );
            }
        }
    }
}

#[test]
fn random_deletions_take_as_many_as_there_are_and_noise_leaves_missing_cells() {
    let case = Case::new();
    let threat = Threat::uniform(4, 2.0).unwrap();
    let random = case.attacked(true, &threat, Attack::Random).scores.values;
    let noise = case.attacked(true, &threat, Attack::Noise(Choice::Random)).scores.values;
    let clean = case.linear.scores(&case.examples(true));
    let (mut met, mut moved) = (0, 0);
    for row in 0..clean.len() {
        let missing = (0..4).filter(|p| case.missing(row, *p)).count();
        let differs = |p: usize| {
            case.layout.slots_of(p).any(|slot| {
                let x = case.matrix.get(row, case.layout.column(slot));
                !x.is_nan() && x != 0.25
            })
        };
        let able = (0..4).filter(|p| differs(*p)).count();
        let wanted = 2_usize.saturating_sub(missing).min(able);
        let sets = (0..16_u32).filter(|set| {
            set.count_ones() as usize == wanted && (0..4).all(|p| set >> p & 1 == 0 || differs(p))
        });
        assert!(
            sets.into_iter().any(|set| (case.without(row, set) - random[row]).abs() < 1e-12),
            "{row}"
        );
        met += usize::from(wanted == 2);
        moved += usize::from(noise[row] != clean[row]);
        assert_eq!(noise[row] != clean[row], missing < 2, "{row}");
    }
    assert!(met > 20 && moved > 40, "{met}, {moved}");
    // The order is the same under every budget: deletions are nested.
    let one = case.attacked(true, &Threat::uniform(4, 1.0).unwrap(), Attack::Random).scores.values;
    let changed = one.iter().zip(&clean).filter(|(a, b)| a != b).count();
    assert!(changed > 20, "{changed}");
}

/// Returns a predictor to which deletions do what is no sum over attributes.
fn conditional(linear: Linear) -> Conditional {
    let d = linear.weights.len();
    Conditional {
        linear,
        rank: 1,
        loadings: vec![0.5; d],
        noise: vec![1.0; d],
        bounds: vec![],
        residual: 0.5,
        degrees: None,
        deviations: vec![],
        link: None,
    }
}

#[test]
fn other_predictors_and_other_attributes_are_refused() {
    let case = Case::new();
    let three = Threat::uniform(3, 1.0).unwrap();
    let linear: Predictor = case.linear.clone().into();
    let error =
        attack(&linear, &case.examples(true), &three, Attack::Exact, 0).unwrap_err().to_string();
    assert!(error.contains("expected 4, got 3"), "{error}");
    let mut classes = vec![case.linear.clone(); 3];
    let many = Predictor::Linears(halfseen_core::model::Linears { classes: classes.clone() });
    let threat = Threat::uniform(4, 1.0).unwrap();
    let error = attack(&many, &case.examples(true), &threat, Attack::Exact, 0).unwrap_err();
    assert!(matches!(
        error.kind(),
        halfseen_core::ErrorKind::WrongLength { expected: 3, found: 2, .. }
    ));
    for link in [None, Some(Link { curve: Curve::Probit, centre: 0.0 })] {
        let joint =
            Predictor::Conditional(Conditional { link, ..conditional(case.linear.clone()) });
        let error = attack(&joint, &case.examples(true), &threat, Attack::Exact, 0).unwrap_err();
        assert!(error.to_string().contains("additive model"));
    }
    classes[1].fill[2] = 7.0;
    let unlike = Predictor::Linears(halfseen_core::model::Linears { classes });
    let error = attack(&unlike, &case.examples(true), &threat, Attack::Exact, 0).unwrap_err();
    assert!(error.to_string().contains("additive model"));
}

/// Case with models of three classes and the classes of its rows.
fn several() -> (Case, Vec<Linear>) {
    let mut case = Case::new();
    let mut stream = Stream::new(18, Purpose::Data, 0);
    let mut linears = vec![case.linear.clone(); 3];
    for linear in &mut linears[1..] {
        linear.weights.iter_mut().for_each(|weight| *weight = stream.normal());
        linear.intercept = 0.3 * stream.normal();
    }
    case.codes.iter_mut().for_each(|code| *code = stream.below(3) as u32);
    (case, linears)
}

/// Returns by how much the score of a class is above the largest other one.
fn lead(scores: &[f64], class: usize) -> f64 {
    let others = scores.iter().enumerate().filter(|(other, _)| *other != class);
    scores[class] - others.map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn the_exact_attack_on_several_classes_leaves_the_least_lead() {
    let (mut case, linears) = several();
    let predictor = Predictor::Linears(halfseen_core::model::Linears { classes: linears.clone() });
    for threat in threats() {
        let labels = Some(Labels { codes: &case.codes, classes: 3 });
        let attacked = |kind| {
            let examples = Examples { labels, ..case.examples(true) };
            attack(&predictor, &examples, &threat, kind, 3).unwrap()
        };
        let (exact, greedy) = (attacked(Attack::Exact), attacked(Attack::Greedy(Order::Ratio)));
        assert_eq!((exact.unproven, exact.scores.outputs), (0, 3));
        let leads = |attacked: &Attacked| -> Vec<f64> {
            let lead = |row| lead(attacked.scores.row(row), case.codes[row] as usize);
            (0..case.codes.len()).map(lead).collect()
        };
        let (exact, greedy) = (leads(&exact), leads(&greedy));
        assert!(exact.iter().zip(&greedy).all(|(exact, greedy)| *exact <= greedy + 1e-12));
        let whole = case.linear.clone();
        let mut allowed: Vec<Vec<Vec<f64>>> = Vec::new();
        for linear in &linears {
            case.linear = linear.clone();
            allowed.push((0..case.codes.len()).map(|row| case.allowed(row, &threat)).collect());
        }
        case.linear = whole;
        for (row, exact) in exact.iter().enumerate() {
            let of =
                |set: usize| -> Vec<f64> { allowed.iter().map(|class| class[row][set]).collect() };
            let leads =
                (0..allowed[0][row].len()).map(|set| lead(&of(set), case.codes[row] as usize));
            let least = leads.fold(f64::INFINITY, f64::min);
            assert!((exact - least).abs() < 1e-12, "{row}: {exact}, {least}");
        }
    }
}

#[test]
fn other_attacks_on_several_classes_delete_within_the_budget() {
    let (case, linears) = several();
    let predictor = Predictor::Linears(halfseen_core::model::Linears { classes: linears });
    let labels = Some(Labels { codes: &case.codes, classes: 3 });
    let examples = Examples { labels, ..case.examples(true) };
    let none = Threat::new(vec![1.0; 4], 0.0).unwrap();
    let plain = predictor.scores(&examples).unwrap();
    for kind in [
        Attack::Random,
        Attack::Greedy(Order::Weight),
        Attack::Greedy(Order::Ratio),
        Attack::Greedy(Order::Value),
        Attack::Noise(Choice::Random),
        Attack::Noise(Choice::Weight),
    ] {
        let scores = attack(&predictor, &examples, &none, kind, 3).unwrap().scores;
        assert_eq!(scores.values, plain.values, "{kind:?} without a budget");
        let one = Threat::new(vec![1.0; 4], 1.0).unwrap();
        let scores = attack(&predictor, &examples, &one, kind, 3).unwrap().scores;
        assert_ne!(scores.values, plain.values, "{kind:?}");
    }
}

#[test]
fn random_attacks_on_a_part_are_those_on_the_whole() {
    let case = Case::new();
    let threat = Threat::new(vec![1.0; 4], 2.0).unwrap();
    let part = case.examples(true);
    // The last rows, as a table of their own.
    let Matrix::F64(cells) = &case.matrix else { panic!("numbers") };
    let matrix = Matrix::F64(cells.select(ndarray::Axis(0), &(40..60).collect::<Vec<_>>()));
    let labels = Some(Labels { codes: &case.codes[40..], classes: 2 });
    let rows: Vec<u32> = (0..20).collect();
    let part = Examples {
        matrix: &matrix,
        targets: &case.targets[40..],
        labels,
        rows: rows.into(),
        ..part
    };
    let predictor: Predictor = case.linear.clone().into();
    for kind in [Attack::Random, Attack::Noise(Choice::Random)] {
        let whole = case.attacked(true, &threat, kind).scores.values;
        let of_part = |first| {
            attack_from((first, NumberLoss::Squared), &predictor, &part, &threat, kind, 3).unwrap()
        };
        assert_eq!(of_part(40).scores.values, whole[40..], "{kind:?}");
        assert_ne!(of_part(0).scores.values, whole[40..], "{kind:?}");
    }
}
